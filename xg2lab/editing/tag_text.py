r"""A structural tag in an editor: types of formats, their fields, and the schemas in them.

>>> tag = TagText(JsonTree.of(b'{"format": {"type": "regex", "pa'))
>>> [word.label for word in tag.completions(32)]
['pattern']
>>> [word.label for word in TagText(JsonTree.of(b'{"format": {"type": "to')).completions(23)][:3]
['any_text', 'const_string', 'json_schema']

IDEA
  The classes of `xg2lab.structural_tag` are the formats' one description: their annotations say which values a field
  takes, their docstrings what it means. A caret's path leads through the annotations. The value of `json_schema` is a
  schema of its own, which `SchemaText` answers for.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from xg2lab.editing.json_tree import Caret, JsonNode, JsonTree, Path
from xg2lab.editing.records import Completion, Edit, Hover, Span
from xg2lab.editing.schema_text import SchemaText, word_span
from xg2lab.editing.snippets import SNIPPETS
from xg2lab.errors import ArgumentError
from xg2lab.structural_tag import StructuralTag

if TYPE_CHECKING:
    from xg2lab.lints.keywords import Keyword

__all__ = ["TagText"]

Model = type[BaseModel]


class TagText:
    """One structural tag."""

    def __init__(self, tree: JsonTree) -> None:
        self.tree = tree
        self._schemas: dict[int, SchemaText] = {}  # by `id` of the root

    def _schema_at(self, offset: int) -> SchemaText | None:
        """The schema whose inside is at a byte."""
        node, schema = self.tree.around(offset), None
        while node is not None:
            inside = node.span[0] < offset or node.key_span is None or offset > node.key_span[1]
            if node.step == "json_schema" and node.kind == "object" and inside:
                schema = node  # the outermost: a property of a schema may have this name
            node = node.parent
        if schema is None:
            return None
        return self._schemas.setdefault(id(schema), SchemaText(self.tree, schema))

    # ---- Completion ----

    def completions(self, offset: int) -> list[Completion]:
        """The words that may stand at a byte."""
        schema = self._schema_at(offset)
        if schema is not None:
            return schema.completions(offset)
        caret = self.tree.at(offset)
        span = word_span(self.tree, caret, offset)
        if self.tree.root is None:
            return [
                Completion(one.label, one.text, "snippet", "snippet", one.doc, span, is_snippet=True)
                for one in SNIPPETS["structural_tag"]
            ]
        if caret.is_key and caret.holder is not None:
            return self._fields(caret, caret.holder, span)
        return self._values(caret, span)

    def _annotation(self, path: Path) -> Any:
        """What may stand at a path; None if nothing is known of it."""
        annotation: Any = StructuralTag
        node = self.tree.root
        for step in path:
            annotation = _inner(annotation, step, self._type_of(node))
            node = None if node is None else node.child(step)
        return annotation

    def _type_of(self, node: JsonNode | None) -> str:
        of = None if node is None else node.child("type")
        return "" if of is None else self.tree.text(of)

    def _fields(self, caret: Caret, holder: JsonNode, span: Span) -> list[Completion]:
        models = _models(self._annotation(holder.path))
        named = _named(models, self._type_of(holder))
        present = {
            child.step for child in holder.children if child.key_span is not None and child.key_span != caret.span
        }
        if not named:  # the type decides
            tail = "" if caret.has_colon else ": "
            return (
                [Completion("type", f'"type"{tail}', "keyword", "field", "The format's type.", span)] if models else []
            )
        found: list[Completion] = []
        for name, field in named[0].model_fields.items():
            if name in present:
                continue
            annotation = _annotations(named[0])[name]
            needed = "required" if field.is_required() else "optional"
            tail = "" if caret.has_colon else f": {_beginning(annotation)}"
            doc = _docs(named[0]).get(name, "The format's type.")
            found.append(
                Completion(
                    name, f'"{name}"{tail}', "keyword", f"{needed} field", doc, span, is_snippet=bool(tail),
                    rank=0 if field.is_required() else 1,
                )
            )  # fmt: skip
        return found

    def _values(self, caret: Caret, span: Span) -> list[Completion]:
        if caret.path[-1:] == ("type",) and caret.holder is not None:
            models = _models(self._annotation(caret.holder.path))
            return [
                Completion(name, f'"{name}"', "value", "format", _sentence(model), span)
                for model in models
                for name in _type_names(model)
            ]
        annotation = self._annotation(caret.path)
        found = [
            Completion(str(one), f'"{one}"', "value", "value", "", span)
            for one in _literals(annotation)
            if isinstance(one, str)
        ]
        if _holds(annotation, bool):
            found += [Completion(word, word, "value", "value", "", span) for word in ("true", "false")]
        if not caret.is_quoted:
            found += [
                Completion(
                    name, f'{{"type": "{name}"$0}}', "snippet", "format", _sentence(model), span, is_snippet=True
                )
                for model in _models(annotation)
                for name in _type_names(model)
            ]
        return found

    # ---- References and hover: those of schemas ----

    def definition(self, offset: int) -> Span | None:
        """The place where the name at a byte is defined."""
        schema = self._schema_at(offset)
        return None if schema is None else schema.definition(offset)

    def references(self, offset: int) -> list[Span]:
        """All places of the name at a byte."""
        schema = self._schema_at(offset)
        return [] if schema is None else schema.references(offset)

    def renamable(self, offset: int) -> Span | None:
        """The name at a byte, if it may get another one."""
        schema = self._schema_at(offset)
        return None if schema is None else schema.renamable(offset)

    def rename(self, offset: int, name: str) -> list[Edit]:
        """Give the definition or property at a byte another name. Raises `ArgumentError`."""
        schema = self._schema_at(offset)
        if schema is None:
            raise ArgumentError("nothing here can be renamed", hint="only names in schemas can")
        return schema.rename(offset, name)

    def hover(self, offset: int, keywords: Mapping[str, Keyword]) -> Hover | None:
        """What is known of the word at a byte."""
        schema = self._schema_at(offset)
        if schema is not None:
            return schema.hover(offset, keywords)
        node = self.tree.around(offset)
        if node is None or node.parent is None:
            return None
        models = _models(self._annotation(node.parent.path))
        if node.key_span is not None and node.key_span[0] <= offset <= node.key_span[1]:
            named = _named(models, self._type_of(node.parent))
            doc = _docs(named[0]).get(str(node.step)) if named else None
            return None if doc is None else Hover(node.key_span, f"`{node.step}`: {doc}")
        if node.step == "type":
            named = _named(models, self.tree.text(node))
            return Hover(node.span, f"`{self.tree.text(node)}`: {_sentence(named[0])}") if named else None
        return None


# ---- Annotations ----


def _parts(annotation: Any) -> list[Any]:
    """The alternatives of an annotation."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _parts(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [part for one in get_args(annotation) for part in _parts(one)]
    return [annotation]


