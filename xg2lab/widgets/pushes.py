"""What of a trace the pages don't have yet, as one message.

>>> changes = Changes()
>>> changes.steps_from(3, 17), changes.steps_from(2, 11)
(None, None)
>>> changes.keep_steps, changes.keep_columns, changes.is_empty
(2, 11, False)

IDEA
  A page holds a prefix of the trace. A change shortens the part that is still right; a push says how much of it that
  is and sends the rest. However many changes there were since the last push, one message tells them all, so a fast run
  sends one message a frame and no page falls behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

from xg2lab.widgets.page_trace import told_as_written, told_chart, told_facts, told_steps

__all__ = ["Changes"]

_ALL = 1 << 30


class Changes:
    """How long the parts of a page's trace are that are still right."""

    def __init__(self) -> None:
        self.keep_steps = self.keep_columns = self.keep_branches = _ALL
        self.is_reset = self.has_news = self.are_notes_new = False

    def steps_from(self, step: int, column: int) -> None:
        """Steps from `step` on are new, chart columns from `column` on."""
        self.keep_steps, self.keep_columns = min(self.keep_steps, step), min(self.keep_columns, column)
        self.has_news = True

    def branches_from(self, branch: int) -> None:
        """Branches from `branch` on are new."""
        self.keep_branches = min(self.keep_branches, branch)
        self.has_news = True

    def notes(self) -> None:
        """The author's notes are new."""
        self.are_notes_new = self.has_news = True

    def reset(self) -> None:
        """Everything is new."""
        self.keep_steps = self.keep_columns = self.keep_branches = 0
        self.is_reset = self.has_news = True

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to tell but, perhaps, the status."""
        return not self.has_news

    def message(self, trace: Trace) -> schema.TraceChange:
        """The push that brings a page up to `trace`."""
        told: schema.TraceChange = {
            "kind": "trace",
            "keep_steps": min(self.keep_steps, len(trace.steps)),
            "steps": told_steps(trace, self.keep_steps),
            "keep_columns": min(self.keep_columns, len(trace.columns)),
            "columns": list(trace.columns[self.keep_columns :]),
            "keep_branches": min(self.keep_branches, len(trace.branches)),
            "branches": [branch.to_wire() for branch in trace.branches[self.keep_branches :]],
            "notes": list(trace.notes),
        }
        if ways := trace.ways_from(told["keep_columns"]):
            told["ways"] = ways
        if self.are_notes_new or self.is_reset:
            told["annotations"] = list(trace.annotations)
        if self.is_reset:
            told = {**told, "reset": True, "header": trace.header, "program": trace.program}
        told = {**told, **told_chart(trace, told["keep_columns"]), **told_facts(trace, whole=self.is_reset)}
        written = told_as_written(trace, told["keep_columns"])
        return told if written is None else {**told, "as_written": written}
