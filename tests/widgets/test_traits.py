"""The page and the kernel know each other: traits as the schema lists them, requests and panels by their names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_type_hints

import pytest

pytest.importorskip("anywidget")

from xg2lab.lab import schema
from xg2lab.lab.trace.reading import adapter
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.runtime import Runtime
from xg2lab.widgets.session_widget import NOTHING_SELECTED, SessionWidget
from xg2lab.widgets.view import View
from xg2lab.widgets.views.grammar_pad import PadView

SOURCES = Path(__file__).parents[2] / "widgets" / "src"


def own_traits(cls: type) -> list[str]:
    """The synced traits that are ours: the framework's begin with an underscore or are its own few."""
    known = {"layout", "tabbable", "tooltip", "comm", "keys", "log"}
    return [name for name in cls.class_traits(sync=True) if not name.startswith("_") and name not in known]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("cls", "record"),
    [
        (Runtime, schema.RuntimeTraits),
        (SessionWidget, schema.SessionTraits),
        (PadWidget, schema.PadTraits),
        (View, schema.ViewTraits),
    ],
)
def test_a_widget_has_the_traits_of_its_record(cls: type, record: type) -> None:
    assert sorted(own_traits(cls)) == sorted(get_type_hints(record))


def test_a_fresh_widget_has_values_of_its_record() -> None:
    assert adapter(schema.Selection).validate_python(NOTHING_SELECTED, extra="forbid") == NOTHING_SELECTED


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
    assert set(re.findall(r'^import \{ [\w, ]+ \} from "\./(\w+)";$', listed, re.MULTILINE)) == drawn
    views = {*View.__subclasses__(), *PadView.__subclasses__()} - {PadView}
    assert {cls.PANEL for cls in views} == drawn
    assert {cls.__name__ for cls in views} <= set(widgets.__all__)


def test_python_and_the_page_name_the_same_arrangements_and_panes() -> None:
    """A pane without a class is a second definition of a folder."""
    from xg2lab.widgets.views.workbench import ARRANGEMENTS, PAGE_PANES

    source = (SOURCES / "frame" / "arrangements.ts").read_text(encoding="utf-8")
    assert f"ARRANGEMENTS = {list(ARRANGEMENTS)!r}".replace("'", '"') in source
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (SOURCES / "views").glob("*/index.ts"))
    classes = {cls.PANEL for cls in {*View.__subclasses__(), *PadView.__subclasses__()}}
    named = set(re.findall(r'\bname: "(\w+)"', pages))
    assert named - classes == set(PAGE_PANES)
