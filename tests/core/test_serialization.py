"""What is written down comes back the same: grammars, tokenizers, compiled grammars with and without their masks."""

import copy
import dataclasses
import json
import pickle
import random
from typing import Any

import pytest

import xg2lab as xgr
from tests.cases import load_cases
from tests.generators import SHARE, random_grammar, random_member, random_vocabulary, seeded, write_ebnf
from tests.refusals import Outcomes, refusal_mistake
from xg2lab.compiler import CompiledGrammar
from xg2lab.errors import DeserializeFormatError
from xg2lab.reference.ebnf import parse_ebnf

N_GRAMMARS = round(60 * SHARE)
SWITCHES = [field.name for field in dataclasses.fields(xgr.EngineOptions) if field.type in ("bool", bool)]
OPTIONS: dict[str, xgr.EngineOptions] = {
    "all-on": xgr.EngineOptions(),
    "all-off": dataclasses.replace(xgr.EngineOptions(), **dict.fromkeys(SWITCHES, False)),
    **{f"no-{name}": dataclasses.replace(xgr.EngineOptions(), **{name: False}) for name in SWITCHES},
    "all-counted": xgr.EngineOptions(repetition_threshold=0),
    "pda": xgr.EngineOptions(parser="pda"),
    "pda-all-counted": xgr.EngineOptions(parser="pda", repetition_threshold=0),
}
CASES = load_cases()
INFO = xgr.TokenizerInfo([b"a", b"b", b"ab", b"ba", b"aa", b"x", b"</s>"], stop_token_ids=[6])


def compile_or_refuse(text: str, info: xgr.TokenizerInfo, options: xgr.EngineOptions) -> CompiledGrammar | None:
    """None: the grammar is refused, and by the twins it has to be."""
    compiled = error = None
    try:
        compiled = xgr.GrammarCompiler(info, options=options).compile_grammar(text)
    except xgr.Xg2LabError as refusal:
        error = refusal
    mistake = refusal_mistake(parse_ebnf(text), options, error)
    assert mistake is None, f"{text}\n{mistake}"
    return compiled


def read_again(compiled: CompiledGrammar, *, include_masks: bool = False) -> CompiledGrammar:
    text = compiled.serialize_json(include_masks=include_masks)
    return CompiledGrammar.deserialize_json(text, compiled.tokenizer_info)


def assert_same_walk(one: CompiledGrammar, other: CompiledGrammar, rng: random.Random, n_tokens: int = 8) -> None:
    """The same masks, forced texts and ends, token by token."""
    a, b = xgr.GrammarMatcher(one), xgr.GrammarMatcher(other)
    for _ in range(n_tokens):
        allowed = a.allowed_tokens()
        assert allowed == b.allowed_tokens()
        assert a.is_completed() == b.is_completed()
        assert a.find_jump_forward_string() == b.find_jump_forward_string()
        if not allowed:
            return
        token = rng.choice(allowed)
        assert a.accept_token(token)
        assert b.accept_token(token)
        if a.is_terminated():
            assert b.is_terminated()
            return


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_case_comes_back(options: xgr.EngineOptions):
    rng = seeded("serialization")
    n_read = 0
    for case in CASES:
        info = xgr.TokenizerInfo(case.vocabulary, stop_token_ids=[case.stop_token])
        compiled = compile_or_refuse(case.grammar, info, options)
        if compiled is None:
            continue
        again = read_again(compiled)
        n_read += 1
        assert again.program() == compiled.program(), case.name
        assert again.serialize_json() == compiled.serialize_json(), case.name
        assert again.options == options
        assert str(again.grammar) == str(compiled.grammar)
        assert str(again.optimized_grammar) == str(compiled.optimized_grammar)
        assert_same_walk(compiled, again, rng)
        with_masks = read_again(compiled, include_masks=True)  # the walk made some
        assert with_masks.serialize_json(include_masks=True) == compiled.serialize_json(include_masks=True), case.name
        assert_same_walk(compiled, with_masks, rng)
        for data in case.accepts:
            assert xgr.GrammarMatcher(again).accept_string(data), (case.name, data)
    assert n_read == len(CASES) if options.parser == "earley" else n_read > 0.8 * len(CASES)


def test_random_grammars_come_back():
    rng = seeded("serialization of random grammars")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS):
        grammar = random_grammar(rng)
        text = write_ebnf(grammar)
        members = [m for m in (random_member(rng, grammar) for _ in range(6)) if m]
        vocabulary = [*random_vocabulary(rng, members or [b"ab"]), b"</s>"]
        info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[len(vocabulary) - 1])
        compiled = compile_or_refuse(text, info, rng.choice(list(OPTIONS.values())))
        outcomes["refused" if compiled is None else "read again"] += 1
        if compiled is None:
            continue
        assert_same_walk(compiled, read_again(compiled), rng)
        assert_same_walk(compiled, read_again(compiled, include_masks=True), rng)
        assert parse_ebnf(str(read_again(compiled).grammar)).rules.keys() == parse_ebnf(text).rules.keys()
    outcomes.require("read again", 0.7)


