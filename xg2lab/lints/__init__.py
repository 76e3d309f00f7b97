"""Errors and questionable constructs of a grammar: one list of findings for the command line, notebooks and editors.

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
  A text with mistakes has these alone: they are what `Grammar.from_ebnf` would raise, and of EBNF the rules that never
  match whatever becomes of the mistakes (`xg2lab.lints.recovery`). A grammar without has what the
  engine noticed (`Grammar.diagnostics`) and what each lint of `xg2lab.lints.catalogue` says. All have stable codes,
  which docs/diagnostics.md explains. Of JSON Schemas and structural tags, what became of their keywords is said
  (`xg2lab.lints.schemas`), and not how the rules made of them are written. Places are those in the text as its author
  wrote it, though the engine has it indented its own way. Of a grammar that was written out from a template, they are
  places in the template; what is said of several elements is said once, and what an argument is to blame for has its
  JSON Pointer.

COST  Linear in the grammar as a rule, but for the search for ambiguous texts, which ends after `seconds`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from xg2lab.errors import ArgumentError, Diagnostic, UnsupportedError, Xg2LabError
from xg2lab.grammar import Grammar
from xg2lab.lints import endings, spelling, structure
from xg2lab.lints.ambiguous import ambiguous
from xg2lab.lints.context import Context
from xg2lab.lints.recovery import beside_mistakes
from xg2lab.lints.schemas import schema_findings
from xg2lab.lints.show import shown
from xg2lab.show.html import MOST_ROWS, findings_html
from xg2lab.sources.readers import Reader, reader_for
from xg2lab.support.places import JsonPlaces, is_within

__all__ = ["Findings", "as_written", "lint"]

SEVERITIES = ("error", "warning", "hint")
LINTS = (
    structure.cyclic_rules,
    structure.endless_whitespace,
    endings.swallowed_ends,
    structure.duplicate_alternatives,
    structure.without_effect,
    structure.options_without_effect,
    spelling.carets_in_classes,
    spelling.enumerated_classes,
    spelling.similar_names,
    spelling.empty_alternatives,
)


class Findings(list[Diagnostic]):
    """A list of findings in the order of the text. `str` shows each with its line.

    Parameters
    ----------
    findings : iterable of Diagnostic
        The findings, in any order.
    source : str
        The text that their spans point into.
    name : str
        The name of the text where findings are shown.

    >>> found = lint('root ::= digit | "a"')
    >>> found.worst, found.summary(), found[0].code
    ('error', '1 error', 'undefined_rule')
    >>> print(found.shown(width=60))
    error[undefined_rule]: rule `digit` is not defined
      grammar:1:10
        1 | root ::= digit | "a"
          |          ^^^^^
      hint: define it: digit ::= ...
    <BLANKLINE>
    1 error
    """

    def __init__(self, findings: Iterable[Diagnostic], source: str, name: str = "grammar") -> None:
        super().__init__(sorted(findings, key=lambda finding: finding.span))
        self.source = source
        self.name = name

    @property
    def worst(self) -> str | None:
        """The gravest severity among the findings: "error", "warning" or "hint"; None if there are no findings."""
        return next((severity for severity in SEVERITIES if any(f.severity == severity for f in self)), None)

    def summary(self) -> str:
        """Count the findings by severity.

        Returns
        -------
        str
            For example "1 error, 2 warnings"; "no findings" if there are none.
        """
        counts = Counter(finding.severity for finding in self)
        words = [f"{counts[kind]} {kind}{'s' * (counts[kind] > 1)}" for kind in SEVERITIES if counts[kind]]
        return ", ".join(words) or "no findings"

    def shown(self, width: int | None = None) -> str:
        """Format all findings as text.

        Parameters
        ----------
        width : int, optional
            The most characters of a source line; longer lines are cut.

        Returns
        -------
        str
            Each finding with its line, then the summary.
        """
        blocks = [shown(finding, self.source, self.name, width) + "\n" for finding in self]
        return "\n".join([*blocks, self.summary()])

    def __str__(self) -> str:
        return self.shown()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        most = Findings(self[:MOST_ROWS], self.source, self.name)
        left = f"\n… {len(self) - MOST_ROWS:,} more: print(findings) lists all" if len(self) > MOST_ROWS else ""
        return findings_html(str(most) + left)


def lint(
    grammar: Grammar | str | bytes,
    *,
    kind: str = "ebnf",
    root_rule_name: str | None = None,
    seconds: float = 1.0,
    name: str = "grammar",
    **options: Any,
) -> Findings:
    """Find errors and questionable constructs in a grammar.

    Parameters
    ----------
    grammar : Grammar, str or bytes
        Errors in a text are findings; they are not raised.
    kind : str
        How a text is read: "ebnf", "lark", "regex", "json_schema" or "structural_tag".
    root_rule_name : str, optional
        For EBNF and Lark: the rule that a whole output must match.
    seconds : float
        How long to search for an ambiguous text; 0 does not search.
    name : str
        The name of the text where findings are shown.
    **options
        For text: `on_unsupported`, `strict_mode`, `any_order`, `number_form`, if the kind has them
        (`xg2lab.sources.readers`).

    Returns
    -------
    Findings
        In the order of the text.

    Raises
    ------
    ArgumentError
        There is no such kind, or the kind has no such option.

    >>> [(finding.code, finding.line) for finding in lint('root ::= digit | "a"')]
    [('undefined_rule', 1)]
    >>> lint('root ::= "a" | "b"')
    no findings
    >>> print(lint('{"type": "string", "maxlength": 3}', kind="json_schema", name="name.json"))
    warning[unknown_keyword]: there is no keyword `maxlength`: it checks nothing
      name.json:1:20 at /maxlength
        1 | {"type": "string", "maxlength": 3}
          |                    ^^^^^^^^^^^
      hint: did you mean `maxLength`?
    <BLANKLINE>
    1 warning

    See also: docs/diagnostics.md, which explains every code.
    """
    if isinstance(grammar, Grammar):
        return Findings(dict.fromkeys(_all(grammar, seconds)), grammar.source, name)
    reader = reader_for(name, kind)
    # Bytes that are no UTF-8 become halves of surrogate pairs, which each reader refuses at their
    # place.
    text = grammar if isinstance(grammar, str) else grammar.decode("utf-8", "surrogateescape")
    given = options if root_rule_name is None else {**options, "root": root_rule_name}
    try:
        made = reader.grammar(grammar if reader.name == "ebnf" else text, **given)
        found, source = list(_all(made, seconds)), made.source
    except ArgumentError:
        raise
    except Xg2LabError as error:
        found = error.diagnostics or [Diagnostic("refused", "error", error.message, error.hint)]
        source = error.source
        if isinstance(error, UnsupportedError) and reader.is_json:
            found = [*found, *_beside_refusals(reader, text, given)]
        if reader.name == "ebnf":
            found = [*found, *beside_mistakes(text.encode(errors="surrogatepass"), found, _read_by(reader, given))]
    if reader.is_json and source is not None:
        found = as_written(found, source, text)
    return Findings(found, text, name)


def _read_by(reader: Reader, given: dict[str, Any]) -> Callable[[str], Grammar]:
    return lambda text: reader.grammar(text, **given)


def _beside_refusals(reader: Reader, text: str, given: dict[str, Any]) -> list[Diagnostic]:
    """Find what else is questionable in a refused schema, by its grammar without the refused keywords."""
    try:
        relaxed = reader.grammar(text, **{**given, "on_unsupported": "relax"})
    except Xg2LabError:
        return []
    return [finding for finding in schema_findings(relaxed) if finding.code != "relaxed_keyword"]


def as_written(findings: Iterable[Diagnostic], source: str, text: str) -> Iterator[Diagnostic]:
    """Findings in JSON as the engine writes it down, each at its place in the text that was given."""
    ours, written = JsonPlaces.of(source.encode()), JsonPlaces.of(text.encode())
    for finding in findings:
        span = ours.moved(finding.span, written)
        pointer = ours.around(finding.span).pointer if finding.pointer is None else finding.pointer
        message = finding.message.removeprefix(f"at {pointer}: ")
        line, column = written.line_and_column(span[0])
        yield replace(finding, message=message, span=span, line=line, column=column, pointer=pointer)


def _all(grammar: Grammar, seconds: float) -> Iterator[Diagnostic]:
    yield from grammar.diagnostics
    if grammar.source_name in ("schema", "structural tag"):
        yield from schema_findings(grammar)
        return
    context = Context.of(grammar)
    said: set[tuple[int, int]] = set()  # what is ambiguous for a reason that was named
    for find in LINTS:
        for finding in find(context):
            if finding.code in ("duplicate_alternative", "empty_alternative", "no_effect"):
                said.add(finding.span)
            yield finding
    circles = [context.nodes.rules[rule].span for cycle in structure.cycles(context) for rule in cycle]
    for finding in ambiguous(context, seconds):
        if any(is_within(finding.span, span) for span in circles):
            continue
        if not any(is_within(span, finding.span) for span in said):
            yield finding
