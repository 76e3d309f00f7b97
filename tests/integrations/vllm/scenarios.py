"""What vLLM's manager does with our backend, step by step: run with vLLM itself, or with its stand-in.

    python -m tests.integrations.vllm.scenarios        # in an environment with vLLM; prints a line of JSON

A scenario takes a `Server` and asserts. A row of a bitmask is compared with its definition: a token is allowed if the
grammar accepts it.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.integrations.reporting import report
from tests.integrations.vllm.standin import config
from xg2lab.bitmask import bitmask_to_bool_mask

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 4}, "adult": {"type": "boolean"}},
    "required": ["name", "adult"],
    "additionalProperties": False,
}
OLDER_TAG = {
    "triggers": ["<function="],
    "structures": [{"begin": "<function=go>", "schema": {"enum": [1, 2]}, "end": "</function>"}],
}
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "tag",
        "begin": "<a>",
        "content": {"type": "json_schema", "json_schema": PERSON},
        "end": "</a>",
    },
}
LARK = 'start: GREETING " " NAME\nGREETING: "hello" | "bye"\nNAME: /[a-z]{1,4}/'
KINDS: list[tuple[dict[str, Any], Callable[[str], bool]]] = [
    ({"json": json.dumps(PERSON)}, lambda text: set(json.loads(text)) == {"name", "adult"}),
    ({"json": PERSON}, lambda text: set(json.loads(text)) == {"name", "adult"}),
    ({"json_object": True}, lambda text: isinstance(json.loads(text), dict)),
    ({"regex": r"\d{3}-\d{2}"}, lambda text: len(text) == 6 and text[3] == "-"),
    ({"grammar": 'root ::= "yes" | "no"'}, lambda text: text in ("yes", "no")),
    ({"grammar": LARK}, lambda text: text.split(" ")[0] in ("hello", "bye")),
    ({"choice": ["red", 'a "b"\n', "red wine"]}, lambda text: text in ("red", 'a "b"\n', "red wine")),
    ({"structural_tag": json.dumps(TAG)}, lambda text: text.startswith("<a>") and text.endswith("</a>")),
    (
        {"structural_tag": json.dumps(OLDER_TAG)},
        lambda text: text.count("<function=") == text.count("</function>"),
    ),
]


class Server:
    """A manager with our backend, and requests for it."""

    def __init__(self, n_drafts: int = 0, max_num_seqs: int = 8, *, is_compact: bool = False) -> None:
        from transformers import AutoTokenizer
        from vllm.v1.structured_output import StructuredOutputManager

        from xg2lab.integrations.vllm import register
        from xg2lab.tiny import tiny_model_path

        register()
        self.tokenizer = AutoTokenizer.from_pretrained(tiny_model_path())
        self.vocab_size = len(self.tokenizer) + 5  # logits are often wider than the tokenizer
        self.stop = int(self.tokenizer.eos_token_id)
        settings = config(n_drafts, max_num_seqs, self.vocab_size, is_compact=is_compact)
        self.manager = StructuredOutputManager(settings)
        # What the manager makes itself if it may load a model's tokenizer from a configuration.
        self.manager.tokenizer = self.tokenizer
        self.manager._use_async_grammar_compilation = False
        self.requests: dict[str, Any] = {}

    def add(self, stop_token_ids: set[int] | None = None, **wanted: Any) -> Any:
        from vllm.sampling_params import StructuredOutputsParams
        from vllm.v1.structured_output.backend_xgrammar import validate_xgrammar_grammar

        params = StructuredOutputsParams(**wanted)
        params._backend = "xgrammar"
        validate_xgrammar_grammar(SimpleNamespace(structured_outputs=params))
        request = SimpleNamespace(
            request_id=f"request-{len(self.requests)}",
            use_structured_output=True,
            sampling_params=SimpleNamespace(
                structured_outputs=params, all_stop_token_ids=stop_token_ids or {self.stop}
            ),
            structured_output_request=_structured_output_request(params),
            prompt_token_ids=[0],
            all_token_ids=[0],
        )
        self.manager.grammar_init(request)
        self.requests[request.request_id] = request
        return request

    def rows(self, *requests: Any, drafts: dict[str, list[int]] | None = None) -> np.ndarray:
        """A step's rows as booleans, of shape (rows, vocab_size)."""
        ids = [request.request_id for request in requests]
        words = self.manager.grammar_bitmask(self.requests, ids, drafts or {})
        return bitmask_to_bool_mask(words.copy(), self.vocab_size)

    def defined(self, request: Any) -> np.ndarray:
        """A row by its definition."""
        grammar = request.structured_output_request.grammar
        return np.array([grammar.validate_tokens([token]) == [token] for token in range(self.vocab_size)])


