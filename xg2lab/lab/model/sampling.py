"""From logits and a token mask to one token, in float64, so that every recorded figure follows from its definition.

>>> logits = np.log(np.array([0.5, 0.3, 0.2]))
>>> d = distribution(logits, np.array([False, True, True]))
>>> d.p.round(3).tolist(), d.q.round(3).tolist(), round(d.z, 3)
([0.5, 0.3, 0.2], [0.0, 0.6, 0.4], 0.5)
>>> d.rank(1), d.draw((0.6, 0.0, 0.0)), d.draw((0.4, 0.0, 0.7))
(2, 1, 2)

IDEA
  p  what the model would draw from, the grammar unasked: softmax(logits / temperature).
  Z  the share of p that the grammar allows: the sum of p over the allowed tokens ("feasible mass").
  q  what is drawn from: p over the allowed tokens, cut by top-k and then top-p, scaled to sum 1.
  KL = -ln Z, the divergence of the masked p from p: what the mask cost, in nats.

  A temperature of 0 is greedy: q is 1 at the most probable allowed token, and p is given for temperature 1.
  With equal probabilities the lower token id comes first, in ranks and lists.

  Drawing from q begins with the draw that would have been made without the mask. If q allows it, it is kept; else
  another is drawn from what q has more than it (a maximal coupling). The result has exactly the distribution q, and
  two sessions with one seed, one under a grammar and one free, part only where the free one took a blocked token.

Shapes and units: logits float[vocab_size]; allowed bool[vocab_size], or None where there is no mask.
See also `xg2lab.lab.session.session`, which calls this once a step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["Distribution", "SamplingOptions", "distribution", "uniforms"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ids = npt.NDArray[np.intp]
_BLOCK = 256  # values of which only the largest is looked at first


class SamplingChanges(TypedDict, total=False):
    """Fields of `SamplingOptions` that are changed."""

    temperature: float
    top_k: int
    top_p: float
    seed: int


@dataclass(frozen=True)
class SamplingOptions:
    """How a token is drawn. `top_k=0` and `top_p=1` cut nothing; `temperature=0` is greedy."""

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0

    def to_wire(self) -> schema.Sampling:
        """Return a dict of JSON values, as a trace's header has it."""
        return {"temperature": self.temperature, "top_k": self.top_k, "top_p": self.top_p, "seed": self.seed}

    def __post_init__(self) -> None:
        if not (self.temperature >= 0 and math.isfinite(self.temperature)):
            raise SessionError(
                f"a temperature of {self.temperature} is not a number of 0 or more", hint="0 is greedy, 1 is the model"
            )
        if not 0 < self.top_p <= 1:
            raise SessionError(f"top_p is {self.top_p}, which is not in (0, 1]", hint="1 keeps every token")
        if self.top_k < 0:
            raise SessionError(f"top_k is {self.top_k}, which is negative", hint="0 keeps every token")
        if self.seed < 0:
            raise SessionError(f"the seed is {self.seed}, which is negative", hint="give 0 or more")


@dataclass(frozen=True, eq=False)
class Distribution:
    """p and q over the vocabulary (float64), the mass Z that the mask leaves, and `free`: what q would be unmasked."""

    p: Floats
    q: Floats
    z: float
    free: Floats

    @property
    def kl(self) -> float | None:
        """-ln Z in nats, or None where the allowed mass is below what float64 can hold."""
        return -math.log(self.z) if self.z > 0 else None

    def rank(self, token_id: int) -> int:
        """The place of a token in the order of p, before masking, counted from 1."""
        mine = self.p[token_id]
        return 1 + int(np.count_nonzero(self.p > mine)) + int(np.count_nonzero(self.p[:token_id] == mine))

    def draw(self, u: tuple[float, float, float]) -> int:
        """A token of the distribution q, from three independent numbers in [0, 1).

        t = a token of free
        if u[1] < q[t] / free[t]: t, else a token of max(q - free, 0), scaled
        """
        token_id = _token_at(self.free, u[0])
        if u[1] * self.free[token_id] < self.q[token_id]:
            return token_id
        return _token_at(np.maximum(self.q - self.free, 0.0), u[2])

    def top(self, n: int, among: Bools | None = None) -> list[int]:
        """The `n` most probable tokens by p, or by p among those that `among` marks."""
        return [int(i) for i in _largest(self.p, None if among is None else np.flatnonzero(among), n)]


