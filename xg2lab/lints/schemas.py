"""Questionable constructs of JSON Schemas: keywords without effect, with an unlikely meaning, or left out.

>>> from xg2lab.grammar import Grammar
>>> grammar = Grammar.from_json_schema({"type": "integer", "minLength": 3, "maximun": 9})
>>> for finding in schema_findings(grammar):
...     print(finding.pointer, finding.code, finding.message, sep=": ")
/minLength: keyword_no_effect: `minLength` constrains strings only, and `type` allows none
/maximun: unknown_keyword: there is no keyword `maximun`: it checks nothing

IDEA
  The coverage of a grammar says of each keyword whether it is kept. What the standard lets pass in silence is looked at
  here as an author would: a name that resembles a keyword, a keyword whose partner is missing, a keyword for values of
  an excluded type. Names that begin with `x-` are the author's own and are ignored.

See also: `xg2lab.sources.json_schema.Coverage`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from xg2lab.errors import Diagnostic
from xg2lab.sources.schema_words import FORMATS, KEYWORDS, REFUSED_FORMATS, TYPES
from xg2lab.support.places import JsonPlaces

if TYPE_CHECKING:
    from xg2lab.grammar import Grammar
    from xg2lab.sources.json_schema import KeywordUse

__all__ = ["schema_findings"]

# What values each keyword speaks of; other values it lets pass.
SPEAKS_OF = {name: word.speaks_of for name, word in KEYWORDS.items() if word.speaks_of}
OTHERS = tuple(name for name, word in KEYWORDS.items() if not word.speaks_of and word.state == "enforced")
NOT_A_FORMAT = "not a format of the standard"
NOT_A_KEYWORD = "not a keyword of the standard"
NOT_CHECKED = "formats are not checked: check_formats is False"


def schema_findings(grammar: Grammar) -> Iterator[Diagnostic]:
    """All findings, in the order of the source, into which they point."""
    coverage = grammar.coverage
    if not coverage:
        return
    places = JsonPlaces.of(grammar.source.encode())
    holders = {above for use in coverage for above in _above(use.pointer)}
    near = Suggestions()
    for use in coverage:
        said = _of_use(use, places, near) or _of_type(use, places)
        if said is not None:
            yield _finding(places, use.pointer, use.span, *said)
        if use.keyword in ("$defs", "definitions"):
            yield from _unused(places, use.pointer, holders)
        if use.keyword == "additionalProperties" and use.state == "enforced":
            yield from _empty_key(places, use.pointer, use.span)
        if use.keyword == "required" and use.state == "enforced":
            yield from _misspelled(places, use.pointer, near)


class Suggestions:
    """Names that a misspelled one may stand for, as long as `MOST_COMPARISONS` are enough: they are a courtesy.

    >>> Suggestions()("minlength", ("minLength", "maxLength"))
    'minLength'
    """

    MOST_COMPARISONS = 50_000  # about a second's

    def __init__(self) -> None:
        self._n_left = self.MOST_COMPARISONS

    def __call__(self, name: str, known: Sequence[str]) -> str | None:
        self._n_left -= len(known)
        if self._n_left < 0:
            return None
        by_lower = {one.lower(): one for one in known}
        found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.8)
        return by_lower[found[0]] if found else None


def _above(pointer: str) -> Iterator[str]:
    """The pointers of what holds a value, from the innermost on."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


Said = tuple[str, str, str, str]  # code, severity, message, hint


def _of_use(use: KeywordUse, places: JsonPlaces, nearest: Suggestions) -> Said | None:
    """Return the engine's note on a keyword."""
    name = use.keyword
    if use.state == "relaxed":
        return "relaxed_keyword", "warning", f"`{name}` is left out: {use.note}", "texts that break it are allowed"
    if use.state != "annotation" or use.note in ("", NOT_CHECKED):
        return None
    if use.note == NOT_A_KEYWORD:
        near = None if name in SPEAKS_OF else nearest(name, (*SPEAKS_OF, *OTHERS, "$defs"))
        if name.startswith("x-"):
            return None
        return (
            "unknown_keyword",
            "warning" if near else "hint",
            f"there is no keyword `{name}`: it checks nothing",
            f"did you mean `{near}`?" if near else "own keywords begin with x-, by convention",
        )
    if use.note == NOT_A_FORMAT:
        value = str(places.value(use.pointer))
        near = nearest(value, (*FORMATS, *REFUSED_FORMATS))
        return (
            "unchecked_format",
            "warning" if near else "hint",
            f"there is no format `{value}`: every string is allowed",
            f"did you mean `{near}`?" if near else "use a pattern instead",
        )
    return "keyword_no_effect", "warning", f"`{name}` checks nothing: {use.note}", "remove it, or add what it needs"


