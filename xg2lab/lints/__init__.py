"""What is questionable about a grammar: one list of findings for the command line, notebooks and editors.

>>> findings = lint('root ::= value | "a"   value ::= [a-z]')
>>> print(findings)
warning[ambiguous]: "a" can be read in two ways: it is `value` or `"a"`
  grammar:1:10
    1 | root ::= value | "a"   value ::= [a-z]
      |          ^^^^^^^^^^^
  hint: masks are the same whichever way it is read, but both are followed; leave such texts to one of the two
<BLANKLINE>
1 warning

IDEA
  A text with mistakes has these alone: they are what `Grammar.from_ebnf` would raise. A grammar without has what the
  engine noticed (`Grammar.diagnostics`) and what each lint of `xg2lab.lints.catalogue` says. All have stable codes,
  which docs/diagnostics.md explains.

COST  Linear in the grammar as a rule, but for the search for ambiguous texts, which ends after `seconds`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape

from xg2lab.errors import Diagnostic, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.lints import spelling, structure
from xg2lab.lints.ambiguous import ambiguous
from xg2lab.lints.context import Context
from xg2lab.lints.show import shown

__all__ = ["Findings", "lint"]

SEVERITIES = ("error", "warning", "hint")
LINTS = (
    structure.cyclic_rules,
    structure.endless_whitespace,
    structure.duplicate_alternatives,
    structure.without_effect,
    structure.options_without_effect,
    spelling.carets_in_classes,
    spelling.enumerated_classes,
    spelling.similar_names,
    spelling.empty_alternatives,
)


class Findings(list[Diagnostic]):
    """Findings in the order of the text, with the text: `str` shows them with their lines."""

    def __init__(self, findings: Iterable[Diagnostic], source: str, name: str = "grammar") -> None:
        super().__init__(sorted(findings, key=lambda finding: finding.span))
        self.source = source
        self.name = name

    @property
    def worst(self) -> str | None:
        """The gravest severity among them: "error", "warning" or "hint"; None if there is none."""
        return next((severity for severity in SEVERITIES if any(f.severity == severity for f in self)), None)

    def summary(self) -> str:
        """How many there are."""
        counts = Counter(finding.severity for finding in self)
        words = [f"{counts[kind]} {kind}{'s' * (counts[kind] > 1)}" for kind in SEVERITIES if counts[kind]]
        return ", ".join(words) or "nothing to say"

    def __str__(self) -> str:
        return "\n".join([*(shown(finding, self.source, self.name) + "\n" for finding in self), self.summary()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def lint(
    grammar: Grammar | str | bytes, *, root_rule_name: str = "root", seconds: float = 1.0, name: str = "grammar"
) -> Findings:
    """All that is wrong with a grammar, or questionable about it.

    Parameters
    ----------
    grammar : Grammar, str or bytes
        Text is read as EBNF; mistakes in it are findings, and nothing is raised.
    root_rule_name : str
        For text: the rule that a whole match is made of.
    seconds : float
        How long to search for a text that can be read in two ways; 0: not at all.
    name : str
        What the text is called where findings are shown.

    >>> [(finding.code, finding.line) for finding in lint('root ::= digit | "a"')]
    [('undefined_rule', 1)]
    >>> lint('root ::= "a" | "b"')
    nothing to say
    """
    if not isinstance(grammar, Grammar):
        text = grammar if isinstance(grammar, str) else grammar.decode("utf-8", "replace")
        try:
            grammar = Grammar.from_ebnf(grammar, root_rule_name=root_rule_name)
        except Xg2LabError as error:
            return Findings(error.diagnostics or [Diagnostic("refused", "error", error.message)], text, name)
    return Findings(_all(grammar, seconds), grammar.source, name)


def _all(grammar: Grammar, seconds: float) -> Iterator[Diagnostic]:
    yield from grammar.diagnostics
    context = Context.of(grammar)
    said: set[tuple[int, int]] = set()  # what is ambiguous for a reason that was named
    for find in LINTS:
        for finding in find(context):
            if finding.code in ("duplicate_alternative", "empty_alternative", "no_effect"):
                said.add(finding.span)
            yield finding
    circles = [context.nodes.rules[rule].span for cycle in structure.cycles(context) for rule in cycle]
    for finding in ambiguous(context, seconds):
        if any(_is_within(finding.span, span) for span in circles):
            continue
        if not any(_is_within(span, finding.span) for span in said):
            yield finding


def _is_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
