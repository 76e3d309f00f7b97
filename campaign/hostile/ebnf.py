"""Hostile grammars in EBNF: cycles, ambiguity, depth, width, bounds, subsets that multiply."""

from __future__ import annotations

from campaign.hostile.inputs import family

__all__ = ["joined", "numbered", "rules"]


def rules(*lines: str) -> str:
    """Lines of a grammar."""
    return "\n".join(lines) + "\n"


def numbered(n: int, form: str) -> str:
    """One line for each number `{i}` below `n`; in `form`, `{j}` and `{k}` are the next two, `{h}` is far off."""
    return rules(*(form.format(i=i, j=(i + 1) % n, k=(i + 2) % n, h=(7 * i + 3) % n) for i in range(n)))


def joined(n: int, form: str, separator: str = " ") -> str:
    """`form` for each number below `n`, in one line."""
    return separator.join(form.format(i=i) for i in range(n))


# ---- Rules that call each other ----


@family("ebnf", 1000, 10_000, 30_000)
def chain(n: int) -> str:
    return rules("root ::= r0", *(f'r{i} ::= "a" r{i + 1} | "b"' for i in range(n)), f'r{n} ::= "c"')


@family("ebnf", 30, 300, 1000, 3000)
def nullable_cycles(n: int) -> str:
    return rules("root ::= " + joined(n, "n{i}")) + numbered(n, 'n{i} ::= n{j} n{k} | "" | "a"')


@family("ebnf", 30, 300, 3000)
def nullable_ring(n: int) -> str:
    return rules("root ::= n0 n0") + numbered(n, 'n{i} ::= n{j} | "" | "{i}"')


@family("ebnf", 100, 1000, 10_000)
def unit_recursion(n: int) -> str:
    return rules("root ::= u0") + numbered(n, 'u{i} ::= u{j} | "x{i}" | u{i} "y"')


@family("ebnf", 100, 1000, 10_000)
def unit_web(n: int) -> str:
    return rules("root ::= u0") + numbered(n, 'u{i} ::= u{j} | u{h} | "a"')


@family("ebnf", 10, 60, 250)
def complete_graph(n: int) -> str:
    calls = joined(n, "g{i}", " | ")
    return rules("root ::= g0", *(f'g{i} ::= "{i:x}" ({calls}) | "."' for i in range(n)))


@family("ebnf", 10, 100, 1000)
def left_recursion_all(n: int) -> str:
    return rules("root ::= l0") + numbered(n, 'l{i} ::= l{j} "a" | l{h} "b" | "c"')


@family("ebnf", 100, 1000, 10_000)
def hidden_left_recursion(n: int) -> str:
    return rules("root ::= h0", 'e ::= ""') + numbered(n, 'h{i} ::= e h{j} "a" | "b"')


@family("ebnf", 100, 1000, 10_000)
def right_recursion_all(n: int) -> str:
    return rules("root ::= l0") + numbered(n, 'l{i} ::= "a" l{j} | "b" l{h} | "c"')


@family("ebnf", 16, 64, 1000)
def doubling(n: int) -> str:
    return rules("root ::= d0", *(f"d{i} ::= d{i + 1} d{i + 1}" for i in range(n)), f'd{n} ::= "a"')


@family("ebnf", 16, 64, 1000)
def doubling_nullable(n: int) -> str:
    return rules("root ::= d0", *(f'd{i} ::= d{i + 1} d{i + 1} | ""' for i in range(n)), f'd{n} ::= "a" | ""')


@family("ebnf", 16, 64, 1000)
def diamonds(n: int) -> str:
    return rules("root ::= d0", *(f'd{i} ::= d{i + 1} | d{i + 1} "a"' for i in range(n)), f'd{n} ::= "b"')


@family("ebnf", 16, 64, 500)
def diamonds_in_front(n: int) -> str:
    return rules("root ::= d0", *(f'd{i} ::= "x" d{i + 1} | "x" "y"? d{i + 1}' for i in range(n)), f'd{n} ::= "b"')


@family("ebnf", 100, 1000, 5000)
def inlined_literals(n: int) -> str:
    return rules("root ::= " + joined(n, "w"), f'w ::= "{"abcdefgh" * 8}"')


@family("ebnf", 100, 1000, 10_000)
def equal_rules(n: int) -> str:
    return rules("root ::= " + joined(n, "e{i}", " | ")) + numbered(n, 'e{i} ::= "[" [a-z]* (e{j} | "]")')


