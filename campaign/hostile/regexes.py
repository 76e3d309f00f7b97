"""Hostile patterns: backtracking bombs, products of looks, counted classes, properties, and broken ones."""

from __future__ import annotations

from campaign.hostile.inputs import family

__all__: list[str] = []


@family("regex", 50, 250, 500, 2000)
def keys_in_text(n: int) -> str:
    return ".*".join(f"k{i}" for i in range(n))


@family("regex", 50, 500, 5000)
def dots_and_letters(n: int) -> str:
    return ".*" + ".*".join("k" for _ in range(n)) + ".*"


@family("regex", 10, 100, 1000, 100_000)
def optional_then_exact(n: int) -> str:
    return f"(?:a?){{{n}}}a{{{n}}}"


@family("regex", 10, 20, 100, 1000)
def letter_from_the_end(n: int) -> str:
    return f"[ab]*a[ab]{{{n}}}"


@family("regex", 10, 100, 1000)
def unicode_letter_from_the_end(n: int) -> str:
    return rf"\p{{L}}*\p{{Lu}}\p{{L}}{{{n}}}"


@family("regex", 10, 100, 990)
def nested_plus(n: int) -> str:
    return "(?:" * n + "a" + ")+" * n + "b"


@family("regex", 10, 100, 990)
def nested_optional_pairs(n: int) -> str:
    return "(?:" * n + "a|b" + ")?c*" * n


@family("regex", 2, 3, 5, 9)
def nested_bounds(n: int) -> str:
    return "(" * n + "a" + "{1,1000})" * n


@family("regex", 2, 4, 8)
def nested_exact(n: int) -> str:
    return "(" * n + r"[\w ]" + "{99})" * n


@family("regex", 1000, 100_000, 1_000_000_000)
def large_bound(n: int) -> str:
    return rf"[^\r\n]{{1,{n}}}"


@family("regex", 1000, 100_000, 1_000_000)
def large_least(n: int) -> str:
    return rf"(?:\d\d|[a-f]){{{n},}}"


@family("regex", 100, 1000, 10_000)
def bound_in_stars(n: int) -> str:
    return rf"(?:(?:a{{1,{n}}}b)*c)*"


@family("regex", 100, 1000, 10_000)
def bound_of_overlap(n: int) -> str:
    return rf"(?:ab|a|b|aba){{{n // 2},{n}}}"


@family("regex", 100, 3000, 60_000)
def words(n: int) -> str:
    return "|".join(f"word{i}" for i in range(n))


@family("regex", 100, 2000, 10_000)
def text_then_words(n: int) -> str:
    return "[a-z0-9]*(?:" + "|".join(f"x{i}" for i in range(n)) + ")"


@family("regex", 100, 1000, 10_000)
def words_in_stars(n: int) -> str:
    return "(?:" + "|".join(f"w{i:x}" for i in range(n)) + ")*end"


@family("regex", 4, 16, 26, 60)
def lookaheads(n: int) -> str:
    return "".join(f"(?=.*{chr(97 + i % 26)}{i})" for i in range(n)) + ".*"


@family("regex", 4, 16, 26, 60)
def negative_lookaheads(n: int) -> str:
    return "".join(f"(?!.*{chr(97 + i % 26)}{i})" for i in range(n)) + ".*"


@family("regex", 2, 6, 12, 40)
def lookaheads_within(n: int) -> str:
    return "(?=" * n + "a" + "".join(f"{chr(98 + i % 20)}*)" for i in range(n)) + "[a-z]*"


@family("regex", 2, 6, 12, 40)
def not_in_not(n: int) -> str:
    return "(?!" * n + "a" + "".join(f"[b-{chr(99 + i % 20)}]*)" for i in range(n)) + "[a-z]*"


@family("regex", 2, 8, 20, 100)
def lookaheads_in_loop(n: int) -> str:
    return "(?:" + "".join(f"(?!{chr(97 + i % 26)}{i})" for i in range(n)) + ".)*"


@family("regex", 4, 30, 300)
def lookbehinds(n: int) -> str:
    return ".*" + "".join(f"(?<!{chr(97 + i % 26)}{i})" for i in range(n)) + "z"


@family("regex", 4, 12, 40, 200)
def word_boundaries(n: int) -> str:
    return r"\b\w+\b\W+" * n + r"\b"


@family("regex", 3, 10, 25, 60)
def lengths_that_meet(n: int) -> str:
    primes = [p for p in range(2, 600) if all(p % q for q in range(2, p))][:n]
    return "".join(f"(?=(?:.{{{p}}})*$)" for p in primes) + ".*"


@family("regex", 3, 10, 25)
def patterns_that_meet(n: int) -> str:
    return "".join(f"(?=.*a.{{{i}}}b)" for i in range(n)) + "[ab]*"


