"""The lines of an input: forms, ids, damage."""

import gzip
import json
import lzma

import pytest

from xg2lab.errors import ArgumentError, DeserializeFormatError, InvalidJSONError
from xg2lab.integrations.sweep.cases import Instance, count_lines, read_case, read_lines

MOST = 1 << 20


def test_each_form_of_a_line():
    whole = {
        "schema": {"type": "null"},
        "tests": [{"data": None, "valid": True}, {"text": "nul", "valid": False}, {"data": 1}],
    }
    assert read_case(json.dumps(whole).encode()).instances == (
        Instance("null", True),
        Instance("nul", False),
        Instance("1", None),
    )
    lists = {"schema": True, "valid": [{"ä": 1}], "invalid": [2]}
    case = read_case(json.dumps(lists).encode())
    assert (case.schema, case.instances) == ("true", (Instance('{"ä": 1}', True), Instance("2", False)))
    assert read_case(b'{"schema": "{\\"type\\": \\"null\\"}"}').schema == '{"type": "null"}'
    asked = read_case(b'{"name": "n", "schema": {}, "prompt": "who?", "expected": {"a": 1}}')
    assert (asked.name, asked.prompt, asked.expected) == ("n", "who?", '{"a": 1}')


@pytest.mark.parametrize(
    "text", ["true", "{}", '{"type": "object", "properties": {"schema": {}}}', '{"$ref": "#", "schema": 1}']
)
def test_a_schema_alone_is_a_line(text):
    case = read_case(text.encode())
    assert (json.loads(case.schema), case.instances) == (json.loads(text), ())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"not json", "the line is not JSON: Expecting value"),
        (b"", "the line is not JSON"),
        (b"\xff", "the line is not JSON"),
        (b'{"a": 1, "a": 2}', 'the key "a" occurs twice in one object'),
        (b'{"minimum": 1e999}', "the number 1e999 is beyond the range of double precision"),
        (b'{"minimum": NaN}', "JSON has no NaN"),
        (b'{"minimum": ' + b"1" * 5000 + b"}", "a number has 5,000 digits"),
        (b"[" * 100_000, "the line is nested too deep"),
        (b"[1]", "the schema of this line is [1], not an object, true or false"),
        (b'{"schema": 3}', "the schema of this line is 3, not an object, true or false"),
        (b'{"schema": {}, "tests": 3}', '"tests" is 3'),
        (b'{"schema": {}, "tests": [3]}', "an instance is 3"),
        (b'{"schema": {}, "tests": [{"text": 3}]}', "3 is no text"),
        (b'{"schema": {}, "valid": [' + b"1," * 10_000 + b"1]}", "the schema has 10,001 instances"),
    ],
)
def test_a_line_that_is_no_case_says_why(data, said):
    with pytest.raises(InvalidJSONError) as caught:
        read_case(data)
    assert said in caught.value.message
    assert caught.value.hint


def test_ids_come_from_the_content_and_packed_files_have_the_same(tmp_path):
    text = b'{"type": "null"}\n\n  {"type": "string"}  \n{"type": "null"}\n'
    (tmp_path / "plain.jsonl").write_bytes(text)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(text))
    (tmp_path / "packed.jsonl.xz").write_bytes(lzma.compress(text))
    plain, *others = (
        [*read_lines(tmp_path / name, MOST)] for name in ("plain.jsonl", "packed.jsonl.gz", "packed.jsonl.xz")
    )
    assert others == [plain, plain]
    assert [line.data for line in plain] == [b'{"type": "null"}', b'{"type": "string"}', b'{"type": "null"}']
    assert plain[2].id == plain[0].id + "-2" != plain[1].id
    moved = tmp_path / "moved.jsonl"
    moved.write_bytes(b'{"type": "string"}\n')
    assert next(read_lines(moved, MOST)).id == plain[1].id
    assert count_lines(tmp_path / "packed.jsonl.xz", MOST) == 3


def test_a_folder_of_files_is_read_in_the_order_of_names(tmp_path):
    (tmp_path / "b.json").write_text('{\n  "type": "string"\n}')
    (tmp_path / "a.json").write_text('{"type": "null"}')
    (tmp_path / "notes.txt").write_text("no schema")
    assert [read_case(line.data).schema for line in read_lines(tmp_path, MOST)] == [
        '{"type": "null"}',
        '{"type": "string"}',
    ]


def test_a_long_line_is_cut_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b'{"title": "' + b"a" * 100 + b'"}\n{"type": "null"}\n')
    first, second = read_lines(path, 20)
    assert (first.is_cut, len(first.data), second.is_cut, second.data) == (True, 20, False, b'{"type": "null"}')
    exact = tmp_path / "exact.jsonl"
    exact.write_bytes(b"1234\n12345\n")
    assert [line.is_cut for line in read_lines(exact, 4)] == [False, True]


def test_files_that_can_not_be_read(tmp_path):
    with pytest.raises(ArgumentError, match=r"no_such\.jsonl: No such file"):
        next(read_lines(tmp_path / "no_such.jsonl", MOST))
    with pytest.raises(ArgumentError, match=r"has no \.json files"):
        next(read_lines(tmp_path, MOST))
    for name, packed in (("a.gz", gzip.compress(b"1\n" * 9)), ("a.xz", lzma.compress(b"1\n" * 9))):
        (tmp_path / name).write_bytes(packed[:-9])
        with pytest.raises(DeserializeFormatError, match="is damaged after line"):
            [*read_lines(tmp_path / name, MOST)]
