"""Comparisons of engines on the page: chosen, begun and stopped there; who is wrong, where, and the text of an issue.

A real kernel, the tiny model's vocabulary, our own engines, and engines of the test's own with one fault each: no peer
is needed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks

pytestmark = pytest.mark.browser

#: Engines of the test's own, each ours with one fault.
SETUP = """
import threading
import numpy as np
from xg2lab import Session
from xg2lab.lab import compare
from xg2lab.lab.engines.ours import OurEngine
from xg2lab.widgets import *

class Faulty(OurEngine):
    "Takes the schema's maxLength of 4 for one of 6."
    def __init__(self, name="faulty", version="1.2"):
        super().__init__(name=name)
        self.version = version
    def compile(self, source, info):
        from xg2lab.lab.engines import EngineSource
        self.info = info
        super().compile(EngineSource("json_schema", source.text.replace('"maxLength": 4', '"maxLength": 6')), info)
    def fork(self):
        other = Faulty(self.name, self.version)
        other.info, other._matcher = self.info, self.matcher.fork()
        return other

class Broken(Faulty):
    def __init__(self):
        super().__init__("broken", "")
    def accept(self, token_id):
        raise RuntimeError("no token today")
    def fork(self):
        raise NotImplementedError

class Picky(Faulty):
    def __init__(self):
        super().__init__("picky", "0.1")
    def compile(self, source, info):
        raise ValueError("no schemas on Fridays")

gate, reached = threading.Event(), threading.Event()
class Slow(Faulty):
    "Its masks wait for the gate."
    def __init__(self):
        super().__init__("slow", "")
    def fill(self, row):
        reached.set()
        gate.wait(0.05)
        super().fill(row)
    def fork(self):
        raise NotImplementedError

