"""`/v1/completions`: a prompt and what follows it, in OpenAI's older form.

>>> from xg2lab.integrations.serve.fields import Fields
>>> from xg2lab.integrations.serve.chat import served_options
>>> from xg2lab.lab.model.model_runner import ModelRunner
>>> served = Served(ModelRunner.tiny(), served_options())
>>> order = read_completion(Fields({"model": "tiny", "prompt": ["a", "b"], "max_tokens": 5}), served)
>>> len(order.prompts), order.max_tokens
(2, 5)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from xg2lab.integrations.serve.chat import read_stream, usage
from xg2lab.integrations.serve.collecting import Choice, TokenLog, token_text
from xg2lab.integrations.serve.constraints import REMOVED, read_constraint
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.fields import Fields, kind_of
from xg2lab.integrations.serve.orders import LABELS, Order, Served, read_common, read_sampling
from xg2lab.integrations.serve.tools import Toolbox

__all__ = ["completion", "read_completion", "text_choice", "text_object"]

Json = dict[str, Any]

_HINTS = {
    **REMOVED,
    "messages": "prompt; `messages` is a field of /v1/chat/completions",
    "tools": "/v1/chat/completions",
    "tool_choice": "/v1/chat/completions",
}


def read_completion(body: Fields, served: Served) -> Order:
    """Read a request to `/v1/completions`, as an `OrderReader`.

    The module's example reads one.
    """
    options = served.options
    prompts = _prompts(body, served)
    text = read_constraint(body, options.max_constraint_bytes)
    n = body.whole("n", 1, options.max_choices) or 1
    if n * len(prompts) > options.max_choices:
        message = f"{len(prompts)} prompts with {n} choices each are more than {options.max_choices} choices"
        raise body.failure("prompt", message, hint="the server's limit is --max-choices")
    best_of = body.whole("best_of", 1, options.max_choices)
    if best_of is not None and best_of != n:
        raise body.failure("best_of", "`best_of` is not chosen among here", hint="leave it out, or give the value of n")
    if body.flag("echo"):
        raise body.failure("echo", "the answer never repeats the prompt here", hint="leave `echo` out")
    if body.text("suffix"):
        raise body.failure("suffix", "this server fills no gaps", hint="leave `suffix` out")
    streams, includes_usage = read_stream(body)
    sampling = replace(read_sampling(body, served), n_logprobs=body.whole("logprobs", 0, 20))
    for name in (*LABELS, "model", "max_tokens", "stop"):
        body.raw(name)
    body.no_others(_HINTS)
    return read_common(
        body,
        served,
        "completions",
        prompts,
        Toolbox(),
        text,
        n=n,
        sampling=sampling,
        streams=streams,
        includes_usage=includes_usage,
    )


def _prompts(body: Fields, served: Served) -> list[list[int]]:
    """A text, token ids, or a list of either."""
    given = body.raw("prompt")
    if given is None:
        raise body.failure("prompt", "`prompt` is missing: a text", code="missing_field")
    if isinstance(given, str):
        return [served.tokens(given, is_chat=False)]
    if not isinstance(given, list) or not given:
        message = f"`prompt` is a text or a list that is not empty, not {kind_of(given)}"
        raise body.failure("prompt", message, code="invalid_type")
    values = cast("list[Any]", given)
    if all(isinstance(each, int) for each in values):
        return [_ids(values, body.at("prompt"), served)]
    if len(values) > served.options.max_choices:
        raise body.failure("prompt", f"there are {len(values)} prompts", hint="the server's limit is --max-choices")
    found: list[list[int]] = []
    for place, each in enumerate(values):
        pointer = f"{body.at('prompt')}/{place}"
        if isinstance(each, str):
            found.append(served.tokens(each, is_chat=False))
        elif isinstance(each, list) and each:
            found.append(_ids(cast("list[Any]", each), pointer, served))
        else:
            raise RequestError("a prompt is a text or a list of token ids", pointer=pointer, code="invalid_type")
    return found


def _ids(values: list[Any], pointer: str, served: Served) -> list[int]:
    width = served.tokenizer_info.vocab_size
    for place, value in enumerate(values):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < width:
            raise RequestError("this is no token id", pointer=f"{pointer}/{place}", hint=f"0 to {width - 1}")
    return values


def text_object(request_id: str, created: int, model: str, choices: list[Json], used: Json | None) -> Json:
    """Return the object of an answer, or of a chunk of one: they are alike.

    Parameters
    ----------
    request_id, model : str
        The request's id, and the model's name.
    created : int
        When it began, in seconds since 1970.
    choices : list of dict
        The choices.
    used : dict, optional
        The usage.

    Returns
    -------
    dict
        `text_completion`.

    >>> text_object("cmpl-1", 0, "tiny", [], None)["object"]
    'text_completion'
    """
    value: Json = {
        "id": request_id,
        "object": "text_completion",
        "created": created,
        "model": model,
        "choices": choices,
    }
    return value if used is None else {**value, "usage": used}


def text_choice(index: int, text: str, log: list[TokenLog] | None, reason: str | None, tokens: list[bytes]) -> Json:
    """Return a choice, or a delta of one.

    Parameters
    ----------
    index : int
        Its number.
    text : str
        Its text.
    log : list of TokenLog, optional
        Its tokens, where the request wants them.
    reason : str, optional
        Why it ended.
    tokens : list of bytes
        The bytes of each token id.

    Returns
    -------
    dict
        With `logprobs` as text completions have them.

    >>> text_choice(0, "a", [TokenLog(0, -0.5, ((0, -0.5),))], "stop", [b"a"])["logprobs"]["top_logprobs"]
    [{'a': -0.5}]
    """
    shown: Json | None = None
    if log is not None:
        shown = {
            "tokens": [token_text(tokens[each.token_id]) for each in log],
            "token_logprobs": [max(each.logprob, -9999.0) for each in log],
            "top_logprobs": [
                {token_text(tokens[token_id]): max(value, -9999.0) for token_id, value in each.top} for each in log
            ],
            "text_offset": [each.text_offset for each in log],
        }
    return {"index": index, "text": text, "logprobs": shown, "finish_reason": reason}


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
        `text_completion`.

    Tests with the `openai` client read such objects.
    """
    wants = order.sampling.n_logprobs is not None
    made = [
        text_choice(choice.index, choice.content, choice.log if wants else None, choice.reason, tokens)
        for choice in choices
    ]
    return text_object(
        request_id, created, model, made, usage(order.n_prompt_tokens, sum(choice.n_tokens for choice in choices))
    )
