"""What it costs to have: time to import, size of the package, with the peers.

    python -m benchmarks footprint

`import_ms`: a new Python that imports the package, less one that imports nothing, median of `N_IMPORTS`.
`installed_bytes`: the files that belong to the package; `zip_bytes`: the same deflated, as in a wheel. Ours are those
of the checkout that a wheel would take.
"""

from __future__ import annotations

import importlib.metadata
import io
import subprocess
import sys
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks import record

N_IMPORTS = 11
PACKAGES = ("xg2lab", "xgrammar", "llguidance")
ROOT = Path(__file__).parents[1]


def run() -> list[record.Figures]:
    rows: list[record.Figures] = []
    nothing = import_ms("sys")
    for package in PACKAGES:
        if find_spec(package) is None:
            print(f"left out: {package} (not installed)")
            continue
        files = files_of(package)
        rows.append(
            {
                "engine": f"{package} {importlib.metadata.version(package)}",
                "n_imports": N_IMPORTS,
                "import_ms_median": import_ms(package) - nothing,
                "n_files": len(files),
                "installed_bytes": sum(path.stat().st_size for path in files),
                "zip_bytes": zip_bytes(files),
            }
        )
    return rows


def import_ms(package: str) -> float:
    """Milliseconds of a new Python that imports a package and ends."""
    times: list[float] = []
    for _ in range(N_IMPORTS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {package}"], check=True, cwd=ROOT)
        times.append((time.perf_counter() - begin) * 1e3)
    return record.quantile(times, 0.5)


def files_of(package: str) -> list[Path]:
    """A package's own files, without caches."""
    if package == "xg2lab":
        found = [path for path in (ROOT / package).rglob("*") if path.is_file()]
    else:
        found = [Path(str(file.locate())) for file in importlib.metadata.files(package) or []]
    return [path for path in found if path.is_file() and "__pycache__" not in path.parts]


def zip_bytes(files: list[Path]) -> int:
    """The size of an archive of files, compressed as wheels are."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.as_posix().lstrip("/"))
    return len(target.getvalue())
