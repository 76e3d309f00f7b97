"""The tiny model as a GGUF file, which llama.cpp loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from xg2lab.tiny import tiny_model_path

NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
NORMAL, CONTROL, UNUSED = 1, 3, 5


def gguf_name(name: str) -> str:
    """llama.cpp's name of a tensor.

    >>> gguf_name("model.layers.3.self_attn.q_proj.weight")
    'blk.3.attn_q.weight'
    """
    stem = name.removesuffix(".weight")
    if stem in NAMES:
        return f"{NAMES[stem]}.weight"
    layer, _, part = stem.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{NAMES[part]}.weight"


def with_pairs_side_by_side(weight: Any, n_heads: int) -> Any:
    """Rows of a head in llama.cpp's order: it rotates neighbours, transformers the two halves."""
    rows, columns = weight.shape
    return weight.reshape(n_heads, 2, rows // n_heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def write_tiny_gguf(path: Path) -> None:
    """Write weights and tokenizer of the tiny model."""
    import gguf
    from safetensors.numpy import load_file

    folder = Path(tiny_model_path())
    config = json.loads((folder / "config.json").read_text("utf-8"))
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    n_heads, n_key_heads = config["num_attention_heads"], config["num_key_value_heads"]

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(n_heads)
    writer.add_head_count_kv(n_key_heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])

    tokens = [f"[unused{index}]" for index in range(config["vocab_size"])]
    kinds = [UNUSED] * len(tokens)
    for text, index in tokenizer["model"]["vocab"].items():
        tokens[index], kinds[index] = text, NORMAL
    for added in tokenizer["added_tokens"]:
        tokens[added["id"]], kinds[added["id"]] = added["content"], CONTROL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"][0])
    writer.add_add_bos_token(False)
    writer.add_chat_template((folder / "chat_template.jinja").read_text("utf-8"))

    for name, weight in load_file(folder / "model.safetensors").items():
        if name.endswith("norm.weight"):
            weight = weight.astype(np.float32)
        if "q_proj" in name or "k_proj" in name:
            weight = with_pairs_side_by_side(weight, n_heads if "q_proj" in name else n_key_heads)
        writer.add_tensor(gguf_name(name), np.ascontiguousarray(weight))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
