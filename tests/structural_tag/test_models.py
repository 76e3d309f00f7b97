"""Each model's structural tag accepts what the model's own chat template writes, and `parse` reads it back.

The templates say how a model was taught to write: they are the judge of `xg2lab.tool_calls.formats`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.chat_templates import answer_part
from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.grammar import Grammar
from xg2lab.testing import _is_grammar_accept_string
from xg2lab.tool_calls import ParsedAnswer, ToolCall, parse

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "at": {"type": "object", "properties": {"x": {"type": "number"}}},
    },
    "required": ["city"],
}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "Weather.", "parameters": PARAMETERS}},
    {"type": "function", "function": {"name": "get_time", "description": "Time.", "parameters": PARAMETERS}},
]
CALL = ToolCall("get_weather", {"city": 'Oslo, <b> "x" — ß', "days": 2, "tags": ["a", "b"], "at": {"x": 1.5}})
CALLS = [CALL, ToolCall("get_weather", {"city": "Rome"})]
ON = {"thinking": True, "enable_thinking": True, "thinking_mode": "enabled", "reasoning": True}
OFF = {"thinking": False, "enable_thinking": False, "thinking_mode": "disabled"}


@dataclass(frozen=True)
class Checked:
    """A template, and how its history differs from what a model writes."""

    model: str
    template: str
    end: str  # of the message, which is a stop token
    n_calls: int = 2
    reasons: bool = True  # whether the template has reasoning beside calls
    has_text: bool = True  # whether it writes text before calls
    off_prompt_ends: str | None = ""  # what the prompt has and the history hasn't, without reasoning; None: they differ

    def __str__(self) -> str:
        return f"{self.model}-{self.template}"


CHECKED = [
    Checked("llama", "meta-llama-Llama-3.2-3B-Instruct", "<|eot_id|>", n_calls=1, reasons=False, has_text=False),
    Checked("llama", "meta-llama-Llama-3.1-8B-Instruct", "<|eot_id|>", n_calls=1, reasons=False, has_text=False),
    Checked("kimi", "Kimi-K2-Thinking", "<|im_end|>", off_prompt_ends=None),
    Checked("kimi", "Kimi-K2-Instruct", "<|im_end|>", reasons=False),
    Checked("kimi_k3", "Kimi-K3", "<|end_of_msg|>"),
    Checked(
        "deepseek_r1",
        "llama-cpp-deepseek-r1",
        "<｜end▁of▁sentence｜>",
        reasons=False,
        has_text=False,
        off_prompt_ends="<think>\n",
    ),
    Checked("deepseek_v3_1", "deepseek-ai-DeepSeek-V3.1", "<｜end▁of▁sentence｜>", reasons=False),
    Checked("deepseek_v3_2", "deepseek-ai-DeepSeek-V3.2", "<｜end▁of▁sentence｜>", off_prompt_ends=None),
    Checked("deepseek_v4", "deepseek-ai-DeepSeek-V4", "<｜end▁of▁sentence｜>"),
    Checked("deepseek_v4", "deepseek-ai-DeepSeek-V4-Flash-0731", "<｜end▁of▁sentence｜>"),
    Checked("qwen_3", "Qwen-Qwen3-0.6B", "<|im_end|>\n"),
    Checked("qwen_3", "Qwen-Qwen2.5-7B-Instruct", "<|im_end|>\n", reasons=False),
    Checked("qwen_3", "NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "<|im_end|>\n", reasons=False, has_text=False),
    Checked("qwen_3_5", "Qwen3.5-4B", "<|im_end|>\n"),
    Checked("qwen_3_coder", "Qwen3-Coder", "<|im_end|>\n", reasons=False),
    Checked("harmony", "openai-gpt-oss-120b", "", n_calls=1, has_text=False),
    Checked("minimax", "MiniMax-M2", "[e~[\n", off_prompt_ends=None),
    Checked("minimax_m3", "MiniMax-M3", "[e~[\n"),
    Checked("glm_4_7", "GLM-4.7-Flash", ""),
    Checked(
        "gemma_4",
        "google-gemma-4-31B-it",
        "<|tool_response>",
        has_text=False,
        off_prompt_ends="<|channel>thought\n<channel|>",
    ),
]


def templates(*, reasons: bool = False, has_text: bool = False, off: bool = False) -> Any:
    """Those that write what a test is about."""
    chosen = [
        checked
        for checked in CHECKED
        if (checked.reasons or not reasons)
        and (checked.has_text or not has_text)
        and (checked.off_prompt_ends is not None or not off)
    ]
    return pytest.mark.parametrize("checked", chosen, ids=str)


def accepts(tag: Any, text: str) -> bool:
    return _is_grammar_accept_string(Grammar.from_structural_tag(tag), text)


def message(checked: Checked, reasoning: str | None, content: str = "") -> dict[str, Any]:
    calls = [
        {"type": "function", "id": str(i), "function": {"name": call.name, "arguments": call.arguments}}
        for i, call in enumerate(CALLS[: checked.n_calls])
    ]
    answer: dict[str, Any] = {"role": "assistant", "content": content, "tool_calls": calls}
    if reasoning is not None:
        answer |= {"reasoning_content": reasoning, "thinking": reasoning, "reasoning": reasoning}
    if checked.model == "harmony":
        del answer["content"]
    return answer


def rendered(checked: Checked, reasoning: str | None, content: str = "") -> str:
    words = dict(ON if reasoning is not None else OFF)
    if reasoning is None and checked.off_prompt_ends is not None:
        words["prompt_ends"] = checked.off_prompt_ends
    tools: Any = None if "llama-cpp" in checked.template else TOOLS
    text = answer_part(checked.template + ".jinja", message(checked, reasoning, content), tools, **words)
    assert text.endswith(checked.end)
    return text.removesuffix(checked.end)


@templates(off=True)
@pytest.mark.parametrize("choice", ["auto", "required"])
def test_calls_by_the_template_are_accepted_and_read(checked: Checked, choice: str):
    text = rendered(checked, None)
    tag = get_model_structural_tag(checked.model, TOOLS, choice, reasoning="disabled")
    assert accepts(tag, text), text
    assert parse(checked.model, text, TOOLS) == ParsedAnswer(None, "", CALLS[: checked.n_calls])


@templates(reasons=True)
@pytest.mark.parametrize("reasoning", ["enabled", "auto"])
def test_reasoning_by_the_template_is_accepted_and_read(checked: Checked, reasoning: Any):
    text = rendered(checked, "Look it up.")
    if reasoning == "auto":  # the begin is written where the prompt leaves it open
        begin = {"harmony": "", "kimi_k3": "<|open|>think<|sep|>", "minimax_m3": "<mm:think>"}.get(
            checked.model, "<think>"
        )
        text = text if text.startswith(("<think>", "<|channel>")) else begin + text
    tag = get_model_structural_tag(checked.model, TOOLS, reasoning=reasoning)
    assert accepts(tag, text), text
    assert parse(checked.model, text, TOOLS) == ParsedAnswer("Look it up.", "", CALLS[: checked.n_calls])


@templates(has_text=True, off=True)
def test_text_before_calls_is_accepted_and_read(checked: Checked):
    text = rendered(checked, None, "Let me see.")
    tag = get_model_structural_tag(checked.model, TOOLS, reasoning="disabled")
    assert accepts(tag, text), text
    assert parse(checked.model, text, TOOLS) == ParsedAnswer(None, "Let me see.", CALLS)
