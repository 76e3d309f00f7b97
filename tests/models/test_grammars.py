"""The grammars say what the readers say: each answer is accepted, and whatever a grammar accepts can be read."""

from __future__ import annotations

import random

import pytest

import xg2lab as xgr
from xg2lab.tiny import FORMATS, grammar_for
from xg2lab.tiny.formats import FormatError, read
from xg2lab.tiny.training.corpus import draw

SEED = 23
STOP = 256
BYTES = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[STOP])
#: Bytes that end a value or an answer: a random walk takes them more often, or its strings would
#: be endless.
CLOSING = frozenset(b'"<}')


@pytest.fixture(name="format", scope="module", params=FORMATS)
def fixture_format(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def compiled(format: str) -> xgr.CompiledGrammar:
    return xgr.GrammarCompiler(BYTES).compile_grammar(grammar_for(format))


def _accepts(compiled: xgr.CompiledGrammar, text: str) -> bool:
    matcher = xgr.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.accept_token(STOP)


def test_every_answer_is_accepted(format: str, compiled: xgr.CompiledGrammar) -> None:
    rng = random.Random(SEED)
    for _ in range(200):
        completion = draw(rng, format=format).completion
        assert _accepts(compiled, completion), completion


def test_an_answer_cut_short_or_changed_is_accepted_only_if_it_can_be_read(
    format: str, compiled: xgr.CompiledGrammar
) -> None:
    rng = random.Random(SEED)
    n_accepted = n_rejected = 0
    for _ in range(300):
        text = draw(rng, format=format).completion
        at = rng.randrange(len(text))
        changed = rng.choice([text[:at], text[:at] + text[at + 1 :], text[:at] + rng.choice('{}":, <a1') + text[at:]])
        if _accepts(compiled, changed):
            read(format, changed)
            n_accepted += 1
        else:
            n_rejected += 1
    assert n_accepted > 10
    assert n_rejected > 100


def test_whatever_the_grammar_lets_through_can_be_read(format: str, compiled: xgr.CompiledGrammar) -> None:
    rng = random.Random(SEED)
    for _ in range(40):
        matcher, written = xgr.GrammarMatcher(compiled), bytearray()
        while not matcher.is_terminated():
            allowed = matcher.allowed_tokens()
            closing = [token for token in allowed if token == STOP or token in CLOSING]
            token = rng.choice(closing if closing and rng.random() < 0.3 else allowed)
            assert matcher.accept_token(token)
            if token != STOP:
                written.append(token)
        read(format, written.decode())


def test_a_grammar_keeps_out_what_a_reader_keeps_out(format: str, compiled: xgr.CompiledGrammar) -> None:
    other = {name: draw(random.Random(SEED), format=name).completion for name in FORMATS if name != format}
    for text in (*other.values(), "", " ", "{}", "Sure, here it is:"):
        with pytest.raises(FormatError):
            read(format, text)
        assert not _accepts(compiled, text)


def test_a_format_nobody_knows() -> None:
    with pytest.raises(ValueError, match="the formats are qwen, llama_function, harmony, functiongemma, json"):
        grammar_for("yaml")
