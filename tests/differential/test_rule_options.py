"""Rule options, engine and twin side by side: random grammars with random options, walked by tokens and strings.

Masks, temperatures, captures and whether the text is complete are compared in each state, under every switch of the
engine and with both parsers. The twin (xg2lab/reference/options.py) keeps every way of reading apart: walks are short.
"""

import dataclasses
import random

import pytest

from tests.differential.test_engine_vs_twin import OPTIONS, Engine
from tests.generators import (
    SHARE,
    mutate,
    random_calls,
    random_grammar,
    random_heads,
    random_member,
    random_vocabulary,
    seeded,
    with_heads,
)
from tests.refusals import Outcomes, codes_of
from xg2lab.reference.earley import parse
from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.heads import least_chars, n_least
from xg2lab.reference.options import Reader, parse_with_options

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.errors import LimitError

N_GRAMMARS = round(400 * SHARE)
MAX_THREADS = 200  # of the twin: a walk ends where ambiguity makes it slow
CASES = {
    f"{parser}-{name}": dataclasses.replace(options, parser=parser, max_stacks=5000)
    for name, options in OPTIONS.items()
    for parser in ("earley", "pda", "operators")
}
#: What an engine may say of options that don't fit a rule.
REFUSALS = {"not_regular", "option_within", "max_chars_too_small"}


def begins_with_itself(grammar: Grammar) -> bool:
    """Whether a rule comes back to itself before anything is read: then the twin's stacks would grow for ever."""
    least = least_chars(grammar)

    def first(expression: Expression) -> set[str]:
        """The rules that an expression may begin with."""
        match expression:
            case ("rule", name):
                return {name}
            case ("choice", branches):
                return {name for branch in branches for name in first(branch)}
            case ("repeat", part, _, _):
                return first(part)
            case ("seq", parts):
                found = set[str]()
                for part in parts:
                    found |= first(part)
                    if n_least(part, least) > 0:
                        break
                return found
            case _:
                return set()

    reached = {name: first(body) for name, body in grammar.rules.items()}
    for _ in reached:
        reached = {name: found.union(*(reached[other] for other in found)) for name, found in reached.items()}
    return any(name in found for name, found in reached.items())


class TooAmbiguousError(Exception):
    """The twin has too many threads to go on."""


class PatientReader(Reader):
    """The twin, up to a point."""

    def read(self, byte: int) -> None:
        """Scan one byte, unless that has become too much."""
        if len(self.threads) > MAX_THREADS:
            raise TooAmbiguousError
        super().read(byte)


class Walk:
    """Engine and twin side by side."""

    def __init__(self, text: str, vocabulary: list[bytes], options: xgr.EngineOptions) -> None:
        self.vocabulary, self.stop = vocabulary, len(vocabulary)
        self.engine = Engine(text, [*vocabulary, b"</s>"], self.stop, options)
        self.twin = PatientReader(*parse_with_options(text))
        self.has_budgets, self.hides = "max_tokens" in text, "hidden" in text
        self.is_counted = options.repetition_compression and options.repetition_threshold < 2

    def allowed(self) -> set[int]:
        """The tokens that the twin takes, one by one."""
        found = {self.stop} if self.twin.is_complete() else set[int]()
        for token, piece in enumerate(self.vocabulary):
            if piece and self.twin.accept(piece):
                found.add(token)
                self.twin.pop()
        return found

    def difference(self) -> str | None:
        """What differs in this state."""
        matcher = self.engine.matcher
        expected, found = self.allowed(), self.engine.mask()
        if found != expected:
            return f"the engine allows {sorted(found)}, the twin {sorted(expected)}"
        if matcher.is_completed() != self.twin.is_complete():
            return "is_completed differs"
        if matcher.temperature != self.twin.temperature():
            return f"temperature {matcher.temperature}, by the twin {self.twin.temperature()}"
        for token in range(self.stop + 1):
            if matcher.accept_token(token) != (token in expected):
                return f"mask and accept_token differ on token {token}"
            if token in expected:
                matcher.rollback(1)
        if self.engine.mask() != expected:
            return "rollback left another mask behind"
        return self.capture_difference()

    def capture_difference(self) -> str | None:
        """Captures are as the twin's, but that the engine doesn't look at counts and ticks to rule out a reading."""
        found = sorted(self.engine.matcher.get_captures())
        expected = self.twin.captures()
        is_exact = not self.has_budgets and not self.is_counted
        if self.hides and not is_exact:  # and what a reading that is ruled out hides is hidden
            return None
        if not is_exact:  # a counted repetition needs no empty matches
            expected = [capture for capture in expected if capture[1]]
        if found != expected if is_exact else not set(expected) <= {*found, *self.longer(found)}:
            return f"captures {found}, by the twin {expected}"
        every = sorted(self.engine.matcher.get_captures(deduplicate=False))
        of_twin = [c for c in sorted(self.twin.captures(deduplicate=False)) if is_exact or c[1]]
        if every != of_twin if is_exact else not set(of_twin) <= set(every):
            return f"completions {every}, by the twin {of_twin}"
        return None

    def longer(self, found: list[tuple[str, bytes]]) -> set[tuple[str, bytes]]:
        """The beginnings of what was found: a longer one may stand for it."""
        return {(name, data[:n]) for name, data in found for n in range(len(data))}


