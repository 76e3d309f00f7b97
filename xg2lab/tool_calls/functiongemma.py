"""FunctionGemma: grammars for its tool calls in four levels, the request to a server, and its way to write arguments.

>>> print(build_functiongemma_grammar([{"type": "function", "function": {"name": "greet"}}]), end="")
root ::= "<start_function_call>" "call:" tool_name "{" arg_body "}" "<end_function_call>"
tool_name ::= "greet"
arg_body ::= arg_char*
arg_char ::= [^}]

Arguments are `{key:value,key:value}`: keys are bare, strings stand between two marks (`<escape>` here, `<|"|>` in
Gemma 4) with nothing escaped in them, and everything else is as in JSON.

See also: `xg2lab.builtin_structural_tag` for the models "functiongemma" and "gemma_4", whose arguments keep the
tools' schemas; `xg2lab.tool_calls.parse("functiongemma", text)` reads a call.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from xg2lab.errors import ArgumentError, UnsupportedError
from xg2lab.tool_calls.styles import failed, skip_space
from xg2lab.tool_calls.tool_choice import FunctionTool, read_tools
from xg2lab.tool_calls.types import target, types_of, types_of_value

if TYPE_CHECKING:
    from xg2lab.sources.json_schema import NumberForm

__all__ = [
    "arguments_grammar",
    "build_functiongemma_grammar",
    "functiongemma_request",
    "read_arguments",
    "write_arguments",
]

_CALL = '"<start_function_call>" "call:"'
_END = '"<end_function_call>"'

#: Keywords that say nothing about a value.
_ANNOTATIONS = {
    "title", "description", "default", "examples", "$schema", "$id", "$comment", "$defs", "definitions", "deprecated",
    "readOnly", "writeOnly",
}  # fmt: skip


# ---- Grammars -----------------------------------------------------------------------------------


def build_functiongemma_grammar(tools: list[Any], level: int = 1, number_form: NumberForm = "plain") -> str:
    """The EBNF text of a call of one of the tools, in plain EBNF that other engines read as well.

    Parameters
    ----------
    tools : list
        Functions, as chat requests have them.
    level : int
        1: the form of a call, arguments free but for `}`. 2: the same with whitespace around it. 3: arguments are
        keys and values of any kind. 4: each tool's own arguments, by its schema.
    number_form : "plain" or "any"
        Levels 3 and 4. "plain": integers are digits alone, at most 40, and other numbers have as many digits before the
        point, 25 behind it, and an exponent from -323 to 307. "any": as many as the model likes.

    Raises
    ------
    ArgumentError
        No function among the tools; another level.
    UnsupportedError
        Level 4: a keyword of a schema that this form can't keep, by name.

    >>> tool = {"type": "function", "function": {"name": "wait", "parameters": {
    ...     "type": "object", "properties": {"s": {"type": "integer"}}, "required": ["s"]}}}
    >>> print(build_functiongemma_grammar([tool], level=4).splitlines()[2])
    arguments_1 ::= "{" "s" ":" integer "}"
    """
    functions = read_tools(tools)[0]
    if not functions:
        raise ArgumentError(
            "there is no function among the tools", hint='a function is {"type": "function", "function": {...}}'
        )
    if level in (1, 2):
        names = " | ".join(_literal(tool.name) for tool in functions)
        space = "ws? " if level == 2 else ""
        root = f'root ::= {space}{_CALL} tool_name "{{" arg_body "}}" {_END}{" ws?" if space else ""}\n'
        rules = f"tool_name ::= {names}\narg_body ::= arg_char*\narg_char ::= [^}}]\n"
        return root + rules + ("ws ::= [ \\t\\r\\n]+\n" if space else "")
    if level == 3:
        names = " | ".join(_literal(tool.name) for tool in functions)
        return f"root ::= {_CALL} tool_name object {_END}\ntool_name ::= {names}\n" + _values(
            "<escape>", "[^<]*", number_form
        )
    if level == 4:
        return _with_schemas(functions, number_form)
    raise ArgumentError(f"there is no level {level!r}", hint="give a level from 1 to 4")


def _with_schemas(functions: list[FunctionTool], number_form: NumberForm) -> str:
    grammar = _SchemaGrammar("<escape>", any_order=False)
    calls: list[str] = []
    for number, tool in enumerate(functions, start=1):
        calls.append(f"{_literal(tool.name)} arguments_{number}")
        grammar.rules.append(f"arguments_{number} ::= {grammar.object_of(tool.schema, tool.schema)}")
    root = f"root ::= {_CALL} call {_END}\ncall ::= {' | '.join(calls)}\n"
    return root + "".join(rule + "\n" for rule in grammar.rules) + _values("<escape>", "[^<]*", number_form)


def arguments_grammar(
    schema: bool | dict[str, Any],
    *,
    quote: str = "<escape>",
    any_order: bool = False,
    number_form: NumberForm = "plain",
) -> str:
    """The EBNF text of arguments that keep a schema; a string is any text without `quote`.

    >>> text = arguments_grammar({"type": "object", "properties": {"a": {"type": "string"}, "b": {"enum": [1, "x"]}}})
    >>> print(text.splitlines()[0])
    root ::= "{" ("a" ":" string ("," "b" ":" value_1)? | "b" ":" value_1)? "}"
    """
    grammar = _SchemaGrammar(quote, any_order=any_order)
    root = f"root ::= {grammar.object_of(schema, schema)}\n"
    return (
        root
        + "".join(rule + "\n" for rule in grammar.rules)
        + _values(quote, f"TagDispatch(excludes=({_literal(quote)}))", number_form)
    )


#: Numbers as programs write them, or in each of JSON's ways. The finite doubles and their
#: exponents are those of core/languages/numbers/number_words.h, but for the few with e+308 and
#: e-324.
_NUMBERS = {
    "plain": """number ::= ("-0" | integer) fraction? | "-"? [1-9] fraction? [eE] exponent
