"""The package lark's Earley parser, led byte by byte, as an oracle of prefixes.

>>> from campaign.oracles.productions import Productions
>>> made = Productions()
>>> made.add("start", made.literal(b"(") + ("start",) + made.literal(b")"))
>>> made.add("start", ())
>>> oracle = EarleyOracle(made)
>>> state = oracle.after(oracle.start, b"(()")
>>> oracle.is_end(state), oracle.is_end(oracle.after(state, b")")), oracle.after(state, b"))")
(False, True, 0)

Predicting and completing are lark's (`lark.parsers.earley.Parser.predict_and_complete`, made by Lark's authors after
Scott 2008); one byte is one terminal of theirs. Ours is the bookkeeping around it: columns are kept in a graph in
place of a list. Two columns are the same if they have the same items, begun in the same columns. Then what can follow
is the same, and one step is derived once for all texts that lead there.

All productions that can't end are dropped before (`Productions.useful`). So a beginning is viable if and only if
its column has an item (Earley's valid prefix property).
"""

from __future__ import annotations

import importlib
from typing import Any

from campaign.oracles.automaton import DEAD, Automaton, TooLargeError, classes_of
from campaign.oracles.productions import Productions

__all__ = ["EarleyOracle"]


class _Items(set[Any]):
    """A set that can't grow without end."""

    most = 1_500

    def add(self, item: Any, /) -> None:
        set.add(self, item)
        if len(self) > self.most:
            raise TooLargeError(f"more than {self.most} items in a column")


class EarleyOracle(Automaton):
    """A prefix oracle of productions over bytes.

    Parameters
    ----------
    productions : Productions
    most_states, most_items : int
        How many columns it may keep, and how many items it may derive in all; beyond it raises `TooLargeError`.
    """

    def __init__(self, productions: Productions, most_states: int = 20_000, most_items: int = 250_000) -> None:
        grammar: Any = importlib.import_module("lark.grammar")
        earley: Any = importlib.import_module("lark.parsers.earley")
        self._item: Any = importlib.import_module("lark.parsers.earley_common").Item
        rows = productions.useful()
        ranges = {symbol for row in rows.values() for way in row for symbol in way if isinstance(symbol, tuple)}
        super().__init__(classes_of(ranges), most_states)
        self.items_left = most_items
        self.is_empty = not rows
        if self.is_empty:
            self.start = DEAD
            return
        terminals = {pair: grammar.Terminal(f"{pair[0]:02X}_{pair[1]:02X}") for pair in ranges}
        names = {name: grammar.NonTerminal(name) for name in rows}
        start = names.setdefault("$start", grammar.NonTerminal("$start"))
        rules = [grammar.Rule(start, [names[productions.start]])]
        rules += [
            grammar.Rule(names[name], [names[s] if isinstance(s, str) else terminals[s] for s in row], order)
            for name, ways in rows.items()
            for order, row in enumerate(ways)
        ]
        self._parser = earley.Parser(
            _LexerConf(), _ParserConf(rules), _no_match, resolve_ambiguity=False, tree_class=None, ordered_sets=False
        )
        self._matching = [
            {terminals[low, high] for low, high in ranges if low <= byte <= high} for byte in self.classes.members
        ]
        self._rule_number = {rule: i for i, rule in enumerate(rules)}
        self._start = start
        # Lark's lists, one entry a kept column; entry 0 stands for the dead state.
        self._columns: list[Any] = [set()]
        self._to_scan: list[Any] = [set()]
        self._transitives: list[Any] = [{}]
        self._close({self._item(rules[0], 0, 1)})

    def grant(self, n_items: int) -> None:
        """Lets it derive at least so many items more."""
        self.items_left = max(self.items_left, n_items)

    def follow(self, state: int, byte_class: int) -> int:
        """Lark's scanner, without its forest: items that wait for a terminal which matches go on."""
        matching = self._matching[byte_class]
        moved = {item.advance() for item in self._to_scan[state] if item.expect in matching}
        return self._close(moved) if moved else DEAD

    def _close(self, moved: set[Any]) -> int:
        """Predicts and completes a new column, and numbers it; one that is known already is dropped again."""
        new = len(self._columns)
        waiting = _Items(item for item in moved if item.expect in self._parser.TERMINALS)
        column = _Items(moved - waiting)
        self._columns.append(column)
        self._transitives.append({})
        number = DEAD
        try:
            self._parser.predict_and_complete(new, waiting, self._columns, self._transitives, {})
            self.items_left -= len(column) + len(waiting)
            if self.items_left < 0:
                raise TooLargeError("too many items in all")
            items = frozenset(
                (self._rule_number[item.rule], item.ptr, 0 if item.start == new else item.start)
                for part in (column, waiting)
                for item in part
            )
            is_end = any(item.is_complete and item.rule.origin == self._start for item in column)
            number = self.number(items, is_end=is_end)
        finally:
            if number != new:  # the case ended, or this very column is there
                self._columns.pop()
                self._transitives.pop()
        if number == new:
            for part in (column, waiting):
                for item in part:
                    item.node = None  # the forest of derivations: nobody reads it
            self._to_scan.append(waiting)
        return number


class _LexerConf:
    lexer_type = "dynamic"
    terminals: tuple[()] = ()


class _ParserConf:
    def __init__(self, rules: list[Any]) -> None:
        self.rules = rules
        self.start = ["$start"]
        self.callbacks: dict[Any, Any] = {}


def _no_match(*_: object) -> bool:
    raise AssertionError("lark's own scanner isn't used")
