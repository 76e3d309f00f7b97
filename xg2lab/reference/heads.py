"""Rules with options: the part between a name and `::=`, and the length of the shortest match.

>>> grammar, options = parse_with_options('root[max_chars=9, lazy] ::= [a-z]+ end   end[capture] ::= "; " ""')
>>> options, least_chars(grammar)
({'root': {'max_chars': 9, 'lazy': True}, 'end': {'capture': 'end'}}, {'root': 3, 'end': 2})

See also: options.py, which defines their meaning.
"""

import re
from collections.abc import Callable
from math import inf
from typing import Any

from xg2lab.reference.ebnf import Expression, Grammar, parse_ebnf
from xg2lab.reference.lexemes import read_literal

HEAD = re.compile(r"""(\w[\w.-]*)(\[(?:"[^"]*"|[^]"])*\])(?=\s*::=)""")
OPTION = re.compile(r"""(\w+)(?:\s*=\s*("[^"]*"|[^,\s]+))?""")
Options = dict[str, Any]


def parse_with_options(text: str, root: str = "root") -> tuple[Grammar, dict[str, Options]]:
    """A grammar, and the options of its rules by name; nothing is checked."""
    options = {head[1]: read_options(head[1], head[2]) for head in HEAD.finditer(text)}
    return parse_ebnf(HEAD.sub(lambda head: head[1] + " " * len(head[2]), text), root), options


def read_options(rule: str, words: str) -> Options:
    """Numbers, names, and True for `lazy` and `hidden`."""
    defaults: Options = {"capture": rule, "lazy": True, "hidden": True}
    read: dict[str, Callable[[str], str | float]] = {
        "capture": lambda value: read_literal(value).decode(),
        "temperature": float,
        "parts": str,
    }
    return {n: read.get(n, int)(value) if value else defaults[n] for n, value in OPTION.findall(words[1:-1])}


def least_chars(grammar: Grammar) -> dict[str, float]:
    """How many characters the shortest match of each rule has; inf if it has none."""
    least = dict.fromkeys(grammar.rules, inf)
    while (found := {name: n_least(body, least) for name, body in grammar.rules.items()}) != least:
        least = found
    return least


def n_least(expression: Expression, least: dict[str, float]) -> float:
    """The same of an expression."""
    match expression:
        case ("literal", data):
            return len(data.decode())
        case ("class", ranges):
            return 1 if ranges else inf
        case ("rule", name):
            return least[name]
        case ("seq", parts):
            return sum(n_least(part, least) for part in parts)
        case ("choice", branches):
            return min((n_least(branch, least) for branch in branches), default=inf)
        case ("repeat", part, n, _):
            return n * n_least(part, least) if n else 0
        case _:  # a token taken whole is no character
            return 0
