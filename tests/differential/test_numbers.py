"""Numbers at random: the machine accepts no spelling of a wrong value, and knows all those that it has to.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 draws twenty times as many, XG2LAB_SHARE=0.1 a tenth.
"""

import random
import re
from fractions import Fraction
from typing import Any

from tests.differential.test_engine_vs_twin import IS_FULL
from tests.generators import SHARE, seeded
from xg2lab._core import NumberConstraint, compare_numbers, machine_of_numbers, write_number
from xg2lab.errors import LimitError
from xg2lab.reference.json_numbers import Numbers, is_guaranteed, satisfies, spells_one_of, value_of

N = round(150 * SHARE) * (20 if IS_FULL else 1) + 1
STEPS = [
    *["1", "2", "3", "5", "7", "10", "11", "12", "16", "25", "100", "1e3"],
    *["0.1", "0.01", "0.5", "0.25", "2.5", "1.5", "6.75", "1e-6", "0.3"],
]


def number(rng: random.Random) -> str:
    """Of few digits, so that bounds, steps and spellings meet."""
    if rng.random() < 0.1:
        return "0"
    digits = "".join(rng.choices("0159", k=rng.randint(1, 3))).lstrip("0") or "1"
    return f"{rng.choice(['', '-'])}{digits}e{rng.choice([0, 0, 0, -1, -2, 1, rng.randint(-7, 20)])}"


def constraint(rng: random.Random) -> dict[str, Any]:
    drawn: dict[str, Any] = {}
    bounds = sorted([number(rng), number(rng)], key=lambda text: Fraction(text))
    if rng.random() < 0.5:
        drawn.update(min=bounds[0], exclusive_min=rng.random() < 0.3)
    if rng.random() < 0.5:
        drawn.update(max=bounds[1], exclusive_max=rng.random() < 0.3)
    if rng.random() < 0.4:
        drawn["integer"] = rng.choice(["only", "only", "none"])
    if rng.random() < 0.3:
        drawn["multiples_of"] = rng.choices(STEPS, k=rng.choice([1, 1, 2]))
    if rng.random() < 0.2:
        drawn["not_multiples_of"] = rng.choices(STEPS, k=rng.choice([1, 1, 2]))
    if rng.random() < 0.3:
        drawn["excluded"] = [number(rng) for _ in range(rng.randint(1, 4))]
    return drawn


def meaning(drawn: dict[str, Any]) -> Numbers:
    def all_of(key: str) -> tuple[Fraction, ...]:
        return tuple(map(Fraction, drawn.get(key, [])))

    return Numbers(
        Fraction(drawn["min"]) if "min" in drawn else None, Fraction(drawn["max"]) if "max" in drawn else None,
        drawn.get("exclusive_min", False), drawn.get("exclusive_max", False), drawn.get("integer", "any"),
        all_of("multiples_of"), all_of("not_multiples_of"), all_of("excluded"),
    )  # fmt: skip


def spelling(rng: random.Random, drawn: dict[str, Any]) -> str:
    """A number near the constraint's, or any, in one of its spellings; sometimes with a slip."""
    near = [drawn[key] for key in ("min", "max") if key in drawn] + drawn.get("excluded", [])
    near += [f"{rng.randint(-30, 300)}e{rng.randint(-2, 1)}", rng.choice(STEPS), number(rng)]
    value = Fraction(rng.choice(near)) * rng.choice([1, 1, 1, 2, -1, 10]) + Fraction(
        rng.choice(["0", "0", "0.01", "-1", "1e-3", "7"])
    )
    text = write_number(decimal_text(value))
    if rng.random() < 0.5:
        text = scaled(rng, value)
    if rng.random() < 0.2 and "e" not in text.lower():
        text += ("" if "." in text else ".") + "0" * rng.randint(1, 18)
    if rng.random() < 0.1:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "0", "9", ".", "-", "e", "1"]) + text[at + rng.randint(0, 1) :]
    return "1" if re.search("[eE][-+]?[0-9]{5}", text) else text  # the twin would write out a power of ten


def decimal_text(value: Fraction) -> str:
    """Digits and an exponent: the denominator divides a power of ten."""
    n_places = 0
    while value.denominator != 1:
        value, n_places = value * 10, n_places + 1
    return f"{value.numerator}e{-n_places}"


