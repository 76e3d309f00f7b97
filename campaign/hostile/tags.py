"""Hostile structural tags and tools: triggers by the thousand, free text that ends in many ways, formats in formats."""

from __future__ import annotations

from typing import Any

from campaign.hostile.inputs import FAMILIES, Family, family
from xg2lab.tool_calls.formats import MODEL_FORMATS

__all__: list[str] = []

TEXT = {"type": "any_text"}
NUMBER = {"type": "json_schema", "json_schema": {"type": "integer"}}


def const(value: str) -> dict[str, Any]:
    """A constant text."""
    return {"type": "const_string", "value": value}


def tag(content: Any, begin: str = "<", end: Any = ">") -> dict[str, Any]:
    """A tag around a content."""
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def whole(format: Any) -> dict[str, Any]:
    """A structural tag."""
    return {"type": "structural_tag", "format": format}


# ---- Triggers ----


@family("structural_tag", 100, 1000, 10_000)
def tags_of_one_trigger(n: int) -> Any:
    tags = [tag(NUMBER, f"<function={i}>", "</function>") for i in range(n)]
    return whole({"type": "triggered_tags", "triggers": ["<function="], "tags": tags})


@family("structural_tag", 100, 1000, 10_000)
def triggers(n: int) -> Any:
    tags = [tag(TEXT, f"<f{i}>", f"</f{i}>") for i in range(n)]
    return whole({"type": "triggered_tags", "triggers": [f"<f{i}>" for i in range(n)], "tags": tags})


@family("structural_tag", 30, 300, 1000)
def triggers_of_one_letter(n: int) -> Any:
    tags = [tag(NUMBER, "a" * i + "b", "c") for i in range(1, n + 1)]
    return whole({"type": "triggered_tags", "triggers": ["a" * i + "b" for i in range(1, n + 1)], "tags": tags})


@family("structural_tag", 100, 1000, 3000)
def tags_with_schemas(n: int) -> Any:
    tags = [
        tag(
            {"type": "json_schema", "json_schema": {"type": "object", "properties": {f"p{i}": {"minimum": i}}}},
            f"<f{i}>",
            "</f>",
        )
        for i in range(n)
    ]
    return whole({"type": "triggered_tags", "triggers": ["<f"], "tags": tags, "at_least_one": True})


@family("structural_tag", 100, 1000, 10_000)
def excludes_of_tags(n: int) -> Any:
    fields = {"excludes": [f"no{i}" for i in range(n)], "stop_after_first": True}
    return whole({"type": "triggered_tags", "triggers": ["<"], "tags": [tag(NUMBER)], **fields})


@family("structural_tag", 100, 1000, 10_000)
def dispatch_rules(n: int) -> Any:
    return whole({"type": "dispatch", "rules": [[f"<r{i}>", const(f"x{i}")] for i in range(n)]})


@family("structural_tag", 10, 100, 400)
def dispatch_in_dispatch(n: int) -> Any:
    made: Any = const("x")
    for i in range(n):
        made = {"type": "dispatch", "rules": [[f"<d{i}>", made]], "loop": False}
    return whole(made)


@family("structural_tag", 10, 200, 450)
def tags_in_tags(n: int) -> Any:
    made: Any = TEXT
    for i in range(n):
        made = tag(
            {"type": "triggered_tags", "triggers": [f"<t{i}"], "tags": [tag(made, f"<t{i}>", f"</t{i}>")]}, "{", "}"
        )
    return whole(made)


@family("structural_tag", 10, 1000, 20_000)
def token_triggers(n: int) -> Any:
    tags = [tag(NUMBER) | {"begin": {"type": "token", "token": i}} for i in range(300, 300 + n)]
    return whole({"type": "token_triggered_tags", "trigger_tokens": [*range(300, 300 + n)], "tags": tags})


@family("structural_tag", 10, 1000, 20_000)
def token_dispatch(n: int) -> Any:
    return whole({"type": "token_dispatch", "rules": [[i, const(f"x{i}")] for i in range(300, 300 + n)]})


# ---- Free text ----


@family("structural_tag", 100, 1000, 10_000)
def excludes(n: int) -> Any:
    return whole({**TEXT, "excludes": [f"bad{i}" for i in range(n)]})


@family("structural_tag", 30, 300, 1000)
def excludes_that_overlap(n: int) -> Any:
    return whole({**TEXT, "excludes": ["ab" * i + "c" for i in range(1, n)]})


@family("structural_tag", 30, 300, 1000)
def excludes_in_ends(n: int) -> Any:
    return whole(
        tag({**TEXT, "excludes": ["x" * i + "y" for i in range(1, n)]}, "<", ["x" * i + "yz" for i in range(1, n)])
    )


@family("structural_tag", 100, 1000, 10_000)
def ends(n: int) -> Any:
    return whole(tag(TEXT, "<", [f"</end{i}>" for i in range(n)]))


@family("structural_tag", 100, 10_000, 2_000_000_000)
def limited_text(n: int) -> Any:
    return whole(tag({**TEXT, "max_chars": n, "max_tokens": n, "excludes": ["stop"]}, "<", "</>"))


