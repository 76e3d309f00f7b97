"""Random templates and arguments: the grammar that the engine writes out is the twin's, rule by rule."""

import random
from typing import Any, cast

import pytest

import xg2lab as xgr
from tests.generators import SHARE, random_grammar, seeded, write_ebnf
from xg2lab.reference import template as twin
from xg2lab.reference.ebnf import EMPTY, Expression, Grammar, parse_ebnf
from xg2lab.reference.token_operators import spelled

RULES = ["root", "r", "s", "t"]
TEXTS = ["", "a", "b", 'c"', "$x", "| d", "é", "\\"]
SEPARATORS = ["", ", t", ', ","']
GRAMMARS = ['root ::= "u"', 'root ::= "v" w   w ::= [0-9] | root']


def random_body(rng: random.Random, rule: str, depth: int) -> str:
    """An expression; slots are named by their kind, so that no slot has two."""
    dollars = rng.choice(["$", "$", "$$"])
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(
            [
                '"k"',
                "[m-o]",
                rng.choice([name for name in RULES[1:] if name > rule] or ['"e"']),
                f"{dollars}text{rng.randrange(2)}",
                f"OneOf({dollars}texts{rng.randrange(2)})",
                f"Use({dollars}grammar)",
                f"Each($list{rng.randrange(2)}, {rng.choice(RULES[1:])}{rng.choice(SEPARATORS)})",
            ]
        )
    inner = [random_body(rng, rule, depth - 1) for _ in range(rng.randrange(1, 4))]
    kind = rng.randrange(5)
    if kind == 0:
        return f"({' | '.join(inner)})"
    if kind == 1:
        bounds = rng.choice([f"{{{dollars}count}}", f"{{{dollars}count,}}", "{1,$more}", "{,$$more}", "?", "{2}"])
        return f"({inner[0]}){bounds}"
    if kind == 2:
        return f"If({dollars}flag{rng.randrange(2)}, {inner[0]}, {inner[-1]})"
    return " ".join(inner)


def random_template(rng: random.Random) -> str:
    return "\n".join(f"{rule} ::= {random_body(rng, rule, 3)}" for rule in RULES)


def random_arguments(rng: random.Random, template: xgr.Template, scopes: set[str], depth: int) -> dict[str, Any]:
    """Arguments that fit all of the scopes. Below some depth lists are empty."""
    slots: dict[str, tuple[str, set[str]]] = {}
    for slot in template.slots:
        if slot.scope in scopes:
            slots.setdefault(slot.name, (slot.kind, set()))[1].update(slot.elements)
    arguments: dict[str, Any] = {}
    for name, (kind, elements) in slots.items():
        n = rng.randrange(3) if depth else 0
        arguments[name] = {
            "text": lambda: rng.choice(TEXTS),
            "texts": lambda: [rng.choice(TEXTS) for _ in range(rng.randrange(1, 4))],
            "count": lambda: rng.randrange(1, 4),
            "flag": lambda: rng.random() < 0.5,
            "grammar": lambda: rng.choice(GRAMMARS),
            "mappings": lambda of=elements, n=n: [random_arguments(rng, template, of, depth - 1) for _ in range(n)],
        }[kind]()
    return arguments


def with_grammars(value: Any, read: Any) -> Any:
    """The arguments with the texts of grammars read."""
    if isinstance(value, dict):
        return {name: with_grammars(member, read) for name, member in value.items()}
    if isinstance(value, list):
        return [with_grammars(item, read) for item in value]
    return read(value) if value in GRAMMARS else value


def normal(expression: Any) -> Expression:
    """The expression without groups in groups and repetitions that say nothing."""
    match expression:
        case ("seq" | "choice" as kind, parts):
            flat: list[Any] = []
            for part in map(normal, parts):
                if part[0] == kind:
                    flat += cast("tuple[Any, ...]", part[1])
                elif kind == "choice" or part != EMPTY:
                    flat.append(part)
            return (flat[0] if len(flat) == 1 else (kind, tuple(flat))) if flat else EMPTY
        case ("repeat", inner, least, most):
            inner = normal(inner)
            if inner == EMPTY or most == 0:
                return EMPTY
            return inner if (least, most) == (1, 1) else ("repeat", inner, least, most)
        case _:
            return expression


def numbered(grammar: Grammar) -> list[Expression]:
    """The bodies of all rules that the root leads to, with rules numbered as they are met."""
    numbers = {grammar.root: 0}

    def renamed(expression: Any) -> Any:
        match expression:
            case ("rule", name):
                return "rule", numbers.setdefault(name, len(numbers))
            case ("seq" | "choice" as kind, parts):
                return kind, tuple(map(renamed, parts))
            case ("repeat", inner, least, most):
                return "repeat", renamed(inner), least, most
            case _:
                return expression

    bodies: list[Expression] = []
    while len(bodies) < len(numbers):
        bodies.append(renamed(normal(grammar.rules[list(numbers)[len(bodies)]])))
    return bodies


def encoded(text: str | bytes) -> list[int]:
    """A token for two bytes, and one for a last byte alone."""
    data = text.encode() if isinstance(text, str) else text
    return [int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2)]


@pytest.mark.parametrize("spelling", ["bytes", "tokens"])
def test_what_is_written_out_is_the_twins(spelling: str):
    rng = seeded(f"templates in {spelling}")
    n_written = n_each = n_tokens = 0
    encode = encoded if spelling == "tokens" else None
    for _ in range(int(400 * SHARE) + 20):
        text = random_template(rng)
        template = xgr.Template.from_ebnf(text, spelling=spelling, encode=encode)
        arguments = random_arguments(rng, template, {""}, 2)
        expected = twin.write_out(twin.read_template(text), with_grammars(arguments, parse_ebnf), encode)
        try:
            grammar = template.write_out(**with_grammars(arguments, xgr.Grammar.from_ebnf))
        except xgr.Xg2LabError as error:
            assert "never" in str(error) or "bad_count" in [found.code for found in error.diagnostics], text
            continue
        got = parse_ebnf(str(grammar))
        assert numbered(got) == numbered(expected), (text, arguments)
        n_written += 1
        n_each += any("." in name for name in got.rules)
        n_tokens += "Token(" in str(grammar)
    assert n_written > 0.5 * int(400 * SHARE)
    assert n_each > 0
    assert (n_tokens > n_written / 2) == (spelling == "tokens")


def test_a_template_without_slots_is_the_spelled_grammar_of_the_papers_twin():
    rng, n_written = seeded("grammars in tokens"), 0
    for _ in range(int(60 * SHARE) + 10):
        grammar = random_grammar(rng, max_rules=3, max_depth=3)
        template = xgr.Template.from_ebnf(write_ebnf(grammar, rng), spelling="tokens", encode=encoded)
        try:
            got = parse_ebnf(str(template.write_out()))
        except xgr.Xg2LabError as error:
            assert [found.code for found in error.diagnostics] == ["never_matches"]
            continue
        assert numbered(got) == numbered(spelled(grammar, encoded))
        n_written += 1
    assert n_written > 10 * SHARE
