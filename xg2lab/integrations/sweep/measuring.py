r"""One schema through every engine: the function that all runners call, in a process that stays warm.

>>> from xg2lab import TokenizerInfo
>>> info = TokenizerInfo([*"0123456789", "</s>"], stop_token_ids=[10])
>>> tools = Tools(SweepOptions(what=("audit",)), info)
>>> line = b'{"schema": {"type": "integer", "maximum": 20}, "tests": [{"data": 7, "valid": true}, {"data": 70}]}'
>>> row = measured(line, tools)
>>> row["verdict"], row["n_instances"], row["n_wrongly_rejected"], row["engines"][0]["n_accepted"]
('compiled', 2, 0, 1)

IDEA
  A row is done in stages: each engine, coverage, the judge, the model. The process says which stage begins, so that
  whoever watches it knows what crashed or hung, and can ask for the row again without that stage (`lost`).

WHAT A TIME COUNTS
  `first_us`: from the schema's text to the first mask: conversion, compilation, a matcher, a fill. `mask_*_us`: `fill`
  alone, before each token of each instance and after the last; the percentiles are over all instances of the row.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from xg2lab.errors import Xg2LabError, visible
from xg2lab.integrations.sweep.cases import Case, read_case
from xg2lab.integrations.sweep.engines import WarmEngine, engine_of, schema_source
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.rows import (
    Disagreement,
    EngineResult,
    SweepRow,
    buckets_of,
    empty_engine,
    empty_row,
    quantile_of,
)
from xg2lab.lab.engines.judging import judge_instance
from xg2lab.lab.engines.protocol import Engine, EngineSource, Row
from xg2lab.sources.schema_words import KEYWORDS
from xg2lab.support.places import JsonPlaces

if TYPE_CHECKING:
    from xg2lab.integrations.sweep.generating import Writer
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Lost", "Tools", "measured"]

#: The stages that a row is to be done without, and why: (verdict, message).
Lost = Mapping[str, tuple[str, str]]

MOST_MESSAGE = 2000  # characters that are kept of an error
MOST_DISAGREEMENTS = 20  # of a row
MOST_TEXT = 2000  # characters of an instance that are kept with a disagreement
MOST_MASK_BYTES = 64 << 20  # of the reference's masks, for the comparison
N_DRAWN = 2  # sentences, where a schema has no instances
#: Where no keyword alone is at fault, and the whole schema at a place is left out.
SEVERAL = "several at once"
_WARM_UP = '{"type": "object", "properties": {"warm_up": {"type": "string"}}}'


class Tools:
    """What stays from row to row in a process: the vocabulary, the engines, the model.

    Parameters
    ----------
    options : SweepOptions
        What is to be done.
    info : TokenizerInfo
        The vocabulary.
    """

    def __init__(self, options: SweepOptions, info: TokenizerInfo) -> None:
        self.options, self.info = options, info
        self.engines: list[tuple[str, Engine]] = [(name, engine_of(name)) for name in options.engines]
        self.stops: list[int] = list(info.stop_token_ids)
        self.writer: Writer | None = None
        if {"generate", "unconstrained"} & {*options.what}:
            from xg2lab.integrations.sweep.generating import Writer

            self.writer = Writer(options)

    def warm_up(self) -> None:
        """Do once what an engine does once a process. A peer that fails here fails again where it is reported."""
        for _, engine in self.engines:
            try:
                engine.compile(schema_source(_WARM_UP), self.info)
                engine.fill(self.row())
            except Exception:  # noqa: BLE001, S112 (whatever a stranger's code raises)
                continue

    def row(self) -> Row:
        """Zeros for a bitmask."""
        return np.zeros((self.info.vocab_size + 31) // 32, np.int32)


@dataclass
class _Text:
    """An instance as tokens. `index` is negative for a sentence that was drawn."""

    index: int
    text: str
    ids: list[int]
    is_valid: bool | None


@dataclass
class _Walk:
    """One engine on one text."""

    accepted: bool
    masks: list[bytes]
    times: list[float]
    wrong: str = ""  # where the mask and accept first disagreed
    n_wrong: int = 0


@dataclass
class _Found:
    """What an engine did with a schema: its part of the row, and its walks by the texts' indices."""

    result: EngineResult
    walks: dict[int, _Walk] = field(default_factory=dict[int, _Walk])


