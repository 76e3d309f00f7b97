"""What a sweep costs: MaskBench's development set through `xg2lab sweep --do audit`, in two processes.

    python -m benchmarks sweeps

`wall_s` is the whole command's, start of the processes and Parquet included; `cpu_s` the user and system time of all
its processes, which says more on a machine that other work shares. `XG2LAB_FULL=1` measures a sweep on Ray as well.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks import record
from benchmarks.texts import DATA
from xg2lab.integrations.sweep import sweep
from xg2lab.integrations.sweep.rows import quantile_of

N_WORKERS = 2


def run() -> list[record.Figures]:
    source = DATA / "maskbench" / "dev.jsonl.xz"
    if not source.exists():
        raise SystemExit(f"sweeps needs {source}; set XG2LAB_DATA to the data folder")
    rows = [measured(source, on_ray=False)]
    if os.environ.get("XG2LAB_FULL") and find_spec("ray") is not None:
        rows.append(measured(source, on_ray=True))
    return rows


def measured(source: Path, *, on_ray: bool) -> record.Figures:
    """One sweep of the whole set."""
    with tempfile.TemporaryDirectory() as folder:
        cpu, begin = cpu_s(), time.perf_counter()
        out = Path(folder) / "rows.parquet"
        summary = sweep(source, out, what=["audit"], workers=N_WORKERS, ray=on_ray, quiet=True)
        wall, cpu = time.perf_counter() - begin, cpu_s() - cpu
    ours = summary.engines["xg2lab"]
    figures: dict[str, float | int | str] = {
        "runner": "ray" if on_ray else "processes",
        "n_workers": N_WORKERS,
        "vocabulary": "tiny-2048",
        "set": "maskbench-dev",
        "n_rows": summary.n_rows,
        "n_compiled": summary.verdicts["compiled"],
        "n_refused": summary.verdicts["refused"],
        "n_instances": summary.n_instances,
        "n_wrong": ours.n_wrongly_rejected + ours.n_wrongly_accepted,
        "n_masks": ours.n_masks,
        "wall_s": round(wall, 1),
        "first_us_p50": quantile_of(ours.first_us, 0.5),
        "first_us_p99": quantile_of(ours.first_us, 0.99),
    }
    # Ray's processes are not waited for by this one, so their time is unknown.
    return figures if on_ray else {**figures, "cpu_s": round(cpu, 1)}


def cpu_s() -> float:
    """Seconds of this process and of those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
