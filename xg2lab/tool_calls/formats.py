r"""How each family of models writes reasoning and tool calls: a table, read by what constrains, writes and reads them.

>>> MODEL_FORMATS["qwen_3"].head_of("get_time", 0)
'<tool_call>\n{"name": "get_time", "arguments": '
>>> sorted(MODEL_FORMATS)[:3]
['cohere', 'deepseek_r1', 'deepseek_v3_1']

A call is a head, the arguments in a style, and a tail. In a head, NAME stands for the tool's name and INDEX for a
number. Some models put all calls of an answer into a section, with a separator between them.

Names are of families: `llama` is Llama 3's JSON (its other form, `<function=NAME>{...}</function>`, is the tiny model's
format `llama_function`); `qwen_3_5` and `qwen_3_coder` are one format.

`harmony` writes an answer as messages and `kimi_k3` as elements (`layout`), which `xg2lab.builtin_structural_tag`
spells out; what is said of them here is what the others have as well.

Formats that users register stand in `REGISTERED`, and come before those of the table.

See also: docs/design/0022-structural-tags.md, where each row's source is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["CALL_INDEX", "MODEL_FORMATS", "REGISTERED", "ModelFormat", "Registered"]

_THINK = ("<think>", "</think>")

#: A pattern of the number of a call, INDEX in a head: digits without a zero in front, up to 9999.
CALL_INDEX = "(?:0|[1-9][0-9]{0,3})"


@dataclass(frozen=True)
class ModelFormat:
    """One family's format."""

    head: str
    tail: str
    #: The style of the arguments: one of a `JSONSchemaFormat`, or "gemma"
    #: (`xg2lab.tool_calls.functiongemma`).
    style: str = "json"
    section: tuple[str, str] = ("", "")
    separator: str = ""
    #: What in free text opens a call. Empty: the section's begin, or the head up to the name.
    trigger: str = ""
    #: What stands before the calls where no free text does.
    lead: str = ""
    #: Begin and end of reasoning, and what follows the end. None: the format has none.
    think: tuple[str, str] | None = _THINK
    think_suffix: str = ""
    #: Who writes the begin where a model is to reason: the prompt, the model, or either (templates
    #: differ).
    opener: Literal["prompt", "model", "either"] = "prompt"
    #: Whether an answer without reasoning may say so by the end alone.
    lone_end: bool = False
    #: What is written first where a model is not to reason, and its prompt has begun to.
    no_think: str = ""
    #: Texts that free text may not hold, beside the marks of reasoning.
    excludes: tuple[str, ...] = ()
    #: The same for reasoning.
    think_excludes: tuple[str, ...] = ()
    #: Whether free text may hold the trigger where no tool can be called.
    trigger_is_text: bool = False
    #: How a string is quoted in the style "gemma".
    quote: str = ""
    #: How an answer is laid out: reasoning, text, calls; messages of channels; or elements.
    layout: Literal["usual", "messages", "elements"] = "usual"

    def head_of(self, name: str, index: int) -> str:
        """The head of a call."""
        return self.head.replace("INDEX", str(index)).replace("NAME", name)

    @property
    def opens(self) -> str:
        """The text that opens a call, or a section of calls, in free text."""
        return self.trigger or self.section[0] or self.head.split("NAME", maxsplit=1)[0]

    @property
    def repeats_names(self) -> bool:
        """Whether each argument's end repeats its name, so that there are none but those that a tool declares."""
        return self.style == "minimax_m3_xml"

    @property
    def marks(self) -> tuple[str, ...]:
        """Begin and end of reasoning."""
        return self.think or ()


def _dsml(calls: str, space: str, style: str) -> ModelFormat:
    mark = "｜DSML｜" + space
    return ModelFormat(
        head=f'<{mark}invoke name="NAME">\n',
        tail=f"</{mark}invoke>\n",
        style=style,
        section=(f"<{mark}{calls}>\n", f"</{mark}{calls}>"),
        trigger=f"<{mark}{calls}>",
        lead="\n\n",
    )


_CALL_JSON = '{"name": "NAME", "arguments": '
_M3 = "]<]minimax[>["
_QWEN_XML = ModelFormat(
    head="<tool_call>\n<function=NAME>\n",
    tail="</function>\n</tool_call>",
    style="qwen_xml",
    trigger="<tool_call>",
    think_suffix="\n\n",
)
_GLM_MARKS = ("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>")
_M3_MARKS = (f"{_M3}<tool_call>", f"{_M3}</tool_call>", f"{_M3}<invoke", f"{_M3}</invoke>")
_MIMO_MARKS = ("<tool_call>", "</tool_call>", "<function=")

