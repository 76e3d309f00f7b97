"""Token ids out of whatever holds them: a list, an array, a line of a server's log.

>>> read_ids("prompt_token_ids=[1, 2, 3, 4], output_token_ids=[791, 4320]").ids
(791, 4320)
>>> read_ids("ERROR 11-22 17:02 Failed to advance FSM for request cmpl-7f3 for tokens 1234. Please file an issue.").ids
(1234,)
>>> read_ids("tensor([[12,  7], device='cuda:0')").ids, read_ids("12 7").ids, read_ids([12, 7]).ids
((12, 7), (12, 7), (12, 7))

A text may hold several lists: one that is named as output, generated or completed is taken before others, one that is
named as prompt or input after them; of equals the longest, then the last. A list that was cut short ("...") is refused,
since what comes after the gap would be judged at a wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from xg2lab.errors import SessionError

__all__ = ["Pasted", "read_ids"]

# No text can be matched in two ways, so that a long one takes no longer than reading it: numbers have
# something between them, and what was matched is not given back (`++`, `*+`).
_NUMBERS = r"-?\d++(?:(?:\s*+[,;]\s*+|\s++)-?\d++)*"
_END = r"\s*+(?:[,;]\s*+)?+"
_LIST = re.compile(rf"[\[(]\s*+({_NUMBERS}){_END}[\])]")
_CUT = re.compile(rf"[\[(]\s*+{_NUMBERS}{_END}(?:\.\.\.|…)")
_BARE = re.compile(rf"\s*+{_NUMBERS}{_END}")
_NAMED = re.compile(r"\btokens?(?:[_ ]?ids?)?\b\"?\s*+(?:[:=]\s*+)?+(-?\d++)\b(?!\s*+tokens)", re.IGNORECASE)
_OUTPUT, _INPUT = (
    re.compile(r"output|generat|complet|sampled|new_tok", re.IGNORECASE),
    re.compile(r"prompt|input", re.IGNORECASE),
)
_NAME_CHARACTERS = 32
_MOST_DIGITS = 20


@dataclass(frozen=True)
class Pasted:
    """The ids, and where in the text they were found."""

    ids: tuple[int, ...]
    source: str


def read_ids(pasted: str | Iterable[int]) -> Pasted:
    """The token ids in `pasted`. Raises `SessionError` where there are none."""
    if not isinstance(pasted, str):
        return Pasted(tuple(int(i) for i in pasted), "a list")
    if _CUT.search(pasted):
        raise SessionError(
            "the list of ids is cut short (...)", hint="print all ids: tokens after a gap can't be checked"
        )
    found = [(m[1], pasted[max(0, m.start() - _NAME_CHARACTERS) : m.start()]) for m in _LIST.finditer(pasted)]
    if found:
        ids, before = max(reversed(found), key=lambda f: (_rank(f[1]), len(_numbers(f[0]))))
        name = re.search(r"([A-Za-z_][\w ]*?)[\"']?\s*[:=]?\s*[\[(]*$", before)
        n = len(_numbers(ids))
        return Pasted(_numbers(ids), f"the list of {n} after {name[1]!r}" if name else f"the list of {n}")
    if _BARE.fullmatch(pasted):
        return Pasted(_numbers(pasted), "numbers alone")
    named = _NAMED.findall(pasted)
    if named:
        return Pasted(_numbers(" ".join(named)), "ids after the word token")
    raise SessionError("there are no token ids in this text", hint="paste them as in [791, 4320, 13], or the log line")


def _rank(before: str) -> int:
    """How likely a list after these words is the output: by the nearest name."""
    output = max((m.end() for m in _OUTPUT.finditer(before)), default=-1)
    prompt = max((m.end() for m in _INPUT.finditer(before)), default=-1)
    return 0 if output == prompt else 1 if output > prompt else -1


def _numbers(text: str) -> tuple[int, ...]:
    words = re.findall(r"-?\d+", text)
    longest = max(words, key=len)
    if len(longest) > _MOST_DIGITS:
        raise SessionError(
            f"a number of {len(longest):,} digits is no token id: {longest[:_MOST_DIGITS]}…",
            hint="is a comma or a space missing between the ids?",
        )
    return tuple(map(int, words))
