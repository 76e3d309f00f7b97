"""How things look in a notebook: errors end at the author's line, what is shown keeps the page's own colours."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import xg2lab as xgr
from xg2lab.show.html import COLORS

CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "nocolor" if hasattr(shell, "colors") else ""
import xg2lab as xgr
shell.push({"xgr": xgr})
shell.run_cell("def mine(schema):\\n    return xgr.Grammar.from_json_schema(schema)\\nmine({'uniqueItems': True})")
shell.run_cell("xgr.Grammar.from_ebnf('root ::= undefined')")
"""


def test_an_error_in_a_cell_shows_the_cell_and_the_grammar_and_nothing_of_ours():
    pytest.importorskip("IPython")
    ran = subprocess.run([sys.executable, "-c", CELLS], capture_output=True, text=True, check=True)
    said = re.sub(r"\x1b\[[\d;]*m", "", ran.stdout)
    assert "return xgr.Grammar.from_json_schema(schema)" in said
    assert "mine({'uniqueItems': True})" in said
    assert "UnsupportedError: at /uniqueItems: no grammar can compare items" in said
    assert '2 |   "uniqueItems": true' in said
    assert "GrammarError: rule `undefined` is not defined" in said
    assert "    1 | root ::= undefined\n      |          ^^^^^^^^^" in said
    assert "json_schema.py" not in said
    assert "Unexpected exception" not in said


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_colours_stand_out_on_light_and_on_dark_pages():
    for color in COLORS.values():
        assert contrast(color, "#ffffff") >= 4.3
        assert contrast(color, "#111111") >= 3.8


def test_what_is_shown_sets_no_colour_but_for_marks():
    info = xgr.TokenizerInfo([b"a", b"<", b"</s>"], stop_token_ids=[2])
    grammar = xgr.Grammar.from_ebnf('root ::= "<" | "a"   other ::= "b"')
    compiled = xgr.GrammarCompiler(info).compile_grammar(grammar)
    shown = [
        grammar._repr_html_(),
        compiled._repr_html_(),
        xgr.check(grammar, ["<"], ["a"])._repr_html_(),
        xgr.lint(grammar)._repr_html_(),
        xgr.Grammar.from_json_schema({"title": "<"}).coverage._repr_html_(),
    ]
    for html in shown:
        assert "background" not in html
        assert set(re.findall(r"color: (#\w+)", html)) <= set(COLORS.values())
        assert re.sub(r"<[^>]*>", "", html).count("<") == 0
    assert "rule `other` is not used" in shown[0]
    assert "3 tokens" in shown[1]
    assert "✗" in shown[2]
