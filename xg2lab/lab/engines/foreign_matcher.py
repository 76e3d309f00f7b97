"""Another engine in the place of a session's matcher: masks and accept are its own, and nothing else is known of it.

>>> from xg2lab import TokenizerInfo
>>> worker = Worker("xg2lab", TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
>>> _ = worker.compile(EngineSource("regex", "ab"))
>>> matcher = ForeignMatcher(worker)
>>> matcher.accept_token(1), matcher.accept_token(0), matcher.find_forced_tokens(), matcher.is_completed()
(False, True, [1], False)
>>> matcher.explain(token_id=0)["reason"]
'the mask of xg2lab does not allow it; this engine gives no reason'

IDEA
  A session asks its matcher for masks and for facts about the parse. An engine of others has the first alone. So this
  class has a matcher's members: those that masks can answer do, the lists of items and entries are empty, and every
  other one raises an error that says which engine does not show it. The state is a list of tokens, so a fork costs
  nothing; the worker's engine goes along with whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError
from xg2lab.lab.engines.engine_issues import engine_issue
from xg2lab.lab.engines.protocol import EngineSource
from xg2lab.lab.engines.worker import Worker
from xg2lab.lab.trace.spelling import Spelling
from xg2lab.provenance import Provenance

__all__ = ["ForeignMatcher"]

MOST_FORCED = 256  # tokens that are looked ahead
MOST_ROWS = 512  # masks that are kept


class ForeignMatcher:
    """The members of a matcher that a session uses, answered by another engine's masks."""

    def __init__(
        self,
        worker: Worker,
        tokens: list[int] | None = None,
        rows: dict[tuple[int, ...], tuple[bytes, float]] | None = None,
    ) -> None:
        self.worker = worker
        self.tokens = tokens or []
        self._rows = {} if rows is None else rows
        self._us = 0.0
        self._spelling = Spelling(worker.info)

    @property
    def source(self) -> EngineSource | None:
        """The grammar that the engine compiled."""
        return self.worker.source

    # ---- What masks answer ----------------------------------------------------------------------

    def row(self) -> npt.NDArray[np.int32]:
        """The mask, int32[ceil(vocab_size / 32)]."""
        key = tuple(self.tokens)
        if key not in self._rows:
            found = self.worker.mask_after(key)
            if found is None:
                raise SessionError(
                    f"{self.worker.name} refuses tokens that it accepted before",
                    hint="its state depends on more than the tokens: report the grammar to its authors",
                )
            self._rows[key] = found
            while len(self._rows) > MOST_ROWS:
                del self._rows[next(iter(self._rows))]
        data, self._us = self._rows[key]
        return np.frombuffer(data, np.int32)

    def _allowed(self) -> npt.NDArray[np.bool_]:
        size = self.worker.info.vocab_size
        return np.unpackbits(self.row().view(np.uint8), bitorder="little")[:size].astype(np.bool_)

    def fill_next_token_bitmask(self, bitmask: npt.NDArray[np.int32], index: int = 0) -> bool:
        """Write the mask; returns whether anything is forbidden."""
        bitmask[index] = self.row()
        return True

    def last_fill(self) -> dict[str, Any]:
        """What the last mask cost; how it was made is not known."""
        return {"us": self._us, "cache": None, "way": None, "n_built": None, "n_adapted": None, "n_checked": None}

    def provenance(self) -> bytes:
        """A code for each token, by the mask alone: allowed ones as accepted, blocked ones as rejected."""
        info, allowed = self.worker.info, self._allowed()
        codes = np.where(allowed, Provenance.ACCEPTED, Provenance.REJECTED).astype(np.uint8)
        codes[len(info.decoded_vocab) :] = Provenance.PADDING
        for k in info.special_token_ids:
            codes[k] = Provenance.ACCEPTED if allowed[k] else Provenance.SPECIAL
        for k in info.stop_token_ids:
            codes[k] = Provenance.STOP_LEGAL if allowed[k] else Provenance.STOP_NOT_LEGAL
        return codes.tobytes()

    def is_completed(self) -> bool:
        """Whether the output may end here: a stop token is allowed."""
        return not self.is_terminated() and bool(self._allowed()[list(self.worker.info.stop_token_ids)].any())

    def is_terminated(self) -> bool:
        """Whether the last token was a stop token."""
        return bool(self.tokens) and self.tokens[-1] in self._spelling.stop_ids

    @property
    def temperature(self) -> None:
        """None: an engine of others asks for no temperature."""
        return

    def find_forced_tokens(self, encode: Callable[[str], list[int]] | None = None) -> list[int]:  # noqa: ARG002
        """The tokens that must follow: those of masks with a single bit, one after the other."""
        forced, probe = [], self.fork()
        while len(forced) < MOST_FORCED and not probe.is_terminated():
            ids = np.flatnonzero(probe._allowed())
            if len(ids) != 1 or int(ids[0]) in self._spelling.stop_ids:
                break
            forced.append(int(ids[0]))
            probe.tokens.append(forced[-1])
        return forced

    def explain(self, token_id: int | None = None, *, data: bytes | None = None) -> dict[str, Any]:
        """Whether a token, or a text, is allowed. Why is not known."""
        name = self.worker.name
        if token_id is None:
            assert data is not None
            ids = self._spelling.spell(data)
            is_allowed = self.worker.takes([*self.tokens, *ids]) == len(self.tokens) + len(ids)
            text, shown = data, "its tokens, one after the other,"
        else:
            is_allowed, text, shown = bool(self._allowed()[token_id]), self._spelling.data(token_id), "it"
        verb = "allows" if is_allowed else "does not allow"
        return {
            "token_id": token_id,
            "bytes": text.hex(),
            "text": text.decode("utf-8", "backslashreplace"),
            "allowed": is_allowed,
            "mechanism": "other_engine",
            "reason": f"the mask of {name} {verb} {shown}; this engine gives no reason",
            "died_at": None,
            "walk": [],
            "expected": [],
            "expected_text": "",
            "expected_by": [],
            "entry": None,
        }

    def issue_text(self, output: bytes, why: Mapping[str, Any]) -> str:
        """What the mask says of a token after an output, in the form of that engine's project."""
        worker = self.worker
        assert worker.source is not None, "a session compiles first"
        verb = "allows" if why["allowed"] else "forbids"
        return engine_issue(
            worker.source,
            name=worker.name,
            version=worker.version,
            problem=f"after {output!r} the mask {verb} {why['text']!r}",
            before=output + bytes.fromhex(why["bytes"]),
            instance=b"",
            expected=None,
            others=[],
        )

    def mask_entries(self) -> list[Any]:
        """None are shown."""
        return []

    def live_items(self) -> list[Any]:
        """None are shown."""
        return []

    def allowed_tokens(self) -> list[int]:
        """The ids that may come next."""
        return [int(k) for k in np.flatnonzero(self._allowed())]

    # ---- Moving ---------------------------------------------------------------------------------

    def accept_token(self, token_id: int) -> bool:
        """Move on by a token, if the engine's accept takes it."""
        if self.is_terminated() or not self.worker.accepts(self.tokens, [token_id])[0]:
            return False
        self.tokens.append(token_id)
        return True

    def rollback(self, n_tokens: int = 1) -> None:
        """Take back the last tokens."""
        del self.tokens[len(self.tokens) - n_tokens :]

    def reset(self) -> None:
        """Begin again."""
        self.tokens.clear()

    def fork(self) -> ForeignMatcher:
        """An independent copy, at the same worker."""
        return ForeignMatcher(self.worker, list(self.tokens), self._rows)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise SessionError(
            f"{self.worker.name} shows masks alone, and `{name}` asks for more",
            hint="a session without engine= shows it for xg2lab's own parse",
        )
