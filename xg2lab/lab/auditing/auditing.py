"""Is the mask right? Every token at every state that a session visited: its bit is set if and only if accept takes it.

    report = audit(session)                     # masks, then the tokenizer, then the schema's keywords
    print(report)
    assert report.ok

IDEA
  The mask comes out of caches, walks of tries and sets of words; `accept_token` pushes bytes through the parser. So the
  two are compared token by token, on a matcher of the audit's own. States that were not seen before go first, so that
  a budget of time is spent on what differs.

  A disagreement is shrunk to a vocabulary of its one token where it is still there, and reported as lines that run.

COST    One `accept_token` a token and state, and a `rollback` where it was taken.
See also `xg2lab.lab.auditing.tokenizer_checks`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from xg2lab.errors import SessionError, Xg2LabError
from xg2lab.lab.auditing.repro import ebnf_of, keyword_repro, mask_repro
from xg2lab.lab.auditing.tokenizer_checks import Check, tokenizer_checks
from xg2lab.lab.engines.auditing_engines import EngineAudit, audit_engine, source_of
from xg2lab.lab.engines.comparing_engines import compare_engines
from xg2lab.lab.engines.engine_comparison import EngineComparison
from xg2lab.lab.engines.ours import OurCompiled
from xg2lab.lab.engines.protocol import Engine, EngineSource
from xg2lab.lab.trace.issue import state_name
from xg2lab.provenance import Provenance

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.model.tokenizer import Tokenizer
    from xg2lab.lab.session.session import Session
    from xg2lab.lab.trace.steps import Step

__all__ = ["AuditReport", "Disagreement", "KeywordState", "StateAudit", "audit"]

SLICE = 2048  # tokens between two looks at the clock
MOST_DISAGREEMENTS = 50  # a state lists


@dataclass(frozen=True)
class Disagreement:
    """A token whose bit and whose acceptance differ; `repro` shows it, from a one-token vocabulary if `is_small`."""

    step: int
    token_id: int
    text: str
    mask: bool
    accept: bool
    repro: str
    is_small: bool


@dataclass
class StateAudit:
    """The visits of one state: the steps before which the innermost item stood in it."""

    name: str
    state: int | None
    steps: list[int]
    n_checked: int = 0  # of these steps, so many were checked, each with every token
    n_allowed: int = 0  # at the first of them
    n_uncertain_accepted: int = 0
    n_uncertain_rejected: int = 0
    disagreements: list[Disagreement] = field(default_factory=list[Disagreement])


@dataclass(frozen=True)
class KeywordState:
    """The state of a keyword of the schema: enforced, annotation, relaxed or refused."""

    pointer: str
    keyword: str
    state: str
    note: str
    repro: str


@dataclass
class AuditReport:
    """What an audit has found so far.

    Attributes
    ----------
    vocab_size : int
        Tokens of the vocabulary.
    n_steps : int
        Steps of the trace that have a mask.
    states : list of StateAudit
        The states that were visited, with what was checked at each and every disagreement.
    checks : list of Check
        Answers of the tokenizer's checks.
    coverage : list of KeywordState
        What became of each keyword of a JSON Schema.
    n_done : int
        Visits that were checked with every token.
    seconds : float
        The time so far.
    stopped : str
        Why the audit is incomplete: "cancelled" or the budget; "" if it is complete.
    is_running : bool
        Whether the audit is still at work.
    output : str
        The text of the session.
    engines : list of EngineAudit
        The audits of other engines, if such were given.
    comparison : EngineComparison or None
        The other engines' masks against the session's, with verdicts.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> report = audit(session)
    >>> report.ok, report.disagreements, report.to_wire()["n_done"]
    (True, [], 1)
    """

    vocab_size: int
    n_steps: int
    states: list[StateAudit] = field(default_factory=list[StateAudit])
    checks: list[Check] = field(default_factory=list[Check])
    coverage: list[KeywordState] = field(default_factory=list[KeywordState])
    n_done: int = 0  # states checked with every token
    seconds: float = 0.0
    stopped: str = ""
    is_running: bool = True
    output: str = ""
    engines: list[EngineAudit] = field(default_factory=list[EngineAudit])
    comparison: EngineComparison | None = None

    @property
    def disagreements(self) -> list[Disagreement]:
        """All disagreements, in the order of the states."""
        return [found for state in self.states for found in state.disagreements]

    @property
    def ok(self) -> bool:
        """Whether masks and `accept_token` agree wherever they were compared, and no check of the tokenizer failed."""
        return not self.disagreements and not any(check.level == "error" for check in self.checks)

    def to_wire(self) -> schema.AuditReport:
        """Return the report as JSON values.

        Returns
        -------
        dict
            A value for each field, and `ok`.
        """
        facts = {name: value for name, value in vars(self).items() if name not in ("engines", "comparison")}
        wire = {
            name: [asdict(one) for one in value] if isinstance(value, list) else value for name, value in facts.items()
        }
        return cast("schema.AuditReport", wire | {"ok": self.ok})

    def __str__(self) -> str:
        n_bad = len(self.disagreements)
        said = "mask equals accept everywhere" if not n_bad else f"mask and accept disagree on {n_bad} tokens"
        lines = [
            f"{self.n_done} of {self.n_steps} states x {self.vocab_size:,} tokens: {said}"
            + (f" (stopped: {self.stopped})" if self.stopped else ""),
        ]
        for state in self.states:
            bad = f", {len(state.disagreements)} differ" if state.disagreements else ""
            lines.append(
                f"  {state.name}: {state.n_checked} of {len(state.steps)} visits, {state.n_allowed:,} allowed{bad}"
            )
        marks = {"ok": "ok", "hint": "hint", "warning": "warning", "error": "ERROR"}
        for check in self.checks:
            lines.append(f"  {marks[check.level]:<8}{check.name}: {check.value}")
            if check.level != "ok" and check.details:
                lines.append(f"          {check.details}")
        lines += [f"  {use.state:<11} {use.pointer or '/'}  {use.note}".rstrip() for use in self.coverage]
        return "\n".join(lines)


class _Stopped(Exception):  # noqa: N818 (it is no error: the report is as far as it goes)
    """The budget is spent, or the audit was cancelled; the text says which."""


def audit(
    session: Session,
    *,
    seconds: float = 20.0,
    tokenizer: PreTrainedTokenizerBase | Tokenizer | None = None,
    engines: Sequence[str | Engine] = (),
    source: EngineSource | None = None,
    tell: Callable[[AuditReport], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> AuditReport:
    """Compare each mask of a session with `accept_token`; check its tokenizer and the keywords of its schema.

    Parameters
    ----------
    session : Session
        Its trace says which states to check. The session does not change.
    seconds : float
        The budget. States that were not checked yet come before further visits of checked ones.
    tokenizer : transformers.PreTrainedTokenizerBase, optional
        The tokenizer to compare the vocabulary with; the model's own if left out.
    engines : sequence of str or Engine
        Other engines: each mask of theirs is compared with their own accept, and with the session's mask. `checks` has
        a row for each, a warning where something differs, with the text of an issue. Each has the budget once more.
    source : EngineSource, optional
        The grammar for those engines, if the session's own text and options are not to be taken.
    tell : callable, optional
        Called with the growing report, a few times a second.
    is_cancelled : callable
        Called as often, without arguments; True ends the audit.

    Returns
    -------
    AuditReport
        `stopped` says whether it is complete.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> print(str(audit(session)).splitlines()[0])
    1 of 1 states x 3 tokens: mask equals accept everywhere
    """
    begun = time.monotonic()
    info, trace, model = session.tokenizer_info, session.trace, session.model
    steps = [step for step in list(trace.steps) if step.n_allowed is not None]
    report = AuditReport(info.vocab_size, len(steps), output=session.text)
    told = 0.0

    def look(*, now: bool = False) -> None:
        nonlocal told
        report.seconds = time.monotonic() - begun
        if tell is not None and (now or report.seconds - told > 0.2):
            told = report.seconds
            tell(report)
        if is_cancelled():
            raise _Stopped("cancelled")
        if report.seconds > seconds:
            raise _Stopped(f"the budget of {seconds:g} s")

    try:
        own = None if model is None else model.tokenizer
        report.checks = tokenizer_checks(
            info,
            own if tokenizer is None else cast("Tokenizer", tokenizer),
            n_logits=getattr(model, "vocab_size", None),
            eos_ids=tuple(getattr(model, "eos_token_ids", ())),
        )
        report.coverage = _coverage(session.compiled.grammar)
        look(now=True)
        by_state: dict[str, StateAudit] = {}
        for step in steps:
            name, state = _place(trace.program, step)
            by_state.setdefault(name, StateAudit(name, state, [])).steps.append(step.index)
        report.states = list(by_state.values())
        rounds = max((len(state.steps) for state in report.states), default=0)
        for visit in range(rounds):
            for state in report.states:
                if visit < len(state.steps):
                    _check_state(session, state, state.steps[visit], look)
                    report.n_done += 1
    except _Stopped as reason:
        report.stopped = str(reason)
    if engines and not is_cancelled():
        _others(session, report, engines, source or source_of(session.compiled.grammar), seconds, is_cancelled)
    report.is_running, report.seconds = False, time.monotonic() - begun
    if tell is not None:
        tell(report)
    return report


def _others(
    session: Session,
    report: AuditReport,
    engines: Sequence[str | Engine],
    source: EngineSource,
    seconds: float,
    is_cancelled: Callable[[], bool],
) -> None:
    """What other engines do on the session's tokens, among the checks."""
    info, ids = session.tokenizer_info, session.output_ids
    ours = OurCompiled(session.compiled)
    compared = report.comparison = compare_engines(source, ids, [ours, *engines], info)
    for engine, row in zip(engines, compared.rows[1:], strict=True):
        own = audit_engine(engine, source, ids, info, seconds=seconds, is_cancelled=is_cancelled)
        own.name = row.name
        report.engines.append(own)
        parted = [one for one in compared.disagreements if one.b == row.name]
        is_well = own.ok and not own.refused and not parted and not row.failed
        level = "ok" if is_well else "hint" if own.refused or row.refused else "warning"
        said = [f"parts from xg2lab at step {one.step}: {verdict}" for one in parted for verdict in one.verdicts]
        lies = [f"step {lie.step}, {lie.text!r}: mask {lie.mask}, accept {lie.accept}" for lie in own.lies[:8]]
        value = str(own).partition(": ")[2] + (f"; parts {len(parted)} times" if parted else "")
        repro = "" if is_well or not (parted or row.failed or row.refused) else compared.issue_text(row.name)
        name = f"engine {row.name} {row.version}".rstrip()
        report.checks.append(Check(name, level, value, "\n".join([*said, *lies]), (), repro))


