"""Limits of time and memory: what goes beyond is a LimitError that names the option, and nothing is lost by it."""

import json
import subprocess
import sys
import threading

import pytest

import xg2lab as xgr
from tests.masks import mask_disagreements
from xg2lab import _core
from xg2lab.errors import ArgumentError, LimitError

counted = pytest.mark.skipif(not _core.counts_bytes(), reason="a sanitizer counts memory in its own way")

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def matcher_of(text: str, max_rollback_tokens: int = -1, **options: int) -> xgr.GrammarMatcher:
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**options), cache_enabled=False)  # pyright: ignore[reportArgumentType]
    return xgr.GrammarMatcher(compiler.compile_grammar(text), max_rollback_tokens=max_rollback_tokens)


def test_compiling_ends_when_its_time_is_over():
    slow = "root ::= " + " | ".join(f"[a-z]{{{n}}} [b-y]{{30}} r{n}" for n in range(1, 31))
    slow += "".join(f'\nr{n} ::= [^x]{{31}} ("{n}" | [a-m]{{30}} | r{n} "z" [n-z]{{29}})' for n in range(1, 31))
    options = xgr.EngineOptions(max_compile_seconds=0.001)
    with pytest.raises(LimitError, match=r"max_compile_seconds, 0\.001 s: stopped while ") as raised:
        xgr.GrammarCompiler(INFO, options=options, cache_enabled=False).compile_grammar(slow)
    assert raised.value.hint is not None
    assert "raise max_compile_seconds" in raised.value.hint
    xgr.GrammarCompiler(INFO, cache_enabled=False).compile_grammar(slow)  # the limit was of that one call


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
@pytest.mark.parametrize("name", ["max_compile_seconds", "max_mask_seconds"])
def test_what_is_no_time(name: str, seconds: float):
    with pytest.raises(ValueError, match=f"{name} must be above 0"):
        xgr.EngineOptions(**{name: seconds})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ArgumentError, match="max_seconds must be above 0"):
        xgr.work_limits(max_seconds=seconds)


def test_what_is_no_size():
    with pytest.raises(ValueError, match="max_work_bytes must be at least 1"):
        xgr.EngineOptions(max_work_bytes=0)
    with pytest.raises(ArgumentError, match="max_bytes must be at least 1"):
        xgr.work_limits(max_bytes=0)


@counted
def test_a_step_is_taken_back_whose_move_to_fresh_configurations_was_ended():
    """The step itself is known. The move reads the start of the grammar anew, which takes more than is allowed."""
    rules = [f'r{i} ::= "{i:04}" r{i} | "x"' for i in range(1200)]
    text = "\n".join(['root ::= "[" root "]" | ' + " | ".join(f"r{i}" for i in range(1200)), *rules])
    options = xgr.EngineOptions(max_configuration_bytes=1 << 14, rule_inlining=False)
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO, options=options).compile_grammar(text))
    assert matcher.fork().accept_string("[" * 10)  # now the configurations are full, and know the step
    before = matcher.allowed_tokens()
    with pytest.raises(LimitError), xgr.work_limits(max_bytes=1):
        matcher.accept_token(ord("["))
    assert (matcher.n_steps, matcher.allowed_tokens()) == (0, before)
    assert matcher.accept_token(ord("["))
    assert matcher.accept_string("x]")
    assert matcher.n_steps == 2


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


# ---- From a text to a compiled grammar ----
# The clock is looked at each thousand units of work, and no work takes no time: the shortest
# budget ends what is long.

SHORTEST = 1e-9
RULES = 3000
CHAIN = "".join(f'\nr{i} ::= "a" r{i + 1} | "b"' for i in range(RULES)) + f'\nr{RULES} ::= "c"'
TEXTS = {
    "ebnf": ("root ::= r0" + CHAIN, xgr.GrammarCompiler.compile_grammar, xgr.Grammar.from_ebnf),
    "regex": (".*".join(f"k{i}" for i in range(400)), xgr.GrammarCompiler.compile_regex, xgr.Grammar.from_regex),
    "looks": (
        "".join(f"(?=.*k{i})" for i in range(9)) + ".*",
        xgr.GrammarCompiler.compile_regex,
        xgr.Grammar.from_regex,
    ),
    "lark": (
        "start: r0" + CHAIN.replace(" ::=", ":"),
        xgr.GrammarCompiler.compile_lark,
        xgr.Grammar.from_lark,
    ),
    "json_schema": (
        json.dumps({"properties": {f"p{i}": {"type": "string", "pattern": f"a{{{i % 50}}}b"} for i in range(RULES)}}),
        xgr.GrammarCompiler.compile_json_schema,
        xgr.Grammar.from_json_schema,
    ),
    "structural_tag": (
        json.dumps(
            {
                "format": {
                    "type": "triggered_tags",
                    "triggers": ["<"],
                    "tags": [
                        {
                            "type": "tag",
                            "begin": f"<t{i}>",
                            "content": {"type": "regex", "pattern": "[a-z]*"},
                            "end": "",
                        }
                        for i in range(RULES)
                    ],
                }
            }
        ),
        xgr.GrammarCompiler.compile_structural_tag,
        xgr.Grammar.from_structural_tag,
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_one_budget_of_time_from_a_text_to_its_compiled_grammar(name: str):
    text, compile_text, _ = TEXTS[name]
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(max_compile_seconds=SHORTEST))
    with pytest.raises(LimitError, match=r"max_compile_seconds, 1e-09 s: stopped while "):
        compile_text(compiler, text)
    assert xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_grammar('root ::= "a"')).accept_token(97)


