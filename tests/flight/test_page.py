"""The examples of docs/flight.md run, and the page names each variable."""

from __future__ import annotations

import doctest
from pathlib import Path

from xg2lab.flight import settings

PAGE = Path(__file__).parents[2] / "docs" / "flight.md"


def test_the_pages_examples_run():
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8")
    assert found.attempted > 10
    assert found.failed == 0


def test_the_page_names_each_variable_and_each_choice():
    text = PAGE.read_text(encoding="utf-8")
    for rest in (*settings._WORDS, *settings._OTHERS, *settings._COUNTS):
        assert rest in text
    for _, choices in settings._WORDS.values():
        assert all(f"`{word}`" in text for word in choices)
