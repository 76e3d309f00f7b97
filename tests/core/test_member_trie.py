"""Members that begin with words are one machine, made directly: as small as any, and of the same language."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded

BYTES = [bytes([byte]) for byte in range(256)]
INFO = xgr.TokenizerInfo([*BYTES, b"</s>"], stop_token_ids=[256])
OTHERS = {"others": '"\\"" Regex("(?!(?:ab|ac|abd)$)[^]*", json_name=true) "\\":" [0-9]'}
ALIKE = {"x": '"\\"ab\\":" [0-9]', "y": '"\\"ac\\":" [0-9]', "z": '"\\"abd\\":" v'}


def grammar_of(members: dict[str, str], marks: str = "?") -> str:
    arguments = ", ".join(name + marks for name in members)
    rules = "\n".join(f"{name} ::= {body}" for name, body in members.items())
    return f'root ::= "{{" AnyOrder({arguments}, sep=",") "}}"\n{rules}\nv ::= "t" | "[" v "]"'


def compiled_for(grammar: str, **options: Any) -> xgr.CompiledGrammar:
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=xgr.EngineOptions(**options))
    return compiler.compile_grammar(grammar)


def n_classes_and_states(compiled: xgr.CompiledGrammar) -> tuple[int, int]:
    """Of the member rule's machine: states that differ, and states. By Moore's refinement, from what ends where."""
    tables = compiled._program_tables()
    first, row = 0, next(i for i, rule in enumerate(tables["rules"]) if rule[0].startswith("member of "))
    first = sum(rule[5] for rule in tables["rules"][:row])
    n = tables["rules"][row][5]
    ends = [number for (number,) in struct.iter_unpack("<I", tables["any_order"][0][-1])]
    marks: list[Any] = []
    while ends:  # of each state: how many, and which
        marks.append(tuple(ends[1 : 1 + ends[0]]))
        del ends[: 1 + ends[0]]
    edges: list[list[tuple[Any, int]]] = [[] for _ in range(n)]
    for edge in compiled.program()["edges"]:
        if first <= edge["from"] < first + n:
            reads = [byte for low, high in edge["ranges"] for byte in range(low, high + 1)] or [f"rule {edge['rule']}"]
            edges[edge["from"] - first] += [(read, edge["to"] - first) for read in reads]
    classes: list[Any] = marks
    while True:
        rows = [(classes[s], tuple(sorted((str(read), classes[to]) for read, to in edges[s]))) for s in range(n)]
        numbers = {row: i for i, row in enumerate(dict.fromkeys(rows))}
        refined = [numbers[row] for row in rows]
        if len(numbers) == len(set(classes)):
            return len(numbers), n
        classes = refined


def masks_along(compiled: xgr.CompiledGrammar, text: bytes) -> list[bytes]:
    matcher, masks = xgr.GrammarMatcher(compiled), []
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    for byte in text:
        matcher.fill_next_token_bitmask(bitmask)
        masks.append(np.ascontiguousarray(bitmask).tobytes())
        if not matcher.accept_token(byte):
            break
    return masks


@pytest.mark.parametrize(
    "members",
    [
        ALIKE,
        {**ALIKE, **OTHERS},
        {**OTHERS, "x": ALIKE["x"]},
        OTHERS,
        {"é": '"\\"é\\":" v'},
        {"p": '"a" v', "q": '"abc" v'},
    ],
)
def test_the_machine_is_as_small_as_it_can_be(members: dict[str, str]):
    members = {f"m{i}": body for i, body in enumerate(members.values())}
    n_classes, n_states = n_classes_and_states(compiled_for(grammar_of(members)))
    assert n_classes == n_states


@pytest.mark.parametrize(
    "members",
    [
        {"x": '"ab" v', "y": '"ab" v'},  # one text, two members
        {"x": '"ab" v', "y": '"a" "b"* v'},  # the rest of one goes on where the other's text ends
        {"x": '"a" [^b]*', "y": '"ax" [^b]*', "z": '"axy" v'},  # two rests beside one another
        {"x": '("a" | "b") v', "y": '"ab" v'},  # begins with no word
        {"x": '"ab"', "y": '"abc"'},  # nothing follows the text
        {"x": '"a" [b-d] v', "y": '"ac" v', "z": '"ae" v'},  # a range that is cut
        {"x": '"[" v', "y": '"[" inner "]"', "inner": '"[" v'},
    ],
)
@pytest.mark.parametrize("marks", ["?", "*", ""])
def test_masks_are_those_of_the_general_construction(members: dict[str, str], marks: str):
    text = grammar_of(members, marks)
    direct, general = compiled_for(text), compiled_for(text, minimize=False)
    restored = xgr.CompiledGrammar.deserialize_json(direct.serialize_json(), INFO)  # what is reached is found again
    rng = seeded("member trie" + text)
    for _ in range(round(60 * SHARE)):
        tried = b"{" + bytes(rng.choice(b"aabbccdxyt[],{}") for _ in range(rng.randint(1, 14)))
        assert masks_along(direct, tried) == masks_along(general, tried) == masks_along(restored, tried), tried


def test_objects_of_a_schema_go_the_same_way():
    rng = seeded("objects and the member trie")
    letters = ["a", "b", "ab", '"', "é", "\\\\", "c"]
    for _ in range(round(25 * SHARE)):
        names = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(rng.randint(1, 5))]
        values = [
            {"type": "integer"},
            {"enum": ["x", 1]},
            {"type": "null"},
            True,
            {"type": "array", "items": {"const": 1}},
        ]
        schema = {
            "type": "object",
            "properties": {name: rng.choice(values) for name in names},
            "required": rng.sample(names, rng.randint(0, len(names))),
            "additionalProperties": rng.choice([False, {"type": "boolean"}]),
        }
        grammar = xgr.Grammar.from_json_schema(schema, strict_mode=False, any_order=rng.random() < 0.7)
        direct, general = compiled_for(str(grammar)), compiled_for(str(grammar), minimize=False)
        for _ in range(6):
            keys = ", ".join(
                f'"{rng.choice([*names, "aa", "other"])}": {rng.choice(["1", "null", "[1]"])}' for _ in range(3)
            )
            tried = ("{" + keys + "}").encode()
            assert masks_along(direct, tried) == masks_along(general, tried), (schema, tried)
