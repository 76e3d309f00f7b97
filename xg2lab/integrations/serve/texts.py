r"""Tokens as text, as soon as the text is certain: whole characters, and nothing that may begin a stop string.

>>> text = Text([b"ab", b"c\xe2", b"\x82\xac", b"STOP"], stops=("cST",))
>>> text.push(0), text.push(1), text.push(2), text.push(3), text.finish()
('ab', '', 'c€', 'STOP', '')
>>> text = Text([b"ab", b"S", b"TOP"], stops=("bST",))
>>> text.push(0), text.push(1), text.push(2), text.is_stopped
('a', '', '', True)

Units: tokens are bytes, text is characters. A byte that is no UTF-8 becomes U+FFFD.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

__all__ = ["Text", "held_back"]


def held_back(text: str, marks: Sequence[str]) -> int:
    """Count the last characters of a text that may begin one of the marks.

    Parameters
    ----------
    text : str
        The text so far.
    marks : sequence of str
        Texts that are waited for; none of them is in `text`.

    Returns
    -------
    int
        The length of the longest end of `text` that is a proper beginning of a mark.

    >>> held_back("see <tool", ["<tool_call>"])
    5
    """
    most = min(len(text), max((len(mark) for mark in marks), default=1) - 1)
    return next((n for n in range(most, 0, -1) if any(mark.startswith(text[-n:]) for mark in marks)), 0)


class Text:
    """The text of one answer while its tokens come.

    Parameters
    ----------
    tokens : sequence of bytes
        The bytes of each token id.
    stops : sequence of str
        Texts that end the answer, and are not part of it.

    >>> Text([b"a"]).push(0)
    'a'
    """

    def __init__(self, tokens: Sequence[bytes], stops: Sequence[str] = ()) -> None:
        self.is_stopped = False
        self._tokens, self._stops = tokens, [stop for stop in stops if stop]
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def push(self, token_id: int) -> str:
        """Add a token.

        Parameters
        ----------
        token_id : int
            The token.

        Returns
        -------
        str
            The text that has become certain; empty once a stop string has come.

        >>> Text([b"ab"], stops=["b!"]).push(0)
        'a'
        """
        return self._certain(self._decoder.decode(self._tokens[token_id]))

    def finish(self) -> str:
        """Return what was held back, after the last token.

        Returns
        -------
        str
            Empty after a stop string.

        >>> text = Text([b"ab"], stops=["b!"])
        >>> text.push(0) + text.finish()
        'ab'
        """
        said = self._certain(self._decoder.decode(b"", True))
        rest, self._held = self._held, ""
        return said if self.is_stopped else said + rest

    def _certain(self, more: str) -> str:
        if self.is_stopped:
            return ""
        text = self._held + more
        places = [place for place in map(text.find, self._stops) if place >= 0]
        if places:
            self.is_stopped, self._held = True, ""
            return text[: min(places)]
        n_held = held_back(text, self._stops) if self._stops else 0
        self._held = text[len(text) - n_held :]
        return text[: len(text) - n_held]