@pytest.mark.parametrize("name", TEXTS)
def test_readers_keep_the_limits_they_stand_in(name: str):
    text, _, read = TEXTS[name]
    if name != "regex":  # whose machine is made when it is compiled
        with xgr.work_limits(max_seconds=SHORTEST), pytest.raises(LimitError, match="max_compile_seconds, 1e-09 s"):
            read(text)
    with xgr.work_limits(max_seconds=1e6, max_bytes=1 << 40):
        read(text)


@counted
@pytest.mark.parametrize("name", TEXTS)
def test_one_budget_of_memory_from_a_text_to_its_compiled_grammar(name: str):
    text, compile_text, _ = TEXTS[name]
    compiler = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(max_work_bytes=20_000))
    with pytest.raises(LimitError, match=r"max_work_bytes, 20000 bytes: stopped while ") as raised:
        compile_text(compiler, text)
    assert "raise max_work_bytes" in raised.value.hint


@counted
def test_a_literal_that_is_too_much():
    text = 'root ::= "' + "a" * 10_000_000 + '"'
    with xgr.work_limits(max_bytes=32 << 20), pytest.raises(LimitError, match="max_work_bytes, 33554432 bytes"):
        xgr.Grammar.from_ebnf(text)


def test_limits_within_limits():
    with xgr.work_limits(max_seconds=1e6), xgr.work_limits(max_seconds=SHORTEST), pytest.raises(LimitError):
        xgr.Grammar.from_ebnf(TEXTS["ebnf"][0])
    with xgr.work_limits(max_seconds=SHORTEST), xgr.work_limits(max_seconds=1e6), pytest.raises(LimitError):
        xgr.Grammar.from_ebnf(TEXTS["ebnf"][0])
    xgr.Grammar.from_ebnf(TEXTS["ebnf"][0])


def test_limits_belong_to_a_thread_and_end_in_any_order():
    inner, outer = xgr.work_limits(max_seconds=SHORTEST), xgr.work_limits(max_seconds=1e6)
    outer.__enter__()
    inner.__enter__()
    failed: list[Exception] = []

    def read() -> None:
        try:
            xgr.Grammar.from_ebnf(TEXTS["ebnf"][0])
        except LimitError as error:
            failed.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    outer.__exit__(None, None, None)
    inner.__exit__(None, None, None)
    read()
    assert failed == []


def test_limits_that_were_left_leave_the_usual_ones():
    """Left in the wrong order, in another thread, or by the collector: the usual limits hold again."""

    def in_the_wrong_order() -> None:
        outer, inner = xgr.work_limits(max_seconds=1e6, max_bytes=1 << 50), xgr.work_limits(max_bytes=1 << 50)
        outer.__enter__()
        inner.__enter__()
        outer.__exit__(None, None, None)
        _core.check_work("work", 1 << 40)
        inner.__exit__(None, None, None)

    def in_another_thread() -> None:
        left = xgr.work_limits(max_bytes=1 << 50)
        left.__enter__()
        thread = threading.Thread(target=left.__exit__, args=(None, None, None))
        thread.start()
        thread.join()

    def never() -> None:
        xgr.work_limits(max_bytes=1 << 50).__enter__()

    for leave in (in_the_wrong_order, in_another_thread, never):
        leave()
        with pytest.raises(LimitError, match="max_work_bytes, 201326592 bytes"):
            _core.check_work("work", 1 << 40)


def test_a_schema_whose_conditions_repeat():
    """Each of many ways asks for one property of any value: one property does for all of them."""
    branch = {
        "unevaluatedProperties": False,
        "anyOf": [{"$ref": "#/$defs/d1"}, {"type": "object"}],
        "if": {"type": "object"},
    }
    schema = {
        "contains": {"properties": {"c": branch}},
        "unevaluatedItems": {"minimum": 1},
        "$defs": {"d1": {"anyOf": [{"oneOf": [True]}, {"type": "object"}]}},
    }
    grammar = xgr.Grammar.from_json_schema(schema, strict_mode=False)
    assert len(grammar.rules) < 100
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_grammar(grammar))
    assert matcher.accept_string('[{"c": {}}, 1]')
    assert matcher.is_completed()


