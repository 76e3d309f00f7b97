"""`xg2lab sweep`: thousands of JSON Schemas, a row each, in processes of this machine or on Ray.

    xg2lab sweep SCHEMAS.jsonl --out rows.parquet                           compile each schema
    xg2lab sweep SCHEMAS.jsonl --out rows.parquet --do audit --workers 8    and check its instances token by token
    xg2lab sweep SCHEMAS.jsonl --out rows.jsonl --do compare --engines xg2lab,xgrammar --ray
    xg2lab sweep SCHEMAS.jsonl --only ID --do audit                         one row, printed
    xg2lab sweep --page-of rows.parquet --page report.html                  the page of a sweep that was done

A sweep that was killed goes on when the same command runs again. Exit status: 0 if every row was done, 1 if one
crashed, ran over its time or failed, or if an instance or mask came out wrong, 2 if the call or the input is wrong, 130
after Ctrl-C.
See also: docs/sweeps.md; `xg2lab.integrations.sweep`, which does it.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from xg2lab.cli.terminal import say
from xg2lab.errors import ArgumentError

if TYPE_CHECKING:
    from xg2lab.integrations.sweep.rows import Generated, SweepRow
    from xg2lab.integrations.sweep.summary import SweepSummary

__all__ = ["add_sweep", "run_sweep"]

_WRONG = ("failed", "crashed", "timeout")
INTERRUPTED = 130  # as shells have it


def add_sweep(commands: Any) -> None:
    """Add the command to the parser."""
    sweep = commands.add_parser("sweep", help="do thousands of JSON Schemas: verdicts, masks, instances, engines")
    sweep.add_argument("source", nargs="?", metavar="SCHEMAS", help="a .jsonl file, .gz or .xz too, or a folder")
    sweep.add_argument("--out", metavar="FILE", help="the rows: .parquet or .jsonl; continued if it exists")
    sweep.add_argument(
        "--do",
        dest="what",
        type=_names,
        default=("compile",),
        metavar="WORK,...",
        help="compile (always done), audit, compare, generate, unconstrained",
    )
    sweep.add_argument(
        "--engines",
        type=_names,
        default=("xg2lab",),
        metavar="NAME,...",
        help="the reference first: xg2lab, xgrammar, llguidance, package.module:Class (xg2lab)",
    )
    sweep.add_argument("--workers", type=int, metavar="N", help="processes, or actors of Ray (one for each processor)")
    sweep.add_argument(
        "--ray", nargs="?", const="", metavar="ADDRESS", help="run on Ray: a local one, or the cluster at ADDRESS"
    )
    sweep.add_argument("--model", default="tiny", help="whose tokenizer is the vocabulary, and which generates (tiny)")
    sweep.add_argument("--vocabulary", default="", metavar="FILE", help="TokenizerInfo.serialize_json(), for a model's")
    sweep.add_argument("--strict", action="store_true", help="forbid undeclared properties")
    sweep.add_argument("--seconds", type=float, default=30.0, help="the time limit of one engine on one row (30)")
    sweep.add_argument("--max-bytes", type=int, default=16 << 20, metavar="N", help="the longest line (16 MiB)")
    sweep.add_argument("--memory-bytes", type=int, default=4 << 30, metavar="N", help="of one process (4 GiB)")
    sweep.add_argument("--max-tokens", type=int, default=256, metavar="N", help="of a generated text (256)")
    sweep.add_argument("--fresh", action="store_true", help="drop the rows of earlier runs")
    sweep.add_argument("--quiet", action="store_true", help="show no progress bar")
    sweep.add_argument("--only", metavar="ID", help="do one row, and print it")
    sweep.add_argument("--page", metavar="PAGE", help="write a page of results")
    sweep.add_argument("--page-of", metavar="FILE", help="do no sweep: write the page of this file")
    sweep.add_argument("--format", choices=["text", "json"], default="text", help="the output format (text)")
    sweep.set_defaults(run=run_sweep)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def run_sweep(arguments: argparse.Namespace) -> int:
    """Run `xg2lab sweep`: do every schema of a file, one of them, or the page of an earlier sweep."""
    if arguments.page_of is not None:
        return _page_of(arguments)
    if arguments.source is None:
        raise ArgumentError("no schemas were given", hint="xg2lab sweep SCHEMAS.jsonl --out rows.parquet")
    if arguments.only is not None:
        return _only(arguments)
    if arguments.out is None:
        raise ArgumentError("a sweep needs a file for its rows", hint="add --out rows.parquet, or rows.jsonl")
    from xg2lab.integrations.sweep.sweeping import sweep

    try:
        summary = sweep(
            arguments.source,
            arguments.out,
            workers=arguments.workers,
            ray=arguments.ray is not None and (arguments.ray or True),
            fresh=arguments.fresh,
            quiet=arguments.quiet,
            **_settings(arguments),
        )
    except KeyboardInterrupt:
        sys.stderr.write(f"xg2lab: interrupted; the rows are in {arguments.out}.partial: run the command again\n")
        return INTERRUPTED
    say(json.dumps(summary.to_wire(), indent=2) if arguments.format == "json" else str(summary))
    if arguments.page is not None:
        _write_page(arguments.out, arguments.page)
    return int(_is_wrong(summary))


def _is_wrong(summary: SweepSummary) -> bool:
    first = next(iter(summary.engines.values()), None)
    wrong = first is not None and (first.n_wrongly_rejected + first.n_wrongly_accepted + first.n_mask_not_accept > 0)
    return wrong or any(summary.verdicts[name] for name in _WRONG)


def _only(arguments: argparse.Namespace) -> int:
    given = {"--out": arguments.out, "--page": arguments.page, "--ray": arguments.ray, "--workers": arguments.workers}
    unused = [name for name, value in given.items() if value is not None]
    if unused:
        raise ArgumentError(f"--only prints one row: {', '.join(unused)} would have no effect", hint="leave it out")
    from xg2lab.integrations.sweep.options import SweepOptions
    from xg2lab.integrations.sweep.sweeping import one_row

    row = one_row(arguments.source, arguments.only, SweepOptions(**_settings(arguments)))
    say(json.dumps(row, indent=2, ensure_ascii=False) if arguments.format == "json" else row_text(row))
    return int(row["verdict"] in _WRONG or bool(row["n_wrongly_rejected"] + row["n_wrongly_accepted"]))


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is done with each row: the fields of `SweepOptions`, which `sweep` takes as well."""
    names = ("what", "engines", "model", "vocabulary", "seconds", "max_bytes", "memory_bytes", "max_tokens")
    return {**{name: getattr(arguments, name) for name in names}, "strict_mode": arguments.strict}


