"""`python -m benchmarks [NAME ...] [--no-record]`: run benchmarks (all, or those named), print and record them.

At the end stands how figures grow, and who is ahead: each figure of ours that a peer in the same run has too, with
their ratio.
"""

from __future__ import annotations

import argparse
import importlib

from benchmarks import ahead, record, scaling

NAMES = [
    "json_schema",
    "json_schema_suite",
    "json_guide",
    "guide_ebnf",
    "vocabularies",
    "programs",
    "shapes",
    "tools_dispatch",
    "tools_formats",
    "shared_rules",
    "partial_jit",
    "overlap",
    "serving",
    "serve",
    "ablation",
    "ways",
    "templates",
    "long_document",
    "repetition",
    "ambiguity",
    "earley_scaling",
    "watching",
    "flight",
    "tokens",
    "batch",
    "floor",
    "memory",
    "footprint",
    "ui",
    "threads",
    "sweeps",
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"out of: {', '.join(NAMES)}")
    parser.add_argument("--no-record", action="store_true", help="print only, leave benchmarks/record alone")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"no benchmark named {', '.join(unknown)}; there are {', '.join(NAMES)}")
    lines: list[ahead.Line] = []
    growing: list[scaling.Slope] = []
    for name in arguments.names or NAMES:
        module = importlib.import_module(f"benchmarks.{name}")
        tables = {name: module.run()}
        if hasattr(module, "tables"):  # a benchmark that keeps its rows in several tables, or computes some from others
            tables = module.tables(tables[name])
        for table, found in tables.items():
            title = f"{name}: {(module.__doc__ or '').splitlines()[0]}" if table == name else table
            record.show(title, found)
            if not arguments.no_record:
                record.append(table, found)
        rows = tables.get(name, [])
        same = getattr(module, "SAME", ())
        lines += ahead.compare(name, rows, same)
        if hasattr(module, "GROWS"):
            growing += scaling.slopes(name, rows, module.GROWS, same)
    if growing:
        scaling.show(growing)
    ahead.show(lines)


if __name__ == "__main__":
    main()
