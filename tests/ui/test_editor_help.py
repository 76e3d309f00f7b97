"""The pad's editor asks the kernel: completion, renaming, definitions, folding, cards; the members beside it."""

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
pad = GrammarPad('root ::= "[" item "]"\nitem ::= [0-9]+\n')
schema = GrammarPad('{"type": "object", "properties": {"a": {"pattern": "^x+$"}}}', kind="json_schema")
sampler = Sampler(schema)
bench = ExampleBench(schema)
session = scripted_session()
session.step(2)
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A notebook with a pad, a pad of a schema with its sampler, and a session's pad."""
    lab.errors.clear()
    cells = [SETUP, "pad", "schema", "sampler", "bench", "GrammarPad(session=session)"]
    page = lab.open(write_notebook(lab.folder, "editor_help.ipynb", cells), fresh=True)
    page.run_all()
    expect(page.locator("[data-xg2lab=grammar_pad] .cm-content")).to_have_count(3)
    expect(page.locator("[data-xg2lab=sampler] [data-sample]").first).to_be_attached()
    return OneView(page, "grammar_pad")


def write(view: OneView, text: str) -> None:
    """Replace the text by keyboard, as pasted; what was open is closed."""
    view.part("[data-pad-text]").click()
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+a")
    keyboard.press("Delete")
    keyboard.insert_text(text)
    keyboard.press("Control+Home")
    expect(view.part(".pad")).to_have_attribute("data-fresh", "true")


def source(view: OneView) -> str:
    """The text as Python has it once the page has sent it."""
    expect(view.part(".pad")).to_have_attribute("data-fresh", "true")
    return str(view.ask("pad.text"))


def test_a_word_is_completed(view: OneView) -> None:
    write(view, "root ::= \nvalue ::= [0-9]\n")
    keyboard = view.notebook.page.keyboard
    keyboard.press("End")
    keyboard.type("va")
    option = view.part(".cm-tooltip-autocomplete li").filter(has_text="value").first
    expect(option).to_contain_text("rule, 0 uses")
    view.notebook.page.wait_for_timeout(300)  # a list takes no key in its first 75 ms
    keyboard.press("Enter")
    expect(view.part(".cm-line").first).to_have_text("root ::= value")
    assert source(view) == "root ::= value\nvalue ::= [0-9]\n"


def test_a_snippet_is_filled_stop_by_stop(view: OneView) -> None:
    write(view, "root ::= more\n")
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+End")
    keyboard.type("rule")
    view.part(".cm-tooltip-autocomplete").get_by_text("rule", exact=True).click()
    expect(view.part(".cm-line").nth(1)).to_have_text('name ::= "text"')
    keyboard.type("more")
    expect(view.part(".cm-line").nth(1)).to_have_text('more ::= "text"')


def test_a_rule_gets_another_name_everywhere(view: OneView) -> None:
    write(view, 'root ::= item "," item\nitem ::= [0-9]\n')
    keyboard = view.notebook.page.keyboard
    for _ in range(11):
        keyboard.press("ArrowRight")
    keyboard.press("F2")
    field = view.part(".pad-rename input")
    expect(field).to_have_value("item")
    field.fill("root")
    field.press("Enter")
    expect(view.part(".notice")).to_contain_text("there is a `root` already")
    view.part(".cm-content").focus()
    keyboard.press("F2")
    expect(field).to_have_value("item")
    field.fill("number")
    field.press("Enter")
    expect(view.part(".cm-line").first).to_have_text('root ::= number "," number')
    assert source(view) == 'root ::= number "," number\nnumber ::= [0-9]\n'
    keyboard.press("Control+z")
    expect(view.part(".cm-line").first).to_have_text('root ::= item "," item')


def test_a_click_with_control_goes_to_the_definition(view: OneView) -> None:
    write(view, 'root ::= item\nitem ::= "a" # item\n')
    view.part(".ink-reference").first.click(modifiers=["Control"])
    expect(view.part("select[aria-label=Rule]")).to_have_value("item")
    view.notebook.page.keyboard.type("xx")
    expect(view.part(".cm-line").nth(1)).to_have_text('xx ::= "a" # item')


def test_a_card_has_the_lowered_form_and_the_bytes(view: OneView) -> None:
    write(view, 'root ::= "[" item "]"\nitem ::= [0-9]+\n')
    view.part(".ink-reference").first.hover()
    card = view.part(".rule-card")
    expect(card).to_contain_text("first [0-9]")
    expect(card).to_contain_text("follow [\\]]")
    expect(card).to_contain_text("it went into the rules that use it")
    view.part("h2").hover()
    expect(card).to_have_count(0)


def test_a_rule_of_several_lines_is_folded(view: OneView) -> None:
    write(view, 'root ::= "a"\n  | "b"\n  | item\nitem ::= "c"\n')
    fold = view.part(".cm-foldGutter [title='Fold line']").first
    fold.click()
    expect(view.part(".cm-foldPlaceholder")).to_be_visible()
    expect(view.part(".cm-line")).to_have_count(3)
    view.part(".cm-foldPlaceholder").click()
    expect(view.part(".cm-line")).to_have_count(5)