def _structured_output_request(params: Any) -> Any:
    try:
        from vllm.v1.structured_output.request import StructuredOutputRequest
    except ImportError:  # the stand-in
        return SimpleNamespace(params=params, grammar=None, reasoning_ended=None)
    return StructuredOutputRequest(params=params)


def draw(rng: random.Random, row: np.ndarray) -> int:
    allowed = np.flatnonzero(row).tolist()
    return rng.choice(allowed[-3:] if rng.random() < 0.5 else allowed)


def every_kind_of_request_is_written_to_its_end() -> None:
    server, rng = Server(max_num_seqs=len(KINDS)), random.Random(1)
    quote, brace = (server.tokenizer.convert_tokens_to_ids(mark) for mark in '"}')
    for wanted, fits in KINDS:
        written = []
        request = server.add(**wanted)
        for _ in range(400):
            row = server.rows(request)[0]
            if request.structured_output_request.grammar.is_terminated():
                break
            closing = [token for token in (quote, brace) if row[token]]
            token = server.stop if row[server.stop] else rng.choice(closing) if closing else draw(rng, row)
            assert server.manager.accept_tokens(request, [token]), (wanted, written, token)
            written.append(token)
        assert written, wanted
        assert written[-1] == server.stop, wanted
        text = server.tokenizer.decode(written[:-1])
        assert fits(text), (wanted, text)


def a_row_allows_what_the_grammar_accepts() -> None:
    server, rng = Server(n_drafts=1), random.Random(2)
    for wanted, _ in KINDS:
        request = server.add(**wanted)
        for _ in range(3):
            row = server.rows(request)[0]
            assert (row == server.defined(request)).all(), wanted
            assert server.manager.accept_tokens(request, [draw(rng, row)])
            if request.structured_output_request.grammar.is_terminated():
                break


def stop_tokens_of_a_request_end_it_and_are_masked_before() -> None:
    server = Server()
    x, y = (server.tokenizer.convert_tokens_to_ids(letter) for letter in "xy")
    request = server.add(stop_token_ids={server.stop, y, server.vocab_size + 7}, regex="x+y*")
    first = server.rows(request)[0]
    assert first[x]
    assert not first[y]
    assert not first[server.stop]
    assert server.manager.accept_tokens(request, [x])
    then = server.rows(request)[0]
    assert then[x]
    assert then[y]  # not as a letter: it ends the text
    assert then[server.stop]
    assert server.manager.accept_tokens(request, [y])
    assert request.structured_output_request.grammar.is_terminated()


def a_text_that_is_over_allows_everything_and_ignores_tokens() -> None:
    server = Server()
    request = server.add(choice=["a"])
    token = server.tokenizer.convert_tokens_to_ids("a")
    assert server.manager.accept_tokens(request, [token, server.stop])
    assert server.rows(request)[0].all()
    grammar = request.structured_output_request.grammar
    assert grammar.accept_tokens(request.request_id, [token])
    assert grammar.validate_tokens([token]) == []
    alone = server.manager.backend.allocate_token_bitmask(1)
    alone[0] = 0
    grammar.fill_bitmask(alone, 0)
    assert (alone == -1).all()
    grammar.reset()
    assert not grammar.is_terminated()
    assert (server.rows(request)[0] == server.defined(request)).all()


def drafts_have_rows_of_their_own_and_are_taken_back() -> None:
    server = Server(n_drafts=3)
    letters = {letter: server.tokenizer.convert_tokens_to_ids(letter) for letter in "abcd"}
    request = server.add(regex="abcd")
    other = server.add(regex="d+")
    draft = server.manager.validate_tokens(request, [letters["a"], letters["b"], letters["d"]])
    assert draft == [letters["a"], letters["b"]]
    padded = [*draft, -1]
    rows = server.rows(request, other, drafts={request.request_id: padded})
    assert len(rows) == 4 + 1
    for row, letter in zip(rows, "abc", strict=False):
        assert row[letters[letter]]
        assert not row[server.stop]
        assert row.sum() < server.vocab_size / 2
    assert rows[3].all()  # beyond the padding
    assert rows[4][letters["d"]]
    again = server.rows(request, other)
    assert (again[0] == rows[0]).all()
    assert (again[0] == server.defined(request)).all()
    assert server.manager.accept_tokens(request, [letters["a"]])
    assert (server.rows(request)[0] == rows[1]).all()


