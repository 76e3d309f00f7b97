"""Hostile JSON Schemas: products of combinators, webs of references, objects whose names overlap."""

from __future__ import annotations

from typing import Any

from campaign.hostile.inputs import family

__all__ = ["Schema"]

Schema = dict[str, Any] | bool
OPEN = {"strict_mode": False}


def properties(n: int, schema: Schema | None = None, first: int = 0) -> dict[str, Any]:
    """`n` properties of one schema."""
    return {f"p{i}": {"type": "integer"} if schema is None else schema for i in range(first, first + n)}


# ---- The two shapes that took all memory ----


@family("json_schema", 1, 3, 10, strict_mode=False)
def unevaluated_behind_contains(n: int) -> Schema:
    defs = {f"d{i}": {"anyOf": [{"oneOf": [True] * n}, {"type": "object"}]} for i in range(1, n + 1)}
    branches = [{"$ref": f"#/$defs/d{i}"} for i in range(1, n + 1)]
    inner = {"unevaluatedProperties": False, "anyOf": [*branches, {"type": "object"}], "if": {"type": "object"}}
    return {"contains": {"properties": {"c": inner}}, "unevaluatedItems": {"minimum": 1}, "$defs": defs}


@family("json_schema", 1, 3, 10, strict_mode=False)
def unevaluated_behind_one_of(n: int) -> Schema:
    condition = {"anyOf": [{}, {"const": "a"}], "oneOf": [{"allOf": []}, {"type": "null"}, {"enum": []}]}
    inner = {"unevaluatedProperties": {"pattern": "é"}, "if": condition}
    return {"unevaluatedItems": False, "oneOf": [{**inner, "title": str(i)} for i in range(n)] + [{}]}


@family("json_schema", 1, 3, 10, strict_mode=False)
def unevaluated_without_empty(n: int) -> Schema:
    condition = {"anyOf": [{}, {"const": "a"}], "oneOf": [{"type": "null"}, {"const": 1}]}
    inner = {"unevaluatedProperties": {"pattern": "é"}, "if": condition}
    return {"unevaluatedItems": False, "oneOf": [inner] * n + [{}]}


# ---- Combinators ----


@family("json_schema", 10, 30, 300)
def all_of_any_of(n: int) -> Schema:
    return {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(n)]}


@family("json_schema", 10, 30, 300, strict_mode=False)
def all_of_any_of_open(n: int) -> Schema:
    pairs = [({"properties": {f"p{i}": {"const": i}}}, {"properties": {f"q{i}": {"minimum": i}}}) for i in range(n)]
    return {"allOf": [{"anyOf": list(pair)} for pair in pairs]}


@family("json_schema", 10, 30, 300, strict_mode=False)
def all_of_one_of_types(n: int) -> Schema:
    return {"allOf": [{"oneOf": [{"type": "string", "pattern": f"a{i}"}, {"minLength": i}]} for i in range(n)]}


@family("json_schema", 30, 200, 1000)
def one_of_objects(n: int) -> Schema:
    kinds = [{"type": "object", "properties": {"kind": {"const": f"k{i}"}, **properties(3, None, i)}} for i in range(n)]
    return {"oneOf": kinds}


@family("json_schema", 10, 30, 100, strict_mode=False)
def one_of_open_objects(n: int) -> Schema:
    return {
        "oneOf": [
            {"type": "object", "properties": properties(20, None, i), "required": [f"p{i + 3}"]} for i in range(n)
        ]
    }


@family("json_schema", 100, 1000, 5000)
def one_of_required_kinds(n: int) -> Schema:
    form = {"type": "object", "required": ["kind"]}
    return {"oneOf": [{**form, "properties": {"kind": {"const": f"k{i}"}, "v": {"const": i}}} for i in range(n)]}


@family("json_schema", 10, 100, 1000)
def one_of_numbers(n: int) -> Schema:
    return {"oneOf": [{"type": "number", "minimum": i, "maximum": 3 * i + 7} for i in range(n)]}


@family("json_schema", 5, 30, 200)
def one_of_patterns(n: int) -> Schema:
    return {"oneOf": [{"type": "string", "pattern": f"^[a-z]*{i}[a-z]{{{i % 30}}}"} for i in range(n)]}


@family("json_schema", 10, 1000, 5000)
def any_of_same(n: int) -> Schema:
    return {"anyOf": [{"type": "object", "properties": properties(1 + i % 7)} for i in range(n)]}


@family("json_schema", 10, 100, 1000, strict_mode=False)
def not_within_not(n: int) -> Schema:
    schema: Schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    for i in range(n):
        schema = {"not": schema} if i % 2 else {"not": {"properties": {f"b{i}": schema}}}
    return schema


