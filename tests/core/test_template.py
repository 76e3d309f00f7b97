"""Templates: what their slots mean, and what is said about mistakes in a template and in its arguments."""

from typing import Any

import pytest

import xg2lab as xgr
from tests.core.test_limits import counted
from xg2lab.errors import (
    ArgumentError,
    GrammarError,
    GrammarSyntaxError,
    LimitError,
    TemplateArgumentError,
    Xg2LabError,
)
from xg2lab.template import Slot

OUTLINE = """
root    ::= Each($sections, section)
section ::= "<s id=\\"" $id "\\">" text Each($children, section) "</s>"
text    ::= [^<]+
"""


def written(text: str, **arguments: Any) -> str:
    return str(xgr.Template.from_ebnf(text).write_out(**arguments))


def accepts(grammar: xgr.Grammar, text: bytes) -> bool:
    info = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar))
    return all(matcher.accept_token(byte) for byte in text) and matcher.accept_token(256)


# ---- What holes mean ----


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("$x", {"x": "a"}, '"a"'),
        ("$x", {"x": ""}, '""'),
        ("$$x", {"x": "a"}, '"a"'),
        ("$größe", {"größe": "a"}, '"a"'),
        ('"<"$x">"', {"x": "a"}, '"<" "a" ">"'),
        ("$x.y", None, None),
        ("OneOf($xs)", {"xs": ["a", "b"]}, '"a" | "b"'),
        ("OneOf($xs)*", {"xs": ["a", "b"]}, '("a" | "b")*'),
        ("OneOf($xs)", {"xs": ("a",)}, '"a"'),
        ("[a]{$n}", {"n": 3}, "[a]{3}"),
        ("[a]{$lo,$hi}", {"lo": 1, "hi": 3}, "[a]{1,3}"),
        ("[a]{ $lo , }", {"lo": 2}, "[a]{2,}"),
        ("[a]{,$hi}", {"hi": 2}, "[a]{0,2}"),
        ("[a]{2,$hi}", {"hi": 2}, "[a]{2}"),
        ("([a] [b]{$n}){$n,}", {"n": 2}, "([a] [b]{2}){2,}"),
        ('If($b, "a" | "b", )', {"b": True}, '"a" | "b"'),
        ('If($b, "a" | "b", )', {"b": False}, '""'),
        ('"<" If($b, If($c, "1", "2"), ("3" "," )) ">"', {"b": True, "c": False}, '"<" "2" ">"'),
        ('If($b, x, "n")  x ::= "y"', {"b": True}, "x"),
        ("Use($g)", {"g": xgr.Grammar.from_ebnf('root ::= "a" x   x ::= "b"')}, "g.root"),
    ],
)
def test_holes(body: str, arguments: dict[str, Any] | None, expected: str | None):
    if arguments is None:
        with pytest.raises(GrammarSyntaxError):
            xgr.Template.from_ebnf(f"root ::= {body}")
        return
    assert written(f"root ::= {body}", **arguments).splitlines()[0] == f"root ::= {expected}"


def test_each_reads_its_rule_with_each_element():
    text = 'root ::= "[" Each($rows, row, ", ") "]"  row ::= $a $$unit'
    assert written(text, rows=[{"a": "1"}, {"a": "2"}], unit="m") == (
        'root ::= "[" (row.rows.0 ", " row.rows.1) "]"\nrow.rows.0 ::= "1" "m"\nrow.rows.1 ::= "2" "m"\n'
    )
    assert written(text, rows=[], unit="m").splitlines()[0] == 'root ::= "[" "" "]"'


def test_a_separator_may_be_a_rule():
    text = 'root ::= Each($rows, row, sep)  row ::= $a  sep ::= "," [ ]?'
    assert written(text, rows=[{"a": "1"}, {"a": "2"}]).splitlines()[0] == "root ::= row.rows.0 sep row.rows.1"


def test_a_rule_may_call_itself_in_an_each():
    grammar = xgr.Template.from_ebnf(OUTLINE).write_out(
        sections=[{"id": "1", "children": [{"id": "1.1", "children": []}]}, {"id": "2", "children": []}]
    )
    assert accepts(grammar, b'<s id="1">a<s id="1.1">b</s></s><s id="2">c</s>')
    assert not accepts(grammar, b'<s id="1">a</s><s id="1.1">b</s><s id="2">c</s>')
    assert not accepts(grammar, b'<s id="1">a<s id="1.1">b</s></s>')


def test_a_rule_without_slots_is_written_once():
    grammar = xgr.Template.from_ebnf(OUTLINE).write_out(sections=[{"id": str(i), "children": []} for i in range(5)])
    assert sum(rule.name.startswith("text") for rule in grammar.rules) == 1


