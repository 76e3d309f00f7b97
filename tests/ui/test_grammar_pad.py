"""GrammarPad and ExampleBench in a real JupyterLab: a text is mended, verdicts turn right without running a cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from .conftest import write_notebook
from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

SETUP = r"""
from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
pad = GrammarPad('root ::= item\nitem ::= [0-9]\n')
bench = ExampleBench(pad, examples=["1,22", ("x", False), ("7", True)])
schema = GrammarPad("", kind="json_schema")
session = scripted_session()
session.step(6)
"""
BROKEN = 'root ::= itme ("," item)*\nitem ::= [0-9]{2,1}\n'
MENDED = 'root ::= item ("," item)*\nitem ::= [0-9]{1,2}\n'
SCHEMA = """{
  "type": "object",
  "properties": {
    "city": {"type": "string", "minLength": 1},
    "tags": {"type": "array", "uniqueItems": true},
    "unit": {"enum": ["C", "F"], "titel": "unit"}
  }
}"""

#: How far an element, or its last line of text, reaches below each box that it stands in.
CLIPPED = """(row) => {
  const inner = [row, ...row.querySelectorAll("*")].map((e) => e.getBoundingClientRect().bottom);
  const bottom = Math.max(...inner);
  const out = [];
  for (let box = row.parentElement; box; box = box.parentElement) {
    const clips = getComputedStyle(box).overflowY !== "visible";
    const edge = box.getBoundingClientRect().bottom;
    if (clips && bottom > edge + 0.5) out.push(`${box.tagName} ${box.className} ${bottom - edge}`);
  }
  return out;
}"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A notebook with a pad and its bench, a pad for schemas, a pad of a session."""
    lab.errors.clear()
    cells = [SETUP, "pad", "bench", "schema", "GrammarPad(session=session)"]
    page = lab.open(write_notebook(lab.folder, "pad.ipynb", cells), fresh=True)
    page.run_all()
    expect(page.locator("[data-xg2lab=grammar_pad] .cm-content")).to_have_count(3)
    return OneView(page, "grammar_pad")


def text_of(view: OneView) -> Locator:
    """The editor's text."""
    return view.part("[data-pad-text]")


def bench(view: OneView) -> Locator:
    """The bench below the pad."""
    return view.notebook.locator("[data-xg2lab=example_bench]").first


def write(view: OneView, text: str) -> None:
    """Replace the text by keyboard, as pasted."""
    text_of(view).click()
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+a")
    keyboard.press("Delete")
    keyboard.insert_text(text)


def verdicts(view: OneView) -> list[str]:
    """What the rows say."""
    return [r.get_attribute("data-verdict") or "" for r in bench(view).locator("[data-row]").all()]


def has_settled(view: OneView) -> None:
    """What is shown is about the text as it is."""
    expect(view.part(".pad")).to_have_attribute("data-fresh", "true")


def agrees_with_all(view: OneView) -> None:
    """The verdicts are of the text as it is, and right."""
    has_settled(view)
    expect(bench(view).locator(".examples.is-stale")).to_have_count(0)
    expect(bench(view).locator("[data-agrees=true]")).to_have_count(3)


def n_runs(view: OneView) -> str:
    """The execution counts of the cells."""
    return view.notebook.page.evaluate(
        "() => jupyterapp.shell.currentWidget.content.widgets.map((w) => w.model.executionCount).join()"
    )


def test_two_errors_are_marked_in_place_with_hints(view: OneView) -> None:
    write(view, BROKEN)
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "2")
    expect(view.part(".found.error")).to_have_text(["itme", "{2,1}"])
    expect(view.part(".cm-diag svg")).to_have_count(3)  # two lines, and the gutter's spacer
    expect(view.part(".findings [data-code=undefined_rule]")).to_contain_text("did you mean item?")
    expect(view.part(".findings [data-code=bad_repetition]")).to_contain_text("write {1,2}")
    expect(view.part(".head .bad")).to_contain_text("2 errors; the last good grammar stays")
    assert view.ask("[f.code for f in pad.data().draft.findings]") == ["undefined_rule", "bad_repetition"]


def test_verdicts_are_stale_while_the_text_is_wrong(view: OneView) -> None:
    write(view, BROKEN)
    expect(bench(view).locator(".notice.warning")).to_contain_text("belong to the last valid text")
    expect(bench(view).locator(".examples.is-stale")).to_be_visible()


