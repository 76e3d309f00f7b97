"""Python and TypeScript list the same traits: a class and its interface are compared name by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("anywidget")

from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.runtime import Runtime
from xg2lab.widgets.session_widget import NOTHING_SELECTED, SessionWidget
from xg2lab.widgets.view import View
from xg2lab.widgets.views.grammar_pad import PadView

SOURCES = Path(__file__).parents[2] / "widgets" / "src"
WIRE = (SOURCES / "wire" / "index.ts").read_text(encoding="utf-8")


def interface_fields(name: str) -> list[str]:
    """The fields of a TypeScript interface; of an empty record, none."""
    if re.search(rf"export type {name} = Record<never, never>;", WIRE):
        return []
    body = re.search(rf"export interface {name} \{{(.*?)^\}}", WIRE, re.DOTALL | re.MULTILINE)
    assert body is not None, f"wire/index.ts has no interface {name}"
    return re.findall(r"^  (\w+)\??:", body[1], re.MULTILINE)


def own_traits(cls: type) -> list[str]:
    """The synced traits that are ours: the framework's begin with an underscore or are its own few."""
    known = {"layout", "tabbable", "tooltip", "comm", "keys", "log"}
    return [name for name in cls.class_traits(sync=True) if not name.startswith("_") and name not in known]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("cls", "interface"),
    [(Runtime, "RuntimeTraits"), (SessionWidget, "SessionTraits"), (PadWidget, "PadTraits"), (View, "ViewTraits")],
)
def test_lists_are_the_same(cls: type, interface: str) -> None:
    assert sorted(own_traits(cls)) == sorted(interface_fields(interface))


def test_a_selection_has_the_same_parts_on_both_sides() -> None:
    from xg2lab.lab.session.selection import SELECTION

    assert list(NOTHING_SELECTED) == interface_fields("Selection") == list(SELECTION)


def test_steps_and_programs_have_the_same_fields() -> None:
    from dataclasses import fields

    from xg2lab.lab.trace.steps import Step

    told = {"inner", "lost", "root", "written"}  # by xg2lab/widgets/page_trace.py
    assert sorted(interface_fields("Step")) == sorted({*(f.name for f in fields(Step))} | told)


def test_every_request_of_the_page_has_a_handler() -> None:
    source = "\n".join(
        p.read_text(encoding="utf-8") for p in (Path(__file__).parents[2] / "widgets" / "src").rglob("*.ts*")
    )
    asked = set(re.findall(r"\.call\(\s*\"(\w+)\"", source)) | set(re.findall(r"command\(\"(\w+)\"", source))
    assert asked
    handlers = {name[3:] for cls in (Runtime, SessionWidget, PadWidget) for name in dir(cls) if name.startswith("on_")}
    assert asked <= handlers


def test_every_panel_name_is_drawn_by_the_page() -> None:
    from xg2lab import widgets

    folder = SOURCES / "views"
    drawn = {path.parent.name for path in folder.glob("*/index.ts")}
    for name in drawn:
        assert f'\n  name: "{name}",\n' in (folder / name / "index.ts").read_text(encoding="utf-8")
    listed = (folder / "index.ts").read_text(encoding="utf-8")
    assert set(re.findall(r'^import \{ \w+ \} from "\./(\w+)";$', listed, re.MULTILINE)) == drawn
    views = {*View.__subclasses__(), *PadView.__subclasses__()} - {PadView}
    assert {cls.PANEL for cls in views} == drawn
    assert {cls.__name__ for cls in views} <= set(widgets.__all__)
