"""A view whose question is refused says why and what to do, readable in both themes: axe finds nothing serious.

The questions of the workbench's own panes are in `test_states.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, axe_findings
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from xg2lab.errors import SessionError
from xg2lab.widgets import *
session = xgr.Session('root ::= sum\\nsum ::= sum "+" sum | [0-9]', model="tiny", prompt="A sum: ", name="ambiguous")
session.force("1+2+3")
beside = LockstepView([session, session.variant(seed=9)])

def refused(*subject, **options):
    raise SessionError("an answer takes too long", hint="a hint of what to do")
session.beam = session.derivations = beside.lockstep.step = refused
"""


@pytest.fixture(scope="module")
def page(lab: Lab) -> PlainPage:
    """The views, each of which asks a question that is refused."""
    lab.errors.clear()
    page = lab.show([SETUP, "BeamView(session)", "ChartView(session)", "beside"])
    page.run_all()
    OneView(page, "chart_view").part(".head button").filter(has_text="tree").first.click()
    OneView(page, "lockstep_view").part(".head").get_by_role("button", name="step all").click()
    return page


@pytest.mark.parametrize("view", ["beam_view", "chart_view", "lockstep_view"])
def test_a_refusal_is_told_in_place(page: PlainPage, shots: Path, view: str) -> None:
    shown = page.locator(f"[data-xg2lab={view}]").first
    expect(shown).to_contain_text("an answer takes too long")
    expect(shown).to_contain_text("a hint of what to do")
    expect(shown).not_to_contain_text("SessionError")
    for dark in (False, True):
        page.theme(dark)
        shown.screenshot(path=str(shots / f"refused-{view}-{'dark' if dark else 'light'}.png"))
        assert axe_findings(page, view, dark=dark) == []
    page.theme(False)
