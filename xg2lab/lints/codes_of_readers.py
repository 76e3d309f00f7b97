"""The codes of the languages that are not EBNF: JSON Schema, Lark, structural tags.

>>> SCHEMAS[0].code, SCHEMAS[0].provoked()
('invalid_json', {'invalid_json'})

Codes that they share with EBNF, such as `undefined_rule`, stand among its own (`xg2lab.lints.catalogue`).
"""

from __future__ import annotations

import json
from typing import Any

from xg2lab.lints.code import Code, errors

__all__ = ["LARK", "SCHEMAS", "STRUCTURAL_TAGS"]


def _many(keyword: str, parts: list[Any]) -> str:
    return json.dumps({keyword: parts})


SCHEMAS = [
    *errors([
        ("invalid_json", "The text is not JSON, or uses a form that JSON leaves undefined: a duplicate key, NaN.",
         '{"a": }'),
        ("invalid_schema", "A keyword's value violates the standard.", '{"required": "a"}'),
        ("unknown_type", "`type` names none of the seven types.", '{"type": "int"}'),
        ("undefined_reference", "A reference leads nowhere: the path is wrong, or the document was not given.",
         '{"$ref": "#/$defs/a"}'),
        ("circular_reference", "A schema refers to itself, and nothing is read in between.", '{"$ref": "#"}'),
        ("schema_allows_nothing", "No value satisfies all constraints of the schema.",
         '{"type": "string", "const": 1}'),
        ("unsupported_format", "No finite machine can check a format.", '{"format": "regex"}'),
        ("unsupported_unique_items", "Items must all differ, and have infinitely many values.",
         '{"uniqueItems": true}'),
        ("unsupported_vocabulary", "The metaschema of `$schema` requires an unknown vocabulary.",
         '{"$schema": "m", "$defs": {"m": {"$id": "m", "$vocabulary": {"https://x.test/v": true}}}}'),
    ], "json_schema"),
    Code("unsupported_contains", "error", "More than six conditions on the number of items apply at once.",
         _many("allOf", [{"contains": {"const": i}} for i in range(7)]), "json_schema",
         shown='{"allOf": [{"contains": {"const": 0}}, … (7 of them)]}'),
    Code("unsupported_unevaluated", "error", "The evaluated properties or items depend on too many other schemas.",
         json.dumps({"anyOf": [{"properties": {f"p{i}": {}}} for i in range(9)], "unevaluatedProperties": False}),
         "json_schema", shown='{"anyOf": [{"properties": {"p0": {}}}, … (9 of them)], "unevaluatedProperties": false}'),
    Code("unsupported_combination", "error", "Several conditions on an object or list apply at once, and their rules "
         "would be too large. Styles of elements have more such combinations.",
         '{"type": "json_schema", "json_schema": {"minProperties": 2}, "style": "qwen_xml"}', "structural_tag"),
    *errors([
        ("contains_too_large", "Counting items needs too many rules.",
         '{"contains": {"const": 1}, "minContains": 99999}'),
        ("number_too_large", "The machine for the allowed numbers would be too large.", '{"multipleOf": 123456789}'),
        ("string_too_large", "The machine for all constraints on a string would be too large.",
         '{"pattern": "a", "maxLength": 999999999}'),
    ], "json_schema"),
    Code("names_too_large", "error", "Patterns divide property names into too many groups.",
         json.dumps({"patternProperties": {str(i): {"const": i} for i in range(9)}}), "json_schema",
         shown='{"patternProperties": {"0": {"const": 0}, … (9 of them)}}'),
    Code("schema_too_large", "error", "Alternatives multiply, or a schema takes too long.",
         _many("allOf", [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(20)]),
         "json_schema", shown='{"allOf": [{"anyOf": [{"required": ["a0"]}, {"required": ["b0"]}]}, … (20 of them)]}'),
    Code("unknown_keyword", "warning", "A name is not a keyword, so it checks nothing. A hint unless it resembles one. "
         "Names that begin with x- are ignored.", '{"minlength": 1}', "json_schema"),
    Code("empty_key", "hint", "An object with `additionalProperties` takes the empty text as a property's name.",
         '{"type": "object", "additionalProperties": {"type": "integer"}}', "json_schema"),
    Code("keyword_no_effect", "warning", "A keyword checks nothing here: its partner is missing, `type` excludes all "
         "values that it constrains, or the draft ignores it.", '{"type": "integer", "minLength": 1}', "json_schema"),
    Code("relaxed_keyword", "warning", 'A keyword is dropped because of `on_unsupported="relax"`.',
         '{"uniqueItems": true}', "json_schema", {"on_unsupported": "relax"}),
    Code("unchecked_format", "hint", "A format is not in the standard, so every string is allowed. A warning if it "
         "resembles a standard format.", '{"format": "phone"}', "json_schema"),
    Code("unused_definition", "hint", "Nothing refers to a definition.",
         '{"$defs": {"a": {"const": 1}}}', "json_schema"),
    Code("misspelled_required", "warning", "A required name resembles a property's name, and no property has it.",
         '{"properties": {"email": {}}, "required": ["emial"]}', "json_schema"),
]  # fmt: skip

