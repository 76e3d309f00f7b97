"""Every code that a diagnostic can have, with what it means and a grammar that provokes it.

>>> code = CODES["duplicate_rule"]
>>> code.explanation, "duplicate_rule" in code.provoked()
('A rule is defined twice.', True)

The table below is what docs/diagnostics.md is written from (`python -m tools.check_diagnostics --write`), and tests
hold it against the engine's sources: a code that is raised there and is missing here fails them. A new front end adds
its codes as a section of its own.
"""

from __future__ import annotations

from xg2lab.lints.code import Code, errors
from xg2lab.lints.codes_of_readers import LARK, SCHEMAS, STRUCTURAL_TAGS

__all__ = ["CODES", "SECTIONS", "Code"]


SYNTAX = errors([
    ("empty_grammar", "There is no rule at all.", '# root ::= "a"'),
    ("syntax", "A symbol is in a place where it is not allowed.", 'root ::= "a" & "b"'),
    ("expected_token", "A mark or a name is missing.", 'root "a"'),
    ("expected_expression", "A repetition has nothing to repeat, or an expression is missing.", 'root ::= * "a"'),
    ("unterminated_literal", "A literal is not closed in its line.", 'root ::= "abc'),
    ("unterminated_class", "A class is not closed in its line.", "root ::= [abc"),
    ("unterminated_group", "A parenthesis is not closed.", 'root ::= ("a" | "b"'),
    ("bad_escape", "Unknown or incomplete escape sequence.", r'root ::= "\q"'),
    ("surrogate", "An escape names half of a surrogate pair.", r'root ::= "\uD800"'),
    ("invalid_utf8", "The text is not UTF-8.", 'root ::= "\ud800"'),
    ("bad_repetition", "The bounds of a repetition are not numbers, or the first is greater than the second.",
     'root ::= "a"{5,2}'),
    ("reversed_range", "A range in a class runs backwards.", "root ::= [z-a]"),
])  # fmt: skip

RULES = [
    *errors([
        ("missing_root", "The rule that a whole output must match is not defined.", 'start ::= "a"'),
        ("undefined_rule", "A rule is used and not defined.", "root ::= digits   digit ::= [0-9]"),
        ("duplicate_rule", "A rule is defined twice.", 'root ::= a   a ::= "1"   a ::= "2"'),
    ]),
    Code(
        "never_matches",
        "error",
        "A rule matches no text: each alternative needs the rule itself again, or a class without characters. A "
        "warning if the root does not need the rule.",
        'root ::= "a" root',
    ),
    Code("unused_rule", "warning", "The root never needs a rule.", 'root ::= "a"   other ::= "b"'),
]  # fmt: skip

MACROS = [
    *errors([
        ("unknown_macro", "A call names no macro.", 'root ::= Regexp("a")'),
        ("bad_macro_argument", "A macro does not accept this kind of argument.", "root ::= Regex(5)"),
        ("empty_tag", "A dispatch can't watch for an empty text.", 'root ::= TagDispatch(("", x))   x ::= "a"'),
        ("duplicate_tag", "A dispatch watches for a text twice.",
         'root ::= TagDispatch(("t", x), ("t", x))   x ::= "a"'),
        ("tag_contains_stop", "A tag can't be read to its end: a stop string is within it.",
         'root ::= TagDispatch(("tag", x), stop_str=("a"))   x ::= "a"'),
        ("dispatch_never_ends", "A dispatch has no end.", 'root ::= TagDispatch(("t", x), stop_eos=false)   x ::= "a"'),
        ("bad_token_id", "A number is not a token id.", "root ::= Token(99999999999)"),
        ("empty_token_set", "A set of tokens is empty.", "root ::= Token()"),
        ("excluded_trigger", "A trigger is excluded as well.",
         'root ::= TokenTagDispatch((5, x), excludes=(5))   x ::= "a"'),
        ("nullable_member", "A member in any order may match nothing.", "root ::= AnyOrder(x)   x ::= [0-9]*"),
    ]),
    Code("tag_never_fires", "warning", "A tag is never read to its end: another text is within it.",
         'root ::= TagDispatch(("a", x), ("ab", x))   x ::= "1"'),
    Code("stop_never_read", "warning", "A stop string is never read to its end: another text is within it.",
         'root ::= TagDispatch(("a", x), stop_str=("ab"))   x ::= "1"'),
    Code("exclude_never_read", "warning", "An excluded text is never read to its end: another text is within it.",
         'root ::= TagDispatch(("a", x), excludes=("ab"))   x ::= "1"'),
]  # fmt: skip

