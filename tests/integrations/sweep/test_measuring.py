"""One row: verdicts, keywords, instances, disagreements, and what an engine that goes wrong leaves."""

import json

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integrations.sweep import fakes
from tests.integrations.sweep.fakes import place
from xg2lab.errors import ArgumentError
from xg2lab.integrations.sweep import SweepOptions
from xg2lab.integrations.sweep.measuring import Tools
from xg2lab.integrations.sweep.rows import N_BUCKETS, SweepRow, arrow_schema, bucket_of, bucket_us, empty_row
from xg2lab.lab.engines.protocol import EngineError

AGE = {"id": "age", "schema": {"type": "integer", "minimum": 0}, "valid": [3], "invalid": [-3]}


def test_instances_are_checked_token_by_token(do):
    row, stages = do(AGE)
    (part,) = row["engines"]
    assert stages == ["coverage", "engine xg2lab"]
    assert (row["name"], row["verdict"], row["n_instances"], row["n_enforced"]) == ("age", "compiled", 2, 2)
    # "3" has a mask before it and one after it; "-3" is refused at its second byte, because "-0" is valid.
    assert (part["n_accepted"], part["n_masks"], sum(part["mask_histogram"])) == (1, 4, 4)
    assert (part["wrongly_rejected"], part["wrongly_accepted"], part["mask_not_accept"]) == ([], [], 0)
    assert 0 < part["mask_p50_us"] <= part["mask_p90_us"] <= part["mask_p99_us"] <= part["mask_max_us"]
    assert 0 < part["compile_us"] < part["first_us"]


def test_wrong_labels_are_wrong_verdicts(do):
    row, _ = do({**AGE, "valid": [-1, 5], "invalid": [4]})
    assert (row["engines"][0]["wrongly_rejected"], row["engines"][0]["wrongly_accepted"]) == ([0], [2])
    assert (row["n_wrongly_rejected"], row["n_wrongly_accepted"]) == (1, 1)


def test_an_instance_without_a_label_is_judged(do):
    row, stages = do({"schema": AGE["schema"], "tests": [{"data": -1}, {"data": 1}]}, place(fakes.Lax))
    assert stages[:2] == ["coverage", "judge"]
    assert row["engines"][0]["mask_not_accept"] == 1
    assert row["engines"][0]["first_mask_not_accept"] == (
        "instance 0, token 1 (49): the mask allows it, and accept refuses it"
    )
    _, without = do({"schema": AGE["schema"], "tests": [{"data": -1}]}, lost={"judge": ("timeout", "slow")})
    assert "judge" not in without


@pytest.mark.parametrize(
    ("schema", "error", "code", "pointer", "keywords"),
    [
        (
            {"properties": {"a": {"type": "array", "items": {"type": "string"}, "uniqueItems": True}}},
            "UnsupportedError",
            "unsupported_unique_items",
            "/properties/a/uniqueItems",
            ["uniqueItems"],
        ),
        (
            {"properties": {"a/b": {"pattern": r"(a)\1"}}},
            "UnsupportedError",
            "unsupported_regex",
            "/properties/a~1b/pattern",
            ["pattern"],
        ),
        ({"items": {"$ref": "#/nowhere"}}, "GrammarError", "undefined_reference", "/items/$ref", []),
        ({"type": "strin"}, "GrammarError", "unknown_type", "/type", []),
    ],
)
def test_a_refusal_names_its_reason_and_the_keyword(do, schema, error, code, pointer, keywords):
    row, _ = do(schema)
    assert (row["verdict"], row["error"], row["code"], row["pointer"]) == ("refused", error, code, pointer)
    assert row["keyword"] == pointer.rpartition("/")[2]
    assert row["refused_keywords"] == keywords
    assert pointer in row["message"]