schema = {"type": "object", "properties": {"k": {"type": "string", "maxLength": 4}}, "required": ["k"]}
from xg2lab import Grammar
session = Session(Grammar.from_json_schema(schema, strict_mode=False), model="tiny", name="mine")
steps = session.force('{"k": "abcd"}')
view = Compare(session)
"""


@pytest.fixture(scope="module")
def view(lab: Lab) -> OneView:
    """A Compare view of a forced instance."""
    lab.errors.clear()
    page = lab.show([SETUP, "Compare(session)", "WhyCard(session)"])
    page.run_all()
    found = OneView(page, "compare")
    expect(found.part("[data-switch]").first).to_be_visible()
    return found


def mode(view: OneView, name: str) -> None:
    view.part(".what").get_by_role("button", name=name, exact=True).click()


def finished(view: OneView) -> None:
    expect(view.part(".foot")).to_contain_text("engine")
    expect(view.part("[role=progressbar]")).to_have_count(0)


def run(view: OneView, engines: str) -> None:
    """A comparison that Python makes, and the page shows."""
    view.notebook.python(f"report = view.engines([{engines}])")
    finished(view)
    n = view.ask("len(report.rows)")
    expect(view.part("[data-engine]")).to_have_count(n)


def test_engines_are_offered_and_what_is_missing_says_how_to_get_it(view: OneView) -> None:
    mode(view, "engines")
    expect(view.part(".state")).to_contain_text("Choose engines to replay the output on each")
    view.notebook.python("from xg2lab.lab.engines.registry import known_engines")
    known = view.ask("[one._asdict() for one in known_engines()]")
    expect(view.part("[data-choice]")).to_have_count(len(known))
    for one in known:
        choice = view.part(f"[data-choice='{one['name']}']")
        box = choice.locator("input")
        if one["version"]:
            expect(box).to_be_enabled()
            expect(choice).to_contain_text(one["version"])
        else:
            expect(box).to_be_disabled()
            expect(choice).to_contain_text(f"pip install {one['name']}")
    expect(view.part(".compare-with").get_by_role("button", name="compare", exact=True)).to_be_disabled()


def test_two_of_ours_agree_when_chosen_by_key_alone(view: OneView) -> None:
    mode(view, "engines")
    keys = view.notebook.page.keyboard
    view.part("[data-choice=xg2lab-pda] input").focus()
    keys.press("Space")
    begin = view.part(".compare-with > button")
    expect(begin).to_have_text("compare with 1 engine")
    for _ in range(8):
        keys.press("Tab")
        if begin.evaluate("e => e.getRootNode().activeElement === e"):
            break
    keys.press("Enter")
    expect(view.part("[data-engine]")).to_have_count(2)
    finished(view)
    n = view.ask("view.data().n_steps")
    expect(view.part("[data-verdict=agree]")).to_contain_text(f"Both agree. {n} masks of each")
    assert view.ask("[row.name for row in view.data().rows]") == ["xg2lab", "xg2lab-pda"]
    expect(view.part("[data-mark=same]").first).to_be_visible()
    expect(view.part("[data-mark=differs], [data-mark=refuses]")).to_have_count(0)
    expect(view.part("[data-xor='0']")).to_contain_text("they agree")


def parting(view: OneView) -> Locator:
    return view.part(".parting").last


def test_who_is_wrong_stands_first_with_token_bytes_and_place(view: OneView) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    found = view.ask(
        "[[d.step, d.byte, d.text, d.data.hex(' ').upper(), [[v.wrong, v.kind, v.why] for v in d.verdicts]]"
        " for d in report.disagreements]"
    )
    expect(view.part(".parting")).to_have_count(len(found))
    for k, (step, byte, text, data, verdicts) in enumerate(found):
        card = view.part(".parting").nth(k)
        expect(card).to_contain_text(f"xg2lab and faulty part at step {step}")
        expect(card).to_contain_text(f"byte {byte}, before {text}")
        expect(card).to_contain_text(f"({data})")
        for wrong, kind, why in verdicts:
            expect(card.locator(f"[data-verdict-kind={kind}][data-wrong={wrong}]")).to_contain_text(why)
    assert {(v[0], v[1]) for one in found for v in one[4]} == {("faulty", "allows_invalid")}
    expect(view.part("[data-engine=faulty]")).to_contain_text("1.2")


def test_masks_of_two_lie_over_each_other_where_a_click_leads(view: OneView) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    view.part("[role=slider]").press("Home")
    expect(view.part("[data-xor='0']")).to_be_visible()  # they agree in the beginning
    parting(view).get_by_role("button", name="show their masks").click()
    at, n_a, n_b = view.ask("(lambda d: [d.step, len(d.only_a), len(d.only_b)])(report.disagreements[-1])")
    expect(view.part("[role=slider]")).to_have_attribute("aria-valuenow", str(at))
    expect(view.part("[data-xor]")).to_have_attribute("data-xor", str(n_a + n_b))
    counts = view.part(".lens-legend li")
    expect(view.part("canvas[data-mask]")).to_be_visible()
    expect(counts.nth(0).locator(".num").first).to_have_text(f"{n_a:,}")
    expect(counts.nth(1).locator(".num").first).to_have_text(f"{n_b:,}")
    expect(view.part("[data-told]")).to_contain_text(f"Step {at}, before")
    view.notebook.settled()
    assert view.ask("session.selection['step']") == at
    # the twin against the fault: the same bits, since the twin's mask is the reference's
    view.part("select[aria-label='Engine A']").select_option("1")
    expect(view.part("[data-xor]")).to_have_attribute("data-xor", str(n_a + n_b))
    view.part("select[aria-label='Engine B']").select_option("0")
    expect(view.part("[data-xor]")).to_have_attribute("data-xor", "0")


def test_each_token_is_marked_and_walked_by_key(view: OneView) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    n = view.ask("report.n_steps")
    for step in range(n):
        expect(view.part(f"[data-cell='{step}']")).to_have_count(1)
    groups = view.ask("report.groups")
    refuses = view.ask("[row.refuses for row in report.rows]")
    for step, row in enumerate(groups):
        for k, name in enumerate(["xg2lab", "xg2lab-pda", "faulty"]):
            wanted = "same" if row[k] == row[0] else "differs"
            wanted = "none" if row[k] < 0 else "refuses" if refuses[k] == step else wanted
            expect(view.part(f"[data-of='{name} {step}']")).to_have_attribute("data-mark", wanted)
    slider = view.part("[role=slider]")
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuenow", str(n - 1))
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", str(n - 2))
    told = view.part("[data-told]").inner_text()
    expect(slider).to_have_attribute("aria-valuetext", told)
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("t")
    expect(view.part("tr[data-step]")).to_have_count(n)
    expect(view.part(f"tr[data-step='{n - 2}']")).to_have_class("is-selected")
    view.notebook.page.keyboard.press("t")


def test_times_stand_side_by_side(view: OneView) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    heads = [head.inner_text() for head in view.part(".engines-table thead th").all()]
    wanted = "compile,again,first mask,p50 cold,p50 warm,p99 cold,p99 warm,max cold,max warm"
    assert ",".join(heads[3:12]) == wanted
    for k, name in enumerate(["xg2lab", "xg2lab-pda", "faulty"]):
        cells = view.part(f"[data-engine={name}] td.num").all_inner_texts()
        assert len(cells) == 9
        assert all(re.fullmatch(r"[\d.,]+ (µs|ms|s)", text) for text in cells), cells
        assert view.ask(f"[len(report.rows[{k}].cold_us), len(report.rows[{k}].warm_us)]")[0] > 0


def test_the_issue_of_the_engine_that_is_wrong_is_copied(view: OneView) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    view.notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = parting(view).get_by_role("button", name="copy as issue for faulty").first
    button.focus()
    view.notebook.page.keyboard.press("Enter")
    expect(parting(view).locator(".engine-copy [role=status]").first).to_have_text("copied")
    copied = view.notebook.page.evaluate("() => navigator.clipboard.readText()")
    assert copied.strip() == view.ask("report.issue_text('faulty')").strip()
    assert "which is not valid" in copied


def test_an_engine_that_fails_or_refuses_is_said_before_all_else(view: OneView) -> None:
    run(view, "Broken(), Picky()")
    alert = view.part("[role=alert]")
    expect(alert).to_contain_text("broken failed after 0 tokens: RuntimeError: no token today")
    expect(view.part(".notice.warning")).to_contain_text(
        "picky does not read this grammar: ValueError: no schemas on Fridays"
    )
    expect(view.part("[data-engine=broken]")).to_contain_text("failed")
    expect(view.part("[data-engine=picky]")).to_contain_text("refused")
    view.part("[role=slider]").press("End")
    expect(view.part("[data-no-masks]")).to_contain_text("has no mask at step")
    run(view, "'tests.lab.engines.stubs:Crashing'")
    expect(view.part(".notice.warning")).to_contain_text("crashing does not read this grammar")


def test_a_name_that_is_no_engine_is_told_where_the_result_would_be(view: OneView) -> None:
    view.notebook.python("try:\n    view.engines(['nobody'])\nexcept Exception as error: said = str(error)")
    assert "there is no engine of this name" in view.ask("said")
    expect(view.part("[role=alert]")).to_contain_text("there is no engine of this name")


def test_a_long_comparison_says_what_it_does_and_stops_by_escape(view: OneView) -> None:
    run(view, "Slow()")  # now the page can choose it
    view.notebook.python("reached.clear()")
    mode(view, "engines")
    expect(view.part("[data-choice=slow] input")).to_be_checked()
    view.notebook.python("gate.wait = lambda seconds: __import__('time').sleep(0.3)")
    view.part(".compare-with > button").click()
    expect(view.part(".progress")).to_contain_text("slow makes")
    expect(view.part("[data-engine=slow]")).to_have_attribute("data-phase", re.compile("masks|times"))
    view.part(".panel").focus()
    view.notebook.page.keyboard.press("Escape")
    expect(view.part(".foot")).to_contain_text("stopped: cancelled")
    expect(view.part("[role=progressbar]")).to_have_count(0)
    assert view.ask("[view.data().stopped, view.data().is_running]") == ["cancelled", False]


def test_a_result_of_compare_shows_itself_on_the_page(view: OneView) -> None:
    view.notebook.python("report = compare(session, engines=[Faulty()])")
    shown = view.notebook.python("from IPython.display import display\ndisplay(report)")
    assert view.ask("view.data() is report")
    expect(view.part("[data-engine]")).to_have_count(2)
    expect(view.part(".parting").first).to_be_visible()
    assert isinstance(shown, str)


def test_who_cannot_be_judged_is_undecided_with_the_reason(view: OneView, lab: Lab) -> None:
    ebnf = """
