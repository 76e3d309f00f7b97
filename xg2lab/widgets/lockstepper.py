"""Runs side by side, as a page asks for them and is told of them, see `xg2lab.lab.comparison.lockstep`.

IDEA
  The report is a trait of the first side's widget. Every change of a side, whoever made it, asks for a new report; one
  timer makes it a moment later, outside the sessions' locks. A report takes longer as the runs grow, so the pause
  between two of them grows with the time that one takes.

THREADS  Events come in the stepping threads, under a session's lock: there the timer is started and nothing else done.
         `_lock` guards the timer and the subscriptions. `_telling` is held while a report is made and set, so that an
         older one never replaces a newer; whoever tells holds no session's lock. Moves are done by a worker thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from xg2lab.errors import SessionError, Xg2LabError
from xg2lab.lab.comparison.lockstep import Lockstep
from xg2lab.lab.trace.beside_mask import same_vocabulary
from xg2lab.widgets.jobs import Jobs
from xg2lab.widgets.shown import sessions
from xg2lab.widgets.talker import Reply, wire_error

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session
    from xg2lab.widgets.session_widget import SessionWidget

__all__ = ["LockstepRequests", "Lockstepper"]

PAUSE_S = 0.04  #: between two reports at least
SHARE = 4.0  #: a report that takes long is followed by a pause of so many times its time


class Lockstepper:
    """The lockstep of one session widget, whose session is the first side."""

    def __init__(
        self, widget: SessionWidget, on_error: Callable[[BaseException], object], on_told: Callable[[], object]
    ) -> None:
        self._widget, self._on_error, self._on_told = widget, on_error, on_told
        self._lock, self._telling = threading.Lock(), threading.RLock()
        self._timer: threading.Timer | None = None
        self._pause_s = PAUSE_S
        self._unsubscribe: list[Callable[[], None]] = []
        self._jobs = Jobs(self._failed)
        self.lockstep: Lockstep | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a move is being made or waits."""
        return self._jobs.is_busy

    def show(self, lockstep: Lockstep | None) -> None:
        """Show these runs, or none. Raises `SessionError` if the first side is another session than the widget's."""
        if lockstep is not None and lockstep.sessions[0] is not self._widget.session:
            raise SessionError("the first side is another session", hint="Lockstep([session, other])")
        if lockstep is self.lockstep:
            return
        self.pause()
        with self._lock:
            for unsubscribe in self._unsubscribe:
                unsubscribe()
            self.lockstep = lockstep
            self._unsubscribe = []
            if lockstep is not None:
                self._unsubscribe = [one.subscribe(lambda _event: self._later()) for one in lockstep.sessions]
                self._unsubscribe.append(lockstep.subscribe(self._later))
        self.tell()

    def put(self, move: Callable[[Lockstep], object]) -> None:
        """Make a move after those that were asked for before."""
        lockstep = self.lockstep
        if lockstep is None:
            raise SessionError("no runs are side by side yet", hint="LockstepView([session, other])")
        self._jobs.put(lambda: (move(lockstep), self.tell()))

    def pause(self) -> None:
        """Stop a run after its present step, and drop moves that have not begun."""
        self._jobs.drop()
        if self.lockstep is not None:
            self.lockstep.pause()

    def tell(self) -> None:
        """Bring the trait up to date; what notebooks keep follows when all rest."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        with self._telling:
            lockstep, begun = self.lockstep, time.monotonic()
            if self._widget.comm is None:
                return
            if lockstep is None:
                self._widget.set_trait("lockstep", None)
                return
            try:
                self._widget.set_trait("lockstep", lockstep.data().to_wire())
            except Xg2LabError as error:
                self._widget.set_trait("lockstep", {"error": wire_error(error)})
            self._pause_s = max(PAUSE_S, SHARE * (time.monotonic() - begun))
        self._on_told()

    def settle(self) -> None:
        """Tell what waits for the timer now."""
        with self._lock:
            waits = self._timer is not None
        if waits:
            self.tell()
        with self._telling:  # a report that is being made is waited for
            return

    def close(self) -> None:
        """Stop listening."""
        self.show(None)

    def _later(self) -> None:
        with self._lock:
            if self._timer is None and self.lockstep is not None:
                self._timer = threading.Timer(self._pause_s, self._due)
                self._timer.daemon = True
                self._timer.start()

    def _due(self) -> None:
        with self._lock:
            self._timer = None
        self.tell()

    def _failed(self, error: BaseException) -> None:
        """A move failed: sides say their errors in the report; any other is shown as an error of the session."""
        self.tell()
        self._on_error(error)


class LockstepRequests:
    """The answers of a session widget about runs side by side."""

    session: Session
    lockstepper: Lockstepper

    def _others(self) -> dict[str, Session]:
        """The other sessions of this vocabulary that the notebook shows and that are no side, by name."""
        lockstep = self.lockstepper.lockstep
        sides = () if lockstep is None else lockstep.sessions
        known = {one.name: one for one in sessions() if one is not self.session and one not in sides}
        return {name: one for name, one in known.items() if same_vocabulary(self.session, one)}

    def on_lockstep_with(self, _content: schema.Nothing) -> Reply[schema.LockstepWithReply]:
        """What a side can be."""
        return {"sessions": list(self._others()), "has_model": self.session.model is not None}, []

    def on_lockstep_add(self, content: schema.LockstepAddRequest) -> Reply[schema.Nothing]:
        """Add a side; the report comes by the trait `lockstep`."""
        known = self.lockstepper.lockstep
        sides = (self.session,) if known is None else known.sessions
        name = content.get("session")
        if name is not None:
            others = self._others()
            if name not in others:
                hint = ", ".join(others) or "show another session in a view first"
                raise SessionError(f"there is no other session {name!r} of this vocabulary", hint=hint)
            other = others[name]
        else:
            other = self._variant(content)
        self.lockstepper.show(Lockstep([*sides, other]))
        return {}, []

    def _variant(self, content: schema.LockstepAddRequest) -> Session:
        grammar, seed, temperature = (content.get(name) for name in ("grammar", "seed", "temperature"))
        if grammar is not None:
            return self.session.variant(grammar=str(grammar))
        if seed is not None:
            return self.session.variant(seed=int(seed))
        if temperature is not None:
            return self.session.variant(temperature=float(temperature))
        raise SessionError("nothing says what the side is", hint="a session, seed, temperature or grammar")

    def on_lockstep_drop(self, content: schema.LockstepDropRequest) -> Reply[schema.Nothing]:
        """Take a side away."""
        known, side = self.lockstepper.lockstep, int(content["side"])
        if known is None or not 1 <= side < len(known.sessions):
            raise SessionError(f"there is no side {side} to take away", hint="the first side is the session itself")
        left = [one for k, one in enumerate(known.sessions) if k != side]
        self.lockstepper.show(Lockstep(left) if len(left) > 1 else None)
        return {}, []

    def on_lockstep(self, content: schema.LockstepRequest) -> Reply[schema.Nothing]:
        """Move all sides."""
        do, until = content["do"], content.get("until") or "end"
        moves: dict[str, Callable[[Lockstep], object]] = {
            "step": lambda lockstep: lockstep.step(),
            "back": lambda lockstep: lockstep.back(),
            "run": lambda lockstep: lockstep.run(until=until),
            "reset": lambda lockstep: lockstep.reset(),
        }
        if do not in moves or until not in ("end", "parts"):
            raise SessionError(f"a lockstep can't do {do!r} until {until!r}", hint=", ".join(moves))
        self.lockstepper.put(moves[do])
        return {}, []

    def on_lockstep_select(self, content: schema.LockstepSelectRequest) -> Reply[schema.LockstepSelectReply]:
        """Select in a side's own session, and say why its mask allows or blocks the token."""
        known, side = self.lockstepper.lockstep, int(content["side"])
        if known is None or not 0 <= side < len(known.sessions):
            raise SessionError(f"there is no side {side}", hint="sides count from 0")
        session, step, token = known.sessions[side], int(content["step"]), content.get("token")
        session.select(step=step, token=None if token is None else int(token))
        if token is None:
            return {"why": ""}, []
        why = session.explain(int(token), step)
        verb = "allows" if why["allowed"] else "blocks"
        return {"why": f"{session.name} {verb} {why['text']!r} at step {step}: {why['reason']}"}, []

    def on_lockstep_held(self, content: schema.StepRequest) -> Reply[schema.LockstepHeldReply]:
        """The masks of the other sides at the byte of a step."""
        known, step = self.lockstepper.lockstep, content.get("step")
        if known is None:
            raise SessionError("no runs are side by side yet", hint="LockstepView([session, other])")
        held = known.held(None if step is None else int(step))
        return {"held": [None if one is None else one.to_wire() for one in held]}, []
