"""Ways from a request to a compiled grammar: a template's instance, the written-out grammar, and the grammar as text.

    template      `ready.instantiate(**arguments)`, the template compiled beforehand
    written out   `compile_grammar(template.write_out(**arguments))`, what an instance must agree with
    rules, ...    the grammar as text, in each shape that the task has: what peers take

Every engine keeps between requests what it keeps by itself: mask entries, and XGrammar's cache where that is on.
`XGrammarCached` is XGrammar with its cache, which finds parts of earlier grammars again. No way takes a whole grammar
from a cache.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import count
from typing import Any

from benchmarks.engines import Engine, LlGuidance, Xg2Lab, XGrammar
from benchmarks.templates.tasks import Request, Task
from benchmarks.texts import Vocabulary

Compile = Callable[[Request], None]  # compiles a request's grammar into the engine that it belongs to
_numbers = count()


class XGrammarCached(XGrammar):
    """XGrammar with its cache of grammars and of parts of grammars."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.name += ", cached"
        info = self.xgr.TokenizerInfo(
            vocabulary.tokens, vocab_size=len(vocabulary.tokens), stop_token_ids=[vocabulary.stop_token]
        )
        self.compiler = self.xgr.GrammarCompiler(info, max_threads=1, cache_enabled=True)


PEERS = (XGrammar, XGrammarCached, LlGuidance)


def peers(words: Vocabulary, task: str) -> list[Engine]:
    """The peers that can be imported. Where requests repeat a schema, XGrammar's cache would take the whole grammar."""
    found: list[Engine] = []
    for peer in PEERS:
        if task == "json-mode-eval" and peer is XGrammarCached:
            continue
        try:
            found.append(peer(words))
        except ImportError as error:
            print(f"left out: {peer.__name__} ({error})")
    return found


def is_ours(engine: Engine) -> bool:
    """Whether an engine is ours; XGrammar's class derives from ours, as it shares our API."""
    return isinstance(engine, Xg2Lab) and not isinstance(engine, XGrammar)


def own_options(**options: Any) -> Any:
    """Options whose pool of mask entries no earlier compiler shares: pools go by their options."""
    return import_module("xg2lab").EngineOptions(max_pool_bytes=2**29 + next(_numbers), **options)


def with_own_pool(engine: Xg2Lab, **options: Any) -> None:
    """Give our engine a compiler that shares no mask entries with earlier ones."""
    own = own_options(**options)
    engine.compiler = engine.xgr.GrammarCompiler(engine.compiler.tokenizer_info, options=own, cache_enabled=False)


def template_of(task: Task) -> Any | None:
    """The task's template; None where templates of its kind can't be made."""
    template: Any = import_module("xg2lab").Template
    if isinstance(task.template, str):
        return template.from_ebnf(task.template)
    return template.from_json_schema(task.template) if hasattr(template, "from_json_schema") else None


def written_out(engine: Any, task: Task) -> Compile | None:
    """The way that compiles the written-out grammar."""
    template = template_of(task)
    if template is None:
        return None

    def compile_it(request: Request) -> None:
        engine.compiled = engine.compiler.compile_grammar(template.write_out(**request.arguments))

    return compile_it


def instances(engine: Any, task: Task) -> Compile | None:
    """The way of instances: compiles the template, offline. None where the engine has no such instances."""
    template = template_of(task)
    if template is None or not can_link(engine):
        return None
    ready = engine.compiler.compile_template(template)

    def compile_it(request: Request) -> None:
        engine.compiled = ready.instantiate(**request.arguments)

    return compile_it


def can_link(engine: Any) -> bool:
    """Whether the engine compiles templates."""
    return hasattr(engine.compiler, "compile_template")


def as_text(engine: Any, shape: str) -> Compile:
    """The way of a text in one shape. Unlike `engine.compile`, it keeps what earlier requests left."""

    def compile_it(request: Request) -> None:
        grammar = request.grammars[shape]
        if isinstance(grammar, dict):
            engine.compile_schema(grammar)
        elif isinstance(engine, LlGuidance):
            engine.compile(grammar)
        else:
            engine.compiled = engine.compiler.compile_grammar(grammar.ebnf)

    return compile_it