def measured(
    data: bytes, tools: Tools, lost: Lost | None = None, begin: Callable[[str], None] = lambda _stage: None
) -> SweepRow:
    """Do one line of the input.

    Parameters
    ----------
    data : bytes
        The line.
    tools : Tools
        What the process keeps.
    lost : dict of str to (str, str), optional
        Stages that crashed or hung before, with verdict and message.
    begin : callable
        Called with the name of each stage that begins.

    Returns
    -------
    SweepRow
        Whatever goes wrong is a result in it. Its `id`, `line`, `settings` and `command` are the caller's to set.
    """
    lost = lost or {}
    started = time.perf_counter()
    try:
        case = read_case(data)
        case.schema.encode()
        source = schema_source(case.schema, strict_mode=tools.options.strict_mode)
    except (Xg2LabError, UnicodeEncodeError) as error:
        row = empty_row("", 0, "unreadable", message=_cut(str(error)), error=type(error).__name__)
        row["schema"] = visible(data[:MOST_TEXT].decode("utf-8", "backslashreplace"))
        return row
    row = empty_row("", 0, "compiled")
    row["name"], row["schema"] = case.name, case.schema
    row["lost"] = sorted(lost)
    texts, n_unspelled = _texts(case, tools)
    row["n_instances"], row["n_unspelled"] = len(texts), n_unspelled
    if "coverage" not in lost:
        begin("coverage")
        texts += _covered(row, source, tools, draws=not texts and "compare" in tools.options.what)
    if any(one.is_valid is None for one in texts) and "judge" not in lost:
        begin("judge")
        for one in texts:
            if one.is_valid is None:
                one.is_valid = judge_instance(source, one.text).is_valid
    _engines(row, source, texts, tools, lost, begin)
    if tools.writer is not None:
        for stage, key in (("generate", "generated"), ("unconstrained", "unconstrained")):
            if stage not in tools.options.what:
                continue
            if stage in lost:
                row[key] = tools.writer.failed(lost[stage][1], case)
            else:
                begin(stage)
                row[key] = tools.writer.write(case, source, is_free=stage == "unconstrained")
    row["seconds"] = round(time.perf_counter() - started, 6)
    return row


def _texts(case: Case, tools: Tools) -> tuple[list[_Text], int]:
    """The instances as tokens, and how many the vocabulary can't spell."""
    if not {"audit", "compare"} & {*tools.options.what}:
        return [], 0
    found: list[_Text] = []
    for index, instance in enumerate(case.instances):
        try:
            ids = tools.info.encode_greedy(instance.text)
        except (Xg2LabError, UnicodeEncodeError):
            continue
        found.append(_Text(index, instance.text, ids, instance.is_valid))
    return found, len(case.instances) - len(found)


# ---- Coverage ----


def _covered(row: SweepRow, source: EngineSource, tools: Tools, *, draws: bool) -> list[_Text]:
    """Writes the states of the keywords into the row. Returns sentences of the grammar, if they are to be drawn."""
    from xg2lab.grammar import Grammar
    from xg2lab.language.members import sample

    try:
        grammar = Grammar.from_json_schema(source.text, on_unsupported="relax", **source.schema_options)
    except Xg2LabError:
        return []  # the engine says the same, and where
    uses = grammar.coverage
    row["n_enforced"] = sum(use.state == "enforced" for use in uses)
    row["n_annotations"] = sum(use.state == "annotation" for use in uses)
    refused = [use for use in uses if use.state in ("relaxed", "refused")]
    row["n_relaxed"] = len(refused)
    row["refused_keywords"] = sorted({use.keyword if use.keyword in KEYWORDS else SEVERAL for use in refused})
    drawn: list[_Text] = []
    if draws and not refused:
        try:
            for k, text in enumerate(sample(grammar, N_DRAWN, seed=0)):
                drawn.append(_Text(-1 - k, text, tools.info.encode_greedy(text), None))
        except Xg2LabError:
            return drawn  # no sentence of that length, or the vocabulary can't spell it
    return drawn


# ---- Engines ----


def _engines(
    row: SweepRow,
    source: EngineSource,
    texts: Sequence[_Text],
    tools: Tools,
    lost: Lost,
    begin: Callable[[str], None],
) -> None:
    compares = "compare" in tools.options.what
    reference: _Found | None = None
    for name, engine in tools.engines:
        stage = f"engine {name}"
        if stage in lost:
            verdict, message = lost[stage]
            found = _Found(empty_engine(name, verdict, message=message))
        else:
            begin(stage)
            found = _one(name, engine, source, texts, tools)
        row["engines"].append(found.result)
        if reference is None:
            reference = found
        elif compares and len(row["disagreements"]) < MOST_DISAGREEMENTS:
            row["disagreements"] += _parted(reference, found, texts, tools)
            del row["disagreements"][MOST_DISAGREEMENTS:]
    first = row["engines"][0]
    row["verdict"], row["error"], row["code"] = first["verdict"], first["error"], first["code"]
    row["pointer"], row["keyword"], row["message"] = first["pointer"], first["keyword"], first["message"]
    row["n_wrongly_rejected"] = len(first["wrongly_rejected"])
    row["n_wrongly_accepted"] = len(first["wrongly_accepted"])
    if first["code"].startswith("unsupported_") and first["keyword"] and not row["refused_keywords"]:
        row["refused_keywords"] = [first["keyword"]]  # a relaxed reading failed as well


