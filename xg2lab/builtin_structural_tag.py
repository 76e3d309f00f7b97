"""The structural tag of a model's answer: its reasoning, its text, and calls of the tools at hand.

>>> weather = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
>>> tag = get_model_structural_tag("llama", [weather], tool_choice="required")
>>> tag.format.triggers, tag.format.tags[0].begin, tag.format.at_least_one
(['{"name": '], '{"name": "get_weather", "parameters": ', True)

`xg2lab.tool_calls.formats` describes each model's output as data. This module turns the data into formats, in one way
for all models but the two that write an answer as messages.

See also: `xg2lab.tool_calls`, which reads such an answer back.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, cast

from xg2lab import structural_tag as st
from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.tool_calls.formats import CALL_INDEX, MODEL_FORMATS, REGISTERED, ModelFormat, Registered
from xg2lab.tool_calls.tool_choice import BuiltinTool, FunctionTool, SimpleChoice, normalize_tool_choice, read_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xg2lab.tool_calls.calls import ParsedAnswer

__all__ = [
    "BuiltinStructuralTagFn",
    "SimplifiedToolChoice",
    "get_builtin_structural_tag",
    "get_model_structural_tag",
    "normalize_tool_choice",
    "register_model_format",
    "register_model_structural_tag",
]

NumberForm = st.NumberForm
Reasoning = Literal["enabled", "disabled", "auto"]
Builder = Callable[..., st.StructuralTag]
#: The same by their names in XGrammar's module.
BuiltinStructuralTagFn = Builder
SimplifiedToolChoice = SimpleChoice


def get_model_structural_tag(
    model: str,
    tools: list[Any] | None = None,
    tool_choice: Any = "auto",
    reasoning: bool | Reasoning = "enabled",
    force_reasoning: bool = False,
    any_order: bool = False,
    exclude_special_tokens: bool = True,
    max_whitespace_cnt: int | None = None,
    parallel_tool_calls: bool = True,
    number_form: NumberForm = "plain",
) -> st.StructuralTag:
    """Make the structural tag of a model's answer: its reasoning, its text, and its tool calls.

    Parameters
    ----------
    model : str
        A family of models: one of `xg2lab.tool_calls.formats.MODEL_FORMATS`, or a registered name. Each family of ours
        also has a function of its own, `get_llama_structural_tag` and so on, with a registered builder's parameters.
    tools : list, optional
        Functions, `{"type": "function", "function": {"name": ..., "parameters": {...}}}`, and tools that the model
        has built in, `{"type": ..., "name": ..., "parameters": {...}}`. A function without parameters has no arguments.
        With `"strict": false` arguments are any object. In minimax_m3's format, which repeats the name of each argument
        at its end, they are any of the arguments that the function declares.
    tool_choice : str or dict, optional
        "auto" (also None): text or calls. "none": text. "required": at least one call. A named function, or a list of
        allowed tools with a mode: see `normalize_tool_choice`.
    reasoning : str or bool
        "enabled": the answer begins with reasoning. "disabled": it has none. "auto": either. True is "enabled", False
        is "disabled".
    force_reasoning : bool
        Has no effect, as `reasoning` covers it; kept for code that passes False. True raises.
    any_order : bool
        Whether arguments may come in any order.
    exclude_special_tokens : bool
        Whether the format's marks (`<think>`) are excluded from free text.
    max_whitespace_cnt : int, optional
        The most consecutive characters of whitespace in arguments; no limit if left out.
    parallel_tool_calls : bool
        Whether an answer may contain more than one call. If not, it ends with its call.
    number_form : "plain" or "any"
        "plain" writes numbers in arguments as programs do: an integer is digits alone, and no number is endless. "any"
        allows all of JSON's forms. See `Grammar.from_json_schema`.

    Returns
    -------
    StructuralTag
        For `GrammarCompiler.compile_structural_tag`.

    Raises
    ------
    ArgumentError
        There is no such model, tool or choice.

    >>> get_model_structural_tag("qwen_3", [], number_form="short")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: number_form must be 'any' or 'plain', not 'short'

    See also: docs/design/0022-structural-tags.md.
    """
    builder = _structural_tag_registry.get(model)
    if builder is None:
        known = ", ".join(sorted(_structural_tag_registry))
        raise ArgumentError(f"there is no model format {model!r}", hint=f"known are {known}")
    if force_reasoning:
        raise ArgumentError("force_reasoning is no longer an option", hint='reasoning="enabled" forces it')
    mode = _mode(reasoning)
    if number_form not in ("any", "plain"):
        raise ArgumentError(f"number_form must be 'any' or 'plain', not {number_form!r}")
    functions, builtins, choice = normalize_tool_choice(tools, tool_choice)
    options: dict[str, Any] = {
        "any_order": any_order,
        "exclude_special_tokens": exclude_special_tokens,
        "max_whitespace_cnt": max_whitespace_cnt,
        "parallel_tool_calls": parallel_tool_calls,
    }
    if _takes(builder, "number_form"):
        options["number_form"] = number_form
    elif number_form != "plain":
        raise ArgumentError(
            f"the builder registered for {model!r} has no parameter number_form",
            hint="give it one, or leave it out",
        )
    return builder(functions, builtins, choice, mode, **options)


def _takes(builder: Builder, name: str) -> bool:
    parameters = inspect.signature(builder).parameters
    return name in parameters or any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())


def get_builtin_structural_tag(*args: Any, **kwargs: Any) -> st.StructuralTag:
    """Call `get_model_structural_tag`, whose older name this is.

    Parameters
    ----------
    *args, **kwargs
        Those of `get_model_structural_tag`.

    Returns
    -------
    StructuralTag
        As `get_model_structural_tag`.

    >>> get_builtin_structural_tag("llama", []) == get_model_structural_tag("llama", [])
    True
    """
    return get_model_structural_tag(*args, **kwargs)


def register_model_structural_tag(
    name: str,
    *,
    form: ModelFormat | None = None,
    parse: Callable[[str, list[Any] | None], ParsedAnswer] | None = None,
    render: Callable[..., str] | None = None,
) -> Callable[[Builder], Builder]:
    """Register a function that builds the structural tag for a model's name. It replaces ours of the same name.

    `xg2lab.tool_calls.parse` and `xg2lab.tool_calls.render` accept the name too, if `form`, `parse` or `render` says
    how. Without these, they accept the name only if it is one of ours.

    Parameters
    ----------
    name : str
        The name for `get_model_structural_tag`, `parse` and `render`.
    form : ModelFormat, optional
        The format as a row of `xg2lab.tool_calls.formats`: `parse` and `render` follow it.
    parse : callable, optional
        Called with the answer's text and the request's tools (a list, or None); returns a `ParsedAnswer`. It takes
        precedence over `form`.
    render : callable, optional
        Called with a list of `ToolCall` and the keywords `content` and `reasoning`; returns the text. It takes
        precedence over `form`.

    Returns
    -------
    callable
        A decorator for the function. The function is called with function tools, built-in tools, a choice ("auto",
        "required" or "forced"), the mode of reasoning, and the keywords `any_order`, `exclude_special_tokens`,
        `max_whitespace_cnt` and `parallel_tool_calls`; also `number_form`, if it has that parameter. It returns a
        `StructuralTag`.

    Raises
    ------
    ArgumentTypeError
        `form` is not a `ModelFormat`, or `parse` or `render` is not callable.

    >>> from xg2lab import tool_calls as tools
    >>> def read(text, tools_of_request):
    ...     return tools.ParsedAnswer(content=text.rstrip("!").lower())
    >>> @register_model_structural_tag("shouting", parse=read)
    ... def shouting(tools, builtin_tools, tool_choice, reasoning, **options):
    ...     return st.StructuralTag(format=st.RegexFormat(pattern="[A-Z !]+"))
    >>> get_model_structural_tag("shouting").format.pattern
    '[A-Z !]+'
    >>> tools.parse("shouting", "COME HERE!").content
    'come here'

    See also: `register_model_format`, which needs no function.
    """
    if form is not None and not isinstance(form, ModelFormat):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ArgumentTypeError(
            f"form is {type(form).__name__}; wanted a ModelFormat", hint="xg2lab.tool_calls.formats"
        )
    for word, function in (("parse", parse), ("render", render)):
        if function is not None and not callable(function):
            raise ArgumentTypeError(f"{word} is {type(function).__name__}; wanted a function")

    def register(builder: Builder) -> Builder:
        _structural_tag_registry[name] = builder
        REGISTERED[name] = Registered(form, parse, render)
        return builder

    return register


def register_model_format(name: str, form: ModelFormat) -> None:
    """Register a family of models by its format alone: structural tags, `parse` and `render` follow the row.

    Parameters
    ----------
    name : str
        The name for `get_model_structural_tag`, `xg2lab.tool_calls.parse` and `xg2lab.tool_calls.render`.
    form : ModelFormat
        Head and tail of a call, the style of its arguments, and the other fields of `xg2lab.tool_calls.formats`.

    Raises
    ------
    ArgumentTypeError
        `form` is no `ModelFormat`.

    >>> from xg2lab import tool_calls as tools
    >>> from xg2lab.tool_calls.formats import ModelFormat
    >>> register_model_format("arrows", ModelFormat(head="-> NAME ", tail=" <-", think=None))
    >>> text = tools.render("arrows", [tools.ToolCall("add", {"a": 1})])
    >>> text
    '-> add {"a": 1} <-'
    >>> tools.parse("arrows", text).tool_calls
    [ToolCall(name='add', arguments={'a': 1})]
    >>> add = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}
    >>> get_model_structural_tag("arrows", [add], "required").format.tags[0].begin
    '-> add '
    """
    register_model_structural_tag(name, form=form)(_family(name, form))


def _mode(reasoning: bool | Reasoning) -> Reasoning:
    if isinstance(reasoning, bool):
        return "enabled" if reasoning else "disabled"
    if reasoning not in ("enabled", "disabled", "auto"):
        raise ArgumentError(f"reasoning must be 'enabled', 'disabled', 'auto' or a bool, not {reasoning!r}")
    return reasoning


class _Answer:
    """The parts of one answer's structural tag."""

    def __init__(
        self,
        form: ModelFormat,
        functions: list[FunctionTool],
        builtins: list[BuiltinTool],
        choice: SimpleChoice,
        reasoning: Reasoning,
        *,
        any_order: bool,
        exclude_special_tokens: bool,
        max_whitespace_cnt: int | None,
        parallel_tool_calls: bool,
        number_form: NumberForm,
    ) -> None:
        self.form = form
        self.functions = functions
        self.builtins = builtins
        self.choice = choice
        self.reasoning = reasoning
        self.any_order = any_order
        self.excludes_marks = exclude_special_tokens
        self.max_whitespace = max_whitespace_cnt
        self.number_form: NumberForm = number_form
        self.is_parallel = parallel_tool_calls and choice != "forced"

    # ---- Parts ----

    def text_without(self, *texts: str) -> list[str]:
        return list(dict.fromkeys(texts)) if self.excludes_marks else []

    def arguments(self, schema: st.Schema, excludes: list[str] | None = None) -> st.Format:
        if self.form.style == "gemma":
            from xg2lab.tool_calls.functiongemma import arguments_grammar

            options: dict[str, Any] = {"any_order": self.any_order, "number_form": self.number_form}
            return st.GrammarFormat(grammar=arguments_grammar(schema, quote=self.form.quote, **options))
        return st.JSONSchemaFormat(
            json_schema=schema,
            style=cast("st.Style", self.form.style),
            any_order=self.any_order,
            max_whitespace_cnt=self.max_whitespace,
            excludes=excludes or [],
            number_form=self.number_form,
        )

    def call(self, tool: FunctionTool, excludes: list[str] | None = None) -> st.TagFormat:
        head, number, rest = self.form.head.partition("INDEX")
        content: st.Format = self.arguments(tool.own_schema if self.form.repeats_names else tool.schema, excludes)
        if number:
            index = st.RegexFormat(pattern=CALL_INDEX)
            rest = st.ConstStringFormat(value=rest.replace("NAME", tool.name))
            content = st.SequenceFormat(elements=[index, rest, content])
        return st.TagFormat(begin=head.replace("NAME", tool.name), content=content, end=self.form.tail)

    def calls(self, excludes: list[str] | None = None) -> st.TagsWithSeparatorFormat:
        return st.TagsWithSeparatorFormat(
            tags=[self.call(tool, excludes) for tool in self.functions],
            separator=self.form.separator,
            at_least_one=True,
            stop_after_first=not self.is_parallel,
        )

    def thought(self) -> st.Format | None:
        """The reasoning before everything else."""
        form = self.form
        if form.think is None:
            return None
        if self.reasoning == "disabled":
            return st.ConstStringFormat(value=form.no_think) if form.no_think else None
        begin, end = form.think
        inside = st.AnyTextFormat(excludes=self.text_without(*form.think, *form.think_excludes))
        is_auto = self.reasoning == "auto"
        opens = is_auto or form.opener == "model"
        thought: st.Format = st.TagFormat(begin=begin if opens else "", content=inside, end=end)
        parts: list[st.Format] = [thought]
        if form.think_suffix:
            parts.append(st.ConstStringFormat(value=form.think_suffix))
        if not opens and form.opener == "either":
            parts.insert(0, st.OptionalFormat(content=st.ConstStringFormat(value=begin)))
        thought = st.SequenceFormat(elements=parts) if len(parts) > 1 else thought
        if not is_auto:
            return thought
        if form.lone_end:
            thought = st.OrFormat(elements=[thought, st.ConstStringFormat(value=end)])
        return st.OptionalFormat(content=thought)

    # ---- Answers ----

    def usual(self) -> st.Format:
        """Reasoning, then text in which calls open at a trigger; or calls alone where there have to be some."""
        self.only_functions()
        thought, answer = self.thought(), self.answer()
        return answer if thought is None else st.SequenceFormat(elements=[thought, answer])

    def answer(self) -> st.Format:
        form = self.form
        if not self.functions:
            trigger = () if form.trigger_is_text else (form.opens,)
            return st.AnyTextFormat(excludes=self.text_without(*form.marks, *form.excludes, *trigger))
        begin, end = form.section
        if self.choice != "auto" and begin:
            lead, close = st.ConstStringFormat(value=form.lead + begin), st.ConstStringFormat(value=end)
            return st.SequenceFormat(elements=[lead, self.calls(), close])
        if self.choice == "forced":
            return self.call(self.functions[0])
        tags = (
            [st.TagFormat(begin=begin, content=self.calls(), end=end)] if begin else [*map(self.call, self.functions)]
        )
        return st.TriggeredTagsFormat(
            triggers=[form.opens],
            tags=tags,
            at_least_one=self.choice == "required",
            stop_after_first=not self.is_parallel,
            excludes=self.text_without(*form.marks, *form.excludes),
        )

    def only_functions(self) -> None:
        if self.builtins and self.choice != "auto" and not self.functions:
            raise ArgumentError(
                "this model's format has no calls of built-in tools",
                hint="give the tool as a function, or use the format harmony",
            )

    def kimi_k3(self) -> st.Format:
        """Elements: think, response, then tools if there are calls; the message's end."""
        self.only_functions()
        marks = self.text_without("<|open|>", "<|close|>")
        text = st.AnyTextFormat(excludes=marks)
        assert self.form.think is not None
        begin, end = self.form.think
        response = st.TagFormat(begin="<|open|>response<|sep|>", content=text, end="<|close|>response<|sep|>")
        parts: list[st.Format] = []
        if self.reasoning == "disabled":  # the prompt has begun the response
            response = response.model_copy(update={"begin": ""})
        elif self.reasoning == "enabled":
            parts.append(st.TagFormat(begin="", content=text, end=end))
        else:
            parts.append(st.OptionalFormat(content=st.TagFormat(begin=begin, content=text, end=end)))
        parts.append(response)
        if self.functions:
            calls = self.calls(self.text_without("<|open|>", "<|close|>", "<|sep|>"))
            opens, closes = self.form.section
            tools = st.TagFormat(begin=opens, content=calls, end=closes)
            parts.append(st.OptionalFormat(content=tools) if self.choice == "auto" else tools)
        parts.append(st.ConstStringFormat(value="<|close|>message<|sep|>"))
        return st.SequenceFormat(elements=parts)

    def harmony(self) -> st.Format:
        """Messages: what is thought, then a final one or calls. A call's recipient is before or behind the channel."""
        between = st.ConstStringFormat(value=self.form.separator)
        thoughts: list[st.Format] = []
        if self.reasoning != "disabled":
            thoughts.append(_message("<|channel|>analysis<|message|>", "<|end|>"))
        calls = [tag for tool in self.functions for tag in self.harmony_calls("functions." + tool.name, tool.schema)]
        calls += [tag for tool in self.builtins for tag in self.harmony_calls(tool.output_name, tool.schema)]
        if calls:  # a preamble explains the calls
            thoughts.append(_message("<|channel|>commentary<|message|>", "<|end|>"))
        answers: list[st.Format] = []
        if self.choice == "auto":
            answers.append(_message("<|channel|>final<|message|>", "<|return|>", "<|end|>"))
        if calls:
            answers.append(
                st.TagsWithSeparatorFormat(
                    tags=calls,
                    separator=self.form.separator,
                    at_least_one=True,
                    stop_after_first=not self.is_parallel,
                )
            )
        answer = st.OrFormat(elements=answers)
        if not thoughts:
            return answer
        thought = st.SequenceFormat(elements=[st.OrFormat(elements=thoughts), between])
        return st.SequenceFormat(elements=[st.StarFormat(content=thought), answer])

    def harmony_calls(self, recipient: str, schema: st.Schema) -> list[st.TagFormat]:
        kinds = [" <|constrain|>json", "<|constrain|>json", " json", " code", ""]
        kind = st.OrFormat(elements=[st.ConstStringFormat(value=kind + "<|message|>") for kind in kinds])
        content = st.SequenceFormat(elements=[kind, self.arguments(schema)])
        channels = ["commentary"] if recipient.startswith("functions.") else ["commentary", "analysis"]
        heads = [f"<|channel|>{channel} to={recipient}" for channel in channels]
        heads += [f" to={recipient}<|channel|>{channel}" for channel in channels]
        return [st.TagFormat(begin=head, content=content, end=self.form.tail) for head in heads]


