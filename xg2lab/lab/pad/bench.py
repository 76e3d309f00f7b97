r"""Examples that a grammar should match or reject, with the verdict on each.

>>> bench = Bench([("[12]", True), ("[]", False), ("[1", True)])
>>> bench.judge(Checker('root ::= "[" [0-9]+ "]"'), 0)
>>> for row in bench.rows: print(row.example.text, row.verdict, row.agrees, sep=" | ")
[12] | match | True
[] | reject at byte 1 | True
[1 | incomplete | False

IDEA
  A verdict belongs to a text and to a grammar, so it is kept with the number of the grammar that gave it: a row that
  was judged by an earlier one says so (`judged_by`), and a row that was only added costs one check.

THREADS  All methods take the lock. `judge` gives it back between two rows, and ends early if rows are judged by a
         newer grammar meanwhile.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter

from xg2lab.errors import SessionError
from xg2lab.lab.trace.issue import literal
from xg2lab.language.examples import Checker, CheckRow

__all__ = ["Bench", "BenchRow", "Example"]

Given = str | tuple[str, bool]
CONSTRUCTORS = {
    "ebnf": "from_ebnf",
    "json_schema": "from_json_schema",
    "regex": "from_regex",
    "structural_tag": "from_structural_tag",
    "lark": "from_lark",
}


@dataclass(frozen=True)
class Example:
    """A text, and whether it should match. `origin` says where it is from; empty if it was written."""

    text: str
    should_match: bool = True
    origin: str = ""


@dataclass(frozen=True)
class BenchRow:
    """An example with its verdict. `row_id` stays the same while rows come and go; `us` is what judging took."""

    row_id: int
    example: Example
    check: CheckRow | None = None
    judged_by: int = -1
    us: float = 0.0

    @property
    def verdict(self) -> str:
        """In words: match, incomplete, reject at byte n; empty before it was judged."""
        if self.check is None:
            return ""
        died_at = self.check.died_at
        return self.check.verdict if died_at is None else f"reject at byte {died_at}"

    @property
    def agrees(self) -> bool | None:
        """Whether the verdict is the expected one; None before it was judged."""
        return None if self.check is None else self.check.ok


class Bench:
    """The rows, in the order in which they were written."""

    def __init__(self, examples: Iterable[Given] = ()) -> None:
        self._lock = threading.RLock()
        self._rows: list[BenchRow] = []
        self._next = 0
        for given in examples:
            text, should_match = (given, True) if isinstance(given, str) else given
            self.add(text, should_match)

    @property
    def rows(self) -> tuple[BenchRow, ...]:
        """All of them."""
        with self._lock:
            return tuple(self._rows)

    @property
    def disagreeing(self) -> list[BenchRow]:
        """The examples whose verdict is not the expected one."""
        return [row for row in self.rows if row.agrees is False]

    def add(self, text: str, should_match: bool = True, origin: str = "") -> int:
        """A new row at the end; returns its id."""
        with self._lock:
            row_id, self._next = self._next, self._next + 1
            self._rows.append(BenchRow(row_id, Example(text, should_match, origin)))
            return row_id

    def edit(self, row_id: int, text: str) -> None:
        """Another text. Its verdict goes with the old one."""
        with self._lock:
            at = self._at(row_id)
            should_match = self._rows[at].example.should_match
            self._rows[at] = BenchRow(row_id, Example(text, should_match))

    def flip(self, row_id: int) -> None:
        """Should match, or should not: the other of the two."""
        with self._lock:
            at = self._at(row_id)
            row = self._rows[at]
            wanted = not row.example.should_match
            check = None if row.check is None else replace(row.check, should_match=wanted)
            self._rows[at] = replace(row, example=replace(row.example, should_match=wanted), check=check)

    def delete(self, row_id: int) -> None:
        """Without that row."""
        with self._lock:
            del self._rows[self._at(row_id)]

    def judge(self, checker: Checker, number: int) -> None:
        """Hold every row against a grammar; `number` tells one grammar from another, and counts up."""
        for row in self.rows:
            if row.judged_by >= number:
                continue
            checker.prepare()
            begun = perf_counter()
            check = checker.row(row.example.text, row.example.should_match)
            us = (perf_counter() - begun) * 1e6
            with self._lock:
                at = next((k for k, kept in enumerate(self._rows) if kept is row), None)
                if at is not None:
                    self._rows[at] = replace(row, check=check, judged_by=number, us=us)

    def to_pytest(self, text: str, kind: str = "ebnf") -> str:
        """The examples as a test file of the grammar in `text`."""
        wanted = [row.example.text for row in self.rows if row.example.should_match]
        unwanted = [row.example.text for row in self.rows if not row.example.should_match]
        tests = [
            _test("matches", wanted, "accepts") if wanted else "",
            _test("does_not_match", unwanted, "rejects") if unwanted else "",
        ]
        head = (
            '"""Examples of a grammar, exported from the ExampleBench of xg2lab."""\n\n'
            f"import pytest\n\nimport xg2lab\n\nGRAMMAR = {literal(text)}\n\n\n"
            '@pytest.fixture(scope="module")\ndef grammar():\n'
            f'    """The grammar, read once."""\n    return xg2lab.Grammar.{CONSTRUCTORS[kind]}(GRAMMAR)\n'
        )
        return head + "".join(tests)

    def _at(self, row_id: int) -> int:
        for at, row in enumerate(self._rows):
            if row.row_id == row_id:
                return at
        raise SessionError(f"there is no example {row_id}", hint="it was deleted")


def _test(name: str, texts: list[str], argument: str) -> str:
    listed = "".join(f"        {_literal(text)},\n" for text in texts)
    return (
        f'\n\n@pytest.mark.parametrize(\n    "text",\n    [\n{listed}    ],\n)\ndef test_{name}(grammar, text):\n'
        f"    result = xg2lab.check(grammar, {argument}=[text])\n    assert result.ok, str(result)\n"
    )


def _literal(text: str) -> str:
    """A Python literal, with double quotes where that needs no escape."""
    return repr(text) if '"' in text else json.dumps(text, ensure_ascii=not text.isprintable())
