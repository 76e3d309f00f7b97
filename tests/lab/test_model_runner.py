"""ModelRunner: the cache never changes what the model says, going back is exact, forks are apart, errors help."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from xg2lab.errors import DeviceError, LimitError, ModelLoadError, SessionError, VocabularyError
from xg2lab.lab.model import model_loading, model_runner
from xg2lab.lab.model.model_runner import ModelRunner

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizer_training = pytest.importorskip("xg2lab.tiny.training.tokenizer")

SENTENCE = "What is the weather in Lisbon in celsius?"


def _save(folder: Path, **changes: Any) -> Path:
    """A model with random weights, saved with its tokenizer as a user's folder would be."""
    tokenizer = tokenizer_training.learn(n_documents=200, n_tokens=600)
    settings: dict[str, Any] = {
        "vocab_size": 608,  # wider than the tokenizer, as padded models are
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 96,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": [tokenizer.eos_token_id, tokenizer.bos_token_id],
        "pad_token_id": tokenizer.pad_token_id,
    }
    kind = "Mistral" if "sliding_window" in changes else "Llama"
    config = getattr(transformers, f"{kind}Config")(**(settings | changes))
    torch.manual_seed(3)
    getattr(transformers, f"{kind}ForCausalLM")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _save(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def sliding_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _save(tmp_path_factory.mktemp("sliding"), sliding_window=6)


@pytest.fixture(scope="module")
def loaded(folder: Path) -> ModelRunner:
    return ModelRunner.load(folder, device="cpu", progress=False)


@pytest.fixture(scope="module")
def loaded_sliding(sliding_folder: Path) -> ModelRunner:
    return ModelRunner.load(sliding_folder, device="cpu", progress=False)


@pytest.fixture
def runner(loaded: ModelRunner) -> ModelRunner:
    return loaded.fork()


@pytest.fixture
def sliding(loaded_sliding: ModelRunner) -> ModelRunner:
    return loaded_sliding.fork()


def _recomputed(runner: ModelRunner, token_ids: list[int]) -> np.ndarray:
    """The logits after `token_ids` by one pass without any cache."""
    with torch.inference_mode():
        return runner.model(input_ids=torch.tensor([token_ids]), use_cache=False).logits[0, -1].numpy()


def _ids(runner: ModelRunner) -> list[int]:
    return runner.tokenizer(SENTENCE).input_ids


# ---- Moving forward -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["runner", "sliding"])
def test_every_step_equals_a_pass_without_cache(kind: str, request: pytest.FixtureRequest) -> None:
    runner: ModelRunner = request.getfixturevalue(kind)
    ids = _ids(runner)
    logits = runner.prefill(ids[:4])
    np.testing.assert_allclose(logits, _recomputed(runner, ids[:4]), atol=1e-5)
    for n, token_id in enumerate(ids[4:], start=5):
        logits = runner.forward(token_id)
        assert logits.dtype == np.float32
        assert logits.shape == (runner.vocab_size,)
        np.testing.assert_allclose(logits, _recomputed(runner, ids[:n]), atol=1e-5)
    assert runner.tokens == ids
    assert runner.n_tokens == len(ids)


def test_prefill_in_two_parts_equals_prefill_in_one(runner: ModelRunner) -> None:
    ids = _ids(runner)
    whole = runner.prefill(ids)
    runner.reset()
    runner.prefill(ids[:5])
    np.testing.assert_allclose(runner.prefill(ids[5:]), whole, atol=1e-5)


def test_facts(runner: ModelRunner) -> None:
    assert runner.vocab_size == 608
    assert len(runner.tokenizer) == 600
    assert runner.max_n_tokens == 96
    assert runner.eos_token_ids == [runner.tokenizer.eos_token_id, runner.tokenizer.bos_token_id]
    assert runner.dtype == torch.float32
    assert runner.device.type == "cpu"
    runner.prefill([1])
    assert runner.last_forward_ns > 0


# ---- Going back ---------------------------------------------------------------------------------


def test_rollback_returns_the_very_same_logits(runner: ModelRunner) -> None:
    ids = _ids(runner)
    seen = [runner.prefill(ids[:3])] + [runner.forward(token_id) for token_id in ids[3:]]
    for n_back in (1, 2, 5):
        runner.rollback(n_back)
        del seen[-n_back:]
        np.testing.assert_array_equal(runner.logits_numpy(), seen[-1])
        assert runner.tokens == ids[: len(seen) + 2]


def test_after_rollback_another_way_is_as_if_the_first_had_never_been(runner: ModelRunner) -> None:
    ids = _ids(runner)
    runner.prefill(ids)
    runner.forward(7)
    runner.rollback(4)
    other = runner.forward(11)
    np.testing.assert_allclose(other, _recomputed(runner, [*ids[:-3], 11]), atol=1e-5)


def test_rollback_past_the_kept_logits_reads_the_last_token_again(
    runner: ModelRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_runner, "N_KEPT_LOGITS", 2)
    ids = _ids(runner)
    seen = [runner.forward(token_id) for token_id in ids]
    runner.rollback(6)
    np.testing.assert_allclose(runner.logits_numpy(), seen[-7], atol=1e-6)
    np.testing.assert_allclose(runner.forward(ids[-6]), seen[-6], atol=1e-6)


def test_rollback_into_the_prompt(runner: ModelRunner) -> None:
    ids = _ids(runner)
    runner.prefill(ids)
    runner.rollback(3)
    np.testing.assert_allclose(runner.logits_numpy(), _recomputed(runner, ids[:-3]), atol=1e-5)


def test_rollback_of_a_full_sliding_window_rebuilds_the_cache(sliding: ModelRunner) -> None:
    ids = _ids(sliding)
    assert len(ids) > 12  # twice the window
    before = sliding.prefill(ids)
    for token_id in (5, 6, 7):
        sliding.forward(token_id)
    sliding.rollback(3)
    np.testing.assert_array_equal(sliding.logits_numpy(), before)
    np.testing.assert_allclose(sliding.forward(9), _recomputed(sliding, [*ids, 9]), atol=1e-5)


def test_rollback_of_everything_and_of_too_much(runner: ModelRunner) -> None:
    runner.prefill(_ids(runner)[:4])
    with pytest.raises(SessionError, match="can't take back 5 tokens: 4 have been read"):
        runner.rollback(5)
    with pytest.raises(SessionError):
        runner.rollback(-1)
    assert runner.n_tokens == 4
    runner.rollback(0)
    assert runner.n_tokens == 4
    runner.rollback(4)
    assert runner.tokens == []
    with pytest.raises(SessionError, match="no token has been read"):
        runner.logits_numpy()


# ---- Forks and copies ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["runner", "sliding"])
def test_a_fork_and_its_origin_do_not_touch_each_other(kind: str, request: pytest.FixtureRequest) -> None:
    runner: ModelRunner = request.getfixturevalue(kind)
    ids = _ids(runner)
    at_fork = runner.prefill(ids)
    fork = runner.fork()
    fork.forward(5)
    right, left = runner.forward(9), fork.forward(6)  # both hold one token more than at the fork, but not the same
    assert fork.tokens == [*ids, 5, 6]
    assert runner.tokens == [*ids, 9]
    np.testing.assert_allclose(left, _recomputed(runner, [*ids, 5, 6]), atol=1e-5)
    np.testing.assert_allclose(right, _recomputed(runner, [*ids, 9]), atol=1e-5)
    runner.rollback(1)
    np.testing.assert_array_equal(runner.logits_numpy(), at_fork)
    fork.rollback(2)
    np.testing.assert_array_equal(fork.logits_numpy(), at_fork)


def test_masking_the_returned_logits_leaves_the_kept_ones(runner: ModelRunner) -> None:
    before = runner.prefill(_ids(runner)).copy()
    runner.logits.fill_(-np.inf)
    runner.logits_numpy().fill(-np.inf)
    np.testing.assert_array_equal(runner.logits_numpy(), before)


def test_threads_are_put_back(runner: ModelRunner) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert runner.n_threads == 1
        runner.prefill([1, 2, 3])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


# ---- What is refused, and what a failure leaves behind ------------------------------------------


def test_tokens_the_model_does_not_have(runner: ModelRunner) -> None:
    runner.prefill([1, 2])
    for wrong in (608, -1):
        with pytest.raises(VocabularyError, match=rf"token id {wrong} is not one of .* 608 tokens \(0 to 607\)"):
            runner.prefill([3, wrong])
    with pytest.raises(SessionError, match="no tokens to read"):
        runner.prefill([])
    assert runner.tokens == [1, 2]


def test_more_tokens_than_the_model_reads(runner: ModelRunner) -> None:
    runner.prefill([1] * 96)
    with pytest.raises(LimitError, match="at most 96 tokens; 96 are read and 1 more") as caught:
        runner.forward(1)
    assert "roll back" in caught.value.hint
    assert runner.n_tokens == 96


def test_a_pass_that_dies_half_way_leaves_the_sequence_as_it_was(
    runner: ModelRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = _ids(runner)
    before = runner.prefill(ids)
    expected = runner.fork().forward(5)
    last_layer = runner.model.model.layers[-1]

    def out_of_memory(*_: Any, **__: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(last_layer, "forward", out_of_memory)  # the first layers have grown their caches by then
        with pytest.raises(MemoryError):
            runner.forward(5)
    assert runner.tokens == ids
    np.testing.assert_array_equal(runner.logits_numpy(), before)
    np.testing.assert_allclose(runner.fork().forward(5), expected, atol=1e-5)
    np.testing.assert_allclose(runner.forward(5), expected, atol=1e-5)


def _fail_once(runner: ModelRunner, monkeypatch: pytest.MonkeyPatch, *, on_pass: int, late: bool) -> None:
    """Make pass number `on_pass` (from 1) of the model raise, before it begins or (`late`) when its cache has grown."""
    forward = runner.model.forward
    n_passes = 0

    def raising_once(*args: Any, **kwargs: Any) -> Any:
        nonlocal n_passes
        n_passes += 1
        if n_passes == on_pass and not late:
            raise RuntimeError("CUDA error: out of memory")
        output = forward(*args, **kwargs)
        if n_passes == on_pass:
            raise RuntimeError("CUDA error: out of memory")
        return output

    monkeypatch.setattr(runner.model, "forward", raising_once)


@pytest.mark.parametrize("late", [False, True], ids=["at_once", "late"])
@pytest.mark.parametrize("kind", ["runner", "sliding"])
def test_after_a_pass_that_raised_the_next_gives_the_right_logits(
    kind: str, late: bool, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner: ModelRunner = request.getfixturevalue(kind)
    ids = _ids(runner)
    before = runner.prefill(ids)
    _fail_once(runner, monkeypatch, on_pass=1, late=late)
    with pytest.raises(RuntimeError, match="out of memory"):
        runner.forward(5)
    assert runner.tokens == ids
    np.testing.assert_array_equal(runner.logits_numpy(), before)
    np.testing.assert_allclose(runner.forward(9), _recomputed(runner, [*ids, 9]), atol=1e-5)
    np.testing.assert_allclose(runner.forward(7), _recomputed(runner, [*ids, 9, 7]), atol=1e-5)
    runner.rollback(2)
    np.testing.assert_array_equal(runner.logits_numpy(), before)


@pytest.mark.parametrize("late", [False, True], ids=["at_once", "late"])
def test_a_first_pass_that_raised_leaves_nothing_behind(
    runner: ModelRunner, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = _ids(runner)
    _fail_once(runner, monkeypatch, on_pass=1, late=late)
    with pytest.raises(RuntimeError, match="out of memory"):
        runner.prefill(ids)
    assert runner.tokens == []
    np.testing.assert_allclose(runner.prefill(ids[:4]), _recomputed(runner, ids[:4]), atol=1e-5)


@pytest.mark.parametrize("late", [False, True], ids=["at_once", "late"])
@pytest.mark.parametrize(("kind", "on_pass"), [("runner", 1), ("sliding", 1), ("sliding", 2)])
def test_a_rollback_that_raised_takes_nothing_back(
    kind: str, on_pass: int, late: bool, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner: ModelRunner = request.getfixturevalue(kind)
    ids = _ids(runner)
    before = runner.prefill(ids)  # one pass keeps one row of logits: going back into it reads a token again
    _fail_once(runner, monkeypatch, on_pass=on_pass, late=late)
    with pytest.raises(RuntimeError, match="out of memory"):
        runner.rollback(3)
    assert runner.tokens == ids
    np.testing.assert_array_equal(runner.logits_numpy(), before)
    np.testing.assert_allclose(runner.forward(9), _recomputed(runner, [*ids, 9]), atol=1e-5)
    runner.rollback(4)
    np.testing.assert_allclose(runner.logits_numpy(), _recomputed(runner, ids[:-3]), atol=1e-5)


def test_a_cache_cut_in_some_layers_only_is_not_kept(runner: ModelRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = _ids(runner)
    runner.prefill(ids)
    runner.forward(5)

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner._cache.layers[-1], "crop", interrupted)  # the layers before it are cut by then
    with pytest.raises(KeyboardInterrupt):
        runner.rollback(1)
    assert runner.tokens == [*ids, 5]
    np.testing.assert_allclose(runner.forward(9), _recomputed(runner, [*ids, 5, 9]), atol=1e-5)


# ---- Loading ------------------------------------------------------------------------------------


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(folder: Path) -> None:
    with pytest.raises(DeviceError, match="'cuda' names a GPU") as caught:
        ModelRunner.load(folder, device="cuda")
    assert "device='auto'" in caught.value.hint
    assert ModelRunner.load(folder, device="auto", progress=False).device.type == "cpu"


def test_a_device_and_a_dtype_that_do_not_exist(folder: Path) -> None:
    with pytest.raises(DeviceError, match="'gpu' is not a device"):
        ModelRunner.load(folder, device="gpu")
    with pytest.raises(ModelLoadError, match="'int3' is not a dtype"):
        ModelRunner.load(folder, dtype="int3")


def test_a_dtype_by_name(folder: Path) -> None:
    runner = ModelRunner.load(folder, device="cpu", dtype="bf16", progress=False)
    assert runner.dtype == torch.bfloat16
    assert runner.prefill([1, 2]).dtype == np.float32


def test_folders_that_hold_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelLoadError, match="there is no such folder"):
        ModelRunner.load(tmp_path / "nowhere")
    with pytest.raises(ModelLoadError, match=r"holds no config\.json"):
        ModelRunner.load(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    with pytest.raises(ModelLoadError, match="can't load") as caught:
        ModelRunner.load(tmp_path, progress=False)
    assert "'tiny'" in caught.value.hint


def test_damaged_weights(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelLoadError, match="can't load"):
        ModelRunner.load(tmp_path, progress=False)


def test_an_id_that_is_not_downloaded_while_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: Any, **__: Any) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    for key in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setattr(model_loading.socket, "getaddrinfo", no_network)
    with pytest.raises(ModelLoadError, match="can't load 'no-owner/no-model': offline") as caught:
        ModelRunner.load("no-owner/no-model", progress=False)
    assert "HF_HOME" in caught.value.hint
    with pytest.raises(ModelLoadError, match="local_files_only forbids the network"):
        ModelRunner.load("no-owner/no-model", local_files_only=True, progress=False)


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelLoadError, match="torch") as caught:
        ModelRunner.load("tiny")
    assert "pip install xg2lab[hf]" in caught.value.hint


def test_the_module_imports_neither_torch_nor_transformers() -> None:
    code = "import sys, xg2lab.lab.model.model_runner; print({'torch', 'transformers'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_tiny_model_steps() -> None:
    runner = ModelRunner.tiny()
    assert runner.name == "tiny"
    runner.prefill(_ids(runner))
    before = runner.logits_numpy()
    runner.forward(int(before.argmax()))
    runner.rollback()
    np.testing.assert_array_equal(runner.logits_numpy(), before)
    assert runner.vocab_size == len(runner.tokenizer) == 2048
    assert [runner.tokenizer.decode([token_id]) for token_id in runner.eos_token_ids] == ["<|im_end|>", "<|endoftext|>"]
