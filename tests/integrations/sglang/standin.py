"""SGLang in small: what its base classes, its registry and its wrapper for models that reason do, in our words."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

from tests.integrations.standins import modules_of
from xg2lab.integrations.sglang import CONTRACT

THINK_END = "]"


def serving(**given: Any) -> Any:
    """SGLang's settings that a grammar backend reads."""
    usual = {
        "constrained_json_whitespace_pattern": None,
        "constrained_json_disable_any_whitespace": False,
        "constrained_json_max_whitespace_cnt": None,
        "reasoning_parser": None,
        "enable_strict_thinking": False,
    }
    return SimpleNamespace(**usual | given)


def modules() -> dict[str, ModuleType]:
    made = modules_of(CONTRACT)
    made["sglang"].__version__ = CONTRACT.tried
    base = made["sglang.srt.constrained.base_grammar_backend"]
    base.GRAMMAR_BACKEND_REGISTRY = {}
    base.register_grammar_backend = _like(base.register_grammar_backend, base.GRAMMAR_BACKEND_REGISTRY.__setitem__)
    choices = made["sglang.srt.arg_groups.choices"]
    choices.GRAMMAR_BACKEND_CHOICES = ["xgrammar", "none"]
    choices.add_grammar_backend_choices = choices.GRAMMAR_BACKEND_CHOICES.extend
    made["sglang.srt.runtime_context"].get_serving = serving
    made["sglang.srt.parser.reasoning_parser"].ReasoningParser = ReasoningParser
    for name, methods in (
        ("BaseGrammarObject", BaseObject),
        ("BaseGrammarBackend", BaseBackend),
        ("InvalidGrammarObject", Invalid),
    ):
        for method, function in vars(methods).items():
            if not method.startswith("__") or method == "__init__":
                setattr(getattr(base, name), method, function)
    reasoner = made["sglang.srt.constrained.reasoner_grammar_backend"].ReasonerGrammarBackend
    for method, function in vars(Reasoner).items():
        if not method.startswith("__") or method == "__init__":
            setattr(reasoner, method, function)
    return made


def _like(_: Any, function: Any) -> Any:
    def register_grammar_backend(name: str, init_func: Any) -> None:
        function(name, init_func)

    return register_grammar_backend


class BaseObject:
    def __init__(self) -> None:
        self.finished, self.grammar_stats, self.current_token = False, None, None


class BaseBackend:
    def __init__(self) -> None:
        self.cache: dict[Any, Any] = {}

    def _init_value_dispatch(self, key: tuple[str, str], require_reasoning: bool) -> Any:
        kind = {"full_assistant_ebnf": "ebnf"}.get(key[0], key[0])
        grammar = getattr(self, f"dispatch_{kind}")(key[1])
        if grammar.grammar_stats is not None:
            grammar.grammar_stats.compilation_time = 0.0
        return grammar

    def reset(self) -> None:
        self.cache.clear()


class Invalid:
    def __init__(self, error_message: str) -> None:
        self.error_message, self.grammar_stats = error_message, None


class ReasoningParser:
    def __init__(self, model_type: str, stream_reasoning: bool, tokenizer: Any) -> None:
        assert not stream_reasoning
        self.think_end = tokenizer.convert_tokens_to_ids(THINK_END)


class Reasoner:
    """Wraps what the inner backend compiles."""

    def __init__(
        self, grammar_backend: Any, reasoning_parser: Any, tokenizer: Any, enable_strict_thinking: bool = False
    ) -> None:
        assert not enable_strict_thinking or grammar_backend.is_support_token_filter
        self.grammar_backend, self.think_end = grammar_backend, reasoning_parser.think_end

    def _init_value_dispatch(self, key: tuple[str, str], require_reasoning: bool) -> Any:
        return Thinking(self.grammar_backend._init_value_dispatch(key, require_reasoning), self.think_end)


class Thinking:
    """A request of a model that thinks until it writes the token `end`."""

    def __init__(self, grammar: Any, end: int) -> None:
        self.grammar, self.end, self.is_thinking = grammar, end, True

    def accept_token(self, token: int) -> None:
        if self.is_thinking:
            self.is_thinking = token != self.end
        else:
            self.grammar.accept_token(token)

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        if not self.is_thinking:
            self.grammar.fill_vocab_mask(vocab_mask, idx)
