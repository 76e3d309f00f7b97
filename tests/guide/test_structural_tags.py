"""The guide's structural tags: each format in its own snippet, then whole responses."""

import importlib

import pytest

import xg2lab as xgr

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.fixture
def st():
    return importlib.import_module("xg2lab.structural_tag")


def accepts(st, form, good, bad):
    tag = st.StructuralTag(format=form)
    return xgr.check(xgr.Grammar.from_structural_tag(tag), good, bad).ok


def test_const_string(st):
    assert accepts(st, st.ConstStringFormat(value="Let's think"), ["Let's think"], ["Let's"])


def test_json_schema(st):
    form = st.JSONSchemaFormat(json_schema=WEATHER, style="json")
    assert accepts(st, form, ['{"city": "Oslo"}'], ["{}"])


def test_grammar_and_regex(st):
    assert accepts(st, st.GrammarFormat(grammar='root ::= "hello" | "world"'), ["world"], ["x"])
    assert accepts(st, st.RegexFormat(pattern=r"\d{3}-\d{4}"), ["555-1234"], ["5551234"])


def test_any_text(st):
    form = st.AnyTextFormat(excludes=["<forbidden>", "</forbidden>"])
    assert accepts(st, form, ["", "any < text"], ["a <forbidden> b"])


def test_sequence_and_or(st):
    number = st.JSONSchemaFormat(json_schema={"type": "integer"})
    form = st.SequenceFormat(elements=[st.ConstStringFormat(value="Result: "), number])
    assert accepts(st, form, ["Result: 5"], ["Result: x"])
    assert accepts(st, st.OrFormat(elements=[form, st.ConstStringFormat(value="none")]), ["none", "Result: 1"], ["5"])


def test_tag(st):
    form = st.TagFormat(begin="<think>", content=st.AnyTextFormat(), end="</think>")
    assert accepts(st, form, ["<think>a</think>"], ["<think>a"])
    form = st.TagFormat(begin="<think>", content=st.AnyTextFormat(), end=["</think>", "</reasoning>"])
    assert accepts(st, form, ["<think>a</reasoning>"], ["a</think>"])


def weather_tag(st, begin="<function=get_weather>", end="</function>"):
    return st.TagFormat(begin=begin, content=st.JSONSchemaFormat(json_schema=WEATHER), end=end)


def test_triggered_tags(st):
    form = st.TriggeredTagsFormat(
        triggers=["<function="], tags=[weather_tag(st)], at_least_one=False, stop_after_first=False, excludes=[]
    )
    call = '<function=get_weather>{"city": "Oslo"}</function>'
    assert accepts(st, form, ["text", f"text {call} and {call}"], ["<function=get_time>"])


def test_tags_with_separator(st):
    form = st.TagsWithSeparatorFormat(tags=[weather_tag(st)], separator=",", at_least_one=False, stop_after_first=False)
    call = '<function=get_weather>{"city": "Oslo"}</function>'
    assert accepts(st, form, ["", call, f"{call},{call}"], [f"{call} {call}"])


@pytest.mark.parametrize(
    ("trigger", "begin", "end"),
    [
        ('{"name":', '{"name": "get_weather", "parameters": ', "}"),
        ("<function=", "<function=get_weather>", "</function>"),
        ("<tool_call>", '<tool_call>\n{"name": "get_weather", "arguments": ', "}\n</tool_call>"),
    ],
)
def test_tool_calling(st, trigger, begin, end):
    form = st.TriggeredTagsFormat(triggers=[trigger], tags=[weather_tag(st, begin, end)])
    assert accepts(st, form, ["no call", f'{begin}{{"city": "Oslo"}}{end}'], [f"{begin}{{}}{end}"])


def test_thinking_and_a_call(st):
    form = st.SequenceFormat(
        elements=[
            st.TagFormat(begin="<think>", content=st.AnyTextFormat(), end="</think>"),
            st.TriggeredTagsFormat(
                triggers=["<function="], tags=[weather_tag(st)], at_least_one=True, stop_after_first=True
            ),
        ]
    )
    call = '<function=get_weather>{"city": "Oslo"}</function>'
    assert accepts(st, form, [f"<think>hm</think>{call}"], ["<think>hm</think>", call])


def test_compiling(st):
    info = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)], stop_token_ids=[])
    tag = st.StructuralTag(format=st.ConstStringFormat(value="x"))
    assert isinstance(xgr.GrammarCompiler(info).compile_structural_tag(tag), xgr.CompiledGrammar)