def _message(begin: str, *ends: str) -> st.TagFormat:
    return st.TagFormat(begin=begin, content=st.AnyTextFormat(), end=list(ends))


# ---- One function for each family ----


def _family(model: str, form: ModelFormat, usual_reasoning: Reasoning = "enabled") -> Builder:
    """The builder of a family, by its row. What it is called with is what `register_model_structural_tag` says."""

    def build(
        tools: Sequence[Any] | None = None,
        builtin_tools: Sequence[Any] | None = None,
        tool_choice: SimpleChoice = "auto",
        reasoning: bool | Reasoning = usual_reasoning,
        any_order: bool = False,
        exclude_special_tokens: bool = True,
        max_whitespace_cnt: int | None = None,
        parallel_tool_calls: bool = True,
        number_form: NumberForm = "plain",
    ) -> st.StructuralTag:
        functions, builtins = read_tools([*(tools or []), *(builtin_tools or [])])
        if tool_choice not in ("auto", "required", "forced"):
            raise ArgumentError(
                f"a builder's tool_choice must be 'auto', 'required' or 'forced', not {tool_choice!r}",
                hint="normalize_tool_choice() makes one of a request's, get_model_structural_tag() does both",
            )
        made = _Answer(
            form,
            functions,
            builtins,
            tool_choice,
            _mode(reasoning),
            any_order=any_order,
            exclude_special_tokens=exclude_special_tokens,
            max_whitespace_cnt=max_whitespace_cnt,
            parallel_tool_calls=parallel_tool_calls,
            number_form=number_form,
        )
        layouts = {"messages": made.harmony, "elements": made.kimi_k3, "usual": made.usual}
        return st.StructuralTag(format=layouts[form.layout]())

    build.__name__ = build.__qualname__ = f"get_{model}_structural_tag"
    build.__doc__ = (
        f"""The structural tag of an answer in the format {model}, of what `normalize_tool_choice` returns."""
    )
    return build


