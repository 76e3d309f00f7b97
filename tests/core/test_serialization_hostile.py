"""Texts that were changed, by mistake or by malice: a typed error with the place, or an object that works.

XG2LAB_SEED repeats a run.
"""

import base64
import json
import random
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from xg2lab.compiler import CompiledGrammar
from xg2lab.compiling.serialization import VERSION, checksum_of
from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, InvalidJSONError, LimitError

INFO = xgr.TokenizerInfo(
    [b"a", b"b", b"ab", b"aa", b"<a>", b"<", b"x", b"\xc3", b"</s>", b"<s>", b""],
    stop_token_ids=[8],
    special_token_ids=[9],
)
REFUSALS = (DeserializeFormatError, DeserializeVersionError, InvalidJSONError)
TEXTS = [
    'root ::= "a" r | "b" root "x" r ::= [ab]* "é"',
    'root ::= ("a" | "ab"){3,200} s s ::= ("b" s | "")',
    'root ::= TagDispatch(("<a>", r), ("<b>", r), stop_str=("x"), excludes=("xx")) r ::= "a"{2,} root2 root2 ::= "b"',
    'root ::= root "a" | "x" | (root "b"){40,}',
]
MEMBERS = 'root ::= "<" AnyOrder(x, y?, z*, sep="b", min=1, max=4) "x"?   x ::= "a"   y ::= "ab" | "xx" y   z ::= "<a>"'
TOKENS = 'root ::= Token(9, 0) r* ExcludeToken(2) | "a"   r ::= "b" Token(0, 9) | ExcludeToken(2){3,9}'
N_MUTANTS = round(3000 * SHARE)


def written(text: str, *, parser: Any = "earley", threshold: int = 0) -> str:
    """A compiled grammar with a few masks, as text."""
    options = xgr.EngineOptions(parser=parser, repetition_threshold=threshold, rule_inlining=False)
    compiled = xgr.GrammarCompiler(INFO, options=options).compile_grammar(text)
    matcher = xgr.GrammarMatcher(compiled)
    for _ in range(4):
        matcher.accept_token(matcher.allowed_tokens()[0])
    return compiled.serialize_json(include_masks=True)


WRITTEN = [
    *(written(text) for text in TEXTS),
    written(TEXTS[1], parser="pda"),
    written(TEXTS[2], parser="pda", threshold=9),
    written(TOKENS),
    written(MEMBERS),
    written(MEMBERS, parser="pda"),
]


def words(text: str) -> list[int]:
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def packed(values: list[int]) -> str:
    return base64.b64encode(struct.pack(f"<{len(values)}I", *values)).decode()


def signed(record: Any) -> str:
    """As text, with the checksum of what it says now: as somebody would write it who means harm."""
    if isinstance(record, dict):
        record["checksum"] = checksum_of(record)
    return json.dumps(record)


def refused(text: Any) -> Any:
    with pytest.raises(REFUSALS) as caught:
        CompiledGrammar.deserialize_json(text, INFO)
    assert caught.value.hint
    return caught.value


def set_word(name: str, index: int, value: int) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        values = words(record["program"][name])
        values[index] = value
        record["program"][name] = packed(values)

    return change


