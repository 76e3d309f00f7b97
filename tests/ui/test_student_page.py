"""A student page follows the teacher over the server of a default JupyterLab; it only reads.

Teacher and student are two contexts of one browser: neither has the other's storage.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from .conftest import write_notebook
from .jupyter import Lab, NotebookPage
from .one_view import axe_rules, with_axe

pytestmark = pytest.mark.browser

SETUP = """from tests.ui.scripted import scripted_session
from xg2lab.widgets import *
session = scripted_session()
steps = session.step(3)"""
STATE = (
    "print(session.trace.n_decided, session.selection['step'], session.selection['token'], len(session.trace.branches))"
)


class Class:
    """A teacher's notebook, and a student's page."""

    def __init__(self, notebook: NotebookPage, student: Page, errors: list[str]) -> None:
        self.notebook, self.student, self.errors = notebook, student, errors

    @property
    def teachers(self) -> Locator:
        return self.notebook.locator("[data-xg2lab=workbench]")

    @property
    def students(self) -> Locator:
        return self.student.locator("[data-xg2lab=workbench]")

    @property
    def says(self) -> Locator:
        return self.student.locator("#says")

    def at(self, who: Locator, text: str) -> None:
        expect(who.locator(".session")).to_contain_text(text)


def address_of(notebook: NotebookPage) -> str:
    """The address that the palette's command opens."""
    with notebook.page.context.expect_page() as opened:
        notebook.page.evaluate("() => void jupyterapp.commands.execute('xg2lab:student-page')")
    address = opened.value.url
    opened.value.close()
    return address


@pytest.fixture
def lesson(lab: Lab) -> Iterator[Class]:
    lab.errors.clear()
    notebook = lab.open(write_notebook(lab.folder, "lesson.ipynb", [SETUP, "Workbench(session)"]))
    notebook.run_all()
    expect(notebook.locator("[data-xg2lab=workbench] [data-panel=tape]")).to_be_visible()
    browser = notebook.page.context.browser
    assert browser is not None
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    student = context.new_page()
    errors: list[str] = []
    student.on("console", lambda m: errors.append(m.text[:500]) if m.type == "error" else None)
    student.on("pageerror", lambda e: errors.append(str(e)[:500]))
    student.goto(address_of(notebook))
    made = Class(notebook, student, errors)
    expect(made.students.locator("[data-panel=tape]")).to_be_visible()
    yield made
    context.close()


def test_the_page_follows_steps_and_selection(lesson: Class) -> None:
    expect(lesson.says).to_have_text("You see what your teacher shows.")
    lesson.at(lesson.students, "step 3 of 3")
    lesson.teachers.locator("[data-panel=tape]").focus()
    lesson.notebook.page.keyboard.press("ArrowRight")
    lesson.at(lesson.teachers, "step 4 of 4")
    lesson.at(lesson.students, "step 4 of 4")
    lesson.notebook.page.keyboard.press("Shift+ArrowLeft")
    lesson.at(lesson.students, "step 3 of 4")
    token = lesson.notebook.python("print(session.tokenizer_info.decoded_vocab.index(b'celsius'))").strip()
    lesson.notebook.python(f"session.select(token={token})")
    reason = lesson.notebook.python(f"print(session.explain({token}, 3)['reason'])").strip()
    expect(lesson.teachers.locator(".why-card [data-reason]")).to_contain_text(reason)
    expect(lesson.students.locator(".why-card [data-reason]")).to_contain_text(reason)
    lesson.notebook.python("session.annotate('Look here.', step=3)")
    expect(lesson.students.locator(".notes-button")).to_have_text("notes 1 of 1")
    assert lesson.errors == []


