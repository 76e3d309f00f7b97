"""The page's types and the note's tables are those of the schema, and a field that was changed shows up."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

import pytest

from tools import check_schema
from xg2lab.lab.schema.parts import Listing, Names, Row, Span, Wire


class Point(Wire):
    """A record of this test."""

    x: int
    """across"""
    label: NotRequired[str | None]


def test_what_is_made_from_the_schema_is_current() -> None:
    assert check_schema.difference() == ""


@pytest.mark.parametrize("name", ["TYPESCRIPT", "NOTE"])
def test_a_file_that_differs_is_shown_as_a_diff(tmp_path: Any, monkeypatch: Any, name: str) -> None:
    path = getattr(check_schema, name)
    stale = tmp_path / path.name
    changed = {"TYPESCRIPT": ("  index: number;", "  index: string;"), "NOTE": ("| `index` |", "| `number` |")}[name]
    text = path.read_text(encoding="utf-8")
    assert changed[0] in text
    stale.write_text(text.replace(*changed), encoding="utf-8")
    monkeypatch.setattr(check_schema, "ROOT", tmp_path.parent)
    monkeypatch.setattr(check_schema, name, stale)
    other = "NOTE" if name == "TYPESCRIPT" else "TYPESCRIPT"
    copy = tmp_path / getattr(check_schema, other).name
    copy.write_text(getattr(check_schema, other).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(check_schema, other, copy)
    assert f"-{changed[1]}" in check_schema.difference()
    assert f"+{changed[0]}" in check_schema.difference()
    assert check_schema.main(["--write"]) == 0
    assert check_schema.difference() == ""
    assert stale.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (int, "number"),
        (str | None, "string | null"),
        (Literal["a", 1], '"a" | 1'),
        (list[str | None], "(string | null)[]"),
        (Listing[Span], "Span[]"),
        (dict[str, list[Point]], "Record<string, Point[]>"),
        (Annotated[list[int], Names("a", "b")], "[a: number, b: number]"),
        (Annotated[list[Any], Row(optional=True, a=int, b=Point)], "[a: number, b?: Point]"),
        (Any, "unknown"),
    ],
)
def test_a_type_is_written_in_typescript(kind: Any, written: str) -> None:
    assert check_schema.Types().of(kind) == written


def test_a_type_that_typescript_lacks_is_refused() -> None:
    with pytest.raises(TypeError, match="TypeScript has no word for"):
        check_schema.Types().of(set[int])


def test_a_field_without_a_description_is_refused() -> None:
    texts = check_schema.Texts()
    texts.of_field["Point", "x"] = "across"
    with pytest.raises(ValueError, match=r"Point\.label has no description"):
        list(check_schema.fields_of(Point, texts))
