"""json-mode-eval: the 81 `JME_*` schemas of MaskBench, each with the instance that the data set holds.

The template is the schema, and a request is one answer in it. What varies from request to request is the value of
`enum`s of strings: seven schemas have one. There the `enum` is a slot, and a request's argument is the schema's own
values with one that is new. In the other schemas nothing varies, and their requests have no arguments: a template then
saves what a cache of compiled grammars by text would save as well. No engine has such a cache here.
"""

from __future__ import annotations

import copy
import json
import lzma
from typing import Any

from benchmarks.json_schema.cases import Case, case, spread
from benchmarks.templates.tasks import Request, Task
from benchmarks.texts import DATA, Vocabulary, tokens_of


def cases(n_schemas: int = 0) -> list[Case]:
    """The schemas in the data set's own order: all, or about `n_schemas` spread over them."""
    path = DATA / "maskbench" / "dev.jsonl.xz"
    if not path.exists():
        raise SystemExit(f"json-mode-eval needs {path}; set XG2LAB_DATA to the data folder")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.startswith('{"id": "JME_')]
    found = [case(row["id"], row["schema"], row["tests"]) for row in rows]
    return spread(sorted(found, key=lambda one: int(one.name.removeprefix("JME_"))), n_schemas)


def json_mode_eval_task(words: Vocabulary, of: Case) -> Task:
    """One schema as a task."""
    slots: dict[str, list[str]] = {}
    template = with_slots(of.schema, slots)
    text = next(text for text, is_valid in zip(of.texts, of.valid, strict=True) if is_valid)
    tokens, n_bytes = tokens_of(words, text)

    def request(number: int) -> Request:
        arguments = {name: [*values, f"new {number}"] for name, values in slots.items()}
        return Request(arguments, {"schema": filled(template, arguments)}, tokens, n_bytes)

    return Task("json-mode-eval", "json", 1, words, template, request)


def with_slots(schema: Any, slots: dict[str, list[str]]) -> Any:
    """The schema with a slot for each `enum` of strings, whose values are put into `slots`.

    >>> slots = {}
    >>> with_slots({"items": {"enum": ["a", "b"]}}, slots), slots
    ({'items': {'enum': {'$slot': 'values_0'}}}, {'values_0': ['a', 'b']})
    """
    if isinstance(schema, list):
        return [with_slots(item, slots) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: with_slots(value, slots) for key, value in schema.items() if key != "enum"}
    values = schema.get("enum")
    if isinstance(values, list) and all(isinstance(value, str) for value in values):
        name = f"values_{len(slots)}"
        slots[name] = values
        return {key: {"$slot": name} if key == "enum" else found[key] for key in schema}
    return {key: values if key == "enum" else found[key] for key in schema}


def filled(template: Any, arguments: dict[str, Any]) -> Any:
    """The schema that a template with slots is with these arguments.

    >>> filled({"enum": {"$slot": "xs"}}, {"xs": ["a"]})
    {'enum': ['a']}
    """
    if isinstance(template, list):
        return [filled(item, arguments) for item in template]
    if not isinstance(template, dict):
        return template
    if set(template) == {"$slot"}:
        return copy.deepcopy(arguments[template["$slot"]])
    return {key: filled(value, arguments) for key, value in template.items()}