def _one(name: str, engine: Engine, source: EngineSource, texts: Sequence[_Text], tools: Tools) -> _Found:
    result = empty_engine(name, "compiled", version=str(engine.version))
    bitmask = tools.row()
    begun = time.perf_counter()
    try:
        engine.compile(source, tools.info)
        compiled = time.perf_counter()
        engine.fill(bitmask)
        ended = time.perf_counter()
    except Exception as error:  # noqa: BLE001 (whatever a stranger's code raises is a result)
        _refused(result, error, source, is_ours=isinstance(engine, WarmEngine))
        return _Found(result)
    result["compile_us"] = round((compiled - begun) * 1e6, 2)
    result["first_us"] = round((ended - begun) * 1e6, 2)
    found = _Found(result)
    keeps = MOST_MASK_BYTES if "compare" in tools.options.what else 0
    times: list[float] = []
    for k, one in enumerate(texts):
        try:
            walk = _walked(_begin(engine, source, tools, k), one, tools, keeps)
        except Exception as error:  # noqa: BLE001
            result["verdict"], result["error"] = "failed", type(error).__name__
            result["message"] = _cut(f"instance {one.index}: {error}")
            result["code"] = group_of(str(error))
            break
        keeps -= sum(map(len, walk.masks))
        found.walks[one.index] = walk
        times += walk.times
        _judged(result, one, walk)
    times.sort()
    result["n_masks"] = len(times)
    for key, share in (("mask_p50_us", 0.5), ("mask_p90_us", 0.9), ("mask_p99_us", 0.99), ("mask_max_us", 1.0)):
        result[key] = round(quantile_of(times, share), 2)
    result["mask_histogram"] = _histogram(times)
    return found


def _begin(engine: Engine, source: EngineSource, tools: Tools, k: int) -> Engine:
    """The engine at the beginning of an output; the compiled one itself stays there."""
    try:
        return engine.fork()
    except NotImplementedError:
        if k > 0:
            engine.compile(source, tools.info)
        return engine


def _walked(engine: Engine, one: _Text, tools: Tools, keeps: int) -> _Walk:
    """Every token of a text: the mask before it, and whether accept says the same."""
    walk = _Walk(accepted=False, masks=[], times=[])
    bitmask = tools.row()
    clock = time.perf_counter_ns
    for k in range(len(one.ids) + 1):
        bitmask.fill(0)
        begun = clock()
        engine.fill(bitmask)
        walk.times.append((clock() - begun) / 1e3)
        if keeps > 0:
            walk.masks.append(bitmask.tobytes())
            keeps -= bitmask.nbytes
        if k == len(one.ids):
            allowed = [stop for stop in tools.stops if _has(bitmask, stop)]
            walk.accepted = bool(allowed)
            token_id = allowed[0] if allowed else tools.stops[0] if tools.stops else None
            if token_id is None:
                break
        else:
            token_id = one.ids[k]
        is_allowed = _has(bitmask, token_id)
        is_taken = engine.accept(token_id)
        if is_allowed != is_taken:
            walk.n_wrong += 1
            said = "allows it, and accept refuses it" if is_allowed else "forbids it, and accept takes it"
            walk.wrong = walk.wrong or f"instance {one.index}, token {k} ({token_id}): the mask {said}"
            walk.accepted = walk.accepted and is_taken
        if not is_taken:
            break
    return walk


def _has(bitmask: Row, token_id: int) -> bool:
    return bool(int(bitmask[token_id >> 5]) >> (token_id & 31) & 1)


def _judged(result: EngineResult, one: _Text, walk: _Walk) -> None:
    result["n_accepted"] += walk.accepted
    result["mask_not_accept"] += walk.n_wrong
    result["first_mask_not_accept"] = result["first_mask_not_accept"] or walk.wrong
    if one.is_valid is not None and walk.accepted != one.is_valid:
        result["wrongly_accepted" if walk.accepted else "wrongly_rejected"].append(one.index)
        result["first_wrong"] = result["first_wrong"] or one.text[:MOST_TEXT]


