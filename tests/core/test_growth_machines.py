"""Machines grow with the grammar: shapes whose subsets, epsilon closures or pairs of parts would grow with its square.

What grows is counted (states, edges, parts of lowering that took place), never timed.
Twin: xg2lab/reference/earley.py judges the languages.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import LimitError
from xg2lab.reference.earley import parse
from xg2lab.reference.ebnf import parse_ebnf

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def compiled(grammar: Any, **options: Any) -> tuple[xgr.CompiledGrammar, dict[str, tuple[int, int]]]:
    """The grammar, compiled, and the states before and after each part of lowering."""
    options = {"cross_grammar_cache": False} | options
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=xgr.EngineOptions(**options))
    with compiler.record_cache_events():
        made = compiler.compile_grammar(grammar)
    events = compiler.cache_events()
    parts = {e.name: e.states for e in events if e.kind == "pass" and e.inside == "lower" and e.name and e.states}
    return made, parts


def random_words(n: int, letters: str = "abcdef") -> list[str]:
    rng = seeded("growth of machines")
    words = set[str]()
    while len(words) < n:
        words.add("".join(rng.choices(letters, k=rng.randint(4, 9))))
    return sorted(words)


def keywords_apart(n: int) -> xgr.Grammar:
    return xgr.Grammar.from_regex(".*".join(f"k{i}" for i in range(n)))


def left_out(n: int) -> str:
    return "root ::= " + " ".join(f'"a{i}"?' for i in range(n))


def repeated(n: int) -> str:
    return "root ::= " + " ".join(f'"a{i}"*' for i in range(n))


def looped(n: int) -> str:
    rules = "\n".join(f'r{i} ::= "(" root ")" "{i}"' for i in range(n))
    return "root ::= (" + " | ".join(f"r{i}" for i in range(n)) + ")*\n" + rules


def looped_words(n: int) -> str:
    """What may follow a word begins with letters that may be the word's own: no subset construction ends soon."""
    rules = "\n".join(f'w{i} ::= [ ]? "key{i}" [a-z]*' for i in range(n))
    return "root ::= (" + " | ".join(f"w{i}" for i in range(n)) + ")*\n" + rules


def listed_words(n: int) -> str:
    """The same as a list whose separator may be empty."""
    rules = "\n".join(f'w{i} ::= "key{i}" [a-z]*' for i in range(n))
    return "root ::= word ([ ]? word)*\nword ::= " + " | ".join(f"w{i}" for i in range(n)) + "\n" + rules


def minima(n: int) -> xgr.Grammar:
    items = [{"type": "integer", "minimum": i} for i in range(n)]
    return xgr.Grammar.from_json_schema({"type": "array", "prefixItems": items}, strict_mode=False)


