"""ChartView: the Earley chart round the cursor, one lane a rule, and what the selected token would add to it."""

from __future__ import annotations

from xg2lab.widgets.view import View

__all__ = ["ChartView"]

_OPERATIONS = ("start", "predict", "scan", "complete")


class ChartView(View):
    """Columns of items: each with its dot, where it began, and what made it."""

    PANEL = "chart_view"

    def data(self) -> list[list[list[int]]]:
        """Column j holds the items after j bytes, up to the cursor: [state, origin, operation, source column, source
        index, child column, child index]; operation 0 start, 1 predict, 2 scan, 3 complete; -1 where there is none.
        """
        trace = self.lab_session.trace
        return trace.columns[: trace.steps[self.step_index].byte_begin + 1]

    def lines(self) -> list[str]:
        """The items of the column under the cursor."""
        trace = self.lab_session.trace
        columns, states = self.data(), trace.program["states"]
        at = trace.steps[self.step_index].byte_begin
        if at >= len(columns):
            return [f"column {at} was not recorded"]
        names = {rule["id"]: rule["name"] for rule in trace.program["rules"]}
        done = {(item["state"], item["origin"]): item.get("done") for item in trace.steps[self.step_index].live}
        out = [f"column {at}, {len(columns[at])} items"]
        for state, origin, operation, *_ in columns[at]:
            s, n_done = states[state], done.get((state, origin))
            out.append(
                f"  {_OPERATIONS[operation]:<9}{names[s['rule']]} -> {s['before']} • {s['after']}  from {origin}"
                + (f", {n_done} done" if n_done else "")
            )
        return out
