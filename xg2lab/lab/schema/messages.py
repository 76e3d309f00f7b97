"""Requests and replies: what a page asks of a kernel, and what it gets back.

>>> from xg2lab.lab.schema.messages import SessionRequests
>>> from typing import get_args, get_type_hints
>>> [record.__name__ for record in get_args(get_type_hints(SessionRequests)["stages"])]
['StagesRequest', 'StagesReply']

A request is `{kind, id, ...}` with the fields of its record; its reply is `{re: id, ...}`, or `{re: id, error}` with a
`WireError`. `SessionRequests`, `PadRequests` and `RuntimeRequests` list the kinds that each widget answers, with both
records. The page's `Channel.call` takes its types from them; `tests/widgets/test_messages.py` compares them with the
methods `on_<kind>`. Bytes travel beside a message, as buffers: the descriptions name them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field

from xg2lab.lab.schema.engine import Explanation, StackTree, WireStage
from xg2lab.lab.schema.facts import Figures, WireBeam, WireForest
from xg2lab.lab.schema.page import (
    BenchRow,
    BulkHeader,
    PadKind,
    SamplesReply,
    SessionState,
    TextEdit,
    TextFold,
    TextWord,
)
from xg2lab.lab.schema.parts import Names, Natural, Positive, Row, Span, Wire
from xg2lab.lab.schema.reports import EngineChoice, LockstepHeld, SwitchFacts, WireDiagnosis, WireDonor
from xg2lab.lab.schema.trace import ChatMessage, LostMass

__all__ = [
    "AnnotateReply",
    "AnnotateRequest",
    "AnnotationRequest",
    "AssetReply",
    "AssetRequest",
    "AuditRequest",
    "BackToRequest",
    "BeamReply",
    "BeamRequest",
    "BesideReply",
    "BesideRequest",
    "BulkRequest",
    "CommandRequest",
    "CompareMaskReply",
    "CompareMaskRequest",
    "CompareRequest",
    "CompareWithReply",
    "CompleteReply",
    "CountRequest",
    "DonorReply",
    "DonorRequest",
    "EditAnnotationRequest",
    "EditsReply",
    "ExampleRequest",
    "ExplainReply",
    "FoldsReply",
    "ForceRequest",
    "ForestReply",
    "ForestRequest",
    "FromSessionReply",
    "FromSessionRequest",
    "HelloReply",
    "HelloRequest",
    "HoverReply",
    "JudgeReply",
    "JudgeRequest",
    "LockstepAddRequest",
    "LockstepDropRequest",
    "LockstepHeldReply",
    "LockstepRequest",
    "LockstepSelectReply",
    "LockstepSelectRequest",
    "LockstepWithReply",
    "LostMassReply",
    "Nothing",
    "PadRequests",
    "PauseRequest",
    "PlacesReply",
    "RenameRequest",
    "ReplayReply",
    "ReplayRequest",
    "ResetRequest",
    "RunRequest",
    "RuntimeRequests",
    "SamplesRequest",
    "SessionRequests",
    "SetRequest",
    "SettleReply",
    "SettleRequest",
    "ShownRequest",
    "StacksReply",
    "StagesReply",
    "StagesRequest",
    "StateReply",
    "StepRequest",
    "SubjectRequest",
    "TextOfKind",
    "TextPlace",
    "TextReply",
    "WatchReply",
    "WatchRequest",
    "WriteReply",
    "WriteRequest",
]


class Nothing(Wire):
    """A message without fields of its own."""


# ---- Both kinds of widget --------------------------------------------------------------------------------------------


class SettleRequest(Wire):
    """Send at once what waits for its frame."""

    replay: NotRequired[bool]
    """whether to renew what a saved notebook reads, too"""


class SettleReply(Wire):
    """How far the kernel is."""

    seq: Natural
    """the number of the last push"""
    is_busy: bool
    """whether a command is still at work"""


# ---- A session -------------------------------------------------------------------------------------------------------


class HelloRequest(Wire):
    """Is there a kernel?"""

    follows: NotRequired[bool]
    """whether it is a student's page: the notebook's page is another, and its outputs stay as they are"""


class StateReply(Wire):
    """How the session is. A reply has no `error` of its own: that is what a refusal has."""

    state: SessionState
    """its status, the last push, its error"""


class HelloReply(StateReply):
    """There is a kernel."""

    vocabulary_key: str
    """equal for equal vocabularies: a page asks for each once"""
    session_id: str
    """the name under which the runtime pauses the session"""


class SetRequest(Wire):
    """A value that the page owns."""

    key: Literal["selection", "layouts"]
    """which trait"""
    value: object
    """its value: a Selection, or layouts by name"""


class CommandRequest(Wire):
    """A command to the session."""

    n_decided: NotRequired[Natural]
    """the tokens that the page had: a step past an end that came meanwhile does nothing"""


class CountRequest(CommandRequest):
    """Take tokens, or take them back."""

    n: NotRequired[Natural]
    """how many; 1 if it is absent"""


class BackToRequest(CommandRequest):
    """Take all tokens from a step on back: they stay as a branch."""

    step: Natural
    """the step"""


class SubjectRequest(Wire):
    """A token, or a text or bytes that were typed: one of the three."""

    token: NotRequired[Natural]
    """a token id"""
    text: NotRequired[str]
    """a text"""
    bytes: NotRequired[str]
    """bytes in hexadecimal"""
    step: NotRequired[Natural | None]
    """before which step; the newest if it is absent"""


class ForceRequest(SubjectRequest, CommandRequest):
    """Choose a token, or the tokens of a text."""


class RunRequest(CommandRequest):
    """Step until an end."""

    until: NotRequired[str | list[Any] | None]
    """the end, as `Session.run` takes it"""
    max_tokens: NotRequired[Natural | None]
    """the largest number of tokens"""


class ResetRequest(CommandRequest):
    """Begin again."""

    prompt: NotRequired[str | None]
    """with another prompt"""
    messages: NotRequired[list[ChatMessage] | None]
    """or with these messages, of which the model's chat template makes the prompt"""


