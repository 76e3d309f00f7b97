"""Switches of the engine: each mechanism can be turned off, one by one.

>>> EngineOptions(tail_calls=False).tail_calls
False
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import Literal, SupportsFloat, SupportsIndex, TypedDict

import numpy as np

from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.support.arguments import kind_of

__all__ = ["EngineOptions", "EngineSwitches"]


@dataclass(frozen=True)
class EngineOptions:
    """How grammars are compiled and parsed. No switch changes a mask: on and off agree, token for token.

    A lookahead assertion `(= ...)` of a grammar does not change a mask either. It is compared with the grammar, and
    `Grammar.diagnostics` says where it does not hold.

    Parameters
    ----------
    rule_inlining : bool
        Write small rules into their callers (XGrammar section 3.4).
    right_recursion_to_repeat : bool
        Rewrite `a ::= x a | y` as `a ::= x* y`.
    literal_fusion : bool
        Rewrite `"a" "b"` as `"ab"`.
    determinize, minimize : bool
        Make each rule's machine deterministic, and minimal, within a state budget.
    parser : {"earley", "pda", "operators"}
        Earley's parser with shared columns (XGrammar-2 section 3.4), a pushdown automaton on bytes with a persistent
        stack (XGrammar section 3), or a tree of operators (WGrammar section 3.2), in which each call of a rule is
        expanded. All give the same masks. Compiling raises `UnsupportedError` for a grammar that the parser can't run:
        left recursion for the automaton, any recursion for the tree. Accepting a token or filling a mask raises
        `LimitError` for an ambiguous text that needs more than `max_stacks` stacks, or positions in the tree.
    tail_calls : bool
        Return from a call at a rule's end straight to the caller's caller, so that right recursion takes constant space
        (the effect of Leo 1991). A tree of operators has no such calls: `parser="operators"` ignores this option.
    max_stacks : int
        With `parser="pda"` or `"operators"`: the most stacks, or positions in the tree, at one time.
    max_operators : int
        With `parser="operators"`: the most rules in the tree, each counted once for every way in which the root leads
        to it. Compiling raises `LimitError` for a grammar that needs more.
    repetition_compression : bool
        Count repetitions with large bounds while parsing, instead of writing them out (XGrammar-2 section 3.5).
    repetition_threshold : int
        The largest bound of a repetition that is written out all the same; 0 counts every repetition with a bound.
    cross_grammar_cache : bool
        Share the mask entries of equal rules among the grammars of one tokenizer (XGrammar-2 section 3.3).
    context_expansion : bool
        Compare a token that outlives its rule with everything that may follow the rule anywhere in the grammar, once
        for each state, so that few tokens are left to check in each context (XGrammar section 3.2).
    token_classes : bool
        Where a grammar reads any text but a few characters, classify the tokens once for the vocabulary, instead of by
        a walk for each state.
    context_walks : {"auto", "never", "always"}
        Compute a mask by walking the token trie from the current column, instead of uniting its states' entries.
        "auto": where words may follow each other, as in programs, so that entries would leave most tokens uncertain;
        and where five entries or more are missing.
    shared_walks : bool
        Where words may follow each other, assemble such a walk from walks that all contexts share.
    counted_runs : bool
        Walk white space with a bound, as `[ ]{0,64}`, from the current column, beside the entries of the states that
        follow it. Off, or with `context_walks="never"`, it has entries like everything else.
    partial_jit_k : int or "auto"
        How many mask entries to make in background threads once a grammar is compiled, the most expensive first, while
        the caller continues (XGrammar-2 section 3.2). "auto": all that are worth it, none if there is one processor.
        0: each is made when a text first needs it.
    contents_on_demand : int
        A structural tag with at least so many parts that lead to a schema (its tags, and what its triggers open)
        compiles each part when a text needs it: when a token can lead into it. Masks are the same. All schemas are read
        and checked at once; parts that may exceed a limit, such as those with patterns, are compiled at once to see
        whether they do. 0: all are compiled at once.
    max_fsm_states : int
        The most states of all rules together. Compiling raises `LimitError` for a grammar that needs more.
    max_compile_seconds : float
        The most seconds of the thread's processor time from a text, a schema or a grammar to the compiled grammar.
        Reading counts, waiting does not. `LimitError` if it takes longer.
    max_mask_seconds : float
        The same for one mask, one step (`accept_token`, `accept_string`, `find_jump_forward_string`) or one node of a
        draft tree, if it has to be computed. A text beyond 64 KiB has as much for each further 64 KiB. The matcher is
        unchanged after the error.
    max_work_bytes : int
        The most memory that one call may add, in bytes: reading, compiling, serializing and deserializing. A mask or a
        step may add half of it. `LimitError` for more. The defaults of this option and the next two keep one grammar
        and its matcher within 256 MiB.
    max_configuration_bytes : int
        The memory in which one compiled grammar keeps the columns of its parses, in bytes. Beyond it, they are dropped.
    max_history_bytes : int
        The most bytes of one matcher's history. A token that would exceed it raises `LimitError` and is not accepted.
        `GrammarMatcher(max_rollback_tokens=N)` keeps only the last N tokens.
    max_pool_bytes : int
        The most bytes that the grammars of one tokenizer keep for each other; the least recently used are dropped. -1
        is no limit. Compilers of equal tokenizers and equal `max_pool_bytes` share one pool.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        An option has another type, or is out of its bounds. An int is accepted for a float, and kept as a float;
        NumPy's integers are kept as int; True and False are accepted only for switches.

    >>> EngineOptions(parser="pda", max_stacks=1000).parser
    'pda'
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
    contents_on_demand: int = 32
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


class EngineSwitches(TypedDict, total=False):
    """Some fields of `EngineOptions`, by name, as keyword arguments give them: the others stay as they are."""

    rule_inlining: bool
    right_recursion_to_repeat: bool
    literal_fusion: bool
    determinize: bool
    minimize: bool
    parser: Literal["earley", "pda", "operators"]
    tail_calls: bool
    max_stacks: int
    max_operators: int
    repetition_compression: bool
    repetition_threshold: int
    cross_grammar_cache: bool
    context_expansion: bool
    token_classes: bool
    context_walks: Literal["auto", "never", "always"]
    shared_walks: bool
    counted_runs: bool
    partial_jit_k: int | Literal["auto"]
    contents_on_demand: int
    max_fsm_states: int
    max_compile_seconds: float
    max_mask_seconds: float
    max_work_bytes: int
    max_configuration_bytes: int
    max_history_bytes: int
    max_pool_bytes: int


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
    "contents_on_demand": (0, (1 << 31) - 1),
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
