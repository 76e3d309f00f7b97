"""Whether a tree of operators is deterministic: no byte is ever taken by two active positions.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> for text in ('root ::= ("a" | "b")* "c" [ab]', 'root ::= [ab]* "a" [ab]', 'root ::= ("a"? "b"){2,3} "a"'):
...     print(analyze(build(parse_ebnf(text))))
deterministic, at most 3 active
not deterministic: 2 in 1 and 3 take 'a', at most 3 active
not deterministic: 4 in 3.1 and 6 take 'a', at most 3 active

Then each text has one path through the tree, and a step of the decoder follows one position.
Brüggemann-Klein and Wood call such an expression one-unambiguous. Some languages have no such
expression, `[ab]* "a" [ab]` among them: a tree that is not deterministic can't always be
rewritten.

With bounds, positions that differ in counts alone are different positions, as they continue
differently: in `("a"{2,3}){2,3}` an "a" may continue the inner repetition or begin another one
(Gelade, Gyssens and Martens 2009 call the absence of that strong determinism). Two positions that
can be united into one are not a choice.

Shapes and units: positions and sets of operators.py. A token may be taken by its bytes and by a
token edge; whether this happens depends on the vocabulary, and is not tested here. COST if
deterministic, positions x bytes; else as many sets as the subset construction has.
See also: Brüggemann-Klein and Wood 1998, "One-unambiguous regular languages".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from xg2lab.reference.operator_tree import LAZY, DoWhile, Operator
from xg2lab.reference.operators import END, Active, Interval, Operators, Position, Tree, build, simplest
from xg2lab.reference.token_sets import TokenSet

__all__ = ["Analysis", "analyze", "build", "never_competes"]


@dataclass(frozen=True)
class Analysis:
    """Whether two active positions may take the same byte, which, and how many may be active (None: too many sets)."""

    rivals: tuple[Position, Position, int | str] | None
    max_active: int | None

    @property
    def is_deterministic(self) -> bool:
        """Does no byte (and no token edge) ever leave a choice?"""
        return self.rivals is None

    def __str__(self) -> str:
        most = (
            "too many sets to count the active ones" if self.max_active is None else f"at most {self.max_active} active"
        )
        if self.rivals is None:
            return f"deterministic, {most}"
        a, b, symbol = self.rivals
        return f"not deterministic: {a} and {b} take {symbol if isinstance(symbol, str) else chr(symbol)!r}, {most}"


def takers(reader: Operators, active: Active) -> dict[int | str, set[Position]]:
    """The bytes and tokens that a set takes, each with the positions that take it."""
    sets = [what for each in reader.tree.operators if isinstance(what := getattr(each, "what", None), TokenSet)]
    samples = {-1, *(token for each in sets for token in each.ids)}  # -1: any token that no set names
    found = dict[int | str, set[Position]]()
    for position in active:
        for byte in reader.bytes_of(position):
            found.setdefault(byte, set()).add(position)
        if tokens := reader.tokens_of(position):
            for token in filter(tokens.holds, samples):
                found.setdefault(f"Token({token})", set()).add(position)
    return found


def steps(reader: Operators, active: Active) -> Iterator[tuple[int | str, set[Position], Active]]:
    """By which byte or token, taken by which positions, a set leads to which set."""
    for symbol, some in takers(reader, active).items():
        yield symbol, some, reader.advance(some, symbol) if isinstance(symbol, int) else reader.crossed(some)


def analyze(tree: Tree, max_sets: int = 10_000) -> Analysis:
    """Look for two positions that are active together and take the same byte; count the positions of every set.

    As long as there are none, each byte is taken by one position, so what single positions lead to is all there is:
    few sets. Otherwise all sets are visited that texts lead to, as in the subset construction.
    """
    reader = Operators(tree)
    agenda = [reader.start()]
    seen = set(agenda)
    for active in agenda:
        for symbol, some, after in steps(reader, active):
            if len(some) > 1:
                a, b, *_ = sorted(some, key=str)
                return Analysis((a, b, symbol), most_active(reader, max_sets))
            if after not in seen:
                seen.add(after)
                agenda.append(after)
    return Analysis(None, max(len(active - {END}) for active in agenda))


def most_active(reader: Operators, max_sets: int) -> int | None:
    """How many positions the largest of all sets has that texts lead to; None if there are more than `max_sets`."""
    agenda = [reader.start()]
    seen = set(agenda)
    for active in agenda:
        agenda += (fresh := {after for _, _, after in steps(reader, active)} - seen)
        seen |= fresh
        if len(seen) > max_sets:
            return None
    return max(len(active - {END}) for active in agenda)


# ---- Without following texts ----


def never_competes(tree: Tree) -> bool:
    """A test that costs no more than the tree: if it says yes, the tree is deterministic; if no, perhaps all the same.

    Each leaf is looked at with the numbers at which a DoWhile changes what it allows: the first, `least` and the one
    behind it, and `most`. All of their combinations are taken for reachable, though positions that are united may
    leave some out: "a"{4,7}* never has the number 5 alone.

    >>> from xg2lab.reference.ebnf import parse_ebnf
    >>> [never_competes(build(parse_ebnf(f"root ::= {body}"))) for body in ('[ab]{3,900} "c"', '[ab]{3,900} "b"')]
    [True, False]
    >>> tree = build(parse_ebnf('root ::= "a"{4,7}*'))
    >>> never_competes(tree), analyze(tree).is_deterministic
    (False, True)
    """
    reader = Operators(tree)

    def has_rivals(active: Active) -> bool:
        return any(len(some) > 1 for some in takers(reader, active).values())

    def leads_to_rivals(leaf: Operator, counts: tuple[Interval, ...]) -> bool:
        agenda = list(reader.enter(leaf, counts))
        for position in agenda:
            for after in dict.fromkeys(after for _, _, after in steps(reader, frozenset({position}))):
                if has_rivals(after):
                    return True
                own = (p for p in after if (p.number, p.counts) == (leaf.number, counts))
                agenda += [p for p in own if p not in agenda]
        return False

    return not has_rivals(reader.start()) and not any(
        leads_to_rivals(leaf, counts)
        for leaf in leaves(tree)
        for counts in product(*map(decisive_numbers, reader.loops(leaf.number)))
    )


def leaves(tree: Tree) -> Iterator[Operator]:
    """The operators that positions are in. What lies within a lazy Wait is part of the Wait's own state."""
    agenda = [tree.root] if tree.root is not None else []
    while agenda:
        operator = agenda.pop()
        if hasattr(operator, "what"):
            yield operator
        if getattr(operator, "what", None) != LAZY:
            agenda += operator.children


def decisive_numbers(loop: DoWhile) -> list[Interval]:
    """The numbers of a DoWhile behind which it allows something else than before."""
    most = loop.most if loop.most is not None else max(loop.least, 1)
    return sorted({simplest(loop, k, k) for k in (1, loop.least, loop.least + 1, most) if 1 <= k <= most})
