"""`xg2lab audit FILE`: other engines under a grammar, on given tokens, against ours and against themselves.

    xg2lab audit schema.json --engine xgrammar --text '{"k": "abcd"}'
    xg2lab audit schema.json --engine xgrammar --engine llguidance --ids 90 714 301
    xg2lab audit grammar.ebnf --text - < output.txt                    every engine that is installed
    xg2lab audit schema.json --text '{}' --vocabulary tokenizer.json   a tokenizer's file, "tiny" or "bytes"
    xg2lab audit schema.json --text '{"k": "abcd"}' --issue xgrammar   the text of an issue

Exit status: 0 if no engine parts from ours, lies or fails; 1 if one does; 2 if the call or a file is wrong. An engine
that does not read the grammar is reported, and counts as neither.
See also: docs/engines.md, `xg2lab.lab.engines`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from xg2lab.cli.commands import Source, read_data
from xg2lab.cli.terminal import say
from xg2lab.errors import ArgumentError, Xg2LabError
from xg2lab.support.files import MOST_BYTES, read_stream
from xg2lab.tokenizer_info import TokenizerInfo, VocabType

if TYPE_CHECKING:
    from xg2lab.lab.engines.engine_comparison import EngineComparison
    from xg2lab.lab.engines.protocol import EngineSource

__all__ = ["run_audit"]

TINY = Path(__file__).parents[1] / "tiny" / "tiny"


def run_audit(arguments: argparse.Namespace) -> int:
    """Run `xg2lab audit FILE`: compare engines on the tokens, check each mask of theirs, print what was found."""
    from xg2lab.lab.engines import EngineError, Worker, compare_engines, engine_names
    from xg2lab.lab.engines.auditing_engines import audit_engine
    from xg2lab.lab.engines.comparing_engines import spelled

    info = _vocabulary(arguments.vocabulary)
    ids = spelled(info, _text(arguments.text)) if arguments.ids is None else spelled(info, _ids(arguments.ids))
    source = _source(arguments)
    named = list(dict.fromkeys(arguments.engine or [name for name in engine_names() if not name.startswith("xg2lab")]))
    missing: list[str] = []
    engines: list[str] = []
    for name in named:
        try:
            Worker(name, info).close()
            engines.append(name)
        except EngineError as error:
            if arguments.engine or error.reason != "missing":
                raise
            missing.append(error.message)
    if not engines:
        raise ArgumentError(
            f"no other engine is installed: {'; '.join(missing)}", hint="pip install xgrammar llguidance"
        )
    report = compare_engines(source, ids, ["xg2lab", *engines], info, seconds=arguments.seconds)
    if arguments.issue is not None:
        say(report.issue_text(arguments.issue))
        return 1
    audits = [
        audit_engine(name, source, ids, info, seconds=arguments.seconds, call_seconds=arguments.seconds)
        for name in ["xg2lab", *engines]
    ]
    if arguments.format == "json":
        rows = [{**vars(one), "lies": [vars(lie) for lie in one.lies]} for one in audits]
        say(json.dumps({**report.to_wire(), "audits": rows, "left_out": missing}, indent=2))
    else:
        lines = [*_steps(report, arguments.steps), str(report), "masks against each engine's own accept"]
        lines += [f"  {one}" for one in audits]
        lines += [
            f"    step {lie.step}, {lie.text!r}: mask {lie.mask}, accept {lie.accept}"
            for one in audits
            for lie in one.lies[:5]
        ]
        say("\n".join([*lines, *(f"left out: {one}" for one in missing)]))
    return int(not report.ok or not all(one.ok for one in audits))


def _steps(report: EngineComparison, most: int) -> list[str]:
    """The steps with what each engine allows, as a table."""
    from xg2lab.lab.trace.table import shown

    names = [row.name for row in report.rows]
    lines = [f"{'step':>5}  {'token':<16}" + "".join(f"{name:>14}" for name in names)]
    for step in range(min(most, len(report.ids) + 1)):
        token = shown(report.texts[step], 15) if step < len(report.ids) else "the end"
        cells = []
        for row in report.rows:
            n = int.from_bytes(row.masks[step], "little").bit_count() if step < len(row.masks) else None
            taken = row.taken[step] if step < len(row.taken) else None
            cells.append("" if n is None else f"{n:,}{' refuses' if taken is False else ''}")
        lines.append(f"{step:>5}  {token:<16}" + "".join(f"{cell:>14}" for cell in cells))
    left = len(report.ids) + 1 - most
    return [*lines, f"  … {left:,} more steps: --steps shows them"] if left > 0 else lines


def _source(arguments: argparse.Namespace) -> EngineSource:
    """The file as text that every engine gets. A schema's own meaning is the default, other than for `compile`."""
    from xg2lab.lab.engines import EngineSource

    read = Source.of(arguments.file, arguments)
    unknown = [
        f"--{name.replace('_', '-')}" for name in ("relax", "any_order", "number_form") if getattr(arguments, name)
    ]
    if unknown:
        raise ArgumentError(f"{', '.join(unknown)}: other engines have no such option", hint="leave it out")
    text = read.data.decode("utf-8", "surrogateescape")
    if arguments.strict and arguments.no_strict:
        raise ArgumentError("--strict and --no-strict exclude each other", hint="give one; without, as --no-strict")
    options = {"strict_mode": True} if arguments.strict else {}
    return EngineSource(cast("Any", read.reader.name), text, options, arguments.root or "")


