"""Plain numbers: what programs write of integers and doubles, bounded, with a schema's bounds and steps exact.

XG2LAB_SEED repeats a run.
"""

from __future__ import annotations

import json
import random
import struct
from fractions import Fraction
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import seeded
from tests.masks import mask_disagreements
from tests.refusals import Outcomes, codes_of
from xg2lab.builtin_structural_tag import get_model_structural_tag, register_model_structural_tag
from xg2lab.cli import main
from xg2lab.errors import ArgumentError, InvalidStructuralTagError
from xg2lab.sources.json_schema import NumberForm
from xg2lab.structural_tag import RegexFormat, StructuralTag
from xg2lab.testing import _get_matcher_from_grammar, _is_grammar_accept_string
from xg2lab.tool_calls.formats import MODEL_FORMATS
from xg2lab.tool_calls.functiongemma import arguments_grammar, build_functiongemma_grammar

STEPS = [2, 3, 5, 7, 10, 12, 0.5, 0.1, 0.25, 0.01, 1e-6, 1000]


def acceptor(schema: Any, form: Any = "plain") -> Any:
    matcher = _get_matcher_from_grammar(xgr.Grammar.from_json_schema(schema, number_form=form))

    def accepts(text: str) -> bool:
        matcher.reset()
        return matcher.accept_string(text) and matcher.is_completed()

    return accepts


def some_schema(rng: random.Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": rng.choice(["integer", "number"])}
    bounds = sorted(rng.choice([rng.randint(-200, 200), rng.uniform(-3, 3), 10 ** rng.randint(0, 30)]) for _ in "ab")
    if rng.random() < 0.5:
        schema[rng.choice(["minimum", "exclusiveMinimum"])] = bounds[0]
    if rng.random() < 0.4:
        schema[rng.choice(["maximum", "exclusiveMaximum"])] = bounds[1]
    if rng.random() < 0.4:
        schema["multipleOf"] = rng.choice(STEPS)
    return schema


def some_number(rng: random.Random, schema: dict[str, Any]) -> int | float:
    """An integer or a finite double: near a bound, a multiple of the step, or any."""
    near = [value for key, value in schema.items() if key != "type"] or [0]
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice(near) + rng.choice([0, 1, -1, 0.5, 1e-9])
    if kind == 1:
        return schema.get("multipleOf", 1) * rng.randint(-(10**6), 10**6)
    if kind == 2:
        return rng.choice([1, -1]) * rng.getrandbits(rng.choice([1, 8, 31, 63, 64, 128]))
    if kind == 3:  # with an exponent, few digits
        return float(f"{rng.randint(-99, 99)}e{rng.choice([15, 16, 17, 20, -5, -6, -7, 300, -320])}")
    while True:
        value: float = struct.unpack("<d", rng.randbytes(8))[0]
        if abs(value) < float("inf"):
            return value


def satisfies(text: str, schema: dict[str, Any]) -> bool:
    """By what the digits say, as the schema's own numbers are what their digits say."""
    value = Fraction(text)
    bound = {key: Fraction(json.dumps(given)) for key, given in schema.items() if key != "type"}
    return (
        value >= bound.get("minimum", value)
        and value <= bound.get("maximum", value)
        and ("exclusiveMinimum" not in bound or value > bound["exclusiveMinimum"])
        and ("exclusiveMaximum" not in bound or value < bound["exclusiveMaximum"])
        and ("multipleOf" not in bound or (value / bound["multipleOf"]).denominator == 1)
        and (schema["type"] != "integer" or value.denominator == 1)
    )


def test_what_programs_write_of_a_valid_number_is_accepted_and_nothing_else():
    rng = seeded("number_form")
    n_in = 0
    outcomes = Outcomes()
    for _ in range(60):
        schema = some_schema(rng)
        try:
            accepts, accepts_any = acceptor(schema), acceptor(schema, "any")
        except xgr.errors.GrammarError as error:  # no number is between the bounds
            assert codes_of(error) == {"schema_allows_nothing"}, (schema, error)
            assert not any(satisfies(json.dumps(some_number(rng, schema)), schema) for _ in range(80)), schema
            outcomes["empty"] += 1
            continue
        outcomes["compared"] += 1
        for _ in range(80):
            number = some_number(rng, schema)
            text = json.dumps(number)
            if schema["type"] == "integer" and isinstance(number, float):
                assert not accepts(text), (schema, text)
                continue
            assert accepts(text) == satisfies(text, schema), (schema, text)
            assert accepts_any(text) or not accepts(text), (schema, text)
            n_in += accepts(text)
    outcomes.require("compared", 0.7)
    assert n_in > 300


def test_an_integer_is_read_as_one_and_a_number_as_a_finite_double():
    rng = seeded("number_form/members")
    n_read = 0
    outcomes = Outcomes()
    for _ in range(40):
        schema = some_schema(rng)
        try:
            grammar = xgr.Grammar.from_json_schema(schema, number_form="plain")
        except xgr.errors.GrammarError as error:
            assert codes_of(error) == {"schema_allows_nothing"}, (schema, error)
            outcomes["empty"] += 1
            continue
        outcomes["sampled"] += 1
        for text in xgr.sample(grammar, 25, seed=rng.randrange(1 << 30), max_length=80):
            value = json.loads(text)
            assert abs(value) < float("inf"), (schema, text)
            assert satisfies(text, schema), (schema, text)
            assert (value == 0) == (Fraction(text) == 0), (schema, text)
            if schema["type"] == "integer":
                assert isinstance(value, int), (schema, text)
                assert json.dumps(value) == text, (schema, text)
            n_read += 1
    assert n_read > 500


@pytest.mark.parametrize("schema", [{"type": "integer"}, {"type": "number"}, {}, {"type": "number", "multipleOf": 7}])
def test_no_number_goes_on_for_ever(schema: dict[str, Any]):
    """Whatever digits come, there is a place where none may follow."""
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([bytes([b]) for b in range(256)], stop_token_ids=[]))
    for form in ("plain", "any"):
        compiled = compiler.compile_json_schema(schema, number_form=form)
        lengths: list[int] = []
        for begin, more in (("1", "0"), ("-7", "7"), ("0.", "0"), ("1.", "3"), ("1.0e", "0"), ("2e+1", "1")):
            matcher = xgr.GrammarMatcher(compiled)
            if matcher.accept_string(begin):
                longest = 0
                while longest < 200 and matcher.accept_string(more):
                    longest += 1
                lengths.append(longest)
        assert (max(lengths) < 60) == (form == "plain"), lengths


