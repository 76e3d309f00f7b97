"""The data from kernel to page: the traits of the widgets, and the pushes. Requests and replies are in `messages.py`.

A comment behind a trait says which side owns it. `tests/lab/test_schema.py` compares the traits with the classes of
`xg2lab.widgets`.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from xg2lab.lab.schema.engine import Program, WireStage
from xg2lab.lab.schema.parts import Names, Natural, OrMinusOne, Span, Status, Wire
from xg2lab.lab.schema.reports import AuditReport, CompareReport, EngineReport, LockstepReport, WireDiagnosis
from xg2lab.lab.schema.trace import Branch, ChartItem, Header, Selection, Step, ToldChart, ToldTrace, WaysRow

__all__ = [
    "Area",
    "BenchRow",
    "BulkHeader",
    "Finding",
    "Fix",
    "Frame",
    "Good",
    "Keyword",
    "OpenedIn",
    "PadArguments",
    "PadKind",
    "PadPass",
    "PadPush",
    "PadState",
    "PadStatus",
    "PadTraits",
    "PadWhole",
    "ReportError",
    "RuleFacts",
    "RuntimeTraits",
    "SamplesReply",
    "SessionState",
    "SessionTraits",
    "Severity",
    "TextEdit",
    "TextFold",
    "TextWord",
    "TraceChange",
    "TracePush",
    "Track",
    "ViewTraits",
    "WireError",
    "WordKind",
]

#: An area of a host that can show a view beside the view's cell.
Area = Literal["tab", "right"]


class WireError(Wire):
    """An exception, as the page shows it."""

    type: str
    """the name of its class"""
    message: str
    """what happened"""
    hint: NotRequired[str]
    """the remedy; empty if it names none"""


class ReportError(Wire):
    """The replacement of a report that failed."""

    error: WireError
    """why"""


# ---- Traits: one record for each Python class ---------------------------------------------------


class RuntimeTraits(Wire):
    """The traits of `xg2lab.widgets.runtime.Runtime`."""

    bundle: bytes
    """Python: gzip of runtime.js"""


class SessionTraits(Wire):
    """The traits of `xg2lab.widgets.session_widget.SessionWidget`."""

    runtime: str | None
    """Python: the widget of the runtime"""
    seq: OrMinusOne
    """Python: the number of the last push that `trace` contains; -1: none"""
    trace: bytes | None
    """Python: gzip of the Trace as JSON, for a reload and for a replay"""
    bulk: bytes | None
    """Python: gzip of masks and vocabulary if they are small, for a replay"""
    selection: Selection
    """both: the page sets it by a message"""
    audit: AuditReport | ReportError | None
    """Python: the last audit, as far as it has come"""
    diagnosis: WireDiagnosis | None
    """Python: what is wrong with pasted ids, while their trace is shown"""
    compare: CompareReport | EngineReport | ReportError | None
    """Python: the last comparison, of two sides or of engines, as far as it has come"""
    lockstep: LockstepReport | ReportError | None
    """Python: the runs that step together with this session, which is the first of them"""
    stages: dict[str, list[WireStage]]
    """Python: by rule, the machine after each pass, of the rules that were looked at last"""
    layouts: dict[str, str]
    """the page, by a message: layouts of machines, so that a replay needs no Graphviz"""


class PadTraits(Wire):
    """The traits of `xg2lab.widgets.pad_widget.PadWidget`."""

    runtime: str | None
    """Python: the widget of the runtime"""
    replay: bytes | None
    """Python: gzip of a PadWhole as JSON, for a reload and for a replay"""


class OpenedIn(Wire):
    """A request to show a view in another area of its host."""

    area: Area
    """a tab of the main area, or the right sidebar"""
    n: Natural
    """how many requests there were for the view, this one included"""


class Frame(Wire):
    """What `Workbench` is asked to show; what a reader changes of it stays in the reader's browser."""

    arrangement: Literal["step", "author", "debug"] | None
    """the arrangement it begins with; None: the one that the reader used last"""
    height: int
    """in a cell, in CSS pixels"""
    lesson: Literal["step", "author", "debug"] | list[str] | None
    """of a lesson: the arrangement, or the views, that can't be changed"""


class ViewTraits(Wire):
    """The traits of `xg2lab.widgets.view.View`."""

    session: str | None
    """Python: the widget of the session"""
    pad: str | None
    """Python: of a view that edits, the pad, which a session need not have"""
    panel: str
    """Python: which view it is"""
    view_id: str
    """Python: names the view in the outputs that a notebook keeps of it"""
    opened: OpenedIn | None
    """Python: the last request for another area"""
    tours: Natural
    """Python: how often the tour was asked for"""
    presented: Natural
    """Python: how often presenter mode was asked for"""
    frame: Frame | None
    """Python: of the workbench, what it is asked to show"""


