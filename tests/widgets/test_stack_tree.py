"""The stacks of parser="pda" in session, trace and text: the engine's, cut where there are many, kept in a file."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.scripted import GRAMMAR, N_SILENT, ScriptedRunner, vocabulary
from xg2lab import EngineOptions, TokenizerInfo
from xg2lab.errors import DeserializeFormatError, MatcherStateError
from xg2lab.lab import Session, Trace
from xg2lab.lab.trace.stacks import ASKED, RECORDED, Most, stack_lines, stack_tree
from xg2lab.widgets import ChartView

PDA = EngineOptions(parser="pda", rule_inlining=False)
# Which of the two rules an "a" began shows at its end only, so that stacks double with each byte.
TWO_WAYS = """root ::= left | right | "b"
left ::= "a" root "x"
right ::= "a" root "("
"""


def pda_session(name: str = "pda", **options: Any) -> Any:
    """The scripted session of the browser tests, by the other parser."""
    tokens = vocabulary(2048)
    info = TokenizerInfo(tokens, vocab_size=2048, stop_token_ids=[2048 - N_SILENT])
    known = {"prompt": "?", "temperature": 0.0, "options": PDA} | options
    return Session(GRAMMAR, info, ScriptedRunner(tokens), name=name, **known)


def forced(grammar: str, text: str, name: str) -> Any:
    """A session without a model, forced through a text byte by byte."""
    info = TokenizerInfo(vocabulary(512), vocab_size=512, stop_token_ids=[504])
    session = Session(grammar, info, options=PDA, name=name)
    for byte in text.encode():
        session.force(byte)
    return session


def chains(tree: dict[str, Any]) -> set[tuple[int, ...]]:
    """Every stack as the states on it, the top first."""
    frames = {frame["id"]: frame for frame in tree["frames"]}
    out = set()
    for top in tree["tops"]:
        chain, at = [top["state"]], top["below"]
        while at is not None:
            chain.append(frames[at]["state"])
            at = frames[at]["below"]
        out.add(tuple(chain))
    return out


def engines_chains(matcher: Any) -> set[tuple[int, ...]]:
    """The same from the engine's own answer."""
    return chains(matcher.stacks(100_000))


def test_each_step_records_the_stacks_before_its_token() -> None:
    session = pda_session()
    session.step(16)
    decoder = session._recorder.decoder
    for step in session.trace.steps:
        assert step.stacks == session.stacks(step.index)
        assert chains(step.stacks) == engines_chains(decoder.matcher_at(step.index))
        assert step.stacks["n_stacks"] == len(step.stacks["tops"])
    assert max(step.stacks["n_frames"] for step in session.trace.steps) == 4


def test_a_trace_with_stacks_is_read_back_and_a_damaged_one_is_refused() -> None:
    session = pda_session("read back")
    session.step(5)
    wire = session.trace.to_wire()
    assert Trace.from_wire(wire) == session.trace
    wire["steps"][3]["stacks"]["frames"][0]["below"] = "x"
    with pytest.raises(DeserializeFormatError) as caught:
        Trace.from_wire(wire)
    assert caught.value.pointer == "/steps/3/stacks/frames/0/below"


def test_of_many_stacks_some_are_kept_and_all_are_counted() -> None:
    session = forced(TWO_WAYS, "a" * 12, "two ways")
    tree = session.trace.steps[-1].stacks
    assert (len(tree["tops"]), len(tree["frames"])) <= RECORDED
    assert tree["n_stacks"] == 3 * 2**12
    asked = session.stacks()
    assert len(asked["tops"]) == ASKED.stacks
    assert asked["n_stacks"] == tree["n_stacks"]
    lines = ChartView(session).lines()
    assert lines[0].startswith(f"{tree['n_stacks']:,} stacks on ")
    assert any(line.startswith("  and 12,") and line.endswith(" more") for line in lines)


def test_frames_nearest_to_the_tops_are_kept() -> None:
    session = forced('root ::= "(" root ")" | "x"', "(" * 50, "deep")
    matcher = session._recorder.decoder.matcher
    whole, cut = stack_tree(matcher), stack_tree(matcher, Most(10, 7))
    assert whole["n_frames"] == cut["n_frames"] == 50
    assert cut["frames"] == whole["frames"][-7:]
    assert cut["tops"] == whole["tops"]
    assert cut["frames"][0]["below"] == 42, "said, though not listed"
    assert stack_lines(cut, session.trace.program)[-1] == "  and 43 more"


def test_text_says_which_rule_waits_for_which() -> None:
    session = forced('root ::= "(" pair ")"\npair ::= root "," root | "x"', "((x", "text")
    tree = ChartView(session).stacks()
    assert tree is not None
    lines = ChartView(session).lines()
    assert lines[0] == f"{tree['n_stacks']} stack on {tree['n_frames']} frames, the bottom first"
    assert lines[1:3] == ['  root -> pair • ")"  when pair is complete', '  pair -> root • ","  when root is complete']
    assert lines[3] == '  root -> pair • ")"  top'


def test_for_earleys_parser_there_are_none() -> None:
    session = pda_session("earley", options=EngineOptions())
    assert session.trace.steps[0].stacks is None
    assert ChartView(session).stacks() is None
    with pytest.raises(MatcherStateError, match="not stacks"):
        session.stacks()
