r"""A JSON text as a tree of places, also while it has mistakes, and what stands at a caret.

>>> tree = JsonTree.of(b'{"type": "object", "properties": {"a": {"ty')
>>> place = tree.at(43)
>>> place.path, place.is_key, place.typed
(('properties', 'a'), True, 'ty')
>>> tree = JsonTree.of(b'{"a": [1, {"b": tr')
>>> tree.at(18).path, tree.at(18).is_key, tree.at(18).typed
(('a', 1, 'b'), False, 'tr')

IDEA
  A caret is in a text that is being written: brackets are missing, a string is open, commas are forgotten. So each
  lexeme is put where it most likely belongs: a string behind `{` or `,` of an object is a name, a closing bracket
  closes the innermost value, and what is open at the end ends there. No such text is JSON; the reader
  (`xg2lab.support.json_text`) decides that.

COST  Linear in the text; nothing is read below `MOST_DEPTH`.

See also: `xg2lab.support.places`, which does the same for texts that are JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from xg2lab.editing.records import Span

__all__ = ["Caret", "JsonNode", "JsonTree", "Path", "Step"]

MOST_DEPTH = 500  # as the reader's: deeper texts are refused
LEXEME = re.compile(rb'//[^\n]*|("(?:[^"\\\n]|\\.)*"?)|([{\[])|([}\]])|(,)|(:)|([^\s{}\[\],:"]+)')

Step = str | int
Path = tuple[Step, ...]


@dataclass
class JsonNode:
    """A value: where it is, the name or the index it has in `parent`, and the values in it."""

    kind: Literal["object", "array", "string", "other"]
    span: Span
    step: Step
    key_span: Span | None
    parent: JsonNode | None
    children: list[JsonNode] = field(default_factory=list["JsonNode"])
    is_closed: bool = True

    @property
    def path(self) -> Path:
        """The names and indices from the root to this value."""
        steps: list[Step] = []
        node: JsonNode = self
        while node.parent is not None:
            steps.append(node.step)
            node = node.parent
        return tuple(reversed(steps))

    @property
    def begin(self) -> int:
        """The first byte of the value with its name."""
        return self.span[0] if self.key_span is None else self.key_span[0]

    def child(self, step: Step) -> JsonNode | None:
        """The value of that name or index; of several of one name the first."""
        return next((child for child in self.children if child.step == step), None)

    def walk(self) -> Iterator[JsonNode]:
        """The value and all in it, in the order of the text."""
        agenda: list[JsonNode] = [self]
        while agenda:
            here = agenda.pop()
            yield here
            agenda += reversed(here.children)


@dataclass(frozen=True)
class Caret:
    """What stands at a place of the text.

    Attributes
    ----------
    path : tuple of str or int
        The steps from the root to the value at this place. At a name, the steps to the object that has the name.
    is_key : bool
        Whether a name stands here, or would.
    typed : str
        The part of the word before the caret, without a quotation mark.
    span : tuple of (int, int)
        The whole word, with its quotation marks; empty if there is none.
    holder : JsonNode or None
        The innermost object or array around the place.
    has_colon : bool
        Of a name, whether a colon follows it.
    is_quoted : bool
        Whether the word begins with a quotation mark.
    """

    path: Path
    is_key: bool
    typed: str
    span: Span
    holder: JsonNode | None
    has_colon: bool = False
    is_quoted: bool = False


class JsonTree:
    """All places of a JSON text."""

    def __init__(self, data: bytes, root: JsonNode | None) -> None:
        self.data = data
        self.root = root

    @classmethod
    def of(cls, data: bytes) -> JsonTree:
        """Read a text."""
        return _Reading(data).read()

    def text(self, node: JsonNode) -> str:
        """The string that a node is; "" for another value, and for a string that can't be read."""
        return _string(self.data[slice(*node.span)]) if node.kind == "string" else ""

    def find(self, path: Path) -> JsonNode | None:
        """The value at a path."""
        node = self.root
        for step in path:
            node = None if node is None else node.child(step)
        return node

    def around(self, offset: int) -> JsonNode | None:
        """The innermost value at a byte, or the one whose name is there."""
        node = self.root
        if node is None or not node.begin <= offset <= node.span[1]:
            return None
        while True:
            inner = next((one for one in node.children if one.begin <= offset <= one.span[1]), None)
            if inner is None:
                return node
            node = inner

    def at(self, offset: int) -> Caret:
        """What stands, or would stand, at a byte."""
        node = self.around(offset)
        if node is None:
            return Caret((), False, "", (offset, offset), None)
        if node.key_span is not None and node.key_span[0] <= offset <= node.key_span[1] and node.parent is not None:
            return self._word(node.parent.path, True, node.key_span, offset, node.parent, self._has_colon(node))
        if node.kind in ("string", "other"):
            return self._word(node.path, False, node.span, offset, node.parent)
        return self._between(node, offset)

    def _has_colon(self, node: JsonNode) -> bool:
        return node.key_span is not None and self.data[node.key_span[1] :].lstrip().startswith(b":")

    def _between(self, node: JsonNode, offset: int) -> Caret:
        """Within an object or array, at none of its values."""
        before = self.data[node.span[0] : offset].rstrip()
        if node.kind == "array":
            index = sum(child.span[1] <= offset for child in node.children)
            return Caret((*node.path, index), False, "", (offset, offset), node)
        last = next((child for child in reversed(node.children) if child.begin < offset), None)
        if last is not None and before.endswith(b":"):
            return Caret(last.path, False, "", (offset, offset), node)
        return Caret(node.path, True, "", (offset, offset), node)

    def _word(
        self, path: Path, is_key: bool, span: Span, offset: int, holder: JsonNode | None, has_colon: bool = False
    ) -> Caret:
        if span[1] <= span[0]:
            return Caret(path, is_key, "", (offset, offset), holder, has_colon)
        typed = self.data[span[0] : max(span[0], offset)].decode("utf-8", "replace")
        is_quoted = self.data[span[0] : span[0] + 1] == b'"'
        return Caret(path, is_key, typed.removeprefix('"'), span, holder, has_colon, is_quoted)


