"""Templates: EBNF with slots, and the ordinary grammar that a template means with its arguments.

>>> template = read_template('root ::= Each($xs, row, ",")   row ::= "<" $id ">"{$$n}')
>>> for name, body in write_out(template, {"xs": [{"id": "a"}, {"id": "b"}], "n": 2}).rules.items():
...     print(name, body)
root ('seq', (('rule', 'row/xs/0'), ('literal', b','), ('rule', 'row/xs/1')))
row/xs/0 ('seq', (('literal', b'<'), ('literal', b'a'), ('repeat', ('literal', b'>'), 2, 2)))
row/xs/1 ('seq', (('literal', b'<'), ('literal', b'b'), ('repeat', ('literal', b'>'), 2, 2)))

A JSON Schema with slots means the schema with the arguments in their places:

>>> with_arguments({"enum": {"$slot": "ids"}, "maxItems": {"$slot": "n"}}, {"ids": ["a", 1], "n": 3})
{'enum': ['a', 1], 'maxItems': 3}

With an encoder, static text and the texts of arguments come as a tokenizer writes them, and in no
other tokens:

>>> spelled = write_out(read_template('root ::= "ab" [a-z] $x'), {"x": "c"}, encode={b"ab": [7, 9], b"c": [3]}.get)
>>> for part in spelled.rules["root"][1]:
...     print(*part)
seq (('tokens', Token(7)), ('tokens', Token(9)))
class ((97, 122),)
seq (('tokens', Token(3)),)

The texts that a `TagDispatch` watches for, and the grammar of `Use`, stay bytes.

A slot `$x` is filled by the mapping that its rule is read with: the request's arguments, or an
element of the list of the `Each` through which the rule is reached. `$$x` is the request's. A rule
that leads to a hole is written out once for each mapping that it is read with, any other rule
once.

Shapes and units: arguments are a dict; a text is str or bytes (str as UTF-8, "surrogateescape"), a
grammar for `Use` is a `Grammar` of ebnf.py. Holes are tuples beside those of ebnf.py: ("text",
slot), ("one_of", slot), ("use", slot), ("if", slot, e, f), ("each", slot, rule, separator) and
("times", e, least, most); a slot is its name with its dollars. `encode` maps bytes to token ids.
See also: ebnf.py, token_operators.py; core/templates/write_out.h, whose twin this is (WGrammar
section 3.1).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

from xg2lab.reference.dispatch import Dispatch
from xg2lab.reference.ebnf import EMPTY, Expression, Grammar, Reader
from xg2lab.reference.lexemes import read_bounds, read_literal
from xg2lab.reference.token_sets import in_tokens

Arguments = dict[str, Any]


class Mapping(NamedTuple):
    """The arguments that a rule is read with, and the path that leads to them from the request."""

    arguments: Arguments
    path: str


class TemplateReader(Reader):
    """The reader of ebnf.py, and holes."""

    def sequence(self) -> Expression:
        """As in ebnf.py; inside `If(...)` a comma ends a sequence too."""
        parts: list[Expression] = []
        while not (self.peek().text in ("|", ")", "(=", "", ",") or self.peek(1).kind == "define"):
            parts.append(self.quantified())
        return EMPTY if not parts else parts[0] if len(parts) == 1 else ("seq", tuple(parts))

    def quantified(self) -> Expression:
        """A repetition whose bounds name slots is a hole."""
        expression = self.atom()
        while self.peek().kind == "repeat":
            text = self.take(kind="repeat").text
            if "$" in text:
                least, comma, most = (part.strip() for part in text[1:-1].partition(","))
                bounds = least or "0", (most or None) if comma else least
                expression = cast("Expression", ("times", expression, *bounds))
            else:
                expression = ("repeat", expression, *read_bounds(text))
        return expression

    def atom(self) -> Expression:
        """A hole, or an atom of ebnf.py."""
        text = self.peek().text
        if text == "$":
            return cast("Expression", ("text", self.slot()))
        if text not in ("OneOf", "Use", "If", "Each") or self.peek(1).text != "(":
            return super().atom()
        self.take()
        self.take("(")
        hole: list[Any] = [{"OneOf": "one_of"}.get(text, text.lower()), self.slot()]
        if text == "If":
            for _ in range(2):
                self.take(",")
                hole.append(self.choice())
        if text == "Each":
            self.take(",")
            hole += [self.take(kind="name").text, None]
            if self.peek().text == ",":
                self.take(",")
                lexeme = self.take()
                is_name = lexeme.kind == "name"
                hole[-1] = ("rule", lexeme.text) if is_name else ("literal", read_literal(lexeme.text))
        self.take(")")
        return cast("Expression", tuple(hole))

    def slot(self) -> str:
        """`$x` or `$$x`."""
        dollars = self.take("$").text
        if self.peek().text == "$":
            dollars += self.take("$").text
        return dollars + self.take(kind="name").text


def read_template(text: str, root: str = "root") -> Grammar:
    """Read a template: a grammar of ebnf.py, with holes among its expressions."""
    return TemplateReader(text).grammar(root)


def write_out(
    template: Grammar, arguments: Arguments, encode: Callable[[bytes], Sequence[int]] | None = None
) -> Grammar:
    """The ordinary grammar that the template means. The arguments fit it; the engine's errors are not the twin's."""
    written = Grammar(template.root)
    holed = rules_with_holes(template)
    watching = {
        rule
        for name, dispatch in template.dispatches.items()
        if isinstance(dispatch, Dispatch)
        for rule in dispatch.rules(name)
    }
    request = Mapping(arguments, "")
    open_rules = [(template.root, request)]

    def rule_name(rule: str, mapping: Mapping) -> str:
        """The name under which a rule is written out for a mapping, which is added to the rules still to be written."""
        mapping = mapping if rule in holed else request
        name = rule + mapping.path
        if name not in written.rules:
            written.rules[name] = EMPTY
            open_rules.append((rule, mapping))
        return name

    def in_bytes(text: str | bytes) -> Expression:
        return "literal", as_bytes(text)

    def as_encoded(text: str | bytes) -> Expression:
        return in_bytes(text) if encode is None else in_tokens(as_bytes(text), encode)

    def filled(expression: Any, mapping: Mapping, write: Callable[[str | bytes], Expression]) -> Expression:
        """The expression without holes; `write` makes its texts."""
        match expression:
            case ("literal", text):
                return write(text)
            case ("text", slot):
                return write(filling(slot, mapping))
            case ("one_of", slot):
                return "choice", tuple(write(text) for text in filling(slot, mapping))
            case ("if", slot, yes, no):
                return filled(yes if filling(slot, mapping) else no, mapping, write)
            case ("times", inner, least, most):
                least, most = (None if bound is None else count(bound, mapping) for bound in (least, most))
                return "repeat", filled(inner, mapping, write), least or 0, most
            case ("each", slot, rule, separator):
                parts: list[Expression] = []
                owner = request if slot.startswith("$$") else mapping
                for i, element in enumerate(filling(slot, mapping)):
                    if i > 0 and separator is not None:
                        parts.append(filled(separator, mapping, write))
                    path = f"{owner.path}/{slot.lstrip('$')}/{i}"
                    parts.append(("rule", rule_name(rule, Mapping(element, path))))
                return "seq", tuple(parts)
            case ("use", slot):
                return "rule", used(slot.lstrip("$"), filling(slot, mapping))
            case ("rule", name):
                return "rule", rule_name(name, mapping)
            case ("seq" | "choice" as kind, parts):
                return kind, tuple(filled(part, mapping, write) for part in parts)
            case ("repeat", inner, least, most):
                return "repeat", filled(inner, mapping, write), least, most
            case _:
                return expression

    def filling(slot: str, mapping: Mapping) -> Any:
        """The argument for a slot."""
        owner = request if slot.startswith("$$") else mapping
        return owner.arguments[slot.lstrip("$")]

    def count(bound: str, mapping: Mapping) -> int:
        """A bound of a repetition."""
        return filling(bound, mapping) if bound.startswith("$") else int(bound)

    def used(slot: str, grammar: Grammar) -> str:
        """Add a grammar's rules under names of their own; the name of its root."""
        prefix = f"{slot}#{id(grammar)}."

        def renamed(expression: Any) -> Any:
            match expression:
                case ("rule", name):
                    return "rule", prefix + name
                case ("seq" | "choice" as kind, parts):
                    return kind, tuple(map(renamed, parts))
                case ("repeat", inner, least, most):
                    return "repeat", renamed(inner), least, most
                case _:
                    return expression

        written.rules |= {prefix + name: renamed(body) for name, body in grammar.rules.items()}
        return prefix + grammar.root

    written.rules[template.root] = EMPTY
    while open_rules:
        rule, mapping = open_rules.pop(0)
        write = in_bytes if rule in watching else as_encoded
        written.rules[rule + mapping.path] = filled(template.rules[rule], mapping, write)
        if dispatch := template.dispatches.get(rule):
            tags: Any = tuple((tag, rule_name(name, mapping)) for tag, name in dispatch.tags)
            written.dispatches[rule + mapping.path] = replace(dispatch, tags=tags)
    return written


