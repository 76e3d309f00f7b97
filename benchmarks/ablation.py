"""Ablation, as in the paper's Table 1: what JIT, cross-grammar caching and repetition compression each change.

    python -m benchmarks ablation

The grammars are JSON Schemas of MaskBench (`$XG2LAB_DATA`/maskbench), written as EBNF by xgrammar's converter: all four
settings read the same grammars and the same valid instances. Each setting adds one mechanism to the one above it:

    baseline               every state's mask is made before the first step; nothing is shared or compressed
    jit                    a state's mask is made when a text first needs it (partial_jit_k=0)
    cross_grammar_cache    masks go from one grammar to the next, in the order of the run
    repetition_compression counted repetitions stay counted

`preprocessing_ms` is compilation, for the baseline with all masks. A schema whose masks take longer than `LIMIT_S`
counts as `n_given_up` and with that time; its steps are left out of every setting's masks. `mask_us` is a fill. The JIT
of the first visit is part of it, as it is of a user's step.

Source: XGrammar-2 section 4.3, Table 1.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.texts import DATA, Vocabulary, vocabulary
from xg2lab.errors import LimitError

N_SCHEMAS = 120
MAX_TOKENS = 400  # of one instance
LIMIT_S = 10.0
ALL = 2**31 - 1
NONE: dict[str, Any] = {"partial_jit_k": ALL, "cross_grammar_cache": False, "repetition_compression": False}
SETTINGS: dict[str, dict[str, Any]] = {
    "baseline": NONE,
    "jit": {**NONE, "partial_jit_k": 0},
    "cross_grammar_cache": {**NONE, "partial_jit_k": 0, "cross_grammar_cache": True},
    "repetition_compression": {"partial_jit_k": 0, "cross_grammar_cache": True, "repetition_compression": True},
}


@dataclass(frozen=True)
class Case:
    """A schema as EBNF, and the tokens of its valid instances."""

    name: str
    ebnf: str
    texts: list[list[int]]


@dataclass
class Setting:
    """What one setting took for the cases, in their order."""

    preprocessing_ms: list[float] = field(default_factory=list)
    fills_us: list[list[float]] = field(default_factory=list)
    given_up: list[bool] = field(default_factory=list)


def run() -> list[record.Figures]:
    words = vocabulary()
    engine = Xg2Lab(words)
    chosen: list[Case] = []
    for case in cases(words):
        if accepts(engine, case):
            chosen.append(case)
        if len(chosen) == N_SCHEMAS:
            break
    settings = {name: measure(words, chosen, options) for name, options in SETTINGS.items()}
    left_out = [any(setting.given_up[i] for setting in settings.values()) for i in range(len(chosen))]
    return [figures(words, name, setting, left_out) for name, setting in settings.items()]


def cases(words: Vocabulary) -> Iterator[Case]:
    """Schemas of MaskBench in a seeded order, those that the converter and the EBNF dialect can say."""
    path = DATA / "maskbench" / "dev.jsonl.xz"
    if not path.exists():
        raise SystemExit(f"ablation needs {path}; set XG2LAB_DATA to the data folder")
    try:
        convert: Any = import_module("xgrammar.testing")._json_schema_to_ebnf
    except ImportError as error:
        raise SystemExit(f"ablation needs xgrammar, whose converter writes the schemas as EBNF ({error})") from error
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    random.Random(1).shuffle(rows)
    for row in rows:
        valid = [json.dumps(test["data"], ensure_ascii=False) for test in row["tests"] if test["valid"]]
        texts = [tokens for text in valid[:2] if len(tokens := words.encoding.encode_ordinary(text)) <= MAX_TOKENS]
        if not texts:
            continue
        try:
            ebnf = convert(json.dumps(row["schema"]), any_whitespace=True, strict_mode=False)
        except RuntimeError:
            continue
        yield Case(row["id"], re.sub(r"\{(\d+), -1\}", r"{\1,}", ebnf), texts)


def accepts(engine: Xg2Lab, case: Case) -> bool:
    """Whether the grammar compiles and its texts are in it: only such can be timed."""
    try:
        engine.compiled = engine.compiler.compile_grammar(case.ebnf)
    except (ValueError, RuntimeError):
        return False
    for tokens in case.texts:
        engine.start()
        if not all(engine.accept(token) for token in tokens):
            return False
    return True


def measure(words: Vocabulary, chosen: list[Case], options: dict[str, Any]) -> Setting:
    """All cases, one after the other, with one compiler that keeps no whole grammars."""
    engine = Xg2Lab(words)
    engine.compiler = engine.xgr.GrammarCompiler(
        engine.compiler.tokenizer_info, options=engine.xgr.EngineOptions(**options), cache_enabled=False
    )
    engine.compiler.clear_cache()
    setting = Setting()
    for case in chosen:
        begin = time.perf_counter()
        try:
            engine.compiled = engine.compiler.compile_grammar(case.ebnf)
            is_ready = wait_for_masks(engine.compiled, begin + LIMIT_S)
        except LimitError:
            is_ready = False
        elapsed_s = time.perf_counter() - begin if is_ready else LIMIT_S
        setting.preprocessing_ms.append(elapsed_s * 1e3)
        setting.given_up.append(not is_ready)
        setting.fills_us.append([us for tokens in case.texts for us in fills_us(engine, tokens)] if is_ready else [])
        engine.compiled = None  # ends what the background still does
    return setting


def wait_for_masks(compiled: Any, end: float) -> bool:
    """Whether the masks that are to be made ahead are there before `end`."""
    while (progress := compiled.jit_progress()) is not None and not progress["is_over"]:
        if time.perf_counter() > end:
            return False
        time.sleep(0.0002)
    return True


def fills_us(engine: Xg2Lab, tokens: list[int]) -> list[float]:
    """Each fill along a text."""
    engine.start()
    fills: list[float] = []
    for token in tokens:
        begin = time.perf_counter()
        engine.fill()
        fills.append((time.perf_counter() - begin) * 1e6)
        if not (engine.allows(token) and engine.accept(token)):
            raise RuntimeError(f"token {token} is refused")
    return fills


def figures(words: Vocabulary, name: str, setting: Setting, left_out: list[bool]) -> record.Figures:
    """The row of one setting."""
    fills = [us for one, out in zip(setting.fills_us, left_out, strict=True) if not out for us in one]
    return {
        "setting": name,
        "vocabulary": words.name,
        "n_schemas": len(setting.preprocessing_ms),
        "n_given_up": sum(setting.given_up),
        "preprocessing_ms_mean": sum(setting.preprocessing_ms) / len(setting.preprocessing_ms),
        "preprocessing_ms_median": record.quantile(setting.preprocessing_ms, 0.5),
        "n_masks": len(fills),
        "mask_us_mean": sum(fills) / len(fills),
        "mask_us_p50": record.quantile(fills, 0.5),
        "mask_us_p99": record.quantile(fills, 0.99),
    }