def test_a_rule_that_is_repeated_no_times_is_not_written():
    grammar = xgr.Template.from_ebnf('root ::= "a" x{$n}   x ::= [0-9]').write_out(n=0)
    assert str(grammar) == 'root ::= "a" ""\n'
    assert not grammar.diagnostics


def test_a_rule_of_the_request_and_of_elements():
    text = 'root ::= name Each($xs, row)   row ::= "," name   name ::= $id'
    assert accepts(xgr.Template.from_ebnf(text).write_out(id="a", xs=[{"id": "b"}]), b"a,b")


def test_names_that_the_template_has_already():
    text = 'root ::= Each($x, row) row.x.0  row ::= $id  row.x.0 ::= "z"'
    assert accepts(xgr.Template.from_ebnf(text).write_out(x=[{"id": "a"}, {"id": "b"}]), b"abz")


def test_options_and_lookaheads_are_kept():
    text = 'root ::= Each($xs, row)  row[capture="id", max_tokens=3] ::= $id (= "," | "")'
    rule = xgr.Template.from_ebnf(text).write_out(xs=[{"id": "a"}]).rules[1]
    assert rule.options == {"capture": "id", "max_tokens": 3}


def test_a_grammar_that_is_used_twice_is_written_once():
    g = xgr.Grammar.from_ebnf('root ::= "a" | "(" root ")"')
    grammar = xgr.Template.from_ebnf('root ::= Use($g) "," Use($h)').write_out(g=g, h=g)
    assert len(grammar.rules) == 2
    assert accepts(grammar, b"((a)),a")


@pytest.mark.parametrize(
    "text", ['a "quoted" | text', "$x $$y", "Each($xs, root)", "\0\n\\", "ü😀", "#", "[^]{1,2}", "(= x)", "::="]
)
def test_an_argument_is_never_read_as_grammar(text: str):
    grammar = xgr.Template.from_ebnf('root ::= "<" $x ">" OneOf($xs)').write_out(x=text, xs=[text, ">"])
    whole = f"<{text}>".encode()
    assert accepts(grammar, whole + text.encode())
    assert accepts(grammar, whole + b">")
    assert not accepts(grammar, whole)


def test_bytes_that_are_not_utf_8():
    template = xgr.Template.from_ebnf("root ::= $x")
    assert accepts(template.write_out(x=b"\xff\x00\x80"), b"\xff\x00\x80")
    assert accepts(template.write_out(x=b"\xff".decode("utf-8", "surrogateescape")), b"\xff")


def test_a_list_that_two_rules_read():
    text = """
    root ::= Each($xs, a) ";" Each($xs, b)
    a ::= $n Each($ys, c)   b ::= $m Each($ys, d)   c ::= $k   d ::= $k $l
    """
    xs = [{"n": "1", "m": "2", "ys": [{"k": "3", "l": "4"}]}]
    assert accepts(xgr.Template.from_ebnf(text).write_out(xs=xs), b"13;234")


# ---- Slots ----


def test_slots():
    text = "root ::= $t Each($xs, row)  row ::= $id [a]{$n} Each($rows, row) $$t"
    template = xgr.Template.from_ebnf(text)

    def spans(*written: str) -> tuple[tuple[int, int], ...]:
        return tuple((text.index(slot), text.index(slot) + len(slot)) for slot in written)

    assert template.slots == (
        Slot("t", "text", "", spans("$t", "$$t")),
        Slot("xs", "mappings", "", spans("$xs"), ("row",)),
        Slot("id", "text", "row", spans("$id")),
        Slot("n", "count", "row", spans("$n")),
        Slot("rows", "mappings", "row", spans("$rows"), ("row",)),
    )
    assert repr(template) == "<Template with slots t, xs>"


def test_mappings_for_the_root_are_a_scope_of_their_own():
    template = xgr.Template.from_ebnf("root ::= $a Each($more, root)")
    assert [(slot.scope, slot.name) for slot in template.slots] == [
        ("", "a"), ("", "more"), ("root", "a"), ("root", "more")
    ]  # fmt: skip
    assert accepts(template.write_out(a="x", more=[{"a": "y", "more": []}]), b"xy")