@family("ebnf", 100, 1000, 20_000)
def optional_rules(n: int) -> str:
    return rules("root ::= " + joined(n, "o{i}?")) + numbered(n, 'o{i} ::= "k{i}"')


@family("ebnf", 100, 1000, 20_000)
def unused_rules(n: int) -> str:
    return rules('root ::= "a"') + numbered(n, 'u{i} ::= [a-z]{{3}} u{h} | "b"')


# ---- Ambiguity ----


@family("ebnf", 1, 2, 6)
def ambiguous_sums(n: int) -> str:
    return rules("root ::= s", "s ::= " + " | ".join(" ".join(["s"] * (k + 2)) for k in range(n)) + ' | "a"')


@family("ebnf", 2, 30, 1000)
def ambiguous_operators(n: int) -> str:
    return rules("root ::= e", "e ::= " + joined(n, 'e "{i}" e', " | ") + " | [a-z]+")


@family("ebnf", 4, 40, 400)
def ambiguous_lists(n: int) -> str:
    return rules("root ::= " + joined(n, "l{i}")) + numbered(n, "l{i} ::= [a-z]*")


@family("ebnf", 10, 100, 1000)
def ambiguous_words(n: int) -> str:
    return rules("root ::= w*", "w ::= " + joined(n, "a{{{i}}}", " | ").replace("a{", '"a"{'))


