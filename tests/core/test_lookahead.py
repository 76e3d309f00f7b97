"""What an author promises to follow a rule is held against the grammar, and changes no mask.

Twin: xg2lab/reference/lookahead.py. Table: tests/cases/lookaheads.toml. XG2LAB_SEED repeats a run.
"""

import random
import re
from collections import Counter

import numpy as np
import pytest

import xg2lab as xgr
from tests.cases import LookaheadCase, load_lookahead_cases
from tests.generators import (
    random_expression,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    write,
    write_ebnf,
)
from tests.refusals import Outcomes
from xg2lab.errors import Diagnostic, GrammarError
from xg2lab.grammar import Grammar
from xg2lab.reference import ebnf
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.earley import Chart, parse
from xg2lab.reference.lookahead import ASSERTION, Verdict, check_lookahead

CASES = load_lookahead_cases()
MAX_SENTENCES, MAX_MARKS = 150, 3  # for one grammar
MAX_ITEMS = 60  # in a column of a chart: where ambiguity makes the twin slow, it isn't asked
MAX_TEXT = 4  # bytes, for the twin
with_cases = pytest.mark.parametrize("case", CASES, ids=str)
BROKEN = re.compile(
    r'is not kept: after .*?, (?:(?P<text>".*?") may follow|the output may end(?: after (?P<end>".*?"))?)(?:; |$)'
)


def finding(grammar: Grammar) -> Diagnostic | None:
    """What is said about the one assertion of a grammar."""
    found = [d for d in grammar.diagnostics if d.code.startswith("lookahead_")]
    assert len(found) <= 1
    return found[0] if found else None


def verdict_of(diagnostic: Diagnostic | None) -> Verdict:
    """The engine's verdict, read from its words."""
    if diagnostic is None or diagnostic.code == "lookahead_promises_nothing":
        return Verdict("kept")
    if diagnostic.code == "lookahead_not_checked":
        return Verdict("open")
    if "it matches nothing" in diagnostic.message:
        return Verdict("broken")
    match = BROKEN.search(diagnostic.message)
    assert match, diagnostic.message
    literal = match["text"] or match["end"]
    text = ebnf.parse_ebnf(f"root ::= {literal}").rules["root"][1] if literal else b""
    assert isinstance(text, bytes)
    return Verdict("broken", text, is_end=match["text"] is None)


# ---- The table of cases ----


@with_cases
def test_the_engine_says_what_the_table_says(case: LookaheadCase) -> None:
    grammar = Grammar.from_ebnf(case.grammar)
    found = finding(grammar)
    assert (found.code if found else "", found.message if found else "") == (case.code, case.message)
    assert verdict_of(found) == Verdict(case.kind, case.text, case.is_end)
    if found:
        assert found.severity == ("warning" if case.kind == "broken" else "hint")
        assert found.hint
        assert case.grammar.encode()[: found.span[0]].endswith(b"(= ")
    final = [result for _, result in grammar.passes()][-1]
    assert [d for d in final.diagnostics if d.code.startswith("lookahead_")] == ([found] if found else [])


@with_cases
def test_the_twin_agrees_with_the_table(case: LookaheadCase) -> None:
    verdict = check_lookahead(ebnf.parse_ebnf(case.grammar), case.rule, n_bytes=6)
    if verdict.kind == "open":
        assert case.kind in ("open", "kept")  # texts without end: kept as far as the twin looks
    elif not case.text.isascii():
        assert verdict.kind == case.kind
        assert case.text.startswith(verdict.text)
    elif "it matches nothing" in case.message:
        assert verdict == Verdict("broken", b"", is_end=False)
    else:
        assert verdict == Verdict(case.kind, case.text, case.is_end)


# ---- Random grammars: the engine, the twin, and all short sentences ----


def random_promise(rng: random.Random, letters: list[str]) -> tuple[ebnf.Grammar, str, str]:
    """A grammar, the rule of it that has an assertion, and the text."""
    while True:
        grammar = random_grammar(rng, max_rules=4, letters=letters)
        rule = rng.choice(list(grammar.rules))
        names = list(grammar.rules) if rng.random() < 0.4 else []
        lookahead = random_expression(rng, names, rng.choice([0, 1, 2]), letters)
        lines = write_ebnf(grammar).split("\n")
        at = list(grammar.rules).index(rule)
        lines[at] += f" (= {write(lookahead, 0, None)})"
        text = "\n".join(lines)
        if parse(grammar).is_alive:
            return ebnf.parse_ebnf(text), rule, text


