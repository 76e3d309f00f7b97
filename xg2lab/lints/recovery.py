r"""What else is wrong with an EBNF text that has mistakes: rules that never match, found in the rules that are sound.

>>> from xg2lab.errors import GrammarError
>>> from xg2lab.grammar import Grammar
>>> text = 'root ::= nmuber | loop\nnumber ::= [0-9]\nloop ::= loop "x"'
>>> try:
...     Grammar.from_ebnf(text)
... except GrammarError as error:
...     mistakes = error.diagnostics
>>> for finding in mistakes + beside_mistakes(text.encode(), mistakes, Grammar.from_ebnf):
...     print(f"{finding.line}:{finding.column} {finding.code}")
1:10 undefined_rule
1:19 never_matches
3:1 never_matches

IDEA
  The reader reports all mistakes of a text at once, since it goes on at the next rule. Whether a rule matches anything
  is asked of whole grammars only. So rules with mistakes are blanked, and each gets a stub that matches the empty text,
  as does each name that is not defined. A stub can only make more rules match: a rule that still never matches has a
  mistake of its own, which no correction of the others mends.

COST  A second reading of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from xg2lab.errors import Diagnostic, Xg2LabError
from xg2lab.grammar import Grammar

__all__ = ["beside_mistakes"]

#: Longer texts are not read a second time.
MOST_BYTES = 1 << 20
#: Text in which a `::=` begins no rule: comments, literals and classes, up to the end of their line if they are open.
_OPAQUE = re.compile(rb"""#[^\n]*|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\[(?:\\.|[^\]\\\n])*\]?""")
_RULE = re.compile(rb"([A-Za-z_\x80-\xff][A-Za-z0-9_.\x80-\xff-]*)\s*::=")


def beside_mistakes(text: bytes, mistakes: Sequence[Diagnostic], read: Callable[[str], Grammar]) -> list[Diagnostic]:
    """Find the rules that never match, whatever becomes of the mistakes. `read` makes a grammar of a text."""
    if len(text) > MOST_BYTES or not mistakes:
        return []
    begun = list(_RULE.finditer(_OPAQUE.sub(_blank, text)))
    if not begun:
        return []
    ends = [rule.start() for rule in begun[1:]] + [len(text)]
    undefined = {text[slice(*found.span)] for found in mistakes if found.code == "undefined_rule"}
    broken = [found.span[0] for found in mistakes if found.code != "undefined_rule" and found.span[1] > 0]
    extents = [(rule[1], rule.start(), end) for rule, end in zip(begun, ends, strict=True)]
    # a rule that is defined twice may become one of both bodies, so all rules of the name go
    with_mistakes = {name for name, begin, end in extents if any(begin <= at < end for at in broken)}
    sound = bytearray(text)
    for name, begin, end in extents:
        if name in with_mistakes:
            sound[begin:end] = _SHOWN.sub(b" ", text[begin:end])
    stubs = b"".join(b'\n%s ::= ""' % name for name in sorted(with_mistakes | undefined))
    try:
        found = read((bytes(sound) + stubs).decode()).diagnostics
    except UnicodeDecodeError:
        return []
    except Xg2LabError as error:
        found = error.diagnostics
    return [_placed(one, text) for one in found if one.code == "never_matches" and one.span[1] <= len(text)]


_SHOWN = re.compile(rb"[^\n]")


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def _placed(found: Diagnostic, text: bytes) -> Diagnostic:
    """The finding with its line and column in the text as it was written, where code points may be wider."""
    before = text[: found.span[0]]
    line = before.rpartition(b"\n")[2]
    return replace(found, line=before.count(b"\n") + 1, column=len(line.decode(errors="replace")) + 1)
