"""Every example in a docstring is run: pytest collects each of the Python ones, and the engine's are run here."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.check_repository import ROOT
from xg2lab import _core

PARTS = ("xg2lab", "tools", "campaign", "benchmarks")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def examples_of(path: Path) -> set[str]:
    """The ids that pytest gives to the docstrings of a file that hold examples."""
    inside = path.relative_to(ROOT)
    module = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")

    def below(node: Any, name: str) -> Iterator[str]:
        if ">>> " in (ast.get_docstring(node) or ""):
            yield f"{inside.as_posix()}::{name}"
        for inner in within(node):
            yield from below(inner, f"{name}.{inner.name}")

    def within(node: Any) -> Iterator[Any]:
        """The functions and classes of a body, those under its conditions too."""
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, DEFINITIONS):
                yield inner
            elif isinstance(inner, ast.stmt):
                yield from within(inner)

    return set(below(ast.parse(path.read_text(encoding="utf-8")), module))


def test_pytest_collects_every_example(request):
    """Also those of functions within functions and of modules that a conftest leaves out: they would be reported."""
    pytest.importorskip("torch")
    pytest.importorskip("anywidget")
    expected = {one for part in PARTS for path in (ROOT / part).rglob("*.py") for one in examples_of(path)}
    if set(PARTS) <= set(request.config.args):  # a run of everything has collected them already
        said, collected = "", {item.nodeid for item in request.session.items}
    else:
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *PARTS]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        said = ran.stdout[-2000:] + ran.stderr[-2000:]
        collected = {line for line in ran.stdout.splitlines() if "::" in line}
    assert expected - collected == set(), said
    assert len(expected) > 300


def test_a_run_of_pytest_visits_all_of_them(pytestconfig):
    assert {*pytestconfig.getini("testpaths")} == {"tests", *PARTS}
    assert "--doctest-modules" in pytestconfig.getini("addopts")


ENGINE = {test.name: test for test in doctest.DocTestFinder(exclude_empty=True).find(_core) if test.examples}


@pytest.mark.parametrize("name", ENGINE)
def test_examples_of_the_engine_run(name):
    """pytest collects modules that are written in Python alone."""
    test = ENGINE[name]
    test.globs = dict(vars(_core))
    result = doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test)
    assert result.attempted > 0
    assert result.failed == 0


def test_no_example_of_the_engine_is_left_out():
    def with_examples(name: str, documented: Any) -> Iterator[str]:
        if ">>> " in (documented.__doc__ if isinstance(getattr(documented, "__doc__", None), str) else ""):
            yield name
        if isinstance(documented, type) and documented.__module__ == _core.__name__:
            for key in vars(documented):
                yield from with_examples(f"{name}.{key}", getattr(documented, key))

    known = {one for key, each in vars(_core).items() for one in with_examples(f"{_core.__name__}.{key}", each)}
    assert known == set(ENGINE)
    assert len(known) > 20