def test_mended_by_mouse_the_verdicts_turn_right(view: OneView) -> None:
    write(view, BROKEN)
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "2")
    before = n_runs(view)
    view.part(".findings [data-code=undefined_rule]").get_by_role("button", name="use item").click()
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "1")
    has_settled(view)
    view.part(".findings [data-code=bad_repetition]").get_by_role("button", name="write {1,2}").click()
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "0")
    agrees_with_all(view)
    assert verdicts(view) == ["match", "rejected", "match"]
    assert view.ask("pad.text") == MENDED
    assert view.ask("[row.verdict for row in bench.data()]") == ["match", "reject at byte 0", "match"]
    assert n_runs(view) == before


def test_mended_by_keyboard_alone(view: OneView) -> None:
    write(view, BROKEN)
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "2")
    before = n_runs(view)
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+Home")
    keyboard.press("F8")
    expect(view.part(".said.error")).to_contain_text("itme is not defined")
    for _ in "itme":
        keyboard.press("Delete")
    keyboard.type("item")
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "1")
    has_settled(view)
    keyboard.press("F8")
    expect(view.part(".said.error")).to_contain_text("requires at least 2")
    keyboard.press("ArrowRight")
    keyboard.press("Delete")
    keyboard.type("1")
    keyboard.press("ArrowRight")
    keyboard.press("Delete")
    keyboard.type("2")
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "0")
    agrees_with_all(view)
    assert view.ask("pad.text") == MENDED
    assert n_runs(view) == before
    assert view.notebook.page.evaluate("() => jupyterapp.shell.currentWidget.content.mode") == "command"


def test_letters_that_are_notebook_shortcuts_are_text(view: OneView) -> None:
    n_cells = view.notebook.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length")
    write(view, "")
    view.notebook.page.keyboard.type("abxdd jkm")
    expect(text_of(view)).to_have_text("abxdd jkm")
    assert view.notebook.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length") == n_cells
    write(view, MENDED)


def test_f12_goes_to_the_rule_and_escape_tab_leaves(view: OneView) -> None:
    write(view, MENDED)
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+Home")
    for _ in range(11):
        keyboard.press("ArrowRight")
    keyboard.press("F12")
    expect(view.part("select[aria-label=Rule]")).to_have_value("item")  # the kernel said where it is
    keyboard.press("ArrowRight")  # behind the name, which is selected
    keyboard.type("s")
    expect(view.part(".cm-line").nth(1)).to_contain_text("items ::=")
    keyboard.press("Backspace")
    keyboard.press("Tab")
    expect(text_of(view)).to_be_focused()
    keyboard.press("Control+z")
    keyboard.press("Escape")
    keyboard.press("Tab")
    expect(text_of(view)).not_to_be_focused()


SLOW = """
import time
from xg2lab.lab.pad import pad as pads
read = pads.read_draft
def slowly(text, kind, **how):
    time.sleep(2 if "slow" in text else 0)
    return read(text, kind, **how)
pads.read_draft = slowly
"""


def test_a_long_compilation_is_said_and_can_be_cancelled(view: OneView) -> None:
    write(view, MENDED)
    agrees_with_all(view)
    view.notebook.python(SLOW)
    try:
        write(view, 'root ::= "slow"\n')
        expect(view.part(".head .readout")).to_contain_text("compiling, ")
        view.part("button").get_by_text("Cancel").click()
        expect(view.part(".head .readout")).to_have_text("not compiled; the last good grammar stays")
        expect(bench(view).locator(".examples.is-stale")).to_be_visible()
        view.part("button").get_by_text("Compile").click()
        expect(view.part(".head .readout")).to_contain_text("compiling, ")
        view.part("[data-pad-text]").click()
        write(view, MENDED)
        agrees_with_all(view)
    finally:
        view.notebook.python("pads.read_draft = read")


def test_the_pointer_on_a_name_shows_its_uses(view: OneView) -> None:
    write(view, MENDED)
    has_settled(view)
    view.part(".ink-reference").first.hover()
    expect(view.part(".rule-card")).to_contain_text("item 2 uses")
    expect(view.part(".rule-card")).to_contain_text("[0-9]{1,2}")
    expect(view.part(".use")).to_have_count(3)
    view.part("h2").hover()
    expect(view.part(".rule-card")).to_have_count(0)


def test_python_writes_and_the_page_follows(view: OneView) -> None:
    view.notebook.python("pad.text = 'root ::= \"from python\"'")
    expect(text_of(view)).to_have_text('root ::= "from python"')
    expect(bench(view).locator("[data-agrees=false]")).to_have_count(2)
    view.notebook.python(f"pad.text = {MENDED!r}")
    agrees_with_all(view)


