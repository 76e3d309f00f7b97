"""Train the tiny model: `python -m xg2lab.tiny.training.train --out DIR` writes `DIR/tiny` and `DIR/tiny_early`.

Everything is made on the way: the corpus is an endless stream, no example comes twice, so there is nothing to
download and nothing to learn by heart. The run uses one thread, logs a row every 50 steps to `DIR/training_log.csv`
and keeps a checkpoint in `DIR/checkpoint.pt`; the same command picks up where it was stopped.

*Shapes and units.* A batch is `BATCH_SIZE` documents padded on the right to the longest. Some batches are one
conversation instead: documents one after the other, up to `N_POSITIONS` tokens, so that the model keeps the format
however much text stands before a request. The model can't read a text that is longer than every text of its training.
The loss counts every token of the completions and a random `PROMPT_SHARE` of the prompts' tokens: enough to learn what
requests look like, without spending the model on names that nobody could foresee.

See also `corpus.py` (the text), `tokenizer.py`, `evaluate.py` (failure rates).
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
from torch.nn import functional
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from xg2lab.support.files import write_file
from xg2lab.tiny.training.corpus import document, examples
from xg2lab.tiny.training.initial import plant_copying
from xg2lab.tiny.training.tokenizer import END_OF_TEXT, N_POSITIONS, TURN_END, learn

BATCH_SIZE = 16
#: Documents are drawn in chunks and sorted by length within a chunk, so that batches need little
#: padding. So many batches of a chunk are documents beside each other, and so many conversations.
N_BESIDE, N_CONVERSATIONS = 24, 4
BATCHES_IN_CHUNK = N_BESIDE + N_CONVERSATIONS
IN_CONVERSATION = 32
PROMPT_SHARE = 0.15
N_WARMUP_STEPS = 200
LOG_EVERY, SAVE_EVERY = 50, 250


@dataclass(frozen=True)
class Plan:
    """What decides the outcome of a training run."""

    n_steps: int = 3000
    early_step: int = 400
    learning_rate: float = 2e-3
    decay_share: float = 0.6
    seed: int = 20


# ---- Data: documents become batches -------------------------------------------------------------


def _tokens(tokenizer: PreTrainedTokenizerFast, chunk_seed: int) -> list[tuple[list[int], int]]:
    """The documents of a chunk as token ids, each with the number of tokens of its prompt."""
    n_documents = N_BESIDE * BATCH_SIZE + N_CONVERSATIONS * IN_CONVERSATION
    documents = [document(example) for example in islice(examples(chunk_seed), n_documents)]
    prompts = tokenizer([prompt for prompt, _ in documents]).input_ids
    completions = tokenizer([completion + TURN_END for _, completion in documents]).input_ids
    return [(a + b, len(a)) for a, b in zip(prompts, completions, strict=True)]


def _rows(documents: list[tuple[list[int], int]]) -> list[tuple[list[int], list[int]]]:
    """Documents as token ids and parts: 1 for a token of a prompt, 2 for one of a completion."""
    return [(ids, [1] * n_prompt + [2] * (len(ids) - n_prompt)) for ids, n_prompt in documents]


def conversation(rows: Sequence[tuple[list[int], list[int]]]) -> tuple[list[int], list[int]]:
    """Documents one after the other, as far as the model reads."""
    ids = [token_id for row, _ in rows for token_id in row]
    parts = [part for _, row in rows for part in row]
    return ids[:N_POSITIONS], parts[:N_POSITIONS]


def batches(tokenizer: PreTrainedTokenizerFast, seed: int, first: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Batch number `first` and all after it: token ids, and 0 (padding), 1 (prompt) or 2 (completion) for each."""
    pad = tokenizer.get_vocab()[END_OF_TEXT]
    for chunk in range(first // BATCHES_IN_CHUNK, 10**9):
        order = random.Random(seed * 1_000_003 + chunk)
        rows = sorted(_rows(_tokens(tokenizer, order.getrandbits(48))), key=lambda row: len(row[0]))
        every = len(rows) // (N_CONVERSATIONS * IN_CONVERSATION)
        joined = rows[::every]  # of all lengths
        order.shuffle(joined)
        del rows[::every]
        made = [[conversation(joined[k::N_CONVERSATIONS])] for k in range(N_CONVERSATIONS)]
        made += [rows[k : k + BATCH_SIZE] for k in range(0, len(rows), BATCH_SIZE)]
        order.shuffle(made)
        for batch in made[first % BATCHES_IN_CHUNK if chunk == first // BATCHES_IN_CHUNK else 0 :]:
            width = max(len(ids) for ids, _ in batch)
            ids = torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in batch])
            part = torch.tensor([parts + [0] * (width - len(parts)) for _, parts in batch])
            yield ids, part


# ---- Model and loss -----------------------------------------------------------------------------


