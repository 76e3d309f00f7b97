"""Task: from a blocked token in the mask to byte, item, FSM state, mask entry and grammar line, at one click.

The same by typing the token's text, or its id, with keys alone. The shipped model with a real kernel; what the page
shows is held against what `Session.explain` says.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .jupyter import Lab
from .one_view import OneView

pytestmark = pytest.mark.browser

SETUP = """
import numpy
import xg2lab as xgr
from xg2lab.tiny import example_requests, grammar_for, prompt
from xg2lab.widgets import *
from xg2lab.widgets.replay import vocabulary_of
model = xgr.ModelRunner.tiny()
asked = prompt(example_requests("qwen")[0], "qwen")
session = xgr.Session(grammar_for("qwen"), model=model, name="blocked", prompt=asked, temperature=0.0,
                      options=xgr.EngineOptions(rule_inlining=False))
session.step(9)
order = list(vocabulary_of(session.tokenizer_info).order)
def blocked(n):
    '''The n-th most wanted token that the mask forbids and that dies at a byte.'''
    p = numpy.where(numpy.isin(session.provenance(), (0, 3)), session.probabilities(), -1)
    ids = [int(t) for t in p.argsort()[::-1][:60]]
    return [t for t in ids if p[t] >= 0 and session.explain(t)["died_at"] is not None and session.explain(t)["entry"]
            and session.tokenizer_info.decoded_vocab[t].isascii() and session.tokenizer_info.decoded_vocab[t].isalpha()
            ][n]
"""


@pytest.fixture(scope="module")
def bench(lab: Lab) -> OneView:
    """A page with the workbench, nine tokens in."""
    lab.errors.clear()
    page = lab.show([SETUP, "Workbench(session)"])
    page.run_all()
    expect(page.locator("[data-xg2lab=workbench] .session")).to_contain_text("step 9 of 9")
    expect(page.locator("[data-xg2lab=workbench] svg.fsm")).to_be_visible()
    return OneView(page, "workbench")


def expect_explained(bench: OneView, token: int) -> None:
    """Byte, item, state, mask entry and line of that token, as Python says them."""
    why = bench.ask(f"session.explain({token})")
    first = why["expected_by"][0]
    names = bench.ask("[r['name'] for r in session.trace.program['rules']]")
    starts = bench.ask("[r['states'][0] for r in session.trace.program['rules']]")
    card = "[data-panel=why-card] "
    expect(bench.part(".subject")).to_have_attribute("data-token", str(token))
    expect(bench.part(".subject")).to_have_attribute("data-allowed", "false")
    expect(bench.part("[data-reason]")).to_contain_text(why["reason"])
    # the byte
    begin = bench.ask("session.trace.pending.byte_begin")
    expect(bench.part(".walk-step.dead .walk-byte")).to_have_attribute("data-byte", str(begin + why["died_at"]))
    # the item, and the line it is written in
    expect(bench.part(card + ".facts-list .item").first).to_contain_text(f"{first['rule_name']} →")
    expect(bench.part(f"{card}[data-source='{first['line']}']").first).to_be_visible()
    expect(bench.part(card + ".code .is-marked .n").first).to_have_text(str(first["line"]))
    # the state: named, and lit in the machine of its rule
    state = f"{names[first['rule']]}·{first['state'] - starts[first['rule']]}"
    expect(bench.part("[data-missing]")).to_contain_text(state)
    expect(bench.part("[data-panel=fsm-view] [data-live]").first).to_be_visible()
    expect(bench.part("[data-panel=fsm-view] [data-rule]")).to_have_value(str(first["rule"]))
    # the mask entry
    entry = why["entry"]
    expect(bench.part("[data-mechanism]")).to_have_attribute("data-mechanism", why["mechanism"])
    expect(bench.part("[data-mechanism]")).to_contain_text(
        f"{names[entry['rule']]}·{entry['state'] - starts[entry['rule']]}"
    )


def test_by_mouse_one_click_in_the_mask(bench: OneView) -> None:
    token = bench.ask("blocked(0)")
    canvas = bench.part("canvas[data-mask]")
    canvas.scroll_into_view_if_needed()
    rank = bench.ask(f"order.index({token})")
    cell, columns = (int(canvas.get_attribute(f"data-{name}") or 0) for name in ("cell", "columns"))
    canvas.click(position={"x": (rank % columns + 0.5) * cell, "y": (rank // columns + 0.5) * cell})
    expect_explained(bench, token)
    expect(bench.part(".rail")).to_contain_text(f"{token}")
    assert bench.ask("session.trace.n_decided") == 9
    # one click more, on the line: the state is selected everywhere
    line = bench.ask(f"session.explain({token})['expected_by'][0]")
    bench.part(f"[data-source='{line['line']}']").first.click()
    first = bench.ask(f"session.trace.program['rules'][{line['rule']}]['states'][0]")
    expect(bench.part(".rail")).to_contain_text(f"{line['rule_name']}·{line['state'] - first}")


def test_by_keys_its_text(bench: OneView) -> None:
    token = bench.ask("blocked(1)")
    page = bench.notebook.page
    bench.part("[data-panel=tape]").focus()
    page.keyboard.press("w")
    expect(bench.part("[data-key=w]")).to_be_focused()
    page.keyboard.insert_text(bench.ask(f"session.tokenizer_info.decoded_vocab[{token}].decode()"))
    page.keyboard.press("Enter")
    expect_explained(bench, token)
    bench.part("[data-key=w]").fill("")


def test_by_keys_its_id(bench: OneView) -> None:
    token = bench.ask("blocked(2)")
    page = bench.notebook.page
    bench.part("[data-panel=tape]").focus()
    page.keyboard.press("w")
    page.keyboard.insert_text(f"#{token}")
    page.keyboard.press("Enter")
    expect_explained(bench, token)
    bench.part("[data-key=w]").fill("")


def test_by_keys_in_the_mask(bench: OneView) -> None:
    """The mask is one tab stop; arrows move a cell, enter selects its token."""
    page = bench.notebook.page
    canvas = bench.part("canvas[data-mask]")
    canvas.focus()
    page.keyboard.press("Home")
    forbidden = "[int(t) for t in order if session.provenance()[t] == 0 and session.explain(int(t))['entry']]"
    token = bench.ask(f"{forbidden}[0]")
    for _ in range(bench.ask(f"order.index({token})")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(bench.part(".subject")).to_have_attribute("data-token", str(token))
    expect(bench.part("[data-mechanism]")).to_have_attribute(
        "data-mechanism", bench.ask(f"session.explain({token})['mechanism']")
    )


def test_nothing_was_complained_of(lab: Lab, bench: OneView) -> None:
    assert [e for e in lab.errors if "xg2lab" in e or "TypeError" in e] == []