@family("structural_tag", 10, 300, 3000)
def texts_in_sequence(n: int) -> Any:
    return whole({"type": "sequence", "elements": [part for i in range(n) for part in (TEXT, const(f"k{i}"))]})


@family("structural_tag", 10, 300, 3000)
def texts_in_or(n: int) -> Any:
    return whole(tag({"type": "or", "elements": [{**TEXT, "excludes": [f"x{i}"]} for i in range(n)]}))


@family("structural_tag", 10, 1000, 50_000)
def excluded_tokens(n: int) -> Any:
    return whole({"type": "any_tokens", "exclude_tokens": [*range(n)], "max_tokens": n})


# ---- Formats in formats ----


@family("structural_tag", 10, 200, 450)
def loops_in_loops(n: int) -> Any:
    made: Any = const("a")
    for i in range(n):
        made = {"type": ["star", "plus", "optional"][i % 3], "content": made}
    return whole(made)


@family("structural_tag", 2, 4, 9)
def repeats_in_repeats(n: int) -> Any:
    made: Any = const("a")
    for _ in range(n):
        made = {"type": "repeat", "min": 100, "max": 1000, "content": made}
    return whole(made)


@family("structural_tag", 10, 450, 100_000)
def sequences_in_depth(n: int) -> str:
    return '{"format": ' + '{"type": "sequence", "elements": [' * n + '{"type": "any_text"}' + "]}" * n + "}"


@family("structural_tag", 100, 5000, 20_000)
def separated_tags(n: int) -> Any:
    return whole({"type": "tags_with_separator", "tags": [tag(NUMBER, f"<{i}>") for i in range(n)], "separator": ","})


@family("structural_tag", 4, 30, 300)
def grammars(n: int) -> Any:
    made = [{"type": "grammar", "grammar": f'root ::= root "{i}" | root root | "x"'} for i in range(n)]
    return whole({"type": "or", "elements": made})


@family("structural_tag", 4, 30, 300)
def patterns(n: int) -> Any:
    made = [{"type": "regex", "pattern": f"(?!k{i})[a-z]*{i}[ab]{{{i}}}"} for i in range(n)]
    return whole({"type": "sequence", "elements": made})


@family("structural_tag", 50, 250)
def pattern_of_keys(n: int) -> Any:
    return whole(tag({"type": "regex", "pattern": ".*".join(f"k{i}" for i in range(n))}))


@family("structural_tag", 1000, 900_000)
def long_constant(n: int) -> Any:
    return whole(const("x" * n))


@family("structural_tag", 1000, 30_000)
def unknown_formats(n: int) -> Any:
    return whole({"type": "or", "elements": [{"type": "nope", "x": i} for i in range(n)]})


@family("structural_tag", 1000, 100_000)
def open_brackets(n: int) -> str:
    return '{"format":' * (n // 10)


@family("structural_tag", 10, 1000)
def marks_and_nul(n: int) -> Any:
    return whole(tag(TEXT, "\u202e\0" * n, ["\u2066" * n, "\0"]))


# ---- Styles of arguments ----

STYLES = [
    "qwen_xml", "minimax_xml", "glm_xml", "deepseek_xml", "deepseek_v4_1_xml", "kimi_k3_xml", "cohere_xml",
    "minimax_m3_xml",
]  # fmt: skip


def _styled(style: str, n: int) -> Any:
    schema = {
        "type": "object",
        "properties": {
            f"p{i}": [{"type": "string", "maxLength": i}, {"enum": ["a", "b c", i]}, True][i % 3] for i in range(n)
        },
        "required": [f"p{i}" for i in range(0, n, 2)],
    }
    return whole(
        tag({"type": "json_schema", "json_schema": schema, "style": style, "excludes": ["<x"]}, "<call>", "</call>")
    )


FAMILIES.extend(
    Family("structural_tag", f"style_{style}", lambda n, style=style: _styled(style, n), (10, 100, 1000), {})
    for style in STYLES
)


# ---- Tools: the structural tags of models ----


def _tool(i: int, n: int) -> Any:
    parameters = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "maxLength": 40 + i},
            "unit": {"enum": ["C", "F", f"u{i}"]},
            **{f"p{k}": {"type": ["integer", "null"], "minimum": k} for k in range(n)},
        },
        "required": ["city"],
        "additionalProperties": bool(i % 2),
    }
    return {"type": "function", "function": {"name": f"tool_{i}", "parameters": parameters}}


def _tools(model: str, n: int) -> Any:
    return {"model": model, "tools": [_tool(i, 4) for i in range(n)]}


def _one_large_tool(model: str, n: int) -> Any:
    return {"model": model, "tools": [_tool(0, n)], "tool_choice": "required", "any_order": True}


for _model in MODEL_FORMATS:
    FAMILIES.append(Family("tools", f"tools_{_model}", lambda n, model=_model: _tools(model, n), (20, 500), {}))
    FAMILIES.append(
        Family("tools", f"large_tool_{_model}", lambda n, model=_model: _one_large_tool(model, n), (300,), {})
    )
