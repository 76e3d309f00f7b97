"""The record of one flight: what its file holds, and the check of a file from outside.

>>> grammar = FlightGrammar("regex", "[0-9]+")
>>> record = FlightRecord("request-7", "2026-11-26T23:00:00.000000Z", grammar, FlightTokenizer("0" * 32, 5, 0, (4,)))
>>> FlightRecord.from_json(record.to_json()) == record
True
>>> record.end is None   # the request is still being written
True

A file is this JSON, packed by gzip. A file can come from anywhere: each field is checked for its type and its range,
and the error names the field by its JSON Pointer. A packed file is read up to a bound.

Units: times of masks are microseconds, numbers of steps count the accepted tokens before.

See also: docs/design/0058-flight-recorder.md.
"""

from __future__ import annotations

import gzip
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, LimitError
from xg2lab.flight.grammars import FlightGrammar, given
from xg2lab.support.files import GZIP, read_file
from xg2lab.support.json_text import check_size

__all__ = ["ENDS", "FORMAT", "VERSION", "FlightRecord", "FlightTokenizer", "MaskTimes", "Refused", "is_flight"]

FORMAT = "xg2lab.flight"
VERSION = 1
#: How a request ends.
ENDS = ("stop", "length", "refused", "aborted", "error")
#: What a file says of its output ids.
OUTPUTS = ("kept", "redacted", "withheld")
#: Why a file was written.
WHY = ("", "refusal", "slow", "always")
#: Of a file, unpacked.
MOST_BYTES = 64 << 20
#: Of lists, and of numbers that count.
MOST_IDS, MOST_COUNT = 1 << 22, 1 << 53
_MOST_ID = 1 << 31
_MOST_MICROSECONDS = 1e15
_MOST_TOKENS = 1 << 24
_HINT = "give a .xgflight file that a FlightRecorder wrote"

T = TypeVar("T")


@dataclass(frozen=True)
class FlightTokenizer:
    """Which tokenizer the ids are of.

    Parameters
    ----------
    fingerprint : str
        What `xg2lab.flight.fingerprint` returned.
    vocab_size : int
        Width of the model's logits, in tokens.
    vocab_type : int
        `VocabType` as a number.
    stop_token_ids : tuple of int
        Tokens that end a text.

    >>> FlightTokenizer("0" * 32, 5, 0, (4,)).vocab_size
    5
    """

    fingerprint: str
    vocab_size: int
    vocab_type: int
    stop_token_ids: tuple[int, ...]


@dataclass(frozen=True)
class Refused:
    """A token that the grammar refused.

    Parameters
    ----------
    step : int
        The number of tokens accepted before it.
    token_id : int or None
        The token; None if it is withheld.

    >>> Refused(2, 7).step
    2
    """

    step: int
    token_id: int | None


@dataclass(frozen=True)
class MaskTimes:
    """Times of a flight's masks, in microseconds.

    Parameters
    ----------
    count : int
        The number of masks.
    total_us, max_us : float
        All masks together, and the slowest.
    slowest : tuple of (int, float)
        Step and time of the slowest masks, the slowest first.
    steps : tuple of int
        The step of each mask, in order; empty if the times are left out of the file.
    us : tuple of float
        The time of each mask of `steps`.

    >>> MaskTimes(1, 2.5, 2.5, ((0, 2.5),), (0,), (2.5,)).max_us
    2.5
    """

    count: int = 0
    total_us: float = 0.0
    max_us: float = 0.0
    slowest: tuple[tuple[int, float], ...] = ()
    steps: tuple[int, ...] = ()
    us: tuple[float, ...] = ()


