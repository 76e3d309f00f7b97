"""Numbers under constraints: decimals are exact, machines are small, and spellings mean values."""

import json
import random
from typing import Any

import pytest

from tests.generators import seeded
from xg2lab._core import NumberConstraint, RegularLanguage, compare_numbers, machine_of_numbers, write_number
from xg2lab.errors import LimitError, Xg2LabError
from xg2lab.reference.json_numbers import has_form

JSON_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"
ASCENDING = [
    "-1e400", "-123456789012345678901234567890", "-2", "-1.5", "-1e-400", "0", "1e-400", "0.1", "0.12", "1",
    "1.00000000001",
    "12", "99", "123456789012345678901234567890", "123456789012345678901234567891", "1e400", "1.1e400",
]  # fmt: skip


# ---- Decimals ----


def test_numbers_of_any_size_are_compared_exactly():
    for i, a in enumerate(ASCENDING):
        for j, b in enumerate(ASCENDING):
            assert compare_numbers(a, b) == (i > j) - (i < j), (a, b)


@pytest.mark.parametrize("spellings", [
    ["0", "-0", "0.0", "-0.000e99", "0E-7"], ["1", "1.0", "10e-1", "0.1e1", "1e0", "1E+00", "1000e-3"],
    ["-12.5", "-125e-1", "-0.00125E4"], ["1e21", "1000000000000000000000", "0.001e24"],
])  # fmt: skip
def test_spellings_of_one_value_are_equal(spellings: list[str]):
    assert all(compare_numbers(a, b) == 0 for a in spellings for b in spellings)
    assert len({write_number(text) for text in spellings}) == 1


def test_a_number_is_written_as_it_is_read():
    for text in ("0", "-3", "0.1", "0.0000015", "1.5e-8", "12.25", "123456789012345678901", "1e21", "-1.5e400"):
        assert write_number(text) == text


@pytest.mark.parametrize(
    "text", ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 ", "NaN", "--1", "1e9999999999"]
)
def test_what_is_no_number_is_refused(text: str):
    with pytest.raises(Xg2LabError, match="not a number"):
        write_number(text)


@pytest.mark.parametrize(("number", "step", "expected"), [
    ("0.3", "0.1", True), ("0.35", "0.1", False), ("1e400", "7", False), ("7e400", "7", True), ("1e400", "1024", True),
    ("123456789012345678901234567890", "3", True), ("123456789012345678901234567891", "3", False), ("0", "0.7", True),
    ("4.4", "2.2", True), ("-4.4", "2.2", True), ("1e-400", "1e-401", True), ("1e-401", "1e-400", False),
    ("19.99", "0.01", True),
    ("1e1000000000", "3", False), ("1e1000000000", "0.0625", True),
    ("15241578753238836750495351562536198787501905199875019052100", "123456789012345678901234567890", True),
    ("15241578753238836750495351562536198787501905199875019052101", "123456789012345678901234567890", False),
])  # fmt: skip
def test_multiples_are_exact(number: str, step: str, expected: bool):
    assert NumberConstraint(multiples_of=[step]).satisfied_by(number) is expected
    assert NumberConstraint(not_multiples_of=[step]).satisfied_by(number) is not expected


# ---- Sets ----


@pytest.mark.parametrize(("constraint", "expected"), [
    ({"min": "1", "max": "2", "exclusive_min": True, "exclusive_max": True, "integer": "only"}, True),
    ({"min": "1", "max": "2", "exclusive_min": True, "exclusive_max": True}, False),
    ({"min": "4", "max": "5", "multiples_of": ["3"]}, True), ({"min": "4", "max": "6", "multiples_of": ["3"]}, False),
    ({"min": "2", "max": "1"}, True), ({"min": "1", "max": "1"}, False),
    ({"min": "1", "max": "1", "exclusive_min": True}, True),
    ({"integer": "only", "min": "0.5", "max": "0.7"}, True), ({"integer": "none", "min": "3", "max": "3"}, True),
    ({"min": "1", "max": "3", "integer": "only", "excluded": ["1", "2", "3.0"]}, True),
    ({"min": "1", "max": "3", "excluded": ["1", "2", "3.0"]}, False),
    ({"multiples_of": ["6"], "not_multiples_of": ["3"]}, True),
    ({"multiples_of": ["6"], "not_multiples_of": ["4"]}, False),
    ({"multiples_of": ["2.5", "3"], "min": "1", "max": "14.9"}, True),
    ({"multiples_of": ["2.5", "3"], "min": "1", "max": "15"}, False),
    ({"multiples_of": ["1000003", "1000033"], "min": "1", "max": "1000036000098"}, True),
    ({"multiples_of": ["1000003", "1000033"], "min": "1", "max": "1000036000099"}, False),
    ({"min": "-5", "max": "-4", "multiples_of": ["3"]}, True),
    ({"min": "-6", "max": "-4", "multiples_of": ["3"]}, False),
    ({"min": "2", "max": "3", "integer": "only", "not_multiples_of": ["2", "3"]}, True),
    ({"min": "1e400", "max": "1e400", "multiples_of": ["3"]}, True),
    ({"integer": "none", "multiples_of": ["0.5"]}, False),
    ({"integer": "none", "multiples_of": ["2"]}, True), ({}, False),
])  # fmt: skip
def test_emptiness_is_exact(constraint: dict[str, Any], expected: bool):
    numbers = NumberConstraint(**constraint)
    assert numbers.is_empty is expected
    if compare_numbers("1000", str(constraint.get("max", "0"))) >= 0:
        assert (numbers.machine().shortest() is None) is expected


