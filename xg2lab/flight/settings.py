"""The settings of a recorder, and the environment variables that give them.

>>> settings_of({"XG2LAB_FLIGHT": "always", "XG2LAB_FLIGHT_DIR": "/tmp/flights", "HOME": "/root"})
{'directory': '/tmp/flights', 'when': 'always'}
>>> settings_of({})
{'directory': 'xg2lab_flights'}

A server has several processes, and its own arguments: variables reach all of them.

See also: docs/flight.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from xg2lab.errors import ArgumentError
from xg2lab.support.arguments import shown

__all__ = ["PROMPTS", "TOKENIZERS", "WHEN", "WRITTEN", "Settings", "choice", "milliseconds", "settings_of"]

WHEN = ("off", "refusal", "slow", "always")
PROMPTS = ("omit", "keep")
WRITTEN = ("redact", "keep")
TOKENIZERS = ("store", "fingerprint")

_PREFIX = "XG2LAB_FLIGHT"
_WORDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("when", WHEN),
    "_PROMPTS": ("prompts", PROMPTS),
    "_OUTPUTS": ("outputs", WRITTEN),
    "_TOKENIZER": ("tokenizer", TOKENIZERS),
}
_COUNTS = {"_MAX_FILES": "max_files", "_MAX_BYTES": "max_bytes", "_MAX_FILE_BYTES": "max_file_bytes"}
_OTHERS = {"_DIR": "directory", "_SLOW_MS": "slow_ms"}


@dataclass(frozen=True)
class Settings:
    """The settings of a recorder, checked."""

    directory: Path | None
    when: str
    slow_ms: float
    max_files: int
    max_bytes: int
    max_file_bytes: int
    prompts: str
    outputs: str
    tokenizer: str


def settings_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of `FlightRecorder` that the variables give.

    Raises ArgumentError, which names the variable and its choices. An empty variable counts as not set.
    """
    given: dict[str, Any] = {"directory": "xg2lab_flights"}
    for name, value in environment.items():
        if not name.startswith(_PREFIX) or not value:
            continue
        rest = name.removeprefix(_PREFIX)
        if rest in _WORDS:
            argument, words = _WORDS[rest]
            given[argument] = choice(name, value, words)
        elif rest in _COUNTS:
            given[_COUNTS[rest]] = _count(name, value)
        elif rest == "_SLOW_MS":
            given["slow_ms"] = milliseconds(name, _number(value))
        elif rest == "_DIR":
            given["directory"] = value
        else:
            known = [_PREFIX + one for one in (*_WORDS, *_COUNTS, *_OTHERS)]
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"the variables are {', '.join(known)}"
            raise ArgumentError(f"there is no variable {name:.60}", hint=hint)
    return given


def _count(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 19) or int(value) < 1:
        raise ArgumentError(f"{name} is {value!r:.60}", hint="give a whole number, at least 1")
    return int(value)


def _number(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value


def choice(name: str, value: object, words: tuple[str, ...]) -> str:
    """One of a setting's words. Raises ArgumentError, which lists them, for anything else."""
    if not isinstance(value, str) or value not in words:
        raise ArgumentError(f"{name} is {shown(value):.60}", hint=f"choose one of {', '.join(words)}")
    return value


def milliseconds(name: str, value: object) -> float:
    """A time. Raises ArgumentError for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise ArgumentError(f"{name} is {shown(value):.60}", hint="give milliseconds above 0, as 20")
    return float(value)
