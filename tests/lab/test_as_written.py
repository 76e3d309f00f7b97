"""The grammar as written: its items are those of a textbook, by Earley's twin; its chart keeps up with every change."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, random_grammar, seeded, write_ebnf
from xg2lab.errors import SessionError
from xg2lab.lab import Session
from xg2lab.lab.session.written_chart import MOST_SOURCE_BYTES
from xg2lab.lab.trace.as_written import MOST_SAID, AsWritten, Textbook, dotted, written_options
from xg2lab.lab.trace.derivation import derivation, is_start, tree_lines
from xg2lab.lab.trace.trace import Trace
from xg2lab.reference.cfg import Cfg
from xg2lab.reference.earley import Chart

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
SUM = 'root ::= sum\nsum ::= sum "+" sum | sum "*" sum | num\nnum ::= [0-9]'
#: The same as productions of single bytes, for the twin.
SUM_CFG = {
    "root": ["sum"],
    "sum": ["sum + sum", "sum * sum", "num"],
    "num": [(48, 57)],
}


def written(grammar: Any, text: str | bytes = "") -> Session:
    """A session that recorded the grammar as written, and took this text."""
    session = Session(grammar, INFO)
    session.record_as_written()
    if text:
        session.force(text)
    return session


def recorded(session: Session) -> AsWritten:
    """The record of the grammar as written."""
    assert session.trace.as_written is not None
    return session.trace.as_written


def states_of(session: Session) -> list[Any]:
    """The states of its program."""
    program = recorded(session).program
    assert program is not None
    return list(program["states"])


def items(session: Session) -> list[list[str]]:
    """Each column's items in words, without numbers of states."""
    trace = session.trace.drawn_as_written()
    states, rules = trace.program["states"], trace.program["rules"]
    return [
        [f"{rules[states[row[0]]['rule']]['name']} → {dotted(states[row[0]])}  {row[1]}" for row in column]
        for column in trace.columns
    ]


def twin_items(text: bytes) -> list[set[str]]:
    """The same by Earley's twin."""
    names = {"sum", "num", "root"}

    def symbols(production: Any) -> tuple[Any, ...]:
        if isinstance(production, tuple):
            return (production,)
        return tuple(part if part in names else (ord(part), ord(part)) for part in production.split())

    chart = Chart(Cfg("root", {name: [symbols(p) for p in of] for name, of in SUM_CFG.items()}))
    for byte in text:
        assert chart.push(byte)

    def shown(symbol: Any) -> str:
        if isinstance(symbol, str):
            return symbol
        return "[0-9]" if symbol == (48, 57) else f'"{chr(symbol[0])}"'

    out: list[set[str]] = []
    for column in chart.columns:
        lines: set[str] = set()
        for item in column:
            parts = [shown(symbol) for symbol in item.production]
            parts.insert(item.dot, "•")
            lines.add(f"{item.name} → {' '.join(parts)}  {item.origin}")
        out.append(lines)
    return out


def test_the_chart_as_written_is_the_textbooks() -> None:
    text = "1+2*3+4"
    found = items(written(SUM, text))
    assert [len(column) for column in found] == [len(set(column)) for column in found]
    assert [set(column) for column in found] == twin_items(text.encode())


def test_default_options_do_not_hide_left_recursion() -> None:
    session = written('root ::= sum\nsum ::= sum "+" num | num\nnum ::= [0-9]', "1+2")
    assert tree_lines(derivation(session.trace.drawn_as_written()))[:3] == ["root 0-3", "  sum 0-3", "    sum 0-1"]
    # the engine's own chart has the rewritten rules
    assert not any(line.strip().startswith("num") for line in tree_lines(derivation(session.trace)))


@pytest.mark.parametrize("record_late", [False, True])
def test_arrows_lead_to_items_that_can_make_the_item(record_late: bool) -> None:
    rng = seeded()
    for _ in range(round(60 * SHARE)):
        grammar = write_ebnf(random_grammar(rng))
        try:
            session = Session(grammar, INFO)
        except xgr.Xg2LabError:
            continue
        if not record_late:
            session.record_as_written()
        for _ in range(6):
            allowed = [int(t) for t in session.matcher_at().allowed_tokens() if t < 256]
            if not allowed:
                break
            session.force(rng.choice(allowed[:4]))
        session.record_as_written()
        check_arrows(session)


