"""Operators mean what Earley's parser, the pushdown automaton and the definitions of lazy rules and dispatches mean.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples.
"""

import itertools
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import Case, load_cases
from tests.generators import (
    QUANTIFIERS,
    SHARE,
    exhaustive_grammars,
    is_recursive,
    mutate,
    random_grammar,
    random_member,
    random_vocabulary,
    reached_from,
    seeded,
    with_token_edges,
    write_ebnf,
)
from xg2lab.reference.determinism import analyze, never_competes
from xg2lab.reference.earley import Chart, parse
from xg2lab.reference.ebnf import EMPTY, Expression, Grammar, parse_ebnf
from xg2lab.reference.mask import legal_tokens
from xg2lab.reference.matcher import Matcher
from xg2lab.reference.operator_masks import content, entry, scope_of, token_mask, token_mask_by_entries
from xg2lab.reference.operator_tree import Write, label
from xg2lab.reference.operators import END, OperatorError, Operators, Position, build
from xg2lab.reference.options import Reader as OptionsReader
from xg2lab.reference.options import parse_with_options
from xg2lab.reference.pda import Pda
from xg2lab.reference.template import read_template, write_out

N_BYTES = 5
BOUNDS = [*QUANTIFIERS, (2, 2), (0, 2), (2, None), (2, 3), (1, 3)]


# ---- The small universe ----


def first_difference(reader: Any, *others: Any, n_bytes: int = N_BYTES) -> str | None:
    """The first text of at most `n_bytes` after which parsers differ in the bytes to come or in completeness."""
    for other in others:
        found = reader.expected_bytes(), reader.is_complete(), reader.is_alive
        expected = other.expected_bytes(), other.is_complete(), other.is_alive
        if found != expected:
            return f"{found}, {type(other).__name__} says {expected}"
    for byte in sorted(reader.expected_bytes()) if n_bytes else ():
        for each in (reader, *others):
            each.push(byte)
        found = first_difference(reader, *others, n_bytes=n_bytes - 1)
        for each in (reader, *others):
            each.pop(1)
        if found:
            return f"{byte:02x} {found}"
    return None


def small_grammars() -> Iterator[tuple[str, Grammar]]:
    """Grammars of one or two rules, the recursive ones too; with XG2LAB_FULL=1 all of them with three operators."""
    is_full = os.environ.get("XG2LAB_FULL") == "1"
    texts = itertools.chain(
        exhaustive_grammars(max_rules=1, max_operators=3, alphabet="abc"),
        exhaustive_grammars(max_rules=2, max_operators=3 if is_full else 2),
    )
    return ((text, parse_ebnf(text)) for text in dict.fromkeys(texts))


def test_all_small_grammars():
    n_compared = 0
    for text, grammar in small_grammars():
        if is_recursive(grammar):
            with pytest.raises(OperatorError, match="recursion") as error:
                build(grammar)
            cycle = error.value.names
            assert cycle[0] == cycle[-1], text
            assert all(b in reached_from(grammar, a) for a, b in itertools.pairwise(cycle)), text
        else:
            n_compared += 1
            parsers = Operators(build(grammar)), parse(grammar), Pda(grammar)
            assert first_difference(*parsers) is None, text
    assert n_compared > 1000


def small_expressions(n_operators: int) -> list[list[Expression]]:
    """Item n: all expressions with n operators on {a, b}, repetitions with bounds among them."""
    sizes: list[list[Expression]] = [[EMPTY, ("literal", b"a"), ("literal", b"b"), ("class", ((97, 98),))]]
    for n in range(1, n_operators + 1):
        found: list[Expression] = [("repeat", part, *bounds) for part in sizes[n - 1] for bounds in BOUNDS]
        for i in range(n):
            pairs = list(itertools.product(sizes[i], sizes[n - 1 - i]))
            found += [("seq", pair) for pair in pairs] + [("choice", pair) for pair in pairs]
        sizes.append(found)
    return sizes


