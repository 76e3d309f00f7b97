"""llama-cpp-python's own loop with our processor and the tiny model.

python -m tests.integrations.llama_cpp.scenarios     # where llama_cpp, gguf and safetensors are; prints a line of JSON
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import xg2lab as xgr
from tests.integrations.llama_cpp.tiny_gguf import write_tiny_gguf
from tests.integrations.reporting import report
from tests.integrations.vllm.scenarios import PERSON
from xg2lab.contrib.scores import ScoresProcessor

TAG: dict[str, Any] = {
    "format": {"type": "tag", "begin": "<p>", "content": {"type": "json_schema", "json_schema": PERSON}, "end": "</p>"}
}
ASKED = "What is the weather in Oslo?"


@cache
def model() -> Any:
    """The tiny model in llama.cpp."""
    from llama_cpp import Llama

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        write_tiny_gguf(path)
        return Llama(str(path), n_ctx=512, n_threads=1, verbose=False, logits_all=True)


@cache
def tokenizer_info() -> xgr.TokenizerInfo:
    """The vocabulary, as llama.cpp says it: the bytes of each token, and the tokens that are no text."""
    llama = model()
    n_tokens = llama.n_vocab()
    vocabulary = [llama.detokenize([token], special=True) for token in range(n_tokens)]
    special = [token for token in range(n_tokens) if llama.detokenize([token]) != vocabulary[token]]
    return xgr.TokenizerInfo(vocabulary, stop_token_ids=[llama.token_eos()], special_token_ids=special)


@cache
def compiler() -> xgr.GrammarCompiler:
    return xgr.GrammarCompiler(tokenizer_info())


def person() -> xgr.CompiledGrammar:
    """Without white space between the parts, which a small model may never end."""
    return compiler().compile_json_schema(PERSON, any_whitespace=False)


def write(compiled: xgr.CompiledGrammar, prompt: str = ASKED, **options: Any) -> dict[str, Any]:
    """A completion under a grammar."""
    from llama_cpp import LogitsProcessorList

    processors = LogitsProcessorList([ScoresProcessor(compiled)])
    said = model().create_completion(prompt, logits_processor=processors, max_tokens=200, **options)
    return said["choices"][0]


def is_person(text: str) -> bool:
    value = json.loads(text)
    return set(value) == {"name", "adult"} and len(value["name"]) <= 4 and isinstance(value["adult"], bool)


def the_vocabulary_is_the_tokenizer_s() -> None:
    info, llama = tokenizer_info(), model()
    text = 'a "b": {"Öl": [1, 23]} <|im_start|>\n'
    ids = llama.tokenize(text.encode(), add_bos=False, special=True)
    assert b"".join(info.decoded_vocab[token] for token in ids) == text.encode()
    assert llama.token_eos() in info.stop_token_ids
    assert b"<|im_start|>" in {info.decoded_vocab[token] for token in info.special_token_ids}


def every_kind_of_grammar_is_written_to_its_end() -> None:
    kinds: list[tuple[xgr.CompiledGrammar, Callable[[str], bool]]] = [
        (person(), is_person),
        (compiler().compile_regex(r"[a-f]{3}-\d{2}"), lambda text: re.fullmatch(r"[a-f]{3}-\d{2}", text) is not None),
        (compiler().compile_grammar('root ::= "yes" | "no"'), lambda text: text in ("yes", "no")),
        (compiler().compile_structural_tag(TAG), lambda text: is_person(text.removeprefix("<p>").removesuffix("</p>"))),
    ]
    for compiled, is_right in kinds:
        for options in (
            {"temperature": 0.0},
            {"temperature": 1.5, "seed": 3},
            {"temperature": 1.0, "top_p": 0.5, "seed": 4},
        ):
            said = write(compiled, **options)
            assert said["finish_reason"] == "stop", (said, options)
            assert is_right(said["text"]), (said, options)


def without_a_grammar_the_model_writes_something_else() -> None:
    said = model().create_completion(ASKED, max_tokens=20, temperature=0.0)["choices"][0]
    assert said["text"] not in ("yes", "no")


def one_processor_serves_one_text_after_the_other() -> None:
    from llama_cpp import LogitsProcessorList

    processors = LogitsProcessorList([ScoresProcessor(compiler().compile_grammar('root ::= "yes" | "no"'))])
    for prompt in (ASKED, ASKED + " And in Bergen?", "Hello", ASKED):
        said = model().create_completion(prompt, logits_processor=processors, max_tokens=20)["choices"][0]
        assert said["text"] in ("yes", "no"), said


def chat_messages_and_streams() -> None:
    from llama_cpp import LogitsProcessorList

    compiled = person()
    messages = [{"role": "user", "content": ASKED}]
    said = model().create_chat_completion(
        messages, logits_processor=LogitsProcessorList([ScoresProcessor(compiled)]), max_tokens=200
    )["choices"][0]
    assert said["finish_reason"] == "stop", said
    assert is_person(said["message"]["content"])
    parts = model().create_chat_completion(
        messages, logits_processor=LogitsProcessorList([ScoresProcessor(compiled)]), max_tokens=200, stream=True
    )
    assert is_person("".join(part["choices"][0]["delta"].get("content") or "" for part in parts))


def its_scores_are_masked_as_the_matcher_says() -> None:
    """The loop by hand: evaluate, mask, choose; each mask is the matcher's own."""
    llama, compiled = model(), person()
    processor, matcher = ScoresProcessor(compiled), xgr.GrammarMatcher(compiled)
    ids = llama.tokenize(ASKED.encode(), add_bos=False)
    llama.reset()
    llama.eval(ids)
    for _ in range(60):
        scores = llama.scores[llama.n_tokens - 1]
        masked = processor(np.array(ids, np.intc), scores)
        assert np.flatnonzero(np.isfinite(masked)).tolist() == matcher.allowed_tokens()
        token = int(masked.argmax())
        ids.append(token)
        assert matcher.accept_token(token)
        if matcher.is_terminated():
            break
        llama.eval([token])
    assert matcher.is_terminated()


SCENARIOS: list[Callable[[], None]] = [
    the_vocabulary_is_the_tokenizer_s,
    every_kind_of_grammar_is_written_to_its_end,
    without_a_grammar_the_model_writes_something_else,
    one_processor_serves_one_text_after_the_other,
    chat_messages_and_streams,
    its_scores_are_masked_as_the_matcher_says,
]


def main() -> int:
    """Run all with the llama-cpp-python of this environment; 1 if one fails."""
    import llama_cpp

    return report("llama-cpp-python", llama_cpp.__version__, SCENARIOS)


if __name__ == "__main__":
    sys.exit(main())
