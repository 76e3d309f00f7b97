r"""What a disagreement is: in a class of `classes.toml`, which names the document that describes it, or a finding.

>>> tally = Tally("oracle_regex")
>>> tally.disagree(Disagreement("seed 1", "a.", "accepts", b"a\r"), "line_terminators")
>>> tally.disagree(Disagreement("seed 2", "b.", "accepts", b"c"), FINDING)
>>> done = tally.done({"verdicts": 10})
>>> done.counts["disagreements[line_terminators]"], done.findings[0].name
(1, 'accepts/b.')

The program that compares says which class a disagreement is in; it has to be one of the table. Each class is
counted, and its first cases stand in the record.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from campaign.part import Done, Figures, Finding

__all__ = ["FINDING", "Class", "Disagreement", "Tally", "classes"]

TABLE = Path(__file__).with_name("classes.toml")
FINDING = "finding"
_N_SHOWN = 3  # cases of a class that stand in the record of a run


@dataclass(frozen=True)
class Class:
    """A difference that a document describes. `document` is a path, `section` words that stand in it."""

    name: str
    oracle: str
    document: str
    section: str
    reason: str


@cache
def classes(path: Path = TABLE) -> Mapping[str, Class]:
    """The table, by name."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["class"]
    return {entry["name"]: Class(**entry) for entry in entries}


@dataclass(frozen=True)
class Disagreement:
    """What the engine did and the oracle didn't, or the other way round.

    `verdict` is the engine's: accepts, refuses (a text), allows, forbids (a token). `text` is the text, or the
    text before the token.
    """

    case: str
    source: str
    verdict: str
    text: bytes
    token: bytes | None = None
    detail: str = ""

    @property
    def may_be_shown(self) -> bool:
        """Whether the record may hold the source: a source drawn by lot, and no file of the data folder."""
        return "by lot" in self.case


_shown: Counter[tuple[str, str]] = Counter()


class Tally:
    """Collects the disagreements of one unit."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.counts: Counter[str] = Counter()
        self.rows: list[Figures] = []
        self.findings: list[Finding] = []

    def disagree(self, what: Disagreement, name: str) -> None:
        """Counts it under its class. KeyError for a class that the table doesn't have."""
        if name != FINDING:
            assert classes()[name].oracle == self.part, f"{name} is a class of {classes()[name].oracle}"
        self.counts[f"disagreements[{name}]"] += 1
        _shown[self.part, name] += 1
        if name == FINDING or _shown[self.part, name] <= _N_SHOWN:
            row = {"of": name, "case": what.case, "verdict": what.verdict}
            if what.may_be_shown:
                token = "" if what.token is None else _shown_text(what.token)
                row |= {"source": what.source[:400], "text": _shown_text(what.text), "token": token}
                row |= {"detail": what.detail[:200]}
            self.rows.append(row)
        if name == FINDING:
            about = f"{what.verdict} {what.token!r} after {what.text[-80:]!r}; {what.detail}"
            if what.token is None:
                about = f"{what.verdict} {what.text[-200:]!r}; {what.detail}"
            self.findings.append(Finding(f"{what.verdict}/{what.source[:120]}", what.verdict, about, what.source))

    def done(self, counts: Mapping[str, int]) -> Done:
        """The unit's result."""
        return Done({**counts, **self.counts}, self.rows, self.findings)


def _shown_text(data: bytes) -> str:
    """Readable, in one line, and the same bytes for whoever evaluates it."""
    return repr(data[-160:])[2:-1]
