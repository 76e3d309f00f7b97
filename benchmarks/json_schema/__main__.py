"""`python -m benchmarks.json_schema [--whole] [--engines NAME,...] [--resume] ...`: this benchmark with its options."""

from __future__ import annotations

import argparse

from benchmarks import ahead, json_schema, record
from benchmarks.json_schema.variants import VARIANTS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.json_schema", description=__doc__)
    parser.add_argument("--whole", action="store_true", help="the whole set, not a sample")
    parser.add_argument("--schemas", type=int, default=json_schema.N_SCHEMAS, help="about how many in the sample")
    parser.add_argument("--engines", default="", help=f"out of: {', '.join(v.name for v in VARIANTS)}")
    parser.add_argument("--limit", type=float, default=json_schema.LIMIT_S, help="seconds for a schema")
    parser.add_argument("--resume", action="store_true", help="go on with what an interrupted run has measured")
    parser.add_argument("--no-record", action="store_true", help="print only, leave benchmarks/record alone")
    given = parser.parse_args()
    names = [name.strip() for name in given.engines.split(",") if name.strip()]
    rows = json_schema.run(
        n_schemas=0 if given.whole else given.schemas, names=names, limit_s=given.limit, resumes=given.resume
    )
    record.show("json_schema", rows)
    ahead.show(ahead.compare("json_schema", rows, json_schema.SAME))
    if not given.no_record:
        record.append("json_schema", rows)


if __name__ == "__main__":
    main()
