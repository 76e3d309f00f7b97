"""Is another engine's mask what its own accept says? Every token at every step, asked of the engine itself.

>>> from xg2lab import TokenizerInfo
>>> info = TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> found = audit_engine("xg2lab-pda", EngineSource("regex", "ab"), [0, 1], info)
>>> found.ok, found.n_done, found.n_steps
(True, 3, 3)

See also `xg2lab.lab.auditing.auditing`, which does the same for the session's own matcher and shrinks what it finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from xg2lab.lab.engines.protocol import Engine, EngineError, EngineSource
from xg2lab.lab.engines.worker import CALL_SECONDS, Worker

if TYPE_CHECKING:
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["EngineAudit", "MaskLie", "audit_engine", "source_of"]

MOST_LIES = 50  # that an audit lists
_SLICE = 4096  # tokens between two looks at the clock


@dataclass(frozen=True)
class MaskLie:
    """A token whose bit in an engine's mask is not what the engine's accept says."""

    step: int
    token_id: int
    text: str
    mask: bool
    accept: bool


@dataclass
class EngineAudit:
    """What an audit of one engine has found.

    Attributes
    ----------
    name, version : str
        The engine.
    n_steps, n_done : int
        Steps that have a mask, and those that were checked with every token.
    refused, failed : str
        Why it does not read the grammar, or how it failed; "" otherwise.
    stopped : str
        Why the audit is incomplete; "" if it is complete.
    lies : list of MaskLie
        Where mask and accept differ, at most 50.
    rollback_differs : list of int
        Steps whose mask is another one after their token was accepted and taken back.
    """

    name: str
    version: str = ""
    n_steps: int = 0
    n_done: int = 0
    refused: str = ""
    failed: str = ""
    stopped: str = ""
    lies: list[MaskLie] = field(default_factory=list[MaskLie])
    rollback_differs: list[int] = field(default_factory=list[int])

    @property
    def ok(self) -> bool:
        """Whether nothing that was checked differs, and the engine did not fail."""
        return not self.lies and not self.failed and not self.rollback_differs

    def __str__(self) -> str:
        name = f"{self.name} {self.version}".rstrip()
        if self.refused:
            return f"{name}: refused: {self.refused}"
        if self.failed:
            return f"{name}: {self.failed}"
        said = f"{name}: {self.n_done} of {self.n_steps} steps, "
        said += "mask equals accept" if not self.lies else f"mask and accept disagree on {len(self.lies)} tokens"
        if self.rollback_differs:
            said += f", rollback leaves another mask at step {self.rollback_differs[0]}"
        return said + (f" (stopped: {self.stopped})" if self.stopped else "")


def audit_engine(
    engine: str | Engine,
    source: EngineSource,
    ids: Sequence[int],
    info: TokenizerInfo,
    *,
    seconds: float = 20.0,
    call_seconds: float = CALL_SECONDS,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> EngineAudit:
    """Compare each mask of an engine with its own accept, along given tokens.

    Raises `EngineError` if there is no such engine; a refusal and a crash are results. `seconds` is the budget of the
    whole audit, `call_seconds` the limit of one call.
    """
    begun = time.monotonic()
    with Worker(engine, info, seconds=call_seconds) as worker:
        found = EngineAudit(worker.name, worker.version)
        try:
            worker.compile(source)
            replay = worker.replay(ids)
            found.n_steps = len(replay["rows"])
            if replay["why"]:
                found.failed = f"failed after {len(replay['taken'])} tokens: {replay['why']}"
            found.rollback_differs = worker.rollback_differs(ids)
            for step, row in enumerate(replay["rows"]):
                bits = np.unpackbits(np.frombuffer(row, np.uint8), bitorder="little")
                for first in range(0, info.vocab_size, _SLICE):
                    if is_cancelled() or time.monotonic() - begun > seconds:
                        found.stopped = "cancelled" if is_cancelled() else f"the budget of {seconds:g} s"
                        return found
                    _check(found, worker, list(ids[:step]), range(first, min(first + _SLICE, info.vocab_size)), bits)
                found.n_done = step + 1
        except EngineError as error:
            message = error.message.removeprefix(f"{error.engine}: ")
            if error.reason == "refused":
                found.refused = message
            else:
                found.failed = f"{error.reason}: {message}"
    return found


def _check(found: EngineAudit, worker: Worker, before: list[int], ids: range, bits: Any) -> None:
    asked = [k for k in ids if k < len(worker.info.decoded_vocab)]
    for token_id, accept in zip(asked, worker.accepts(before, asked), strict=True):
        mask = bool(bits[token_id])
        if mask != accept and len(found.lies) < MOST_LIES:
            text = worker.info.token_text(token_id)
            found.lies.append(MaskLie(len(before), token_id, text, mask, accept))


def source_of(grammar: Any) -> EngineSource:
    """A grammar as text that other engines read: as its author wrote it, or as EBNF that means the same.

    Of a JSON Schema the options are found by making the grammar again; where none of the usual ones gives the same, the
    standard's own are taken.

    >>> import xg2lab as xgr
    >>> source_of(xgr.Grammar.from_json_schema({"properties": {"a": {}}}, strict_mode=True)).options
    {'strict_mode': True, 'any_whitespace': True}
    >>> source_of(xgr.Grammar.from_ebnf('start ::= "a"', root_rule_name="start")).root
    'start'
    """
    from xg2lab import Grammar
    from xg2lab.errors import Xg2LabError

    match grammar.source_name:
        case "schema":
            wanted = str(grammar)
            for strict_mode in (False, True):
                for any_whitespace in (True, False):
                    options = {"strict_mode": strict_mode, "any_whitespace": any_whitespace}
                    try:
                        made = Grammar.from_json_schema(grammar.source, **options)
                    except Xg2LabError:
                        continue
                    if str(made) == wanted:
                        return EngineSource("json_schema", grammar.source, options)
            return EngineSource("json_schema", grammar.source)
        case "structural tag":
            return EngineSource("structural_tag", grammar.source)
        case "pattern":
            return EngineSource("regex", grammar.source)
        case _:
            try:
                Grammar.from_ebnf(grammar.source, root_rule_name=grammar.root_rule_name)
            except Xg2LabError:
                return EngineSource("ebnf", str(grammar), {}, grammar.root_rule_name)
            lines = [line.count("::=") for line in grammar.source.splitlines()]
            text = grammar.source if max(lines, default=0) <= 1 else str(grammar)  # others want a rule a line
            return EngineSource("ebnf", text, {}, grammar.root_rule_name)
