"""Facts that Python computes from the record, for pages: `xg2lab.widgets.page_trace` makes it.

A trace that is saved to a file holds none of these facts. Where a record of a trace has a field for one, the field is
absent in files and in older traces. See also `docs/design/0046-one-owner.md`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field

from xg2lab.lab.schema.parts import ByteRange, Listing, Names, Natural, OrMinusOne, Row, Wire

__all__ = [
    "BeamRow",
    "Costs",
    "Figures",
    "ForestNode",
    "ForestTree",
    "LaneFigures",
    "LanesFacts",
    "Maker",
    "MissingEdge",
    "OpenedTags",
    "OtherBeginning",
    "Paid",
    "PaidPart",
    "PassCost",
    "Reader",
    "RuleCost",
    "SteppedOver",
    "TemplateCost",
    "TreeRoot",
    "WaysRead",
    "WireBeam",
    "WireForest",
    "Written",
]

#: The maker of a mask entry: this grammar, another one through the tokenizer's pool, or the
#: template of this instance.
Maker = Literal["own", "pool", "template"]
#: A state that could have read the byte that died, and the bytes that it has edges for:
#: hexadecimal, ranges apart by blanks.
MissingEdge = Annotated[list[Any], Row(state=Natural, rule=Natural, bytes=str)]
#: Other ways of an item: how many, and of those that were kept what the item reads, and what its
#: child does where that alone differs.
WaysRead = Annotated[
    list[Any],
    Row(column=Natural, index=Natural, n=Natural, ways=list[Annotated[list[Any], Row(item=str, child=str | None)]]),
]
#: An item that stepped over a rule which matched nothing.
SteppedOver = Annotated[list[Natural], Names("column", "index", "rule")]
#: The states that read a text of the tree of operators, by its place in the grammar.
Reader = Annotated[list[Any], Row(begin=Natural, end=Natural, states=list[Natural])]


#: The beginning of a tag that is not a literal: its text, and the bytes that it can begin with; none are known for a
#: call of a rule.
OtherBeginning = Annotated[list[Any], Row(said=str, ranges=list[ByteRange])]


class TreeRoot(Wire):
    """The place where the derivation tree of a text begins."""

    line: list[Annotated[list[Natural], Names("column", "index")]]
    """one complete item, or the open ones, the outermost first"""
    is_whole: bool
    """whether the item is complete"""
    n_others: Natural
    """complete items that could have been taken as well"""
    also: list[str]
    """what some of them read"""


#: A node of a derivation, in preorder: `parent` is the number of its row, `rule` -1 for a run of bytes, `end` -1 while
#: it is open, `column` and `index` its last item or -1, `n_ways` how many ways its rule divides the text, `differs` 1
#: if not all listed trees have the node with these parts.
ForestNode = Annotated[
    list[OrMinusOne],
    Field(min_length=8, max_length=8),
    Names("parent", "rule", "begin", "end", "column", "index", "n_ways", "differs"),
]


class ForestTree(Wire):
    """One derivation of an ambiguous text."""

    nodes: Listing[ForestNode]
    """its nodes, parents before their parts"""
    parts_at: Natural | None
    """the node at which it parts from another listed tree, counted among the nodes that are rules"""
    said: str
    """that node and its parts, in words"""


class WireForest(Wire):
    """The derivations of a stretch of text: `xg2lab.lab.trace.forest.Derivations`."""

    n_trees: str | None
    """how many there are, in decimal digits; null: they were not counted"""
    is_infinite: bool
    """whether there are infinitely many; `n_trees` then counts those without a cycle"""
    trees: Listing[ForestTree]
    """the first of them"""
    note: str
    """what is left out, and why; empty otherwise"""


#: A continuation by its last token: `parent` is a row, -1 for the first token; `mass` and `drawn` are products along
#: the path; `q` and `drawn` are null once it is blocked; `z` is the allowed mass after it, null if it is not continued.
BeamRow = Annotated[
    list[Any],
    Row(
        parent=OrMinusOne,
        token_id=Natural,
        text=str,
        p=float,
        mass=float,
        q=float | None,
        drawn=float | None,
        allowed=bool,
        ends=bool,
        z=float | None,
    ),
]


class WireBeam(Wire):
    """The model's likeliest continuations of a step: `xg2lab.lab.session.beam.Beam`."""

    step: Natural
    """the step"""
    depth: Natural
    """how many tokens a continuation has at most"""
    width: Natural
    """how many allowed and how many blocked ones were kept at each length"""
    z: float
    """the mass that the grammar allows at the step"""
    nodes: list[BeamRow]
    """the continuations, level by level"""


