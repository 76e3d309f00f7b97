r"""Tool calls in a sweep: the schema of an answer to a request with tools, and whether the calls are the expected ones.

>>> tools = [{"type": "function", "function": {"name": "wait", "parameters": {"type": "object"}}}]
>>> calls_schema(tools)["items"]["properties"]["name"]
{'const': 'wait'}
>>> wanted = answers_of({"ground_truth": [{"wait": {"minutes": [5], "why": ["a nap", ""]}}]})
>>> difference('[{"name": "wait", "arguments": {"minutes": 5}}]', wanted)
''
>>> difference('[{"name": "wait", "arguments": {"minutes": 6}}]', wanted)
'wait: minutes is 6, expected 5'

IDEA
  An answer is a JSON list of calls, so its grammar is a JSON Schema like any other of a sweep, whatever the model's own
  format is. Expected calls are kept as the Berkeley Function Calling Leaderboard (BFCL) writes its possible answers: a
  list of values for each parameter, with "" among them if the parameter may be left out. The order of calls is free.
  Texts are compared as there: without case, spaces and some punctuation (`,./-_*^`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from xg2lab.errors import InvalidJSONError

if TYPE_CHECKING:
    from xg2lab import Grammar

__all__ = ["answer_text", "answers_of", "calls_schema", "difference", "has_tools", "request_of", "tagged_grammar"]

#: The calls that are expected: of each its name, and the possible values of each parameter.
Answers = Sequence[Mapping[str, Mapping[str, Sequence[Any]]]]

_LEFT_OUT = ""  # among the possible values: the parameter may be left out
_UNSEEN = re.compile(r"[ ,./\-_*^]")
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n?```", re.DOTALL)
_MARK = "<tool_call>"
_MOST_SHOWN = 120  # characters of a value in a sentence


def has_tools(values: Any) -> bool:
    """Return whether a line is a request with tools, and no schema.

    Parameters
    ----------
    values : object
        The parsed line.

    Returns
    -------
    bool
        It has a list "tools", and "question" or "prompt" beside it.

    >>> has_tools({"tools": [], "prompt": "Hi"}), has_tools({"type": "object"})
    (True, False)
    """
    if not isinstance(values, dict):
        return False
    line = cast("dict[str, Any]", values)
    return isinstance(line.get("tools"), list) and "schema" not in line and bool({"question", "prompt"} & {*line})


def calls_schema(tools: Sequence[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a list of calls.

    Parameters
    ----------
    tools : sequence
        Tools as OpenAI's chat completions have them.

    Returns
    -------
    dict
        A list of objects with `name` and `arguments`. References inside a tool's parameters keep their meaning.

    Raises
    ------
    InvalidJSONError
        A tool has no name, or its parameters are no schema.

    >>> calls_schema([])
    {'type': 'array', 'maxItems': 0}
    """
    calls: list[dict[str, Any]] = []
    for number, tool in enumerate(tools):
        function: Any = cast("dict[str, Any]", tool).get("function") if isinstance(tool, dict) else None
        name = cast("dict[str, Any]", function).get("name") if isinstance(function, dict) else None
        parameters = function.get("parameters", {"type": "object"}) if name else None
        if not isinstance(name, str) or not isinstance(parameters, (dict, bool)):
            raise InvalidJSONError(
                f"tool {number} is {_shown(tool)}",
                hint='write {"type": "function", "function": {"name": NAME, "parameters": {...}}}',
            )
        if isinstance(parameters, dict) and "$ref" in json.dumps(parameters):
            parameters = {"$id": f"urn:tool:{number}", **cast("dict[str, Any]", parameters)}
        calls.append(
            {
                "type": "object",
                "properties": {"name": {"const": name}, "arguments": parameters},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
        )
    if not calls:
        return {"type": "array", "maxItems": 0}
    return {"type": "array", "items": calls[0] if len(calls) == 1 else {"anyOf": calls}}


def tagged_grammar(schema: Mapping[str, Any], **options: Any) -> Grammar:
    r"""Return the grammar of a list of calls within `<tool_call>` marks, a call a line, as the tiny model writes them.

    Parameters
    ----------
    schema : mapping
        What `calls_schema` returned.
    **options
        Those of `Grammar.from_json_schema`, for the arguments.

    Returns
    -------
    Grammar
        Of any number of calls, none included.

    >>> tools = [{"type": "function", "function": {"name": "wait", "parameters": {"const": 5}}}]
    >>> tagged_grammar(calls_schema(tools)).root_rule_name
    'root'
    """
    from xg2lab import Grammar

    items: Any = schema.get("items", {"anyOf": []})
    tags: list[dict[str, Any]] = []
    for call in items.get("anyOf", [items]):
        name, arguments = (call["properties"][key] for key in ("name", "arguments"))
        tags.append(
            {
                "begin": f'<tool_call>\n{{"name": {json.dumps(name["const"])}, "arguments": ',
                "content": {"type": "grammar", "grammar": str(Grammar.from_json_schema(arguments, **options))},
                "end": "}\n</tool_call>",
            }
        )
    if not tags:
        return Grammar.from_ebnf('root ::= ""')
    calls = {"type": "tags_with_separator", "tags": tags, "separator": "\n"}
    return Grammar.from_structural_tag({"type": "structural_tag", "format": calls})


def request_of(line: Mapping[str, Any]) -> str:
    """Return what the model is asked.

    Parameters
    ----------
    line : mapping
        "prompt" is a text. "question" is a list of messages, or BFCL's list of turns, of which the first is asked.

    Returns
    -------
    str
        The messages' texts, a line each.

    Raises
    ------
    InvalidJSONError
        The question is something else.

    >>> request_of({"question": [[{"role": "user", "content": "One?"}], [{"role": "user", "content": "Two?"}]]})
    'One?'
    """
    if "question" not in line:
        prompt = line["prompt"]
        if isinstance(prompt, str):
            return prompt
        raise InvalidJSONError(f"the prompt is {_shown(prompt)}", hint="write a text")
    messages: Any = line["question"]
    if isinstance(messages, list) and messages and isinstance(messages[0], list):
        messages = cast("list[Any]", messages)[0]
    texts: list[Any] = (
        [one.get("content") if isinstance(one, dict) else None for one in cast("list[Any]", messages)]
        if isinstance(messages, list)
        else [None]
    )
    if not all(isinstance(text, str) for text in texts):
        raise InvalidJSONError(
            f"the question is {_shown(line['question'])}",
            hint='write a list of messages, {"role": "user", "content": TEXT}, or a list of such lists',
        )
    return "\n".join(texts)


def answers_of(line: Mapping[str, Any]) -> Answers | None:
    """Return the calls that are expected.

    Parameters
    ----------
    line : mapping
        "ground_truth" has possible answers, as BFCL writes them. "turns" has concrete calls, a list for each turn, of
        which the first counts; an empty list of turns says that no call is right.

    Returns
    -------
    sequence of mapping or None
        None if the line does not say.

    Raises
    ------
    InvalidJSONError
        They are written in another way.

    >>> answers_of({"turns": [[{"name": "wait", "arguments": {"minutes": 5}}]]})
    [{'wait': {'minutes': [5]}}]
    >>> answers_of({"turns": []}), answers_of({})
    ([], None)
    """
    if line.get("ground_truth") is not None:
        return _possible(line["ground_truth"])
    turns: Any = line.get("turns")
    if turns is None or turns == []:
        return turns
    found: list[dict[str, dict[str, list[Any]]]] = []
    first: Any = cast("list[Any]", turns)[0] if isinstance(turns, list) else None
    for call in cast("list[Any]", first) if isinstance(first, list) else [None]:
        given: dict[str, Any] = cast("dict[str, Any]", call) if isinstance(call, dict) else {}
        name, arguments = given.get("name"), given.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise InvalidJSONError(
                f"the turns are {_shown(turns)}", hint='write [[{"name": NAME, "arguments": {...}}, ...], ...]'
            )
        items = cast("dict[str, Any]", arguments).items()
        found.append({name: {key: [_concrete(value)] for key, value in items}})
    return found


def _possible(truth: Any) -> Answers:
    hint = 'write [{NAME: {PARAMETER: [VALUE, ...]}}, ...]; "" among the values lets the parameter out'
    if not isinstance(truth, list):
        raise InvalidJSONError(f"the ground truth is {_shown(truth)}", hint=hint)
    for one in cast("list[Any]", truth):
        call = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        values: Any = next(iter(call.values()), None)
        if len(call) != 1 or not isinstance(values, dict):
            raise InvalidJSONError(f"a call of the ground truth is {_shown(one)}", hint=hint)
        for name, several in cast("dict[str, Any]", values).items():
            if not isinstance(several, list):
                raise InvalidJSONError(f"the values of {name} are {_shown(several)}", hint=hint)
    return cast("Answers", truth)


def _concrete(value: Any) -> Any:
    """A value as a possible one: the properties of objects have lists of values, there too."""
    if isinstance(value, dict):
        return {key: [_concrete(inner)] for key, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_concrete(inner) for inner in cast("list[Any]", value)]
    return value


def answer_text(text: str, *, is_list: bool = True) -> str:
    r"""Return the JSON text that a model wrote without a grammar.

    Parameters
    ----------
    text : str
        All that it wrote.
    is_list : bool
        Whether a list of calls is wanted: then `<tool_call>` marks are gathered, and one call alone becomes a list.

    Returns
    -------
    str
        What stands within a fence, if there is one; otherwise the text as it is. Of a list of calls, a text that holds
        none is the empty list.

    >>> answer_text('Here:\n```json\n[1]\n```')
    '[1]'
    >>> answer_text('<tool_call>{"name": "wait", "arguments": {}}</tool_call>')
    '[{"name": "wait", "arguments": {}}]'
    """
    tagged = _tagged(text) if is_list else None
    fenced = _FENCE.search(text)
    found = (tagged or (fenced[1] if fenced else text)).strip()
    if not is_list:
        return found
    if found.startswith("{"):
        return f"[{found}]"
    return found if found.startswith("[") or tagged else "[]"


def _tagged(text: str) -> str | None:
    """The calls within marks as a list. A mark in a string of a call is none. None without marks."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := text.find(_MARK, at)) >= 0:
        begin = at + len(_MARK)
        begin += len(text[begin:]) - len(text[begin:].lstrip())
        try:
            _, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return text[at:]  # no JSON, which whoever reads it says
        found.append(text[begin:end])
        at = end
    return f"[{', '.join(found)}]" if found else None


def difference(text: str, answers: Answers) -> str:
    """Return how a list of calls differs from the expected ones.

    Parameters
    ----------
    text : str
        A JSON text.
    answers : sequence of mapping
        As `answers_of` returns them.

    Returns
    -------
    str
        The first difference as a sentence without its point; "" if the calls are the expected ones, in any order.

    >>> difference("[]", [{"wait": {}}])
    '0 calls, expected 1'
    """
    try:
        calls: Any = json.loads(text)
    except (ValueError, RecursionError):
        return "the answer is not JSON"
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in cast("list[Any]", calls)):
        return "the answer is no list of calls"
    given = cast("list[dict[str, Any]]", calls)
    if len(given) != len(answers):
        return f"{len(given)} calls, expected {len(answers)}"
    left = list(given)
    for answer in answers:
        said = [_call_difference(call, answer) for call in left]
        if "" not in said:
            name = next(iter(answer))
            like = [why for call, why in zip(left, said, strict=True) if call.get("name") == name]
            return like[0] if like else said[0]
        left.pop(said.index(""))
    return ""


def _call_difference(call: dict[str, Any], answer: Mapping[str, Mapping[str, Sequence[Any]]]) -> str:
    ((name, parameters),) = answer.items()
    if call.get("name") != name:
        return f"{_shown(call.get('name'))} is called, expected {name}"
    arguments: Any = call.get("arguments")
    if not isinstance(arguments, dict):
        return f"{name}: the arguments are no object"
    said = _object_difference(cast("dict[str, Any]", arguments), parameters)
    return f"{name}: {said}" if said else ""


def _object_difference(values: dict[str, Any], possible: Mapping[str, Sequence[Any]]) -> str:
    for key in values:
        if key not in possible:
            return f"{key} is not expected"
    for key, several in possible.items():
        if key not in values:
            if _LEFT_OUT in several:
                continue
            return f"{key} is missing"
        if not any(_fits(values[key], one) for one in several):
            wanted = " or ".join(_shown(one) for one in several[:3])
            return f"{key} is {_shown(values[key])}, expected {wanted}"
    return ""


def _fits(value: Any, possible: Any) -> bool:
    """Whether a value is one possible value. Python's own == takes 1 for true."""
    if isinstance(possible, dict):
        return isinstance(value, dict) and not _object_difference(
            cast("dict[str, Any]", value), cast("dict[str, Any]", possible)
        )
    if isinstance(possible, list):
        several, wanted = value, cast("list[Any]", possible)
        return (
            isinstance(several, list)
            and len(cast("list[Any]", several)) == len(wanted)
            and all(_fits(a, b) for a, b in zip(cast("list[Any]", several), wanted, strict=True))
        )
    if isinstance(value, str) and isinstance(possible, str):
        return _UNSEEN.sub("", value).lower() == _UNSEEN.sub("", possible).lower()
    return isinstance(value, bool) == isinstance(possible, bool) and value == possible


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
