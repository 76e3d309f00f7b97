"""Records of the engine that pass through a trace as they are: the program, items, mask entries, explanations, stacks.

The engine writes them in `core/bind/inspect.cc` and `core/bind/pool.cc`, under the same names. Offsets into the
grammar's text and into the output count bytes; rules and states are named by their numbers in the program.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from xg2lab.lab.schema.facts import Maker, MissingEdge
from xg2lab.lab.schema.parts import ByteRange, CacheClass, Hex, Listing, Natural, OrMinusOne, Positive, Span, Wire

__all__ = [
    "AnyOrder",
    "AnyOrderMember",
    "CountedItem",
    "Dispatch",
    "DispatchPlace",
    "DottedItem",
    "DrawnEdge",
    "DrawnProgram",
    "DrawnRule",
    "DrawnState",
    "Edge",
    "ExpectedBy",
    "ExpectedToken",
    "Explanation",
    "Item",
    "MaskEntry",
    "PoolTotals",
    "Program",
    "Repeat",
    "Rule",
    "RuleOptions",
    "StackFrame",
    "StackTop",
    "StackTree",
    "StageMarks",
    "State",
    "TokenSet",
    "WalkStep",
    "WatchedText",
    "WireStage",
]


# ---- The program: rules, their states, the edges between states ---------------------------------


class Repeat(Wire):
    """What a counted rule repeats, and how often."""

    child: Natural
    """the rule that is repeated"""
    min: Natural
    """the least number of matches"""
    max: Natural | None
    """the largest number of matches; null: no limit"""


class AnyOrderMember(Wire):
    """A member of a rule whose members come in any order."""

    name: str
    """the member's name, as the grammar writes it"""
    required: bool
    """whether a match must have it"""
    repeats: bool
    """whether it may come more than once"""


class AnyOrder(Wire):
    """A rule whose members come in any order."""

    members: Listing[AnyOrderMember]
    """the members, in the order of the grammar"""
    ordered: bool
    """whether they have to come in that order"""
    min: Natural
    """the least number of members, together"""
    max: Natural | None
    """the largest number of members, together; null: no limit"""


class WatchedText(Wire):
    """A text that a tag dispatch watches for."""

    text: str
    """the text"""
    kind: Literal["trigger", "stop", "exclude"]
    """what its end does: it opens a rule, it ends the dispatch, or it may not occur"""


class Dispatch(Wire):
    """A rule that is a tag dispatch."""

    texts: Listing[WatchedText]
    """the texts that it watches for, in the order of its automaton's patterns"""


class RuleOptions(Wire):
    """The options of a rule that are used at run time; each is absent if the rule doesn't set it."""

    max_tokens: NotRequired[Natural]
    """the largest number of tokens of one match"""
    capture: NotRequired[str]
    """the name under which a match is kept"""
    temperature: NotRequired[float]
    """the temperature of the sampling inside the rule"""
    parts: NotRequired[Natural]
    """the rule whose matches are the captured list"""
    hidden: NotRequired[bool]
    """whether the match is left out of the captured text"""


class TokenSet(Wire):
    """The tokens that the edge of a token rule consumes."""

    ids: Listing[Natural]
    """token ids, ascending"""
    negated: bool
    """whether the edge consumes all tokens but these"""


class DrawnRule(Wire):
    """A rule, without its place in the grammar's text."""

    id: Natural
    """its number in the program"""
    name: str
    """its name in the grammar"""
    line: Natural
    """the line of its definition, from 1; 0: it has none"""
    start: Natural
    """the state in which it begins"""
    states: Span
    """its states: the first, and one past the last"""
    nullable: bool
    """whether it matches the empty text"""
    repeat: NotRequired[Repeat | None]
    """of a counted rule: what it repeats. Absent in programs of older traces"""
    any_order: NotRequired[AnyOrder]
    """of a rule whose members come in any order"""
    dispatch: NotRequired[Dispatch]
    """of a tag dispatch"""
    options: NotRequired[RuleOptions]
    """of a rule with options"""
    tokens: NotRequired[TokenSet]
    """of a rule that is a token edge"""
    starts: NotRequired[Listing[Natural]]
    """of a rule of the grammar as written: the states before its alternatives, if it has several"""


class Rule(DrawnRule):
    """A rule of the program."""

    span: Span
    """its definition in the grammar's text"""


class DispatchPlace(Wire):
    """The place of a state in a tag dispatch: `n_read` bytes of the text with the index `text` have been read."""

    mode: Literal["dispatching", "dispatched"]
    """watching for a trigger, or inside the rule that one opened"""
    text: Natural
    """an index into the rule's watched texts; any of them while `n_read` is 0"""
    n_read: Natural
    """bytes of that text"""