def test_an_intersection_keeps_the_narrower_bound():
    a = NumberConstraint(min="1", max="9", exclusive_max=True, multiples_of=["2"])
    b = NumberConstraint(min="1.0", exclusive_min=True, max="9", integer="only", excluded=["4"])
    both = a.intersect(b)
    assert (both.min, both.max, both.exclusive_min, both.exclusive_max) == ("1", "9", True, True)
    assert (both.integer, both.multiples_of, both.excluded) == ("only", ["2"], ["4"])
    assert NumberConstraint(integer="only").intersect(NumberConstraint(integer="none")).is_empty
    wider = NumberConstraint(min="0", exclusive_min=True).intersect(NumberConstraint(min="-1"))
    assert (wider.min, wider.exclusive_min) == ("0", True)
    same = {"min": "1", "max": "9"}
    for first, second in [(True, False), (False, True), (True, True), (False, False)]:
        ends = [NumberConstraint(**same, exclusive_min=out, exclusive_max=out) for out in (first, second)]
        met = ends[0].intersect(ends[1])
        assert (met.exclusive_min, met.exclusive_max) == (first or second, first or second)


def test_negations_of_nothing_are_none():
    assert NumberConstraint().negations() == []
    whole = NumberConstraint(min="0", integer="only", multiples_of=["5"], not_multiples_of=["3"], excluded=["10"])
    assert [n.machine().shortest() for n in whole.negations()] == ["-1", "0.1", "1", "0", "10"]


# ---- Languages ----


def test_any_number_is_the_grammar_of_json():
    assert NumberConstraint().machine().regular() == RegularLanguage.from_regex(JSON_NUMBER)


def test_where_only_the_sign_counts_any_spelling_is_in():
    nothing = r"0(\.0+)?([eE][+-]?[0-9]+)?"
    no_minus = RegularLanguage.from_regex(JSON_NUMBER.removeprefix("-?"))
    zero = RegularLanguage.from_regex("-?" + nothing)
    minus = RegularLanguage.only("-")
    assert NumberConstraint(min="0").machine().regular() == no_minus | zero
    assert NumberConstraint(min="0", exclusive_min=True).machine().regular() == no_minus - zero
    assert NumberConstraint(max="0").machine().regular() == minus + no_minus | zero
    assert NumberConstraint(max="0", exclusive_max=True).machine().regular() == (minus + no_minus) - zero
    assert NumberConstraint(excluded=["0"]).machine().regular() == (no_minus | minus + no_minus) - zero