# ---- Mistakes in a template ----


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("root ::= OneOf()", "bad_hole", "OneOf()"),
        ('root ::= OneOf("a")', "bad_hole", 'OneOf("a")'),
        ("root ::= OneOf($a $b)", "bad_hole", "OneOf($a $b)"),
        ("root ::= OneOf($a,)", "bad_hole", "OneOf($a,)"),
        ("root ::= OneOf($a", "bad_hole", "OneOf($a"),
        ("root ::= Each($a)", "bad_hole", "Each($a)"),
        ('root ::= Each($a, "x")', "bad_hole", 'Each($a, "x")'),
        ("root ::= Each($a, root, [,])", "bad_hole", "Each($a, root, [,])"),
        ("root ::= Each($a, nothing)", "undefined_rule", "nothing"),
        ("root ::= Use(root)", "bad_hole", "Use(root)"),
        ("root ::= If(b, c, d)", "bad_hole", "If"),
        ('root ::= If($b, "c")', "bad_hole", 'If($b, "c")'),
        ('root ::= If($b, "c", "d", "e")', "bad_hole", 'If($b, "c", "d", "e")'),
        ('root ::= If($b, "c", "d"', "unterminated_group", "If"),
        ("root ::= [a]{$n,$m,$o}", "bad_hole", "{$n,$m,$o}"),
        ("root ::= [a]{-1,$m}", "bad_hole", "{-1,$m}"),
        ("root ::= {$n}", "expected_expression", "{$n}"),
        ("root ::= $", "syntax", "$"),
        ("root ::= $x [a]{$x}", "slot_of_two_kinds", "$x"),
        ("root ::= $a, $b", "syntax", ","),
    ],
)
def test_mistakes_in_a_template(text: str, code: str, place: str):
    with pytest.raises((GrammarSyntaxError, GrammarError)) as caught:
        xgr.Template.from_ebnf(text)
    found = caught.value.diagnostics[0]
    assert (found.code, text.encode()[slice(*found.span)].decode()) == (code, place)
    assert found.hint


def test_all_mistakes_at_once():
    with pytest.raises(GrammarError) as caught:
        xgr.Template.from_ebnf("root ::= OneOf(1) Use(2) x")
    assert len(caught.value.diagnostics) == 3


def test_a_grammar_has_no_slots():
    with pytest.raises(GrammarSyntaxError, match=r"unexpected `\$`"):
        xgr.Grammar.from_ebnf("root ::= $x")


@pytest.mark.parametrize(
    "make",
    [
        lambda: xgr.Template("root ::= $x"),  # pyright: ignore[reportArgumentType]
        lambda: xgr.Template.from_ebnf(3),  # pyright: ignore[reportArgumentType]
        lambda: xgr.Template.from_ebnf("root ::= $x", root_rule_name=None),  # pyright: ignore[reportArgumentType]
    ],
)
def test_what_is_no_text(make: Any):
    with pytest.raises(TypeError):
        make()


def test_deep_nesting_is_refused():
    with pytest.raises(LimitError):
        xgr.Template.from_ebnf("root ::= " + "If($b, " * 2000 + '"a"' + ', "b")' * 2000)


# ---- Mistakes in arguments ----


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("$x", {}, [("missing_argument", "")]),
        ("$x", {"x": 1}, [("wrong_argument", "/x")]),
        ("$x", {"x": None}, [("wrong_argument", "/x")]),
        ("$x", {"x": "\ud800"}, [("wrong_argument", "/x")]),
        ("$x", {"x": "a", "y": "b"}, [("unknown_argument", "/y")]),
        ('"a"', {"a/b~": 1}, [("unknown_argument", "/a~1b~0")]),
        ("OneOf($x)", {"x": []}, [("empty_choice", "/x")]),
        ("OneOf($x)", {"x": "abc"}, [("wrong_argument", "/x")]),
        ("OneOf($x)", {"x": ["a", 1, b"c", 2.5]}, [("wrong_argument", "/x/1"), ("wrong_argument", "/x/3")]),
        ("[a]{$x}", {"x": True}, [("wrong_argument", "/x")]),
        ("[a]{$x}", {"x": -1}, [("bad_count", "/x")]),
        ("[a]{$x}", {"x": 1 << 70}, [("bad_count", "/x")]),
        ("[a]{$x,$y}", {"x": 3, "y": 2}, [("bad_count", "/y")]),
        ("[a]{$x,2}", {"x": 3}, [("bad_count", "/x")]),
        ('[a]{$x,2} (= "b")', {"x": 3}, [("bad_count", "/x")]),
        ('If($x, "a", "b")', {"x": 1}, [("wrong_argument", "/x")]),
        ("Use($x)", {"x": "root ::= a"}, [("wrong_argument", "/x")]),
        ("Each($x, r) r ::= $y", {"x": {}}, [("wrong_argument", "/x")]),
        ("Each($x, r) r ::= $y", {"x": [1, {"y": 1}, {"z": "a"}]},
         [("wrong_argument", "/x/0"), ("wrong_argument", "/x/1/y"),
          ("missing_argument", "/x/2"), ("unknown_argument", "/x/2/z")]),
        ("Each($x, r) r ::= Each($y, s) s ::= [a]{$n,$$m}", {"m": 1, "x": [{"y": [{"n": 1}, {"n": 2}]}]},
         [("bad_count", "/m")]),
    ],
)  # fmt: skip
def test_mistakes_in_arguments(body: str, arguments: dict[str, Any], expected: list[tuple[str, str]]):
    template = xgr.Template.from_ebnf(f"root ::= {body}")
    with pytest.raises(TemplateArgumentError) as caught:
        template.write_out(**arguments)
    assert [(found.code, found.pointer) for found in caught.value.diagnostics] == expected
    for found in caught.value.diagnostics:
        assert found.hint
        assert 0 <= found.span[0] < found.span[1] <= len(template.source.encode())
        assert found.message in str(caught.value)
    assert isinstance(caught.value, ArgumentError)


