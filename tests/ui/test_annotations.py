"""Notes in the workbench: left, shown where their subject is, edited, deleted, kept in saved and exported pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, axe_findings
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
START = """
session.reset(); session.step(4); session.select(**dict.fromkeys(session.selection))
for note in list(session.trace.annotations): session.delete_annotation(note["number"])
"""
HOSTILE = "<img src=x onerror=alert(1)>\n</script>"


@pytest.fixture(scope="module")
def opened(lab: Lab) -> PlainPage:
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)"])
    page.run_all()
    return page


@pytest.fixture
def bench(opened: PlainPage) -> OneView:
    opened.page.set_viewport_size({"width": 1440, "height": 900})
    opened.settled()
    opened.python(START)
    opened.settled()
    view = OneView(opened, "workbench")
    expect(view.part(".session")).to_contain_text("step 4 of 4")
    expect(view.part(".notes-button")).to_have_text("add a note")
    view.part("[data-panel=tape]").focus()
    if view.part(".notes-card").count():  # of the test before
        opened.page.keyboard.press("Escape")
    expect(view.part(".notes-card")).to_have_count(0)
    return view


def notes(view: OneView) -> list[dict[str, object]]:
    view.notebook.settled()
    found: list[dict[str, object]] = view.ask("session.trace.annotations")
    return found


def write(view: OneView, text: str) -> None:
    """By keys alone: `⇧N`, the text, ctrl ⏎."""
    keyboard = view.notebook.page.keyboard
    keyboard.press("Shift+N")
    expect(view.part(".note-field textarea")).to_be_focused()
    keyboard.insert_text(text)
    keyboard.press("Control+Enter")
    expect(view.part(".notes-card")).to_have_count(0)
    expect(view.part("[data-panel=tape]")).to_be_focused()


def test_a_note_at_a_step_is_left_by_keys_and_marked(bench: OneView, shots: Path) -> None:
    write(bench, HOSTILE)
    assert [(note["text"], note["step"]) for note in notes(bench)] == [(HOSTILE, 4)]
    expect(bench.part(".notes-button")).to_have_text("notes 1 of 1")
    expect(bench.part(".tape path[data-note='4']")).to_have_count(1)
    expect(bench.part(".text-view [data-note]")).to_have_count(1)
    bench.notebook.page.keyboard.press("Shift+N")
    expect(bench.part(".notes-card .notes p")).to_have_text(HOSTILE)
    assert bench.part(".notes-card img").count() == 0
    assert axe_findings(bench.notebook, "workbench") == []
    bench.notebook.page.screenshot(path=str(shots / "notes-card.png"))
    bench.notebook.page.keyboard.press("Escape")
    bench.notebook.page.keyboard.press("Shift+ArrowLeft")
    expect(bench.part(".notes-button")).to_have_text("notes 0 of 1")


def test_notes_about_a_token_and_a_rule_stand_in_their_views(bench: OneView) -> None:
    token = bench.ask("session.tokenizer_info.decoded_vocab.index(b'celsius')")
    bench.notebook.python(f"session.select(token={token})")
    expect(bench.part("[data-reason]")).to_be_visible()
    write(bench, "The model wanted this.")
    expect(bench.part("[data-panel=why-card] .notes p")).to_have_text("The model wanted this.")
    name = bench.ask("session.trace.program['rules'][1]['name']")
    bench.notebook.python(f"session.annotate('One digit or more.', rule={name!r})")
    rule = bench.ask("session.trace.program['rules'][1]['id']")
    bench.notebook.python(f"session.select(rule={rule})")
    expect(bench.part("[data-panel=fsm-view] .notes p")).to_have_text("One digit or more.")
    assert [(note.get("token"), note.get("rule")) for note in notes(bench)] == [(token, None), (None, name)]
    bench.notebook.python("session.select(**dict.fromkeys(session.selection))")
    bench.part(".notes-button").click()
    bench.part(".notes-card").get_by_role("button", name=f"step 4, token {token}").click()
    bench.notebook.settled()
    assert bench.ask("session.selection['token']") == token


def test_a_note_is_edited_and_deleted(bench: OneView, lab: Lab) -> None:
    bench.notebook.python("session.annotate('Frist.', step=4)")
    expect(bench.part(".notes-button")).to_have_text("notes 1 of 1")
    bench.notebook.page.keyboard.press("Shift+N")
    bench.part(".notes-card").get_by_role("button", name="Edit note").click()
    field = bench.part(".note-field textarea")
    expect(field).to_have_value("Frist.")
    field.fill("First.")
    bench.part(".note-field").get_by_role("button", name="keep").click()
    expect(bench.part(".notes-card .notes p")).to_have_text("First.")
    assert [note["text"] for note in notes(bench)] == ["First."]
    bench.part(".notes-card").get_by_role("button", name="Delete note").click()
    expect(bench.part(".notes-card .notes")).to_have_count(0)
    assert notes(bench) == []
    # another page has deleted the note that is being edited: the refusal is told
    bench.notebook.python("session.annotate('x', step=4)")
    bench.part(".notes-card").get_by_role("button", name="Edit note").click()
    bench.notebook.python("session.trace.annotations.clear()")
    bench.part(".note-field").get_by_role("button", name="keep").click()
    expect(bench.part("[role=alert]").first).to_contain_text("there is no note")
    bench.part("[data-panel=tape]").focus()
    bench.notebook.page.keyboard.press("Escape")  # the card
    bench.notebook.page.keyboard.press("Escape")  # the selection, and the error with it
    expect(bench.part("[role=alert]")).to_have_count(0)
    assert [error for error in lab.errors if "xg2lab" in error or "TypeError" in error] == []


def test_an_exported_page_shows_notes_that_can_not_be_changed(bench: OneView, lab: Lab, tmp_path: Path) -> None:
    token = bench.ask("session.trace.pending.top[0].token_id")
    bench.notebook.python(
        f"session.annotate({HOSTILE!r}, step=4, token={token}); session.annotate('rule', rule='root')"
    )
    path = tmp_path / "lesson.html"
    bench.notebook.python(f"Workbench(session).export_html({str(path)!r}, graphviz=False)")
    page = bench.notebook.page.context.new_page()
    try:
        page.goto(f"file://{path}#step=4&token={token}")
        root = page.locator("[data-xg2lab=workbench]")
        expect(root.locator("[data-panel=why-card] .notes p")).to_have_text(HOSTILE)
        expect(root.locator(".notes-button")).to_have_text("notes 1 of 2")
        root.locator(".notes-button").click()
        expect(root.locator(".notes-card .notes p")).to_have_text([HOSTILE, "rule"])
        expect(root.locator(".notes-card button", has_text="edit")).to_have_count(0)
        expect(root.locator(".note-field")).to_have_count(0)
        assert root.locator(".notes-card img").count() == 0
    finally:
        page.close()


def test_a_saved_notebook_shows_the_notes(bench: OneView, lab: Lab) -> None:
    bench.notebook.python("session.annotate('kept', step=4)")
    expect(bench.part(".notes-button")).to_have_text("notes 1 of 1")
    saved = bench.notebook.saved()
    replayed = lab.replay(saved)
    button = replayed.locator("[data-xg2lab=workbench] .notes-button")
    expect(button).to_have_text("notes 1 of 1")
    button.click()
    expect(replayed.locator(".notes-card .notes p")).to_have_text("kept")
    expect(replayed.locator(".notes-card").get_by_role("button")).to_have_count(1)  # what leads to the step
