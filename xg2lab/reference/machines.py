"""A grammar's rules as smallest machines, whose items may count: iterations, members of an any-order rule, or tokens.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> program = program_of(parse_ebnf('root ::= "<" ("a" | "ab"){2,9} ">"'), threshold=2)
>>> for name, rule in program.rules.items():
...     print(name, *rule.machine.edges, sep="   ")
root#0·child   [((97, 97), 1)]   [((98, 98), 2)]   []
root#0   [('root#0·child', 0)]
root   [((60, 60), 1)]   [('root#0', 2)]   [((62, 62), 3)]   []
>>> repetition = program.rules["root#0"]
>>> repetition.unite(frozenset({1}), frozenset({3, 4})), repetition.ends(0, frozenset({1}))
(frozenset({1, 3}), frozenset())

A machine reads bytes and calls rules: a recursive transition network. An item of some rules also
has *counts*, which the rest of its match depends on:

- A counted rule (`Counted`) repeats a child rule `least` to `most` times. The counts are the set of numbers of
  iterations that the match may have done. From `least` on the smallest number replaces the larger ones, as it allows
  all that they allow; without `most`, the largest number replaces all.
- An any-order rule (`Unordered`) calls its *member rule* and its separator in turn. The counts are the sets of members
  that the match may have matched, written as in any_order.py.
- A member rule (`Members`) is the machine of all members: its accepting states know the members
  that end there. The counts are those of the any-order rule's items that wait for it. A state is
  *open* if it reaches the end of a member that may come next; no other state can be finished.
- A rule with max_tokens counts the tokens that its match overlaps. Of two numbers the smaller one is kept.

Uniting commutes with all functions of counts: f(a united with b) is f(a) united with f(b).

Shapes and units: a state is a number within its rule; a label is a byte range or the name of a
rule. An empty iteration is not counted, so a repetition of a nullable child needs no iteration.
Members match at least one byte.
See also: rows.py, the parser that runs these machines; core/parse/counts.h;
core/automata/member_sets.h; Woods 1970, "Transition network grammars for natural language
analysis".
"""

# ruff: noqa: ARG002 - the kinds of rules share one interface, of which each needs a part

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias, cast

from xg2lab.reference.any_order import AnyOrder
from xg2lab.reference.any_order import State as Matched
from xg2lab.reference.cfg import Cfg, productions_of
from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.fsm import Fsm, build
from xg2lab.reference.minimize import minimize
from xg2lab.reference.pda import nullable_names
from xg2lab.reference.structure import Label, Machine

Counts: TypeAlias = Any  # None, a set of numbers, a set of sets of members, or a number of tokens
Member: TypeAlias = str | None
Ways: TypeAlias = dict[Matched, list[tuple[str, Matched]]]  # the members that may come after a set, and the set then


@dataclass(frozen=True)
class Rule:
    """A rule that counts nothing but tokens, and these only if it has `max_tokens`."""

    machine: Machine
    max_tokens: int = 0

    def first(self, of_caller: Counts) -> Counts:
        """The counts of a match that has consumed nothing."""
        return 0 if self.max_tokens else None

    def is_open(self, state: int, counts: Counts) -> bool:
        """Whether a match can be finished from this state."""
        return True

    def ends(self, state: int, counts: Counts) -> frozenset[Member]:
        """The members that end in this state; None stands for the rule itself."""
        return frozenset({None}) if state in self.machine.accepting else frozenset()

    def calls(self, state: int, counts: Counts) -> Iterator[tuple[str, int, Counts]]:
        """The rules called; the state and the counts with which the caller waits for them."""
        yield from ((label, to, counts) for label, to in self.machine.edges[state] if isinstance(label, str))

    def resumed(self, counts: Counts, member: Member) -> Counts:
        """The counts of a waiting item once the rule that it waits for is complete."""
        return counts

    def unite(self, a: Counts, b: Counts) -> Counts:
        """The counts of two items in one."""
        return min(a, b) if self.max_tokens else a

    def is_at_end(self, state: int) -> bool:
        """Whether an item in this state can do nothing but complete its rule."""
        is_plain = type(self) is Rule and not self.max_tokens
        return is_plain and state in self.machine.accepting and not self.machine.edges[state]


