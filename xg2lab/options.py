"""Switches of the engine: each mechanism can be turned off, one by one.

>>> EngineOptions(tail_calls=False).tail_calls
False
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["EngineOptions"]


@dataclass(frozen=True)
class EngineOptions:
    """How grammars are compiled and parsed. No switch changes a mask: on and off agree, token for token.

    Nor does a lookahead assertion `(= ...)` of a grammar: it is compared with the grammar, and
    `Grammar.diagnostics` says where it isn't kept.

    Parameters
    ----------
    rule_inlining : bool
        Small rules are written into their callers (XGrammar section 3.4).
    right_recursion_to_repeat : bool
        `a ::= x a | y` becomes `a ::= x* y`.
    literal_fusion : bool
        `"a" "b"` becomes `"ab"`.
    determinize, minimize : bool
        Each rule's machine is made deterministic, and minimal, within a state budget.
    parser : {"earley", "pda"}
        Earley's parser with shared columns (XGrammar-2 section 3.4), or a pushdown automaton on bytes with a persistent
        stack (XGrammar section 3). Both give the same masks. The automaton refuses left recursion with
        `UnsupportedError` when a grammar is compiled, and ambiguous texts with more than `max_stacks` stacks alive with
        `LimitError` when a token is accepted or a mask filled.
    tail_calls : bool
        A call at a rule's end returns straight to the caller's caller, so right recursion takes constant space
        (the effect of Leo 1991).
    max_stacks : int
        With `parser="pda"`: how many stacks may be alive at once.
    repetition_compression : bool
        Repetitions with large bounds are counted while parsing instead of being written out (XGrammar-2 section 3.5).
    repetition_threshold : int
        The number of times up to which a repetition is written out all the same; 0: every one with a bound is counted.
    cross_grammar_cache : bool
        Grammars of one tokenizer share what they work out of equal rules (XGrammar 2 section 3.3).
    context_expansion : bool
        A token that outlives its rule is held against all that may follow the rule anywhere in the grammar, once for
        each state, so that few are left to be looked at in each context (XGrammar section 3.2).
    token_classes : bool
        Where a grammar reads any text but a few characters, which tokens are such text is worked out once for the
        vocabulary, and not by a walk for each state.
    context_walks : {"auto", "never", "always"}
        Whether a mask is found by a walk of the vocabulary in its very context, and not put together of what was worked
        out for each state. "auto": where words may follow each other, as in programs, so that most tokens would
        be left to the context.
    partial_jit_k : int or "auto"
        How many mask entries are made in background threads as soon as a grammar is compiled, those expected to take
        longest first, while the caller goes on (XGrammar-2 section 3.2). "auto": all that are worth it, none if
        there is one processor. 0: each is made when a text first needs it.
    max_fsm_states : int
        States of all rules together; a grammar that needs more is refused with `LimitError`.
    max_compile_seconds : float
        What a text, a schema or a grammar may take until it is compiled, in seconds of the thread's processor
        time: reading it counts, waiting doesn't. What takes longer is refused with `LimitError`.
    max_mask_seconds : float
        The same for one mask, one step (`accept_token`, `accept_string`, `find_jump_forward_string`) or one node
        of a draft tree, where it has yet to be worked out. The matcher is then as it was before.
    max_work_bytes : int
        What one call may take of memory, beyond what was there before it: reading, compiling, making a mask,
        writing down and reading back. `LimitError` for more.
    max_configuration_bytes : int
        What one compiled grammar may remember of parses before it starts afresh.
    max_history_bytes : int
        What one matcher's own history may need: a token that would go beyond is not accepted, with `LimitError`.
        `GrammarMatcher(max_rollback_tokens=N)` keeps the last N tokens only.
    max_pool_bytes : int
        What the grammars of one tokenizer may keep for each other; the least recently used goes first. -1 is no limit.
        Compilers of equal tokenizers and equal `max_pool_bytes` share one pool.
    """

    rule_inlining: bool = True
    right_recursion_to_repeat: bool = True
    literal_fusion: bool = True
    determinize: bool = True
    minimize: bool = True
    parser: Literal["earley", "pda"] = "earley"
    tail_calls: bool = True
    max_stacks: int = 100_000
    repetition_compression: bool = True
    repetition_threshold: int = 32
    cross_grammar_cache: bool = True
    context_expansion: bool = True
    token_classes: bool = True
    context_walks: Literal["auto", "never", "always"] = "auto"
    partial_jit_k: int | Literal["auto"] = 0
    max_fsm_states: int = 4_000_000
    max_compile_seconds: float = 2.0
    max_mask_seconds: float = 1.0
    max_work_bytes: int = 256 << 20
    max_configuration_bytes: int = 256 << 20
    max_history_bytes: int = 1 << 30
    max_pool_bytes: int = 512 << 20

    def __post_init__(self) -> None:
        if self.parser not in ("earley", "pda"):
            raise ValueError(f"EngineOptions.parser must be 'earley' or 'pda', got {self.parser!r}")
        if self.context_walks not in ("auto", "never", "always"):
            raise ValueError(
                f"EngineOptions.context_walks must be 'auto', 'never' or 'always', got {self.context_walks!r}"
            )
        k = self.partial_jit_k
        if k != "auto" and (type(k) is not int or not 0 <= k < 1 << 31):
            raise ValueError(f"EngineOptions.partial_jit_k must be 'auto' or an int from 0 to 2**31 - 1, got {k!r}")
        for name in ("max_compile_seconds", "max_mask_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"EngineOptions.{name} must be above 0, got {getattr(self, name)}")
        least_of = {
            "repetition_threshold": 0,
            "max_stacks": 1,
            "max_fsm_states": 1,
            "max_work_bytes": 1,
            "max_configuration_bytes": 1,
            "max_history_bytes": 1,
        }
        for name, least in least_of.items():
            if getattr(self, name) < least:
                raise ValueError(f"EngineOptions.{name} must be at least {least}, got {getattr(self, name)}")
        if self.repetition_threshold >= 1 << 31:
            raise ValueError(f"EngineOptions.repetition_threshold must be below 2**31, got {self.repetition_threshold}")
        if self.max_pool_bytes < -1:
            raise ValueError(f"EngineOptions.max_pool_bytes must be -1 (no limit) or more, got {self.max_pool_bytes}")
