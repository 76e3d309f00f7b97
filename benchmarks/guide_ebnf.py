"""The guide's smaller EBNF examples, an arithmetic one and calls of FunctionGemma at levels 1, 3 and 4, with the peers.

    python -m benchmarks guide_ebnf

`json_guide` has the guide's JSON grammar. The columns are those of `json_guide`; texts are some kilobytes, a line each.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import record, steps
from benchmarks.engines import engines
from benchmarks.texts import Source, tokens_of, vocabulary

SAME = ("grammar",)  # columns in which rows must agree to be compared (benchmarks/ahead.py)
N_TEXTS = 40
WS = r"ws ::= [ \t\r\n]+"
STRUCTURED = rf"""
root ::= "<start_function_call>" "call:" tool_name obj "<end_function_call>"
tool_name ::= "simple_tool" | "submit_result"
obj ::= "{{" ws? (pair (ws? "," ws? pair)*)? ws? "}}"
pair ::= ident ws? ":" ws? value
value ::= escaped_string | number | boolean | "null" | obj | arr
arr ::= "[" ws? (value (ws? "," ws? value)*)? ws? "]"
escaped_string ::= "<escape>" str_char* "<escape>"
str_char ::= [^<\\] | "\\" ["\\/bfnrt]
number ::= "-"? int frac? exp?
int ::= "0" | [1-9] [0-9]*
frac ::= "." [0-9]+
exp ::= ("e" | "E") ("+" | "-")? [0-9]+
boolean ::= "true" | "false"
ident ::= [A-Za-z_] [A-Za-z0-9_]*
{WS}
"""
STRUCTURED_LARK = r"""
start: "<start_function_call>" "call:" tool_name obj "<end_function_call>"
tool_name: "simple_tool" | "submit_result"
obj: "{" WS? (pair (WS? "," WS? pair)*)? WS? "}"
pair: IDENT WS? ":" WS? value
value: STRING | NUMBER | "true" | "false" | "null" | obj | arr
arr: "[" WS? (value (WS? "," WS? value)*)? WS? "]"
STRING: /<escape>([^<\\]|\\["\\\/bfnrt])*<escape>/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
IDENT: /[A-Za-z_][A-Za-z0-9_]*/
WS: /[ \t\r\n]+/
"""
#: By name: the grammar, and its text number i.
GRAMMARS: dict[str, tuple[Source, Callable[[int], str]]] = {
    "arithmetic": (
        Source(
            'root ::= expr "=" term\nexpr ::= term ([-+*/] term)*\nterm ::= num | "(" expr ")"\nnum ::= [0-9]+',
            'start: expr "=" term\nexpr: term (/[-+*\\/]/ term)*\nterm: NUM | "(" expr ")"\nNUM: /[0-9]+/',
        ),
        lambda i: "(" * (i % 5) + f"{i}*{i + 17}" + ")" * (i % 5) + f"-(12/{i + 1})=7",
    ),
    "calls, level 1": (
        Source(
            'root ::= "<start_function_call>" "call:" tool_name "{" arg_body "}" "<end_function_call>"\n'
            'tool_name ::= "simple_tool" | "submit_result"\narg_body ::= arg_char*\narg_char ::= [^}]',
            'start: "<start_function_call>" "call:" name "{" BODY "}" "<end_function_call>"\n'
            'name: "simple_tool" | "submit_result"\nBODY: /[^}]*/',
        ),
        lambda i: f"<start_function_call>call:simple_tool{{city: Zürich {i}, days: {i * 3}}}<end_function_call>",
    ),
    "calls, level 3": (
        Source(STRUCTURED, STRUCTURED_LARK),
        lambda i: (
            "<start_function_call>call:submit_result{summary: <escape>done after "
            f"{i} steps<escape>, scores: [{i}, -{i}.5e2, null], nested: {{ok: true}}}}<end_function_call>"
        ),
    ),
    "calls, level 4": (
        Source(
            'root ::= "<start_function_call>" "call:" function_call "<end_function_call>"\n'
            'function_call ::= "get_weather" args_weather | "get_time" args_time\n'
            'args_weather ::= "{" ws? "location" ws? ":" ws? escaped_string ws? "}"\n'
            'args_time ::= "{" ws? "timezone" ws? ":" ws? escaped_string ws? "}"\n'
            'escaped_string ::= "<escape>" [^<]* "<escape>"\n' + WS,
            'start: "<start_function_call>" "call:" (weather | time) "<end_function_call>"\n'
            'weather: "get_weather" "{" WS? "location" WS? ":" WS? STRING WS? "}"\n'
            'time: "get_time" "{" WS? "timezone" WS? ":" WS? STRING WS? "}"\n'
            "STRING: /<escape>[^<]*<escape>/\nWS: /[ \\t\\r\\n]+/",
        ),
        lambda i: f"<start_function_call>call:get_time{{timezone: <escape>Etc/GMT+{i}<escape>}}<end_function_call>",
    ),
}


def run() -> list[record.Figures]:
    words = vocabulary()
    rows: list[record.Figures] = []
    for name, (source, text_of) in GRAMMARS.items():
        texts = [tokens_of(words, text_of(i)) for i in range(N_TEXTS)]
        for engine in engines(words):
            figures = steps.measure(engine, lambda e=engine, s=source: e.compile(s), texts)
            rows.append({"grammar": name, "engine": engine.name, "vocabulary": words.name, **figures})
    return rows