@family("json_schema", 3, 12, 60, strict_mode=False)
def not_of_products(n: int) -> Schema:
    both = [{"properties": properties(4, None, i), "required": [f"p{i}"]} for i in range(n)]
    return {"not": {"oneOf": [{"not": {"oneOf": both}}, {"not": {"anyOf": both}}]}}


@family("json_schema", 10, 60, 400)
def choices_in_depth(n: int) -> Schema:
    schema: Schema = {"type": "integer"}
    for i in range(n):
        more = {"type": "object", "required": ["b"], "properties": {"b": {"const": i}}}
        schema = {"oneOf": [{"type": "object", "required": ["a"], "properties": {"a": schema}}, more]}
    return schema


@family("json_schema", 10, 150, 1000, strict_mode=False)
def if_then(n: int) -> Schema:
    arms = [
        {"if": {"properties": {"kind": {"const": f"k{i}"}}}, "then": {"properties": {"v": {"const": i}}}}
        for i in range(n)
    ]
    return {"type": "object", "required": ["kind"], "allOf": arms}


@family("json_schema", 5, 20, 100, strict_mode=False)
def if_else_in_depth(n: int) -> Schema:
    schema: Schema = {"minProperties": 1}
    for i in range(n):
        schema = {"if": {"required": [f"a{i}"]}, "then": {"required": [f"b{i}"]}, "else": schema}
    return schema


# ---- References ----


@family("json_schema", 20, 200, 2000)
def reference_web(n: int) -> Schema:
    def both(i: int) -> list[Schema]:
        return [{"$ref": f"#/$defs/s{i + 1}"}, {"$ref": f"#/$defs/t{i + 1}"}]

    defs: dict[str, Schema] = {f"s{i}": {"allOf": both(i)} for i in range(n)}
    defs |= {f"t{i}": {"anyOf": both(i)} for i in range(n)}
    return {"$defs": {**defs, f"s{n}": {"minimum": 1}, f"t{n}": {"maximum": 5}}, "$ref": "#/$defs/s0"}


@family("json_schema", 10, 100, 1000)
def reference_objects(n: int) -> Schema:
    defs = {
        f"s{i}": {"type": "object", "properties": {f"a{k}": {"$ref": f"#/$defs/s{(k * i + 1) % n}"} for k in range(6)}}
        for i in range(n)
    }
    return {"$defs": defs, "$ref": "#/$defs/s0"}


@family("json_schema", 100, 2000, 10_000)
def reference_chain(n: int) -> Schema:
    defs = {f"r{i}": {"$ref": f"#/$defs/r{i + 1}"} for i in range(n)}
    return {"$defs": {**defs, f"r{n}": {"type": "integer"}}, "$ref": "#/$defs/r0"}


@family("json_schema", 1, 10, 1000)
def reference_ring(n: int) -> Schema:
    defs = {f"r{i}": {"anyOf": [{"$ref": f"#/$defs/r{(i + 1) % n}"}, {"const": i}]} for i in range(n)}
    return {"$defs": defs, "$ref": "#/$defs/r0"}


@family("json_schema", 12, 40, 300)
def reference_doubling(n: int) -> Schema:
    defs: dict[str, Schema] = {
        f"r{i}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/r{i + 1}"}] * 2, "minItems": 2} for i in range(n)
    }
    return {"$defs": {**defs, f"r{n}": {"const": 0}}, "$ref": "#/$defs/r0"}


@family("json_schema", 5, 12, 40, strict_mode=False)
def reference_products(n: int) -> Schema:
    defs: dict[str, Schema] = {
        f"r{i}": {"properties": {"a": {"allOf": [{"$ref": f"#/$defs/r{i + 1}"}, {"$ref": f"#/$defs/r{(i + 2) % n}"}]}}}
        for i in range(n)
    }
    return {"$defs": {**defs, f"r{n}": {"type": "object"}}, "$ref": "#/$defs/r0"}


@family("json_schema", 10, 1000, 10_000)
def reference_pointer(n: int) -> Schema:
    return {"properties": properties(n, {"$ref": "#/properties/p0/properties"}), "$ref": "#" + "/a~1" * n}


@family("json_schema", 5, 50, 500, strict_mode=False)
def dynamic_references(n: int) -> Schema:
    defs = {
        f"d{i}": {
            "$id": f"https://e.x/{i}",
            "$dynamicAnchor": "t",
            "properties": {"a": {"$dynamicRef": f"{(i + 1) % n}#t"}},
        }
        for i in range(n)
    }
    return {"$id": "https://e.x/root", "$dynamicAnchor": "t", "$defs": defs, "$ref": "0"}