TEMPLATES = [
    *errors([
        ("bad_hole", "A part of a template that arguments fill is written wrongly.", "root ::= OneOf(5)"),
        ("slot_of_two_kinds", "A slot is filled by two kinds of argument.", "root ::= $x OneOf($x)"),
        ("missing_argument", "A slot has no argument.", "root ::= $x"),
    ], "template"),
    *[
        Code(code, "error", explanation, example, "template", arguments)
        for code, explanation, example, arguments in [
            ("unknown_argument", "No slot has the name of an argument.", 'root ::= "a"', {"x": "b"}),
            ("wrong_argument", "An argument has another kind than its slot.", "root ::= $x", {"x": 5}),
            ("empty_choice", "A list to choose from is empty.", "root ::= OneOf($xs)", {"xs": []}),
            ("bad_count", "A number of repetitions is negative, too large, or its bounds are the wrong way round.",
             'root ::= "a"{$n}', {"n": -1}),
        ]
    ],
    *errors([
        ("misspelled_text", "An encoder returns no ids that spell a text of a template, or of its arguments.",
         'root ::= "a"'),
        ("unsupported_spelling", "A text can't be tokenized alone: its rule is one machine, or reads bytes again.",
         'root[lazy] ::= [a]* "b"'),
    ], "spelled_template"),
    *errors([
        ("bad_slot", "A slot of a schema is written wrongly.", '{"const": {"$slot": "x", "y": 1}}'),
        ("misplaced_slot", "A slot of a schema is in a place that no argument can fill.",
         '{"minLength": {"$slot": "n"}}'),
    ], "schema_template"),
]  # fmt: skip

OPTIONS = [
    *errors([
        ("unknown_option", "A rule has no such option.", 'root[max_token=5] ::= "a"'),
        ("bad_option", "The value of an option is not allowed, or two options exclude each other.",
         'root[max_tokens=no] ::= "a"'),
        ("duplicate_option", "An option is given twice.", 'root[lazy, lazy] ::= "a"'),
        ("misplaced_option", "Options are written after a use of a rule, not at its definition.",
         'root ::= x[max_tokens=5]   x ::= "a"'),
    ]),
    *errors([
        ("not_regular", "A rule with lazy or max_chars refers to itself.", 'root[max_chars=5] ::= "(" root ")" | "a"'),
        ("option_within", "A rule within one with lazy or max_chars has options that keep it apart.",
         'root[max_chars=5] ::= x   x[capture] ::= "a"'),
        ("token_edge_within", "A rule with lazy or max_chars takes tokens by their ids.",
         "root[max_chars=5] ::= Token(0)"),
        ("any_order_within", "A rule with lazy or max_chars has members in any order.",
         'root[max_chars=5] ::= AnyOrder(x)   x ::= "a"'),
        ("max_chars_too_small", "The shortest match is longer than max_chars.", 'root[max_chars=2] ::= "abc"'),
    ], "compile"),
    Code("lazy_matches_empty", "warning", "A lazy rule may be empty, so it always is.",
         'root ::= x "b"   x[lazy] ::= "a"*'),
    Code("option_no_effect", "hint", "No match ever reaches a limit, or a lazy rule has matches of one length.",
         'root[max_chars=10] ::= "abc"'),
]  # fmt: skip

LOOKAHEADS = [
    Code("lookahead_not_kept", "warning", "The grammar allows text after a rule that its lookahead excludes.",
         'root ::= x "b"   x ::= "a" (= "c")'),
    Code("lookahead_promises_nothing", "hint", "A lookahead always holds.", 'root ::= x "b"   x ::= "a" (= "c"?)'),
    Code("lookahead_not_checked", "hint", "A lookahead is too complex to check.",
         'root ::= k ":" w   k ::= "k" (= ":" v)   v ::= "1" | "(" v ")"   w ::= "1" | "(" w ")" | "((" v "))"'),
]  # fmt: skip

REGEX = [
    *errors([
        ("bad_regex", "A pattern can't be read.", "a(b"),
        ("unsupported_regex", "A pattern needs more than a finite machine, or a construct on which dialects disagree.",
         r"(a)\1"),
    ], "regex"),
    Code("regex_too_large", "error", "A pattern is too long, or needs too large a machine.", "a" * 65_537, "regex",
         shown="aaa… (65,537 times)"),
]  # fmt: skip

