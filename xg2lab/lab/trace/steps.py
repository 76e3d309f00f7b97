"""One decision of a session, and the decisions that were taken back.

>>> step = Step(index=0, kind="sampled", token_id=7, text="[", bytes="5b", n_bytes=1, p=0.25, q=0.5, z=0.5)
>>> step.data, Step.from_wire(step.to_wire()) == step
(b'[', True)

IDEA
  Step i is the decision i: the state *before* its token (mask, mass, live items), and the token once it is chosen.
  A step without a kind is pending. Fields are spelled as on the wire, where `docs/design/0002-trace.md` lists them.

Units: `byte_begin` and `n_bytes` count bytes of the output; `mask_us` and `accept_us` microseconds, `model_ms`
milliseconds; `lanes` nanoseconds of the session's clock; p, q and z are probabilities; kl is in nats; `rank` counts
from 1.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from xg2lab.lab.trace.lanes import Lanes
from xg2lab.lab.trace.operators import ACTIVE
from xg2lab.lab.trace.wire import (
    Check,
    boolean,
    fail,
    integer,
    listing,
    mapping,
    number,
    one_of,
    optional,
    record,
    text,
)

__all__ = ["KINDS", "Branch", "Candidate", "Step"]

KINDS: tuple[str, ...] = ("sampled", "forced_by_grammar", "forced_by_user", "jump_forward")


class Candidate(NamedTuple):
    """A token that might have been chosen; on the wire a list of these five values.

    `provenance` is the engine's code for the verdict's origin, None where no mask was known.
    """

    token_id: int
    text: str
    p: float | None
    q: float | None
    provenance: int | None


@dataclass(frozen=True)
class Step:
    """Decision `index` of a session: the state before its token, and the token once it is chosen.

    Attributes
    ----------
    index : int
        The number of the decision, from 0.
    kind : str or None
        "sampled", "forced_by_grammar", "forced_by_user" or "jump_forward"; None while the step is pending.
    token_id : int or None
        The chosen token; None while the step is pending.
    text : str
        The token in readable form.
    bytes : str
        The token's bytes as they are in the output, in hexadecimal.
    byte_begin, n_bytes : int
        Where the token begins in the output, and its length, in bytes.
    p, q : float or None
        The token's probability before the mask, and after it (renormalized).
    rank : int or None
        The token's place among all tokens by p, from 1.
    z : float or None
        The mass of the allowed tokens before the mask.
    kl : float or None
        The divergence of q from p, in nats.
    temperature : float or None
        The divisor of the logits. 0 is greedy, and p is for temperature 1 then. None without a model.
    n_allowed : int or None
        The number of allowed tokens; None where there is no mask.
    mask_us, accept_us : float or None
        Microseconds for the mask, and for accepting the token.
    model_ms : float or None
        Milliseconds for the forward pass.
    lanes : Lanes or None
        When each of these began and ended, in nanoseconds on the session's clock.
    cache : str or None
        How the mask was found: "context_hit", "perfect_hit", "partial_hit" or "miss".
    way : str or None
        How a mask that was not known was computed (docs/design/0017-cold-masks.md).
    n_built, n_adapted, n_checked : int or None
        Mask entries built, mask entries adapted, and tokens checked for the mask.
    pool : dict or None
        `CompiledGrammar.pool_totals()` after the mask was computed.
    stacks : dict or None
        With `parser="pda"`, some of the automaton's stacks (`xg2lab.lab.trace.stacks`).
    operators : dict or None
        The active operators (`xg2lab.lab.trace.operators`); None unless the session records them.
    top : tuple of Candidate
        The most probable tokens, allowed and blocked.
    entries : list of dict
        The mask entries of the column, `GrammarMatcher.mask_entries()`.
    live : list of dict
        The items of the column, `GrammarMatcher.live_items()`.
    completed : bool
        Whether the output before this token is a whole sentence of the grammar.
    terminated : bool
        Whether the output ended with this token.
    explain : dict of int to dict
        The answers of `GrammarMatcher.explain` for some blocked candidates, by token id.

    >>> step = Step(index=0, kind="sampled", token_id=7, text="[", bytes="5b", n_bytes=1, z=0.5, n_allowed=2)
    >>> step, step.data, step.undecided().is_pending
    (<Step 0: sampled '[' (7), Z 0.5, 2 allowed>, b'[', True)
    >>> Step.from_wire(step.to_wire()) == step
    True

    See also: docs/design/0002-trace.md.
    """

    index: int
    kind: str | None = None
    token_id: int | None = None
    text: str = ""
    bytes: str = ""
    byte_begin: int = 0
    n_bytes: int = 0
    p: float | None = None
    q: float | None = None
    rank: int | None = None
    z: float | None = None
    kl: float | None = None
    temperature: float | None = None
    n_allowed: int | None = None
    mask_us: float | None = None
    model_ms: float | None = None
    accept_us: float | None = None
    lanes: Lanes | None = None
    cache: str | None = None
    way: str | None = None
    n_built: int | None = None
    n_adapted: int | None = None
    n_checked: int | None = None
    pool: dict[str, int] | None = None
    stacks: dict[str, Any] | None = None
    operators: dict[str, Any] | None = None
    top: tuple[Candidate, ...] = ()
    entries: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    live: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    completed: bool = False
    terminated: bool = False
    explain: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])

    def __repr__(self) -> str:
        what = "pending" if self.is_pending else f"{self.kind} {self.text!r} ({self.token_id})"
        mass = "" if self.z is None else f", Z {self.z:.4g}"
        allowed = "" if self.n_allowed is None else f", {self.n_allowed:,} allowed"
        return f"<Step {self.index}: {what}{mass}{allowed}>"

    @property
    def data(self) -> builtins.bytes:
        """The token's bytes as they are in the output; none for a stop token."""
        return builtins.bytes.fromhex(self.bytes)

    @property
    def is_pending(self) -> bool:
        """Whether the token is still to be chosen."""
        return self.kind is None

    def undecided(self) -> Step:
        """Return the same step without its token, as a step back leaves it.

        Returns
        -------
        Step
            A pending step.
        """
        return replace(
            self, kind=None, token_id=None, text="", bytes="", n_bytes=0,
            p=None, q=None, rank=None, accept_us=None, terminated=False,
            lanes=None if self.lanes is None else replace(self.lanes, sample=None),
        )  # fmt: skip

    def to_wire(self) -> dict[str, Any]:
        """Return the step as JSON values.

        Returns
        -------
        dict
            A value for each field.
        """
        wire = {f.name: getattr(self, f.name) for f in fields(self)}
        wire["lanes"] = None if self.lanes is None else self.lanes.to_wire()
        wire["top"] = [list(candidate) for candidate in self.top]
        wire["explain"] = {str(token_id): why for token_id, why in self.explain.items()}
        return wire

    @classmethod
    def from_wire(cls, value: object, pointer: str = "") -> Step:
        """Read what `to_wire` returned.

        Parameters
        ----------
        value : dict
            JSON values; fields that older traces lack are filled in.
        pointer : str
            The JSON Pointer of the step in its document, for errors.

        Returns
        -------
        Step
            It equals the step that was written.

        Raises
        ------
        DeserializeFormatError
            A field is missing or has the wrong type; `pointer` names it.
        """
        wire = _step(value, pointer)
        known = {f.name: wire[f.name] for f in fields(cls)}
        known["lanes"] = None if wire["lanes"] is None else Lanes.from_wire(wire["lanes"], f"{pointer}/lanes")
        known["top"] = tuple(Candidate(*row) for row in wire["top"])
        known["explain"] = {int(token_id): why for token_id, why in wire["explain"].items()}
        return cls(**known)


