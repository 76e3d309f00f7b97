"""Operators on tokens: what they allow is what the definition says, and never more than the bytes allow.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples.
"""

import itertools
import random
import re
from typing import Any

import pytest

from tests.generators import (
    SHARE,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    with_token_edges,
    write_ebnf,
)
from tests.refusals import Outcomes
from xg2lab.reference.ebnf import Expression, Grammar, parse_ebnf
from xg2lab.reference.operators import OperatorError, Operators, build
from xg2lab.reference.options import parse_with_options
from xg2lab.reference.token_operators import Checkpoint, Encode, Reader, run, spelled, translate
from xg2lab.reference.token_sets import TokenSet


def greedy(vocabulary: list[bytes], special: frozenset[int] | set[int] = frozenset()) -> Encode:
    """The longest token first, as a tokenizer without merges would do it; what can't be spelled is left out."""

    def encode(text: bytes) -> list[int]:
        tokens: list[int] = []
        while text:
            fits = [t for t, data in enumerate(vocabulary) if data and t not in special and text.startswith(data)]
            if not fits:
                break
            tokens.append(max(fits, key=lambda t: len(vocabulary[t])))
            text = text[len(vocabulary[tokens[-1]]) :]
        return tokens

    return encode


def readers(text: str, vocabulary: list[bytes]) -> tuple[Reader, Operators]:
    """The last token of the vocabulary ends the text."""
    tree, stop = build(parse_ebnf(text)), {len(vocabulary) - 1}
    words = dict(enumerate(vocabulary))
    return Reader(translate(tree, words, stop_tokens=stop, encode=greedy(vocabulary)), words, stop), Operators(tree)


def byte_mask(reader: Operators, vocabulary: list[bytes]) -> set[int]:
    """What the bytes allow."""
    allowed = {t for t, data in enumerate(vocabulary[:-1]) if data and reader.can_take(t, data)}
    return allowed | ({len(vocabulary) - 1} if reader.is_complete() else set[int]())


# ---- What no token may do ----


def test_a_token_that_leaves_a_string_is_refused():
    vocabulary = [b'"', b"a", b".", b'."', b"</s>"]
    on_tokens, on_bytes = readers(r'root ::= "\"" [^"]* "\""', vocabulary)
    for token in (0, 1):
        assert on_tokens.accept(token)
        assert on_bytes.push_token(token, vocabulary[token])
    assert byte_mask(on_bytes, vocabulary) == {0, 1, 2, 3}
    assert on_tokens.mask() == {0, 1, 2}
    assert not on_tokens.accept(3)
    assert [on_tokens.accept(token) for token in (2, 0, 4)] == [True] * 3
    assert on_tokens.is_terminated
    assert on_tokens.mask() == set()


def test_static_text_has_one_spelling():
    vocabulary = [b"a", b"b", b"ab", b"</s>"]
    on_tokens, on_bytes = readers('root ::= "ab"', vocabulary)
    assert on_tokens.mask() == {2}
    assert byte_mask(on_bytes, vocabulary) == {0, 2}
    by_spelling = Operators(build(spelled(parse_ebnf('root ::= "ab"'), greedy(vocabulary))))
    assert byte_mask(by_spelling, vocabulary) == {2}


def test_a_character_in_pieces_is_in_no_set():
    vocabulary = [b"\xc3", b"\xa9", "é".encode(), b"a", b"</s>"]
    on_tokens, on_bytes = readers('root ::= [^"]+', vocabulary)
    assert on_tokens.mask() == {2, 3}
    assert byte_mask(on_bytes, vocabulary) == {0, 2, 3}


def test_bounded_text_is_counted_by_single_characters():
    vocabulary = [b"a", b"aa", b"</s>"]
    on_tokens, on_bytes = readers("root ::= [a-z]{2,3}", vocabulary)
    assert on_tokens.mask() == {0}
    assert byte_mask(on_bytes, vocabulary) == {0, 1}
    assert [on_tokens.accept(0), on_tokens.accept(0), on_tokens.mask()] == [True, True, {0, 2}]


# ---- By definition: a regular expression whose letters are tokens ----

WORDS = [b"a", b"b", b"c", b"d", b"ab", b"ca", b"aa", b"</s>"]
STOP = len(WORDS) - 1


def one_of(tokens: list[int]) -> str:
    return f"[{''.join(chr(0xE000 + token) for token in tokens)}]" if tokens else "(?!)"


