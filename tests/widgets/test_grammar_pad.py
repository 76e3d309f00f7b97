"""GrammarPad and ExampleBench on a made-up page: messages, what a reload reads, views that share one pad."""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.ui.scripted import GRAMMAR, scripted_session
from xg2lab import Grammar
from xg2lab.lab.pad.pad import Pad
from xg2lab.widgets import ExampleBench, GrammarPad, registry
from xg2lab.widgets.bundle import STATIC
from xg2lab.widgets.pad_widget import PadWidget

GOOD, BAD = 'root ::= "yes" | "no"', 'root ::= "yes" | maybe'


class PadPage:
    """A page's side of a pad."""

    def __init__(self, pad: Pad) -> None:
        self.widget = PadWidget(pad)
        self.told: list[tuple[dict[str, Any], list[Any]]] = []
        self.widget.send = lambda content, buffers=None: self.told.append((content, buffers or []))  # type: ignore[method-assign]

    def ask(self, kind: str, **body: Any) -> tuple[dict[str, Any], list[Any]]:
        """Send a request and return its reply."""
        self.widget._dispatch({"kind": kind, "id": "1", **body}, [])
        return [(c, b) for c, b in self.told if c.get("re") == "1"][-1]

    def write(self, text: str) -> dict[str, Any]:
        """Type a text; what the push says that tells of its end."""
        revision = self.ask("write", text=text)[0]["revision"]
        until = time.monotonic() + 60
        while time.monotonic() < until:
            state = self.pushes()[-1][0]["state"]
            if (state["draft_revision"], state["status"]) == (revision, "ready"):
                return state
            time.sleep(0.01)
        raise AssertionError("no push told of the text")

    def pushes(self) -> list[tuple[dict[str, Any], list[Any]]]:
        """What came unasked."""
        return [(c, b) for c, b in self.told if c.get("kind") == "pad"]


@pytest.fixture
def page() -> Iterator[PadPage]:
    """A page looking at a pad with two examples."""
    page = PadPage(Pad(GOOD, examples=["yes", ("maybe", False)]).wait())
    yield page
    page.widget.close()


def unpacked(data: bytes) -> Any:
    """JSON that was compressed."""
    return json.loads(gzip.decompress(bytes(data)))


def test_findings_and_verdicts_come_back(page: PadPage) -> None:
    state = page.write(BAD)
    assert [f["code"] for f in state["findings"]] == ["undefined_rule"]
    assert state["findings"][0]["span"] == [17, 22]
    assert (state["text"], state["revision"], state["draft_revision"]) == (BAD, 2, 2)
    assert state["good_revision"] == 1
    assert [row["verdict"] for row in state["rows"]] == ["match", "rejected"]
    state = page.write('root ::= "maybe"')
    assert state["findings"] == []
    assert [row["agrees"] for row in state["rows"]] == [False, False]
    assert state["rows"][0]["died_at"] == 0


def test_pushes_are_numbered_and_a_grammar_is_sent_once(page: PadPage) -> None:
    page.write(BAD)
    page.write('root ::= "maybe"')
    page.widget.pad.change_examples(lambda bench: bench.add("x"))
    pushes = page.pushes()
    numbers = [content["seq"] for content, _ in pushes]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    sent = [unpacked(buffers[0])["text"] for _, buffers in pushes if buffers]
    assert sent.count('root ::= "maybe"') == 1


def test_a_reload_reads_all_of_it(page: PadPage) -> None:
    page.write('root ::= "[" [0-9]+ "]"')
    whole = unpacked(page.ask("hello")[1][0])
    assert whole["state"]["text"] == whole["good"]["text"]
    assert whole["good"]["rules"][0]["track"]["kind"] == "sequence"
    page.widget._save_replay()
    assert unpacked(page.widget.replay) == unpacked(page.ask("hello")[1][0])


