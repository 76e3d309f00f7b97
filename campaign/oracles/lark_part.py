"""`oracle_lark`: Lark grammars, real and by lot, against the package lark.

A unit is a grammar under one of Lark's lexers.

- Masks: what lark's loader makes of the text, each terminal a plain rule, decides every token. Under
  `dynamic_complete` the masks are the same if what is ignored is one character. In all other cases they lie within.
- Texts: lark's own parser and lexer decide texts of walks that came to an end, and texts near them.
"""

from __future__ import annotations

import importlib
import logging
import random
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

import xg2lab as xgr
from campaign.oracles.automaton import Automaton, TooLargeError
from campaign.oracles.classes import FINDING, Disagreement, Tally
from campaign.oracles.earley import EarleyOracle
from campaign.oracles.earley_part import hold_masks, missing
from campaign.oracles.lark_grammars import has_long_ignored, productions_of, random_lark, real_larks
from campaign.oracles.patterns import LeftOutError
from campaign.oracles.regex_part import patiently
from campaign.oracles.texts import Verdicts, near, walked_texts
from campaign.oracles.vocabularies import Words, real_names, real_words
from campaign.part import Done, Run
from xg2lab.errors import GrammarError, LimitError, UnsupportedError

__all__ = ["LEXERS", "OracleLark"]

LEXERS = ("dynamic_complete", "contextual", "dynamic", "basic")
N_ROUNDS = 40
N_RANDOM = 200
N_TEXTS = 10
MOST_CHARACTERS = 60


class OracleLark:
    """Each unit is a grammar under a lexer."""

    title = "Lark grammars against the package lark"

    def __init__(self) -> None:
        self._real = dict(real_larks())
        self._vocabularies: list[Words] = []

    def prepare(self, run: Run) -> str | None:
        del run
        if (why := missing("lark", "regex")) is not None:
            return why
        self._vocabularies = [real_words(name) for name in real_names()]
        return None if self._vocabularies else "no real vocabulary is here: neither the data folder nor a package"

    def units(self, run: Run) -> Iterable[str]:
        """Round by round: the real ones, and some by lot, under each lexer."""
        del run
        for i in range(N_ROUNDS):
            for lexer in LEXERS:
                yield from (f"{lexer}/{i}/{name}" for name in self._real)
                yield from (f"{lexer}/{i}/by lot {n}" for n in range(N_RANDOM))

    def do(self, run: Run, unit: str) -> Done:
        rng = random.Random(f"{run.seed}/{unit}")
        some = rng.sample(self._vocabularies, min(2, len(self._vocabularies)))
        lexer, _, rest = unit.partition("/")
        number, _, name = rest.partition("/")
        # The same grammar by lot under each lexer.
        text = self._real.get(name) or random_lark(random.Random(f"{run.seed}/{number}/{name}"))
        return self.hold(unit, text, lexer, rng, some)

    def hold(
        self, unit: str, text: str, lexer: str, rng: random.Random, vocabularies: list[Words], n_states: int = 16
    ) -> Done:
        """One grammar: masks and texts."""
        tally = Tally("oracle_lark")
        try:
            made = patiently(lambda: productions_of(text), 20)
            if made is None:
                return tally.done({"too_large": 1})
            all_cuts = EarleyOracle(made, most_items=80_000)
        except (TooLargeError, OverflowError):
            return tally.done({"too_large": 1})
        except LeftOutError as why:
            return tally.done({"left_out": 1, f"left_out[{why}]": 1})
        except importlib.import_module("lark").exceptions.LarkError:
            return tally.done({"not_lark": 1})
        try:
            grammar = xgr.Grammar.from_lark(text, lexer=lexer)  # pyright: ignore[reportArgumentType]
        except (UnsupportedError, LimitError) as refused:
            return tally.done({"not_read": 1, f"not_read[{type(refused).__name__}]": 1})
        except GrammarError as refused:
            if [found.code for found in refused.diagnostics] != ["never_matches"] or lexer == "dynamic_complete":
                is_right = all_cuts.start == 0
                tally.disagree(
                    Disagreement(unit, text, "refuses to compile", b"", detail=str(refused)),
                    "never_matches" if is_right else FINDING,
                )
            return tally.done({"grammars": 1, "never_matches": 1})
        parser = patiently(lambda: parser_of(text, lexer), 20)
        if parser is not None:
            try:
                self._hold_texts(unit, text, parser, grammar, vocabularies[0], all_cuts, rng, tally)
            except LimitError:
                tally.counts["refused[LimitError at a text]"] += 1
        all_cuts.grant(80_000)
        is_within = lexer != "dynamic_complete" or has_long_ignored(text)
        hold_masks(grammar, all_cuts, vocabularies, rng, tally, unit, text, n_states, is_within=is_within)
        return tally.done({"grammars": 1, **({"without_a_parser": 1} if parser is None else {})})

    def _hold_texts(
        self,
        unit: str,
        source: str,
        parser: Any,
        grammar: xgr.Grammar,
        words: Words,
        all_cuts: EarleyOracle,
        rng: random.Random,
        tally: Tally,
    ) -> None:
        engine = Verdicts(grammar, words)
        warned = {found.code for found in grammar.diagnostics} & {"terminals_overlap", "text_cut"}
        texts = walked_texts(engine, rng, N_TEXTS, MOST_CHARACTERS)
        texts |= {changed for text in sorted(texts) for changed in near(text, rng)}
        for text in sorted(texts):
            right = patiently(lambda text=text: parses(parser, text))
            if right is None:
                tally.counts["without_a_verdict"] += 1
                continue
            tally.counts["texts"] += 1
            all_cuts.grant(20_000)
            ours = engine.accepts(text.encode())
            if ours != right:
                verdict = "accepts" if ours else "refuses"
                lexer = unit.partition("/")[0]
                name = sort_text(text, all_cuts, lexer, warned, parser.terminals, ours=ours)
                tally.disagree(Disagreement(unit, source, verdict, text.encode(), detail=" ".join(warned)), name)


