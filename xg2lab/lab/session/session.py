"""A model stepped token by token under a grammar, with everything that was known at each step kept in a trace.

    session = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
    session.step(3)                  # sample three tokens
    session.force("]")               # the user's choice; a blocked token raises, and says why
    session.back(2)                  # two decisions become a branch of the trace
    session.run(until=("z", 0.1))    # on, until the grammar forbids nine tenths of what the model wants
    print(session.trace)

IDEA
  Step i is decision i. The session always has measured the decision it stands before (the pending step: mask, mass,
  candidates), so that a view shows what may come next, and a click only chooses, accepts, and measures once more.

THREADS
  Every method may be called from any thread; see `running.py` for the lock. Set once: name, tokenizer_info,
  _recorder. Guarded by the lock: the recorder and its trace, compiled, instance, selection. `text`, `status`, `trace`
  take no lock. Callbacks run in the stepping thread, under the lock: they must not wait for another thread.

NOT HERE  questions (`asking.py`), widgets (they subscribe), the engine, the model (`xg2lab.lab.model.model_runner`).
See also `docs/design/0002-trace.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xg2lab.compiler import CompiledGrammar, CompiledTemplate
from xg2lab.errors import ArgumentError, LimitError, SessionError
from xg2lab.grammar import Grammar
from xg2lab.lab.auditing.diagnosing import Diagnosis
from xg2lab.lab.model.model_lane import ModelLane
from xg2lab.lab.model.runner import Runner
from xg2lab.lab.model.sampling import SamplingOptions
from xg2lab.lab.session.asking import Asking
from xg2lab.lab.session.decoder import Decoder, Limits
from xg2lab.lab.session.recorder import Recorder, Token, Ways
from xg2lab.lab.session.selection import SELECTION, checked
from xg2lab.lab.session.setup import Made, compiled_grammar, header_facts, own_runner, tokenizer_info_for
from xg2lab.lab.trace.donors import remember
from xg2lab.lab.trace.lanes import Clock
from xg2lab.lab.trace.steps import Step
from xg2lab.lab.trace.trace import Trace
from xg2lab.lab.trace.wire import plain
from xg2lab.options import EngineOptions
from xg2lab.support.arguments import text_bytes, unicode_text
from xg2lab.template import Template
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["BlockedTokenError", "Limits", "Session"]


class BlockedTokenError(SessionError):
    """A forced token that the grammar does not allow; `explanation` is what `Session.explain` says of it."""

    def __init__(self, token: Token, explanation: dict[str, Any]) -> None:
        expected = explanation.get("expected_text")
        name = f"token {token} {explanation['text']!r}" if isinstance(token, int) else f"the text {token!r}"
        super().__init__(
            f"{name} is blocked ({explanation['mechanism']}): {explanation['reason']}",
            hint=f"expected here: {expected}" if expected else "session.trace.pending.top lists what is allowed",
        )
        self.explanation = explanation


class Session(Asking):
    """One output in the making, its grammar, its model and its trace.

    Parameters: `grammar` EBNF text, a `Grammar` or a `CompiledGrammar` (one that a `CompiledTemplate` made brings its
    template and arguments with it); or a `Template` (compiled once, for this
    vocabulary, with its masks), a `CompiledTemplate` or, with `arguments`, a template's text: then the grammar is its
    instance with `arguments`, and `instantiate` begins again with others. `tokenizer_info` may be left out with a model
    (its own tokenizer is used) and with what is compiled; `model` a `ModelRunner` or another `xg2lab.lab.Runner` (the
    session reads with a fork of it), `"tiny"`, a Hugging Face id or folder, or None: then there are no probabilities
    and tokens are chosen with `force`. `options` are the compiler's `EngineOptions`. `constrained=False` samples
    without the mask and records where the output leaves the grammar (`trace.broke`). `jump_forward=True` writes forced
    tokens (special ones too, and text as the model's tokenizer does): the model chooses none of them, but
    reads each. `max_tokens` bounds the output; `limits` what is kept of it.
    `overlap=True` makes each mask while the model is at its forward pass, and
    compiles the grammar while it reads the prompt; False does one after the other; None does so for a model on a GPU,
    as on a CPU the two share the cores. Tokens and masks are the same, only the times differ
    (`trace.data()["wait_ns"]`, `TimelineView`).

    Raises the grammar's errors, `TemplateArgumentError`, `ArgumentTypeError` for a model that is no `Runner`,
    `VocabularyError` when model and vocabulary differ or a
    template was compiled for another, `SessionError`.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
    >>> session = Session(xgr.Template.from_ebnf('root ::= "<" $name ">"'), info, arguments={"name": "ab"})
    >>> session.force("<ab>")[-1].n_allowed
    1
    >>> session.trace.header["template"]["arguments"]
    {'name': 'ab'}
    """

    def __init__(
        self,
        grammar: str | Grammar | CompiledGrammar | Template | CompiledTemplate,
        tokenizer_info: TokenizerInfo | None = None,
        model: Runner | str | Path | None = None,
        *,
        arguments: dict[str, Any] | None = None,
        prompt: str = "",
        options: EngineOptions | None = None,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        name: str = "session",
        max_tokens: int = 2000,
        record_chart: bool = True,
        constrained: bool = True,
        jump_forward: bool = False,
        overlap: bool | None = None,
        limits: Limits | None = None,
    ) -> None:
        sampling, limits = SamplingOptions(temperature, top_k, top_p, seed), limits or Limits()
        runner = own_runner(model)
        overlap = runner is not None and runner.is_asynchronous if overlap is None else overlap
        lane = ModelLane(runner, Clock(), prompt=unicode_text(prompt, "prompt"), overlap=overlap)
        lane.begin([])  # the prompt is read while the grammar is compiled
        info = tokenizer_info or tokenizer_info_for(grammar, lane.runner)
        begun = lane.clock.now()
        made = compiled_grammar(grammar, info, options, arguments)
        self.compiled: Any = made.compiled
        self.instance = made.instance
        compiled = None if self.compiled is grammar else [begun, lane.clock.now()]
        remember(self.compiled)
        self.tokenizer_info = info
        super().__init__(unicode_text(name, "name"))
        self.max_tokens = max_tokens
        self.selection: dict[str, Any] = dict.fromkeys(SELECTION)
        self.replayed: Diagnosis | None = None  # while the trace is that of pasted ids
        known = {"name": name, "overlap": overlap, "compile_lane": compiled}
        facts = {
            "header": known | header_facts(made, info, lane.runner),
            "program": plain(self.compiled.program()),
        }
        self._recorder = Recorder(
            Decoder(self.compiled, info, lane, limits, constrained=constrained),
            facts,
            sampling=sampling,
            limits=limits,
            ways=Ways(constrained, jump_forward, record_chart),
        )
        with self._lock, self._guard():
            self._recorder.ready()
        self._last_status = self.status

    # ---- What it is, so far ------------------------------------------------------------------------------------

    @property
    def past_traces(self) -> list[Trace]:
        """The traces of earlier prompts."""
        return list(self._recorder.past_traces)

    @property
    def text(self) -> str:
        """The output so far; bytes that are not UTF-8 (half a character) as the replacement character."""
        return self.trace.output_bytes.decode("utf-8", "replace")

    @property
    def output_ids(self) -> list[int]:
        """The tokens chosen so far."""
        return [step.token_id for step in list(self.trace.steps) if step.token_id is not None]

    @property
    def prompt(self) -> str:
        """The text the model read before the output."""
        return self.trace.header["prompt"]

    @property
    def model(self) -> Runner | None:
        """The model runner that the session reads with, None without one."""
        return self._recorder.decoder.runner

    @property
    def sampling(self) -> SamplingOptions:
        """Temperature, top-k, top-p and seed in force; change them with `set_sampling`."""
        return self._recorder.sampling

    def __repr__(self) -> str:
        return f"<Session {self.name!r}: {self.status}, {self.trace.n_decided} tokens, {self.text!r}>"

    # ---- Choosing --------------------------------------------------------------------------------------------

    def step(self, n: int = 1) -> list[Step]:
        """Sample `n` tokens, or fewer if the output ends. A step that failed in the model is tried again.

        Raises `SessionError` when the output has ended or there is no model, `LimitError` past `max_tokens`.
        """
        taken: list[Step] = []
        with self._lock:
            while n > 0 and not (taken and self._is_over):
                n -= 1
                taken += self._advance(self._n_room())
        return taken

    def force(self, token: Token, *, byte_by_byte: bool = False) -> list[Step]:
        """Choose a token by id, or the tokens that spell a text: all of it, or nothing.

        Parameters
        ----------
        token : int, str or bytes
            A token's id, or a text, which is spelled by greedy longest match.
        byte_by_byte : bool
            Spell the text with tokens of one byte each instead. Only for a text.

        Returns
        -------
        list of Step
            One for each token.

        Raises
        ------
        BlockedTokenError
            The grammar forbids it. It is a `SessionError` with the explanation.
        SessionError
            The vocabulary has no tokens that spell the text, or the output has no room for them.
        VocabularyError
            There is no token of this id.
        ArgumentError
            `byte_by_byte` with a token's id.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
        >>> session = Session('root ::= "abab"', info)
        >>> [step.text for step in session.force("ab", byte_by_byte=True) + session.force("ab")]
        ['a', 'b', 'ab']
        """
        if byte_by_byte and isinstance(token, int):
            raise ArgumentError(
                "byte_by_byte spells a text, and a token's id was given", hint="give the text as str or bytes"
            )
        self.pause()
        with self._lock:
            spelling = self._recorder.decoder.spelling
            most_bytes = 1 if byte_by_byte else None
            ids = (
                [spelling.check(token)]
                if isinstance(token, int)
                else spelling.spell(text_bytes(token, "token"), most_bytes)
            )
            if not ids:
                raise SessionError("there is no text to force", hint="give at least one byte, or a token id")
            self._require_room(len(ids))
            with self._guard():
                self._recorder.ready()
                why = self._recorder.explain(token, self.trace.n_decided) if self._recorder.ways.constrained else None
            if why is not None and not why["allowed"]:
                raise BlockedTokenError(token, why)
            return [self._decide(token_id, "forced_by_user") for token_id in ids]

    def back(self, n: int = 1) -> list[Step]:
        """Take the last `n` decisions back; they become a branch of the trace, and are returned."""
        self.pause()
        with self._lock:
            n_decided = self.trace.n_decided
            if not 1 <= n <= n_decided:
                hint = f"give a number from 1 to {n_decided}" if n_decided else "the session stands at its beginning"
                raise SessionError(f"can't go back {n} steps: {n_decided} were taken", hint=hint)
            with self._guard():
                branch = self._recorder.roll_back(n)
                self._was_paused = False
                if (self.selection["step"] or 0) > branch.at:
                    self.selection = dict.fromkeys(SELECTION) | {"step": branch.at}
                try:
                    self._recorder.ready()
                finally:
                    pending = self.trace.pending
                    self._events.emit({"type": "rolled_back", "at": branch.at, "branch": branch, "pending": pending})
            return list(branch.steps)

    def back_to(self, step: int) -> list[Step]:
        """Stand before decision `step` again: it and the later ones become a branch, and are returned.

        Raises `SessionError` when there is no such decision, the pending one included: it has nothing to take back.
        """
        self.pause()
        with self._lock:
            n_decided = self.trace.n_decided
            if step == n_decided:
                raise SessionError(
                    f"step {step} is the newest: nothing was decided after it",
                    hint="put the cursor on an earlier step, and branch there",
                )
            if not 0 <= step < n_decided:
                hint = f"give 0 to {n_decided - 1}" if n_decided else "the session stands at its beginning"
                raise SessionError(f"can't go back to step {step}: {n_decided} were decided", hint=hint)
            return self.back(n_decided - step)

    def undo_force(self) -> list[Step]:
        """Take back the newest token if `force` chose it.

        Raises `SessionError` unless the newest token was forced by the user.
        """
        self.pause()
        with self._lock:
            n_decided = self.trace.n_decided
            newest = self.trace.steps[n_decided - 1] if n_decided else None
            if newest is None or newest.kind != "forced_by_user":
                forced = [step.index for step in self.trace.steps if step.kind == "forced_by_user"]
                where = f": the last one forced is step {forced[-1]}" if forced else ""
                hint = f"back_to({forced[-1]}) takes it and all later ones back" if forced else "back() takes any token"
                raise SessionError(f"the newest token was not forced by the user{where}", hint=hint)
            return self.back(1)

    def reset(self, prompt: str | None = None) -> None:
        """Begin again. With the same prompt the steps become a branch; with another, `past_traces` keeps the trace."""
        if prompt is not None:
            unicode_text(prompt, "prompt")
        self.pause()
        with self._lock, self._guard():
            self._recorder.restart(prompt)
            self._begin_again()

    def change_grammar(self, grammar: Any, arguments: dict[str, Any] | None = None) -> None:
        """Begin again under another grammar (as the session takes one); `past_traces` keeps the trace.

        Raises the grammar's errors, and then nothing has changed.
        """
        options = None if isinstance(grammar, CompiledTemplate) else self.compiled.options
        self._begin_under(compiled_grammar(grammar, self.tokenizer_info, options, arguments))

    def instantiate(self, /, **arguments: Any) -> None:
        """Begin again with other arguments of the session's template; `past_traces` keeps the trace.

        Parameters
        ----------
        **arguments
            One for each slot of the request: see `Template`.

        Raises
        ------
        TemplateArgumentError
            With *all* mistakes in the arguments. Nothing has changed then, as after the next two.
        GrammarError, LimitError
            As `CompiledTemplate.instantiate`.
        SessionError
            For a session whose grammar is no instance of a template.

        The compiled template stays: the grammar of the request is linked from it, with the masks that they share.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
        >>> session = Session('root ::= "<" $name ">"', info, arguments={"name": "ab"})
        >>> session.instantiate(name="b")
        >>> session.force("<b>")[-1].text
        '>'
        """
        if self.instance is None:
            raise SessionError(
                "this session's grammar is no instance of a template", hint="Session(template, arguments={...})"
            )
        clock = self._recorder.decoder.model.clock
        begun = clock.now()
        instance = self.instance.again(arguments)
        made = Made(instance.compiled, instance.passes, instance)
        self._begin_under(made, None if instance.compiler is None else [begun, clock.now()])

    def record_operators(self) -> None:
        """Record the grammar's tree of operators, and which are active at each step: of those that there are, and on.

        `OperatorView` calls it. A grammar without a tree (recursion, too many operators) has the reason recorded:
        `trace.operators` is `{"refused", "hint", "spans"}` then.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = Session('root ::= "a" ("b" | "a"){2}', info)
        >>> session.record_operators()
        >>> session.force("ab")[-1].operators["at"][0]["counts"]
        [[2, 1, 1]]
        """
        with self._lock:
            if self._recorder.record_operators():
                self._events.emit({"type": "recorded", "trace": self.trace})

    def set_sampling(self, **changes: float) -> None:
        """Change `temperature`, `top_k`, `top_p` or `seed` from the pending step on."""
        with self._lock:
            self._recorder.resample(**changes)
            if self.trace.pending is not None:
                with self._guard():
                    self._recorder.ready()
                self._events.emit({"type": "step", "step": None, "pending": self.trace.pending, "columns": []})

    def replay(self, ids: str | Iterable[int]) -> Diagnosis:
        """Take the ids of another run in a trace of its own, up to the one that is refused, and select that one.

        `past_traces` keeps the trace there was, `resume()` goes on with it; `replayed` says what was found meanwhile.
        Raises `SessionError` where there are no ids and for an unconstrained session, `LimitError` past `max_tokens`.
        """
        found = self.diagnose(ids)
        if not self._recorder.ways.constrained:
            raise SessionError(
                "this session is not constrained: nothing would be refused", hint="diagnose(ids) says why"
            )
        if found.step > self.max_tokens:
            hint = "raise session.max_tokens; diagnose(ids) has no limit"
            raise LimitError(f"{found.step} tokens would pass the session's limit of {self.max_tokens}", hint=hint)
        self.pause()
        with self._lock:
            with self._guard():
                self._recorder.begin_beside()
                self._begin_again(found)
            for token_id in found.ids[: found.step]:
                self._decide(token_id, "forced_by_user")
            last = len(self.trace.steps) - 1
            self.select(**found.selection | {"step": None if found.step >= last else found.step})
        return found

    def resume(self, trace: Trace | None = None) -> Trace:
        """Go on with a trace of `past_traces` (the newest if not said); the one there was is kept in its place.

        Raises `SessionError` when there is none, or when it was made under another grammar.
        """
        self.pause()
        with self._lock, self._guard():
            past = self._recorder.past_traces
            chosen = trace or (past[-1] if past else None)
            if chosen is None or all(chosen is not one for one in past):
                raise SessionError("there is no earlier trace to go on with", hint="past_traces has those there are")
            if chosen.program != self.trace.program:
                raise SessionError("that trace was made under another grammar", hint="change_grammar() to it first")
            self._recorder.resume(chosen)
            self._begin_again()
            return self.trace

    # ---- Watching ------------------------------------------------------------------------------------------

    def select(self, **where: Any) -> None:
        """Change the selection: step, token, byte, rule, item, state, mask_entry; None unselects a member.

        Raises `SessionError` for a value that names nothing in this session; the selection stays as it was.
        """
        with self._lock:
            program = self.trace.program
            n_states = len(program["states"])
            sizes = {"rule": len(program["rules"]), "state": n_states, "mask_entry": n_states}
            self.selection = self.selection | checked(where, sizes | {"token": self.tokenizer_info.vocab_size})
            self._events.emit({"type": "selection", "selection": self.selection})

    # ---- Inside ----------------------------------------------------------------------------------------------

    @property
    def _is_over(self) -> bool:
        return bool(self.trace.steps) and self.trace.steps[-1].terminated

    def _begin_under(self, made: Made, compile_lane: list[int] | None = None) -> None:
        """Begin again under a grammar that is compiled; `compile_lane` says when, if it was done on the way."""
        self.pause()
        with self._lock, self._guard():
            runner = self._recorder.decoder.runner
            facts = header_facts(made, self.tokenizer_info, runner) | {"compile_lane": compile_lane}
            self._recorder.change_grammar(made.compiled, facts, plain(made.compiled.program()))
            self.compiled, self.instance = made.compiled, made.instance
            remember(self.compiled)
            self._begin_again()

    def _begin_again(self, replayed: Diagnosis | None = None) -> None:
        """Clear the selection, measure the pending step, emit `reset`."""
        self.replayed = replayed
        self._was_paused = False
        self.selection = dict.fromkeys(SELECTION)
        try:
            if not self._is_over:
                self._recorder.ready()
        finally:
            self._events.emit({"type": "reset", "trace": self.trace})

    def _advance(self, n_most: int) -> list[Step]:
        """One choice: a sampled token, or the tokens of a text that must follow, `n_most` of them."""
        self._require_room(1)
        with self._guard():
            self._recorder.ready()
        chosen = self._recorder.choose()[:n_most]
        return [self._decide(token_id, kind) for token_id, kind in chosen]

    def _decide(self, token_id: int, kind: str) -> Step:
        """Record a token, measure the next step, emit `step`; if the model fails, the decision is kept and emitted."""
        with self._guard():
            step, columns = self._recorder.decide(token_id, kind)
            self._was_paused = False
            try:
                if not step.terminated:
                    self._recorder.ready()
            finally:
                self._events.emit({"type": "step", "step": step, "pending": self.trace.pending, "columns": columns})
            return step

    def _n_room(self) -> int:
        return self.max_tokens - self.trace.n_decided

    @property
    def _resting_status(self) -> str:
        steps = self.trace.steps
        return "completed" if steps and steps[-1].completed else "idle"

    def _require_room(self, n_tokens: int) -> None:
        if self._is_over:
            raise SessionError("the output has ended: nothing may follow", hint="go back() a step, or reset()")
        if self.trace.n_decided + n_tokens > self.max_tokens:
            raise LimitError(
                f"{n_tokens} more would pass the session's limit of {self.max_tokens} tokens",
                hint="raise session.max_tokens",
            )
