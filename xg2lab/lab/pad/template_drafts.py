r"""A template in the making: its text, the text of its arguments, and the instance that both make.

>>> read = read_template('root ::= "<" $id ">" OneOf($ends)', '{"id": 3, "ends": []}')
>>> [(found.message, found.span) for found in read.places]
[('`id` is a number', (7, 8)), ('`ends` is an empty list: nothing can be chosen', (18, 20))]
>>> [found.span for found in read.issues]
[(27, 32), (13, 16)]
>>> skeleton(read.template)
{'ends': ['text'], 'id': 'text'}

IDEA
  The arguments are JSON, written as a trace writes them (`xg2lab.lab.session.instances`). A mistake in them has two
  places: in the template (`issues`), as the engine says it, and in the arguments' text (`places`), where its JSON
  Pointer leads. Mistakes of the JSON itself have a place in the arguments' text alone.

  Lints are reported too: those of the template for all arguments (`Template.diagnostics`), and those of the
  instance by the lints of the written-out grammar. Where an argument is to blame for that, it has the same two places.

Shapes and units: spans count bytes of the text that they point into.
See also: `xg2lab.lab.pad.drafts`, which does the same for grammars; `xg2lab.lab.pad.pad`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack, cast

from xg2lab.errors import Diagnostic, Xg2LabError
from xg2lab.lab.trace.arguments import arguments_from_wire
from xg2lab.lints import as_written, lint
from xg2lab.support.places import JsonPlaces, line_and_column
from xg2lab.template import Slot, Template

if TYPE_CHECKING:
    from xg2lab.sources.json_schema import SchemaOptions
    from xg2lab.support.json_text import Json
    from xg2lab.template import Encode

__all__ = ["ArgumentsError", "TemplateText", "arguments_of", "has_slots", "in_arguments", "read_template", "skeleton"]

MOST_LINTED = 100_000  # characters of arguments: lints of an instance of longer ones would take seconds
MOST_FOUND = 200  # by lints, of one instance: its elements may be many
MOST_NESTING = 2  # of elements in elements, in a skeleton: a rule may read elements of its own kind
# Places without slots in EBNF: comments, texts, classes, patterns. The last group is a slot.
EBNF = re.compile(
    r"#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\[(?:[^\]\\\n]|\\.)*\]|/(?:[^/\\\n]|\\.)+/|(\$\$?[A-Za-z_])"
)
IN_JSON = re.compile(r'"\$slot"\s*:')


def has_slots(text: str, kind: str) -> bool:
    """Whether a text of this kind names slots, so that it is read as a template.

    >>> has_slots('root ::= "$x" [$y] # $z', "ebnf"), has_slots("root ::= $x", "ebnf")
    (False, True)
    """
    if kind == "json_schema":
        return IN_JSON.search(text) is not None
    return kind == "ebnf" and any(found[1] for found in EBNF.finditer(text))


@dataclass(frozen=True)
class TemplateText:
    """The result for the two texts: `template` and `arguments` as far as they could be read, and what there is to say.

    `findings` are of the template and the instance. Of the arguments, `issues` point into the template and `places`
    into the arguments.
    """

    template: Template | None = None
    arguments: dict[str, object] | None = None
    findings: tuple[Diagnostic, ...] = ()
    issues: tuple[Diagnostic, ...] = ()
    places: tuple[Diagnostic, ...] = ()

    @property
    def n_errors(self) -> int:
        """How many mistakes there are; one of an argument is counted once."""
        return sum(found.severity == "error" for found in (*self.findings, *self.places))


def read_template(
    text: str,
    arguments: str,
    kind: str = "ebnf",
    *,
    encode: Encode | None = None,
    seconds: float = 0.0,
    **options: Unpack[SchemaOptions],
) -> TemplateText:
    """Read both texts. An empty text of arguments means no arguments; with `encode`, EBNF is spelled in tokens.

    `seconds` is for the search for a text of the instance that can be read in two ways; 0: not at all.
    """
    template, findings, values, places = None, (), None, ()
    is_schema = kind == "json_schema"
    try:
        if is_schema:
            template = Template.from_json_schema(text, **options)
        else:
            spelling = "bytes" if encode is None else "tokens"
            template = Template.from_ebnf(text, spelling=spelling, encode=encode)
        findings = tuple(template.diagnostics)
    except Xg2LabError as error:
        findings = diagnostics_of(error)
        if is_schema and error.source is not None:
            findings = tuple(as_written(findings, error.source, text))
    try:
        values = arguments_of(arguments)
    except ArgumentsError as error:
        places = (error.found,)
    read = TemplateText(template, values, findings, (), places)
    if template is None:
        return read
    if values is not None:
        read = _instance_read(read, template, values, arguments, seconds)
    if is_schema:  # the engine's spans are of the schema as it writes it
        own = as_written(read.findings, template.source, text)
        return replace(read, findings=tuple(own), issues=tuple(as_written(read.issues, template.source, text)))
    return read


def _instance_read(
    read: TemplateText, template: Template, values: Mapping[str, object], arguments: str, seconds: float
) -> TemplateText:
    """Return the read texts with the findings of the instance."""
    try:
        written = template.write_out(**values)
    except Xg2LabError as error:
        return with_refusal(read, error, arguments)
    if len(arguments) > MOST_LINTED:
        return read
    known = {(found.code, found.span) for found in read.findings}
    found = tuple(one for one in lint(written, seconds=seconds) if (one.code, one.span) not in known)
    if written.source_name == "schema":  # pointers of these lead into the schema
        return replace(read, findings=(*read.findings, *found))
    return _with_found(read, found[:MOST_FOUND], arguments)


def with_refusal(read: TemplateText, error: Xg2LabError, arguments: str) -> TemplateText:
    """Return the read texts with the reason why an instance was refused."""
    return _with_found(read, diagnostics_of(error), arguments)


def _with_found(read: TemplateText, found: tuple[Diagnostic, ...], arguments: str) -> TemplateText:
    """What was read, with more findings: those of arguments are told from others by pointers.

    In the template, equal findings about several elements are listed once.
    """
    issues = tuple(one for one in found if one.pointer is not None)
    others = tuple(one for one in found if one.pointer is None)
    once: dict[tuple[str, tuple[int, int], str], Diagnostic] = {}
    for one in issues:
        once.setdefault((one.code, one.span, one.message), one)
    return replace(
        read,
        findings=(*read.findings, *others),
        issues=(*read.issues, *once.values()),
        places=(*read.places, *in_arguments(issues, arguments)),
    )


def in_arguments(issues: tuple[Diagnostic, ...], arguments: str) -> tuple[Diagnostic, ...]:
    """The mistakes of arguments in the arguments' text: an unknown name is marked, a missing one where it belongs."""
    data = arguments.encode()
    places = {place.pointer: place for place in JsonPlaces.of(data).values}

    def placed(found: Diagnostic) -> Diagnostic:
        place = places.get(found.pointer or "")
        span = (0, 1) if place is None else place.span
        if place is not None and found.code == "unknown_argument":
            span = place.key_span or span
        elif found.code == "missing_argument":
            span = span[0], span[0] + 1
        line, column = line_and_column(data, span[0])
        return replace(found, span=span, line=line, column=column)

    return tuple(sorted(map(placed, issues), key=lambda found: found.span))


