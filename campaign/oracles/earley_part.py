"""`oracle_earley`: masks of EBNF grammars on every real vocabulary, each token decided by lark's Earley parser.

A unit is a grammar, real or made by lot, and one seed. It is compiled for each vocabulary, under options that the
seed draws, and walked. All vocabularies and walks of a unit share the parser's columns.
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterable
from typing import Any

import xg2lab as xgr
from campaign.hostile.corpus import SWITCHES
from campaign.oracles.automaton import Automaton, TooLargeError
from campaign.oracles.classes import FINDING, Disagreement, Tally
from campaign.oracles.earley import EarleyOracle
from campaign.oracles.ebnf import productions_of, random_grammar, real_grammars, text_of
from campaign.oracles.masks import Difference, compare_masks
from campaign.oracles.vocabularies import Words, real_names, real_words
from campaign.part import Done, Run
from xg2lab.errors import LimitError, UnsupportedError, Xg2LabError
from xg2lab.options import EngineOptions

__all__ = ["OracleEarley", "drawn_options", "hold_masks", "missing"]

N_ROUNDS = 60
N_RANDOM = 240  # grammars by lot for each round over the real ones


def missing(*packages: str) -> str | None:
    """Which of the packages an oracle needs is not installed, as the reason why its part is left out."""
    lacking = [name for name in packages if importlib.util.find_spec(name) is None]
    return f"{', '.join(lacking)} is not installed" if lacking else None


def drawn_options(rng: random.Random) -> dict[str, Any]:
    """The engine's options of a case: half the time the usual ones, else one mechanism off or the other parser."""
    if rng.random() < 0.5:
        return {}
    if rng.random() < 0.3:
        return {"parser": "pda"}
    return dict(rng.choice(list(SWITCHES.values())))


def hold_masks(
    grammar: xgr.Grammar,
    oracle: Automaton,
    vocabularies: Iterable[Words],
    rng: random.Random,
    tally: Tally,
    case: str,
    source: str,
    n_states: int = 24,
    *,
    is_within: bool = False,
) -> None:
    """Compiles a grammar for each vocabulary and holds its masks against the oracle.

    Parameters
    ----------
    grammar : Grammar
    oracle : Automaton
    vocabularies : iterable of Words
    rng : random.Random
    tally : Tally
        Takes counts and disagreements.
    case, source : str
        What the record shows.
    n_states : int
        For each vocabulary.
    is_within : bool
        Whether the engine may forbid what the oracle allows.
    """
    options = drawn_options(rng)
    in_order = list(vocabularies)
    rng.shuffle(in_order)  # where the oracle gives up, no vocabulary is always the one that is left out
    for words in in_order:
        compiler = xgr.GrammarCompiler(words.info, cache_enabled=False, options=EngineOptions(**options))
        try:
            compiled = compiler.compile_grammar(grammar)
            found = compare_masks(compiled, words, oracle, rng, n_states=n_states, is_within=is_within)
        except (UnsupportedError, LimitError) as refused:  # the pushdown automaton on left recursion; budgets
            tally.counts[f"refused[{type(refused).__name__}]"] += 1
            continue
        for name, n in found.counts.items():
            tally.counts[f"{name}[{words.name}]"] += n
            tally.counts[name] += n
        for difference in found.differences:
            tally.disagree(_as_disagreement(difference, case, source, f"{words.name} {options}"), FINDING)


def _as_disagreement(difference: Difference, case: str, source: str, detail: str) -> Disagreement:
    token = b"" if difference.token is None else difference.token
    verdict = "allows" if difference.is_allowed else "forbids"
    what = "the end; " if difference.token is None else ""
    return Disagreement(
        case, source, verdict, difference.before, token, f"{what}{difference.n_tokens} tokens; {detail}"
    )


class OracleEarley:
    """Each unit is a grammar under one seed, on every vocabulary."""

    title = "masks against lark's Earley parser, every token of real vocabularies"

    def __init__(self, most_items: int = 250_000) -> None:
        self._most_items = most_items
        self._real = {name: (text, grammar) for name, text, grammar in real_grammars()}
        self._vocabularies: list[Words] = []

    def prepare(self, run: Run) -> str | None:
        del run
        if (why := missing("lark")) is not None:
            return why
        self._vocabularies = [real_words(name) for name in real_names()]
        return None if self._vocabularies else "no real vocabulary is here: neither the data folder nor a package"

    def units(self, run: Run) -> Iterable[str]:
        del run
        for i in range(N_ROUNDS):
            yield from (f"{i}/{name}" for name in self._real)
            yield from (f"{i}/by lot {n}" for n in range(N_RANDOM))

    def do(self, run: Run, unit: str) -> Done:
        return self.hold(unit, random.Random(f"{run.seed}/{unit}"), self._vocabularies)

    def hold(self, unit: str, rng: random.Random, vocabularies: list[Words], n_states: int = 24) -> Done:
        """One grammar on these vocabularies."""
        tally = Tally("oracle_earley")
        _, _, name = unit.partition("/")
        if name in self._real:
            text, rules = self._real[name]
        else:
            rules = random_grammar(rng)
            text = text_of(rules, rng)
        try:
            oracle = EarleyOracle(productions_of(rules), most_items=self._most_items)
        except (TooLargeError, OverflowError):
            return tally.done({"too_large": 1})
        try:
            grammar = xgr.Grammar.from_ebnf(text)
        except Xg2LabError as refused:
            kind = "refuses to compile"
            tally.disagree(Disagreement(unit, text, kind, b"", detail=str(refused)), FINDING)
            return tally.done({"grammars": 1})
        hold_masks(grammar, oracle, vocabularies, rng, tally, unit, text, n_states)
        return tally.done({"grammars": 1, "columns": oracle.n_states})
