"""The outputs that a notebook keeps of its views: what the kernel sends, and when it sends it again."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from types import SimpleNamespace
from typing import Any

import IPython
import pytest

from tests.ui.scripted import scripted_session
from xg2lab import widgets
from xg2lab.widgets import pad_widget, saved
from xg2lab.widgets.session_widget import SessionWidget

WIDGET = "application/vnd.jupyter.widget-view+json"


class Notebook:
    """A kernel's shell whose cells are named, and the page's outputs, by their display ids."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[dict[str, Any]] = []
        self.parent: dict[str, Any] = {}
        self.n_runs = 0
        kernel = SimpleNamespace(get_parent=lambda _channel: self.parent)
        self.shell = SimpleNamespace(kernel=kernel, display_pub=self, user_ns={})
        monkeypatch.setattr(IPython, "get_ipython", lambda: self.shell)
        # what a test asks for is all that is sent: no timer sends beside it
        monkeypatch.setattr(SessionWidget, "_rest_later", lambda *_: None)
        monkeypatch.setattr(pad_widget, "REST_S", 1e6)
        monkeypatch.setattr(saved, "_displays", [])
        monkeypatch.setattr(saved, "_code", [])

    def publish(self, *, data: dict[str, Any], metadata: object, transient: dict[str, str], update: bool) -> None:
        self.sent.append({"data": data, "name": transient.get("display_id"), "update": update})

    def run(self, cell: str | None, *views: widgets.View) -> list[dict[str, Any]]:
        """Runs a cell that displays views; what was sent."""
        self.n_runs += 1
        self.parent = {"metadata": {"cellId": cell}, "header": {"msg_id": f"run {self.n_runs}"}}
        return self.during(lambda: [view._ipython_display_() for view in views])

    def during(self, act: Any) -> list[dict[str, Any]]:
        self.sent = []
        act()
        return self.sent


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    return Notebook(monkeypatch)


def html(output: dict[str, Any]) -> str:
    return str(output["data"].get("text/html", ""))


def parts(output: dict[str, Any]) -> dict[str, bytes]:
    """The parts of a recording in an output, unpacked."""
    found = re.findall(r'class="xg2lab-recorded" [^>]*data-part="(\w+)"[^>]*>([^<]*)</script>', html(output))
    return {name: gzip.decompress(base64.b85decode(text.replace(",", "<"))) for name, text in found}


def has_code(output: dict[str, Any]) -> bool:
    return 'class="xg2lab-code"' in html(output)


def test_a_view_has_a_widget_and_an_output_that_is_kept(notebook: Notebook) -> None:
    session = scripted_session()
    session.step(2)
    widget, kept, code = notebook.run("a", widgets.Tape(session))
    assert WIDGET in widget["data"]
    assert "text/html" not in widget["data"]
    assert "sampled" in html(kept)
    assert has_code(code)
    assert len(json.loads(parts(kept)["trace"])["steps"]) == len(session.trace.steps)
    assert json.loads(parts(kept)["values"])["selection"] == dict(session.selection)
    # text of a token that closes the script or opens a comment would end what the page reads
    assert not re.search(r"<!--|</script", "".join(re.findall(r'data-part="\w+"[^>]*>([^<]*)', html(kept))))


def test_code_and_recording_are_sent_once(notebook: Notebook) -> None:
    session = scripted_session()
    notebook.run("a", widgets.Tape(session))
    sent = notebook.run("b", widgets.MaskLens(session), widgets.Workbench(session))
    assert [has_code(one) for one in sent] == [False] * 4
    assert [bool(parts(one)) for one in sent] == [False] * 4
    another = notebook.run("c", widgets.Tape(scripted_session(name="another")))
    assert [has_code(one) for one in another] == [False] * 2
    assert "trace" in parts(another[1])


def test_a_session_that_rests_sends_its_outputs_again(notebook: Notebook) -> None:
    session = scripted_session()
    _, first, _ = notebook.run("a", widgets.Tape(session))
    _, second = notebook.run("b", widgets.MaskLens(session))
    session.step(3)
    widget = widgets.Tape(session).session
    sent = notebook.during(lambda: widget.on_settle({"replay": True}))
    assert [(one["name"], one["update"]) for one in sent] == [(first["name"], True), (second["name"], True)]
    assert len(json.loads(parts(sent[0])["trace"])["steps"]) == len(session.trace.steps)
    assert "at step 3" in html(sent[1]) or "step 3" in html(sent[1])


