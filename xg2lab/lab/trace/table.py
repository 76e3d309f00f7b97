r"""A trace as plain text, one line a decision: what `print(session.trace)` shows.

>>> shown("a\nb"), shown("a very long token text", 8)
("'a\\nb'", "'a very…'")

Every line fits 100 columns of a terminal that knows no colour. See also `xg2lab.lab.trace.trace`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xg2lab.lab.trace.annotations import subject_text

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.steps import Step
    from xg2lab.lab.trace.trace import Trace

__all__ = ["probability", "shown", "time_text", "trace_table"]

_WORDS = {
    None: "pending",
    "sampled": "sampled",
    "forced_by_grammar": "by grammar",
    "forced_by_user": "by user",
    "jump_forward": "jump",
}
_HEAD = (
    f"{'#':>4}  {'kind':<10}  {'token':<24}  {'p':>6} {'q':>6} {'rank':>5}  "
    f"{'Z':>6} {'allowed':>8} {'mask us':>9}  cache"
)
_MAX_ROWS, _WIDTH = 60, 100


def shown(text: str, width: int = 24) -> str:
    """A token's text in quotes, control characters escaped, cut to about `width`."""
    quoted = repr(text)
    return quoted if len(quoted) <= width else f"{quoted[: width - 1]}…{quoted[-1]}"


def probability(value: float | None) -> str:
    """A probability in six columns; below 0.001 as a power of ten; blank when there is none."""
    if value is None:
        return ""
    return f"{value:.4f}" if value >= 0.001 or value == 0 else f"{value:.0e}"


def trace_table(trace: Trace) -> str:
    """The trace's title, what it leaves out, its author's notes, and a row for each step; a long middle is folded."""
    steps, n_back = list(trace.steps), sum(len(b.steps) for b in trace.branches)
    title = f'Trace "{trace.header["name"]}": tokens {trace.n_decided}, bytes {trace.n_bytes}'
    if n_back:
        title += f", taken back {n_back} in branches {len(trace.branches)}"
    lines = [title, *(f"  note: {note}" for note in trace.notes)]
    if trace.broke is not None:
        lines.append(f"  left the grammar at byte {trace.broke['byte']}: {trace.broke['reason']}")
    lines += [_note(note) for note in trace.annotations]
    fold = len(steps) - _MAX_ROWS
    rows = [_row(step) for step in steps]
    if fold > 0:
        half = _MAX_ROWS // 2
        rows = [*rows[:half], f"      … {fold} steps folded; all are in trace.steps and trace.data()", *rows[-half:]]
    return "\n".join([*lines, _HEAD, *rows])


def _note(note: schema.Annotation) -> str:
    text = f"  note {note['number']}, {subject_text(note)}: {' '.join(note['text'].split())}"
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _row(step: Step) -> str:
    allowed = "" if step.n_allowed is None else f"{step.n_allowed:,}"
    mask = "" if step.mask_us is None else f"{step.mask_us:,.1f}"
    token = "" if step.is_pending else shown(step.text, 23)
    rank = "" if step.rank is None else str(step.rank)
    cache = (step.cache or "").removesuffix("_hit")
    line = (
        f"{step.index:>4}  {_WORDS[step.kind]:<10}  {token:<24}  {probability(step.p):>6} {probability(step.q):>6} "
        f"{rank:>5}  {probability(step.z):>6} {allowed:>8} {mask:>9}  {cache}"
    )
    return line.rstrip()


def time_text(us: float | None) -> str:
    """Microseconds as they are shown: below 10 one decimal, from 1,000 on milliseconds."""
    if us is None:
        return "-"
    if us >= 1000:
        return f"{us / 1000:,.3g} ms" if us < 1e6 else f"{us / 1000:,.0f} ms"
    return f"{us:.1f} us" if us < 10 else f"{us:.0f} us"
