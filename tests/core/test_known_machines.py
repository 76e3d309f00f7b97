"""Machines known from other grammars are those that would be made: programs are equal, places and names included."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, random_any_order, random_grammar, seeded, write_ebnf
from tests.refusals import Outcomes, refusal_mistake
from xg2lab.errors import GrammarError, LimitError
from xg2lab.reference.ebnf import parse_ebnf

TOKENS = [b"a", b"b", b"</s>"]
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[2])


def program_of(text: str, **options: Any) -> dict[str, Any]:
    grammar = xgr.Grammar.from_ebnf(text)
    compiler = xgr.GrammarCompiler(INFO, cache_enabled=False, options=xgr.EngineOptions(**options))
    return compiler.compile_grammar(grammar).program()


ALIKE = [
    'root ::= x y   x ::= "a" y | "b" y   y ::= [0-9]+ "é" x?',
    'root ::= y x   y ::= [0-9]+ "é" x?   x ::= "a" y | "b" y',
    'root ::= p q r   p ::= "a" q | "b" q   q ::= [0-9]+ "é" p?   r ::= "a" p | "b" q',
    'root ::= "a" | "b"   # another place\n',
    'root ::=    "a"|"b"',
    'root ::= x{0,500} y{3,700}   x ::= [ab]   y ::= "(" x{0,500} ")"',
    'root ::= AnyOrder(x, y?, sep=",")   x ::= "a" z   y ::= "b" z   z ::= "c"+ | "d"{0,900}',
    'root ::= x | y   x ::= Token(0) | Token(1) "a"   y ::= ExcludeToken(0) y | ""',
    'root ::= x y   x ::= Regex("[^]", json_string=true)* "b"   y ::= Regex("a(?!b)|b.*")',
    'root ::= TagDispatch(("<a>", x), stop_eos=true, loop_after_dispatch=true)   x ::= [a-z]* "</a>"',
    'root ::= x   x[max_chars=9] ::= [a-z]* "é"?   y[lazy] ::= "a"* "b"',
    'root ::= x{0,0} "a"   x ::= "b"{0,900}',
]


@pytest.mark.parametrize("text", ALIKE)
@pytest.mark.parametrize("reduction", [{}, {"minimize": False}, {"determinize": False}])
def test_programs_are_as_if_nothing_were_known(text: str, reduction: dict[str, bool]):
    made = program_of(text, cross_grammar_cache=False, **reduction)
    for _ in range(3):  # a shape is noted, remembered, found
        assert program_of(text, **reduction) == made


def test_random_grammars_and_their_like():
    rng = seeded("known machines")
    outcomes = Outcomes()
    for _ in range(round(150 * SHARE)):
        text = random_any_order(rng) if rng.random() < 0.4 else write_ebnf(random_grammar(rng))
        longer = text.replace("root ::=", "first ::= root\nroot ::=") + '\nlast ::= "a"'  # other numbers and places
        try:
            made = [program_of(text, cross_grammar_cache=False), program_of(longer, cross_grammar_cache=False)]
        except LimitError:
            outcomes["too large"] += 1
            continue
        except GrammarError as error:
            outcomes["empty"] += 1
            assert refusal_mistake(parse_ebnf(text), xgr.EngineOptions(), error) is None, text
            continue
        outcomes["compared"] += 1
        for _ in range(3):
            assert [program_of(text), program_of(longer)] == made, text
    outcomes.require("compared", 0.8)


def test_a_limit_holds_for_known_machines_too():
    text = 'root ::= ("abc" | "abd" | [x-z]){20}'
    for _ in range(3):
        program_of(text)
    with pytest.raises(LimitError, match="more than 30 states"):
        program_of(text, max_fsm_states=30)


def test_threads_share_what_is_known():
    texts = [f'root ::= x "{i % 5}"   x ::= "a" [b-{"cdefg"[i % 5]}]* | "{i % 5}" x' for i in range(40)]
    expected = {text: program_of(text, cross_grammar_cache=False) for text in texts}
    wrong: list[str] = []

    def compile_all() -> None:
        for text in texts:
            if program_of(text) != expected[text]:
                wrong.append(text)

    threads = [threading.Thread(target=compile_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
