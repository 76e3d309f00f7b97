"""A request with a model: time to first token and time per output token, over decoding without a grammar.

    python -m benchmarks.templates --tasks decoding

The model reads a prompt, then writes the beginning of a request's reference text. Its logits are raised at the token
that comes next there, so every way writes the same text, and a model with random weights does as well as another.
The models: the tiny one that ships, on the CPU; random Llamas of the shapes of 1B and 8B in bfloat16 on a GPU, where
there is one, else a random Llama of 4 layers on one thread of the CPU. `device` says which it was.

`runner` is what decodes:

    session        `xg2lab.lab.Session`, greedy, everything recorded
    transformers   `generate` with a logits processor (`xg2lab.contrib.hf`; of XGrammar, its own)
    loop           `generate` with a decoding loop (`Loop`), which can write tokens that the model did not choose

A logits processor can't write tokens, so with transformers the loop is what jumps forward. `way` is what the request
brings:

    free           no grammar; beside `session`, the same model runner without a session
    unconstrained  a session that masks nothing; it compares the model with a grammar of any text
    template       arguments for a template that was compiled, with its masks, before the first request
    text           the grammar as text, compiled for the request
    xgrammar       the same text, compiled and masked by XGrammar

`ttft_ms_p50` runs from the request (arguments or text in hand, prompt unread) to the first token's masked logits. A
session has these when it is made. The loop reads the prompt and the tokens forced behind it in one pass, whose end
counts as the time of all of them. `tpot_ms_p50` is the mean time of a request's later tokens, the median of all
requests. `over_free_..._p50` are medians of differences: each request's own time less that of `free` in the same
runner, measured in turn with it; `over_free_..._error` is the standard error of such a median. Most requests end with
their first token. `n_passes` counts forward passes of the others, `written_percent` their tokens that no model chose.
The first request warms up and is in no figure. Our two ways have a pool of mask entries each. Python's garbage is
collected between requests and not within them.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.overlap import SHAPES, Words, random_llama
from benchmarks.templates import lookup, outlines, ways
from benchmarks.templates.tasks import Request, Task
from benchmarks.texts import Source, Vocabulary, vocabulary
from xg2lab.lab.model.model_runner import ModelRunner
from xg2lab.lab.session.session import Session

SECTIONS = 60
N_PROMPT = 256
N_PROMPT_TINY = 64  # prompt and text fit its 2,048 positions
N_TOKENS = 64
N_REQUESTS = 7
N_FIRST = 16  # requests that end with their first token
RAISED = 1e6  # of the logit of the token that the reference text goes on with
ANY_TEXT = r"root ::= [\u0000-\U0010FFFF]*"

Row = dict[str, float | int | str]


@dataclass(frozen=True)
class Choice:
    """How much of it is measured."""

    n_requests: int = N_REQUESTS
    n_first: int = N_FIRST
    n_tokens: int = N_TOKENS


@dataclass
class Times:
    """One request: milliseconds to the first token and of each later one (0 if there is none), and how they came."""

    ttft_ms: float
    tpot_ms: float
    n_tokens: int
    n_passes: int
    n_written: int = 0


@dataclass(frozen=True)
class Model:
    """A runner, its vocabulary, and the prompt that it reads."""

    runner: Any
    words: Vocabulary
    info: Any
    prompt: list[int]


@dataclass
class Way:
    """A way from a request to its tokens, and what it took: whole requests, and those that end with a first token."""

    runner: str
    name: str
    jump_forward: bool
    decode: Callable[[Request, Wishes], Times]
    times: list[Times] = field(default_factory=list[Times])
    first: list[Times] = field(default_factory=list[Times])


def run(choice: Choice | None = None) -> list[record.Figures]:
    """A row for each model, task, runner and way; none where torch or transformers is missing."""
    try:
        import torch
        import transformers  # noqa: F401  # pyright: ignore[reportUnusedImport] (asked for here, to say its absence)
    except ImportError as error:
        print(f"left out: templates with a model ({error})")
        return []
    rows: list[record.Figures] = []
    with torch.inference_mode():
        for model in models(torch):
            for task in (
                outlines.outline_task(model.words, SECTIONS, outlines.Form("text tags")),
                lookup.lookup_task(model.words),
            ):
                rows += measure(model, task, choice or Choice())
    return rows


# ---- Models and their vocabularies --------------------------------------------------------------


def models(torch: Any) -> Generator[Model]:
    """The tiny model; then random ones on the GPU where there is one, else a random one on the CPU."""
    yield tiny()
    words = vocabulary()
    names = list(SHAPES)[1:] if torch.cuda.is_available() else list(SHAPES)[:1]
    for name in names:
        yield random_model(name, words, "cuda" if torch.cuda.is_available() else "cpu")
        gc.collect()  # the weights of one model at a time


def tiny() -> Model:
    """The model that ships with xg2lab, and its own vocabulary."""
    import xg2lab as xgr

    runner = xgr.ModelRunner.tiny()
    info = xgr.TokenizerInfo.from_huggingface(
        runner.tokenizer, vocab_size=runner.vocab_size, stop_token_ids=runner.eos_token_ids
    )
    tokenizer: Any = runner.tokenizer
    encoding = SimpleNamespace(encode_ordinary=partial(tokenizer.encode, add_special_tokens=False, verbose=False))
    tokens = [bytes(token) for token in info.decoded_vocab]
    words = Vocabulary("tiny", tokens, runner.eos_token_ids[0], len(tokens), encoding)
    return Model(runner, words, info, [1] * N_PROMPT_TINY)


def random_model(name: str, words: Vocabulary, device: str) -> Model:
    """A Llama with random weights, as wide as a real vocabulary."""
    import xg2lab as xgr

    special = list(range(words.n_text, len(words.tokens)))
    info = xgr.TokenizerInfo(words.tokens, stop_token_ids=[words.stop_token], special_token_ids=special)
    wide = Words(words.name, info, len(words.tokens), [])
    runner = random_llama(name, wide, device)
    runner.n_threads = 1  # on the CPU, as all else that is measured here
    return Model(runner, words, info, [1] * N_PROMPT)


class Wishes:
    """The token that a reference text goes on with, at each byte at which one may begin, up to `n_tokens` tokens."""

    def __init__(self, words: Vocabulary, request: Request, n_tokens: int) -> None:
        self.n_tokens = n_tokens
        data = b"".join(words.tokens[token] for token in request.tokens)
        self._words, self.data, self.at = words, data, dict[int, int]()
        n_ahead = 2 * max(n_tokens, N_TOKENS)  # jumps may write more
        n_bytes = sum(len(words.tokens[token]) for token in request.tokens[:n_ahead])
        for at in range(min(n_bytes, len(data))):
            if data[at] & 0xC0 != 0x80:  # the first byte of a character
                self.at[at] = words.encoding.encode_ordinary(data[at : at + 64].decode("utf-8", "ignore"))[0]
        at = 0
        for token in request.tokens:  # where the text is cut as a whole, it is cut so
            self.at[at] = token
            at += len(words.tokens[token])

    def n_bytes(self, tokens: Sequence[int]) -> int:
        """How far in the text these tokens lead."""
        return sum(len(self._words.tokens[token]) for token in tokens)

    def next(self, tokens: Sequence[int]) -> int:
        """The token after these."""
        return self.at[self.n_bytes(tokens)]

    def check(self, name: str, tokens: Sequence[int]) -> None:
        """Raise unless these tokens are the text's beginning: a way is not timed on another text."""
        written = b"".join(self._words.tokens[token] for token in tokens)
        if not self.data.startswith(written):
            raise RuntimeError(f"{name} wrote {written[-80:]!r}, which is not the reference text")