def _of_type(use: KeywordUse, places: JsonPlaces) -> Said | None:
    """A keyword for values that the `type` beside it doesn't allow."""
    what = SPEAKS_OF.get(use.keyword)
    parent = use.pointer.rpartition("/")[0]
    if use.state != "enforced" or what is None or f"{parent}/type" not in places.by_pointer:
        return None
    types: Any = places.value(f"{parent}/type")
    allowed = {TYPES.get(name) for name in ([types] if isinstance(types, str) else types)}
    if what in allowed:
        return None
    return (
        "keyword_no_effect",
        "warning",
        f"`{use.keyword}` constrains {what} only, and `type` allows none",
        "remove it, or correct the type",
    )


def _unused(places: JsonPlaces, pointer: str, holders: set[str]) -> Iterator[Diagnostic]:
    """Definitions of which no keyword was read: nothing refers to them. `holders`: what keywords were read of."""
    holder = places.by_pointer[pointer]
    for place in islice(places.values, holder.index + 1, None):
        if place.begin >= holder.span[1]:
            return
        if (
            place.parent != holder.index
            or place.key_span is None
            or places.data[place.span[0] : place.span[1]] in (b"{}", b"")
        ):
            continue
        if not place.is_scalar and place.pointer not in holders:
            name = place.pointer.rpartition("/")[2]
            message = f"nothing refers to the definition `{name}`"
            yield _finding(places, place.pointer, place.key_span, "unused_definition", "hint", message, "remove it")


def _misspelled(places: JsonPlaces, pointer: str, nearest: Suggestions) -> Iterator[Diagnostic]:
    """Required names that nearly are those of properties. One that is like none may well be meant."""
    declared = places.by_pointer.get(pointer.rpartition("/")[0] + "/properties")
    required: Any = places.value(pointer)
    if declared is None or not isinstance(required, list):
        return
    properties: Any = places.value(declared.pointer)
    names = cast("list[Any]", required)
    wanted = {name for name in names if isinstance(name, str)}
    left = [str(name) for name in properties if name not in wanted]
    for number, name in enumerate(names):
        near = nearest(name, left) if left and isinstance(name, str) and name not in properties else None
        if near is not None:
            place = places.by_pointer[f"{pointer}/{number}"]
            message = f"`{name}` is required, and `properties` does not list it"
            hint = f"did you mean `{near}`?"
            yield _finding(places, place.pointer, place.span, "misspelled_required", "warning", message, hint)


def _empty_key(places: JsonPlaces, pointer: str, span: tuple[int, int]) -> Iterator[Diagnostic]:
    """An object that is open on purpose, and so takes "" as the name of a property."""
    parent = pointer.rpartition("/")[0]
    if places.value(pointer) is False or _names_exclude_empty(places, parent):
        return
    properties: Any = places.value(f"{parent}/properties") if f"{parent}/properties" in places.by_pointer else {}
    if "" not in properties:
        message = 'an additional property may have the empty name "", which few authors mean'
        hint = 'add "propertyNames": {"minLength": 1}'
        yield _finding(places, pointer, span, "empty_key", "hint", message, hint)


def _names_exclude_empty(places: JsonPlaces, parent: str) -> bool:
    """Whether `propertyNames` forbids the empty name; a pattern that Python can't read counts as if it did."""
    pointer = f"{parent}/propertyNames"
    if pointer not in places.by_pointer:
        return False
    names: Any = places.value(pointer)
    if not isinstance(names, dict):
        return names is False
    rule = cast("dict[str, Any]", names)
    pattern = rule.get("pattern")
    listed = rule.get("enum", [rule["const"]] if "const" in rule else None)
    if isinstance(pattern, str):
        try:
            if re.search(pattern, "") is None:
                return True
        except (re.error, RecursionError):
            return True
    least = rule.get("minLength", 0)
    is_long = isinstance(least, int | float) and least >= 1
    return (
        is_long or (isinstance(listed, list) and "" not in listed) or bool({"$ref", "allOf", "anyOf", "not"} & {*rule})
    )


def _finding(
    places: JsonPlaces, pointer: str, span: tuple[int, int], code: str, severity: str, message: str, hint: str
) -> Diagnostic:
    return Diagnostic(code, severity, message, hint, span, *places.line_and_column(span[0]), pointer)
