"""The batch against the model alone: whatever joins and leaves, the logits are those of each sequence by itself."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
import torch

from xg2lab.integrations.serve.batch import Batch
from xg2lab.integrations.serve.sampling import Sampling, adjust, choose, log_probabilities
from xg2lab.lab.model.model_runner import ModelRunner


def alone(runner: ModelRunner, ids: list[int]) -> torch.Tensor:
    return Batch(runner.model, 1).join([ids])[0]


@pytest.mark.parametrize("is_joint", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_sequences_join_and_leave(runner: ModelRunner, is_joint: bool, seed: int) -> None:
    draw = random.Random(seed)
    batch = Batch(runner.model, 1)
    assert batch.is_joint
    batch.is_joint = is_joint
    rows: list[list[int]] = []
    for _ in range(12):
        if len(rows) < 2 or draw.random() < 0.4:
            length, n = draw.randrange(1, 9), draw.randrange(1, 3)
            prompts = [[draw.randrange(2000) for _ in range(length)] for _ in range(n)]
            copies = [draw.randrange(1, 3) for _ in range(n)]
            logits = batch.join(prompts, copies)
            added = [list(prompt) for prompt, count in zip(prompts, copies, strict=True) for _ in range(count)]
            rows += added
            checked = added
        elif draw.random() < 0.3:
            kept = sorted(draw.sample(range(len(rows)), draw.randrange(1, len(rows) + 1)))
            batch.keep(kept)
            rows = [rows[place] for place in kept]
            continue
        else:
            tokens = [draw.randrange(2000) for _ in rows]
            logits = batch.step(tokens)
            for row, token_id in zip(rows, tokens, strict=True):
                row.append(token_id)
            checked = rows
        assert batch.lengths == [len(row) for row in rows]
        assert batch.n_columns == max(map(len, rows))  # I2
        for place, row in enumerate(checked):
            torch.testing.assert_close(logits[place], alone(runner, row), rtol=1e-3, atol=1e-3)
    batch.keep([])
    assert (batch.lengths, batch.n_columns) == ([], 0)


def test_a_model_whose_cache_is_no_plain_one_is_read_by_itself(runner: ModelRunner, monkeypatch: Any) -> None:
    from xg2lab.integrations.serve import batch as module

    monkeypatch.setattr(module, "_is_plain", lambda cache: False)
    assert not Batch(runner.model).is_joint


# ---- Drawing ------------------------------------------------------------------------------------


def test_a_forbidden_token_is_never_drawn() -> None:
    draw = random.Random(0)
    generator = torch.Generator().manual_seed(0)
    for _ in range(200):
        logits = torch.randn((3, 50), generator=generator) * 20
        forbidden = torch.rand((3, 50), generator=generator) < 0.9
        forbidden[:, 7] = False
        logits[forbidden] = float("-inf")
        samplings = [Sampling(0.0), Sampling(draw.uniform(0.01, 2)), Sampling(1.0, top_p=draw.random())]
        drawn = choose(logits, samplings, [draw.choice([0.0, 0.5, 1 - 2**-53]) for _ in range(3)])
        assert not any(bool(forbidden[row, token_id]) for row, token_id in enumerate(drawn))


def test_tokens_are_drawn_by_their_probabilities() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.2]]))
    n = 3000
    whole = Counter(choose(logits, [Sampling()], [(place + 0.5) / n])[0] for place in range(n))
    assert [whole[token_id] / n for token_id in range(3)] == pytest.approx([0.5, 0.3, 0.2], abs=2e-3)
    cut = Counter(choose(logits, [Sampling(top_p=0.7)], [(place + 0.5) / n])[0] for place in range(n))
    assert [cut[token_id] / n for token_id in range(3)] == pytest.approx([0.625, 0.375, 0], abs=2e-3)
    assert choose(logits, [Sampling(top_p=0.0)], [0.99]) == [0]


def test_penalties_follow_counts() -> None:
    logits = torch.zeros(4)
    adjust(logits, Sampling(frequency_penalty=0.5, presence_penalty=1.0, logit_bias={3: -2.0}), Counter([1, 1, 3]))
    assert logits.tolist() == [0.0, -2.0, 0.0, -3.5]


def test_log_probabilities_sum_to_one() -> None:
    logits = torch.randn(20, generator=torch.Generator().manual_seed(1))
    chosen, top = log_probabilities(logits, 4, 20)
    assert sum(torch.tensor([value for _, value in top]).exp().tolist()) == pytest.approx(1.0)
    assert dict(top)[4] == chosen
