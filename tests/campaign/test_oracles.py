"""Oracles of other make: what they are by definition, what they find in engines that are wrong, and a share of them."""

from __future__ import annotations

import os
import random
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("lark", reason="the oracles need lark")
pytest.importorskip("regex", reason="the oracles need regex")
pytest.importorskip("jsonschema", reason="the oracles need jsonschema")

import xg2lab as xgr
from campaign.hostile.faces import tiny_vocabulary
from campaign.oracles import classes as sorting
from campaign.oracles.automaton import TooLargeError
from campaign.oracles.classes import FINDING, Disagreement, Tally, classes
from campaign.oracles.earley import EarleyOracle
from campaign.oracles.earley_part import OracleEarley, hold_masks
from campaign.oracles.ebnf import productions_of, random_grammar, text_of
from campaign.oracles.json_schema_part import OracleJsonSchema
from campaign.oracles.lark_grammars import random_lark
from campaign.oracles.lark_part import LEXERS, OracleLark
from campaign.oracles.masks import compare_masks
from campaign.oracles.patterns import PYTHON, LeftOutError, whole
from campaign.oracles.productions import Productions, utf8_rows
from campaign.oracles.regex_part import MEANINGS, OracleRegex, in_pythons_words, random_pattern, sort_text
from campaign.oracles.schemas import Judge, exact, random_schema
from campaign.oracles.vocabularies import Words, real_names
from campaign.part import Run
from campaign.parts import PARTS
from tests.generators import SHARE, random_member, random_vocabulary
from tests.refusals import Outcomes
from xg2lab.reference.ebnf import parse_ebnf

ROOT = Path(__file__).parents[2]
SEED = os.environ.get("XG2LAB_SEED", "1")


@pytest.fixture(scope="module")
def words() -> Words:
    tiny = tiny_vocabulary()
    return Words("tiny", tiny.tokens, [tiny.stop_token], [])


def n_cases(n: int) -> int:
    return max(2, int(n * SHARE))


def an_oracle(text: str) -> EarleyOracle:
    return EarleyOracle(productions_of(parse_ebnf(text)))


def ends(oracle: EarleyOracle, data: bytes) -> bool:
    return oracle.is_end(oracle.after(oracle.start, data))


# ---- What the oracles are made of ----


def test_rows_of_bytes_are_pythons_utf8():
    rng = random.Random(SEED)
    edges = [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]
    for _ in range(60):
        low, high = sorted(rng.choice([rng.choice(edges), rng.randrange(0x110000)]) for _ in range(2))
        rows = list(utf8_rows(low, high))

        def is_in(data: bytes, rows: list[tuple[tuple[int, int], ...]] = rows) -> int:
            return sum(
                len(row) == len(data) and all(a <= byte <= b for byte, (a, b) in zip(data, row, strict=True))
                for row in rows
            )

        for point in [low, high, low - 1, high + 1, *(rng.randint(low, high) for _ in range(20))]:
            if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF:
                assert is_in(chr(point).encode()) == (low <= point <= high), (low, high, point)


@pytest.mark.parametrize(
    ("text", "members", "others"),
    [
        ('root ::= "(" root ")" | ""', [b"", b"(())"], [b"(", b"())", b")("]),
        ('root ::= root root | "a" | ""', [b"", b"a", b"aaaa"], [b"b", b"ab"]),
        ('root ::= x "b"   x ::= x "a" | x | "a"', [b"ab", b"aaab"], [b"b", b"a"]),
        ('root ::= "a"{2,4}', [b"aa", b"aaa", b"aaaa"], [b"a", b"aaaaa"]),
        ('root ::= x x x   x ::= y | "c"   y ::= "" | "b"', [b"", b"cb", b"bbb", b"c"], [b"bbbb", b"a"]),
        ("root ::= [^a]", ["é".encode(), "😀".encode(), b"b"], [b"a", b"\xc3", b"\xed\xa0\x80"]),
    ],
)  # fmt: skip
def test_the_earley_oracle(text: str, members: list[bytes], others: list[bytes]):
    oracle = an_oracle(text)
    assert all(ends(oracle, member) for member in members)
    assert not any(ends(oracle, other) for other in others)


