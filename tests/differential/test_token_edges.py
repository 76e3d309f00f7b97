"""Token edges at random: the engine answers as the twin does, under every option and with both parsers.

In grammars of any shape some leaves become sets of tokens, of which some are special. What is compared in each state:
the mask, the acceptance of every token, whether the text is complete, forced text, explanations, and which columns of
the chart are empty.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 draws twenty times as many, XG2LAB_SHARE=0.1 a tenth.
"""

import contextlib
import dataclasses
import random
import re
from typing import Any

import pytest

from tests.differential.test_engine_vs_twin import IS_FULL, OPTIONS, Walk, follow, report
from tests.generators import (
    SHARE,
    mutate,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    with_token_edges,
    write_ebnf,
)
from tests.refusals import Outcomes, refusal_mistake
from xg2lab.errors import GrammarError, LimitError, UnsupportedError, Xg2LabError
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.token_sets import with_ids

N_GRAMMARS = round(150 * SHARE) * (20 if IS_FULL else 1)
BOTH = {
    **OPTIONS,
    **{f"pda-{name}": dataclasses.replace(options, parser="pda", max_stacks=3000) for name, options in OPTIONS.items()},
}


class TokenWalk(Walk):
    """A walk that also holds the engine's explanations and its chart against the twin."""

    def check(self) -> str | None:
        matcher, chart = self.engine.matcher, self.twin.chart
        found = [bool(column) for column in matcher.chart()["columns"]]
        expected = [bool(column) for column in chart.columns]
        if found != expected:
            return f"after {bytes(chart.data)!r}: columns with items are {found}, by the twin {expected}"
        if difference := super().check():
            return difference
        for token in range(len(self.vocabulary)):
            why = matcher.explain(token)
            if why["allowed"] != (token in self.mask):
                return f"after {bytes(chart.data)!r}: explain says {why['mechanism']} of token {token}"
        return None


def disagreement(
    grammar: Grammar, vocabulary: list[bytes], special: set[int], seed: int, options: Any, outcomes: Outcomes
) -> str | None:
    """The first difference on a walk; nothing where the parser can't take the grammar, or too many stacks live."""
    walk = error = None
    try:
        walk = TokenWalk(grammar, vocabulary, options, None, special)
    except Xg2LabError as refusal:
        error = refusal
    if mistake := refusal_mistake(grammar, options, error):
        return mistake
    if walk is None:
        outcomes["refused"] += 1
        return None
    try:
        found = follow(walk, grammar, seed)
    except LimitError:
        outcomes["too ambiguous"] += 1
        return None
    outcomes["walked"] += 1
    return found


@pytest.mark.parametrize("name", BOTH)
def test_random_walks(name: str):
    rng = seeded(f"token-edges/{name}")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS // (1 if name in {"all-on", "all-off", "pda-all-on"} else 5)):
        grammar = random_grammar(rng)
        member = random_member(rng, grammar) or b"ab"
        vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([4, 12, 35]))
        special = {token for token in range(len(vocabulary)) if rng.random() < 0.2}
        usable = [token for token, data in enumerate(vocabulary) if data]
        grammar = with_token_edges(rng, grammar, usable, rng.choice([0.15, 0.4, 0.8]))
        seed = rng.randrange(10**9)

        def differs(candidate: Grammar, *facts: Any) -> str | None:
            return disagreement(candidate, *facts)

        facts = (vocabulary, special, seed, BOTH[name], outcomes)
        if differs(grammar, *facts):
            found = report(grammar, lambda candidate, facts=facts: differs(candidate, *facts))
            pytest.fail(f"{found}\nvocabulary {vocabulary}\nspecial {special}\nwalk {seed}, options {name}")
    outcomes.require("walked", 0.6)


def with_names(text: str, names: dict[str, str]) -> str:
    """The text of a grammar with names in the place of some ids; `names`: by the digits of the ids."""

    def named(ids: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda digits: names.get(digits[0], digits[0]), ids[0])

    return re.sub(r"Token\(.*?\)", named, text)


