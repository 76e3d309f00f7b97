"""parser="pda": its stacks as a tree, what it refuses, and that ambiguity costs it what Earley's parser is spared."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import LimitError, MatcherStateError, UnsupportedError

TOKENS = [b"a", b"b", b"(", b")", b"x", b"ab", b"((", b"))", b"</s>"]
# Which of the two rules an "a" began shows at its end only.
TWO_WAYS = """root ::= left | right | "b"
left ::= "a" root "x"
right ::= "a" root "("
"""


def matcher_of(grammar: str, **options: object) -> xgr.GrammarMatcher:
    info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[8])
    switches = xgr.EngineOptions(**{"parser": "pda", **options})  # pyright: ignore[reportArgumentType]
    return xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=switches).compile_grammar(grammar))


def test_a_stack_is_a_chain_of_frames_that_is_shared_in_time():
    matcher = matcher_of('root ::= "(" root ")" | "x"')
    ids: list[list[int]] = []
    for text in ["(", "(", "x", ")"]:
        assert matcher.accept_string(text)
        ids.append([frame["id"] for frame in matcher.stacks()["frames"]])
    assert [len(frames) for frames in ids] == [1, 2, 1, 0]
    assert ids[0] == ids[1][:1] == ids[2], "pushed on top of it, and popped to it: the same frame"
    matcher.rollback(2)
    tree = matcher.stacks()
    assert [frame["id"] for frame in tree["frames"]] == ids[1]
    assert [frame["below"] for frame in tree["frames"]] == [None, ids[1][0]]
    assert {top["below"] for top in tree["tops"]} == {ids[1][1]}
    assert tree["n_stacks"] == len(tree["tops"]) == 1


def test_rollback_and_fork_point_back_into_the_tree():
    matcher = matcher_of('root ::= "(" root ")" | "x"')
    assert matcher.accept_token(6)
    before = matcher.stacks()
    fork = matcher.fork()
    assert fork.accept_token(4)
    assert fork.accept_token(7)
    assert fork.is_completed()
    assert matcher.stacks() == before
    fork.rollback(2)
    assert fork.stacks() == before


def test_stacks_double_where_items_do_not():
    pda, earley = matcher_of(TWO_WAYS, rule_inlining=False), matcher_of(TWO_WAYS, rule_inlining=False, parser="earley")
    counts = []
    for _ in range(8):
        pda.accept_string("a")
        earley.accept_string("a")
        counts.append((pda.stacks()["n_stacks"], len(earley.live_items())))
        assert pda.allowed_tokens() == earley.allowed_tokens()
    n_tops = [n for n, _ in counts]
    assert all(later == 2 * former for former, later in itertools.pairwise(n_tops)), counts
    assert len({n for _, n in counts}) == 1, counts
    listed = pda.stacks(max_stacks=3)
    assert (len(listed["tops"]), listed["n_stacks"]) == (3, n_tops[-1])


def test_too_many_stacks_are_refused_and_nothing_is_lost():
    matcher = matcher_of(TWO_WAYS, rule_inlining=False, max_stacks=100)
    for _ in range(4):
        assert matcher.accept_string("a")
    assert matcher.stacks()["n_stacks"] == 3 * 2**4
    with pytest.raises(LimitError, match="more than 100 stacks") as caught:
        for _ in range(6):
            matcher.accept_string("a")
    assert "earley" in str(caught.value)
    n_taken = matcher.n_steps
    assert n_taken == 5, "the refused byte has changed nothing"
    assert matcher.stacks()["n_stacks"] == 3 * 2**5
    matcher.rollback(n_taken)
    assert matcher.accept_string("b")
    assert matcher.is_completed()


@pytest.mark.parametrize(
    ("grammar", "cycle"),
    [
        ('root ::= root "a" | "b"', "root -> root"),
        ('root ::= a "x"\na ::= root "b" | "a"', "root -> a -> root"),
        ('root ::= a? root "x" | "b"\na ::= "a"', "root"),
    ],
    ids=["direct", "mutual", "hidden"],
)
def test_left_recursion_is_refused_with_its_cycle(grammar: str, cycle: str):
    with pytest.raises(UnsupportedError) as caught:
        matcher_of(grammar, rule_inlining=False)
    (found,) = caught.value.diagnostics
    assert found.code == "left_recursion"
    assert cycle in found.message
    assert (found.line, found.column) == (1, 1)
    assert "earley" in found.hint
    assert matcher_of(grammar, parser="earley").accept_string("b" if "a ::= root" not in grammar else "a")


def test_a_repetition_counts_in_the_frame():
    matcher = matcher_of('root ::= ("a" | "ab"){3,100000} "x"', repetition_threshold=4)
    assert matcher.accept_string("aab")
    assert any(frame["counts"] for frame in matcher.stacks()["frames"])
    assert not matcher.accept_string("x")
    assert matcher.accept_string("aaax")
    assert matcher.is_completed()


def test_ten_thousand_brackets_deep():
    matcher = matcher_of('root ::= "(" root ")" | "x"')
    n = 10_000
    assert matcher.accept_string("(" * n)
    assert len(matcher.stacks()["frames"]) == n
    assert matcher.accept_string("x" + ")" * n)
    assert matcher.is_completed()


def test_earley_has_no_stacks():
    with pytest.raises(MatcherStateError, match="not stacks"):
        matcher_of('root ::= "a"', parser="earley").stacks()


def test_an_unknown_parser_is_refused():
    with pytest.raises(ValueError, match="'earley', 'pda' or 'operators'"):
        xgr.EngineOptions(parser="lalr")  # pyright: ignore[reportArgumentType]
