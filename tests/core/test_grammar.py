"""Grammar: made, printed, combined, written down, read back.

Twin: xg2lab/reference/ebnf.py
"""

import base64
import json
import lzma
import os
from pathlib import Path
from typing import Any

import pytest

from tests.generators import random_grammar, random_member, seeded, write_ebnf
from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, InvalidJSONError
from xg2lab.grammar import FORMAT, VERSION, Grammar
from xg2lab.reference import ebnf
from xg2lab.reference.earley import parse

DATA = Path(os.environ.get("XG2LAB_DATA") or Path(__file__).parents[2].parent / "shared" / "data")


def without_spans(tree: Any) -> Any:
    """A tree of `expressions()` as the twin writes it."""
    match tree:
        case ("empty", _):
            return ("literal", b"")
        case ("nothing", _):
            return ("class", ())
        case ("literal" | "class" | "rule" as kind, payload, _):
            return (kind, payload)
        case ("repeat", child, least, most, _):
            return ("repeat", without_spans(child), least, most)
        case (kind, children, _):
            return ("seq" if kind == "sequence" else kind, tuple(map(without_spans, children)))


def as_built(expression: Any) -> Any:
    """The twin's tree with what the engine simplifies while it builds: e{1} is e, e{0} is nothing to read."""
    match expression:
        case ("repeat", child, least, most):
            if (least, most) == (1, 1):
                return as_built(child)
            return ("literal", b"") if most == 0 else ("repeat", as_built(child), least, most)
        case ("seq" | "choice" as kind, children):
            return (kind, tuple(map(as_built, children)))
        case _:
            return expression


def trees(grammar: Grammar) -> dict[str, Any]:
    return {name: without_spans(tree) for name, tree in grammar.expressions().items()}


def nodes(tree: Any):
    yield tree
    match tree:
        case ("repeat", child, _, _, _):
            yield from nodes(child)
        case ("sequence" | "choice", children, _):
            for child in children:
                yield from nodes(child)


def productive(rng, **kinds: Any) -> ebnf.Grammar:
    while True:
        grammar = random_grammar(rng, **kinds)
        if random_member(rng, grammar) is not None:
            return grammar


# ---- Parsing and printing ----


def test_random_grammars_are_read_as_by_the_twin_and_print_as_they_were_read() -> None:
    rng = seeded("print")
    for _ in range(600):
        text = write_ebnf(productive(rng), rng)
        grammar = Grammar.from_ebnf(text)
        assert trees(grammar) == {n: as_built(e) for n, e in ebnf.parse_ebnf(text).rules.items()}, text
        printed = str(grammar)
        again = Grammar.from_ebnf(printed)
        assert trees(again) == trees(grammar), text
        assert str(again) == printed


def test_spans_cover_what_was_written() -> None:
    rng = seeded("spans")
    for _ in range(300):
        text = write_ebnf(productive(rng), rng)
        grammar = Grammar.from_ebnf(text)
        data = text.encode()
        for rule in grammar.rules:
            assert data[slice(*rule.name_span)].decode() == rule.name
            assert rule.name_span[0] == rule.span[0] < rule.span[1]
            tree = grammar.expressions()[rule.name]
            for node in nodes(tree):
                begin, end = node[-1]
                assert rule.name_span[1] < begin <= end <= rule.span[1]
                assert grammar.rule_at(begin) in (rule.name, None)
                words = data[begin:end].decode()
                if node[0] == "rule":
                    assert words == node[1]
                elif words:
                    # The words, read by themselves, mean the node (its names are defined here as
                    # anything).
                    names = "".join(f"\n{n} ::= []" for n in {r.name for r in grammar.rules})
                    alone = ebnf.parse_ebnf(f"alone ::= {words}{names}", "alone").rules["alone"]
                    assert without_spans(node) == as_built(alone), (text, words)


