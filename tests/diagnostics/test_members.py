"""`xg2lab.sample`: every member is accepted, whatever the grammar is made of; and the draws are varied."""

import json
import random
import sys
from collections.abc import Callable

import pytest

import xg2lab as xgr
from tests.differential.test_fuzz import dispatch_grammar
from tests.generators import (
    SHARE,
    exhaustive_grammars,
    random_any_order,
    random_grammar,
    random_heads,
    seeded,
    strings,
    with_heads,
    with_token_edges,
    write_ebnf,
)
from xg2lab import testing
from xg2lab.errors import ArgumentError, GrammarError, LimitError, UnsupportedError, VocabularyError
from xg2lab.language.members import Sampler

N_GRAMMARS = round(400 * SHARE)
JSON = xgr.Grammar.builtin_json_grammar()


def lengths_allowed(text: str) -> int:
    """A length that every grammar of the tests has a member of, where it has one at all."""
    return 40 + len(text)


def assert_accepted(grammar: xgr.Grammar | str, members: list[str]) -> None:
    matcher = testing._get_matcher_from_grammar(grammar)
    for member in members:
        matcher.reset()
        assert matcher.accept_string(member.encode("utf-8", "surrogateescape")), (str(grammar), member)
        assert matcher.is_completed(), (str(grammar), member)


def read(text: str) -> xgr.Grammar | None:
    """The grammar, unless it matches nothing."""
    try:
        return xgr.Grammar.from_ebnf(text)
    except GrammarError:
        return None


def test_random_grammars():
    rng = seeded("members")
    n_sampled = n_distinct = 0
    for i in range(N_GRAMMARS):
        made = random_grammar(rng)
        text = write_ebnf(made, rng)
        if i % 4 == 1:
            text = dispatch_grammar(rng, write_ebnf(made))
        if i % 4 == 2:
            text = with_heads(made, random_heads(rng, made))
        if i % 4 == 3:
            text = random_any_order(rng)
        grammar = read(text)
        if grammar is None:
            continue
        try:
            members = xgr.sample(grammar, 20, seed=i, max_length=lengths_allowed(text))
        except xgr.Xg2LabError as error:
            codes = {finding.code for finding in error.diagnostics}
            assert codes <= {"not_regular", "option_within", "max_chars_too_small"}, (text, error)
            assert codes, (text, error)
            continue
        assert_accepted(grammar, members)
        n_sampled += len(members)
        n_distinct += len(set(members))
    assert n_sampled > 10 * N_GRAMMARS
    assert n_distinct > n_sampled / 4, "hardly anything but the shortest members"


def test_every_short_member_is_drawn_sometime():
    rng = random.Random(7)
    universe = [text for text in exhaustive_grammars(max_rules=2, max_operators=2) if rng.random() < 0.05 * SHARE]
    for text in universe:
        grammar = read(text)
        if grammar is None:
            continue
        matcher = testing._get_matcher_from_grammar(grammar)
        members: set[bytes] = set()
        for data in strings("ab", 3):
            matcher.reset()
            if matcher.accept_string(data) and matcher.is_completed():
                members.add(data)
        if members:
            drawn = {member.encode() for member in xgr.sample(grammar, 600, seed=1, max_length=3)}
            assert drawn == members, text


@pytest.mark.parametrize(
    ("grammar", "max_length"),
    [
        ('root ::= Regex("a(?!b)[a-zé]{1,3}") [^a]{2,5} Regex("(?=.*[0-9])[a-z0-9]{4}")', 20),
        ('root ::= Regex("x(?!y).{300}") "!"', 400),
        ('root ::= Regex("[^b](?!a)", json_string=true)', 20),
        ('root ::= Substring("ab", "cd", "ef") "."', 20),
        ('root ::= TagDispatch(("<a", x), ("<ab", y), stop_str=("STOP"), stop_eos=false) "end"\n'
         'x ::= [0-9]+ ">"   y ::= "y"', 60),
        ('root ::= TagDispatch(("<a", x), loop_after_dispatch=false, excludes=("no", "e"))   x ::= "é"+', 30),
        ('root ::= a b   a[lazy] ::= [a-z ]* "."   b[max_chars=5] ::= [a-z]+ "é"?', 30),
        ('root ::= a{2}   a[lazy, max_chars=4] ::= [a-z]{2} [a-z]* | "é" [a-z]*', 30),
        ('root[max_chars=6] ::= "x"* ("yz")*', 30),
        ('root[lazy] ::= "a"+ "b"? "c"', 30),
        ('root ::= "a"{3,5000} "b"{2}', 5010),
        ('root ::= "{" AnyOrder(a, b?, c*, d+, sep=s, min=3, max=6) "}"   a ::= "aaa"   b ::= "b" root?   '
         'c ::= [c-e]   d ::= "f"   s ::= ", "', 40),
        ('root ::= AnyOrder(a?, b?, c)   a ::= "a" a   b ::= "b"   c ::= "c"+', 9),
        ('root ::= root root | ""', 10),
        ('root ::= ("a"?){1000000}', 10),
        ('root ::= x "y" | "z"   x ::= x "x"', 10),
        ("root ::= a0\n" + "".join(f"a{i} ::= a{i + 1} a{i + 1}\n" for i in range(40)) + 'a40 ::= ""', 10),
    ],
)  # fmt: skip
def test_kinds_of_expressions(grammar, max_length):
    members = xgr.sample(grammar, 60, seed=3, max_length=max_length)
    assert_accepted(grammar, members)
    assert all(len(member) <= max_length for member in members)