# ---- Ways ---------------------------------------------------------------------------------------


def measure(model: Model, task: Task, choice: Choice) -> list[record.Figures]:
    """A row for each way; the ways take turns, request by request."""
    of = ways_of(model, task)
    for number in range(1 + choice.n_requests + choice.n_first):
        request = task.request(number)
        is_whole = number <= choice.n_requests
        wishes = Wishes(model.words, request, choice.n_tokens if is_whole else 1)
        found = decode_all(of, request, wishes)
        for way, times in zip(of, found, strict=True):
            if number:
                (way.times if is_whole else way.first).append(times)
    free = {way.runner: way for way in of if way.name == "free"}
    return [figures(model, task, way, free[way.runner]) for way in of]


def decode_all(of: Sequence[Way], request: Request, wishes: Wishes) -> list[Times]:
    """One request by each way. A collection within one of them would be counted as its own."""
    gc.collect()
    gc.disable()
    try:
        return [way.decode(request, wishes) for way in of]
    finally:
        gc.enable()


def ways_of(model: Model, task: Task) -> list[Way]:
    """All ways of one model through one task."""
    xgr, in_hf = import_module("xg2lab"), import_module("xg2lab.contrib.hf")
    session, hf = SessionWays(model, task), TransformersWays(model)
    found = [
        Way("session", "free", False, session.free),
        Way("session", "unconstrained", False, session.unconstrained),
        Way("transformers", "free", False, partial(hf.generate, processor=None)),
        Way("loop", "free", False, partial(hf.loop, matcher=None)),
    ]
    for name, compiled in (("template", instances(model, task)), ("text", as_text(model))):
        processor = in_order(compiled, in_hf.LogitsProcessor)
        found.append(Way("transformers", name, False, partial(hf.generate, processor=processor)))
        for jumps in (False, True):
            matcher = in_order(compiled, xgr.GrammarMatcher)
            found += [
                Way("session", name, jumps, partial(session.constrained, way=name, jumps=jumps)),
                Way("loop", name, jumps, partial(hf.loop, matcher=matcher, jumps=jumps)),
            ]
    try:
        peer = xgrammar_processor(model)
    except ImportError as error:
        print(f"left out: XGrammar with a model ({error})")
        return found
    return [*found, Way("transformers", "xgrammar", False, partial(hf.generate, processor=peer))]