def diagnostics_of(error: Xg2LabError) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an error, at least one."""
    return tuple(error.diagnostics) or (Diagnostic("refused", "error", error.message, error.hint),)


class ArgumentsError(Exception):
    """The arguments' text is not what it should be; `found` says why and where."""

    def __init__(self, found: Diagnostic) -> None:
        super().__init__(found.message)
        self.found = found


def arguments_of(text: str) -> dict[str, object]:
    """The arguments that a text holds. Raises `ArgumentsError`."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=once_each)
        if not isinstance(value, dict):
            whole, said = (0, len(text.encode())), "arguments are one JSON object"
            raise ArgumentsError(finding(text, whole, said, "write {}", "wrong_argument"))
        return cast("dict[str, object]", arguments_from_wire(value))
    except json.JSONDecodeError as error:
        begin = len(text[: error.pos].encode())
        raise ArgumentsError(finding(text, (begin, begin + 1), f"the arguments are not JSON: {error.msg}")) from error
    except TwiceError as error:
        raise ArgumentsError(finding(text, (0, 1), f"the name {json.dumps(error.name)} comes twice")) from error
    except (ValueError, RecursionError, Xg2LabError) as error:
        said = str(error).partition("\n")[0]
        found = finding(text, (0, 1), f"the arguments can't be read: {said}", code="wrong_argument")
        raise ArgumentsError(found) from error


class TwiceError(Exception):
    """An object of the arguments has a name twice."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def once_each(members: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object of JSON whose names are all different."""
    made: dict[str, Json] = {}
    for name, value in members:
        if name in made:
            raise TwiceError(name)
        made[name] = value
    return made


def finding(text: str, span: tuple[int, int], message: str, hint: str = "", code: str = "invalid_json") -> Diagnostic:
    """A mistake of the arguments' text."""
    line, column = line_and_column(text.encode(), span[0])
    return Diagnostic(code, "error", message, hint, span, line, column)


# ---- Arguments to begin with ----


def skeleton(template: Template) -> dict[str, Json]:
    """Arguments of the right kinds for all slots of a template, to be overwritten; lists of one element."""
    by_scope: dict[str, list[Slot]] = {}
    for slot in template.slots:
        by_scope.setdefault(slot.scope, []).append(slot)

    def value(slot: Slot, depth: int) -> Json:
        if slot.kind == "mappings":
            return [scope(name, depth + 1) for name in slot.elements[:1] if depth < MOST_NESTING]
        plain: dict[str, Json] = {"texts": ["text"], "values": ["text"], "count": 1, "flag": True}
        return plain.get(slot.kind, {"$grammar": 'root ::= "text"'} if slot.kind == "grammar" else "text")

    def scope(name: str, depth: int) -> dict[str, Json]:
        return {slot.name: value(slot, depth) for slot in by_scope.get(name, [])}

    return scope("", 0)
