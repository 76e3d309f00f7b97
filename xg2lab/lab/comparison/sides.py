"""The two sides of a comparison, from what a user names.

>>> import xg2lab as xgr
>>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
>>> a, b = sides_of(session, None, None, {"parser": "pda"})
>>> a.options.parser, b.options.parser, a.meaning == b.meaning
('earley', 'pda', True)

See also `xg2lab.lab.comparison.replays`: what a side is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xg2lab.errors import SessionError
from xg2lab.grammar import Grammar
from xg2lab.lab.comparison.replays import Side

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session
    from xg2lab.options import EngineSwitches

__all__ = ["sides_of"]


def sides_of(
    session: Session,
    other: Session | None,
    grammar: Grammar | str | None,
    switches: EngineSwitches,
    *,
    written_out: bool = False,
) -> tuple[Side, Side]:
    """Return A, the session, and B: another session, another grammar, other switches, or A's template written out."""
    if other is not None and (grammar is not None or switches or written_out):
        raise SessionError("two sessions are compared without other options", hint="give the other session alone")
    if written_out and grammar is not None:
        raise SessionError("B is one grammar", hint="give grammar= or written_out=True")
    if written_out and session.instance is None:
        raise SessionError(
            "this session's grammar is not an instance of a template", hint="Session(template, arguments={})"
        )
    if other is None and grammar is None and not switches and not written_out:
        raise SessionError(
            "there is nothing to compare with", hint='compare(session, parser="pda"), or another session, or grammar='
        )
    of = session if other is None else other
    options = replace(of.compiled.options, **switches)
    b, instance = of.compiled.grammar, of.instance
    if grammar is not None:
        b, instance = Grammar.from_ebnf(grammar) if isinstance(grammar, str) else grammar, None
    elif written_out and session.instance is not None:
        b, instance = session.instance.template.template.write_out(**session.instance.arguments), None
    own = session.compiled
    return (
        Side("A", own.grammar, session.tokenizer_info, own.options, session.instance),
        Side("B", b, of.tokenizer_info, options, instance),
    )
