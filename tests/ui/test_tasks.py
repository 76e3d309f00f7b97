"""The twelve tasks of docs/tasks.md, by mouse and by keys: each with as many clicks and keys as the document says.

JupyterLab as it is installed, 1440 x 900 with its sidebar open, the shipped model, the first notebook's workbench (for
the cache, the view of notebook 03). Neither page nor notebook scrolls while a task is done. What the page shows is held
against what the session says.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Locator, expect

from tests.by_hand import Column

from .hand import Hand, figures, has_focus
from .jupyter import ROOT, Lab, NotebookPage
from .one_view import OneView

pytestmark = pytest.mark.browser

SIZE = {"width": 1440, "height": 900}
WRONG = """import numpy
tokens = first.tokenizer_info.decoded_vocab
shifted = xgr.TokenizerInfo([*tokens[1:2000], tokens[0], *tokens[2000:]], vocab_size=2048, stop_token_ids=[2036, 2034])
wrong = xgr.Session(grammar_for("qwen"), shifted, model="tiny", name="wrong")
wrong.step(2)
Workbench(wrong, arrangement="debug")"""
EXPORT = 'Workbench(first).export_html("lesson.html", graphviz=False)'
#: The cells of notebook 00 that the tasks begin with, by their number.
FIRST, AFTER = 1, {"wrong": 2, "export": 3}
ERRORS = 'root ::= huor ":" minut\nhour ::= [01] [0-9] | "2" [0-3]\nminute ::= [0-5] [0-9]\n'
SCHEMA = """{
  "type": "object",
  "properties": {
    "city": {"type": "string", "minLength": 1},
    "tags": {"type": "array", "items": {"type": "number"}, "uniqueItems": true}
  },
  "required": ["city"]
}
"""
NO_EXAMPLES = """from xg2lab.widgets import ExampleBench, GrammarPad
rows = ExampleBench(GrammarPad(session=first))
for row in rows.data():
    rows.delete(row.row_id)"""
SIGHT = "e => e.scrollIntoView({ block: 'center' })"


def opened(lab: Lab, cells: list[Any], name: str) -> NotebookPage:
    """A notebook in a JupyterLab whose sidebar is open, at the size of a laptop's screen."""
    for folder in ("tasks", "docs/images"):
        (lab.folder / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "docs" / "images" / "replay.svg", lab.folder / "docs" / "images")
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, lab.folder / "tasks" / name)
    return lab.open(f"tasks/{name}", fresh=True, sidebar=True, size=SIZE)


def cells_of(name: str) -> list[Any]:
    (path,) = (ROOT / "notebooks").glob(f"{name}_*.ipynb")
    return list(nbformat.read(path, as_version=4).cells)


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> NotebookPage:
    """The first notebook down to its workbench, with two cells more that two of the tasks run."""
    lab.errors.clear()
    added = [nbformat.v4.new_code_cell(cell) for cell in (WRONG, EXPORT)]
    page = opened(lab, [*cells_of("00")[: FIRST + 1], *added], "first.ipynb")
    assert page.page.evaluate("() => !jupyterapp.shell.leftCollapsed")
    return page


@pytest.fixture
def bench(notebook: NotebookPage) -> OneView:
    """The workbench of the first notebook in sight, as who runs its cell sees it, its tape with the focus."""
    notebook.page.evaluate("() => localStorage.clear()")
    notebook.run_cell(FIRST)
    view = OneView(notebook, "workbench")
    expect(view.part(".session")).to_contain_text("idle, step 0 of 0")
    notebook.python(NO_EXAMPLES)
    view.part(".workbench").evaluate(SIGHT)
    notebook.settled()
    view.part("[data-panel=tape]").focus()
    return view


@pytest.fixture
def hand(bench: OneView) -> Hand:
    return Hand(bench.notebook)


@pytest.fixture(autouse=True)
def complaints(lab: Lab) -> Iterator[None]:
    lab.errors.clear()
    yield
    assert [error for error in lab.errors if "xg2lab" in error or "TypeError" in error] == []


def button(view: OneView, name: str, box: str = ".topbar") -> Locator:
    """A button of the head, or of a pane."""
    return view.part(box).get_by_role("button", name=name, exact=True)


def head(view: OneView, name: str) -> Locator:
    """Back, step or run, at the end of the head."""
    buttons = view.part(".head-end").get_by_role("button")
    return buttons.first if name == "back" else buttons.filter(has_text=re.compile(f"^{name}$"))


def tab(view: OneView, name: str) -> Locator:
    return view.part(".room").get_by_role("tab", name=name, exact=True)


def at_step(view: OneView, n: int, status: str = "") -> None:
    """The page's cursor is at the newest step, and the session in the kernel has as many tokens."""
    expect(view.part(".session")).to_contain_text(f"{status}, step {n} of {n}")
    view.notebook.settled()
    assert view.ask("first.trace.n_decided") == n


def ran(view: OneView) -> int:
    """The run is at its end; after how many tokens."""
    expect(view.part(".session")).to_contain_text("terminated")
    view.notebook.settled()
    n = int(view.ask("first.trace.n_decided"))
    last = int(view.ask("first.trace.steps[-1].index"))
    expect(view.part(".session")).to_contain_text(f"step {last} of {last}")
    return n


# ---- 1. Two errors ---------------------------------------------------------------------------------------------------


