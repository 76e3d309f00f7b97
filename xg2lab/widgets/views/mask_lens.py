"""MaskLens: the whole vocabulary in one picture, by how each token was decided and how much the model wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xg2lab.errors import Xg2LabError
from xg2lab.lab.trace.beside_mask import HeldAgainst, held_against
from xg2lab.widgets.view import View
from xg2lab.widgets.words import WORDS

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session

__all__ = ["CLASS_NAMES", "MaskLens", "mask_facts", "mask_lines"]

#: By provenance code.
CLASS_NAMES: tuple[str, ...] = tuple(WORDS["mask_classes"])


def mask_facts(session: Session, step: int) -> dict[str, Any]:
    """Return `step`; `provenance`, uint8[vocab_size] or None; `p`, float32[vocab_size] or None."""
    return {"step": step, "provenance": session.provenance(step), "p": session.probabilities(step)}


def mask_lines(session: Session, step: int) -> list[str]:
    """Return counts and mass by class."""
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
    """Shows the mask at the step under the cursor: every token, by how it was decided and how probable it is.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = MaskLens(session)
    >>> view.data()["provenance"].tolist(), view.xor() is None
    ([1, 0, 6], True)
    >>> view.lines()[0]
    'step 0: 1 of 3 tokens may come next'
    """

    PANEL = "mask_lens"

    def xor(self, other: Session | None = None) -> HeldAgainst | None:
        """Compare the mask with another session's at the same byte.

        Parameters
        ----------
        other : Session, optional
            The other session; if left out, what the pages compare with, else the step before.

        Returns
        -------
        HeldAgainst or None
            Both masks and their differences; None if there is nothing to compare with, or a mask is not known.
        """
        other = self.session.beside if other is None else other
        try:
            return held_against(self.lab_session, self.step_index, other)
        except Xg2LabError:
            return None

    def data(self) -> dict[str, Any]:
        """Return the mask and the probabilities.

        Returns
        -------
        dict
            `step`; `provenance`, uint8[vocab_size] or None; `p`, float32[vocab_size] or None; `xor`, as `xor()` returns
            it.
        """
        return mask_facts(self.lab_session, self.step_index) | {"xor": self.xor()}

    def lines(self) -> list[str]:
        """Return counts and mass by class, and the difference from another mask.

        Returns
        -------
        list of str
            A line each.
        """
        found = self.xor()
        return mask_lines(self.lab_session, self.step_index) + ([] if found is None else [f"xor {found}"])
