"""`xg2lab open` of a flight: what is printed, the page of --out, and what is refused."""

from __future__ import annotations

import gzip
import webbrowser
from dataclasses import replace

import pytest

import xg2lab as xgr
from xg2lab.cli import main
from xg2lab.flight import FlightGrammar, FlightRecord, FlightRecorder, fingerprint

INFO = xgr.TokenizerInfo(["[", "]", "7", "0", "x", "}", "</s>"], stop_token_ids=[6])
GRAMMAR = FlightGrammar("ebnf", 'root ::= "[" number "]"\nnumber ::= [0-9]+')


@pytest.fixture
def flight(tmp_path, monkeypatch) -> str:
    """The file of a flight that ended with a refused token. No browser may be opened."""
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("a browser was opened"))
    with FlightRecorder(tmp_path, "refusal") as recorder:
        made = recorder.begin("request-7", GRAMMAR, INFO, host="vllm")
        for ns, token_id in ((1_234_000, 0), (2_000, 2)):
            made.masked(ns)
            made.accepted([token_id])
        made.refused(5)
        made.end("refused")
    return str(recorder.files()[0])


def failed(capsys, *words: str) -> str:
    assert main(["open", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.parametrize("words", [[], ["--print"]])
def test_it_prints_step_byte_reason_line_and_the_slowest_masks(flight, capsys, words):
    assert main(["open", flight, *words]) == 0
    facts, refused, slowest = capsys.readouterr().out.split("\n\n")
    assert facts.splitlines()[1:] == [
        "The request ended because the grammar refused a token.",
        "Free text of the output was replaced before it was written; states and masks are those of the output.",
        "2 masks took 618.0 µs each on the server, the slowest 1234.0 µs.",
    ]
    assert facts.startswith("Request 'request-7' of vllm, begun 20")
    assert refused == (
        "blocked at step 2, byte 2: token 5 '}' (rejected_by_cache)\n"
        "  It breaks at byte 1 of 1 (}): expected [0-9\\]].\n"
        '  line 1:21: root ::= "[" number "]"\n'
        "  2 of 3 tokens were accepted: '[0'"
    )
    assert slowest == "the slowest masks:\n  step 0: 1.234 ms\n  step 1: 0.002 ms\n"


def test_the_contents_tell_that_it_is_a_flight(flight, tmp_path, capsys):
    other = tmp_path / "some.json"
    other.write_text(FlightRecord.load(flight).to_json(), encoding="utf-8")
    assert main(["open", str(other)]) == 0
    assert "blocked at step 2" in capsys.readouterr().out


def test_out_writes_the_page_that_replays_it(flight, tmp_path, capsys):
    pytest.importorskip("anywidget")
    out = tmp_path / "page.html"
    assert main(["open", flight, "--out", str(out), "--views", "tape", "why_card"]) == 0
    text = out.read_text(encoding="utf-8")
    assert "<title>flight request-7</title>" in text
    assert '"views": ["tape", "why_card"]' in text
    assert "blocked at step 2" in capsys.readouterr().out


def test_a_place_that_cannot_be_written(flight, tmp_path, capsys):
    pytest.importorskip("anywidget")
    assert main(["open", flight, "--out", str(tmp_path / "none" / "page.html")]) == 2
    assert "No such file or directory\n  hint: --out names a file" in capsys.readouterr().err


def test_a_tokenizer_that_is_elsewhere_is_given(flight, tmp_path, capsys):
    (tmp_path / f"tokenizer-{fingerprint(INFO)}.json.gz").unlink()
    said = failed(capsys, flight)
    assert said.startswith(f"xg2lab: VocabularyError: the flight's tokenizer has the fingerprint {fingerprint(INFO)}")
    assert "hint: --vocabulary FILE" in said
    words = tmp_path / "words.json"
    words.write_text(INFO.serialize_json(), encoding="utf-8")
    assert main(["open", flight, "--vocabulary", str(words)]) == 0
    assert "blocked at step 2" in capsys.readouterr().out
    words.write_text(xgr.TokenizerInfo(["a", "</s>"]).serialize_json(), encoding="utf-8")
    assert fingerprint(INFO) in failed(capsys, flight, "--vocabulary", str(words))


def test_options_without_effect_are_refused(flight, capsys):
    said = failed(capsys, flight, "--views", "tape", "--max-bytes", "9")
    assert f"{flight} is only printed: --views, --max-bytes would have no effect" in said


def test_an_output_that_fits_says_how_far_it_is(flight, tmp_path, capsys):
    record = FlightRecord.load(flight)
    path = tmp_path / "well.xgflight"
    path.write_bytes(replace(record, refused=None, end="length").packed())
    assert main(["open", str(path)]) == 0
    assert "unfinished: All 2 tokens are accepted, and the output must go on" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "DeserializeVersionError: the flight is of version 2, this xg2lab reads 1"),
        ({"n_output": "many"}, "DeserializeFormatError: /n_output is a text, not a whole number"),
    ],
)
def test_a_damaged_flight_is_refused_by_name(flight, tmp_path, capsys, change, message):
    import json

    path = tmp_path / "damaged.xgflight"
    path.write_bytes(gzip.compress(json.dumps({**FlightRecord.load(flight).to_wire(), **change}).encode()))
    assert f"xg2lab: {message}" in failed(capsys, str(path))


def test_a_flight_that_is_cut_off_is_refused(flight, tmp_path, capsys):
    from pathlib import Path

    path = tmp_path / "cut.xgflight"
    path.write_bytes(Path(flight).read_bytes()[:100])
    assert "DeserializeFormatError" in failed(capsys, str(path))
