r"""Examples that a grammar should accept or reject, and the verdict on each.

>>> result = check('root ::= "[" [0-9]+ "]"', accepts=["[12]", "[1"], rejects=["[]", "[x]"])
>>> print(result)
3 of 4 examples are as they should be
ok    accept  match             '[12]'
FAIL  accept  incomplete        '[1'    more is expected: [0-9\]], for example ']'; in `root`, line 1
ok    reject  rejected, byte 1  '[]'    expected [0-9], for example '0]'; in `root`, line 1
ok    reject  rejected, byte 1  '[x]'   expected [0-9], for example '0]'; in `root`, line 1
>>> result.ok
False

Shapes and units: places in an example count bytes from 0; lines and columns of the grammar count from 1, columns in
code points. See also: `GrammarMatcher.explain`, which gives the facts; `xg2lab.sample`, which makes examples.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

from xg2lab.language.continuations import Continuations
from xg2lab.show.html import examples_html

if TYPE_CHECKING:
    from xg2lab._core import CompiledGrammar, GrammarMatcher
    from xg2lab.grammar import Grammar
    from xg2lab.lab.schema.engine import ExpectedBy
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["CheckResult", "CheckRow", "Checker", "check"]

MOST_CONTINUATIONS = 3
SHOWN = 40

Verdict = Literal["match", "incomplete", "rejected"]


@dataclass(frozen=True)
class CheckRow:
    """One example, and the grammar's verdict on it.

    `verdict`: "match"; "incomplete", where the example is a beginning of a member; "rejected", from byte `died_at`
    on. Unless it is a match, the other fields say how it could have gone on there: `expected` as ranges of bytes,
    `expected_text` the same in words (token edges among them), `continuations` as texts to the end of the rule that
    waits, `rule`, `line`, `column` and
    `line_text` as the innermost place of the grammar that waits; `reason` is `explain`'s sentence.
    """

    example: str | bytes
    should_match: bool
    verdict: Verdict
    died_at: int | None = None
    expected: tuple[tuple[int, int], ...] = ()
    expected_text: str = ""
    continuations: tuple[str, ...] = ()
    rule: str = ""
    line: int | None = None
    column: int | None = None
    line_text: str = ""
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether the verdict is what it should be."""
        return (self.verdict == "match") == self.should_match

    @property
    def verdict_text(self) -> str:
        """The verdict in words."""
        return self.verdict if self.died_at is None else f"{self.verdict}, byte {self.died_at}"

    @property
    def shown_example(self) -> str:
        """The example on one line, cut if it is long."""
        return _quoted(self.example)

    @property
    def details(self) -> str:
        """The expected text and its place in the grammar; empty for a match."""
        if self.verdict == "match":
            return ""
        begin = "more is expected: " if self.verdict == "incomplete" else "expected "
        text = begin + self.expected_text if self.expected_text else "nothing may follow"
        if self.continuations:
            text += f", for example {_quoted(self.continuations[0])}"
        return text + (f"; in `{self.rule}`, line {self.line}" if self.line is not None else "")


