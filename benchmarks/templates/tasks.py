"""A task: a template, and requests that fill it, each with the text that peers take in its place.

A peer has no templates. It takes each request as a text of its own: EBNF for XGrammar, Lark for llguidance, or the JSON
Schema with the arguments filled in. We take the template, and for comparison the same text as the peers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.texts import Source, Vocabulary

_TEXT = (
    "revenue growth rate customer segment quarterly increase operational efficiency market share supply chain café "
    "forecast margin region naïve estimate product line demand 2024 price index review summary total cost"
)
WORDS = _TEXT.split()


@dataclass(frozen=True)
class Request:
    """The arguments of one request, its grammar as text, and a text that the grammar takes.

    `grammars` has the grammar in each shape that it can be written in: a `Source`, or a JSON Schema where the task is
    one of schemas. `tokens` end before the stop token.
    """

    arguments: dict[str, Any]
    grammars: dict[str, Source | dict[str, Any]]
    tokens: list[int]
    n_bytes: int


@dataclass(frozen=True)
class Task:
    """One template and its requests by number.

    `template` is EBNF with slots, or a JSON Schema with slots. `element` is a request of one element, where the task
    has elements. `n` is the number of sections, ids or schemas; `kind` says which targets are meant: "outlines" or
    "json".
    """

    name: str
    kind: str
    n: int
    words: Vocabulary
    template: str | dict[str, Any]
    request: Callable[[int], Request]
    element: Request | None = None


@dataclass(frozen=True)
class Special:
    """A special token within a reference text or a literal."""

    name: str


Parts = Sequence[str | Special]


def tokens_of(words: Vocabulary, parts: Parts, special: dict[str, int]) -> tuple[list[int], int]:
    """The tokens of a reference text, and how many bytes of text are in it.

    Text between two special tokens is tokenized as one piece, so its tokens may cross the edges of the grammar.
    """
    ids: list[int] = []
    n_bytes = 0
    for part in joined(parts):
        if isinstance(part, Special):
            ids.append(special[part.name])
        else:
            ids += words.encoding.encode_ordinary(part)
            n_bytes += len(part.encode())
    return ids, n_bytes


def joined(parts: Parts) -> list[str | Special]:
    """The parts with neighbouring texts made one.

    >>> joined(["a", "b", Special("x"), "c"])
    ['ab', Special(name='x'), 'c']
    """
    found: list[str | Special] = []
    for part in parts:
        if found and isinstance(part, str) and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return found


def literal(text: str) -> str:
    r"""A literal of printable characters, as EBNF and Lark both write it.

    >>> print(literal('<p id="a">'))
    "<p id=\"a\">"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
