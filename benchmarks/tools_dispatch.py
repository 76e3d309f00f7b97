"""Real tools behind one trigger: compile and first mask, then masks in free text and in calls; peers where they can.

    python -m benchmarks tools_dispatch

Tools are the first 1, 10, 100, 500 and 1,000 of the tests' data folder (`$XG2LAB_DATA`/bfcl); each has the tag
`<function=NAME>`, and its arguments are any JSON object, as the guide's grammar has it: schemas are not part of this
measurement. Aims: compile and first mask of 500 tools at most 10 ms; then a mask at most 8 µs (median) and 50 µs (p99).

What a trigger means differs: with llguidance `<function=` must go on as one of the tags, with us and XGrammar an
unknown name is free text. The text that is measured holds known names only.
"""

from __future__ import annotations

import json
import lzma
import time
from importlib import import_module
from typing import Any

from benchmarks import record
from benchmarks.engines import Engine, LlGuidance, Xg2Lab, XGrammar
from benchmarks.texts import DATA, JSON_EBNF, JSON_LARK, Vocabulary, vocabulary

N_TOOLS = (1, 10, 100, 500, 1000)
N_COLD = 5
N_CALLS = 60
SLOW_MS = 20_000  # a peer that takes longer to compile is left out for more tools
RULES = JSON_EBNF.replace("root ::= basic_array | basic_object\n", "")
LARK = JSON_LARK.replace("start: array | object", 'start: object "</function>"')
SAME = ("n_tools",)  # columns in which rows must agree to be compared (benchmarks/ahead.py)
GROWS = "n_tools"  # the column over which figures may grow (benchmarks/scaling.py)


def read_tools() -> tuple[list[str], list[tuple[str, str, str]]]:
    """Distinct names of tools, and questions with a call each: text, name, arguments as JSON."""
    path = DATA / "bfcl" / "bfcl_v4_dev.jsonl.xz"
    if not path.exists():
        raise SystemExit(f"tools_dispatch needs {path}; set XG2LAB_DATA to the data folder")
    names: dict[str, None] = {}
    calls: list[tuple[str, str, str]] = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            names.update(dict.fromkeys(tool["function"]["name"] for tool in row["tools"]))
            for messages, turn in zip(row["question"], row["turns"] or [], strict=False):
                text = " ".join(message["content"] for message in messages)
                calls += [(text, call["name"], json.dumps(call["arguments"])) for call in turn]
    return list(names), calls


def conversation(names: list[str], calls: list[tuple[str, str, str]]) -> str:
    """Free text and calls in turn; where the tools are few, other tools' arguments are given to one of them."""
    known = set(names)
    own = [call for call in calls if call[1] in known][:N_CALLS]
    borrowed = [(text, names[i % len(names)], arguments) for i, (text, _, arguments) in enumerate(calls)]
    return "\n".join(
        f"{text}\n<function={name}>{arguments}</function>"
        for text, name, arguments in [*own, *borrowed[: N_CALLS - len(own)]]
    )


def ebnf(names: list[str]) -> str:
    tags = ", ".join(f'("<function={name}>", call)' for name in names)
    return f'root ::= TagDispatch({tags}, loop_after_dispatch=true)\ncall ::= basic_object "</function>"\n{RULES}'


def struct_tags(names: list[str]) -> str:
    tag: Any = import_module("llguidance").StructTag
    tags = [tag(trigger="<function=", begin=f"<function={name}>", grammar=LARK, end="") for name in names]
    return tag.to_grammar(tags, assume_special=False)


def engines(words: Vocabulary) -> list[Any]:
    """Ours first, then the peers that can be imported."""
    found: list[Any] = [Xg2Lab(words)]
    for peer in (XGrammar, LlGuidance):
        try:
            found.append(peer(words))
        except ImportError as error:
            print(f"left out: {peer.__name__} ({error})")
    return found


def compile_with(engine: Any, grammar: str) -> None:
    if isinstance(engine, LlGuidance):
        engine.compile_text(grammar)
    else:
        engine.compiled = engine.compiler.compile_grammar(grammar)


def cold_ms(engine: Any, grammar: str) -> float:
    """Compile, make a matcher, fill once; nothing of it known before."""
    begin = time.perf_counter()
    compile_with(engine, grammar)
    engine.start()
    engine.fill()
    return (time.perf_counter() - begin) * 1e3


def walk_us(engine: Engine, words: Vocabulary, text: str) -> dict[str, list[float]]:
    """Microseconds of each fill and accept, by where the step begins: in free text or in a call."""
    times: dict[str, list[float]] = {"free": [], "call": [], "accept": []}
    read = ""
    for token in words.encoding.encode_ordinary(text):
        is_call = read.rfind("<function=") > read.rfind("</function>")
        begin = time.perf_counter()
        engine.fill()
        middle = time.perf_counter()
        allowed = engine.allows(token)
        later = time.perf_counter()
        accepted = engine.accept(token)
        end = time.perf_counter()
        times["call" if is_call else "free"].append((middle - begin) * 1e6)
        times["accept"].append((end - later) * 1e6)
        if not (allowed and accepted):
            raise RuntimeError(f"{engine.name} refuses token {token} after {read[-40:]!r}")
        read = (read + words.tokens[token].decode("utf-8", "replace"))[-400:]
    return times


def measure(engine: Any, names: list[str], words: Vocabulary, text: str) -> record.Figures:
    grammar = struct_tags(names) if isinstance(engine, LlGuidance) else ebnf(names)
    first = [cold_ms(engine, grammar)]
    if first[0] < SLOW_MS / N_COLD:
        first += [cold_ms(engine, grammar) for _ in range(N_COLD - 1)]
    compile_with(engine, grammar)
    engine.start()
    engine.fill()
    times = walk_us(engine, words, text)
    both = times["free"] + times["call"]
    row: dict[str, float | int | str] = {
        "engine": engine.name,
        "vocabulary": words.name,
        "n_tools": len(names),
        "n_tokens": len(both),
        "n_cold": len(first),
        "compile_and_first_mask_ms_median": record.quantile(first, 0.5),
        "mask_us_p50": record.quantile(both, 0.5),
        "mask_us_p99": record.quantile(both, 0.99),
        "mask_us_mean": sum(both) / len(both),
        "mask_us_max": max(both),
        "accept_us_p50": record.quantile(times["accept"], 0.5),
    }
    for where in ("free", "call"):
        row[f"mask_us_p50_{where}"] = record.quantile(times[where], 0.5)
        row[f"mask_us_p99_{where}"] = record.quantile(times[where], 0.99)
    return row


def run() -> list[record.Figures]:
    words = vocabulary()
    names, calls = read_tools()
    rows: list[record.Figures] = []
    for engine in engines(words):
        for n_tools in N_TOOLS:
            row = measure(engine, names[:n_tools], words, conversation(names[:n_tools], calls))
            rows.append(row)
            if float(row["compile_and_first_mask_ms_median"]) > SLOW_MS:
                print(f"left out: {engine.name} with more than {n_tools} tools, as it took so long to compile")
                break
    return rows