LARK = [
    *errors([
        ("unterminated_text", "A text is not closed in its line.", 'start: "a'),
        ("unterminated_pattern", "A pattern is not closed in its line.", "start: /a"),
        ("bad_name", "A name is neither that of a rule, in small letters, nor that of a terminal, in capitals.",
         'Start: "a"'),
        ("bad_range", "A range runs backwards, or not from one character to another.", 'start: "b".."a"'),
        ("double_repetition", "A mark of repetition repeats a repetition.", 'start: "a"+*'),
        ("unknown_directive", "There is no statement of that name.", '%ingore " "\nstart: "a"'),
        ("unknown_import", "An import does not exist.", "%import other.A\nstart: A"),
        ("empty_ignore", "%ignore names nothing.", '%ignore ""\nstart: "a"'),
        ("bad_template", "A template is used without its arguments, or with too few or many.",
         "start: a\na{b}: b"),
        ("template_too_large", "A template uses itself with ever new arguments.",
         'start: a{"x"}\na{b}: b | a{("y" b)}'),
        ("unknown_grammar", "There is no grammar of that name: it was not given.", "start: @other"),
        ("unknown_special_token", "The vocabulary has no such token, or none is known.", "start: <|end|>"),
        ("bad_schema", "The schema of a %json can't be enforced, or is not a schema.", 'start: %json {"type": "int"}'),
        ("recursive_terminal", "A terminal refers to itself.", 'start: A\nA: "(" A ")" | "x"'),
        ("terminal_not_regular", "A construct for rules only is in a terminal, or the other way round.",
         'start: A\nA: b\nb: "x"'),
        ("lexer_too_large", "The machine that distinguishes the terminals would be too large.",
         "start: A | B | C\nA: /(x{89})+/\nB: /(x{97})+/\nC: /(x{101})+/"),
        (
            "unsupported_stop",
            "The end of a rule looks around, so captures can't leave it out.",
            'start[capture, suffix=/b\\b/]: "a"',
        ),
        ("unsupported_operator", "`&` or `~` is used before a terminal's end, or in a terminal with a priority.",
         'start: A\nA: ~"a" "b"'),
        ("unsupported_lookaround", "A terminal depends on text outside it.", "start: A\nA: /(?<=x)a/"),
        ("unsupported_template", "A terminal is a template.", 'start: "a"\nA{b}: b'),
        ("unsupported_declared", "A terminal is declared and not defined: only a program after the lexer makes it.",
         "%declare A\nstart: A"),
        ("unsupported_setting", "A setting would change what the grammar matches.",
         '%llguidance {"allow_initial_skip": true}\nstart: "a"'),
        ("unsupported_structured_regex", "%regex has keys besides substring_words, substring_chars, substring_chunks.",
         'start: %regex {"a": 1}'),
    ], "lark"),
    Code("terminals_overlap", "warning", "Two terminals match one text. Lark takes one by an order of its own; both "
         "readings are kept.", "start: A | B\nA: /[a-z]/\nB: /[x-z]/", "lark"),
    Code("text_cut", "warning", "A pattern matches a text's beginning but not all of it: Lark may divide it there.",
         'start: "a-b" | A\nA: /[a-z]+/', "lark"),
]  # fmt: skip

STRUCTURAL_TAGS = [
    *errors([
        ("bad_format", "A format is not an object with a `type`.", '{"typ": "any_text"}'),
        ("unknown_format", "There is no format of that type.", '{"type": "any_txt"}'),
        ("missing_field", "A format lacks a required field.", '{"type": "const_string"}'),
        ("unknown_field", "A format has no such field.", '{"type": "any_text", "exclude": []}'),
        ("bad_field", "A field's value has the wrong type.", '{"type": "any_text", "excludes": "a"}'),
        ("empty_list", "A list needs at least one element.", '{"type": "or", "elements": []}'),
        ("empty_text", "A dispatch can't watch for an empty text.", '{"type": "any_text", "excludes": [""]}'),
        ("bad_repeat", "The bounds of a repeat are reversed, or are not valid numbers.",
         '{"type": "repeat", "min": 2, "max": 1, "content": {"type": "any_text"}}'),
        ("unknown_style", "A schema has no such style.",
         '{"type": "json_schema", "json_schema": true, "style": "yaml"}'),
        ("unsupported_style", "A style repeats the names of properties, so all of them have to be declared.",
         '{"type": "json_schema", "json_schema": true, "style": "minimax_m3_xml"}'),
        ("tag_without_trigger", "No trigger opens a tag.",
         '{"type": "triggered_tags", "triggers": ["b"], '
         '"tags": [{"begin": "a", "content": {"type": "any_text"}, "end": "c"}]}'),
        ("tag_with_triggers", "More than one trigger opens a tag.",
         '{"type": "triggered_tags", "triggers": ["a", "ab"], '
         '"tags": [{"begin": "ab", "content": {"type": "any_text"}, "end": "c"}]}'),
        ("trigger_without_tag", "A trigger opens no tag.",
         '{"type": "triggered_tags", "triggers": ["a", "b"], '
         '"tags": [{"begin": "a", "content": {"type": "any_text"}, "end": "c"}]}'),
        ("duplicate_trigger", "A trigger is listed twice.",
         '{"type": "dispatch", "rules": [["a", {"type": "any_text"}], ["a", {"type": "any_text"}]]}'),
        ("trigger_is_end", "A trigger is, or contains, an end of the tag around it.",
         '{"type": "tag", "begin": "<", "content": {"type": "dispatch", '
         '"rules": [["a", {"type": "const_string", "value": "x"}]]}, "end": "a"}'),
        ("bad_token", "A token is neither an id nor a text.", '{"type": "token", "token": -1}'),
        ("token_needs_tokenizer", "A token is named by its text, and no tokenizer is known.",
         '{"type": "token", "token": "a"}'),
    ], "structural_tag"),
    *errors([("unknown_token", "The vocabulary has no token of that text.", '{"type": "token", "token": "c"}')],
            "compile_tag"),
    Code("bad_grammar", "error", "EBNF in a tag is beyond a limit.",
         json.dumps({"type": "grammar", "grammar": "#" * ((1 << 24) + 1)}), "structural_tag",
         shown='{"type": "grammar", "grammar": "###… (16,777,217 times)"}'),
]  # fmt: skip
