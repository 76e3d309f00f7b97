"""What `Workbench` is asked to show: arrangement, height, lesson; mistakes are told with what is allowed."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.ui.scripted import scripted_session

pytest.importorskip("anywidget")

from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.widgets import Workbench
from xg2lab.widgets.cells import running_cell
from xg2lab.widgets.export import picture_page
from xg2lab.widgets.saved import _Display, _output
from xg2lab.widgets.views import workbench


@pytest.fixture
def session() -> Any:
    session = scripted_session(name="arranged")
    session.step(2)
    return session


def test_options_are_kept_until_others_are_given(session: Any) -> None:
    view = Workbench(session)
    assert view.frame == {"arrangement": None, "height": 720, "lesson": None}
    assert Workbench(session, arrangement="debug", height=900) is view
    assert Workbench(session).frame == {"arrangement": "debug", "height": 900, "lesson": None}
    assert Workbench(session, lesson=("tape", "grammar_views")).frame["lesson"] == ["tape", "grammar_views"]
    assert Workbench(session, lesson="step").frame == {"arrangement": None, "height": 720, "lesson": "step"}


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"arrangement": "teach"}, ArgumentError, "there is no arrangement 'teach'\n  hint: step, author, debug"),
        ({"arrangement": ["step"]}, ArgumentError, "there is no arrangement ['step']\n  hint: step, author, debug"),
        ({"height": 100}, ArgumentError, "height is 100\n  hint: 320 to 4000 CSS pixels"),
        ({"height": 4001}, ArgumentError, "height is 4001\n  hint: 320 to 4000 CSS pixels"),
        ({"height": True}, ArgumentTypeError, "height is True; wanted an int\n  hint: a height in CSS pixels"),
        ({"height": 720.0}, ArgumentTypeError, "height is 720.0; wanted an int"),
        ({"lesson": "tape"}, ArgumentError, "there is no arrangement 'tape'\n  hint: step, author, debug"),
        ({"lesson": []}, ArgumentError, "lesson: there is no view named\n  hint: tape, "),
        ({"lesson": ["tape", "tape"]}, ArgumentError, "lesson: 'tape' is named twice"),
        ({"lesson": ["tape", "workbench", 3]}, ArgumentError, "lesson: there is no view 'workbench', 3\n  hint: "),
        ({"lesson": 3}, ArgumentTypeError, "lesson is 3; wanted an arrangement or a list of views\n  hint: step, "),
    ],
)
def test_a_mistake_is_told_with_what_is_allowed(
    session: Any, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    before = dict(Workbench(session).frame)
    with pytest.raises(error) as raised:
        Workbench(session, **options)
    text = str(raised.value)
    if "hint: tape, " in told or told.endswith("hint: "):
        assert text.startswith(told.split("hint:")[0])
        assert "mask_lens" in text
        assert "grammar_views" in text
    else:
        assert told in text
    assert Workbench(session).frame == before


def test_saved_outputs_exported_pages_and_pictures_have_the_same_frame(session: Any, tmp_path: Path) -> None:
    view = Workbench(session, arrangement="debug", height=800)
    page = view.export_html(tmp_path / "page.html", graphviz=False).read_text(encoding="utf-8")
    for text in (page, picture_page(view)):
        saved = re.search(r'id="xg2lab-saved">(.*?)</script>', text)
        assert saved is not None
        assert json.loads(saved[1])["frame"] == view.frame
    html = str(_output(_Display(view, "shown", running_cell()))["text/html"])
    frame = re.search(r'data-frame="([^"]*)"', html)
    assert frame is not None
    assert json.loads(frame[1].replace("&quot;", '"')) == view.frame


def test_the_facts_of_a_view_are_of_one_moment(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer's thread tells them for the notebook's outputs, while a cell takes the session back."""
    view = Workbench(session)
    others = threading.Thread(target=session.reset)
    told = workbench.mask_lines

    def told_beside_others(of: Any, step: int) -> list[str]:
        others.start()
        others.join(0.1)  # it waits for the lock, or it is over
        return told(of, step)

    monkeypatch.setattr(workbench, "mask_lines", told_beside_others)
    lines = repr(view).splitlines()
    others.join()
    assert any(line.startswith("step 2: ") for line in lines), lines
    assert len(session.trace.steps) == 1
