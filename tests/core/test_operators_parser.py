"""`parser="operators"`: the rules expanded at each of their calls, without recursion.

Masks and verdicts are compared with the twin's in tests/differential/test_operators.py.
"""

from typing import Any

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import LimitError, UnsupportedError

TOKENS = [b"a", b"b", b"ab", b"<", b">", b"a>", b"1", b".", b";"]
INFO = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[len(TOKENS)])


def compiled(text: str, **options: Any) -> xgr.CompiledGrammar:
    return xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(parser="operators", **options)).compile_grammar(text)


def refused(text: str, **options: Any) -> xgr.Xg2LabError:
    with pytest.raises(xgr.Xg2LabError) as found:
        compiled(text, **options)
    return found.value


def allowed(matcher: xgr.GrammarMatcher) -> set[bytes]:
    return {TOKENS[token] for token in matcher.allowed_tokens() if token < len(TOKENS)}


def most_positions(text: str, data: str, **options: Any) -> int:
    """The most positions that are active at once on a text."""
    matcher = xgr.GrammarMatcher(compiled(text, **options))
    most = 0
    for byte in data:
        assert matcher.accept_string(byte)
        most = max(most, matcher.stacks()["n_stacks"])
    return most


def test_a_call_returns_to_its_place_in_the_tree():
    matcher = xgr.GrammarMatcher(compiled('root ::= "<" x ">" | x ";"   x ::= [ab]+', rule_inlining=False))
    assert allowed(matcher) == {b"<", b"a", b"b", b"ab"}
    assert matcher.accept_string("<a")
    assert allowed(matcher) == {b"a", b"b", b"ab", b">", b"a>"}
    matcher.rollback(1)
    assert matcher.accept_string("a")
    assert allowed(matcher) == {b"a", b"b", b"ab", b";"}


def test_recursion_is_refused_with_its_cycle_and_each_of_its_calls():
    error = refused('root ::= "<" list? ">"\nlist ::= item (";" item)*\nitem ::= "a" | root')
    assert isinstance(error, UnsupportedError)
    assert [finding.code for finding in error.diagnostics] == ["recursion"] * len(error.diagnostics)
    assert "root -> list -> item -> root" in str(error) or "root -> root" in str(error)
    lines = {finding.line for finding in error.diagnostics if finding.line}
    assert lines <= {1, 2, 3}
    assert "earley" in error.diagnostics[0].hint


def test_the_calls_of_a_cycle_have_places():
    text = 'root ::= "<" list? ">"\nlist ::= item (";" item)*\nitem ::= "a" | root'
    error = refused(text, rule_inlining=False)
    assert "(root -> list -> item -> root)" in str(error)
    assert [finding.line for finding in error.diagnostics] == [1, 2, 3]


def test_repetition_is_no_recursion():
    """A rule that calls itself at its end is a repetition, unless the pass that makes it one is off."""
    text = 'root ::= "a" root | "b"'
    assert xgr.GrammarMatcher(compiled(text)).accept_string("aaab")
    assert "calls itself (root -> root)" in str(refused(text, right_recursion_to_repeat=False))


def test_growth_has_a_limit():
    """Each rule calls the next one twice: 2^n places, few rules."""
    rules = [f'r{i} ::= r{i + 1} "a" r{i + 1}' for i in range(20)]
    text = "\n".join(["root ::= r0", *rules, 'r20 ::= "b"'])
    error = refused(text, rule_inlining=False)
    assert isinstance(error, LimitError)
    assert error.diagnostics[0].code == "too_many_operators"
    assert "more than 100000" in str(error)
    assert "-> r0 -> r1" in str(error).replace("root -> r0", "-> r0")
    assert xgr.GrammarMatcher(compiled(text, rule_inlining=False, max_operators=1 << 40)).accept_string("ba" * 20)


def test_positions_that_differ_in_one_count_are_one():
    for text, data, most in (
        ('root ::= ("a"+ ";"?){40,900}', "a" * 300, 3),
        ('root ::= ("a" | "aa"){2,900}', "a" * 300, 3),
        ('root ::= (("a" | "aa"){3,5}){3,}', "a" * 300, 8),
        ('root ::= ([ab]{1,9} ";"?){5,}', "ab" * 100, 4),
    ):
        assert most_positions(text, data, repetition_threshold=0) <= most, text


def test_many_positions_are_refused_and_the_matcher_goes_on():
    text = 'root ::= (x | y)* ";"   x ::= ("a" | "b"){7}   y ::= ("a" | "b"){11}'
    matcher = xgr.GrammarMatcher(compiled(text, rule_inlining=False, repetition_threshold=0, max_stacks=3))
    with pytest.raises(LimitError, match="more than 3 positions"):
        matcher.accept_string("a" * 50)
    assert matcher.accept_string("a")


def test_what_is_written_down_is_checked_when_it_is_read():
    """The options are part of the text: a program that is recursive is refused for this parser."""
    earley = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions()).compile_grammar('root ::= "<" root? ">"')
    text = compiled('root ::= "<" [ab]* ">"').serialize_json()
    again = xgr.CompiledGrammar.deserialize_json(text, INFO)
    assert again.options.parser == "operators"
    assert xgr.GrammarMatcher(again).accept_string("<ab>")
    assert earley.options.parser == "earley"


def test_instances_of_templates_are_trees():
    """The data ends the recursion of `Each`."""
    text = 'root ::= Each($xs, item)   item ::= "<" $id [^<>]* Each($xs, item) ">"'
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(parser="operators"))
    ready = compiler.compile_template(xgr.Template.from_ebnf(text))
    matcher = xgr.GrammarMatcher(ready.instantiate(xs=[{"id": "a", "xs": [{"id": "b", "xs": []}]}]))
    assert matcher.accept_string("<ab<b>>")
    assert matcher.is_completed()


def test_a_template_that_is_recursive_without_data_is_refused():
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(parser="operators"))
    ready = compiler.compile_template(xgr.Template.from_ebnf('root ::= $x root "b" | "a"'))
    with pytest.raises(UnsupportedError, match="calls itself"):
        ready.instantiate(x="<")
