r"""The one owner of what an editor knows of a text: the pad and the language server ask it the same questions.

>>> assistant = Assistant("ebnf")
>>> assistant.read('root ::= "[" item "]"\nitem ::= [0-9]+')
>>> print(assistant.hover(14).text)
```ebnf
item ::= [0-9]+
```
<BLANKLINE>
**lowered** it went into the rules that use it
<BLANKLINE>
**first** `[0-9]`
<BLANKLINE>
**follow** `[\]]`
>>> assistant.read('root ::= "[" item "]\nitem ::= [0-9]+')
>>> assistant.definition(14), assistant.facts is not None
((21, 25), True)

IDEA
  Places come from the text as it is, through the engine's parsers, which go on behind mistakes. What only a grammar
  has (lowered forms, first and follow sets, what became of a keyword) is kept from the last text that was one.

Shapes and units: offsets and spans count bytes of the text in UTF-8.
COST  Reading is linear in the text; `facts` compile it, once for each text that is a grammar.
THREADS  An assistant belongs to one thread at a time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from xg2lab.editing.facts import GrammarFacts
from xg2lab.editing.json_tree import JsonTree
from xg2lab.editing.layout import laid_out
from xg2lab.editing.records import Completion, Edit, Fold, Hover, Span, Symbol
from xg2lab.editing.regex_text import RegexText
from xg2lab.editing.rules_text import RulesText
from xg2lab.editing.schema_text import SchemaText, json_folds, json_symbols
from xg2lab.editing.tag_text import TagText
from xg2lab.errors import ArgumentError, LimitError, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.lints.keywords import Keyword, keywords_of
from xg2lab.sources.readers import OTHER_NAMES, READERS, reader_for
from xg2lab.template import Template

__all__ = ["MOST_BYTES", "Assistant"]

MOST_BYTES = 1 << 20  #: of a text; longer ones are read by the engine alone
MOST_COMPLETIONS = 500
SURROGATES = re.compile("[\ud800-\udfff]")
SLOT = re.compile(r"\$\$?[A-Za-z_]")
Text = RulesText | SchemaText | TagText | RegexText


class Assistant:
    """What is known of one text while it is edited.

    Parameters
    ----------
    kind : str
        How the text is read: "ebnf", "lark", "regex", "json_schema" or "structural_tag".
    compiles : bool
        Whether a hover compiles a text that has changed. If not, `know` says what was read elsewhere.

    Raises
    ------
    ArgumentError
        There is no such kind.

    >>> schema = Assistant("json_schema")
    >>> schema.read('{"type": "integer", "min')
    >>> [word.label for word in schema.completions(24)][:2]
    ['exclusiveMaximum', 'exclusiveMinimum']
    """

    def __init__(self, kind: str, *, compiles: bool = True) -> None:
        if kind not in READERS and kind not in OTHER_NAMES:
            raise ArgumentError(f"there is no kind of text {kind!r}", hint="one of " + ", ".join(READERS))
        self._reader = reader_for("", kind)
        self.kind = self._reader.name
        self.text = ""
        self.facts: GrammarFacts | None = None
        self.keywords: Mapping[str, Keyword] = {}
        self._read: Text | None = None
        self._tree: JsonTree | None = None
        self._compiles = compiles
        self._is_known = True  # whether `facts` are those of the text, as far as it has some

    def read(self, text: str) -> None:
        """Take another text. Raises `LimitError` for one that is too long."""
        if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
            raise LimitError(f"an editor's text has at most {MOST_BYTES:,} bytes", hint="split it")
        self.text, self._read, self._tree, self._is_known = text, None, None, False

    def _clean(self) -> str:
        """The text, with a replacement of the same length for halves of surrogate pairs."""
        return SURROGATES.sub("\ufffd", self.text)

    def _of_text(self) -> Text:
        """The text as its language reads it: names and places."""
        if self._read is None:
            self._read = self._made(self._clean())
        return self._read

    def _made(self, text: str) -> Text:
        if self.kind == "regex":
            return RegexText(text)
        if self.kind == "lark":
            return RulesText(text, "lark")
        if self._reader.is_json:
            tree = self._json()
            return TagText(tree) if self.kind == "structural_tag" else SchemaText(tree)
        return RulesText(text, "template" if SLOT.search(text) else "ebnf")

    def _json(self) -> JsonTree:
        if self._tree is None:
            self._tree = JsonTree.of(self._clean().encode())
        return self._tree

    def learn(self) -> GrammarFacts | None:
        """Compile the text if it changed, and return the facts of the last one that was a grammar."""
        if not self._is_known and self._compiles:
            self._is_known = True
            with suppress(Xg2LabError):  # the facts of the text before stay
                self.know(self._grammar())
            if self._reader.is_json:
                found = keywords_of(self._reader, self.text)
                self.keywords = {one.pointer: one for one in found} if found else self.keywords
        return self.facts

    def know(self, grammar: Grammar, keywords: tuple[Keyword, ...] = ()) -> None:
        """Take the facts of a grammar that was read elsewhere, and of its schema's keywords."""
        self.facts = GrammarFacts(grammar)
        self._is_known = True
        if keywords:
            self.keywords = {one.pointer: one for one in keywords}

    def _grammar(self) -> Grammar:
        if self.kind == "ebnf" and isinstance(self._of_text(), RulesText) and SLOT.search(self.text):
            text = self._of_text()
            assert isinstance(text, RulesText), "EBNF has rules"
            if any(mention.kind == "slot" for mention in text.names.mentions):
                Template.from_ebnf(self.text)  # whether it is one; its rules have no lowered form of their own
                raise ArgumentError("a template has facts only with its arguments")
        return self._reader.grammar(self.text)

    # ---- Questions: offsets and spans in bytes ----

    def completions(self, offset: int) -> list[Completion]:
        """The words that may stand at a byte, the best first; at most 500."""
        found = self._of_text().completions(self._within(offset))
        return sorted(found, key=lambda word: word.rank)[:MOST_COMPLETIONS]

    def definition(self, offset: int) -> Span | None:
        """The place where the name at a byte is defined; None if it is no name, or defined nowhere."""
        text = self._of_text()
        return None if isinstance(text, RegexText) else text.definition(self._within(offset))

    def references(self, offset: int) -> list[Span]:
        """All places of the name at a byte, its definition among them, in the order of the text."""
        text = self._of_text()
        return [] if isinstance(text, RegexText) else text.references(self._within(offset))

    def renamable(self, offset: int) -> Span | None:
        """The name at a byte, if `rename` can give it another one."""
        text = self._of_text()
        return None if isinstance(text, RegexText) else text.renamable(self._within(offset))

    def rename(self, offset: int, name: str) -> list[Edit]:
        """Give the name at a byte, wherever it stands, another spelling.

        Raises `ArgumentError` if there is no name, or if the other one is none or is taken.
        """
        text = self._of_text()
        if isinstance(text, RegexText):
            raise ArgumentError("a regular expression has no names that can be renamed", hint="edit the text")
        return text.rename(self._within(offset), name)

    def hover(self, offset: int) -> Hover | None:
        """What is known of the word at a byte."""
        text, facts = self._of_text(), self.learn()
        if isinstance(text, (RulesText, RegexText)):
            return text.hover(self._within(offset), facts)
        return text.hover(self._within(offset), self.keywords)

    def symbols(self) -> list[Symbol]:
        """The names that the text defines."""
        text = self._of_text()
        if isinstance(text, RulesText):
            return text.symbols()
        return [] if isinstance(text, RegexText) else json_symbols(self._json().root, self._json())

    def folds(self) -> list[Fold]:
        """The parts of several lines that can be folded."""
        text = self._of_text()
        if isinstance(text, RulesText):
            return text.folds()
        return [] if isinstance(text, RegexText) else json_folds(self._json())

    def layout(self) -> list[Edit]:
        """The change that brings the text into its usual layout; none if it has it, or can't get it."""
        if SURROGATES.search(self.text):
            return []
        made = laid_out(self.text, self.kind)
        return [] if made == self.text else [_difference(self.text, made)]

    def _within(self, offset: int) -> int:
        return max(0, min(offset, len(self.text.encode("utf-8", "surrogatepass"))))


def _difference(old: str, new: str) -> Edit:
    """The one edit between two texts: what both begin and end with stays.

    >>> _difference("a  b", "a b")
    Edit(span=(2, 3), text='')
    """
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    n_end = 0
    while n_end < min(len(old), len(new)) - begin and old[-1 - n_end] == new[-1 - n_end]:
        n_end += 1
    begin_byte = len(old[:begin].encode())
    return Edit((begin_byte, begin_byte + len(old[begin : len(old) - n_end].encode())), new[begin : len(new) - n_end])
