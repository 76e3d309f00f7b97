"""The records of a trace: its header, its steps with all their parts, the chart, the tree of operators.

A probability is a number from 0 to 1. Units are at the end of a name: `_us` microseconds, `_ms` milliseconds, `_ns`
nanoseconds, `n_bytes` bytes. Offsets into the output and into the grammar's text count bytes.
See also `docs/design/0002-trace.md`, whose tables are made from this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Discriminator, Field, Tag, with_config

from xg2lab.lab.schema.engine import ExpectedBy, Explanation, Item, MaskEntry, PoolTotals, Program, StackTree
from xg2lab.lab.schema.facts import (
    Figures,
    OpenedTags,
    Reader,
    SteppedOver,
    TreeRoot,
    WaysRead,
    WireBeam,
    WireForest,
    Written,
)
from xg2lab.lab.schema.parts import (
    BeforeAfter,
    CacheClass,
    Hex,
    Lane,
    Listing,
    Names,
    Natural,
    OrMinusOne,
    Positive,
    Row,
    Span,
    Table,
    TokenKey,
    Wire,
)

# A parser made the value, so that it is JSON need not be checked.
if TYPE_CHECKING:
    from xg2lab.support.json_text import Json
else:
    Json = Any

__all__ = [
    "ActiveOperator",
    "ActiveOperators",
    "Annotation",
    "AsWritten",
    "Branch",
    "Broke",
    "Candidate",
    "Chart",
    "ChartItem",
    "ChartWay",
    "ChatMessage",
    "CompilePass",
    "CompilePasses",
    "GrammarFacts",
    "Header",
    "HeaderFacts",
    "Kind",
    "LoopCount",
    "LostMass",
    "LostTo",
    "ModelFacts",
    "OperatorKind",
    "OperatorRow",
    "Operators",
    "PassFacts",
    "RefusedOperators",
    "Sampling",
    "Selection",
    "SlotRow",
    "Step",
    "StepLanes",
    "TemplateFacts",
    "ToldChart",
    "ToldTrace",
    "Trace",
    "TraceFile",
    "WaysRow",
    "WireOperators",
]

#: What chose a token: the model, the grammar (one token was allowed), the user, or a text that had
#: to follow.
Kind = Literal["sampled", "forced_by_grammar", "forced_by_user", "jump_forward"]
#: Operators: a fixed text, a class of texts, a choice, operators one after the other, a repetition.
OperatorKind = Literal["Write", "Wait", "IfElse", "Sequence", "DoWhile"]


# ---- When it was done ---------------------------------------------------------------------------


class StepLanes(Wire):
    """When the parts of a decision were done; null for a part that was not done."""

    model: Lane | None
    """the forward pass (of the prompt, for step 0), until its logits were in host memory"""
    mask: Lane | None
    """the fill of the mask"""
    apply: Lane | None
    """the mask put on the logits; p, q and Z"""
    sample: Lane | None
    """the draw"""
    wait_ns: Natural | None
    """the part of the mask's time that the model's did not cover; null without both"""


@with_config(ConfigDict(strict=True, extra="ignore", allow_inf_nan=False))
class PassFacts(Wire):
    """The changes of a pass of the compiler; facts that don't concern the pass are absent."""

    inside: NotRequired[str]
    """of a part: the pass that it is a part of"""
    rules: NotRequired[BeforeAfter]
    """rules"""
    exprs: NotRequired[BeforeAfter]
    """expressions of the grammar"""
    states: NotRequired[BeforeAfter]
    """states of machines; 0 before: they were made of expressions"""
    machines: NotRequired[Natural]
    """of a part of lowering: the machines that its time is added up over"""


#: A pass of the compiler with its time in microseconds. Older traces have no facts.
CompilePass = Annotated[list[Any], Row(optional=True, name=str, us=float, facts=PassFacts)]
#: Passes in the order in which they were done; the parts of a pass follow it.
CompilePasses = Listing[CompilePass]


# ---- The header ---------------------------------------------------------------------------------


class ModelFacts(Wire):
    """The model of a session."""

    name: str
    """the runner's name"""
    device: str
    """where it runs: "cpu", "cuda:0" """
    dtype: str
    """the type of its weights"""
    n_parameters: Natural
    """the number of its parameters"""


