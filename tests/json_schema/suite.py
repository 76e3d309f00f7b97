"""JSON-Schema-Test-Suite 2020-12 out of the data folder, and what becomes of its schemas, keyword by keyword.

Each schema has one outcome:

- `right`: every verdict is right;
- `refused`: it isn't compiled, and its keyword named. One that allows nothing is right, if no instance is valid;
- `format`: all that is accepted is valid, and something valid is rejected for its format. How far formats are checked
  is left open by the standard (validation, 7.2): ours are unless `check_formats=False`, and some allow a little less
  than they might, which the coverage says (core/languages/formats/formats.h);
- `stricter`: the like for any other reason;
- `wrong`: something invalid is accepted, or there is no verdict: a crash, or no end.

A keyword is a file of the suite; `optional/format/email` is one, too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.vocabularies import DATA

FOLDER = DATA / "json-schema-test-suite"
OUTCOMES = ("right", "refused", "format", "stricter", "wrong")
NOTHING = "schema_allows_nothing"


@dataclass(frozen=True)
class SuiteCase:
    """A schema with its instances: `tests` as in the suite."""

    name: str
    keyword: str
    schema: Any
    tests: list[dict[str, Any]]

    @property
    def is_remote(self) -> bool:
        """Whether it needs documents out of `remotes()`."""
        return "localhost:1234" in json.dumps(self.schema)


@cache
def suite() -> list[SuiteCase]:
    """All schemas, in the suite's order; names are unique. FileNotFoundError without the data folder."""
    rows = json.loads((FOLDER / "draft2020-12.json").read_text(encoding="utf-8"))
    return [
        SuiteCase(f"{i}: {row['description']}", row["file"], row["schema"], row["tests"]) for i, row in enumerate(rows)
    ]


@cache
def remotes() -> dict[str, Any]:
    """The documents that `$ref`s of the suite point to, by their URI."""
    return json.loads((FOLDER / "remotes.json").read_text(encoding="utf-8"))


def outcome(valid: Sequence[bool], accepted: Sequence[bool | None] | None, keyword: str = "") -> str:
    """The outcome of a schema: what its instances are, and how each was judged (None: not at all); None if refused.

    >>> outcome([True, False], [True, False]), outcome([True, False], [False, False])
    ('right', 'stricter')
    >>> outcome([True], None), outcome([False], [None]), outcome([True], [False], "optional/format/email")
    ('refused', 'wrong', 'format')
    """
    if accepted is None:
        return "refused"
    for is_valid, is_accepted in zip(valid, accepted, strict=True):
        if is_accepted is None or (is_accepted and not is_valid):
            return "wrong"
    if list(accepted) == list(valid):
        return "right"
    return "format" if keyword == "format" or keyword.startswith("optional/format/") else "stricter"


def by_keyword(outcomes: Iterable[tuple[SuiteCase, str]]) -> dict[str, Counter[str]]:
    """How many schemas of each keyword had which outcome, in the suite's order."""
    table: dict[str, Counter[str]] = {}
    for case, what in outcomes:
        table.setdefault(case.keyword, Counter())[what] += 1
    return table
