"""A session on the pages: its trace told push by push, its selection shared, its commands taken from any view.

IDEA
  The page holds a copy of the trace and is told what changes, by message, at most once a frame. The same trace, whole
  and compressed, is kept in a trait for a reloading page and for the saved notebook; that one is renewed when the
  session has come to rest, never in the way of a step.

THREADS  Session events come in the stepping thread, under the session's lock: `_told`, `_push` and `_watchers` are
         touched there, by requests and by the timers, always under `_news_lock`. Whoever holds it calls nothing of the
         session that takes the session's lock (the trace takes none), or the two would wait for each other. Requests
         come on the kernel's threads and are short: stepping goes to the worker thread, one job after the other, each
         in a copy of its request's context.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import anywidget
import traitlets

from xg2lab.errors import LimitError, SessionError, Xg2LabError
from xg2lab.lab.session.selection import nothing_selected
from xg2lab.lab.trace.forest import MOST_TREES
from xg2lab.support.arguments import unicode_text
from xg2lab.widgets import saved
from xg2lab.widgets.auditor import Auditor
from xg2lab.widgets.bundle import bundle_text
from xg2lab.widgets.comparer import Comparer, CompareRequests
from xg2lab.widgets.jobs import Jobs
from xg2lab.widgets.lockstepper import Lockstepper, LockstepRequests
from xg2lab.widgets.pace import FRAME_S, Pace
from xg2lab.widgets.page_trace import arguments_of, figures, replayed, told_explanation, told_trace, written_program
from xg2lab.widgets.pushes import Changes
from xg2lab.widgets.replay import (
    SMALL_VOCABULARY,
    MaskFacts,
    Vocabulary,
    mass_by_class,
    pack_bulk,
    pack_trace,
    vocabulary_of,
)
from xg2lab.widgets.runtime import runtime
from xg2lab.widgets.stager import Stager
from xg2lab.widgets.talker import Buffers, Reply, Talker, page_of, reference, wire_error

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.events import SessionEvent
    from xg2lab.lab.session.session import Session
    from xg2lab.widgets.export import Reports

__all__ = ["NOTHING_SELECTED", "SessionWidget"]

NOTHING_SELECTED = nothing_selected()
MOST_LAYOUT_CHARACTERS = 8 << 20  # of all machines that a page has laid out: they stand in the saved notebook
REST_S = 0.5
#: Requests about the session that wait for a step which another thread takes.
QUESTIONS = frozenset(
    {"beam", "beside", "donor", "explain", "forest", "issue", "lost_mass", "replay", "stacks"}
    | {"annotate", "edit_annotation", "delete_annotation"}
)
#: Requests about runs side by side that wait for a step of any of them.
RUN_QUESTIONS = frozenset({"lockstep_add", "lockstep_drop", "lockstep_held", "lockstep_select"})
FIGURES_S = 0.25  #: between figures during a run: they cost a pass over all steps
WATCHED_PUSHES = 512  #: a page repeats what it watches more often than that; one that does not is gone
MOST_WATCHERS = 64  #: pages that watch; of more, those that said so longest ago are forgotten


class SessionWidget(CompareRequests, LockstepRequests, Talker):
    """The widget of one session: it sends the trace to the pages and takes their commands. Views find it by themselves.

    Parameters
    ----------
    session : Session
        The session to show; `show` exchanges it, and the views stay.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    >>> widget = SessionWidget(xgr.Session('root ::= "ab"', info))
    >>> widget.show(xgr.Session('root ::= "b"', info))
    >>> widget.pause()
    >>> widget.session.trace.pending.n_allowed, widget.reports()["audit"]
    (1, None)
    >>> widget.close()
    """

    _view_name = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # a model without a view of its own
    runtime = anywidget.WidgetTrait().tag(sync=True, to_json=reference)
    seq = traitlets.Int(-1).tag(sync=True)
    trace = traitlets.Bytes(None, allow_none=True).tag(sync=True)
    bulk = traitlets.Bytes(None, allow_none=True).tag(sync=True)
    selection = traitlets.Dict(dict(NOTHING_SELECTED)).tag(sync=True)
    layouts = traitlets.Dict().tag(sync=True)
    audit = traitlets.Dict(None, allow_none=True).tag(sync=True)
    diagnosis = traitlets.Dict(None, allow_none=True).tag(sync=True)
    compare = traitlets.Dict(None, allow_none=True).tag(sync=True)
    lockstep = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    stages = traitlets.Dict().tag(sync=True)

    _has_parts = False  #: whether __init__ came so far; what was never made is closed too, when it is deleted

    def __init__(self, session: Session) -> None:
        self._news_lock = threading.RLock()
        self._told, self._push, self._pace = Changes(), 0, Pace()
        self._frame: threading.Timer | None = None
        self._frame_due = 0.0
        self._rest: threading.Timer | None = None
        self._watchers: dict[str, tuple[bool, bool, int]] = {}  # pages: masks, figures, and the push when they said so
        self._owes_figures = False
        self._last_figures = 0.0
        self._error: schema.WireError | None = None
        self._vocabulary_kept: Vocabulary | None = None
        self._recorded: tuple[int, float, bytes | None] | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._jobs, self._questions = Jobs(self._failed), Jobs(self._failed)
        self.auditor, self.comparer, self.stager = Auditor(self), Comparer(self), Stager(self)
        self.lockstepper = Lockstepper(self, self._failed, self._rest_later)
        self.session_id = uuid.uuid4().hex
        shared = runtime()
        shared.pausers[self.session_id] = self
        super().__init__(_esm=bundle_text("stub_session.js"), runtime=shared)
        self.session = session
        self._has_parts = True
        self.show(session)

    def show(self, session: Session) -> None:
        """Show another session in the same views.

        Parameters
        ----------
        session : Session
            The session.
        """
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._jobs.drop()
        for reporter in (self.auditor, self.comparer):
            reporter.stop()
        with self._news_lock:
            before = self.session
            self.session, self._error = session, None
            self._vocabulary_kept = None
            self.layouts, self.stages, self.audit, self.compare = {}, {}, None, None
            self.selection = dict(session.selection)
            self.diagnosis = _told_of(session)
            self._told.reset()
        if before is not session:
            self.lockstepper.show(None)
        self._unsubscribe = session.subscribe(self._on_event)
        self._flush()
        self._save_replay()

    def close(self) -> None:
        """Stop listening to the session, and close the widget. Its views say so."""
        if self._has_parts:
            if self._unsubscribe is not None:
                self._unsubscribe()
                self._unsubscribe = None
            self._jobs.drop()
            self._questions.drop()
            self.lockstepper.close()
            for timer in (self._frame, self._rest):
                if timer is not None:
                    timer.cancel()
        super().close()

    def reports(self) -> Reports:
        """Return what a page that replays the session needs beside the trace.

        Returns
        -------
        dict
            `audit`, `compare`, `lockstep` and `stages` as JSON values, each None or empty until it was made.
        """
        self.lockstepper.settle()
        names = ("audit", "compare", "lockstep", "stages")
        return cast("Reports", {name: getattr(self, name) for name in names})

    def recording(self, least: float = 0.0) -> dict[str, bytes]:
        """Return what a page without a kernel needs to replay the session as it is now, in compressed parts.

        Parameters
        ----------
        least : float
            Probabilities of a mask's tokens below this are kept to a factor of two.

        Returns
        -------
        dict
            `trace`, a Trace as JSON; `bulk`, masks and vocabulary if they are small; `values`, the other traits.

        >>> import gzip, json
        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> parts = SessionWidget(xgr.Session('root ::= "ab"', info)).recording()
        >>> sorted(parts), len(json.loads(gzip.decompress(parts["trace"]))["steps"])
        (['bulk', 'trace', 'values'], 1)
        """
        self._save_replay()
        kept = {"selection": self.selection, "layouts": self.layouts, "diagnosis": self.diagnosis, **self.reports()}
        if self._recorded is None or self._recorded[:2] != (
            self.seq,
            least,
        ):  # a pad's news leave the masks as they are
            self._recorded = self.seq, least, self._replay_masks(least)
        parts = {"values": pack_trace(kept), "trace": self.trace, "bulk": self._recorded[2]}
        return {name: part for name, part in parts.items() if part is not None}

    def pause(self) -> None:
        """Stop a run after its present step, and drop requested steps that have not begun."""
        self._jobs.drop()
        self.lockstepper.pause()
        self.session.pause()

    # ---- Kernel to page -------------------------------------------------------------------------

    def _on_event(self, event: SessionEvent) -> None:
        trace = self.session.trace
        with self._news_lock:
            if event["type"] == "selection":
                self.selection = dict(self.session.selection)  # of two that come at once, the one that stays
                return
            if event["type"] == "step":
                self._error = None
                first = event["step"] or event["pending"]
                if first is not None:
                    self._told.steps_from(first.index, first.byte_begin + 1 if event["step"] else len(trace.columns))
            elif event["type"] == "rolled_back":
                step = trace.steps[event["at"]]
                self._told.steps_from(step.index, step.byte_begin + 1)
                self._told.branches_from(len(trace.branches) - 1)
                self.selection = dict(self.session.selection)
            elif event["type"] == "recorded":
                self._told.reset()
            elif event["type"] == "annotated":
                self._told.notes()
            elif event["type"] == "reset":
                self._error = None
                self._told.reset()
                self.stager.follow()
                self.selection = dict(self.session.selection)
                self.diagnosis = _told_of(self.session)
                self.auditor.follow()
                self.comparer.follow()
            self._schedule()

    def _schedule(self) -> None:
        """Push now, or when the pace allows it."""
        now, due = time.monotonic(), self._pace.due(running=self.session.run_progress is not None)
        if due <= now:
            self._flush()
        elif self._frame is None or due < self._frame_due:
            if self._frame is not None:
                self._frame.cancel()
            self._frame, self._frame_due = threading.Timer(due - now, self._frame_ended), due
            self._frame.daemon = True
            self._frame.start()

    def _frame_ended(self) -> None:
        """Push what came during the frame, unless a settling page was told while this timer waited for the lock."""
        with self._news_lock:
            if self._frame is not None:
                self._flush()

    def _flush(self) -> None:
        with self._news_lock:
            if self._frame is not None:
                self._frame.cancel()
                self._frame = None
            trace = self.session.trace
            is_news = not self._told.is_empty
            self._push += 1
            content: schema.TracePush = {**self._told.message(trace), **self._state()}
            self._told = Changes()
            if self._are_figures_due(is_news):
                content["figures"] = figures(trace)
            buffers: Buffers = []
            if is_news and self._is_watched(bulk=True) and trace.steps:
                facts = self._bulk_of(len(trace.steps) - 1)
                if facts is not None:
                    content["bulk"] = {"step": facts[0], "mass": facts[3]}
                    buffers = [facts[1], facts[2]]
            self.send(content, buffers)
            self._pace.pushed(self._push, time.monotonic(), running=content.get("run") is not None)
            if is_news:
                self._rest_later()

    def _are_figures_due(self, is_news: bool) -> bool:
        """Whether a push brings the figures: each that has news, and during a run one in a while and the last."""
        self._owes_figures |= is_news and self._is_watched(figures=True)
        now = time.monotonic()
        if not self._owes_figures or (self.session.status == "running" and now - self._last_figures < FIGURES_S):
            return False
        self._owes_figures, self._last_figures = False, now
        return True

    def _is_watched(self, *, bulk: bool = False, figures: bool = False) -> bool:
        """Whether a page shows masks, or figures. Pages that have not said so for long are forgotten here."""
        oldest = self._push - WATCHED_PUSHES
        self._watchers = {page: one for page, one in self._watchers.items() if one[2] > oldest}
        return any((bulk and masks) or (figures and sums) for masks, sums, _ in self._watchers.values())

    def _state(self) -> schema.SessionState:
        error = self.session.error
        shown = wire_error(error) if error is not None else self._error
        run = self.session.run_progress
        return {
            "seq": self._push,
            "status": self.session.status,
            "error": shown,
            "run": None if run is None else list(run),
        }

    def _failed(self, error: BaseException) -> None:
        """A command failed: the page is told; what the session itself notes as its error is told the same way."""
        with self._news_lock:
            self._error = wire_error(error)
            self._flush()

    def _bulk_of(self, step: int) -> MaskFacts | None:
        """Provenance, probability codes and mass by class of a step, as the trace keeps them; takes no lock."""
        trace = self.session.trace
        kept = trace.bulk.get(step)
        provenance = None if kept is None else kept.provenance
        if kept is None or provenance is None:
            return None
        codes = kept.probability
        if codes is None:
            return step, provenance.tobytes(), bytes(len(provenance)), None
        return step, provenance.tobytes(), codes.tobytes(), mass_by_class(provenance, codes, trace.steps[step].z)

    # ---- What a reload and a saved notebook read ------------------------------------------------

    def _rest_later(self, wait: float = REST_S) -> None:
        """See later whether the session rests: one timer at a time, since starting its thread is time of the step."""
        if self._rest is None:
            self._rest = threading.Timer(wait, self._at_rest)
            self._rest.daemon = True
            self._rest.start()

    def _at_rest(self) -> None:
        with self._news_lock:
            self._rest = None
            quiet = time.monotonic() - self._pace.pushed_at
            if self.comm is None:
                return
            if self.session.status == "running" or self.lockstepper.is_busy or quiet < REST_S:
                self._rest_later(max(REST_S - quiet, FRAME_S))
                return
        self._keep()

    def _keep(self) -> None:
        """Renew what a reload reads, and what notebooks keep in their outputs."""
        self._save_replay()
        saved.renew(self)

    def _save_replay(self) -> None:
        """Bring the traits that a reload reads up to date with the trace."""
        with self._news_lock:
            seq, trace = self._push, self.session.trace.snapshot()
        if seq == self.seq:
            return
        wire = replayed(trace)
        with self.hold_sync():
            self.bulk = self._replay_masks()
            self.trace = pack_trace(wire)
            self.seq = seq  # last: an observer of the number finds the rest in place

    def _replay_masks(self, least: float = 0.0) -> bytes | None:
        """Masks and vocabulary as a replay reads them, if they are small; probabilities below `least` roughly."""
        n = self.session.tokenizer_info.vocab_size
        if n > SMALL_VOCABULARY:
            return None
        with contextlib.suppress(Xg2LabError):
            facts = [self._bulk_of(k) for k in range(len(self.session.trace.steps))]
            return pack_bulk(n, [f for f in facts if f is not None], self._vocabulary, least=least)
        return None

    @property
    def _vocabulary(self) -> Vocabulary:
        if self._vocabulary_kept is None:
            self._vocabulary_kept = vocabulary_of(self.session.tokenizer_info)
        return self._vocabulary_kept

    # ---- Page to kernel -------------------------------------------------------------------------

    def _when_free(self, kind: str, message: dict[str, object], answer: Callable[[], None]) -> None:
        """Answer here if that waits for nothing; else in a thread of its own, one question after the other.

        A step lasts as long as the model's pass. What is saved has facts in words, and they come from the session too.
        Questions about runs side by side are answered without this session's lock: a report that is being made may
        wait for it.
        """
        if kind in RUN_QUESTIONS or (kind == "settle" and self.lockstepper.lockstep is not None):
            self._questions.put(answer)
            return
        waits = kind in QUESTIONS or (kind == "settle" and bool(message.get("replay")))
        if not waits:
            answer()
        elif not self.session.at_once(answer):
            self._questions.put(answer)

    def on_hello(self, content: schema.HelloRequest) -> Reply[schema.HelloReply]:
        """Is there a kernel, and how far is it?"""
        with self._news_lock:
            self._pace.joined(page_of(content))
        v = self._vocabulary
        key = hashlib.blake2b(v.blob + v.offsets.tobytes(), digest_size=12).hexdigest()
        return {"state": self._state(), "vocabulary_key": key, "session_id": self.session_id}, []

    def on_settle(self, content: schema.SettleRequest) -> Reply[schema.SettleReply]:
        """Tell at once what waits for its frame; `replay`: renew what a saved notebook reads. Is a step under way?"""
        with self._news_lock:
            if self._frame is not None:
                self._frame.cancel()
                self._flush()
        self.lockstepper.settle()
        if content.get("replay"):
            self._keep()
        return {"seq": self._push, "is_busy": self._jobs.is_busy or self.lockstepper.is_busy}, []

    def on_trace(self, _content: schema.Nothing) -> Reply[schema.StateReply]:
        """The whole trace, for a page that missed a push."""
        with self._news_lock:
            state, wire = self._state(), told_trace(self.session.trace)
        return {"state": state}, [pack_trace(wire)]

    def on_set(self, content: schema.SetRequest) -> Reply[schema.Nothing]:
        """A value the page owns: the selection, or finished layouts."""
        key, value = content.get("key"), content.get("value")
        if key == "selection" and isinstance(value, dict):
            self.session.select(**{k: value.get(k) for k in NOTHING_SELECTED})
        elif key == "layouts" and isinstance(value, dict):
            layouts = {str(k): str(v) for k, v in value.items()}
            if sum(len(k) + len(v) for k, v in layouts.items()) > MOST_LAYOUT_CHARACTERS:
                raise LimitError(f"layouts of more than {MOST_LAYOUT_CHARACTERS:,} characters are not kept")
            self.layouts = layouts
        else:
            raise SessionError(f"a page can't set {key!r}")
        return {}, []

    def on_step(self, content: schema.CountRequest) -> Reply[schema.Nothing]:
        """Sample n tokens."""
        n = int(content.get("n", 1))
        return self._command(lambda: self._is_late(content, "terminated") or self.session.step(n))

    def on_back(self, content: schema.CountRequest) -> Reply[schema.Nothing]:
        """Take n tokens back."""
        n = int(content.get("n", 1))
        return self._command(lambda: self._is_late(content, "beginning") or self.session.back(n))

    def on_back_to(self, content: schema.BackToRequest) -> Reply[schema.Nothing]:
        """Take the tokens from a step on back: they stay as a branch."""
        step = int(content["step"])
        return self._command(lambda: self.session.back_to(step))

    def on_undo_force(self, _content: schema.CommandRequest) -> Reply[schema.Nothing]:
        """Take the newest token back, if the user forced it."""
        return self._command(self.session.undo_force)

    def on_force(self, content: schema.ForceRequest) -> Reply[schema.Nothing]:
        """Choose a token, or the tokens of a text; at an earlier `step`, what was decided there becomes a branch."""
        subject = _subject(content)
        asked = content.get("step")
        step = None if asked is None else int(asked)
        return self._command(lambda: self.session.force(subject, step=step))

    def on_run(self, content: schema.RunRequest) -> Reply[schema.Nothing]:
        """Step until an end; `until` as in `Session.run`."""
        until = content.get("until")
        until = tuple(until) if isinstance(until, list) else until
        most = content.get("max_tokens")
        n_most = None if most is None else int(most)
        return self._command(lambda: self.session.run(n_most, until))

    def on_pause(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Stop a run after the step it is in."""
        self.pause()
        return {}, []

    def on_reset(self, content: schema.ResetRequest) -> Reply[schema.Nothing]:
        """Begin again."""
        prompt, messages = content.get("prompt"), content.get("messages")
        if prompt is not None:
            unicode_text(prompt, "prompt")
        chat = cast("list[dict[str, str]] | None", messages)  # `reset` checks them
        return self._command(lambda: self.session.reset(prompt, messages=chat))

    def on_replay(self, content: schema.ReplayRequest) -> Reply[schema.ReplayReply]:
        """Find the token ids in a text and what is wrong with them; then take them in a trace of their own."""
        text = str(content.get("text", ""))
        found = self.session.diagnose(text).to_wire()
        self._command(lambda: self.session.replay(text))
        return {"diagnosis": found}, []

    def on_resume(self, _content: schema.CommandRequest) -> Reply[schema.Nothing]:
        """Go on with the trace there was before the pasted ids."""
        return self._command(self.session.resume)

    def on_donor(self, content: schema.DonorRequest) -> Reply[schema.DonorReply]:
        """The grammar that an entry of a step was taken over from."""
        return {"donor": self.session.donor(int(content["state"]), content.get("step")).to_wire()}, []

    def on_explain(self, content: schema.SubjectRequest) -> Reply[schema.ExplainReply]:
        """Why a token, text or bytes may or may not come at a step."""
        why = self.session.explain(_subject(content), content.get("step"))
        trace = self.session.trace
        return {"explanation": told_explanation(trace.program, why, arguments_of(trace), written_program(trace))}, []

    def on_annotate(self, content: schema.AnnotateRequest) -> Reply[schema.AnnotateReply]:
        """A note about a step, a token of a step, or a rule."""
        subject = {name: content.get(name) for name in ("step", "token", "rule")}
        return {"number": self.session.annotate(content["text"], **cast("dict[str, Any]", subject))}, []

    def on_edit_annotation(self, content: schema.EditAnnotationRequest) -> Reply[schema.Nothing]:
        """Another text for a note."""
        self.session.edit_annotation(content["number"], content["text"])
        return {}, []

    def on_delete_annotation(self, content: schema.AnnotationRequest) -> Reply[schema.Nothing]:
        """Delete a note."""
        self.session.delete_annotation(content["number"])
        return {}, []

    def on_issue(self, content: schema.SubjectRequest) -> Reply[schema.TextReply]:
        """The same as the text of an issue."""
        return {"text": self.session.issue_text(_subject(content), content.get("step"))}, []

    def on_stacks(self, content: schema.StepRequest) -> Reply[schema.StacksReply]:
        """The pushdown automaton's stacks at a step: more of them than the trace keeps."""
        return {"stacks": self.session.stacks(content.get("step"))}, []

    def on_operators(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Record the operators, which come with the trace."""
        return self._command(self.session.record_operators)

    def on_as_written(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Record the grammar as written, which comes with the trace."""
        return self._command(self.session.record_as_written)

    def on_beam(self, content: schema.BeamRequest) -> Reply[schema.BeamReply]:
        """The model's likeliest continuations at a step, allowed and blocked."""
        beam = self.session.beam(int(content["depth"]), int(content["width"]), step=content.get("step"))
        return {"beam": beam.to_wire()}, []

    def on_forest(self, content: schema.ForestRequest) -> Reply[schema.ForestReply]:
        """The derivations of the text before a step, counted, and the first of them."""
        item = content.get("item")
        at = None if item is None else (int(item[0]), int(item[1]))
        found = self.session.derivations(content.get("step"), item=at, most=int(content.get("most", MOST_TREES)))
        return {"forest": found.to_wire()}, []

    def on_stages(self, content: schema.StagesRequest) -> Reply[schema.StagesReply]:
        """A rule's machine after each pass; what was looked at last is kept for a replay."""
        return {"stages": self.stager.look_at(str(content["rule"]))}, []

    def on_lost_mass(self, content: schema.StepRequest) -> Reply[schema.LostMassReply]:
        """Which rules took the mass that is blocked at a step."""
        lost = self.session.lost_mass(content.get("step"))
        return {"lost": None if lost is None else lost.to_wire()}, []

    def on_watch(self, content: schema.WatchRequest) -> Reply[schema.WatchReply]:
        """What the views in sight on a page show: masks and figures come with pushes while a page watches them."""
        page = page_of(content)
        with self._news_lock:
            self._watchers.pop(page, None)
            watches = bool(content["bulk"]), bool(content["figures"])
            if any(watches):
                self._watchers[page] = (*watches, self._push)
            for oldest in list(self._watchers)[:-MOST_WATCHERS]:
                del self._watchers[oldest]
            return ({"figures": figures(self.session.trace)} if watches[1] else {}), []

    def on_shown(self, content: schema.ShownRequest) -> Reply[schema.Nothing]:
        """A page has drawn a push of a run: the next may go."""
        with self._news_lock:
            self._pace.shown(page_of(content), min(int(content["seq"]), self._push))
            if self._frame is not None:
                self._schedule()
        return {}, []

    def on_audit(self, content: schema.AuditRequest) -> Reply[schema.Nothing]:
        """Begin an audit of the session; what it finds comes by the trait `audit`."""
        self.auditor.begin(float(content.get("seconds", 20.0)))
        return {}, []

    def on_audit_stop(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """End the audit; what was found stays."""
        self.auditor.stop()
        return {}, []

    def on_bulk(self, content: schema.BulkRequest) -> Reply[schema.BulkHeader]:
        """Provenance and probability codes of a step."""
        facts = self._bulk_of(int(content["step"]))
        if facts is None:
            raise SessionError(
                f"the mask of step {content['step']} is not known",
                hint="the output had left the grammar, or the session's limit of kept bytes was passed",
            )
        return {"step": facts[0], "mass": facts[3]}, [facts[1], facts[2]]

    def on_vocabulary(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Token bytes joined, u32 offsets, u32 ids in trie order: once a page."""
        v = self._vocabulary
        return {}, [v.blob, v.offsets.astype("<u4").tobytes(), v.order.astype("<u4").tobytes()]

    def _is_late(self, content: schema.CommandRequest, end: str) -> bool:
        """Whether the session came to this end after the page asked: a click too many does nothing."""
        n = self.session.trace.n_decided
        ended = n == 0 if end == "beginning" else self.session.status == end
        return ended and content.get("n_decided", n) != n

    def _command(self, job: Callable[[], object]) -> Reply[schema.Nothing]:
        """Queue the job. The last command's error leaves the page at once, even if the job finds nothing to do."""
        with self._news_lock:
            if self._error is not None:
                self._error = None
                self._schedule()
        self._jobs.put(job)
        return {}, []


def _told_of(session: Session) -> schema.WireDiagnosis | None:
    """What was found out about pasted ids, while their trace is shown."""
    found = session.replayed
    return None if found is None else found.to_wire()


def _subject(content: schema.SubjectRequest) -> int | str | bytes:
    if "token" in content:
        return int(content["token"])
    if "bytes" in content:
        return bytes.fromhex(content["bytes"])
    if "text" in content:
        return str(content["text"])
    raise KeyError("text")
