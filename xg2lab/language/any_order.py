"""Members in any order as plain Python values: their shortest text, a text with one of them, a text at random.

>>> keys = AnyOrder("!?*", 0, None)
>>> keys.shortest((10, 11, 12, 99), [1, 2, 3] + [4] * 97)
(10,)
>>> keys.around(1, (10, 11, 12, 99), [1] * 100)
((), (99, 10))

Each method takes the children of the expression, its members and last their separator, and the lengths of all
expressions (None: matches nothing); it gives expressions in the order of a text.

Shapes and units: expressions are indices, lengths code points. See also: `xg2lab.language.nodes`, which reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["AnyOrder"]

Children = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """How often each member may be matched (`!` once, `?` at most once, `*` and `+` again), and how many in all.

    `is_ordered`: in the order in which they stand.
    """

    marks: str
    least: int
    most: int | None
    is_ordered: bool = False

    @classmethod
    def read(cls, marks: str, least: int, most: int | None) -> AnyOrder:
        """As the engine gives them: the marks of ordered members begin with `>`."""
        return cls(marks.removeprefix(">"), least, most, marks.startswith(">"))

    def shortest(self, children: Children, lengths: Sequence[int | None]) -> Children | None:
        """The parts of a shortest text; None as long as there is none."""
        chosen = self._chosen(children, lengths, [])
        return None if chosen is None else self._joined(chosen, children, lengths)

    def around(
        self, member: int, children: Children, lengths: Sequence[int | None]
    ) -> tuple[Children, Children] | None:
        """What stands before and after a member (by its place) in a short text, at the beginning if it may."""
        chosen = self._chosen(children, lengths, [member])
        parts = None if chosen is None else self._joined(chosen, children, lengths)
        if chosen is None or parts is None:
            return None
        at = 2 * self._placed(chosen).index(member)
        return parts[:at], parts[at + 1 :]

    def drawn(
        self, children: Children, lengths: Sequence[int | None], budget: int, rng: random.Random, *, is_tired: bool
    ) -> Children:
        """Some members in some order, within a number of code points; with as few as can be if `is_tired`."""
        chosen = self._chosen(children, lengths, []) or []
        separator = lengths[children[-1]]
        able = [i for i in range(len(self.marks)) if lengths[children[i]] is not None]
        others = [i for i in able if self.marks[i] in "*+" or i not in chosen]
        while others and not is_tired and rng.random() < 0.7 and (self.most is None or len(chosen) < self.most):
            other = rng.choice(others)
            if self.marks[other] in "!?":
                others.remove(other)
            parts = self._joined([*chosen, other], children, lengths)
            if (separator is None and chosen) or parts is None or self._length(parts, lengths) > budget:
                break
            chosen.append(other)
        if not self.is_ordered:
            rng.shuffle(chosen)
        return self._joined(chosen, children, lengths) or ()

    def _length(self, parts: Children, lengths: Sequence[int | None]) -> int:
        return sum(lengths[part] or 0 for part in parts)

    def _chosen(self, children: Children, lengths: Sequence[int | None], first: list[int]) -> list[int] | None:
        """`first`, what is required, and the shortest of the others as far as more are needed."""
        required = [i for i, mark in enumerate(self.marks) if mark in "!+" and i not in first]
        chosen = [*first, *required]
        known = {i: length for i in range(len(self.marks)) if (length := lengths[children[i]]) is not None}
        if any(i not in known for i in chosen) or (self.most is not None and len(chosen) > self.most):
            return None
        while len(chosen) < self.least:
            free = [i for i in known if self.marks[i] in "*+" or i not in chosen]
            if not free:
                return None
            chosen.append(min(free, key=known.__getitem__))
        return chosen

    def _joined(self, chosen: list[int], children: Children, lengths: Sequence[int | None]) -> Children | None:
        """With separators between them."""
        if len(chosen) > 1 and lengths[children[-1]] is None:
            return None
        return tuple(part for i in self._placed(chosen) for part in (children[-1], children[i]))[1:]

    def _placed(self, chosen: list[int]) -> list[int]:
        return sorted(chosen) if self.is_ordered else chosen
