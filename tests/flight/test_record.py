"""The record of a flight: written and read, and files that come from anywhere."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xg2lab as xgr
from xg2lab.errors import (
    ArgumentError,
    DeserializeFormatError,
    DeserializeVersionError,
    InvalidJSONError,
    LimitError,
    Xg2LabError,
)
from xg2lab.flight import (
    KINDS,
    FlightGrammar,
    FlightRecord,
    FlightTokenizer,
    MaskTimes,
    Refused,
    is_flight,
)

TOKENIZER = FlightTokenizer("0123456789abcdef" * 2, 5, 0, (4,))
GRAMMAR = FlightGrammar("json_schema", '{"type": "integer"}', {"any_whitespace": False})
RECORD = FlightRecord(
    "request/7 é",
    "2026-11-26T23:00:00.000000Z",
    GRAMMAR,
    TOKENIZER,
    engine="xg2lab",
    host="vllm",
    model="tiny",
    versions={"xg2lab": "0.1.0"},
    engine_options={"parser": "pda", "max_mask_seconds": 2.5, "tail_calls": False},
    prompt_ids=(1, 2),
    output_ids=(0, 1, 2),
    n_output=3,
    refused=Refused(2, -1),
    rollbacks=((3, 1),),
    n_rollbacks=1,
    times=MaskTimes(2, 3.5, 2.5, ((1, 2.5),), (0, 1), (1.0, 2.5)),
    end="refused",
    why="refusal",
)

ids = st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=20).map(tuple)
counts = st.integers(0, 1 << 53)
us = st.floats(0, 1e15, allow_nan=False)
words = st.text(st.characters(codec="utf-8"), max_size=10)
records = st.builds(
    FlightRecord,
    words,
    words,
    st.builds(FlightGrammar, st.sampled_from(["ebnf", "regex", "choice"]), words),
    st.builds(FlightTokenizer, words, st.integers(0, 1 << 24), st.integers(0, 255), ids),
    versions=st.dictionaries(words, words, max_size=3),
    engine_options=st.dictionaries(words, st.one_of(st.booleans(), counts, words), max_size=3),
    prompt_ids=st.none() | ids,
    output_ids=ids,
    n_output=st.integers(20, 1 << 53),
    refused=st.none() | st.builds(Refused, st.integers(0, 20), st.none() | st.integers(-(1 << 31), (1 << 31) - 1)),
    rollbacks=st.lists(st.tuples(counts, counts), max_size=4).map(tuple),
    times=st.lists(st.tuples(counts, us), max_size=4).map(
        lambda pairs: MaskTimes(len(pairs), 0.0, 0.0, tuple(pairs), *((*zip(*pairs, strict=True),) or ((), ())))
    ),
    end=st.sampled_from(["stop", "length", "refused", "aborted", "error", None]),
)


# ---- Written and read ----


@given(records)
def test_what_is_written_is_read_again(record):
    assert FlightRecord.from_json(record.to_json()) == record
    assert FlightRecord.from_json(gzip.decompress(record.packed())) == record
    assert is_flight(record.packed())
    assert is_flight(record.to_json().encode())


def test_a_file_is_read_packed_and_unpacked(tmp_path):
    packed, plain = tmp_path / "a.xgflight", tmp_path / "b.json"
    packed.write_bytes(RECORD.packed())
    plain.write_text(RECORD.to_json(), encoding="utf-8")
    assert FlightRecord.load(packed) == FlightRecord.load(plain) == RECORD


def test_equal_records_have_equal_bytes():
    assert RECORD.packed() == FlightRecord.from_json(RECORD.to_json()).packed()


def test_the_ids_to_replay_end_with_the_refused_one():
    assert RECORD.all_ids == (0, 1, -1)
    without = FlightRecord("r", "", GRAMMAR, TOKENIZER, output_ids=(0, 1), n_output=2)
    assert without.all_ids == (0, 1)


# ---- Hostile files ----


def changed(path: tuple[str, ...], value: Any) -> str:
    wire = RECORD.to_wire()
    at: Any = wire
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return json.dumps(wire)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("request_id",), 5, "/request_id is an int, not a text"),
        (("request_id",), "\ud800", "/request_id holds half of a surrogate pair"),
        (("started",), None, "/started is null, not a text"),
        (("grammar",), [], "/grammar is a list, not an object"),
        (("grammar", "kind"), "yaml", "the grammar's kind is 'yaml'"),
        (("grammar", "options"), {"root": 1}, "a grammar of kind json_schema has no option 'root'"),
        (("tokenizer", "vocab_size"), 1 << 40, "/tokenizer/vocab_size is 1099511627776, not a whole number from 0"),
        (("tokenizer", "vocab_size"), True, "/tokenizer/vocab_size is True, not a whole number"),
        (("tokenizer", "stop_token_ids"), [1, None], "/tokenizer/stop_token_ids/1 is null, not a whole number"),
        (("output_ids",), [0, 1 << 31, 2], "/output_ids/1 is 2147483648, not a whole number from -2147483648"),
        (("output_ids",), [0, 10**30, 2], "/output_ids/1 is an int, not a whole number"),
        (("output_ids",), [0, 1.0, 2], "/output_ids/1 is 1.0, not a whole number"),
        (("output_ids",), {"0": 1}, "/output_ids is an object, not a list"),
        (("output_ids",), None, "the output is kept, and its ids are null"),
        (("outputs",), "withheld", "the output is withheld, and its ids are there"),
        (("outputs",), "secret", "/outputs is a text, not one of kept, redacted, withheld"),
        (("n_output",), 2, "/output_ids has 3 tokens of 2"),
        (("n_output",), -1, "/n_output is -1, not a whole number from 0"),
        (("refused", "step"), 4, "/refused/step is 4, after 3 tokens of output"),
        (("refused",), 4, "/refused is 4, not an object"),
        (("rollbacks",), [[1]], "/rollbacks/0 is a list, not a list of two"),
        (("times", "max_us"), 1e300, "/times/max_us is a value, not a time in microseconds"),
        (("times", "max_us"), -1, "/times/max_us is -1, not a time in microseconds"),
        (("times", "max_us"), float("nan"), "/times/max_us is a value, not a time in microseconds"),
        (("times", "us"), [1.0], "/times has 2 steps and 1 times"),
        (("engine_options",), {"parser": ["pda"]}, "/engine_options/parser is a list, not a switch"),
        (("versions",), {"xg2lab": 1}, "/versions/xg2lab is an int, not a text"),
        (("end",), "fine", "/end is a text, not one of stop, length, refused, aborted, error"),
        (("why",), "fine", "/why is a text, not one of"),
    ],
)
def test_a_field_of_a_wrong_type_or_out_of_range_is_named(path, value, message):
    with pytest.raises(DeserializeFormatError) as caught:
        FlightRecord.from_json(changed(path, value))
    assert message in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", list(RECORD.to_wire()))
def test_a_field_that_is_missing_is_named(name):
    wire = RECORD.to_wire()
    del wire[name]
    with pytest.raises((DeserializeFormatError, DeserializeVersionError)) as caught:
        FlightRecord.from_json(json.dumps(wire))
    assert caught.value.pointer == f"/{name}"


@pytest.mark.parametrize("version", [0, 2, "1", None, True, 10**30])
def test_another_version_is_refused_as_one(version):
    with pytest.raises(DeserializeVersionError, match="this xg2lab reads 1"):
        FlightRecord.from_json(changed(("version",), version))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        '"a"',
        "null",
        "{}",
        '{"format": "xg2lab.trace", "version": 1}',
        "[" * 100_000,
        "1" * 5000,
        "\ud800",
    ],
)
def test_what_is_no_flight_is_refused(text):
    with pytest.raises(DeserializeFormatError):
        FlightRecord.from_json(text)
    with pytest.raises(DeserializeFormatError):
        FlightRecord.from_json(text.encode("utf-8", "surrogatepass"))


def test_a_file_that_is_cut_off_or_damaged_is_refused(tmp_path):
    data, path = RECORD.packed(), tmp_path / "one.xgflight"
    for n_bytes in range(len(data)):
        path.write_bytes(data[:n_bytes])
        with pytest.raises(DeserializeFormatError):
            FlightRecord.load(path)
    path.write_bytes(data[:20] + bytes([data[20] ^ 0xFF]) + data[21:])
    with pytest.raises(DeserializeFormatError):
        FlightRecord.load(path)


def test_a_small_file_that_unpacks_to_a_large_one_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.xgflight"
    path.write_bytes(gzip.compress(b'{"format":"xg2lab.flight","x":"' + b" " * (70 << 20), compresslevel=9))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(LimitError, match=r"bomb\.xgflight has more than 67108864 bytes"):
        FlightRecord.load(path)


def test_more_values_than_memory_allows_are_not_read():
    with pytest.raises(LimitError):
        FlightRecord.from_json('{"format":"xg2lab.flight","version":1,"x":[' + "[]," * 3_000_000 + "[]]}")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(RECORD.to_wire())), json_values)
def test_any_value_of_any_field_is_read_or_refused_with_a_typed_error(name, value):
    wire = {**RECORD.to_wire(), name: value}
    try:
        record = FlightRecord.from_wire(wire)
    except Xg2LabError as error:
        assert error.hint
    else:
        assert FlightRecord.from_json(record.to_json()) == record


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_with_a_typed_error(data):
    assert not is_flight(data)
    with pytest.raises(Xg2LabError):
        FlightRecord.from_json(data)


# ---- Grammars ----


TEXTS = {
    "json_schema": ('{"type": "boolean"}', "true"),
    "json_object": ("", '{"a": 1}'),
    "ebnf": ('start ::= "ab"', "ab"),
    "lark": ('start: "ab"', "ab"),
    "regex": ("a[b]", "ab"),
    "choice": ('["a \\"b\\"", "\\u00e9\\n", "\\\\"]', 'a "b"'),
    "structural_tag": ('{"format": {"type": "const_string", "value": "ab"}}', "ab"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_compiled_from_its_text(kind):
    info = xgr.TokenizerInfo([*(bytes([byte]) for byte in range(256)), "</s>"], stop_token_ids=[256])
    compiler = xgr.GrammarCompiler(info)
    if kind == "compiled":
        grammar, text = FlightGrammar.of_compiled(compiler.compile_regex("ab")), "ab"
    else:
        source, text = TEXTS[kind]
        grammar = FlightGrammar(kind, source, {"root_rule_name": "start"} if kind == "ebnf" else {})
    again = FlightRecord.from_json(FlightRecord("r", "", grammar, TOKENIZER).to_json()).grammar
    matcher = xgr.GrammarMatcher(again.compile(compiler))
    assert matcher.accept_string(text)
    assert matcher.is_completed()


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=1, max_size=4))
def test_a_choice_is_its_texts(choices):
    info = xgr.TokenizerInfo([*(bytes([byte]) for byte in range(256)), "</s>"], stop_token_ids=[256])
    compiled = FlightGrammar("choice", json.dumps(choices)).compile(xgr.GrammarCompiler(info))
    for choice in choices:
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string(choice)
        assert matcher.is_completed()


@pytest.mark.parametrize("text", ["[]", "{}", "[1]", '["a", null]', "5"])
def test_a_choice_of_something_else_is_refused(text):
    info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
    with pytest.raises(DeserializeFormatError, match="choice"):
        FlightGrammar("choice", text).compile(xgr.GrammarCompiler(info))
    with pytest.raises(InvalidJSONError):
        FlightGrammar("choice", "[").compile(xgr.GrammarCompiler(info))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("json", "{}"), "the grammar's kind is 'json'"),
        ((None, "{}"), "the grammar's kind is None"),
        (("regex", b"a"), "the grammar's text is a bytes"),
        (("regex", "\ud800"), "half of a surrogate pair"),
        (("regex", "a", {"flags": "i"}), "a grammar of kind regex has no option 'flags'"),
        (("regex", "a", ["flags"]), "the grammar's options is a list"),
    ],
)
def test_a_grammar_that_none_of_the_kinds_can_be_is_refused(arguments, message):
    with pytest.raises(ArgumentError) as caught:
        FlightGrammar(*arguments)
    assert message in str(caught.value)