COMPILING = [
    *errors([
        ("token_out_of_range", "The vocabulary has no token with that id.", "root ::= Token(9)"),
        ("no_token_left", "Every token is excluded.", "root ::= ExcludeToken(0, 1)"),
        ("stop_token_edge", "A stop token ends the text, and can't be within it.", "root ::= Token(3)"),
        ("padding_token_edge", "The id belongs to padding.", "root ::= Token(4)"),
        ("empty_token_edge", "The token has no bytes.", "root ::= Token(2)"),
    ], "compile"),
    Code("left_recursion", "error", 'With `parser="pda"` a rule can\'t begin with itself.',
         'root ::= root "a" | "b"', "compile", {"parser": "pda"}),
    Code("too_many_states", "error", "A grammar needs more states than `max_fsm_states`.", 'root ::= "abcdefgh"',
         "compile", {"max_fsm_states": 4}),
    Code("nesting_too_deep", "error", "Groups are nested a thousand levels deep.",
         "root ::= " + "(" * 1001 + ")" * 1001,
         shown="root ::= (((… (1,001 times)"),
]  # fmt: skip

OPERATORS = [
    *errors([
        ("recursion", 'A rule calls itself, so the tree of operators would be infinite. Also for `parser="operators"`.',
         'root ::= "(" root ")" | "a"'),
        ("no_operator", "Members in any order, max_tokens, and max_chars of more than a repeated character have no "
         "operator.", 'root[max_tokens=5] ::= "a"*'),
    ], "operators"),
    Code("too_many_operators", "error", "A tree of operators is larger than `max_operators`: also of "
         '`parser="operators"`; or lazy rules are nested too deep.',
         'root ::= x x   x ::= y y   y ::= "a" "b"', "operators", {"max_operators": 5}),
]  # fmt: skip

LINTS = [
    Code("ambiguous", "warning", "A text can be read in two ways; the message has the shortest that was found, and "
         "both ways. Masks are the same, but both ways are followed.", 'root ::= root "+" root | "1"'),
    Code("cyclic_rule", "warning", "A rule derives itself without input: infinitely many derivations.",
         'root ::= a   a ::= a | "x"'),
    Code("endless_whitespace", "warning", "Whitespace can go on without end: a model may never leave it.",
         r'root ::= "{" ws "}"   ws ::= [ \t\n]*'),
    Code("swallowed_end", "warning", "Free text can hold the marker that is to end it, so reading the marker does not "
         "end the text.", 'root ::= "<think>" [^]* "</think>"'),
    Code("duplicate_alternative", "warning", "A choice has the same alternative twice.", 'root ::= "a" | "b" | "a"'),
    Code("empty_alternative", "hint", "There is nothing between two bars, or after the last.", 'root ::= "a" | "b" |'),
    Code("no_effect", "hint", "A repetition changes nothing.", 'root ::= ws? "a"   ws ::= " "?'),
    Code("class_caret", "hint", "A `^` that is not at the beginning of its class excludes nothing.", 'root ::= ["^]'),
    Code("enumerated_class", "hint", "A class lists characters one by one, where all but a few may be meant.",
         r"root ::= [A-Za-z0-9_:\-\", !?;]+"),
    Code("similar_names", "hint", "Names of rules differ in letter case or punctuation only.",
         'root ::= a-b a_b   a-b ::= "1"   a_b ::= "2"'),
]  # fmt: skip

SECTIONS: dict[str, list[Code]] = {
    "Text that can't be read": SYNTAX,
    "Rules": RULES,
    "Macros and dispatch": MACROS,
    "Templates and their arguments": TEMPLATES,
    "Options of rules": OPTIONS,
    "Lookaheads": LOOKAHEADS,
    "Regular expressions": REGEX,
    "JSON Schema": SCHEMAS,
    "Lark": LARK,
    "Structural tags": STRUCTURAL_TAGS,
    "Found when a grammar is compiled": COMPILING,
    "Found when a grammar is shown as operators": OPERATORS,
    "Lints: what `xg2lab.lint` adds": LINTS,
}
CODES: dict[str, Code] = {code.code: code for section in SECTIONS.values() for code in section}
