"""ChartView: the chart round the cursor, and what the selected token would add to it; with `parser="pda"` its stacks.

The Earley chart has a lane a rule. A pushdown automaton has stacks in place of it; since they share their frames, all
of them are drawn as one tree from the bottom. The chart of the same text is a click away. So is its derivation tree,
each rule under the bytes that it matched. Items that were made in several ways are marked: there the text can be read
otherwise, and its derivations stand side by side. Items and trees are those of the grammar as written, or the engine's
(docs/design/0054-as-written.md). In student mode the column under the cursor is filled by hand, and each step checked:
by the page alone, which needs no kernel for it (docs/design/0030-learning.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from xg2lab.errors import ArgumentError
from xg2lab.lab.trace.as_written import dotted
from xg2lab.lab.trace.derivation import Branch, derivation
from xg2lab.lab.trace.graphs import chart_dot, stacks_dot, tree_dot
from xg2lab.lab.trace.stacks import stack_lines
from xg2lab.show.dot import Dot, Theme
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = ["ChartView"]

_OPERATIONS = ("start", "predict", "scan", "complete")


class ChartView(View):
    r"""Shows the Earley chart around the cursor: items with their dot, where they began, and what made them.

    With `parser="pda"` it shows stacks. The derivation tree of the text is a click away; an ambiguous text has several,
    side by side. In student mode a column is filled by hand. Items and trees are those of the grammar as written. A
    switch shows the engine's, whose rules are inlined and rewritten; so does `as_written=False` of the methods.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = ChartView(session)
    >>> print(*view.lines(), sep="\n")
    column 0, 1 items
      start    root → • "ab"  from 0
    >>> print(*view.lines(as_written=False), sep="\n")
    column 0, 1 items
      start    root → • "a"  from 0
    >>> len(view.data()), view.stacks(), view.tree().rule
    (1, None, 0)
    >>> view.to_dot("chart").startswith("digraph")
    True
    """

    PANEL = "chart_view"

    def _make(self, session: SessionWidget | None, pad: PadWidget | None = None) -> None:
        super()._make(session, pad)
        if session is not None:
            session.session.record_as_written()

    def data(self) -> list[list[list[int]]]:
        """Return the chart up to the cursor.

        Returns
        -------
        list of list of list of int
            Column j holds the items after j bytes: [state, origin, operation, source column, source index, child
            column, child index]. Operation 0 is start, 1 predict, 2 scan, 3 complete; -1 where there is no such place.
        """
        trace = self.lab_session.trace
        return trace.columns[: trace.steps[self.step_index].byte_begin + 1]

    def stacks(self) -> schema.StackTree | None:
        """Return the stacks before the step under the cursor, as they were recorded.

        Returns
        -------
        dict or None
            With `parser="pda"`: `tops` (`state`, the frame `below`), `frames` (`id`, `below`, the `state` it returns
            to, the rule that was `called`, `counts`), `n_stacks` and `n_frames`. `Session.stacks(step)` lists more of
            them. None for another parser.
        """
        return self.lab_session.trace.steps[self.step_index].stacks

    def _drawn(self, *, as_written: bool) -> Trace:
        """The trace with the program and chart of the grammar as written, where they are recorded, or the engine's."""
        trace = self.lab_session.trace
        return trace.drawn_as_written() if as_written else trace

    def tree(self, *, as_written: bool = True) -> Branch:
        """Return the derivation tree of the text before the step under the cursor. Incomplete rules stay open.

        Parameters
        ----------
        as_written : bool
            The tree of the grammar as written, where it is recorded; otherwise the engine's.

        Returns
        -------
        Branch
            Branches with several readings say how many (`n_ways`), and list some of them (`also`).
        """
        trace = self._drawn(as_written=as_written)
        return derivation(trace, trace.steps[self.step_index].byte_begin)

    def to_dot(
        self,
        what: Literal["tree", "chart", "stacks"] = "tree",
        *,
        theme: Theme = "light",
        most_columns: int = 8,
        as_written: bool = True,
    ) -> Dot:
        """Write a graph as DOT.

        Parameters
        ----------
        what : "tree", "chart" or "stacks"
            The derivation tree, the last columns of the chart, or, with `parser="pda"`, the stacks.
        theme : "light" or "dark"
            The colours.
        most_columns : int
            How many columns of the chart to draw.
        as_written : bool
            Tree and chart of the grammar as written, where it is recorded; otherwise the engine's.

        Returns
        -------
        Dot
            A str with `to_graphviz()` and `save(path)`.

        Raises
        ------
        ArgumentError
            There is no such graph.
        """
        trace = self._drawn(as_written=as_written)
        if what == "tree":
            return tree_dot(self.tree(as_written=as_written), theme=theme)
        if what == "chart":
            at = trace.steps[self.step_index].byte_begin
            return chart_dot(trace, at, most_columns=most_columns, theme=theme)
        stacks = self.stacks()
        if what != "stacks" or stacks is None:
            have = '"tree", "chart"' + ("" if stacks is None else ', "stacks"')
            raise ArgumentError(f"there is no graph {what!r} here", hint=f'{have}; stacks are of parser="pda"')
        return stacks_dot(stacks, self.lab_session.trace.program, theme=theme)

    def lines(self, *, as_written: bool = True) -> list[str]:
        """Return the stacks, if there are any, and the items of the column under the cursor.

        Parameters
        ----------
        as_written : bool
            The items of the grammar as written, where it is recorded; otherwise the engine's.

        Returns
        -------
        list of str
            A line for each stack and item.
        """
        tree = self.stacks()
        told = [] if tree is None else stack_lines(tree, self.lab_session.trace.program)
        return [*told, *self._items(self._drawn(as_written=as_written))]

    def _items(self, trace: Trace) -> list[str]:
        columns, states = trace.columns, trace.program["states"]
        is_engines = trace is self.lab_session.trace
        at = trace.steps[self.step_index].byte_begin
        if at >= len(columns):
            return [f"column {at} was not recorded"]
        names = {rule["id"]: rule["name"] for rule in trace.program["rules"]}
        done = {(item["state"], item["origin"]): item.get("done") for item in trace.steps[self.step_index].live}
        out = [f"column {at}, {len(columns[at])} items"]
        for state, origin, operation, *_ in columns[at]:
            s, n_done = states[state], done.get((state, origin)) if is_engines else None
            out.append(
                f"  {_OPERATIONS[operation]:<9}{names[s['rule']]} → {dotted(s)}  from {origin}"
                + (f", {n_done} done" if n_done else "")
            )
        return out