def test_all_small_repetitions_with_bounds():
    rng = seeded("operators/bounds")
    sizes = small_expressions(3)
    for expression in [*sizes[0], *sizes[1], *sizes[2], *rng.sample(sizes[3], round(400 * SHARE))]:
        grammar = Grammar("root", {"root": expression})
        assert first_difference(Operators(build(grammar)), parse(grammar), n_bytes=5) is None, write_ebnf(grammar)


@pytest.mark.parametrize("case", [case for case in load_cases() if not is_recursive(parse_ebnf(case.grammar))], ids=str)
def test_the_table_of_cases(case: Case):
    grammar = parse_ebnf(case.grammar)
    if grammar.any_orders:
        with pytest.raises(OperatorError, match="any_order"):
            build(grammar)
        return
    tree = build(grammar)
    for data in case.accepts + case.rejects + case.prefixes:
        reader = Operators(tree)
        is_viable = all(reader.push(byte) for byte in data) and reader.is_alive
        assert (is_viable and reader.is_complete()) == (data in case.accepts), data
        assert is_viable or data in case.rejects, data
    reader = Operators(tree)
    for step, mask in enumerate(case.masks):
        allowed = {token for token, data in enumerate(case.vocabulary) if data and reader.can_take(token, data)}
        stop = {case.stop_token} if reader.is_complete() else set[int]()
        assert allowed - {case.stop_token} | stop == mask, step
        if step < len(case.path):
            assert reader.push_token(case.path[step], case.vocabulary[case.path[step]])


# ---- Counts ----

GAPPED = [
    '("a" | "aa")',
    '("aa" | "aaa")',
    '("aa" | "aaaaa")',
    '("a" "b"?)',
    '("ab" | "a" | "b")',
    '("a"{2,3})',
    "[ab]",
]


def random_counted(rng: random.Random, depth: int) -> str:
    """Repetitions of parts that one text may match in several numbers, in each other and after each other."""
    if depth == 0:
        return rng.choice(GAPPED)
    inner = random_counted(rng, depth - 1)
    least = rng.randrange(5)
    bounds = rng.choice([f"{{{least},{least + rng.randrange(5)}}}", f"{{{least},{least + 1}}}", f"{{{least},}}"])
    after = rng.choice(["", ' "a"?', ' "b"', " | " + rng.choice(GAPPED)])
    return f"({inner}{bounds}{after})"


def test_counts_as_intervals_are_the_counts_written_out():
    rng = seeded("operators/counts")
    n_intervals = 0
    for _ in range(round(60 * SHARE)):
        text = f'root ::= {random_counted(rng, rng.choice([1, 1, 2, 2]))} "."?'
        grammar = parse_ebnf(text)
        reader, chart = Operators(build(grammar)), parse(grammar)
        for _ in range(30):
            assert reader.expected_bytes() == chart.expected_bytes(), (text, bytes(chart.data))
            assert reader.is_complete() == chart.is_complete(), (text, bytes(chart.data))
            n_intervals += any(low < high for position in reader.active for low, high in position.counts)
            if not (expected := sorted(reader.expected_bytes() - {ord(".")})):
                break
            byte = rng.choice(expected)
            reader.push(byte)
            chart.push(byte)
    assert n_intervals > 0 or SHARE < 1


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ('("a" | "aa"){2,900}', 3),
        ('("a" | "aa"){900}', 3),
        ("[ab]{3,}", 1),
        ('("a"{0,9}){0,9}', 2),
        ('(("a" | "aa"){3,5}){3,}', 6),  # 9 if a position that says no more than another one were kept
    ],
)
def test_active_positions_stay_few(body: str, most: int):
    """Where counts have no gaps, the number of positions does not grow with the text."""
    reader = Operators(build(parse_ebnf(f"root ::= {body}")))
    n_active: list[int] = []
    for _ in range(60):
        assert reader.push(ord("a"))
        n_active.append(len(reader.active - {END}))
    assert max(n_active) <= most