from xg2lab.lab.engines import EngineSource
class Anything(Faulty):
    def compile(self, source, info):
        self.info = info
        OurEngine.compile(self, EngineSource("regex", ".*"), info)
plain = Session('root ::= "a" [a-z]*', model="tiny", name="plain")
steps = plain.force("ab")
report = compare(plain, engines=[Anything("anything")])
"""
    page = lab.show([SETUP, ebnf, "Compare(plain).show(report)", "Compare(plain)"])
    page.run_all()
    verdict = OneView(page, "compare").part("[data-verdict-kind=undecided]").first
    expect(verdict).to_contain_text("undecided nothing but the engines knows what a grammar in ebnf means")
    expect(verdict.get_by_role("button", name="copy for anything")).to_be_visible()


def test_a_session_that_went_on_is_said_and_the_other_modes_still_work(view: OneView) -> None:
    run(view, "'xg2lab-pda'")
    n = view.ask("len(report.ids)")
    view.notebook.python("session.back(1)")
    expect(view.part(".notice.hint")).to_contain_text(f"The session has changed since: {n} tokens then, {n - 1} now")
    view.notebook.python("steps = session.force('\"}')")
    mode(view, "switches")
    view.part("[data-switch=parser]").get_by_role("button", name="pushdown automaton", exact=True).click()
    expect(view.part("[data-verdict=agree]")).to_contain_text("They agree.")
    expect(view.part("[data-engine]")).to_have_count(0)
    mode(view, "engines")
    run(view, "'xg2lab-pda'")


def test_the_workbench_has_it_in_its_tab(view: OneView, lab: Lab, shots: Path) -> None:
    page = lab.show([SETUP, "Workbench(session)"])
    page.run_all()
    page.page.set_viewport_size({"width": 1440, "height": 900})
    bench = OneView(page, "workbench")
    bench.part("[role=tab]").get_by_text("Compare", exact=True).click()
    panel = bench.part("[data-panel=compare]")
    panel.get_by_role("button", name="More tools").click()  # a narrow pane's head is folded
    panel.get_by_role("button", name="engines", exact=True).click()
    panel.locator("[data-choice=xg2lab-plain] input").check()
    panel.locator(".compare-with > button").click()
    expect(panel.locator("[data-verdict=agree]")).to_contain_text("Both agree.")
    page.python("report = Compare(session).engines([Faulty()])")
    expect(panel.locator(".parting").first).to_contain_text("xg2lab and faulty part")
    expect(panel.locator("[data-choice=faulty] input")).to_be_checked()
    panel.locator(".parting").last.get_by_role("button", name="show their masks").click()
    expect(panel.locator("canvas[data-mask]")).to_have_count(1)
    bench.part(".panel").first.screenshot(path=str(shots / "compare-engines-workbench.png"))
    page.page.screenshot(path=str(shots / "compare-engines-workbench-page.png"))
    bench.maximise("compare")
    expect(panel.locator("[data-engine=faulty]")).to_be_visible()
    page.page.screenshot(path=str(shots / "compare-engines-workbench-large.png"))


@looks(1440, 700)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    run(view, "'xg2lab-pda', Faulty(), Picky()")
    parting(view).get_by_role("button", name="show their masks").click()
    view.name = "compare"
    view.looks_well(shots, width, dark=dark, body=".parting")
    picture = shots / f"compare-{width}-{'dark' if dark else 'light'}.png"
    picture.replace(picture.with_name(picture.name.replace("compare-", "compare-engines-")))


def test_an_exported_page_shows_it_as_it_was(view: OneView, lab: Any) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    view.notebook.python(f"path = Compare(session).export_html({str(lab.folder / 'engines.html')!r})")
    page = lab.blank(offline=True)
    page.goto((lab.folder / "engines.html").as_uri())
    panel = page.locator("[data-panel=compare]")
    expect(panel.locator(".parting").first).to_contain_text("xg2lab and faulty part")
    panel.locator(".parting").last.get_by_role("button", name="show their masks").click()
    expect(panel.locator("canvas[data-mask]")).to_be_visible()
    n = view.ask("(lambda d: len(d.only_a) + len(d.only_b))(report.disagreements[-1])")
    expect(panel.locator("[data-xor]")).to_have_attribute("data-xor", str(n))
    expect(panel.locator("[data-choice]")).to_have_count(0)  # a recording has no engine to ask
    page.context.close()


def test_what_a_notebook_saves_draws_it_without_its_kernel(view: OneView, lab: Lab) -> None:
    run(view, "'xg2lab-pda', Faulty()")
    at = view.ask("report.disagreements[0].step")
    other = OneView(lab.replay(view.notebook.saved()), "compare")
    expect(other.part(".parting").first).to_contain_text(f"part at step {at}")
    expect(other.part("[data-wrong=faulty]").first).to_be_visible()
    expect(other.part("[data-engine]")).to_have_count(3)
    expect(other.part("[data-mark=differs]").first).to_be_visible()
    expect(other.part(".parting [data-issue=faulty]").first).to_be_visible()
    expect(other.part("[data-choice]")).to_have_count(0)


def test_nothing_was_complained_of(view: OneView, lab: Lab) -> None:
    view.complained_of_nothing(lab)
    assert json.dumps(view.ask("view.data().to_wire()['ok']")) == "false"