def check_arrows(session: Session) -> None:
    """Each item is made of items of the chart by an edge of the program, whose symbol has matched."""
    assert recorded(session).note == ""
    trace = session.trace.drawn_as_written()
    program, output = trace.program, trace.output_bytes
    assert len(trace.columns) == len(output) + 1
    edges: dict[tuple[int, int], list[Any]] = {}
    for edge in program["edges"]:
        edges.setdefault((edge["from"], edge["to"]), []).append(edge)
    made = [(j, row) for j, column in enumerate(trace.columns) for row in column]
    made += [(row[0], [*trace.columns[row[0]][row[1]][:2], *row[k : k + 5]]) for row in trace.ways
             for k in range(3, len(row), 5)]  # fmt: skip
    for j, (state, origin, operation, column, index, child, child_index) in made:
        if operation == 0:
            assert j == 0
            assert is_start(program, state)
            continue
        source, source_origin = trace.columns[column][index][:2]
        if operation == 1:
            rule = program["states"][state]["rule"]
            assert origin == j == column
            assert any(edge["rule"] == rule for (at, _), of in edges.items() if at == source for edge in of)
            continue
        own = edges[source, state]
        assert source_origin == origin
        if operation == 2:
            byte = output[j - 1]
            assert any(lo <= byte <= hi for edge in own for lo, hi in edge["ranges"])
        elif child_index >= 0:
            inner, begun = trace.columns[child][child_index][:2]
            assert (child, begun) == (j, column)
            assert any(edge["rule"] == program["states"][inner]["rule"] for edge in own)


def test_steps_back_and_other_tokens_keep_the_chart_right() -> None:
    session = written(SUM, "1+2*3")
    session.back(3)
    assert len(recorded(session).columns) == 3
    session.force("4*5")
    assert items(session) == items(written(SUM, "1+4*5"))
    session.reset()
    session.force("7")
    assert items(session) == items(written(SUM, "7"))


def test_another_grammar_is_recorded_too() -> None:
    session = written(SUM, "1+2")
    session.change_grammar('root ::= "a" root | "b"')
    session.force("ab")
    assert items(session) == items(written('root ::= "a" root | "b"', "ab"))
    session.change_grammar(SUM)
    assert recorded(session).program == recorded(written(SUM)).program


def test_a_trace_that_is_resumed_has_its_own_chart_again() -> None:
    session = written(SUM, "1+2*3")
    session.replay([ord("7"), ord("+")])
    assert items(session) == items(written(SUM, "7+"))
    session.force("8")
    session.resume()
    assert items(session) == items(written(SUM, "1+2*3"))
    session.force("+4")
    assert items(session) == items(written(SUM, "1+2*3+4"))
    check_arrows(session)


def test_earlier_tokens_are_caught_up_with() -> None:
    session = Session(SUM, INFO)
    session.force("1+2*3")
    assert session.trace.as_written is None
    session.record_as_written()
    assert items(session) == items(written(SUM, "1+2*3"))


def test_an_output_that_left_the_grammar_can_come_back() -> None:
    session = Session(SUM, INFO, constrained=False)
    session.record_as_written()
    session.force("1+x")
    assert len(recorded(session).columns) == 3
    session.back(1)
    session.force("2")
    assert items(session) == items(written(SUM, "1+2"))


def test_other_parsers_have_the_same_chart_as_written() -> None:
    grammar = 'root ::= "[" (num ("," num)*)? "]"\nnum ::= [0-9]+'
    for parser in ("pda", "operators"):
        session = Session(grammar, INFO, options=xgr.EngineOptions(parser=parser))
        session.record_as_written()
        session.force("[1,22")
        assert items(session) == items(written(grammar, "[1,22"))


