"""Rows and contexts mean what the older twins say, at every step of random texts in random grammars.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples. Tail calls are replaced always, sometimes
or never (`LIMITS`), repetitions counted or not, so each test visits the combinations.
"""

from __future__ import annotations

import random
import re
from math import inf
from typing import Protocol

import pytest

from tests.differential.test_repetition import random_counted
from tests.generators import (
    SHARE,
    mutate,
    random_any_order,
    random_calls,
    random_grammar,
    random_heads,
    random_member,
    seeded,
    with_heads,
    write_ebnf,
)
from tests.refusals import Outcomes
from xg2lab.reference import counted, earley, options, pda, pool
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.fsm import Fsm, from_rule
from xg2lab.reference.machines import Program, Rule, program_of
from xg2lab.reference.minimize import minimize
from xg2lab.reference.rows import DEAD, Column, Columns, predict_apart, predict_together
from xg2lab.reference.structure import Machine
from xg2lab.reference.ticks import Ticks

N_GRAMMARS = max(1, round(250 * SHARE))
MAX_ITEMS = 150  # of the older twin, and parts of a column: a text ends where ambiguity makes it slow
LIMITS = [0, 1, 3, 8]
THRESHOLDS = [inf, 3, 2]
PARSERS = {"earley": predict_together, "pda": predict_apart}
with_parsers = pytest.mark.parametrize("parser", PARSERS)


class Twin(Protocol):
    """What the older twins have in common."""

    def push(self, byte: int) -> bool: ...
    def is_complete(self) -> bool: ...
    def expected_bytes(self) -> set[int]: ...


class CountedReader(counted.Reader):
    def expected_bytes(self) -> set[int]:
        tops = [boxes[0] for boxes, _ in self.columns[-1] if boxes]
        return {byte for low, high in tops for byte in range(low, high + 1)}


def texts_of(rng: random.Random, grammar: Grammar, n_texts: int = 3) -> list[bytes]:
    members = [random_member(rng, grammar) or b"" for _ in range(n_texts)]
    return [mutate(rng, member) if rng.random() < 0.5 else member for member in members]


def check_text(columns: Columns, twin: Twin, text: bytes, about: object) -> int:
    """Read a text with both; the number of bytes read before one that nothing expects, or before it gets too slow."""
    column = columns.start
    for n_bytes, byte in enumerate(text[:25]):
        check_column(columns, column, twin, (about, text[:n_bytes]))
        column = columns.step(column, byte)
        assert twin.push(byte) == (column != DEAD), (about, text[: n_bytes + 1])
        n_items = len(twin.columns[-1]) if isinstance(twin, earley.Chart) else 0
        if column == DEAD or max(n_items, len(column.parts)) > MAX_ITEMS:
            return n_bytes
    check_column(columns, column, twin, (about, text))
    return len(text)


def check_column(columns: Columns, column: Column, twin: Twin, about: object) -> None:
    assert column.is_complete == twin.is_complete(), about
    assert columns.expected_bytes(column) == twin.expected_bytes(), about


def has_left_recursion(grammar: Grammar) -> bool:
    return bool(pda.left_recursion(productions_of(grammar, loops_left=False), pushes=False))


# ---- The same language, byte by byte ----


def test_plain_grammars():
    rng = seeded("rows/plain")
    n_bytes = 0
    for _ in range(N_GRAMMARS):
        grammar = (random_calls if rng.random() < 0.4 else random_grammar)(rng)
        threshold, limit = rng.choice(THRESHOLDS), rng.choice(LIMITS)
        columns = Columns(program_of(grammar, threshold=threshold), most_returns=limit)
        for text in texts_of(rng, grammar):
            n_bytes += check_text(columns, earley.parse(grammar), text, (write_ebnf(grammar), threshold, limit))
    assert n_bytes > 5 * N_GRAMMARS


