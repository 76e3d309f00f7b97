"""Times: steps, selections, scrubbing, hovering, sliders, as a browser sees them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks import record
from benchmarks.ui.figure import figure

if TYPE_CHECKING:
    from tests.ui.jupyter import Lab, NotebookPage

__all__ = ["hover", "sliders", "workbench"]

N_STEPS = 40
N_WARM = 5
N_TOKENS = 151_936
N_CELLS = 262_144
PAUSE_MS = 150  # between what a person does; dragging has less
DRAG_MS = 40
FRAME_MS = 16.7
ROOM_MS = 1.0  # a frame's length is read from a clock that is itself rounded
_MEASURES = "(name) => performance.getEntriesByName(name).map((entry) => entry.duration)"
_ROUND_TRIPS = """async (n) => {
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const times = [];
  for (let k = 0; k < n; k++) {
    const begun = performance.now();
    await kernel.requestCommInfo({});
    times.push(performance.now() - begun);
  }
  return times;
}"""
_LISTEN = """() => {
  window.heard = {};
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  kernel.anyMessage.connect((_, { msg }) => {
    const { kind, seq } = (msg.header.msg_type === 'comm_msg' && msg.content.data.content) || {};
    if (kind === 'trace') window.heard[seq] = performance.timeOrigin + performance.now();
  });
}"""
_TELL = """
import time
from xg2lab.widgets.registry import session_widget
said, widget, is_run = {}, session_widget(session), False
def told(content, buffers=None, send=widget.send):
    if is_run and content.get('kind') == 'trace':
        said[content['seq']] = time.time() * 1000
    send(content, buffers)
