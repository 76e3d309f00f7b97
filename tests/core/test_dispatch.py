"""TagDispatch as a user meets it: its mistakes, its printed form, what is said of it.

Twin: xg2lab/reference/dispatch.py. What it matches: tests/cases/dispatch.toml, tests/differential/test_dispatch.py.
"""

from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import GrammarError, GrammarSyntaxError, LimitError
from xg2lab.grammar import Grammar

RULES = '\nx ::= "1"\ny ::= "2"'


def found(text: str) -> list[tuple[int, str, str, str]]:
    """Column, code, message and hint of everything that is said about a text."""
    try:
        diagnostics: Any = Grammar.from_ebnf(text).diagnostics
    except GrammarError as error:
        diagnostics = error.diagnostics
    except GrammarSyntaxError as error:
        diagnostics = error.diagnostics
    return [(d.column, d.code, d.message, d.hint) for d in diagnostics if d.line == 1]


TAG_HINT = 'a tag is written ("text", rule)'
FINDINGS = {
    'root ::= TagDispach(("a", x), ("b", y))': [
        (10, "unknown_macro", "there is no macro `TagDispach`", "did you mean `TagDispatch`?")
    ],
    'root ::= TagDispatch(("a", x), ("b", y), stopeos=true)': [
        (42, "bad_macro_argument", "TagDispatch has no argument `stopeos`", "did you mean `stop_eos`?")
    ],
    'root ::= TagDispatch(("a", x), ("b", y), speed=7)': [
        (42, "bad_macro_argument", "TagDispatch has no argument `speed`",
         "TagDispatch has `stop_eos`, `stop_str`, `loop_after_dispatch`, `excludes`")
    ],
    'root ::= TagDispatch(("a", x), ("b", y), stop_eos=true, stop_eos=false)': [
        (57, "bad_macro_argument", "argument `stop_eos` is given twice", "remove one of them")
    ],
    'root ::= TagDispatch("a", 5, x, ("b", y), ("a", x, y), ("a", "b"))': [
        (column, "bad_macro_argument", "a tag must be a text and the name of a rule", TAG_HINT)
        for column in (22, 27, 30, 43, 56)
    ],
    'root ::= TagDispatch(("a", x), ("b", y), stop_eos="yes", stop_str=7, excludes=("q", x))': [
        (51, "bad_macro_argument", "stop_eos must be true or false", "write stop_eos=true or stop_eos=false"),
        (67, "bad_macro_argument", "stop_str must be a list of texts", 'write stop_str=("...", "...")'),
        (85, "bad_macro_argument", "excludes must be a list of texts", 'write excludes=("...", "...")'),
    ],
    'root ::= TagDispatch(("", x), ("b", y), stop_str=(""))': [
        (23, "empty_tag", "a dispatch can't watch for an empty text", "write at least one character"),
        (51, "empty_tag", "a dispatch can't watch for an empty text", "write at least one character"),
    ],
    'root ::= TagDispatch(("a", x), ("a", y), excludes=("a"))': [
        (33, "duplicate_tag", "`a` is watched for twice", "the first is at line 1, column 23; remove one of them"),
        (52, "duplicate_tag", "`a` is watched for twice", "the first is at line 1, column 23; remove one of them"),
    ],
    'root ::= TagDispatch(("<a>", x), ("<b>", y), stop_str="a")': [
        (23, "tag_contains_stop", "tag `<a>` contains the stop string `a`", "choose a stop string that no tag contains")
    ],
    'root ::= TagDispatch(("a", x), ("b", why))': [
        (38, "undefined_rule", "rule `why` is not defined", "define it: why ::= ...")
    ],
    'root ::= TagDispatch(("a", x), ("b", y), stop_eos=false)': [
        (10, "dispatch_never_ends", "this TagDispatch never ends: stop_eos is false and there is no stop_str",
         'write stop_eos=true, or stop_str=("...")')
    ],
    'root ::= TagDispatch(("a", x), ("ab", y))': [
        (33, "tag_never_fires", "tag `ab` never fires: `a` is read before its end", "remove it, or what is within it")
    ],
    'root ::= TagDispatch(("bac", x), ("b", y))': [
        (23, "tag_never_fires", "tag `bac` never fires: `b` is read before its end", "remove it, or what is within it")
    ],
    'root ::= TagDispatch(("a", x), ("b", y), excludes=("xay"))': [
        (52, "exclude_never_read", "exclude `xay` forbids nothing: `a` is read before its end",
         "remove it, or what is within it")
    ],
    'root ::= TagDispatch(("a", x), ("b", y), stop_str=("zbz", "s"))': [
        (52, "stop_never_read", "stop string `zbz` never ends the dispatch: `b` is read before its end",
         "remove it, or what is within it")
    ],
    'root ::= TagDispatch(("a", x), ("b", y) "c"': [
        (41, "expected_token", 'expected `,` or `)`, found `"c"`',
         "arguments are texts, numbers, true, false, names and (...)"),
        (10, "unterminated_group", "`TagDispatch` is not closed", "add )"),
    ],
    'root ::= TagDispatch(("a" x), ("b", y))': [
        (27, "expected_token", "expected `,` or `)`, found `x`",
         "arguments are texts, numbers, true, false, names and (...)")
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", FINDINGS)
def test_what_is_said(text: str):
    said = found(text + RULES)
    relevant = [d for d in said if d[1] != "bad_macro_argument" or d in FINDINGS[text]]
    assert sorted(relevant) == sorted(FINDINGS[text])


def test_all_mistakes_at_once_with_the_line_and_a_caret():
    with pytest.raises(GrammarError) as caught:
        Grammar.from_ebnf('root ::= TagDispatch(("", x), ("b", z),\n  stop_eos=maybe)\nx ::= "1"')
    assert [(d.line, d.column, d.code) for d in caught.value.diagnostics] == [
        (1, 23, "empty_tag"), (1, 37, "undefined_rule"), (2, 12, "bad_macro_argument"),
    ]  # fmt: skip
    assert "    2 |   stop_eos=maybe)\n      |            ^^^^^" in str(caught.value)


def test_a_dispatch_that_can_not_end_is_refused_though_a_stop_string_is_there():
    with pytest.raises(GrammarError, match="has no stop string that can be read"):
        Grammar.from_ebnf('root ::= TagDispatch(("s", x), stop_eos=false, stop_str=("sa"))' + RULES)


def test_too_many_states_are_refused_with_a_place():
    tags = ", ".join(f'("{i:02d}{"-" * 100}", x)' for i in range(60))
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(max_fsm_states=1000))
    with pytest.raises(LimitError, match="rule `root` needs more than"):
        compiler.compile_grammar(f"root ::= TagDispatch({tags}){RULES}")


TEXTS = [
    'root ::= TagDispatch(("<a>", x), ("\\"\\n\\\\é😀", y), stop_eos=false, loop_after_dispatch=false, '
    'stop_str=("END", "FIN"), excludes=("bad"))\nx ::= "1"\ny ::= "2"\n',
    'root ::= "a" TagDispatch(stop_eos=true, loop_after_dispatch=true) | TagDispatch(("a", x), stop_eos=true, '
    'loop_after_dispatch=true)*\nx ::= root "."\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_printed_form_parses_back(text: str):
    grammar = Grammar.from_ebnf(text)
    assert str(grammar) == text
    assert str(Grammar.from_ebnf(str(grammar))) == text


@pytest.mark.parametrize("text", TEXTS)
def test_written_down_and_read_back(text: str):
    grammar = Grammar.from_ebnf(text)
    again = Grammar.deserialize_json(grammar.serialize_json())
    assert str(again) == text
    assert again.expressions() == grammar.expressions()
    assert str(Grammar.union(grammar, again)).count("TagDispatch") == 2 * text.count("TagDispatch")


def test_the_expression_tells_all():
    tree: Any = Grammar.from_ebnf(TEXTS[0]).expressions()["root"]
    assert tree[:6] == (
        "dispatch", ((b"<a>", "x"), ('"\n\\é😀'.encode(), "y")), (b"END", b"FIN"), (b"bad",), False, False,
    )  # fmt: skip


def test_each_dispatch_gets_a_rule_of_its_own():
    text = 'root ::= ("[" TagDispatch(("a", x)) "]")* TagDispatch(("b", x))   x ::= "1"'
    assert str(Grammar.from_ebnf(text).passes()[-1][1]) == (
        'root ::= ("[" root_dispatch "]")* root_dispatch_2\nx ::= "1"\n'
        'root_dispatch ::= TagDispatch(("a", x), stop_eos=true, loop_after_dispatch=true)\n'
        'root_dispatch_2 ::= TagDispatch(("b", x), stop_eos=true, loop_after_dispatch=true)\n'
    )


def test_assertions_see_what_follows_a_call_and_a_dispatch():
    """After a call comes free text again, which may be anything: the promise isn't kept. Without a loop it may be."""
    looped = Grammar.from_ebnf('root ::= TagDispatch(("a", x)) ";"   x ::= "1" (= ";")')
    assert [d.code for d in looped.diagnostics] == ["lookahead_not_kept"]
    once = Grammar.from_ebnf('root ::= TagDispatch(("a", x), loop_after_dispatch=false) ";"   x ::= "1" (= ";")')
    assert [d.code for d in once.diagnostics] == []
    stopped = Grammar.from_ebnf('root ::= x TagDispatch(stop_eos=false, stop_str=(";"))   x ::= "1" (= [^;]* ";")')
    assert [d.code for d in stopped.diagnostics] == []


def test_a_trigger_in_progress_is_named():
    text = 'root ::= TagDispatch(("<function=f>", x), ("<function=g>", y), excludes=("bad"))' + RULES
    tokens = [b"a", b"<fun", b"ction=", b"f>", b"1", b"bad", b"ba", b"</s>"]
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(tokens, stop_token_ids=[7]))
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(text))

    def reason(token: int) -> str:
        explanation: Any = matcher.explain(token)
        return explanation["reason"]

    assert "trigger" not in reason(0)
    assert reason(1).endswith("Then the text is inside the trigger `<function=`, 4 of 10 bytes.")
    assert "inside the exclude `bad`, 2 of 3 bytes" in reason(5)
    for token, where in [(1, "inside the trigger `<function=`, 4 of 10 bytes"),
                         (2, "after `<function=`, with which several of its texts begin"),
                         (3, "after the trigger `<function=f>`")]:  # fmt: skip
        assert where in reason(token)
        assert matcher.accept_token(token)
    assert reason(0).endswith("The text before that is after the trigger `<function=f>`.")


def test_states_are_labelled_by_what_was_read():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
    text = 'root ::= TagDispatch(("<ab>", x), ("<ac>", y), stop_str="END")' + RULES
    states: Any = compiler.compile_grammar(text).program()["states"]
    labels = {(state["before"], state["after"]) for state in states if state["rule"] == 0}
    assert {("free text", "free text"), ('"<"', '"a" | free text'), ('"<a"', "… | free text"),
            ('"<ab"', '">" | free text'), ('"<ab>"', "x"), ('"E"', '"ND" | free text')} <= labels  # fmt: skip


def test_a_character_that_is_cut_is_shown_by_its_bytes():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"\xc3", b"</s>"], stop_token_ids=[1]))
    matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= TagDispatch(("é", x), ("è!", x))' + RULES))
    explanation: Any = matcher.explain(0)
    assert explanation["reason"].endswith("Then the text is after `\\xC3`, with which several of its texts begin.")
