"""Count how often a model keeps the format: `python -m xg2lab.tiny.training.evaluate --model tiny`.

For each format and temperature, `n` requests whose words the training text never holds are answered, with or without
(`--constrained`) the grammar of the format. An answer is

- *well-formed* if it ends by itself and `formats.read` takes it,
- of the *right tool* if, besides, it calls the tool (or extracts the record) that was asked for,
- *exact* if, besides, every value is the right one.

A grammar can only help with the first: it knows what an answer looks like, not what was asked.

With `--before 1800`, other requests and their answers stand before each request, about so many tokens of them: the
format must be kept far from the beginning, too.

*Shapes and units.* Rates are percentages of `n`. The same seed draws the same requests for every model, and the same
random numbers for sampling. An answer of `MAX_N_TOKENS` tokens without an end counts as not well-formed.

See also `corpus.py` (`draw(..., held_out=True)`) and `xg2lab/lab/model/model_runner.py`.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import cast

import numpy as np
import torch

from xg2lab.lab.model.model_runner import ModelRunner
from xg2lab.lab.model.tokenizer import Decoder
from xg2lab.support.files import write_file
from xg2lab.tiny import FORMATS, grammar_for
from xg2lab.tiny.formats import FormatError, read
from xg2lab.tiny.training.corpus import Example, document, draw
from xg2lab.tiny.training.tokenizer import TURN_END

MAX_N_TOKENS = 128
TEMPERATURES = (0.0, 1.0, 1.3)

#: Takes the logits of a step, may forbid tokens in place. Another one, told which token was chosen.
Mask = Callable[[torch.Tensor], None]
Chosen = Callable[[int], None]


@dataclass(frozen=True)
class Rates:
    """The outcome for one format at one temperature, in percent of `n` requests."""

    format: str
    temperature: float
    n: int
    well_formed: float
    right_tool: float
    exact: float


# ---- Answering one request ----------------------------------------------------------------------


def sample(logits: np.ndarray, temperature: float, rng: np.random.Generator) -> int:
    """The likeliest token at temperature 0, else one drawn from the softmax of `logits / temperature`."""
    if temperature == 0:
        return int(logits.argmax())
    scaled = logits.astype(np.float64) / temperature
    weights = np.exp(scaled - scaled.max())
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def answer(
    runner: ModelRunner, prompt: str, temperature: float, rng: np.random.Generator, constraint: tuple[Mask, Chosen]
) -> str | None:
    """The model's answer to `prompt`, or None where it does not end within `MAX_N_TOKENS`."""
    mask, chosen = constraint
    runner.reset()
    runner.prefill(runner.tokenizer(prompt).input_ids)
    answered: list[int] = []
    for _ in range(MAX_N_TOKENS):
        logits = runner.logits
        mask(logits)
        token_id = sample(logits.cpu().numpy(), temperature, rng)
        chosen(token_id)
        if token_id in runner.eos_token_ids:
            return cast("Decoder", runner.tokenizer).decode(answered)
        answered.append(token_id)
        runner.forward(token_id)
    return None


def unconstrained() -> tuple[Mask, Chosen]:
    """No constraint: every token is allowed."""
    return (lambda _logits: None), (lambda _token_id: None)


def constraint_of(runner: ModelRunner) -> Callable[[str], tuple[Mask, Chosen]]:
    """For a format, a fresh constraint by its grammar. Grammars are compiled once."""
    import xg2lab as xgr

    info = xgr.TokenizerInfo.from_huggingface(
        runner.tokenizer, vocab_size=runner.vocab_size, stop_token_ids=runner.eos_token_ids
    )
    compiler = xgr.GrammarCompiler(info)
    compiled = {name: compiler.compile_grammar(grammar_for(name)) for name in FORMATS}
    bitmask = xgr.allocate_token_bitmask(1, runner.vocab_size)

    def fresh(format: str) -> tuple[Mask, Chosen]:
        matcher = xgr.GrammarMatcher(compiled[format])

        def mask(logits: torch.Tensor) -> None:
            if matcher.fill_next_token_bitmask(bitmask):
                xgr.apply_token_bitmask_inplace(logits.unsqueeze(0), bitmask)

        def chosen(token_id: int) -> None:
            if not matcher.accept_token(token_id):
                raise AssertionError(f"the mask allowed token {token_id} and the matcher rejects it")

        return mask, chosen

    return fresh


def conversation(runner: ModelRunner, requests: random.Random, n_tokens: int) -> str:
    """Other requests with their right answers, as many as `n_tokens` have room for."""
    text, n_left = "", n_tokens
    while True:
        more = "".join(document(draw(requests))) + TURN_END
        n_left -= len(runner.tokenizer(more).input_ids)
        if n_left < 0:
            return text
        text += more


# ---- Counting -----------------------------------------------------------------------------------


def verdict(example: Example, text: str | None) -> tuple[bool, bool, bool]:
    """Whether an answer is well-formed, of the right tool, exact: each implies the one before."""
    if text is None:
        return False, False, False
    try:
        said = read(example.format, text)
    except FormatError:
        return False, False, False
    return True, said.name == example.answer.name, said == example.answer


def evaluate(
    runner: ModelRunner,
    format: str,
    temperature: float,
    *,
    n: int = 100,
    seed: int = 5,
    n_before: int = 0,
    constraint: Callable[[str], tuple[Mask, Chosen]] | None = None,
) -> Rates:
    """The rates of one format at one temperature over `n` held-out requests, each after `n_before` tokens of others."""
    requests, sampling = random.Random(f"{seed} {format}"), np.random.default_rng(seed)
    counts = np.zeros(3)
    for _ in range(n):
        example = draw(requests, format=format, held_out=True)
        prompt = conversation(runner, requests, n_before) + document(example)[0]
        limits = constraint(format) if constraint else unconstrained()
        counts += verdict(example, answer(runner, prompt, temperature, sampling, limits))
    return Rates(format, temperature, n, *(100 * counts / n).tolist())


def table(rows: Iterable[Rates]) -> str:
    """The rates as a Markdown table."""
    lines = ["| format | temperature | n | well-formed % | right tool % | exact % |", "|---|---|---|---|---|---|"]
    lines.extend(
        f"| {row.format} | {row.temperature} | {row.n} "
        f"| {row.well_formed:.1f} | {row.right_tool:.1f} | {row.exact:.1f} |"
        for row in rows
    )
    return "\n".join(lines)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Count how often a model keeps the format.")
    parser.add_argument("--model", default="tiny", help="tiny, tiny_early, or a folder that the training wrote")
    parser.add_argument("--n", type=int, default=100, help="requests for each format and temperature")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--temperatures", nargs="+", type=float, default=list(TEMPERATURES))
    parser.add_argument(
        "--before", type=int, default=0, help="tokens of other requests and answers before each request"
    )
    parser.add_argument("--constrained", action="store_true", help="mask every step by the grammar of the format")
    parser.add_argument("--csv", type=Path, help="write the rates there, too")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    runner = ModelRunner.load(arguments.model, device="cpu", progress=False)
    constraint = constraint_of(runner) if arguments.constrained else None
    rows = [
        evaluate(
            runner,
            name,
            temperature,
            n=arguments.n,
            seed=arguments.seed,
            n_before=arguments.before,
            constraint=constraint,
        )
        for name in arguments.formats
        for temperature in arguments.temperatures
    ]
    print(table(rows))
    if arguments.csv:
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow([field.name for field in fields(Rates)])
        writer.writerows(astuple(row) for row in rows)
        write_file(arguments.csv, text.getvalue())


if __name__ == "__main__":
    main()