def token_pattern(expression: Expression) -> str:
    """The paper's language on tokens: text as it is encoded, one token a character, any tokens of text in a loop."""
    match expression:
        case ("literal", text):
            return "".join(chr(0xE000 + token) for token in greedy(WORDS[:STOP])(text))
        case ("class", ranges):
            return one_of([t for t, data in enumerate(WORDS[:STOP]) if len(data) == 1 and in_class(data, ranges)])
        case ("repeat", ("class", ranges), least, None) if least <= 1:
            return one_of([t for t, data in enumerate(WORDS[:STOP]) if in_class(data, ranges)]) + "*+"[least]
        case ("repeat", part, least, most):
            return f"(?:{token_pattern(part)}){{{least},{'' if most is None else most}}}"
        case ("seq", parts):
            return "".join(map(token_pattern, parts))
        case ("choice", branches):
            return f"(?:{'|'.join(map(token_pattern, branches))})"
        case _:
            raise AssertionError(expression)


def in_class(data: bytes, ranges: Any) -> bool:
    return all(any(low <= byte <= high for low, high in ranges) for byte in data)


def random_expression(rng: random.Random, depth: int) -> Expression:
    if depth == 0:
        return rng.choice(
            [
                ("literal", rng.choice([b"a", b"b", b"c", b"c", b"d", b"d", b"ab", b"ca"])),
                ("class", ((97, rng.choice([97, 98])),)),
            ]
        )
    parts = [random_expression(rng, depth - 1) for _ in range(2)]
    bounds = rng.choice([(0, None), (1, None), (0, 1), (2, 2), (1, 2), (2, None)])
    return rng.choice(
        [("seq", tuple(parts)), ("seq", tuple(parts)), ("choice", tuple(parts)), ("repeat", parts[0], *bounds)]
    )


def compare_with_definition(grammar: Grammar) -> None:
    """All sequences of up to four tokens; an `OperatorError` if the paper has no operators for the grammar."""
    words = dict(enumerate(WORDS))
    program = translate(build(grammar), words, stop_tokens={STOP}, encode=greedy(WORDS[:STOP]))
    pattern = re.compile(token_pattern(grammar.rules["root"]))
    viable: set[tuple[int, ...]] = {()}
    for n_tokens in range(5):
        for tokens in itertools.product(range(STOP), repeat=n_tokens):
            reader = Reader(program, words, {STOP})
            if tokens[:-1] in viable and all(map(reader.accept, tokens)):
                viable.add(tokens)
            is_member = tokens in viable and STOP in reader.mask()
            expected = pattern.fullmatch("".join(chr(0xE000 + token) for token in tokens)) is not None
            assert is_member == expected, (write_ebnf(grammar), tokens)


def test_the_language_on_tokens_by_definition():
    rng = seeded("token-operators/definition")
    outcomes = Outcomes()
    for _ in range(round(200 * SHARE)):
        try:
            compare_with_definition(Grammar("root", {"root": random_expression(rng, rng.choice([1, 2, 3]))}))
            outcomes["compared"] += 1
        except OperatorError as error:
            assert error.code == "undecided"
            outcomes["undecided"] += 1
    outcomes.require("compared", 0.3)


@pytest.mark.parametrize("bounds", ["?", "*", "+", "{2}", "{1,2}", "{2,}", "{0,2}", "{3}"])
@pytest.mark.parametrize("body", ['"b"', '"b" "a"?', '"b" "a"*', '"b" [a]*', '("b" | "d" "a"?)', '"ca"'])
def test_repetitions_know_what_follows_them(body: str, bounds: str):
    compare_with_definition(parse_ebnf(f'root ::= ({body}){bounds} "c"'))
    compare_with_definition(parse_ebnf(f'root ::= ({body}){bounds} "c"?'))


# ---- Never more than the bytes allow ----


