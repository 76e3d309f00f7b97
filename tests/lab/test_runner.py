"""The protocol of a model: who keeps it can be a session's model, and who lacks something is told what."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.lab.fakes import FakeRunner, GatedRunner, QueueingRunner
from tests.ui.scripted import ScriptedRunner, vocabulary
from xg2lab.errors import ArgumentTypeError, SessionError
from xg2lab.lab import Runner, Session
from xg2lab.lab.model.runner import AsynchronousRunner, checked_runner

TOKENS = [bytes([byte]) for byte in range(256)] + [b"</s>"]
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[256])
GRAMMAR = 'root ::= "a" [0-9]+'


class Bare:
    """All that `Runner` says, each in the plainest way, and nothing else."""

    name = device = dtype = "bare"
    n_parameters = 7
    is_asynchronous = False
    tokenizer_info = INFO

    def __init__(self) -> None:
        self._read: list[int] = []

    def tokenizer(self, text: str) -> Any:
        return SimpleNamespace(input_ids=list(text.encode()))

    def fork(self) -> Bare:
        other = Bare()
        other._read = list(self._read)
        return other

    def reset(self) -> None:
        self._read = []

    def prefill(self, token_ids: list[int]) -> Any:
        self._read += token_ids
        return self.logits_numpy()

    def forward(self, token_id: int) -> Any:
        return self.prefill([token_id])

    def rollback(self, n_tokens: int) -> None:
        del self._read[len(self._read) - n_tokens :]

    def logits_numpy(self) -> Any:
        return np.random.default_rng(self._read).normal(size=257).astype(np.float32)


NAMES = sorted(name for name in vars(Runner) if not name.startswith("_"))


def test_what_the_protocol_says_is_enough():
    """Steps, branches, another prompt, both kinds of lanes: nothing is asked that `Runner` does not name."""
    for overlap in (False, True):
        session = Session(GRAMMAR, model=Bare(), prompt="Say: ", overlap=overlap, seed=3)
        session.step(4)
        session.back(2)
        session.step(2)
        text = session.text
        session.reset("Again: ")
        session.step(3)
        assert text.startswith("a")
        assert session.trace.header["model"] == {
            "name": "bare", "device": "bare", "dtype": "bare", "n_parameters": 7
        }  # fmt: skip
        assert session.tokenizer_info is INFO


@pytest.mark.parametrize(
    "runner",
    [FakeRunner(9), GatedRunner(9), QueueingRunner(9), ScriptedRunner(vocabulary(600)), Bare()],
    ids=lambda runner: type(runner).__name__,
)
def test_the_fakes_of_the_tests_keep_the_protocol(runner):
    assert isinstance(runner, Runner)
    assert checked_runner(runner) is runner
    assert isinstance(runner, AsynchronousRunner) == runner.is_asynchronous


def test_the_runner_of_transformers_keeps_it():
    pytest.importorskip("transformers")
    runner = xgr.ModelRunner.tiny()
    assert checked_runner(runner) is runner
    assert isinstance(runner, AsynchronousRunner)
    info = runner.tokenizer_info
    assert info is runner.tokenizer_info is runner.fork().tokenizer_info
    assert info.vocab_size == runner.vocab_size
    assert info.stop_token_ids == sorted(runner.eos_token_ids)
    session = Session('root ::= "a"', model=runner)
    assert session.tokenizer_info is info
    assert session.trace.header["model"]["n_parameters"] == runner.n_parameters > 10**5


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_needed_and_said(name):
    lacking = type("Lacking", (), {key: value for key, value in vars(Bare).items() if key not in (name, "__dict__")})
    with pytest.raises(ArgumentTypeError) as told:
        Session(GRAMMAR, INFO, lacking())  # pyright: ignore[reportArgumentType]
    assert str(told.value).startswith(f"this Lacking can't be the model of a session: it has no {name}\n")
    assert "xg2lab.lab.Runner" in told.value.hint


def test_one_that_says_it_is_asynchronous_has_more_to_have():
    half = type("Half", (Bare,), {"is_asynchronous": True})()
    with pytest.raises(ArgumentTypeError, match="it has no last_end_ns, launch\n"):
        Session(GRAMMAR, INFO, half)


def test_a_fork_is_checked_as_well():
    broken = type("Broken", (Bare,), {"fork": lambda self: None})()
    with pytest.raises(ArgumentTypeError, match="this NoneType can't be the model"):
        Session(GRAMMAR, INFO, broken)  # pyright: ignore[reportArgumentType]


def test_names_that_an_object_makes_up_as_it_goes_count():
    class Proxy:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

    session = Session(GRAMMAR, INFO, Proxy(Bare()), prompt="?", seed=1)  # pyright: ignore[reportArgumentType]
    assert session.step(2)[0].text == "a"


def test_no_property_is_asked_only_to_see_that_it_is_there():
    class Lazy(Bare):
        @property
        def tokenizer_info(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
            raise AssertionError("a vocabulary takes time to make, and the session was given one")

        def fork(self) -> Lazy:
            return Lazy()

    assert Session(GRAMMAR, INFO, Lazy(), prompt="?", seed=1).step(1)[0].text == "a"


def test_without_a_vocabulary_the_remedy_is_named():
    with pytest.raises(SessionError, match="with fake, which has no tokenizer_info") as told:
        Session(GRAMMAR, model=FakeRunner(9))
    assert "tokenizer_info=" in told.value.hint
