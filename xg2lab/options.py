"""Switches of the engine: each mechanism can be turned off, one by one.

>>> EngineOptions(tail_calls=False).tail_calls
False
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import Literal, SupportsFloat, SupportsIndex

import numpy as np

from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.support.arguments import kind_of

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
    parser : {"earley", "pda", "operators"}
        Earley's parser with shared columns (XGrammar-2 section 3.4), a pushdown automaton on bytes with a persistent
        stack (XGrammar section 3), or a tree of operators (WGrammar section 3.2): the rules, expanded at each of their
        calls, so that no call has to be remembered. All give the same masks. The automaton refuses left recursion,
        the tree any recursion, with `UnsupportedError` when a grammar is compiled. The automaton refuses ambiguous
        texts with more than `max_stacks` stacks alive with `LimitError` when a token is accepted or a mask filled;
        the tree has as many positions.
    tail_calls : bool
        A call at a rule's end returns straight to the caller's caller, so right recursion takes constant space
        (the effect of Leo 1991). A tree of operators has no such calls: with `parser="operators"` nothing changes.
    max_stacks : int
        With `parser="pda"` or `"operators"`: how many stacks, or positions in the tree, may be alive at once.
    max_operators : int
        With `parser="operators"`: how many rules the tree may have, each counted once for every way in which the root
        leads to it. A grammar that needs more is refused with `LimitError`.
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
        Compute a mask by walking the token trie from the current column, instead of uniting its states' entries.
        "auto": where words may follow each other, as in programs, so that entries would leave most tokens uncertain;
        and where five entries or more are missing.
    shared_walks : bool
        Where words may follow each other, put such a walk together of walks that all contexts share.
    counted_runs : bool
        White space with a bound, as `[ ]{0,64}`, is walked from the current column, beside the entries of the states
        that follow it. Off, or with `context_walks="never"`: it has entries like all else.
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
        of a draft tree, where it has yet to be worked out; of a text beyond 64 KiB, each further part of that size
        has as much. The matcher is then as it was before.
    max_work_bytes : int
        What one call may take of memory, beyond what was there before it: reading, compiling, writing down and
        reading back. A mask or a step may take half of it. `LimitError` for more. The defaults of this option
        and the next two keep one grammar and its matcher within 256 MiB.
    max_configuration_bytes : int
        What one compiled grammar may remember of parses before it starts afresh.
    max_history_bytes : int
        What one matcher's own history may need: a token that would go beyond is not accepted, with `LimitError`.
        `GrammarMatcher(max_rollback_tokens=N)` keeps the last N tokens only.
    max_pool_bytes : int
        What the grammars of one tokenizer may keep for each other; the least recently used goes first. -1 is no limit.
        Compilers of equal tokenizers and equal `max_pool_bytes` share one pool.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        An option of another type, with its name; one out of its bounds. An int is taken where a float is meant, and
        kept as a float; NumPy's integers are kept as int; True and False are nothing but switches.
    """

    rule_inlining: bool = True
    right_recursion_to_repeat: bool = True
    literal_fusion: bool = True
    determinize: bool = True
    minimize: bool = True
    parser: Literal["earley", "pda", "operators"] = "earley"
    tail_calls: bool = True
    max_stacks: int = 100_000
    max_operators: int = 100_000
    repetition_compression: bool = True
    repetition_threshold: int = 32
    cross_grammar_cache: bool = True
    context_expansion: bool = True
    token_classes: bool = True
    context_walks: Literal["auto", "never", "always"] = "auto"
    shared_walks: bool = True
    counted_runs: bool = True
    partial_jit_k: int | Literal["auto"] = 0
    max_fsm_states: int = 4_000_000
    max_compile_seconds: float = 2.0
    max_mask_seconds: float = 1.0
    max_work_bytes: int = 192 << 20
    max_configuration_bytes: int = 96 << 20
    max_history_bytes: int = 128 << 20
    max_pool_bytes: int = 512 << 20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not field.default:  # a compiler without options is made for each request
                object.__setattr__(self, field.name, checked(field.name, value, field.default))


# ---- What an option may be: what its default is, within bounds ----

#: Of options that are words, the words.
CHOICES: dict[str, tuple[str, ...]] = {
    "parser": ("earley", "pda", "operators"),
    "context_walks": ("auto", "never", "always"),
    "partial_jit_k": ("auto",),
}
#: The least and the most of those integers that may be less than 1, or can't be large.
BOUNDS: dict[str, tuple[int, int]] = {
    "repetition_threshold": (0, (1 << 31) - 1),
    "partial_jit_k": (0, (1 << 31) - 1),
    "max_pool_bytes": (-1, (1 << 62) - 1),
}
USUAL_BOUNDS = (1, (1 << 62) - 1)
MOST_SECONDS = 1e9


def checked(name: str, value: object, default: object) -> object:
    """The option's value as it is kept; ArgumentError or ArgumentTypeError with its name for what it can't be.

    >>> import numpy as np
    >>> checked("max_compile_seconds", 60, 60.0), checked("max_stacks", np.int64(7), 100)
    (60.0, 7)
    >>> checked("tail_calls", 1, True)
    Traceback (most recent call last):
    xg2lab.errors.ArgumentTypeError: EngineOptions.tail_calls must be True or False, got 1
    """
    choices = CHOICES.get(name, ())
    if isinstance(value, str) and value in choices:
        return str(value)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise _of_another_type(name, "True or False", value)
        return value
    if isinstance(default, int):
        least, most = BOUNDS.get(name, USUAL_BOUNDS)
        if isinstance(value, (bool, np.bool)) or not isinstance(value, SupportsIndex):
            raise _of_another_type(name, " or ".join([*(repr(choice) for choice in choices), "an int"]), value)
        number = operator.index(value)
        if number < least:
            wanted = "-1 (no limit) or more" if least == -1 else f"at least {least}"
            raise ArgumentError(f"EngineOptions.{name} must be {wanted}, got {number}")
        if number > most:
            raise ArgumentError(f"EngineOptions.{name} must be below 2**{most.bit_length()}, got {kind_of(number)}")
        return number
    if isinstance(default, float):
        if isinstance(value, (bool, np.bool)) or not isinstance(value, (SupportsIndex, SupportsFloat)):
            raise _of_another_type(name, "a number", value)
        seconds = float(value)
        if not 0 < seconds <= MOST_SECONDS:
            raise ArgumentError(f"EngineOptions.{name} must be above 0 and at most {MOST_SECONDS:.0e}, got {seconds}")
        return seconds
    *front, last = map(repr, choices)
    raise _of_another_type(name, f"{', '.join(front)} or {last}", value)


def _of_another_type(name: str, wanted: str, value: object) -> ArgumentTypeError:
    given = repr(value) if isinstance(value, (bool, int, float, str)) else kind_of(value)
    return ArgumentTypeError(f"EngineOptions.{name} must be {wanted}, got {given:.60}")
