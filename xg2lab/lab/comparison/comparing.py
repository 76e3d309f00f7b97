r"""Two grammars, vocabularies or ways to run the engine on the same bytes: where they part, what each mask costs.

    report = compare(session, parser="pda")                  # the same grammar, another switch of EngineOptions
    report = compare(session, cross_grammar_cache=False)
    report = compare(session, grammar='root ::= [a-z]+')
    report = compare(session, other)                         # two sessions, on the first one's output
    report = compare(session, engines=["xgrammar"])          # other engines, under the same grammar
    report = compare(session, written_out=True)              # a template's instance, and what it means
    print(report)
    assert report.ok                                         # nothing that must agree differs

IDEA
  The output of the first session is replayed in both, by matchers of the comparison's own, and the masks before each
  token are compared bit by bit. No switch of `EngineOptions` may change a mask, so where only those differ the two are
  each other's oracle: a single bit is an error. Then both are timed in turns, round by round, as clocks are noisy.

  Vocabularies that differ have no common ids. Then the bytes that may come next are compared, at each byte; and each
  side is timed on its own tokens for the text.

COST    One replay of both for the masks; six replays of each and two compilations for a round of times.
See also `xg2lab.lab.comparison.replays`, which defines what is cold and what is
warm; `xg2lab.lab.auditing.auditing`, mask against accept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError, Xg2LabError
from xg2lab.lab.auditing.repro import ebnf_of, mask_repro
from xg2lab.lab.comparison.comparison import CompareReport, Difference, Divergence, Listed, count
from xg2lab.lab.comparison.replays import Side, Stopped, byte_info
from xg2lab.lab.comparison.sides import sides_of
from xg2lab.lab.engines.auditing_engines import source_of
from xg2lab.lab.engines.comparing_engines import compare_engines
from xg2lab.lab.engines.engine_comparison import EngineComparison
from xg2lab.lab.engines.ours import OurCompiled
from xg2lab.lab.engines.protocol import Engine, EngineSource
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.lab.trace.trace import header

if TYPE_CHECKING:
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.options import EngineSwitches
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["CompareReport", "Difference", "Divergence", "compare"]

Answer = TypeVar("Answer")
MOST_ASKED = 20  # tokens of a difference that accept_token is asked about


@overload
def compare(
    session: Session,
    other: None = None,
    *,
    engines: Sequence[str | Engine],
    source: EngineSource | None = None,
    seconds: float = 30.0,
    tell: Callable[[EngineComparison], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> EngineComparison: ...


@overload
def compare(
    session: Session,
    other: Session | None = None,
    *,
    grammar: Grammar | str | None = None,
    written_out: bool = False,
    rounds: int = 6,
    seconds: float = 30.0,
    tell: Callable[[CompareReport], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
    **switches: Unpack[EngineSwitches],
) -> CompareReport: ...


def compare(
    session: Session,
    other: Session | None = None,
    *,
    grammar: Grammar | str | None = None,
    written_out: bool = False,
    engines: Sequence[str | Engine] | None = None,
    source: EngineSource | None = None,
    rounds: int = 6,
    seconds: float = 30.0,
    tell: Callable[[Any], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
    **switches: Unpack[EngineSwitches],
) -> CompareReport | EngineComparison:
    """Replay a session's output on two sides, compare the mask before each token, then time both.

    Side A is the session. Side B is another session, another grammar, or the same grammar with other switches. Neither
    session changes.

    Parameters
    ----------
    session : Session
        Side A; its output is replayed.
    other : Session, optional
        Side B.
    grammar : str or Grammar, optional
        Side B's grammar; text is read as EBNF.
    written_out : bool
        Side B is the written-out grammar of the session's template, compiled as usual. It must agree with the instance.
    engines : sequence of str or Engine, optional
        Other engines in place of a side B, each compared with the session's own masks; nothing else may be given then
        but `source`, `tell`, `is_cancelled`, and `seconds`, the longest call of an engine.
    source : EngineSource, optional
        The grammar for those engines, if the session's own text and options are not to be taken.
    rounds : int
        Rounds of timing. An even number lets each side be first equally often.
    seconds : float
        The budget. Masks are compared before anything is timed.
    tell : callable, optional
        Called with the growing report, a few times a second.
    is_cancelled : callable
        Called at each step, without arguments; True ends the comparison.
    **switches
        Side B's fields of `EngineOptions`.

    Returns
    -------
    CompareReport
        `ok` is False if something that must agree differs. With `engines`, an `EngineComparison`.

    Raises
    ------
    SessionError
        There is nothing to compare with, or too much: B is one session, one grammar or one set of switches.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> steps = session.force("ab")
    >>> report = compare(session, parser="pda", rounds=2)
    >>> report.ok, report.n_differ
    (True, 0)
    """
    if engines is not None:
        if other is not None or grammar is not None or written_out or switches:
            hint = "compare(session, engines=[...]) alone"
            raise SessionError("other engines are compared with the session itself", hint=hint)
        source = source or source_of(session.compiled.grammar)
        own = session.compiled
        side = Side("A", own.grammar, session.tokenizer_info, own.options, session.instance)
        all_engines = [OurCompiled(own, anew=side.compile), *engines]
        report = compare_engines(
            source,
            session.output_ids,
            all_engines,
            session.tokenizer_info,
            seconds=seconds,
            tell=tell,
            is_cancelled=is_cancelled,
        )
        report.session = session
        return report
    if source is not None:
        raise SessionError("source= is the grammar of other engines", hint="give engines= as well")
    sides = sides_of(session, other, grammar, switches, written_out=written_out)
    work = _Work(session, sides, rounds, seconds, tell, is_cancelled)
    report = work.report
    try:
        work.masks()
        work.times()
    except Stopped as reason:
        report.stopped = str(reason)
    report.is_running = False
    report.seconds = time.monotonic() - work.begun
    if tell is not None:
        tell(report)
    return report


class _Work:
    """One comparison at work."""

    def __init__(
        self,
        session: Session,
        sides: tuple[Side, Side],
        rounds: int,
        seconds: float,
        tell: Callable[[CompareReport], object] | None,
        stop: Callable[[], bool],
    ) -> None:
        self.session, self.sides, self.budget, self.tell, self.stop = session, sides, seconds, tell, stop
        self.begun, self.told = time.monotonic(), 0.0
        a, b = sides
        same_tokens = a.info.vocabulary.content_hash == b.info.vocabulary.content_hash
        same_text = a.meaning == b.meaning
        of_b = asdict(b.options)
        changed = {name: (value, of_b[name]) for name, value in asdict(a.options).items() if value != of_b[name]}
        steps = [step for step in list(session.trace.steps) if step.token_id is not None]
        self.ids = [step.token_id for step in steps if step.token_id is not None]
        self.output = b"".join(bytes.fromhex(step.bytes) for step in steps)
        self.masked, self.tokens = sides, list(self.ids)
        self.at = [step.byte_begin for step in steps] + [len(self.output)]
        texts = [step.text for step in steps]
        if not same_tokens:
            info = byte_info()
            self.masked = (
                Side("A", a.grammar, info, a.options, a.instance),
                Side("B", b.grammar, info, b.options, b.instance),
            )
            self.tokens, self.at = list(self.output), list(range(len(self.output) + 1))
            texts = [f"{byte:02X}" for byte in self.output]
        unit = "token" if same_tokens else "byte"
        is_over = bool(self.ids) and same_tokens and session.trace.steps[-1].terminated
        n_steps = len(self.tokens) + (not is_over)
        self.report = CompareReport(a, b, unit, same_tokens and same_text, changed, texts, n_steps, rounds)
        own_b = None if same_tokens else _spelled(b.info, self.output)
        self.report.tapes = tuple((step.byte_begin, step.text) for step in steps), own_b

    def look(self, *, now: bool = False) -> None:
        """Tell, and raise `Stopped` when it is time."""
        report = self.report
        report.seconds = time.monotonic() - self.begun
        if self.tell is not None and (now or report.seconds - self.told > 0.2):
            self.told = report.seconds
            self.tell(report)
        if self.stop():
            raise Stopped("cancelled")
        if report.seconds > self.budget:
            raise Stopped(f"the budget of {self.budget:g} s")

    # ---- The masks, both sides step by step -----------------------------------------------------

    def masks(self) -> None:
        """Compare them before each token, as far as both follow the text."""
        report, (a, b) = self.report, self.masked
        self.look(now=True)
        compiled = [side.try_compile(self.look) for side in self.masked]
        for side, masked in zip(self.sides, self.masked, strict=True):
            side.refused = masked.refused
            if masked is side:
                side.compile_us.clear()  # the first compilation in a process also builds the vocabulary's trie
        made_a, made_b = compiled
        if made_a is None or made_b is None:
            self.look(now=True)
            return
        turns = [side.replay(made, self.tokens) for side, made in ((a, made_a), (b, made_b))]
        for step in range(report.n_steps):
            asked_a, asked_b = (self.ask(k, lambda turn=turn: next(turn, None)) for k, turn in enumerate(turns))
            if asked_a is None or asked_b is None:
                break
            (first, row_a, _), (second, row_b, _) = asked_a, asked_b
            a.note(step, row_a)
            b.note(step, row_b)
            report.n_allowed.append((count(row_a), count(row_b)))
            report.masks.add(row_a, row_b)
            if not np.array_equal(row_a, row_b):
                report.differences.append(Difference.of(step, row_a, row_b))
            self.follow(step, first, second)
            report.n_done = step + 1
            self.look()
        self.look(now=True)

    def ask(self, k: int, question: Callable[[], Answer]) -> Answer | None:
        """The answer of side `k`; None where the engine refuses: too many stacks, too much history."""
        try:
            return question()
        except Xg2LabError as error:
            self.sides[k].refused = f"{type(error).__name__}: {error}"
            return None

    def follow(self, step: int, first: GrammarMatcher, second: GrammarMatcher) -> None:
        """Note where they part: at the first mask that differs, and at the first token that one of them refuses."""
        report = self.report
        if report.divergence is not None:
            return
        token = self.tokens[step] if step < len(self.tokens) else None
        takes = [token is None or _takes(m, token) for m in (first, second)]
        differs = bool(report.differences) and report.differences[-1].step == step
        if takes[0] == takes[1] and not differs:
            return
        ids, p = self.wanted(step, report.differences[-1] if differs else None)
        if token in ids:  # what the text goes on with, before what the model would rather have had
            ids.remove(token)
            ids.insert(0, token)
        in_a = set() if not differs else set(report.differences[-1].only_a.tolist())
        asked = tuple(
            (k, self.text(k), None if p is None else float(p[k]), k in in_a, _takes(first, k), _takes(second, k))
            for k in ids[:MOST_ASKED]
        )
        reasons = ["", ""]
        for k, _, _, _, a, b in asked:
            for side, (matcher, taken) in enumerate(((first, a), (second, b))):
                if not taken and not reasons[side]:
                    reasons[side] = str(matcher.explain(k)["reason"])
        mass = None if p is None else float(sum(p[k] for k in ids))
        text = "" if token is None else report.texts[step]
        report.divergence = Divergence(
            step, self.at[step], token, text, takes[0], takes[1], reasons[0], reasons[1], mass, asked
        )
        if report.must_agree and asked:
            report.repro = self.repro(step, asked[0])

    def wanted(self, step: int, found: Difference | None) -> tuple[list[int], npt.NDArray[np.floating] | None]:
        """The ids that differ, the most wanted first, and what the model gave each token."""
        if found is None:
            return [], None
        ids = np.concatenate((found.only_a, found.only_b))
        p = None
        if self.report.unit == "token":
            try:
                p = self.session.probabilities(step)
            except SessionError:  # the session went back meanwhile
                p = None
        order = np.argsort(ids if p is None else -p[ids], kind="stable")
        return [int(k) for k in ids[order]], p

    def text(self, k: int) -> str:
        """A token as a reader sees it; of bytes, the byte."""
        return f"{k:02X}" if self.report.unit == "byte" else self.session.tokenizer_info.token_text(k)

    def repro(self, step: int, row: Listed) -> str:
        """Lines that show which side's mask is not what its accept says; empty if each is as its accept."""
        for side, allowed, taken in ((self.sides[0], row[3], row[4]), (self.sides[1], not row[3], row[5])):
            if allowed != taken:
                head: schema.Header = {
                    **header("compared", vocab_size=side.info.vocab_size),
                    "grammar": {"text": ebnf_of(side.grammar), "root": side.grammar.root_rule_name},
                    "template": None if side.instance is None else side.instance.facts(),
                    "options": asdict(side.options),
                }
                taken_before = list(zip(self.ids[:step], self.parts(step), strict=True))
                program = self.session.trace.program
                return mask_repro(head, program, side.info, taken_before, row[0], accept=taken)[0]
        return ""

    def parts(self, step: int) -> list[bytes]:
        """The bytes of each token before a step."""
        return [self.output[a:b] for a, b in zip(self.at[:step], self.at[1 : step + 1], strict=True)]

    # ---- The times, side after side, in turns ---------------------------------------------------

    def times(self) -> None:
        """Run the rounds; the first side changes from one round to the next."""
        report = self.report
        if any(side.refused for side in self.sides):
            return
        own, n_steps = [self.ids, self.ids], [report.n_done, report.n_done]
        if report.unit == "byte":
            spelled = self.ask(1, lambda: Spelling(report.b.info).spell(self.output[: self.at[report.n_done - 1]]))
            if spelled is None:  # its vocabulary can't say the text: there is nothing to time
                return
            own[1] = spelled
            n_steps = [len(ids) + 1 for ids in own]
        for turn in range(report.n_rounds):
            for k in (0, 1) if turn % 2 == 0 else (1, 0):
                self.ask(k, lambda k=k: self.sides[k].round(own[k], n_steps[k], self.look))
            if any(side.refused for side in self.sides):
                return
            report.rounds_done = turn + 1
            self.look(now=True)


def _spelled(info: TokenizerInfo, text: bytes) -> tuple[tuple[int, str], ...] | None:
    """A vocabulary's own tokens for the text; None if it can't say it."""
    try:
        ids = Spelling(info).spell(text)
    except Xg2LabError:
        return None
    ends = list(accumulate(len(info.decoded_vocab[k]) for k in ids))
    return tuple((begin, info.token_text(k)) for begin, k in zip([0, *ends], ids, strict=False))


def _takes(matcher: GrammarMatcher, token_id: int) -> bool:
    return bool(matcher.fork().accept_token(token_id))
