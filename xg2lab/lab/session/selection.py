"""The selection that all views of a session share. It is checked when it is set, because every view reads it.

>>> sizes = {"token": 100, "rule": 2, "state": 9, "mask_entry": 9}
>>> checked({"step": 3, "token": None, "item": (4, 0)}, sizes)
{'step': 3, 'token': None, 'item': [4, 0]}
>>> checked({"rule": 2}, sizes)
Traceback (most recent call last):
    ...
xg2lab.errors.SessionError: a selection's rule is an int from 0 to 1 or None, got 2

A step or a byte may lie beyond the newest: a page can ask for it just before tokens are taken back. Views show the
newest instead.

See also: `Session.select`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from xg2lab.errors import SessionError

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["SELECTION", "checked", "nothing_selected"]

#: The members of a selection. `item` is a pair: a column of the chart and an index in it.
SELECTION = ("step", "token", "byte", "rule", "item", "state", "mask_entry")
_FARTHEST = 1 << 53  # the largest int that a page and Python read alike


def nothing_selected() -> schema.Selection:
    """Return a selection without any member."""
    return {"step": None, "token": None, "byte": None, "rule": None, "item": None, "state": None, "mask_entry": None}


def checked(where: Mapping[str, object], sizes: Mapping[str, int]) -> dict[str, object]:
    """Return the members of a selection as plain ints, or `[column, index]` for an item.

    Parameters: `where` the members to set; `sizes` how many tokens, rules, states and entries there are, by the
    member's name. Raises `SessionError` for a member that a selection has not, and for a value that names nothing.
    """
    unknown = set(where) - set(SELECTION)
    if unknown:
        raise SessionError(f"a selection has no {min(unknown)!r}", hint=", ".join(SELECTION))
    return {name: _member(name, value, sizes.get(name)) for name, value in where.items()}


def _member(name: str, value: object, n: int | None) -> object:
    if value is None:
        return None
    if name == "item":
        pair: Sequence[object] = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
        places = [_whole(part, None) for part in pair]
        if len(places) != 2 or None in places:
            raise SessionError(f"a selection's item is (column, index) or None, got {_shown(value)}")
        return places
    whole = _whole(value, n)
    if whole is None:
        range_text = "0 or more" if n is None else f"from 0 to {n - 1}"
        raise SessionError(f"a selection's {name} is an int {range_text} or None, got {_shown(value)}")
    return whole


def _whole(value: object, n: int | None) -> int | None:
    """The value as an int below `n`; None if it is not one."""
    if isinstance(value, bool):
        return None
    try:
        whole = operator.index(cast("int", value))
    except TypeError:
        return None
    return whole if 0 <= whole < (_FARTHEST if n is None else n) else None


def _shown(value: object) -> str:
    text = ascii(value) if not isinstance(value, int) or abs(value) < 10**40 else "a larger int"
    return text if len(text) <= 80 else f"{text[:77]}..."
