"""What is measured on: the guide's JSON grammar, a seeded JSON text, and the Llama-3 vocabulary.

The vocabulary comes from the package `llama-models` at run time; where it is missing, `mistral-common`'s tekken stands
in, and every row says which one it was.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(os.environ.get("XG2LAB_DATA") or Path(__file__).parents[1].parent / "shared" / "data")

JSON_EBNF = r"""
root ::= basic_array | basic_object
basic_any ::= basic_number | basic_string | basic_boolean | basic_null | basic_array | basic_object
basic_integer ::= ("0" | "-"? [1-9] [0-9]*) ".0"?
basic_number ::= ("0" | "-"? [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
basic_string ::= "\"" basic_string_content "\""
basic_string_content ::= "" | [^"\\] basic_string_content | "\\" escape basic_string_content
escape ::= ["\\/bfnrt] | "u" [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9]
basic_boolean ::= "true" | "false"
basic_null ::= "null"
basic_array ::= "[" ws (basic_any (ws "," ws basic_any)*)? ws "]"
basic_object ::= "{" ws (basic_string ws ":" ws basic_any (ws "," ws basic_string ws ":" ws basic_any)*)? ws "}"
ws ::= [ \n\t]*
"""

# The same language for llguidance, which reads Lark: recursive rules over regular terminals.
JSON_LARK = r"""
start: array | object
value: NUMBER | STRING | "true" | "false" | "null" | array | object
array: "[" WS (value (WS "," WS value)*)? WS "]"
object: "{" WS (STRING WS ":" WS value (WS "," WS STRING WS ":" WS value)*)? WS "}"
NUMBER: /(0|-?[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
STRING: /"([^"\\]|\\(["\\\/bfnrt]|u[A-Fa-f0-9]{4}))*"/
WS: /[ \n\t]*/
"""


class Source(NamedTuple):
    """One language, written for either kind of engine."""

    ebnf: str
    lark: str


JSON = Source(JSON_EBNF, JSON_LARK)

_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True)
class Vocabulary:
    """Token byte strings by id, the stop token, how many come before the special ones, and what writes text in them."""

    name: str
    tokens: list[bytes]
    stop_token: int
    n_text: int
    encoding: Any


def vocabulary() -> Vocabulary:
    """Llama-3's 128,256 tokens, or tekken's 131,072 where `llama-models` is not installed."""
    import tiktoken

    found = importlib.util.find_spec("llama_models")
    path = (
        Path(found.submodule_search_locations[0]) / "llama3" / "tokenizer.model"
        if found and found.submodule_search_locations
        else None
    )
    if path is not None and path.exists():
        ranks = {b64decode(a): int(b) for a, b in (line.split() for line in path.read_bytes().splitlines() if line)}
        name, n_special, stop = "llama3-128256", 256, len(ranks) + 1
    else:
        ranks, name = _tekken_ranks(), "tekken"
        n_special, stop = 1000, len(ranks) + 2
    special = {f"<|special_{i}|>": len(ranks) + i for i in range(n_special)}
    encoding = tiktoken.Encoding(name, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=special)
    tokens = [b""] * (len(ranks) + n_special)
    for data, rank in ranks.items():
        tokens[rank] = data
    for text, token in special.items():
        tokens[token] = text.encode()
    return Vocabulary(name, tokens, stop, len(ranks), encoding)


class LongestMatch:
    """Cuts text into the longest token that fits, again and again: any vocabulary that has all bytes can be used so."""

    def __init__(self, tokens: list[bytes]) -> None:
        self._ids = {data: token for token, data in reversed(list(enumerate(tokens))) if data}
        self._longest = min(64, max(map(len, self._ids)))

    def encode_ordinary(self, text: str) -> list[int]:
        data, at, ids = text.encode(), 0, list[int]()
        while at < len(data):
            size = next(
                n for n in range(self._longest, 0, -1) if data[at : at + n] in self._ids and at + n <= len(data)
            )
            ids.append(self._ids[data[at : at + size]])
            at += size
        return ids


def byte_vocabulary() -> Vocabulary:
    """A token for each byte, and a stop token: for what is about languages and not about times."""
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={"</s>": 256})
    return Vocabulary("bytes", [*ranks, b"</s>"], 256, 256, encoding)


def _tekken_ranks() -> dict[bytes, int]:
    found = importlib.util.find_spec("mistral_common")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("benchmarks need a vocabulary: pip install llama-models (or mistral-common)")
    data = json.loads((Path(found.submodule_search_locations[0]) / "data" / "tekken_240911.json").read_text())
    entries = data["vocab"][: data["config"]["default_vocab_size"] - data["config"]["default_num_special_tokens"]]
    return {b64decode(entry["token_bytes"]): i for i, entry in enumerate(entries)}


def tokens_of(words: Vocabulary, text: str) -> tuple[list[int], int]:
    """A text's tokens, and how many bytes it has."""
    return words.encoding.encode_ordinary(text), len(text.encode())


def json_text(n_bytes: int, seed: int = 1) -> str:
    """A JSON array of random objects, at least `n_bytes` long: nested, with numbers, escapes and non-ASCII text."""
    rng = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta", "the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"]
    words += ["café", "日本", "naïve", 'say"so', "tab\there"]

    def value(depth: int) -> object:
        draw = rng.random()
        if depth > 3 or draw < 0.35:
            return " ".join(rng.choices(words, k=rng.randint(1, 8)))
        if draw < 0.6:
            return rng.choice([rng.randint(-1000, 100000), rng.random() * 100, True, False, None])
        if draw < 0.8:
            return [value(depth + 1) for _ in range(rng.randint(0, 5))]
        return {rng.choice(words) + str(rng.randint(0, 99)): value(depth + 1) for _ in range(rng.randint(1, 6))}

    parts: list[str] = []
    size = 0
    while size < n_bytes:
        parts.append(json.dumps({rng.choice(words): value(0) for _ in range(5)}, ensure_ascii=False))
        size += len(parts[-1].encode()) + 2
    return "[" + ", ".join(parts) + "]"
