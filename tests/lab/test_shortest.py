"""The shortest disagreement: known answers, and the twin's chart as the judge over random grammars."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from tests.generators import SHARE, random_grammar, seeded, write_ebnf
from tests.refusals import Outcomes, refusal_mistake
from xg2lab import EngineOptions, Grammar, TokenizerInfo
from xg2lab.errors import GrammarError, SessionError
from xg2lab.lab import Session, Shortest, shortest_disagreement
from xg2lab.lab.comparison import shortest as module
from xg2lab.lab.comparison.replays import Side
from xg2lab.reference.earley import Chart, parse
from xg2lab.reference.ebnf import parse_ebnf

N_BYTES = 5  # as far as the twin looks
LETTERS = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("a", "b", "text", "says"),
    [
        ('root ::= "x"', 'root ::= "y"', b"", "at the first byte: x only in A; y only in B"),
        ('root ::= "ab"', 'root ::= "ac"', b"a", 'after "a", byte 1: b only in A; c only in B'),
        ("root ::= [a-z]{1,60}", "root ::= [a-z]{1,61}", b"a" * 60, "byte 60: [a-z] only in B"),
        ('root ::= "a"?', 'root ::= "a"', b"", "at the first byte: the end only in A"),
        ('root ::= "[" root? "]"', 'root ::= "[" ("[" "]")? "]"', b"[[", 'after "[[", byte 2: [ only in A'),
        ('root ::= "ü"', 'root ::= "ö"', b"\xc3", r'after "\xc3", byte 1: \xbc only in A; \xb6 only in B'),
    ],
)
def test_known_answers(a: str, b: str, text: bytes, says: str) -> None:
    found = shortest_disagreement(a, b)
    assert (found.verdict, found.text) == ("part", text)
    assert str(found).endswith(says)
    assert (found.is_running, found.why) == (False, "")
    back = shortest_disagreement(b, a)
    assert (back.text, back.only_a, back.only_b) == (text, found.only_b, found.only_a)
    assert (back.ends_a, back.ends_b) == (found.ends_b, found.ends_a)


def test_a_side_says_why_it_refuses() -> None:
    found = shortest_disagreement('root ::= "a" [0-4]', 'root ::= "a" [0-9]')
    assert "expected" in found.reason_a
    assert found.reason_b == ""
    assert found.only_b == ((ord("5"), ord("9")),)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ('root ::= ("a" | "b")* "c"?', 'root ::= "" | "c" | [ab] root'),
        ('root ::= ("ab"){2,9}', 'root ::= "abab" ("ab"){0,7}'),
        ("root ::= [^x]", "root ::= [^x-x]"),
        ('root ::= "a" t | "b" t  t ::= "x"+', 'root ::= [ab] "x" "x"*'),
    ],
)
def test_equal_only_when_it_is_proved(a: str, b: str) -> None:
    assert shortest_disagreement(a, b).verdict == "equal"
    assert shortest_disagreement(a, b, most_pairs=1).verdict == "none"
    assert "1 pairs of states" in shortest_disagreement(a, b, most_pairs=1).why


def test_a_loop_is_its_right_recursion_by_the_pair_of_their_starts() -> None:
    found = shortest_disagreement('root ::= ("a" | "b")*', 'root ::= "" | [ab] root', most_pairs=1)
    assert (found.verdict, found.n_pairs) == ("equal", 1)


def test_nested_pairs_have_no_end_and_it_says_how_far() -> None:
    nested = 'root ::= "(" root ")" | "x"'
    found = shortest_disagreement(nested, 'root ::= "(" root ")" | [x]', most_pairs=500)
    assert (found.verdict, found.why) == ("none", "500 pairs of states")
    assert found.n_bytes > 100
    assert str(found).startswith(f"no disagreement in texts of up to {found.n_bytes:,} bytes")


def test_switches_must_agree_on_the_vocabularys_own_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    info = TokenizerInfo([b"a", b"ab", b"b", b"[", b"]", b"</s>"], stop_token_ids=[5])
    session = Session('root ::= "[" ("a"{1,9} "b")* "]"', info)
    for parser in ("pda", "earley"):
        assert shortest_disagreement(session, parser=parser, cross_grammar_cache=False).verdict == "equal"
    real = Side.compile

    def wrong(self: Any, *args: Any) -> Any:
        if self.name == "B":
            self.grammar = Grammar.from_ebnf('root ::= "[" ("a"{1,8} "b")* "]"')
        return real(self, *args)

    monkeypatch.setattr(Side, "compile", wrong)
    found = shortest_disagreement(session, parser="pda")
    assert (found.verdict, found.text) == ("part", b"[" + b"a" * 8)
    assert found.tokens == (0, 1)
    assert found.only_a == ((97, 97),)


def test_a_mask_that_is_wrong_though_all_bytes_agree_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session('root ::= ("a" "b")*', TokenizerInfo([b"a", b"ab", b"b", b"</s>"], stop_token_ids=[3]))
    real = module._Search.row

    def wrong(self: Any, matcher: Any) -> Any:
        row = real(self, matcher)
        return row & ~2 if matcher.compiled_grammar.options.parser == "pda" else row

    monkeypatch.setattr(module._Search, "row", wrong)
    found = shortest_disagreement(session, parser="pda")
    assert (found.verdict, found.text, found.tokens) == ("part", b"", (1,))
    assert str(found) == "they part at the first byte: 1 tokens are in one mask alone"


def test_grammars_that_name_tokens_are_walked_but_never_proved_equal() -> None:
    info = TokenizerInfo([b"a", b"b", b"<s>", b"<t>", b"</s>"], stop_token_ids=[4], special_token_ids=[2, 3])
    session = Session('root ::= "a" Token(2) "b"', info)
    found = shortest_disagreement(session, grammar='root ::= "a" Token(3) "b"')
    assert (found.verdict, found.text, found.tokens) == ("part", b"a", (2, 3))
    found = shortest_disagreement(session, grammar='root ::= "a" Token(2) [b]')
    assert found.verdict == "none"
    assert "names tokens" in found.why
    assert found.n_waiting == 0
    other = Session('root ::= "a" "b"', TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    found = shortest_disagreement(session, other)
    assert (found.verdict, found.why.split(":")[0]) == ("refused", "SessionError")


def test_it_is_bounded_can_be_cancelled_and_tells() -> None:
    forever = ['root ::= "(" root ")" | "x"', 'root ::= "(" root ")" | [x]']
    told: list[int] = []
    found = shortest_disagreement(*forever, tell=lambda s: told.append(s.n_bytes), is_cancelled=lambda: len(told) > 1)
    assert (found.verdict, found.why) == ("none", "cancelled")
    assert told == sorted(told)
    assert shortest_disagreement(*forever, seconds=0.0).why == "the budget of 0 s"


def test_what_the_engine_refuses_is_said() -> None:
    found = shortest_disagreement('root ::= root "a" | "a"', 'root ::= "a"+', parser="pda")
    assert found.verdict == "refused"
    assert "UnsupportedError" in str(found)
    with pytest.raises(SessionError, match="two grammars, or two sessions"):
        shortest_disagreement('root ::= "a"')


def test_it_goes_over_the_wire() -> None:
    found = shortest_disagreement('root ::= "ab"', 'root ::= "ac"')
    wire = json.loads(json.dumps(found.to_wire()))
    assert (wire["text"], wire["shown"], wire["only_a"], wire["verdict"]) == ("61", "a", [[98, 98]], "part")
    assert wire["says"] == str(found)
    assert set(Shortest.__dataclass_fields__) <= set(wire)


def by_brute_force(a: str, b: str) -> bytes | None:
    """The first text, by length, after which the twins' charts expect other bytes, or one of them may end."""
    charts = [parse(parse_ebnf(text)) for text in (a, b)]
    level = [b""]
    for _ in range(N_BYTES + 1):
        longer: list[bytes] = []
        for data in level:
            facts = [facts_after(chart, data) for chart in charts]
            if facts[0] != facts[1]:
                return data
            longer += [data + bytes([k]) for k in sorted(facts[0][0] & set(map(ord, LETTERS)))]
        level = longer
    return None


