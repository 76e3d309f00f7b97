"""Real tools with their schemas in two models' formats, Llama's and Harmony's: first mask, then the steps of calls.

    python -m benchmarks tools_formats

Tools are 1, 10, 100, 500 and 1,000 of the data folder's (`$XG2LAB_DATA`/bfcl), each with its own schema. We
and XGrammar take what `get_model_structural_tag` of each gives (tool_choice "auto"); llguidance takes Llama's as
`StructTag`s with the same trigger, beginnings and ends. Calls are those of the data that every engine of the run
takes; an engine that would need more than `SECONDS` to compile, as time has grown so far, is not asked for more tools.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from benchmarks import record, steps
from benchmarks.engines import LlGuidance, XGrammar, engines
from benchmarks.texts import DATA, Vocabulary, tokens_of, vocabulary

SAME = ("model", "n_tools")  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "n_tools"  # the column over which figures may grow (benchmarks/scaling.py)
N_TOOLS = (1, 10, 100, 500, 1000)
MODELS = ("llama", "harmony")
N_CALLS = 40
SECONDS = 60.0
HEADS = {
    "llama": ('{"name": ', '{"name": "NAME", "parameters": ', "}"),
    "harmony": ("", " to=functions.NAME<|channel|>commentary json<|message|>", "<|call|>"),
}


def read() -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Tools with distinct names, those that are called first, and their calls: name, arguments as JSON."""
    path = DATA / "bfcl" / "bfcl_v4_dev.jsonl.xz"
    if not path.exists():
        raise SystemExit(f"tools_formats needs {path}; set XG2LAB_DATA to the data folder")
    tools: dict[str, dict[str, Any]] = {}
    calls: list[tuple[str, str]] = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            own = {tool["function"]["name"]: tool for tool in row["tools"]}
            new = {name for name in own if name not in tools}
            tools |= {name: own[name] for name in new}
            asked = [call for turn in row["turns"] or [] for call in turn if call["valid"] and call["name"] in new]
            calls += [(call["name"], json.dumps(call["arguments"])) for call in asked]
    called = dict.fromkeys(name for name, _ in calls)
    return [tools[name] for name in [*called, *(name for name in tools if name not in called)]][: max(N_TOOLS)], calls


def compiler_of(engine: Any, model: str, tools: list[dict[str, Any]]) -> Callable[[], None] | None:
    """What compiles a model's tags for these tools into the engine; None if it has no such format."""
    if isinstance(engine, LlGuidance):
        return _with_struct_tags(engine, tools) if model == "llama" else None
    module = "xgrammar" if isinstance(engine, XGrammar) else "xg2lab.builtin_structural_tag"
    tag = import_module(module).get_model_structural_tag(model, tools, "auto", reasoning="disabled")

    def compile_it() -> None:
        engine.compiled = engine.compiler.compile_structural_tag(tag)

    return compile_it


def _with_struct_tags(engine: LlGuidance, tools: list[dict[str, Any]]) -> Callable[[], None]:
    struct_tag = engine.llguidance.StructTag
    trigger, begin, end = HEADS["llama"]

    def compile_it() -> None:
        tags = [
            struct_tag(
                trigger=trigger,
                begin=begin.replace("NAME", tool["function"]["name"]),
                grammar=tool["function"]["parameters"],
                end=end,
            )
            for tool in tools
        ]
        engine.compile_text(struct_tag.to_grammar(tags, assume_special=False))

    return compile_it


def run() -> list[record.Figures]:
    words = vocabulary()
    tools, calls = read()
    rows: list[record.Figures] = []
    for model in MODELS:
        last: dict[str, tuple[int, float]] = {}
        for n_tools in N_TOOLS:
            for row in measure(words, model, tools[:n_tools], calls, last):
                last[str(row["engine"])] = (n_tools, float(row["first_mask_ms_median"]) / 1e3)
                rows.append(row)
    return rows


def measure(
    words: Vocabulary, model: str, tools: list[Any], calls: list[tuple[str, str]], last: dict[str, tuple[int, float]]
) -> Iterator[record.Figures]:
    """The rows of one number of tools; `last` has what each engine took for fewer."""
    ready: list[tuple[Any, Callable[[], None]]] = []
    known = {tool["function"]["name"] for tool in tools}
    begin, end = HEADS[model][1:]
    texts = [begin.replace("NAME", name) + arguments + end for name, arguments in calls if name in known]
    chosen = [tokens_of(words, text) for text in texts[: 4 * N_CALLS]]
    for engine in engines(words):
        n_before, seconds = last.get(engine.name, (1, 0.0))
        compile_it = compiler_of(engine, model, tools)
        if compile_it is None or seconds * len(tools) / n_before > SECONDS:
            print(f"left out: {engine.name} in {model}'s format with {len(tools)} tools")
            continue
        try:
            compile_it()
        except (ValueError, RuntimeError) as error:
            print(f"left out: {engine.name}, {model}, {len(tools)} tools: {str(error).splitlines()[0][:120]}")
            continue
        chosen = [text for text in chosen if steps.takes(engine, text[0])]
        ready.append((engine, compile_it))
    labels = {"model": model, "vocabulary": words.name, "n_tools": len(tools)}
    for engine, compile_it in ready if chosen else []:
        slow = last.get(engine.name, (1, 0.0))[1] > SECONDS / 20
        figures = steps.measure(engine, compile_it, chosen[:N_CALLS], n_cold=1 if slow else 3)
        yield {"engine": engine.name, **labels, **figures}
