"""The command line: what it prints, and with which exit status."""

import json
import os
import pty
import re
import subprocess
import sys

import pytest

import xg2lab as xgr
from xg2lab.cli import main
from xg2lab.sources.readers import READERS, Reader, register_reader


def run(*words, stdin=""):
    """The command as a process: its status, what it printed, what it complained of."""
    command = [sys.executable, "-m", "xg2lab", *words]
    ran = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def grammar(tmp_path):
    def write(text, name="some.ebnf"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


# ---- lint ----


def test_lint_of_a_grammar_with_findings(grammar, capsys):
    path = grammar('root ::= "a" | [a-z]\n')
    assert main(["lint", path]) == 1
    assert capsys.readouterr().out == str(xgr.lint('root ::= "a" | [a-z]\n', name=path)) + "\n"


def test_lint_of_several_files(grammar, capsys):
    good, bad, hinted = (
        grammar('root ::= "a"', "a.gbnf"),
        grammar("root ::= x", "b.ebnf"),
        grammar('root ::= "a"|', "c.bnf"),
    )
    assert main(["lint", good, hinted]) == 0
    assert capsys.readouterr().out.startswith(f"{good}: no findings\nhint[empty_alternative]: ")
    assert main(["lint", good, bad]) == 1
    assert f"{bad}:1:10" in capsys.readouterr().out


def test_lint_as_json(grammar, capsys):
    path = grammar('root ::= "a" | x')
    assert main(["lint", "--format", "json", path]) == 1
    assert json.loads(capsys.readouterr().out) == [
        {
            "file": path,
            "code": "undefined_rule",
            "severity": "error",
            "message": "rule `x` is not defined",
            "hint": "define it: x ::= ...",
            "span": [15, 16],
            "line": 1,
            "column": 16,
            "pointer": None,
        }
    ]


def test_lint_of_other_sources(grammar, capsys):
    assert main(["lint", grammar("(a|[a-z])+\n", "words.regex")]) == 1
    assert '"a" can be read in two ways: it is `a` or `[a-z]`' in capsys.readouterr().out
    assert main(["lint", grammar("a(b", "words.re")]) == 1
    assert "error[bad_regex]" in capsys.readouterr().out
    assert main(["lint", "--root", "start", grammar('start ::= "a"')]) == 0
    assert main(["lint", grammar('start: "a" | word\n', "words.lark")]) == 1
    assert "word" in capsys.readouterr().out


def test_standard_input_and_the_module():
    status, out, err = run("lint", "-", "--as", "ebnf", stdin='root ::= "é" | [é]\n')
    assert (status, err) == (1, "")
    assert out.startswith('warning[ambiguous]: "é" can be read in two ways')
    assert "\x1b" not in out


def test_a_source_language_joins_by_a_row(grammar, capsys):
    register_reader(
        Reader("shout", "a shout", (".shout",), lambda text: xgr.Grammar.from_ebnf(f'root ::= "{text.upper()}"'))
    )
    try:
        assert main(["sample", "-n", "1", grammar("hey", "x.shout")]) == 0
        assert capsys.readouterr().out == "HEY\n"
    finally:
        del READERS["shout"]


def test_colors_on_a_terminal_alone(grammar):
    path = grammar('root ::= "a" | [a-z]')
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "xg2lab", "lint", path]
    subprocess.run(command, stdout=child, check=False, env=environment)
    os.close(child)
    shown = b""
    while True:
        try:
            read = os.read(parent, 4096)
        except OSError:
            break
        shown += read
        if not read:
            break
    os.close(parent)
    plain = re.sub(r"\x1b\[\d+m", "", shown.decode()).replace("\r\n", "\n")
    assert shown.count(b"\x1b[33mwarning\x1b[0m[ambiguous]") == 1
    assert plain == run("lint", path)[1]


# ---- check and sample ----


