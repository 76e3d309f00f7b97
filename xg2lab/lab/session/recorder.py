"""One decision at a time: measured, chosen, taken, recorded. The session without its lock, its events and its run.

    recorder.ready()                        # the pending step is measured
    for token_id, kind in recorder.choose():
        recorder.decide(token_id, kind)     # accepted and recorded
        recorder.ready()                    # the next one is measured, unless the output has ended

IDEA
  Taking a token and measuring what follows are two calls, because the second asks the model and may fail: what was
  decided is in the trace by then, and `ready` can be called again.

INVARIANT  I1  decoder.taken == the decided tokens of the trace (restored by `ready` after an interrupt).
NOT HERE  locks and threads: `xg2lab.lab.session.session` holds its lock round every call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from xg2lab.errors import SessionError
from xg2lab.lab.model.sampling import SamplingOptions, uniforms
from xg2lab.lab.session.beam import Beam, grow_beam
from xg2lab.lab.session.decoder import Decoder, Limits, Measurement, at_temperature_of_rules, explain
from xg2lab.lab.session.written_chart import WrittenChart
from xg2lab.lab.trace.bulk import decode_probabilities
from xg2lab.lab.trace.lanes import Lane
from xg2lab.lab.trace.lost_mass import LostMass, lost_mass
from xg2lab.lab.trace.operators import active_to_wire, tree_to_wire
from xg2lab.lab.trace.steps import Branch, Step
from xg2lab.lab.trace.trace import Trace
from xg2lab.matcher import GrammarMatcher
from xg2lab.support.arguments import text_bytes

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.lab.model.sampling import SamplingChanges
    from xg2lab.lab.session.setup import Read

__all__ = ["Recorder", "Token", "Ways"]

Token = int | str | bytes
Columns = list[list[list[int]]]
#: Trees of likeliest continuations that are kept.
MOST_BEAMS = 16
#: The newest steps whose explanations get a walk as written when it is first recorded.
MOST_WALKED_STEPS = 200


@dataclass(frozen=True)
class Ways:
    """The choices that are made once, with the session."""

    constrained: bool = True
    jump_forward: bool = False
    record_chart: bool = True


class TraceFacts(NamedTuple):
    """What every trace of a grammar begins with; sampling, prompt and `constrained` are filled in for each trace."""

    header: schema.Header
    program: schema.Program


class Recorder:
    """A decoder and the trace of what it did."""

    def __init__(
        self, decoder: Decoder, facts: TraceFacts, *, sampling: SamplingOptions, limits: Limits, ways: Ways
    ) -> None:
        self.decoder, self.sampling, self.limits, self.ways = decoder, sampling, limits, ways
        self.facts = facts
        self._operators: schema.Operators | None = None  # once they are wanted: those of the grammar in force
        self._written: WrittenChart | None = None  # once it is wanted: that of the grammar in force
        self._beams: dict[object, Beam] = {}
        self.measured: Measurement | None = None
        self.past_traces: list[Trace] = []
        self._drawn: Lane | None = None  # when `choose` drew the token that `decide` is to take
        self.trace = self._new_trace(decoder.model.prompt)

    # ---- The four verbs -------------------------------------------------------------------------

    def ready(self) -> Measurement:
        """The measurement of the pending step: the one at hand, or made now. Raises what the model raises."""
        self.decoder.undo(len(self.decoder.taken) - self.trace.n_decided)
        if self.measured is None:
            self.measured = self._measure_again() if self.trace.pending is not None else self._measure()
            index, vocab_size = self.measured.step.index, self.decoder.vocab_size
            self.trace.bulk.put(index, self.measured.bulk(vocab_size))
            if self.trace.bulk.n_dropped:
                limit = f"{self.limits.bulk_bytes:,} bytes, limits.bulk_bytes"
                self.trace.note(f"facts about every token are kept for the latest steps only ({limit})")
        return self.measured

    def choose(self) -> list[tuple[int, str]]:
        """The next token and its kind; jumping forward, all the tokens of the forced text. Changes nothing."""
        measured = self.ready()
        if self.ways.jump_forward and self.ways.constrained:
            jump = self._jump_ids()
            if jump:
                return [(token_id, "jump_forward") for token_id in jump]
        if measured.distribution is None:
            allowed = ", ".join(repr(candidate.text) for candidate in measured.step.top[:8])
            raise SessionError(
                "this session has no model to choose a token with", hint=f"force() one; allowed are: {allowed}"
            )
        index = measured.step.index
        attempt = sum(branch.at == index for branch in self.trace.branches)
        clock = self.decoder.model.clock
        begun = clock.now()
        token_id = measured.distribution.draw(uniforms(self.sampling, index, attempt))
        self._drawn = (begun, clock.now())
        forced = self.ways.constrained and measured.step.n_allowed == 1
        return [(token_id, "forced_by_grammar" if forced else "sampled")]

    def decide(self, token_id: int, kind: str) -> tuple[Step, Columns]:
        """Accept a token and record it; returns the step and the chart's new columns."""
        measured, decoder = self.ready(), self.decoder
        pending, d = measured.step, measured.distribution
        drawn, self._drawn = self._drawn if kind in ("sampled", "forced_by_grammar") else None, None
        why = dict(pending.explain)
        if decoder.follows and token_id not in why:
            why[token_id] = self._walk_as_written(decoder.explain(token_id), pending.index)
        accept_us = decoder.take(token_id, pending.byte_begin)
        data = decoder.spelling.data(token_id, is_crossed=decoder.follows)
        step = replace(
            pending,
            kind=kind,
            token_id=token_id,
            text=decoder.spelling.text(token_id),
            bytes=data.hex(),
            n_bytes=len(data),
            p=None if d is None else float(d.p[token_id]),
            q=None if d is None else float(d.q[token_id]),
            rank=None if d is None else d.rank(token_id),
            accept_us=accept_us,
            lanes=pending.lanes and replace(pending.lanes, sample=drawn),
            terminated=decoder.is_terminated,
            explain=why,
        )
        self.trace.decide(step)
        self.trace.broke, self.measured = decoder.broke, None
        return step, self._grow_chart()

    def roll_back(self, n: int) -> Branch:
        """Take `n` decisions back."""
        at = self.trace.n_decided - n
        self.decoder.undo(len(self.decoder.taken) - at)
        branch = self.trace.roll_back(at)
        self.trace.broke, self.measured = self.decoder.broke, None
        self._grow_as_written()
        return branch

    # ---- Asking ---------------------------------------------------------------------------------

    def explain(self, token: Token, index: int) -> schema.Explanation:
        """The engine's explanation of a token or text at step `index`. A text that is one token is that token."""
        spelling, matcher = self.decoder.spelling, self.decoder.matcher_at(index)
        if isinstance(token, int):
            return self._walk_as_written(explain(matcher, token_id=spelling.check(token)), index)
        data = text_bytes(token, "token")
        token_id = spelling.find(data)
        why = explain(matcher, data=data) if token_id is None else explain(matcher, token_id=token_id)
        return self._walk_as_written(why, index)

    def provenance(self, index: int) -> npt.NDArray[np.uint8] | None:
        """uint8[vocab_size] at step `index`, as kept or asked anew."""
        bulk = self.trace.bulk.get(index)
        if bulk is not None:
            return bulk.provenance
        if index > self.decoder.n_followed:
            return None
        matcher = self.decoder.matcher_at(index)
        self.decoder.fill(matcher)
        return np.frombuffer(matcher.provenance(), np.uint8)

    def probabilities(self, index: int) -> npt.NDArray[np.float32] | None:
        """float32[vocab_size] at step `index`: exact if pending, else as kept."""
        if self.measured is not None and self.measured.step.index == index:
            d = self.measured.distribution
            return None if d is None else d.p.astype(np.float32)
        bulk = self.trace.bulk.get(index)
        codes = None if bulk is None else bulk.probability
        return None if codes is None else decode_probabilities(codes)

    def lost_mass(self, index: int) -> LostMass | None:
        """The blocked mass of step `index` by rule; None where mask or probabilities are not known."""
        provenance, p, step = self.provenance(index), self.probabilities(index), self.trace.steps[index]
        if provenance is None or p is None or step.z is None:
            return None
        return lost_mass(step, provenance, p, lambda token_id: self.explain(token_id, index))

    def allows_whitespace(self) -> bool:
        """Whether the pending step's mask allows a token of white space alone."""
        allowed = None if self.measured is None else self.measured.allowed
        if allowed is None:
            return False
        spelling = self.decoder.spelling
        return bool(allowed[spelling.blank_ids].any())

    def beam(self, index: int, depth: int, width: int) -> Beam:
        """The model's likeliest continuations of step `index`, allowed and blocked. The last trees are kept."""
        decoder = self.decoder
        if decoder.runner is None:
            raise SessionError("this session has no model, so nothing is likely", hint='Session(..., model="tiny")')
        taken = tuple(decoder.taken[:index])
        key = taken, depth, width, self.sampling, decoder.model.prompt
        if key not in self._beams:
            matcher = decoder.matcher_at(index)
            sampling = at_temperature_of_rules(self.sampling, matcher)
            runner = decoder.model.runner_at(taken, decoder.taken)
            size = {"step": index, "depth": depth, "width": width}
            self._beams[key] = grow_beam(decoder, runner, matcher, sampling, **size)
            while len(self._beams) > MOST_BEAMS:
                del self._beams[next(iter(self._beams))]
        found, kept = self._beams[key], self.trace.beams
        kept.pop(index, None)
        kept[index] = found.to_wire()
        while len(kept) > MOST_BEAMS:
            del kept[next(iter(kept))]
        return found

    # ---- Operators: recorded once they are requested ------------------------------------

    def record_operators(self) -> bool:
        """Put the tree of operators into the trace, and what is active into its steps, from now on too.

        Returns whether that is news.
        """
        if self.trace.operators is not None:
            return False
        decoder = self.decoder
        if self._operators is None and decoder.foreign is not None:
            name = decoder.foreign.worker.name
            self._operators = {"refused": f"{name} shows masks alone", "hint": "leave out engine=", "spans": []}
        if self._operators is None:
            self._operators = tree_to_wire(decoder.compiled)
        decoder.records_operators = "rows" in self._operators
        if decoder.records_operators:
            self._find_active()
        self.trace.operators = self._operators
        return True

    def record_as_written(self) -> bool:
        """Put the grammar as written and its chart into the trace, and go on with the chart from now on.

        Returns whether that is news.
        """
        if self.trace.as_written is not None or not self.ways.record_chart:
            return False
        if self._written is None:
            self._written = WrittenChart(self.decoder.compiled, self.limits.chart_columns)
        self.trace.as_written = self._written.begin()
        self._grow_as_written()
        for step in self.trace.steps[-MOST_WALKED_STEPS:]:
            for why in step.explain.values():
                self._walk_as_written(why, step.index)
        return True

    def _walk_as_written(self, why: schema.Explanation, index: int) -> schema.Explanation:
        """Add the walk and what was expected, with the items of the grammar as written, once that is recorded."""
        told = None
        if self._written is not None and "walk_as_written" not in why and self.trace.as_written is not None:
            told = self._written.explain(index, why)
        if told is not None:
            why["walk_as_written"], why["expected_as_written"] = told
        return why

    def _grow_as_written(self) -> None:
        """Append the columns of the tokens in the trace that the chart as written has not."""
        record = self.trace.as_written
        if self._written is not None and record is not None:
            tokens = [step.token_id for step in self.trace.steps if step.token_id is not None]
            self._written.follow(record, tokens, chart_row, ways_rows)

    def _find_active(self) -> None:
        """The active operators of the steps that there are: their tokens are taken again by a matcher of its own."""
        probe, steps = GrammarMatcher(self.decoder.compiled), list(self.trace.steps)
        for index, step in enumerate(steps):
            if index > self.decoder.n_followed:
                break
            steps[index] = replace(step, operators=active_to_wire(probe))
            if step.token_id is None or not probe.accept_token(step.token_id):
                break
        self.trace.steps = steps
        if self.measured is not None:
            self.measured = replace(self.measured, step=steps[self.measured.step.index])

    # ---- Changing what follows ------------------------------------------------------------------

    def restart(self, read: Read | None) -> None:
        """Begin again. The same prompt: decisions become a branch. Another: the trace goes to `past_traces`."""
        if read is not None and read.prompt != self.trace.header["prompt"]:
            if self.trace.steps:
                self.past_traces.append(self.trace)
            once: schema.Header = {  # compiling belongs to the first trace
                **self.facts.header,
                "compile_lane": None,
                "messages": read.messages,
            }
            self.facts = self.facts._replace(header=once)
            self.trace = self._next_trace(read.prompt)
        elif self.trace.n_decided:
            self.roll_back(self.trace.n_decided)
        self.decoder.restart(self.trace.header["prompt"])
        self.trace.broke, self.measured = None, None

    def change_grammar(self, compiled: CompiledGrammar, facts: TraceFacts) -> None:
        """Begin again under another grammar, with the same prompt; the trace goes to `past_traces`."""
        self.decoder.follow(compiled)
        self._beams.clear()
        if self._operators is not None:
            self._operators = tree_to_wire(compiled)
            self.decoder.records_operators = "rows" in self._operators
        if self._written is not None:
            self._written = WrittenChart(compiled, self.limits.chart_columns)
        self.facts = facts
        self.past_traces.append(self.trace)
        self.trace = self._next_trace(self.trace.header["prompt"])
        self.decoder.restart(self.trace.header["prompt"])
        self.measured = None

    def begin_beside(self) -> None:
        """Begin again with the same prompt in a trace of its own; the one there was goes to `past_traces`."""
        if self.trace.steps:
            self.past_traces.append(self.trace)
        self.trace = self._next_trace(self.trace.header["prompt"])
        self.decoder.restart(self.trace.header["prompt"])
        self.measured = None

    def resume(self, trace: Trace) -> None:
        """Go on with a trace of `past_traces`, of this grammar: its tokens are taken again; the other is kept."""
        self.past_traces = [past for past in self.past_traces if past is not trace]
        if self.trace.steps:
            self.past_traces.append(self.trace)
        self.trace = trace
        self.decoder.restart(trace.header["prompt"])
        for step in trace.steps:
            if step.token_id is not None and not step.is_pending:
                self.decoder.take(step.token_id, step.byte_begin)
        trace.broke, self.measured = self.decoder.broke, None
        if self._operators is not None:
            self.record_operators()
        if self._written is not None:
            trace.as_written = None  # its chart is filled anew
            self.record_as_written()

    def resample(self, **changes: Unpack[SamplingChanges]) -> None:
        """Change sampling options from the pending step on."""
        try:
            self.sampling = replace(self.sampling, **changes)
        except TypeError as error:
            raise SessionError(f"not a sampling option: {error}", hint="temperature, top_k, top_p, seed") from error
        head: schema.Header = {**self.trace.header, "sampling": self.sampling.to_wire()}
        self.trace.header = head
        self.measured = None

    # ---- Inside ---------------------------------------------------------------------------------

    def _next_trace(self, prompt: str) -> Trace:
        """A new trace after the one that there is: the notes about rules go on."""
        trace = self._new_trace(prompt)
        trace.annotations = [note for note in self.trace.annotations if "rule" in note]
        return trace

    def _new_trace(self, prompt: str) -> Trace:
        head: schema.Header = {
            **self.facts.header,
            "sampling": self.sampling.to_wire(),
            "constrained": self.ways.constrained,
            "prompt": prompt,
            "most_tokens": self.decoder.model.most_tokens(prompt),
        }
        trace = Trace(head, self.facts.program, bulk_bytes=self.limits.bulk_bytes)
        trace.operators = self._operators
        trace.as_written = None if self._written is None else self._written.begin()
        if self.decoder.foreign is not None:
            worker = self.decoder.foreign.worker
            trace.note(
                f"the masks are those of {worker.name} {worker.version}, which shows no chart, states or entries"
            )
        return trace

    def _measure(self) -> Measurement:
        trace = self.trace
        if not trace.columns:
            self._grow_chart()
        measured = self.decoder.measure(len(trace.steps), trace.n_bytes, self.sampling)
        for why in measured.step.explain.values():
            self._walk_as_written(why, measured.step.index)
        trace.begin(measured.step)
        return measured

    def _measure_again(self) -> Measurement:
        """The pending step anew, after a step back or other sampling options; its costs stay the first ones."""
        old = self.trace.steps[-1]
        new = self.decoder.measure(old.index, old.byte_begin, self.sampling)
        figures = {name: getattr(new.step, name) for name in ("top", "z", "kl", "temperature")}
        step = replace(old, **figures, explain=old.explain | new.step.explain)
        self.trace.decide(step)
        return replace(new, step=step)

    def _jump_ids(self) -> list[int]:
        """The tokens that must follow, special ones too; without a spelling of forced text, those of the mask alone."""
        try:
            return self.decoder.matcher.find_forced_tokens(self.decoder.encode)
        except SessionError:
            return self.decoder.matcher.find_forced_tokens()

    def _grow_chart(self) -> Columns:
        """Append the columns that the matcher has and the trace has not; they are returned."""
        trace, limit = self.trace, self.limits.chart_columns
        self._grow_as_written()
        n_known = len(trace.columns)
        if not self.ways.record_chart or not self.decoder.follows or n_known >= limit:
            return []
        chart = self.decoder.matcher.chart(n_known)
        known = chart["columns"][: limit - n_known]
        new: Columns = [[chart_row(row, n_known + k) for row in column] for k, column in enumerate(known)]
        trace.columns.extend(new)
        trace.ways.extend(row for row in ways_rows(chart["ways"]) if row[0] < limit)
        if len(trace.columns) >= limit:
            trace.note(f"the chart is recorded for the first {limit:,} columns only (limits.chart_columns)")
        return new


def chart_row(row: tuple[int, ...], column: int) -> list[int]:
    """An item of the engine's chart with its child's column written out: a completed child stands in the same one.

    >>> chart_row((3, 0, 3, 2, 1, 4), 5), chart_row((3, 0, 2, 4, 1, -1), 5)
    ([3, 0, 3, 2, 1, 5, 4], [3, 0, 2, 4, 1, -1, -1])
    """
    state, origin, operation, source_column, source_index, child_index = row
    child_column = column if child_index >= 0 else -1
    return [state, origin, operation, source_column, source_index, child_column, child_index]


def ways_rows(ways: dict[int, list[tuple[int, int, list[tuple[int, ...]]]]]) -> list[list[int]]:
    """Items that were made in several ways, as a trace has them: column, index, how many others, and those.

    >>> ways_rows({5: [(3, 1, [(3, 2, 1, 4)])]})
    [[5, 3, 1, 3, 2, 1, 5, 4]]
    """
    rows: list[list[int]] = []
    for column, items in ways.items():
        for index, n_others, others in items:
            made = [chart_row((0, 0, *way), column)[2:] for way in others]
            rows.append([column, index, n_others, *(number for way in made for number in way)])
    return rows