def facts_after(chart: Chart, data: bytes) -> tuple[set[int], bool]:
    for byte in data:
        assert chart.push(byte)
    facts = chart.expected_bytes(), chart.is_complete()
    chart.pop(len(data))
    return facts


def test_random_grammars_part_where_the_twin_says() -> None:
    rng = seeded("shortest")
    outcomes = Outcomes()
    for _ in range(int(60 * SHARE)):
        one = random_grammar(rng, 3, 2, LETTERS)
        a = write_ebnf(one)
        b = rng.choice([write_ebnf(one, rng), write_ebnf(random_grammar(rng, 3, 2, LETTERS))])
        try:
            found = shortest_disagreement(a, b, seconds=2.0, most_pairs=2000)
        except GrammarError as error:
            assert any(refusal_mistake(parse_ebnf(text), EngineOptions(), error) is None for text in (a, b)), (a, b)
            outcomes["empty"] += 1
            continue
        outcomes[found.verdict] += 1
        expected = by_brute_force(a, b)
        if found.verdict == "part":
            is_in_reach = len(found.text) <= N_BYTES and set(found.text) <= set(b"abc")
            assert (expected is not None) >= is_in_reach, (a, b, found)
            assert expected is None or len(expected) == len(found.text) or not is_in_reach, (a, b, found, expected)
            assert expected is None or len(expected) >= len(found.text), (a, b, found, expected)
            charts = [parse(parse_ebnf(text)) for text in (a, b)]
            facts = [facts_after(chart, found.text) for chart in charts]
            assert facts[0] != facts[1], (a, b, found)
            only = [{k for lo, hi in some for k in range(lo, hi + 1)} for some in (found.only_a, found.only_b)]
            assert only == [facts[0][0] - facts[1][0], facts[1][0] - facts[0][0]], (a, b, found)
            assert (found.ends_a, found.ends_b) == (facts[0][1], facts[1][1]), (a, b, found)
        elif found.verdict != "refused":
            assert expected is None or len(expected) > found.n_bytes, (a, b, found, expected)
    outcomes.require("part", 0.2)
    outcomes.require("equal", 0.2)


