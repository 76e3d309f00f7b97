"""What servers and libraries call, end to end, with our import in place of XGrammar's.

Each caller here does, in few words of our own, what the code of its namesake does: the same names, arguments, order of
calls and kinds of errors caught. A sampler that draws among what is allowed takes the model's place.
"""

from __future__ import annotations

import importlib
import json
import logging
import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import seeded
from xg2lab import StructuralTag, StructuralTagItem, get_model_structural_tag, normalize_tool_choice
from xg2lab.openai_tool_call_schema import (
    AllowedToolChoiceParam,
    AllowedToolRef,
    AllowedToolsParam,
    BuiltinToolChoiceParam,
    BuiltinToolParam,
    FunctionDefinition,
    FunctionToolParam,
    NamedToolChoiceFunction,
    NamedToolChoiceParam,
)
from xg2lab.structural_tag import JSONSchemaFormat, TagFormat, TriggeredTagsFormat
from xg2lab.testing import _is_grammar_accept_string
from xg2lab.tool_calls.formats import MODEL_FORMATS

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 4}, "adult": {"type": "boolean"}},
    "required": ["name", "adult"],
    "additionalProperties": False,
}
LEGACY = {
    "triggers": ["<function="],
    "structures": [{"begin": "<function=go>", "schema": {"enum": [1, 2]}, "end": "</function>"}],
}
TAG = TagFormat(begin="<a>", content=JSONSchemaFormat(json_schema=PERSON), end="</a>")
LARK = 'start: GREETING " " NAME\nGREETING: "hello" | "bye"\nNAME: /[a-z]{1,4}/'
EBNF = 'root ::= "yes" | "no"'


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from xg2lab.tiny import tiny_model_path

    return transformers.AutoTokenizer.from_pretrained(tiny_model_path())


def draw(rng: random.Random, logits: Any) -> int:
    """One of the tokens that are not masked; the longest text of some, so that texts end."""
    allowed = torch.isfinite(logits).nonzero().flatten().tolist()
    return rng.choice(allowed[-3:] if rng.random() < 0.5 else allowed)


# ---- vLLM: a backend that compiles requests, and grammars with drafts ----


class Backend:
    """Requests to grammars."""

    def __init__(self, tokenizer: Any, vocab_size: int, n_drafts: int) -> None:
        self.vocab_size, self.n_drafts = vocab_size, n_drafts
        self.info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size)
        self.info_json = self.info.serialize_json()
        self.compiler = xgr.GrammarCompiler(self.info, max_threads=8, cache_enabled=True, cache_limit_bytes=512 << 20)

    def compile(self, kind: str, spec: str, stop_token_ids: set[int] | None = None) -> Request:
        if kind == "json":
            compiled = self.compiler.compile_json_schema(spec, any_whitespace=False)
        elif kind == "json_object":
            compiled = self.compiler.compile_json_schema('{"type": "object"}', any_whitespace=False)
        elif kind == "grammar":
            is_lark = not any("::=" in line for line in spec.splitlines())
            compiled = self.compiler.compile_lark(spec) if is_lark else self.compiler.compile_grammar(spec)
        elif kind == "regex":  # compiled in a process of its own, which hands back JSON
            with ThreadPoolExecutor(1) as other:
                text = other.submit(compile_elsewhere, self.info_json, spec).result()
            compiled = xgr.CompiledGrammar.deserialize_json(text, self.info)
        elif "structures" in (tag := json.loads(spec)):
            items = [
                xgr.StructuralTagItem(begin=s["begin"], schema=json.dumps(s["schema"]), end=s["end"])
                for s in tag["structures"]
            ]
            compiled = self.compiler.compile_structural_tag(items, tag["triggers"])
        else:
            compiled = self.compiler.compile_structural_tag(spec)
        stops = list(stop_token_ids) if stop_token_ids else None
        matcher = xgr.GrammarMatcher(compiled, override_stop_tokens=stops, max_rollback_tokens=self.n_drafts)
        return Request(matcher)


def compile_elsewhere(info_json: str, pattern: str) -> str:
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo.deserialize_json(info_json))
    return compiler.compile_regex(pattern).serialize_json()


