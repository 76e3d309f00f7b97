"""The edges of a program by the state that they leave: an index that is made once for each program.

>>> program = {"edges": [{"from": 0, "to": 1, "kind": "bytes"}, {"from": 0, "to": 2, "kind": "token"}]}
>>> [edge["to"] for edge in edges_from(program, 0)], edges_from(program, 1), has_token_edges(program)
([1, 2], [], True)

A trace's program never changes. The indexes of the few programs that were used last are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["edges_from", "has_token_edges"]

MOST_KEPT = 8


class _Index(NamedTuple):
    program: schema.Program  # it is kept, so that its id stays its own
    by_state: dict[int, list[schema.Edge]]
    has_token_edges: bool


_kept: dict[int, _Index] = {}


def edges_from(program: schema.Program, state: int) -> list[schema.Edge]:
    """The edges that leave a state, in the program's order."""
    return _index(program).by_state.get(state, [])


def has_token_edges(program: schema.Program) -> bool:
    """Whether any edge takes a whole token."""
    return _index(program).has_token_edges


def _index(program: schema.Program) -> _Index:
    found = _kept.get(id(program))
    if found is None or found.program is not program:
        by_state: dict[int, list[schema.Edge]] = {}
        for edge in program["edges"]:
            by_state.setdefault(edge["from"], []).append(edge)
        found = _Index(program, by_state, any(edge["kind"] == "token" for edge in program["edges"]))
        for key in list(_kept)[: max(0, len(_kept) - MOST_KEPT + 1)]:  # the oldest
            _kept.pop(key, None)
        _kept[id(program)] = found
    return found