def two_errors_are_told(view: OneView) -> None:
    found = view.part("[data-panel=grammar-pad]")
    for name, meant in (("huor", "hour"), ("minut", "minute")):
        expect(found.get_by_text(f"rule {name} is not defined")).to_be_visible()
        expect(found.get_by_role("button", name=f"use {meant}", exact=True).first).to_be_visible()
    expect(view.part("[data-pad-text] .found.error")).to_have_count(2)


def verdicts(view: OneView, *wanted: str) -> None:
    """The examples' verdicts, from top to bottom."""
    shown = view.part("[data-panel=example-bench] li[data-row]")
    expect(shown).to_have_count(len(wanted))
    for k, verdict in enumerate(wanted):
        expect(shown.nth(k)).to_have_attribute("data-verdict", verdict)


def test_a_jupyterlab_of_make_lab_does_not_ask_about_its_news(notebook: NotebookPage) -> None:
    plugins = ("announcements", "notification")
    has = "(names) => names.map((name) => jupyterapp.hasPlugin(`@jupyterlab/apputils-extension:${name}`))"
    assert notebook.page.evaluate(has, plugins) == [False, True]


def test_1_by_mouse(bench: OneView, hand: Hand) -> None:
    hand.click(button(bench, "Author"))
    hand.click(bench.part("[data-pad-text] .cm-line").first)
    hand.write(ERRORS, instead=True)
    two_errors_are_told(bench)
    hand.click(button(bench, "write one", "[data-panel=example-bench]"))
    hand.write("09:30")
    hand.click(bench.part(".bench-edit button.primary"))
    verdicts(bench, "rejected")
    pad = bench.part("[data-panel=grammar-pad]")
    hand.click(pad.get_by_role("button", name="use hour", exact=True).first)
    hand.click(pad.get_by_role("button", name="use minute", exact=True).first)
    expect(pad).to_contain_text("no findings")
    verdicts(bench, "match")
    hand.did(1, "mouse")


def test_1_by_keys(bench: OneView, hand: Hand) -> None:
    hand.press("Shift+Digit2", "ArrowDown")
    hand.write(ERRORS, instead=True)
    two_errors_are_told(bench)
    hand.press("F6", "ArrowDown", "Enter")
    hand.write("09:30")
    hand.press("Enter")
    pad = bench.part("[data-panel=grammar-pad]")
    hand.press("Shift+F6", "ArrowDown")
    for n_left in (1, 0):
        hand.press("F8", "Control+.")
        expect(pad.locator("[data-findings]").first).to_have_attribute("data-findings", str(n_left))
    expect(pad).to_contain_text("no findings")
    verdicts(bench, "match")
    hand.did(1, "keys")


# ---- 2. Step, take back, force, run on -------------------------------------------------------------------------------


def other_token(view: OneView) -> int:
    """At the newest step: the allowed token that the model wants most, but for its first choice."""
    return int(view.ask("[top.token_id for top in first.trace.pending.top if top.q][1]"))


def a_branch_is_left(view: OneView, token: int) -> None:
    assert view.ask("[s.token_id for s in first.trace.steps if s.kind == 'forced_by_user']") == [token]
    expect(view.part("[data-panel=tape] .tape-columns")).to_contain_text("rolled back")
    assert view.ask("len(first.trace.branches)") >= 1


def test_2_by_mouse(bench: OneView, hand: Hand) -> None:
    for n in range(1, 11):
        hand.click(head(bench, "step"))
        at_step(bench, n)
    for n in range(9, 5, -1):
        hand.click(head(bench, "back"))
        at_step(bench, n)
    hand.click(tab(bench, "Distribution"))
    token = other_token(bench)
    hand.click(bench.part(f".dist-view .pick[data-token='{token}']"))
    hand.click(bench.part(".why-card").get_by_role("button", name="force it"))
    at_step(bench, 7)
    hand.click(head(bench, "run"))
    ran(bench)
    hand.click(bench.part("[data-panel=text-view] [data-step='6']"))
    a_branch_is_left(bench, token)
    hand.did(2, "mouse")


def test_2_by_keys(bench: OneView, hand: Hand) -> None:
    for n in range(1, 11):
        hand.press("ArrowRight")
        at_step(bench, n)
    for n in range(9, 5, -1):
        hand.press("ArrowLeft")
        at_step(bench, n)
    hand.press("Alt+5", "ArrowDown")
    token = other_token(bench)
    hand.press_until("ArrowDown", bench.part(f".dist-view .pick[data-token='{token}']"))
    hand.press("Enter")
    at_step(bench, 7)
    hand.press("Alt+2", "Space")
    ran(bench)
    hand.press("g")
    hand.write("6")
    hand.press("Enter")
    a_branch_is_left(bench, token)
    hand.did(2, "keys")


# ---- 3. From a blocked token to all that explains it -----------------------------------------------------------------


def blocked(view: OneView, n: int) -> int:
    """The n-th most wanted token that the mask forbids, that dies at a byte and is written in letters."""
    view.notebook.python(
        "import numpy\n"
        "p = numpy.where(numpy.isin(first.provenance(), (0, 3)), first.probabilities(), -1)\n"
        "words = first.tokenizer_info.decoded_vocab\n"
        "ids = [int(t) for t in p.argsort()[::-1][:80] if p[t] >= 0 and words[t].isascii() and words[t].isalpha()]\n"
        "ids = [t for t in ids if first.explain(t)['died_at'] is not None and first.explain(t)['entry']]"
    )
    return int(view.ask(f"ids[{n}]"))


