r"""A grammar without recursion as a tree of operators: Write, Wait, IfElse, Sequence, DoWhile.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> print(build(parse_ebnf('root ::= number ("." number)*   number ::= [0-9]+')))
0  Sequence
1    DoWhile min=1
2      Wait allows=[0-9]
3    DoWhile min=0
4      Sequence
5        Write "."
6        DoWhile min=1
7          Wait allows=[0-9]
>>> build(parse_ebnf('root ::= "(" list? ")"   list ::= root ("," root)*'))
Traceback (most recent call last):
xg2lab.reference.operator_tree.OperatorError: recursion: root -> list -> root

A rule is expanded at each of its call sites, so an operator has one position, and the tree alone
determines its continuation. Two call sites make two copies: the tree can be exponentially larger
than the grammar, so its growth has a limit.

    Write     a literal, or one token by its id
    Wait      one character of a class; one token of a set; text watched for tags (`TagDispatch`), whose bodies are its
              children; the shortest match of its one child (a rule with `lazy`)
    IfElse    one of its children
    Sequence  all of its children, in turn
    DoWhile   its child, `least` to `most` times

The tree is normal: parts that never match are dropped, with all parts that need them; `least` is
zero if the child may match the empty string, since empty matches make up any number; no DoWhile
repeats exactly once.

Shapes and units: an operator's number is its place in depth-first order. A Write of no bytes is
the empty match.
See also: WGrammar, section 3.2; operators.py, which runs the tree; cfg.py, which drops rules that
never end.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from xg2lab.reference.dispatch import Dispatch
from xg2lab.reference.ebnf import EMPTY, Expression, Grammar
from xg2lab.reference.heads import Options
from xg2lab.reference.token_sets import TokenSet, TokenTagDispatch, token_set
from xg2lab.reference.utf8 import byte_boxes

Ranges: TypeAlias = tuple[tuple[int, int], ...]
LAZY = "lazy"
REFUSED_OPTIONS = ("max_tokens", "max_chars")


class OperatorError(ValueError):
    """A grammar that no tree of operators stands for: a code, the rules concerned, and a message.

    Codes are `recursion` (the names are the cycle, its first name once more at its end), `too_many_operators`,
    `any_order` and `option`; token_operators.py adds its own.
    """

    def __init__(self, code: str, names: list[str], message: str) -> None:
        self.code, self.names = code, names
        super().__init__(f"{code}: {message}")


@dataclass(frozen=True)
class Operator:
    """A node of the tree: its number, the rule in whose body it is written, and the operators within it."""

    number: int
    rule: str
    children: tuple["Operator", ...]


@dataclass(frozen=True)
class Write(Operator):
    """Bytes, or one token: only one text may come."""

    what: bytes | TokenSet


@dataclass(frozen=True)
class Wait(Operator):
    """A character of a class, a token of a set, text up to a tag, or (`LAZY`) the shortest match of the child."""

    what: Ranges | TokenSet | Dispatch | str


@dataclass(frozen=True)
class IfElse(Operator):
    """One of its children."""


@dataclass(frozen=True)
class Sequence(Operator):
    """All of its children, in turn."""


@dataclass(frozen=True)
class DoWhile(Operator):
    """Its child, `least` to `most` times; None: any number of times."""

    least: int
    most: int | None


@dataclass(frozen=True)
class Tree:
    """The root, None if nothing matches; operators by number, their parents, and those that match the empty string."""

    root: Operator | None
    operators: list[Operator] = field(default_factory=list[Operator])
    parents: dict[int, tuple[int, int]] = field(
        default_factory=dict[int, tuple[int, int]]
    )  # number, place among children
    nullable: set[int] = field(default_factory=set[int])

    def __str__(self) -> str:
        return listing(self)


def build(grammar: Grammar, options: Mapping[str, Options] | None = None, max_operators: int = 100_000) -> Tree:
    """The tree of a grammar's root; raise `OperatorError` if there is none."""
    tree = Tree(numbered(Builder(grammar, options or {}, max_operators).rule(grammar.root)))
    agenda = [tree.root] if tree.root else []
    while agenda:
        operator = agenda.pop()
        tree.operators.append(operator)
        tree.parents.update({child.number: (operator.number, i) for i, child in enumerate(operator.children)})
        agenda += reversed(operator.children)
    tree.nullable.update(operator.number for operator in tree.operators if is_nullable(operator))
    return tree


