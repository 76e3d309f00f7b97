"""Questions about any step of a session: reasons, masks, probabilities, matchers. Nothing here changes the session.

    session.explain(7)               # why token 7 is allowed or blocked at the newest step
    session.lost_mass(3).groups      # which rules took the mass that the mask blocks at step 3
    session.bitmask(3)

If `step` is left out, the newest step answers: it has a mask and no token yet.

THREADS  Every method may be called from any thread: it waits for the step that is being taken.
See also `xg2lab.lab.session.session`, which steps; `xg2lab.lab.session.recorder`, which knows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from xg2lab.compiling.stages import Stage, stage_programs, stages_of
from xg2lab.errors import ArgumentError, SessionError
from xg2lab.lab.session.beam import MOST_DEPTH, MOST_WIDTH, Beam, checked_size
from xg2lab.lab.session.diagnosing import Diagnosis, diagnose
from xg2lab.lab.session.instances import Instance
from xg2lab.lab.session.recorder import Recorder, Token
from xg2lab.lab.session.running import Running
from xg2lab.lab.trace.bulk import Bulk
from xg2lab.lab.trace.donors import Donor, donor_of
from xg2lab.lab.trace.forest import LARGEST_LIST, MOST_TREES, Derivations, Forest
from xg2lab.lab.trace.issue import issue_text, versions
from xg2lab.lab.trace.lost_mass import LostMass
from xg2lab.lab.trace.stacks import stack_tree
from xg2lab.lab.trace.trace import Trace

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar
    from xg2lab.lab import schema
    from xg2lab.matcher import GrammarMatcher
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["Asking"]


class Asking(Running):
    """The questions; the derived class sets `_recorder`, `selection`, `compiled`, `instance` and `tokenizer_info`."""

    _recorder: Recorder
    compiled: CompiledGrammar
    #: the template and the arguments that the grammar was linked from, None for any other grammar
    instance: Instance | None
    tokenizer_info: TokenizerInfo
    selection: schema.Selection
    #: of the compiled grammar that they were made of
    _stage_programs: tuple[CompiledGrammar, list[tuple[str, Mapping[str, Any] | str]]] | None = None

    @property
    def trace(self) -> Trace:
        """The record of the session. After `reset` with another prompt it is another object."""
        return self._recorder.trace

    def explain(self, token: Token, step: int | None = None) -> schema.Explanation:
        """Explain why a token or a text is allowed or blocked at a step.

        Parameters
        ----------
        token : int, str or bytes
            A token id, or a text.
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        dict
            The answer of `GrammarMatcher.explain`: whether it is `allowed`, the `mechanism` that decided, the `reason`
            as a sentence, the byte at which it failed (`died_at`), and the items that expected something else.

        Raises
        ------
        SessionError
            There is no such step.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> why = session.explain(1)
        >>> why["allowed"], why["expected_text"]
        (False, '"a"')
        """
        with self._lock:
            return self._recorder.explain(token, self._index(step))

    def issue_text(self, token: Token | None = None, step: int | None = None) -> str:
        """Write what `explain` says as the text of an issue, with lines that reproduce it with xg2lab alone.

        Parameters
        ----------
        token : int, str or bytes, optional
            If left out: the selected token, else the one chosen at the step, else the most probable one that is
            blocked.
        step : int, optional
            The index of a step; the selected step, else the newest, if left out.

        Returns
        -------
        str
            Markdown.

        Raises
        ------
        SessionError
            There is no such step, or no token to explain at it.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> print(session.issue_text(1).splitlines()[0])
        ## Why is token 1 b'b' blocked?
        """
        with self._lock:
            index = self._index(self.selection["step"] if step is None else step)
            at, trace = self.trace.steps[index], self.trace
            token = next((t for t in (token, self.selection["token"], at.token_id, *at.explain) if t is not None), None)
            if token is None:
                raise SessionError(
                    f"there is no token to explain at step {index}", hint="give a token id, a text or bytes"
                )
            why = self._recorder.explain(token, index)
            taken = [(s.token_id, bytes.fromhex(s.bytes)) for s in trace.steps[:index] if s.token_id is not None]
            foreign = self._recorder.decoder.foreign
            if foreign is not None:
                return foreign.issue_text(b"".join(data for _, data in taken), why)
            return issue_text(trace.header, trace.program, at.to_wire(), taken, why, versions(trace.header))

    def lost_mass(self, step: int | None = None) -> LostMass | None:
        """Find the rules that took the mass which the mask blocks at a step.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        LostMass or None
            The blocked mass by rule, see `xg2lab.lab.trace.lost_mass`. None without a model, where the output had left
            the grammar, and where the probabilities are no longer kept.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> lost = session.lost_mass()
        >>> abs(lost.total + session.trace.pending.z - 1) < 1e-3
        True
        """
        with self._lock:
            return self._recorder.lost_mass(self._index(step))

    def stacks(self, step: int | None = None) -> schema.StackTree:
        """List the pushdown automaton's stacks at a step as one tree. Only for `parser="pda"`.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        dict
            The tree, see `xg2lab.lab.trace.stacks`. Of more than 400 stacks, 400 are listed.

        Raises
        ------
        MatcherStateError
            The session has another parser.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= "ab"', info, options=xgr.EngineOptions(parser="pda"))
        >>> session.stacks()["n_stacks"]
        1
        """
        return stack_tree(self.matcher_at(step))

    def diagnose(self, ids: str | Iterable[int]) -> Diagnosis:
        """Find which token of an output breaks the grammar, where and why. The session does not change.

        Parameters
        ----------
        ids : str or iterable of int
            The ids of a whole output, or a text that contains them, such as a server's log line.

        Returns
        -------
        Diagnosis
            See `xg2lab.lab.session.diagnosing`; `replay` shows it in the views.

        Raises
        ------
        SessionError
            The text contains no ids, or the masks are another engine's, which gives no reasons.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.diagnose("tokens [0, 0]").kind
        'blocked'
        """
        foreign = self._recorder.decoder.foreign
        if foreign is not None:
            raise SessionError(
                f"{foreign.worker.name} shows masks alone, and a diagnosis needs reasons",
                hint="compare_engines(source, ids, [...], info) says where each engine refuses the ids",
            )
        return diagnose(self.compiled, ids, self.tokenizer_info, instance=self.instance)

    def donor(self, state: int, step: int | None = None) -> Donor:
        """Find the grammar that a step's mask entry was taken over from.

        Parameters
        ----------
        state : int
            The state whose mask entry is meant.
        step : int, optional
            The index of a step; the selected step, else the newest, if left out.

        Returns
        -------
        Donor
            See `xg2lab.lab.trace.donors`.

        Raises
        ------
        SessionError
            The step has no such entry, the entry was built here, or the donor no longer exists.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> try:
        ...     session.donor(10**6)
        ... except xgr.Xg2LabError as error:
        ...     print(error.message)
        step 0 has no mask entry of state 1000000
        """
        with self._lock:
            index = self._index(self.selection["step"] if step is None else step)
            entry = next((e for e in self.trace.steps[index].entries if e["state"] == state), None)
            if entry is None:
                raise SessionError(f"step {index} has no mask entry of state {state}", hint="trace.steps[i].entries")
            return donor_of(entry, self.trace.program, self.instance)

    def derivations(
        self, step: int | None = None, *, item: tuple[int, int] | None = None, most: int = MOST_TREES
    ) -> Derivations:
        """Count the derivations of the text before a step under the grammar as written, and list the first of them.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.
        item : (int, int), optional
            A column and an index of the chart as written, `trace.as_written.columns`: the derivations of the match that
            this item ends, whatever the step.
        most : int
            How many to list, 1 to 24.

        Returns
        -------
        Derivations
            Their number and the trees. Each tree says where it parts from another one. Of an unfinished text the open
            rules are fixed, and the derivations are those of their parts.

        Raises
        ------
        SessionError
            There is no such step or item, or the grammar is too large to be drawn as written.
        ArgumentError
            `most` is out of its bounds.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"1", b"+", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= root "+" root | "1"', info)
        >>> steps = session.force("1+1+1")
        >>> found = session.derivations()
        >>> found.n_trees, [tree.said for tree in found.trees]
        (2, ['root 0–5 is root 0–3 "+" root 4–5', 'root 0–5 is root 0–1 "+" root 2–5'])

        See also: Scott 2008, "SPPF-style parsing from Earley recognisers"; docs/design/0054-as-written.md.
        """
        if isinstance(most, bool) or not 1 <= most <= LARGEST_LIST:
            raise ArgumentError(f"most must be 1 to {LARGEST_LIST}, got {most}")
        self.record_as_written()
        with self._lock:
            at = self.trace.steps[self._index(step)].byte_begin if self.trace.steps else 0
            written = self.trace.as_written
            drawn = self.trace.drawn_as_written()
        if written is None or written.program is None:
            note = "the chart is not recorded" if written is None else written.note
            raise SessionError(
                f"there are no derivations to list: {note}",
                hint="Session(record_chart=True)" if written is None else "try a smaller grammar",
            )
        if item is None:
            return Forest(drawn).of_column(at, most)
        column, index = item
        if not (0 <= column < len(drawn.columns) and 0 <= index < len(drawn.columns[column])):
            raise SessionError(f"the chart as written has no item {index} in column {column}")
        return Forest(drawn).of_item(item, most)

    def beam(self, depth: int = 4, width: int = 3, *, step: int | None = None) -> Beam:
        """Grow a tree of what the model would write: the likeliest continuations, allowed and blocked, with their mass.

        Parameters
        ----------
        depth : int
            How many tokens a continuation has at most, 1 to 8.
        width : int
            How many allowed and how many blocked continuations are kept at each length, 1 to 8.
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        Beam
            Its nodes level by level. `mass` is the probability under the model alone, `drawn` the probability under the
            mask: the blocked mass is drawn elsewhere.

        Raises
        ------
        SessionError
            There is no such step, no model, or the output had left the grammar before it.
        ArgumentError
            Depth or width is out of its bounds.
        LimitError
            The continuations would pass the tokens that the model reads.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> found = session.beam(depth=1, width=2)
        >>> [(node.allowed, node.mass <= 1) for node in found.nodes]
        [(True, True), (False, True), (False, True)]

        See also: `BeamView`; docs/design/0055-beams.md.
        """
        depth, width = checked_size("depth", depth, MOST_DEPTH), checked_size("width", width, MOST_WIDTH)
        with self._lock:
            return self._recorder.beam(self._index(step), depth, width)

    @abstractmethod
    def record_as_written(self) -> None:
        """Record the grammar as written, if it is not recorded yet."""

    def machine_stages(self, rule: int | str | None = None) -> tuple[Stage, ...]:
        """Show the machine of a rule after each pass of the compiler.

        Parameters
        ----------
        rule : int or str, optional
            A rule's number or name; the root if left out. A name may also be that of a rule which a later pass removed.

        Returns
        -------
        tuple of Stage
            The last stage is the machine that runs. `Stage.marks` maps the states to those of the stage
            before.

        Raises
        ------
        SessionError
            There is no rule of this name at any stage.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> [stage.name for stage in session.machine_stages()][-1]
        'minimize'
        """
        compiled, program = self.compiled, self.trace.program
        name = program["rules"][rule]["name"] if isinstance(rule, int) else rule
        if self._stage_programs is None or self._stage_programs[0] is not compiled:
            known = stage_programs(compiled.grammar, self.tokenizer_info, compiled.options, last=program)
            self._stage_programs = compiled, known
        programs = self._stage_programs[1]
        names = {one["name"] for _, made in programs if not isinstance(made, str) for one in made["rules"]}
        if name is not None and name not in names:
            raise SessionError(f"there is no rule {name!r} at any stage", hint=", ".join(sorted(names)))
        return stages_of(compiled.grammar, self.tokenizer_info, compiled.options, rule=name, programs=programs)

    def matcher_at(self, step: int | None = None) -> GrammarMatcher:
        """Return a new matcher in the state before a step's token. Using it does not change the session.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        GrammarMatcher
            A fork, which belongs to the caller.

        Raises
        ------
        SessionError
            There is no such step, or the output had left the grammar before it.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.matcher_at(0).allowed_tokens()
        [0]
        """
        with self._lock:
            return self._recorder.decoder.matcher_at(self._index(step)).fork()

    def provenance(self, step: int | None = None) -> npt.NDArray[np.uint8] | None:
        """Return where each token's verdict came from at a step.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        numpy.ndarray of uint8, shape (vocab_size,), or None
            Codes that `xg2lab.Provenance` names. None where the output had left the grammar.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= "a"', info)
        >>> [xgr.Provenance(code).is_allowed for code in session.provenance()]
        [True, False, False]
        """
        with self._lock:
            return self._recorder.provenance(self._index(step))

    def probabilities(self, step: int | None = None) -> npt.NDArray[np.float32] | None:
        """Return the model's probability for each token at a step, before the mask.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        numpy.ndarray of float32, shape (vocab_size,), or None
            Exact at the pending step. At other steps within 4.2 %, as they are read from one byte a token. None without
            a model, and where the session no longer keeps the bytes (a note of the trace says so).

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "[" [0-9]+ "]"', model="tiny", prompt="A list: ")
        >>> session.probabilities().shape
        (2048,)
        """
        with self._lock:
            return self._recorder.probabilities(self._index(step))

    def bitmask(self, step: int | None = None) -> npt.NDArray[np.int32]:
        """Return the mask at a step.

        Parameters
        ----------
        step : int, optional
            The index of a step; the newest if left out.

        Returns
        -------
        numpy.ndarray of int32, shape (ceil(vocab_size / 32),)
            Least significant bit first, 1 = allowed.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.bitmask()
        array([1], dtype=int32)
        """
        return self._recorder.decoder.fill(self.matcher_at(step))

    def bulk(self, step: int) -> Bulk | None:
        """Return the arrays that the trace keeps for a step.

        Parameters
        ----------
        step : int
            The index of a step.

        Returns
        -------
        Bulk or None
            Provenance and probability codes, a byte a token each; None where they are not kept.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> session.bulk(0).provenance.tolist()
        [1, 0, 6]
        """
        return self.trace.bulk.get(step)

    # ---- Inside ---------------------------------------------------------------------------------

    def _index(self, step: int | None) -> int:
        n = len(self.trace.steps)
        index = n - 1 if step is None else step
        if n == 0:
            raise SessionError("this session has no step yet", hint="step() makes one, or says why it can't")
        if not 0 <= index < n:
            raise SessionError(f"there is no step {step}: the trace has {n}", hint=f"give 0 to {n - 1}")
        return index
