"""Likeliest continuations against their definition: one path after the other, read anew from the prompt."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, DeserializeFormatError, SessionError
from xg2lab.lab import Session
from xg2lab.lab.session.beam import Beam, logits_after
from xg2lab.lab.trace.trace import Trace

GRAMMAR = 'root ::= "[" [0-9]+ ("," [0-9]+)* "]"'
PROMPT = "A list: "
Path = tuple[int, ...]


@pytest.fixture(scope="module")
def session() -> Session:
    """The tiny model, two tokens into a list."""
    session = Session(GRAMMAR, model="tiny", prompt=PROMPT)
    session.force("[1")
    return session


def chances(session: Session, path: Path) -> tuple[Any, Any]:
    """p and the mask after some tokens, by a model that reads all of them, and a matcher that accepts all of them."""
    runner = xgr.ModelRunner.tiny()
    taken = [step.token_id for step in session.trace.steps if step.token_id is not None]
    logits = runner.prefill([*runner.tokenizer(PROMPT).input_ids, *taken, *path]).astype(np.float64)
    p = np.exp(logits - logits.max())
    matcher = session.matcher_at()
    if not all(matcher.accept_token(token) for token in path):
        return p / p.sum(), None
    allowed = np.zeros(len(p), bool)
    allowed[matcher.allowed_tokens()] = True
    return p / p.sum(), allowed


def by_definition(session: Session, depth: int, width: int) -> list[tuple[Path, bool, float, float | None]]:
    """Level by level: every token after every kept path, the likeliest of each kind."""
    stop = set(xgr.ModelRunner.tiny().eos_token_ids)
    kept: list[tuple[Path, bool, float, float | None]] = [((), True, 1.0, 1.0)]
    out: list[tuple[Path, bool, float, float | None]] = []
    for _ in range(depth):
        found: list[tuple[Path, bool, float, float | None]] = []
        for path, is_allowed, mass, drawn in kept:
            if path and path[-1] in stop:
                continue
            p, allowed = chances(session, path)
            assert (allowed is not None) == is_allowed
            for token in range(len(p)):
                fits = allowed is not None and bool(allowed[token])
                q = p[token] / p[allowed].sum() if fits else None
                found.append((
                    (*path, token), fits, mass * p[token], None if q is None or drawn is None else drawn * q,
                ))  # fmt: skip
        allowed_ones = sorted((one for one in found if one[1]), key=lambda one: -(one[3] or 0.0))
        blocked_ones = sorted((one for one in found if not one[1]), key=lambda one: -one[2])
        kept = allowed_ones[:width] + blocked_ones[:width]
        out += kept
    return out


def test_the_tree_is_that_of_the_definition(session: Session) -> None:
    found = session.beam(3, 2)
    expected = by_definition(session, 3, 2)
    assert [(tuple(found.path(k)), node.allowed) for k, node in enumerate(found.nodes)] == [e[:2] for e in expected]
    for node, (_, _, mass, drawn) in zip(found.nodes, expected, strict=True):
        assert math.isclose(node.mass, mass, rel_tol=1e-3)
        assert (node.drawn is None) == (drawn is None)
        assert drawn is None or math.isclose(node.drawn or 0.0, drawn, rel_tol=1e-3)


def test_the_session_is_as_it_was(session: Session) -> None:
    before = session.trace.to_wire(bulk=False)["steps"]
    text = session.text
    session.beam(4, 3)
    assert session.trace.to_wire(bulk=False)["steps"] == before
    other = Session(GRAMMAR, model="tiny", prompt=PROMPT, seed=5)
    other.force("[1")
    mine = Session(GRAMMAR, model="tiny", prompt=PROMPT, seed=5)
    mine.force("[1")
    mine.beam(5, 4)
    assert [s.token_id for s in mine.step(6)] == [s.token_id for s in other.step(6)]
    assert session.text == text


def test_an_earlier_step_has_the_tree_that_it_had() -> None:
    session = Session(GRAMMAR, model="tiny", prompt=PROMPT)
    session.force("[")
    then = session.beam(2, 2)
    session.force("1")
    again = Session(GRAMMAR, model="tiny", prompt=PROMPT)
    again.force("[1")
    late = again.beam(2, 2, step=1)
    assert [n.token_id for n in late.nodes] == [n.token_id for n in then.nodes]
    assert np.allclose([n.mass for n in late.nodes], [n.mass for n in then.nodes], rtol=1e-3)
    assert again.beam(2, 2).step == 2


def test_a_batch_has_the_logits_of_each_path_alone() -> None:
    runner = xgr.ModelRunner.tiny()
    runner.prefill([5, 6, 7])
    paths = [[1, 2], [3, 4], [9, 9]]
    rows = logits_after(runner, paths)
    assert runner.tokens == [5, 6, 7]
    for path, row in zip(paths, rows, strict=True):
        assert np.allclose(row, runner.fork().prefill(path), atol=1e-3)
    with pytest.raises(SessionError, match="one length"):
        runner.logits_after([[1], [2, 3]])


class Plain:
    """A runner without batches: it likes each token as much as any other."""

    name, device, dtype, n_parameters, is_asynchronous = "plain", "cpu", "float32", 0, False
    tokenizer_info = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])

    def __init__(self) -> None:
        self.read: list[int] = []

    def tokenizer(self, text: str) -> Any:
        return type("Encoding", (), {"input_ids": list(text.encode())})

    def fork(self) -> Plain:
        return Plain()

    def reset(self) -> None:
        self.read = []

    def prefill(self, token_ids: list[int]) -> Any:
        self.read += token_ids
        return self.logits_numpy()

    def forward(self, token_id: int) -> Any:
        return self.prefill([token_id])

    def rollback(self, n_tokens: int = 1) -> None:
        del self.read[len(self.read) - n_tokens :]

    def logits_numpy(self) -> Any:
        out = np.zeros(257, np.float32)
        out[ord("a") + len(self.read) % 3] = 3.0
        return out


def test_a_runner_without_batches_reads_one_path_after_the_other() -> None:
    runner = Plain()
    session = Session("root ::= [a-c]+", model=runner, prompt="x")  # type: ignore[arg-type]
    found = session.beam(3, 1)
    assert [node.text for node in found.nodes if node.allowed] == ["b", "c", "a"]


def test_a_finished_path_is_not_continued() -> None:
    session = Session('root ::= "a"', Plain.tokenizer_info, model=Plain(), prompt="xx")  # type: ignore[arg-type]
    found = session.beam(4, 1)
    allowed = [k for k, node in enumerate(found.nodes) if node.allowed]
    assert [found.nodes[k].ends for k in allowed] == [False, True]
    assert all(node.parent != allowed[-1] for node in found.nodes)


def test_trees_are_saved_with_the_trace_and_dropped_with_their_steps() -> None:
    session = Session(GRAMMAR, model="tiny", prompt=PROMPT)
    session.force("[1")
    session.beam(2, 2)
    session.beam(1, 1, step=0)
    assert sorted(session.trace.beams) == [0, 2]
    wire = json.loads(json.dumps(session.trace.to_wire()))
    assert Trace.from_wire(wire).beams == session.trace.beams
    wire["beams"]["0"]["nodes"][0][0] = 7
    with pytest.raises(DeserializeFormatError) as refused:
        Trace.from_wire(wire)
    assert refused.value.pointer == "/beams/0/nodes/0/0"
    session.back(1)
    assert sorted(session.trace.beams) == [0]


@pytest.mark.parametrize(("depth", "width"), [(0, 1), (9, 1), (1, 0), (1, 9), (True, 1), ("2", 1)])
def test_sizes_are_bounded(session: Session, depth: Any, width: Any) -> None:
    with pytest.raises(ArgumentError, match=r"must be (an int )?from 1 to 8"):
        session.beam(depth, width)


def test_without_a_model_nothing_is_likely() -> None:
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    with pytest.raises(SessionError, match="no model"):
        Session('root ::= "a"', info).beam()


def test_the_largest_tree_is_bounded(session: Session) -> None:
    found: Beam = session.beam(8, 8)
    assert len(found.nodes) <= 2 * 8 * 8