def test_all_refused_keywords_are_counted_and_not_the_first_alone(do):
    unique = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    row, _ = do(
        {"properties": {"a": unique, "b": unique, "c": {"pattern": r"(a)\1"}}, "title": "two"}, what=("compile",)
    )
    assert (row["refused_keywords"], row["n_relaxed"], row["n_annotations"]) == (["pattern", "uniqueItems"], 3, 1)


@pytest.mark.parametrize("data", [b"not json", b'{"title": "\\ud800"}', b"\xff\xfe", b'{"schema": 3}'])
def test_a_line_that_can_not_be_read_is_a_row(do, data):
    row, stages = do(data)
    assert (row["verdict"], row["engines"], stages) == ("unreadable", [], [])
    assert row["error"] in ("InvalidJSONError", "UnicodeEncodeError")
    assert row["message"]


def test_a_schema_without_instances_gets_drawn_sentences(do):
    row, _ = do({"enum": ["a", "b"]}, "xg2lab", place(fakes.Lax), what=("audit", "compare"))
    ours, lax = row["engines"]
    assert (row["n_instances"], ours["n_accepted"], ours["wrongly_rejected"]) == (0, 2, [])
    assert {one["instance"] for one in row["disagreements"]} == {-1, -2}
    assert lax["mask_not_accept"] == 0  # it allows the tokens of the text, which accept takes


def test_engines_are_compared_mask_by_mask(do):
    row, _ = do(
        {"schema": {"const": "ab"}, "tests": [{"text": '"ab"', "valid": True}, {"text": '"ax"', "valid": False}]},
        "xg2lab",
        place(fakes.Lax),
        what=("compare",),
    )
    first, second = row["disagreements"]
    assert (first["kind"], first["instance"], first["step"], first["byte"], first["wrong"]) == ("mask", 0, 0, 0, "")
    assert (first["only_a"], first["only_b"], first["example_a"]) == (0, 256, "")
    assert first["example_b"]
    assert second["instance"] == 1
    same, _ = do({"schema": {"const": "ab"}, "valid": ["ab"]}, "xg2lab", "xg2lab-pda", what=("compare",))
    assert same["disagreements"] == []


def test_the_label_says_which_engine_is_wrong(do):
    strict = "xg2lab.lab.engines.ours:OurEngine"
    row, _ = do(
        {"schema": {"type": "integer"}, "tests": [{"data": 1, "valid": False}]}, "xg2lab", strict, what=("compare",)
    )
    assert row["disagreements"] == []  # both accept it: both are wrong, and they agree
    assert [part["wrongly_accepted"] for part in row["engines"]] == [[0], [0]]


def test_a_peer_has_its_part_of_the_row(do):
    pytest.importorskip("llguidance")
    case = {"schema": {"type": "integer"}, "valid": [1], "invalid": ["x"]}
    row, stages = do(case, "xg2lab", "llguidance", what=("audit", "compare"))
    ours, peer = row["engines"]
    assert stages == ["coverage", "engine xg2lab", "engine llguidance"]
    assert (peer["name"], peer["verdict"], peer["n_accepted"], peer["mask_not_accept"]) == (
        "llguidance",
        "compiled",
        1,
        0,
    )
    assert (peer["wrongly_rejected"], peer["wrongly_accepted"]) == (ours["wrongly_rejected"], ours["wrongly_accepted"])
    refused, _ = do({"schema": {"oneOf": [{"type": "array"}, {"uniqueItems": True}]}}, "llguidance", what=("compile",))
    assert (refused["verdict"], refused["pointer"]) == ("refused", "")
    assert refused["message"]
    assert refused["code"]


def test_an_engine_that_raises_fails_and_the_others_go_on(do):
    row, _ = do(AGE, "xg2lab", place(fakes.Failing))
    ours, failing = row["engines"]
    assert (row["verdict"], ours["verdict"], failing["verdict"]) == ("compiled", "compiled", "failed")
    assert (failing["error"], failing["message"]) == ("ZeroDivisionError", "instance 0: no such luck")