def test_tokens_allow_no_more_than_spelled_text_and_that_no_more_than_bytes():
    rng = seeded("token-operators/subset")
    outcomes = Outcomes()
    n_refused = {"by operators": 0, "by spelling": 0}
    for _ in range(round(500 * SHARE)):
        letters = rng.sample(["a", "b", "c", "d", "é", "0", "1", ";", '"'], 9)
        grammar = random_grammar(rng, max_rules=3, max_depth=rng.choice([1, 2]), letters=letters, is_regular=True)
        member = random_member(rng, grammar) or b"a"
        pieces = [letter.encode() for letter in letters]
        vocabulary = [*pieces, *random_vocabulary(rng, [member, member + b"a"], n_tokens=12), b"</s>"]
        stop = len(vocabulary) - 1
        special = {token for token in range(len(pieces), stop) if rng.random() < 0.1}
        if rng.random() < 0.5:
            grammar = with_token_edges(rng, grammar, [t for t in range(stop) if vocabulary[t]], 0.15)
        text, encode, words = write_ebnf(grammar), greedy(vocabulary[:stop], special), dict(enumerate(vocabulary))
        tree = build(grammar)
        try:
            program = translate(tree, words, stop_tokens={stop}, encode=encode, special=special)
        except OperatorError as error:
            outcomes[error.code] += 1
            assert error.code in ("undecided", "never", "unspelled")  # a greedy encoder may get stuck
            continue
        outcomes["walked"] += 1
        on_tokens, on_bytes = Reader(program, words, {stop}), Operators(tree)
        by_spelling = Operators(build(spelled(grammar, encode)))
        for _ in range(10):
            masks: list[set[int]] = []
            for reader in (by_spelling, on_bytes):
                taken = {t for t in range(stop) if words[t] and reader.can_take(t, words[t], is_text=t not in special)}
                masks.append(taken | ({stop} if reader.is_complete() else set()))
            assert on_tokens.mask() <= masks[0] <= masks[1], text
            n_refused["by operators"] += bool(masks[0] - on_tokens.mask())
            n_refused["by spelling"] += bool(masks[1] - masks[0])
            if not (allowed := sorted(on_tokens.mask() - {stop})):
                break
            token = rng.choice(allowed)
            assert on_tokens.accept(token)
            for reader in (by_spelling, on_bytes):
                assert reader.push_token(token, words[token], is_text=token not in special), text
    outcomes.require("walked", 0.2)
    assert n_refused["by spelling"] > 20 * SHARE
    assert n_refused["by operators"] > 0 or SHARE < 1


# ---- Refusals ----


def test_refusals():
    def refused(text: str, encode: Encode | None = None) -> OperatorError:
        encode = encode or greedy(WORDS[:STOP])
        tree = build(*parse_with_options(text))
        with pytest.raises(OperatorError) as error:
            translate(tree, dict(enumerate(WORDS)), stop_tokens={STOP}, encode=encode)
        return error.value

    assert str(refused('root ::= "a" "b" | "a" "c"')) == "undecided: IfElse has two ways on by token 0, b'a'"
    assert str(refused('root ::= [ab]* "a"')) == "undecided: DoWhile min=0 has two ways on by token 0, b'a'"
    assert str(refused('root ::= "a"? ("b"? | "c"*)')).endswith("has two ways on by token 7, the end of text")
    assert str(refused('root ::= x  x ::= "a"', lambda _: [1])) == "unspelled: encode(b'a') has the bytes b'b'"
    assert refused('root ::= x  x ::= "a"', lambda _: [1]).names == ["x"]
    assert refused('root ::= TagDispatch(("a", x))  x ::= "b"').code == "not_of_tokens"
    assert refused('root ::= x  x[lazy] ::= [ab]* "c"').code == "not_of_tokens"
    assert refused('root ::= "a" [^\\U00000000-\\U0010ffff]').code == "never"


def test_two_branches_on_bytes_are_told_apart_where_tokens_differ():
    """`ab | ac` begins with one byte, but with two tokens if `ab` is a token and `ac` is not."""
    on_tokens, _ = readers('root ::= "ab" | "ac"', WORDS)
    assert on_tokens.mask() == {0, 4}


def test_a_checkpoint_is_all_that_a_mask_depends_on():
    """Two programs that share an operator share its checkpoint, the key of the paper's global cache."""
    words = dict(enumerate(WORDS))
    programs = [
        translate(build(parse_ebnf(text)), words, stop_tokens={STOP}, encode=greedy(WORDS[:STOP]))
        for text in ('root ::= "b" [a]* "b"', 'root ::= "c" ([a]* "b")+')
    ]
    found: list[Checkpoint] = []
    for program, first in zip(programs, (1, 2), strict=True):
        steps = run(program)
        assert next(steps) == Checkpoint(TokenSet(frozenset({first})))
        found.append(steps.send(first))
    assert found[0].allows == TokenSet(frozenset({0, 6}))
    assert found[0] == found[1]
    assert found[0].waits == {1}
