"""A request's body as an order: prompts in tokens, how to draw, where to end, what the text has to be.

>>> from xg2lab.integrations.serve.fields import Fields
>>> read_sampling(Fields({"temperature": 0, "seed": 7})).seed
7

The three endpoints share most fields. What only one of them has is read in `chat.py`, `completions.py` and
`responses.py`. Every field is either followed or refused: none is accepted and ignored, but for labels of the caller
(`user`, `metadata`), which change nothing anywhere.

See also: `fields.py`, which refuses what is left.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from xg2lab.compiler import GrammarCompiler
from xg2lab.errors import ArgumentError, LimitError
from xg2lab.integrations.serve.answers import AnswerReader
from xg2lab.integrations.serve.constraints import Constraint
from xg2lab.integrations.serve.failures import RequestError
from xg2lab.integrations.serve.fields import Fields, kind_of
from xg2lab.integrations.serve.options import ServeOptions
from xg2lab.integrations.serve.sampling import Sampling
from xg2lab.integrations.serve.tools import Toolbox, answer_format
from xg2lab.matcher import GrammarMatcher
from xg2lab.options import EngineOptions
from xg2lab.tiny import MODEL_NAMES
from xg2lab.tool_calls import ToolCall, render
from xg2lab.tool_calls.formats import MODEL_FORMATS, REGISTERED
from xg2lab.tool_calls.reading import form_of

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab.model.model_runner import ModelRunner

__all__ = ["LABELS", "Message", "Order", "OrderReader", "Served", "guessed_format", "read_common", "read_sampling"]

Json = dict[str, Any]

#: Fields that say something of the caller, and nothing of the answer.
LABELS = ("user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "service_tier")

#: What a model's name or type holds -> how it writes tool calls. The first that fits counts.
_FORMATS: tuple[tuple[str, str], ...] = (
    ("functiongemma", "functiongemma"),
    ("gemma-4", "gemma_4"),
    ("gemma4", "gemma_4"),
    ("gpt-oss", "harmony"),
    ("gpt_oss", "harmony"),
    ("qwen3-coder", "qwen_3_coder"),
    ("qwen3.5", "qwen_3_5"),
    ("qwen3_5", "qwen_3_5"),
    ("qwen", "qwen_3"),
    ("deepseek-v3.2", "deepseek_v3_2"),
    ("deepseek-v3.1", "deepseek_v3_1"),
    ("deepseek", "deepseek_r1"),
    ("kimi-k3", "kimi_k3"),
    ("kimi", "kimi"),
    ("glm-4", "glm_4_7"),
    ("minimax-m3", "minimax_m3"),
    ("minimax", "minimax"),
    ("mimo", "mimo"),
    ("exaone", "exaone"),
    ("cohere", "cohere"),
    ("command", "cohere"),
    ("llama", "llama"),
)
#: What `apply_chat_template` takes beside the template's own switches.
_NOT_OF_TEMPLATES = {
    "add_generation_prompt", "chat_template", "continue_final_message", "conversation", "documents", "eos_token",
    "bos_token", "max_length", "messages", "message", "padding", "return_assistant_tokens_mask", "return_dict",
    "return_tensors", "role", "content", "tokenize", "tokenizer_kwargs", "tools", "truncation",
}  # fmt: skip
#: How the tiny model's system line calls these formats.
_TINY_FORMATS = {"qwen_3": "qwen", "harmony": "harmony", "functiongemma": "functiongemma"}


def guessed_format(name: str, model_type: str = "") -> str:
    """Return the format in which a model writes tool calls, by its name.

    Parameters
    ----------
    name : str
        A Hugging Face id or a folder.
    model_type : str
        The type in its configuration.

    Returns
    -------
    str
        A name of `xg2lab.tool_calls.formats`; "qwen_3" where nothing fits.

    >>> guessed_format("openai/gpt-oss-20b"), guessed_format("tiny", "llama"), guessed_format("x", "llama")
    ('harmony', 'qwen_3', 'llama')
    """
    if name in MODEL_NAMES:
        return "qwen_3"
    known = (form for text in (name.lower(), model_type) for part, form in _FORMATS if part in text)
    return next(known, "qwen_3")


class Served:
    """The model that a server serves: what orders need of it.

    Parameters
    ----------
    runner : ModelRunner
        The model.
    options : ServeOptions
        The server's.

    Raises
    ------
    ArgumentError
        There is no such format of tool calls.

    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> Served(ModelRunner.tiny(), ServeOptions()).tool_format
    'qwen_3'
    """

    def __init__(self, runner: ModelRunner, options: ServeOptions) -> None:
        self.options = options
        self.model: Any = runner.model
        self.tokenizer: Any = runner.tokenizer
        self.tokenizer_info = runner.tokenizer_info
        self.stop_token_ids = runner.eos_token_ids or self.tokenizer_info.stop_token_ids
        self.max_n_tokens, self.n_threads = runner.max_n_tokens, runner.n_threads
        model_type = str(getattr(runner.model.config, "model_type", ""))
        self.tool_format = options.tool_format or guessed_format(options.model, model_type)
        if self.tool_format not in {*MODEL_FORMATS, *REGISTERED}:
            known = ", ".join(sorted({*MODEL_FORMATS, *REGISTERED}))
            raise ArgumentError(f"there is no format of tool calls {self.tool_format!r}", hint=f"known are {known}")
        self.is_tiny = options.model in MODEL_NAMES
        engine = EngineOptions(max_compile_seconds=options.max_compile_seconds)
        self.compiler = GrammarCompiler(self.tokenizer_info, options=engine)
        self._lock = threading.Lock()  # a tokenizer is not for several threads at once

    def tokens(self, text: str, *, is_chat: bool) -> list[int]:
        """Return a prompt in tokens.

        Parameters
        ----------
        text : str
            The prompt.
        is_chat : bool
            Whether a chat template has written the tokens that begin a text.

        Returns
        -------
        list of int
            An empty text is the token that begins a text.

        >>> from xg2lab.lab.model.model_runner import ModelRunner
        >>> len(Served(ModelRunner.tiny(), ServeOptions()).tokens("", is_chat=False))
        1
        """
        with self._lock:
            extra = {"add_special_tokens": False} if is_chat else {}
            ids = [int(token_id) for token_id in self.tokenizer(text, **extra).input_ids]
        if ids:
            return ids
        first = getattr(self.tokenizer, "bos_token_id", None)
        return [int(first) if first is not None else int(self.stop_token_ids[0])]

    def chat_prompt(self, messages: list[Message], toolbox: Toolbox, extra: Mapping[str, Any], pointer: str) -> str:
        """Return the prompt of a chat, by the model's own template.

        Parameters
        ----------
        messages : list of Message
            The conversation.
        toolbox : Toolbox
            The tools, which the template describes to the model.
        extra : mapping
            `chat_template_kwargs`.
        pointer : str
            The JSON Pointer of the messages.

        Returns
        -------
        str
            The text that the model continues.

        Raises
        ------
        RequestError
            A 400: the model has no template, or the template refuses the messages.

        >>> from xg2lab.lab.model.model_runner import ModelRunner
        >>> served = Served(ModelRunner.tiny(), ServeOptions())
        >>> print(served.chat_prompt([Message("user", "Hi")], Toolbox(), {}, "/messages"))
        <|im_start|>system
        json format<|im_end|>
        <|im_start|>user
        Hi<|im_end|>
        <|im_start|>assistant
        <BLANKLINE>
        """
        template = getattr(self.tokenizer, "chat_template", None)
        if not template:
            hint = "use /v1/completions with the whole prompt"
            raise RequestError("this model has no chat template", pointer=pointer, hint=hint, code="no_chat_template")
        template_text = template if isinstance(template, str) else json.dumps(template)
        for name in extra:
            if name in _NOT_OF_TEMPLATES or not re.search(rf"\b{re.escape(name)}\b", template_text):
                message = f"the model's chat template has no switch {name[:60]!r}"
                raise RequestError(message, name=f"chat_template_kwargs.{name}", code="unknown_field")
        conversation = [self._as_template_has_it(message, template_text) for message in messages]
        if self.is_tiny and all(message.role != "system" for message in messages):
            said = _TINY_FORMATS.get(self.tool_format, "qwen") if toolbox.mode != "none" else "json"
            conversation.insert(0, {"role": "system", "content": f"{said} format"})
        definitions = [_definition(tool) for tool in toolbox.all]
        try:
            with self._lock:
                return str(
                    self.tokenizer.apply_chat_template(
                        conversation, tools=definitions or None, tokenize=False, add_generation_prompt=True, **extra
                    )
                )
        except Exception as error:
            message = f"the model's chat template refuses the messages: {error}"[:500]
            raise RequestError(message, pointer=pointer, code="chat_template_refused") from error

    def _as_template_has_it(self, message: Message, template: str) -> Json:
        """A message as chat templates take it; calls as text where the template knows none."""
        role = "system" if message.role == "developer" and "developer" not in template else message.role
        value: Json = {**message.others, "role": role, "content": message.content}
        if message.tool_calls and "tool_calls" in template:
            value["tool_calls"] = [
                {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call_id, call in message.tool_calls
            ]
        elif message.tool_calls:
            calls = [call for _, call in message.tool_calls]
            value["content"] = render(self.tool_format, calls, content=message.content)
        if message.call_id:
            value["tool_call_id"] = message.call_id
        return value


def _definition(tool: Any) -> Json:
    """A tool as chat templates take it: a custom one is a function of its text."""
    parameters = tool.parameters
    if tool.is_custom:
        parameters = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    described = {} if tool.description is None else {"description": tool.description}
    function = {"name": tool.name, **described, "parameters": parameters or {"type": "object", "properties": {}}}
    return {"type": "function", "function": function}


@dataclass(frozen=True)
class Message:
    """A message of a chat.

    Parameters
    ----------
    role : str
        "system", "developer", "user", "assistant" or "tool".
    content : str
        The text.
    tool_calls : tuple of (str, ToolCall)
        Calls that the assistant made, with their ids.
    call_id : str
        Of a tool's answer: the call.
    others : dict
        Fields that are the template's alone: `name`, `reasoning_content`.

    >>> Message("user", "Hi").tool_calls
    ()
    """

    role: str
    content: str
    tool_calls: tuple[tuple[str, ToolCall], ...] = ()
    call_id: str = ""
    others: Json = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Order:
    """What a request wants.

    Parameters
    ----------
    endpoint : str
        "chat", "completions" or "responses".
    prompts : list of list of int
        The prompt of each choice.
    n_prompt_tokens : int
        Tokens of all prompts, each counted once.
    sampling : Sampling
        How tokens are drawn.
    max_tokens : int
        The most tokens of each choice.
    stops : tuple of str
        Texts that end a choice.
    constraint : Constraint, optional
        What the text has to be.
    compiled : CompiledGrammar, optional
        The same, compiled.
    toolbox : Toolbox
        The tools.
    reader : callable
        Makes the reader of one choice.
    streams : bool
        Whether the answer is a stream of events.
    includes_usage : bool
        Whether the stream ends with the usage.
    said : dict
        What the endpoint repeats in its answer.

    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> served = Served(ModelRunner.tiny(), ServeOptions())
    >>> order = read_common(Fields({"model": "tiny"}), served, "chat", [[1]], Toolbox(), None, n=2)
    >>> order.prompts, order.constraint
    ([[1], [1]], None)
    """

    endpoint: Literal["chat", "completions", "responses"]
    prompts: list[list[int]]
    n_prompt_tokens: int
    sampling: Sampling
    max_tokens: int
    stops: tuple[str, ...]
    constraint: Constraint | None
    compiled: CompiledGrammar | None
    toolbox: Toolbox
    reader: Callable[[], AnswerReader]
    streams: bool = False
    includes_usage: bool = False
    said: Json = field(default_factory=dict[str, Any])


#: What reads the bodies of one endpoint: a body and the model as an order to submit. It raises `RequestError`, a 400,
#: for what can't be followed.
OrderReader = Callable[[Fields, Served], Order]


# ---- Fields that the endpoints share ------------------------------------------------------------


def read_common(
    body: Fields,
    served: Served,
    endpoint: Literal["chat", "completions", "responses"],
    prompts: list[list[int]],
    toolbox: Toolbox,
    text: Constraint | None,
    *,
    n: int = 1,
    sampling: Sampling | None = None,
    limits: tuple[str, ...] = ("max_tokens",),
    streams: bool = False,
    includes_usage: bool = False,
    said: Json | None = None,
) -> Order:
    """Read what is left of a body, compile its constraint, and make the order.

    Parameters
    ----------
    body : Fields
        The request.
    served : Served
        The model.
    endpoint : str
        Which endpoint it came to.
    prompts : list of list of int
        The prompts.
    toolbox : Toolbox
        The tools.
    text : Constraint, optional
        What the text has to be where no tool is called.
    n : int
        How many choices each prompt has.
    sampling : Sampling, optional
        How tokens are drawn; read from the body if left out.
    limits : tuple of str
        The fields that limit the number of tokens.
    streams, includes_usage, said
        As for `Order`.

    Returns
    -------
    Order
        To be submitted.

    Raises
    ------
    RequestError
        A 400 for a field, a 404 for another model.

    `Order` has an example.
    """
    options = served.options
    drawn = read_sampling(body, served) if sampling is None else sampling
    stops = _stops(body)
    longest = max(map(len, prompts))
    most = _max_tokens(body, limits, served, longest)
    reasoning = options.reasoning if endpoint != "completions" else "disabled"
    is_layout_usual = form_of(served.tool_format).layout == "usual"
    custom = next((tool for tool in toolbox.callable if tool.is_custom), None)
    if custom is not None and not is_layout_usual:
        message = f"calls of custom tools are not written in the format {served.tool_format}"
        raise RequestError(message, pointer=custom.pointer, hint="use a function", code="unsupported_tool")
    if text is not None and reasoning != "disabled" and not is_layout_usual:
        message = f"reasoning before constrained text is not written in the format {served.tool_format}"
        raise RequestError(message, pointer=text.pointer, hint="--reasoning disabled", code="unsupported_constraint")
    constraint = answer_format(served.tool_format, toolbox, reasoning, text, served.tokenizer_info)
    compiled = None if constraint is None else constraint.compiled(served.compiler)
    tools = {tool.name: tool.is_custom for tool in toolbox.callable}
    accepts = {
        tool.name: _acceptor(tool.grammar.compiled(served.compiler))
        for tool in toolbox.callable
        if tool.grammar is not None
    }
    definitions = [tool.as_function() for tool in toolbox.callable]
    return Order(
        endpoint,
        [prompt for prompt in prompts for _ in range(n)],
        sum(map(len, prompts)),
        drawn,
        most,
        stops,
        constraint,
        compiled,
        toolbox,
        lambda: AnswerReader(
            served.tool_format, tools, accepts=accepts, reasoning=reasoning, definitions=list(definitions)
        ),
        streams,
        includes_usage,
        said or {},
    )


def _acceptor(compiled: CompiledGrammar) -> Callable[[str], bool]:
    """Whether a text is a whole sentence of a grammar."""

    def accepts(text: str) -> bool:
        matcher = GrammarMatcher(compiled)
        try:
            return matcher.accept_string(text) and matcher.is_completed()
        except LimitError:  # too long to be looked at: the call ends elsewhere, or is cut short
            return False

    return accepts


def read_sampling(body: Fields, served: Served | None = None) -> Sampling:
    """Read how tokens are drawn; not `logprobs`, which each endpoint spells in its own way.

    Parameters
    ----------
    body : Fields
        The request.
    served : Served, optional
        The model, for token ids in `logit_bias`.

    Returns
    -------
    Sampling
        With OpenAI's defaults.

    Raises
    ------
    RequestError
        A 400 for a value out of range.

    >>> read_sampling(Fields({})).temperature
    1.0
    """
    temperature, top_p = body.number("temperature", 0, 2), body.number("top_p", 0, 1)
    return Sampling(
        temperature=1.0 if temperature is None else temperature,
        top_p=1.0 if top_p is None else top_p,
        seed=body.whole("seed", -(1 << 63), (1 << 64) - 1),
        presence_penalty=body.number("presence_penalty", -2, 2) or 0.0,
        frequency_penalty=body.number("frequency_penalty", -2, 2) or 0.0,
        logit_bias=_biases(body, served),
    )


def _biases(body: Fields, served: Served | None) -> dict[int, float]:
    given = body.inner("logit_bias")
    if given is None:
        return {}
    found: dict[int, float] = {}
    width = 1 << 31 if served is None else served.tokenizer_info.vocab_size
    for name in given.given:
        if not (name.isascii() and name.isdigit() and len(name) < 11 and int(name) < width):
            raise given.failure(name, f"{name[:40]!r} is no token id of this model", hint=f"0 to {width - 1}")
        bias = given.number(name, -100, 100)
        assert bias is not None
        found[int(name)] = bias
    return found


def _stops(body: Fields) -> tuple[str, ...]:
    given = body.raw("stop")
    texts: list[Any] = [given] if isinstance(given, str) else body.items("stop") or []
    if len(texts) > 16:
        raise body.failure("stop", f"there are {len(texts)} stop strings; at most 16 are allowed")
    for place, text in enumerate(texts):
        if not isinstance(text, str) or not text:
            raise RequestError(
                f"a stop string is a string that is not empty, not {kind_of(text)}",
                pointer=f"{body.at('stop')}/{place}",
            )
    return tuple(texts)


def _max_tokens(body: Fields, names: tuple[str, ...], served: Served, n_prompt: int) -> int:
    given = [(name, body.whole(name, 1, served.options.max_tokens)) for name in names]
    there = [(name, value) for name, value in given if value is not None]
    if len({value for _, value in there}) > 1:
        raise body.failure(there[1][0], f"`{there[0][0]}` and `{there[1][0]}` differ", hint="give one of the two")
    room = served.options.max_tokens
    if served.max_n_tokens is not None:
        room = min(room, served.max_n_tokens - n_prompt)
        if room < 1:
            raise RequestError(
                f"the prompt has {n_prompt} tokens, and the model reads at most {served.max_n_tokens}",
                hint="shorten it",
                code="context_length_exceeded",
            )
    if there and there[0][1] > room:
        name, value = there[0]
        raise body.failure(
            name,
            f"`{name}` is {value}, and after a prompt of {n_prompt} tokens the model can write {room}",
            code="context_length_exceeded",
        )
    return there[0][1] if there else room