def set_value(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        *parents, last, value = path
        at: Any = record
        for key in parents:
            at = at[key]
        at[last] = value

    return change


def unsorted_edges(record: dict[str, Any]) -> None:
    values = words(record["program"]["terminal_edges"])
    states = words(record["program"]["states"])
    n_before = 0
    for i in range(0, len(states), 3):
        if states[i + 1] > 1:
            at = 3 * n_before
            values[at : at + 3], values[at + 3 : at + 6] = values[at + 3 : at + 6], values[at : at + 3]
            break
        n_before += states[i + 1]
    record["program"]["terminal_edges"] = packed(values)


def no_accepting_state(record: dict[str, Any]) -> None:
    states = words(record["program"]["states"])
    states[::3] = [0] * len(states[::3])
    record["program"]["states"] = packed(states)


def calls_itself_alone(record: dict[str, Any]) -> None:
    """One rule: two states, from the first to the second by a match of the rule itself."""
    record["program"].update(
        root=0, rules=[["root", 0, 0, 0, 0, 2, None, None, None]], states=packed([0, 0, 1, 1, 0, 0]), terminal_edges="",
        rule_edges=packed([0, 1, 0]), n_spans=packed([0]), spans="",
    )  # fmt: skip


def unreachable_state(record: dict[str, Any]) -> None:
    record["program"].update(
        root=0, rules=[["root", 0, 0, 0, 0, 2, None, None, None]], states=packed([1, 0, 0, 1, 0, 0]), terminal_edges="",
        rule_edges="", n_spans="", spans="",
    )  # fmt: skip


def token_rule(tokens: Any) -> Callable[[dict[str, Any]], None]:
    """The first rule of tokens takes others."""

    def change(record: dict[str, Any]) -> None:
        assert record["program"]["rules"][2][8] == [False, [0, 9]]
        record["program"]["rules"][2][8] = tokens

    return change


def mask_of_a_token_edge(record: dict[str, Any]) -> None:
    """A mask that a token edge doesn't have: it allows the stop token."""
    before = sum(row[5] for row in record["program"]["rules"][:2])
    record["masks"] = [[before, "accepted_list", packed([8]), ""]]


CHANGES = [
    (0, set_value("program", "root", 99), "/program/root", "not one of the rules"),
    (0, set_value("program", "root", True), "/program/root", "expected an integer"),
    (0, set_value("program", "rules", {}), "/program/rules", "not a list"),
    (0, set_value("program", "rules", 0, 5, 1 << 31), "/program/states", "differs from the rules' counts"),
    (0, set_value("program", "rules", 0, 5, 0), "/program/rules/0", "no states"),
    (0, set_value("program", "rules", 0, 5, 1 << 70), "/program/rules/0", "out of range"),
    (0, set_value("program", "rules", 0, 2, 10**6), "/program/rules/0", "out of the source"),
    (0, set_value("program", "rules", 0, 0, "\ud800"), "/program/rules/0", "surrogate"),
    (0, set_value("program", "spans", "AAAAAAA"), "/program/spans", "not base64"),
    (0, set_value("program", "spans", "AAA="), "/program/spans", "whole words"),
    (0, set_value("program", "states", packed([1])), "/program/states", "cut off"),
    (0, set_value("program", "rules", 0, [1]), "/program/rules/0", "expected a row of 9"),
    (0, set_value("program", "more", 1), "/program", "fields"),
    (0, set_word("states", 1, 0xFFFFFFFF), "/program/terminal_edges", "their number differs"),
    (0, set_word("states", 0, 2), "/program/states/0", "expected 0 or 1"),
    (0, set_word("terminal_edges", 0, 0x10000), "/program/terminal_edges/0", "byte is out of range"),
    (0, set_word("terminal_edges", 0, 0x0061), "/program/states/0", "an invalid range"),
    (0, set_word("terminal_edges", 1, 77), "/program/states/0", "leads out of its rule"),
    (0, set_word("terminal_edges", 2, 77), "/program/states/0", "origins"),
    (0, set_word("rule_edges", 0, 77), "/program/states/1", "calls a rule that does not exist"),
    (0, set_word("n_spans", 0, 0xFFFFFFFF), "/program/spans", "their number differs"),
    (0, unsorted_edges, "/program/states/0", "not in order"),
    (0, no_accepting_state, "/program/states/0", "can't end from it"),
    (0, calls_itself_alone, "/program/rules/0", "can't match anything"),
    (0, unreachable_state, "/program/states/1", "nothing leads to it"),
    (0, set_value("masks", 0, 0, 10**6), "/masks/0", "out of range"),
    (0, set_value("masks", 0, 1, "list"), "/masks/0", "its form is unknown"),
    (0, set_value("masks", 0, 2, packed([1 << 8])), "/masks/0", "is not text"),
    (0, set_value("masks", 0, 2, packed([1, 1])), "/masks/0", "another size"),
    (0, set_value("masks", 0, [0, "accepted_list", packed([1]), ""]), "/masks/0", "smallest"),
    (0, set_value("masks", 0, 3, packed([1, 0])), "/masks/0", "out of order"),
    (0, set_value("masks", 0, [8]), "/masks/0", "expected a row of 4"),
    (0, set_value("options", "parser", "lr"), "/options", "must be 'earley', 'pda' or 'operators'"),
    (0, set_value("options", "max_stacks", 1 << 80), "/options/max_stacks", "out of range"),
    (0, set_value("options", "max_stacks", True), "/options/max_stacks", "not of type int"),
    (0, set_value("options", "more", True), "/options", "more"),
    (0, set_value("grammar", "root", 99), "/grammar", "root"),
    (0, set_value("grammar", {}), "/grammar", "expressions"),
    (0, set_value("tokenizer", []), "/tokenizer", "not a dict"),
    (0, set_value("__VERSION__", 1), "/__VERSION__", "version 1"),
    (0, set_value("__VERSION__", 3), "/__VERSION__", "version 3"),
    (0, set_value("__VERSION__", True), "/__VERSION__", "version True"),
    (0, set_value("format", "xg2lab.grammar"), "/format", "is not"),
    (3, set_value("options", "parser", "pda"), "/program", "pushdown automaton"),
    (6, set_value("program", "rules", 0, 8, [False, [9]]), "/program/rules/0", "machine is not a token edge"),
    (6, token_rule([False, [9, 0]]), "/program/rules/2", "out of order"),
    (6, token_rule([False, [0, 0]]), "/program/rules/2", "out of order"),
    (6, token_rule([False, []]), "/program/rules/2", "empty"),
    (6, token_rule([False, [8]]), "/program/rules/2", "a token edge of this vocabulary can take none"),
    (6, token_rule([False, [10]]), "/program/rules/2", "a token edge of this vocabulary can take none"),
    (6, token_rule([False, [11]]), "/program/rules/2", "a token edge of this vocabulary can take none"),
    (6, token_rule([True, [(1 << 32) - 2]]), "/program/rules/2", "a token edge of this vocabulary can take none"),
    (
        6,
        token_rule([True, [0, 1, 2, 3, 4, 5, 6, 7, 9]]),
        "/program/rules/2",
        "a token edge of this vocabulary can take none",
    ),
    (6, token_rule([0, [9]]), "/program/rules/2", "expected true or false"),
    (6, token_rule([False, [-1]]), "/program/rules/2", "out of range"),
    (6, token_rule([False, 9]), "/program/rules/2", "list"),
    (6, token_rule(None), "/program/states/", "nothing leads to it"),
    (6, mask_of_a_token_edge, "/masks/0", "token edge"),
]


@pytest.mark.parametrize(("index", "change", "pointer", "words_of_message"), CHANGES)
def test_a_change_is_refused_at_its_place(
    index: int, change: Callable[[dict[str, Any]], None], pointer: str, words_of_message: str
):
    record = json.loads(WRITTEN[index])
    change(record)
    error = refused(signed(record))
    assert error.pointer.startswith(pointer) if pointer.endswith("/") else error.pointer == pointer
    assert words_of_message in str(error)


def counted_rule(record: dict[str, Any]) -> list[Any]:
    return next(row for row in record["program"]["rules"] if row[6] is not None)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((None, 5, 4), "bounds are invalid"),
        ((None, 0, 0), "bounds are invalid"),
        ((None, 3, 1 << 31), "bounds are invalid"),
        ((10**6, 3, 4), "child does not exist"),
        ((0, 3, 4), "not that of a counted rule"),
        ((None, 0, 4), "matches the empty string"),
    ],
)
def test_a_repetition_is_checked(bounds: tuple[int | None, int, int], message: str):
    record = json.loads(WRITTEN[1])
    row = counted_rule(record)
    row[6] = [row[6][0] if bounds[0] is None else bounds[0], *bounds[1:]]
    assert message in str(refused(signed(record)))


