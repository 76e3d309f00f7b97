"""The plan of masks: the engine's against the twin's, on every combination of facts and ways."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import asdict, fields

from xg2lab import _core
from xg2lab.reference.plan import Costs, Facts, State, Ways, decides_little, plan

FLAGS = [field.name for field in fields(Facts) if field.type in {bool, "bool"}]
WAYS = [
    ways for ways in itertools.starmap(Ways, itertools.product((False, True), repeat=4)) if ways.entries or ways.walks
]


def all_facts() -> list[Facts]:
    """Every combination of flags; of each count its least value on either side of the threshold."""
    costs = Costs()
    counts = itertools.product(
        (0, costs.least_missing_for_walk - 1, costs.least_missing_for_walk),
        (costs.most_uncertain, costs.most_uncertain + 1),
        (costs.most_counted_callers, costs.most_counted_callers + 1),
    )
    return [
        Facts(n_missing=missing, n_uncertain=uncertain, n_counted_callers=callers, **flags)
        for missing, uncertain, callers in counts
        for values in itertools.product((False, True), repeat=len(FLAGS))
        for flags in [dict(zip(FLAGS, values, strict=True))]
    ]


def test_every_combination_of_facts_has_the_same_way():
    taken: Counter[str] = Counter()
    for facts in all_facts():
        column = asdict(facts)
        for ways in WAYS:
            way = plan(facts, ways)
            assert _core.plan_mask(column, asdict(ways)) == way, (facts, ways)
            taken[way] += 1
    assert set(taken) == {"entries", "entries_and_run", "walk", "shared_walks"}
    assert min(taken.values()) > 100


def test_a_way_that_is_off_is_not_taken():
    for facts in all_facts():
        column = asdict(facts)
        for ways in WAYS:
            way = _core.plan_mask(column, asdict(ways))
            assert ways.walks or way == "entries"
            assert ways.entries or facts.expects_token or way in {"walk", "shared_walks"}
            assert ways.shared_walks or way != "shared_walks"
            assert ways.counted_runs or way != "entries_and_run"


def test_whether_an_entry_would_decide_little():
    for flags in itertools.product((False, True), repeat=len(fields(State))):
        state = State(*flags)
        for ways in WAYS:
            assert _core.entry_would_decide_little(asdict(state), asdict(ways)) == decides_little(state, ways)
