"""Pictures of views, from Python and by a click: they hold the words and marks that the view shows."""

from __future__ import annotations

import io
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from xg2lab import Session, widgets
from xg2lab.errors import ArgumentError, PictureError
from xg2lab.lab import Lockstep
from xg2lab.widgets import pictures

from .jupyter import ARGS, Lab, chromium_path
from .scripted import scripted_session

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
STEP = 8
#: Words that each view has at that step with the first blocked token selected; all of them are there to be read.
WORDS = {
    "Tape": ["feasible", "mass Z", "Zür", "0.005", "!!", "rolled back", "context hit", "chosen"],
    "MaskLens": ["1,832", "uncertain → rejected", "stop, not legal yet", "most probable first"],
    "WhyCard": ["It breaks at byte 1 of 1", "no edge", "mechanism", "char* "],
    "ChartView": ["live", "dead", "no item left", "char is complete: back to column 21, move the dot there"],
    "FsmView": ["4 states, live", "char", "mask entry pair·1"],
    "CacheView": ["partial hit", "entries built", "pool of this tokenizer, all grammars"],
    "DispatchView": ["This grammar has no tags", "TagDispatch"],
    "TimelineView": ["model", "apply", "Step 8: model", "p95"],
    "DistView": ["chosen", "cut", "Z over the run, log scale", "blocked by", "top-p"],
    "Audit": ["Not audited yet"],
    "GrammarPad": ["weather tool", "Railroad", "mask time", "endless_whitespace"],
    "ExampleBench": ["all 2 agree", "incomplete", "should match"],
    "LockstepView": ["column a byte", "they part", "another seed", "three digits", "removed by masks", "alone allows"],
    "Sampler": ["shortest", "not a member", "fails at byte", "random"],
    "Workbench": ["weather", "rolled back", "may come next at step", "no edge", "4 states, live", "Distribution"],
}
#: Drawn shapes that a picture without its drawing would lack.
MARKS = {"Tape": 60, "FsmView": 15, "ChartView": 10, "CacheView": 25, "TimelineView": 30, "DistView": 25, "WhyCard": 5}


@pytest.fixture(scope="module")
def session(lab: Lab) -> Any:
    """Ten steps, two of them taken again, a blocked token selected; `lab` skips where no browser is."""
    session = scripted_session(name="weather")
    session.step(9)
    session.back(2)
    session.step(3)
    session.select(step=STEP, token=next(iter(session.trace.steps[STEP].explain)))
    return session


@pytest.fixture(scope="module")
def shared() -> Iterator[Callable[[Path, dict[str, Any]], str]]:
    """What draws a page in one browser, in a thread of its own as Playwright asks."""
    with ThreadPoolExecutor(max_workers=1) as aside:
        playwright = aside.submit(lambda: sync_playwright().start()).result()
        browser = aside.submit(lambda: playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)).result()

        def draw(path: Path, asked: dict[str, Any]) -> str:
            return aside.submit(pictures._drawn, browser, path, asked).result()

        yield draw
        aside.submit(browser.close).result()
        aside.submit(playwright.stop).result()


