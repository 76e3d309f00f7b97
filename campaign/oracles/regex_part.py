r"""`oracle_regex`: patterns by lot and of real schemas, against Python's reader, its `re`, and the package `regex`.

A unit is a pattern in one meaning: `whole` (`Grammar.from_regex`) or `searched` (JSON Schema's).

- Masks: Python's parse tree, as productions in the meaning that the engine promises, decides every token (`patterns`).
- Texts: `re` decides texts of walks that came to an end, and texts near them.
- Beginnings: `regex` with `partial=True` decides whether a text can go on to a match.
"""

from __future__ import annotations

import importlib
import json
import lzma
import random
import re
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, TypeVar

import xg2lab as xgr
from benchmarks.texts import DATA
from campaign.oracles.automaton import TooLargeError
from campaign.oracles.classes import FINDING, Disagreement, Tally
from campaign.oracles.earley import EarleyOracle
from campaign.oracles.earley_part import hold_masks, missing
from campaign.oracles.patterns import ECMA, FEATURES, LeftOutError, has_looks, searched, whole
from campaign.oracles.texts import Verdicts, near, walked_texts
from campaign.oracles.vocabularies import Words, real_names, real_words
from campaign.part import Done, Run
from xg2lab.errors import GrammarError, LimitError, Xg2LabError

__all__ = ["OracleRegex", "random_pattern", "real_patterns"]

MEANINGS = ("whole", "searched")
N_RANDOM = 6_000
N_TEXTS = 12
MOST_CHARACTERS = 48  # of a text for `re`: its time may double with each
PATIENCE_S = 1.0

ATOMS = [
    "a", "b", "B", "_", " ", "1", "é", "😀", "k", "s", '"', "/", "-", "日", "the", "id",
    r"\.", r"\n", r"\\", r"\t", r"\/",
]  # fmt: skip
CLASSES = [
    ".", ".", r"\d", r"\w", r"\s", r"\W", r"\D", r"\S", "[ab]", "[^a]", "[a-z]", "[A-Za-z0-9_-]", r"[^\W]", r"[\w.-]",
    r"[^\s]", "[а-я]", r'[^\n"]', r"[\x20-\x7e]", r"[\u4e00-\u9fff]", r"[^a-zA-Z]", "[+-]",
]  # fmt: skip
COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "*?", "{2,3}?", "{0,40}", "{33,64}", "+?", "{3}"]

Result = TypeVar("Result")


def random_pattern(rng: random.Random, depth: int, *, is_behind: bool = False) -> str:
    """A pattern that Python and the engine both read; looks in one of five."""
    kind = rng.random()

    def inner(*, behind: bool = is_behind) -> str:
        return random_pattern(rng, depth - 1, is_behind=behind)

    if depth <= 0 or kind < 0.25:
        return rng.choice(CLASSES if rng.random() < 0.45 else ATOMS)
    if kind < 0.55:
        return "".join(inner() for _ in range(rng.randint(2, 4)))
    if kind < 0.68:
        return f"({rng.choice(['', '?:'])}{'|'.join(inner() for _ in range(rng.randint(2, 4)))})"
    if kind < 0.9 or is_behind:
        return f"(?:{inner()}){rng.choice(COUNTS)}" if not is_behind else inner()
    if kind < 0.93:
        return rng.choice(["^", "$", r"\b", r"\B"])
    if kind < 0.96:
        return f"(?<{rng.choice('=!')}{rng.choice(ATOMS + CLASSES)})"
    return f"(?{rng.choice('=!')}{inner()})"


@cache
def real_patterns() -> list[str]:
    """The patterns of MaskBench's schemas; none without the data folder."""
    path = DATA / "maskbench" / "dev.jsonl.xz"
    if not path.exists():
        return []
    found: dict[str, None] = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if '"pattern' not in line:  # nine of ten: reading them takes seconds
                continue
            found |= dict.fromkeys(_patterns_in(json.loads(line)["schema"]))
    return sorted(found)


def _patterns_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        if isinstance(schema.get("patternProperties"), dict):
            yield from schema["patternProperties"]
        for value in schema.values():
            yield from _patterns_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _patterns_in(value)


def as_grammar(pattern: str, meaning: str) -> xgr.Grammar:
    """The engine's grammar of a pattern."""
    if meaning == "whole":
        return xgr.Grammar.from_regex(pattern)
    plain = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in pattern)
    return xgr.Grammar.from_ebnf(f'root ::= Regex("{plain}", search=true)')


