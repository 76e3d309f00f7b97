"""The passes: what each one does, and that none changes the language.

Twin: xg2lab/reference/earley.py judges the languages.
"""

import itertools

import pytest

from tests.generators import SHARE, exhaustive_grammars, random_any_order, random_grammar, seeded, write_ebnf
from tests.refusals import Outcomes, refusal_mistake
from xg2lab import EngineOptions, work_limits
from xg2lab.errors import GrammarError, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.reference.earley import Chart, parse
from xg2lab.reference.ebnf import parse_ebnf

FIRST = ["check_dispatches", "check_productive", "drop_unreachable", "check_lookaheads", "machines_to_rules"]
ALL = [*FIRST, "normalize", "right_recursion_to_repeat", "inline_fragments", "normalize", "fuse_literals"]


def language(text: str, root: str = "root", n_bytes: int = 5) -> frozenset[bytes]:
    """All members of at most `n_bytes` bytes, by the twin, along those bytes that it expects."""
    chart: Chart = parse(parse_ebnf(text, root))
    members: set[bytes] = set()

    def walk(data: bytes) -> None:
        if chart.is_complete():
            members.add(data)
        if len(data) == n_bytes:
            return
        for byte in sorted(chart.expected_bytes() & set(b"ab\xc3\xa9")):
            if chart.push(byte):
                walk(data + bytes([byte]))
            chart.pop(1)

    walk(b"")
    return frozenset(members)


def steps(text: str, **options: bool) -> list[tuple[str, str]]:
    return [(name, str(result)) for name, result in Grammar.from_ebnf(text).passes(**options)]


def after(text: str, wanted: str) -> str:
    """The grammar after the last pass of that name, its lines joined by three spaces."""
    return [result for name, result in steps(text) if name == wanted][-1].rstrip("\n").replace("\n", "   ")


# ---- The language stays ----


def check_language(text: str) -> None:
    wanted = language(text)
    try:
        grammar = Grammar.from_ebnf(text)
    except GrammarError as error:
        assert [d.code for d in error.diagnostics] == ["never_matches"], text
        assert not parse(parse_ebnf(text)).is_alive, text
        return
    seen = {str(grammar)}
    assert language(str(grammar)) == wanted, text
    for options in itertools.product([True, False], repeat=3):
        names = ["fuse_literals", "right_recursion_to_repeat", "inlining"]
        for name, result in grammar.passes(**dict(zip(names, options, strict=True))):
            if str(result) not in seen:
                seen.add(str(result))
                assert language(str(result), result.root_rule_name) == wanted, f"{name}\n{text}\n{result}"


def test_no_pass_changes_the_language_of_a_random_grammar() -> None:
    rng = seeded("passes")
    for _ in range(250):
        check_language(write_ebnf(random_grammar(rng, max_rules=4, letters=["a", "b", "é"]), rng))


def test_no_pass_changes_the_language_of_a_small_grammar() -> None:
    everything = list(exhaustive_grammars(2, 2))
    for text in seeded("small").sample(everything, 400):
        check_language(text)


def test_passes_end_in_what_they_no_longer_change() -> None:
    rng = seeded("idempotent")
    outcomes = Outcomes()
    for _ in range(250):
        drawn, error = random_grammar(rng), None
        try:
            grammar = Grammar.from_ebnf(write_ebnf(drawn, rng))
        except GrammarError as refusal:
            grammar, error = None, refusal
        assert refusal_mistake(drawn, EngineOptions(), error) is None, write_ebnf(drawn)
        outcomes["refused" if grammar is None else "checked"] += 1
        if grammar is None:
            continue
        for name, result in grammar.passes():
            if name == "normalize":
                again = next(text for pass_name, text in result.passes() if pass_name == "normalize")
                assert str(again) == str(result)
    outcomes.require("checked", 0.75)


