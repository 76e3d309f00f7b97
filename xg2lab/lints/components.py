"""Strong components of a graph: nodes that reach each other.

After Tarjan 1972, "Depth-first search and linear graph algorithms".

>>> found = components({0: [1], 1: [2], 2: [1, 3], 3: []})
>>> found[1] == found[2], found[0] == found[1], found[3] == found[2]
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

__all__ = ["components"]


def components(edges: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """The number of each node's component; a component is numbered after those that it leads to.

    `edges`: the successors of each node; those that are no key are left out.
    """
    number: dict[int, int] = {}
    order: dict[int, int] = {}  # when a node was first seen
    lowest: dict[int, int] = {}  # the earliest node on the stack that it is known to reach
    stack: list[int] = []
    n_components = 0
    for root in edges:
        if root in order:
            continue
        path: list[tuple[int, Iterator[int]]] = []  # what recursion would keep
        _enter(root, edges, order, lowest, stack, path)
        while path:
            node, left = path[-1]
            after = next((to for to in left if to in edges and to not in number), None)
            if after is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    while node not in number:
                        number[stack.pop()] = n_components
                    n_components += 1
            elif after in order:
                lowest[node] = min(lowest[node], order[after])
            else:
                _enter(after, edges, order, lowest, stack, path)
    return number


def _enter(
    node: int,
    edges: Mapping[int, Iterable[int]],
    order: dict[int, int],
    lowest: dict[int, int],
    stack: list[int],
    path: list[tuple[int, Iterator[int]]],
) -> None:
    order[node] = lowest[node] = len(order)
    stack.append(node)
    path.append((node, iter(edges[node])))
