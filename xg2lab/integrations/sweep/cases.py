r"""The schemas of a sweep: one line of JSON each, read in a stream, with an id that comes from the content.

>>> case = read_case(b'{"id": "age", "schema": {"type": "integer"}, "tests": [{"data": 3, "valid": true}]}')
>>> case.name, case.schema, case.instances
('age', '{"type": "integer"}', (Instance(text='3', is_valid=True),))
>>> read_case(b'{"type": "string"}').schema
'{"type": "string"}'

A line is a schema with a name and instances, or a schema alone:

    {"id": NAME, "schema": SCHEMA, "tests": [{"data": VALUE, "valid": true}, ...]}     the form of MaskBench
    {"schema": SCHEMA, "valid": [VALUE, ...], "invalid": [VALUE, ...]}
    {"schema": SCHEMA, "prompt": TEXT, "expected": VALUE}                              for generate
    {"question": MESSAGES, "tools": [TOOL, ...], "turns": [[CALL, ...]]}               the same for tool calls (`calls`)
    SCHEMA

IDEA
  The reader of a file splits it into lines and hashes them; it parses nothing. So one process can feed many, and the id
  of a row does not depend on its place in the file. A second line with the same bytes gets the suffix "-2".
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import zlib
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from xg2lab.errors import ArgumentError, DeserializeFormatError, InvalidJSONError
from xg2lab.integrations.sweep.calls import Answers, answers_of, calls_schema, has_tools, request_of

__all__ = ["Case", "Instance", "Line", "count_lines", "read_case", "read_lines"]

_PIECE = 1 << 20
MOST_INSTANCES = 10_000  # of one schema


class Line(NamedTuple):
    """One line of the input: its number from 1, its id, its bytes; `is_cut` if it was longer than the limit."""

    number: int
    id: str
    data: bytes
    is_cut: bool = False


class Instance(NamedTuple):
    """The text of an instance, and whether it is valid; None if the input does not say."""

    text: str
    is_valid: bool | None


@dataclass(frozen=True)
class Case:
    """A parsed line: the schema's text, its instances, and what a model is asked and should answer.

    A request with tools has the schema of a list of calls, and `answers` in place of `expected`.
    """

    name: str
    schema: str
    instances: tuple[Instance, ...] = ()
    prompt: str = ""
    expected: str = ""
    has_calls: bool = False
    answers: Answers | None = None


# ---- Lines ----


def read_lines(source: str | os.PathLike[str], max_bytes: int) -> Iterator[Line]:
    """Yield the lines of a file, or the .json files of a folder in the order of their names.

    Parameters
    ----------
    source : str or path
        A file of lines, as it is or packed by gzip or xz; or a folder.
    max_bytes : int
        The longest line; of a longer one the first bytes are returned.

    Raises
    ------
    ArgumentError
        There is no such file or folder, or it can't be read.
    DeserializeFormatError
        The file is damaged gzip or xz.
    """
    seen: Counter[str] = Counter()
    for number, (data, digest, is_cut) in enumerate(_raw(Path(source), max_bytes), 1):
        seen[digest] += 1
        again = f"-{seen[digest]}" if seen[digest] > 1 else ""
        yield Line(number, digest + again, data, is_cut)


def count_lines(source: str | os.PathLike[str], max_bytes: int) -> int:
    """Return the number of lines that `read_lines` yields; the parameters and errors are its own."""
    return sum(1 for _ in _raw(Path(source), max_bytes))


def _raw(path: Path, max_bytes: int) -> Iterator[tuple[bytes, str, bool]]:
    if path.is_dir():
        names = sorted(found for found in path.iterdir() if found.suffix == ".json" and found.is_file())
        if not names:
            raise ArgumentError(f"the folder {path} has no .json files", hint="give a file with a schema a line")
        for name in names:
            with _opened(name) as file:
                yield _next(file, max_bytes, whole=True) or (b"", _digest(b""), False)
        return
    with _opened(path) as file:
        number = 0
        try:
            while (found := _next(file, max_bytes)) is not None:
                number += 1
                if found[0] or found[2]:
                    yield found
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise DeserializeFormatError(
                f"{path} is damaged after line {number}: {error}", hint="copy the file again"
            ) from error


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror or error}", hint="give a file with a schema a line") from error
    with file:
        head = file.read(6)
        file.seek(0)
        if head[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=file) as packed:
                yield cast("IO[bytes]", packed)
        elif head == b"\xfd7zXZ\0":
            with lzma.LZMAFile(file) as packed:
                yield io.BufferedReader(cast("Any", packed), _PIECE)
        else:
            yield file


def _next(file: IO[bytes], max_bytes: int, *, whole: bool = False) -> tuple[bytes, str, bool] | None:
    """The next line or the whole file, its hash, and whether it was cut; None at the end."""
    data = file.read(max_bytes + 1) if whole else file.readline(max_bytes + 1)
    if not data:
        return None
    is_cut = len(data.rstrip(b"\r\n")) > max_bytes
    if not is_cut:
        stripped = data.strip()
        return stripped, _digest(stripped), False
    hashed = hashlib.blake2b(data, digest_size=8)
    while piece := (file.read(_PIECE) if whole else file.readline(_PIECE)):
        hashed.update(piece)
        if piece.endswith(b"\n") and not whole:
            break
    return data[:max_bytes], hashed.hexdigest(), True


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


# ---- One line as a case ----


def read_case(data: bytes) -> Case:
    """Parse one line.

    Parameters
    ----------
    data : bytes
        A line of the input.

    Returns
    -------
    Case
        Texts of instances are written as `json.dumps(value, ensure_ascii=False)` does.

    Raises
    ------
    InvalidJSONError
        The line is not JSON, or has no schema.

    >>> read_case(b'{"schema": 3}')
    Traceback (most recent call last):
    xg2lab.errors.InvalidJSONError: the schema of this line is 3, not an object, true or false
      hint: write {"id": NAME, "schema": {...}, "tests": [{"data": ..., "valid": true}]}
    """
    try:
        values: Any = json.loads(
            data, object_pairs_hook=_object, parse_float=_number, parse_int=_whole, parse_constant=_constant
        )
    except (ValueError, RecursionError) as error:
        said = "the line is nested too deep" if isinstance(error, RecursionError) else f"the line is not JSON: {error}"
        raise InvalidJSONError(said, hint="write each schema as one line of JSON") from error
    if has_tools(values):
        line = cast("dict[str, Any]", values)
        schema_text = _text(calls_schema(line["tools"]))
        return Case(_name(line), schema_text, prompt=request_of(line), has_calls=True, answers=answers_of(line))
    if not _is_wrapped(values):
        return Case("", _text(_checked(values)))
    wrapped: dict[str, Any] = values
    schema: Any = wrapped["schema"]
    text: str = schema if isinstance(schema, str) else _text(_checked(schema))
    return Case(
        _name(wrapped),
        text,
        tuple(_instances(wrapped)),
        _string(wrapped.get("prompt")),
        _text(wrapped["expected"]) if "expected" in wrapped else "",
    )


def _name(line: dict[str, Any]) -> str:
    return str(line.get("id") or line.get("name") or "")[:200]


def _is_wrapped(values: Any) -> bool:
    """Whether an object is a row with a schema in it. `schema` is no keyword of JSON Schema."""
    return isinstance(values, dict) and "schema" in values and not {"$schema", "properties", "$ref"} & {*values}


def _checked(schema: Any) -> Any:
    if isinstance(schema, (dict, bool)):
        return cast("Any", schema)
    raise InvalidJSONError(
        f"the schema of this line is {json.dumps(schema)[:60]}, not an object, true or false",
        hint='write {"id": NAME, "schema": {...}, "tests": [{"data": ..., "valid": true}]}',
    )


def _instances(wrapped: dict[str, Any]) -> Iterator[Instance]:
    found: list[Instance] = []
    for test in _listed(wrapped, "tests") + _listed(wrapped, "instances"):
        if not isinstance(test, dict) or not {"data", "text"} & {*cast("dict[str, Any]", test)}:
            raise InvalidJSONError(
                f"an instance is {json.dumps(test)[:60]}", hint='write {"data": VALUE, "valid": true}, or "text"'
            )
        one = cast("dict[str, Any]", test)
        text = _string(one["text"]) if "text" in one else _text(one["data"])
        valid = one.get("valid")
        found.append(Instance(text, valid if isinstance(valid, bool) else None))
    for key, is_valid in (("valid", True), ("invalid", False)):
        found += [Instance(_text(value), is_valid) for value in _listed(wrapped, key)]
    if len(found) > MOST_INSTANCES:
        raise InvalidJSONError(f"the schema has {len(found):,} instances", hint=f"give at most {MOST_INSTANCES:,}")
    yield from found


def _listed(wrapped: dict[str, Any], key: str) -> list[Any]:
    values = wrapped.get(key)
    if values is None:
        return []
    if not isinstance(values, list):
        raise InvalidJSONError(f'"{key}" is {json.dumps(values)[:60]}', hint=f'write "{key}": [...]')
    return cast("list[Any]", values)


def _string(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidJSONError(f"{json.dumps(value)[:60]} is no text", hint='write "text" and "prompt" as strings')
    return value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {json.dumps(twice)} occurs twice in one object")
    return values


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:30]} is beyond the range of double precision")
    return value


def _whole(text: str) -> int:
    if len(text) > 4000:
        raise ValueError(f"a number has {len(text):,} digits")
    return int(text)


def _constant(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")
