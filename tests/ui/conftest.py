"""Fixtures of the browser tests: one JupyterLab and one Chromium for all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from .jupyter import Lab, chromium_path
from .page import PATIENCE_S

OUT = Path(__file__).parent / "out"
_labs: list[Lab] = []  # the one, once a test has asked for it
expect.set_options(timeout=1000 * PATIENCE_S)


def _need(condition: bool, reason: str) -> None:
    if condition:
        return
    if os.environ.get("XG2LAB_REQUIRE_BROWSER") == "1":
        pytest.fail(f"XG2LAB_REQUIRE_BROWSER=1, and {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The server, on a folder of its own."""
    _need(chromium_path() is not None, "no Chromium was found: set CHROMIUM to one, or install chromium")
    from xg2lab.widgets.bundle import STATIC

    _need((STATIC / "runtime.js.gz").is_file(), "the front end was not built: run `make test`")
    OUT.mkdir(exist_ok=True)
    with Lab(tmp_path_factory.mktemp("lab")) as server:
        _labs.append(server)
        yield server


@pytest.fixture(scope="module", autouse=True)
def closed_pages() -> Iterator[None]:
    """No page of an earlier file is open."""
    yield
    for server in _labs:
        server.close_pages()


@pytest.fixture(autouse=True)
def left_notebooks() -> Iterator[None]:
    """A notebook that a test opens for itself is left at its end."""
    before = [notebook for server in _labs for notebook in server.opened]
    yield
    for server in _labs:
        for notebook in server.opened:
            if notebook not in before:
                server.leave(notebook)


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where screenshots go; git ignores it."""
    OUT.mkdir(exist_ok=True)
    return OUT


def write_notebook(folder: Path, name: str, cells: list[str]) -> str:
    """A notebook of code cells."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, folder / name)
    return name
