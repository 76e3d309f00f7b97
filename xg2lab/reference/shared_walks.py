"""Masks assembled from walks that all contexts share: one for each set of places and group of tree nodes.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> words = Words(parse_ebnf('root ::= (name "(" root ")")? ";"   name ::= [a-z]+'))
>>> shared = SharedWalks(words, {0: b"f", 1: b"go(", 2: b"f(;", 3: b";)", 4: b";);)", 5: b")"})
>>> sorted(shared.mask())
[0, 1, 2]
>>> [words.push(byte) for byte in b"f("], sorted(shared.mask()), len(shared.walks)
([True, True], [0, 1, 2, 3], 7)
>>> [words.push(byte) for byte in b"go("], sorted(shared.mask()), len(shared.walks)
([True, True, True], [0, 1, 2, 3, 4], 8)

The tokens that stay within one word, and the nodes of the tree at which words end, depend on the
places alone, not on their origin. So a walk from places is made once. It gives the tokens that it
accepts and, for each set of words that end together, the *group* of nodes that continue there.
Then comes Earley's column of the texts that may follow those words in this context (words.py); the
group is walked from its places, and this walk may be known as well.

Above, inside the second call one walk is new, that of the last `)` of `;);)`, which closes both.

Shapes and units: a group is a set of indices of nodes, to be entered by their bytes. Every rule
matches some text, so a word that has ended leads somewhere. See also: trie.py, the walk from one
column; core/mask/walk/row_walk.h.
"""

from collections import defaultdict
from collections.abc import Mapping

from xg2lab.reference.cfg import Symbol
from xg2lab.reference.trie import Node, build_tree
from xg2lab.reference.words import Places, Words

Group = frozenset[int]
Walk = tuple[
    frozenset[int], dict[frozenset[Symbol], Group]
]  # tokens; nodes to go on from, by the words that have ended


class SharedWalks:
    """The masks of one parser's columns, over one vocabulary."""

    def __init__(self, words: Words, vocabulary: Mapping[int, bytes]) -> None:
        self.words = words
        self.nodes: list[tuple[int, frozenset[int], Group]] = []  # byte, tokens, children
        self.all = self.number(build_tree(vocabulary))
        self.walks: dict[tuple[Group, Places], Walk] = {}

    def number(self, node: Node) -> Group:
        """Numbers for all below a node; returns those of its children."""
        children: set[int] = set()
        for byte, child in node.children.items():
            self.nodes.append((byte, frozenset(child.tokens), self.number(child)))
            children.add(len(self.nodes) - 1)
        return frozenset(children)

    def mask(self) -> set[int]:
        """The tokens that the column takes."""
        column = self.words.columns[-1]
        found: set[int] = set()
        for slot, origin in enumerate(column.origins):
            places = frozenset((word, state, 0) for word, state, of in column.places if of == slot)
            self.add(self.all, places, origin, found)
        self.add(self.all, self.words.rests[column.rest].places, column.rest, found)
        return found

    def add(self, group: Group, places: Places, origin: int, found: set[int]) -> None:
        """The tokens of a group, from places with this origin."""
        accepted, exits = self.walk(group, places)
        found |= accepted
        for ended, nodes in exits.items():
            calls = frozenset((origin, word) for word in ended)
            if calls not in self.words.returns:
                self.words.returns[calls] = self.words.rest_of([], list(calls))
            rest = self.words.returns[calls]
            self.add(nodes, self.words.rests[rest].places, rest, found)

    def walk(self, group: Group, places: Places) -> Walk:
        """The same in no context: what stays within the words, and where they end."""
        if (group, places) not in self.walks:
            accepted: set[int] = set()
            exits: dict[frozenset[Symbol], set[int]] = defaultdict(set)
            agenda = [(node, places) for node in group]
            while agenda:
                node, here = agenda.pop()
                byte, tokens, children = self.nodes[node]
                going, ended = self.words.step(here, byte)
                if not (going or ended):
                    continue
                accepted |= tokens
                agenda += [(child, going) for child in children]
                if ended and children:
                    exits[frozenset(word for _, word in ended)] |= children
            self.walks[group, places] = frozenset(accepted), {key: frozenset(nodes) for key, nodes in exits.items()}
        return self.walks[group, places]
