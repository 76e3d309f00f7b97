"""Choices of texts are made smallest from the start: the machine and the places of the general construction."""

from __future__ import annotations

import random
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import LimitError
from xg2lab.reference.minimize import minimize
from xg2lab.reference.texts import TextMachine

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def program_of(grammar: str, **options: Any) -> dict[str, Any]:
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=xgr.EngineOptions(**options))
    return compiler.compile_grammar(grammar).program()


def random_texts(rng: random.Random, letters: str) -> list[str]:
    texts = {"".join(rng.choices(letters, k=rng.randint(1, 6))) for _ in range(rng.randint(4, 24))}
    return rng.sample(sorted(texts), len(texts))


def quoted(texts: list[str]) -> str:
    return " | ".join(f'"{text}"' for text in texts)


def test_the_machine_is_that_of_the_definition():
    rng = seeded("text machine")
    for _ in range(round(200 * SHARE)):
        texts = random_texts(rng, rng.choice(["ab", "abc", "aé"]))
        grammar = f"root ::= {quoted(texts)}"
        source = grammar.encode()
        twin = TextMachine(text.encode() for text in texts)
        assert len(twin.fsm.edges) == len(minimize(twin.fsm).edges), grammar
        program = program_of(grammar)
        edges = [(e["from"], low, high, e["to"]) for e in program["edges"] for low, high in e["ranges"]]
        expected = [
            (state, low, high, to) for state, row in enumerate(minimize(twin.fsm).edges) for low, high, to in row
        ]
        assert sorted(edges) == sorted(expected), grammar
        assert {s["id"] for s in program["states"] if s["accepting"]} == twin.fsm.accepting, grammar
        for edge in program["edges"]:
            named = {source[begin:end].decode().strip('"').encode() for begin, end in edge["spans"]}
            assert named == twin.texts[edge["from"], edge["to"]], grammar


def joined_by_walking(smallest: dict[str, Any], large: dict[str, Any]) -> dict[tuple[int, int], set[Any]]:
    """The spans that edges of the smallest machines must have: of all edges of the larger ones that they stand for."""
    leads: dict[tuple[int, Any], int] = {}
    for edge in smallest["edges"]:
        leads |= {(edge["from"], letter): edge["to"] for letter in letters(edge)}
    stands_for = {of["start"]: small["start"] for of, small in zip(large["rules"], smallest["rules"], strict=True)}
    spans: dict[tuple[int, int], set[Any]] = {}
    pending = list(stands_for)
    for state in pending:
        for edge in large["edges"]:
            if edge["from"] != state:
                continue
            to = {leads[stands_for[state], letter] for letter in letters(edge)}
            for target in to:
                spans.setdefault((stands_for[state], target), set()).update(edge["spans"])
            if edge["to"] not in stands_for:
                stands_for[edge["to"]] = to.pop()
                pending.append(edge["to"])
    return spans


def letters(edge: dict[str, Any]) -> list[Any]:
    if edge["kind"] == "bytes":
        return [byte for low, high in edge["ranges"] for byte in range(low, high + 1)]
    return [("rule", edge["rule"])]


@pytest.mark.parametrize(
    "around",
    [
        "(CHOICE)",
        '"(" (CHOICE) (" " (CHOICE))* ")"',
        "(CHOICE){2,3}",
        "(CHOICE)* [a-c]",
        "CHOICE | [a-c]+",
        '(CHOICE) x   x ::= "a" | "b" x "c"',
        '"a" (CHOICE) | "b" (CHOICE)',
        '("a" | "ab") (CHOICE) | x x   x ::= "c" x | (CHOICE)',
    ],
)
def test_places_are_those_of_the_general_construction(around: str):
    """Without minimization nothing is joined from the start; what is joined later must have the same places."""
    rng = seeded("text machine " + around)
    for _ in range(round(30 * SHARE)):
        grammar = "root ::= " + around.replace("CHOICE", quoted(random_texts(rng, "abc")))
        smallest = program_of(grammar, cross_grammar_cache=False)
        expected = joined_by_walking(smallest, program_of(grammar, minimize=False))
        assert {(edge["from"], edge["to"]): set(edge["spans"]) for edge in smallest["edges"]} == expected, grammar


def test_limits_count_the_texts_as_they_are_written():
    texts = quoted([f"{number:08}" for number in range(2000)])
    with pytest.raises(LimitError, match="states"):
        program_of(f"root ::= {texts}", max_fsm_states=10_000)
    assert program_of(f"root ::= {texts}", max_fsm_states=20_000)["states"]