@dataclass(frozen=True)
class Counted(Rule):
    """A repetition: one state, which calls the child and waits in the same state."""

    least: int = 0
    most: int | None = None

    def first(self, of_caller: Counts) -> Counts:
        """No iteration is done."""
        return frozenset({0})

    def ends(self, state: int, counts: Counts) -> frozenset[Member]:
        """Whether enough iterations are done."""
        return frozenset({None}) if max(counts) >= self.least else frozenset()

    def calls(self, state: int, counts: Counts) -> Iterator[tuple[str, int, Counts]]:
        """The child, unless all iterations are done; each number grows by one."""
        after = self.simplest(count + 1 for count in counts if self.most is None or count < self.most)
        if after:
            yield from super().calls(state, after)

    def unite(self, a: Counts, b: Counts) -> Counts:
        """All numbers that some item has done."""
        return self.simplest({*a, *b})

    def simplest(self, counts: Iterable[int]) -> Counts:
        """Without the counts whose place another one can take."""
        counts = set(counts)
        if self.most is None:
            return frozenset({min(max(counts), self.least)})
        enough = {count for count in counts if count >= self.least}
        return frozenset(counts - enough | {min(enough, default=self.least)} if enough else counts)


@dataclass(frozen=True)
class Unordered(Rule):
    """An any-order rule. State 0: before the first member; 1: after a member; 2: after a separator."""

    bounds: AnyOrder = field(default_factory=lambda: AnyOrder(()))
    ways: Ways = field(default_factory=dict[Matched, list[tuple[str, Matched]]])

    def first(self, of_caller: Counts) -> Counts:
        """No member is matched."""
        return frozenset({(frozenset[int](), 0)})

    def ends(self, state: int, counts: Counts) -> frozenset[Member]:
        """Whether all that is needed was matched, by some set; not after a separator."""
        may_end = state != 2 and any(self.bounds.may_end(matched) for matched in counts)
        return frozenset({None}) if may_end else frozenset()

    def calls(self, state: int, counts: Counts) -> Iterator[tuple[str, int, Counts]]:
        """The member rule or the separator, if a member may come next."""
        going_on = frozenset(matched for matched in counts if self.ways.get(matched))
        if going_on:
            yield from super().calls(state, going_on)

    def resumed(self, counts: Counts, member: Member) -> Counts:
        """The member is added to the sets that permit it; a separator changes none."""
        if member is None:  # a separator
            return counts
        return frozenset(after for matched in counts for name, after in self.ways[matched] if name == member)

    def unite(self, a: Counts, b: Counts) -> Counts:
        """The sets of both."""
        return a | b


