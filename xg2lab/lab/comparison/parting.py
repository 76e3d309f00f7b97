"""Where two runs part, and why: the first byte that differs, and what each mask says of the other's token.

>>> from xg2lab import Session, TokenizerInfo
>>> info = TokenizerInfo([b"a", b"b", b"c", b"</s>"], stop_token_ids=[3])
>>> one, two = Session('root ::= "a" [bc]', info, name="one"), Session('root ::= "a" "b"', info, name="two")
>>> _ = one.force("ac"), two.force("ab")
>>> found = parting_of(one, two)
>>> print(found.byte, found.why, "-", found.says)
1 blocked - at byte 1 one took 'c' and two took 'b': two blocks 'c'
>>> found.refused[0].expected
'"b"'

IDEA
  Runs are compared by bytes: two masks may spell one text with other tokens, and then the runs have not parted. At the
  first byte that differs, each side is asked about what the other took, from the byte at which its own token begins. If
  one of them blocks it, this is the reason. If both allow both, the draws differ: another seed, another temperature, or
  other probabilities. An output that has ended parts from one that goes on.

See also: `xg2lab.lab.comparison.lockstep`; `xg2lab.lab.model.sampling`, whose draws of one seed part only where one
side took a token that the other blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from xg2lab.errors import SessionError
from xg2lab.lab.trace.spelling import readable

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session
    from xg2lab.lab.trace.steps import Step

__all__ = ["Parting", "Refused", "parting_of"]


@dataclass(frozen=True)
class Refused:
    """What one side took and the other blocks.

    `is_a`: whether it is the first side that blocks it; `step`: the step of that side; `token_id`: None for a text that
    is no single token there; `data`: its bytes; `mechanism`, `reason`, `expected`: as `Session.explain` says.
    """

    is_a: bool
    step: int
    token_id: int | None
    text: str
    data: bytes
    mechanism: str
    reason: str
    expected: str


@dataclass(frozen=True)
class Parting:
    """Where two runs part.

    `byte`: the first byte of the output that differs; `steps`: the step of each side that wrote it; `texts`: their
    tokens, readable; `why`: "blocked" by a mask, "drawn" otherwise where both allow both, or "ended"; `says`: the
    sentence.
    """

    byte: int
    steps: tuple[int, int]
    texts: tuple[str, str]
    why: Literal["blocked", "drawn", "ended"]
    says: str
    refused: tuple[Refused, ...]

    def to_wire(self) -> schema.WireParting:
        """Return the parting as JSON values."""
        return {
            "byte": self.byte,
            "steps": list(self.steps),
            "texts": list(self.texts),
            "why": self.why,
            "says": self.says,
            "refused": [
                {
                    "is_a": one.is_a,
                    "step": one.step,
                    "token_id": one.token_id,
                    "text": one.text,
                    "mechanism": one.mechanism,
                    "reason": one.reason,
                    "expected": one.expected,
                }
                for one in self.refused
            ],
        }


def first_difference(a: bytes, b: bytes) -> int | None:
    """The first index at which two texts differ; None if one begins with the other."""
    n = min(len(a), len(b))
    if a[:n] == b[:n]:
        return None
    low, high = 0, n  # a[:low] == b[:low], a[:high] != b[:high]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle)
    return low


def parting_of(a: Session, b: Session) -> Parting | None:
    """Find where two runs of one vocabulary part.

    Parameters
    ----------
    a, b : Session
        The runs; neither changes.

    Returns
    -------
    Parting or None
        None as long as one output begins with the other and may go on.
    """
    taken_a, taken_b = (_taken(session) for session in (a, b))
    texts = [b"".join(step.data for step in taken) for taken in (taken_a, taken_b)]
    byte = first_difference(*texts)
    if byte is None:
        if len(texts[0]) == len(texts[1]):
            return None
        short, longer = (taken_a, taken_b) if len(texts[0]) < len(texts[1]) else (taken_b, taken_a)
        if not (short and short[-1].terminated):
            return None
        byte = min(map(len, texts))
        pair = short[-1], _at(longer, byte)
        at_a, at_b = pair if short is taken_a else pair[::-1]
    else:
        at_a, at_b = _at(taken_a, byte), _at(taken_b, byte)
    refused = [*_refused(b, at_b, at_a, texts[0], is_a=False), *_refused(a, at_a, at_b, texts[1], is_a=True)]
    has_ended = any(step.terminated and step.byte_begin == byte for step in (at_a, at_b))
    why: Literal["blocked", "drawn", "ended"] = "blocked" if refused else "ended" if has_ended else "drawn"
    shown = (_shown(at_a), _shown(at_b))
    says = f"at byte {byte} {a.name} {_deed(at_a)} and {b.name} {_deed(at_b)}: " + (
        "; ".join(f"{a.name if one.is_a else b.name} blocks {one.text}" for one in refused)
        if refused
        else f"both masks allow both, {_drawn(a, b)}"
    )
    return Parting(byte, (at_a.index, at_b.index), shown, why, says, tuple(refused))


def _taken(session: Session) -> list[Step]:
    return [step for step in list(session.trace.steps) if step.kind is not None]


def _at(taken: list[Step], byte: int) -> Step:
    """The step that wrote a byte; the step after the text's end is the last one."""
    return next((step for step in taken if step.byte_begin <= byte < step.byte_begin + step.n_bytes), taken[-1])


def _shown(step: Step) -> str:
    return repr(step.text)


def _deed(step: Step) -> str:
    return f"ended with {_shown(step)}" if step.terminated else f"took {_shown(step)}"


def _refused(asked: Session, own: Step, other: Step, text: bytes, *, is_a: bool) -> list[Refused]:
    """What the asked side says of the other's token: of its id where the two begin together, else of its bytes."""
    is_same_place = own.byte_begin == other.byte_begin
    data = text[own.byte_begin : other.byte_begin + other.n_bytes]
    subject = other.token_id if is_same_place else data
    if subject is None or subject == b"":
        return []
    try:
        why = asked.explain(subject, own.index)
    except SessionError:  # a run without a mask had left the grammar before
        return []
    if why["allowed"]:
        return []
    token_id = other.token_id if is_same_place else None
    shown = _shown(other) if is_same_place else repr(readable(data))
    expected = str(why.get("expected_text") or "")
    return [Refused(is_a, own.index, token_id, shown, data, why["mechanism"], why["reason"], expected)]


def _drawn(a: Session, b: Session) -> str:
    """Why two draws differ where both masks allow both tokens."""
    if a.prompt != b.prompt:
        return "and the prompts differ"
    one, two = a.sampling.to_wire(), b.sampling.to_wire()
    fields = [name for name in ("seed", "temperature", "top_k", "top_p") if one[name] != two[name]]
    if fields:
        return "and the draws have another " + " and another ".join(fields)
    return "and the draws differ"
