"""Templates with spelling="tokens": text comes as the tokenizer writes it, in no other tokens.

The law, and random templates: tests/differential/test_instances.py. Twin: xg2lab/reference/template.py.
"""

from __future__ import annotations

import copy
import json
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.core.test_serialization_hostile import REFUSALS, mutated, set_value, signed
from tests.generators import SHARE, seeded
from xg2lab.errors import (
    ArgumentError,
    ArgumentTypeError,
    DeserializeFormatError,
    GrammarError,
    LimitError,
    TemplateArgumentError,
    UnsupportedError,
    VocabularyError,
    Xg2LabError,
)

#: text tokens, half a character, a special token that has the bytes of a tag, the stop token
VOCAB = [b"a", b"b", b"ab", b"<", b"p", b">", b"<p", b"<p>", b"</", b"</p>", b"b<", b"b</p>", b"\xc3", b"<s>", b"</s>"]
A, B, AB, LESS, P, MORE, LESS_P, OPEN, SLASH, CLOSE, B_LESS, B_CLOSE, HALF, S, STOP = range(15)
INFO = xgr.TokenizerInfo(VOCAB, stop_token_ids=[STOP], special_token_ids=[S])
PARSERS = [xgr.EngineOptions(), xgr.EngineOptions(parser="pda"), xgr.EngineOptions(parser="operators")]
with_parsers = pytest.mark.parametrize("options", PARSERS, ids=["earley", "pda", "operators"])


def longest(text: str) -> list[int]:
    """The longest token at each place, as a tokenizer writes text."""
    data, ids = text.encode(), list[int]()
    while data:
        token = max((t for t in range(STOP) if t != S and data.startswith(VOCAB[t])), key=lambda t: len(VOCAB[t]))
        ids.append(token)
        data = data[len(VOCAB[token]) :]
    return ids


def spelled(text: str, encode: Any = longest, **facts: Any) -> xgr.Template:
    return xgr.Template.from_ebnf(text, spelling="tokens", encode=encode, **facts)


def compiled(template: xgr.Template, options: Any = None) -> xgr.CompiledTemplate:
    return xgr.GrammarCompiler(INFO, options=options).compile_template(template)


def matcher_of(text: str, options: Any = None, encode: Any = longest, **arguments: Any) -> xgr.GrammarMatcher:
    return xgr.GrammarMatcher(compiled(spelled(text, encode), options).instantiate(**arguments))


def written(text: str, encode: Any = longest, **arguments: Any) -> str:
    return str(spelled(text, encode).write_out(**arguments))


def masks(matcher: xgr.GrammarMatcher, *tokens: int) -> list[list[int]]:
    """The mask before each token and after the last."""
    found: list[list[int]] = []
    for token in [*tokens, None]:
        found.append(matcher.allowed_tokens())
        assert token is None or matcher.accept_token(token)
    return found


# ---- The language of a template in tokens ----


@with_parsers
def test_static_text_has_one_spelling_and_no_token_crosses_its_edge(options: Any):
    text = 'root ::= "<p>" [ab]+ "</p>"'
    assert masks(matcher_of(text, options), OPEN, B, CLOSE) == [[OPEN], [A, B, AB], [A, B, AB, CLOSE], [STOP]]
    bytewise = xgr.GrammarMatcher(xgr.GrammarCompiler(INFO, options=options).compile_grammar(text))
    assert masks(bytewise, OPEN, B)[0::2] == [[LESS, LESS_P, OPEN], [A, B, AB, LESS, SLASH, CLOSE, B_LESS, B_CLOSE]]


@with_parsers
def test_the_encoder_says_which_tokens(options: Any):
    ids = {"<p>": [LESS_P, MORE], "</p>": [SLASH, P, MORE]}
    text = 'root ::= "<p>" "</p>"'
    assert masks(matcher_of(text, options, ids.__getitem__), LESS_P, MORE, SLASH, P, MORE) == [
        [LESS_P], [MORE], [SLASH], [P], [MORE], [STOP]
    ]  # fmt: skip


