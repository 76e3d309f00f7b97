"""Graphs as DOT: what is drawn is what the trace says, and Graphviz reads it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.compiling.stages import machine_stages
from xg2lab.errors import ArgumentError, PictureError, SessionError
from xg2lab.lab import Session
from xg2lab.lab.trace.derivation import Branch, derivation, tree_lines
from xg2lab.lab.trace.graphs import chart_dot, stacks_dot, tree_dot, trie_dot
from xg2lab.show.dot import Dot, machine_dot, quoted

GRAMMAR = """
root  ::= "[" (pair ("," pair)*)? "]"
pair  ::= key ":" value
key   ::= "k" [0-9]
value ::= list | "x"+
list  ::= "x" | "(" list ")" | list "-" "x"
"""
BYTES = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def written(text: str, grammar: str = GRAMMAR, **options: Any) -> Session:
    """A session that wrote `text`, byte by byte, under the rules as they are written."""
    session = Session(grammar, BYTES, options=xgr.EngineOptions(rule_inlining=False, **options))
    for byte in text.encode():
        session.force(byte)
    return session


def drawn(dot: Dot) -> dict[str, Any]:
    """Graphviz's own reading of a graph; None of its errors is let pass."""
    program = shutil.which("dot")
    if program is None:
        pytest.skip("Graphviz's program is not installed")
    made = subprocess.run([program, "-Tjson"], input=dot.encode(), capture_output=True, check=False, timeout=60)
    assert made.returncode == 0, made.stderr.decode()
    assert made.stderr == b""
    return json.loads(made.stdout)


def leaves(tree: Branch) -> bytes:
    """All bytes of a tree, from left to right."""
    return b"".join(part if isinstance(part, bytes) else leaves(part) for part in tree.parts)


# ---- The derivation tree ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[]", "[k1:x]", "[k1:(x-x),k2:xx]", "[k1:((x)-x-x)]"])
def test_the_leaves_are_the_text_and_branches_know_their_bytes(text: str) -> None:
    for n in range(len(text) + 1):
        tree = derivation(written(text[:n]).trace)
        assert leaves(tree) == text[:n].encode()
        assert tree.is_open == (n < len(text))
        agenda = [tree]
        while agenda:
            branch = agenda.pop()
            assert text[branch.begin : branch.end].encode()[: len(leaves(branch))] == leaves(branch)
            assert branch.is_open or branch.end == branch.begin + len(leaves(branch))
            agenda += [part for part in branch.parts if isinstance(part, Branch)]


def test_a_sentence_is_read_as_its_grammar_says() -> None:
    assert tree_lines(derivation(written("[k1:(x-x)]").trace)) == [
        "root 0-10", "  '['", "  pair 1-9", "    key 1-3", "      'k1'", "    ':'", "    value 4-9", "      list 4-9",
        "        '('", "        list 5-8", "          list 5-6", "            'x'", "          '-x'", "        ')'",
        "  ']'",
    ]  # fmt: skip


def test_an_unfinished_text_is_open_along_one_line() -> None:
    lines = tree_lines(derivation(written("[k1:x,k2:(").trace))
    assert [line.strip() for line in lines if "…" in line] == ["root 0…", "pair 6…", "value 9…", "list 9…  then list"]


def test_a_step_in_the_past_has_its_own_tree() -> None:
    trace = written("[k1:(x-x)]").trace
    assert leaves(derivation(trace, 5)) == b"[k1:("
    with pytest.raises(SessionError, match="column 11 was not recorded"):
        derivation(trace, 11)


def test_the_tree_as_a_graph() -> None:
    tree = derivation(written("[k1:x,k").trace)
    graph = drawn(tree_dot(tree))
    labels = [node["label"] for node in graph["objects"]]
    assert labels == [
        "root", "[", "pair", "key", "k1", ":", "value\\n2 ways", "x", ",", "pair", "key\\n… [0-9]", "k",
    ]  # fmt: skip
    assert len(graph["edges"]) == len(labels) - 1
    assert [node["label"] for node in graph["objects"] if "dashed" in node.get("style", "")] == [
        "root", "pair", "key\\n… [0-9]",
    ]  # fmt: skip
    with pytest.raises(SessionError, match="more than 600 nodes"):
        tree_dot(Branch(0, "root", 0, 1, parts=[b"x"] * 700))