@dataclass(frozen=True)
class FlightRecord:
    """What is known of one request.

    Parameters
    ----------
    request_id : str
        The host's name of the request.
    started : str
        When it began: UTC, as in ISO 8601.
    grammar : FlightGrammar
        The grammar as it was given.
    tokenizer : FlightTokenizer
        The tokenizer.
    engine, host, model : str
        What made the masks, what ran the model, and the model's name; each may be empty.
    versions : mapping of str to str
        Versions of xg2lab, of Python, of the host.
    engine_options : mapping of str to JSON values
        The fields of `EngineOptions` that were not the default.
    prompt_ids : tuple of int or None
        The prompt's tokens; None if they are not recorded, which is the default.
    output_ids : tuple of int or None
        The accepted tokens; None if they are withheld.
    outputs : str
        "kept", "redacted", or "withheld": what `output_ids` holds.
    n_output : int
        The number of accepted tokens.
    n_replaced, n_free : int
        With "redacted": the number of tokens that were replaced, and of tokens with free text that were not, because no
        other token leads to the same state of the grammar.
    refused : Refused or None
        The first token that the grammar refused and that was not taken back.
    rollbacks : tuple of (int, int)
        The number of tokens before each rollback, and how many were taken back; the first 4,096.
    n_rollbacks : int
        The number of rollbacks.
    times : MaskTimes
        Times of the masks.
    end : str or None
        One of `ENDS`; None while the request is being written.
    why : str
        The setting that had the file written: "refusal", "slow" or "always"; empty for a record that is no file.
    n_lost : int
        The number of earlier flights of this recorder that should have been written and were not.

    >>> grammar = FlightGrammar("regex", "[0-9]+")
    >>> tokenizer = FlightTokenizer("0" * 32, 5, 0, (4,))
    >>> begun = "2026-11-26T23:00:00.000000Z"
    >>> record = FlightRecord("request-7", begun, grammar, tokenizer, output_ids=(0, 1), n_output=2)
    >>> record.all_ids
    (0, 1)
    """

    request_id: str
    started: str
    grammar: FlightGrammar
    tokenizer: FlightTokenizer
    engine: str = "xg2lab"
    host: str = ""
    model: str = ""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    engine_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    prompt_ids: tuple[int, ...] | None = None
    output_ids: tuple[int, ...] | None = ()
    outputs: str = "kept"
    n_output: int = 0
    n_replaced: int = 0
    n_free: int = 0
    refused: Refused | None = None
    rollbacks: tuple[tuple[int, int], ...] = ()
    n_rollbacks: int = 0
    times: MaskTimes = field(default_factory=MaskTimes)
    end: str | None = None
    why: str = ""
    n_lost: int = 0

    @property
    def all_ids(self) -> tuple[int, ...]:
        """The accepted tokens up to the refused one, and that one; all accepted tokens where none was refused."""
        ids = self.output_ids or ()
        refused = self.refused
        if refused is None or refused.token_id is None or refused.step > len(ids):
            return ids
        return (*ids[: refused.step], refused.token_id)

    # ---- Written ----

    def to_wire(self) -> dict[str, Any]:
        """Return the record as JSON values.

        Returns
        -------
        dict
            What `from_wire` reads.

        >>> grammar, tokenizer = FlightGrammar("regex", "a"), FlightTokenizer("0" * 32, 5, 0, ())
        >>> FlightRecord("r", "2026-11-26T23:00:00.000000Z", grammar, tokenizer).to_wire()["format"]
        'xg2lab.flight'
        """
        times, tokenizer, refused = self.times, self.tokenizer, self.refused
        return {
            "format": FORMAT,
            "version": VERSION,
            "request_id": self.request_id,
            "started": self.started,
            "grammar": {
                "kind": self.grammar.kind,
                "text": self.grammar.text,
                "options": dict(self.grammar.options),
            },
            "tokenizer": {
                "fingerprint": tokenizer.fingerprint,
                "vocab_size": tokenizer.vocab_size,
                "vocab_type": tokenizer.vocab_type,
                "stop_token_ids": list(tokenizer.stop_token_ids),
            },
            "engine": self.engine,
            "host": self.host,
            "model": self.model,
            "versions": dict(self.versions),
            "engine_options": dict(self.engine_options),
            "prompt_ids": None if self.prompt_ids is None else list(self.prompt_ids),
            "output_ids": None if self.output_ids is None else list(self.output_ids),
            "outputs": self.outputs,
            "n_output": self.n_output,
            "n_replaced": self.n_replaced,
            "n_free": self.n_free,
            "refused": None if refused is None else {"step": refused.step, "token_id": refused.token_id},
            "rollbacks": [list(pair) for pair in self.rollbacks],
            "n_rollbacks": self.n_rollbacks,
            "times": {
                "count": times.count,
                "total_us": times.total_us,
                "max_us": times.max_us,
                "slowest": [list(pair) for pair in times.slowest],
                "steps": list(times.steps),
                "us": list(times.us),
            },
            "end": self.end,
            "why": self.why,
            "n_lost": self.n_lost,
        }

    def to_json(self) -> str:
        """Write the record as JSON, also of a request that is still being written.

        Returns
        -------
        str
            One line.

        >>> grammar, tokenizer = FlightGrammar("regex", "a"), FlightTokenizer("0" * 32, 5, 0, ())
        >>> FlightRecord("r", "2026-11-26T23:00:00.000000Z", grammar, tokenizer).to_json()[:26]
        '{"format":"xg2lab.flight",'
        """
        return json.dumps(self.to_wire(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def packed(self) -> bytes:
        """Return the bytes of the record's file.

        Returns
        -------
        bytes
            The JSON, packed by gzip. Equal records have equal bytes.

        >>> grammar, tokenizer = FlightGrammar("regex", "a"), FlightTokenizer("0" * 32, 5, 0, ())
        >>> is_flight(FlightRecord("r", "2026-11-26T23:00:00.000000Z", grammar, tokenizer).packed())
        True
        """
        return gzip.compress(self.to_json().encode(), mtime=0)

    # ---- Read ----

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> FlightRecord:
        """Read a flight's file.

        Parameters
        ----------
        path : str or path
            The file.
        max_bytes : int
            The most bytes that are read, and unpacked.

        Returns
        -------
        FlightRecord
            The record.

        Raises
        ------
        DeserializeFormatError, DeserializeVersionError, LimitError
            As `from_json`.
        OSError
            The file can't be read.

        >>> import tempfile
        >>> from xg2lab.support.files import write_file
        >>> grammar, tokenizer = FlightGrammar("regex", "a"), FlightTokenizer("0" * 32, 5, 0, ())
        >>> record = FlightRecord("r", "2026-11-26T23:00:00.000000Z", grammar, tokenizer)
        >>> path = write_file(tempfile.mkdtemp() + "/one.xgflight", record.packed())
        >>> FlightRecord.load(path).request_id
        'r'
        """
        return cls.from_json(read_file(path, max_bytes), name=Path(path).name)

    @classmethod
    def from_json(cls, data: str | bytes, *, name: str = "the text") -> FlightRecord:
        """Read what `to_json` wrote.

        Parameters
        ----------
        data : str or bytes
            JSON; bytes are UTF-8.
        name : str
            What errors call it.

        Returns
        -------
        FlightRecord
            It equals the record that was written.

        Raises
        ------
        DeserializeFormatError
            The text is no record, or is damaged. `pointer` is the JSON Pointer of the field.
        DeserializeVersionError
            The record has another version.
        LimitError
            The JSON's values would take too much memory.

        >>> try:
        ...     FlightRecord.from_json('{"format": "xg2lab.flight", "version": 1, "request_id": 5}')
        ... except DeserializeFormatError as error:
        ...     print(error.pointer, error.message)
        /request_id /request_id is an int, not a text
        """
        try:
            check_size(data)
            wire = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise DeserializeFormatError(f"{name} is no flight: {error}"[:200], hint=_HINT) from error
        return cls.from_wire(wire)

    @classmethod
    def from_wire(cls, value: object) -> FlightRecord:
        """Read what `to_wire` returned.

        Parameters
        ----------
        value : dict
            JSON values.

        Returns
        -------
        FlightRecord
            The record.

        Raises
        ------
        DeserializeFormatError, DeserializeVersionError
            As `from_json`.

        >>> grammar, tokenizer = FlightGrammar("regex", "a"), FlightTokenizer("0" * 32, 5, 0, ())
        >>> record = FlightRecord("r", "2026-11-26T23:00:00.000000Z", grammar, tokenizer)
        >>> FlightRecord.from_wire(record.to_wire()) == record
        True
        """
        if not isinstance(value, dict):
            raise _wrong("", "an object", value)
        wire = _Fields(cast("dict[str, object]", value), "")
        if wire.values.get("format") != FORMAT:
            raise DeserializeFormatError(
                f"this JSON is not a flight: its format is not {FORMAT!r}", hint=_HINT, pointer="/format"
            )
        version = wire.values.get("version")
        if type(version) is not int or version != VERSION:
            named = version if type(version) is int and abs(version) < MOST_COUNT else "unknown"
            raise DeserializeVersionError(
                f"the flight is of version {named}, this xg2lab reads {VERSION}",
                pointer="/version",
                hint="read it with the xg2lab that wrote it",
            )
        record = cls(
            request_id=wire.of("request_id", _text),
            started=wire.of("started", _text),
            grammar=wire.of("grammar", _grammar),
            tokenizer=wire.of("tokenizer", _tokenizer),
            engine=wire.of("engine", _text),
            host=wire.of("host", _text),
            model=wire.of("model", _text),
            versions=wire.of("versions", _versions),
            engine_options=wire.of("engine_options", _options),
            prompt_ids=wire.of("prompt_ids", _maybe(_ids)),
            output_ids=wire.of("output_ids", _maybe(_ids)),
            outputs=wire.of("outputs", _one_of(OUTPUTS)),
            n_output=wire.of("n_output", _count),
            n_replaced=wire.of("n_replaced", _count),
            n_free=wire.of("n_free", _count),
            refused=wire.of("refused", _maybe(_refused)),
            rollbacks=wire.of("rollbacks", _list(_pair(_count, _count))),
            n_rollbacks=wire.of("n_rollbacks", _count),
            times=wire.of("times", _times),
            end=wire.of("end", _maybe(_one_of(ENDS))),
            why=wire.of("why", _one_of(WHY)),
            n_lost=wire.of("n_lost", _count),
        )
        _check_agreement(record)
        return record


def is_flight(data: bytes) -> bool:
    """Return whether a file's bytes, packed or not, look like those of a flight. `from_json` tells for sure.

    Parameters
    ----------
    data : bytes
        The beginning of the file, at least.

    Returns
    -------
    bool
        Whether the JSON begins as that of a flight does.

    >>> is_flight(b'{"format": "xg2lab.flight"'), is_flight(b'{"version": 1}')
    (True, False)
    """
    import zlib

    if data[:2] == GZIP:
        try:
            data = zlib.decompressobj(wbits=31).decompress(data[: 1 << 12], 256)
        except zlib.error:
            return False
    begin = data[:256].replace(b" ", b"").replace(b"\n", b"")
    return begin.startswith(f'{{"format":"{FORMAT}"'.encode())


# ---- Checks: a function of a value and its pointer, which returns the value or raises ----------


@dataclass(frozen=True)
class _Fields:
    values: dict[str, object]
    pointer: str

    def of(self, name: str, check: Callable[[object, str], T]) -> T:
        pointer = f"{self.pointer}/{name}"
        if name not in self.values:
            raise DeserializeFormatError(f"{pointer} is missing", hint=_HINT, pointer=pointer)
        return check(self.values[name], pointer)


def _wrong(pointer: str, wanted: str, value: object) -> DeserializeFormatError:
    kind = {"NoneType": "null", "dict": "an object", "list": "a list", "str": "a text", "int": "an int"}
    is_number = type(value) in (int, float) and abs(cast("float", value)) < MOST_COUNT
    shown = repr(value) if is_number or isinstance(value, bool) else kind.get(type(value).__name__, "a value")
    if wanted == "a text":
        shown = kind.get(type(value).__name__, shown)
    return DeserializeFormatError(f"{pointer or 'the value'} is {shown}, not {wanted}", hint=_HINT, pointer=pointer)


def _text(value: object, pointer: str) -> str:
    if type(value) is not str:
        raise _wrong(pointer, "a text", value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DeserializeFormatError(
            f"{pointer} holds half of a surrogate pair", hint="the file was changed: copy it again", pointer=pointer
        ) from error
    return value


def _whole(least: int, most: int) -> Callable[[object, str], int]:
    def check(value: object, pointer: str) -> int:
        if type(value) is not int or not least <= value <= most:
            raise _wrong(pointer, f"a whole number from {least} to {most}", value)
        return value

    return check


_count = _whole(0, MOST_COUNT)
_id = _whole(-_MOST_ID, _MOST_ID - 1)  # what a host passed as a token, in the vocabulary or not


def _microseconds(value: object, pointer: str) -> float:
    if type(value) not in (int, float):
        raise _wrong(pointer, "a time in microseconds", value)
    number = float(cast("float", value)) if abs(cast("float", value)) <= _MOST_MICROSECONDS else math.nan
    if not 0 <= number <= _MOST_MICROSECONDS:
        raise _wrong(pointer, "a time in microseconds", value)
    return number


def _maybe(check: Callable[[object, str], T]) -> Callable[[object, str], T | None]:
    return lambda value, pointer: None if value is None else check(value, pointer)


def _one_of(words: tuple[str, ...]) -> Callable[[object, str], str]:
    def check(value: object, pointer: str) -> str:
        if type(value) is not str or value not in words:
            raise _wrong(pointer, f"one of {', '.join(words)}", value)
        return value

    return check


def _list(check: Callable[[object, str], T]) -> Callable[[object, str], tuple[T, ...]]:
    def check_all(value: object, pointer: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _wrong(pointer, "a list", value)
        items = cast("list[object]", value)
        if len(items) > MOST_IDS:
            raise LimitError(f"{pointer} has {len(items)} items", hint=f"a flight has at most {MOST_IDS}")
        return tuple(check(item, f"{pointer}/{index}") for index, item in enumerate(items))

    return check_all


_ids = _list(_id)
S = TypeVar("S")


def _pair(
    first: Callable[[object, str], T], second: Callable[[object, str], S]
) -> Callable[[object, str], tuple[T, S]]:
    def check(value: object, pointer: str) -> tuple[T, S]:
        if not isinstance(value, list) or len(cast("list[object]", value)) != 2:
            raise _wrong(pointer, "a list of two", value)
        a, b = cast("list[object]", value)
        return first(a, f"{pointer}/0"), second(b, f"{pointer}/1")

    return check


def _fields(value: object, pointer: str) -> _Fields:
    if not isinstance(value, dict):
        raise _wrong(pointer, "an object", value)
    return _Fields(cast("dict[str, object]", value), pointer)


def _grammar(value: object, pointer: str) -> FlightGrammar:
    fields = _fields(value, pointer)
    options = fields.of("options", _fields).values
    return given(fields.of("kind", _text), fields.of("text", _text), options)


def _tokenizer(value: object, pointer: str) -> FlightTokenizer:
    fields = _fields(value, pointer)
    return FlightTokenizer(
        fields.of("fingerprint", _text),
        fields.of("vocab_size", _whole(0, _MOST_TOKENS)),
        fields.of("vocab_type", _whole(0, 255)),
        fields.of("stop_token_ids", _ids),
    )


def _versions(value: object, pointer: str) -> dict[str, str]:
    return {name: _text(version, f"{pointer}/{name}") for name, version in _fields(value, pointer).values.items()}


def _options(value: object, pointer: str) -> dict[str, Any]:
    options = _fields(value, pointer).values
    for name, option in options.items():
        if type(option) not in (bool, int, float, str):
            raise _wrong(f"{pointer}/{name}", "a switch, a number or a word", option)
    return cast("dict[str, Any]", options)


def _refused(value: object, pointer: str) -> Refused:
    fields = _fields(value, pointer)
    return Refused(fields.of("step", _count), fields.of("token_id", _maybe(_id)))


def _times(value: object, pointer: str) -> MaskTimes:
    fields = _fields(value, pointer)
    times = MaskTimes(
        fields.of("count", _count),
        fields.of("total_us", _microseconds),
        fields.of("max_us", _microseconds),
        fields.of("slowest", _list(_pair(_count, _microseconds))),
        fields.of("steps", _list(_count)),
        fields.of("us", _list(_microseconds)),
    )
    if len(times.steps) != len(times.us):
        message = f"{pointer} has {len(times.steps)} steps and {len(times.us)} times"
        raise DeserializeFormatError(message, hint=_HINT, pointer=pointer)
    return times


def _check_agreement(record: FlightRecord) -> None:
    """Fields that say the same must agree."""
    ids = record.output_ids
    if (ids is None) != (record.outputs == "withheld"):
        state = "are null" if ids is None else "are there"
        message = f"the output is {record.outputs}, and its ids {state}"
        raise DeserializeFormatError(message, hint=_HINT, pointer="/output_ids")
    if ids is not None and len(ids) > record.n_output:
        message = f"/output_ids has {len(ids)} tokens of {record.n_output}"
        raise DeserializeFormatError(message, hint=_HINT, pointer="/output_ids")
    if record.refused is not None and record.refused.step > record.n_output:
        message = f"/refused/step is {record.refused.step}, after {record.n_output} tokens of output"
        raise DeserializeFormatError(message, hint=_HINT, pointer="/refused/step")
