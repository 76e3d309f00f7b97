r"""The output of the command line. Only terminals get colours, and not if NO_COLOR is set.

>>> paint("ok", "good", is_colored=False), paint("ok", "good", is_colored=True)
('ok', '\x1b[32mok\x1b[0m')
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TextIO

__all__ = ["is_colored", "paint", "painted_coverage", "painted_findings", "painted_rows", "say", "width"]

COLORS = {"bad": "31", "warning": "33", "hint": "36", "good": "32", "faint": "2"}
KINDS = {"error": "bad", "warning": "warning", "hint": "hint"}


def is_colored(stream: TextIO | None = None) -> bool:
    """Whether colours are of use where the text goes."""
    where: TextIO = sys.stdout if stream is None else stream
    return where.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, kind: str, *, is_colored: bool) -> str:
    """A text in the colour of its meaning."""
    return f"\x1b[{COLORS[kind]}m{text}\x1b[0m" if is_colored else text


def painted_findings(text: str, stream: TextIO | None = None) -> str:
    """Findings with their severities and carets in colour, if colours are of use."""
    if not is_colored(stream):
        return text
    text = re.sub(
        r"^(error|warning|hint)(?=\[)", lambda m: paint(m[1], KINDS[m[1]], is_colored=True), text, flags=re.MULTILINE
    )
    return re.sub(r"^( +\| \s*)(\^+)$", lambda m: m[1] + paint(m[2], "bad", is_colored=True), text, flags=re.MULTILINE)


def painted_rows(text: str) -> str:
    """A table of examples with its verdicts in colour, if colours are of use."""
    colors = {"ok": "good", "FAIL": "bad"}
    return re.sub(
        r"^(ok|FAIL)\b", lambda m: paint(m[1], colors[m[1]], is_colored=is_colored()), text, flags=re.MULTILINE
    )


def painted_coverage(text: str) -> str:
    """A coverage with its states in colour, if colours are of use."""
    colors = {"enforced": "good", "annotation": "faint", "relaxed": "warning", "refused": "bad"}
    return re.sub(
        r"^(enforced|annotation|relaxed|refused)(?= +/)",
        lambda m: paint(m[1], colors[m[1]], is_colored=is_colored()),
        text,
        flags=re.MULTILINE,
    )


def width(stream: TextIO | None = None) -> int | None:
    """Return the width of a terminal in characters; None for other streams."""
    where: TextIO = sys.stdout if stream is None else stream
    return shutil.get_terminal_size().columns if where.isatty() else None


def say(text: str) -> None:
    """Write lines. Characters that the terminal's encoding lacks are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
