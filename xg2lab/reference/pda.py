"""A pushdown automaton on bytes: the rest to match as a stack, one for each reading of the text.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> pda = Pda(parse_ebnf('root ::= "(" root ")" | "x"'))
>>> [show(stack) for stack in sorted(pda.stacks)]
['28 root 29', '78']
>>> pda.push(ord("(")), [show(stack) for stack in sorted(pda.stacks)]
(True, ['28 root 29 29', '78 29'])
>>> pda.can_follow(b"x)"), pda.can_follow(b"x))"), pda.is_complete()
(True, False, False)

A stack holds the symbols that are still to be matched, the next one first. A name on top is
replaced by each of its productions, so one stack becomes several; a byte range on top is compared
with the next byte, and popped. An empty stack is a whole match. Stacks share nothing: a text with
two readings has two stacks, and with n independent choices 2^n, where Earley's chart keeps one
item for their common part. More than `max_stacks` stacks are an OverflowError. Left recursion
would push without end: it is refused.

Shapes and units: a stack is a tuple of symbols; `stacks` is the set after the bytes so far,
`history` those before each.

See also: XGrammar 2024, section 3 (byte-level pushdown automaton, persistent execution stack);
earley.py.
"""

from collections.abc import Iterable

from xg2lab.reference.cfg import Cfg, Symbol, owner, productions_of, show
from xg2lab.reference.ebnf import Grammar

__all__ = ["Pda", "left_recursion", "show"]

Stack = tuple[Symbol, ...]


class Pda:
    """All stacks that the bytes so far lead to. `push` and `pop` change them; everything else asks."""

    def __init__(self, grammar: Grammar, max_stacks: int = 100_000) -> None:
        self.max_stacks = max_stacks
        cfg = productions_of(grammar, loops_left=False)
        if cycle := left_recursion(cfg):
            raise ValueError("left recursion pushes without end: " + " -> ".join(cycle))
        self.cfg, self.data = cfg, bytearray()
        self.stacks = self.expand([(cfg.start,)] if cfg.start in cfg.productions else [])
        self.history: list[set[Stack]] = []

    def expand(self, stacks: Iterable[Stack]) -> set[Stack]:
        """Replace names on top until every stack has a byte range on top, or is empty."""
        agenda = dict.fromkeys(stacks)
        for stack in (pending := list(agenda)):
            if stack and isinstance(stack[0], str):
                made = dict.fromkeys(production + stack[1:] for production in self.cfg.productions[stack[0]])
                pending += [new for new in made if new not in agenda]
                agenda |= made
                if len(agenda) > self.max_stacks:
                    raise OverflowError(f"more than {self.max_stacks} stacks")
        return {stack for stack in agenda if not stack or not isinstance(stack[0], str)}

    def push(self, byte: int) -> bool:
        """Read one byte. False, and no stack is left, if none expected it."""
        self.history.append(self.stacks)
        self.data.append(byte)
        self.stacks = self.expand(
            stack[1:] for stack in self.stacks if stack and isinstance(stack[0], tuple) and in_range(byte, stack[0])
        )
        return bool(self.stacks)

    def pop(self, n_bytes: int) -> None:
        """Take the last bytes back."""
        for _ in range(n_bytes):
            self.stacks = self.history.pop()
            self.data.pop()

    @property
    def is_alive(self) -> bool:
        """Can the bytes so far be continued to a whole match (or are they one)?"""
        return bool(self.stacks)

    def is_complete(self) -> bool:
        """Are the bytes so far a whole match of the start?"""
        return () in self.stacks

    def expected_bytes(self) -> set[int]:
        """Every byte that may come next."""
        tops = [stack[0] for stack in self.stacks if stack]
        return {byte for top in tops if isinstance(top, tuple) for byte in range(top[0], top[1] + 1)}

    def can_follow(self, data: bytes) -> bool:
        """Would `data`, after the bytes so far, still be a beginning of a match? The stacks stay as they are."""
        n_bytes = len(self.data)
        is_viable = self.is_alive and all(self.push(byte) for byte in data)
        self.pop(len(self.data) - n_bytes)
        return is_viable


def in_range(byte: int, symbol: tuple[int, int]) -> bool:
    """Whether a byte range has `byte` in it."""
    return symbol[0] <= byte <= symbol[1]


def nullable_names(cfg: Cfg) -> set[str]:
    """The names that match nothing at all, among others."""
    names: set[str] = set()
    while True:
        found = {name for name, ps in cfg.productions.items() if any(all(s in names for s in p) for p in ps)}
        if found == names:
            return names
        names = found


def left_calls(cfg: Cfg, name: str, nullable: set[str]) -> dict[str, bool]:
    """The names that may be on top before a byte of `name` is read; whether something may be left under them."""
    calls: dict[str, bool] = {}
    for production in cfg.productions[name]:
        for dot, symbol in enumerate(production):
            if not isinstance(symbol, str):
                break
            calls[symbol] = calls.get(symbol, False) or dot + 1 < len(production)
            if symbol not in nullable:
                break
    return calls


def reachable_names(cfg: Cfg) -> list[str]:
    """The names that some derivation of the start contains."""
    names = [cfg.start] if cfg.start in cfg.productions else []
    for name in names:
        called = {symbol for production in cfg.productions[name] for symbol in production if isinstance(symbol, str)}
        names += sorted(called - set(names))
    return names


def left_recursion(cfg: Cfg, *, pushes: bool = True) -> list[str]:
    """A name that comes back to itself, with more on the stack, before a byte is read; empty if there is none.

    Only names that the start reaches are searched. Without `pushes`, a rule that comes back to itself with nothing
    left on the stack is found as well: a set of stacks does not grow by it, but the engine refuses every cycle.

    >>> from xg2lab.reference.ebnf import parse_ebnf
    >>> left_recursion(productions_of(parse_ebnf('root ::= "-"? more | "x"   more ::= root "+"')))
    ['more', 'root', 'more']
    >>> unit = productions_of(parse_ebnf('root ::= x | "a"   x ::= root'))
    >>> left_recursion(unit), left_recursion(unit, pushes=False)
    ([], ['root', 'x', 'root'])
    """
    nullable = nullable_names(cfg)
    calls = {name: left_calls(cfg, name, nullable) for name in reachable_names(cfg)}
    first_calls = [
        (name, callee)
        for name in calls
        for callee, leaves in calls[name].items()
        if leaves or (not pushes and owner(name) == name)
    ]
    for name, first in first_calls:
        paths, seen = [[name, first]], {first}
        for path in paths:
            if path[-1] == name:
                return path
            fresh = [callee for callee in calls[path[-1]] if callee not in seen]
            seen.update(fresh)
            paths += [[*path, callee] for callee in fresh]
    return []
