"""Token edges by their definition: one whole token out of a set of ids, whatever its bytes.

>>> some, others = TokenSet(frozenset({5, 7})), TokenSet(frozenset({5}), is_negated=True)
>>> print(some, others, [token for token in (5, 6, 7) if some.holds(token)], others.holds(6))
Token(5, 7) ExcludeToken(5) [5, 7] True
>>> print(token_reference("<[5]>"), token_reference("!<[5]>"))
Token(5) ExcludeToken(5)

A grammar may name a token by its text; the ids are found when a vocabulary is known:

>>> named = TokenSet(frozenset({5}), names=frozenset({"<s>"}))
>>> print(named, with_ids(named, [b"a", b"<s>", b"b", b"<s>"]))
Token(5, "<s>") Token(1, 3, 5)

`TokenTagDispatch((5, x), ...)` reads tokens freely until a trigger comes, which opens its rule.
Written out:

>>> dispatch = TokenTagDispatch(((5, "x"),), excludes=(6,))
>>> for branch in dispatch.rule("root")[1]:
...     print(*branch)
literal b''
seq (('tokens', ExcludeToken(5, 6)), ('rule', 'root'))
seq (('tokens', Token(5)), ('rule', 'x'), ('rule', 'root'))

Shapes and units: a token is its id, or its text where a grammar has that; stop tokens are in no
set, even if their ids are listed, and neither are ids without bytes.

See also: ebnf.py, which reads these macros; token_edges.py, the parser that crosses them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from xg2lab.reference.any_order import read_any_order
from xg2lab.reference.dispatch import read_dispatch
from xg2lab.reference.lexemes import read_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from xg2lab.reference.ebnf import Expression, Reader


@dataclass(frozen=True)
class TokenSet:
    """The tokens that one edge takes: these, or all but these."""

    ids: frozenset[int]
    is_negated: bool = False
    names: frozenset[str] = frozenset()

    def holds(self, token: int) -> bool:
        """Is the token in the set? Of a set without names."""
        assert not self.names, "names have no meaning without a vocabulary"
        return (token in self.ids) != self.is_negated

    def __repr__(self) -> str:
        names = [json.dumps(name, ensure_ascii=False) for name in sorted(self.names)]
        listed = ", ".join([*map(str, sorted(self.ids)), *names])
        return f"{'ExcludeToken' if self.is_negated else 'Token'}({listed})"


@dataclass(frozen=True)
class TokenTagDispatch:
    """Triggers with the names of the rules that they open, tokens that must not occur, and the way of going on."""

    tags: tuple[tuple[int | str, str], ...]
    excludes: tuple[int | str, ...] = ()
    loop_after_dispatch: bool = True

    def rule(self, name: str) -> Expression:
        """The rule that the dispatch stands for, which calls itself by `name`."""
        watched = [trigger for trigger, _ in self.tags] + [*self.excludes]
        again: tuple[Expression, ...] = (("rule", name),) if self.loop_after_dispatch else ()
        branches: list[Expression] = [("literal", b"")]
        branches.append(("seq", (("tokens", token_set(watched, is_negated=True)), ("rule", name))))
        for trigger, rule in self.tags:
            branches.append(("seq", (("tokens", token_set([trigger])), ("rule", rule), *again)))
        return "choice", tuple(branches)


def token_set(tokens: Iterable[int | str], *, is_negated: bool = False) -> TokenSet:
    """The set of these tokens, some by their ids and some by their texts."""
    ids = frozenset(token for token in tokens if isinstance(token, int))
    return TokenSet(ids, is_negated, frozenset(token for token in tokens if isinstance(token, str)))


def with_ids(expression: Any, vocabulary: Sequence[bytes]) -> Any:
    """An expression, a set or a grammar's rules with the ids of a vocabulary instead of names."""
    match expression:
        case TokenSet(ids, is_negated, names):
            texts = {name.encode() for name in names}
            return TokenSet(ids | {token for token, data in enumerate(vocabulary) if data in texts}, is_negated)
        case tuple() as parts:
            return tuple(with_ids(part, vocabulary) for part in cast("tuple[Any, ...]", parts))
        case dict() as rules:
            return {name: with_ids(body, vocabulary) for name, body in cast("dict[str, Any]", rules).items()}
        case _:
            return expression


def in_tokens(text: bytes, encode: Callable[[bytes], Sequence[int]]) -> Expression:
    """Text as an encoder writes it: a token edge for each id, so that no other tokens spell it."""
    return ("seq", tuple(("tokens", token_set([token])) for token in encode(text))) if text else ("literal", text)


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
    """`Token(5, "<s>")`."""
    return "tokens", token_set(read_tokens(reader))


def read_exclude_token(reader: Reader, _: str) -> Expression:
    """`ExcludeToken(5)`."""
    return "tokens", token_set(read_tokens(reader), is_negated=True)


def read_token_tag_dispatch(reader: Reader, name: str) -> Expression:
    """`TokenTagDispatch((5, rule), ..., loop_after_dispatch=true, excludes=(6, ...))`: a rule of its own."""
    tags, excludes, loop = list[tuple[int | str, str]](), list[int | str](), True
    for _ in items(reader):
        if reader.peek().text == "(":
            reader.take("(")
            trigger = read_one_token(reader)
            reader.take(",")
            rule = reader.take(kind="name")
            reader.take(")")
            reader.references[rule.at] = rule.text
            tags.append((trigger, rule.text))
        elif reader.take(kind="name").text == "excludes":
            reader.take("=")
            excludes = read_tokens(reader) if reader.peek().text == "(" else [read_one_token(reader)]
        else:
            reader.take("=")
            loop = reader.take().text == "true"
    reader.dispatches[name] = dispatch = TokenTagDispatch(tuple(tags), tuple(excludes), loop)
    reader.made[name] = dispatch.rule(name)
    return "rule", name


def read_tokens(reader: Reader) -> list[int | str]:
    """Tokens in parentheses."""
    return [read_one_token(reader) for _ in items(reader)]


def read_one_token(reader: Reader) -> int | str:
    """A token by its id, or by its text in quotation marks."""
    lexeme = reader.take()
    return read_literal(lexeme.text).decode() if lexeme.kind == "literal" else int(lexeme.text)


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