def test_forms_side_by_side():
    texts = ["99", "99.0", "9e1", "-0", "-0e99999", "0"]
    schema = {"type": "integer", "minimum": 0, "maximum": 99}
    assert [acceptor(schema)(text) for text in texts] == [True, False, False, False, False, True]
    assert [acceptor(schema, "any")(text) for text in texts] == [True] * 6
    assert [_is_grammar_accept_string(xgr.Grammar.from_json_schema(schema), text) for text in texts] == [True] * 6
    for number in (1e21, 1.5e-07, 5e-324, 1.7976931348623157e308, -0.0, 0.0001, 123456789012345.6, 2**64):
        assert acceptor({"type": "number"})(json.dumps(number)), number
    for text in ("1e+21", "1e-7", "0.0000012345678901234567", "999999999999999900000"):  # JSON.stringify's
        assert acceptor({})(text), text
    assert acceptor({"enum": [1, 2.5, 1e300]})("1e+300")
    assert acceptor({"type": "integer", "enum": [1, 2]})("2")
    assert not acceptor({"type": "integer", "enum": [1, 2]})("2.0")


def test_values_and_bounds_with_more_digits_stay():
    assert acceptor({"const": 10**60})("1" + "0" * 60)
    assert acceptor({"type": "integer", "minimum": 10**60})("1" + "0" * 60)
    assert acceptor({"type": "number", "minimum": 1e-40, "maximum": 2e-40})("0." + "0" * 39 + "15")


def test_what_is_left_out_stands_in_the_coverage():
    def notes(schema: Any, **options: Any) -> dict[str, str]:
        return {use.pointer: use.note for use in xgr.Grammar.from_json_schema(schema, **options).coverage if use.note}

    members = {"n": {"type": "integer"}, "x": {"type": "number", "minimum": 0}, "y": {"maximum": 3}}
    schema = {"type": "object", "properties": members}
    plain = notes(schema, number_form="plain")
    named = ["/properties/n/type", "/properties/x/type", "/properties/y/maximum"]
    assert list(plain) == ["/properties", *named]  # y may be a list with any numbers
    assert plain["/properties/n/type"] == "plain numbers: digits alone, 40 at most unless the bounds have more"
    assert "25 after it" in plain["/properties/x/type"]
    assert notes(schema) == {}
    assert list(notes({"items": {}, "type": "array"}, number_form="plain")) == ["/items"]
    open_object = notes({"additionalProperties": True, "type": "object"}, number_form="plain")
    assert "25 after it" in open_object["/additionalProperties"]


@pytest.mark.parametrize("schema", [
    {"type": "integer"}, {"type": ["number", "null"]}, {"multipleOf": 0.1, "type": "number"}, {},
    {"properties": {"a": {"type": "integer", "minimum": 3}, "b": {"items": {"type": "number"}}}},
])  # fmt: skip
def test_printed_and_serialized_grammars_are_the_same(schema: dict[str, Any]):
    grammar = xgr.Grammar.from_json_schema(schema, number_form="plain")
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)
    again = xgr.Grammar.deserialize_json(grammar.serialize_json())
    assert str(again) == str(grammar)
    assert _is_grammar_accept_string(again, "99.0") == _is_grammar_accept_string(grammar, "99.0")


