"""Python and the page draw the same trees off the same charts: those of tests/cases/derivations.json, which both test.

`python -m tests.lab.test_derivation` writes the file anew, when the engine or a grammar here has changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import xg2lab as xgr
from xg2lab.lab import Session
from xg2lab.lab.trace.derivation import Branch, TreeReader, derivation

FILE = Path(__file__).parent.parent / "cases" / "derivations.json"
SPECIAL = 256
TOKENS = [bytes([byte]) for byte in range(256)] + [b"<s>", b"</s>"]
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[257], special_token_ids=[SPECIAL])
AS_WRITTEN = {"rule_inlining": False, "right_recursion_to_repeat": False}
NEITHER = AS_WRITTEN | {"determinize": False, "minimize": False}
MOST_COLUMNS = 30  # of a longer text every twentieth column is told
#: name: grammar, text (bytes, or a token's id), options
CASES: dict[str, tuple[str, list[bytes | int], dict[str, Any]]] = {
    "nested": (
        'root ::= "[" (pair ("," pair)*)? "]"  pair ::= key ":" value  key ::= "k" [0-9]\n'
        'value ::= list | "x"+  list ::= "x" | "(" list ")" | list "-" "x"',
        [b"[k1:x,k2:((x)-x-x),k3:xx]"],
        {"rule_inlining": False},
    ),
    "sum": ('root ::= sum  sum ::= sum "+" sum | "1"', [b"1+1+1+1"], AS_WRITTEN),
    "many": ('root ::= x  x ::= x x | "1"', [b"1" * 12], AS_WRITTEN),
    "nothing": ('root ::= gap "b" gap gap "c"  gap ::= "a"?', [b"abac"], AS_WRITTEN),
    "cycle": ('root ::= a  a ::= a | b | "1"  b ::= a', [b"1"], AS_WRITTEN),
    "two ends": ('root ::= x | y  x ::= "a" "b"?  y ::= "a" "b"', [b"ab"], NEITHER),
    "not text": (
        'root ::= part+  part ::= "é" | [\\u4e00-\\u9fff] | "\\n" | "\\""',
        ['é你\n"你'.encode()[:-1]],
        AS_WRITTEN,
    ),
    "whole token": ('root ::= Token(256) part  part ::= "a" Token(256) "b"', [SPECIAL, b"a", SPECIAL, b"b"], {}),
    "deep": ('root ::= "(" root ")" | "x"', [b"(" * 40], AS_WRITTEN),
    "counted": ('root ::= x{2,9}  x ::= "a" | "aa"', [b"aaaa"], AS_WRITTEN | {"repetition_threshold": 0}),
}


def written(grammar: str, text: list[bytes | int], options: dict[str, Any]) -> Session:
    """A session that wrote this, byte by byte where it is text."""
    session = Session(grammar, INFO, options=xgr.EngineOptions(**options))
    for piece in text:
        for token in [piece] if isinstance(piece, int) else piece:
            session.force(token)
    return session


def plain_tree(tree: Branch) -> list[Any]:
    """A branch as JSON: name, begin, end, what it waits for, its item, ways, what else it is, parts."""
    parts = [
        part.decode("utf-8", "backslashreplace") if isinstance(part, bytes) else plain_tree(part) for part in tree.parts
    ]
    item = None if tree.item is None else list(tree.item)
    return [tree.name, tree.begin, tree.end, tree.after, item, tree.n_ways, list(tree.also), parts]


def told(grammar: str, text: list[bytes | int], options: dict[str, Any]) -> dict[str, Any]:
    """One case: the chart with what of the program belongs to it, and the tree of each column that has one."""
    wire = written(grammar, text, options).trace
    program, reader = wire.program, TreeReader(wire)
    columns = [
        k for k, column in enumerate(wire.columns) if column and (len(wire.columns) <= MOST_COLUMNS or k % 20 == 0)
    ]
    kept = {
        "rules": ("id", "name", "start", "states", "nullable"),
        "states": ("id", "rule", "accepting", "scannable", "before", "after"),
        "edges": ("from", "to", "kind", "rule"),
    }
    return {
        "program": {
            kind: [{name: one[name] for name in names} for one in program[kind]] for kind, names in kept.items()
        },
        "output": wire.output_bytes.hex(),
        "chart": wire.to_wire()["chart"] | {"ways_read": reader.ways_read(0), "stepped_over": reader.stepped_over(0)},
        "roots": {k: root._asdict() for k in columns if (root := reader.root_of(k)) is not None},
        "trees": {k: plain_tree(derivation(wire, k)) for k in columns},
    }


def contents() -> str:
    """The file, a line a case."""
    cases = {name: json.loads(json.dumps(told(*case))) for name, case in CASES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(case, separators=(',', ':'))}" for name, case in cases.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def test_the_file_that_the_page_reads_is_what_python_says() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(contents()), "python -m tests.lab.test_derivation"


def test_the_cases_have_what_they_are_there_for() -> None:
    cases = json.loads(FILE.read_text(encoding="utf-8"))
    assert {name for name, case in cases.items() if "ways" in case["chart"]} >= {"sum", "many", "cycle", "counted"}
    assert cases["two ends"]["trees"]["2"][5] == 2
    assert ["gap", 2, 2, "", None, 1, [], []] in cases["nothing"]["trees"]["4"][-1]


if __name__ == "__main__":
    FILE.write_text(contents(), encoding="utf-8")