fraction ::= "." [0-9]{1,25}
exponent ::= "+"? ([12]? [0-9]{1,2} | "30" [0-7]) | "-" ([12]? [0-9]{1,2} | "3" [01] [0-9] | "32" [0-3])
integer ::= "0" | "-"? [1-9] [0-9]{0,39}""",
    "any": """number ::= integer ("." [0-9]+)? ([eE] [+\\-]? [0-9]+)?
integer ::= "-"? ("0" | [1-9] [0-9]*)""",
}


def _values(quote: str, text: str, number_form: NumberForm) -> str:
    """The rules of any value."""
    if number_form not in _NUMBERS:
        raise ArgumentError(f"number_form must be 'any' or 'plain', not {number_form!r}")
    mark = _literal(quote)
    return f"""object ::= "{{" ws (pair (ws "," ws pair)*)? ws "}}"
pair ::= key ws ":" ws value
key ::= [^:,{{}}\\[\\]<>|"\\\\ \\t\\r\\n]+
array ::= "[" ws (value (ws "," ws value)*)? ws "]"
value ::= string | number | boolean | "null" | object | array
string ::= {mark} {text} {mark}
{_NUMBERS[number_form]}
boolean ::= "true" | "false"
ws ::= [ \\t\\r\\n]{{0,4}}
"""


class _SchemaGrammar:
    """Expressions for schemas; what is long gets a rule."""

    def __init__(self, quote: str, *, any_order: bool) -> None:
        self.quote = quote
        self.any_order = any_order
        self.rules: list[str] = []
        self.names: dict[str, str] = {}  # of rules, by what they were made of

    def value_of(self, schema: Any, root: Any) -> str:
        if schema is True or schema == {}:
            return "value"
        if not isinstance(schema, dict):
            raise UnsupportedError(f"no value can follow the schema {schema!r}", hint="leave the property out")
        schema = cast("dict[str, Any]", schema)
        if "$ref" in schema:
            self.only(schema, {"$ref"})
            return self.rule_for(
                "ref " + str(schema["$ref"]), lambda: self.value_of(target(schema["$ref"], root), root)
            )
        if "anyOf" in schema or "oneOf" in schema:
            key = "anyOf" if "anyOf" in schema else "oneOf"
            self.only(schema, {key})
            return self.rule_for(repr(schema), lambda: " | ".join(self.value_of(part, root) for part in schema[key]))
        if "enum" in schema or "const" in schema:
            self.only(schema, {"enum", "const", "type"})
            values = self.values_of(schema)
            return self.rule_for(repr(values), lambda: " | ".join(self.constant(value) for value in values))
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return self.rule_for(
                repr(schema), lambda: " | ".join(self.of_type(kind, {**schema, "type": kind}, root) for kind in kinds)
            )
        return self.of_type(kinds, schema, root)

    def values_of(self, schema: dict[str, Any]) -> list[Any]:
        """Those of `enum` and `const` that have the type."""
        given: list[Any] = schema.get("enum", [schema.get("const")])
        allowed = types_of(schema, {})
        if "const" in schema:
            given = [value for value in given if json.dumps(value) == json.dumps(schema["const"])]
        values = [value for value in given if types_of_value(value) & allowed]
        if not values:
            raise UnsupportedError(
                f"no value of {given!r:.60} has the type {schema.get('type')!r}", hint="correct the schema"
            )
        return values

    def of_type(self, kind: Any, schema: dict[str, Any], root: Any) -> str:
        if kind in ("string", "number", "integer", "boolean", "null"):
            self.only(schema, {"type"})
            return '"null"' if kind == "null" else kind
        if kind == "array":
            self.only(schema, {"type", "items"})
            item = self.value_of(schema.get("items", True), root)
            return self.rule_for("array of " + item, lambda: f'"[" ({item} ("," {item})*)? "]"')
        if kind == "object" or (kind is None and "properties" in schema):
            return self.rule_for(repr(schema), lambda: self.object_of(schema, root))
        raise UnsupportedError(
            f"the type {kind!r} is not supported in this form", hint="name one of JSON Schema's types"
        )

    def object_of(self, schema: Any, root: Any) -> str:
        if schema is True or not schema:
            return "object"
        if "$ref" in schema:
            self.only(schema, {"$ref"})
            return self.object_of(target(schema["$ref"], root), root)
        self.only(schema, {"type", "properties", "required", "additionalProperties"})
        properties: dict[str, Any] = schema.get("properties", {})
        extra = schema.get("additionalProperties", not properties)
        missing = [name for name in schema.get("required", []) if name not in properties]
        if missing:
            raise UnsupportedError(f"`required` names {missing[0]!r}, which is not a property", hint="describe it")
        pairs = {name: f'{_literal(name)} ":" {self.value_of(part, root)}' for name, part in properties.items()}
        if not pairs:
            return self.object_with_any_keys(extra, root)
        if extra not in (False, True) or (extra is True and "additionalProperties" in schema):
            raise UnsupportedError(
                "`additionalProperties` beside `properties` is not supported", hint="set it to false"
            )
        required = set(schema.get("required", []))
        if self.any_order:
            entry = self.rule_for(repr(list(pairs.values())), lambda: " | ".join(pairs.values()))
            return f'"{{" ({entry} ("," {entry})*)?' + ' "}"'
        orders = [list(pairs), sorted(pairs, key=str.lower)]  # the schema's, and the chat template's
        chains = list(dict.fromkeys(self.chain(order, pairs, required) for order in orders))
        return f'"{{" {chains[0]} "}}"' if len(chains) == 1 else f'"{{" ({" | ".join(chains)}) "}}"'

    def object_with_any_keys(self, values: Any, root: Any) -> str:
        """An object that declares no property: `values` is the schema of all values, or False for none."""
        if values is False:
            return '"{" "}"'
        value = self.value_of(values, root)
        if value == "value":
            return "object"
        pair = self.rule_for(f"pair of {value}", lambda: f'key ws ":" ws {value}')
        return f'"{{" ws ({pair} (ws "," ws {pair})*)? ws "}}"'

    def chain(self, order: list[str], pairs: dict[str, str], required: set[str]) -> str:
        """Pairs in this order, with commas between those that are there."""
        behind = [f' "," {pairs[name]}' if name in required else f' ("," {pairs[name]})?' for name in order]
        firsts: list[str] = []
        for place, name in enumerate(order):
            firsts.append(pairs[name] + "".join(behind[place + 1 :]))
            if name in required:
                return firsts[0] if len(firsts) == 1 else f"({' | '.join(firsts)})"
        return f"({' | '.join(firsts)})?"

    def rule_for(self, made_of: str, make: Any) -> str:
        if made_of not in self.names:
            name = self.names[made_of] = f"value_{len(self.names) + 1}"
            place = len(self.rules)
            self.rules.append("")
            self.rules[place] = f"{name} ::= {make()}"
        return self.names[made_of]

    def constant(self, value: Any) -> str:
        if isinstance(value, str):
            return _literal(self.quote + value + self.quote)
        if isinstance(value, (list, dict)):
            raise UnsupportedError(f"a list or object as a constant, {value!r:.60}, is not written in this form")
        return _literal(json.dumps(value))

    def only(self, schema: dict[str, Any], known: set[str]) -> None:
        for keyword in schema:
            if keyword not in known and keyword not in _ANNOTATIONS:
                raise UnsupportedError(
                    f"the keyword {keyword!r} is not supported in this form",
                    hint="remove it, or use a model that writes JSON",
                )


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# ---- A request to a server ----------------------------------------------------------------------


def functiongemma_request(
    messages: list[dict[str, Any]],
    tools: list[Any],
    *,
    level: int = 1,
    number_form: NumberForm = "plain",
    model: str = "google/functiongemma-270m-it",
) -> dict[str, Any]:
    """The body of a chat request to a server such as vLLM: the grammar constrains, "auto" has the server read the call.

    With `openai`, all but `structured_outputs` are parameters of `create`, and that goes into `extra_body`.

    >>> greet = {"type": "function", "function": {"name": "greet"}}
    >>> body = functiongemma_request([{"role": "user", "content": "Hi"}], [greet])
    >>> body["tool_choice"], sorted(body["structured_outputs"])
    ('auto', ['grammar', 'type'])
    """
    grammar = build_functiongemma_grammar(tools, level, number_form)
    return {
        "model": model,
        "messages": messages,
        "tools": tools,
        "tool_choice": "auto",
        "structured_outputs": {"type": "grammar", "grammar": grammar},
    }


# ---- Arguments as text --------------------------------------------------------------------------


def write_arguments(arguments: dict[str, Any], quote: str) -> str:
    """Arguments, keys in the order of the alphabet as the models' templates have them.

    >>> write_arguments({"city": "Oslo", "a": [1, True]}, "<escape>")
    '{a:[1,true],city:<escape>Oslo<escape>}'
    """
    return _write(arguments, quote)


def _write(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return quote + value + quote
    if isinstance(value, dict):
        pairs = sorted(cast("dict[str, Any]", value).items(), key=lambda pair: pair[0].lower())
        return "{" + ",".join(f"{key}:{_write(item, quote)}" for key, item in pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_write(item, quote) for item in cast("list[Any]", value)) + "]"
    return json.dumps(value)


_KEY = re.compile(r"[^:,{}]+")
_BARE = re.compile(r"[^,{}\[\]]+")


def read_arguments(text: str, at: int, quote: str) -> tuple[dict[str, Any], int]:
    """Arguments at a place of a text, and the place behind them.

    >>> read_arguments("{a:[1,true],city:<escape>Oslo<escape>}", 0, "<escape>")
    ({'a': [1, True], 'city': 'Oslo'}, 38)
    """
    value, at = _read(text, skip_space(text, at), quote)
    if not isinstance(value, dict):
        raise failed("arguments begin with {", at, text)
    return cast("dict[str, Any]", value), at


def _read(text: str, at: int, quote: str) -> tuple[Any, int]:
    if text.startswith(quote, at):
        begin = at + len(quote)
        end = text.find(quote, begin)
        if end < 0:
            raise failed(f"a string has no end {quote}", begin, text)
        return text[begin:end], end + len(quote)
    if text.startswith("{", at):
        return _read_object(text, at, quote)
    if text.startswith("[", at):
        return _read_array(text, at, quote)
    match = _BARE.match(text, at)
    if match is None:
        raise failed("a value is missing", at, text)
    word = match[0].strip()
    try:
        return json.loads(word), match.end()
    except ValueError:
        return word, match.end()


def _read_object(text: str, at: int, quote: str) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = skip_space(text, at + 1)
    while not text.startswith("}", at):
        match = _KEY.match(text, at)
        if match is None or not text.startswith(":", match.end()):
            raise failed("a key and a colon are missing", at, text)
        value, at = _read(text, skip_space(text, match.end() + 1), quote)
        found[match[0].strip().removeprefix(quote).removesuffix(quote)] = value
        at = _behind_comma(text, at, "}")
    return found, at + 1


def _read_array(text: str, at: int, quote: str) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = skip_space(text, at + 1)
    while not text.startswith("]", at):
        value, at = _read(text, at, quote)
        found.append(value)
        at = _behind_comma(text, at, "]")
    return found, at + 1


def _behind_comma(text: str, at: int, end: str) -> int:
    at = skip_space(text, at)
    if text.startswith(",", at):
        return skip_space(text, at + 1)
    if not text.startswith(end, at):
        raise failed(f"a comma or {end} is missing", at, text)
    return at
