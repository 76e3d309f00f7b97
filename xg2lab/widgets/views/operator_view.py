"""OperatorView: the grammar as a tree of operators, with those that the text so far is in.

See also: `xg2lab.compiling.operators`, where the tree comes from; `xg2lab.lab.trace.operators`, what a
trace keeps of it.
"""

from __future__ import annotations

from typing import Any

from xg2lab.errors import PictureError
from xg2lab.lab.trace.entries import entries_of_operators
from xg2lab.lab.trace.operators import operator_lines
from xg2lab.show.dot import Dot, Theme
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.view import View

__all__ = ["OperatorView"]


class OperatorView(View):
    """Shows the grammar as a tree of operators, an operator a line, with the active ones highlighted.

    A line that was made from a slot names its argument. A line that reads text has the mask entries of the states that
    read this text, as far as steps up to the cursor used them: their origin (the template, another grammar's by way of
    the pool, this grammar's own), how often they were used again, and how long making them took.

    The session's trace records the operators from the first such view on. A recursive grammar has no tree; the view
    shows the calls of its cycle.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "a" [ab]*', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = OperatorView(session)
    >>> sorted(view.data()), len(view.lines()) > 2, view.to_dot().startswith("digraph")
    (['active', 'arguments', 'entries', 'tree'], True, True)

    See also: WGrammar, section 3.2; docs/design/0041-operators.md.
    """

    PANEL = "operator_view"

    def _make(self, session: SessionWidget | None, pad: PadWidget | None = None) -> None:
        super()._make(session, pad)
        if session is not None:
            session.session.record_operators()

    def data(self) -> dict[str, Any]:
        """Return the tree, and what is active at the cursor.

        Returns
        -------
        dict
            `tree` and `active` as the trace has them (`xg2lab.lab.trace.operators`). `entries`: the mask entries of
            operators, by number, as `xg2lab.lab.trace.entries.UsedEntry`. `arguments` of a template; None for any other
            grammar.
        """
        session = self.lab_session
        session.record_operators()
        trace, template = session.trace, session.trace.header.get("template")
        return {
            "tree": trace.operators,
            "active": trace.steps[self.step_index].operators if trace.steps else None,
            "entries": entries_of_operators(trace, self.step_index) if trace.steps else {},
            "arguments": None if template is None else template["arguments"],
        }

    def to_dot(self, *, theme: Theme = "light") -> Dot:
        """Write the tree as DOT, with the active operators highlighted.

        Parameters
        ----------
        theme : "light" or "dark"
            The colours.

        Returns
        -------
        Dot
            A str with `to_graphviz()` and `save(path)`.

        Raises
        ------
        PictureError
            The grammar has no tree.
        """
        facts = self.data()
        if "refused" in facts["tree"]:
            raise PictureError(facts["tree"]["refused"], hint=facts["tree"]["hint"])
        active = [] if facts["active"] is None else facts["active"]["at"]
        tree = self.lab_session.compiled.operators()
        return tree.to_dot({each["operator"] for each in active}, theme=theme)

    def lines(self) -> list[str]:
        """Return the tree as text, or why there is none.

        Returns
        -------
        list of str
            A line for each operator.
        """
        facts = self.data()
        return operator_lines(facts["tree"], facts["active"], facts["arguments"], facts["entries"])
