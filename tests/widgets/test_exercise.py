"""Student mode: right steps in any order lead to the engine's column; each mistake has its kind and its reason.

The page alone knows the exercise (widgets/src/views/chart_view/exercise/layout.ts). Here it runs in Node, on charts
that the engine recorded, and `tests/by_hand.py` judges it by definition; what a full column has, Earley's twin says.
"""

from __future__ import annotations

import json
import random
import subprocess
from itertools import pairwise
from typing import Any

import pytest

import xg2lab as xgr
from tests.by_hand import VERBS, Column, Placed
from tests.generators import SHARE, random_any_order, random_grammar, random_member, seeded, write_ebnf
from tests.page_sources import MODULES, WIDGETS
from tools import node
from tools.running import VENV
from xg2lab.lab import Session
from xg2lab.reference.earley import parse
from xg2lab.reference.ebnf import parse_ebnf

BYTES = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
PLAIN = xgr.EngineOptions(rule_inlining=False)
GRAMMAR = r"""root ::= pair ("," pair)*
pair ::= key ":" ws [0-9]+
key ::= "a" | "b" key
ws ::= " "*
"""
Trace = dict[str, Any]


def trace_of(grammar: str, text: bytes, options: xgr.EngineOptions = PLAIN) -> Trace:
    """The trace of a session that has read a text, as pages get it."""
    session = Session(grammar, BYTES, options=options)
    if text:
        session.force(text)
    return json.loads(json.dumps(session.trace.to_wire(bulk=False)))


