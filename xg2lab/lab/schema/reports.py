"""The results of a session's checks: diagnoses of pasted ids, audits, comparisons, donors of mask entries.

Each is the `to_wire` of an object of the same kind: `xg2lab.lab.auditing` and `xg2lab.lab.comparison`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from xg2lab.lab.schema.engine import Program
from xg2lab.lab.schema.parts import ByteRange, Hex, Natural, OrMinusOne, Positive, Row, Status, Wire
from xg2lab.lab.schema.trace import GrammarFacts

__all__ = [
    "AuditReport",
    "Check",
    "CompareReport",
    "DifferenceRow",
    "Disagreement",
    "Divergence",
    "EngineChoice",
    "EngineDisagreement",
    "EngineReport",
    "EngineSide",
    "EngineVerdict",
    "KeywordState",
    "ListedToken",
    "LockstepHeld",
    "LockstepReport",
    "LockstepSide",
    "Phase",
    "Shortest",
    "Side",
    "SourceLine",
    "StateAudit",
    "SwitchFacts",
    "TapeTokens",
    "WireDiagnosis",
    "WireDonor",
    "WireParting",
    "WireRefused",
]


class SourceLine(Wire):
    """A place in the grammar's text."""

    line: Positive
    """the line, from 1"""
    column: Positive
    """the column, in characters from 1"""
    text: str
    """the line itself"""


class WireDiagnosis(Wire):
    """What became of pasted token ids: `xg2lab.lab.session.diagnosing.Diagnosis`."""

    kind: str
    """what is wrong with the token at `step`; or "ended", "complete", "unfinished": all were accepted"""
    n_ids: Natural
    """the number of ids"""
    step: Natural
    """how many were accepted: the index of the one that was not"""
    byte: Natural
    """the byte of the output at which it failed"""
    token_id: int | None
    """the token that failed"""
    text: str
    """the token, readable"""
    mechanism: str
    """the part of the engine that decided; empty where the engine was not asked"""
    reason: str
    """why, as a sentence"""
    hint: str
    """what to look at next"""
    source: str
    """where in the pasted text the ids were found"""
    line: SourceLine | None
    """the line that expected another byte; null: there is none"""
    issue: str
    """the text of an issue, with lines that reproduce it"""


# ---- Audits -------------------------------------------------------------------------------------


class Disagreement(Wire):
    """A token whose bit in the mask and whose acceptance differ."""

    step: Natural
    """the step"""
    token_id: Natural
    """the token"""
    text: str
    """the token, readable"""
    mask: bool
    """whether the mask allows it"""
    accept: bool
    """whether `accept_token` takes it"""
    repro: str
    """lines that show it"""
    is_small: bool
    """whether a vocabulary of this one token shows it"""


class StateAudit(Wire):
    """The visits of one state; its counts are those of the first."""

    name: str
    """the state, readable"""
    state: Natural | None
    """its number; null: no item was live"""
    steps: list[int]
    """the steps before which the innermost item stood in it"""
    n_checked: Natural
    """of these steps so many were checked, each with every token"""
    n_allowed: Natural
    """allowed tokens"""
    n_uncertain_accepted: Natural
    """uncertain tokens that were accepted"""
    n_uncertain_rejected: Natural
    """uncertain tokens that were rejected"""
    disagreements: list[Disagreement]
    """at most 50 tokens whose bit is wrong"""


class Check(Wire):
    """A question about the tokenizer, and its answer."""

    name: str
    """the question"""
    level: Literal["ok", "hint", "warning", "error"]
    """how bad the answer is"""
    value: str
    """the answer"""
    details: str
    """more of it"""
    token_ids: list[int]
    """tokens that show it"""
    repro: str
    """lines that show it"""


class KeywordState(Wire):
    """What became of a keyword of a schema."""

    pointer: str
    """its place in the schema, a JSON Pointer"""
    keyword: str
    """the keyword"""
    state: Literal["enforced", "annotation", "relaxed", "refused"]
    """what the grammar does about it"""
    note: str
    """why"""
    repro: str
    """lines that show it"""


class AuditReport(Wire):
    """What an audit has found so far: `xg2lab.lab.auditing.auditing.AuditReport`."""

    vocab_size: Natural
    """the number of token ids"""
    n_steps: Natural
    """the steps to check"""
    states: list[StateAudit]
    """by state, in the order of the first visit"""
    checks: list[Check]
    """of the tokenizer"""
    coverage: list[KeywordState]
    """of the schema's keywords; empty without a schema"""
    n_done: Natural
    """the steps checked with every token"""
    seconds: float
    """the time so far"""
    stopped: str
    """why it ended before all was checked; empty if all was"""
    is_running: bool
    """whether more will be found"""
    output: str
    """the text of the session that was audited"""
    ok: bool
    """whether masks and acceptance agree so far, and no check failed"""


