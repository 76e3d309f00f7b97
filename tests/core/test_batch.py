"""A batch is as its matchers one by one: same masks, same answers, errors by number; on one thread or on many."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import seeded
from xg2lab import BatchGrammarMatcher
from xg2lab.errors import ArgumentError, BitmaskError, LimitError, MatcherStateError, VocabularyError

PIECES = [b"[[", b"]]", b"],[", b'{"', b'":', b'","', b'"}', b"true", b"12", b"ab", b", ", "é".encode()]
VOCABULARY = [bytes([byte]) for byte in range(256)] + PIECES + [b"</s>"]
STOP = len(VOCABULARY) - 1
N_WORDS = (len(VOCABULARY) + 31) // 32
GRAMMARS = ['root ::= "[" root* "]" | [a-z]', 'root ::= "a" "b"*', "root ::= [0-9]+ | [^a]*"]


def compiled(grammar: str | None = None) -> xgr.CompiledGrammar:
    """JSON by default. Nothing of it is known yet."""
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[STOP]), cache_enabled=False)
    return compiler.compile_grammar(grammar) if grammar else compiler.compile_builtin_json_grammar()


def rows(n: int) -> np.ndarray[Any, Any]:
    return np.zeros((n, N_WORDS), np.int32)


def alone(matchers: list[xgr.GrammarMatcher]) -> np.ndarray[Any, Any]:
    bitmask = rows(len(matchers))
    for i, matcher in enumerate(matchers):
        matcher.fill_next_token_bitmask(bitmask, i)
    return bitmask


def mixed(rng: random.Random, n: int) -> list[xgr.GrammarMatcher]:
    """Matchers of several grammars, some steps on their ways."""
    grammars = [compiled(), *map(compiled, GRAMMARS)]
    matchers = [xgr.GrammarMatcher(rng.choice(grammars)) for _ in range(n)]
    for matcher in matchers:
        for _ in range(rng.randint(0, 6)):
            allowed = [token for token in matcher.allowed_tokens() if token != STOP]
            if allowed:
                matcher.accept_token(rng.choice(allowed))
    return matchers


# ---- The same as one by one ----


@pytest.mark.parametrize("n_threads", [1, 2, 5, "auto"])
def test_random_walks_of_a_batch_are_those_of_its_matchers(n_threads: int | str):
    rng = seeded(f"batch {n_threads}")
    together, single = BatchGrammarMatcher(max_threads=n_threads), mixed(rng, 24)
    batch = [matcher.fork() for matcher in single]
    bitmask = rows(len(batch))
    for _ in range(25):
        together.batch_fill_next_token_bitmask(batch, bitmask)
        assert (bitmask == alone(single)).all()
        tokens = [rng.choice([rng.choice(matcher.allowed_tokens()), rng.randrange(STOP)]) for matcher in single]
        tokens = [0 if token == STOP else token for token in tokens]
        taken = BatchGrammarMatcher.batch_accept_token(batch, tokens)
        assert taken == [matcher.accept_token(token) for matcher, token in zip(single, tokens, strict=True)]
        texts: list[str | bytes] = [rng.choice(["[[", b"]", "a", "é", b"1", ""]) for _ in single]
        taken = BatchGrammarMatcher.batch_accept_string(batch, texts)
        assert taken == [matcher.accept_string(text) for matcher, text in zip(single, texts, strict=True)]
        steps = [rng.randint(0, min(2, matcher.n_steps)) for matcher in single]
        BatchGrammarMatcher.batch_rollback(batch, steps)
        for matcher, n in zip(single, steps, strict=True):
            matcher.rollback(n)


def test_masks_made_by_many_threads_are_those_made_by_one():
    """Every state is new, in four grammars, so that threads make masks at once, some of one grammar."""
    texts = ["{", '{"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', "[", "[1", "[1.", "[1e", '"', '"\\', '"\\u', "t", "-"]
    for _ in range(5):
        fresh, other = [compiled() for _ in range(4)], compiled()
        matchers = [xgr.GrammarMatcher(fresh[i % 4]) for i in range(len(texts))]
        single = [xgr.GrammarMatcher(other) for _ in texts]
        assert all(BatchGrammarMatcher.batch_accept_string(matchers, texts))
        for matcher, text in zip(single, texts, strict=True):
            assert matcher.accept_string(text)
        bitmask = rows(len(texts))
        BatchGrammarMatcher(max_threads=4).batch_fill_next_token_bitmask(matchers, bitmask)
        assert (bitmask == alone(single)).all()
    assert BatchGrammarMatcher.n_workers() >= 3


def test_indices_choose_the_rows_and_leave_the_others():
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a" "b"*')) for _ in range(3)]
    matchers[1].accept_string("a")
    bitmask = np.full((6, N_WORDS), 0x55, np.int32)
    BatchGrammarMatcher().batch_fill_next_token_bitmask(matchers, bitmask, [4, 0, 2])
    assert (bitmask[[4, 0, 2]] == alone(matchers)).all()
    assert (bitmask[[1, 3, 5]] == 0x55).all()


def test_torch_and_numpy_bitmasks_alike():
    torch = pytest.importorskip("torch")
    matchers = mixed(random.Random(1), 4)
    bitmask = xgr.allocate_token_bitmask(4, len(VOCABULARY))
    assert isinstance(bitmask, torch.Tensor)
    BatchGrammarMatcher().batch_fill_next_token_bitmask(matchers, bitmask, torch.tensor([3, 2, 1, 0]))
    assert (bitmask.numpy()[::-1] == alone(matchers)).all()
    taken = BatchGrammarMatcher.batch_accept_token(matchers, torch.tensor([0, 0, 0, 0]))
    assert taken == BatchGrammarMatcher.batch_accept_token(matchers, np.zeros(4, np.int64))


def test_an_empty_batch_is_nothing():
    BatchGrammarMatcher().batch_fill_next_token_bitmask([], rows(1))
    assert BatchGrammarMatcher.batch_accept_token([], []) == []
    assert BatchGrammarMatcher.batch_accept_string([], []) == []
    BatchGrammarMatcher.batch_rollback([])


# ---- Errors: by number, and the others are done ----


def test_a_matcher_that_can_t_accept_answers_false_and_the_others_are_done():
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a" "b"*')) for _ in range(6)]
    assert matchers[1].accept_string("a")
    assert matchers[1].accept_token(STOP)
    tokens = [ord("a"), ord("b"), ord("a"), -1, len(VOCABULARY), 2**62]
    assert BatchGrammarMatcher.batch_accept_token(matchers, tokens) == [True, False, True, False, False, False]
    assert [matcher.n_steps for matcher in matchers] == [1, 2, 1, 0, 0, 0]
    texts = ["b", "b", "x", "a", "", "b"]
    assert BatchGrammarMatcher.batch_accept_string(matchers, texts) == [True, False, False, True, True, False]
    BatchGrammarMatcher.batch_rollback(matchers, [1, 1, 0, 1, 1, 0])  # what was refused is no step
    assert [matcher.n_steps for matcher in matchers] == [1, 1, 1, 0, 0, 0]


def test_a_limit_of_one_matcher_loses_nothing_of_the_others():
    info = xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[STOP])
    tight = xgr.GrammarCompiler(info, options=xgr.EngineOptions(max_history_bytes=120))
    small = xgr.GrammarMatcher(tight.compile_grammar("root ::= [a-z]*"))
    with pytest.raises(LimitError):
        while small.accept_token(ord("a")):
            pass
    n_steps = small.n_steps
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a" "b"*')), small, xgr.GrammarMatcher(compiled("root ::= [a]*"))]
    for _ in range(2):
        with pytest.raises(LimitError, match=r"^matcher 1: the history of this matcher needs more") as caught:
            BatchGrammarMatcher.batch_accept_token(matchers, [ord("a"), ord("a"), ord("a")])
        assert caught.value.index == 1
    assert caught.value.results == [False, None, True]
    assert [matcher.n_steps for matcher in matchers] == [1, n_steps, 2]
    bitmask = rows(3)
    BatchGrammarMatcher().batch_fill_next_token_bitmask(matchers, bitmask)
    assert (bitmask == alone(matchers)).all()
    BatchGrammarMatcher.batch_rollback(matchers, [0, 1, 0])
    assert BatchGrammarMatcher.batch_accept_token(matchers, [ord("b"), ord("a"), ord("a")]) == [True] * 3


def test_an_error_names_its_matcher_and_the_others_are_done():
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a" "b"*'), strict=i == 2) for i in range(4)]
    with pytest.raises(VocabularyError, match=r"^matcher 2: accept_token: token id 99999 is outside") as caught:
        BatchGrammarMatcher.batch_accept_token(matchers, [ord("a"), ord("b"), 99999, ord("a")])
    assert caught.value.index == 2
    assert caught.value.results == [True, False, None, True]
    assert "TokenizerInfo vocab_size" in caught.value.hint
    assert [matcher.n_steps for matcher in matchers] == [1, 0, 0, 1]


def test_an_ended_matcher_leaves_the_masks_of_the_others():
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a" "b"*')) for _ in range(3)]
    BatchGrammarMatcher.batch_accept_string(matchers, ["a", "a", "ab"])
    for i in (0, 1):
        assert matchers[i].accept_token(STOP)
    bitmask = np.full((3, N_WORDS), 0x55, np.int32)
    with pytest.raises(MatcherStateError, match=r"^matcher 0: .*\(and 1 more matchers\)") as caught:
        BatchGrammarMatcher().batch_fill_next_token_bitmask(matchers, bitmask)
    assert caught.value.index == 0
    assert caught.value.results == [None, None, True]
    assert (bitmask[:2] == 0x55).all()
    assert (bitmask[2] == alone(matchers[2:])[0]).all()
    with pytest.raises(MatcherStateError, match=r"matcher 2: rollback\(2\): only 1 steps") as caught:
        BatchGrammarMatcher.batch_rollback(matchers, 2)
    assert caught.value.results == [True, True, None]
    assert [matcher.n_steps for matcher in matchers] == [0, 0, 1]


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda b, m: b.batch_accept_token([m[0], m[1], m[0]], [0, 0, 0]), ArgumentError, "0 and 2 are the same"),
        (lambda b, m: b.batch_accept_token(m, [0]), ArgumentError, "tokens has 1 elements for 2 matchers"),
        (lambda b, m: b.batch_accept_string(m, ["a"] * 3), ArgumentError, "strings has 3 elements for 2 matchers"),
        (lambda b, m: b.batch_rollback(m, [0]), ArgumentError, "num_tokens has 1 elements for 2 matchers"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, rows(2), [0]), ArgumentError, "indices has 1 elements"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, rows(2), [1, 1]), ArgumentError, "the same row, 1"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, rows(2), [0, 2]), BitmaskError, "row 2"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, rows(2), [0, -1]), BitmaskError, "row -1"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, rows(1)), BitmaskError, "row 1"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, rows(2).astype(np.int64)), BitmaskError, "int64"),
        (lambda b, m: b.batch_accept_token([m[0], None], [0, 0]), TypeError, r"matchers\[1\] is .*NoneType"),
        (lambda b, m: b.batch_accept_string(m, ["a", 3]), TypeError, "give str or bytes"),
        (lambda b, m: b.batch_accept_token(m, [0, "1"]), TypeError, r"tokens\[1\] is a str; wanted an int"),
        (lambda b, m: b.batch_accept_token(m, [0, 1.5]), TypeError, r"tokens\[1\] is a float; wanted an int"),
        (lambda b, m: b.batch_accept_token(m, [0, 2**70]), ArgumentError, r"tokens\[1\] has more than 64 bits"),
        (lambda b, m: b.batch_fill_next_token_bitmask(m, None), BitmaskError, "wanted a NumPy array or a torch tensor"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_change_nothing(call: Callable[..., Any], error: type[Exception], said: str):
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a"*')) for _ in range(2)]
    with pytest.raises(error, match=said):
        call(BatchGrammarMatcher(), matchers)
    assert [matcher.n_steps for matcher in matchers] == [0, 0]
    assert all(matcher.accept_string("a") for matcher in matchers)  # none is held


@pytest.mark.parametrize("n", [0, -1, 1025, 2**40])
def test_max_threads_out_of_range(n: int):
    with pytest.raises(ArgumentError, match=f"max_threads is {n}; wanted 1 to 1024"):
        BatchGrammarMatcher(max_threads=n)


@pytest.mark.parametrize("n", ["many", 2.0, None, True])
def test_max_threads_of_another_type(n: Any):
    with pytest.raises(TypeError, match="max_threads must be a number or"):
        BatchGrammarMatcher(n)
    assert BatchGrammarMatcher().max_threads >= 1
    assert BatchGrammarMatcher(7).max_threads == 7


def test_explanations_are_printed_for_each_matcher(capsys: pytest.CaptureFixture[str]):
    matchers = [xgr.GrammarMatcher(compiled('root ::= "a" "b"*')) for _ in range(2)]
    BatchGrammarMatcher.batch_accept_token(matchers, [ord("a"), ord("b")], debug_print=True)
    BatchGrammarMatcher.batch_accept_string(matchers, ["b", "x"], debug_print=True)
    BatchGrammarMatcher().batch_fill_next_token_bitmask(matchers, rows(2), debug_print=True)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["matcher", "0", "allowed:"], ["matcher", "1", "blocked:"],
        ["matcher", "0", "allowed:"], ["matcher", "1", "blocked:"],
        ["matcher", "0", "expected:"], ["matcher", "1", "expected:"],
    ]  # fmt: skip
    assert "end of the text" in lines[4]


# ---- Threads: callers at once, matchers in use elsewhere ----


def test_batches_of_several_callers_at_once():
    shared = compiled()
    failures: list[str] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        together = BatchGrammarMatcher(max_threads=3)
        matchers = [xgr.GrammarMatcher(shared) for _ in range(6)]
        bitmask = rows(6)
        for _ in range(30):
            texts = [rng.choice(["[1,", '{"k":', '"x', "  [", "[[[[", '{"é":["']) for _ in matchers]
            if not all(BatchGrammarMatcher.batch_accept_string(matchers, texts)):
                failures.append(f"seed {seed}: a text was refused")
            together.batch_fill_next_token_bitmask(matchers, bitmask)
            if (bitmask != alone(matchers)).any():
                failures.append(f"seed {seed}: masks differ")
            BatchGrammarMatcher.batch_rollback(matchers)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert failures == []


def test_a_matcher_in_use_elsewhere_is_an_error_of_its_own():
    """While another thread reads a long text with matcher 1, a batch refuses it and does the others."""
    text = b"a" * 20_000_000
    for _ in range(50):
        matchers = [xgr.GrammarMatcher(compiled("root ::= [a]*")) for _ in range(3)]
        thread = threading.Thread(target=matchers[1].accept_string, args=(text,))
        thread.start()
        try:
            while thread.is_alive():
                BatchGrammarMatcher.batch_rollback(matchers, [0, 0, 0])
        except MatcherStateError as error:
            assert error.index == 1
            assert "in use by another thread" in str(error)
            break
        finally:
            thread.join()
    else:
        pytest.fail("the other thread was never met in its call")
    assert matchers[1].n_steps == 1