def test_a_lost_stage_is_left_out_and_named(do):
    lost = {"engine xg2lab": ("crashed", "SIGSEGV"), "coverage": ("timeout", "slow")}
    row, stages = do(AGE, "xg2lab", "xg2lab-pda", lost=lost)
    assert stages == ["engine xg2lab-pda"]
    assert (row["verdict"], row["message"], row["lost"]) == ("crashed", "SIGSEGV", ["coverage", "engine xg2lab"])
    assert row["engines"][1]["n_accepted"] == 1


def test_an_unknown_engine_is_refused(info):
    with pytest.raises(EngineError, match="there is no engine of this name"):
        Tools(SweepOptions(engines=("xgramma",)), info)


def test_instances_that_the_vocabulary_lacks_are_counted_apart():
    from xg2lab import TokenizerInfo
    from xg2lab.integrations.sweep.measuring import measured

    digits = TokenizerInfo([*"0123456789", "</s>"], stop_token_ids=[10])
    row = measured(b'{"schema": {}, "valid": [12, "a"]}', Tools(SweepOptions(("audit",)), digits))
    assert (row["n_instances"], row["n_unspelled"], row["engines"][0]["n_accepted"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"what": ("lint",)}, "a sweep can't do 'lint'"),
        ({"engines": ()}, "is not a list of 1 to 8 different names"),
        ({"engines": ("a", "a")}, "is not a list of 1 to 8 different names"),
        ({"what": ("compare",)}, "compare needs two engines"),
        ({"what": ("generate",), "vocabulary": "v.json"}, "a vocabulary can't generate"),
        ({"seconds": 0}, "seconds=0 is not between"),
        ({"seconds": float("nan")}, "seconds=nan is not between"),
        ({"max_bytes": 0}, "max_bytes=0 is not between"),
        ({"memory_bytes": 1}, "memory_bytes=1 is too little"),
        ({"max_tokens": 0}, "max_tokens=0 is not between"),
    ],
)
def test_options_outside_their_bounds_are_refused(given, said):
    with pytest.raises(ArgumentError) as caught:
        SweepOptions(**given)
    assert said in caught.value.message


def test_options_survive_the_way_to_another_process():
    options = SweepOptions(("generate", "audit"), ("xg2lab", "llguidance"), seconds=2.5, strict_mode=True)
    assert SweepOptions.from_wire(options.to_wire()) == options
    assert options.what == ("compile", "audit", "generate")
    assert options.command("in.jsonl") == (
        "xg2lab sweep in.jsonl --do compile,audit,generate --engines xg2lab,llguidance --seconds 2.5 --strict"
    )


def test_each_time_has_a_bucket_that_holds_it():
    for us in (0.0, 0.01, 0.3, 1.0, 1.4, 1.5, 1e3, 1e8):
        bucket = bucket_of(us)
        assert us <= bucket_us(bucket)
        assert bucket == 0 or us > bucket_us(bucket - 1)
    assert bucket_of(1e30) == N_BUCKETS - 1


def test_the_columns_of_parquet_are_the_fields_of_a_row():
    assert arrow_schema().names == list(SweepRow.__annotations__) == list(empty_row("", 0, "compiled"))


WORDS = ["type", "properties", "items", "required", "enum", "const", "$ref", "schema", "tests", "valid", "data", "text"]
TEXTS = st.sampled_from([*WORDS, "object", "integer", "#", "#/properties", "", "\x00", "é", "a"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_line_holds_it_has_a_row(do, line):
    row, _ = do(line, "xg2lab", "xg2lab-pda", what=("audit", "compare"))
    assert row["verdict"] in ("compiled", "refused", "unreadable")
    assert row["verdict"] == "compiled" or row["message"]
    table = pa.Table.from_pylist([row], schema=arrow_schema())
    assert json.loads(json.dumps(table.to_pylist()[0])) == json.loads(json.dumps(row))
