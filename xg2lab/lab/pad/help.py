"""What a pad's editor asks of the text that is in it: `xg2lab.editing`, with the facts of the pad's last good grammar.

>>> from xg2lab.lab.pad.pad import Pad
>>> help = PadHelp(Pad('root ::= "[" item "]"   item ::= [0-9]+').wait())
>>> help.at('root ::= ite   item ::= "a', "ebnf").definition(18)
(15, 19)
>>> samples = help.samples(seed=1, rule="item")
>>> samples.shortest, samples.uses, samples.near.died_at
('[0]', '[0]', 1)

The text of a question is the page's, which may be newer than the pad's. Nothing is compiled here: a pad does that.

THREADS  One at a time: a kernel answers its pages one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from xg2lab.editing.assistant import Assistant
from xg2lab.editing.sampler import NearMiss, TextSampler
from xg2lab.errors import Xg2LabError
from xg2lab.lab.pad.pad import Pad, PadState

__all__ = ["PadHelp", "Samples"]

N_MEMBERS = 10


@dataclass(frozen=True)
class Samples:
    """Members of a grammar with the number `revision` (-1: there was none), and a text that is nearly one."""

    revision: int
    members: tuple[str, ...] = ()
    shortest: str | None = None
    uses: str | None = None
    near: NearMiss | None = None
    note: str = ""


class PadHelp:
    """The editor's questions about one pad."""

    def __init__(self, pad: Pad) -> None:
        self._pad = pad
        self._assistant: Assistant | None = None
        self._known = -1  # the revision of the grammar that the assistant knows
        self._sampler: tuple[int, TextSampler] | None = None

    def at(self, text: str, kind: str) -> Assistant:
        """An assistant that has read a text. Raises `LimitError` for one that is too long."""
        state = self._pad.state
        assistant = self._assistant
        if assistant is None or assistant.kind != kind:
            assistant, self._known = Assistant(kind, compiles=False), -1
        if state.good is not None and state.good.kind == assistant.kind and state.good_revision != self._known:
            self._known = state.good_revision
            keywords = () if state.draft is None else state.draft.keywords
            assistant.know(state.good.grammar, keywords)
        assistant.read(text)
        self._assistant = assistant
        return assistant

    def samples(self, seed: int, rule: str | None = None, pointer: str | None = None) -> Samples:
        """Members of the last good grammar, one with a rule or a keyword, and a text that is nearly one."""
        state = self._pad.state
        if state.good is None:
            return Samples(-1, note="there is no valid grammar yet")
        try:
            return self._drawn(state, seed, rule, pointer)
        except Xg2LabError as error:
            return Samples(state.good_revision, note=error.message)

    def _drawn(self, state: PadState, seed: int, rule: str | None, pointer: str | None) -> Samples:
        sampler = self._sampler_of(state)
        uses = sampler.using_keyword(pointer) if pointer is not None else None
        uses = sampler.using_rule(rule) if uses is None and rule is not None else uses
        members, shortest = sampler.members(N_MEMBERS, seed), sampler.shortest()
        beside = uses or shortest or next(iter(members), None)
        near = None if beside is None else sampler.near(beside, seed)
        return Samples(state.good_revision, tuple(members), shortest, uses, near)

    def _sampler_of(self, state: PadState) -> TextSampler:
        assert state.good is not None, "asked for with a grammar alone"
        if self._sampler is None or self._sampler[0] != state.good_revision:
            self._sampler = state.good_revision, TextSampler(state.good.grammar)
        return self._sampler[1]
