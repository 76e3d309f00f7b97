"""Token edges by their definition: one whole token out of a set of ids, whatever its bytes.

>>> some, others = TokenSet(frozenset({5, 7})), TokenSet(frozenset({5}), is_negated=True)
>>> print(some, others, [token for token in (5, 6, 7) if some.holds(token)], others.holds(6))
Token(5, 7) ExcludeToken(5) [5, 7] True
>>> print(token_reference("<[5]>"), token_reference("!<[5]>"))
Token(5) ExcludeToken(5)

`TokenTagDispatch((5, x), ...)` reads tokens freely until a trigger comes, which opens its rule. Written out:

>>> dispatch = TokenTagDispatch(((5, "x"),), excludes=(6,))
>>> for branch in dispatch.rule("root")[1]:
...     print(*branch)
literal b''
seq (('tokens', TokenSet(ids=frozenset({5, 6}), is_negated=True)), ('rule', 'root'))
seq (('tokens', TokenSet(ids=frozenset({5}), is_negated=False)), ('rule', 'x'), ('rule', 'root'))

Shapes and units: a token is its id; stop tokens are in no set, whatever it says, and neither are ids without bytes.

See also: ebnf.py, which reads these macros; token_edges.py, the parser that crosses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xg2lab.reference.any_order import read_any_order
from xg2lab.reference.dispatch import read_dispatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xg2lab.reference.ebnf import Expression, Reader


@dataclass(frozen=True)
class TokenSet:
    """The tokens that one edge takes: these, or all but these."""

    ids: frozenset[int]
    is_negated: bool = False

    def holds(self, token: int) -> bool:
        """Is the token in the set?"""
        return (token in self.ids) != self.is_negated

    def __str__(self) -> str:
        return f"{'ExcludeToken' if self.is_negated else 'Token'}({', '.join(map(str, sorted(self.ids)))})"


@dataclass(frozen=True)
class TokenTagDispatch:
    """Triggers with the names of the rules that they open, tokens that must not occur, and the way of going on."""

    tags: tuple[tuple[int, str], ...]
    excludes: tuple[int, ...] = ()
    loop_after_dispatch: bool = True

    def rule(self, name: str) -> Expression:
        """The rule that the dispatch stands for, which calls itself by `name`."""
        watched = frozenset([trigger for trigger, _ in self.tags] + [*self.excludes])
        again: tuple[Expression, ...] = (("rule", name),) if self.loop_after_dispatch else ()
        branches: list[Expression] = [("literal", b"")]
        branches.append(("seq", (("tokens", TokenSet(watched, is_negated=True)), ("rule", name))))
        for trigger, rule in self.tags:
            branches.append(("seq", (("tokens", TokenSet(frozenset({trigger}))), ("rule", rule), *again)))
        return "choice", tuple(branches)


def token_reference(text: str) -> TokenSet:
    """`<[5]>` or `!<[5]>`, as llama.cpp writes token edges."""
    return TokenSet(frozenset({int(text.strip("!<[]>"))}), text.startswith("!"))


# ---- Reading: each macro is a function of the reader, which stands behind the macro's name, and a free rule name ----


def read_tag_dispatch(reader: Reader, name: str) -> Expression:
    """`TagDispatch(...)`: rules of its own."""
    reader.dispatches[name] = dispatch = read_dispatch(reader)
    reader.made |= dispatch.rules(name)
    return "rule", name


def read_token(reader: Reader, _: str) -> Expression:
    """`Token(5, 7)`."""
    return "tokens", TokenSet(frozenset(read_ids(reader)))


def read_exclude_token(reader: Reader, _: str) -> Expression:
    """`ExcludeToken(5)`."""
    return "tokens", TokenSet(frozenset(read_ids(reader)), is_negated=True)


def read_token_tag_dispatch(reader: Reader, name: str) -> Expression:
    """`TokenTagDispatch((5, rule), ..., loop_after_dispatch=true, excludes=(6, ...))`: a rule of its own."""
    tags, excludes, loop = list[tuple[int, str]](), list[int](), True
    for _ in items(reader):
        if reader.peek().text == "(":
            reader.take("(")
            trigger = int(reader.take(kind="name").text)
            reader.take(",")
            rule = reader.take(kind="name")
            reader.take(")")
            reader.references[rule.at] = rule.text
            tags.append((trigger, rule.text))
        elif reader.take(kind="name").text == "excludes":
            reader.take("=")
            excludes = read_ids(reader) if reader.peek().text == "(" else [int(reader.take().text)]
        else:
            reader.take("=")
            loop = reader.take().text == "true"
    reader.dispatches[name] = dispatch = TokenTagDispatch(tuple(tags), tuple(excludes), loop)
    reader.made[name] = dispatch.rule(name)
    return "rule", name


def read_ids(reader: Reader) -> list[int]:
    """Numbers in parentheses."""
    return [int(reader.take(kind="name").text) for _ in items(reader)]


def items(reader: Reader) -> Iterator[None]:
    """Stops at each item of a list in parentheses, and goes past what stands round them."""
    reader.take("(")
    while reader.peek().text != ")":
        yield
        if reader.peek().text != ")":
            reader.take(",")
    reader.take(")")


MACROS: dict[str, Callable[[Reader, str], Expression]] = {
    "AnyOrder": read_any_order,
    "TagDispatch": read_tag_dispatch,
    "Token": read_token,
    "ExcludeToken": read_exclude_token,
    "TokenTagDispatch": read_token_tag_dispatch,
}
