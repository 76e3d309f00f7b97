"""`xg2lab audit`: engines on the same tokens, from the command line, and calls that are wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from xg2lab import TokenizerInfo
from xg2lab.cli import main
from xg2lab.cli.auditing import _vocabulary

STUBS = "tests.lab.engines.stubs:"


@pytest.fixture
def schema(tmp_path: Path) -> str:
    path = tmp_path / "schema.json"
    path.write_text('{"type": "string", "maxLength": 2}')
    return str(path)


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    path = tmp_path / "ab.regex"
    path.write_text("abab")
    return str(path)


def test_engines_that_agree(schema: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", schema, "--engine", "xg2lab-pda", "--text", '"ab"']) == 0
    said = capsys.readouterr().out
    assert "the 2 engines that read it agree on every mask" in said
    assert said.splitlines()[0].split() == ["step", "token", "xg2lab", "xg2lab-pda"]
    assert "xg2lab-pda 0.1.0: " in said
    assert "mask equals accept" in said


def test_an_engine_that_is_wrong(schema: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["audit", schema, "--engine", STUBS + "Permissive", "--text", '"abc"', "--vocabulary", "bytes"]
    assert main(words) == 1
    said = capsys.readouterr().out
    assert "permissive is wrong: it allows" in said
    assert "before 'c': permissive alone takes it" in said
    assert main([*words, "--format", "json"]) == 1
    wire = json.loads(capsys.readouterr().out)
    assert wire["disagreements"][-1]["verdicts"][0]["wrong"] == "permissive"
    assert [one["name"] for one in wire["audits"]] == ["xg2lab", "permissive"]
    assert main([*words, "--issue", "permissive"]) == 1
    assert "```python" in capsys.readouterr().out


def test_a_lying_mask_is_listed(pattern: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", pattern, "--engine", STUBS + "Lying", "--ids", "[97, 98]", "--vocabulary", "bytes"]) == 1
    assert "step 0, '<0x00>': mask True, accept False" in capsys.readouterr().out


def test_a_refusal_is_no_finding(schema: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", schema, "--engine", STUBS + "Literal", "--text", '"a"', "--vocabulary", "bytes"]) == 0
    assert "refused: ValueError: no json_schema here" in capsys.readouterr().out


def test_the_standard_input_and_few_steps(schema: str, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'"ab"')))
    assert (
        main(["audit", schema, "--engine", "xg2lab-plain", "--text", "-", "--steps", "1", "--vocabulary", "bytes"]) == 0
    )
    assert "4 more steps" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--engine", "nobody", "--text", "a"], "no engine of this name"),
        (["--engine", "xg2lab-pda", "--ids", "one"], "not token ids"),
        (["--engine", "xg2lab-pda", "--ids", "999999"], "there is no token 999999"),
        (["--engine", "xg2lab-pda", "--text", "a", "--strict", "--no-strict"], "exclude each other"),
        (["--engine", "xg2lab-pda", "--text", "a", "--root", "top"], "no rule 'top' to begin with"),
        (["--engine", "xg2lab-pda", "--text", "a", "--any-order"], "other engines have no such option"),
        (["--engine", "xg2lab-pda", "--text", "a", "--vocabulary", "none.json"], "none.json"),
        (["--engine", "xg2lab-pda", "--text", '"a"', "--issue", "xg2lab-pda"], "nothing to report"),
    ],
)
def test_calls_that_are_wrong(schema: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", schema, *words]) == 2
    assert said in capsys.readouterr().err


def test_vocabularies_of_files(tmp_path: Path, schema: str, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = _vocabulary("tiny")
    assert (tiny.vocab_size, sorted(tiny.stop_token_ids)) == (2048, [2034, 2036])
    saved = tmp_path / "saved.json"
    saved.write_text(TokenizerInfo([*'"abc', "</s>"], stop_token_ids=[4]).serialize_json())
    assert _vocabulary(str(saved)).vocab_size == 5
    assert main(["audit", schema, "--engine", "xg2lab-pda", "--text", '"a"', "--vocabulary", str(saved)]) == 0
    capsys.readouterr()
    for text in ("{", "{}", '{"model": {"vocab": {"a": 0}}}', '{"model": {"vocab": {}}, "decoder": "ByteLevel"}'):
        saved.write_text(text)
        assert main(["audit", schema, "--engine", "xg2lab-pda", "--text", '"a"', "--vocabulary", str(saved)]) == 2
        assert "hint" in capsys.readouterr().err


def test_it_is_among_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    assert "--engine" in capsys.readouterr().out