def test_parentheses_are_printed_only_where_needed() -> None:
    text = """root ::= ((("a") ("b"))) ("c" | ("d" "e")) (("f"))* ("g" "h")+ ("i"?)* | (("j" | "k"))"""
    assert str(Grammar.from_ebnf(text)) == (
        'root ::= ("a" "b") ("c" | "d" "e") "f"* ("g" "h")+ ("i"?)* | ("j" | "k")\n'
    )


def test_characters_are_printed_readably() -> None:
    text = r"""root ::= "tab\t nul\0 esc\e quote\" back\\ é 😀 \u0301 \xa0 \ufeff" '"' [\]\-a-z\u00e9] [^\n"] [^] []?"""
    assert str(Grammar.from_ebnf(text)) == (
        r"""root ::= "tab\t nul\x00 esc\x1b quote\" back\\ é 😀 \u0301 \xa0 \ufeff" "\"" [\-\]a-zé] [^\n"] [^] []?"""
        "\n"
    )


def test_lookahead_is_printed_and_read_back() -> None:
    text = 'root ::= word "="\nword ::= [a-z]+ | "_" (= "=" | ":")\n'
    assert str(Grammar.from_ebnf(text)) == text


# ---- Looking at a grammar ----


def test_rules_tell_place_body_and_properties() -> None:
    grammar = Grammar.from_ebnf('root ::= list\n\nlist ::= "(" list ")" | ws   # nested\nws ::= " "*')
    facts = [(r.name, r.line, r.span, r.body, r.is_nullable, r.is_recursive) for r in grammar.rules]
    assert facts == [
        ("root", 1, (0, 13), "list", True, False),
        ("list", 3, (15, 41), '"(" list ")" | ws', True, True),
        ("ws", 4, (53, 64), '" "*', True, False),
    ]
    assert grammar.root_rule_name == "root"
    assert repr(grammar) == "<Grammar with root `root`, rules: 3>"
    assert repr(grammar.rules[2]) == '<RuleInfo ws ::= " "*>'
    assert grammar.rule_at(16) == "list"
    assert grammar.rule_at(14) is None


def test_mutual_recursion_is_recursion() -> None:
    grammar = Grammar.from_ebnf('root ::= a   a ::= "x" b | "y"   b ::= c a   c ::= "z"')
    assert [rule.name for rule in grammar.rules if rule.is_recursive] == ["a", "b"]


def test_nullable_follows_rules_and_repetitions() -> None:
    grammar = Grammar.from_ebnf(
        'root ::= a b c d   a ::= b b   b ::= "x"? | "y"   c ::= "z"{0,3} | "w"   d ::= a "!" | e{2}   e ::= []?'
    )
    assert [rule.name for rule in grammar.rules if rule.is_nullable] == ["root", "a", "b", "c", "d", "e"]
    assert not Grammar.from_ebnf('root ::= "x"* "y"').rules[0].is_nullable


# ---- Combining ----


def matches(grammar: Grammar, data: str) -> bool:
    return parse(ebnf.parse_ebnf(str(grammar), grammar.root_rule_name), data.encode()).is_complete()


def test_concat_and_union_keep_the_languages() -> None:
    ab = Grammar.from_ebnf('root ::= "a" root_1? root_1 ::= "b" (= "c")')
    cd = Grammar.from_ebnf('start ::= "c" root   root ::= "d"', root_rule_name="start")
    both = Grammar.concat(ab, cd)
    either = Grammar.union(ab, cd)
    assert [data for data in ("a", "ab", "acd", "abcd", "cd") if matches(both, data)] == ["acd", "abcd"]
    assert [data for data in ("a", "ab", "acd", "abcd", "cd") if matches(either, data)] == ["a", "ab", "cd"]
    assert str(either) == (
        "root ::= root_2 | start\n"
        'root_2 ::= "a" root_1?\n'
        'root_1 ::= "b" (= "c")\n'
        'start ::= "c" root_3\n'
        'root_3 ::= "d"\n'
    )


def test_the_source_of_a_combined_grammar_is_its_text() -> None:
    one = Grammar.from_ebnf('# one\nroot ::= "é"')
    both = Grammar.concat(one, one)
    assert both.source == str(both)
    (kind, payload, span) = both.expressions()["root_2"]
    assert (kind, payload, both.source.encode()[slice(*span)].decode()) == ("literal", "é".encode(), '"é"')


