"""The matcher and the model of one session, kept at the same token, and what they say about the next one.

    decoder = Decoder(compiled, info, runner, Limits())
    measurement = decoder.measure(index=0, byte_begin=0, sampling=SamplingOptions())
    decoder.take(measurement.distribution.draw(0.5))

IDEA
  `taken` is the truth: the tokens of the output. The matcher follows it at once; the model lags and catches up when it
  is next asked, so a failing forward pass leaves nothing half done and can simply be asked again.
  An unconstrained decoder has a matcher too: it watches, and stops following at the token that leaves the grammar.

INVARIANTS
  I1  the matcher has accepted exactly taken[:n_followed]; n_followed == len(taken) unless `broke` is set.
  I2  the model has read the prompt and taken[:n_fed], or (n_fed is None) nothing.

NOT HERE  the trace, locks, choosing a token: `xg2lab.lab.session`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError, VocabularyError
from xg2lab.lab.bulk import Bulk, encode_probabilities
from xg2lab.lab.sampling import Distribution, SamplingOptions, distribution
from xg2lab.lab.spelling import Spelling
from xg2lab.lab.stacks import RECORDED, stack_tree
from xg2lab.lab.steps import Candidate, Step
from xg2lab.lab.wire import plain

__all__ = ["Decoder", "Limits", "Measurement", "Runner", "explain"]

Logits = npt.NDArray[np.floating]


class Runner(Protocol):
    """What a session asks of a model. `ModelRunner` does this; so may any object, in tests."""

    tokenizer: Any

    def reset(self) -> None:
        """Forget everything."""
        ...

    def prefill(self, token_ids: Sequence[int]) -> Logits:
        """Read tokens; the logits after the last. If it raises, the model stays where it was."""
        ...

    def forward(self, token_id: int) -> Logits:
        """Read one token; the logits after it. If it raises, the model stays where it was."""
        ...

    def rollback(self, n_tokens: int) -> None:
        """Forget the last tokens read."""
        ...

    def logits_numpy(self) -> Logits:
        """The logits after the last token read, float[vocab_size]."""
        ...


@dataclass(frozen=True)
class Limits:
    """What a session keeps. The steps themselves are always kept."""

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
        self, compiled: Any, tokenizer_info: Any, runner: Runner | None, limits: Limits, *, constrained: bool = True
    ) -> None:
        import xg2lab

        self.matcher: Any = xg2lab.GrammarMatcher(compiled)
        self._compiled = compiled
        self._has_stacks: bool = compiled.options.parser == "pda"
        self.spelling = Spelling(tokenizer_info)
        self.vocab_size: int = tokenizer_info.vocab_size
        self.runner, self.limits, self.constrained = runner, limits, constrained
        self.taken: list[int] = []
        self.n_followed = 0
        self.n_fed: int | None = None
        self.broke: dict[str, Any] | None = None
        self.prompt = ""

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

    # ---- Measuring: what is known before a token is chosen --------------------------------------------------------

    def measure(self, index: int, byte_begin: int, sampling: SamplingOptions) -> Measurement:
        """Ask the matcher, then the model. Raises what the model raises, and `VocabularyError` when they don't fit."""
        step = Step(index=index, byte_begin=byte_begin)
        allowed = provenance = None
        if self.follows:
            allowed = self.allowed()
            fill = self.matcher.last_fill()
            provenance = np.frombuffer(self.matcher.provenance(), np.uint8)
            step = replace(
                step,
                n_allowed=int(np.count_nonzero(allowed)),
                mask_us=float(fill["us"]),
                cache=fill["cache"],
                n_built=fill["n_built"],
                n_adapted=fill["n_adapted"],
                n_checked=fill["n_checked"],
                pool=self._compiled.pool_totals(),
                stacks=stack_tree(self.matcher, RECORDED) if self._has_stacks else None,
                entries=self.matcher.mask_entries(),
                live=self.matcher.live_items(),
                completed=bool(self.matcher.is_completed()),
            )
            if self.constrained and step.n_allowed == 0:
                expected = self.explain(data=b"\n").get("expected_text") or "nothing"
                raise SessionError(
                    f"no token of the vocabulary can follow byte {byte_begin}: the grammar expects {expected}",
                    hint="the vocabulary can't spell what the grammar asks for: add such tokens, or mend the grammar",
                )
        began = perf_counter()
        logits = self._catch_up()
        model_ms = (perf_counter() - began) * 1e3
        if logits is None:
            top = self._candidates(None, allowed, provenance)
            return Measurement(replace(step, top=top), None, allowed, provenance)
        chosen_from = distribution(logits, allowed if self.constrained else None, sampling)
        z, kl = chosen_from.z, chosen_from.kl
        if not self.constrained:
            would_be = None if allowed is None else distribution(logits, allowed, sampling)
            z, kl = (None, None) if would_be is None else (would_be.z, would_be.kl)
        top = self._candidates(chosen_from, allowed, provenance)
        step = replace(step, model_ms=model_ms, z=z, kl=kl, top=top, explain=self._why_blocked(chosen_from, allowed))
        return Measurement(step, chosen_from, allowed, provenance)

    def allowed(self) -> npt.NDArray[np.bool_]:
        """The tokens the grammar allows next, bool[vocab_size]."""
        return self.unpack(self.fill(self.matcher))

    def fill(self, matcher: Any) -> npt.NDArray[np.int32]:
        """The bitmask of a matcher: int32[ceil(vocab_size / 32)], least-significant bit first."""
        row = np.zeros((1, (self.vocab_size + 31) // 32), np.int32)
        matcher.fill_next_token_bitmask(row, 0)
        return row[0]

    def unpack(self, row: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """A bitmask's bits, one bool a token."""
        return np.unpackbits(row.view(np.uint8), bitorder="little")[: self.vocab_size].astype(np.bool_)

    def explain(self, token_id: int | None = None, data: bytes | None = None, n_back: int = 0) -> dict[str, Any]:
        """The engine's explanation, at the state `n_back` tokens before the one the matcher is in."""
        return explain(self._at(n_back), token_id=token_id, data=data)

    def matcher_at(self, index: int) -> Any:
        """A matcher in the state before token `index`. Raises `SessionError` where the output had left the grammar."""
        if index > self.n_followed:
            raise SessionError(
                f"at step {index} the output had already left the grammar",
                hint=f"ask about step {self.n_followed} or earlier",
            )
        return self._at(self.n_followed - index)

    # ---- Moving -----------------------------------------------------------------------------------------------

    def take(self, token_id: int, byte_begin: int) -> float:
        """Append a token; returns the microseconds of `accept_token`."""
        why: dict[str, Any] = {}
        if self.follows and not self.constrained:
            why = self.explain(token_id)
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
        elif self.follows:
            self.broke = self._describe_break(token_id, byte_begin, why)
        return accept_us

    def undo(self, n_tokens: int) -> None:
        """Take back the last tokens, in the matcher and in the model."""
        target = len(self.taken) - n_tokens
        if self.n_followed > target:
            self.matcher.rollback(self.n_followed - target)
            self.n_followed = target
        del self.taken[target:]
        if self.n_followed == target:
            self.broke = None
        if self.runner is not None and self.n_fed is not None and self.n_fed > target:
            self.runner.rollback(self.n_fed - target)
            self.n_fed = target

    def restart(self, prompt: str) -> None:
        """Forget the output; the model reads `prompt` when it is next asked."""
        self.matcher.reset()
        self.taken, self.n_followed, self.n_fed, self.broke = [], 0, None, None
        self.prompt = prompt

    # ---- Inside -----------------------------------------------------------------------------------------------

    def _at(self, n_back: int) -> Any:
        if n_back == 0:
            return self.matcher
        probe = self.matcher.fork()
        probe.rollback(n_back)
        return probe

    def _catch_up(self) -> Logits | None:
        """Let the model read what it has not read; the logits after the last token taken."""
        if self.runner is None:
            return None
        if self.n_fed is None:
            self.runner.reset()
            self._checked(self.runner.prefill(self._prompt_ids()))
            self.n_fed = 0
        while self.n_fed < len(self.taken):
            self.runner.forward(self.taken[self.n_fed])
            self.n_fed += 1
        return self._checked(self.runner.logits_numpy())

    def _prompt_ids(self) -> list[int]:
        """The prompt as the model's own tokenizer writes it; an empty one is the token that begins a text."""
        tokenizer: Any = getattr(self.runner, "tokenizer", None)
        if self.prompt:
            return list(tokenizer(self.prompt).input_ids)
        for first in (getattr(tokenizer, "bos_token_id", None), getattr(tokenizer, "eos_token_id", None)):
            if first is not None:
                return [int(first)]
        raise SessionError("the model has no token to begin a text with", hint="give the session a prompt")

    def _checked(self, logits: Logits) -> Logits:
        logits = np.asarray(logits)
        if logits.shape != (self.vocab_size,):
            n = logits.shape[-1] if logits.ndim else 0
            raise VocabularyError(
                f"the model gives {n} logits a token, the vocabulary has {self.vocab_size} tokens",
                hint=f"make the TokenizerInfo with vocab_size={n}: ids past the tokenizer's own are then padding"
                if n > self.vocab_size
                else "the tokenizer is not this model's: load both from one place",
            )
        return logits

    def _candidates(
        self,
        chosen_from: Distribution | None,
        allowed: npt.NDArray[np.bool_] | None,
        provenance: npt.NDArray[np.uint8] | None,
    ) -> tuple[Candidate, ...]:
        """The most probable tokens, and the most probable allowed ones among them or after them."""
        codes: Any = provenance
        if chosen_from is None:
            ids = [] if allowed is None else [int(i) for i in np.flatnonzero(allowed)[: self.limits.n_top]]
            return tuple(Candidate(i, self.spelling.text(i), None, None, int(codes[i])) for i in ids)
        ids = chosen_from.top(self.limits.n_top)
        if allowed is not None:
            ids += [i for i in chosen_from.top(self.limits.n_top_allowed, allowed) if i not in ids]
        p, q = chosen_from.p, chosen_from.q
        return tuple(
            Candidate(i, self.spelling.text(i), float(p[i]), float(q[i]), None if codes is None else int(codes[i]))
            for i in ids
        )

    def _why_blocked(
        self, chosen_from: Distribution, allowed: npt.NDArray[np.bool_] | None
    ) -> dict[int, dict[str, Any]]:
        if allowed is None:
            return {}
        blocked = chosen_from.top(self.limits.n_explained, ~allowed)
        return {token_id: self.explain(token_id) for token_id in blocked}

    def _describe_break(self, token_id: int, byte_begin: int, why: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": len(self.taken) - 1,
            "byte": byte_begin + (why.get("died_at") or 0),
            "token_id": token_id,
            "text": self.spelling.text(token_id),
            "reason": why["reason"],
            "mechanism": why["mechanism"],
            "expected_text": why.get("expected_text") or "",
            "expected_by": why.get("expected_by") or [],
        }


def explain(matcher: Any, *, token_id: int | None = None, data: bytes | None = None) -> dict[str, Any]:
    """The explanation of a token or of bytes, as JSON values."""
    return plain(matcher.explain(token_id=token_id, data=data))
