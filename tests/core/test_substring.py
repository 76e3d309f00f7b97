"""Substring("a", "b", ...): every run of neighbouring chunks, and nothing else."""

import itertools
import json

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.errors import GrammarError
from xg2lab.grammar import Grammar
from xg2lab.reference.regex import substrings

INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
COMPILER = xgr.GrammarCompiler(INFO)


def ebnf(chunks: list[str]) -> str:
    return f"root ::= Substring({', '.join(json.dumps(chunk, ensure_ascii=False) for chunk in chunks)})"


def accepted(chunks: list[str], texts: list[str]) -> set[str]:
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar(ebnf(chunks)))
    found: set[str] = set()
    for text in texts:
        if matcher.accept_string(text):
            found |= {text} if matcher.is_completed() else set()
        matcher.reset()
    return found


def test_chunks_stay_whole():
    assert accepted(["a", "b", "{"], ["", "a", "ab", "b{", "ab{", "{", "a{", "ba", "aa"]) == {
        "", "a", "ab", "b{", "ab{", "{",
    }  # fmt: skip
    assert accepted(["ab", "cd"], ["", "a", "b", "ab", "cd", "abcd", "abc", "bc"]) == {"", "ab", "cd", "abcd"}
    assert accepted(["abc"], ["", "a", "bc", "abc"]) == {"", "abc"}
    assert accepted([], ["", "a"]) == accepted([""], ["", "a"]) == {""}
    assert accepted(["", "é", "", "😀"], ["é", "😀", "é😀", "😀é"]) == {"é", "😀", "é😀"}


def test_by_the_definition():
    rng = seeded("substring")
    texts = ["".join(text) for n in range(6) for text in itertools.product("ab", repeat=n)]
    for _ in range(max(1, round(120 * SHARE))):
        chunks = [rng.choice(["a", "b", "ab", "ba", "aab", ""]) for _ in range(rng.randint(1, 7))]
        assert accepted(chunks, texts) == substrings(chunks) & set(texts), chunks


def test_the_printed_form_parses_back():
    grammar = Grammar.from_ebnf(ebnf(['say "é"\n', "", "x\\"]) + ' "." Substring()')
    assert str(grammar) == 'root ::= Substring("say \\"é\\"\\n", "", "x\\\\") "." Substring()\n'
    assert str(Grammar.from_ebnf(str(grammar))) == str(grammar)
    assert Grammar.deserialize_json(grammar.serialize_json()).expressions() == grammar.expressions()


def test_a_long_row_is_linear():
    """Ten thousand chunks, all alike or all different: no more than two states for each, and for each byte."""
    for words in (["a"] * 10_000, [f"word{i} " for i in range(10_000)], [f"{i % 7}{i % 11} " for i in range(10_000)]):
        compiled = COMPILER.compile_grammar(ebnf(words))
        assert compiled.n_states <= 2 * sum(map(len, words)) + 1
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string("".join(words[5:8000]))
        assert matcher.is_completed()


def test_mistakes():
    with pytest.raises(GrammarError) as caught:
        Grammar.from_ebnf('root ::= Substring("a", 3, x, mode="c") Substring(("a", "b"))')
    assert [(d.column, d.code, d.message, d.hint) for d in caught.value.diagnostics] == [
        (25, "bad_macro_argument", "a chunk must be a text", 'write Substring("one ", "two")'),
        (28, "bad_macro_argument", "a chunk must be a text", 'write Substring("one ", "two")'),
        (31, "bad_macro_argument", "Substring has no argument `mode`", "Substring has no named arguments"),
        (51, "bad_macro_argument", "a chunk must be a text", 'write Substring("one ", "two")'),
    ]
