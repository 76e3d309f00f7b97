"""What a session can be asked of any of its steps: reasons, masks, probabilities, matchers. Nothing here changes it.

    session.explain(7)               # why token 7 is allowed or blocked at the newest step
    session.lost_mass(3).groups      # which rules took the mass that the mask blocks at step 3
    session.bitmask(3)

A step that is not said is the newest, which has its mask and no token yet.

THREADS  Every method may be called from any thread: it waits for the step that is being taken.
See also `xg2lab.lab.session.session`, which steps; `xg2lab.lab.session.recorder`, which knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from xg2lab.compiling.stages import Stage, stage_programs, stages_of
from xg2lab.errors import SessionError
from xg2lab.lab.auditing.diagnosing import Diagnosis, diagnose
from xg2lab.lab.session.instances import Instance
from xg2lab.lab.session.recorder import Recorder, Token
from xg2lab.lab.session.running import Running
from xg2lab.lab.trace.bulk import Bulk
from xg2lab.lab.trace.donors import Donor, donor_of
from xg2lab.lab.trace.issue import issue_text, versions
from xg2lab.lab.trace.lost_mass import LostMass
from xg2lab.lab.trace.stacks import stack_tree
from xg2lab.lab.trace.trace import Trace

__all__ = ["Asking"]


class Asking(Running):
    """The questions; whoever derives sets `_recorder`, `selection`, `compiled`, `instance` and `tokenizer_info`."""

    _recorder: Recorder
    compiled: Any
    #: the template and the arguments that the grammar was linked from, None for any other grammar
    instance: Instance | None
    tokenizer_info: Any
    selection: dict[str, Any]
    #: of the compiled grammar that they were made of
    _stage_programs: tuple[Any, list[tuple[str, dict[str, Any] | str]]] | None = None

    @property
    def trace(self) -> Trace:
        """The record. It is another object after `reset` with another prompt."""
        return self._recorder.trace

    def explain(self, token: Token, step: int | None = None) -> dict[str, Any]:
        """Why a token or text is allowed or blocked at a step (the latest if not said). Changes nothing."""
        with self._lock:
            return self._recorder.explain(token, self._index(step))

    def issue_text(self, token: Token | None = None, step: int | None = None) -> str:
        """What `explain` says as the text of an issue, in Markdown, with lines that show the same with xg2lab alone.

        Without `token` it is the selected one, else the one chosen at the step, else the most wanted that is blocked.
        """
        with self._lock:
            index = self._index(self.selection["step"] if step is None else step)
            at, trace = self.trace.steps[index], self.trace
            token = next((t for t in (token, self.selection["token"], at.token_id, *at.explain) if t is not None), None)
            if token is None:
                raise SessionError(f"nothing is asked at step {index}", hint="give a token id, a text or bytes")
            why = self._recorder.explain(token, index)
            taken = [(s.token_id, bytes.fromhex(s.bytes)) for s in trace.steps[:index] if s.token_id is not None]
            return issue_text(trace.header, trace.program, at.to_wire(), taken, why, versions(trace.header))

    def lost_mass(self, step: int | None = None) -> LostMass | None:
        """Which rules took the mass that the mask blocks at a step; see `xg2lab.lab.trace.lost_mass`.

        None without a model, where the output had left the grammar, and where the probabilities are no longer kept.
        """
        with self._lock:
            return self._recorder.lost_mass(self._index(step))

    def stacks(self, step: int | None = None) -> dict[str, Any]:
        """With `parser="pda"`: the automaton's stacks at a step as one tree, see `xg2lab.lab.trace.stacks`.

        Of very many stacks 400 are listed. Raises `MatcherStateError` for another parser.
        """
        return stack_tree(self.matcher_at(step))

    def diagnose(self, ids: str | Iterable[int]) -> Diagnosis:
        """Which of these token ids breaks the grammar, where and why: see `xg2lab.lab.auditing.diagnosing`.

        Changes nothing.

        `ids`: those of a whole output, or a text that holds them, as a server's log line. `replay` shows them.
        """
        return diagnose(self.compiled, ids, self.tokenizer_info, instance=self.instance)

    def donor(self, state: int, step: int | None = None) -> Donor:
        """The grammar that a step's mask entry of `state` was taken over from, see `xg2lab.lab.trace.donors`.

        Raises `SessionError` where the step has no such entry, where it was built here, and where the donor is gone.
        """
        with self._lock:
            index = self._index(self.selection["step"] if step is None else step)
            entry = next((e for e in self.trace.steps[index].entries if e["state"] == state), None)
            if entry is None:
                raise SessionError(f"step {index} has no mask entry of state {state}", hint="trace.steps[i].entries")
            return donor_of(entry, self.trace.program, self.instance)

    def machine_stages(self, rule: int | str | None = None) -> tuple[Stage, ...]:
        """The machine of a rule (the root, if none is said) after each pass; by name also of one that has none now.

        The last is the machine that runs. Which states stand for which of the stage before: `Stage.marks`.
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

    def matcher_at(self, step: int | None = None) -> Any:
        """A matcher of its own in the state before a step's token: what is done with it changes nothing here."""
        with self._lock:
            return self._recorder.decoder.matcher_at(self._index(step)).fork()

    def provenance(self, step: int | None = None) -> npt.NDArray[np.uint8] | None:
        """uint8[vocab_size]: where each token's verdict came from, as `xg2lab.Provenance` names the codes.

        None where the output had left the grammar. `step` is the pending one if it is not given.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= "a"', info)
        >>> [xgr.Provenance(code).is_allowed for code in session.provenance()]
        [True, False, False]
        """
        with self._lock:
            return self._recorder.provenance(self._index(step))

    def probabilities(self, step: int | None = None) -> npt.NDArray[np.float32] | None:
        """float32[vocab_size]: p, exact at the pending step, at others within 4.2 % (read from the kept byte codes).

        None without a model, and where the limit of kept bytes was passed (the trace has a note then).
        """
        with self._lock:
            return self._recorder.probabilities(self._index(step))

    def bitmask(self, step: int | None = None) -> npt.NDArray[np.int32]:
        """int32[ceil(vocab_size / 32)]: the mask at a step, least-significant bit first, 1 = allowed."""
        return self._recorder.decoder.fill(self.matcher_at(step))

    def bulk(self, step: int) -> Bulk | None:
        """Provenance and probability codes of a step, as they are kept."""
        return self.trace.bulk.get(step)

    # ---- Inside ----------------------------------------------------------------------------------------------

    def _index(self, step: int | None) -> int:
        n = len(self.trace.steps)
        index = n - 1 if step is None else step
        if n == 0:
            raise SessionError("this session has no step yet", hint="step() makes one, or says why it can't")
        if not 0 <= index < n:
            raise SessionError(f"there is no step {step}: the trace has {n}", hint=f"give 0 to {n - 1}")
        return index
