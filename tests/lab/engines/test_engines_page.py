"""The page about other engines: its examples run, its own engine has at most thirty lines, and its tables are whole."""

from __future__ import annotations

import doctest
from pathlib import Path

from xg2lab.lab.engines.protocol import KINDS

PAGE = Path(__file__).parents[3] / "docs" / "engines.md"


def test_its_examples_run() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted >= 10
    assert found.failed == 0


def test_its_own_engine_is_short() -> None:
    lines = PAGE.read_text(encoding="utf-8").split(">>> class Words:")[1].split(">>> report")[0].splitlines()
    assert len([line for line in lines if line.strip(". ")]) <= 30


def test_it_names_each_kind_and_verdict() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for word in ("allows_invalid", "forbids_valid", "narrower", "mask_is_not_accept", "undecided"):
        assert f"`{word}`" in text
    assert len([kind for kind in KINDS if kind.split("_")[0].lower() in text.lower()]) == len(KINDS)
