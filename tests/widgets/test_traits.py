"""Python and TypeScript list the same traits: a class and its interface are compared name by name."""

from __future__ import annotations

import json
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

    assert sorted(interface_fields("Step")) == sorted([*(f.name for f in fields(Step)), "lost"])  # lost: exported pages


def test_engine_options_have_the_same_defaults() -> None:
    from dataclasses import asdict

    from xg2lab.options import EngineOptions

    source = (SOURCES / "views" / "why_card" / "layout" / "issue.ts").read_text(encoding="utf-8")
    body = re.search(r"ENGINE_DEFAULTS[^{]*\{(.*?)\}", source, re.DOTALL)
    assert body is not None
    said = {name: json.loads(value) for name, value in re.findall(r"(\w+): (\"?\w+\"?)", body[1])}
    assert said == asdict(EngineOptions())


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


def test_what_is_said_of_an_exercise_is_the_same_words() -> None:
    """Each run of words that Python says stands in the page's source; a browser test compares whole sentences."""
    import ast

    from xg2lab.lab.lessons import exercise_words

    tree = ast.parse(Path(exercise_words.__file__).read_text(encoding="utf-8"))
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    said = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in docs]
    parts = [part.strip(" ,;:") for text in said if isinstance(text, str) for part in text.split("`")]
    runs = {re.sub(r"\s+", " ", part) for part in parts if len(part.split()) > 3}
    assert len(runs) > 20
    page = (SOURCES / "views" / "chart_view" / "exercise" / "words.ts").read_text(encoding="utf-8")
    page = re.sub(r"\s+", " ", page.replace("\\`", "`"))
    assert [run for run in runs if run not in page] == []
