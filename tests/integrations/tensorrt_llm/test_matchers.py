"""TensorRT-LLM's matchers, with stand-ins for its classes: what its guided decoder does in a step, in our words."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.integrations.standins import installed, modules_of
from tests.integrations.vllm.scenarios import OLDER_TAG, PERSON, TAG
from xg2lab.bitmask import allocate_token_bitmask, bitmask_to_bool_mask
from xg2lab.errors import UnsupportedError, Xg2LabError
from xg2lab.integrations.contracts import differences
from xg2lab.integrations.tensorrt_llm import CONTRACT, install

pytest.importorskip("torch")
pytest.importorskip("transformers")

DECODER = "tensorrt_llm._torch.pyexecutor.guided_decoder"
KINDS = [
    ("JSON", None),
    ("JSON_SCHEMA", json.dumps(PERSON)),
    ("REGEX", r"\d{3}-\d{2}"),
    ("EBNF_GRAMMAR", 'root ::= "yes" | "no"'),
    ("STRUCTURAL_TAG", json.dumps(TAG)),
    ("STRUCTURAL_TAG", json.dumps(OLDER_TAG)),
]


@pytest.fixture
def trt() -> Iterator[dict[str, ModuleType]]:
    made = modules_of(CONTRACT)
    made["tensorrt_llm"].__version__ = CONTRACT.tried
    with installed(made, "xg2lab.integrations.tensorrt_llm."):
        yield made


@pytest.fixture(scope="module")
def config() -> Any:
    from xg2lab.tiny import tiny_model_path

    text = (tiny_model_path() / "tokenizer.json").read_text(encoding="utf-8")
    return SimpleNamespace(encoded_vocab=None, tokenizer_str=text, stop_token_ids=[2036])


def factory(made: dict[str, ModuleType], config: Any, n_drafts: int = 0) -> Any:
    install()
    return made[DECODER].XGrammarMatcherFactory(config, 2080, max_num_draft_tokens=n_drafts)


def params(kind: str, guide: str | None) -> Any:
    return SimpleNamespace(guide_type=SimpleNamespace(name=kind), guide=guide)


def allowed(matcher: Any, bitmask: Any, row: int = 0) -> list[int]:
    matcher.fill_next_token_bitmask(bitmask, row)
    return np.flatnonzero(bitmask_to_bool_mask(bitmask.numpy(), 2080)[row]).tolist()


@pytest.mark.parametrize(("kind", "guide"), KINDS)
def test_each_kind_is_written_to_its_end(kind: str, guide: str | None, trt: dict[str, ModuleType], config: Any):
    made, rng = factory(trt, config), random.Random(1)
    [stop], quote, brace = config.stop_token_ids, *made.tokenizer_info.find('"'), *made.tokenizer_info.find("}")
    matcher, bitmask, n_tokens = made.create(params(kind, guide)), allocate_token_bitmask(1, 2080), 0
    while not matcher.is_terminated():
        tokens = allowed(matcher, bitmask)
        ending = [stop] if stop in tokens else [token for token in (quote, brace) if token in tokens]
        assert matcher.accept_token(rng.choice(ending or tokens))
        n_tokens += 1
        assert n_tokens < 400
    assert not matcher.accept_token(quote)


def test_drafts_are_taken_back(trt: dict[str, ModuleType], config: Any):
    made = factory(trt, config, n_drafts=2)
    matcher, bitmask = made.create(params("REGEX", "abc")), allocate_token_bitmask(4, 2080)
    a, b, c, d = (made.tokenizer_info.find(letter)[0] for letter in "abcd")
    before = allowed(matcher, bitmask, 0)
    assert a in before
    assert [matcher.accept_token(token) for token in (a, b, d)] == [True, True, False]
    assert c in allowed(matcher, bitmask, 2)
    assert matcher.accept_token(c)
    matcher.rollback(0)
    matcher.rollback(3)
    assert allowed(matcher, bitmask, 3) == before
    for token in (a, b, c, *config.stop_token_ids):
        assert matcher.accept_token(token)
    assert matcher.is_terminated()
    matcher.rollback(1)
    assert not matcher.is_terminated()


def test_a_vocabulary_without_a_tokenizer(trt: dict[str, ModuleType]):
    plain = SimpleNamespace(encoded_vocab=["a", "b", "</s>"], tokenizer_str=None, stop_token_ids=[2])
    matcher = factory(trt, plain).create(params("REGEX", "ab"))
    assert matcher.text.matcher.allowed_tokens() == [0]


def test_what_is_refused(trt: dict[str, ModuleType], config: Any):
    made = factory(trt, config)
    with pytest.raises(Xg2LabError, match="/type"):
        made.create(params("JSON_SCHEMA", '{"type": "strin"}'))
    with pytest.raises(UnsupportedError, match="asks for a XML"):
        made.create(params("XML", "<a/>"))


def test_the_place_is_taken_once_and_another_version_is_refused(trt: dict[str, ModuleType]):
    assert differences(CONTRACT) == []
    install()
    taken = trt[DECODER].XGrammarMatcherFactory
    install()
    assert trt[DECODER].XGrammarMatcherFactory is taken
    assert taken.__module__ == "xg2lab.integrations.tensorrt_llm.matchers"


def test_another_version_is_refused(trt: dict[str, ModuleType]):
    def rollback(self: Any, num_tokens: int, stream: Any) -> None: ...

    trt["tensorrt_llm._torch.pyexecutor.grammar_matcher"].GrammarMatcher.rollback = rollback
    with pytest.raises(UnsupportedError, match=r"takes \(self, num_tokens, stream\), not \(self, num_tokens\)"):
        install()
