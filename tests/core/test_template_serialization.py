"""Templates that are written down come back the same, also with masks; texts that were changed are refused or work."""

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import xg2lab as xgr
from tests.core.test_compiled_template import INFO, ROWS, TOKENS, fills
from tests.core.test_compiled_template import rows as rows_of
from tests.core.test_serialization_hostile import REFUSALS, mutated, packed, set_value, signed, words
from tests.differential import test_schema_templates as schemas
from tests.differential.test_instances import OPTIONS, compare, encoder, random_template, vocabulary
from tests.differential.test_template import random_arguments, with_grammars
from tests.generators import SHARE, seeded
from xg2lab.errors import ArgumentError, DeserializeFormatError, LimitError

SCHEMA = {
    "type": "object",
    "properties": {"id": {"enum": {"$slot": "ids"}}, "n": {"type": "array", "maxItems": {"$slot": "most"}}},
    "required": ["id"],
}
SCHEMA_OPTIONS: list[dict[str, Any]] = [
    {},
    {"any_whitespace": False, "indent": 2, "separators": (", ", ":")},
    {"strict_mode": False, "any_order": False, "max_whitespace_cnt": 1},
    {"number_form": "plain", "check_formats": False, "on_unsupported": "relax"},
]
ARGUMENTS: list[dict[str, Any]] = [{"rows": rows_of("a", "bc")}, {"ids": ["a", 'b"', 1.5], "most": 2}]
N_MUTANTS = round(1500 * SHARE) + 40


def compiled(template: str | xgr.Template, **options: Any) -> xgr.CompiledTemplate:
    return xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**options)).compile_template(template)


def read_again(ready: xgr.CompiledTemplate, *, include_masks: bool = False) -> xgr.CompiledTemplate:
    text = ready.serialize_json(include_masks=include_masks)
    return xgr.CompiledTemplate.deserialize_json(text, ready.tokenizer_info)


def templates() -> list[xgr.Template]:
    return [xgr.Template.from_ebnf(ROWS), xgr.Template.from_json_schema(SCHEMA)]


# ---- What is written comes back ----


@pytest.mark.parametrize("include_masks", [False, True])
@pytest.mark.parametrize("index", [0, 1])
def test_compiled_templates_come_back(index: int, include_masks: bool):
    ready = compiled(templates()[index], tail_calls=False, repetition_threshold=3)
    ready.make_masks()
    again = read_again(ready, include_masks=include_masks)
    assert again.options == ready.options
    assert again.n_states == ready.n_states
    assert again.template.source == ready.template.source
    assert again.template.slots == ready.template.slots
    assert again.serialize_json(include_masks=include_masks) == ready.serialize_json(include_masks=include_masks)
    rng = seeded(f"templates again {index}")
    pair = [each.instantiate(**ARGUMENTS[index]) for each in (again, ready)]
    assert sum(compare(pair[0], pair[1], rng) for _ in range(10)) > 20


@pytest.mark.parametrize("options", SCHEMA_OPTIONS)
@pytest.mark.parametrize("given", [SCHEMA, json.dumps(SCHEMA), json.dumps(SCHEMA).encode()])
def test_a_schema_is_read_with_its_options(given: Any, options: dict[str, Any]):
    template = xgr.Template.from_json_schema(given, **options)
    again = xgr.Template.deserialize_json(template.serialize_json())
    assert again.source == template.source
    assert again.serialize_json() == template.serialize_json()
    assert str(again.write_out(**ARGUMENTS[1])) == str(template.write_out(**ARGUMENTS[1]))


def test_numbers_of_schemas_keep_their_digits():
    schema = '{"anyOf": [{"type": "number", "multipleOf": 0.10, "minimum": 1e-30}, {"const": {"$slot": "v"}}]}'
    template = xgr.Template.from_json_schema(schema)
    again = xgr.Template.deserialize_json(template.serialize_json())
    assert "0.10" in again.source
    assert str(again.write_out(v=1)) == str(template.write_out(v=1))


def test_a_schema_with_a_registry():
    registry: dict[str, Any] = {"https://a.example/x": {"enum": ["p"]}, "https://a.example/y": '{"const": 1.50}'}
    schema = {"anyOf": [{"$ref": uri} for uri in registry] + [{"enum": {"$slot": "ids"}}]}
    template = xgr.Template.from_json_schema(schema, registry=registry)
    again = xgr.Template.deserialize_json(template.serialize_json())
    assert again.source == template.source
    assert str(again.write_out(ids=["q"])) == str(template.write_out(ids=["q"]))


