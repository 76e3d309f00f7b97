"""DistView: what the model wanted beside what the mask left of it, and which rule took the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from xg2lab.lab.trace.bulk import ALLOWED
from xg2lab.lab.trace.lost_mass import LostMass
from xg2lab.lab.trace.steps import Candidate
from xg2lab.lab.trace.table import probability, shown
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab.trace.steps import Step

__all__ = ["DistView", "DistributionFacts", "lowest_z"]

_N_LINES = 10


@dataclass(frozen=True, eq=False)
class DistributionFacts:
    """The two distributions of one step.

    Attributes
    ----------
    step : int
        The step's index.
    candidates : tuple of Candidate
        The most probable tokens.
    p : numpy.ndarray of float32, shape (vocab_size,), or None
        Probabilities before the mask; None if they are not kept.
    allowed : numpy.ndarray of bool, shape (vocab_size,), or None
        The mask; None where the output had left the grammar.
    z : float or None
        The mass of the allowed tokens before the mask.
    kl : float or None
        The divergence of q from p, in nats.
    rank : int or None
        The chosen token's place by p, from 1.
    lost : LostMass or None
        The blocked mass by rule.
    run_z : numpy.ndarray of float64, shape (n_steps,)
        Z of every step; NaN where it is unknown.
    lowest : int or None
        The step with the lowest Z; None if no Z is known.
    """

    step: int
    candidates: tuple[Candidate, ...]
    p: npt.NDArray[np.float32] | None
    allowed: npt.NDArray[np.bool_] | None
    z: float | None
    kl: float | None
    rank: int | None
    lost: LostMass | None
    run_z: npt.NDArray[np.float64]
    lowest: int | None


def lowest_z(steps: Sequence[Step]) -> int | None:
    """Return the index of the step with the lowest Z, the first of equal ones; None if no Z is known."""
    known = [(step.z, step.index) for step in steps if step.z is not None]
    return min(known)[1] if known else None


class DistView(View):
    """Shows the probabilities before and after the mask, and how much each rule took.

    `z` goes to the step with the lowest Z. The sliders show what a sampler would do, in the page alone;
    `session.set_sampling` changes it.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
    >>> view = DistView(session)
    >>> view.data().p.shape, 0 < view.data().z < 1
    ((2048,), True)
    >>> view.lines()[0].startswith("step 0: Z ")
    True
    """

    PANEL = "dist_view"

    def data(self) -> DistributionFacts:
        """Return the distributions of the step under the cursor.

        Returns
        -------
        DistributionFacts
            Arrays over the vocabulary, and figures.
        """
        session, index = self.lab_session, self.step_index
        trace = session.trace
        step, provenance = trace.steps[index], session.provenance(index)
        return DistributionFacts(
            step=index,
            candidates=step.top,
            p=session.probabilities(index),
            allowed=None if provenance is None else np.isin(provenance, ALLOWED),
            z=step.z,
            kl=step.kl,
            rank=step.rank,
            lost=session.lost_mass(index),
            run_z=np.array([np.nan if s.z is None else s.z for s in trace.steps], np.float64),
            lowest=lowest_z(trace.steps),
        )

    def lines(self) -> list[str]:
        """Return Z and KL, the most probable tokens with p and q, the lost mass by rule, and the lowest Z of the run.

        Returns
        -------
        list of str
            A line each.
        """
        facts = self.data()
        if facts.candidates and facts.candidates[0].p is None:
            return [f"step {facts.step}: no probabilities without a model"]
        out = [_head(facts)]
        for place, candidate in enumerate(facts.candidates[:_N_LINES], 1):
            q = probability(candidate.q) if candidate.provenance in (None, *ALLOWED) else "blocked"
            out.append(f"  {place:>2}  {shown(candidate.text, 18):<18}  p {probability(candidate.p):<7}  q {q}")
        if facts.lost is not None and facts.lost.groups:
            out.append(f"lost {probability(facts.lost.total)}:")
            for group in facts.lost.groups:
                place = "" if group.line is None else f" {group.line}:{group.column}"
                expected = f", expected {group.expected}" if group.expected else ""
                tokens = f"{len(group.token_ids)} token{'s' * (len(group.token_ids) > 1)}"
                out.append(f"  {probability(group.mass)}  {group.name}{place}, {tokens}{expected}")
            out.append(f"  {probability(facts.lost.rest)}  {facts.lost.n_rest:,} tokens without an explanation")
        if facts.lowest is not None:
            out.append(f"lowest Z of the run: {probability(facts.run_z[facts.lowest])} at step {facts.lowest}")
        return out


def _head(facts: DistributionFacts) -> str:
    if facts.z is None:
        return f"step {facts.step}: no mask, the output had left the grammar"
    kl = "" if facts.kl is None else f", KL {facts.kl:.3g} nats"
    rank = "" if facts.rank is None else f"; the chosen token was rank {facts.rank} before the mask"
    return f"step {facts.step}: Z {probability(facts.z)}{kl}{rank}"
