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

COST    Two compilations, and one cold and three warm replays, of each engine; a few completions for a verdict.
See also `xg2lab.lab.comparison.comparing`: two grammars or two ways to run our own engine.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from xg2lab.errors import ArgumentError
from xg2lab.lab.engines.engine_issues import engine_issue
from xg2lab.lab.engines.judging import Judgement, spellings
from xg2lab.lab.engines.protocol import Engine, EngineError, EngineSource, Row
from xg2lab.lab.engines.worker import CALL_SECONDS, MEMORY_BYTES, Worker
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.lab.trace.table import shown, time_text
from xg2lab.show.html import findings_html
from xg2lab.support.arguments import text_bytes

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["EngineComparison", "EngineDisagreement", "EngineRow", "Verdict", "compare_engines", "spelled"]

#: Why an engine is wrong: it allows what is not valid, forbids what is, allows a valid value in fewer spellings than
#: there are, or its mask is not what its own `accept` says.
VerdictKind = Literal["allows_invalid", "forbids_valid", "narrower", "mask_is_not_accept", "undecided"]

_GRAVEST: list[VerdictKind] = ["mask_is_not_accept", "allows_invalid", "forbids_valid", "narrower", "undecided"]

MOST_ENGINES = 16
MOST_TOKENS = 100_000  # of a compared text
WARM_ROUNDS = 3
_MOST_TRIED = 6  # tokens of a disagreement that are completed, on each side
_JUDGE_SECONDS = 20.0


@dataclass
class EngineRow:
    """One engine's part of a comparison.

    Attributes
    ----------
    name, version : str
        The engine.
    refused : str
        Why it does not read the grammar; "" if it does.
    failed : str
        How it failed: the error's reason and message; "" if it did not.
    compile_us : list of float
        Microseconds of the first compilation, which also prepares the vocabulary, and of the second.
    cold_us, warm_us : list of float
        Microseconds of each mask: just after the second compilation, and the median of three more replays.
    taken : list of bool
        Whether each token was accepted, as far as the engine follows.
    masks : list of bytes
        The bitmask of each step.
    """

    name: str
    version: str = ""
    refused: str = ""
    failed: str = ""
    compile_us: list[float] = field(default_factory=list[float])
    cold_us: list[float] = field(default_factory=list[float])
    warm_us: list[float] = field(default_factory=list[float])
    taken: list[bool] = field(default_factory=list[bool])
    masks: list[bytes] = field(default_factory=list[bytes])

    @property
    def n_followed(self) -> int:
        """The number of tokens that the engine accepted."""
        return sum(self.taken)

    def mask(self, step: int) -> Row:
        """The bitmask of a step, int32[ceil(vocab_size / 32)]."""
        return np.frombuffer(self.masks[step], np.int32)


@dataclass(frozen=True)
class Verdict:
    """Who is wrong at a disagreement.

    Attributes
    ----------
    wrong : str
        The engine; "" if undecided.
    kind : str
        "allows_invalid", "forbids_valid", "narrower" (a valid value is allowed in another spelling only: another order
        of properties, other white space), "mask_is_not_accept" or "undecided".
    why : str
        The reason, with the instance.
    instance : str
        The text that decides; "" if there is none.
    """

    wrong: str
    kind: VerdictKind
    why: str
    instance: str = ""

    def __str__(self) -> str:
        if self.kind == "undecided":
            return f"undecided: {self.why}"
        verb = "is narrower than the grammar" if self.kind == "narrower" else "is wrong"
        return f"{self.wrong} {verb}: {self.why}"


@dataclass
class EngineDisagreement:
    """A step at which two engines part.

    Attributes
    ----------
    a, b : str
        The engines; `a` is the reference.
    step, byte : int
        The step, and where in the text it begins.
    token_id : int or None
        The text's token there; None at its end.
    text : str
        That token as readers see it.
    takes_a, takes_b : bool
        Whether each accepts it (True at the end).
    only_a, only_b : int[n]
        The ids that one mask alone allows.
    verdicts : list of Verdict
        Who is wrong; both may be. At least one, which may be "undecided".
    """

    a: str
    b: str
    step: int
    byte: int
    token_id: int | None
    text: str
    takes_a: bool
    takes_b: bool
    only_a: npt.NDArray[np.int64]
    only_b: npt.NDArray[np.int64]
    verdicts: list[Verdict] = field(default_factory=list[Verdict])