def test_examples_are_changed_by_message(page: PadPage) -> None:
    page.ask("example", change="add", text="no", should_match=True)
    page.ask("example", change="flip", row_id=0)
    page.ask("example", change="edit", row_id=1, text="yes")
    page.ask("example", change="delete", row_id=2)
    rows = page.pushes()[-1][0]["state"]["rows"]
    assert [(r["text"], r["should_match"], r["agrees"]) for r in rows] == [("yes", False, False), ("yes", False, False)]
    refused = page.ask("example", change="burn", row_id=0)[0]["error"]
    assert "add, edit, flip, delete" in refused["hint"]
    assert "no example 7" in page.ask("example", change="flip", row_id=7)[0]["error"]["message"]


def test_a_draft_of_an_example_is_judged(page: PadPage) -> None:
    row = page.ask("judge", text="ye")[0]["row"]
    assert row["verdict"] == "incomplete"
    assert "s" in row["expected"]
    assert len(page.widget.pad.bench.rows) == 2


def test_requests_without_a_session_are_refused_in_words(page: PadPage) -> None:
    assert "no session" in page.ask("from_session")[0]["error"]["message"]
    page.ask("apply")
    page.widget._jobs.wait(10)
    assert "no session" in page.pushes()[-1][0]["state"]["error"]["message"]
    assert page.write(GOOD)["error"] is None
    assert "def test_matches" in page.ask("pytest")[0]["text"]


# ---- Views --------------------------------------------------------------------------------------


def test_a_pad_says_what_it_found() -> None:
    text = repr(GrammarPad(BAD))
    assert "error[undefined_rule]: rule `maybe` is not defined" in text
    assert "pad:1:18" in text
    text = repr(GrammarPad({"type": "array", "uniqueItems": True}))
    assert "refused" in text
    assert "/uniqueItems" in text


def test_a_pad_takes_what_a_grammar_can_be() -> None:
    assert GrammarPad(Grammar.from_regex("a+")).data().kind == "regex"
    assert GrammarPad("a+", kind="regex").grammar is not None
    assert GrammarPad('start: "a"', kind="lark").grammar is not None
    pad = GrammarPad(GOOD)
    pad.text = 'root ::= "x"'
    assert pad.wait().grammar is not None
    assert pad.data().good is not None
    assert pad.data().good.text == 'root ::= "x"'


def test_views_of_one_session_share_one_pad() -> None:
    session = scripted_session()
    pad = GrammarPad(session=session)
    assert GrammarPad(session) is pad
    assert pad.text == GRAMMAR
    bench = ExampleBench(session, examples=["x"])
    assert bench.lab_pad is pad.lab_pad
    assert ExampleBench(pad, examples=["x", "y"]) is bench
    assert [row.example.text for row in bench.data()] == ["x", "y"]
    GrammarPad(GOOD, session=session)
    assert pad.text == GOOD


def test_pads_without_a_session_are_their_own() -> None:
    one, two = GrammarPad(GOOD), GrammarPad(GOOD)
    assert one is not two
    assert ExampleBench(one) is ExampleBench(one)
    assert ExampleBench(one) is not ExampleBench(two)


