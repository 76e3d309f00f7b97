"""DistView: what the model wanted beside what the mask left of it, and which rule took the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from xg2lab.lab.trace.bulk import ALLOWED
from xg2lab.lab.trace.lost_mass import LostMass
from xg2lab.lab.trace.steps import Candidate
from xg2lab.lab.trace.table import probability, shown
from xg2lab.widgets.view import View

__all__ = ["DistView", "DistributionFacts", "lowest_z"]

_N_LINES = 10


@dataclass(frozen=True, eq=False)
class DistributionFacts:
    """One step's two distributions.

    `p` float32[vocab_size] before the mask, None if it is not kept; `allowed` bool[vocab_size], None where the output
    had left the grammar; `rank` of the chosen token before the mask, from 1; `kl` in nats; `lost` by rule; `run_z` Z of
    every step, NaN where it is not known; `lowest` the step whose Z is lowest, None if none is known.
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


def lowest_z(steps: Any) -> int | None:
    """The index of the step with the lowest Z, the first of equal ones; None where no Z is known."""
    known = [(step.z, step.index) for step in steps if step.z is not None]
    return min(known)[1] if known else None


class DistView(View):
    """p before the mask beside q after it; Z, what was lost and to which rule; sliders of the sampler; force by click.

    `z` goes to the step of the lowest Z. The sliders show what a sampler would do, in the page alone:
    `session.set_sampling` makes it so.
    """

    PANEL = "dist_view"

    def data(self) -> DistributionFacts:
        """The distributions of the step under the cursor."""
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
        """Z and KL; the most wanted tokens with p and q; the lost mass by rule; the lowest Z of the run."""
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
            out.append(f"  {probability(facts.lost.rest)}  {facts.lost.n_rest:,} tokens that were not asked about")
        if facts.lowest is not None:
            out.append(f"lowest Z of the run: {probability(facts.run_z[facts.lowest])} at step {facts.lowest}")
        return out


def _head(facts: DistributionFacts) -> str:
    if facts.z is None:
        return f"step {facts.step}: no mask, the output had left the grammar"
    kl = "" if facts.kl is None else f", KL {facts.kl:.3g} nats"
    rank = "" if facts.rank is None else f"; the chosen token was rank {facts.rank} before the mask"
    return f"step {facts.step}: Z {probability(facts.z)}{kl}{rank}"