class GrammarFacts(Wire):
    """The grammar's text."""

    text: str
    """the text that all spans point into"""
    root: str
    """the name of its root rule"""
    written_out: NotRequired[str]
    """as EBNF, where the text is a template's and its arguments are not known"""


class Sampling(Wire):
    """How tokens are drawn."""

    temperature: float
    """what the logits are divided by; 0: greedy"""
    top_k: Natural
    """the number of tokens that q keeps; 0: all"""
    top_p: float
    """the share of the mass that q keeps"""
    seed: int
    """the seed of the random numbers"""


#: A slot of a template.
SlotRow = Annotated[list[str], Field(min_length=3, max_length=3), Names("scope", "name", "kind")]


class TemplateFacts(Wire):
    """The template whose instance the grammar is: enough to make the grammar again."""

    kind: Literal["ebnf", "json_schema"]
    """the language of its text"""
    text: str
    """its text"""
    root: str
    """the name of its root rule"""
    options: dict[str, Json]
    """the options that it was read with; `encode` has each text with its ids, if the texts come in tokens"""
    arguments: dict[str, Json]
    """the arguments; bytes and grammars are objects with a key that begins with $"""
    slots: Listing[SlotRow]
    """its slots"""
    obstacles: Listing[str]
    """why an instance is compiled from the written-out grammar; empty if instances are linked"""
    n_states: Natural
    """states of the template's program"""
    compile_us: float
    """the time of compiling the template"""
    masks_us: float | None
    """the time of its masks; null: the template came compiled"""
    instantiate_us: float
    """the time of making the instance"""
    request_passes: NotRequired[CompilePasses | None]
    """the passes of the instance; null: it came made. Absent in older traces"""


class ChatMessage(Wire):
    """A message of a chat, as chat templates read it."""

    role: str
    """who wrote it: "system", "user", "assistant", "tool", or a role of the model's own"""
    content: str
    """its text"""


class HeaderFacts(Wire):
    """The facts that engine and model have about a session before its first step."""

    model: ModelFacts | None
    """null: there is none, and tokens are chosen by the user"""
    vocab_size: Natural
    """the number of token ids"""
    grammar: GrammarFacts
    """the grammar's text"""
    template: NotRequired[TemplateFacts | None]
    """the template whose instance the grammar is; null: it is none. Absent in older traces"""
    options: dict[str, Json]
    """the fields of `EngineOptions`"""
    compile_us: float | None
    """the time of compiling the grammar"""
    compile_passes: NotRequired[CompilePasses | None]
    """the passes of the compiler (of the template, for an instance); null: they were not timed. Absent in older
    traces"""


class Header(HeaderFacts):
    """What is known of a session before its first step."""

    name: str
    """the session's name"""
    sampling: Sampling
    """how tokens are drawn"""
    constrained: bool
    """whether the mask is applied"""
    prompt: str
    """the text that the model read before the output"""
    most_tokens: NotRequired[Natural | None]
    """the most tokens that the model can read after the prompt; null: there is no model, or none is known. Absent in
    older traces"""
    messages: NotRequired[list[ChatMessage] | None]
    """what the model's chat template made the prompt of; null: the prompt was given as text. Absent in older traces"""
    overlap: NotRequired[bool | None]
    """whether masks are made during forward passes. Absent in older traces, like the next"""
    compile_lane: NotRequired[Lane | None]
    """when the grammar was compiled; null: it came compiled"""


# ---- The tree of operators ----------------------------------------------------------------------

#: An operator. `parent` is -1 at the root alone, `rule` an index into `rules`, `data` the first
#: bytes of a Write in hexadecimal, `n_bytes` all of its bytes, `slot` and `argument` where it was
#: filled in.
OperatorRow = Annotated[
    list[Any],
    Row(
        kind=OperatorKind,
        parent=OrMinusOne,
        rule=Natural,
        begin=Natural,
        end=Natural,
        label=str,
        least=Natural | None,
        most=Natural | None,
        slot=str | None,
        argument=str | None,
        data=Hex | None,
        n_bytes=Natural | None,
    ),
]
#: A repetition round an operator, and which of its matches is on: between `low` and `high`.
LoopCount = Annotated[list[Natural], Field(min_length=3, max_length=3), Names("loop", "low", "high")]