def in_order(first: Callable[[Request], Any], then: Callable[[Any], Any]) -> Callable[[Request], Any]:
    """A function that applies `first` to a request and `then` to its result."""
    return lambda request: then(first(request))


def ready_template(model: Model, task: Task) -> Any:
    """The compiled template, with its masks: what is made before the first request."""
    xgr = import_module("xg2lab")
    ready = xgr.GrammarCompiler(model.info, options=ways.own_options()).compile_template(ways.template_of(task))
    ready.make_masks()
    return ready


def ebnf_of(request: Request) -> str:
    """A request's grammar as text."""
    grammar = request.grammars["rules"]
    assert isinstance(grammar, Source)
    return grammar.ebnf


def instances(model: Model, task: Task) -> Callable[[Request], Any]:
    """From a request to the instance of a template."""
    ready = ready_template(model, task)
    return lambda request: ready.instantiate(**request.arguments)


def as_text(model: Model) -> Callable[[Request], Any]:
    """From a request to its compiled text."""
    xgr = import_module("xg2lab")
    compiler = xgr.GrammarCompiler(model.info, options=ways.own_options(), cache_enabled=False)
    return lambda request: compiler.compile_grammar(ebnf_of(request))


def xgrammar_processor(model: Model) -> Callable[[Request], Any]:
    """From a request to XGrammar's logits processor of its text."""
    xgr, in_hf = import_module("xgrammar"), import_module("xgrammar.contrib.hf")
    words = model.words
    info = xgr.TokenizerInfo(words.tokens, vocab_size=len(words.tokens), stop_token_ids=[words.stop_token])
    compiler = xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    return lambda request: in_hf.LogitsProcessor(compiler.compile_grammar(ebnf_of(request)))


