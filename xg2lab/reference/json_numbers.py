r"""Numbers under constraints, by their meaning: what value has this spelling, and is it allowed?

>>> ports = Numbers(minimum=Fraction(1), maximum=Fraction(65535), integer="only")
>>> [spells_one_of("443.0", ports), spells_one_of("4.43e2", ports), spells_one_of("65536", ports)]
[True, True, False]
>>> is_guaranteed("4.43e2", ports), is_guaranteed("443.0", ports), is_guaranteed("443e0", ports)
(False, True, False)
>>> satisfies(Fraction(3, 2), Numbers(multiples_of=(Fraction(1, 2),), excluded=(Fraction(1),)))
True

A spelling is JSON's grammar of numbers and a value is a fraction, so `satisfies` is the constraint read aloud. The
engine's machine reads digits without ever knowing the value, and not all spellings are regular: 100...0e-100 has to
count its zeros. `is_guaranteed` says which it has to know (S1 to S3 of the engine's header); of others it may be
silent, but never wrong.

Shapes and units: values are fractions, spellings are text.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

NUMBER = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
LARGE, SMALL = 16, -5  # where programs begin to write exponents
LEAST_STEP = Fraction(1, 10_000)  # above all that is written with SMALL


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
    """All steps, those that are to divide a number and those that are not."""
    return [*numbers.multiples_of, *numbers.not_multiples_of] + [Fraction(1)] * (numbers.integer != "any")


def power_of_ten(step: Fraction) -> int | None:
    """k, if the step is 10 to the power of k."""
    digits = len(str(step.numerator)) - len(str(step.denominator))
    return digits if Fraction(10) ** digits == step else None


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
    powers = [power_of_ten(step) for step in steps]
    if int(exponent) <= SMALL:
        return all(step >= LEAST_STEP for step in steps)  # b
    if int(exponent) >= LARGE and None not in powers:
        return len(fraction) <= LARGE - max(0, *(power for power in powers if power is not None))  # c
    return False