def test_a_representative_stands_for_its_class() -> None:
    from xg2lab import GrammarMatcher

    texts = ['root ::= TagDispatch(("<a>", t), stop_str=("</s>"))  t ::= [0-9]+ "</a>"', "root ::= [^a-f]{2,70} | 'é'"]
    for text in texts:
        compiled = Side("A", Grammar.from_ebnf(text), module.byte_info(), EngineOptions()).compile()
        chosen = module.representatives([compiled.program()])
        matcher = GrammarMatcher(compiled)
        for data in itertools.islice(itertools.cycle([b"x", b"<", b"a", b">", b"4"]), 12):
            ways = [matcher.fork() for _ in range(256)]
            reached = {m.column_id() for k, m in enumerate(ways) if m.accept_string(bytes([k]))}
            forks = [matcher.fork() for _ in chosen]
            assert {m.column_id() for k, m in zip(chosen, forks, strict=True) if m.accept_string(k)} == reached
            if not matcher.accept_string(data):
                break


def test_a_limit_of_tokens_is_never_proved_equal_byte_by_byte() -> None:
    limited = 'root ::= w "."\nw[max_tokens={}] ::= [a-z]*'
    found = shortest_disagreement(limited.format(3), limited.format(4))
    assert (found.verdict, found.why) == ("none", "the grammar limits tokens: texts are tried byte by byte")
