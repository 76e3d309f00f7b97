"""Threads that make a mask entry, wait for it, or fail while they make it: a model with all its possible steps.

>>> world = World.of(caller(0), evicter())
>>> [actor.at for actor in world.actors], store_is_alive(world)
(['gate', 'evict'], True)

IDEA A world is the position of each actor, and the shared state. A step is an actor's work between
two visible events: a lock, an atomic access, a call that may throw.

  Actors are the engine's: callers of `MaskStore::entry`, the background's `MaskStore::make_ahead`,
  an actor that empties the `MaskPool`, an owner that releases the grammar, an actor that forks.
  Their steps have the names of the C++ (claim_steps.py). A step that may throw (a budget, an
  interrupt, no memory) may throw at any time, `n_faults` times in all. `Protocol` lists the rules
  of the engine that are obeyed: without any one of them some order of the steps leads to a fault
  (claim_orders.py).

NOT HERE The results of walks; the pool's own lists, whose sections under its mutex are one step
each; `ThreadPool::run`.

See also: core/mask/entries/mask_store.cc, core/runtime/partial_jit.cc, core/support/fork_gate.cc.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

N_PLACES = 2


@dataclass(frozen=True)
class Protocol:
    """The rules, each of which may be left out to see what it is for."""

    looks_under_lock: bool = True  #: who has the lock looks once more before it claims
    looks_again: bool = True  #: who was woken looks once more
    gives_back: bool = True  #: a claim ends when its maker fails, too
    notifies: bool = True  #: the end of a claim wakes those who wait
    erases_first: bool = True  #: a claim is over before those who wait are told
    keeps: bool = True  #: a store shares in the entries that it took from the pool
    holds_store: bool = True  #: the background holds the store while it makes an entry
    is_gated: bool = True  #: the background stands inside the fork gate
    hears: bool = True  #: an interrupt ends a wait, and not only work


class Actor(NamedTuple):
    """Where an actor stands (`at`), what it is about, and what it holds."""

    kind: str
    place: int
    at: str
    entry: int | None = None  # a shared_ptr to it
    has_failed: bool = False
    holds_store: bool = False
    is_interrupted: bool = False  # one has come, and it hears

    @property
    def after_make(self) -> str:
        """Where who has made an entry, or has failed to, goes on."""
        return "out" if self.has_failed or self.kind == "background" else "use"


class World(NamedTuple):
    """What all actors share, and the actors."""

    actors: tuple[Actor, ...]
    mutex: int | None = None  # whose: the number of an actor
    claimed: frozenset[int] = frozenset()
    waiting: frozenset[int] = frozenset()  # on claim_ended_
    entries: tuple[int | None, ...] = (None,) * N_PLACES  # of the store, by place
    pooled: int | None = None  # an entry that another grammar may find
    n_made: int = 0
    n_inside: int = 0
    n_forking: int = 0
    n_faults: int = 0

    @classmethod
    def of(cls, *actors: Actor) -> World:
        """The beginning."""
        return cls(actors)


def caller(place: int, is_interrupted: bool = False) -> Actor:
    """A matcher's thread that needs the place's entry. `is_interrupted`: Ctrl-C comes at any time, and is heard."""
    return Actor("caller", place, "gate", holds_store=True, is_interrupted=is_interrupted)


def background(place: int) -> Actor:
    """A background thread, which makes the entry ahead if the grammar is still there."""
    return Actor("background", place, "gate")


def evicter() -> Actor:
    """Another grammar's thread, for which the pool lets go of what it has."""
    return Actor("evicter", 0, "evict")


def owner() -> Actor:
    """Whoever has compiled the grammar, and lets go of it."""
    return Actor("owner", 0, "drop", holds_store=True)


def forker() -> Actor:
    """A thread that forks."""
    return Actor("forker", 0, "close")


class BrokenError(Exception):
    """A rule of claim_orders.py does not hold."""


class Step(NamedTuple):
    """A step: who, what, and the world after it. `is_forced`: nobody may count on it (a fault, a chance wake-up)."""

    who: int
    what: str
    after: World
    is_forced: bool = False


def publish(world: World, actor: Actor) -> World:
    """MaskStore::publish."""
    if world.entries[actor.place] is not None:
        raise BrokenError("I1: an entry is published twice")
    entries = list(world.entries)
    entries[actor.place] = actor.entry
    return world._replace(entries=tuple(entries))


def wake_all(world: World) -> World:
    """`claim_ended_.notify_all()`."""
    actors = (actor._replace(at="relock") if i in world.waiting else actor for i, actor in enumerate(world.actors))
    return world._replace(actors=tuple(actors), waiting=frozenset())


def store_is_alive(world: World) -> bool:
    """Whether anybody holds it."""
    return any(actor.holds_store for actor in world.actors)


def check_store(world: World) -> None:
    """Raises BrokenError where a store is used that is gone."""
    if not store_is_alive(world):
        raise BrokenError("I3: a store is used that is gone")


def is_alive(world: World, entry: int, protocol: Protocol) -> bool:
    """Whether anybody shares in the entry."""
    is_owned = protocol.keeps and entry in world.entries
    return is_owned or entry == world.pooled or any(actor.entry == entry for actor in world.actors)