def test_a_word_is_found_and_replaced(view: OneView) -> None:
    write(view, 'root ::= "a" "a"\n')
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+f")
    view.part(".cm-search input[name=search]").fill('"a"')
    view.part(".cm-search input[name=replace]").fill('"b"')
    view.part(".cm-search [name=replaceAll]").click()
    expect(view.part(".cm-line").first).to_have_text('root ::= "b" "b"')
    view.part(".cm-search input[name=search]").press("Escape")
    expect(view.part(".cm-search")).to_have_count(0)


def test_the_layout_is_one_key(view: OneView) -> None:
    write(view, 'root::="a"|item\nitem ::= [0-9] +\n')
    view.notebook.page.keyboard.press("Shift+Alt+f")
    expect(view.part(".cm-line").first).to_have_text('root ::= "a" | item')
    assert source(view) == 'root ::= "a" | item\nitem ::= [0-9]+\n'


# ---- Members --------------------------------------------------------------------------------------------------------


def sampler(view: OneView) -> Locator:
    """The sampler of the schema."""
    return view.notebook.locator("[data-xg2lab=sampler]").first


def texts(of: Locator) -> list[str]:
    """The members that are shown."""
    return [row.get_attribute("data-sample") or "" for row in of.locator("[data-sample]").all()]


def test_members_show_the_keyword_at_the_caret_and_a_near_miss(view: OneView) -> None:
    pane = sampler(view)
    editor = view.notebook.locator("[data-xg2lab=grammar_pad]").nth(1)
    editor.locator(".ink-key").filter(has_text="pattern").click()
    expect(pane).to_contain_text("uses pattern")
    expect(pane.locator('[data-sample="{\\"a\\":\\"x\\"}"]')).to_be_attached()
    expect(pane.locator("mark.died")).to_be_visible()
    expect(pane).to_contain_text("fails at byte")
    before = texts(pane)
    pane.get_by_role("button", name="new seed").click()
    expect(pane).to_contain_text("seed 2")
    expect(pane.locator("[data-sample]").last).not_to_have_attribute("data-sample", before[-1])
    assert texts(pane)[0] == before[0] == "{}"


def test_a_member_becomes_an_example(view: OneView) -> None:
    pane = sampler(view)
    pane.locator("[data-sample='{}']").get_by_role("button", name="example").first.click()
    expect(view.notebook.locator("[data-xg2lab=example_bench] [data-row]")).to_have_count(1)
    assert view.ask("[[row.example.text, row.example.should_match] for row in bench.data()]") == [["{}", True]]


def test_members_are_a_tab_of_the_pad_and_stay_while_the_text_is_wrong(view: OneView) -> None:
    write(view, 'root ::= "[" item "]"\nitem ::= [0-9]+\n')
    view.part("[role=tab]").filter(has_text="Members").click()
    expect(view.part("[data-sample='[0]']").first).to_be_visible()
    view.part("[data-pad-text]").click()
    view.notebook.page.keyboard.press("Control+Home")
    view.notebook.page.keyboard.type("?")
    expect(view.part(".notice")).to_contain_text("These are members of the last valid text.")
    expect(view.part("[data-sample='[0]']").first).to_be_visible()


@looks(1280, 560)
def test_members_fit_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    OneView(view.notebook, "sampler").looks_well(shots, width, dark=dark, body=".samples")


@looks(1280, 560)
def test_open_lists_and_panels_fit_and_axe_finds_nothing_serious(
    view: OneView, shots: Path, width: int, dark: bool
) -> None:
    write(view, "root ::= \nvalue ::= [0-9]\n")
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+f")
    expect(view.part(".cm-search")).to_be_visible()
    view.part("[data-pad-text]").click()
    keyboard.press("Control+Home")
    keyboard.press("End")
    keyboard.press("Control+Space")
    expect(view.part(".cm-tooltip-autocomplete")).to_be_visible()
    view.looks_well(shots, width, dark=dark, body=".pad")
    keyboard.press("Escape")
    view.part(".cm-search input[name=search]").press("Escape")


# ---- Undo -----------------------------------------------------------------------------------------------------------


def test_what_was_typed_can_be_undone_after_apply(view: OneView) -> None:
    pad = view.notebook.locator("[data-xg2lab=grammar_pad]").nth(2)
    pad.locator("[data-pad-text]").click()
    before = pad.locator(".cm-content").inner_text().replace("\n", "")
    keyboard = view.notebook.page.keyboard
    keyboard.press("Control+a")
    keyboard.press("Delete")
    keyboard.insert_text('root ::= "{" [a-z]* "}"\n')
    expect(pad.get_by_role("button", name="apply", exact=True)).to_be_enabled()
    keyboard.press("Control+Enter")
    expect(pad.get_by_role("button", name="applied")).to_be_disabled()
    pad.locator("[data-pad-text]").click()
    keyboard.press("Control+z")
    keyboard.press("Control+z")
    expect(pad.locator(".cm-content")).to_have_text(before)
