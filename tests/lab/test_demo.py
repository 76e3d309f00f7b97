"""The demo: once as a user starts it, in a process of its own and a terminal that knows nothing; then from here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from xg2lab.errors import ModelLoadError
from xg2lab.lab.demo import main
from xg2lab.tiny import tiny_model_path

try:
    tiny_model_path()
except ModelLoadError as error:
    pytest.skip(str(error), allow_module_level=True)

ROOT = Path(__file__).parents[2]


def demo(*arguments):
    environment = os.environ | {"TERM": "dumb", "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "xg2lab.lab.demo", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        cwd=ROOT,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_the_default_shows_a_break_and_its_cure():
    done = demo()
    assert (done.returncode, done.stderr) == (0, "")
    free, bound = done.stdout.split("THE SAME PROMPT, TWICE")[1].split("under the grammar:")
    assert "in the grammar: no, from byte" in free
    assert "the format's reader: refuses it:" in free
    assert "of the grammar: " in free
    assert "in the grammar: yes" in bound
    assert "the format's reader: Answer(" in bound
    assert "<- breaks" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "\x1b" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("form", ["llama_function", "json"])
def test_other_formats_and_cold_sampling(form, capsys):
    assert main(["--format", form, "--temperature", "0", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert "seed 1" in said
    assert "in the grammar: yes" in said


def test_a_model_that_is_not_there_ends_with_one_clear_line(tmp_path, capsys):
    assert main(["--model", str(tmp_path / "nothing")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("xg2lab demo: ModelLoadError: ")
    assert "Traceback" not in said
