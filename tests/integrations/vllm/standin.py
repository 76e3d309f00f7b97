"""vLLM in small: what its manager of structured outputs does with a backend, in our words.

Each step it fills a row for each request and each draft token, accepts the draft to come to the next row, and takes
the draft back. Padding, -1, is no draft: the rows from there on allow everything. Without drafts and with more than
128 requests, threads fill 16 rows each. Before the end of a model's reasoning, nothing is masked or accepted.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

from tests.integrations.standins import modules_of
from xg2lab.integrations.vllm import CONTRACT

FROM_HERE, BATCH, MOST_IN_ONE_THREAD = 0, 16, 128


def modules() -> dict[str, ModuleType]:
    made = modules_of(CONTRACT)
    made["vllm"].__version__ = CONTRACT.tried
    made["vllm.envs"].VLLM_XGRAMMAR_CACHE_MB = 64
    params = made["vllm.sampling_params"].StructuredOutputsParams
    kinds = ("json", "regex", "choice", "grammar", "json_object", "structural_tag")
    params.all_constraints_none = lambda self: all(getattr(self, kind) is None for kind in kinds)
    made["vllm.v1.structured_output"].StructuredOutputManager.__init__ = Steps.__init__
    for name in ("validate_tokens", "accept_tokens", "grammar_bitmask", "_fill", "_start", "_drafted"):
        setattr(made["vllm.v1.structured_output"].StructuredOutputManager, name, getattr(Steps, name))
    scope = vars(made["vllm.v1.structured_output"])
    scope["key_of"] = key_of
    exec(GRAMMAR_INIT, scope)
    made["vllm.v1.structured_output"].StructuredOutputManager.grammar_init = scope["grammar_init"]
    return made


#: In the module's own scope, since the plug-in replaces a name there.
GRAMMAR_INIT = """
def grammar_init(self, request):
    if self.backend is None:
        config = self.vllm_config
        vocab_size = config.model_config.get_vocab_size()
        self.backend = XgrammarBackend(config, tokenizer=self.tokenizer, vocab_size=vocab_size)
    kind, spec = key_of(request.structured_output_request.params)
    stops = request.sampling_params.all_stop_token_ids
    request.structured_output_request.grammar = self.backend.compile_grammar(kind, spec, stop_token_ids=stops)
"""


def key_of(params: Any) -> tuple[Any, str]:
    import json

    from vllm.v1.structured_output.backend_types import StructuredOutputOptions as Options

    if params.json is not None:
        return Options.JSON, params.json if isinstance(params.json, str) else json.dumps(params.json)
    if params.json_object:
        return Options.JSON_OBJECT, ""
    if params.choice is not None:
        return Options.CHOICE, json.dumps(params.choice)
    for kind in ("regex", "grammar", "structural_tag"):
        if getattr(params, kind) is not None:
            return Options[kind.upper()], getattr(params, kind)
    raise AssertionError(params)


@dataclass
class Steps:
    """The methods that the stand-in's `StructuredOutputManager` gets."""

    vllm_config: Any

    def __init__(self, vllm_config: Any) -> None:
        self.vllm_config, self.backend, self.tokenizer, self.reasoner_cls = vllm_config, None, None, None
        self.bitmask: Any = None

    def _start(self, request: Any, tokens: list[int]) -> int:
        """How many of `tokens` come before the grammar."""
        wanted = request.structured_output_request
        if self.reasoner_cls is None or wanted.reasoning_ended:
            return FROM_HERE
        reasoner = self.reasoner_cls(tokenizer=self.tokenizer)
        if wanted.reasoning_ended is None and reasoner.is_reasoning_end(request.prompt_token_ids):
            return FROM_HERE
        for n in range(1, len(tokens) + 1):
            if reasoner.is_reasoning_end_streaming(tokens[:n], tokens[:n]):
                return n
        return len(tokens) + 1

    def validate_tokens(self, request: Any, spec_tokens: list[int]) -> list[int]:
        tokens = self._drafted(spec_tokens)
        start = self._start(request, tokens)
        return tokens[:start] + request.structured_output_request.grammar.validate_tokens(tokens[start:])

    def accept_tokens(self, request: Any, new_token_ids: list[int]) -> bool:
        start = self._start(request, new_token_ids)
        if start > len(new_token_ids):
            return True
        request.structured_output_request.reasoning_ended = True
        return request.structured_output_request.grammar.accept_tokens(request.request_id, new_token_ids[start:])

    def grammar_bitmask(self, requests: dict[str, Any], ids: list[str], drafts: dict[str, list[int]]) -> Any:
        n_drafts = self.vllm_config.num_speculative_tokens
        if self.bitmask is None:
            n_rows = self.vllm_config.scheduler_config.max_num_seqs * (1 + n_drafts)
            self.bitmask = self.backend.allocate_token_bitmask(n_rows)
        if len(ids) > MOST_IN_ONE_THREAD and n_drafts == 0:
            rows = [(requests[each], row, self._start(requests[each], []) == 0) for row, each in enumerate(ids)]
            with ThreadPoolExecutor(4) as threads:
                list(threads.map(self._fill, [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]))
            return self.bitmask[: len(ids)].numpy()
        row = 0
        for each in ids:
            request, given = requests[each], drafts.get(each, [])
            drafted, n_taken = self._drafted(given), 0
            start = self._start(request, drafted)
            for place in range(len(given) + 1):
                applies = start <= place <= len(drafted)
                self._fill([(request, row, applies)])
                if place < len(drafted) and place >= start:
                    assert request.structured_output_request.grammar.accept_tokens(each, [drafted[place]])
                    n_taken += 1
                row += 1
            if n_taken:
                request.structured_output_request.grammar.rollback(n_taken)
        return self.bitmask[:row].numpy()

    def _fill(self, batch: list[tuple[Any, int, bool]]) -> None:
        for request, row, applies in batch:
            grammar = request.structured_output_request.grammar
            if applies and not grammar.is_terminated():
                grammar.fill_bitmask(self.bitmask, row)
            else:
                self.bitmask[row] = -1

    def _drafted(self, tokens: list[int]) -> list[int]:
        return tokens[: tokens.index(-1)] if -1 in tokens else tokens


def config(n_drafts: int, max_num_seqs: int, vocab_size: int, *, is_compact: bool = False) -> Any:
    """What a backend and a manager read of vLLM's configuration, for the stand-in and for vLLM itself."""
    return SimpleNamespace(
        num_speculative_tokens=n_drafts,
        speculative_config=SimpleNamespace(num_speculative_tokens=n_drafts) if n_drafts else None,
        scheduler_config=SimpleNamespace(max_num_seqs=max_num_seqs),
        parallel_config=SimpleNamespace(distributed_executor_backend=None),
        structured_outputs_config=SimpleNamespace(
            disable_any_whitespace=is_compact,
            disable_additional_properties=False,
            reasoning_parser="",
            reasoning_parser_plugin="",
            enable_in_reasoning=False,
        ),
        model_config=SimpleNamespace(
            skip_tokenizer_init=True,
            get_vocab_size=lambda: vocab_size,
            is_diffusion=False,
            hf_config=SimpleNamespace(model_type="llama"),
        ),
    )