def test_an_instance_of_a_template_is_drawn_too() -> None:
    session = Session('root ::= "<" $name ">" [0-9]', INFO, arguments={"name": "ab"})
    session.record_as_written()
    session.force("<ab>")
    assert recorded(session).note == ""
    assert items(session)[-1][0].endswith("[0-9]  0")


def test_a_trace_with_it_is_saved_and_read_again() -> None:
    session = written(SUM, "1+2*3")
    wire = json.loads(json.dumps(session.trace.to_wire()))
    again = Trace.from_wire(wire)
    assert again == session.trace
    assert again.as_written == recorded(session)
    wire["as_written"]["chart"]["columns"][1][0][0] = 99
    with pytest.raises(xgr.DeserializeFormatError) as refused:
        Trace.from_wire(wire)
    assert refused.value.pointer == "/as_written/chart/columns/1/0/0"


def test_explanations_have_a_walk_as_written() -> None:
    session = written(SUM, "1+")
    walk = session.explain(ord("2")).get("walk_as_written", [])
    states = states_of(session)
    assert {dotted(states[item["state"]]) for item in walk[0]["items"]} >= {'sum "+" sum •', "[0-9] •", 'sum • "*" sum'}
    refused = session.explain(b"2x")
    assert [step["alive"] for step in refused.get("walk_as_written", [])] == [step["alive"] for step in refused["walk"]]


def test_explanations_say_what_the_items_as_written_expected() -> None:
    session = written(SUM, "1+")
    why = session.explain(b"x")
    states = states_of(session)
    assert [dotted(states[item["state"]]) for item in why.get("expected_as_written", [])] == ["• [0-9]"]
    after = session.explain(b"2x").get("expected_as_written", [])
    assert {dotted(states[item["state"]]) for item in after} == {'sum • "+" sum', 'sum • "*" sum'}
    assert {(item["rule_name"], item.get("line")) for item in after} == {("sum", 2)}
    # of a rule with alternatives, those that read no byte expected none
    either = written('root ::= "a" root | item\nitem ::= "b"\n', "a")
    refused = either.explain(b"x").get("expected_as_written", [])
    assert {dotted(states_of(either)[item["state"]]) for item in refused} == {'• "a" root', '• "b"'}


def test_an_item_as_written_names_the_argument_that_fills_its_slot() -> None:
    template = xgr.Template.from_ebnf('root ::= Each($sections, section)\nsection ::= "<" $id ">"')
    session = Session(template, INFO, arguments={"sections": [{"id": "a"}, {"id": "b"}]})
    session.record_as_written()
    session.force("<a><")
    [item] = session.explain(b"x").get("expected_as_written", [])
    states = states_of(session)
    assert dotted(states[item["state"]]) == '"<" • $id ">"'
    assert item.get("argument") == "/sections/1/id"
    session.force("b")
    [item] = session.explain(b"x").get("expected_as_written", [])
    assert item.get("argument") == "/sections/1"


def test_a_large_grammar_says_why_it_is_not_drawn() -> None:
    rules = "\n".join(f'r{k} ::= "{"x" * 200}{k}"' for k in range(1500))
    grammar = "root ::= " + " | ".join(f"r{k}" for k in range(1500)) + "\n" + rules
    assert len(grammar) > MOST_SOURCE_BYTES
    session = written(grammar, "x")
    assert recorded(session).program is None
    assert recorded(session).note.startswith("the grammar is too large to be drawn as written (")
    with pytest.raises(SessionError, match="no derivations to list"):
        session.derivations()
    many = written("root ::= " + " | ".join(f'"{k:04}xxxx"' for k in range(1200)), "0")
    assert "5,000" in recorded(many).note


def test_a_short_ambiguous_text_can_have_too_many_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xg2lab.lab.session.written_chart.MOST_ITEMS", 40)
    session = written(SUM, "1+2*3+4")
    assert recorded(session).note == "the chart as written ends at column 6: more than 40 items"
    assert len(recorded(session).columns) == 6
    session.back(4)
    assert len(recorded(session).columns) == 4
    assert recorded(session).note == ""
    assert session.derivations().n_trees == 1


