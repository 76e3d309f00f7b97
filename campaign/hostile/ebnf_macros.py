"""Hostile grammars in EBNF: macros, limits of rules, and texts that are no grammar, or look like none."""

from __future__ import annotations

from campaign.hostile.ebnf import joined, numbered, rules
from campaign.hostile.inputs import family

__all__: list[str] = []


# ---- Macros ----


@family("ebnf", 100, 1000, 10_000)
def dispatch_triggers(n: int) -> str:
    return rules("root ::= TagDispatch(" + joined(n, '("<function={i}>", t)', ", ") + ")", 't ::= [a-z]* "</f>"')


@family("ebnf", 30, 300, 1300)
def dispatch_triggers_of_one_letter(n: int) -> str:
    pairs = ", ".join(f'("{"a" * (i + 1)}b", t)' for i in range(n))
    return rules(f"root ::= TagDispatch({pairs})", 't ::= [a-z]{0,9} ";"')


@family("ebnf", 100, 1000, 10_000)
def dispatch_stops(n: int) -> str:
    stops = joined(n, '"</stop{i}>"', ", ")
    return rules(f'root ::= TagDispatch(("<a>", t), stop_eos=false, stop_str=({stops}))', "t ::= [0-9]+")


@family("ebnf", 100, 1000, 10_000)
def dispatch_excludes(n: int) -> str:
    return rules(
        f'root ::= TagDispatch(("<a>", t), excludes=({joined(n, chr(34) + "no{i}" + chr(34), ", ")}))', "t ::= [0-9]+"
    )


@family("ebnf", 10, 100, 1000)
def dispatch_within_dispatch(n: int) -> str:
    return rules("root ::= t0", *(f'root{i} ::= "a"' for i in range(0))) + rules(
        *(f't{i} ::= TagDispatch(("<t{i}>", t{i + 1}), stop_eos=false, stop_str=("</t{i}>"))' for i in range(n)),
        f't{n} ::= "x"',
    )


@family("ebnf", 10, 200, 5000)
def any_order(n: int) -> str:
    return rules(f'root ::= AnyOrder({joined(n, "m{i}?", ", ")}, sep=",")') + numbered(n, 'm{i} ::= "k{i}:" [0-9]+')


@family("ebnf", 10, 60, 200)
def any_order_of_overlapping(n: int) -> str:
    return rules(f'root ::= AnyOrder({joined(n, "m{i}", ", ")}, sep=",")') + numbered(
        n, 'm{i} ::= "k" [0-9a-z]* "{i}"?'
    )


@family("ebnf", 5, 20, 60)
def any_order_nested(n: int) -> str:
    return rules("root ::= a0") + rules(
        *(f'a{i} ::= "(" AnyOrder(a{i + 1}, b, c?) ")"' for i in range(n)), f'a{n} ::= "."', 'b ::= "b"', 'c ::= "c"'
    )


@family("ebnf", 1000, 10_000, 100_000)
def substrings(n: int) -> str:
    return rules("root ::= Substring(" + joined(n // 10, '"piece {i} "', ", ") + ")")


@family("ebnf", 10, 100, 1000)
def patterns(n: int) -> str:
    return rules("root ::= " + " | ".join(f'Regex("(?!k{i}$)[a-z0-9]+x{i}")' for i in range(n)))


@family("ebnf", 10, 100, 1000)
def lookaheads(n: int) -> str:
    return rules("root ::= r0", *(f'r{i} ::= [a-z]+ r{i + 1} (= "{i}" [0-9]*)' for i in range(n)), f"r{n} ::= [0-9]*")


@family("ebnf", 10, 1000, 20_000)
def token_sets(n: int) -> str:
    return rules("root ::= (" + " | ".join(f"Token({i}, {i + 7})" for i in range(n)) + ")*")


@family("ebnf", 10, 1000, 20_000)
def excluded_tokens(n: int) -> str:
    return rules("root ::= ExcludeToken(" + ", ".join(str(i) for i in range(n)) + ')* "."')


# ---- Texts that are no grammar, or look like none ----


@family("ebnf", 1000, 1_000_000)
def comment(n: int) -> str:
    return 'root ::= "a" #' + "x" * n


@family("ebnf", 1000, 1_000_000)
def blanks(n: int) -> str:
    return "root" + " " * (n // 2) + "::=" + "\n" * (n // 2 - 20) + '"a"'


@family("ebnf", 1000, 500_000)
def long_name(n: int) -> str:
    return f'root ::= {"n" * n}\n{"n" * n} ::= "a"'


@family("ebnf", 1000, 60_000)
def undefined_names(n: int) -> str:
    return "root ::= " + joined(n, "undefined{i}")


@family("ebnf", 1000, 60_000)
def repeated_definitions(n: int) -> str:
    return "".join(f'root ::= "{i}"\n' for i in range(n))


@family("ebnf", 1000, 1_000_000)
def open_parentheses(n: int) -> str:
    return "root ::= " + "(" * n


@family("ebnf", 1000, 1_000_000)
def open_class(n: int) -> str:
    return "root ::= [" + "a-" * (n // 2)


@family("ebnf", 1000, 1_000_000)
def open_literal(n: int) -> str:
    return 'root ::= "' + "\\" * n


@family("ebnf", 1000, 300_000)
def definition_marks(n: int) -> str:
    return "::=" * n


@family("ebnf", 1000, 1_000_000)
def bars(n: int) -> str:
    return "root ::= " + "|" * n


@family("ebnf", 1000, 1_000_000)
def stars(n: int) -> str:
    return 'root ::= "a"' + "*" * n


@family("ebnf", 1000, 200_000)
def bad_escapes(n: int) -> str:
    return 'root ::= "' + "\\q" * n + '"'


@family("ebnf", 1000, 1_000_000)
def nul_characters(n: int) -> str:
    return 'root ::= "' + "\0" * n + '"'


@family("ebnf", 100, 100_000)
def marks_of_order_and_direction(n: int) -> str:
    return "\ufeff" + 'root ::= "' + "\u202e\u2066\u200b" * n + '" \u202e'


@family("ebnf", 1000, 1_000_000)
def invalid_utf8(n: int) -> bytes:
    return b'root ::= "' + b"\xff\xc0\x80\xed\xa0\x80" * (n // 6) + b'"'


@family("ebnf", 1000, 50_000)
def endless_bounds(n: int) -> str:
    return 'root ::= "a"{' + "9" * n + "}"


@family("ebnf", 1000, 30_000)
def never_ending_rules(n: int) -> str:
    return rules("root ::= e0") + numbered(n, 'e{i} ::= "a" e{j} e{h}')


@family("ebnf", 100, 1000, 20_000)
def never_ending_but_one(n: int) -> str:
    return rules("root ::= e0") + rules(
        *(f'e{i} ::= "a" e{i + 1} | "b" e{i} e{(7 * i) % n}' for i in range(n)), f'e{n} ::= "c"'
    )
