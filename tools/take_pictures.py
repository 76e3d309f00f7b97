"""The README's pictures, taken of the real thing: a JupyterLab, the shipped early model, one session, the workbench.

    python -m tools.take_pictures          # writes docs/images: all of these
    python -m tools.take_pictures moving   # the animated picture alone, docs/images/tool-call.svg
    python -m tools.take_pictures replay   # that of the first notebook, docs/images/replay.svg; it needs no browser

The workbench is photographed in a JupyterLab, controls included. `View.to_svg` and `View.save` write the others: a view
for each notebook, from the names of its cells, and the frames of the animation, from a session that is stepped. All of
them need what the browser tests need: the built front end, playwright, pillow, a Chromium.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tools.animate import Frame, animated
from tools.running import ROOT, say

WIDTH, HEIGHT = 1960, 1300  # room for the workbench at its widest, and for all of its height
SETUP = """
from xg2lab import EngineOptions, Session
from xg2lab.tiny import grammar_for, prompt
from xg2lab.widgets import ExampleBench, GrammarPad, Workbench
session = Session(
    grammar_for("qwen"), model="tiny_early", prompt=prompt("What is the weather in Lisbon in celsius?", format="qwen"),
    seed=8, options=EngineOptions(rule_inlining=False), name="get_weather",
)
session.run(max_tokens=18)
call = '<tool_call>\\n{"name": "%s", "arguments": {"city": "Oslo"}}\\n</tool_call>'
examples = [(call % "get_weather", True), (call % "guess_weather", False), (session.text, True)]
ExampleBench(GrammarPad(session=session), examples).wait()
"""
# The most probable token that the grammar blocks, at the step where it blocks most.
SELECT = """
step = min(session.trace.steps, key=lambda step: 1.0 if step.z is None else step.z)
blocked = [row for row in step.top if row[4] in (0, 3, 4, 6)]
session.select(step=step.index, token=blocked[0][0])
"""


#: For each notebook, the code that makes the view to be shown; names are those of the notebook's
#: own cells.
NOTEBOOKS = {
    "01_author_a_grammar": "GrammarPad(second)",
    "02_debug_a_mask": "DistView(session)",
    "03_inside_the_cache": "CacheView(session)",
    "04_templates": "OperatorView(session)",
    "05_other_engines": "view",
}


def in_palette(shot: Image.Image) -> Image.Image:
    """The picture in 256 colours: the most frequent as they are, rare ones near: a colour has a meaning."""
    colours, which, counts = np.unique(np.asarray(shot).reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    order = counts.argsort()[::-1]
    frequent, others = colours[order[:96]], colours[order[96:]]
    swatch = Image.fromarray(others[None, :, :])
    near = np.array(swatch.quantize(256 - len(frequent), kmeans=4).getpalette() or []).reshape(-1, 3)
    palette = np.concatenate([frequent, near]).astype(np.uint8)
    distance = ((colours[:, None, :].astype(int) - palette[None, :, :]) ** 2).sum(axis=2)
    made = Image.fromarray(distance.argmin(axis=1).astype(np.uint8)[which].reshape(shot.height, shot.width), "P")
    made.putpalette(palette.tobytes())
    return made


def notebook_pictures(images: Path) -> None:
    """Run each notebook as a program, then save its view."""
    import nbformat

    for name, view in NOTEBOOKS.items():
        cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
        names: dict[str, Any] = {}
        for cell in cells:
            if cell.cell_type == "code":
                exec(cell.source, names)  # noqa: S102 (our own notebooks)
        path = images / f"notebook-{name[:2]}.svg"
        eval(view, names).save(path, width=900)  # noqa: S307
        say(f"wrote {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")


#: Tokens before each frame of the animation, and how long the frames are shown.
STOPS, FRAME_S, LAST_S = (0, 2, 4, 6, 8, 10, 12, 15), 0.9, 4.5


def moving_picture(images: Path) -> None:
    """Step the session of the workbench, a frame at each stop; the last frame says why a token is blocked."""
    names: dict[str, Any] = {}
    exec(SETUP.replace("session.run(max_tokens=18)", "").partition("call = ")[0], names)  # noqa: S102 (above)
    from xg2lab.widgets import Tape, WhyCard

    session = names["session"]
    frames: list[Frame] = []
    for stop in STOPS:
        session.run(max_tokens=stop - session.trace.n_decided) if stop else None
        frames.append(Frame(Tape(session).to_svg(width=720), FRAME_S))
    exec(SELECT, names)  # noqa: S102 (above)
    frames.append(Frame(WhyCard(session).to_svg(width=720), LAST_S))
    path = images / "tool-call.svg"
    title = (
        "A tool call, token by token: what the model wanted, what the grammar left of it, and why a token is blocked"
    )
    path.write_text(animated(frames, title=title), encoding="utf-8")
    say(f"wrote {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")


def first_picture(images: Path) -> None:
    """The session of the workbench as the picture on top of the first notebook."""
    from tools.replay_picture import replay_picture

    names: dict[str, Any] = {}
    exec(SETUP.partition("call = ")[0], names)  # noqa: S102 (above)
    path = images / "replay.svg"
    path.write_text(replay_picture(names["session"]), encoding="utf-8")
    say(f"wrote {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")


def main(arguments: list[str]) -> None:
    """Drive the browser and write the pictures."""
    one = {"moving": moving_picture, "replay": first_picture}
    if len(arguments) == 1 and arguments[0] in one:
        one[arguments[0]](ROOT / "docs" / "images")
        return
    from tests.ui.conftest import write_notebook
    from tests.ui.jupyter import Lab

    images = ROOT / "docs" / "images"
    images.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Lab(Path(folder), width=WIDTH, height=HEIGHT) as lab:
        name = write_notebook(Path(folder), "pictures.ipynb", [SETUP, "Workbench(session, height=1000)"])
        page = lab.open(name)
        page.run_all()
        workbench = page.locator("[data-xg2lab=workbench]")
        workbench.wait_for()
        page.python(SELECT)
        for theme in ("light", "dark"):
            page.theme(theme == "dark")
            page.page.wait_for_timeout(2500)
            path = images / f"workbench-{theme}.png"
            shot = Image.open(io.BytesIO(workbench.screenshot())).convert("RGB")
            in_palette(shot).save(path, optimize=True)
            say(f"wrote {path.relative_to(ROOT)} ({path.stat().st_size:,} bytes)")
    notebook_pictures(images)
    moving_picture(images)
    first_picture(images)


if __name__ == "__main__":
    main(sys.argv[1:])
