"""The figures of a run: how many schemas came out right, and quantiles of times, engine by engine.

Times are given twice: `on` is `own` for all schemas that an engine compiled (so engines that refuse hard ones are
spared them), `common` for those that every engine of the run compiled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from benchmarks import record
from benchmarks.json_schema.measure import Result

SLOW_US = 2e6
MASKS = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "max": 1.0}
FIRST = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


def verdicts(results: Iterable[Result]) -> dict[str, float | int | str]:
    """How the schemas came out. Right are those with instances of which every verdict was right."""
    results = list(results)
    tested = [result for result in results if result["n_texts"]]
    right = [result for result in tested if is_right(result)]

    def having(kind: str) -> int:
        return sum(any(row[1] == kind for row in result["wrong"]) for result in results)

    return {
        "n_schemas": len(results),
        "n_tested": len(tested),
        "n_right": len(right),
        "right_percent": 100 * len(right) / max(1, len(tested)),
        "n_invalid_accepted": having("invalid accepted"),
        "n_valid_rejected": having("valid rejected"),
        "n_refused": sum("refused" in result for result in results),
        "n_raised": sum("raised" in result for result in results),
        "n_crashed": sum(result.get("fatal", "").startswith("crash") for result in results),
        "n_over_limit": sum(result.get("fatal", "").startswith("over") for result in results),
        "n_over_2_s": sum(result.get("compile_us", 0) > SLOW_US or "fatal" in result for result in results),
    }


def is_right(result: Result) -> bool:
    return not (result["wrong"] or {"refused", "raised", "fatal"} & result.keys())


def times(results: Iterable[Result], names: set[str] | None = None) -> dict[str, float | int | str]:
    """Quantiles of first masks and of masks, over the schemas of these names or over all that were compiled."""
    chosen = [r for r in results if "first_us" in r and (names is None or r["name"] in names)]
    first = [result["first_us"] for result in chosen]
    masks = [us for result in chosen for us in result["masks_us"]]
    figures: dict[str, float | int | str] = {"n_compiled": len(chosen), "n_masks": len(masks)}
    if first:
        figures |= {f"first_us_{name}": record.quantile(first, q) for name, q in FIRST.items()}
        for part in ("first_cpu_us", "compile_us", "convert_us"):
            values = [result[part] for result in chosen if part in result]
            figures |= {f"{part}_{name}": record.quantile(values, q) for name, q in FIRST.items() if values}
    if masks:
        cpu = [us for result in chosen for us in result["masks_cpu_us"]]
        figures["mask_cpu_us_avg"] = sum(cpu) / len(cpu)
        figures |= {f"mask_cpu_us_{name}": record.quantile(cpu, MASKS[name]) for name in ("p95", "p99", "max")}
        figures["mask_us_avg"] = sum(masks) / len(masks)
        figures |= {f"mask_us_{name}": record.quantile(masks, q) for name, q in MASKS.items()}
    return figures


def common(of: Iterable[Iterable[Result]]) -> set[str]:
    """The names of the schemas that every engine compiled."""
    sets = [{result["name"] for result in results if "first_us" in result} for results in of]
    return set.intersection(*sets) if sets else set()


def reasons(results: Iterable[Result], most: int = 12) -> list[tuple[str, int]]:
    """Why schemas were refused, or got no result, with how many; the most frequent first."""
    counted = Counter(result.get("fatal") or result.get("refused") or "" for result in results)
    return [(why, n) for why, n in counted.most_common() if why][:most]
