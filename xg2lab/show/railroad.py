"""A rule's body as a railroad: what a drawing of it needs, as plain values.

>>> from xg2lab.grammar import Grammar
>>> nodes = Nodes.of(Grammar.from_ebnf('root ::= "[" [0-9]+ ("," root)? "]"'))
>>> print(shown(railroad(nodes, nodes.root)))
[ → [0-9] 1 or more → (, → root or nothing) → ]

A track is a dict: `kind`, `span` (bytes of the grammar's source) and, by kind, `text` and `parts`. Kinds that are one
box: literal, class, rule, other. Kinds that hold parts: sequence, choice, optional, repeat (`text` says how often,
`least` and `most` in numbers). Strings are shown as they are; bytes that are no UTF-8 as backslashed escapes.

See also: `xg2lab.language.nodes`, which is drawn; widgets/src/editor/railroad_layout.ts, where boxes get their places.
"""

from __future__ import annotations

from typing import Any

from xg2lab.language.nodes import Node, Nodes

__all__ = ["Track", "class_text", "railroad", "shown"]

Track = dict[str, Any]
LAST_POINT = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
MOST_SHOWN = 12  # ranges of a class
MOST_WAYS = 60  # of a choice; the rest are counted


def railroad(nodes: Nodes, rule: int) -> Track:
    """The track of a rule's body. Rules are not entered, so it is as large as what was written."""
    return _track(nodes, nodes.rules[rule].body)


def _track(nodes: Nodes, index: int) -> Track:
    node = nodes[index]
    match node.kind:
        case "literal":
            text = node.text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            return _box("literal", text, node)
        case "class":
            return _box("class", class_text(node.ranges), node)
        case "rule":
            return _box("rule", nodes.rules[node.rule].name, node)
        case "sequence":
            return _holds("sequence", node, [_track(nodes, child) for child in node.children])
        case "choice":
            return _choice(nodes, node)
        case "repeat":
            return _repeat(nodes, node)
        case "dispatch" if node.dispatch is not None:
            tags = zip(node.dispatch.tags, node.children, strict=True)
            ways = [_holds("sequence", node, [_box("literal", tag, node), _track(nodes, at)]) for tag, at in tags]
            free = _box("other", "free text", node)
            most = None if node.dispatch.loop_after_dispatch else 1
            loop = {"text": "until a tag", "least": 0, "most": most}
            return _holds("repeat", node, [_holds("sequence", node, [free, _holds("choice", node, ways)])]) | loop
        case "any_order" if node.any_order is not None:
            members = [_track(nodes, child) for child in node.children[: len(node.any_order.marks)]]
            how = "in this order" if node.any_order.is_ordered else "in any order"
            loop = {"text": how, "least": node.any_order.least, "most": node.any_order.most}
            return _holds("repeat", node, [_holds("choice", node, members)]) | loop
        case "tokens" if node.tokens is not None:
            return _box("other", str(node.tokens), node)
        case "machine":
            return _box("other", node.text, node)
        case "nothing":
            return _box("other", "matches nothing", node)
        case _:
            return _holds("sequence", node, [])


def _choice(nodes: Nodes, node: Node) -> Track:
    ways = [child for child in node.children if nodes[child].kind != "empty"]
    parts = [_track(nodes, child) for child in ways[:MOST_WAYS]]
    if len(ways) > MOST_WAYS:
        parts.append(_box("other", f"{len(ways) - MOST_WAYS:,} more", node))
    made = parts[0] if len(parts) == 1 else _holds("choice", node, parts)
    return made if len(ways) == len(node.children) else _holds("optional", node, [made])


def _repeat(nodes: Nodes, node: Node) -> Track:
    part = _track(nodes, node.children[0])
    least, most = node.least, node.most
    if (least, most) == (0, 1):
        return _holds("optional", node, [part])
    text = f"{least} to {most} times"
    if most is None:
        text = f"{least} or more"
    elif least == most:
        text = f"{most} times"
    return _holds("repeat", node, [part]) | {"text": text, "least": least, "most": most}


def _box(kind: str, text: str, node: Node) -> Track:
    return {"kind": kind, "text": text, "span": list(node.span)}


def _holds(kind: str, node: Node, parts: list[Track]) -> Track:
    return {"kind": kind, "span": list(node.span), "parts": parts}


def class_text(ranges: tuple[tuple[int, int], ...]) -> str:
    r"""A class as it would be written, the shorter of the two ways.

    >>> class_text(((0x30, 0x39), (0x41, 0x46))), class_text(((0, 0x21), (0x23, 0xD7FF), (0xE000, 0x10FFFF)))
    ('[0-9A-F]', '[^"]')
    """
    if ranges and ranges[-1][1] == LAST_POINT:
        gaps: list[tuple[int, int]] = []
        begin = 0
        for low, high in ranges:
            if low > begin and (begin, low - 1) != SURROGATES:
                gaps.append((begin, low - 1))
            begin = high + 1
        return f"[^{_ranges_text(gaps)}]" if gaps else "any character"
    return f"[{_ranges_text(list(ranges))}]"


def _ranges_text(ranges: list[tuple[int, int]]) -> str:
    shown_ranges = [
        _point(low) if low == high else f"{_point(low)}{'-' * (high - low > 1)}{_point(high)}"
        for low, high in ranges[:MOST_SHOWN]
    ]
    return "".join(shown_ranges) + "…" * (len(ranges) > MOST_SHOWN)


def _point(point: int) -> str:
    known = {9: r"\t", 10: r"\n", 13: r"\r", 0x5C: r"\\", 0x5D: r"\]", 0x2D: r"\-"}
    if point in known:
        return known[point]
    text = chr(point)
    if text.isprintable():
        return text
    return f"\\x{point:02X}" if point < 0x100 else f"\\u{point:04X}" if point < 0x10000 else f"\\U{point:08X}"


def shown(track: Track) -> str:
    """A track on one line of text."""
    parts = [shown(part) for part in track.get("parts", ())]
    match track["kind"]:
        case "sequence":
            return " → ".join(parts) or "nothing"
        case "choice":
            return "(" + " | ".join(parts) + ")"
        case "optional":
            return f"({parts[0]} or nothing)"
        case "repeat":
            inner = parts[0] if len(track["parts"][0].get("parts", ())) == 0 else f"({parts[0]})"
            return f"{inner} {track['text']}"
        case _:
            return str(track["text"])