@dataclass(frozen=True)
class Branch:
    """Decisions taken back: `steps` stood where the trace now has its steps from `at` on."""

    at: int
    steps: tuple[Step, ...]

    def to_wire(self) -> dict[str, Any]:
        """A dict of JSON values."""
        return {"at": self.at, "steps": [step.to_wire() for step in self.steps]}

    @classmethod
    def from_wire(cls, value: Any, pointer: str = "") -> Branch:
        """The inverse of `to_wire`."""
        wire = record({"at": integer(0), "steps": listing(Step.from_wire)})(value, pointer)
        return cls(wire["at"], tuple(wire["steps"]))


# ---- The shape of a step on the wire ----------------------------------------------------------------------------


def _hex(value: Any, pointer: str) -> str:
    try:
        bytes.fromhex(text()(value, pointer))
    except ValueError:
        fail(pointer, "bytes in hexadecimal", value)
    return value


def _candidate(value: Any, pointer: str) -> list[Any]:
    row = listing(lambda v, _: v, 5)(value, pointer)
    checks = (integer(0), text(), optional(number()), optional(number()), optional(integer(0, 8)))
    return [check(v, f"{pointer}/{i}") for i, (check, v) in enumerate(zip(checks, row, strict=True))]


def _by_token(value: Any, pointer: str) -> Mapping[str, Any]:
    why = mapping(record({"allowed": boolean(), "mechanism": text(), "reason": text()}))(value, pointer)
    for key in why:
        if not (key.isascii() and key.isdigit()):
            fail(f"{pointer}/{key}", "named by a token id", key)
    return why