def test_a_number_stops_where_it_says_nothing_more():
    reader = Operators(build(parse_ebnf('root ::= [a-z]{3,} "."')))
    seen: list[tuple[int, int]] = []
    for byte in b"abcdefgh":
        reader.push(byte)
        seen += [position.counts[0] for position in reader.active if position.number == 2]
    assert seen == [(2, 2), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3)]
    reader = Operators(build(parse_ebnf('root ::= ("a" | "aa"){2,9}')))
    for byte in b"aaaaaaaaaa":
        reader.push(byte)
    assert {position.counts for position in reader.active - {END}} == {((6, 6),)}  # five before it: "aa" each


# ---- Determinism ----


def glushkov_is_deterministic(expression: Expression, rules: dict[str, Expression]) -> bool:
    """One-unambiguity as Brüggemann-Klein and Wood define it: no two positions with one letter in `first`, or in a
    position's `follow`. For expressions without bounds, on letters.
    """
    letters: list[bytes] = []
    follow: dict[int, set[int]] = {}

    def visit(part: Expression) -> tuple[bool, set[int], set[int]]:
        """Nullable, first and last; `follow` grows."""
        match part:
            case ("literal", b""):
                return True, set(), set()
            case ("literal", data):
                letters.append(data)
                place = len(letters) - 1
                follow[place] = set()
                return False, {place}, {place}
            case ("rule", name):
                return visit(rules[name])
            case ("seq", parts):
                nullable, first, last = True, set[int](), set[int]()
                for is_empty, begins, ends in map(visit, parts):
                    for place in last:
                        follow[place] |= begins
                    first |= begins if nullable else set()
                    last = ends | (last if is_empty else set())
                    nullable &= is_empty
                return nullable, first, last
            case ("choice", branches):
                found = list(map(visit, branches))
                return (
                    any(n for n, _, _ in found),
                    set().union(*(f for _, f, _ in found)),
                    set().union(*(e for *_, e in found)),
                )
            case ("repeat", inner, least, most):
                is_empty, begins, ends = visit(inner)
                for place in ends if most is None else ():
                    follow[place] |= begins
                return is_empty or least == 0, begins, ends
            case _:
                raise AssertionError(part)

    _, first, _ = visit(expression)
    return all(len({letters[place] for place in some}) == len(some) for some in (first, *follow.values()))


def test_determinism_is_glushkovs():
    answers = {True: 0, False: 0}
    for text, grammar in small_grammars():
        if not is_recursive(grammar):
            expected = glushkov_is_deterministic(grammar.rules["root"], grammar.rules)
            found = analyze(build(grammar), max_sets=0)
            assert found.is_deterministic == expected, f"{text}\n{found}"
            assert never_competes(build(grammar)) == expected, text
            answers[expected] += 1
    assert min(answers.values()) > 200, answers


def active_sets(reader: Operators, n_bytes: int) -> set[frozenset[Position]]:
    """The active positions after every text of at most `n_bytes`; texts that lead to one set go on as one."""
    found, newest = {reader.active}, {reader.active}
    for _ in range(n_bytes):
        steps = ((active, byte) for active in newest for byte in set[int]().union(*map(reader.bytes_of, active)))
        newest = {after for active, byte in steps if (after := reader.advance(active, byte))} - found
        found |= newest
    return found


def test_determinism_and_the_most_active_by_brute_force():
    """No text of up to 30 bytes leaves two positions for one byte if the answer is yes; some text does if it is no."""
    rng = seeded("operators/determinism")
    sizes = small_expressions(3)
    answers = {True: 0, False: 0}
    for expression in [*sizes[1], *rng.sample(sizes[2], round(150 * SHARE)), *rng.sample(sizes[3], round(150 * SHARE))]:
        tree = build(Grammar("root", {"root": expression}))
        reader, found = Operators(tree), analyze(tree)
        sets = active_sets(reader, 30)
        has_rivals = any(
            reader.bytes_of(a) & reader.bytes_of(b) for active in sets for a, b in itertools.combinations(active, 2)
        )
        assert found.is_deterministic != has_rivals, f"{tree}\n{found}"
        assert found.max_active == max(len(active - {END}) for active in sets), f"{tree}\n{found}"
        answers[found.is_deterministic] += 1
    assert min(answers.values()) > 5, answers