@dataclass(frozen=True)
class CheckResult:
    """The verdicts of `check`, a row for each example: first those to accept, then those to reject.

    Attributes
    ----------
    rows : tuple of CheckRow
        The rows; the result itself can be iterated, indexed and measured too.

    >>> result = check('root ::= "a"+', accepts=["aa", "ab"])
    >>> result.ok, len(result), result.failures[0].died_at
    (False, 2, 1)
    >>> print(result.shown(width=40))
    1 of 2 examples are as they should be
    ok    accept  match             'aa'
    FAIL  accept  rejected, byte 1  'ab'
          expected "a", for example 'a'; in
          `root`, line 1
    """

    rows: tuple[CheckRow, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether every example is as it should be."""
        return all(row.ok for row in self.rows)

    @property
    def failures(self) -> list[CheckRow]:
        """The rows whose example is not as it should be."""
        return [row for row in self.rows if not row.ok]

    def __iter__(self) -> Iterator[CheckRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> CheckRow:
        return self.rows[index]

    def __str__(self) -> str:
        return self.shown()

    def shown(self, width: int | None = None) -> str:
        """Format the result as text.

        Parameters
        ----------
        width : int, optional
            The most characters in a line. The details of a longer line are wrapped below it.

        Returns
        -------
        str
            A line for each example, below a line with the count.
        """
        head = f"{len(self.rows) - len(self.failures)} of {len(self.rows)} examples are as they should be"
        cells = [
            (
                "ok" if row.ok else "FAIL",
                "accept" if row.should_match else "reject",
                row.verdict_text,
                row.shown_example,
            )
            for row in self.rows
        ]
        widths = [max(len(cell[i]) for cell in cells) for i in range(4)] if cells else []
        lines = [head]
        for cell, row in zip(cells, self.rows, strict=True):
            begin = "  ".join(text.ljust(size) for text, size in zip(cell, widths, strict=True))
            line = f"{begin}  {row.details}".rstrip()
            if width is None or len(line) <= width:
                lines.append(line)
            else:
                wrapped = textwrap.wrap(
                    row.details, max(width - 6, 20), initial_indent="      ", subsequent_indent="      "
                )
                lines += [begin.rstrip(), *wrapped]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return examples_html(self)


def check(
    grammar: Grammar | str,
    accepts: Iterable[str | bytes] = (),
    rejects: Iterable[str | bytes] = (),
    *,
    tokenizer_info: TokenizerInfo | None = None,
) -> CheckResult:
    """Check which examples a grammar accepts, and compare the verdicts with what they should be.

    Parameters
    ----------
    grammar : Grammar or str
        Text is read as EBNF.
    accepts, rejects : iterable of str or bytes
        Strings that the grammar must accept, and must reject.
    tokenizer_info : TokenizerInfo, optional
        Needed if the grammar names token ids; otherwise each byte is a token.

    Returns
    -------
    CheckResult
        A row for each example; `ok` if all are as they should be.

    Raises
    ------
    GrammarSyntaxError, GrammarError
        The grammar cannot be read or compiled.

    >>> check('root ::= "yes" | "no"', accepts=["yes", "no"], rejects=["maybe", "ye"]).ok
    True
    """
    checker = Checker(grammar, tokenizer_info)
    examples = [*((text, True) for text in accepts), *((text, False) for text in rejects)]
    return CheckResult(tuple(checker.row(text, should_match) for text, should_match in examples))


class Checker:
    """A grammar made ready for one example after the other; one thread at a time."""

    def __init__(self, grammar: Grammar | str | CompiledGrammar, tokenizer_info: TokenizerInfo | None = None) -> None:
        from xg2lab._core import CompiledGrammar, GrammarMatcher
        from xg2lab.language.byte_matcher import matcher_of

        self._matcher = (
            GrammarMatcher(grammar) if isinstance(grammar, CompiledGrammar) else matcher_of(grammar, tokenizer_info)
        )
        self._ways: Continuations | None = None

    @property
    def compiled(self) -> CompiledGrammar:
        """The compiled grammar."""
        return self._matcher.compiled_grammar

    def row(self, text: str | bytes, should_match: bool) -> CheckRow:
        """Judge one example."""
        return _row(self._matcher, self.prepare(), text, should_match)

    def prepare(self) -> Continuations:
        """Find the continuations of all states, once, so that judging a row costs no more than the row."""
        if self._ways is None:
            self._ways = Continuations(self.compiled.program())
        return self._ways


def _row(matcher: GrammarMatcher, ways: Continuations, example: str | bytes, should_match: bool) -> CheckRow:
    matcher.reset()
    accepted = matcher.accept_string(example)
    if accepted and matcher.is_completed():
        return CheckRow(example, should_match, "match")
    why = matcher.explain(data=b"" if accepted else example)
    return CheckRow(
        example,
        should_match,
        "incomplete" if accepted else "rejected",
        died_at=None if accepted else why["died_at"],
        expected=tuple((lo, hi) for lo, hi in why["expected"]),
        expected_text=why["expected_text"],
        continuations=_continuations(ways, why["expected_by"]),
        **_place(matcher.compiled_grammar.grammar, [*why["expected_by"], *why.get("expected_tokens", ())]),
        reason=why["reason"],
    )


def _continuations(ways: Continuations, items: Sequence[ExpectedBy]) -> tuple[str, ...]:
    found = dict.fromkeys(way for item in items for way in ways.begun(item["state"], MOST_CONTINUATIONS))
    return tuple(way.decode("utf-8", "backslashreplace") for way in sorted(found, key=len)[:MOST_CONTINUATIONS])


class Place(TypedDict, total=False):
    """A place in the grammar's text, as `CheckRow` has it."""

    rule: str
    line: int
    column: int
    line_text: str


def _place(grammar: Grammar, items: Sequence[ExpectedBy]) -> Place:
    """The innermost item's place: the one that began last. Its rule is the one written there: rules may be inlined."""
    placed = [item for item in items if "line" in item and "column" in item and "line_text" in item]
    if not placed:
        return {}
    item = max(placed, key=lambda item: item["origin"])
    rule = grammar.rule_at(item["spans"][0][0]) or item["rule_name"]
    return {"rule": rule, "line": item["line"], "column": item["column"], "line_text": item["line_text"]}


def _quoted(text: str | bytes) -> str:
    """An example on one line, cut if it is long."""
    shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
    cut = shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"
    return repr(cut)
