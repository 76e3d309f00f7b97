"""What can't be seen, or turns the text around it, is escaped in every message; letters of all scripts stay."""

import re
from pathlib import Path

import pytest

import xg2lab as xgr
from xg2lab.errors import HIDDEN, GrammarError, Xg2LabError, visible

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "core" / "support" / "visible.cc"
ON_THE_PAGE = ROOT / "widgets" / "src" / "text.ts"
#: Controls of bidirectional text, marks of direction, what has no width.
BIDIRECTIONAL = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
UNSEEN = [0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD, 0x2028, 0xE0041, 0x85, 0x9B]


def message_of(text: str) -> str:
    with pytest.raises(Xg2LabError) as caught:
        xgr.Grammar.from_ebnf(text)
    for found in caught.value.diagnostics:
        assert HIDDEN.search(found.message + found.hint) is None
    return str(caught.value)


@pytest.mark.parametrize("code", BIDIRECTIONAL + UNSEEN, ids=lambda code: f"U+{code:04X}")
def test_a_source_line_shows_them_escaped_and_the_carets_stand_right(code: int):
    character = chr(code)
    escape = f"\\u{code:04X}" if 0xFF < code <= 0xFFFF else f"\\x{code:02X}" if code <= 0xFF else f"\\U{code:08X}"
    told = message_of(f'root ::= "a{character}b" missing')
    assert HIDDEN.search(told) is None
    lines = told.splitlines()
    shown = next(line for line in lines if escape in line)
    carets = lines[lines.index(shown) + 1]
    assert carets.index("^") == shown.index("missing")
    assert carets.count("^") == len("missing")


@pytest.mark.parametrize("code", BIDIRECTIONAL + UNSEEN, ids=lambda code: f"U+{code:04X}")
def test_names_patterns_tokens_and_schemas_too(code: int):
    character = chr(code)
    texts: list[str] = []
    for make in (
        lambda: xgr.Grammar.from_regex(f"a{character}(b"),
        lambda: xgr.Grammar.from_json_schema({"type": f"a{character}"}),
        lambda: xgr.Grammar.from_json_schema({"$ref": f"#/{character}"}),
        lambda: xgr.Grammar.from_json_schema('{"a' + character + '": }'),
        lambda: xgr.Grammar.from_lark(f'start: "a{character}" missing'),
        lambda: xgr.Grammar.from_structural_tag({"format": {"type": f"a{character}"}}),
        lambda: xgr.Grammar.from_ebnf(f"root ::= a{character}b"),
    ):
        with pytest.raises(Xg2LabError) as caught:
            make()
        texts += [str(caught.value), caught.value.message, caught.value.hint]
    info = xgr.TokenizerInfo([b"a", character.encode(), b"</s>"], stop_token_ids=[2])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a"'))
    texts.append(matcher.explain(1)["reason"])
    assert HIDDEN.search("".join(texts)) is None


def test_what_debug_print_says(capsys: pytest.CaptureFixture[str]):
    info = xgr.TokenizerInfo(["a", "\u202e", "</s>"], stop_token_ids=[2])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" | "\u202e"'))
    assert matcher.accept_token(1, debug_print=True)
    told = capsys.readouterr().out
    assert "\\u202E" in told
    assert HIDDEN.search(told) is None


def test_errors_of_python_too():
    error = GrammarError("rule \u202e\x1b[2J", hint="not \u200b this")
    assert str(error) == "rule \\u202E\\x1B[2J\n  hint: not \\u200B this"
    assert error.hint == "not \\u200B this"


def test_letters_of_all_scripts_stay():
    for text in ("größe", "שלום", "مرحبا", "हिन्दी", "日本語", "e\u0301", "❤\ufe0f", "\t\n", "\u00a0", "\u3000"):
        assert visible(text) == text


def test_all_tables_are_one():
    table = SOURCE.read_text(encoding="utf-8").partition("kHidden{{{")[2].partition("}}};")[0]
    ranges = re.findall(r"(0x[0-9A-F]+), (0x[0-9A-F]+)", table)
    of_engine = {code for low, high in ranges for code in range(int(low, 16), int(high, 16) + 1)}
    of_python = {code for code in range(0x80, 0x110000) if HIDDEN.match(chr(code))}
    assert of_engine == of_python
    assert {code for code in range(0x80) if HIDDEN.match(chr(code))} == {*range(0x20), 0x7F} - {9, 10}
    # The page's is a class of the same notation as Python's, but for \\u{...}.
    written = ON_THE_PAGE.read_text(encoding="utf-8").partition("/[")[2].partition("]/gu")[0]
    on_the_page = re.compile("[" + re.sub(r"\\u\{(\w+)\}", lambda m: f"\\U{int(m[1], 16):08x}", written) + "]")
    assert {c for c in range(0x110000) if on_the_page.match(chr(c))} == {
        c for c in range(0x110000) if HIDDEN.match(chr(c))
    }


def test_a_grammar_in_a_notebook_shows_them_escaped():
    grammar = xgr.Grammar.from_ebnf('root ::= "a\u202e" | [\u2066-\u2069]')
    info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
    for shown in (grammar._repr_html_(), xgr.GrammarCompiler(info).compile_grammar(grammar)._repr_html_()):
        assert HIDDEN.search(shown) is None
        assert "\\u202e" in shown
