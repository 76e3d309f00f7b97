"""Options of rules: how they are written, and what each does to masks, temperatures and captures."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Literal

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, GrammarError, LimitError, UnsupportedError, Xg2LabError

TOKENS = [b"a", b"b", b"ab", b".", b"<", b">", b"a>", b">.", "é".encode(), b"\xc3", b"\xa9", b"aaaa", b"<t", b"</s>"]
STOP = len(TOKENS) - 1
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP])
Parser = Literal["earley", "pda", "operators"]
PARSERS: list[Parser] = ["earley", "pda", "operators"]
with_parsers = pytest.mark.parametrize("parser", PARSERS)


def matcher_of(text: str, parser: Parser = "earley", **options: Any) -> xgr.GrammarMatcher:
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(parser=parser, **options))
    return xgr.GrammarMatcher(compiler.compile_grammar(text))


def allowed(matcher: xgr.GrammarMatcher) -> set[bytes]:
    return {TOKENS[token] for token in matcher.allowed_tokens()}


def after(text: str, *tokens: bytes, parser: Parser = "earley", **options: Any) -> set[bytes]:
    """The tokens allowed after these."""
    matcher = matcher_of(text, parser, **options)
    for token in tokens:
        assert matcher.accept_token(TOKENS.index(token)), token
    return allowed(matcher)


# ---- How they are written ----


def test_options_are_printed_and_read_back():
    text = """root ::= think answer
