"""WhyCard: why a token may or may not come next, from the byte it died at to the line of the grammar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from xg2lab.lab.session.diagnosing import Diagnosis
from xg2lab.lab.trace.issue import expected_by, missing_edges, range_text, slot_name
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["WhyCard", "why_facts", "why_lines"]


def why_facts(session: Session, step: int) -> schema.Explanation | None:
    """Return `Session.explain` for the selected token, else for the one chosen at `step`; None if there is none."""
    token = session.selection["token"]
    token = session.trace.steps[step].token_id if token is None else token
    return None if token is None else session.explain(token, step)


def why_lines(session: Session, step: int) -> list[str]:
    """The explanation in words."""
    why = why_facts(session, step)
    if why is None:
        return ["no token is selected: session.select(token=...)"]
    verdict = "may come next" if why["allowed"] else "may not come next"
    out = [f"step {step}: token {why['token_id']} {why['text']!r} {verdict} ({why['mechanism']})", why["reason"]]
    if why["expected_text"]:
        out.append(f"expected: {why['expected_text']}")
    out += [
        f"  {_line(item)}{item['rule_name']} -> {item['before']} • {item['after']}{_slot(item)}"
        for item in expected_by(why)
    ]
    out += [f"  {item['rule_name']}, {item.get('done', '')} done" for item in why.get("counted", [])]
    for edge in missing_edges(session.trace.program, why):
        out.append(f"  {edge.name} has edges [{range_text(edge.ranges)}] and none for {_died(why)}")
    return out


def _line(item: schema.ExpectedBy) -> str:
    """Line and column of what the item expected; empty for what every schema has, which stands nowhere in its text."""
    return f"{item['line']}:{item['column']}  " if "line" in item and "column" in item else ""


def _slot(item: schema.ExpectedBy) -> str:
    """The slot that the item reads, and the argument that fills it."""
    pointer = item.get("argument")
    return "" if pointer is None else f", slot {slot_name(pointer)}, argument {pointer}"


def _died(why: schema.Explanation) -> str:
    return why["bytes"][2 * (why["died_at"] or 0) :][:2].upper()


class WhyCard(View):
    """Explains why the selected token, else the chosen one, may or may not come next.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> session.select(token=1)
    >>> view = WhyCard(session)
    >>> view.data()["allowed"], view.lines()[0]
    (False, "step 0: token 1 'b' may not come next (rejected_by_cache)")
    >>> view.issue_text().splitlines()[0]
    "## Why is token 1 b'b' blocked?"
    >>> view.replay([0, 0]).kind
    'blocked'
    """

    PANEL = "why_card"

    def data(self) -> schema.Explanation | None:
        """Return the explanation of the selected token, else of the chosen one.

        Returns
        -------
        dict or None
            The answer of `Session.explain`; None if there is no such token.
        """
        return why_facts(self.lab_session, self.step_index)

    def lines(self) -> list[str]:
        """Return the explanation in words; for pasted ids, the diagnosis too.

        Returns
        -------
        list of str
            A line each.
        """
        found = self.lab_session.replayed
        told = [] if found is None else str(found).splitlines()
        return [*told, *why_lines(self.lab_session, self.step_index)]

    def replay(self, ids: str | Iterable[int]) -> Diagnosis:
        """Take pasted token ids, as the view's field does: `Session.replay`.

        Parameters
        ----------
        ids : str or iterable of int
            The ids of a whole output, or a text that contains them.

        Returns
        -------
        Diagnosis
            The diagnosis.

        Raises
        ------
        SessionError, LimitError
            As `Session.replay`.
        """
        return self.lab_session.replay(ids)

    def issue_text(self, token: int | str | bytes | None = None) -> str:
        """Write the explanation as the text of an issue, with lines that reproduce it: `Session.issue_text`.

        Parameters
        ----------
        token : int, str or bytes, optional
            As for `Session.issue_text`.

        Returns
        -------
        str
            Markdown.
        """
        return self.lab_session.issue_text(token, self.step_index)
