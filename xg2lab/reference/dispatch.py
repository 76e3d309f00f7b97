"""Tag dispatch by its definition: free text watched for tags, written out as ordinary rules.

>>> for name, expression in Dispatch((("ab", "x"),)).rules("root").items():
...     print(name, expression)
root ('choice', (('literal', b''), ('seq', (('class', ((0, 96), (98, 55295), (57344, 1114111))), ('rule', 'root'))), \
('seq', (('literal', b'a'), ('rule', 'root·a')))))
root·a ('choice', (('literal', b''), ('seq', (('class', ((0, 96), (99, 55295), (57344, 1114111))), ('rule', 'root'))), \
('seq', (('literal', b'a'), ('rule', 'root·a'))), ('seq', (('literal', b'b'), ('rule', 'x'), ('rule', 'root')))))

`root·a` reads: free text whose last character begins the tag. Its name says all that matters of the text so far: the
longest end of it that begins something watched for. One more character makes a longer end; the longest watched text
that this ends in decides:

    a tag       its rule must match, then free text begins anew (or, without loop, the dispatch is over)
    a stop      the dispatch is over
    an exclude  may not be
    nothing     free text goes on

With `stop_eos` the dispatch may also be over after any character of free text.

Shapes and units: texts are code points, so free text is valid UTF-8 by construction; a step is a character.
COST watched texts x their characters x all characters, each end compared anew.

See also: ebnf.py, which reads `TagDispatch(...)` into these rules; XGrammar 2, section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.reference.utf8 import SURROGATES, complement

if TYPE_CHECKING:
    from xg2lab.reference.ebnf import Expression


@dataclass(frozen=True)
class Dispatch:
    """Tags with the names of the rules that they open, stop strings, excludes, and the two ways of going on."""

    tags: tuple[tuple[str, str], ...]
    stops: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    stop_eos: bool = True
    loop_after_dispatch: bool = True

    @property
    def watched(self) -> list[str]:
        """All texts that are watched for."""
        return [tag for tag, _ in self.tags] + [*self.stops, *self.excludes]

    def rules(self, name: str) -> dict[str, Expression]:
        """The rules that the dispatch stands for; the first, called `name`, is the dispatch itself."""
        made: dict[str, Expression] = {}
        ends = [""]
        for end in ends:
            branches, found = self.branches(end, name)
            ends += [other for other in found if other not in ends]
            made[rule_name(name, end)] = ("choice", tuple(branches))
        return made

    def branches(self, end: str, name: str) -> tuple[list[Expression], list[str]]:
        """How free text goes on after `end`, and the ends that it may come to."""
        characters = sorted({character for text in self.watched for character in text})
        others = complement([*((ord(character), ord(character)) for character in characters), SURROGATES])
        branches: list[Expression] = [("literal", b"")] if self.stop_eos else []
        found = [""]
        for character in characters:
            text = end + character
            data: Expression = ("literal", character.encode())
            hits = [watched for watched in self.watched if text.endswith(watched)]
            if not hits:
                longest = next(text[i:] for i in range(len(text) + 1) if self.begins(text[i:]))
                if longest:
                    branches.append(("seq", (data, ("rule", rule_name(name, longest)))))
                    found.append(longest)
                else:
                    others = [*others, (ord(character), ord(character))]
                continue
            hit = max(hits, key=len)
            if hit in self.stops:
                branches.append(data)
            for rule in (rule for tag, rule in self.tags if tag == hit):
                again: tuple[Expression, ...] = (("rule", name),) if self.loop_after_dispatch else ()
                branches.append(("seq", (data, ("rule", rule), *again)))
        free = complement([*complement(others), SURROGATES])
        branches.insert(self.stop_eos, ("seq", (("class", tuple(free)), ("rule", name))))
        return branches, found

    def begins(self, text: str) -> bool:
        """Does something that is watched for begin with `text`?"""
        return text == "" or any(watched.startswith(text) for watched in self.watched)


def rule_name(name: str, end: str) -> str:
    """The name of the rule for free text that ends in `end`."""
    return f"{name}·{end}" if end else name
