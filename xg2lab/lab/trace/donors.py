"""The grammar that a mask entry was taken over from, and which of its states is the one here.

>>> class Named:  # two machines that differ in names alone
...     def __init__(self, name):
...         self.edges = [{"from": 0, "to": 1, "kind": "bytes", "label": "[0-9]", "ranges": [[48, 57]], "rule": None}]
...         self.states = [{"id": 0, "rule": 0, "accepting": False}, {"id": 1, "rule": 0, "accepting": True}]
...         self.rules = [{"id": 0, "name": name, "start": 0, "repeat": None}]
>>> equal_states(vars(Named("digit")), 1, vars(Named("ziffer")))
[1]

IDEA
  The pool names a rule as a written machine (core/program/structure.h) and forgets the grammars'
  names for it. So the state is found by the engine's definition: two states are equal if both or
  neither accept, and their edges lead to equal states by equal bytes, tokens and rules. The states
  of both programs are divided into classes until no class can be divided further (Moore 1956); a
  rule is known by the class of its start.

A grammar is known here as long as it is alive and some session used it. See also `Session.donor`.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.errors import SessionError
from xg2lab.lab.trace.values import plain

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.lab.session.instances import Instance

__all__ = ["Donor", "donor_of", "equal_states", "remember"]

MOST_STATES = 40_000  # of both programs; parting passes over all of them some dozen times

_known: weakref.WeakValueDictionary[int, CompiledGrammar] = weakref.WeakValueDictionary()


def remember(compiled: CompiledGrammar) -> None:
    """A session uses this grammar: it can be shown as a donor as long as it is alive."""
    _known[compiled.id] = compiled


@dataclass(frozen=True)
class Donor:
    """A grammar that gave an entry; `state` equals the one here, None where there are too many to tell."""

    id: int
    name: str
    text: str
    root: str
    program: schema.Program
    state: int | None

    def to_wire(self) -> schema.WireDonor:
        """JSON values, for a page."""
        return {
            "id": self.id,
            "name": self.name,
            "grammar": {"text": self.text, "root": self.root},
            "program": self.program,
            "state": self.state,
        }

    def __str__(self) -> str:
        if self.state is None:
            return f"{self.id}: {self.name}"
        state = self.program["states"][self.state]
        rule = self.program["rules"][state["rule"]]
        return f"{self.id}: {self.name}, {rule['name']} -> {state['before']} • {state['after']}, line {rule['line']}"


def donor_of(entry: schema.MaskEntry, program: schema.Program, instance: Instance | None = None) -> Donor:
    """Whose walk the entry of a state of `program` rests on. Raises `SessionError` where it is not to be had.

    An `instance` takes entries over from its template alone; known rules have the same states in both.
    """
    if entry.get("cache", "miss") == "miss" or "donor" not in entry:
        raise SessionError("this entry was built here: it has no donor", hint="a perfect or a partial hit has one")
    compiled = _known.get(entry["donor"])
    if compiled is None and instance is not None and not instance.template.obstacles:
        text, root = instance.template.template.source, instance.facts()["root"]
        return Donor(entry["donor"], f"template: {entry.get('donor_name', '')}", text, root, program, entry["state"])
    if compiled is None:
        raise SessionError(
            f"grammar {entry['donor']} no longer exists here",
            hint="keep its session or its compiled grammar while you look at its entries",
        )
    theirs: schema.Program = plain(compiled.program())
    equal = equal_states(program, entry["state"], theirs)
    name = program["rules"][entry["rule"]]["name"]
    same_name = [s for s in equal if theirs["rules"][theirs["states"][s]["rule"]]["name"] == name]
    chosen = next(iter([*same_name, *equal]), None)
    grammar = compiled.grammar
    return Donor(compiled.id, compiled.name, grammar.source, grammar.root_rule_name, theirs, chosen)


def equal_states(program: schema.Program, state: int, other: schema.Program) -> list[int]:
    """The states of `other` from which the same machine goes on as from `state` of `program`, ascending."""
    n = len(program["states"])
    if n + len(other["states"]) > MOST_STATES:
        return []
    states = [*program["states"], *other["states"]]
    outgoing: list[list[tuple[Hashable, int, int]]] = [
        [] for _ in states
    ]  # what is read, the called rule's start, target
    starts: list[int] = []
    for shift, part in ((0, program), (n, other)):
        for edge in part["edges"]:
            called = -1 if edge["rule"] is None else part["rules"][edge["rule"]]["start"] + shift
            read = (edge["kind"], tuple(map(tuple, edge["ranges"])), edge["label"] if edge["kind"] == "token" else "")
            outgoing[edge["from"] + shift].append((read, called, edge["to"] + shift))
        starts += [part["rules"][s["rule"]]["start"] + shift for s in part["states"]]
    classes = _numbered([(s["accepting"], _bounds(part, s)) for part in (program, other) for s in part["states"]])
    n_classes = len(set(classes))
    while True:
        parted = [
            (
                classes[k],
                tuple(sorted((read, classes[called] if called >= 0 else -1, classes[to]) for read, called, to in out)),
            )
            for k, out in enumerate(outgoing)
        ]
        classes = _numbered(parted)
        if len(set(classes)) == n_classes:
            break
        n_classes = len(set(classes))
    # equal in their rule, from its start on: that is what the pool compares
    mine = (classes[state], classes[starts[state]])
    return [k - n for k in range(n, len(states)) if (classes[k], classes[starts[k]]) == mine]


def _bounds(program: schema.Program, state: schema.State) -> tuple[int, int | None] | None:
    repeat = program["rules"][state["rule"]].get("repeat")
    return (repeat["min"], repeat["max"]) if repeat else None


def _numbered(values: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
