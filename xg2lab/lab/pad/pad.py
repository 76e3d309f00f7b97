"""A grammar in the making: its text, compiled as it changes, and its examples, judged each time.

>>> pad = Pad('root ::= "yes" | "no"', examples=[("yes", True), ("maybe", False)])
>>> pad.wait().state.status, [row.verdict for row in pad.bench.rows]
('ready', ['match', 'reject at byte 0'])
>>> pad.write('root ::= "yes" | maybe')
>>> state = pad.wait().state
>>> state.draft.n_errors, state.good.text, state.is_good_current
(1, 'root ::= "yes" | "no"', False)

IDEA
  Writing is never waited for. A text is compiled in a thread; a newer one takes its place, and what is found for the
  older one is dropped. The last text that was a grammar stays (`state.good`), with the verdicts it gave, until there
  is another.

THREADS  All methods may be called from any thread. `_lock` guards the wanted text and the state; `_judging` is held
         while a grammar's checker is asked. Subscribers are called in the compiling thread, under neither. The engine
         can't be interrupted, so an outdated compilation runs to its end beside the next; there are at most
         two at a time.
"""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from xg2lab.compiler import CompiledGrammar, CompiledTemplate
from xg2lab.errors import Diagnostic, SessionError
from xg2lab.grammar import Grammar
from xg2lab.lab.pad.bench import Bench, BenchRow, Example, Given
from xg2lab.lab.pad.drafts import KINDS, AbandonedError, Draft, Good, compile_draft, read_draft
from xg2lab.lab.pad.template_drafts import ArgumentsError, arguments_of, has_slots
from xg2lab.lab.session.events import Events, SessionEvent
from xg2lab.lab.session.instances import Instance
from xg2lab.lab.trace.arguments import arguments_to_wire
from xg2lab.sources.readers import reader_for
from xg2lab.template import Template

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session
    from xg2lab.support.json_text import Json
    from xg2lab.template import Encode

__all__ = ["GrammarSource", "Pad", "PadState", "shown_of", "text_and_kind"]

#: What a pad takes the text of; a dict is a JSON Schema or a structural tag.
GrammarSource = str | dict[str, Any] | Grammar | CompiledGrammar | Template | CompiledTemplate
MOST_WORKERS = 2
KIND_OF_SOURCE = {"schema": "json_schema", "structural tag": "structural_tag", "pattern": "regex"}
QUIET_S = 0.5  # without another text, before the search begins: it would take the interpreter from a user who types
SEARCH_S = 0.4  # for a text that can be read in two ways, once everything else is said


@dataclass(frozen=True)
class PadState:
    """The state of a pad at one moment. Revisions count the texts that were written.

    `status`: "compiling", "ready" or "cancelled". `draft` is the newest that was finished, of the text with number
    `draft_revision`; `good` the newest that is a grammar. `arguments` is the text of a template's arguments, JSON;
    `as_template` says that the text is one although it names no slot.
    """

    text: str = ""
    kind: str = "ebnf"
    on_unsupported: str = "error"
    arguments: str = ""
    as_template: bool = False
    revision: int = 0
    status: str = "ready"
    begun: float = 0.0
    draft: Draft | None = None
    draft_revision: int = -1
    good: Good | None = None
    good_revision: int = -1

    @property
    def is_template(self) -> bool:
        """Whether the text is read as a template."""
        return self.kind in ("ebnf", "json_schema") and (self.as_template or has_slots(self.text, self.kind))

    @property
    def is_good_current(self) -> bool:
        """Whether the last good grammar is that of the text as it is."""
        return self.good is not None and self.good_revision == self.revision


PadChange = Literal["written", "draft", "good", "examples", "applied"]


class PadEvent(TypedDict):
    """What has changed; `state` is the pad's at that moment."""

    type: PadChange
    state: PadState


class ShownText(TypedDict):
    """A session's text as `Pad.write` takes it."""

    text: str
    kind: str
    arguments: str
    as_template: bool


