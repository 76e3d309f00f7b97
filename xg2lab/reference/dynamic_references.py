"""$dynamicRef by its definition: a schema of several resources, written out as one without references.

>>> item = {"$dynamicAnchor": "item"}
>>> anys = {"$id": "list", "type": "array", "items": {"$dynamicRef": "#item"}, "$defs": {"i": item}}
>>> texts = {"$id": "texts", "$ref": "list", "$defs": {"i": item | {"type": "string"}}}
>>> written_out(texts, [anys, texts], depth=2)
{'allOf': [{'type': 'array', 'items': {'allOf': [{'type': 'string'}]}}]}

A $dynamicRef first leads to the target of a $ref with the same text. If the target is a
$dynamicAnchor, the reference means the anchor of this name in the outermost resource on the way
that has one. So with the *way*, the list of resources that were entered, each reference can be
replaced by its meaning; recursion is cut off at a depth, as values are.

Units: `depth` counts levels of values: items and properties. A schema that is cut off becomes
`true`.
See also: JSON Schema 2020-12, core section 8.2.3.2; core/frontends/json_schema/references.h, which
needs no way, only for each name the first anchor on it.
"""

from collections.abc import Iterator
from typing import Any

__all__ = ["written_out"]

Json = Any
ONE = ("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED = ("properties", "patternProperties", "$defs")
SAME_VALUE = ("not", "if", "then", "else", "allOf", "anyOf", "oneOf")  # these speak of the value itself
ANCHORS = ("$anchor", "$dynamicAnchor")


def subschemas(schema: Json) -> Iterator[Json]:
    """Those that stand in a schema, one level down."""
    for name, said in schema.items():
        if name in ONE:
            yield said
        elif name in LISTS:
            yield from said
        elif name in NAMED:
            yield from said.values()


def anchored(resource: Json, name: str, kinds: tuple[str, ...]) -> Json | None:
    """The schema of a resource that has an anchor of the name; resources within it are others."""
    agenda = [resource]
    while agenda:
        schema = agenda.pop()
        if any(schema.get(kind) == name for kind in kinds):
            return schema
        agenda += [sub for sub in subschemas(schema) if isinstance(sub, dict) and "$id" not in sub]
    return None


def written_out(schema: Json, resources: list[Json], depth: int, way: tuple[str, ...] = ()) -> Json:
    """The schema without references. `way`: the ids of the resources that were entered, the outermost first.

    RecursionError, if a schema refers to itself and checks nothing in between.
    """
    if isinstance(schema, bool):
        return schema
    if depth < 0:
        return True
    if "$id" in schema:
        way = (*way, schema["$id"])
    by_id = {resource["$id"]: resource for resource in resources}
    out: dict[str, Json] = {}

    def write(sub: Json) -> Json:
        return written_out(sub, resources, depth if name in SAME_VALUE else depth - 1, way)

    def follow(words: str, *, is_dynamic: bool) -> Json:
        resource, _, anchor = words.partition("#")
        holder = resource or way[-1]
        target = anchored(by_id[holder], anchor, ANCHORS) if anchor else by_id[holder]
        assert target is not None, words
        if is_dynamic and target.get("$dynamicAnchor") == anchor:
            holder = next((i for i in way if anchored(by_id[i], anchor, ("$dynamicAnchor",)) is not None), holder)
            target = anchored(by_id[holder], anchor, ("$dynamicAnchor",))
        entered = way if target is not None and "$id" in target else (*way, holder)
        return written_out(target, resources, depth, entered)

    references: list[Json] = []
    for name, said in schema.items():
        if name in ("$ref", "$dynamicRef"):
            references.append(follow(said, is_dynamic=name == "$dynamicRef"))
        elif name in ONE:
            out[name] = write(said)
        elif name in LISTS:
            out[name] = [write(sub) for sub in said]
        elif name in NAMED and name != "$defs":
            out[name] = {key: write(sub) for key, sub in said.items()}
        elif not name.startswith("$"):
            out[name] = said
    if references:
        out["allOf"] = [*out.get("allOf", []), *references]
    return out