def test_the_test_that_follows_no_text_is_never_too_kind():
    rng = seeded("operators/static")
    sizes = small_expressions(3)
    answers = {(True, True): 0, (False, True): 0, (False, False): 0}  # without texts, with texts
    for expression in [*sizes[1], *rng.sample(sizes[2], round(300 * SHARE)), *rng.sample(sizes[3], round(300 * SHARE))]:
        tree = build(Grammar("root", {"root": expression}))
        answers[never_competes(tree), analyze(tree, max_sets=0).is_deterministic] += 1
    assert answers[True, True] > 20
    assert answers[False, False] > 5
    text = 'root ::= TagDispatch(("ab", x), ("b", y), stop_eos=false, stop_str="c") x ::= "a"  y ::= "a"? "b"'
    assert never_competes(build(parse_ebnf(text)))
    assert not never_competes(build(parse_ebnf('root ::= TagDispatch(("ab", x)) "b"   x ::= "a"?')))


def test_rivals_are_named():
    found = analyze(tree := build(parse_ebnf('root ::= [ab]* "a" [ab]')))
    assert not found.is_deterministic
    assert found.rivals is not None
    a, b, byte = found.rivals
    assert [label(tree.operators[each.number]) for each in (a, b)] == ["Wait allows=[a-b]", 'Write "a"']
    assert byte == ord("a")
    assert analyze(build(parse_ebnf("root ::= Token(5) | ExcludeToken(6)"))).rivals is not None
    assert analyze(build(parse_ebnf("root ::= Token(5) | ExcludeToken(5)"))).is_deterministic
    assert analyze(build(parse_ebnf('root ::= ("a" | "b" "a"){2,400} "c"'))).is_deterministic
    assert not analyze(build(parse_ebnf('root ::= ("a"{2,3}){2,3} "c"'))).is_deterministic


def test_too_many_sets_are_not_counted():
    tree = build(parse_ebnf(f'root ::= [ab]* "a" {"[ab] " * 9}'))
    assert analyze(tree, max_sets=100).max_active is None
    assert analyze(tree).max_active == 11  # in the loop, before the "a", and wherever an "a" may have led
    counted = build(parse_ebnf('root ::= [ab]* "a" [ab]{9}'))
    assert analyze(counted).max_active == 7  # neighbouring numbers are one interval


# ---- Larger grammars at random ----


def near_members(rng: random.Random, grammar: Grammar) -> list[bytes]:
    members = [data for _ in range(5) if (data := random_member(rng, grammar)) is not None]
    return members + [mutate(rng, data) for data in [*members, b""] for _ in range(4)]


def stacks_of(grammar: Grammar, data: bytes) -> Pda | None:
    """The pushdown automaton after `data`, unless it has too many stacks."""
    try:
        pda = Pda(grammar, max_stacks=2000)
        for byte in data:
            pda.push(byte)
    except OverflowError:
        return None
    return pda


