"""Which keywords there are, by `$schema`; and where a $dynamicRef leads, by the way to it."""

from typing import Any

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from tests.json_schema.test_keywords import verdicts
from xg2lab.errors import UnsupportedError

DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
VOCABULARY = "https://json-schema.org/draft/2020-12/vocab/"


def judged(schema: Any, *texts: str, **options: Any) -> list[bool]:
    return verdicts(schema, *texts, strict_mode=False, **options)


def notes(schema: Any, **options: Any) -> dict[str, tuple[str, str]]:
    coverage = xgr.Grammar.from_json_schema(schema, strict_mode=False, **options).coverage
    return {use.pointer: (use.state, use.note) for use in coverage if use.note}


@pytest.mark.parametrize(
    ("draft", "keyword", "said", "text"),
    [
        ("draft-04", "const", 1, "2"),
        ("draft-04", "contains", False, "[1]"),
        ("draft-06", "if", {"type": "number"}, "1"),
        ("draft-07", "dependentRequired", {"a": ["b"]}, '{"a":1}'),
        ("2019-09", "prefixItems", [False], "[1]"),
    ],
)
def test_keywords_that_came_after_the_draft_check_nothing_and_say_so(draft: str, keyword: str, said: Any, text: str):
    schema = {keyword: said} | ({"then": False} if keyword == "if" else {})
    assert judged(schema, text) == [False]
    assert judged({"$schema": f"http://json-schema.org/{draft}/schema#"} | schema, text) == [True]
    named = notes({"$schema": f"http://json-schema.org/{draft}/schema#"} | schema)
    assert named[f"/{keyword}"] == ("annotation", f"not a keyword of {draft}, which `$schema` names")


def test_each_resource_has_its_dialect():
    old = {"$schema": DRAFT_2019, "$id": "http://x.test/old", "prefixItems": [False], "items": {"$ref": "new"}}
    new = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "http://x.test/new",
        "prefixItems": [False],
    }
    registry = {"http://x.test/old": old, "http://x.test/new": new}
    schema = {"$id": "http://x.test/root", "prefixItems": [{"const": 1}, {"$ref": "old"}]}
    assert judged(schema, "[1,[[]]]", "[1,[[1]]]", "[2]", registry=registry) == [True, False, False]
    # One within another; a schema that is no resource has none of its own.
    inner = {
        "$defs": {
            "a": {"$id": "a", "$schema": DRAFT_7, "$ref": "#/definitions/b", "const": 2, "definitions": {"b": {}}}
        }
    }
    assert judged({"$ref": "a", **inner}, "1", "2") == [True, True]
    assert judged({"properties": {"a": {"$schema": DRAFT_7, "prefixItems": [False]}}}, '{"a":[1]}') == [False]


def test_vocabularies_of_a_metaschema_say_which_keywords_there_are():
    def registry(**listed: bool) -> dict[str, Any]:
        return {
            "http://x.test/m": {"$vocabulary": {VOCABULARY + name.replace("_", "-"): on for name, on in listed.items()}}
        }

    schema = {"$schema": "http://x.test/m", "properties": {"a": {"minimum": 3}, "b": False}}
    texts = ['{"a":1}', '{"b":1}']
    assert judged(schema, *texts) == [False, False]  # a metaschema that nobody knows
    assert judged(schema, *texts, registry=registry(core=True, applicator=True)) == [True, False]
    assert judged(schema, *texts, registry=registry(core=True, validation=False)) == [True, True]
    said = notes(schema, registry=registry(core=True, applicator=True))
    assert said["/properties/a/minimum"] == ("annotation", "in no vocabulary that `$schema` names")
    strange = {"http://x.test/m": {"$vocabulary": {VOCABULARY + "core": True, "http://x.test/v": True}}}
    with pytest.raises(UnsupportedError, match=r"requires the unknown vocabulary `http://x\.test/v`") as refused:
        judged(schema, "{}", registry=strange)
    assert [(d.code, bool(d.hint)) for d in refused.value.diagnostics] == [("unsupported_vocabulary", True)]
    strange["http://x.test/m"]["$vocabulary"]["http://x.test/v"] = False
    assert judged(schema, "1", registry=strange) == [True]