def a_draft_may_end_the_text() -> None:
    server = Server(n_drafts=3)
    a = server.tokenizer.convert_tokens_to_ids("a")
    request = server.add(regex="a")
    assert server.manager.validate_tokens(request, [a, server.stop, a]) == [a, server.stop]
    rows = server.rows(request, drafts={request.request_id: [a, server.stop, -1]})
    assert rows[1][server.stop]
    assert rows[1].sum() == 1
    assert rows[2].all()
    assert not request.structured_output_request.grammar.is_terminated()
    assert (server.rows(request)[0] == rows[0]).all()


def many_requests_are_filled_in_threads() -> None:
    server, rng = Server(max_num_seqs=200), random.Random(3)
    requests = [server.add(**KINDS[n % len(KINDS)][0]) for n in range(150)]
    for _ in range(3):
        rows = server.rows(*requests)
        for request, row in zip(requests, rows, strict=True):
            grammar = request.structured_output_request.grammar
            if grammar.is_terminated():
                assert row.all()
                continue
            alone = server.manager.backend.allocate_token_bitmask(1)
            grammar.fill_bitmask(alone, 0)
            assert (bitmask_to_bool_mask(alone.numpy(), server.vocab_size)[0] == row).all()
            assert server.manager.accept_tokens(request, [draw(rng, row)])


def reasoning_is_not_masked() -> None:
    server = Server(n_drafts=3)
    end, a, b = (server.tokenizer.convert_tokens_to_ids(letter) for letter in ("]", "a", "b"))

    class Reasoner:
        """A model that thinks until it writes "]"."""

        def __init__(self, tokenizer: Any, **_: Any) -> None:
            self.tokenizer = tokenizer

        def is_reasoning_end(self, ids: list[int]) -> bool:
            return end in ids

        def is_reasoning_end_streaming(self, _: list[int], delta: list[int]) -> bool:
            return end in delta

    server.manager.reasoner_cls = Reasoner
    request = server.add(regex="ab")
    assert server.rows(request)[0].all()

    def written(tokens: list[int]) -> bool:
        request.all_token_ids += tokens
        return server.manager.accept_tokens(request, tokens)

    assert written([b, b])
    draft = server.manager.validate_tokens(request, [b, end, a])
    assert draft == [b, end, a]
    assert server.manager.validate_tokens(request, [b, end, b]) == [b, end]
    rows = server.rows(request, drafts={request.request_id: draft})
    assert rows[0].all()
    assert rows[1].all()
    assert rows[2][a]
    assert not rows[2][b]
    assert rows[3][b]
    assert not rows[3][a]
    assert written([b, end, a])
    assert (server.rows(request)[0] == rows[3]).all()


def a_refused_token_is_reported() -> None:
    server = Server()
    request = server.add(regex="ab")
    a = server.tokenizer.convert_tokens_to_ids("a")
    assert not server.manager.accept_tokens(request, [a, a])
    refusal = request.structured_output_request.grammar.text.refusal
    assert refusal is not None
    assert f"token {a} ('a') at token 1 of the text" in refusal
    assert 'expected "b"' in refusal


def json_without_spaces_if_the_server_asks() -> None:
    for is_compact in (False, True):
        server = Server(is_compact=is_compact)
        for wanted in ({"json": PERSON}, {"json_object": True}):
            request = server.add(**wanted)
            assert server.manager.accept_tokens(request, server.tokenizer.encode("{", add_special_tokens=False))
            row = server.rows(request)[0]
            spaces = server.tokenizer.encode(" ", add_special_tokens=False)
            assert [bool(row[token]) for token in spaces[:1]] == [not is_compact]
        server.manager.backend.destroy()
        assert not hasattr(server.manager.backend, "compiler")