class _Conflicts(logging.Handler):
    """Notes that Lark's parser settles a conflict by itself: then it is no judge."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = False

    def emit(self, record: logging.LogRecord) -> None:
        self.seen = self.seen or "onflict" in record.getMessage()


def parser_of(text: str, lexer: str) -> Any:
    """Lark's own parser; None where it has none, or resolves conflicts silently."""
    lark: Any = importlib.import_module("lark")
    conflicts = _Conflicts()
    usual = lark.logger.handlers, lark.logger.level
    lark.logger.handlers = [conflicts]
    lark.logger.setLevel(logging.DEBUG)  # and forgets what it said of levels before
    try:
        parser = "earley" if "dynamic" in lexer else "lalr"
        made = lark.Lark(text, parser=parser, lexer=lexer, debug=True)
    except lark.exceptions.LarkError:
        return None
    finally:
        lark.logger.handlers = usual[0]
        lark.logger.setLevel(usual[1])
    return None if conflicts.seen else made


def parses(parser: Any, text: str) -> bool | None:
    """Whether Lark reads the text; None where it stops at a fault of its own (`RuntimeError: ... Please report`)."""
    errors: Any = importlib.import_module("lark").exceptions
    try:
        parser.parse(text)
    except errors.LarkError:
        return False
    except RuntimeError:
        return None
    return True


def sort_text(
    text: str, all_cuts: Automaton, lexer: str, warned: set[str], terminals: Iterable[Any], *, ours: bool
) -> str:
    """What we refuse under a lexer that chooses is documented, as long as some cut of the text is in the language."""
    try:
        has_a_cut = all_cuts.is_end(all_cuts.after(all_cuts.start, text.encode()))
    except TooLargeError:
        return "cuts_undecided"
    if not has_a_cut:
        return FINDING
    if not ours:
        return FINDING if lexer == "dynamic_complete" else "only_begins_to_go_on"
    if any(unicodedata.category(point) == "Cn" for point in text):
        return "newer_unicode"
    if warned:
        return "terminals_of_one_word"
    return "pattern_of_first_match" if any(matches_less(each, text) for each in terminals) else FINDING


def matches_less(terminal: Any, text: str) -> bool:
    """Whether somewhere in the text `re`'s match of the terminal is shorter than the longest."""
    pattern = re.compile(terminal.pattern.to_regexp())
    for i in range(len(text)):
        found = pattern.match(text, i)
        if found and any(pattern.fullmatch(text, i, end) for end in range(found.end() + 1, len(text) + 1)):
            return True
    return False