# ---- A session ----------------------------------------------------------------------------------


class PromptTokenizer:
    """What a session asks a tokenizer for: the prompt's ids, and how forced text is written."""

    bos_token_id = None
    eos_token_id = None

    def __init__(self, model: Model) -> None:
        self._model = model
        self.n_prompt = len(model.prompt)

    def __call__(self, _: str) -> Any:
        return SimpleNamespace(input_ids=self._model.prompt)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """The tokens of a text."""
        del add_special_tokens  # there are none to add
        return self._model.words.encoding.encode_ordinary(text)


class Raised(ModelRunner):
    """A runner whose logits are raised at the token that a reference text goes on with; it counts its passes."""

    def __init__(self, of: ModelRunner, tokenizer: PromptTokenizer, wishes: Wishes) -> None:
        super().__init__(of.model, tokenizer, name=of.name, n_threads=of.n_threads)
        self._n_prompt, self._wishes, self.n_passes = tokenizer.n_prompt, wishes, 0

    def fork(self) -> ModelRunner:
        """Itself: one session reads with it, and its passes are to be counted."""
        return self

    def launch(self, token_ids: Sequence[int]) -> None:
        """As of every runner; `prefill` and `forward` come here too."""
        self.n_passes += 1
        super().launch(token_ids)

    def logits_numpy(self) -> Any:
        """The logits, one of them raised."""
        logits = super().logits_numpy()
        logits[self._wishes.next(self.tokens[self._n_prompt :])] = RAISED
        return logits


class SessionWays:
    """`Session`, and the runner alone."""

    def __init__(self, model: Model, task: Task) -> None:
        xgr = import_module("xg2lab")
        self.model = model
        self._tokenizer = PromptTokenizer(model)
        self._ready = ready_template(model, task)
        self._any_text = xgr.GrammarCompiler(model.info).compile_grammar(ANY_TEXT)
        self._text_options = ways.own_options()

    def free(self, _: Request, wishes: Wishes) -> Times:
        """The runner alone."""
        runner = Raised(self.model.runner, self._tokenizer, wishes)
        begun = time.perf_counter()
        taken = [int(np.argmax(runner.prefill(self.model.prompt)))]
        at = [time.perf_counter()]
        while len(taken) < wishes.n_tokens:
            taken.append(int(np.argmax(runner.forward(taken[-1]))))
            at.append(time.perf_counter())
        wishes.check("the model alone", taken)
        return times_of(begun, at, len(taken), n_passes=runner.n_passes)

    def unconstrained(self, _: Request, wishes: Wishes) -> Times:
        """A session that masks nothing."""
        return self._decode(wishes, self._any_text, constrained=False)

    def constrained(self, request: Request, wishes: Wishes, way: str, jumps: bool) -> Times:
        """A session under the request's grammar."""
        if way == "template":
            return self._decode(wishes, self._ready, arguments=request.arguments, jump_forward=jumps)
        return self._decode(wishes, ebnf_of(request), options=self._text_options, jump_forward=jumps)

    def _decode(self, wishes: Wishes, grammar: Any, **how: Any) -> Times:
        runner = Raised(self.model.runner, self._tokenizer, wishes)
        begun = time.perf_counter()
        session = Session(grammar, self.model.info, runner, prompt="prompt", temperature=0.0, **how)
        first = time.perf_counter()  # mask and logits of the first token are there
        while session.trace.n_decided < wishes.n_tokens:
            session.step(1)
        end = time.perf_counter()
        taken = session.output_ids
        wishes.check("a session", taken)
        n_written = sum(step.kind == "jump_forward" for step in session.trace.steps)
        return Times((first - begun) * 1e3, (end - first) * 1e3 / len(taken), len(taken), runner.n_passes, n_written)


# ---- transformers -------------------------------------------------------------------------------


