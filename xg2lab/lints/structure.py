r"""Lints of what a grammar means: derivations without end, whitespace without end, parts that say nothing.

>>> from xg2lab.grammar import Grammar
>>> context = Context.of(Grammar.from_ebnf('root ::= ws "x"   ws ::= [ \\t]*'))
>>> [finding.message for finding in endless_whitespace(context)]
['rule `ws` lets whitespace go on without end']

Each lint is a function from a `Context` to its findings; `xg2lab.lints.catalogue` lists them with an example each.
"""

from __future__ import annotations

from collections.abc import Iterator

from xg2lab.errors import Diagnostic
from xg2lab.lints.components import components
from xg2lab.lints.context import Context

__all__ = [
    "cycles",
    "cyclic_rules",
    "duplicate_alternatives",
    "endless_whitespace",
    "options_without_effect",
    "without_effect",
]

WHITESPACE = {chr(point) for point in range(0x3001) if chr(point).isspace()}
WIDEST_CLASS = 64  # code points of a class that is looked at one by one
UNBOUNDED = 1 << 60
MOST_CHANGES = 64  # of a longest text's length: what still grows then needs itself, and grows for ever


# ---- Derivations that go round without reading ----


def cyclic_rules(context: Context) -> Iterator[Diagnostic]:
    """Rules that derive themselves and nothing else: `a ::= a | "x"`."""
    nodes = context.nodes
    for cycle in cycles(context):
        rule = cycle[0]
        way = " → ".join(context.name(other) for other in (*cycle, rule))
        yield context.finding(
            "cyclic_rule",
            "warning",
            f"rule {context.name(rule)} derives itself without consuming input ({way}), so each of its texts has "
            "infinitely many derivations",
            nodes.rules[rule].name_span,
            "leave out the alternative that is nothing but the rule itself",
        )


def cycles(context: Context) -> list[tuple[int, ...]]:
    """Rules in a circle, each of which may be nothing but the next. A rule is in one of them at most."""
    reached = context.nodes.reached()
    alone = {rule: _alone(context, context.nodes.rules[rule].body) for rule in reached}
    number = components(alone)
    within = {rule: [after for after in alone[rule] if number.get(after) == number[rule]] for rule in reached}
    found: list[tuple[int, ...]] = []
    told: set[int] = set()
    for rule in reached:
        if rule not in told and (cycle := _cycle(within, rule)):
            found.append(cycle)
            told.update(cycle)
    return found


def _alone(context: Context, index: int) -> list[int]:
    """The rules that an expression may be, with nothing beside them."""
    found: dict[int, None] = {}
    agenda = [index]
    seen = {index}
    while agenda:
        node = context.node(agenda.pop())
        if node.kind == "rule":
            found[node.rule] = None
        children: tuple[int, ...] = node.children if node.kind in ("choice", "sequence", "repeat") else ()
        if node.kind == "sequence":
            needed = [child for child in children if not context.is_nullable(child)]
            children = tuple(needed) if len(needed) == 1 else () if needed else children
        if node.kind == "repeat" and node.least > 1 and not context.is_nullable(node.children[0]):
            children = ()
        agenda += [child for child in children if child not in seen]
        seen.update(children)
    return list(found)


def _cycle(alone: dict[int, list[int]], rule: int) -> tuple[int, ...]:
    """A shortest way from a rule back to it, without its end; empty if there is none."""
    before: dict[int, int] = {}
    agenda = [rule]
    for here in agenda:
        for after in alone.get(here, ()):
            if after == rule:
                way = [here]
                while way[-1] != rule:
                    way.append(before[way[-1]])
                return tuple(reversed(way))
            if after not in before:
                before[after] = here
                agenda.append(after)
    return ()


# ---- Whitespace without end ----