def _text(text: str) -> bytes:
    if text == "-":
        return read_stream(sys.stdin.buffer, MOST_BYTES, "the standard input")
    return text.encode("utf-8", "surrogateescape")


def _ids(words: list[str]) -> list[int]:
    """The numbers in the words, which may be a list as a log has it."""
    text = " ".join(words)
    if not re.fullmatch(r"[\s\d,\[\]()]*", text):
        raise ArgumentError(f"--ids {text[:80]}: these are not token ids", hint="give numbers: --ids 90 714 301")
    return [int(word) for word in re.findall(r"\d+", text)]


def _vocabulary(name: str) -> TokenizerInfo:
    """A vocabulary by name, or of a file: what `serialize_json` returned, or a tokenizer.json of byte-level BPE."""
    if name == "bytes":
        return TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])
    path = TINY / "tokenizer.json" if name == "tiny" else Path(name)
    data = read_data(str(path))
    try:
        facts: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(
            f"{path} is not JSON: {error}", hint="give a tokenizer.json, or `tiny` or `bytes`"
        ) from error
    if isinstance(facts, dict) and isinstance(facts.get("model"), dict):
        stops = json.loads((TINY / "generation_config.json").read_bytes())["eos_token_id"] if name == "tiny" else None
        return _of_tokenizer(path, cast("dict[str, Any]", facts), stops)
    try:
        return TokenizerInfo.deserialize_json(data.decode("utf-8", "replace"))
    except Xg2LabError as error:
        hint = "give a tokenizer.json, what TokenizerInfo.serialize_json() returned, `tiny` or `bytes`"
        raise ArgumentError(f"{path} is no vocabulary: {error.message}", hint=hint) from error


def _of_tokenizer(path: Path, facts: Mapping[str, Any], stops: list[int] | None) -> TokenizerInfo:
    """The vocabulary in a tokenizer.json of byte-level BPE."""
    vocab, added = facts["model"].get("vocab"), facts.get("added_tokens") or []
    if not isinstance(vocab, dict) or "ByteLevel" not in json.dumps([facts.get("decoder"), facts.get("pre_tokenizer")]):
        raise ArgumentError(
            f"{path}: only tokenizers of byte-level BPE are read from their file",
            hint="save another as TokenizerInfo.from_huggingface(tokenizer).serialize_json()",
        )
    ids = {**{str(k): int(v) for k, v in vocab.items()}, **{one["content"]: int(one["id"]) for one in added}}
    if not ids or max(ids.values()) > 1 << 22 or min(ids.values()) < 0:
        raise ArgumentError(f"{path}: its ids are not those of a vocabulary", hint="give a tokenizer's own file")
    tokens = [""] * (max(ids.values()) + 1)
    for text, token_id in ids.items():
        tokens[token_id] = text
    special = [int(one["id"]) for one in added if one.get("special")]
    if stops is None:
        return TokenizerInfo(tokens, VocabType.BYTE_LEVEL, special_token_ids=special)
    return TokenizerInfo(tokens, VocabType.BYTE_LEVEL, stop_token_ids=stops, special_token_ids=special)
