# Generated from the built engine by `make stubs`; do not edit.
# pyright: reportMissingTypeArgument=false, reportUnknownParameterType=false, reportMissingParameterType=false
"""
The engine of xg2lab. Use the names of the package `xg2lab`; this module implements them.
"""
from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import typing
from xg2lab.lab.schema import engine as records
__all__: list[str] = ['Arguments', 'BatchGrammarMatcher', 'Bits', 'CompiledGrammar', 'CompiledTemplate', 'EventLog', 'Grammar', 'GrammarMatcher', 'MaskPool', 'NumberConstraint', 'NumberMachine', 'OperatorTree', 'RegularLanguage', 'RuleInfo', 'SchemaInput', 'StructuralTagInput', 'TemplateText', 'TokenNames', 'TokenSets', 'TokenTrie', 'Turns', 'Vocabulary', 'WorkTerms', 'apply_bitmask_on_cpu', 'bitmask_row_address', 'check_work', 'compare_numbers', 'counts_bytes', 'decode_token', 'entry_would_decide_little', 'format_language', 'format_names', 'format_pattern', 'give_back_after_fork', 'machine_of_numbers', 'mask_costs', 'plan_mask', 'structural_tag_grammar', 'structure_classes', 'take_before_fork', 'write_number']
class Turns:
    """
    Limits how many threads of a process run a block at once: `with turns: ...`. A child of a fork begins with all turns free.
    """
    def __enter__(self) -> None:
        ...
    def __exit__(self, *args) -> None:
        ...
    def __init__(self, n: typing.SupportsInt | typing.SupportsIndex) -> None:
        ...
    @property
    def n_free(self) -> int:
        """
        The number of free turns.
        """
class WorkTerms:
    """
    Limits of this thread's work, as a context manager: see xg2lab.work_limits. `seconds` and `bytes`: None means no limit.
    """
    def __enter__(self) -> None:
        ...
    def __exit__(self, *args) -> None:
        ...
    def __init__(self, *, seconds: typing.SupportsFloat | typing.SupportsIndex | None, bytes: typing.SupportsInt | typing.SupportsIndex | None) -> None:
        ...
class RuleInfo:
    """
    One rule of a Grammar. Spans count bytes of its source.
    """
    def __repr__(self) -> str:
        ...
    @property
    def body(self) -> str:
        """
        The body as EBNF.
        """
    @property
    def is_nullable(self) -> bool:
        """
        Whether it matches the empty string.
        """
    @property
    def is_recursive(self) -> bool:
        """
        Whether it refers to itself, directly or through other rules.
        """
    @property
    def line(self) -> int:
        """
        Line of the definition, from 1.
        """
    @property
    def name(self) -> str:
        ...
    @property
    def name_span(self) -> tuple[int, int]:
        ...
    @property
    def option_spans(self) -> dict:
        """
        The span of each option in the text.
        """
    @property
    def options(self) -> dict:
        """
        The options that are written, by name; `lazy` is True.
        """
    @property
    def span(self) -> tuple[int, int]:
        """
        The whole definition, name to end of body.
        """
