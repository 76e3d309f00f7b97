r"""The tags that a trigger leaves open: what the rule that it opens can begin with.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"<", b"a", b"b", b">", b"</s>"], stop_token_ids=[4])
>>> grammar = 'root ::= TagDispatch(("<", call))   call ::= "a>" | "ab>" | [b-c] ">"'
>>> opened_tags(xgr.Session(grammar, info).trace)
[{'rule': 0, 'text': 0, 'begins': ['a>', 'ab>'], 'others': [['[b-c]', [[98, 99]]]]}]

IDEA
  XGrammar's triggered tags share a trigger: 500 tools may all begin with `<function=`. Once it is read, the dispatch is
  inside one rule, and its literals say which tools are meant. They are read in the source, at the places that the edges
  from the rule's start state were made from: minimization merges the states of many tools, and keeps the places of all.

  A tag that begins with a class, or with a call of a recursive rule, has no name of its own. It is listed under
  `others`, with the bytes that it can begin with: none are known for a call. A view that left such a tag out would say
  that the named ones are all.

See also `xg2lab/widgets/views/dispatch_view.py`, which names those that the output still can become.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from xg2lab.lab.trace.edges import edges_from

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = ["opened_tags"]

#: More tags than this, of one trigger, are not told one by one.
MOST_TAGS = 2000
#: Of the text of a beginning that is not a literal.
MOST_CHARACTERS = 24


def opened_tags(trace: Trace) -> list[schema.OpenedTags]:
    """For each trigger of each dispatch: the beginnings of the opened rule, in the order of the source.

    A trigger whose rule has fewer than two of them says by itself what it opens, and is left out.
    """
    program, source = trace.program, trace.header["grammar"]["text"].encode()
    states, rules = program["states"], program["rules"]
    out: list[schema.OpenedTags] = []
    for edge in program["edges"]:
        place = states[edge["from"]].get("dispatch")
        if edge["rule"] is None or place is None or place["mode"] != "dispatched":
            continue
        begins, others = _beginnings(edges_from(program, rules[edge["rule"]]["start"]), source)
        if len(begins) + len(others) > 1:
            out.append({"rule": states[edge["from"]]["rule"], "text": place["text"], "begins": begins})
            if others:
                out[-1]["others"] = [[said, ranges] for said, ranges in others.items()]
    return out


def _beginnings(edges: list[schema.Edge], source: bytes) -> tuple[list[str], dict[str, list[list[int]]]]:
    """The literals behind the edges from a start state, and all else: its text, and the bytes of its edges."""
    places = sorted({tuple(span) for edge in edges for span in edge["spans"]})[:MOST_TAGS]
    literals = {place: _literal(source[place[0] : place[1]].decode(errors="replace")) for place in places}
    others: dict[str, list[list[int]]] = {}
    for edge in edges:
        for span in [tuple(span) for span in edge["spans"]] or [(0, 0)]:
            if not literals.get(span):
                known = others.setdefault(_said(source[span[0] : span[1]], edge["label"]), [])
                known += [list(pair) for pair in edge["ranges"] if list(pair) not in known]
    return list(dict.fromkeys(text for text in literals.values() if text)), others


def _said(source: bytes, label: str) -> str:
    """A class or a name as the author wrote it; where it is longer or something else, the label of the edge."""
    text = source.decode(errors="replace")
    is_short = 0 < len(text) <= MOST_CHARACTERS and "\n" not in text
    return text if is_short and (text[0] == "[" or text.replace("-", "_").isidentifier()) else label


def _literal(source: str) -> str | None:
    """The text of a string literal; None for any other expression. Its escapes are Python's."""
    if len(source) < 2 or source[0] not in "\"'" or source[-1] != source[0]:
        return None
    try:
        text = ast.literal_eval(source)
    except (SyntaxError, ValueError):
        return None
    return text if isinstance(text, str) else None
