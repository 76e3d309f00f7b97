"""docs/serving.md: its examples run, and what it names exists."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from xg2lab.integrations import sglang, vllm

PAGE = Path(__file__).parents[2] / "docs" / "serving.md"


def test_the_examples_of_the_page_run():
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 5
    assert found.failed == 0


def test_the_page_names_what_is_there():
    text = PAGE.read_text(encoding="utf-8")
    assert f"{vllm.VARIABLE}=1" in text
    assert f"--grammar-backend {sglang.NAME}" in text
    for contract in (vllm.CONTRACT, sglang.CONTRACT):
        assert contract.tried in text
    makefile = (PAGE.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in re.findall(r"`make ([a-z]+)`", text))