class Builder:
    """Expressions become operators without numbers; None stands for an expression that never matches."""

    def __init__(self, grammar: Grammar, options: Mapping[str, Options], max_operators: int) -> None:
        self.grammar, self.options, self.max_operators = grammar, options, max_operators
        self.open_rules, self.n_operators = list[str](), 0

    def rule(self, name: str) -> Operator | None:
        """The body of a rule, at one of its call sites."""
        if name in self.open_rules:
            cycle = [*self.open_rules[self.open_rules.index(name) :], name]
            raise OperatorError("recursion", cycle, " -> ".join(cycle))
        if name in self.grammar.any_orders:
            raise OperatorError("any_order", [name], f"{name} has members in any order")
        for option in REFUSED_OPTIONS:
            if option in self.options.get(name, ()):
                raise OperatorError("option", [name], f"{name} has {option}")
        self.open_rules.append(name)
        dispatch = self.grammar.dispatches.get(name)
        if dispatch is None:
            body = self.of(self.grammar.rules[name])
        elif isinstance(dispatch, Dispatch):
            body = self.watched(dispatch)
        else:
            body = self.of(tokens_watched(dispatch))
        self.open_rules.pop()
        if body is None or LAZY not in self.options.get(name, ()):
            return body
        if takes_tokens(body):
            raise OperatorError("option", [name], f"{name} is lazy and has a token edge")
        return self.write(b"") if is_nullable(body) else self.made(Wait(0, name, (body,), LAZY))

    def of(self, expression: Expression) -> Operator | None:
        """An expression."""
        match expression:
            case ("literal", data):
                return self.write(data)
            case ("class", ranges):
                is_empty = not any(byte_boxes(*each) for each in ranges)
                return None if is_empty else self.made(Wait(0, self.open_rules[-1], (), ranges))
            case ("tokens", tokens):
                is_one = len(tokens.ids) == 1 and not tokens.is_negated
                return self.made((Write if is_one else Wait)(0, self.open_rules[-1], (), tokens))
            case ("rule", name):
                return self.rule(name)
            case ("choice", branches):
                possible = tuple(operator for branch in branches if (operator := self.of(branch)))
                return (
                    self.made(IfElse(0, self.open_rules[-1], possible)) if len(possible) > 1 else (*possible, None)[0]
                )
            case ("seq", parts):
                return self.sequence([self.of(part) for part in parts])
            case ("repeat", part, least, most):
                return self.repeated(self.of(part), least, most)

    def sequence(self, parts: list[Operator | None]) -> Operator | None:
        """Parts in turn; those that match nothing but the empty string are left out."""
        if None in parts:
            return None
        rest = tuple(part for part in parts if part and not (isinstance(part, Write) and part.what == b""))
        if len(rest) < 2:
            return rest[0] if rest else self.write(b"")
        return self.made(Sequence(0, self.open_rules[-1], rest))

    def repeated(self, body: Operator | None, least: int, most: int | None) -> Operator | None:
        """A repetition."""
        if body is None or most == 0 or (isinstance(body, Write) and body.what == b""):
            return None if body is None and least > 0 else self.write(b"")
        if (least, most) == (1, 1):
            return body
        return self.made(DoWhile(0, self.open_rules[-1], (body,), 0 if is_nullable(body) else least, most))

    def watched(self, dispatch: Dispatch) -> Operator | None:
        """Text watched for tags. A tag whose rule never matches must not occur: it becomes an exclude."""
        bodies = {tag: body for tag, name in dispatch.tags if (body := self.rule(name))}
        lost = tuple(tag for tag, _ in dispatch.tags if tag not in bodies)
        tags = tuple((tag, name) for tag, name in dispatch.tags if tag in bodies)
        dispatch = replace(dispatch, tags=tags, excludes=dispatch.excludes + lost)
        ends = dispatch.stop_str if dispatch.loop_after_dispatch else (*dispatch.stop_str, *bodies)
        if not dispatch.stop_eos and not any(fires(dispatch, text) for text in ends):
            return None
        return self.made(Wait(0, self.open_rules[-1], tuple(bodies.values()), dispatch))

    def write(self, data: bytes) -> Operator:
        """A Write of bytes."""
        return self.made(Write(0, self.open_rules[-1], (), data))

    def made(self, operator: Operator) -> Operator:
        """The operator, counted."""
        self.n_operators += 1
        if self.n_operators > self.max_operators:
            names = list(self.open_rules)
            raise OperatorError("too_many_operators", names, f"more than {self.max_operators}, in {' -> '.join(names)}")
        return operator


