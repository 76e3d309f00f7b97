"""SGLang's own path of a request, as far as it runs without a GPU, with our backend chosen by its name.

python -m tests.integrations.sglang.manager       # where SGLang can be imported; prints a line of JSON

Real are the manager of grammars that the scheduler owns, the registry, the wrapper for models that reason, the sampling
parameters, and the batch that fills masks and applies them to logits. A stub stands for the scheduler around them
and for its request object: SGLang's modules of that name import CUDA packages.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from unittest import mock

from tests.integrations.sglang.scenarios import KINDS, main
from tests.integrations.sglang.standin import serving
from tests.integrations.vllm.scenarios import PERSON

FIELDS = {
    "json": "json_schema",
    "regex": "regex",
    "ebnf": "ebnf",
    "structural_tag": "structural_tag",
}
PATIENCE_SECONDS = 60.0


@dataclass
class Request:
    """What the manager reads and writes of a request."""

    rid: str
    sampling_params: Any
    require_reasoning: bool = False
    origin_input_ids: list[int] = field(default_factory=lambda: [1, 2])
    grammar: Any = None
    grammar_key: Any = None
    grammar_wait_ct: int = 0
    aborted: str | None = None

    def finished(self) -> bool:
        return self.aborted is not None

    def set_finish_with_abort(self, error_msg: str) -> None:
        self.aborted = error_msg


class Scheduler:
    """A scheduler, as far as its manager of grammars sees it: it gives requests to the manager and takes them back."""

    def __init__(self, **settings: Any) -> None:
        from sglang.srt.constrained.grammar_manager import GrammarManager
        from transformers import AutoTokenizer

        from xg2lab.integrations.sglang import register
        from xg2lab.tiny import tiny_model_path

        register()
        self.tokenizer = AutoTokenizer.from_pretrained(tiny_model_path())
        self.vocab_size = len(self.tokenizer) + 5
        self.stop = int(self.tokenizer.eos_token_id)
        group = SimpleNamespace(world_size=1, first_rank=0, is_first_rank=True)
        model = SimpleNamespace(vocab_size=self.vocab_size, hf_eos_token_id={self.stop}, think_end_ids=None)
        stub: Any = SimpleNamespace(
            server_args=SimpleNamespace(model_path="tiny"),
            tokenizer=self.tokenizer,
            model_config=model,
            dp_tp_cpu_group=None,
            dp_tp_group=group,
            pp_group=None,
        )
        self.settings = {"skip_tokenizer_init": False, **settings}
        with self.context():
            self.manager = GrammarManager(stub)

    @contextmanager
    def context(self) -> Generator[None]:
        """SGLang's settings as a server's arguments would make them."""
        module = "sglang.srt.constrained.grammar_manager"
        settings, chosen = serving(**self.settings), SimpleNamespace(kernel=SimpleNamespace(grammar_backend="xg2lab"))
        with (
            mock.patch(f"{module}.get_serving", return_value=settings),
            mock.patch("sglang.srt.runtime_context.get_serving", return_value=settings),
            mock.patch(f"{module}.get_parallel", return_value=SimpleNamespace(pp_rank=0, pp_size=1)),
            mock.patch("sglang.srt.constrained.base_grammar_backend.get_exec", return_value=chosen),
        ):
            yield

    def request(self, kind: str, text: str, *, reasons: bool = False, **more: Any) -> Request:
        """A request with its sampling parameters checked as SGLang checks them."""
        from sglang.srt.sampling.sampling_params import SamplingParams

        parameters = SamplingParams(**{FIELDS[kind]: text}, **more)
        parameters.normalize(self.tokenizer)
        parameters.verify(self.vocab_size)
        return Request(f"{kind}-{id(parameters)}", parameters, require_reasoning=reasons)

    def added(self, *requests: Request) -> list[Request]:
        """Put requests in, and wait until the manager has let each go."""
        return self.let_go(sum(self.manager.process_req_with_grammar(request) for request in requests))

    def let_go(self, n_requests: int) -> list[Request]:
        """Wait until the manager has let so many requests go; a manager that hangs must not hang the caller."""
        ready: list[Request] = []
        begin = time.monotonic()
        while len(ready) < n_requests:
            if time.monotonic() - begin > PATIENCE_SECONDS:
                raise TimeoutError(f"the manager has let {len(ready)} of {n_requests} requests go")
            ready += self.manager.get_ready_grammar_requests()
        return ready

    def batch(self, requests: list[Request]) -> Any:
        """SGLang's batch of sampling parameters, on the CPU, with greedy sampling."""
        import torch
        from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo

        n = len(requests)
        return SamplingBatchInfo(
            temperatures=torch.ones((n, 1)),
            top_ps=torch.ones(n),
            top_ks=torch.ones(n, dtype=torch.int32),
            min_ps=torch.zeros(n),
            is_all_greedy=True,
            is_any_greedy=True,
            need_top_p_sampling=False,
            need_top_k_sampling=False,
            need_min_p_sampling=False,
            vocab_size=self.vocab_size,
            grammars=[request.grammar for request in requests],
            device="cpu",
        )

    def written(self, requests: list[Request], most: int = 300) -> list[list[int]]:
        """Let a batch write to its end: logits by chance that prefer ends, SGLang's masks, the likeliest token."""
        import torch

        batch, texts = self.batch(requests), [[] for _ in requests]
        random = torch.Generator().manual_seed(3)
        closing = [self.letter(mark) for mark in ('"', "}")]
        for _ in range(most):
            if all(request.grammar.is_terminated() for request in requests):
                break
            logits = torch.rand((len(requests), self.vocab_size), generator=random)
            logits[:, closing] += 1
            logits[:, self.stop] += 2
            batch.update_regex_vocab_mask()
            batch.apply_logits_bias(logits)
            for request, text, token in zip(requests, texts, logits.argmax(-1).tolist(), strict=True):
                if not request.grammar.is_terminated():
                    request.grammar.accept_token(token)
                    text.append(token)
        return texts

    def letter(self, text: str) -> int:
        return self.tokenizer.convert_tokens_to_ids(text)


