r"""The tags that a trigger leaves open: the literals with which the rule that it opens can begin.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"<", b"a", b"b", b">", b"</s>"], stop_token_ids=[4])
>>> grammar = 'root ::= TagDispatch(("<", call))   call ::= "a>" | "ab>"'
>>> opened_tags(xgr.Session(grammar, info).trace)
[{'rule': 0, 'text': 0, 'begins': ['a>', 'ab>']}]

IDEA
  XGrammar's triggered tags share a trigger: 500 tools may all begin with `<function=`. Once it is read, the dispatch is
  inside one rule, and its literals say which tools are meant. They are read in the source, at the places that the
  rule's start state was made from: minimization merges the states of many tools, and keeps the places of all.

See also `xg2lab/widgets/views/dispatch_view.py`, which names those that the output still can become.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["opened_tags"]

#: More tags than this, of one trigger, are not told one by one.
MOST_TAGS = 2000


def opened_tags(trace: Any) -> list[schema.OpenedTags]:
    """For each trigger of each dispatch: the literals that the opened rule can begin with, in the order of the source.

    A trigger whose rule has fewer than two of them says by itself what it opens, and is left out.
    """
    program, source = trace.program, trace.header["grammar"]["text"].encode()
    states, rules = program["states"], program["rules"]
    out: list[schema.OpenedTags] = []
    for edge in program["edges"]:
        place = states[edge["from"]].get("dispatch")
        if edge["rule"] is None or place is None or place["mode"] != "dispatched":
            continue
        spans = states[rules[edge["rule"]]["start"]]["spans"]
        texts = (_literal(source[begin:end].decode(errors="replace")) for begin, end in spans[:MOST_TAGS])
        begins = list(dict.fromkeys(text for text in texts if text))
        if len(begins) > 1:
            out.append({"rule": states[edge["from"]]["rule"], "text": place["text"], "begins": begins})
    return out


def _literal(source: str) -> str | None:
    """The text of a string literal; None for any other expression. Its escapes are Python's."""
    if len(source) < 2 or source[0] not in "\"'" or source[-1] != source[0]:
        return None
    try:
        text = ast.literal_eval(source)
    except (SyntaxError, ValueError):
        return None
    return text if isinstance(text, str) else None
