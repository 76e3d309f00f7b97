"""Redaction: what is replaced, what stays, and R1: the grammar sees no difference between the two outputs."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xg2lab as xgr
from xg2lab.flight import FlightGrammar, FlightRecord, FlightRecorder
from xg2lab.flight.redaction import Shapes, redact
from xg2lab.tiny import FORMATS, grammar_for, tiny_model_path

LETTERS = [*"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;-_!?@\"\\/{}[]()<>+*'#"]
BYTES = [bytes([byte]) for byte in range(256)]
WORDS = [
    "name",
    '{"name": "',
    '", "age": ',
    '"}',
    "Ada",
    " Lovelace",
    "hello",
    "42",
    "2031",
    "true",
    "null",
    "é",
    "中文",
]
VOCABULARIES = {
    "bytes": [*BYTES, "</s>"],
    "letters": [*LETTERS, "</s>"],
    "words": [*BYTES, *WORDS, "ab", "abc", "12", "xx", "</s>"],
    "pairs": [*BYTES, *("".join(two) for two in itertools.product("abx01. ", repeat=2)), "</s>"],
}
INFOS = {name: xgr.TokenizerInfo(tokens, stop_token_ids=[len(tokens) - 1]) for name, tokens in VOCABULARIES.items()}
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "color": {"enum": ["red", "green", "blue"]},
        "mail": {"type": "string", "pattern": "^[a-z]+@[a-z]+[.]com$"},
        "note": {"type": "string", "maxLength": 6},
        "day": {"type": "string", "format": "date"},
    },
    "required": ["name", "age", "color"],
    "additionalProperties": False,
}
GRAMMARS = {
    "list": xgr.Grammar.from_ebnf('root ::= "[" [0-9]+ ("," [0-9]+)* "]"'),
    "words": xgr.Grammar.from_ebnf('root ::= word (" " word)*   word ::= [a-z]{1,8} | "STOP" | [A-Z] [a-z]*'),
    "choice": xgr.Grammar.from_ebnf('root ::= "cat" | "car" | "dog"'),
    "recursive": xgr.Grammar.from_ebnf('root ::= "(" root* ")" | [a-z]+'),
    "schema": xgr.Grammar.from_json_schema(SCHEMA),
    "any": xgr.Grammar.from_json_schema({"type": "object"}),
    "any order": xgr.Grammar.from_json_schema({**SCHEMA, "required": ["age"]}, any_order=True),
    "counted": xgr.Grammar.from_ebnf('root ::= ([a-z ]{3,90} "." | [0-9]{2,40} "!")+'),
    "rule options": xgr.Grammar.from_ebnf('root ::= think "=" [0-9]+   think[max_tokens=5] ::= [a-z ]*'),
    "tags": xgr.Grammar.from_structural_tag(
        {
            "format": {
                "type": "triggered_tags",
                "triggers": ["<f"],
                "tags": [{"begin": "<f>", "content": {"type": "json_schema", "json_schema": SCHEMA}, "end": "</f>"}],
            }
        }
    ),
    "ambiguous": xgr.Grammar.from_ebnf('root ::= root "+" root | [a-z]+ | [0-9]+'),
    "regex": xgr.Grammar.from_regex(r"[A-Z]{2}-\d{3,}( [^\n]*)?"),
}
CASES = [pytest.param(grammar, name, id=f"{grammar}-{name}") for grammar in GRAMMARS for name in VOCABULARIES]


def compiled(grammar: str, vocabulary: str) -> xgr.CompiledGrammar:
    return xgr.GrammarCompiler(INFOS[vocabulary]).compile_grammar(GRAMMARS[grammar])


def masks(ready: xgr.CompiledGrammar, ids) -> list[bytes]:
    """The mask before each token, and after the last."""
    matcher = xgr.GrammarMatcher(ready)
    out = []
    for token_id in [*ids, None]:
        row = np.zeros((1, (ready.tokenizer_info.vocab_size + 31) // 32), np.int32)
        if not matcher.is_terminated():
            matcher.fill_next_token_bitmask(row, 0)
        out.append(row.tobytes())
        if token_id is not None and (matcher.is_terminated() or not matcher.accept_token(token_id)):
            break
    return out


def walk(ready: xgr.CompiledGrammar, choices: list[int], n_most: int = 40) -> list[int]:
    """An output: at each step one of the allowed tokens, as the numbers choose."""
    matcher, ids = xgr.GrammarMatcher(ready), []
    for number in choices[:n_most]:
        allowed = matcher.allowed_tokens()
        if matcher.is_terminated() or not allowed:
            break
        ids.append(allowed[number % len(allowed)])
        assert matcher.accept_token(ids[-1])
    return ids


def text(info: xgr.TokenizerInfo, ids) -> str:
    return b"".join(info.decoded_vocab[token_id] for token_id in ids).decode("utf-8", "replace")


# ---- R1 ----


@pytest.mark.parametrize(("grammar", "vocabulary"), CASES)
@given(choices=st.lists(st.integers(0, 1 << 20), max_size=40), wrong=st.integers(0, 1 << 20))
def test_every_mask_and_the_refused_tokens_verdict_are_those_of_the_output(grammar, vocabulary, choices, wrong):
    ready = compiled(grammar, vocabulary)
    info = ready.tokenizer_info
    ids = walk(ready, choices)
    matcher = xgr.GrammarMatcher(ready)
    assert all(map(matcher.accept_token, ids))
    allowed = set() if matcher.is_terminated() else set(matcher.allowed_tokens())
    forbidden = [token_id for token_id in range(info.vocab_size) if token_id not in allowed]
    refused = forbidden[wrong % len(forbidden)] if forbidden else None

    made = redact(ready, info, ids, None if refused is None else (len(ids), refused))

    assert len(made.ids) == len(ids)
    assert masks(ready, made.ids) == masks(ready, ids)
    if refused is not None:
        assert made.refused is not None
        assert made.refused not in allowed
    changed = sum(a != b for a, b in zip([*ids, refused], [*made.ids, made.refused], strict=True))
    assert made.n_replaced == changed


@pytest.mark.parametrize(("grammar", "vocabulary"), CASES)
@given(ids=st.lists(st.integers(-2, 400), max_size=12), refused=st.integers(-2, 400), at=st.integers(0, 12))
def test_ids_that_fit_no_grammar_are_accepted_as_far_as_before(grammar, vocabulary, ids, refused, at):
    ready = compiled(grammar, vocabulary)
    at = min(at, len(ids))
    made = redact(ready, ready.tokenizer_info, ids, (at, refused))  # it checks itself, and raises
    assert len(made.ids) == len(ids)
    assert masks(ready, made.ids) == masks(ready, ids)


@given(seed=st.integers(0, 1 << 30))
def test_it_reveals_nothing_beyond_the_states(seed):
    """Two outputs of the same states, whose tokens have the same lengths, are redacted alike."""
    ready = compiled("list", "bytes")
    generator = np.random.default_rng(seed)
    lengths = generator.integers(1, 5, size=3)
    outputs = [
        "[" + ",".join("".join(map(str, generator.integers(0, 10, size=n))) for n in lengths) + "]" for _ in range(2)
    ]
    info = ready.tokenizer_info
    a, b = (redact(ready, info, info.encode_greedy(output)).ids for output in outputs)
    assert a == b


# ---- What is replaced, what stays ----


def redacted(grammar: str, written: str, vocabulary: str = "words") -> str:
    ready = compiled(grammar, vocabulary)
    info = ready.tokenizer_info
    return text(info, redact(ready, info, info.encode_greedy(written)).ids)


def test_free_text_is_replaced_and_the_grammars_words_stay():
    written = '{"name": "Ada Lovelace 中文", "age": 42, "color": "green", "day": "2031-05-17"}'
    found = redacted("schema", written, "bytes")
    assert json.loads(found)["color"] == "green"
    assert json.loads(found)["name"].startswith("xxx xxxxxxxx ")
    assert not any(secret in found for secret in ("Ada", "Love", "中", "42", "2031", "17"))
    assert [*json.loads(found)] == ["name", "age", "color", "day"]


def test_a_number_keeps_its_length_and_its_sign():
    assert redacted("list", "[7,35,4096]", "bytes") == "[0,00,0000]"


def test_a_token_without_a_neutral_spelling_becomes_another_of_its_length():
    info = xgr.TokenizerInfo(['"', "hello", "world", "</s>"], stop_token_ids=[3])
    ready = xgr.GrammarCompiler(info).compile_grammar(r'root ::= "\"" [a-z]* "\""')
    assert text(info, redact(ready, info, info.encode_greedy('"hello"')).ids) == '"world"'


def test_a_token_that_nothing_can_replace_is_counted():
    info = xgr.TokenizerInfo(['"', "hello", "</s>"], stop_token_ids=[2])
    ready = xgr.GrammarCompiler(info).compile_grammar(r'root ::= "\"" [a-z]* "\""')
    made = redact(ready, info, info.encode_greedy('"hello"'))
    assert (made.n_replaced, made.n_free, text(info, made.ids)) == (0, 1, '"hello"')


def test_where_the_grammar_chooses_between_words_the_choice_stays():
    assert redacted("choice", "car") == "car"


def test_special_tokens_stop_tokens_and_ids_outside_stay():
    info = xgr.TokenizerInfo(["a", "x", "<t>", "</s>"], stop_token_ids=[3], special_token_ids=[2])
    ready = xgr.GrammarCompiler(info).compile_grammar("root ::= [a-z]+")
    assert redact(ready, info, [0, 3], (1, 99)).ids == (1, 3)
    assert redact(ready, info, [0], (1, 99)).refused == 99
    assert redact(ready, info, [0], (1, 2)).refused == 2


def test_a_refused_token_dies_at_the_same_byte_and_says_nothing():
    info = xgr.TokenizerInfo(["[", "7", "0", "]", "3 Bob", "0 xxx", "</s>"], stop_token_ids=[6])
    ready = xgr.GrammarCompiler(info).compile_grammar('root ::= "[" [0-9]+ "]"')
    made = redact(ready, info, [0, 1], (2, 4))
    assert (made.ids, made.refused) == ((0, 2), 5)


def test_a_mark_that_was_refused_stays():
    info = xgr.TokenizerInfo(["[", "0", "]", "}", "</s>"], stop_token_ids=[4])
    ready = xgr.GrammarCompiler(info).compile_grammar('root ::= "[" [0-9]+ "]"')
    assert redact(ready, info, [0, 1], (2, 3)).refused == 3


@pytest.mark.parametrize("parser", ["earley", "pda", "operators"])
def test_each_parser_has_states_to_compare(parser):
    info = INFOS["words"]
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser=parser))
    ready = compiler.compile_grammar(r'root ::= "{\"name\": \"" [^"]* "\"}"')
    made = redact(ready, info, info.encode_greedy('{"name": "hello Ada"}'))
    assert masks(ready, made.ids) == masks(ready, info.encode_greedy('{"name": "hello Ada"}'))
    assert "Ada" not in text(info, made.ids)


def test_shapes_are_those_of_text_tokens():
    info = xgr.TokenizerInfo(["cat", "dog", "<s>", "A1", "é", "è", "</s>"], stop_token_ids=[6], special_token_ids=[2])
    shapes = Shapes(info)
    assert (shapes.like(b"emu"), shapes.like(b"<x>"), shapes.like("ö".encode())) == ([0, 1], [], [4, 5])


# ---- The tiny model's tokenizer and formats ----


@pytest.fixture(scope="module")
def tiny() -> xgr.TokenizerInfo:
    transformers = pytest.importorskip("transformers")
    return xgr.TokenizerInfo.from_huggingface(transformers.AutoTokenizer.from_pretrained(tiny_model_path()))


@pytest.mark.parametrize("form", FORMATS)
@given(choices=st.lists(st.integers(0, 1 << 20), max_size=60))
@settings(max_examples=10)
def test_the_tiny_models_formats_are_redacted_without_a_difference(tiny, form, choices):
    ready = xgr.GrammarCompiler(tiny).compile_grammar(grammar_for(form))
    ids = walk(ready, choices, 60)
    made = redact(ready, tiny, ids)
    assert masks(ready, made.ids) == masks(ready, ids)
    assert made.n_free == 0  # it has a token for each byte


def test_a_name_that_was_written_to_the_tiny_models_tool_is_not_in_the_file(tiny, tmp_path):
    tokenizer_ids = tiny.encode_greedy('{"name": "Ines Duarte", "mail": "ines@harbor.example"}')
    recorder = FlightRecorder(tmp_path, "always", tokenizer="fingerprint")
    flight = recorder.begin("one", FlightGrammar("json_schema", '{"type": "object"}'), tiny)
    flight.accepted(tokenizer_ids)
    flight.end("stop")
    recorder.close()
    record = FlightRecord.load(recorder.files()[0])
    found = text(tiny, record.output_ids)
    assert not any(secret in found for secret in ("Ines", "Duarte", "ines", "harbor", "example", "name", "mail"))
    assert len(json.loads(found)) in (1, 2)  # names of an open object are free text: both may be alike
