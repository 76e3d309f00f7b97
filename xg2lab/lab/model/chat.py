"""The prompt that a model's chat template makes of messages.

>>> checked_messages([{"role": "user", "content": "Hello"}])
[{'role': 'user', 'content': 'Hello'}]

A chat template is the tokenizer's: Hugging Face's `apply_chat_template` writes the messages as the model was trained to
read them, and adds what the answer begins with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.support.arguments import unicode_text

if TYPE_CHECKING:
    from xg2lab.lab.model.runner import Runner
    from xg2lab.lab.schema.trace import ChatMessage

__all__ = ["chat_prompt", "checked_messages"]

_HINT = '[{"role": "user", "content": "..."}]'


def checked_messages(messages: Sequence[Mapping[str, str]]) -> list[ChatMessage]:
    """Return messages as the trace keeps them.

    Raises `ArgumentTypeError` for what is no list of dicts with the texts `role` and `content`, `ArgumentError` for
    none at all and for other keys.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise ArgumentTypeError(f"messages is a list, not {type(messages).__name__}", hint=_HINT)
    if not messages:
        raise ArgumentError("messages is empty", hint=_HINT)
    checked: list[ChatMessage] = []
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise ArgumentTypeError(f"messages[{at}] is a dict, not {type(message).__name__}", hint=_HINT)
        known = {"role", "content"}
        if set(message) != known:
            odd = sorted(map(repr, set(message) ^ known))
            raise ArgumentError(
                f"messages[{at}] has a role and a content, and nothing else: {', '.join(odd)}", hint=_HINT
            )
        role, content = (unicode_text(message[key], f"messages[{at}][{key!r}]") for key in ("role", "content"))
        checked.append({"role": role, "content": content})
    return checked


def chat_prompt(runner: Runner | None, messages: list[ChatMessage]) -> str:
    """Return the text that the model reads, from its own chat template.

    Raises `ArgumentError` where there is no model, no chat template, or one that refuses the messages.
    """
    if runner is None:
        raise ArgumentError("messages are for a session with a model", hint='Session(..., model="tiny", messages=...)')
    tokenizer: Any = runner.tokenizer
    if not getattr(tokenizer, "chat_template", None):
        raise ArgumentError(f"{runner.name} has no chat template", hint="pass the whole text as prompt=")
    try:
        return str(tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True))
    except Exception as error:
        raise ArgumentError(f"the chat template of {runner.name} refuses the messages: {error}", hint=_HINT) from error
