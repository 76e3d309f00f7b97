r"""A regular expression in an editor: escapes, and what it says on hovering.

>>> [word.label for word in RegexText(r"[a-z]\p").completions(7)]
['\\p{L}', '\\p{Lu}', '\\p{N}']
"""

from __future__ import annotations

import re

from xg2lab.editing.facts import GrammarFacts
from xg2lab.editing.records import Completion, Hover
from xg2lab.editing.snippets import SNIPPETS
from xg2lab.sources.grammar_words import ESCAPES

__all__ = ["RegexText"]

ESCAPE = re.compile(r"(?:\\\\)*(\\[A-Za-z]*)\Z")
WORD = re.compile(r"\\(?:p\{\w*\}|u[0-9A-Fa-f]{4}|.)")


class RegexText:
    """One regular expression."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()

    def completions(self, offset: int) -> list[Completion]:
        """The words that may stand at a byte: escapes behind a backslash, groups elsewhere."""
        head = self.data[:offset].decode("utf-8", "ignore")
        found = ESCAPE.search(head)
        typed = found[1] if found else ""
        span = (offset - len(typed), offset)
        if typed:
            return [
                Completion(written, written, "operator", "escape", means, span)
                for written, means in ESCAPES.items()
                if written.startswith(typed)
            ]
        return [
            Completion(one.label, one.text, "snippet", "snippet", one.doc, span, is_snippet=True)
            for one in SNIPPETS["regex"]
        ]

    def hover(self, offset: int, facts: GrammarFacts | None) -> Hover | None:
        """The escape at a byte; elsewhere the expression as the engine gets it."""
        text = self.data.decode()
        at = len(self.data[:offset].decode("utf-8", "ignore"))
        for found in WORD.finditer(text):
            if found.start() <= at <= found.end() and found[0] in ESCAPES:
                begin = len(text[: found.start()].encode())
                return Hover((begin, begin + len(found[0])), f"`{found[0]}` {ESCAPES[found[0]]}")
        if facts is None or not text.strip():
            return None
        root = facts.grammar.root_rule_name
        lines = [f"**lowered**\n```ebnf\n{facts.lowered(root) or facts.grammar}\n```"]
        first = facts.first(root)
        if first is not None:
            lines.append(f"**first** `{first}`")
        return Hover((0, len(self.data)), "\n\n".join(lines))