def test_the_earley_oracle_derives_what_a_derivation_gives():
    outcomes = Outcomes()
    for i in range(n_cases(30)):
        rng = random.Random(f"{SEED}/{i}")
        grammar = random_grammar(rng)
        member = random_member(rng, grammar)
        if member is None or len(member) > 100:
            outcomes["empty or long"] += 1
            continue
        try:
            assert ends(EarleyOracle(productions_of(grammar)), member), text_of(grammar)
            outcomes["derived"] += 1
        except TooLargeError:
            outcomes["too large"] += 1
    outcomes.require("derived", 0.6)


def test_every_beginning_that_lives_can_be_ended():
    """What can't end is dropped before: `x` never does."""
    oracle = an_oracle('root ::= "a" "b" | "a" x   x ::= "c" x')
    assert oracle.after(oracle.start, b"ac") == 0
    assert an_oracle('root ::= "a" root').start == 0


def test_an_oracle_gives_up_beyond_its_bounds(monkeypatch: pytest.MonkeyPatch):
    made = Productions()
    made.add("start", ("start", "start"))
    made.add("start", made.points([(97, 98)]))
    with pytest.raises(TooLargeError):
        EarleyOracle(made, most_items=200).after(1, b"ab" * 50)
    monkeypatch.setattr("campaign.oracles.productions.MOST_ROWS", 100)
    with pytest.raises(OverflowError):
        made.repeat(made.literal(b"a"), 0, 100_000)


def test_the_walk_of_a_vocabulary_is_every_tokens_verdict():
    outcomes = Outcomes()
    for i in range(n_cases(20)):
        rng = random.Random(f"{SEED}/words/{i}")
        grammar = random_grammar(rng)
        members = [member for _ in range(5) if (member := random_member(rng, grammar))]
        tokens = [*random_vocabulary(rng, members or [b"a"], 60), b"</s>"]
        special = sorted(rng.sample(range(60), 3))
        words = Words("some", tokens, [60], special)
        oracle = EarleyOracle(productions_of(grammar))
        try:
            state = oracle.after(oracle.start, rng.choice(members or [b""])[: rng.randrange(6)])
            allowed = words.allowed(oracle, state).tolist()
            right = [
                oracle.is_end(state) if token == 60 else bool(data) and token not in special
                and oracle.after(state, data) != 0
                for token, data in enumerate(tokens)
            ]  # fmt: skip
        except TooLargeError:
            outcomes["too large"] += 1
            continue
        outcomes["compared"] += 1
        assert allowed == right
    outcomes.require("compared", 0.7)


def test_pythons_trees_mean_what_python_matches():
    rng = random.Random(SEED)
    outcomes = Outcomes()
    for _ in range(n_cases(60)):
        pattern = random_pattern(rng, rng.randint(1, 3))
        try:
            oracle = EarleyOracle(whole(pattern, PYTHON), most_items=20_000)
            compiled = re.compile(pattern)
        except (LeftOutError, OverflowError, TooLargeError, re.error):
            outcomes["left out"] += 1
            continue
        texts = ["".join(rng.choices("abBé1_ \n\r\u2028日", k=rng.randrange(5))) for _ in range(8)]
        try:
            ended = [ends(oracle, text.encode()) for text in texts]
        except TooLargeError:  # a column of a nullable pattern repeated in itself
            outcomes["left out"] += 1
            continue
        outcomes["compared"] += 1
        assert ended == [bool(compiled.fullmatch(text)) for text in texts], (pattern, texts)
    outcomes.require("compared", 0.5)


def test_numbers_are_exact():
    judge = Judge(exact('{"multipleOf": 0.01, "maximum": 12345678901234567890.5}'))
    assert judge.is_valid(exact("4.35"))
    assert judge.is_valid(exact("12345678901234567890.5"))
    assert not judge.is_valid(exact("12345678901234567890.51"))
    assert Judge(exact('{"const": 1}')).is_valid(Decimal("1.0"))
    assert not Judge(exact('{"const": 1}')).is_valid(True)
    assert Judge(exact('{"type": "integer"}')).is_valid(exact("1e3"))
    assert not Judge(exact('{"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}')).is_valid(
        exact("1.0")
    )
    assert Fraction(exact("0.1")) == Fraction(1, 10)