class Request:
    """One sequence."""

    def __init__(self, matcher: xgr.GrammarMatcher) -> None:
        self.matcher, self.is_over = matcher, False

    def accept_tokens(self, tokens: list[int]) -> bool:
        for token in tokens:
            if self.is_over:
                return True
            if not self.matcher.accept_token(token):
                return False
            self.is_over = self.matcher.is_terminated()
        return True

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        taken: list[int] = []
        for token in tokens:
            if not self.matcher.accept_token(token):
                break
            taken.append(token)
        if taken:
            self.matcher.rollback(len(taken))
        return taken

    def rollback(self, n_tokens: int) -> None:
        self.matcher.rollback(n_tokens)
        self.is_over = self.matcher.is_terminated()


REQUESTS: list[tuple[str, str, Callable[[str], bool]]] = [
    ("json", json.dumps(PERSON), lambda text: set(json.loads(text)) == {"name", "adult"}),
    ("json_object", "", lambda text: isinstance(json.loads(text), dict)),
    ("grammar", EBNF, lambda text: text in ("yes", "no")),
    ("grammar", LARK, lambda text: text.split(" ")[0] in ("hello", "bye")),
    ("regex", r"\d{3}-\d{2}", lambda text: len(text) == 6 and text[3] == "-"),
    ("structural_tag", json.dumps(LEGACY), lambda text: text.count("<function=") == text.count("</function>")),
    (
        "structural_tag",
        StructuralTag(format=TAG).model_dump_json(),
        lambda text: text.startswith("<a>") and text.endswith("</a>"),
    ),
]  # fmt: skip


def test_vllm_steps_with_drafts(tokenizer: Any):
    """Rows for each request and its drafts, filled and rolled back each step; rows that are over stay all ones."""
    rng, n_drafts = seeded("vllm"), 2
    vocab_size = len(tokenizer) + 5  # the model's logits are wider
    backend = Backend(tokenizer, vocab_size, n_drafts)
    stop = tokenizer.eos_token_id
    requests = [backend.compile(kind, spec, {stop}) for kind, spec, _ in REQUESTS]
    texts: list[list[int]] = [[] for _ in requests]
    bitmask = xgr.allocate_token_bitmask(len(requests) * (1 + n_drafts), vocab_size)
    for _ in range(60):
        xgr.reset_token_bitmask(bitmask)
        drafts = [[rng.randrange(-1, len(tokenizer)) for _ in range(n_drafts)] for _ in requests]
        for r, request in enumerate(requests):
            n_taken = 0
            for k in range(1 + n_drafts):
                row = r * (1 + n_drafts) + k
                if not request.is_over:
                    request.matcher.fill_next_token_bitmask(bitmask, row)
                if k < n_drafts:
                    if request.is_over or not request.accept_tokens([drafts[r][k]]):
                        break
                    n_taken += 1
            if n_taken:
                request.rollback(n_taken)
        # The scheduler sends NumPy; the runner's rows are in another order, with requests that are
        # free between them.
        sent = bitmask.numpy()
        order = list(range(0, len(sent), 1 + n_drafts))
        rng.shuffle(order)
        logits = torch.zeros((2 * len(requests), vocab_size))
        rows = np.full((len(logits), sent.shape[1]), -1, dtype=sent.dtype)
        out = [2 * place for place in range(len(order))]
        rows[out] = sent[order]
        ready = torch.from_numpy(rows).contiguous().to(logits.device, non_blocking=True)
        xgr.apply_token_bitmask_inplace(logits, ready, indices=torch.tensor(out, dtype=torch.int32))
        assert not torch.isinf(logits[1::2]).any()
        for place, row in enumerate(order):
            request, text = requests[row // (1 + n_drafts)], texts[row // (1 + n_drafts)]
            if request.is_over:
                continue
            token = draw(rng, logits[2 * place])
            assert request.validate_tokens([token, token])[:1] == [token]
            assert request.accept_tokens([token])
            text.append(token)
    assert sum(request.is_over for request in requests) >= 4
    for (_, _, fits), request, text in zip(REQUESTS, requests, texts, strict=True):
        if request.is_over:
            assert text[-1] == stop
            assert fits(tokenizer.decode(text[:-1])), tokenizer.decode(text)
            assert request.accept_tokens([0])  # ignored by the caller
            assert not request.matcher.accept_token(0)
            request.matcher.reset()
            assert not request.matcher.is_terminated()


def test_vllm_fills_many_requests_from_threads(tokenizer: Any):
    backend = Backend(tokenizer, len(tokenizer), 0)
    requests = [backend.compile(kind, spec) for kind, spec, _ in REQUESTS for _ in range(5)]
    bitmask = xgr.allocate_token_bitmask(len(requests), len(tokenizer))
    alone = xgr.allocate_token_bitmask(len(requests), len(tokenizer))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda r: requests[r].matcher.fill_next_token_bitmask(bitmask, r), range(len(requests))))
    for r, request in enumerate(requests):
        request.matcher.fill_next_token_bitmask(alone, r)
    assert (bitmask == alone).all()