def each_kind_of_request_goes_through_the_manager_and_the_batch() -> None:
    scheduler = Scheduler()
    kinds = [each for each in KINDS if each[0] in FIELDS]
    requests = [scheduler.request(kind, text) for kind, text, _ in kinds]
    assert {id(request) for request in scheduler.added(*requests)} == {id(request) for request in requests}
    assert not scheduler.manager.has_waiting_grammars()
    texts = scheduler.written(requests)
    for (kind, _, fits), request, text in zip(kinds, requests, texts, strict=True):
        assert request.aborted is None
        assert request.grammar.is_terminated(), kind
        assert text[-1] == scheduler.stop
        said = scheduler.tokenizer.decode(text[:-1])
        assert fits(said), (kind, said)


def the_same_grammar_again_is_a_hit_with_a_state_of_its_own() -> None:
    scheduler = Scheduler()
    first = scheduler.request("json", json.dumps(PERSON))
    scheduler.added(first)
    scheduler.written([first])
    again = scheduler.request("json", json.dumps(PERSON))
    assert not scheduler.manager.process_req_with_grammar(again)
    assert again.grammar is not first.grammar
    assert again.grammar.grammar_stats.is_cache_hit
    assert not again.grammar.is_terminated()
    assert set(json.loads(scheduler.tokenizer.decode(scheduler.written([again])[0][:-1]))) == {"name", "adult"}
    scheduler.manager.clear()
    assert scheduler.manager.process_req_with_grammar(scheduler.request("json", json.dumps(PERSON)))


