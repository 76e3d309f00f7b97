"""Tool calls as text and back: what a model writes, for each family of models.

>>> text = render("qwen_3", [ToolCall("get_weather", {"city": "Oslo"})], reasoning="Look it up.")
>>> print(text)
<think>
Look it up.
</think>
<BLANKLINE>
<tool_call>
{"name": "get_weather", "arguments": {"city": "Oslo"}}
</tool_call>
>>> answer = parse("qwen_3", text)
>>> answer.tool_calls, answer.reasoning
([ToolCall(name='get_weather', arguments={'city': 'Oslo'})], 'Look it up.')

`parse` reads what `xg2lab.builtin_structural_tag.get_model_structural_tag` lets a model write; `render` writes an
answer of the same form.
Formats whose values don't say their type (`<parameter=n>5</parameter>`) are read by the tools' schemas, where they
are given.

See also: `xg2lab.tool_calls.formats`, the table of formats; `functiongemma`, the pipeline for that model.
"""

from xg2lab.tool_calls.calls import ParsedAnswer, ToolCall
from xg2lab.tool_calls.reading import parse
from xg2lab.tool_calls.writing import render

__all__ = ["ParsedAnswer", "ToolCall", "parse", "render"]
