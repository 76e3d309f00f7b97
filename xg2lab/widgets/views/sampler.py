"""Sampler: members of a grammar while it is typed, and a text that is nearly one.

    pad = GrammarPad('root ::= "[" item "]"   item ::= [0-9]+')
    sampler = Sampler(pad)
    sampler.data(seed=2, rule="item").uses     # a member that uses the rule

See also: `xg2lab.sample`, which draws any number of members; `xg2lab.editing.sampler`, which finds the others.
"""

from __future__ import annotations

from typing import Self, cast

from xg2lab.lab.pad.help import PadHelp, Samples
from xg2lab.lab.pad.pad import GrammarSource, text_and_kind
from xg2lab.widgets.registry import pad_of_cell, pad_widget, session_widget
from xg2lab.widgets.views.grammar_pad import PadOwner, PadView, known_pad

__all__ = ["Sampler"]


class Sampler(PadView):
    """Shows members of a grammar while the grammar is edited: random ones, the shortest, one that uses the rule or the
    keyword at the caret, and a text one edit away that is no member.

    Parameters
    ----------
    grammar_or_pad : GrammarPad, Session, Grammar or str
        A pad, a session (whose pad is used), or a grammar; text is read as EBNF.

    >>> sampler = Sampler('root ::= "[" item ("," item)* "]"   item ::= [0-9]')
    >>> found = sampler.data(seed=1)
    >>> found.shortest, found.near.died_at
    ('[0]', 1)
    >>> sampler.data(seed=1) == found, len(found.members)
    (True, 10)
    """

    PANEL = "sampler"

    def __new__(cls, grammar_or_pad: PadOwner) -> Self:
        """Return the pad's sampler, or a new one."""
        pad = known_pad(grammar_or_pad) or pad_widget(
            pad_of_cell(*text_and_kind(cast("GrammarSource", grammar_or_pad)))
        )
        session = pad.pad.session
        return cls._of(None if session is None else session_widget(session), pad)

    def __init__(self, grammar_or_pad: PadOwner) -> None:  # noqa: ARG002 (see __new__)
        super().__init__()
        self.pad.show_samples()

    def data(self, seed: int = 1, rule: str | None = None, pointer: str | None = None) -> Samples:
        """Draw members of the present text, or of the last one that was a grammar.

        Parameters
        ----------
        seed : int
            The same seed gives the same members.
        rule : str, optional
            A rule that one member shall use.
        pointer : str, optional
            Of a JSON Schema, the JSON Pointer of a keyword that one member shall show.

        Returns
        -------
        Samples
            `members`, `shortest`, `uses` and `near`; `note` says why there are none.

        >>> Sampler('root ::= "a" | x   x ::= "b"').data(rule="x").uses
        'b'
        """
        return PadHelp(self.lab_pad.wait(5.0)).samples(seed, rule, pointer)

    def lines(self) -> list[str]:
        """Return the members as text.

        Returns
        -------
        list of str
            A line for each text.

        >>> Sampler('root ::= "a"').lines()
        ["shortest      'a'", "not a member  '0' fails at byte 0", "random        'a'"]
        """
        found = self.data()
        if found.note:
            return [found.note]
        lines = [] if found.shortest is None else [f"shortest      {found.shortest!r}"]
        if found.near is not None:
            where = "is incomplete" if found.near.died_at is None else f"fails at byte {found.near.died_at}"
            lines.append(f"not a member  {found.near.text!r} {where}")
        return lines + [f"random        {member!r}" for member in found.members]
