"""`xg2lab sweep`: what it prints, and with which exit status."""

import json

import pytest

from xg2lab.cli import main
from xg2lab.integrations.sweep import read_rows

AGE = {"id": "age", "schema": {"type": "integer", "minimum": 0}, "valid": [3], "invalid": [-3]}


@pytest.fixture
def command(vocabulary, capsys):
    def run(*words):
        given = [] if "--page-of" in words else ["--vocabulary", vocabulary]
        status = main(["sweep", *map(str, words), *given])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_a_sweep_its_page_and_one_of_its_rows(command, lines, tmp_path):
    source = lines(AGE, {"id": "wrong", "schema": {"type": "null"}, "valid": [1]})
    out, page = tmp_path / "out.parquet", tmp_path / "page.html"
    status, said, complained = command(source, "--out", out, "--do", "audit", "--workers", "1", "--page", page)
    assert status == 1  # an instance came out wrong
    assert said.startswith("2 schemas: 2 compiled\nxg2lab: 2 compiled; first mask p50 / p90 / p99 ")
    assert "of 3 instances 1 wrongly rejected, 0 wrongly accepted; mask and accept differ 0 times" in said
    assert said.endswith(f"page: {page}\n")
    assert "2/2" in complained  # the progress bar
    assert page.read_text().startswith("<!doctype html>")
    age, wrong = read_rows(out)
    status, said, _ = command(source, "--only", wrong["id"], "--do", "audit")
    assert (status, said.splitlines()[0], said.splitlines()[-1]) == (
        1,
        "wrong, line 2: compiled",
        "  the first of them: 1",
    )
    status, said, _ = command(source, "--only", age["id"], "--do", "audit", "--format", "json")
    assert (status, json.loads(said)["name"]) == (0, "age")
    status, said, _ = command("--page-of", out, "--page", tmp_path / "again.html")
    assert status == 0
    assert (tmp_path / "again.html").read_text() == page.read_text()


def test_figures_as_json(command, lines, tmp_path):
    status, said, complained = command(
        lines(AGE), "--out", tmp_path / "out.jsonl", "--quiet", "--workers", "1", "--format", "json"
    )
    figures = json.loads(said)
    assert (status, complained, figures["n_rows"], figures["verdicts"]) == (0, "", 1, {"compiled": 1})
    assert figures["engines"]["xg2lab"]["first_us"]["p50"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no schemas were given"),
        (["in.jsonl"], "a sweep needs a file for its rows"),
        (["in.jsonl", "--out", "a.csv"], "in.jsonl: No such file"),
        (["in.jsonl", "--only", "a", "--out", "b.jsonl", "--workers", "2"], "--out, --workers would have no effect"),
        (["in.jsonl", "--out", "a.jsonl", "--do", "lint"], "a sweep can't do 'lint'"),
        (["--page-of", "a.jsonl"], "--page-of needs the name of the page"),
        (["in.jsonl", "--page-of", "a.jsonl", "--page", "b.html"], "would have no effect"),
        (["--page-of", "no_such.jsonl", "--page", "b.html"], "no_such.jsonl: No such file"),
    ],
)
def test_calls_that_are_wrong(command, words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, printed, complained = command(*words)
    assert (status, printed) == (2, "")
    assert said in complained


def test_an_id_that_is_not_there(command, lines):
    status, _, complained = command(lines(AGE), "--only", "c0ffee")
    assert status == 2
    assert "has no row 'c0ffee'" in complained


def test_an_interrupt_says_where_the_rows_are(command, lines, tmp_path, monkeypatch):
    from xg2lab.integrations.sweep import sweeping

    def interrupted(*_words, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sweeping, "sweep", interrupted)
    status, _, complained = command(lines(AGE), "--out", tmp_path / "out.jsonl")
    assert status == 130
    assert "out.jsonl.partial: run the command again" in complained
