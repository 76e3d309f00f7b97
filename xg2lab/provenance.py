"""Where a token's bit in the mask came from: the codes that `GrammarMatcher.provenance` and `Session.provenance` give.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"ab", b"x", b"</s>", b""], stop_token_ids=[3])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"?'))
>>> [Provenance(code).name for code in matcher.provenance()]
['ACCEPTED', 'ACCEPTED', 'REJECTED', 'STOP_NOT_LEGAL', 'PADDING']
>>> [token for token, code in enumerate(matcher.provenance()) if Provenance(code).is_allowed]
[0, 1]

Accepted, rejected and uncertain are the verdicts of XGrammar (Dong et al. 2024, section 3.1): what an item decides
about a token whatever its context is, and what it leaves to the context.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Provenance"]


class Provenance(IntEnum):
    """Where a token's bit in a mask came from. Arrays of codes are uint8; `codes == Provenance.ACCEPTED` compares each.

    >>> Provenance(4).name, Provenance.STOP_LEGAL.is_allowed
    ('SPECIAL', True)

    See also: XGrammar, section 3.1 (accepted, rejected, uncertain).
    """

    #: Not allowed; a mask entry said so, in each context.
    REJECTED = 0
    #: Allowed; a mask entry said so, in each context.
    ACCEPTED = 1
    #: Allowed; the entry left it open, and the parse of what came before decided.
    UNCERTAIN_ACCEPTED = 2
    #: Not allowed; the entry left it open, and the parse of what came before decided.
    UNCERTAIN_REJECTED = 3
    #: Not allowed: a special token, which never matches as text, and no token edge asks for it
    #: here.
    SPECIAL = 4
    #: Allowed: a stop token where the output may end.
    STOP_LEGAL = 5
    #: Not allowed: a stop token where the output must go on.
    STOP_NOT_LEGAL = 6
    #: Not allowed: an id without a token, or a token without bytes.
    PADDING = 7

    @property
    def is_allowed(self) -> bool:
        """Whether the token may come next: its bit in the mask.

        >>> [one.name for one in Provenance if one.is_allowed]
        ['ACCEPTED', 'UNCERTAIN_ACCEPTED', 'STOP_LEGAL']
        """
        return self in (Provenance.ACCEPTED, Provenance.UNCERTAIN_ACCEPTED, Provenance.STOP_LEGAL)