widget.send = told
"""
_WATCH_FRAMES = """() => {
  window.frames = [];
  let last = performance.now();
  const tick = (now) => { window.frames.push(now - last); last = now; if (window.frames) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""
_SLIDE = """(place) => {
  const root = document.querySelector('[data-xg2lab=dist_view]').shadowRoot;
  const slider = root.querySelector('.slider input');
  slider.value = place;
  const begun = performance.now();
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  return new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now() - begun);
    port2.postMessage(null);
  }));
}"""


def opened(lab: Lab, name: str, n_tokens: int, *views: str) -> NotebookPage:
    """A notebook with a session of so many tokens and its views, which a kernel answers."""
    from tests.ui.conftest import write_notebook

    setup = f"from tests.ui.scripted import *\nfrom xg2lab.widgets import *\nsession = scripted_session({n_tokens})"
    page = lab.open(write_notebook(lab.folder, f"{name}.ipynb", [setup, *(f"{view}(session)" for view in views)]))
    page.run_all()
    page.locator("[data-xg2lab] [data-panel]").first.wait_for()
    page.page.wait_for_timeout(3000)  # the editor and the layout engine come once a page
    return page


def ask(page: NotebookPage, expression: str) -> Any:
    """A value of the kernel."""
    return json.loads(page.python(f"import json; print(json.dumps({expression}))"))


def measured(page: NotebookPage, what: str) -> list[float]:
    """All of the page's marks of a kind, in ms."""
    return page.page.evaluate(_MEASURES, f"xg2lab:{what}")


def workbench(lab: Lab) -> list[record.Figures]:
    """Every view at once: a key to its frame, a run, clicks, dragging along the tape."""
    page = opened(lab, "bench", N_TOKENS, "Workbench")
    tape = page.locator("[data-panel=tape]").first
    tape.focus()
    model: list[float] = []
    while len(model) < N_STEPS:
        if page.python("print(session.status)") == "terminated":
            page.python("session.reset()")
            tape.focus()
        page.page.wait_for_timeout(PAUSE_MS)
        page.page.keyboard.press("ArrowRight")
        n = len(model) + 1
        page.page.wait_for_function(f"performance.getEntriesByName('xg2lab:step').length >= {n}", timeout=20_000)
        # the key that asks for a step waits for the forward pass that follows its token
        model.append(float(page.python("print(session.trace.steps[-1].model_ms or 0)")))
    steps = [whole - forward for whole, forward in zip(measured(page, "step"), model, strict=True)][N_WARM:]
    trips = page.page.evaluate(_ROUND_TRIPS, N_STEPS)
    own = [step - record.quantile(trips, 0.5) for step in steps]
    runs = run_of_steps(page)
    ways = one_way(page)
    page.python("session.reset(); _ = session.run()")
    page.page.wait_for_timeout(1000)
    selects = click(page)
    scrubs = scrub(page)
    follows = measured(page, "follow")
    page.page.context.close()
    return [
        figure("step, key to frame", steps, "ms", 70.0, N_TOKENS),
        figure("of it Jupyter's round trip", trips, "ms", 50.0, N_TOKENS),
        figure("of it kernel work and paint", own, "ms", 15.0, N_TOKENS),
        figure("a step while running, one way to the page", ways, "ms", 100.0, N_TOKENS),
        figure("a step while running, all in all", runs, "ms", None, N_TOKENS),
        figure("select, click to frame", selects, "ms", FRAME_MS, N_TOKENS),
        figure("scrub, drag to frame", scrubs, "ms", FRAME_MS, N_TOKENS),
        figure("of both, until all views in sight follow", follows, "ms", None, N_TOKENS),
    ]


def run_of_steps(page: NotebookPage) -> list[float]:
    """What a step of a run takes with the page open, the model's time taken off: a value a run, in ms."""
    page.python(
        "import time\n"
        "def one_run():\n"
        "    session.reset(); begun = time.perf_counter(); taken = session.run()\n"
        "    whole = (time.perf_counter() - begun) * 1000\n"
        "    return (whole - sum(s.model_ms or 0 for s in session.trace.steps)) / len(taken)"
    )
    return [float(ask(page, "one_run()")) for _ in range(9)]


def one_way(page: NotebookPage) -> list[float]:
    """From the kernel's `send` of a run's push, mask and all, to the page's sight of it, in ms; one clock."""
    page.page.evaluate(_LISTEN)
    page.python(_TELL)
    for _ in range(9):
        page.python("is_run = False; session.reset()")
        page.page.wait_for_timeout(500)  # drawing everything anew is no part of it
        page.python("is_run = True; _ = session.run()")
        page.page.wait_for_timeout(500)
    said, heard = ask(page, "said"), page.page.evaluate("() => window.heard")
    return [heard[seq] - sent for seq, sent in said.items() if seq in heard]


def click(page: NotebookPage) -> list[float]:
    """Click one candidate after the other: each selection of that, in ms."""
    before = len(measured(page, "select"))
    candidates = page.locator("[data-panel=dist-view] [data-token]")
    for n in range(N_STEPS):
        page.page.wait_for_timeout(PAUSE_MS)
        candidates.nth(n % candidates.count()).click()
    return measured(page, "select")[before:]


def scrub(page: NotebookPage) -> list[float]:
    """Drag along the run in the head, a step at a time: each selection of that, in ms."""
    before = len(measured(page, "select"))
    run = page.locator(".topbar .scrub").first
    run.scroll_into_view_if_needed()
    box = run.bounding_box()
    assert box is not None
    mouse, y = page.page.mouse, box["y"] + 12
    mouse.move(box["x"] + 4, y)
    mouse.down()
    for k in range(N_STEPS):
        mouse.move(box["x"] + 4 + 8 * (k % 20), y)
        page.page.wait_for_timeout(DRAG_MS)
    mouse.up()
    return measured(page, "select")[before:]


def hover(lab: Lab) -> list[record.Figures]:
    """The pointer over 262,144 cells: the lengths of the frames meanwhile."""
    page = opened(lab, "hover", N_CELLS, "MaskLens")
    page.python("_ = session.step(3)")
    canvas = page.locator("canvas[data-mask]").first
    canvas.wait_for()
    page.page.wait_for_timeout(1000)
    box = canvas.bounding_box()
    assert box is not None
    page.page.evaluate(_WATCH_FRAMES)
    for k in range(300):
        x, y = (7 * k) % (box["width"] - 10), (3 * k) % (box["height"] - 10)
        page.page.mouse.move(box["x"] + 5 + x, box["y"] + 5 + y)
    frames = page.page.evaluate("() => { const all = window.frames; window.frames = null; return all; }")
    page.page.context.close()
    return [figure("hover, a frame", frames[2:], "ms", FRAME_MS + ROOM_MS, N_CELLS)]


def sliders(lab: Lab) -> list[record.Figures]:
    """A slider of the distribution to the frame that shows what a sampler would do."""
    page = opened(lab, "sliders", N_TOKENS, "DistView")
    page.python("_ = session.step(3)")
    page.locator(".slider input").first.wait_for()
    page.page.wait_for_timeout(1000)
    times = [page.page.evaluate(_SLIDE, 5 + (7 * k) % 30) for k in range(N_STEPS)]
    page.page.context.close()
    return [figure("slider to frame", times, "ms", FRAME_MS, N_TOKENS)]