# ---- Comparisons --------------------------------------------------------------------------------

#: A round of times: nothing known, what other grammars share, everything known.
Phase = Literal["first", "shared", "warm"]
#: A least ratio and a greatest.
Spread = Annotated[list[Any], Row(least=float, greatest=float)]
#: The tokens of a text: where each begins, and its text.
TapeTokens = list[Annotated[list[Any], Row(byte=Natural, text=str)]]
#: A token that one side alone allows, and what `accept_token` of both says.
ListedToken = Annotated[
    list[Any], Row(token=Natural, text=str, p=float | None, is_of_a=bool, accept_a=bool, accept_b=bool)
]
#: A step whose masks differ, and up to 100 ids that one side alone allows.
DifferenceRow = Annotated[
    list[Any], Row(step=Natural, n_only_a=Natural, n_only_b=Natural, only_a=list[int], only_b=list[int])
]


class Side(Wire):
    """One side of a comparison."""

    name: str
    """A or B"""
    vocab_size: Natural
    """the number of token ids"""
    compile_us: float | None
    """the time of compiling, the median of the rounds"""
    n_states: Natural
    """states of the program"""
    n_entries: Natural
    """mask entries"""
    memory_bytes: Natural
    """the memory of program and entries"""
    refused: str
    """why the engine refused the grammar with these options; empty if it did not"""
    caches: list[str]
    """how each mask was found when nothing was known"""
    us: dict[Phase, list[float]]
    """the time of each mask by phase, the median of the rounds"""


class Shortest(Wire):
    """The shortest text on which two sides part, as far as it is known: `xg2lab.lab.comparison.shortest.Shortest`."""

    verdict: Literal["part", "equal", "none", "refused"]
    """they part, they are proved equal, no difference was found, or a side was refused"""
    text: Hex
    """the text, in hexadecimal"""
    shown: str
    """the text, readable"""
    only_a: list[ByteRange]
    """bytes that A alone allows after it"""
    only_b: list[ByteRange]
    """bytes that B alone allows after it"""
    says: str
    """the result as a sentence"""
    ends_a: bool
    """whether the text may end for A"""
    ends_b: bool
    """whether the text may end for B"""
    reason_a: str
    """why A refuses what B allows"""
    reason_b: str
    """why B refuses what A allows"""
    n_bytes: Natural
    """both allow the same texts of up to so many bytes"""
    n_pairs: Natural
    """pairs of columns that were compared"""
    n_waiting: Natural
    """pairs that were not compared yet"""
    seconds: float
    """the time so far"""
    why: str
    """what ended the search, or why equality could not be proved"""
    is_running: bool
    """whether the search goes on"""
    tokens: list[int]
    """ids that one mask alone has, for sides of one vocabulary"""


class Divergence(Wire):
    """The first step whose masks differ, or whose token one side refuses."""

    step: Natural
    """the step"""
    byte: Natural
    """the place of the step in the output"""
    token_id: Natural | None
    """the token there; null at the end of the text"""
    text: str
    """the token, readable"""
    takes_a: bool
    """whether A accepts it"""
    takes_b: bool
    """whether B accepts it"""
    reason_a: str
    """why A refuses a token that B allows"""
    reason_b: str
    """why B refuses a token that A allows"""
    mass: float | None
    """the model's mass on the tokens that differ"""
    listed: list[ListedToken]
    """tokens that differ, the text's own first, then the most probable"""


class CompareReport(Wire):
    """What a comparison has found so far: `xg2lab.lab.comparison.comparison.CompareReport`."""

    a: Side
    """one side"""
    b: Side
    """the other side"""
    unit: Literal["token", "byte"]
    """what is compared at each step; "byte" for different vocabularies"""
    must_agree: bool
    """whether any difference is an error"""
    changes: list[Annotated[list[Any], Row(what=str, a=str, b=str)]]
    """what differs between the sides, in words, with both values"""
    changed: dict[str, Annotated[list[Any], Row(a=str, b=str)]]
    """the fields of `EngineOptions` that differ, with both values"""
    is_other_grammar: bool
    """whether the sides have different grammars"""
    texts: list[str]
    """the token, or byte, of each step"""
    n_steps: Natural
    """the steps to compare"""
    n_rounds: Natural
    """the rounds of times to take"""
    n_done: Natural
    """the steps compared"""
    rounds_done: Natural
    """the rounds taken"""
    n_allowed: list[Annotated[list[Any], Row(a=Natural, b=Natural)]]
    """allowed tokens of both sides by step"""
    differences: list[DifferenceRow]
    """the first 100 steps whose masks differ"""
    n_differing_steps: Natural
    """all steps whose masks differ"""
    n_differ: Natural
    """bits that differ, over all steps"""
    divergence: Divergence | None
    """where the sides part; null: they don't"""
    ratios: dict[Phase, float | None]
    """B's median mask time over A's; null before the first round"""
    total_ratios: dict[Phase, float | None]
    """the same of all steps together"""
    spreads: dict[Phase | Literal["compile"], Spread | None]
    """the least and the greatest of the rounds' ratios, and of the times of compiling"""
    total_spreads: dict[Phase, Spread | None]
    """the same of all steps together"""
    findings: list[Annotated[list[Any], Row(level=Literal["error", "warning", "hint"], text=str)]]
    """what is worth saying, as sentences"""
    repro: str
    """lines that show a disagreement that must not be"""
    shortest: Shortest | None
    """what the search for the shortest text found; null: it was not requested"""
    masks: str
    """base64 of both masks of some steps, see `xg2lab.lab.trace.compared_masks`; empty while it runs"""
    tapes: Annotated[list[Any], Row(a=TapeTokens, b=TapeTokens | None)]
    """the tokens of the text for both sides; null: B's are A's"""
    seconds: float
    """the time so far"""
    stopped: str
    """why it ended before all was compared; empty if all was"""
    is_running: bool
    """whether more will be found"""
    ok: bool
    """whether nothing that must agree differs, and both sides could be asked"""