def new_model(tokenizer: PreTrainedTokenizerFast, seed: int) -> LlamaForCausalLM:
    """A Llama of two million parameters with fresh weights: random ones, and two heads that can copy."""
    torch.manual_seed(seed)
    turn_end, text_end = (tokenizer.get_vocab()[piece] for piece in (TURN_END, END_OF_TEXT))
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=6,
        num_key_value_heads=2,
        max_position_embeddings=N_POSITIONS,
        tie_word_embeddings=True,
        bos_token_id=text_end,
        eos_token_id=[turn_end, text_end],
        pad_token_id=text_end,
    )
    model = LlamaForCausalLM(config)
    plant_copying(model, seed)
    model.generation_config = GenerationConfig(
        bos_token_id=text_end,
        eos_token_id=[turn_end, text_end],
        pad_token_id=text_end,
        max_new_tokens=128,
    )
    return model


def losses(model: LlamaForCausalLM, ids: torch.Tensor, part: torch.Tensor) -> tuple[torch.Tensor, float, float]:
    """The loss to follow, and its mean over the completions' tokens and over those drawn from the prompts."""
    target, kind = ids[:, 1:], part[:, 1:]
    counted = (kind == 2) | ((kind == 1) & (torch.rand(kind.shape) < PROMPT_SHARE))
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1][counted]
    each = functional.cross_entropy(model.lm_head(hidden), target[counted], reduction="none")
    is_completion = kind[counted] == 2
    return each.mean(), each[is_completion].mean().item(), each[~is_completion].mean().item()


def optimizer_for(model: LlamaForCausalLM, plan: Plan) -> torch.optim.AdamW:
    """AdamW; weight decay for matrices alone."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=plan.learning_rate, betas=(0.9, 0.95), fused=True)


def learning_rate(plan: Plan, step: int) -> float:
    """Warm up, stay, then fall to zero in a straight line over the last `decay_share` of the steps."""
    warm = min(1.0, (step + 1) / N_WARMUP_STEPS)
    fall = min(1.0, (plan.n_steps - step) / (plan.decay_share * plan.n_steps))
    return plan.learning_rate * warm * fall


# ---- The run ------------------------------------------------------------------------------------


def export(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write a checkpoint as half-precision safetensors with its tokenizer. The model itself stays as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = LlamaForCausalLM(model.config)
    copy.load_state_dict(model.state_dict())
    copy.generation_config = model.generation_config
    copy.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def run(out: Path, plan: Plan) -> None:
    """Train to the end of the plan, from `out/checkpoint.pt` where there is one."""
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = learn()
    model = new_model(tokenizer, plan.seed)
    optimizer = optimizer_for(model, plan)
    step, seconds, checkpoint = 0, 0.0, out / "checkpoint.pt"
    if checkpoint.is_file():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        step, seconds = state["step"], state["seconds"]
        _forget_after(out / "training_log.csv", step)
    n_parameters = sum(p.numel() for p in model.parameters())
    print(f"{n_parameters} parameters, from step {step}, {asdict(plan)}", flush=True)

    model.train()
    begun = time.perf_counter() - seconds
    sums = [0.0, 0.0]
    for ids, part in islice(batches(tokenizer, plan.seed, step), plan.n_steps - step):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(plan, step)
        loss, completion, prompt = losses(model, ids, part)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        sums = [sums[0] + completion, sums[1] + prompt]
        if step % LOG_EVERY == 0:
            row = [step, *(f"{total / LOG_EVERY:.4f}" for total in sums), f"{time.perf_counter() - begun:.0f}"]
            _log(out / "training_log.csv", row)
            sums = [0.0, 0.0]
        if step == plan.early_step:
            export(model, tokenizer, out / "tiny_early")
        if step % SAVE_EVERY == 0 or step == plan.n_steps:
            _save(checkpoint, model, optimizer, step, time.perf_counter() - begun)
    export(model, tokenizer, out / "tiny")
    print(f"done after {time.perf_counter() - begun:.0f} s", flush=True)


def _forget_after(path: Path, step: int) -> None:
    """Drop the rows that a stopped run logged after its last checkpoint: they will be logged again."""
    if path.is_file():
        head, *rows = path.read_text().splitlines(keepends=True)
        write_file(path, head + "".join(row for row in rows if int(row.split(",")[0]) <= step))


def _log(path: Path, row: Sequence[object]) -> None:
    is_new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(["step", "completion_loss", "prompt_loss", "seconds"])
        writer.writerow(row)
    print(*row, flush=True)


def _save(path: Path, model: LlamaForCausalLM, optimizer: torch.optim.AdamW, step: int, seconds: float) -> None:
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "seconds": seconds}
    torch.save({**state, "random": torch.get_rng_state()}, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Train the tiny model.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the models, the log and the checkpoint")
    parser.add_argument("--steps", type=int, default=Plan.n_steps)
    parser.add_argument("--early-step", type=int, default=Plan.early_step)
    parser.add_argument("--seed", type=int, default=Plan.seed)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    run(arguments.out, Plan(arguments.steps, arguments.early_step, seed=arguments.seed))


if __name__ == "__main__":
    main()
