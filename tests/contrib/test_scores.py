"""The processor on arrays: called as llama-cpp-python and mlx-lm call theirs, and by mlx-lm itself where it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.contrib.scores import ScoresProcessor
from xg2lab.errors import MatcherStateError, VocabularyError

TOKENS = ["a", "b", "</s>", "x"]
STOP = 2


def processor_of(grammar: str, **options: Any) -> ScoresProcessor:
    return ScoresProcessor(xgr.GrammarCompiler(xgr.TokenizerInfo(TOKENS)).compile_grammar(grammar), **options)


def allowed(processor: ScoresProcessor, ids: Any, scores: Any) -> list[int]:
    return np.flatnonzero(np.isfinite(np.array(processor(ids, scores)).ravel())).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("shape", [(4,), (1, 4), (6,)])
def test_it_is_called_as_llama_cpp_does(shape: tuple[int, ...], dtype: Any):
    """The ids are `numpy.intc`, the scores one row, and the result is written over them."""
    processor, ids = processor_of('root ::= "a" "b"*'), [3, 3]
    for token, wanted in ((0, [0]), (1, [1, STOP]), (STOP, [1, STOP]), (STOP, [STOP])):
        scores = np.zeros(shape, dtype)
        masked = processor(np.array(ids, np.intc), scores)
        assert (masked.shape, masked.dtype) == (shape, dtype)
        assert np.flatnonzero(np.isfinite(masked.ravel())).tolist() == wanted
        assert not scores.any()
        scores[:] = masked
        ids.append(token)


def test_a_new_prompt_begins_a_new_text():
    processor = processor_of('root ::= "a" "b"')
    assert allowed(processor, [3, 3], np.zeros(4)) == [0]
    assert allowed(processor, [3, 3, 0], np.zeros(4)) == [1]
    assert allowed(processor, [3, 1], np.zeros(4)) == [0]
    assert allowed(processor, [3, 1, 0], np.zeros(4)) == [1]
    processor.reset()
    assert allowed(processor, [3, 1, 0], np.zeros(4)) == [0]


def test_tokens_may_be_taken_back():
    processor = processor_of('root ::= "a" "b" "a"')
    for ids, wanted in (([3], 0), ([3, 0], 1), ([3, 0, 1], 0), ([3, 0], 1), ([3, 0, 1], 0)):
        assert allowed(processor, ids, np.zeros(4)) == [wanted]


def test_what_does_not_fit_is_an_error():
    processor = processor_of('root ::= "a" "b"')
    with pytest.raises(VocabularyError, match="3 wide, narrower than the vocabulary of 4 tokens"):
        processor([3], np.zeros(3))
    assert allowed(processor, [3], np.zeros(4)) == [0]
    with pytest.raises(MatcherStateError, match="row 0 generated token 3"):
        processor([3, 3], np.zeros(4))


def test_a_mask_that_forbids_nothing_keeps_the_scores():
    info = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[])
    processor = ScoresProcessor(xgr.GrammarCompiler(info).compile_grammar("root ::= [ab]*"))
    assert processor([0], np.array([0.5, 0.25])).tolist() == [0.5, 0.25]


def test_arrays_of_mlx():
    mx = pytest.importorskip("mlx.core")
    for dtype in (mx.float32, mx.float16, mx.bfloat16):
        processor = processor_of('root ::= "a" "b"')
        for ids, wanted in (([3], 0), ([3, 0], 1)):
            scores = mx.zeros((1, 4), dtype=dtype)
            masked = processor(mx.array(ids), scores)
            assert (masked.dtype, masked.shape) == (dtype, (1, 4))
            plain = np.array(masked.astype(mx.float32))[0]
            assert np.flatnonzero(np.isfinite(plain)).tolist() == [wanted]


def test_mlx_lm_writes_a_text_with_it():
    """mlx-lm's own loop with the tiny model, which it loads from the files of transformers."""
    pytest.importorskip("mlx.core")
    mlx_lm = pytest.importorskip("mlx_lm")
    from xg2lab.tiny import tiny_model_path

    model, tokenizer = mlx_lm.load(str(tiny_model_path()))
    info = xgr.TokenizerInfo.from_huggingface(tokenizer._tokenizer, vocab_size=2048)
    compiled = xgr.GrammarCompiler(info).compile_regex(r"[a-f]{3}-\d{2}")
    prompt = tokenizer.encode("What is the weather in Oslo?")
    text = mlx_lm.generate(model, tokenizer, prompt, max_tokens=20, logits_processors=[ScoresProcessor(compiled)])
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string(text)
    assert matcher.is_completed()
