"""Limits of time and memory: what goes beyond is a LimitError that names the option, and nothing is lost by it."""

import time

import pytest

import xg2lab as xgr
from xg2lab.errors import LimitError

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def matcher_of(text: str, max_rollback_tokens: int = -1, **options: int) -> xgr.GrammarMatcher:
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**options), cache_enabled=False)  # pyright: ignore[reportArgumentType]
    return xgr.GrammarMatcher(compiler.compile_grammar(text), max_rollback_tokens=max_rollback_tokens)


def test_compiling_ends_when_its_time_is_over():
    slow = "root ::= " + " | ".join(f"[a-z]{{{n}}} [b-y]{{30}} r{n}" for n in range(1, 31))
    slow += "".join(f'\nr{n} ::= [^x]{{31}} ("{n}" | [a-m]{{30}} | r{n} "z" [n-z]{{29}})' for n in range(1, 31))
    options = xgr.EngineOptions(max_compile_seconds=0.001)
    begin = time.monotonic()
    with pytest.raises(LimitError, match=r"max_compile_seconds, 0\.001 s: given up at ") as raised:
        xgr.GrammarCompiler(INFO, options=options, cache_enabled=False).compile_grammar(slow)
    assert time.monotonic() - begin < 5
    assert raised.value.hint is not None
    assert "raise max_compile_seconds" in raised.value.hint
    xgr.GrammarCompiler(INFO, cache_enabled=False).compile_grammar(slow)  # the limit was of that one call


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_what_is_no_time(seconds: float):
    with pytest.raises(ValueError, match="max_compile_seconds must be above 0"):
        xgr.EngineOptions(max_compile_seconds=seconds)


def test_a_history_that_grows_beyond_its_limit_keeps_what_it_has():
    matcher = matcher_of("root ::= [a-z]*", max_history_bytes=12_000)
    with pytest.raises(LimitError, match=r"max_history_bytes, 12000 bytes, after 1000 steps"):
        for _ in range(2000):
            matcher.accept_token(97)
    with pytest.raises(LimitError, match="after 1000 steps"):
        matcher.accept_string("b")
    matcher.rollback(999)
    assert matcher.accept_string("bc")
    matcher.rollback(2)
    assert matcher.is_completed()


def test_a_long_text_given_at_once_counts_with_its_bytes():
    matcher = matcher_of("root ::= [a-z]*", max_history_bytes=12_000)
    assert matcher.accept_string("a" * 11_000)
    with pytest.raises(LimitError, match="after 1 steps"):
        matcher.accept_string("a" * 2_000)
    assert matcher.accept_string("a" * 900)


def test_a_window_has_no_end():
    matcher = matcher_of("root ::= [a-z]*", max_rollback_tokens=10, max_history_bytes=12_000)
    for _ in range(20_000):
        assert matcher.accept_token(97)


def test_columns_that_the_history_needs_count():
    nested = matcher_of('root ::= "(" root ")" | "a"', max_history_bytes=1 << 20, max_configuration_bytes=1 << 16)
    with pytest.raises(LimitError, match="max_history_bytes"):
        for _ in range(1_000_000):
            nested.accept_token(40)
    nested.rollback(5000)
    assert nested.accept_string("(" * 100 + "a")