@pytest.mark.parametrize("name", ["all-on", "pda-all-on"])
def test_tokens_by_their_texts(name: str):
    """Some ids are written as texts; the twin puts the ids back, and the engine answers as for the ids."""
    rng = seeded(f"token-names/{name}")
    n_named = 0
    for _ in range(N_GRAMMARS // 3):
        vocabulary = random_vocabulary(rng, [b"ab<1", b"b1a"], n_tokens=rng.choice([6, 12, 30]))
        special = {token for token in range(len(vocabulary)) if rng.random() < 0.4}
        names: dict[str, str] = {}
        for token, data in enumerate(vocabulary):
            with contextlib.suppress(UnicodeDecodeError):
                plain = data.decode().isprintable() and not set(data) & set(b'"\\')  # needs no escape in EBNF
                if data and plain and vocabulary.count(data) == 1 and rng.random() < 0.8:
                    names[str(token)] = f'"{data.decode()}"'
        usable = [token for token, data in enumerate(vocabulary) if data]
        grammar = with_token_edges(rng, random_grammar(rng), usable, 0.6)
        text = with_names(write_ebnf(grammar), names)
        assert with_ids(parse_ebnf(text).rules, vocabulary) == parse_ebnf(write_ebnf(grammar)).rules
        n_named += 'Token("' in text
        seed = rng.randrange(10**9)
        try:
            difference = follow(TokenWalk(grammar, vocabulary, BOTH[name], text, special), grammar, seed)
        except (LimitError, UnsupportedError, GrammarError):
            continue
        assert difference is None, f"{difference}\n{text}\nvocabulary {vocabulary}\nspecial {special}\nwalk {seed}"
    assert n_named > 0.3 * (N_GRAMMARS // 3)


@pytest.mark.parametrize("name", ["all-on", "all-off", "pda-all-on", "made-ahead"])
def test_dispatches_of_tokens(name: str):
    """TokenTagDispatch among other rules, beside what it stands for by the twin's own definition."""
    rng = seeded(f"token-dispatch/{name}")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS // 3):
        vocabulary = random_vocabulary(rng, [b"ab<1", b"b1a"], n_tokens=rng.choice([6, 12, 30]))
        special = {token for token in range(len(vocabulary)) if rng.random() < 0.3}
        usable = [token for token, data in enumerate(vocabulary) if data]
        rng.shuffle(usable)
        if len(usable) < 3:
            outcomes["too few tokens"] += 1
            continue
        n_tags = rng.randint(0, min(3, len(usable) - 2))
        tags = ", ".join(f"({token}, {rng.choice('xyz')})" for token in usable[:n_tags])
        excludes = ", ".join(map(str, usable[n_tags : n_tags + rng.randint(0, 1)]))
        loop = rng.choice(["", ", loop_after_dispatch=true", ", loop_after_dispatch=false"])
        macro = f"TokenTagDispatch({tags + ', ' if tags else ''}excludes=({excludes}){loop})"
        rules = ['"a"', "[ab]*", f"Token({usable[-1]})", '"" | "1"', f'<[{usable[-1]}]> !<[{usable[-1]}]> | "ab"']
        root = rng.choice(["{0}", '"a" {0} "b"', '({0} "1")*', "x {0} y"])
        text = f"root ::= {root}\n".replace("{0}", macro) + "\n".join(f"{n} ::= {rng.choice(rules)}" for n in "xyz")
        seed = rng.randrange(10**9)
        walk = TokenWalk(parse_ebnf(text), vocabulary, BOTH[name], text, special)
        try:
            difference = follow(walk, parse_ebnf(text), seed)
        except LimitError:
            outcomes["too ambiguous"] += 1
            continue
        outcomes["walked"] += 1
        assert difference is None, f"{difference}\n{text}\nvocabulary {vocabulary}\nspecial {special}\nwalk {seed}"
    outcomes.require("walked", 0.8)


def test_the_generator_writes_token_edges():
    """Most grammars have some, of both kinds, and their text reads back to the same rules."""
    rng = random.Random(1)
    grammars = [with_token_edges(rng, random_grammar(rng), [0, 1, 2]) for _ in range(60)]
    texts = [write_ebnf(grammar) for grammar in grammars]
    assert sum("Token(" in text for text in texts) > 30
    assert sum("ExcludeToken(" in text for text in texts) > 10
    assert [write_ebnf(parse_ebnf(text)) for text in texts] == texts
