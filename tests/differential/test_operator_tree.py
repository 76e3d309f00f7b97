"""Trees of operators at random: the engine's listing, active positions and determinism are the twin's.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples.
"""

import random
from collections import Counter

import pytest

from tests.generators import (
    SHARE,
    is_recursive,
    mutate,
    random_grammar,
    random_member,
    seeded,
    shrink,
    with_token_edges,
    write_ebnf,
)
from xg2lab.reference.determinism import analyze, never_competes
from xg2lab.reference.ebnf import Grammar
from xg2lab.reference.operators import END, Active, Operators, Tree, build
from xg2lab.reference.options import parse_with_options

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.compiling.operators import ActiveOperator
from xg2lab.errors import GrammarError

VOCABULARY = [b"a", b"b", b"ab", b"\xc3", b"\xa9", "é".encode(), b"<", b"aa", b"</s>"]
STOP = len(VOCABULARY) - 1
INFO = xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[STOP])
COMPILER = xgr.GrammarCompiler(INFO, cache_enabled=False)
MAX_SETS = 400


def compiled_of(text: str) -> xgr.CompiledGrammar | None:
    """The compiled grammar; None if it matches nothing."""
    try:
        return COMPILER.compile_grammar(text)
    except GrammarError:
        return None


def summary(active: Active) -> list[str]:
    """The twin's positions as text, without the end."""
    return described([(each.number, each.counts) for each in active if each != END])


def summary_of_engine(active: list[ActiveOperator]) -> list[str]:
    """The same for the engine's."""
    return described([(each.operator.number, tuple((low, high) for _, low, high in each.counts)) for each in active])


def described(positions: list[tuple[int, tuple[tuple[int, int], ...]]]) -> list[str]:
    """Which of several unions of intervals are made depends on the order, if two counts or more differ."""
    several = {number for number, counts in positions if len(counts) > 1}
    return sorted({str(number) if number in several else f"{number} in {counts}" for number, counts in positions})


def has_nested_loops(twin: Tree) -> bool:
    """Whether a leaf has several counts, so that the number of positions depends on the order of unions."""
    reader = Operators(twin)
    return any(len(reader.loops(each.number)) > 1 for each in twin.operators if not each.children)


def tree_difference(text: str) -> str | None:
    """The first difference of the trees."""
    twin = build(*parse_with_options(text))
    compiled = compiled_of(text)
    if compiled is None:
        return None if twin.root is None else "the engine says that it matches nothing"
    tree = compiled.operators()
    if str(tree) != str(twin):
        return f"the engine's tree\n{tree}\nthe twin's\n{twin}"
    expected = analyze(twin, MAX_SETS)
    if tree.is_deterministic is not None and tree.is_deterministic != expected.is_deterministic:
        return f"the engine says {tree.is_deterministic} {tree.rivals}, the twin {expected}"
    by_leaves = tree._made.determinism(max_sets=0)[0]
    if by_leaves is not (True if never_competes(twin) else None):
        return f"without following texts the engine says {by_leaves}, the twin the opposite"
    are_numbers = tree.most_active is not None and expected.max_active is not None
    if are_numbers and not has_nested_loops(twin) and tree.most_active != expected.max_active:
        return f"the engine says at most {tree.most_active}, the twin {expected}"
    return None


def walk_difference(text: str, data: bytes) -> str | None:
    """The first difference of the active positions after each byte."""
    compiled = compiled_of(text)
    if compiled is None:
        return None
    reader, matcher = Operators(build(*parse_with_options(text))), xgr.GrammarMatcher(compiled)
    for i in range(len(data) + 1):
        found, expected = summary_of_engine(matcher.active_operators()), summary(reader.active)
        if found != expected:
            return f"after {data[:i]!r} the engine has {found}, the twin {expected}"
        if matcher.is_completed() != reader.is_complete():
            return f"after {data[:i]!r} is_completed differs"
        if i == len(data) or not matcher.accept_string(data[i : i + 1]):
            return None
        reader.push(data[i])
    return None


def difference(grammar: Grammar, data: bytes) -> str | None:
    """The first difference of all."""
    text = write_ebnf(grammar)
    return tree_difference(text) or walk_difference(text, data)