think[max_tokens=100, temperature=0.7, capture,] ::= [^<]*
answer[ capture = "a]b", lazy,
        max_chars=12 ] ::= [a-z]+ "."  answer-2[capture='x'] ::= "" """
    grammar = xgr.Grammar.from_ebnf(text)
    assert str(grammar) == (
        "root ::= think answer\n"
        "think[max_tokens=100, capture, temperature=0.7] ::= [^<]*\n"
        'answer[max_chars=12, lazy, capture="a]b"] ::= [a-z]+ "."\n'
        'answer-2[capture="x"] ::= ""\n'
    )
    for again in (
        xgr.Grammar.from_ebnf(str(grammar)),
        xgr.Grammar.deserialize_json(grammar.serialize_json()),
        pickle.loads(pickle.dumps(grammar)),
    ):
        assert str(again) == str(grammar)
    assert grammar.rules[2].options == {"max_chars": 12, "lazy": True, "capture": "a]b"}
    spans = {name: text.encode()[slice(*span)].decode() for name, span in grammar.rules[2].option_spans.items()}
    assert spans == {"max_chars": "max_chars=12", "lazy": "lazy", "capture": 'capture = "a]b"'}
    assert repr(grammar.rules[1]).startswith("<RuleInfo think[max_tokens=100,")


def test_options_survive_combination_and_passes():
    grammar = xgr.Grammar.from_ebnf("root[capture] ::= x   x[temperature=1, max_chars=3] ::= [a-z]*")
    both = str(xgr.Grammar.union(grammar, grammar))
    assert 'root_1[capture="root"] ::= x\n' in both
    assert "x_1[max_chars=3, temperature=1] ::= " in both
    last = dict(xgr.Grammar.from_ebnf(both).passes())["fuse_literals"]
    assert "x_1[temperature=1] ::= [a-z]{0,3}\n" in str(last)


MISTAKES = {
    "max_token=3": ("unknown_option", 6, "did you mean `max_tokens`?"),
    "color=3": (
        "unknown_option",
        6,
        'the options are max_tokens=N, max_chars=N, lazy, capture="name", temperature=F, parts=rule, hidden',
    ),
    "lazy=1": ("bad_option", 6, "write lazy"),
    "lazy, lazy": ("duplicate_option", 12, "remove one of them"),
    "max_tokens=0": ("bad_option", 17, "write for example max_tokens=100"),
    "max_tokens=1.5": ("bad_option", 17, "write for example max_tokens=100"),
    "max_tokens": ("bad_option", 6, "write for example max_tokens=100"),
    "max_chars=x": ("bad_option", 16, "write for example max_chars=100"),
    "max_chars=99999999999": ("bad_option", 16, "write for example max_chars=100"),
    "temperature=-1": ("bad_option", 18, "write for example temperature=0.7"),
    "temperature=inf": ("bad_option", 18, "write for example temperature=0.7"),
    "temperature=": ("bad_option", 6, "write for example temperature=0.7"),
    "capture=x": ("bad_option", 14, 'write capture="root", or capture alone to use the rule\'s name'),
    'capture=""': ("bad_option", 14, 'write capture="root", or capture alone to use the rule\'s name'),
    "": (
        "bad_option",
        5,
        'the options are max_tokens=N, max_chars=N, lazy, capture="name", temperature=F, parts=rule, hidden',
    ),
    "parts": ("bad_option", 6, "write for example parts=root_parts"),
    'parts="root"': ("bad_option", 12, "write for example parts=root_parts"),
    "parts=roat": ("undefined_rule", 12, "did you mean `root`?"),
    "hidden=1": ("bad_option", 6, "write hidden"),
    "capture lazy": ("bad_option", 14, "options are separated by commas"),
    "max_tokens=3, lazy": ("bad_option", 6, "a lazy rule ends as soon as it can; remove one of them"),
}


@pytest.mark.parametrize("options", MISTAKES)
def test_mistakes_have_a_place_and_a_hint(options: str):
    with pytest.raises(GrammarError) as caught:
        xgr.Grammar.from_ebnf(f'root[{options}] ::= "a"')
    found = caught.value.diagnostics
    assert [(d.code, d.column, d.hint) for d in found] == [MISTAKES[options]]


@pytest.mark.parametrize("parser", ["earley", "pda"])
@pytest.mark.parametrize("options", ["max_chars=0", "max_chars=0, lazy", "max_chars=0, capture"])
@pytest.mark.parametrize("body", ["[a-z]*", '"a"?', '("a" "b")* | "c"{0,3}', '""'])
def test_no_character_leaves_the_empty_text(parser: Parser, options: str, body: str):
    info = xgr.TokenizerInfo([b"<", b"a", b">", b"<a", b"<>", b"</s>"], stop_token_ids=[5])
    grammar = xgr.Grammar.from_ebnf(f'root ::= "<" x ">"\nx[{options}] ::= {body}')
    again = xgr.Grammar.deserialize_json(grammar.serialize_json())
    assert str(again) == str(grammar) == str(xgr.Grammar.from_ebnf(str(grammar)))
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser=parser))
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(again))
    assert matcher.allowed_tokens() == [0, 4]
    assert [matcher.accept_token(token) for token in (3, 0, 1, 2)] == [False, True, False, True]
    assert matcher.is_completed()


def test_no_character_is_too_few_for_a_text_that_has_some():
    with pytest.raises(GrammarError, match="matches no text of at most 0 characters: the shortest has 1"):
        matcher_of('root ::= "<" x ">"\nx[max_chars=0] ::= [a-z]+')


def test_options_at_a_reference_are_refused():
    with pytest.raises(GrammarError, match="belong to no rule") as caught:
        xgr.Grammar.from_ebnf('root ::= a[max_tokens=3] "x"\na ::= "b"')
    assert [d.code for d in caught.value.diagnostics] == ["misplaced_option"]
    assert xgr.Grammar.from_ebnf('root ::= a[lazy] a [max_tokens=3]\na ::= "b"').rules[0].options == {}  # classes


# ---- Cut machines ----


@with_parsers
def test_a_lazy_rule_ends_where_it_first_can(parser: Parser):
    text = 'root ::= x "."   x[lazy] ::= [ab]* "b"'
    assert after(text, b"a", parser=parser) == {b"a", b"b", b"ab", b"aaaa"}
    assert after(text, b"a", b"ab", parser=parser) == {b"."}
    assert after(text.replace("[lazy]", ""), b"a", b"ab", parser=parser) == {b"a", b"b", b"ab", b"aaaa", b"."}


def test_lazy_is_decided_by_the_whole_rule_not_by_its_parts():
    text = 'root ::= x "."   x[lazy] ::= y "b" | "a"   y ::= "a"+'
    assert after(text, b"a") == {b"."}  # though y could go on
    assert after('root ::= (x x) "."   x[lazy] ::= "a"+', b"a", b"a") == {b"."}  # each match for itself


def test_a_lazy_rule_that_matches_nothing_says_so():
    grammar = xgr.Grammar.from_ebnf('root ::= x "."\nx[lazy] ::= "a"*')
    assert [(d.code, d.severity, d.line, d.column) for d in grammar.diagnostics] == [
        ("lazy_matches_empty", "warning", 2, 3)
    ]
    assert after(str(grammar)) == {b"."}


@with_parsers
def test_max_chars_counts_code_points_within_tokens_and_without_dead_ends(parser: Parser):
    text = 'root ::= x "."   x[max_chars=3] ::= "<" [a-zé]* ">"'
    assert after(text, b"<", parser=parser) == {b"a", b"b", "é".encode(), b"\xc3", b">", b"a>", b">."}
    assert after(text, b"<", b"\xc3", parser=parser) == {b"\xa9"}
    assert after(text, b"<", b"\xc3", b"\xa9", parser=parser) == {b">", b">."}


@pytest.mark.parametrize("threshold", [0, 32])
def test_max_chars_of_repeated_characters_is_a_bound(threshold: int):
    text = "root[max_chars=5] ::= [a-zé]*"
    assert b"aaaa" in after(text, b"a", repetition_threshold=threshold)
    assert after(text, "é".encode(), b"aaaa", repetition_threshold=threshold) == {b"</s>"}
    large = matcher_of("root[max_chars=1000000] ::= [^<]*")
    assert large.compiled_grammar.n_states < 30


def test_max_chars_of_free_text_with_excludes():
    text = 'root ::= x "<t"   x[max_chars=2] ::= TagDispatch(excludes=("<t"))'
    assert {b"a", b"ab", b"<", b"<t"} <= after(text)
    assert after(text, b"ab") == {b"<", b"<t"}
    text = 'root ::= x "<t"   x[max_chars=3] ::= TagDispatch(("<", y), excludes=("<t"))   y[lazy] ::= "a"+ | "."'
    assert after(text, b"b", b"<") == {b"a", b".", b"ab"} - {b"ab"}  # `<ab` would be four


REFUSED = {
    'root[lazy] ::= "a" root "b" | "c"': (UnsupportedError, "not_regular", 6),
    'root ::= x   x[max_chars=9] ::= y   y ::= "a" y "b" | "c"': (UnsupportedError, "not_regular", 16),
    'root[lazy] ::= x "."   x[capture] ::= "a"+': (UnsupportedError, "option_within", 6),
    'root[lazy] ::= x "b"   x ::= Token(0)': (UnsupportedError, "token_edge_within", 6),
    'root[max_chars=2] ::= "abc"': (GrammarError, "max_chars_too_small", 6),
    "root[capture, max_chars=2] ::= [a-z]{3,9}": (GrammarError, "max_chars_too_small", 15),
    'root[max_chars=100000] ::= ("ab" "c")* "."': (LimitError, "too_many_states", 6),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_can_not_be_cut_is_refused_with_its_place(text: str):
    kind, code, column = REFUSED[text]
    with pytest.raises(Xg2LabError) as caught:
        matcher_of(text, max_fsm_states=50_000)
    assert type(caught.value) is kind
    (found,) = caught.value.diagnostics  # pyright: ignore[reportAttributeAccessIssue]
    assert (found.code, found.column) == (code, column)
    assert found.hint


# ---- max_tokens ----


@with_parsers
def test_after_its_tokens_a_rule_has_to_be_left(parser: Parser):
    text = 'root ::= "<" x ">"   x[max_tokens=2] ::= [a-z]*'
    assert after(text, b"<", b"a", parser=parser) == {b"a", b"b", b"ab", b"aaaa", b">", b"a>"}
    assert after(text, b"<", b"a", b"ab", parser=parser) == {b">"}


@with_parsers
def test_the_token_that_reaches_into_the_rule_counts(parser: Parser):
    text = 'root ::= "<" x "."   x[max_tokens=1] ::= "t"? [a-z]*'
    assert after(text, b"<t", parser=parser) == {b"."}
    assert after(text, b"<", parser=parser) >= {b"a", b"."}


@with_parsers
def test_what_can_not_end_yet_may_go_on_until_it_can(parser: Parser):
    text = 'root ::= x "."   x[max_tokens=1] ::= "<" [a-z]* ">" [a-z]*'
    assert after(text, b"<", b"a", parser=parser) == {b"a", b"b", b"ab", b"aaaa", b">", b"a>", b">."}
    assert after(text, b"<", b"a", b">", parser=parser) == {b"."}


@with_parsers
def test_inner_budgets_end_first_and_outer_ones_hold(parser: Parser):
    text = 'root ::= x "."   x[max_tokens=2] ::= "<" y ">"   y[max_tokens=1] ::= [a-z]*'
    assert after(text, b"<", b"a", parser=parser) == {b">", b">."}
    text = 'root ::= x "."   x[max_tokens=2] ::= y*   y[max_tokens=3] ::= "a" | "b"'
    assert after(text, b"a", b"b", parser=parser) == {b"."}
    assert after('root[max_tokens=2] ::= [a-z]* "."?', b"a", b"b", parser=parser) == {b"</s>"}


@with_parsers
def test_each_match_has_a_budget_of_its_own(parser: Parser):
    text = 'root ::= (x ".")+   x[max_tokens=1] ::= [a-z]+'
    assert after(text, b"a", b".", parser=parser) == {b"a", b"b", b"ab", b"aaaa", b"</s>"}
    assert after(text, b"a", b".", b"ab", parser=parser) == {b"."}


@with_parsers
def test_strings_use_no_budget_and_steps_can_be_taken_back(parser: Parser):
    matcher = matcher_of('root ::= "<" x ">"   x[max_tokens=1] ::= [a-z]*', parser)
    assert matcher.accept_string("<abab")
    assert {b"a", b">"} <= allowed(matcher)
    fork = matcher.fork()
    assert matcher.accept_token(0)
    assert allowed(matcher) == {b">"}
    matcher.rollback(1)
    assert {b"a", b">"} <= allowed(matcher) == allowed(fork)
    matcher.reset()
    assert allowed(matcher) == {b"<", b"<t"}


@with_parsers
def test_tokens_that_token_edges_take_are_counted_too(parser: Parser):
    text = 'root ::= x "."   x[max_tokens=2, capture] ::= (Token(0) | "b")*'
    assert after(text, b"a", parser=parser) == {b"a", b"b", b"."}
    assert after(text, b"a", b"b", parser=parser) == {b"."}
    matcher = matcher_of(text, parser)
    assert matcher.accept_token(0)
    assert matcher.accept_token(1)
    assert matcher.get_captures() == [("x", b"ab")]
    assert matcher.explain(0)["allowed"] is False


@with_parsers
def test_of_bytes_and_token_edges_those_that_leave_come_first(parser: Parser):
    text = 'root ::= x "." | "aa" "b"   x[max_tokens=1] ::= Token(0) "b"'
    assert after(text, b"a", parser=parser) == {b"a", b"ab"}  # x is over and can't end; the other way is not in it


def test_draft_trees_count_tokens():
    matcher = matcher_of('root ::= "<" x ">"   x[max_tokens=1] ::= [a-z]*')
    bitmask = np.zeros((3, 1), np.int32)
    tree = np.array([1, 2, -1]), np.array([-1, -1, -1]), np.array([0, TOKENS.index(b"<"), TOKENS.index(b"a")])
    assert matcher.traverse_draft_tree(*tree, bitmask)
    assert bitmask[2, 0] == 1 << TOKENS.index(b">")


@with_parsers
def test_explanations_name_the_rule_and_its_first_token(parser: Parser):
    matcher = matcher_of('root ::= "<" x ">"   x[max_tokens=2] ::= [a-z]*', parser)
    for token in (b"<", b"a", b"ab"):
        matcher.accept_token(TOKENS.index(token))
    why = matcher.explain(TOKENS.index(b"a"))
    assert not why["allowed"]
    assert why["mechanism"] == "rejected_by_budget"
    assert why["reason"] == (
        'It breaks at byte 1 of 1 (a): expected ">". x has overlapped its 2 tokens, the first at byte 1: it has to end.'
    )
    assert matcher.explain(TOKENS.index(b">"))["allowed"]
    assert matcher.explain("b")["reason"].endswith("it has to end.")
    assert matcher.compiled_grammar.program()["rules"][1]["options"] == {"max_tokens": 2}


def test_masks_are_shared_by_all_numbers_of_tokens():
    matcher = matcher_of('root ::= x "."   x[max_tokens=1000] ::= [a-z]*')
    misses = 0
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    for _ in range(50):
        matcher.fill_next_token_bitmask(bitmask)
        misses += matcher.last_fill()["n_built"]
        matcher.accept_token(0)
    assert misses <= 2


# ---- Temperature ----


@pytest.mark.parametrize("parser", PARSERS[:2])  # the grammar is recursive
def test_the_innermost_temperature_counts(parser: Parser):
    text = 'root[temperature=0.1] ::= "a" x | "b"   x ::= y   y[temperature=0.3] ::= "a" root "b"'
    matcher = matcher_of(text, parser)
    found = [matcher.temperature]
    for token in (0, 0, 1):
        assert matcher.accept_token(token)
        found.append(matcher.temperature)
    assert found == [0.1, 0.3, 0.1, 0.3]
    matcher.rollback(1)
    assert matcher.temperature == 0.1


@with_parsers
def test_a_rule_in_which_nothing_may_follow_has_no_say(parser: Parser):
    text = 'root[temperature=0.5] ::= AnyOrder(long?, short{})   long ::= "a" "b"*   short ::= "a"'
    for bound, temperature in ((", max=1", None), (', sep=""', 0.5)):
        matcher = matcher_of(text.format(bound), parser)
        assert matcher.temperature == 0.5
        assert matcher.accept_token(0)
        assert matcher.is_completed()
        assert matcher.temperature == temperature


def test_the_default_counts_where_no_rule_has_one():
    compiled = xgr.GrammarCompiler(INFO).compile_grammar('root ::= "a" x   x[temperature=0] ::= "b"')
    matcher = xgr.GrammarMatcher(compiled, default_temperature=0.5)
    assert matcher.temperature == 0.5
    assert xgr.GrammarMatcher(compiled).temperature is None
    matcher.accept_token(0)
    assert matcher.temperature == 0
    matcher.accept_token(1)
    assert matcher.temperature == 0.5
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="default_temperature"):
            xgr.GrammarMatcher(compiled, default_temperature=wrong)


def test_of_several_the_highest_counts_and_is_warned_of_once():
    text = 'root ::= x | y   x[temperature=0.5] ::= "a" "b"   y[temperature=1] ::= "a" "."'
    matcher = matcher_of(text)
    with pytest.warns(RuntimeWarning, match="different temperatures"):
        assert matcher.temperature == 1
    assert matcher.fork().temperature == matcher.temperature == 1  # a second warning would be an error
    matcher.accept_token(0)
    matcher.accept_token(1)
    assert matcher.temperature is None


def test_batches_and_draft_trees_write_temperatures():
    torch = pytest.importorskip("torch")
    hot = matcher_of('root[temperature=1.5] ::= "a" "b"')
    plain = matcher_of('root ::= "a"')
    for out in (np.ones(3, np.float32), torch.ones(3), np.ones(6, np.float32)[::2]):
        xgr.BatchGrammarMatcher.batch_fill_temperature([hot, plain], out, [2, 0])
        assert [float(value) for value in out] == [-1, 1, 1.5]
    for wrong in (np.ones(1, np.float32), np.ones(2), np.ones((2, 2), np.float32), [1.0, 1.0]):
        with pytest.raises(ArgumentError, match="temperatures"):
            xgr.BatchGrammarMatcher.batch_fill_temperature([hot, plain], wrong)
    out = np.ones(3, np.float32)
    tree = np.array([1, 2, -1]), np.array([-1, -1, -1]), np.array([0, 0, 0])
    assert hot.traverse_draft_tree(*tree, np.zeros((3, 1), np.int32), temperatures=out)
    assert out.tolist() == [1.5, 1.5, -1]  # a second "a" is refused


# ---- Captures ----

CAPTURES = {
    ('root ::= (w ".")+   w[capture] ::= [a-z]+', "ab.b"): ([b"ab", b"b"], [b"a", b"ab", b"b"]),
    ('root[capture="t"] ::= "<" root* ">"', "<<><>"): ([b"<>", b"<>"], [b"<>", b"<>"]),
    ('root[capture="t"] ::= "<" root* ">"', "<<>>"): ([b"<>", b"<<>>"], [b"<>", b"<<>>"]),
    ('root ::= w "b"   w[capture] ::= "a"?', "b"): ([b""], [b""]),
    ('root ::= w "b" | "a" "."   w[capture] ::= "a"', "a."): ([], [b"a"]),  # no reading needs it any more
    ('root ::= l   l[capture] ::= "a" l | "a"', "aa"): ([b"a", b"aa"], [b"a", b"a", b"aa"]),
}


@with_parsers
@pytest.mark.parametrize(("text", "data"), CAPTURES)
def test_captures(text: str, data: str, parser: Parser):
    in_use, every = CAPTURES[text, data]
    if parser == "operators" and ("root*" in text or '"a" l' in text):
        with pytest.raises(UnsupportedError, match="calls itself"):
            matcher_of(text, parser)
        return
    matcher = matcher_of(text, parser)
    assert matcher.accept_string(data)
    assert [piece for _, piece in matcher.get_captures()] == in_use
    assert [piece for _, piece in matcher.get_captures(deduplicate=False)] == every


@with_parsers
@pytest.mark.parametrize("head", ["[temperature=0.5]", "[capture]"])
def test_empty_matches_that_are_counted_are_captured_as_others(head: str, parser: Parser):
    text = f'root ::= w e{{BOUNDS}} "."   w[capture] ::= [a-z]   e{head} ::= "!"?'
    found = []
    for bounds in ("2", "2,3", "40", "2,40"):
        matcher = matcher_of(text.replace("BOUNDS", bounds), parser)
        assert matcher.accept_string("a.")
        found.append(matcher.get_captures())
    assert found == [found[0]] * 4
    assert ("w", b"a") in found[0]


def test_captures_follow_rollback_fork_and_reset():
    matcher = matcher_of('root ::= (w ".")+   w[capture="word"] ::= [a-z]+')
    for token in (b"ab", b".", b"b"):
        assert matcher.accept_token(TOKENS.index(token))
    fork = matcher.fork()
    assert matcher.get_captures() == [("word", b"ab"), ("word", b"b")]
    matcher.rollback(2)
    assert matcher.get_captures() == [("word", b"ab")]
    assert fork.get_captures() == [("word", b"ab"), ("word", b"b")]
    matcher.reset()
    assert matcher.get_captures() == []
    assert matcher_of('root ::= "a"').get_captures() == []


PARTS = """root ::= "<" x ">"
x[lazy, parts=p, capture="whole"] ::= [a-z]* "." [a-z]* ";"
p ::= first "." second end
first[capture] ::= [a-z]*   second[capture] ::= [a-z]*   end[capture, hidden] ::= ";"
"""
TEXT_INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(128)] + [b"</s>"], stop_token_ids=[128])


@with_parsers
def test_the_parts_of_a_match_are_captured_though_its_rule_is_one_machine(parser: Parser):
    compiler = xgr.GrammarCompiler(TEXT_INFO, options=xgr.EngineOptions(parser=parser))
    grammar = xgr.Grammar.from_ebnf(PARTS)
    assert [rule.name for rule in grammar.rules] == ["root", "x", "p", "first", "second", "end"]  # none is unused
    assert grammar.diagnostics == []
    compiled = compiler.compile_grammar(grammar)
    for again in (compiled, xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), TEXT_INFO)):
        matcher = xgr.GrammarMatcher(again)
        assert matcher.accept_string("<ab.c")
        assert matcher.get_captures() == []  # a match is read when it is over
        assert matcher.accept_string(";>")
        found = [("first", b"ab"), ("second", b"c"), ("end", b";"), ("whole", b"ab.c")]
        assert matcher.get_captures() == found
        assert set(found) < set(matcher.get_captures(deduplicate=False))


def test_parts_that_do_not_fit_and_parts_of_parts():
    text = 'root[parts=p] ::= [a-z]*   p[parts=q] ::= b   b[capture] ::= "a"+   q ::= c   c[capture] ::= "a"*'
    matcher = matcher_of(text)
    assert matcher.accept_string("aa")
    assert matcher.get_captures() == [("b", b"aa")]  # what is read once more is not read a third time
    assert matcher.accept_string("b")
    assert matcher.get_captures() == []
    own = matcher_of('root[parts=root] ::= a root | ""   a[capture] ::= "a"')
    assert own.accept_string("aa")
    assert own.get_captures() == [("a", b"a"), ("a", b"a")]


def test_what_is_hidden_is_left_out_of_all_around_it():
    text = 'root[capture] ::= (w end)+   w[capture] ::= [a-z]+   end[hidden] ::= "." space*   space[hidden] ::= "<"'
    matcher = matcher_of(text)
    assert matcher.accept_string("ab.<<b.")
    assert matcher.get_captures() == [("w", b"ab"), ("w", b"b"), ("root", b"abb")]


def test_parts_keep_their_rule_in_other_grammars():
    one = xgr.Grammar.from_ebnf(PARTS)
    tag = {"format": {"type": "tag", "begin": "(", "content": {"type": "grammar", "grammar": PARTS}, "end": ")"}}
    lark = xgr.Grammar.from_lark('start: "(" @g ")"', named_grammars={"g": one})
    for grammar, text in (
        (xgr.Grammar.concat(one, one), "<a.b;><a.b;>"),
        (xgr.Grammar.union(xgr.Grammar.from_ebnf('root ::= p   p ::= "x"'), one), "<a.b;>"),
        (xgr.Grammar.from_structural_tag(tag), "(<a.b;>)"),
        (lark, "(<a.b;>)"),
    ):
        matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(TEXT_INFO).compile_grammar(grammar))
        assert matcher.accept_string(text)
        captured = [("first", b"a"), ("second", b"b"), ("end", b";"), ("whole", b"a.b")]
        assert matcher.get_captures() == captured * (1 + text.startswith("<a.b;><"))


def test_parts_that_match_nothing_are_left_out():
    grammar = xgr.Grammar.from_ebnf('root[parts=p] ::= "a"   p ::= "a" p')
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_grammar(grammar))
    assert matcher.accept_string("a")
    assert matcher.is_completed()


# ---- All of it ----


def test_options_come_back_with_a_compiled_grammar():
    text = 'root ::= "<" x ">"   x[max_tokens=1, capture, temperature=0.25] ::= [a-z]+'
    compiled = xgr.GrammarCompiler(INFO).compile_grammar(text)
    for again in (xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), INFO), copy.deepcopy(compiled)):
        matcher = xgr.GrammarMatcher(again)
        matcher.accept_token(TOKENS.index(b"<"))
        assert matcher.temperature == 0.25
        matcher.accept_token(TOKENS.index(b"a"))
        assert allowed(matcher) == {b">"}
        assert matcher.get_captures() == [("x", b"a")]


def test_equal_rules_with_and_without_options_do_not_share():
    compiler = xgr.GrammarCompiler(INFO)
    body = '::= "<" [a-z]* ">"'
    plain = xgr.GrammarMatcher(compiler.compile_grammar(f'root ::= x "."   x {body}'))
    limited = xgr.GrammarMatcher(compiler.compile_grammar(f'root ::= x "."   x[max_tokens=1, max_chars=3] {body}'))
    lazy = xgr.GrammarMatcher(compiler.compile_grammar(f'root ::= x "."   x[lazy] {body}'))
    assert {b"a", b"ab", b"aaaa"} <= allowed_after(plain, b"<")
    assert allowed_after(limited, b"<") == {b"a", b"b", b">", b"a>", b">."}
    assert allowed_after(lazy, b"<") == allowed_after(plain)


def allowed_after(matcher: xgr.GrammarMatcher, *tokens: bytes) -> set[bytes]:
    for token in tokens:
        assert matcher.accept_token(TOKENS.index(token))
    return allowed(matcher)


def test_patterns_can_be_cut():
    text = 'root ::= x "."   x[lazy] ::= Regex("[ab]*b")'
    assert after(text, b"a", b"b") == {b"."}
    text = 'root ::= x "."   x[max_chars=3] ::= Regex("<[a-z]*>")'
    assert after(text, b"<", b"a") == {b">", b">."}