class WireOperators(Wire):
    """The grammar's tree of operators. See `xg2lab.lab.trace.operators`."""

    n: Natural
    """operators"""
    is_deterministic: bool | None
    """whether a text says at each byte which operator is active; null: not known"""
    most_active: Natural | None
    """how many operators can be active at once; null: not known"""
    rules: Listing[str]
    """the names of the rules"""
    rows: Listing[OperatorRow]
    """the operators, parents before their parts"""
    readers: NotRequired[Listing[Reader]]
    """sent to pages: the states that read each text of the tree"""
    filled: NotRequired[dict[str, str]]
    """sent to pages, of operators that fill a slot, by number: the argument in words"""
    headline: NotRequired[str]
    """sent to pages, in words: how large the tree is, and how many of its operators can be active at once"""


class RefusedOperators(Wire):
    """Why a grammar has no tree of operators."""

    refused: str
    """the reason"""
    hint: str
    """the remedy"""
    spans: Listing[Span]
    """the calls of its cycle"""


# The tags are in the path of an error, and none may be the name of a field.
def _tree_or_reason(value: object) -> str:
    return "a reason" if isinstance(value, dict) and "refused" in value else "a tree"


#: The tree, or the reason why there is none.
Operators = Annotated[
    Annotated[WireOperators, Tag("a tree")] | Annotated[RefusedOperators, Tag("a reason")],
    Discriminator(_tree_or_reason),
]


class ActiveOperator(Wire):
    """An operator that is active before a token."""

    operator: Natural
    """its number in the tree"""
    n_written: Natural
    """of a Write: the bytes that are written"""
    counts: Listing[LoopCount]
    """the repetitions round it"""
    watched: str
    """of a Wait for a shortest match: what has been read of its end"""


class ActiveOperators(Wire):
    """The operators that are active before a token."""

    n: Natural
    """all of them, also those that are not listed"""
    at: Listing[ActiveOperator]
    """the first 64"""
    said: NotRequired[dict[str, str]]
    """sent to pages: words beside an operator, by its number: repetitions, branches taken, bytes"""


# ---- Steps --------------------------------------------------------------------------------------


class LostTo(Wire):
    """The mass that one place of the grammar took."""

    name: str
    """the rule, or the kind of token where no rule took it"""
    rule: Natural | None
    """the rule's number; null where no rule took it, like the next two"""
    line: Positive | None
    """the line of the place; null also where the rule has none"""
    column: Positive | None
    """its column"""
    expected: str
    """what was expected there"""
    mechanism: str
    """the part of the engine that decided"""
    mass: float
    """the probability of the group"""
    token_ids: Listing[Natural]
    """its tokens, the most probable first"""


class LostMass(Wire):
    """The blocked mass of a step by the rule that refused it. See `xg2lab.lab.trace.lost_mass`."""

    total: float
    """1 - Z"""
    groups: Listing[LostTo]
    """the groups, the largest first"""
    rest: float
    """the mass of the tokens that were not explained"""
    n_rest: int
    """their number"""


ProvenanceCode = Annotated[int, Field(ge=0, lt=8)]
#: A token that might have been chosen. p and q are null without a model, provenance where no mask
#: was known.
Candidate = Annotated[
    list[Any],
    Row(
        token_id=Natural,
        text=str,
        p=float | None,
        q=float | None,
        provenance=ProvenanceCode | None,
    ),
]