def test_spans_of_all_nodes_lie_in_the_rules_they_come_from() -> None:
    source = 'root ::= "<" pair ">"\npair ::= word "=" word | pair "," word\nword ::= letter+\nletter ::= [a-z]'
    grammar = Grammar.from_ebnf(source)
    final = grammar.passes()[-1][1]
    assert str(final) == 'root ::= "<" pair ">"\npair ::= [a-z]+ "=" [a-z]+ | pair "," [a-z]+\n'
    _, alternatives, _ = final.expressions()["pair"]
    _, (first, *_), _ = alternatives[0]
    assert source[slice(*first[-1])] == "letter+"
    assert source[slice(*first[1][-1])] == "[a-z]"
    assert (grammar.rule_at(first[-1][0]), grammar.rule_at(first[1][-1][0])) == ("word", "letter")


def test_each_pass_is_named_and_can_be_left_out() -> None:
    text = 'root ::= "a" "b" x   x ::= "c" x | "d"'
    assert [name for name, _ in steps(text)] == ALL
    assert steps(text)[-1][1] == 'root ::= "ab" "c"* "d"\n'
    bare = steps(text, fuse_literals=False, right_recursion_to_repeat=False, inlining=False)
    assert [name for name, _ in bare] == [*FIRST, "normalize", "normalize"]
    assert bare[-1][1] == 'root ::= "a" "b" x\nx ::= "c" x | "d"\n'


# ---- What can't match ----

NEVER = {
    "root ::= root": (
        "rule `root` never matches: every way through it needs itself again (`root` → `root`)\n"
        "  grammar:1:1\n"
        "    1 | root ::= root\n"
        "      | ^^^^\n"
        '  hint: add an alternative that ends without it, for example: root ::= ... | ""'
    ),
    'root ::= "a" x\nx ::= "b" y | "c" x\ny ::= ("d" x)+': (
        "rule `root` never ends: every way through it needs `x` again (`root` → `x` → `y` → `x`)\n"
        "  grammar:1:1\n"
        '    1 | root ::= "a" x\n'
        "      | ^^^^\n"
        '  hint: add an alternative that ends without it, for example: x ::= ... | ""'
    ),
    'root ::= root "a" | x root\nx ::= ""': (
        "rule `root` never matches: every way through it needs itself again (`root` → `root`)\n"
        "  grammar:1:1\n"
        '    1 | root ::= root "a" | x root\n'
        "      | ^^^^\n"
        '  hint: add an alternative that ends without it, for example: root ::= ... | ""'
    ),
    'root ::= "a" x{2}\nx ::= [] | "b" []': (
        "rule `root` matches nothing, because it needs `x`, which matches nothing (`root` → `x`)\n"
        "  grammar:1:1\n"
        '    1 | root ::= "a" x{2}\n'
        "      | ^^^^\n"
        "  hint: give `x` something to match"
    ),
    "root ::= []": (
        "rule `root` matches nothing: it needs a class without characters\n"
        "  grammar:1:1\n"
        "    1 | root ::= []\n"
        "      | ^^^^\n"
        "  hint: put characters into [], or remove it; any character is [^]"
    ),
}


@pytest.mark.parametrize("text", NEVER)
def test_a_root_that_cannot_match_is_refused_at_once(text: str) -> None:
    with pytest.raises(GrammarError) as caught:
        Grammar.from_ebnf(text)
    assert str(caught.value) == NEVER[text]
    assert [d.code for d in caught.value.diagnostics] == ["never_matches"]


def test_a_long_cycle_is_named_by_its_ends() -> None:
    text = "root ::= x0\n" + "\n".join(f'x{i} ::= "a" x{(i + 1) % 50}' for i in range(50))
    with pytest.raises(GrammarError, match="never ends") as caught:
        Grammar.from_ebnf(text)
    assert (
        "(`root` → `x0` → `x1` → `x2` → `x3` → … → `x47` → `x48` → `x49` → `x0`)" in str(caught.value).splitlines()[0]
    )


