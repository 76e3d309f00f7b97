"""Every view by key and by click on a scripted model: steps, branches, explanations, selection, run, force, themes.

Each test begins at the same place: three steps of the scripted model, nothing selected, a page in light of one size.
A real JupyterLab, a real Chromium, the real engine and session; the model is the scripted one of this folder, so that
every figure is known. Both sides are asserted: the page's DOM and the session in the kernel.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .conftest import write_notebook
from .jupyter import Lab, NotebookPage
from .one_view import looks

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"
VIEWS = ["Tape", "MaskLens", "WhyCard", "ChartView", "FsmView", "Workbench"]
BLOCKED = "celsius"  # what the scripted model wants at step 3, where only white space or a quote may come


START = f"""
session.reset()
session.step(3)
session.select(**dict.fromkeys(session.selection))
t = session.tokenizer_info.decoded_vocab.index({BLOCKED.encode()!r})
"""


@pytest.fixture(scope="module")
def opened(lab: Lab) -> NotebookPage:
    """The notebook, run."""
    name = write_notebook(lab.folder, "workbench.ipynb", [SETUP, *(f"{view}(session)" for view in VIEWS)])
    lab.errors.clear()
    page = lab.open(name, fresh=True)
    page.run_all()
    for panel in ("tape", "mask-lens", "why-card", "chart-view", "fsm-view", "dist-view"):
        expect(page.locator(f"[data-panel={panel}]").first).to_be_visible()
    return page


@pytest.fixture
def notebook(opened: NotebookPage) -> NotebookPage:
    """The same, at its beginning."""
    opened.page.set_viewport_size({"width": 1600, "height": 1400})
    opened.theme(False)
    opened.settled()  # Python has heard of the selection that the test before made last
    opened.python(START)
    opened.settled()
    wait_for_steps(opened, 3)
    return opened


def step_text(notebook: NotebookPage) -> str:
    """The selected step as the first view's selection rail says it."""
    return notebook.locator("[data-xg2lab=workbench] .rail").inner_text()


def session_facts(notebook: NotebookPage) -> dict[str, object]:
    """What the kernel's side says."""
    code = (
        "import json; print(json.dumps({'n': session.trace.n_decided, 'text': session.text,"
        " 'status': session.status, 'selection': session.selection}))"
    )
    return json.loads(notebook.python(code))


def wait_for_steps(notebook: NotebookPage, n: int) -> None:
    """Until the page shows n decided steps, the pending one after them."""
    expect(notebook.locator("[data-xg2lab=workbench] .session")).to_contain_text(f"step {n} of {n}")


def test_five_steps_by_key_and_click(notebook: NotebookPage) -> None:
    notebook.python("session.reset()")
    wait_for_steps(notebook, 0)
    tape = notebook.locator("[data-xg2lab=tape]")
    tape.locator("[data-panel=tape]").focus()
    for n in (1, 2, 3):
        notebook.page.keyboard.press("ArrowRight")
        wait_for_steps(notebook, n)
    for n in (4, 5):
        tape.get_by_role("button", name="step").click()
        wait_for_steps(notebook, n)
    facts = session_facts(notebook)
    assert facts["n"] == 5
    assert facts["text"] == '{"city": "Zür'


def test_back_by_key_leaves_a_branch(notebook: NotebookPage) -> None:
    notebook.python("before = len(session.trace.branches); session.step(2)")
    wait_for_steps(notebook, 5)
    notebook.locator("[data-xg2lab=tape] [data-panel=tape]").focus()
    for n in (4, 3):
        notebook.page.keyboard.press("ArrowLeft")
        wait_for_steps(notebook, n)
    assert session_facts(notebook)["n"] == 3
    assert notebook.python("print(len(session.trace.branches) - before)") == "2"
    expect(notebook.locator("[data-xg2lab=tape] .tape-columns")).to_contain_text("rolled back")


