"""The guide's grammars: what each should accept and should not, its pitfalls, and its helpers for tests."""

import json

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab.testing import (
    _get_masked_tokens_from_bitmask,
    _get_matcher_from_grammar,
    _is_grammar_accept_string,
    _regex_to_ebnf,
    bitmask_to_bool_mask,
    bool_mask_to_bitmask,
)

BEGIN, END = "<start_function_call>call:", "<end_function_call>"


# ---- EBNF ----


@pytest.mark.parametrize(
    ("body", "accepts", "rejects"),
    [
        ('"hello"', ["hello"], ["hell"]),
        ("'hello'", ["hello"], ["'hello'"]),
        ("[a-zA-Z]", ["q", "Q"], ["1"]),
        ("[0-9]", ["7"], ["x"]),
        ("[^}]", ["x", "é", "\n"], ["}"]),
        ("[A-Za-z0-9_]", ["_"], ["-"]),
        (r"[ \t\r\n]", ["\t", "\r", "\n", " "], ["x"]),
        ("[abc]", ["a", "c"], ["d"]),
        (r"[^<\\]", ["x"], ["<", "\\"]),
        ('"a"?', ["", "a"], ["aa"]),
        ('"a"*', ["", "aaa"], ["b"]),
        ('"a"+', ["a", "aaa"], [""]),
        ('"a" | "b" | "c"', ["a", "b", "c"], ["ab"]),
        ('("a" | "b") "c"', ["ac", "bc"], ["c"]),
        ('"hello" " " "world"', ["hello world"], ["helloworld"]),
    ],
)
def test_syntax(body, accepts, rejects):
    assert xgr.check(f"root ::= {body}", accepts, rejects).ok


def test_raw_strings_and_escaped_ones_are_the_same_grammar():
    raw, escaped = r"ws ::= [ \t\r\n]+", "ws ::= [ \\t\\r\\n]+"
    for text in (raw, escaped):
        assert xgr.check(f"root ::= ws   {text}", accepts=[" \t\n\r"], rejects=["t"]).ok
    assert {finding.code for finding in xgr.lint("root ::= [ \t\r\n]+")} >= {
        "unterminated_class"
    }  # neither raw nor escaped


JSON = r"""
root ::= basic_array | basic_object
basic_any ::= basic_number | basic_string | basic_boolean | basic_null | basic_array | basic_object
basic_number ::= ("0" | "-"? [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
basic_string ::= "\"" basic_string_content "\""
basic_string_content ::= "" | [^"\\] basic_string_content | "\\" escape basic_string_content
escape ::= ["\\/bfnrt] | "u" [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9]
basic_boolean ::= "true" | "false"
basic_null ::= "null"
basic_array ::= "[" ws (basic_any (ws "," ws basic_any)*)? ws "]"
basic_object ::= "{" ws (basic_string ws ":" ws basic_any (ws "," ws basic_string ws ":" ws basic_any)*)? ws "}"
ws ::= [ \n\t]*
"""


def test_json():
    values = [[], {}, [1, -2.5, True, None], {"a": {"b": ['é\n"', 1e30]}}]
    assert xgr.check(JSON, [json.dumps(value) for value in values], ["1", "[1,]", "{a:1}", '["\\x"]']).ok
    assert all(
        json.loads(member.replace("\t", " "), strict=False) is not None for member in xgr.sample(JSON, 50, seed=0)
    )
    # The blank of an empty list can stand at two places: the lint finds what the guide doesn't say.
    assert {"ambiguous", "endless_whitespace"} <= {finding.code for finding in xgr.lint(JSON, seconds=120)}


def test_expressions():
    text = r"""
    root ::= expr "=" term
    expr ::= term ([-+*/] term)*
    term ::= num | "(" expr ")"
    num ::= [0-9]+
    """
    assert xgr.check(text, accepts=["1+2*(3-4)=5"], rejects=["1+=5", "1+2"]).ok


# ---- JSON Schema and patterns ----


def test_pydantic_models():
    pydantic = pytest.importorskip("pydantic")
    person = pydantic.create_model("Person", name=(str, ...), age=(int, ...), hobbies=(list[str] | None, None))
    grammar = xgr.Grammar.from_json_schema(person)
    assert xgr.check(
        grammar,
        accepts=['{"name": "A", "age": 3}', '{"name": "A", "age": 3, "hobbies": ["x"]}'],
        rejects=['{"name": "A"}', '{"name": "A", "age": "3"}'],
    ).ok


