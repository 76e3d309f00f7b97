r"""The output cut by operator, and how much of it was written without a choice of the model.

>>> import xg2lab as xgr
>>> from xg2lab.lab import Session
>>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
>>> session = Session('root ::= "<" [ab]+ ">"', info)
>>> session.record_operators()
>>> taken = session.force("<ab>")
>>> for segment in segments_of(session.trace):
...     print(segment.first, segment.last, segment.text)
0 0 Write "<"
1 2 Wait allows=[a-b]
3 3 Write ">"

IDEA
  A token belongs to the operator that took its first byte. That is known where one active operator alone can have
  taken it: a Write whose next byte it is, or else the one that is no Write.

See also `operators.py`, what a trace keeps of operators.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xg2lab.lab.trace.table import time_text

if TYPE_CHECKING:
    from xg2lab.lab.trace.steps import Step
    from xg2lab.lab.trace.trace import Trace

__all__ = ["Segment", "Share", "goes_on", "segments_of", "share_of", "written_at"]

_LABEL, _DATA, _N_BYTES = 5, 10, 11  # of an operator's row (xg2lab/lab/trace/operators.py)


@dataclass(frozen=True)
class Segment:
    """Steps from `first` to `last`, whose first bytes one operator took.

    `writer` is its number; None where one of `n_others` did and nothing says which, or where it was not recorded.
    `crosses`: the last token goes on in the next operator.
    """

    first: int
    last: int
    writer: int | None
    n_others: int = 0
    crosses: bool = False
    label: str = ""  # of the writer

    @property
    def text(self) -> str:
        """What wrote it, in words.

        >>> Segment(0, 1, 3, crosses=True, label='Write "a"').text, Segment(2, 2, None, n_others=2).text
        ('Write "a", and on', 'one of 2')
        """
        unknown = f"one of {self.n_others}" if self.n_others else "not recorded"
        return f"{unknown if self.writer is None else self.label}{', and on' if self.crosses else ''}"


def segments_of(trace: Trace) -> list[Segment]:
    """The decided steps with bytes, cut where another operator wrote; empty for a trace without operators."""
    out: list[Segment] = []
    for step in trace.steps:
        wrote = written_at(trace, step)
        if wrote is None:
            continue
        if out and goes_on(out[-1], wrote):
            out[-1] = replace(out[-1], last=wrote.last, crosses=wrote.crosses)
        else:
            out.append(wrote)
    return out


def goes_on(before: Segment, wrote: Segment) -> bool:
    """Whether the step after a segment belongs to it."""
    is_next = (before.writer, before.last + 1) == (wrote.writer, wrote.first)
    return wrote.writer is not None and is_next and not before.crosses


def written_at(trace: Trace, step: Step) -> Segment | None:
    """The segment of a step alone; None where it has no bytes, or the trace no operators."""
    tree = trace.operators
    if tree is None or "rows" not in tree or step.kind is None or step.n_bytes == 0:
        return None
    unknown = Segment(step.index, step.index, None)
    active = step.operators
    if active is None or active["n"] > len(active["at"]):
        return replace(unknown, n_others=0 if active is None else active["n"])
    data = bytes.fromhex(step.bytes)
    rest: dict[int, int] = {}  # of a Write: bytes that are left
    others: set[int] = set()
    for each in active["at"]:
        row, n_written = tree["rows"][each["operator"]], each["n_written"]
        known = b"" if row[_DATA] is None else bytes.fromhex(row[_DATA])
        if n_written >= len(known):
            others.add(each["operator"])
        elif known[n_written] == data[0]:
            rest[each["operator"]] = row[_N_BYTES] - n_written
    if len(rest) == 1 and (tree["is_deterministic"] or not others):
        ((writer, n_left),) = rest.items()
        return replace(unknown, writer=writer, crosses=len(data) > n_left, label=tree["rows"][writer][_LABEL])
    if not rest and len(others) == 1:
        (writer,) = others
        return replace(unknown, writer=writer, label=tree["rows"][writer][_LABEL])
    return replace(unknown, n_others=len(rest) + len(others))


@dataclass(frozen=True)
class Share:
    """How many tokens were written, and of how many the model had no choice.

    `n_jumped` are of a text that had to follow, and were written without asking the model; before the `n_forced` it was
    asked, and one token alone was allowed. `saved_ms` are the model's passes before the former, `model_ms` all of them;
    None without a model. A session measures the model before each token, for its views: a decoder that jumps doesn't,
    so `saved_ms` is what it saves.
    """

    n_tokens: int
    n_jumped: int
    n_forced: int
    saved_ms: float | None
    model_ms: float | None

    @property
    def share(self) -> float:
        """Of all tokens those in which the model had no choice; 0 before there is one."""
        return (self.n_jumped + self.n_forced) / self.n_tokens if self.n_tokens else 0.0

    def __str__(self) -> str:
        n = self.n_jumped + self.n_forced
        tokens = f"{self.n_tokens:,} token{'s' * (self.n_tokens != 1)}"
        out = (
            f"without a choice of the model: {n:,} of {tokens}, {100 * self.share:.0f} % "
            f"({self.n_jumped:,} by jump-forward, {self.n_forced:,} alone allowed)"
        )
        if not self.n_jumped or self.saved_ms is None or self.model_ms is None:
            return out
        saved, all_of_it = time_text(1e3 * self.saved_ms), time_text(1e3 * self.model_ms)
        return (
            f"{out}; passes before tokens written by jump-forward: {saved} of {all_of_it}, "
            "which a decoder that jumps saves"
        )


def share_of(trace: Trace) -> Share:
    """The share of a trace's decided steps.

    >>> from xg2lab.lab.trace.steps import Step
    >>> from xg2lab.lab.trace.trace import Trace, header
    >>> trace = Trace(header("demo", vocab_size=9))
    >>> for n, (kind, ms) in enumerate([("jump_forward", 2.0), ("forced_by_grammar", 3.0), ("sampled", 5.0)]):
    ...     step = Step(n, byte_begin=n, n_allowed=1, model_ms=ms)
    ...     trace.begin(step)
    ...     trace.decide(replace(step, kind=kind, token_id=1, text="x", bytes="78", n_bytes=1))
    >>> share = share_of(trace)
    >>> share.n_jumped, share.n_forced, share.saved_ms, share.model_ms
    (1, 1, 2.0, 10.0)
    >>> str(share).partition(";")[0]
    'without a choice of the model: 2 of 3 tokens, 67 % (1 by jump-forward, 1 alone allowed)'
    """
    decided = [step for step in trace.steps if step.kind is not None]
    kinds = [step.kind for step in decided]
    has_model = any(step.model_ms is not None for step in decided)

    def passes_ms(*wanted: str) -> float | None:
        if not has_model:
            return None
        return sum(step.model_ms or 0.0 for step in decided if not wanted or step.kind in wanted)

    return Share(
        len(decided),
        kinds.count("jump_forward"),
        kinds.count("forced_by_grammar"),
        passes_ms("jump_forward"),
        passes_ms(),
    )