def test_parts_that_cannot_match_are_left_out_with_a_warning() -> None:
    text = 'root ::= "a" | "b" x | (y)* "c"\nx ::= "d" x\ny ::= [] | x\nz ::= "e" z | "f"\nw ::= [] | "g"'
    grammar = Grammar.from_ebnf(text)
    assert [(d.code, d.severity, d.line, d.column, d.message) for d in grammar.diagnostics] == [
        ("never_matches", "warning", 1, 16, "this part never matches and is left out"),
        ("never_matches", "warning", 1, 25, "this part never matches and is left out"),
        ("never_matches", "warning", 2, 1,
         "rule `x` never ends: every way through it needs itself again (`x` → `x`)"),
        ("never_matches", "warning", 3, 1,
         "rule `y` matches nothing: it needs a class without characters"),
        ("unused_rule", "warning", 4, 1, "rule `z` is not used: `root` never needs it"),
        ("unused_rule", "warning", 5, 1, "rule `w` is not used: `root` never needs it"),
    ]  # fmt: skip
    assert (
        str(grammar) == 'root ::= "a" | "b" x | y* "c"\nx ::= "d" x\ny ::= [] | x\nz ::= "e" z | "f"\nw ::= [] | "g"\n'
    )
    assert after(text, "check_productive") == 'root ::= "a" | "" "c"   z ::= "e" z | "f"   w ::= "g"'
    assert after(text, "drop_unreachable") == 'root ::= "a" | "" "c"'


def test_warnings_are_given_once() -> None:
    grammar = Grammar.from_ebnf('root ::= "a" (= "b")\nx ::= "c"')
    assert [d.code for d in grammar.diagnostics] == ["lookahead_not_kept", "unused_rule"]
    assert grammar.passes()[-1][1].diagnostics == grammar.diagnostics


# ---- Each pass ----


@pytest.mark.parametrize(
    ("body", "normal"),
    [
        ('("a" ("b" "a")) "b"', '"a" "b" "a" "b"'),
        ('"a" | ("b" | "c" | "a") | "b"', '"a" | "b" | "c"'),
        ('"a" "" "b" ""', '"a" "b"'),
        ('"" "" ""', '""'),
        ('"a" | [] | "b"', '"a" | "b"'),
        ('"a" | "b" []', '"a"'),
        ("[a] [^a]", '"a" [^a]'),
        ('("a"*)*', '"a"*'),
        ('("a"*)+', '"a"*'),
        ('("a"+)*', '"a"*'),
        ('("a"+)+', '"a"+'),
        ('("a"?)*', '"a"*'),
        ('("a"?)+', '"a"*'),
        ('("a"+)?', '"a"*'),
        ('("a"*)?', '"a"*'),
        ('("a"?)?', '"a"?'),
        ('("a"{2,3}){2}', '"a"{4,6}'),
        ('("a"{2})*', '"a"{2}*'),
        ('("a"{2}){1,2}', '"a"{2}{1,2}'),
        ('("a"{2,3}){1,2}', '"a"{2,6}'),
        ('("a"{3,4}){1,2}', '"a"{3,4}{1,2}'),
        ('("a"{3,4}){2,5}', '"a"{6,20}'),
        ('("a"{2,}){0,3}', '"a"{2,}{0,3}'),
        ('("a"{65536}){65536}', '"a"{65536}{65536}'),
        ('("a" | ""){3}', '"a"{0,3}'),
        ('("a" | "" | "b"?)+', '("a" | "b"?)*'),
        ('""{5} []* "a"{0}', '""'),
        ('("a" | ("a" | "a"))* ("b")', '"a"* "b"'),
        ('("a" "b") | "a" "b" | ("a" | "") ("a" | "")', '"a" "b" | ("a" | "") ("a" | "")'),
    ],
)
def test_normalize(body: str, normal: str) -> None:
    result = dict(steps(f"root ::= {body}")[len(FIRST) : len(FIRST) + 1])["normalize"]
    printed = str(Grammar.from_ebnf(f"root ::= {normal}"))
    assert result == printed
    assert language(result) == language(f"root ::= {body}") if "65536" not in body else True