def scaled(rng: random.Random, value: Fraction) -> str:
    """With an exponent; mostly with one digit before the point."""
    if value == 0:
        return f"{rng.choice(['', '-'])}0{rng.choice(['', '.0', '.000'])}{rng.choice('eE')}{rng.randint(-99, 99)}"
    digits, power = decimal_text(abs(value)).split("e")
    stripped = digits.rstrip("0")
    exponent = int(power) + len(digits) - 1
    fraction = stripped[1:] + "0" * rng.choice([0, 0, 1, 3])
    if rng.random() < 0.15:
        exponent += rng.choice([-17, -1, 1, 16, 30])
    sign = rng.choice(["+", "+0", "", "0", "00"]) if exponent >= 0 else rng.choice(["-", "-0"])
    point = f".{fraction}" if fraction else rng.choice(["", ".0"])
    written = f"{stripped[0]}{point}{rng.choice('eE')}{sign}{abs(exponent)}"
    if rng.random() < 0.1:
        written = f"{digits}e{power}"
    return ("-" if value < 0 else "") + written


def test_spellings_as_the_twin():
    rng = seeded("numbers/spellings")
    n_known = 0
    for _ in range(N):
        drawn = constraint(rng)
        numbers, machine = meaning(drawn), NumberConstraint(**drawn).machine()
        for _ in range(60):
            text = spelling(rng, drawn)
            is_in, about = machine.accepts(text), f"{text} under {drawn}"
            if is_in:
                assert spells_one_of(text, numbers), about
            elif spells_one_of(text, numbers):
                assert not is_guaranteed(text, numbers), about
            n_known += is_in
    assert n_known > 5 * N  # the spellings do meet the constraints


def test_values_as_the_twin():
    rng = seeded("numbers/values")
    for _ in range(4 * N):
        drawn = constraint(rng)
        numbers, engine = meaning(drawn), NumberConstraint(**drawn)
        for _ in range(20):
            text = spelling(rng, drawn)
            value = value_of(text)
            if value is not None:
                assert engine.satisfied_by(text) == satisfies(value, numbers), f"{text} under {drawn}"


def test_a_constraint_and_its_negations_share_out_the_spellings():
    rng = seeded("numbers/negations")
    for _ in range(N):
        drawn = constraint(rng)
        engine = NumberConstraint(**drawn)
        machine, others = engine.machine(), [other.machine() for other in engine.negations()]
        for _ in range(40):
            text = spelling(rng, drawn)
            value = value_of(text)
            is_in, is_out = machine.accepts(text), any(other.accepts(text) for other in others)
            assert not (is_in and is_out), f"{text} under {drawn}"
            if value is not None and "e" not in text.lower():
                assert is_in != is_out, f"{text} under {drawn}"


def test_intersections_as_both():
    rng = seeded("numbers/intersections")
    for _ in range(N):
        a, b = constraint(rng), constraint(rng)
        both = NumberConstraint(**a).intersect(NumberConstraint(**b))
        machines = [NumberConstraint(**a).machine(), NumberConstraint(**b).machine(), both.machine()]
        for _ in range(40):
            text = spelling(rng, rng.choice([a, b]))
            value = value_of(text)
            if value is None:
                continue
            expected = satisfies(value, meaning(a)) and satisfies(value, meaning(b))
            assert both.satisfied_by(text) == expected, f"{text} under {a} and {b}"
            if "e" not in text.lower():
                accepted = [machine.accepts(text) for machine in machines]
                assert accepted[2] == (accepted[0] and accepted[1]), f"{text} under {a} and {b}"


def test_emptiness_as_the_machine():
    """Every decimal has a plain spelling, so a set is empty if and only if its machine accepts nothing."""
    rng = seeded("numbers/emptiness")
    n_empty = n_large = 0
    for _ in range(6 * N):
        drawn = constraint(rng)
        engine = NumberConstraint(**drawn)
        try:
            shortest = engine.machine().shortest()
        except LimitError:
            n_large += 1
            continue
        assert engine.is_empty == (shortest is None), str(drawn)
        assert shortest is None or spells_one_of(shortest, meaning(drawn)), str(drawn)
        n_empty += shortest is None
    assert n_empty > N / 10
    assert n_large < N / 10


def test_lists_of_values():
    rng = seeded("numbers/lists")
    for _ in range(N):
        values = [number(rng) for _ in range(rng.randint(0, 6))]
        machine = machine_of_numbers(values)
        for _ in range(30):
            text = spelling(rng, {"excluded": values})
            value = value_of(text)
            expected = value is not None and value in map(Fraction, values)
            if machine.accepts(text) != expected:
                assert expected, f"{text} of {values}"
                assert not is_guaranteed(text, Numbers()), f"{text} of {values}"


def test_order_as_of_fractions():
    rng = seeded("numbers/order")
    for _ in range(20 * N):
        a, b = number(rng), number(rng)
        x, y = Fraction(a), Fraction(b)
        assert compare_numbers(a, b) == (x > y) - (x < y), f"{a} and {b}"
        assert Fraction(write_number(a)) == x