class Pad:
    """A text and what becomes of it. `session` is where `apply` sends the grammar."""

    def __init__(
        self,
        text: str = "",
        kind: str = "ebnf",
        *,
        examples: Iterable[Given] = (),
        session: Session | None = None,
        on_unsupported: str = "error",
        arguments: str = "",
        as_template: bool = False,
    ) -> None:
        self._lock = threading.Condition(threading.RLock())
        self._events = Events[PadEvent]()
        self._wanted: tuple[contextvars.Context, PadState] | None = None
        self._n_workers = 0
        self._applied: tuple[Any, str, str] | None = None  # the session's grammar, and the texts it was made of
        self._judging = threading.Lock()
        self._unwatch: Callable[[], object] = lambda: None
        self._own: tuple[str, str] | None = None  # the texts of the session's grammar
        self.session = session
        self.bench = Bench(examples)
        self.state = PadState(kind=_kind(kind), on_unsupported=on_unsupported)
        self.write(text, arguments=arguments, as_template=as_template)
        self._watch()

    # ---- Writing --------------------------------------------------------------------------------

    def write(
        self,
        text: str,
        kind: str | None = None,
        *,
        on_unsupported: str | None = None,
        arguments: str | None = None,
        as_template: bool | None = None,
    ) -> None:
        """Another text, other arguments, or the same read as another kind: compiled from now on, in a thread."""
        with self._lock:
            state = replace(
                self.state,
                text=text,
                kind=self.state.kind if kind is None else _kind(kind),
                on_unsupported=on_unsupported or self.state.on_unsupported,
                arguments=self.state.arguments if arguments is None else arguments,
                as_template=self.state.as_template if as_template is None else as_template,
                revision=self.state.revision + 1,
                status="compiling",
                begun=monotonic(),
            )
            if not text.strip():  # nothing was written, and nothing is wrong with that
                empty = Draft(text, state.kind, ())
                self.state = replace(state, status="ready", draft=empty, draft_revision=state.revision)
                self._wanted = None
                self._lock.notify_all()
            else:
                self.state = state
                self._wanted = contextvars.copy_context(), state
                self._lock.notify_all()
                if self._n_workers < MOST_WORKERS:
                    self._n_workers += 1
                    threading.Thread(target=self._work, name="xg2lab pad", daemon=True).start()
        self._emit("written")

    def cancel(self) -> None:
        """Give the compilation up that is under way: the last good grammar stays, the text too."""
        with self._lock:
            if self.state.status != "compiling":
                return
            self.state = replace(self.state, status="cancelled")
            self._wanted = None
            self._lock.notify_all()
        self._emit("draft")

    def wait(self, timeout: float | None = 30.0) -> Pad:
        """Until the newest text was compiled, or `timeout` seconds are over; returns the pad."""
        with self._lock:
            self._lock.wait_for(lambda: self.state.status != "compiling", timeout)
        return self

    def apply(self) -> None:
        """Give the newest grammar to the session: it begins again under it; what it recorded stays with it.

        Raises `SessionError` without a session, and while the text is no grammar.
        """
        session, state = self.session, self.wait().state
        if session is None:
            raise SessionError("this pad has no session to give a grammar to", hint="GrammarPad(text, session=session)")
        if state.good is None or not state.is_good_current:
            n = 0 if state.draft is None else state.draft.n_errors
            hint = f"mend its {n} error{'s' * (n != 1)}" if n else "compile it: write the text again"
            raise SessionError("the text is not a valid grammar", hint=hint)
        good = state.good
        if good.template is None:
            session.change_grammar(good.grammar)
        elif session.instance is not None and _is_of(session.instance, good.template):
            session.instantiate(**(good.arguments or {}))
        else:
            session.change_grammar(good.template, good.arguments or {})
        with self._lock:
            self._applied = session.compiled, state.text, state.arguments if state.is_template else ""
            self._own = self._texts()
        self._emit("applied")

    def follow(self, session: Session) -> None:
        """Another session takes the place of the one before; a text that was that one's own becomes the new one's."""
        is_own = self.is_applied or not self.state.text.strip()
        self.session = session
        self._watch()
        if is_own:
            self.write(**shown_of(session))
            self._own = self._texts()
        else:
            self._emit("applied")

    def _watch(self) -> None:
        """Follow the session when it begins again under another grammar or with other arguments."""
        self._unwatch()
        session = self.session
        if session is None:
            return
        self._own = self._texts() if self.is_applied else None

        def on_event(event: SessionEvent) -> None:
            if event["type"] != "reset" or self.session is not session:
                return
            shown = shown_of(session)
            is_own, self._own = self._own == self._texts(), (shown["text"], shown["arguments"])
            if is_own and not self.is_applied:
                self.write(**shown)
            else:
                self._emit("applied")

        self._unwatch = session.subscribe(on_event)

    def _texts(self) -> tuple[str, str]:
        """The text, and that of a template's arguments."""
        state = self.state
        return state.text, state.arguments if state.is_template else ""

    @property
    def is_applied(self) -> bool:
        """Whether the session runs under the text as it is."""
        session = self.session
        if session is None:
            return False
        state, header = self.state, session.trace.header
        arguments = state.arguments if state.is_template else ""
        if self._applied is not None and self._applied == (session.compiled, state.text, arguments):
            return True
        facts = header.get("template")
        if facts is None or not state.is_template:
            return facts is None and not state.is_template and state.text == header["grammar"]["text"]
        return state.text == facts["text"] and _values(arguments) == facts["arguments"]

    # ---- Examples -------------------------------------------------------------------------------

    def change_examples(self, change: Callable[[Bench], object]) -> None:
        """Add, edit, flip or delete rows; what has no verdict yet gets one."""
        change(self.bench)
        self._judge()
        self._emit("examples")

    def add_from_session(self, should_match: bool = True) -> int:
        """The session's output so far as an example; returns the row's id."""
        if self.session is None:
            raise SessionError("this pad has no session to take an example from", hint="write one")
        text, trace = self.session.text, self.session.trace
        if not text:
            raise SessionError("the session has no output yet", hint="step it first")
        row_ids: list[int] = []
        origin = f"run, step {trace.n_decided}"
        self.change_examples(lambda bench: row_ids.append(bench.add(text, should_match, origin)))
        return row_ids[0]

    def judged(self, text: str) -> BenchRow:
        """Judge a text that is not an example yet by the last good grammar; no verdict before there was one."""
        with self._judging:
            state = self.state
            check = None if state.good is None else state.good.checker.row(text, should_match=True)
            return BenchRow(-1, Example(text), check, state.good_revision)

    def to_pytest(self) -> str:
        """The examples as a test file of the text as it is."""
        good = self.state.good
        if self.state.is_template and good is not None and good.template is not None:
            return self.bench.to_pytest(str(good.grammar))  # written out: the tests know of no arguments
        return self.bench.to_pytest(self.state.text, self.state.kind)

    # ---- Watching -------------------------------------------------------------------------------

    def subscribe(self, callback: Callable[[PadEvent], object]) -> Callable[[], None]:
        """Call `callback(event)` at each change; the function returned ends that.

        Types: "written", "draft" (findings are known), "good" (a grammar is), "examples", "applied".
        """
        return self._events.subscribe(callback)

    # ---- Inside ---------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._lock:
                wanted, self._wanted = self._wanted, None
                if wanted is None:
                    self._n_workers -= 1
                    return
            context, state = wanted
            try:
                context.run(self._make, state)
            except AbandonedError:
                continue
            except Exception as error:  # noqa: BLE001 (a thread's end)
                self._broke(state, error)

    def _is_wanted(self, state: PadState) -> bool:
        with self._lock:
            return self.state.revision == state.revision and self.state.status != "cancelled"

    def _make(self, state: PadState) -> None:
        encode = self._encoder(state)
        is_of_tokens = encode is not None or _names_tokens(state.text)
        info = self.session.tokenizer_info if self.session is not None and is_of_tokens else None
        reading: dict[str, Any] = {"on_unsupported": state.on_unsupported}
        arguments = state.arguments if state.is_template else None
        early = read_draft(state.text, state.kind, arguments=arguments, encode=encode, **reading)
        self._found(state, early, "compiling")
        draft = compile_draft(early, tokenizer_info=info, go_on=lambda: self._is_wanted(state), **reading)
        if draft.good is not None:
            with self._lock:
                if not self._is_wanted(state):
                    raise AbandonedError
                self.state = replace(self.state, good=draft.good, good_revision=state.revision)
            self._judge()
        self._found(state, draft, "ready")
        is_searched = state.kind in ("ebnf", "lark", "regex")
        if draft.good is not None and is_searched and self._stays(state):
            searched = read_draft(state.text, state.kind, seconds=SEARCH_S, arguments=arguments, **reading)
            if (searched.findings, searched.n_said) != (early.findings, early.n_said):
                self._found(state, replace(draft, findings=searched.findings, read=searched.read), "ready")

    def _encoder(self, state: PadState) -> Encode | None:
        """Return the encoder of the session's template, if its texts are written in tokens."""
        instance = None if self.session is None else self.session.instance
        is_ebnf = state.is_template and state.kind == "ebnf"
        return instance.encode if is_ebnf and instance is not None else None

    def _stays(self, state: PadState) -> bool:
        """Whether no other text comes for a while."""
        with self._lock:
            return not self._lock.wait_for(lambda: not self._is_wanted(state), QUIET_S)

    def _broke(self, state: PadState, error: Exception) -> None:
        """Show an unforeseen error as a finding; otherwise the page would wait for ever."""
        finding = Diagnostic("refused", "error", f"{type(error).__name__}: {error}", "please report this text")
        with suppress(AbandonedError):
            self._found(state, Draft(state.text, state.kind, (finding,)), "ready")

    def _found(self, state: PadState, draft: Draft, status: str) -> None:
        with self._lock:
            if not self._is_wanted(state):
                raise AbandonedError
            self.state = replace(self.state, draft=draft, draft_revision=state.revision, status=status)
            self._lock.notify_all()
        self._emit("good" if draft.good is not None else "draft")

    def _judge(self) -> None:
        with self._judging:
            state = self.state
            if state.good is not None:
                self.bench.judge(state.good.checker, state.good_revision)

    def _emit(self, kind: PadChange) -> None:
        self._events.emit({"type": kind, "state": self.state})


