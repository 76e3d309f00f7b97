"""White space in its context: masks of bounded runs of bytes, beside those of entries alone and of whole walks."""

from __future__ import annotations

import itertools

import pytest

import xg2lab as xgr
from tests.masks import mask_disagreements

WS = [" ", "\n", "\t"]
RUNS = ["".join(run) for n in range(1, 5) for run in itertools.product(WS, repeat=n)]
TAILS = ['"', '"a', '":', "{", "}", ",", "1", "x", '"}', "1}", '1 "', "1  }"]
TOKENS = [*WS, *TAILS, *(run + tail for run in RUNS for tail in ["", *TAILS]), " " * 9, " " * 9 + "1", " " * 12 + '"a']

# name: grammar, texts whose beginnings are asked
GRAMMARS = {
    "json_like": (
        r"""
        root ::= "{" ws pair (ws "," ws pair)* ws "}"
        pair ::= "\"" [a-z]* "\"" ws ":" ws ("1" | "\"" [a-z]* "\"" | root)
        ws ::= [ \n\t]{0,6}
        """,
        ['{  "a": {\n"":1   } , "x":   "a"      }', '{      "a":      1      }'],
    ),
    "at_least": (r'root ::= "{" [ \n]{2,5} "1" [ ]{0,3} "}"', ["{  \n1  }", "{     1   }"]),
    # What follows reads white space too: the bytes of a token may be either's.
    "two_runs": (r'root ::= "{" [ \n]{0,3} [ \t]{0,3} "1" ws "}"   ws ::= [ ]{0,2}', ["{ \n  1  }", "{   \t\t1 }"]),
    # And so does what stands beside.
    "beside": (r'root ::= "{" ([ ]{0,4} "1" | "  x" | "\n")   ', ["{   1", "{  x", "{\n"]),
    "several_counts": (r'root ::= ("{" | "{ " | "{  ") ws "1"   ws ::= [ ]{0,5}', ["{      1", "{ 1"]),
    "nested": (r'root ::= "{" (ws "1" ws ","){1,3} "}"   ws ::= [ \n]{0,4}', ["{ 1 ,1,    1    ,}"]),
    "recursive": (r'root ::= "{" ws root? ws "}"   ws ::= [ \n\t]{0,7}', ["{ {  }       }", "{}"]),
}


def allowed(matcher: xgr.GrammarMatcher) -> set[str]:
    bitmask = xgr.allocate_token_bitmask(1, len(TOKENS) + 1)
    matcher.fill_next_token_bitmask(bitmask)
    return {token for i, token in enumerate(TOKENS) if int(bitmask[0, i // 32]) >> (i % 32) & 1}


def masks(source: str, texts: list[str], **options: object) -> list[set[str]]:
    """What is allowed after each beginning of the texts."""
    info = xgr.TokenizerInfo([token.encode() for token in TOKENS] + [b"</s>"], stop_token_ids=[len(TOKENS)])
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options))  # type: ignore[arg-type]
    compiled = compiler.compile_grammar(source)
    found = []
    for text in texts:
        for end in range(len(text) + 1):
            matcher = xgr.GrammarMatcher(compiled)
            if not matcher.accept_string(text[:end]):
                break
            found.append(allowed(matcher))
    return found


@pytest.mark.parametrize("name", GRAMMARS)
def test_equal_to_entries_alone(name: str) -> None:
    source, texts = GRAMMARS[name]
    by_entries = masks(source, texts, counted_runs=False)
    assert len(by_entries) == sum(len(text) + 1 for text in texts)
    assert masks(source, texts) == by_entries
    assert masks(source, texts, context_walks="always") == by_entries


@pytest.mark.parametrize("name", GRAMMARS)
def test_mask_is_accept(name: str) -> None:
    source, texts = GRAMMARS[name]
    info = xgr.TokenizerInfo([token.encode() for token in TOKENS] + [b"</s>"], stop_token_ids=[len(TOKENS)])
    compiled = xgr.GrammarCompiler(info).compile_grammar(source)
    for text in texts:
        for end in range(len(text) + 1):
            matcher = xgr.GrammarMatcher(compiled)
            assert matcher.accept_string(text[:end])
            assert mask_disagreements(matcher) == []


def test_what_is_too_long_for_the_bound_is_taken_out() -> None:
    source, _ = GRAMMARS["at_least"]
    after_two, after_five = masks(source, ["{  ", "{     "])[3], masks(source, ["{     "])[-1]
    assert {" ", "   1", "  \n"} <= after_two
    assert not {"    ", "    1"} & after_two
    assert after_five == {"1", "1}", "1  }"}
