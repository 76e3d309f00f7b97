r"""What a session warns of while it steps: white space that goes on and on.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"{", b"}", b" ", b"</s>"], stop_token_ids=[3])
>>> session = xgr.Session('root ::= "{" " "* "}"', info)
>>> steps = session.force("{" + " " * 40)
>>> print(session.alarms[0])
steps 1 to 40: 40 bytes of white space in a row, and the grammar lets it go on

IDEA
  A model that has lost its way often writes white space, because a grammar with `[ \n]*` allows it for ever: the
  request then ends by its limit of tokens, not by its grammar. The lint `endless_whitespace` names the place before;
  the alarm says that it happens.

See also `Session.alarms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xg2lab.lab.trace.steps import Step

__all__ = ["ALARM_BYTES", "Alarm", "has_run", "whitespace_runs"]

#: So many bytes of white space in a row are an alarm: more than the indentation of any usual text.
ALARM_BYTES = 32


@dataclass(frozen=True)
class Alarm:
    """One alarm of a session.

    Attributes
    ----------
    code : str
        "endless_whitespace", as the lint is called.
    first_step, last_step : int
        The steps that wrote it.
    n_bytes : int
        How long it is so far.
    is_open : bool
        Whether it is the end of the output, and the mask allows more of it.

    >>> str(Alarm("endless_whitespace", 3, 9, 40, is_open=False))
    'steps 3 to 9: 40 bytes of white space in a row'
    """

    code: Literal["endless_whitespace"]
    first_step: int
    last_step: int
    n_bytes: int
    is_open: bool

    def __str__(self) -> str:
        more = ", and the grammar lets it go on" if self.is_open else ""
        return f"steps {self.first_step} to {self.last_step}: {self.n_bytes} bytes of white space in a row{more}"


def has_run(steps: Sequence[Step]) -> bool:
    """Whether the decided steps end with white space that is long enough for an alarm. Looks no further back."""
    n_bytes = 0
    for step in reversed(steps):
        if step.token_id is None:
            continue
        data = bytes.fromhex(step.bytes)
        text = data.rstrip()
        n_bytes += len(data) - len(text)
        if text or n_bytes >= ALARM_BYTES:
            break
    return n_bytes >= ALARM_BYTES


def whitespace_runs(steps: Sequence[Step]) -> list[tuple[int, int, int]]:
    """The runs of white space that are long enough: first step, last step, bytes."""
    found: list[tuple[int, int, int]] = []
    first, n_bytes = 0, 0

    def end(last: int) -> None:
        if n_bytes >= ALARM_BYTES:
            found.append((first, last, n_bytes))

    last = 0
    for step in steps:
        if step.token_id is None:
            continue
        data = bytes.fromhex(step.bytes)
        if not data.strip():
            first = first if n_bytes else step.index
            n_bytes += len(data)
        else:
            n_head = len(data) - len(data.lstrip())
            n_bytes += n_head
            end(step.index if n_head else last)
            first, n_bytes = step.index, len(data) - len(data.rstrip())
        last = step.index
    end(last)
    return found
