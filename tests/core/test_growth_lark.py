"""What the Lark reader does grows with the text: counted, never timed. What can't stay small ends with a LimitError."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest

import xg2lab as xgr
from xg2lab.errors import LimitError
from xg2lab.grammar import Grammar

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
N = 200
SPACES = '\n%ignore " "'


def names(n: int, prefix: str) -> list[str]:
    return [f"{prefix}{i}" for i in range(n)]


def words(n: int) -> list[str]:
    """Words of three letters and more, all different."""
    return ["".join(word) for word in itertools.islice(itertools.product("abcdefgh", repeat=4), 7, 7 * n + 7, 7)]


def random_words(n: int) -> list[str]:
    rng = random.Random(1)
    return ["".join(rng.choices("abcdefghijklmnop", k=9)) for _ in range(n)]


def a_chain_of_rules(n: int) -> str:
    return "start: r0\n" + "\n".join(f'r{i}: "a" r{i + 1} | "b"' for i in range(n)) + f'\nr{n}: "c"'


def a_chain_with_terminals(n: int) -> str:
    rules = "\n".join(f'r{i}: "a{i}" NAME r{i + 1} | "b{i}"' for i in range(n))
    return f'start: r0\n{rules}\nr{n}: "c"\nNAME: /[a-z]+/{SPACES}'


def rules_that_call_in_a_ring(n: int) -> str:
    return "start: r0\n" + "\n".join(f'r{i}: r{(i + 1) % n} | "b{i}"' for i in range(n))


def rules_side_by_side(n: int) -> str:
    return f"start: {' '.join(names(n, 'r'))}\n" + "\n".join(f'r{i}: "a" | "b"' for i in range(n))


def alternatives(n: int) -> str:
    return f"start: {' | '.join(names(n, 'r'))}\n" + "\n".join(f'r{i}: "a{i}"' for i in range(n)) + SPACES


def keywords_and_a_name(n: int) -> str:
    return "start: (" + " | ".join(f'"{word}"' for word in words(n)) + f" | NAME)+\nNAME: /[a-z]+/{SPACES}"


def patterns(n: int) -> str:
    return f"start: ({' | '.join(names(n, 'P'))})+\n" + "\n".join(f"P{i}: /k{i}x[a-z]+/" for i in range(n)) + SPACES


def texts_in_a_row(n: int) -> str:
    return "start: " + " ".join(f'"{word}"' for word in words(n))


def uses_of_a_template(n: int) -> str:
    return "start: " + " ".join(f'_sep{{"x{i}", ","}}' for i in range(n)) + "\n_sep{x, y}: x (y x)*"


def uses_with_rules(n: int) -> str:
    uses = " | ".join(f'_sep{{r{i}, ","}}' for i in range(n))
    return f"start: {uses}\n_sep{{x, y}}: x (y x)*\n" + "\n".join(f'r{i}: "x{i}"' for i in range(n))


def ranges_of_characters(n: int) -> str:
    patterns = "\n".join(f"P{i}: /[\\u{0x4E00 + 2 * i:04x}-\\u{0x4E00 + 2 * i + 2:04x}]x/" for i in range(n))
    return f"start: ({' | '.join(names(n, 'P'))})+\n{patterns}"


def ignored_words(n: int) -> str:
    return 'start: ("1" | "2")+\n' + "\n".join(f'%ignore "{word}"' for word in words(n))


SHAPES: list[Callable[[int], str]] = [
    a_chain_of_rules,
    a_chain_with_terminals,
    rules_that_call_in_a_ring,
    rules_side_by_side,
    alternatives,
    keywords_and_a_name,
    patterns,
    texts_in_a_row,
    uses_of_a_template,
    uses_with_rules,
    ranges_of_characters,
    ignored_words,
]


@pytest.mark.parametrize("lexer", ["contextual", "basic", "dynamic_complete"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_twice_as_long_is_twice_the_work(shape: Callable[[int], str], lexer: str) -> None:
    """Each counter: a tenth and some units more than twice, as words get longer and tries deeper."""
    small, large = (Grammar._lark_work(shape(n), lexer=lexer) for n in (N, 2 * N))  # pyright: ignore[reportPrivateUsage]
    assert small["nodes"] > N
    grown = {name: (small[name], large[name]) for name in small if large[name] > 2.2 * small[name] + 100}
    assert grown == {}


def test_many_keywords_and_a_name_are_what_few_are() -> None:
    """The lexer's machine is a trie: its meaning is that of two words."""
    n = 3000
    compiled = xgr.GrammarCompiler(INFO).compile_lark(keywords_and_a_name(n))
    first, last = words(n)[0], words(n)[-1]
    for text, is_accepted in ((first, True), (f"{first} {last}", True), (f"{first}x {last}y", True), ("1", False)):
        matcher = xgr.GrammarMatcher(compiled)
        assert (matcher.accept_string(text) and matcher.is_completed()) is is_accepted, text


