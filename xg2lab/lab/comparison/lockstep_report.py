"""What is known of runs side by side: each side's tokens, what varies, and what one mask allows that another does not.

>>> from xg2lab import Session, TokenizerInfo
>>> info = TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> one, two = Session('root ::= [ab]', info, name="one"), Session('root ::= "b"', info, name="two")
>>> print(held_at(one, two, None))
at byte 0 one alone allows 'a'; two allows nothing that one blocks

See also: `xg2lab.lab.comparison.lockstep`, which makes it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError
from xg2lab.lab.trace.bulk import ALLOWED
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.lab.trace.table import probability

if TYPE_CHECKING:
    from xg2lab.errors import Xg2LabError
    from xg2lab.lab import schema
    from xg2lab.lab.comparison.parting import Parting
    from xg2lab.lab.session.session import Session
    from xg2lab.lab.trace.steps import Step
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Held", "LockstepReport", "RunSide", "held_at", "varies_in"]

#: Tokens that are named of those that one mask alone allows.
MOST_NAMED = 8
#: Longest text of a value that varies, in characters.
MOST_SHOWN = 200


@dataclass(frozen=True)
class RunSide:
    """One side: its name, status, why it stopped, its steps, and the mass that its masks removed.

    `nats` is the sum of KL over the tokens taken, -ln Z each; None without a model.
    """

    name: str
    status: schema.Status
    stopped: str
    hint: str
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, session: Session, refusal: Xg2LabError | None) -> RunSide:
        """The side of a session, and what its last step raised."""
        error = refusal or session.error
        stopped = "" if error is None else error.message
        hint = "" if error is None else str(error.hint or "")
        return cls(session.name, session.status, stopped, hint, tuple(session.trace.steps))

    @property
    def taken(self) -> list[Step]:
        """The steps that have a token."""
        return [step for step in self.steps if step.kind is not None]

    @property
    def n_tokens(self) -> int:
        """How many tokens were taken."""
        return len(self.taken)

    @property
    def text(self) -> str:
        """The output; bytes that are not UTF-8 as the replacement character."""
        return b"".join(step.data for step in self.taken).decode("utf-8", "replace")

    @property
    def nats(self) -> float | None:
        """The mass that the masks removed, in nats: the sum of -ln Z."""
        known = [step.kl for step in self.taken if step.kl is not None]
        return sum(known) if known else None

    def to_wire(self) -> schema.LockstepSide:
        """Return the side as JSON values."""
        return {
            "name": self.name,
            "status": self.status,
            "stopped": self.stopped,
            "hint": self.hint,
            "nats": self.nats,
            "steps": [
                [step.byte_begin, step.n_bytes, step.token_id, step.text, step.z, step.n_allowed] for step in self.steps
            ],
        }


@dataclass(frozen=True)
class Held:
    """The masks of two sides at one place.

    `steps`: the step of each; `byte`: where the first side's step begins; `is_same_text`: whether both texts before it
    are equal; `n_only_a`, `n_only_b`: how many tokens one side alone allows; `only_a`, `only_b`: the most probable of
    them as (id, text, p), at most eight; `names`: the sides.
    """

    steps: tuple[int, int]
    byte: int
    is_same_text: bool
    n_only_a: int
    n_only_b: int
    only_a: tuple[tuple[int, str, float | None], ...]
    only_b: tuple[tuple[int, str, float | None], ...]
    names: tuple[str, str]

    def __str__(self) -> str:
        a, b = self.names
        if self.n_only_a == self.n_only_b == 0:
            said = f"at byte {self.byte} {a} and {b} allow the same tokens"
        else:
            said = f"at byte {self.byte} {self._alone(a, b, self.n_only_a, self.only_a)}; " + self._alone(
                b, a, self.n_only_b, self.only_b
            )
        return said if self.is_same_text else f"{said} (after different texts)"

    @staticmethod
    def _alone(own: str, other: str, n: int, named: Sequence[tuple[int, str, float | None]]) -> str:
        if n == 0:
            return f"{own} allows nothing that {other} blocks"
        more = f" and {n - len(named):,} more" if n > len(named) else ""
        return f"{own} alone allows " + ", ".join(repr(text) for _, text, _ in named) + more

    def to_wire(self) -> schema.LockstepHeld:
        """Return both masks' differences as JSON values."""
        return {
            "steps": list(self.steps),
            "byte": self.byte,
            "is_same_text": self.is_same_text,
            "n_only_a": self.n_only_a,
            "n_only_b": self.n_only_b,
            "only_a": [list(row) for row in self.only_a],
            "only_b": [list(row) for row in self.only_b],
        }