def test_formats_are_checked_unless_they_are_asked_to_be_annotations():
    schema = {"properties": {"a": {"format": "ipv4"}, "b": {"format": "regex"}}}
    assert judged({"format": "ipv4"}, '"1.2.3.4"', '"x"') == [True, False]
    assert judged(schema, '{"a":"x","b":"("}', check_formats=False) == [True]
    said = ("annotation", "formats are not checked: check_formats is False")
    named = notes(schema, check_formats=False)
    assert (named["/properties/a/format"], named["/properties/b/format"]) == (said, said)
    with pytest.raises(UnsupportedError, match="check_formats=False"):
        judged(schema, "{}")
    # Where the dialect asserts formats, that's what they are.
    assertion = {"http://x.test/m": {"$vocabulary": {VOCABULARY + "core": True, VOCABULARY + "format-assertion": True}}}
    schema = {"$schema": "http://x.test/m", "format": "ipv4"}
    assert judged(schema, '"x"', check_formats=False, registry=assertion) == [False]
    assert judged(schema, '"x"', check_formats=False) == [True]


def test_a_format_that_leaves_something_out_says_so():
    assert notes({"format": "hostname"})["/format"][1].startswith("stricter than the standard: no labels with xn--")
    assert notes({"format": "date"}) == {}


def test_a_dynamic_reference_means_the_outermost_anchor_on_the_way():
    def items(kind: str) -> dict[str, Any]:
        return {"$id": f"{kind}s", "$ref": "list", "$defs": {"item": {"$dynamicAnchor": "item", "type": kind}}}

    schema = {
        "properties": {"s": {"$ref": "strings"}, "n": {"$ref": "numbers"}, "any": {"$ref": "list"}},
        "$defs": {
            "list": {
                "$id": "list",
                "type": "array",
                "items": {"anyOf": [{"$dynamicRef": "#item"}, {"$ref": "#"}]},
                "$defs": {"item": {"$dynamicAnchor": "item", "type": ["null", "string"]}},
            },
            "s": items("string"),
            "n": items("number"),
        },
    }
    valid = ['{"s":["a",["a"]]}', '{"n":[1,[[2]]]}', '{"any":[null,["a"]]}']
    invalid = ['{"s":[1]}', '{"s":["a",[null]]}', '{"n":[[["a"]]]}', '{"any":[1]}']
    assert judged(schema, *valid, *invalid) == [True] * 3 + [False] * 4


def test_what_a_dynamic_reference_evaluates_depends_on_the_way_as_well():
    schema = {
        "$ref": "closed",
        "$defs": {
            "closed": {"$id": "closed", "$ref": "base", "unevaluatedProperties": False,
                       "$defs": {"x": {"$dynamicAnchor": "x", "properties": {"b": {}}}}},
            "base": {"$id": "base", "properties": {"a": {}}, "$dynamicRef": "#x",
                     "$defs": {"x": {"$dynamicAnchor": "x", "properties": {"c": {}}}}},
        },
    }  # fmt: skip
    assert judged(schema, '{"a":1,"b":2}', '{"c":1}') == [True, False]


def test_recursive_references_of_2019():
    tree = {"$id": "tree", "$recursiveAnchor": True, "type": "object", "properties": {"sub": {"$recursiveRef": "#"}}}
    strict = {
        "$schema": DRAFT_2019,
        "$id": "strict",
        "$recursiveAnchor": True,
        "$ref": "tree",
        "unevaluatedProperties": False,
        "$defs": {"tree": tree},
    }
    assert judged(strict, '{"sub":{"sub":{}}}', '{"x":1}', '{"sub":{"x":1}}') == [True, False, False]
    assert judged({"$ref": "tree", "$defs": {"s": strict}}, '{"sub":{"x":1}}') == [True]