def test_another_root_and_bytes():
    template = xgr.Template.from_ebnf('root ::= "é"   main ::= $x root'.encode(), root_rule_name="main")
    again = xgr.Template.deserialize_json(template.serialize_json())
    assert str(again.write_out(x="a")) == str(template.write_out(x="a"))
    assert again.write_out(x="a").root_rule_name == "main"


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies(copied: Callable[[Any], Any]):
    for template, arguments in zip(templates(), ARGUMENTS, strict=True):
        again = copied(template)
        assert again.slots == template.slots
        assert str(again.write_out(**arguments)) == str(template.write_out(**arguments))
        ready = compiled(template, minimize=False)
        other = copied(ready)
        assert other is not ready
        assert other.options == ready.options
        first, second = (xgr.GrammarMatcher(each.instantiate(**arguments)) for each in (ready, other))
        assert first.allowed_tokens() == second.allowed_tokens()


def test_instances_of_what_is_read_make_no_mask_that_was_written():
    ready = compiled(ROWS)
    ready.make_masks()
    n_built: list[int] = []
    for include_masks in (True, False):
        again = read_again(ready, include_masks=include_masks)
        grammar = again.instantiate(rows=rows_of("a", "b"))
        known = {rule["id"] for rule in grammar.program()["rules"] if rule["states"][1] <= again.n_states}
        found = fills(grammar, b'<row id="a">hello</row>\n<row id="b">you</row>')
        n_built.append(sum(fill["n_built"] for fill in found if fill["rules"] <= known))
    assert n_built[0] == 0
    assert n_built[1] > 0


def test_without_the_cross_grammar_cache_no_masks_are_written():
    ready = compiled(ROWS, cross_grammar_cache=False)
    ready.make_masks()
    text = ready.serialize_json(include_masks=True)
    assert json.loads(text)["masks"] == []
    assert read_again(ready, include_masks=True).n_states == ready.n_states


@pytest.mark.filterwarnings("ignore:rules with different temperatures")
@pytest.mark.parametrize("name", ["all-on", "all-off", "all-counted", "by-entries", "in-context"])
def test_the_law_holds_for_templates_that_were_read(name: str):
    rng = seeded(f"templates read again, {name}")
    n_steps = n_masks = n_read = 0
    n_cases = int(60 * SHARE) + 10
    for i in range(n_cases):
        encode = None
        try:
            if i % 3 == 0:
                template = xgr.Template.from_json_schema(schemas.random_schema(rng, 3), **rng.choice(schemas.OPTIONS))
                info = schemas.INFO
            else:
                info = vocabulary(rng)
                encode = encoder(rng, info) if i % 3 == 1 else None
                spelling = "bytes" if encode is None else "tokens"
                template = xgr.Template.from_ebnf(random_template(rng), spelling=spelling, encode=encode)
            compiler = xgr.GrammarCompiler(info, options=OPTIONS[name])
            ready = compiler.compile_template(template)
        except xgr.Xg2LabError:
            continue
        ready.make_masks()
        text = ready.serialize_json(include_masks=True)
        n_masks += len(json.loads(text)["masks"])
        again = xgr.CompiledTemplate.deserialize_json(text, info, encode=encode)
        assert again.serialize_json(include_masks=True) == text
        for _ in range(2):
            arguments = (
                schemas.random_arguments(rng, template)
                if i % 3 == 0
                else with_grammars(random_arguments(rng, template, {""}, 2), xgr.Grammar.from_ebnf)
            )
            try:
                written = compiler.compile_grammar(template.write_out(**arguments))
            except xgr.Xg2LabError as error:
                with pytest.raises(type(error)):
                    again.instantiate(**arguments)
                continue
            n_steps += compare(again.instantiate(**arguments), written, rng)
            n_read += 1
    assert n_read > n_cases / 8
    assert n_steps > n_cases / 2
    assert (n_masks > n_cases) == OPTIONS[name].cross_grammar_cache


# ---- What is refused ----


def written(index: int, *, include_masks: bool = True) -> str:
    ready = compiled(templates()[index])
    ready.make_masks()
    return ready.serialize_json(include_masks=include_masks)