@dataclass(frozen=True)
class LockstepReport:
    """What is known of all sides.

    `varies` has what differs between the sessions, with the value of each; `partings` and the lists of `held` have a
    member for each side but the first. `held` is by step of the first side, for its newest 64 steps; `newest` holds the
    newest steps of all sides against each other.
    """

    sides: list[RunSide]
    varies: list[tuple[str, list[str]]]
    partings: list[Parting | None]
    held: Mapping[int, list[Held | None]]
    newest: list[Held | None]
    is_running: bool = False

    @property
    def n_steps(self) -> int:
        """The tokens of the longest output."""
        return max(side.n_tokens for side in self.sides)

    def __str__(self) -> str:
        out = [f"{what}: {', '.join(values)}" for what, values in self.varies]
        for side in self.sides:
            nats = "" if side.nats is None else f", {side.nats:.3g} nats removed by masks"
            stopped = f"; stopped: {side.stopped}" if side.stopped else ""
            out.append(f"{side.name}: {side.n_tokens} tokens{nats}, {side.status}{stopped}")
            out.append(f"  {side.text!r}")
            z = [step.z for step in side.taken if step.z is not None]
            if z:
                out.append(f"  lowest Z {probability(min(z))}")
        for parting, side in zip(self.partings, self.sides[1:], strict=True):
            out.append(f"{side.name} has not parted from {self.sides[0].name}" if parting is None else parting.says)
            if parting is not None:
                out += [f"  {one.reason}" for one in parting.refused]
        out += [str(held) for held in self.newest if held is not None]
        return "\n".join(out)

    def to_wire(self) -> schema.LockstepReport:
        """Return the report as JSON values."""
        return {
            "sides": [side.to_wire() for side in self.sides],
            "varies": [[what, values] for what, values in self.varies],
            "partings": [None if parting is None else parting.to_wire() for parting in self.partings],
            "held": {
                str(step): [None if held is None else held.to_wire() for held in row] for step, row in self.held.items()
            },
            "newest": [None if held is None else held.to_wire() for held in self.newest],
            "is_running": self.is_running,
        }


def held_at(a: Session, b: Session, step: int | None) -> Held | None:
    """Hold b's mask against a's: at a step of a and the same byte of b, or at the newest step of both.

    Parameters
    ----------
    a, b : Session
        The sides, of one vocabulary.
    step : int or None
        A step of `a`; None for the newest of both.

    Returns
    -------
    Held or None
        None where one has no step, or a mask is not known.
    """
    steps_a, steps_b = list(a.trace.steps), list(b.trace.steps)
    if not steps_a or not steps_b:
        return None
    at_a = len(steps_a) - 1 if step is None else step
    byte = steps_a[at_a].byte_begin
    at_b = len(steps_b) - 1
    if step is not None:
        at_b = max(0, bisect_right([one.byte_begin for one in steps_b], byte) - 1)
    try:
        mask_a, mask_b = a.provenance(at_a), b.provenance(at_b)
    except SessionError:  # a step was taken back meanwhile
        return None
    if mask_a is None or mask_b is None:
        return None
    in_a, in_b = np.isin(mask_a, ALLOWED), np.isin(mask_b, ALLOWED)
    text_a = b"".join(one.data for one in steps_a[:at_a])
    is_same = text_a == b"".join(one.data for one in steps_b[:at_b])
    only_a, only_b = np.flatnonzero(in_a & ~in_b), np.flatnonzero(in_b & ~in_a)
    return Held(
        (at_a, at_b), byte, is_same, len(only_a), len(only_b),
        _likeliest(a, at_a, only_a), _likeliest(b, at_b, only_b), (a.name, b.name),
    )  # fmt: skip


def _likeliest(session: Session, step: int, ids: npt.NDArray[np.int64]) -> tuple[tuple[int, str, float | None], ...]:
    """The most probable of these tokens; of equal ones, and without a model, those of the lowest ids."""
    if len(ids) == 0:
        return ()
    spelling = _spelling(session.tokenizer_info)
    p = session.probabilities(step)
    if p is None:
        return tuple((int(k), spelling.text(int(k)), None) for k in ids[:MOST_NAMED])
    chosen = ids[np.lexsort((ids, -p[ids]))[:MOST_NAMED]]
    return tuple((int(k), spelling.text(int(k)), float(p[k])) for k in chosen)


@lru_cache(maxsize=2)
def _spelling(tokenizer_info: TokenizerInfo) -> Spelling:
    return Spelling(tokenizer_info)  # it copies the vocabulary


def varies_in(sessions: Sequence[Session]) -> list[tuple[str, list[str]]]:
    """What differs between sessions: grammar, arguments, sampling, prompt, model; with the value of each.

    Parameters
    ----------
    sessions : sequence of Session
        The sides.

    Returns
    -------
    list of (str, list of str)
        A name, and each session's value as text. A long text is cut where it first differs.
    """
    rows: list[tuple[str, list[str]]] = []
    for what, values in (
        ("grammar", [session.trace.header["grammar"]["text"] for session in sessions]),
        ("arguments", [_arguments(session) for session in sessions]),
        *((name, [_sampled(session, name) for session in sessions]) for name in _SAMPLING),
        ("prompt", [session.prompt for session in sessions]),
        ("model", [_model(session) for session in sessions]),
        ("mask", ["on" if session.trace.header["constrained"] else "off" for session in sessions]),
    ):
        if len(set(values)) > 1:
            rows.append((what, _shown(values)))
    return rows


_SAMPLING = ("seed", "temperature", "top_k", "top_p")


def _sampled(session: Session, name: str) -> str:
    return str(dict(session.sampling.to_wire())[name])


def _arguments(session: Session) -> str:
    template = session.trace.header.get("template")
    return "" if template is None else json.dumps(template["arguments"], ensure_ascii=False, sort_keys=True)


def _model(session: Session) -> str:
    model = session.trace.header["model"]
    return "none" if model is None else model["name"]


def _shown(values: list[str]) -> list[str]:
    """Values as a reader compares them: of long ones, what follows the text that all begin with."""
    if all(len(value) <= MOST_SHOWN for value in values):
        return values
    n = next(
        (k for k, letters in enumerate(zip(*values, strict=False)) if len(set(letters)) > 1), min(map(len, values))
    )
    begin = max(0, n - 20)
    cut = [value[begin : begin + MOST_SHOWN] for value in values]
    return [
        ("…" if begin else "") + part + ("…" if len(value) > begin + MOST_SHOWN else "")
        for part, value in zip(cut, values, strict=True)
    ]
