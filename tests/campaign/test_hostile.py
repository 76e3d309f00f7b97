"""The hostile corpus: what it holds, how costs are judged, and a share of it on the tiny vocabulary."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from campaign.children import Limits, Result
from campaign.hostile.corpus import SWITCHES, corpus, sample
from campaign.hostile.faces import Xg2LabFace, as_text, tiny_vocabulary
from campaign.hostile.inputs import FAMILIES, FRONT_ENDS, MAX_BYTES, Input
from campaign.hostile.measure import Cost, judged, measure
from campaign.hostile.run import finding_of, known_exceptions
from tests.generators import SHARE
from xg2lab.options import EngineOptions

# Generous: what is asserted is the class of the outcome. The bounds themselves are judged by `make
# campaign`.
GUARD = Limits(cpu_s=30, wall_s=600, address_bytes=2 << 30)


def test_there_are_enough_inputs_over_all_front_ends_options_and_parsers():
    inputs = list(corpus())
    assert len({made.name for made in inputs}) == len(inputs) > 500
    counted = Counter(made.front_end for made in inputs)
    assert all(counted[front_end] > 40 for front_end in FRONT_ENDS)
    varied = {key for made in inputs for key in made.options}
    limits = {name for name in EngineOptions.__dataclass_fields__ if name.startswith("max_")}
    assert varied == set(EngineOptions.__dataclass_fields__) - limits
    assert sum(made.options.get("parser") == "pda" for made in inputs) > 100


def test_names_of_families_are_their_own():
    assert len({(family.front_end, family.name) for family in FAMILIES}) == len(FAMILIES)
    assert all(list(family.sizes) == sorted(set(family.sizes)) for family in FAMILIES)


def test_the_smallest_of_each_family_is_small_and_the_same_each_time():
    for family in FAMILIES:
        smallest = next(family.inputs())
        text = as_text(smallest.make())
        assert 0 < len(text.encode("utf-8", "replace")) < MAX_BYTES // 4, family
        assert as_text(smallest.make()) == text


def test_a_sample_is_the_same_for_a_seed():
    assert [made.name for made in sample(9, 5)] == [made.name for made in sample(9, 5)]
    assert [made.name for made in sample(9, 5)] != [made.name for made in sample(9, 6)]


def a_cost(name: str = "ebnf/x/1", **told: float | str) -> Cost:
    return judged(Cost(name, "xg2lab"), Result("ok", [dict(told)]))


def test_bounds():
    assert a_cost(compile_s=0.99, peak_mb=255.0).over == ""
    assert a_cost(compile_s=1.01).over == "time"
    assert a_cost(first_mask_s=1.01).over == "time"
    assert a_cost(largest_mask_s=0.9, largest_accept_s=1.2).over == "time"
    assert a_cost(steps_s=30.0, n_steps=60).over == ""  # the sum of sixty steps is no call
    assert a_cost(peak_mb=257.0).over == "memory"
    assert a_cost(compile_s=2.0, peak_mb=300.0).over == "time+memory"


def test_a_refusal_may_take_its_time_but_not_memory():
    refused = judged(Cost("x", "xg2lab"), Result("typed", [{"compile_s": 3.0, "peak_mb": 10.0}], "LimitError: ..."))
    assert (refused.over, finding_of(refused, {})) == ("", None)
    assert judged(Cost("x", "xg2lab"), Result("typed", [{"peak_mb": 900.0}], "LimitError: ...")).over == "memory"


@pytest.mark.parametrize("kind", ["untyped", "crash", "over", "memory"])
def test_what_is_a_finding(kind: str):
    cost = judged(Cost("x", "xg2lab"), Result(kind, [{"where": "compile"}], "words"))  # pyright: ignore[reportArgumentType]
    found = finding_of(cost, {})
    assert found is not None
    assert found.name == "x"
    assert "at compile: words" in found.detail
    assert finding_of(cost, {"x": "a reason"}) is None


def test_a_known_exception_that_is_none_any_more_is_a_finding():
    found = finding_of(a_cost("x", compile_s=0.1), {"x": "a reason"})
    assert found is not None
    assert found.kind == "known no more"


def test_known_exceptions_are_inputs_and_have_reasons(tmp_path: Path):
    names = {made.name for made in corpus()}
    from campaign.hostile.run import KNOWN

    for name, reason in known_exceptions(KNOWN).items():
        assert name in names
        assert reason.strip()
    assert known_exceptions(tmp_path / "none.toml") == {}


class Refusing:
    """An engine that does what it is told to."""

    name = "xg2lab"
    typed = (ValueError,)

    def __init__(self, mask: list[int], accepts: bool):
        import numpy as np

        self.words, self.accepts = np.array(mask, np.int32), accepts

    def reads(self, made: Input) -> bool:
        return True

    def compile(self, made: Input, source: object) -> None: ...
    def start(self) -> None: ...
    def fill(self):
        return self.words

    def accept(self, token: int) -> bool:
        return self.accepts

    def is_over(self) -> bool:
        return False


def test_a_mask_that_accept_contradicts_is_found():
    made = next(iter(FAMILIES[0].inputs()))
    wrong = measure(Refusing([0b1000], accepts=False), made, GUARD)
    assert (wrong.outcome, wrong.detail) == (
        "untyped", "AssertionError: token 3 is in the mask and not accepted, at step 0",
    )  # fmt: skip
    right = measure(Refusing([0b1000], accepts=True), made, GUARD)
    assert (right.outcome, right.n_steps) == ("ok", 60)
    assert measure(Refusing([0], accepts=True), made, GUARD).n_steps == 0


def test_a_share_of_the_corpus_gives_results_or_refusals():
    """No crash, no error but ours, and no token of a mask refused: small inputs, the tiny vocabulary."""
    seed = int(os.environ.get("XG2LAB_SEED", "1"))
    face = Xg2LabFace(tiny_vocabulary())
    costs = [measure(face, made, GUARD, seed) for made in sample(max(6, int(36 * SHARE)), seed)]
    bad = [(cost.name, cost.outcome, cost.where, cost.detail) for cost in costs if cost.outcome not in ("ok", "typed")]
    assert not bad
    assert sum(cost.outcome == "ok" for cost in costs) > len(costs) // 3
    assert len(SWITCHES) > 10
