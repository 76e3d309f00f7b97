r"""A text in its usual layout: spaces, line breaks and indentation, and nothing else, are changed.

>>> print(laid_out('root::=  value|"a" # one\nvalue ::= [0-9] +   end ::= "."\n', "ebnf"), end="")
root ::= value | "a"  # one
value ::= [0-9]+
end ::= "."
>>> print(laid_out('{"type":"object","properties":{"a":{"enum":[1,  2.0]}}}', "json_schema"), end="")
{
  "type": "object",
  "properties": {
    "a": {
      "enum": [1, 2.0]
    }
  }
}

IDEA
  EBNF and Lark: the space between two neighbouring lexemes is decided by the two; line breaks, comments and a blank
  line stay, and each rule begins a line. The result is read again: if it does not have the same lexemes, the text stays
  as it was. JSON: numbers and strings stay as they are written; an object or array of scalars that fits has one line.

COST  Linear in the text.
"""

from __future__ import annotations

import json
import re

from xg2lab.editing.json_tree import JsonNode, JsonTree
from xg2lab.editing.names import Lexeme, Names, NamesLanguage
from xg2lab.errors import Xg2LabError

__all__ = ["laid_out"]

MOST_COLUMNS = 100
MOST_DEPTH = 100  # of JSON that is laid out
COMMENT = {"ebnf": re.compile(r"#[^\n]*"), "lark": re.compile(r"(?:#|//)[^\n]*")}
BESIDE = {"ebnf": "  ", "lark": "    "}  # the indentation of a rule's further lines


def laid_out(text: str, kind: str) -> str:
    """Return a text of a kind in its usual layout; a text that can't be laid out as it is."""
    try:
        if kind in ("json_schema", "structural_tag"):
            return _json(text)
        if kind == "lark":
            return _rules(text, "lark")
        if kind == "ebnf":
            return _rules(text, "template")  # which knows slots, too
    except (Xg2LabError, ValueError, RecursionError):
        pass
    return text


# ---- EBNF and Lark ----


def _rules(text: str, language: NamesLanguage) -> str:
    names = Names.of(text, language)
    dialect = "lark" if language == "lark" else "ebnf"
    begins = {rule.span[0] for rule in names.rules}
    out: list[str] = []
    before: Lexeme | None = None
    at = 0
    for lexeme in names.lexemes:
        gap = names.words((at, lexeme.span[0]))
        is_begin = lexeme.span[0] in begins or (dialect == "lark" and _is_statement(names, lexeme))
        out += [_gap(names, before, lexeme, gap, is_begin, dialect), names.words(lexeme.span)]
        before, at = lexeme, lexeme.span[1]
    out.append(_last_gap(names.words((at, len(names.data))), dialect, is_first=before is None))
    made = "".join(out)
    return made if _is_same(names, Names.of(made, language), dialect) else text


def _is_same(old: Names, new: Names, dialect: str) -> bool:
    """Whether two texts have the same lexemes, rules and comments."""

    def lexemes(of: Names) -> list[tuple[str, str]]:
        return [(lexeme.kind, of.words(lexeme.span)) for lexeme in of.lexemes]

    def others(of: Names) -> list[tuple[str, str]]:
        return [(mention.kind, mention.name) for mention in of.mentions]

    return (
        lexemes(old) == lexemes(new)
        and others(old) == others(new)
        and len(old.rules) == len(new.rules)
        and _comments(old, dialect) == _comments(new, dialect)
    )


def _comments(names: Names, dialect: str) -> list[str]:
    found: list[str] = []
    at = 0
    for begin, end in [*(lexeme.span for lexeme in names.lexemes), (len(names.data), 0)]:
        found += [comment.rstrip() for comment in COMMENT[dialect].findall(names.words((at, begin)))]
        at = end
    return found


def _is_statement(names: Names, lexeme: Lexeme) -> bool:
    return lexeme.kind == "directive" and names.words(lexeme.span) not in ("%json", "%regex", "%lark")


