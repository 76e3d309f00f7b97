"""The text of an issue: it says what is known, and its lines, run by themselves, say the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import xg2lab as xgr
from tests.ui.scripted import scripted_session
from xg2lab.errors import SessionError
from xg2lab.lab import Session
from xg2lab.lab.trace.issue import issue_text, missing_edges, range_text, versions

GRAMMAR = """# a list of numbers
root ::= "[" item ("," item)* "]"
item ::= number | root
number ::= [0-9]+
"""
TOKENS = [b"[", b"]", b",", b"1", b"12", b"1,", b"1x", b"1]", b"x", b"</s>", b"<s>", b"", b"'\"\n\xc3"]


def session_on(grammar: str = GRAMMAR, **options: Any) -> Session:
    """A session without a model, after `[1`."""
    info = xgr.TokenizerInfo(TOKENS, vocab_size=14, stop_token_ids=[9], special_token_ids=[10])
    session = Session(grammar, info, options=xgr.EngineOptions(rule_inlining=False, **options))
    session.force("[1")
    return session


def run(text: str) -> subprocess.CompletedProcess[str]:
    """Run the lines of an issue in a Python of their own."""
    code = re.search(r"```python\n(.*)```\n$", text, re.DOTALL)
    assert code is not None
    command = [sys.executable, "-W", "error", "-c", code[1]]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("token", [4, 5, 6, 8, 9, 10, 11, 12, 13, "1,x", b"\xff"])
def test_the_lines_of_an_issue_show_the_same_by_themselves(token: int | str | bytes) -> None:
    session = session_on()
    text = session.issue_text(token)
    why = session.explain(token)
    assert why["mechanism"] in text
    shown = run(text)
    assert shown.returncode == 0, shown.stderr + text
    assert shown.stdout.startswith(why["mechanism"])
    # the lines check what they claim: of another mechanism they say that it is not so
    if token == 8:
        assert run(text.replace("'rejected_by_cache'", "'rejected_by_lookahead'")).returncode == 1


@pytest.mark.parametrize("grammar", ["root ::= \"a\" ['\"] # '''", 'root ::= "a" # \'\'\'"""', 'root ::= "a"\r\n\r\n'])
def test_any_grammar_is_written_as_python_reads_it(grammar: str) -> None:
    info = xgr.TokenizerInfo([b"a", b"x", b"</s>"], stop_token_ids=[2])
    text = Session(grammar, info).issue_text(1)
    shown = run(text)
    assert shown.returncode == 0, shown.stderr + text


def test_it_says_where_and_who_expected_what() -> None:
    session = scripted_session()
    session.step(3)
    token = session.tokenizer_info.decoded_vocab.index(b"celsius")
    text = session.issue_text(token)
    for line in (
        f"## Why is token {token} b'celsius' blocked?",
        "- step: 3, at byte 9 of the output",
        "- output so far: b'{\"city\": '",
        "- mechanism: rejected_by_cache, in root·8",
        "- died at: byte 9, 63, 1 of 7 asked",
        '- expected: [\\n "], bytes 0A 20 22',
        '  line 6:12: `string ::= "\\"" char* "\\""`',
        "- root·8 has edges [0A 20 22] and none for 63",
        f"- seen with: xg2lab {xgr.__version__}, Python ",
    ):
        assert line in text
    assert text == session.issue_text(step=3)  # what the model wanted most and may not have
    session.select(token=token)
    assert text == session.issue_text()
    session.step(8)
    assert text == session.issue_text(token, step=3)


def test_a_recorded_trace_is_enough(tmp_path: Path) -> None:
    session = scripted_session()
    session.step(3)
    session.trace.save(tmp_path / "t.json.gz")
    trace = xgr.Trace.load(tmp_path / "t.json.gz")
    step = trace.steps[3].to_wire()
    token, why = next(iter(trace.steps[3].explain.items()))
    taken = [(s.token_id, bytes.fromhex(s.bytes)) for s in trace.steps[:3]]
    text = issue_text(trace.header, trace.program, step, taken, why, versions(trace.header))
    assert text == session.issue_text(int(token))


def test_missing_edges_are_those_of_the_states_that_read_bytes() -> None:
    session = session_on()
    program = session.trace.program
    edges = {edge.name: range_text(edge.ranges) for edge in missing_edges(program, session.explain(8))}
    assert edges == {"number·1": "30-39", "root·2": "2C 5D"}
    assert list(edges) == ["number·1", "root·2"]  # the innermost first
    assert missing_edges(program, session.explain(4)) == []


def test_asking_nothing_is_refused() -> None:
    session = session_on()
    with pytest.raises(SessionError, match="there is no token to explain at step 2"):
        session.issue_text()
