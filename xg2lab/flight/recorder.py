"""The recorder: what a server calls at each token, and the thread that writes files.

>>> import tempfile
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["a", "b", "</s>"], stop_token_ids=[2])
>>> recorder = FlightRecorder(tempfile.mkdtemp(), when="always", outputs="keep")
>>> flight = recorder.begin("one", FlightGrammar("regex", "[ab]+"), info)
>>> flight.accepted([0, 1, 1])
>>> flight.rolled_back(1)
>>> flight.record().output_ids, flight.record().end
((0, 1), None)
>>> flight.end("stop")
>>> recorder.close()
>>> recorder.statistics().n_written, FlightRecord.load(recorder.files()[0]).end
(1, 'stop')

IDEA
  The calls of the decode path append to lists of Python and return. `end` looks whether the flight is to be written,
  and puts it into a queue; a daemon thread redacts, packs and writes it. A full queue loses the flight: it is counted,
  logged, and named by the next file. Nothing that goes wrong in writing reaches the host.

THREADS
  A flight belongs to its request: one thread at a time calls it, not always the same. `record` may be called from any.
  `begin`, `end` and `close` may be called from any thread.

FORKS
  A child process has no writer thread: it starts one of its own with its first flight, with an empty queue. A flight
  that was begun before the fork is written by the process that calls `end`.

See also: docs/design/0058-flight-recorder.md; `benchmarks/flight.py`, which measures what a step costs.
"""

from __future__ import annotations

import atexit
import heapq
import logging
import os
import platform
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import ArgumentError, Xg2LabError
from xg2lab.flight.folder import FlightFolder, flight_name, stamp
from xg2lab.flight.grammars import FlightGrammar
from xg2lab.flight.record import ENDS, FlightRecord, FlightTokenizer, MaskTimes, Refused
from xg2lab.flight.redaction import Shapes, redact
from xg2lab.flight.settings import PROMPTS, TOKENIZERS, WHEN, WRITTEN, Settings, choice, milliseconds, settings_of
from xg2lab.flight.tokenizers import file_name, fingerprint, packed
from xg2lab.options import EngineOptions
from xg2lab.support.arguments import instance, shown, unicode_text, whole_number

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Flight", "FlightRecorder", "FlightStatistics"]

_log = logging.getLogger("xg2lab.flight")

#: Flights that wait for the writer.
_MOST_WAITING = 256
#: Times and rollbacks that a file lists one by one.
_MOST_TIMES, _MOST_ROLLBACKS, _N_SLOWEST = 1 << 16, 1 << 12, 16
#: What the writer's compiler keeps of grammars that hosts gave as text.
_CACHE_BYTES = 16 << 20
#: What an interpreter that ends waits for the writer.
_EXIT_SECONDS = 5.0
_MOST_ID = 1 << 31
_HOSTS = ("vllm", "sglang", "transformers", "torch")


