"""ExampleBench: what a grammar should match and what it should not, judged while the grammar is typed.

    pad = GrammarPad('root ::= "[" [0-9]+ "]"')
    bench = ExampleBench(pad, examples=[("[12]", True), ("[]", False)])
    bench.data()                               # a row an example, with its verdict
    open("test_grammar.py", "w").write(bench.to_pytest())

See also: `xg2lab.check`, which says the same once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self, cast

from xg2lab.lab.pad.bench import BenchRow, Given
from xg2lab.lab.pad.pad import GrammarSource, text_and_kind
from xg2lab.widgets.registry import pad_of_cell, pad_widget, session_widget
from xg2lab.widgets.views.grammar_pad import PadOwner, PadView, known_pad

__all__ = ["ExampleBench"]


class ExampleBench(PadView):
    """Judges examples of a grammar while the grammar is edited.

    Parameters
    ----------
    grammar_or_pad : GrammarPad, Session, Grammar or str
        A pad, a session (whose pad is used), or a grammar; text is read as EBNF.
    examples : iterable of (str, bool) or str
        Texts, each with whether the grammar should match it; a text alone should match.

    >>> bench = ExampleBench('root ::= "[" [0-9]+ "]"', examples=[("[12]", True), ("[]", False)])
    >>> [row.agrees for row in bench.wait().data()]
    [True, True]
    >>> row_id = bench.add("[x]", False)
    >>> bench.delete(row_id)
    >>> bench.lines()[0], "def test_" in bench.to_pytest()
    ('0 of 2 disagree', True)
    """

    PANEL = "example_bench"

    def __new__(cls, grammar_or_pad: PadOwner, examples: Iterable[Given] = ()) -> Self:  # noqa: ARG004 (see __init__)
        """Return the pad's bench, or a new one."""
        pad = known_pad(grammar_or_pad) or pad_widget(
            pad_of_cell(*text_and_kind(cast("GrammarSource", grammar_or_pad)))
        )
        session = pad.pad.session
        return cls._of(None if session is None else session_widget(session), pad)

    def __init__(self, grammar_or_pad: PadOwner, examples: Iterable[Given] = ()) -> None:  # noqa: ARG002 (see __new__)
        super().__init__()
        known = {(row.example.text, row.example.should_match) for row in self.lab_pad.bench.rows}
        given = [(one, True) if isinstance(one, str) else (str(one[0]), bool(one[1])) for one in examples]
        fresh = [one for one in given if one not in known]
        if fresh:
            self.lab_pad.change_examples(lambda bench: [bench.add(*one) for one in fresh])

    def add(self, text: str, should_match: bool = True) -> int:
        """Add an example.

        Parameters
        ----------
        text : str
            The example.
        should_match : bool
            Whether the grammar should match it.

        Returns
        -------
        int
            The id of its row.
        """
        row_ids: list[int] = []
        self.lab_pad.change_examples(lambda bench: row_ids.append(bench.add(text, should_match)))
        return row_ids[0]

    def delete(self, row_id: int) -> None:
        """Remove an example.

        Parameters
        ----------
        row_id : int
            The id of its row.
        """
        self.lab_pad.change_examples(lambda bench: bench.delete(row_id))

    def add_from_session(self, should_match: bool = True) -> int:
        """Add the session's output so far as an example.

        Parameters
        ----------
        should_match : bool
            Whether the grammar should match it.

        Returns
        -------
        int
            The id of its row.

        Raises
        ------
        SessionError
            The pad has no session.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> steps = session.force("a")
        >>> bench = ExampleBench(session)
        >>> row_id = bench.add_from_session(should_match=False)
        >>> bench.data()[-1].example.text
        'a'
        """
        return self.lab_pad.add_from_session(should_match)

    def to_pytest(self) -> str:
        """Write the grammar and its examples as a test file.

        Returns
        -------
        str
            Python, for pytest.
        """
        return self.lab_pad.to_pytest()

    def data(self) -> tuple[BenchRow, ...]:
        """Return the examples with their verdicts under the present text.

        Returns
        -------
        tuple of BenchRow
            `row.check` says what was expected.
        """
        return self.lab_pad.wait(5.0).bench.rows

    def lines(self) -> list[str]:
        """Return the verdicts as text.

        Returns
        -------
        list of str
            A line for each example, below a line with the count.
        """
        rows, state = self.data(), self.lab_pad.state
        if not rows:
            return ["no examples: bench.add(text, should_match)"]
        n = sum(row.agrees is False for row in rows)
        whose = "" if state.is_good_current else "; verdicts of the last good grammar"
        head = "none judged" if state.good is None else f"{n} of {len(rows)} disagree{whose}"
        return [head, *(_line(row) for row in rows)]


def _line(row: BenchRow) -> str:
    mark = {True: "ok  ", False: "FAIL", None: "    "}[row.agrees]
    wanted = "should match" if row.example.should_match else "should not"
    details = "" if row.check is None or row.agrees else f"  {row.check.details}"
    return f"{mark}  {wanted:12}  {row.verdict:17}  {row.example.text!r}{details}"
