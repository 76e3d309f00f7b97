"""The steps of actors that claim a mask entry, wait for it, evict it, release the grammar, or fork.

>>> from xg2lab.reference.claims import World, caller
>>> world = World.of(caller(0), caller(0))
>>> [step.what for i in (0, 1) for step in steps(world, i, Protocol(), n_faults=0)]
['gate', 'gate']

Each `case` is a position of an actor and the actor's step from there, with the names of the C++. A
step that may throw has two outcomes. `locks` has none as long as another holds the mutex.
"""

from __future__ import annotations

from collections.abc import Iterator

from xg2lab.reference.claims import (
    BrokenError,
    Protocol,
    Step,
    World,
    check_store,
    is_alive,
    publish,
    store_is_alive,
    wake_all,
)


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
            yield to("notify" if protocol.erases_first else actor.after_make, erased)
        case "notify":
            woken = wake_all(world) if protocol.notifies else world
            if protocol.erases_first:
                yield to(actor.after_make, woken)
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
