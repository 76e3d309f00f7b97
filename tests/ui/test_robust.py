"""What a lesson, a slow machine and a large vocabulary do to the workbench: nothing is lost, nothing hangs.

A kernel that is restarted and a double click on step are in test_views.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .conftest import write_notebook
from .jupyter import Lab, NotebookPage
from .one_view import OneView
from .plain import PlainPage

pytestmark = pytest.mark.browser

HEAD = """
from tests.ui.scripted import *
import xg2lab as xgr
from xg2lab.lab import Session
from xg2lab.widgets import *
"""
OF_2048 = """
tokens = vocabulary(2048)
info = xgr.TokenizerInfo(tokens, vocab_size=2048, stop_token_ids=[2040])
def of(grammar, **options):
    return Session(grammar, info, ScriptedRunner(tokens), prompt="go", temperature=1.0, seed=1, **options)
"""
PAUSE_WAS_HEARD = "() => !globalThis[Symbol.for('xg2lab/page/1')].underWay.has('request pause')"
#: Elements on the page, those in shadow roots too.
COUNT = """() => {
  const count = (e) => 1 + [...e.children, ...(e.shadowRoot?.children ?? [])].reduce((n, c) => n + count(c), 0);
  return [...document.querySelectorAll('.output')].reduce((n, e) => n + count(e), 0);
}"""


def opened(lab: Lab, setup: str) -> OneView:
    """A page with this session's workbench."""
    lab.errors.clear()
    return shown(lab.show([HEAD + setup, "Workbench(session, height=1200)"]))


def shown(page: PlainPage | NotebookPage) -> OneView:
    """The workbench of a page, once its cells have run and it knows its kernel."""
    page.run_all()
    view = OneView(page, "workbench")
    is_live(view)
    return view


def is_live(view: OneView) -> None:
    """Until the page knows that a kernel answers: a key pressed before that asks nobody."""
    expect(view.part("[data-panel=tape]")).to_be_visible()
    expect(view.part(".transport button:has-text('step')").first).to_be_enabled()


def press(view: OneView, *keys: str) -> None:
    """Keys, with the tape in focus."""
    view.part("[data-panel=tape]").focus()
    for key in keys:
        view.notebook.page.keyboard.press(key)


def at_step(view: OneView, step: int, of: int) -> None:
    """Until the page shows this step of so many."""
    expect(view.part(".session")).to_contain_text(f"step {step} of {of}")


def all_is_well(lab: Lab, view: OneView) -> None:
    """Every panel is there, and the console has no error of ours."""
    expect(view.part("[data-panel]")).to_have_count(6)
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []


# ---- Two pages -------------------------------------------------------------------------------------------------------


def test_two_pages_of_one_notebook_show_one_session(lab: Lab) -> None:
    lab.errors.clear()
    cells = [HEAD + "session = scripted_session()\nsession.step(2)", "Workbench(session)"]
    first = shown(lab.open(write_notebook(lab.folder, "two_pages.ipynb", cells)))
    first.notebook.save()
    second = OneView(lab.open("two_pages.ipynb"), "workbench")
    is_live(second)
    at_step(second, 2, 2)
    press(second, "ArrowRight")
    at_step(second, 3, 3)
    at_step(first, 3, 3)
    press(first, "ArrowRight")
    for view in (first, second):
        at_step(view, 4, 4)
    press(first, "Shift+ArrowLeft")
    at_step(first, 3, 4)
    first.notebook.settled()
    # the selection is the session's: both pages and Python have it
    assert first.ask("session.selection['step']") == 3
    at_step(second, 3, 4)
    text = first.ask("session.text")
    second.notebook.page.context.close()
    press(first, "Shift+ArrowRight", "ArrowRight")
    at_step(first, 5, 5)
    assert first.ask("session.text").startswith(text)
    all_is_well(lab, first)


# ---- A model that is slow, a model that fails, an engine that refuses ------------------------------------------------


GATED = """
import threading
gate = threading.Event()
gate.set()
session = scripted_session(gate=gate)
session.step(2)
gate.clear()
def decided(n):
        while session.trace.n_decided < n: time.sleep(0.01)
"""