def test_every_way_to_a_schema_has_the_option(tmp_path: Any, capsys: pytest.CaptureFixture[str]):
    schema: dict[str, Any] = {"type": "integer"}
    with pytest.raises(ArgumentError, match="number_form must be 'any' or 'plain', not 'short'"):
        xgr.Grammar.from_json_schema(schema, number_form="short")
    path = tmp_path / "n.json"
    path.write_text(json.dumps(schema))
    command = ["check", str(path), "--rejects", "9.0"]
    assert [main(command), main([*command, "--number-form", "plain"])] == [1, 0]
    capsys.readouterr()
    content = {"type": "json_schema", "json_schema": schema, "number_form": "plain"}
    tag = xgr.Grammar.from_structural_tag(StructuralTag.from_json({"format": content}))
    assert [_is_grammar_accept_string(tag, text) for text in ("9", "9.0")] == [True, False]
    with pytest.raises(InvalidStructuralTagError, match='must be "any" or "plain"') as caught:
        xgr.Grammar.from_structural_tag({"format": {**content, "number_form": "short"}})
    assert caught.value.pointer == "/format/number_form"


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_calls_have_plain_numbers(model: str):
    from xg2lab.tool_calls import ToolCall, render

    tool = {"type": "function", "function": {"name": "f", "parameters": {
        "type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}}, "required": ["n"],
    }}}  # fmt: skip
    forms: tuple[NumberForm, ...] = ("plain", "any")
    plain, loose = (
        xgr.Grammar.from_structural_tag(
            get_model_structural_tag(model, [tool], "required", "disabled", number_form=form)
        )
        for form in forms
    )
    by_default = get_model_structural_tag(model, [tool], "required", "disabled")
    assert by_default == get_model_structural_tag(model, [tool], "required", "disabled", number_form="plain")
    call = render(model, [ToolCall("f", {"n": 77, "x": 1.5e-07})])
    assert _is_grammar_accept_string(plain, call)
    for written in ("77.0", "7" * 41, "-0"):
        changed = call.replace("77", written)
        is_integer = "." not in written or MODEL_FORMATS[model].style != "gemma"
        assert not _is_grammar_accept_string(plain, changed), changed
        assert _is_grammar_accept_string(loose, changed) == is_integer, changed
    for written in ("1.5e-0000007", "1." + "5" * 26, "1e999"):
        changed = call.replace("1.5e-07", written)
        assert not _is_grammar_accept_string(plain, changed), changed
        assert _is_grammar_accept_string(loose, changed), changed


def test_functiongemma_in_plain_ebnf():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}}, "required": ["n"]}
    for text, n_plain in (
        ("{n:-0}", 0),
        ("{n:5}", 1),
        ("{n:5,x:-0.0}", 1),
        ("{n:5,x:1e308}", 0),
        ("{n:5,x:1e-323}", 1),
    ):
        made = [
            _is_grammar_accept_string(arguments_grammar(schema, number_form=form), text) for form in ("plain", "any")
        ]
        assert made == [bool(n_plain), True], text
    with pytest.raises(ArgumentError, match="number_form must be 'any' or 'plain'"):
        build_functiongemma_grammar([{"type": "function", "function": {"name": "f"}}], 3, "short")  # pyright: ignore[reportArgumentType]


def test_a_builder_without_the_option_is_not_given_it():
    @register_model_structural_tag("number_form/without")
    def without(
        *_: Any, any_order: bool, exclude_special_tokens: bool, max_whitespace_cnt: Any, parallel_tool_calls: bool
    ):
        return StructuralTag(format=RegexFormat(pattern=f"{any_order}{exclude_special_tokens}{max_whitespace_cnt}"))

    @register_model_structural_tag("number_form/with")
    def with_it(*_: Any, number_form: str, **others: Any):
        return StructuralTag(format=RegexFormat(pattern=number_form))

    assert get_model_structural_tag("number_form/without") is not None
    assert get_model_structural_tag("number_form/with", number_form="any").format == RegexFormat(pattern="any")
    with pytest.raises(ArgumentError, match="has no parameter number_form"):
        get_model_structural_tag("number_form/without", number_form="any")


def test_masks_are_what_is_accepted():
    """Along random walks, each token's bit says whether it would be accepted."""
    rng = seeded("number_form/masks")
    tokens = [
        b"-",
        b"0",
        b"1",
        b"7",
        b"99",
        b"12345",
        b".",
        b".0",
        b"0.",
        b"e",
        b"E+",
        b"e-3",
        b"5e",
        b"08",
        b"[",
        b"]",
        b", ",
    ]
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    schemas = [
        {"type": "integer", "maximum": 10**40},
        {"type": "number", "multipleOf": 7},
        {"items": {"type": "number"}},
    ]
    n_checked = 0
    for schema in schemas:
        for parser in ("earley", "pda"):
            compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser=parser))
            compiled = compiler.compile_json_schema({"type": ["array", "number"], **schema}, number_form="plain")
            for _ in range(6):
                matcher = xgr.GrammarMatcher(compiled)
                for _ in range(50):
                    assert mask_disagreements(matcher) == [], (schema, parser)
                    n_checked += info.vocab_size
                    likely = [token for token in matcher.allowed_tokens() if token < len(tokens)]
                    if not likely:
                        break
                    assert matcher.accept_token(rng.choice(likely))
    assert n_checked > 5000
