"""Token edges as a user meets them: what they match, their mistakes, what is said of them, what goes back.

Twins: xg2lab/reference/token_sets.py, token_edges.py. At random: tests/differential/test_token_edges.py.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from tests.vocabularies import cwv_info
from xg2lab.compiler import CompiledGrammar
from xg2lab.errors import GrammarError
from xg2lab.grammar import Grammar

#: text, also such that is no UTF-8; two special tokens; one without bytes; the stop token; then an
#: id of padding
VOCAB = [b"a", b"b", b"ab", b"\xff", b"<s>", b"<e>", b"", b"</s>"]
A, B, AB, CUT, S, E, EMPTY, STOP, PADDING = range(9)
INFO = xgr.TokenizerInfo(VOCAB, stop_token_ids=[STOP], special_token_ids=[S, E], vocab_size=9)
PARSERS = [
    xgr.EngineOptions(),
    xgr.EngineOptions(parser="pda"),
    xgr.EngineOptions(parser="operators"),
    xgr.EngineOptions(cross_grammar_cache=False),
]
with_parsers = pytest.mark.parametrize("options", PARSERS, ids=["earley", "pda", "operators", "no-pool"])


def compiled(text: str, options: Any = None) -> Any:
    return xgr.GrammarCompiler(INFO, options=options).compile_grammar(text)


def matcher_of(text: str, options: Any = None, **facts: Any) -> Any:
    return xgr.GrammarMatcher(compiled(text, options), **facts)


def masks(matcher: Any, *tokens: int) -> list[list[int]]:
    """The mask before each token and after the last; every refused token is tried, too."""
    found: list[list[int]] = []
    for token in [*tokens, None]:
        found.append(matcher.allowed_tokens())
        for other in range(INFO.vocab_size):
            probe = matcher.fork()
            assert probe.accept_token(other) == (other in found[-1])
        if token is not None:
            assert matcher.accept_token(token)
    return found


# ---- What they match ----


@with_parsers
def test_exactly_one_token_of_the_set(options):
    assert masks(matcher_of(f'root ::= Token({S}, {A}, {S}) "b"', options), S, B) == [[A, S], [B], [STOP]]


@with_parsers
def test_all_but_some_includes_special_tokens_and_what_is_no_utf8(options):
    matcher = matcher_of(f'root ::= ExcludeToken({A}) "b"', options)
    assert masks(matcher, CUT, B) == [[B, AB, CUT, S, E], [B], [STOP]]
    assert masks(matcher_of("root ::= ExcludeToken()", options), A) == [[A, B, AB, CUT, S, E], [STOP]]


@with_parsers
def test_bytes_and_an_edge_live_on_together(options):
    text = f'root ::= ("a" x | Token({A}) y) "b"   x ::= "a"   y ::= Token({E})'
    matcher = matcher_of(text, options)
    assert masks(matcher, A) == [[A], [A, AB, E]]
    for way in (A, E):
        fork = matcher.fork()
        assert masks(fork, way, B) == [[A, AB, E], [B], [STOP]]


@with_parsers
def test_bytes_alone_never_cross_an_edge(options):
    matcher = matcher_of(f'root ::= Token({A}, {S}) | "ab"', options)
    assert not matcher.accept_string(b"<s>")
    assert matcher.accept_string(b"a")
    assert not matcher.is_completed()
    assert matcher.allowed_tokens() == [B]


@with_parsers
def test_repetitions_of_edges_are_counted(options):
    matcher = matcher_of(f"root ::= Token({S}){{50,60}}", options)
    for n in range(60):
        assert matcher.allowed_tokens() == [S] + [STOP] * (n >= 50)
        matcher.accept_token(S)
    assert matcher.allowed_tokens() == [STOP]
    matcher.rollback(11)
    assert matcher.allowed_tokens() == [S]


@with_parsers
def test_stop_tokens_of_one_matcher_are_no_ones_edge(options):
    matcher = matcher_of("root ::= ExcludeToken()*", options, override_stop_tokens=[A])
    assert masks(matcher, B) == [[A, B, AB, CUT, S, E]] * 2
    assert matcher.accept_token(A)
    assert matcher.is_terminated()


@with_parsers
def test_a_dispatch_of_tokens(options):
    text = f'root ::= TokenTagDispatch(({S}, x), ({A}, y), excludes=({CUT}))   x ::= "ab"   y ::= ""'
    free = [A, B, AB, S, E]
    assert masks(matcher_of(text, options), AB, S, A, B, E, A) == [
        [*free, STOP], [*free, STOP], [A, AB], [B], *[[*free, STOP]] * 3
    ]  # fmt: skip
    once = matcher_of(f'root ::= TokenTagDispatch(({S}, x), loop_after_dispatch=false)   x ::= "b"', options)
    assert masks(once, E, S, B) == [[A, B, AB, CUT, S, E, STOP]] * 2 + [[B], [STOP]]


def test_forced_text_ends_before_an_edge():
    matcher = matcher_of(f'root ::= "ab" Token({S}) "ab"')
    assert matcher.find_jump_forward_string() == "ab"
    matcher.accept_string(b"ab")
    assert matcher.find_jump_forward_string() == ""
    matcher.accept_token(S)
    assert matcher.find_jump_forward_string() == "ab"


# ---- Written and read ----


def test_they_are_printed_and_read_back():
    text = (
        "root ::= <[5]> !<[7]> TokenTagDispatch((1, x), (2, x), excludes=4) Token(9, 3, 9){2} (= Token(1))\n"
        'x ::= TokenTagDispatch((1, root), loop_after_dispatch=false) "a" ExcludeToken()'
    )
    printed = str(Grammar.from_ebnf(text))
    assert printed == (
        "root ::= Token(5) ExcludeToken(7) (ExcludeToken(1, 2, 4) | Token(1) x | Token(2) x)* Token(3, 9){2} "
        "(= Token(1))\n"
        'x ::= (ExcludeToken(1)* (Token(1) root)?) "a" ExcludeToken()\n'
    )
    assert str(Grammar.from_ebnf(printed)) == printed
    grammar = Grammar.from_ebnf(text)
    assert str(Grammar.deserialize_json(grammar.serialize_json())) == printed


MISTAKES = {
    "root ::= Token()": [(10, "empty_token_set", "this Token() names no token, so it never matches")],
    "root ::= Token(a)": [(16, "bad_macro_argument", "a token must be an id or a text")],
    'root ::= Token("", "\\xFF")': [
        (16, "bad_macro_argument", "a token's text must be valid UTF-8 and not empty"),
    ],
    "root ::= Token(2147483648)": [(16, "bad_token_id", "token id `2147483648` is too large")],
    "root ::= Token(1, more=2)": [(19, "bad_macro_argument", "Token has no argument `more`")],
    "root ::= TokenTagDispatch((1, root), (1, root))": [(39, "duplicate_tag", "token 1 is a trigger twice")],
    "root ::= TokenTagDispatch((1, root), excludes=(2, 1))": [
        (28, "excluded_trigger", "token 1 is a trigger and excluded")
    ],
    "root ::= TokenTagDispatch((a, root))": [
        (27, "bad_macro_argument", "a trigger must be a token and the name of a rule")
    ],
    'root ::= TokenTagDispatch(("<s>", root), ("<s>", root), excludes="<s>")': [
        (28, "excluded_trigger", "token `<s>` is a trigger and excluded"),
        (43, "duplicate_tag", "token `<s>` is a trigger twice"),
        (43, "excluded_trigger", "token `<s>` is a trigger and excluded"),
    ],
    "root ::= TokenTagDispatch((1, x))": [(31, "undefined_rule", "rule `x` is not defined")],
    # these need the vocabulary
    f'root ::= "a" Token({A}, 9)': [(23, "token_out_of_range", "token 9 is outside the vocabulary of 9 tokens")],
    "root ::= ExcludeToken(9)": [(23, "token_out_of_range", "token 9 is outside the vocabulary of 9 tokens")],
    "root ::= <[9]>": [(12, "token_out_of_range", "token 9 is outside the vocabulary of 9 tokens")],
    f"root ::= Token({STOP})": [(16, "stop_token_edge", "token 7 is a stop token: it ends the text")],
    f"root ::= Token({PADDING})": [
        (16, "padding_token_edge", "token 8 is padding: the tokenizer has no token there")
    ],
    f"root ::= Token({EMPTY})": [
        (16, "empty_token_edge", "token 6 has no bytes: it would leave no trace in the text")
    ],
    "root ::= ExcludeToken(0, 1, 2, 3, 4, 5)": [
        (10, "no_token_left", "this excludes every token of the vocabulary")
    ],
    'root ::= "é" Token("</s>")': [
        (20, "stop_token_edge", "token `</s>` is a stop token: it ends the text")
    ],
    'root ::= Token("<S>", "a", "<\\x65>x") | ExcludeToken("c")': [
        (16, "unknown_token", "the vocabulary has no token `<S>`"),
        (28, "unknown_token", "the vocabulary has no token `<e>x`"),
        (54, "unknown_token", "the vocabulary has no token `c`"),
    ],
    'root ::= ExcludeToken(0, "b", 2, 3, "<s>", "<e>", 5)': [
        (10, "no_token_left", "this excludes every token of the vocabulary")
    ],
    f'root ::= TokenTagDispatch((99, x), ({STOP}, x), excludes=(77)) x ::= "a"': [
        (28, "token_out_of_range", "token 99 is outside the vocabulary of 9 tokens"),
        (37, "stop_token_edge", "token 7 is a stop token: it ends the text"),
        (54, "token_out_of_range", "token 77 is outside the vocabulary of 9 tokens"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_have_places_and_remedies(text: str):
    with pytest.raises(GrammarError) as caught:
        compiled(text)
    found = [(d.column, d.code, d.message) for d in caught.value.diagnostics]
    assert found == MISTAKES[text]
    assert all(d.hint for d in caught.value.diagnostics)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("<S>", "did you mean `<s>`?"),
        ("</S>", "did you mean `</s>`?"),
        ("zzzz", "tokens are named by their exact text, spaces included"),
        (" ab", "did you mean `ab`?"),
    ],
)
def test_what_is_suggested_for_an_unknown_text(name: str, hint: str):
    with pytest.raises(GrammarError) as caught:
        compiled(f'root ::= "a" Token(0, "{name}")')
    found = caught.value.diagnostics[0]
    assert (found.code, found.hint) == ("unknown_token", hint)
    assert f'root ::= "a" Token(0, "{name}")'[slice(*found.span)] == f'"{name}"'
    tag = {"format": {"type": "token", "token": name}}
    with pytest.raises(xgr.Xg2LabError) as caught:
        xgr.GrammarCompiler(INFO).compile_structural_tag(tag)
    assert caught.value.diagnostics[0].hint == hint


# ---- Named by their texts ----

NAMED = 'root ::= Token("<s>", 1) ExcludeToken("<e>", "</s>") TokenTagDispatch(("<s>", x), excludes=("<e>"))\nx ::= "a"'
BY_ID = f'root ::= Token({S}, 1) ExcludeToken({E}) TokenTagDispatch(({S}, x), excludes=({E}))\nx ::= "a"'


@with_parsers
def test_a_token_may_be_named_by_its_text(options):
    tokens = (S, CUT, AB, S, A)
    assert masks(matcher_of(NAMED, options), *tokens) == masks(matcher_of(BY_ID, options), *tokens)


def test_all_tokens_of_a_text_are_meant():
    info = xgr.TokenizerInfo([b"a", b"<s>", b"b", b"<s>", b"</s>", b"b"], stop_token_ids=[4, 5], special_token_ids=[3])
    compiler = xgr.GrammarCompiler(info)
    assert xgr.GrammarMatcher(compiler.compile_grammar('root ::= Token("<s>")')).allowed_tokens() == [1, 3]
    # of two tokens of one text the stop token is left out
    assert xgr.GrammarMatcher(compiler.compile_grammar('root ::= Token("b")')).allowed_tokens() == [2]
    assert xgr.GrammarMatcher(compiler.compile_grammar('root ::= ExcludeToken("b")')).allowed_tokens() == [0, 1, 3]


def test_names_are_kept_until_a_vocabulary_is_known():
    printed = (
        'root ::= Token(1, "<s>") ExcludeToken("</s>", "<e>") (ExcludeToken("<e>", "<s>") | Token("<s>") x)*\n'
        'x ::= "a"\n'
    )
    grammar = Grammar.from_ebnf(NAMED)
    assert str(grammar) == printed
    assert str(Grammar.from_ebnf(printed)) == printed
    again = Grammar.deserialize_json(grammar.serialize_json())
    assert str(again) == printed
    assert again.expressions() == grammar.expressions()
    made = xgr.GrammarCompiler(INFO).compile_grammar(again)
    assert str(made.grammar) == printed
    assert "Token(1, 4)" in str(made.optimized_grammar)
    read = CompiledGrammar.deserialize_json(made.serialize_json(), INFO)
    assert str(read.grammar) == printed
    assert str(read.optimized_grammar) == str(made.optimized_grammar)
    other = xgr.TokenizerInfo([b"<e>", b"<s>", b"a", b"</s>"], stop_token_ids=[3], special_token_ids=[0, 1])
    assert "Token(1)" in str(xgr.GrammarCompiler(other).compile_grammar(again).optimized_grammar)
    both = Grammar.concat(grammar, Grammar.from_ebnf('root ::= Token("<e>")'))
    assert 'Token("<e>")' in str(both)


def test_mistakes_in_names_of_grammars_put_together_have_places():
    union = Grammar.union(Grammar.from_ebnf('root ::= "a"'), Grammar.from_ebnf('root ::= "bcd" Token("<S>")'))
    template = xgr.Template.from_ebnf("root ::= Use($g)")
    written = template.write_out(g=Grammar.from_ebnf('root ::= "' + "long" * 99 + '" Token("<S>")'))
    for grammar in (union, written):
        with pytest.raises(GrammarError, match="did you mean `<s>`") as caught:
            xgr.GrammarCompiler(INFO).compile_grammar(grammar)
        begin, end = caught.value.diagnostics[0].span
        assert 0 <= begin <= end <= len(caught.value.source or "")


def test_a_template_keeps_names():
    template = xgr.Template.from_ebnf('root ::= Each($xs, x)   x ::= Token("<s>") $t')
    written = template.write_out(xs=[{"t": "a"}, {"t": "b"}])
    assert str(written).count('Token("<s>")') == 2
    assert masks(xgr.GrammarMatcher(xgr.GrammarCompiler(INFO).compile_grammar(written)), S, A, S) == [
        [S], [A], [S], [B]
    ]  # fmt: skip


def test_a_lookahead_of_names_waits_for_its_vocabulary():
    grammar = Grammar.from_ebnf(f'root ::= x Token({S})   x ::= "a" (= Token("<s>"))')
    assert not grammar.diagnostics
    assert not xgr.GrammarCompiler(INFO).compile_grammar(grammar).optimized_grammar.diagnostics
    broken = Grammar.from_ebnf(f'root ::= x Token({E})   x ::= "a" (= Token("<s>"))')
    found = xgr.GrammarCompiler(INFO).compile_grammar(broken).optimized_grammar.diagnostics
    assert [diagnostic.code for diagnostic in found] == ["lookahead_not_kept"]


@pytest.mark.parametrize(
    "row", [[0, "<s>", 0, 3], [99, "<s>", 0, 3], ["0", "<s>", 0, 3], [1, "", 0, 3], [1, "<s>", 3, 999], [1, 5, 0, 3]]
)
def test_damaged_names_are_refused(row: list[Any]):
    tables = Grammar.from_ebnf('root ::= "a" Token("<s>")')._to_plain()  # pyright: ignore[reportPrivateUsage]
    assert tables["token_names"] == [(1, "<s>", 19, 24)]
    tables["token_names"] = [row]
    with pytest.raises((xgr.Xg2LabError, TypeError, ValueError)):
        Grammar._from_plain(tables)  # pyright: ignore[reportPrivateUsage]


def test_members_are_drawn_by_name():
    from xg2lab.language.members import sample_tokens

    assert sample_tokens('root ::= "ab" Token("<s>")', INFO, 1, seed=0) == [[AB, S]]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("root ::= x Token(5, 6)   x ::= Token(1) (= Token(5, 6, 7))", ""),
        ("root ::= x Token(5, 6)   x ::= Token(1) (= Token(5))", "Token(6)"),
        ("root ::= x ExcludeToken(5)   x ::= Token(1) (= ExcludeToken(5, 7))", "Token(7)"),
        ("root ::= x ExcludeToken(5, 7)   x ::= Token(1) (= ExcludeToken(7))", ""),
        ('root ::= x "a"   x ::= Token(1) (= Token(0))', '"a"'),
        ('root ::= x Token(0) "b"   x ::= "a" (= Token(0) "c")', '"Token(0)b"'),
    ],
)
def test_lookahead_assertions_know_token_edges(text: str, verdict: str):
    found = [d for d in Grammar.from_ebnf(text).diagnostics if "lookahead" in d.code]
    assert len(found) == bool(verdict)
    assert all(verdict in d.message for d in found)


# ---- Back and beside ----


@with_parsers
def test_tokens_go_back_and_come_again(options):
    text = f'root ::= (Token({S}) | "a" | ExcludeToken({A}, {S}) "b")*'
    rng = random.Random(3)
    matcher = matcher_of(text, options)
    seen = [matcher.allowed_tokens()]
    for _ in range(300):
        if len(seen) > 1 and rng.random() < 0.4:
            n = rng.randint(1, min(5, len(seen) - 1))
            matcher.rollback(n)
            del seen[-n:]
        else:
            matcher.accept_token(rng.choice([token for token in seen[-1] if token != STOP]))
            seen.append(matcher.allowed_tokens())
        assert matcher.allowed_tokens() == seen[-1]


@with_parsers
def test_a_draft_tree_crosses_edges(options):
    matcher = matcher_of(f'root ::= Token({S}) ("a" | Token({E})) "b"', options)
    tokens, child, sibling = [0, S, A, E, B, B], [1, 2, 4, 5, -1, -1], [-1, -1, 3, -1, -1, -1]
    bitmask = xgr.allocate_token_bitmask(6, INFO.vocab_size)
    matcher.traverse_draft_tree(
        np.array(child, np.int64), np.array(sibling, np.int64), np.array(tokens, np.int64), bitmask
    )
    rows = [[token for token in range(9) if np.asarray(bitmask)[row, 0] >> token & 1] for row in range(6)]
    assert rows == [[S], [A, AB, E], [B], [B], [STOP], [STOP]]


@with_parsers
@pytest.mark.parametrize("include_masks", [False, True])
def test_a_compiled_grammar_goes_and_comes_back(options, include_masks):
    made = compiled(f'root ::= Token({S}) x ExcludeToken({A}){{1,40}}   x ::= "ab" | Token({E})', options)
    path = (S, AB, CUT, E, B)
    expected = masks(xgr.GrammarMatcher(made), *path)
    text = made.serialize_json(include_masks=include_masks)
    again = CompiledGrammar.deserialize_json(text, INFO)
    assert again.serialize_json(include_masks=include_masks) == text
    assert masks(xgr.GrammarMatcher(again), *path) == expected
    assert again.program() == made.program()


def test_a_full_table_is_left_with_edges_in_the_history():
    matcher = matcher_of(f'root ::= (Token({S}) root | "a")*', xgr.EngineOptions(max_configuration_bytes=1))
    for _ in range(40):
        assert matcher.allowed_tokens() == [A, S, STOP]
        matcher.accept_token(S)
    matcher.rollback(39)
    assert matcher.allowed_tokens() == [A, S, STOP]


# ---- What is said of them ----


def test_the_chart_has_positions_in_bytes():
    matcher = matcher_of(f'root ::= ("ab" | Token({AB})) Token({S}) "b"')
    for token in (AB, S, B):
        matcher.accept_token(token)
    columns = matcher.chart()["columns"]
    assert [j for j, column in enumerate(columns) if column] == [0, 1, 2, 5, 6]
    assert {(source, operation) for _, _, operation, source, *_ in columns[2] if operation == 2} == {(1, 2), (0, 2)}
    assert [source for _, _, operation, source, *_ in columns[5] if operation == 2] == [2]
    matcher.rollback(2)
    matcher.accept_token(S)
    assert matcher.chart(3)["columns"] == columns[3:6]


def test_equal_bytes_by_other_tokens_are_another_chart():
    matcher = matcher_of(f'root ::= (Token({AB}) | "a" "b") "a"')
    matcher.accept_token(AB)
    assert [len(column) > 0 for column in matcher.chart()["columns"]] == [True, True, True]
    whole = matcher.chart()["columns"][2]
    matcher.rollback(1)
    assert matcher.accept_token(A)
    assert matcher.accept_token(B)
    assert matcher.chart()["columns"][2] != whole


def test_explanations_name_the_mechanism_the_rule_and_the_line():
    matcher = matcher_of(f'root ::= "a"* x\nx ::= "b" | Token({S}, {A})\n  | "b" Token({E})')
    said = {token: (matcher.explain(token)["mechanism"], matcher.explain(token)["reason"]) for token in (S, E, A)}
    place = f"Token({A}, {S}) in root (line 2)"
    assert said[S] == ("accepted_by_token_edge", f"The token is taken whole, whatever its bytes, by {place}.")
    assert said[E] == (
        "rejected_by_token_edge",
        f"A special token is taken whole, and this one is not taken by {place}.",
    )
    assert said[A][1].endswith(f"by {place}. Its bytes may come next as well.")
    assert matcher.explain(CUT)["expected_text"] == f"[ab] or Token({A}, {S})"
    matcher.accept_token(B)
    why = matcher.explain(A)
    assert (why["mechanism"], why["died_at"], why["expected_text"]) == ("rejected_by_token_edge", 0, f"Token({E})")
    assert [(e["rule_name"], e["line"], e["column"], e["tokens"]) for e in why["expected_tokens"]] == [
        ("root", 3, 9, f"Token({E})")
    ]
    assert matcher.explain(b"a")["reason"].endswith(f"expected Token({E}).")
    assert matcher.explain(PADDING)["mechanism"] == "padding"


def test_the_machine_and_the_masks_show_the_edge():
    made = compiled(f'root ::= "a" Token({S}) | ExcludeToken({S})')
    program = made.program()
    rules = {rule["name"]: rule for rule in program["rules"]}
    assert rules[f"Token({S})"]["tokens"] == {"ids": [S], "negated": False}
    edges = [(e["kind"], e["label"]) for e in program["edges"] if e["kind"] != "bytes"]
    assert sorted(edges) == sorted((kind, name) for kind in ("rule", "token") for name in rules if name != "root")
    matcher = xgr.GrammarMatcher(made)
    entry = next(e for e in matcher.mask_entries() if e["state"] == rules[f"ExcludeToken({S})"]["start"])
    assert (entry["n_accepted"], entry["n_rejected"], entry["n_uncertain"]) == (5, 1, 0)
    assert list(matcher.provenance()) == [1, 1, 1, 1, 4, 1, 7, 6, 7]


# ---- Real vocabularies ----

VISITS = max(2, round(12 * SHARE))


@pytest.mark.parametrize("name", ["o200k_harmony-201088", "mistral_spm_v3-32768", "tekken-131072"])
@pytest.mark.parametrize("options", PARSERS[:3], ids=["earley", "pda", "operators"])
def test_a_conversation_in_special_tokens(name: str, options: Any):
    """Channels opened and closed by special tokens, as in Harmony; masks are what accept_token takes."""
    info = cwv_info(name)
    vocab, stops = info.decoded_vocab, set(info.stop_token_ids)
    special = [t for t in info.special_token_ids if t not in stops and vocab[t]][:4]
    start, channel, message, call = special
    text = f"""
root ::= Token({start}) "assistant" Token({channel}) body
body ::= "final" Token({message}) [^]* | "commentary" Token({message}) calls
calls ::= TokenTagDispatch(({call}, args), excludes=({start}))
args ::= "{{" [a-z]* "}}"
"""
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(text))
    rng = seeded(f"harmony/{name}")
    assert matcher.allowed_tokens() == [start]
    for n in range(VISITS):
        allowed = set(matcher.allowed_tokens())
        for token in [
            *rng.sample(range(info.vocab_size), 3000),
            *special,
            *rng.sample(sorted(allowed), min(50, len(allowed))),
        ]:
            if is_taken := matcher.accept_token(token):
                matcher.rollback(1)
            assert is_taken == (token in allowed), (n, token, vocab[token])
        choices = sorted(allowed - stops)
        if not choices:
            break
        named = [token for token in special if token in allowed]
        matcher.accept_token(rng.choice(named if named and rng.random() < 0.6 else choices))