def test_a_schema_whose_items_have_conditions_within_conditions():
    """Conditions of unevaluated items and properties, beside alternatives that leave all open: a few rules do."""

    def schema(all_of: list[object]) -> dict[str, object]:
        inner = {"anyOf": [{}, {"const": "a"}], "oneOf": [{"allOf": all_of}, {"type": "null"}, {"enum": []}]}
        return {
            "unevaluatedItems": False,
            "oneOf": [{"unevaluatedProperties": {"pattern": "é"}, "if": inner}, {}],
        }

    with pytest.raises(xgr.Xg2LabError, match="must be a list of schemas, and not be empty") as raised:
        xgr.Grammar.from_json_schema(schema([]), strict_mode=False)
    assert "at /oneOf/0/if/oneOf/0/allOf" in str(raised.value)
    grammar = xgr.Grammar.from_json_schema(schema([{"type": "string"}]), strict_mode=False)
    assert len(grammar.rules) < 100


@counted
def test_the_process_own_limit_of_memory_is_a_limit_error():
    script = """
import resource
import xg2lab as xgr
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (64 << 20),) * 2)
try:
    with xgr.work_limits(max_bytes=1 << 50):
        xgr.Grammar.from_ebnf('root ::= ' + ' | '.join(f'"{i}" [a-z] "x"' for i in range(400_000)))
except xgr.Xg2LabError as error:
    print(type(error).__name__, error)
"""
    if not sys.platform.startswith("linux"):
        pytest.skip("the size of a process is read where Linux tells it")
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert ran.stdout.startswith("LimitError the system gives this process no more memory: stopped while"), ran.stderr


# ---- Masks and steps ----

# The middle may be anywhere: a step takes time in the length of the text.
PALINDROMES = 'root ::= "a" root "a" | "b" root "b" | ""'
LONG = 600
LONG_INFO = xgr.TokenizerInfo([b"a", b"a" * LONG, b"b", b"</s>"], stop_token_ids=[3])


def palindromes(seconds: float) -> xgr.GrammarMatcher:
    options = xgr.EngineOptions(max_mask_seconds=seconds)
    return xgr.GrammarMatcher(xgr.GrammarCompiler(LONG_INFO, options=options).compile_grammar(PALINDROMES))


def test_a_step_ends_when_its_time_is_over_and_nothing_has_happened():
    slow, usual = palindromes(SHORTEST), palindromes(1e6)
    assert slow.accept_string("aa")
    for step in (lambda: slow.accept_token(1), lambda: slow.accept_string("a" * LONG)):
        with pytest.raises(LimitError, match=r"max_mask_seconds, 1e-09 s: stopped while "):
            step()
        assert slow.n_steps == 1
        assert slow.is_completed()
    # What is short is as it was, and what was long is with more time.
    assert slow.accept_string("b")
    slow.rollback()
    assert usual.accept_string("aa")
    assert usual.allowed_tokens() == [0, 1, 2, 3]
    assert usual.accept_token(1)
    assert usual.is_completed()


@pytest.mark.parametrize("parser", ["earley", "pda"])
def test_a_mask_ends_when_its_time_is_over_and_others_do_not_wait(parser: str):
    text = 'root ::= "(" root ")" | [a-z]+ | "[" root "]" root'
    tokens = [bytes([a, b, c]) for a in b"([abcdefgh" for b in b"([])abcdefghijk" for c in b"([])abcdefghijklmn"]
    info = xgr.TokenizerInfo([*tokens, b"a", b"(", b"</s>"], stop_token_ids=[len(tokens) + 2])

    def compiled(seconds: float) -> xgr.CompiledGrammar:
        options = xgr.EngineOptions(max_mask_seconds=seconds, parser=parser, context_walks="never")  # pyright: ignore[reportArgumentType]
        return xgr.GrammarCompiler(info, options=options, cache_enabled=False).compile_grammar(text)

    short = compiled(SHORTEST)
    bitmask = xgr.allocate_token_bitmask(2, info.vocab_size)
    matchers = [xgr.GrammarMatcher(short), xgr.GrammarMatcher(short)]
    for _ in range(3):  # a claim that stayed would make the second one wait for ever
        with pytest.raises(LimitError, match="max_mask_seconds"):
            matchers[0].fill_next_token_bitmask(bitmask)
        with pytest.raises(LimitError, match="max_mask_seconds"):
            xgr.BatchGrammarMatcher(max_threads=2).batch_fill_next_token_bitmask(matchers, bitmask)
    assert matchers[0].accept_token(len(tokens) + 1)
    usual = xgr.GrammarMatcher(compiled(1e6))
    assert usual.accept_token(len(tokens) + 1)
    assert mask_disagreements(usual) == []
