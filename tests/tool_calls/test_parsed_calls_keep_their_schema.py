"""What `parse` returns of an accepted answer keeps the tool's schema, in each model's format.

Sentences are drawn from the grammar of the format, and whitespace is put between their parts and around their values.
Whatever of that the grammar accepts is parsed, and `jsonschema` judges. The schemas are made to be misread, and real
ones: from the data folder (`vocabularies.py`), where it is.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jsonschema
import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from tests.vocabularies import DATA
from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.errors import ToolCallError, Xg2LabError
from xg2lab.testing import _get_matcher_from_grammar
from xg2lab.tool_calls import parse
from xg2lab.tool_calls.formats import MODEL_FORMATS

N_SENTENCES = 5
N_REAL = max(2, round(12 * SHARE))


def properties(*required: str, **schemas: Any) -> dict[str, Any]:
    return {"type": "object", "properties": schemas, "required": list(required)}


STRING = {"type": "string"}
#: Values that a text may be taken for, and whitespace that may be theirs or not.
OWN: dict[str, dict[str, Any]] = {
    "units": properties("unit", unit={"enum": ["C", "F"]}, n={"type": "integer", "minimum": 0, "maximum": 9}),
    "closed": {**properties("a", a=STRING, b={"type": "boolean"}), "additionalProperties": False},
    "spaces": properties("e", e={"enum": [" a", "b ", "\nc", "d\n", "\n", "", " "]}),
    "digits": properties("e", e={"enum": ["5", "true", "null", "[]", "{}", 7, True, None]}),
    "text or number": properties("x", x={"type": ["string", "integer"], "maximum": 3}),
    "one of texts or number": properties("x", x={"anyOf": [{"enum": ["1", "22"]}, {"type": "integer", "minimum": 50}]}),
    "long enough": properties("s", s={"type": "string", "minLength": 1, "maxLength": 3}),
    "pattern": properties("s", s={**STRING, "pattern": "^[a-z]+$"}, t={**STRING, "pattern": "^[ \n]?x$"}),
    "nothing or text": properties("s", s={"type": ["string", "null"], "maxLength": 4}),
    "list or text": properties("s", s={"anyOf": [{"type": "array", "items": STRING, "maxItems": 2}, {"const": "x"}]}),
    "list of texts": properties("s", s={"type": "array", "items": {"enum": ["1", "a b", ""]}, "maxItems": 3}),
    "list of either": properties("s", s={"type": "array", "items": {"type": ["string", "integer"], "maxLength": 2}}),
    "object or list": properties("s", s={"type": ["object", "array"], "properties": {"item": STRING}, "maxItems": 2}),
    "nested": properties("o", o=properties("k", k={"enum": ["1", 1]}, l=properties(m={"items": STRING}))),
    "empty": properties("o", o={"type": "object", "properties": {}, "additionalProperties": False}, n={"type": "null"}),
    "any keys": properties("o", o={"type": "object", "additionalProperties": {"type": "integer"}}),
    "references": {
        **properties("x", x={"$ref": "#/$defs/t"}, y={"type": "array", "items": {"$ref": "#/$defs/t"}, "maxItems": 2}),
        "$defs": {"t": {"type": ["string", "number"], "maxLength": 2, "minimum": 10}},
    },
    "alternatives": {
        "anyOf": [properties("k", "v", k={"const": "n"}, v={"type": "integer"}),
                  properties("k", "v", k={"const": "s"}, v={"type": "string", "maxLength": 3})],
        "type": "object",
    },
    "dates": properties("d", d={"type": "string", "format": "date"}, f={"type": "number"}),
    "names": properties("a b", **{"a b": STRING, "ü": {"type": "integer"}, "a&b": {"const": 1}, 'a"b': {"const": "x"}}),
    "no parameters": {"type": "object", "properties": {}},
}  # fmt: skip


def tool(schema: Any, **said: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "parameters": schema, **said}}


@dataclass
class Found:
    n_parsed: int = 0
    refused: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])


def spaced(rng: random.Random, text: str) -> Iterator[str]:
    """The text with whitespace where a reader might take it off, or a grammar allow it."""
    places = [match.start() for match in re.finditer(r"(?<=[>\]|])|(?=[<\]])|(?<=[:,{\[])", text)]
    for _ in range(8):
        changed = text
        for place in sorted(rng.sample(places, min(len(places), rng.choice([1, 1, 2]))), reverse=True):
            changed = changed[:place] + rng.choice([" ", "\n", "\n\n", "\t ", " \n"]) + changed[place:]
        yield changed


def judge(model: str, name: str, given: Any, schema: Any, found: Found, rng: random.Random) -> None:
    """All of one tool's sentences: what is accepted is parsed, and keeps the schema."""
    try:
        tag = get_model_structural_tag(model, [given], "required", "disabled", parallel_tool_calls=False)
        grammar = xgr.Grammar.from_structural_tag(tag)
    except Xg2LabError as error:
        found.refused.append(f"{name}: {str(error).splitlines()[0]}")
        return
    matcher = _get_matcher_from_grammar(grammar)
    validator = jsonschema.Draft202012Validator(schema)
    try:
        drawn = xgr.sample(grammar, N_SENTENCES, seed=rng.randrange(1 << 30), max_length=600)
    except Xg2LabError as error:
        found.refused.append(f"{name}: {str(error).splitlines()[0]}")
        return
    for sentence in drawn:
        for text in (sentence, *spaced(rng, sentence)):
            matcher.reset()
            if not (matcher.accept_string(text) and matcher.is_completed()):
                assert text != sentence, (model, name, text)
                continue
            about = f"{name}: {text!r}: "
            try:
                calls = parse(model, text, [given]).tool_calls
            except Xg2LabError as error:
                found.faults.append(about + str(error).splitlines()[0])
                continue
            found.n_parsed += 1
            if len(calls) != 1 or calls[0].name != given["function"]["name"]:
                found.faults.append(about + f"read as {calls}")
                continue
            wrong = next(validator.iter_errors(calls[0].arguments), None)
            if wrong is not None:
                found.faults.append(about + f"read as {calls[0].arguments}: {wrong.message}")


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_schemas_that_invite_mistakes(model: str):
    rng = seeded(f"tools/{model}")
    found = Found()
    for name, schema in OWN.items():
        judge(model, name, tool(schema), schema, found, rng)
        judge(model, f"{name}, strict", tool(schema, strict=True), schema, found, rng)
        judge(model, f"{name}, not strict", tool(schema, strict=False), {"type": "object"}, found, rng)
    assert not found.faults, (len(found.faults), found.faults[:15])
    assert found.n_parsed >= 40
    assert len(found.refused) <= (40 if MODEL_FORMATS[model].style == "gemma" else 10), found.refused


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_an_object_that_says_it_is_closed_is_one_in_each_format(model: str):
    found = Found()
    judge(model, "closed", tool(OWN["closed"], strict=True), OWN["closed"], found, seeded(f"tools/closed/{model}"))
    assert not found.refused
    assert not found.faults
    assert found.n_parsed >= N_SENTENCES


