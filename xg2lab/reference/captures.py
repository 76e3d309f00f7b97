"""Captures: the matches of rules with `capture`, computed from the spans that a reader kept.

>>> from xg2lab.reference.options import Reader, parse_with_options
>>> text = 'root[capture] ::= x "."   x[parts=p] ::= [a-z]+ ";"   p ::= a b   a[capture] ::= [a-z]+   b[hidden] ::= ";"'
>>> reader = Reader(*parse_with_options(text))
>>> reader.accept(b"ab;."), reader.captures()
(True, [('a', b'ab'), ('root', b'ab.')])

A match of a rule with `parts` is a text of its own, which another rule reads: the captures of that
reading are added. A match of a rule with `hidden` is left out of the captures around it, unless
they are hidden too.

See also: options.py, whose readers keep spans; in the engine core/runtime/captures.h.
"""

from typing import TYPE_CHECKING

from xg2lab.reference.ebnf import Grammar
from xg2lab.reference.stacks import Span

if TYPE_CHECKING:
    from xg2lab.reference.options import Reader

KEPT = {"capture", "parts", "hidden"}


def captures_of(reader: "Reader", found: set[Span], *, deduplicate: bool) -> list[tuple[str, bytes]]:
    """Names and bytes, of what a reader has kept; of each beginning of a rule the longest, or all."""
    options = reader.options
    found = found | {part for span in found for part in parts(reader, span, deduplicate=deduplicate)}
    captured = {span for span in found if "capture" in options.get(span[2], ())}
    if deduplicate:
        longest = {(start, rule): end for end, start, rule in sorted(captured)}
        captured = {(end, start, rule) for (start, rule), end in longest.items()}
    hidden = {span for span in found if "hidden" in options.get(span[2], ())}
    return sorted(
        (options[rule]["capture"], reader.text[start:end] if "hidden" in options[rule] else rest)
        for end, start, rule in captured
        for rest in [without(reader.text, start, end, hidden)]
    )


def parts(reader: "Reader", span: Span, *, deduplicate: bool) -> set[Span]:
    """What is kept when the bytes of a match are read once more, as its rule's `parts` say."""
    end, start, rule = span
    if "parts" not in reader.options.get(rule, ()):
        return set()
    inner = type(reader)(Grammar(reader.options[rule]["parts"], reader.rules), reader.options)
    if not inner.accept(reader.text[start:end], is_token=False) or not inner.is_complete():
        return set()
    whole = {part for boxes, _, c in inner.threads if not boxes for part in c}
    return {(e + start, s + start, r) for e, s, r in (whole if deduplicate else inner.completions)}


def without(text: bytes, start: int, end: int, hidden: set[Span]) -> bytes:
    """The bytes of a match, but for those that others hide within it."""
    gone = {i for e, s, _ in hidden if start <= s and e <= end for i in range(s, e)}
    return bytes(text[i] for i in range(start, end) if i not in gone)