def _place(program: schema.Program, step: Step) -> tuple[str, int | None]:
    """The innermost live item's state, as the views name it."""
    live = [item for item in step.live if item["state"] != program["rules"][item["rule"]]["start"]] or step.live
    if not live:
        return "no live item", None
    state: int = max(live, key=lambda item: item["origin"])["state"]
    return state_name(program, state), state


def _check_state(session: Session, row: StateAudit, index: int, look: Callable[[], None]) -> None:
    try:
        matcher = session.matcher_at(index)
    except SessionError as error:  # the steps were taken back while the audit ran
        raise _Stopped("the session went back") from error
    bits = session.bitmask(index).view(np.uint8)
    size = session.tokenizer_info.vocab_size
    allowed: list[int] = np.unpackbits(bits, bitorder="little")[:size].tolist()
    accept, rollback = matcher.accept_token, matcher.rollback
    for begin in range(0, size, SLICE):
        for token_id in range(begin, min(begin + SLICE, size)):
            taken = accept(token_id)
            if taken:
                rollback(1)
            if taken != bool(allowed[token_id]) and len(row.disagreements) < MOST_DISAGREEMENTS:
                row.disagreements.append(_disagreement(session, index, token_id, accept=bool(taken)))
        look()
    row.n_checked += 1
    if row.n_checked == 1:
        row.n_allowed = sum(allowed)
        codes = session.provenance(index)
        if codes is not None:
            row.n_uncertain_accepted = int(np.count_nonzero(codes == Provenance.UNCERTAIN_ACCEPTED))
            row.n_uncertain_rejected = int(np.count_nonzero(codes == Provenance.UNCERTAIN_REJECTED))