def test_members_keep_to_their_length_and_to_their_seed():
    for max_length in (1, 2, 5, 50):
        members = xgr.sample(JSON, 200, seed=5, max_length=max_length)
        assert max(map(len, members)) <= max_length
        assert members == xgr.sample(JSON, 200, seed=5, max_length=max_length)
    assert xgr.sample(JSON, 20, seed=1) != xgr.sample(JSON, 20, seed=2)
    with pytest.raises(ArgumentError, match="the shortest has 3"):
        xgr.sample('root ::= "abc" | "abcd"', max_length=2)


def test_json_members_are_json_of_all_kinds():
    values = [json.loads(member) for member in xgr.sample(JSON, 1000, seed=0, max_length=80)]
    assert {type(value) for value in values} == {dict, list, str, int, float, bool, type(None)}
    assert any(isinstance(value, dict) and len(value) > 1 for value in values)
    assert any(isinstance(value, list) and any(isinstance(inner, list) for inner in value) for value in values)


def n_python_calls(function: Callable[[], object]) -> int:
    """How many functions of Python are entered."""
    n = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal n
        n += event == "call"

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return n


def test_members_are_drawn_in_few_steps_and_each_alike():
    """What is worked out of a grammar once is not worked out for each member."""
    few, many = (n_python_calls(lambda n=n: xgr.sample(JSON, n, seed=0)) for n in (500, 1000))
    assert many < 2.2 * few
    assert many - few < 500 * 1000


def test_branches_are_taken_alike():
    members = xgr.sample("root ::= " + " | ".join(f'"{i:02}"' for i in range(100)), 500, seed=0)
    assert len(set(members)) == 100
    assert max(members.count(member) for member in set(members)) <= 10


def test_token_edges():
    text = 'root ::= "ab" x   x ::= Token(3) "b" | ExcludeToken(0)'
    with pytest.raises(UnsupportedError, match=r"rule `x` takes a token by its id, Token\(3\)"):
        xgr.sample(text)
    info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"<c>", b"</s>"], stop_token_ids=[4], special_token_ids=[3])
    drawn = xgr.sample_tokens(text, info, 100, seed=0)
    assert {tuple(ids) for ids in drawn} == {(2, 3, 1), (2, 1), (2, 2), (2, 3)}
    with pytest.raises(VocabularyError, match="no text token begins with byte 0x78"):
        xgr.sample_tokens('root ::= "x"', info)


def test_random_token_edges_are_accepted_as_ids():
    rng = seeded("token members")
    tokens = [b"a", b"b", b"c", b"\xc3", b"\xa9", b"\xa8", b"0", b"ab", b"<t>", b"</s>"]
    tokens += ["你".encode()[i : i + 1] for i in range(3)] + ["😀".encode()[i : i + 1] for i in range(4)]
    info = xgr.TokenizerInfo(tokens, stop_token_ids=[9], special_token_ids=[8])
    n_members = 0
    for i in range(round(100 * SHARE)):
        text = write_ebnf(with_token_edges(rng, random_grammar(rng), [0, 1, 2, 6, 7, 8]))
        try:
            compiled = xgr.GrammarCompiler(info).compile_grammar(text)
            sampler = Sampler(xgr.Grammar.from_ebnf(text), random.Random(i), lengths_allowed(text), info)
        except (GrammarError, LimitError):
            continue
        for _ in range(10):
            try:
                ids = sampler.spelled(sampler.draw())
            except VocabularyError:
                continue  # a class has more code points than this vocabulary
            matcher = xgr.GrammarMatcher(compiled)
            assert all(matcher.accept_token(token) for token in ids), (text, ids)
            assert matcher.is_completed(), (text, ids)
            n_members += 1
    assert n_members > 50 * SHARE


@pytest.mark.parametrize("length", [-1, 2**31, 10**30])
def test_a_length_that_no_member_may_have_is_refused(length: int):
    with pytest.raises(xgr.Xg2LabError, match=r"^max_length is "):
        xgr.sample('root ::= "a"*', 1, max_length=length)
