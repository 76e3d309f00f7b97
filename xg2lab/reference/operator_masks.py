"""The mask of active operators, assembled from entries that are independent of the context of a scope.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> tree = build(parse_ebnf('root ::= "<" name ">" | "[" name   name ::= [a-z]+'))
>>> vocabulary = dict(enumerate([b"<", b"a", b"ab", b"a>", b"a]", b"a<", b">", b"-"]))
>>> reader = Operators(tree)
>>> reader.push(ord("<")), sorted(token_mask(reader, vocabulary))
(True, [1, 2, 3])

Which of these tokens can `name` decide in every context?

>>> print(tree)
0  IfElse
1    Sequence
2      Write "<"
3      DoWhile min=1
4        Wait allows=[a-z]
5      Write ">"
6    Sequence
7      Write "["
8      DoWhile min=1
9        Wait allows=[a-z]
>>> entries = [entry(tree, tree.operators[scope], vocabulary) for scope in (3, 8)]
>>> entries[0] == entries[1], *map(sorted, (entries[0].accepted, entries[0].uncertain, entries[0].rejected))
(True, [1, 2], [3, 4, 5], [0, 6, 7])

A *scope* is an operator whose entries are kept: a static piece of a template, a rule, a DoWhile,
or only a leaf. An entry classifies the vocabulary for one position of the scope by the scope's own
operators: accepted tokens stay within, uncertain tokens reach its end before their own, rejected
tokens do neither. It is the same for all equal scopes, in every grammar and request. A larger
scope leaves fewer tokens uncertain, and is equal to fewer others.

The mask is the union over the active positions: the tokens that their entries accept, and the
uncertain tokens that the position itself reads, which are decided by stepping. No token is missed,
as its first byte is taken by an active position.

Shapes and units: a vocabulary maps ids to bytes; masks are sets of ids. Text only: token edges are
their own entry.
See also: mask.py, the same for Earley's rules; docs/design/0041-operators.md.
"""

from collections.abc import Collection, Mapping

from xg2lab.reference.mask import Split
from xg2lab.reference.operators import END, DoWhile, Operator, Operators, Position, Tree, build

__all__ = ["build", "content", "entry", "scope_of", "token_mask", "token_mask_by_entries"]

Vocabulary = Mapping[int, bytes]


def token_mask(reader: Operators, vocabulary: Vocabulary) -> set[int]:
    """The tokens of text that may come next. By definition, so slowly."""
    return {token for token, data in vocabulary.items() if data and reader.can_follow(data)}


def token_mask_by_entries(reader: Operators, vocabulary: Vocabulary, scopes: Collection[int]) -> set[int]:
    """The same by entries of the operators `scopes`; a leaf outside of all of them is its own scope."""
    mask: set[int] = set()
    for position in reader.active - {END}:
        scope = scope_of(reader.tree, position.number, scopes)
        found = entry(reader.tree, scope, vocabulary, within(reader, scope, position))
        asked = {t for t in found.uncertain - mask if reader.after_token(frozenset({position}), None, vocabulary[t])}
        mask |= found.accepted | asked
    return mask


def scope_of(tree: Tree, number: int, scopes: Collection[int]) -> Operator:
    """The outermost of the scopes around a leaf."""
    outermost, here = number, number
    while here in tree.parents:
        here = tree.parents[here][0]
        outermost = here if here in scopes else outermost
    return tree.operators[outermost]


def within(reader: Operators, scope: Operator, position: Position) -> Position:
    """The position as the scope sees it: with the counts of its own DoWhiles alone."""
    n_around = len(reader.loops(scope.number))
    return position._replace(counts=position.counts[n_around:])


def entry(tree: Tree, scope: Operator, vocabulary: Vocabulary, position: Position | None = None) -> Split:
    """The classification of the vocabulary at a position of the scope, or at the scope's beginning."""
    inside = Operators(tree, scope)
    accepted, uncertain = set[int](), set[int]()
    for token, data in vocabulary.items():
        active = inside.start() if position is None else frozenset({position})
        ends = False
        for byte in data:
            ends |= END in active
            active = inside.advance(active, byte)
        if data and active:
            accepted.add(token)
        elif data and ends:
            uncertain.add(token)
    return Split(frozenset(accepted), frozenset(vocabulary) - accepted - uncertain, frozenset(uncertain))


def content(operator: Operator) -> tuple[object, ...]:
    """What an operator's entries depend on: itself without its number and rule, and what is within it."""
    bounds = (operator.least, operator.most) if isinstance(operator, DoWhile) else ()
    children = tuple(map(content, operator.children))
    return type(operator).__name__, getattr(operator, "what", None), bounds, children