class Grammar:
    """
    A context-free grammar over bytes: rules, and the expressions they stand for. Immutable.

    >>> grammar = Grammar.from_ebnf('root ::= "[" item ("," item)* "]"   item ::= [0-9]+')
    >>> print(grammar)
    root ::= "[" item ("," item)* "]"
    item ::= [0-9]+
    <BLANKLINE>
    >>> [rule.name for rule in grammar.rules]
    ['root', 'item']

    Meaning: a rule matches what its body matches; a body is built of literals, classes, references,
    sequences, choices and repetitions. Units: spans count bytes of `source`, classes code points.
    """
    @staticmethod
    def _from_plain(arg0: dict) -> Grammar:
        ...
    @staticmethod
    def _lark_work(text: str, *, lexer: str = 'contextual') -> dict[str, int]:
        """
        What `from_lark` does to read a text, counted: for tests of how it grows with the text.

        Parameters
        ----------
        text : str
            A Lark grammar with a rule `start`.
        lexer : str, optional
            As `from_lark` has it.

        Returns
        -------
        dict of str to int
            `nodes` of the trees of rules, `neighbour_steps` and `set_words` (what may stand beside what), `lexer_cells` (the machine of
            all terminals), `bar_steps` (what rules leave behind) and `exprs` of the grammar.

        >>> from xg2lab.grammar import Grammar
        >>> Grammar._lark_work('start: "a"')["nodes"] > 0
        True
        """
    @staticmethod
    def builtin_json_grammar() -> Grammar:
        """
        Make the grammar of JSON (RFC 8259): any value, with whitespace wherever the standard allows it.

        Returns
        -------
        Grammar
            A grammar with the rule `root`.

        >>> Grammar.builtin_json_grammar().rules[1].body
        'object | array | string | number | "true" | "false" | "null"'
        """
    @staticmethod
    def concat(*args) -> Grammar:
        """
        Concatenate grammars: a match of each, one after the other. Rules whose names collide get numbers.

        Parameters
        ----------
        *args : Grammar
            The grammars.

        Returns
        -------
        Grammar
            The concatenation.

        >>> print(Grammar.concat(Grammar.from_ebnf('root ::= "a"'), Grammar.from_ebnf('root ::= "b"')))
        root ::= root_1 root_2
        root_1 ::= "a"
        root_2 ::= "b"
        <BLANKLINE>
        """
    @staticmethod
    def deserialize_json(json_string: str | bytes) -> Grammar:
        """
        Read what `serialize_json` wrote. Nothing in the text is trusted.

        Parameters
        ----------
        json_string : str or bytes
            The text.

        Returns
        -------
        Grammar
            It equals the grammar that was written.

        Raises
        ------
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            The text is not JSON, not a grammar of ours, or of another version.

        >>> Grammar.deserialize_json(Grammar.from_ebnf('root ::= "a"*').serialize_json()).source
        'root ::= "a"*'
        """
    @staticmethod
    def from_ebnf(ebnf_string: str | bytes, *, root_rule_name: str = 'root') -> Grammar:
        """
        Read a grammar written in EBNF.

        Parameters
        ----------
        ebnf_string : str or bytes
            Rules `name ::= body`, or `name[max_tokens=5, lazy, capture="x"] ::= body` with any of the options max_tokens,
            max_chars, lazy, capture, temperature, parts, hidden. Bytes are UTF-8. The dialect is a superset of GBNF:
            core/frontends/ebnf/parser.h has its grammar.
        root_rule_name : str
            The rule that a whole output must match.

        Returns
        -------
        Grammar
            The grammar, with its source.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With *all* mistakes as `diagnostics`: each has a code, a place and a hint. A root that can never match,
            or never end, is a GrammarError too.
        UnsupportedError
            The pattern of a Regex(...) needs more than a finite machine.
        LimitError
            The text has more than 16 MiB, a million rules or 1,000 nested groups.

        >>> Grammar.from_ebnf('root ::= "a" | digits   digit ::= [0-9]')
        Traceback (most recent call last):
        xg2lab.errors.GrammarError: rule `digits` is not defined
          grammar:1:16
            1 | root ::= "a" | digits   digit ::= [0-9]
              |                ^^^^^^
          hint: did you mean `digit`?
        """
    @staticmethod
    def from_json_schema(schema: typing.Any, **kwargs) -> Grammar:
        """
        Make the grammar of the JSON texts that are valid against a schema.

        Parameters
        ----------
        schema : str, dict, bool, pydantic model or dataclass
            JSON Schema 2020-12, or draft-04 to 2019-09 by `$schema` or by form.
        any_whitespace : bool
            Whether spaces, tabs and line breaks are allowed wherever JSON allows them. If not, `indent` and `separators` say
            what is written there, as in json.dumps.
        indent : int, optional
            Spaces for each level, if not any_whitespace. None: all on one line.
        separators : (str, str), optional
            The text between members and the text after a name, if not any_whitespace. None: as in json.dumps.
        strict_mode : bool
            Whether undeclared properties and items are forbidden: no property beside `properties`, no item after `prefixItems`,
            unless the schema itself says what they are. False: JSON Schema's own meaning.
        max_whitespace_cnt : int, optional
            The most consecutive characters of whitespace. None: xg2lab.sources.json_schema.USUAL_WHITESPACE.
        print_converted_ebnf : bool
            Whether to print the grammar as EBNF.
        any_order : bool, optional
            Whether properties may come in any order. In either case required properties are present, and no declared property
            occurs twice. None: any order if not strict_mode, as JSON Schema means it.
        on_unsupported : "error" or "relax"
            "error" raises an UnsupportedError that names every keyword which no grammar can enforce. "relax" drops them; the
            grammar's `relaxations` list them.
        check_formats : bool
            Whether `format` is enforced, as a model's output should be. False: it is an annotation, which is the standard's
            default, unless the vocabularies of the schema's `$schema` require it.
        number_form : "any" or "plain"
            How numbers are written. "any": in each of JSON's ways, so 90.0 and 9e1 are integers as well as 90. "plain": as
            json.dumps and JSON.stringify write them, and never without end. An integer is then digits alone, at most 40. Other
            numbers have at most 25 digits after the point, or one digit and an exponent within a double's range. Bounds,
            divisors and values are exact in both; where they have more digits, so may the number. `coverage` says what "plain"
            excludes.
        registry : dict, optional
            URI to schema, for references to other documents. Nothing is fetched.

        Returns
        -------
        Grammar
            `coverage` says what became of each keyword.

        Raises
        ------
        UnsupportedError
            A keyword can't be enforced exactly; the error has the place of each.
        GrammarError
            The value is not a schema, or allows nothing.
        InvalidJSONError
            The text is not JSON.
        LimitError
            The schema's alternatives multiply beyond all bounds.

        >>> grammar = Grammar.from_json_schema({"type": "array", "items": {"enum": ["a", "b"]}}, any_whitespace=False)
        >>> print(grammar)
        root ::= "[" ("\\"a\\"" | "\\"b\\"") (", " ("\\"a\\"" | "\\"b\\""))* "]" | "[]"
        <BLANKLINE>
        >>> Grammar.from_json_schema({"type": "array", "uniqueItems": True})
        Traceback (most recent call last):
        xg2lab.errors.UnsupportedError: at /uniqueItems: no grammar can compare items that have unlimited possible values
          schema:3:3
            3 |   "uniqueItems": true
              |   ^^^^^^^^^^^^^^^^^^^
          hint: uniqueItems works if the items have few possible values (enum, const, boolean, null, a short range, a pattern of few texts), or if no two positions can hold the same value

        See also: xg2lab.sources.json_schema; docs/design/0023-json-schema.md.
        """
    @staticmethod
    def from_lark(lark_string: str, *, tokenizer_info: typing.Any = None, named_grammars: dict[str, Grammar | str] | None = None, start: str = 'start', lexer: str = 'contextual') -> Grammar:
        """
        Read a grammar written for Lark, or for llguidance.

        Parameters
        ----------
        lark_string : str
            Rules (small letters), terminals (capitals) and statements, as in Lark: templates, `%import common.X`, `%ignore`,
            `%override`, `%extend`, priorities of terminals. Of llguidance's additions: `<|token|>`, `<[5-7]>`, `@name`,
            `%json {...}`, `%lark {...}`, `%regex {...}` with substrings, `&` and `~` in terminals, and the options capture,
            lazy, max_chars, max_tokens, stop, stop_capture, suffix and temperature. The shape of trees (`->`, `?rule`, `_rule`)
            has no effect.
        tokenizer_info : TokenizerInfo, optional
            The vocabulary in which tokens written by name, `<|im_end|>`, are looked up.
        named_grammars : dict of str to Grammar or str, optional
            The grammars `@name`. A str is a Lark text with a rule `start`; `%import name.X` reads it too.
        start : str
            The rule that a whole output must match.
        lexer : str
            How a text is divided into terminals, as by Lark's lexer of this name. "contextual", "basic": the longest match,
            strings before patterns, so "iff" is never `if` `f`. "dynamic": the longest match of each terminal.
            "dynamic_complete": any division.

        Returns
        -------
        Grammar
            A grammar with the rule `root`.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With *all* mistakes as `diagnostics`: each has a code, a place and a hint.
        UnsupportedError
            A terminal is declared and not defined, a lookaround reaches beyond its terminal, or a suffix that captures leave
            out looks around. The error has the name and the place.
        LimitError
            The text, a machine or the number of rules is too large.

        >>> grammar = Grammar.from_lark('''
        ... start: "if" NAME | NAME "=" NAME
        ... NAME: /[a-z]+/
        ... %ignore " "
        ... ''')
        >>> print(grammar)
        root ::= start ignored?
        start ::= (ignored? "if") (ignored NAME) | (ignored? NAME-2) (ignored? "=") (ignored? NAME)
        ignored ::= " "+
        NAME ::= [a-z]+
        NAME-2 ::= Regex("(?!if$)[a-z]+")
        <BLANKLINE>

        Meaning: at most the texts that Lark reads with that lexer. Fewer are accepted where a competing terminal could only
        begin to match (docs/design/0020-lark.md). Two patterns that match the same word are both tried, with a warning.
        """
    @staticmethod
    def from_regex(regex_string: str | bytes, *, print_converted_ebnf: bool = False) -> Grammar:
        """
        Make a grammar of one rule from a regular expression, which the whole output must match.

        Parameters
        ----------
        regex_string : str or bytes
            ECMA-262 with the flag u, and common spellings of other dialects that mean the same; core/languages/regex/parser.h
            lists them. Anchors at the ends have no effect. Flags are written in the pattern: (?i), (?s), (?m).
        print_converted_ebnf : bool
            Whether to print the grammar as EBNF. A part that EBNF lacks is printed as the call of a macro.

        Returns
        -------
        Grammar
            A grammar with the rule `root`.

        Raises
        ------
        GrammarSyntaxError
            With *all* mistakes of the pattern as `diagnostics`, each with a place and a hint.
        UnsupportedError
            The pattern has a backreference, an atomic group, an unknown property or the like; the message names it.
        LimitError
            The pattern's machine is too large.

        >>> print(Grammar.from_regex("[a-z]{1,8}|[0-9]+"))
        root ::= [a-z]{1,8} | [0-9]+
        <BLANKLINE>
        >>> print(Grammar.from_regex(r"(?!if\\b)[a-z]+"))
        root ::= Regex("(?!if\\\\b)[a-z]+")
        <BLANKLINE>
        >>> Grammar.from_regex(r"(a)\\1")
        Traceback (most recent call last):
        xg2lab.errors.UnsupportedError: backreference `\\1` is not supported
          pattern:1:4
            1 | (a)\\1
              |    ^^
          hint: no grammar can compare two texts; write the group's alternatives out
        """
    @staticmethod
    def from_structural_tag(structural_tag: typing.Any = None, triggers: typing.Any = None, *, tags: typing.Any = None, on_unsupported: str = 'error') -> Grammar:
        """
        Make the grammar of a structural tag: free text with tags, schemas and tokens in it.

        Parameters
        ----------
        structural_tag : StructuralTag, dict or str
            A `xg2lab.structural_tag.StructuralTag`, its JSON as a dict, or the JSON text. In the older form a list of
            `StructuralTagItem`, with `triggers`.
        triggers, tags : list, optional
            For the older form only: `(tags, triggers)` by position, or both by name.
        on_unsupported : "error" or "relax"
            "error" raises an UnsupportedError that names every keyword of its schemas which no grammar can enforce. "relax"
            drops them; the grammar's `relaxations` list them.

        Returns
        -------
        Grammar
            A grammar with the rule `root`.

        Raises
        ------
        InvalidJSONError
            The text is not JSON.
        InvalidStructuralTagError
            With *all* mistakes as `diagnostics`, each with a place in the indented JSON and a hint; `pointer` leads to the first.
        UnsupportedError
            A schema has a keyword that can't be enforced; the message names it.

        >>> tag = {"type": "structural_tag", "format": {
        ...     "type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}}
        >>> print(Grammar.from_structural_tag(tag))
        root ::= "<a>" a
        a ::= TagDispatch(stop_eos=false, loop_after_dispatch=true, stop_str=("</a>"))
        <BLANKLINE>
        >>> Grammar.from_structural_tag({"format": {"type": "any_txt"}})
        Traceback (most recent call last):
        xg2lab.errors.InvalidStructuralTagError: there is no format `any_txt`
          structural tag:3:13
            3 |     "type": "any_txt"
              |             ^^^^^^^^^
          hint: did you mean `any_text`?

        See also: docs/design/0022-structural-tags.md.
        """
    @staticmethod
    def union(*args) -> Grammar:
        """
        Unite grammars: a match of any one of them. Rules whose names collide get numbers.

        Parameters
        ----------
        *args : Grammar
            The grammars.

        Returns
        -------
        Grammar
            The union.

        >>> print(Grammar.union(Grammar.from_ebnf('root ::= "a"'), Grammar.from_ebnf('root ::= "b"')))
        root ::= root_1 | root_2
        root_1 ::= "a"
        root_2 ::= "b"
        <BLANKLINE>
        """
    def __reduce__(self) -> tuple:
        ...
    def __repr__(self) -> str:
        ...
    def __str__(self) -> str:
        ...
    def _argument_places(self) -> list:
        ...
    def _pass(self, name: str) -> Grammar:
        ...
    def _repr_html_(self) -> str:
        ...
    def _to_plain(self) -> dict:
        ...
    def call_sites(self, rule_name: str) -> tuple[list[tuple[str, tuple[int, int], str | None]], str | None]:
        """
        Find where a rule is used, and what follows it there.

        Parameters
        ----------
        rule_name : str
            The rule's name.

        Returns
        -------
        tuple of (list, str or None)
            For each use: the caller's name, the span of the reference in bytes, and what follows as EBNF, or None if that is
            not one thing. Then what follows every use, or None.

        Raises
        ------
        KeyError
            There is no such rule.

        >>> grammar = Grammar.from_ebnf('root ::= "[" name "]" | "<" name ">"   name ::= [a-z]+')
        >>> grammar.call_sites("name")
        ([('root', (13, 17), '"]"'), ('root', (28, 32), '">"')], None)
        """
    def expressions(self) -> dict:
        """
        Return the body of each rule as nested tuples.

        Returns
        -------
        dict of str to tuple
            For each rule its expression: the kind, the values of that kind, and last the span in bytes.

        >>> Grammar.from_ebnf('root ::= "a" [0-9]* | ""').expressions()["root"]  # doctest: +NORMALIZE_WHITESPACE
        ('choice', (('sequence', (('literal', b'a', (9, 12)),
                                  ('repeat', ('class', ((48, 57),), (13, 18)), 0, None, (13, 19))), (9, 19)),
                    ('empty', (22, 24))), (9, 24))
        """
    def lint(self, *, seconds: typing.SupportsFloat | typing.SupportsIndex = 1.0) -> list:
        """
        Find what is questionable about the grammar, as `xg2lab.lint` does.

        Parameters
        ----------
        seconds : float
            How long to search for an ambiguous text; 0 does not search.

        Returns
        -------
        Findings
            In the order of the text.

        >>> [finding.code for finding in Grammar.from_ebnf('root ::= x | "a"   x ::= [a-z]').lint()]
        ['ambiguous']
        """
    def passes(self, *, fuse_literals: bool = True, right_recursion_to_repeat: bool = True, inlining: bool = True) -> list[tuple[str, Grammar]]:
        """
        Return the grammar after each pass that prepares it for the engine.

        Parameters
        ----------
        fuse_literals : bool
            Whether `"a" "b"` becomes `"ab"`.
        right_recursion_to_repeat : bool
            Whether `a ::= x a | y` becomes `a ::= x* y`.
        inlining : bool
            Whether small rules are written into their callers.

        Returns
        -------
        list of (str, Grammar)
            The name of each pass and its result.

        >>> grammar = Grammar.from_ebnf('root ::= "<" list ">"   list ::= "x" | "x" list')
        >>> name, result = grammar.passes()[-1]
        >>> print(name, str(result), sep=": ", end="")
        fuse_literals: root ::= "<" "x"* "x>"
        """
    def rule_at(self, offset: typing.SupportsInt | typing.SupportsIndex) -> str | None:
        """
        Find the rule whose definition contains a byte of `source`.

        Parameters
        ----------
        offset : int
            The byte's offset.

        Returns
        -------
        str or None
            The rule's name; None between rules.

        >>> Grammar.from_ebnf('root ::= x   x ::= "a"').rule_at(19)
        'x'
        """
    def serialize_json(self) -> str:
        """
        Write the grammar as JSON text, with its source and spans.

        Returns
        -------
        str
            JSON, for `deserialize_json`.

        >>> grammar = Grammar.from_ebnf('root ::= "a"*')
        >>> str(Grammar.deserialize_json(grammar.serialize_json())) == str(grammar)
        True
        """
    @property
    def coverage(self) -> list:
        """
        What became of each keyword of a JSON Schema or a structural tag, in the order of the text. A list that prints as a
        table. Empty for grammars of other sources.

        >>> grammar = Grammar.from_json_schema({"type": "string", "title": "a name", "maxLength": 9})
        >>> [(use.pointer, use.state) for use in grammar.coverage]
        [('/type', 'enforced'), ('/title', 'annotation'), ('/maxLength', 'enforced')]
        """
    @property
    def diagnostics(self) -> list:
        """
        Warnings and hints: rules that never match or are never used, lookaheads that the grammar doesn't keep.
        """
    @property
    def relaxations(self) -> list:
        """
        The keywords of `coverage` that are not enforced, because on_unsupported is "relax".
        """
    @property
    def root_rule_name(self) -> str:
        """
        The rule that a whole output must match.
        """
    @property
    def rules(self) -> list[RuleInfo]:
        """
        The rules, in the order of the text.
        """
    @property
    def source(self) -> str:
        """
        The text that all spans point into.
        """
    @property
    def source_name(self) -> str:
        """
        The name of the source in messages: `grammar`, `pattern`, `schema` and the like.
        """