def _gap(names: Names, before: Lexeme | None, after: Lexeme, gap: str, is_begin: bool, dialect: str) -> str:
    """The space, line breaks and comments between two lexemes."""
    lines = _lines(gap, dialect)
    indent = "" if is_begin or before is None else BESIDE[dialect]
    if before is None:
        return "".join(f"{line}\n" for line in _without_ends(lines))
    if len(lines) == 1 and not lines[0]:
        if is_begin and dialect == "ebnf":
            return "\n"
        words = names.words(before.span), names.words(after.span)
        return _space(dialect, (before.kind, words[0]), (after.kind, words[1]), bool(gap))
    made = f"  {lines[0]}" if lines[0] else ""
    inner = [f"{indent}{line}" if line else "" for line in _once_blank(lines[1:-1])]
    if len(lines) == 1:  # only the end of the text ends a comment
        return made
    return "\n".join([made, *inner, indent])


def _lines(gap: str, dialect: str) -> list[str]:
    """What each line of a gap has: its comment, or nothing."""
    found: list[str] = []
    for line in gap.split("\n"):
        comment = COMMENT[dialect].search(line)
        found.append(comment[0].rstrip() if comment else "")
    return found


def _once_blank(lines: list[str]) -> list[str]:
    return [line for k, line in enumerate(lines) if line or k == 0 or lines[k - 1]]


def _without_ends(lines: list[str]) -> list[str]:
    """The lines before the first lexeme: no blank ones at the beginning."""
    inner = _once_blank(lines[:-1])
    while inner and not inner[0]:
        inner.pop(0)
    return inner


def _last_gap(gap: str, dialect: str, *, is_first: bool) -> str:
    lines = _once_blank(_lines(gap, dialect))
    while len(lines) > 1 and not lines[-1]:
        lines.pop()
    head = lines[0] if is_first or not lines[0] else f"  {lines[0]}"
    made = "\n".join([head, *lines[1:]])
    return made if is_first and not made else f"{made}\n"


Word = tuple[str, str]  # kind and words of a lexeme


def _space(dialect: str, before: Word, after: Word, was_apart: bool) -> str:
    """The space between two lexemes of one line."""
    keeps = " " if was_apart else ""
    if after[0] == "close" or before[0] == "open" or after[1] == ",":
        return ""
    if before[1] == ",":
        return " "
    if "bar" in (before[0], after[0]) or "->" in (before[1], after[1]):
        return " "
    if dialect == "lark":
        if after[0] == "define":
            return ""
        if before[0] == "define":
            return " "
        return "" if after[0] == "repeat" and before[0] in ("name", "literal", "pattern", "close") else keeps
    if "define" in (before[0], after[0]):
        return " "
    if "=" in (before[1], after[1]):
        return ""
    if after[0] == "repeat":
        return ""
    if before[0] == "name" and after[0] in ("open", "class", "options"):
        return keeps
    return keeps if "unknown" in (before[0], after[0]) else " "


# ---- JSON ----


def _json(text: str) -> str:
    json.loads(text)
    tree = JsonTree.of(text.encode())
    return text if tree.root is None else _value(tree, tree.root, 0) + "\n"


def _value(tree: JsonTree, node: JsonNode, depth: int) -> str:
    if depth > MOST_DEPTH:
        raise ValueError("too deep")
    if node.kind not in ("object", "array"):
        return tree.data[slice(*node.span)].decode()
    opening, closing = ("{", "}") if node.kind == "object" else ("[", "]")
    if not node.children:
        return opening + closing
    parts = [_key(tree, child) + _value(tree, child, depth + 1) for child in node.children]
    if all(child.kind in ("string", "other") or not child.children for child in node.children):
        line = f"{opening}{', '.join(parts)}{closing}"
        room = MOST_COLUMNS - 2 * depth - (0 if node.key_span is None else node.key_span[1] - node.key_span[0] + 2)
        if len(line) <= room:
            return line
    inner = ",\n".join(f"{'  ' * (depth + 1)}{part}" for part in parts)
    return f"{opening}\n{inner}\n{'  ' * depth}{closing}"


def _key(tree: JsonTree, node: JsonNode) -> str:
    return "" if node.key_span is None else tree.data[slice(*node.key_span)].decode() + ": "
