"""`xg2lab.check`: verdicts, the byte at which an example dies, what was expected there and where."""

import pytest

import xg2lab as xgr
from tests.cases import load_cases
from tests.generators import SHARE, mutate, random_grammar, random_member, seeded, write_ebnf
from xg2lab import testing
from xg2lab.errors import GrammarError
from xg2lab.language.continuations import Continuations

SUM = 'root ::= term ("+" term)*\nterm ::= number | "(" root ")"\nnumber ::= [0-9]+ "é"?\n'


def test_verdicts():
    result = xgr.check(SUM, accepts=["1+(2+3)", "1+", "1+x"], rejects=["(1", "1+2", b"1\xc3"])
    assert [row.verdict for row in result] == ["match", "incomplete", "rejected", "incomplete", "match", "incomplete"]
    assert [row.ok for row in result] == [True, False, False, True, False, True]
    assert [row.died_at for row in result] == [None, None, 2, None, None, None]
    assert not result.ok
    assert result.failures == [result[1], result[2], result[4]]
    assert xgr.check(SUM, accepts=["1"], rejects=["x"]).ok
    assert len(xgr.check(SUM)) == 0


def test_what_was_expected_and_where():
    row = xgr.check(SUM, accepts=["12+(3*"])[0]
    assert (row.died_at, row.rule, row.line, row.column, row.line_text) == (5, "number", 3, 12, SUM.splitlines()[2])
    assert row.expected == ((0x29, 0x29), (0x2B, 0x2B), (0x30, 0x39), (0xC3, 0xC3))
    assert row.expected_text == "[)+0-9\\xC3]"
    assert set(row.continuations) == {")", "0", "é"}
    assert row.reason.startswith("It breaks at byte 6 of 6 (*)")


def test_the_table():
    result = xgr.check('root ::= "yes" | "no"', accepts=["yes", "ye"], rejects=["maybe" * 20])
    assert str(result) == repr(result)
    assert str(result).splitlines() == [
        "2 of 3 examples are as they should be",
        "ok    accept  match             'yes'",
        "FAIL  accept  incomplete        'ye'                                        more is expected: \"s\", "
        "for example 's'; in `root`, line 1",
        "ok    reject  rejected, byte 0  'maybemaybemaybemaybemaybemaybemaybemayb…'  expected [ny], "
        "for example 'no'; in `root`, line 1",
    ]


def test_where_nothing_may_follow():
    row = xgr.check('root ::= "a"{100}', accepts=["a" * 101])[0]
    assert (row.verdict, row.died_at, row.details) == ("rejected", 100, "nothing may follow")


def test_token_edges_are_named():
    info = xgr.TokenizerInfo([b"a", b"b", b"<t>", b"</s>"], stop_token_ids=[3], special_token_ids=[2])
    row = xgr.check('root ::= "a" (Token(2) | "b")', accepts=["a"], tokenizer_info=info)[0]
    assert row.details == "more is expected: \"b\" or Token(2), for example 'b'; in `root`, line 1"
    row = xgr.check('root ::= "a" Token(2)', accepts=["a"], tokenizer_info=info)[0]
    assert row.details == "more is expected: Token(2); in `root`, line 1"


@pytest.mark.parametrize("case", load_cases(), ids=str)
def test_table_of_cases(case):
    try:
        xgr.Grammar.from_ebnf(case.grammar)
    except GrammarError:
        assert not case.accepts
        return
    info = xgr.TokenizerInfo([*case.vocabulary[:-1], b"</s>"], stop_token_ids=[case.stop_token])
    result = xgr.check(case.grammar, case.accepts, [*case.rejects, *case.prefixes], tokenizer_info=info)
    assert result.ok, result
    assert all(row.verdict == "incomplete" for row in result if row.example in case.prefixes)


def test_continuations_are_accepted():
    """Whatever comes next by the shortest way from a live state keeps the text alive, to the end of the rule."""
    rng = seeded("continuations")
    n_continued = 0
    for _ in range(round(150 * SHARE)):
        grammar = random_grammar(rng)
        member = random_member(rng, grammar)
        if member is None:
            continue
        text = write_ebnf(grammar)
        matcher = testing._get_matcher_from_grammar(text)
        row = xgr.check(text, accepts=[mutate(rng, member)])[0]
        if row.verdict == "match":
            continue
        data = row.example if isinstance(row.example, bytes) else row.example.encode()
        assert matcher.accept_string(data[: row.died_at])
        for continuation in row.continuations:
            if "\\" not in continuation:
                assert matcher.fork().accept_string(continuation), (text, data, continuation)
                n_continued += 1
    assert n_continued > 30 * SHARE


def test_ways_to_the_end():
    info = xgr.TokenizerInfo([b"a"], stop_token_ids=[])
    ways = Continuations(
        xgr.GrammarCompiler(info).compile_grammar('root ::= "<" x{40} ">" | "<" Token(0)  x ::= "ab"').program()
    )
    assert ways.from_state(0) == b"<" + b"ab" * 40 + b">"
    ways = Continuations(xgr.GrammarCompiler(info).compile_grammar('root ::= "<" Token(0) "b"').program())
    assert ways.from_state(0) is None
    assert ways.begun(0, 3) == []