def test_a_slow_model_holds_nothing_up(lab: Lab) -> None:
    view = opened(lab, GATED)
    view.part("[data-panel=tape]").focus()
    view.notebook.page.keyboard.press("Space")  # runs
    expect(view.part(".session")).to_contain_text("running")
    view.notebook.python("decided(3)")
    # while the model is in its pass, what was recorded is looked at; none of it waits for the pass
    press(view, "Shift+ArrowLeft", "Shift+ArrowLeft")
    expect(view.part(".session")).to_contain_text(re.compile(r"step 0 of|step 1 of"))
    view.part(".dist-view .pick").nth(1).click()
    expect(view.part(".subject")).to_be_visible()
    view.part("[data-panel=tape]").focus()
    view.notebook.page.keyboard.press("Space")  # pauses after the step that is being taken
    view.notebook.page.wait_for_function(PAUSE_WAS_HEARD)
    assert view.ask("[session.trace.n_decided, session.status]") == [3, "running"]
    view.notebook.python("gate.set()")
    expect(view.part(".session")).to_contain_text("paused")
    n = view.ask("session.trace.n_decided")
    view.notebook.settled()
    assert view.ask("session.trace.n_decided") == n
    all_is_well(lab, view)


def test_a_model_that_fails_is_told_and_stepping_goes_on(lab: Lab, shots: Path) -> None:
    view = opened(lab, "session = scripted_session(fail_at=4)\nsession.step(1)")
    press(view, "Space")
    expect(view.part(".session")).to_contain_text("error")
    expect(view.part("[role=alert]").first).to_contain_text("out of memory, as the test asked")
    n, text = view.ask("[session.trace.n_decided, session.text]")
    assert n >= 3
    view.part(".panel").first.screenshot(path=str(shots / "robust-model-fails.png"))
    press(view, "ArrowRight")
    expect(view.part("[role=alert]")).to_have_count(0)
    at_step(view, n + 1, n + 1)
    assert view.ask("session.text").startswith(text)
    all_is_well(lab, view)


def test_an_engine_that_refuses_is_told_and_what_was_recorded_stays(lab: Lab) -> None:
    setup = "session = of('root ::= [a-z]{500}', options=xgr.EngineOptions(max_history_bytes=300))"
    view = opened(lab, OF_2048 + setup)
    press(view, "Space")
    expect(view.part(".session")).to_contain_text("error")
    expect(view.part("[role=alert]").first).to_contain_text("raise max_history_bytes")
    n = view.ask("len(session.trace.steps)")
    assert n > 5
    at_step(view, n - 1, n - 1)
    press(view, "Shift+ArrowLeft")
    view.part(".dist-view .pick").first.click()
    expect(view.part(".subject")).to_be_visible()
    all_is_well(lab, view)


# ---- Large ones ------------------------------------------------------------------------------------------------------


def test_a_vocabulary_of_262144_tokens(lab: Lab, shots: Path) -> None:
    view = opened(lab, "session = scripted_session(262_144)\nsession.step(3)")
    expect(view.part("canvas[data-mask]")).to_be_visible()
    expect(view.part("[data-panel=mask-lens]")).to_contain_text("of 262,144 may come next")
    press(view, "ArrowRight", "ArrowRight")
    at_step(view, 5, 5)
    press(view, "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft")
    at_step(view, 2, 5)
    canvas = view.part("canvas[data-mask]")
    box = canvas.bounding_box()
    assert box is not None
    for k in range(20):
        view.notebook.page.mouse.move(box["x"] + 10 + 18 * k, box["y"] + 10 + 12 * k)
    canvas.click(position={"x": 200, "y": 200})
    expect(view.part(".subject")).to_be_visible()
    assert view.notebook.page.evaluate(COUNT) < 6_000
    view.part("[data-panel=mask-lens]").screenshot(path=str(shots / "robust-262144.png"))
    all_is_well(lab, view)