class Written(Wire):
    """The operator that wrote a step's token."""

    writer: Natural | None
    """the operator that took its first byte; null: one of several did, or it was not recorded"""
    text: str
    """the operator in words"""
    begins: bool
    """false: the step before was written by the same operator, and this one goes on"""


class PassCost(Wire):
    """The time of a pass of the compiler."""

    name: str
    """the pass"""
    begin_us: float
    """when it began; a part begins where the one before it ends, within its pass"""
    us: float
    """how long it took"""
    inside: str | None
    """of a part: the pass that it is a part of"""
    machines: Natural | None
    """of a part of lowering: the machines that its time is added up over"""
    change: str
    """what it changed, in words; empty where it left all as it was"""
    change_in_short: str
    """the same in fewer words"""


class RuleCost(Wire):
    """The masks that were requested inside a rule."""

    rule: Natural | None
    """the rule; null: no item was live"""
    name: str
    """its name"""
    line: Natural | None
    """its line"""
    us: float
    """the time of its masks"""
    share: float
    """the share of that in the time of all masks"""
    n_fills: Natural
    """its masks"""
    n_misses: Natural
    """those that were built anew"""
    median_us: float
    """the time of the median mask"""
    costliest: Natural
    """the step with the dearest"""


#: A part of a cost, and its time in microseconds.
PaidPart = Annotated[list[Any], Row(what=str, us=float)]


class Paid(Wire):
    """Costs that are paid together."""

    when: Literal["offline", "request"]
    """once, or for each request"""
    name: str
    """the same in words"""
    us: float
    """all parts together"""
    rows: list[PaidPart]
    """the parts that were timed"""


class TemplateCost(Wire):
    """The cost of an instance of a template."""

    paid: list[Paid]
    """once, for all requests; and for this request, before its first token could be chosen"""
    passes: list[PassCost] | None
    """the passes of the request; null: they were not timed"""
    passes_us: float | None
    """all of them together"""


class Costs(Wire):
    """Where the time of a session went."""

    passes: list[PassCost] | None
    """null: the grammar came compiled; of an instance those of its template"""
    passes_us: float | None
    """all of them together"""
    mask_us: float
    """all masks together"""
    wait_us: float | None
    """of that, what no forward pass covered; null without a model"""
    model_ms: float
    """all forward passes together"""
    n_fills: Natural
    """masks"""
    rules: list[RuleCost]
    """the time of masks by rule, the dearest first"""
    template: TemplateCost | None
    """of an instance of a template"""


class LaneFigures(Wire):
    """Times of one kind, in nanoseconds."""

    p50: Natural
    """the median"""
    p95: Natural
    """the 95th percentile"""
    sum: Natural
    """the sum"""


class LanesFacts(Wire):
    """Model and mask on one clock."""

    rows: dict[str, LaneFigures]
    """by "model", "mask" and "wait" """
    hidden: float | None
    """the share of the masks' time that forward passes covered"""
    prefill_wait: Natural | None
    """the part of the compilation that the prompt's pass did not cover, in nanoseconds"""


class Figures(Wire):
    """Figures of the whole trace. During a run a page gets them now and then."""

    costs: Costs
    """where the time went"""
    lanes: LanesFacts
    """what of it ran at once"""
    share: str | None
    """in words: the tokens in which the model had no choice; null where the operators are not recorded"""


class OpenedTags(Wire):
    """The tags that a trigger leaves open: what the rule which it opens can begin with."""

    rule: Natural
    """the rule that is the tag dispatch"""
    text: Natural
    """the trigger, an index into the rule's watched texts"""
    begins: Listing[str]
    """the literals, in the order of the source; those of a structural tag begin with the trigger itself"""
    others: NotRequired[Listing[OtherBeginning]]
    """what else the rule can begin with; absent if there is nothing else"""
