"""What the mask costs a token when it is made beside the forward pass, after it, and when there is no mask at all.

    python -m benchmarks overlap

A model reads a JSON text token by token, prompted with `N_PROMPT` tokens. Every way reads the same tokens, whatever the
model would have chosen, so they differ by the mask alone:

    free     forward pass, pick
    after    forward pass, fill, mask to the model's device, apply, pick, accept         (Session(overlap=False))
    beside   fill and copy while the forward pass runs, then apply, pick, accept         (Session(overlap=True))

The models: `tiny` (shipped, CPU); a random Llama of 4 layers on the CPU; on a GPU, where there is one, random Llamas of
the shapes of 1B and 8B in bfloat16. `token_us_*` is one turn of the loop, `over_free_us` the difference of its median
to the median of `free`. `mask_us_*` and `wait_us_p50` are lanes of the run: the fill, and what of it no pass covered;
`hidden` is the share that one did. `first_ms` begins with nothing compiled and ends with the first token picked: in
`beside` the grammar is compiled while the model reads the prompt. Ways take turns, a stretch of tokens each, each with
a compiled grammar of its own, so that each makes all of its masks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, cast

from benchmarks import record
from benchmarks.texts import JSON_EBNF, json_text, vocabulary

WAYS = ("free", "after", "beside")
STRETCH = 8
N_PROMPT = 256
N_TOKENS = 200
N_FIRST = 5
SHAPES = {  # hidden size, layers, heads, key-value heads, width between
    "random Llama, 4 layers": (256, 4, 8, 4, 1024),
    "random Llama-1B shape": (2048, 16, 32, 8, 8192),
    "random Llama-8B shape": (4096, 32, 32, 8, 14336),
}


class Always:
    """A tokenizer for a model that reads given tokens, whatever the text is. It is its own encoding."""

    def __init__(self, token_ids: list[int]) -> None:
        self.input_ids = token_ids

    def __call__(self, _text: str, /) -> Always:
        """Return the given tokens."""
        return self


@dataclass
class Words:
    """A vocabulary, and the text in its tokens."""

    name: str
    info: Any
    n_tokens: int
    text: list[int]


@dataclass
class Run:
    """One way through the text."""

    first_ms: list[float] = field(default_factory=list[float])
    token_us: list[float] = field(default_factory=list[float])
    lanes: list[Any] = field(default_factory=list[Any])


def run() -> list[record.Figures]:
    try:
        import torch
        import transformers  # noqa: F401  # pyright: ignore[reportUnusedImport] (asked for here, to say its absence)
    except ImportError as error:
        raise SystemExit(f"overlap needs torch and transformers: {error}") from error
    words = large_words()
    rows: list[record.Figures] = []
    with torch.inference_mode():
        rows += measure(*tiny())
        rows += measure(random_llama("random Llama, 4 layers", words, "cpu"), words)
        if torch.cuda.is_available():
            for name in list(SHAPES)[1:]:
                rows += measure(random_llama(name, words, "cuda"), words)
        else:
            print("overlap: no GPU here, the models of 1B and 8B are left out")
    return rows


def measure(runner: Any, words: Words) -> list[record.Figures]:
    """A row a way, of one model."""
    runs = {way: Run() for way in WAYS}
    loops = {way: loop(way, runner, words, runs[way]) for way in WAYS}
    for _ in range(N_FIRST):  # the first of each is for warming up, and not kept
        for way in WAYS:
            loops[way].close()
            loops[way] = loop(way, runner, words, runs[way])
            next(loops[way])
    for _ in range(0, N_TOKENS, STRETCH):
        for way in WAYS:
            for _ in range(STRETCH):
                next(loops[way])
    return [figures(way, runner, words, runs) for way in WAYS]


def loop(way: str, runner: Any, words: Words, into: Run) -> Generator[None]:
    """Prompt and first token, then a token a turn."""
    import xg2lab as xgr
    from xg2lab.bitmask import allocate_token_bitmask, apply_token_bitmask_inplace
    from xg2lab.lab.model.model_lane import ModelLane
    from xg2lab.lab.trace.lanes import Clock, Lanes

    begun = time.perf_counter()
    prompt = [1] * min(N_PROMPT, (runner.max_n_tokens or 4096) // 2)
    reader = runner.fork()
    reader.tokenizer = Always(prompt)
    lane = ModelLane(reader, Clock(), prompt="prompt", overlap=way == "beside")
    taken: list[int] = []
    lane.begin(taken)
    matcher = bitmask = None
    if way != "free":
        options = xgr.EngineOptions(cross_grammar_cache=False)
        compiler = xgr.GrammarCompiler(words.info, cache_enabled=False, options=options)
        matcher = xgr.GrammarMatcher(compiler.compile_grammar(JSON_EBNF))
        bitmask = allocate_token_bitmask(1, words.n_tokens, library="torch")
        bitmask = bitmask.pin_memory() if runner.is_asynchronous else bitmask
    for token in words.text:
        if taken:
            begun = time.perf_counter()
            lane.begin(taken)
        if way != "beside":
            lane.finish(taken)
        mask, on_device = None, None
        if matcher is not None and bitmask is not None:
            filling = lane.clock.now()
            matcher.fill_next_token_bitmask(bitmask)
            mask = (filling, lane.clock.now())
            on_device = bitmask.to(runner.device, non_blocking=True)
        if way == "beside":
            lane.finish(taken)
        logits = reader.logits
        if on_device is not None:
            apply_token_bitmask_inplace(logits, on_device[0])
        int(logits.argmax())  # the pick; waits for the GPU
        if matcher is not None and not matcher.accept_token(token):
            raise RuntimeError(f"token {token} was refused after {len(taken)} tokens")
        took = time.perf_counter() - begun
        if taken:
            into.token_us.append(took * 1e6)
            into.lanes.append(Lanes(model=lane.lane, mask=mask))
        else:
            into.first_ms.append(took * 1e3)
        taken.append(token)
        yield


def figures(way: str, runner: Any, words: Words, runs: dict[str, Run]) -> record.Figures:
    """The row of one way."""
    from xg2lab.lab.trace.lanes import figures as of_lanes
    from xg2lab.lab.trace.lanes import hidden_share

    one = runs[way]
    p50 = record.quantile(one.token_us, 0.5)
    row: dict[str, float | int | str] = {
        "model": runner.name,
        "device": f"{runner.device.type}{_gpu_name(runner)}",
        "dtype": str(runner.dtype).removeprefix("torch."),
        "vocabulary": words.name,
        "way": way,
        "n_tokens": len(one.token_us),
        "token_us_p50": p50,
        "token_us_p95": record.quantile(one.token_us, 0.95),
        "over_free_us": p50 - record.quantile(runs["free"].token_us, 0.5),
    }
    lanes = of_lanes([None, *one.lanes])  # the prompt's pass is not among them
    row["model_us_p50"] = lanes["model"]["p50"] / 1e3
    if "mask" in lanes:
        hidden = hidden_share(one.lanes)
        row["mask_us_p50"] = lanes["mask"]["p50"] / 1e3
        row["mask_us_p95"] = lanes["mask"]["p95"] / 1e3
        row["wait_us_p50"] = lanes["wait"]["p50"] / 1e3
        row["hidden"] = 0.0 if hidden is None else hidden
    row["first_ms_median"] = record.quantile(one.first_ms[1:], 0.5)
    row["load"] = round(os.getloadavg()[0], 1)
    return row


def _gpu_name(runner: Any) -> str:
    import torch

    return f", {torch.cuda.get_device_name(runner.device)}" if runner.is_asynchronous else ""


# ---- What is read, and by whom ------------------------------------------------------------------


def tiny() -> tuple[Any, Words]:
    """The model that ships with xg2lab, and its own vocabulary."""
    import xg2lab as xgr
    from xg2lab.lab.model.model_runner import ModelRunner
    from xg2lab.lab.model.tokenizer import Encoder

    runner = ModelRunner.tiny()
    info = xgr.TokenizerInfo.from_huggingface(runner.tokenizer, vocab_size=runner.vocab_size)
    encoder = cast("Encoder", runner.tokenizer)
    text = list(encoder.encode(json_text(400), add_special_tokens=False))  # prompt and text fit its 2,048 positions
    return runner, Words("tiny", info, runner.vocab_size, text[: N_TOKENS + STRETCH])


def large_words() -> Words:
    """A real vocabulary of about 128,000 tokens; where its packages are missing, a made-up one of that size."""
    import xg2lab as xgr

    text, n = json_text(4000), N_TOKENS + STRETCH
    try:
        words = vocabulary()
    except (ImportError, SystemExit) as error:
        print(f"overlap: a made-up vocabulary stands in ({error})")
        from tests.ui.scripted import N_SILENT
        from tests.ui.scripted import vocabulary as made_up

        tokens = made_up(128_000)
        stop = len(tokens) - N_SILENT
        info = xgr.TokenizerInfo(tokens, vocab_size=len(tokens), stop_token_ids=[stop])
        return Words("made-up-128000", info, len(tokens), _spelled(text, tokens)[:n])
    special = list(range(words.n_text, len(words.tokens)))
    info = xgr.TokenizerInfo(words.tokens, stop_token_ids=[words.stop_token], special_token_ids=special)
    return Words(words.name, info, len(words.tokens), words.encoding.encode_ordinary(text)[:n])


def _spelled(text: str, tokens: list[bytes]) -> list[int]:
    """Greedy: at each place the longest token that fits."""
    ids = {token: i for i, token in reversed(list(enumerate(tokens))) if token}
    data, longest, out, at = text.encode(), max(map(len, tokens)), list[int](), 0
    while at < len(data):
        n = next(n for n in range(longest, 0, -1) if data[at : at + n] in ids)
        out.append(ids[data[at : at + n]])
        at += n
    return out


def random_llama(name: str, words: Words, device: str) -> Any:
    """A Llama with random weights: its times are those of a trained one of that shape."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from xg2lab.lab.model.model_runner import ModelRunner

    hidden, layers, heads, kv_heads, between = SHAPES[name]
    config = LlamaConfig(
        vocab_size=words.n_tokens,
        hidden_size=hidden,
        intermediate_size=between,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=4096,
    )
    torch.manual_seed(0)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16 if device == "cuda" else torch.float32)
    try:
        with torch.device(device):
            model = LlamaForCausalLM(config).eval()
    finally:
        torch.set_default_dtype(before)
    return ModelRunner(model, Always([]), name=name)