def test_a_trace_of_2000_tokens(lab: Lab, shots: Path) -> None:
    grammar = 'root ::= "[" item ("," item){1500} "]"\\nitem ::= [0-9]{1,4} | "\\\\"" [a-z]* "\\\\""'
    view = opened(lab, OF_2048 + f"session = of('{grammar}')\nsession.run(1990)")
    at_step(view, 1990, 1990)
    assert view.notebook.page.evaluate(COUNT) < 8_000
    press(view, "ArrowRight")
    at_step(view, 1991, 1991)
    press(view, "Home")
    at_step(view, 0, 1991)
    box = view.part(".topbar .scrub").bounding_box()
    assert box is not None
    mouse = view.notebook.page.mouse
    mouse.move(box["x"] + 2, box["y"] + 12)
    mouse.down()
    for k in range(30):
        mouse.move(box["x"] + 2 + (box["width"] - 4) * k / 30, box["y"] + 12)
    mouse.up()
    assert view.ask("len(session.trace.steps)") == 1992
    steps = int(view.part("[role=slider]").first.get_attribute("aria-valuenow") or 0)
    assert steps > 1000
    view.part("[data-panel=tape]").screenshot(path=str(shots / "robust-2000.png"))
    all_is_well(lab, view)


MANY_STATES = """
import random
words = sorted({"".join(random.Random(k).choices("abcdefghijklmnopqrstuvwxyz", k=6 + k % 4)) for k in range(2200)})
session = of("root ::= " + " | ".join(f'"{word}"' for word in words))
session.step(1)
"""


@pytest.fixture(scope="module")
def vast(lab: Lab) -> OneView:
    """A workbench on a rule of 5,000 states and more."""
    return opened(lab, OF_2048 + MANY_STATES)


def machine(view: OneView, selector: str) -> Locator:
    """A part of the machine's panel."""
    return view.part(f"[data-panel=fsm-view] {selector}")


def test_a_machine_of_5000_states_is_collapsed(vast: OneView, shots: Path) -> None:
    n = vast.ask("len(session.compiled.program()['states'])")
    assert n > 5_000
    expect(machine(vast, "svg").first).to_be_visible()
    expect(vast.part("[data-panel=fsm-view]")).to_contain_text(re.compile(r"160 of [\d,]+ nodes, round what is lit"))
    assert vast.notebook.page.evaluate(COUNT) < 12_000
    vast.part("[data-panel=fsm-view]").screenshot(path=str(shots / "robust-states.png"))


def test_its_states_are_searched_by_number_and_by_text(vast: OneView) -> None:
    field, said = machine(vast, "[data-fsm-search]"), machine(vast, ".fsm-search [role=status]")
    field.fill("4711")
    field.press("Enter")
    expect(said).to_contain_text("root·4711")
    assert selected(vast) == {"rule": 0, "state": 4711}
    expect(machine(vast, "[aria-pressed=true], [data-chosen='4711']").first).to_be_visible()
    word = vast.ask("words[1234]")
    field.fill(word[:5])
    field.press("Enter")
    state = selected(vast)["state"]
    assert vast.ask(f"reached({word[:5]!r})") == [state]
    field.fill("no such text")
    expect(said).to_contain_text("0")
    field.press("Escape")
    expect(field).to_have_value("")


def test_its_table_shows_some_and_those_that_are_searched_for(vast: OneView) -> None:
    toggle = vast.part("[data-panel=fsm-view] [aria-label='FSM as a table']")
    toggle.evaluate("b => b.click()")  # it may be folded away
    rows = machine(vast, "tbody tr")
    expect(rows).to_have_count(200)
    expect(machine(vast, ".scroll")).to_contain_text("those that are lit first")
    machine(vast, "[data-fsm-search]").fill("4711")
    expect(rows.first).to_contain_text("root·4711")
    machine(vast, "[data-fsm-search]").press("Escape")
    toggle.evaluate("b => b.click()")


def selected(view: OneView) -> dict[str, Any]:
    """Rule and state that are selected, once Python has heard of it."""
    view.notebook.settled()
    helper = (
        "def reached(text, now=(0,)):\n"
        "    for byte in text.encode():\n"
        "        now = {e['to'] for e in session.compiled.program()['edges'] if e['from'] in now\n"
        "               and any(low <= byte <= high for low, high in e['ranges'])}\n"
        "    return sorted(now)"
    )
    view.notebook.python(helper)
    return {name: view.ask("session.selection")[name] for name in ("rule", "state")}


def test_nothing_was_complained_of(lab: Lab, vast: OneView) -> None:
    all_is_well(lab, vast)
    assert lab.external == []