@with_parsers
def test_texts_of_arguments_come_in_their_tokens(options: Any):
    text = 'root ::= Each($xs, x, "<")   x ::= $t OneOf($ts)'
    arguments = {"xs": [{"t": "abab", "ts": ["a<p>", "a", "a<"]}, {"t": "", "ts": ["p", "p"]}]}
    matcher = matcher_of(text, options, **arguments)
    assert masks(matcher, AB, AB, A, OPEN, LESS, P) == [[AB], [AB], [A], [LESS, OPEN], [LESS], [P], [STOP]]
    assert written(text, **arguments) == (
        "root ::= x.xs.0 Token(3) x.xs.1\n"
        "x.xs.0 ::= (Token(2) Token(2)) (Token(0) Token(7) | Token(0) | Token(0) Token(3))\n"
        'x.xs.1 ::= "" (Token(4) | Token(4))\n'
    )


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ('("a" | "b")* "ab"{2}', {}, "(Token(0) | Token(1))* Token(2){2}"),
        ('If($b, "a", "b")', {"b": False}, "Token(1)"),
        ('"a"{$n}', {"n": 2}, "Token(0){2}"),
        ('"" "abp"', {}, '"" (Token(2) Token(4))'),
        ("[a] Regex('ab')", {}, '[a] "ab"'),
        ('Use($g) "a"', {"g": xgr.Grammar.from_ebnf('root ::= "a"')}, "g.root Token(0)"),
        ('Token("<s>", 1) "p"', {}, 'Token(1, "<s>") Token(4)'),
        ("$$x OneOf($$y)", {"x": "p", "y": ["ab"]}, "Token(4) Token(2)"),
        ("'p' x  x ::= 'a' (= '<' $x)", {"x": "p"}, "Token(4) x"),
    ],
)
def test_what_is_spelled(body: str, arguments: dict[str, Any], expected: str):
    assert written(f"root ::= {body}", **arguments).splitlines()[0] == f"root ::= {expected}"


def test_lookaheads_are_spelled_too():
    assert "x ::= Token(0) (= Token(3) Token(4))" in written("root ::= x '<' $x   x ::= 'a' (= '<' $x)", x="p")
    assert spelled("root ::= x '<' $x   x ::= 'a' (= '<' $x)").write_out(x="p").diagnostics == []
    found = spelled("root ::= x '<' $x   x ::= 'a' (= '<p' $x)").write_out(x="p").diagnostics
    assert [d.code for d in found] == ["lookahead_not_kept"]


@with_parsers
def test_watched_texts_stay_bytes(options: Any):
    text = 'root ::= TagDispatch(("<p>", body))   body ::= "a" $x "b"'
    matcher = matcher_of(text, options, x="ab")
    assert matcher.accept_token(B_LESS)
    assert matcher.accept_token(P)
    assert matcher.accept_token(MORE)
    assert masks(matcher, A, AB, B)[:3] == [[A], [AB], [B]]
    assert "TagDispatch" in written(text, x="ab")


@with_parsers
def test_members_in_any_order(options: Any):
    text = 'root ::= AnyOrder(a, b?, sep="<p")   a ::= "ab" $x   b ::= "b" [b]*   separator ::= "a"'
    assert written(text, x="p").splitlines()[0] == "root ::= AnyOrder(a, b?, sep=separator_1)"
    if options.parser == "operators":
        ready = compiled(spelled(text), options).instantiate(x="p")
        assert masks(xgr.GrammarMatcher(ready), B, B, LESS_P, AB, P)[3:] == [[AB], [P], [STOP]]
        return
    assert masks(matcher_of(text, options, x="p"), B, B, LESS_P, AB, P) == [
        [B, AB], [B, LESS_P], [B, LESS_P], [AB], [P], [STOP]
    ]  # fmt: skip