def _models(annotation: Any) -> list[Model]:
    return [one for one in _parts(annotation) if isinstance(one, type) and issubclass(one, BaseModel)]


def _literals(annotation: Any) -> list[object]:
    return [value for one in _parts(annotation) if get_origin(one) is Literal for value in get_args(one)]


def _holds(annotation: Any, wanted: type) -> bool:
    return wanted in _parts(annotation)


@cache
def _annotations(model: Model) -> dict[str, Any]:
    """The annotations of a model's fields; names of classes that are defined later are looked up."""
    return get_type_hints(model, vars(sys.modules[model.__module__]), include_extras=True)


def _type_names(model: Model) -> list[str]:
    return [str(one) for one in _literals(_annotations(model).get("type"))]


def _named(models: list[Model], name: str) -> list[Model]:
    """The models of a type; one alone needs no name."""
    found = [model for model in models if name in _type_names(model)]
    return found or (models if len(models) == 1 else [])


def _inner(annotation: Any, step: str | int, type_name: str) -> Any:
    """The annotation of a value within one of this annotation."""
    if isinstance(step, str):
        for model in _named(_models(annotation), type_name):
            return _annotations(model).get(step)
        return None
    for one in _parts(annotation):
        arguments = get_args(one)
        if get_origin(one) is list:
            return arguments[0]
        if get_origin(one) is tuple and step < len(arguments):
            return arguments[step]
    return None


def _beginning(annotation: Any) -> str:
    """The beginning of a value, as a snippet."""
    literals = [one for one in _literals(annotation) if isinstance(one, str)]
    parts = _parts(annotation)
    if any(get_origin(one) is list for one in parts):
        return "[$0]"
    if literals:
        return f'"${{1:{literals[0]}}}"'
    if str in parts:
        return '"${1:text}"'
    if int in parts:
        return "${1:1}"
    if _models(annotation) or any(get_origin(one) is dict for one in parts):
        return "{$0}"
    return "${1:true}" if bool in parts else "$0"


@cache
def _docs(model: Model) -> dict[str, str]:
    """The sentences on a model's fields, out of its docstring."""
    found: dict[str, str] = {}
    names: list[str] = []
    for line in (model.__doc__ or "").partition("----------\n")[2].split("\n"):
        head = re.fullmatch(r"    ([a-z_]+(?:, [a-z_]+)*) : .*", line)
        if head:
            names = head[1].split(", ")
        elif line.startswith("        ") and names:
            for name in names:
                found[name] = f"{found.get(name, '')} {line.strip()}".strip()
        elif line.strip():
            break
    return found


def _sentence(model: Model) -> str:
    return (model.__doc__ or "").strip().partition("\n")[0]
