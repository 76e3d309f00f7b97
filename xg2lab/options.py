"""Switches of the engine: each mechanism can be turned off, one by one.

>>> EngineOptions(tail_calls=False).tail_calls
False
"""

from __future__ import annotations

from dataclasses import dataclass

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
    tail_calls : bool
        A call at a rule's end returns straight to the caller's caller, so right recursion takes constant space
        (the effect of Leo 1991).
    cross_grammar_cache : bool
        Grammars of one tokenizer share what they work out of equal rules (XGrammar 2 section 3.3).
    max_fsm_states : int
        States of all rules together; a grammar that needs more is refused with `LimitError`.
    max_configuration_bytes : int
        What one compiled grammar may remember of parses before it starts afresh.
    max_pool_bytes : int
        What the grammars of one tokenizer may keep for each other; the least recently used goes first. -1 is no limit.
        Compilers of equal tokenizers and equal `max_pool_bytes` share one pool.
    """

    rule_inlining: bool = True
    right_recursion_to_repeat: bool = True
    literal_fusion: bool = True
    determinize: bool = True
    minimize: bool = True
    tail_calls: bool = True
    cross_grammar_cache: bool = True
    max_fsm_states: int = 4_000_000
    max_configuration_bytes: int = 256 << 20
    max_pool_bytes: int = 512 << 20

    def __post_init__(self) -> None:
        for name in ("max_fsm_states", "max_configuration_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"EngineOptions.{name} must be at least 1, got {getattr(self, name)}")
        if self.max_pool_bytes < -1:
            raise ValueError(f"EngineOptions.max_pool_bytes must be -1 (no limit) or more, got {self.max_pool_bytes}")