def test_schemas_as_dicts_and_text():
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
    }
    for form in (schema, json.dumps(schema)):
        grammar = xgr.Grammar.from_json_schema(form, any_whitespace=False, separators=(",", ":"), strict_mode=True)
        assert xgr.check(grammar, ['{"name":"x","age":1}'], ['{"name": "x","age":1}', '{"name":"x"}']).ok
    spaced = xgr.Grammar.from_json_schema(schema, indent=2)
    assert isinstance(str(spaced), str)
    few = xgr.Grammar.from_json_schema(schema, max_whitespace_cnt=10)
    assert xgr.check(few, ['{"name": "x",  "age": 1}'], ['{"name":' + " " * 11 + '"x", "age": 1}']).ok


@pytest.mark.parametrize(
    ("pattern", "accepts", "rejects"),
    [
        (r"\d{3}-\d{3}-\d{4}", ["555-123-4567"], ["5551234567"]),
        (r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}", ["a.b@c.org"], ["a.b@c", "@c.org"]),
        (r"[^abc]\d\w\s(x|y)?z*", ["d1_ xzz"], ["a1_ x"]),
    ],
)
def test_patterns(pattern, accepts, rejects):
    assert xgr.check(xgr.Grammar.from_regex(pattern), accepts, rejects).ok


@pytest.mark.parametrize("pattern", [r"\p{L}+", r"(?:ab){2}", r"a(?!b)."])
def test_patterns_that_the_guide_knows_as_unsupported(pattern):
    assert xgr.sample(xgr.Grammar.from_regex(pattern), 3, seed=0)


# ---- Tool calls, level by level ----

STRICT = rf"""
root ::= "<start_function_call>" "call:" tool_name "{{" arg_body "}}" "{END}"
tool_name ::= "simple_tool" | "submit_result"
arg_body ::= arg_char*
arg_char ::= [^}}]
"""
PERMISSIVE = STRICT.replace("root ::= ", "root ::= ws? ").replace(f'"{END}"', f'"{END}" ws?') + r"ws ::= [ \t\r\n]+"
STRUCTURED = rf"""
root ::= "<start_function_call>" "call:" tool_name obj "{END}"
tool_name ::= "simple_tool" | "submit_result"
obj ::= "{{" ws? (pair (ws? "," ws? pair)*)? ws? "}}"
pair ::= ident ws? ":" ws? value
value ::= escaped_string | number | boolean | "null" | obj | arr
arr ::= "[" ws? (value (ws? "," ws? value)*)? ws? "]"
escaped_string ::= "<escape>" str_char* "<escape>"
str_char ::= [^<\\] | "\\" ["\\/bfnrt]
number ::= "-"? int frac? exp?
int ::= "0" | [1-9] [0-9]*
frac ::= "." [0-9]+
exp ::= ("e" | "E") ("+" | "-")? [0-9]+
boolean ::= "true" | "false"
ident ::= [A-Za-z_] [A-Za-z0-9_]*
ws ::= [ \t\r\n]+
"""
PER_TOOL = rf"""
root ::= "<start_function_call>" "call:" function_call "{END}"
function_call ::= "get_weather" args_weather | "get_time" args_time
args_weather ::= "{{" ws? "location" ws? ":" ws? escaped_string ws? "}}"
args_time ::= "{{" ws? "timezone" ws? ":" ws? escaped_string ws? "}}"
escaped_string ::= "<escape>" [^<]* "<escape>"
ws ::= [ \t\r\n]+
"""


def calls(*inner):
    return [f"{BEGIN}{text}{END}" for text in inner]


def test_level_1_strict():
    good = calls("simple_tool{}", "submit_result{a: <b>\n}")
    bad = [*calls("unknown{}", " simple_tool{}", "simple_tool{}}"), f" {good[0]}", "plain text"]
    assert xgr.check(STRICT, good, bad).ok
    assert xgr.lint(STRICT).worst is None


