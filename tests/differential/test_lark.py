"""Random Lark grammars: what the engine accepts, the twin accepts, and Lark itself where it is installed.

One direction only, as the engine may accept less where a competing terminal could only begin to match on
(docs/design/0020-lark.md); how much less is bounded here.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import GrammarError
from xg2lab.grammar import Grammar
from xg2lab.reference.lark import LarkGrammar, Terminal

COMPILER = xgr.GrammarCompiler(xgr.TokenizerInfo([*(bytes([byte]) for byte in b"abcd "), b"</s>"], stop_token_ids=[5]))
LEXERS = ("contextual", "basic", "dynamic", "dynamic_complete")
# Named terminals and texts of a small world, in which the longest match is what Lark's own order
# of patterns gives.
PATTERNS = ["[ab]+", "a+", "b+c?", "[abc]", "c[ab]*c", "ca?", "ab*"]
TEXTS = ["a", "b", "ab", "ba", "aa", "c"]
IGNORED = [[], [" "], ["[ d]+"], ["d[abc ]*", " "]]
N_GRAMMARS = int(40 * SHARE) or 1
WORDS = ["".join(word) for n in range(5) for word in itertools.product("abc d", repeat=n)]


class Case:
    """A random grammar, as Lark writes it and as the twin takes it."""

    def __init__(self, rng: random.Random) -> None:
        patterns, texts = rng.sample(PATTERNS, rng.randint(1, 2)), rng.sample(TEXTS, rng.randint(1, 2))
        priorities = [rng.choice([0, 0, 0, 1, -1]) for _ in patterns]
        self.terminals = {f"P{i}": Terminal(p, priority=priorities[i]) for i, p in enumerate(patterns)}
        self.terminals |= {f"T{i}": Terminal(text, is_text=True) for i, text in enumerate(texts)}
        names = list(self.terminals)
        self.rules = {
            rule: [rng.choices([*names, *later], k=rng.randint(1, 3)) for _ in range(rng.randint(1, 2))]
            for rule, later in (("start", ["x"]), ("x", []))
        }
        if rng.random() < 0.5:
            self.rules["start"].append([rng.choice(names), "start"])
        self.ignored = rng.choice(IGNORED)
        self.terminals |= {f"I{i}": Terminal(pattern) for i, pattern in enumerate(self.ignored)}

    def text(self) -> str:
        lines = [f"{name}: " + " | ".join(" ".join(row) for row in rows) for name, rows in self.rules.items()]
        for name, terminal in self.terminals.items():
            priority = f".{terminal.priority}" if terminal.priority else ""
            body = f'"{terminal.pattern}"' if terminal.is_text else f"/{terminal.pattern}/"
            lines.append(f"{name}{priority}: {body}")
        return "\n".join(lines + [f"%ignore I{i}" for i in range(len(self.ignored))])

    def twin(self, lexer: str) -> LarkGrammar:
        ignored = [f"I{i}" for i in range(len(self.ignored))]
        used = {part for row in itertools.chain(self.rules["start"], self.rules["x"]) for part in row}
        rules = self.rules if "x" in used else {"start": self.rules["start"]}
        used = {part for rows in rules.values() for row in rows for part in row} | set(ignored)
        terminals = {name: terminal for name, terminal in self.terminals.items() if name in used}
        return LarkGrammar(rules, terminals, ignored=ignored, lexer=lexer, alphabet="abcd ", reach=3)


def engine(text: str, lexer: str) -> tuple[Callable[[str], bool], bool] | None:
    """A judge of texts, and whether a warning says that Lark may read something else. Nothing: no text is accepted."""
    try:
        grammar = Grammar.from_lark(text, lexer=lexer)
    except GrammarError as error:
        assert [d.code for d in error.diagnostics] == ["never_matches"]
        return None
    compiled = COMPILER.compile_grammar(grammar)

    def accepts(word: str) -> bool:
        matcher = xgr.GrammarMatcher(compiled)
        return matcher.accept_string(word) and matcher.is_completed()

    return accepts, any(d.code in ("terminals_overlap", "text_cut") for d in grammar.diagnostics)


def compared_with_twin(rng: random.Random, n_grammars: int, lexer: str) -> tuple[int, int]:
    """How many words both accept, and how many the twin alone; the engine alone accepts none."""
    n_both = n_less = 0
    for _ in range(n_grammars):
        case = Case(rng)
        found = engine(case.text(), lexer)
        twin = case.twin(lexer)
        for word in WORDS[:31] + rng.sample(WORDS[31:], 100):
            mine = found is not None and found[0](word)
            other = twin.accepts(word)
            assert other or not mine, (case.text(), lexer, word)
            n_both += mine
            n_less += other and not mine
    return n_both, n_less


@pytest.mark.parametrize("lexer", LEXERS)
def test_engine_accepts_what_the_twin_accepts(lexer: str) -> None:
    compared_with_twin(seeded(f"lark twin {lexer}"), N_GRAMMARS, lexer)


@pytest.mark.parametrize("lexer", LEXERS)
def test_hardly_less_is_accepted_than_by_the_twin(lexer: str) -> None:
    """The same thing, but where parts of a terminal are kept together. Of the same grammars each time: a share of few
    random words says nothing."""
    n_both, n_less = compared_with_twin(random.Random("lark twin"), 150, lexer)
    assert n_both > 300
    assert n_less * 20 <= n_both + n_less


ENDS = ["c", "a?b", "[bc]", "b*c", "ab|b", "cc?"]


@pytest.mark.parametrize("option", ["suffix", "stop"])
def test_captures_are_the_ways_to_part_a_match(option: str) -> None:
    """By definition: the body is the longest beginning for which body and end both match, the ends are all that do."""
    rng = seeded(f"lark captures {option}")
    n_captured = n_several = 0
    for _ in range(max(40, N_GRAMMARS)):
        body, end = rng.choice(PATTERNS), rng.choice(ENDS)
        text = f'start: o\no[capture]: (x "d")+\nx[capture, {option}=/{end}/, stop_capture="e"]: /{body}/'
        judge = engine(text, "contextual")
        compiled = COMPILER.compile_lark(text)
        for word in WORDS[:200]:
            if judge is None or not judge[0](word + "d") or "d" in word:
                continue
            ways = [n for n in range(len(word)) if re.fullmatch(body, word[:n]) and re.fullmatch(end, word[n:])]
            matcher = xgr.GrammarMatcher(compiled)
            matcher.accept_string(word + "d")
            found = matcher.get_captures()
            assert [data.decode() for name, data in found if name == "x"] == [word[: max(ways)]], (text, word)
            assert {data.decode() for name, data in found if name == "e"} == {word[n:] for n in ways}, (text, word)
            around = word + "d" if option == "suffix" else word[: min(ways)] + "d"
            assert ("o", around.encode()) in found, (text, word)
            n_captured += 1
            n_several += len(ways) > 1
    assert n_captured > 20
    print(f"{n_captured} matches, {n_several} of them in several ways")


class Conflicts:
    """Notes that Lark's LALR analysis settles a conflict by itself: then Lark is no judge of the lexer.

    Stands in for the analysis's logger. A handler of `lark.logger` is not enough: what another test did to logging in
    the same process (a level that was looked up once is remembered) decides whether it hears anything.
    """

    def __init__(self) -> None:
        self.seen = False

    def debug(self, message: str, *parts: object) -> None:
        self.seen = self.seen or "conflict" in message

    warning = debug


@pytest.fixture
def conflicts(monkeypatch: pytest.MonkeyPatch) -> Conflicts:
    if importlib.util.find_spec("lark") is None:
        pytest.skip("lark is not installed: pip install lark")
    conflicts = Conflicts()
    monkeypatch.setattr("lark.parsers.lalr_analysis.logger", conflicts)
    return conflicts


def test_a_conflict_that_lark_settles_is_noted(conflicts: Conflicts) -> None:
    lark: Any = importlib.import_module("lark")
    lark.Lark('start: "a" "b"', parser="lalr")
    assert not conflicts.seen
    lark.Lark('start: x "a" | "a" start\nx: "a"', parser="lalr")
    assert conflicts.seen


def compared_with_lark(rng: random.Random, n_grammars: int, lexer: str, conflicts: Conflicts) -> tuple[int, int]:
    """How many words both accept, and how many Lark alone; the engine alone accepts none."""
    lark: Any = importlib.import_module("lark")
    n_both = n_less = 0
    for _ in range(n_grammars):
        text = Case(rng).text()
        conflicts.seen = False
        try:
            parser = lark.Lark(text, parser="earley" if "dynamic" in lexer else "lalr", lexer=lexer)
        except lark.exceptions.LarkError:
            continue
        found = engine(text, lexer)
        if conflicts.seen or found is None or found[1]:
            continue
        for word in WORDS[:31] + rng.sample(WORDS[31:], 100):
            try:
                parser.parse(word)
                other = True
            except lark.exceptions.LarkError:
                other = False
            mine = found[0](word)
            assert other or not mine, (text, lexer, word)
            n_both += mine
            n_less += other and not mine
    return n_both, n_less


@pytest.mark.parametrize("lexer", LEXERS)
def test_lark_accepts_what_the_engine_accepts(lexer: str, conflicts: Conflicts) -> None:
    n_grammars = 3 * N_GRAMMARS
    n_both, _ = compared_with_lark(seeded(f"lark itself {lexer}"), n_grammars, lexer, conflicts)
    assert n_both > n_grammars / 4  # words; else nearly every grammar was left out


@pytest.mark.parametrize("lexer", LEXERS)
def test_little_less_is_accepted_than_by_lark(lexer: str, conflicts: Conflicts) -> None:
    n_both, n_less = compared_with_lark(random.Random("lark itself"), 200, lexer, conflicts)
    assert n_both > 100
    assert n_less * 10 <= n_both + n_less
