"""TimelineView: model and mask on one clock, and what of the mask's time was waited for."""

from __future__ import annotations

from typing import Any

from xg2lab.lab.trace.lanes import LANES, Lane, figures, hidden_share, uncovered
from xg2lab.widgets.view import View
from xg2lab.widgets.words import WORDS

__all__ = ["TimelineView"]

_COLUMNS = (*(f"{name}_{end}_ns" for name in LANES for end in ("begin", "end")), "wait_ns")


class TimelineView(View):
    """Shows model and mask on one clock: a lane for forward passes, one for masks, and the wait that is left.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = TimelineView(session)
    >>> sorted(view.data()), view.lines()[0]
    (['compile_lane', 'figures', 'hidden', 'overlap', 'steps'], 'overlap off')

    See also: docs/design/0016-overlap.md.
    """

    PANEL = "timeline_view"

    def data(self) -> dict[str, Any]:
        """Return what the picture is drawn from. All times are nanoseconds on the session's clock.

        Returns
        -------
        dict
            `steps`: NumPy columns with a row a step, NaN where something was not done. `compile_lane`: [begin, end], or
            None for a grammar that was compiled before. `overlap`: whether the lanes were to overlap. `figures`:
            median, 95th percentile and sum of `model` (without the prompt), `mask` and `wait`. `hidden`: the share of
            the mask's time that forward passes covered.
        """
        trace = self.lab_session.trace
        columns, lanes = trace.data(), [step.lanes for step in trace.steps]
        return {
            "steps": {name: columns[name] for name in _COLUMNS},
            "compile_lane": trace.header.get("compile_lane"),
            "overlap": trace.header.get("overlap"),
            "figures": figures(lanes),
            "hidden": hidden_share(lanes),
        }

    def lines(self) -> list[str]:
        """Return the figures, prompt and compile time, and the step under the cursor.

        Returns
        -------
        list of str
            A line each.
        """
        trace, facts = self.lab_session.trace, self.data()
        switch = {True: "overlap on", False: "overlap off", None: "not recorded whether lanes overlapped"}
        hidden = "" if facts["hidden"] is None else f"; {facts['hidden']:.0%} of the mask time hidden"
        out = [f"{switch[facts['overlap']]}{hidden}"]
        for name, of in facts["figures"].items():
            out.append(f"  {name:<5}  p50 {_time(of['p50'])}, p95 {_time(of['p95'])}, in all {_time(of['sum'])}")
        compiled, step = facts["compile_lane"], trace.steps[self.step_index]
        prefill = trace.steps[0].lanes and trace.steps[0].lanes.model
        if compiled and prefill:
            wait = _time(uncovered((compiled[0], compiled[1]), prefill))
            out.append(f"prompt {_length(prefill)}, compile {_length(compiled)}, of it waited for {wait}")
        if step.lanes is None:
            return [*out, f"step {step.index}: {WORDS['timeline']['not_recorded']}"]
        parts = [f"{name} {_length(lane)}" for name in LANES if (lane := getattr(step.lanes, name)) is not None]
        wait_ns = step.lanes.wait_ns
        waited = "" if wait_ns is None else f"; waited for the mask {_time(wait_ns)}"
        return [*out, f"step {step.index}: {', '.join(parts)}{waited}"]


def _length(lane: Lane | list[int]) -> str:
    return _time(lane[1] - lane[0])


def _time(ns: int) -> str:
    return f"{ns / 1e6:,.2f} ms" if ns >= 1_000_000 else f"{ns / 1e3:,.1f} us"