def refused(text: Any) -> Any:
    with pytest.raises(REFUSALS) as caught:
        xgr.CompiledTemplate.deserialize_json(text, INFO)
    assert caught.value.hint
    return caught.value


def with_a_return_node(record: dict[str, Any]) -> list[Any]:
    return next(row for row in record["masks"] if row[3])


def return_nodes(change: Callable[[list[int]], list[int]]) -> Callable[[dict[str, Any]], None]:
    def changed(record: dict[str, Any]) -> None:
        row = with_a_return_node(record)
        row[3] = packed(change(words(row[3])))

    return changed


def accepts_after_the_end(record: dict[str, Any]) -> None:
    """The first part with return nodes accepts all text tokens."""
    row = with_a_return_node(record)
    row[1:3] = ["rejected_list", ""]


CHANGES: list[tuple[int, Callable[[dict[str, Any]], None], str, str]] = [
    (0, set_value("format", "xg2lab.CompiledGrammar"), "/format", "is not"),
    (0, set_value("__VERSION__", 1), "/__VERSION__", "version 1"),
    (0, set_value("tokenizer", "content_hash", "0"), "/tokenizer", "other contents"),
    (0, set_value("options", "max_stacks", True), "/options/max_stacks", "not of type int"),
    (0, set_value("template", []), "/template", "not a dict"),
    (0, set_value("template", "kind", "lark"), "/template/kind", "'lark'"),
    (0, set_value("template", "text", 1), "/template/text", "not a str"),
    (0, set_value("template", "text", "root ::= $x OneOf($x)"), "/template", "list of texts"),
    (0, set_value("template", "text", "root ::= \ud800"), "/template", "UTF-8"),
    (0, set_value("template", "root_rule_name", None), "/template/root_rule_name", "not a str"),
    (0, set_value("template", "root_rule_name", "main"), "/template", "main"),
    (1, set_value("template", "options", None), "/template/options", "not a dict"),
    (1, set_value("template", "options", "indent", -1), "/template/options/indent", "-1"),
    (1, set_value("template", "options", "strict_mode", 1), "/template/options/strict_mode", "1"),
    (1, set_value("template", "options", "separators", ["a"]), "/template/options/separators", "['a']"),
    (1, set_value("template", "options", "registry", {}), "/template/options/registry", "no such option"),
    (1, set_value("template", "options", "number_form", "x"), "/template", "number_form"),
    (1, set_value("template", "registry", []), "/template/registry", "not a dict"),
    (1, set_value("template", "registry", {"a": 1}), "/template/registry", "not a str"),
    (1, set_value("template", "text", "{"), "/template", "line 1"),
    (0, set_value("n_states", 10**6), "/n_states", "1000000 states"),
    (0, set_value("n_states", True), "/n_states", "not an int"),
    (0, set_value("template", "text", ROWS.replace("</row>", "</rows>")), "/n_states", "states"),
    (0, set_value("masks", {}), "/masks", "not a list"),
    (0, set_value("masks", 0, 0, 10**6), "/masks/0", "out of range"),
    (0, set_value("masks", 1, 0, 0), "/masks/1", "out of order"),
    (0, set_value("masks", 0, 1, "list"), "/masks/0", "its form is unknown"),
    (0, set_value("masks", 0, [8]), "/masks/0", "expected a row of 4"),
    (0, set_value("masks", 0, [0, "bitset", packed([1]), ""]), "/masks/0", "another size"),
    (0, set_value("masks", 0, [0, "accepted_list", packed([2, 1]), ""]), "/masks/0", "out of order"),
    (0, set_value("masks", 0, [0, "accepted_list", packed([len(TOKENS)]), ""]), "/masks/0", "not text"),
    (0, set_value("masks", 0, [0, "accepted_list", packed([10**6]), ""]), "/masks/0", "out of range"),
    (0, set_value("masks", 0, [0, "rejected_list", packed([len(TOKENS)]), ""]), "/masks/0", "not text"),
    (0, set_value("masks", 0, [0, "rejected_list", packed(list(range(len(TOKENS)))), ""]), "/masks/0", "smallest"),
    (0, return_nodes(lambda nodes: [*nodes, 10**6]), "/masks/", "node is out of range"),
    (0, return_nodes(lambda nodes: [0, *nodes]), "/masks/", "node is out of order"),
    (0, return_nodes(lambda nodes: [*nodes, nodes[-1]]), "/masks/", "node is out of order"),
    (0, accepts_after_the_end, "/masks/", "its rule has ended"),
    (0, set_value("options", "cross_grammar_cache", False), "/masks", "share no masks"),
]


