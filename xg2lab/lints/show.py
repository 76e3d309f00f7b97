"""A finding with its place, its line and a caret, as the exceptions of the engine show theirs.

>>> from xg2lab.errors import Diagnostic
>>> print(shown(Diagnostic("some_code", "hint", "said of it", "do that", (9, 12), 1, 10), 'root ::= "a"', "a.ebnf"))
hint[some_code]: said of it
  a.ebnf:1:10
    1 | root ::= "a"
      |          ^^^
  hint: do that

See also: core/support/error.cc, which shows the same.
"""

from __future__ import annotations

import textwrap

from xg2lab.errors import Diagnostic

__all__ = ["shown"]

MOST_SHOWN = 160  # code points of a line


def shown(finding: Diagnostic, source: str, name: str = "grammar", width: int | None = None) -> str:
    """A finding as text of several lines, without a line break at its end.

    With a `width` words are wrapped and the source's line is cut to it.
    """
    lines = _wrapped(f"{finding.severity}[{finding.code}]: {finding.message}", width, "  ")
    if finding.line > 0:
        before = len(f"    {finding.line} | ") + 2  # an ellipsis on either side
        most = MOST_SHOWN if width is None else min(MOST_SHOWN, max(width - before, 20))
        lines += _place(finding, source, name, most)
    if finding.hint:
        lines += _wrapped(f"  hint: {finding.hint}", width, " " * 8)
    return "\n".join(lines)


def _wrapped(text: str, width: int | None, indent: str) -> list[str]:
    if width is None or len(text) <= width or "\n" in text:
        return [text]
    return textwrap.wrap(text, max(width, 40), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _place(finding: Diagnostic, source: str, name: str, most: int) -> list[str]:
    lines = source.split("\n")
    line = lines[finding.line - 1] if finding.line <= len(lines) else ""
    focus = finding.column - 1
    data = source.encode("utf-8", "surrogatepass")[finding.span[0] : finding.span[1]]
    width = len(data.decode("utf-8", "replace").partition("\n")[0])
    begin = 0 if len(line) <= most else max(0, focus - most // 2)
    part = line[begin : begin + most]
    cut = "…" * (begin > 0), "…" * (begin + most < len(line))
    visible = "".join(c if c == "\t" or c.isprintable() else "?" for c in part)
    blank = "".join("\t" if c == "\t" else " " for c in line[begin:focus])
    gutter = " " * len(str(finding.line))
    carets = "^" * max(1, min(width, len(part) - (focus - begin)))
    return [
        f"  {name}:{finding.line}:{finding.column}" + (f" at {finding.pointer}" if finding.pointer else ""),
        f"    {finding.line} | {cut[0]}{visible}{cut[1]}",
        f"    {gutter} | {' ' * len(cut[0])}{blank}{carets}",
    ]