@with_parsers
def test_counted_repetitions(parser: str):
    """Counts are in waiting items alone: a state of a counted rule reads no byte."""
    rng = seeded(f"rows/counted/{parser}")
    n_bytes = 0
    for _ in range(N_GRAMMARS // 2):
        text = random_counted(rng)
        grammar, threshold, limit = parse_ebnf(text), rng.choice([1, 2, 4]), rng.choice(LIMITS)
        columns = Columns(program_of(grammar, threshold=threshold), PARSERS[parser], limit)
        for data in texts_of(rng, grammar):
            n_bytes += check_text(columns, CountedReader(grammar), data, (text, threshold, limit))
        assert all(place.counts is None for c in columns.columns for part in c.parts for place in part.scan), text
    assert n_bytes > 5 * N_GRAMMARS


@with_parsers
def test_members_in_any_order(parser: str):
    rng = seeded(f"rows/any_order/{parser}")
    n_bytes = 0
    for _ in range(N_GRAMMARS // 2):
        text = random_any_order(rng)
        grammar, limit = parse_ebnf(text), rng.choice(LIMITS)
        columns = Columns(program_of(grammar, threshold=rng.choice(THRESHOLDS)), PARSERS[parser], limit)
        for data in texts_of(rng, grammar):
            n_bytes += check_text(columns, earley.parse(grammar), data, (text, limit))
    assert n_bytes > 3 * N_GRAMMARS


def test_a_pushdown_automaton():
    rng = seeded("rows/pda")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS):
        grammar = (random_calls if rng.random() < 0.3 else random_grammar)(rng)
        if has_left_recursion(grammar):
            outcomes["left-recursive"] += 1
            continue
        threshold, limit = rng.choice(THRESHOLDS), rng.choice(LIMITS)
        columns = Columns(program_of(grammar, threshold=threshold), predict_apart, limit)
        for text in texts_of(rng, grammar):
            twin: Twin = pda.Pda(grammar) if is_simple(grammar, text) else earley.parse(grammar)
            check_text(columns, twin, text, (write_ebnf(grammar), threshold, limit))
        outcomes["walked"] += 1
    outcomes.require("walked", 0.5)


def is_simple(grammar: Grammar, text: bytes) -> bool:
    """Whether the older automaton reads the text with few stacks."""
    try:
        twin = pda.Pda(grammar, max_stacks=2000)
        return all(twin.push(byte) and len(twin.stacks) < 200 for byte in text[:25])
    except OverflowError:
        return False


@with_parsers
def test_the_engines_machines(parser: str):
    """Machines that this project's Python didn't make, smallest ones and those before the passes."""
    xgr = pytest.importorskip("xg2lab", reason="the engine is not built")
    from tests.differential.test_structure import machines_of

    rng = seeded(f"rows/machines/{parser}")
    info = xgr.TokenizerInfo([b"</s>"], stop_token_ids=[0])
    switches = [name for name, value in vars(xgr.EngineOptions()).items() if value is True]
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS // 4):
        grammar = random_grammar(rng)
        if not earley.parse(grammar).is_alive or (parser == "pda" and has_left_recursion(grammar)):
            outcomes["left-recursive or empty"] += 1
            continue
        off = dict.fromkeys(switches if rng.random() < 0.5 else ["repetition_compression"], False)
        compiled = xgr.GrammarCompiler(info, options=xgr.EngineOptions(**off)).compile_grammar(write_ebnf(grammar))
        machines, _ = machines_of(compiled)
        rules = {name: Rule(machine) for name, machine in machines.items()}
        program = Program(f"rule {compiled.program()['root']}", rules, pool.Program(machines).nullable)
        columns = Columns(program, PARSERS[parser], rng.choice(LIMITS))
        for text in texts_of(rng, grammar):
            check_text(columns, earley.parse(grammar), text, (write_ebnf(grammar), off))
        outcomes["walked"] += 1
    outcomes.require("walked", 0.4)


# ---- max_tokens: the tick after a token ----


@with_parsers
@pytest.mark.parametrize("kind", ["plain", "any order"])
def test_budgets_of_tokens(kind: str, parser: str):
    """Tokens end anywhere; repetitions may be counted and members have sets, all in one grammar."""
    rng = seeded(f"rows/ticks/{kind}/{parser}")
    outcomes = Outcomes()
    n_ticks = [0, 0]
    for _ in range(N_GRAMMARS):
        text = random_budgets(rng, kind)
        grammar, heads = options.parse_with_options(text)
        if has_left_recursion(grammar):
            outcomes["left-recursive"] += 1
            continue
        max_tokens = {name: of_rule["max_tokens"] for name, of_rule in heads.items() if "max_tokens" in of_rule}
        program = program_of(grammar, threshold=rng.choice(THRESHOLDS), max_tokens=max_tokens)
        columns = Columns(program, PARSERS[parser], rng.choice(LIMITS))
        for data in texts_of(rng, grammar):
            check_ticks(rng, columns, options.Reader(grammar, heads), data, text, n_ticks)
        outcomes["walked"] += 1
    outcomes.require("walked", 0.4)
    assert n_ticks[1] > n_ticks[0] / 5 > 0, "too few ticks change a column"


def random_budgets(rng: random.Random, kind: str) -> str:
    """A grammar's text in which some rules have max_tokens."""
    if kind == "plain":
        grammar = (random_calls if rng.random() < 0.3 else random_grammar)(rng, max_rules=4)
        heads = {name: f"[max_tokens={rng.randint(1, 3)}]" for name in random_heads(rng, grammar)}
        return with_heads(grammar, heads)
    text = random_any_order(rng)
    for rule in ("inner", "m0", "m1", "x"):
        if rng.random() < 0.5:
            text = re.sub(rf"(?m)^{rule} ::=", f"{rule}[max_tokens={rng.randint(1, 3)}] ::=", text)
    return text


def check_ticks(
    rng: random.Random, columns: Columns, twin: options.Reader, text: bytes, about: str, n_ticks: list[int]
) -> None:
    """Read bytes that the twin expects, and ticks. `n_ticks` counts the ticks, and those that changed the column."""
    ticks, column, read = Ticks(columns), columns.start, ""
    for byte in text[:14]:
        if max(len(twin.threads), len(column.parts)) > MAX_ITEMS or not (expected := sorted(twin.expected_bytes())):
            break
        byte = byte if byte in expected and rng.random() < 0.8 else rng.choice(expected)
        twin.read(byte)
        column = columns.step(column, byte)
        read += chr(byte)
        check_ticked(columns, column, twin, (about, read))
        if rng.random() < 0.6:
            before = column
            twin.end_token()
            column = ticks.tick(column)
            read += "|"
            n_ticks[0] += 1
            n_ticks[1] += column != before
            check_ticked(columns, column, twin, (about, read))


def check_ticked(columns: Columns, column: Column, twin: options.Reader, about: object) -> None:
    assert column.is_complete == twin.is_complete(), about
    assert columns.expected_bytes(column) == twin.expected_bytes(), about


def test_an_item_that_begins_as_the_token_ends_does_not_count_it():
    grammar = parse_ebnf('root ::= item*   item ::= "<" [a-z]* ">"')
    columns = Columns(program_of(grammar, max_tokens={"item": 2}))
    ticks = Ticks(columns)
    column = ticks.tick(columns.step(columns.start, ord("<")))
    again = ticks.tick(columns.step(columns.step(column, ord(">")), ord("<")))
    assert columns.expected_bytes(again) == columns.expected_bytes(column) > {ord(">")}
    assert columns.expected_bytes(ticks.tick(columns.step(column, ord("a")))) == {*b"abcdefghijklmnopqrstuvwxyz>"}
    assert again == column


@with_parsers
def test_a_tail_call_leaves_the_matches_around_it_open(parser: str):
    """After "a", x has read a token, though z, which x calls through the end of y, has read nothing."""
    text = 'root ::= x | "a" [0-9]*   x[max_tokens=1] ::= y "c"   y ::= "a" z   z ::= "b"'
    grammar, heads = options.parse_with_options(text)
    columns = Columns(program_of(grammar, max_tokens={"x": heads["x"]["max_tokens"]}), PARSERS[parser])
    column = columns.after(b"a")
    assert columns.expected_bytes(column) == {*b"0123456789b"}
    assert columns.expected_bytes(Ticks(columns).tick(column)) == {*b"0123456789"}


# ---- Equal futures are few columns ----


def test_a_regular_grammar_is_a_finite_machine():
    """All columns are visited: a machine on bytes, whose smallest form is that of the rules built into one another.

    Some ambiguous grammars have columns without end. In `x ::= y+ z   y ::= z*` a match of y may begin at each letter,
    in a context that holds all the earlier matches of y.
    """
    rng = seeded("rows/regular")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS // 6):
        grammar = random_grammar(rng, max_rules=4, letters=["a", "b", "é"], is_regular=True)
        found = all_columns(Columns(program_of(grammar)), limit=100)
        outcomes["visited" if found else "without end"] += 1
        assert found is None or minimize(found) == minimize(from_rule(grammar)), write_ebnf(grammar)
    outcomes.require("visited", 0.8)


def all_columns(columns: Columns, limit: int) -> Fsm | None:
    """The machine of all columns that texts lead to; None if they are `limit` or more."""
    fsm = Fsm()
    numbers = {columns.start: fsm.new_state()}
    for column in (agenda := [columns.start]):
        if column.is_complete:
            fsm.accepting.add(numbers[column])
        for byte in sorted(columns.expected_bytes(column)):
            after = columns.step(column, byte)
            if after not in numbers:
                numbers[after] = fsm.new_state()
                agenda.append(after)
                if len(agenda) == limit:
                    return None
            fsm.edges[numbers[column]].append((byte, byte, numbers[after]))
    return fsm


@with_parsers
def test_brackets_make_one_context_a_level_and_none_on_the_way_out(parser: str):
    columns = Columns(program_of(parse_ebnf('root ::= "[" root* "]" | [a-z]')), PARSERS[parser])
    columns.after(b"[" * 21)
    n_contexts = len(columns.contexts)
    assert n_contexts == 21
    inner = columns.after(b"[" * 20)
    n_columns = len(columns.columns)
    assert columns.after(b"[" * 19 + b"[x]y[[][]]" + b"[") == inner
    assert columns.after(b"[" * 20 + b"x" + b"]" * 20).is_complete
    assert len(columns.contexts) == n_contexts
    assert len(columns.columns) == n_columns + 1  # after the last bracket


def test_counts_make_no_rows():
    columns = Columns(program_of(parse_ebnf("root ::= [ab]{2,100000}"), threshold=2))
    columns.after(b"ab" * 100)
    assert len({part.scan for column in columns.columns for part in column.parts}) <= 2
    assert len(columns.contexts) <= 201


@with_parsers
def test_right_recursion_makes_no_context_for_each_letter(parser: str):
    """Through one rule, or through two that end in calls of each other."""
    for text in ('root ::= "a" root | "b"', 'root ::= "a" x | "b"   x ::= "a" root "" | "c"'):
        contexts = [Columns(program_of(parse_ebnf(text)), PARSERS[parser], limit) for limit in (0, 8)]
        n_contexts: list[int] = []
        for columns in contexts:
            assert columns.after(b"a" * 60 + b"b").is_complete
            n_contexts.append(len(columns.contexts))
        assert n_contexts[0] >= 60
        assert n_contexts[1] <= 3


@pytest.mark.parametrize("limit", LIMITS)
def test_look_ups_of_sums_grow_as_the_square(limit: int):
    """Each sum waits in all columns before it, and each ends in all of them: n^3 resumptions without waiting groups."""
    n_lookups: list[int] = []
    for n_sums in (20, 40, 80):
        columns = Columns(program_of(parse_ebnf('root ::= root "+" root | "a"')), most_returns=limit)
        assert columns.after(b"a+" * n_sums + b"a").is_complete
        n_lookups.append(columns.n_lookups)
    assert n_lookups[1] < 4.5 * n_lookups[0]
    assert n_lookups[2] < 4.5 * n_lookups[1]


def test_machines_may_be_written_by_hand():
    """A machine that is neither smallest nor deterministic: ("a" | "ab") "c"."""
    edges: list[list[tuple[tuple[int, int] | str, int]]] = [
        [((97, 97), 1), ((97, 97), 2)],
        [("c", 3)],
        [((98, 98), 1)],
        [],
    ]
    rules = {"root": Rule(Machine({3}, edges)), "c": Rule(Machine({1}, [[((99, 99), 1)], []]))}
    columns = Columns(Program("root", rules, set()))
    assert columns.after(b"ac").is_complete
    assert columns.after(b"abc").is_complete
    assert columns.after(b"abbc") == DEAD