# ---- What they find ----


def test_a_mask_that_allows_or_forbids_too_much_is_found(words: Words):
    compiled = xgr.GrammarCompiler(words.info).compile_grammar('root ::= [a-c] [xy] "word"')
    rng = random.Random(1)
    wider, other = an_oracle('root ::= [a-d] [xy] "word"'), an_oracle('root ::= [b-d] [xy] "word"')
    found = compare_masks(compiled, words, wider, rng, n_states=4).differences[0]
    assert (found.before, found.token, found.is_allowed) == (b"", b"d", False)
    found = compare_masks(compiled, words, other, rng, n_states=4, is_within=True).differences[0]
    assert (found.before, found.token, found.is_allowed) == (b"", b"a", True)
    assert not compare_masks(compiled, words, wider, rng, n_states=4, is_within=True).differences
    early = an_oracle('root ::= [a-c] ([xy] "word")?')
    ended = [found for found in compare_masks(compiled, words, early, rng).differences if found.token is None]
    assert ended
    assert not ended[0].is_allowed


def test_differences_of_masks_are_findings(words: Words):
    tally = Tally("oracle_earley")
    grammar = xgr.Grammar.from_ebnf('root ::= "a"')
    hold_masks(grammar, an_oracle('root ::= "b"'), [words], random.Random(1), tally, "case", "source", 3)
    done = tally.done({})
    assert {finding.name for finding in done.findings} == {"allows/source", "forbids/source"}
    assert done.counts["disagreements[finding]"] == 2


def test_each_feature_of_the_dialect_has_its_class():
    assert sort_text("a.", "whole", "a\r", ours=False) == "line_terminators"
    assert sort_text(r"\s", "whole", "\ufeff", ours=True) == "white_space"
    assert sort_text(r"\d", "whole", "\u0663", ours=False) == "ascii_digits_and_words"
    assert sort_text("a$", "searched", "a\n", ours=False) == "end_of_text"
    assert sort_text("a", "whole", "b", ours=True) == FINDING
    assert sort_text(r"(?!b)\w+", "whole", "é", ours=False) == "several_features"
    assert sort_text(r"(?!b)[a-z]+", "whole", "b", ours=True) == FINDING
    assert (
        in_pythons_words(r"[^\s\]]\.\$")
        == r"[^\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\]]\.\$"
    )


def a_schema(words: Words, source: str, texts: list[str], seed: int = 1) -> dict[str, int]:
    return dict(OracleJsonSchema().hold("case", source, texts, words, random.Random(seed)).counts)


def test_a_schema_that_is_read_otherwise_is_found(words: Words, monkeypatch: pytest.MonkeyPatch):
    assert a_schema(words, '{"maximum": 3}', ["4", "2"]).get("disagreements[finding]", 0) == 0
    read = xgr.Grammar.from_json_schema
    monkeypatch.setattr(xgr.Grammar, "from_json_schema", lambda _, **options: read('{"maximum": 5}', **options))
    assert a_schema(words, '{"maximum": 3, "type": "number"}', ["4", "2"])["disagreements[finding]"] > 0


def test_documented_differences_of_schemas_have_their_class(words: Words):
    dates = a_schema(words, '{"type": "string", "format": "date"}', ['"2024-02-30"', '"x"'])
    assert dates["disagreements[format_asserted]"] > 1
    assert dates.get("disagreements[finding]", 0) == 0
    closed = [
        a_schema(words, '{"type": "object", "properties": {"a": {}, "b": {}}}', ['{"b": 1, "a": 1}', '{"c": 1}'], seed)
        for seed in range(6)
    ]
    assert any("disagreements[declared_order]" in counts for counts in closed)
    assert any("disagreements[closed_objects]" in counts for counts in closed)


# ---- The table of classes ----


def test_every_class_stands_in_its_document():
    assert classes()
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "campaign" / "oracles").glob("*.py"))
    for known in classes().values():
        text = (ROOT / known.document).read_text(encoding="utf-8")
        assert " ".join(known.section.split()) in " ".join(text.split()), known.name
        assert known.oracle in PARTS
        assert known.reason.endswith(".")
        assert f'"{known.name}"' in source, known.name