def explained(view: OneView, token: int) -> None:
    """Byte, item, state, mask entry and line of that token, as Python says them, all in sight at once."""
    why = view.ask(f"first.explain({token})")
    first = why["expected_as_written"][0]
    rules = view.ask("[[r['name'], r['states'][0]] for r in first.trace.program['rules']]")
    written = view.ask("[[r['name'], r['states'][0]] for r in first.trace.as_written.program['rules']]")
    expect(view.part(".subject")).to_have_attribute("data-token", str(token))
    expect(view.part(".subject")).to_have_attribute("data-allowed", "false")
    expect(view.part("[data-reason]")).to_contain_text(why["reason"])
    begin = view.ask("first.trace.pending.byte_begin")
    expect(view.part(".walk-step.dead .walk-byte")).to_have_attribute("data-byte", str(begin + why["died_at"]))
    expect(view.part(".why-card .facts-list .item").first).to_be_visible()
    expect(view.part(f".why-card [data-source='{first['line']}']").first).to_be_visible()
    expect(view.part(".why-card .code .is-marked .n").first).to_have_text(str(first["line"]))
    name, start = written[first["rule"]]
    expect(view.part("[data-missing]")).to_contain_text(f"{name}·{first['state'] - start}")
    expect(view.part("[data-panel=fsm-view] [data-live]").first).to_be_visible()
    expect(view.part("[data-panel=fsm-view] [data-rule]")).to_have_value(str(first["rule"]))
    entry = why["entry"]
    name, start = rules[entry["rule"]]
    expect(view.part("[data-mechanism]")).to_have_attribute("data-mechanism", why["mechanism"])
    expect(view.part("[data-mechanism]")).to_contain_text(f"{name}·{entry['state'] - start}")
    assert view.ask("first.trace.n_decided") == 9


