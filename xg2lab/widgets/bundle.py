"""Where the built front end lies, and what to say when it was not built.

>>> bundle_path("runtime.js.gz").name
'runtime.js.gz'
"""

from __future__ import annotations

from pathlib import Path

from xg2lab.errors import Xg2LabError

__all__ = ["BundleMissingError", "bundle_path", "bundle_text"]

STATIC = Path(__file__).parent / "static"


class BundleMissingError(Xg2LabError, FileNotFoundError):
    """The front end's files are not there: the package runs from a source tree that was not built."""


def bundle_path(name: str) -> Path:
    """The path of a built file. Raises `BundleMissingError` when there is none."""
    path = STATIC / name
    if not path.is_file():
        raise BundleMissingError(
            f"the widgets' front end was not built: {path} is missing",
            hint="run `make lab`, or `pip install` the project again without XG2LAB_VIEWS=OFF; a wheel has it built in",
        )
    return path


def bundle_text(name: str) -> str:
    """A built file's text."""
    return bundle_path(name).read_text(encoding="utf-8").strip()
