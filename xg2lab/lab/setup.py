"""What a session is made of: the user's grammar compiled, the model at hand, and the facts a trace's header tells.

See also `xg2lab.lab.session`, the only caller.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from xg2lab.errors import SessionError
from xg2lab.lab.costs import compile_timed
from xg2lab.lab.interruptible import interruptible

__all__ = ["compiled_grammar", "header_facts", "own_runner", "tokenizer_info_for"]


def own_runner(model: Any) -> Any:
    """A runner that no one else reads with: a fork of the one given, or one loaded by name. None stays None."""
    if model is None:
        return None
    if isinstance(model, str | Path):
        from xg2lab.lab.model_runner import ModelRunner

        return ModelRunner.load(model)
    return model.fork()


def tokenizer_info_for(grammar: Any, runner: Any) -> Any:
    """The vocabulary when none was given: the compiled grammar's own, or the model's."""
    import xg2lab

    if isinstance(grammar, xg2lab.CompiledGrammar):
        return grammar.tokenizer_info
    if runner is None:
        raise SessionError(
            "a session without a model needs a vocabulary", hint="pass tokenizer_info=TokenizerInfo([b'...', ...])"
        )
    stop_token_ids = runner.eos_token_ids or None
    return xg2lab.TokenizerInfo.from_huggingface(
        runner.tokenizer, vocab_size=runner.vocab_size, stop_token_ids=stop_token_ids
    )


def compiled_grammar(grammar: Any, tokenizer_info: Any, options: Any) -> tuple[Any, list[list[Any]] | None]:
    """`grammar` as a `CompiledGrammar` for this vocabulary, and its passes, timed; None if it came compiled."""
    import xg2lab

    if isinstance(grammar, xg2lab.CompiledGrammar):
        return grammar, None
    known = {} if options is None else {"options": options}
    compiler = xg2lab.GrammarCompiler(tokenizer_info, **known)
    return interruptible(lambda: compile_timed(compiler, grammar))


def header_facts(compiled: Any, passes: Any, tokenizer_info: Any, runner: Any) -> dict[str, Any]:
    """The header's fields that the engine and the model know."""
    model = None
    if runner is not None:
        model = {
            "name": str(runner.name),
            "device": str(runner.device),
            "dtype": str(runner.dtype).removeprefix("torch."),
            "n_parameters": sum(int(p.numel()) for p in runner.model.parameters()),
        }
    return {
        "model": model,
        "vocab_size": tokenizer_info.vocab_size,
        "grammar": {"text": compiled.grammar.source, "root": compiled.grammar.root_rule_name},
        "options": asdict(compiled.options),
        "compile_us": compiled.compile_us,
        "compile_passes": passes,
    }