# ---- Messages of a session ----------------------------------------------------------------------


class BulkHeader(Wire):
    """What comes with a mask; the buffers are its provenance and its probabilities, a byte for each token."""

    step: Natural
    """the step"""
    mass: list[float] | None
    """the probability mass by provenance, 8 numbers; null without a model"""


class TraceChange(ToldChart, ToldTrace):
    """A change of the trace; `ways_read` and `stepped_over` are of its columns, `operators` those of a new trace."""

    kind: Literal["trace"]
    """the kind of message"""
    reset: NotRequired[bool]
    """whether the trace starts again: header and program follow"""
    header: NotRequired[Header]
    """the header of the new trace"""
    program: NotRequired[Program]
    """its program"""
    keep_steps: Natural
    """of the steps that the page has, so many stay"""
    steps: list[Step]
    """the steps that follow them"""
    keep_columns: Natural
    """of the chart's columns that the page has, so many stay"""
    columns: list[list[ChartItem]]
    """the columns that follow them"""
    ways: NotRequired[list[WaysRow]]
    """items of these columns that were made in several ways"""
    keep_branches: Natural
    """of the branches that the page has, so many stay"""
    branches: list[Branch]
    """the branches that follow them"""
    notes: list[str]
    """all notes of the trace"""


class SessionState(Wire):
    """How a session is."""

    seq: OrMinusOne
    """the number of the last push"""
    status: Status
    """the status of the session"""
    run: NotRequired[Annotated[list[Natural], Names("taken", "most")] | None]
    """of the run that is on: the tokens taken, and how many at most"""
    error: WireError | None
    """the error of the session, or of the last command"""


class TracePush(TraceChange, SessionState):
    """A change of the trace, kernel to page, in order; a page that misses a number asks for the whole trace."""

    bulk: NotRequired[BulkHeader]
    """of the newest step, if the page watches masks; the buffers are its provenance and probabilities"""


# ---- Messages of a pad --------------------------------------------------------------------------

#: The language of a pad's text.
PadKind = Literal["ebnf", "json_schema", "regex", "structural_tag", "lark"]
#: Whether a pad's grammar is being made.
PadStatus = Literal["ready", "compiling", "cancelled"]
#: How bad a finding is.
Severity = Literal["error", "warning", "hint"]


class Fix(Wire):
    """A change that mends a finding."""

    title: str
    """what it does"""
    text: str
    """the whole text after it"""


class Finding(Wire):
    """Something that is wrong with a text, and where; spans count bytes of the text."""

    code: str
    """the name of the check"""
    severity: Severity
    """how bad it is"""
    message: str
    """what is wrong"""
    hint: str
    """the remedy; empty if there is none to name"""
    span: Span
    """the place"""
    line: Natural
    """its line, from 1"""
    column: Natural
    """its column, in characters from 1"""
    pointer: str | None
    """in a JSON text: a JSON Pointer to the place"""
    fix: Fix | None
    """a change that mends it"""
    of_arguments: NotRequired[bool]
    """of a template's text: whether the mistake is in its arguments, and has a place in their text too"""


class PadArguments(Wire):
    """What fills a template's slots, as JSON."""

    text: str
    """the text"""
    findings: list[Finding]
    """what is wrong with it"""
    skeleton: str
    """arguments to begin with"""


class Keyword(Wire):
    """A keyword of a schema, and what the grammar does about it."""

    pointer: str
    """its place, a JSON Pointer"""
    keyword: str
    """the keyword"""
    state: Literal["enforced", "annotation", "relaxed", "refused"]
    """what the grammar does about it"""
    note: str
    """why"""
    span: Span
    """its place in the text"""
    line: Natural
    """its line, from 1"""


class BenchRow(Wire):
    """An example with its verdict."""

    row_id: OrMinusOne
    """its number; -1: it is judged while it is typed"""
    text: str
    """the example"""
    should_match: bool
    """whether it is meant to match"""
    origin: str
    """where it comes from"""
    verdict: Literal["match", "incomplete", "rejected"] | None
    """what the grammar says; null: it was not asked yet"""
    agrees: bool | None
    """whether that is what was meant"""
    died_at: Natural | None
    """of a rejected example: the byte"""
    expected: str
    """what was expected there"""
    for_example: str
    """of an incomplete example: a text that completes it"""
    rule: str
    """the rule that expected another byte"""
    line: Natural | None
    """the line of that rule"""
    judged_by: int
    """the revision of the grammar that gave the verdict"""
    us: float
    """the time that it took, in microseconds"""


