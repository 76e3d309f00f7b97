"""The EBNF dialect, read into plain tuples.

>>> grammar = parse_ebnf('root ::= "[" item{1,2} "]"   item ::= [0-9] | root')
>>> for name, expression in grammar.rules.items():
...     print(name, expression)
root ('seq', (('literal', b'['), ('repeat', ('rule', 'item'), 1, 2), ('literal', b']')))
item ('choice', (('class', ((48, 57),)), ('rule', 'root')))
>>> parse_ebnf('root ::= "a" | item')
Traceback (most recent call last):
xg2lab.reference.ebnf.EbnfError: 1:16: undefined_rule: item

A rule begins at `name ::=`, anywhere in the text. A lookahead, `(= ...)` at a rule's end, changes
no language (lookahead.py). `TagDispatch(...)` becomes rules (dispatch.py); `Token(...)` and its
like are in token_sets.py.

Shapes and units: a literal is bytes; a class is ranges of code points; a repetition counts whole
matches of what it repeats, `None` meaning without end. The empty match is the literal `b""`; a
class without ranges never matches.
See also: fsm.py and cfg.py, the two readers of these tuples.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from xg2lab.reference.any_order import AnyOrder
from xg2lab.reference.dispatch import Dispatch
from xg2lab.reference.lexemes import Lexeme, LexemeError, read_bounds, read_class, read_lexemes, read_literal
from xg2lab.reference.token_sets import MACROS, TokenSet, TokenTagDispatch, token_reference

Expression: TypeAlias = """(
    tuple[Literal["literal"], bytes] | tuple[Literal["class"], tuple[tuple[int, int], ...]]
    | tuple[Literal["rule"], str] | tuple[Literal["seq", "choice"], tuple[Expression, ...]]
    | tuple[Literal["repeat"], Expression, int, int | None] | tuple[Literal["tokens"], TokenSet]
)"""
EMPTY: Expression = ("literal", b"")


@dataclass
class Grammar:
    """Rules by name, in the order of the text; the lookaheads of those that have one; and the macros written out."""

    root: str
    rules: dict[str, Expression] = field(default_factory=dict[str, Expression])
    lookaheads: dict[str, Expression] = field(default_factory=dict[str, Expression])
    any_orders: dict[str, AnyOrder] = field(default_factory=dict[str, AnyOrder])  # by the rule written out for them
    dispatches: dict[str, Dispatch | TokenTagDispatch] = field(default_factory=dict[str, Dispatch | TokenTagDispatch])


class EbnfError(ValueError):
    """The first mistake in a text: its place, its kind (the codes of tests/cases/errors.toml) and the words there."""

    def __init__(self, text: str, at: int, code: str, words: str) -> None:
        self.line, self.column, self.code = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), code
        super().__init__(f"{self.line}:{self.column}: {code}: {words or 'end of text'}")


def parse_ebnf(text: str, root: str = "root") -> Grammar:
    """Read a grammar; raise `EbnfError` at its first mistake."""
    reader = Reader(text)
    grammar = reader.grammar(root)
    for at, name in reader.references.items():
        if name not in grammar.rules:
            raise EbnfError(text, at, "undefined_rule", name)
    if root not in grammar.rules:
        raise EbnfError(text, 0, "missing_root" if grammar.rules else "empty_grammar", root)
    return grammar


class Reader:
    """Recursive descent: one method for each level, from the whole grammar down to the atom."""

    def __init__(self, text: str) -> None:
        self.text, self.lexemes, self.position = text, read_lexemes(text), 0
        self.references, self.made = dict[int, str](), dict[str, Expression]()  # made: rules for dispatches
        self.any_orders = dict[str, AnyOrder]()
        self.dispatches = dict[str, Dispatch | TokenTagDispatch]()

    def grammar(self, root: str) -> Grammar:
        """Rules: `name ::= choice`, perhaps with a lookahead, until the text ends."""
        grammar = Grammar(root)
        while self.peek().kind != "end":
            name = self.take(kind="name")
            self.take("::=")
            if name.text in grammar.rules:
                raise self.error("duplicate_rule", name)
            grammar.rules[name.text] = self.choice()
            if self.peek().text == "(=":
                self.take("(=")
                grammar.lookaheads[name.text] = self.choice()
                self.take(")")
        grammar.rules |= self.made
        grammar.any_orders, grammar.dispatches = self.any_orders, self.dispatches
        return grammar

    def choice(self) -> Expression:
        """Sequences with `|` between them, each of which may be empty."""
        branches = [self.sequence()]
        while self.peek().text == "|":
            self.take("|")
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else ("choice", tuple(branches))

    def sequence(self) -> Expression:
        """Quantified atoms one after the other, up to `|`, `)`, `(=`, the next rule or the end."""
        parts: list[Expression] = []
        while not (self.peek().text in ("|", ")", "(=", "") or self.peek(1).kind == "define"):
            parts.append(self.quantified())
        return EMPTY if not parts else parts[0] if len(parts) == 1 else ("seq", tuple(parts))

    def quantified(self) -> Expression:
        """An atom and its repetitions: `a{2}*` is any even number of `a`."""
        expression = self.atom()
        while self.peek().kind == "repeat":
            lexeme = self.take(kind="repeat")
            try:
                expression = ("repeat", expression, *read_bounds(lexeme.text))
            except LexemeError as mistake:
                raise self.error(mistake.code, lexeme) from None
        return expression

    def atom(self) -> Expression:
        """A literal, a class, a rule's name or a group."""
        lexeme = self.take()
        try:
            if lexeme.kind == "literal":
                return "literal", read_literal(lexeme.text)
            if lexeme.kind == "klass":
                return "class", read_class(lexeme.text)
            if lexeme.kind == "token":
                return "tokens", token_reference(lexeme.text)
        except LexemeError as mistake:
            raise self.error(mistake.code, lexeme, mistake.at) from None
        if lexeme.text in MACROS and self.peek().text == "(":
            return MACROS[lexeme.text](self, f"macro@{lexeme.at}")
        if lexeme.kind == "name":
            self.references[lexeme.at] = lexeme.text
            return "rule", lexeme.text
        if lexeme.text == "(":
            inner = self.choice()
            if self.take().text != ")":
                raise self.error("unterminated_group", lexeme)
            return inner
        raise self.error("expected_expression" if lexeme.kind == "repeat" else lexeme.kind, lexeme)

    def peek(self, n_lexemes: int = 0) -> Lexeme:
        """The next lexeme, or the one after."""
        return self.lexemes[self.position + n_lexemes]

    def take(self, text: str | None = None, kind: str | None = None) -> Lexeme:
        """Go past the next lexeme, which must be spelled `text` or be of `kind` if either is given."""
        lexeme = self.peek()
        if text not in (None, lexeme.text) or kind not in (None, lexeme.kind):
            raise self.error("expected_token", lexeme)
        self.position += lexeme.kind != "end"
        return lexeme

    def error(self, code: str, lexeme: Lexeme, offset: int = 0) -> EbnfError:
        """A mistake at a lexeme, or `offset` code points into it."""
        return EbnfError(self.text, lexeme.at + offset, code, lexeme.text)