def test_masks_in_each_form_come_back_and_are_not_made_again():
    vocabulary = [bytes([a, b]) for a in b"abcdefghijklmnop" for b in range(97, 123)] + [b"</s>"]
    info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[len(vocabulary) - 1])
    compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(cross_grammar_cache=False))
    forms = {
        'root ::= "abcd"': "accepted_list",
        "root ::= [a-z]*": "rejected_list",
        "root ::= [a-h] [a-z] [a-z]*": "bitset",
    }
    for text, form in forms.items():
        compiled = compiler.compile_grammar(text)
        allowed = xgr.GrammarMatcher(compiled).allowed_tokens()
        masks = json.loads(compiled.serialize_json(include_masks=True))["masks"]
        assert form in [row[1] for row in masks], text
        again = read_again(compiled, include_masks=True)
        matcher = xgr.GrammarMatcher(again)
        assert [entry["storage"] for entry in matcher.mask_entries()] == [form]
        assert matcher.allowed_tokens() == allowed
        assert [entry["build_us"] for entry in matcher.mask_entries()] == [0]  # it was not built here
        assert "masks" not in json.loads(compiled.serialize_json())


def test_explanations_have_the_same_words():
    text = 'root ::= TagDispatch(("ab", r), stop_str=("x")) r ::= "b"{1,100} "a"'
    compiled = xgr.GrammarCompiler(INFO).compile_grammar(text)
    one, other = (xgr.GrammarMatcher(c) for c in (compiled, read_again(compiled)))
    for token in (0, 1, 1, 1):
        for t in range(7):
            told, again = one.explain(t), other.explain(t)
            assert {**told, "entry": None} == {**again, "entry": None}  # an entry says how long it took
        assert one.accept_token(token)
        assert other.accept_token(token)


@pytest.mark.parametrize("k", [2, "auto"])
def test_masks_are_made_ahead_after_reading_too(k: Any):
    options = xgr.EngineOptions(partial_jit_k=k)
    compiled = xgr.GrammarCompiler(INFO, options=options).compile_grammar('root ::= "a" "b"* "x"')
    again = read_again(compiled)
    assert again.options == options
    assert (again.jit_progress() is None) == (compiled.jit_progress() is None)
    assert_same_walk(compiled, again, seeded("ahead"))


def test_all_three_have_the_version_that_is_told():
    compiled = xgr.GrammarCompiler(INFO).compile_grammar('root ::= "a"')
    for text in (compiled.serialize_json(), compiled.grammar.serialize_json(), INFO.serialize_json()):
        assert str(json.loads(text)["__VERSION__"]) == xgr.get_serialization_version()


def test_equal_objects_have_equal_texts():
    text = 'root ::= [ab]+ x | x [a]{3,99} x ::= "x" | x "a"'
    one, other = (xgr.GrammarCompiler(INFO).compile_grammar(text) for _ in range(2))
    assert one is not other
    assert one.serialize_json() == other.serialize_json()
    assert (
        one.tokenizer_info.serialize_json()
        == xgr.TokenizerInfo.deserialize_json(INFO.serialize_json()).serialize_json()
    )


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies(copied: Any):
    compiled = xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(tail_calls=False)).compile_grammar(
        'root ::= "a"* "b"'
    )
    again = copied(compiled)
    assert again is not compiled
    assert again.options == compiled.options
    assert xgr.GrammarMatcher(again).allowed_tokens() == xgr.GrammarMatcher(compiled).allowed_tokens()
    assert copied(INFO).vocabulary.content_hash == INFO.vocabulary.content_hash
    grammar = xgr.Grammar.from_ebnf('root ::= "é" | "\\xff"')
    assert copied(grammar).expressions() == grammar.expressions()
    assert copied([compiled, compiled])[0].tokenizer_info.vocab_size == 7


def test_another_tokenizer_is_refused_with_the_differences():
    text = xgr.GrammarCompiler(INFO).compile_grammar('root ::= "a"').serialize_json()
    same = xgr.TokenizerInfo([*INFO.decoded_vocab], stop_token_ids=[6])
    assert CompiledGrammar.deserialize_json(text, same).tokenizer_info is same
    larger = xgr.TokenizerInfo([*INFO.decoded_vocab], vocab_size=9, stop_token_ids=[5, 6])
    with pytest.raises(DeserializeFormatError) as caught:
        CompiledGrammar.deserialize_json(text, larger)
    assert caught.value.pointer == "/tokenizer"
    assert str(caught.value) == (
        "/tokenizer: the grammar was compiled for a tokenizer of other contents: vocab_size was 7 and is 9; "
        "n_text_tokens was 6 and is 5; stop_token_ids was [6] and is [5, 6]\n"
        "  hint: pass the tokenizer info it was compiled with, or compile the grammar for this one"
    )
    others = xgr.TokenizerInfo([b"b", b"a", *INFO.decoded_vocab[2:]], stop_token_ids=[6])
    with pytest.raises(DeserializeFormatError, match="as many tokens, of other bytes or kinds"):
        CompiledGrammar.deserialize_json(text, others)
