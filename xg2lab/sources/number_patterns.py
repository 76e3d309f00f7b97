r"""Regular expressions for the decimal numbers of an interval.

>>> integer_pattern(7, 123)
'^([7-9]|[1-9]\\d|1(0\\d|1\\d|2[0-3]))$'
>>> float_pattern(0.5, 1)
'^(0\\.([6-9]\\d{0,5}|5\\d{0,5})|1(\\.0{1,6})?)$'

IDEA
  Two numbers of equally many digits are compared by their first digits that differ. So a pattern between two bounds
  is a choice over the first digit: strictly between the bounds' own digits the rest is free, on a bound's digit the
  rest is bounded by the bound's rest. Bounds of unequal length are cut into lengths first; below zero the bounds
  change places. After the point the same, but that digits may end early.

Shapes and units: integers without leading zeros; floats with at most six digits after the point, and at least one if
there is a point. A pattern matches the number as a whole. Minus zero is written as zero.
"""

from __future__ import annotations

import math
from decimal import Decimal

from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.support.arguments import kind_of, whole_number

__all__ = ["float_pattern", "integer_pattern"]

MOST_PLACES = 6
MOST_INTEGER = 10**1000  # of bounds: a pattern is as long as their digits
ANY_FRACTION = rf"(\.\d{{1,{MOST_PLACES}}})?"


def integer_pattern(start: int | None = None, end: int | None = None) -> str:
    """The integers from `start` to `end`, both included; None is no bound."""
    start = None if start is None else whole_number(start, "start", -MOST_INTEGER, MOST_INTEGER)
    end = None if end is None else whole_number(end, "end", -MOST_INTEGER, MOST_INTEGER)
    if start is not None and end is not None and start > end:
        raise ArgumentError(f"no integer is at least {start} and at most {end}", hint="swap start and end")
    return f"^{_group(_integers(start, end))}$"


def _integers(start: int | None, end: int | None) -> list[str]:
    parts: list[str] = []
    if start is None or start < 0:
        least = 1 if end is None or end >= 0 else -end
        parts += [f"-{_group(_naturals(least, None if start is None else -start))}"]
    if end is None or end >= 0:
        parts += _naturals(max(start or 0, 0), end)
    return parts


def _naturals(start: int, end: int | None) -> list[str]:
    """Integers that are not negative, one branch for each number of digits that a bound has."""
    n_least = len(str(start))
    n_most = n_least if end is None else len(str(end))
    parts: list[str] = []
    for n_digits in range(n_least, n_most + 1):
        low = max(start, 10 ** (n_digits - 1) if n_digits > 1 else 0)
        high = 10**n_digits - 1 if end is None or n_digits < n_most else end
        if low <= high:
            parts.append(_digits(str(low), str(high)))
    if end is None:
        parts.append(rf"[1-9]\d{{{n_most},}}")
    return parts


def _digits(low: str, high: str) -> str:
    """Strings of as many digits as the bounds have, between them."""
    if not low:
        return ""
    rest = len(low) - 1
    free = {0: "", 1: r"\d"}.get(rest, rf"\d{{{rest}}}")
    if low[1:] == "0" * rest and high[1:] == "9" * rest:
        return _one_of(low[0], high[0]) + free
    if low[0] == high[0]:
        return low[0] + _digits(low[1:], high[1:])
    parts = [low[0] + _digits(low[1:], "9" * rest)]
    if int(high[0]) - int(low[0]) > 1:
        parts.append(_one_of(str(int(low[0]) + 1), str(int(high[0]) - 1)) + free)
    parts.append(high[0] + _digits("0" * rest, high[1:]))
    return _group(parts)


def _one_of(low: str, high: str) -> str:
    if (low, high) == ("0", "9"):
        return r"\d"
    return low if low == high else f"[{low}-{high}]"


def _group(parts: list[str]) -> str:
    return f"({'|'.join(parts)})"


# ---- With a point ----


