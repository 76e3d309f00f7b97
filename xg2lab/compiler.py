"""From a grammar and a tokenizer to a compiled grammar, with a cache of what was compiled before.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiler = xgr.GrammarCompiler(info)
>>> compiled = compiler.compile_grammar('root ::= "a" | "b"')
>>> compiled is compiler.compile_grammar('root ::= "a" | "b"')
True

Compiling makes no token mask: a state's mask is made when a text first visits it, and kept
(XGrammar 2, section 3.2). So compiling takes time in the size of the grammar, not of the vocabulary.

See also: `core/runtime/compiled_grammar.h`.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from xg2lab import _core
from xg2lab.compiling.jit_report import JitReport, StateCost
from xg2lab.compiling.operators import DEFAULT_MAX_OPERATORS, OperatorTree, tree_of
from xg2lab.compiling.pool import CacheEvent, PoolStatistics, SharedParts, shared_parts
from xg2lab.compiling.serialization import compiled_to_json, located, parts_from_json, refusal
from xg2lab.compiling.template_text import TemplateSource, compiled_parts, compiled_template_to_json, template_again
from xg2lab.errors import ArgumentError, LimitError, Xg2LabError
from xg2lab.grammar import Grammar, is_relaxing, structural_tag_value, tag_or_tags
from xg2lab.limits import terms_of
from xg2lab.options import EngineOptions
from xg2lab.show.dot import Machines
from xg2lab.show.html import compiled_html
from xg2lab.support.arguments import instance, whole_number
from xg2lab.support.forks import shared_lock
from xg2lab.template import Encode, Template, check_encoder_of
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from xg2lab.sources.json_schema import SchemaOptions

__all__ = ["CompiledGrammar", "CompiledTemplate", "GrammarCompiler"]

DEFAULT_CACHE_BYTES = 512 << 20


class CompiledGrammar(Machines, _core.CompiledGrammar):
    """A grammar lowered for one tokenizer: shared by any number of matchers and threads.

    Made by `GrammarCompiler`. Attributes: `grammar`, `optimized_grammar`, `tokenizer_info`, `options`,
    `memory_size_bytes`, `compile_us`, `n_states`, `n_columns` (columns met so far), `program()`; `id` and `name`, by
    which the pool's accounts and `cache_events()` call it; `pool_totals()`, `jit_progress()` and `jit_report()`;
    `template`, the `CompiledTemplate` that it is an instance of, or None, and `arguments`.
    """

    def __init__(
        self,
        made: _core.CompiledGrammar,
        tokenizer_info: TokenizerInfo,
        shared: SharedParts,
        options: EngineOptions,
        template: CompiledTemplate | None = None,
        arguments: _core.Arguments | None = None,
    ) -> None:
        super().__init__(made)
        self.tokenizer_info = tokenizer_info
        self.options = options
        self.template = template
        self._arguments = arguments
        self._shared = shared  # found by other compilers as long as somebody holds it
        self._operators: OperatorTree | None = None

    @property
    def arguments(self) -> dict[str, Any] | None:
        """What `CompiledTemplate.instantiate` was given, as a new dict; None for a grammar that is no instance.

        The engine keeps a copy of the arguments, so a later change of the caller's lists does not show here. Texts are
        `str`, those that are not UTF-8 are `bytes`; tuples are lists. A grammar that was read from its serialized form
        is an ordinary one: its `template` and its `arguments` are None.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> ready = xgr.GrammarCompiler(info).compile_template('root ::= OneOf($names) "b"{$n}')
        >>> instance = ready.instantiate(names=["a", b"b"], n=2)
        >>> instance.arguments, instance.template is ready
        ({'names': ['a', 'b'], 'n': 2}, True)
        """
        return None if self._arguments is None else self._arguments.values()

    def operators(self, max_operators: int = DEFAULT_MAX_OPERATORS) -> OperatorTree:
        """The grammar as a tree of operators (WGrammar, section 3.2), for views; whichever parser runs. Kept once made.

        Parameters
        ----------
        max_operators : int
            The largest tree to make: each call of a rule is a copy of it, so the tree can be exponentially larger than
            the grammar.

        Returns
        -------
        OperatorTree
            For an instance of a template the operators say which argument they were made from.

        Raises
        ------
        UnsupportedError
            For a recursive rule (the message has the cycle; `diagnostics` has each call of it with its `span`), members
            in any order, `max_tokens`, and a `max_chars` that is not a bound of a repeated character.
        LimitError
            For more than `max_operators`, with the chain of rules that was open; for more time or memory than
            `xg2lab.work_limits` allow.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"1", b".", b"</s>"], stop_token_ids=[2])
        >>> compiler = xgr.GrammarCompiler(info)
        >>> print(compiler.compile_grammar('root ::= number ("." number)?   number ::= [0-9]+').operators())
        0  Sequence
        1    DoWhile min=1
        2      Wait allows=[0-9]
        3    DoWhile min=0, max=1
        4      Sequence
        5        Write "."
        6        DoWhile min=1
        7          Wait allows=[0-9]
        >>> try:
        ...     compiler.compile_grammar('root ::= "(" root ")" | "1"').operators()
        ... except xgr.Xg2LabError as error:
        ...     print(str(error).splitlines()[0])
        rule `root` calls itself, and the tree of operators would have no end: root -> root
        """
        most = whole_number(max_operators, "max_operators", 1)
        known = self._operators
        if known is not None and len(known) <= most:
            return known
        made = tree_of(self, most)
        self._operators = made
        return made

    def pool_totals(self) -> dict[str, int] | None:
        """What the tokenizer's pool holds now, and how often it was of use; None if `cross_grammar_cache` is off.

        The figures of `PoolStatistics`, without its list of grammars.
        """
        pool = self._shared.mask_pool
        return None if pool is None else pool.statistics() | {"max_bytes": pool.max_bytes}

    def jit_report(self) -> JitReport:
        """What each state's mask entry was expected to cost, and what those that are made did cost.

        Estimates every state anew: some microseconds each.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"ab", b"b", b"</s>"], stop_token_ids=[3])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"+')
        >>> [(cost.rule, cost.n_visits, cost.ns) for cost in compiled.jit_report().states][0]
        ('root', 3, None)
        """
        return JitReport(tuple(StateCost(**cost) for cost in self.state_costs()))

    def serialize_json(self, *, include_masks: bool = False) -> str:
        """The compiled grammar as JSON text: all but the tokenizer, of which it keeps a hash of the contents.

        Parameters
        ----------
        include_masks : bool
            Whether the masks that were made so far go with it. The text grows by up to a sixth of a byte for each
            token and state that has been visited; they need not be made again after reading.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')
        >>> again = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), info)
        >>> again.serialize_json() == compiled.serialize_json()
        True
        """
        return compiled_to_json(self, include_masks=include_masks)

    @classmethod
    def deserialize_json(cls, json_str: str | bytes, tokenizer_info: TokenizerInfo) -> CompiledGrammar:
        """Reads what `serialize_json` wrote, for a tokenizer of the same contents. Nothing is compiled.

        Raises
        ------
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            For text that is not JSON, not a compiled grammar, damaged (`pointer` says where), compiled for another
            tokenizer, or of another version. Program and masks are not compared with the grammar: see
            `xg2lab.compiling.serialization`.
        LimitError
            Reading it takes more than the `max_work_bytes` of the options that the text itself holds.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> text = xgr.GrammarCompiler(info).compile_grammar('root ::= "a"').serialize_json()
        >>> try:
        ...     xgr.CompiledGrammar.deserialize_json(text, xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
        ... except xgr.Xg2LabError as error:
        ...     print(error.pointer)
        /tokenizer
        """
        parts = parts_from_json(json_str, tokenizer_info)
        shared = shared_parts(tokenizer_info, parts.options)
        try:
            made = _core.CompiledGrammar.restore(
                parts.grammar,
                shared.token_sets,
                parts.options,
                shared.mask_pool,
                None,
                program=parts.program,
                masks=parts.masks,
            )
        except LimitError:
            raise
        except Xg2LabError as error:
            raise located(error) from error
        return cls(made, tokenizer_info, shared, parts.options)

    def __reduce__(self) -> tuple[Any, tuple[str, TokenizerInfo]]:
        return type(self).deserialize_json, (self.serialize_json(), self.tokenizer_info)

    def __repr__(self) -> str:
        return (
            f"CompiledGrammar(root={self.grammar.root_rule_name!r}, n_states={self.n_states}, "
            f"vocab_size={self.tokenizer_info.vocab_size}, memory_size_bytes={self.memory_size_bytes})"
        )

    def _repr_html_(self) -> str:
        return compiled_html(self)


def compile_with(
    grammar: Grammar,
    tokenizer_info: TokenizerInfo,
    shared: SharedParts,
    options: EngineOptions,
    events: _core.EventLog | None = None,
) -> CompiledGrammar:
    """Compiles a grammar with parts that the caller brings: what `GrammarCompiler` does behind its cache."""
    made = _core.CompiledGrammar.compile(grammar, shared.token_sets, options, shared.mask_pool, events)
    return CompiledGrammar(made, tokenizer_info, shared, options)


def compile_template_with(
    template: Template,
    tokenizer_info: TokenizerInfo,
    shared: SharedParts,
    options: EngineOptions,
    events: _core.EventLog | None = None,
) -> CompiledTemplate:
    """Compiles a template with parts that the caller brings."""
    text = template._text  # pyright: ignore[reportPrivateUsage]
    made = _core.CompiledTemplate.compile(text, shared.token_sets, options, shared.mask_pool, events)
    return CompiledTemplate(made, template, tokenizer_info, shared, options)


class CompiledTemplate(_core.CompiledTemplate):
    """A template lowered for one tokenizer; `instantiate` links the grammar of a request (WGrammar, section 3.1).

    Made by `GrammarCompiler.compile_template`, and shared by any number of threads. Attributes: `template`,
    `tokenizer_info`, `options`; `obstacles`, which says why instances are compiled from the written-out grammar, and
    is empty if they are linked; `n_states`, with which each instance begins; `memory_size_bytes`, `compile_us`; `id`,
    by which `cache_events()` and the entries of its instances call it.
    """

    def __init__(
        self,
        made: _core.CompiledTemplate,
        template: Template,
        tokenizer_info: TokenizerInfo,
        shared: SharedParts,
        options: EngineOptions,
    ) -> None:
        super().__init__(made)
        self.template = template
        self.tokenizer_info = tokenizer_info
        self.options = options
        self._shared = shared

    def instantiate(self, **arguments: Any) -> CompiledGrammar:
        """The grammar that the template means with these arguments, ready for matchers.

        Parameters
        ----------
        **arguments
            One for each slot of the request: see `Template`.

        Returns
        -------
        CompiledGrammar
            It agrees with `compile_grammar(template.write_out(**arguments))` in every mask, verdict and forced text,
            and in captures as far as docs/design/0042 says. Making it takes time that is linear in the arguments: no
            front end, no pass and no determinization runs. Its `grammar` is written out when first asked for.

        Raises
        ------
        TemplateArgumentError
            With *all* mistakes in the arguments as `diagnostics`, each with its `span` in the template and its
            `pointer` into the arguments. With spelling="tokens" also if `encode` returns ids of other bytes than a
            text's.
        ArgumentError
            If the template takes texts in tokens and was read again without an encoder.
        GrammarError
            For an instance that can't match.
        LimitError
            For more states, time or memory than `EngineOptions` allow.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
        >>> ready = xgr.GrammarCompiler(info).compile_template('root ::= "<" $name ">"')
        >>> matcher = xgr.GrammarMatcher(ready.instantiate(name="ab"))
        >>> matcher.find_jump_forward_string()
        '<ab>'
        """
        encode = self.template._encode  # pyright: ignore[reportPrivateUsage]
        made, kept = self._instantiate(arguments, encode)
        return CompiledGrammar(made, self.tokenizer_info, self._shared, self.options, self, kept)

    def serialize_json(self, *, include_masks: bool = False) -> str:
        """The compiled template as JSON text: the template, the options, and a hash of the tokenizer's contents.

        Parameters
        ----------
        include_masks : bool
            Whether the masks of `make_masks`, or of requests so far, go with it. Instances of the template that is
            read then don't make them again.

        Raises
        ------
        ArgumentError
            For a template that neither `Template.from_ebnf` nor `Template.from_json_schema` made.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> ready = xgr.GrammarCompiler(info).compile_template('root ::= $x "b"*')
        >>> again = xgr.CompiledTemplate.deserialize_json(ready.serialize_json(), info)
        >>> xgr.GrammarMatcher(again.instantiate(x="ab")).find_jump_forward_string()
        'ab'
        """
        return compiled_template_to_json(self, include_masks=include_masks)

    @classmethod
    def deserialize_json(
        cls, json_str: str | bytes, tokenizer_info: TokenizerInfo, *, encode: Encode | None = None
    ) -> CompiledTemplate:
        """Reads what `serialize_json` wrote, for a tokenizer of the same contents. The template is compiled again.

        Parameters
        ----------
        json_str : str or bytes
        tokenizer_info : TokenizerInfo
        encode : callable from str to token ids, optional
            For a template with spelling="tokens": see `Template.deserialize_json`.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            For an encoder of a template with spelling="bytes", and one that is not callable.
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            For text that is not JSON, not a compiled template, damaged (`pointer` says where), compiled for another
            tokenizer, or of another version. The masks' form is checked, but not whether they are the template's: read
            masks of your own.
        LimitError
            As `GrammarCompiler.compile_template`, with the options that the text itself holds.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> text = xgr.GrammarCompiler(info).compile_template("root ::= $x").serialize_json()
        >>> try:
        ...     xgr.CompiledTemplate.deserialize_json(text, xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
        ... except xgr.Xg2LabError as error:
        ...     print(error.pointer)
        /tokenizer
        """
        parts = compiled_parts(json_str, tokenizer_info)
        check_encoder_of(parts.source, encode)

        def compiled(source: TemplateSource) -> CompiledTemplate:
            with terms_of(parts.options):
                template = Template._of_source(source, encode)  # pyright: ignore[reportPrivateUsage]
                return compile_template_with(
                    template, tokenizer_info, shared_parts(tokenizer_info, parts.options), parts.options
                )

        made: CompiledTemplate = template_again(parts.source, compiled)
        if parts.n_states is None:
            return made
        if parts.n_states != made.n_states:
            raise refusal(
                "/n_states", f"the masks are of {parts.n_states} states, and the template has {made.n_states}"
            )
        try:
            made._load_masks(parts.masks)
        except LimitError:
            raise
        except Xg2LabError as error:
            raise located(error) from error
        return made

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        encode = self.template._encode  # pyright: ignore[reportPrivateUsage]
        return _unpickled_template, (type(self), self.serialize_json(), self.tokenizer_info, encode)

    def __repr__(self) -> str:
        return f"CompiledTemplate({self.template!r}, n_states={self.n_states})"


def _unpickled_template(
    cls: type[CompiledTemplate], text: str, tokenizer_info: TokenizerInfo, encode: Encode | None
) -> CompiledTemplate:
    return cls.deserialize_json(text, tokenizer_info, encode=encode)


class GrammarCompiler:
    """Compiles grammars for one tokenizer. Make one a model, and use it from any thread.

    Parameters
    ----------
    tokenizer_info : TokenizerInfo
    max_threads : int
        How many threads may compile at once; more wait their turn.
    cache_enabled : bool
        Whether the same text compiled again gives the same `CompiledGrammar`.
    cache_limit_bytes : int
        What the cache may hold; the least recently used go first. -1 is the default of 512 MiB: texts from
        strangers must not fill the memory.
    options : EngineOptions, optional
        Switches of the engine.
    """

    def __init__(
        self,
        tokenizer_info: TokenizerInfo,
        *,
        max_threads: int = 8,
        cache_enabled: bool = True,
        cache_limit_bytes: int = -1,
        options: EngineOptions | None = None,
    ) -> None:
        if whole_number(max_threads, "max_threads") < 1:
            raise ArgumentError(f"max_threads must be at least 1, got {max_threads}")
        if whole_number(cache_limit_bytes, "cache_limit_bytes") < -1:
            raise ArgumentError(f"cache_limit_bytes must be -1 (the default budget) or more, got {cache_limit_bytes}")
        instance(tokenizer_info, TokenizerInfo, "tokenizer_info")
        self.tokenizer_info, self.options = tokenizer_info, EngineOptions() if options is None else options
        instance(self.options, EngineOptions, "options")
        self.cache_enabled = cache_enabled
        self.cache_limit_bytes = cache_limit_bytes
        self._shared = shared_parts(tokenizer_info, self.options)
        self._events = _core.EventLog()
        self._names: _core.TokenNames | None = None  # made when a structural tag first needs it
        self._turns = _core.Turns(max_threads)
        self._cache: OrderedDict[tuple[str, str], CompiledGrammar] = OrderedDict()
        self._cache_bytes = 0  # as last measured, and what has come since
        self._n_unmeasured = 0

    def compile_grammar(self, grammar: str | Grammar, *, root_rule_name: str = "root") -> CompiledGrammar:
        """Compiles EBNF text, or a `Grammar`.

        Parameters
        ----------
        grammar : str or Grammar
        root_rule_name : str
            For text: the rule that a whole output must match.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With every mistake of the text, its place and a hint.
        LimitError
            More states, time or memory than `EngineOptions` allow.
        """
        if isinstance(grammar, str):
            key = (grammar, root_rule_name)
            if (found := self._look_up(key)) is not None:
                return found
            with terms_of(self.options):
                return self._keep(key, self._compile(Grammar.from_ebnf(grammar, root_rule_name=root_rule_name)))
        instance(grammar, Grammar, "compile_grammar(): grammar", "a str or a Grammar")
        if root_rule_name != "root":
            raise ArgumentError("root_rule_name goes with text: a Grammar knows its root")
        return self._compile(grammar)

    def compile_regex(self, regex: str) -> CompiledGrammar:
        """Compiles `Grammar.from_regex(regex)`: a regular expression that the whole output must match.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"ab", b"b", b"</s>"], stop_token_ids=[3])
        >>> compiled = xgr.GrammarCompiler(info).compile_regex("a(?!b)|bb*")
        >>> xgr.GrammarMatcher(compiled).allowed_tokens()
        [0, 2]
        """
        key = (regex, "of a pattern")  # no rule has such a name
        if (found := self._look_up(key)) is not None:
            return found
        with terms_of(self.options):
            return self._keep(key, self._compile(Grammar.from_regex(regex)))

    def compile_structural_tag(
        self,
        structural_tag: Any = None,
        triggers: list[str] | None = None,
        *,
        tags: list[Any] | None = None,
        on_unsupported: str = "error",
    ) -> CompiledGrammar:
        """Compiles `Grammar.from_structural_tag(...)`: tokens may be named, and special ones stand for text.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"<a>", b"b", b"<", b"/a>", b"</s>"], stop_token_ids=[4], special_token_ids=[0])
        >>> compiled = xgr.GrammarCompiler(info).compile_structural_tag(
        ...     {"format": {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}}
        ... )
        >>> xgr.GrammarMatcher(compiled).allowed_tokens()
        [0, 2]
        """
        with terms_of(self.options):
            value = structural_tag_value(tag_or_tags(structural_tag, tags), triggers)
            relaxes = is_relaxing(on_unsupported)
            what = f"of a structural tag{' relaxed' * relaxes}"
            key = (json.dumps(value, ensure_ascii=False), what) if self.cache_enabled else ("", "")
            if (found := self._look_up(key)) is not None:
                return found
            self._names = self._names or _core.TokenNames(self.tokenizer_info._vocabulary)  # pyright: ignore[reportPrivateUsage]
            return self._keep(key, self._compile(_core.structural_tag_grammar(value, self._names, relaxes)))

    def compile_json_schema(self, schema: Any, **options: Unpack[SchemaOptions]) -> CompiledGrammar:
        """Compiles `Grammar.from_json_schema(schema, **options)`: the JSON texts that are valid against a schema.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"tr", b"true", b"ue", b"1", b"</s>"], stop_token_ids=[4])
        >>> compiled = xgr.GrammarCompiler(info).compile_json_schema({"type": "boolean"})
        >>> xgr.GrammarMatcher(compiled).allowed_tokens()
        [0, 1]
        """
        key = (schema, f"of a schema {options}") if isinstance(schema, str) else None  # others change under our hands
        if key is not None and (found := self._look_up(key)) is not None:
            return found
        with terms_of(self.options):
            compiled = self._compile(Grammar.from_json_schema(schema, **options))
        return compiled if key is None else self._keep(key, compiled)

    def compile_lark(
        self,
        lark_string: str,
        *,
        named_grammars: dict[str, Grammar | str] | None = None,
        start: str = "start",
        lexer: str = "contextual",
    ) -> CompiledGrammar:
        r"""Compiles `Grammar.from_lark(...)` with this compiler's tokenizer, for tokens that are written by name.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"if", b"f", b" f", b"</s>"], stop_token_ids=[3])
        >>> compiled = xgr.GrammarCompiler(info).compile_lark('start: "if" N | N\nN: /[a-z]+/\n%ignore " "')
        >>> matcher = xgr.GrammarMatcher(compiled)
        >>> matcher.accept_token(0), matcher.is_completed()  # a keyword is no N
        (True, False)
        >>> matcher.accept_token(1), matcher.is_completed()  # "iff" is one
        (True, True)
        """
        instance(start, str, "start")
        instance(lexer, str, "lexer")
        named = named_grammars or {}
        is_text = all(isinstance(grammar, str) for grammar in named.values())  # a Grammar has no short name
        key = (lark_string, repr(("of lark", sorted(named.items()), start, lexer))) if is_text else None
        if key is not None and (found := self._look_up(key)) is not None:
            return found
        with terms_of(self.options):
            info = self.tokenizer_info
            read = Grammar.from_lark(lark_string, tokenizer_info=info, named_grammars=named, start=start, lexer=lexer)
            compiled = self._compile(read)
        return compiled if key is None else self._keep(key, compiled)

    def compile_template(self, template: str | Template) -> CompiledTemplate:
        """Compiles the part of a template that all requests share: EBNF text with slots, or a `Template`.

        Parameters
        ----------
        template : str or Template

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With every mistake of the text, its place and a hint; also for a template that no argument can make match.
        VocabularyError
            If the template has spelling="tokens", and its encoder wrote tokens of other bytes than the static text's:
            the encoder is another tokenizer's, or adds tokens. All places are `diagnostics`.
        LimitError
            More states, time or memory than `EngineOptions` allow.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b",", b"</s>"], stop_token_ids=[3])
        >>> ready = xgr.GrammarCompiler(info).compile_template('root ::= OneOf($names) ("," OneOf($names)){$n}')
        >>> xgr.GrammarMatcher(ready.instantiate(names=["a", "b"], n=2)).accept_string("a,b,a")
        True
        """
        if isinstance(template, str):
            with terms_of(self.options):
                template = Template.from_ebnf(template)
        instance(template, Template, "compile_template(): template", "a str or a Template")
        with self._turns:
            return compile_template_with(template, self.tokenizer_info, self._shared, self.options, self._events)

    def compile_builtin_json_grammar(self) -> CompiledGrammar:
        """Compiles `Grammar.builtin_json_grammar()`: any JSON text."""
        found = self._look_up(key := ("", "json"))
        return found if found is not None else self._keep(key, self._compile(Grammar.builtin_json_grammar()))

    def clear_cache(self) -> None:
        """Forgets what was compiled, and empties the tokenizer's pool; grammars in use stay as they are."""
        with shared_lock:
            self._cache.clear()
            self._cache_bytes = 0
        if self._shared.mask_pool is not None:
            self._shared.mask_pool.clear()

    def get_cache_size_bytes(self) -> int:
        """Bytes of the grammars in the cache, with the masks they have made so far.

        A mask that two of them share counts for each. What the pool holds is `pool.size_bytes`.
        """
        with shared_lock:
            return sum(compiled.memory_size_bytes for compiled in self._cache.values())

    @property
    def pool(self) -> PoolStatistics | None:
        """The figures of the tokenizer's pool, as they are now; None if `cross_grammar_cache` is off."""
        return None if self._shared.mask_pool is None else PoolStatistics.of(self._shared.mask_pool)

    @contextmanager
    def record_cache_events(self, capacity: int = 10_000) -> Generator[None]:
        """While it is open, what this compiler and its grammars do is written down for `cache_events()`.

        Parameters
        ----------
        capacity : int
            How many events are kept: the newest.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiler = xgr.GrammarCompiler(info)
        >>> with compiler.record_cache_events():
        ...     matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= [ab] "ab"'))
        ...     matcher.allowed_tokens()
        [0, 1]
        >>> [event.kind for event in compiler.cache_events()][-3:]
        ['compile', 'entry', 'fill']
        """
        self._events.start(whole_number(capacity, "capacity", 1))
        try:
            yield
        finally:
            self._events.stop()

    def cache_events(self) -> list[CacheEvent]:
        """The events of the last `record_cache_events()`, oldest first, also while it is open."""
        return [CacheEvent(**event) for event in self._events.events()]

    def _compile(self, grammar: Grammar) -> CompiledGrammar:
        with self._turns:
            return compile_with(grammar, self.tokenizer_info, self._shared, self.options, self._events)

    def _look_up(self, key: tuple[str, str]) -> CompiledGrammar | None:
        with shared_lock:
            found = self._cache.get(key)
            if found is not None:
                self._cache.move_to_end(key)
            return found

    def _keep(self, key: tuple[str, str], compiled: CompiledGrammar) -> CompiledGrammar:
        if not self.cache_enabled:
            return compiled
        limit = DEFAULT_CACHE_BYTES if self.cache_limit_bytes == -1 else self.cache_limit_bytes
        with shared_lock:
            compiled = self._cache.setdefault(key, compiled)
            self._cache_bytes += compiled.memory_size_bytes
            self._n_unmeasured += 1
            # Those in use grow by their masks: all are measured again after as many as a quarter of them have come.
            if self._cache_bytes > limit or 4 * self._n_unmeasured > len(self._cache):
                self._cache_bytes = sum(kept.memory_size_bytes for kept in self._cache.values())
                self._n_unmeasured = 0
            while self._cache_bytes > limit and self._cache:
                _, dropped = self._cache.popitem(last=False)
                self._cache_bytes -= dropped.memory_size_bytes
        return compiled
