r"""Forced tokens: the ids that must come next for any model, token edges included.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> grammar = parse_ebnf('root ::= Token(4) "<p>" Token(4) [<p]')
>>> matcher = Matcher(grammar, [b"<", b"p", b"<p", b">", b"<image>"], special_tokens=[4])
>>> forced_tokens(matcher), forced_tokens(matcher, {"<p>": [2, 3]}.__getitem__)
([4], [4, 2, 3, 4])
>>> matcher.steps
[]

By definition a token is forced if it is the only one in the mask and the text is not complete.
Behind token 4 this stops: `<` and `<p` are both allowed. Only the tokenizer knows which of them a
model writes. With `encode`, forced text is written as the tokenizer writes it. The list ends
before a token of that spelling that is not allowed, such as a special token, which never matches
text.

Shapes and units: `encode` maps a str to token ids, whose bytes are those of the text.
See also: matcher.py, which finds the text and where it may end; docs/design/0009.
"""

from collections.abc import Callable

from xg2lab.reference.matcher import Matcher

__all__ = ["forced_tokens"]

Encode = Callable[[str], list[int]]


def forced_tokens(matcher: Matcher, encode: Encode | None = None, most: int = 1 << 16) -> list[int]:
    """The forced ids, up to the first after `most`; the matcher stands where it stood.

    Without a limit there may be no end: of `root ::= "a" (root | "b")`, where no token has a "b", each token is forced.
    """
    forced: list[int] = []
    is_open = True
    while is_open and len(forced) < most and not matcher.is_terminated and not matcher.is_completed:
        text = matcher.find_jump_forward_string() if encode else ""
        spelled = encode(text) if encode and text else []
        n_taken = n_accepted(matcher, spelled)
        forced += spelled[:n_taken]
        is_open = n_taken == len(spelled)
        if n_taken == 0:
            only = matcher.mask()
            is_open = len(only) == 1 and n_accepted(matcher, [*only]) == 1
            forced += only if is_open else ()
    matcher.rollback(len(forced))
    return forced


def n_accepted(matcher: Matcher, tokens: list[int]) -> int:
    """Accept tokens, up to the first that is not allowed; how many they are."""
    return next((i for i, token in enumerate(tokens) if not matcher.accept_token(token)), len(tokens))