def test_random_grammars():
    rng = seeded("operator-tree")
    counted = Counter[str]()
    for _ in range(round(150 * SHARE)):
        grammar = random_grammar(rng, is_regular=True)
        assert not is_recursive(grammar)
        if rng.random() < 0.3:
            grammar = with_token_edges(rng, grammar, list(range(STOP)), 0.3)
        member = random_member(rng, grammar) or b"ab"
        data = rng.choice([member, mutate(rng, member)])
        counted["all"] += 1
        counted["long"] += len(data) > 1
        if difference(grammar, data):
            smallest = shrink(grammar, lambda candidate, data=data: difference(candidate, data) is not None)
            pytest.fail(f"\n{write_ebnf(smallest)}\n{data!r}\n{difference(smallest, data)}")
    assert counted["long"] > counted["all"] / 4 or SHARE < 1


def test_counted_parts():
    rng = seeded("operator-tree/counted")
    parts = ['("a" | "aa")', '("aa" | "aaa")', '("a" "b"?)', "[ab]", '("a"? "b"?)', '"é"', '("a"{1,2} "<"?)']
    for _ in range(round(80 * SHARE)):
        body = rng.choice(parts)
        for _ in range(rng.choice([1, 1, 2])):
            least = rng.randint(0, 6)
            bounds = rng.choice([f"{{{least},{least + rng.randint(0, 7)}}}", f"{{{least},}}", f"{{{least}}}", "?"])
            after = rng.choice(["", ' "<"?', ' "b"'])
            body = f"({body}{bounds}{after})"
        text = f'root ::= {body} "."?'
        data = bytes(rng.choice(b"aaaab<") for _ in range(12))
        assert (tree_difference(text) or walk_difference(text, data)) is None, text


def random_text_with_ends(rng: random.Random) -> str:
    """A grammar with dispatches and lazy rules."""
    waits = [
        'TagDispatch(("<a", x), ("<b>", y))',
        'TagDispatch(("<a", x), stop_str=">", loop_after_dispatch=false)',
        'TagDispatch(("aé", y), excludes=("b"), stop_eos=false, loop_after_dispatch=false)',
        "TokenTagDispatch((3, x), (4, y), excludes=5)",
        "TokenTagDispatch((3, x), loop_after_dispatch=false)",
        "z",
    ]
    roots = ["{0}", '"a" {0} "b"', '({0} ";"){1,3}', 'x | {0} "1"', "{0} y {0}"]
    lazies = ['[^<]* "<"', '"a"+ "b"?', 'x "<" | "a"', '[ab]{1,4} ">"']
    text = f"root ::= {rng.choice(roots)}\n".replace("{0}", rng.choice(waits))
    return text + f'x ::= "a" | "b"{{2}}\ny ::= [ab]* ";"\nz[lazy] ::= {rng.choice(lazies)}'


def test_texts_with_ends():
    rng = seeded("operator-tree/ends")
    for _ in range(round(80 * SHARE)):
        text = random_text_with_ends(rng)
        data = bytes(rng.choice(b"<<ab>;1\xc3\xa9") for _ in range(10))
        assert (tree_difference(text) or walk_difference(text, data)) is None, text


def test_tokens_taken_whole():
    """A token may be read by its bytes and cross a token edge: both are positions of one text."""
    rng = seeded("operator-tree/tokens")
    n_tokens = 0
    for _ in range(round(60 * SHARE)):
        grammar = with_token_edges(rng, random_grammar(rng, is_regular=True), list(range(STOP)), 0.4)
        text = write_ebnf(grammar)
        if (compiled := compiled_of(text)) is None:
            continue
        reader, matcher = Operators(build(*parse_with_options(text))), xgr.GrammarMatcher(compiled)
        for _ in range(6):
            assert summary_of_engine(matcher.active_operators()) == summary(reader.active), text
            if not (allowed := [token for token in matcher.allowed_tokens() if token != STOP]):
                break
            token = rng.choice(allowed)
            n_tokens += 1
            assert matcher.accept_token(token)
            assert reader.push_token(token, VOCABULARY[token])
            if rng.random() < 0.2:
                matcher.rollback(1)
                reader.pop(1)
    assert n_tokens > 40 or SHARE < 1
