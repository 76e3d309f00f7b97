"""The words of EBNF and Lark beside names of rules: macros, options of rules, operators, statements, terminals.

>>> MACROS["Regex"].call
'Regex("[a-z]+")'
>>> [name for name in OPTIONS if OPTIONS[name].value is None]
['lazy', 'hidden']

`tests/editing/test_words.py` compares the names with those of the engine's sources, and reads every example.

See also: core/frontends/ebnf/macros.h, core/grammar/rule_options.h, core/frontends/lark/library.cc.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "COMMON_TERMINALS", "ESCAPES", "LARK_OPTIONS", "LARK_STATEMENTS", "MACROS", "OPERATORS", "OPTIONS",
    "TEMPLATE_MACROS", "Macro", "Option",
]  # fmt: skip


@dataclass(frozen=True)
class Macro:
    """A macro: a call as an example, one sentence, and its keywords, each with what it means."""

    call: str
    means: str
    keywords: dict[str, str]


MACROS: dict[str, Macro] = {
    "TagDispatch": Macro(
        'TagDispatch(("<a>", tag))',
        "Free text in which each of these texts opens its rule.",
        {
            "stop_eos": "whether the free text may end the output (true)",
            "stop_str": "texts that end the free text",
            "loop_after_dispatch": "whether free text goes on after a rule (true)",
            "excludes": "texts that the free text may not contain",
        },
    ),
    "TokenTagDispatch": Macro(
        "TokenTagDispatch((5, tag))",
        "Free tokens in which each of these token ids opens its rule.",
        {
            "loop_after_dispatch": "whether free tokens go on after a rule (true)",
            "excludes": "tokens that may not come",
        },
    ),
    "AnyOrder": Macro(
        'AnyOrder(first, second?, sep=",")',
        "Members in any order: `a` once, `a?` at most once, `a*` any number of times, `a+` at least once.",
        {
            "sep": "a text or a rule between members",
            "min": "the fewest members in all (0)",
            "max": "the most members in all",
            "ordered": "whether members keep the order in which they are listed (false)",
        },
    ),
    "Regex": Macro(
        'Regex("[a-z]+")',
        "The texts that a regular expression (ECMA-262) matches.",
        {
            "flags": "flags of the expression, such as i",
            "search": "whether a match anywhere in the text is enough (false)",
            "json_string": "whether texts are written as a JSON string (false)",
            "json_name": "whether texts are written as the name of a JSON property (false)",
        },
    ),
    "JsonNumber": Macro(
        'JsonNumber(min="0", max="9")',
        "Numbers of JSON under constraints; numbers in texts, as JSON writes them.",
        {
            "min": "the least number",
            "max": "the greatest number",
            "exclusive_min": "whether numbers are above min (false)",
            "exclusive_max": "whether numbers are below max (false)",
            "integer": "whether numbers are integers; false: none is",
            "multiple_of": "numbers are multiples of these",
            "not_multiple_of": "numbers are not multiples of these",
            "excluded": "numbers that are left out",
            "values": "numbers are among these",
            "plain": "whether numbers are written as programs write them (false)",
            "bounded": "whether numbers have a bounded count of digits (false)",
        },
    ),
    "Substring": Macro('Substring("to be or not")', "A contiguous part of a text.", {}),
    "Token": Macro("Token(5)", "One token with one of these ids or texts.", {}),
    "ExcludeToken": Macro("ExcludeToken(5)", "One token with none of these ids or texts.", {}),
}
#: Of templates: slots are written $x.
TEMPLATE_MACROS: dict[str, Macro] = {
    "OneOf": Macro("OneOf($texts)", "One of the texts in a slot.", {}),
    "Use": Macro("Use($grammar)", "The grammar in a slot.", {}),
    "If": Macro('If($flag, "yes", "no")', "The first of two expressions if the slot is true, else the second.", {}),
    "Each": Macro('Each($items, item, ",")', "A rule for each element of a slot, with a separator.", {}),
}


@dataclass(frozen=True)
class Option:
    """An option of a rule: an example of its value (None: it has none), and one sentence."""

    value: str | None
    means: str


OPTIONS: dict[str, Option] = {
    "max_tokens": Option("100", "A match touches at most this many tokens, then ends as soon as it can."),
    "max_chars": Option("80", "A match has at most this many code points."),
    "lazy": Option(None, "A match ends at the first place where it can."),
    "capture": Option('"name"', "Matches are recorded under this name, or under the rule's."),
    "temperature": Option("0.7", "The sampling temperature while the rule is being matched."),
    "parts": Option("rule", "The bytes of a match are parsed again by this rule, which captures parts of it."),
    "hidden": Option(None, "Captures around a match leave its bytes out."),
}
LARK_OPTIONS: dict[str, Option] = {
    **{name: OPTIONS[name] for name in ("capture", "lazy", "max_chars", "max_tokens", "temperature")},
    "suffix": Option('"<end>"', "A match ends with this text, pattern or terminal."),
    "stop": Option('"<end>"', "As suffix, and captures leave it out."),
    "stop_capture": Option('"end"', "The suffix is recorded under this name."),
}
#: Operators of EBNF: how each is written, and one sentence.
OPERATORS: dict[str, str] = {
    "|": "Either side.",
    "*": "Any number of times, also none.",
    "+": "Once or more.",
    "?": "Once or not at all.",
    "{2,5}": "From two to five times. {2}: twice; {2,}: twice or more; {,5}: at most five times.",
    "[a-z]": "One code point of a class.",
    "[^a-z]": "One code point that is not in the class.",
    "( )": "A group.",
    '(= "x")': "A lookahead at the end of a rule: what must follow it.",
}
LARK_STATEMENTS: dict[str, str] = {
    "%ignore": "A terminal that may stand between all others: %ignore WS",
    "%import": "A terminal of the library or of a named grammar: %import common.INT",
    "%declare": "A terminal that a program defines: %declare INDENT",
    "%override": "Replaces an imported rule: %override name: ...",
    "%extend": "Adds alternatives to an imported rule: %extend name: ...",
    "%json": "A value that a JSON Schema describes: %json {...}",
    "%regex": "A contiguous part of a text: %regex {...}",
    "%lark": "A grammar within the grammar: %lark {...}",
}
COMMON_TERMINALS = (
    "DIGIT", "HEXDIGIT", "INT", "SIGNED_INT", "DECIMAL", "FLOAT", "SIGNED_FLOAT", "NUMBER", "SIGNED_NUMBER",
    "LCASE_LETTER", "UCASE_LETTER", "LETTER", "WORD", "CNAME", "ESCAPED_STRING", "WS_INLINE", "WS", "CR", "LF",
    "NEWLINE", "SH_COMMENT", "CPP_COMMENT", "C_COMMENT", "SQL_COMMENT",
)  # fmt: skip
#: Escapes of regular expressions.
ESCAPES: dict[str, str] = {
    r"\d": "A digit, 0 to 9.",
    r"\D": "A code point that is no digit.",
    r"\w": "A letter of ASCII, a digit or _.",
    r"\W": "A code point that is none of these.",
    r"\s": "A space, a tab or a line break.",
    r"\S": "A code point that is no space.",
    r"\b": "A place between a word's character and another.",
    r"\p{L}": "A letter of any script.",
    r"\p{Lu}": "A capital letter of any script.",
    r"\p{N}": "A number of any script.",
    r"\n": "A line feed.",
    r"\t": "A tab.",
    r"\u0041": "A code point by its number.",
}