def the_plug_in_takes_the_place_once() -> None:
    import vllm.v1.structured_output as module
    from vllm.v1.structured_output import backend_xgrammar

    from xg2lab.integrations.vllm import register

    register()
    backend, validate = module.XgrammarBackend, backend_xgrammar.validate_xgrammar_grammar
    register()
    assert backend is module.XgrammarBackend
    assert backend.__module__ == "xg2lab.integrations.vllm.backend"
    assert validate is backend_xgrammar.validate_xgrammar_grammar


def a_request_that_can_t_be_enforced_is_refused_with_its_place() -> None:
    from vllm.sampling_params import StructuredOutputsParams
    from vllm.v1.structured_output import backend_xgrammar

    from xg2lab.integrations.vllm import register

    register()
    validate = backend_xgrammar.validate_xgrammar_grammar
    tag = {"format": {**TAG["format"], "content": {"type": "json_schema", "json_schema": {"items": {"type": "strin"}}}}}
    refused: list[tuple[dict[str, Any], str | None, str]] = [
        ({"json": {"properties": {"a": {"type": "strin"}}}}, "/properties/a/type", "did you mean `string`?"),
        ({"json": '{"uniqueItems": true, "type": "array"}'}, "/uniqueItems", "JSON Schema of this request is refused"),
        ({"json": '{"type": '}, None, "line 1, column 10"),
        ({"structural_tag": json.dumps(tag)}, "/format/content/json_schema/items/type", "structural tag"),
        ({"structural_tag": '{"structures": [{"begin": "<a>"}], "triggers": []}'}, "/structures/0", "`schema`"),
        ({"regex": "(a"}, None, "`(` is not closed"),
        ({"grammar": 'root ::= "a'}, None, "EBNF grammar"),
        ({"grammar": "start: NAME"}, None, "Lark grammar"),
        ({"regex": "a", "whitespace_pattern": " "}, None, "whitespace_pattern"),
        ({"json": {}, "disable_any_whitespace": True}, None, "disable_any_whitespace"),
    ]
    for wanted, pointer, said in refused:
        params = SimpleNamespace(structured_outputs=StructuredOutputsParams(**wanted))
        try:
            validate(params)
        except Exception as error:  # noqa: BLE001 (its class belongs to the plug-in's module, loaded anew)
            assert type(error).__name__ == "GrammarRefusedError", (wanted, error)
            assert error.pointer == pointer, (wanted, error)
            assert said in str(error), (wanted, error)
            assert pointer is None or f"refused at {pointer}:" in str(error), (wanted, error)
        else:
            raise AssertionError(f"{wanted} is not refused")
    for wanted, _ in KINDS:
        validate(SimpleNamespace(structured_outputs=StructuredOutputsParams(**wanted)))
    validate(SimpleNamespace(structured_outputs=None))
    named = StructuredOutputsParams(grammar="start: <|im_end|>")  # looked up where the tokenizer is
    validate(SimpleNamespace(structured_outputs=named))


#: Those that speak of the manager alone: vLLM's own backend passes them too (tests/compat).
OF_ANY_BACKEND: list[Callable[[], None]] = [
    every_kind_of_request_is_written_to_its_end,
    a_row_allows_what_the_grammar_accepts,
    drafts_have_rows_of_their_own_and_are_taken_back,
    a_draft_may_end_the_text,
    many_requests_are_filled_in_threads,
    reasoning_is_not_masked,
    json_without_spaces_if_the_server_asks,
]
SCENARIOS: list[Callable[[], None]] = [
    every_kind_of_request_is_written_to_its_end,
    a_row_allows_what_the_grammar_accepts,
    stop_tokens_of_a_request_end_it_and_are_masked_before,
    a_text_that_is_over_allows_everything_and_ignores_tokens,
    drafts_have_rows_of_their_own_and_are_taken_back,
    a_draft_may_end_the_text,
    many_requests_are_filled_in_threads,
    reasoning_is_not_masked,
    a_refused_token_is_reported,
    json_without_spaces_if_the_server_asks,
    the_plug_in_takes_the_place_once,
    a_request_that_can_t_be_enforced_is_refused_with_its_place,
]


def main() -> int:
    """Run all with the vLLM of this environment; 1 if one fails."""
    import vllm

    os.environ["XG2LAB_VLLM"] = "1"
    return report("vLLM", vllm.__version__, SCENARIOS)


if __name__ == "__main__":
    sys.exit(main())