@family("regex", 10, 1000, 30_000)
def alternatives_of_nothing(n: int) -> str:
    return "(?:" + "|" * n + ")*a"


@family("regex", 10, 1000, 100_000)
def parentheses(n: int) -> str:
    return "(" * n + "a" + ")" * n


@family("regex", 10, 500, 5000)
def properties(n: int) -> str:
    names = ["L", "Lu", "Nd", "P", "S", "Z", "Script=Greek", "Script=Han", "M", "Cf"]
    return "".join(rf"\p{{{names[i % 10]}}}\P{{{names[(i + 3) % 10]}}}*" for i in range(n))


@family("regex", 10, 500, 5000)
def classes_of_properties(n: int) -> str:
    return "".join(
        rf"[^\p{{L}}\P{{Nd}}\x{{{i + 0x4E00:x}}}]?" if i % 2 else rf"[\w\P{{L}}\u{i + 0x400:04x}]" for i in range(n)
    )


@family("regex", 3, 100, 3000)
def bound_of_property(n: int) -> str:
    return rf"\p{{L}}{{{n},{2 * n}}}\P{{L}}{{{n}}}"


@family("regex", 100, 1000, 10_000)
def ignoring_case(n: int) -> str:
    return "(?i)" + "|".join(f"straße{i}ſK" for i in range(n))


@family("regex", 100, 10_000)
def class_of_ranges(n: int) -> str:
    return "[^" + "".join(rf"\u{0x3400 + 2 * i:04x}" for i in range(n)) + "]*a"


@family("regex", 10_000, 100_000, 1_000_000)
def long_literal(n: int) -> str:
    return "abcdefghij" * (n // 10)


@family("regex", 1000, 50_000)
def classes_in_sequence(n: int) -> str:
    return "[a-z][^0-9]" * (n // 2)


@family("regex", 1000, 30_000)
def groups(n: int) -> str:
    return "".join(f"(?<g{i}>a)" for i in range(n))


@family("regex", 10, 1000, 50_000)
def backreferences(n: int) -> str:
    return "(a)" + r"\1" * n


@family("regex", 10, 1000, 20_000)
def lazy_loops(n: int) -> str:
    return "".join(f".*?{chr(97 + i % 26)}" for i in range(n))


@family("regex", 10, 100, 1000)
def stars_of_stars(n: int) -> str:
    return "".join(f"(?:{chr(97 + i % 26)}*b*)*" for i in range(n))


@family("regex", 10, 100, 1000)
def periods(n: int) -> str:
    return "|".join(f"(?:a{{{i}}})*" for i in range(2, n)) + "|b"


@family("regex", 5, 12, 200)
def subset_products(n: int) -> str:
    return "(?:" + "|".join(f"[a-z]*{chr(97 + i % 26)}[a-z]{{{n}}}{chr(98 + i % 25)}" for i in range(n)) + ")"


@family("regex", 1, 100, 10_000)
def email(n: int) -> str:
    return rf"[a-zA-Z0-9._%+-]{{1,{n}}}@(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{{0,{n}}}[a-zA-Z0-9])?\.)+[a-zA-Z]{{2,{n + 1}}}"


# ---- Broken ----


@family("regex", 1000, 1_000_000)
def open_groups(n: int) -> str:
    return "(" * n


@family("regex", 1000, 1_000_000)
def open_class(n: int) -> str:
    return "[" * n


@family("regex", 1000, 500_000)
def stars(n: int) -> str:
    return "a" + "*?+" * (n // 3)


@family("regex", 1000, 500_000)
def bad_escapes(n: int) -> str:
    return r"\q" * (n // 2)


@family("regex", 1000, 300_000)
def endless_bound(n: int) -> str:
    return "a{" + "9" * n + "}"


@family("regex", 1000, 200_000)
def reversed_bounds(n: int) -> str:
    return "a{5,2}" * (n // 6)


@family("regex", 100, 200_000)
def unknown_properties(n: int) -> str:
    return r"\p{Nope}" * (n // 8)


@family("regex", 1000, 1_000_000)
def nul_characters(n: int) -> str:
    return "\0" * n


@family("regex", 100, 300_000)
def marks_of_order(n: int) -> str:
    return "\u202e\u2066[" + "\u200b" * n


@family("regex", 1000, 1_000_000)
def invalid_utf8(n: int) -> bytes:
    return b"a|" + b"\xff\xed\xa0\x80" * (n // 4)


@family("regex", 100, 10_000)
def nested_comments(n: int) -> str:
    return "(?#" * n + "a" + ")" * n


@family("regex", 100, 20_000)
def flags(n: int) -> str:
    return "(?i:" * min(n, 900) + "a" + ")" * min(n, 900) + "(?s)" * n
