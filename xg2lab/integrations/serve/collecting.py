"""What one choice of an answer has become: its parts put together, its tokens, why it ended.

>>> choice = Choice(0)
>>> choice.add([Part("content", "Hi"), Part("call", "", 0, "add"), Part("arguments", "{}", 0, "add")])
>>> choice.content, [(call.name, call.text) for call in choice.calls]
('Hi', [('add', '{}')])
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from xg2lab.integrations.serve.answers import Part

__all__ = ["Call", "Choice", "TokenLog", "token_text"]


def token_text(data: bytes) -> str:
    r"""Return the text of a token.

    Parameters
    ----------
    data : bytes
        Its bytes, which may be a part of a character.

    Returns
    -------
    str
        With `\xNN` for bytes that are no UTF-8.

    >>> token_text(b"a\xe2")
    'a\\xe2'
    """
    return data.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class TokenLog:
    """A token with its log-probabilities.

    Parameters
    ----------
    token_id : int
        The token.
    logprob : float
        Its log-probability by the model.
    top : tuple of (int, float)
        The most probable tokens.
    text_offset : int
        The number of characters of the answer before it.

    >>> TokenLog(1, -0.5, ()).text_offset
    0
    """

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]
    text_offset: int = 0


@dataclass
class Call:
    """A call of a tool.

    Parameters
    ----------
    name : str
        The tool.
    text : str
        Its arguments, or its input.

    >>> Call("add").id[:5]
    'call_'
    """

    name: str
    text: str = ""
    id: str = field(default_factory=lambda: f"call_{secrets.token_hex(12)}")


@dataclass
class Choice:
    """One choice.

    Parameters
    ----------
    index : int
        Its number in the answer.

    The module's example fills one.
    """

    index: int
    content: str = ""
    reasoning: str = ""
    calls: list[Call] = field(default_factory=list[Call])
    log: list[TokenLog] = field(default_factory=list[TokenLog])
    n_tokens: int = 0
    n_characters: int = 0
    reason: str = ""

    def add(self, parts: Iterable[Part]) -> None:
        """Add parts.

        Parameters
        ----------
        parts : iterable of Part
            What has become certain.

        The module's example adds some.
        """
        for part in parts:
            if part.kind == "content":
                self.content += part.text
            elif part.kind == "reasoning":
                self.reasoning += part.text
            elif part.kind == "call":
                self.calls.append(Call(part.name))
            else:
                self.calls[part.index].text += part.text
