"""Machines are the smallest of their language, as the twin's are: loops within loops, unrolled, equal, nearly equal."""

import random
from collections import defaultdict
from itertools import pairwise

import pytest

from tests.generators import SHARE, seeded
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.fsm import from_rule
from xg2lab.reference.minimize import TooManyReadsError, determinize, minimize

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr

INFO = xgr.TokenizerInfo([b"</s>"], stop_token_ids=[0])
OPTIONS = xgr.EngineOptions(repetition_compression=False)
N_EXPRESSIONS = round(1200 * SHARE)


def n_states(expression: str) -> int | None:
    """Of the engine's machine; None where it stays nondeterministic, as it may where sets of states would be many."""
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=OPTIONS)
    compiled = compiler.compile_grammar(f"root ::= {expression}")
    edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for edge in compiled.program()["edges"]:
        edges[edge["from"]] += edge["ranges"]
    is_deterministic = all(a[1] < b[0] for ranges in edges.values() for a, b in pairwise(sorted(ranges)))
    return compiled.n_states if is_deterministic else None


def smallest(expression: str) -> int | None:
    """Of the twin's machine; None where that would take long."""
    machine = from_rule(parse_ebnf(f"root ::= {expression}"))
    try:
        return len(minimize(determinize(machine, most_reads=2000)).edges)
    except TooManyReadsError:
        return None


def random_loops(rng: random.Random, depth: int) -> str:
    """An expression of letters and loops; parts come again, so loops are equal to each other."""
    parts: list[str] = []
    for _ in range(rng.randint(1, 4)):
        if parts and rng.random() < 0.3:
            parts.append(rng.choice(parts))
        elif depth == 0 or rng.random() < 0.4:
            parts.append(rng.choice(['"a"', '"b"', "[ab]", '"ab"', '"ba"', "[a-c]"]))
        else:
            inner = random_loops(rng, depth - 1)
            parts.append(f"({inner}){rng.choice(['*', '+', '?', '', '*', '{2,3}'])}")
    return (" | " if rng.random() < 0.4 else " ").join(parts)


@pytest.mark.parametrize(
    "expression",
    [
        '"ab" [0-9]* | "cb" [0-9]*',  # a loop that is known
        '"x" "a" "a"* | "y" "a"*',  # a state before a loop that is of the loop
        '"x" ("a" "b")* "a"? | "y" ("b" "a")* "b"?',  # the same loop from its other state
        '("a" "a")* | "b" "a"*',  # a loop of two blocks that are one
        '"x" ("a" | "b" "c"*)* | "y" ("a" | "b" "c"*)+',  # a loop that is left for a loop
        '"x" [ab]* "c" [ab]* | "y" "a"* ("b" "a"*)* "c" ("a" | "b")*',  # loops cut in other places
    ],
)
def test_loops_that_are_one(expression: str) -> None:
    assert n_states(expression) == smallest(expression)


def test_random_loops() -> None:
    rng = seeded("minimize")
    n_compared = 0
    for _ in range(N_EXPRESSIONS):
        expression = random_loops(rng, 3)
        if len(expression) > 160:
            continue
        n, expected = n_states(expression), smallest(expression)
        if n is not None and expected is not None:
            n_compared += "*" in expression or "+" in expression
            assert n == expected, expression
    assert n_compared > N_EXPRESSIONS / 4
