"""One decision of a session, and the decisions that were taken back.

>>> step = Step(index=0, kind="sampled", token_id=7, text="[", bytes="5b", n_bytes=1, p=0.25, q=0.5, z=0.5)
>>> step.data, Step.from_wire(step.to_wire()) == step
(b'[', True)

IDEA
  Step i is the decision i: the state *before* its token (mask, mass, live items), and the token once it is chosen.
  A step without a kind is pending. Fields are those of `xg2lab.lab.schema.Step`, which describes each.

Units: `byte_begin` and `n_bytes` count bytes of the output; `mask_us` and `accept_us` microseconds, `model_ms`
milliseconds; `lanes` nanoseconds of the session's clock; p, q and z are probabilities; kl is in nats; `rank` counts
from 1.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from xg2lab.lab.trace.invariants import check_step
from xg2lab.lab.trace.lanes import Lanes

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["Branch", "Candidate", "Step"]


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
    kind: schema.Kind | None = None
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
    cache: schema.CacheClass | None = None
    way: str | None = None
    n_built: int | None = None
    n_adapted: int | None = None
    n_checked: int | None = None
    pool: schema.PoolTotals | None = None
    stacks: schema.StackTree | None = None
    operators: schema.ActiveOperators | None = None
    top: tuple[Candidate, ...] = ()
    entries: list[schema.MaskEntry] = field(default_factory=list["schema.MaskEntry"])
    live: list[schema.Item] = field(default_factory=list["schema.Item"])
    completed: bool = False
    terminated: bool = False
    explain: dict[int, schema.Explanation] = field(default_factory=dict[int, "schema.Explanation"])

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

    def to_wire(self) -> schema.Step:
        """Return the step as JSON values.

        Returns
        -------
        dict
            A value for each field.
        """
        wire: Any = {f.name: getattr(self, f.name) for f in fields(self)}
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
        from xg2lab.lab import schema
        from xg2lab.lab.schema.reading import checked

        return cls.of_record(checked(schema.Step, value, pointer), pointer)

    @classmethod
    def of_record(cls, record: schema.Step, pointer: str = "") -> Step:
        """Return the step of a record that was checked.

        Parameters
        ----------
        record : dict
            A step as `xg2lab.lab.schema.reading.checked` returns it.
        pointer : str
            The JSON Pointer of the step in its document, for errors.

        Returns
        -------
        Step
            The step; fields that older traces lack are filled in.

        Raises
        ------
        DeserializeFormatError
            Two fields disagree; `pointer` names one of them.

        Examples
        --------
        >>> Step.of_record(Step(index=0, n_allowed=2).to_wire()).n_allowed
        2
        """
        check_step(record, pointer)
        known: dict[str, Any] = {f.name: record[f.name] for f in fields(cls) if f.name in record}
        if known.get("lanes") is not None:
            known["lanes"] = Lanes.of_record(known["lanes"], f"{pointer}/lanes")
        known["top"] = tuple(Candidate(*row) for row in record["top"])
        known["explain"] = {int(token_id): why for token_id, why in record["explain"].items()}
        return cls(**known)


@dataclass(frozen=True)
class Branch:
    """Decisions taken back: `steps` stood where the trace now has its steps from `at` on."""

    at: int
    steps: tuple[Step, ...]

    def to_wire(self) -> schema.Branch:
        """Return a dict of JSON values."""
        return {"at": self.at, "steps": [step.to_wire() for step in self.steps]}

    @classmethod
    def of_record(cls, record: schema.Branch, pointer: str = "") -> Branch:
        """Return the branch of a record that was checked."""
        return cls(
            record["at"],
            tuple(Step.of_record(step, f"{pointer}/steps/{i}") for i, step in enumerate(record["steps"])),
        )