class Step(Wire):
    """One decision: the state before its token, and the token once it is chosen."""

    index: Natural
    """its number, from 0"""
    kind: Kind | None
    """what chose the token; null: the step is pending"""
    token_id: Natural | None
    """the token; null while pending"""
    text: str
    """the token, readable"""
    bytes: Hex
    """its bytes in the output, in hexadecimal; none for a stop token, and for a special token that no token edge
    crossed"""
    byte_begin: Natural
    """the place of the token in the output"""
    n_bytes: Natural
    """the length of `bytes`"""
    p: float | None
    """the model's probability of the token; null while pending and without a model, like the next two"""
    q: float | None
    """the probability that the token was drawn with"""
    rank: Positive | None
    """the place of the token in the order of p, from 1"""
    z: float | None
    """the model's mass on the allowed tokens, Z"""
    kl: float | None
    """-ln Z, in nats; null where Z is 0 in float64"""
    temperature: NotRequired[float | None]
    """what the logits were divided by; 0: greedy, and p is for temperature 1. Null without a model; absent in older
    traces"""
    n_allowed: Natural | None
    """allowed tokens; null where the output had left the grammar"""
    mask_us: float | None
    """the time of the engine's mask"""
    model_ms: float | None
    """the time of the forward pass before the decision (of the prompt, for step 0)"""
    accept_us: float | None
    """the time of accepting the token"""
    lanes: NotRequired[StepLanes | None]
    """when each part was done. Absent in older traces"""
    cache: CacheClass | None
    """how the mask was found: `GrammarMatcher.last_fill()`, as are the next four"""
    way: NotRequired[str | None]
    """how the mask was made. Absent in older traces"""
    n_built: Natural | None
    """entries that were built for it"""
    n_adapted: NotRequired[Natural | None]
    """entries that were adapted for it. Absent in older traces"""
    n_checked: Natural | None
    """tokens that were checked one by one"""
    pool: NotRequired[PoolTotals | None]
    """what grammars shared when the mask had been made; null with `cross_grammar_cache` off. Absent in older traces"""
    stacks: NotRequired[StackTree | None]
    """with `parser="pda"`: 24 of the automaton's stacks and the 96 frames nearest to their tops. Null for Earley's
    parser, absent in older traces"""
    operators: NotRequired[ActiveOperators | None]
    """the active operators; null where they are not recorded (`Session.record_operators`), where the grammar has no
    tree, and past the limits of the work on one step. Absent in older traces"""
    top: Listing[Candidate]
    """the 20 most probable tokens, then allowed ones until 10 of these are listed"""
    entries: Listing[MaskEntry]
    """the mask entries of the state: `mask_entries()`"""
    live: Listing[Item]
    """the items of the state: `live_items()`"""
    completed: bool
    """whether the output before the token is a whole sentence"""
    terminated: bool
    """whether the output ended with the token; no step follows"""
    explain: Table[TokenKey, Explanation]
    """explanations by token id: of the 6 most probable blocked tokens, and of the chosen one"""
    lost: NotRequired[LostMass | None]
    """sent to pages, like the next four: what was blocked, by rule, as far as it was recorded"""
    inner: NotRequired[Natural | None]
    """the place of the innermost live item"""
    root: NotRequired[TreeRoot | None]
    """where the derivation tree of the text before the step begins; null where the chart was not recorded"""
    root_as_written: NotRequired[TreeRoot | None]
    """the same in the chart as written; absent where that is not recorded"""
    written: NotRequired[Written | None]
    """the operator that took the first byte; null where no operators were recorded"""


class Branch(Wire):
    """Decisions that were taken back."""

    at: Natural
    """the index of the first"""
    steps: Listing[Step]
    """the decisions"""


# ---- The whole ----------------------------------------------------------------------------------

#: An item of the chart, and what made it; -1 where there is none. `op`: 0 start, 1 predict, 2
#: scan, 3 complete.
ChartItem = Annotated[
    list[OrMinusOne],
    Field(min_length=7, max_length=7),
    Names("state", "origin", "op", "source_column", "source_index", "child_column", "child_index"),
]
#: Another way in which an item was made.
ChartWay = Annotated[
    list[OrMinusOne],
    Field(min_length=5, max_length=5),
    Names("op", "source_column", "source_index", "child_column", "child_index"),
]
#: An item that was made in several ways: its column, its index, the number of other ways, then
#: five numbers for each of the first eight of them, as in `ChartWay`.
WaysRow = list[OrMinusOne]


class ToldChart(Wire):
    """What pages are told of the chart beside its columns."""

    ways_read: NotRequired[Listing[WaysRead]]
    """sent to pages: what an item's other ways read"""
    stepped_over: NotRequired[Listing[SteppedOver]]
    """sent to pages: the rules that matched nothing"""