TEXTS: list[tuple[str, list[str]]] = [
    # a literal is read byte by byte, and repeated ones begin anew
    ('root ::= "ab"{2,3}', ['"ab"{2,3}', '"a•b"{2,3}', '"ab" • {2,3}']),
    # escapes and characters of several bytes are not torn apart
    (r'root ::= "\n\x41é\"z"', [r'"\n•\x41é\"z"', r'"\n\x41é\"•z"', r'"\n\x41•é\"z"']),
    # comments and line ends are not part of an item, number signs of a literal are
    ('root ::= "a" # one\n  "#  b"\n', ['"a" • "#  b"', '"a" "#•  b"']),
    ("root ::= [^a-z] [0-9]", ["[^a-z•] [0-9]", "[^a-z] • [0-9]"]),
    ('root ::= ("a" | "b" root)* "c"', ['("a" • | "b" root)* "c"', '("a" | "b" • root)* "c"']),
]


@pytest.mark.parametrize(("grammar", "expected"), TEXTS, ids=[grammar for grammar, _ in TEXTS])
def test_items_are_cut_out_of_the_source(grammar: str, expected: list[str]) -> None:
    shown = {dotted(state) for state in states_of(written(grammar))}
    assert {text.removeprefix("• ") if text not in shown else text for text in expected} <= {
        text.removeprefix("• ") for text in shown
    } | shown


def test_copies_of_a_position_are_told_apart() -> None:
    states = states_of(written('root ::= x{3}\nx ::= "a"'))
    shown = [dotted(state) for state in states if state["rule"] == 0]
    assert len(set(shown)) == len(shown) == 4


def test_other_languages_keep_their_own_text() -> None:
    lark = xgr.Grammar.from_lark('start: NUMBER "+" start | NUMBER\nNUMBER: /[0-9]+/\n')
    assert items(written(lark, "1+"))[2][0] == 'start → NUMBER "+" • start  0'
    assert items(written(xgr.Grammar.from_regex("a(bcd|c)*d"), "ab"))[2] == ["root → a(b•cd|c)*d  0"]
    schema = xgr.Grammar.from_json_schema({"type": "object", "properties": {"a": {"type": "integer"}}})
    session = written(schema, "{")
    assert recorded(session).note == ""
    assert all(state["before"] or state["after"] for state in states_of(session))


def test_a_divided_program_has_the_edges_of_the_whole_one() -> None:
    rng = random.Random(7)
    for _ in range(round(100 * SHARE)):
        grammar = write_ebnf(random_grammar(rng))
        try:
            options = written_options(xgr.EngineOptions())
            compiled = xgr.GrammarCompiler(INFO, options=options).compile_grammar(grammar)
        except xgr.Xg2LabError:
            continue
        whole = compiled.program()
        book = Textbook(whole, compiled.grammar)
        back = {part: state for state, parts in enumerate(book.parts) for part in parts}
        edges = [(back[e["from"]], back[e["to"]], e["label"]) for e in book.program["edges"]]
        assert sorted(edges) == sorted((e["from"], e["to"], e["label"]) for e in whole["edges"])
        for state, parts in enumerate(book.parts):
            ends = [book.program["states"][part]["accepting"] for part in parts]
            assert any(ends) == whole["states"][state]["accepting"]
        for k, state in enumerate(book.program["states"]):
            assert state["id"] == k
            first, end = book.program["rules"][state["rule"]]["states"]
            assert first <= k < end


def test_text_beside_a_dot_is_bounded() -> None:
    grammar = "root ::= " + " ".join(f'"{k:03}"' for k in range(200))
    states = states_of(written(grammar))
    assert max(len(state["before"]) for state in states) == MOST_SAID
    middle = next(state for state in states if state["before"].endswith('"100"'))
    assert middle["before"].startswith("…")
    assert middle["after"].startswith('"101"')
    assert middle["after"].endswith("…")