class AnnotateRequest(Wire):
    """Leave a note: about the newest step, if neither a step nor a rule is named."""

    text: str
    """plain text"""
    step: NotRequired[Natural]
    """the step"""
    token: NotRequired[Natural]
    """the token of that step"""
    rule: NotRequired[str]
    """in place of a step, the name of a rule"""


class AnnotateReply(Wire):
    """The note is kept."""

    number: Positive
    """its number"""


class AnnotationRequest(Wire):
    """A note that there is."""

    number: Positive
    """its number"""


class EditAnnotationRequest(AnnotationRequest):
    """Give a note another text."""

    text: str
    """the text"""


class ReplayRequest(Wire):
    """Find the token ids in a text, and take them in a trace of their own."""

    text: str
    """the text"""


class ReplayReply(Wire):
    """What the grammar makes of the ids."""

    diagnosis: WireDiagnosis
    """the diagnosis"""


class StepRequest(Wire):
    """Something that is asked of a step."""

    step: NotRequired[Natural | None]
    """the step; the newest if it is absent"""


class DonorRequest(StepRequest):
    """The grammar that a mask entry was taken over from."""

    state: Natural
    """the state that the entry is of"""


class DonorReply(Wire):
    """The grammar."""

    donor: WireDonor
    """the grammar, with its program"""


class ExplainReply(Wire):
    """Why the subject may or may not come."""

    explanation: Explanation
    """with the facts that a page is told"""


class TextReply(Wire):
    """A text: that of an issue, or of a test file."""

    text: str
    """the text"""


class ForestRequest(StepRequest):
    """The derivations of the text before a step, under the grammar as written."""

    item: NotRequired[Annotated[list[Natural], Field(min_length=2, max_length=2), Names("column", "index")] | None]
    """of the match that this item ends alone"""
    most: NotRequired[Natural]
    """how many to list; 6 if it is absent"""


class BeamRequest(StepRequest):
    """The model's likeliest continuations at a step."""

    depth: Natural
    """how many tokens a continuation has at most"""
    width: Natural
    """how many allowed and how many blocked ones are kept at each length"""


class BeamReply(Wire):
    """The continuations as a tree."""

    beam: WireBeam
    """the tree"""


class ForestReply(Wire):
    """Derivations, counted, and the first of them."""

    forest: WireForest
    """the derivations"""


class StacksReply(Wire):
    """More of the automaton's stacks than a trace keeps."""

    stacks: StackTree
    """the stacks"""


class StagesRequest(Wire):
    """A rule's machine after each pass of the compiler."""

    rule: str
    """the rule's name"""


class StagesReply(Wire):
    """The machines."""

    stages: list[WireStage]
    """in the order of the passes"""


class LostMassReply(Wire):
    """Which rules took the mass that is blocked."""

    lost: LostMass | None
    """null where mask or probabilities are not known"""


class AuditRequest(Wire):
    """Begin an audit; what it finds comes by the trait `audit`."""

    seconds: NotRequired[float]
    """the budget"""


