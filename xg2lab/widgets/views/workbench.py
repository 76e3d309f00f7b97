"""Workbench: the views of a session in one frame that never scrolls, with one transport and the selection on top.

    Workbench(session)                                     # the arrangement that the reader used last
    Workbench(session, arrangement="debug", height=900)
    Workbench(session, lesson=["tape", "mask_lens", "why_card"])
    Workbench(session, lesson=["tape", "mask_lens", "why_card"], presenting=True)

Three arrangements put the views into panes: `step` shows the mask beside the reason, `author` the grammar beside what
judges it, `debug` the reason beside who took the mass and what it cost. The reader moves, closes and maximises panes,
and the reader's browser remembers them; neither the notebook nor the trace does. A tab that is not on top is not drawn,
and asks the kernel nothing. See also docs/design/0051-one-screen.md and docs/design/0056-presenting.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, get_args

from xg2lab.errors import ArgumentError, ArgumentTypeError
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.panels import PANELS
from xg2lab.widgets.registry import pad_of_session
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.view import View
from xg2lab.widgets.views.mask_lens import mask_lines
from xg2lab.widgets.views.why_card import why_lines

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["Arrangement", "Workbench"]

#: How the panes are put together.
Arrangement: TypeAlias = Literal["step", "author", "debug"]
ARRANGEMENTS: tuple[Arrangement, ...] = get_args(Arrangement)
#: The height of a workbench in a cell, in CSS pixels.
HEIGHT, LEAST_HEIGHT, MOST_HEIGHT = 720, 320, 4000
#: What the page draws beside the views that have a class: railroad, lowered form and keywords of the grammar.
PAGE_PANES = ("grammar_views",)


class Workbench(View):
    """Shows the views of a session in panes. `alt 1` to `alt 9` go to views, `shift 1` to `shift 3` to arrangements.

    Each view alone in a cell shows the same selection. A session has one workbench: made again without options, it
    keeps those that it has.

    Parameters
    ----------
    session : Session
        The session to show.
    arrangement : "step", "author" or "debug", optional
        The arrangement to begin with. If it is left out, the one that the reader used last, at first `step`.
    height : int, optional
        The height in a cell in CSS pixels, 320 to 4000; 720 if it is left out. The reader drags the lower edge.
    lesson : "step", "author", "debug" or sequence of str, optional
        What a lesson shows: an arrangement, or views by their `PANEL` names. Its panes can be resized and
        maximised, but not closed or moved, and nothing of it is remembered.
    presenting : bool
        True begins presenter mode: the lesson's panes alone, in large type over the whole page. What they say of the
        step is covered until the key `.` or a click reveals it. Esc leaves. Without a lesson the panes are text, tape,
        mask and reason. A page that is loaded again does not begin with it.
    tour : bool
        True begins the tour: five cards, each beside a pane, from the first step to a changed grammar. Esc skips it.

    Raises
    ------
    ArgumentError
        There is no such arrangement or view, a view is named twice, or the height is out of range.
    ArgumentTypeError
        An argument has another type.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = Workbench(session, arrangement="debug")
    >>> view.frame["arrangement"], view.frame["height"]
    ('debug', 720)
    >>> view.data()["header"]["vocab_size"], len(view.lines()) > 2
    (3, True)
    """

    PANEL = "workbench"

    def __new__(  # noqa: D102 (as the class)
        cls,
        session: Session | SessionWidget,
        arrangement: Arrangement | None = None,  # noqa: ARG004 (`__init__` reads it)
        height: int | None = None,  # noqa: ARG004 (`__init__` reads it)
        lesson: Arrangement | Sequence[str] | None = None,  # noqa: ARG004 (`__init__` reads it)
        *,
        presenting: bool = False,  # noqa: ARG004 (`__init__` reads it)
        tour: bool = False,  # noqa: ARG004 (`__init__` reads it)
    ) -> Self:
        return super().__new__(cls, session)

    def __init__(
        self,
        session: Session | SessionWidget,
        arrangement: Arrangement | None = None,
        height: int | None = None,
        lesson: Arrangement | Sequence[str] | None = None,
        *,
        presenting: bool = False,
        tour: bool = False,
    ) -> None:
        asked: schema.Frame = {
            "arrangement": _arrangement(arrangement),
            "height": _height(height),
            "lesson": _lesson(lesson),
        }
        is_new = not getattr(self, "_is_made", False)
        super().__init__(session)
        if is_new or not (arrangement is None and height is None and lesson is None):
            self.frame = asked
        if presenting:
            n_presented: int = self.presented
            self.presented = n_presented + 1
        if tour:
            n_asked: int = self.tours
            self.tours = n_asked + 1

    def _pad_of(self, session: SessionWidget) -> PadWidget:
        return pad_of_session(session)

    def data(self) -> schema.TraceFile:
        """Return the whole trace as JSON values.

        Returns
        -------
        dict
            `Trace.to_wire(bulk=False)`.
        """
        return self.lab_session.trace.to_wire(bulk=False)

    def lines(self) -> list[str]:
        """Return the run, the mask and the reason as text.

        Returns
        -------
        list of str
            A line each.
        """
        session, step = self.lab_session, self.step_index
        return [*str(session.trace).splitlines(), *mask_lines(session, step), *why_lines(session, step)]


def _arrangement(name: object) -> Arrangement | None:
    if name is None or name in ARRANGEMENTS:
        return name
    raise ArgumentError(f"there is no arrangement {name!r}", hint=", ".join(ARRANGEMENTS))


def _height(height: object) -> int:
    if height is None:
        return HEIGHT
    if isinstance(height, bool) or not isinstance(height, int):
        raise ArgumentTypeError(f"height is {height!r}; wanted an int", hint="a height in CSS pixels, such as 720")
    if not LEAST_HEIGHT <= height <= MOST_HEIGHT:
        raise ArgumentError(f"height is {height}", hint=f"{LEAST_HEIGHT} to {MOST_HEIGHT} CSS pixels")
    return height


def _lesson(lesson: object) -> Arrangement | list[str] | None:
    if lesson is None or isinstance(lesson, str):
        return _arrangement(lesson)
    allowed = [*(name for name in PANELS if name != "workbench"), *PAGE_PANES]
    if not isinstance(lesson, Sequence):
        raise ArgumentTypeError(
            f"lesson is {lesson!r}; wanted an arrangement or a list of views", hint=", ".join([*ARRANGEMENTS, *allowed])
        )
    names = [name for name in lesson if isinstance(name, str) and name in allowed]
    unknown = [name for name in lesson if name not in names]
    if unknown or not names:
        named = ", ".join(map(repr, unknown)) or "named"
        raise ArgumentError(f"lesson: there is no view {named}", hint=", ".join(allowed))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"lesson: {twice!r} is named twice", hint="name each view once")
    return names
