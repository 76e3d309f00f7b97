"""The change that mends a finding, where its hint names one.

>>> from xg2lab.lints import lint
>>> text = "root ::= digits{5,2}   digit ::= [0-9]"
>>> [fix.title for finding in lint(text) if (fix := fix_of(finding, text)) is not None]
['use digit', 'write {2,5}']
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from xg2lab.errors import Diagnostic

__all__ = ["Fix", "fix_of"]

MEANT = re.compile(r"did you mean `([^`]+)`\?")
BOUND = re.compile(r"bound it, `([^`]+)`")
WRITE = re.compile(r"write `?([^\s`]+)`?")
WRITABLE = ("bad_repetition", "reversed_range", "no_effect")


@dataclass(frozen=True)
class Fix:
    """A change that fixes a finding: `text` in place of the finding's span."""

    title: str
    text: str


def fix_of(finding: Diagnostic, text: str) -> Fix | None:
    """The change that a finding's hint names, if it can be made without a further choice."""
    begin, end = finding.span
    meant = MEANT.fullmatch(finding.hint)
    write = WRITE.fullmatch(finding.hint) if finding.code in WRITABLE else None
    bound = BOUND.search(finding.hint) if finding.code == "endless_whitespace" else None
    found = meant or write or bound
    if found is None or end <= begin:
        return None
    replaced = text.encode()[begin:end]
    new = found[1]
    if finding.code == "reversed_range" or not replaced.startswith(b'"') or new.startswith('"'):
        return Fix(f"{'use' if meant else 'write'} {new}", new)
    return Fix(f"use {new}", f'"{new}"')
