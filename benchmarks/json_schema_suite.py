"""The standard's own test suite (2020-12), keyword by keyword: right, refused, stricter or wrong, beside the peers.

    python -m benchmarks json_schema_suite

What the words mean is said in tests/json_schema/suite.py; tests/json_schema/test_standard.py holds our column. No
times are taken: tokens are bytes, and every engine has a process of its own, so that a crash costs one schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks import record
from benchmarks.json_schema import variants
from benchmarks.json_schema.cases import Case, case
from benchmarks.json_schema.measure import Result
from benchmarks.json_schema.variants import Variant
from benchmarks.json_schema.workers import Worker
from benchmarks.texts import byte_vocabulary
from tests.json_schema.suite import FOLDER, NOTHING, OUTCOMES, SuiteCase, by_keyword, outcome, remotes, suite

LIMIT_S = 20.0


def run() -> list[record.Figures]:
    if not FOLDER.exists():
        raise SystemExit(f"json_schema_suite needs {FOLDER}; set XG2LAB_DATA to the data folder")
    tables = {variant.name: measure(variant) for variant in variants.chosen(["xg2lab", "llguidance", "xgrammar"])}
    show(tables)
    totals = {engine: sum(table.values(), Counter[str]()) for engine, table in tables.items()}
    return [
        {"engine": engine, "n_schemas": total.total(), **{f"n_{what}": total[what] for what in OUTCOMES}}
        for engine, total in totals.items()
    ]


def measure(variant: Variant) -> dict[str, Counter[str]]:
    """One engine's table by keyword."""
    words = byte_vocabulary()
    plain = Worker(variant, words, LIMIT_S)
    with_remotes = plain
    if variant.make.package == "xg2lab":  # the peers take no documents beside the schema
        with_remotes = Worker(Variant(variant.name, variant.make, {"registry": remotes()}), words, LIMIT_S)
    outcomes: list[tuple[SuiteCase, str]] = []
    try:
        for one in suite():
            asked = case(one.name, one.schema, one.tests)
            worker = with_remotes if one.is_remote else plain
            result = worker.ask(asked, [words.encoding.encode_ordinary(text) for text in asked.texts])
            outcomes.append((one, outcome(list(asked.valid), accepted(asked, result), one.keyword)))
    finally:
        plain.end()
        with_remotes.end()
    return by_keyword(outcomes)


def accepted(asked: Case, result: Result) -> Sequence[bool | None] | None:
    """Which instances were accepted; None for all if the schema was refused, for each if there was no verdict."""
    if result.get("refused") == NOTHING:
        return [False] * len(asked.valid)
    if "fatal" in result or "raised" in result:
        return [None] * len(asked.valid)
    if "refused" in result:
        return None
    wrong = {i for i, _ in result["wrong"]}
    return [is_valid != (i in wrong) for i, is_valid in enumerate(asked.valid)]


def show(tables: dict[str, dict[str, Counter[str]]]) -> None:
    """Prints a line a keyword: of each engine, how many schemas had which outcome (a dot is none)."""
    rows: list[record.Figures] = []
    for keyword, counts in next(iter(tables.values())).items():
        row: dict[str, float | int | str] = {"keyword": keyword, "n": counts.total()}
        for engine, table in tables.items():
            row[engine] = " ".join(f"{table[keyword][what] or '.':>4}" for what in OUTCOMES)
        rows.append(row)
    record.show(f"schemas of the standard's test suite by keyword: {', '.join(OUTCOMES)}", rows)
