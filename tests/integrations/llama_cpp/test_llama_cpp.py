"""The processor in llama-cpp-python's own loop, where an environment has it: XG2LAB_LLAMA_CPP_PYTHON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.integrations.elsewhere import python_with, run_there
from tests.integrations.llama_cpp.tiny_gguf import gguf_name, with_pairs_side_by_side


@pytest.mark.slow
def test_scenarios_with_llama_cpp(tmp_path: Path):
    said = run_there(python_with("llama_cpp"), "tests.integrations.llama_cpp.scenarios", tmp_path)
    assert said.stdout.strip(), said.stderr
    assert json.loads(said.stdout.splitlines()[-1])["failed"] == {}


def test_each_tensor_has_a_name_of_its_own():
    from safetensors import safe_open

    from xg2lab.tiny import tiny_model_path

    with safe_open(Path(tiny_model_path()) / "model.safetensors", "np") as weights:
        names = [gguf_name(name) for name in weights.keys()]  # noqa: SIM118 (no dict)
    assert len(set(names)) == len(names)
    assert {"token_embd.weight", "output_norm.weight", "blk.3.ffn_down.weight"} <= set(names)


def test_halves_become_neighbours():
    rows = np.arange(8).reshape(8, 1)
    assert with_pairs_side_by_side(rows, 2).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
