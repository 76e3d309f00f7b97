"""Hostile JSON Schemas: arrays, values, lengths, numbers, and texts that are no schema."""

from __future__ import annotations

from campaign.hostile.inputs import family
from campaign.hostile.schemas import Schema

__all__: list[str] = []


# ---- Arrays ----


@family("json_schema", 500, 5000, 20_000)
def prefix_items(n: int) -> Schema:
    return {"type": "array", "prefixItems": [{"type": "integer", "minimum": i} for i in range(n)], "minItems": n}


@family("json_schema", 100, 3000)
def prefix_of_constants(n: int) -> Schema:
    return {"prefixItems": [{"const": i} for i in range(n)], "minItems": n // 2}


@family("json_schema", 10, 3000, 100_000, strict_mode=False)
def contains(n: int) -> Schema:
    return {"contains": {"minimum": 5}, "minContains": n, "maxContains": n + n // 3}


@family("json_schema", 2, 6, 12, strict_mode=False)
def contains_of_many(n: int) -> Schema:
    primes = [p for p in range(2, 600) if all(p % q for q in range(2, p))][:n]
    return {"allOf": [{"contains": {"multipleOf": p}} for p in primes], "maxItems": n + 3}


@family("json_schema", 5, 30, 200, strict_mode=False)
def contains_in_depth(n: int) -> Schema:
    schema: Schema = {"const": 1}
    for _ in range(n):
        schema = {"contains": schema, "items": {"anyOf": [schema, {"type": "array"}]}}
    return schema


@family("json_schema", 10, 2000, 20_000)
def unique_values(n: int) -> Schema:
    return {"type": "array", "uniqueItems": True, "items": {"enum": [f"v{i}" for i in range(n)]}}


@family("json_schema", 3, 6, 12)
def unique_products(n: int) -> Schema:
    item = {"type": "array", "prefixItems": [{"type": "boolean"}] * n, "minItems": n, "maxItems": n}
    return {"type": "array", "uniqueItems": True, "items": item}


@family("json_schema", 5000, 2_000_000, 2_000_000_000)
def many_items(n: int) -> Schema:
    return {"type": "array", "minItems": n // 2, "maxItems": n, "items": {"enum": [1, 2]}}


@family("json_schema", 3, 8, 30)
def bounds_within_bounds(n: int) -> Schema:
    schema: Schema = {"type": "boolean"}
    for _ in range(n):
        schema = {"type": "array", "minItems": 100, "maxItems": 1000, "items": schema}
    return schema


# ---- Values ----


@family("json_schema", 10_000, 50_000, 100_000)
def enum_of_texts(n: int) -> Schema:
    return {"enum": [f"v{i}" for i in range(n)]}


@family("json_schema", 10_000, 100_000)
def enum_of_numbers(n: int) -> Schema:
    return {"enum": [*range(n)]}


@family("json_schema", 100, 5000, 20_000)
def enum_of_objects(n: int) -> Schema:
    return {"enum": [{"a": i, "b": [i, {"c": str(i)}]} for i in range(n)]}


@family("json_schema", 1000, 20_000)
def all_but_texts(n: int) -> Schema:
    return {"type": "string", "not": {"enum": [f"value {i}" for i in range(n)]}}


@family("json_schema", 1000, 20_000, strict_mode=False)
def all_but_numbers(n: int) -> Schema:
    return {"type": "integer", "not": {"enum": [3 * i for i in range(n)]}}


@family("json_schema", 100, 1000, strict_mode=False)
def all_but_objects(n: int) -> Schema:
    return {"not": {"enum": [{"a": i, "b": [i]} for i in range(n)]}}


@family("json_schema", 1000, 10_000)
def values_that_meet(n: int) -> Schema:
    return {"allOf": [{"enum": [f"v{j}" for j in range(n) if j % 7 != i]} for i in range(7)]}


@family("json_schema", 1000, 900_000)
def constant_text(n: int) -> Schema:
    return {"const": "x" * n}


@family("json_schema", 100, 450, 100_000)
def constant_in_depth(n: int) -> str:
    return '{"const": ' + "[" * n + "]" * n + "}"


@family("json_schema", 1000, 900_000_000)
def long_strings(n: int) -> Schema:
    return {"type": "string", "minLength": n // 9, "maxLength": n}


@family("json_schema", 5, 20, 100)
def patterns_that_meet(n: int) -> Schema:
    return {"type": "string", "allOf": [{"pattern": f"a.{{{i}}}b"} for i in range(n)]}


@family("json_schema", 5, 20, 100)
def patterns_that_meet_not(n: int) -> Schema:
    return {"type": "string", "not": {"anyOf": [{"pattern": f"a.{{{i}}}b"} for i in range(n)]}}


@family("json_schema", 100, 5000, 1_000_000)
def pattern_and_length(n: int) -> Schema:
    return {"type": "string", "pattern": r"^(\w+ ){0,500}\w+$", "minLength": n // 2, "maxLength": n}


@family("json_schema", 50, 250, 1000)
def pattern_of_keys(n: int) -> Schema:
    return {"type": "string", "pattern": ".*".join(f"k{i}" for i in range(n))}


FORMATS = [
    "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
]  # fmt: skip


@family("json_schema", *range(len(FORMATS)))
def formats_with_length(n: int) -> Schema:
    return {"type": "string", "format": FORMATS[n], "minLength": 3, "maxLength": 2048}


@family("json_schema", 2, 5, len(FORMATS))
def formats_that_meet(n: int) -> Schema:
    return {"type": "string", "allOf": [{"format": name} for name in FORMATS[:n]]}


@family("json_schema", 2, 5, len(FORMATS))
def formats_apart(n: int) -> Schema:
    return {"type": "string", "oneOf": [{"format": name} for name in FORMATS[:n]]}


# ---- Numbers ----


@family("json_schema", 2, 6, 12)
def steps_that_meet(n: int) -> Schema:
    primes = [p for p in range(2, 600) if all(p % q for q in range(2, p))][:n]
    return {"allOf": [{"multipleOf": p / 4} for p in primes]}


@family("json_schema", 2, 6, 12)
def no_steps(n: int) -> Schema:
    primes = [p for p in range(2, 600) if all(p % q for q in range(2, p))][:n]
    return {"type": "number", "not": {"anyOf": [{"multipleOf": p + 0.5} for p in primes]}}


@family("json_schema", 3, 9, 17)
def fine_steps(n: int) -> Schema:
    return {"multipleOf": float("0." + "123456789123456789"[:n])}


@family("json_schema", 5, 30, 300)
def large_steps(n: int) -> str:
    return '{"type": "integer", "multipleOf": ' + ("987654321" * n)[:n] + "}"


@family("json_schema", 10, 1000, 100_000)
def bounds_of_many_digits(n: int) -> str:
    return '{"type": "number", "minimum": -' + "9" * n + ', "maximum": ' + "1" * n + "." + "3" * n + "}"


@family("json_schema", 10, 400, 999_999_999)
def bounds_with_exponents(n: int) -> str:
    return f'{{"type": "number", "minimum": 1e-{n}, "maximum": 1e{n}}}'


# ---- Texts that are no schema ----


@family("json_schema", 1000, 500_000)
def open_brackets(n: int) -> str:
    return '{"a":' * (n // 5)


@family("json_schema", 1000, 500_000)
def same_name_twice(n: int) -> str:
    return "{" + ",".join(['"type":"string"'] * (n // 16)) + "}"


@family("json_schema", 1000, 1_000_000)
def unknown_keywords(n: int) -> Schema:
    return {f"x-{i}": [i] for i in range(n // 20)}


@family("json_schema", 100, 5000)
def wrong_types(n: int) -> Schema:
    return {"allOf": [{"type": "strng", "minimum": "1", "properties": [], "required": {}, "enum": 5}] * n}


@family("json_schema", 100, 20_000)
def missing_references(n: int) -> Schema:
    return {"anyOf": [{"$ref": f"#/$defs/none{i}"} for i in range(n)]}


@family("json_schema", 1000, 1_000_000)
def title(n: int) -> Schema:
    return {"title": "\u202e\x00<script>" * (n // 10), "type": "integer"}


@family("json_schema", 100, 100_000)
def lone_surrogates(n: int) -> str:
    return '{"enum": ["' + r"\ud800" * n + '"]}'


@family("json_schema", 3, 10, 100)
def never_satisfied(n: int) -> Schema:
    schema: Schema = {"type": "object", "properties": {"a": False}, "required": ["a"]}
    for i in range(n):
        schema = {"anyOf": [schema, {"type": "object", "properties": {f"b{i}": schema}, "required": [f"b{i}"]}]}
    return schema
