"""Stacks of the rest to match, with marks for open rules.

>>> list(simpler({"x": ("literal", b"ab")}, {"x"}, ("rule", "x"), None, here=5))
[(('literal', b'ab'), (Open(rule='x', start=5, n_chars=0, n_tokens=0), None))]
>>> list(characters(("literal", b"ab")))
[((97, 97), (98, 98))]

See also: counted.py, where there are no marks; options.py, which uses them.
"""

from collections.abc import Collection, Iterator, Mapping
from math import inf
from typing import Any, NamedTuple, TypeAlias

from xg2lab.reference.ebnf import Expression
from xg2lab.reference.utf8 import Box, byte_boxes


class Open(NamedTuple):
    """The mark of a rule that is being matched."""

    rule: str
    start: int
    n_chars: int = 0
    n_tokens: int = 0


Rest: TypeAlias = "tuple[Expression | Open, Rest] | None"
Span = tuple[int, int, str]  # end, start, rule
Thread = tuple[Box, Rest, frozenset[Span]]


def characters(top: Expression) -> Iterator[Box]:
    """The characters that a leaf begins with, as byte ranges."""
    if top[0] == "literal" and top[1]:
        yield tuple((byte, byte) for byte in top[1])
    elif top[0] == "class":
        yield from (boxes for low, high in top[1] for boxes in byte_boxes(low, high))


def simpler(
    rules: Mapping[str, Expression], marked_rules: Collection[str], top: Expression, rest: Rest, here: int
) -> Iterator[Rest]:
    """The stacks that a stack stands for, one step further; rules that begin `here` get a mark if they are to."""
    match top:
        case ("literal", b""):
            yield rest
        case ("rule", name):
            yield rules[name], (Open(name, here), rest) if name in marked_rules else rest
        case ("choice", branches):
            yield from ((branch, rest) for branch in branches)
        case ("seq", (first, *others)):
            yield first, (("seq", tuple(others)), rest) if others else rest
        case ("repeat", part, least, most):
            if least == 0:
                yield rest
            if most != 0:
                again: Expression = ("repeat", part, max(least - 1, 0), None if most is None else most - 1)
                yield part, (again, rest)
        case _:
            pass


def stacks_of(rest: Rest) -> Iterator[Any]:
    """A stack, what it becomes when its top is taken off, and so on."""
    while rest is not None:
        yield rest
        rest = rest[1]


def marks_of(rest: Rest) -> Iterator[Open]:
    """The rules that are open, the innermost first."""
    return (stack[0] for stack in stacks_of(rest) if isinstance(stack[0], Open))


def marked(rest: Rest, *, n_chars: int = 0, n_tokens: int = 0, before: float = inf) -> Rest:
    """The stack with marks that count more: those of rules that began before a place."""
    if rest is None:
        return None
    top, below = rest
    if isinstance(top, Open) and top.start < before:
        top = top._replace(n_chars=top.n_chars + n_chars, n_tokens=top.n_tokens + n_tokens)
    return top, marked(below, n_chars=n_chars, n_tokens=n_tokens, before=before)