def test_a_rule_of_parts_reads_bytes():
    text = """
root ::= "<p>" body $x "</p>"
body[parts=pair] ::= [ab]+
pair ::= left "b"
left[capture] ::= $y | "ab"
"""
    matcher = matcher_of(text, x="p", y="a")
    for token in (OPEN, AB, P, CLOSE):
        assert matcher.accept_token(token)
    assert matcher.get_captures() == [("left", b"a")]
    assert '"b"' in written(text, x="p", y="a")


@with_parsers
def test_a_special_token_may_spell_text(options: Any):
    matcher = matcher_of('root ::= "<s>" $x', options, lambda text: [S] if text == "<s>" else longest(text), x="<s>")
    assert masks(matcher, S, S) == [[S], [S], [STOP]]


def test_text_is_forced_without_an_encoder():
    matcher = matcher_of('root ::= "<p>" $x Token("<s>") "ab" [ab]', x="pp<")
    assert matcher.find_forced_tokens() == [OPEN, P, P, LESS, S, AB]
    assert matcher.find_jump_forward_string() == ""


def test_the_encoder_is_called_once_for_each_text():
    asked: list[str] = []

    def encode(text: str) -> list[int]:
        asked.append(text)
        return longest(text)

    template = spelled('root ::= "a" "p" "a" "" Each($xs, x, "p")   x ::= $t OneOf($ts) "a"', encode)
    assert asked == ["a", "p"]
    asked.clear()
    ready = compiled(template)
    assert asked == []
    ready.instantiate(xs=[{"t": "b", "ts": ["b", "a", ""]}, {"t": "a", "ts": ["<"]}])
    assert asked == ["b", "a", "<"]


@pytest.mark.parametrize("as_ids", [tuple, np.array, lambda ids: iter(ids)], ids=["tuple", "array", "iterator"])
def test_ids_are_any_integers(as_ids: Callable[[list[int]], Any]):
    assert masks(matcher_of('root ::= "ab" $x', encode=lambda text: as_ids(longest(text)), x="p"), AB, P)[2] == [STOP]


# ---- Instances ----


def test_states_of_static_text_are_known_after_the_first_request():
    ready = compiled(spelled('root ::= Each($xs, x)   x ::= "<p>" $t "<" [ab]+ "</p>"'))
    for i, name in enumerate(["a", "ab", "pp"]):
        matcher = xgr.GrammarMatcher(ready.instantiate(xs=[{"t": name}]))
        n_built = 0
        for token in (OPEN, *longest(name), LESS, B, CLOSE):
            bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
            matcher.fill_next_token_bitmask(bitmask)
            n_built += matcher.last_fill()["n_built"] * all(e["state"] < ready.n_states for e in matcher.mask_entries())
            assert matcher.accept_token(token)
        assert (n_built > 0) == (i == 0)


def test_an_instance_that_calls_itself_is_linked():
    ready = compiled(spelled("root ::= t   t ::= If($b, t $x, $x $y)"))
    matcher = xgr.GrammarMatcher(ready.instantiate(b=False, x="p", y="b"))
    assert matcher.explain(token_id=A)["expected_tokens"][0]["argument"] == "/x"
    with pytest.raises(GrammarError):
        ready.instantiate(b=True, x="p", y="b")


def test_an_explanation_names_the_argument_of_a_token():
    ready = compiled(spelled('root ::= Each($xs, x)   x ::= "<p>" $id OneOf($kinds) $$end'))
    matcher = xgr.GrammarMatcher(ready.instantiate(xs=[{"id": "ab", "kinds": ["a", "p"]}], end="b"))
    expected: list[list[tuple[str, str | None]]] = []
    for token in (OPEN, AB, A, B):
        why = matcher.explain(token_id=SLASH)
        assert not why["allowed"]
        expected.append([(edge["tokens"], edge.get("argument")) for edge in why["expected_tokens"]])
        assert matcher.accept_token(token)
    assert expected == [
        [("Token(7)", None)],
        [("Token(2)", "/xs/0/id")],
        [("Token(0)", "/xs/0/kinds"), ("Token(4)", "/xs/0/kinds")],
        [("Token(1)", "/end")],
    ]