MODEL_FORMATS: Mapping[str, ModelFormat] = MappingProxyType(
    {
        "llama": ModelFormat(
            head='{"name": "NAME", "parameters": ',
            tail="}",
            trigger='{"name": ',
            think=None,
            excludes=_THINK,
            trigger_is_text=True,
        ),
        "kimi": ModelFormat(
            head="<|tool_call_begin|>functions.NAME:INDEX<|tool_call_argument_begin|>",
            tail="<|tool_call_end|>",
            section=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
            opener="either",
            excludes=("<|tool_call_begin|>",),
        ),
        "kimi_k3": ModelFormat(
            head='<|open|>call tool="NAME" index="INDEX"<|sep|>',
            tail="<|close|>call<|sep|>",
            style="kimi_k3_xml",
            section=("<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
            think=("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
            layout="elements",
        ),
        "deepseek_r1": ModelFormat(
            head="<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n",
            tail="\n```<｜tool▁call▁end｜>",
            section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
            separator="\n",
        ),
        "deepseek_v3_1": ModelFormat(
            head="<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>",
            tail="<｜tool▁call▁end｜>",
            section=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        ),
        "deepseek_v3_2": _dsml("function_calls", "", "deepseek_xml"),
        "deepseek_v4": _dsml("tool_calls", "", "deepseek_xml"),
        "deepseek_v4_1": _dsml("calls", " ", "deepseek_v4_1_xml"),
        "qwen_3": ModelFormat(
            head="<tool_call>\n" + _CALL_JSON,
            tail="}\n</tool_call>",
            trigger="<tool_call>",
            think_suffix="\n\n",
            opener="either",
        ),
        "qwen_3_5": _QWEN_XML,
        "qwen_3_coder": _QWEN_XML,
        "mimo": ModelFormat(
            head="<tool_call><function=NAME>",
            tail="</function></tool_call>",
            style="qwen_xml",
            trigger="<tool_call>",
            opener="model",
            excludes=_MIMO_MARKS[1:],
            think_excludes=_MIMO_MARKS,
        ),
        "harmony": ModelFormat(
            head="<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>",
            tail="<|call|>",
            separator="<|start|>assistant",
            think=("<|channel|>analysis<|message|>", "<|end|>"),
            layout="messages",
        ),
        "minimax": ModelFormat(
            head='<invoke name="NAME">\n',
            tail="</invoke>\n",
            style="minimax_xml",
            section=("<minimax:tool_call>\n", "</minimax:tool_call>"),
            trigger="<minimax:tool_call>",
            lead="\n",
            think_suffix="\n\n",
            no_think="\n</think>\n\n",
        ),
        "minimax_m3": ModelFormat(
            head=f'{_M3}<invoke name="NAME">',
            tail=f"{_M3}</invoke>\n",
            style="minimax_m3_xml",
            section=(f"{_M3}<tool_call>\n", f"{_M3}</tool_call>"),
            trigger=f"{_M3}<tool_call>",
            think=("<mm:think>", "</mm:think>"),
            lone_end=True,
            excludes=_M3_MARKS[1:],
            think_excludes=_M3_MARKS,
        ),
        "glm_4_7": ModelFormat(
            head="<tool_call>NAME",
            tail="</tool_call>",
            style="glm_xml",
            trigger="<tool_call>",
            excludes=_GLM_MARKS[1:],
            think_excludes=_GLM_MARKS,
        ),
        "cohere": ModelFormat(
            head='<cofl:tool_call id="INDEX" name="NAME">',
            tail="</cofl:tool_call>",
            style="cohere_xml",
            section=("<cofl:tool_calls>", "</cofl:tool_calls>"),
            think=("<|START_THINKING|>", "<|END_THINKING|>"),
        ),
        "exaone": ModelFormat(
            head="<tool_call>" + _CALL_JSON,
            tail="}</tool_call>",
            trigger="<tool_call>",
            think_suffix="\n\n",
            opener="either",
        ),
        "gemma_4": ModelFormat(
            head="<|tool_call>call:NAME",
            tail="<tool_call|>",
            style="gemma",
            trigger="<|tool_call>",
            think=("<|channel>thought\n", "<channel|>"),
            opener="model",
            quote='<|"|>',
        ),
        "functiongemma": ModelFormat(
            head="<start_function_call>call:NAME",
            tail="<end_function_call>",
            style="gemma",
            trigger="<start_function_call>",
            think=None,
            quote="<escape>",
        ),
    }
)


@dataclass(frozen=True)
class Registered:
    """How the answers of a registered model are read and written: by a row like those above, or by functions."""

    form: ModelFormat | None = None
    #: (text, tools) -> `xg2lab.tool_calls.ParsedAnswer`
    parse: Callable[[str, list[Any] | None], Any] | None = None
    #: (tool calls, content=..., reasoning=...) -> text
    render: Callable[..., str] | None = None


#: By the model's name: what `register_model_structural_tag` was told of reading and writing its
#: answers.
REGISTERED: dict[str, Registered] = {}
