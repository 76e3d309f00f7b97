"""What a page asked of a rule's machine before and after each pass, kept for pages that have no kernel.

>>> newest({"a": [1] * 9, "b": [2]}, "c", [3], most_bytes=24)
{'b': [2], 'c': [3]}

The page is answered whatever the size is. The trait `stages` holds the rules that were looked at last, as far as a
saved notebook should carry them: a rule that alone is too large is not kept, and the page says that it takes a kernel.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["MOST_KEPT_BYTES", "Stager", "newest"]

MOST_KEPT_BYTES = 256 << 10
Stages = TypeVar("Stages")


class Stager:
    """The stages of one session's rules; `widget` has the trait."""

    def __init__(self, widget: SessionWidget) -> None:
        self._widget = widget
        self._compiled: CompiledGrammar | None = None

    def look_at(self, rule: str) -> list[schema.WireStage]:
        """The stages of that rule on the wire; they are kept."""
        session = self._widget.session
        self.follow()
        found = [cast("schema.WireStage", stage.to_wire()) for stage in session.machine_stages(rule)]
        self._compiled = session.compiled
        self._widget.stages = newest(self._widget.stages, rule, found)
        return found

    def follow(self) -> None:
        """The session may have another grammar now: what is kept of the one before goes."""
        if self._widget.stages and self._compiled is not self._widget.session.compiled:
            self._widget.stages = {}


def newest(known: dict[str, Stages], name: str, value: Stages, most_bytes: int = MOST_KEPT_BYTES) -> dict[str, Stages]:
    """`known` with one more, the newest last; the oldest go until all have room, the newest with them if it must."""
    kept = [*((key, of) for key, of in known.items() if key != name), (name, value)]
    sizes = [len(json.dumps(pair)) for pair in kept]
    while kept and sum(sizes) > most_bytes:
        if sizes[-1] > most_bytes:
            kept, sizes = kept[:-1], sizes[:-1]  # it would push out all others, and not be there either
        else:
            kept, sizes = kept[1:], sizes[1:]
    return dict(kept)
