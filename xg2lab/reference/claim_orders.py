"""All states of the model of claims, in every order of events; and the shortest way to a forbidden state.

>>> from xg2lab.reference.claims import World, caller, evicter
>>> found = explore(World.of(caller(0), caller(0), evicter()), n_faults=1)
>>> found.fault, found.n_states > 1000
(None, True)
>>> found = explore(World.of(caller(0), caller(0)), Protocol(notifies=False))
>>> found.fault, found.way[-2:]
('deadlock: nobody can go on', ['0 use', '0 out'])

IDEA `explore` follows every step of every actor from the beginning, the shortest ways first. So a
property of all worlds that it visits holds in every order of events.

WHAT IS CHECKED I1  an entry is made by one actor at a time, and published once I2  a claim belongs
to the actor that makes the entry; when all is over there is none I3  every used object exists: the
entry, and the store with its mutex I4  at a fork no lock is held and nothing is claimed: a child
finds all free I5  no actor waits for ever: from every world all actors can finish without further
faults and without spurious wake-ups I6  an actor that is interrupted while it waits can leave
without help
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from xg2lab.reference.claim_steps import steps
from xg2lab.reference.claims import N_PLACES, BrokenError, Protocol, World

MAKING = {"share", "walk", "offer", "publish lock", "publish"}  # with a claim, and not yet at its end


def check(world: World) -> None:
    """Raises BrokenError for what must not be, whoever has just done a step."""
    for place in range(N_PLACES):
        makers = [actor for actor in world.actors if actor.place == place and actor.at in MAKING]
        if len(makers) > 1:
            raise BrokenError("I1: two make one entry")
    if all(actor.at == "done" for actor in world.actors):
        if world.claimed:
            raise BrokenError("I2: a claim is left over")
        if world.mutex is not None or world.n_inside or world.n_forking:
            raise BrokenError("I4: a lock or the gate is left as it was")


@dataclass
class Found:
    """What `explore` found: how many worlds and steps there are; the first fault, and the way to it."""

    n_states: int
    n_steps: int
    fault: str | None = None
    way: list[str] = field(default_factory=list[str])


def explore(begin: World, protocol: Protocol | None = None, n_faults: int = 0) -> Found:
    """Everything that can happen.

    Parameters
    ----------
    begin : World
    protocol : Protocol, optional
        The engine's if not given.
    n_faults : int
        How often a call may throw, in all.

    Returns
    -------
    Found
        `fault` is None if I1 to I6 hold in all worlds.
    """
    protocol = protocol or Protocol()
    came_from: dict[World, tuple[World, str] | None] = {begin: None}
    unforced: dict[World, list[World]] = {}  # by the world after: those before
    ends: list[World] = []
    n_steps = 0

    def way_to(world: World) -> list[str]:
        words: list[str] = []
        while (before := came_from[world]) is not None:
            world, word = before
            words.append(word)
        return words[::-1]

    left = deque([begin])
    while left:
        world = left.popleft()
        can_go_on = False
        for i, actor in enumerate(world.actors):
            try:
                taken = list(steps(world, i, protocol, n_faults))
                for step in taken:
                    check(step.after)
            except BrokenError as broken:
                return Found(len(came_from), n_steps, str(broken), [*way_to(world), f"{i} {actor.at}"])
            if actor.at == "waiting" and actor.is_interrupted and all(step.is_forced for step in taken):
                fault = "I6: an interrupt is not heard in a wait"
                return Found(len(came_from), n_steps, fault, way_to(world))
            for step in taken:
                n_steps += 1
                if not step.is_forced:
                    can_go_on = True
                    unforced.setdefault(step.after, []).append(world)
                if step.after not in came_from:
                    came_from[step.after] = (world, f"{i} {step.what}" + " (forced)" * step.is_forced)
                    left.append(step.after)
        if all(actor.at == "done" for actor in world.actors):
            ends.append(world)
        elif not can_go_on:
            return Found(len(came_from), n_steps, "deadlock: nobody can go on", way_to(world))
    # I5: back from the ends.
    reaches_end = set(ends)
    left = deque(ends)
    while left:
        for before in unforced.get(left.popleft(), ()):
            if before not in reaches_end:
                reaches_end.add(before)
                left.append(before)
    for world in came_from:  # in the order in which they were met
        if world not in reaches_end:
            return Found(len(came_from), n_steps, "livelock: the end is out of reach", way_to(world))
    return Found(len(came_from), n_steps)