def test_a_rule_that_matches_nothing_is_a_branch_without_parts() -> None:
    """Once it was the whole tree inside itself, without end."""
    trace = written("b", 'root ::= gap "b" gap   gap ::= "a"?').trace
    assert tree_lines(derivation(trace)) == ["root 0-1", "  gap 0-0", "  'b'", "  gap 1-1"]
    assert drawn(tree_dot(derivation(trace)))["objects"][1]["label"] == "gap"


def test_a_token_that_was_taken_whole_keeps_all_its_bytes() -> None:
    info = xgr.TokenizerInfo([b"a", b"b", b"<s>", b"</s>"], stop_token_ids=[3], special_token_ids=[2])
    session = Session('root ::= Token(2) "a" "b"', info)
    for token in (2, 0, 1):
        session.force(token)
    assert leaves(derivation(session.trace)) == b"<s>ab"


TWICE = {"right_recursion_to_repeat": False}


def test_what_can_be_read_otherwise_says_so() -> None:
    tree = derivation(written("1+1+1", 'root ::= sum   sum ::= sum "+" sum | "1"', **TWICE).trace)
    assert tree_lines(tree)[:3] == [
        "root 0-5", '  sum 0-5  2 ways, also sum 0-1 + "+" + sum 2-5', "    sum 0-3",
    ]  # fmt: skip
    (branch,) = (part for part in tree.parts if isinstance(part, Branch))
    assert (tree.n_ways, branch.n_ways) == (1, 2)
    graph = drawn(tree_dot(tree))
    marked = [node for node in graph["objects"] if "ways" in node["label"]]
    assert [(node["label"], node["tooltip"]) for node in marked] == [("sum\\n2 ways", 'also sum 0-1 + "+" + sum 2-5')]


def test_more_ways_than_are_kept_are_counted() -> None:
    trace = written("1" * 14, 'root ::= x   x ::= x x | "1"', **TWICE).trace
    row = max(trace.ways, key=lambda row: row[2])
    assert (row[2], len(row)) == (12, 3 + 5 * 8)
    (branch,) = (part for part in derivation(trace).parts if isinstance(part, Branch))
    assert (branch.n_ways, len(branch.also)) == (13, 8)


def test_a_sentence_that_ends_in_two_ways_says_so_at_the_top() -> None:
    text = 'root ::= x | y   x ::= "a"   y ::= "a"'
    assert derivation(written("a", text, minimize=False, determinize=False).trace).n_ways == 2


# ---- The chart ----------------------------------------------------------------------------------


def test_the_chart_has_every_item_and_what_made_it() -> None:
    trace = written("[k1:(x-x)").trace
    graph = drawn(chart_dot(trace, 9, most_columns=20))
    clusters = [one for one in graph["objects"] if one["name"].startswith("cluster")]
    assert [one["label"] for one in clusters] == [
        "0", *(f"{k + 1} {chr(byte)!r}" for k, byte in enumerate(trace.output_bytes))
    ]  # fmt: skip
    items = [one for one in graph["objects"] if not one["name"].startswith("cluster")]
    assert len(items) == sum(map(len, trace.columns))
    letters = [edge.get("label", "") for edge in graph["edges"]]
    operations = [row[2] for column in trace.columns for row in column]
    assert [letters.count(letter) for letter in "PSC"] == [operations.count(k) for k in (1, 2, 3)]
    assert drawn(chart_dot(trace, 9, most_columns=2, theme="dark"))["bgcolor"] == "#15181c"
    with pytest.raises(ArgumentError, match="no column 10 in a chart of 10"):
        chart_dot(trace, 10)


# ---- Machines -----------------------------------------------------------------------------------


def test_a_machine_has_its_states_and_edges_and_lit_ones() -> None:
    session = written("[k1:x")
    program = session.trace.program
    for rule in program["rules"]:
        graph = drawn(machine_dot(program, rule["name"], fold=False))
        first, end = rule["states"]
        assert len(graph["objects"]) == 1 + end - first
        assert len(graph["edges"]) == 1 + sum(first <= edge["from"] < end for edge in program["edges"])
        doubled = {node["name"] for node in graph["objects"] if node.get("shape") == "doublecircle"}
        accepting = {state["id"] for state in program["states"] if state["rule"] == rule["id"] and state["accepting"]}
        assert doubled == {f"s{k - first}" for k in accepting}
    live = {item["state"] for item in session.trace.pending.live}
    rule = next(rule for rule in program["rules"] if rule["name"] == "value")
    lit = {node["name"] for node in drawn(machine_dot(program, "value", live=live))["objects"] if "fillcolor" in node}
    assert lit == {f"s{k - rule['states'][0]}" for k in live if rule["states"][0] <= k < rule["states"][1]}
    assert lit