class RegularLanguage:
    """
    A regular language over code points, as its smallest deterministic machine. Immutable.

    >>> from xg2lab._core import RegularLanguage
    >>> words = RegularLanguage.from_regex("[a-z]{2,3}")
    >>> (words & RegularLanguage.from_regex("a", search=True)).shortest()
    'aa'
    >>> (words - RegularLanguage.from_regex("a|b", search=True)).shortest()
    'cc'
    >>> (words & ~words).is_empty
    True
    """
    @staticmethod
    def from_regex(pattern: str, *, flags: str = '', search: bool = False) -> RegularLanguage:
        """
        The texts that the pattern matches; with `search`, the texts that contain a match.
        """
    @staticmethod
    def of_length(min: typing.SupportsInt | typing.SupportsIndex, max: typing.SupportsInt | typing.SupportsIndex | None) -> RegularLanguage:
        """
        Texts of min to max code points; no limit: None.
        """
    @staticmethod
    def only(text: str) -> RegularLanguage:
        """
        A single text.
        """
    def __add__(self, arg0: RegularLanguage) -> RegularLanguage:
        """
        The concatenations of a text of each language.
        """
    def __and__(self, arg0: RegularLanguage) -> RegularLanguage:
        ...
    def __eq__(self, arg0: typing.Any) -> bool:
        ...
    def __hash__(self) -> int:
        ...
    def __invert__(self) -> RegularLanguage:
        ...
    def __or__(self, arg0: RegularLanguage) -> RegularLanguage:
        ...
    def __sub__(self, arg0: RegularLanguage) -> RegularLanguage:
        ...
    def accepts(self, text: str) -> bool:
        ...
    def repeat(self, min: typing.SupportsInt | typing.SupportsIndex, max: typing.SupportsInt | typing.SupportsIndex | None) -> RegularLanguage:
        ...
    def shortest(self) -> str | None:
        """
        A shortest text; None if there is none.
        """
    @property
    def is_empty(self) -> bool:
        """
        Whether the language has no text.
        """
    @property
    def is_universal(self) -> bool:
        """
        Whether the language has all texts.
        """
    @property
    def n_letters(self) -> int:
        ...
    @property
    def n_states(self) -> int:
        ...
class SchemaInput:
    """
    A schema with the options of its grammar. `schema`: as for Grammar.from_json_schema; `read`: converts it to dicts and lists; `registry`: such values by URI.
    """
    def __init__(self, schema: typing.Any, *, registry: dict, any_whitespace: bool, max_whitespace: typing.SupportsInt | typing.SupportsIndex | None, indent: typing.SupportsInt | typing.SupportsIndex | None, comma: str, colon: str, strict: bool, any_order: bool, check_formats: bool, plain_numbers: bool, relaxes: bool, read: collections.abc.Callable) -> None:
        ...
    @property
    def text(self) -> str:
        """
        The schema as JSON text; with a registry, its documents follow.
        """
class TemplateText:
    """
    A template as the engine reads it; xg2lab.Template is its public form.
    """
    @staticmethod
    def from_ebnf(text: bytes, root_rule_name: bytes) -> TemplateText:
        """
        Reads EBNF with slots.
        """
    @staticmethod
    def from_json_schema(schema: SchemaInput) -> TemplateText:
        """
        Reads a schema with slots.
        """
    def in_known_tokens(self, texts_and_ids: collections.abc.Sequence[tuple[str, collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]]]) -> TemplateText:
        """
        The same, with the ids of all static texts given in the form of `texts_and_ids`.
        """
    def in_tokens(self, encode: typing.Any) -> TemplateText:
        """
        This template, with each text matched by exactly the tokens that `encode` returns for it.
        """
    def texts_in_tokens(self, arguments: dict, encode: typing.Any) -> list[tuple[str, list[int]]]:
        """
        The static texts and the texts of the arguments, with their ids.
        """
    def write_out(self, arguments: dict, encode: typing.Any = None) -> Grammar:
        """
        The grammar with these arguments. Raises TemplateArgumentError with all mistakes in them.
        """
    @property
    def diagnostics(self) -> list:
        """
        Warnings and hints that hold for all arguments.
        """
    @property
    def scopes(self) -> list:
        """
        For each mapping that has to be filled, the request's first: its rule, and for each slot its name, kind, spans and element scopes.
        """
    @property
    def source(self) -> str:
        """
        The text that all spans point into.
        """
    @property
    def texts_and_ids(self) -> list[tuple[str, list[int]]]:
        """
        The static texts with their ids; empty if texts are matched as bytes.
        """
