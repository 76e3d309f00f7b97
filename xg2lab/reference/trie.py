r"""The vocabulary as a prefix tree: tokens with a common beginning are checked together.

>>> vocabulary = {0: b"a", 1: b"ab", 2: b"abc", 3: b"b", 4: b"ab"}
>>> tree = build_tree(vocabulary)
>>> sorted(tree.children), tree.children[ord("a")].children[ord("b")].tokens
([97, 98], [1, 4])
>>> print(*flatten(tree), sep="\n")
Row(byte=97, depth=1, n_rows=3, tokens=(0,))
Row(byte=98, depth=2, n_rows=2, tokens=(1, 4))
Row(byte=99, depth=3, n_rows=1, tokens=(2,))
Row(byte=98, depth=1, n_rows=1, tokens=(3,))
>>> from xg2lab.reference.earley import parse
>>> from xg2lab.reference.ebnf import parse_ebnf
>>> sorted(walk(flatten(tree), parse(parse_ebnf('root ::= "abb"'))))
[0, 1, 4]

The effect: "ab" and "abc" share the bytes "ab", which the parser reads once; if it refuses "a",
all rows below are skipped by one addition. In a vocabulary like {"x", "y", "z"} no bytes are
shared and no time is saved.

Shapes and units: a node is one byte; the array lists nodes depth first, children in byte order,
and row i is the root of rows i to i + n_rows - 1, itself included. Two tokens may have the same
bytes; empty tokens are left out.

See also: Fredkin 1960, "Trie memory".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class Parser(Protocol):
    """What a walk needs of a parser."""

    def push(self, byte: int) -> bool:
        """Read a byte; say whether it was expected."""
        ...

    def pop(self, n_bytes: int) -> None:
        """Take the last bytes back, refused ones too."""
        ...


@dataclass
class Node:
    """The tokens that end here, and the bytes that lead on."""

    tokens: list[int] = field(default_factory=list[int])
    children: dict[int, "Node"] = field(default_factory=dict[int, "Node"])


class Row(NamedTuple):
    """A node in the array: its byte, its distance from the root, the rows of its subtree, the tokens that end here."""

    byte: int
    depth: int
    n_rows: int
    tokens: tuple[int, ...]


def build_tree(vocabulary: Mapping[int, bytes]) -> Node:
    """Insert the tokens one by one."""
    root = Node()
    for token, data in vocabulary.items():
        node = root
        for byte in data:
            node = node.children.setdefault(byte, Node())
        if data:
            node.tokens.append(token)
    return root


def flatten(node: Node, depth: int = 0) -> list[Row]:
    """The nodes below `node`, depth first."""
    rows: list[Row] = []
    for byte, child in sorted(node.children.items()):
        below = flatten(child, depth + 1)
        rows += [Row(byte, depth + 1, 1 + len(below), tuple(child.tokens)), *below]
    return rows


def walk(rows: Sequence[Row], parser: Parser) -> Iterator[int]:
    """The tokens that the parser can read, one push for each node that is reached."""
    n_pushed = 0
    i = 0
    while i < len(rows):
        row = rows[i]
        parser.pop(n_pushed - (row.depth - 1))
        n_pushed = row.depth
        if parser.push(row.byte):
            yield from row.tokens
            i += 1
        else:
            i += row.n_rows
    parser.pop(n_pushed)
