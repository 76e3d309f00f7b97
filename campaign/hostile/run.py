"""The hostile corpus as a part of the campaign: every input within its bounds, or refused by a typed error.

`campaign/hostile_known.toml` lists the inputs that are known to break a bound, each with a reason: they are measured
and recorded as all others, and are no findings. An entry that holds its bound again is one: the list shrinks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from benchmarks.texts import Vocabulary, vocabulary
from campaign.children import Limits
from campaign.hostile.corpus import corpus
from campaign.hostile.faces import Face, Xg2LabFace, peers, tiny_vocabulary
from campaign.hostile.inputs import Input
from campaign.hostile.measure import Cost, as_row, measure
from campaign.part import Done, Figures, Finding, Run

__all__ = ["KNOWN", "Hostile", "finding_of", "is_noted", "known_exceptions", "row_of"]

KNOWN = Path(__file__).parents[1] / "hostile_known.toml"
#: Of all calls together: each of 60 steps may take almost its bound. Peers have no bound for a
#: call.
LIMITS = Limits(cpu_s=40, wall_s=600, address_bytes=1 << 30)
PEER_LIMITS = Limits(cpu_s=8, wall_s=600, address_bytes=1 << 30)

#: From which cost on an input has a row in the record; the others are counted.
NOTED_S = 0.25
NOTED_MB = 64.0

#: Times below it are equal when engines are compared: a millisecond is what a fork alone may cost.
LEAST_S = 0.001


class Hostile:
    """Each unit is one input of the corpus, in a child of its own."""

    title = "hostile inputs within 1 s and 256 MB, or refused by a typed error"

    def __init__(self) -> None:
        self._inputs = {made.name: made for made in corpus()}
        self._known = known_exceptions(KNOWN)
        self._face: Face | None = None
        self._peers: list[Face] = []

    def prepare(self, run: Run) -> str | None:
        """Loads the vocabulary and what belongs to it, before any child is forked."""
        chosen = _vocabulary()
        self._face = Xg2LabFace(chosen)
        self._peers = peers(chosen) if run.peers else []
        for face in (self._face, *self._peers):
            warm_up(face)
        return None

    def units(self, run: Run) -> Iterable[str]:
        """The names of the inputs."""
        del run
        return self._inputs

    def do(self, run: Run, unit: str) -> Done:
        """Measures one input with every engine; ours is judged."""
        assert self._face is not None, "prepare comes first"
        made = self._inputs[unit]
        cost = measure(self._face, made, LIMITS, run.seed)
        beside = [measure(peer, made, PEER_LIMITS, run.seed) for peer in self._peers if peer.reads(made)]
        found = finding_of(cost, self._known)
        return Done(
            counts={"inputs": 1, cost.outcome: 1, **({"over": 1} if cost.over else {})},
            rows=[row_of(cost, beside)] if found or cost.over or is_noted(cost) or beside else [],
            findings=[found] if found else [],
        )


def warm_up(face: Face) -> None:
    """Has an engine make what it makes once a process: a child's first schema is not the first one."""
    usual = Input("json_schema", "usual", 1, lambda: {"type": "object", "properties": {"a": {"type": "string"}}})
    face.compile(usual, usual.make())
    face.start()
    face.fill()


def known_exceptions(path: Path) -> dict[str, str]:
    """Input to reason."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("known", []) if path.exists() else []
    return {entry["input"]: entry["reason"] for entry in entries}


def finding_of(cost: Cost, known: dict[str, str]) -> Finding | None:
    """What is wrong with a cost: a broken bound, an error that is not ours, a crash; or an exception that is none."""
    is_bad = bool(cost.over) or cost.outcome not in ("ok", "typed")
    if is_bad == (cost.name in known):
        return None
    if not is_bad:
        return Finding(cost.name, "known no more", "it holds its bounds: take it out of campaign/hostile_known.toml")
    figures = f"{cost.worst_s:.2f} s, {cost.peak_mb:.0f} MB, at {cost.where}: {cost.detail}"
    return Finding(cost.name, cost.over or cost.outcome, figures, case=cost.name)


def is_noted(cost: Cost) -> bool:
    """Whether the record has a row for it whatever its outcome."""
    return cost.worst_s >= NOTED_S or cost.peak_mb >= NOTED_MB


def row_of(cost: Cost, beside: list[Cost]) -> Figures:
    """A row of the record: ours, each peer's, and ours as a multiple of the fastest peer that did what was asked."""
    row = {key: value for key, value in as_row(cost).items() if key not in ("engine", "detail", "steps_s")}
    row["input"] = row.pop("name")
    row["detail"] = cost.detail[:80]
    for peer in beside:
        name = peer.engine.partition(" ")[0]
        row |= {f"{name}": peer.outcome, f"{name}_s": peer.worst_s, f"{name}_mb": peer.peak_mb}
    good = [peer.worst_s for peer in beside if peer.outcome == "ok"]
    if good:
        ratio = max(cost.worst_s, LEAST_S) / max(min(good), LEAST_S)
        row["of_better_peer"] = ratio
        row["within_twice"] = int(cost.outcome in ("ok", "typed") and ratio <= 2)
    return row


def _vocabulary() -> Vocabulary:
    """Llama-3 or what stands in for it; without either the tiny one."""
    try:
        return vocabulary()
    except (ImportError, OSError):
        return tiny_vocabulary()
