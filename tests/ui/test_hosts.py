"""Places beside JupyterLab: Notebook 7 itself, and the rules that VS Code, Colab and marimo ask of a widget.

Those three are not run here. What they have in common is: a widget may be drawn inside somebody's shadow root, in a box
that is not on the page yet, under styles of others, with nothing but its traits and a kernel that never answers. That
is what `BARE_HOST` is: the least that anywidget's protocol asks of a host, so that nothing of Jupyter helps.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import write_notebook
from .jupyter import Lab
from .one_view import OneView
from .scripted import scripted_session

pytestmark = pytest.mark.browser

SETUP = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import *\nsession = scripted_session()"

BARE_HOST = """<!doctype html><meta charset="utf-8"><title>a host</title>
<style>
  * { font-size: 40px !important; color: rgb(255, 0, 0) !important; background: rgb(255, 255, 0) !important }
  body > * { width: 1200px }
</style>
<body><script type="module">
const looked = window.looked = [];
for (const name of ["getElementById", "querySelector", "querySelectorAll", "getElementsByClassName"]) {
  const own = document[name];
  document[name] = function (...asked) {
    if (!window.done) looked.push(name + " " + asked);
    return own.apply(this, asked);
  };
}
const states = STATES;
const models = new Map();
function model(id) {
  if (models.has(id)) return models.get(id);
  const listeners = {}, traits = { ...states[id].state };
  for (const { path, data } of states[id].buffers ?? [])
    traits[path[0]] = new DataView(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer);
  const made = {
    id, traits, sent: 0,
    get: (name) => traits[name],
    set(name, value) { traits[name] = value; for (const call of listeners["change:" + name] ?? []) call(); },
    on(name, call) { (listeners[name] ??= []).push(call); },
    off(name, call) { listeners[name] = (listeners[name] ?? []).filter((one) => one !== call); },
    save_changes() { throw new Error("save_changes was called"); },
    send() { made.sent++; },
  };
  models.set(id, made);
  return made;
}
const code = new Map();
async function exports(id) {
  if (!code.has(id)) code.set(id, (async () => {
    const url = URL.createObjectURL(new Blob([states[id].state._esm], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    const signal = new AbortController().signal;
    return { widget, exports: await widget.initialize?.({ model: model(id), signal }) };
  })());
  return code.get(id);
}
const host = { getWidget: async (ref) => ({ exports: (await exports(ref.replace("anywidget:", ""))).exports }) };
window.render = async (id) => {
  const box = document.createElement("div"), el = document.createElement("div");
  box.attachShadow({ mode: "open" }).append(el);
  const life = new AbortController();
  window.end = () => life.abort();
  await (await exports(id)).widget.render({ model: model(id), el, signal: life.signal, host });
  await new Promise((go) => setTimeout(go, 300)); // drawn before it is on the page, as some hosts do
  document.body.append(box);
};
window.sent = () => [...models.values()].reduce((n, one) => n + one.sent, 0);
window.ready = true;
</script>"""


# ---- Notebook 7 ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def seven(lab: Lab) -> OneView:
    """A workbench and a distribution in Notebook 7."""
    lab.errors.clear()
    name = write_notebook(lab.folder, "seven.ipynb", [SETUP, "Workbench(session)"])
    notebook = lab.open(name, app="notebooks")
    assert notebook.page.evaluate("() => jupyterapp.name") == "Jupyter Notebook"
    notebook.run_all()
    view = OneView(notebook, "workbench")
    expect(view.part("[data-panel]")).to_have_count(6)
    expect(view.part(".transport button:has-text('step')").first).to_be_enabled()
    return view


def test_notebook_7_steps_explains_and_keeps_its_keys_to_itself(seven: OneView, shots: Path) -> None:
    seven.notebook.python("session.reset()")
    expect(seven.part(".session")).to_contain_text("step 0 of 0")
    seven.part("[data-panel=tape]").focus()
    for _ in range(3):
        seven.notebook.page.keyboard.press("ArrowRight")
    expect(seven.part(".session")).to_contain_text("step 3 of 3")
    seven.part(".dist-view .pick").first.click()
    expect(seven.part(".subject")).to_have_attribute("data-allowed", "false")
    # b and x are Notebook's "cell below" and "cut cell" too
    n_cells = "() => jupyterapp.shell.currentWidget.content.widgets.length"
    before = seven.notebook.page.evaluate(n_cells)
    seven.part("[data-panel=tape]").focus()
    for key in "xb":
        seven.notebook.page.keyboard.press(key)
    assert seven.notebook.page.evaluate(n_cells) == before
    seven.notebook.page.keyboard.press("Control+s")
    seven.notebook.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    seven.part(".panel").first.scroll_into_view_if_needed()
    seven.notebook.page.screenshot(path=str(shots / "hosts-notebook-7.png"))


def test_notebook_7_edits_a_grammar(seven: OneView) -> None:
    seven.part("[data-panel=tape]").focus()
    seven.notebook.page.keyboard.press("Alt+9")
    editor = seven.part(".cm-content").first
    expect(editor).to_be_visible()
    editor.click()
    seven.notebook.page.keyboard.press("Control+Home")
    seven.notebook.page.keyboard.type("nothing ::= never\n")
    expect(seven.part("[data-panel=grammar-pad] .finding, [data-panel=grammar-pad] .findings").first).to_contain_text(
        "never"
    )


def test_a_notebook_saved_there_replays_without_its_kernel(lab: Lab, seven: OneView) -> None:
    seven.notebook.python("session.reset(); session.step(3)")
    n = 3
    expect(seven.part(".session")).to_contain_text(f"step {n} of {n}")
    seven.notebook.save()
    (lab.folder / "seven_replay.ipynb").write_bytes((lab.folder / "seven.ipynb").read_bytes())
    other = OneView(lab.open("seven_replay.ipynb", app="notebooks"), "workbench")
    expect(other.part("[data-offline]").first).to_be_visible()
    expect(other.part(".session")).to_contain_text(f"step {n} of {n}")
    other.part("[data-panel=tape]").focus()
    other.notebook.page.keyboard.press("Shift+ArrowLeft")
    expect(other.part(".session")).to_contain_text(f"step {n - 1} of {n}")


def test_nothing_was_complained_of_there(lab: Lab, seven: OneView) -> None:
    assert seven.part("[data-panel]").count() == 6
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
    assert lab.external == []


# ---- The rules of the others -----------------------------------------------------------------------------------------


@pytest.fixture
def bare(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """A workbench of three steps in a host that has its traits and no kernel."""
    from ipywidgets.embed import dependency_state

    from xg2lab.widgets import Workbench

    session = scripted_session()
    session.step(3)
    view = Workbench(session)
    states: Any = dependency_state(view, drop_defaults=False)
    page = lab.blank()
    path = tmp_path_factory.mktemp("host") / "host.html"
    path.write_text(BARE_HOST.replace("STATES", json.dumps(states).replace("</", "<\\/")), encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_function("() => window.ready")
    page.evaluate("(id) => window.render(id)", view.model_id)
    expect(page.locator("[data-xg2lab=workbench] [data-panel]")).to_have_count(6)
    return page


def test_traits_alone_are_enough_to_draw_and_to_scrub(bare: Page) -> None:
    part = bare.locator("[data-xg2lab=workbench]")
    expect(part.locator("[data-offline]").first).to_be_visible()
    expect(part.locator(".session")).to_contain_text("step 3 of 3")
    expect(part.locator("canvas[data-mask]")).to_be_visible()
    part.locator("[data-panel=tape]").focus()
    bare.keyboard.press("Shift+ArrowLeft")
    expect(part.locator(".session")).to_contain_text("step 2 of 3")
    part.locator(".dist-view .pick").first.click()
    expect(part.locator(".subject")).to_be_visible()
    expect(part.locator("[data-panel=fsm-view] svg").first).to_be_visible()  # in layers: Graphviz asks a kernel


def test_styles_of_the_page_do_not_come_in_and_ours_do_not_get_out(bare: Page) -> None:
    panel = bare.locator("[data-xg2lab=workbench] [data-panel=tape]")
    style = "e => (({fontSize, color}) => [fontSize, color])(getComputedStyle(e))"
    size, colour = panel.evaluate(style)
    assert size in ("12px", "13px", "14px")
    assert colour != "rgb(255, 0, 0)"
    facts = bare.evaluate(
        "() => [document.head.querySelectorAll('style, link').length, document.adoptedStyleSheets.length]"
    )
    assert facts == [1, 0]  # the page's own


def test_nothing_is_looked_for_in_the_document(bare: Page) -> None:
    assert bare.evaluate("() => window.looked") == []


def test_a_view_that_ends_leaves_nothing_behind(bare: Page) -> None:
    bare.evaluate("() => { window.done = true; window.end(); }")
    expect(bare.locator("[data-xg2lab]")).to_have_count(0)
    assert bare.evaluate("() => globalThis[Symbol.for('xg2lab/page/1')].mounted") == 0


def test_a_host_that_can_not_join_widgets_is_named(lab: Lab) -> None:
    from xg2lab.widgets.bundle import bundle_text

    page = lab.blank()
    page.goto("about:blank")
    page.evaluate(
        """async (code) => {
          const url = URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
          const {default: widget} = await import(url);
          const { signal } = new AbortController();
          widget.render({model: {get: () => null, on: () => null}, el: document.body, signal});
        }""",
        bundle_text("stub_view.js"),
    )
    expect(page.locator("body")).to_contain_text("anywidget 0.11")