def test_a_pad_is_part_of_the_recording_of_its_session(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    session = scripted_session()
    notebook.run("a", widgets.Tape(session))
    bench = widgets.Workbench(session)
    notebook.run("b", bench)
    sent = notebook.during(lambda: bench.pad.on_settle({"replay": True}))
    assert {"trace", "pad"} <= set(parts(sent[0]))
    # what a pad tells leaves the session's masks as they were packed
    monkeypatch.setattr(SessionWidget, "_replay_masks", lambda *_: pytest.fail("masks were packed again"))
    assert parts(notebook.during(lambda: bench.pad.on_settle({"replay": True}))[0])["bulk"] == parts(sent[0])["bulk"]
    alone = widgets.GrammarPad('root ::= "a"')
    _, kept = notebook.run("c", alone)
    assert set(parts(kept)) == {"values", "pad"}


def test_a_cell_that_is_run_again_gives_what_it_held_to_the_next(notebook: Notebook) -> None:
    session, another = scripted_session(), scripted_session(name="another")
    notebook.run("a", widgets.Tape(session))
    _, second = notebook.run("b", widgets.MaskLens(session))
    sent = notebook.run("a", widgets.Tape(another))
    heir = next(one for one in sent if one["name"] == second["name"])
    assert heir["update"]
    assert "trace" in parts(heir)
    assert sum(has_code(one) for one in sent) == 1
    # the cell as it was, run twice: one code, one recording
    for _ in range(2):
        sent = notebook.run("a", widgets.Tape(another))
        assert [sum(map(has_code, sent)), sum("trace" in parts(one) for one in sent)] == [1, 1]


def test_a_host_without_cell_ids_keeps_the_first(notebook: Notebook) -> None:
    session = scripted_session()
    notebook.run(None, widgets.Tape(session))
    sent = notebook.run(None, widgets.Tape(session))
    assert [has_code(one) for one in sent] == [False] * 2
    assert not any(map(parts, sent))


def test_masks_are_left_out_first_and_then_the_recording(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    session = scripted_session()
    session.step(2)
    view = widgets.Tape(session)
    _, whole, _ = notebook.run("a", view)
    sizes = {name: len(part) for name, part in re.findall(r'data-part="(\w+)"[^>]*>([^<]*)', html(whole))}
    monkeypatch.setattr(saved, "MOST_RECORDED_CHARACTERS", sum(sizes.values()) - 1)
    _, kept, _ = notebook.run("a", view)
    assert set(parts(kept)) == set(parts(whole)) - {"bulk"}
    monkeypatch.setattr(saved, "MOST_RECORDED_CHARACTERS", 10)
    _, kept, _ = notebook.run("a", view)
    assert parts(kept) == {}
    assert "export_html" in html(kept)


def test_a_closed_view_is_renewed_no_more(notebook: Notebook) -> None:
    session = scripted_session()
    tape, lens = widgets.Tape(session), widgets.MaskLens(session)
    notebook.run("a", tape)
    _, second = notebook.run("b", lens)
    tape.close()
    sent = notebook.during(lambda: lens.session.on_settle({"replay": True}))
    assert [one["name"] for one in sent] == [second["name"]]
    assert "trace" in parts(sent[0])


@pytest.mark.parametrize("host", ["no kernel", "Colab"])
def test_elsewhere_the_view_is_its_mime_bundle(host: str, notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    if host == "Colab":
        monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    else:
        monkeypatch.delattr(notebook.shell, "kernel")
    with pytest.raises(NotImplementedError):
        widgets.Tape(scripted_session())._ipython_display_()
    assert notebook.sent == []


def test_what_is_typed_is_escaped(notebook: Notebook) -> None:
    session = scripted_session()
    session.select(token=session.tokenizer_info.decoded_vocab.index(b"<"))
    _, kept, _ = notebook.run("a", widgets.WhyCard(session))
    assert "'&lt;'" in html(kept)


def test_how_far_a_trace_has_come_is_told_as_the_page_tells_it() -> None:
    # the same facts, and the same word, stand in widgets/test/saved.test.ts
    steps = [SimpleNamespace(token_id=3), SimpleNamespace(token_id=0), SimpleNamespace(token_id=None)]
    header = {"grammar": {"text": 'root ::= "𝄞"'}, "prompt": "né"}
    trace: Any = SimpleNamespace(header=header, branches=[None], steps=steps, annotations=[])
    assert saved.came_to(trace) == "13 2 1 3 6"
    trace.annotations = [{"text": "é𝄞"}, {"text": "b"}]
    assert saved.came_to(trace) == "13 2 1 3 6 112285"


def test_a_reloaded_page_has_its_recording_in_the_next_display(notebook: Notebook) -> None:
    session = scripted_session()
    tape, lens = widgets.Tape(session), widgets.MaskLens(session)
    notebook.run("a", tape)
    widget = tape.session
    for request in ("page1:0", "page1:7"):
        widget._dispatch({"kind": "hello", "id": request}, [])
    _, second = notebook.run("b", lens)
    assert "trace" not in parts(second)
    widget._dispatch({"kind": "hello", "id": "page2:0"}, [])
    assert notebook.during(lambda: widget.on_settle({"replay": True})) == []  # nobody would hear of it
    _, third = notebook.run("c", lens)
    assert "trace" in parts(third)
