"""Real tools and calls: each valid call is taken in each model's format, and what breaks its schema is refused.

The data are the Berkeley Function Calling Leaderboard's questions in the data folder (`vocabularies.py`). A sample of
them is seen in each format; all of them with XG2LAB_FULL=1.
"""

from __future__ import annotations

import copy
import json
import lzma
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from tests.vocabularies import DATA
from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.errors import UnsupportedError
from xg2lab.grammar import Grammar
from xg2lab.testing import _get_matcher_from_grammar
from xg2lab.tool_calls import ToolCall, parse, render
from xg2lab.tool_calls.formats import MODEL_FORMATS

SEED = int(os.environ.get("XG2LAB_SEED", "20261121"))
SAMPLE = 4005 if os.environ.get("XG2LAB_FULL") else 24
#: A value of another type, for a property that may not be a text.
WRONG = "not this!"


@cache
def rows() -> list[dict[str, Any]]:
    path = DATA / "bfcl" / "bfcl_v4_dev.jsonl.xz"
    if not path.exists():
        pytest.skip(f"no tool calls: {path} is not there (set XG2LAB_DATA to the data folder)")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [row for row in found if row["turns"] and any(call["valid"] for turn in row["turns"] for call in turn)]


def schema_of(tools: list[Any], name: str) -> dict[str, Any]:
    return next(tool["function"]["parameters"] for tool in tools if tool["function"]["name"] == name)


def broken(call: ToolCall, schema: dict[str, Any]) -> Iterator[ToolCall]:
    """The call with one thing wrong: a required argument missing, one that is not declared, a value of another type."""
    for name in schema.get("required", []):
        if name in call.arguments:
            yield ToolCall(call.name, {key: value for key, value in call.arguments.items() if key != name})
    if schema.get("properties"):
        yield ToolCall(call.name, {**call.arguments, "no_such_argument": 1})
    for name, value in call.arguments.items():
        if isinstance(value, (bool, int, float)) and schema["properties"][name].get("type") in (
            "integer",
            "number",
            "boolean",
        ):
            yield ToolCall(call.name, {**call.arguments, name: WRONG})
        if "enum" in schema["properties"][name]:
            yield ToolCall(call.name, {**call.arguments, name: WRONG})
    yield ToolCall(call.name + "_2", call.arguments)


def declares(schema: dict[str, Any], value: Any) -> bool:
    """Whether objects have nothing but what their schema declares: more is not taken (`strict_mode`)."""
    if isinstance(value, list):
        return all(declares(schema.get("items", {}), item) for item in value)
    if not isinstance(value, dict) or "properties" not in schema:
        return True
    properties = schema["properties"]
    return (
        all(name in properties and declares(properties[name], part) for name, part in value.items()) or not properties
    )


#: Styles that write a text and another value alike, and leave it to the schema which it is.
UNTYPED = {"qwen_xml", "minimax_xml", "glm_xml", "minimax_m3_xml"}


def writable(model: str, value: Any, schema: dict[str, Any]) -> bool:
    """Whether the format can write a value as one that it reads back, and no other: docs/design/0022 has its limits.

    No end of an element in a text, no "42" where the schema leaves open whether it is text; in minimax_m3's style no
    empty list or object, as they leave no trace, and no object of which nothing is declared.
    """
    style = MODEL_FORMATS[model].style
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if style == "minimax_m3_xml" and not (value and properties):
            return False
        if style == "gemma" and any(set(name) & set(':,{}[]<>|"\\ \t\r\n') for name in value):
            return False
        return all(writable(model, item, properties.get(name, {})) for name, item in value.items())
    if isinstance(value, list):
        empty = style == "minimax_m3_xml" and not value
        return not empty and all(writable(model, item, schema.get("items", {})) for item in value)
    if not isinstance(value, str) or style == "json":
        return True
    if any(mark in value for mark in ("<", "]<]", "\n", "｜")) or value != value.strip() or value == "":
        return False
    return not (style in UNTYPED and "type" not in schema and "enum" not in schema and is_json(value))


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@dataclass
class Found:
    """What became of one format's calls: how many were judged, and what went wrong, with what repeats it."""

    n_taken: int = 0
    n_broken: int = 0
    faults: list[str] = field(default_factory=list)


def judge(model: str, row: dict[str, Any], found: Found) -> None:
    """Each call of a question is taken and read back as it was; each broken one is rejected."""
    calls = [ToolCall(c["name"], c["arguments"]) for turn in row["turns"] for c in turn if c["valid"]]
    tools = copy.deepcopy(row["tools"])
    try:
        tag = get_model_structural_tag(model, tools, "required", reasoning="disabled")
        matcher = _get_matcher_from_grammar(Grammar.from_structural_tag(tag))
    except UnsupportedError:
        return  # a test of which little is left fails

    def accepts(text: str) -> bool:
        matcher.reset()
        return matcher.accept_string(text) and matcher.is_completed()

    for call in calls:
        schema = schema_of(tools, call.name)
        if not writable(model, call.arguments, schema) or not declares(schema, call.arguments):
            continue
        text = render(model, [call])
        if not accepts(text):
            found.faults.append(f"{row['id']}: refused: {text}")
        elif parse(model, text, tools).tool_calls != [call]:
            found.faults.append(f"{row['id']}: read back as {parse(model, text, tools).tool_calls}: {text}")
        found.n_taken += 1
        for wrong in broken(call, schema):
            text = render(model, [wrong])
            if accepts(text):
                found.faults.append(f"{row['id']}: accepted: {text}")
            found.n_broken += 1


@pytest.mark.parametrize("model", sorted(MODEL_FORMATS))
def test_real_calls(model: str):
    rng = random.Random(f"{SEED} {model}")
    sample = rng.sample(rows(), min(SAMPLE, len(rows())))
    found = Found()
    for row in sample:
        judge(model, row, found)
    assert not found.faults, (SEED, len(found.faults), found.faults[:20])
    assert found.n_taken >= len(sample) // 2
    assert found.n_broken >= found.n_taken
