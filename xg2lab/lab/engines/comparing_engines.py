r"""Engines on the same tokens: masks laid over each other, where they part, who is wrong, and what each mask costs.

    report = compare_engines(schema, '{"k": "abcd"}', ["xg2lab", "xgrammar", "llguidance"], info)
    print(report)
    print(report.issue_text("xgrammar"))

>>> from xg2lab import TokenizerInfo
>>> info = TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> report = compare_engines(EngineSource("regex", "ab"), "ab", ["xg2lab", "xg2lab-pda"], info)
>>> report.ok, [row.n_followed for row in report.rows]
(True, [2, 2])

IDEA
  The first engine is the reference, and each other is compared with it, step by step, until the masks differ or one
  takes the text's token and the other does not. Whoever is wrong is decided there, by a third: a text that one engine
  allows and the other forbids is completed to a whole instance, through the masks of the one that allows it, and the
  instance is judged (`xg2lab.lab.engines.judging`). An engine whose mask is not what its own accept says is wrong
  without a judge. If nothing decides, the verdict says why.

  The report grows while the work goes on: first the masks, then where engines part, then who is wrong.

COST    Two compilations, and one cold and three warm replays, of each engine; a few completions for a verdict.
See also `xg2lab.lab.engines.engine_comparison`, the result; `xg2lab.lab.comparison.comparing`: two grammars or two ways
to run our own engine.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from xg2lab.errors import ArgumentError
from xg2lab.lab.engines.engine_comparison import (
    GRAVEST,
    EngineComparison,
    EngineDisagreement,
    EnginePhase,
    EngineRow,
    Listed,
    Verdict,
    VerdictKind,
)
from xg2lab.lab.engines.host import Cancelled
from xg2lab.lab.engines.judging import Judgement, spellings
from xg2lab.lab.engines.protocol import Engine, EngineError, EngineSource
from xg2lab.lab.engines.worker import CALL_SECONDS, MEMORY_BYTES, Worker
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.lab.trace.table import shown
from xg2lab.support.arguments import text_bytes

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["compare_engines", "spelled"]

MOST_ENGINES = 16
MOST_TOKENS = 100_000  # of a compared text
WARM_ROUNDS = 3
_MOST_TRIED = 6  # tokens of a disagreement that are completed, on each side
_JUDGE_SECONDS = 20.0
_MOST_LISTED = 10  # tokens of one mask alone that are told with their bytes


def spelled(info: TokenizerInfo, text: str | bytes | Sequence[int]) -> list[int]:
    """The ids of a text by greedy longest match; ids as they are, if the vocabulary has them."""
    spelling = Spelling(info)
    if isinstance(text, str | bytes):
        return spelling.spell(text_bytes(text, "text"))
    return [spelling.check(token_id) for token_id in text]


def compare_engines(
    grammar: EngineSource | str | Mapping[str, Any],
    text: str | bytes | Sequence[int],
    engines: Sequence[str | Engine],
    tokenizer_info: TokenizerInfo,
    *,
    seconds: float = CALL_SECONDS,
    memory_bytes: int = MEMORY_BYTES,
    judge: bool = True,
    tell: Callable[[EngineComparison], object] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> EngineComparison:
    """Compare engines on the same tokens, step by step.

    Parameters
    ----------
    grammar : EngineSource, str or dict
        A str is EBNF, a dict a JSON Schema or a structural tag.
    text : str, bytes or sequence of int
        The output to replay; a text is spelled by greedy longest match.
    engines : sequence of str or Engine
        At most 16, the reference first. Names run in processes of their own, objects in this one.
    tokenizer_info : TokenizerInfo
        The vocabulary.
    seconds : float
        The longest call of an engine: one compilation, or one replay.
    memory_bytes : int
        The most memory of an engine's process.
    judge : bool
        Whether to decide who is wrong where two part.
    tell : callable, optional
        Called with the growing report at each part of the work.
    is_cancelled : callable
        Called often, without arguments; True ends the comparison, and a call that a process is at with it. What was
        found stays.

    Returns
    -------
    EngineComparison
        A refusal, a crash and a call that took too long are results in it.

    Raises
    ------
    ArgumentError
        No engines, or too many; a text that is too long.
    EngineError
        There is no engine of a name, or it is not installed.
    LimitError
        The masks would take more than 256 MiB an engine.
    SessionError, VocabularyError
        The vocabulary can't spell the text, or has no such token.

    >>> from xg2lab import TokenizerInfo
    >>> info = TokenizerInfo([*"ab", "</s>"], stop_token_ids=[2])
    >>> print(compare_engines('root ::= "a"', "b", ["xg2lab"], info).rows[0].taken)
    [False]
    """
    if not 1 <= len(engines) <= MOST_ENGINES:
        raise ArgumentError(f"{len(engines)} engines were given", hint=f"give 1 to {MOST_ENGINES}, the reference first")
    source, ids = EngineSource.of(grammar), spelled(tokenizer_info, text)
    if len(ids) > MOST_TOKENS:
        raise ArgumentError(f"the text has {len(ids):,} tokens", hint=f"compare at most {MOST_TOKENS:,}")
    spelling = Spelling(tokenizer_info)
    output = b"".join(spelling.data(k) for k in ids)
    ends = np.cumsum([0, *(len(spelling.data(k)) for k in ids)]).tolist()
    names = [engine if isinstance(engine, str) else str(engine.name) for engine in engines]
    report = EngineComparison(
        source,
        ids,
        [spelling.text(k) for k in ids],
        output,
        tokenizer_info.vocab_size,
        [EngineRow(name) for name in _different(names)],
        ends=ends,
        is_over=bool(ids) and ids[-1] in tokenizer_info.stop_token_ids,
        n_all=_PARTS * len(engines) + (len(engines) - 1 if judge else 0),
    )
    with contextlib.ExitStack() as open_workers:
        work = _Work(report, tokenizer_info, open_workers, tell, is_cancelled)
        try:
            work.start(engines, seconds, memory_bytes)
            work.measure()
            work.part()
            if judge:
                work.judge()
        except Cancelled:
            report.stopped = "cancelled"
            if not report.disagreements:
                work.part()
    work.end()
    return report


def _different(names: list[str]) -> list[str]:
    """The names, each other than those before it."""
    return [name if name not in names[:k] else f"{name} ({k + 1})" for k, name in enumerate(names)]


#: Parts of the work for each engine: its process, two compilations, the masks, and their times.
_PARTS = 4
_LAST_BITS = 32


class _Work:
    """One comparison at work: the report grows."""

    def __init__(
        self,
        report: EngineComparison,
        info: TokenizerInfo,
        open_workers: contextlib.ExitStack,
        tell: Callable[[EngineComparison], object] | None,
        is_cancelled: Callable[[], bool],
    ) -> None:
        self.report, self.info, self.open = report, info, open_workers
        self.tell, self.is_cancelled = tell, is_cancelled
        self.begun = time.monotonic()
        self.workers: list[Worker] = []
        self.spelling = Spelling(info)

    def look(self, doing: str, n_done: int) -> None:
        """Say what comes next; raises `Cancelled` when nothing shall."""
        report = self.report
        report.doing, report.n_done, report.seconds = doing, n_done, time.monotonic() - self.begun
        if self.is_cancelled():
            raise Cancelled
        if self.tell is not None:
            self.tell(report)

    def end(self) -> None:
        """Say that this is all."""
        report = self.report
        report.doing, report.is_running, report.seconds = "", False, time.monotonic() - self.begun
        if not report.stopped:
            report.n_done = report.n_all
        if self.tell is not None:
            self.tell(report)

    # ---- Each engine: its process, then its masks, then their times -----------------------------

    def start(self, engines: Sequence[str | Engine], seconds: float, memory_bytes: int) -> None:
        """Start the processes. A missing engine ends the comparison before anything is measured."""
        rows = self.report.rows
        for k, engine in enumerate(engines):
            rows[k].phase = "starting"
            self.look(f"{rows[k].name} starts", k)
            worker = Worker(
                engine, self.info, seconds=seconds, memory_bytes=memory_bytes, is_cancelled=self.is_cancelled
            )
            self.workers.append(self.open.enter_context(worker))
            rows[k].version, rows[k].phase = worker.version, "waiting"
        for row, name in zip(rows, _different([worker.name for worker in self.workers]), strict=True):
            row.name = name

    def measure(self) -> None:
        """Replay the text on each engine, one after the other, since clocks would disturb each other."""
        n = len(self.workers)
        for k, (row, worker) in enumerate(zip(self.report.rows, self.workers, strict=True)):
            try:
                self._measured(row, worker, n + (_PARTS - 1) * k)
            except EngineError as error:
                message = error.message.removeprefix(f"{error.engine}: ")
                if error.reason == "refused":
                    row.refused = message
                else:
                    row.failed = f"{error.reason}: {message}"
            row.phase = "done"

    def _measured(self, row: EngineRow, worker: Worker, n_done: int) -> None:
        source, ids = self.report.source, self.report.ids
        self._phase(row, "compiling", "compiles", n_done)
        row.compile_us = [worker.compile(source), worker.compile(source)]
        self._phase(row, "masks", "makes its masks", n_done + 1)
        cold = worker.replay(ids)
        row.cold_us, row.taken = cold["us"], cold["taken"]
        row.masks = [self._clean(mask) for mask in cold["rows"]]
        row.n_allowed = [int(np.unpackbits(np.frombuffer(mask, np.uint8)).sum()) for mask in row.masks]
        if cold["why"]:
            row.failed = f"failed after {len(cold['taken'])} tokens: {cold['why']}"
            return
        self._phase(row, "times", "makes them again", n_done + 2)
        rounds = [worker.replay(ids, keep=False)["us"] for _ in range(WARM_ROUNDS)]
        row.warm_us = [median(step) for step in zip(*rounds, strict=False)]

    def _phase(self, row: EngineRow, phase: EnginePhase, says: str, n_done: int) -> None:
        row.phase = phase
        self.look(f"{row.name} {says}", n_done)

    def _clean(self, mask: bytes) -> bytes:
        """The mask without bits above the vocabulary, which some engines set."""
        n_over = -self.info.vocab_size % _LAST_BITS
        if not n_over:
            return mask
        words = np.frombuffer(mask, np.uint32).copy()
        words[-1] &= np.uint32((1 << (_LAST_BITS - n_over)) - 1)
        return words.tobytes()

    # ---- Where they part, and who is wrong ------------------------------------------------------

    def part(self) -> None:
        """Find where each engine parts from the first."""
        first, *others = self.report.rows
        for other in others:
            self.report.disagreements += self._differences(first, other)

    def _differences(self, a: EngineRow, b: EngineRow) -> list[EngineDisagreement]:
        """The first masks that differ, and the first token of the text that one engine alone takes."""
        report = self.report
        found: list[EngineDisagreement] = []
        if a.refused or b.refused:
            return found
        for step in range(min(len(a.masks), len(b.masks))):
            token_id = report.ids[step] if step < len(report.ids) else None
            if token_id is not None and step >= min(len(a.taken), len(b.taken)):
                break  # an engine failed here, which is no answer
            takes = [token_id is None or row.taken[step] for row in (a, b)]
            if takes[0] == takes[1] and (found or a.masks[step] == b.masks[step]):
                continue
            bits = [np.unpackbits(row.mask(step).view(np.uint8), bitorder="little") for row in (a, b)]
            only_a, only_b = np.flatnonzero(bits[0] > bits[1]), np.flatnonzero(bits[1] > bits[0])
            text, data = ("", b"") if token_id is None else (report.texts[step], self._data(token_id))
            one = EngineDisagreement(
                a.name, b.name, step, report.ends[step], token_id, text, takes[0], takes[1], only_a, only_b, data
            )
            one.listed = self._listed(one)
            found.append(one)
            if takes[0] != takes[1]:
                break
        return found

    def _data(self, token_id: int) -> bytes:
        known = self.info.decoded_vocab
        return known[token_id] if token_id < len(known) else b""

    def _listed(self, one: EngineDisagreement) -> list[Listed]:
        """The text's own token if it is among them, then the first that `a` alone allows, then those of `b`."""
        found: list[Listed] = []
        for only, is_of_a in ((one.only_a, True), (one.only_b, False)):
            own = [one.token_id] if one.token_id is not None and one.token_id in only else []
            ids = [*own, *(int(k) for k in only[:_MOST_LISTED] if k != one.token_id)]
            found += [(k, self.spelling.text(k), self._data(k), is_of_a) for k in ids[:_MOST_LISTED]]
        return sorted(found, key=lambda row: row[0] != one.token_id)

    def judge(self) -> None:
        """Decide who is wrong, pair by pair."""
        report, judges = self.report, _Judges(self.info, self.open, self.is_cancelled)
        n_before = report.n_all - len(self.workers) + 1
        for k, row in enumerate(report.rows[1:], 1):
            self.look(f"who is wrong, {report.rows[0].name} or {row.name}", n_before + k - 1)
            for found in [one for one in report.disagreements if one.b == row.name]:
                court = _Court(report.source, report.ids, self.info, (self.workers[0], self.workers[k]), judges)
                found.verdicts = court.verdicts(found)


