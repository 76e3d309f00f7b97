"""Other models than the tiny one, from a folder: a plain cache, and one of sliding windows, which can't be joined."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GPT2Config, MistralConfig, PreTrainedConfig, Qwen2Config

from tests.integrations.serve.conftest import ask
from xg2lab.integrations.serve.hosting import hosted
from xg2lab.integrations.serve.options import ServeOptions
from xg2lab.lab.model.model_runner import ModelRunner

SIZES: dict[str, Any] = {
    "vocab_size": 2048,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "bos_token_id": 2034,
    "eos_token_id": 2036,
}
CONFIGS: dict[str, tuple[PreTrainedConfig, bool]] = {
    "qwen2": (Qwen2Config(**SIZES), True),
    "mistral": (MistralConfig(**SIZES, sliding_window=8), False),
    "gpt2": (GPT2Config(vocab_size=2048, n_embd=32, n_layer=2, n_head=4, bos_token_id=2034, eos_token_id=2036), True),
}


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_a_model_from_a_folder(name: str, runner: ModelRunner, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    config, is_joint = CONFIGS[name]
    torch.manual_seed(1)
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    runner.tokenizer.save_pretrained(tmp_path)  # type: ignore[attr-defined]
    alone = ModelRunner.load(str(tmp_path), device="cpu", progress=False)
    prompts = ["What is the weather", "Find flights from Nairobi to Montreal", "a"]
    wanted: list[list[int]] = []
    for prompt in prompts:
        alone.reset()
        logits = alone.prefill(alone.tokenizer(prompt).input_ids)
        ids: list[int] = []
        while len(ids) < 20 and (not ids or ids[-1] != 2036):
            ids.append(int(logits.argmax()))
            logits = alone.forward(ids[-1])
        wanted.append(ids)
    with hosted(ServeOptions(port=0, model=str(tmp_path), device="cpu", served_name="mine")) as host:
        assert host.server.scheduler._batch.is_joint == is_joint
        body: dict[str, Any] = {"model": "mine", "prompt": prompts, "temperature": 0, "max_tokens": 20}
        texts = [choice["text"] for choice in ask(host, "/v1/completions", body).json["choices"]]
        tokens = host.server.served.tokenizer_info.decoded_vocab
        said = [b"".join(tokens[each] for each in ids if each != 2036).decode("utf-8", "replace") for ids in wanted]
        assert texts == said
        body |= {"n": 2, "structured_outputs": {"regex": "[0-9]{3}"}, "temperature": 1, "seed": 4}
        texts = [choice["text"] for choice in ask(host, "/v1/completions", body).json["choices"]]
        assert len(texts) == 6
        assert all(re.fullmatch("[0-9]{3}", text) for text in texts)
