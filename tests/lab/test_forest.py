"""The derivations of an ambiguous text: their number and the listed trees, against definitions without a chart."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.lab import Session
from xg2lab.lab.trace.derivation import Branch
from xg2lab.lab.trace.forest import Derivations, Forest

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
Rules = dict[str, list[list[str]]]


def ebnf(rules: Rules) -> str:
    """Productions as EBNF: a name of a rule, or a letter."""

    def shown(symbol: str) -> str:
        return symbol if symbol in rules else f'"{symbol}"'

    return "\n".join(f"{name} ::= {' | '.join(' '.join(map(shown, p)) for p in of)}" for name, of in rules.items())


def plain(rules: Rules, text: str, name: str = "root") -> set[Any]:
    """All derivations by their definition: of each production, of each way to divide the text."""

    @cache
    def trees(name: str, begin: int, end: int) -> frozenset[Any]:
        return frozenset(
            (name, begin, end, parts) for production in rules[name] for parts in split(tuple(production), begin, end)
        )

    @cache
    def split(symbols: tuple[str, ...], begin: int, end: int) -> frozenset[Any]:
        if not symbols:
            return frozenset([()] if begin == end else [])
        first, rest = symbols[0], symbols[1:]
        out: set[Any] = set()
        if first not in rules:
            if text[begin : begin + 1] == first:
                out = {((first,), *more) for more in split(rest, begin + 1, end)}
            return frozenset(out)
        for middle in range(begin + 1, end - len(rest) + 1):
            mine = trees(first, begin, middle)
            if mine:
                out |= {(tree, *more) for tree in mine for more in split(rest, middle, end)}
        return frozenset(out)

    return set(trees(name, 0, len(text)))


def shape(branch: Branch | bytes) -> Any:
    """A listed tree in the same form, a letter a leaf."""
    if isinstance(branch, bytes):
        return branch.decode()
    parts: list[Any] = []
    for part in branch.parts:
        if isinstance(part, bytes):
            parts += [(letter,) for letter in part.decode()]
        else:
            parts.append(shape(part))
    return (branch.name, branch.begin, branch.end, tuple(parts))


def derivations(grammar: str, text: str, most: int = 24, **options: Any) -> Derivations:
    session = Session(grammar, INFO, options=xgr.EngineOptions(**options))
    session.force(text)
    return session.derivations(most=most)


SUM: Rules = {"root": [["sum"]], "sum": [["sum", "+", "sum"], ["sum", "*", "sum"], ["num"]], "num": [["1"]]}
CASES: list[tuple[Rules, str]] = [
    (SUM, "1"),
    (SUM, "1+1*1"),
    (SUM, "1+1*1+1*1"),
    ({"root": [["root", "root"], ["a"]]}, "aaaaaa"),
    ({"root": [["x", "y", "z"]], "x": [["a"], ["a", "a"]], "y": [["x"], ["a"]], "z": [["y", "x"], ["x"]]}, "aaaa"),
    # right recursion, and two productions of one language
    ({"root": [["a", "root"], ["a", "x"], ["a"]], "x": [["root"]]}, "aaaaa"),
]


@pytest.mark.parametrize(("rules", "text"), CASES, ids=[f"{text} {len(rules)}" for rules, text in CASES])
def test_the_number_and_the_trees_are_those_of_the_definition(rules: Rules, text: str) -> None:
    expected = plain(rules, text)
    found = derivations(ebnf(rules), text)
    assert found.n_trees == len(expected)
    listed = [shape(tree.root) for tree in found.trees]
    assert len(set(listed)) == len(listed) == min(24, len(expected))
    assert set(listed) <= expected
    assert not found.is_infinite
    assert found.note == ""


def test_random_grammars_agree_with_the_definition() -> None:
    rng = seeded()
    n_ambiguous = 0
    for _ in range(round(150 * SHARE)):
        names = ["root", "x", "y"]
        rules: Rules = {
            name: [
                [rng.choice([*names[k:], "a", "b"]) for _ in range(rng.randint(2, 3))] for _ in range(rng.randint(0, 2))
            ]
            + [[rng.choice("ab")]]
            for k, name in enumerate(names)
        }
        text = "".join(rng.choice("ab") for _ in range(rng.randint(1, 6)))
        expected = plain(rules, text)
        try:
            session = Session(ebnf(rules), INFO)
            if not expected or session.matcher_at().accept_string(text) is False:
                continue
            session.force(text)
        except xgr.Xg2LabError:
            continue
        # duplicated productions are two derivations for the engine and one of a set
        if any(len({tuple(p) for p in of}) < len(of) for of in rules.values()):
            continue
        found = session.derivations(most=24)
        assert found.n_trees == len(expected), (ebnf(rules), text)
        assert {shape(tree.root) for tree in found.trees} <= expected
        n_ambiguous += len(expected) > 1
    assert n_ambiguous > 0 or SHARE < 1


def test_an_exponential_number_is_exact() -> None:
    catalan = [1]
    for n in range(60):
        catalan.append(catalan[-1] * 2 * (2 * n + 1) // (n + 2))
    for n in (10, 40):
        found = derivations('root ::= root root | "a"', "a" * n, most=3)
        assert found.n_trees == catalan[n - 1]
        assert len(found.trees) == 3


def test_the_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xg2lab.lab.trace.forest.MOST_WAYS", 500)
    found = derivations('root ::= root root | "a"', "a" * 40)
    assert found.n_trees is None
    assert found.note == "not counted: the text has more than 500 ways to join two matches"
    assert len(found.trees) == 1
    assert shape(found.trees[0].root)[:3] == ("root", 0, 40)


def test_a_rule_that_derives_itself_has_infinitely_many() -> None:
    found = derivations('root ::= a\na ::= a | "1"', "1")
    assert found.is_infinite
    assert ("root", 0, 1, (("a", 0, 1, (("1",),)),)) in [shape(tree.root) for tree in found.trees]
    assert derivations('root ::= a\na ::= b | "1"\nb ::= "1"', "1").is_infinite is False


@pytest.mark.parametrize("options", [{}, {"repetition_threshold": 0}], ids=["written out", "counted"])
def test_repetitions_keep_their_bounds(options: dict[str, Any]) -> None:
    grammar = 'root ::= x{2,3}\nx ::= "a" | "aa"'
    # of length 4: 2+2, 1+1+2, 1+2+1, 2+1+1; never 1+1+1+1, nor one x
    assert derivations(grammar, "aaaa", **options).n_trees == 4
    assert derivations('root ::= x{2,}\nx ::= "a" | "aa"', "aaaa", **options).n_trees == 5
    assert derivations('root ::= "<" x{0,40} ">"\nx ::= "a" | "aa" | "b"', "<aaab>", **options).n_trees == 3


def test_deep_nesting_needs_no_recursion() -> None:
    found = derivations('root ::= "(" root{0,50} ")"', "(" * 150 + ")" * 150)
    assert found.n_trees == 1
    depth, branch = 0, found.trees[0].root
    while branch is not None:
        depth, branch = depth + 1, next((p for p in branch.parts if isinstance(p, Branch)), None)
    assert depth >= 150


def test_an_empty_match_is_a_part_of_its_own() -> None:
    found = derivations('root ::= gap "b" gap gap "c"\ngap ::= "a"?', "abac")
    assert [tree.said for tree in found.trees] == [
        'root 0–4 is gap 0–1 "b" gap 2–2 gap 2–3 "c"',
        'root 0–4 is gap 0–1 "b" gap 2–3 gap 3–3 "c"',
    ]


def test_a_whole_token_is_one_step() -> None:
    tokens = [bytes([byte]) for byte in range(256)] + [b"<s>", b"</s>"]
    info = xgr.TokenizerInfo(tokens, stop_token_ids=[257], special_token_ids=[256])
    session = Session('root ::= x x\nx ::= Token(256) | Token(256) "a" | "a"?', info)
    for token in (256, ord("a")):
        session.force(token)
    found = session.derivations()
    assert found.n_trees == 3  # <s>·a, <s>a·nothing, nothing·<s>a
    assert len({tree.said for tree in found.trees}) == 3


def test_trees_part_at_a_node_of_both() -> None:
    found = derivations(ebnf(SUM), "1+1*1")
    assert [tree.said for tree in found.trees] == [
        'sum 0–5 is sum 0–3 "*" sum 4–5',
        'sum 0–5 is sum 0–1 "+" sum 2–5',
    ]
    rows = found.to_wire()["trees"]
    for tree, own in zip(rows, [[0, 3], [2, 5]], strict=True):
        differing = [row[2:4] for row in tree["nodes"] if row[7]]
        assert differing == [[0, 5], own]
        assert all(row[0] < k for k, row in enumerate(tree["nodes"]))


def test_first_trees_differ_at_the_top() -> None:
    found = derivations('root ::= root root | "a"', "a" * 30, most=6)
    assert len({tuple(part.end for part in tree.root.parts if isinstance(part, Branch)) for tree in found.trees}) == 6


def test_of_an_unfinished_text_the_open_rules_are_fixed() -> None:
    found = derivations('root ::= "<" sum ">" "!"\nsum ::= sum "+" sum | "1"', "<1+1+1>")
    assert found.n_trees == 2
    assert all(tree.root.is_open for tree in found.trees)


def test_derivations_of_one_match_alone() -> None:
    session = Session(ebnf(SUM), INFO)
    session.force("1+1*1+1")
    assert session.derivations().n_trees == 5
    trace = session.trace.drawn_as_written()
    inner = next(
        (7, k)
        for k, row in enumerate(trace.columns[7])
        if row[1] == 2 and trace.program["states"][row[0]]["accepting"] and trace.program["states"][row[0]]["rule"] == 1
    )
    found = session.derivations(item=inner)
    assert found.n_trees == 2
    assert [tree.root.begin for tree in found.trees] == [2, 2]
    assert Forest(trace).of_item(inner).n_trees == 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [({"most": 0}, "most must be 1 to 24"), ({"most": 25}, "most must be 1 to 24"), ({"item": (99, 0)}, "no item 0")],
)
def test_what_is_asked_is_checked(asked: dict[str, Any], message: str) -> None:
    session = Session(ebnf(SUM), INFO)
    with pytest.raises((SessionError, ArgumentError), match=message):
        session.derivations(**asked)


def test_members_in_any_order_are_said_to_be_unchecked() -> None:
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"]}
    grammar = xgr.Grammar.from_json_schema(schema, any_order=True)
    session = Session(grammar, INFO)
    session.force('{"b":2,')
    assert session.derivations().note == "members that come in any order are not compared with their bounds"