def test_operators_show_slots_of_spelled_texts():
    ready = compiled(spelled('root ::= "<p>" $x'))
    rows = ready.instantiate(x="abp").operators().operators
    writes = [(row.label, row.slot, row.argument) for row in rows if row.kind == "Write"]
    assert writes == [("Write Token(7)", None, None), ("Write Token(2)", "x", "/x"), ("Write Token(4)", "x", "/x")]


def test_an_instance_is_rolled_back_serialized_and_outlives_its_template():
    ready = compiled(spelled('root ::= "<p>" OneOf($xs) "</p>"'))
    grammar = ready.instantiate(xs=["ab", "ap", "b"])
    del ready
    text = grammar.serialize_json(include_masks=True)
    for each in (grammar, xgr.CompiledGrammar.deserialize_json(text, INFO)):
        matcher = xgr.GrammarMatcher(each)
        seen = masks(matcher, OPEN, A, P, CLOSE)
        assert seen == [[OPEN], [A, B, AB], [P], [CLOSE], [STOP]]
        matcher.rollback(3)
        assert masks(matcher.fork(), AB, CLOSE)[1:] == [[CLOSE], [STOP]]
        assert masks(matcher, B)[1] == [CLOSE]


def test_limits_hold_for_tokens_of_arguments():
    ready = compiled(spelled("root ::= $x OneOf($xs)"), xgr.EngineOptions(max_fsm_states=1000))
    with pytest.raises(LimitError):
        ready.instantiate(x="p" * 2000, xs=["a"])
    with pytest.raises(LimitError):
        ready.instantiate(x="p", xs=["a" * 2000, "b"])
    assert xgr.GrammarMatcher(ready.instantiate(x="p" * 500, xs=["a"])).find_forced_tokens() == [P] * 500 + [A]


def test_threads_instantiate_one_template():
    ready = compiled(spelled('root ::= "<p>" $x "</p>"'))
    wrong: list[str] = []

    def work(number: int) -> None:
        for i in range(40):
            text = "ab"[number % 2] * (i % 7) + "p"
            matcher = xgr.GrammarMatcher(ready.instantiate(x=text))
            if matcher.find_forced_tokens() != [OPEN, *longest(text), CLOSE]:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_encoder_may_instantiate_too():
    ready = compiled(spelled("root ::= $x"))

    def encode(text: str) -> list[int]:
        return xgr.GrammarMatcher(ready.instantiate(x=text)).find_forced_tokens()

    assert matcher_of("root ::= $x '<'", encode=encode, x="abp").find_forced_tokens() == [AB, P, LESS]


# ---- Mistakes ----


@pytest.mark.parametrize(
    ("facts", "kind", "words"),
    [
        ({"spelling": "tokens"}, ArgumentError, "needs an encoder"),
        ({"encode": longest}, ArgumentError, 'with spelling="tokens" only'),
        ({"spelling": "bytes", "encode": longest}, ArgumentError, 'with spelling="tokens" only'),
        ({"spelling": "token", "encode": longest}, ArgumentError, "spelling is 'token'"),
        ({"spelling": None}, ArgumentError, "spelling is None"),
        ({"spelling": ["tokens"]}, ArgumentError, r"spelling is \['tokens'\]"),
        ({"spelling": "tokens", "encode": {"a": [0]}}, ArgumentTypeError, "encode is a dict; wanted a callable"),
    ],
)
def test_spelling_and_encode_belong_together(facts: dict[str, Any], kind: type[Xg2LabError], words: str):
    with pytest.raises(kind, match=words):
        xgr.Template.from_ebnf('root ::= "a"', **facts)
    with pytest.raises(kind, match=words):
        xgr.Template.from_json_schema({"const": 1}, **facts)