def _string(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text.strip('"')
    return value if isinstance(value, str) else text


class _Reading:
    """One pass over the lexemes, with the open values on a stack."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.root: JsonNode | None = None
        self.open: list[JsonNode] = []
        self.key: Span | None = None
        self.has_colon = False

    def read(self) -> JsonTree:
        n_skipped = 0  # open brackets below MOST_DEPTH
        for found in LEXEME.finditer(self.data):
            text, opening, closing, comma, colon, _ = found.groups()
            if n_skipped:
                n_skipped += bool(opening) - bool(closing)
                continue
            if opening and len(self.open) >= MOST_DEPTH:
                n_skipped = 1
            elif opening:
                node = self._add("object" if opening == b"{" else "array", found.span())
                node.is_closed = False
                self.open.append(node)
            elif closing:
                self._close(found.end())
            elif comma:
                self._drop_key(found.start())
            elif colon:
                self.has_colon = self.key is not None
            elif text and self._is_key():
                self._drop_key(found.start())
                self.key = found.span()
            elif not found[0].startswith(b"//"):
                self._add("string" if text else "other", found.span())
        end = len(self.data)
        self._drop_key(end)
        for node in self.open:
            node.span = node.span[0], end
        return JsonTree(self.data, self.root)

    def _is_key(self) -> bool:
        return bool(self.open) and self.open[-1].kind == "object" and not (self.key is not None and self.has_colon)

    def _drop_key(self, at: int) -> None:
        """A name without a value gets an empty one, so that its place is known."""
        if self.key is not None:
            end = at if self.has_colon else self.key[1]
            self._add("other", (end, end))

    def _add(self, kind: Literal["object", "array", "string", "other"], span: Span) -> JsonNode:
        parent = self.open[-1] if self.open else None
        step: Step = 0 if parent is None else len(parent.children)
        if self.key is not None:
            step = _string(self.data[slice(*self.key)])
        node = JsonNode(kind, span, step, self.key, parent)
        self.key, self.has_colon = None, False
        if parent is not None:
            parent.children.append(node)
        elif self.root is None:
            self.root = node
        return node

    def _close(self, end: int) -> None:
        self._drop_key(end - 1)
        if self.open:
            node = self.open.pop()
            node.span = node.span[0], end
            node.is_closed = True
