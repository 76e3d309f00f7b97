"""Helpers for tests: masks as lists of tokens, and whether grammars accept strings.

>>> import numpy as np
>>> _get_masked_tokens_from_bitmask(np.array([[0b0110]], dtype=np.int32), vocab_size=4)
[0, 3]
>>> _is_single_token_bitmask(np.array([[0b0100]], dtype=np.int32), vocab_size=4)
(True, 2)

The names begin with an underscore as XGrammar's do: its users import them so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab.bitmask import bitmask_to_bool_mask, bool_mask_to_bitmask
from xg2lab.errors import ArgumentError, BitmaskError
from xg2lab.grammar import Grammar, grammar_from_tables, grammar_tables
from xg2lab.language.byte_matcher import byte_vocabulary, matcher_of, text_matcher
from xg2lab.options import EngineOptions
from xg2lab.sources.number_patterns import float_pattern, integer_pattern
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from xg2lab._core import GrammarMatcher
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab.schema.engine import Program
    from xg2lab.sources.json_schema import SchemaOptions

__all__ = [
    "GrammarFunctor",
    "_ebnf_to_grammar_no_normalization",
    "_generate_float_regex",
    "_generate_range_regex",
    "_get_allow_empty_rule_ids",
    "_get_masked_tokens_from_bitmask",
    "_get_matcher_from_grammar",
    "_get_matcher_from_grammar_and_tokenizer_info",
    "_is_grammar_accept_string",
    "_is_rule_fsm_accept_string",
    "_is_single_token_bitmask",
    "_json_schema_to_ebnf",
    "_print_grammar_fsms",
    "_regex_to_ebnf",
    "_traverse_draft_tree",
    "bitmask_to_bool_mask",
    "bool_mask_to_bitmask",
]


def _row(bitmask: Any, vocab_size: int, index: int) -> list[bool]:
    bits = bitmask_to_bool_mask(bitmask, vocab_size)
    rows = bits if bits.ndim == 2 else bits[None]
    if not 0 <= index < len(rows):
        raise BitmaskError(
            f"row {index} does not exist; the bitmask has shape {tuple(bitmask.shape)}", hint="rows count from 0"
        )
    return rows[index].tolist()


def _get_masked_tokens_from_bitmask(bitmask: Any, vocab_size: int, index: int = 0) -> list[int]:
    """The ids of the tokens that row `index` forbids, ascending."""
    return [token_id for token_id, allowed in enumerate(_row(bitmask, vocab_size, index)) if not allowed]


def _is_single_token_bitmask(bitmask: Any, vocab_size: int, index: int = 0) -> tuple[bool, int]:
    """Whether row `index` allows exactly one token, and which; -1 if not."""
    allowed = [token_id for token_id, bit in enumerate(_row(bitmask, vocab_size, index)) if bit]
    return (True, allowed[0]) if len(allowed) == 1 else (False, -1)


def _get_matcher_from_grammar_and_tokenizer_info(
    grammar: Grammar | str, tokenizer_info: TokenizerInfo | None = None, **options: Any
) -> GrammarMatcher:
    """A matcher of a grammar (EBNF text is read), over the 256 single bytes unless a vocabulary is given."""
    return matcher_of(grammar, tokenizer_info, **options)


def _get_matcher_from_grammar(grammar: Grammar | str, **options: Any) -> GrammarMatcher:
    """A matcher for strings: it ends without a stop token, since its vocabulary has none."""
    return text_matcher(grammar, **options)


def _is_grammar_accept_string(
    grammar: Grammar | str,
    input_str: str | bytes,
    *,
    debug_print: bool = False,
    print_time: bool = False,
    require_termination: bool = True,
) -> bool:
    """Whether the grammar accepts the string: as a whole, or as a beginning if `require_termination` is false.

    `debug_print` explains a refusal, `print_time` prints how long the string took.
    """
    from time import perf_counter_ns

    matcher = _get_matcher_from_grammar(grammar)
    begin = perf_counter_ns()
    accepted = matcher.accept_string(input_str, debug_print=debug_print)
    if print_time:
        print(f"accept_string: {(perf_counter_ns() - begin) / 1000:.1f} us, accepted: {accepted}")  # noqa: T201
    return accepted and (not require_termination or matcher.is_terminated())


def _traverse_draft_tree(
    retrieve_next_token: Any,
    retrieve_next_sibling: Any,
    draft_tokens: Any,
    matcher: GrammarMatcher,
    allocate_token_bitmask: Any,
    time_threshold: float = -1.0,
) -> bool:
    """`GrammarMatcher.traverse_draft_tree`, under its older name and with the matcher among the arguments."""
    return matcher.traverse_draft_tree(
        retrieve_next_token, retrieve_next_sibling, draft_tokens, allocate_token_bitmask, time_threshold
    )


# ---- Sources as EBNF ----


def _regex_to_ebnf(regex: str, with_rule_name: bool = True) -> str:
    r"""A regular expression as EBNF: a grammar of one rule, or that rule's body alone.

    >>> print(_regex_to_ebnf(r"\d{3}-[a-f]+"), end="")
    root ::= [0-9]{3} "-" [a-f]+
    >>> _regex_to_ebnf("(yes|no)?", with_rule_name=False)
    '("yes" | "no")?'
    """
    grammar = Grammar.from_regex(regex)
    return str(grammar) if with_rule_name else grammar.rules[0].body


def _json_schema_to_ebnf(schema: Any, *, json_format: str = "json", **options: Unpack[SchemaOptions]) -> str:
    r"""A JSON Schema as EBNF. The options are those of `Grammar.from_json_schema`.

    `json_format` is the `style` of a `JSONSchemaFormat`. All but "json" take `any_order` and
    `max_whitespace_cnt` alone.

    >>> print(_json_schema_to_ebnf({"type": "array", "items": {"type": "null"}, "maxItems": 2}, any_whitespace=False))
    root ::= "[" "null" (", " "null")? "]" | "[]"
    <BLANKLINE>
    """
    if json_format == "json":
        return str(Grammar.from_json_schema(schema, **options))
    others = sorted({*options} - {"any_order", "max_whitespace_cnt"})
    if others:
        raise ArgumentError(f"json_format {json_format!r} has no option {others[0]}")
    return str(
        Grammar.from_structural_tag(
            {"format": {"type": "json_schema", "json_schema": schema, "style": json_format, **options}}
        )
    )


def _ebnf_to_grammar_no_normalization(ebnf_string: str, root_rule_name: str = "root") -> Grammar:
    """A grammar as it is written. Ours are normalized when they are compiled; this one can be."""
    return Grammar.from_ebnf(ebnf_string, root_rule_name=root_rule_name)


def _generate_range_regex(start: int | None = None, end: int | None = None) -> str:
    """A pattern for the integers from `start` to `end`, both included; None is no bound."""
    return integer_pattern(start, end)


def _generate_float_regex(
    start: float | None = None, end: float | None = None, exclusive_start: bool = False, exclusive_end: bool = False
) -> str:
    """A pattern for the decimals between two bounds, with at most six digits after the point."""
    return float_pattern(start, end, exclusive_start, exclusive_end)


# ---- Machines ----


def _get_allow_empty_rule_ids(compiled_grammar: CompiledGrammar) -> list[int]:
    """The rules of the program that match the empty string, as their numbers in `compiled_grammar.program()`."""
    return [rule["id"] for rule in compiled_grammar.program()["rules"] if rule["nullable"]]


def _print_grammar_fsms(grammar: Grammar | CompiledGrammar) -> str:
    """The machine of each rule, as text; of a Grammar, those that it is compiled to with the usual options.

    >>> print(_print_grammar_fsms(Grammar.from_ebnf('root ::= "a"+ "b"')), end="")
    Rule 0: root, FSM: FrozenFsm(num_states=3, start=0, end=[2], edges=[
    0: ["a"->1]
    1: ["a"->1, "b"->2]
    2: []
    ])
    """
    program = _program_of(grammar, EngineOptions()) if isinstance(grammar, Grammar) else grammar.program()
    lines: list[str] = []
    for rule in program["rules"]:
        states = range(*rule["states"])
        ends = [state for state in states if program["states"][state]["accepting"]]
        lines.append(
            f"Rule {rule['id']}: {rule['name']}, "
            f"FSM: FrozenFsm(num_states={len(states)}, start={rule['start']}, end={ends}, edges=["
        )
        for state in states:
            edges = [edge for edge in program["edges"] if edge["from"] == state]
            labels = [f"Rule({edge['rule']})" if edge["kind"] == "rule" else edge["label"] for edge in edges]
            shown = ", ".join(f"{label}->{edge['to']}" for label, edge in zip(labels, edges, strict=True))
            lines.append(f"{state}: [{shown}]")
        lines.append("])")
    return "\n".join([*lines, ""])


def _is_rule_fsm_accept_string(grammar: Grammar, rule_id: int, input_str: str | bytes) -> bool:
    """Whether a rule's own machine accepts a string. References to other rules are edges that no string crosses.

    >>> grammar = Grammar.from_ebnf('root ::= x "b"?   x ::= [0-9]{2,3}')
    >>> [_is_rule_fsm_accept_string(grammar, rule, "12") for rule in (0, 1)]
    [False, True]
    """
    if not 0 <= rule_id < len(grammar.rules):
        raise ArgumentError(f"no rule {rule_id}: the grammar has {len(grammar.rules)}", hint="rules count from 0")
    tables = grammar_tables(grammar)
    tables["root"] = rule_id
    plain = EngineOptions(
        rule_inlining=False, right_recursion_to_repeat=False, repetition_compression=False, partial_jit_k=0
    )
    program = _program_of(grammar_from_tables(tables), plain)
    names = {rule.name for rule in grammar.rules}
    # A rule that the author didn't write is a part of the one that needs it: its machine is gone
    # into.
    parts = {rule["id"]: rule["start"] for rule in program["rules"] if rule["name"] not in names}
    here = _closed(program, {(program["rules"][program.get("root", 0)]["start"],)}, parts)
    for byte in input_str.encode() if isinstance(input_str, str) else input_str:
        ahead = {
            (edge["to"], *stack[1:])
            for stack in here
            for edge in program["edges"]
            if edge["from"] == stack[0] and any(lo <= byte <= hi for lo, hi in edge["ranges"])
        }
        here = _closed(program, ahead, parts)
    return any(len(stack) == 1 and program["states"][stack[0]]["accepting"] for stack in here)


def _closed(program: Program, stacks: set[tuple[int, ...]], parts: dict[int, int]) -> set[tuple[int, ...]]:
    """Stacks of states (the top first), and those they lead to without a byte."""
    agenda = list(stacks)
    for stack in agenda:
        fresh: set[tuple[int, ...]] = {
            (parts[edge["rule"]], edge["to"], *stack[1:])
            for edge in program["edges"]
            if edge["from"] == stack[0] and edge["rule"] is not None and edge["rule"] in parts
        }
        if len(stack) > 1 and program["states"][stack[0]]["accepting"]:
            fresh.add(stack[1:])
        agenda += fresh - stacks
        stacks = stacks | fresh
    return stacks


def _program_of(grammar: Grammar, options: EngineOptions) -> Program:
    from xg2lab.compiler import GrammarCompiler

    return GrammarCompiler(byte_vocabulary(), options=options).compile_grammar(grammar).program()


# ---- Passes, one by one ----


class GrammarFunctor:
    """The passes that prepare a grammar, one by one: each takes a grammar and returns another of the same language.

    >>> grammar = Grammar.from_ebnf('root ::= ("a" "b") x   x ::= "c" | "d"   y ::= "e"')
    >>> print(GrammarFunctor.byte_string_fuser(GrammarFunctor.structure_normalizer(grammar)), end="")
    root ::= "ab" x
    x ::= "c" | "d"
    y ::= "e"
    >>> print(GrammarFunctor.dead_code_eliminator(grammar), end="")
    root ::= ("a" "b") x
    x ::= "c" | "d"
    >>> print(GrammarFunctor.rule_inliner(grammar).rules[0].body, GrammarFunctor.fsm_builder(grammar) is grammar)
    ("a" "b") ("c" | "d") True
    >>> print(GrammarFunctor.grammar_optimizer(grammar), end="")
    root ::= "ab" ("c" | "d")
    """

    @staticmethod
    def structure_normalizer(grammar: Grammar) -> Grammar:
        """Flatten sequences in sequences and choices in choices.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.
        """
        return grammar._pass("normalize")

    @staticmethod
    def rule_inliner(grammar: Grammar) -> Grammar:
        """Write small rules into their callers.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.
        """
        return grammar._pass("inline_fragments")

    @staticmethod
    def byte_string_fuser(grammar: Grammar) -> Grammar:
        """Join neighbouring literals.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.
        """
        return grammar._pass("fuse_literals")

    @staticmethod
    def dead_code_eliminator(grammar: Grammar) -> Grammar:
        """Remove the rules that the root never needs.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.
        """
        return grammar._pass("drop_unreachable")

    @staticmethod
    def lookahead_assertion_analyzer(grammar: Grammar) -> Grammar:
        """Add a lookahead to each rule that has none and is always followed by the same thing.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.

        >>> grammar = Grammar.from_ebnf('root ::= x "!"   x ::= [a-z]+')
        >>> print(GrammarFunctor.lookahead_assertion_analyzer(grammar), end="")
        root ::= x "!"
        x ::= [a-z]+ (= "!")
        """
        tables = grammar_tables(grammar)
        lines = [
            line if row[2] is not None or next_one is None else f"{line} (= {next_one})"
            for line, row, next_one in zip(
                str(grammar).splitlines(),
                tables["rules"],
                (grammar.call_sites(rule.name)[1] for rule in grammar.rules),
                strict=True,
            )
        ]
        return Grammar.from_ebnf("\n".join(lines), root_rule_name=grammar.root_rule_name)

    @staticmethod
    def grammar_optimizer(grammar: Grammar) -> Grammar:
        """Run all passes in their order.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.
        """
        return grammar.passes()[-1][1]

    @staticmethod
    def fsm_builder(grammar: Grammar) -> Grammar:
        """Return the grammar as it is: ours is immutable, and compiling it makes the machines.

        Parameters
        ----------
        grammar : Grammar
            The grammar.

        Returns
        -------
        Grammar
            The same object.
        """
        return grammar

    @staticmethod
    def repetition_normalizer(grammar: Grammar) -> Grammar:
        """Drop the lower bound of a repetition whose item may be empty: `x{2,5}` becomes `x{0,5}`.

        Parameters
        ----------
        grammar : Grammar
            The grammar, which stays as it is.

        Returns
        -------
        Grammar
            The result.

        >>> print(GrammarFunctor.repetition_normalizer(Grammar.from_ebnf('root ::= x{2,5}   x ::= "a"?')), end="")
        root ::= x{0,5}
        x ::= "a"?
        """
        from xg2lab.language.nodes import Nodes

        lengths = Nodes.of(grammar).lengths
        tables = grammar_tables(grammar)
        tables["expressions"] = [
            (kind, (payload[0], 0, payload[2]), begin, end)
            if kind == "repeat" and lengths[payload[0]] == 0
            else (kind, payload, begin, end)
            for kind, payload, begin, end in tables["expressions"]
        ]
        return grammar_from_tables(tables)