@dataclass(frozen=True)
class Members(Rule):
    """The members of an any-order rule as one machine: the members that end in its states, or can be reached."""

    ended: Mapping[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    reached: Mapping[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    ways: Ways = field(default_factory=dict[Matched, list[tuple[str, Matched]]])

    def first(self, of_caller: Counts) -> Counts:
        """The sets of the any-order rule's item."""
        return of_caller

    def is_open(self, state: int, counts: Counts) -> bool:
        """Whether the state reaches the end of a member that may come next."""
        return any(name in self.reached[state] for matched in counts for name, _ in self.ways[matched])

    def ends(self, state: int, counts: Counts) -> frozenset[Member]:
        """The members that end here; the waiting items decide which of them may."""
        return frozenset[Member](self.ended.get(state, ()))

    def unite(self, a: Counts, b: Counts) -> Counts:
        """The sets of both."""
        return a | b


@dataclass(frozen=True)
class Program:
    """Rules by name, the rule that a text must match, and the rules that match the empty string."""

    root: str
    rules: dict[str, Rule]
    nullable: set[str]

    @property
    def has_budgets(self) -> bool:
        """Whether any rule has max_tokens."""
        return any(rule.max_tokens for rule in self.rules.values())


# ---- From a grammar ----


def program_of(grammar: Grammar, *, threshold: float = inf, max_tokens: Mapping[str, int] | None = None) -> Program:
    """The rules of a grammar. Repetitions with a bound of `threshold` or more are counted."""
    budgets, counted = max_tokens or {}, dict[str, tuple[str, int, int | None]]()
    whole = Grammar(grammar.root)
    for name, expression in grammar.rules.items():
        whole.rules[name] = with_counted_rules(expression, name, threshold, whole.rules, counted)
    for name, bounds in grammar.any_orders.items():
        whole.rules[separator_of(name)] = bounds.separator
    cfg = productions_of(whole)  # only the rules that can end
    nullable = nullable_names(cfg)
    rules = {
        name: Rule(machine_of(whole, cfg, [name])[0], budgets.get(name, 0))
        for name in whole.rules
        if name in cfg.productions
    }
    for name, (child, least, most) in counted.items():
        if child in rules and name in rules:
            rules[name] = Counted(Machine({0}, [[(child, 0)]]), 0, 0 if child in nullable else least, most)
    for name, bounds in grammar.any_orders.items():
        if name in rules:
            rules |= any_order_rules(name, bounds, whole, cfg, budgets)
    return Program(grammar.root, rules, nullable)


def with_counted_rules(
    expression: Expression,
    name: str,
    threshold: float,
    rules: dict[str, Expression],
    counted: dict[str, tuple[str, int, int | None]],
) -> Expression:
    """The expression with references in the place of repetitions that are to be counted. They become rules, which end
    and match the empty string just as the repetitions do.
    """
    match expression:
        case ("seq" | "choice" as kind, parts):
            return kind, tuple(with_counted_rules(part, name, threshold, rules, counted) for part in parts)
        case ("repeat", part, least, most):
            part = with_counted_rules(part, name, threshold, rules, counted)
            if (most or least) < threshold:
                return "repeat", part, least, most
            repetition, child = f"{name}#{len(rules)}", f"{name}#{len(rules)}·child"
            rules |= {child: part, repetition: ("repeat", ("rule", child), min(least, 1), 1)}
            counted[repetition] = child, least, most
            return "rule", repetition
        case _:
            return expression


def separator_of(name: str) -> str:
    """The rule of an any-order rule's separator."""
    return f"{name}·separator"


def any_order_rules(
    name: str, bounds: AnyOrder, grammar: Grammar, cfg: Cfg, budgets: Mapping[str, int]
) -> dict[str, Rule]:
    """An any-order rule and its member rule. A member with a budget is called, so that its tokens are counted."""
    members, separator = f"{name}·members", separator_of(name)
    ways: Ways = {}
    agenda: list[Matched] = [(frozenset(), 0)]
    for matched in agenda:
        if matched not in ways:
            needed = {separator} if matched[1] else set[str]()
            ways[matched] = [  # the members that can end, and after which the whole can
                (member, after)
                for member, after in bounds.ways(matched)
                if needed | {member, bounds.name_of(name, after)} <= cfg.productions.keys()
            ]
            agenda += [after for _, after in ways[matched]]
    machine, ended = machine_of(grammar, cfg, sorted({member for member, _, _ in bounds.members}), budgets)
    whole = Machine({0, 1}, [[(members, 1)], [(separator, 2)], [(members, 1)]])
    return {
        name: Unordered(whole, 0, bounds, ways),
        members: Members(machine, 0, ended, reached_from(machine, ended), ways),
    }


def machine_of(
    grammar: Grammar, cfg: Cfg, names: list[str], called: Iterable[str] = ()
) -> tuple[Machine, dict[int, frozenset[str]]]:
    """The smallest machine that matches several rules, and which of them end in each state. Those `called` are edges.

    fsm.py knows bytes alone. So a reference to a rule, and the end of one, are symbols beyond the bytes.
    """
    codes = {name: 2 * i + 256 for i, name in enumerate(cfg.productions)}  # 2 apart: minimize.py joins adjacent ones
    end = {2 * len(codes) + 2 * i + 256: name for i, name in enumerate(names)}
    names_of: dict[int, Label] = {code: name for name, code in codes.items()}

    def on_symbols(expression: Expression) -> Expression:
        """The expression with symbols instead of references; those to rules that never end match nothing."""
        match expression:
            case ("rule", name):
                return ("literal", cast("bytes", (codes[name],))) if name in codes else ("class", ())
            case ("seq" | "choice" as kind, parts):
                return kind, tuple(map(on_symbols, parts))
            case ("repeat", part, least, most):
                return "repeat", on_symbols(part), least, most
            case ("tokens", _):  # no byte crosses a token edge
                return "class", ()
            case _:
                return expression

    fsm = Fsm()
    fsm.start, accepting = fsm.new_state(), fsm.new_state()
    fsm.accepting = {accepting}
    for code, name in end.items():
        body = on_symbols(("rule", name) if name in called else grammar.rules[name])
        last = build(fsm, fsm.start, body, grammar, ())
        fsm.edges[last].append((code, code, accepting))
    smallest = minimize(fsm)
    (after_ends,) = smallest.accepting or {len(smallest.edges)}  # a state that only ends of rules lead to: left out
    edges: list[list[tuple[Label, int]]] = []
    ended: dict[int, frozenset[str]] = {}
    for state, some in enumerate(smallest.edges):
        if state == after_ends:
            continue
        if here := frozenset(end[low] for low, *_ in some if low in end):
            ended[len(edges)] = here
        edges.append(
            [(names_of.get(low, (low, high)), to - (to > after_ends)) for low, high, to in some if low not in end]
        )
    return Machine(set(ended), edges, smallest.start), ended


def reached_from(machine: Machine, ended: Mapping[int, frozenset[str]]) -> dict[int, frozenset[str]]:
    """For each state the names that end in it, or in a state that it reaches."""
    reached = {state: ended.get(state, frozenset[str]()) for state in range(len(machine.edges))}
    while True:
        found = {s: names.union(*(reached[to] for _, to in machine.edges[s])) for s, names in reached.items()}
        if found == reached:
            return reached
        reached = found
