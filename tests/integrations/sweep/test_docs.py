"""docs/sweeps.md: its examples run, and its options are those of the command."""

import argparse
import doctest
import re
from pathlib import Path

from xg2lab.cli.sweeping import add_sweep
from xg2lab.integrations.sweep.options import WORKS
from xg2lab.integrations.sweep.rows import VERDICTS

PAGE = Path(__file__).parents[3] / "docs" / "sweeps.md"


def test_the_examples_run():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (failed, tried > 5) == (0, True)


def test_every_option_and_verdict_that_the_page_names_exists():
    text = PAGE.read_text(encoding="utf-8")
    parser = argparse.ArgumentParser()
    add_sweep(parser.add_subparsers())
    sweep = next(action for action in parser._actions if action.choices).choices["sweep"]
    known = {option for action in sweep._actions for option in action.option_strings}
    assert {*re.findall(r"--[a-z][a-z-]+", text)} <= known
    assert {*VERDICTS} <= {*re.findall(r"`(\w+)`", text)}
    assert {*WORKS} <= {*re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)}