_ENTRY = record({"state": integer(0), "rule": integer(0), "storage": text()})
_ITEM = record({"state": integer(0), "rule": integer(0), "origin": integer(0)})
_STACKS = record(
    {
        "n_stacks": integer(0),
        "n_frames": integer(0),
        "tops": listing(record({"state": integer(0), "below": optional(integer(0))})),
        "frames": listing(
            record(
                {
                    "id": integer(0),
                    "below": optional(integer(0)),
                    "called": integer(0),
                    "state": integer(0),
                    "counts": optional(text()),
                }
            )
        ),
    }
)
_STEP_FIELDS: dict[str, Check] = {
    "index": integer(0),
    "kind": one_of(*KINDS, None),
    "token_id": optional(integer(0)),
    "text": text(),
    "bytes": _hex,
    "byte_begin": integer(0),
    "n_bytes": integer(0),
    **dict.fromkeys(("p", "q", "z", "kl", "temperature", "mask_us", "model_ms", "accept_us"), optional(number())),
    **dict.fromkeys(("n_allowed", "n_built", "n_adapted", "n_checked"), optional(integer(0))),
    "lanes": optional(mapping(lambda v, _: v)),  # Lanes.from_wire checks it
    "pool": optional(mapping(integer(-1))),
    "stacks": optional(_STACKS),
    "operators": optional(ACTIVE),
    "rank": optional(integer(1)),
    "cache": optional(text()),
    "way": optional(text()),
    "top": listing(_candidate),
    "entries": listing(_ENTRY),
    "live": listing(_ITEM),
    "completed": boolean(),
    "terminated": boolean(),
    "explain": _by_token,
}
_SHAPE = record(_STEP_FIELDS)
_SINCE_ADDED: dict[str, Any] = dict.fromkeys(
    ("n_adapted", "way", "pool", "stacks", "operators", "lanes", "temperature")
)  # absent in older traces


def _step(value: object, pointer: str) -> dict[str, Any]:
    wire = _SHAPE(_SINCE_ADDED | value if isinstance(value, dict) else value, pointer)
    if (wire["kind"] is None) != (wire["token_id"] is None):
        fail(f"{pointer}/token_id", "null in a pending step, and a token id in any other", wire["token_id"])
    if wire["n_bytes"] * 2 != len(wire["bytes"]):
        fail(f"{pointer}/n_bytes", f'the length of "bytes" ({len(wire["bytes"]) // 2})', wire["n_bytes"])
    return wire
