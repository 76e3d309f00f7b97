"""Runs side by side: two to four sessions of one vocabulary that step together, and where they part.

    a = Session(grammar, model="tiny", prompt="A list: ", name="strict")
    b = a.variant(grammar='root ::= "[" [0-9]+ ("," [0-9]+)* "]"', name="loose")
    both = Lockstep([a, b])
    both.step()                      # a token on each side
    both.run()                       # to the end of both
    print(both.divergence.says)

>>> from xg2lab import Session
>>> a = Session('root ::= "[" [0-9] "]"', model="tiny", prompt="A list: ", name="one digit")
>>> b = a.variant(grammar='root ::= "[" [0-9] [0-9]+ "]"', name="more digits")
>>> both = Lockstep([a, b])
>>> both.run().n_steps > 0, both.divergence.why
(True, 'blocked')
>>> [side.text for side in both.data().sides] == [a.text, b.text]
True

IDEA
  Each side is a session of its own, with its own grammar, seed and model state. A step of the lockstep is one choice of
  each side that may go on, so a side's output is the one that it would have alone. A side that ends, or whose step
  fails, is noted and does not stop the others. After `back` a step draws anew, as in any session.

  Sides differ in length if one ends early or one mask spells a text with other tokens. So tokens are set beside each
  other by their bytes, and masks are compared at the same byte, as `xg2lab.lab.trace.beside_mask` does. The first
  session is the one that the others are held against.

THREADS  Every method may be called from any thread; `_lock` gives one move at a time, and is not held between two steps
         of a run. `data()` takes the sessions' locks for what it asks of them, and no other.
NOT HERE  replays of one text on two sides, with times: `xg2lab.lab.compare`.
See also: docs/design/0057-lockstep.md.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, cast

from xg2lab.errors import ArgumentError, ArgumentTypeError, SessionError, VocabularyError, Xg2LabError
from xg2lab.lab.comparison.lockstep_report import Held, LockstepReport, RunSide, held_at, varies_in
from xg2lab.lab.comparison.parting import Parting, parting_of
from xg2lab.lab.session.session import Session
from xg2lab.lab.trace.beside_mask import same_vocabulary
from xg2lab.support.arguments import shown, whole_number

if TYPE_CHECKING:
    from xg2lab.lab.trace.steps import Step

__all__ = ["MOST_SIDES", "Lockstep"]

MOST_SIDES = 4
#: Comparisons of masks and partings that are kept; the oldest go first.
MOST_KEPT = 4096
#: Steps of the first side whose masks are held against the others' in a report.
LISTED_STEPS = 64
#: Where a run ends by itself.
LockstepUntil = Literal["end", "parts"]


class Lockstep:
    """Sessions that step together, each with its own grammar, seed and sampling.

    Parameters
    ----------
    sessions : sequence of Session
        Two to four sessions of one vocabulary. The first is the one that the others are held against. They may have
        steps already, and may be stepped alone between two calls.

    Raises
    ------
    ArgumentError
        There are fewer than two or more than four sessions, or one is named twice.
    ArgumentTypeError
        A member is no session.
    VocabularyError
        The vocabularies differ: `xg2lab.lab.compare` compares such sessions by bytes.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"c", b"</s>"], stop_token_ids=[3])
    >>> one, two = xgr.Session('root ::= "a" [bc]', info, name="one"), xgr.Session('root ::= "a" "b"', info, name="two")
    >>> both = Lockstep([one, two])
    >>> _ = one.force("ac"), two.force("ab")
    >>> both.divergence.says
    "at byte 1 one took 'c' and two took 'b': two blocks 'c'"
    >>> print(both.data().held[1][0])
    at byte 1 one alone allows 'c'; two allows nothing that one blocks

    See also: docs/design/0057-lockstep.md.
    """

    def __init__(self, sessions: Sequence[Session]) -> None:
        self.sessions = _checked(sessions)
        self._lock = threading.RLock()
        self._pausing = threading.Event()
        self._is_running = False
        self._listeners: list[Callable[[], object]] = []
        #: by side: what its last step raised, and how many tokens it had then
        self._refusals: dict[int, tuple[Xg2LabError, int]] = {}
        self._kept: OrderedDict[tuple[object, ...], object] = OrderedDict()
        self._kept_lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Lockstep of {', '.join(repr(session.name) for session in self.sessions)}: {self._says()}>"

    # ---- Stepping -------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether `run` is at work."""
        return self._is_running

    @property
    def is_over(self) -> bool:
        """Whether every output has ended, or cannot go on."""
        return not self._open_sides()

    def step(self, n: int = 1) -> list[list[Step]]:
        """Take one token on each side that may go on, `n` times.

        A side whose step failed before is tried again.

        Parameters
        ----------
        n : int
            The number of choices, at least 1.

        Returns
        -------
        list of list of Step
            The steps of each side, in the order of the sessions.

        Raises
        ------
        ArgumentError
            `n` is no number, or below 1.
        SessionError
            Every output has ended, or every side failed: the message says what each of them said.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> [len(steps) for steps in Lockstep([a, a.variant(seed=1)]).step(2)]
        [2, 2]
        """
        whole_number(n, "n", 1)
        taken: list[list[Step]] = [[] for _ in self.sessions]
        with self._lock:
            self._refusals.clear()
            for _ in range(n):
                if not self._advance(taken):
                    break
        self._emit()
        if not any(taken):
            raise SessionError(f"no side can step: {self._why_not()}", hint="back() takes the last tokens back")
        return taken

    def run(self, max_steps: int | None = None, until: LockstepUntil = "end") -> LockstepReport:
        """Step until every side has ended, until `max_steps` steps were taken, or until `pause` is called.

        Parameters
        ----------
        max_steps : int, optional
            The most steps; without it each session's own limit of tokens ends its side.
        until : "end" or "parts"
            With "parts" the run ends also at the first step after which two outputs differ.

        Returns
        -------
        LockstepReport
            What `data()` returns after the last step.

        Raises
        ------
        ArgumentError
            There is no such end, or `max_steps` is below 1.
        SessionError
            The lockstep runs already, or no side can step.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> both = Lockstep([a, a.variant(seed=2, temperature=1.5)])
        >>> both.run(until="parts").partings[0].why
        'drawn'
        """
        if until not in ("end", "parts"):
            raise ArgumentError(f"there is no end {shown(until)}", hint='"end" or "parts"')
        if max_steps is not None:
            whole_number(max_steps, "max_steps", 1)
        with self._lock:
            if self._is_running:
                raise SessionError("the lockstep is running already", hint="pause() it first")
            self._refusals.clear()
            if not self._open_sides():
                raise SessionError(f"no side can step: {self._why_not()}", hint="back() takes the last tokens back")
            self._pausing.clear()
            self._is_running = True
        self._emit()
        had_parted = self.divergence is not None
        n_taken = 0
        try:
            while not self._pausing.is_set() and (max_steps is None or n_taken < max_steps):
                with self._lock:
                    if not self._advance([[] for _ in self.sessions]):
                        break
                n_taken += 1
                self._emit()
                if until == "parts" and not had_parted and self.divergence is not None:
                    break
        finally:
            self._is_running = False
            self._emit()
        if n_taken == 0 and self._refusals and not self._pausing.is_set():
            raise SessionError(f"no side can step: {self._why_not()}", hint="data() has the error of each side")
        return self.data()

    def pause(self) -> None:
        """Ask a run to stop after its present step. Returns at once.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> both = Lockstep([a, a.variant(seed=1)])
        >>> _ = both.subscribe(lambda: both.data().n_steps and both.pause())
        >>> both.run().n_steps
        1
        """
        self._pausing.set()

    def back(self, n: int = 1) -> None:
        """Take the last `n` tokens of the longest outputs back; a shorter output keeps its own until they are level.

        Parameters
        ----------
        n : int
            The number of tokens, at least 1.

        Raises
        ------
        ArgumentError
            `n` is no number, or below 1.
        SessionError
            No side has a token.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> both = Lockstep([a, a.variant(seed=1)])
        >>> _ = both.step(3)
        >>> both.back(2)
        >>> [side.n_tokens for side in both.data().sides]
        [1, 1]
        """
        whole_number(n, "n", 1)
        with self._lock:
            longest = max(session.trace.n_decided for session in self.sessions)
            if longest == 0:
                raise SessionError("no side has a token to take back", hint="step() takes one on each side")
            self._refusals.clear()
            for session in self.sessions:
                n_more = session.trace.n_decided - max(0, longest - n)
                if n_more > 0:
                    session.back(n_more)
        self._emit()

    def reset(self) -> None:
        """Begin again on all sides, with the same prompts. Each session's trace keeps its output as a branch.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> both = Lockstep([a, a.variant(seed=1)])
        >>> _ = both.step()
        >>> both.reset()
        >>> both.data().n_steps
        0
        """
        self.pause()
        with self._lock:
            self._refusals.clear()
            for session in self.sessions:
                session.reset()
        self._emit()

    def subscribe(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call a function after each move of the lockstep, and when a run begins and ends.

        What a session does by itself is told by `Session.subscribe`.

        Parameters
        ----------
        callback : callable
            Called without arguments, in the thread that moves.

        Returns
        -------
        callable
            Call it without arguments to unsubscribe.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> both, told = Lockstep([a, a.variant(seed=1)]), []
        >>> unsubscribe = both.subscribe(lambda: told.append(both.is_running))
        >>> _ = both.step(), both.run(max_steps=1)
        >>> told
        [False, True, True, False]
        >>> unsubscribe()
        """
        self._listeners = [*self._listeners, callback]

        def unsubscribe() -> None:
            self._listeners = [one for one in self._listeners if one is not callback]

        return unsubscribe

    # ---- Asking ---------------------------------------------------------------------------------

    @property
    def partings(self) -> list[Parting | None]:
        """Where each side but the first parts from the first; None where it does not."""
        first = self.sessions[0]
        return [self._parting(first, other) for other in self.sessions[1:]]

    @property
    def divergence(self) -> Parting | None:
        """The earliest of the partings; None as long as no output differs."""
        found = [parting for parting in self.partings if parting is not None]
        return min(found, key=lambda parting: parting.byte) if found else None

    def held(self, step: int | None = None) -> list[Held | None]:
        """Hold the mask of each other side against the first side's.

        Parameters
        ----------
        step : int, optional
            A step of the first side. The others' masks are those of the same byte. If left out, the newest step of
            every side.

        Returns
        -------
        list of Held or None
            For each side but the first, what one mask allows and the other does not. None where a side has no step, or
            a mask is not known.

        Raises
        ------
        SessionError
            There is no such step.
        ArgumentError
            `step` is no number.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> one, two = xgr.Session('root ::= [ab]', info, name="one"), xgr.Session('root ::= "b"', info, name="two")
        >>> [token for token, _, _ in Lockstep([one, two]).held()[0].only_a]
        [0]
        """
        n = len(self.sessions[0].trace.steps)
        if step is not None and not 0 <= whole_number(step, "step") < n:
            raise SessionError(f"there is no step {step}: the first side has {n}", hint=f"give 0 to {n - 1}")
        return [self._held(other, step) for other in self.sessions[1:]]

    def data(self) -> LockstepReport:
        """Return what is known of all sides.

        Returns
        -------
        LockstepReport
            The sides with their tokens, what varies, where they part, and what their masks allow.

        >>> from xg2lab import Session
        >>> a = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ", name="first")
        >>> found = Lockstep([a, a.variant(seed=1)]).data()
        >>> found.varies, [side.status for side in found.sides]
        ([('seed', ['0', '1'])], ['idle', 'idle'])
        """
        sides = [RunSide.of(session, self._refusal(k)) for k, session in enumerate(self.sessions)]
        n = len(self.sessions[0].trace.steps)
        held = {step: [self._held(other, step) for other in self.sessions[1:]] for step in range(n)[-LISTED_STEPS:]}
        return LockstepReport(
            sides, varies_in(self.sessions), self.partings, held, self.held() if n else [], self._is_running
        )

    # ---- Inside ---------------------------------------------------------------------------------

    def _emit(self) -> None:
        for listener in self._listeners:
            listener()

    def _open_sides(self) -> list[int]:
        """The sides that may go on."""
        return [
            k for k, session in enumerate(self.sessions) if session.status != "terminated" and self._refusal(k) is None
        ]

    def _advance(self, taken: list[list[Step]]) -> bool:
        """One choice of each open side; whether there was one."""
        advanced = False
        for k in self._open_sides():
            session = self.sessions[k]
            try:
                taken[k] += session.step()
                advanced = True
            except Xg2LabError as error:
                self._refusals[k] = error, session.trace.n_decided
        return advanced

    def _refusal(self, k: int) -> Xg2LabError | None:
        """What the side's last step raised, unless the side has moved since."""
        error, n_decided = self._refusals.get(k, (None, 0))
        return error if self.sessions[k].trace.n_decided == n_decided else None

    def _why_not(self) -> str:
        said = []
        for k, session in enumerate(self.sessions):
            error = self._refusal(k)
            said.append(f"{session.name}: {'the output has ended' if error is None else error.message}")
        return "; ".join(said)

    def _says(self) -> str:
        parting = self.divergence
        return "they have not parted" if parting is None else parting.says

    def _parting(self, a: Session, b: Session) -> Parting | None:
        key = ("parting", _key(a), _key(b), a.sampling, b.sampling)
        return cast("Parting | None", self._once(key, lambda: parting_of(a, b)))

    def _held(self, other: Session, step: int | None) -> Held | None:
        first = self.sessions[0]
        key = ("held", _key(first, step), _key(other), step is None)
        return cast("Held | None", self._once(key, lambda: held_at(first, other, step)))

    def _once(self, key: tuple[object, ...], make: Callable[[], object]) -> object:
        with self._kept_lock:
            if key in self._kept:
                return self._kept[key]
        value = make()
        with self._kept_lock:
            self._kept[key] = value
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return value


def _key(session: Session, step: int | None = None) -> tuple[object, ...]:
    """Names a session's output up to a step: equal keys mean equal masks and partings."""
    trace = session.trace
    ids = [one.token_id for one in list(trace.steps)[:step]]
    return id(trace), len(ids), hash(tuple(ids))


def _checked(sessions: object) -> tuple[Session, ...]:
    """The sessions, if they can step together."""
    if isinstance(sessions, Session) or not isinstance(sessions, Sequence):
        raise ArgumentTypeError(
            f"Lockstep takes a list of sessions, not a {type(sessions).__name__}", hint="Lockstep([a, b])"
        )
    for one in sessions:
        if not isinstance(one, Session):
            raise ArgumentTypeError(
                f"Lockstep takes sessions, not a {type(one).__name__}", hint="session.variant(seed=1) makes another one"
            )
    if not 2 <= len(sessions) <= MOST_SIDES:
        raise ArgumentError(
            f"a lockstep has two to {MOST_SIDES} sides, not {len(sessions)}", hint="session.variant(seed=1)"
        )
    if len({id(one) for one in sessions}) < len(sessions):
        raise ArgumentError("a session is named twice", hint="session.variant() makes another one like it")
    for one in sessions[1:]:
        if not same_vocabulary(sessions[0], one):
            raise VocabularyError(
                f"{sessions[0].name} and {one.name} have different vocabularies",
                hint="xg2lab.lab.compare(session, other) compares them by bytes",
            )
    return tuple(sessions)