def endless_whitespace(context: Context) -> Iterator[Diagnostic]:
    """Where a text can go on with whitespace for ever: a repetition of it, or a rule that comes back after some."""
    nodes = context.nodes
    blank = _blank(context)
    for rule, index in context.sites:
        node = context.node(index)
        if node.kind == "repeat" and node.most is None and blank[node.children[0]] > 0:
            is_whole = nodes.rules[rule].body == index
            what = f"rule {context.name(rule)}" if is_whole else f"`{context.words(index)}`"
            yield context.finding(
                "endless_whitespace",
                "warning",
                f"{what} lets whitespace go on without end",
                node.span,
                f"a model may never leave it: bound it, `{context.words(node.children[0])}{{0,8}}`, or allow none",
                rule=rule,
                holds_slot=True,
            )
    for rule in _returning_after_blank(context, blank):
        yield context.finding(
            "endless_whitespace",
            "warning",
            f"rule {context.name(rule)} comes back to itself after whitespace alone, so it can go on without end",
            nodes.rules[rule].name_span,
            "a model may never leave it: bound the whitespace, or allow it at one place only",
        )


def _blank(context: Context) -> list[int]:
    """For each expression the longest text of whitespace that it surely has, up to 1; -1 if it has none at all.

    Only parts that are nothing but whitespace count: a string's `[^"]` has blanks as well, and is no whitespace.
    """
    return context.nodes.least_solution(-1, lambda index, found: _blank_of(context, index, found))


def _blank_of(context: Context, index: int, found: list[int]) -> int:
    node = context.node(index)
    match node.kind:
        case "empty":
            return 0
        case "literal":
            return 1 if set(node.text) <= WHITESPACE else -1
        case "class":
            n_points = sum(high - low + 1 for low, high in node.ranges)
            if not 0 < n_points <= WIDEST_CLASS:
                return -1
            points = {chr(point) for low, high in node.ranges for point in range(low, high + 1)}
            return 1 if points <= WHITESPACE else -1
        case "rule":
            return found[context.nodes.rules[node.rule].body]
        case "choice":
            return max(found[child] for child in node.children)
        case "sequence":
            parts = [found[child] for child in node.children]
            return -1 if min(parts) < 0 else max(parts)
        case "repeat":
            child = found[node.children[0]]
            return child if child >= 0 else 0 if node.least == 0 else -1
        case _:
            return -1


def _returning_after_blank(context: Context, blank: list[int]) -> Iterator[int]:
    """The rules that can be reached again from themselves after some whitespace and nothing else.

    Such a way round stays within a strong component, and can take any step there: one with whitespace is enough.
    """
    begins = {rule: list(_begins(context, context.nodes.rules[rule].body, blank)) for rule in context.nodes.reached()}
    number = components({rule: [after for after, _ in steps] for rule, steps in begins.items()})
    returning = {
        number[rule]
        for rule, steps in begins.items()
        for after, has_blank in steps
        if has_blank and number.get(after) == number[rule]
    }
    yield from (rule for rule in begins if number[rule] in returning)


def _begins(context: Context, index: int, blank: list[int]) -> Iterator[tuple[int, bool]]:
    """The rules that an expression may begin with after whitespace, and whether there is some."""
    agenda = [(index, False)]
    seen: set[tuple[int, bool]] = set()
    while agenda:
        here, has_blank = agenda.pop()
        if (here, has_blank) in seen:
            continue
        seen.add((here, has_blank))
        node = context.node(here)
        if node.kind == "rule":
            yield node.rule, has_blank
        elif node.kind in ("choice", "repeat"):
            agenda += [(child, has_blank) for child in node.children]
        elif node.kind == "sequence":
            for child in node.children:
                agenda.append((child, has_blank))
                if blank[child] < 0:
                    break
                has_blank = has_blank or blank[child] > 0


# ---- Parts that say nothing ----


def duplicate_alternatives(context: Context) -> Iterator[Diagnostic]:
    """Alternatives that say the same as one before them."""
    shapes: dict[int, str] = {}
    for rule, index in context.sites:
        node = context.node(index)
        if node.kind != "choice":
            continue
        first: dict[str, int] = {}
        # that of Use($g) is the span of a whole rule
        is_list = context.is_of_slot(rule, node.span) and context.nodes.rules[rule].span != node.span
        for item, child in enumerate(node.children):
            same = first.setdefault(_shape(context, child, shapes), child)
            if same != child and context.node(child).span[0] < context.node(child).span[1]:
                yield context.finding(
                    "duplicate_alternative",
                    "warning",
                    f"this choice has the alternative `{context.said(rule, child)}` twice",
                    context.node(child).span,
                    "remove one of them",
                    rule=rule,
                    item=item if is_list else None,
                )


