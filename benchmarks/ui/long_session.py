"""A workbench after 1,500 steps: what it weighs beside JupyterLab, and whether clicks and drags are still quick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import record
from benchmarks.ui.figure import figure
from benchmarks.ui.pages import FRAME_MS, N_TOKENS, click, opened, scrub

if TYPE_CHECKING:
    from tests.ui.jupyter import Lab, NotebookPage

__all__ = ["first_paint", "long_session"]

N_LONG = 1500
N_PAINTS = 9
GRAMMAR = 'root ::= "[" item ("," item){1200} "]"\nitem ::= [0-9]{1,4} | "\\"" [a-z]* "\\""'
#: From the message that a cell displays a view to the frame in which the workbench has panes.
_PAINT = """async () => {
  const notebook = jupyterapp.shell.currentWidget.content;
  const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  let begun = 0;
  const hear = (_, { msg }) => {
    if (msg.header.msg_type === 'display_data') begun ||= performance.now();
  };
  kernel.anyMessage.connect(hear);
  notebook.activeCellIndex = 1;
  notebook.deselectAll();
  const ran = jupyterapp.commands.execute('notebook:run-cell');
  const painted = await new Promise((resolve) => {
    const look = () => {
      const host = document.querySelector('[data-xg2lab=workbench]');
      if (begun && host?.shadowRoot?.querySelector('[data-panel] .body')) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now() - begun);
        port2.postMessage(null);
      } else requestAnimationFrame(look);
    };
    look();
  });
  await ran;
  kernel.anyMessage.disconnect(hear);
  return painted;
}"""


def weight(page: NotebookPage) -> dict[str, float]:
    """The page's heap, without what nobody refers to, in bytes; its nodes, shadow trees included."""
    line = page.page.context.new_cdp_session(page.page)
    line.send("HeapProfiler.collectGarbage")
    line.send("Performance.enable")
    told = {one["name"]: one["value"] for one in line.send("Performance.getMetrics")["metrics"]}
    line.detach()
    return {"heap": told["JSHeapUsedSize"], "nodes": told["Nodes"]}


def long_session(lab: Lab) -> list[record.Figures]:
    """The workbench with 1,500 steps; what JupyterLab weighs without it is taken off."""
    from tests.ui.conftest import write_notebook

    setup = (
        "import xg2lab as xgr\nfrom tests.ui.scripted import *\nfrom xg2lab.lab import Session\n"
        f"from xg2lab.widgets import *\nmodel = scripted_session({N_TOKENS})\n"
        f"runner = ScriptedRunner(vocabulary({N_TOKENS}))\n"
        f"session = Session({GRAMMAR!r}, model.tokenizer_info, runner, prompt='go', max_tokens=4000, temperature=1.0)\n"
        f"_ = session.run({N_LONG})"
    )
    page = lab.open(write_notebook(lab.folder, "long.ipynb", [setup, "Workbench(session)"]), fresh=True)
    page.run_cell(0)
    before = weight(page)
    page.run_cell(1)
    page.locator("[data-panel=dist-view] [data-token]").first.wait_for()
    page.page.wait_for_timeout(3000)  # the editor and the layout engine come once a page
    after = weight(page)
    selects = click(page)
    scrubs = scrub(page)
    page.page.context.close()

    def grown(what: str) -> list[Any]:
        return [after[what] - before[what]]

    return [
        figure(f"select after {N_LONG} steps", selects, "ms", FRAME_MS, N_TOKENS),
        figure(f"scrub after {N_LONG} steps", scrubs, "ms", FRAME_MS, N_TOKENS),
        figure(f"heap of the workbench after {N_LONG} steps", grown("heap"), "B", 40e6, N_TOKENS),
        figure(f"nodes of the workbench after {N_LONG} steps", grown("nodes"), "", 6000, N_TOKENS),
    ]


def first_paint(lab: Lab) -> list[record.Figures]:
    """A cell that displays a workbench, run again and again: until its panes are drawn."""
    page = opened(lab, "paint", N_TOKENS, "Workbench")
    times = []
    for _ in range(N_PAINTS):
        page.page.evaluate("() => jupyterapp.commands.execute('notebook:clear-cell-output')")
        times.append(page.page.evaluate(_PAINT))
        page.page.wait_for_timeout(1000)
    page.page.context.close()
    return [figure("first paint, from the display to the panes", times, "ms", 300.0, N_TOKENS)]
