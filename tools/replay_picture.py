"""The moving picture on top of the first notebook: a recorded tool call, one step a second, once.

    python -m tools.take_pictures replay    # writes docs/images/replay.svg

IDEA
  Nothing of a notebook runs before its reader runs it, and JupyterLab shows no script of a notebook that it did not
  write itself. An image needs neither: it moves in JupyterLab, on a Git host's viewer and in an editor's preview. So
  the picture draws what the views draw, from the same record: the text so far, the mask of the next token with a cell
  for each token of the vocabulary, the candidates. Its last frame is the step at which the grammar blocked most.

See also `tools/animate.py`, which makes one file of the frames.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tools.animate import Frame, animated

if TYPE_CHECKING:
    from xg2lab import Session
    from xg2lab.lab.trace.steps import Candidate, Step

__all__ = ["replay_picture"]

WIDTH, HEIGHT = 760, 372
COLUMNS, CELL = 64, 7
GRID_X, GRID_Y = 20, 124
LIST_X = 500
STEP_S, LAST_S = 1.0, 4.0
MOST_LISTED = 5
#: Characters of a line of the reason.
MOST_REASON = 36
INK, FAINT, GREEN, RED, YELLOW = "#1a1d21", "#5c636c", "#00855c", "#a3123f", "#ffe98f"
SANS = "system-ui, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', monospace"
#: Letters of this size are so wide in every monospaced font that matters; `textLength` holds a line to it.
LETTER_PX = 7.22


def replay_picture(session: Session) -> str:
    """Return the picture of a finished session as SVG.

    Parameters
    ----------
    session : Session
        A session with a model, whose trace has the masks of all steps.

    Returns
    -------
    str
        One SVG that plays once; a reader who prefers reduced motion sees its last frame.
    """
    from xg2lab.widgets.replay import vocabulary_of

    steps = session.trace.steps
    rank = np.argsort(vocabulary_of(session.tokenizer_info).order)
    frames = [Frame(_frame(session, step, rank), STEP_S) for step in steps if step.kind is not None]
    lowest = min((step for step in steps if _wanted(step)), key=lambda step: 1.0 if step.z is None else step.z)
    frames.append(Frame(_frame(session, lowest, rank, is_last=True), LAST_S))
    title = (
        "A tool call, one token a second: the text so far, the tokens that the grammar allows next, and the candidates"
    )
    return animated(frames, title=title, once=True)


def _allowed(session: Session, step: Step) -> np.ndarray:
    from xg2lab.lab.trace.bulk import ALLOWED

    bulk = session.trace.bulk.get(step.index)
    if bulk is None or bulk.provenance is None:
        raise ValueError(f"the trace has no mask of step {step.index}")
    return np.isin(bulk.provenance, ALLOWED)


def _wanted(step: Step) -> Candidate | None:
    """The most probable token that the mask blocks."""
    from xg2lab.lab.trace.bulk import ALLOWED

    return next((one for one in step.top if one.provenance is not None and one.provenance not in ALLOWED), None)


def _frame(session: Session, step: Step, rank: np.ndarray, *, is_last: bool = False) -> str:
    allowed = _allowed(session, step)
    n = int(allowed.sum())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        f'<defs><pattern id="dots" x="{GRID_X}" y="{GRID_Y}" width="{CELL}" height="{CELL}" ',
        'patternUnits="userSpaceOnUse">',
        '<rect x="2" y="2" width="2" height="2" fill="#c3c7cc"/></pattern></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_written(session, step),
        _text(GRID_X, GRID_Y - 12, f"step {step.index}: {n:,} of {len(allowed):,} tokens may come next", bold=True),
        *_mask(allowed, rank),
        *_candidates(step),
        *(_last(session, step) if is_last else []),
        "</svg>",
    ]
    return "".join(parts)


def _text(x: float, y: float, text: str, color: str = INK, *, bold: bool = False, mono: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    family = MONO if mono else SANS
    held = f' textLength="{len(text) * LETTER_PX:.4g}"' if mono else ""
    return (
        f'<text x="{x:.4g}" y="{y:.4g}" font-family="{family}" font-size="12" fill="{color}"{weight}{held} '
        f'xml:space="preserve">{escape(text)}</text>'
    )


def _written(session: Session, step: Step) -> list[str]:
    """The request, and the text before this step's token; the newest token is marked."""
    request = session.trace.header["prompt"].rpartition("user")[2].strip("\n<|im_end>").partition("<|")[0]
    out = [_text(GRID_X, 30, "request", FAINT), _text(GRID_X + 64, 30, request)]
    out.append(_text(GRID_X, 56, "answer", FAINT))
    x, y = GRID_X + 64.0, 56.0
    before = session.trace.steps[: step.index]
    for one in before:
        shown = one.text.replace("\n", "↵")
        width = len(shown) * LETTER_PX
        if x + width > WIDTH - 20:
            x, y = GRID_X + 64.0, y + 20
        if one is before[-1]:
            out.append(f'<rect x="{x - 1:.4g}" y="{y - 13:.4g}" width="{width + 2:.4g}" height="18" fill="{YELLOW}"/>')
        out.append(_text(x, y, shown, mono=True))
        x += width
    return out