class Flight:
    """One request, while it is being written. `FlightRecorder.begin` makes it.

    `masked`, `accepted`, `rolled_back` and `refused` are for the decode path: they append, and nothing else.
    A flight that is dropped without an `end` ends as "aborted".

    Parameters
    ----------
    recorder : FlightRecorder or None
        The recorder whose settings hold; None records nothing.
    facts : object or None
        What `FlightRecorder.begin` was told.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
    >>> flight = FlightRecorder(None, when="always").begin("one", FlightGrammar("regex", "a+"), info)
    >>> flight.masked(1_500)
    >>> flight.accepted([0, 0])
    >>> flight.record().times.max_us, flight.record().n_output
    (1.5, 2)
    """

    __slots__ = (
        "__weakref__",
        "_begun",
        "_facts",
        "_ids",
        "_n_rollbacks",
        "_pid",
        "_recorder",
        "_refused",
        "_rollbacks",
        "_sums",
        "_times",
        "reason",
    )

    def __init__(self, recorder: FlightRecorder | None, facts: _Facts | None) -> None:
        self._recorder, self._facts = recorder, facts
        self._begun, self._pid = time.time(), os.getpid()
        self._ids: list[int] = []
        self._times: list[int] = []  # nanoseconds and the step, in turns
        self._sums: MaskTimes | None = None  # of times that were folded
        self._rollbacks: list[tuple[int, int]] = []
        self._n_rollbacks = 0
        self._refused: tuple[int, int] | None = None
        self.reason: str | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether anything is recorded: False for the flights of a recorder that is off."""
        return self._facts is not None

    def masked(self, nanoseconds: int) -> None:
        """Record that a mask was made.

        Parameters
        ----------
        nanoseconds : int
            The time it took.

        >>> Flight(None, None).masked(1_000)
        """
        times = self._times
        times.append(nanoseconds)
        times.append(len(self._ids))
        if len(times) >= 2 * _MOST_TIMES:
            self._fold()

    def accepted(self, token_ids: Iterable[int]) -> None:
        """Record tokens that the grammar accepted.

        Parameters
        ----------
        token_ids : iterable of int
            The tokens, in order; drafts too, which `rolled_back` may take back.

        >>> Flight(None, None).accepted([1, 2])
        """
        self._ids.extend(token_ids)

    def rolled_back(self, n_tokens: int) -> None:
        """Record that the last tokens were taken back.

        Parameters
        ----------
        n_tokens : int
            How many; more than there are takes back all.

        >>> Flight(None, None).rolled_back(1)
        """
        if n_tokens <= 0:
            return
        n_before = len(self._ids)
        del self._ids[max(0, n_before - n_tokens) :]
        self._n_rollbacks += 1
        if len(self._rollbacks) < _MOST_ROLLBACKS:
            self._rollbacks.append((n_before, min(n_tokens, n_before)))
        if self._refused is not None and self._refused[0] > len(self._ids):
            self._refused = None

    def refused(self, token_id: int) -> None:
        """Record a token that the grammar refused after the accepted ones. The first one counts.

        Parameters
        ----------
        token_id : int
            The token.

        >>> Flight(None, None).refused(7)
        """
        if self._refused is None:
            self._refused = (len(self._ids), token_id)

    def end(self, reason: str) -> None:
        """End the flight, and hand it to the writer if it is to be written. Later calls do nothing.

        Parameters
        ----------
        reason : str
            "stop", "length", "refused", "aborted" or "error".

        Raises
        ------
        ArgumentError
            It is none of these.

        >>> Flight(None, None).end("stop")
        """
        if reason not in ENDS:
            raise ArgumentError(f"a flight can't end with {shown(reason):.60}", hint=f"choose one of {', '.join(ENDS)}")
        if self.reason is None:
            self.reason = reason
            if self._recorder is not None:
                self._recorder._ended(self)  # pyright: ignore[reportPrivateUsage]

    def __del__(self) -> None:
        # In a forked child this is a copy, of a request that goes on in the parent. When the interpreter ends, names of
        # this module may be gone.
        try:
            if self.reason is None and self._recorder is not None and self._pid == os.getpid():
                self.end("aborted")
        except Exception:  # noqa: BLE001, S110
            pass

    # ---- Off the decode path ----

    def record(self) -> FlightRecord:
        """Return what is known so far, prompt and output as the recorder's settings have them.

        Returns
        -------
        FlightRecord
            `end` is None while the request is being written.

        Raises
        ------
        ArgumentError
            The recorder is off, so nothing was recorded.
        Xg2LabError
            The grammar can't be compiled, which redaction needs.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
        >>> recorder = FlightRecorder(None, when="always", prompts="keep")
        >>> recorder.begin("one", FlightGrammar("regex", "a+"), info, prompt_ids=[0]).record().prompt_ids
        (0,)
        """
        facts = self._facts
        if facts is None or self._recorder is None:
            raise ArgumentError("nothing was recorded: the recorder is off", hint='FlightRecorder(..., when="always")')
        raw = self._raw(facts)
        settings = self._recorder.settings
        if settings.outputs == "keep":
            return raw
        return _redacted(raw, facts.compiled_grammar(None), Shapes(facts.tokenizer_info))

    def _raw(self, facts: _Facts) -> FlightRecord:
        ids = tuple(map(_as_id, list(self._ids)))
        refused, info = self._refused, facts.tokenizer_info
        return FlightRecord(
            request_id=facts.request_id,
            started=stamp(self._begun),
            grammar=facts.as_given(),
            tokenizer=FlightTokenizer(
                fingerprint(info), info.vocab_size, int(info.vocab_type), tuple(info.stop_token_ids)
            ),
            engine=facts.engine,
            host=facts.host,
            model=facts.model,
            versions=_versions(),
            engine_options=facts.changed_options(),
            prompt_ids=facts.prompt_ids,
            output_ids=ids,
            n_output=len(ids),
            refused=None if refused is None else Refused(min(refused[0], len(ids)), _as_id(refused[1])),
            rollbacks=tuple(self._rollbacks),
            n_rollbacks=self._n_rollbacks,
            times=_summed(self._sums, list(self._times)),
            end=self.reason,
        )

    def _is_slow(self, most_us: float) -> bool:
        return _summed(self._sums, self._times).max_us > most_us

    def _fold(self) -> None:
        self._sums = _summed(self._sums, self._times)
        self._times = []


@dataclass(frozen=True)
class FlightStatistics:
    """What a recorder did in this process.

    Parameters
    ----------
    n_begun, n_written : int
        Flights that were begun, and files that were written.
    n_lost : int
        Flights that should have been written and were not: the queue was full, the file would have been too large, or
        writing failed.
    n_removed : int
        Older files that were removed to keep the folder within its bounds.
    last_error : str
        Why the last flight was lost; empty if none was.

    >>> FlightRecorder(None, when="off").statistics()
    FlightStatistics(n_begun=0, n_written=0, n_lost=0, n_removed=0, last_error='')
    """

    n_begun: int = 0
    n_written: int = 0
    n_lost: int = 0
    n_removed: int = 0
    last_error: str = ""


class FlightRecorder:
    """Records requests, and writes a file for each that is worth one.

    Parameters
    ----------
    directory : str or path, or None
        The folder for the files; it is made when the first is written. None writes nothing: `Flight.record` shows what
        is known.
    when : str
        Which flights are written. "off": none, and nothing is recorded. "refusal": those where the grammar refused a
        token, or that ended with "refused" or "error". "slow": those with a mask that took longer than `slow_ms`.
        "always": all.
    slow_ms : float
        Milliseconds, for "slow".
    max_files : int
        The most flights in the folder. The oldest files of recorders are removed.
    max_bytes : int
        The most bytes of all flights and tokenizers in the folder.
    max_file_bytes : int
        The most bytes of one file, packed. A larger flight goes without the times of its steps, then without its
        prompt; if it is still too large, it is lost.
    prompts : str
        "omit": no file has a prompt. "keep": its token ids are kept.
    outputs : str
        "redact": free text is replaced, the structure stays (`xg2lab.flight.redact`). "keep": the token ids are kept.
    tokenizer : str
        "store": the vocabulary is written into the folder, once. "fingerprint": only its fingerprint is kept.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        A setting is none of its choices, or out of its range.

    >>> FlightRecorder("flights", when="sometimes")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: when is 'sometimes'
      hint: choose one of off, refusal, slow, always

    See also: docs/flight.md.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None,
        when: str = "off",
        slow_ms: float = 20.0,
        *,
        max_files: int = 200,
        max_bytes: int = 256 << 20,
        max_file_bytes: int = 4 << 20,
        prompts: str = "omit",
        outputs: str = "redact",
        tokenizer: str = "store",
    ) -> None:
        self.settings = Settings(
            None if directory is None else Path(directory),
            choice("when", when, WHEN),
            milliseconds("slow_ms", slow_ms),
            whole_number(max_files, "max_files", 1),
            whole_number(max_bytes, "max_bytes", 1),
            whole_number(max_file_bytes, "max_file_bytes", 1),
            choice("prompts", prompts, PROMPTS),
            choice("outputs", outputs, WRITTEN),
            choice("tokenizer", tokenizer, TOKENIZERS),
        )
        self._writer = _Writer(self.settings)
        weakref.finalize(self, self._writer.stop).atexit = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> FlightRecorder:
        """Make the recorder that the environment variables ask for: the way to record in a server's processes.

        Parameters
        ----------
        environment : mapping of str to str, optional
            In place of `os.environ`. `XG2LAB_FLIGHT` is `when`; `XG2LAB_FLIGHT_DIR` the folder, `xg2lab_flights` in the
            current folder if left out; `XG2LAB_FLIGHT_SLOW_MS`, `XG2LAB_FLIGHT_PROMPTS`, `XG2LAB_FLIGHT_OUTPUTS`,
            `XG2LAB_FLIGHT_TOKENIZER`, `XG2LAB_FLIGHT_MAX_FILES`, `XG2LAB_FLIGHT_MAX_BYTES` and
            `XG2LAB_FLIGHT_MAX_FILE_BYTES` are the other arguments.

        Returns
        -------
        FlightRecorder
            One that is off, if `XG2LAB_FLIGHT` is not set.

        Raises
        ------
        ArgumentError
            A value is none of its choices, or a variable that begins with XG2LAB_FLIGHT is unknown.

        >>> FlightRecorder.from_environment({"XG2LAB_FLIGHT": "slow", "XG2LAB_FLIGHT_SLOW_MS": "5"}).settings.slow_ms
        5.0
        >>> FlightRecorder.from_environment({"XG2LAB_FLIGHT": "yes"})
        Traceback (most recent call last):
        xg2lab.errors.ArgumentError: XG2LAB_FLIGHT is 'yes'
          hint: choose one of off, refusal, slow, always
        """
        return cls(**settings_of(os.environ if environment is None else environment))

    @property
    def is_on(self) -> bool:
        """Whether flights are recorded."""
        return self.settings.when != "off"

    def begin(
        self,
        request_id: str,
        grammar: FlightGrammar,
        tokenizer_info: TokenizerInfo,
        engine: str = "xg2lab",
        host: str = "",
        model: str = "",
        prompt_ids: Sequence[int] | None = None,
        *,
        compiled: CompiledGrammar | None = None,
        engine_options: EngineOptions | None = None,
    ) -> Flight:
        """Begin a flight.

        Parameters
        ----------
        request_id : str
            The host's name of the request.
        grammar : FlightGrammar
            The grammar as the request gave it.
        tokenizer_info : TokenizerInfo
            The vocabulary of the ids.
        engine : str
            What makes the masks: "xg2lab", or another engine's name.
        host : str
            What runs the model: "vllm", "sglang", "serve", "hf".
        model : str
            The model's name.
        prompt_ids : sequence of int, optional
            The prompt's tokens. They are dropped at once unless the recorder keeps prompts.
        compiled : CompiledGrammar, optional
            The grammar, compiled by this engine: redaction then need not compile it again.
        engine_options : EngineOptions, optional
            The options that the grammar was compiled with, if `compiled` is not given.

        Returns
        -------
        Flight
            Of a recorder that is off: one that records nothing.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
        >>> FlightRecorder(None).begin("one", FlightGrammar("regex", "a"), info).is_recorded
        False
        """
        if not self.is_on:
            return _SILENT
        instance(grammar, FlightGrammar, "grammar", "a FlightGrammar")
        options = compiled.options if compiled is not None else engine_options or EngineOptions()
        prompt = self._kept(prompt_ids)
        return self._begun(
            _Facts(
                unicode_text(request_id, "request_id"),
                grammar,
                tokenizer_info,
                engine,
                host,
                model,
                prompt,
                compiled,
                options,
            )
        )

    def begin_compiled(
        self,
        request_id: str,
        compiled: CompiledGrammar,
        *,
        host: str = "",
        model: str = "",
        prompt_ids: Sequence[int] | None = None,
    ) -> Flight:
        """Begin a flight under a grammar that comes compiled: what it was made of is not known.

        Parameters
        ----------
        request_id : str
            The host's name of the request.
        compiled : CompiledGrammar
            The grammar. It is written down only if the flight is written.
        host : str
            What runs the model.
        model : str
            The model's name.
        prompt_ids : sequence of int, optional
            The prompt's tokens, as for `begin`.

        Returns
        -------
        Flight
            As `begin`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo(["a", "</s>"], stop_token_ids=[1])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a"')
        >>> FlightRecorder(None, when="always").begin_compiled("one", compiled).record().grammar.kind
        'compiled'
        """
        if not self.is_on:
            return _SILENT
        name, prompt = unicode_text(request_id, "request_id"), self._kept(prompt_ids)
        info, options = compiled.tokenizer_info, compiled.options
        return self._begun(_Facts(name, None, info, "xg2lab", host, model, prompt, compiled, options))

    def _kept(self, prompt_ids: Sequence[int] | None) -> tuple[int, ...] | None:
        """The prompt, if prompts are kept."""
        if prompt_ids is None or self.settings.prompts != "keep":
            return None
        return tuple(map(_as_id, prompt_ids))

    def _begun(self, facts: _Facts) -> Flight:
        self._writer.count_begun()
        return Flight(self, facts)

    def files(self) -> list[Path]:
        """Return the files of recorders in the folder, the oldest first; of other processes too.

        Returns
        -------
        list of Path
            Empty without a folder.

        >>> FlightRecorder(None).files()
        []
        """
        folder = self._writer.folder
        return [] if folder is None else folder.flights()

    def statistics(self) -> FlightStatistics:
        """Return what the recorder did so far in this process.

        Returns
        -------
        FlightStatistics
            The counts.

        >>> FlightRecorder(None).statistics().n_written
        0
        """
        return self._writer.counts()

    def flush(self) -> None:
        """Wait until all flights that have ended are written.

        >>> FlightRecorder(None).flush()
        """
        self._writer.wait()

    def close(self) -> None:
        """Wait until all flights that have ended are written, and end the writer's thread. A later flight begins one.

        >>> FlightRecorder(None).close()
        """
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        settings = self.settings
        return f"FlightRecorder({str(settings.directory) if settings.directory else None!r}, when={settings.when!r})"

    def _ended(self, flight: Flight) -> None:
        """Decide whether a flight is written. Called once a flight, by `Flight.end`."""
        settings, facts = self.settings, flight._facts  # pyright: ignore[reportPrivateUsage]
        if facts is None or settings.directory is None:
            return
        was_refused = flight._refused is not None or flight.reason in ("refused", "error")  # pyright: ignore[reportPrivateUsage]
        is_written = {
            "always": True,
            "refusal": was_refused,
            "slow": settings.when == "slow" and flight._is_slow(settings.slow_ms * 1000),  # pyright: ignore[reportPrivateUsage]
        }
        if is_written.get(settings.when, False):
            self._writer.put(flight, facts)


