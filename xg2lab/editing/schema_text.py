r"""A JSON Schema in an editor: keywords, types, formats, references, names of properties.

>>> schema = SchemaText(JsonTree.of(b'{"type": "string", "$defs": {"a": {}}, "anyOf": [{"$ref": "#/$defs/a"}], "fo'))
>>> [word.label for word in schema.completions(76)][:3]
['format', 'maxLength', 'minLength']
>>> schema.definition(60), schema.references(30)
((29, 32), [(29, 32), (58, 69)])
>>> [edit.text for edit in schema.rename(30, "b c")]
['"b c"', '"#/$defs/b%20c"']

IDEA
  Going down from the root, each keyword's shape says what its value holds: a schema, schemas by name, names of
  properties. So every value of the text has a role, and a caret has the role of the place that it is at. Values that
  are data (`enum`, `default`) hold no schemas, whatever they look like.

A schema may be a part of the text, as in a structural tag: `root` is where it begins, which its references begin at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from xg2lab.editing.json_tree import Caret, JsonNode, JsonTree
from xg2lab.editing.records import Completion, Edit, Fold, Hover, Span, Symbol, SymbolKind, WordKind
from xg2lab.editing.snippets import SNIPPETS, Snippet
from xg2lab.errors import ArgumentError
from xg2lab.sources.schema_words import FORMATS, KEYWORDS, REFUSED_FORMATS, TYPES, KeywordWord, Shape

if TYPE_CHECKING:
    from xg2lab.lints.keywords import Keyword

__all__ = ["Role", "SchemaText", "json_folds", "json_symbols", "word_span"]

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
#: The beginning of a value by the shape of its keyword, as a snippet.
VALUES: dict[Shape, str] = {
    "schema": "{$0}",
    "map": "{$0}",
    "list": "[$0]",
    "types": '"${1:string}"',
    "names": '["${1:name}"]',
    "lists": "{$0}",
    "values": "[$0]",
    "value": "$0",
    "number": "${1:0}",
    "count": "${1:0}",
    "flag": "${1:true}",
    "text": '"${1:text}"',
    "format": '"${1:date}"',
    "pattern": '"${1:^[a-z]+\\$}"',
    "reference": '"${1:#/\\$defs/name}"',
}
MOST_SHOWN = 300  # characters of a referred schema in a hover


@dataclass(frozen=True)
class Role:
    """What a value is: a schema, or the value of `keyword` in the schema `of`, or a name or type within one."""

    shape: Shape
    keyword: str = ""
    of: JsonNode | None = None


SCHEMA = Role("schema")
DATA = Role("value")


class SchemaText:
    """One schema."""

    def __init__(self, tree: JsonTree, root: JsonNode | None = None) -> None:
        self.tree = tree
        self.root = tree.root if root is None else root

    @cached_property
    def _roles(self) -> dict[int, Role]:
        """By `id` of a node, its role."""
        found: dict[int, Role] = {}
        agenda: list[tuple[JsonNode, Role]] = [] if self.root is None else [(self.root, SCHEMA)]
        while agenda:
            node, role = agenda.pop()
            found[id(node)] = role
            agenda += [(child, self._role_in(node, role, child)) for child in node.children]
        return found

    def _role_in(self, node: JsonNode, role: Role, child: JsonNode) -> Role:
        return self._role_at(node, role, child.step, child)

    def _role_at(self, node: JsonNode, role: Role, step: str | int, child: JsonNode | None) -> Role:
        """The role of what is, or would be, at a step of a node."""
        match role.shape:
            case "schema" if isinstance(step, str) and node.kind == "object":
                word = KEYWORDS.get(step)
                if word is None:
                    return DATA
                shape: Shape = word.shape
                if step == "items" and child is not None and child.kind == "array":
                    shape = "list"  # up to draft 2019-09
                return Role(shape, step, node)
            case "map":
                is_names = role.keyword == "dependencies" and child is not None and child.kind == "array"
                return Role("names", role.keyword, role.of) if is_names else SCHEMA
            case "list":
                return SCHEMA
            case "lists":
                return Role("names", role.keyword, role.of)
            case "names" | "types":
                return role
            case _:
                return DATA

    def _role_of(self, caret: Caret) -> Role | None:
        """The role of the value at a caret; of a name, that of the object that has it."""
        holder = caret.holder
        if holder is None:
            return SCHEMA if self.root is None or self.root is self.tree.root else None
        role = self._roles.get(id(holder))
        if role is None or caret.is_key:
            return role
        step = caret.path[-1] if caret.path else ""
        return self._role_at(holder, role, step, holder.child(step))

    # ---- Completion ----

    def completions(self, offset: int) -> list[Completion]:
        """The words that may stand at a byte."""
        caret = self.tree.at(offset)
        role = self._role_of(caret)
        if role is None:
            return []
        span = word_span(self.tree, caret, offset)
        if caret.is_key and caret.holder is not None:
            return self._keys(caret, role, span)
        return self._values(caret, role, span)

    def _keys(self, caret: Caret, role: Role, span: Span) -> list[Completion]:
        holder = caret.holder
        assert holder is not None, "a name is an object's"
        present = {
            child.step for child in holder.children if child.key_span is not None and child.key_span != caret.span
        }
        if role.shape == "schema":
            spoken_of = self._spoken_of(holder)
            return sorted(
                (
                    self._keyword(name, word, caret, span, spoken_of)
                    for name, word in KEYWORDS.items()
                    if name not in present
                ),
                key=lambda word: (word.rank, word.label),
            )
        if role.shape in ("map", "lists") and role.keyword != "$defs":
            names = self._names_of(role.of, "required" if role.keyword == "properties" else "properties")
            tail = "" if caret.has_colon else (": [$0]" if role.shape == "lists" else ": {$0}")
            return [
                Completion(name, _quoted(name) + tail, "value", "property", "", span, is_snippet=bool(tail))
                for name in names
                if name not in present
            ]
        return []

    def _spoken_of(self, schema: JsonNode) -> set[str] | None:
        """The values that a schema's `type` allows; None if there is no type."""
        of = schema.child("type")
        if of is None:
            return None
        types = [of] if of.kind == "string" else of.children
        return {TYPES.get(self.tree.text(one), "") for one in types}

    def _keyword(
        self, name: str, word: KeywordWord, caret: Caret, span: Span, spoken_of: set[str] | None
    ) -> Completion:
        fits = not word.speaks_of or spoken_of is None or word.speaks_of in spoken_of
        of_type = bool(spoken_of) and word.speaks_of != "" and fits
        rank = 0 if of_type else 3 if not fits else 2 if word.state == "annotation" else 1
        insert = _escaped(json.dumps(name)) + ("" if caret.has_colon else f": {VALUES[word.shape]}")
        return Completion(name, insert, "keyword", word.support, word.means, span, is_snippet=True, rank=rank)

    def _values(self, caret: Caret, role: Role, span: Span) -> list[Completion]:
        match role.shape:
            case "schema":
                found = [] if caret.is_quoted else [_snippet(one, span) for one in SNIPPETS["json_schema"]]
                return [*found, *_plain({"true": "Any value.", "false": "No value."}, span)]
            case "flag":
                return _plain({"true": "", "false": ""}, span)
            case "types":
                return _texts({name: f"A value of type {name}." for name in TYPES}, "value", "type", span)
            case "format":
                shown = {name: f"Enforced, for example {example}" for name, example in FORMATS.items()}
                return _texts(shown, "format", "format", span)
            case "reference":
                return _texts(self._pointers(), "value", "reference", span)
            case "names":
                holder = caret.holder
                present = {self.tree.text(one) for one in ([] if holder is None else holder.children)}
                present.discard(caret.typed)
                names = {name: "" for name in self._names_of(role.of, "properties") if name not in present}
                return _texts(names, "value", "property", span)
            case _:
                return []

    def _names_of(self, schema: JsonNode | None, keyword: str) -> list[str]:
        """The names that `properties` or `required` of a schema lists."""
        of = None if schema is None else schema.child(keyword)
        if of is None:
            return []
        names = [str(one.step) if keyword == "properties" else self.tree.text(one) for one in of.children]
        return list(dict.fromkeys(name for name in names if name))

    def _pointers(self) -> dict[str, str]:
        """References to the definitions and anchors of the schema, each with the text that it leads to."""
        found = {"#": "The whole schema."}
        for node, role in self._all():
            if role == SCHEMA and node.parent is not None and node.parent.step in ("$defs", "definitions"):
                found[self._reference_to(node)] = self._shown(node)
            if role.keyword == "$anchor" and node.kind == "string":
                found[f"#{self.tree.text(node)}"] = "" if node.parent is None else self._shown(node.parent)
        return found

    def _all(self) -> Iterator[tuple[JsonNode, Role]]:
        for node in () if self.root is None else self.root.walk():
            yield node, self._roles[id(node)]

    def _shown(self, node: JsonNode) -> str:
        text = " ".join(self.tree.data[slice(*node.span)].decode("utf-8", "replace").split())
        return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"

    # ---- References ----

    def _steps(self, node: JsonNode) -> list[str]:
        steps: list[str] = []
        while node is not self.root and node.parent is not None:
            steps.append(str(node.step))
            node = node.parent
        return steps[::-1]

    def _reference_to(self, node: JsonNode) -> str:
        return "#" + "".join(f"/{_pointer_step(step)}" for step in self._steps(node))

    def _target(self, reference: str) -> JsonNode | None:
        """The value that a reference within the text leads to."""
        if not reference.startswith("#") or self.root is None:
            return None
        pointer = unquote(reference[1:])
        if pointer and not pointer.startswith("/"):
            return self._anchors.get(pointer)
        node: JsonNode | None = self.root
        for step in pointer.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if node is not None:
                node = node.child(int(name) if node.kind == "array" and name.isdecimal() else name)
        return node

    @cached_property
    def _anchors(self) -> dict[str, JsonNode]:
        return {
            self.tree.text(node): node.parent
            for node, role in self._all()
            if role.keyword in ("$anchor", "$dynamicAnchor") and node.parent is not None
        }

    @cached_property
    def _uses(self) -> list[tuple[JsonNode, JsonNode]]:
        """Each reference of the schema that leads to a place in it, and that place."""
        found: list[tuple[JsonNode, JsonNode]] = []
        for node, role in self._all():
            if role.keyword in REFERENCES and node.kind == "string":
                target = self._target(self.tree.text(node))
                if target is not None:
                    found.append((node, target))
        return found

    def _subject(self, offset: int) -> JsonNode | None:
        """The definition or property that the word at a byte names."""
        node = self.tree.around(offset)
        if node is None or id(node) not in self._roles:
            return None
        role = self._roles[id(node)]
        in_key = node.key_span is not None and node.key_span[0] <= offset <= node.key_span[1]
        if in_key:
            holder = node.parent
            in_map = holder is not None and self._roles.get(id(holder), DATA).shape == "map"
            return node if in_map else None
        if role.keyword in REFERENCES and node.kind == "string":
            return self._target(self.tree.text(node))
        if role.shape == "names" and node.kind == "string" and role.of is not None:
            return self._property(role.of, self.tree.text(node))
        return None

    def _property(self, schema: JsonNode, name: str) -> JsonNode | None:
        properties = schema.child("properties")
        return None if properties is None else properties.child(name)

    def _mentions(self, subject: JsonNode) -> list[JsonNode]:
        """The strings of `required` and the like that name a property."""
        holder = subject.parent
        if holder is None or holder.step != "properties" or holder.parent is None:
            return []
        return [
            node
            for node, role in self._all()
            if role.shape == "names"
            and role.of is holder.parent
            and node.kind == "string"
            and self.tree.text(node) == subject.step
        ]

    def definition(self, offset: int) -> Span | None:
        """The place where the name at a byte is defined."""
        subject = self._subject(offset)
        if subject is None:
            return None
        return subject.key_span or (subject.span[0], subject.span[0] + 1)

    def references(self, offset: int) -> list[Span]:
        """All places of the name at a byte, its definition among them."""
        subject = self._subject(offset)
        if subject is None:
            return []
        own = [] if subject.key_span is None else [subject.key_span]
        uses = [node.span for node, target in self._uses if target is subject]
        return sorted([*own, *uses, *(node.span for node in self._mentions(subject))])

    def renamable(self, offset: int) -> Span | None:
        """The name at a byte, without its quotation marks, if it may get another one."""
        subject = self._subject(offset)
        if subject is None or subject.key_span is None:
            return None
        node = self.tree.around(offset)
        assert node is not None, "a subject has a place"
        in_key = node is subject and subject.key_span[0] <= offset <= subject.key_span[1]
        if in_key or self._roles[id(node)].shape == "names":
            span = subject.key_span if in_key else node.span
            return (span[0] + 1, span[1] - 1) if span[1] - span[0] >= 2 else None
        last = self.tree.data.rfind(b"/", *node.span)
        return (last + 1, node.span[1] - 1) if last >= 0 else None

    def rename(self, offset: int, name: str) -> list[Edit]:
        """Give the definition or property at a byte another name. Raises `ArgumentError`."""
        subject = self._subject(offset)
        if subject is None or subject.key_span is None or subject.parent is None:
            raise ArgumentError("nothing here can be renamed", hint="go to the name of a definition or a property")
        if name != subject.step and subject.parent.child(name) is not None:
            raise ArgumentError(f"there is a `{name}` already", hint="choose another name")
        edits = [Edit(subject.key_span, _json(name))]
        edits += [Edit(node.span, _json(name)) for node in self._mentions(subject)]
        for node, target in self._uses:
            steps = self._through(target, subject, name)
            if steps is not None and self.tree.text(node).startswith("#/"):
                edits.append(Edit(node.span, _json("#" + "".join(f"/{_pointer_step(step)}" for step in steps))))
        return sorted(edits, key=lambda edit: edit.span)

    def _through(self, target: JsonNode, subject: JsonNode, name: str) -> list[str] | None:
        """The steps to a target, with another name for `subject`; None if they don't lead through it."""
        here: JsonNode | None = target
        while here is not None and here is not subject:
            here = here.parent
        if here is None:
            return None
        steps = self._steps(target)
        steps[len(self._steps(subject)) - 1] = name
        return steps

    # ---- Hover ----

    def hover(self, offset: int, keywords: Mapping[str, Keyword]) -> Hover | None:
        """What is known of the word at a byte; `keywords`: by JSON Pointer, what became of each."""
        node = self.tree.around(offset)
        if node is None or id(node) not in self._roles:
            return None
        role = self._roles[id(node)]
        in_key = node.key_span is not None and node.key_span[0] <= offset <= node.key_span[1]
        if in_key and node.key_span is not None:
            of = None if node.parent is None else self._roles.get(id(node.parent))
            if of == SCHEMA:
                return self._keyword_card(node, node.key_span, keywords)
            n_uses = max(0, len(self.references(offset)) - 1)
            uses = f"{n_uses} use{'s' * (n_uses != 1)}"
            return Hover(node.key_span, f"`{node.step}`\n\n{uses}") if of is not None and of.shape == "map" else None
        text = self.tree.text(node)
        if role.shape == "types" and text in TYPES:
            return Hover(node.span, f"`{text}`: a value of type {text}.")
        if role.shape == "format":
            return Hover(node.span, f"`{text}`: {_format_card(text)}")
        if role.keyword in REFERENCES:
            target = self._target(text)
            shown = "it leads nowhere in this text" if target is None else f"```json\n{self._shown(target)}\n```"
            return Hover(node.span, f"`{text}`\n\n{shown}")
        return None

    def _keyword_card(self, node: JsonNode, span: Span, keywords: Mapping[str, Keyword]) -> Hover:
        name = str(node.step)
        word = KEYWORDS.get(name)
        if word is None:
            return Hover(span, f"`{name}` is not a keyword of the standard: it checks nothing.")
        lines = [f"`{name}`: {word.means}"]
        if word.speaks_of:
            lines.append(f"It constrains {word.speaks_of} only.")
        became = keywords.get(_pointer(node))
        if became is None:
            lines.append(f"*{word.support}*")
        else:
            lines.append(f"*here: {became.state}{': ' + became.note if became.note else ''}*")
        return Hover(span, "\n\n".join(lines))