class Raise:
    """A logits processor that raises the token which the reference text goes on with."""

    def __init__(self, wishes: Wishes, n_prompt: int) -> None:
        self.wishes, self.n_prompt = wishes, n_prompt

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        scores[0, self.wishes.next(input_ids[0, self.n_prompt :].tolist())] = RAISED
        return scores


class Clock:
    """The last logits processor: the time at which a token's masked logits are there."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, _: Any, scores: Any) -> Any:
        if scores.is_cuda:
            import torch

            torch.cuda.synchronize(scores.device)
        self.times.append(time.perf_counter())
        return scores


class TransformersWays:
    """`generate`, with logits processors or with a loop."""

    def __init__(self, model: Model) -> None:
        import torch

        self.model = model
        self._prompt = torch.tensor([model.prompt], device=model.runner.device)
        self._settings = {
            "attention_mask": torch.ones_like(self._prompt),
            "do_sample": False,
            "pad_token_id": model.words.stop_token,
        }

    def generate(self, request: Request, wishes: Wishes, processor: Callable[[Request], Any] | None) -> Times:
        """`generate`, with a logits processor if there is one."""
        clock = Clock()
        begun = time.perf_counter()
        of_grammar = [] if processor is None else [processor(request)]
        chain = [Raise(wishes, len(self.model.prompt)), *of_grammar, clock]
        taken = self._generate(max_new_tokens=wishes.n_tokens, logits_processor=chain)
        wishes.check("generate", taken)
        return times_of(begun, clock.times, len(taken), n_passes=len(clock.times))

    def loop(
        self, request: Request, wishes: Wishes, matcher: Callable[[Request], Any] | None, *, jumps: bool = False
    ) -> Times:
        """`generate` with a loop."""
        encode = self.model.words.encoding.encode_ordinary if jumps else None
        begun = time.perf_counter()
        loop = Loop(wishes, None if matcher is None else matcher(request), encode)
        taken = self._generate(max_new_tokens=2 * wishes.n_tokens, custom_generate=loop)
        wishes.check("the loop", taken)
        return times_of(begun, loop.clock.times, len(taken), n_passes=loop.n_passes, n_written=loop.n_written)

    def _generate(self, **how: Any) -> list[int]:
        """The tokens behind the prompt."""
        with self.model.runner._threads():  # pyright: ignore[reportPrivateUsage] (as many as in a session)
            out = self.model.runner.model.generate(self._prompt, **self._settings, **how)
        return out[0, len(self.model.prompt) :].tolist()


def times_of(begun: float, at: Sequence[float], n_tokens: int, *, n_passes: int, n_written: int = 0) -> Times:
    """The times of a request from the times of its tokens."""
    later_ms = (at[-1] - at[0]) * 1e3 / max(1, n_tokens - 1)
    return Times((at[0] - begun) * 1e3, later_ms, n_tokens, n_passes, n_written)


class Loop:
    """A decoding loop for `generate(custom_generate=...)`: greedy, one sequence, forced tokens written in one pass.

    Each turn writes the tokens that must come next whatever the model says, reads them with what was not read before,
    and lets the model choose one more. Without `encode` no token is written so; without a matcher nothing is masked.
    """

    def __init__(self, wishes: Wishes, matcher: Any, encode: Any) -> None:
        self.wishes, self.matcher, self.encode = wishes, matcher, encode
        self.clock = Clock()
        self.n_passes = self.n_written = 0

    def __call__(
        self,
        model: Any,
        input_ids: Any,
        logits_processor: Any,
        stopping_criteria: Any,
        generation_config: Any,
        **given: Any,
    ) -> Any:
        """Generate `wishes.n_tokens` tokens or a few more; the arguments are those of transformers' own loops."""
        import torch

        del logits_processor, stopping_criteria, generation_config  # the matcher masks, the number of tokens stops
        cache, unread, taken = given["past_key_values"], input_ids, list[int]()
        while len(taken) < self.wishes.n_tokens:
            forced = self._forced()
            if forced:
                unread = torch.cat([unread, torch.tensor([forced], device=unread.device)], dim=1)
                taken += forced
            out = model(input_ids=unread, past_key_values=cache, use_cache=True, logits_to_keep=1)
            self.n_passes += 1
            token = self._choose(out.logits[:, -1].float(), taken, n_forced=len(forced))
            taken.append(token)
            unread = torch.tensor([[token]], device=unread.device)
        return torch.cat([input_ids, torch.tensor([taken], device=input_ids.device)], dim=1)

    def _forced(self) -> list[int]:
        """The tokens that must come next, accepted."""
        if self.encode is None or self.matcher is None:
            return []
        forced = self.matcher.find_forced_tokens(self.encode)
        for token in forced:
            if not self.matcher.accept_token(token):
                raise RuntimeError(f"the matcher refuses token {token}, which it has forced")
        self.n_written += len(forced)
        return forced

    def _choose(self, logits: Any, taken: Sequence[int], n_forced: int) -> int:
        """The model's token under the mask, accepted; the forced tokens before it are there when its logits are."""
        xgr = import_module("xg2lab")
        logits[0, self.wishes.next(taken)] = RAISED
        if self.matcher is not None:
            bitmask = xgr.allocate_token_bitmask(1, logits.shape[-1], library="torch")
            if logits.is_cuda:
                bitmask = bitmask.pin_memory()
            self.matcher.fill_next_token_bitmask(bitmask)
            xgr.apply_token_bitmask_inplace(logits, bitmask.to(logits.device, non_blocking=True))
        for _ in range(1 + n_forced):
            self.clock(None, logits)
        token = int(logits.argmax(-1))
        if self.matcher is not None and not self.matcher.accept_token(token):
            raise RuntimeError(f"the matcher refuses token {token}, which its mask allows")
        return token