def test_a_schema_has_no_static_text():
    assert xgr.Template.from_json_schema({"const": {"$slot": "x"}}, spelling="bytes").spelling == "bytes"
    with pytest.raises(UnsupportedError, match="a schema has none") as caught:
        xgr.Template.from_json_schema({"const": {"$slot": "x"}}, spelling="tokens", encode=longest)
    assert "EBNF" in str(caught.value)


ANSWERS: list[tuple[Any, str]] = [
    (None, "must be a list of token ids"),
    ("ab", "must be a list of token ids"),
    ([0.0, 1.0], "must be a list of token ids"),
    ([True], "must be a list of token ids"),
    ([2**70], "must be a list of token ids"),
    ([], "has no ids"),
    ([-1], "has the id -1, and ids are 0 to 2147483647"),
    ([2**31], "has the id 2147483648"),
]


@pytest.mark.parametrize(("answer", "words"), ANSWERS)
def test_answers_that_are_no_ids(answer: Any, words: str):
    with pytest.raises(VocabularyError) as caught:
        spelled('root ::= x "<p>" "ab" "<p>"   x ::= "p"', lambda text: longest(text) if text == "ab" else answer)
    assert [(d.code, d.span) for d in caught.value.diagnostics] == [
        ("misspelled_text", (11, 16)),
        ("misspelled_text", (36, 39)),
    ]
    assert all(words in d.message for d in caught.value.diagnostics)
    assert "add_special_tokens=False" in str(caught.value)
    template = spelled("root ::= $x", lambda text: answer)
    with pytest.raises(TemplateArgumentError, match=words):
        template.write_out(x="ab")
    with pytest.raises(
        TemplateArgumentError, match=r"must be a list|outside the vocabulary|has the bytes ``"
    ) as caught:
        compiled(template).instantiate(x="ab")
    assert caught.value.pointer == "/x"


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ([A], "has the bytes `a`"),
        ([A, B, STOP], "has the id 14, a token that no text holds"),
        ([A, B, 99], "has the id 99, which is outside the vocabulary of 15 tokens"),
        ([S, AB], "has the bytes `<s>ab`"),
    ],
)
def test_tokens_of_other_bytes_are_refused_where_the_vocabulary_is_known(ids: list[int], words: str):
    template = spelled('root ::= "p" x   x ::= "ab"', lambda text: ids if text == "ab" else longest(text))
    with pytest.raises(VocabularyError) as caught:
        compiled(template)
    assert [(d.code, d.span) for d in caught.value.diagnostics] == [("misspelled_text", (23, 27))]
    assert str(caught.value).startswith(f"encode(`ab`) {words}")
    ready = compiled(
        spelled("root ::= Each($xs, x)   x ::= $t OneOf($ts)", lambda text: ids if text == "ab" else longest(text))
    )
    with pytest.raises(TemplateArgumentError) as of_arguments:
        ready.instantiate(xs=[{"t": "p", "ts": ["p", "ab"]}, {"t": "ab", "ts": ["a"]}, {"t": 5, "ts": []}], more="ab")
    assert [(d.code, d.pointer) for d in of_arguments.value.diagnostics] == [
        ("misspelled_text", "/xs/0/ts/1"),
        ("misspelled_text", "/xs/1/t"),
        ("wrong_argument", "/xs/2/t"),
        ("empty_choice", "/xs/2/ts"),
        ("unknown_argument", "/more"),
    ]
    assert words in of_arguments.value.diagnostics[0].message
    assert [d.span for d in of_arguments.value.diagnostics[:2]] == [(39, 42), (30, 32)]
    assert xgr.GrammarMatcher(ready.instantiate(xs=[{"t": "p", "ts": ["b"]}])).find_forced_tokens() == [P, B]


