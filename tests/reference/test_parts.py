"""Each twin by itself: its examples, its invariants, and the costs that its header states."""

import doctest
import importlib
import itertools
from pathlib import Path

import pytest

from tests.generators import random_grammar, random_member, seeded, shrink, write_ebnf
from xg2lab import reference
from xg2lab.reference.earley import Chart, Reason, parse
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.matcher import Matcher
from xg2lab.reference.trie import build_tree, flatten
from xg2lab.reference.utf8 import byte_boxes

MODULES = sorted(path.stem for path in Path(reference.__path__[0]).glob("[a-z]*.py"))


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str):
    results = doctest.testmod(importlib.import_module(f"xg2lab.reference.{module}"))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_twins_import_nothing_but_twins_and_the_standard_library(module: str):
    source = (Path(reference.__path__[0]) / f"{module}.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    ours = [line for line in lines if line.startswith(("import", "from")) and "xg2lab" in line]
    assert all(line.startswith("from xg2lab.reference.") for line in ours)


@pytest.mark.parametrize("module", MODULES)
def test_every_twin_is_in_the_reading_order(module: str):
    assert f"\n{module} " in (reference.__doc__ or "")


def test_boxes_are_the_encodings_of_their_range():
    ends = [0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0x1234, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x1F600]
    for low, high in itertools.combinations_with_replacement(ends, 2):
        n_strings = 0
        previous: bytes = b""
        for box in byte_boxes(low, high):
            size = 1
            for byte_range in box:
                size *= byte_range[1] - byte_range[0] + 1
            n_strings += size
            first, last = bytes(lo for lo, _ in box), bytes(hi for _, hi in box)
            assert previous < first <= last
            assert low <= ord(first.decode()) <= ord(last.decode()) <= high
            previous = last
        n_surrogates = max(0, min(high, 0xDFFF) - max(low, 0xD800) + 1)
        assert n_strings == high - low + 1 - n_surrogates


def n_items(chart: Chart) -> int:
    """The size of a chart."""
    return sum(len(column) for column in chart.columns)


def growth(text: str, data: bytes) -> float:
    """How many times larger a chart gets when the text doubles."""
    grammar = parse_ebnf(text)
    return n_items(parse(grammar, data * 120)) / n_items(parse(grammar, data * 60))


def test_cost_left_recursion_is_linear():
    assert growth('root ::= root "a" | "a"', b"a") == pytest.approx(2, abs=0.1)
    assert growth('root ::= "a"*', b"a") == pytest.approx(2, abs=0.1)


def test_cost_right_recursion_is_quadratic():
    assert growth('root ::= "a" root | "a"', b"a") == pytest.approx(4, abs=0.25)


def n_reasons(chart: Chart) -> int:
    """The number of joins a chart has made."""
    return sum(len(reasons) for column in chart.columns for reasons in column.values())


def test_cost_ambiguity_is_cubic_in_joins_at_most():
    grammar = parse_ebnf('root ::= root root | "a"')
    ratio = n_reasons(parse(grammar, b"a" * 32)) / n_reasons(parse(grammar, b"a" * 16))
    assert 4 < ratio <= 8


def test_earley_invariants_and_pop_undoes_push():
    rng = seeded("chart")
    for _ in range(60):
        grammar = random_grammar(rng, max_rules=4)
        member = random_member(rng, grammar)
        if member is None:
            continue
        chart = parse(grammar)
        snapshots = [[dict(column) for column in chart.columns]]
        for byte in member[:12]:
            assert chart.push(byte)
            snapshots.append([dict(column) for column in chart.columns])
        for j, column in enumerate(chart.columns):
            for item, reasons in column.items():
                assert item.origin <= j
                assert reasons
                assert len(set(reasons)) == len(reasons)
                assert all(reason_holds(chart, reason) for reason in reasons)
        while len(snapshots) > 1:
            assert chart.columns == snapshots.pop()
            chart.pop(1)


def reason_holds(chart: Chart, reason: Reason) -> bool:
    """Are the places that a reason names in the chart?"""
    return all(place is None or place[1] in chart.columns[place[0]] for place in (reason.before, reason.finished))


def test_two_parses_leave_two_reasons():
    chart = parse(parse_ebnf('root ::= root "+" root | "1"'), b"1+1+1")
    whole = [item for item in chart.columns[-1] if item.origin == 0 and item.after_dot is None and item.name == "root"]
    assert [len(chart.columns[-1][item]) for item in whole] == [2]


def test_trie_rows_cover_their_subtrees():
    rng = seeded("trie")
    vocabulary = {token: bytes(rng.choices(b"abc", k=rng.randrange(6))) for token in range(300)}
    rows = flatten(build_tree(vocabulary))
    assert sorted(token for row in rows for token in row.tokens) == [t for t, data in vocabulary.items() if data]
    for i, row in enumerate(rows):
        below = rows[i + 1 : i + row.n_rows]
        assert all(other.depth > row.depth for other in below)
        assert i + row.n_rows == len(rows) or rows[i + row.n_rows].depth <= row.depth
        assert [other.byte for other in below if other.depth == row.depth + 1] == sorted(
            {other.byte for other in below if other.depth == row.depth + 1}
        )


def test_matcher_refuses_what_it_cannot_take():
    matcher = Matcher(parse_ebnf('root ::= "a"'), [b"a", b"b", b"</s>"], stop_tokens=[2])
    assert not matcher.accept_token(1)
    assert not matcher.accept_token(2)
    with pytest.raises(ValueError, match="cannot take back 1 steps of 0"):
        matcher.rollback()
    assert matcher.accept_token(0)
    assert matcher.accept_token(2)
    assert matcher.is_terminated
    assert matcher.mask() == set()
    assert not matcher.accept_token(0)
    assert not matcher.accept_token(2)
    assert not matcher.accept_string(b"")
    matcher.rollback()
    assert matcher.mask() == {2}


def test_jump_forward_keeps_characters_whole():
    matcher = Matcher(parse_ebnf('root ::= "é" | "è"'), [b"\xc3", b"\xa9"])
    assert matcher.find_jump_forward_string() == ""
    matcher = Matcher(parse_ebnf('root ::= "aé!" "é" | "aé!" "è"'), [b"a"])
    assert matcher.find_jump_forward_string() == "aé!"
    assert matcher.accept_string(b"a\xc3")
    assert matcher.find_jump_forward_string() == ""


def test_shrinking_finds_a_smallest_grammar():
    grammar = parse_ebnf('root ::= ("x" | y{2,3} "ab") "c"   y ::= [a-z] "q"')
    smallest = shrink(grammar, lambda smaller: "q" in write_ebnf(smaller) and bool(parse(smaller).columns[0]))
    assert write_ebnf(smallest).count("::=") == 2
    assert len(write_ebnf(smallest)) < len(write_ebnf(grammar)) / 1.5