class DrawnState(Wire):
    """A state, without its place in the grammar's text."""

    id: Natural
    """its number in the program"""
    rule: Natural
    """the rule that it belongs to"""
    accepting: bool
    """whether the rule may end here"""
    before: str
    """what of the rule has been matched, readable"""
    after: str
    """what of the rule is still to come, readable"""
    dispatch: NotRequired[DispatchPlace]
    """of a state of a tag dispatch"""
    argument: NotRequired[str]
    """in an instance of a template: a JSON Pointer to the argument that the state was made from. Absent in older
    traces"""
    tight: NotRequired[bool]
    """of a state of the grammar as written: whether the dot is inside a literal or a class"""


class State(DrawnState):
    """A state of the program."""

    scannable: bool
    """whether an edge from it consumes a byte"""
    spans: Listing[Span]
    """the parts of the grammar's text that it reads"""


_From = TypedDict("_From", {"from": Annotated[Natural, Field(description="the state that it leaves")]})


class DrawnEdge(Wire, _From):
    """An edge, without its place in the grammar's text."""

    to: Natural
    """the state that it leads to"""
    kind: Literal["bytes", "rule", "token"]
    """what it consumes: one byte, one match of a rule, or one token"""
    label: str
    """what it consumes, readable"""
    ranges: Listing[ByteRange]
    """of an edge over bytes: the bytes"""
    rule: Natural | None
    """of an edge over a rule: the rule"""


class Edge(DrawnEdge):
    """An edge of the program."""

    spans: Listing[Span]
    """the parts of the grammar's text that it was made from"""


class Program(Wire):
    """The frozen grammar: `CompiledGrammar.program()`."""

    root: NotRequired[Natural]
    """the rule that a whole output matches; absent in programs written by hand: the first"""
    rules: Listing[Rule]
    """by number"""
    states: Listing[State]
    """by number; the states of one rule are adjacent"""
    edges: Listing[Edge]
    """in the order of the states that they leave"""


class DrawnProgram(Wire):
    """The machine of one rule, numbered from 0, as much of it as a picture needs."""

    root: NotRequired[Natural]
    """the number of the one rule, 0; a picture does without"""
    rules: Listing[DrawnRule]
    """the one rule"""
    states: Listing[DrawnState]
    """its states"""
    edges: Listing[DrawnEdge]
    """the edges between them; a call names its rule by its label alone"""


class StageMarks(Wire):
    """What became of a machine's states between two stages."""

    stands_for: list[list[int]]
    """for each state the states before the pass that it comes from; none: the state is new"""
    within: dict[str, list[str]]
    """of a new state, by its number, the rules whose machine was written in"""
    gone: list[int]
    """states before the pass from which no state comes"""


class WireStage(Wire):
    """A rule's machine before and after a pass of the compiler: `xg2lab.compiling.stages.Stage`."""

    name: str
    """the pass, or "as written" """
    machine: DrawnProgram | None
    """null: there is no such rule at this stage, or `note` says why the machine is not known"""
    rules: list[str]
    """the names of all rules of the stage"""
    marks: StageMarks | None
    """null: there is no machine before it, or the two are too large to be compared"""
    note: str
    """why the machine is not known; empty if it is"""


# ---- The parse: items, mask entries, stacks -----------------------------------------------------


class Item(Wire):
    """One partial parse."""

    state: Natural
    """the state that the rule's machine has reached"""
    rule: Natural
    """the rule"""
    origin: Natural
    """the byte of the output at which the rule began"""
    done: NotRequired[str]
    """of a counted rule: how often its child has matched, readable; of an any-order rule: the members matched"""


class DottedItem(Item):
    """An item with its rule in words."""

    before: str
    """what of the rule has been matched"""
    after: str
    """what of the rule is still to come"""


class MaskEntry(Wire):
    """The mask entry of a state: the split of the vocabulary that the cache holds."""

    state: Natural
    """the state"""
    rule: Natural
    """its rule"""
    counts: NotRequired[str | None]
    """in a counted rule: how often its child will have matched after this one, as far as the mask depends on it"""
    storage: Literal["accepted_list", "rejected_list", "bitset"]
    """the form in which the accepted tokens are kept"""
    n_accepted: Natural
    """tokens that the state alone accepts"""
    n_rejected: Natural
    """tokens that the state alone rejects"""
    n_uncertain: Natural
    """tokens that need the parent"""
    size_bytes: Natural
    """the memory of the entry, in bytes"""
    build_us: float
    """the time that building it took, in microseconds"""
    hits: Natural
    """how often the entry was used again"""
    cache: NotRequired[CacheClass]
    """how it was found. Absent in older traces, like the next three"""
    donor: NotRequired[Natural]
    """the number of the grammar that built it"""
    donor_name: NotRequired[str]
    """the name of that grammar"""
    unshared: NotRequired[str | None]
    """why other grammars can't use it; null if they can"""
    maker: NotRequired[Maker]
    """sent to pages: its maker"""


