"""An exported page, opened from disk with the network off: every view is drawn and scrubs, and no request leaves."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from xg2lab.errors import ArgumentError, LimitError, SessionError

from .jupyter import NotebookPage
from .one_view import with_axe
from .scripted import scripted_session

pytestmark = pytest.mark.browser

VIEWS = (
    "tape", "mask_lens", "why_card", "chart_view", "fsm_view", "cache_view", "dispatch_view", "timeline_view",
    "dist_view", "audit", "compare", "lockstep_view", "cost_table", "operator_view", "grammar_pad", "example_bench",
    "sampler", "workbench",
)  # fmt: skip
#: no tags in this grammar, no audit, no comparison and no second run, which the views say; the source is one text
STILL = (
    "dispatch_view",
    "operator_view",
    "audit",
    "compare",
    "lockstep_view",
    "grammar_pad",
    "example_bench",
    "sampler",
)
N_STEPS = 9
ASKED: list[str] = []
COMPLAINTS: list[str] = []
PICTURE = """({ shadowRoot: root }) =>
  root.innerHTML + [...root.querySelectorAll('canvas')].map((c) => c.toDataURL()).join()"""


@pytest.fixture(scope="module")
def session() -> Any:
    """Nine steps, three of them taken back once, and the end."""
    session = scripted_session(name="a <lesson>")
    session.step(N_STEPS)
    session.back(3)
    session.run()
    return session


@pytest.fixture(scope="module")
def recording(lab: Any, session: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """All views in one page, opened from disk in a browser that is offline."""
    from xg2lab.widgets import export_html

    path = export_html(session, tmp_path_factory.mktemp("export") / "lesson.html", views=VIEWS)
    page = lab.blank(offline=True, reduced_motion="reduce")
    ASKED.clear()
    COMPLAINTS.clear()
    page.on("request", lambda r: ASKED.append(r.url))
    page.on("console", lambda m: COMPLAINTS.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: COMPLAINTS.append(str(e)))
    page.goto(path.as_uri())
    expect(page.locator("[data-xg2lab=workbench] .session")).to_be_visible()
    yield page
    page.context.close()


def stands_at(page: Page, step: int) -> None:
    """Until the workbench says that it stands at this step."""
    expect(page.locator("[data-xg2lab=workbench] .rail .part").first).to_have_text(f"step {step}")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_drawn_and_scrubs(recording: Page, session: Any, view: str) -> None:
    frame = recording.locator(f"[data-xg2lab={view}]")
    frame.scroll_into_view_if_needed()
    panel = frame.locator(".panel").first
    expect(panel).to_be_visible()
    expect(panel.locator("svg, canvas, table, pre, .state").first).to_be_visible()
    last = len(session.trace.steps) - 1
    recording.locator("[data-xg2lab=tape] .overview").press("End")
    stands_at(recording, last)
    panel.focus()
    pictures = [frame.evaluate(PICTURE)]
    for step in range(last - 1, last - 5, -1):
        recording.keyboard.press("ArrowLeft")
        stands_at(recording, step)
        NotebookPage(recording).settled()
        pictures.append(frame.evaluate(PICTURE))
    if view not in STILL:
        assert len(set(pictures)) > 1
    recording.keyboard.press("ArrowRight")
    stands_at(recording, last - 3)


def test_machines_are_laid_out_by_the_engine_inside(recording: Page) -> None:
    expect(recording.locator("[data-xg2lab=fsm_view] svg.fsm")).to_be_visible()


def test_a_typed_step_stays_while_the_cursor_moves(recording: Page, session: Any) -> None:
    last = len(session.trace.steps) - 1
    recording.locator("[data-xg2lab=tape] .overview").press("End")
    stands_at(recording, last)
    field = recording.locator("[data-xg2lab=tape] .go-to input")
    field.fill("3")
    recording.locator("[data-xg2lab=tape] .overview").dispatch_event("keydown", {"key": "ArrowLeft", "bubbles": True})
    stands_at(recording, last - 1)
    expect(field).to_have_value("3")
    recording.keyboard.press("Tab")
    stands_at(recording, 3)
    expect(field).to_have_value("3")


def test_every_listed_candidate_is_explained(recording: Page, session: Any) -> None:
    step = 3
    recording.locator("[data-xg2lab=tape] .go-to input").fill(str(step))
    recording.keyboard.press("Tab")
    stands_at(recording, step)
    card = recording.locator("[data-xg2lab=why_card]")
    for candidate in session.trace.steps[step].top[:8]:
        recording.locator(f"[data-xg2lab=tape] [data-token='{candidate.token_id}']").click()
        expect(card.locator(".subject")).to_have_attribute("data-token", str(candidate.token_id))
        expect(card.locator("[data-reason]")).to_contain_text(session.explain(candidate.token_id, step)["reason"])


def test_a_column_is_filled_by_hand_without_a_kernel(recording: Page, session: Any) -> None:
    chart = recording.locator("[data-xg2lab=chart_view]")
    recording.locator("[data-xg2lab=tape] .overview").press("End")
    chart.locator("[data-key=e]").click()
    column = session.trace.steps[-1].byte_begin
    exercise = chart.locator(".exercise")
    expect(exercise).to_have_attribute("data-column", str(column))
    for _ in session.trace.columns[column]:
        if chart.locator("[data-finished]").count():
            break
        chart.locator("[data-do=hint]").click()
        verb = chart.locator(".by-hand-said [role=status]").inner_text().split()[1]
        chart.locator(f"[data-verb={verb}]").click()
        expect(chart.locator(".by-hand-said [role=status]")).to_have_attribute("data-kind", "right")
    expect(chart.locator("[data-finished]")).to_be_visible()
    chart.locator("[data-key=e]").click()


def test_what_needs_a_kernel_says_so(recording: Page) -> None:
    workbench = recording.locator("[data-xg2lab=workbench]")
    expect(workbench.locator("[data-offline]")).to_have_text("recording, no kernel")
    field = workbench.get_by_label("Token id, text or /bytes/ to explain")
    field.fill("never asked before")
    field.press("Enter")
    told = workbench.locator("[data-panel=why-card] [role=alert]")
    expect(told).to_contain_text("was not recorded, and no kernel answers")
    expect(told).to_contain_text("run the notebook")
    field.fill("")
    recording.locator("[data-xg2lab=tape] [data-panel=tape]").focus()
    recording.keyboard.press("r")
    expect(recording.locator("[data-xg2lab=tape] [role=alert]").first).to_contain_text("run the notebook")
    recording.keyboard.press("Escape")
    expect(recording.locator("body > header")).to_contain_text("To sample more")


def test_the_buttons_move_the_cursor_where_nothing_else_moves(recording: Page) -> None:
    recording.evaluate("() => { location.hash = 'step=3'; }")
    stands_at(recording, 3)
    tools = recording.locator("[data-xg2lab=workbench] .transport")
    tools.get_by_role("button", name="Back").click()
    stands_at(recording, 2)
    tools.get_by_role("button", name="Forward").click()
    stands_at(recording, 3)
    recording.evaluate("() => { location.hash = 'step=0'; }")
    stands_at(recording, 0)
    expect(tools.get_by_role("button", name="Back")).to_be_disabled()


def test_the_theme_can_be_chosen(recording: Page) -> None:
    root = recording.locator("[data-xg2lab=tape] .xg")
    grounds = []
    for theme in ("light", "dark"):
        recording.get_by_label("theme").select_option(theme)
        expect(root).to_have_attribute("data-theme", theme)
        grounds.append(root.evaluate("e => getComputedStyle(e).backgroundColor"))
    assert grounds[0] != grounds[1]


def test_the_address_leads_to_what_is_selected(recording: Page) -> None:
    recording.evaluate("() => { location.hash = 'step=3&byte=2'; }")
    stands_at(recording, 3)
    recording.locator("[data-xg2lab=tape] [data-token='268']").click()
    recording.wait_for_function("() => location.hash.includes('token=268')")
    assert "step=3" in recording.url
    copied = recording.context.new_page()
    copied.goto(recording.url)
    stands_at(copied, 3)
    expect(copied.locator("[data-xg2lab=why_card] .subject")).to_have_attribute("data-token", "268")
    copied.close()


@pytest.mark.parametrize(
    "fragment",
    [
        "step=999999999", "token=999999999", "byte=999999999&step=2", "rule=999999999", "item=999999999.5",
        "item=2.999999999", "state=999999999&mask_entry=999999999", "step=x&token=%3Cb%3E", "#",
        "mask_entry=0&item=0.0",
    ],
)  # fmt: skip
def test_an_address_with_numbers_of_nothing_breaks_no_view(recording: Page, fragment: str) -> None:
    heard = "new Promise((go) => addEventListener('hashchange', go, { once: true }))"
    recording.evaluate(f"(fragment) => {{ location.hash = fragment; return {heard}.then(() => true); }}", fragment)
    NotebookPage(recording).settled()
    recording.evaluate("() => { location.hash = 'step=1'; }")
    stands_at(recording, 1)
    expect(recording.locator("[data-xg2lab=chart_view] svg").first).to_be_visible()
    assert COMPLAINTS == []


def test_axe_finds_nothing_serious(recording: Page) -> None:
    with_axe(recording)
    found = recording.evaluate(
        "async () => (await axe.run(document)).violations.filter((r) => ['serious', 'critical'].includes(r.impact))"
        ".map((r) => r.id + ': ' + r.nodes.map((n) => n.target.flat().join(' ') + ' ' + n.failureSummary).join())"
    )
    assert found == []


def test_nothing_was_asked_of_anybody(recording: Page) -> None:
    assert recording.title() == "a <lesson>"
    assert [url for url in ASKED if not url.startswith(("file:", "blob:", "data:"))] == []
    assert COMPLAINTS == []


# ---- Sizes -----------------------------------------------------------------------------------------------------------


def test_a_page_that_can_not_fit_is_refused_and_nothing_is_written(session: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import export_html

    with pytest.raises(LimitError, match="even without masks") as refused:
        export_html(session, tmp_path / "small.html", max_bytes=100_000)
    assert "max_bytes=" in refused.value.hint
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ArgumentError, match="no view 'tapes'"):
        export_html(session, tmp_path / "none.html", views=("tapes",))


def test_early_masks_are_left_out_first_and_a_warning_says_so(session: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import ExportWarning, Tape, export_html

    whole = Tape(session).export_html(tmp_path / "tape.html", graphviz=False)
    size = whole.stat().st_size
    assert size < 1 << 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export_html(session, tmp_path / "tape.html", views=("tape",), graphviz=False, max_bytes=size + 1000)
    with pytest.warns(ExportWarning, match="The masks of the first") as told:
        less = export_html(session, whole, views=("tape",), graphviz=False, max_bytes=size - 5000)
    assert less.stat().st_size <= size - 5000
    assert str(told[0].message).split(" max_bytes")[0] in less.read_text(encoding="utf-8")


def test_the_text_of_a_session_can_not_end_the_page(session: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import export_html

    text = export_html(session, tmp_path / "page.html", title="</title><script>alert(1)</script>").read_text()
    assert "<script>alert(1)" not in text
    saved = text.split('id="xg2lab-saved">', 1)[1].split("</script>", 1)[0]
    assert json.loads(saved)["views"] == ["workbench"]


def test_an_audit_is_shown_as_it_was(lab: Any, session: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import Audit

    view = Audit(session)
    report = view.run()
    path = view.export_html(tmp_path / "audit.html")
    page = lab.blank(offline=True)
    page.goto(path.as_uri())
    expect(page.locator(".readout")).to_contain_text(f"{report.n_steps} states × 2,048 tokens: mask equals accept")
    expect(page.get_by_role("button", name="run again")).to_be_disabled()
    page.context.close()


def test_source_and_examples_are_shown_as_text(lab: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import ExampleBench, GrammarPad, Workbench

    session = scripted_session(name="pads")
    session.step(3)
    bench = ExampleBench(GrammarPad(session=session), [("{", False), ("no\n", True)])
    bench.wait()
    text = GrammarPad(session=session).text + "# not applied\n"
    GrammarPad(session=session).text = text
    bench.wait()
    path = Workbench(session, arrangement="author").export_html(tmp_path / "pads.html")
    page = lab.blank(offline=True)
    page.goto(path.as_uri())
    source = page.locator("[data-panel=grammar-pad]")
    expect(source.locator("pre")).to_have_text(text, use_inner_text=True)
    expect(source).to_contain_text("This page is a recording")
    examples = page.locator("[data-panel=example-bench] pre")
    expect(examples).to_contain_text("✓ should not    incomplete  {")
    expect(examples).to_contain_text("✗ should match  rejected    no↵")
    page.context.close()


def test_without_its_pad_a_page_shows_the_sessions_grammar(session: Any, lab: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import export_html

    path = export_html(session, tmp_path / "no_pad.html", views=("grammar_pad",))
    page = lab.blank(offline=True)
    page.goto(path.as_uri())
    expect(page.locator("main pre")).to_have_text(session.trace.header["grammar"]["text"], use_inner_text=True)
    page.context.close()


def test_a_pad_of_no_session_is_refused(tmp_path: Path) -> None:
    from xg2lab.widgets import GrammarPad

    with pytest.raises(SessionError, match="nothing to replay"):
        GrammarPad('root ::= "a"').export_html(tmp_path / "pad.html")


# ---- The page's policy -----------------------------------------------------------------------------------------------


def test_a_script_that_gets_into_the_page_does_not_run(lab: Any, session: Any, tmp_path: Path) -> None:
    from xg2lab.widgets import Tape

    path = Tape(session).export_html(tmp_path / "tape.html", graphviz=False)
    text = path.read_text(encoding="utf-8")
    policy = text.split('http-equiv="Content-Security-Policy" content="', 1)[1].split('"', 1)[0]
    allowed = {words.split()[0]: words.split()[1:] for words in policy.split("; ")}
    assert allowed["default-src"] == ["'none'"]
    assert "'unsafe-inline'" not in allowed["script-src"]
    planted = '<script>window.planted = 1</script><img src="data:," onerror="window.planted = 1">'
    path.write_text(text.replace("<main ", f"{planted}<main "), encoding="utf-8")
    page = lab.blank(offline=True)
    refused: list[str] = []
    page.on("console", lambda m: refused.append(m.text) if m.type == "error" else None)
    page.goto(path.as_uri())
    expect(page.locator("[data-xg2lab=tape] .overview")).to_be_visible()
    assert page.evaluate("window.planted") is None
    assert sum("Content Security Policy" in text for text in refused) == 2
    assert page.evaluate("fetch('data:,x').then(() => 'sent', () => 'refused')") == "refused"
    page.context.close()
