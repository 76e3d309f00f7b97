"""The algebra of regular languages over code points: its laws, and each operation by its definition on short texts."""

import contextlib
import itertools
import random

import pytest

from tests.generators import SHARE, seeded
from xg2lab._core import RegularLanguage as Language
from xg2lab.errors import LimitError

LETTERS = "ab1é"
TEXTS = ["".join(text) for n in range(5) for text in itertools.product(LETTERS, repeat=n)]
N_SAMPLES = max(1, round(60 * SHARE))
EVERYTHING = Language.from_regex("[^]*")
NOTHING = Language.from_regex("[]")


def random_pattern(rng: random.Random, depth: int = 3) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["a", "b", "é", "[ab]", "[^a]", ".", "", "\\d"])
    parts = [random_pattern(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    kind = rng.random()
    if kind < 0.45:
        return "".join(parts)
    return f"(?:{'|'.join(parts)})" if kind < 0.7 else f"(?:{parts[0]}){rng.choice(['*', '+', '?', '{2}', '{1,3}'])}"


def random_languages(salt: str, n_each: int) -> list[tuple[Language, ...]]:
    rng = seeded(f"regular/{salt}")
    return [tuple(Language.from_regex(random_pattern(rng)) for _ in range(n_each)) for _ in range(N_SAMPLES)]


def members(language: Language) -> set[str]:
    return {text for text in TEXTS if language.accepts(text)}


def test_each_operation_by_its_definition():
    for a, b in random_languages("definition", 2):
        in_a, in_b = members(a), members(b)
        assert members(a & b) == in_a & in_b
        assert members(a | b) == in_a | in_b
        assert members(a - b) == in_a - in_b
        assert members(~a) == set(TEXTS) - in_a
        joined = {x + y for x in in_a for y in in_b}
        assert members(a + b) == joined & set(TEXTS)
        rounds = [{""}, in_a]
        while len(rounds) < 6:
            rounds.append({x + y for x in rounds[-1] for y in in_a} & set(TEXTS))
        assert members(a.repeat(0, 2)) == rounds[0] | rounds[1] | rounds[2]
        assert members(a.repeat(2, 3)) == rounds[2] | rounds[3]
        assert members(a.repeat(1, None)) == set().union(*rounds[1:]) & set(TEXTS)


def test_laws():
    for a, b, c in random_languages("laws", 3):
        assert ~(a & b) == ~a | ~b
        assert ~(a | b) == ~a & ~b
        assert ~~a == a
        assert a - b == a & ~b
        assert a & (b | c) == (a & b) | (a & c)
        assert (a + b) + c == a + (b + c)
        assert (a | b) + c == (a + c) | (b + c)
        assert a.repeat(2, 2) == a + a
        with contextlib.suppress(LimitError):  # a language may be small and its repetition large
            assert a.repeat(0, None) == (a.repeat(0, None)).repeat(0, None)
        assert a.repeat(1, 3) == a | a + a | a + a + a
        assert (a & ~a).is_empty
        assert (a | ~a).is_universal
        assert a + NOTHING == NOTHING
        assert a & EVERYTHING == a
        assert (a == b) == ((a - b) | (b - a)).is_empty


def test_equal_languages_have_equal_machines():
    for a, b in random_languages("minimal", 2):
        both = a | b
        again = ~(~a & ~b)
        assert (both.n_states, both.n_letters) == (again.n_states, again.n_letters)
    assert Language.from_regex("(a|b)*a(a|b)").n_states == 5  # 2^2 by the last two letters, and failure
    assert Language.from_regex("a+|aa*|aaa*|aaaa").n_states == 3  # what leads to a loop may be on it
    assert Language.from_regex("[^]*|b|ab").n_states == 1


def test_states_are_as_many_as_there_are_ways_to_go_on():
    """By definition (Myhill and Nerode), as far as texts of three letters and of two behind them tell."""
    letters = "ab1éx\n"
    texts = ["".join(text) for n in range(4) for text in itertools.product(letters, repeat=n)]
    tails = [text for text in texts if len(text) <= 2]
    for (language,) in random_languages("residuals", 1):
        ways = {tuple(language.accepts(text + tail) for tail in tails) for text in texts}
        assert len(ways) <= language.n_states
        if language.n_states <= 4:
            assert len(ways) == language.n_states


def test_a_shortest_text_is_one():
    for a, b in random_languages("witness", 2):
        language = a - b
        shortest = language.shortest()
        found = members(language)
        if shortest is None:
            assert language.is_empty
            assert not found
        else:
            assert language.accepts(shortest)
            assert all(len(shortest) <= len(text) for text in found)


def test_lengths_count_code_points():
    between = Language.of_length(2, 3)
    assert [between.accepts(text) for text in ("é", "é😀", "ab1", "ab1é")] == [False, True, True, False]
    assert Language.of_length(0, None).is_universal
    assert Language.of_length(3, None) & Language.of_length(0, 2) == NOTHING
    assert Language.of_length(1000, 2000).n_states == 2002


def test_what_json_schema_says_of_a_string_is_one_language():
    """pattern, minLength and maxLength, not, enum: by products, and as a single pattern with looks."""
    pattern = Language.from_regex("^[a-z]+-[0-9]", search=True)
    lengths = Language.of_length(5, 8)
    excluded = Language.only("abc-12") | Language.from_regex("x", search=True)
    whole = (pattern & lengths) - excluded
    assert whole == Language.from_regex("(?!abc-12$)(?![^]*x)(?=[^]{5,8}$)[a-z]+-[0-9][^]*")
    assert whole.accepts("ab-1!!")
    assert not whole.accepts("abc-12")
    enum = Language.only("ab-12") | Language.only("nope")
    assert (whole & enum).shortest() == "ab-12"
    assert (whole & enum) == Language.only("ab-12")


def test_a_machine_that_is_too_large_is_refused():
    a, b = Language.from_regex("(a|b)*a(a|b){14}"), Language.from_regex("(a|b)*b(a|b){15}")
    with pytest.raises(LimitError, match="too large"):
        _ = (a + b) + (a + b)
    with pytest.raises(LimitError, match="too large"):
        Language.of_length(0, 10_000_000)