def a_request_that_is_refused_is_aborted_with_its_place() -> None:
    scheduler = Scheduler()
    wrong = '{"properties": {"a": {"type": "strin"}}}'
    said = "at /properties/a/type: there is no type `strin`"
    first = scheduler.request("json", wrong)
    right = scheduler.request("regex", "ab")
    scheduler.added(first, right)
    assert first.aborted is not None
    assert first.aborted.startswith("Failed to compile json grammar: ")
    assert said in first.aborted
    assert right.aborted is None
    again = scheduler.request("json", wrong)
    assert not scheduler.manager.process_req_with_grammar(again)
    assert again.aborted is not None
    assert said in again.aborted


def a_row_without_a_grammar_stays_free() -> None:
    import torch

    scheduler = Scheduler()
    bound = scheduler.request("regex", "ab")
    scheduler.added(bound)
    free = Request("free", None)
    batch = scheduler.batch([free, bound])
    logits = torch.zeros((2, scheduler.vocab_size))
    batch.update_regex_vocab_mask()
    batch.apply_logits_bias(logits)
    assert torch.isfinite(logits[0]).all()
    assert scheduler.letter("a") in torch.isfinite(logits[1]).nonzero().flatten().tolist()
    assert scheduler.letter("b") not in torch.isfinite(logits[1]).nonzero().flatten().tolist()


def requests_that_wait_are_aborted() -> None:
    scheduler = Scheduler()
    requests = [scheduler.request("regex", f"{letter}+") for letter in "abc"]
    for request in requests:
        assert scheduler.manager.process_req_with_grammar(request)
    scheduler.manager.abort_requests(SimpleNamespace(abort_all=False, rid=requests[1].rid))
    scheduler.let_go(3)
    assert [request.aborted is None for request in requests] == [True, False, True]


def reasoning_is_free_and_the_answer_is_not() -> None:
    scheduler = Scheduler(reasoning_parser="deepseek-r1")
    assert type(scheduler.manager.grammar_backend).__name__ == "ReasonerGrammarBackend"
    thinks = scheduler.request("regex", "ab", reasons=True)
    answers = scheduler.request("regex", "ab")
    scheduler.added(thinks, answers)
    end = list(scheduler.manager.grammar_backend.think_end_ids)
    batch = scheduler.batch([thinks, answers])

    def allowed() -> list[int]:
        import torch

        logits = torch.zeros((2, scheduler.vocab_size))
        batch.update_regex_vocab_mask()
        batch.apply_logits_bias(logits)
        return torch.isfinite(logits).sum(-1).tolist()

    assert allowed()[0] == scheduler.vocab_size > allowed()[1]
    for token in (scheduler.letter("x"), *end):
        assert allowed()[0] == scheduler.vocab_size
        thinks.grammar.accept_token(token)
    assert allowed()[0] == allowed()[1]
    said = scheduler.written([thinks, answers])
    assert [scheduler.tokenizer.decode(text[:-1]) for text in said] == ["ab", "ab"]


def a_budget_of_thought_is_the_request_s() -> None:
    with mock.patch.dict(os.environ, {"SGLANG_MAX_THINK_TOKENS": "50"}):
        scheduler = Scheduler(reasoning_parser="deepseek-r1", enable_strict_thinking=True)
    request = scheduler.request("regex", "ab", reasons=True, custom_params={"thinking_budget": 2})
    scheduler.added(request)
    assert request.grammar.max_think_tokens == 2
    end = list(scheduler.manager.grammar_backend.think_end_ids)
    text = scheduler.written([request])[0]
    assert text[2 : 2 + len(end)] == end
    assert scheduler.tokenizer.decode(text[2 + len(end) : -1]) == "ab"


SCENARIOS: list[Callable[[], None]] = [
    each_kind_of_request_goes_through_the_manager_and_the_batch,
    the_same_grammar_again_is_a_hit_with_a_state_of_its_own,
    a_request_that_is_refused_is_aborted_with_its_place,
    a_row_without_a_grammar_stays_free,
    requests_that_wait_are_aborted,
    reasoning_is_free_and_the_answer_is_not,
    a_budget_of_thought_is_the_request_s,
]


if __name__ == "__main__":
    sys.exit(main(SCENARIOS))