def test_random_grammars_and_their_masks():
    rng = seeded("operators/random")
    n_masks = n_stacks = 0
    for _ in range(round(100 * SHARE)):
        grammar = random_grammar(rng, is_regular=True)
        text = write_ebnf(grammar)
        tree = build(grammar)
        for data in near_members(rng, grammar):
            reader, chart, pda = Operators(tree), parse(grammar), stacks_of(grammar, data)
            assert reader.is_alive == chart.is_alive
            for byte in data:
                assert reader.push(byte) == chart.push(byte), (text, data)
            for other in (chart, *([pda] if pda else [])):
                assert reader.is_complete() == other.is_complete(), (text, data)
                assert reader.expected_bytes() == other.expected_bytes(), (text, data)
            n_stacks += bool(pda and pda.is_alive)
        vocabulary = random_vocabulary(rng, [random_member(rng, grammar) or b"a", b"ab"], n_tokens=20)
        reader, chart = Operators(tree), parse(grammar)
        for _ in range(6):
            allowed = {token for token, data in enumerate(vocabulary) if data and reader.can_follow(data)}
            assert allowed == legal_tokens(chart, dict(enumerate(vocabulary))), (text, bytes(chart.data))
            n_masks += bool(allowed)
            if not allowed:
                break
            for byte in vocabulary[rng.choice(sorted(allowed))]:
                reader.push(byte)
                chart.push(byte)
    assert n_masks > 60 * SHARE
    assert n_stacks > 100 * SHARE


def test_token_edges():
    rng = seeded("operators/tokens")
    n_crossed = 0
    for _ in range(round(150 * SHARE)):
        grammar = random_grammar(rng, max_rules=4, is_regular=True)
        vocabulary = [*random_vocabulary(rng, [random_member(rng, grammar) or b"ab"], n_tokens=12), b"</s>"]
        stop = len(vocabulary) - 1
        special = {token for token in range(stop) if rng.random() < 0.2}
        grammar = with_token_edges(rng, grammar, [t for t in range(stop) if vocabulary[t]], rng.choice([0.2, 0.5]))
        reader, matcher = Operators(build(grammar)), Matcher(grammar, vocabulary, [stop], sorted(special))
        for _ in range(6):
            mask = {
                token
                for token, data in enumerate(vocabulary)
                if data and token != stop and reader.can_take(token, data, is_text=token not in special)
            }
            assert mask | ({stop} if reader.is_complete() else set()) == matcher.mask(), write_ebnf(grammar)
            if not mask:
                break
            token = rng.choice(sorted(mask))
            n_crossed += any((edge := reader.tokens_of(p)) and edge.holds(token) for p in reader.active)
            assert reader.push_token(token, vocabulary[token], is_text=token not in special)
            assert matcher.accept_token(token)
    assert n_crossed > 50 * SHARE


# ---- Masks of entries ----


def test_masks_of_entries_are_the_masks_by_definition():
    rng = seeded("operators/entries")
    n_asked = n_kept = 0
    for _ in range(round(80 * SHARE)):
        grammar = random_grammar(rng, max_rules=4, is_regular=True)
        tree = build(grammar)
        vocabulary = dict(enumerate(random_vocabulary(rng, [random_member(rng, grammar) or b"a", b"ab"], n_tokens=15)))
        scopes = {number for number in range(len(tree.operators)) if rng.random() < 0.3}
        reader = Operators(tree)
        for _ in range(5):
            expected = token_mask(reader, vocabulary)
            assert token_mask_by_entries(reader, vocabulary, scopes) == expected, f"{write_ebnf(grammar)}\n{scopes}"
            for position in reader.active - {END}:
                found = entry(tree, scope := scope_of(tree, position.number, scopes), vocabulary)
                n_asked, n_kept = n_asked + len(found.uncertain), n_kept + len(found.accepted)
                assert scope.number in scopes | {position.number}
            if not expected:
                break
            for byte in vocabulary[rng.choice(sorted(expected))]:
                reader.push(byte)
    assert n_asked > 0
    assert n_kept > 0


def test_equal_scopes_have_equal_entries_wherever_they_stand():
    rng = seeded("operators/scopes")
    n_equal = 0
    for _ in range(round(60 * SHARE)):
        trees = [build(random_grammar(rng, max_rules=2, is_regular=True, letters=["a", "b"])) for _ in range(4)]
        vocabulary = dict(enumerate([b"a", b"b", b"ab", b"ba", b"aab", b"bb", b"aaaa", b"c"]))
        found: dict[object, object] = {}
        for tree in trees:
            for operator in tree.operators:
                split = entry(tree, operator, vocabulary)
                n_equal += content(operator) in found
                assert found.setdefault(content(operator), split) == split
    assert n_equal > 0


