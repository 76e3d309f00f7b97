"""Contents of a structural tag that are compiled when a text needs them: every answer is the whole grammar's."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.builtin_structural_tag import get_model_structural_tag

ON, OFF = xgr.EngineOptions(contents_on_demand=1), xgr.EngineOptions(contents_on_demand=0)
SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    {"type": "object", "properties": {"n": {"type": "integer"}, "ok": {"type": "boolean"}}, "required": ["n"]},
    {"type": "object", "properties": {"tags": {"type": "array", "items": {"enum": ["a", "b"]}}}},
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {"id": {"type": "string", "pattern": "^[a-c]{1,3}$"}}, "required": ["id"]},
]
NAMES = ["get", "get_time", "gets", "put", "p"]
SPECIAL = ["<|channel|>", "<|message|>", "<|call|>", "<|start|>", "<|end|>", "<tool>"]
#: Tokens that end in a content, and tokens that lie in several parts of a tag, are what matters.
TOKENS = [
    *map(chr, range(32, 127)),
    *("\n", "é", "a", "b", "get", "get_", "gets", "time", "put", "true", "12", "commentary", "json", "final"),
    *("<f", "<f=", "<f=get", "<f=get>", "<f=get>{", ">{", '>{"', '>{"ci', "</f>", "}</f>", "}}", "</f><f=p>{}"),
    *("}</f>x<f=get>{", '": {', '": {"', '", "a', '"name"', '{"name', '{"name": "', '{"name": "get"'),
    *(' "parameters": ', ': {"n', '": ', '"city', 'city"', '": "', '["a', '"]', " to=functions."),
    *SPECIAL,
    "</s>",
]
INFO = xgr.TokenizerInfo(
    [token.encode() for token in TOKENS],
    stop_token_ids=[len(TOKENS) - 1],
    special_token_ids=[TOKENS.index(token) for token in SPECIAL],
)


def tags(begin: str = "<f={}>", end: str = "</f>") -> list[dict[str, Any]]:
    return [
        {
            "type": "tag",
            "begin": begin.format(name),
            "content": {"type": "json_schema", "json_schema": schema},
            "end": end,
        }
        for name, schema in zip(NAMES, SCHEMAS, strict=True)
    ]


TOOLS = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": schema}}
    for name, schema in zip(NAMES, SCHEMAS, strict=True)
]
CALL = {"type": "token", "token": "<|call|>"}
MESSAGE_OR_SPACE = {
    "type": "or",
    "elements": [{"type": "token", "token": "<|message|>"}, {"type": "const_string", "value": " "}],
}
XML = {"type": "qwen_xml_parameter", "json_schema": SCHEMAS[1]}
EMPTY_XML = {"type": "qwen_xml_parameter", "json_schema": SCHEMAS[3]}
FORMATS: dict[str, Any] = {
    "triggered": {"type": "triggered_tags", "triggers": ["<f="], "tags": tags()},
    "short trigger": {"type": "triggered_tags", "triggers": ["<"], "tags": tags()},
    "two triggers": {"type": "triggered_tags", "triggers": ["<f=g", "<f=p"], "tags": tags()},
    "trigger is begin": {
        "type": "triggered_tags",
        "triggers": ["<f=get>", "<f=put>"],
        "tags": [tags()[0], tags()[3]],
    },
    "at least one": {"type": "triggered_tags", "triggers": ["<f="], "tags": tags(), "at_least_one": True},
    "first only": {"type": "triggered_tags", "triggers": ["<f="], "tags": tags(), "stop_after_first": True},
    "separated": {"type": "tags_with_separator", "separator": "\n", "tags": tags()},
    "or": {"type": "or", "elements": [*tags(), {"type": "any_text"}]},
    "equal begins": {"type": "or", "elements": [*tags("<f=p>"), *tags("<f=p>{{", "}}</f>")]},
    "nested": {
        "type": "tag",
        "begin": "{",
        "content": {"type": "triggered_tags", "triggers": ["<f="], "tags": tags()},
        "end": "}",
    },
    "special trigger": {
        "type": "triggered_tags",
        "triggers": ["<tool>"],
        "tags": tags("<tool>{}<|message|>", "<|call|>"),
    },
    "special begin": {
        "type": "tags_with_separator",
        "separator": "",
        "tags": tags("<|channel|>{}<|message|>", "<|call|>"),
    },
    "token content first": {
        "type": "or",
        "elements": [
            tag | {"content": {"type": "sequence", "elements": [MESSAGE_OR_SPACE, tag["content"]]}, "end": CALL}
            for tag in tags()
        ],
    },
    "elements": {
        "type": "triggered_tags",
        "triggers": ["<f="],
        "tags": [
            {"type": "tag", "begin": "<f=get>", "content": XML, "end": "</f>"},
            {"type": "tag", "begin": "<f=p>", "content": EMPTY_XML, "end": ["</f>", ""]},
        ],
    },
} | {
    model: get_model_structural_tag(model, TOOLS, "auto", reasoning="disabled").model_dump()["format"]
    for model in ("llama", "harmony", "qwen_3_coder", "deepseek_v3_1")
}


def both(name: str) -> tuple[xgr.CompiledGrammar, xgr.CompiledGrammar]:
    tag = {"type": "structural_tag", "format": FORMATS[name]}
    lazy, whole = (xgr.GrammarCompiler(INFO, options=options).compile_structural_tag(tag) for options in (ON, OFF))
    assert lazy.whole() is not lazy
    assert whole.whole() is whole
    return lazy, whole


def mask(matcher: Any) -> list[int]:
    bitmask = np.zeros((1, (INFO.vocab_size + 31) // 32), np.int32)
    matcher.fill_next_token_bitmask(bitmask)
    return bitmask[0].tolist()


def likely(rng: random.Random, allowed: list[int]) -> int:
    """A token that may come, rather one that goes on with a tag."""
    long = [token for token in allowed if len(TOKENS[token]) > 1]
    marks = [token for token in allowed if TOKENS[token][:1] in '<{"}]>,:' or token >= len(TOKENS) - 8]
    pool = rng.choice([allowed, long or allowed, marks or allowed, marks or allowed])
    return rng.choice(pool)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(8))
def test_random_texts_have_the_same_masks(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    lazy, whole = both(name)
    ours, other = xgr.GrammarMatcher(lazy), xgr.GrammarMatcher(whole)
    for _ in range(60):
        if rng.random() < 0.7:  # else a token is accepted without a mask
            assert mask(ours) == mask(other)
        if rng.random() < 0.2:
            assert ours.find_jump_forward_string() == other.find_jump_forward_string()
        if rng.random() < 0.1:
            assert ours.find_forced_tokens() == other.find_forced_tokens()
        if rng.random() < 0.1:
            ours = ours.fork()
        if ours.n_steps and rng.random() < 0.1:
            n = rng.randint(1, min(5, ours.n_steps))
            ours.rollback(n)
            other.rollback(n)
            continue
        blocked = rng.randrange(len(TOKENS))
        allowed = other.allowed_tokens()
        if blocked not in allowed:
            assert not ours.accept_token(blocked)
        if not allowed:
            break
        token = likely(rng, allowed)
        assert ours.accept_token(token) == other.accept_token(token)
        assert (ours.is_completed(), ours.is_terminated()) == (other.is_completed(), other.is_terminated())
        if ours.is_terminated():
            break


TEXT = 'say <f=get>{"city": "a<f=p>"}</f>, <f=put>{}</f><f=p>{"id": "ab"}</f> <f=get_time>{"n": 12, "ok": true}</f>.'


@pytest.mark.parametrize("size", [1, 2, 7, len(TEXT)])
def test_accepted_strings_of_any_length(size: int) -> None:
    lazy, whole = both("triggered")
    ours, other = xgr.GrammarMatcher(lazy), xgr.GrammarMatcher(whole)
    for begin in range(0, len(TEXT), size):
        piece = TEXT[begin : begin + size]
        assert ours.accept_string(piece), piece
        assert other.accept_string(piece)
        assert mask(ours) == mask(other), TEXT[: begin + size]
    assert not ours.accept_string('<f=get>{"town": 1}</f>')
    assert ours.accept_string(b"")
    assert ours.n_steps == other.n_steps + 1


def test_a_draft_tree_that_goes_into_contents() -> None:
    lazy, whole = both("triggered")
    rows = []
    drafts = ["", "<f=get", ">{", '"city', '": "', "<f=", "p", ">{"]
    tokens = np.array([TOKENS.index(text) if text else 0 for text in drafts], np.int64)
    child = np.array([1, 2, 3, 4, -1, 6, 7, -1], np.int64)
    sibling = np.array([-1, 5, -1, -1, -1, -1, -1, -1], np.int64)
    for compiled in (lazy, whole):
        bitmask = np.zeros((len(drafts), (INFO.vocab_size + 31) // 32), np.int32)
        xgr.GrammarMatcher(compiled).traverse_draft_tree(child, sibling, tokens, bitmask)
        rows.append(bitmask.tolist())
    assert rows[0] == rows[1]


def test_a_batch_in_threads() -> None:
    lazy, whole = both("triggered")
    starts = [TEXT[:n] for n in range(0, len(TEXT), 3)]
    masks = []
    for compiled in (lazy, whole):
        matchers = [xgr.GrammarMatcher(compiled) for _ in starts]
        batch = xgr.BatchGrammarMatcher(max_threads=4)
        assert all(batch.batch_accept_string(matchers, starts))
        bitmask = np.zeros((len(starts), (INFO.vocab_size + 31) // 32), np.int32)
        batch.batch_fill_next_token_bitmask(matchers, bitmask)
        masks.append(bitmask.tolist())
    assert masks[0] == masks[1]


def test_a_bounded_history_and_a_stopped_text() -> None:
    lazy, _ = both("triggered")
    bounded = xgr.GrammarMatcher(lazy, max_rollback_tokens=1)
    for letter in TEXT:
        assert bounded.accept_string(letter)
    stopped = xgr.GrammarMatcher(lazy)
    assert stopped.accept_string("x")
    assert stopped.accept_token(len(TOKENS) - 1)
    stopped.rollback(1)
    assert stopped.accept_string(TEXT)
    stopped.reset()
    assert stopped.accept_string(TEXT)


def test_what_shows_states_shows_the_whole_grammar() -> None:
    lazy, whole = both("triggered")
    matcher = xgr.GrammarMatcher(lazy)
    assert matcher.accept_string("<f=get>")
    assert lazy.program() == whole.program()
    assert lazy.n_states == whole.n_states
    assert str(lazy.grammar) == str(whole.grammar)
    assert str(lazy.optimized_grammar) == str(whole.optimized_grammar)
    other = xgr.GrammarMatcher(whole)
    assert other.accept_string("<f=get>")
    assert matcher.live_items() == other.live_items()
    assert matcher.chart() == other.chart()
    why = [m.explain(data="[")["reason"] for m in (matcher, other)]
    assert why[0] == why[1]
    again = xgr.CompiledGrammar.deserialize_json(lazy.serialize_json(), INFO)
    assert again.program() == whole.program()


def test_captures_and_temperature_come_from_the_contents_needed_so_far() -> None:
    lazy, whole = both("triggered")
    ours, other = xgr.GrammarMatcher(lazy), xgr.GrammarMatcher(whole)
    for matcher in (ours, other):
        assert matcher.accept_string(TEXT)
    assert ours.get_captures() == other.get_captures()
    assert ours.temperature == other.temperature


def test_faults_of_a_schema_are_told_at_once() -> None:
    compiler = xgr.GrammarCompiler(INFO, options=ON)
    late = tags()
    late[4]["content"]["json_schema"] = {"type": "nonsense"}
    with pytest.raises(xgr.errors.Xg2LabError, match="nonsense"):
        compiler.compile_structural_tag({"format": {"type": "triggered_tags", "triggers": ["<f="], "tags": late}})
    tight = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(contents_on_demand=1, max_fsm_states=50))
    late[4]["content"]["json_schema"] = {"type": "string", "pattern": "^(a|b)*a(a|b){14}$"}
    with pytest.raises(xgr.errors.LimitError, match="rule `f_p` needs more than 50 states"):
        tight.compile_structural_tag({"format": {"type": "triggered_tags", "triggers": ["<f="], "tags": late}})


def test_many_tags_that_are_called_one_after_the_other() -> None:
    """A program for each tag that is called, with those before it; beyond 256 the whole grammar."""
    many = [
        {
            "type": "tag",
            "begin": f"<f=n{n}>",
            "content": {
                "type": "json_schema",
                "json_schema": {"type": "object", "properties": {f"k{n}": {"type": "integer"}}, "required": [f"k{n}"]},
            },
            "end": "</f>",
        }
        for n in range(300)
    ]
    tag = {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<f="], "tags": many}}
    lazy, whole = (xgr.GrammarCompiler(INFO, options=options).compile_structural_tag(tag) for options in (ON, OFF))
    first = lazy.memory_size_bytes
    assert first < whole.memory_size_bytes
    ours, other = xgr.GrammarMatcher(lazy), xgr.GrammarMatcher(whole)
    for n in range(280):
        for matcher in (ours, other):
            assert matcher.accept_string(f'and <f=n{n}>{{"k{n}": ')
        assert mask(ours) == mask(other)
        for matcher in (ours, other):
            assert matcher.accept_string("1}</f>")
        if n % 20 == 0:
            assert not ours.fork().accept_string(f'<f=n{n}>{{"k{n + 1}"')
            assert xgr.GrammarMatcher(lazy).accept_string(f'<f=n{n}>{{"k{n}": 5}}</f>')
    assert lazy.memory_size_bytes > first