def _disagreement(session: Session, index: int, token_id: int, *, accept: bool) -> Disagreement:
    trace = session.trace
    if session.engine is not None:
        ids = [s.token_id for s in trace.steps[:index] if s.token_id is not None]
        said = f"# {session.engine}: after the tokens {ids}, mask {not accept} and accept {accept} for {token_id}"
        text = session.tokenizer_info.token_text(token_id)
        return Disagreement(index, token_id, text, not accept, accept, said, is_small=False)
    taken = [(s.token_id, bytes.fromhex(s.bytes)) for s in trace.steps[:index] if s.token_id is not None]
    header: schema.Header = {
        **trace.header,
        "grammar": {**trace.header["grammar"], "text": ebnf_of(session.compiled.grammar)},
    }
    text, is_small = mask_repro(header, trace.program, session.tokenizer_info, taken, token_id, accept=accept)
    return Disagreement(
        index, token_id, session.tokenizer_info.token_text(token_id), not accept, accept, text, is_small
    )


def _coverage(grammar: Grammar) -> list[KeywordState]:
    try:
        uses = list(grammar.coverage)
    except Xg2LabError:
        return []
    return [
        KeywordState(use.pointer, use.keyword, use.state, use.note, keyword_repro(grammar.source, use.pointer))
        for use in uses
    ]
