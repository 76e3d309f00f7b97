"""What is said of large grammars has bounds: findings take time in proportion to the text, notebooks keep little."""

from __future__ import annotations

import json

import pytest

import xg2lab as xgr
from xg2lab.language.nodes import Node, Nodes
from xg2lab.lints.ambiguous import ambiguous
from xg2lab.lints.context import Context
from xg2lab.lints.schemas import Suggestions
from xg2lab.show.html import MOST_ROWS

N = 5000


def schema_of(n: int) -> str:
    names = [f"p{i}" for i in range(n)]
    return json.dumps(
        {
            "type": "object",
            "properties": {name: {"type": "string", "own": 1} for name in names},
            "required": [*names, "q0"],
            "$defs": {f"d{i}": {"type": "string"} for i in range(n)},
        }
    )


def test_a_schema_of_thousands_of_names_is_linted():
    """Each name against each other, and each definition against each keyword, would be minutes and hours."""
    findings = xgr.lint(schema_of(N), kind="json_schema")
    assert sum(finding.code == "unused_definition" for finding in findings) == N
    assert sum(finding.code == "unknown_keyword" for finding in findings) == N


def test_suggestions_end_and_findings_do_not(monkeypatch: pytest.MonkeyPatch):
    schema = json.dumps({"properties": {f"p{i}": {"minlength": 1} for i in range(9)}})
    assert [f.hint for f in xgr.lint(schema, kind="json_schema")] == ["did you mean `minLength`?"] * 9
    monkeypatch.setattr(Suggestions, "MOST_COMPARISONS", 100)
    hints = [f.hint for f in xgr.lint(schema, kind="json_schema")]
    assert len(hints) == 9
    assert 0 < hints.count("did you mean `minLength`?") < 9


def test_a_required_name_is_held_against_those_that_nobody_requires():
    schema = {"properties": {"email": {}, "phone": {}, "names": {}}, "required": ["emial", "phone", "phnoe"]}
    found = xgr.lint(json.dumps(schema), kind="json_schema", strict_mode=False)
    assert [f.hint for f in found if f.code == "misspelled_required"] == ["did you mean `email`?"]


def test_what_a_notebook_keeps_is_bounded():
    schema = schema_of(N)
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([bytes([i]) for i in range(256)], stop_token_ids=[0]))
    compiled = compiler.compile_json_schema(schema)
    grammar = compiled.grammar
    many_rules = xgr.Grammar.from_ebnf(
        "root ::= r0\n" + "".join(f'r{i} ::= "{"x" * 300}" r{i + 1}\n' for i in range(N)) + f'r{N} ::= "y"'
    )
    for shown in (compiled, grammar, grammar.coverage, xgr.lint(grammar), many_rules):
        assert len(shown._repr_html_()) < 150_000
    assert f"… {len(grammar.coverage) - MOST_ROWS:,} more" in grammar.coverage._repr_html_()
    assert "more characters" in grammar._repr_html_()
    assert "more rules" in many_rules._repr_html_()
    small = xgr.Grammar.from_ebnf('root ::= "a"')
    assert "…" not in small._repr_html_()


def ring(n: int) -> str:
    """Rules in a circle; each may be nothing, whitespace and the next, or a letter."""
    rules = "".join(f'r{i} ::= "" | " " r{(i + 1) % n} | "a"\n' for i in range(n))
    return f"root ::= r0\n{rules}"


def n_steps(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    """How often the lints ask for an expression: a measure of their work that no clock is needed for."""
    n = 0
    ask = Nodes.__getitem__

    def counted(self: Nodes, index: int) -> Node:
        nonlocal n
        n += 1
        return ask(self, index)

    with monkeypatch.context() as patch:
        patch.setattr(Nodes, "__getitem__", counted)
        assert xgr.lint(text, seconds=0.0)
    return n


def test_a_ring_of_rules_is_linted_in_time_that_grows_with_it(monkeypatch: pytest.MonkeyPatch):
    small, large = (n_steps(monkeypatch, ring(n)) for n in (100, 400))
    assert large < 6 * small


def test_each_rule_of_a_ring_comes_back_after_whitespace():
    codes = [finding.code for finding in xgr.lint(ring(5) + 'apart ::= "a"', seconds=0.0)]
    assert codes.count("endless_whitespace") == 5


@pytest.mark.parametrize(
    "text",
    [
        'root ::= a{1000000000}  a ::= "x" | "x" "y"? | "xy"',
        "root ::= " + "a " * 5000 + '\na ::= "x" | "x" "y"? | "xy"',
    ],
)
def test_a_grammar_with_too_many_neighbours_is_not_searched_for_ambiguity(text: str):
    assert xgr.lint(text) is not None
    context = Context.of(xgr.Grammar.from_ebnf(text))
    assert list(ambiguous(context, 60.0)) == []
