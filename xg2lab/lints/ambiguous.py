"""The lint `ambiguous`: what the search found, in words.

>>> from xg2lab.grammar import Grammar
>>> print(next(ambiguous(Context.of(Grammar.from_ebnf('root ::= root "+" root | "1"')), 1.0)).message)
"1+1+1" can be read in two ways: in `root "+" root`, the first part `root` is "1" or "1+1"

A witness is held against the engine before it is said: the search doesn't look at options of rules that stand around
it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xg2lab.errors import Diagnostic, Xg2LabError
from xg2lab.language.byte_matcher import accepts
from xg2lab.lints.ambiguity import AmbiguitySearch, Witness
from xg2lab.lints.context import Context

__all__ = ["ambiguous"]

MOST_NODES = 20_000  # of a grammar that is searched at all
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
SHOWN = 60
# Pairs of parts of one sequence, and iterations that a repetition needs: each is written down
# beside the others.
MOST_NEIGHBOURS = 2_000_000


def ambiguous(context: Context, seconds: float) -> Iterator[Diagnostic]:
    """Expressions with two derivations for one text; a grammar that is too large to search has no such findings."""
    if len(context.nodes) > MOST_NODES or _n_neighbours(context) > MOST_NEIGHBOURS or seconds <= 0:
        return
    rules = {index: rule for rule, index in context.sites}
    for witness in AmbiguitySearch(context.nodes, seconds=seconds).run():
        if not _is_accepted(context, witness.text):
            continue
        node = context.node(witness.node)
        yield context.finding(
            "ambiguous",
            "warning",
            f"{quoted(witness.text)} can be read in two ways: {_ways(context, witness)}",
            node.span,
            "masks are the same whichever way it is read, but both are followed; leave such texts to one of the two",
            rule=rules.get(witness.node),
        )


def _n_neighbours(context: Context) -> int:
    nodes = context.nodes.nodes
    pairs = sum(len(node.children) ** 2 for node in nodes if node.kind == "sequence")
    return pairs + sum(node.least for node in nodes if node.kind == "repeat")


def _is_accepted(context: Context, text: str) -> bool:
    try:
        return accepts(context.grammar, text.encode("utf-8", "surrogateescape"))
    except Xg2LabError:  # token edges, which need their vocabulary; options that can't be kept
        return False


def _ways(context: Context, witness: Witness) -> str:
    node = context.node(witness.node)
    of = "it is " if witness.part == witness.text else f"within it {quoted(witness.part)} is "
    if not witness.part and witness.text:
        of = "the empty text within it is "
    if witness.branches is not None:
        one, other = (context.words(node.children[branch]) or '""' for branch in witness.branches)
        return f"{of}`{one}` or `{other}`"
    assert witness.child is not None
    where = f"in `{context.words(witness.node)}`"
    ways = " or ".join(quoted(way) for way in witness.ways)
    if node.kind == "repeat":
        return f"{where}, one time `{context.words(witness.child)}` is {ways}"
    at = list(node.children).index(witness.child)
    return f"{where}, the {_ordinal(at)} part `{context.words(witness.child)}` is {ways}"


def _ordinal(index: int) -> str:
    return ORDINALS[index] if index < len(ORDINALS) else f"{index + 1}th"


def quoted(text: str) -> str:
    """A text as a literal of EBNF, cut if it is long."""
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    marks = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(marks.get(c, c if c.isprintable() else f"\\U{ord(c):08X}") for c in cut) + '"'