@pytest.mark.parametrize(
    "check",
    [
        lambda: xgr.Grammar.from_regex("(a"),
        lambda: xgr.Grammar.from_ebnf('root ::= "a'),
        lambda: xgr.Grammar.from_lark("start: NOTHING"),
        lambda: xgr.Grammar.from_json_schema({"type": "strin"}),
        lambda: xgr.Grammar.from_structural_tag("{"),
        lambda: xgr.Grammar.from_structural_tag('{"format": {"type": "any"}}'),
        lambda: xgr.Grammar.from_structural_tag([StructuralTagItem(begin="<a>", schema="{", end="")], ["<a"]),
    ],
)
def test_bad_requests_are_the_errors_that_callers_catch(check: Callable[[], Any]):
    with pytest.raises(RuntimeError):
        check()


TOOLS = [
    {"type": "function", "function": {"name": "weather", "strict": True, "parameters": PERSON}},
    {"type": "function", "function": {"name": "time"}},
    {"type": "web_search", "name": "search", "parameters": {"type": "object"}},
]


def test_vllm_builders_of_its_own_and_ours():
    """Its registry normalizes the request itself, and calls a builder of its own or ours by the model's name."""
    functions, builtins, choice = normalize_tool_choice(TOOLS, {"type": "function", "function": {"name": "weather"}})
    assert ([tool.function.name for tool in functions], builtins, choice) == (["weather"], [], "forced")
    assert (functions[0].type, functions[0].function.strict, functions[0].function.parameters) == (
        "function", True, PERSON,
    )  # fmt: skip
    again = get_model_structural_tag(
        "mimo", tools=[*functions, *builtins], tool_choice={"type": "function", "function": {"name": "weather"}}
    )
    assert again.format.elements[-1].begin == "<tool_call><function=weather>"
    tag = get_model_structural_tag(model="qwen_3", tools=TOOLS[:2], tool_choice="required", reasoning=False)
    assert isinstance(tag, xgr.StructuralTag)
    assert isinstance(tag.format, TriggeredTagsFormat)
    tag.format.stop_after_first = True  # a parser changes what it was given
    grammar = xgr.Grammar.from_structural_tag(tag.model_dump_json())
    call = '<tool_call>\n{"name": "weather", "arguments": {"name": "x", "adult": true}}\n</tool_call>'
    assert _is_grammar_accept_string(grammar, call)
    assert not _is_grammar_accept_string(grammar, call + call)
    with pytest.raises(ValueError, match="no model format 'unheard'"):
        get_model_structural_tag("unheard", TOOLS)


def test_a_family_s_function_is_its_builder():
    families = importlib.import_module("xg2lab.builtin_structural_tag")
    registry = families._structural_tag_registry
    assert {"llama", "kimi", "harmony", "qwen_3_coder", "minimax_m3", "gemma_4"} <= {*registry}
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"type": "function", "function": {"name": name, "parameters": city}} for name in ("weather", "map")]
    for name in MODEL_FORMATS:
        builder = getattr(families, f"get_{name}_structural_tag")
        assert registry[name] is builder
        prepared = normalize_tool_choice(tools, "required")
        assert builder(*prepared, "disabled") == get_model_structural_tag(name, tools, "required", "disabled")
    assert families.get_builtin_structural_tag("llama", tools) == families.get_llama_structural_tag(tools)
    with pytest.raises(ValueError, match="normalize_tool_choice"):
        families.get_llama_structural_tag(tools, tool_choice="none")