@pytest.fixture
def one_browser(shared: Callable[[Path, dict[str, Any]], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is drawn without starting a browser for it. Tests without this fixture start one, as users do."""
    monkeypatch.setattr(pictures, "_draw", shared)


def view_of(session: Any, name: str) -> Any:
    """The view of that name."""
    if name == "ExampleBench":
        return widgets.ExampleBench(widgets.GrammarPad(session=session), [("{", False), ('{"city": "A"}', True)])
    if name == "LockstepView":
        return widgets.LockstepView(two_runs())
    return getattr(widgets, name)(session)


@cache
def two_runs() -> list[Any]:
    """Two runs of the tiny model that part where the second one's mask blocks a token."""
    first = Session(
        'root ::= "[" [0-9]+ ("," [0-9]+)* "]"', model="tiny", prompt="A list: ", name="loose", max_tokens=12
    )
    runs = [first, first.variant(grammar='root ::= "[" [0-9]{3} ("," [0-9]{3})* "]"', seed=5, name="three digits")]
    Lockstep(runs).run()
    return runs


def said(svg: ET.Element) -> str:
    """All words of a picture."""
    return " ".join("".join(text.itertext()) for text in svg.iter(f"{SVG}text")).replace("\xa0", " ")


def numbers(text: str | None) -> list[float]:
    """The numbers in an attribute."""
    return [float(x) for x in re.findall(r"-?[\d.]+", text or "")]


@pytest.mark.usefixtures("one_browser")
@pytest.mark.parametrize("name", WORDS)
def test_a_view_as_svg_holds_what_it_shows(session: Any, shots: Path, name: str) -> None:
    path = shots / f"picture-{name}.svg"
    text = view_of(session, name).to_svg(path)
    assert path.read_text(encoding="utf-8") == text
    svg = ET.fromstring(text)
    words = said(svg)
    for word in WORDS[name]:
        assert word in words, word
    assert sum(len(list(svg.iter(f"{SVG}{tag}"))) for tag in ("path", "rect", "circle", "line")) >= MARKS.get(name, 1)
    assert len(list(svg.iter(f"{SVG}image"))) == (1 if name in ("MaskLens", "Workbench") else 0)
    assert svg.find(f"{SVG}title") is not None
    # plain SVG: nothing that only a browser understands, nothing that is fetched
    assert not list(svg.iter(f"{SVG}foreignObject"))
    plain = re.sub(r'href="data:[^"]*"', "", text)
    for bad in ("NaN", "undefined", "var(", "color-mix", "light-dark", "color(srgb"):
        assert bad not in plain, bad
    links = [value for element in svg.iter() for key, value in element.items() if key.endswith("href")]
    assert all(link.startswith("data:image/png;base64,") for link in links)
    names = {element.get("id") for element in svg.iter() if element.get("id")}
    assert set(re.findall(r"url\(#([^)]+)\)", plain)) <= names
    assert_all_words_are_inside(svg)


@pytest.mark.usefixtures("one_browser")
@pytest.mark.parametrize("name", ["Tape", "MaskLens", "DistView", "GrammarPad", "Workbench"])
def test_a_narrow_picture_is_not_cut_off(session: Any, name: str) -> None:
    assert_all_words_are_inside(ET.fromstring(view_of(session, name).to_svg(width=420)))


def assert_all_words_are_inside(svg: ET.Element) -> None:
    """Each line of text stands within the picture, with its font named."""
    left, top, width, height = numbers(svg.get("viewBox"))
    for text in svg.findall(f"{SVG}text"):  # those of drawings are placed by their groups
        x, y = float(text.get("x", "nan")), float(text.get("y", "nan"))
        assert left <= x <= left + width
        assert x + float(text.get("textLength", 0)) <= left + width + 1
        assert top <= y <= top + height
        assert text.get("font-family")
        assert float(text.get("font-size", 0)) >= 11
        assert re.fullmatch(r"#[0-9a-f]{6}", text.get("fill", ""))


@pytest.mark.usefixtures("one_browser")
def test_both_themes_have_their_own_paper_and_ink(session: Any) -> None:
    found = {}
    for theme in ("light", "dark"):
        svg = ET.fromstring(view_of(session, "Tape").to_svg(theme=theme))
        paper, title = svg.find(f"{SVG}rect"), svg.find(f"{SVG}text")
        assert paper is not None
        assert title is not None
        found[theme] = paper.get("fill"), title.get("fill")
    assert found == {"light": ("#ffffff", "#1a1d21"), "dark": ("#15181c", "#e9ebee")}


def test_a_drawing_that_scrolls_is_whole_in_its_picture(session: Any) -> None:
    svg = ET.fromstring(view_of(session, "FsmView").to_svg(width=300))
    assert numbers(svg.get("viewBox"))[2] > 300
    assert "char" in said(svg)


@pytest.mark.usefixtures("one_browser")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_mask_has_its_colours_at_its_cells(session: Any, theme: str) -> None:
    image_of = pytest.importorskip("PIL.Image")
    from xg2lab.widgets.replay import vocabulary_of

    lens, scale = view_of(session, "MaskLens"), 2
    svg = ET.fromstring(lens.to_svg(theme=theme))
    image = svg.find(f".//{SVG}image")
    assert image is not None
    left, top = numbers(svg.get("viewBox"))[:2]
    x, y, width = (float(image.get(name, "nan")) for name in ("x", "y", "width"))
    png = image_of.open(io.BytesIO(lens.to_png(theme=theme, scale=scale))).convert("RGB")
    assert png.size == tuple(int(scale * float(svg.get(name, 0))) for name in ("width", "height"))
    columns = 46  # of 11 pixels, in a square of 512
    cell = width / columns
    order = [int(k) for k in vocabulary_of(session.tokenizer_info).order]

    def pixel(token: int, dx: float, dy: float) -> tuple[int, ...]:
        rank = order.index(token)
        at = (x - left + (rank % columns + dx) * cell, y - top + (rank // columns + dy) * cell)
        return png.getpixel(tuple(int(scale * c) for c in at))

    def near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return max(abs(p - q) for p, q in zip(a, b, strict=True)) <= 14

    step = session.trace.steps[STEP]
    teal, ground = {"light": ((0, 146, 106), (255, 255, 255)), "dark": ((47, 189, 150), (21, 24, 28))}[theme]
    assert step.p > 0.99
    assert near(pixel(step.token_id, 0.5, 0.5), teal)
    assert near(pixel(step.token_id, 0.15, 0.15), teal)  # filled to its corners
    provenance = session.provenance(STEP)
    rejected = [k for k in range(256) if provenance[k] == 0 and k != session.selection["token"]]
    for token in rejected[-20:]:  # far from the ring round the selected one
        assert near(pixel(token, 0.12, 0.12), ground)  # a dot, with paper round it
        assert not near(pixel(token, 0.5, 0.5), ground)
        r, g, b = pixel(token, 0.5, 0.5)
        assert max(r, g, b) - min(r, g, b) < 30  # grey: only what may be sampled is green


def test_a_files_ending_says_what_it_becomes(session: Any, tmp_path: Path) -> None:
    view = view_of(session, "FsmView")
    assert view.save(tmp_path / "fsm.png", width=500, scale=1).read_bytes().startswith(b"\x89PNG\r\n")
    assert view.save(tmp_path / "fsm.dot", theme="dark").read_text() == view.to_dot(theme="dark")
    assert "<!doctype html>" in view.save(tmp_path / "fsm.html").read_text()
    with pytest.raises(ArgumentError, match=r"a FsmView is not written as '\.pdf'") as refused:
        view.save(tmp_path / "fsm.pdf")
    assert refused.value.hint == ".svg, .png, .html, .dot"
    with pytest.raises(ArgumentError, match="no theme 'sepia'"):
        view.to_svg(theme="sepia")
    with pytest.raises(ArgumentError, match="280 to 4000 pixels"):
        view.to_svg(width=10)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fsm.dot", "fsm.html", "fsm.png"]


def test_a_pad_without_a_session_has_a_picture() -> None:
    pad = widgets.GrammarPad('root ::= "yes" | maybe')
    words = said(ET.fromstring(pad.to_svg()))
    assert "undefined_rule" in words
    assert "1 error" in words


def test_without_a_browser_the_error_says_what_to_do(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    with pytest.raises(PictureError, match="no-such-browser is not a program") as refused:
        view_of(session, "Tape").to_svg()
    assert "picture button" in refused.value.hint
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setattr("xg2lab.widgets.pictures.BROWSERS", ())
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "/nowhere")
    monkeypatch.setattr("xg2lab.widgets.pictures._CHANNELS", ("chrome-canary",))
    with pytest.raises(PictureError, match=r"no browser .* could be started \(own: .*; chrome-canary: ") as refused:
        view_of(session, "Tape").to_svg()
    assert "playwright install chromium" in refused.value.hint
    monkeypatch.setenv("CHROMIUM", "/bin/false")
    with pytest.raises(PictureError, match=r"could be started \(/bin/false: "):
        view_of(session, "Tape").to_svg()


def test_without_playwright_the_error_says_what_to_install(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(PictureError, match="needs Playwright, which is not installed") as refused:
        view_of(session, "Tape").to_png()
    assert refused.value.hint.startswith("pip install 'xg2lab[pictures]'")
    assert "picture button" in refused.value.hint


def test_a_page_that_fails_says_how(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "<script>xg2lab_picture = async () => { throw new Error('no such view') }</script>"
    monkeypatch.setattr("xg2lab.widgets.pictures.picture_page", lambda view: broken)
    with pytest.raises(PictureError, match=r"the page failed: .*no such view"):
        view_of(session, "Tape").to_svg()
    monkeypatch.setattr("xg2lab.widgets.pictures.PATIENCE_MS", 1_000)
    silent = "<script>xg2lab_picture = () => new Promise(() => undefined)</script>"
    monkeypatch.setattr("xg2lab.widgets.pictures.picture_page", lambda view: silent)
    with pytest.raises(PictureError, match="no picture within 1 s"):
        view_of(session, "Tape").to_svg()


# ---- By a click ------------------------------------------------------------------------------------------------------


def saved(page: Page, view: str, name: str, how: str, to: Path) -> bytes:
    """What a click on the picture button of a view gives."""
    frame = page.locator(f"[data-xg2lab={view}]")
    frame.get_by_role("button", name=f"Save or copy a picture of {name}").first.click()
    with page.expect_download() as coming:
        frame.get_by_role("group", name="Picture").get_by_role("button", name=f"save {how}", exact=True).click()
    assert coming.value.suggested_filename == f"xg2lab-{name.replace(' ', '-')}.{how.lower()}"
    coming.value.save_as(to)
    return to.read_bytes()


STILL = "root => root.innerHTML.replace(/ style=\"\"/g, '') + [...root.querySelectorAll('*')].map((e) => e.scrollTop)"


def test_a_click_saves_what_is_on_screen(lab: Lab, tmp_path: Path) -> None:
    setup = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import FsmView, Tape\n"
    setup += "session = scripted_session(name='weather'); session.step(9)"
    notebook = lab.show([setup, "Tape(session)", "FsmView(session)"])
    notebook.run_all()
    page = notebook.page
    expect(page.locator("[data-xg2lab=fsm_view] svg.fsm")).to_be_visible()
    root = page.locator("[data-xg2lab=tape] .xg")
    before = root.evaluate(STILL)
    svg = ET.fromstring(saved(page, "tape", "tape", "SVG", tmp_path / "tape.svg"))
    assert all(word in said(svg) for word in ("feasible", "Zür", "9 tokens"))
    expect(page.locator("[data-xg2lab=tape] .picture-menu .float")).to_have_count(0)
    assert root.evaluate(STILL) == before  # read, and left as it was
    assert saved(page, "fsm_view", "fsm view", "PNG", tmp_path / "fsm.png").startswith(b"\x89PNG\r\n")
    counters = page.evaluate("() => globalThis[Symbol.for('xg2lab/page/1')].assets_fetched")
    assert counters == 2  # Graphviz, and what makes pictures: once for both


def test_an_exported_page_saves_pictures_too(lab: Lab, session: Any, tmp_path: Path) -> None:
    path = widgets.Workbench(session).export_html(tmp_path / "lesson.html")
    page = lab.blank(offline=True)
    page.goto(path.as_uri())
    expect(page.locator("[data-xg2lab=workbench] .session")).to_be_visible()
    svg = ET.fromstring(saved(page, "workbench", "workbench", "SVG", tmp_path / "workbench.svg"))
    assert all(word in said(svg) for word in ("allowed", "may come next at step", "Distribution"))
    page.context.close()


# ---- To the clipboard ------------------------------------------------------------------------------------------------

READ_BACK = """async () => {
  const [item] = await navigator.clipboard.read();
  const found = { types: item.types };
  if (item.types.includes("text/plain")) found.text = await (await item.getType("text/plain")).text();
  if (item.types.includes("image/png")) {
    found.png = [...new Uint8Array(await (await item.getType("image/png")).arrayBuffer())].slice(0, 24);
  }
  return found;
}"""
FORGET = "() => navigator.clipboard.writeText('before')"
REFUSED = 'The browser refused to copy. Allow the clipboard for this page, or choose "save {}".'


def menu_of(page: Page, name: str) -> Any:
    """The open picture menu of the first panel of that name."""
    group = page.get_by_role("group", name="Picture").filter(
        has=page.get_by_role("button", name=f"Save or copy a picture of {name}")
    )
    opener = group.first.get_by_role("button").first
    if opener.get_attribute("aria-expanded") != "true":
        opener.click()
    return group.first


def chosen(menu: Any, what: str) -> Any:
    """The menu's button of that name."""
    return menu.get_by_role("button", name=what, exact=True)


@pytest.fixture
def exported(lab: Lab, session: Any, tmp_path: Path) -> Iterator[Page]:
    """A workbench's exported page, opened from the disk."""
    page = lab.blank(offline=True)
    page.goto(widgets.Workbench(session).export_html(tmp_path / "lesson.html").as_uri())
    expect(page.locator("[data-xg2lab=workbench] .session")).to_be_visible()
    yield page
    page.context.close()


def test_a_picture_is_copied_from_the_page_of_a_file(exported: Page) -> None:
    page = exported
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, word in (("tape", "Zür"), ("workbench", "may come next at step")):  # a pane, and the whole
        page.evaluate(FORGET)
        menu = menu_of(page, name)
        chosen(menu, "copy SVG").click()
        expect(menu.get_by_role("status")).to_have_text("SVG copied")
        found = page.evaluate(READ_BACK)
        assert "text/plain" in found["types"]
        assert word in said(ET.fromstring(found["text"]))
        chosen(menu, "copy PNG").click()
        expect(menu.get_by_role("status")).to_have_text("PNG copied")
        found = page.evaluate(READ_BACK)
        assert found["types"] == ["image/png"]
        assert bytes(found["png"][:8]) == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(bytes(found["png"][16:20]), "big") > 300  # pixels across
        page.keyboard.press("Escape")
        expect(menu.locator(".float")).to_have_count(0)


def test_a_picture_is_copied_by_keys_in_a_notebook(lab: Lab) -> None:
    setup = "from tests.ui.scripted import scripted_session\nfrom xg2lab.widgets import Tape\n"
    setup += "session = scripted_session(name='weather'); session.step(9)"
    notebook = lab.show([setup, "Tape(session)"])
    notebook.run_all()
    page = notebook.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opener = page.get_by_role("button", name="Save or copy a picture of tape")
    expect(opener).to_be_visible()
    page.evaluate(FORGET)
    opener.focus()
    for key in ("Enter", "Tab", "Tab", "Tab", "Enter"):  # past the two that save
        page.keyboard.press(key)
    expect(page.get_by_role("group", name="Picture").get_by_role("status")).to_have_text("SVG copied")
    assert "Zür" in said(ET.fromstring(page.evaluate(READ_BACK)["text"]))
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


def test_where_the_clipboard_is_refused_a_sentence_says_what_to_do_and_saving_works(
    exported: Page, tmp_path: Path
) -> None:
    page = exported
    browser = page.context.browser
    assert browser is not None
    context = page.context.new_cdp_session(page).send("Target.getTargetInfo")["targetInfo"]["browserContextId"]
    denied = {"permission": {"name": "clipboard-write"}, "setting": "denied", "browserContextId": context}
    browser.new_browser_cdp_session().send("Browser.setPermission", denied)
    page.evaluate("() => { document.execCommand = () => false }")  # the way round the permission, by a field
    menu = menu_of(page, "tape")
    for kind in ("SVG", "PNG"):
        chosen(menu, f"copy {kind}").click()
        expect(menu.get_by_role("status")).to_have_text(REFUSED.format(kind))
    page.keyboard.press("Escape")
    svg = ET.fromstring(saved(page, "workbench", "tape", "SVG", tmp_path / "tape.svg"))
    assert "Zür" in said(svg)


def test_without_the_interface_text_is_copied_and_an_image_is_explained(exported: Page) -> None:
    page = exported
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(FORGET)
    page.evaluate("() => { globalThis.ClipboardItem = undefined }")
    menu = menu_of(page, "tape")
    chosen(menu, "copy PNG").click()
    expect(menu.get_by_role("status")).to_contain_text("copies images only on pages that are served by https")
    chosen(menu, "copy SVG").click()
    expect(menu.get_by_role("status")).to_have_text("SVG copied")
    assert "Zür" in said(ET.fromstring(page.evaluate("() => navigator.clipboard.readText()")))