class NumberMachine:
    """
    All spellings of some numbers, as the smallest machine.
    """
    def accepts(self, text: str) -> bool:
        ...
    def regular(self) -> RegularLanguage:
        """
        These spellings as a RegularLanguage.
        """
    def shortest(self) -> str | None:
        """
        A shortest text; None if there is none.
        """
    @property
    def n_edges(self) -> int:
        ...
    @property
    def n_states(self) -> int:
        ...
class NumberConstraint:
    """
    Numbers between bounds, with or without steps, exactly. Numbers are given as JSON writes them.

    >>> from xg2lab._core import NumberConstraint
    >>> ports = NumberConstraint(min="1", max="65535", integer="only")
    >>> ports.satisfied_by("4.43e2"), ports.satisfied_by("65536")
    (True, False)
    >>> NumberConstraint(min="4", max="5", multiples_of=["3"]).is_empty
    True
    >>> machine = ports.machine()
    >>> machine.accepts("443.0"), machine.accepts("0"), machine.shortest()
    (True, False, '1')
    """
    def __init__(self, *, min: str | None = None, max: str | None = None, exclusive_min: bool = False, exclusive_max: bool = False, integer: str = 'any', multiples_of: collections.abc.Sequence[str] = [], not_multiples_of: collections.abc.Sequence[str] = [], excluded: collections.abc.Sequence[str] = []) -> None:
        ...
    def intersect(self, other: NumberConstraint) -> NumberConstraint:
        ...
    def machine(self, n_states: typing.SupportsInt | typing.SupportsIndex = 100000, plain: bool = False, bounded: bool = False) -> NumberMachine:
        """
        All spellings. `plain`: in digits alone; `bounded`: as programs write them, with an end to the digits.
        """
    def negations(self) -> list[NumberConstraint]:
        """
        Constraints that together allow all numbers that this one doesn't.
        """
    def satisfied_by(self, number: str) -> bool:
        ...
    @property
    def excluded(self) -> list[str]:
        ...
    @property
    def exclusive_max(self) -> bool:
        ...
    @property
    def exclusive_min(self) -> bool:
        ...
    @property
    def integer(self) -> str:
        ...
    @property
    def is_empty(self) -> bool:
        """
        Whether no number satisfies it.
        """
    @property
    def max(self) -> str | None:
        ...
    @property
    def min(self) -> str | None:
        ...
    @property
    def multiples_of(self) -> list[str]:
        ...
    @property
    def not_multiples_of(self) -> list[str]:
        ...