def test_tools_as_models_are_tools_as_dicts():
    tools = [
        FunctionToolParam(function=FunctionDefinition(name="weather", strict=True, parameters=PERSON)),
        FunctionToolParam(function=FunctionDefinition(name="time")),
        BuiltinToolParam(type="web_search", name="search", parameters={"type": "object"}),
    ]
    one = AllowedToolRef(type="function", function=NamedToolChoiceFunction(name="time"))
    flat = AllowedToolRef(type="function", name="time")
    for choice, names in [
        ("auto", ["weather", "time", "web_search"]),
        (NamedToolChoiceParam(function=NamedToolChoiceFunction(name="time")), ["time"]),
        (BuiltinToolChoiceParam(type="web_search"), ["web_search"]),
        (AllowedToolChoiceParam(allowed_tools=AllowedToolsParam(mode="auto", tools=[one])), ["time"]),
        (AllowedToolChoiceParam(allowed_tools=AllowedToolsParam(mode="required", tools=[flat])), ["time"]),
    ]:
        made = normalize_tool_choice(tools, choice)
        assert made == normalize_tool_choice(TOOLS, choice if isinstance(choice, str) else choice.model_dump())
        assert [tool.name for tool in made[0]] + [tool.type for tool in made[1]] == names


# ---- SGLang: grammar objects, the error that means "skip", jump-forward ----


class SkippedError(Exception):
    """What a server makes of a RuntimeError of ours."""


class SglangGrammar:
    """One request's grammar."""

    def __init__(self, compiled: xgr.CompiledGrammar) -> None:
        self.compiled, self.matcher = compiled, xgr.GrammarMatcher(compiled, max_rollback_tokens=200)

    def accept_token(self, token: int) -> None:
        if not self.matcher.is_terminated() and not self.matcher.accept_token(token):
            raise ValueError(token)

    def jump_and_retokenize(self, old: list[int], new: list[int]) -> None:
        n_same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        if n_same < len(old):
            self.matcher.rollback(len(old) - n_same)
        for token in new[n_same:]:
            assert self.matcher.accept_token(token)

    def copy(self) -> SglangGrammar:
        return SglangGrammar(self.compiled)


def sglang_grammar(compile: Callable[[], xgr.CompiledGrammar]) -> SglangGrammar:
    try:
        return SglangGrammar(compile())
    except RuntimeError as error:
        logging.getLogger(__name__).debug("skipped: %s", error)
        raise SkippedError from error


def test_sglang_s_calls(tokenizer: Any):
    rng, vocab_size = seeded("sglang"), len(tokenizer)
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size)
    compiler = xgr.GrammarCompiler(tokenizer_info=info)
    items = [StructuralTagItem(**{k: s[k] for k in ("begin", "schema", "end")}) for s in LEGACY["structures"]]
    makers = [
        compiler.compile_builtin_json_grammar,
        lambda: compiler.compile_json_schema(schema=json.dumps(PERSON)),
        lambda: compiler.compile_grammar(EBNF),
        lambda: compiler.compile_regex("[ab]{2,5}"),
        lambda: compiler.compile_structural_tag(items, LEGACY["triggers"]),
        lambda: compiler.compile_structural_tag(tags=items, triggers=LEGACY["triggers"]),
    ]
    grammars = [sglang_grammar(make).copy() for make in makers]
    mask = xgr.allocate_token_bitmask(len(grammars), vocab_size)
    for _ in range(25):
        for i, grammar in enumerate(grammars):
            if not grammar.matcher.is_terminated():
                grammar.matcher.fill_next_token_bitmask(mask, i)
        logits = torch.zeros((len(grammars), vocab_size), dtype=torch.bfloat16)
        xgr.apply_token_bitmask_inplace(logits, mask.to("cpu", non_blocking=True))
        for row, grammar in zip(logits, grammars, strict=True):
            grammar.accept_token(draw(rng, row))
    with pytest.raises(SkippedError):
        sglang_grammar(lambda: compiler.compile_regex("("))
    compiler.clear_cache()


def test_sglang_jumps_forward_and_tokenizes_anew(tokenizer: Any):
    info = xgr.TokenizerInfo.from_huggingface(tokenizer)
    grammar = sglang_grammar(
        lambda: xgr.GrammarCompiler(info).compile_grammar('root ::= "{\\"name\\": \\"" [a-z]+ "\\"}"')
    )
    forced = grammar.matcher.find_jump_forward_string()
    assert '{"name": "'.startswith(forced)
    assert len(forced) > 5
    old = info.encode_greedy(forced[:3])
    for token in old:
        grammar.accept_token(token)
    grammar.jump_and_retokenize(old, info.encode_greedy(forced))
    assert grammar.matcher.accept_string('{"name": "ab"}'[len(forced) :])
    assert grammar.matcher.is_completed()


# ---- vllm-gaudi and other runners: kernels by their modules ----