def _mask(allowed: np.ndarray, rank: np.ndarray) -> list[str]:
    """A dot for each token, and a square for each that may come next."""
    rows = -(-len(allowed) // COLUMNS)
    squares = "".join(
        f"M{GRID_X + place % COLUMNS * CELL + 1} {GRID_Y + place // COLUMNS * CELL + 1}h5v5h-5z"
        for place in sorted(int(rank[token]) for token in np.flatnonzero(allowed))
    )
    return [
        f'<rect x="{GRID_X}" y="{GRID_Y}" width="{COLUMNS * CELL}" height="{rows * CELL}" fill="url(#dots)"/>',
        f'<path d="{squares}" fill="{GREEN}"/>',
    ]


def _candidates(step: Step) -> list[str]:
    """What the model gave most probability, and which of it the mask blocks."""
    from xg2lab.lab.trace.bulk import ALLOWED

    out = [_text(LIST_X, GRID_Y - 12, "what the model wants", bold=True)]
    y = GRID_Y + 10.0
    for one in step.top[:MOST_LISTED]:
        is_allowed = one.provenance in ALLOWED
        p = one.p or 0.0
        color = GREEN if is_allowed else RED
        out.append(f'<rect x="{LIST_X}" y="{y + 5:.4g}" width="{max(1.0, 200 * p):.4g}" height="5" fill="{color}"/>')
        out.append(_text(LIST_X, y, one.text.replace("\n", "↵")[:20], mono=True))
        said = f"{p:.3f}" + ("" if is_allowed else ", blocked")
        out.append(_text(LIST_X + 150, y, said, INK if is_allowed else RED))
        y += 28
    out.append(_text(LIST_X, y + 8, "the model chose", FAINT))
    out.append(_text(LIST_X + 104, y + 8, step.text.replace("\n", "↵")[:18], mono=True))
    return out


def _last(session: Session, step: Step) -> list[str]:
    """The step at which the grammar blocked most: which token, and why."""
    wanted = _wanted(step)
    if wanted is None:
        raise ValueError("nothing was blocked in this session")
    why = session.explain(wanted.token_id, step.index)
    y = GRID_Y + 10 + 28 * min(MOST_LISTED, len(step.top)) + 36
    out = [_text(LIST_X, y, f"Why not “{wanted.text}”?", RED, bold=True)]
    line: list[str] = []
    for word in why["reason"].split(" "):
        if sum(len(one) + 1 for one in [*line, word]) > MOST_REASON:
            y += 18
            out.append(_text(LIST_X, y, " ".join(line)))
            line = []
        line.append(word)
    out.append(_text(LIST_X, y + 18, " ".join(line)))
    return out
