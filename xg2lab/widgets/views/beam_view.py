"""BeamView: what the model would have written, allowed and blocked, as a tree whose branches are as wide as their mass.

See also: `xg2lab.lab.session.beam`, which grows the tree; docs/design/0055-beams.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xg2lab.errors import SessionError
from xg2lab.lab.trace.table import probability
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab.session.beam import Beam

__all__ = ["BeamView"]


class BeamView(View):
    """Shows the model's likeliest continuations at the step under the cursor, allowed and blocked.

    An allowed branch is as wide as the probability with which the mask draws it; inside, darker, is what the model
    alone gave it. A blocked branch is as wide as what the model alone gave it, and continues as if there were no
    grammar. A click selects the step and the continuation's first token; a button forces that token.

    Parameters
    ----------
    session : Session
        A session with a model.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
    >>> view = BeamView(session)
    >>> view.data(depth=1, width=2).nodes[0].text
    '['
    >>> print(view.lines()[0])
    step 0, Z 3e-06

    See also: docs/design/0055-beams.md.
    """

    PANEL = "beam_view"

    def data(self, depth: int = 4, width: int = 3) -> Beam:
        """Return the tree at the step under the cursor.

        Parameters
        ----------
        depth : int
            How many tokens a continuation has at most, 1 to 8.
        width : int
            How many allowed and how many blocked continuations are kept at each length, 1 to 8.

        Returns
        -------
        Beam
            The continuations, level by level.

        Raises
        ------
        SessionError
            The session has no model.
        """
        return self.lab_session.beam(depth, width, step=self.step_index)

    def lines(self) -> list[str]:
        """Return the tree as text, a continuation a line.

        Returns
        -------
        list of str
            Each with its probability under the model alone, and under the mask.
        """
        try:
            beam = self.data()
        except SessionError as error:
            return [error.message]
        out = [f"step {beam.step}, Z {probability(beam.z)}"]
        children: dict[int, list[int]] = {}
        for index, node in enumerate(beam.nodes):
            children.setdefault(node.parent, []).append(index)
        agenda = [(index, 1) for index in reversed(children.get(-1, []))]
        while agenda:
            index, depth = agenda.pop()
            node = beam.nodes[index]
            drawn = "blocked" if node.drawn is None else f"drawn {probability(node.drawn)}"
            out.append(f"{'  ' * depth}{node.text!r}  {probability(node.mass)}, {drawn}")
            agenda += [(child, depth + 1) for child in reversed(children.get(index, []))]
        return out
