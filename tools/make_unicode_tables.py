"""Writes core/languages/regex/unicode_tables.cc: what regular expressions need to know of Unicode's characters.

    python -m tools.make_unicode_tables

The facts are asked of the `regex` package (its Unicode version is newer than that of most Pythons' `unicodedata`),
property by property, over all code points. What Unicode defines by other properties (Alphabetic, Math, ID_Start, ...)
is not written out: `unicode.cc` puts it together as Unicode Standard Annex 44 does, out of the general category and a
rest called `Other_...`.

Form: runs. A number holds a run's length and its value; a set is gaps and lengths by turns, beginning with a gap.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "core" / "frontends" / "regex" / "unicode_tables.cc"
UNICODE_VERSION = "17.0"
N_CODE_POINTS = 0x110000
SURROGATES = range(0xD800, 0xE000)

# Short names, in the order of their numbers in the table; unicode.cc lists the same.
CATEGORY_NAMES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn"
CATEGORIES = CATEGORY_NAMES.split(" ")
SET_NAMES = (
    "Other_Alphabetic Other_Lowercase Other_Uppercase Other_Math Other_ID_Start Other_ID_Continue Dash Diacritic Emoji "
    "Emoji_Component Emoji_Modifier Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic Extender Hex_Digit "
    "ASCII_Hex_Digit Ideographic Unified_Ideograph Radical Join_Control Bidi_Control Noncharacter_Code_Point "
    "Default_Ignorable_Code_Point Deprecated Logical_Order_Exception Pattern_Syntax Pattern_White_Space Quotation_Mark "
    "Regional_Indicator Sentence_Terminal Soft_Dotted Terminal_Punctuation Variation_Selector White_Space"
)
SETS = SET_NAMES.split(" ")
HEAD = """// Made by tools/make_unicode_tables.py; its head says how to read this. Unicode {version}.
#include "languages/regex/unicode_tables.h"

