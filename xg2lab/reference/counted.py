"""Repetitions counted, not written out: the state after a text is the set of possible rests.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> reader = Reader(parse_ebnf('root ::= [ab]{2,100000}'))
>>> reader.push(ord("a")), reader.is_complete(), reader.columns[-1]
(True, False, {(((97, 98),), (('repeat', ('class', ((97, 98),)), 0, 99998), None))})
>>> reader.push(ord("b")), reader.is_complete(), reader.can_follow(b"ba"), reader.can_follow(b"bc")
(True, True, True, False)

A rest is a stack: an expression, and the rest after it. A step examines the top alone. A
repetition `e{m,n}` may end if m is 0; if n is not 0, `e` may be matched, and after it
`e{m-1,n-1}`. So a hundred thousand repetitions are two numbers.

Shapes and units: `Rest` is None where nothing is left. A state is the byte ranges of the character
to come and the rest after it. Every rule must be able to end, and none may begin with itself: its
stack would grow for ever.
COST a state for each rest that differs, so one for each number of repetitions that the text may
have had.
See also: Antimirov 1996, "Partial derivatives of regular expressions"; core/parse/counts.h.
"""

from collections.abc import Iterator
from typing import TypeAlias

from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.utf8 import Box, byte_boxes

Rest: TypeAlias = "tuple[Expression, Rest] | None"
State = tuple[Box, Rest]


class Reader:
    """The states after each byte. `push` and `pop` change them; everything else asks."""

    def __init__(self, grammar: Grammar) -> None:
        self.rules = grammar.rules
        self.columns = [set(self.states_of([(("rule", grammar.root), None)]))]

    def push(self, byte: int) -> bool:
        """Read one byte. False, and no state is left, if none expected it."""
        column, agenda = set[State](), list[Rest]()
        for boxes, rest in self.columns[-1]:
            if boxes and boxes[0][0] <= byte <= boxes[0][1]:
                if boxes[1:]:
                    column.add((boxes[1:], rest))
                else:
                    agenda.append(rest)
        self.columns.append(column.union(self.states_of(agenda)))
        return bool(self.columns[-1])

    def pop(self, n_bytes: int) -> None:
        """Take the last bytes back."""
        del self.columns[len(self.columns) - n_bytes :]

    def is_complete(self) -> bool:
        """Are the bytes so far a whole match?"""
        return ((), None) in self.columns[-1]

    def can_follow(self, data: bytes) -> bool:
        """Would `data`, after the bytes so far, still be a beginning of a match? Nothing changes."""
        n_columns = len(self.columns)
        is_viable = bool(self.columns[-1]) and all(self.push(byte) for byte in data)
        self.pop(len(self.columns) - n_columns)
        return is_viable

    def states_of(self, agenda: list[Rest]) -> Iterator[State]:
        """Replace each stack by simpler ones, until a character is on top or nothing is left."""
        seen = set(agenda)
        for stack in agenda:
            if stack is None:
                yield (), None
                continue
            top, rest = stack
            simpler: list[Rest] = []
            match top:
                case ("literal", data) if data:
                    yield tuple((byte, byte) for byte in data), rest
                case ("class", ranges):
                    yield from ((boxes, rest) for low, high in ranges for boxes in byte_boxes(low, high))
                case ("literal", _):
                    simpler = [rest]
                case ("tokens", _):
                    pass  # no byte crosses a token edge
                case ("rule", name):
                    simpler = [(self.rules[name], rest)]
                case ("choice", branches):
                    simpler = [(branch, rest) for branch in branches]
                case ("seq", (first, *others)):
                    simpler = [(first, (("seq", tuple(others)), rest) if others else rest)]
                case ("seq", _):
                    simpler = [rest]
                case ("repeat", part, least, most):
                    simpler = [rest] if least == 0 else []
                    if most != 0:
                        again: Expression = ("repeat", part, max(least - 1, 0), None if most is None else most - 1)
                        simpler.append((part, (again, rest)))
            agenda += [found for found in simpler if found not in seen]
            seen.update(simpler)
