"""Structural tags by their meaning: the positions at which a format that begins here may end.

>>> tag = {"type": "tag", "begin": "<b>", "content": {"type": "any_text"}, "end": "</b>"}
>>> accepts(tag, "<b>a < b</b>"), accepts(tag, "<b></b></b>")
(True, False)
>>> token = {"type": "any_tokens", "exclude_tokens": [1]}
>>> accepts(token, [0, 2], ["a", "ab", "b"]), accepts(token, [1], ["a", "ab", "b"])
(True, False)

The ends of a format are computed from the ends of its parts, on the given text, so no machine is
made. Formats that contain formats are in tag_parts.py, free text is in tag_free_text.py; here are
the leaves: constants, other languages, tokens.

Shapes and units: places count code points. A text of tokens is their ids; a token format takes the
one that begins at its place. Special tokens, which are no text, are left to the engine;
`max_tokens` of any_text is an option of rules (options.py), which texts spend nothing of; of
styles only `json` and `qwen_xml` are here.
See also: docs/design/0022-structural-tags.md; earley.py, regex.py, json_schema.py for what is in
other languages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from xg2lab.reference.earley import parse
from xg2lab.reference.ebnf import parse_ebnf
from xg2lab.reference.patterns import read_pattern
from xg2lab.reference.regex import ends as ends_of_pattern
from xg2lab.reference.tag_free_text import FreeText
from xg2lab.reference.tag_parts import Around, Format
from xg2lab.reference.tag_values import is_elements, is_json


def accepts(form: Format, text: str | Sequence[int], vocabulary: Sequence[str] = (), stops: Iterable[int] = ()) -> bool:
    """Is the text, or the text of these tokens, a match of the format?"""
    tokens: dict[int, tuple[int, int]] = {}
    words = ""
    for token in text if not isinstance(text, str) else []:
        tokens[len(words)] = token, len(words) + len(vocabulary[token])
        words += vocabulary[token]
    words = text if isinstance(text, str) else words
    return len(words) in Reader(words, tokens, frozenset(stops)).ends(form, Around(), 0)


@dataclass(frozen=True)
class Reader(FreeText):
    """All formats."""

    def const_string_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Its value."""
        return self.close({at + len(form["value"])} if self.text.startswith(form["value"], at) else set(), around)

    def regex_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Wherever a match may end. What is behind it is no part of it, so looks don't see it."""
        node = read_pattern(form["pattern"])
        places = {
            end for end in range(at, len(self.text) + 1) if end - at in ends_of_pattern(node, self.text[at:end], 0)
        }
        return self.close(places, around)

    def grammar_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Wherever the chart is complete."""
        grammar = parse_ebnf(form["grammar"])
        places = range(at, len(self.text) + 1)
        return self.close({end for end in places if parse(grammar, self.text[at:end].encode()).is_complete()}, around)

    def json_schema_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Wherever a value ends that is valid."""
        is_one = is_elements if form.get("style") == "qwen_xml" else is_json
        schema = form["json_schema"]
        places = {end for end in range(at, len(self.text) + 1) if is_one(self.text[at:end], schema)}
        return self.close(places, around)

    def qwen_xml_parameter_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """An older name."""
        return self.json_schema_ends({**form, "style": "qwen_xml"}, around, at)

    # ---- Tokens ----

    def token_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """One token, whatever its bytes."""
        return self.close(self.token_at(at, {form["token"]}), around)

    def exclude_token_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """One that is not listed."""
        return self.close(self.token_at(at, form.get("exclude_tokens", []), True), around)

    def any_tokens_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Some that are not listed, and are no end."""
        taken = {*form.get("exclude_tokens", []), *around.end_tokens}
        places = self.many(at, lambda place: self.token_at(place, taken, True), 0, form.get("max_tokens"))
        return self.close(places, around)

    def token_triggered_tags_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Free tokens, in which a trigger opens its tags."""
        return self.free_tokens(form, form["trigger_tokens"], [(None, tag) for tag in form["tags"]], around, at)

    def token_dispatch_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Free tokens, in which each pattern is followed by its format."""
        form = {**form, "stop_after_first": not form.get("loop", True)}
        return self.free_tokens(form, [token for token, _ in form["rules"]], form["rules"], around, at)

    def free_tokens(self, form: Format, triggers: list[int], rules: list[Any], around: Around, at: int) -> set[int]:
        """Tokens that are no trigger, and what triggers open; behind the first it may be over."""
        taken = {*form.get("exclude_tokens", []), *triggers, *around.end_tokens}

        def one(place: int) -> set[int]:
            begins = [(rule, place if token is None else end) for token, rule in rules
                      for end in ([place] if token is None else self.token_at(place, {token}))]  # fmt: skip
            return {end for rule, begin in begins for end in self.ends(rule, around.inside(), begin)}

        def free(place: int) -> set[int]:
            return self.token_at(place, taken, True)

        once, needed = form.get("stop_after_first", False), form.get("at_least_one", False)
        places = one(at) if needed else {at}
        if once and not needed:
            begins = self.many(at, free, 0, None)
            places = begins | {end for place in begins for end in one(place)}
        elif not once:
            places = {end for place in places for end in self.many(place, lambda p: free(p) | one(p), 0, None)}
        return self.close(places, around)