def _shape(context: Context, index: int, known: dict[int, str]) -> str:
    """An expression without its places: equal for expressions that say the same in the same way."""
    for here in sorted(context.nodes.walk(index)):
        if here not in known:
            node = context.node(here)
            parts = ",".join(known[child] for child in node.children)
            facts = (node.text, node.ranges, node.rule, node.least, node.most, node.dispatch, node.tokens)
            known[here] = f"{node.kind}{facts}({parts})" if len(parts) < 2000 else f"{node.kind}#{here}"
    return known[index]


def without_effect(context: Context) -> Iterator[Diagnostic]:
    """Repetitions that change nothing."""
    for rule, index in context.sites:
        node = context.node(index)
        words = context.words(index)
        message = ""
        hint = f"remove it: `{words}`"
        if node.kind == "repeat":
            child = node.children[0]
            inner = context.node(child)
            if (node.least, node.most) == (0, 1) and context.is_nullable(child):
                message = f"`?` changes nothing: `{context.words(child)}` may be empty already"
                hint = f"write `{context.words(child)}`"
            elif node.most is None and inner.kind == "repeat" and inner.least <= 1 and inner.most is None:
                message = "a repetition of a repetition matches no more than one of them"
                hint = f"write one repetition of `{context.words(inner.children[0])}`"
            elif node.least > 0 and context.is_nullable(child):
                message = f"`{words}` requires at least {node.least}, and each may be empty"
                hint = "write a lower bound of 0, or let the repeated part match something"
        if node.kind == "empty" and words.endswith(("{0}", "{0,0}", "{,0}")):
            message = f"`{words}` matches the empty text only"
        if message:
            yield context.finding("no_effect", "hint", message, node.span, hint, rule=rule)


def options_without_effect(context: Context) -> Iterator[Diagnostic]:
    """Limits of rules that no match ever reaches, and `lazy` where a match has one length."""
    nodes = context.nodes
    rules = {rule.name: rule for rule in context.grammar.rules}
    if not any(rule.options for rule in rules.values()):
        return
    longest = _longest(context)
    for number in nodes.reached():
        rule = nodes.rules[number]
        spans = rules[rule.name].option_spans
        most, least = longest[rule.body], nodes.lengths[rule.body]
        said: list[tuple[str, str]] = []
        if rule.max_chars is not None and most <= rule.max_chars:
            said.append(("max_chars", f"no match has more than {most} characters"))
        if rule.max_tokens is not None and 4 * most <= rule.max_tokens:
            said.append(("max_tokens", f"no match has more than {4 * most} bytes, and a token has one at least"))
        if rule.is_lazy and most == least:
            said.append(("lazy", f"every match has {most} characters, so none can end sooner"))
        for option, reason in said:
            yield context.finding(
                "option_no_effect",
                "hint",
                f"{option} changes nothing for rule {context.name(number)}: {reason}",
                spans[option],
                "remove it",
            )


def _longest(context: Context) -> list[int]:
    """Code points of each expression's longest text, UNBOUNDED if there is none, or if it is long in coming."""
    n_changes = [0] * len(context.nodes)

    def value_of(index: int, found: list[int]) -> int:
        length = _longest_of(context, index, found)
        n_changes[index] += length != found[index]
        return UNBOUNDED if length > 0 and n_changes[index] > MOST_CHANGES else length

    return context.nodes.least_solution(-1, value_of)


def _longest_of(context: Context, index: int, found: list[int]) -> int:
    node = context.node(index)
    parts = [found[child] for child in node.children]
    match node.kind:
        case "empty":
            return 0
        case "literal":
            return len(node.text)
        case "class" | "tokens":
            return 1 if node.ranges else UNBOUNDED if node.tokens else -1
        case "rule":
            return found[context.nodes.rules[node.rule].body]
        case "choice":
            return max(parts)
        case "sequence":
            return -1 if min(parts) < 0 else min(sum(parts), UNBOUNDED)
        case "repeat":
            if parts[0] <= 0:
                return 0 if node.least == 0 or parts[0] == 0 else -1
            return UNBOUNDED if node.most is None else min(parts[0] * node.most, UNBOUNDED)
        case "nothing":
            return -1
        case _:
            return UNBOUNDED
