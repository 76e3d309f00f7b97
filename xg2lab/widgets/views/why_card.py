"""WhyCard: why a token may or may not come next, from the byte it died at to the line of the grammar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xg2lab.lab.auditing.diagnosing import Diagnosis
from xg2lab.lab.trace.issue import expected_by, missing_edges, range_text, slot_name
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["WhyCard", "why_facts", "why_lines"]


def why_facts(session: Session, step: int) -> schema.Explanation | None:
    """What `Session.explain` says of the selected token, else of the one chosen at `step`; None when there is none."""
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
        f"  {item['line']}:{item['column']}  {item['rule_name']} -> {item['before']} • {item['after']}{_slot(item)}"
        for item in expected_by(why)
    ]
    out += [f"  {item['rule_name']}, {item.get('done', '')} done" for item in why.get("counted", [])]
    for edge in missing_edges(session.trace.program, why):
        out.append(f"  {edge.name} has edges [{range_text(edge.ranges)}] and none for {_died(why)}")
    return out


def _slot(item: dict[str, Any]) -> str:
    """The slot that the item reads, and the argument that fills it."""
    pointer = item.get("argument")
    return "" if pointer is None else f", slot {slot_name(pointer)}, argument {pointer}"


def _died(why: schema.Explanation) -> str:
    return why["bytes"][2 * (why["died_at"] or 0) :][:2].upper()


class WhyCard(View):
    """The explanation of the selected token, or of the token that was chosen."""

    PANEL = "why_card"

    def data(self) -> schema.Explanation | None:
        """What `Session.explain` says of the selected token; None when there is none."""
        return why_facts(self.lab_session, self.step_index)

    def lines(self) -> list[str]:
        """The explanation in words; of pasted ids, what was found."""
        found = self.lab_session.replayed
        told = [] if found is None else str(found).splitlines()
        return [*told, *why_lines(self.lab_session, self.step_index)]

    def replay(self, ids: str | Iterable[int]) -> Diagnosis:
        """What the field for pasted ids does: `Session.replay`."""
        return self.lab_session.replay(ids)

    def issue_text(self, token: int | str | bytes | None = None) -> str:
        """The explanation as the text of an issue, with lines that reproduce it: `Session.issue_text`."""
        return self.lab_session.issue_text(token, self.step_index)