class BulkRequest(Wire):
    """The mask of a step. The buffers of the reply are its provenance and its probabilities."""

    step: Natural
    """the step"""


class WatchRequest(Wire):
    """What the views in sight on a page show. It comes with pushes until the page sends another such request.

    A page that does not repeat the request stops watching after some hundred pushes: it may have been closed.
    """

    bulk: bool
    """whether the newest mask shall come with the push of each step"""
    figures: bool
    """whether figures of the whole trace shall come with pushes"""


class WatchReply(Wire):
    """What is known at once."""

    figures: NotRequired[Figures]
    """the figures, if the page watches them"""


class ShownRequest(Wire):
    """A page has drawn a push of a run, and all before it."""

    seq: Natural
    """the push's number"""


class BesideRequest(Wire):
    """Hold the mask of a step against another session's; without a session, no longer."""

    session: NotRequired[str]
    """the other session's name; empty: the first"""
    step: NotRequired[Natural]
    """the step; the newest if it is absent"""


class BesideReply(Wire):
    """The other session; absent fields: none is held against this one. The buffer is its mask."""

    sessions: NotRequired[list[str]]
    """the names of all sessions of this vocabulary"""
    session: NotRequired[str]
    """the name of the one; empty: there is none"""
    says: NotRequired[str]
    """which step of it, in words"""


class CompareRequest(Wire):
    """Begin a comparison; what it finds comes by the trait `compare`. Side B is one of four, or `engines` are named."""

    switches: NotRequired[dict[str, Any] | None]
    """fields of `EngineOptions`, as text"""
    grammar: NotRequired[str | None]
    """a grammar's text"""
    session: NotRequired[str | None]
    """another session's name"""
    written_out: NotRequired[bool]
    """the template's grammar, written out"""
    engines: NotRequired[list[str] | None]
    """names of other engines"""


class CompareMaskRequest(Wire):
    """Two masks of a step: those of both sides, or of two of the engines."""

    step: Natural
    """the step"""
    pair: NotRequired[Annotated[list[Any], Row(a=Natural, b=Natural)] | None]
    """the places of the two sides or engines; left out: the first two"""


class CompareMaskReply(Wire):
    """Two masks of a step: the buffers are A's row, and A xor B."""

    step: Natural
    """the step"""


class CompareWithReply(Wire):
    """What B can be."""

    switches: list[SwitchFacts]
    """the engine's switches"""
    sessions: list[str]
    """the names of the other sessions"""
    is_instance: bool
    """whether the grammar is an instance of a template, which can be written out"""
    engines: list[EngineChoice]
    """the engines, installed or not"""


class LockstepAddRequest(Wire):
    """Add a side: another session by its name, or a variant of this one. One of the four."""

    session: NotRequired[str | None]
    """another session's name"""
    seed: NotRequired[Natural | None]
    """another seed"""
    temperature: NotRequired[float | None]
    """another temperature"""
    grammar: NotRequired[str | None]
    """another grammar's text, EBNF"""


class LockstepDropRequest(Wire):
    """Take a side away; the lockstep ends with its second side."""

    side: Natural
    """the side, from 1"""


class LockstepRequest(Wire):
    """Move all sides."""

    do: Literal["step", "back", "run", "reset"]
    """what to do"""
    until: NotRequired[Literal["end", "parts"] | None]
    """where a run ends"""


class LockstepSelectRequest(Wire):
    """Select a step, and a token, in a side's own session: its views follow."""

    side: Natural
    """the side, from 0"""
    step: Natural
    """the step"""
    token: NotRequired[Natural | None]
    """the token"""


class LockstepSelectReply(Wire):
    """What is known of the selected token."""

    why: str
    """why it is allowed or blocked there, as a sentence; empty without a token"""


class LockstepHeldReply(Wire):
    """The masks of the other sides at the byte of a step of the first."""

    held: list[LockstepHeld | None]
    """for each side but the first"""


class LockstepWithReply(Wire):
    """What a side can be."""

    sessions: list[str]
    """the names of the other sessions of this vocabulary that are no side yet"""
    has_model: bool
    """whether the session has a model, whose variants can sample"""


