"""The twins answer the table of cases: membership, beginnings, masks, and the place of each mistake."""

import pytest

from tests.cases import Case, ErrorCase, load_cases, load_error_cases
from tests.generators import is_recursive
from xg2lab.reference.earley import parse
from xg2lab.reference.ebnf import EbnfError, parse_ebnf
from xg2lab.reference.fsm import from_rule
from xg2lab.reference.mask import token_mask, token_mask_by_splits
from xg2lab.reference.matcher import Matcher
from xg2lab.reference.minimize import minimize
from xg2lab.reference.trie import build_tree, flatten, walk

CASES = load_cases()
with_cases = pytest.mark.parametrize("case", CASES, ids=str)


def test_the_table_has_a_name_for_each_fact():
    assert len({str(case) for case in CASES}) == len(CASES) >= 70


@with_cases
def test_membership_by_earley(case: Case):
    grammar = parse_ebnf(case.grammar)
    for data in case.accepts:
        assert parse(grammar, data).is_complete(), data
        assert all(parse(grammar, data[:n]).is_alive for n in range(0, len(data), 1 + len(data) // 10)), data
    for data in case.rejects:
        assert not parse(grammar, data).is_complete(), data
    for data in case.prefixes:
        chart = parse(grammar, data)
        assert chart.is_alive, data
        assert not chart.is_complete() or data in case.accepts, data


@with_cases
def test_membership_by_machines_where_the_language_is_regular(case: Case):
    grammar = parse_ebnf(case.grammar)
    if is_recursive(grammar):
        with pytest.raises(ValueError, match="refers to itself"):
            from_rule(grammar)
        return
    machine = from_rule(grammar)
    for fsm in (machine, minimize(machine)):
        assert [data for data in case.accepts if not fsm.accepts(data)] == []
        assert [data for data in case.rejects if fsm.accepts(data)] == []
        assert [data for data in case.prefixes if not fsm.is_viable(data)] == []


@pytest.mark.parametrize("case", [case for case in CASES if case.masks], ids=str)
def test_masks_along_the_path(case: Case):
    grammar = parse_ebnf(case.grammar)
    matcher = Matcher(grammar, case.vocabulary, stop_tokens=[case.stop_token])
    text = {token: data for token, data in enumerate(case.vocabulary) if token != case.stop_token}
    rows = flatten(build_tree(text))
    for step, mask in enumerate(case.masks):
        assert matcher.mask() == mask, f"mask {step} of {case}"
        by_definition = token_mask(matcher.chart, text)
        assert set(walk(rows, matcher.chart)) == by_definition
        assert token_mask_by_splits(grammar, matcher.chart, text) == by_definition
        if step < len(case.path):
            assert matcher.accept_token(case.path[step])


@pytest.mark.parametrize("case", load_error_cases(), ids=str)
def test_mistakes_have_a_place(case: ErrorCase):
    if case.errors[0][2] == "never_matches":
        assert not parse(parse_ebnf(case.grammar)).is_alive
        return
    with pytest.raises(EbnfError) as caught:
        parse_ebnf(case.grammar)
    assert (caught.value.line, caught.value.column, caught.value.code) == case.errors[0]