# ---- Text with ends: dispatches and lazy rules ----


def test_dispatches_are_the_rules_they_stand_for():
    """The twin's own rules of a dispatch are recursive; the operators wait for the watched texts instead."""
    rng = seeded("operators/dispatch")
    pieces = ["a", "b", "ab", "ba", "aab", "é", "è", "bé"]
    outcomes = {True: 0, False: 0}
    for _ in range(round(150 * SHARE)):
        texts = rng.sample(pieces, rng.randint(1, 4))
        n_tags = rng.randint(0, min(2, len(texts)))
        n_stops = rng.randint(0, min(1, len(texts) - n_tags))
        tags = [f'("{text}", {rng.choice("xyz")})' for text in texts[:n_tags]]
        stops = ", ".join(f'"{text}"' for text in texts[n_tags : n_tags + n_stops])
        excludes = ", ".join(f'"{text}"' for text in texts[n_tags + n_stops :])
        flags = [f"{name}={rng.choice(['true', 'false'])}" for name in ("stop_eos", "loop_after_dispatch")]
        some = [*tags, *flags, *([f"stop_str=({stops})"] * bool(stops)), *([f"excludes=({excludes})"] * bool(excludes))]
        root = rng.choice(["{0}", '"a" {0} "b"', "{0} y {0}", '({0} ";")*', 'x | {0} "1"'])
        rules = ['"a"', "[ab]*", '"" | "1"', '[ab]{2} "é"', "[^\\U00000000-\\U0010ffff]"]
        text = f"root ::= {root}\n".replace("{0}", f"TagDispatch({', '.join(some)})")
        grammar = parse_ebnf(text + "\n".join(f"{name} ::= {rng.choice(rules)}" for name in "xyz"))
        reader, chart = Operators(build(grammar)), parse(grammar)
        outcomes[reader.is_alive] += 1
        walk_alike(rng, reader, chart, text)
    assert outcomes[True] > 80 * SHARE


def test_dispatches_in_templates_are_written_out_with_the_rules_that_they_open():
    text = (
        'root ::= Each($xs, item, ",")   item ::= TagDispatch(("<", x), stop_eos=false, stop_str=";")   x ::= $id | "b"'
    )
    grammar = write_out(read_template(text), {"xs": [{"id": "aa"}, {"id": "ac"}]})
    assert len(grammar.dispatches) == 2
    reader, chart = Operators(build(grammar)), parse(grammar)
    for byte in b"a<aaa<b;,a<ac;":
        assert reader.expected_bytes() == chart.expected_bytes(), bytes(chart.data)
        assert reader.push(byte)
        assert chart.push(byte)
    assert reader.is_complete()


def walk_alike(rng: random.Random, reader: Operators, chart: Chart, text: str) -> None:
    """Twelve bytes, most of them letters that the dispatches watch for."""
    watched = set("aaabbb1;é".encode())
    for _ in range(12):
        assert reader.expected_bytes() == chart.expected_bytes(), (text, bytes(chart.data))
        assert reader.is_complete() == chart.is_complete(), (text, bytes(chart.data))
        if not (expected := sorted(reader.expected_bytes())):
            return
        byte = rng.choice(sorted(watched & set(expected)) or expected)
        assert reader.push(byte) == chart.push(byte), (text, bytes(chart.data))


def test_token_dispatches():
    text = 'root ::= "<" TokenTagDispatch((3, x), (4, y), excludes=(5), {0}) ">"  x ::= "a"  y ::= Token(3) | "b"?'
    vocabulary = [b"<", b">", b"a", b"T", b"U", b"V", b"a>", b"</s>"]
    for loop in ("loop_after_dispatch=true", "loop_after_dispatch=false"):
        grammar = parse_ebnf(text.replace("{0}", loop))
        reader, matcher = Operators(build(grammar)), Matcher(grammar, vocabulary, [7])
        for token in [0, 2, 4, 3, 3, 2, 1]:
            found = {t for t, data in enumerate(vocabulary[:7]) if reader.can_take(t, data)}
            assert found == matcher.mask() - {7}
            if token in found:
                assert reader.push_token(token, vocabulary[token])
                assert matcher.accept_token(token)
        assert reader.is_complete() == (7 in matcher.mask())