def test_level_2_permissive():
    good = calls("simple_tool{}")
    assert xgr.check(PERMISSIVE, [*good, f" \n{good[0]}\t"], calls("unknown{}")).ok
    assert [finding.code for finding in xgr.lint(PERMISSIVE)] == ["endless_whitespace"], "the guide's third pitfall"


def test_level_3_structured():
    good = calls("simple_tool{}", "submit_result{n: -1.5e3, s:<escape>a \\n b<escape>, o:{x:[true,null]}}")
    assert xgr.check(STRUCTURED, good, calls("simple_tool{1:2}", "simple_tool{a:<escape>b}", "simple_tool{a:01}")).ok


def test_level_4_for_each_tool():
    good = calls("get_weather{location:<escape>Oslo<escape>}", "get_time{ timezone : <escape>UTC<escape> }")
    assert xgr.check(PER_TOOL, good, calls("get_time{location:<escape>Oslo<escape>}", "get_weather{}")).ok


def test_several_calls():
    text = rf"""
    root ::= function_call+
    function_call ::= "<start_function_call>" "call:" tool_name "{{" arg_body "}}" "{END}"
    tool_name ::= "tool_a" | "tool_b"
    arg_body ::= [^}}]*
    """
    assert xgr.check(text, ["".join(calls("tool_a{}", "tool_b{x}"))], [""]).ok


def test_grammars_made_of_tools():
    tools = [{"type": "function", "function": {"name": name}} for name in ("greet", 'odd"name', "back\\slash")]

    def escaped(value):
        return value.replace("\\", "\\\\").replace('"', '\\"')

    names = " | ".join(f'"{escaped(tool["function"]["name"])}"' for tool in tools if tool["type"] == "function")
    text = "\n".join([
        f'root ::= "<start_function_call>" "call:" tool_name "{{" arg_body "}}" "{END}"',
        "", f"tool_name ::= {names}", "", "arg_body ::= arg_char*", "arg_char ::= [^}]", "",
    ])  # fmt: skip
    assert xgr.check(text, calls("greet{}", 'odd"name{}', "back\\slash{}"), calls("odd{}")).ok


# ---- Pitfalls and debugging ----


def test_errors_are_runtime_errors():
    with pytest.raises(RuntimeError, match="literal is not closed"):
        xgr.Grammar.from_ebnf('root ::= "test')
    assert xgr.Grammar.from_ebnf('root ::= "test"')


def test_an_enumerated_class_is_refused_with_its_place_or_hinted_at():
    wrong = r"""root ::= [A-Za-z0-9_:\-\"\., ]"""
    assert [(f.code, f.column) for f in xgr.lint(wrong)] == [("bad_escape", 26)]
    assert [f.code for f in xgr.lint(wrong.replace(r"\.", "."))] == ["enumerated_class"]
    assert xgr.lint("root ::= [^}]*").worst is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('root ::= "a', "unterminated_literal"),
        (r"root ::= [a\q]", "bad_escape"),
        ('root ::= "a" missing', "undefined_rule"),
        ('root ::= "a\n" "b"', "unterminated_literal"),
    ],
)
def test_what_to_look_for(text, code):
    assert code in {finding.code for finding in xgr.lint(text)}


# ---- Helpers for tests ----


def test_asking_grammars():
    grammar = r'root ::= "hello" " " "world"'
    assert _is_grammar_accept_string(grammar, "hello world")
    matcher = _get_matcher_from_grammar(grammar)
    assert matcher.accept_string("hello world")
    assert matcher.is_terminated()
    assert _regex_to_ebnf(r"\d{3}-\d{4}").startswith("root ::= ")


def test_schema_as_ebnf():
    from xg2lab.testing import _json_schema_to_ebnf

    ebnf = _json_schema_to_ebnf({"type": "object", "properties": {"name": {"type": "string"}}})
    assert xgr.check(ebnf, accepts=['{"name": "x"}']).ok


def test_masks_as_lists():
    rows = np.zeros((1, 40), bool)
    rows[0, [1, 39]] = True
    bitmask = bool_mask_to_bitmask(rows)
    assert (bitmask_to_bool_mask(bitmask, 40) == rows).all()
    assert _get_masked_tokens_from_bitmask(bitmask, 40) == [i for i in range(40) if i not in (1, 39)]
