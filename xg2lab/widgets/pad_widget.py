"""A pad on the pages: what is typed comes by message, what became of it goes by message, both are kept for a reload.

IDEA
  A page types without waiting: it sends its text when the reader rests for a moment, and is told what became of it.
  Every push has the newest text of all, so a page that has nothing unsent shows what Python or another page wrote.

THREADS  Pad events come in the compiling thread or in that of a request; `_push` and the timer are touched under
         `_news_lock`. A request that writes holds it too, so that a push made before it can't be sent after its reply.
         No holder of the pad's own lock takes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import anywidget
import traitlets

from xg2lab.errors import SessionError
from xg2lab.lab.pad.help import PadHelp
from xg2lab.lab.pad.pad import Pad
from xg2lab.widgets import saved
from xg2lab.widgets.bundle import bundle_text
from xg2lab.widgets.jobs import Jobs
from xg2lab.widgets.pad_wire import wire_edits, wire_good, wire_row, wire_samples, wire_state, wire_word
from xg2lab.widgets.replay import pack_trace
from xg2lab.widgets.runtime import runtime
from xg2lab.widgets.talker import Buffers, Reply, Talker, reference, wire_error

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.pad.bench import Bench
    from xg2lab.lab.pad.pad import PadEvent

__all__ = ["PadWidget"]

REST_S = 0.5
FIRST_SEED = 1  # of the members that a page shows first


class PadWidget(Talker):
    """The widget of one pad: its editor and its examples, in as many views as there are."""

    _view_name = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # a model without a view of its own
    runtime = anywidget.WidgetTrait().tag(sync=True, to_json=reference)
    replay = traitlets.Bytes(None, allow_none=True).tag(sync=True)

    _has_parts = False  #: whether __init__ came so far; what was never made is closed too, when it is deleted

    def __init__(self, pad: Pad) -> None:
        self._news_lock = threading.RLock()
        self._push, self._told_good = 0, -1
        self._error: schema.WireError | None = None
        self._rest: threading.Timer | None = None
        self._jobs, self._questions = Jobs(self._failed), Jobs(self._failed)
        self.pad = pad
        self._help = PadHelp(pad)
        self._shows_samples = False
        self._samples: schema.SamplesReply | None = None  # of the last good grammar, as they are saved
        super().__init__(_esm=bundle_text("stub_session.js"), runtime=runtime())
        self._unsubscribe = pad.subscribe(self._on_event)
        self._has_parts = True
        self._save_replay()

    def close(self) -> None:
        """Stop listening to the pad, and close the widget: its views say so."""
        if self._has_parts:
            self._unsubscribe()
            self._jobs.drop()
            self._questions.drop()
            if self._rest is not None:
                self._rest.cancel()
        super().close()

    # ---- Kernel to page -------------------------------------------------------------------------

    def _on_event(self, _event: PadEvent) -> None:
        self._flush()

    def _flush(self) -> None:
        with self._news_lock:
            state = self.pad.state
            self._push += 1
            buffers: Buffers = []
            if state.good is not None and state.good_revision != self._told_good:
                self._told_good = state.good_revision
                buffers = [pack_trace(wire_good(state.good, state.good_revision))]
            content: schema.PadPush = {"kind": "pad", "seq": self._push, "state": self._state()}
            self.send(content, buffers)
            if self._rest is None:
                self._rest = threading.Timer(REST_S, self._save_replay)
                self._rest.daemon = True
                self._rest.start()

    def _state(self) -> schema.PadState:
        return wire_state(self.pad, self._error)

    def _failed(self, error: BaseException) -> None:
        with self._news_lock:
            self._error = wire_error(error)
            self._flush()

    def _save_replay(self) -> None:
        with self._news_lock:
            self._rest = None
            if self.comm is None:
                return
            self.replay = self.packed()
        saved.renew(self)

    def packed(self) -> bytes:
        """State and last good grammar, compressed: what a saved notebook and an exported page keep of the pad."""
        with self._news_lock:
            return pack_trace(self._whole())

    def _whole(self) -> schema.PadWhole:
        state = self.pad.state
        good = None if state.good is None else wire_good(state.good, state.good_revision)
        whole: schema.PadWhole = {"seq": self._push, "state": self._state(), "good": good}
        if self._shows_samples:
            if self._samples is None or self._samples["revision"] != state.good_revision:
                self._samples = wire_samples(self._help.samples(FIRST_SEED))
            whole["samples"] = self._samples
        return whole

    def show_samples(self) -> None:
        """Keep members of the grammar in what is saved: a Sampler is shown."""
        with self._news_lock:
            self._shows_samples = True
        self._save_replay()

    # ---- Page to kernel -------------------------------------------------------------------------

    def _when_free(self, kind: str, message: dict[str, object], answer: Callable[[], None]) -> None:
        """Answer here, but save in a thread: what is saved says facts of the pad's session, and waits for its step."""
        if kind == "settle" and message.get("replay"):
            self._questions.put(answer)
        else:
            answer()

    def on_hello(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Is there a kernel, and what does it know?"""
        return {}, [self.packed()]

    def on_settle(self, content: schema.SettleRequest) -> Reply[schema.SettleReply]:
        """How many pushes there were, and whether the session is being given a grammar; `replay`: keep the state."""
        if content.get("replay"):
            self._save_replay()
        return {"seq": self._push, "is_busy": self._jobs.is_busy}, []

    def on_write(self, content: schema.WriteRequest) -> Reply[schema.WriteReply]:
        """Another text, or another way to read it."""
        with self._news_lock:
            self._error = None
            unsupported = content.get("on_unsupported")
            arguments = content.get("arguments")
            self.pad.write(
                str(content["text"]),
                content.get("text_kind"),
                on_unsupported=unsupported,
                arguments=None if arguments is None else str(arguments),
            )
            return {"revision": self.pad.state.revision}, []

    def on_cancel(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Wait no longer for the text that is being compiled."""
        self.pad.cancel()
        return {}, []

    def on_apply(self, _content: schema.Nothing) -> Reply[schema.Nothing]:
        """Give the grammar to the session: in a thread, since it is compiled for the whole vocabulary."""
        self._error = None
        self._jobs.put(self.pad.apply)
        return {}, []

    def on_example(self, content: schema.ExampleRequest) -> Reply[schema.Nothing]:
        """Add, edit, flip or delete a row."""
        self._error = None
        text, row_id = str(content.get("text", "")), int(content.get("row_id", -1))
        changes: dict[str, Callable[[Bench], object]] = {
            "add": lambda bench: bench.add(text, bool(content.get("should_match", True))),
            "edit": lambda bench: bench.edit(row_id, text),
            "flip": lambda bench: bench.flip(row_id),
            "delete": lambda bench: bench.delete(row_id),
        }
        change = changes.get(str(content.get("change")))
        if change is None:
            raise SessionError(f"an example can't be changed by {content.get('change')!r}", hint=", ".join(changes))
        self.pad.change_examples(change)
        return {}, []

    def on_from_session(self, content: schema.FromSessionRequest) -> Reply[schema.FromSessionReply]:
        """The session's text as an example."""
        return {"row_id": self.pad.add_from_session(bool(content.get("should_match", True)))}, []

    def on_judge(self, content: schema.JudgeRequest) -> Reply[schema.JudgeReply]:
        """The verdict on a text that is still being typed."""
        return {"row": wire_row(self.pad.judged(str(content["text"])))}, []

    def on_pytest(self, _content: schema.Nothing) -> Reply[schema.TextReply]:
        """The examples as a test file."""
        return {"text": self.pad.to_pytest()}, []

    # ---- What the editor asks of a text, sent or not ----------------------------------------------

    def on_complete(self, content: schema.TextPlace) -> Reply[schema.CompleteReply]:
        """The words that may stand at a place."""
        words = self._help.at(content["text"], content["text_kind"]).completions(int(content["offset"]))
        return {"words": [wire_word(word) for word in words]}, []

    def on_hover(self, content: schema.TextPlace) -> Reply[schema.HoverReply]:
        """What is known of the word at a place."""
        card = self._help.at(content["text"], content["text_kind"]).hover(int(content["offset"]))
        return ({"span": None, "card": ""} if card is None else {"span": list(card.span), "card": card.text}), []

    def on_places(self, content: schema.TextPlace) -> Reply[schema.PlacesReply]:
        """Where the name at a place is defined and used."""
        assistant, offset = self._help.at(content["text"], content["text_kind"]), int(content["offset"])
        definition, renamable = assistant.definition(offset), assistant.renamable(offset)
        return {
            "definition": None if definition is None else list(definition),
            "places": [list(span) for span in assistant.references(offset)],
            "renamable": None if renamable is None else list(renamable),
        }, []

    def on_rename(self, content: schema.RenameRequest) -> Reply[schema.EditsReply]:
        """Another name for the one at a place."""
        assistant = self._help.at(content["text"], content["text_kind"])
        return {"edits": wire_edits(assistant.rename(int(content["offset"]), str(content["name"])))}, []

    def on_layout(self, content: schema.TextOfKind) -> Reply[schema.EditsReply]:
        """The text in its usual layout."""
        return {"edits": wire_edits(self._help.at(content["text"], content["text_kind"]).layout())}, []

    def on_folds(self, content: schema.TextOfKind) -> Reply[schema.FoldsReply]:
        """The parts that can be folded."""
        folds = self._help.at(content["text"], content["text_kind"]).folds()
        return {"folds": [{"span": list(fold.span), "kind": fold.kind} for fold in folds]}, []

    def on_samples(self, content: schema.SamplesRequest) -> Reply[schema.SamplesReply]:
        """Members of the last good grammar, and a text that is nearly one."""
        samples = self._help.samples(int(content["seed"]), content.get("rule"), content.get("pointer"))
        return wire_samples(samples), []