def with_arguments(schema: Any, arguments: Arguments) -> Any:
    """The ordinary schema that a schema with slots means. Any slot is filled: where one may stand the engine says."""
    match schema:
        case {"$slot": str(name)}:
            return arguments[name]
        case dict():
            members = cast("dict[str, Any]", schema)
            return {name: with_arguments(member, arguments) for name, member in members.items()}
        case list():
            return [with_arguments(item, arguments) for item in cast("list[Any]", schema)]
        case _:
            return schema


def rules_with_holes(template: Grammar) -> set[str]:
    """The rules that are written with holes, or lead to one that is."""
    found, n_found = set[str](), -1
    while len(found) > n_found:
        n_found = len(found)
        found |= {name for name, body in template.rules.items() if has_hole(body, found)}
    return found


def has_hole(expression: Any, holed: set[str]) -> bool:
    """Whether an expression has a hole, or names one of the rules `holed`."""
    match expression:
        case ("rule", name):
            return name in holed
        case ("seq" | "choice", parts):
            return any(has_hole(part, holed) for part in parts)
        case ("repeat", inner, _, _):
            return has_hole(inner, holed)
        case (kind, *_):
            return kind in ("text", "one_of", "use", "if", "each", "times")
        case _:
            return False


def as_bytes(text: str | bytes) -> bytes:
    """The bytes of an argument."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