@family("ebnf", 2, 26)
def palindromes(n: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"[:n]
    return rules("root ::= p", "p ::= " + " | ".join(f'"{c}" p "{c}"' for c in letters) + ' | ""')


@family("ebnf", 4, 500, 5000)
def brackets(n: int) -> str:
    return rules("root ::= d*", "d ::= " + joined(n, '"<{i}>" d* "</{i}>"', " | "))


@family("ebnf", 10, 100, 1000)
def overlapping_classes(n: int) -> str:
    points = [f"[\\u{i + 256:04x}-\\u{i + 768:04x}]+" for i in range(n)]
    return rules("root ::= (" + " | ".join(points) + ")*")


# ---- Width ----


@family("ebnf", 1000, 10_000, 60_000)
def words(n: int) -> str:
    return rules("root ::= " + joined(n, '"word{i}"', " | "))


@family("ebnf", 100, 500, 1400)
def shared_prefixes(n: int) -> str:
    return rules("root ::= " + " | ".join(f'"{"a" * i}b"' for i in range(n)))


@family("ebnf", 100, 500, 1400)
def shared_suffixes(n: int) -> str:
    return rules("root ::= " + " | ".join(f'"{i:x}" [a-z]* "{"z" * i}"' for i in range(n)))


@family("ebnf", 200, 2000, 10_000)
def letters_then_words(n: int) -> str:
    return rules("root ::= [a-f]* (" + joined(n, '"{i:x}"', " | ") + ")")


@family("ebnf", 200, 2000, 10_000)
def text_then_words(n: int) -> str:
    return rules("root ::= [^;]* (" + joined(n, '"stop{i}"', " | ") + ") [^;]*")


@family("ebnf", 100, 1000, 10_000)
def rules_as_words(n: int) -> str:
    return rules("root ::= (" + joined(n, "w{i}", " | ") + ")*") + numbered(n, 'w{i} ::= [ ]? "key{i}" [a-z]*')


@family("ebnf", 1000, 30_000)
def empty_alternatives(n: int) -> str:
    return rules("root ::= " + joined(n, '""', " | ") + ' | "a"')


@family("ebnf", 100, 1000, 20_000)
def class_of_ranges(n: int) -> str:
    return rules("root ::= [" + "".join(chr(0x3400 + 2 * i) for i in range(n)) + "]*")


@family("ebnf", 100, 1000, 20_000)
def complement_of_ranges(n: int) -> str:
    return rules("root ::= [^" + "".join(chr(0x3400 + 2 * i) for i in range(n)) + "]*")


@family("ebnf", 1000, 100_000, 1_000_000)
def long_literal(n: int) -> str:
    return rules(f'root ::= "{"abcdefghij" * (n // 10)}"')


@family("ebnf", 1000, 30_000)
def sequence_of_classes(n: int) -> str:
    return rules("root ::= " + joined(n, "[a-m{i}]"))


@family("ebnf", 1000, 20_000)
def captures(n: int) -> str:
    return rules("root ::= " + joined(n, "c{i}")) + numbered(n, 'c{i}[capture="c{i}"] ::= [a-z]{{0,4}}')


@family("ebnf", 100, 1000, 10_000)
def limits_of_tokens(n: int) -> str:
    return rules("root ::= " + joined(n, "c{i}")) + numbered(n, 'c{i}[max_tokens={i}] ::= [a-z ]* "."?')


@family("ebnf", 10, 100, 1000)
def limits_within_limits(n: int) -> str:
    return rules("root ::= c0") + rules(
        *(f'c{i}[max_chars={n - i}] ::= [a-z] c{i + 1} | "."' for i in range(n)), f'c{n} ::= "!"'
    )


@family("ebnf", 10, 100, 1000)
def lazy_rules(n: int) -> str:
    return rules("root ::= " + joined(n, "c{i}")) + numbered(n, 'c{i}[lazy] ::= [^]* "k{i}"').replace("[^]", "[a-z0-9]")


# ---- Depth ----


@family("ebnf", 100, 990, 100_000)
def parentheses(n: int) -> str:
    return rules("root ::= " + "(" * n + '"a"' + ")" * n)


@family("ebnf", 10, 400, 990)
def nested_stars(n: int) -> str:
    return rules("root ::= " + "(" * n + '"a"' + ")*" * n)


@family("ebnf", 10, 400, 990)
def nested_marks(n: int) -> str:
    marks = "".join(")" + "+?*"[i % 3] for i in range(n))
    return rules("root ::= " + "(" * n + '"a" "b"?' + marks)


@family("ebnf", 2, 3, 6, 12)
def nested_bounds(n: int) -> str:
    return rules("root ::= " + "(" * n + '"a"' + "{1,1000})" * n)


@family("ebnf", 2, 4, 8)
def nested_exact_bounds(n: int) -> str:
    return rules("root ::= " + "(" * n + '"ab"?' + "{200})" * n)


# ---- Bounds ----


@family("ebnf", 1000, 100_000, 2_000_000_000)
def bound_of_letter(n: int) -> str:
    return rules(f'root ::= "a"{{0,{n}}} "b"')


@family("ebnf", 1000, 100_000, 1_000_000)
def bound_at_least(n: int) -> str:
    return rules(f"root ::= [a-z]{{{n},}}")


@family("ebnf", 30, 1000, 100_000)
def bound_of_nullable(n: int) -> str:
    return rules(f'root ::= ("a"? "b"* ("c" | "")){{{n // 2},{n}}}')


@family("ebnf", 30, 1000, 100_000)
def bound_of_rule(n: int) -> str:
    return rules(f"root ::= r{{{n // 3},{n}}}", 'r ::= "(" r{0,1000} ")" | [a-z]+')


@family("ebnf", 30, 1000, 100_000)
def optional_then_exact(n: int) -> str:
    return rules(f'root ::= ("a"?){{{n}}} "a"{{{n}}}')


@family("ebnf", 30, 300, 3000)
def bounds_in_sequence(n: int) -> str:
    return rules("root ::= " + " ".join(f"[a-z]{{{i},{2 * i}}}" for i in range(1, n)))


@family("ebnf", 30, 300, 3000)
def bounds_in_choice(n: int) -> str:
    return rules("root ::= " + " | ".join(f'[a-z]{{{i},{2 * i}}} "{i}"' for i in range(1, n)))


@family("ebnf", 30, 300, 3000)
def bounds_of_equal_text(n: int) -> str:
    return rules("root ::= (" + " | ".join(f'("a"{{{i}}})*' for i in range(2, n)) + ') "b"')


# ---- Subsets that multiply ----


@family("ebnf", 10, 20, 200)
def letter_from_the_end(n: int) -> str:
    return rules(f'root ::= [ab]* "a" [ab]{{{n}}}')


@family("ebnf", 5, 20, 200)
def letters_from_the_end(n: int) -> str:
    return rules("root ::= " + " | ".join(f'[a-z]* "{c}" [a-z]{{{n}}} "{c}"' for c in "abcdefghij"))


@family("ebnf", 50, 250, 2000)
def keys_in_text(n: int) -> str:
    return rules("root ::= " + " [^;]* ".join(f'"k{i}"' for i in range(n)))


@family("ebnf", 5, 20, 100)
def periods(n: int) -> str:
    primes = [p for p in range(2, 600) if all(p % q for q in range(2, p))][:n]
    return rules("root ::= " + " | ".join(f'("a"{{{p}}})+' for p in primes))


@family("ebnf", 4, 12, 20)
def random_words_star(n: int) -> str:
    return rules("root ::= (" + " | ".join(f'"{i:0{n}b}"' for i in range(0, 2 ** min(n, 12), 3)) + ")*")
