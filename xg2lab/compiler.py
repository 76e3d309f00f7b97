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
from xg2lab.grammar import Grammar, is_relaxing, structural_tag_input, tag_or_tags
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
    """A grammar compiled for one tokenizer. Any number of matchers and threads may share it. Made by `GrammarCompiler`.

    Attributes
    ----------
    tokenizer_info : TokenizerInfo
        The vocabulary.
    options : EngineOptions
        The options that it was compiled with.
    template : CompiledTemplate or None
        The template that it is an instance of.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')
    >>> compiled.n_states, compiled.grammar.root_rule_name, compiled.template
    (2, 'root', None)
    >>> compiled.pool_totals()["max_bytes"] >> 20
    512
    >>> print(compiled.to_dot().splitlines()[0])
    digraph "root" {
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
        self._shared = shared  # found by other compilers as long as it is referenced
        self._operators: OperatorTree | None = None
        self._whole_grammar: CompiledGrammar | None = None

    def whole(self) -> CompiledGrammar:
        """Return this grammar with all parts of a structural tag compiled: see `EngineOptions.contents_on_demand`.

        What shows the states of a grammar (`program()`, `n_states`, a matcher's `explain()` and `chart()`) shows those
        of the whole grammar, which is compiled at the first such call. Masks are the same with both.

        Returns
        -------
        CompiledGrammar
            The grammar itself, if nothing of it waits.

        Raises
        ------
        LimitError
            As `GrammarCompiler.compile_grammar`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"<a>", b"{", b"}", b"</s>"], stop_token_ids=[3])
        >>> content = {"type": "json_schema", "json_schema": {"type": "object", "properties": {}}}
        >>> tag = {"format": {"type": "tag", "begin": "<a>", "content": content, "end": ""}}
        >>> compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(contents_on_demand=1))
        >>> compiled = compiler.compile_structural_tag(tag)
        >>> compiled.whole() is compiled, compiled.whole().whole() is compiled.whole()
        (False, True)
        """
        if not self._waits:
            return self
        if self._whole_grammar is None:
            self._whole_grammar = CompiledGrammar(self._whole, self.tokenizer_info, self._shared, self.options)
        return self._whole_grammar

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The arguments of `CompiledTemplate.instantiate`, as a new dict; None for a grammar that is not an instance.

        The engine keeps a copy of the arguments, so later changes of the caller's lists do not show here. Texts are
        `str`; texts that are not UTF-8 are `bytes`; tuples are lists. A grammar that was read from its serialized form
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
        """Return the grammar as a tree of operators, whichever parser runs. The tree is kept.

        Parameters
        ----------
        max_operators : int
            The largest tree to make. Each call of a rule is a copy of the rule, so the tree can be exponentially larger
            than the grammar.

        Returns
        -------
        OperatorTree
            The operators of a template's instance name the argument that they were made from.

        Raises
        ------
        UnsupportedError
            For a recursive rule (the message has the cycle; `diagnostics` has each call with its `span`), members in
            any order, `max_tokens`, and a `max_chars` that is not the bound of a repeated character.
        LimitError
            The tree needs more than `max_operators` (the message has the chain of open rules), or more time or memory
            than `xg2lab.work_limits` allow.

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
        rule `root` calls itself, so the tree of operators would be infinite: root -> root

        See also: WGrammar, section 3.2; docs/design/0041-operators.md.
        """
        most = whole_number(max_operators, "max_operators", 1)
        known = self._operators
        if known is not None and len(known) <= most:
            return known
        made = tree_of(self, most)
        self._operators = made
        return made

    def pool_totals(self) -> dict[str, int] | None:
        """Return the figures of the tokenizer's pool as they are now.

        Returns
        -------
        dict of str to int, or None
            The figures of `PoolStatistics`, without its list of grammars; None if `cross_grammar_cache` is off.
        """
        pool = self._shared.mask_pool
        return None if pool is None else pool.statistics() | {"max_bytes": pool.max_bytes}

    def jit_report(self) -> JitReport:
        """Report what each state's mask entry was expected to cost, and what the entries made so far did cost.

        Estimates every state anew, which takes some microseconds each.

        Returns
        -------
        JitReport
            `states` has a row for each state.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"ab", b"b", b"</s>"], stop_token_ids=[3])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"+')
        >>> [(cost.rule, cost.n_visits, cost.ns) for cost in compiled.jit_report().states][0]
        ('root', 3, None)

        See also: XGrammar-2, section 3.2; docs/design/0012-partial-jit.md.
        """
        return JitReport(tuple(StateCost(**cost) for cost in self.state_costs()))

    def serialize_json(self, *, include_masks: bool = False) -> str:
        """Write the compiled grammar as JSON text. Of the tokenizer it keeps only a hash of the contents.

        Parameters
        ----------
        include_masks : bool
            Whether to include the masks made so far. The text grows by up to a sixth of a byte for each token and
            visited state; these masks need not be made again after reading.

        Returns
        -------
        str
            JSON, for `deserialize_json`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')
        >>> again = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), info)
        >>> again.serialize_json() == compiled.serialize_json()
        True

        See also: docs/design/0011-serialization.md.
        """
        return compiled_to_json(self, include_masks=include_masks)

    @classmethod
    def deserialize_json(cls, json_str: str | bytes, tokenizer_info: TokenizerInfo) -> CompiledGrammar:
        """Read what `serialize_json` wrote, for a tokenizer of the same contents. Nothing is compiled.

        Parameters
        ----------
        json_str : str or bytes
            The text. Program and masks are not compared with the grammar: see `xg2lab.compiling.serialization`.
        tokenizer_info : TokenizerInfo
            A vocabulary that equals the one it was compiled for.

        Returns
        -------
        CompiledGrammar
            It gives the masks of the grammar that was written.

        Raises
        ------
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            The text is not JSON, not a compiled grammar, damaged (`pointer` says where), compiled for another
            tokenizer, or of another version.
        LimitError
            Reading takes more than the `max_work_bytes` of the options in the text.

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
    """Compile a grammar with parts that the caller passes: what `GrammarCompiler` does behind its cache."""
    made = _core.CompiledGrammar.compile(grammar, shared.token_sets, options, shared.mask_pool, events)
    return CompiledGrammar(made, tokenizer_info, shared, options)