@dataclass(frozen=True)
class _Facts:
    """What `begin` was told."""

    request_id: str
    grammar: FlightGrammar | None  # None: `compiled` is all that is known
    tokenizer_info: TokenizerInfo
    engine: str
    host: str
    model: str
    prompt_ids: tuple[int, ...] | None
    compiled: CompiledGrammar | None
    engine_options: EngineOptions

    def changed_options(self) -> dict[str, Any]:
        """The options that are not the default."""
        values = ((option.name, getattr(self.engine_options, option.name)) for option in fields(EngineOptions))
        return {name: value for name, value in values if value != getattr(EngineOptions, name)}

    def compiled_grammar(self, compiler: GrammarCompiler | None) -> CompiledGrammar:
        """The grammar, compiled again if it was not given."""
        if self.compiled is not None:
            return self.compiled
        return self.as_given().compile(compiler or self.compiler())

    def as_given(self) -> FlightGrammar:
        """The grammar for the file."""
        if self.grammar is not None:
            return self.grammar
        assert self.compiled is not None  # `begin_compiled` was given it
        return FlightGrammar.of_compiled(self.compiled)

    def compiler(self) -> GrammarCompiler:
        """A compiler as the grammar's own, which keeps few grammars."""
        return GrammarCompiler(self.tokenizer_info, options=self.engine_options, cache_limit_bytes=_CACHE_BYTES)