def test_text_that_is_not_utf8_has_no_tokens():
    template = spelled("root ::= $x")
    for value in (b"\xc3", "\udcc3"):
        with pytest.raises(TemplateArgumentError, match="is not UTF-8"):
            template.write_out(x=value)


def test_what_an_encoder_raises_passes_through():
    def encode(text: str) -> list[int]:
        if text == "p":
            raise KeyError(text)
        return longest(text)

    with pytest.raises(KeyError):
        spelled('root ::= "p"', encode)
    ready = compiled(spelled('root ::= "a" $x', encode))
    with pytest.raises(KeyError):
        ready.instantiate(x="p")
    assert xgr.GrammarMatcher(ready.instantiate(x="b")).find_forced_tokens() == [A, B]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('root ::= x "a"   x[lazy] ::= [a]* "</" $t y   y ::= OneOf($ts)', ['"</"', "$t", "OneOf($ts)"]),
        ('root ::= x "a"   x[max_chars=3] ::= "b" | [a]', ['"b"']),
        ('root ::= x y   x[parts=y] ::= [a]*   y ::= "b" $t', ['"b"', "$t"]),
    ],
)
def test_text_where_no_token_edge_can_be(text: str, places: list[str]):
    with pytest.raises(UnsupportedError) as caught:
        spelled(text)
    assert [text[slice(*d.span)] for d in caught.value.diagnostics] == places
    assert all(d.code == "unsupported_spelling" and d.hint for d in caught.value.diagnostics)
    xgr.Template.from_ebnf(text)


def test_rules_without_text_keep_their_options():
    matcher = matcher_of('root ::= x "p"   x[lazy, capture] ::= [ab]* [b]')
    assert masks(matcher, A, AB, P)[1:] == [[A, B, AB], [P], [STOP]]
    assert matcher.get_captures() == [("x", b"aab")]


def test_mistakes_of_the_text_come_before_those_of_the_encoder():
    with pytest.raises(GrammarError, match="a list of texts here"):
        spelled('root ::= $x OneOf($x) "a"', lambda text: None)


# ---- Written down ----

ROWS = 'root ::= Each($xs, x, "p")   x ::= "<p>" $t [ab]* "</p>"'
REQUEST: dict[str, Any] = {"xs": [{"t": "ab"}, {"t": "p"}]}


def test_a_template_comes_back_with_the_ids_of_its_static_text():
    template = spelled(ROWS)
    text = template.serialize_json()
    assert json.loads(text)["template"]["spelling"] == [["p", [P]], ["<p>", [OPEN]], ["</p>", [CLOSE]]]
    again = xgr.Template.deserialize_json(text, encode=lambda text: [4] if text == "p" else longest(text))
    assert (again.spelling, again.slots, again.serialize_json()) == ("tokens", template.slots, text)
    assert str(again.write_out(**REQUEST)) == str(template.write_out(**REQUEST))
    without = xgr.Template.deserialize_json(text)
    for use in (without.write_out, compiled(without).instantiate):
        with pytest.raises(ArgumentError, match="was read without an encoder"):
            use(**REQUEST)
        use(xs=[{"t": ""}])


@pytest.mark.parametrize("include_masks", [False, True])
def test_a_compiled_template_comes_back(include_masks: bool):
    ready = compiled(spelled(ROWS))
    ready.make_masks()
    text = ready.serialize_json(include_masks=include_masks)
    again = xgr.CompiledTemplate.deserialize_json(text, INFO, encode=longest)
    assert again.serialize_json(include_masks=include_masks) == text
    assert again.template.spelling == "tokens"
    pair = [xgr.GrammarMatcher(each.instantiate(**REQUEST)) for each in (ready, again)]
    for token in (OPEN, AB, B, CLOSE, P, OPEN, P, CLOSE):
        assert pair[0].allowed_tokens() == pair[1].allowed_tokens()
        assert [matcher.accept_token(token) for matcher in pair] == [True, True]