def _histogram(times: Sequence[float]) -> list[int]:
    return np.bincount(buckets_of(times)).tolist()


# ---- Refusals ----


def _refused(result: EngineResult, error: Exception, source: EngineSource, *, is_ours: bool) -> None:
    """Writes why an engine does not read a schema: the class, the code, the keyword's place, the message."""
    result["verdict"], result["error"] = "refused", type(error).__name__
    result["message"], result["code"] = _cut(str(error)), group_of(str(error))
    if not is_ours or not isinstance(error, Xg2LabError):
        result["verdict"] = "failed" if is_ours else "refused"
        return
    place = next((one for one in error.diagnostics if one.severity == "error"), None)
    if place is not None and place.code:
        result["code"] = place.code
    pointer = error.pointer or (place.pointer if place else None)
    if pointer is None and place is not None and place.span != (0, 0):
        pointer = _pointer(error.source or source.text, place.span[0])
    result["pointer"] = pointer or ""
    result["keyword"] = result["pointer"].rpartition("/")[2].replace("~1", "/").replace("~0", "~")


def _pointer(text: str, offset: int) -> str | None:
    try:
        return JsonPlaces.of(text.encode()).at(offset).pointer
    except (ValueError, IndexError, RecursionError):
        return None


def group_of(message: str) -> str:
    r"""The message without what differs between schemas, so that like refusals are counted together.

    >>> group_of("[10:02:11] /a/b.cc:123: pattern 'a{7}' is too long\nmore")
    "pattern '…' is too long"
    """
    text = message.strip().splitlines()[0] if message.strip() else "no message"
    text = re.sub(r"^(\[[\d:]+\] )?(\S+\.cc:\d+: )?", "", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", lambda found: found[0][0] + "…" + found[0][0], text)
    return visible(re.sub(r"\d+", "N", text))[:100]


def _cut(message: str) -> str:
    shown = visible(message)
    return shown if len(shown) <= MOST_MESSAGE else shown[: MOST_MESSAGE - 1] + "…"


# ---- Comparison ----


def _parted(a: _Found, b: _Found, texts: Sequence[_Text], tools: Tools) -> list[Disagreement]:
    """Where an engine parts from the reference: by each text the first masks that differ, and the verdicts."""
    found: list[Disagreement] = []
    for one in texts:
        walks = a.walks.get(one.index), b.walks.get(one.index)
        if walks[0] is None or walks[1] is None:
            continue
        names = a.result["name"], b.result["name"]
        part = _first_difference(walks[0], walks[1], tools)
        accepts = walks[0].accepted, walks[1].accepted
        if part is None and accepts[0] == accepts[1]:
            continue
        step, only_a, only_b = part or (0, [], [])
        wrong, why = _who(names, accepts, one.is_valid)
        found.append(
            {
                "kind": "instance" if accepts[0] != accepts[1] else "mask",
                "a": names[0],
                "b": names[1],
                "instance": one.index,
                "text": one.text[:MOST_TEXT],
                "step": step,
                "byte": sum(len(tools.info.decoded_vocab[k]) for k in one.ids[:step]),
                "only_a": len(only_a),
                "only_b": len(only_b),
                "example_a": tools.info.token_text(only_a[0]) if only_a else "",
                "example_b": tools.info.token_text(only_b[0]) if only_b else "",
                "wrong": wrong,
                "why": why,
            }
        )
    return found


def _first_difference(a: _Walk, b: _Walk, tools: Tools) -> tuple[int, list[int], list[int]] | None:
    for step, (left, right) in enumerate(zip(a.masks, b.masks, strict=False)):
        if left == right:
            continue
        bits = [
            np.unpackbits(np.frombuffer(one, np.uint8), bitorder="little")[: tools.info.vocab_size]
            for one in (left, right)
        ]
        only_a, only_b = np.flatnonzero(bits[0] > bits[1]).tolist(), np.flatnonzero(bits[1] > bits[0]).tolist()
        if only_a or only_b:
            return step, only_a, only_b
    return None


def _who(names: tuple[str, str], accepts: tuple[bool, bool], is_valid: bool | None) -> tuple[str, str]:
    """Which engine the label of an instance contradicts."""
    if accepts[0] == accepts[1]:
        return "", "both have the same verdict on the instance"
    if is_valid is None:
        return "", "the input does not say whether the instance is valid, and jsonschema can't"
    wrong: Any = names[0] if accepts[0] != is_valid else names[1]
    return wrong, f"the instance is {'valid' if is_valid else 'not valid'}, and {wrong} says otherwise"
