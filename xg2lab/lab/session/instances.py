r"""A session's grammar as an instance of a template: what was made offline, and the arguments of the request.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
>>> made = Instance.of(xgr.Template.from_ebnf('root ::= "<" $name ">"'), {"name": "ab"}, info)
>>> print(made.facts()["text"], made.facts()["arguments"])
root ::= "<" $name ">" {'name': 'ab'}
>>> again = made.again({"name": b"\xff"})
>>> again.template is made.template, again.facts()["arguments"]
(True, {'name': {'$bytes': 'ff'}})

IDEA
  A trace says which template and which arguments it ran with, so that its grammar can be made again from the trace
  alone. Arguments are values of JSON but for two kinds, which are written as an object with one key: bytes that are
  not UTF-8 (`$bytes`, hexadecimal) and a grammar (`$grammar`, EBNF, and its `root`). An object of the user's own with
  a key that begins with `$` is put into `{"$value": ...}`. A template that takes its texts in tokens has, as its option
  `encode`, each text of the template and of the arguments with its ids.

See also: xg2lab/template.py, core/linking/, `xg2lab.lab.session.session`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from xg2lab.compiler import CompiledGrammar, CompiledTemplate, GrammarCompiler
from xg2lab.errors import SessionError, VocabularyError
from xg2lab.lab.trace.arguments import arguments_to_wire
from xg2lab.lab.trace.costs import Passes, timed
from xg2lab.options import EngineOptions
from xg2lab.support.interruptible import interruptible
from xg2lab.template import Template

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.template import Encode
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Instance"]


@dataclass(frozen=True)
class Instance:
    """A compiled template, the arguments of one request, and the grammar linked from both.

    `masks_us` is the time of `make_masks`. `passes` are those of the template and `request_passes` those of the
    instance, as in a trace's header. All three are None for what came compiled: they were not timed.
    """

    template: CompiledTemplate
    arguments: dict[str, object]
    compiled: CompiledGrammar
    masks_us: float | None = None
    passes: Passes | None = None
    request_passes: Passes | None = None
    compiler: GrammarCompiler | None = field(default=None, repr=False)  # that the template was compiled with here

    @classmethod
    def of(
        cls,
        template: Template | CompiledTemplate | str,
        arguments: Mapping[str, object] | None,
        tokenizer_info: TokenizerInfo,
        options: EngineOptions | None = None,
    ) -> Instance:
        """Compile the template, unless it is compiled, with its masks; then link the request's grammar.

        Raises the template's errors, `TemplateArgumentError`, `VocabularyError` for a template that was compiled for
        another vocabulary, `SessionError` for one that was compiled with other options.
        """
        given = _mapping(arguments)
        if isinstance(template, CompiledTemplate):
            _require_same(template, tokenizer_info, options)
            return cls(template, given, template.instantiate(**given))
        compiler = GrammarCompiler(tokenizer_info, options=options or EngineOptions())
        ready, passes = interruptible(lambda: timed(compiler, lambda: compiler.compile_template(template)))
        # what is wrong with the arguments is said before masks are made
        compiled, request_passes = timed(compiler, lambda: ready.instantiate(**given))
        begun = time.perf_counter_ns()
        interruptible(ready.make_masks)
        masks_us = (time.perf_counter_ns() - begun) / 1e3
        return cls(ready, given, compiled, masks_us, passes, request_passes, compiler)

    @classmethod
    def from_compiled(cls, compiled: CompiledGrammar) -> Instance | None:
        """Return the template and the arguments that a compiled grammar was made from; None for any other grammar.

        >>> import xg2lab as xgr
        >>> compiler = xgr.GrammarCompiler(xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1]))
        >>> made = Instance.from_compiled(compiler.compile_template("root ::= $x").instantiate(x="a"))
        >>> made and made.arguments, Instance.from_compiled(compiler.compile_grammar('root ::= "a"'))
        ({'x': 'a'}, None)
        """
        template = getattr(compiled, "template", None)
        return None if template is None else cls(template, compiled.arguments or {}, compiled)

    def again(self, arguments: Mapping[str, object]) -> Instance:
        """The instance of the same compiled template with other arguments."""
        given, passes = _mapping(arguments), None
        if self.compiler is None:
            compiled = self.template.instantiate(**given)
        else:
            compiled, passes = timed(self.compiler, lambda: self.template.instantiate(**given))
        return replace(self, arguments=given, compiled=compiled, request_passes=passes)

    @property
    def encode(self) -> Encode | None:
        """The encoder that writes the texts of a template in tokens; None if they are bytes."""
        return self.template.template._encode  # pyright: ignore[reportPrivateUsage]

    @property
    def key(self) -> tuple[str, str]:
        """Equal for instances of equal templates with equal arguments."""
        facts = self.facts()
        return facts["text"], repr((facts["kind"], facts["root"], facts["options"], facts["arguments"]))

    def facts(self) -> schema.TemplateFacts:
        """Return the facts for a trace's header, as values of JSON."""
        template = self.template.template
        source = template._read_from  # pyright: ignore[reportPrivateUsage]
        options = {} if source is None else source.options
        if template.spelling == "tokens":
            spelling = template._text.texts_in_tokens(self.arguments, self.encode)  # pyright: ignore[reportPrivateUsage]
            options = {"spelling": "tokens", "encode": dict(spelling)}
        facts = {
            "kind": "ebnf" if source is None else source.kind,
            "text": template.source if source is None else source.text,
            "root": "root" if source is None or source.kind != "ebnf" else source.root_rule_name,
            "options": arguments_to_wire(options),
            "arguments": arguments_to_wire(self.arguments),
            "slots": [[slot.scope, slot.name, slot.kind] for slot in template.slots],
            "obstacles": list(self.template.obstacles),
            "n_states": self.template.n_states,
            "compile_us": self.template.compile_us,
            "masks_us": self.masks_us,
            "instantiate_us": self.compiled.compile_us,
            "request_passes": self.request_passes,
        }
        return cast("schema.TemplateFacts", facts)


def _mapping(arguments: object) -> dict[str, object]:
    """The arguments of a request by name; none at all are an empty mapping."""
    if arguments is None:
        return {}
    if not isinstance(arguments, dict) or not all(
        isinstance(name, str) for name in cast("dict[object, object]", arguments)
    ):
        raise SessionError("arguments are a dict of the template's slots by name", hint='arguments={"id": "intro"}')
    return dict(cast("dict[str, object]", arguments))


def _require_same(template: CompiledTemplate, tokenizer_info: TokenizerInfo, options: EngineOptions | None) -> None:
    """Raise unless a template was compiled for this vocabulary, and with these options if any are given."""
    if template.tokenizer_info.vocabulary.content_hash != tokenizer_info.vocabulary.content_hash:
        raise VocabularyError(
            "the template was compiled for another vocabulary",
            hint="compile it with a GrammarCompiler of this session's tokenizer_info, or give the Template itself",
        )
    if options is not None and options != template.options:
        raise SessionError(
            "the template was compiled with other options", hint="give the Template itself, or leave options out"
        )
