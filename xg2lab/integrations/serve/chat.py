"""`/v1/chat/completions`: a body as an order, and events as OpenAI's objects and chunks.

>>> from xg2lab.integrations.serve.fields import Fields
>>> body = Fields({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]})
>>> read_messages(body)
[Message(role='user', content='Hi', tool_calls=(), call_id='', others={})]
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from xg2lab.integrations.serve.answers import Part
from xg2lab.integrations.serve.collecting import Choice, TokenLog, token_text
from xg2lab.integrations.serve.constraints import REMOVED, read_constraint
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.fields import Fields, kind_of
from xg2lab.integrations.serve.orders import LABELS, Message, Order, Served, read_common, read_sampling
from xg2lab.integrations.serve.tools import read_tools
from xg2lab.tool_calls import ToolCall

__all__ = ["chunk", "completion", "deltas", "logprobs", "read_chat", "read_messages", "read_stream", "usage"]

Json = dict[str, Any]

_ROLES = ("system", "developer", "user", "assistant", "tool")


# ---- The request --------------------------------------------------------------------------------


def read_chat(body: Fields, served: Served) -> Order:
    """Read a request to `/v1/chat/completions`, as an `OrderReader`.

    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> served = Served(ModelRunner.tiny(), served_options())
    >>> order = read_chat(Fields({"model": "tiny", "messages": [{"role": "user", "content": "Hi"}], "n": 2}), served)
    >>> len(order.prompts), order.streams
    (2, False)
    """
    options = served.options
    messages = read_messages(body)
    toolbox = read_tools(body, options.max_constraint_bytes)
    text = read_constraint(body, options.max_constraint_bytes)
    n = body.whole("n", 1, options.max_choices) or 1
    streams, includes_usage = read_stream(body)
    wants = body.flag("logprobs")
    n_top = body.whole("top_logprobs", 0, 20)
    if n_top is not None and not wants:
        raise body.failure("top_logprobs", "`top_logprobs` needs `logprobs`: true", hint="set logprobs to true")
    sampling = replace(read_sampling(body, served), n_logprobs=(n_top or 0) if wants else None)
    extra = body.inner("chat_template_kwargs")
    _fixed(body)
    prompt = served.chat_prompt(messages, toolbox, {} if extra is None else extra.given, body.at("messages"))
    ids = served.tokens(prompt, is_chat=True)
    for name in ("model", "max_tokens", "max_completion_tokens", "stop"):
        body.raw(name)
    body.no_others(_HINTS)
    return read_common(
        body,
        served,
        "chat",
        [ids],
        toolbox,
        text,
        n=n,
        sampling=sampling,
        limits=("max_completion_tokens", "max_tokens"),
        streams=streams,
        includes_usage=includes_usage,
    )


_HINTS = {
    **REMOVED,
    "reasoning_effort": "chat_template_kwargs, if the model's template has such a switch; --reasoning of the server",
    "echo": "the answer never repeats the prompt here",
    "logit_processors": "leave it out",
    "input": "messages; `input` is a field of /v1/responses",
    "prompt": "messages; `prompt` is a field of /v1/completions",
}


def served_options() -> Any:
    """Return the options of a server as they are by default; for examples.

    Returns
    -------
    ServeOptions
        The defaults.

    >>> served_options().model
    'tiny'
    """
    from xg2lab.integrations.serve.options import ServeOptions

    return ServeOptions()


def read_stream(body: Fields) -> tuple[bool, bool]:
    """Read `stream` and `stream_options`.

    Parameters
    ----------
    body : Fields
        The request.

    Returns
    -------
    tuple of bool
        Whether the answer is a stream, and whether it ends with the usage.

    >>> read_stream(Fields({"stream": True, "stream_options": {"include_usage": True}}))
    (True, True)
    """
    streams = bool(body.flag("stream"))
    options = body.inner("stream_options")
    if options is None:
        return streams, False
    if not streams:
        raise body.failure("stream_options", "`stream_options` needs `stream`: true")
    includes = bool(options.flag("include_usage"))
    if options.flag("include_obfuscation"):
        raise options.failure("include_obfuscation", "streams have no obfuscation here", hint="leave it out")
    options.no_others()
    return streams, includes


def _fixed(body: Fields) -> None:
    """Fields that have one possible value here, and labels."""
    for label in LABELS:
        body.raw(label)
    if body.flag("store"):
        raise body.failure("store", "this server stores nothing", hint="leave `store` out")
    if body.items("modalities") not in (None, ["text"]):
        raise body.failure("modalities", "this server writes text alone", hint='leave it out, or ["text"]')


def read_messages(body: Fields) -> list[Message]:
    """Read `messages`.

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
        A 400: an unknown role, content that is no text.

    The module's example reads one.
    """
    given = body.items("messages")
    if not given:
        hint = '[{"role": "user", "content": "..."}]'
        raise body.failure("messages", "`messages` is missing: the conversation", hint=hint, code="missing_field")
    return [_message(Fields(each, f"{body.at('messages')}/{place}")) for place, each in enumerate(given)]


def _message(given: Fields) -> Message:
    role = given.text("role", among=_ROLES, needed=True) or ""
    calls = _calls(given) if role == "assistant" else ()
    content = text_of(given, "content")
    if content is None and not calls:
        raise given.failure("content", "`content` is missing: a text", code="missing_field")
    call_id = (given.text("tool_call_id", needed=True) or "") if role == "tool" else ""
    others = {name: text for name in ("name", "reasoning_content") if (text := given.text(name)) is not None}
    if role == "assistant":
        for name in ("refusal", "annotations", "audio", "function_call"):
            if given.raw(name):
                raise given.failure(name, f"`{name}` of a message is not read here")
    given.no_others({"tool_calls": 'only messages of the role "assistant" have calls'})
    return Message(role, content or "", calls, call_id, others)


def text_of(given: Fields, name: str, kinds: tuple[str, ...] = ("text",)) -> str | None:
    """Return a text that may come in parts.

    Parameters
    ----------
    given : Fields
        A message.
    name : str
        The field.
    kinds : tuple of str
        The types of parts that are text.

    Returns
    -------
    str or None
        None where it was left out.

    Raises
    ------
    RequestError
        A 400: an image, a sound or a file.

    >>> text_of(Fields({"content": "Hi"}), "content")
    'Hi'
    """
    value = given.raw(name)
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise given.failure(name, f"`{name}` is a text or a list of parts, not {kind_of(value)}", code="invalid_type")
    texts: list[str] = []
    for place, each in enumerate(cast("list[Any]", value)):
        part = Fields(each, f"{given.at(name)}/{place}")
        kind = part.text("type", needed=True)
        if kind not in kinds:
            raise part.failure("type", f"this server reads text, and no {kind!r}", hint=f'"{kinds[0]}"')
        text = part.text("text")
        if text is None:
            raise part.failure("text", "`text` is missing", code="missing_field")
        texts.append(text)
        for extra in ("annotations", "logprobs"):
            part.raw(extra)  # of an answer that comes back as input
        part.no_others()
    return "".join(texts)


def _calls(given: Fields) -> tuple[tuple[str, ToolCall], ...]:
    found: list[tuple[str, ToolCall]] = []
    for place, each in enumerate(given.items("tool_calls") or []):
        call = Fields(each, f"{given.at('tool_calls')}/{place}")
        call_id, kind = call.text("id") or "", call.text("type") or "function"
        call.raw("index")
        if kind not in ("function", "custom"):
            raise call.failure("type", f"there is no kind of call {kind!r}")
        inner = call.inner(kind, needed=True)
        assert inner is not None
        name = inner.text("name", needed=True) or ""
        text = inner.text("arguments" if kind == "function" else "input") or ""
        inner.no_others()
        call.no_others()
        found.append((call_id, ToolCall(name, arguments_of(text) if kind == "function" else {"input": text})))
    return tuple(found)


def arguments_of(text: str) -> Json:
    """Return the arguments of an earlier call, as templates take them.

    Parameters
    ----------
    text : str
        JSON, as a model wrote it.

    Returns
    -------
    dict
        A text that is no object is kept under the key `arguments`.

    >>> arguments_of('{"a": 1}'), arguments_of("{")
    ({'a': 1}, {'arguments': '{'})
    """
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    return cast("Json", value) if isinstance(value, dict) else {"arguments": text}


# ---- The answer ---------------------------------------------------------------------------------


def usage(n_prompt: int, n_written: int) -> Json:
    """Return the usage of a request.

    Parameters
    ----------
    n_prompt, n_written : int
        Tokens of the prompts, and of all choices; the token that ends a choice counts.

    Returns
    -------
    dict
        As chat and text completions have it.

    >>> usage(3, 4)["total_tokens"]
    7
    """
    return {"prompt_tokens": n_prompt, "completion_tokens": n_written, "total_tokens": n_prompt + n_written}


def logprobs(log: list[TokenLog], tokens: list[bytes]) -> Json:
    """Return the log-probabilities of tokens.

    Parameters
    ----------
    log : list of TokenLog
        The tokens.
    tokens : list of bytes
        The bytes of each token id.

    Returns
    -------
    dict
        As chat completions have it.

    >>> logprobs([TokenLog(0, -0.5, ())], [b"a"])["content"][0]["token"]
    'a'
    """

    def one(token_id: int, value: float) -> Json:
        data = tokens[token_id]
        return {"token": token_text(data), "logprob": _finite(value), "bytes": list(data)}

    content = [
        {**one(each.token_id, each.logprob), "top_logprobs": [one(*other) for other in each.top]} for each in log
    ]
    return {"content": content, "refusal": None}


def _finite(value: float) -> float:
    """JSON has no infinity: OpenAI's own stand-in for what is next to impossible."""
    return max(value, -9999.0)