def test_check(grammar, capsys):
    path = grammar('root ::= "[" [0-9]+ "]"')
    assert main(["check", path, "--accepts", "[1]", "[23]", "--rejects", "[]"]) == 0
    assert capsys.readouterr().out.startswith("3 of 3 examples are as they should be\n")
    assert main(["check", path, "--accepts", "[1", "--format", "json"]) == 1
    row = json.loads(capsys.readouterr().out)[0]
    assert (row["verdict"], row["expected_text"], row["ok"], row["line"]) == ("incomplete", "[0-9\\]]", False, 1)
    assert main(["check", path, "--rejects", "\udcff", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["example"] == "\\xff"


def test_sample(grammar, capsys):
    text = 'root ::= "[" [0-9]{1,4} "]" | "é\\n"'
    path = grammar(text)
    assert main(["sample", path, "-n", "30", "--seed", "4", "--format", "json"]) == 0
    members = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert members == xgr.sample(text, 30, seed=4)
    assert main(["sample", path, "-n", "5", "--max-length", "2"]) == 0
    assert capsys.readouterr().out == "é\n\n" * 5
    assert main(["sample", path, "--max-length", "1"]) == 2
    assert "the shortest has 2" in capsys.readouterr().err


# ---- JSON Schemas and structural tags ----

SCHEMA = """{"type": "object", "properties": {
  "n\\u0061me": {"type": "string", "minlength": 1},  "tags": {"type": "array", "uniqueItems": true}}}
"""
TAG = """{"format": {"type": "tag", "begin": "<", "end": ">",
 "content": {"type": "json_schema", "json_schema": {"enum": [1], "title": "x"}}}}
"""


def test_lint_of_a_schema(grammar, capsys):
    path = grammar(SCHEMA, "person.json")
    assert main(["lint", path]) == 1
    out = capsys.readouterr().out
    assert f"warning[unknown_keyword]: there is no keyword `minlength`: it checks nothing\n  {path}:2:35 at " in out
    assert f"error[unsupported_unique_items]: no grammar can compare items that have unlimited possible values\n  {path}:2:79 at /properties/tags/uniqueItems\n" in out  # fmt: skip  # noqa: E501
    assert out.endswith("1 error, 1 warning\n")
    assert main(["lint", "--relax", "--format", "json", path]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [(row["code"], row["pointer"], row["line"]) for row in rows] == [
        ("unknown_keyword", "/properties/name/minlength", 2),
        ("relaxed_keyword", "/properties/tags/uniqueItems", 2),
    ]


def test_coverage(grammar, capsys):
    path = grammar(SCHEMA, "person.json")
    assert main(["coverage", path]) == 1
    assert "error[unsupported_unique_items]" in capsys.readouterr().out
    assert main(["coverage", "--relax", path]) == 1
    out = capsys.readouterr().out
    assert "relaxed     /properties/tags/uniqueItems" in out
    assert out.endswith("\n4 enforced, 1 annotation, 1 relaxed\n")
    assert main(["coverage", grammar(TAG, "tag.json"), "--format", "json"]) == 0
    assert [row["pointer"] for row in json.loads(capsys.readouterr().out)] == [
        "/format/content/json_schema/enum", "/format/content/json_schema/title"
    ]  # fmt: skip
    assert main(["coverage", grammar('root ::= "a"')]) == 2
    assert "has no keywords" in capsys.readouterr().err


def test_other_commands_read_them_too(grammar, capsys):
    path = grammar(TAG, "tag.json")
    assert main(["check", path, "--accepts", "<1>", "--rejects", "<2>", "<1"]) == 0
    assert "in `root`, line 1\n" in capsys.readouterr().out
    assert main(["check", path, "--accepts", "<2>", "--format", "json"]) == 1
    row = json.loads(capsys.readouterr().out)[0]
    assert (row["line"], row["line_text"].strip()[:10]) == (2, '"content":')
    assert main(["sample", path, "-n", "1"]) == 0
    assert capsys.readouterr().out in ("<1>\n", "<1.0>\n")
    assert main(["compile", path, "--ebnf"]) == 0
    assert capsys.readouterr().out.startswith('root ::= "<" tag\n')
    assert main(["compile", path, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["rules"] == 3
    assert main(["sample", grammar("[1, 2", "broken.json")]) == 2
    assert "error[invalid_json]: expecting ',' delimiter" in capsys.readouterr().err
    assert main(["lint", "--kind", "json-schema", "--no-strict", grammar("true", "x.txt")]) == 0
    assert main(["lint", "--root", "x", path]) == 2
    assert "a structural tag has no choice of `root`" in capsys.readouterr().err
    assert main(["grammar", "validate", "--grammar", path]) == 0


def test_lines_fit_a_terminal(grammar):
    path = grammar(SCHEMA.replace("uniqueItems", "title"), "person.json")
    findings = xgr.lint(SCHEMA, kind="json_schema", name=path)
    assert all(len(line) <= 60 for line in findings.shown(60).split("\n") if path not in line)
    checked = xgr.check('root ::= "' + "a" * 30 + '" [0-9]', accepts=["a" * 29, "b"])
    assert all(len(line) <= 60 for line in checked.shown(60).split("\n")[2:])


# ---- Mistakes in the call ----


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lint", "there-is-no-such-file.ebnf"], "there-is-no-such-file.ebnf: No such file or directory"),
        (["lint", __file__], "the name does not show the kind of this grammar"),
        (["sample", "-", "--as", "regex", "--root", "x"], "a regular expression has no choice of `root`"),
        (["sample", "-", "--as", "ebnf"], "rule `x` is not defined"),
    ],
)
def test_wrong_calls(words, said):
    status, out, err = run(*words, stdin="root ::= x")
    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [[], ["lint"], ["paint", "x"], ["lint", "x", "--as", "cobol"], ["grammar", "test"]])
def test_usage(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert "usage: xg2lab" in capsys.readouterr().err


# ---- The harness of tool calls ----

FULL_TEST = """\
============================================================
GRAMMAR TEST HARNESS - Full Test Suite
============================================================

Step 1: Generate grammar
----------------------------------------
Grammar generated successfully.

Generated grammar:
  root ::= "<start_function_call>" "call:" tool_name "{" arg_body "}" "<end_function_call>"

  tool_name ::= "simple_tool" | "submit_result"

  arg_body ::= arg_char*
  arg_char ::= [^}]


Step 2: Validate EBNF syntax
----------------------------------------
No syntax errors found.

Step 3: Test against sample inputs
----------------------------------------
Valid samples (should match):
  1. [PASS] <start_function_call>call:simple_tool{...
  2. [PASS] <start_function_call>call:submit_result{...
"""


def test_full_test(capsys):
    assert main(["grammar", "full-test"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(FULL_TEST)
    assert "\nInvalid samples (should NOT match):\n  1. [PASS] plain text\n  2. [PASS] (nothing)\n" in out
    assert "[FAIL]" not in out
    assert out.endswith("\n" + "=" * 60 + "\nALL TESTS PASSED\n")


def test_full_test_of_a_grammar_that_is_too_free(grammar, capsys):
    path = grammar('root ::= " "* "<start_function_call>call:" [a-z_]+ "{" [^}]* "}<end_function_call>"')
    assert main(["grammar", "full-test", "--grammar", path]) == 1
    out = capsys.readouterr().out
    assert "  3. [FAIL] <start_function_call>call:unknown{...\n     match\n" in out
    assert out.endswith("SOME TESTS FAILED\n")
    assert main(["grammar", "full-test", "--grammar", grammar("root ::= x")]) == 1
    out = capsys.readouterr().out
    assert "error[undefined_rule]" in out
    assert "Step 3" not in out


def test_validate(grammar, capsys):
    assert main(["grammar", "validate"]) == 0
    assert capsys.readouterr().out == "No syntax errors found.\n"
    assert main(["grammar", "validate", "--show-grammar"]) == 0
    assert '  tool_name ::= "simple_tool" | "submit_result"\n' in capsys.readouterr().out
    assert main(["grammar", "validate", "--grammar", grammar('root ::= "a')]) == 1
    assert "error[unterminated_literal]" in capsys.readouterr().out


def test_test(capsys):
    good = "<start_function_call>call:simple_tool{test}<end_function_call>"
    assert main(["grammar", "test", "-i", good]) == 0
    assert capsys.readouterr().out == f"[PASS] {good}\n"
    assert main(["grammar", "test", "-i", good, "-i", good[:-1]]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == [f"[PASS] {good}", f"[FAIL] {good[:-1]}"]
    assert out[2].startswith('  more is expected: ">"')


def test_generate(capsys):
    assert main(["grammar", "generate", "my_tool", 'a "b"', "é\\"]) == 0
    text = capsys.readouterr().out
    assert 'tool_name ::= "my_tool" | "a \\"b\\"" | "é\\\\"\n' in text
    calls = [f"<start_function_call>call:{name}{{}}<end_function_call>" for name in ("my_tool", 'a "b"', "é\\")]
    assert xgr.check(text, accepts=calls).ok