def test_a_literal_is_one_edge_unless_something_is_inside_it() -> None:
    compiled = xgr.GrammarCompiler(BYTES).compile_grammar('root ::= "hello" | "ab"')
    folded = [edge.get("label") for edge in drawn(compiled.to_dot())["edges"]]
    assert sorted(filter(None, folded)) == ['"a"', '"b"', '"hello"']
    inside = next(edge["to"] for edge in compiled.program()["edges"] if edge["label"] == '"e"')
    lit = [edge.get("label") for edge in drawn(compiled.to_dot(live=[inside]))["edges"]]
    assert sorted(filter(None, lit)) == ['"a"', '"b"', '"e"', '"h"', '"llo"']
    with pytest.raises(ArgumentError, match="no rule 'list'") as refused:
        compiled.to_dot("list")
    assert "rule_inlining=False" in refused.value.hint


def test_stages_end_in_the_smallest_machine() -> None:
    grammar = xgr.Grammar.from_ebnf('root ::= "yes" | "no" | "nope" | "ye" ("s" | "p")')
    stages = machine_stages(grammar)
    assert [name for name, _ in stages] == [
        "as written",
        "right_recursion_to_repeat",
        "inline_fragments",
        "fuse_literals",
        "determinize",
        "minimize",
    ]
    sizes = [len(drawn(dot)["objects"]) - 1 for _, dot in stages]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
    small = xgr.Grammar.from_ebnf('root ::= a a   a ::= "x"')
    assert [name for name, _ in machine_stages(small, "a")] == ["as written", "right_recursion_to_repeat"]


# ---- Stacks and triggers ------------------------------------------------------------------------


def test_stacks_share_their_frames() -> None:
    session = written("(((a", 'root ::= "(" root ")" | "a" "b"?', parser="pda")
    tree = session.trace.steps[-1].stacks
    graph = drawn(stacks_dot(tree, session.trace.program))
    names = {node["name"] for node in graph["objects"]}
    assert len(names) == 1 + len(tree["frames"]) + len(tree["tops"])
    assert len(graph["edges"]) == len(names) - 1
    tops = [node for node in graph["objects"] if "fillcolor" in node]
    assert len(tops) == tree["n_stacks"]


def test_triggers_are_an_automaton_with_failures() -> None:
    texts = [{"text": "<tool>", "kind": "trigger"}, {"text": "<to", "kind": "stop"}, {"text": "ool", "kind": "exclude"}]
    graph = drawn(trie_dot(texts, {"mode": "dispatching", "text": 0, "n_read": 4}))
    assert len(graph["objects"]) == 1 + len("<tool>") + len("ool")
    ends = {node["xlabel"] for node in graph["objects"] if node.get("shape") == "doublecircle"}
    assert ends == {"trigger", "stop", "exclude"}
    names = {node["_gvid"]: node["name"] for node in graph["objects"]}
    failures = {
        (names[e["tail"]], names[e["head"]]) for e in graph["edges"] if e.get("style") == "dashed"
    }  # fmt: skip
    assert failures == {("n3", "n7"), ("n4", "n8"), ("n5", "n9"), ("n8", "n7")}
    assert [node["name"] for node in graph["objects"] if "fillcolor" in node] == ["n4"]


# ---- The text itself ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["plain", 'a "b"', "a\\b", "a\nb", "\x00\x1f", "日本", "\\", '"'])
def test_any_text_can_be_a_label(text: str) -> None:
    graph = drawn(Dot(f"digraph {{ n [label={quoted(text)}]; }}"))
    shown = re.sub(r"[\x00-\x1f]", lambda m: m[0].encode("unicode_escape").decode(), text)
    assert graph["objects"][0]["label"] == shown.replace("\\", "\\\\")


def test_without_the_package_the_error_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphviz", None)
    compiled = xgr.GrammarCompiler(BYTES).compile_grammar('root ::= "a"')
    with pytest.raises(PictureError, match="needs the package graphviz") as refused:
        compiled.to_graphviz()
    assert "pip install xg2lab[pictures]" in refused.value.hint
    assert compiled.to_dot().startswith('digraph "root"')


def test_with_the_package_it_is_a_source() -> None:
    graphviz = pytest.importorskip("graphviz")
    compiled = xgr.GrammarCompiler(BYTES).compile_grammar('root ::= "a"')
    source = compiled.to_graphviz(theme="dark")
    assert isinstance(source, graphviz.Source)
    assert source.source.rstrip("\n") == str(compiled.to_dot(theme="dark")).rstrip("\n")