class Vocabulary:
    """
    The bytes of each token id; immutable, and safe to share between threads.
    """
    def __init__(self, tokens: collections.abc.Sequence, *, n_tokens: typing.SupportsInt | typing.SupportsIndex | None = None, stop_token_ids: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [], special_token_ids: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [], padding_token_ids: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex] = [], vocab_type: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
        ...
    def all_bytes(self) -> list[bytes]:
        """
        The bytes of every id, in the order of ids.
        """
    def all_kinds(self) -> bytes:
        """
        One byte for each id: 0 text, 1 special, 2 stop, 3 padding, 4 empty.
        """
    def bytes(self, token_id: typing.SupportsInt | typing.SupportsIndex) -> bytes:
        ...
    def check_invariants(self) -> None:
        ...
    def common_prefix(self, rank: typing.SupportsInt | typing.SupportsIndex) -> int:
        ...
    def encode_greedy(self, bytes: bytes) -> list[int]:
        """
        The ids that spell the bytes, the longest token first at each position.
        """
    def find(self, bytes: bytes) -> list[int]:
        """
        The ids of all text tokens with exactly these bytes.
        """
    def kind(self, token_id: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        "text", "special", "stop", "padding" or "empty".
        """
    def rank_of(self, token_id: typing.SupportsInt | typing.SupportsIndex) -> int | None:
        """
        The rank of a text token, else None.
        """
    def token_at(self, rank: typing.SupportsInt | typing.SupportsIndex) -> int:
        ...
    def tokens_by_rank(self) -> list[int]:
        ...
    @property
    def content_hash(self) -> str:
        """
        32 hexadecimal digits, equal for equal content.
        """
    @property
    def max_token_bytes(self) -> int:
        ...
    @property
    def memory_size_bytes(self) -> int:
        ...
    @property
    def n_ranks(self) -> int:
        ...
    @property
    def n_tokens(self) -> int:
        ...
    @property
    def special_token_ids(self) -> list[int]:
        ...
    @property
    def stop_token_ids(self) -> list[int]:
        ...
class TokenTrie:
    """
    The prefix tree of a vocabulary's text tokens, in depth-first order.
    """
    def __init__(self, vocabulary: Vocabulary) -> None:
        ...
    def check_invariants(self, vocabulary: Vocabulary) -> None:
        ...
    def find(self, bytes: bytes) -> int | None:
        """
        The index of the node whose path these bytes are, else None.
        """
    def node(self, index: typing.SupportsInt | typing.SupportsIndex) -> tuple:
        """
        (byte, depth, subtree_end, first_rank) of a node.
        """
    @property
    def max_depth(self) -> int:
        ...
    @property
    def memory_size_bytes(self) -> int:
        ...
    @property
    def n_nodes(self) -> int:
        ...
class TokenNames:
    """
    What a vocabulary adds to a structural tag: tokens by their texts, and which texts are special tokens.
    """
    def __init__(self, vocabulary: Vocabulary) -> None:
        ...
class StructuralTagInput:
    """
    The JSON of a structural tag. `tag`: text, or what `read` makes values of.
    """
    def __init__(self, tag: typing.Any, *, read: collections.abc.Callable) -> None:
        ...
    @property
    def text(self) -> str:
        """
        The structural tag as indented JSON text.
        """
class Bits:
    """
    Sets as words of 32 bits (core/support/bits.h), for tests.
    """
    @staticmethod
    def and_into(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def and_not_into(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def any_one(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> bool:
        ...
    @staticmethod
    def clear_each(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def clear_range(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.SupportsInt | typing.SupportsIndex, arg2: typing.SupportsInt | typing.SupportsIndex) -> None:
        ...
    @staticmethod
    def copy_into(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def count_ones(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> int:
        ...
    @staticmethod
    def fill_ones(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.SupportsInt | typing.SupportsIndex) -> None:
        ...
    @staticmethod
    def fill_zeros(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def gather(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg2: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def members(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> list[int]:
        ...
    @staticmethod
    def or_into(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def scatter(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg2: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def set_each(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32]) -> None:
        ...
    @staticmethod
    def set_range(arg0: typing.Annotated[numpy.typing.ArrayLike, numpy.uint32], arg1: typing.SupportsInt | typing.SupportsIndex, arg2: typing.SupportsInt | typing.SupportsIndex) -> None:
        ...
class TokenSets:
    """
    A vocabulary's trie and text bitmask, shared by its grammars.
    """
    def __init__(self, vocabulary: Vocabulary) -> None:
        ...
    def is_of(self, vocabulary: Vocabulary) -> bool:
        """
        Whether a vocabulary has the same content.
        """
    @property
    def n_trie_nodes(self) -> int:
        ...
class MaskPool:
    """
    Mask entries that grammars of one tokenizer share.
    """
    def __init__(self, token_sets: TokenSets, max_bytes: typing.SupportsInt | typing.SupportsIndex, _testing_weak_hashes: bool = False) -> None:
        ...
    def by_grammar(self) -> list:
        """
        For each of the last 1024 grammars: entries built, perfect hits, partial hits, and hits of other grammars on its entries.
        """
    def clear(self) -> None:
        """
        Discards all entries; grammars keep the entries that they use.
        """
    def name_of(self, id: typing.SupportsInt | typing.SupportsIndex) -> str:
        """
        The name of a grammar; empty if it has been forgotten.
        """
    def statistics(self) -> dict:
        """
        The sizes of the contents, and the counts of hits, misses and evictions.
        """
    @property
    def max_bytes(self) -> int:
        """
        The budget; -1: no limit.
        """
    @property
    def token_sets(self) -> TokenSets:
        ...
class EventLog:
    """
    A bounded log of events in compilation and in the caches of masks.
    """
    def __init__(self) -> None:
        ...
    def events(self) -> list:
        """
        The events, oldest first, as dicts.
        """
    def start(self, capacity: typing.SupportsInt | typing.SupportsIndex) -> None:
        """
        Turns the log on and empties it.
        """
    def stop(self) -> None:
        """
        Turns the log off; its events are kept.
        """
    @property
    def is_on(self) -> bool:
        ...
    @property
    def n_dropped(self) -> int:
        """
        The number of events that were dropped.
        """
class CompiledGrammar:
    @staticmethod
    def compile(grammar: Grammar, token_sets: TokenSets, options: typing.Any, pool: MaskPool | None = None, events: EventLog | None = None, *, _testing_costs: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] | None = None) -> CompiledGrammar:
        """
        Compile a grammar. Users call `GrammarCompiler`.

        Parameters
        ----------
        grammar : Grammar
            The grammar.
        token_sets : TokenSets
            The vocabulary with its trie.
        options : EngineOptions
            Switches of the engine.
        pool : MaskPool, optional
            The pool that the grammars of the tokenizer share.
        events : EventLog, optional
            The log that records the work.

        Returns
        -------
        CompiledGrammar
            The engine's object.

        No example: xg2lab.GrammarCompiler makes the arguments.
        """
    @staticmethod
    def restore(grammar: Grammar, token_sets: TokenSets, options: typing.Any, pool: MaskPool | None, events: EventLog | None, *, program: dict, masks: list) -> CompiledGrammar:
        """
        Make a compiled grammar from plain values. Users call `xg2lab.CompiledGrammar.deserialize_json`.

        Parameters
        ----------
        grammar : Grammar
            The grammar.
        token_sets : TokenSets
            The vocabulary with its trie.
        options : EngineOptions
            Switches of the engine.
        pool : MaskPool or None
            The pool that the grammars of the tokenizer share.
        events : EventLog or None
            The log that records the work.
        program : dict
            The tables of the program.
        masks : list
            The tables of masks.

        Returns
        -------
        CompiledGrammar
            The engine's object.

        No example: xg2lab.CompiledGrammar.deserialize_json makes the arguments.
        """
    def __init__(self, made: CompiledGrammar) -> None:
        ...
    def _mask_tables(self) -> list:
        ...
    def _program_tables(self) -> dict:
        ...
    def jit_progress(self) -> typing.Any:
        """
        Return the progress of the background threads.

        Returns
        -------
        dict or None
            `n_planned` and `n_done` mask entries, and `is_over`; None without partial JIT.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(partial_jit_k=1))
        >>> sorted(compiler.compile_grammar('root ::= "ab"').jit_progress())
        ['is_over', 'n_done', 'n_planned']

        See also: XGrammar-2, section 3.2; docs/design/0012-partial-jit.md.
        """
    def program(self) -> records.Program:
        """
        Return the compiled grammar as plain values.

        Returns
        -------
        dict
            `root`, `rules`, `states` and `edges`, with labels and source spans.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> program = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"').program()
        >>> [edge["label"] for edge in program["edges"]]
        ['"a"', '"b"']
        """
    def state_costs(self) -> list:
        """
        Return the estimated cost of each state's mask entry, and its actual cost if it was built.

        Returns
        -------
        list of dict
            For each state with an entry of its own: `state`, `rule`, `n_visits` (the estimate), `ns` (nanoseconds, or None),
            `cache` and `in_background`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
        >>> [cost["ns"] for cost in compiled.state_costs()]
        [None, None]
        """
    @property
    def _waits(self) -> bool:
        """
        Whether parts of it are compiled when a text needs them.
        """
    @property
    def _whole(self) -> CompiledGrammar:
        """
        This grammar with all contents compiled (`EngineOptions.contents_on_demand`).
        """
    @property
    def compile_us(self) -> float:
        """
        How long compiling took, in microseconds.
        """
    @property
    def grammar(self) -> Grammar:
        """
        The grammar as it was read, before all passes.
        """
    @property
    def id(self) -> int:
        """
        The grammar's number in this process, as a mask entry's `donor` and the pool name it.
        """
    @property
    def memory_size_bytes(self) -> int:
        """
        The memory of program, masks and columns so far, in bytes.
        """
    @property
    def n_columns(self) -> int:
        """
        The number of distinct columns that parses have met so far.
        """
    @property
    def n_states(self) -> int:
        """
        The number of states of all rules.
        """
    @property
    def name(self) -> str:
        """
        The first line of the source, shortened.
        """
    @property
    def optimized_grammar(self) -> Grammar:
        """
        The grammar after all passes.
        """
class GrammarMatcher:
    """
    One sequence's state: accepts tokens, fills bitmasks.

    Parameters
    ----------
    compiled_grammar : CompiledGrammar
        The grammar.
    override_stop_tokens : int or list of int, optional
        Token ids that end this text, instead of the tokenizer's. They never match as text.
    terminate_without_stop_token : bool
        `is_terminated()` is true as soon as the text is a sentence of the grammar.
    max_rollback_tokens : int
        How many steps `rollback` can take back; -1 for no limit. A step takes 12 bytes (and the text, for
        `accept_string`) until it is out of reach.
    default_temperature : float, optional
        The value of `temperature` where no rule that is being matched has one.
    strict : bool
        Whether `accept_token` and `accept_string` raise after a stop token, and for an id outside the vocabulary. Otherwise
        they return False, as servers expect. A fork is as strict as its original.

    Raises
    ------
    VocabularyError
        A stop token id outside the vocabulary.
    ArgumentError
        max_rollback_tokens below -1; a default_temperature that is negative or not finite.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
    >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*'))
    >>> matcher.accept_token(0), matcher.accept_token(0)
    (True, False)
    >>> matcher.allowed_tokens()
    [1, 3]
    >>> matcher.accept_token(99)
    False

    See also: XGrammar 2 section 3.4 (Earley parser with adaptive token mask cache).
    """
    def __init__(self, compiled_grammar: CompiledGrammar, *, override_stop_tokens: typing.Any = None, terminate_without_stop_token: bool = False, max_rollback_tokens: typing.SupportsInt | typing.SupportsIndex = -1, default_temperature: typing.SupportsFloat | typing.SupportsIndex | None = None, strict: bool = False) -> None:
        ...
    def _active_positions(self, tree: OperatorTree) -> list:
        ...
    def _debug_print_internal_state(self) -> typing.Any:
        """
        Text so far, what may follow, and the items that expect it, with their lines: a str.
        """
    def accept_string(self, input_str: typing.Any, *, debug_print: bool = False) -> bool:
        """
        Accept a text, as a whole or not at all. The text is one step for `rollback`.

        Parameters
        ----------
        input_str : str or bytes
            The text; a str is UTF-8.
        debug_print : bool
            Whether to print why the text is allowed or blocked.

        Returns
        -------
        bool
            Whether the text was accepted; False after a stop token.

        Raises
        ------
        LimitError, MatcherStateError
            As `accept_token`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.accept_string("ac"), matcher.accept_string("ab"), matcher.is_completed()
        (False, True, True)
        """
    def accept_token(self, token_id: typing.SupportsInt | typing.SupportsIndex, *, debug_print: bool = False) -> bool:
        """
        Accept one token.

        If the grammar does not allow the token, after a stop token, and for an id outside the vocabulary, the answer is False
        and nothing changes.

        Parameters
        ----------
        token_id : int
            The token's id.
        debug_print : bool
            Whether to print why the token is allowed or blocked.

        Returns
        -------
        bool
            Whether the token was accepted.

        Raises
        ------
        LimitError
            The history would exceed `EngineOptions.max_history_bytes`, or the step `max_mask_seconds`.
        VocabularyError
            Of a strict matcher: the id is outside the vocabulary.
        MatcherStateError
            Of a strict matcher: a stop token was accepted before.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.accept_token(1), matcher.accept_token(0)
        (False, True)
        """
    def active_operators(self) -> typing.Any:
        """
        Return the active operators of `compiled_grammar.operators()` after the text so far.

        Returns
        -------
        list of ActiveOperator
            Ordered by number; a leaf is listed once for each set of its counts. Empty if no byte may follow.

        Raises
        ------
        UnsupportedError, LimitError
            As `CompiledGrammar.operators`; LimitError also beyond `EngineOptions.max_mask_seconds`.
        MatcherStateError
            A bounded history has dropped the beginning of the text.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"{2,3}')
        >>> matcher = xgr.GrammarMatcher(compiled)
        >>> matcher.accept_string("aba")
        True
        >>> [str(active) for active in matcher.active_operators()]
        ['1 in 2']

        See also: docs/design/0041-operators.md.
        """
    def allowed_tokens(self) -> list[int]:
        """
        Return the tokens that may come next.

        Returns
        -------
        list of int
            Token ids, ascending.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" | "b"')).allowed_tokens()
        [0, 1]
        """
    def chart(self, first_byte: typing.SupportsInt | typing.SupportsIndex = 0) -> dict:
        """
        Return the Earley chart.

        Parameters
        ----------
        first_byte : int
            The first column to return.

        Returns
        -------
        dict
            `columns`: for each byte position from `first_byte` on, the items with back-pointers: (state, origin, operation,
            source column, source index, child index), -1 where there is none. `ways`: by column, the items that were made in
            several ways: (index, number of other ways, some of them: (operation, source column, source index, child index)).

        Raises
        ------
        MatcherStateError
            A bounded history has dropped the beginning of the text.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.accept_token(0), len(matcher.chart()["columns"])
        (True, 2)

        See also: Earley 1970; docs/design/0002-trace.md.
        """
    def column_id(self) -> tuple[int, int]:
        """
        Name the current state: matchers of one compiled grammar with equal names accept the same texts from here on.

        Unequal names need not mean that the texts differ. A name is valid while some matcher with its first number is alive.

        Returns
        -------
        tuple of int
            The number of a table of columns, and the column's number in it.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= [ab]+'))
        >>> names = [matcher.column_id() for text in ('', 'a', 'b') if matcher.accept_string(text)]
        >>> names[0] == names[1], names[1] == names[2]
        (False, True)

        See also: docs/design/0003-columns-by-content.md.
        """
    def explain(self, token_id: typing.Any = None, *, data: typing.Any = None) -> records.Explanation:
        """
        Explain why a token, or some bytes, may come next or not.

        Parameters
        ----------
        token_id : int, optional
            A token's id.
        data : str or bytes, optional
            A text instead of a token.

        Returns
        -------
        dict
            `allowed`; `reason`, a sentence; `mechanism`, the part of the engine that decided; `bytes` in hexadecimal; `died_at`,
            the byte at which the text failed, or None; `expected`, ranges of bytes, and `expected_text`; `expected_by`, the
            items that expected them, with their source lines; `entry`, the mask entry that decided, or None.

        Raises
        ------
        ArgumentTypeError
            Neither a token nor a text was given, or both.
        VocabularyError
            The id is outside the vocabulary.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> why = matcher.explain(1)
        >>> why["allowed"], why["died_at"], why["expected_text"], why["expected_by"][0]["line"]
        (False, 0, '"a"', 1)
        """
    def fill_next_token_bitmask(self, bitmask: typing.Any, index: typing.SupportsInt | typing.SupportsIndex = 0, *, debug_print: bool = False) -> bool:
        """
        Write the mask of the next token into a row of a bitmask.

        Parameters
        ----------
        bitmask : numpy.ndarray or torch.Tensor
            int32, in CPU memory, shape (batch_size, ceil(vocab_size / 32)); least significant bit first, 1 = allowed.
        index : int
            The row.
        debug_print : bool
            Whether to print what may come next.

        Returns
        -------
        bool
            Whether the mask forbids anything. If not, it need not be applied.

        Raises
        ------
        BitmaskError
            The bitmask's dtype, shape or stride does not fit, or it has no such row.
        MatcherStateError
            A stop token was accepted: there is no next token.
        LimitError
            The mask would exceed `EngineOptions.max_mask_seconds`, or another limit.

        >>> import numpy as np
        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> bitmask = np.zeros((1, 1), np.int32)
        >>> matcher.fill_next_token_bitmask(bitmask), bitmask
        (True, array([[1]], dtype=int32))
        """
    def find_forced_tokens(self, encode: typing.Any = None) -> list[int]:
        """
        Return the tokens that must come next, whatever the model predicts. The matcher does not change.

        Parameters
        ----------
        encode : callable, optional
            From a str to the token ids by which the tokenizer writes it, such as
            `lambda text: tokenizer.encode(text, add_special_tokens=False)`.

        Returns
        -------
        list of int
            Token ids; each is allowed after those before it. A token is forced if the mask allows it alone and the text is not
            complete. Token edges of one id are forced, and text of which the vocabulary has only one spelling. Most
            vocabularies have several, and the grammar does not decide between them. With `encode`, the text that
            find_jump_forward_string() returns is forced too, as `encode` writes it, and so are the tokens after it. The list
            ends before the first token of that text which is not allowed: a special one, or one beyond a rule's max_tokens.
            Stop tokens are never forced.

        Raises
        ------
        VocabularyError
            `encode` returned no list of ids, or ids of other bytes than the text's.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"<", b"p", b"<p", b">", b"<image>"], stop_token_ids=[], special_token_ids=[4])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= Token(4) "<p>" Token(4) [<p]')
        >>> matcher = xgr.GrammarMatcher(compiled)
        >>> matcher.find_forced_tokens()  # then "<" and "<p" are allowed
        [4]
        >>> matcher.find_forced_tokens(lambda text: {"<p>": [2, 3]}[text])
        [4, 2, 3, 4]

        See also: docs/design/0009.
        """
    def find_jump_forward_string(self) -> typing.Any:
        """
        Return the text that must come next, whatever the model predicts. The matcher does not change.

        Returns
        -------
        str
            Whole code points, up to an edge between tokens; '' if there is a choice. The forced text is spelled with the
            longest tokens. If a token could be longer than the forced text, the model may prefer it, so the text ends before
            it: tokenizing the returned text never rules out a token that the model could have chosen at its end. A vocabulary
            that can't spell the text sets no such edges.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"x", b":", b" ", b" a", b"a", b"b"], stop_token_ids=[])
        >>> compiler = xgr.GrammarCompiler(info)
        >>> xgr.GrammarMatcher(compiler.compile_grammar('root ::= "x: " [a-z]')).find_jump_forward_string()
        'x:'
        >>> xgr.GrammarMatcher(compiler.compile_grammar('root ::= "x: " [b-z]')).find_jump_forward_string()
        'x: '
        """
    def fork(self) -> GrammarMatcher:
        """
        Return an independent matcher in the same state. O(1): the history is shared until either side writes.

        Returns
        -------
        GrammarMatcher
            The copy.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> other = matcher.fork()
        >>> other.accept_token(0), other.allowed_tokens(), matcher.allowed_tokens()
        (True, [1], [0])
        """
    def get_captures(self, deduplicate: bool = True) -> list:
        """
        Return the matches of the rules with the option `capture`.

        The matches are computed from the text: `accept_token` records nothing, and a match that is taken back was never
        captured. A match of a rule with the option `parts` is read once more, by the rule that the option names, and the
        captures of that rule are captured too. A match of a rule with the option `hidden` is left out of the captures around
        it. Lark's `suffix`, `stop` and `stop_capture` are built from these two options.

        Parameters
        ----------
        deduplicate : bool
            True: only matches in a present reading of the text, and of those that begin at one place the longest. False: every
            completion of such a rule, those of abandoned readings too.

        Returns
        -------
        list of (str, bytes)
            The name and the matched bytes, in the order of completion; a match within another comes first.

        Raises
        ------
        MatcherStateError
            A bounded history has dropped the beginning of the text: see max_rollback_tokens.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b".", b"</s>"], stop_token_ids=[4])
        >>> grammar = 'root ::= (word ".")+   word[capture] ::= [a-z]+'
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar))
        >>> matcher.accept_string("ab.b")
        True
        >>> matcher.get_captures()
        [('word', b'ab'), ('word', b'b')]
        >>> matcher.get_captures(deduplicate=False)
        [('word', b'a'), ('word', b'ab'), ('word', b'b')]
        """
    def is_completed(self) -> bool:
        """
        Whether the text so far is a sentence of the grammar.

        Returns
        -------
        bool
            True if the text may end here.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"?'))
        >>> matcher.is_completed(), matcher.accept_token(0), matcher.is_completed()
        (False, True, True)
        """
    def is_terminated(self) -> bool:
        """
        Whether generation is over.

        Returns
        -------
        bool
            True after a stop token; with `terminate_without_stop_token=True` as soon as the text is a sentence.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.accept_string("ab"), matcher.is_terminated(), matcher.accept_token(2), matcher.is_terminated()
        (True, False, True, True)
        """
    def last_fill(self) -> typing.Any:
        """
        Return how the last mask was found, and how long it took.

        Returns
        -------
        dict or None
            `cache` and `way`, how it was found; `n_built` and `n_adapted` mask entries, `n_checked` tokens; `us`, microseconds.
            None before the first mask.

        >>> import numpy as np
        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.last_fill() is None, matcher.fill_next_token_bitmask(np.zeros((1, 1), np.int32))
        (True, True)
        >>> matcher.last_fill()["us"] > 0
        True
        """
    def live_items(self) -> list[records.Item]:
        """
        Return the items of the current column.

        Returns
        -------
        list of dict
            For each item its `state`, its `rule` and its `origin`, as numbers; in a counted state also what is `done`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
        >>> matcher.live_items()
        [{'state': 0, 'rule': 0, 'origin': 0}]
        """
    def mask_entries(self) -> list[records.MaskEntry]:
        """
        Return the mask entries of the current column's scannable states.

        Returns
        -------
        list of dict
            For each entry its `state` and `rule`, its counts of tokens, and `cache`, how it was found: "miss" (built here),
            "perfect_hit" or "partial_hit". `donor` and `donor_name` are the `id` and `name` of the grammar whose walk it uses.
            `unshared` is None if other grammars may use it, else the reason: no_pool, token_edge, counted, large_grammar,
            long_name (a walk costs less than naming the rule), short_walk, arguments or loaded.

        >>> import numpy as np
        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.fill_next_token_bitmask(np.zeros((1, 1), np.int32))
        True
        >>> [entry["n_accepted"] for entry in matcher.mask_entries()]
        [1]

        See also: XGrammar-2, section 3.3; docs/design/0006-cross-grammar-cache.md.
        """
    def provenance(self) -> bytes:
        """
        Return the part of the engine that decided each token.

        Returns
        -------
        bytes
            One code for each token id below vocab_size; `xg2lab.Provenance` names the codes.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> [xgr.Provenance(code).name for code in matcher.provenance()]
        ['ACCEPTED', 'REJECTED', 'STOP_NOT_LEGAL']
        """
    def reset(self) -> None:
        """
        Return to the beginning of the text.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.accept_string("ab")
        True
        >>> matcher.reset()
        >>> matcher.allowed_tokens()
        [0]
        """
    def rollback(self, num_tokens: typing.SupportsInt | typing.SupportsIndex = 1) -> None:
        """
        Take back the last steps.

        Parameters
        ----------
        num_tokens : int
            The number of steps: accepted tokens, and accepted strings.

        Raises
        ------
        MatcherStateError
            There are fewer steps, or `max_rollback_tokens` is less.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
        >>> matcher.accept_token(0)
        True
        >>> matcher.rollback(1)
        >>> matcher.n_steps
        0
        """
    def stacks(self, max_stacks: typing.SupportsInt | typing.SupportsIndex = 1000) -> dict:
        """
        Return the stacks of the pushdown automaton as a tree. Only for parser="pda".

        Parameters
        ----------
        max_stacks : int
            How many stacks to list.

        Returns
        -------
        dict
            `tops`: the `state`, the `rule` and the frame `below` of each stack. `frames`: `id`, `below`, the `state` it returns
            to, and the rule that was `called`. `n_stacks`: how many stacks there are. Equal frames have one id at all times.

        Raises
        ------
        MatcherStateError
            The matcher has another parser.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser="pda"))
        >>> xgr.GrammarMatcher(compiler.compile_grammar('root ::= "ab"')).stacks()["n_stacks"]
        1

        See also: XGrammar, section 3; docs/design/0010-two-parsers-one-table.md.
        """
    def traverse_draft_tree(self, retrieve_next_token: typing.Any, retrieve_next_sibling: typing.Any, draft_tokens: typing.Any, token_bitmask: typing.Any, time_threshold: typing.SupportsFloat | typing.SupportsIndex = -1.0, temperatures: typing.Any = None) -> bool:
        """
        Fill a row of a bitmask for each node of a draft tree. The matcher does not change.

        Parameters
        ----------
        retrieve_next_token, retrieve_next_sibling : int64, shape (n_nodes,)
            The first child of node i, and the next child of the same parent; -1 if there is none. Node 0 is the root.
        draft_tokens : int64, shape (n_nodes,)
            The drafted tokens. Node 0 is the text so far; its token isn't read.
        token_bitmask : int32, shape (n_nodes or more, ceil(vocab_size / 32))
            Row i becomes the mask after the tokens on the way to node i: zeros if one of them isn't allowed, or ends the
            text. Rows of nodes that can't be reached from node 0 are not written.
        time_threshold : float
            Seconds after which to give up; no limit if it is 0 or less.
        temperatures : float32, shape (n_nodes or more,), optional
            Element i becomes `temperature` at node i, -1 where there is none.

        Returns
        -------
        bool
            Whether all nodes were filled in time.

        Raises
        ------
        ArgumentError
            An index outside the tree, a node that is reached twice (a cycle), a root with siblings, lengths that differ.
        BitmaskError
            A bitmask of a wrong type or shape.
        VocabularyError
            Of a strict matcher: a token id is outside the vocabulary. Otherwise its node gets zeros, as for a forbidden token.

        >>> import numpy as np
        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"c", b"</s>"], stop_token_ids=[3])
        >>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" ("b" "c")?'))
        >>> bitmask = np.zeros((3, 1), np.int32)                     # the text so far, then "a", then "a" "b"
        >>> matcher.traverse_draft_tree(np.array([1, 2, -1]), np.array([-1, -1, -1]), np.array([0, 0, 1]), bitmask)
        True
        >>> [format(int(word), "04b") for word in bitmask[:, 0]]
        ['0001', '1010', '0100']
        """
    @property
    def compiled_grammar(self) -> typing.Any:
        """
        The compiled grammar, which other matchers may share.
        """
    @property
    def max_rollback_tokens(self) -> int:
        """
        How many steps `rollback` can take back; -1 for no limit.
        """
    @property
    def n_steps(self) -> int:
        """
        Steps taken and not rolled back.
        """
    @property
    def stop_token_ids(self) -> list[int]:
        """
        The token ids that end this text.
        """
    @property
    def strict(self) -> bool:
        """
        Whether accepting raises after a stop token, and for an id outside the vocabulary.
        """
    @property
    def temperature(self) -> float | None:
        """
        The temperature at which to sample the next token: that of the innermost rule that has one, else `default_temperature`, else None. If readings of the text differ, the highest counts, with one RuntimeWarning for each matcher.
        """
    @property
    def why_terminated(self) -> str | None:
        """
        Why `is_terminated()` is true, as a sentence; None while it isn't.
        """
class Arguments:
    """
    The arguments that an instance was made with.
    """
    def values(self) -> typing.Any:
        """
        The arguments as a new dict: texts as str, or as bytes if they are not UTF-8.
        """
class CompiledTemplate:
    """
    A template's program, which instances are linked from; xg2lab.CompiledTemplate is its public form.
    """
    @staticmethod
    def compile(template: TemplateText, token_sets: TokenSets, options: typing.Any, pool: MaskPool | None = None, events: EventLog | None = None) -> CompiledTemplate:
        """
        Compile a template. Users call `GrammarCompiler.compile_template`.

        Parameters
        ----------
        template : TemplateText
            The template.
        token_sets : TokenSets
            The vocabulary with its trie.
        options : EngineOptions
            Switches of the engine.
        pool : MaskPool, optional
            The pool that the grammars of the tokenizer share.
        events : EventLog, optional
            The log that records the work.

        Returns
        -------
        CompiledTemplate
            The engine's object.

        No example: xg2lab.GrammarCompiler makes the arguments.
        """
    def __init__(self, made: CompiledTemplate) -> None:
        ...
    def _instantiate(self, arguments: dict, encode: typing.Any = None) -> tuple[CompiledGrammar, Arguments]:
        """
        The compiled instance for the arguments, and the arguments.
        """
    def _load_masks(self, masks: list) -> None:
        ...
    def _mask_tables(self) -> list:
        ...
    def make_masks(self) -> None:
        """
        Make the mask entries of all states that instances share, before a request needs them.

        An instance then makes entries only for the states that its arguments add. With `cross_grammar_cache=False` this does nothing.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> xgr.GrammarCompiler(info).compile_template('root ::= $x "b"*').make_masks()
        """
    @property
    def compile_us(self) -> float:
        """
        How long compiling took, in microseconds.
        """
    @property
    def id(self) -> int:
        """
        The template's number in this process, as events and its instances' mask entries name it.
        """
    @property
    def memory_size_bytes(self) -> int:
        """
        The memory of program and masks so far, in bytes.
        """
    @property
    def n_states(self) -> int:
        """
        The number of states that each instance begins with.
        """
    @property
    def obstacles(self) -> list[str]:
        """
        Why instances are compiled from the written-out grammar; empty if they are linked.
        """
class OperatorTree:
    """
    The operators of a grammar; xg2lab.OperatorTree is its public form.
    """
    @staticmethod
    def of(compiled: CompiledGrammar, max_operators: typing.SupportsInt | typing.SupportsIndex) -> OperatorTree:
        ...
    def determinism(self, max_sets: typing.SupportsInt | typing.SupportsIndex = 10000) -> tuple:
        ...
    def rows(self) -> list:
        ...
class BatchGrammarMatcher:
    """
    Calls for many matchers at once, with threads where they help.

    Parameters
    ----------
    max_threads : int or "auto"
        How many threads may fill at once, the calling one included. "auto": half of the processors, two at least.
        The threads belong to the process, are made when first needed, and stay.

    Each matcher behaves as it would alone, and none does half of its work. A matcher that can't accept its token or text
    (the grammar forbids it, the matcher has ended, the id is outside the vocabulary) returns False and stays as it was; the
    others accept theirs.

    A matcher that raises (a limit, a strict matcher, a mask after the end, a rollback too far, a matcher that another
    thread uses) does not stop the others either. When all are done, the first error is raised: `error.index` is the number
    of its matcher, and `error.results` has each matcher's result, None if it raised. The result of a fill is whether the
    mask forbids anything, that of a rollback True. Rows and matchers without a result are as they were. Arguments that do
    not fit (lengths, the same matcher or row twice, a bitmask of another shape) raise ArgumentError or BitmaskError before
    anything is done.

    >>> import numpy as np
    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
    >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')
    >>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(3)]
    >>> xgr.BatchGrammarMatcher.batch_accept_token(matchers, [0, 2, -1])
    [True, True, False]
    >>> bitmask = xgr.allocate_token_bitmask(3, info.vocab_size)
    >>> xgr.BatchGrammarMatcher(max_threads=2).batch_fill_next_token_bitmask(matchers, bitmask)
    >>> [format(int(word), "04b") for word in np.asarray(bitmask)[:, 0]]
    ['1010', '1010', '0101']
    """
    @staticmethod
    def batch_accept_string(matchers: typing.Any, strings: typing.Any, debug_print: bool = False) -> list[bool]:
        """
        Accept a text in each matcher.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each matcher once.
        strings : list of str or bytes
            A text for each matcher.
        debug_print : bool
            As for `GrammarMatcher.accept_string`.

        Returns
        -------
        list of bool
            Whether each matcher accepted its text.

        Raises
        ------
        ArgumentError
            Lengths differ, or a matcher occurs twice. Nothing is accepted then.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
        >>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(2)]
        >>> xgr.BatchGrammarMatcher.batch_accept_string(matchers, ["ab", "ba"])
        [True, False]
        """
    @staticmethod
    def batch_accept_token(matchers: typing.Any, tokens: typing.Any, debug_print: bool = False) -> list[bool]:
        """
        Accept a token in each matcher.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each matcher once.
        tokens : list of int
            A token id for each matcher.
        debug_print : bool
            As for `GrammarMatcher.accept_token`.

        Returns
        -------
        list of bool
            Whether each matcher accepted its token.

        Raises
        ------
        ArgumentError
            Lengths differ, or a matcher occurs twice. Nothing is accepted then.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
        >>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(2)]
        >>> xgr.BatchGrammarMatcher.batch_accept_token(matchers, [0, 1])
        [True, False]
        """
    @staticmethod
    def batch_fill_temperature(matchers: typing.Any, temperatures: typing.Any, indices: typing.Any = None) -> None:
        """
        Write the temperature of each matcher into an element of a vector.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            The matchers.
        temperatures : numpy.ndarray or torch.Tensor
            float32, shape (batch_size,). -1 is written for a matcher without a temperature.
        indices : list of int, optional
            The element of each matcher; element i for matcher i if left out.

        Raises
        ------
        ArgumentError, BitmaskError
            Lengths differ, or the vector has another type or shape.

        >>> import numpy as np
        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root[temperature=0.5] ::= "ab"')
        >>> temperatures = np.zeros(1, np.float32)
        >>> xgr.BatchGrammarMatcher.batch_fill_temperature([xgr.GrammarMatcher(compiled)], temperatures)
        >>> temperatures
        array([0.5], dtype=float32)
        """
    @staticmethod
    def batch_rollback(matchers: typing.Any, num_tokens: typing.Any = 1) -> None:
        """
        Take back steps of each matcher.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each matcher once.
        num_tokens : int or list of int
            The number of steps, for all or for each matcher.

        Raises
        ------
        MatcherStateError
            A matcher has fewer steps. The others are rolled back.
        ArgumentError
            Lengths differ, or a matcher occurs twice. Nothing is taken back then.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
        >>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(2)]
        >>> xgr.BatchGrammarMatcher.batch_accept_token(matchers, [0, 0])
        [True, True]
        >>> xgr.BatchGrammarMatcher.batch_rollback(matchers, [1, 0])
        >>> [matcher.n_steps for matcher in matchers]
        [0, 1]
        """
    @staticmethod
    def n_workers() -> int:
        """
        Return how many threads the process has made for batches.

        Returns
        -------
        int
            0 before the first batch that used a thread.

        No example: the number depends on what the process did before.
        """
    def __init__(self, max_threads: typing.Any = 'auto') -> None:
        ...
    def batch_fill_next_token_bitmask(self, matchers: typing.Any, bitmask: typing.Any, indices: typing.Any = None, debug_print: bool = False) -> None:
        """
        Write the mask of each matcher into a row of a bitmask, with the help of threads.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each matcher once.
        bitmask : numpy.ndarray or torch.Tensor
            As for `GrammarMatcher.fill_next_token_bitmask`.
        indices : list of int, optional
            The row of each matcher; row i for matcher i if left out.
        debug_print : bool
            As for `GrammarMatcher.fill_next_token_bitmask`.

        Raises
        ------
        MatcherStateError
            A matcher has ended, so it has no mask. The other rows are written, its own is as it was. Check is_terminated()
            first, as servers do.
        ArgumentError, BitmaskError
            Lengths differ, a matcher or a row occurs twice, or the bitmask has another shape. Nothing is written then.

        The class's example fills a batch.
        """
    @property
    def max_threads(self) -> int:
        """
        How many threads may fill at once.
        """
def _from_json_schema(schema: SchemaInput) -> Grammar:
    """
    The grammar of a schema. Users call `Grammar.from_json_schema`.
    """
def _is_made(object: typing.Any) -> bool:
    """
    False for an object of this module's classes whose __init__ was never called.
    """
def _most_nesting() -> int:
    """
    See xg2lab.support.nesting.
    """
def _outline(text: str, language: str) -> tuple[list[tuple[int, int, int, int]], list[tuple[str, int, int]], list[tuple[str, int, int]]]:
    """
    Read the names of a text, which may have mistakes.

    Parameters
    ----------
    text : str
        The text.
    language : str
        "ebnf", "template" (EBNF with slots) or "lark".

    Returns
    -------
    tuple of (list, list, list)
        Rules as (begin and end of the name, begin and end of the definition); names as (kind, begin, end), of the kinds
        "definition", "reference", "macro", "slot" and "parameter"; lexemes as (kind, begin, end). In the order of the text,
        in bytes.

    Raises
    ------
    LimitError, GrammarSyntaxError
        The text is too long, or not UTF-8.

    >>> from xg2lab._core import _outline
    >>> rules, names, lexemes = _outline('a ::= b | "x', "ebnf")
    >>> rules, names, lexemes[-1]
    ([(0, 1, 0, 12)], [('definition', 0, 1), ('reference', 6, 7)], ('unterminated', 10, 12))
    """
def _set_most_nesting(most: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    See xg2lab.support.nesting.
    """