class PadState(Wire):
    """A pad: its text, and what is known of it."""

    text: str
    """the text"""
    kind: PadKind
    """its language"""
    on_unsupported: Literal["error", "relax"]
    """what a keyword that the grammar can't enforce does"""
    revision: int
    """the number of the text; one more with each that is written"""
    status: PadStatus
    """whether the grammar is being made"""
    draft_revision: int
    """the number of the text that `findings` and `keywords` are about"""
    good_revision: int
    """the number of the last text that was a grammar; -1: there was none"""
    findings: list[Finding]
    """what is wrong with the text"""
    arguments: NotRequired[PadArguments | None]
    """of a template; null or absent for any other text"""
    keywords: list[Keyword]
    """the keywords of a schema"""
    rows: list[BenchRow]
    """the examples, the first 2,000 of them"""
    n_rows: Natural
    """the number of examples"""
    has_session: bool
    """whether a session uses the pad"""
    is_applied: bool
    """whether that session runs with the pad's grammar"""
    error: WireError | None
    """the error of the last command"""


class Track(Wire):
    """A piece of a railroad diagram."""

    kind: Literal["literal", "class", "rule", "other", "sequence", "choice", "optional", "repeat"]
    """what it draws"""
    span: Span
    """its place in the text"""
    text: NotRequired[str]
    """of a piece without parts: its label"""
    parts: NotRequired[list[Track]]
    """the pieces in it"""
    least: NotRequired[Natural]
    """of a repetition: the least number"""
    most: NotRequired[Natural | None]
    """of a repetition: the largest number; null: no limit"""


class RuleFacts(Wire):
    """A rule of a pad's grammar."""

    name: str
    """its name"""
    span: Span
    """its definition"""
    name_span: Span
    """its name in the definition"""
    body: str
    """what it matches, readable"""
    n_uses: Natural
    """how often other rules use it"""
    track: Track | None
    """its railroad diagram; null: it is too large"""


class PadPass(Wire):
    """A pass of the compiler over a pad's grammar."""

    name: str
    """the pass"""
    shown: str
    """the grammar after it"""


class Good(Wire):
    """The last text that was a grammar, and what was made of it."""

    revision: int
    """its number"""
    text: str
    """the text"""
    is_source: bool
    """whether the rules' spans are places of the text"""
    n_states: Natural
    """states of the program"""
    ms: float
    """the time that making it took, in milliseconds"""
    lowered: str
    """the grammar as EBNF"""
    passes: list[PadPass]
    """the grammar after each pass"""
    rules: list[RuleFacts]
    """its rules"""


#: What a word that an editor offers is.
WordKind = Literal["rule", "terminal", "macro", "option", "operator", "keyword", "value", "format", "snippet", "slot"]


class TextWord(Wire):
    """A word that may be inserted."""

    label: str
    """as a list shows it"""
    insert: str
    """what replaces the span; of a snippet with stops `${1:default}` and `$0`"""
    kind: WordKind
    """what it is"""
    detail: str
    """a few words on it"""
    doc: str
    """a sentence on it"""
    span: Span
    """the bytes that it replaces"""
    is_snippet: bool
    """whether `insert` has stops"""


class TextEdit(Wire):
    """A change of a text."""

    span: Span
    """the bytes that are replaced"""
    text: str
    """by what"""


class TextFold(Wire):
    """Lines that can be hidden: those after the line of the span's begin, up to that of its end."""

    span: Span
    """from the first byte to behind the last"""
    kind: Literal["region", "comment"]
    """what it is"""


class SamplesReply(Wire):
    """Members of the last good grammar, and a text that is nearly one."""

    revision: int
    """the grammar's; -1: there was none yet"""
    members: list[str]
    """random ones, each once"""
    shortest: str | None
    """one of the shortest; null: none was found"""
    uses: str | None
    """one that uses the rule, or shows the keyword; null: none was asked for, or none was found"""
    near: str | None
    """a text one edit away from a member, which is no member; null: none was found"""
    near_edit: str
    """the edit, in words"""
    near_died_at: Natural | None
    """the byte at which it fails; null: it is the beginning of a member"""
    near_expected: str
    """what could stand there"""
    note: str
    """why there are no members"""


class PadPush(Wire):
    """A change of a pad, kernel to page."""

    kind: Literal["pad"]
    """the kind of message"""
    seq: Natural
    """its number"""
    state: PadState
    """the pad"""


class PadWhole(Wire):
    """All of a pad."""

    seq: Natural
    """the number of the last push"""
    state: PadState
    """the pad"""
    good: Good | None
    """the last text that was a grammar; null: there was none"""
    samples: NotRequired[SamplesReply]
    """members of it, where a Sampler was shown"""
