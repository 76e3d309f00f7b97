"""A batch of sequences with and without a grammar: time of a token and of the first one, the kernel's, a Session's.

    python -m benchmarks serving

On a GPU: random Llamas of the shapes of 1B and 8B in bfloat16. Where there is none, it says so, and measures the same
on the CPU with the model that ships. Each row of a batch reads a JSON text of its own, in each way the same tokens:

    free     forward pass, pick
    after    forward pass, then fill the batch's masks, copy, apply, pick, accept
    beside   fill and copy while the forward pass runs, then apply, pick, accept

On the CPU the passes run in a thread of their own; only `beside` does something meanwhile.

`token_ms_p50` is one turn of the loop for the whole batch, `over_free_percent` its median over that of `free`;
`first_ms_median` begins with nothing compiled and ends with the first pick. Ways take turns, `STRETCH` tokens each.

Rows with `what` = apply: the bitmask applied to `batch` rows of logits on the device. `limit_us` is the time in which
the logits could be written once at the bandwidth of a large copy on the same device (`bandwidth_gb_s`, both ways
counted). Rows with `what` = session: a stepping `Session`, everything recorded; `step_ms_p50` and, of it, the model's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from benchmarks import record
from benchmarks.overlap import SHAPES, Words, large_words, random_llama, tiny
from benchmarks.texts import JSON_EBNF, json_text

WAYS = ("free", "after", "beside")
BATCHES = (1, 16, 64)
N_TOKENS = 64
STRETCH = 8
N_FIRST = 4
N_PROMPT = 128
N_BYTES = 400  # of each text: more than enough for so many tokens
N_STEPS = 40
N_CALLS = 50
N_COPIED = 1 << 28  # bytes, far beyond any cache

Spell = Callable[[str], list[int]]


def run() -> list[record.Figures]:
    try:
        import torch
        import transformers  # noqa: F401  # pyright: ignore[reportUnusedImport] (asked for here, to say its absence)
    except ImportError as error:
        raise SystemExit(f"serving needs torch and transformers: {error}") from error
    rows: list[record.Figures] = []
    with torch.inference_mode():
        for runner, words, spell in models(torch):
            texts = [spell(json_text(1200, seed)[:N_BYTES]) for seed in range(max(BATCHES))]
            for batch in BATCHES:
                rows += decoding(runner, words, texts[:batch])
            rows += [applying(runner, words, batch) for batch in BATCHES]
            rows.append(stepping(runner, words))
    return rows


def models(torch: Any) -> Generator[tuple[Any, Words, Spell]]:
    if not torch.cuda.is_available():
        print("serving: no GPU here, so the tiny model on the CPU stands in for those of 1B and 8B")
        runner, words = tiny()
        yield runner, words, lambda text: runner.tokenizer(text, add_special_tokens=False).input_ids
        return
    words = large_words()
    for name in list(SHAPES)[1:]:
        yield random_llama(name, words, "cuda"), words, words.info.encode_greedy


# ---- Decoding ----


def decoding(runner: Any, words: Words, texts: list[list[int]]) -> list[record.Figures]:
    """A row a way, of one model and batch."""
    first: dict[str, list[float]] = {way: [] for way in WAYS}
    token: dict[str, list[float]] = {way: [] for way in WAYS}
    with ThreadPoolExecutor(1) if runner.device.type == "cpu" else nullcontext() as thread:
        for _ in range(N_FIRST):
            for way in WAYS:
                first[way].append(next(loop(way, runner, words, texts, thread)))
        loops = {way: loop(way, runner, words, texts, thread) for way in WAYS}
        for way in WAYS:
            next(loops[way])
        for _ in range(0, N_TOKENS, STRETCH):
            for way in WAYS:
                token[way] += [next(loops[way]) for _ in range(STRETCH)]
    free = record.quantile(token["free"], 0.5)
    return [
        {
            **_where(runner, words),
            "what": "decode",
            "batch": len(texts),
            "way": way,
            "n_tokens": len(token[way]),
            "token_ms_p50": record.quantile(token[way], 0.5),
            "token_ms_p95": record.quantile(token[way], 0.95),
            "over_free_percent": 100 * (record.quantile(token[way], 0.5) / free - 1),
            "first_ms_median": record.quantile(first[way][1:], 0.5),  # the first is for warming up
        }
        for way in WAYS
    ]


def loop(way: str, runner: Any, words: Words, texts: list[list[int]], thread: Any) -> Generator[float]:
    """Milliseconds up to the first pick, then of each token; the batch's rows are read side by side."""
    import torch

    import xg2lab as xgr

    device, n_rows = runner.device, len(texts)
    begun = time.perf_counter()
    past: Any = None

    def forward(ids: Any) -> Any:
        nonlocal past
        with torch.inference_mode():
            out = runner.model(input_ids=ids, past_key_values=past, use_cache=True, logits_to_keep=1)
        past = out.past_key_values
        return out.logits[:, -1, :].float()

    def launch(ids: Any) -> Callable[[], Any]:
        if thread is not None:
            waiting = thread.submit(forward, ids).result
            if way == "beside":
                return waiting
            logits = waiting()
        else:
            logits = forward(ids)  # the pass is only begun
            if way != "beside":
                _wait_for(device)
        return lambda: logits

    taken = launch(torch.ones((n_rows, N_PROMPT), dtype=torch.long, device=device))
    matchers: list[Any] = []
    batch: Any = None
    bitmask: Any = None
    if way != "free":
        compiler = xgr.GrammarCompiler(words.info, cache_enabled=False)
        compiled = compiler.compile_grammar(JSON_EBNF)
        matchers = [xgr.GrammarMatcher(compiled) for _ in texts]
        batch = xgr.BatchGrammarMatcher()
        bitmask = xgr.allocate_token_bitmask(n_rows, words.n_tokens, library="torch")
        bitmask = bitmask.pin_memory() if device.type == "cuda" else bitmask
    for column in zip(*texts, strict=False):
        logits = None
        if matchers:
            batch.batch_fill_next_token_bitmask(matchers, bitmask)
            on_device = bitmask.to(device, non_blocking=True)
            logits = taken()
            xgr.apply_token_bitmask_inplace(logits, on_device)
        logits = taken() if logits is None else logits
        logits.argmax(-1).tolist()  # the pick; waits for the GPU
        if matchers and not all(xgr.BatchGrammarMatcher.batch_accept_token(matchers, list(column))):
            raise RuntimeError(f"a row of {way} was refused")
        yield (time.perf_counter() - begun) * 1e3
        begun = time.perf_counter()
        taken = launch(torch.tensor(column, device=device)[:, None])