get_llama_structural_tag = _family("llama", MODEL_FORMATS["llama"])
get_kimi_structural_tag = _family("kimi", MODEL_FORMATS["kimi"])
get_kimi_k3_structural_tag = _family("kimi_k3", MODEL_FORMATS["kimi_k3"])
get_deepseek_r1_structural_tag = _family("deepseek_r1", MODEL_FORMATS["deepseek_r1"])
get_deepseek_v3_1_structural_tag = _family("deepseek_v3_1", MODEL_FORMATS["deepseek_v3_1"])
get_deepseek_v3_2_structural_tag = _family("deepseek_v3_2", MODEL_FORMATS["deepseek_v3_2"])
get_deepseek_v4_structural_tag = _family("deepseek_v4", MODEL_FORMATS["deepseek_v4"])
get_deepseek_v4_1_structural_tag = _family("deepseek_v4_1", MODEL_FORMATS["deepseek_v4_1"])
get_qwen_3_structural_tag = _family("qwen_3", MODEL_FORMATS["qwen_3"])
get_qwen_3_5_structural_tag = _family("qwen_3_5", MODEL_FORMATS["qwen_3_5"])
get_qwen_3_coder_structural_tag = _family("qwen_3_coder", MODEL_FORMATS["qwen_3_coder"])
get_mimo_structural_tag = _family("mimo", MODEL_FORMATS["mimo"])
get_harmony_structural_tag = _family("harmony", MODEL_FORMATS["harmony"])
get_minimax_structural_tag = _family("minimax", MODEL_FORMATS["minimax"])
get_minimax_m3_structural_tag = _family("minimax_m3", MODEL_FORMATS["minimax_m3"], usual_reasoning="auto")
get_glm_4_7_structural_tag = _family("glm_4_7", MODEL_FORMATS["glm_4_7"])
get_cohere_structural_tag = _family("cohere", MODEL_FORMATS["cohere"])
get_exaone_structural_tag = _family("exaone", MODEL_FORMATS["exaone"])
get_gemma_4_structural_tag = _family("gemma_4", MODEL_FORMATS["gemma_4"])
get_functiongemma_structural_tag = _family("functiongemma", MODEL_FORMATS["functiongemma"])

#: The builder of each model's name. Servers list its keys.
_structural_tag_registry: dict[str, Builder] = {name: globals()[f"get_{name}_structural_tag"] for name in MODEL_FORMATS}