def test_a_dispatch_is_checked():
    record = json.loads(WRITTEN[2])
    row = next(row for row in record["program"]["rules"] if row[7] is not None)
    places = words(row[7][3])
    for changed, message in (
        ([*row[7][:3], packed(places[4:])], "one dispatch position for each state"),
        ([*row[7][:3], packed([3, *places[1:]])], "an unknown mode"),
        ([*row[7][:3], packed([1, 0, 99, 99, *places[4:]])], "outside the texts"),
        ([[], *row[7][1:]], "more tags"),
        ([row[7][0], 9, *row[7][2:]], "more tags"),
    ):
        kept, row[7] = row[7], changed
        assert message in str(refused(signed(record)))
        row[7] = kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "1",
        "{}",
        '"x"',
        "[" * 100_000,
        '{"a":' * 100_000,
        "\x00" * 100,
        b"\xff\xfe\xff",
        "1" * 10_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_compiled_grammar_at_all(text: Any):
    refused(text)
    for read in (xgr.Grammar.deserialize_json, xgr.TokenizerInfo.deserialize_json):
        with pytest.raises(REFUSALS):
            read(text)


def test_a_megabyte_of_noise():
    rng = seeded("a megabyte of noise")
    refused(rng.randbytes(1 << 20))
    refused(rng.randbytes(1 << 20).decode("latin-1"))


