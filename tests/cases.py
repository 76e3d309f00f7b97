"""The table of cases that every engine answers: `tests/cases/*.toml`, read into `Case` and `ErrorCase`.

A case states facts about one grammar::

    [[case]]
    name     = "one-token-crosses-two-rules"
    grammar  = 'root ::= a "]"    a ::= "["'
    accepts  = ["[]"]               # members; accepts_hex, rejects_hex, prefixes_hex where bytes are no text
    rejects  = ["[", "]", "[]]"]    # not members
    prefixes = ["["]                # not members, but beginnings of members
    tokens   = ["[", "]", "[]"]     # id = position; then those of tokens_hex; then one stop token
    masks    = [["[", "[]"], ["]"]] # before, and after "["

Masks: between two masks the first token of the earlier one is accepted. A text stands for every token with
these bytes, "0x.." for bytes in hexadecimal, "<stop>" for the stop token, which the loader appends.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "cases"
STOP = "<stop>"
ERROR_FILE = "errors"
LOOKAHEAD_FILE = "lookaheads"


@dataclass(frozen=True)
class Case:
    """One grammar and what is true of it; `vocabulary[-1]` is the stop token, `masks` hold token ids."""

    file: str
    name: str
    grammar: str
    accepts: list[bytes] = field(default_factory=list[bytes])
    rejects: list[bytes] = field(default_factory=list[bytes])
    prefixes: list[bytes] = field(default_factory=list[bytes])
    vocabulary: list[bytes] = field(default_factory=list[bytes])
    masks: list[set[int]] = field(default_factory=list[set[int]])
    path: list[int] = field(default_factory=list[int])

    @property
    def stop_token(self) -> int:
        """The id of the stop token."""
        return len(self.vocabulary) - 1

    def __str__(self) -> str:
        return f"{self.file}/{self.name}"


@dataclass(frozen=True)
class ErrorCase:
    """A malformed grammar and the place (1-based line, column) and code of each of its mistakes."""

    name: str
    grammar: str
    errors: list[tuple[int, int, str]]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class LookaheadCase:
    """A grammar with one assertion, on `rule`: whether it is kept, and if not by which text, and what is said."""

    name: str
    grammar: str
    rule: str
    kind: str  # "kept", "broken" or "open"
    code: str  # of what is said; nothing is if the assertion is kept
    message: str
    text: bytes
    is_end: bool

    def __str__(self) -> str:
        return self.name


def load_cases(file: str | None = None) -> list[Case]:
    """All cases, or those of `tests/cases/<file>.toml`."""
    paths = [FOLDER / f"{file}.toml"] if file else sorted(FOLDER.glob("*.toml"))
    return [
        read_case(path.stem, row)
        for path in paths
        if path.stem not in (ERROR_FILE, LOOKAHEAD_FILE)
        for row in read_rows(path)
    ]


def load_error_cases() -> list[ErrorCase]:
    """The malformed grammars of `tests/cases/errors.toml`."""
    return [
        ErrorCase(row["name"], row["grammar"], [(e["line"], e["column"], e["code"]) for e in row["errors"]])
        for row in read_rows(FOLDER / f"{ERROR_FILE}.toml")
    ]


def load_lookahead_cases() -> list[LookaheadCase]:
    """The promises of `tests/cases/lookaheads.toml`."""
    defaults = {"code": "", "message": "", "text": "", "is_end": False}
    return [
        LookaheadCase(**{**defaults, **row, "text": row.get("text", "").encode()})
        for row in read_rows(FOLDER / f"{LOOKAHEAD_FILE}.toml")
    ]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The `[[case]]` tables of a file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["case"]


def read_case(file: str, row: dict[str, Any]) -> Case:
    """Resolve texts and hexadecimal to bytes, masks to token ids; a word the table does not know is refused."""
    known = {"name", "grammar", "masks"} | {
        f"{what}{form}" for what in ("accepts", "rejects", "prefixes", "tokens") for form in ("", "_hex")
    }
    if not row.keys() <= known:
        raise ValueError(f"{file}/{row['name']}: unknown fields {sorted(row.keys() - known)}")
    vocabulary = [*read_bytes(row, "tokens"), STOP.encode()]
    masks = [[ids_of(text, vocabulary) for text in mask] for mask in row.get("masks", [])]
    return Case(
        file=file,
        name=row["name"],
        grammar=row["grammar"],
        accepts=read_bytes(row, "accepts"),
        rejects=read_bytes(row, "rejects"),
        prefixes=read_bytes(row, "prefixes"),
        vocabulary=vocabulary,
        masks=[{token for ids in mask for token in ids} for mask in masks],
        path=[mask[0][0] for mask in masks[:-1]],
    )


def read_bytes(row: dict[str, Any], key: str) -> list[bytes]:
    """The texts of a field, then its hexadecimal ones."""
    return [text.encode() for text in row.get(key, [])] + [bytes.fromhex(text) for text in row.get(f"{key}_hex", [])]


def ids_of(text: str, vocabulary: list[bytes]) -> list[int]:
    """The tokens that a word of a mask stands for: at least one."""
    data = bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()
    ids = [token for token, token_bytes in enumerate(vocabulary) if token_bytes == data]
    if not ids:
        raise ValueError(f"no token {text!r} in the vocabulary")
    return ids