def fill(tasks: list[tuple[Trace, list[dict[str, Any]]]]) -> list[list[dict[str, Any]]]:
    """Take steps on columns with the page's code; of each column what was told, and what is missing at the end."""
    if not MODULES.is_dir():
        pytest.skip("widgets/node_modules is not there: `make test` installs it")
    asked = json.dumps([{"trace": trace, "columns": columns} for trace, columns in tasks])
    command = [node.node_command(VENV), "test/by_hand.mjs"]
    done = subprocess.run(command, cwd=WIDGETS, input=asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def written_trace_of(grammar: str, text: bytes) -> Trace:
    """The same with the program and the chart of the grammar as written."""
    session = Session(grammar, BYTES)
    session.record_as_written()
    if text:
        session.force(text)
    return json.loads(json.dumps(session.trace.drawn_as_written().to_wire(bulk=False)))


def told(trace: Trace, column: int, *steps: list[Any]) -> list[str]:
    """What is said of steps on a column: kind and reason of each."""
    ((one,),) = fill([(trace, [{"column": column, "steps": steps}])])
    return [f"{step['kind']}: {step['reason']}" for step in one["told"][1:]]


def samples(rng: random.Random) -> list[tuple[str, bytes]]:
    """Random grammars with a text of each: plain ones, and members in any order."""
    out: list[tuple[str, bytes]] = [(GRAMMAR, b"ba: 1,a:22")]
    for _ in range(int(60 * SHARE) + 5):
        grammar = random_grammar(rng)
        text = random_member(rng, grammar)
        if text is not None:
            out.append((write_ebnf(grammar), text[:9].decode(errors="ignore").encode()))  # whole characters
    for _ in range(int(12 * SHARE) + 2):
        out.append((random_any_order(rng), b""))
    return out


def placed(item: Any) -> Placed:
    """An item as the page's code names it: column, state, origin."""
    return Placed(*item)


def is_counted(trace: Trace) -> bool:
    return any(rule.get("repeat") or rule.get("any_order") for rule in trace["program"]["rules"])


def steps_at_random(rng: random.Random, column: Column, n: int) -> list[list[Any]]:
    """Verbs done to items that are there, or not yet, and names of items; now and then a step that is right."""
    everything = [item for items in column.columns for item in items]
    out: list[list[Any]] = []
    for _ in range(n):
        drawn = rng.random()
        item = rng.choice(everything)
        if drawn < 0.2:
            out.append(["hinted"])
        elif drawn < 0.8:
            out.append(["do", rng.choice(VERBS), item])
        else:
            out.append(["add", item.state, rng.choice([item.origin, item.origin + 1, 0])])
    return out


def test_any_order_of_right_steps_fills_the_engines_column_and_mistakes_change_nothing() -> None:
    rng = seeded("exercise")
    tasks: list[tuple[Trace, list[dict[str, Any]]]] = []
    for grammar, text in samples(rng):
        trace = trace_of(grammar, text)
        columns = [Column(trace, j) for j in range(len(trace["chart"]["columns"]))]
        steps = [steps_at_random(rng, column, 40) for column in columns if column.all]
        tasks.append((trace, [{"column": j, "steps": s, "finish": True} for j, s in enumerate(steps)]))
    seen: set[str] = set()
    n_columns = 0
    for (trace, columns), answers in zip(tasks, fill(tasks), strict=True):
        for asked, answer in zip(columns, answers, strict=True):
            column = Column(trace, asked["column"])
            assert answer["missing"] == 0
            assert sorted(map(tuple, answer["told"][-1]["found"])) == sorted(column.all)
            n_columns += 1
            acts = [*asked["steps"], *[["hinted"]] * len(answer["told"])]
            for act, (before, after) in zip(acts, pairwise(answer["told"]), strict=False):
                found = [placed(item) for item in before["found"]]
                added = [placed(item) for item in after["found"]][len(found) :]
                assert after["found"][: len(found)] == before["found"]
                assert after["right"] == bool(added) or after["kind"] == "nothing"
                assert after["reason"]
                assert set(added) <= set(column.all) - set(found)
                if act[0] == "do":
                    verb, item = act[1], placed(act[2])
                    assert after["kind"] == column.kind(verb, item, found), (trace["header"]["grammar"], act)
                    if added:
                        assert set(added) == (set(column.made(verb, item, found)) & set(column.all)) - set(found)
                    seen.add(after["kind"])
                if act[0] == "hinted":
                    assert after["right"], "a hint is right"
    assert n_columns > 60 * SHARE
    assert seen >= {
        "right", "no_item", "no_byte", "other_column", "wrong_byte", "before_rule", "before_byte", "at_end",
        "not_complete", "nobody_waits", "already",
    }  # fmt: skip


def test_what_the_verbs_make_is_what_the_engine_has() -> None:
    """The closure of the verbs is the column; only counts forbid what they would make."""
    rng = seeded("exercise/closure")
    for grammar, text in samples(rng):
        trace = trace_of(grammar, text)
        for j in range(len(trace["chart"]["columns"])):
            column = Column(trace, j)
            items = [("scan", item) for before in column.columns[:-1] for item in before]
            items += [(verb, item) for item in column.all for verb in VERBS[1:]]
            made = {new for verb, item in items for new in column.made(verb, item, column.all)}
            start = set(column.all[:1]) if j == 0 else set()
            assert set(column.all) <= made | start, (grammar, text, j)
            if not is_counted(trace):
                assert made <= set(column.all), (grammar, text, j)


def test_what_is_said_of_mistakes() -> None:
    trace = trace_of(GRAMMAR, b"ba: 1")
    first = Column(trace, 1)
    whole, _pair, key = first.columns[0]
    after_key = next(new for new in first.made("scan", key, []) if new in first.all)
    said = told(
        trace, 1, ["do", "scan", whole], ["do", "predict", key], ["do", "scan", key], ["do", "scan", key],
        ["do", "complete", after_key],
    )  # fmt: skip
    assert said[0] == "before_rule: the dot is before `pair`, a rule, not a byte: predict enters it"
    assert said[1] == "other_column: predict stays within a column: it takes an item of column 1, not of column 0"
    assert said[2].startswith("right: scan: `key` expects this byte; the column gets `key → ")
    assert said[3].startswith("already: already in the column: `key → ")
    assert said[4] == 'not_complete: `key` has not ended: `"a"` or `"b"` must come first'
    third = [["do", "scan", item] for item in Column(trace, 2).all]
    at_end = "at_end: nothing is after the dot, so scan reads nothing: an item at its end is completed"
    assert at_end in told(trace, 3, *third)
    assert told(trace, 3, ["add", 0, 9])[0].startswith("origin: an item of column 3 begins at a column from 0 to 3")
    last = Column(trace, 5)
    names = [rule["name"] for rule in last.rules]
    end = next(i for i in last.all if names[last.states[i.state]["rule"]] == "root" and i.origin == 0)
    assert told(trace, 5, ["reveal"], ["do", "complete", end])[1] == (
        "nobody_waits: complete of `root` needs an item of column 0 that waits for `root`; there is none: "
        "`root` is the whole, and the output may end here"
    )
    assert told(trace, 0, ["do", "scan", whole])[0].startswith("no_byte: no byte leads into column 0")


def test_a_byte_that_an_item_does_not_expect() -> None:
    trace = trace_of('root ::= (a | b)+\na ::= "x" [0-9]\nb ::= "{" "}"', b"x1{")
    column = Column(trace, 3)
    names = [rule["name"] for rule in column.rules]
    of_a = next(i for i in column.columns[2] if names[column.states[i.state]["rule"]] == "a" and i.origin == 2)
    said = told(trace, 3, ["do", "scan", of_a])
    assert said == ['wrong_byte: scan needs byte 7B `{`; this item expects `"x"`']


def test_a_match_of_nothing_is_completed_as_in_a_textbook() -> None:
    trace = trace_of('root ::= ws "x" ws\nws ::= " "*', b"x")
    start, empty = Column(trace, 0).all[:2]
    steps = [["do", "predict", start], ["do", "complete", empty]]
    ((one,),) = fill([(trace, [{"column": 0, "steps": steps}])])
    assert one["told"][-1]["right"]
    assert "has matched the empty text" in one["told"][-1]["reason"]
    assert one["missing"] == 0
    assert any("engine steps over it as it predicts it" in sentence for sentence in one["differences"])


def test_repetitions_are_judged_by_what_the_column_has() -> None:
    trace = trace_of('root ::= item{2,50} "!"\nitem ::= [0-9]', b"12")
    first = Column(trace, 1)
    names = [rule["name"] for rule in first.rules]
    counted = next(i for i in first.all if "{2,50}" in names[first.states[i.state]["rule"]] and i.origin == 0)
    said = told(trace, 1, ["reveal"], ["do", "complete", counted])[1]
    assert said.startswith("bounds: ")
    assert "may not end yet" in said
    assert told(trace, 2, ["reveal"], ["do", "complete", [2, counted.state, 0]])[1].startswith("already: ")


def test_undo_hint_reveal_and_score() -> None:
    trace = trace_of(GRAMMAR, b"ba:")
    n = len(Column(trace, 3).path())
    steps = [["undo"], *[["hinted"]] * n, ["hinted"], ["undo"], ["reveal"]]
    ((one,),) = fill([(trace, [{"column": 3, "steps": steps}])])
    last, undone, revealed = one["told"][-3:]
    assert not one["told"][1]["right"], "nothing was done that could be undone"
    for (verb, item), step in zip(Column(trace, 3).path(), one["told"][2:], strict=False):
        assert step["text"].startswith(f"{verb} `")
        assert step["text"].endswith(f"` of column {item.column}")
    assert last["text"] == "nothing is missing: the column has all its items"
    assert len(undone["found"]) < len(last["found"]) == len(revealed["found"])
    n_revealed = len(revealed["found"]) - len(undone["found"])
    assert one["score"] == {"right": n, "wrong": 0, "hints": n, "revealed": n_revealed}


def test_a_whole_token_is_scanned_from_where_it_begins() -> None:
    info = xgr.TokenizerInfo([b"a", b"<call>", b"b", b"</s>"], stop_token_ids=[3])
    session = Session('root ::= "a" Token(1) "b"', info)
    for token in (0, 1, 2):
        session.force(token)
    trace = json.loads(json.dumps(session.trace.to_wire(bulk=False)))
    column = Column(trace, 7)
    assert Column(trace, 4).all == []  # within the token no item lives
    (verb, before), *_ = column.path()
    assert (verb, before.column) == ("scan", 1)
    kinds = [one.split(":")[0] for one in told(trace, 7, ["do", "scan", before], ["do", "scan", column.columns[0][0]])]
    assert kinds == ["right", "other_column"]


def test_a_full_column_has_the_matches_of_earleys_twin() -> None:
    """Where no pass rewrites the grammar, and it has no groups, the same rules have begun at the same places."""
    options = xgr.EngineOptions(rule_inlining=False, right_recursion_to_repeat=False, tail_calls=False)
    pairs = 'root ::= pair | root "," pair\npair ::= key ":" num\nkey ::= "a" | "b" key\nnum ::= [0-9] | num [0-9]'
    for grammar, text in ((pairs, b"ba:1,a:22"), ('root ::= root "+" root | "1"', b"1+1+1")):
        trace, twin = trace_of(grammar, text, options), parse(parse_ebnf(grammar), text)
        n = len(trace["chart"]["columns"])
        filled = fill([(trace, [{"column": j, "steps": [], "finish": True} for j in range(n)])])[0]
        for j, answer in enumerate(filled):
            states, rules = trace["program"]["states"], trace["program"]["rules"]
            ours = {(rules[states[s]["rule"]]["name"], origin) for _, s, origin in answer["told"][-1]["found"]}
            theirs = {(item.name, item.origin) for item in twin.columns[j]}
            assert ours == theirs


def test_columns_as_written_are_filled_by_a_textbooks_steps() -> None:
    """Each alternative of a rule is an item of its own: predicting a rule makes all of them."""
    rng = seeded()
    tasks: list[tuple[Trace, list[dict[str, Any]]]] = []
    for grammar, text in [('root ::= root "+" num | num\nnum ::= "1"', b"1+1"), *samples(rng)]:
        trace = written_trace_of(grammar, text)
        columns = [Column(trace, j) for j in range(len(trace["chart"]["columns"]))]
        full = [
            {"column": column.at, "steps": [["do", verb, list(item)] for verb, item in column.path()]}
            for column in columns
            if not is_counted(trace) and len(column.all) < 40
        ]
        tasks.append((trace, full))
    for (_, columns), answers in zip(tasks, fill(tasks), strict=True):
        for task, answer in zip(columns, answers, strict=True):
            assert [step["kind"] for step in answer["told"][1:]] == ["right"] * len(task["steps"])
            assert answer["missing"] == 0
    assert len(tasks[0][1][0]["steps"]) == 1  # both alternatives of root are given; they predict num