def test_lowered_and_railroad_are_those_of_the_grammar(view: OneView) -> None:
    write(view, MENDED)
    has_settled(view)
    expect(view.part(".lowered")).to_contain_text(view.ask("pad.data().good.lowered").strip().split("\n")[0][:20])
    view.part("[role=tab]").get_by_text("Railroad").click()
    view.part(".railway select").select_option("root")
    expect(view.part(".railway svg")).to_have_attribute("aria-label", "root: item, then (,, then item) 0 or more")
    view.part(".railway select").select_option("item")
    expect(view.part(".railway svg")).to_have_attribute("aria-label", "item: ([0-9]) 1 to 2 times")
    expect(view.part(".rail-box")).to_have_count(1)


def test_examples_are_written_edited_flipped_and_deleted_by_keyboard(view: OneView) -> None:
    write(view, MENDED)
    agrees_with_all(view)
    keyboard = view.notebook.page.keyboard
    bench(view).locator(".example").first.focus()
    keyboard.press("n")
    expect(bench(view).locator("textarea")).to_be_focused()
    keyboard.type("12,")
    expect(bench(view).locator(".judged")).to_contain_text("incomplete so far")
    keyboard.type("34")
    expect(bench(view).locator(".judged")).to_contain_text("match")
    keyboard.press("Enter")
    expect(bench(view).locator("[data-row]")).to_have_count(4)
    assert view.ask("bench.data()[-1].example.text") == "12,34"
    bench(view).locator(".example").first.focus()
    keyboard.press("End")
    keyboard.press("w")
    expect(bench(view).locator("[data-row]").last).to_have_attribute("data-agrees", "false")
    keyboard.press("e")
    expect(bench(view).locator("textarea")).to_be_focused()
    keyboard.press("End")
    keyboard.type("5")
    keyboard.press("Enter")
    expect(bench(view).locator("[data-row]").last).to_have_attribute("data-verdict", "rejected")
    expect(bench(view).locator("[data-row]").last).to_contain_text("reject at byte 5")
    bench(view).locator(".example").first.focus()
    keyboard.press("End")
    keyboard.press("Delete")
    expect(bench(view).locator("[data-row]")).to_have_count(3)


# ---- JSON Schema ----------------------------------------------------------------------------------------------------


def schema_pad(view: OneView) -> Locator:
    """The pad for schemas."""
    return view.notebook.locator("[data-xg2lab=grammar_pad]").nth(1)


def test_a_pasted_schema_says_what_became_of_each_keyword(view: OneView) -> None:
    pad = schema_pad(view)
    view.notebook.settled()  # what was typed before has been told
    view.notebook.python("schema.text = ''")
    expect(pad.locator(".beginnings")).to_contain_text("Type a grammar")
    pad.locator("[data-pad-text]").click()
    view.notebook.page.keyboard.insert_text(SCHEMA)
    expect(pad.locator("[data-pointer]")).not_to_have_count(0)  # what was typed has come to the kernel
    expect(pad.locator("[data-pointer]")).to_have_count(view.ask("len(schema.wait().data().draft.keywords)"))
    for pointer, state in [
        ("/properties/city/minLength", "enforced"),
        ("/properties/tags/uniqueItems", "refused"),
        ("/properties/unit/titel", "annotation"),
    ]:
        expect(pad.locator(f"[data-pointer='{pointer}']")).to_have_attribute("data-state", state)
    expect(pad.locator(".found.error")).to_have_text('"uniqueItems": true')
    pad.get_by_role("button", name="relax").click()
    expect(pad.locator("[data-state=relaxed]")).to_have_count(1)
    expect(pad.locator(".found.error")).to_have_count(0)
    assert view.ask("schema.grammar is not None")


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_keyword_leads_to_its_line(view: OneView, by: str) -> None:
    pad = schema_pad(view)
    view.notebook.python(f"schema.text = {SCHEMA!r}")
    keyword = pad.locator("[data-pointer='/properties/tags/uniqueItems'] button")
    if by == "mouse":
        keyword.click()
    else:
        keyword.focus()
        view.notebook.page.keyboard.press("Enter")
    expect(pad.locator("[data-pad-text]")).to_be_focused()
    view.notebook.page.keyboard.press("Home")
    view.notebook.page.keyboard.type(" ")
    line = SCHEMA.split("\n").index('    "tags": {"type": "array", "uniqueItems": true},')
    expect(pad.locator(".cm-line").nth(line)).to_contain_text('"uniqueItems"')
    expect(pad.locator(".pad")).to_have_attribute("data-fresh", "true")
    assert view.ask("schema.wait().text").split("\n")[line].startswith("     ")
    view.notebook.page.keyboard.press("Control+z")