# ---- Objects ----


@family("json_schema", 1000, 10_000, 20_000)
def many_properties(n: int) -> Schema:
    return {"type": "object", "properties": properties(n)}


@family("json_schema", 1000, 10_000, 20_000)
def many_required(n: int) -> Schema:
    return {"type": "object", "properties": properties(n), "required": list(properties(n))}


@family("json_schema", 20, 200, 2000, any_order=True)
def many_required_any_order(n: int) -> Schema:
    return {"type": "object", "properties": properties(n), "required": list(properties(n))}


@family("json_schema", 100, 1000, 5000, any_order=True)
def many_optional_any_order(n: int) -> Schema:
    return {"type": "object", "properties": properties(n)}


@family("json_schema", 100, 1000, 5000)
def half_of_the_properties(n: int) -> Schema:
    return {"type": "object", "properties": properties(n), "minProperties": n // 3, "maxProperties": n // 2}


@family("json_schema", 10, 100, 1000, strict_mode=False)
def open_counted_properties(n: int) -> Schema:
    return {"type": "object", "properties": properties(n), "minProperties": n // 2, "maxProperties": 2 * n}


@family("json_schema", 10, 60, 300, strict_mode=False)
def dependent_required(n: int) -> Schema:
    asked = {f"p{i}": [f"p{(7 * i + 1) % n}", f"p{(11 * i + 3) % n}"] for i in range(n)}
    return {"type": "object", "dependentRequired": asked}


@family("json_schema", 4, 12, 60, strict_mode=False)
def dependent_schemas(n: int) -> Schema:
    asked = {f"p{i}": {"properties": {f"p{(3 * i + 1) % n}": {"const": i}, f"q{i}": {"minimum": i}}} for i in range(n)}
    return {"type": "object", "dependentSchemas": asked}


@family("json_schema", 4, 12, 60, strict_mode=False)
def pattern_properties(n: int) -> Schema:
    return {"type": "object", "patternProperties": {f"a.{{{i}}}b": {"const": i} for i in range(n)}}


@family("json_schema", 4, 16, 100, strict_mode=False)
def pattern_properties_that_overlap(n: int) -> Schema:
    return {
        "patternProperties": {f"{chr(97 + i % 26)}{i // 26}": {"minimum": i} for i in range(n)},
        "properties": {"abcdefgh": True},
    }


@family("json_schema", 10, 100, 1000)
def pattern_properties_of_words(n: int) -> Schema:
    return {"type": "object", "patternProperties": {f"^word{i}_[a-z]+$": {"type": "integer"} for i in range(n)}}


@family("json_schema", 4, 30, 300, strict_mode=False)
def property_names(n: int) -> Schema:
    return {
        "propertyNames": {"allOf": [{"pattern": f"[a-{chr(99 + i % 20)}]{{{i % 9}}}"} for i in range(n)]},
        "minProperties": 2,
    }


@family("json_schema", 3, 12, 40, strict_mode=False)
def unevaluated_of_branches(n: int) -> Schema:
    return {"anyOf": [{"properties": {f"p{i}": {"const": i}}} for i in range(n)], "unevaluatedProperties": False}


@family("json_schema", 3, 10, 40, strict_mode=False)
def unevaluated_in_depth(n: int) -> Schema:
    schema: Schema = {"properties": {"z": True}}
    for i in range(n):
        schema = {"anyOf": [schema, {"properties": {f"p{i}": True}}], "unevaluatedProperties": {"type": "integer"}}
    return schema


@family("json_schema", 3, 10, 40, strict_mode=False)
def unevaluated_items(n: int) -> Schema:
    return {
        "anyOf": [{"prefixItems": [{"const": k} for k in range(i)]} for i in range(n)],
        "unevaluatedItems": {"type": "null"},
    }


@family("json_schema", 100, 450, 5000)
def objects_in_depth(n: int) -> Schema:
    schema: Schema = {"type": "integer"}
    for _ in range(n):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


@family("json_schema", 100, 450, 5000)
def arrays_in_depth(n: int) -> Schema:
    schema: Schema = {"type": "integer"}
    for _ in range(n):
        schema = {"type": "array", "items": schema}
    return schema


@family("json_schema", 10, 1000, 20_000)
def long_names(n: int) -> Schema:
    return {"type": "object", "properties": {"n" * n + str(i): {"type": "null"} for i in range(20)}}


@family("json_schema", 100, 1000, 5000)
def names_with_escapes(n: int) -> Schema:
    return {"type": "object", "properties": {f'\x7f"\\\u2028\x00{i}\ud7ff😀': {"type": "null"} for i in range(n)}}
