"""The matcher and the model of one session, kept at the same token, and what they say about the next one.

    decoder = Decoder(compiled, info, ModelLane(runner, Clock(), prompt="A list: "), Limits())
    measurement = decoder.measure(index=0, byte_begin=0, sampling=SamplingOptions())
    decoder.take(measurement.distribution.draw(0.5))

IDEA
  `taken` is the truth: the tokens of the output. The matcher follows it at once; the model lags and catches up while
  the mask is made (`xg2lab.lab.model.model_lane`), so a failing forward pass leaves nothing half done and can be asked
  again. An unconstrained decoder has a matcher too: it watches, and stops following at the token that leaves the
  grammar.

INVARIANT  I1  the matcher has accepted exactly taken[:n_followed]; n_followed == len(taken) unless `broke` is set.

NOT HERE  the trace, locks, choosing a token: `xg2lab.lab.session.session`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError, VocabularyError
from xg2lab.lab.model.model_lane import Logits, ModelLane
from xg2lab.lab.model.sampling import Distribution, SamplingOptions, distribution
from xg2lab.lab.model.tokenizer import Encoder
from xg2lab.lab.trace.bulk import Bulk, encode_probabilities
from xg2lab.lab.trace.lanes import Lane, Lanes
from xg2lab.lab.trace.operators import active_to_wire
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.lab.trace.stacks import RECORDED, stack_tree
from xg2lab.lab.trace.steps import Candidate, Step
from xg2lab.lab.trace.values import plain

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.lab.engines.foreign_matcher import ForeignMatcher
    from xg2lab.lab.model.runner import Runner
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Decoder", "Limits", "Measurement", "explain"]


@dataclass(frozen=True)
class Limits:
    """How much a session keeps. It always keeps the steps themselves."""

    bulk_bytes: int = 64 << 20  # compressed provenance and probabilities of every token, all steps together
    chart_columns: int = 4096  # bytes of output whose Earley columns are recorded
    n_top: int = 20  # candidates listed a step
    n_top_allowed: int = 10  # of the allowed ones, at least so many
    n_explained: int = 6  # blocked candidates explained a step


@dataclass(frozen=True, eq=False)
class Measurement:
    """A pending step, and the arrays over the vocabulary that belong to it."""

    step: Step
    distribution: Distribution | None
    allowed: npt.NDArray[np.bool_] | None
    provenance: npt.NDArray[np.uint8] | None

    def bulk(self, n_tokens: int) -> Bulk:
        """The arrays, compressed."""
        codes = None if self.distribution is None else encode_probabilities(self.distribution.p)
        return Bulk.of(n_tokens, self.provenance, codes)


class Decoder:
    """One output in the making. Not thread-safe: the session's lock guards it."""

    def __init__(
        self,
        compiled: CompiledGrammar,
        tokenizer_info: TokenizerInfo,
        model: ModelLane,
        limits: Limits,
        *,
        constrained: bool = True,
        foreign: ForeignMatcher | None = None,
    ) -> None:
        self.foreign = foreign
        self.follow(compiled)
        self.spelling = Spelling(tokenizer_info)
        self.vocab_size: int = tokenizer_info.vocab_size
        self.model, self.limits, self.constrained = model, limits, constrained
        self.taken: list[int] = []
        self.n_followed = 0
        self.broke: schema.Broke | None = None

    def follow(self, compiled: CompiledGrammar) -> None:
        """Be constrained by this grammar from now on; `restart` has to come next, unless nothing was taken."""
        import xg2lab

        of_others = self.foreign
        self.matcher = xg2lab.GrammarMatcher(compiled) if of_others is None else cast("GrammarMatcher", of_others)
        self.compiled = compiled
        self._has_stacks: bool = compiled.options.parser != "earley" and of_others is None
        self.records_operators = False

    @property
    def runner(self) -> Runner | None:
        """The runner that the session reads with, or None."""
        return self.model.runner

    @property
    def follows(self) -> bool:
        """Whether the matcher is where the output is."""
        return self.broke is None

    @property
    def is_terminated(self) -> bool:
        """Whether the last token ended the generation."""
        return bool(self.taken) and (
            self.taken[-1] in self.spelling.stop_ids or (self.constrained and bool(self.matcher.is_terminated()))
        )

    def encode(self, text: str) -> list[int]:
        """The tokens of a text as the model's tokenizer writes it; the longest first, where it has none that are text.

        Raises `SessionError` where the vocabulary has no tokens for it.
        """
        tokenizer = None if self.runner is None else self.runner.tokenizer
        data = text.encode()
        if tokenizer is not None and isinstance(tokenizer, Encoder):
            ids = [int(token_id) for token_id in tokenizer.encode(text, add_special_tokens=False)]
            if all(0 <= i < self.vocab_size for i in ids) and b"".join(map(self.spelling.data, ids)) == data:
                return ids  # some tokenizers put a space before the text
        return self.spelling.spell(data)

    # ---- Measuring: what is known before a token is chosen --------------------------------------

    def measure(self, index: int, byte_begin: int, sampling: SamplingOptions) -> Measurement:
        """Start the model, ask the matcher, wait for the model.

        Raises what the model raises, `SessionError` where no token fits, `VocabularyError` when model and vocabulary
        don't. An error of the mask leaves the model's pass to itself; the next call finds it done, or failed.
        """
        self.model.begin(self.taken)
        step = Step(index=index, byte_begin=byte_begin)
        allowed = provenance = mask = None
        if self.follows:
            step, allowed, provenance, mask = self._ask_the_matcher(step)
            if self.constrained:
                sampling = at_temperature_of_rules(sampling, self.matcher)
        logits = self.model.finish(self.taken)
        if logits is None:
            top = self._candidates(None, allowed, provenance)
            return Measurement(replace(step, top=top, lanes=Lanes(mask=mask)), None, allowed, provenance)
        self._check(logits)
        begun, model = self.model.clock.now(), self.model.lane or (0, 0)
        chosen_from = distribution(logits, allowed if self.constrained else None, sampling)
        z, kl = chosen_from.z, chosen_from.kl
        if not self.constrained:
            would_be = None if allowed is None else distribution(logits, allowed, sampling)
            z, kl = (None, None) if would_be is None else (would_be.z, would_be.kl)
        lanes = Lanes(model, mask, (begun, self.model.clock.now()))
        top = self._candidates(chosen_from, allowed, provenance)
        why = self._why_blocked(chosen_from, allowed)
        step = replace(step, model_ms=(model[1] - model[0]) / 1e6, z=z, kl=kl, top=top, explain=why, lanes=lanes)
        step = replace(step, temperature=float(sampling.temperature))
        return Measurement(step, chosen_from, allowed, provenance)

    def _ask_the_matcher(self, step: Step) -> tuple[Step, npt.NDArray[np.bool_], npt.NDArray[np.uint8], Lane]:
        """The mask of the state the matcher is in, how the engine made it, and when."""
        clock = self.model.clock
        begun = clock.now()
        row = self.fill(self.matcher)
        mask = (begun, clock.now())
        allowed = self.unpack(row)
        fill = self.matcher.last_fill()
        provenance = np.frombuffer(self.matcher.provenance(), np.uint8)
        step = replace(
            step,
            n_allowed=int(np.count_nonzero(allowed)),
            mask_us=float(fill["us"]),
            cache=fill["cache"],
            way=fill["way"],
            n_built=fill["n_built"],
            n_adapted=fill["n_adapted"],
            n_checked=fill["n_checked"],
            pool=self.compiled.pool_totals() if self.foreign is None else None,
            stacks=stack_tree(self.matcher, RECORDED) if self._has_stacks else None,
            operators=active_to_wire(self.matcher) if self.records_operators else None,
            entries=self.matcher.mask_entries(),
            live=self.matcher.live_items(),
            completed=bool(self.matcher.is_completed()),
        )
        if self.constrained and step.n_allowed == 0:
            expected = self.explain(data=b"\n").get("expected_text") or "nothing"
            raise SessionError(
                f"no token of the vocabulary can follow byte {step.byte_begin}: the grammar expects {expected}",
                hint="the vocabulary can't spell the grammar's text: add such tokens, or change the grammar",
            )
        return step, allowed, provenance, mask

    def allowed(self) -> npt.NDArray[np.bool_]:
        """The tokens the grammar allows next, bool[vocab_size]."""
        return self.unpack(self.fill(self.matcher))

    def fill(self, matcher: GrammarMatcher) -> npt.NDArray[np.int32]:
        """The bitmask of a matcher: int32[ceil(vocab_size / 32)], least-significant bit first."""
        row = np.zeros((1, (self.vocab_size + 31) // 32), np.int32)
        matcher.fill_next_token_bitmask(row, 0)
        return row[0]

    def unpack(self, row: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """A bitmask's bits, one bool a token."""
        return np.unpackbits(row.view(np.uint8), bitorder="little")[: self.vocab_size].astype(np.bool_)

    def explain(self, token_id: int | None = None, data: bytes | None = None, n_back: int = 0) -> schema.Explanation:
        """The engine's explanation, at the state `n_back` tokens before the one the matcher is in."""
        return explain(self._at(n_back), token_id=token_id, data=data)

    def matcher_at(self, index: int) -> GrammarMatcher:
        """A matcher in the state before token `index`. Raises `SessionError` where the output had left the grammar."""
        if index > self.n_followed:
            raise SessionError(
                f"at step {index} the output had already left the grammar",
                hint=f"ask about step {self.n_followed} or earlier",
            )
        return self._at(self.n_followed - index)

    # ---- Moving ---------------------------------------------------------------------------------

    def take(self, token_id: int, byte_begin: int) -> float:
        """Append a token; returns the microseconds of `accept_token`."""
        why = self.explain(token_id) if self.follows and not self.constrained else None
        began = perf_counter()
        accepted = self.follows and bool(self.matcher.accept_token(token_id))
        accept_us = (perf_counter() - began) * 1e6
        if self.constrained and not accepted:
            raise SessionError(
                f"the mask allows token {token_id} and the matcher refuses it",
                hint="mask and accept must agree: please report this grammar and output",
            )
        self.taken.append(token_id)
        if accepted:
            self.n_followed += 1
        elif why is not None:
            self.broke = self._describe_break(token_id, byte_begin, why)
        return accept_us

    def undo(self, n_tokens: int) -> None:
        """Take back the last tokens, in the matcher and in the model."""
        if n_tokens == 0:
            return  # and don't wait for a pass in flight
        target = len(self.taken) - n_tokens
        if self.n_followed > target:
            self.matcher.rollback(self.n_followed - target)
            self.n_followed = target
        del self.taken[target:]
        if self.n_followed == target:
            self.broke = None
        self.model.rollback(target)

    def restart(self, prompt: str) -> None:
        """Forget the output; the model reads `prompt` when it is next asked."""
        self.matcher.reset()
        self.taken, self.n_followed, self.broke = [], 0, None
        self.model.restart(prompt)

    # ---- Inside ---------------------------------------------------------------------------------

    def _at(self, n_back: int) -> GrammarMatcher:
        if n_back == 0:
            return self.matcher
        probe = self.matcher.fork()
        probe.rollback(n_back)
        return probe

    def _check(self, logits: Logits) -> None:
        if np.shape(logits) != (self.vocab_size,):
            n = np.shape(logits)[-1] if np.ndim(logits) else 0
            raise VocabularyError(
                f"the model gives {n} logits a token, the vocabulary has {self.vocab_size} tokens",
                hint=f"make the TokenizerInfo with vocab_size={n}: ids past the tokenizer's own are then padding"
                if n > self.vocab_size
                else "the tokenizer is not this model's: load both from one place",
            )

    def _candidates(
        self,
        chosen_from: Distribution | None,
        allowed: npt.NDArray[np.bool_] | None,
        provenance: npt.NDArray[np.uint8] | None,
    ) -> tuple[Candidate, ...]:
        """The most probable tokens, and the most probable allowed ones among them or after them."""
        if chosen_from is None:
            ids = [] if allowed is None else [int(i) for i in np.flatnonzero(allowed)[: self.limits.n_top]]
            codes = cast("npt.NDArray[np.uint8]", provenance)  # it is known where the mask is
            return tuple(Candidate(i, self.spelling.text(i), None, None, int(codes[i])) for i in ids)
        ids = chosen_from.top(self.limits.n_top)
        if allowed is not None:
            ids += [i for i in chosen_from.top(self.limits.n_top_allowed, allowed) if i not in ids]
        p, q = chosen_from.p, chosen_from.q
        codes = provenance
        return tuple(
            Candidate(i, self.spelling.text(i), float(p[i]), float(q[i]), None if codes is None else int(codes[i]))
            for i in ids
        )

    def _why_blocked(
        self, chosen_from: Distribution, allowed: npt.NDArray[np.bool_] | None
    ) -> dict[int, schema.Explanation]:
        if allowed is None:
            return {}
        blocked = chosen_from.top(self.limits.n_explained, ~allowed)
        return {token_id: self.explain(token_id) for token_id in blocked}

    def _describe_break(self, token_id: int, byte_begin: int, why: schema.Explanation) -> schema.Broke:
        return {
            "step": len(self.taken) - 1,
            "byte": byte_begin + (why["died_at"] or 0),
            "token_id": token_id,
            "text": self.spelling.text(token_id),
            "reason": why["reason"],
            "mechanism": why["mechanism"],
            "expected_text": why["expected_text"],
            "expected_by": why["expected_by"],
        }


def at_temperature_of_rules(sampling: SamplingOptions, matcher: GrammarMatcher) -> SamplingOptions:
    """The sampling at the temperature that the grammar asks for here; as it is, if it asks for none."""
    temperature: float | None = matcher.temperature
    return sampling if temperature is None else replace(sampling, temperature=temperature)


def explain(matcher: GrammarMatcher, *, token_id: int | None = None, data: bytes | None = None) -> schema.Explanation:
    """The explanation of a token or of bytes, as JSON values."""
    return plain(matcher.explain(token_id=token_id, data=data))
