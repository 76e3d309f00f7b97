"""MaskLens: the whole vocabulary in one picture, by how each token was decided and how much the model wants it."""

from __future__ import annotations

from typing import Any

import numpy as np

from xg2lab.errors import Xg2LabError
from xg2lab.lab.trace.beside_mask import HeldAgainst, held_against
from xg2lab.widgets.view import View
from xg2lab.widgets.words import WORDS

__all__ = ["CLASS_NAMES", "MaskLens", "mask_facts", "mask_lines"]

#: By provenance code.
CLASS_NAMES: tuple[str, ...] = tuple(WORDS["mask_classes"])


def mask_facts(session: Any, step: int) -> dict[str, Any]:
    """`step`; `provenance` uint8[vocab_size] or None; `p` float32[vocab_size] or None: NumPy arrays."""
    return {"step": step, "provenance": session.provenance(step), "p": session.probabilities(step)}


def mask_lines(session: Any, step: int) -> list[str]:
    """Counts and mass by class."""
    facts = mask_facts(session, step)
    provenance, p = facts["provenance"], facts["p"]
    if provenance is None:
        return [f"step {step}: no mask, the output had left the grammar"]
    counts = np.bincount(provenance, minlength=len(CLASS_NAMES))
    mass = None if p is None else np.bincount(provenance, weights=p, minlength=len(CLASS_NAMES))
    out = [f"step {step}: {int(counts[[1, 2, 5]].sum()):,} of {len(provenance):,} tokens may come next"]
    for code, name in enumerate(CLASS_NAMES):
        if counts[code]:
            share = "" if mass is None else f"  p {mass[code]:.3f}"
            out.append(f"  {name:<26}{int(counts[code]):>9,}{share}")
    return out


class MaskLens(View):
    """The mask at the step under the cursor."""

    PANEL = "mask_lens"

    def xor(self, other: Any = None) -> HeldAgainst | None:
        """The mask against `other`'s at the same byte; else what the pages hold it against, else the step before.

        None where there is nothing to hold it against, or a mask is not known.
        """
        other = self.session.beside if other is None else other
        try:
            return held_against(self.lab_session, self.step_index, other)
        except Xg2LabError:
            return None

    def data(self) -> dict[str, Any]:
        """`step`; `provenance` uint8[vocab_size] or None; `p` float32[vocab_size] or None: NumPy arrays; `xor`."""
        return mask_facts(self.lab_session, self.step_index) | {"xor": self.xor()}

    def lines(self) -> list[str]:
        """Counts and mass by class, and what another mask has that this one has not."""
        found = self.xor()
        return mask_lines(self.lab_session, self.step_index) + ([] if found is None else [f"xor {found}"])