def row_text(row: SweepRow) -> str:
    """One row for readers."""
    name = f"{row['name']}, " if row["name"] else ""
    lines = [f"{name}line {row['line']}: {row['verdict']}"]
    if row["message"]:
        lines.append(row["message"])
    if row["refused_keywords"]:
        lines.append(f"refused keywords: {', '.join(row['refused_keywords'])}")
    for part in row["engines"]:
        head = f"{part['name']} {part['version']}: {part['verdict']}"
        if part["verdict"] != "compiled":
            lines.append(f"{head}: {part['message'].splitlines()[0] if part['message'] else part['code']}")
            continue
        text = f"{head}, first mask {part['first_us']:,.0f} µs"
        if part["n_masks"]:
            text += (
                f"; {part['n_masks']:,} masks, p50 {part['mask_p50_us']:g}, p99 {part['mask_p99_us']:g}, "
                f"max {part['mask_max_us']:g} µs; {part['n_accepted']} of {row['n_instances']} instances accepted"
            )
        lines.append(text)
        for key, what in (("wrongly_rejected", "wrongly rejected"), ("wrongly_accepted", "wrongly accepted")):
            if part[key]:
                lines.append(f"  {what}: instance {', '.join(map(str, part[key]))}")
        if part["first_wrong"]:
            lines.append(f"  the first of them: {part['first_wrong']}")
        if part["first_mask_not_accept"]:
            lines.append(f"  {part['first_mask_not_accept']}")
    lines += [
        f"{one['a']} and {one['b']} part in instance {one['instance']} at token {one['step']}, byte {one['byte']}: "
        f"{one['only_a']:,} tokens in the mask of {one['a']} alone, {one['only_b']:,} in that of {one['b']}"
        + (f"; {one['wrong']} is wrong: {one['why']}" if one["wrong"] else "")
        for one in row["disagreements"]
    ]
    lines += _wrote("generated", row["generated"]) + _wrote("without the grammar", row["unconstrained"])
    return "\n".join(lines)


def _wrote(title: str, wrote: Generated | None) -> list[str]:
    if wrote is None:
        return []
    said = f"{wrote['end']}, valid: {wrote['is_valid'] or 'unknown'}"
    said += f", expected: {wrote['is_expected']}" if wrote["is_expected"] else ""
    return [f"{title} ({said}): {wrote['text']}", *([f"  {wrote['why']}"] if wrote["why"] else [])]


def _page_of(arguments: argparse.Namespace) -> int:
    if arguments.source is not None or arguments.out is not None or arguments.only is not None:
        raise ArgumentError("--page-of does no sweep: SCHEMAS, --out and --only would have no effect")
    if arguments.page is None:
        raise ArgumentError("--page-of needs the name of the page", hint="add --page report.html")
    return _write_page(arguments.page_of, arguments.page)


def _write_page(rows: str, page: str) -> int:
    from pathlib import Path

    from xg2lab.integrations.sweep.page import results_page
    from xg2lab.integrations.sweep.results import read_rows
    from xg2lab.support.files import write_file

    text = results_page(read_rows(rows), title=Path(rows).name)
    try:
        write_file(page, text)
    except OSError as error:
        raise ArgumentError(f"{page}: {error.strerror or error}") from error
    say(f"page: {page}")
    return 0