def test_a_cell_that_is_run_again_writes_into_its_pads(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter([("a", "1"), ("a", "1"), ("b", "2"), ("a", "3"), ("a", "3")])

    def parent(_channel: str) -> dict[str, Any]:
        cell, run = next(runs)
        return {"metadata": {"cellId": cell}, "header": {"msg_id": run}}

    shell = SimpleNamespace(kernel=SimpleNamespace(get_parent=parent))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(registry, "_pads_of_cells", {})
    one, two = GrammarPad(GOOD), GrammarPad(GOOD)
    other = GrammarPad(GOOD)
    again, two_again = GrammarPad(BAD), GrammarPad(GOOD)
    assert (again is one, two_again is two) == (True, True)
    assert other is not one
    assert again.text == BAD


def test_a_session_that_takes_anothers_place_brings_its_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    first = scripted_session(name="followed")
    pad = GrammarPad(session=first)
    monkeypatch.setattr(registry, "_has_a_name", lambda _: False)
    second = scripted_session(name="followed")
    second.change_grammar(GOOD)
    assert GrammarPad(session=second) is pad
    assert pad.text == GOOD
    assert pad.lab_session is second


def test_a_bench_says_what_disagrees() -> None:
    bench = ExampleBench(GOOD, examples=["yes", "ye", ("no", False)])
    assert "2 of 3 disagree" in repr(bench)
    assert "more is expected" in repr(bench)
    assert bench.add("no") == 3
    bench.delete(0)
    assert len(bench.data()) == 3
    assert "def test_does_not_match" in bench.to_pytest()


def test_the_editor_is_within_its_budget_and_never_saved() -> None:
    from ipywidgets.embed import dependency_state

    code = gzip.decompress((STATIC / "editor.js.gz").read_bytes())
    assert 100_000 < len(code) <= 424 * 1024
    state = dependency_state([GrammarPad(GOOD).wait()], drop_defaults=False)
    assert not any(b"cm-editor" in str(one["state"]).encode() for one in state.values())


# ---- What the editor asks --------------------------------------------------------------------------------------------


def test_a_hover_of_an_unsent_text_has_the_facts_of_the_last_good_grammar(page: PadPage) -> None:
    page.write('root ::= "[" item "]"\nitem ::= [0-9]+')
    text = 'root ::= "[" item "\nitem ::= [0-9]+'
    card = page.ask("hover", text=text, text_kind="ebnf", offset=text.index("item"))[0]["card"]
    assert "**first** `[0-9]`" in card
    assert page.widget.pad.state.text != text


def test_a_name_that_is_taken_is_refused_and_a_long_text_too(page: PadPage) -> None:
    text = "root ::= item\nitem ::= [0-9]"
    reply, _ = page.ask("rename", text=text, text_kind="ebnf", offset=15, name="root")
    assert (reply["error"]["message"], reply["error"]["hint"]) == (
        "there is a `root` already",
        "choose another name",
    )
    reply, _ = page.ask("complete", text="#" * (1 << 21), text_kind="ebnf", offset=0)
    assert "at most 1,048,576 bytes" in reply["error"]["message"]
    reply, _ = page.ask("complete", text="", text_kind="nonsense", offset=0)
    assert reply["error"]["message"] == "there is no kind of text 'nonsense'"


def test_members_are_those_of_the_last_good_grammar(page: PadPage) -> None:
    page.write('root ::= "[" item "]" | "-"\nitem ::= [0-9]+')
    samples = page.ask("samples", seed=3, rule="item")[0]
    assert (samples["shortest"], samples["uses"], samples["note"]) == ("-", "[0]", "")
    assert samples["near_edit"]
    assert page.ask("samples", seed=3, rule="item")[0]["members"] == samples["members"]
    page.write("root ::= broken")
    assert page.ask("samples", seed=3, rule="item")[0]["members"] == samples["members"]
    page.write("root ::= Token(5)")
    assert "takes a token by its id" in page.ask("samples", seed=3)[0]["note"]


def test_a_pad_without_a_grammar_has_no_members() -> None:
    page = PadPage(Pad("root ::= broken").wait())
    assert page.ask("samples", seed=1)[0]["note"] == "there is no valid grammar yet"
    page.widget.close()


def test_a_sampler_of_a_schema_shows_the_keyword(page: PadPage) -> None:
    page.ask("write", text="{}", text_kind="json_schema")
    page.write('{"type": "object", "properties": {"a": {"pattern": "^x+$"}}}')
    samples = page.ask("samples", seed=1, pointer="/properties/a/pattern")[0]
    assert (samples["shortest"], samples["uses"]) == ("{}", '{"a":"x"}')
