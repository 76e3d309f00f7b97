"""The parts of a session: the compiled grammar, the model, and the facts in a trace's header.

See also `xg2lab.lab.session.session`, the only caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xg2lab.compiler import CompiledTemplate
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.lab.model.chat import chat_prompt, checked_messages
from xg2lab.lab.model.runner import Runner, checked_runner
from xg2lab.lab.session.instances import Instance
from xg2lab.lab.trace.costs import Passes, compile_timed
from xg2lab.support.arguments import unicode_text
from xg2lab.support.interruptible import interruptible
from xg2lab.template import Template
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.grammar import Grammar
    from xg2lab.lab import schema
    from xg2lab.lab.engines.foreign_matcher import ForeignMatcher
    from xg2lab.lab.engines.protocol import Engine
    from xg2lab.options import EngineOptions

__all__ = [
    "Made",
    "Read",
    "compiled_grammar",
    "foreign_matcher",
    "header_facts",
    "own_runner",
    "read_by",
    "tokenizer_info_for",
]


def own_runner(model: Runner | str | Path | None) -> Runner | None:
    """A runner that no one else reads with: a fork of the one given, or one loaded by name. None stays None.

    Raises `ArgumentTypeError` for what is none of these, and `ModelLoadError`.
    """
    if model is None:
        return None
    if isinstance(model, str | Path):
        from xg2lab.lab.model.model_runner import ModelRunner

        return ModelRunner.load(model)
    return checked_runner(checked_runner(model).fork())


class Read(NamedTuple):
    """What a model reads before the output: the text, and the messages that it was made of, if it was."""

    prompt: str
    messages: list[schema.ChatMessage] | None = None


def read_by(runner: Runner | None, prompt: str, messages: Sequence[Mapping[str, str]] | None) -> Read:
    """What the model is to read, of a prompt or of messages. Raises `ArgumentError` if both are given."""
    if messages is None:
        return Read(unicode_text(prompt, "prompt"))
    if prompt:
        raise ArgumentError("prompt and messages were given", hint="the chat template makes the prompt of the messages")
    checked = checked_messages(messages)
    return Read(chat_prompt(runner, checked), checked)


def tokenizer_info_for(grammar: object, runner: Runner | None) -> TokenizerInfo:
    """The vocabulary when none was given: the compiled grammar's or template's own, or the model's."""
    import xg2lab

    if isinstance(grammar, xg2lab.CompiledGrammar | xg2lab.CompiledTemplate):
        return grammar.tokenizer_info
    info = None if runner is None else runner.tokenizer_info
    if info is None:
        whose = "without a model" if runner is None else f"with {runner.name}, which has no tokenizer_info of its own,"
        raise SessionError(
            f"a session {whose} needs a vocabulary", hint="pass tokenizer_info=TokenizerInfo([b'...', ...])"
        )
    return info


@dataclass(frozen=True)
class Made:
    """A session's grammar, compiled: `passes` timed, None if it came compiled; `instance` if it is a template's."""

    compiled: CompiledGrammar
    passes: Passes | None = None
    instance: Instance | None = None


def compiled_grammar(
    grammar: str | Grammar | CompiledGrammar | Template | CompiledTemplate,
    tokenizer_info: TokenizerInfo,
    options: EngineOptions | None,
    arguments: Mapping[str, object] | None = None,
) -> Made:
    """`grammar` compiled for this vocabulary; of a template, its instance with these arguments.

    Raises `SessionError` for arguments of a grammar that has no slots.
    """
    import xg2lab

    if isinstance(grammar, Template | CompiledTemplate) or (isinstance(grammar, str) and arguments is not None):
        instance = Instance.of(grammar, arguments, tokenizer_info, options)
        return Made(instance.compiled, instance.passes, instance)
    if arguments is not None:
        raise SessionError(
            f"a {type(grammar).__name__} takes no arguments", hint="give a Template, a CompiledTemplate or its text"
        )
    if isinstance(grammar, xg2lab.CompiledGrammar):
        whole = grammar.whole()
        return Made(whole, None, Instance.from_compiled(whole))
    compiler = xg2lab.GrammarCompiler(tokenizer_info, options=options or xg2lab.EngineOptions())
    return Made(*interruptible(lambda: compile_timed(compiler, grammar)))


def foreign_matcher(engine: str | Engine, compiled: CompiledGrammar, info: TokenizerInfo) -> ForeignMatcher:
    """Another engine, with the session's grammar. Raises `EngineError` if it is missing, or refuses the grammar."""
    from xg2lab.lab.engines.auditing_engines import source_of
    from xg2lab.lab.engines.foreign_matcher import ForeignMatcher
    from xg2lab.lab.engines.worker import Worker

    worker = Worker(engine, info)
    try:
        worker.compile(source_of(compiled.grammar))
    except BaseException:
        worker.close()
        raise
    return ForeignMatcher(worker)


def header_facts(made: Made, tokenizer_info: TokenizerInfo, runner: Runner | None) -> schema.HeaderFacts:
    """The header's fields that the engine and the model know."""
    compiled, instance = made.compiled, made.instance
    model: schema.ModelFacts | None = None
    if runner is not None:
        model = {
            "name": str(runner.name),
            "device": str(runner.device),
            "dtype": str(runner.dtype).removeprefix("torch."),
            "n_parameters": int(runner.n_parameters),
        }
    return {
        "model": model,
        "vocab_size": tokenizer_info.vocab_size,
        "grammar": _grammar_facts(compiled, instance),
        "template": None if instance is None else instance.facts(),
        "options": asdict(compiled.options),
        "compile_us": compiled.compile_us,
        "compile_passes": made.passes,
    }


def _grammar_facts(compiled: CompiledGrammar, instance: Instance | None) -> schema.GrammarFacts:
    """The text that all spans point into, and the root; the EBNF too where the text is that of an unknown template."""
    if instance is not None:  # its `grammar` is written out on first use
        return {"text": instance.template.template.source, "root": instance.facts()["root"]}
    grammar = compiled.grammar
    facts: schema.GrammarFacts = {"text": grammar.source, "root": grammar.root_rule_name}
    if grammar.source_name == "template":
        facts["written_out"] = str(grammar)
    return facts