@pytest.mark.parametrize(("constraint", "inside", "outside"), [
    ({"min": "1", "max": "65535", "integer": "only"}, "1 65535 443.0 100.000 1e0 6e4 5.0E+3 6e00",
    "0 65536 1.5 7e4 6e05 1e-1 -1 01 1."),
    ({"integer": "only"}, "0 -0 -0.0 0e5 -7 1e+16 1.5e+16 1.2345678901234567e16 1e16 3e0 1.0E10",
    "0.5 1e-1 1.5e0 1.5e-07 -"),
    ({"integer": "none"}, "0.5 1e-1 1.5e-07 -2.25 1.5", "0 1 1.0 1e5 1e+16 1.5e+16 0.0 0e-5"),
    ({"min": "0", "max": "1"}, "0 1 0.5 1.000 1e0 1.5e-07 9.99e-1 -0.0 0e7 1.0e000", "1.01 -0.1 1.0001e0 1e1 2 1.5e0"),
    ({"min": "-1.5", "exclusive_min": True}, "-1.4999 -1.49e0 0 1e400 123e5 -0",
    "-1.5 -1.5e0 -1.50 -2 -1e1 -1.5000001e0"),
    ({"multiples_of": ["0.01"]}, "19.99 0.01 1e-2 -3 5.5 1e16 2.50 1.00000e0", "0.001 1e-3 1.5e-07 19.999"),
    ({"multiples_of": ["2.5"]}, "0 2.5 5 -7.50 1e1 5e0 2e16", "1 2 2.55 1e0 3e0"),
    ({"multiples_of": ["7"]}, "0 7 14.0 -21 7e3 7", "1 7.5 1e3 8"),
    ({"multiples_of": ["86400"]}, "0 86400 864000 172800.0", "86401 8640 1"),
    ({"multiples_of": ["100"]}, "0 100 2e2 1e3 1.5e16 12300", "10 1e1 150 1.5"),
    ({"min": "1e-300", "max": "1e300"}, "1e-300 1e300 1 9.9e299 1e-0299", "0 1e-301 1.1e300 9.9e-301"),
    ({"max": "9223372036854775807",
    "integer": "only"}, "9223372036854775807 9e18 1.5e16 -1e30 9.223372036854775e18",
    "9223372036854775808 1e19 9.223372036854776e18"),
    ({"excluded": ["0", "1", "1.5"]}, "2 1.51 0.1 1.49 11 -1 1e1 1.50001e0 1.5e1",
    "0 1 1.5 -0 1.50 0e0 1e0 1.5e0 1.50e-0"),
])  # fmt: skip
def test_spellings_mean_their_values(constraint: dict[str, Any], inside: str, outside: str):
    machine = NumberConstraint(**constraint).machine()
    assert [text for text in inside.split() if not machine.accepts(text)] == []
    assert [text for text in outside.split() if machine.accepts(text)] == []


def test_what_python_writes_is_in():
    rng = seeded("numbers/python")
    free, whole = NumberConstraint(min="-1e300", max="1e300").machine(), NumberConstraint(integer="only").machine()
    for _ in range(3000):
        number = rng.choice([rng.random(), rng.gauss(0, 1), 1]) * 10.0 ** rng.randint(-30, 40)
        text = json.dumps(number)
        assert free.accepts(text), text
        assert whole.accepts(text) == number.is_integer(), text


def test_a_value_in_all_its_spellings():
    one = machine_of_numbers(["1"])
    assert all(map(one.accepts, ["1", "1.0", "1.00", "1e0", "1.0E-0", "1e+00"]))
    assert not any(map(one.accepts, ["10", "1e1", "-1", "1.01", "0.9", ""]))
    zero = machine_of_numbers(["-0"])
    assert zero.regular() == RegularLanguage.from_regex(r"-?0(\.0+)?([eE][+-]?[0-9]+)?")
    several = machine_of_numbers(["1", "1.5", "15", "-1", "1e3", "1.0"])
    assert all(map(several.accepts, ["1", "1.50", "15.0", "-1", "1000", "1e3", "1.5e1", "1.5e0"]))
    assert not any(map(several.accepts, ["-15", "150", "1.5e2", "100", "1.51"]))
    assert machine_of_numbers([]).shortest() is None


# ---- The form of numbers that programs write ----


def test_forms_are_those_of_the_twin():
    rng = random.Random(20261123)
    n_in = 0
    for _ in range(60):
        drawn: dict[str, Any] = rng.choice([
            {}, {"integer": "only"}, {"min": "0.5"}, {"max": "-3"}, {"min": "0", "max": "99", "integer": "only"},
            {"multiples_of": ["7"]}, {"multiples_of": ["0.25"]}, {"not_multiples_of": ["2"]}, {"excluded": ["0"]},
        ])  # fmt: skip
        engine = NumberConstraint(**drawn)
        for plain, bounded in ((True, False), (False, True), (True, True)):
            every, formed = engine.machine(), engine.machine(plain=plain, bounded=bounded)
            for _ in range(60):
                text = some_number(rng)
                expected = every.accepts(text) and has_form(text, plain=plain, bounded=bounded)
                assert formed.accepts(text) == expected, (drawn, plain, bounded, text)
                n_in += expected
    assert n_in > 500


