"""From logits and token masks to one token for each sequence of a batch, on the model's device.

>>> import torch
>>> logits = torch.tensor([[0.0, 2.0, 1.0], [0.0, 2.0, 1.0]])
>>> greedy, warm = Sampling(temperature=0.0), Sampling(temperature=1.0)
>>> choose(logits, [greedy, warm], [0.0, 0.999])
[1, 2]

A token is drawn by inverting the cumulative distribution at one random number, so a seed gives the same tokens
again as long as the logits are the same. Penalties and biases change logits before the mask forbids tokens.

Shapes: logits float32[n_sequences, vocab_size]; minus infinity where a token is forbidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["Sampling", "adjust", "choose", "log_probabilities"]


@dataclass(frozen=True)
class Sampling:
    """How the tokens of a request are drawn.

    Parameters
    ----------
    temperature : float
        0 is greedy.
    top_p : float
        The share of probability that is kept, the most probable tokens first; 1 keeps all.
    seed : int, optional
        The same seed draws the same random numbers; None: others each time.
    presence_penalty, frequency_penalty : float
        Subtracted from the logits of tokens that the answer has: once, and for each time.
    logit_bias : mapping of int to float
        Added to the logits of tokens.
    n_logprobs : int, optional
        How many of the most probable tokens are listed at each step; None: no probabilities are returned.

    >>> Sampling().temperature
    1.0
    """

    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: Mapping[int, float] = field(default_factory=dict[int, float])
    n_logprobs: int | None = None

    @property
    def adjusts(self) -> bool:
        """Whether logits are changed before the mask."""
        return bool(self.logit_bias) or self.presence_penalty != 0 or self.frequency_penalty != 0


def adjust(logits: torch.Tensor, sampling: Sampling, written: Counter[int]) -> None:
    """Apply a sequence's biases and penalties to its logits, in place.

    Parameters
    ----------
    logits : torch.Tensor
        float32[vocab_size].
    sampling : Sampling
        The request's.
    written : Counter of int
        How often the answer has each token.

    >>> import torch
    >>> logits = torch.zeros(3)
    >>> adjust(logits, Sampling(presence_penalty=1.0, frequency_penalty=0.5, logit_bias={2: 4.0}), Counter([0, 0]))
    >>> logits.tolist()
    [-2.0, 0.0, 4.0]
    """
    import torch

    changes = dict(sampling.logit_bias)
    for token_id, count in written.items():
        change = sampling.presence_penalty + count * sampling.frequency_penalty
        changes[token_id] = changes.get(token_id, 0.0) - change
    if changes:
        ids = torch.tensor(list(changes), device=logits.device)
        logits[ids] += torch.tensor(list(changes.values()), device=logits.device)


def choose(logits: torch.Tensor, samplings: Sequence[Sampling], draws: Sequence[float]) -> list[int]:
    """Draw a token for each sequence.

    Parameters
    ----------
    logits : torch.Tensor
        float32[n_sequences, vocab_size]; at least one of each row is finite.
    samplings : sequence of Sampling
        One for each sequence.
    draws : sequence of float
        A random number in [0, 1) for each sequence.

    Returns
    -------
    list of int
        Token ids; never a forbidden one.

    The module's example draws two.
    """
    import torch

    tokens = logits.argmax(dim=-1)
    warm = [place for place, sampling in enumerate(samplings) if sampling.temperature > 0 and sampling.top_p > 0]
    if warm:
        device = logits.device
        temperatures = torch.tensor([samplings[place].temperature for place in warm], device=device)
        weights = torch.softmax(logits[warm] / temperatures[:, None], dim=-1)
        cut = [place for place, of in enumerate(warm) if samplings[of].top_p < 1]
        if cut:
            shares = torch.tensor([samplings[warm[place]].top_p for place in cut], device=device)
            weights[cut] = _nucleus(weights[cut], shares)
        sums = weights.cumsum(dim=-1, dtype=torch.float64)
        wanted = torch.tensor([draws[place] for place in warm], device=device, dtype=torch.float64)
        drawn = torch.searchsorted(sums, (wanted * sums[:, -1])[:, None], right=True).clamp(max=logits.shape[-1] - 1)
        # A sum that a parallel machine rounds may point at a token of probability 0.
        is_allowed = weights.gather(1, drawn).squeeze(1) > 0
        tokens[warm] = torch.where(is_allowed, drawn.squeeze(1), tokens[warm])
    return [int(token_id) for token_id in tokens.tolist()]


def _nucleus(weights: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
    """The fewest most probable tokens that reach each row's share; the others weigh 0."""
    import torch

    falling, order = weights.sort(dim=-1, descending=True, stable=True)
    before = falling.cumsum(dim=-1) - falling
    kept = torch.where(before < shares[:, None], falling, torch.zeros_like(falling))
    return torch.zeros_like(weights).scatter(1, order, kept)


def log_probabilities(logits: torch.Tensor, token_id: int, n_top: int) -> tuple[float, list[tuple[int, float]]]:
    """Return the log-probability of a token, and of the most probable ones.

    Parameters
    ----------
    logits : torch.Tensor
        float32[vocab_size] as the model gave them: before penalties, mask and temperature.
    token_id : int
        The token that was drawn.
    n_top : int
        How many others to list.

    Returns
    -------
    tuple of (float, list of (int, float))
        Natural logarithms; the list falls.

    >>> import torch
    >>> chosen, top = log_probabilities(torch.tensor([0.0, 0.0]), 1, 1)
    >>> round(chosen, 3), top[0][0]
    (-0.693, 0)
    """
    import torch

    values = torch.log_softmax(logits, dim=-1)
    if n_top == 0:
        return float(values[token_id]), []
    best = values.topk(min(n_top, len(values)))
    return float(values[token_id]), list(zip(best.indices.tolist(), best.values.tolist(), strict=True))
