"""Members in any order from outside: meaning at a glance, mistakes, size, masks, what is told and written down.

What they mean in every combination is in tests/differential/test_any_order.py.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from tests.generators import SHARE
from tests.masks import mask_disagreements
from tests.vocabularies import CWV_NAMES, cwv_info
from xg2lab.errors import DeserializeFormatError, GrammarError, GrammarSyntaxError, LimitError, UnsupportedError
from xg2lab.language.members import sample

BYTES = [bytes([byte]) for byte in range(128)]
PERSON = """
root ::= "{" AnyOrder(name, age?, tag*, id, sep=", ") "}"
name ::= "\\"name\\": " string
age ::= "\\"age\\": " [0-9]+
tag ::= "\\"tag\\": " string
id ::= "\\"id\\": " [0-9]+
string ::= "\\"" [^"\\\\\\n]* "\\""
"""


def compiled_for(grammar: str, tokens: list[bytes] = BYTES, **options: Any) -> xgr.CompiledGrammar:
    info = xgr.TokenizerInfo([*tokens, b"</s>"], stop_token_ids=[len(tokens)])
    return xgr.GrammarCompiler(info, options=xgr.EngineOptions(**options)).compile_grammar(grammar)


def is_member(compiled: xgr.CompiledGrammar, text: str) -> bool:
    matcher = xgr.GrammarMatcher(compiled)
    return matcher.accept_string(text) and matcher.is_completed()


def keys(n: int, mark: str = "?", extra: str = "") -> str:
    """An object of n keys with strings as values."""
    members = ", ".join(f"k{i}{mark}" for i in range(n))
    rules = "\n".join(f'k{i} ::= "\\"key{i}\\": " string' for i in range(n))
    return f'root ::= "{{" AnyOrder({members}, sep=", "{extra}) "}}"\n{rules}\nstring ::= "\\"" [^"\\\\\\n]* "\\""'


def mask_of(matcher: xgr.GrammarMatcher, n_tokens: int) -> np.ndarray:
    bitmask = xgr.allocate_token_bitmask(1, n_tokens)
    matcher.fill_next_token_bitmask(bitmask)
    return np.unpackbits(np.ascontiguousarray(bitmask[0]).view(np.uint8), bitorder="little")[:n_tokens]


# ---- Meaning ----


@pytest.mark.parametrize("parser", ["earley", "pda"])
def test_each_key_as_often_as_it_may_be_in_any_order(parser: str):
    compiled = compiled_for(PERSON, parser=parser)
    parts = {"name": '"name": "Ada"', "age": '"age": 36', "tag": '"tag": "x"', "id": '"id": 7'}
    for n in range(5):
        for chosen in itertools.product(parts, repeat=n):
            counts = {name: chosen.count(name) for name in parts}
            is_right = counts["name"] == counts["id"] == 1 and counts["age"] <= 1
            text = "{" + ", ".join(parts[name] for name in chosen) + "}"
            assert is_member(compiled, text) == is_right, text


@pytest.mark.parametrize(
    ("arguments", "members", "others"),
    [
        ("a, b", ["ab", "ba"], ["", "a", "aa", "aba"]),
        ("a?, b?", ["", "a", "b", "ab", "ba"], ["aa", "aba"]),
        ("a*, b", ["b", "ab", "aba", "aab"], ["", "a", "bb"]),
        ("a+, b?", ["a", "ba", "aba"], ["", "b", "abab"]),
        ("a?, b?, c?, max=2", ["", "a", "cb"], ["abc"]),
        ("a, b?, c?, max=2", ["a", "ab", "ca"], ["bc", "b", "abc", "bca"]),
        ("a*, b?, min=3", ["aaa", "aba", "aaaa"], ["ab", "aa", "b"]),
        ("a?, b?, c?, min=2", ["ab", "cab"], ["a", ""]),
        ("a, b, c*, max=3", ["ab", "cab", "acb"], ["ccab", "cc", "abcc"]),
        ("a?, max=0", [""], ["a"]),
        ("", [""], ["a"]),
    ],
)
def test_bounds(arguments: str, members: list[str], others: list[str]):
    compiled = compiled_for(f'root ::= AnyOrder({arguments}) a ::= "a" b ::= "b" c ::= "c"')
    assert [text for text in members + others if is_member(compiled, text)] == members


def test_nothing_is_begun_that_cannot_be_finished():
    """With room for two, and `a` and `b` needed, `c` may come at no time; then what is lacking is forced."""
    compiled = compiled_for('root ::= AnyOrder(a, b, c?, sep=",", max=2) a ::= "a1" b ::= "b1" c ::= "c1"')
    matcher = xgr.GrammarMatcher(compiled)
    assert not matcher.accept_string("c")
    assert matcher.accept_string("a")
    assert matcher.find_jump_forward_string() == "1,b1"
    assert matcher.accept_string("1,b1")
    assert not matcher.accept_string(",")
    assert matcher.is_completed()


def test_members_that_look_alike_are_kept_apart():
    """A digit may have been x or y; after two, both were."""
    compiled = compiled_for("root ::= AnyOrder(x, y?, z?) x ::= [0-9] y ::= [0-9a] z ::= [a-f]")
    assert [
        text for text in ["1", "12", "1a", "a1", "11a", "aa1", "aaa", "a", "123", "1aa"] if is_member(compiled, text)
    ] == [
        "1",
        "12",
        "1a",
        "a1",
        "11a",
        "aa1",
        "1aa",
    ]


def test_within_itself_each_level_has_its_own_set():
    text = 'root ::= node   node ::= "<" AnyOrder(a?, b?, sep=",") ">"   a ::= "a" node?   b ::= "b" node?'
    for parser in ("earley", "pda"):
        compiled = compiled_for(text, parser=parser)
        assert is_member(compiled, "<a<b<a,b>,a>,b<>>")
        assert not is_member(compiled, "<a<b>,a>")


def test_separators_may_be_nothing_or_a_rule():
    compiled = compiled_for('root ::= AnyOrder(a, b?, sep=s) a ::= "a" b ::= "b" s ::= [ ]*')
    assert [text for text in ["ab", "a b", "b   a", "a ", " a", "a"] if is_member(compiled, text)] == [
        "ab",
        "a b",
        "b   a",
        "a",
    ]


def test_members_with_options_stay_rules():
    text = 'root ::= AnyOrder(a, b?, sep=",") a[capture] ::= [0-9]+ b[max_chars=2, temperature=0.5] ::= [a-z]+'
    matcher = xgr.GrammarMatcher(compiled_for(text))
    assert matcher.accept_string("xy")
    assert not matcher.accept_string("z")
    assert matcher.accept_string(",42")
    assert matcher.is_completed()
    assert matcher.get_captures() == [("a", b"42")]


# ---- Mistakes ----


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("root ::= AnyOrder(a, b)", "undefined_rule", "`a`"),
        ('root ::= AnyOrder("a")', "bad_macro_argument", "a member must be the name of a rule"),
        ('root ::= AnyOrder(a{2}) a ::= "a"', "bad_macro_argument", "a member must be the name of a rule"),
        ('root ::= AnyOrder(a, sep=5) a ::= "a"', "bad_macro_argument", "sep must be a text or the name of a rule"),
        ('root ::= AnyOrder(a, min="x") a ::= "a"', "bad_macro_argument", "min must be a whole number"),
        ('root ::= AnyOrder(a, max=0) a ::= "a"', "bad_macro_argument", "needs 1 of its members, but max is 0"),
        ('root ::= AnyOrder(a?, min=2) a ::= "a"', "bad_macro_argument", "each of which may come once"),
        ('root ::= AnyOrder(a*, min=2, max=1) a ::= "a"', "bad_macro_argument", "at least 2 and at most 1"),
        ('root ::= AnyOrder(a, most=1) a ::= "a"', "bad_macro_argument", "no argument"),
        ('root ::= AnyOrder(a, ordered=1) a ::= "a"', "bad_macro_argument", "ordered must be true or false"),
        ('root ::= TagDispatch(("x", a?)) a ::= "a"', "bad_macro_argument", "a tag must be a text"),
    ],
)
def test_mistakes_are_found_where_they_are(text: str, code: str, words: str):
    with pytest.raises((GrammarSyntaxError, GrammarError)) as caught:
        xgr.Grammar.from_ebnf(text)
    found = caught.value.diagnostics
    assert any(d.code == code and words in d.message and d.span is not None for d in found), found


def test_a_member_that_may_be_nothing_is_refused_at_its_place():
    with pytest.raises(GrammarError) as caught:
        xgr.Grammar.from_ebnf('root ::= AnyOrder(a, b?) a ::= "a" b ::= [0-9]*')
    assert str(caught.value) == (
        "member `b` may match the empty text, so it is not known how often it has been matched\n"
        "  grammar:1:22\n"
        '    1 | root ::= AnyOrder(a, b?) a ::= "a" b ::= [0-9]*\n'
        "      |                      ^^\n"
        "  hint: let `b` match at least one byte, and write b? if it may be missing"
    )


def test_a_member_that_never_ends_is_left_out_and_one_that_must_is_an_error():
    grammar = xgr.Grammar.from_ebnf('root ::= AnyOrder(a, b?, sep=",") a ::= "a" b ::= "b" b')
    assert "never_matches" in {d.code for d in grammar.diagnostics}
    compiled = compiled_for(str(grammar))
    assert is_member(compiled, "a")
    assert not xgr.GrammarMatcher(compiled).accept_string("b")
    with pytest.raises(GrammarError, match="never ends"):
        xgr.Grammar.from_ebnf('root ::= AnyOrder(a, b, sep=",") a ::= "a" b ::= "b" b')


def test_a_separator_that_never_ends_leaves_room_for_one():
    compiled = compiled_for('root ::= AnyOrder(a?, b?, sep=s) a ::= "a" b ::= "b" s ::= "," s')
    assert [text for text in ["", "a", "b", "a,b"] if is_member(compiled, text)] == ["", "a", "b"]


def test_they_are_no_part_of_a_rule_that_becomes_one_machine():
    with pytest.raises(UnsupportedError, match="a state for each set of its members"):
        compiled_for('root ::= x x[max_chars=5] ::= AnyOrder(a, b) a ::= "a" b ::= "b"')


def test_too_many_readings_are_a_limit():
    members = ", ".join(f"m{i}?" for i in range(20))
    rules = " ".join(f'm{i} ::= "a"' for i in range(20))
    matcher = xgr.GrammarMatcher(compiled_for(f"root ::= AnyOrder({members}) {rules}"))
    with pytest.raises(LimitError, match="let no two members of AnyOrder match the same text"):
        matcher.accept_string("a" * 10)


# ---- Printing and passes ----


@pytest.mark.parametrize(
    "body",
    [
        "AnyOrder(a)",
        "AnyOrder(a, b?, c*, d+)",
        'AnyOrder(a, b?, sep=", ", min=1, max=5)',
        "AnyOrder(a*, sep=s, min=2)",
        "AnyOrder(a, b?, sep=s, max=2, ordered=true)",
    ],
)
def test_printed_text_is_read_back(body: str):
    text = f'root ::= "<" {body} ">"\na ::= "a"\nb ::= "b"\nc ::= "c"\nd ::= "d"\ns ::= ","\n'
    grammar = xgr.Grammar.from_ebnf(text)
    assert str(grammar) == text
    assert xgr.Grammar.deserialize_json(grammar.serialize_json()).expressions() == grammar.expressions()


def test_expressions_say_what_is_written():
    grammar = xgr.Grammar.from_ebnf('root ::= AnyOrder(a, b*, sep=",", max=3) a ::= "a" b ::= "b"')
    kind, members, separator, least, most, _ = grammar.expressions()["root"]
    assert (kind, separator[:2], least, most) == ("any_order", ("literal", b","), 0, 3)
    assert [(member[1], low, high) for member, low, high in members] == [("a", 1, 1), ("b", 0, None)]


def test_members_that_are_nothing_else_are_no_rules_of_the_program():
    names = [
        rule["name"]
        for rule in compiled_for('root ::= AnyOrder(a, b?, sep=",") a ::= "a" b ::= "b" root?').program()["rules"]
    ]
    assert names == ["root", 'AnyOrder(a, b?, sep=",")', 'member of AnyOrder(a, b?, sep=",")', '","']


# ---- Size ----


def test_a_thousand_keys_are_one_item_at_the_place_of_a_key():
    compiled = compiled_for(keys(1000))
    matcher = xgr.GrammarMatcher(compiled)
    order = list(range(1000))
    random.Random(7).shuffle(order)
    assert matcher.accept_string("{" + ", ".join(f'"key{i}": "v"' for i in order[:500]) + ", ")
    live = [item for item in matcher.live_items() if compiled.program()["states"][item["state"]]["scannable"]]
    assert len(live) == 1
    assert not matcher.accept_string(f'"key{order[0]}":')
    assert matcher.accept_string(f'"key{order[500]}": "w"' + "}")
    assert matcher.is_completed()


def test_ten_thousand_members_do_not_blow_up():
    compiled = compiled_for(keys(10_000))
    matcher = xgr.GrammarMatcher(compiled)
    order = random.Random(7).sample(range(10_000), 300)
    assert matcher.accept_string("{" + ", ".join(f'"key{i}": "v"' for i in order))
    assert not matcher.accept_string(f', "key{order[5]}":')
    assert matcher.accept_string("}")
    assert compiled.memory_size_bytes < 60_000_000


def test_columns_grow_by_members_and_not_by_subsets():
    """All orders of four of twelve keys: as many sets as there are, and not one column more for each order."""
    compiled = compiled_for(keys(12))
    for order in itertools.permutations(range(4)):
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string("{" + ", ".join(f'"key{i}": "v"' for i in order) + "}")
    n_columns = compiled.n_columns
    for order in itertools.permutations(range(4)):
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string("{" + ", ".join(f'"key{i}": "v"' for i in order) + "}")
    assert compiled.n_columns == n_columns


# ---- Masks ----


PLACES = {
    "declared": (
        PERSON.replace("tag*, id,", "tag*, id, more?,") + 'more ::= "\\"namespace\\": " string',
        [
            "{",
            '{"',
            '{"name": "A", ',
            '{"name": "A", "',
            '"na',
            '{"age": 3',
            '{"namespace": "x", "n',
            '{"tag": "a", "tag": "',
        ],
    ),
    "others": (
        'root ::= "{" AnyOrder(name?, id?, other?, sep=", ", max=2) "}" name ::= "\\"name\\": " v '
        'id ::= "\\"id\\": " v   v ::= [0-9]+ | "\\"" [^"]* "\\"" other ::= "\\"" [^"]* "\\": " v',
        [
            "{",
            '{"',
            '{"na',
            '{"x": 1, ',
            '{"x": 1, "',
            '{"x": 1, "n',
            '{"name": 1, "',
            '{"name": 1, "id": 2',
            '{"id": "',
            "{",
        ],
    ),
}


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("name", CWV_NAMES[:3])
def test_masks_are_what_is_accepted_in_a_real_vocabulary(name: str, places: str):
    info = cwv_info(name)
    rng = random.Random(3)
    grammar, texts = PLACES[places]
    compiled = xgr.GrammarCompiler(info).compile_grammar(grammar)
    for text in texts:
        matcher = xgr.GrammarMatcher(compiled)
        if not matcher.accept_string(text):
            assert text == '"na'
            continue
        mask = mask_of(matcher, info.vocab_size)
        allowed = np.flatnonzero(mask).tolist()
        chosen = rng.sample(allowed, min(len(allowed), round(2000 * SHARE)))
        chosen += rng.sample(range(info.vocab_size), round(3000 * SHARE))
        assert mask_disagreements(matcher, chosen) == [], text


def test_one_entry_serves_all_sets_at_the_place_of_a_key():
    tokens = [
        *BYTES,
        *(f'"key{i}'.encode() for i in range(40)),
        b'", "',
        b', "key',
        b'"key1": "',
        b'"key1": "v", "key2',
    ]
    compiled = compiled_for(keys(40), tokens)
    n_built = []
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string("{")
    for i in random.Random(1).sample(range(40), 40):
        mask = mask_of(matcher, len(tokens) + 1)
        n_built.append(matcher.last_fill()["n_built"])
        for token in range(len(tokens)):
            is_accepted = matcher.accept_token(token)
            assert is_accepted == bool(mask[token]), tokens[token]
            if is_accepted:
                matcher.rollback(1)
        assert matcher.accept_string(f'"key{i}": "v"')
        assert matcher.accept_string(", ") == (len(n_built) < 40)
    assert sum(n_built[1:]) <= 1  # what may end follows the first key, but not another


def test_the_place_of_a_key_is_masked_alike_after_moving_to_a_fresh_table():
    roomy, tight = (xgr.GrammarMatcher(compiled_for(keys(30), max_configuration_bytes=n)) for n in (1 << 26, 4096))
    texts = [f'"key{i}": "value"' for i in random.Random(1).sample(range(30), 30)]
    for k, text in enumerate(texts):
        for piece in ("{" if k == 0 else ", ", text):
            assert roomy.accept_string(piece)
            assert tight.accept_string(piece)
            assert roomy.allowed_tokens() == tight.allowed_tokens()
    for n_back in (1, 20, 30):
        roomy.rollback(n_back)
        tight.rollback(n_back)
        assert roomy.allowed_tokens() == tight.allowed_tokens()


# ---- What is told ----


def test_explanations_say_what_there_is_and_what_is_lacking():
    matcher = xgr.GrammarMatcher(compiled_for(PERSON))
    assert matcher.accept_string('{"name": "Ada", "age": 36')
    assert matcher.explain(data=b"}")["reason"] == (
        'It breaks at byte 1 of 1 (}): expected [,0-9]. AnyOrder(name, age?, tag*, id, sep=", ") '
        "already has age, name; still needs id."
    )
    assert matcher.accept_string(', "')
    why = matcher.explain(data=b"n")
    assert why["allowed"] is False
    assert why["reason"].endswith("already has age, name; still needs id.")
    assert why["expected_text"] == "[it]"


def test_a_token_of_a_member_that_was_matched_is_explained():
    tokens = [*BYTES, b'"name', b'"id']
    matcher = xgr.GrammarMatcher(compiled_for(PERSON, tokens))
    assert matcher.accept_string('{"name": "Ada", ')
    why = matcher.explain(len(BYTES))
    assert (why["allowed"], why["mechanism"]) == (False, "rejected_by_parent_check")
    assert why["reason"] == (
        "It begins a member that is not allowed here: it breaks at byte 2 of 5 (n), expected [ait]. "
        'AnyOrder(name, age?, tag*, id, sep=", ") already has name; still needs id.'
    )
    assert why["entry"]["state"] == matcher.mask_entries()[0]["state"]
    assert matcher.explain(len(BYTES) + 1)["mechanism"] == "accepted_by_cache"
    assert matcher.provenance()[len(BYTES)] == 3  # decided in context


def test_the_chart_says_which_members_an_item_has():
    matcher = xgr.GrammarMatcher(compiled_for(PERSON))
    assert matcher.accept_string('{"name": "Ada", "id": 3, ')
    done = {item["done"] for item in matcher.live_items() if "done" in item}
    assert done == {"id, name"}


def test_the_program_says_what_the_members_are():
    rules = compiled_for('root ::= AnyOrder(b?, a+, sep=",", max=4) a ::= "a" b ::= "b"').program()["rules"]
    told = next(rule["any_order"] for rule in rules if "any_order" in rule)
    assert told == {
        "members": [
            {"name": "a", "required": True, "repeats": True},
            {"name": "b", "required": False, "repeats": False},
        ],
        "ordered": False,
        "min": 0,
        "max": 4,
    }


# ---- Written down ----


@pytest.mark.parametrize("parser", ["earley", "pda"])
def test_a_compiled_grammar_is_read_back(parser: str):
    compiled = compiled_for(PERSON, parser=parser)
    matcher = xgr.GrammarMatcher(compiled)
    for piece in ("{", '"name": "A"', ", "):
        assert matcher.accept_string(piece)
        matcher.allowed_tokens()
    for include_masks in (False, True):
        text = compiled.serialize_json(include_masks=include_masks)
        read = xgr.CompiledGrammar.deserialize_json(text, compiled.tokenizer_info)
        assert read.serialize_json(include_masks=include_masks) == text
        other = xgr.GrammarMatcher(read)
        assert other.accept_string('{"name": "A", ')
        assert other.allowed_tokens() == matcher.allowed_tokens()
        assert is_member(read, '{"id": 1, "name": "x"}')
        assert not is_member(read, '{"id": 1, "id": 1}')


def test_a_member_that_never_ends_is_no_program():
    compiled = compiled_for('root ::= AnyOrder(a, b, sep=",") a ::= "a" b ::= "b"')
    text = compiled.serialize_json()
    assert text.count('"!!"') == 2  # in the grammar and in the program
    for marks in ('"!!!"', '"!"', '"!x"'):
        with pytest.raises(DeserializeFormatError):
            xgr.CompiledGrammar.deserialize_json(text.replace('"!!"', marks), compiled.tokenizer_info)


# ---- Samples and lints ----


@pytest.mark.parametrize(
    "arguments",
    [
        'a, b?, c*, sep=","',
        "a+, b?, sep=s, max=2",
        'a?, b?, c?, min=2, sep=","',
        "c*, min=3",
        'a, b, c?, max=2, sep=","',
    ],
)
def test_samples_are_members_of_all_kinds(arguments: str):
    grammar = f'root ::= "<" AnyOrder({arguments}) ">" a ::= "a" b ::= [b-d] c ::= "c" "c"? s ::= "," | ""'
    compiled = compiled_for(grammar)
    texts = sample(grammar, 60, seed=3)
    assert all(is_member(compiled, text) for text in texts)
    assert len(set(texts)) > 3


def test_lints_look_past_members_in_any_order():
    text = 'root ::= AnyOrder(x, y, sep=",") x ::= "x" w y ::= "y" w w ::= [ ]*'
    assert [finding.code for finding in xgr.lint(text)] == ["endless_whitespace"]
