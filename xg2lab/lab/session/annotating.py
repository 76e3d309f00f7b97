"""Notes of a session's author: at a step, at a token of a step, or at a rule. They stay in the trace.

    session.annotate("Why may no letter come here?", step=4)
    session.annotate("The model wanted this one.", step=4, token=17)
    number = session.annotate("Digits, at least one.", rule="number")
    session.edit_annotation(number, "One digit or more.")

THREADS  Every method may be called from any thread: it waits for the step that is being taken.
See also `xg2lab.lab.trace.annotations`, which holds the limits; docs/design/0056-presenting.md.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xg2lab.errors import ArgumentError
from xg2lab.lab.session.asking import Asking
from xg2lab.lab.trace.annotations import Subject, with_note, without_note

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["Annotating"]


class Annotating(Asking):
    """The notes in the trace of a session."""

    def annotate(self, text: str, *, step: int | None = None, token: int | None = None, rule: str | None = None) -> int:
        """Leave a note in the trace. Views show it where its subject is, and saved and exported traces keep it.

        A note at a step stays in the trace of that run; after the step was taken back, it waits for another step of
        the same number. A note at a rule also goes into later traces of the session.

        Parameters
        ----------
        text : str
            Plain text of 1 to 2,000 characters. Views show it as it is written, markup included.
        step : int, optional
            The index of a step; the newest one if neither `step` nor `rule` is given.
        token : int, optional
            A token id: the note is then about this token at that step.
        rule : str, optional
            The name of a rule of the grammar as written, in place of a step.

        Returns
        -------
        int
            The number of the note, for `edit_annotation` and `delete_annotation`.

        Raises
        ------
        ArgumentError
            The text is blank, there is no such step, token or rule, or `rule` is given together with a step or token.
        ArgumentTypeError
            The text is not a str.
        LimitError
            The text is too long, or the trace has 200 notes already.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= "a" rest   rest ::= "b"', info)
        >>> session.annotate("Only a can come first.", step=0), session.annotate("Why not this?", token=1)
        (1, 2)
        >>> session.annotate("The end.", rule="rest")
        3
        >>> [note["text"] for note in session.trace.annotations]
        ['Only a can come first.', 'Why not this?', 'The end.']

        See also: docs/design/0056-presenting.md.
        """
        with self._lock:
            notes = with_note(self.trace.annotations, text, self._subject(step, token, rule))
            self._keep(notes)
            return notes[-1]["number"]

    def edit_annotation(self, number: int, text: str) -> None:
        """Give a note another text.

        Parameters
        ----------
        number : int
            The number that `annotate` returned.
        text : str
            Plain text of 1 to 2,000 characters.

        Raises
        ------
        ArgumentError
            There is no note of that number, or the text is blank.
        LimitError
            The text is too long.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= "ab"', info)
        >>> session.edit_annotation(session.annotate("Frist."), "First.")
        >>> session.trace.annotations[0]["text"]
        'First.'
        """
        with self._lock:
            self._keep(with_note(self.trace.annotations, text, number=number))

    def delete_annotation(self, number: int) -> None:
        """Delete a note.

        Parameters
        ----------
        number : int
            The number that `annotate` returned.

        Raises
        ------
        ArgumentError
            There is no note of that number.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
        >>> session = xgr.Session('root ::= "ab"', info)
        >>> session.delete_annotation(session.annotate("First."))
        >>> session.trace.annotations
        []
        """
        with self._lock:
            self._keep(without_note(self.trace.annotations, number))

    def _keep(self, notes: list[schema.Annotation]) -> None:
        self.trace.annotations = notes
        self._events.emit({"type": "annotated", "trace": self.trace})

    def _subject(self, step: int | None, token: int | None, rule: str | None) -> Subject:
        """Return what a note is about, as far as there is such a thing in the session."""
        if rule is not None:
            if step is not None or token is not None:
                raise ArgumentError("a note is about a rule or about a step, not about both", hint="write two notes")
            names = [known.name for known in self.compiled.grammar.rules]  # as written: some are inlined
            if rule not in names:
                close = get_close_matches(str(rule), names, n=3) or names[:10]
                raise ArgumentError(f"the grammar has no rule {rule!r}", hint=", ".join(close))
            return {"rule": rule}
        n_steps, n_tokens = len(self.trace.steps), self.tokenizer_info.vocab_size
        at = _below(n_steps, max(0, n_steps - 1) if step is None else step, "step", "the trace has the steps")
        if token is None:
            return {"step": at}
        return {"step": at, "token": _below(n_tokens, token, "token", "token ids are")}


def _below(n: int, number: object, what: str, known: str) -> int:
    """Return `number` if it names one of `n` things."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < n:
        raise ArgumentError(
            f"there is no {what} {number!r}", hint=f"{known} 0 to {n - 1}" if n else "there is none yet"
        )
    return number
