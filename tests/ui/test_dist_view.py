"""Two tasks with the shipped model, by mouse and by key: branch off with another token, and find who took the mass.

A real kernel, engine, session and model. What the page shows is compared with what the kernel says.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from .jupyter import Lab
from .one_view import OneView, looks
from .plain import PlainPage

pytestmark = pytest.mark.browser

SETUP = """
from xg2lab import Session
from xg2lab.tiny import grammar_for, prompt
from xg2lab.widgets import *
form = "llama_function"
request = prompt("What is the weather in Lisbon in celsius?", format=form)
session = Session(grammar_for(form), model="tiny_early", prompt=request, seed=1, name="get_weather", temperature=1.0)
alone = Session('root ::= "a" [0-9]+', session.tokenizer_info, name="no model")
"""
# What a sampler would draw from at the pending step, from the session's own p.
SAMPLER = """
import numpy
def drawn_from(temperature, top_k, top_p):
    p = session.probabilities().astype(float) ** (1 / temperature)
    p /= p.sum()
    allowed = numpy.flatnonzero(numpy.isin(session.provenance(), (1, 2, 5)))
    order = allowed[numpy.argsort(-p[allowed], kind="stable")][: top_k or None]
    share = numpy.cumsum(p[order]) / p[order].sum()
    kept = order[: int(numpy.searchsorted(share, top_p)) + 1]
    return float(p[allowed].sum()), {int(k): float(p[k] / p[kept].sum()) for k in kept}
