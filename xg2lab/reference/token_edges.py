"""Earley's parser on tokens: a token is read byte by byte, or taken whole, or both.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> chart = parse(parse_ebnf('root ::= ("a" | Token(0)) "b" Token(3)'))
>>> takes_whole(chart, 0), can_take(chart, 0, b"a"), can_take(chart, 1, b"a"), can_take(chart, 3, b"<s>")
(True, True, True, False)
>>> push_token(chart, 0, b"a"), push_token(chart, 1, b"b"), can_take(chart, 2, b"<s>"), push_token(chart, 3, b"<s>")
(True, True, False, True)
>>> [len(column) for column in chart.columns], chart.is_complete()
([3, 3, 1, 0, 0, 1], True)

A token that is taken whole makes as many columns as it has bytes, so that a column's number still
counts bytes; the columns within it are empty, unless the bytes are read as well. Its last column
has the items of both readings.

Shapes and units: a token is its id and its bytes, one at least.

See also: token_sets.py, what an edge takes; mask.py, which tokens may come at all.
"""

from xg2lab.reference.earley import Chart, Column, Reason, parse
from xg2lab.reference.token_sets import TokenSet

__all__ = ["can_take", "expects_token", "parse", "push_token", "takes_whole"]


def expects_token(chart: Chart) -> bool:
    """Does a token edge come next, among others?"""
    return any(isinstance(item.after_dot, TokenSet) for item in chart.columns[-1])


def takes_whole(chart: Chart, token: int) -> bool:
    """Does a token edge take it?"""
    return bool(crossed(chart, token))


def crossed(chart: Chart, token: int) -> Column:
    """The items behind the token edges that take a token here."""
    j = len(chart.data)
    return {
        item.advanced(): [Reason("scan", (j, item))]
        for item in chart.columns[j]
        if isinstance(item.after_dot, TokenSet) and item.after_dot.holds(token)
    }


def push_token(chart: Chart, token: int, data: bytes, *, is_text: bool = True) -> bool:
    """Read a token, by its bytes if it is text, and by token edges. False, and nothing changes, if neither takes it."""
    whole = crossed(chart, token)
    if not whole and not (is_text and chart.can_follow(data)):
        return False
    for byte in data:
        chart.push(byte)
        if not is_text:
            chart.columns[-1].clear()
    chart.open_column(chart.columns.pop() | whole)
    return True


def can_take(chart: Chart, token: int, data: bytes, *, is_text: bool = True) -> bool:
    """May the token come next? The chart stays as it is."""
    return takes_whole(chart, token) or (is_text and chart.can_follow(data))