@pytest.mark.parametrize(("index", "change", "pointer", "words_of_message"), CHANGES)
def test_a_change_is_refused_at_its_place(
    index: int, change: Callable[[dict[str, Any]], None], pointer: str, words_of_message: str
):
    record = json.loads(written(index))
    change(record)
    error = refused(signed(record))
    assert error.pointer.startswith(pointer) if pointer.endswith("/") else error.pointer == pointer
    assert words_of_message in str(error)


def test_damage_and_other_texts_are_refused():
    text = written(0)
    assert refused(text.replace("row", "raw")).pointer == "/checksum"
    for other in ("", "{", "[]", "1" * 10_000, "[" * 100_000, b"\xff", text[:-9]):
        refused(other)
        with pytest.raises(REFUSALS):
            xgr.Template.deserialize_json(other)
    with pytest.raises(DeserializeFormatError, match=r"is not 'xg2lab\.Template'"):
        xgr.Template.deserialize_json(text)


def test_another_tokenizer_is_refused():
    other = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
    with pytest.raises(DeserializeFormatError) as caught:
        xgr.CompiledTemplate.deserialize_json(written(0), other)
    assert caught.value.pointer == "/tokenizer"
    assert "the template was compiled for a tokenizer of other contents" in str(caught.value)


def test_limits_are_those_of_the_text():
    record = json.loads(written(0, include_masks=False))
    record["options"]["max_fsm_states"] = 2
    with pytest.raises(LimitError):
        xgr.CompiledTemplate.deserialize_json(signed(record), INFO)


def test_a_template_that_does_not_know_how_it_was_read():
    template = xgr.Template(xgr.Template.from_ebnf("root ::= $x")._text)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(ArgumentError, match="how it was read"):
        template.serialize_json()


# ---- Texts changed at random ----


@pytest.mark.parametrize("include_masks", [False, True])
@pytest.mark.parametrize("index", [0, 1])
def test_mutants_are_refused_or_work(index: int, include_masks: bool):
    """Without masks, an instance of a mutant is what the mutant's own template means."""
    rng = seeded(f"mutants of templates {index} {include_masks}")
    text = written(index, include_masks=include_masks)
    n_read = n_refused = n_steps = 0
    for _ in range(N_MUTANTS // 4):
        record = json.loads(text)
        for _ in range(rng.choice([1, 1, 2])):
            part = record.get(rng.choice(["template", "options", "masks", "format"]))
            mutated(rng, part if isinstance(part, (dict, list)) and part else record)
        if rng.random() < 0.3 and isinstance(record.get("template"), dict):
            source = record["template"].get("text")
            if isinstance(source, str) and source:
                at = rng.randrange(len(source))
                record["template"]["text"] = source[:at] + rng.choice(["", "a", '"', " "]) + source[at + 1 :]
        try:
            ready = xgr.CompiledTemplate.deserialize_json(signed(record), INFO)
        except (*REFUSALS, LimitError):
            n_refused += 1
            continue
        n_read += 1
        try:
            instance = ready.instantiate(**ARGUMENTS[index])
        except xgr.Xg2LabError:
            with pytest.raises(xgr.Xg2LabError):
                xgr.GrammarCompiler(INFO, options=ready.options).compile_grammar(
                    ready.template.write_out(**ARGUMENTS[index])
                )
            continue
        with suppress(LimitError):  # of the mutant's options
            if include_masks:
                matcher = xgr.GrammarMatcher(instance)
                for _ in range(8):
                    if not any(matcher.accept_token(token) for token in matcher.allowed_tokens()[:-1]):
                        break
                continue
            usual = dataclasses.replace(ready.options, max_configuration_bytes=96 << 20)
            compiler = xgr.GrammarCompiler(INFO, options=usual)
            n_steps += compare(instance, compiler.compile_grammar(ready.template.write_out(**ARGUMENTS[index])), rng)
    assert n_refused > 0
    assert n_read > 0
    assert include_masks or n_steps > n_read