def distribution(
    logits: npt.NDArray[np.floating], allowed: Bools | None, options: SamplingOptions | None = None
) -> Distribution:
    """p, q and Z of one decision.

    Parameters: `logits` float[vocab_size], not changed; `allowed` bool[vocab_size] or None for "all".
    Raises `SessionError` when a logit is not a number, or when no token is allowed.

        p = softmax(logits / temperature)
        q = p where allowed; keep the k largest; keep the fewest whose sum reaches top_p; scale to 1
        z = sum(p where allowed)
    """
    options = options or SamplingOptions()
    raw = np.asarray(logits, dtype=np.float64)
    if np.isnan(raw).any() or not np.isfinite(raw.max()):
        raise SessionError(
            "the model's logits hold values that are not numbers",
            hint="in half precision this is often an overflow: load the model with dtype='float32' or 'bfloat16'",
        )
    scaled = raw / (options.temperature or 1.0)
    p = _softmax(scaled)
    free = _choose(p, None, options)
    if allowed is None:
        return Distribution(p, free, 1.0, free)
    ids = np.flatnonzero(allowed)
    if len(ids) == 0:
        raise SessionError("no token is allowed here", hint="see session.explain() for what the grammar expects")
    masked = np.zeros_like(p)
    kept = scaled[ids]
    masked[ids] = _softmax(kept) if np.isfinite(kept.max()) else 1.0 / len(ids)
    z = float(p[ids].sum())
    if z > 0.5:  # from the smaller side, so that -ln Z keeps its digits where little is blocked
        z = 1.0 - float(p[~allowed].sum())
    return Distribution(p, _choose(masked, ids, options), min(max(z, 0.0), 1.0), free)


def uniforms(options: SamplingOptions, index: int, attempt: int) -> tuple[float, float, float]:
    """The random numbers in [0, 1) of decision `index`, taken for the `attempt`-th time.

    They depend on nothing else: a session run again gives the same tokens, and a step taken back and taken again
    draws anew.
    """
    a, b, c = np.random.default_rng([options.seed, index, attempt]).random(3)
    return float(a), float(b), float(c)


def _token_at(weights: Floats, u: float) -> int:
    """The tokens side by side, each as wide as its weight: the one at `u` of the whole width."""
    ids = np.flatnonzero(weights)
    edges = np.cumsum(weights[ids])
    place = int(np.searchsorted(edges, u * edges[-1], side="right"))
    return int(ids[min(place, len(ids) - 1)])


def _softmax(values: Floats) -> Floats:
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def _largest(values: Floats, ids: Ids | None, n: int) -> Ids:
    """The `n` of `ids` (ascending; None: all) with the largest values, falling; equal values by rising id."""
    held = values if ids is None else values[ids]
    places = _largest_places(held, n)
    places = places[np.lexsort((places, -held[places]))]
    return places if ids is None else ids[places]


def _largest_places(held: Floats, n: int) -> Ids:
    """The places of the `n` largest, of equal ones the first; in no order.

    At least n values are as large as the n-th largest of the blocks' own maxima. So no block below it has any of them,
    and what has to be ordered is a few blocks: a tenth of the time for a dozen out of 150,000.
    """
    if n <= 0 or len(held) == 0:
        return np.empty(0, np.intp)
    if n >= len(held):
        return np.arange(len(held))
    places = np.arange(len(held)) if len(held) < 4 * n * _BLOCK else _best_blocks(held, n)
    inside = held[places]
    edge = np.partition(inside, len(inside) - n)[len(inside) - n]
    above = places[inside > edge]
    return np.concatenate([above, places[inside == edge][: n - len(above)]])


def _best_blocks(held: Floats, n: int) -> Ids:
    """The places of all blocks in which one of the `n` largest may be. Ascending."""
    n_blocks = len(held) // _BLOCK
    peaks = held[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK).max(axis=1)
    blocks = np.flatnonzero(peaks >= np.partition(peaks, n_blocks - n)[n_blocks - n])
    places = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    return np.concatenate([places, np.arange(n_blocks * _BLOCK, len(held))])


def _choose(weights: Floats, ids: Ids | None, options: SamplingOptions) -> Floats:
    """`weights` over `ids` (None: all), cut by greedy, top-k and top-p, and scaled to sum 1."""
    n = len(weights) if ids is None else len(ids)
    if options.temperature == 0:
        ids = _largest(weights, ids, 1)
    elif options.top_k or options.top_p < 1:
        ids = _largest(weights, ids, min(options.top_k or n, n))
        if options.top_p < 1:
            share = np.cumsum(weights[ids]) / weights[ids].sum()
            ids = ids[: int(np.searchsorted(share, options.top_p, side="left")) + 1]
    if ids is None:
        return weights / weights.sum()
    q = np.zeros_like(weights)
    q[ids] = weights[ids] / weights[ids].sum()
    return q
