"""Examples: their verdicts, what changes them, and the test file they become."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from xg2lab.errors import SessionError
from xg2lab.lab.pad.bench import Bench
from xg2lab.language.examples import Checker

GRAMMAR = 'root ::= "[" [0-9]+ "]"'


def judged(*examples: tuple[str, bool]) -> Bench:
    """A bench of these, judged."""
    bench = Bench(examples)
    bench.judge(Checker(GRAMMAR), 0)
    return bench


def test_agreement_is_not_a_match() -> None:
    bench = judged(("[1]", True), ("[1]", False), ("[", False), ("x", False))
    assert [row.agrees for row in bench.rows] == [True, False, True, True]
    assert len(bench.disagreeing) == 1


def test_a_flip_needs_no_judge() -> None:
    bench = judged(("[1]", True))
    bench.flip(0)
    assert bench.rows[0].agrees is False
    assert bench.rows[0].check is not None
    assert not bench.rows[0].check.should_match


def test_an_edit_forgets_the_verdict_and_keeps_the_row() -> None:
    bench = judged(("[1]", False), ("[2]", True))
    bench.edit(0, "[")
    assert bench.rows[0].verdict == ""
    assert (bench.rows[0].row_id, bench.rows[0].example.should_match) == (0, False)
    bench.judge(Checker(GRAMMAR), 1)
    assert bench.rows[0].verdict == "incomplete"


def test_rows_are_judged_once_by_each_grammar() -> None:
    bench = judged(("[1]", True))
    kept = bench.rows[0]
    bench.judge(Checker('root ::= "x"'), 0)
    assert bench.rows[0] is kept
    bench.judge(Checker('root ::= "x"'), 1)
    assert bench.rows[0].verdict == "reject at byte 0"


def test_a_deleted_row_is_gone() -> None:
    bench = judged(("a", True), ("b", True))
    bench.delete(0)
    assert [row.row_id for row in bench.rows] == [1]
    assert bench.add("c") == 2
    with pytest.raises(SessionError, match="no example 0"):
        bench.flip(0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ebnf", "regex"])
def test_the_export_is_a_test_file_that_finds_what_the_bench_finds(tmp_path: Path, kind: str) -> None:
    text = {"ebnf": 'root ::= "\\"" [^"\\n]* "\\""\n# """ and \'\'\'', "regex": r'"[^"\n]*"'}[kind]
    bench = Bench([('"é\\"', True), ('"', False), ("'\n'", False), ('"wrong"', False)])
    path = tmp_path / "test_grammar.py"
    path.write_text(bench.to_pytest(text, kind), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(path)], capture_output=True, text=True, check=False
    )
    assert "1 failed, 3 passed" in done.stdout, done.stdout
