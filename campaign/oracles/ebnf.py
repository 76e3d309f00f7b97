"""EBNF for the Earley oracle: grammars by lot with leaves as real grammars have them, and real ones.

A grammar by lot is made as tuples. From these come its text, for the engine, and its productions, for the oracle: no
reader stands between them. A real grammar is read by the twin (`xg2lab.reference.ebnf`), as there is no other reader
of this dialect; what its rows mean is the oracle's own business.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmarks.texts import DATA, JSON_EBNF
from campaign.oracles.productions import Productions, Row
from tests.generators import repeat, write_ebnf
from xg2lab.reference.ebnf import EbnfError, Expression, Grammar, parse_ebnf

__all__ = ["productions_of", "random_grammar", "real_grammars"]

CLASSES: list[tuple[tuple[int, int], ...]] = [
    ((48, 57),),
    ((97, 122),),
    ((65, 90), (97, 122)),
    ((48, 57), (65, 70), (97, 102)),
    ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF)),  # [^"\\\x00-\x1f]
    ((0, 9), (11, 0xD7FF), (0xE000, 0x10FFFF)),  # [^\n]
    ((9, 10), (13, 13), (32, 32)),
    ((0x20, 0x7E),),
    ((0x3B1, 0x3C9),),
    ((0x4E00, 0x9FFF),),
    ((0x400, 0x4FF), (32, 32)),
    ((0x1F300, 0x1FAFF),),
    ((0x7F, 0x10000),),
    ((97, 97), (99, 99), (233, 233)),
]
WORDS = [
    "", "a", "b", "ab", "(", ")", "[", "]", "{", "}", ",", ", ", ": ", ":", '"', '"', "\n", " ", "  ", "\t", ";",
    " = ", "==", "if", "else", "elif", "while", "function", "return", "true", "false", "null", "name", "the",
    "there", "then", "<b>", "</b>", "0", "1", "10", "0x", "-", "+", ".", "e", "\\", "\\u", "//", "/*", "*/", "é",
    "ß", "日本", "日", "語", "привет", "👍", "👍🏽", "\x00", "\x7f", "select", "from", " from", "get_weather",
    "arguments", "location",
]  # fmt: skip
NAMES = ["root", "x", "y", "z", "value", "a-b", "größe", "item"]
BOUNDS: list[tuple[int, int | None]] = [
    (0, None), (0, None), (1, None), (1, None), (0, 1), (0, 1), (2, 2), (0, 3), (1, 4),
    (2, None), (3, 40), (0, 36), (33, 33), (5, 70),
]  # fmt: skip


def random_grammar(rng: random.Random) -> Grammar:
    """One to six rules that refer to each other freely; its productions end, and are few."""
    while True:
        names = NAMES[: rng.randint(1, 6)]
        grammar = Grammar("root", {name: _expression(rng, names, rng.randint(1, 4)) for name in names})
        if len(productions_of(grammar).useful()) >= rng.choice([1, 5, 10, 15]):
            return grammar


def _expression(rng: random.Random, names: list[str], depth: int) -> Expression:
    kinds = ["literal"] * 5 + ["class"] * 4 + ["rule"] * 3
    kind = rng.choice(
        kinds + (["seq"] * 7 + ["choice"] * 4 + ["repeat"] * 5 + ["list", "text", "nest", "same"] if depth else [])
    )

    def part() -> Expression:
        return _expression(rng, names, depth - 1)

    def word(text: str) -> Expression:
        return "literal", text.encode()

    match kind:
        case "literal":
            return word(rng.choice(WORDS) + (rng.choice(WORDS) if rng.random() < 0.2 else ""))
        case "class":
            ranges = rng.choice(CLASSES)
            return "class", ranges if rng.random() < 0.8 else _union(ranges, rng.choice(CLASSES))
        case "rule":
            return "rule", rng.choice(names)
        case "seq" | "choice":
            return kind, tuple(part() for _ in range(rng.choice([2, 2, 3, 4])))
        case "repeat":
            inner = part()
            small = inner[0] in ("literal", "class", "rule")
            return repeat(inner, *rng.choice(BOUNDS if small else BOUNDS[:9]))
        case "list":
            inner, between = part(), word(rng.choice([",", ", ", " ", "", "\n"]))
            return "seq", (
                word("["),
                repeat(("seq", (inner, repeat(("seq", (between, inner)), 0, None))), 0, 1),
                word("]"),
            )
        case "text":
            mark = word(rng.choice(['"', "'", "/", "<b>"]))
            inner = ("class", CLASSES[rng.choice([4, 5, 7, 9])])
            return "seq", (mark, repeat(("choice", (inner, word('\\"'))), 0, rng.choice([None, None, 3, 40])), mark)
        case "nest":
            pair = rng.choice([("(", ")"), ("{", "}"), ("<b>", "</b>"), ("a", "b"), ("", ""), ("", "a")])
            return "choice", (("seq", (word(pair[0]), ("rule", rng.choice(names)), word(pair[1]))), part())
        case _:
            inner = part()
            return "seq", (inner, inner)


def _union(a: tuple[tuple[int, int], ...], b: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted((*a, *b)):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def productions_of(grammar: Grammar) -> Productions:
    """The rows of a grammar's tuples.

    >>> sorted(productions_of(Grammar("root", {"root": ("repeat", ("class", ((97, 98),)), 2, 2)})).useful())
    ['made:1', 'made:2', 'rule:root']
    """
    made = Productions(f"rule:{grammar.root}")
    for name, expression in grammar.rules.items():
        made.add(f"rule:{name}", _row(made, expression))
    return made


def _row(made: Productions, expression: Expression) -> Row:
    match expression:
        case ("literal", data):
            return made.literal(data)
        case ("class", ranges):
            return made.points(ranges)
        case ("rule", name):
            return (f"rule:{name}",)
        case ("seq", parts):
            return tuple(symbol for part in parts for symbol in _row(made, part))
        case ("choice", parts):
            return made.choice(_row(made, part) for part in parts)
        case ("repeat", part, least, most):
            return made.repeat(_row(made, part), least, most)
        case ("tokens", _):
            raise ValueError("a set of tokens is no text")


def text_of(grammar: Grammar, rng: random.Random | None = None) -> str:
    """The grammar's text; by lot in any spelling."""
    return write_ebnf(grammar, rng)


def real_grammars() -> Iterator[tuple[str, str, Grammar]]:
    """Name, text and rules of the guide's JSON grammar and of the data folder's EBNF and GBNF."""
    paths = sorted([*DATA.glob("grammars/*/*.ebnf"), *DATA.glob("grammars/*/*.gbnf")])
    texts = [(f"{path.parent.name}/{path.name}", path.read_text(encoding="utf-8")) for path in paths]
    for name, text in [("guide/json", JSON_EBNF), *texts]:
        try:
            grammar = parse_ebnf(text)
        except EbnfError:
            continue
        yield name, text, grammar
