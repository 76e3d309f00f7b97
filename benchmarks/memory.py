"""What is kept: bytes of a compiled grammar, of a matcher, of a byte of history, of a mask entry, beside the peers.

    python -m benchmarks memory

All but the last two are what the process grows by (resident set), each engine in processes of its own, so that what an
earlier one freed helps nobody. Schemas are `N_SCHEMAS` of MaskBench that every engine compiles:

    grammar_bytes           after compiling and a first mask, a grammar
    walked_bytes            after reading their valid instances too, a grammar
    matcher_bytes           of `N_MATCHERS` matchers in the JSON grammar, 100 bytes into a text, a matcher
    history_bytes_per_byte  of one matcher along 200 kB of JSON, after another, kept, has read the same
    entry_bytes             a mask entry in the pool, by our own account: its tokens and its share of the index
    pool_bytes              that pool in all; its budget is `EngineOptions.max_pool_bytes`
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
from typing import Any

from benchmarks import record
from benchmarks.engines import Engine, LlGuidance, Xg2Lab, XGrammar
from benchmarks.json_schema.cases import Case, maskbench
from benchmarks.long_document import resident_bytes
from benchmarks.steps import takes
from benchmarks.texts import Vocabulary, json_text, vocabulary

SAME = ()
N_SCHEMAS = 24
N_MATCHERS = 1000


def run() -> list[record.Figures]:
    words = vocabulary()
    cases = maskbench(N_SCHEMAS)
    kinds = [Xg2Lab, XGrammar, LlGuidance]
    compiled = [in_process(_names, kind, words, cases) for kind in kinds]
    names = set.intersection(*(set(each) for each in compiled if each is not None))
    chosen = [case for case in cases if case.name in names]
    rows: list[record.Figures] = []
    for kind in kinds:
        grammars = in_process(_of_grammars, kind, words, chosen)
        matchers = in_process(_of_matchers, kind, words, chosen)
        if grammars is None or matchers is None:
            print(f"left out: {kind.__name__}")
        else:
            rows.append(
                {**grammars, **matchers, "vocabulary": words.name, "n_schemas": len(chosen), "n_matchers": N_MATCHERS}
            )
    return rows


def in_process(act: Any, kind: Any, words: Vocabulary, cases: list[Case]) -> Any:
    """What `act` returns in a process of its own; None where the engine is missing or the process died."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def child() -> None:
        try:
            theirs.send(act(kind(words), words, cases))
        except ImportError:
            theirs.send(None)

    process = context.Process(target=child)
    process.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = None
    process.join()
    return found


def _names(engine: Engine, _: Vocabulary, cases: list[Case]) -> list[str]:
    """The schemas that an engine compiles."""
    found: list[str] = []
    for case in cases:
        try:
            engine.compile_schema(case.schema)
        except engine.refusals:
            continue
        found.append(case.name)
    return found


def _of_matchers(engine: Any, words: Vocabulary, _cases: list[Case]) -> dict[str, float | int | str]:
    """Matchers and history, in a process that has freed nothing before: what is measured is kept to the end."""
    engine.compile()
    tokens = words.encoding.encode_ordinary(json_text(200_000))
    short = words.encoding.encode_ordinary(json_text(200_000)[:100])
    assert takes(engine, short)
    matchers: list[Any] = [engine.matcher]
    before = settled_bytes()
    for _ in range(N_MATCHERS):
        assert takes(engine, short)
        matchers.append(engine.matcher)
    row: dict[str, float | int | str] = {"matcher_bytes": (settled_bytes() - before) / N_MATCHERS}
    assert takes(engine, tokens)
    matchers.append(engine.matcher)
    before = settled_bytes()
    assert takes(engine, tokens)
    row["history_bytes_per_byte"] = (settled_bytes() - before) / 200_000
    return row


def _of_grammars(engine: Any, words: Vocabulary, cases: list[Case]) -> dict[str, float | int | str]:
    engine.forget()
    kept: list[Any] = []
    before = settled_bytes()
    for case in cases:
        engine.compile_schema(case.schema)
        engine.start()
        engine.fill()
        kept.append(engine.compiled)
    row: dict[str, float | int | str] = {"engine": engine.name}
    row["grammar_bytes"] = (settled_bytes() - before) / len(cases)
    for case, compiled in zip(cases, kept, strict=True):
        engine.compiled = compiled
        for text, is_valid in zip(case.texts, case.valid, strict=True):
            if is_valid:
                _walk(engine, words.encoding.encode_ordinary(text))
    row["walked_bytes"] = (settled_bytes() - before) / len(cases)
    if isinstance(engine, Xg2Lab) and not isinstance(engine, XGrammar):
        pool = engine.compiler.pool
        assert pool is not None
        row["pool_bytes"], row["entry_bytes"] = pool.size_bytes, pool.size_bytes / max(1, pool.n_entries)
    return row


def _walk(engine: Engine, tokens: list[int]) -> None:
    """Fills and accepts as far as the engine goes: peers refuse some valid instances."""
    engine.start()
    for token in tokens:
        engine.fill()
        if not engine.allows(token) or not engine.accept(token):
            return


def settled_bytes() -> int:
    """The resident set, once what was freed has been given back (by glibc's `malloc_trim`, where there is one)."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return resident_bytes()
