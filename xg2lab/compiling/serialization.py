"""Compiled grammars written down as JSON text, and read back without being compiled again.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> text = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*').serialize_json()
>>> xgr.GrammarMatcher(xgr.CompiledGrammar.deserialize_json(text, info)).allowed_tokens()
[0]

The text holds the options, the grammar, the program as it was lowered and, on request, the masks made so far; of the
tokenizer only a hash of its contents, by which another one is refused. Equal objects have equal texts.

Nothing in the text is trusted to have our form: what is read is a program on which every invariant holds that the
parser relies on, or a `DeserializeFormatError` with the place. A checksum finds damage, and a sample of the masks is
made again and compared. But it is not compiled again to see whether the program is that of the grammar beside it: read
texts of your own, or of those you would let write the grammar.

Shapes and units: tables of numbers are base64 of 32-bit words, least significant byte first.

See also: `core/program/plain_fields.h`, `core/mask/plain_mask.h`, docs/design/0011-serialization.md and
0038-one-field-list.md.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, cast

from xg2lab.errors import (
    ArgumentTypeError,
    DeserializeFormatError,
    DeserializeVersionError,
    InvalidJSONError,
    LimitError,
    Xg2LabError,
)
from xg2lab.grammar import VERSION, Grammar, grammar_from_tables, grammar_tables
from xg2lab.options import EngineOptions
from xg2lab.support.json_text import check_size

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["FORMAT", "VERSION", "Parts", "compiled_to_json", "get_serialization_version", "located", "parts_from_json"]

FORMAT = "xg2lab.CompiledGrammar"
REMEDY = "use the text that serialize_json() returned, unchanged"


def get_serialization_version() -> str:
    """Return the version in which grammars, tokenizers and compiled grammars are written. Only this version is read.

    Returns
    -------
    str
        The version's number.

    >>> get_serialization_version()
    '2'
    """
    return str(VERSION)


@dataclass(frozen=True)
class Parts:
    """The parts of a compiled grammar. Python has checked their types; the engine checks the rest."""

    options: EngineOptions
    grammar: Grammar
    program: dict[str, Any]
    masks: list[Any]


def compiled_to_json(compiled: CompiledGrammar, *, include_masks: bool) -> str:
    """Write a compiled grammar as JSON text. `CompiledGrammar.serialize_json` is this function."""
    record: dict[str, Any] = {
        "format": FORMAT,
        "__VERSION__": VERSION,
        "tokenizer": facts_of(compiled.tokenizer_info),
        "options": asdict(compiled.options),
        "grammar": grammar_tables(compiled.grammar),
        "program": compiled._program_tables(),  # pyright: ignore[reportPrivateUsage]
    }
    if include_masks:
        record["masks"] = compiled._mask_tables()  # pyright: ignore[reportPrivateUsage]
    return with_checksum(record)


def with_checksum(record: dict[str, Any]) -> str:
    """The record as JSON text, with a checksum of all its fields."""
    text = as_json(record)
    return f'{text[:-1]},"checksum":"{digest(text)}"}}'


def as_json(record: dict[str, Any]) -> str:
    """JSON without spaces; words as base64."""
    return json.dumps(record, separators=(",", ":"), default=base64_text)


def digest(text: str) -> str:
    """32 hexadecimal digits."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def checksum_of(record: dict[str, Any]) -> str:
    """Of all fields but itself, as they are written: 32 hexadecimal digits.

    It finds damage. It does not protect against an attacker, who can write another checksum.
    """
    return digest(as_json({name: value for name, value in record.items() if name != "checksum"}))


def parts_from_json(text: str | bytes, tokenizer_info: TokenizerInfo) -> Parts:
    """Read what `compiled_to_json` wrote for a tokenizer of these contents."""
    record = read_record(text)
    check_whole(record)
    check_tokenizer(member(record, "tokenizer", dict), facts_of(tokenizer_info))
    return Parts(
        read_options(member(record, "options", dict)),
        read_grammar(member(record, "grammar", dict)),
        member(record, "program", dict),
        member({"masks": [], **record}, "masks", list),
    )


def check_whole(record: dict[str, Any], of: str = "grammar") -> None:
    """Refuse a record that was changed. `of` names the object for the hint."""
    try:
        is_whole = record.get("checksum") == checksum_of(record)
    except RecursionError:
        is_whole = False  # nested deeper than anything that is written
    if not is_whole:
        raise DeserializeFormatError(
            "/checksum: the text is damaged: its checksum differs",
            hint=f"copy it again from where it was written, or compile the {of} again",
            pointer="/checksum",
        )


