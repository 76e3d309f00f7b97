"""A model stepped token by token under a grammar, with everything that was known at each step kept in a trace.

    session = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
    session.step(3)                  # sample three tokens
    session.force("]")               # the user's choice; a blocked token raises, and says why
    session.back(2)                  # two decisions become a branch of the trace
    session.run(until=("z", 0.1))    # on, until the grammar forbids nine tenths of what the model wants
    print(session.trace)

IDEA
  Step i is decision i. The session has always measured the next decision (the pending step: mask, mass,
  candidates), so that a view shows what may come next, and a click only chooses, accepts, and measures once more.

THREADS
  Every method may be called from any thread; see `running.py` for the lock. Set once: name, tokenizer_info,
  _recorder. Guarded by the lock: the recorder and its trace, compiled, instance. `selection` is replaced under
  `_selecting`, inside which nothing is called: `select` never waits for the model. `text`, `status`, `trace` take no
  lock. Callbacks run in the stepping thread, under the lock (those of `select` in its caller's, under none): they must
  not wait for another thread.

NOT HERE  questions (`asking.py`), widgets (they subscribe), the engine, the model (`xg2lab.lab.model.model_runner`).
See also `docs/design/0002-trace.md`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

from xg2lab.compiler import CompiledGrammar, CompiledTemplate
from xg2lab.errors import ArgumentError, LimitError, SessionError
from xg2lab.grammar import Grammar
from xg2lab.lab.model.model_lane import ModelLane
from xg2lab.lab.model.runner import Runner
from xg2lab.lab.model.sampling import SamplingOptions
from xg2lab.lab.session.alarms import Alarm, has_run, whitespace_runs
from xg2lab.lab.session.annotating import Annotating
from xg2lab.lab.session.decoder import Decoder, Limits
from xg2lab.lab.session.diagnosing import Diagnosis
from xg2lab.lab.session.recorder import Recorder, Token, TraceFacts, Ways
from xg2lab.lab.session.selection import checked, nothing_selected
from xg2lab.lab.session.setup import (
    Made,
    compiled_grammar,
    foreign_matcher,
    header_facts,
    own_runner,
    read_by,
    tokenizer_info_for,
)
from xg2lab.lab.trace.donors import remember
from xg2lab.lab.trace.lanes import Clock
from xg2lab.lab.trace.steps import Step
from xg2lab.lab.trace.trace import Trace, header
from xg2lab.lab.trace.values import plain
from xg2lab.options import EngineOptions
from xg2lab.support.arguments import text_bytes, unicode_text
from xg2lab.template import Template
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.engines.protocol import Engine
    from xg2lab.lab.model.sampling import SamplingChanges

__all__ = ["BlockedTokenError", "Limits", "Session"]


class BlockedTokenError(SessionError):
    """A forced token that the grammar does not allow.

    Parameters
    ----------
    token : int, str or bytes
        The token id or the text that was forced.
    explanation : dict
        The answer of `Session.explain` for it, kept as the attribute `explanation`.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "a"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> try:
    ...     session.force("b")
    ... except BlockedTokenError as error:
    ...     print(error.explanation["died_at"], error.explanation["expected_text"])
    0 "a"
    """

    def __init__(self, token: Token, explanation: schema.Explanation) -> None:
        expected = explanation.get("expected_text")
        name = f"token {token} {explanation['text']!r}" if isinstance(token, int) else f"the text {token!r}"
        super().__init__(
            f"{name} is blocked ({explanation['mechanism']}): {explanation['reason']}",
            hint=f"expected here: {expected}" if expected else "session.trace.pending.top lists what is allowed",
        )
        self.explanation = explanation


class Session(Annotating):
    """A model that writes one output, token by token, under a grammar, and the trace of every step.

    Parameters
    ----------
    grammar : str, Grammar, CompiledGrammar, Template or CompiledTemplate
        Text is read as EBNF; with `arguments` it is read as a template. A template is compiled once for this
        vocabulary, with its masks, and the session runs under its instance. A `CompiledGrammar` that a
        `CompiledTemplate` made brings its template and arguments with it.
    tokenizer_info : TokenizerInfo, optional
        The vocabulary. It may be left out with a model, whose own tokenizer is used then, and with a compiled grammar.
    model : Runner, str or Path, optional
        A `ModelRunner` or another `xg2lab.lab.Runner` (the session reads with a fork of it), `"tiny"`, or a Hugging
        Face id or folder. Without a model there are no probabilities, and tokens are chosen with `force`.
    arguments : dict, optional
        The template's arguments, one for each slot; `instantiate` begins again with others.
    prompt : str
        The text that the model reads before the output.
    messages : sequence of dict, optional
        In place of a prompt, the messages of a chat, each with the texts `role` and `content`. The model's chat
        template makes the prompt of them.
    options : EngineOptions, optional
        The compiler's options; the defaults if left out.
    temperature : float
        Divides the logits; 0 always samples the most probable token.
    top_k : int
        Sample among the k most probable tokens; 0 for all.
    top_p : float
        Sample among the most probable tokens that have this mass together, above 0 and up to 1.
    seed : int
        The same seed gives the same output.
    name : str
        The name that traces and views show.
    max_tokens : int
        The longest output, in tokens.
    record_chart : bool
        Whether the trace keeps the Earley chart, which `ChartView` needs.
    constrained : bool
        False samples without the mask, and records where the output leaves the grammar (`trace.broke`).
    jump_forward : bool
        True writes forced tokens without asking the model, special tokens too, and forced text as the model's tokenizer
        spells it. The model still reads each.
    overlap : bool, optional
        True computes each mask while the model is in its forward pass, and compiles the grammar while the model reads
        the prompt; False does one after the other. None is True for a model on a GPU only: on a CPU the two share the
        cores. Tokens and masks do not depend on it, times do (`trace.data()["wait_ns"]`, `TimelineView`).
    limits : Limits, optional
        How much the session keeps of its output.
    engine : str or Engine, optional
        Another engine whose masks decide: "xgrammar", "llguidance" or any other of `xg2lab.lab.engines`. What masks can
        answer is then its answer. It shows no chart, states or entries, and views that need them say so; the grammar
        can't be changed. See docs/engines.md.

    Raises
    ------
    EngineError
        The other engine is not installed, or does not read the grammar.
    GrammarSyntaxError, GrammarError
        For a grammar that cannot be compiled.
    TemplateArgumentError
        For arguments that do not fit the template.
    ArgumentTypeError
        For a model that is no `Runner`.
    VocabularyError
        If model and vocabulary differ, or a template was compiled for another vocabulary.
    SessionError
        If neither a vocabulary nor a model is given, and for other calls that a session refuses.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
    >>> session = Session(xgr.Template.from_ebnf('root ::= "<" $name ">"'), info, arguments={"name": "ab"})
    >>> session.force("<ab>")[-1].n_allowed
    1
    >>> session.trace.header["template"]["arguments"]
    {'name': 'ab'}

    See also: docs/design/0002-trace.md for events and the trace, docs/design/0016-overlap.md for `overlap`.
    """

    def __init__(
        self,
        grammar: str | Grammar | CompiledGrammar | Template | CompiledTemplate,
        tokenizer_info: TokenizerInfo | None = None,
        model: Runner | str | Path | None = None,
        *,
        arguments: Mapping[str, object] | None = None,
        prompt: str = "",
        messages: Sequence[Mapping[str, str]] | None = None,
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
        engine: str | Engine | None = None,
    ) -> None:
        sampling, limits = SamplingOptions(temperature, top_k, top_p, seed), limits or Limits()
        runner = own_runner(model)
        overlap = runner is not None and runner.is_asynchronous if overlap is None else overlap
        read = read_by(runner, prompt, messages)
        lane = ModelLane(runner, Clock(), prompt=read.prompt, overlap=overlap)
        lane.begin([])  # the prompt is read while the grammar is compiled
        info = tokenizer_info or tokenizer_info_for(grammar, lane.runner)
        begun = lane.clock.now()
        made = compiled_grammar(grammar, info, options, arguments)
        self.compiled = made.compiled
        self.instance = made.instance
        foreign = None if engine is None else foreign_matcher(engine, self.compiled, info)
        self._engine = engine
        compile_lane = None if self.compiled is grammar else [begun, lane.clock.now()]
        remember(self.compiled)
        self.tokenizer_info = info
        super().__init__(unicode_text(name, "name"))
        self.max_tokens = max_tokens
        self.selection, self._selecting = nothing_selected(), threading.Lock()
        self.replayed: Diagnosis | None = None  # while the trace is that of pasted ids
        head: schema.Header = {
            **header(name, vocab_size=info.vocab_size),
            **header_facts(made, info, lane.runner),
            "overlap": overlap,
            "compile_lane": compile_lane,
            "messages": read.messages,
        }
        self._recorder = Recorder(
            Decoder(self.compiled, info, lane, limits, constrained=constrained, foreign=foreign),
            TraceFacts(head, plain(self.compiled.program())),
            sampling=sampling,
            limits=limits,
            ways=Ways(constrained, jump_forward, record_chart and foreign is None),
        )
        with self._lock, self._guard():
            self._recorder.ready()
        self._last_status = self.status

    # ---- What it is, so far ---------------------------------------------------------------------

    @property
    def past_traces(self) -> list[Trace]:
        """Earlier traces: of other prompts, other grammars, and pasted ids."""
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
        """The text that the model reads before the output."""
        return self.trace.header["prompt"]

    @property
    def model(self) -> Runner | None:
        """The model runner that the session reads with; None without a model."""
        return self._recorder.decoder.runner

    @property
    def sampling(self) -> SamplingOptions:
        """Temperature, top-k, top-p and seed in force; change them with `set_sampling`."""
        return self._recorder.sampling

    @property
    def engine(self) -> str | None:
        """Name and version of the other engine whose masks the session has; None with our own.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> Session('root ::= "a"', info).engine is None
        True
        >>> Session('root ::= "a"', info, engine="xg2lab-pda").engine.split()[0]
        'xg2lab-pda'
        """
        foreign = self._recorder.decoder.foreign
        return None if foreign is None else f"{foreign.worker.name} {foreign.worker.version}".rstrip()

    @property
    def alarms(self) -> list[Alarm]:
        r"""White space of 32 bytes or more in a row: the grammar may let a model write it for ever.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"{", b"}", b" ", b"</s>"], stop_token_ids=[3])
        >>> session = Session('root ::= "{" " "* "}"', info)
        >>> steps = session.force("{" + " " * 32)
        >>> [(alarm.first_step, alarm.n_bytes, alarm.is_open) for alarm in session.alarms]
        [(1, 32, True)]

        See also: the lint `endless_whitespace` (docs/diagnostics.md), which names the place in the grammar.
        """
        with self._lock:
            steps = list(self.trace.steps)
            runs = whitespace_runs(steps)
            last = max((step.index for step in steps if step.token_id is not None), default=-1)
            is_open = bool(runs) and runs[-1][1] == last and has_run(steps) and self._recorder.allows_whitespace()
            return [
                Alarm("endless_whitespace", first, end, n_bytes, is_open=is_open and end == last)
                for first, end, n_bytes in runs
            ]

    def __repr__(self) -> str:
        return f"<Session {self.name!r}: {self.status}, {self.trace.n_decided} tokens, {self.text!r}>"

    # ---- Choosing -------------------------------------------------------------------------------

    def step(self, n: int = 1) -> list[Step]:
        """Sample `n` tokens, or fewer if the output ends.

        If the model fails, the steps before the failure are kept, and the next call tries the failed step again.

        Parameters
        ----------
        n : int
            The number of choices. With `jump_forward`, one choice can be several forced tokens.

        Returns
        -------
        list of Step
            One for each token.

        Raises
        ------
        SessionError
            The output has ended, or there is no model.
        LimitError
            The output would pass `max_tokens`.

        >>> session = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> [step.text for step in session.step()]
        ['[']
        """
        taken: list[Step] = []
        with self._lock:
            while n > 0 and not (taken and self._is_over):
                n -= 1
                taken += self._advance(self._n_room())
        return taken

    def force(self, token: Token, *, byte_by_byte: bool = False, step: int | None = None) -> list[Step]:
        """Choose a token by id, or the tokens that spell a text. A text is forced as a whole or not at all.

        Parameters
        ----------
        token : int, str or bytes
            A token id; or a text, which is spelled by greedy longest match.
        byte_by_byte : bool
            Spell the text with tokens of one byte each instead. Only for a text.
        step : int, optional
            The index of the step to decide; the newest if left out. The decision that an earlier step has, and the
            later ones, become a branch of the trace, as with `back_to`, and nothing stays selected. If the token is
            blocked, nothing changes.

        Returns
        -------
        list of Step
            One for each token.

        Raises
        ------
        BlockedTokenError
            The grammar forbids the token. This is a `SessionError` with the explanation.
        SessionError
            The vocabulary has no tokens that spell the text, the output has ended, or there is no such step.
        LimitError
            The output would pass `max_tokens`.
        VocabularyError
            There is no token of this id.
        ArgumentError
            `byte_by_byte` was given with a token id.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"ab", b"</s>"], stop_token_ids=[3])
        >>> session = Session('root ::= "abab"', info)
        >>> [step.text for step in session.force("ab", byte_by_byte=True) + session.force("ab")]
        ['a', 'b', 'ab']
        >>> [step.text for step in session.force("ab", step=0)], session.text, len(session.trace.branches)
        (['ab'], 'ab', 1)
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
            at = self._step_to_force(step)
            self._require_room(len(ids), at)
            with self._guard():
                if at == self.trace.n_decided:
                    self._recorder.ready()
                why = self._recorder.explain(token, at) if self._recorder.ways.constrained else None
            if why is not None and not why["allowed"]:
                raise BlockedTokenError(token, why)
            if at < self.trace.n_decided:
                with self._selecting:
                    self.selection = nothing_selected()
                self.back_to(at)
            return [self._decide(token_id, "forced_by_user") for token_id in ids]

    def _step_to_force(self, step: int | None) -> int:
        n_decided = self.trace.n_decided
        if step is not None and not 0 <= step <= n_decided:
            raise SessionError(
                f"can't force a token at step {step}: the newest step is {n_decided}", hint=f"give 0 to {n_decided}"
            )
        return n_decided if step is None else step

    def back(self, n: int = 1) -> list[Step]:
        """Take the last `n` decisions back. They become a branch of the trace.

        Parameters
        ----------
        n : int
            The number of tokens, from 1 to those chosen so far.

        Returns
        -------
        list of Step
            The steps that were taken back.

        Raises
        ------
        SessionError
            Fewer than `n` tokens were chosen.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.force("ab")
        [<Step 0: forced_by_user 'a' (0), 1 allowed>, <Step 1: forced_by_user 'b' (1), 1 allowed>]
        >>> [step.text for step in session.back()], session.text, len(session.trace.branches)
        (['b'], 'a', 1)
        """
        self.pause()
        with self._lock:
            n_decided = self.trace.n_decided
            if not 1 <= n <= n_decided:
                hint = f"give a number from 1 to {n_decided}" if n_decided else "the session is at its beginning"
                raise SessionError(f"can't go back {n} steps: {n_decided} were taken", hint=hint)
            with self._guard():
                branch = self._recorder.roll_back(n)
                self._was_paused = False
                with self._selecting:
                    if (self.selection["step"] or 0) > branch.at:
                        self.selection = {**nothing_selected(), "step": branch.at}
                try:
                    self._recorder.ready()
                finally:
                    pending = self.trace.pending
                    self._events.emit({"type": "rolled_back", "at": branch.at, "branch": branch, "pending": pending})
            return list(branch.steps)

    def back_to(self, step: int) -> list[Step]:
        """Return to the state before decision `step`. That decision and the later ones become a branch of the trace.

        Parameters
        ----------
        step : int
            The index of a decided step.

        Returns
        -------
        list of Step
            The steps that were taken back.

        Raises
        ------
        SessionError
            There is no such decision, or it is the pending one.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> steps = session.force("ab")
        >>> len(session.back_to(0)), session.text
        (2, '')
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
                hint = f"give 0 to {n_decided - 1}" if n_decided else "the session is at its beginning"
                raise SessionError(f"can't go back to step {step}: {n_decided} were decided", hint=hint)
            return self.back(n_decided - step)

    def undo_force(self) -> list[Step]:
        """Take the newest token back if `force` chose it.

        Returns
        -------
        list of Step
            The step that was taken back.

        Raises
        ------
        SessionError
            The newest token was not forced by the user.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> steps = session.force("a")
        >>> session.undo_force()[0].text
        'a'
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

    def reset(self, prompt: str | None = None, *, messages: Sequence[Mapping[str, str]] | None = None) -> None:
        """Begin again.

        Parameters
        ----------
        prompt : str, optional
            Another prompt: `past_traces` then keeps the trace. Without it, the steps become a branch of the same trace.
        messages : sequence of dict, optional
            Another prompt as messages, as for the session itself.

        Raises
        ------
        ArgumentError
            Both were given, or the model has no chat template for the messages.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> steps = session.force("a")
        >>> session.reset()
        >>> session.text, len(session.trace.branches)
        ('', 1)
        """
        read = None if prompt is None and messages is None else read_by(self.model, prompt or "", messages)
        self.pause()
        with self._lock, self._guard():
            self._recorder.restart(read)
            self._begin_again()

    def change_grammar(
        self,
        grammar: str | Grammar | CompiledGrammar | Template | CompiledTemplate,
        arguments: Mapping[str, object] | None = None,
    ) -> None:
        """Begin again under another grammar. `past_traces` keeps the trace. If the grammar is refused, nothing changes.

        Parameters
        ----------
        grammar : str, Grammar, CompiledGrammar, Template or CompiledTemplate
            As for the session itself.
        arguments : dict, optional
            The arguments of a template.

        Raises
        ------
        GrammarSyntaxError, GrammarError, LimitError
            For a grammar that cannot be compiled.
        TemplateArgumentError
            For arguments that do not fit the template.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "a"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.change_grammar('root ::= "b"')
        >>> session.force("b")[0].text, len(session.past_traces)
        ('b', 1)
        """
        options = None if isinstance(grammar, CompiledTemplate) else self.compiled.options
        self._begin_under(compiled_grammar(grammar, self.tokenizer_info, options, arguments))

    def instantiate(self, /, **arguments: object) -> None:
        """Begin again with other arguments of the session's template. `past_traces` keeps the trace.

        The compiled template stays. The grammar of the request is linked from it, with the masks that they share.

        Parameters
        ----------
        **arguments
            One for each slot of the request: see `Template`.

        Raises
        ------
        TemplateArgumentError
            With *all* mistakes in the arguments. After this error and the next two, nothing has changed.
        GrammarError, LimitError
            As `CompiledTemplate.instantiate`.
        SessionError
            The session's grammar is not an instance of a template.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"<", b">", b"</s>"], stop_token_ids=[4])
        >>> session = Session('root ::= "<" $name ">"', info, arguments={"name": "ab"})
        >>> session.instantiate(name="b")
        >>> session.force("<b>")[-1].text
        '>'
        """
        if self.instance is None:
            raise SessionError(
                "this session's grammar is not an instance of a template", hint="Session(template, arguments={...})"
            )
        clock = self._recorder.decoder.model.clock
        begun = clock.now()
        instance = self.instance.again(arguments)
        made = Made(instance.compiled, instance.passes, instance)
        self._begin_under(made, None if instance.compiler is None else [begun, clock.now()])

    def record_operators(self) -> None:
        """Record the grammar's tree of operators and the active operators of each step, earlier steps included.

        `OperatorView` calls this. If the grammar has no tree (it is recursive, or needs too many operators), the reason
        is recorded instead: `trace.operators` is then `{"refused", "hint", "spans"}`.

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

    def record_as_written(self) -> None:
        """Record the grammar as written, and its chart of the output, earlier tokens included.

        `ChartView` calls this. The engine compiles the grammar once more, without the passes that rewrite rules, and a
        second matcher follows the output. A grammar of more than 256 KiB or 20,000 states, or of more than 5,000
        states as written, is not compiled again: `trace.as_written.note` then says so.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"1", b"+", b"</s>"], stop_token_ids=[2])
        >>> session = Session('root ::= root "+" num | num   num ::= "1"', info)
        >>> session.record_as_written()
        >>> [state["after"] for state in session.trace.as_written.program["states"]][:2]
        ['root "+" num', 'num']

        See also: docs/design/0054-as-written.md.
        """
        with self._lock:
            if self._recorder.record_as_written():
                self._events.emit({"type": "recorded", "trace": self.trace})

    def variant(
        self,
        *,
        grammar: str | Grammar | CompiledGrammar | Template | CompiledTemplate | None = None,
        arguments: Mapping[str, object] | None = None,
        name: str | None = None,
        **changes: Unpack[SamplingChanges],
    ) -> Session:
        """Return a new session like this one, at its start, with another grammar, other arguments or other sampling.

        It has the same prompt and vocabulary, and reads with the same model's weights. `Lockstep` steps both together.

        Parameters
        ----------
        grammar : str, Grammar, CompiledGrammar, Template or CompiledTemplate, optional
            Another grammar, as for the session itself.
        arguments : dict, optional
            Other arguments for the session's template, or those of the template given as `grammar`.
        name : str, optional
            The name; if left out, the session's name and what is changed.
        **changes : float
            `temperature`, `top_k`, `top_p` or `seed`, as for the session itself.

        Returns
        -------
        Session
            The new session.

        Raises
        ------
        SessionError
            Arguments are given, and the grammar is not an instance of a template.
        GrammarSyntaxError, GrammarError, TemplateArgumentError
            As for the session itself.

        >>> session = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> other = session.variant(seed=7)
        >>> other.name, other.prompt == session.prompt, other.sampling.seed
        ('session, seed 7', True, 7)
        """
        other: str | Grammar | CompiledGrammar | Template | CompiledTemplate = grammar or self.compiled
        if grammar is None and arguments is not None:
            if self.instance is None:
                hint = "session.variant(grammar=Template..., arguments={...})"
                raise SessionError("this session's grammar is not an instance of a template", hint=hint)
            other = self.instance.template
        changed = ["other grammar"] if grammar is not None else []
        changed += ["other arguments"] if arguments is not None else []
        changed += [f"{field} {value}" for field, value in changes.items()]
        try:
            sampling = replace(self.sampling, **changes)
        except TypeError as error:
            raise SessionError(f"not a sampling option: {error}", hint="temperature, top_k, top_p, seed") from error
        recorder, head = self._recorder, self.trace.header
        messages = [{"role": one["role"], "content": one["content"]} for one in head.get("messages") or []]
        return Session(
            other,
            self.tokenizer_info,
            self.model,
            arguments=arguments,
            prompt="" if messages else self.prompt,
            messages=messages or None,
            options=None if isinstance(other, CompiledGrammar | CompiledTemplate) else self.compiled.options,
            temperature=sampling.temperature,
            top_k=sampling.top_k,
            top_p=sampling.top_p,
            seed=sampling.seed,
            name=name or ", ".join([self.name, *changed]),
            max_tokens=self.max_tokens,
            record_chart=recorder.ways.record_chart,
            constrained=recorder.ways.constrained,
            jump_forward=recorder.ways.jump_forward,
            overlap=head.get("overlap"),
            limits=recorder.limits,
            engine=self._engine,
        )

    def set_sampling(self, **changes: Unpack[SamplingChanges]) -> None:
        """Change how tokens are sampled, from the pending step on.

        Parameters
        ----------
        **changes : float
            `temperature`, `top_k`, `top_p` or `seed`, as for the session itself.

        >>> session = Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> session.set_sampling(temperature=0.0)
        >>> session.sampling.temperature
        0.0
        """
        with self._lock:
            self._recorder.resample(**changes)
            if self.trace.pending is not None:
                with self._guard():
                    self._recorder.ready()
                self._events.emit({"type": "step", "step": None, "pending": self.trace.pending, "columns": []})

    def replay(self, ids: str | Iterable[int]) -> Diagnosis:
        """Take the token ids of another run, up to the first that the grammar refuses, and select that one.

        They get a trace of their own: `past_traces` keeps the present trace, and `resume()` returns to it. Until then
        `replayed` holds the diagnosis.

        Parameters
        ----------
        ids : str or iterable of int
            The ids of a whole output, or a text that contains them, such as a log line.

        Returns
        -------
        Diagnosis
            What `diagnose` returns for these ids.

        Raises
        ------
        SessionError
            The text contains no ids, or the session is not constrained.
        LimitError
            The ids would pass `max_tokens`.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.replay([0, 0]).step, session.text, session.selection["token"]
        (1, 'a', 0)
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
            self.select(**{**found.selection, "step": None if found.step >= last else found.step})
        return found

    def resume(self, trace: Trace | None = None) -> Trace:
        """Return to a trace of `past_traces`. The present trace takes its place there.

        Parameters
        ----------
        trace : Trace, optional
            One of `past_traces`; the newest if left out.

        Returns
        -------
        Trace
            The trace that the session continues.

        Raises
        ------
        SessionError
            There is no earlier trace, or it was made under another grammar.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> found = session.replay([0, 0])
        >>> session.resume().n_decided
        0
        """
        self.pause()
        with self._lock, self._guard():
            past = self._recorder.past_traces
            chosen = trace or (past[-1] if past else None)
            if chosen is None or all(chosen is not one for one in past):
                raise SessionError(
                    "there is no earlier trace to go on with", hint="past_traces lists the earlier traces"
                )
            if chosen.program != self.trace.program:
                raise SessionError("that trace was made under another grammar", hint="change_grammar() to it first")
            self._recorder.resume(chosen)
            self._begin_again()
            return self.trace

    # ---- Watching -------------------------------------------------------------------------------

    def select(self, **where: object) -> None:
        """Change the selection that all views share. It waits for no step that another thread takes.

        Parameters
        ----------
        **where
            `step`, `token`, `byte`, `rule`, `item`, `state` or `mask_entry`. None clears one of them.

        Raises
        ------
        SessionError
            A value names nothing in this session. The selection stays as it was.

        >>> import xg2lab as xgr
        >>> session = Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.select(step=0, token=1)
        >>> session.selection["token"]
        1
        """
        with self._selecting:
            program = self.trace.program
            n_states = len(program["states"])
            sizes = {"rule": len(program["rules"]), "state": n_states, "mask_entry": n_states}
            chosen = checked(where, sizes | {"token": self.tokenizer_info.vocab_size})
            self.selection = cast("schema.Selection", {**self.selection, **chosen})
        self._events.emit({"type": "selection", "selection": self.selection})

    # ---- Inside ---------------------------------------------------------------------------------

    @property
    def _is_over(self) -> bool:
        return bool(self.trace.steps) and self.trace.steps[-1].terminated

    def _begin_under(self, made: Made, compile_lane: list[int] | None = None) -> None:
        """Begin again under a grammar that is compiled; `compile_lane` says when, if it was done on the way."""
        if self.engine is not None:
            raise SessionError(
                f"a session with the masks of {self.engine} keeps its grammar",
                hint="make another session, with engine=",
            )
        self.pause()
        with self._lock, self._guard():
            runner = self._recorder.decoder.runner
            known = header_facts(made, self.tokenizer_info, runner)
            head: schema.Header = {**self._recorder.facts.header, **known, "compile_lane": compile_lane}
            self._recorder.change_grammar(made.compiled, TraceFacts(head, plain(made.compiled.program())))
            self.compiled, self.instance = made.compiled, made.instance
            remember(self.compiled)
            self._begin_again()

    def _begin_again(self, replayed: Diagnosis | None = None) -> None:
        """Clear the selection, measure the pending step, emit `reset`."""
        self.replayed = replayed
        self._was_paused = False
        with self._selecting:
            self.selection = nothing_selected()
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
                    if has_run(self.trace.steps) and self._recorder.allows_whitespace():
                        self.trace.note(
                            "the output goes on with white space, which the grammar does not end: see session.alarms"
                        )
            finally:
                self._events.emit({"type": "step", "step": step, "pending": self.trace.pending, "columns": columns})
            return step

    def _n_room(self) -> int:
        return min([self.max_tokens, *self._models_most()]) - self.trace.n_decided

    def _models_most(self) -> list[int]:
        """The most tokens of output that the model can read after the prompt, if it has a limit."""
        most = self.trace.header.get("most_tokens")
        return [] if most is None else [most]

    @property
    def _resting_status(self) -> schema.Status:
        steps = self.trace.steps
        return "completed" if steps and steps[-1].completed else "idle"

    def _require_room(self, n_tokens: int, at: int | None = None) -> None:
        """Raise an error if `n_tokens` can't follow the first `at` tokens, or all of them."""
        n_decided = self.trace.n_decided
        at = n_decided if at is None else at
        if at == n_decided and self._is_over:
            raise SessionError("the output has ended: nothing may follow", hint="go back() a step, or reset()")
        if at + n_tokens > self.max_tokens:
            raise LimitError(
                f"{n_tokens} more would pass the session's limit of {self.max_tokens} tokens",
                hint="raise session.max_tokens",
            )
        for most in self._models_most():
            if at + n_tokens > most:
                name = self.trace.header["model"] and self.trace.header["model"]["name"]
                raise LimitError(
                    f"{name} can read {most} tokens after this prompt, and the output would have {at + n_tokens}",
                    hint="begin again with a shorter prompt, or load a model that reads more",
                )
