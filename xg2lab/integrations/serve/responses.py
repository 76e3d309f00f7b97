"""`/v1/responses`: input items as a chat, and what the model writes as output items, whole or as events.

>>> from xg2lab.integrations.serve.fields import Fields
>>> body = Fields({"input": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]})
>>> read_input(body)
[Message(role='user', content='Hi', tool_calls=(), call_id='', others={})]

The server stores nothing: `previous_response_id` is refused, and a client sends the items of earlier turns again.
Reasoning items among them are dropped, as chat templates drop the reasoning of earlier turns.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from typing import Any, cast

from xg2lab.integrations.serve.chat import arguments_of, logprobs, text_of
from xg2lab.integrations.serve.collecting import Call, Choice
from xg2lab.integrations.serve.constraints import REMOVED, Constraint, read_constraint, read_text_format
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.fields import Fields, kind_of
from xg2lab.integrations.serve.orders import LABELS, Message, Order, Served, read_common, read_sampling
from xg2lab.integrations.serve.running import Step
from xg2lab.integrations.serve.tools import read_tools
from xg2lab.tool_calls import ToolCall

__all__ = ["ResponseStream", "read_input", "read_response", "response"]

Json = dict[str, Any]

_TEXTS = ("input_text", "output_text", "text")
_HINTS = {
    **REMOVED,
    "response_format": 'text={"format": {...}}',
    "messages": "input",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "prompt": "input; stored prompts don't exist here",
    "conversation": "send the earlier items as input; this server stores nothing",
    "max_tool_calls": "parallel_tool_calls=false allows one; this server runs no tools itself",
    "logprobs": 'include=["message.output_text.logprobs"]',
}


# ---- The request --------------------------------------------------------------------------------


def read_response(body: Fields, served: Served) -> Order:
    """Read a request to `/v1/responses`, as an `OrderReader`.

    >>> from xg2lab.integrations.serve.chat import served_options
    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> served = Served(ModelRunner.tiny(), served_options())
    >>> read_response(Fields({"model": "tiny", "input": "Hi", "max_output_tokens": 9}), served).max_tokens
    9
    """
    options = served.options
    instructions = body.text("instructions")
    messages = read_input(body)
    if instructions is not None:
        messages.insert(0, Message("system", instructions))
    toolbox = read_tools(body, options.max_constraint_bytes)
    text = _text(body, options.max_constraint_bytes)
    n_top = body.whole("top_logprobs", 0, 20)
    wants = _include(body) or n_top is not None
    sampling = replace(read_sampling(body, served), n_logprobs=(n_top or 0) if wants else None)
    _fixed(body)
    prompt = served.chat_prompt(messages, toolbox, {}, body.at("input"))
    said = {name: body.raw(name) for name in ("instructions", "metadata", "tool_choice", "user", "max_output_tokens")}
    streams = bool(body.flag("stream"))
    for name in (*LABELS, "model", "stop"):
        body.raw(name)
    body.no_others(_HINTS)
    return read_common(
        body,
        served,
        "responses",
        [served.tokens(prompt, is_chat=True)],
        toolbox,
        text,
        sampling=sampling,
        limits=("max_output_tokens",),
        streams=streams,
        said={**said, "tools": body.raw("tools") or [], "text": body.raw("text") or {"format": {"type": "text"}}},
    )


def _text(body: Fields, most_bytes: int) -> Constraint | None:
    given = body.inner("text")
    first = None
    if given is not None:
        first = read_text_format(given, most_bytes)
        if given.has("verbosity"):
            raise given.failure("verbosity", "`verbosity` has no effect on these models", hint="leave it out")
        given.no_others(REMOVED)
    second = read_constraint(Fields({"structured_outputs": body.raw("structured_outputs")}), most_bytes)
    if first is not None and second is not None:
        message = "`text.format` and `structured_outputs` both constrain the text"
        raise body.failure("structured_outputs", message, hint="give one of the two", code="conflicting_constraints")
    return first or second


def _include(body: Fields) -> bool:
    """Whether log-probabilities are included."""
    given = body.items("include") or []
    for place, each in enumerate(given):
        if each not in ("message.output_text.logprobs", "reasoning.encrypted_content"):
            hint = "message.output_text.logprobs"
            raise RequestError("there is nothing of that name to include", pointer=f"/include/{place}", hint=hint)
        if each == "reasoning.encrypted_content":
            raise RequestError("reasoning is not encrypted here", pointer=f"/include/{place}", hint="leave it out")
    return bool(given)


def _fixed(body: Fields) -> None:
    """Fields that have one possible value here."""
    for name in ("store", "background"):
        if body.flag(name):
            raise body.failure(name, "this server stores nothing", hint=f"leave `{name}` out, or set it to false")
    if body.text("previous_response_id"):
        hint = "send the earlier items as input"
        raise body.failure("previous_response_id", "this server stores no responses", hint=hint)
    if body.text("truncation") not in (None, "disabled"):
        raise body.failure("truncation", "this server leaves nothing out of a prompt", hint='"disabled"')
    reasoning = body.inner("reasoning")
    if reasoning is not None and reasoning.given:
        name = next(iter(reasoning.given))
        hint = "leave it out; --reasoning of the server decides"
        raise reasoning.failure(name, "this server does not steer reasoning", hint=hint)
    given = body.inner("stream_options")
    if given is not None:
        if given.flag("include_obfuscation"):
            raise given.failure("include_obfuscation", "streams have no obfuscation here", hint="leave it out")
        given.no_others()


def read_input(body: Fields) -> list[Message]:
    """Read `input`: a text, or items.

    Parameters
    ----------
    body : Fields
        The request.

    Returns
    -------
    list of Message
        At least one.

    Raises
    ------
    RequestError
        A 400: an unknown item, an image or a file.

    The module's example reads one.
    """
    given = body.raw("input")
    if isinstance(given, str):
        return [Message("user", given)]
    if not isinstance(given, list) or not given:
        what = "missing" if given is None else kind_of(given)
        raise body.failure("input", f"`input` is a text or a list of items, not {what}", code="missing_field")
    found: list[Message] = []
    for place, each in enumerate(cast("list[Any]", given)):
        message = _item(Fields(each, f"{body.at('input')}/{place}"))
        if message is None:
            continue
        if found and message.tool_calls and found[-1].role == "assistant":  # calls of one turn are one message
            last = found.pop()
            message = Message("assistant", last.content or message.content, last.tool_calls + message.tool_calls)
        found.append(message)
    if not found:
        raise body.failure("input", "`input` has no message", code="missing_field")
    return found


def _item(given: Fields) -> Message | None:
    kind = given.text("type") or "message"
    given.text("id")
    given.text("status")
    message: Message | None = None
    match kind:
        case "message":
            role = given.text("role", among=("system", "developer", "user", "assistant"), needed=True) or ""
            content = text_of(given, "content", _TEXTS)
            if content is None:
                raise given.failure("content", "`content` is missing: a text", code="missing_field")
            message = Message(role, content)
        case "function_call" | "custom_tool_call":
            call_id, name = given.text("call_id", needed=True) or "", given.text("name", needed=True) or ""
            is_custom = kind == "custom_tool_call"
            text = given.text("input" if is_custom else "arguments") or ""
            call = ToolCall(name, {"input": text} if is_custom else arguments_of(text))
            message = Message("assistant", "", ((call_id, call),))
        case "function_call_output" | "custom_tool_call_output":
            call_id = given.text("call_id", needed=True) or ""
            output = text_of(given, "output", _TEXTS)
            if output is None:
                raise given.failure("output", "`output` is missing: a text", code="missing_field")
            message = Message("tool", output, (), call_id)
        case "reasoning":
            for name in ("summary", "content", "encrypted_content"):
                given.raw(name)
        case _:
            hint = "message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning"
            raise given.failure("type", f"there is no item of type {kind[:60]!r} here", hint=f"known are {hint}")
    given.no_others()
    return message


# ---- The answer ---------------------------------------------------------------------------------


def response(request_id: str, created: int, model: str, order: Order, choices: list[Choice], tokens: Any) -> Json:
    """Return the object of a whole answer.

    Parameters
    ----------
    request_id, model : str
        The request's id, and the model's name.
    created : int
        When it began, in seconds since 1970.
    order : Order
        What was wanted.
    choices : list of Choice
        What was written: one choice.
    tokens : list of bytes
        The bytes of each token id.

    Returns
    -------
    dict
        `response`.

    Tests with the `openai` client read such objects.
    """
    (choice,) = choices
    is_cut = choice.reason == "length"
    value = _head(request_id, created, model, order, "incomplete" if is_cut else "completed")
    value["incomplete_details"] = {"reason": "max_output_tokens"} if is_cut else None
    value["output"] = _Items(order, tokens).of(choice)
    value["usage"] = _usage(order.n_prompt_tokens, choice.n_tokens)
    return value


def _head(request_id: str, created: int, model: str, order: Order, status: str) -> Json:
    """A response without output."""
    said = order.said
    return {
        "id": request_id,
        "object": "response",
        "created_at": created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": said.get("instructions"),
        "max_output_tokens": said.get("max_output_tokens"),
        "metadata": said.get("metadata") or {},
        "model": model,
        "output": [],
        "parallel_tool_calls": order.toolbox.is_parallel,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": order.sampling.temperature,
        "text": said.get("text"),
        "tool_choice": said.get("tool_choice") or "auto",
        "tools": said.get("tools") or [],
        "top_logprobs": order.sampling.n_logprobs or 0,
        "top_p": order.sampling.top_p,
        "truncation": "disabled",
        "usage": None,
        "user": said.get("user"),
    }


def _usage(n_prompt: int, n_written: int) -> Json:
    return {
        "input_tokens": n_prompt,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": n_written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": n_prompt + n_written,
    }


class _Items:
    """Output items, with ids of their own."""

    def __init__(self, order: Order, tokens: Any) -> None:
        self._custom = {tool.name for tool in order.toolbox.callable if tool.is_custom}
        self._wants_log, self._tokens = order.sampling.n_logprobs is not None, tokens
        self._answer_id = secrets.token_hex(12)

    def of(self, choice: Choice) -> list[Json]:
        status = "incomplete" if choice.reason == "length" else "completed"
        items = [self.reasoning(choice.reasoning, status)] if choice.reasoning else []
        if choice.content or not choice.calls:
            items.append(self.message(choice.content, choice, status))
        return [*items, *(self.call(call, status) for call in choice.calls)]

    def reasoning(self, text: str, status: str) -> Json:
        content = [{"type": "reasoning_text", "text": text}] if text else []
        return {"id": f"rs_{self._answer_id}", "type": "reasoning", "summary": [], "content": content, "status": status}

    def message(self, text: str, choice: Choice | None, status: str) -> Json:
        content = [] if choice is None else [self.text(text, choice)]
        return {
            "id": f"msg_{self._answer_id}",
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def text(self, text: str, choice: Choice | None) -> Json:
        log = logprobs(choice.log, self._tokens)["content"] if choice is not None and self._wants_log else []
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": log}

    def call(self, call: Call, status: str, *, is_begin: bool = False) -> Json:
        text = "" if is_begin else call.text
        is_custom = call.name in self._custom
        return {
            "id": self.call_id(call),
            "type": "custom_tool_call" if is_custom else "function_call",
            "call_id": call.id,
            "name": call.name,
            "input" if is_custom else "arguments": text,
            "status": status,
        }

    def call_id(self, call: Call) -> str:
        return call.id.replace("call_", "ctc_" if call.name in self._custom else "fc_")

    def is_custom(self, call: Call) -> bool:
        return call.name in self._custom


class ResponseStream:
    """The events of one response.

    Parameters
    ----------
    request_id, model : str
        The request's id, and the model's name.
    created : int
        When it began, in seconds since 1970.
    order : Order
        What was wanted.
    tokens : list of bytes
        The bytes of each token id.

    Tests with the `openai` client read such streams.
    """

    def __init__(self, request_id: str, created: int, model: str, order: Order, tokens: Any) -> None:
        self._args = (request_id, created, model, order)
        self._order, self._tokens = order, tokens
        self._items = _Items(order, tokens)
        self._n_events = 0
        self._done: list[Json] = []
        self._open: str = ""  # "reasoning", "message" or "call"
        self._call: Call | None = None
        self._text = ""

    def begin(self, _choices: list[Choice]) -> list[Json]:
        """Return the events before the first token.

        Parameters
        ----------
        _choices : list of Choice
            One choice.

        Returns
        -------
        list of dict
            `response.created` and `response.in_progress`.

        `ResponseStream` says where it is tested.
        """
        head = _head(*self._args, "in_progress")
        return [self._event("response.created", response=head), self._event("response.in_progress", response=head)]

    def step(self, step: Step) -> list[Json]:
        """Return the events of a step.

        Parameters
        ----------
        step : Step
            What was written.

        Returns
        -------
        list of dict
            Items that begin and end, and deltas.

        `ResponseStream` says where it is tested.
        """
        found: list[Json] = []
        for part in step.parts:
            if part.kind == "call":
                found += self._closed("completed", step.choice)
                self._open, self._call = "call", step.choice.calls[part.index]
                item = self._items.call(self._call, "in_progress", is_begin=True)
                found.append(self._event("response.output_item.added", output_index=len(self._done), item=item))
            elif part.kind == "arguments":
                assert self._call is not None
                self._text += part.text
                kind = "custom_tool_call_input" if self._items.is_custom(self._call) else "function_call_arguments"
                found.append(self._delta(f"response.{kind}.delta", self._items.call_id(self._call), part.text))
            else:
                found += self._of_text(part.kind, part.text, step)
        return found

    def end(self, choices: list[Choice]) -> list[Json]:
        """Return the events after the last token.

        Parameters
        ----------
        choices : list of Choice
            One choice.

        Returns
        -------
        list of dict
            The open item's end, and `response.completed` or `response.incomplete`.

        `ResponseStream` says where it is tested.
        """
        (choice,) = choices
        is_cut = choice.reason == "length"
        found: list[Json] = []
        if not self._open and not self._done:  # an answer without text is an item without text
            found += self._opened("message")
        found += self._closed("incomplete" if is_cut else "completed", choice)
        value = response(*self._args, choices, self._tokens)
        value["output"] = self._done
        return [*found, self._event("response.incomplete" if is_cut else "response.completed", response=value)]

    def failed(self, failure: RequestError, _choices: list[Choice]) -> list[Json]:
        """Return the event of a failure.

        Parameters
        ----------
        failure : RequestError
            What failed.
        _choices : list of Choice
            One choice.

        Returns
        -------
        list of dict
            `response.failed`.

        `ResponseStream` says where it is tested.
        """
        value = _head(*self._args, "failed")
        value["error"] = {"code": "server_error", "message": failure.body()["error"]["message"]}
        value["output"] = self._done
        return [self._event("response.failed", response=value)]

    # ---- Inside ---------------------------------------------------------------------------------

    def _event(self, kind: str, **values: Any) -> Json:
        event = {"type": kind, "sequence_number": self._n_events, **values}
        self._n_events += 1
        return json.loads(json.dumps(event))  # items go on changing

    def _delta(self, kind: str, item_id: str, text: str, **values: Any) -> Json:
        return self._event(kind, item_id=item_id, output_index=len(self._done), delta=text, **values)

    def _of_text(self, kind: str, text: str, step: Step) -> list[Json]:
        """Reasoning or content."""
        wanted = "reasoning" if kind == "reasoning" else "message"
        found: list[Json] = []
        if self._open != wanted:
            found += self._closed("completed", step.choice)
            found += self._opened(wanted)
        self._text += text
        if wanted == "reasoning":
            item_id = self._items.reasoning("", "")["id"]
            return [*found, self._delta("response.reasoning_text.delta", item_id, text, content_index=0)]
        item_id = self._items.message("", None, "")["id"]
        log = [] if step.log is None else logprobs([step.log], self._tokens)["content"]
        return [*found, self._delta("response.output_text.delta", item_id, text, content_index=0, logprobs=log)]

    def _opened(self, kind: str) -> list[Json]:
        self._open = kind
        place = len(self._done)
        if kind == "reasoning":
            item = self._items.reasoning("", "in_progress")
            return [self._event("response.output_item.added", output_index=place, item=item)]
        item = self._items.message("", None, "in_progress")
        part = self._items.text("", None)
        return [
            self._event("response.output_item.added", output_index=place, item=item),
            self._event(
                "response.content_part.added", item_id=item["id"], output_index=place, content_index=0, part=part
            ),
        ]

    def _closed(self, status: str, choice: Choice) -> list[Json]:
        """The end of the open item, if there is one."""
        kind, text, place = self._open, self._text, len(self._done)
        self._open, self._text = "", ""
        if not kind:
            return []
        found: list[Json] = []
        if kind == "call":
            assert self._call is not None
            item = self._items.call(self._call, status)
            is_custom = self._items.is_custom(self._call)
            name, field = ("custom_tool_call_input", "input") if is_custom else ("function_call_arguments", "arguments")
            values = {"item_id": item["id"], "output_index": place, field: text}
            if not is_custom:
                values["name"] = self._call.name
            found.append(self._event(f"response.{name}.done", **values))
        elif kind == "reasoning":
            item = self._items.reasoning(text, status)
            where = {"item_id": item["id"], "output_index": place, "content_index": 0}
            found.append(self._event("response.reasoning_text.done", **where, text=text))
        else:
            item = self._items.message(text, choice, status)
            where = {"item_id": item["id"], "output_index": place, "content_index": 0}
            part = item["content"][0]
            found.append(self._event("response.output_text.done", **where, text=text, logprobs=part["logprobs"]))
            found.append(self._event("response.content_part.done", **where, part=part))
        found.append(self._event("response.output_item.done", output_index=place, item=item))
        self._done.append(item)
        return found