class _Judges:
    """The judge's process, which starts when something is first to be judged."""

    def __init__(
        self, info: TokenizerInfo, open_workers: contextlib.ExitStack, is_cancelled: Callable[[], bool]
    ) -> None:
        self._info, self._open, self._is_cancelled = info, open_workers, is_cancelled
        self._worker: Worker | None = None

    def judge(self, source: EngineSource, data: bytes) -> Judgement:
        """What is said of a text."""
        if self._worker is None:
            worker = Worker(
                "xg2lab",
                self._info,
                seconds=_JUDGE_SECONDS,
                in_process=False,
                is_cancelled=self._is_cancelled,
            )
            self._worker = self._open.enter_context(worker)
        is_valid, why = self._worker.judge(source, data)
        return Judgement(is_valid, why)


class _Court:
    """Decides one disagreement."""

    def __init__(
        self,
        source: EngineSource,
        ids: Sequence[int],
        info: TokenizerInfo,
        workers: tuple[Worker, Worker],
        judges: _Judges,
    ) -> None:
        self.source, self.ids, self.info, self.workers, self.judges = source, list(ids), info, workers, judges
        self.spelling = Spelling(info)
        self.stops = {*info.stop_token_ids}
        self.reasons: list[str] = []
        self.silent: list[str] = []  # tokens without an instance that tells the two apart

    def verdicts(self, found: EngineDisagreement) -> list[Verdict]:
        """Who is wrong; one that says "undecided" if nobody was found to be."""
        if not self.stops:
            return [Verdict("", "undecided", "the vocabulary has no stop token, so no instance is whole")]
        before = self.ids[: found.step]
        names = (found.a, found.b)
        decided: dict[tuple[str, VerdictKind], Verdict] = {}
        try:
            for permissive, only in ((0, found.only_a), (1, found.only_b)):
                takes, strict_takes = (found.takes_a, found.takes_b)[:: 1 if permissive == 0 else -1]
                wanted = [] if found.token_id is None or not takes or strict_takes else [found.token_id]
                for token_id in self._likely(only, wanted):
                    for one in self._tried(before, token_id, permissive, names):
                        decided.setdefault((one.wrong, one.kind), one)
                    if len(decided) > 1:
                        break
        except EngineError as error:
            self.reasons.append(error.message)
        if decided:
            return sorted(decided.values(), key=lambda v: GRAVEST.index(v.kind))
        if self.silent and not self.reasons:
            tokens = ", ".join(dict.fromkeys(self.silent))
            self.reasons.append(f"no instance was found that tells the two apart, with {tokens}")
        why = "; ".join(dict.fromkeys(self.reasons)) or "no differing token could be completed to an instance"
        return [Verdict("", "undecided", why)]

    def _likely(self, only: npt.NDArray[np.int64], wanted: list[int]) -> list[int]:
        """The text's own token, stop tokens, then short ones that show as letters."""
        data = self.info.decoded_vocab

        def rank(k: int) -> tuple[bool, bool, int, int]:
            text = data[k] if k < len(data) else b""
            return k not in self.stops, not text.isalnum(), len(text), k

        ids = sorted((int(k) for k in only if int(k) not in wanted), key=rank)
        return [*wanted, *ids][:_MOST_TRIED]

    def _tried(self, before: list[int], token_id: int, permissive: int, names: tuple[str, str]) -> list[Verdict]:
        """What is decided by one token that `permissive` alone allows."""
        giver, refuser = self.workers[permissive], self.workers[1 - permissive]
        name, other = names[permissive], names[1 - permissive]
        text = shown(self.spelling.text(token_id))
        says = giver.accepts(before, [token_id])[0], refuser.accepts(before, [token_id])[0]
        if not says[0]:
            why = f"its mask allows {text} at byte {self._n_bytes(before)}, and its accept refuses it"
            return [Verdict(name, "mask_is_not_accept", why)]
        if says[1]:
            why = f"its mask forbids {text} at byte {self._n_bytes(before)}, and its accept takes it"
            return [Verdict(other, "mask_is_not_accept", why)]
        found: list[Verdict] = []
        for ids in self._instances(before, token_id, giver):
            data = b"".join(self.spelling.data(k) for k in ids)
            judged = self.judges.judge(self.source, data)
            instance = data.decode("utf-8", "backslashreplace")
            if judged.is_valid is None:
                self.reasons.append(judged.why)
            elif not judged.is_valid:
                why = f"it allows {shown(instance, 200)}, which is not valid: {judged.why}"
                found.append(Verdict(name, "allows_invalid", why, instance))
            elif refuser.takes([*ids, min(self.stops)]) <= len(ids):
                found.append(self._forbids(other, instance, refuser))
        if not found:
            self.silent.append(text)
        return found

    def _forbids(self, name: str, instance: str, refuser: Worker) -> Verdict:
        for text in spellings(self.source, instance) if self.source.kind == "json_schema" else ():
            with contextlib.suppress(EngineError):
                ids = spelled(self.info, text)
                if refuser.takes([*ids, min(self.stops)]) > len(ids):
                    why = (
                        f"it forbids {shown(instance, 200)}, which is valid, and allows the same as {shown(text, 200)}"
                    )
                    return Verdict(name, "narrower", why, instance)
        return Verdict(name, "forbids_valid", f"it forbids {shown(instance, 200)}, which is valid", instance)

    def _instances(self, before: list[int], token_id: int, giver: Worker) -> list[list[int]]:
        """Whole outputs of the engine that allows the token: the text itself, and completions."""
        if token_id in self.stops:
            return [before]
        found: list[list[int]] = []
        begun = [*before, token_id]
        stop = min(self.stops)
        is_own = self.ids[: len(begun)] == begun
        if is_own and giver.takes([*self.ids, stop]) > len(self.ids):
            found.append(self.ids)
        for preferred in ((), ("a", "0", '"')):
            rest = giver.complete(begun, preferred)
            if rest is not None and [*begun, *rest] not in found:
                found.append([*begun, *rest])
        return found

    def _n_bytes(self, ids: list[int]) -> int:
        return sum(len(self.spelling.data(k)) for k in ids)
