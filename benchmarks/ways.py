"""What each way to a mask is worth: the same texts with one way after the other switched off.

    python -m benchmarks ways

A way that could go without making some collection slower is not worth its lines. Collections:

    schemas           JSON Schemas of MaskBench, white space without a bound
    schemas_bounded   the same with `max_whitespace_cnt=8`: bounded white space, which `counted_runs` is for
    json              the guide's JSON grammar over a text of 20 kB
    tools             100 tools behind one trigger (tools_dispatch.py)
    python, ...       programs (programs.py)

Settings take turns, grammar by grammar, so that a busy moment of the machine meets all alike; each setting keeps what
its own grammars share, and nothing is known before a collection. A grammar counts with the least of `N_TURNS` turns
over the collection, and a fill with the least of its own. `first_cpu_ms` is compiling, making a matcher and its first
fill, `fills_cpu_ms` the other fills along the grammar's texts. Both are the thread's own time, summed over the
collection; `over_all_on` compares the sum of both with that of the row `all on`. `fill_cpu_us_p50` and `_p99` are
percentiles of single fills, `slowest_fill_cpu_ms` is one fill.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import programs, record, tools_dispatch
from benchmarks.engines import Xg2Lab
from benchmarks.json_schema.cases import maskbench
from benchmarks.texts import JSON_EBNF, Vocabulary, json_text, tokens_of, vocabulary

SAME = ("collection",)
N_TURNS = 3
N_SCHEMAS = 120
N_PROGRAMS = 12
MAX_TOKENS = 600  # of one text
SETTINGS: dict[str, dict[str, Any]] = {
    "all on": {},
    "no entries": {"context_walks": "always"},
    "no walks": {"context_walks": "never"},
    "no shared walks": {"shared_walks": False},
    "no counted runs": {"counted_runs": False},
    "no token classes": {"token_classes": False},
    "no context expansion": {"context_expansion": False},
    "no cross-grammar cache": {"cross_grammar_cache": False},
}
Compile = Callable[[Any], Any]  # a compiled grammar, by a GrammarCompiler


@dataclass(frozen=True)
class Case:
    """A grammar and the tokens of texts in it."""

    compile: Compile
    texts: Sequence[Sequence[int]]


@dataclass
class Costs:
    """The thread's own time for one case, in seconds."""

    first: float
    fills: list[float]  # of each token


def run() -> list[record.Figures]:
    words = vocabulary()
    return [row for name, cases in collections(words) for row in measure(words, name, list(cases))]


def collections(words: Vocabulary) -> Iterator[tuple[str, Iterator[Case]]]:
    """Each collection by its name."""
    yield "schemas", schemas(words)
    yield "schemas_bounded", schemas(words, max_whitespace_cnt=8)
    yield "json", iter([Case(lambda c: c.compile_grammar(JSON_EBNF), [tokens_of(words, json_text(20_000))[0]])])
    yield "tools", iter([tools(words)])
    for language in ("python", "javascript", "java", "sql"):
        yield language, iter([in_language(words, language)])


def schemas(words: Vocabulary, **options: Any) -> Iterator[Case]:
    """Schemas with their valid instances."""

    def compile_of(schema: Any) -> Compile:
        return lambda c: c.compile_json_schema(schema, any_whitespace=True, strict_mode=False, **options)

    for case in maskbench(N_SCHEMAS):
        texts = [words.encoding.encode_ordinary(text) for text, ok in zip(case.texts, case.valid, strict=True) if ok]
        yield Case(compile_of(case.schema), [tokens for tokens in texts[:2] if len(tokens) <= MAX_TOKENS])


def tools(words: Vocabulary) -> Case:
    """Questions and calls of 100 tools."""
    names, calls = tools_dispatch.read_tools()
    text = tools_dispatch.conversation(names[:100], calls)
    source = tools_dispatch.ebnf(names[:100])
    return Case(lambda c: c.compile_grammar(source), [words.encoding.encode_ordinary(text)])


