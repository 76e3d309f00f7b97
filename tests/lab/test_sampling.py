"""p, q, Z, KL, ranks, draws and top lists, each against its definition written out in plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from xg2lab.errors import SessionError
from xg2lab.lab.model.sampling import Distribution, SamplingOptions, distribution, uniforms

LOGITS = st.lists(st.integers(-20, 20).map(lambda v: v / 4), min_size=1, max_size=12)


@st.composite
def cases(draw):
    """Logits (many of them equal), a mask with at least one token, and sampling options."""
    logits = draw(LOGITS)
    allowed = draw(st.lists(st.booleans(), min_size=len(logits), max_size=len(logits)).filter(any))
    options = SamplingOptions(
        temperature=draw(st.sampled_from([0.0, 0.25, 1.0, 3.0])),
        top_k=draw(st.integers(0, 5)),
        top_p=draw(st.sampled_from([0.1, 0.5, 0.9, 1.0])),
    )
    return np.array(logits), np.array(allowed), options


def p_by_definition(logits, temperature):
    weights = [math.exp(v / (temperature or 1.0)) for v in logits]
    return [w / sum(weights) for w in weights]


def q_by_definition(p, allowed, options):
    order = sorted((i for i in range(len(p)) if allowed[i]), key=lambda i: (-p[i], i))
    if options.temperature == 0:
        order = order[:1]
    if options.top_k:
        order = order[: options.top_k]
    total, kept, mass = sum(p[i] for i in order), [], 0.0
    for i in order:
        kept.append(i)
        mass += p[i] / total
        assume(options.top_p == 1 or abs(mass - options.top_p) > 1e-9)  # else rounding decides who is kept
        if mass >= options.top_p and options.top_p < 1:
            break
    total = sum(p[i] for i in kept)
    return [p[i] / total if i in kept else 0.0 for i in range(len(p))]


@given(cases())
def test_p_q_z_and_kl_are_what_their_definitions_say(case):
    logits, allowed, options = case
    d = distribution(logits, allowed, options)
    p = p_by_definition(logits, options.temperature)
    z = sum(v for v, ok in zip(p, allowed, strict=True) if ok)
    assert d.p == pytest.approx(p, abs=1e-12)
    assert d.z == pytest.approx(z, abs=1e-12)
    assert d.kl == pytest.approx(-math.log(z), abs=1e-9)
    assert d.q == pytest.approx(q_by_definition(p, allowed, options), abs=1e-9)
    assert not d.q[~allowed].any()


@given(cases())
def test_kl_is_the_divergence_of_the_masked_distribution_when_nothing_is_cut(case):
    logits, allowed, options = case
    d = distribution(logits, allowed, SamplingOptions(temperature=options.temperature or 1.0))
    divergence = sum(q * math.log(q / p) for q, p in zip(d.q, d.p, strict=True) if q > 0)
    assert d.kl == pytest.approx(divergence, abs=1e-9)


@given(cases())
def test_ranks_are_places_in_the_falling_order_of_p_with_ties_by_id(case):
    logits, allowed, options = case
    d = distribution(logits, allowed, options)
    order = sorted(range(len(logits)), key=lambda i: (-d.p[i], i))
    assert [d.rank(i) for i in order] == list(range(1, len(order) + 1))
    for n in range(len(order) + 2):
        assert d.top(n) == order[:n]
        assert d.top(n, allowed) == [i for i in order if allowed[i]][:n]


@pytest.mark.parametrize(
    "cut", [{}, {"top_k": 3}, {"top_p": 0.7}, {"temperature": 0.0}, {"temperature": 2.0, "top_k": 2}]
)
def test_tokens_are_drawn_as_often_as_q_says(cut):
    rng = np.random.default_rng(7)
    n = 20_000
    for _ in range(3):
        logits, allowed = rng.normal(0, 1.5, 8), rng.random(8) < 0.5
        allowed[3] = True
        d = distribution(logits, allowed, SamplingOptions(**cut))
        drawn = np.bincount([d.draw(tuple(u)) for u in rng.random((n, 3))], minlength=8) / n
        assert np.all(np.abs(drawn - d.q) <= 4.5 * np.sqrt(d.q * (1 - d.q) / n))


@given(cases(), st.tuples(*[st.floats(0, 1, exclude_max=True)] * 3))
def test_the_free_draw_stands_unless_it_is_blocked(case, u):
    logits, allowed, options = case
    options = SamplingOptions(temperature=options.temperature)
    free = distribution(logits, None, options).draw(u)
    bound = distribution(logits, allowed, options).draw(u)
    assert allowed[bound]
    assert not allowed[free] or bound == free


def test_a_mass_beyond_float64_is_zero_and_q_is_still_right():
    d = distribution(np.array([0.0, -2000.0, -2001.0]), np.array([False, True, True]))
    assert (d.z, d.kl) == (0.0, None)
    assert d.q[1:] == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.e)])


def test_allowed_tokens_that_the_model_rules_out_entirely_share_q():
    d = distribution(np.array([0.0, -np.inf, -np.inf]), np.array([False, True, True]))
    assert d.q.tolist() == [0.0, 0.5, 0.5]


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf]])
def test_logits_that_are_not_numbers_are_refused(bad):
    with pytest.raises(SessionError, match="not numbers"):
        distribution(np.array(bad), None)


def test_a_mask_that_allows_nothing_is_refused():
    with pytest.raises(SessionError, match="no token is allowed"):
        distribution(np.zeros(3), np.zeros(3, bool))


@pytest.mark.parametrize(
    "bad",
    [{"temperature": -1.0}, {"temperature": math.nan}, {"top_p": 0.0}, {"top_p": 1.5}, {"top_k": -1}, {"seed": -1}],
)
def test_options_out_of_range_are_refused(bad):
    with pytest.raises(SessionError) as caught:
        SamplingOptions(**bad)
    assert caught.value.hint


def test_the_random_number_depends_on_seed_index_and_attempt_alone():
    options = SamplingOptions(seed=5)
    assert uniforms(options, 3, 0) == uniforms(SamplingOptions(temperature=2.0, seed=5), 3, 0)
    different = {uniforms(SamplingOptions(seed=s), i, a) for s in range(3) for i in range(3) for a in range(3)}
    assert len(different) == 27


@given(
    seed=st.integers(0, 10_000),
    size=st.sampled_from([0, 1, 255, 256, 257, 1024, 5000, 70_001]),
    n=st.integers(0, 40),
    n_levels=st.sampled_from([1, 2, 7, 1_000_000]),
    share=st.sampled_from([None, 0.0, 0.01, 0.9]),
)
def test_the_largest_are_those_of_a_whole_sort(seed, size, n, n_levels, share):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, n_levels, size) / n_levels
    among = None if share is None else rng.random(size) < share
    d = Distribution(values, values, 1.0, values)
    ids = range(size) if among is None else np.flatnonzero(among).tolist()
    assert d.top(n, among) == sorted(ids, key=lambda i: (-values[i], i))[:n]
