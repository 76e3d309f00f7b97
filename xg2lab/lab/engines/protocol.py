r"""What an engine is: five methods, and the text of a grammar that it compiles.

    compile(source, info)     read a grammar for a vocabulary, and stand at the beginning of the output
    fill(row)                 write the bitmask of the next token
    accept(token_id)          move on by a token; False, and nothing changes, if it is refused
    rollback(n_tokens)        take back the last tokens
    fork()                    an independent copy that stands at the same place

>>> source = EngineSource("regex", "[ab]+")
>>> source.kind, source.options, EngineSource.of({"type": "null"}).text
('regex', {}, '{"type": "null"}')

IDEA
  Engines agree on little more than this. The last two are conveniences: an engine that lacks one raises
  NotImplementedError, and whoever drives it compiles again and accepts the same tokens (`xg2lab.lab.engines.host`). A
  grammar that an engine does not read is a result, which the engine says by raising any exception in `compile`.

Shapes and units: a row is int32[ceil(vocab_size / 32)], least-significant bit first, 1 = allowed.
See also `xg2lab.lab.engines.registry`: the engines that have names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from xg2lab.errors import ArgumentError, Xg2LabError
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["KINDS", "Engine", "EngineError", "EngineSource", "Kind", "Reason", "Row"]

Row = npt.NDArray[np.int32]
Kind = Literal["json_schema", "ebnf", "lark", "regex", "structural_tag"]
Reason = Literal["missing", "refused", "crashed", "timeout", "failed"]

KINDS: tuple[Kind, ...] = ("json_schema", "ebnf", "lark", "regex", "structural_tag")
#: The options of a JSON Schema that engines share, with the standard's own defaults.
SCHEMA_OPTIONS = {"any_whitespace": True, "strict_mode": False}
#: The longest grammar that is handed to an engine.
MOST_TEXT_BYTES = 16 << 20


class EngineError(Xg2LabError):
    """An engine that is missing, refuses a grammar, or fails at its work.

    Parameters
    ----------
    engine : str
        The engine's name.
    reason : str
        "missing", "refused" (it does not read this grammar), "crashed" (its process ended), "timeout" or "failed" (it
        raised an error).
    message : str
        What happened, with the input if there is one.
    hint : str
        What to do about it.

    >>> error = EngineError("mine", "timeout", "compile took more than 5 s")
    >>> error.engine, error.reason, error.message
    ('mine', 'timeout', 'mine: compile took more than 5 s')
    """

    def __init__(self, engine: str, reason: Reason, message: str, *, hint: str = "") -> None:
        super().__init__(f"{engine}: {message}", hint=hint)
        self.engine = engine
        self.reason: Reason = reason


@dataclass(frozen=True)
class EngineSource:
    """A grammar as text, of a kind that several engines read.

    Parameters
    ----------
    kind : str
        "json_schema", "ebnf", "lark", "regex" or "structural_tag".
    text : str
        The grammar; of JSON Schemas and structural tags, their JSON text.
    options : dict of str to JSON values
        How a JSON Schema is read: `strict_mode` (False: undeclared properties are allowed, as the standard says) and
        `any_whitespace` (True). Both defaults are those of JSON Schema.
    root : str
        The rule that a whole output must match, for EBNF and Lark.

    Raises
    ------
    ArgumentError
        There is no such kind, the text is longer than 16 MiB, or an option or a root is given that the kind has not.

    >>> EngineSource("ebnf", 'root ::= "a"').root
    'root'
    """

    kind: Kind
    text: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    root: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ArgumentError(f"there is no kind of grammar {self.kind!r}", hint=f"give one of {', '.join(KINDS)}")
        if len(self.text.encode("utf-8", "surrogatepass")) > MOST_TEXT_BYTES:
            raise ArgumentError(f"the grammar is longer than {MOST_TEXT_BYTES >> 20} MiB", hint="give a shorter one")
        if self.options and self.kind != "json_schema":
            raise ArgumentError(f"a grammar in {self.kind} has no options", hint="they are those of JSON Schemas")
        for name, value in self.options.items():
            if name not in SCHEMA_OPTIONS or not isinstance(value, bool):
                raise ArgumentError(
                    f"{name}={value!r} is no option that several engines have",
                    hint=f"give True or False for {' or '.join(SCHEMA_OPTIONS)}",
                )
        if self.kind not in ("ebnf", "lark") and self.root not in ("", "root"):
            raise ArgumentError(
                f"a grammar in {self.kind} has no rule {self.root!r} to begin with", hint="leave root out"
            )
        if not self.root:
            object.__setattr__(self, "root", "start" if self.kind == "lark" else "root")

    @classmethod
    def of(cls, grammar: EngineSource | str | Mapping[str, Any], kind: Kind | None = None) -> EngineSource:
        """Make a source of a text or of a JSON Schema's values.

        Parameters
        ----------
        grammar : EngineSource, str or dict
            A dict is a JSON Schema, or a structural tag if its `format` is a dict.
        kind : str, optional
            The kind of a text; EBNF if left out.

        Returns
        -------
        EngineSource
            The source; one that was given, unchanged.

        >>> EngineSource.of('root ::= "a"').kind, EngineSource.of({"format": {"type": "any_text"}}).kind
        ('ebnf', 'structural_tag')
        """
        if isinstance(grammar, EngineSource):
            return grammar
        if isinstance(grammar, str):
            return cls(kind or "ebnf", grammar)
        is_tag = isinstance(grammar.get("format"), Mapping)
        try:
            text = json.dumps(grammar, ensure_ascii=False)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"the schema is not made of JSON values: {error}", hint="give its JSON text") from error
        return cls(kind or ("structural_tag" if is_tag else "json_schema"), text)

    @property
    def schema_options(self) -> dict[str, Any]:
        """The options of a JSON Schema, with the standard's defaults for those that were not given."""
        return {**SCHEMA_OPTIONS, **self.options}

    def plain(self) -> tuple[str, str, dict[str, Any], str]:
        """The source as plain values, for another process."""
        return self.kind, self.text, dict(self.options), self.root

    @classmethod
    def from_plain(cls, plain: tuple[str, str, dict[str, Any], str]) -> EngineSource:
        """The source that `plain` was made of."""
        kind, text, options, root = plain
        return cls(cast("Kind", kind), text, options, root)