def finish_reason(choice: Choice, order: Order) -> str:
    """Return why a choice ended, in OpenAI's words.

    Parameters
    ----------
    choice : Choice
        An ended choice.
    order : Order
        Its order.

    Returns
    -------
    str
        "stop", "length" or "tool_calls"; after a call of a named tool "stop".

    `completion` uses it.
    """
    if choice.reason == "length":
        return "length"
    return "tool_calls" if choice.calls and order.toolbox.mode != "named" else "stop"


def completion(request_id: str, created: int, model: str, order: Order, choices: list[Choice], tokens: Any) -> Json:
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
        What was written.
    tokens : list of bytes
        The bytes of each token id.

    Returns
    -------
    dict
        `chat.completion`.

    Tests with the `openai` client read such objects.
    """
    return {
        "id": request_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [_choice(choice, order, tokens) for choice in choices],
        "usage": usage(order.n_prompt_tokens, sum(choice.n_tokens for choice in choices)),
    }


def _choice(choice: Choice, order: Order, tokens: Any) -> Json:
    message: Json = {"role": "assistant", "content": choice.content or None, "refusal": None}
    if not choice.calls and choice.content == "":
        message["content"] = ""
    if choice.reasoning:
        message["reasoning_content"] = choice.reasoning
    if choice.calls:
        custom = {tool.name for tool in order.toolbox.callable if tool.is_custom}
        message["tool_calls"] = [
            {"id": call.id, **call_object(call.name, call.text, call.name in custom)} for call in choice.calls
        ]
    return {
        "index": choice.index,
        "message": message,
        "finish_reason": finish_reason(choice, order),
        "logprobs": None if order.sampling.n_logprobs is None else logprobs(choice.log, tokens),
    }


def call_object(name: str, text: str, is_custom: bool) -> Json:
    """Return a call as a message has it.

    Parameters
    ----------
    name, text : str
        The tool, and its arguments or input.
    is_custom : bool
        Whether it is a custom tool.

    Returns
    -------
    dict
        Without its id.

    >>> call_object("f", "{}", False)
    {'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}
    """
    if is_custom:
        return {"type": "custom", "custom": {"name": name, "input": text}}
    return {"type": "function", "function": {"name": name, "arguments": text}}


def deltas(parts: list[Part], order: Order, choice: Choice) -> list[Json]:
    """Return the deltas of a stream for parts of an answer.

    Parameters
    ----------
    parts : list of Part
        What has become certain.
    order : Order
        What was wanted.
    choice : Choice
        The choice, with these parts.

    Returns
    -------
    list of dict
        One for each part.

    Tests with the `openai` client read such deltas.
    """
    custom = {tool.name for tool in order.toolbox.callable if tool.is_custom}
    found: list[Json] = []
    for part in parts:
        if part.kind == "content":
            found.append({"content": part.text})
        elif part.kind == "reasoning":
            found.append({"reasoning_content": part.text})
        elif part.kind == "call":
            call = {
                "index": part.index,
                "id": choice.calls[part.index].id,
                **call_object(part.name, "", part.name in custom),
            }
            found.append({"tool_calls": [call]})
        else:
            is_custom = part.name in custom
            inner = {"custom": {"input": part.text}} if is_custom else {"function": {"arguments": part.text}}
            found.append({"tool_calls": [{"index": part.index, **inner}]})
    return found


def chunk(request_id: str, created: int, model: str, choices: list[Json], used: Json | None = None) -> Json:
    """Return a chunk of a stream.

    Parameters
    ----------
    request_id, model : str
        The request's id, and the model's name.
    created : int
        When it began, in seconds since 1970.
    choices : list of dict
        The deltas.
    used : dict, optional
        The usage, of the last chunk.

    Returns
    -------
    dict
        `chat.completion.chunk`.

    >>> chunk("chatcmpl-1", 0, "tiny", [])["object"]
    'chat.completion.chunk'
    """
    value: Json = {
        "id": request_id,
        "object": "chat.completion.chunk",
        "created": created,
        "model": model,
        "choices": choices,
    }
    return value if used is None else {**value, "usage": used}


def check_model(body: Fields, served: Served) -> None:
    """Refuse a request for another model.

    Parameters
    ----------
    body : Fields
        The request.
    served : Served
        The model.

    Raises
    ------
    RequestError
        A 404.

    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> check_model(Fields({"model": "tiny"}), Served(ModelRunner.tiny(), served_options()))
    """
    name = body.text("model", needed=True)
    if name != served.options.name:
        raise RequestError(
            f"there is no model {str(name)[:80]!r} here",
            status=404,
            name="model",
            hint=f"this server serves {served.options.name!r}",
            code="model_not_found",
        )