class PoolTotals(Wire):
    """What the grammars of one tokenizer share: `CompiledGrammar.pool_totals()`."""

    n_states: Natural
    """machines' states with entries"""
    n_entries: Natural
    """mask entries"""
    size_bytes: Natural
    """their memory, in bytes"""
    max_bytes: OrMinusOne
    """the limit of that memory, in bytes; -1: no limit"""
    n_perfect_hits: Natural
    """entries taken over as they were"""
    n_partial_hits: Natural
    """entries adapted to another lookahead"""
    n_misses: Natural
    """entries built"""
    n_evictions: Natural
    """entries that were removed to keep the limit"""


class StackTop(Wire):
    """The top of one stack of the pushdown automaton."""

    state: Natural
    """the state of the automaton"""
    below: Natural | None
    """the frame below it; null: the stack is empty"""


class StackFrame(Wire):
    """One frame: when a match of the rule `called` is complete, the parse goes on in `state`."""

    id: Natural
    """its number in this tree"""
    below: Natural | None
    """the frame below it, which need not be listed; null: the frame is the lowest"""
    called: Natural
    """the rule that was called"""
    state: Natural
    """the state to return to"""
    counts: str | None
    """in a counted rule: how often its child has matched, readable"""


class StackTree(Wire):
    """The automaton's stacks as one tree: stacks share frames. See `xg2lab.lab.trace.stacks`."""

    n_stacks: Natural
    """all stacks, also those that are not listed"""
    n_frames: Natural
    """the frames of the listed stacks, also those that are not listed"""
    tops: Listing[StackTop]
    """the stacks that are listed"""
    frames: Listing[StackFrame]
    """the frames that are listed, lower ones before higher ones"""


# ---- Explanations -------------------------------------------------------------------------------


class ExpectedBy(DottedItem):
    """An item that expected another byte, and its place in the grammar's text."""

    rule_name: str
    """the rule's name"""
    spans: Listing[Span]
    """the expressions that it expected"""
    line: NotRequired[Positive]
    """the line of the first of them; absent, like the next two, if the rule is not in the text"""
    column: NotRequired[Positive]
    """the column, in characters from 1"""
    line_text: NotRequired[str]
    """the whole line"""
    argument: NotRequired[str]
    """in an instance of a template: a JSON Pointer to the argument that the item reads"""
    slot: NotRequired[str]
    """sent to pages: the name of the slot that the argument fills"""
    argument_text: NotRequired[str]
    """sent to pages: the argument in words; absent if it is not known"""


class ExpectedToken(ExpectedBy):
    """An item before a token edge."""

    tokens: str
    """the rule that lists the tokens of the edge"""


class CountedItem(DottedItem):
    """An item of a counted rule."""

    rule_name: str
    """the rule's name"""


class WalkStep(Wire):
    """The parse after one byte of the token."""

    byte: Natural
    """the value of the byte, 0 to 255"""
    alive: bool
    """whether a parse was left after it"""
    items: Listing[DottedItem]
    """the parses that were left"""
    inner: NotRequired[Natural | None]
    """sent to pages: the place of the innermost of them"""


class Explanation(Wire):
    """Why a token or a text is allowed or blocked: `GrammarMatcher.explain`."""

    token_id: Natural | None
    """the token; null for a text that is no token"""
    bytes: Hex
    """its bytes, in hexadecimal"""
    text: str
    """its bytes, readable"""
    allowed: bool
    """whether the mask allows it"""
    mechanism: str
    """the part of the engine that decided: "accepted_by_cache", "rejected_by_cache", ..."""
    reason: str
    """why, as a sentence"""
    died_at: Natural | None
    """the index of the byte at which the last parse ended; null if none ended"""
    walk: Listing[WalkStep]
    """the parse byte by byte, up to that one"""
    expected: Listing[ByteRange]
    """the bytes that were allowed there"""
    expected_text: str
    """the same, readable"""
    expected_by: Listing[ExpectedBy]
    """the items that expected them"""
    expected_tokens: NotRequired[Listing[ExpectedToken]]
    """items before token edges. Absent in older traces, like the next, and in what pages get: there they are in
    `expected_by`"""
    counted: NotRequired[Listing[CountedItem]]
    """items whose counts took part in the decision"""
    entry: MaskEntry | None
    """the mask entry that decided; null: no entry alone did"""
    missing: NotRequired[Listing[MissingEdge]]
    """sent to pages: the edges that the byte lacked, the innermost first"""
    walk_as_written: NotRequired[Listing[WalkStep]]
    """the same walk with the items of the grammar as written; absent where that was not recorded"""
    expected_as_written: NotRequired[Listing[ExpectedBy]]
    """the items of the grammar as written that expected another byte or a token; absent like the walk"""
    missing_as_written: NotRequired[Listing[MissingEdge]]
    """sent to pages: `missing` of those items"""
    issue: NotRequired[Listing[Natural]]
    """sent in a replay: the text of an issue, as numbers of the trace's `issue_lines`"""