def _decimal(value: float, name: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentTypeError(f"{name} is {kind_of(value)}; wanted a number")
    if not math.isfinite(value):
        raise ArgumentError(f"{name} is {value!r}; wanted a number that JSON has")
    return Decimal(repr(float(value)) if isinstance(value, float) else int(value))


def float_pattern(
    start: float | None = None, end: float | None = None, exclusive_start: bool = False, exclusive_end: bool = False
) -> str:
    """The decimals from `start` to `end`; None is no bound, and an exclusive bound is left out."""
    low = None if start is None else _decimal(start, "start")
    high = None if end is None else _decimal(end, "end")
    if low is not None and high is not None and low > high:
        raise ArgumentError(f"no number is at least {start} and at most {end}", hint="swap start and end")
    parts: list[str] = []
    if low is None or low < 0:
        # What is below zero, by its size: the bounds change places, and zero itself is written
        # without a sign.
        under = Decimal(0) if high is None or high >= 0 else -high
        is_open = exclusive_end or under == 0
        parts += [f"-{part}" for part in _sizes(under, None if low is None else -low, is_open, exclusive_start)]
    if high is None or high >= 0:
        over = low if low is not None and low > 0 else Decimal(0)
        parts += _sizes(over, high, exclusive_start and over == low, exclusive_end)
    if not parts:
        raise ArgumentError(
            f"no number with at most {MOST_PLACES} digits after the point is between {start} and {end}",
            hint="move the bounds apart, or include one",
        )
    return f"^{_group(parts)}$"


def _sizes(low: Decimal, high: Decimal | None, low_open: bool, high_open: bool) -> list[str]:
    """Decimals without a sign between two bounds, each of which may be open."""
    low_whole, low_rest = _split(low)
    parts: list[str] = []
    if high is None:
        parts += _with_whole(low_whole, low_rest, None, low_open, high_open=False)
        return [*parts, _group(_naturals(low_whole + 1, None)) + ANY_FRACTION]
    high_whole, high_rest = _split(high)
    if low_whole == high_whole:
        return _with_whole(low_whole, low_rest, high_rest, low_open, high_open)
    parts += _with_whole(low_whole, low_rest, None, low_open, high_open=False)
    if high_whole - low_whole > 1:
        parts.append(_group(_naturals(low_whole + 1, high_whole - 1)) + ANY_FRACTION)
    return parts + _with_whole(high_whole, "", high_rest, low_open=False, high_open=high_open)


def _split(number: Decimal) -> tuple[int, str]:
    """The whole part, and the digits after the point without zeros at the end."""
    whole, _, rest = f"{number:f}".partition(".")
    return int(whole), rest.rstrip("0")


def _with_whole(whole: int, low: str, high: str | None, low_open: bool, high_open: bool) -> list[str]:
    """Decimals of one whole part. `low`, `high`: digits after the point that bound the rest; None: no bound."""
    after = _fractions(low, high, MOST_PLACES, low_open, high_open)
    is_whole = not low and not low_open and not (high == "" and high_open)
    if not after:
        return [str(whole)] if is_whole else []
    return [rf"{whole}(\.{_group(after)})?" if is_whole and len(after) > 1 else _pointed(whole, after, is_whole)]


def _pointed(whole: int, after: list[str], is_whole: bool) -> str:
    inner = after[0] if len(after) == 1 else _group(after)
    return rf"{whole}(\.{inner})?" if is_whole else rf"{whole}\.{inner}"


def _fractions(low: str, high: str | None, places: int, low_open: bool, high_open: bool) -> list[str]:
    """One to `places` digits d with low <= 0.d <= high, zeros at the end of no account."""
    if places == 0:
        return []
    if not low and not low_open and high is None:
        return [rf"\d{{1,{places}}}"]
    if not low and high == "":
        return [] if low_open or high_open else [rf"0{{1,{places}}}"]
    first, last = int(low[:1] or "0"), 9 if high is None else int(high[:1] or "0")
    parts: list[str] = []
    inner = (first + 1, 9 if high is None else last - 1)
    if inner[0] <= inner[1]:
        parts.append(_one_of(str(inner[0]), str(inner[1])) + _up_to(r"\d", places - 1))
    for digit in sorted({first, last} if high is not None else {first}):
        below = low[1:] if digit == first else ""
        above = high[1:] if high is not None and digit == last else None
        opens = low_open and digit == first, high_open and digit == last and high is not None
        if first > last:
            break
        parts += _ended(str(digit), below, above, places - 1, *opens)
    return parts


def _ended(digit: str, low: str, high: str | None, places: int, low_open: bool, high_open: bool) -> list[str]:
    """A digit on a bound, and what may follow it: nothing, too, if zero is within the rest's bounds."""
    after = _fractions(low, high, places, low_open, high_open)
    may_end = not low and not low_open and not (high == "" and high_open)
    if after == [rf"0{{1,{places}}}"] and may_end:
        return [digit + _up_to("0", places)]
    if after == [rf"\d{{1,{places}}}"] and may_end:
        return [digit + _up_to(r"\d", places)]
    if not after:
        return [digit] if may_end else []
    return [f"{digit}{_group(after)}{'?' * may_end}"]


def _up_to(what: str, most: int) -> str:
    return "" if most == 0 else f"{what}?" if most == 1 else f"{what}{{0,{most}}}"
