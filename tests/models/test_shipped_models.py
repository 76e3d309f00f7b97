"""The shipped checkpoints: complete, small enough for the wheel, and able to do what their card says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from xg2lab.errors import ModelLoadError
from xg2lab.tiny import FORMATS, MODEL_NAMES, example_requests, prompt, tiny_model_path
from xg2lab.tiny.formats import read

MAX_BYTES = 8_500_000
FILES = ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def test_the_files_are_there_and_small() -> None:
    folders = [tiny_model_path(name) for name in MODEL_NAMES]
    for folder in folders:
        assert {path.name for path in folder.iterdir()} >= set(FILES)
    assert sum(path.stat().st_size for folder in folders for path in folder.iterdir()) < MAX_BYTES


@pytest.mark.parametrize("name", MODEL_NAMES)
def test_weights_are_half_precision_and_fit_the_config(name: str) -> None:
    """Read without torch: a safetensors file begins with the length of its JSON header."""
    path = tiny_model_path(name)
    data = (path / "model.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    tensors = {key: value for key, value in header.items() if key != "__metadata__"}
    config = json.loads((path / "config.json").read_text())
    assert {value["dtype"] for value in tensors.values()} == {"F16"}
    assert tensors["model.embed_tokens.weight"]["shape"] == [config["vocab_size"], config["hidden_size"]]
    assert "lm_head.weight" not in tensors  # tied


def test_names_that_do_not_ship() -> None:
    for name in ("huge", "training", "../models/tiny"):
        with pytest.raises(ModelLoadError, match="ships with xg2lab") as caught:
            tiny_model_path(name)
        assert "tiny, tiny_early" in caught.value.hint


def test_the_package_is_light() -> None:
    code = (
        "import sys, xg2lab.tiny as m; m.tiny_model_path(); m.grammar_for('qwen');"
        "print({'torch', 'transformers', 'tokenizers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_card_is_beside_the_model() -> None:
    card = (Path(tiny_model_path()) / "README.md").read_text()
    for word in ("Data", "Architecture", "Tokenizer", "Training", "without constraint"):
        assert word in card


@pytest.mark.parametrize("format", FORMATS)
def test_greedy_answers_to_held_out_requests_keep_the_format(format: str) -> None:
    pytest.importorskip("torch")
    np = pytest.importorskip("numpy")
    from xg2lab.lab.model.model_runner import ModelRunner
    from xg2lab.tiny.training.evaluate import answer, unconstrained

    runner = ModelRunner.tiny()
    for request in example_requests(format):
        text = answer(runner, prompt(request, format), 0.0, np.random.default_rng(0), unconstrained())
        assert text is not None, request
        read(format, text)
