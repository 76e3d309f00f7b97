r"""One side of a comparison: a grammar compiled apart from everything else, and replayed over given tokens.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> side = Side("A", xgr.Grammar.from_ebnf('root ::= "a" "b"'), info, xgr.EngineOptions())
>>> [row.tolist() for _, row, _ in side.replay(side.compile(), [0, 1])]
[[1], [2], [4]]

IDEA
  What a mask costs depends on what is known already, so a side compiles with a pool of its own that begins empty, and
  says which of three times it measures:

      first    the grammar was just compiled, its pool was empty
      shared   the same grammar compiled once more with that pool: what a second grammar of equal rules would find
      warm     the same compiled grammar again: every state has been visited

  Entries that are to be made ahead (`partial_jit_k`) are made before the first token; that time counts as compiling.

Shapes and units: a row is int32[ceil(vocab_size / 32)]; microseconds of the engine's own clock.
See also `xg2lab.lab.comparison.comparing`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from xg2lab.errors import Xg2LabError
from xg2lab.lab.session.instances import Instance

if TYPE_CHECKING:
    from xg2lab._core import MaskPool, TokenSets
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.options import EngineOptions
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["PHASES", "Row", "Side", "Stopped", "byte_info"]

PHASES = ("first", "shared", "warm")
_POLL_S = 0.002

Row = npt.NDArray[np.int32]


def byte_info() -> TokenizerInfo:
    """The 256 bytes as a vocabulary, and an end."""
    from xg2lab import TokenizerInfo

    return TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])


class Stopped(Exception):  # noqa: N818 (it is no error: what is known so far is kept)
    """The budget is spent, or the comparison was cancelled; the text says which."""


@dataclass
class Side:
    """A grammar, a vocabulary and options, with what was measured: `us[phase][step]` holds a figure a round.

    An `instance` of a template is linked from the template, which is compiled before for the same vocabulary and
    options; what counts as compiling is the linking alone.
    """

    name: str
    grammar: Grammar
    info: TokenizerInfo
    options: EngineOptions
    instance: Instance | None = None
    compile_us: list[float] = field(default_factory=list[float])
    us: dict[str, list[list[float]]] = field(default_factory=lambda: {phase: [] for phase in PHASES})
    n_states: int = 0
    memory_bytes: int = 0
    n_entries: int = 0
    refused: str = ""  # why the engine would not have this grammar with these options
    unequal: list[int] = field(default_factory=list[int])  # steps whose mask changed when it was made again
    caches: list[str] = field(default_factory=list[str])  # how each mask was come by when nothing was known
    _digests: list[int] = field(default_factory=list[int])

    def compile(self, pool: MaskPool | None = None, look: Callable[[], object] = lambda: None) -> CompiledGrammar:
        """The grammar compiled, with `pool` or an empty one; what is made ahead of the texts is made."""
        from xg2lab.compiler import compile_template_with, compile_with
        from xg2lab.compiling.pool import SharedParts

        pool = pool or self._new_pool()
        shared, begun = SharedParts(self._tokens, pool), time.perf_counter()
        if self.instance is None:
            compiled = compile_with(self.grammar, self.info, shared, self.options)
        else:
            template, arguments = self.instance.template.template, self.instance.arguments
            compiled = compile_template_with(template, self.info, shared, self.options).instantiate(**arguments)
        progress = compiled.jit_progress()
        while progress is not None and not progress["is_over"]:
            time.sleep(_POLL_S)
            look()
            progress = compiled.jit_progress()
        self.compile_us.append(compiled.compile_us if progress is None else (time.perf_counter() - begun) * 1e6)
        return compiled

    @cached_property
    def meaning(self) -> tuple[str, str]:
        """Equal for grammars that are equal as written, and their root; of a template's, the written-out text."""
        grammar = self.grammar
        text = str(grammar) if grammar.source_name == "template" else grammar.source
        return text, grammar.root_rule_name

    def replay(self, compiled: CompiledGrammar, tokens: Sequence[int]) -> Iterator[tuple[GrammarMatcher, Row, float]]:
        """The matcher, the mask and its microseconds before each token, and after the last if the text may go on."""
        from xg2lab import GrammarMatcher

        matcher = GrammarMatcher(compiled)
        for token_id in (*tokens, None):
            row = np.zeros((1, (self.info.vocab_size + 31) // 32), np.int32)
            matcher.fill_next_token_bitmask(row, 0)
            yield matcher, row[0], float(matcher.last_fill()["us"])
            if token_id is None or not matcher.accept_token(token_id) or matcher.is_terminated():
                return

    def round(self, tokens: Sequence[int], n_steps: int, look: Callable[[], object]) -> None:
        """Measure each phase once over the first `n_steps` masks. Masks made again are compared with the first."""
        pool = self._new_pool()
        compiled = self.compile(pool, look)
        self._measure("first", compiled, tokens, n_steps, look)
        self._measure("warm", compiled, tokens, n_steps, look)
        self.n_states, self.memory_bytes = compiled.n_states, compiled.memory_size_bytes
        self.n_entries = sum(cost.ns is not None for cost in compiled.jit_report().states)
        again = self.compile(pool, look)
        self.compile_us.pop()  # with what the first left in the pool: another figure
        self._measure("shared", again, tokens, n_steps, look)

    def _measure(
        self, phase: str, compiled: CompiledGrammar, tokens: Sequence[int], n_steps: int, look: Callable[[], object]
    ) -> None:
        kept = self.us[phase]
        for step, (matcher, row, us) in zip(range(n_steps), self.replay(compiled, tokens), strict=False):
            if step == len(kept):
                kept.append([])
            kept[step].append(us)
            if phase == "first" and step == len(self.caches):
                self.caches.append(str(matcher.last_fill()["cache"]))
            self.note(step, row)
            look()

    def note(self, step: int, row: Row) -> None:
        """Compare a mask with the first that this side made at the step."""
        digest = hash(row.tobytes())
        if step == len(self._digests):
            self._digests.append(digest)
        elif self._digests[step] != digest and step not in self.unequal:
            self.unequal.append(step)

    def medians(self, phase: str) -> list[float]:
        """The median over the rounds, a figure a step."""
        return [median(rounds) for rounds in self.us[phase]]

    def median_us(self, phase: str) -> float | None:
        """The median step; None before the first round."""
        known = self.medians(phase)
        return median(known) if known else None

    @cached_property
    def _tokens(self) -> TokenSets:
        """The vocabulary's trie: no part of a grammar, so all rounds share it."""
        from xg2lab.compiling.pool import shared_parts

        return shared_parts(self.info, self.options).token_sets

    def _new_pool(self) -> MaskPool | None:
        from xg2lab import _core

        return _core.MaskPool(self._tokens, self.options.max_pool_bytes) if self.options.cross_grammar_cache else None

    def by_round(self, phase: str, of: Callable[[list[float]], float] = median) -> list[float]:
        """A figure a round, the median over its steps if nothing else is said."""
        steps = self.us[phase]
        n_rounds = min((len(rounds) for rounds in steps), default=0)
        return [of([rounds[k] for rounds in steps]) for k in range(n_rounds)]

    def total_us(self, phase: str) -> float | None:
        """All steps together; None before the first round."""
        known = self.medians(phase)
        return sum(known) if known else None

    def try_compile(self, look: Callable[[], object]) -> CompiledGrammar | None:
        """The grammar compiled, or None: then `refused` says why."""
        try:
            return self.compile(None, look)
        except Xg2LabError as error:
            self.refused = f"{type(error).__name__}: {error}"
            return None

    def to_wire(self) -> schema.Side:
        """A dict of JSON values."""
        return {
            "name": self.name,
            "vocab_size": self.info.vocab_size,
            "compile_us": median(self.compile_us) if self.compile_us else None,
            "n_states": self.n_states,
            "n_entries": self.n_entries,
            "memory_bytes": self.memory_bytes,
            "refused": self.refused,
            "caches": self.caches,
            "us": {phase: [round(us, 3) for us in self.medians(phase)] for phase in PHASES},
        }