def compile_template_with(
    template: Template,
    tokenizer_info: TokenizerInfo,
    shared: SharedParts,
    options: EngineOptions,
    events: _core.EventLog | None = None,
) -> CompiledTemplate:
    """Compile a template with parts that the caller passes."""
    text = template._text  # pyright: ignore[reportPrivateUsage]
    made = _core.CompiledTemplate.compile(text, shared.token_sets, options, shared.mask_pool, events)
    return CompiledTemplate(made, template, tokenizer_info, shared, options)


class CompiledTemplate(_core.CompiledTemplate):
    """A template compiled for one tokenizer; `instantiate` links the grammar of a request (WGrammar, section 3.1).

    Any number of threads may share it. Made by `GrammarCompiler.compile_template`.

    Attributes
    ----------
    template : Template
        The template.
    tokenizer_info : TokenizerInfo
        The vocabulary.
    options : EngineOptions
        The options that it was compiled with.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
    >>> ready = xgr.GrammarCompiler(info).compile_template('root ::= "<" $name ">"')
    >>> ready.make_masks()
    >>> ready.obstacles, ready.instantiate(name="ab").arguments
    ([], {'name': 'ab'})
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
        """Link the grammar that the template means with these arguments, ready for matchers.

        Takes time that is linear in the arguments: no front end, no pass and no determinization runs.

        Parameters
        ----------
        **arguments
            One for each slot of the request: see `Template`.

        Returns
        -------
        CompiledGrammar
            It agrees with `compile_grammar(template.write_out(**arguments))` in every mask, verdict and forced text,
            and in captures as far as docs/design/0042 says. Its `grammar` is written out on first use.

        Raises
        ------
        TemplateArgumentError
            With *all* mistakes in the arguments as `diagnostics`, each with its `span` in the template and its
            `pointer` into the arguments. With spelling="tokens" also if `encode` returns ids of other bytes than the
            text's.
        ArgumentError
            The template takes texts in tokens and was read again without an encoder.
        GrammarError
            The instance can't match anything.
        LimitError
            The instance needs more states, time or memory than `EngineOptions` allow.

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
        """Write the compiled template as JSON text: the template, the options, and a hash of the tokenizer's contents.

        Parameters
        ----------
        include_masks : bool
            Whether to include the masks of `make_masks`, or of requests so far. Instances of the template that is read
            then need not make them again.

        Returns
        -------
        str
            JSON, for `deserialize_json`.

        Raises
        ------
        ArgumentError
            Neither `Template.from_ebnf` nor `Template.from_json_schema` made the template.

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
        """Read what `serialize_json` wrote, for a tokenizer of the same contents. The template is compiled again.

        Parameters
        ----------
        json_str : str or bytes
            The text. The form of its masks is checked, but not whether they are the template's: read masks of your own.
        tokenizer_info : TokenizerInfo
            A vocabulary that equals the one it was compiled for.
        encode : callable from str to token ids, optional
            For a template with spelling="tokens": see `Template.deserialize_json`.

        Returns
        -------
        CompiledTemplate
            Its instances equal those of the template that was written.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            An encoder was given for a template with spelling="bytes", or is not callable.
        InvalidJSONError, DeserializeFormatError, DeserializeVersionError
            The text is not JSON, not a compiled template, damaged (`pointer` says where), compiled for another
            tokenizer, or of another version.
        LimitError
            As `GrammarCompiler.compile_template`, with the options in the text.

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
    """Compiles grammars for one tokenizer. Make one for each model, and use it from any thread.

    Parameters
    ----------
    tokenizer_info : TokenizerInfo
        The vocabulary.
    max_threads : int
        How many threads may compile at once; others wait.
    cache_enabled : bool
        Whether compiling the same text again returns the same `CompiledGrammar`.
    cache_limit_bytes : int
        The size of the cache in bytes; the least recently used grammars are dropped. -1 is the default of 512 MiB:
        texts from strangers must not fill the memory.
    options : EngineOptions, optional
        Switches of the engine.

    Raises
    ------
    ArgumentError
        `max_threads` is below 1, or `cache_limit_bytes` below -1.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    >>> compiler = GrammarCompiler(info, options=xgr.EngineOptions(parser="pda"))
    >>> compiled = compiler.compile_grammar('root ::= "a" | "b"')
    >>> compiler.compile_grammar('root ::= "a" | "b"') is compiled, compiler.get_cache_size_bytes() > 0
    (True, True)
    >>> compiler.clear_cache()
    >>> compiler.get_cache_size_bytes()
    0
    >>> compiler.compile_builtin_json_grammar().grammar.rules[1].name
    'value'
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
        """Compile EBNF text, or a `Grammar`.

        Parameters
        ----------
        grammar : str or Grammar
            Text is read as EBNF.
        root_rule_name : str
            For text: the rule that a whole output must match.

        Returns
        -------
        CompiledGrammar
            The same text gives the same object while it is in the cache.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With every mistake of the text, its place and a hint.
        ArgumentError
            `root_rule_name` was given with a `Grammar`, which has its root.
        LimitError
            The grammar needs more states, time or memory than `EngineOptions` allow.
        """
        if isinstance(grammar, str):
            key = (grammar, root_rule_name)
            if (found := self._look_up(key)) is not None:
                return found
            with terms_of(self.options):
                return self._keep(key, self._compile(Grammar.from_ebnf(grammar, root_rule_name=root_rule_name)))
        instance(grammar, Grammar, "compile_grammar(): grammar", "a str or a Grammar")
        if root_rule_name != "root":
            raise ArgumentError("root_rule_name is for text: a Grammar has a root already")
        return self._compile(grammar)

    def compile_regex(self, regex: str) -> CompiledGrammar:
        """Compile `Grammar.from_regex(regex)`: a regular expression that the whole output must match.

        Parameters
        ----------
        regex : str
            The pattern.

        Returns
        -------
        CompiledGrammar
            The same text gives the same object while it is in the cache.

        Raises
        ------
        GrammarSyntaxError, UnsupportedError
            As `Grammar.from_regex`.
        LimitError
            As `compile_grammar`.

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
        """Compile `Grammar.from_structural_tag(...)`. Tokens may be named, and special tokens match their text.

        Parameters
        ----------
        structural_tag : StructuralTag, dict or str
            As for `Grammar.from_structural_tag`.
        triggers : list of str, optional
            For the older form only.
        tags : list, optional
            For the older form only.
        on_unsupported : "error" or "relax"
            As for `Grammar.from_structural_tag`.

        Returns
        -------
        CompiledGrammar
            The same tag gives the same object while it is in the cache.

        Raises
        ------
        InvalidJSONError, InvalidStructuralTagError, UnsupportedError
            As `Grammar.from_structural_tag`.
        LimitError
            As `compile_grammar`.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"<a>", b"b", b"<", b"/a>", b"</s>"], stop_token_ids=[4], special_token_ids=[0])
        >>> compiled = xgr.GrammarCompiler(info).compile_structural_tag(
        ...     {"format": {"type": "tag", "begin": "<a>", "content": {"type": "any_text"}, "end": "</a>"}}
        ... )
        >>> xgr.GrammarMatcher(compiled).allowed_tokens()
        [0, 2]
        """
        with terms_of(self.options):
            read = structural_tag_input(tag_or_tags(structural_tag, tags), triggers)
            relaxes = is_relaxing(on_unsupported)
            what = f"of a structural tag{' relaxed' * relaxes}"
            key = (read.text, what) if self.cache_enabled else ("", "")
            if (found := self._look_up(key)) is not None:
                return found
            self._names = self._names or _core.TokenNames(self.tokenizer_info._vocabulary)  # pyright: ignore[reportPrivateUsage]
            return self._keep(key, self._compile(_core.structural_tag_grammar(read, self._names, relaxes)))

    def compile_json_schema(self, schema: Any, **options: Unpack[SchemaOptions]) -> CompiledGrammar:
        """Compile `Grammar.from_json_schema(schema, **options)`: the JSON texts that are valid against a schema.

        Parameters
        ----------
        schema : str, dict, bool, pydantic model or dataclass
            As for `Grammar.from_json_schema`.
        **options
            Those of `Grammar.from_json_schema`.

        Returns
        -------
        CompiledGrammar
            The same text with the same options gives the same object while it is in the cache.

        Raises
        ------
        UnsupportedError, GrammarError, InvalidJSONError
            As `Grammar.from_json_schema`.
        LimitError
            As `compile_grammar`.

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
        r"""Compile `Grammar.from_lark(...)`. Tokens written by name are looked up in this compiler's tokenizer.

        Parameters
        ----------
        lark_string : str
            A grammar written for Lark, or for llguidance.
        named_grammars : dict of str to Grammar or str, optional
            As for `Grammar.from_lark`.
        start : str
            The rule that a whole output must match.
        lexer : str
            As for `Grammar.from_lark`.

        Returns
        -------
        CompiledGrammar
            The same texts give the same object while it is in the cache.

        Raises
        ------
        GrammarSyntaxError, GrammarError, UnsupportedError
            As `Grammar.from_lark`.
        LimitError
            As `compile_grammar`.

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
        """Compile the part of a template that all requests share.

        Parameters
        ----------
        template : str or Template
            Text is read as EBNF with slots.

        Returns
        -------
        CompiledTemplate
            `instantiate` links the grammar of a request.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With every mistake of the text, its place and a hint; also for a template that no argument can make match.
        VocabularyError
            The template has spelling="tokens", and its encoder wrote tokens of other bytes than the static text's: the
            encoder belongs to another tokenizer, or adds tokens. `diagnostics` has all places.
        LimitError
            The template needs more states, time or memory than `EngineOptions` allow.

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
        """Compile `Grammar.builtin_json_grammar()`: any JSON text.

        Returns
        -------
        CompiledGrammar
            The same object while it is in the cache.
        """
        found = self._look_up(key := ("", "json"))
        return found if found is not None else self._keep(key, self._compile(Grammar.builtin_json_grammar()))

    def clear_cache(self) -> None:
        """Drop the compiled grammars in the cache, and empty the tokenizer's pool. Grammars in use stay as they are."""
        with shared_lock:
            self._cache.clear()
            self._cache_bytes = 0
        if self._shared.mask_pool is not None:
            self._shared.mask_pool.clear()

    def get_cache_size_bytes(self) -> int:
        """Return the size of the cached grammars, with the masks made so far.

        Returns
        -------
        int
            Bytes. A mask that two grammars share counts for each. `pool.size_bytes` is the size of the pool.
        """
        with shared_lock:
            return sum(compiled.memory_size_bytes for compiled in self._cache.values())

    @property
    def pool(self) -> PoolStatistics | None:
        """The figures of the tokenizer's pool as they are now; None if `cross_grammar_cache` is off."""
        return None if self._shared.mask_pool is None else PoolStatistics.of(self._shared.mask_pool)

    @contextmanager
    def record_cache_events(self, capacity: int = 10_000) -> Generator[None]:
        """Record what this compiler and its grammars do while the context is open, for `cache_events()`.

        Parameters
        ----------
        capacity : int
            How many events to keep; the oldest are dropped.

        Returns
        -------
        context manager
            Recording ends with it; the events stay.

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
        """Return the events of the last `record_cache_events()`, also while it is open.

        Returns
        -------
        list of CacheEvent
            The oldest first.

        >>> import xg2lab as xgr
        >>> GrammarCompiler(xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])).cache_events()
        []
        """
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
            # Those in use grow by their masks: all are measured again after as many as a quarter
            # of them have come.
            if self._cache_bytes > limit or 4 * self._n_unmeasured > len(self._cache):
                self._cache_bytes = sum(kept.memory_size_bytes for kept in self._cache.values())
                self._n_unmeasured = 0
            while self._cache_bytes > limit and self._cache:
                _, dropped = self._cache.popitem(last=False)
                self._cache_bytes -= dropped.memory_size_bytes
        return compiled
