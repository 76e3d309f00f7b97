r"""A flight as a session: what a server recorded of a request, replayed so that every view works.

>>> import tempfile
>>> import xg2lab as xgr
>>> from xg2lab.flight import FlightGrammar, FlightRecorder
>>> info = xgr.TokenizerInfo(["[", "]", "1", "x", "</s>"], stop_token_ids=[4])
>>> recorder = FlightRecorder(tempfile.mkdtemp(), when="refusal")
>>> flight = recorder.begin("request-7", FlightGrammar("ebnf", 'root ::= "[" [0-9]+ "]"'), info)
>>> flight.accepted([0, 2])
>>> flight.refused(3)
>>> flight.end("refused")
>>> recorder.close()
>>> session = open_flight(recorder.files()[0])
>>> session.text, session.selection["token"]
('[1', 3)
>>> print(session.replayed)
blocked at step 2, byte 2: token 3 'x' (rejected_by_cache)
  It breaks at byte 1 of 1 (x): expected [0-9\]].
  line 1:14: root ::= "[" [0-9]+ "]"
  2 of 3 tokens were accepted: '[1'

The grammar is compiled as the server compiled it, and the ids are taken one by one up to the refused one. Limits of
time and memory are not those of the file, which can come from anywhere, but the defaults.

See also: `xg2lab.flight`, docs/flight.md; `Session.replay`, which does the same for ids alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import ArgumentError, DeserializeFormatError, LimitError, VocabularyError
from xg2lab.flight import FlightRecord, fingerprint, tokenizer_beside
from xg2lab.lab.model.runner import Runner
from xg2lab.lab.session.session import Session
from xg2lab.options import EngineOptions
from xg2lab.support.interruptible import interruptible
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["of_flight", "open_flight"]

#: Of an output.
_MOST_REPLAYED, _USUAL_TOKENS = 100_000, 2000
#: Of the slowest masks, how many get a note, and the least that they took, in microseconds.
_N_NOTED, _NOTED_US = 3, 1000.0
_MOST_LETTERS = 60
_OPTIONS = frozenset(option.name for option in fields(EngineOptions))
#: How a request ended, in words.
_ENDED = {
    "stop": "The request ended with a stop token.",
    "length": "The request ended at its longest output.",
    "refused": "The request ended because the grammar refused a token.",
    "aborted": "The request was aborted.",
    "error": "The request ended with an error.",
    None: "The request was still being written.",
}
_OUTPUTS = {
    "redacted": "Free text of the output was replaced before it was written; states and masks are those of the output.",
    "withheld": "The output is not in the file: it could not be redacted.",
}


def open_flight(
    path: str | os.PathLike[str],
    tokenizer_info: TokenizerInfo | None = None,
    *,
    model: Runner | str | Path | None = None,
    options: EngineOptions | None = None,
) -> Session:
    """Open the file of a request that a server recorded.

    Parameters
    ----------
    path : str or path
        The file, `*.xgflight`.
    tokenizer_info : TokenizerInfo, optional
        The tokenizer that the server had. If left out, it is read from the flight's folder, where recorders store it.
    model : Runner, str or Path, optional
        A model that reads the prompt and the output too, as for `Session`, so that the views show its probabilities.
    options : EngineOptions, optional
        The compiler's options. If left out, those of the file, with the default limits.

    Returns
    -------
    Session
        It stands at the refused token, which is selected and diagnosed (`replayed`); at the end of the output, if none
        was refused. The three slowest masks have a note at their step if they took a
        millisecond; `trace.notes` has the facts of the request.

    Raises
    ------
    VocabularyError
        The tokenizer is not the flight's, or there is none: the message has both fingerprints.
    DeserializeFormatError, DeserializeVersionError, LimitError
        The file is damaged, too large, or of another version.
    Xg2LabError
        The grammar can't be compiled.
    OSError
        The file can't be read.

    >>> try:
    ...     open_flight("no such.xgflight")
    ... except FileNotFoundError as error:
    ...     print(error.strerror)
    No such file or directory

    See also: docs/flight.md.
    """
    record = FlightRecord.load(path)
    wanted = record.tokenizer.fingerprint
    info = tokenizer_info or tokenizer_beside(path, wanted)
    if info is None:
        raise VocabularyError(
            f"the flight's tokenizer has the fingerprint {wanted:.64}, and no tokenizer-{wanted:.64}.json.gz is beside"
            " the file",
            hint="pass tokenizer_info=TokenizerInfo.from_huggingface(...) of the model that was served",
        )
    return of_flight(record, info, model=model, options=options)


def of_flight(
    record: FlightRecord,
    tokenizer_info: TokenizerInfo,
    *,
    model: Runner | str | Path | None = None,
    options: EngineOptions | None = None,
) -> Session:
    """Make a session of a flight's record, also of a request that is still being written.

    Parameters
    ----------
    record : FlightRecord
        The record.
    tokenizer_info : TokenizerInfo
        The tokenizer that the server had.
    model, options
        As for `open_flight`.

    Returns
    -------
    Session
        As `open_flight`.

    Raises
    ------
    VocabularyError, Xg2LabError
        As `open_flight`.

    >>> import xg2lab as xgr
    >>> from xg2lab.flight import FlightGrammar, FlightRecorder
    >>> info = xgr.TokenizerInfo(["a", "b", "</s>"], stop_token_ids=[2])
    >>> flight = FlightRecorder(None, when="always", outputs="keep").begin("one", FlightGrammar("regex", "[ab]+"), info)
    >>> flight.accepted([0, 1])
    >>> of_flight(flight.record(), info).text
    'ab'
    """
    found = fingerprint(tokenizer_info)
    if found != record.tokenizer.fingerprint:
        raise VocabularyError(
            f"the tokenizer has the fingerprint {found}, that of the flight is {record.tokenizer.fingerprint:.64}",
            hint="pass the TokenizerInfo of the model that was served, with the same vocab_size and stop tokens",
        )
    compiler = GrammarCompiler(tokenizer_info, options=_options(record) if options is None else options)
    compiled = interruptible(lambda: _compiled(record, compiler))
    ids = record.all_ids
    if len(ids) > _MOST_REPLAYED:
        raise LimitError(
            f"the flight's output has {len(ids)} tokens, and a session of a flight takes {_MOST_REPLAYED}",
            hint="diagnose(compiled, FlightRecord.load(path).all_ids) has no such limit",
        )
    session = Session(
        compiled,
        tokenizer_info,
        model,
        prompt=_prompt(record, tokenizer_info),
        name=f"flight {record.request_id[:_MOST_LETTERS]}",
        max_tokens=max(_USUAL_TOKENS, len(ids) + 1),
    )
    if ids:
        session.replay(ids)
    for sentence in _facts(record):
        session.trace.note(sentence)
    n_steps = len(session.trace.steps)
    for step, us in record.times.slowest[:_N_NOTED]:
        if step < n_steps and us >= _NOTED_US:
            session.annotate(f"The server's mask took {us / 1000:.3f} ms here.", step=step)
    return session


def _compiled(record: FlightRecord, compiler: GrammarCompiler) -> Any:
    try:
        return record.grammar.compile(compiler)
    except TypeError as error:  # an option's value, which only the compiler knows
        raise DeserializeFormatError(
            f"the options of the flight's grammar can't be used: {error}"[:300],
            hint="the file was changed: copy it again",
            pointer="/grammar/options",
        ) from error


def _options(record: FlightRecord) -> EngineOptions:
    """The options of the file; of limits, none beyond the default."""
    options: dict[str, Any] = {}
    for name, value in record.engine_options.items():
        if name not in _OPTIONS:
            raise _unusable(name, f"there is no engine option {name:.60}")
        is_below = type(value) in (int, float) and 0 < value < getattr(EngineOptions, name)
        if is_below or not name.startswith("max_"):
            options[name] = value
    try:
        return EngineOptions(**options)
    except ArgumentError as error:
        raise _unusable(str(error.pointer or ""), error.message) from error


def _unusable(name: str, message: str) -> DeserializeFormatError:
    hint = "pass options=EngineOptions(...) to open it with others"
    return DeserializeFormatError(message, hint=hint, pointer=f"/engine_options/{name:.60}".rstrip("/"))


def _prompt(record: FlightRecord, info: TokenizerInfo) -> str:
    """The prompt's text, as far as it was recorded."""
    data: Callable[[int], bytes] = info.vocabulary.bytes
    known = [token_id for token_id in record.prompt_ids or () if 0 <= token_id < info.vocab_size]
    return b"".join(map(data, known)).decode("utf-8", "replace")


def _facts(record: FlightRecord) -> list[str]:
    """What the file says beyond the tokens, in sentences."""
    by = " ".join(f"{name} {version}".strip() for name, version in sorted(record.versions.items()))
    host, model = record.host or "a program", f", model {record.model}" if record.model else ""
    facts = [
        f"Request {record.request_id!r:.80} of {host}{model}, begun {record.started}, masks by {record.engine} ({by}).",
        _ENDED[record.end],
    ]
    if record.outputs in _OUTPUTS:
        facts.append(_OUTPUTS[record.outputs])
    times = record.times
    if times.count:
        mean = times.total_us / times.count
        facts.append(f"{times.count} masks took {mean:.1f} µs each on the server, the slowest {times.max_us:.1f} µs.")
    if record.n_rollbacks:
        facts.append(f"Tokens were taken back {record.n_rollbacks} times; the output is what was left.")
    return facts