def in_the_mask(view: OneView, token: int) -> tuple[Locator, tuple[float, float]]:
    """The mask, and where in it the token's cell is."""
    rank = view.ask(f"list(vocabulary_of(first.tokenizer_info).order).index({token})")
    canvas = view.part("canvas[data-mask]")
    cell, columns = (int(canvas.get_attribute(f"data-{name}") or 0) for name in ("cell", "columns"))
    return canvas, ((rank % columns + 0.5) * cell, (rank // columns + 0.5) * cell)


@pytest.fixture
def nine(bench: OneView) -> OneView:
    """Nine tokens in."""
    bench.notebook.python("from xg2lab.widgets.replay import vocabulary_of\nsteps = first.step(9)")
    at_step(bench, 9)
    return bench


def test_3_by_mouse(nine: OneView, hand: Hand) -> None:
    token = blocked(nine, 0)
    hand.click(*in_the_mask(nine, token))
    explained(nine, token)
    hand.did(3, "mouse")
    # one click more, on the line: the state is selected everywhere
    line = nine.ask(f"first.explain({token})['expected_as_written'][0]")
    nine.part(f".why-card [data-source='{line['line']}']").first.click()
    nine.notebook.settled()
    rule, state = nine.ask("[first.selection['rule'], first.selection['state']]")
    name, start = nine.ask(f"[first.trace.program['rules'][{rule}][key] for key in ('name', 'states')]")
    expect(nine.part(".rail")).to_contain_text(f"{name}·{state - start[0]}")


@pytest.mark.parametrize("as_id", [False, True], ids=["text", "id"])
def test_3_by_keys(nine: OneView, hand: Hand, as_id: bool) -> None:
    token = blocked(nine, 1)
    hand.press("w")
    assert has_focus(nine.part("[data-key=w]"))
    hand.write(f"#{token}" if as_id else nine.ask(f"words[{token}].decode()"))
    hand.press("Enter")
    explained(nine, token)
    hand.did(3, "keys")


def test_3_by_keys_in_the_mask_itself(nine: OneView) -> None:
    """The mask is one tab stop; arrows move a cell, enter selects its token."""
    page, canvas = nine.notebook.page, nine.part("canvas[data-mask]")
    canvas.focus()
    page.keyboard.press("Home")
    nine.notebook.python("order = [int(t) for t in vocabulary_of(first.tokenizer_info).order]")
    token = nine.ask("next(t for t in order if first.provenance()[t] == 0 and first.explain(t)['entry'])")
    for _ in range(nine.ask(f"order.index({token})")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    explained(nine, token)


# ---- 4. Who took the mass --------------------------------------------------------------------------------------------


def the_lowest_z_is_told(view: OneView) -> None:
    lowest = view.ask("min(first.trace.steps, key=lambda s: s.z).index")
    expect(view.part(".rail")).to_contain_text(f"step {lowest}")
    group = view.ask(f"(lambda g: [g.name, g.line])(first.lost_mass({lowest}).groups[0])")
    row = view.part(".dist-view [aria-label='Lost mass by rule'] tbody tr").first
    expect(row).to_contain_text(group[0])
    expect(row).to_contain_text(str(group[1]))
    view.notebook.settled()
    assert view.ask("first.selection['step']") == lowest


def test_4_by_mouse(bench: OneView, hand: Hand) -> None:
    hand.click(head(bench, "run"))
    ran(bench)
    hand.click(button(bench, "Debug"))
    hand.click(button(bench, "More tools", "[data-panel=dist-view]"))
    hand.click(bench.part("[data-panel=dist-view]").get_by_role("button", name="lowest Z"))
    the_lowest_z_is_told(bench)
    hand.did(4, "mouse")


def test_4_by_keys(bench: OneView, hand: Hand) -> None:
    hand.press("Space")
    ran(bench)
    hand.press("Shift+Digit3", "Alt+5", "z")
    the_lowest_z_is_told(bench)
    hand.did(4, "keys")


# ---- 5. Hits, a miss, and the donor ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cache(lab: Lab) -> OneView:
    """The second CacheView of notebook 03, whose grammar shares entries with the one above it."""
    page = opened(lab, cells_of("03")[:25], "cache.ipynb")
    for cell in range(25):
        page.run_cell(cell)
    page.python("cities_compiled = session.compiled; session = other")
    return Second(page, "cache_view")


class Second(OneView):
    """The second view of its kind."""

    def part(self, selector: str) -> Locator:
        """A part of it."""
        return self.notebook.locator(f"[data-xg2lab={self.name}]").nth(1).locator(selector)


def entry_of(view: OneView, cache: str) -> dict[str, Any]:
    """The first entry of that class, with its step."""
    entries = "(dict(e, step=s.index) for s in other.trace.steps for e in s.entries)"
    found: dict[str, Any] = view.ask(f"next(e for e in {entries} if e['cache'] == {cache!r})")
    return found


def row_of(view: OneView, entry: dict[str, Any]) -> Locator:
    return view.part(f"tr:has([data-entry='{entry['state']}'])")


def both_grammars_are_shown(view: OneView, entry: dict[str, Any]) -> None:
    """Each has its state marked; the states are those that Python finds equal."""
    theirs = view.ask(f"other.donor({entry['state']}, {entry['step']}).to_wire()")
    assert theirs["id"] == view.ask("cities_compiled.id")
    beside = view.part("[data-donor-open]")
    expect(beside).to_be_visible()
    mine, donor = (beside.locator(f"[data-side={side}]") for side in ("mine", "donor"))
    expect(mine.locator(".code")).to_contain_text(view.ask("other.trace.header['grammar']['text']").splitlines()[1])
    expect(donor.locator(".code")).to_contain_text(theirs["grammar"]["text"].splitlines()[1])
    rule = theirs["program"]["rules"][theirs["program"]["states"][theirs["state"]]["rule"]]
    expect(donor.locator(".sub")).to_contain_text(f"{rule['name']}·{theirs['state'] - rule['states'][0]}")
    for side in (mine, donor):
        expect(side.locator(".code .is-marked")).not_to_have_count(0)
        expect(side.locator("tr.is-selected")).to_have_count(1)
    edges = [side.locator("tr.is-selected td").inner_text() for side in (mine, donor)]
    assert edges[0] == edges[1]


@pytest.fixture
def pool(cache: OneView) -> OneView:
    """The view in sight, at the first step, with the focus."""
    cache.notebook.python("other.select(**dict.fromkeys(other.selection) | {'step': 0})")
    cache.notebook.settled()
    cache.part(".panel").evaluate("e => e.scrollIntoView({ block: 'start' })")
    cache.notebook.settled()
    cache.part(".panel").focus()
    return cache


def step_in_the_lanes(view: OneView, step: int) -> tuple[Locator, tuple[float, float]]:
    lanes = view.part("[role=slider]")
    return lanes, (124 + 28 * (step + 0.5), 20)


def test_5_by_mouse(pool: OneView) -> None:
    hand = Hand(pool.notebook)
    for cache in ("miss", "partial_hit", "perfect_hit"):
        entry = entry_of(pool, cache)
        hand.click(*step_in_the_lanes(pool, entry["step"]))
        expect(pool.part("[role=slider]")).to_have_attribute("aria-valuenow", str(entry["step"]))
        said = "built here" if cache == "miss" else cache.replace("_", " ")
        expect(row_of(pool, entry)).to_contain_text(said)
    hand.click(row_of(pool, entry).locator("[data-donor]"))
    both_grammars_are_shown(pool, entry)
    pool.notebook.settled()
    assert pool.ask("other.selection['mask_entry']") == entry["state"]
    hand.did(5, "mouse")
    pool.part("[data-donor-open] button").click()
    expect(pool.part("[data-donor-open]")).to_have_count(0)


def test_5_by_keys(pool: OneView) -> None:
    hand = Hand(pool.notebook)
    entry = entry_of(pool, "partial_hit")
    for _ in range(entry["step"]):
        hand.press("Shift+ArrowRight")
    expect(pool.part("[role=slider]")).to_have_attribute("aria-valuenow", str(entry["step"]))
    donor = row_of(pool, entry).locator("[data-donor]")
    hand.press_until("Tab", donor)
    hand.press("Enter")
    both_grammars_are_shown(pool, entry)
    hand.did(5, "keys")
    pool.notebook.page.keyboard.press("Escape")
    expect(pool.part("[data-donor-open]")).to_have_count(0)
    expect(donor).to_be_focused()


# ---- 6. A trigger ----------------------------------------------------------------------------------------------------


def triggered(view: OneView) -> str:
    """The first notebook's grammar behind a trigger: free text until `<tool_call>` is written."""
    view.notebook.python(
        "text = first.trace.header['grammar']['text']\n"
        'body = text[text.index("root ::= \'<tool_call>") + len("root ::= \'<tool_call>"):]\n'
        "watched = \"root ::= TagDispatch(('<tool_call>', rest))\\nrest ::= '\" + body"
    )
    return str(view.ask("watched"))


def events(view: OneView, *wanted: str) -> None:
    """The same events in Python and as marks on the page, in order."""
    view.notebook.settled()
    told = view.ask("[[r['at'] - 1, r['event']] for r in DispatchView(first).data()['readings'] if r['event']]")
    assert [event for _, event in told] == list(wanted)
    for event in ("arms", "breaks", "fires"):
        expect(view.part(f"[data-event={event}]")).to_have_count(wanted.count(event))
    for at, event in told:
        expect(view.part(f"[data-event={event}][data-byte='{at}']")).to_have_count(1)


STORY: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("<", ("arms",), "1 of 11 bytes of <tool_call>"),
    ("a", ("arms", "breaks"), "nothing of a trigger is read"),
    ("<tool_call>", ("arms", "breaks", "arms", "fires"), "Fired: <tool_call> was read to its end"),
)


def explained_now(view: OneView, text: str) -> None:
    """The card is about this token, and not still about the one before."""
    token = view.ask(f"first.tokenizer_info.decoded_vocab.index({text.encode()!r})")
    expect(view.part(f"div:not(.stale) > .subject[data-token='{token}']")).to_be_visible()


def test_6_by_mouse(bench: OneView, hand: Hand) -> None:
    bench.notebook.python("from xg2lab.widgets import DispatchView")
    hand.click(button(bench, "Author"))
    hand.click(bench.part("[data-pad-text] .cm-line").first)
    hand.write(triggered(bench), instead=True)
    hand.click(button(bench, "apply", "[data-panel=grammar-pad]"))
    expect(bench.part(".session")).to_contain_text("completed, step 0 of 0")
    hand.click(button(bench, "Step", ".arrangements"))
    for n, (text, wanted, sentence) in enumerate(STORY, 1):
        hand.click(bench.part("[data-key=w]"))
        hand.write(text, instead=True)
        bench.notebook.page.keyboard.press("Enter")  # ends the text
        explained_now(bench, text)
        hand.click(bench.part(".why-card").get_by_role("button", name="force it"))
        at_step(bench, n)
        events(bench, *wanted)
        expect(bench.part("[data-said]")).to_contain_text(sentence, ignore_case=True)
    hand.click(head(bench, "run"))
    ran(bench)
    assert '"name": "' in bench.ask("first.text")
    hand.did(6, "mouse")


def test_6_by_keys(bench: OneView, hand: Hand) -> None:
    bench.notebook.python("from xg2lab.widgets import DispatchView")
    hand.press("Shift+Digit2", "ArrowDown")
    hand.write(triggered(bench), instead=True)
    hand.press("Control+Enter")
    expect(bench.part(".session")).to_contain_text("completed, step 0 of 0")
    hand.press("F6", "Shift+Digit1")
    for n, (text, wanted, sentence) in enumerate(STORY, 1):
        hand.press("w")
        hand.write(text)
        hand.press("Enter")
        explained_now(bench, text)
        hand.press("Enter")
        at_step(bench, n)
        events(bench, *wanted)
        expect(bench.part("[data-said]")).to_contain_text(sentence, ignore_case=True)
    hand.press("Space")
    ran(bench)
    hand.did(6, "keys")
    for said in (sentence for _, _, sentence in reversed(STORY)):  # and the cursor goes back over it
        n -= 1
        bench.notebook.python(f"first.select(step={n + 1})")
        expect(bench.part("[data-said]")).to_contain_text(said, ignore_case=True)


# ---- 7. A column by hand ---------------------------------------------------------------------------------------------


def judged(view: OneView) -> Column:
    """The column that is to be filled, as the judge reads it."""
    at = int(view.part(".exercise").get_attribute("data-column") or 0)
    return Column(view.ask("first.trace.drawn_as_written().to_wire(bulk=False)"), at)


def wrong_step(column: Column) -> tuple[str, Any, str]:
    """A step on an item of the column before that is a mistake: verb, item, kind of the mistake."""
    verb, item = column.path()[0]
    others = [other for other in ("complete", "predict", "scan") if other != verb]
    kinds = [(other, item, column.kind(other, item, [])) for other in others]
    return next(step for step in kinds if step[2] != "right")


def key_of(column: Column, item: Any) -> str:
    return f"{item.column}:{column.columns[item.column].index(item)}"


def told(view: OneView, kind: str) -> None:
    said = view.part(".by-hand-said [role=status]")
    expect(said).to_have_attribute("data-kind", kind)
    expect(said).not_to_be_empty()


def filled(view: OneView, column: Column, n_right: int) -> None:
    expect(view.part("[data-finished]")).to_contain_text(f"Column {column.at} has all {len(column.all)} item")
    score = view.part("[data-score]")
    expect(score).to_contain_text(f"{len(column.all)} of {len(column.all)} items, {n_right} right, 1 wrong")


def test_7_by_mouse(bench: OneView, hand: Hand) -> None:
    hand.click(head(bench, "step"))
    at_step(bench, 1)
    hand.click(tab(bench, "Chart"))
    hand.click(button(bench, "More tools", "[data-panel=chart-view]"))
    hand.click(bench.part("[data-panel=chart-view] [data-key=e]"))
    column = judged(bench)
    verb, item, kind = wrong_step(column)
    hand.click(bench.part(f"[data-item='{key_of(column, item)}']"))
    hand.click(bench.part(f"[data-verb={verb}]"))
    told(bench, kind)
    chosen = item
    for verb, item in column.path():
        if item != chosen:
            hand.click(bench.part(f"[data-item='{key_of(column, item)}']"))
        hand.click(bench.part(f"[data-verb={verb}]"))
        told(bench, "right")
        chosen = None
    filled(bench, column, len(column.path()))
    hand.did(7, "mouse")


def reach(view: OneView, hand: Hand, key: str) -> None:
    """The item by arrow keys: to the end, then up and to the left until it is the active one."""
    box, want = view.part(".by-hand"), f"xg-item-{key.replace(':', '-')}"
    if box.get_attribute("aria-activedescendant") == want:
        return
    hand.press("End")
    for _ in range(60):
        before = box.get_attribute("aria-activedescendant")
        if before == want:
            return
        hand.press("ArrowUp")
        if box.get_attribute("aria-activedescendant") == before:
            hand.press("ArrowLeft")
    raise AssertionError(f"{key} can't be reached by arrows")


def test_7_by_keys(bench: OneView, hand: Hand) -> None:
    hand.press("ArrowRight")
    at_step(bench, 1)
    hand.press("Alt+7", "e")
    expect(bench.part(".by-hand")).to_be_focused()
    column = judged(bench)
    letter = {"scan": "s", "predict": "p", "complete": "c"}
    verb, item, kind = wrong_step(column)
    reach(bench, hand, key_of(column, item))
    hand.press(letter[verb])
    told(bench, kind)
    for verb, item in column.path():
        reach(bench, hand, key_of(column, item))
        hand.press(letter[verb])
        told(bench, "right")
    filled(bench, column, len(column.path()))
    hand.did(7, "keys")


# ---- 8. The engine's switches ----------------------------------------------------------------------------------------

SWITCHES = (
    ("cross_grammar_cache", "off", "on"),
    ("partial_jit_k", "all ahead", "when needed"),
    ("repetition_compression", "off", "on"),
    ("parser", "pushdown automaton", "Earley"),
    ("parser", "tree of operators", "Earley"),
)


def masks_agree(view: OneView, name: str, n: int) -> None:
    """All masks of the run agree, and the times of both are told."""
    report = "Compare(first).data()"
    expect(view.part("[data-verdict=agree]")).to_contain_text(f"They agree. {n} masks")
    expect(view.part("[data-panel=compare] .foot")).to_contain_text("6 rounds of times")
    view.notebook.settled()
    assert view.ask(f"[list({report}.changed), {report}.n_differ, {report}.rounds_done]") == [[name], 0, 6]


def switch(view: OneView, name: str, value: str) -> Locator:
    return view.part(f"[data-switch={name}]").get_by_role("button", name=value, exact=True)


def test_8_by_mouse(bench: OneView, hand: Hand) -> None:
    bench.notebook.python("from xg2lab.widgets import Compare")
    hand.click(head(bench, "run"))
    n = ran(bench)
    hand.click(button(bench, "Debug"))
    for name, value, own in SWITCHES:
        hand.click(switch(bench, name, value))
        expect(switch(bench, name, value)).to_have_attribute("aria-pressed", "true")
        masks_agree(bench, name, n)
        hand.click(switch(bench, name, own))
        expect(switch(bench, name, own)).to_have_attribute("aria-pressed", "true")
    hand.did(8, "mouse")


def test_8_by_keys(bench: OneView, hand: Hand) -> None:
    bench.notebook.python("from xg2lab.widgets import Compare")
    hand.press("Space")
    n = ran(bench)
    hand.press("Shift+Digit3")
    hand.press("Shift+F6")  # Compare is the last pane
    hand.press("ArrowDown")
    for name, value, own in SWITCHES:
        if not has_focus(switch(bench, name, value)):
            hand.press_until("Tab", switch(bench, name, value))
        hand.press("Enter")
        expect(switch(bench, name, value)).to_have_attribute("aria-pressed", "true")
        masks_agree(bench, name, n)
        hand.press_until("Shift+Tab", switch(bench, name, own))
        hand.press("Enter")
    hand.did(8, "keys")


# ---- 10. Keywords of a schema ----------------------------------------------------------------------------------------


def keywords_are_told(view: OneView) -> Locator:
    """Each keyword has its state; the button of the one that is refused."""
    refused = view.part("[data-pointer='/properties/tags/uniqueItems']")
    expect(refused).to_have_attribute("data-state", "refused")
    for pointer in ("/type", "/properties/city/minLength", "/properties/tags/items/type", "/required"):
        expect(view.part(f"[data-pointer='{pointer}']")).to_have_attribute("data-state", "enforced")
    return refused.locator("button")


def its_line_is_selected(view: OneView) -> None:
    """What is wrong with the keyword stands below its line."""
    expect(view.part("[data-pad-text] .said")).to_contain_text("no grammar can compare items")


def test_10_by_mouse(bench: OneView, hand: Hand) -> None:
    hand.click(button(bench, "Author"))
    hand.choose(bench.part("[aria-label='Kind of grammar']"), "json_schema")
    hand.click(bench.part("[data-pad-text] .cm-line").first)
    hand.write(SCHEMA, instead=True)
    hand.click(keywords_are_told(bench))
    its_line_is_selected(bench)
    hand.did(10, "mouse")


def test_10_by_keys(bench: OneView, hand: Hand) -> None:
    hand.press("Shift+Digit2")
    kind = bench.part("[aria-label='Kind of grammar']")
    hand.press_until("Tab", kind)
    hand.press("s")
    expect(kind).to_have_value("json_schema")
    hand.press("Alt+9", "ArrowDown")
    hand.write(SCHEMA, instead=True)
    keyword = keywords_are_told(bench)
    hand.press("F6", "F6", "ArrowDown")
    hand.press_until("Tab", keyword)
    hand.press("Enter")
    its_line_is_selected(bench)
    hand.did(10, "keys")


# ---- 11. The ids of a failed request ---------------------------------------------------------------------------------


def failed_request(view: OneView) -> str:
    """A server's log line: the ids that the same model writes without the grammar, up to the first refused one."""
    view.notebook.python(
        "for seed in range(50):\n"
        "    free = xgr.Session(grammar_for('qwen'), model='tiny', prompt=prompt(request, 'qwen'), constrained=False,\n"
        "                       temperature=1.6, seed=seed)\n"
        "    free.run(200)\n"
        "    if free.trace.broke and free.trace.broke['step'] > 5:\n"
        "        break\n"
        "bad = free.trace.broke['step']\n"
        "log = f'WARN 17:02 request 99: Failed to advance FSM, output_token_ids={free.output_ids[:bad + 1]}'\n"
        "mine = first.trace"
    )
    return str(view.ask("log"))


def the_place_is_told(view: OneView) -> None:
    """The step, byte, state, source line and reason that Python finds, in every view."""
    found = view.ask("(lambda d: {**d.to_wire(), 'selection': d.selection})(first.diagnose(log))")
    verdict = view.part(".diagnosis")
    expect(verdict).to_have_attribute("data-diagnosis", found["kind"])
    for words in (
        f"{found['step']} of {found['n_ids']} accepted",
        f"at step {found['step']}, byte {found['byte']}",
        found["reason"],
        f"line {found['line']['line']}:{found['line']['column']}",
        "after 'output_token_ids'",
    ):
        expect(verdict).to_contain_text(words)
    expect(view.part(".session")).to_contain_text(f"step {found['step']} of {found['step']}")
    expect(view.part(".subject")).to_have_attribute("data-token", str(found["token_id"]))
    expect(view.part(".subject")).to_have_attribute("data-allowed", "false")
    expect(view.part(".walk-step.dead .walk-byte")).to_have_attribute("data-byte", str(found["byte"]))
    expect(view.part(".rail")).to_contain_text(f"byte {found['byte']}")
    expect(view.part(".code .is-marked .n").first).to_have_text(str(found["line"]["line"]))
    marked = ".fsm-box [aria-pressed=true], .fsm-box [data-chosen]"  # a state, or a literal that it is in
    expect(view.part(marked).first).to_be_attached()
    view.notebook.settled()
    drawn = int(view.part(".fsm-view [data-rule]").input_value())  # of the grammar as written
    assert view.ask(f"first.trace.as_written.program['rules'][{drawn}]['line']") == found["line"]["line"]
    assert view.ask("[first.selection['token'], first.selection['state']]") == [
        found["token_id"],
        found["selection"]["state"],
    ]
    assert view.ask("any(t is mine for t in first.past_traces)")


def the_repro_runs(view: OneView) -> None:
    expect(view.part(".diagnosis")).to_contain_text("copied")
    text = str(view.notebook.page.evaluate("() => navigator.clipboard.readText()"))
    assert text == view.ask("first.replayed.issue_text()")
    code = re.search(r"```python\n(.*)```\n$", text, re.DOTALL)
    assert code is not None
    command = [sys.executable, "-W", "error", "-c", code[1]]
    shown = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert shown.returncode == 0, shown.stderr


def test_11_by_mouse(bench: OneView, hand: Hand) -> None:
    log = failed_request(bench)
    bench.notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hand.click(bench.part("[data-key=i]"))
    hand.write(log)
    hand.click(bench.part(".paste-ids button[type=submit]"))
    the_place_is_told(bench)
    hand.click(bench.part(".diagnosis").get_by_role("button", name="copy repro"))
    the_repro_runs(bench)
    hand.click(bench.part("[data-resume]"))
    expect(bench.part(".diagnosis")).to_have_count(0)
    at_step(bench, 0)
    assert bench.ask("first.trace is mine")
    hand.did(11, "mouse")


def test_11_by_keys(bench: OneView, hand: Hand) -> None:
    log = failed_request(bench)
    bench.notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    hand.press("i")
    expect(bench.part(".paste-ids textarea")).to_be_focused()
    hand.write(log)
    hand.press("Enter")
    the_place_is_told(bench)
    hand.press("Alt+4", "ArrowDown")
    hand.press_until("Tab", bench.part(".diagnosis").get_by_role("button", name="copy repro"))
    hand.press("Enter")
    the_repro_runs(bench)
    hand.press_until("Tab", bench.part("[data-resume]"))
    hand.press("Enter")
    expect(bench.part(".diagnosis")).to_have_count(0)
    at_step(bench, 0)
    hand.did(11, "keys")


# ---- 12. One file, and the saved notebook ----------------------------------------------------------------------------


def its_views_follow(view: OneView, hand: Hand, n: int, by: str) -> None:
    """Without a kernel: the cursor moves, and text, tape, mask and why follow it."""
    expect(view.part("[data-offline]").first).to_be_visible()
    expect(view.part(".session")).to_contain_text(f"step {n} of {n}")
    if by == "mouse":
        hand.click(view.part(f"[data-panel=text-view] [data-step='{n - 1}']"))
    else:
        hand.press("Shift+ArrowLeft")
    expect(view.part(".session")).to_contain_text(f"step {n - 1} of {n}")
    expect(view.part("[data-panel=mask-lens]")).to_contain_text(f"at step {n - 1}")
    expect(view.part(".why-card .subject")).to_be_visible()


@pytest.mark.parametrize("by", ["mouse", "keys"])
def test_12(lab: Lab, bench: OneView, hand: Hand, by: str) -> None:
    hand.click(head(bench, "run")) if by == "mouse" else hand.press("Space")
    n = int(ran(bench)) - 1
    notebook = bench.notebook
    notebook.run_cell(AFTER["export"])  # a click on JupyterLab's ▶, or shift ⏎
    notebook.save()  # a click on its disk, or ctrl s
    hand.made["click" if by == "mouse" else "key"] += 2
    exported = lab.blank(offline=True, viewport=SIZE)
    try:
        exported.goto((lab.folder / "tasks" / "lesson.html").as_uri())
        view = OneView(Exported(exported), "workbench")
        away = Hand(view.notebook)
        view.part("[data-panel=tape]").focus()
        its_views_follow(view, away, n, by)
    finally:
        exported.context.close()
    made = {kind: hand.made[kind] + away.made[kind] for kind in hand.made}
    assert made == figures(12, by)


class Exported:
    """An exported page, as `Hand` and `OneView` ask for it."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def locator(self, selector: str) -> Locator:
        found: Locator = self.page.locator(selector)
        return found

    def settled(self, *, replay: bool = False) -> None:
        """Nothing is asked of a kernel."""


def test_12_the_saved_notebook_replays(lab: Lab, notebook: NotebookPage, bench: OneView) -> None:
    bench.notebook.page.keyboard.press("Space")
    n = ran(bench) - 1
    notebook.save()
    shutil.copy(lab.folder / "tasks" / "first.ipynb", lab.folder / "tasks" / "reopened.ipynb")
    again = lab.open("tasks/reopened.ipynb", fresh=True, sidebar=True, size=SIZE)
    view = OneView(again, "workbench")
    expect(view.part(".session")).to_contain_text(f"recorded, step {n} of {n}")
    view.part(".workbench").evaluate(SIGHT)
    view.part("[data-panel=tape]").focus()
    its_views_follow(view, Hand(again), n, "keys")


# ---- 9. Audits; last, since a second workbench stands below the first then -------------------------------------------


@pytest.fixture
def shifted(bench: OneView) -> OneView:
    """Below, a workbench of a session whose vocabulary is shifted by one."""
    notebook = bench.notebook
    notebook.python("from xg2lab.widgets import Audit")
    notebook.run_cell(AFTER["wrong"])
    view = Second(notebook, "workbench")
    expect(view.part(".session")).to_contain_text("step 2 of 2")
    bench.part(".workbench").evaluate(SIGHT)
    notebook.settled()
    return view


def all_masks_are_right(view: OneView, n: int) -> None:
    expect(view.part("[data-panel=audit] .readout")).to_contain_text(
        f"{n} states × 2,048 tokens: mask equals accept everywhere"
    )
    view.notebook.settled()
    assert view.ask("Audit(first).data().ok")


def the_vocabulary_is_named(view: OneView) -> None:
    caught = view.part("[data-panel=audit] [role=alert]").first
    expect(caught).to_contain_text("bytes of each token")
    expect(caught).to_contain_text("The ids are shifted: the tokenizer's token k is here token k-1")
    view.notebook.settled()
    assert not view.ask("Audit(wrong).data().ok")


def test_9_by_mouse(bench: OneView, shifted: OneView) -> None:
    hand = Hand(bench.notebook)
    hand.click(head(bench, "run"))
    n = ran(bench)
    hand.click(button(bench, "Debug"))
    hand.click(tab(bench, "Audit"))
    hand.click(bench.part("[data-panel=audit] .state button"))
    all_masks_are_right(bench, n)
    shifted.part(".workbench").evaluate(SIGHT)
    other = Hand(bench.notebook)
    other.click(tab(shifted, "Audit"))
    other.click(shifted.part("[data-panel=audit] .state button"))
    the_vocabulary_is_named(shifted)
    other.did(9, "mouse", hand)


def test_9_by_keys(bench: OneView, shifted: OneView) -> None:
    hand = Hand(bench.notebook)
    bench.part("[data-panel=tape]").focus()
    hand.press("Space")
    n = ran(bench)
    hand.press("Shift+Digit3", "Shift+F6")
    hand.press_until("Tab", tab(bench, "Compare"))
    hand.press("ArrowRight")
    audit = bench.part("[data-panel=audit] .state button")
    hand.press_until("Tab", audit)
    hand.press("Enter")
    all_masks_are_right(bench, n)
    shifted.part(".workbench").evaluate(SIGHT)
    shifted.part("[data-panel=compare]").focus()
    other = Hand(bench.notebook)
    other.press_until("Tab", tab(shifted, "Compare"))
    other.press("ArrowRight")
    other.press_until("Tab", shifted.part("[data-panel=audit] .state button"))
    other.press("Enter")
    the_vocabulary_is_named(shifted)
    other.did(9, "keys", hand)
