"""Each snippet, filled with its defaults, is a text that the engine reads."""

from __future__ import annotations

import json

import pytest

import xg2lab
from xg2lab.editing.snippets import SNIPPETS, Snippet, filled
from xg2lab.sources.readers import READERS

ALL = [(kind, snippet) for kind, snippets in SNIPPETS.items() for snippet in snippets]


def text_with(kind: str, snippet: Snippet) -> str:
    """A text of the kind in which the snippet stands."""
    text = filled(snippet.text)
    if kind == "ebnf" and snippet.where == "body":
        return f'root ::= "x"\nmore ::= {text}'
    if kind == "ebnf" and not text.startswith("root"):
        return f'root ::= "x"\n{text}'
    if kind == "lark" and snippet.where == "body":
        return f"start: {text}"
    if kind == "lark" and not text.startswith("start"):
        return f'start: "x"\n{text}'
    if snippet.label == "lookahead":
        return f"{text}[a-z]"
    return text


@pytest.mark.parametrize(("kind", "snippet"), ALL, ids=lambda one: getattr(one, "label", one))
def test_a_snippet_is_read(kind: str, snippet: Snippet) -> None:
    text = text_with(kind, snippet)
    if kind in ("json_schema", "structural_tag"):
        json.loads(text)
    assert READERS[kind].grammar(text).rules


def test_the_string_snippet_reads_strings_as_json_writes_them() -> None:
    (snippet,) = [one for one in SNIPPETS["ebnf"] if one.label == "json string"]
    grammar = xg2lab.Grammar.from_ebnf("root ::= string\n" + filled(snippet.text))
    result = xg2lab.check(grammar, accepts=['"a"', r'"\n\""', '""'], rejects=['"', '"\n"', 'a"'])
    assert result.ok, str(result)
