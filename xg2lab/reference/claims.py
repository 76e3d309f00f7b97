"""Who makes a mask entry, who waits for it, and what if the maker fails: a model, and all that can happen in it.

>>> world = World.of(caller(0), caller(0))
>>> [step.what for i in (0, 1) for step in steps(world, i, Protocol(), n_faults=0)]
['gate', 'gate']

IDEA
  A world is where each actor stands, and what all share. A step is what an actor does between two moments at which
  others can see it: a lock, an atomic access, a call that may throw.

  Actors are the engine's: callers of `MaskStore::entry`, the background's `MaskStore::make_ahead`, somebody who
  empties the `MaskPool`, somebody who lets go of the grammar, somebody who forks. Their steps have the names of the
  C++. Whatever may throw (a budget, an interrupt, no memory) may throw at any time, `n_faults` times in all.

  `Protocol` says which rules of the engine are kept. Without any one of them something breaks (claim_orders.py).

NOT HERE
  What a walk finds; the pool's own lists, whose sections under its mutex are one step each; `ThreadPool::run`.

See also: core/mask/mask_store.cc, core/runtime/partial_jit.cc, core/support/fork_gate.cc.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

N_PLACES = 2
MAKING = {"share", "walk", "offer", "publish lock", "publish", "claim ends", "erase", "notify"}


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


# ---- The steps ----


def steps(world: World, i: int, protocol: Protocol, n_faults: int) -> Iterator[Step]:
    """What actor `i` can do now."""
    actor = world.actors[i]

    def to(at: str, now: World = world, forced: bool = False, **changes: object) -> Step:
        changed = actor._replace(at=at, **changes)  # pyright: ignore[reportArgumentType]
        return Step(i, actor.at, now._replace(actors=(*now.actors[:i], changed, *now.actors[i + 1 :])), forced)

    def fails(at: str, now: World = world) -> Iterator[Step]:
        if world.n_faults < n_faults:
            yield to(at, now._replace(n_faults=world.n_faults + 1), forced=True, has_failed=True, entry=None)

    def locks(at: str) -> Iterator[Step]:
        check_store(world)
        if world.mutex is None:
            yield to(at, world._replace(mutex=i))

    unlocked = world._replace(mutex=None)
    after_claim = "claim ends" if protocol.gives_back else "out"
    is_background = actor.kind == "background"

    match actor.at:
        # The fork gate: who enters counts first and looks second.
        case "gate" if is_background and not protocol.is_gated:
            yield to("store_.lock")
        case "gate":
            yield to("gate look", world._replace(n_inside=world.n_inside + 1))
        case "gate look" if world.n_forking:
            yield to("gate closed", world._replace(n_inside=world.n_inside - 1))
        case "gate look":
            yield to("store_.lock" if is_background else "find")
        case "gate closed":
            if not world.n_forking:
                yield to("gate look", world._replace(n_inside=world.n_inside + 1))

        # MaskStore::entry and MaskStore::make_ahead
        case "store_.lock":  # a weak_ptr
            is_there = store_is_alive(world)
            yield to("lock" if is_there else "out", holds_store=is_there and protocol.holds_store)
        case "find":
            yield to("lock" if world.entries[actor.place] is None else "use")
        case "lock":
            yield from locks("known")
        case "known" if world.entries[actor.place] is not None and protocol.looks_under_lock:
            yield to("out" if is_background else "use", unlocked)
        case "known" if actor.place not in world.claimed:
            yield to("share", unlocked._replace(claimed=world.claimed | {actor.place}))
            yield from fails("out", unlocked)  # no memory for the claim
        case "known" if is_background:
            yield to("out", unlocked)
        case "known":
            yield to("waiting", unlocked._replace(waiting=world.waiting | {i}))
        case "waiting":
            awake = world._replace(waiting=world.waiting - {i})
            yield to("relock", awake, forced=True)
            if actor.is_interrupted and protocol.hears:
                yield to("relock, heard", awake)  # wait_for is over
        case "relock":
            yield from locks("known" if protocol.looks_again else "woken")
        case "woken":
            yield to("use", unlocked)
        case "relock, heard":
            yield from locks("check_budget")
        case "check_budget":
            yield to("out", unlocked, has_failed=True)

        # MaskStore::make: with a claim
        case "share":  # MaskPool::find
            found = world.pooled if actor.place == 0 else None
            yield to("walk") if found is None else to("publish lock", entry=found)
            yield from fails(after_claim)
        case "walk":
            yield to("offer", world._replace(n_made=world.n_made + 1), entry=world.n_made)
            yield from fails(after_claim)
        case "offer":  # MaskPool::add, for places that other grammars have too
            yield to("publish lock", world._replace(pooled=actor.entry) if actor.place == 0 else world)
            yield from fails(after_claim)
        case "publish lock":
            yield from locks("publish")
        case "publish":
            yield to("claim ends", publish(unlocked, actor), entry=None)
            yield from fails(after_claim, unlocked)
        # ~Claim
        case "claim ends":
            yield from locks("erase" if protocol.erases_first else "notify")
        case "erase":
            erased = unlocked._replace(claimed=world.claimed - {actor.place})
            yield to("notify" if protocol.erases_first else after_make(actor), erased)
        case "notify":
            woken = wake_all(world) if protocol.notifies else world
            if protocol.erases_first:
                yield to(after_make(actor), woken)
            else:
                yield to("relock to erase", woken._replace(mutex=None))
        case "relock to erase":
            yield from locks("erase")

        case "use":
            entry = world.entries[actor.place]
            check_store(world)
            if entry is None or not is_alive(world, entry, protocol):
                raise BrokenError("I3: an entry is used that is not there")
            yield to("out")
        case "out":
            is_inside = protocol.is_gated or not is_background
            left = world._replace(n_inside=world.n_inside - 1) if is_inside else world
            yield to("done", left, holds_store=False, entry=None)

        # The others
        case "evict":
            yield to("done", world._replace(pooled=None))
        case "drop":
            yield to("done", holds_store=False)
        case "close":
            yield to("wait", world._replace(n_forking=world.n_forking + 1))
        case "wait":
            if not world.n_inside:
                yield to("copy")
        case "copy":
            if world.mutex is not None or world.claimed:
                raise BrokenError("I4: a child inherits a lock or a claim")
            yield to("open")
        case "open":
            yield to("done", world._replace(n_forking=world.n_forking - 1))
        case _:
            return


def after_make(actor: Actor) -> str:
    """Where who has made an entry, or has failed to, goes on."""
    return "out" if actor.has_failed or actor.kind == "background" else "use"


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
