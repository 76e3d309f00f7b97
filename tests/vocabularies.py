"""Real vocabularies for tests: those of installed packages and those in the data folder, or a skip that says why.

The data folder is `$XG2LAB_DATA`, else `../shared/data` beside the repository; its `.cwv.xz` files hold, after xz:
"CWV1", u32 n, u32 k, i32 bos, i32 eos[k], u8 special[n], u16 length[n], then the n token byte strings.
"""

from __future__ import annotations

import base64
import importlib.util
import lzma
import os
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from xg2lab.tokenizer_info import TokenizerInfo

DATA = Path(os.environ.get("XG2LAB_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

CWV_NAMES = [
    "cl100k-100277",
    "gemma4-262144",
    "mistral_spm_v1-32000",
    "mistral_spm_v3-32768",
    "o200k_harmony-201088",
    "qwen3-151936",
    "tekken-131072",
]

#: What tokens must be able to spell: languages, scripts, emoji, code, white space, control
#: characters.
SAMPLE_TEXTS = {
    "english": "It was the best of times, it was the worst of times — 1,234.56 times.",
    "german": "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.",
    "greek_russian": "Ξεσκεπάζω τὴν ψυχοφθόρα βδελυγμία. Съешь ещё этих мягких французских булок.",
    "cjk": "素早い茶色の狐がのろまな犬を飛び越える。我能吞下玻璃而不伤身体。키스의 고유조건은",
    "arabic_hindi_thai": "نص حكيم له سر قاطع  ऋषियों को सताने वाले  นายสังฆภัณฑ์ เฮงพิทักษ์ฝั่ง",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇭 👍🏽 ☃️ a\u0301e\u0301",
    "code": 'def f(x):\n\tif x["a"] >= 1:\n\t\treturn {"k": [1, 2.5e-3, None]}  # ))))}\n\n\n',
    "white_space": "  a \t b\n\n \r\n  c\u00a0d\u3000e   ",
    "json": '{"name": "get_weather", "arguments": {"city": "Zürich", "days": [1, 2], "unit": null}}',
}


@dataclass(frozen=True)
class CwvVocabulary:
    tokens: list[bytes]
    special: list[int]
    bos: int | None
    eos: list[int]


@cache
def read_cwv(name: str) -> CwvVocabulary:
    path = DATA / "vocabs" / f"{name}.cwv.xz"
    if not path.exists():
        pytest.skip(f"no vocabulary {name}: {path} is not there (set XG2LAB_DATA to the data folder)")
    data = lzma.decompress(path.read_bytes())
    magic, n, k, bos = struct.unpack_from("<4sIIi", data)
    assert magic == b"CWV1"
    at = 16
    eos = list(struct.unpack_from(f"<{k}i", data, at))
    at += 4 * k
    special = [token_id for token_id in range(n) if data[at + token_id]]
    at += n
    lengths = struct.unpack_from(f"<{n}H", data, at)
    at += 2 * n
    tokens = []
    for length in lengths:
        tokens.append(data[at : at + length])
        at += length
    assert at == len(data)
    return CwvVocabulary(tokens, special, None if bos < 0 else bos, eos)


@cache
def cwv_info(name: str) -> TokenizerInfo:
    """The TokenizerInfo of a vocabulary in the data folder; skips where there is none."""
    vocabulary = read_cwv(name)
    return TokenizerInfo(vocabulary.tokens, stop_token_ids=vocabulary.eos, special_token_ids=vocabulary.special)


def package_file(package: str, *parts: str) -> Path:
    """A file inside an installed package, found without importing it; skips where it is absent."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"package {package} is not installed")
    path = Path(spec.origin).parent.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"package {package} has no {'/'.join(parts)}")
    return path


@cache
def llama3_encoding():
    """Llama 3's tokenizer as a tiktoken encoding, read from the package llama-models."""
    tiktoken = pytest.importorskip("tiktoken")
    path = package_file("llama_models", "llama3", "tokenizer.model")
    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|eom_id|>", "<|eot_id|>"]
    names += [f"<|reserved_special_token_{i}|>" for i in range(256 - len(names))]
    return tiktoken.Encoding(
        "llama3",
        pat_str=r"\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]+|\s+",
        mergeable_ranks=ranks,
        special_tokens={name: len(ranks) + i for i, name in enumerate(names)},
    )


@cache
def mistral_tokenizer(file_name: str):
    """A tokenizer out of mistral-common's own data files."""
    mistral = pytest.importorskip("mistral_common.tokens.tokenizers.mistral")
    path = package_file("mistral_common", "data", file_name)
    return mistral.MistralTokenizer.from_file(str(path))