@dataclass
class EngineComparison:
    """What a comparison of engines has found.

    Attributes
    ----------
    source : EngineSource
        The grammar.
    ids : list of int
        The tokens of the compared text.
    texts : list of str
        Each token as readers see it.
    vocab_size : int
        Tokens of the vocabulary.
    rows : list of EngineRow
        One for each engine, the reference first.
    disagreements : list of EngineDisagreement
        For each engine but the first: the first masks that differ, and the first token of the text that one alone
        takes.
    """

    source: EngineSource
    ids: list[int]
    texts: list[str]
    output: bytes
    vocab_size: int
    rows: list[EngineRow]
    disagreements: list[EngineDisagreement] = field(default_factory=list[EngineDisagreement])

    @property
    def ok(self) -> bool:
        """Whether no two engines disagree, and none failed. An engine that refuses the grammar does not count."""
        return not self.disagreements and not any(row.failed for row in self.rows)

    def row(self, name: str) -> EngineRow:
        """Return the part of one engine.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        EngineRow
            Its part.

        Raises
        ------
        ArgumentError
            The engine was not compared.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise ArgumentError(
            f"{name!r} was not compared", hint=f"compared were {', '.join(row.name for row in self.rows)}"
        )

    def issue_text(self, name: str) -> str:
        """Return a disagreement, a failure or a refusal as the text of an issue, in the form of that project.

        Parameters
        ----------
        name : str
            The engine that the issue is about.

        Returns
        -------
        str
            Markdown: a title, what happened, lines that show it with that project's own names, and versions.

        Raises
        ------
        ArgumentError
            The engine was not compared, or there is nothing to report about it.
        """
        row = self.row(name)
        of_it = [one for one in self.disagreements if name in (one.a, one.b)]
        found = max(of_it, key=lambda one: _gravity(one, name), default=None)
        if not row.refused and not row.failed and found is None:
            raise ArgumentError(f"there is nothing to report about {name}", hint="print(report) says what was compared")
        verdict = (
            None
            if found is None
            else min((v for v in found.verdicts if v.wrong == name), key=lambda v: _GRAVEST.index(v.kind), default=None)
        )
        said = str(verdict or (found.verdicts[0] if found and found.verdicts else ""))
        before = self.output if found is None else self.output[: found.byte]
        data = b""
        expected: bool | None = None
        if verdict is not None and verdict.instance:
            data, expected = verdict.instance.encode(), verdict.kind != "allows_invalid"
        others = [f"{one.name} {one.version}" for one in self.rows if one.name != name]
        return engine_issue(
            self.source,
            name=name,
            version=row.version,
            problem=row.failed or (f"refused: {row.refused}" if row.refused else said),
            before=before,
            instance=data,
            expected=expected,
            others=others,
        )

    def to_wire(self) -> dict[str, Any]:
        """Return the comparison as JSON values, without the masks.

        Returns
        -------
        dict
            The engines with their times, the disagreements with their verdicts, and the text for readers.
        """
        return {
            "kind": self.source.kind,
            "n_tokens": len(self.ids),
            "vocab_size": self.vocab_size,
            "ok": self.ok,
            "says": str(self),
            "engines": [
                {
                    "name": row.name,
                    "version": row.version,
                    "refused": row.refused,
                    "failed": row.failed,
                    "compile_us": row.compile_us,
                    "cold_us": row.cold_us,
                    "warm_us": row.warm_us,
                    "n_followed": row.n_followed,
                }
                for row in self.rows
            ],
            "disagreements": [
                {
                    "a": one.a,
                    "b": one.b,
                    "step": one.step,
                    "byte": one.byte,
                    "token_id": one.token_id,
                    "text": one.text,
                    "takes_a": one.takes_a,
                    "takes_b": one.takes_b,
                    "n_only_a": len(one.only_a),
                    "n_only_b": len(one.only_b),
                    "only_a": one.only_a[:100].tolist(),
                    "only_b": one.only_b[:100].tolist(),
                    "verdicts": [
                        {"wrong": v.wrong, "kind": v.kind, "why": v.why, "instance": v.instance} for v in one.verdicts
                    ],
                }
                for one in self.disagreements
            ],
        }

    def __str__(self) -> str:
        what = f"{self.source.kind}, {len(self.ids)} tokens of a vocabulary of {self.vocab_size:,}"
        lines = [what, *(_row_text(row, len(self.ids)) for row in self.rows)]
        for one in self.disagreements:
            lines += _disagreement_text(one)
        if not self.disagreements:
            n = sum(not row.refused and not row.failed for row in self.rows)
            lines.append(
                f"the {n} engines that read it agree on every mask" if n > 1 else "no two engines can be compared"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return findings_html(str(self))


def _gravity(one: EngineDisagreement, name: str) -> int:
    """How grave a disagreement is for an engine: the greater, the graver."""
    return max((len(_GRAVEST) - _GRAVEST.index(v.kind) for v in one.verdicts if v.wrong == name), default=0)


def _row_text(row: EngineRow, n_tokens: int) -> str:
    name = f"  {row.name} {row.version}".rstrip().ljust(22)
    if row.refused:
        return f"{name} refused: {row.refused}"
    if row.failed:
        return f"{name} {row.failed}"
    times = [f"compile {time_text(row.compile_us[0])}, again {time_text(row.compile_us[-1])}"]
    if row.cold_us:
        times.append(f"masks cold {time_text(median(row.cold_us))} (first {time_text(row.cold_us[0])})")
    if row.warm_us:
        times.append(f"warm {time_text(median(row.warm_us))}")
    return f"{name} {', '.join(times)}; takes {row.n_followed} of {n_tokens} tokens"


def _disagreement_text(one: EngineDisagreement) -> list[str]:
    where = "at the end of the text" if one.token_id is None else f"before {shown(one.text)}"
    takes = {(True, False): f": {one.a} alone takes it", (False, True): f": {one.b} alone takes it"}
    masks = f"{len(one.only_a):,} tokens in the mask of {one.a} alone, {len(one.only_b):,} in that of {one.b}"
    first = f"{one.a} and {one.b} part at step {one.step}, byte {one.byte}, {where}"
    return [first + takes.get((one.takes_a, one.takes_b), ""), f"  {masks}", *(f"  {v}" for v in one.verdicts)]


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
    with contextlib.ExitStack() as open_workers:
        workers: list[Worker] = []
        for engine in engines:
            worker = Worker(engine, tokenizer_info, seconds=seconds, memory_bytes=memory_bytes)
            workers.append(open_workers.enter_context(worker))
        rows = [_measured(worker, source, ids) for worker in workers]
        names = _different([row.name for row in rows])
        for row, name in zip(rows, names, strict=True):
            row.name = name
        texts = [spelling.text(k) for k in ids]
        report = EngineComparison(source, ids, texts, output, tokenizer_info.vocab_size, rows)
        ends = np.cumsum([0, *(len(spelling.data(k)) for k in ids)]).tolist()
        judges = _Judges(tokenizer_info, open_workers) if judge else None
        for k in range(1, len(rows)):
            for found in _differences(rows[0], rows[k], ids, texts, ends, tokenizer_info.vocab_size):
                if judges is not None:
                    court = _Court(source, ids, tokenizer_info, (workers[0], workers[k]), judges)
                    found.verdicts = court.verdicts(found)
                report.disagreements.append(found)
    return report


def _different(names: list[str]) -> list[str]:
    """The names, each other than those before it."""
    return [name if name not in names[:k] else f"{name} ({k + 1})" for k, name in enumerate(names)]


def _measured(worker: Worker, source: EngineSource, ids: Sequence[int]) -> EngineRow:
    row = EngineRow(worker.name, worker.version)
    try:
        row.compile_us = [worker.compile(source), worker.compile(source)]
        cold = worker.replay(ids)
        row.cold_us, row.taken, row.masks = cold["us"], cold["taken"], cold["rows"]
        if cold["why"]:
            row.failed = f"failed after {len(cold['taken'])} tokens: {cold['why']}"
            return row
        rounds = [worker.replay(ids, keep=False)["us"] for _ in range(WARM_ROUNDS)]
        row.warm_us = [median(step) for step in zip(*rounds, strict=False)]
    except EngineError as error:
        message = error.message.removeprefix(f"{error.engine}: ")
        if error.reason == "refused":
            row.refused = message
        else:
            row.failed = f"{error.reason}: {message}"
    return row


def _differences(
    a: EngineRow, b: EngineRow, ids: Sequence[int], texts: Sequence[str], ends: Sequence[int], vocab_size: int
) -> list[EngineDisagreement]:
    """The first masks that differ, and the first token of the text that one engine alone takes."""
    found: list[EngineDisagreement] = []
    if a.refused or b.refused:
        return found
    for step in range(min(len(a.masks), len(b.masks))):
        bits = [np.unpackbits(row.mask(step).view(np.uint8), bitorder="little")[:vocab_size] for row in (a, b)]
        token_id = ids[step] if step < len(ids) else None
        takes = [token_id is None or (step < len(row.taken) and row.taken[step]) for row in (a, b)]
        if takes[0] == takes[1] and (found or np.array_equal(bits[0], bits[1])):
            continue
        only_a, only_b = np.flatnonzero(bits[0] > bits[1]), np.flatnonzero(bits[1] > bits[0])
        text = "" if token_id is None else texts[step]
        found.append(
            EngineDisagreement(a.name, b.name, step, ends[step], token_id, text, takes[0], takes[1], only_a, only_b)
        )
        if takes[0] != takes[1]:
            break
    return found


class _Judges:
    """The judge's process, which starts when something is first to be judged."""

    def __init__(self, info: TokenizerInfo, open_workers: contextlib.ExitStack) -> None:
        self._info, self._open = info, open_workers
        self._worker: Worker | None = None

    def judge(self, source: EngineSource, data: bytes) -> Judgement:
        """What is said of a text."""
        if self._worker is None:
            worker = Worker("xg2lab", self._info, seconds=_JUDGE_SECONDS, in_process=False)
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
            return sorted(decided.values(), key=lambda v: _GRAVEST.index(v.kind))
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
            self.reasons.append(f"no instance with {text} was found that tells the two apart")
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
