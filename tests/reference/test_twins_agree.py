"""Standing equalities among the twins: machine, minimal machine, Earley and Python's `re` mean the same language."""

import random
import re

from tests.generators import (
    derivation_sizes,
    exhaustive_grammars,
    is_recursive,
    is_text,
    mutate,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    strings,
    write_ebnf,
)
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.earley import Chart, parse
from xg2lab.reference.ebnf import Expression, Grammar, parse_ebnf
from xg2lab.reference.fsm import from_rule
from xg2lab.reference.mask import legal_tokens, split, token_mask, token_mask_by_splits
from xg2lab.reference.matcher import Matcher
from xg2lab.reference.minimize import determinize, minimize
from xg2lab.reference.trie import build_tree, flatten, walk


def to_pattern(expression: Expression, rules: dict[str, Expression]) -> str:
    """The same language for Python's own engine, on code points."""
    match expression:
        case ("literal", data):
            return f"(?:{re.escape(data.decode())})"
        case ("class", ()):
            return "(?!)"
        case ("class", ranges):
            return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges) + "]"
        case ("tokens", tokens):
            raise ValueError(f"{tokens} is no text")
        case ("rule", name):
            return to_pattern(rules[name], rules)
        case ("seq", parts):
            return "(?:" + "".join(to_pattern(part, rules) for part in parts) + ")"
        case ("choice", branches):
            return "(?:" + "|".join(to_pattern(branch, rules) for branch in branches) + ")"
        case ("repeat", part, least, most):
            return f"(?:{to_pattern(part, rules)}){{{least},{'' if most is None else most}}}"


def test_machines_earley_and_re_on_all_short_strings():
    words = strings("ab", 5)
    n_regular = 0
    for text in exhaustive_grammars(max_rules=2, max_operators=2):
        grammar = parse_ebnf(text)
        if is_recursive(grammar):
            continue
        machine = from_rule(grammar)
        n_regular += 1
        pattern = re.compile(to_pattern(("rule", "root"), grammar.rules))
        members = [data for data in words if pattern.fullmatch(data.decode())]
        smallest = minimize(machine)
        chart = parse(grammar)
        assert [data for data in words if machine.accepts(data)] == members, text
        assert [data for data in words if smallest.accepts(data)] == members, text
        assert [data for data in words if reads(chart, data)] == members, text
        viable = [data for data in words if machine.is_viable(data)]
        assert [data for data in words if chart.can_follow(data)] == viable, text
        assert [data for data in words if smallest.run(data)] == viable, text
    assert n_regular > 400


def reads(chart: Chart, data: bytes) -> bool:
    """Is `data` a member, by a chart at its beginning?"""
    found = all(chart.push(byte) for byte in data) and chart.is_complete()
    chart.pop(len(chart.data))
    return found


def test_random_regular_grammars():
    rng = seeded("regular")
    for _ in range(80):
        grammar = random_grammar(rng, max_rules=3, is_regular=True)
        text = write_ebnf(grammar)
        machine = from_rule(grammar)
        smallest = minimize(machine)
        assert smallest == minimize(smallest) == minimize(determinize(machine)), text
        chart = parse(grammar)
        pattern = re.compile(to_pattern(("rule", "root"), grammar.rules))
        for data in near_members(rng, grammar):
            assert machine.accepts(data) == smallest.accepts(data) == reads(chart, data), (text, data)
            assert machine.is_viable(data) == bool(smallest.run(data)) == chart.can_follow(data), (text, data)
            if is_text(data):
                assert bool(pattern.fullmatch(data.decode())) == reads(chart, data), (text, data)


def near_members(rng: random.Random, grammar: Grammar) -> list[bytes]:
    """Members, their beginnings, and strings a mistake away."""
    members = [data for _ in range(5) if (data := random_member(rng, grammar)) is not None]
    return members + [mutate(rng, data) for data in [*members, b""] for _ in range(4)]


