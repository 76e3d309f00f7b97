"""FsmView: the machine of one rule, with the states the parse stands in, and what is known of the mask at a state."""

from __future__ import annotations

from typing import Any

from xg2lab.compiling.stages import Stage
from xg2lab.show.dot import Dot, Theme, machine_dot
from xg2lab.widgets.view import View

__all__ = ["FsmView"]


class FsmView(View):
    r"""Shows the machine of a rule, with the parse's states highlighted and the mask at each state.

    It shows the selected rule's machine, else that of the innermost live item whose dot has moved. `passes` in its
    head, or the key `p`, shows the machine before and after each pass.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "a" "b"*', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = FsmView(session)
    >>> print(*view.lines(), sep="\n")
    rule root, 2 states
     *0  "a" -> 1
      1 (end)  "b" -> 1
    >>> view.data()["live"], view.stages()[-1].n_states, view.to_dot().startswith("digraph")
    ([0], 2, True)
    """

    PANEL = "fsm_view"

    @property
    def rule_id(self) -> int:
        """The number of the rule that is shown."""
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
        """Return the machine that is shown.

        Returns
        -------
        dict
            `rule`, its `states` and `edges`, and `live`: the states that the parse is in.
        """
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
        """Return the machine after each pass, as `Session.machine_stages` does.

        Parameters
        ----------
        rule : int or str, optional
            A rule's number or name; the shown rule if left out. A name may be that of a rule which a pass removed.

        Returns
        -------
        tuple of Stage
            The last stage is the machine that runs.

        Raises
        ------
        SessionError
            There is no such rule.
        """
        return self.lab_session.machine_stages(self.rule_id if rule is None else rule)

    def to_dot(self, rule: int | str | None = None, *, theme: Theme = "light", fold: bool = True) -> Dot:
        """Write the machine as DOT, with the live states highlighted.

        Parameters
        ----------
        rule : int or str, optional
            A rule's number or name; the shown rule if left out.
        theme : "light" or "dark"
            The colours.
        fold : bool
            Whether three or more single bytes in a row are drawn as one edge.

        Returns
        -------
        Dot
            A str with `to_graphviz()` and `save(path)`.

        Raises
        ------
        ArgumentError
            There is no such rule or theme.
        """
        live = {item["state"] for item in self.lab_session.trace.steps[self.step_index].live}
        wanted = self.rule_id if rule is None else rule
        return machine_dot(self.lab_session.trace.program, wanted, live=live, theme=theme, fold=fold)

    def lines(self) -> list[str]:
        """Return the states with their edges. Live states have a star.

        Returns
        -------
        list of str
            A line for each state.
        """
        facts = self.data()
        first = facts["rule"]["states"][0]
        out = [f"rule {facts['rule']['name']}, {len(facts['states'])} states"]
        for state in facts["states"]:
            star = "*" if state["id"] in facts["live"] else " "
            edges = "  ".join(f"{e['label']} -> {e['to'] - first}" for e in facts["edges"] if e["from"] == state["id"])
            out.append(f" {star}{state['id'] - first}{' (end)' if state['accepting'] else ''}  {edges}")
        return out
