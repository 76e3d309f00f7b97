r"""Members in any order by their definition, written out as ordinary rules: one for each set of members matched so far.

>>> for name, (_, branches) in AnyOrder((("a", 1, 1), ("b", 0, 1)), ("literal", b",")).rules("root").items():
...     print(name, *branches, sep="\n    ")
root
    ('seq', (('rule', 'a'), ('rule', 'root«a»')))
    ('seq', (('rule', 'b'), ('rule', 'root«b»')))
root«a»
    ('literal', b'')
    ('seq', (('literal', b','), ('rule', 'b'), ('rule', 'root«a,b»')))
root«b»
    ('seq', (('literal', b','), ('rule', 'a'), ('rule', 'root«a,b»')))
root«a,b»
    ('literal', b'')

`root«a»` reads: the texts that may follow when `a` has been matched. The text may end here if no
required member is missing and enough members have been matched; or a separator and a further
member may follow. A rule that can't reach the end is dropped by cfg.py, with the rules that lead
only to it. So this module needs no test of which members still fit below the maximum: that
follows.

Ordered members come in the written order, so the last matched member determines the set: there are
as many sets as members.

Shapes and units: a member is the name of a rule, how often it must be matched (0 or 1), and how
often it may be (1, or None: any number). `most` None: no limit on all. COST a rule for each set
and total: 2^n of them.

See also: ebnf.py, which puts these rules in the place of `AnyOrder(...)`;
core/automata/member_sets.h, which counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.reference.lexemes import read_literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xg2lab.reference.ebnf import Expression, Reader

Member = tuple[str, int, int | None]
State = tuple[frozenset[int], int]

BOUNDS: dict[str, tuple[int, int | None]] = {"": (1, 1), "?": (0, 1), "*": (0, None), "+": (1, None)}


@dataclass(frozen=True)
class AnyOrder:
    """Members, what stands between two of them, and how many are matched in all."""

    members: tuple[Member, ...]
    separator: Expression = ("literal", b"")
    least: int = 0
    most: int | None = None
    is_ordered: bool = False

    def rules(self, name: str) -> dict[str, Expression]:
        """The rules that it stands for; the first, called `name`, is the whole."""
        made: dict[str, Expression] = {}
        states: list[State] = [(frozenset(), 0)]
        for state in states:
            branches: list[Expression] = [("literal", b"")] if self.may_end(state) else []
            for rule, after in self.ways(state):
                parts: tuple[Expression, ...] = (("rule", rule), ("rule", self.name_of(name, after)))
                branches.append(("seq", parts if state == states[0] else (self.separator, *parts)))
                states += [after] * (after not in states)
            made[self.name_of(name, state)] = ("choice", tuple(branches or [("class", ())]))
        return made

    def ways(self, state: State) -> Iterator[tuple[str, State]]:
        """Each member that may come next, and the set after it."""
        matched, n_total = state
        if n_total == self.most:
            return
        limit = max(self.least, self.most or 0)  # beyond it, how many were matched makes no difference
        for i, (rule, _, most) in enumerate(self.members):
            if self.is_ordered and not self.is_next(i, len(matched)):
                continue
            if most is None or i not in matched:
                passed = frozenset(range(i)) if self.is_ordered else matched
                yield rule, (passed | {i}, min(n_total + 1, limit) if limit else 1)

    def is_next(self, i: int, n_passed: int) -> bool:
        """May ordered member `i` come after so many? The last of these again, or one before which none is needed."""
        return i >= n_passed - 1 and not any(least for _, least, _ in self.members[n_passed:i])

    def may_end(self, state: State) -> bool:
        """Have all that must be been matched, and enough?"""
        return state[1] >= self.least and all(i in state[0] or not m[1] for i, m in enumerate(self.members))

    def name_of(self, name: str, state: State) -> str:
        """A name for the rule of a set: its members, and the total where that matters."""
        matched, n_total = state
        if n_total == 0:
            return name
        words = [
            rule + "'" * [r for r, _, _ in self.members[:i]].count(rule) for i, (rule, _, _) in enumerate(self.members)
        ]
        total = f"#{n_total}" if self.least or self.most else ""
        return f"{name}«{','.join(words[i] for i in sorted(matched))}»{total}"


def read_any_order(reader: Reader, name: str) -> Expression:
    """Read `(a, b?, c*, d+, sep=rule or "text", min=1, max=5, ordered=true)`: rules, the first called `name`."""
    members: list[Member] = []
    separator: Expression = ("literal", b"")
    bounds: dict[str, int] = {}
    is_ordered = False
    reader.take("(")
    while reader.peek().text != ")":
        word = reader.take(kind="name")
        if reader.peek().text != "=":
            reader.references[word.at] = word.text
            mark = reader.take(kind="repeat").text if reader.peek().kind == "repeat" else ""
            members.append((word.text, *BOUNDS[mark]))
        elif reader.take("=") and word.text == "ordered":
            is_ordered = reader.take(kind="name").text == "true"
        elif word.text != "sep":
            bounds[word.text] = int(reader.take(kind="name").text)
        elif reader.peek().kind == "literal":
            separator = "literal", read_literal(reader.take().text)
        else:
            rule = reader.take(kind="name")
            reader.references[rule.at] = rule.text
            separator = "rule", rule.text
        if reader.peek().text != ")":
            reader.take(",")
    reader.take(")")
    made = AnyOrder(tuple(members), separator, bounds.get("min", 0), bounds.get("max"), is_ordered)
    reader.any_orders[name] = made
    reader.made |= made.rules(name)
    return "rule", name
