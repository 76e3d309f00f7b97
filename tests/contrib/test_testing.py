"""The helpers of `xg2lab.testing` that ask a grammar."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

import xg2lab as xgr
from tests.generators import SHARE, random_grammar, random_member, seeded, write_ebnf
from xg2lab import testing
from xg2lab.errors import ArgumentError


@pytest.mark.parametrize(
    ("text", "accepted", "begins"),
    [("ab", True, True), ("abab", True, True), ("a", False, True), ("", False, True), ("ba", False, False)],
)
def test_is_grammar_accept_string(text, accepted, begins):
    grammar = 'root ::= ("a" "b")+'
    for form in (text, text.encode()):
        assert testing._is_grammar_accept_string(grammar, form) is accepted
        assert testing._is_grammar_accept_string(grammar, form, require_termination=False) is begins
    assert testing._is_grammar_accept_string(xgr.Grammar.from_ebnf(grammar), text) is accepted


def test_printing(capsys):
    assert testing._is_grammar_accept_string('root ::= "é"', "é", debug_print=True, print_time=True)
    printed = capsys.readouterr().out
    assert "accept_string: " in printed
    assert "accepted: True" in printed
    assert len(printed.splitlines()) >= 2


def test_matchers():
    matcher = testing._get_matcher_from_grammar('root ::= "ab"')
    assert matcher.accept_token(ord("a"))
    assert not matcher.is_terminated()
    assert matcher.accept_string("b")
    assert matcher.is_terminated()
    info = xgr.TokenizerInfo(["ab", "</s>"])
    matcher = testing._get_matcher_from_grammar_and_tokenizer_info('root ::= "ab"', info, max_rollback_tokens=3)
    assert matcher.max_rollback_tokens == 3
    assert matcher.accept_token(0)
    assert not matcher.is_terminated()
    assert matcher.accept_token(1)
    assert matcher.is_terminated()


# ---- Patterns of numbers, held against arithmetic ----


def numbers_near(rng, bounds, n_places):
    """Decimals around some bounds, and anywhere."""
    near = [Decimal(repr(bound)) for bound in bounds if bound is not None]
    for _ in range(40):
        places = rng.randint(0, n_places)
        step = Decimal(rng.choice([-1, 0, 1])).scaleb(-places)
        base = rng.choice([*near, Decimal(rng.randint(-4_000_000, 4_000_000)).scaleb(-places), Decimal(0)])
        yield base.quantize(Decimal(1).scaleb(-places)) + step


def test_patterns_of_integers():
    rng = seeded("integers")
    for _ in range(round(400 * SHARE)):
        start, end = (rng.choice([None, rng.randint(-3000, 3000), rng.randint(-30, 30)]) for _ in "ab")
        if start is not None and end is not None and start > end:
            start, end = end, start
        pattern = testing._generate_range_regex(start, end)
        for number in map(int, numbers_near(rng, (start, end), 0)):
            expected = (start is None or number >= start) and (end is None or number <= end)
            assert bool(re.match(pattern, str(number))) == expected, (start, end, number, pattern)
            assert not re.match(pattern, f"0{number}")
    with pytest.raises(ArgumentError, match="no integer is at least 5 and at most 1"):
        testing._generate_range_regex(5, 1)


def test_patterns_of_floats():
    rng = seeded("floats")
    for _ in range(round(800 * SHARE)):
        choices = [None, float(rng.randint(-5, 5)), round(rng.uniform(-3, 3), rng.randint(0, 6)), rng.uniform(-1, 1)]
        start, end = (rng.choice([*choices, 1e-7, round(rng.uniform(-30, 30), 2)]) for _ in "ab")
        if start is not None and end is not None and start > end:
            start, end = end, start
        opens = rng.random() < 0.5, rng.random() < 0.5
        try:
            pattern = testing._generate_float_regex(start, end, *opens)
        except ArgumentError as error:
            assert "no number with at most 6 digits after the point" in str(error)
            pattern = "(?!)"  # so there must be no such number
        low, high = (None if bound is None else Decimal(repr(bound)) for bound in (start, end))
        for number in numbers_near(rng, (start, end), 6):
            written = f"{abs(number) if number == 0 else number:f}"
            above = low is None or (number > low if opens[0] else number >= low)
            below = high is None or (number < high if opens[1] else number <= high)
            assert bool(re.match(pattern, written)) == (above and below), (start, end, opens, written, pattern)
    assert re.match(testing._generate_float_regex(1.5), "1.5000000") is None, "six digits after the point at most"


def test_a_pattern_of_numbers_is_one_that_the_engine_reads():
    grammar = xgr.Grammar.from_regex(testing._generate_float_regex(-1.5, 20, True))
    assert xgr.check(grammar, accepts=["-1.4", "0", "20", "20.000000", "7.25"], rejects=["-1.5", "20.1", "-0", "07"]).ok


# ---- Machines and passes ----


def test_patterns_as_ebnf():
    assert testing._regex_to_ebnf(r"\d{3}-\d{4}") == 'root ::= [0-9]{3} "-" [0-9]{4}\n'
    assert testing._regex_to_ebnf(r"\d{3}-\d{4}", with_rule_name=False) == '[0-9]{3} "-" [0-9]{4}'
    with pytest.raises(RuntimeError, match="backreference"):
        testing._regex_to_ebnf(r"(a)\1")


def test_a_rule_by_its_own_machine():
    text = 'root ::= x "b" | Regex("c(?!d)[a-z]")+   x ::= [0-9]{2,3} | "é"   z ::= x | "q" "r"*'
    grammar = testing._ebnf_to_grammar_no_normalization(text)
    names = [rule.name for rule in grammar.rules]
    accepted = {
        "root": ["ca", "cacb"],
        "x": ["12", "123", "é"],
        "z": ["q", "qrr"],
    }
    for name, strings in accepted.items():
        for string in {string for some in accepted.values() for string in some} | {"", "1", "12b", "cd", "qr q"}:
            found = testing._is_rule_fsm_accept_string(grammar, names.index(name), string)
            assert found == (string in strings), (name, string)
    with pytest.raises(ArgumentError, match="no rule 3: the grammar has 3"):
        testing._is_rule_fsm_accept_string(grammar, 3, "")


def test_rules_that_may_be_empty():
    compiled = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a"], stop_token_ids=[])).compile_grammar(
        'root ::= "<" x ">" x   x ::= "a" x "b" | ""'
    )
    names = [rule["name"] for rule in compiled.program()["rules"]]
    assert [names[i] for i in testing._get_allow_empty_rule_ids(compiled)] == ["x"]
    assert testing._print_grammar_fsms(compiled) == testing._print_grammar_fsms(compiled.grammar)
    assert "Rule 1: x, FSM: FrozenFsm(num_states=" in testing._print_grammar_fsms(compiled)


FUNCTORS = [name for name in vars(testing.GrammarFunctor) if not name.startswith("_")]


@pytest.mark.parametrize("name", FUNCTORS)
def test_functors_keep_the_language(name):
    assert len(FUNCTORS) == 8
    functor = getattr(testing.GrammarFunctor, name)
    rng = seeded(name)
    for _ in range(round(40 * SHARE)):
        made = random_grammar(rng)
        if random_member(rng, made) is None:
            continue
        grammar = testing.GrammarFunctor.structure_normalizer(xgr.Grammar.from_ebnf(write_ebnf(made)))
        changed = functor(grammar)
        examples = [member for one in (grammar, changed) for member in xgr.sample(one, 5, seed=1, max_length=150)]
        assert xgr.check(grammar, examples).ok, (grammar, changed)
        assert xgr.check(changed, examples).ok, (grammar, changed)


def test_functors_do_what_they_are_called():
    functor = testing.GrammarFunctor
    grammar = xgr.Grammar.from_ebnf('root ::= (("a" "b") | ("c" | x)) x   x ::= "d"   lost ::= "e"')
    assert functor.structure_normalizer(grammar).rules[0].body == '("a" "b" | "c" | x) x'
    assert [rule.name for rule in functor.dead_code_eliminator(grammar).rules] == ["root", "x"]
    assert functor.rule_inliner(grammar).rules[0].body.count('"d"') == 2
    assert str(functor.grammar_optimizer(grammar)) == str(grammar.passes()[-1][1])
