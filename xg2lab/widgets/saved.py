"""What a notebook keeps of a view in the cell's own output: facts in words, and a recording that needs no kernel.

IDEA
  JupyterLab saves the outputs of cells, and by default not the state of widgets: a notebook that is opened again says
  "model not found" where a view was. So a displayed view has two outputs, the widget and an HTML output. The HTML holds
  the view's facts in words, which every host shows, and a recording, which a script draws where scripts may run and no
  widget shows the view (widgets/src/saved.ts). While a widget shows it, that output is hidden.

  The code of all views is in an output of its own, once a notebook; the recording of a session is in the output of its
  first view. Other outputs name them. When a session rests, the kernel sends its outputs anew.

COST    Once a notebook, the code (some 180 kB); once a session, its trace, its masks and its pad, compressed, as text.
THREADS  Views are displayed on the kernel's thread; the sessions' timers renew outputs. `_lock` guards the list of
         displays; no lock of a session is taken under it.
See also `xg2lab.widgets.export`, which writes a page of its own, with Graphviz and without this limit.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import sys
import threading
import time
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.widgets.bundle import bundle_path, bundle_text
from xg2lab.widgets.cells import Cell, kernel_shell, running_cell
from xg2lab.widgets.replay import pack_trace

if TYPE_CHECKING:
    from xg2lab.lab.trace.trace import Trace
    from xg2lab.widgets.pad_widget import PadWidget
    from xg2lab.widgets.session_widget import SessionWidget
    from xg2lab.widgets.view import View

__all__ = [
    "LEAST_EXACT",
    "MOST_RECORDED_CHARACTERS",
    "display",
    "facts",
    "facts_html",
    "forget",
    "is_displayable",
    "renew",
]

#: The largest recording of a session in a notebook, in characters. Masks are left out first.
MOST_RECORDED_CHARACTERS = 1 << 20
#: The probabilities of a mask's tokens are half of a recording, and most are tiny: below this they are kept to a factor
#: of two. A step's listed candidates have theirs exactly.
LEAST_EXACT = 1e-4

#: Hides the output, since it has a widget most of the time, and hands it to saved.js, which stands
#: in another output. If no script takes it for some seconds, it shows its text.
_HAND_OVER = """(s=>{const o=s.previousElementSibling;o.hidden=true;(globalThis.xg2lab_saved??=[]).push(o);
setTimeout(()=>{if(Array.isArray(globalThis.xg2lab_saved))o.hidden=false},9e3)})(document.currentScript)"""
_NOTE = "The notebook holds a recording of this view: trust the notebook to see it drawn, or run the cell."
_NO_RECORDING = "The session is too long to be kept in a notebook. Run the cell, or write a page of it by export_html."
_MOST_LINES = 10


@dataclass
class _Display:
    """A view that a cell has displayed: `name` is how the kernel renews its HTML output."""

    view: View
    name: str
    cell: Cell

    @property
    def owner(self) -> SessionWidget | PadWidget | None:
        """The widget that is recorded: the session's, or that of a pad without a session."""
        return self.view.session or self.view.pad


_lock = threading.RLock()
_displays: list[_Display] = []
_code: list[Cell] = []  # the cell that shows the code: at most one


def facts(view: View) -> list[str]:
    """Return what a saved notebook says of a view in words: the first lines, and how many more there are."""
    lines = repr(view).splitlines()[1:]
    more = len(lines) - _MOST_LINES
    return lines if more <= 1 else [*lines[:_MOST_LINES], f"… {more} more lines: print the view"]


def facts_html(view: View, lines: list[str], note: str) -> str:
    """Return these facts as HTML, with a note on how to see the view drawn."""
    text = html.escape("\n".join(lines), quote=False)  # it is no attribute
    return f"<div><b>xg2lab {type(view).__name__}</b><pre>{text}</pre><small>{note}</small></div>"


def is_displayable() -> bool:
    """Return whether views are displayed on a page that keeps outputs, and shows a cell's outputs side by side."""
    # Colab draws each output in a frame of its own: neither would know of the other.
    return kernel_shell() is not None and "google.colab" not in sys.modules


def display(view: View, data: dict[str, object], metadata: dict[str, object]) -> None:
    """Display a view in the running cell: its widget, and what the notebook keeps of it.

    Parameters
    ----------
    view : View
        The view.
    data, metadata : dict
        The view's MIME bundle, with the widget in it.
    """
    cell = running_cell()
    with _lock:
        heirs = _forget_outputs_of_earlier_runs(cell)
        shown = _Display(view, f"xg2lab-{uuid.uuid4().hex}", cell)
        _displays.append(shown)
        needs_code = not _code
        if needs_code:
            _code.append(cell)
    for one in heirs:
        _publish(_output(one), {}, one.name, update=True)
    plain = {"text/plain": repr(view).split("\n", 1)[0]}
    _publish({name: value for name, value in data.items() if name != "text/html"} | plain, metadata)
    _publish(_output(shown), {}, shown.name)
    if needs_code:
        _publish({"text/html": _code_html(), "text/plain": ""})


def renew(widget: SessionWidget | PadWidget) -> None:
    """Send anew what notebooks keep of a session or a pad; nothing where no cell displays it.

    Parameters
    ----------
    widget : SessionWidget or PadWidget
        Whose news there are. A session's recording holds its pad, so all outputs of that session are sent.
    """
    with _lock:
        _displays[:] = [one for one in _displays if one.view.comm is not None]
        owners = [one.owner for one in _displays if widget in (one.view.session, one.view.pad)]
        shown = [one for one in _displays if one.owner in owners]
    for one in shown:
        _publish(_output(one), {}, one.name, update=True)