def test_every_beginning_is_refused():
    for text in WRITTEN:
        for n in range(0, len(text), 41):
            refused(text[:n])


def rules_that_all_return_to_all(n: int) -> str:
    """Each rule ends in a call of the next, and goes on after another."""
    record = json.loads(WRITTEN[0])
    calls = [word for i in range(n) for word in ((i + 1) % n, 1, 0, (i + 1) % n, 2, 0)]
    record["program"].update(
        root=0,
        rules=[[f"r{i}", 0, 0, 0, 0, 3, None, None, None] for i in range(n)],
        states=packed([0, 1, 2, 1, 0, 0, 0, 1, 0] * n),
        terminal_edges=packed([0x6161, 1, 0, 0x6262, 1, 0] * n),
        rule_edges=packed(calls),
        n_spans=packed([0]),
        spans="",
    )
    record["masks"] = []
    return signed(record)


def test_no_table_grows_with_the_square():
    sizes = [
        CompiledGrammar.deserialize_json(rules_that_all_return_to_all(n), INFO).memory_size_bytes for n in (4000, 8000)
    ]
    assert sizes[1] < 2.5 * sizes[0], sizes


# ---- Texts changed at random ----


def mutated(rng: random.Random, record: Any) -> None:
    """Changes one value somewhere in it, a word within base64 included."""
    at = record
    while True:
        keys: list[Any] = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = rng.choice(keys)
        if not isinstance(at[key], (dict, list)) or not at[key] or rng.random() < 0.05:
            break
        at = at[key]
    value = at[key]
    if isinstance(value, str) and len(value) % 4 == 0 and len(value) >= 8 and rng.random() < 0.9:
        try:
            values = words(value)
            i = rng.randrange(len(values))
            values[i] = rng.choice([0, 1, 2, values[i] + 1, values[i] ^ 1, rng.choice(values), rng.getrandbits(32)]) % (
                1 << 32
            )
            at[key] = packed(values)
            return
        except (ValueError, struct.error):
            pass
    if isinstance(value, int) and rng.random() < 0.8:
        at[key] = max(0, value + rng.choice([-1, 1, 2, 40, 1 << 20, 1 << 40]))
        return
    at[key] = rng.choice([None, 0, 1, -1, 1.5, "", "a", [], {}, True, [[]], "AAAA", 2**31, value])


def use(compiled: CompiledGrammar, rng: random.Random) -> None:
    """Walks, looks and walks back: nothing may crash, and a mask's token that the parser refuses is a wrong mask's."""
    matcher = xgr.GrammarMatcher(compiled)
    compiled.program()
    for _ in range(6):
        allowed = matcher.allowed_tokens()
        matcher.find_jump_forward_string()
        matcher.explain(rng.randrange(INFO.vocab_size))
        taken = [token for token in rng.sample(allowed, len(allowed)) if token != 8 and matcher.accept_token(token)]
        if not taken:
            break
    matcher.rollback(matcher.n_steps)
    matcher.live_items()
    compiled.serialize_json(include_masks=True)