SHAPES: list[Callable[[int], Any]] = [
    keywords_apart, left_out, repeated, looped, looped_words, listed_words, minima,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("determinize", [True, False])
def test_twice_the_grammar_is_twice_the_machine(shape: Callable[[int], Any], determinize: bool):
    sizes: list[tuple[int, int]] = []
    for n in (200, 400):
        program = compiled(shape(n), determinize=determinize)[0].program()
        sizes.append((len(program["states"]), len(program["edges"])))
    for once, twice in zip(*sizes, strict=True):
        assert twice < 2.5 * once, sizes


def test_a_construction_that_reads_much_to_make_little_is_given_up():
    for n in (200, 400):
        program, parts = compiled(keywords_apart(n))
        assert "remove_epsilon" in parts
        assert parts["determinize"][0] < n, "the machine of `.` alone"
        assert len(program.program()["states"]) < 40 * n
    # What is small stays deterministic, whatever it is.
    assert "remove_epsilon" not in compiled(keywords_apart(10))[1]


def test_nested_optional_parts_stay_deterministic():
    parts = compiled(minima(2000))[1]
    assert "determinize" in parts
    assert "remove_epsilon" not in parts


def test_texts_share_the_letters_that_they_begin_with():
    words = random_words(2000)
    texts = " | ".join(f'"{word}"' for word in words)
    letters = sum(len(word) for word in words)
    prefixes = {word[:n] for word in words for n in range(1, len(word) + 1)}
    _, parts = compiled(f"root ::= [a-f]* ({texts})", minimize=False)
    assert parts["thompson"][1] < len(prefixes) + 20 < letters / 1.3
    # Limits count the letters as they are written.
    with pytest.raises(LimitError, match="states"):
        compiled(f"root ::= [a-f]* ({texts})", max_fsm_states=letters - 1)


def test_edges_say_which_texts_go_along_them():
    """Along each beginning: the alternatives that have it."""
    rng = seeded("places of heads")
    for _ in range(round(60 * SHARE)):
        words = rng.sample(random_words(40, "ab"), rng.randint(4, 12))
        words += [word[: rng.randint(1, 3)] for word in words[:3]]
        words = list(dict.fromkeys(words))
        grammar = "root ::= " + " | ".join(f'"{word}" x' for word in words) + '\nx ::= "(" x ")" | "."'
        program = compiled(grammar, minimize=False)[0].program()
        edges = {(e["from"], low): e for e in program["edges"] for low, _ in e["ranges"]}
        start = next(rule for rule in program["rules"] if rule["name"] == "root")["start"]
        for word in words:
            at = start
            for n, letter in enumerate(word.encode(), 1):
                edge = edges[at, letter]
                named = {grammar[begin:end].strip('"') for begin, end in edge["spans"]}
                assert named == {other for other in words if other.startswith(word[:n])}, (grammar, word[:n])
                at = edge["to"]


def accepted(grammar: xgr.CompiledGrammar, text: bytes) -> bool:
    matcher = xgr.GrammarMatcher(grammar, terminate_without_stop_token=True)
    return matcher.accept_string(text) and matcher.is_completed()


@pytest.mark.parametrize("options", [{}, {"determinize": False}, {"minimize": False}, {"parser": "pda"}])
def test_languages_of_alternatives_with_heads(options: dict[str, Any]):
    rng = seeded(f"heads {options}")
    texts = [bytes(letters) for n in range(6) for letters in itertools.product(b"ab", repeat=n)]
    for _ in range(round(12 * SHARE)):
        heads = ["".join(rng.choices("ab", k=rng.randint(1, 3))) for _ in range(rng.randint(4, 8))]
        rests = ["", "", ' "a"*', " x", ' ("b" | "")', ' ("a" "b")*']
        choice = " | ".join(f'"{head}"{rng.choice(rests)}' for head in heads)
        around = rng.choice(["({})", "[ab]* ({})", "({})*", '"a" ({}) | "b" ({})', "({}) ({})?"])
        grammar = "root ::= " + around.replace("{}", choice) + '\nx ::= "a" x "b" | "b"'
        made, _ = compiled(grammar, **options)
        twin = parse_ebnf(grammar)
        for text in texts:
            chart = parse(twin, text)
            assert accepted(made, text) == (chart.is_alive and chart.is_complete()), (grammar, text)


@pytest.mark.parametrize("parser", ["earley", "pda"])
@pytest.mark.parametrize("shape", [left_out, repeated])
def test_languages_of_long_runs(shape: Callable[[int], str], parser: str):
    made, _ = compiled(shape(200), parser=parser)
    assert len(made.program()["rules"]) == 5
    rng = seeded(f"runs {parser}")
    for _ in range(30):
        chosen = rng.choices(range(200), k=6)
        text = "".join(f"a{i}" for i in chosen)
        # Read from the left each part is the first that fits: no number is the beginning of a
        # later one's rest here.
        stars = "*" if shape is repeated else "?"
        pattern = "".join(f"(?:a{i}){stars}" for i in range(200))
        assert accepted(made, text.encode()) == (re.fullmatch(pattern, text) is not None), text
        ordered = "".join(f"a{i}" for i in sorted(set(chosen)))
        assert accepted(made, ordered.encode())


def test_short_runs_stay_as_they_are():
    grammar = xgr.Grammar.from_ebnf(left_out(64))
    assert [name for name, _ in grammar.passes()][-1] == "fuse_literals"
    assert len(compiled(grammar)[0].program()["rules"]) == 1


def test_parts_that_all_follow_each_other_are_called():
    rules = "\n".join(f'r{i} ::= "(" root ")" "{i}"' for i in range(400))
    grammar = "root ::= (" + " | ".join(f"r{i}+" for i in range(400)) + ")*\n" + rules
    program = compiled(grammar, max_fsm_states=50_000)[0].program()
    assert len(program["edges"]) < 20 * 400


def test_pairs_of_parts_that_follow_each_other_within_one_machine_are_refused_by_name():
    """With `max_chars`, what a rule refers to is written into one machine, and nothing is called."""
    grammar = looped_words(400).replace("root ::=", "root[max_chars=30] ::= words\nwords ::=")
    with pytest.raises(LimitError) as raised:
        compiled(grammar, max_fsm_states=50_000)
    assert raised.value.diagnostics[0].code == "too_many_states"
    assert "max_fsm_states" in raised.value.diagnostics[0].hint


@pytest.mark.parametrize("shape", [looped_words, listed_words])
@pytest.mark.parametrize("parser", ["earley", "pda"])
def test_loops_that_call_their_parts_have_the_same_language(shape: Callable[[int], str], parser: str):
    """Many alternatives are called, few are not: both take the same texts, and masks say so."""
    few, many = shape(9), shape(400)
    matchers = [xgr.GrammarMatcher(compiled(text, determinize=False, parser=parser)[0]) for text in (few, many)]
    rules = [len(matcher.compiled_grammar.program()["rules"]) for matcher in matchers]
    assert rules[1] > rules[0], "the loop of many calls what it repeats"
    rng = seeded("loops that call")
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    for _ in range(round(200 * SHARE)):
        text = "".join(rng.choices(["key1", "key2 ", "key8", " ", "a", "k", "e", "key"], k=rng.randint(0, 6)))
        ends: list[tuple[int, bool]] = []
        for matcher in matchers:
            matcher.reset()
            n_read = 0
            for byte in text.encode():
                matcher.fill_next_token_bitmask(bitmask)
                is_allowed = bool(int(bitmask[0, byte // 32]) >> (byte % 32) & 1)
                assert matcher.accept_token(byte) == is_allowed, (text, n_read)
                if not is_allowed:
                    break
                n_read += 1
            ends.append((n_read, matcher.is_completed()))
        assert ends[0] == ends[1], text