# ---- The kernel, and a Session ----


def applying(runner: Any, words: Words, batch: int) -> record.Figures:
    import torch

    import xg2lab as xgr

    device = runner.device
    logits = torch.zeros((batch, words.n_tokens), dtype=runner.dtype, device=device)
    bitmask = xgr.allocate_token_bitmask(batch, words.n_tokens, library="torch")
    bitmask.random_(-(1 << 31), (1 << 31) - 1, generator=torch.Generator().manual_seed(0))
    on_device = bitmask.to(device)
    apply_us = _calls_us(device, lambda: xgr.apply_token_bitmask_inplace(logits, on_device))
    source = torch.zeros(N_COPIED, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    copy_us = record.quantile(_calls_us(device, lambda: target.copy_(source)), 0.5)
    n_bytes_a_us = 2 * N_COPIED / copy_us
    limit_us = logits.numel() * logits.element_size() / n_bytes_a_us
    return {
        **_where(runner, words),
        "what": "apply",
        "batch": batch,
        "apply_us_p50": record.quantile(apply_us, 0.5),
        "bandwidth_gb_s": n_bytes_a_us / 1e3,
        "limit_us": limit_us,
        "apply_over_limit": record.quantile(apply_us, 0.5) / limit_us,
    }


def _calls_us(device: Any, act: Callable[[], object]) -> list[float]:
    """Microseconds of each call: by the GPU's own clock where there is one."""
    import torch

    act()
    _wait_for(device)
    times: list[float] = []
    for _ in range(N_CALLS):
        if device.type == "cuda":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            act()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        else:
            begun = time.perf_counter()
            act()
            times.append((time.perf_counter() - begun) * 1e6)
    return times


def stepping(runner: Any, words: Words) -> record.Figures:
    """Tokens are forced, as a random model's own would end the text anywhere."""
    from xg2lab.lab.session.session import Session

    reader = runner.fork()
    if reader.tokenizer is None:
        reader.tokenizer = _ids_of_nothing
    session = Session(JSON_EBNF, words.info, reader, prompt="prompt")
    times: list[float] = []
    for token in words.text[:N_STEPS]:
        begun = time.perf_counter()
        session.force(token)
        times.append((time.perf_counter() - begun) * 1e3)
    model = [(end - begin) / 1e6 for begin, end in _model_lanes(session)]
    return {
        **_where(runner, words),
        "what": "session",
        "batch": 1,
        "n_tokens": len(times),
        "step_ms_p50": record.quantile(times, 0.5),
        "model_ms_p50": record.quantile(model, 0.5),
    }


def _ids_of_nothing(_: str) -> Any:
    from types import SimpleNamespace

    return SimpleNamespace(input_ids=[1] * N_PROMPT)


def _model_lanes(session: Any) -> list[tuple[int, int]]:
    return [step.lanes.model for step in session.trace.steps if step.lanes is not None and step.lanes.model is not None]


def _wait_for(device: Any) -> None:
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _where(runner: Any, words: Words) -> dict[str, float | int | str]:
    import torch

    gpu = f", {torch.cuda.get_device_name(runner.device)}" if runner.device.type == "cuda" else ""
    return {
        "model": runner.name,
        "device": f"{runner.device.type}{gpu}",
        "dtype": str(runner.dtype).removeprefix("torch."),
        "vocabulary": words.name,
    }
