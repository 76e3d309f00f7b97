"""Where training starts: random weights, and two attention heads that can copy from the first step on.

To copy `Tromso` (tokens T, rom, so) a model must find where it stood, one token further each time. That takes two
heads, one above the other, known as an induction head:

    layer 0, head 0   looks at the position before and notes down which token is there
    layer 1, head 0   looks for the position whose note is the token just read, and repeats the token found there

Left to chance, a model of this size needs more steps to discover the pair than our whole training has: it learns which
words to repeat and garbles their order. So the pair is planted. Training then sharpens, uses or overwrites it.

TRICK   A query and a key that don't depend on the token: coordinate 0 of every embedding is the same constant, and
        the two heads' weights in layer 0 read that alone. With rotary embeddings the score of such a pair depends on
        the distance only, and is highest at distance one if the key is the query turned by one position.

*Shapes.* `n_dims` coordinates a head; rotary embeddings turn the pairs `(f, f + n_dims / 2)`, fast for small `f`. Fast
pairs tell neighbours apart (layer 0); slow ones compare tokens across a distance (layer 1).
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import LlamaForCausalLM

__all__ = ["plant_copying"]

#: Pairs that tell neighbours apart, and the first of the pairs that compare tokens.
N_FAST_PAIRS, FIRST_SLOW_PAIR = 6, 5
#: Found by looking at the planted heads' attention: strong enough to be seen by the first
#: gradients.
CONSTANT, NEIGHBOUR, NOTE, COMPARE, REPEAT, FINAL_NORM = 4.0, 1.6, 0.1, 2.0, 0.3, 3.0


def plant_copying(model: LlamaForCausalLM, seed: int) -> None:
    """Overwrite head 0 of layers 0 and 1 (queries, keys, values, output) and coordinate 0 of the embeddings."""
    config = model.config
    n_hidden, n_dims = config.hidden_size, config.hidden_size // config.num_attention_heads
    layers: Any = model.model.layers
    first, second = layers[0].self_attn, layers[1].self_attn
    token, note, repeated = _subspaces(3, n_dims, n_hidden, seed)
    with torch.no_grad():
        model.model.embed_tokens.weight[:, 0] = CONSTANT * config.initializer_range
        model.model.norm.weight.fill_(FINAL_NORM)  # the embeddings are short: else no token could get a high score

        query, key = _neighbour_pair(model.model.rotary_emb.inv_freq)
        first.q_proj.weight[:n_dims] = 0
        first.k_proj.weight[:n_dims] = 0
        first.q_proj.weight[:n_dims, 0] = query
        first.k_proj.weight[:n_dims, 0] = key
        first.v_proj.weight[:n_dims] = token
        first.o_proj.weight[:, :n_dims] = NOTE * note.T

        is_slow = (torch.arange(n_dims) % (n_dims // 2) >= FIRST_SLOW_PAIR).float().unsqueeze(1)
        second.q_proj.weight[:n_dims] = COMPARE * is_slow * token
        second.k_proj.weight[:n_dims] = COMPARE * is_slow * note
        second.v_proj.weight[:n_dims] = repeated
        second.o_proj.weight[:, :n_dims] = REPEAT * repeated.T


def _subspaces(n: int, n_dims: int, n_hidden: int, seed: int) -> tuple[torch.Tensor, ...]:
    """`n` matrices of `n_dims` orthonormal rows, orthogonal to each other and to coordinate 0."""
    noise = torch.randn(n_hidden - 1, n * n_dims, generator=torch.Generator().manual_seed(seed))
    rows = torch.linalg.qr(noise).Q.T
    return torch.cat([torch.zeros(n * n_dims, 1), rows], dim=1).split(n_dims)


def _neighbour_pair(turn_per_position: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A query, and the key that suits it best one position earlier: the query turned by one position."""
    fast = NEIGHBOUR * (torch.arange(len(turn_per_position)) < N_FAST_PAIRS).float()
    query = torch.cat([fast, torch.zeros_like(fast)])
    key = torch.cat([fast * torch.cos(turn_per_position), fast * torch.sin(turn_per_position)])
    return query, key
