"""A session that is begun with the messages of a chat: the model's own template makes the prompt of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import xg2lab as xgr
from tests.ui.scripted import scripted_session
from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.lab.model.chat import chat_prompt, checked_messages
from xg2lab.lab.trace.trace import Trace

USER = {"role": "user", "content": "Where is Oslo?"}


def with_template(apply: Any) -> Any:
    """A runner whose tokenizer has that chat template."""
    return SimpleNamespace(name="fake", tokenizer=SimpleNamespace(chat_template="x", apply_chat_template=apply))


def test_the_template_is_the_models_own() -> None:
    told: list[Any] = []

    def apply(messages: Any, **options: Any) -> str:
        told.append((messages, options))
        return "made"

    assert chat_prompt(with_template(apply), checked_messages((USER,))) == "made"
    assert told == [([USER], {"tokenize": False, "add_generation_prompt": True})]


@pytest.mark.parametrize(
    ("messages", "error", "says"),
    [
        ([], ArgumentError, "empty"),
        ("Where?", ArgumentTypeError, "a list, not str"),
        ({"role": "user", "content": "x"}, ArgumentTypeError, "a list, not dict"),
        (["Where?"], ArgumentTypeError, r"messages\[0\] is a dict, not str"),
        ([USER, {"role": "user"}], ArgumentError, r"messages\[1\].*'content'"),
        ([USER | {"name": "a"}], ArgumentError, "'name'"),
        ([{"role": "user", "content": None}], ArgumentTypeError, "content"),
        ([{"role": 3, "content": ""}], ArgumentTypeError, "role"),
    ],
)
def test_what_are_no_messages_is_told_by_place(messages: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        checked_messages(messages)


def test_a_model_without_a_template_is_named() -> None:
    with pytest.raises(ArgumentError, match="has no chat template"):
        scripted_session(prompt="", messages=[USER])
    info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    with pytest.raises(ArgumentError, match="a session with a model"):
        xgr.Session('root ::= "a"', info, messages=[USER])


def test_a_template_that_refuses_says_why() -> None:
    def refuses(*_: Any, **__: Any) -> str:
        raise ValueError("roles must alternate")

    with pytest.raises(ArgumentError, match="roles must alternate"):
        chat_prompt(with_template(refuses), checked_messages([USER]))


def test_prompt_and_messages_are_one_too_many() -> None:
    with pytest.raises(ArgumentError, match="prompt and messages"):
        scripted_session(prompt="x", messages=[USER])


def test_a_session_keeps_its_messages_in_the_trace(tmp_path: Any) -> None:
    pytest.importorskip("torch")
    session = xgr.Session("root ::= [a-z ]+", model="tiny", messages=[USER], max_tokens=3)
    assert "Where is Oslo?" in session.prompt
    assert session.prompt != "Where is Oslo?"
    assert session.trace.header.get("messages") == [USER]
    session.step(2)
    session.reset(messages=[USER | {"content": "And Bergen?"}])
    assert "And Bergen?" in session.prompt
    assert len(session.past_traces) == 1
    session.step(2)
    path = tmp_path / "trace.json"
    session.trace.save(path)
    assert Trace.load(path).header.get("messages") == [USER | {"content": "And Bergen?"}]
    session.reset("plain text")
    assert (session.prompt, session.trace.header.get("messages")) == ("plain text", None)
