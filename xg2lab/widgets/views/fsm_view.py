"""FsmView: the machine of one rule, with the states the parse stands in, and what is known of the mask at a state."""

from __future__ import annotations

from typing import Any

from xg2lab.compiling.stages import Stage
from xg2lab.show.dot import Dot, Theme, machine_dot
from xg2lab.widgets.view import View

__all__ = ["FsmView"]


class FsmView(View):
    """The selected rule's machine; else that of the innermost live item whose dot has moved.

    `passes` in its head, or the key `p`, shows the machine before and after each pass; `stages()` is the same as data.
    """

    PANEL = "fsm_view"

    @property
    def rule_id(self) -> int:
        """The rule that is shown."""
        session, program = self.lab_session, self.lab_session.trace.program
        if session.selection["rule"] is not None:
            return int(session.selection["rule"])
        if session.selection["state"] is not None:
            return int(program["states"][session.selection["state"]]["rule"])
        live = session.trace.steps[self.step_index].live
        starts = {rule["start"] for rule in program["rules"]}
        moved = [item for item in live if item["state"] not in starts]
        if moved:
            return int(max(reversed(moved), key=lambda item: item["origin"])["rule"])
        return int(live[0]["rule"] if live else program["rules"][0]["id"])

    def data(self) -> dict[str, Any]:
        """`rule`, its `states` and `edges`, and `live`: the states the parse stands in."""
        program, rule_id = self.lab_session.trace.program, self.rule_id
        states = [s for s in program["states"] if s["rule"] == rule_id]
        ids = {s["id"] for s in states}
        live = self.lab_session.trace.steps[self.step_index].live
        return {
            "rule": next(r for r in program["rules"] if r["id"] == rule_id),
            "states": states,
            "edges": [e for e in program["edges"] if e["from"] in ids],
            "live": sorted({item["state"] for item in live if item["state"] in ids}),
        }

    def stages(self, rule: int | str | None = None) -> tuple[Stage, ...]:
        """The machine of that rule, or of the one that is shown, after each pass: `Session.machine_stages`.

        By name also of a rule that was written into its callers, as long as it had a machine.
        """
        return self.lab_session.machine_stages(self.rule_id if rule is None else rule)

    def to_dot(self, rule: int | str | None = None, *, theme: Theme = "light", fold: bool = True) -> Dot:
        """The machine of that rule, or of the one that is shown, with the live states lit: `show.dot.machine_dot`."""
        live = {item["state"] for item in self.lab_session.trace.steps[self.step_index].live}
        wanted = self.rule_id if rule is None else rule
        return machine_dot(self.lab_session.trace.program, wanted, live=live, theme=theme, fold=fold)

    def lines(self) -> list[str]:
        """States with their edges; live ones are starred."""
        facts = self.data()
        first = facts["rule"]["states"][0]
        out = [f"rule {facts['rule']['name']}, {len(facts['states'])} states"]
        for state in facts["states"]:
            star = "*" if state["id"] in facts["live"] else " "
            edges = "  ".join(f"{e['label']} -> {e['to'] - first}" for e in facts["edges"] if e["from"] == state["id"])
            out.append(f" {star}{state['id'] - first}{' (end)' if state['accepting'] else ''}  {edges}")
        return out
