r"""What a thread of the soak does: random walks whose outcome is known beforehand, with faults thrown in.

IDEA
  A walk is drawn from a seed: fill, accept, roll back, fork, look ahead. What it sees depends on the grammar and the
  seed alone. So each walk is taken once, by one thread on a grammar of its own, before the threads start; whoever
  takes it later, among any others and with any faults, has to see the same.

  A fault is a call that ends early: limits of memory or time around it, or an interrupt. The matcher is as it was
  before then, and the call is made again. A call that an interrupt ends may be over already: the number of the
  matcher's steps tells.

>>> import xg2lab as xgr
>>> compiler = xgr.GrammarCompiler(INFO, cache_enabled=False)
>>> expected = walked(Calls(), compile_named(compiler, "words"), seed=3)
>>> calls = Calls(random.Random(1), p_limits=0.5)
>>> walked(calls, compile_named(compiler, "words"), seed=3) == expected, calls.counts["limits of memory"] > 0
(True, True)
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

import xg2lab as xgr
from xg2lab.errors import LimitError

__all__ = ["GRAMMARS", "INFO", "N_WORDS", "Bitmask", "Calls", "WrongError", "compile_named", "walked"]

PIECES = [bytes(piece) for piece in itertools.product(b'[]{}",:1e.tx -', repeat=3)]
TOKENS = [bytes([byte]) for byte in range(256)] + PIECES + [b"</s>"]
STOP = len(TOKENS) - 1
INFO = xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP])
N_WORDS = (len(TOKENS) + 31) // 32
N_STEPS = 30

_PEOPLE = {
    "type": "array",
    "maxItems": 9,
    "items": {
        "type": "object",
        "properties": {
            "e": {"type": "string", "maxLength": 12},
            "t": {"enum": ["x", "xx", 1, None]},
            "x": {"$ref": "#"},
        },
        "required": ["e"],
        "additionalProperties": False,
    },
}
_ANY_ORDER = {
    "type": "object",
    "properties": {name: {"type": "number"} for name in ("x", "e", "t", "xt")},
    "additionalProperties": {"type": "boolean"},
}

#: By name: what each compiles. Left recursion, ambiguity, counts, members in any order, words,
#: text, choices.
GRAMMARS: dict[str, str | xgr.Grammar] = {
    "nested": 'root ::= "[" root* "]" | [a-z]',
    "sums": 'root ::= root "+" root | "a" | "[" root "]"',
    "left": 'root ::= list\nlist ::= list "," item | item\nitem ::= [0-9e.]+ | "[" list "]"',
    "right": 'root ::= item "," root | item\nitem ::= "{" root "}" | [a-z]{1,5}',
    "counted": 'root ::= ("[" item{2,40} "]"){1,60}\nitem ::= [0-9a-z]{3,90} "," | "-"{33,50} " "',
    "words": 'root ::= (statement " "?)*\nstatement ::= "te " sum | name ": " sum | "[" (statement " "?)* "]"\n'
    'sum ::= name "-" sum | name\nname ::= "texte" | [a-z]+',
    "text": r'root ::= "\"" [^"\\\n]* "\"" ("," [^,]* "e")*',
    "pattern": xgr.Grammar.from_regex(r"(\d{3}-){2,40}[a-z ]+(\.(te|xt|e1))?"),
    "json": xgr.Grammar.builtin_json_grammar(),
    "people": xgr.Grammar.from_json_schema(json.dumps(_PEOPLE)),
    "any order": xgr.Grammar.from_json_schema(json.dumps(_ANY_ORDER)),
    "lark": xgr.Grammar.from_lark('start: (N | W | "[" start "]")+\nN: /1[1e.]*/\nW: /[tx]+/\n%ignore " "'),
}

T = TypeVar("T")
Bitmask: TypeAlias = npt.NDArray[np.int32]


class WrongError(AssertionError):
    """Something was seen that must not be: the first argument names the kind."""


class Calls:
    """Makes calls, some with faults; counts what they came to.

    Parameters
    ----------
    rng : random.Random, optional
        Draws the faults: they must not change what a walk draws. None: there are no faults.
    p_limits : float
        How probable limits are that end a call early.
    beat : callable
        Called at each call.
    hear : callable
        Is told whether an interrupt may be heard now, in the thread that hears any.
    """

    def __init__(
        self,
        rng: random.Random | None = None,
        p_limits: float = 0.0,
        beat: Callable[[], None] = lambda: None,
        hear: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self.rng, self.p_limits, self.beat, self.hear = rng, p_limits, beat, hear
        self.counts: Counter[str] = Counter()

    def make(self, what: str, call: Callable[[], T], is_done: Callable[[], T | None] = lambda: None) -> T:
        """`call()`, again and again until no fault ends it.

        `is_done` is asked after an interrupt: what the call gave if it was over already, else None.
        """
        while True:
            self.beat()
            limited = self.rng is not None and self.rng.random() < self.p_limits
            try:
                made = self._limited(call) if limited else self._heard(call)
            except LimitError:
                if not limited:
                    raise
                continue
            except KeyboardInterrupt:
                self.counts["interrupts"] += 1
                if (known := is_done()) is None:
                    continue
                made = known
            self.counts[what] += 1
            return made

    def _heard(self, call: Callable[[], T]) -> T:
        self.hear(True)
        made = call()
        self.hear(False)
        return made

    def _limited(self, call: Callable[[], T]) -> T:
        assert self.rng is not None
        if self.rng.random() < 0.3:
            kind, limits = "limits of time", xgr.work_limits(max_seconds=1e-9)
        else:
            kind, limits = "limits of memory", xgr.work_limits(max_bytes=1 << self.rng.randint(0, 16))
        try:
            with limits:
                return call()
        except LimitError:
            self.counts[kind] += 1
            raise


def compile_named(compiler: xgr.GrammarCompiler, name: str) -> xgr.CompiledGrammar:
    """Compiles the grammar of this name."""
    return compiler.compile_grammar(GRAMMARS[name])


def allowed_of(row: Bitmask) -> npt.NDArray[np.int64]:
    """The ids whose bits are set."""
    return np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))


def walked(calls: Calls, compiled: xgr.CompiledGrammar, seed: int, n_steps: int = N_STEPS) -> str:
    """Takes a walk; a digest of all masks and answers.

    Raises
    ------
    WrongError
        A mask and `accept_token` disagree, or a call that a fault ended has changed the matcher.
    """
    rng = random.Random(seed)
    seen = hashlib.blake2b(digest_size=12)
    matcher = xgr.GrammarMatcher(compiled)
    bitmask = np.zeros((1, N_WORDS), np.int32)

    def accept(taker: xgr.GrammarMatcher, token: int) -> bool:
        before = taker.n_steps

        def is_done() -> bool | None:
            return True if taker.n_steps == before + 1 else None

        taken = calls.make("accepts", lambda: taker.accept_token(token), is_done)
        if taker.n_steps != before + taken:
            raise WrongError("steps", f"{before} and then {taker.n_steps}, after {taken}")
        return taken

    def roll_back(matcher: xgr.GrammarMatcher, n: int) -> None:
        before = matcher.n_steps

        def call() -> bool:
            matcher.rollback(n)
            return True

        calls.make("rollbacks", call, lambda: True if matcher.n_steps < before else None)
        if matcher.n_steps != before - n:
            raise WrongError("steps", f"{before} and then {matcher.n_steps}, after a rollback of {n}")

    def fill(matcher: xgr.GrammarMatcher) -> None:
        calls.make("fills", lambda: matcher.fill_next_token_bitmask(bitmask) or True)

    for _ in range(n_steps):
        action = rng.random()
        if matcher.n_steps and action < 0.15:
            roll_back(matcher, rng.randint(1, matcher.n_steps))
        elif action < 0.3:
            fork = calls.make("forks", matcher.fork)
            seen.update(bytes([accept(fork, rng.randrange(256)), fork.is_completed()]))
            matcher, fork = (fork, matcher) if rng.random() < 0.2 else (matcher, fork)
        elif action < 0.36:
            seen.update(calls.make("look-aheads", matcher.find_jump_forward_string).encode())
        fill(matcher)
        seen.update(bitmask.tobytes())
        allowed = allowed_of(bitmask)
        sample = rng.randrange(STOP)
        if action > 0.9 and accept(matcher.fork(), sample) != bool(np.isin(sample, allowed)):
            raise WrongError("mask", f"token {sample} after {matcher.n_steps} steps of the walk {seed}")
        token = int(rng.choice(allowed)) if len(allowed) else STOP
        if token != STOP and not accept(matcher, token):
            raise WrongError("mask", f"token {token} is allowed and not taken, walk {seed}")
    return seen.hexdigest()