def forget(widget: object) -> None:
    """The page was reloaded: a host no longer knows which outputs the kernel would renew. The next display is a first.

    Parameters
    ----------
    widget : SessionWidget or PadWidget
        What the new page shows.
    """
    with _lock:
        _displays[:] = [one for one in _displays if widget is not one.view.session and widget is not one.view.pad]


def _forget_outputs_of_earlier_runs(cell: Cell) -> list[_Display]:
    """A cell that runs again has lost its outputs, and a closed view shows nothing; who holds their recordings next."""

    def is_gone(of: Cell) -> bool:
        return of.name is not None and of.name == cell.name and of.run != cell.run

    left = [one for one in _displays if is_gone(one.cell) or one.view.comm is None]
    firsts = [one for one in left if _is_first(one)]
    _displays[:] = [one for one in _displays if one not in left]
    _code[:] = [of for of in _code if not is_gone(of)]
    heirs = (next((other for other in _displays if other.owner is one.owner), None) for one in firsts)
    return [heir for heir in heirs if heir is not None]


def _is_first(shown: _Display) -> bool:
    """Whether the recording is in this output: the first of its session."""
    return next((one for one in list(_displays) if one.owner is shown.owner), None) is shown


def _publish(
    data: dict[str, object], metadata: dict[str, object] | None = None, name: str | None = None, *, update: bool = False
) -> None:
    shell = kernel_shell()
    if shell is None:  # it ends
        return
    transient = {} if name is None else {"display_id": name}
    shell.display_pub.publish(data=data, metadata=metadata or {}, transient=transient, update=update)


def _output(shown: _Display) -> dict[str, object]:
    """The HTML output of a view: its facts, the recording if it is the first of its session, the script."""
    view, owner = shown.view, shown.owner
    parts = _recorded(shown) if owner is not None and _is_first(shown) else {}
    note = _NO_RECORDING if parts is None else _NOTE
    of = "" if owner is None else owner.model_id
    pad = None if view.pad is None else view.pad.replay
    came = [] if view.session is None else [came_to(view.session.session.trace)]
    came += [] if pad is None else [pad[-8:].hex()]  # gzip's check sum and length
    made = str(time.time_ns() // 1_000_000)
    scripts = [_script("recorded", part, of=of, part=name, made=made) for name, part in (parts or {}).items()]
    asked = view.frame_asked
    frame = {} if asked is None else {"frame": json.dumps(asked)}
    named = _attributes(kind=view.PANEL, view=view.view_id, of=of, build=_build(), came=" ".join(came), **frame)
    told = facts(view)
    seen = f'<div class="xg2lab-saved" {named}>{facts_html(view, told, note)}</div><script>{_HAND_OVER}</script>'
    return {"text/html": "\n".join([seen, *scripts]), "text/plain": "\n".join(told)}


def came_to(trace: Trace) -> str:
    """How far a trace has come, in a word that another one hardly has; the page has the same (widgets/src/trace.ts)."""
    texts = trace.header["grammar"]["text"], trace.header["prompt"]
    lengths = [len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts]  # as JavaScript counts
    steps = list(trace.steps)
    taken = sum((step.token_id or 0) + 1 for step in steps)
    units = [memoryview(note["text"].encode("utf-16-le", "surrogatepass")).cast("H") for note in trace.annotations]
    noted = [sum(map(sum, units))] if units else []
    return " ".join(map(str, [*lengths, len(trace.branches), len(steps), taken, *noted]))


def _recorded(shown: _Display) -> dict[str, str] | None:
    """The parts of a recording; None if even the trace alone is too long."""
    session = shown.view.session
    packed = {"values": pack_trace({})} if session is None else session.recording(LEAST_EXACT)
    pads = [one.view.pad for one in _displays if one.owner is shown.owner and one.view.pad is not None]
    if pads:
        packed["pad"] = pads[0].packed()
    parts = {name: _text(part) for name, part in packed.items()}
    if sum(map(len, parts.values())) > MOST_RECORDED_CHARACTERS:
        parts.pop("bulk", None)
    if sum(map(len, parts.values())) > MOST_RECORDED_CHARACTERS:
        return None
    return parts


def _script(kind: str, text: str, **data: str) -> str:
    """Data that a page's script reads, and that no browser runs."""
    return f'<script type="text/plain" class="xg2lab-{kind}" {_attributes(**data)}>{text}</script>'


def _text(data: bytes) -> str:
    """Bytes as text of a script: base 85, six per cent shorter than base 64, and "," for "<"."""
    return base64.b85encode(data).decode("ascii").replace("<", ",")


def _attributes(**data: str) -> str:
    return " ".join(f'data-{name}="{html.escape(value)}"' for name, value in data.items())


@functools.cache
def _build() -> str:
    """Names the code that a recording is drawn by."""
    return hashlib.sha256(bundle_path("runtime.js.gz").read_bytes()).hexdigest()[:12]


def _code_html() -> str:
    packed = _text(bundle_path("runtime.js.gz").read_bytes())
    script = bundle_text("saved.js").replace("</script", "<\\/script")
    return f"{_script('code', packed, build=_build())}<script>{script}</script>"
