r"""Lark's grammars for the oracles: what the package lark reads becomes productions; grammars by lot and real ones.

>>> from campaign.oracles.earley import EarleyOracle
>>> made = productions_of('start: WORD ("," WORD)*\nWORD: /[a-z]+/\n%ignore " "')
>>> oracle = EarleyOracle(made)
>>> [oracle.is_end(oracle.after(oracle.start, data)) for data in (b"a, b ", b"a b", b"")]
[True, False, False]

Lark's own loader reads the text, expands templates and repetitions, and gives rows of terminals; a terminal's pattern
goes through Python's parser (`patterns`). Each terminal is a plain rule, and what is ignored stands before each of
them and at the end. That is Lark's `dynamic_complete`; the other lexers accept a part of it.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from benchmarks.texts import DATA
from campaign.oracles.patterns import PYTHON, add_pattern
from campaign.oracles.productions import Productions, Row

__all__ = ["has_long_ignored", "lark_of", "productions_of", "random_lark", "real_larks"]


@lru_cache(maxsize=4)
def lark_of(text: str, lexer: str) -> Any:
    """Lark's parser of a grammar; `lark.exceptions.LarkError` if there is none."""
    lark: Any = importlib.import_module("lark")
    return lark.Lark(text, parser="earley" if "dynamic" in lexer else "lalr", lexer=lexer)


def productions_of(text: str) -> Productions:
    """All cuts into terminals; LeftOutError for a terminal that looks around."""
    parser = lark_of(text, "dynamic_complete")
    made = Productions()
    for terminal in parser.terminals:
        add_pattern(made, f"terminal:{terminal.name}", terminal.pattern.to_regexp(), PYTHON)
    made.add("ignored", ())
    for name in parser.ignore_tokens:
        made.add("ignored", ("ignored", f"terminal:{name}"))
    for rule in parser.rules:
        row: Row = ()
        for symbol in rule.expansion:
            row += ("ignored", f"terminal:{symbol.name}") if symbol.is_term else (f"rule:{symbol.name}",)
        made.add(f"rule:{rule.origin.name}", row)
    made.add("start", ("rule:start", "ignored"))
    return made


def has_long_ignored(text: str) -> bool:
    """Whether what is ignored may be longer than a character: it is taken as long as it can be, under each lexer."""
    parser = lark_of(text, "dynamic_complete")
    ignored = set(parser.ignore_tokens)
    return any(terminal.name in ignored and terminal.pattern.max_width > 1 for terminal in parser.terminals)


def real_larks() -> Iterator[tuple[str, str]]:
    """Name and text of the data folder's Lark grammars."""
    for path in sorted(DATA.glob("grammars/lark-*/*.lark")):
        yield f"{path.parent.name}/{path.name}", path.read_text(encoding="utf-8")


# ---- By lot ----

PATTERNS = [
    "[ab]+", "a+", "b+c?", "[abc]", "c[ab]*c", "[a-z]+", "[A-Za-z_][A-Za-z0-9_]*", r"\d+", r"\d+\.\d+", r"0x[0-9a-f]+",
    r'"[^"\n]*"', r"'(\\.|[^'\\])*'", r"[+\-*\/]", r"\w+", "#[^\\n]*", "a|ab",
    "(ab)*c", "[^ ,()]+", r"\S+", "é+", "[а-я]+",
]  # fmt: skip
TEXTS = ["a", "b", "ab", "if", "else", "=", "==", ",", "(", ")", ";", ":", "->", "let", ".", "+", "é", "日本", "c"]
IGNORED = [[], [" "], [r"\s+"], [r"[ \t]+", r"\/\/[^\n]*"], ["[ d]+"]]


def random_lark(rng: random.Random) -> str:
    """A grammar of a few rules that call later ones or themselves, with named patterns, texts and what is ignored."""
    named = {f"P{i}": pattern for i, pattern in enumerate(rng.sample(PATTERNS, rng.randint(1, 4)))}
    names = ["start", "x", "y", "z"][: rng.randint(1, 4)]
    lines = [f"{name}: {_ways(rng, names[i + 1 :], list(named), name)}" for i, name in enumerate(names)]
    for name, pattern in named.items():
        priority = rng.choice(["", "", "", "", ".1", ".2", ".-1"])
        lines.append(f"{name}{priority}: /{pattern}/")
    lines += [f"IGNORED{i}: /{pattern}/\n%ignore IGNORED{i}" for i, pattern in enumerate(rng.choice(IGNORED))]
    return "\n".join(lines) + "\n"


def _ways(rng: random.Random, later: list[str], named: list[str], itself: str) -> str:
    ways = [_few_choices(rng, later, named) for _ in range(rng.choice([1, 2, 2, 3]))]
    kind = rng.random()
    if kind < 0.15:
        ways.append(f"{_atom(rng, [], named)} {itself}")
    elif kind < 0.3:
        ways.append(f"{itself} {_atom(rng, [], named)}")
    elif kind < 0.45:
        ways.append(f'"(" {itself} ")"')
    return " | ".join(ways)


def _few_choices(rng: random.Random, later: list[str], named: list[str]) -> str:
    """A way that Lark's loader writes out as few ways: each part that may be missing doubles them."""
    while True:
        way = _way(rng, later, named, 2)
        if sum(map(way.count, "?*[|")) + 2 * way.count("..") <= 5:
            return way


def _way(rng: random.Random, later: list[str], named: list[str], depth: int) -> str:
    parts: list[str] = []
    for _ in range(rng.randint(1, 4)):
        if depth and rng.random() < 0.2:
            inner = " | ".join(_way(rng, later, named, depth - 1) for _ in range(rng.randint(1, 2)))
            parts.append(rng.choice(["({})", "[{}]", "({})*", "({})+", "({})?", "({})~1..3"]).format(inner))
        else:
            parts.append(_atom(rng, later, named) + rng.choice(["", "", "", "", "", "*", "+", "?", "~2"]))
    return " ".join(parts)


def _atom(rng: random.Random, later: list[str], named: list[str]) -> str:
    kind = rng.random()
    if later and kind < 0.35:
        return rng.choice(later)
    return rng.choice(named) if kind < 0.7 else f'"{rng.choice(TEXTS)}"'
