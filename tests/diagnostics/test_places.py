"""Places in JSON text: every value of one way of writing it is found in every other."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.generators import seeded
from xg2lab.support.places import JsonPlaces, line_and_column, offset_of

#: What the page's placeOf finds as well (widgets/test/json_place.test.ts).
PLACES = Path(__file__).parents[1] / "cases" / "json_places.json"
KEYS = 'ab~/é😀"\\{'
LEAVES: list[Any] = [1, -2.5, 'a\u00e9\n"', True, None, "", "😀x/~", "{[,:]}\\", "//", "\x01"]


def random_value(rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if depth == 0 or kind < 0.4:
        return rng.choice(LEAVES)
    if kind < 0.7:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(KEYS) + str(i): random_value(rng, depth - 1) for i in range(rng.randrange(4))}


def written(rng: random.Random, value: Any) -> bytes:
    return json.dumps(value, indent=rng.choice([None, 0, 2]), ensure_ascii=rng.random() < 0.5).encode()


def at_pointer(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def test_values_are_found_by_their_pointers_and_in_another_spelling():
    rng = seeded("places")
    n_strings = 0
    for _ in range(400):
        value = random_value(rng, 4)
        ours, theirs = JsonPlaces.of(written(rng, value)), JsonPlaces.of(written(rng, value))
        assert len(ours.values) == len(theirs.values)
        for place, other in zip(ours.values, theirs.values, strict=True):
            meant = at_pointer(value, place.pointer)
            assert json.loads(ours.data[slice(*place.span)]) == meant
            assert ours.value(place.pointer) == meant
            assert ours.moved(place.span, theirs) == other.span
            assert ours.around(place.span) is place
            if place.key_span is not None:
                assert ours.moved(place.key_span, theirs) == other.key_span
                assert ours.moved((place.key_span[0], place.span[1]), theirs) == (other.begin, other.span[1])
            if isinstance(meant, str) and len(meant) > 1:  # all but the first and the last character
                n_strings += 1
                inner = ours.moved(within(ours.data, place.span), theirs)
                assert inner == within(theirs.data, other.span)
    assert n_strings > 200


def within(data: bytes, span: tuple[int, int]) -> tuple[int, int]:
    """The second to the last but one character of a string, found by writing the others anew."""
    words = json.loads(data[slice(*span)])

    def size(part: str) -> int:
        begin = data[span[0] + 1 :]
        return next(n for n in range(len(begin)) if reads_as(begin[:n], part))

    return span[0] + 1 + size(words[0]), span[0] + 1 + size(words[:-1])


def reads_as(data: bytes, words: str) -> bool:
    try:
        return json.loads(b'"' + data + b'"') == words
    except ValueError:
        return False


def test_lines_and_columns():
    data = "é\n\n😀a\nb".encode()
    for offset in [0, 2, 3, 4, 8, 9, 10]:
        assert offset_of(data, *line_and_column(data, offset)) == offset
    assert line_and_column(data, 8) == (3, 2)


def test_several_values_with_lines_between():
    places = JsonPlaces.of(b'{"a": 1}\n// other\n[2]')
    assert [(place.pointer, place.parent) for place in places.values] == [("", None), ("/a", 0), ("", None), ("/0", 2)]
    assert places.by_pointer[""] is places.values[0]


@pytest.mark.parametrize("case", json.loads(PLACES.read_text(encoding="utf-8")), ids=lambda case: case["text"][:20])
def test_a_pointer_leads_to_its_key_and_value(case: dict[str, Any]) -> None:
    places = JsonPlaces.of(case["text"].encode())
    for pointer, found in case["places"].items():
        place = places.by_pointer.get(pointer)
        data = None if place is None else places.data[place.begin : place.span[1]].decode()
        assert data == found, pointer