def disagreement(
    text: str, vocabulary: list[bytes], members: list[bytes], seed: int, options: xgr.EngineOptions
) -> str | None:
    """Walk by tokens, strings and rollbacks; the first difference."""
    rng = random.Random(seed)
    walk = Walk(text, vocabulary, options)
    matcher, twin = walk.engine.matcher, walk.twin
    for _ in range(7):
        if difference := walk.difference():
            return f"after {twin.text!r} ({len(twin.steps)} steps): {difference}"
        allowed = sorted(walk.allowed() - {walk.stop})
        action = rng.random()
        if twin.steps and (action < 0.2 or not allowed):
            n_back = rng.randint(1, len(twin.steps))
            matcher.rollback(n_back)
            for _ in range(n_back):
                twin.pop()
        elif action < 0.3:
            data = rng.choice(members)[:3]
            if twin.accept(data, is_token=False) != matcher.accept_string(data):
                return f"after {twin.text!r}: accept_string({data!r}) differs"
        elif allowed:
            token = rng.choice(allowed)
            twin.accept(vocabulary[token])
            matcher.accept_token(token)
    return None


def is_refused(text: str, grammar: Grammar, options: xgr.EngineOptions) -> bool:
    """Whether the options don't fit, or nothing matches the grammar; other refusals are mistakes."""
    try:
        Engine(text, [b"a", b"</s>"], 1, options)
    except xgr.Xg2LabError as error:
        codes = codes_of(error)
        recursion = {"recursion"} if options.parser == "operators" else set[str]()
        assert codes <= REFUSALS | {"never_matches"} | recursion, f"{text}\n{error}"
        assert "never_matches" not in codes or not parse(grammar).is_alive, f"{text}\n{error}"
        return True
    return False


@pytest.mark.filterwarnings("ignore:rules with different temperatures")
@pytest.mark.parametrize("name", CASES)
def test_random_walks(name: str):
    rng = seeded(f"rule options/{name}")
    outcomes = Outcomes()
    for _ in range(N_GRAMMARS // (1 if name.endswith("-all-on") else 6)):
        grammar = (random_calls if rng.random() < 0.2 else random_grammar)(rng, max_rules=4)
        if begins_with_itself(grammar):
            outcomes["left-recursive"] += 1
            continue
        text = with_heads(grammar, random_heads(rng, grammar))
        if is_refused(text, grammar, CASES[name]):
            outcomes["refused"] += 1
            continue
        member = random_member(rng, grammar) or b"ab"
        members = [member, mutate(rng, member)]
        vocabulary = random_vocabulary(rng, members, n_tokens=rng.choice([3, 8, 20]))
        seed = rng.randrange(10**9)
        try:
            found = disagreement(text, vocabulary, members, seed, CASES[name])
        except (LimitError, TooAmbiguousError):  # too many stacks
            outcomes["too ambiguous"] += 1
            continue
        assert found is None, f"{found}\n{text}\nvocabulary {vocabulary}\nwalk {seed}, options {name}"
        outcomes["walked"] += 1
    outcomes.require("walked", 0.3)