def test_the_number_of_a_call_has_an_end():
    from xg2lab.tool_calls import ToolCall, render

    for model in ("kimi", "kimi_k3", "cohere"):
        tag = get_model_structural_tag(model, [tool(OWN["closed"])], "required", "disabled")
        matcher = _get_matcher_from_grammar(xgr.Grammar.from_structural_tag(tag))
        form = MODEL_FORMATS[model]
        call = render(model, [ToolCall("f", {"a": "x"})])
        first = 1 if model == "kimi_k3" else 0
        head = form.head_of("f", first)
        assert head in call
        for index, is_one in (("0", True), ("9999", True), ("10000", False), ("00", False), ("7" * 300, False)):
            text = call.replace(head, form.head.replace("NAME", "f").replace("INDEX", index))
            matcher.reset()
            assert (matcher.accept_string(text) and matcher.is_completed()) == is_one, text
            if is_one:
                assert parse(model, text).tool_calls == [ToolCall("f", {"a": "x"})]
            else:
                with pytest.raises(ToolCallError):
                    parse(model, text)


@cache
def real_tools() -> list[tuple[str, dict[str, Any]]]:
    """Functions of the data folder, by where they stand there."""
    found: list[tuple[str, dict[str, Any]]] = []
    bfcl = DATA / "bfcl" / "bfcl_v4_dev.jsonl.xz"
    if bfcl.exists():
        with lzma.open(bfcl, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        found += [(row["id"], given) for row in rows for given in row["tools"]]
    confetti = DATA / "confetti" / "tools_inferred.json"
    if confetti.exists():
        tools: list[dict[str, Any]] = json.loads(confetti.read_text("utf-8"))
        found += [("confetti", given if "function" in given else tool_of(given)) for given in tools]
    if not found:
        pytest.skip(f"no tools: {DATA} has neither bfcl nor confetti (set XG2LAB_DATA to the data folder)")
    return found


def tool_of(function: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": function}


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_real_schemas(model: str):
    rng = seeded(f"tools/real/{model}")
    found = Found()
    for place, given in rng.sample(real_tools(), N_REAL):
        schema = given["function"].get("parameters") or {"type": "object"}
        judge(model, place, given, schema, found, rng)
    assert not found.faults, (len(found.faults), found.faults[:15])
    assert found.n_parsed >= N_REAL


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_a_function_without_parameters_has_no_arguments(model: str):
    ping = {"type": "function", "function": {"name": "f"}}
    for given in (ping, {"type": "function", "function": {"name": "f", "strict": True}}):
        found = Found()
        judge(model, "ping", given, {"type": "object", "maxProperties": 0}, found, seeded(f"tools/ping/{model}"))
        assert not found.faults
        assert not found.refused
        assert found.n_parsed >= N_SENTENCES