LONG_SCHEMA = (
    '{"type": "object", "properties": {\n'
    + ",\n".join(f'"a_property_with_a_long_name_{k:02}": {{"type": "string", "minLength": {k}}}' for k in range(40))
    + "\n}}"
)


@pytest.mark.parametrize("width", [1600, 900, 560])
def test_the_last_keyword_of_a_long_list_is_whole(view: OneView, width: int) -> None:
    pad = schema_pad(view)
    view.notebook.page.set_viewport_size({"width": width, "height": 900})
    try:
        view.notebook.settled()  # what the reader typed before has been heard
        view.notebook.python(f"schema.text = {LONG_SCHEMA!r}")
        expect(pad.locator("[data-pointer]")).to_have_count(view.ask("len(schema.wait().data().draft.keywords)"))
        view.notebook.settled()  # what stands above the list has its height
        last = pad.locator("[data-pointer]").last
        last.scroll_into_view_if_needed()
        assert last.evaluate(CLIPPED) == []
    finally:
        view.notebook.page.set_viewport_size({"width": 1600, "height": 1400})


# ---- A session ------------------------------------------------------------------------------------------------------


def test_apply_gives_the_session_the_new_grammar(view: OneView) -> None:
    pad = view.notebook.locator("[data-xg2lab=grammar_pad]").nth(2)
    expect(pad.get_by_role("button", name="applied")).to_be_disabled()
    expect(pad.locator(".bar[class*=heat]").first).to_be_attached()
    pad.locator("[data-pad-text]").click()
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+a")
    keyboard.press("Delete")
    keyboard.insert_text('root ::= "{" [a-z]* "}"\n')
    expect(pad.get_by_role("button", name="apply", exact=True)).to_be_enabled()
    keyboard.press("Control+Enter")
    expect(pad.get_by_role("button", name="applied")).to_be_disabled()
    assert view.ask("[len(session.past_traces), session.past_traces[0].n_decided, session.trace.n_decided]") == [
        1,
        6,
        0,
    ]
    assert view.ask("session.trace.header['grammar']['text']") == 'root ::= "{" [a-z]* "}"\n'


@looks(1920, 1280, 560)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    view.notebook.python(f"pad.text = {BROKEN!r}" if dark else f"pad.text = {MENDED!r}")
    looks_well(view, shots, width, dark)


def looks_well(view: OneView, shots: Path, width: int, dark: bool) -> None:
    """The pad and the bench, each by itself."""
    view.looks_well(shots, width, dark=dark, body=".pad")
    OneView(view.notebook, "example_bench").looks_well(shots, width, dark=dark, body=".bench")


def test_a_reloaded_page_has_text_findings_and_verdicts(view: OneView) -> None:
    write(view, BROKEN)
    expect(view.part("[data-findings]")).to_have_attribute("data-findings", "2")
    view.notebook.save()
    view.notebook.page.reload()
    expect(view.part(".found.error")).to_have_text(["itme", "{2,1}"])
    expect(text_of(view)).to_contain_text("root ::= itme")
    expect(bench(view).locator("[data-row]")).to_have_count(3)
    write(view, MENDED)
    agrees_with_all(view)


def test_a_saved_notebook_shows_texts_without_its_kernel(lab: Lab, view: OneView) -> None:
    for cell in (1, 2):
        view.notebook.run_cell(cell)  # the page may have been reloaded
    write(view, MENDED)
    agrees_with_all(view)
    view.notebook.save()
    errors = list(lab.errors)
    saved = (lab.folder / "pad.ipynb").read_bytes()
    (lab.folder / "pad_replay.ipynb").write_bytes(saved)  # signed when saved, so its copy is trusted
    other = lab.open("pad_replay.ipynb", fresh=True)  # no editor has been fetched there
    source = other.locator("[data-xg2lab=grammar_pad]").first
    expect(source.locator("pre")).to_have_text(MENDED, use_inner_text=True)
    examples = other.locator("[data-xg2lab=example_bench]").first
    expect(examples.locator("pre")).to_contain_text("✓ should not    rejected    x")
    expect(source).to_contain_text("The editor is not available")
    lab.errors[:] = errors


def test_nothing_was_complained_of_or_fetched_from_elsewhere(lab: Lab, view: OneView) -> None:
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
    assert lab.external == []
    assert view.notebook.page.evaluate("() => globalThis[Symbol.for('xg2lab/page/1')].chunks.size") == 1