# ---- Figures ------------------------------------------------------------------------------------


def figures(model: Model, task: Task, way: Way, free: Way) -> record.Figures:
    """The row of one way."""
    runner = model.runner
    gpu = ""
    if runner.device.type == "cuda":
        import torch

        gpu = f", {torch.cuda.get_device_name(runner.device)}"
    median = partial(record.quantile, q=0.5)
    pairs = list(zip(way.times, free.times, strict=True))
    first_pairs = [*pairs, *zip(way.first, free.first, strict=True)]
    row: Row = {
        "model": runner.name,
        "device": f"{runner.device.type}{gpu}",
        "dtype": str(runner.dtype).removeprefix("torch."),
        "vocabulary": model.words.name,
        "task": task.name,
        "n": task.n,
        "runner": way.runner,
        "way": way.name,
        "jump_forward": int(way.jump_forward),
        "n_requests": len(way.times),
        "n_first": len(way.first),
        "n_tokens": sum(one.n_tokens for one in way.times),
        "n_passes": sum(one.n_passes for one in way.times),
        "written_percent": 100 * sum(one.n_written for one in way.times) / sum(one.n_tokens for one in way.times),
        "ttft_ms_p50": median([one.ttft_ms for one in [*way.times, *way.first]]),
        "tpot_ms_p50": median([one.tpot_ms for one in way.times]),
    }
    if way is not free:
        over = {
            "ttft": [one.ttft_ms - other.ttft_ms for one, other in first_pairs],
            "tpot": [one.tpot_ms - other.tpot_ms for one, other in pairs],
        }
        for name, differences in over.items():
            row[f"over_free_{name}_ms_p50"] = median(differences)
            row[f"over_free_{name}_ms_error"] = error_of(differences)
    return row


def error_of(values: Sequence[float]) -> float:
    """The standard error of a median, by the quartiles: as if the values between them were a normal distribution's.

    >>> round(error_of([1.0, 2.0, 3.0, 4.0, 5.0] * 20), 3)
    0.186
    """
    between = record.quantile(values, 0.75) - record.quantile(values, 0.25)
    return 1.253 * between / 1.349 / math.sqrt(len(values))
