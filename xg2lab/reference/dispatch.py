r"""Tag dispatch by its definition: free text watched for tags, written out as ordinary rules.

>>> for name, (_, branches) in Dispatch((("ab", "x"),)).rules("root").items():
...     print(name, *branches, sep="\n    ")
root
    ('literal', b'')
    ('seq', (('class', ((0, 96), (98, 55295), (57344, 1114111))), ('rule', 'root')))
    ('seq', (('literal', b'a'), ('rule', 'root«a»')))
root«a»
    ('literal', b'')
    ('seq', (('class', ((0, 96), (99, 55295), (57344, 1114111))), ('rule', 'root')))
    ('seq', (('literal', b'a'), ('rule', 'root«a»')))
    ('seq', (('literal', b'b'), ('rule', 'x'), ('rule', 'root')))

`root«a»` reads: free text whose last character begins the tag. Its name holds the relevant part of
the text so far: its longest suffix that begins a watched text. One more character makes a longer
suffix; the longest watched text that ends this suffix decides:

    a tag       its rule must match, then free text begins anew (or, without loop, the dispatch is over)
    a stop      the dispatch is over
    an exclude  may not be
    nothing     free text goes on

With `stop_eos` the dispatch may also be over after any character of free text.

Shapes and units: texts are code points, so free text is valid UTF-8 by construction; a step is a
character.
COST watched texts x their characters x all characters, each end compared anew.

See also: ebnf.py, which puts these rules in the place of `TagDispatch(...)`; XGrammar 2, section
3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.reference.lexemes import read_literal
from xg2lab.reference.utf8 import SURROGATES, complement

if TYPE_CHECKING:
    from xg2lab.reference.ebnf import Expression, Reader


@dataclass(frozen=True)
class Dispatch:
    """Tags with the names of the rules that they open, stop strings, excludes, and the two ways of going on."""

    tags: tuple[tuple[str, str], ...]
    stop_str: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    stop_eos: bool = True
    loop_after_dispatch: bool = True

    @property
    def watched(self) -> list[str]:
        """All texts that are watched for."""
        return [tag for tag, _ in self.tags] + [*self.stop_str, *self.excludes]

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
            if hit in self.stop_str:
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
    return f"{name}«{end.encode('unicode_escape').decode()}»" if end else name


def read_dispatch(reader: Reader) -> Dispatch:
    """Read what follows the word `TagDispatch`: pairs of a text and a rule's name, then `keyword=value`."""
    tags: list[tuple[str, str]] = []
    texts: dict[str, tuple[str, ...]] = {}
    flags: dict[str, bool] = {}
    reader.take("(")
    while reader.peek().text != ")":
        if reader.peek().text == "(":
            reader.take("(")
            text = read_text(reader)
            reader.take(",")
            rule = reader.take(kind="name")
            reader.references[rule.at] = rule.text
            tags.append((text, rule.text))
            reader.take(")")
        else:
            keyword = reader.take(kind="name").text
            reader.take("=")
            if reader.peek().kind == "name":
                flags[keyword] = reader.take().text == "true"
            else:
                texts[keyword] = tuple(read_texts(reader))
        if reader.peek().text != ")":
            reader.take(",")
    reader.take(")")
    return Dispatch(tuple(tags), texts.get("stop_str", ()), texts.get("excludes", ()), **flags)


def read_texts(reader: Reader) -> list[str]:
    """One text, or several in parentheses."""
    if reader.peek().text != "(":
        return [read_text(reader)]
    texts: list[str] = []
    while reader.take().text != ")":
        if reader.peek().kind == "literal":
            texts.append(read_text(reader))
    return texts


def read_text(reader: Reader) -> str:
    """One text between quotation marks."""
    return read_literal(reader.take(kind="literal").text).decode()