class SessionRequests(Wire):
    """The requests that `xg2lab.widgets.session_widget.SessionWidget` answers."""

    hello: tuple[HelloRequest, HelloReply]
    """is there a kernel, and how far is it"""
    settle: tuple[SettleRequest, SettleReply]
    """send what waits"""
    trace: tuple[Nothing, StateReply]
    """for a page that missed a push; the buffer is the whole Trace, gzip of its JSON"""
    set: tuple[SetRequest, Nothing]
    """a value that the page owns"""
    step: tuple[CountRequest, Nothing]
    """sample tokens"""
    back: tuple[CountRequest, Nothing]
    """take tokens back"""
    back_to: tuple[BackToRequest, Nothing]
    """take all tokens from a step on back"""
    undo_force: tuple[CommandRequest, Nothing]
    """take the newest token back, if the user forced it"""
    force: tuple[ForceRequest, Nothing]
    """choose a token, or the tokens of a text"""
    run: tuple[RunRequest, Nothing]
    """step until an end"""
    pause: tuple[Nothing, Nothing]
    """stop a run"""
    reset: tuple[ResetRequest, Nothing]
    """begin again"""
    replay: tuple[ReplayRequest, ReplayReply]
    """take pasted token ids"""
    resume: tuple[CommandRequest, Nothing]
    """go on with the trace before the pasted ids"""
    donor: tuple[DonorRequest, DonorReply]
    """the grammar that an entry was taken over from"""
    explain: tuple[SubjectRequest, ExplainReply]
    """why a token may or may not come"""
    annotate: tuple[AnnotateRequest, AnnotateReply]
    """leave a note"""
    edit_annotation: tuple[EditAnnotationRequest, Nothing]
    """give a note another text"""
    delete_annotation: tuple[AnnotationRequest, Nothing]
    """delete a note"""
    issue: tuple[SubjectRequest, TextReply]
    """the same as the text of an issue"""
    stacks: tuple[StepRequest, StacksReply]
    """the pushdown automaton's stacks"""
    operators: tuple[Nothing, Nothing]
    """record the operators, which come with the trace"""
    as_written: tuple[Nothing, Nothing]
    """record the grammar as written, which comes with the trace"""
    beam: tuple[BeamRequest, BeamReply]
    """the model's likeliest continuations, allowed and blocked"""
    forest: tuple[ForestRequest, ForestReply]
    """the derivations of an ambiguous text"""
    stages: tuple[StagesRequest, StagesReply]
    """a rule's machine after each pass"""
    lost_mass: tuple[StepRequest, LostMassReply]
    """the blocked mass by rule"""
    watch: tuple[WatchRequest, WatchReply]
    """what the page's views show"""
    shown: tuple[ShownRequest, Nothing]
    """which push of a run the page has drawn"""
    audit: tuple[AuditRequest, Nothing]
    """begin an audit"""
    audit_stop: tuple[Nothing, Nothing]
    """end it"""
    bulk: tuple[BulkRequest, BulkHeader]
    """the mask of a step"""
    vocabulary: tuple[Nothing, Nothing]
    """the buffers are the tokens' bytes joined, where each begins (u32), and the ids in trie order (u32)"""
    beside: tuple[BesideRequest, BesideReply]
    """another session's mask"""
    compare: tuple[CompareRequest, Nothing]
    """begin a comparison"""
    compare_stop: tuple[Nothing, Nothing]
    """end it, or the search"""
    compare_shortest: tuple[Nothing, Nothing]
    """look for the shortest text on which both sides part"""
    compare_mask: tuple[CompareMaskRequest, CompareMaskReply]
    """both masks of a step"""
    compare_with: tuple[Nothing, CompareWithReply]
    """what B can be"""
    lockstep_add: tuple[LockstepAddRequest, Nothing]
    """add a side"""
    lockstep_drop: tuple[LockstepDropRequest, Nothing]
    """take a side away"""
    lockstep: tuple[LockstepRequest, Nothing]
    """move all sides"""
    lockstep_select: tuple[LockstepSelectRequest, LockstepSelectReply]
    """select in a side's own session"""
    lockstep_held: tuple[StepRequest, LockstepHeldReply]
    """the masks of an earlier step"""
    lockstep_with: tuple[Nothing, LockstepWithReply]
    """what a side can be"""


# ---- A pad -----------------------------------------------------------------------------------------------------------


class WriteRequest(Wire):
    """Another text, or another way to read it."""

    text: str
    """the text"""
    text_kind: NotRequired[PadKind]
    """its language"""
    on_unsupported: NotRequired[Literal["error", "relax"]]
    """what a keyword that the grammar can't enforce does"""
    arguments: NotRequired[str | None]
    """of a template, its arguments as JSON"""


class WriteReply(Wire):
    """The text was taken."""

    revision: Natural
    """its number"""