def test_a_class_that_nobody_described_is_an_error():
    with pytest.raises(KeyError):
        Tally("oracle_regex").disagree(Disagreement("case", "a", "accepts", b"a"), "of my own")
    with pytest.raises(AssertionError):
        Tally("oracle_lark").disagree(Disagreement("case", "a", "accepts", b"a"), "white_space")


def test_cases_of_a_class_are_counted_and_few_are_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sorting, "_shown", sorting.Counter())
    tally = Tally("oracle_regex")
    for i in range(10):
        tally.disagree(Disagreement(f"{i}", "a", "accepts", b"\x1c"), "white_space")
    done = tally.done({"texts": 10})
    assert (done.counts["disagreements[white_space]"], len(done.rows), done.findings) == (10, 3, [])


def test_units_are_the_same_for_a_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("campaign.oracles.regex_part.real_patterns", lambda: ["a", "b"])  # the real ones take seconds
    monkeypatch.setattr("campaign.oracles.json_schema_part.n_schemas", lambda: 2)
    for part in (OracleEarley(), OracleRegex(), OracleLark(), OracleJsonSchema()):
        units = list(part.units(Run("x", 3, tmp_path)))
        assert units == list(part.units(Run("x", 3, tmp_path)))
        assert len(set(units)) == len(units) > 5_000
    assert real_names() == sorted(set(real_names()))


# ---- A share of each, on the tiny vocabulary ----


def test_a_share_of_earley(words: Words):
    part = OracleEarley(most_items=15_000)
    counts = 0
    for i in range(n_cases(30)):
        done = part.hold(f"0/by lot {i}", random.Random(f"{SEED}/{i}"), [words], 10)
        assert not done.findings, done.findings[0]
        counts += done.counts.get("pairs", 0)
    assert counts > 10_000 * min(1, SHARE)


def test_a_share_of_regex(words: Words):
    part = OracleRegex()
    n_texts = 0
    for i in range(n_cases(12)):
        rng = random.Random(f"{SEED}/{i}")
        pattern, meaning = random_pattern(rng, rng.randint(1, 3)), MEANINGS[i % 2]
        done = part.hold(f"{meaning}/by lot {i}", pattern, meaning, rng, [words], 6)
        assert not done.findings, done.findings[0]
        n_texts += done.counts.get("texts", 0)
    assert n_texts > 0


def test_a_share_of_lark(words: Words):
    part = OracleLark()
    n_texts = 0
    for i in range(400):
        if i >= n_cases(8) and n_texts > 0:  # many grammars have a conflict, and no text is compared
            break
        rng, lexer = random.Random(f"{SEED}/{i}"), LEXERS[i % 4]
        done = part.hold(f"{lexer}/0/by lot {i}", random_lark(rng), lexer, rng, [words], 6)
        assert not done.findings, done.findings[0]
        n_texts += done.counts.get("texts", 0)
    assert n_texts > 0


def test_a_share_of_json_schema(words: Words):
    import json

    part = OracleJsonSchema()
    n_texts = 0
    for i in range(n_cases(60)):
        rng = random.Random(f"{SEED}/{i}")
        done = part.hold(f"by lot {i}", json.dumps(random_schema(rng)), [], words, rng)
        assert not done.findings, done.findings[0]
        n_texts += done.counts.get("instances", 0)
    assert n_texts > 200 * min(1, SHARE)


def test_the_record_holds_nothing_of_somebody_elses_source():
    tally = Tally("oracle_regex")
    tally.disagree(Disagreement("whole/real 3", "a.", "accepts", b"a", detail="b"), FINDING)
    tally.disagree(Disagreement("whole/by lot 3", "a.", "accepts", b"a"), FINDING)
    real, drawn = tally.rows
    assert set(real) == {"of", "case", "verdict"}
    assert (drawn["source"], drawn["text"]) == ("a.", "a")
    assert tally.findings[0].case == "a."  # beside the checkout, where whoever mends it looks
