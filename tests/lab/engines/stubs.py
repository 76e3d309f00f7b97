"""Engines of the tests' own: one that is right, and one for each way to be wrong."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np

from xg2lab.lab.engines import EngineSource


class Literal:
    """Allows one text, the grammar's own, token by token, and then the end. It can neither roll back nor fork."""

    name, version = "literal", "1.0"

    def compile(self, source: EngineSource, info: Any) -> None:
        if source.kind != "regex":
            raise ValueError(f"no {source.kind} here")
        self.info, self.text, self.at = info, source.text.encode(), 0

    def next_ids(self) -> set[int]:
        stops = {*self.info.stop_token_ids}
        if self.at == len(self.text):
            return stops
        rest = self.text[self.at :]
        return {
            k for k, data in enumerate(self.info.decoded_vocab) if data and k not in stops and rest.startswith(data)
        }

    def fill(self, row: Any) -> None:
        words = row.view(np.uint32)
        for k in self.next_ids():
            words[k // 32] |= np.uint32(1 << (k % 32))

    def accept(self, token_id: int) -> bool:
        if token_id not in self.next_ids():
            return False
        self.at = -1 if token_id in self.info.stop_token_ids else self.at + len(self.info.decoded_vocab[token_id])
        return True

    def rollback(self, n_tokens: int) -> None:
        raise NotImplementedError

    def fork(self) -> Any:
        raise NotImplementedError


class Permissive(Literal):
    """Allows every token always; its mask and its accept agree."""

    name = "permissive"

    def compile(self, source: EngineSource, info: Any) -> None:
        self.info = info

    def next_ids(self) -> set[int]:
        return set(range(len(self.info.decoded_vocab)))

    def accept(self, token_id: int) -> bool:
        return True


class Lying(Literal):
    """Its mask allows the first token always, and its accept does not."""

    name = "lying"

    def fill(self, row: Any) -> None:
        super().fill(row)
        row.view(np.uint32)[0] |= np.uint32(1)


class Forgetful(Literal):
    """Its rollback goes back to the beginning, however many tokens it is asked for."""

    name = "forgetful"

    def rollback(self, n_tokens: int) -> None:
        self.at = 0

    def fork(self) -> Any:
        other = Forgetful()
        other.__dict__.update(self.__dict__)
        return other


class Crashing(Literal):
    """Ends its process at the second token."""

    name = "crashing"

    def accept(self, token_id: int) -> bool:
        if self.at == 1:
            os.kill(os.getpid(), signal.SIGABRT)
        return super().accept(token_id)


class Hanging(Literal):
    """Never comes back from its first mask."""

    name = "hanging"

    def fill(self, row: Any) -> None:
        while True:
            time.sleep(1)


class Greedy(Literal):
    """Asks for more memory than a worker has."""

    name = "greedy"

    def compile(self, source: EngineSource, info: Any) -> None:
        self.held = bytearray(64 << 30)


class Printing(Literal):
    """Prints while it works, which must not end in the answers."""

    name = "printing"

    def fill(self, row: Any) -> None:
        print("a mask!", flush=True)
        os.write(1, b"straight to the descriptor\n")
        super().fill(row)


class NoEngine:
    """Lacks the methods."""

    name, version = "none", ""