# ---- Comparisons of engines ---------------------------------------------------------------------

#: A token that one of two masks alone allows.
ListedDifference = Annotated[list[Any], Row(token=Natural, text=str, bytes=Hex, is_of_a=bool)]


class EngineSide(Wire):
    """One engine's part of a comparison: `xg2lab.lab.engines.engine_comparison.EngineRow`."""

    name: str
    """the engine"""
    version: str
    """the installed version; empty if unknown"""
    phase: Literal["waiting", "starting", "compiling", "masks", "times", "done"]
    """how far it has come"""
    refused: str
    """why it does not read the grammar; empty if it does"""
    failed: str
    """how it failed: it crashed, took too long, raised an error; empty if it did not"""
    compile_us: list[float]
    """the times of compiling: first with the vocabulary prepared, then again"""
    cold_us: list[float]
    """the time of each mask just after compiling"""
    warm_us: list[float]
    """the same, the median of three more replays"""
    n_allowed: list[Natural]
    """allowed tokens by step"""
    n_followed: Natural
    """how many tokens of the text it accepts"""
    refuses: Natural | None
    """the step at which the engine refuses the token; null: it refuses none"""
    issue: str | None
    """the text of an issue about it; empty: nothing to report, or not yet; null: too long for a page"""


class EngineVerdict(Wire):
    """Who is wrong at a disagreement: `xg2lab.lab.engines.engine_comparison.Verdict`."""

    wrong: str
    """the engine; empty if undecided"""
    kind: Literal["allows_invalid", "forbids_valid", "narrower", "mask_is_not_accept", "undecided"]
    """the reason"""
    why: str
    """the reason as a sentence, with the instance"""
    instance: str
    """the text that decides; empty if there is none"""
    says: str
    """engine and reason as a sentence"""


class EngineDisagreement(Wire):
    """A step at which two engines part: `xg2lab.lab.engines.engine_comparison.EngineDisagreement`."""

    a: str
    """the first engine, the reference"""
    b: str
    """the other engine"""
    step: Natural
    """the step"""
    byte: Natural
    """the place of the step in the text"""
    token_id: Natural | None
    """the text's token there; null at its end"""
    text: str
    """the token, readable"""
    bytes: Hex
    """the token's bytes, in hexadecimal"""
    takes_a: bool
    """whether the first accepts it"""
    takes_b: bool
    """whether the other accepts it"""
    n_only_a: Natural
    """how many tokens the first mask alone allows"""
    n_only_b: Natural
    """how many the other alone allows"""
    only_a: list[int]
    """up to 100 of the first's ids"""
    only_b: list[int]
    """up to 100 of the other's ids"""
    listed: list[ListedDifference]
    """up to 20 of these tokens, the text's own first"""
    verdicts: list[EngineVerdict]
    """who is wrong; empty: not asked, or not yet"""


class EngineReport(Wire):
    """What a comparison of engines has found so far: `xg2lab.lab.engines.engine_comparison.EngineComparison`."""

    engines: list[EngineSide]
    """the engines, the reference first"""
    kind: str
    """the kind of grammar that they were given"""
    vocab_size: Natural
    """the number of token ids"""
    n_steps: Natural
    """the masks of an engine that follows the whole text"""
    n_bytes: Natural
    """the length of the text"""
    tape: TapeTokens
    """the tokens of the text"""
    groups: list[list[OrMinusOne]]
    """by step and engine: equal numbers for equal masks, -1 where the engine has none"""
    disagreements: list[EngineDisagreement]
    """for each engine but the first: the first masks that differ, and the first token that one alone takes"""
    masks: str
    """base64 of the masks of some steps, see `xg2lab.lab.trace.compared_masks`; empty while it runs"""
    says: str
    """the report as text"""
    doing: str
    """what is being done; empty when nothing is"""
    n_done: Natural
    """parts of the work that are done"""
    n_all: Natural
    """all parts"""
    seconds: float
    """the time so far"""
    stopped: str
    """why it ended before all was compared; empty if all was"""
    is_running: bool
    """whether more will be found"""
    ok: bool
    """whether no two engines disagree, and none failed"""