def test_combining_nothing_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="at least one grammar"):
        Grammar.union()
    with pytest.raises((TypeError, RuntimeError)):
        Grammar.concat("root ::= []")


# ---- JSON ----


def test_the_builtin_grammar_is_json() -> None:
    grammar = Grammar.builtin_json_grammar()
    assert grammar.diagnostics == []
    rng = seeded("json")
    twin = ebnf.parse_ebnf(str(grammar))
    for _ in range(200):
        member = random_member(rng, twin)
        assert member is not None
        json.loads(member.decode(), parse_constant=pytest.fail)
    for text in ["", "01", "1.", ".5", "+1", "1e", "[1,]", "{,}", '{"a"}', "{'a':1}", '"\n"', '"\\x"', '"', "nul",
                 "NaN", "1 2", '"\x1f"', "\ufeff1", "[1", '{"a":1,}', "-", "\x0b1"]:  # fmt: skip
        assert not matches(grammar, text), text
    for text in ["0", "-0.0e-0", '"\x7f😀\\ud800\\/"', " [ ] ", '{ "" : { } ,\r\n"a":[null,true , false]}', "1E+10"]:
        assert matches(grammar, text), text


def test_the_builtin_grammar_agrees_with_the_json_test_suite() -> None:
    path = DATA / "json-test-suite" / "parsing.jsonl.xz"
    if not path.exists():
        pytest.skip(f"no {path}")
    grammar = ebnf.parse_ebnf(str(Grammar.builtin_json_grammar()))
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    checked = {"accept": 0, "reject": 0, "either": 0}
    for case in cases:
        data = base64.b64decode(case["b64"])
        if len(data) > 300:  # the twin is slow
            continue
        checked[case["expect"]] += 1
        if case["expect"] != "either":
            assert parse(grammar, data).is_complete() == (case["expect"] == "accept"), case["name"]
    assert checked["accept"] >= 90
    assert checked["reject"] >= 180


# ---- Written down and read back ----


def test_what_is_written_down_is_read_back() -> None:
    rng = seeded("serialize")
    for _ in range(300):
        grammar = Grammar.from_ebnf(write_ebnf(productive(rng), rng))
        for version in [grammar, *(result for _, result in grammar.passes())]:
            again = Grammar.deserialize_json(version.serialize_json())
            assert again.expressions() == version.expressions()
            assert (again.source, again.root_rule_name) == (version.source, version.root_rule_name)
            assert [(r.name, r.span) for r in again.rules] == [(r.name, r.span) for r in version.rules]
    warned = Grammar.from_ebnf('root ::= "a"   unused ::= root')
    assert Grammar.deserialize_json(warned.serialize_json()).diagnostics == warned.diagnostics != []


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff", '{"a":}'])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidJSONError, match="not JSON"):
        Grammar.deserialize_json(text)


def test_other_versions_are_refused() -> None:
    for version in [VERSION + 1, None, "1", True]:
        with pytest.raises(DeserializeVersionError, match="only 2 can be read"):
            Grammar.deserialize_json(json.dumps({"format": FORMAT, "__VERSION__": version}))


def written(**changes: Any) -> str:
    tables = json.loads(Grammar.from_ebnf('root ::= "a" b*   b ::= [0-9]').serialize_json())
    return json.dumps({**tables, **changes})


