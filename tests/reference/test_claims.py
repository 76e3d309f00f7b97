"""The protocol of claims in all orders of events; and that each of its rules is needed, or the model could not fail."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from xg2lab.reference.claim_orders import explore
from xg2lab.reference.claims import (
    Protocol,
    World,
    background,
    caller,
    evicter,
    forker,
    owner,
)

CORE = Path(__file__).parents[2] / "core"

WORLDS = {
    "three callers of one entry, and two faults": (World.of(caller(0), caller(0), caller(0)), 2),
    "callers, the background, and a pool that is emptied": (
        World.of(caller(0), caller(0), background(0), evicter()),
        1,
    ),
    "a fork in between": (World.of(caller(0), caller(0), background(0), forker()), 1),
    "two forks": (World.of(caller(0), background(0), forker(), forker()), 1),
    "a grammar that is let go of": (World.of(background(0), background(0), owner(), evicter()), 1),
    "a caller that is interrupted": (World.of(caller(0), caller(0, is_interrupted=True), background(0)), 1),
    "two entries": (World.of(caller(0), caller(1), background(1)), 1),
}

# Without a rule: what breaks, and who shows it.
NEEDED = {
    "looks_under_lock": ("I1", World.of(caller(0), caller(0)), 0),
    "looks_again": ("I3", World.of(caller(0), caller(0)), 1),
    "gives_back": ("deadlock", World.of(caller(0), caller(0)), 1),
    "notifies": ("deadlock", World.of(caller(0), caller(0)), 0),
    "erases_first": ("deadlock", World.of(caller(0), caller(0)), 1),
    "keeps": ("I3", World.of(caller(0), evicter()), 0),
    "holds_store": ("I3", World.of(background(0), owner()), 0),
    "is_gated": ("I4", World.of(background(0), owner(), forker()), 0),
    "hears": ("I6", World.of(caller(0), caller(0, is_interrupted=True)), 0),
}


@pytest.mark.parametrize("name", WORLDS)
def test_whatever_happens_the_rules_hold(name: str):
    world, n_faults = WORLDS[name]
    found = explore(world, n_faults=n_faults)
    assert found.fault is None, "\n".join(found.way)
    assert found.n_states > 500


@pytest.mark.parametrize("rule", [field.name for field in fields(Protocol)])
def test_each_rule_is_needed(rule: str):
    breaks, world, n_faults = NEEDED[rule]
    assert explore(world, n_faults=n_faults).fault is None
    found = explore(world, Protocol(**{rule: False}), n_faults=n_faults)
    assert found.fault is not None
    assert found.fault.startswith(breaks), (found.fault, found.way)
    assert found.way, "the way there is told"


def test_the_engine_does_its_steps_in_the_order_of_the_model():
    """The model is of this text: who changes the one looks at the other."""
    store = (CORE / "mask" / "entries" / "mask_store.cc").read_text(encoding="utf-8")
    entry = r"MaskStore::entry\(.*?known\(key\).*?unique_lock lock\(mutex_\);\s*while \(true\) \{"
    entry += r"\s*if \(.*?known\(key\)\).*?claimed_\.insert\(key\)\.second\) break;\s*wait_for_a_claim\(lock\);"
    assert re.search(entry, store, re.DOTALL)
    wait = r"hears == Hears::kNothing\) return claim_ended_\.wait\(lock\);\s*claim_ended_\.wait_for\(.*?check_budget\("
    assert re.search(wait, store, re.DOTALL)
    claim = r"~Claim\(\) \{\s*\{\s*const std::lock_guard lock\(store\.mutex_\);\s*store\.claimed_\.erase\(key\);\s*\}"
    assert re.search(claim + r"\s*store\.claim_ended_\.notify_all\(\);", store)
    jit = (CORE / "runtime" / "partial_jit.cc").read_text(encoding="utf-8")
    assert re.search(
        r"make_next\(\) \{\s*const ForkGate::Inside inside;.*?store_\.lock\(\);.*?make_ahead\(", jit, re.DOTALL
    )