class _Silent(Flight):
    """The flight of a recorder that is off."""

    __slots__ = ()

    def masked(self, nanoseconds: int) -> None:
        pass

    def accepted(self, token_ids: Iterable[int]) -> None:
        pass

    def rolled_back(self, n_tokens: int) -> None:
        pass

    def refused(self, token_id: int) -> None:
        pass

    def end(self, reason: str) -> None:
        pass


_SILENT = _Silent(None, None)


# ---- The writer's thread ------------------------------------------------------------------------


class _Writer:
    """The queue, the thread that empties it, and the folder. It knows no recorder, so that one can be dropped."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        directory = settings.directory
        self.folder = (
            None
            if directory is None
            else FlightFolder(directory, max_files=settings.max_files, max_bytes=settings.max_bytes)
        )
        self._n_begun = self._n_written = self._n_lost = self._n_lost_told = self._number = 0
        self._last_error = ""
        self._compiler: GrammarCompiler | None = None  # of the tokenizer and the options that came last
        self._shapes: Shapes | None = None
        self._begin()
        _WRITERS.add(self)

    def _begin(self) -> None:
        """A queue and no thread: at first, and in a child process."""
        self._tasks: SimpleQueue[Any] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._turn = threading.RLock()

    def after_fork(self) -> None:
        """Begin anew in a child process: the parent writes what was in the queue."""
        self._begin()
        self._n_begun = self._n_written = self._n_lost = self._n_lost_told = 0

    def counts(self) -> FlightStatistics:
        n_removed = 0 if self.folder is None else self.folder.n_removed
        return FlightStatistics(self._n_begun, self._n_written, self._n_lost, n_removed, self._last_error)

    # ---- In the callers' threads ----

    def count_begun(self) -> None:
        with self._turn:
            self._n_begun += 1

    def put(self, flight: Flight, facts: _Facts) -> None:
        """Hand a flight over. `SimpleQueue.put` may be called from a finalizer, in the middle of another put."""
        with self._turn:
            if self._tasks.qsize() >= _MOST_WAITING:
                self._lose(f"{_MOST_WAITING} flights wait for the writer")
                return
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, args=(self._tasks,), name="xg2lab-flight-writer", daemon=True
                )
                self._thread.start()
            self._tasks.put((flight, facts))

    def wait(self, seconds: float | None = None) -> None:
        """Wait until what is in the queue now is written, `seconds` at most."""
        thread, done = self._thread, threading.Event()
        if thread is not None and thread is not threading.current_thread():
            self._tasks.put(done)
            done.wait(seconds)

    def close(self) -> None:
        """Wait, and end the thread."""
        with self._turn:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._tasks.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def stop(self) -> None:
        """End the thread when its queue is empty; don't wait."""
        with self._turn:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._tasks.put(None)

    # ---- In the writer's thread ----

    def _run(self, tasks: SimpleQueue[Any]) -> None:
        while (task := tasks.get()) is not None:
            if isinstance(task, threading.Event):
                task.set()
                continue
            try:
                self._write(*task)
            except Exception as error:  # noqa: BLE001 (the host's requests go on, whatever fails here)
                self._lose(f"{type(error).__name__}: {error}"[:500])
            del task

    def _write(self, flight: Flight, facts: _Facts) -> None:
        folder, settings = self.folder, self.settings
        if folder is None:
            return
        record = flight._raw(facts)  # pyright: ignore[reportPrivateUsage]
        if settings.outputs == "redact":
            record = self._redacted(record, facts)
        if settings.tokenizer == "store":
            self._store_tokenizer(folder, facts.tokenizer_info, record.tokenizer.fingerprint)
        n_lost = self._n_lost
        data = self._fitting(replace(record, why=settings.when, n_lost=n_lost - self._n_lost_told))
        if data is None:
            self._lose(f"the file of {facts.request_id[:60]!r} would have more than {settings.max_file_bytes} bytes")
            return
        self._number += 1
        begun = flight._begun  # pyright: ignore[reportPrivateUsage]
        folder.write(flight_name(begun, os.getpid(), self._number, facts.request_id), data)
        self._n_written += 1
        self._n_lost_told = n_lost

    def _store_tokenizer(self, folder: FlightFolder, info: TokenizerInfo, name: str) -> None:
        file = file_name(name)
        if not (folder.path / file).exists() and not folder.write_once(file, packed(info)):
            _log.warning("the tokenizer is not stored: it is larger than half of max_bytes")

    def _redacted(self, record: FlightRecord, facts: _Facts) -> FlightRecord:
        """The record with its free text replaced; without its output, where the grammar can't say what is free."""
        info = facts.tokenizer_info
        compiler = self._compiler
        if compiler is None or compiler.tokenizer_info is not info or compiler.options != facts.engine_options:
            self._compiler = compiler = facts.compiler()
        if self._shapes is None or self._shapes.tokenizer_info is not info:
            self._shapes = Shapes(info)
        try:
            return _redacted(record, facts.compiled_grammar(compiler), self._shapes)
        except Xg2LabError as error:
            _log.warning("the output of flight %r is withheld: %s", facts.request_id, error)
        refused = None if record.refused is None else replace(record.refused, token_id=None)
        return replace(record, output_ids=None, outputs="withheld", refused=refused)

    def _fitting(self, record: FlightRecord) -> bytes | None:
        """The file's bytes, with what has room."""
        short = replace(record, times=replace(record.times, steps=(), us=()))
        for candidate in (record, short, replace(short, prompt_ids=None, rollbacks=())):
            data = candidate.packed()
            if len(data) <= min(self.settings.max_file_bytes, self.settings.max_bytes):
                return data
        return None

    def _lose(self, why: str) -> None:
        with self._turn:
            self._n_lost += 1
            self._last_error = why
        _log.warning("a flight is lost: %s", why)


