"""The examples in the docstrings of `xg2lab.widgets` run."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

pytest.importorskip("anywidget")

from xg2lab.widgets import bundle, jobs, pushes, replay


@pytest.mark.parametrize("module", [bundle, jobs, pushes, replay], ids=lambda m: m.__name__)
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
