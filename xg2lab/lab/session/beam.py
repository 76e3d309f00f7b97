r"""What the model would have written: its likeliest continuations, allowed and blocked, as a tree with their mass.

>>> import xg2lab as xgr
>>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
>>> found = session.beam(depth=2, width=2)
>>> [(node.allowed, node.drawn is None) for node in found.nodes[:3]]
[(True, False), (False, True), (False, True)]
>>> opening = found.nodes[0]                   # the model hardly wanted the bracket; the mask leaves nothing else
>>> opening.text, opening.mass < 0.001, opening.drawn
('[', True, 1.0)

IDEA
  Two beams grow side by side, a token a level: the `width` allowed continuations that are likeliest under the mask, and
  the `width` blocked ones that are likeliest under the model alone. A continuation's mass is the probability that the
  model alone gives it, the product of p along its path. A blocked one is continued as if there were no grammar. An
  allowed one has a second number, the product of q, with which it is drawn under the mask. Where `drawn` exceeds
  `mass`, the continuation has taken over what the mask blocked: a reader sees where the probability went.

      mass(path + t)  = mass(path)  · p(t | path)
      drawn(path + t) = drawn(path) · q(t | path)          while the path is allowed

  A level's open paths are read in one batch, if the runner has `logits_after`; else one after the other, each taken
  back. The session's own sequence is as it was.

Bounds: `depth` and `width` are at most 8, so at most 16 paths are read a level and 128 in all.
COST    A forward pass a level, of at most 16 rows; a mask for each allowed path.

See also: `xg2lab.lab.model.sampling`, p and q; `BeamView`, which draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from xg2lab.errors import ArgumentError
from xg2lab.lab.model.sampling import SamplingOptions, distribution
from xg2lab.support.arguments import kind_of

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.model.runner import Runner
    from xg2lab.lab.session.decoder import Decoder
    from xg2lab.matcher import GrammarMatcher

__all__ = ["MOST_DEPTH", "MOST_WIDTH", "Beam", "BeamNode", "checked_size", "grow_beam", "logits_after"]

MOST_DEPTH = MOST_WIDTH = 8
Rows = Sequence[npt.NDArray[np.floating]]


@dataclass(frozen=True)
class BeamNode:
    """A continuation, by its last token.

    `parent` is the index of the node before it, -1 for the first token. `p` and `q` are the token's probabilities after
    the parent, `mass` and `drawn` the products along the path; `q` and `drawn` are None once the path is blocked. `z`
    is the mass that the grammar allows after an allowed node, None where the node was not continued. `ends`: the token
    ends the output.
    """

    parent: int
    token_id: int
    text: str
    p: float
    mass: float
    q: float | None
    drawn: float | None
    allowed: bool
    ends: bool
    z: float | None = None


@dataclass
class Beam:
    """The tree: `nodes` level by level, parents before their children; `z` is the allowed mass at the step itself."""

    step: int
    depth: int
    width: int
    z: float
    nodes: list[BeamNode] = field(default_factory=list[BeamNode])

    def path(self, index: int) -> list[int]:
        """The tokens up to a node."""
        out: list[int] = []
        while index >= 0:
            out.append(self.nodes[index].token_id)
            index = self.nodes[index].parent
        return out[::-1]

    def to_wire(self) -> schema.WireBeam:
        """The record of a page."""
        return {
            "step": self.step,
            "depth": self.depth,
            "width": self.width,
            "z": self.z,
            "nodes": [
                [n.parent, n.token_id, n.text, n.p, n.mass, n.q, n.drawn, n.allowed, n.ends, n.z] for n in self.nodes
            ],
        }


def checked_size(name: str, value: object, most: int) -> int:
    """Depth or width as it is used; `ArgumentError` for what it can't be."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"{name} must be an int from 1 to {most}, got {kind_of(value)}")
    if not 1 <= value <= most:
        raise ArgumentError(f"{name} must be from 1 to {most}, got {value}")
    return value


def logits_after(runner: Runner, paths: Sequence[Sequence[int]]) -> Rows:
    """The logits after each of some continuations of equal length; the runner is where it was before."""
    if not paths or not paths[0]:
        return [runner.logits_numpy() for _ in paths]
    batched: Callable[[Sequence[Sequence[int]]], Rows] | None = getattr(runner, "logits_after", None)
    if batched is not None:
        return batched(paths)
    out: list[npt.NDArray[np.floating]] = []
    for path in paths:
        out.append(np.array(runner.prefill(list(path))))
        runner.rollback(len(path))
    return out


def grow_beam(
    decoder: Decoder,
    runner: Runner,
    matcher: GrammarMatcher,
    sampling: SamplingOptions,
    *,
    step: int,
    depth: int,
    width: int,
) -> Beam:
    """Grow the beams of one step. `runner` has read what comes before it, and `matcher` has accepted it."""
    beam = Beam(step, depth, width, 1.0)
    open_nodes: list[int] = [-1]
    for level in range(depth):
        rows = logits_after(runner, [beam.path(index) for index in open_nodes])
        children: list[BeamNode] = []
        for index, logits in zip(open_nodes, rows, strict=True):
            children += _children(beam, index, logits, decoder, matcher, sampling)
        chosen = _likeliest(children, width)
        first = len(beam.nodes)
        beam.nodes += chosen
        open_nodes = [first + k for k, node in enumerate(chosen) if not node.ends]
        if not open_nodes or level + 1 == depth:
            break
    return beam


def _likeliest(children: list[BeamNode], width: int) -> list[BeamNode]:
    """The `width` allowed children that are likeliest under the mask, and the blocked ones under the model alone.

    Equal ones stay in their order.
    """
    allowed = sorted((n for n in children if n.allowed), key=lambda n: (-(n.drawn or 0.0), -n.mass))
    blocked = sorted((n for n in children if not n.allowed), key=lambda n: -n.mass)
    return allowed[:width] + blocked[:width]


def _children(
    beam: Beam,
    index: int,
    logits: npt.NDArray[np.floating],
    decoder: Decoder,
    matcher: GrammarMatcher,
    sampling: SamplingOptions,
) -> list[BeamNode]:
    """The likeliest tokens after a node, allowed and blocked; the allowed mass is noted at the node."""
    node = beam.nodes[index] if index >= 0 else None
    mass = 1.0 if node is None else node.mass
    drawn = 1.0 if node is None else node.drawn
    allowed: npt.NDArray[np.bool_] | None = None
    if node is None or node.allowed:
        at = matcher.fork()
        for token_id in beam.path(index):
            at.accept_token(token_id)
        allowed = decoder.unpack(decoder.fill(at))
        if not allowed.any():
            return []
    chances = distribution(logits, allowed, sampling)
    if allowed is not None:
        _note_z(beam, index, chances.z)
    groups = [(allowed, True), (~allowed, False)] if allowed is not None else [(None, False)]
    out: list[BeamNode] = []
    for among, is_allowed in groups:
        for token_id in chances.top(beam.width, among):
            p, q = float(chances.p[token_id]), float(chances.q[token_id]) if is_allowed else None
            if p == 0.0 and not q:
                continue
            out.append(
                BeamNode(
                    index,
                    token_id,
                    decoder.spelling.text(token_id),
                    p,
                    mass * p,
                    q,
                    None if q is None or drawn is None else drawn * q,
                    is_allowed,
                    token_id in decoder.spelling.stop_ids,
                )
            )
    return out


def _note_z(beam: Beam, index: int, z: float) -> None:
    if index < 0:
        beam.z = z
    else:
        beam.nodes[index] = replace(beam.nodes[index], z=z)