namespace xg2lab::regex {{

// clang-format off
"""

regex: Any = importlib.import_module("regex")
EVERYTHING = "".join(chr(point) for point in range(N_CODE_POINTS) if point not in SURROGATES)


def points_of(run: str) -> range:
    """The code points of a run of characters; none of them is a surrogate."""
    return range(ord(run[0]), ord(run[-1]) + 1)


def runs(pattern: str) -> list[tuple[int, int]]:
    """First and last code point of each run of characters that match, cut at the surrogates."""
    found: list[tuple[int, int]] = []
    for match in regex.finditer(f"(?:{pattern})+", EVERYTHING):
        low, high = ord(match.group()[0]), ord(match.group()[-1])
        pieces = [(low, high)] if not low < SURROGATES.start <= high else [(low, 0xD7FF), (0xE000, high)]
        found += pieces
    return found


def valued(sets: dict[int, list[tuple[int, int]]], otherwise: int, n_values: int) -> Iterator[int]:
    """Disjoint sets as runs from 0 to the last code point: length * n_values + value."""
    at = 0
    for low, high, value in sorted((low, high, value) for value, found in sets.items() for low, high in found):
        if low > at:
            yield (low - at) * n_values + otherwise
        yield (high + 1 - low) * n_values + value
        at = high + 1
    if at < N_CODE_POINTS:
        yield (N_CODE_POINTS - at) * n_values + otherwise


def gaps(found: list[tuple[int, int]]) -> Iterator[int]:
    """A set as gaps and lengths by turns."""
    at = 0
    for low, high in found:
        yield low - at
        yield high + 1 - low
        at = high + 1


def script_names() -> list[tuple[str, ...]]:
    """For each number the names of a script, without underscores and in small letters; the longest first."""
    core: Any = importlib.import_module("regex._regex_core")
    names: dict[int, list[str]] = {}
    for name, number in core.PROPERTIES["SCRIPT"][1].items():
        names.setdefault(number, []).append(name.lower())
    return [tuple(sorted(names[number], key=lambda name: (-len(name), name))) for number in sorted(names)]


def folding() -> list[list[int]]:
    """Code points that are one character if case doesn't matter, smallest first (simple case folding)."""
    cased = "".join(regex.findall(r"\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}|\p{L&}", EVERYTHING))
    left = dict.fromkeys(cased)
    classes: list[list[int]] = []
    while left:
        first = next(iter(left))
        same = sorted({first, *regex.findall(regex.escape(first), cased, regex.IGNORECASE)})
        for character in same:
            left.pop(character, None)
        if len(same) > 1:
            classes.append([ord(character) for character in same])
    return without_turkic(classes)


def without_turkic(classes: list[list[int]]) -> list[list[int]]:
    """The package takes I, i, İ and ı for one; Unicode's simple folding leaves İ and ı alone."""
    kept = ([point for point in members if point not in (0x130, 0x131)] for members in classes)
    return [members for members in kept if len(members) > 1]


def fold_runs(classes: list[list[int]]) -> Iterator[tuple[int, int, int, int]]:
    """(first, count, step, distance to the smallest member), for members that aren't the smallest."""
    distance = {member: member - members[0] for members in classes for member in members[1:]}
    left = sorted(distance)
    while left:
        first, best = left[0], [left[0]]
        for step in (1, 2):
            run = [first]
            while distance.get(run[-1] + step) == distance[first]:
                run.append(run[-1] + step)
            best = max(best, run, key=len)
        yield first, len(best), best[1] - best[0] if len(best) > 1 else 1, distance[first]
        left = [point for point in left if point not in set(best)]


def array(kind: str, name: str, values: Iterable[object]) -> str:
    """A C++ array, a hundred columns wide, and the span by which the header knows it."""
    lines, line = list[str](), ""
    for value in map(str, values):
        if len(line) + len(value) > 98:
            lines.append(line)
            line = ""
        line += f"{value},"
    body = "\n".join([*lines, line])
    return (
        f"constexpr {kind} {name}Rows[] = {{\n{body}\n}};\n"
        f"constinit const std::span<const {kind}> {name} = {name}Rows;\n"
    )


def row(values: Iterable[object]) -> str:
    """The fields of one entry."""
    return "{" + ",".join(map(str, values)) + "}"


def quoted(text: str) -> str:
    """A string of C++."""
    return f'"{text}"'


def tables() -> str:
    """The whole file."""
    scripts = script_names()
    category_sets = {
        number: runs(rf"\p{{{name}}}") for number, name in enumerate(CATEGORIES) if name not in ("Cs", "Cn")
    }
    category_sets[CATEGORIES.index("Cs")] = [(SURROGATES.start, SURROGATES.stop - 1)]
    script_sets = {number: runs(rf"\p{{sc={names[0]}}}") for number, names in enumerate(scripts) if number}
    extensions: dict[tuple[int, int], list[int]] = {}
    for number, names in enumerate(scripts):
        for low, high in runs(rf"(?=\p{{scx={names[0]}}})\P{{sc={names[0]}}}"):
            extensions.setdefault((low, high), []).append(number)
    lost = [runs(rf"(?=\p{{sc={names[0]}}})\P{{scx={names[0]}}}") for names in scripts]
    sets = [list(gaps(runs(rf"\p{{{name}}}"))) for name in SETS]
    firsts = [sum(map(len, sets[:i])) for i in range(len(sets))]
    set_names = [name.lower().replace("_", "") for name in SETS]
    more = [(*ends, number) for ends, numbers in sorted(extensions.items()) for number in numbers]
    fewer = [(*ends, number) for number, found in enumerate(lost) for ends in found]
    parts = [
        array("uint32_t", "kGeneralCategories", valued(category_sets, CATEGORIES.index("Cn"), 32)),
        array("uint32_t", "kScripts", valued(script_sets, 0, 256)),
        array("std::string_view", "kScriptNames", (quoted(" ".join(names)) for names in scripts)),
        array("ScriptRange", "kMoreScripts", map(row, more)),
        array("ScriptRange", "kFewerScripts", map(row, fewer)),
        array("uint32_t", "kSetRuns", (number for found in sets for number in found)),
        array(
            "NamedSet", "kSets", map(row, zip(map(quoted, set_names), firsts, map(len, sets), strict=True))
        ),
        array("FoldRun", "kFoldRuns", map(row, fold_runs(folding()))),
    ]  # fmt: skip
    return (
        HEAD.format(version=UNICODE_VERSION)
        + "\n".join(parts)
        + "// clang-format on\n\n}  // namespace xg2lab::regex\n"
    )


if __name__ == "__main__":
    TARGET.write_text(tables(), encoding="utf-8")
