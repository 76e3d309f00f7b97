"""A view whose question is refused says why and what to do, readable in both themes: axe finds nothing serious.

The questions of the workbench's own panes are in `test_states.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView, axe_findings

pytestmark = pytest.mark.browser

SETUP = """
import xg2lab as xgr
from xg2lab.errors import SessionError
from xg2lab.widgets import *
session = xgr.Session('root ::= sum\\nsum ::= sum "+" sum | [0-9]', model="tiny", prompt="A sum: ", name="ambiguous")
session.force("1+2+3")
beside = LockstepView([session, session.variant(seed=9)])
sampler = Sampler('root ::= "a" | "b"')

def refused(*subject, **options):
    raise SessionError("an answer takes too long", hint="a hint of what to do")
session.beam = session.derivations = beside.lockstep.step = refused
sampler.session.pad.sampler = refused
"""
#: Views, and the element whose click asks the question that is refused.
VIEWS = {"beam_view": None, "chart_view": "[data-view=derivations]", "lockstep_view": "[data-do=step]"}


@pytest.fixture(scope="module")
def refusing(lab: Lab) -> Lab:
    lab.errors.clear()
    return lab


def test_placeholder(refusing: Lab, shots: Path) -> None:
    page = refusing.show([SETUP, "BeamView(session)", "ChartView(session)", "beside"])
    page.run_all()
    for view in VIEWS:
        one = OneView(page, view)
        print(one.part(".panel").first.inner_html()[:3000])
    expect(page.locator("[data-xg2lab=beam_view] [role=alert]")).to_contain_text("takes too long")
    for dark in (False, True):
        page.theme(dark)
        assert axe_findings(page, "beam_view", dark=dark) == []