def test_merged_repetitions_are_merged_exactly_when_no_count_is_left_out() -> None:
    for inner_min, inner_width, outer_min, outer_width in itertools.product(range(4), range(3), range(3), range(3)):
        inner, outer = (inner_min, inner_min + inner_width), (outer_min, outer_min + outer_width)
        counts = {sum(c) for n in range(outer[0], outer[1] + 1)
                  for c in itertools.combinations_with_replacement(range(inner[0], inner[1] + 1), n)}  # fmt: skip
        text = f'root ::= "a"{{{inner[0]},{inner[1]}}}{{{outer[0]},{outer[1]}}}'
        normal = dict(steps(text)[len(FIRST) : len(FIRST) + 1])["normalize"]
        assert {len(data) for data in language(normal, n_bytes=30)} == counts
        is_one_interval = counts == set(range(min(counts), max(counts) + 1))
        assert (normal.count("{") + normal.count("?") <= 1) == is_one_interval or max(counts) <= 1


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('root ::= "a" "b" x "c" "d"   x ::= root | "é" "\\n"', 'root ::= "ab" x "cd"   x ::= root | "é\\n"'),
        ('root ::= "a" ("b" | root "c") "d"', 'root ::= "a" ("b" | root "c") "d"'),
        ('root ::= "a" ("b" "c")* "d" root | "e"', 'root ::= ("a" "bc"* "d")* "e"'),
    ],
)
def test_fuse_literals(text: str, result: str) -> None:
    assert after(text, "fuse_literals") == result


def test_a_fused_literal_covers_its_parts() -> None:
    source = 'root ::= "a"  # one\n  "b" [0-9]'
    fused = Grammar.from_ebnf(source).passes()[-1][1].expressions()["root"][1][0]
    assert fused[:2] == ("literal", b"ab")
    assert source[slice(*fused[2])] == '"a"  # one\n  "b"'


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('root ::= "a" root | "b"', 'root ::= "a"* "b"'),
        ('root ::= "a" root | "b" root | "c" | "d"', 'root ::= ("a" | "b")* ("c" | "d")'),
        ('root ::= "(" root ")" root | ""', 'root ::= ("(" root ")")* ""'),
        ('root ::= root | "a"', 'root ::= "a"'),
        ('root ::= root root | "a"', 'root ::= ("a" "")* "a"'),
        ('root ::= root "+" root | root "-" root | "a"', 'root ::= ("a" ("+" | "-"))* "a"'),
        ('root ::= root "b" root | "-" root | "a"', 'root ::= (("-"* "a") "b")* ("-"* "a")'),
        (
            'root ::= root "(" root ")" root | root "!" | "a"',
            'root ::= ((root "!" | "a") ("(" root ")"))* (root "!" | "a")',
        ),
        ('root ::= root "a" | "b"', 'root ::= root "a" | "b"'),
        ('root ::= "a" x | "b"   x ::= "c" root', 'root ::= "a" x | "b"   x ::= "c" root'),
        ('root ::= ("a" root)? "b"', 'root ::= ("a" root)? "b"'),
    ],
)
def test_right_recursion_becomes_repetition(text: str, result: str) -> None:
    assert after(text, "right_recursion_to_repeat") == result
    assert language(result.replace("   ", "\n")) == language(text)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('root ::= a a   a ::= b "c"   b ::= [0-9]', 'root ::= ([0-9] "c") ([0-9] "c")'),
        ('root ::= a   a ::= "x" b | ""   b ::= a a', 'root ::= a   a ::= "x" b | ""   b ::= a a'),
        ('root ::= a | "z"   a ::= "x" root', 'root ::= a | "z"   a ::= "x" root'),
        ('root ::= "(" a ")" | "z"   a ::= b root   b ::= "x"*', 'root ::= "(" a ")" | "z"   a ::= "x"* root'),
        ('root ::= a b   a ::= "x" (= "y")   b ::= "y"', 'root ::= a "y"   a ::= "x" (= "y")'),
    ],
)
def test_inline_fragments(text: str, result: str) -> None:
    assert after(text, "inline_fragments") == result


def test_a_large_rule_is_inlined_only_where_it_is_used_once() -> None:
    large = " | ".join(f"[a-{letter}] [0-9]" for letter in "cdefghijklmnopqrst")
    assert "large" not in after(f'root ::= "a" large | "b"\nlarge ::= {large}', "fuse_literals")
    twice = after(f'root ::= "a" large | "b" large\nlarge ::= {large}', "fuse_literals")
    assert twice == f'root ::= "a" large | "b" large   large ::= {large}'