def test_the_error_quotes_the_template():
    with pytest.raises(TemplateArgumentError) as caught:
        xgr.Template.from_ebnf('root ::= "ü" $name').write_out(name=3)
    assert str(caught.value).splitlines()[:4] == [
        "`name` is a number",
        "  template:1:14, argument /name",
        '    1 | root ::= "ü" $name',
        "      |              ^^^^^",
    ]


def test_arguments_that_contain_themselves():
    loop: list[Any] = []
    loop.append({"xs": loop})
    with pytest.raises(TemplateArgumentError, match="nested"):
        xgr.Template.from_ebnf('root ::= Each($xs, r)  r ::= "a" Each($xs, r)').write_out(xs=loop)


def test_lists_nested_too_deep():
    value: list[Any] = []
    for _ in range(300):
        value = [{"xs": value}]
    with pytest.raises(TemplateArgumentError, match="nested deeper than 200 levels"):
        xgr.Template.from_ebnf('root ::= Each($xs, r)  r ::= "a" Each($xs, r)').write_out(xs=value)


def test_too_many_elements():
    with pytest.raises(LimitError, match="1000000 elements"):
        xgr.Template.from_ebnf("root ::= OneOf($xs)").write_out(xs=["a"] * 1_000_001)


def test_no_more_mistakes_than_one_can_read():
    with pytest.raises(TemplateArgumentError) as caught:
        xgr.Template.from_ebnf("root ::= OneOf($xs)").write_out(xs=[1] * 1000)
    assert len(caught.value.diagnostics) == 200


def test_an_instance_that_cannot_match():
    template = xgr.Template.from_ebnf('root ::= If($end, "a", "b" root)')
    assert accepts(template.write_out(end=True), b"a")
    with pytest.raises(Xg2LabError, match="never"):
        template.write_out(end=False)


@counted
def test_budgets_hold():
    with pytest.raises(LimitError), xgr.work_limits(max_bytes=1 << 16):
        xgr.Template.from_ebnf("root ::= OneOf($xs)").write_out(xs=["a" * 1000] * 1000)


# ---- Findings that hold whatever the arguments are ----


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("root ::= $x Each($xs, row) row ::= $id", []),
        ('root ::= $x   other ::= $y   third ::= "a"', [("unused_rule", "other"), ("unused_rule", "third")]),
        ('root ::= If($b, loop, "a")   loop ::= "b" loop', [("never_matches", "loop")]),
        ('root ::= ("a" loop "c"){$n} | "b"   loop ::= "b" loop', [("never_matches", "loop")]),
        ("root ::= Each($xs, row)   row ::= $id Each($rows, row)", []),  # the data ends it
        ('root ::= "a" root $x', [("never_matches", "root")]),
        ('root ::= row $x   row ::= "a" "b"? (="c")', []),  # what an instance alone decides
    ],
)
def test_findings(text: str, expected: list[tuple[str, str]]):
    template = xgr.Template.from_ebnf(text)
    found = template.diagnostics
    assert [(one.code, text[slice(*one.span)]) for one in found] == expected
    assert all(one.message and one.hint and one.line == 1 for one in found)
    again = xgr.Template.deserialize_json(template.serialize_json())
    assert again.diagnostics == found


def test_findings_are_those_of_every_instance():
    template = xgr.Template.from_ebnf('root ::= $x | loop   loop ::= "b" loop   other ::= $y')
    said = template.write_out(x="a").diagnostics
    assert said
    assert [(one.code, one.message, one.span) for one in said] == [
        (one.code, one.message, one.span) for one in template.diagnostics if one.code == "never_matches"
    ]


def test_findings_of_a_schema_are_its_warnings():
    schema = {"type": "array", "items": {"enum": {"$slot": "ids"}}, "maxItems": {"$slot": "n"}}
    assert xgr.Template.from_json_schema(schema).diagnostics == []
