"""An answer as a model writes it behind its prompt.

>>> from xg2lab.tool_calls.calls import ToolCall
>>> render("glm_4_7", [ToolCall("wait", {"minutes": 5})], reasoning="Tea.")
'Tea.</think><tool_call>wait<arg_key>minutes</arg_key><arg_value>5</arg_value></tool_call>'

See also: `reading.py`, whose inverse this is; the chat templates of the models, which the tests hold the formats
against.
"""

from __future__ import annotations

from xg2lab.tool_calls import functiongemma, styles
from xg2lab.tool_calls.calls import ToolCall
from xg2lab.tool_calls.formats import REGISTERED, ModelFormat
from xg2lab.tool_calls.reading import form_of

__all__ = ["render"]


def render(
    model: str, tool_calls: list[ToolCall] | None = None, *, content: str = "", reasoning: str | None = None
) -> str:
    """The text of an answer.

    Parameters
    ----------
    model : str
        A family of models, as for `get_model_structural_tag`: one of ours, or one that was registered with a format
        or a function `render`.
    tool_calls : list of ToolCall, optional
    content : str
        Text before the calls.
    reasoning : str, optional
        None: the answer of a model that doesn't reason.

    Returns
    -------
    str
        The model's text after its prompt, which `parse` reads back.

    Raises
    ------
    ArgumentError
        An unknown model, or one that was registered without a word on how its answers are written.
    """
    calls = tool_calls or []
    own = REGISTERED[model].render if model in REGISTERED else None
    if own is not None:
        return own(calls, content=content, reasoning=reasoning)
    form = form_of(model)
    if form.layout == "messages":
        return _messages(form, calls, content, reasoning)
    if form.layout == "elements":
        return _elements(form, calls, content, reasoning)
    text = _thought(form, reasoning) + content
    return text + (_calls(form, calls, after_text=bool(content)) if calls else "")


def _thought(form: ModelFormat, reasoning: str | None) -> str:
    if form.think is None:
        return ""
    if reasoning is None:
        return form.no_think
    begin, end = form.think
    if form.think_suffix:
        reasoning = f"\n{reasoning}\n"
    if begin.endswith("\n"):
        reasoning += "\n"
    return ("" if form.opener == "prompt" else begin) + reasoning + end + form.think_suffix


def _call(form: ModelFormat, call: ToolCall, index: int) -> str:
    if form.style == "gemma":
        arguments = functiongemma.write_arguments(call.arguments, form.quote)
    else:
        arguments = styles.write(form.style, call.arguments)
    return form.head_of(call.name, index) + arguments + form.tail


def _calls(form: ModelFormat, calls: list[ToolCall], *, after_text: bool) -> str:
    begin, end = form.section
    if begin:
        return form.lead + begin + form.separator.join(_call(form, call, i) for i, call in enumerate(calls)) + end
    joined = "\n".join(_call(form, call, i) for i, call in enumerate(calls))
    return "\n" + joined if after_text else joined


def _messages(form: ModelFormat, calls: list[ToolCall], content: str, reasoning: str | None) -> str:
    messages: list[str] = []
    if reasoning is not None:
        messages.append(f"<|channel|>analysis<|message|>{reasoning}<|end|>")
    if calls and content:
        messages.append(f"<|channel|>commentary<|message|>{content}<|end|>")
    messages.extend(_call(form, call, index) for index, call in enumerate(calls))
    if not calls:
        messages.append(f"<|channel|>final<|message|>{content}<|return|>")
    return form.separator.join(messages)


def _elements(form: ModelFormat, calls: list[ToolCall], content: str, reasoning: str | None) -> str:
    assert form.think is not None
    text = "" if reasoning is None else f"{reasoning}{form.think[1]}<|open|>response<|sep|>"
    text += content + "<|close|>response<|sep|>"
    if calls:
        begin, end = form.section
        text += begin + "".join(_call(form, call, i) for i, call in enumerate(calls, start=1)) + end
    return text + "<|close|>message<|sep|>"