def test_inlining_stays_within_its_budget() -> None:
    # Each rule uses the next one twice: written out they would be 2^40 nodes.
    text = "root ::= x0\n" + "\n".join(f'x{i} ::= x{i + 1} "-" x{i + 1}' for i in range(40)) + '\nx40 ::= "a"'
    final = after(text, "fuse_literals")
    assert len(final) < 20_000
    assert "x0" not in final.split("::=")[0]


# ---- Scale: linear time, and no deep recursion on the C stack ----


def test_a_hundred_thousand_rules_in_a_chain() -> None:
    n = 100_000
    text = "root ::= x0\n" + "\n".join(f'x{i} ::= "a" x{i + 1} | "b"' for i in range(n)) + f'\nx{n} ::= "c"'
    grammar = Grammar.from_ebnf(text)
    with work_limits(max_bytes=1 << 30):  # the grammar after each pass, all at once
        name, final = grammar.passes()[-1]
    assert name == "fuse_literals"
    assert len(final.rules) < n / 100


def test_a_hundred_thousand_rules_in_a_cycle_that_never_ends() -> None:
    n = 100_000
    text = "root ::= x0\n" + "\n".join(f'x{i} ::= "a" x{(i + 1) % n}' for i in range(n))
    with pytest.raises(GrammarError, match="never ends"):
        Grammar.from_ebnf(text)
    grammar = Grammar.from_ebnf(text.replace("root ::= x0", 'root ::= x0 | "z"'))
    assert {d.code for d in grammar.diagnostics} == {"never_matches"}
    with work_limits(max_bytes=1 << 30):
        assert str(grammar.passes()[-1][1]) == 'root ::= "z"\n'


# ---- Lookaheads ----


def test_what_follows_a_rule_is_found_through_groups() -> None:
    text = 'root ::= (x | y "," x) "]" | (x "]")? y\nx ::= "a"\ny ::= "b" x "]" | (x ";")* '
    grammar = Grammar.from_ebnf(text)
    sites, everywhere = grammar.call_sites("x")
    assert [(caller, follows) for caller, _, follows in sites] == [
        ("root", '"]"'), ("root", '"]"'), ("root", '"]"'), ("y", '"]"'), ("y", '";"'),
    ]  # fmt: skip
    assert everywhere is None
    assert grammar.call_sites("y") == ([("root", (14, 15), '","'), ("root", (38, 39), None)], None)
    assert Grammar.from_ebnf('root ::= (x "]")+ "]"   x ::= "a"').call_sites("x")[1] == '"]"'
    assert Grammar.from_ebnf('root ::= x+ "]"   x ::= "a"').call_sites("x") == ([("root", (9, 10), None)], None)
    with pytest.raises(KeyError, match="no rule `z`"):
        grammar.call_sites("z")


def test_a_written_lookahead_stays_through_all_passes() -> None:
    grammar = Grammar.from_ebnf('root ::= word "="\nword ::= [a-z]+ (= "=")')
    assert grammar.diagnostics == []
    assert all('(= "=")' in str(result) for _, result in grammar.passes())


def test_facts_are_the_same_counted_as_in_rounds() -> None:
    """A chain of rules, each before the one it needs, takes a round a rule: then parts are counted instead."""
    chain = "\n".join(f"chain{i} ::= chain{i + 1}" for i in range(30)) + '\nchain30 ::= ""'
    rng = seeded("facts")
    n_dropped = 0
    for _ in range(round(200 * SHARE)):
        text = random_any_order(rng) if rng.random() < 0.3 else write_ebnf(random_grammar(rng))
        found = []
        for longer in (text, f"{text}\n{chain}"):
            try:
                grammar = Grammar.from_ebnf(longer)
            except Xg2LabError as error:
                found.append([(d.code, d.span) for d in error.diagnostics])
                continue
            rules = [rule for rule in grammar.rules if not rule.name.startswith("chain")]
            notes = [(d.code, d.span) for d in grammar.diagnostics if "chain" not in d.message]
            found.append([[(rule.name, rule.is_nullable) for rule in rules], notes])
            assert all(rule.is_nullable for rule in grammar.rules if rule.name.startswith("chain"))
            n_dropped += any(code == "never_matches" for code, _ in notes)
        assert found[0] == found[1], text
    assert n_dropped > 0