def some_number(rng: random.Random) -> str:
    digits = "".join(rng.choices("012579", k=rng.choice([1, 1, 2, 3, 17, 39, 40, 41])))
    text = rng.choice(["", "", "-"]) + (digits.lstrip("0") or "0")
    if rng.random() < 0.5:
        text = text[:2] if rng.random() < 0.5 and text[0] != "-" else text
        text += "." + "".join(rng.choices("0357", k=rng.choice([1, 2, 16, 24, 25, 26])))
    if rng.random() < 0.4:
        text = (
            f"{rng.choice(['', '-'])}{rng.choice(['1', '1.5', '1.7976931348623157', '1.7976931348623158', '2.5', '9'])}"
        )
        text += f"{rng.choice('eE')}{rng.choice(['', '+', '-'])}"
        text += rng.choice(
            ["5", "05", "16", "30", "005", "99", "300", "307", "308", "309", "323", "324", "325", "1000"]
        )
    return text


@pytest.mark.parametrize("constraint", [
    {}, {"integer": "only"}, {"min": "0"}, {"multiples_of": ["7"]}, {"multiples_of": ["0.01"]}, {"excluded": ["1"]},
    {"not_multiples_of": ["3"]}, {"min": "1e50", "integer": "only"},
    {"min": "-1e-30", "exclusive_max": True, "max": "0"},
])  # fmt: skip
def test_bounded_numbers_have_an_end(constraint: dict[str, Any]):
    for plain in (False, True):
        language = NumberConstraint(**constraint).machine(plain=plain, bounded=True).regular()
        assert (language - RegularLanguage.of_length(0, 120)).is_empty
    assert not (NumberConstraint(**constraint).machine().regular() - RegularLanguage.of_length(0, 120)).is_empty


def test_bounded_numbers_have_room_for_what_the_bounds_ask_for():
    def accepts(text: str, **constraint: Any) -> bool:
        return NumberConstraint(**constraint).machine(plain="." not in text, bounded=True).accepts(text)

    assert accepts("1" + "0" * 50, min="1e50", integer="only")
    assert accepts("0." + "0" * 39 + "15", min="1e-40", max="2e-40")
    assert not accepts("1" + "0" * 45, max="1e50", integer="only")


# ---- Sizes ----

SIZES: dict[str, tuple[dict[str, Any], int]] = {
    "any number": ({}, 9), "min 0": ({"min": "0"}, 12), "integer": ({"integer": "only"}, 49),
    "no integer": ({"integer": "none"}, 14), "0 to 1": ({"min": "0", "max": "1"}, 22),
    "excluded": ({"excluded": ["1"]}, 19),
    "a port": ({"min": "1", "max": "65535", "integer": "only"}, 24), "cents": ({"multiples_of": ["0.01"]}, 68),
    "32 bits": ({"min": "0", "max": "2147483647", "integer": "only"}, 41),
    "64 bits": ({"min": "-9223372036854775808", "max": "9223372036854775807", "integer": "only"}, 141),
    "sevens": ({"multiples_of": ["7"]}, 157), "thousands": ({"multiples_of": ["1000"]}, 62),
    "days in seconds": ({"multiples_of": ["86400"]}, 151),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_machines_are_minimal_and_as_small_as_they_were(name: str):
    constraint, n_states = SIZES[name]
    machine = NumberConstraint(**constraint).machine()
    assert machine.n_states == n_states
    assert machine.regular().n_states == n_states + 1  # and failure


def test_rests_that_no_digits_tell_apart_are_one_from_the_start():
    assert NumberConstraint(multiples_of=["86400"]).machine(n_states=2000).accepts("86400")
    assert NumberConstraint(multiples_of=["1e9"]).machine(n_states=2000).accepts("3000000000")


@pytest.mark.parametrize(("constraint", "why"), [
    ({"multiples_of": ["0.123456789"]}, "division by 0.123456789 has 123456789 possible remainders"),
    ({"multiples_of": ["12345678901234567890"]}, "multiples of 12345678901234567890"),
    ({"max": "1e300000"}, "a bound with that many digits"),
])  # fmt: skip
def test_what_would_be_too_large_is_refused_by_name(constraint: dict[str, Any], why: str):
    with pytest.raises(LimitError, match=why):
        NumberConstraint(**constraint).machine(n_states=10_000)