def test_click_on_a_blocked_token_says_why(notebook: NotebookPage) -> None:
    token = int(notebook.python(f"print(session.tokenizer_info.decoded_vocab.index({BLOCKED.encode()!r}))"))
    lens = notebook.locator("[data-xg2lab=mask_lens] canvas[data-mask]")
    rank = int(
        notebook.python(
            "from xg2lab.widgets.replay import vocabulary_of\n"
            f"print(list(vocabulary_of(session.tokenizer_info).order).index({token}))"
        )
    )
    cell, columns = (int(lens.get_attribute(f"data-{name}") or 0) for name in ("cell", "columns"))
    lens.click(position={"x": (rank % columns + 0.5) * cell, "y": (rank // columns + 0.5) * cell})
    card = notebook.locator("[data-xg2lab=why_card]")
    expect(card.locator(".subject")).to_have_attribute("data-token", str(token))
    expect(card.locator(".subject")).to_have_attribute("data-allowed", "false")
    why = json.loads(notebook.python(f"import json; print(json.dumps(session.explain({token}, 3)))"))
    assert not why["allowed"]
    assert why["died_at"] == 0
    expect(card.locator("[data-reason]")).to_contain_text(why["reason"])
    expect(card.locator("[data-mechanism]")).to_have_attribute("data-mechanism", why["mechanism"])
    expect(card.locator(".walk-step.dead .walk-byte")).to_contain_text("c")
    expect(card.locator(".facts-list .key")).to_have_text(why["expected_text"])
    line = why["expected_by"][0]["line"]
    expect(card.locator(f"[data-source='{line}']").first).to_be_visible()
    expect(card.locator(".code .is-marked .n").first).to_have_text(str(line))
    # the same selection everywhere, and in Python
    for chosen in ("[data-xg2lab=tape] .candidate", "[data-xg2lab=workbench] .dist-view .pick"):
        expect(notebook.locator(f"{chosen}[aria-pressed=true]").first).to_have_attribute("data-token", str(token))
    expect(notebook.locator("[data-xg2lab=chart_view] .body svg").first).to_contain_text("dead")
    notebook.settled()
    assert session_facts(notebook)["selection"]["token"] == token  # type: ignore[index]


def test_python_selects_and_the_page_follows(notebook: NotebookPage) -> None:
    notebook.python("session.select(step=1, token=None)")
    expect(notebook.locator("[data-xg2lab=workbench] .rail")).to_contain_text("step 1")
    notebook.python("session.select(step=None)")
    expect(notebook.locator("[data-xg2lab=workbench] .rail")).to_contain_text("step 3")


def test_source_line_leads_to_the_machine(notebook: NotebookPage) -> None:
    token = notebook.python(f"print(session.tokenizer_info.decoded_vocab.index({BLOCKED.encode()!r}))")
    notebook.locator(f"[data-xg2lab=tape] [data-token='{token}']").click()
    card = notebook.locator("[data-xg2lab=why_card]")
    card.locator("[data-source]").first.click()
    notebook.settled()
    selection = session_facts(notebook)["selection"]
    assert isinstance(selection, dict)
    assert selection["state"] is not None
    assert selection["rule"] is not None
    shown = notebook.locator("[data-xg2lab=fsm_view] .fsm-state[aria-pressed=true]")
    expect(shown).to_have_count(1)
    # the machine is that of the rule as written, the selection the engine's: both read the same place
    written = f"session.trace.as_written.program['states'][{shown.get_attribute('data-state')}]"
    own = f"session.trace.program['states'][{selection['state']}]"
    assert notebook.python(f"print(any(span in {own}['spans'] for span in {written}['spans']))") == "True"


def test_typed_text_is_explained(notebook: NotebookPage) -> None:
    card = notebook.locator("[data-xg2lab=why_card]")
    field = card.get_by_label("Token id, text or /bytes/ to explain")
    field.fill('"Basel", "x": 12!')
    field.press("Enter")
    expect(card.locator(".subject")).to_contain_text("bytes typed")
    expect(card.locator(".walk-step.dead .walk-byte")).to_contain_text("!")
    field.fill("")


def test_force_by_enter_and_blocked_force_is_told(notebook: NotebookPage) -> None:
    quote = notebook.python("print(session.tokenizer_info.decoded_vocab.index(b'\"'))")
    notebook.locator(f"[data-xg2lab=tape] [data-token='{quote}']").press("Enter")
    wait_for_steps(notebook, 4)
    assert notebook.python("print(session.trace.steps[3].kind)") == "forced_by_user"
    notebook.python("session.back(1)")
    wait_for_steps(notebook, 3)
    token = notebook.python("print(t)")
    notebook.locator(f"[data-xg2lab=tape] [data-token='{token}']").press("Enter")
    expect(notebook.locator("[data-xg2lab=tape] [role=alert]")).to_contain_text("is blocked")
    assert session_facts(notebook)["n"] == 3


def test_run_pause_and_end(notebook: NotebookPage) -> None:
    notebook.locator("[data-xg2lab=tape] [data-panel=tape]").focus()
    notebook.page.keyboard.press(" ")
    expect(notebook.locator("[data-xg2lab=workbench] .session")).to_contain_text("terminated")
    facts = session_facts(notebook)
    assert facts["status"] == "terminated"
    assert json.loads(str(facts["text"]))["city"] == "Zürich"


def test_keys_do_not_reach_the_notebook(notebook: NotebookPage) -> None:
    before = notebook.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length")
    notebook.locator("[data-xg2lab=tape] [data-panel=tape]").focus()
    for key in ("b", "a", "d", "d", "m", "1", "1", "t", "t"):
        notebook.page.keyboard.press(key)
    assert notebook.page.evaluate("() => jupyterapp.shell.currentWidget.content.widgets.length") == before


def test_nothing_went_wrong_and_nothing_left_the_machine(lab: Lab, notebook: NotebookPage) -> None:
    assert lab.errors == []
    assert lab.external == []


@looks(1600, 700)
def test_screenshots(notebook: NotebookPage, shots: Path, dark: bool, width: int) -> None:
    notebook.page.set_viewport_size({"width": width, "height": 1700 if width > 1000 else 3200})
    notebook.theme(dark)
    notebook.python("session.select(token=t)")
    theme = "dark" if dark else "light"
    for view in ("workbench", "tape", "mask_lens", "why_card", "chart_view", "fsm_view"):
        element = notebook.locator(f"[data-xg2lab={view}]")
        element.scroll_into_view_if_needed()
        notebook.settled()
        path = shots / f"workbench-{view}-{width}-{theme}.png"
        element.screenshot(path=str(path))
        assert path.stat().st_size > 5_000
        box = element.bounding_box()
        assert box is not None
        inside = element.evaluate("e => e.scrollWidth - e.clientWidth")
        assert inside <= 1, f"{view} is wider than its cell at {width} px"


def sent(notebook: NotebookPage) -> dict[str, int]:
    """How often the kernel has sent each chunk to a page, once the page has drawn what needs them."""
    for view in ("fsm_view", "workbench"):
        expect(notebook.locator(f"[data-xg2lab={view}] svg.fsm")).to_be_visible()
    notebook.settled()
    return json.loads(
        notebook.python("import json; from xg2lab.widgets.runtime import runtime\nprint(json.dumps(runtime().sent))")
    )


def test_a_reloaded_page_shows_where_the_session_is_and_gets_each_chunk_once(notebook: NotebookPage) -> None:
    before = sent(notebook)
    assert before == {"graphviz": 1}, "the editor is fetched when its tab is first on top"
    line = notebook.locator("[data-xg2lab=workbench] .splitter.row").first
    line.press("ArrowRight")
    moved = line.get_attribute("aria-valuenow") or ""
    notebook.python("session.step(3)")
    wait_for_steps(notebook, 6)
    notebook.save()
    notebook.page.reload()
    notebook.page.wait_for_selector("[data-xg2lab=workbench] .session")
    wait_for_steps(notebook, 6)
    expect(line).to_have_attribute("aria-valuenow", moved)
    # two views of machines share one Graphviz, and the reloaded page has their layouts from the session
    assert sent(notebook) == before
    notebook.locator("[data-xg2lab=workbench]").get_by_role("tab", name="Grammar").click()
    expect(notebook.locator("[data-xg2lab=workbench] .cm-content")).to_be_visible()
    assert sent(notebook) == before | {"editor": 1}
    notebook.python("session.step()")
    wait_for_steps(notebook, 7)
    # JupyterLab no longer knows which outputs the kernel would renew
    note = notebook.page.get_by_text("as it was before the page was reloaded").filter(visible=True)
    expect(note).to_have_count(1)
    run_again(notebook)
    expect(note).to_have_count(0)


def run_again(notebook: NotebookPage) -> None:
    """Displays the views again, in a page that may have been reloaded."""
    for cell in range(1, 1 + len(VIEWS)):
        notebook.run_cell(cell)
    notebook.settled()


def test_a_saved_notebook_is_drawn_without_its_kernel(lab: Lab, notebook: NotebookPage) -> None:
    run_again(notebook)
    notebook.save()
    saved = lab.folder / "workbench.ipynb"
    size = saved.stat().st_size
    assert size < 1 << 20
    replay = lab.folder / "replay.ipynb"
    replay.write_bytes(saved.read_bytes())  # signed when it was saved, so its copy is trusted
    other = lab.open("replay.ipynb")
    workbench = other.locator("[data-xg2lab=workbench]")
    expect(workbench.locator("[data-offline]").first).to_be_visible()
    expect(workbench.locator(".session")).to_contain_text("step 3 of 3")
    expect(workbench.locator("canvas[data-mask]")).to_be_visible()
    expect(workbench.locator("svg.fsm")).to_be_visible()
    blocked = workbench.locator(".dist-view li:has(.lost) .pick").first
    blocked.click()
    expect(workbench.locator(".subject")).to_have_attribute("data-allowed", "false")
    expect(workbench.locator("[data-reason]")).to_contain_text("expected")