class EngineChoice(Wire):
    """An engine that can be compared: `xg2lab.lab.engines.registry.KnownEngine`, or one that Python gave."""

    name: str
    """its name"""
    what: str
    """what it is"""
    version: str
    """the installed version; empty: it is not installed"""
    install: str
    """how to install it; empty: nothing to install"""


# ---- Runs side by side --------------------------------------------------------------------------

#: A step of a side: its token is null while it is pending.
LockstepStep = Annotated[
    list[Any],
    Row(byte=Natural, n_bytes=Natural, token_id=int | None, text=str, z=float | None, n_allowed=Natural | None),
]
#: A token that one side alone allows.
AloneToken = Annotated[list[Any], Row(token=Natural, text=str, p=float | None)]


class LockstepSide(Wire):
    """One side of a lockstep: `xg2lab.lab.comparison.lockstep_report.RunSide`."""

    name: str
    """the session's name"""
    status: Status
    """the session's status"""
    stopped: str
    """why its last step failed; empty if it did not"""
    hint: str
    """what to do about it"""
    nats: float | None
    """the mass that its masks removed: the sum of -ln Z; null without a model"""
    steps: list[LockstepStep]
    """its steps; the last one may be pending"""


class WireRefused(Wire):
    """What one side took and the other blocks: `xg2lab.lab.comparison.parting.Refused`."""

    is_a: bool
    """whether it is the first side that blocks it"""
    step: Natural
    """the step of that side"""
    token_id: int | None
    """the token; null: it is a text of several tokens there"""
    text: str
    """the token or text, readable"""
    mechanism: str
    """the part of the engine that decided"""
    reason: str
    """why, as a sentence"""
    expected: str
    """what was expected in its place"""


class WireParting(Wire):
    """Where a side parts from the first: `xg2lab.lab.comparison.parting.Parting`."""

    byte: Natural
    """the first byte of the output that differs"""
    steps: list[Natural]
    """the step of each of the two that wrote it"""
    texts: list[str]
    """their tokens, readable"""
    why: Literal["blocked", "drawn", "ended"]
    """a mask blocks the other's token; both allow both; or one output has ended"""
    says: str
    """the sentence"""
    refused: list[WireRefused]
    """what each blocks of the other's"""


class LockstepHeld(Wire):
    """The masks of two sides at one place: `xg2lab.lab.comparison.lockstep_report.Held`."""

    steps: list[Natural]
    """the step of each"""
    byte: Natural
    """where the first side's step begins"""
    is_same_text: bool
    """whether both texts before it are equal"""
    n_only_a: Natural
    """how many tokens the first side alone allows"""
    n_only_b: Natural
    """how many the other alone allows"""
    only_a: list[AloneToken]
    """the most probable of the first side's"""
    only_b: list[AloneToken]
    """the most probable of the other's"""


class LockstepReport(Wire):
    """Runs side by side: `xg2lab.lab.comparison.lockstep_report.LockstepReport`."""

    sides: list[LockstepSide]
    """two to four; the others are held against the first"""
    varies: list[Annotated[list[Any], Row(what=str, values=list[str])]]
    """what differs between the sessions, with the value of each"""
    partings: list[WireParting | None]
    """for each side but the first, where it parts from the first; null: it does not"""
    held: dict[str, list[LockstepHeld | None]]
    """by step of the first side, for its newest 64 steps: the masks of the others at the same byte"""
    newest: list[LockstepHeld | None]
    """the masks of the newest steps of all sides"""
    is_running: bool
    """whether a run is on"""


class SwitchFacts(Wire):
    """A switch of the engine that a comparison can change."""

    name: str
    """the field of `EngineOptions`"""
    what: str
    """what it switches"""
    values: list[Annotated[list[Any], Row(value=str, name=str)]]
    """its values, with their names"""
    own: str
    """the session's own value"""


class WireDonor(Wire):
    """The grammar that a mask entry was taken over from: `xg2lab.lab.trace.donors.Donor`."""

    id: Natural
    """its number"""
    name: str
    """its name"""
    grammar: GrammarFacts
    """its text"""
    program: Program
    """its program"""
    state: Natural | None
    """the state of that program that the entry is of; null: not known"""