@contextmanager
def _alarm(seconds: float) -> Generator[None]:
    """TimeoutError after so much time: backtracking engines look at signals, and may need exponential time."""

    def ring(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def patiently(act: Callable[[], Result], seconds: float = PATIENCE_S) -> Result | None:
    """What `act` returns; None if that takes longer."""
    try:
        with _alarm(seconds):
            return act()
    except TimeoutError:
        return None


class OracleRegex:
    """Each unit is a pattern in one meaning."""

    title = "patterns against Python's reader, `re` and `regex`"

    def __init__(self) -> None:
        self._vocabularies: list[Words] = []

    def prepare(self, run: Run) -> str | None:
        del run
        if (why := missing("lark", "regex")) is not None:
            return why
        self._vocabularies = [real_words(name) for name in real_names()]
        return None if self._vocabularies else "no real vocabulary is here: neither the data folder nor a package"

    def units(self, run: Run) -> Iterable[str]:
        """Real patterns and those by lot in turns, each in both meanings."""
        n_real = len(real_patterns())
        order = random.Random(f"{run.seed}/patterns").sample(range(n_real), n_real)
        for i in range(max(N_RANDOM, n_real)):
            for meaning in MEANINGS:
                if i < n_real:
                    yield f"{meaning}/real {order[i]}"
                if i < N_RANDOM:
                    yield f"{meaning}/by lot {i}"

    def do(self, run: Run, unit: str) -> Done:
        rng = random.Random(f"{run.seed}/{unit}")
        meaning, _, name = unit.partition("/")
        kind, _, number = name.rpartition(" ")
        pattern = real_patterns()[int(number)] if kind == "real" else random_pattern(rng, rng.randint(1, 4))
        some = rng.sample(self._vocabularies, min(2, len(self._vocabularies)))
        return self.hold(unit, pattern, meaning, rng, some)

    def hold(
        self, unit: str, pattern: str, meaning: str, rng: random.Random, vocabularies: list[Words], n_states: int = 16
    ) -> Done:
        """One pattern: masks, texts, beginnings."""
        tally = Tally("oracle_regex")
        try:
            theirs = re.compile(pattern)
        except re.error:
            return tally.done({"not_python": 1})
        oracle = _oracle(pattern, meaning, ECMA)
        try:
            grammar = as_grammar(pattern, meaning)
        except Xg2LabError as refused:
            name = sort_refusal(refused, oracle)
            if name is None:
                return tally.done({"not_read": 1, f"not_read[{type(refused).__name__}]": 1})
            tally.disagree(Disagreement(unit, pattern, "refuses to compile", b"", detail=str(refused)), name)
            return tally.done({"patterns": 1})
        if oracle is not None:
            hold_masks(grammar, oracle, vocabularies, rng, tally, unit, pattern, n_states)
        try:
            self._hold_texts(unit, pattern, meaning, theirs, grammar, vocabularies[0], oracle, rng, tally)
        except (LimitError, TooLargeError) as refused:
            tally.counts[f"refused[{type(refused).__name__}]"] += 1
        return tally.done({"patterns": 1, **({"patterns_with_masks": 1} if oracle else {})})

    def _hold_texts(
        self,
        unit: str,
        pattern: str,
        meaning: str,
        theirs: re.Pattern[str],
        grammar: xgr.Grammar,
        words: Words,
        oracle: EarleyOracle | None,
        rng: random.Random,
        tally: Tally,
    ) -> None:
        engine = Verdicts(grammar, words)
        partial: Any = importlib.import_module("regex")
        try:
            beginnings = partial.compile(pattern) if meaning == "whole" else None
        except partial.error:
            beginnings = None
        texts = walked_texts(engine, rng, N_TEXTS, MOST_CHARACTERS)
        texts |= {changed for text in list(texts) for changed in near(text, rng)}
        match = theirs.fullmatch if meaning == "whole" else theirs.search
        for text in sorted(texts):
            right = patiently(lambda text=text: match(text) is not None)
            if right is None:
                tally.counts["impatient"] += 1
                continue
            tally.counts["texts"] += 1
            ours = engine.accepts(text.encode())
            if ours != right:
                verdict = "accepts" if ours else "refuses"
                name = sort_text(pattern, meaning, text, ours=ours)
                tally.disagree(Disagreement(unit, pattern, verdict, text.encode()), name)
        if beginnings is None:
            return
        for text in sorted({text[: rng.randint(0, len(text))] for text in texts}):
            right = patiently(lambda text=text: beginnings.fullmatch(text, partial=True) is not None)
            if right is None:
                tally.counts["impatient"] += 1
                continue
            tally.counts["beginnings"] += 1
            ours = engine.begins(text.encode())
            if ours != right:
                verdict = "takes the beginning" if ours else "refuses the beginning"
                name = sort_beginning(pattern, theirs, engine, text, rng, oracle, ours=ours)
                tally.disagree(Disagreement(unit, pattern, verdict, text.encode()), name)


@lru_cache(maxsize=16)
def _oracle(pattern: str, meaning: str, features: frozenset[str]) -> EarleyOracle | None:
    """The pattern's productions, read by Earley's method; None if they can't say it, or are too many."""
    try:
        return EarleyOracle((whole if meaning == "whole" else searched)(pattern, features), most_items=80_000)
    except (LeftOutError, OverflowError, TooLargeError):
        return None


# ---- What a disagreement is ----


def sort_refusal(error: Xg2LabError, oracle: EarleyOracle | None) -> str | None:
    """None for what is refused by name or beyond a budget; a pattern refused as empty has to be empty."""
    if isinstance(error, GrammarError):
        return None if oracle is None or oracle.start == 0 else FINDING
    return None


def sort_text(pattern: str, meaning: str, text: str, *, ours: bool) -> str:
    """The feature of ECMA-262 that alone turns Python's verdict into ours; else what has no productions."""
    data = text.encode()
    if not text and r"\B" in pattern:
        return "empty_text_boundary"
    oracle = None
    for features in [frozenset({name}) for name in FEATURES] + [ECMA]:
        oracle = _oracle(pattern, meaning, features)
        if oracle is not None:
            oracle.grant(20_000)  # the masks may have used up what it had
        try:
            if oracle is not None and oracle.is_end(oracle.after(oracle.start, data)) == ours:
                return next(iter(features)) if len(features) == 1 else "several_features"
        except TooLargeError:
            return "undecided"
    if oracle is not None:
        return FINDING
    return sort_by_rewriting(pattern, meaning, text, ours=ours)


#: ECMA-262's classes in Python's spelling, outside and inside brackets. They are for patterns that
#: have no productions.
ECMA_SPELLED = {
    "s": r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
    "d": "0-9",
    "w": "0-9A-Za-z_",
}


def in_pythons_words(pattern: str) -> str | None:
    r"""The pattern with ECMA-262's sets written out, as Python then reads them; None where a class can't say it.

    >>> in_pythons_words(r".[\d_]\b$")
    '[^\\n\\r\\u2028\\u2029][0-9_]\\b\\Z'
    """
    out: list[str] = []
    at, is_class = 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            name = pattern[at + 1 : at + 2]
            spelled = ECMA_SPELLED.get(name.lower())
            if spelled is None:
                out.append(pattern[at : at + 2])
            elif is_class and name.isupper():
                return None
            else:
                out.append(spelled if is_class else f"[{'^' if name.isupper() else ''}{spelled}]")
            at += 2
            continue
        if is_class:
            is_class = character != "]"
            out.append(character)
        elif character == "[":
            is_class = True
            skip = 2 if pattern[at + 1 : at + 2] == "^" else 1
            out.append(pattern[at : at + skip])
            at += skip
            continue
        else:
            out.append({".": r"[^\n\r\u2028\u2029]", "$": r"\Z"}.get(character, character))
        at += 1
    return "".join(out)


def sort_by_rewriting(pattern: str, meaning: str, text: str, *, ours: bool) -> str:
    """For patterns without productions: `re` once more, on the pattern with ECMA-262's sets written out."""
    spelled = in_pythons_words(pattern)
    if spelled is None:
        return "undecided"
    try:
        for flags in (re.NOFLAG, re.ASCII):  # \b is about words
            theirs = re.compile(spelled, flags)
            match = theirs.fullmatch if meaning == "whole" else theirs.search
            if (match(text) is not None) == ours:
                return "several_features"
    except re.error:
        return "undecided"
    return FINDING


def sort_beginning(
    pattern: str,
    theirs: re.Pattern[str],
    engine: Verdicts,
    text: str,
    rng: random.Random,
    oracle: EarleyOracle | None,
    *,
    ours: bool,
) -> str:
    """A beginning is one if a text that goes on from it matches: found by walking the engine's masks to an end."""
    if oracle is not None:
        oracle.grant(20_000)
        try:
            is_right = (oracle.after(oracle.start, text.encode()) != 0) == ours
        except TooLargeError:
            return "undecided"
        return "partial_in_another_dialect" if is_right else FINDING
    if ours:
        for _ in range(20):
            ended = engine.ended(text.encode(), rng)
            if ended is None:
                continue
            if theirs.fullmatch(ended):
                return "partial_missed"
            name = sort_text(pattern, "whole", ended, ours=True)
            if name != FINDING:
                return "partial_in_another_dialect"
        return FINDING
    return "partial_of_looks" if has_looks(pattern) else FINDING