def apply_bitmask_on_cpu(logits: typing.Any, bitmask: typing.Any, n_tokens: typing.SupportsInt | typing.SupportsIndex, rows: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex]) -> None:
    """
    Sets to minus infinity each of the first n_tokens logits whose bit is 0, in the rows named.
    """
def bitmask_row_address(bitmask: typing.Any, index: typing.SupportsInt | typing.SupportsIndex, n_tokens: typing.SupportsInt | typing.SupportsIndex) -> tuple[int, int]:
    """
    The address and word count of a bitmask's row, after the checks that every fill makes.
    """
def check_work(doing: str, n_bytes: typing.SupportsInt | typing.SupportsIndex = 0) -> None:
    """
    Raises LimitError if the time of this thread's terms is over, or if `n_bytes` more bytes would exceed them.
    """
def compare_numbers(a: str, b: str) -> int:
    """
    -1, 0 or 1, exactly.
    """
def counts_bytes() -> bool:
    """
    Whether this build counts the memory that work takes; under a sanitizer it doesn't.
    """
def decode_token(text: typing.Any, vocab_type: typing.SupportsInt | typing.SupportsIndex) -> bytes:
    """
    The bytes of a token, from the tokenizer's text for it.
    """
def entry_would_decide_little(state: dict, ways: dict) -> bool:
    """
    Whether the entry of such a state would leave most tokens to its contexts.
    """
