"""One EBNF grammar for each format of the tiny model: the completions that keep the format, and no others.

>>> print(grammar_for("functiongemma").splitlines()[0])
# One tool call as FunctionGemma writes it: bare keys, and <escape> around text.

A grammar is put together of up to three parts: how the format frames a call (one part a format), the arguments of
each tool as a JSON object (shared by the three formats that write JSON arguments), and the JSON values. The parts
are plain EBNF; what `grammar_for` returns is complete and starts at the rule `root`.

See also `formats.py`, which writes and reads the same formats without a grammar.
"""

from __future__ import annotations

from xg2lab.tiny.formats import known

__all__ = ["grammar_for"]

_QWEN = r"""# One tool call as Qwen and Hermes write it:
#
#   <tool_call>
#   {"name": "get_weather", "arguments": {"city": "Oslo"}}
#   </tool_call>
#
# The name decides which arguments may follow: each alternative of `call` pairs a name with its own object.
root ::= '<tool_call>\n{"name"' colon call '}\n</tool_call>'
call ::= '"get_weather"'      comma '"arguments"' colon get_weather
       | '"set_timer"'        comma '"arguments"' colon set_timer
       | '"send_email"'       comma '"arguments"' colon send_email
       | '"search_flights"'   comma '"arguments"' colon search_flights
       | '"add_event"'        comma '"arguments"' colon add_event
       | '"convert_currency"' comma '"arguments"' colon convert_currency
"""

_LLAMA = r"""# One tool call as Llama writes it when asked to: <function=get_weather>{"city": "Oslo"}</function>
root ::= '<function=' call '</function>'
call ::= 'get_weather>'      get_weather
       | 'set_timer>'        set_timer
       | 'send_email>'       send_email
       | 'search_flights>'   search_flights
       | 'add_event>'        add_event
       | 'convert_currency>' convert_currency
"""

_HARMONY = r"""# One tool call in Harmony's channels. The model may think first, in the analysis channel (free text up
# to the next marker), and then calls a function in the commentary channel:
#
#   <|channel|>analysis<|message|>Use get_weather.<|end|><|start|>assistant
#   <|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>
#
# (one line in truth: there is no line break between the two)
root     ::= analysis? '<|channel|>commentary to=functions.' call '<|call|>'
analysis ::= '<|channel|>analysis<|message|>' [^<]+ '<|end|><|start|>assistant'
call     ::= 'get_weather'      json get_weather
           | 'set_timer'        json set_timer
           | 'send_email'       json send_email
           | 'search_flights'   json search_flights
           | 'add_event'        json add_event
           | 'convert_currency' json convert_currency
json     ::= ' <|constrain|>json<|message|>'
"""

_FUNCTIONGEMMA = r"""# One tool call as FunctionGemma writes it: bare keys, and <escape> around text.
#
#   <start_function_call>call:get_weather{city:<escape>Oslo<escape>}<end_function_call>
root ::= '<start_function_call>call:' call '}<end_function_call>'
call ::= 'get_weather{city:'        text (',unit:' unit)?
       | 'set_timer{minutes:'       integer (',label:' text)?
       | 'send_email{to:'           text ',subject:' text
       | 'search_flights{origin:'   text ',destination:' text ',date:' date
       | 'add_event{title:'         text ',date:' date ',time:' time
       | 'convert_currency{amount:' number ',source:' currency ',target:' currency

# Values. Text may hold anything but "<", which would open the next marker.
text     ::= '<escape>' [^<]* '<escape>'
unit     ::= '<escape>' ('celsius' | 'fahrenheit') '<escape>'
currency ::= '<escape>' ('EUR' | 'USD' | 'GBP' | 'JPY' | 'CHF' | 'SEK' | 'INR' | 'BRL') '<escape>'
date     ::= '<escape>' [0-9]{4} '-' [01] [0-9] '-' [0-3] [0-9] '<escape>'
time     ::= '<escape>' [0-2] [0-9] ':' [0-5] [0-9] '<escape>'
integer  ::= '0' | [1-9] [0-9]*
number   ::= integer ('.' [0-9]+)?
"""

_JSON = r"""# One record as a JSON object: a person, an order or a meeting, its fields in this order.
root    ::= person | order | meeting
person  ::= '{"name"' colon string comma '"age"' colon integer comma '"city"' colon string '}'
order   ::= '{"item"' colon string comma '"quantity"' colon integer comma '"price"' colon number '}'
meeting ::= '{"title"' colon string comma '"date"' colon date comma '"time"' colon time '}'
"""

_ARGUMENTS = r"""
# The arguments of each tool, in this order. What stands in (...)? may be left out.
get_weather      ::= '{"city"' colon string (comma '"unit"' colon unit)? '}'
set_timer        ::= '{"minutes"' colon integer (comma '"label"' colon string)? '}'
send_email       ::= '{"to"' colon string comma '"subject"' colon string '}'
search_flights   ::= '{"origin"' colon string comma '"destination"' colon string comma '"date"' colon date '}'
add_event        ::= '{"title"' colon string comma '"date"' colon date comma '"time"' colon time '}'
convert_currency ::= '{"amount"' colon number comma '"source"' colon currency comma '"target"' colon currency '}'
unit             ::= '"celsius"' | '"fahrenheit"'
currency         ::= '"' ('EUR' | 'USD' | 'GBP' | 'JPY' | 'CHF' | 'SEK' | 'INR' | 'BRL') '"'
"""

_VALUES = r"""
# JSON values. A colon and a comma may be followed by one space, as the model likes.
string  ::= '"' ([^"\\\x00-\x1F] | escape)* '"'
escape  ::= '\\' (["\\/bfnrt] | 'u' [0-9a-fA-F]{4})
date    ::= '"' [0-9]{4} '-' [01] [0-9] '-' [0-3] [0-9] '"'
time    ::= '"' [0-2] [0-9] ':' [0-5] [0-9] '"'
integer ::= '0' | [1-9] [0-9]*
number  ::= integer ('.' [0-9]+)?
colon   ::= ':' ' '?
comma   ::= ',' ' '?
"""

_GRAMMARS: dict[str, str] = {
    "qwen": _QWEN + _ARGUMENTS + _VALUES,
    "llama_function": _LLAMA + _ARGUMENTS + _VALUES,
    "harmony": _HARMONY + _ARGUMENTS + _VALUES,
    "functiongemma": _FUNCTIONGEMMA,
    "json": _JSON + _VALUES,
}


def grammar_for(format: str) -> str:
    """The EBNF grammar of a format's completions; its start rule is `root`."""
    return _GRAMMARS[known(format)]