def test_gaudi_applies_by_the_kernel_s_module():
    cpu = importlib.import_module("xg2lab.kernels.apply_token_bitmask_inplace_cpu")
    compiled = importlib.import_module("xg2lab.kernels.apply_token_bitmask_inplace_torch_compile")
    assert callable(compiled.apply_token_bitmask_inplace_torch_compile)
    bitmask = torch.from_numpy(np.array([[0b0101], [0], [0b0010]], np.int32))
    logits = torch.zeros((3, 4), dtype=torch.bfloat16)
    on_cpu = logits.cpu().to(torch.float32)
    cpu.apply_token_bitmask_inplace_cpu(on_cpu, bitmask.to("cpu"), indices=[0, 2])
    logits.copy_(on_cpu.to(logits.dtype))
    allowed = [torch.isfinite(row).nonzero().flatten().tolist() for row in logits]
    assert allowed == [[0, 2], [0, 1, 2, 3], [1]]
    cpu.apply_token_bitmask_inplace_cpu(on_cpu, bitmask, None, None)
    assert torch.isinf(on_cpu[1]).all()


@pytest.mark.parametrize("name", ["cpu", "torch", "triton", "cuda", "torch_compile"])
def test_every_kernel_s_module_is_there(name: str):
    module = importlib.import_module(f"xg2lab.kernels.apply_token_bitmask_inplace_{name}")
    kernel = getattr(module, f"apply_token_bitmask_inplace_{name}")
    logits, bitmask = torch.zeros((2, 3)), torch.tensor([[1], [2]], dtype=torch.int32)
    if name in ("cpu", "torch"):
        kernel(logits, bitmask, indices=[1])
        assert logits.tolist() == [[0, 0, 0], [-np.inf, 0, -np.inf]]
    elif not torch.cuda.is_available() and name != "torch_compile":
        with pytest.raises(RuntimeError, match=f"backend '{name}'"):
            kernel(logits, bitmask)


# ---- Outlines: a processor that is pickled ----


class OutlinesProcessor:
    """For a batch, with the bitmask moved to the logits' device and back each step."""

    def __init__(self, compiled: xgr.CompiledGrammar) -> None:
        self.compiled: xgr.CompiledGrammar = compiled
        self.matchers: list[xgr.GrammarMatcher] | None = None

    def __call__(self, input_ids: Any, logits: Any) -> Any:
        if self.matchers is None:
            self.matchers = [xgr.GrammarMatcher(self.compiled) for _ in range(len(input_ids))]
            self.bitmask = xgr.allocate_token_bitmask(len(input_ids), logits.shape[1])
        else:
            for matcher, ids in zip(self.matchers, input_ids, strict=True):
                assert matcher.is_terminated() or matcher.accept_token(ids[-1].item())
        for i, matcher in enumerate(self.matchers):
            if not matcher.is_terminated():
                matcher.fill_next_token_bitmask(self.bitmask, i)
        self.bitmask = self.bitmask.to(logits.device)
        xgr.apply_token_bitmask_inplace(logits, self.bitmask)
        self.bitmask = self.bitmask.to("cpu")
        return logits

    def __getstate__(self) -> dict[str, str]:
        return {"compiled": self.compiled.serialize_json(), "info": self.compiled.tokenizer_info.serialize_json()}

    def __setstate__(self, state: dict[str, str]) -> None:
        info = xgr.TokenizerInfo.deserialize_json(state["info"])
        self.__init__(xgr.CompiledGrammar.deserialize_json(state["compiled"], info))


def test_outlines_batches_and_pickles(tokenizer: Any):
    rng = seeded("outlines")
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=len(tokenizer.get_vocab()))
    compiler = xgr.GrammarCompiler(info)
    processor = pickle.loads(pickle.dumps(OutlinesProcessor(compiler.compile_json_schema(json.dumps(PERSON)))))
    ids = torch.zeros((3, 2), dtype=torch.int64)
    most_tokens = 2000  # white space may be drawn again and again
    for _ in range(most_tokens):
        logits = processor(ids, torch.zeros((3, info.vocab_size)))
        if all(matcher.is_terminated() for matcher in processor.matchers):
            break
        ids = torch.cat([ids, torch.tensor([[draw(rng, row)] for row in logits])], dim=1)
    assert processor.bitmask.numpy().dtype == np.int32
    for matcher in processor.matchers:
        assert matcher.is_terminated()
