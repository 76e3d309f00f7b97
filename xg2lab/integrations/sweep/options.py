"""What a sweep does with each schema, and its limits.

>>> SweepOptions(what=("compile", "audit")).engines
('xg2lab',)
>>> SweepOptions(what=("complie",))
Traceback (most recent call last):
xg2lab.errors.ArgumentError: a sweep can't do 'complie'
  hint: choose from compile, audit, compare, generate, unconstrained
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from xg2lab.errors import ArgumentError

__all__ = ["WORKS", "SweepOptions"]

#: What a sweep can do with a schema, in the order in which it is done.
WORKS: tuple[str, ...] = ("compile", "audit", "compare", "generate", "unconstrained")
MOST_ENGINES = 8
MOST_SECONDS = 86_400.0
LEAST_MEMORY = 256 << 20  # an interpreter with a large vocabulary


@dataclass(frozen=True)
class SweepOptions:
    """What is done with each schema, by which engines, and within which limits.

    Parameters
    ----------
    what : tuple of str
        "compile" (always done): verdict, coverage, first mask. "audit": every instance token by token, the mask against
        accept. "compare": the masks of all engines laid over each other. "generate": the model writes an instance.
        "unconstrained": it writes one without the grammar.
    engines : tuple of str
        Names of engines, the reference first: "xg2lab", "xgrammar", "llguidance", or "package.module:Class".
    model : str
        The model whose tokenizer is the vocabulary, and which generates: "tiny", a folder, or a Hugging Face id.
    vocabulary : str
        A file that `TokenizerInfo.serialize_json()` was written to, in place of the model's tokenizer.
    seconds : float
        The time limit of one engine on one row, generation included. The row goes on without that engine.
    max_bytes : int
        The longest line of the input, in bytes. A longer one becomes a row with the verdict "too_large".
    memory_bytes : int
        The most memory of a worker's process, in bytes.
    strict_mode : bool
        Whether undeclared properties are forbidden. The standard allows them.
    max_tokens : int
        The longest generated text, in tokens.

    Raises
    ------
    ArgumentError
        A value is outside its bounds.

    >>> SweepOptions(engines=("xg2lab", "xgrammar")).fingerprint == SweepOptions().fingerprint
    False
    """

    what: tuple[str, ...] = ("compile",)
    engines: tuple[str, ...] = ("xg2lab",)
    model: str = "tiny"
    vocabulary: str = ""
    seconds: float = 30.0
    max_bytes: int = 16 << 20
    memory_bytes: int = 4 << 30
    strict_mode: bool = False
    max_tokens: int = 256

    def __post_init__(self) -> None:
        for name in self.what:
            if name not in WORKS:
                raise ArgumentError(f"a sweep can't do {name!r}", hint=f"choose from {', '.join(WORKS)}")
        object.__setattr__(self, "what", tuple(name for name in WORKS if name in {*self.what, "compile"}))
        object.__setattr__(self, "engines", tuple(self.engines))
        if not 1 <= len(self.engines) <= MOST_ENGINES or len({*self.engines}) != len(self.engines):
            raise ArgumentError(
                f"engines={self.engines!r} is not a list of 1 to {MOST_ENGINES} different names",
                hint="put the reference first: xg2lab,xgrammar",
            )
        if "compare" in self.what and len(self.engines) < 2:
            raise ArgumentError(
                f"compare needs two engines, and {', '.join(self.engines)} is alone",
                hint="add --engines xg2lab,xgrammar",
            )
        if {"generate", "unconstrained"} & {*self.what} and self.vocabulary:
            raise ArgumentError("a vocabulary can't generate: only a model can", hint="give --model, no --vocabulary")
        if not 0 < self.seconds <= MOST_SECONDS:
            raise ArgumentError(f"seconds={self.seconds!r} is not between 0 and {MOST_SECONDS:,.0f}")
        if not 1 <= self.max_bytes <= 1 << 30:
            raise ArgumentError(f"max_bytes={self.max_bytes!r} is not between 1 and 1 GiB")
        if self.memory_bytes < LEAST_MEMORY:
            raise ArgumentError(
                f"memory_bytes={self.memory_bytes!r} is too little for a worker",
                hint=f"give at least {LEAST_MEMORY >> 20} MiB",
            )
        if not 1 <= self.max_tokens <= 100_000:
            raise ArgumentError(f"max_tokens={self.max_tokens!r} is not between 1 and 100,000")

    def to_wire(self) -> dict[str, Any]:
        """Return the options as JSON values.

        Returns
        -------
        dict
            One entry a field.

        >>> SweepOptions().to_wire()["what"]
        ['compile']
        """
        return {**asdict(self), "what": list(self.what), "engines": list(self.engines)}

    @classmethod
    def from_wire(cls, values: dict[str, Any]) -> SweepOptions:
        """Return the options that `to_wire` returned.

        Parameters
        ----------
        values : dict
            One entry a field.

        Returns
        -------
        SweepOptions
            Equal to the original.

        >>> SweepOptions.from_wire(SweepOptions(seconds=5.0).to_wire()).seconds
        5.0
        """
        given: dict[str, Any] = {**values, "what": tuple(values["what"]), "engines": tuple(values["engines"])}
        return cls(**given)

    @property
    def fingerprint(self) -> str:
        """A short hash of all options: rows with another one are not continued."""
        text = json.dumps(self.to_wire(), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    def command(self, source: str, only: str = "") -> str:
        """Return the command line that repeats the sweep, or one row of it.

        Parameters
        ----------
        source : str
            The input.
        only : str
            The id of a row; "" for all.

        Returns
        -------
        str
            The command, quoted for a shell.

        >>> SweepOptions(what=("audit",), seconds=5).command("my schemas.jsonl", "c0ffee")
        "xg2lab sweep 'my schemas.jsonl' --only c0ffee --do compile,audit --seconds 5"
        """
        from shlex import quote

        default = SweepOptions()
        words = ["xg2lab", "sweep", quote(source)]
        words += ["--only", only] if only else []
        words += ["--do", ",".join(self.what)] if self.what != default.what else []
        words += ["--engines", quote(",".join(self.engines))] if self.engines != default.engines else []
        for name in ("model", "vocabulary", "seconds", "max_bytes", "memory_bytes", "max_tokens"):
            value = getattr(self, name)
            if value != getattr(default, name):
                words += [f"--{name.replace('_', '-')}", quote(f"{value:g}" if name == "seconds" else str(value))]
        words += ["--strict"] if self.strict_mode else []
        return " ".join(words)
