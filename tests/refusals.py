"""Refusals that the twins confirm and outcomes that are counted: no test passes by refusing or skipping too much.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> refusal_mistake(parse_ebnf('root ::= "a"'), EngineOptions(), None) is None  # taken, as it should be
True
>>> refusal_mistake(parse_ebnf('root ::= "a" root'), EngineOptions(), None)
'empty for the twin, accepted by the engine'

See also: xg2lab/reference/earley.py (which languages are empty), xg2lab/reference/pda.py (left recursion).
"""

from collections import Counter
from math import sqrt

from xg2lab import EngineOptions, Xg2LabError
from xg2lab.reference.cfg import productions_of
from xg2lab.reference.earley import parse
from xg2lab.reference.ebnf import Grammar
from xg2lab.reference.pda import left_recursion


class Outcomes(Counter[str]):
    """How many random cases came to which end.

    >>> outcomes = Outcomes({"compared": 700, "refused": 300})
    >>> outcomes.require("compared", 0.6)
    >>> outcomes.require("compared", 0.8)
    Traceback (most recent call last):
    AssertionError: 700 of 1000 cases were compared, expected are at least 80%: {'compared': 700, 'refused': 300}
    """

    def require(self, outcome: str, share: float) -> None:
        """At least this share of the cases, but for four standard deviations of chance."""
        n_cases = self.total()
        least = n_cases * share - 4 * sqrt(n_cases * share * (1 - share))
        if self[outcome] < least:
            raise AssertionError(
                f"{self[outcome]} of {n_cases} cases were {outcome}, expected are at least {share:.0%}: {dict(self)}"
            )


def codes_of(error: Exception) -> set[str]:
    """The codes of an error's diagnostics; empty if it has none."""
    return {diagnostic.code for diagnostic in getattr(error, "diagnostics", [])}


def refusal_mistake(grammar: Grammar, options: EngineOptions, error: Xg2LabError | None) -> str | None:
    """What the engine did wrong when it refused a grammar with `error`, or took it (None); nothing if it was right.

    A grammar is refused if, and only if, nothing matches it, or the automaton would push without end, or the tree of
    operators would have no end. Where `right_recursion_to_repeat` is on, a rule such as `x ::= x x | "a"` may be
    rewritten to one that is not recursive.
    """
    if not parse(grammar).is_alive:
        if error is None:
            return "empty for the twin, accepted by the engine"
        return None if codes_of(error) == {"never_matches"} else f"empty for the twin, refused by the engine: {error}"
    cycle = left_recursion(productions_of(grammar, loops_left=False), pushes=False) if options.parser == "pda" else []
    if error is not None:
        return None if cycle and codes_of(error) == {"left_recursion"} else f"refused by the engine: {error}"
    if cycle and not options.right_recursion_to_repeat:
        return f"left recursion is not refused: {' -> '.join(cycle)}"
    return None