HOSTILE: dict[str, dict[str, Any]] = {
    "no rules": {"rules": []},
    "no expressions": {"expressions": []},
    "rules of another type": {"rules": 3},
    "root out of range": {"root": 2},
    "negative root": {"root": -1},
    "huge root": {"root": 2**70},
    "boolean root": {"root": True},
    "rule of the wrong length": {"rules": [["root", 0]]},
    "name that cannot be written": {"rules": [["root ::= x", 0, None, 0, 4, 0, 4]]},
    "name that is no text": {"rules": [["\ud800", 0, None, 0, 4, 0, 4]]},
    "two rules of one name": {"rules": [["a", 0, None, 0, 4, 0, 4]] * 2},
    "body out of range": {"rules": [["root", 99, None, 0, 4, 0, 4]]},
    "lookahead out of range": {"rules": [["root", 0, 99, 0, 4, 0, 4]]},
    "span out of the source": {"rules": [["root", 0, None, 0, 400, 0, 4]]},
    "span that runs backwards": {"expressions": [["empty", None, 4, 2]]},
    "unknown kind": {"expressions": [["regex", "a", 0, 1]]},
    "own child": {"expressions": [["sequence", [0, 0], 0, 1]]},
    "repetition of two": {"expressions": [["empty", None, 0, 1], ["repeat", [0, 0, 1, 2], 0, 1]]},
    "reversed repetition": {"expressions": [["empty", None, 0, 1], ["repeat", [0, 3, 2], 0, 1]]},
    "repetition of 32 bits": {"expressions": [["literal", "x", 0, 1], ["repeat", [0, 2**31, 2**31], 0, 1]]},
    "bound of 32 bits": {"expressions": [["literal", "x", 0, 1], ["repeat", [0, 0, 2**31], 0, 1]]},
    "max_tokens of 32 bits": {"options": [[1, 2**31, None, False, None, None, None, False, [[0, 0]] * 7]]},
    "max_chars of 32 bits": {"options": [[1, None, 2**31, False, None, None, None, False, [[0, 0]] * 7]]},
    "reversed range": {"expressions": [["class", [[5, 3]], 0, 1], ["empty", None, 0, 1]]},
    "range beyond Unicode": {"expressions": [["class", [[5, 0x110000]], 0, 1], ["empty", None, 0, 1]]},
    "literal that is a number": {"expressions": [["literal", 5, 0, 1], ["empty", None, 0, 1]]},
    "literal with half a pair": {"expressions": [["literal", "\ud800", 0, 1], ["empty", None, 0, 1]]},
    "reference to no rule": {"expressions": [["rule", 7, 0, 1], ["empty", None, 0, 1]]},
    "float": {"expressions": [["rule", 0.5, 0, 1], ["empty", None, 0, 1]]},
    "a trillion nodes": {
        "expressions": [["empty", None, 0, 1]] + [["sequence", [i, i], 0, 1] for i in range(40)],
        "rules": [["root", 40, None, 0, 4, 0, 4]],
    },
    "twenty thousand levels": {
        "expressions": [["empty", None, 0, 1]] + [["repeat", [i, 2, 2], 0, 1] for i in range(20_000)],
        "rules": [["root", 20_000, None, 0, 4, 0, 4]],
    },
    "a root that never matches": {"expressions": [["nothing", None, 0, 1], ["empty", None, 0, 1]],
                                  "rules": [["root", 0, None, 0, 4, 0, 4]]},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_that_are_no_grammar_are_refused(name: str) -> None:
    with pytest.raises(DeserializeFormatError, match="this JSON is not a grammar"):
        Grammar.deserialize_json(written(**HOSTILE[name]))


def test_other_json_is_refused() -> None:
    for text in ["[]", "1", "{}", '{"format":"x"}', json.dumps({"format": FORMAT, "__VERSION__": VERSION})]:
        with pytest.raises(DeserializeFormatError, match="this JSON is not a grammar"):
            Grammar.deserialize_json(text)


def test_changed_tables_never_crash() -> None:
    rng = seeded("tables")
    text = written()
    n_read = 0
    for _ in range(5000):
        at, width = rng.randrange(len(text)), rng.choice([0, 1, 1, 2])
        changed = text[:at] + rng.choice(["", "0", "9", "-1", "null", '"', "[", "]", ",", "1e9"]) + text[at + width :]
        try:
            grammar = Grammar.deserialize_json(changed)
        except (InvalidJSONError, DeserializeFormatError, DeserializeVersionError):
            continue
        n_read += 1
        grammar.passes()
        str(grammar)
    assert n_read > 100
