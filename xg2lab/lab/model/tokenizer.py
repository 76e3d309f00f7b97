"""What the lab calls of a tokenizer: protocols that the tokenizers of Hugging Face satisfy, and any other may.

>>> class Bytes:
...     "Each byte is a token."
...     def __call__(self, text): return type("Encoding", (), {"input_ids": list(text.encode())})
...     def decode(self, token_ids): return bytes(token_ids).decode("utf-8", "replace")
>>> isinstance(Bytes(), Tokenizer), isinstance(Bytes(), Decoder), isinstance(Bytes(), Encoder)
(True, True, False)

A model's runner needs a `Tokenizer`. Three features use more, where the tokenizer has it: `audit` compares the
vocabulary with a `Decoder`, `jump_forward` spells text with an `Encoder`, and `python -m xg2lab.lab.demo` writes its
prompt with a `Chat`.

See also `xg2lab.lab.model.runner`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

__all__ = ["Chat", "Decoder", "Encoder", "Encoding", "Tokenizer"]


class Encoding(Protocol):
    """A text in tokens."""

    @property
    def input_ids(self) -> Sequence[int]:
        """The token ids."""
        ...


@runtime_checkable
class Tokenizer(Protocol):
    """A callable that encodes a text.

    Optional attributes: `bos_token_id` and `eos_token_id`, the token that an empty prompt becomes.
    """

    def __call__(self, text: str, /) -> Encoding:
        """Return the text in tokens."""
        ...


@runtime_checkable
class Decoder(Tokenizer, Protocol):
    """A tokenizer that decodes as well. It may also take Hugging Face's switches of `decode` by name."""

    def decode(self, token_ids: list[int], /) -> str:
        """Return the text of token ids."""
        ...


@runtime_checkable
class Encoder(Tokenizer, Protocol):
    """A tokenizer that encodes a text as it is, without the tokens that begin and end a document."""

    def encode(self, text: str, /, *, add_special_tokens: bool) -> Sequence[int]:
        """Return the token ids of a text."""
        ...


@runtime_checkable
class Chat(Protocol):
    """A tokenizer that writes the messages of a chat as a prompt."""

    chat_template: str | None

    def apply_chat_template(
        self, conversation: Sequence[Mapping[str, str]], /, *, tokenize: bool, add_generation_prompt: bool
    ) -> str:
        """Return the prompt of a chat."""
        ...
