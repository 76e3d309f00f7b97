r"""Templates: the known part of a grammar, with slots that the arguments of a request fill.

>>> template = Template.from_ebnf(r'''
... root    ::= Each($sections, section)
... section ::= "<p id=\"" $id "\">" [^<]* "</p>"
... ''')
>>> print(template.write_out(sections=[{"id": "intro"}, {"id": 'a "b" | $c'}]))
root ::= section.sections.0 section.sections.1
section.sections.0 ::= "<p id=\"" "intro" "\">" [^<]* "</p>"
section.sections.1 ::= "<p id=\"" "a \"b\" | $c" "\">" [^<]* "</p>"
<BLANKLINE>

An argument is data: nothing in it is read as grammar. `Template.write_out` is the definition of what a template means.

Shapes and units: spans are byte offsets into the template's text; pointers are JSON Pointers (RFC 6901) into the
arguments.

See also: core/grammar/template.h for the holes, xg2lab/reference/template.py for the twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xg2lab._core import Grammar, TemplateText
from xg2lab.arguments import instance
from xg2lab.errors import Diagnostic, TemplateArgumentError, Xg2LabError

__all__ = ["Slot", "Template"]


@dataclass(frozen=True)
class Slot:
    """A slot of a template: what a mapping of arguments has to hold.

    `scope` is "" for a slot of the request, otherwise the rule whose elements hold it; a rule that is read for the
    elements of several lists is one scope. `kind` is "text", "texts", "count", "flag", "mappings" or "grammar".
    `spans` are the places in the template where the slot stands. `elements` are the scopes of a list's mappings.
    """

    name: str
    kind: str
    scope: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    elements: tuple[str, ...] = ()


class Template:
    """EBNF with slots (WGrammar, section 3.1). Immutable; `from_ebnf` makes one.

    | written | argument | means |
    |---|---|---|
    | `$x` | text: str or bytes | these bytes |
    | `OneOf($xs)` | list of texts | one of them |
    | `e{$n}`, `e{$lo,$hi}` | integers | e, that often |
    | `If($b, e, f)` | bool | `e` or `f` |
    | `Each($xs, rule, sep)` | list of dicts | `rule` for each, in order; `sep`, a rule or a text, may be left out |
    | `Use($g)` | a Grammar | what it matches |

    A rule that an `Each` reads takes `$x` from its element alone; `$$x` is the request's. It may call itself in an
    `Each`: the data ends it.

    >>> template = Template.from_ebnf('root ::= OneOf($names) ("." [0-9]){$least,3} If($loud, "!", ".")')
    >>> [(slot.name, slot.kind) for slot in template.slots]
    [('least', 'count'), ('loud', 'flag'), ('names', 'texts')]
    >>> print(template.write_out(names=["a", "b"], least=1, loud=True))
    root ::= ("a" | "b") ("." [0-9]){1,3} "!"
    <BLANKLINE>
    """

    def __init__(self, text: TemplateText) -> None:
        instance(text, TemplateText, "Template(): text", "what Template.from_ebnf(...) reads")
        self._text = text
        self._slots = _slots(text.scopes)

    @classmethod
    def from_ebnf(cls, text: str | bytes, *, root_rule_name: str = "root") -> Template:
        """Read a template.

        Parameters
        ----------
        text : str or bytes
            Rules as in `Grammar.from_ebnf`, with slots.
        root_rule_name : str
            The rule that a whole match is made of.

        Raises
        ------
        GrammarSyntaxError, GrammarError
            With *all* mistakes as `diagnostics`. A slot that is used as two kinds of argument is one.
        LimitError
            As `Grammar.from_ebnf`.

        >>> Template.from_ebnf("root ::= $x OneOf($x)")
        Traceback (most recent call last):
        xg2lab.errors.GrammarError: `$x` is a list of texts here and a text elsewhere
          grammar:1:19
            1 | root ::= $x OneOf($x)
              |                   ^^
          hint: give one of them another name
        """
        instance(text, (bytes, str), "Template.from_ebnf(): text")
        instance(root_rule_name, str, "Template.from_ebnf(): root_rule_name")
        return cls(TemplateText.from_ebnf(as_bytes(text), as_bytes(root_rule_name)))

    @property
    def source(self) -> str:
        """The text that all spans point into."""
        return self._text.source

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, by scope (the request's first) and name."""
        return self._slots

    def write_out(self, **arguments: Any) -> Grammar:
        """The ordinary grammar that the template means with these arguments.

        Parameters
        ----------
        **arguments
            One for each slot of the request; the table above says what fills which. A str is UTF-8; bytes are taken
            as they are.

        Returns
        -------
        Grammar
            Its spans point into the template's text. A rule that leads to slots is written once for each mapping it
            is read with, under a name like `section.sections.3`.

        Raises
        ------
        TemplateArgumentError
            With *all* mistakes in the arguments as `diagnostics`: each has its place in the template (`span`) and in
            the arguments (`pointer`).
        GrammarError
            For an instance that can't match.
        LimitError
            For more than a million elements, or too large a grammar.

        >>> Template.from_ebnf('root ::= OneOf($names)').write_out(names=[], nmae="x")
        Traceback (most recent call last):
        xg2lab.errors.TemplateArgumentError: `names` is an empty list: nothing can be chosen
          template:1:16, argument /names
            1 | root ::= OneOf($names)
              |                ^^^^^^
          hint: give it at least one text
        and 1 more: no slot is named `nmae` (argument /nmae; the slots are `names`)
        """
        written = self._text.write_out(arguments)
        if isinstance(written, Grammar):
            return written
        raise argument_error(written, self.source)

    def __repr__(self) -> str:
        return f"<Template with slots {', '.join(slot.name for slot in self._slots if not slot.scope) or 'none'}>"