@runtime_checkable
class Engine(Protocol):
    """An engine for constrained decoding. An object with these members can be compared, audited, and step a session.

    Attributes
    ----------
    name : str
        The name that reports show.
    version : str
        The version that was installed; "" if unknown.

    >>> class Letters:  # a whole engine: a fixed number of letters, then the end
    ...     name, version = "letters", "1"
    ...     def compile(self, source, info):
    ...         self.info, self.left = info, int(source.text)
    ...     def fill(self, row):
    ...         row[:] = 0
    ...         for k, data in enumerate(self.info.decoded_vocab):
    ...             is_stop = k in self.info.stop_token_ids
    ...             if (self.left == 0) if is_stop else (data.isalpha() and len(data) <= self.left):
    ...                 row[k // 32] |= np.uint32(1 << k % 32).astype(np.int32)
    ...     def accept(self, token_id):
    ...         row = np.zeros((len(self.info.decoded_vocab) + 31) // 32, np.int32)
    ...         self.fill(row)
    ...         if not int(row[token_id // 32]) >> (token_id % 32) & 1:
    ...             return False
    ...         self.left -= 0 if token_id in self.info.stop_token_ids else len(self.info.decoded_vocab[token_id])
    ...         return True
    ...     def rollback(self, n_tokens):
    ...         raise NotImplementedError
    ...     def fork(self):
    ...         raise NotImplementedError
    >>> isinstance(Letters(), Engine)
    True
    """

    name: str
    version: str

    def compile(self, source: EngineSource, info: TokenizerInfo) -> None:
        """Read a grammar for a vocabulary, afresh each time, and stand at the beginning of the output.

        Parameters
        ----------
        source : EngineSource
            The grammar.
        info : TokenizerInfo
            The vocabulary.

        Raises
        ------
        Exception
            Of any class: the engine does not read this grammar. The message is the report's.
        """
        ...

    def fill(self, row: Row) -> None:
        """Write the bitmask of the next token.

        Parameters
        ----------
        row : int32[ceil(vocab_size / 32)]
            Zeros, to be written; the caller owns it.
        """
        ...

    def accept(self, token_id: int) -> bool:
        """Move on by a token.

        Parameters
        ----------
        token_id : int
            The token; a stop token ends the output.

        Returns
        -------
        bool
            False if the token is refused. Then nothing has changed.
        """
        ...

    def rollback(self, n_tokens: int) -> None:
        """Take back the last tokens.

        Parameters
        ----------
        n_tokens : int
            At least 1, and no more than were accepted.

        Raises
        ------
        NotImplementedError
            The engine can't: its driver compiles again and accepts what remains.
        """
        ...

    def fork(self) -> Engine:
        """Return an independent copy that stands at the same place.

        Returns
        -------
        Engine
            The copy.

        Raises
        ------
        NotImplementedError
            The engine can't: its driver compiles another and accepts the same tokens.
        """
        ...
