"""Notes that an author leaves in a trace: at a step, at a token of a step, or at a rule of the grammar.

>>> notes = with_note([], "The quote is forced here.", {"step": 3})
>>> notes = with_note(notes, "A number has no leading zero.", {"rule": "number"})
>>> [(note["number"], subject_text(note)) for note in notes]
[(1, 'step 3'), (2, 'rule number')]
>>> with_note(notes, "Two digits.", number=2)[1]["text"], len(without_note(notes, 1))
('Two digits.', 1)

IDEA
  A note is plain text with a number of its own, which no later note gets. A note stays until its author deletes it: a
  note at a step that was taken back waits for another step of that number. Rules are named, not numbered, so that a
  note survives another text of the grammar.

COST    A list of at most 200 notes of 2,000 characters. Each change makes a new list, so readers take no lock.
See also `xg2lab.lab.session.annotating`, which checks the subjects; docs/design/0056-presenting.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, cast

from xg2lab.errors import ArgumentError, LimitError
from xg2lab.lab.trace.values import fail
from xg2lab.support.arguments import unicode_text

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = [
    "MOST_CHARACTERS",
    "MOST_NOTES",
    "Subject",
    "check_annotations",
    "subject_text",
    "with_note",
    "without_note",
]

#: Of one note, and of a trace.
MOST_CHARACTERS, MOST_NOTES = 2_000, 200
#: Of a rule's name in a note.
MOST_NAME = 1_000


class Subject(TypedDict, total=False):
    """What a note is about: a step, a token of that step, or a rule."""

    step: int
    token: int
    rule: str


def with_note(
    notes: Sequence[schema.Annotation], text: object, subject: Subject | None = None, number: int | None = None
) -> list[schema.Annotation]:
    """Return the notes with one more, or with another text for the note of that number.

    Raises `LimitError` for a text or a list that is too long, `ArgumentError` for a blank text or an unknown number.
    """
    text = unicode_text(text, "text")
    if not text.strip():
        raise ArgumentError("a note has no text", hint="delete_annotation(number) removes a note")
    if len(text) > MOST_CHARACTERS:
        raise LimitError(
            f"a note has {len(text):,} characters; at most {MOST_CHARACTERS:,} are kept", hint="write several notes"
        )
    if number is not None:
        at = _place(notes, number)
        return [*notes[:at], {**notes[at], "text": text}, *notes[at + 1 :]]
    if len(notes) >= MOST_NOTES:
        raise LimitError(f"a trace keeps at most {MOST_NOTES} notes", hint="delete_annotation(number) makes room")
    made = {"number": 1 + max((note["number"] for note in notes), default=0), "text": text, **(subject or {})}
    return [*notes, cast("schema.Annotation", made)]


def without_note(notes: Sequence[schema.Annotation], number: int) -> list[schema.Annotation]:
    """Return the notes without one."""
    at = _place(notes, number)
    return [*notes[:at], *notes[at + 1 :]]


def _place(notes: Sequence[schema.Annotation], number: int) -> int:
    for at, note in enumerate(notes):
        if note["number"] == number:
            return at
    known = ", ".join(str(note["number"]) for note in notes) or "this trace has none"
    raise ArgumentError(f"there is no note {number!r}", hint=f"the notes' numbers: {known}")


def subject_text(note: schema.Annotation) -> str:
    """Return in words what a note is about."""
    if "rule" in note:
        return f"rule {note['rule']}"
    token = f", token {note['token']}" if "token" in note else ""
    return f"step {note.get('step')}{token}"


def check_annotations(notes: Sequence[schema.Annotation], vocab_size: int) -> None:
    """Check the notes of a trace from outside: how many and how long they are, their numbers and their subjects."""
    if len(notes) > MOST_NOTES:
        fail("/annotations", f"a list of {MOST_NOTES} values or fewer", notes)
    before = 0
    for k, note in enumerate(notes):
        at = f"/annotations/{k}"
        if note["number"] <= before:
            fail(f"{at}/number", f"above {before}, the number of the note before", note["number"])
        before = note["number"]
        if not 0 < len(note["text"].strip()) <= len(note["text"]) <= MOST_CHARACTERS:
            fail(f"{at}/text", f"a text of 1 to {MOST_CHARACTERS} characters, not all blank", note["text"])
        if ("rule" in note) == ("step" in note):
            fail(at, "about either a step or a rule", note)
        if "token" in note and ("rule" in note or note["token"] >= vocab_size):
            fail(f"{at}/token", f"below {vocab_size}, in a note about a step", note["token"])
        if "rule" in note and not 0 < len(note["rule"]) <= MOST_NAME:
            fail(f"{at}/rule", f"a name of 1 to {MOST_NAME} characters", note["rule"])