def format_language(name: str) -> RegularLanguage | None:
    """
    What a standard format allows; None if the name is no standard one.
    """
def format_names() -> list[str]:
    """
    The standard's formats.
    """
def format_pattern(name: str) -> str:
    """
    The format as a pattern; empty if no pattern defines it.
    """
def give_back_after_fork(release: collections.abc.Callable) -> None:
    """
    Calls `release`, and then delivers an interrupt that has waited.
    """
def machine_of_numbers(numbers: collections.abc.Sequence[str]) -> NumberMachine:
    """
    All spellings of these numbers and no others.
    """
def mask_costs() -> dict[str, tuple[int, int]]:
    """
    The thresholds of core/mask/plan/mask_costs.h: for each its default and the least value that it can have. For tests.
    """
def plan_mask(column: dict, ways: dict, costs: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] | None = None) -> str:
    """
    The way in which the mask of a column with these facts is made (core/mask/plan/plan.h).
    """
def structural_tag_grammar(tag: StructuralTagInput, names: TokenNames | None = None, relaxes: bool = False) -> Grammar:
    """
    The grammar of a structural tag. Users call `Grammar.from_structural_tag`.
    """
def structure_classes(grammars: collections.abc.Sequence[CompiledGrammar], _testing_weak_hashes: bool = False) -> list[list[int]]:
    """
    For each grammar a number for each state; corresponding states of equal rules have equal numbers.
    """
def take_before_fork(acquire: collections.abc.Callable) -> None:
    """
    Calls `acquire` until it returns; an interrupt during the call waits for give_back_after_fork.
    """
def write_number(number: str) -> str:
    """
    A short spelling of the same number.
    """