def located(error: Xg2LabError) -> DeserializeFormatError:
    """The engine's refusal, with its place as the error's `pointer`."""
    found = re.match(r"(?:\w+: )?(/\S*): ", error.message)
    message = error.message.split("\n", 1)[0]
    return DeserializeFormatError(message, hint=error.hint or REMEDY, pointer=found.group(1) if found else "/program")


def read_record(text: object, expected: str = FORMAT, of: str = "grammar") -> dict[str, Any]:
    """The JSON object in `text`, if it says that it is of the expected format in our version."""
    if not isinstance(text, (str, bytes)):
        raise ArgumentTypeError(f"text must be str or bytes, not {type(text).__name__}")
    check_size(text)
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidJSONError(f"not JSON: {error}", hint=REMEDY) from error
    if not isinstance(value, dict):
        raise refusal("", "it is not an object")
    record = cast("dict[str, Any]", value)
    if record.get("format") != expected:
        raise refusal("/format", f"{record.get('format')!r:.40} is not {expected!r}")
    if record.get("__VERSION__") != VERSION or isinstance(record["__VERSION__"], bool):
        raise DeserializeVersionError(
            f"this text was written in version {record.get('__VERSION__')!r:.40}; only {VERSION} can be read",
            hint=f"compile the {of} again, and write it with this release of xg2lab",
            pointer="/__VERSION__",
        )
    return record


def facts_of(info: TokenizerInfo) -> dict[str, Any]:
    """Return the hash that identifies a tokenizer, and facts that show how two tokenizers differ."""
    return {
        "content_hash": info.vocabulary.content_hash,
        "vocab_size": info.vocab_size,
        "n_text_tokens": info.vocabulary.n_ranks,
        "stop_token_ids": info.stop_token_ids,
    }


def check_tokenizer(written: dict[str, Any], given: dict[str, Any], of: str = "grammar") -> None:
    """Refuses a tokenizer of other contents."""
    if written.get("content_hash") == given["content_hash"]:
        return
    differences = [
        f"{name} was {written.get(name)!r:.60} and is {value!r:.60}"
        for name, value in given.items()
        if name != "content_hash" and written.get(name) != value
    ]
    told = "; ".join(differences) or "as many tokens, of other bytes or kinds"
    raise DeserializeFormatError(
        f"/tokenizer: the {of} was compiled for a tokenizer of other contents: {told}",
        hint=f"pass the tokenizer info it was compiled with, or compile the {of} for this one",
        pointer="/tokenizer",
    )


def read_options(record: dict[str, Any]) -> EngineOptions:
    """Options, each of the type of its default."""
    for field in fields(EngineOptions):
        if (field.name, record.get(field.name)) == ("partial_jit_k", "auto"):
            continue
        if type(record.get(field.name)) is not type(field.default):
            raise refusal(f"/options/{field.name}", f"it is not of type {type(field.default).__name__}")
        if type(field.default) is int and abs(record[field.name]) >= 1 << 62:
            raise refusal(f"/options/{field.name}", "it is out of range")
    try:
        return EngineOptions(**record)
    except (TypeError, ValueError) as error:
        raise refusal("/options", str(error)) from error


def read_grammar(tables: dict[str, Any]) -> Grammar:
    """The grammar, with its place in what it is refused for."""
    try:
        return grammar_from_tables(tables)
    except LimitError:
        raise
    except (Xg2LabError, TypeError, ValueError, KeyError) as error:
        raise refusal("/grammar", str(error)) from error


def member(record: dict[str, Any], name: str, kind: type) -> Any:
    """A field that must be there and have this type."""
    if not isinstance(record.get(name), kind):
        raise refusal(f"/{name}", f"it is missing or not a {kind.__name__}")
    return record[name]


def base64_text(words: bytes) -> str:
    """Words as base64. The engine reads them in this form too."""
    return base64.b64encode(words).decode("ascii")


def refusal(place: str, what: str) -> DeserializeFormatError:
    """The error for a place in the text."""
    return DeserializeFormatError(f"{place or 'the text'}: {what}", hint=REMEDY, pointer=place)
