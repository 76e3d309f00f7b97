"""One HTML file that replays a session: opened from disk, with no kernel, no server and no network.

    wb = Workbench(session)
    wb.export_html("lesson.html")                       # this view
    export_html(session, "lesson.html", views=("tape", "fsm_view"))

IDEA
  The file holds what a notebook's page holds: the bundle, the trace, masks, the vocabulary, the layout engine. A small
  host (widgets/src/host.ts) stands for the kernel and refuses what only one can answer. The page's own policy forbids
  every request, so that nothing leaves the reader's machine whatever is clicked.

  Candidates that are listed can be clicked, so each is explained while there still is an engine to ask.

COST    The page, the layout engine, the trace (all compressed, in base64), and two bytes a token and step before
        compression for masks. Of masks that would pass `max_bytes` the oldest are left out, with a warning.
See also `xg2lab.widgets.replay`, which packs what a saved notebook keeps.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from xg2lab.errors import ArgumentError, LimitError, SessionError, VocabularyError
from xg2lab.lab.session.selection import nothing_selected
from xg2lab.lab.trace.trace import Trace
from xg2lab.support.files import write_file
from xg2lab.widgets.bundle import bundle_path, bundle_text
from xg2lab.widgets.page_trace import replayed
from xg2lab.widgets.panels import AS_WRITTEN, PANELS
from xg2lab.widgets.replay import MaskFacts, Vocabulary, mass_by_class, pack_bulk, pack_trace, vocabulary_of

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session
    from xg2lab.lab.trace.lost_mass import LostMass
    from xg2lab.lab.trace.steps import Step
    from xg2lab.tokenizer_info import TokenizerInfo
    from xg2lab.widgets.view import View

__all__ = ["MAX_BYTES", "ExportOptions", "ExportWarning", "Reports", "export_html", "picture_page"]

#: What a file may weigh if nothing else is said.
MAX_BYTES = 16 << 20

#: Of inline scripts the host alone may run, named by its hash: a script that gets into the page by
#: any way stays text.
_POLICY = (
    "default-src 'none'; script-src 'sha256-{host}' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'"
)
_STYLE = """
body { margin: 0; font: 13px/20px system-ui, sans-serif; background: light-dark(#fff, #15181c);
  color: light-dark(#1a1d21, #e9ebee) }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 16px; padding: 12px 16px }
h1 { font-size: 16px; margin: 0 } header p { margin: 0; flex: 1 1 20em; color: light-dark(#4a515b, #b9c0c9) }
main { padding: 0 16px 24px; box-sizing: border-box } main section { margin-bottom: 16px }
footer { padding: 0 16px 16px } footer summary { width: fit-content; cursor: pointer }
footer pre { font-size: 12px; white-space: pre-wrap }
body[data-xg2lab-fills] { display: flex; flex-direction: column; height: 100vh; overflow: auto }
body[data-xg2lab-fills] main { padding-bottom: 0; flex: 1 0 320px; min-height: 0; height: 320px }
body[data-xg2lab-fills] section { height: 100%; margin: 0 }
body[data-xg2lab-fills] footer { padding-top: 4px; padding-bottom: 4px }
select, button#xg2lab-link { font: inherit; color: inherit; background: inherit;
  border: 1px solid light-dark(#c6c7c8, #4a4d51) }
#xg2lab-failed { margin: 16px; color: light-dark(#a3123f, #ff8099) }
"""


#: Folded away at the page's end: what the page holds of others, and under which licences.
_NOTICES = """<footer><details><summary>Third-party notices</summary>
<pre id="xg2lab-notices">{text}</pre></details></footer>
"""
_ABOUT = """A recorded session of {n} tokens. Go to any step, and select any listed token to see why it may or may
not come next. To sample more tokens, to force one or to explain others, run the notebook that made this page."""
_PAD_PATIENCE_S = 30.0


class Reports(TypedDict):
    """What a page that replays a session needs beside the trace: traits of its widget."""

    audit: schema.AuditReport | schema.ReportError | None
    compare: schema.CompareReport | schema.EngineReport | schema.ReportError | None
    lockstep: schema.LockstepReport | schema.ReportError | None
    stages: dict[str, list[schema.WireStage]]


class PageState(TypedDict):
    """What a page begins with beside the trace."""

    selection: schema.Selection
    reports: Reports | None
    frame: schema.Frame | None


class ExportOptions(TypedDict, total=False):
    """The parameters of `export_html` behind the path."""

    views: Sequence[str]
    title: str | None
    max_bytes: int
    graphviz: bool
    reports: Reports | None
    pad: bytes | None
    tokenizer_info: TokenizerInfo | None
    frame: schema.Frame | None


class ExportWarning(UserWarning):
    """An exported page leaves something out. The text says what, and which limit is the reason.

    >>> issubclass(ExportWarning, UserWarning)
    True
    """


def export_html(
    session: Session | Trace,
    path: str | os.PathLike[str],
    *,
    views: Sequence[str] = ("workbench",),
    title: str | None = None,
    max_bytes: int = MAX_BYTES,
    graphviz: bool = True,
    reports: Reports | None = None,
    pad: bytes | None = None,
    tokenizer_info: TokenizerInfo | None = None,
    frame: schema.Frame | None = None,
) -> Path:
    """Write a page that replays a session. An existing file of that name is replaced as a whole.

    Parameters
    ----------
    session : Session or Trace
        The session. A trace, as `Trace.load` reads it, shows what was recorded: reasons for the candidates that the
        session explained, and no masks without `tokenizer_info`, since a trace holds no vocabulary.
    path : str or path
        The file.
    views : sequence of str
        The views to show, one below the other, by their `PANEL` names.
    title : str, optional
        The page's title; the session's name if left out.
    max_bytes : int
        The largest file, in bytes. Masks of early steps are left out to meet it.
    graphviz : bool
        False leaves the layout engine out (0.8 MB). Machines are then drawn in layers.
    reports : dict, optional
        What the views of checks and runs show, by the names `audit`, `compare` and `lockstep`: the `to_wire()` of an
        `AuditReport`, a `CompareReport` or an `EngineComparison`, and a `LockstepReport`.
    pad : bytes, optional
        The source and examples to show as text, from `PadWidget.packed()`; the grammar's own text if left out.
    tokenizer_info : TokenizerInfo, optional
        The vocabulary of a trace; a session has its own. Masks are drawn with it.
    frame : dict, optional
        The arrangement, height and lesson of a workbench: `Workbench.frame`.

    Returns
    -------
    pathlib.Path
        The path.

    Raises
    ------
    LimitError
        The page would be too large even without masks.
    ArgumentError
        There is no such view, or `tokenizer_info` is given for a session.
    VocabularyError
        `tokenizer_info` has another number of tokens than the trace.

    Warns
    -----
    ExportWarning
        Masks of early steps are left out.

    >>> import tempfile
    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = export_html(session, f"{folder}/lesson.html", views=("tape", "why_card"), graphviz=False)
    ...     "default-src 'none'" in path.read_text()
    True
    """
    unknown = [name for name in views if name not in PANELS]
    if unknown or not views:
        raise ArgumentError(f"there is no view {', '.join(map(repr, unknown)) or 'named'}", hint=", ".join(PANELS))
    path = Path(path)
    if isinstance(session, Trace):
        trace, words, selection = session, _vocabulary(session, tokenizer_info), nothing_selected()
    else:
        if tokenizer_info is not None:
            raise ArgumentError("tokenizer_info is for a trace", hint="leave it out: a session has its own vocabulary")
        _record(session, views)
        trace, words, selection = session.trace, vocabulary_of(session.tokenizer_info), session.selection
    steps, vocab_size, name = list(trace.steps), trace.header["vocab_size"], trace.header["name"]
    parts = _code(graphviz=graphviz)
    parts["trace"] = _packed(pack_trace(replayed(trace) if isinstance(session, Trace) else _explained(session)))
    if pad is not None:
        parts["pad"] = _packed(pad)
    masks = [facts for step in steps if (facts := _mask(trace, step)) is not None]
    state: PageState = {"selection": selection, "reports": reports, "frame": frame}
    about = _ABOUT.format(n=trace.n_decided)
    shell = _page(title or name, {}, views, about, state, "")
    fixed = len(shell) + sum(map(len, parts.values())) + len(_packed(pack_bulk(vocab_size, [], words)))
    if fixed > max_bytes:
        sizes = ", ".join(f"{name} {len(part):,}" for name, part in parts.items())
        raise LimitError(
            f"the page would have {fixed:,} bytes even without masks; max_bytes is {max_bytes:,} ({sizes})",
            hint=f"give max_bytes={fixed + (1 << 20)}, or graphviz=False, or export a shorter session",
        )
    kept, bulk = _most_masks(vocab_size, masks, words, max_bytes - fixed)
    parts["bulk"] = _packed(bulk)
    left_out = ""
    if kept < len(steps):
        left_out = f"The masks of the first {len(steps) - kept} of {len(steps)} steps are not in this page."
    if kept < len(masks):
        warnings.warn(f"{left_out} max_bytes is {max_bytes:,}: give more to keep them all", ExportWarning, stacklevel=2)
    text = _page(title or name, parts, views, about, state, left_out)
    return write_file(path, text)


def _vocabulary(trace: Trace, info: TokenizerInfo | None) -> Vocabulary | None:
    """The vocabulary that a trace was made with, if it is given."""
    if info is None:
        return None
    if info.vocab_size != trace.header["vocab_size"]:
        raise VocabularyError(
            f"the trace is of {trace.header['vocab_size']:,} tokens, tokenizer_info has {info.vocab_size:,}",
            hint="give the TokenizerInfo of the session that made the trace",
        )
    return vocabulary_of(info)


def _record(session: Session, views: Sequence[str]) -> None:
    """Record what these views draw beside the trace."""
    if "operator_view" in views:
        session.record_operators()
    if not AS_WRITTEN.isdisjoint(views):
        session.record_as_written()


def picture_page(view: View) -> str:
    """The page of one view as it is now, which `xg2lab.widgets.pictures` reads: with the editor, and with no limit.

    Only the step under the cursor is explained; of masks there are those of that step and the one before. A pad
    without a session stands alone.
    """
    of_session, pad, panel = view.session, view.pad, view.PANEL
    parts = _code(graphviz=panel in ("fsm_view", "workbench"))
    state: PageState = {"selection": nothing_selected(), "reports": None, "frame": view.frame_asked}
    title = "picture"
    if pad is not None:
        pad.pad.wait(_PAD_PATIENCE_S)
        parts["pad"] = _packed(pad.packed())
        parts["asset-editor"] = _packed(bundle_path("editor.js.gz").read_bytes())
    if of_session is not None:
        session = of_session.session
        _record(session, [panel])
        trace, at = session.trace, view.step_index
        title = session.name
        state = {"selection": session.selection, "reports": of_session.reports(), "frame": view.frame_asked}
        parts["trace"] = _packed(pack_trace(_explained(session, only=at)))
        masks = [facts for step in trace.steps[max(0, at - 1) : at + 1] if (facts := _mask(trace, step)) is not None]
        n_tokens, words = session.tokenizer_info.vocab_size, vocabulary_of(session.tokenizer_info)
        parts["bulk"] = _packed(pack_bulk(n_tokens, masks, words, most_bytes=max(1, 4 * n_tokens)))
    return _page(title, parts, (panel,), "", state, "")


def _code(*, graphviz: bool) -> dict[str, str]:
    """Return the parts of the bundle that every page has."""
    parts = {
        "runtime": _packed(bundle_path("runtime.js.gz").read_bytes()),
        "asset-picture": _packed(bundle_path("picture.js.gz").read_bytes()),
    }
    if graphviz:
        parts["asset-graphviz"] = _packed(bundle_path("graphviz.js.gz").read_bytes())
    return parts


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _explained(session: Session, only: int | None = None) -> schema.TraceFile:
    """The trace with every listed candidate explained, and the lost mass by rule, as far as the engine can be asked.

    The selected token is explained too: the one that the grammar refused, where ids of another run are replayed. `only`
    one step, if it is given.
    """
    trace, selected = session.trace, session.selection
    cursor = len(trace.steps) - 1 if selected["step"] is None else selected["step"]
    asked: dict[int, dict[int, schema.Explanation]] = {}
    lost: dict[int, LostMass | None] = {}
    for step in list(trace.steps) if only is None else trace.steps[only : only + 1]:
        try:
            tokens = {candidate.token_id for candidate in step.top}
            if selected["token"] is not None and step.index in (cursor, only):
                tokens.add(selected["token"])
            asked[step.index] = {token: session.explain(token, step.index) for token in sorted(tokens)}
            lost[step.index] = session.lost_mass(step.index)
        except SessionError:  # the output had left the grammar, or the session was closed
            continue
    wire = replayed(trace, asked)
    for index, known in lost.items():
        wire["steps"][index]["lost"] = None if known is None else known.to_wire()
    return wire


def _mask(trace: Trace, step: Step) -> MaskFacts | None:
    kept = trace.bulk.get(step.index)
    provenance = None if kept is None else kept.provenance
    if kept is None or provenance is None:
        return None
    codes = kept.probability
    if codes is None:
        return step.index, provenance.tobytes(), bytes(len(provenance)), None
    return step.index, provenance.tobytes(), codes.tobytes(), mass_by_class(provenance, codes, step.z)


def _most_masks(n_tokens: int, masks: Sequence[MaskFacts], words: Vocabulary | None, room: int) -> tuple[int, bytes]:
    """The newest masks that fit into `room` bytes of base64, beside the vocabulary: how many, and all of it packed."""
    empty = len(_packed(pack_bulk(n_tokens, [], words)))
    kept, most = len(masks), max(1, 2 * n_tokens * len(masks))
    while True:
        bulk = pack_bulk(n_tokens, masks[len(masks) - kept :], words, most_bytes=most) if kept else b""
        if not kept:
            return 0, pack_bulk(n_tokens, [], words)
        over = len(_packed(bulk)) - empty
        if over <= room:
            return kept, bulk
        kept = min(kept - 1, kept * max(room, 0) // over)


def _page(title: str, parts: dict[str, str], views: Sequence[str], about: str, state: PageState, left_out: str) -> str:
    """The page; one that a reader keeps (it says what it is `about`) has the notices of what it holds of others."""
    notices = _NOTICES.format(text=escape(bundle_text("NOTICES.txt"))) if about else ""
    tags = "\n".join(f'<script type="text/plain" id="xg2lab-{name}">{part}</script>' for name, part in parts.items())
    saved = {"views": list(views), **state, "reports": state["reports"] or {}}
    host = bundle_text("host.js").replace("</script", "<\\/script")
    policy = _POLICY.format(host=base64.b64encode(hashlib.sha256(host.encode()).digest()).decode("ascii"))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title><style>{_STYLE}</style></head>
<body><header><h1>{escape(title)}</h1>
<p>{about} {escape(left_out)}</p>
<button type="button" id="xg2lab-link" title="The address of this page with what is selected">link to this</button>
<label>theme <select id="xg2lab-theme"><option>system<option>light<option>dark</select></label>
</header><p id="xg2lab-failed" role="alert" hidden></p><main id="xg2lab-views"></main>
{notices}<script type="application/json" id="xg2lab-saved">{_json(saved)}</script>
{tags}
<script>{host}</script></body></html>
"""


def _json(value: object) -> str:
    """JSON that can stand in a script element."""
    return json.dumps(value).replace("<", "\\u003c")