def _format_card(name: str) -> str:
    if name in FORMATS:
        return f"enforced, for example `{FORMATS[name]}`"
    if name in REFUSED_FORMATS:
        return "refused: no finite machine checks it"
    return "not a format of the standard: it checks nothing"


# ---- What all JSON texts have ----


def word_span(tree: JsonTree, caret: Caret, offset: int) -> Span:
    """The bytes that a completion replaces: the whole word, or of an open string its part before the caret."""
    begin, end = caret.span
    if caret.is_quoted and (end - begin < 2 or tree.data[end - 1 : end] != b'"'):
        return begin, offset
    return begin, max(end, offset) if caret.is_quoted else offset


def json_symbols(node: JsonNode | None, tree: JsonTree, most: int = 5000) -> list[Symbol]:
    """The names of a JSON text as a tree, up to a number of them."""
    n_left = most

    def symbol(node: JsonNode, depth: int) -> Symbol:
        nonlocal n_left
        n_left -= 1
        children: list[Symbol] = []
        for child in node.children if depth < 20 else ():
            if n_left <= 0:
                break
            if child.key_span is not None or child.kind in ("object", "array"):
                children.append(symbol(child, depth + 1))
        name_span = node.key_span or (node.span[0], min(node.span[1], node.span[0] + 1))
        kind: SymbolKind = node.kind if node.kind != "other" else _kind_of(tree.data[slice(*node.span)])
        begin = min(node.begin, name_span[0])
        return Symbol(
            str(node.step) or '""', kind, (begin, max(node.span[1], name_span[1])), name_span, "", tuple(children)
        )

    return [] if node is None else [symbol(child, 0) for child in node.children if child.key_span is not None]


def _kind_of(words: bytes) -> SymbolKind:
    if words in (b"true", b"false"):
        return "boolean"
    return "null" if words in (b"null", b"") else "number"


def json_folds(tree: JsonTree) -> list[Fold]:
    """Objects and arrays of several lines."""
    nodes = () if tree.root is None else tree.root.walk()
    return [Fold(node.span) for node in nodes if node.children and tree.data.find(b"\n", *node.span) >= 0]


def _pointer(node: JsonNode) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in node.path)


def _pointer_step(step: str) -> str:
    return quote(step.replace("~", "~0").replace("/", "~1"), safe="$~!&'()*+,;=:@")


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def _quoted(name: str) -> str:
    return _escaped(_json(name))


def _snippet(one: Snippet, span: Span) -> Completion:
    return Completion(one.label, one.text, "snippet", "snippet", one.doc, span, is_snippet=True, rank=3)


def _plain(words: Mapping[str, str], span: Span) -> list[Completion]:
    return [Completion(word, word, "value", "value", doc, span) for word, doc in words.items()]


def _texts(words: Mapping[str, str], kind: WordKind, detail: str, span: Span) -> list[Completion]:
    return [Completion(word, _json(word), kind, detail, doc, span) for word, doc in words.items()]