def as_bytes(text: str | bytes) -> bytes:
    """The bytes of a text. Half of a surrogate pair becomes bytes that the engine refuses with their place."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _slots(
    scopes: Sequence[tuple[str, Sequence[tuple[str, str, Sequence[tuple[int, int]], Sequence[int]]]]],
) -> tuple[Slot, ...]:
    """The slots of all scopes, as the engine lists them."""
    rules = ["", *(rule for rule, _ in scopes[1:])]
    return tuple(
        Slot(name, kind, rules[i], tuple(spans), tuple(rules[of] for of in elements))
        for i, (_, slots) in enumerate(scopes)
        for name, kind, spans, elements in slots
    )


def argument_error(issues: Sequence[tuple[Diagnostic, str]], source: str) -> Xg2LabError:
    """The error with all mistakes in the arguments, as the engine lists them: the first with its line, the others
    in a line each.
    """
    found = [replace(diagnostic, pointer=pointer) for diagnostic, pointer in issues]
    first = found[0]
    line = (
        source.encode("utf-8", "surrogateescape").split(b"\n")[first.line - 1].decode("utf-8", "replace").rstrip("\r")
    )
    width = max(1, len(source.encode("utf-8", "surrogateescape")[slice(*first.span)].decode("utf-8", "replace")))
    marks = " " * (first.column - 1) + "^" * min(width, max(1, len(line) - first.column + 1))
    margin = " " * len(str(first.line))
    text = (
        f"{first.message}\n  template:{first.line}:{first.column}, argument {first.pointer or '(all)'}\n"
        f"    {first.line} | {line}\n    {margin} | {marks}\n  hint: {first.hint}"
    )
    for other in found[1:]:
        text += f"\nand {len(found) - 1} more: " if other is found[1] else "\n  "
        text += f"{other.message} (argument {other.pointer or '(all)'}; {other.hint})"
    return TemplateArgumentError(text, hint=first.hint, diagnostics=found, pointer=first.pointer, source=source)
