r"""What is done with one engine: replays, questions to accept, completions. The same here and in a worker's process.

>>> from xg2lab import TokenizerInfo
>>> from xg2lab.lab.engines.ours import OurEngine
>>> host = Host(OurEngine())
>>> host.vocabulary(vocabulary_of(TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])))
>>> _ = host.compile(("regex", "ab?", {}, "root"))
>>> replay = host.replay([0, 1])
>>> [np.frombuffer(row, np.int32).tolist() for row in replay["rows"]], replay["taken"]
([[1], [6], [4]], [True, True])
>>> host.accepts([0], [0, 1, 2]), host.complete([], [])
([False, True, True], [0])

IDEA
  Every method takes and returns plain values, so a call can cross to another process (`xg2lab.lab.engines.worker`). The
  loops are here, beside the engine: a call is a replay or a thousand questions, never one mask.

  A sequence begins as a fork of the compiled engine. An engine that can't fork is compiled again, and one that can't
  roll back begins again and accepts the tokens that remain.

COST    A mask and an accept a token for a replay; an accept and a rollback for each question.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np

from xg2lab.lab.engines.protocol import Engine, EngineSource, Row
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Cancelled", "Host", "Replay", "Vocabulary", "vocabulary_of"]

#: A vocabulary as plain values: tokens, size, stop ids, special ids.
Vocabulary = tuple[list[bytes], int, list[int], list[int]]

MOST_NODES = 4000  # that a search for a completion visits
MOST_DEPTH = 400  # tokens of a completion
MOST_WAYS = 24  # tokens that are tried at a node
_TURN = 6  # uses of a token before others have their turn


class Cancelled(Exception):  # noqa: N818 (no error: its caller asked for it)
    """A call that was given up because whoever asked for it no longer wants the answer."""


class Replay(TypedDict):
    """A replay: for each step its bitmask as bytes and the microseconds of `fill`; for each token whether it was taken.

    There is a mask before each token, and one after the last unless the output has ended. `why`: the error that ended
    the replay early; "" if there was none.
    """

    rows: list[bytes]
    us: list[float]
    taken: list[bool]
    why: str


def vocabulary_of(info: TokenizerInfo) -> Vocabulary:
    """A vocabulary as plain values."""
    return info.decoded_vocab, info.vocab_size, list(info.stop_token_ids), list(info.special_token_ids)


class Host:
    """One engine, a vocabulary, and the grammar that was compiled last."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        #: asked between tokens; True raises `Cancelled`. In a process of its own, the process is ended instead.
        self.is_cancelled: Callable[[], bool] = lambda: False
        self._info: TokenizerInfo | None = None
        self._source: EngineSource | None = None
        self._begun: Engine | None = None  # stands at the beginning, and stays there
        self._standing: tuple[Engine | None, list[int]] = None, []  # where `mask_after` left one

    @property
    def info(self) -> TokenizerInfo:
        """The vocabulary in force."""
        assert self._info is not None, "vocabulary comes first"
        return self._info

    def facts(self) -> tuple[str, str]:
        """The engine's name and version."""
        return str(self.engine.name), str(self.engine.version)

    def vocabulary(self, plain: Vocabulary) -> None:
        """Change the vocabulary."""
        tokens, size, stops, special = plain
        self.use(TokenizerInfo(tokens, vocab_size=size, stop_token_ids=stops, special_token_ids=special))

    def use(self, info: TokenizerInfo) -> None:
        """Change the vocabulary to one that is here already."""
        self._info, self._begun = info, None
        self._silent = {*info.stop_token_ids, *info.special_token_ids}
        self._order: list[int] | None = None

    def compile(self, plain: tuple[str, str, dict[str, Any], str]) -> float:
        """Compile a grammar; returns microseconds. Raises what the engine raises."""
        self._source, self._standing = EngineSource.from_plain(plain), (None, [])
        begun = time.perf_counter()
        self.engine.compile(self._source, self.info)
        us = (time.perf_counter() - begun) * 1e6
        self._begun = self.engine
        return us

    def replay(self, tokens: Sequence[int], *, keep: bool = True) -> Replay:
        """The mask before each token, as far as the engine follows, and after the last if the output may go on.

        Without `keep` the masks are made, and only their times are returned.
        """
        rows: list[bytes] = []
        us: list[float] = []
        taken: list[bool] = []
        why = ""
        stops = {*self.info.stop_token_ids}
        try:
            engine = self._begin()
            for token_id in (*tokens, None):
                self._look()
                row = self._row()
                begun = time.perf_counter()
                engine.fill(row)
                us.append((time.perf_counter() - begun) * 1e6)
                if keep:
                    rows.append(row.tobytes())
                if token_id is None:
                    break
                taken.append(bool(engine.accept(token_id)))
                if not taken[-1] or token_id in stops:
                    break
        except Cancelled:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a stranger's code raises is a result)
            why = f"{type(error).__name__}: {error}"
        return {"rows": rows, "us": us, "taken": taken, "why": why}

    def mask_after(self, tokens: Sequence[int]) -> tuple[bytes, float] | None:
        """The mask after tokens, and its microseconds; None where the engine refuses them.

        The engine stays where it stands, so tokens that go on from there cost one accept each.
        """
        engine = self._stand(tokens)
        if engine is None:
            return None
        known = self._standing[1]
        row = self._row()
        if not known or known[-1] not in self.info.stop_token_ids:
            begun = time.perf_counter()
            engine.fill(row)
            return row.tobytes(), (time.perf_counter() - begun) * 1e6
        return row.tobytes(), 0.0

    def accepts(self, tokens: Sequence[int], ids: Sequence[int]) -> list[bool]:
        """Whether `accept` takes each of some tokens after `tokens`. All False where these are refused themselves.

        Each question is asked of a fork, so that an engine whose rollback is wrong is not blamed for its accept.
        """
        base = self._stand(tokens)
        if base is None:
            return [False] * len(ids)
        answers: list[bool] = []
        probe: Engine | None = None
        for token_id in ids:
            self._look()
            if probe is None:
                probe = self._fork_of(base, tokens)
            taken = bool(probe.accept(token_id))
            answers.append(taken)
            if taken:
                probe = None
        return answers

    def rollback_differs(self, tokens: Sequence[int]) -> list[int]:
        """The steps at which the mask after accepting a token and taking it back is not the mask before.

        Empty for an engine that has no rollback.
        """
        engine = self._begin()
        self._standing = None, []
        found: list[int] = []
        for step, token_id in enumerate(tokens):
            before = self._row()
            engine.fill(before)
            if not engine.accept(token_id):
                break
            try:
                engine.rollback(1)
            except NotImplementedError:
                return []
            after = self._row()
            engine.fill(after)
            if not np.array_equal(before, after):
                found.append(step)
            if not engine.accept(token_id):
                found.append(step)
                break
        return list(dict.fromkeys(found))

    def takes(self, tokens: Sequence[int]) -> int:
        """How many of the tokens are accepted from the beginning."""
        engine = self._begin()
        for n, token_id in enumerate(tokens):
            if not engine.accept(token_id):
                return n
        return len(tokens)

    def complete(self, tokens: Sequence[int], preferred: Sequence[str]) -> list[int] | None:
        """A continuation after which the output may end, through the engine's own masks; None if none was found.

        Depth first, likely ends of JSON first. `preferred`: texts of tokens to try before all others.
        """
        engine = self._after(tokens)
        if engine is None:
            return None
        order = self._tried_first([one.encode() for one in preferred])
        stops = {*self.info.stop_token_ids}
        path: list[int] = []
        waiting: list[list[int]] = []
        went_back = False
        for _ in range(MOST_NODES):
            self._look()
            allowed = self._allowed(engine)
            if stops & allowed:
                return path
            ways = self._ways(allowed, order, path) if len(path) < MOST_DEPTH else []
            waiting.append(ways[::-1])
            while True:
                while waiting and not waiting[-1]:
                    waiting.pop()
                    went_back = True
                    if path:
                        path.pop()
                if not waiting:
                    return None
                token_id = waiting[-1].pop()
                if went_back:
                    again = self._after([*tokens, *path])
                    if again is None:
                        return None
                    engine, went_back = again, False
                if engine.accept(token_id):
                    path.append(token_id)
                    break
        return None

    def judge(self, plain: tuple[str, str, dict[str, Any], str], text: bytes) -> tuple[bool | None, str]:
        """Whether a text is valid by its grammar's own definition, and why: see `judging`."""
        from xg2lab.lab.engines.judging import judge_instance

        judged = judge_instance(EngineSource.from_plain(plain), text)
        return judged.is_valid, judged.why

    @staticmethod
    def _ways(allowed: set[int], order: Sequence[int], path: list[int]) -> list[int]:
        """The tokens to try next, the likeliest first. One that came often gives way, or free text would never end."""
        n_used = Counter(path)
        ways = [k for k in order if k in allowed][:MOST_WAYS]
        return sorted(ways, key=lambda k: n_used[k] // _TURN)

    # ---- Inside ---------------------------------------------------------------------------------

    def _look(self) -> None:
        if self.is_cancelled():
            raise Cancelled

    def _row(self) -> Row:
        return np.zeros((self.info.vocab_size + 31) // 32, np.int32)

    def _allowed(self, engine: Engine) -> set[int]:
        row = self._row()
        engine.fill(row)
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")[: self.info.vocab_size]
        return set(np.flatnonzero(bits).tolist())

    def _begin(self) -> Engine:
        """The engine at the beginning of an output."""
        assert self._begun is not None, "compile comes first"
        assert self._source is not None
        with contextlib.suppress(NotImplementedError):
            return self._begun.fork()
        self._standing = None, []  # the one engine that there is
        self.engine.compile(self._source, self.info)
        return self.engine

    def _stand(self, tokens: Sequence[int]) -> Engine | None:
        """The engine that stays where it stands, moved on to `tokens`; None where it refuses one of them."""
        engine, known = self._standing
        if engine is None or known != list(tokens[: len(known)]):
            engine, known = self._begin(), []
        for token_id in tokens[len(known) :]:
            if not engine.accept(token_id):
                self._standing = None, []
                return None
            known.append(token_id)
        self._standing = engine, known
        return engine

    def _fork_of(self, base: Engine, tokens: Sequence[int]) -> Engine:
        """A copy of an engine after `tokens`; of one that can't fork, one that accepts them again."""
        with contextlib.suppress(NotImplementedError):
            return base.fork()
        again = self._after(tokens)
        assert again is not None, "the same tokens were accepted before"
        return again

    def _after(self, tokens: Sequence[int]) -> Engine | None:
        engine = self._begin()
        return engine if all(engine.accept(token_id) for token_id in tokens) else None

    def _tried_first(self, preferred: list[bytes]) -> list[int]:
        """The ordinary tokens, those that end a JSON value soon first."""
        if self._order is None:
            data = self.info.decoded_vocab
            ids = [k for k in range(len(data)) if data[k] and k not in self._silent]
            self._order = sorted(ids, key=lambda k: _rank(data[k]))
        if not preferred:
            return self._order
        data = self.info.decoded_vocab
        first = [k for one in preferred for k in self._order if data[k] == one]
        return [*first, *(k for k in self._order if k not in set(first))]


_SOON = [b'"', b"a", b"}", b"]", b":", b",", b"0", b"1", b"A"]


def _rank(data: bytes) -> tuple[int, int, bytes]:
    """The rank of a token in the order of trying: closing marks and separators, letters, digits, white space."""
    if data in _SOON:
        return _SOON.index(data), 0, data
    if not data.strip():
        return 99, len(data), data
    if data.isalnum():
        return 20, len(data), data
    if b"\\" in data:
        return 60, len(data), data
    return (30 if data.isascii() and b"," not in data else 50), len(data), data