@pytest.mark.parametrize("index", range(len(WRITTEN)))
def test_mutants_are_refused_or_work(index: int):
    rng = seeded(f"mutants {index}")
    n_read = n_refused = 0
    for _ in range(N_MUTANTS // len(WRITTEN)):
        record = json.loads(WRITTEN[index])
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            mutated(
                rng, record["program"] if rng.random() < 0.6 and isinstance(record.get("program"), dict) else record
            )
        text = signed(record)
        try:
            compiled = CompiledGrammar.deserialize_json(text, INFO)
        except (*REFUSALS, LimitError):  # LimitError: the mutant's own options leave reading no room
            n_refused += 1
            continue
        n_read += 1
        again = CompiledGrammar.deserialize_json(compiled.serialize_json(), INFO)
        assert again.program() == compiled.program()
        with suppress(LimitError):  # of the mutant's options
            use(compiled, rng)
    assert n_refused > n_read > 0


@pytest.mark.parametrize("index", range(len(WRITTEN)))
def test_mutants_of_grammars_and_tokenizers(index: int):
    rng = seeded(f"mutants of parts {index}")
    grammar = json.dumps({"format": "xg2lab.grammar", "__VERSION__": VERSION, **json.loads(WRITTEN[index])["grammar"]})
    for text, read in (
        (grammar, xgr.Grammar.deserialize_json),
        (INFO.serialize_json(), xgr.TokenizerInfo.deserialize_json),
    ):
        for _ in range(N_MUTANTS // 8):
            record = json.loads(text)
            mutated(rng, record)
            with suppress(xgr.Xg2LabError):
                repr(read(json.dumps(record)))


# ---- Damage, and masks that are not those of the program ----


def test_damage_is_found_wherever_it_is():
    """Each sampled character of each text becomes another: what is still JSON is no longer what was written."""
    rng = seeded("damage")
    n_damaged = 0
    for text in WRITTEN:
        for _ in range(max(20, round(200 * SHARE))):
            at = rng.randrange(len(text))
            other = chr(rng.choice([ord(text[at]) ^ 1, *b"019aAz/+ ,"]))
            damaged = text[:at] + other + text[at + 1 :]
            try:
                is_same = json.loads(damaged) == json.loads(text)
            except ValueError:
                is_same = False
            if is_same:
                continue
            refused(damaged)
            n_damaged += 1
    assert n_damaged > 100


def test_space_is_no_damage():
    for text in WRITTEN:
        again = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
        assert CompiledGrammar.deserialize_json(again, INFO).serialize_json() is not None


def test_a_mask_of_another_state_is_found():
    """With a checksum that fits, each mask in turn allows one text token more, or one less."""
    n_found = 0
    for text in WRITTEN:
        for i, row in enumerate(json.loads(text)["masks"]):
            values = words(row[2])
            uncertain = {INFO.vocabulary.token_at(rank) for rank in words(row[3])}
            for token in range(8):
                if token in uncertain:
                    continue
                record = json.loads(text)
                changed = [values[0] ^ (1 << token)] if row[1] == "bitset" else sorted({*values} ^ {token})
                record["masks"][i] = [row[0], row[1], packed(changed), row[3]]
                error = refused(signed(record))
                assert error.pointer == f"/masks/{i}"
                n_found += "allows other tokens" in error.message
    assert n_found > 20


def test_an_earlier_version_is_refused_with_its_remedy():
    record = json.loads(WRITTEN[0])
    del record["checksum"]
    assert refused(json.dumps(record)).pointer == "/checksum"
    record["__VERSION__"] = 1
    error = refused(json.dumps(record))
    assert isinstance(error, DeserializeVersionError)
    assert "compile the grammar again" in error.hint