def test_ignored_once_before_many() -> None:
    """What is ignored before many alternatives stands before all of them: whoever follows it follows one thing."""
    few, many = (str(Grammar.from_lark(patterns(n))) for n in (3, 30))
    assert few.count("ignored?") - 1 == 3  # the root has one at the end
    assert many.count("ignored?") - 1 == 1


LIMITED: dict[str, tuple[str, str]] = {
    "terminals-in-terminals": (
        "start: T0\n" + "\n".join(f'T{i}: "a" T{i + 1}' for i in range(300)) + '\nT300: "c"',
        "terminals refer to terminals more than 200 times",
    ),
    "terminals-that-double": (
        "start: T0\n" + "\n".join(f"T{i}: T{i + 1} T{i + 1}" for i in range(100)) + '\nT100: "c"',
        "needs a machine that is too large",
    ),
    "templates-that-double": (
        'start: u0{"a"}\n'
        + "\n".join(f'u{i}{{x}}: u{i + 1}{{(x "b")}} u{i + 1}{{(x "c")}}' for i in range(100))
        + "\nu100{x}: x",
        "templates make more than 20000 rules",
    ),
    "an-argument-at-many-places": (
        f'start: t{{({" ".join(["r"] * 4000)})}}\nt{{x}}: {" ".join(["x"] * 4000)}\nr: "a"',
        "keeping adjacent terminals apart needs too many copies",
    ),
    "large-terminals": (
        f"start: {' | '.join(names(1200, 'T'))}\n"
        + "\n".join(f'T{i}: "t{i}" BIG' for i in range(1200))
        + "\nBIG: "
        + " | ".join(f'"{word}"' for word in random_words(300)),
        "the machines of all terminals together are too large",
    ),
    "patterns-that-all-go-on": (
        f"start: ({' | '.join(names(100, 'P'))})+\n"
        + "\n".join(f"P{i}: /[a-h]*{word}[a-h]*/" for i, word in enumerate(words(100))),
        "distinguishing the terminals needs too large a machine|stopped while building the lexer's machine",
    ),
}


@pytest.mark.parametrize("name", LIMITED)
def test_what_doubles_ends_with_a_limit(name: str) -> None:
    """A table: the text, and what the error says. Each would take memory or time without end."""
    text, message = LIMITED[name]
    with pytest.raises(LimitError, match=message) as raised:
        Grammar.from_lark(text)
    assert all(diagnostic.hint for diagnostic in raised.value.diagnostics)


def test_terminals_in_terminals_up_to_the_limit() -> None:
    text = "start: T0\n" + "\n".join(f'T{i}: "a" T{i + 1}' for i in range(150)) + '\nT150: "c"'
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_lark(text))
    assert matcher.accept_string("a" * 150 + "c")
    assert matcher.is_completed()


def test_arguments_that_differ_in_their_chunks_only() -> None:
    """Two uses of a template are one rule where their arguments are equal, and substrings of two texts are not."""
    text = 'start: t{%regex {"substring_chunks": ["ab"]}} "," t{%regex {"substring_chunks": ["cd"]}}\nt{x}: "<" x ">"'
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_lark(text))
    assert matcher.accept_string("<ab>,<cd>")
    assert matcher.is_completed()


def test_names_that_are_not_defined_are_many() -> None:
    """The first mistakes are reported; nobody compares each with all names."""
    undefined = " ".join(names(3000, "u"))
    with pytest.raises(xgr.errors.GrammarError) as raised:
        Grammar.from_lark(f"start: {undefined}\n" + "\n".join(f'v{i}: "a"' for i in range(3000)))
    assert len(raised.value.diagnostics) == 200


UNCLOSED = ["start: " + "%json {" * 50_000, 'start: "a"\n' + "x{\n" * 50_000, 'start: "a"' + "\n?" * 50_000]


@pytest.mark.parametrize("text", UNCLOSED, ids=["braces", "parameters", "marks"])
def test_what_is_never_closed_is_looked_for_once(text: str) -> None:
    """Closing braces and colons are looked for ahead, and not from each place anew."""
    with pytest.raises(xgr.Xg2LabError) as raised:
        Grammar.from_lark(text + " (")
    assert raised.value.diagnostics
