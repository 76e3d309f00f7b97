"""What SGLang does with our backend: run with SGLang's own base classes, or with stand-ins for them.

python -m tests.integrations.sglang.scenarios     # where SGLang's classes can be imported; prints a line of JSON
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.integrations.reporting import report
from tests.integrations.sglang.standin import THINK_END, serving
from tests.integrations.vllm.scenarios import OLDER_TAG, PERSON, TAG
from xg2lab.bitmask import bitmask_to_bool_mask

KINDS: list[tuple[str, str, Callable[[str], bool]]] = [
    ("json", json.dumps(PERSON), lambda text: set(json.loads(text)) == {"name", "adult"}),
    ("regex", r"\d{3}-\d{2}", lambda text: len(text) == 6 and text[3] == "-"),
    ("ebnf", 'root ::= "yes" | "no"', lambda text: text in ("yes", "no")),
    ("full_assistant_ebnf", 'root ::= "yes" | "no"', lambda text: text in ("yes", "no")),
    ("structural_tag", json.dumps(TAG), lambda text: text.startswith("<a>") and text.endswith("</a>")),
    ("structural_tag", json.dumps(OLDER_TAG), lambda text: text.count("<function=") == text.count("</function>")),
]


class Server:
    """A backend of a server that was started with `--grammar-backend xg2lab`."""

    def __init__(self, **settings: Any) -> None:
        from sglang.srt import runtime_context
        from sglang.srt.constrained.base_grammar_backend import GRAMMAR_BACKEND_REGISTRY
        from transformers import AutoTokenizer

        from xg2lab.integrations.sglang import register
        from xg2lab.tiny import tiny_model_path

        register()
        self.tokenizer = AutoTokenizer.from_pretrained(tiny_model_path())
        self.vocab_size = len(self.tokenizer) + 5
        self.stop = int(self.tokenizer.eos_token_id)
        before = runtime_context.get_serving
        runtime_context.get_serving = lambda: serving(**settings)
        try:
            arguments = SimpleNamespace(model_path="tiny")
            self.backend = GRAMMAR_BACKEND_REGISTRY["xg2lab"](arguments, self.tokenizer, self.vocab_size, {self.stop})
        finally:
            runtime_context.get_serving = before

    def add(self, kind: str, text: str, *, reasons: bool = False) -> Any:
        return self.backend._init_value_dispatch((kind, text), reasons)

    def letter(self, text: str) -> int:
        return self.tokenizer.convert_tokens_to_ids(text)

    def mask(self, *grammars: Any) -> np.ndarray:
        """The rows of a batch as SGLang fills them, as booleans."""
        from sglang.srt.constrained.base_grammar_backend import GrammarRow

        mask = grammars[0].allocate_vocab_mask(self.vocab_size, len(grammars), "cpu")
        rows = [GrammarRow(row, grammar) for row, grammar in enumerate(grammars)]
        grammars[0].fill_vocab_mask_batched(rows, mask)
        return bitmask_to_bool_mask(mask.numpy(), self.vocab_size)


def every_kind_of_request_is_written_to_its_end() -> None:
    server, rng = Server(), random.Random(1)
    for kind, text, fits in KINDS:
        grammar, written = server.add(kind, text), []
        while not grammar.is_terminated() and len(written) < 300:
            row = server.mask(grammar)[0]
            closing = [token for token in (server.letter('"'), server.letter("}")) if row[token]]
            allowed = np.flatnonzero(row).tolist()
            token = server.stop if row[server.stop] else rng.choice(closing or allowed)
            grammar.accept_token(token)
            assert grammar.current_token == token
            written.append(token)
        assert grammar.is_terminated(), kind
        said = server.tokenizer.decode(written[:-1])
        assert fits(said), (kind, said)
        assert server.mask(grammar)[0].all()
        grammar.accept_token(server.letter("a"))  # ignored
        grammar.rollback(len(written))
        assert not grammar.is_terminated()
    assert server.add("json", "$$ANY$$").grammar_stats.dispatch_type == "json"


def a_batch_is_filled_as_each_alone() -> None:
    server, rng = Server(), random.Random(2)
    grammars = [server.add(kind, text) for kind, text, _ in KINDS * 3]
    for _ in range(4):
        rows = server.mask(*grammars)
        for grammar, row in zip(grammars, rows, strict=True):
            assert (server.mask(grammar)[0] == row).all()
            grammar.accept_token(rng.choice(np.flatnonzero(row).tolist()))


def rows_that_are_not_listed_stay() -> None:
    from sglang.srt.constrained.base_grammar_backend import GrammarRow

    server = Server()
    grammars = [server.add("regex", "a"), server.add("regex", "b")]
    mask = grammars[0].allocate_vocab_mask(server.vocab_size, 4, "cpu")
    grammars[0].fill_vocab_mask_batched([GrammarRow(3, grammars[0]), GrammarRow(1, grammars[1])], mask)
    rows = bitmask_to_bool_mask(mask.numpy(), server.vocab_size)
    assert [int(row.sum()) for row in rows] == [server.vocab_size, 1, server.vocab_size, 1]
    assert rows[3][server.letter("a")]
    assert rows[1][server.letter("b")]
    grammars[0].reset_vocab_mask(mask)
    assert (mask == -1).all()


def masks_are_applied_to_logits() -> None:
    import torch

    server = Server()
    grammar = server.add("regex", "a")
    mask = grammar.allocate_vocab_mask(server.vocab_size, 2, "cpu")
    grammar.fill_vocab_mask(mask, 1)
    logits = torch.zeros((2, server.vocab_size))
    moved = grammar.move_vocab_mask(mask, logits.device)
    grammar.apply_vocab_mask(logits=logits, vocab_mask=moved)
    assert torch.isfinite(logits[0]).all()
    assert torch.isfinite(logits[1]).nonzero().flatten().tolist() == [server.letter("a")]
    again = torch.zeros((2, server.vocab_size))
    server.backend.apply_vocab_mask(again, server.backend.move_vocab_mask(mask, "cpu"))
    assert torch.equal(again, logits)


def copies_begin_anew() -> None:
    server = Server()
    grammar = server.add("regex", "ab")
    grammar.accept_token(server.letter("a"))
    copy = grammar.copy()
    assert copy.grammar_stats.is_cache_hit
    assert not grammar.grammar_stats.is_cache_hit
    assert server.mask(copy)[0][server.letter("a")]
    assert server.mask(grammar)[0][server.letter("b")]
    assert copy.text.matcher.max_rollback_tokens == 200


def a_refused_token_raises_with_the_reason() -> None:
    server = Server()
    grammar = server.add("regex", "ab")
    grammar.accept_token(server.letter("a"))
    try:
        grammar.accept_token(server.letter("a"))
    except ValueError as error:
        assert "token 1 of the text" in str(error), error
        assert 'expected "b"' in str(error), error
    else:
        raise AssertionError("it is accepted")


def a_grammar_that_is_refused_says_where() -> None:
    server = Server()
    for kind, text, said in [
        ("json", '{"properties": {"a": {"type": "strin"}}}', "at /properties/a/type: there is no type `strin`"),
        ("json", "{", "line 1, column"),
        ("regex", "(a", "`(` is not closed"),
        ("ebnf", 'root ::= "a', "is not closed"),
        ("structural_tag", '{"format": {"type": "any"}}', "at /format/type: there is no format `any`"),
        ("structural_tag", '{"structures": [{}], "triggers": []}', "at /structures/0: "),
    ]:
        refused = server.add(kind, text)
        assert type(refused).__name__ == "InvalidGrammarObject", (kind, text)
        assert said in refused.error_message, refused.error_message


def forced_text_is_jumped_over() -> None:
    server = Server()
    grammar = server.add("regex", "ab(cd|c)e")
    assert grammar.try_jump_forward(server.tokenizer) is not None
    text, state = grammar.jump_forward_str_state(grammar.try_jump_forward(server.tokenizer))
    assert text  # it ends where no token can reach beyond it
    assert "abc".startswith(text)
    assert state == -1
    a, b, c, d, e = (server.letter(letter) for letter in "abcde")
    grammar.accept_token(a)
    grammar.accept_token(b)
    grammar.accept_token(c)
    grammar.jump_and_retokenize([a, b, c], [a, b, c, d, e], -1)
    assert server.mask(grammar)[0][server.stop]
    grammar.jump_and_retokenize([a, b, c, d, e], [a, b, c], -1)
    assert server.mask(grammar)[0][d]
    try:
        grammar.jump_and_retokenize([a, b, c], [a, b, d], -1)
    except ValueError as error:
        assert "tokenized anew" in str(error)
    else:
        raise AssertionError("it is accepted")
    free = server.add("regex", "[ab]")
    assert free.try_jump_forward(server.tokenizer) is None
    free.accept_token(a)
    free.accept_token(server.stop)
    assert free.try_jump_forward(server.tokenizer) is None


def a_model_that_reasons_is_masked_after_it() -> None:
    server = Server(reasoning_parser="deepseek-r1")
    assert type(server.backend).__name__ == "ReasonerGrammarBackend"
    grammar = server.add("regex", "ab", reasons=True)
    a, end = server.letter("a"), think_end(server)
    mask = grammar.grammar.allocate_vocab_mask(server.vocab_size, 1, "cpu")

    def row() -> np.ndarray:
        mask.fill_(-1)
        grammar.grammar.fill_vocab_mask_batched([SimpleNamespace(row=0, grammar=grammar)], mask)
        return bitmask_to_bool_mask(mask.numpy(), server.vocab_size)[0]

    for token in (server.letter("x"), *end):
        assert row().all()
        grammar.accept_token(token)
    assert row().sum() < server.vocab_size
    assert row()[a]
    grammar.accept_token(a)
    assert row()[server.letter("b")]


def think_end(server: Server) -> list[int]:
    """The tokens that end the reasoning."""
    import sglang

    if not hasattr(sglang, "__path__") or not list(sglang.__path__):  # the stand-in
        return [server.letter(THINK_END)]
    return list(server.backend.think_end_ids)


def tokens_are_filtered_in_a_row() -> None:
    server = Server()
    mask = server.backend.allocate_vocab_mask(server.vocab_size, 3, "cpu")
    assert server.backend.is_support_token_filter
    server.backend.set_token_filter(mask, [1, 31, 32], 0)
    server.backend.set_token_filter(mask, [1, 31], 1, is_allowed=False)
    server.backend.set_token_filter(mask, [33], 0, is_allowed=True, reset_vocab_mask=False)
    server.backend.set_token_filter(mask, [1], 0, is_allowed=False, reset_vocab_mask=False)
    rows = bitmask_to_bool_mask(mask.numpy(), server.vocab_size)
    assert np.flatnonzero(rows[0]).tolist() == [31, 32, 33]
    assert np.flatnonzero(~rows[1]).tolist() == [1, 31]
    assert rows[2].all()


def an_answer_is_framed_by_tokens_that_are_no_text() -> None:
    server = Server()
    end = server.letter("]")
    server.backend.reserve_framing_tokens([end])
    inner = server.add("regex", "[a-z\\]]{2}")
    assert server.mask(inner)[0][end]

    def frame(content: dict[str, Any]) -> dict[str, Any]:
        elements = [content, {"type": "token", "token": end}]
        return {"type": "structural_tag", "format": {"type": "sequence", "elements": elements}}

    framed = server.backend.compile_framed_grammar(inner, frame)
    for letter in "ab":
        row = server.mask(framed)[0]
        assert row[server.letter(letter)]
        assert not row[end]
        framed.accept_token(server.letter(letter))
    assert np.flatnonzero(server.mask(framed)[0]).tolist() == [end]
    framed.accept_token(end)
    framed.accept_token(server.stop)
    assert framed.is_terminated()


def json_has_the_whitespace_of_the_server() -> None:
    letters = '{"a":'
    schema = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
    for settings, n_spaces in [
        ({"constrained_json_disable_any_whitespace": True}, 0),
        ({"constrained_json_max_whitespace_cnt": 2}, 2),
        ({}, 3),
    ]:
        server = Server(**settings)
        grammar = server.add("json", schema)
        for token in server.tokenizer.encode(letters, add_special_tokens=False):
            grammar.accept_token(token)
        space, taken = server.tokenizer.encode(" ", add_special_tokens=False)[0], 0
        while taken < 3 and server.mask(grammar)[0][space]:
            grammar.accept_token(space)
            taken += 1
        assert taken == n_spaces, (settings, taken)
    try:
        Server(constrained_json_whitespace_pattern="[ ]?")
    except RuntimeError as error:
        assert "whitespace-pattern" in str(error)
    else:
        raise AssertionError("the pattern is ignored")


def a_reset_drops_what_was_compiled() -> None:
    server = Server()
    server.add("regex", "a")
    assert server.backend.compiler.get_cache_size_bytes() > 0
    server.backend.cache["a key"] = None
    server.backend.reset()
    assert server.backend.compiler.get_cache_size_bytes() == len(server.backend.cache) == 0


SCENARIOS: list[Callable[[], None]] = [
    every_kind_of_request_is_written_to_its_end,
    a_batch_is_filled_as_each_alone,
    rows_that_are_not_listed_stay,
    masks_are_applied_to_logits,
    copies_begin_anew,
    a_refused_token_raises_with_the_reason,
    a_grammar_that_is_refused_says_where,
    forced_text_is_jumped_over,
    a_model_that_reasons_is_masked_after_it,
    tokens_are_filtered_in_a_row,
    an_answer_is_framed_by_tokens_that_are_no_text,
    json_has_the_whitespace_of_the_server,
    a_reset_drops_what_was_compiled,
]


def main(scenarios: list[Callable[[], None]]) -> int:
    """Run all with the SGLang of this environment; 1 if one fails."""
    import sglang

    return report("SGLang", sglang.__version__, scenarios)


if __name__ == "__main__":
    sys.exit(main(SCENARIOS))