def is_slow(grammar: ebnf.Grammar) -> bool:
    """Is a chart of the grammar large before it has read anything, or after a byte?"""
    chart = parse(grammar)
    chart.push(ord("a"))
    return max(map(len, chart.columns)) > MAX_ITEMS


def breaks_in_sentences(grammar: ebnf.Grammar, rule: str, n_bytes: int, alphabet: bytes) -> list[bytes]:
    """All texts after a completed `rule`, in sentences of up to `n_bytes`, that keep no promise; each up to its break.

    The rule is given a mark to end with, so that a sentence shows where matches of it end.
    """
    mark = 0xFF  # in no text
    marked: dict[str, ebnf.Expression] = {
        **grammar.rules,
        rule: ("seq", (grammar.rules[rule], ("literal", bytes([mark])))),
    }
    chart = parse(ebnf.Grammar(grammar.root, marked))
    wanted = productions_of(ebnf.Grammar(ASSERTION, {**grammar.rules, ASSERTION: grammar.lookaheads[rule]}))
    found: list[bytes] = []

    def broken_part(text: bytes) -> bytes | None:
        promise = Chart(wanted)
        for n, byte in enumerate(text):
            if promise.is_complete() or not promise.is_alive:
                return None if promise.is_complete() else text[:n]
            promise.push(byte)
        return None if promise.is_complete() else text

    n_walked = 0

    def walk(data: bytes) -> None:
        nonlocal n_walked
        n_walked += 1
        if n_walked > MAX_SENTENCES or len(chart.columns[-1]) > MAX_ITEMS:
            return
        if chart.is_complete():
            ends = [i for i, byte in enumerate(data) if byte == mark]
            rests = {data[i:].replace(bytes([mark]), b"") for i in ends}
            found.extend(part for rest in rests if (part := broken_part(rest)) is not None)
        n_marks = data.count(mark)
        for byte in sorted(chart.expected_bytes() & {*alphabet, mark}):
            if n_marks < MAX_MARKS if byte == mark else len(data) - n_marks < n_bytes:
                if chart.push(byte):
                    walk(data + bytes([byte]))
                chart.pop(1)

    walk(b"")
    return found


def test_random_promises_against_the_twin_and_all_short_sentences() -> None:
    rng = seeded("lookahead")
    kinds: Counter[str] = Counter()
    for _ in range(300):
        grammar, rule, text = random_promise(rng, ["a", "b"])
        verdict = verdict_of(finding(Grammar.from_ebnf(text)))
        kinds[verdict.kind] += 1
        if len(verdict.text) > MAX_TEXT or is_slow(grammar):
            continue
        kinds["compared"] += 1
        twin = check_lookahead(grammar, rule, n_bytes=len(verdict.text) if verdict.kind == "broken" else 3)
        if verdict.kind == "broken":
            assert (twin.kind, len(twin.text)) == ("broken", len(verdict.text)), text
        elif verdict.kind == "kept":
            assert twin.kind in ("kept", "open"), text
        breaks = breaks_in_sentences(grammar, rule, 4, b"ab")
        kinds["broken in a short sentence"] += bool(breaks)
        assert not (breaks and verdict.kind == "kept"), text
        if breaks and verdict.kind == "broken":
            assert min(map(len, breaks)) >= len(verdict.text), text
    print(dict(kinds))
    assert kinds["compared"] > 150
    assert kinds["kept"] > 20
    assert kinds["broken"] > 100
    assert kinds["broken in a short sentence"] > 50
    assert kinds["open"] < 40