def tokens_watched(dispatch: TokenTagDispatch) -> Expression:
    """A dispatch of tokens without recursion: free tokens, then perhaps a trigger and its rule; or any number."""
    watched = frozenset([trigger for trigger, _ in dispatch.tags] + [*dispatch.excludes])
    free: Expression = ("tokens", token_set(watched, is_negated=True))
    tags: list[Expression] = [
        ("seq", (("tokens", token_set({token})), ("rule", name))) for token, name in dispatch.tags
    ]
    if dispatch.loop_after_dispatch:
        return ("repeat", ("choice", (free, *tags)), 0, None)
    last: Expression = ("repeat", ("choice", tuple(tags)), 0, 1) if tags else EMPTY
    return ("seq", (("repeat", free, 0, None), last))


def fires(dispatch: Dispatch, text: str) -> bool:
    """Can a watched text be read to its end? Not if another one ends within it."""
    return not any(other in text[:-1] for other in dispatch.watched)


def is_nullable(operator: Operator) -> bool:
    """Whether an operator matches the empty string."""
    match operator:
        case Write(what=what):
            return what == b""
        case Wait(what=Dispatch() as dispatch):
            return dispatch.stop_eos
        case IfElse(children=children):
            return any(map(is_nullable, children))
        case Sequence(children=children):
            return all(map(is_nullable, children))
        case DoWhile(least=least):
            return least == 0
        case _:
            return False


def takes_tokens(operator: Operator) -> bool:
    """Whether an operator, or one within it, takes a token whole."""
    return isinstance(getattr(operator, "what", None), TokenSet) or any(map(takes_tokens, operator.children))


def numbered(root: Operator | None) -> Operator | None:
    """The tree with numbers in depth-first order."""
    n_numbered = 0

    def copy(operator: Operator) -> Operator:
        nonlocal n_numbered
        number = n_numbered
        n_numbered += 1
        return replace(operator, number=number, children=tuple(map(copy, operator.children)))

    return root and copy(root)


# ---- The listing: one operator a line, as code ----


def listing(tree: Tree, active: Collection[int] = ()) -> str:
    """The tree as text, an operator a line; the numbers in `active` are marked.

    >>> from xg2lab.reference.ebnf import parse_ebnf
    >>> grammar = parse_ebnf('root ::= TagDispatch(("<a>", x), stop_str="#")   x ::= Token(7) | "é"{2}')
    >>> print(listing(build(grammar), {3}))
       0  Wait waits="<a>", stops="#"
       1    IfElse
       2      Write Token(7)
    *  3      DoWhile min=2, max=2
       4        Write "é"
    """
    width = len(str(len(tree.operators) - 1))
    lines: list[str] = []

    def write(operator: Operator, depth: int) -> None:
        mark = ("*  " if operator.number in active else "   ") if active else ""
        lines.append(f"{mark}{operator.number:{width}}  {'  ' * depth}{label(operator)}")
        for child in operator.children:
            write(child, depth + 1)

    if tree.root:
        write(tree.root, 0)
    return "\n".join(lines)


def label(operator: Operator) -> str:
    """The name of an operator, and what it allows."""
    match operator:
        case Write(what=TokenSet() as tokens):
            words = str(tokens)
        case Write(what=bytes() as data):
            words = quoted(data)
        case Wait(what=TokenSet() as tokens):
            words = f"{'denies' if tokens.is_negated else 'allows'}={tokens}"
        case Wait(what=Dispatch() as dispatch):
            named = {
                "waits": [tag for tag, _ in dispatch.tags],
                "stops": dispatch.stop_str,
                "denies": dispatch.excludes,
            }
            words = ", ".join(
                f"{n}={'|'.join(quoted(t.encode()) for t in texts)}" for n, texts in named.items() if texts
            )
        case Wait(what=str()):
            words = "shortest"
        case Wait(what=tuple() as ranges):
            words = "allows=" + shown(ranges)
        case DoWhile(least=least, most=most):
            words = f"min={least}" + ("" if most is None else f", max={most}")
        case _:
            words = ""
    return f"{type(operator).__name__} {words}".rstrip()


def quoted(data: bytes) -> str:
    """Bytes as a literal, those that are no text as escapes."""
    text = data.decode(errors="backslashreplace")
    return (
        '"' + "".join(point if point.isprintable() else repr(point)[1:-1] for point in text).replace('"', '\\"') + '"'
    )


def shown(ranges: Ranges) -> str:
    """Ranges as a class."""
    words = ("-".join(quoted(chr(point).encode())[1:-1] for point in sorted({*each})) for each in ranges)
    return f"[{''.join(words)}]"