def test_lazy_rules():
    rng = seeded("operators/lazy")
    bodies = ['[ab]* "c"', '"a"+', '"a"{2,4} "b"?', 'y "c"', '"" | "a"', '("a" | "ab" | "abc") y', 'y y "a"']
    roots = ["x", 'x* "c"', '[ab] x | "a" x "c"', "(x | y){1,3}", 'x "a"? x', '[ab]* x "c"']
    for _ in range(round(120 * SHARE)):
        text = f"root ::= {rng.choice(roots)}\nx[lazy] ::= {rng.choice(bodies)}\ny{rng.choice(['', '[lazy]'])} ::= "
        text += rng.choice(['"b"*', '[ab] "c"?', '("b" | "bc"){1,2}', '"ba" | "b"'])
        grammar, options = parse_with_options(text)
        reader, threads = Operators(build(grammar, options)), OptionsReader(grammar, options)
        for _ in range(10):
            assert reader.expected_bytes() == threads.expected_bytes(), (text, threads.text)
            assert reader.is_complete() == threads.is_complete(), (text, threads.text)
            if not (expected := sorted(reader.expected_bytes())):
                break
            byte = rng.choice(expected)
            assert reader.push(byte), (text, threads.text)
            assert threads.accept(bytes([byte]), is_token=False)


# ---- The tree ----


def test_refusals_name_what_they_refuse():
    def refused(text: str, **limits: Any) -> OperatorError:
        grammar, options = parse_with_options(text)
        with pytest.raises(OperatorError) as error:
            build(grammar, options, **limits)
        return error.value

    assert refused("root ::= x | y   x ::= y   y ::= x?").names == ["x", "y", "x"]
    assert refused('root ::= "a" root | "b"').names == ["root", "root"]
    assert refused('root ::= TagDispatch(("a", root))').names[0] == "root"
    assert refused('root ::= AnyOrder(x, y)   x ::= "a"   y ::= "b"').code == "any_order"
    assert str(refused('root ::= x  x[max_tokens=3] ::= "a"*')) == "option: x has max_tokens"
    assert str(refused("root ::= x  x[lazy] ::= Token(3)")) == "option: x is lazy and has a token edge"
    doubling = "root ::= r0 r0\n" + "\n".join(f"r{i} ::= r{i + 1} r{i + 1}" for i in range(20)) + '\nr20 ::= "a"'
    found = refused(doubling, max_operators=1000)
    assert (found.code, found.names[:2]) == ("too_many_operators", ["root", "r0"])
    assert build(*parse_with_options('root ::= x  x[capture, temperature=0.5] ::= "a"*')).root is not None


def test_numbers_are_places_and_parents_know_their_children():
    rng = seeded("operators/tree")
    for _ in range(60):
        tree = build(random_grammar(rng, is_regular=True))
        assert [operator.number for operator in tree.operators] == list(range(len(tree.operators)))
        for operator in tree.operators:
            for place, child in enumerate(operator.children):
                assert tree.operators[child.number] is child
                assert tree.parents[child.number] == (operator.number, place)
            assert not isinstance(operator, Write) or not operator.children
        assert len(str(tree).splitlines()) == len(tree.operators)
        assert (tree.root is None) == (not tree.operators)


def test_a_rule_has_a_copy_at_each_call_site():
    tree = build(parse_ebnf('root ::= x "," x   x ::= "a"+'))
    assert [operator.number for operator in tree.operators if operator.rule == "x"] == [1, 2, 4, 5]