def test_a_pickle_holds_the_encoder():
    template = spelled(ROWS)
    ready = compiled(template)
    for copied in (lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy):
        assert str(copied(template).write_out(**REQUEST)) == str(template.write_out(**REQUEST))
        assert copied(ready).instantiate(**REQUEST).n_states == ready.instantiate(**REQUEST).n_states
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(spelled(ROWS, lambda text: longest(text)))


def test_encoders_of_templates_in_bytes_are_refused():
    template = xgr.Template.from_ebnf(ROWS)
    for read, text in [
        (xgr.Template.deserialize_json, template.serialize_json()),
        (
            lambda t, encode: xgr.CompiledTemplate.deserialize_json(t, INFO, encode=encode),
            compiled(template).serialize_json(),
        ),
    ]:
        with pytest.raises(ArgumentError, match="needs no encoder"):
            read(text, encode=longest)
    with pytest.raises(ArgumentTypeError, match="wanted a callable"):
        xgr.Template.deserialize_json(spelled(ROWS).serialize_json(), encode=5)  # pyright: ignore[reportArgumentType]


CHANGES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (set_value("template", "spelling", {}), "/template/spelling"),
    (set_value("template", "spelling", None), "/template/spelling"),
    (set_value("template", "spelling", []), "/template"),
    (set_value("template", "spelling", 0, []), "/template/spelling/0"),
    (set_value("template", "spelling", 0, 0, 5), "/template/spelling/0"),
    (set_value("template", "spelling", 0, 0, "q"), "/template"),
    (set_value("template", "spelling", 0, 0, "\ud800"), "/template"),
    (set_value("template", "spelling", 1, 1, []), "/template/spelling/1"),
    (set_value("template", "spelling", 1, 1, [True]), "/template/spelling/1"),
    (set_value("template", "spelling", 1, 1, [-1]), "/template/spelling/1"),
    (set_value("template", "spelling", 1, 1, [2**31]), "/template/spelling/1"),
    (set_value("template", "spelling", 1, 1, [7.0]), "/template/spelling/1"),
    (set_value("template", "spelling", 1, 1, [99]), "/template"),
    (set_value("template", "spelling", 1, 1, [A]), "/template"),
    (set_value("template", "spelling", 1, 1, [STOP]), "/template"),
    (set_value("template", "text", ROWS.replace("</p>", "</s>")), "/template"),
    (set_value("template", "text", 'root ::= x   x[lazy] ::= "p"'), "/template"),
]


@pytest.mark.parametrize(("change", "pointer"), CHANGES)
def test_a_change_is_refused_at_its_place(change: Callable[[dict[str, Any]], None], pointer: str):
    record = json.loads(compiled(spelled(ROWS)).serialize_json())
    change(record)
    with pytest.raises(DeserializeFormatError) as caught:
        xgr.CompiledTemplate.deserialize_json(signed(record), INFO, encode=longest)
    assert caught.value.pointer == pointer
    assert caught.value.hint


def test_mutants_are_refused_or_work():
    rng = seeded("mutants of spelled templates")
    text = compiled(spelled(ROWS)).serialize_json()
    n_read = n_refused = 0
    for _ in range(round(300 * SHARE) + 40):
        record = json.loads(text)
        mutated(rng, rng.choice([record["template"], record["template"]["spelling"], record["options"], record]))
        try:
            again = xgr.CompiledTemplate.deserialize_json(signed(record), INFO, encode=longest)
        except (*REFUSALS, LimitError, ArgumentError):
            n_refused += 1
            continue
        n_read += 1
        try:
            instance = again.instantiate(**REQUEST)
        except Xg2LabError:
            continue
        assert xgr.GrammarMatcher(instance).allowed_tokens() == [OPEN] or again.template.spelling == "bytes"
    assert n_refused > n_read > 0
