"""A test fixture: a model that wants a known text, and now and then something the grammar forbids.

    session = scripted_session()
    session.step(5)

The engine, the session and the views are the real ones. Only the logits are made up, from a seed, so that a browser
test sees the same figures each time and needs neither torch nor weights.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["GRAMMAR", "TARGET", "ScriptedRunner", "scripted_session", "vocabulary"]

GRAMMAR = r"""# weather tool: an object with a city, and what else is known
root   ::= "{" ws "\"city\":" ws string ("," ws pair)* ws "}"
pair   ::= string ":" ws value
value  ::= string | number | object | "true" | "null"
object ::= "{" ws (pair ("," ws pair)*)? ws "}"
string ::= "\"" char* "\""
char   ::= [^"\\\x00-\x1F] | "\\" ["\\/bfnrt]
number ::= "-"? [0-9]+ ("." [0-9]+)?
ws     ::= [ \n]*
"""
TARGET = '{"city": "Zürich", "days": {"unit": "celsius", "n": 12}}'
#: What the model wants instead, right after such a beginning: the grammar forbids each.
WISHES = {
    '{"city": ': "celsius",
    '{"city": "Zürich"': '"}}',
    '{"city": "Zürich", "days": {"unit': "\n\n",
    TARGET[:-4]: '",',
}
N_SILENT = 8  # the stop token, a special one, padding
_WORDS = (
    '{"', '":', '": ', ' "', '",', '"}', '"}}', '", "', "city", "unit", "cel", "sius", "celsius", "fahren", "heit", "Z",
    "ür", "ich", "rich", "Zür", "Bas", "el", "Paris", " Airport", "\\n", "  ", "\n\n", '"c', '"f', '":"', "} ", "},",
)  # fmt: skip
_SYLLABLES = (
    "ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu", "za", "é", "ö", "日",
    "да", "ing", "er", "st", "1", "20", "_", "-", "; ", "(", '"', "}", ", ",
)  # fmt: skip


def vocabulary(n_tokens: int, seed: int = 7) -> list[bytes]:
    """All 256 bytes, tokens of the target text, joints of JSON, made-up words, then stop, special and padding."""
    rng = random.Random(seed)
    out = [bytes([b]) for b in range(256)] + [w.encode() for w in _WORDS]
    seen = set(out)
    while len(out) < n_tokens - N_SILENT:
        syllables = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(1, 4)))
        word = (("" if rng.random() < 0.5 else " ") + syllables).encode()
        if word not in seen:
            seen.add(word)
            out.append(word)
    return out + [b"<stop>", b"<tool>"] + [b""] * (N_SILENT - 2)


class Gate(threading.Event):
    """Where forward passes wait until it is set; `reached` is set by each that comes."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.reached.set()
        return super().wait(timeout)


class ScriptedRunner:
    """What a session asks of a model.

    `delay_s` makes each forward pass take that long, `gate` makes it wait until the gate is open, `fail_at` makes one
    fail.
    """

    name, device, dtype, n_parameters = "scripted", "cpu", "float32", 0
    is_asynchronous = False
    tokenizer_info: Any = None

    def __init__(
        self,
        tokens: list[bytes],
        *,
        delay_s: float = 0.0,
        gate: threading.Event | None = None,
        seed: int = 3,
        fail_at: int | None = None,
    ) -> None:
        self.tokens, self.delay_s, self.gate, self.seed, self.fail_at = tokens, delay_s, gate, seed, fail_at
        self.vocab_size = len(tokens)
        self._ids = {t: k for k, t in reversed(list(enumerate(tokens))) if t}
        self._read: list[int] = []
        self._n_prompt = 0
        self._known: tuple[int, npt.NDArray[np.float32]] | None = None  # of so many tokens read

    def tokenizer(self, text: str) -> Any:
        """Byte tokens."""
        return SimpleNamespace(input_ids=list(text.encode()))

    def fork(self) -> ScriptedRunner:
        """A second one, at the beginning."""
        return ScriptedRunner(self.tokens, delay_s=self.delay_s, gate=self.gate, seed=self.seed, fail_at=self.fail_at)

    def reset(self) -> None:
        """Forget everything."""
        self._read, self._n_prompt, self._known = [], 0, None

    def prefill(self, token_ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """Read tokens; the first that are read at once are the prompt."""
        if not self._read:
            self._n_prompt = len(token_ids)
        if self.fail_at is not None and len(self._read) - self._n_prompt + 1 == self.fail_at and self._read:
            self.fail_at = None
            raise RuntimeError("out of memory, as the test asked")
        self._read += list(token_ids)
        time.sleep(self.delay_s)
        if self.gate is not None:
            self.gate.wait()
        return self.logits_numpy()

    def forward(self, token_id: int) -> npt.NDArray[np.float32]:
        """Read one token."""
        return self.prefill([token_id])

    def rollback(self, n_tokens: int = 1) -> None:
        """Forget the last tokens read."""
        del self._read[len(self._read) - n_tokens :]
        self._known = None

    def logits_numpy(self) -> npt.NDArray[np.float32]:
        """Those after the last token, made once."""
        if self._known is None or self._known[0] != len(self._read):
            self._known = len(self._read), self._made()
        return self._known[1]

    def _made(self) -> npt.NDArray[np.float32]:
        """Noise, the continuation of the target well above it, and at some steps a wish that the grammar forbids."""
        out = self._read[self._n_prompt :]
        rng = np.random.default_rng([self.seed, len(out)])
        logits = rng.normal(0, 1.6, self.vocab_size) - 9
        logits[-N_SILENT:] -= 3
        text, target = b"".join(self.tokens[k] for k in out), TARGET.encode()
        if text == target:
            logits[-N_SILENT] = 8
        rest = target[len(text) :] if target.startswith(text) else (b'"' if text.count(b'"') % 2 else b"}")
        for n in range(1, 10):
            if rest[:n] in self._ids:
                logits[self._ids[rest[:n]]] = 3 + 1.2 * n + rng.normal(0, 0.7)
        wish = WISHES.get(text.decode("utf-8", "replace"), "").encode()
        if wish in self._ids:
            logits[self._ids[wish]] = 9
        return logits.astype(np.float32)


def scripted_session(
    n_tokens: int = 2048,
    *,
    delay_s: float = 0.0,
    gate: threading.Event | None = None,
    fail_at: int | None = None,
    **options: Any,
) -> Any:
    """A real `Session` on the grammar above with that model."""
    import xg2lab as xgr
    from xg2lab.lab import Session

    tokens = vocabulary(n_tokens)
    stop = n_tokens - N_SILENT
    info = xgr.TokenizerInfo(tokens, vocab_size=n_tokens, stop_token_ids=[stop])
    runner = ScriptedRunner(tokens, delay_s=delay_s, gate=gate, fail_at=fail_at)
    known = {"prompt": "What is the weather in Zürich?", "name": "weather", "temperature": 0.0} | options
    return Session(GRAMMAR, info, runner, **known)