_WRITERS: weakref.WeakSet[_Writer] = weakref.WeakSet()


def _begin_in_child() -> None:
    for writer in list(_WRITERS):
        writer.after_fork()


def _end_with_interpreter() -> None:
    for writer in list(_WRITERS):
        writer.wait(_EXIT_SECONDS)


atexit.register(_end_with_interpreter)
if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_begin_in_child)


# ---- Parts of a record --------------------------------------------------------------------------


def _redacted(record: FlightRecord, compiled: CompiledGrammar, shapes: Shapes) -> FlightRecord:
    """The record with its free text replaced."""
    refused = record.refused
    pair = None if refused is None or refused.token_id is None else (refused.step, refused.token_id)
    found = redact(compiled, shapes.tokenizer_info, record.output_ids or (), pair, shapes=shapes)
    return replace(
        record,
        output_ids=found.ids,
        outputs="redacted",
        refused=None if refused is None else replace(refused, token_id=found.refused),
        n_replaced=found.n_replaced,
        n_free=found.n_free,
    )


def _summed(before: MaskTimes | None, pairs: list[int]) -> MaskTimes:
    """Times of masks: earlier ones, and nanoseconds and steps in turns."""
    before = before or MaskTimes()
    nanoseconds, steps = pairs[0 : len(pairs) // 2 * 2 : 2], pairs[1::2]
    us = [round(max(0.0, one / 1000), 1) for one in nanoseconds]
    slowest = heapq.nlargest(_N_SLOWEST, (*before.slowest, *zip(steps, us, strict=True)), key=lambda pair: pair[1])
    n_more = max(0, _MOST_TIMES - len(before.us))
    return MaskTimes(
        before.count + len(us),
        round(before.total_us + sum(us), 1),
        max([before.max_us, *us]),
        tuple(slowest),
        (*before.steps, *steps[:n_more]),
        (*before.us, *us[:n_more]),
    )


def _as_id(token_id: Any) -> int:
    """A token as it is recorded. No vocabulary has ids beyond the bound: those are refused in any case."""
    return max(-_MOST_ID, min(_MOST_ID - 1, int(token_id)))


def _versions() -> dict[str, str]:
    import xg2lab

    known = {"xg2lab": xg2lab.__version__, "python": platform.python_version()}
    for name in _HOSTS:
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            known[name] = str(version)[:60]
    return known
