"""Public threads about engines for constrained decoding as cases: `tests/cases/threads/*.toml`, one file a thread.

    thread  = "owner/repository#number"     the thread that reports it
    symptom = "..."                         what went wrong there
    right   = "..."                         what is right
    kind    = "json_schema"                 how the grammar is read
    grammar = "..."                         restated in our own words, as small as it gets
    accepts = [...]   rejects = [...]       whole texts
    refused_after = [[text, more]]          after a whole text `more` is refused, and nothing changes
    is_refused = true                       the grammar itself has to be refused
    lints = [...]                           codes that `xg2lab.lint` gives

In grammars and texts `@600*x@` stands for 600 times x, and `@NAMES@` for a choice of as many names as `names` says.

>>> expanded("<@3*ab@>"), expanded("@NAMES@", 2)
('<ababab>', '"amber_anchor_0" | "amber_orbit_1"')
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from xg2lab.lab.engines import EngineSource

FOLDER = Path(__file__).parent / "cases" / "threads"
FIRST, SECOND = ("amber", "cobalt", "delta", "ember", "fjord"), ("anchor", "orbit", "signal", "meridian")


@dataclass(frozen=True)
class ThreadCase:
    """One thread, and what is true of its grammar."""

    thread: str
    url: str
    title: str
    symptom: str
    right: str
    source: EngineSource
    accepts: list[str] = field(default_factory=list[str])
    rejects: list[str] = field(default_factory=list[str])
    refused_after: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    lints: list[str] = field(default_factory=list[str])
    is_refused: bool = False

    def __str__(self) -> str:
        return self.thread.partition("/")[2]


def name(number: int) -> str:
    """The name of a number: five words by four, and the number itself."""
    return f"{FIRST[number // 2 % 5]}_{SECOND[number % 2 + 2 * (number // 10 % 2)]}_{number}"


def expanded(text: str, names: int = 0) -> str:
    """A text with its abbreviations written out."""
    text = text.replace("@NAMES@", " | ".join(f'"{name(number)}"' for number in range(names)))
    return re.sub(r"@(\d+)\*([^@]+)@", lambda found: found[2] * int(found[1]), text)


def thread_cases() -> list[ThreadCase]:
    """All cases, in the order of their files' names."""
    found: list[ThreadCase] = []
    for path in sorted(FOLDER.glob("*.toml")):
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        names = facts.pop("names", 0)
        source = EngineSource(facts.pop("kind"), expanded(facts.pop("grammar"), names))
        texts = {key: [expanded(one) for one in facts.pop(key, [])] for key in ("accepts", "rejects")}
        after = [(expanded(text), more) for text, more in facts.pop("refused_after", [])]
        found.append(ThreadCase(source=source, refused_after=after, **texts, **facts))
    return found
