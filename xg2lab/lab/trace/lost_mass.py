"""Which rule took the mass: the blocked tokens that the model wanted most, each explained, grouped by who refused it.

>>> why = {"mechanism": "rejected_by_cache", "expected_text": "[0-9]", "expected_by": [
...     {"rule": 1, "rule_name": "digit", "line": 2, "column": 11, "origin": 1, "before": ""}]}
>>> lost = group_losses([(7, 0.25, why), (9, 0.5, why | {"mechanism": "special_token"})], total=0.8, n_blocked=5)
>>> [(group.name, group.mass, group.token_ids) for group in lost.groups], round(lost.rest, 2), lost.n_rest
([('special token', 0.5, (9,)), ('digit', 0.25, (7,))], 0.05, 3)

IDEA
  A blocked token dies at a byte where some rules expected others. Its mass goes to the innermost of them: the rule that
  began last and had begun to match, else the one that began last. Control tokens, stop tokens that are not legal yet
  and padding die of no rule: each kind is a group of its own. Nothing is guessed: tokens without an explanation are
  the rest, with their mass and number.

Shapes and units: masses are probabilities of p, before the mask; `total` is 1 - Z.
`recorded_loss` groups the few tokens that a trace explains, for when no engine answers. See also `Session.lost_mass`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError
from xg2lab.lab.trace.bulk import ALLOWED

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.steps import Step

__all__ = ["LostMass", "LostTo", "group_losses", "lost_mass", "recorded_loss"]

#: Of no rule: these never match as text, or not yet.
OF_NO_RULE = {
    "special_token": "special token",
    "stop_not_legal": "stop token",
    "padding": "padding",
    "empty_token": "empty token",
}
RULE_HEAD = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*::=")
N_MOST = 200
ENOUGH = 0.999


@dataclass(frozen=True)
class LostTo:
    """The mass that one place of the grammar took: `rule` is None where no rule did, `line` also where it has none."""

    name: str
    rule: int | None
    line: int | None
    column: int | None
    expected: str
    mechanism: str
    mass: float
    token_ids: tuple[int, ...]


@dataclass(frozen=True)
class LostMass:
    """The blocked mass of a step, largest group first; `rest` was without an explanation: `n_rest` tokens."""

    total: float
    groups: tuple[LostTo, ...]
    rest: float
    n_rest: int

    def to_wire(self) -> schema.LostMass:
        """A dict of JSON values."""
        return cast("schema.LostMass", asdict(self))


def group_losses(asked: Iterable[tuple[int, float, schema.Explanation]], total: float, n_blocked: int) -> LostMass:
    """Groups of (token id, p, explanation), of `n_blocked` tokens that have the mass `total` together."""
    found: dict[_Place, list[tuple[int, float, schema.Explanation]]] = {}
    for token_id, p, why in asked:
        found.setdefault(_place(why), []).append((token_id, p, why))
    groups = [_group(members) for members in found.values()]
    groups.sort(key=lambda group: -group.mass)
    told = sum(group.mass for group in groups)
    n_asked = sum(len(members) for members in found.values())
    return LostMass(total, tuple(groups), max(0.0, total - told), n_blocked - n_asked)


def lost_mass(
    step: Step,
    provenance: npt.NDArray[np.uint8],
    p: npt.NDArray[np.floating],
    explain: Callable[[int], schema.Explanation],
    n_most: int = N_MOST,
) -> LostMass:
    """The blocked tokens of largest p explained, until they have 0.999 of the blocked mass or are `n_most`.

    `p` may be read back from byte codes: what the step lists is exact, and the others are scaled to the mass that is
    left, which is exact too.
    """
    if step.z is None:
        raise SessionError(f"step {step.index} has no probabilities", hint="Session(grammar, model=...)")
    total = 1.0 - float(step.z)
    mass = np.where(np.isin(provenance, ALLOWED), 0.0, np.asarray(p, np.float64))
    listed = {c.token_id: c.p for c in step.top if c.p is not None and provenance[c.token_id] not in ALLOWED}
    ids = np.fromiter(listed, np.intp, len(listed))
    mass[ids] = 0.0
    coded, exact = float(mass.sum()), sum(listed.values())
    mass *= max(total - exact, 0.0) / coded if coded > 0.0 else 0.0
    mass[ids] = list(listed.values())
    order = np.argsort(-mass, kind="stable")[:n_most]
    order = order[mass[order] > 0.0]
    enough = int(np.searchsorted(np.cumsum(mass[order]), ENOUGH * total)) + 1
    asked = [(int(token), float(mass[token]), explain(int(token))) for token in order[:enough]]
    return group_losses(asked, total, int(np.count_nonzero(~np.isin(provenance, ALLOWED))))


def recorded_loss(step: Step, vocab_size: int) -> LostMass | None:
    """The same from what a trace has recorded of a step; None without a model or a mask.

    Few tokens are explained there, and what they leave is the rest.
    """
    if step.z is None or step.n_allowed is None:
        return None
    asked = [
        (c.token_id, c.p, step.explain[c.token_id])
        for c in step.top
        if c.p is not None and c.token_id in step.explain and c.provenance not in ALLOWED
    ]
    return group_losses(asked, 1.0 - step.z, vocab_size - step.n_allowed)


def _refuser(why: schema.Explanation) -> schema.ExpectedBy | None:
    """The innermost item that expected something else at the byte where the token died."""
    items = why["expected_by"]
    if why["mechanism"] in OF_NO_RULE or not items:
        return None

    def depth(item: schema.ExpectedBy) -> tuple[bool, int]:
        return item["before"] != "", item["origin"]

    return max(items, key=depth)


def _rule_at(item: schema.ExpectedBy) -> str:
    """The rule that is written in the item's line: small rules stand inlined in the rule that the engine names."""
    written = RULE_HEAD.match(item.get("line_text", ""))
    return written[1] if written else item["rule_name"]


#: What a group has in common: rule, line and column; of no rule the mechanism.
_Place = tuple[str] | tuple[int, int | None, int | None]


def _place(why: schema.Explanation) -> _Place:
    item = _refuser(why)
    return (why["mechanism"],) if item is None else (item["rule"], item.get("line"), item.get("column"))


def _group(members: list[tuple[int, float, schema.Explanation]]) -> LostTo:
    why = members[0][2]
    item = _refuser(why)
    mechanism = why["mechanism"]
    name = OF_NO_RULE.get(mechanism, mechanism.replace("_", " ")) if item is None else _rule_at(item)
    return LostTo(
        name=name,
        rule=None if item is None else item["rule"],
        line=None if item is None else item.get("line"),
        column=None if item is None else item.get("column"),
        expected="" if item is None else why["expected_text"],
        mechanism=why["mechanism"],
        mass=sum(p for _, p, _ in members),
        token_ids=tuple(token_id for token_id, _, _ in members),
    )