class Chart(ToldChart):
    """The Earley chart of the output."""

    columns: Listing[Listing[ChartItem]]
    """the items by column, one column for each byte and one before the first"""
    ways: NotRequired[Listing[WaysRow]]
    """items that were made in several ways, in the order of columns. Absent where there are none, and in older
    traces"""


class AsWritten(Wire):
    """The grammar without the passes that rewrite rules, and its chart of the same output."""

    program: NotRequired[Program]
    """its program, with an item's text as the author wrote it. Absent if there is none, and in a push to a page that
    has it"""
    chart: Chart
    """its chart; in a push the columns that follow those that stay"""
    note: str
    """why there is no program, or where the chart ends; empty otherwise"""


class Broke(Wire):
    """The token with which an unconstrained output left the grammar."""

    step: Natural
    """its step"""
    byte: Natural
    """the byte of the output that no parse took"""
    token_id: Natural
    """the token"""
    text: str
    """the token, readable"""
    reason: str
    """why, as a sentence"""
    mechanism: str
    """the part of the engine that decided"""
    expected_text: str
    """what was expected there"""
    expected_by: Listing[ExpectedBy]
    """the items that expected it"""


class Annotation(Wire):
    """An author's note: about a step, about a token of that step, or about a rule."""

    number: Positive
    """names the note in its trace; later notes have larger numbers"""
    text: str
    """plain text, 1 to 2,000 characters"""
    step: NotRequired[Natural]
    """the step"""
    token: NotRequired[Natural]
    """the token of that step"""
    rule: NotRequired[str]
    """in place of a step, the name of the rule"""


class ToldTrace(Wire):
    """What pages are told of the whole trace; of these, a saved trace has the first four."""

    operators: NotRequired[Operators]
    """the tree of operators, or why there is none. Absent if it was not requested, and in older traces"""
    as_written: NotRequired[AsWritten]
    """the grammar as written. Absent if it was not requested, and in older traces"""
    beams: NotRequired[dict[str, WireBeam]]
    """by step: the model's likeliest continuations, of the steps that were asked about last"""
    annotations: NotRequired[Listing[Annotation]]
    """the author's notes, at most 200. Absent in older traces; in a push, absent if they are as they were"""
    linked: NotRequired[bool]
    """sent to pages: whether the grammar is an instance that was linked from a template"""
    tags: NotRequired[list[OpenedTags]]
    """sent to pages: the tags that the triggers of its dispatches leave open"""
    figures: NotRequired[Figures]
    """sent to pages that show some: figures of the whole trace. During a run, now and then"""


class Trace(ToldTrace):
    """The record of a session, as the page holds it."""

    version: Literal[1]
    """the version of the wire"""
    header: Header
    """what is known before the first step"""
    program: Program
    """the frozen grammar"""
    steps: Listing[Step]
    """the decisions; the last may be pending"""
    branches: Listing[Branch]
    """decisions taken back, in the order of time"""
    chart: Chart
    """the Earley chart"""
    notes: Listing[str]
    """what the trace leaves out, and which limit did it"""
    issue_lines: NotRequired[Listing[str]]
    """sent in a replay: lines of the texts of issues"""
    forests: NotRequired[dict[str, WireForest]]
    """sent in a replay, by step: the derivations of the ambiguous texts before the newest steps"""


class TraceFile(Trace):
    """The record of a session, as a file holds it."""

    broke: Broke | None
    """where an unconstrained output left the grammar"""
    bulk: NotRequired[Table[TokenKey, Any]]
    """by step: provenance and probability of every token, each in base64 of zlib, or null"""


class Selection(Wire):
    """The selection of all views of a session; null: nothing."""

    step: Natural | None
    """a step"""
    token: Natural | None
    """a token id"""
    byte: Natural | None
    """an offset into the output"""
    rule: Natural | None
    """a rule"""
    item: Annotated[list[Natural], Field(min_length=2, max_length=2), Names("column", "index")] | None
    """an item of the chart"""
    state: Natural | None
    """a state"""
    mask_entry: Natural | None
    """the state of a mask entry"""