"""
N_STEPS, N_BACK = 10, 4


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> PlainPage:
    """A workbench, the distribution in a cell of its own, and one without a model."""
    lab.errors.clear()
    lab.external.clear()
    cells = [SETUP, "Workbench(session)", "DistView(session)", "DistView(alone)"]
    page = lab.show(cells)
    page.run_all()
    page.python(SAMPLER)
    expect(page.locator("[data-xg2lab=dist_view] .dist-row[data-row]").first).to_be_visible()
    expect(page.locator("[data-xg2lab=workbench] [data-panel=dist-view] .dist-row[data-row]").first).to_be_visible()
    return page


@pytest.fixture
def view(notebook: PlainPage) -> OneView:
    """The distribution in its own cell."""
    return OneView(notebook, "dist_view")


@pytest.fixture
def bench(notebook: PlainPage) -> OneView:
    """The workbench."""
    return OneView(notebook, "workbench")


def begin_again(bench: OneView) -> None:
    """The session at its beginning, nothing selected."""
    bench.notebook.python("session.reset('a' + request); session.reset(request)")
    at(bench, 0)


def at(bench: OneView, n: int) -> None:
    """Until page and kernel have n tokens."""
    bench.notebook.settled()
    expect(bench.part(".session")).to_contain_text(f"step {n} of {n}")
    assert bench.ask("session.trace.n_decided") == n


def another(bench: OneView) -> tuple[Locator, int]:
    """A row of an allowed token that was not chosen here before, and its id."""
    was = bench.ask("session.trace.branches[-1].steps[0].token_id")
    row = bench.part(f"[data-panel=dist-view] .dist-row[data-row]:has(.qn):not([data-row='{was}'])").first
    return row, int(row.get_attribute("data-row") or -1)


def left_a_lane(bench: OneView, forced: int) -> None:
    """The run went on with the forced token to its end, and what it replaced is drawn as a lane."""
    expect(bench.part(".session")).to_contain_text("terminated")
    n = N_STEPS - N_BACK
    assert bench.ask("session.status") == "terminated"
    assert bench.ask(f"(session.trace.steps[{n}].kind, session.trace.steps[{n}].token_id)") == [
        "forced_by_user",
        forced,
    ]
    assert bench.ask("[b.at for b in session.trace.branches]") == list(range(N_STEPS - 1, n - 1, -1))
    bench.select_step(n)
    expect(bench.part("[data-panel=tape] .tape-columns")).to_contain_text("rolled back")
    expect(bench.part(f"[data-panel=dist-view] [data-row='{forced}']")).to_contain_text("forced")


def test_branch_off_by_mouse(bench: OneView) -> None:
    begin_again(bench)
    for n in range(1, N_STEPS + 1):
        bench.part(".transport").get_by_role("button", name="step").click()
        at(bench, n)
    for n in range(N_STEPS - 1, N_STEPS - N_BACK - 1, -1):
        bench.part(".transport").get_by_role("button", name="Back").click()
        at(bench, n)
    row, token = another(bench)
    row.locator(".bars").click()
    bench.part("[data-panel=dist-view] .force").click()
    at(bench, N_STEPS - N_BACK + 1)
    bench.part(".transport").get_by_role("button", name="run").click()
    left_a_lane(bench, token)


def test_branch_off_by_key(bench: OneView) -> None:
    keys = bench.notebook.page.keyboard
    begin_again(bench)
    bench.part("[data-panel=tape]").focus()
    for n in range(1, N_STEPS + 1):
        keys.press("ArrowRight")
        at(bench, n)
    for n in range(N_STEPS - 1, N_STEPS - N_BACK - 1, -1):
        keys.press("ArrowLeft")
        at(bench, n)
    row, token = another(bench)
    focused = "() => document.activeElement.shadowRoot.activeElement.dataset.token"
    keys.press("Alt+5")
    for key in ("Tab", "ArrowDown"):
        for _ in range(14):
            on = bench.notebook.page.evaluate(focused)
            if on is None if key == "Tab" else on != str(token):
                keys.press(key)
    expect(row.locator(".pick")).to_be_focused()
    keys.press("Enter")
    at(bench, N_STEPS - N_BACK + 1)
    keys.press("Alt+1")
    keys.press(" ")
    left_a_lane(bench, token)


def check_lowest(view: OneView) -> None:
    """The view stands at the lowest Z and names the rule that took the mass, as the kernel explains it."""
    lowest = view.ask("min((s.z, s.index) for s in session.trace.steps if s.z is not None)[1]")
    lost = view.ask(f"session.lost_mass({lowest}).to_wire()")
    worst = lost["groups"][0]
    assert worst["rule"] is not None
    expect(view.part(".readout")).to_contain_text(f"step {lowest}, Z ")
    expect(view.part("[data-lost]")).to_have_count(len(lost["groups"]))
    first = view.part("[data-lost]").first
    expect(first).to_have_attribute("data-lost", worst["name"])
    expect(first).to_contain_text(f"{worst['line']}:{worst['column']}")
    expect(first.locator(".num").first).to_have_text(f"{worst['mass']:.3f}")
    why = view.ask(f"session.explain({worst['token_ids'][0]}, {lowest})")
    assert worst["line"] in {item["line"] for item in why["expected_by"]}
    view.notebook.settled()
    assert view.ask("session.selection['step']") == lowest


def test_who_took_the_mass_by_mouse(bench: OneView, view: OneView) -> None:
    begin_again(bench)
    view.notebook.python("session.run()")
    expect(bench.part(".session")).to_contain_text("terminated")
    view.notebook.python("session.select(**dict.fromkeys(session.selection) | {'step': 1})")
    expect(view.part(".readout")).to_contain_text("step 1,")
    view.part(".head").get_by_role("button", name="lowest Z").click()
    check_lowest(view)
    view.part("[data-lost] button").first.click()
    view.notebook.settled()
    selection = view.ask("session.selection")
    lost = view.ask("session.lost_mass(session.selection['step']).to_wire()")["groups"][0]
    assert (selection["rule"], selection["token"]) == (lost["rule"], lost["token_ids"][0])


def test_who_took_the_mass_by_key(bench: OneView, view: OneView) -> None:
    begin_again(bench)
    view.notebook.python("session.run()")
    expect(bench.part(".session")).to_contain_text("terminated")
    view.notebook.python("session.select(**dict.fromkeys(session.selection) | {'step': 1})")
    expect(view.part(".readout")).to_contain_text("step 1,")
    keys = bench.notebook.page.keyboard
    bench.part("[data-panel=tape]").focus()
    keys.press("Alt+5")
    keys.press("z")
    check_lowest(view)
    assert view.ask("session.trace.n_decided") > N_STEPS - N_BACK  # z ran nothing: the run had ended


def test_a_bar_selects_and_a_named_button_forces_in_the_past_leaving_a_branch(view: OneView, bench: OneView) -> None:
    view.notebook.python("session.reset(); session.step(6); session.select(**dict.fromkeys(session.selection))")
    at(bench, 6)
    step = view.ask("next(s.index for s in session.trace.steps[1:6] if s.n_allowed > 1)")
    view.go_to(step)
    was = view.ask(f"session.trace.steps[{step}].token_id")
    row = view.part(f".dist-row[data-row]:has(.qn):not([data-row='{was}'])").first
    token = int(row.get_attribute("data-row") or -1)
    row.locator(".bars").click()
    view.notebook.settled()
    assert view.ask("(session.trace.n_decided, session.selection['token'])") == [6, token]
    expect(view.part(".force")).to_have_text("branch")
    view.part(".force").click()
    at(bench, step + 1)
    assert view.ask(f"(session.trace.steps[{step}].kind, session.trace.steps[{step}].token_id)") == [
        "forced_by_user",
        token,
    ]
    assert view.ask("session.trace.branches[-1].at") == step


def test_a_blocked_bar_asks_why(view: OneView) -> None:
    n = view.ask("session.trace.n_decided")
    view.notebook.python("session.select(**dict.fromkeys(session.selection))")
    view.part(".head").get_by_role("button", name="blocked", exact=True).click()
    row = view.part(".dist-row[data-row]").first
    row.locator(".bars").click()
    view.notebook.settled()
    token = int(row.get_attribute("data-row") or -1)
    assert view.ask("session.selection['token']") == token
    assert not view.ask(f"session.explain({token})")["allowed"]
    assert view.ask("session.trace.n_decided") == n
    view.part(".head").get_by_role("button", name="by p").click()


SET_SLIDER = """([name, place]) => {
  const root = document.querySelector('[data-xg2lab=dist_view]').shadowRoot;
  const named = [...root.querySelectorAll('.slider')].find((s) => s.textContent.startsWith(name));
  const slider = named.querySelector('input');
  slider.value = place;
  return new Promise((resolve) => {
    let frames = 0;
    const count = () => { frames++; requestAnimationFrame(count); };
    requestAnimationFrame(count);
    const seen = new MutationObserver(() => { seen.disconnect(); resolve(frames); });
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    seen.observe(root.querySelector('.dist-grid'), all);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  });
}"""


@pytest.mark.parametrize("width", [1600, 1280, 700])
def test_the_legend_is_whole_at_every_width(bench: OneView, width: int) -> None:
    bench.notebook.page.set_viewport_size({"width": width, "height": 1400})
    try:
        expect(bench.part(".room.accordion")).to_have_count(1 if width == 700 else 0)
        bench.part(".panel").first.focus()
        bench.notebook.page.keyboard.press("Alt+5")
        key = bench.part("[data-panel=dist-view] .key").first
        expect(key).to_contain_text("p, blocked")
        assert key.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    finally:
        bench.notebook.page.set_viewport_size({"width": 1600, "height": 1400})


def test_all_ranks_are_drawn_and_told(view: OneView) -> None:
    view.notebook.python("session.reset(); session.step(6); session.select(**dict.fromkeys(session.selection))")
    expect(view.part(".readout")).to_contain_text("step 6")
    view.part(".head").get_by_role("button", name="all", exact=True).click()
    n_tokens = view.ask("session.tokenizer_info.vocab_size")
    n_blocked = view.ask("int((~numpy.isin(session.provenance(), (1, 2, 5))).sum())")
    told = view.part(".dist-ranks svg").get_attribute("aria-label") or ""
    assert f"p and q of {n_tokens:,} tokens by rank" in told
    assert told.endswith(f"{n_blocked:,} tokens blocked.")
    for share in (0.95, 0.99, 0.999):
        exact = view.ask(
            f"int(numpy.searchsorted(numpy.cumsum(numpy.sort(session.probabilities())[::-1]), {share})) + 1"
        )
        said = re.search(rf"{100 * share:g} %(?: of p)? in ([\d,]+)", told)
        assert said is not None
        assert abs(int(said[1].replace(",", "")) - exact) <= 1 + exact / 10  # what is not listed is known within 4 %
    view.part(".head").get_by_role("button", name="by p", exact=True).click()
    expect(view.part(".dist-row[data-row]").first).to_be_visible()


def test_sliders_act_in_the_page_and_agree_with_the_sampler(view: OneView) -> None:
    view.notebook.python(
        "session.reset(); session.step(1)\n"
        "while session.trace.pending.n_allowed < 30: session.step()\n"
        "session.select(**dict.fromkeys(session.selection))\n"
        "asked = []; DistView(session).session.on_msg(lambda widget, content, buffers: asked.append(content['kind']))"
    )
    n = view.ask("session.trace.n_decided")
    expect(view.part(".readout")).to_contain_text(f"step {n},")
    expect(view.part(".would")).to_contain_text("draws from")
    view.notebook.settled()
    asked = view.ask("len(asked)")
    moves = [*(("T", place) for place in (30, 12, 24, 36, 8, 28, 16, 32, 12)), ("top-k", 5), ("top-p", 17)]
    frames = [view.notebook.page.evaluate(SET_SLIDER, list(move)) for move in moves]
    assert max(frames) <= 1, frames  # the next frame shows it
    z, kept = view.ask("drawn_from(0.6, 8, 0.9)")
    expect(view.part(".would")).to_have_attribute("data-kept", str(len(kept)))
    said = view.part(".dist-grid svg[role=img]").first.get_attribute("aria-label") or ""
    assert float(said.split("Z ")[1].split(":")[0]) == pytest.approx(z, abs=0.01)
    for row in view.part(".dist-row[data-row]:has(.qn)").all()[:6]:
        said = row.locator(".num").nth(2).inner_text()
        q = kept.get(row.get_attribute("data-row") or "")
        assert said == "cut" if q is None else float(said) == pytest.approx(q, rel=0.06, abs=0.002)
    view.part(".head").get_by_role("button", name="reset").click()
    expect(view.part(".head").get_by_role("button", name="reset")).to_have_count(0)
    assert view.ask("len(asked)") == asked


def test_without_a_model_it_says_how_to_get_one(notebook: PlainPage) -> None:
    empty = notebook.locator("[data-xg2lab=dist_view]").nth(1)
    expect(empty).to_contain_text("No probabilities without a model")
    expect(empty.locator("code")).to_contain_text("Session(")


@looks(1920, 1280, 524)
def test_it_fits_and_axe_finds_nothing_serious(view: OneView, shots: Path, width: int, dark: bool) -> None:
    if view.ask("session.status") != "terminated":
        view.notebook.python("session.run()")
    lowest = view.ask("min((s.z, s.index) for s in session.trace.steps if s.z is not None)[1]")
    view.go_to(lowest)
    view.notebook.settled()
    view.looks_well(shots, width, dark=dark)


def test_nothing_was_complained_of(lab: Lab, notebook: PlainPage) -> None:
    assert notebook.locator("[data-xg2lab=dist_view] .panel").count() == 2
    assert lab.errors == []
    assert lab.external == []


def test_what_a_notebook_saves_draws_and_scrubs_it_without_its_kernel(
    lab: Lab, notebook: PlainPage, view: OneView
) -> None:
    notebook.python("session.reset(request); session.run()")
    saved = notebook.saved()
    facts: Any = view.ask("[(s.index, s.z) for s in session.trace.steps[-3:]]")
    assert len(saved) < 1 << 20
    other = OneView(lab.replay(saved), "dist_view")
    expect(other.part(".dist-row[data-row]").first).to_be_visible()
    other.part(".panel").focus()
    other.notebook.page.keyboard.press("z")
    lowest = view.ask("min((s.z, s.index) for s in session.trace.steps if s.z is not None)[1]")
    expect(other.part(".readout")).to_contain_text(f"step {lowest}, Z ")
    expect(other.part("[data-lost]").first).to_be_visible()
    other.part("[role=slider]").press("End")
    for index, _ in reversed(facts):
        expect(other.part(".readout")).to_contain_text(f"step {index},")
        other.part(".panel").focus()
        other.notebook.page.keyboard.press("ArrowLeft")
    expect(other.part(".readout")).to_contain_text(f"step {facts[0][0] - 1},")
    other.part("[role=slider]").press("End")
    expect(other.part(".readout")).to_contain_text(f"step {facts[-1][0]},")