def in_language(words: Vocabulary, language: str) -> Case:
    """Programs of one language."""
    texts = [tokens_of(words, text)[0][:MAX_TOKENS] for text in programs.programs(language)[:N_PROGRAMS]]
    if language in programs.OURS:
        return Case(lambda c: c.compile_grammar(programs.OURS[language].ebnf), texts)
    lark = programs.lark_of(language)
    return Case(lambda c: c.compile_lark(lark), texts)


def measure(words: Vocabulary, collection: str, cases: Sequence[Case]) -> list[record.Figures]:
    """The rows of one collection. A case that fails under one setting counts for no setting."""
    engine = Xg2Lab(words)
    compilers = {name: compiler(engine, i, options) for i, (name, options) in enumerate(SETTINGS.items())}
    turns: list[list[dict[str, Costs]]] = []  # by case
    for _ in range(N_TURNS):
        for one in compilers.values():
            one.clear_cache()
        turns.append([case_costs(engine, compilers, case, first=i) for i, case in enumerate(cases)])
    taken = [i for i in range(len(cases)) if all(len(turn[i]) == len(SETTINGS) for turn in turns)]
    rows: list[record.Figures] = []
    for name in SETTINGS:
        least = [least_of([turn[i][name] for turn in turns]) for i in taken]
        fills = np.concatenate([costs.fills for costs in least])
        rows.append(
            {
                "collection": collection,
                "setting": name,
                "vocabulary": words.name,
                "n_grammars": len(taken),
                "first_cpu_ms": sum(costs.first for costs in least) * 1e3,
                "fills_cpu_ms": float(fills.sum()) * 1e3,
                "fill_cpu_us_p50": float(np.percentile(fills, 50)) * 1e6,
                "fill_cpu_us_p99": float(np.percentile(fills, 99)) * 1e6,
                "slowest_fill_cpu_ms": float(fills.max()) * 1e3,
            }
        )
    sums = [float(row["first_cpu_ms"]) + float(row["fills_cpu_ms"]) for row in rows]
    return [{**row, "over_all_on": of / sums[0]} for row, of in zip(rows, sums, strict=True)]


def compiler(engine: Xg2Lab, number: int, options: dict[str, Any]) -> Any:
    """A compiler that shares no pool with those of other numbers."""
    apart = engine.xgr.EngineOptions(max_pool_bytes=2**29 + number, **options)
    return engine.xgr.GrammarCompiler(engine.compiler.tokenizer_info, options=apart, cache_enabled=False)


def least_of(turns: Sequence[Costs]) -> Costs:
    """The least that each part of a case took in any turn."""
    fills = [min(of_turns) for of_turns in zip(*(costs.fills for costs in turns), strict=True)]
    return Costs(min(costs.first for costs in turns), fills)


def case_costs(engine: Xg2Lab, compilers: dict[str, Any], case: Case, first: int) -> dict[str, Costs]:
    """The costs of a case by setting; a setting that refuses it is missing. `first`: which setting begins."""
    found: dict[str, Costs] = {}
    in_turn = list(compilers.items())
    for name, of in [*in_turn[first % len(in_turn) :], *in_turn[: first % len(in_turn)]]:
        try:
            found[name] = costs(engine, of, case)
        except engine.refusals:
            continue
    return found


def costs(engine: Xg2Lab, compiler: Any, case: Case) -> Costs:
    """One setting of one case."""
    begin = time.thread_time()
    engine.compiled = case.compile(compiler)
    engine.start()
    engine.fill()
    first = time.thread_time() - begin
    fills: list[float] = []
    for tokens in case.texts:
        engine.start()
        for token in tokens:
            begin = time.thread_time()
            engine.fill()
            fills.append(time.thread_time() - begin)
            if not engine.accept(token):
                break  # a program that the grammar does not take is measured as far as it goes
    return Costs(first, fills)
