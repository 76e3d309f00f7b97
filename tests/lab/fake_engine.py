"""A stand-in engine whose language is a finite set of byte strings: enough to test a session against definitions."""

from __future__ import annotations

from typing import Any

import numpy as np


class FakeInfo:
    def __init__(self, vocab: list[bytes], stop_token_ids: list[int]) -> None:
        self.decoded_vocab, self.stop_token_ids, self.special_token_ids = vocab, stop_token_ids, []
        self.vocab_size = len(vocab)


class FakeCompiled:
    compile_us = 1.0

    def __init__(self, words: str, info: FakeInfo) -> None:
        self.words = [w.strip().strip('"').encode() for w in words.removeprefix("root ::=").split("|")]
        self.tokenizer_info = info
        self.grammar = type("G", (), {"source": words, "root": "root"})()

    def program(self) -> dict[str, Any]:
        rule = {"id": 0, "name": "root", "span": [0, 1], "line": 1, "start": 0, "states": [0, 1], "nullable": False}
        return {"rules": [rule], "states": [{"id": 0, "rule": 0}], "edges": []}


class FakeCompiler:
    def __init__(self, info: FakeInfo, **_: Any) -> None:
        self.info = info

    def compile_grammar(self, words: str) -> FakeCompiled:
        return FakeCompiled(words, self.info)


class FakeMatcher:
    def __init__(self, compiled: FakeCompiled) -> None:
        self.c, self.out = compiled, []

    @property
    def data(self) -> bytes:
        return b"".join(self.c.tokenizer_info.decoded_vocab[t] for t in self.out if t not in self.stops)

    @property
    def stops(self) -> list[int]:
        return self.c.tokenizer_info.stop_token_ids

    def _ok(self, t: int) -> bool:
        if self.is_terminated():
            return False
        if t in self.stops:
            return self.data in self.c.words
        return any(w.startswith(self.data + self.c.tokenizer_info.decoded_vocab[t]) for w in self.c.words)

    def accept_token(self, t: int) -> bool:
        ok = self._ok(t)
        if ok:
            self.out.append(t)
        return ok

    def rollback(self, n: int = 1) -> None:
        assert n <= len(self.out)
        self.out = self.out[: len(self.out) - n]

    def fork(self) -> FakeMatcher:
        m = FakeMatcher(self.c)
        m.out = list(self.out)
        return m

    def reset(self) -> None:
        self.out = []

    def is_terminated(self) -> bool:
        return bool(self.out) and self.out[-1] in self.stops

    def is_completed(self) -> bool:
        return self.data in self.c.words

    def fill_next_token_bitmask(self, mask: Any, index: int = 0) -> bool:
        bits = np.array([self._ok(t) for t in range(self.c.tokenizer_info.vocab_size)])
        bits = np.pad(bits, (0, -len(bits) % 32))
        mask[index] = np.packbits(bits, bitorder="little").view(np.int32)
        return True

    def find_jump_forward_string(self) -> str:
        rest = [w[len(self.data) :] for w in self.c.words if w.startswith(self.data)]
        n = 0
        while all(len(r) > n and r[n] == rest[0][n] for r in rest):
            n += 1
        return rest[0][:n].decode(errors="ignore")

    def provenance(self) -> bytes:
        return bytes(
            (5 if self._ok(t) else 6) if t in self.stops else int(self._ok(t))
            for t in range(self.c.tokenizer_info.vocab_size)
        )

    def mask_entries(self) -> list[dict[str, Any]]:
        return [{"state": 0, "rule": 0, "storage": "bitset"}]

    def last_fill(self) -> dict[str, Any]:
        return {"cache": "miss", "n_built": 1, "n_checked": 0, "us": 1.5}

    def live_items(self) -> list[dict[str, Any]]:
        return [{"state": 0, "rule": 0, "origin": 0}]

    def chart(self, first_byte: int = 0) -> dict[str, Any]:
        n = len(self.data)
        return {"first": first_byte, "n_bytes": n, "columns": [[[0, 0, 2, -1, -1, -1, -1]]] * (n + 1 - first_byte)}

    def explain(self, token_id: int | None = None, data: bytes | None = None) -> dict[str, Any]:
        if token_id is not None:
            data, ok = self.c.tokenizer_info.decoded_vocab[token_id], self._ok(token_id)
        else:
            ok = any(w.startswith(self.data + data) for w in self.c.words)
        died = next(
            (i for i in range(len(data)) if not any(w.startswith(self.data + data[: i + 1]) for w in self.c.words)),
            None,
        )
        return {
            "token_id": token_id,
            "allowed": ok,
            "mechanism": "accepted_by_cache" if ok else "rejected_by_cache",
            "reason": "so it is",
            "died_at": died,
            "expected_text": "x",
            "expected_by": [],
        }
