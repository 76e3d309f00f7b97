"""From rules over expressions to a textbook context-free grammar on bytes.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> print(productions_of(parse_ebnf('root ::= "ab" | item+   item ::= [0-9x]   lost ::= "-" lost')))
root -> 61 62 | item root·1
root·1 -> | root·1 item
item -> 30-39 | 78

Every part that needs a name of its own (a group with branches, a repetition) gets one: `root·1`
belongs to `root`. A repetition without end recurses on the left, where Earley's method is linear;
for a parser with a stack, on the right.

Rules that never end, as `lost` here, are dropped: no text completes them, so a parser that follows
them would accept beginnings that are not viable. With the remaining rules, each beginning that can
be parsed can be completed. If the root itself is dropped, the language is empty.

Shapes and units: a symbol is a name, a byte range `(lo, hi)` or a set of tokens; a production is a
tuple of symbols.

See also: earley.py, its reader; Hopcroft and Ullman 1979, section 4.4 (useless symbols).
"""

from dataclasses import dataclass, field

from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.token_sets import TokenSet
from xg2lab.reference.utf8 import byte_boxes

Symbol = str | tuple[int, int] | TokenSet
Production = tuple[Symbol, ...]


@dataclass
class Cfg:
    """Productions by the name they make; `start` may be missing among them: then nothing matches."""

    start: str
    productions: dict[str, list[Production]] = field(default_factory=dict[str, list[Production]])

    def __str__(self) -> str:
        return "\n".join(
            f"{name} -> " + " | ".join(show(production) for production in productions)
            for name, productions in self.productions.items()
        ).replace("->  |", "-> |")


def show(production: Production, dot: int | None = None) -> str:
    """Names as they are, bytes in hexadecimal, perhaps with a dot."""
    words = [
        str(s) if not isinstance(s, tuple) else "-".join(f"{byte:02x}" for byte in sorted({*s})) for s in production
    ]
    return " ".join(words if dot is None else [*words[:dot], "•", *words[dot:]])


def owner(name: str) -> str:
    """The rule of the text that a name belongs to: `root` for `root·1`."""
    return name.partition("·")[0]


def productions_of(grammar: Grammar, start: str | None = None, *, loops_left: bool = True) -> Cfg:
    """Lower every rule; keep what can end."""
    lowering = Lowering(loops_left)
    for name, expression in grammar.rules.items():
        lowering.define(name, expression)
    return drop_unproductive(Cfg(start or grammar.root, lowering.productions))


def drop_unproductive(cfg: Cfg) -> Cfg:
    """Keep the productions all of whose names can be turned into bytes in finitely many steps."""
    ends: set[str] = set()
    kept: dict[str, list[Production]] = {}
    while True:
        kept = {
            name: [p for p in productions if all(symbol in ends for symbol in p if isinstance(symbol, str))]
            for name, productions in cfg.productions.items()
        }
        found = {name for name, productions in kept.items() if productions}
        if found == ends:
            return Cfg(cfg.start, {name: productions for name, productions in kept.items() if productions})
        ends = found


class Lowering:
    """Productions made so far, and the rule whose parts are being named."""

    def __init__(self, loops_left: bool) -> None:
        self.loops_left = loops_left
        self.productions: dict[str, list[Production]] = {}

    def define(self, name: str, expression: Expression) -> str:
        """Make the productions of a name, equal ones once."""
        self.productions[name] = []
        self.productions[name] = list(dict.fromkeys(self.branches(expression, owner(name))))
        return name

    def new_name(self, rule: str) -> str:
        """A name for a part of a rule."""
        name = f"{rule}·{sum(owner(made) == rule for made in self.productions)}"
        self.productions[name] = []
        return name

    def branches(self, expression: Expression, rule: str) -> list[Production]:
        """The productions that an expression stands for."""
        match expression:
            case ("literal", data):
                return [tuple((byte, byte) for byte in data)]
            case ("class", ranges):
                return [box for low, high in ranges for box in byte_boxes(low, high)]
            case ("rule", name):
                return [(name,)]
            case ("tokens", tokens):
                return [(tokens,)]
            case ("choice", branches):
                return [production for branch in branches for production in self.branches(branch, rule)]
            case ("seq", parts):
                return [tuple(symbol for part in parts for symbol in self.symbols(part, rule))]
            case ("repeat", part, least, most):
                once = self.symbols(part, rule)
                if most is None:
                    loop = self.new_name(rule)
                    self.productions[loop] = [(), (loop, *once) if self.loops_left else (*once, loop)]
                    return [once * least + (loop,)]
                optional: Production = ()
                for _ in range(most - least):  # from the inside out: (a (a (a)?)?)?
                    name = self.new_name(rule)
                    self.productions[name] = [(), once + optional]
                    optional = (name,)
                return [once * least + optional]

    def symbols(self, expression: Expression, rule: str) -> Production:
        """An expression as symbols in a row: its own, if it has one branch, or else a new name."""
        branches = list(dict.fromkeys(self.branches(expression, rule)))
        if len(branches) == 1:
            return branches[0]
        name = self.new_name(rule)
        self.productions[name] = branches
        return (name,)
