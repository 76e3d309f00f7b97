"""Columns within words: a lexer's states without origins, the origins, and the texts that may follow the words.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> words = Words(parse_ebnf('root ::= sum   sum ::= "(" sum ")" | name "+" sum | name   name ::= "if" | [a-z]+'))
>>> [words.push(byte) for byte in b"(if"], words.is_complete()
([True, True, True], False)
>>> n_steps, n_rests = len(words.steps), len(words.rests)
>>> [words.push(byte) for byte in b"fifif"], len(words.steps) - n_steps, len(words.rests) - n_rests
([True, True, True, True, True], 2, 0)

A *word* is a rule without references, or one byte of another rule: it has a machine. Each letter
of a name may be its last, and the same texts may follow each of them. So a column is three things:
*places*, words and the states of their machines, each with a slot for where it began; the
*origins* for these slots; and the *rest*, Earley's column after the words have ended. The rest
depends on the items that wait for the words, not on their letters: it is made once for each set of
calls. The step of places by a byte is computed once for all origins.

Shapes and units: an origin is the number of a rest; equal rests have one number. Masks are the
results of a walk (trie.py).
See also: earley.py, the same by position; core/parse/rows.h, where all columns have this form.
"""

from typing import NamedTuple

from xg2lab.reference.cfg import Symbol, productions_of
from xg2lab.reference.earley import Item
from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.fsm import Fsm, from_rule
from xg2lab.reference.minimize import minimize

HERE, OUTSIDE, NOTHING = -1, -2, 0  # origins: the rest itself; that of the text. The rest where nothing may come

Place = tuple[Symbol, int, int]  # a word that has begun, where its machine is, the slot of its origin
Places = frozenset[Place]
Call = tuple[int, Symbol]  # an origin, and what was waited for there


class Rest(NamedTuple):
    """Items that wait, the words that they wait for, whether the text may end."""

    waiting: frozenset[Item]
    places: Places
    is_complete: bool


class Column(NamedTuple):
    """Places, the origins for their slots (ascending), the number of a rest."""

    places: Places
    origins: tuple[int, ...]
    rest: int


class Words:
    """The columns after the bytes so far. `push` and `pop` change them; everything else asks."""

    def __init__(self, grammar: Grammar) -> None:
        self.cfg = productions_of(grammar)
        named = [name for name in self.cfg.productions if name in grammar.rules and is_word(grammar.rules[name])]
        self.machines: dict[Symbol, Fsm] = {name: minimize(from_rule(grammar, name)) for name in named}
        symbols = {s for productions in self.cfg.productions.values() for p in productions for s in p}
        self.machines |= {s: Fsm(0, {1}, [[(*s, 1)], []], [[], []]) for s in symbols if isinstance(s, tuple)}
        self.rests = [Rest(frozenset(), frozenset(), is_complete=False)]
        self.steps: dict[tuple[Places, int], tuple[Places, frozenset[tuple[int, Symbol]]]] = {}
        self.returns: dict[frozenset[Call], int] = {}
        start = [Item("", (self.cfg.start,), 0, OUTSIDE)] if self.cfg.start in self.cfg.productions else []
        self.columns = [Column(frozenset(), (), self.rest_of(start, []))]

    def push(self, byte: int) -> bool:
        """Read one byte. False if no word goes on, or begins, with it."""
        column = self.columns[-1]
        alive: set[tuple[Symbol, int, int]] = set()
        calls: set[Call] = set()
        for places, origins in ((column.places, column.origins), (self.rests[column.rest].places, (column.rest,))):
            going, ended = self.step(places, byte)
            alive |= {(word, state, origins[slot]) for word, state, slot in going}
            calls |= {(origins[slot], word) for slot, word in ended}
        origins = tuple(sorted({origin for *_, origin in alive}))
        numbered = frozenset((word, state, origins.index(origin)) for word, state, origin in alive)
        if (key := frozenset(calls)) not in self.returns:
            self.returns[key] = self.rest_of([], list(calls))
        self.columns.append(Column(numbered, origins, self.returns[key]))
        return self.is_alive

    def pop(self, n_bytes: int) -> None:
        """Take the last bytes back."""
        del self.columns[len(self.columns) - n_bytes :]

    def step(self, places: Places, byte: int) -> tuple[Places, frozenset[tuple[int, Symbol]]]:
        """The places that go on and the slots and words that end, wherever these began."""
        if (places, byte) not in self.steps:
            of = self.machines
            went = {(word, to, slot) for word, at, slot in places for to in of[word].step(frozenset({at}), byte)}
            ended = frozenset((slot, word) for word, at, slot in went if at in of[word].accepting)
            self.steps[places, byte] = frozenset(place for place in went if of[place[0]].edges[place[1]]), ended
        return self.steps[places, byte]

    def rest_of(self, agenda: list[Item], ended: list[Call]) -> int:
        """The rest of items and of calls that have ended: Earley's predict and complete, but for words."""
        items: dict[Item, None] = {}
        done: set[Call] = set()
        while agenda or ended:
            if not agenda:
                done.add(call := ended.pop())
                origin, symbol = call
                waiting = list(items) if origin == HERE else self.rests[origin].waiting if origin >= 0 else ()
                agenda += [back(item, origin) for item in waiting if item.after_dot == symbol]
                continue
            if (item := agenda.pop()) in items:
                continue
            items[item] = None
            if (symbol := item.after_dot) is None:
                ended.append((item.origin, item.name))
                continue
            if word := self.machines.get(symbol):
                is_over = word.start in word.accepting
            else:
                is_over = (HERE, symbol) in done
                agenda += [Item(str(symbol), p, 0, HERE) for p in self.cfg.productions.get(str(symbol), ())]
            agenda += [back(item, HERE)] if is_over else []
        waiting = frozenset(item for item in items if item.after_dot is not None)
        places = frozenset((w, self.machines[w].start, 0) for i in waiting if (w := i.after_dot) and w in self.machines)
        rest = Rest(waiting, places, is_complete=(OUTSIDE, "") in done)
        self.rests += [rest] if rest not in self.rests else []
        return self.rests.index(rest)

    @property
    def is_alive(self) -> bool:
        """Can the bytes so far be continued to a whole match (or are they one)?"""
        return bool(self.columns[-1].places) or self.columns[-1].rest != NOTHING

    def is_complete(self) -> bool:
        """Are the bytes so far a whole match of the start?"""
        return self.rests[self.columns[-1].rest].is_complete


def back(item: Item, origin: int) -> Item:
    """An item that waited in `origin`, after what it waited for."""
    return item.advanced()._replace(origin=origin if item.origin == HERE else item.origin)


def is_word(expression: Expression) -> bool:
    """Whether it refers to no rule, and to no whole token."""
    match expression:
        case ("rule" | "tokens", _):
            return False
        case ("seq" | "choice", parts):
            return all(is_word(part) for part in parts)
        case ("repeat", part, _, _):
            return is_word(part)
        case _:
            return True
