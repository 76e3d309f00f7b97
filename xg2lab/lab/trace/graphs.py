"""What is a graph in a session, as DOT: derivation tree, chart, a pushdown automaton's stacks, a dispatch's triggers.

    tree_dot(derivation(session.trace)).to_graphviz()
    chart_dot(session.trace, 8)

Pure functions of a trace: they need no notebook, no kernel and no browser. Views have them as `to_dot()` for the step
under their cursor. See also `xg2lab.show.dot`, where machines are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xg2lab.errors import ArgumentError, SessionError
from xg2lab.lab.trace.as_written import dotted
from xg2lab.lab.trace.derivation import Branch
from xg2lab.show.dot import Dot, Ink, Theme, digraph, ink_of, quoted

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = ["chart_dot", "stacks_dot", "tree_dot", "trie_dot"]

_MOST_NODES = 600
_NO_BOX = " shape=box style=rounded margin=0.08 height=0.3"


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def tree_dot(tree: Branch, *, theme: Theme = "light") -> Dot:
    """A derivation tree, the root on top, bytes as leaves; open rules are dashed and say what they wait for.

    A branch that could be read otherwise says in how many ways, and in its tooltip which.

    Raises `SessionError` for a tree of more than 600 nodes: it would be unreadable.
    """
    ink = ink_of(theme)
    lines: list[str] = []
    agenda: list[tuple[Branch | bytes, str | None]] = [(tree, None)]
    n = 0
    while agenda:
        node, parent = agenda.pop()
        name = f"n{n}"
        n += 1
        if n > _MOST_NODES:
            raise SessionError(
                f"the tree has more than {_MOST_NODES} nodes", hint="draw the tree of an earlier step, or of one rule"
            )
        if isinstance(node, bytes):
            lines.append(f'{name} [label={quoted(_shown(node))} shape=plain fontcolor="{ink["new"]}"];')
        else:
            said = [
                node.name,
                f"… {node.after}" if node.after else "",
                f"{node.n_ways} ways" if node.n_ways > 1 else "",
            ]
            label = "\\n".join(quoted(line)[1:-1] for line in said if line)
            style = f' style="rounded,dashed" color="{ink["live"]}"' if node.is_open else ""
            if node.n_ways > 1:
                style += f' fontcolor="{ink["warning"]}" tooltip={quoted("also " + ", ".join(node.also))}'
            lines.append(f'{name} [label="{label}"{style}];')
            agenda += [(part, name) for part in reversed(node.parts)]
        if parent is not None:
            lines.append(f"{parent} -> {name} [arrowhead=none];")
    return digraph("derivation", ["ordering=out;", *lines], theme, down=True, node=_NO_BOX)


_STROKES = {1: ("P", "dashed"), 2: ("S", "solid"), 3: ("C", "double")}


def chart_dot(trace: Trace, column: int, *, most_columns: int = 8, theme: Theme = "light") -> Dot:
    """The chart's last columns up to `column`: items with their dot, and what made each.

    P (dashed) from the item that predicted it, S (solid) from the item that scanned, C (double) from the item that was
    complete; dotted from the item that had waited for it.
    """
    columns, states, rules = trace.columns, trace.program["states"], trace.program["rules"]
    if not 0 <= column < len(columns) or most_columns < 1:
        raise ArgumentError(f"there is no column {column} in a chart of {len(columns)}")
    ink = ink_of(theme)
    first, output = max(0, column - most_columns + 1), trace.output_bytes
    lines: list[str] = []
    arcs: list[str] = []
    for at in range(first, column + 1):
        byte = f" {_shown(output[at - 1 : at])!r}" if at else ""
        edge = ink["live"] if at == column else ink["line"]
        lines += [
            f"subgraph cluster_{at} {{",
            f'label={quoted(f"{at}{byte}")}; fontname=monospace; fontcolor="{edge}";',
        ]
        lines.append(f'color="{edge}";')
        for k, row in enumerate(columns[at]):
            state, origin, operation, *made = row
            item = states[state]
            text = f"{rules[item['rule']]['name']} → {dotted(item)}  from {origin}"
            lines.append(f"i{at}_{k} [label={quoted(text)}];")
            arcs += _arcs(f"i{at}_{k}", operation, made, first, ink)
        lines.append("}")
    return digraph(
        "chart", [*lines, *arcs], theme, node=" shape=box style=rounded penwidth=0.5 margin=0.06 height=0.25"
    )


def _arcs(item: str, operation: int, made: list[int], first: int, ink: Ink) -> list[str]:
    source, source_index, child, child_index = made
    if operation not in _STROKES:
        return []
    letter, style = _STROKES[operation]
    grey = ink["line"]
    out: list[str] = []
    if child >= 0:  # two lines from what was complete, in the same column
        line = f'color="{grey}:{ink["paper"]}:{grey}" constraint=false'
        out.append(f'i{child}_{child_index} -> {item} [label="{letter}" {line}];')
        letter, style = "", "dotted"
    if source >= first:
        within = " constraint=false" if letter == "P" else ""
        out.append(f'i{source}_{source_index} -> {item} [label="{letter}" style={style}{within}];')
    return out


def stacks_dot(tree: schema.StackTree, program: schema.Program, *, theme: Theme = "light") -> Dot:
    """All stacks of a pushdown automaton as one tree, the bottom on the left. `tree` is `Step.stacks`."""
    ink = ink_of(theme)
    states, rules = program["states"], program["rules"]
    listed = {frame["id"] for frame in tree["frames"]}
    lines: list[str] = []

    def place(below: int | None) -> str:
        return "bottom" if below is None else f"f{below}" if below in listed else "more"

    def said(state: int) -> str:
        item = states[state]
        return f"{rules[item['rule']]['name']} → {item['before']} • {item['after']}"

    for frame in tree["frames"]:
        counts = f", {frame['counts']} done" if frame["counts"] else ""
        label = quoted(said(frame["state"]) + counts)
        called = quoted(rules[frame["called"]]["name"])
        lines += [f"f{frame['id']} [label={label}];", f"{place(frame['below'])} -> f{frame['id']};"]
        lines.append(f"f{frame['id']} [xlabel={called}];")
    for k, top in enumerate(tree["tops"]):
        lit = f'style="rounded,filled,bold" fillcolor="{ink["wash"]}" color="{ink["live"]}"'
        lines += [f"t{k} [label={quoted(said(top['state']))} {lit}];", f"{place(top['below'])} -> t{k};"]
    ends = ['bottom [label="bottom" shape=plain];']
    if any(line.startswith("more ->") for line in lines):
        ends.append('more [label="…" shape=plain];')
    return digraph("stacks", [*ends, *lines], theme, node=_NO_BOX)


def trie_dot(
    texts: Sequence[schema.WatchedText], place: schema.DispatchPlace | None = None, *, theme: Theme = "light"
) -> Dot:
    """The Aho–Corasick automaton that watches for `texts`, as a trie; dashed: where it goes on when no byte fits.

    `place`, as `DispatchView.data()` has it, lights the node that is reached. Ends of texts are double, in their kind.
    """
    ink = ink_of(theme)
    children: list[dict[int, int]] = [{}]
    read: list[bytes] = [b""]
    ends: dict[int, str] = {}
    for text in texts:
        at = 0
        for byte in text["text"].encode():
            if byte not in children[at]:
                children[at][byte] = len(children)
                read.append(read[at] + bytes([byte]))
                children.append({})
            at = children[at][byte]
        ends[at] = text["kind"]
    nodes = {data: k for k, data in enumerate(read)}
    here = 0 if place is not None and not place["n_read"] else None
    if place is not None and place["n_read"]:
        here = nodes[texts[place["text"]]["text"].encode()[: place["n_read"]]]
    lines: list[str] = []
    for k, data in enumerate(read):
        more = f" shape=doublecircle xlabel={quoted(ends[k])}" if k in ends else ""
        if k == here:
            more += f' style="filled,bold" fillcolor="{ink["wash"]}" color="{ink["live"]}"'
        lines.append(f'n{k} [label="{k}"{more}];')
        lines += [f"n{k} -> n{to} [label={quoted(_shown(bytes([byte])))}];" for byte, to in children[k].items()]
        failure = next((nodes[data[cut:]] for cut in range(1, len(data)) if data[cut:] in nodes), 0)
        if failure:
            lines.append(f'n{k} -> n{failure} [style=dashed color="{ink["line"]}" constraint=false];')
    return digraph("triggers", lines, theme, node=" shape=circle width=0.35 margin=0.03")