def _kind(kind: str) -> str:
    name = reader_for("", kind).name
    return name if name in KINDS else "ebnf"


def _is_of(instance: Instance, template: Template) -> bool:
    """Whether an instance's template was read from the same text in the same way."""
    return instance.template.template.serialize_json() == template.serialize_json()


def _values(arguments: str) -> Json:
    """Return the values in the text of arguments, as a trace has them; None if the text can't be read."""
    try:
        return arguments_to_wire(arguments_of(arguments))
    except ArgumentsError:
        return None


def shown_of(session: Session) -> ShownText:
    """Return a session's text, or its template with the arguments, as `Pad.write` takes it."""
    instance = session.instance
    if instance is None:
        text, kind = text_and_kind(session.compiled.grammar)
        return {"text": text, "kind": kind, "arguments": "", "as_template": False}
    facts = instance.facts()
    arguments = json.dumps(facts["arguments"], indent=2, ensure_ascii=False)
    text, kind = facts["text"], facts["kind"]
    return {"text": text, "kind": kind, "arguments": arguments, "as_template": not has_slots(text, kind)}


def text_and_kind(grammar: GrammarSource) -> tuple[str, str]:
    """The part of a grammar that a pad shows: its source, and how to read it.

    Values are a `Grammar`, a `CompiledGrammar`, a `Template`, a `CompiledTemplate`, a dict (a JSON Schema or a
    structural tag) or a text of EBNF.
    """
    if isinstance(grammar, Template | CompiledTemplate):
        template = grammar if isinstance(grammar, Template) else grammar.template
        if template.spelling == "tokens":
            raise SessionError(
                "a pad has text alone, and this template's texts come in a tokenizer's tokens",
                hint="make the pad of a session: GrammarPad(session=Session(template, arguments={...}))",
            )
        return template.source, "json_schema" if template.source.lstrip().startswith("{") else "ebnf"
    if isinstance(grammar, str):
        return grammar, "ebnf"
    if isinstance(grammar, dict):
        text = json.dumps(grammar, indent=2, ensure_ascii=False)
        return text, reader_for("grammar.json", text=text).name
    read = grammar.grammar if isinstance(grammar, CompiledGrammar) else grammar
    kind = "lark" if "::=" not in read.source else "ebnf"  # both call themselves a grammar
    return read.source, KIND_OF_SOURCE.get(read.source_name, kind)


def _names_tokens(text: str) -> bool:
    return "Token" in text or '"token' in text