class ExampleRequest(Wire):
    """Change the examples."""

    change: Literal["add", "edit", "flip", "delete"]
    """what to do"""
    row_id: NotRequired[int]
    """the row; of "add" none"""
    text: NotRequired[str]
    """of "add" and "edit", the text"""
    should_match: NotRequired[bool]
    """of "add", whether the text is meant to match; true if it is absent"""


class FromSessionRequest(Wire):
    """Make the session's text an example."""

    should_match: NotRequired[bool]
    """whether it is meant to match; true if it is absent"""


class FromSessionReply(Wire):
    """The example was added."""

    row_id: Natural
    """its row"""


class JudgeRequest(Wire):
    """Judge a text that is still being typed."""

    text: str
    """the text"""


class JudgeReply(Wire):
    """The verdict."""

    row: BenchRow
    """as of an example; its number is -1"""


class TextOfKind(Wire):
    """A text as it stands in the editor, sent or not."""

    text: str
    """the text"""
    text_kind: PadKind
    """its language"""


class TextPlace(TextOfKind):
    """A place in a text."""

    offset: Natural
    """in bytes"""


class CompleteReply(Wire):
    """The words that may stand at a place."""

    words: list[TextWord]
    """the best first"""


class HoverReply(Wire):
    """What is known of the word at a place."""

    span: Span | None
    """the word; null: nothing is known"""
    card: str
    """what is known, in Markdown"""


class PlacesReply(Wire):
    """The name at a place; all fields are empty if there is none."""

    definition: Span | None
    """where it is defined"""
    places: list[Span]
    """all places, the definition among them"""
    renamable: Span | None
    """the part of the word that `rename` replaces; null: the name can't be changed"""


class RenameRequest(TextPlace):
    """Another name for the one at a place."""

    name: str
    """the new name"""


class EditsReply(Wire):
    """Changes of the text, which do not overlap."""

    edits: list[TextEdit]
    """in the order of the text"""


class FoldsReply(Wire):
    """The parts of a text that can be folded."""

    folds: list[TextFold]
    """in no order"""


class SamplesRequest(Wire):
    """Members of the last good grammar."""

    seed: Natural
    """equal seeds give equal members"""
    rule: NotRequired[str | None]
    """the rule that one member shall use"""
    pointer: NotRequired[str | None]
    """or, of a schema, the JSON Pointer of the keyword that one member shall show"""


class PadRequests(Wire):
    """The requests that `xg2lab.widgets.pad_widget.PadWidget` answers."""

    hello: tuple[Nothing, Nothing]
    """is there a kernel; the buffer is a PadWhole, gzip of its JSON"""
    settle: tuple[SettleRequest, SettleReply]
    """how far is it"""
    write: tuple[WriteRequest, WriteReply]
    """another text"""
    cancel: tuple[Nothing, Nothing]
    """wait no longer for the text that is being compiled"""
    apply: tuple[Nothing, Nothing]
    """give the grammar to the session"""
    example: tuple[ExampleRequest, Nothing]
    """change the examples"""
    from_session: tuple[FromSessionRequest, FromSessionReply]
    """the session's text as an example"""
    judge: tuple[JudgeRequest, JudgeReply]
    """the verdict on a text"""
    pytest: tuple[Nothing, TextReply]
    """the examples as a test file"""
    complete: tuple[TextPlace, CompleteReply]
    """the words that may stand at a place"""
    hover: tuple[TextPlace, HoverReply]
    """what is known of the word at a place"""
    places: tuple[TextPlace, PlacesReply]
    """where the name at a place is defined and used"""
    rename: tuple[RenameRequest, EditsReply]
    """another name for the one at a place"""
    layout: tuple[TextOfKind, EditsReply]
    """the text in its usual layout"""
    folds: tuple[TextOfKind, FoldsReply]
    """the parts that can be folded"""
    samples: tuple[SamplesRequest, SamplesReply]
    """members of the last good grammar"""


# ---- The runtime -----------------------------------------------------------------------------------------------------


class AssetRequest(Wire):
    """A file that only a kernel's page needs."""

    name: Literal["graphviz", "editor", "picture", "tour"]
    """which"""


class AssetReply(Wire):
    """The file is the buffer."""

    gzip: bool
    """whether it is compressed"""


class PauseRequest(Wire):
    """Stop the run of a session."""

    session: str
    """its `session_id`"""


class RuntimeRequests(Wire):
    """The requests that `xg2lab.widgets.runtime.Runtime` answers, also while a cell runs."""

    asset: tuple[AssetRequest, AssetReply]
    """a file"""
    pause: tuple[PauseRequest, Nothing]
    """stop the run of a session"""
