"""MLX: the kernel's arithmetic, and the logits processor as mlx-lm calls it.

MLX itself may be missing. Then `mlx.core` is a module of this test with those of its functions that are
used, over NumPy. Where MLX is installed, the same tests run with it as well.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import seeded
from xg2lab.contrib.mlxlm import XGrammarLogitsProcessor
from xg2lab.errors import BitmaskError, DeviceError, MatcherStateError, VocabularyError
from xg2lab.flight import FlightRecord, FlightRecorder
from xg2lab.kernels import apply_token_bitmask_inplace_kernels
from xg2lab.kernels.apply_token_bitmask_mlx import apply_token_bitmask_mlx

TOKENS = ["a", "b", "ab", "x", "<pad>", "</s>"]
STOP = 5


def stand_in() -> ModuleType:
    """`mlx.core` over NumPy: a constructor, which copies, and functions that make new arrays and change none."""
    module = ModuleType("mlx.core")
    module.float32, module.float16, module.int32, module.uint32 = np.float32, np.float16, np.int32, np.uint32
    module.array = lambda value, dtype=None: np.array(value, dtype=dtype)
    module.arange = lambda stop, dtype=None: np.arange(stop, dtype=dtype)
    module.expand_dims, module.reshape, module.where = np.expand_dims, np.reshape, np.where
    module.right_shift, module.bitwise_and = np.right_shift, np.bitwise_and
    return module


IS_INSTALLED = importlib.util.find_spec("mlx") is not None


@pytest.fixture(params=["stand-in", pytest.param("mlx", marks=pytest.mark.skipif(not IS_INSTALLED, reason="no MLX"))])
def mx(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "mlx":
        return importlib.import_module("mlx.core")
    package = ModuleType("mlx")
    package.core = stand_in()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mlx", package)
    monkeypatch.setitem(sys.modules, "mlx.core", package.core)
    return package.core


def processor_of(grammar: str, **options: Any) -> XGrammarLogitsProcessor:
    info = xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP], special_token_ids=[4])
    return XGrammarLogitsProcessor(xgr.GrammarCompiler(info).compile_grammar(grammar), **options)


def allowed(mx: Any, processor: XGrammarLogitsProcessor, tokens: list[int], width: int = len(TOKENS)) -> list[int]:
    """The ids that the processor leaves, of logits that are all 0."""
    masked = processor(mx.array(tokens), mx.array(np.zeros((1, width), np.float32)))
    assert masked.shape == (1, min(width, len(TOKENS)))
    row = np.array(masked)[0]
    assert set(row.tolist()) <= {0.0, -np.inf}
    return np.flatnonzero(row == 0).tolist()


# ---- The kernel ----


def test_the_kernel_says_what_the_cpu_says(mx: Any):
    rng = np.random.default_rng(seeded("mlx").randrange(2**32))
    for n_rows, width in [(1, 1), (1, 31), (2, 32), (3, 33), (4, 100)]:
        n_words = (width + 31) // 32
        bitmask = rng.integers(-(2**31), 2**31, (n_rows, n_words), dtype=np.int64).astype(np.int32)
        logits = rng.standard_normal((n_rows, width)).astype(np.float32)
        expected = logits.copy()
        xgr.apply_token_bitmask_inplace(expected, bitmask)
        for words in (bitmask, bitmask.view(np.uint32)):
            given = mx.array(logits)
            assert (np.array(apply_token_bitmask_mlx(mx.array(words), given, width)) == expected).all()
            assert (np.array(given) == logits).all()
        one = apply_token_bitmask_mlx(mx.array(bitmask[0]), mx.array(logits[0]), width)
        assert (np.array(one) == expected[0]).all()


def test_the_type_stays_and_what_is_no_token_is_left_out(mx: Any):
    masked = apply_token_bitmask_mlx(mx.array(np.array([[0b10]], np.int32)), mx.array(np.ones((1, 8), np.float16)), 3)
    assert masked.dtype == mx.float16
    assert np.array(masked).tolist() == [[-np.inf, 1, -np.inf]]
    assert apply_token_bitmask_inplace_kernels["metal"] is apply_token_bitmask_mlx


@pytest.mark.parametrize(("width", "vocab_size"), [(64, 33), (16, 17), (64, -1)])
def test_what_is_too_narrow_is_refused(mx: Any, width: int, vocab_size: int):
    with pytest.raises(BitmaskError, match=f"vocab_size is {vocab_size}; the bitmask has bits for 32 tokens"):
        apply_token_bitmask_mlx(mx.array(np.zeros((1, 1), np.int32)), mx.array(np.zeros((1, width))), vocab_size)


def test_without_mlx_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "mlx", None)
    monkeypatch.setitem(sys.modules, "mlx.core", None)
    processor = processor_of('root ::= "a"')
    with pytest.raises(DeviceError, match="MLX is not installed") as caught:
        processor(np.array([0]), np.zeros((1, len(TOKENS)), np.float32))
    assert "pip install mlx" in caught.value.hint


# ---- The processor ----


def test_generation_as_mlx_lm_does_it(mx: Any):
    """The first call brings the prompt, each later one a token more; the one behind the stop token is thrown away."""
    processor, tokens = processor_of('root ::= "a" ("b" | "x")'), [3, 3]
    for expected, chosen in [([0, 2], 0), ([1, 3], 3), ([STOP], STOP), ([STOP], STOP)]:
        assert allowed(mx, processor, tokens) == expected
        tokens.append(chosen)
    assert processor.matcher.is_terminated()


def test_a_processor_is_used_for_another_text(mx: Any):
    processor = processor_of('root ::= "a" "b"+')
    for prompt in ([3], [3], [3, 1, 0], [0]):
        assert allowed(mx, processor, prompt) == [0, 2]
        assert allowed(mx, processor, [*prompt, 0]) == [1]
        assert allowed(mx, processor, [*prompt, 0, 1]) == [1, STOP]


@pytest.mark.parametrize("max_rollback_tokens", [-1, 0, 1, 16])
def test_tokens_are_taken_back_as_speculation_does(mx: Any, max_rollback_tokens: int):
    processor = processor_of('root ::= "a" ("b" | "x")+', max_rollback_tokens=max_rollback_tokens)
    for tokens in ([4], [4, 0], [4, 0, 1], [4, 0, 1, 1], [4, 0, 1, 1, 3]):
        allowed(mx, processor, tokens)
    assert allowed(mx, processor, [4, 0, 3]) == [1, 3, STOP]
    assert allowed(mx, processor, [4, 0, 3, STOP]) == [STOP]
    assert allowed(mx, processor, [4, 2]) == [1, 3, STOP]


def test_logits_of_another_width(mx: Any):
    processor = processor_of('root ::= "a" | "</s>"')
    assert allowed(mx, processor, [3], width=40) == [0]
    assert allowed(mx, processor, [3], width=2) == [0]
    flat = processor(mx.array([3]), mx.array(np.zeros(len(TOKENS), np.float32)))
    assert np.flatnonzero(np.array(flat) == 0).tolist() == [0]


def test_a_mask_that_forbids_nothing_costs_nothing(mx: Any):
    info = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[])
    processor = XGrammarLogitsProcessor(xgr.GrammarCompiler(info).compile_grammar("root ::= [ab]*"))
    logits = mx.array(np.zeros((1, 2), np.float32))
    assert processor(mx.array([0]), logits) is logits


def test_a_token_that_the_grammar_forbids_is_an_error(mx: Any):
    processor = processor_of('root ::= "a" "b"')
    allowed(mx, processor, [3])
    with pytest.raises(MatcherStateError, match=r"row 0 generated token 3 \('x'\) after 0 tokens"):
        allowed(mx, processor, [3, 3])


def test_no_token_left_is_an_error(mx: Any):
    processor = processor_of('root ::= "a" "z"')
    allowed(mx, processor, [3])
    with pytest.raises(VocabularyError, match="requires text that no token of the vocabulary can begin"):
        allowed(mx, processor, [3, 0])


def test_a_recorder_has_a_flight_for_each_text(mx, tmp_path):
    with FlightRecorder(tmp_path, "always", outputs="keep", prompts="keep") as recorder:
        processor = processor_of('root ::= "a" "b"*', recorder=recorder)
        for tokens in ([3], [3, 0], [3, 0, 1], [4, 4]):
            allowed(mx, processor, tokens)
        with pytest.raises(MatcherStateError):
            allowed(mx, processor, [4, 4, 1])
        recorder.flush()
        found = [FlightRecord.load(path) for path in recorder.files()]
    assert [(record.prompt_ids, record.output_ids, record.end) for record in found] == [
        ((3,), (0, 1), "stop"),
        ((4, 4), (), "refused"),
    ]
    assert found[1].refused.token_id == 1
    assert found[0].times.count == 3
