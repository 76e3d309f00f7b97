r"""Numbers under constraints, by their meaning: the value of a spelling, and whether it is allowed.

>>> ports = Numbers(minimum=Fraction(1), maximum=Fraction(65535), integer="only")
>>> [spells_one_of("443.0", ports), spells_one_of("4.43e2", ports), spells_one_of("65536", ports)]
[True, True, False]
>>> is_guaranteed("4.43e2", ports), is_guaranteed("443.0", ports), is_guaranteed("443e0", ports)
(False, True, False)
>>> satisfies(Fraction(3, 2), Numbers(multiples_of=(Fraction(1, 2),), excluded=(Fraction(1),)))
True

A spelling is JSON's grammar of numbers and a value is a fraction, so `satisfies` is the constraint
read aloud. The engine's machine reads digits without ever knowing the value, and not all spellings
are regular: 100...0e-100 has to count its zeros. `is_guaranteed` tests whether the engine has to
accept an allowed spelling (S1 to S3 of its header); it may refuse other spellings, but never
accept a wrong one.

Shapes and units: values are fractions, spellings are text.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
LARGE, SMALL = 16, -5  # where programs begin to write exponents
LEAST_STEP = Fraction(1, 10_000)  # above all that is written with SMALL
MOST_RESTS = 64  # what digits leave divided by all steps, in one place of a fraction


@dataclass(frozen=True)
class Numbers:
    """All of it has to hold; `integer` is any, only or none."""

    minimum: Fraction | None = None
    maximum: Fraction | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    integer: str = "any"
    multiples_of: tuple[Fraction, ...] = ()
    not_multiples_of: tuple[Fraction, ...] = ()
    excluded: tuple[Fraction, ...] = ()


def value_of(text: str) -> Fraction | None:
    """The number that is written so; None: none is."""
    return Fraction(text) if NUMBER.fullmatch(text) else None


def is_multiple(number: Fraction, step: Fraction) -> bool:
    """Is the number an integer times the step?"""
    return (number / step).denominator == 1


def satisfies(number: Fraction, numbers: Numbers) -> bool:
    """Does all of it hold of this value?"""
    low, high = numbers.minimum, numbers.maximum
    return (
        (low is None or number > low or (number == low and not numbers.exclusive_minimum))
        and (high is None or number < high or (number == high and not numbers.exclusive_maximum))
        and (numbers.integer == "any" or is_multiple(number, Fraction(1)) == (numbers.integer == "only"))
        and all(is_multiple(number, step) for step in numbers.multiples_of)
        and not any(is_multiple(number, step) for step in numbers.not_multiples_of)
        and number not in numbers.excluded
    )


def spells_one_of(text: str, numbers: Numbers) -> bool:
    """Is it a number's spelling, and does all of it hold of the number?"""
    value = value_of(text)
    return value is not None and satisfies(value, numbers)


def steps_of(numbers: Numbers) -> list[Fraction]:
    """What is to divide a number, as one step, and those that are not to."""
    wanted = [*numbers.multiples_of] + [Fraction(1)] * (numbers.integer == "only")
    others = [*numbers.not_multiples_of] + [Fraction(1)] * (numbers.integer == "none")
    return ([reduce(common_multiple, wanted)] if wanted else []) + others


def common_multiple(a: Fraction, b: Fraction) -> Fraction:
    """The least."""
    return Fraction(math.lcm(a.numerator, b.numerator), math.gcd(a.denominator, b.denominator))


def digits_and_power(step: Fraction) -> tuple[int, int]:
    """1200 is (12, 2), 0.7 is (7, -1)."""
    power = 0
    while step.denominator != 1:
        step, power = step * 10, power - 1
    while step % 10 == 0:
        step, power = step / 10, power + 1
    return step.numerator, power


def is_guaranteed(text: str, numbers: Numbers) -> bool:
    """Is it a spelling that the engine knows if its value is allowed?"""
    found = NUMBER.fullmatch(text)
    if found is None:
        return False
    _, whole, fraction, exponent = found.groups()
    if exponent is None:
        return True  # S1
    if set(whole + (fraction or "")) == {"0"}:
        return True  # S2, zero
    if len(whole) > 1 or whole == "0":
        return False  # S3 may have more
    steps = steps_of(numbers)
    if not steps or not (fraction or "").strip("0"):
        return True  # S2, and its a
    if int(exponent) <= SMALL and all(step >= LEAST_STEP for step in steps):
        return True  # b
    parts = [digits_and_power(step) for step in steps]
    places = [0 if min(steps) < LEAST_STEP else max(0, -power) for _, power in parts]
    has_few_rests = math.prod(d // math.gcd(d, 10**n) for (d, _), n in zip(parts, places, strict=True)) <= MOST_RESTS
    is_written_so = not SMALL < int(exponent) < LARGE and len(fraction) <= LARGE
    is_exact = not fraction.endswith("0") or int(exponent) - len(fraction) >= max(power for _, power in parts)
    return has_few_rests and is_written_so and is_exact  # c


DIGITS, PLACES = 40, 25  # of the bounded form, before the point and behind it
LARGEST, SMALLEST = Fraction("1.7976931348623157e308"), Fraction("2.5e-324")  # of doubles; what is read as 0 is below


def has_form(text: str, *, plain: bool, bounded: bool) -> bool:
    """Is the number written in digits alone (`plain`), or as programs write numbers, with few digits (`bounded`)?

    >>> [has_form(text, plain=False, bounded=True) for text in ("-0.0", "1e+21", "12e5", "1e999")]
    [True, True, False, False]
    """
    found = NUMBER.fullmatch(text)
    if found is None:
        return False
    _, whole, fraction, exponent = found.groups()
    if plain:
        is_written_out = fraction is None and exponent is None
        return is_written_out and (not bounded or (len(whole) <= DIGITS and text != "-0"))
    if len(whole) > DIGITS or len(fraction or "") > PLACES:
        return False
    if exponent is None:
        return True
    n_digits = len(exponent.lstrip("+-"))
    is_one_digit = len(whole) == 1 and whole != "0"
    has_short_exponent = n_digits <= 2 or (n_digits == 3 and exponent.lstrip("+-")[0] != "0")
    return is_one_digit and has_short_exponent and SMALLEST <= abs(Fraction(text)) <= LARGEST
