"""A token has one colour: the mechanism that WhyCard names and the provenance that MaskLens paints agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.ui.scripted import vocabulary
from xg2lab import EngineOptions, GrammarCompiler, GrammarMatcher, TokenizerInfo

WHY_PARTS = Path(__file__).parents[2] / "widgets/src/views/why_card/parts.tsx"
OPTIONS = [
    EngineOptions(rule_inlining=False),
    EngineOptions(),
    EngineOptions(parser="pda"),
    EngineOptions(context_walks="always"),
    EngineOptions(context_expansion=False, context_walks="never", cross_grammar_cache=False),
]
GRAMMARS = {
    "calls": r"""root ::= "[" item ("," item)* "]"
item ::= string | number
string ::= "\"" [^"\\]* "\""
number ::= [0-9]+
""",
    "members": """root ::= AnyOrder(first?, second?)
first ::= "a=" [0-9]+ ";"
second ::= "b=" [a-z]+ ";"
""",
}


def codes_of_mechanisms() -> dict[str, int]:
    """The table by which WhyCard chooses a glyph."""
    found = re.search(r"CODE_OF[^{]*\{([^}]*)\}", WHY_PARTS.read_text(encoding="utf-8"))
    assert found
    return {name: int(code) for name, code in re.findall(r"(\w+): (\d)", found[1])}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_the_mechanism_of_each_token_has_the_colour_of_its_provenance(grammar: str, options: EngineOptions) -> None:
    code_of = codes_of_mechanisms()
    info = TokenizerInfo(vocabulary(700, seed=94), vocab_size=700, stop_token_ids=[692])
    matcher = GrammarMatcher(GrammarCompiler(info, options=options).compile_grammar(GRAMMARS[grammar]))
    seen: set[str] = set()
    for byte in (b"[", b"1", b",", b'"', b"x", b'"') if grammar == "calls" else (b"b=", b"x", b";", b"a=", b"7"):
        for token, code in enumerate(matcher.provenance()):
            why = matcher.explain(token)
            seen.add(why["mechanism"])
            assert code_of[why["mechanism"]] == code, (token, why["mechanism"], why["reason"])
        assert matcher.accept_string(byte)
    assert {"accepted_by_cache", "rejected_by_cache"} <= seen
    expands = options.context_expansion
    if expands and (grammar == "members" or not options.rule_inlining):
        assert "rejected_by_lookahead" in seen