def test_members_are_members_and_their_beginnings_viable():
    rng = seeded("members")
    for _ in range(150):
        grammar = random_grammar(rng)
        chart = parse(grammar)
        member = random_member(rng, grammar)
        assert chart.is_alive == (member is not None) == ("root" in derivation_sizes(productions_of(grammar)))
        if member is not None:
            assert reads(chart, member), (write_ebnf(grammar), member)
            assert chart.can_follow(member[: rng.randrange(len(member) + 1)])


def test_a_viable_beginning_can_be_completed():
    """From any state, bytes chosen by expected_bytes never lead to a dead end: each is alive."""
    rng = seeded("viable")
    for _ in range(60):
        chart = parse(random_grammar(rng, max_rules=3))
        for _ in range(8):
            expected = chart.expected_bytes()
            assert {byte for byte in range(256) if chart.can_follow(bytes([byte]))} == expected
            assert not chart.is_alive or expected or chart.is_complete()
            if not expected:
                break
            chart.push(rng.choice(sorted(expected)))


def test_masks_by_definition_by_trie_by_splits_and_by_accepting():
    rng = seeded("masks")
    for _ in range(40):
        grammar = random_grammar(rng, max_rules=3)
        member = random_member(rng, grammar)
        if member is None:
            continue
        text = write_ebnf(grammar)
        vocabulary = [*random_vocabulary(rng, [member, b"a"], n_tokens=25), b"</s>", b"a"]
        stop, special = len(vocabulary) - 2, len(vocabulary) - 1
        matcher = Matcher(grammar, vocabulary, [stop], [special])
        words = {token: data for token, data in enumerate(vocabulary) if token not in (stop, special)}
        rows = flatten(build_tree(words))
        for _ in range(4):
            mask = matcher.mask()
            by_definition = token_mask(matcher.chart, words)
            assert mask == by_definition | ({stop} if matcher.is_completed else set()), text
            assert set(walk(rows, matcher.chart)) == by_definition, text
            assert token_mask_by_splits(grammar, matcher.chart, words) == by_definition, text
            for token in range(len(vocabulary)):
                columns = list(matcher.chart.columns)
                is_accepted = matcher.accept_token(token)
                assert is_accepted == (token in mask), (text, vocabulary[token])
                if is_accepted:
                    matcher.rollback()
                assert matcher.chart.columns == columns
            if not mask - {stop}:
                break
            assert matcher.accept_token(rng.choice(sorted(mask - {stop})))


def test_a_matchers_mask_with_token_edges_is_that_of_the_definition():
    vocabulary = [b"a", b"ab", b"b", b"<x>", b"", b"aa", b"</s>", b"<y>"]
    grammar = parse_ebnf('root ::= ("a" | Token(1, 3)) x? ExcludeToken(0, 7)   x ::= "b" | Token(5) "a"')
    matcher = Matcher(grammar, vocabulary, [6], [3, 7])
    n_states, agenda = 0, [list[int]()]
    for path in agenda:
        assert all(matcher.accept_token(token) for token in path)
        mask = legal_tokens(matcher.chart, dict(enumerate(vocabulary)), [6], [3, 7])
        assert matcher.mask() == mask, path
        n_states += 1
        agenda += [[*path, token] for token in sorted(mask - {6})] if len(path) < 4 else []
        matcher.rollback(len(path))
    assert n_states > 20


def test_a_split_covers_the_vocabulary_once():
    vocabulary = dict(enumerate([b"a", b"ab", b"b", b"ba", b"c"]))
    grammar = parse_ebnf('root ::= x "b"   x ::= "a"+')
    parts = split(grammar, "x", b"", vocabulary)
    assert (parts.accepted, parts.uncertain, parts.rejected) == ({0}, {1}, {2, 3, 4})
    parts = split(grammar, "root", b"a", vocabulary)
    assert (parts.accepted, parts.uncertain, parts.rejected) == ({0, 1, 2}, {3}, {4})


def test_text_written_in_any_spelling_reads_back_the_same():
    rng = seeded("spellings")
    for _ in range(200):
        grammar = random_grammar(rng)
        assert parse_ebnf(write_ebnf(grammar)).rules == grammar.rules
        text = write_ebnf(grammar, rng)
        assert parse_ebnf(text).rules == grammar.rules, text
