"""What became of each keyword of a JSON Schema, at its place in the text as its author wrote it.

>>> from xg2lab.sources.readers import READERS
>>> [(one.pointer, one.state) for one in keywords_of(READERS["json_schema"], '{"type": "string", "title": "x"}')]
[('/type', 'enforced'), ('/title', 'annotation')]
"""

from __future__ import annotations

from dataclasses import dataclass

from xg2lab.errors import Xg2LabError
from xg2lab.sources.json_schema import KeywordUse
from xg2lab.sources.readers import Reader
from xg2lab.support.places import JsonPlaces, line_and_column

__all__ = ["Keyword", "keywords_of"]


@dataclass(frozen=True)
class Keyword:
    """What became of a keyword of a JSON Schema, with its place in the text."""

    pointer: str
    keyword: str
    state: str  # enforced, annotation, relaxed, refused
    note: str
    span: tuple[int, int]
    line: int


def keywords_of(reader: Reader, text: str, on_unsupported: str = "error") -> tuple[Keyword, ...]:
    """Each keyword's state. What a strict reading refuses is found by a relaxed one, which leaves just that out."""
    if not reader.is_json:
        return ()
    try:
        relaxed = reader.grammar(text, on_unsupported="relax")
    except Xg2LabError:
        return ()
    refuses = on_unsupported != "relax"
    ours, written = JsonPlaces.of(relaxed.source.encode()), JsonPlaces.of(text.encode())

    def keyword(use: KeywordUse) -> Keyword:
        span = ours.moved(use.span, written)
        state = "refused" if refuses and use.state == "relaxed" else use.state
        return Keyword(use.pointer, use.keyword, state, use.note, span, line_and_column(written.data, span[0])[0])

    return tuple(keyword(use) for use in relaxed.coverage)