def test_a_student_looks_elsewhere_and_follows_again(lesson: Class) -> None:
    before = lesson.notebook.python(STATE)
    lesson.students.locator("[data-panel=tape]").focus()
    lesson.student.keyboard.press("Shift+ArrowLeft")
    lesson.at(lesson.students, "step 2 of 3")
    expect(lesson.says).to_have_text("You look elsewhere. Your teacher goes on.")
    lesson.notebook.python("session.step(); session.select(step=1)")
    lesson.at(lesson.teachers, "step 1 of 4")
    lesson.at(lesson.students, "step 2 of 4")  # the run grows, and the student's place stays
    lesson.student.get_by_role("button", name="follow again").click()
    lesson.at(lesson.students, "step 1 of 4")
    lesson.student.get_by_role("button", name="stop following").click()
    lesson.notebook.python("session.select(step=0)")
    lesson.at(lesson.teachers, "step 0 of 4")
    lesson.at(lesson.students, "step 1 of 4")
    assert before.split()[1:] == ["None", "None", "0"]


def test_a_student_can_not_change_the_session(lesson: Class) -> None:
    before = lesson.notebook.python(STATE)
    expect(lesson.students.locator("[data-offline]").first).to_have_text("student page")
    lesson.students.locator("[data-panel=tape]").focus()
    for keys in ("ArrowRight", "ArrowLeft", "Space", "r", "z", "u", "b", "Enter", "a", "Shift+ArrowLeft"):
        lesson.student.keyboard.press(keys)
    expect(lesson.says).to_have_text("You look elsewhere. Your teacher goes on.")
    expect(lesson.students.locator(".note-field")).to_have_count(0)
    lesson.students.locator(".why-card").get_by_role("button", name="paste ids").click()
    field = lesson.students.locator(".why-card textarea").first
    field.fill("1, 2, 3")
    lesson.students.locator(".why-card button.primary").first.click()
    expect(lesson.students.get_by_role("alert").first).to_contain_text("a student page only reads")
    assert lesson.notebook.python(STATE) == before


def test_a_student_who_leaves_takes_nothing_with_him(lesson: Class) -> None:
    """The kernel would take the teacher's clicks to a thread that the student's page had, and took with it."""
    lesson.at(lesson.students, "step 3 of 3")
    lesson.student.close()
    lesson.teachers.locator("[data-panel=tape]").focus()
    lesson.notebook.page.keyboard.press("ArrowRight")
    lesson.at(lesson.teachers, "step 4 of 4")


def test_the_end_of_the_session_is_told(lesson: Class) -> None:
    lesson.notebook.python("Workbench(session).session.close()")
    expect(lesson.says).to_have_text("The teacher's session has ended. Ask for a new address.")
    expect(lesson.student.locator("#follow")).to_be_hidden()
    lesson.student.reload()
    expect(lesson.says).to_have_text("The teacher's session has ended. Ask for a new address.")


def test_the_notebook_is_kept_as_if_no_student_had_come(lesson: Class) -> None:
    page = lesson.notebook.python("print(Workbench(session).session._page)")
    lesson.student.reload()
    expect(lesson.students.locator("[data-panel=tape]")).to_be_visible()
    assert lesson.notebook.python("print(Workbench(session).session._page)") == page


@pytest.mark.parametrize("query", ["", "?kernel=../../x&session=abcdefgh", "?kernel=abcdefgh&session=%3Cb%3E"])
def test_an_address_that_names_no_session_says_so(lab: Lab, query: str) -> None:
    page = lab.blank()
    page.goto(f"{lab.base}/lab/extensions/xg2lab/static/follow.html{query}")
    expect(page.locator("#says")).to_have_text("This address names no session. Ask your teacher for the whole address.")
    page.goto(f"{lab.base}/lab/extensions/xg2lab/static/follow.html?kernel=00000000-0000&session=abcdefgh")
    expect(page.locator("#says")).to_have_text("The teacher's session has ended. Ask for a new address.")
    page.close()


def test_it_looks_well(lesson: Class, shots: Path) -> None:
    lesson.student.screenshot(path=str(shots / "student-page.png"))
    with_axe(lesson.student)
    found = lesson.student.evaluate(
        "async (how) => (await axe.run(document, { ...how, resultTypes: ['violations'] })).violations"
        ".filter((rule) => ['serious', 'critical'].includes(rule.impact)).map((rule) => rule.id)",
        axe_rules(False),
    )
    assert found == []
    wide = lesson.student.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    high = lesson.student.evaluate("() => document.documentElement.scrollHeight - innerHeight")
    assert (wide, high) == (0, 0)