def test_random_promises_on_all_letters_against_the_twin() -> None:
    rng = seeded("lookahead letters")
    outcomes = Outcomes()
    for _ in range(150):
        grammar, rule, text = random_promise(rng, ["a", "é", "è", "你"])
        verdict = verdict_of(finding(Grammar.from_ebnf(text)))
        if len(verdict.text) > MAX_TEXT or is_slow(grammar):
            outcomes["too slow"] += 1
            continue
        twin = check_lookahead(grammar, rule, n_bytes=2 if verdict.kind != "broken" else len(verdict.text))
        is_open = "open" in (verdict.kind, twin.kind)
        outcomes["open" if is_open else "compared"] += 1
        assert is_open or verdict.kind == twin.kind, text
    outcomes.require("compared", 0.5)


# ---- What it costs, and what it doesn't change ----


def test_no_assertion_changes_a_mask() -> None:
    rng = seeded("lookahead masks")
    n_steps = 0
    for _ in range(120):
        grammar, _, text = random_promise(rng, ["a", "b", "é"])
        member = random_member(rng, grammar)
        assert member is not None
        vocabulary = [*random_vocabulary(rng, [member, b"ab"], n_tokens=30), b"</s>"]
        compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(vocabulary, stop_token_ids=[len(vocabulary) - 1]))
        bare = write_ebnf(ebnf.Grammar(grammar.root, grammar.rules))
        matchers = [xgr.GrammarMatcher(compiler.compile_grammar(source)) for source in (text, bare)]
        bitmasks = [xgr.allocate_token_bitmask(1, len(vocabulary)) for _ in matchers]
        for _ in range(6):
            for matcher, bitmask in zip(matchers, bitmasks, strict=True):
                matcher.fill_next_token_bitmask(bitmask)
            assert np.array_equal(np.asarray(bitmasks[0]), np.asarray(bitmasks[1])), text
            allowed = matchers[0].allowed_tokens()
            if not set(allowed) - {len(vocabulary) - 1}:
                break
            token = rng.choice(sorted(set(allowed) - {len(vocabulary) - 1}))
            assert [matcher.accept_token(token) for matcher in matchers] == [True, True]
            n_steps += 1
    assert n_steps > 200


@pytest.mark.parametrize(
    "text",
    [
        'root ::= x [a-z]{60000} "b"   x ::= "x" (= [a-z]{60001})',
        'root ::= x ("a" | "b")* "a" ("a" | "b"){20} "c"   x ::= "x" (= ("a" | "b")* "a" ("a" | "b"){20} "c")',
    ],
)
def test_beyond_the_limit_it_says_so(text: str) -> None:
    found = finding(Grammar.from_ebnf(text))
    assert found is not None
    assert (found.code, found.severity) == ("lookahead_not_checked", "hint")
    assert found.message.endswith(
        "was not checked: comparing it with what follows takes more steps than are allowed "
        "(100000 for one lookahead, 1000000 for all)"
    )


def test_only_as_much_is_looked_at_as_the_assertion_needs() -> None:
    assert finding(Grammar.from_ebnf('root ::= x [a-z]{60000} "b"   x ::= "x" (= [a-z])')) is None


def test_many_assertions_share_one_limit() -> None:
    lines = [f'x{i} ::= "x" (= ("a" | "b")* "a" ("a" | "b"){{20}} "c")' for i in range(30)]
    uses = " ".join(f"x{i} rest" for i in range(30))
    text = f'root ::= {uses}\nrest ::= ("a" | "b")* "a" ("a" | "b"){{20}} "c"\n' + "\n".join(lines)
    codes = Counter(d.code for d in Grammar.from_ebnf(text).diagnostics)
    assert codes == {"lookahead_not_checked": 30}


def test_a_long_chain_of_callers() -> None:
    n = 20_000
    chain = "\n".join(f"x{i} ::= x{i + 1}" for i in range(n))
    grammar = Grammar.from_ebnf(f'root ::= x0 "b"\n{chain}\nx{n} ::= "x" (= "a")')
    found = finding(grammar)
    assert found is not None
    assert found.message.endswith(
        f"after `x{n}` at {n + 1}:{len(f'x{n - 1} ::= x')}, …, the end of `x1` at 2:8, "
        'the end of `x0` at 1:10, "b" may follow'
    )


def test_a_grammar_that_never_matches_is_refused_as_before() -> None:
    with pytest.raises(GrammarError, match="never"):
        Grammar.from_ebnf('root ::= "a" root (= "b")')
