"""`xg2lab open`: pages of saved traces, pages that are pages already, what is printed, and files that are neither."""

from __future__ import annotations

import gzip
import re
import webbrowser
from dataclasses import replace
from pathlib import Path

import pytest

import xg2lab as xgr
from xg2lab.cli import main
from xg2lab.lab.trace.steps import Candidate

GRAMMAR = 'root ::= "[" word "]"\nword ::= "ab"'
TOKENS = [b"[", b"a", b"b", b"]", b"x", b"</s>"]
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[5])


@pytest.fixture
def session() -> xgr.Session:
    """Two tokens, with a reason why a third may not come."""
    session = xgr.Session(GRAMMAR, INFO, name="brackets")
    session.force("[a")
    return session


@pytest.fixture
def browser(monkeypatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: asked.append(url) or True)
    return asked


def widgets():
    pytest.importorskip("anywidget")
    from xg2lab import widgets

    return widgets


def failed(capsys, *words: str) -> str:
    assert main(["open", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


# ---- Pages ----


@pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
def test_a_trace_becomes_a_page_that_the_browser_opens(session, browser, tmp_path, capsys, name):
    widgets()
    assert main(["open", str(session.trace.save(tmp_path / name))]) == 0
    (address,) = browser
    page = Path(address.removeprefix("file://"))
    assert page.name == "run.html"
    assert capsys.readouterr().out == f"the page is {page}\n"
    text = page.read_text(encoding="utf-8")
    assert "<title>brackets</title>" in text
    assert '"views": ["workbench"]' in text


def test_out_writes_the_page_and_opens_nothing(session, browser, tmp_path, capsys):
    widgets()
    trace, out = session.trace.save(tmp_path / "run.json"), tmp_path / "page.html"
    assert main(["open", str(trace), "--out", str(out), "--views", "tape", "why_card"]) == 0
    assert '"views": ["tape", "why_card"]' in out.read_text(encoding="utf-8")
    assert (browser, capsys.readouterr().out) == ([], "")


def test_masks_are_in_the_page_and_with_a_vocabulary_its_tokens(session, tmp_path, capsys):
    widgets()
    import base64

    trace, out, words = session.trace.save(tmp_path / "run.json"), tmp_path / "page.html", tmp_path / "words.json"

    def bulk() -> bytes:
        found = re.search(r'id="xg2lab-bulk">([^<]*)<', out.read_text(encoding="utf-8"))
        assert found is not None
        return gzip.decompress(base64.b64decode(found[1]))

    assert main(["open", str(trace), "--out", str(out)]) == 0
    assert b'"vocabulary":null' in bulk()
    words.write_text(INFO.serialize_json(), encoding="utf-8")
    assert main(["open", str(trace), "--out", str(out), "--vocabulary", str(words)]) == 0
    assert b'"vocabulary":{"blob":' in bulk()
    words.write_text(xgr.TokenizerInfo(TOKENS[1:], stop_token_ids=[4]).serialize_json(), encoding="utf-8")
    assert failed(capsys, str(trace), "--out", str(out), "--vocabulary", str(words)) == (
        "xg2lab: VocabularyError: the trace is of 6 tokens, tokenizer_info has 5\n"
        "  hint: give the TokenizerInfo of the session that made the trace\n"
    )


def test_an_exported_page_is_opened_as_it_is_and_copied_with_out(session, browser, tmp_path):
    page = widgets().export_html(session, tmp_path / "lesson.html", graphviz=False)
    assert main(["open", str(page)]) == 0
    assert browser == [page.as_uri()]
    copy = tmp_path / "copy.html"
    assert main(["open", str(page), "--out", str(copy)]) == 0
    assert copy.read_bytes() == page.read_bytes()


def test_without_a_browser_it_says_where_the_page_is(session, monkeypatch, tmp_path, capsys):
    widgets()
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert main(["open", str(session.trace.save(tmp_path / "run.json"))]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("the page is ")
    assert second.startswith("no browser was found on this machine")


def test_a_page_that_is_too_large_names_the_limit(session, tmp_path, capsys):
    widgets()
    trace = session.trace.save(tmp_path / "run.json")
    said = failed(capsys, str(trace), "--out", str(tmp_path / "page.html"), "--max-bytes", "1000")
    assert said.startswith("xg2lab: LimitError: the page would have ")
    assert not (tmp_path / "page.html").exists()


# ---- In the terminal ----


def test_print_says_step_byte_reason_and_line_of_the_grammar(session, browser, tmp_path, capsys):
    step = session.trace.steps[1]
    top = (Candidate(4, "x", 0.75, 0.0, 0), Candidate(2, "b", 0.25, 1.0, 1))
    session.trace.steps[1] = replace(step, top=top, explain={4: session.explain(4, 1), 3: session.explain(3, 1)})
    trace = session.trace.save(tmp_path / "run.json")
    assert main(["open", str(trace), "--print"]) == 0
    table, _, reasons = capsys.readouterr().out.partition("\n\n")
    assert table == str(session.trace)
    assert reasons == (
        "step 1, byte 1: 'x' (p 0.75) is blocked\n"
        '  It breaks at byte 1 of 1 (x): expected "a".\n'
        '  1 | root ::= "[" word "]"\n'
    )  # fmt: skip
    assert browser == []


def test_print_reads_an_exported_page_too_and_can_write_beside(session, browser, tmp_path, capsys):
    page = widgets().export_html(session, tmp_path / "lesson.html", graphviz=False)
    assert main(["open", str(page), "--print", "--out", str(tmp_path / "copy.html")]) == 0
    assert capsys.readouterr().out.startswith(str(session.trace))
    assert (tmp_path / "copy.html").is_file()
    assert browser == []


def test_print_says_where_an_unconstrained_output_left_the_grammar(tmp_path, capsys):
    session = xgr.Session(GRAMMAR, INFO, constrained=False, name="free")
    session.force("[x")
    assert session.trace.broke is not None
    assert main(["open", str(session.trace.save(tmp_path / "run.json")), "--print"]) == 0
    assert "step 1, byte 1: 'x' left the grammar\n  " in capsys.readouterr().out


def test_print_says_that_no_reason_was_recorded(session, tmp_path, capsys):
    assert main(["open", str(session.trace.save(tmp_path / "run.json")), "--print"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("no reasons were recorded: ")


# ---- What is refused ----


NEITHER = "give a .json or .json.gz that Trace.save() wrote, or a page that export_html() wrote"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is neither a saved trace nor an exported page"),
        (b"root ::= 'a'", "is neither a saved trace nor an exported page"),
        (b"<html><body>hello</body></html>", "is neither a saved trace nor an exported page"),
        (b"[1, 2]", "is neither a saved trace nor an exported page"),
        (b'{"cells": []}', 'the trace should be an object with a "version" and is an object'),
        (b'{"version": 1,', "is not a saved trace: "),
        (b'<script type="text/plain" id="xg2lab-trace">?</script>', "holds a damaged recording: "),
        (b'<script type="text/plain" id="xg2lab-trace">e30=</script>', "should be an object"),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused_by_name(tmp_path, capsys, content, message):
    path = tmp_path / "some.json"
    path.write_bytes(content)
    said = failed(capsys, str(path))
    assert said.startswith("xg2lab: DeserializeFormatError: ")
    assert str(path) in said
    assert message in said
    assert said.endswith(f"  hint: {NEITHER}\n")


def test_a_file_that_is_not_there(tmp_path, capsys):
    path = tmp_path / "none.json"
    assert failed(capsys, str(path)) == f"xg2lab: ArgumentError: {path}: No such file or directory\n"


def test_a_place_that_cannot_be_written(session, tmp_path, capsys):
    widgets()
    trace = session.trace.save(tmp_path / "run.json")
    out = tmp_path / "none" / "page.html"
    assert failed(capsys, str(trace), "--out", str(out)) == (
        f"xg2lab: ArgumentError: {out}: No such file or directory\n  hint: --out names a file in a folder that exists\n"
    )


def test_options_without_effect_are_refused(session, tmp_path, capsys):
    page = widgets().export_html(session, tmp_path / "lesson.html", graphviz=False)
    said = failed(capsys, str(page), "--views", "tape", "--max-bytes", "9")
    assert f"{page} is a page already: --views, --max-bytes would have no effect" in said
    trace = session.trace.save(tmp_path / "run.json")
    assert "is only printed: --vocabulary would have no effect" in failed(
        capsys, str(trace), "--print", "--vocabulary", "v.json"
    )


def test_a_session_has_its_own_vocabulary(session, tmp_path):
    with pytest.raises(xgr.errors.ArgumentError, match="tokenizer_info is for a trace"):
        widgets().export_html(session, tmp_path / "page.html", tokenizer_info=INFO)


def test_without_the_views_packages_a_page_says_what_to_install(session, monkeypatch, tmp_path, capsys):
    import sys

    monkeypatch.setitem(sys.modules, "xg2lab.widgets.export", None)
    monkeypatch.delitem(sys.modules, "xg2lab.widgets", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    said = failed(capsys, str(session.trace.save(tmp_path / "run.json")), "--out", str(tmp_path / "page.html"))
    assert "which is not installed\n  hint: pip install xg2lab[widgets]; --print needs no package" in said
