"""What all views share: a stub of a quarter of a kilobyte that names its session and its panel.

IDEA
  A view has no code and no state. Its JavaScript finds the session's model, through it the runtime, and mounts the
  panel of its name there. So a second view of a session costs a line in the saved notebook, and `View(session)` for a
  session that has one already gives that one back.

Where widgets can't be drawn (an untrusted notebook, plain Python), the same facts are there as text, as HTML and as
data: `repr(view)`, `view.data()`.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, Unpack, cast

import anywidget
import traitlets

from xg2lab.errors import ArgumentError, PictureError, SessionError
from xg2lab.show.dot import Theme
from xg2lab.support.files import write_file
from xg2lab.widgets import saved
from xg2lab.widgets.bundle import bundle_text
from xg2lab.widgets.cells import kernel_shell
from xg2lab.widgets.export import ExportOptions, export_html
from xg2lab.widgets.light import Light
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.panels import PANELS
from xg2lab.widgets.pictures import picture_of
from xg2lab.widgets.registry import remember, session_widget, view_of
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.talker import reference

if TYPE_CHECKING:
    import graphviz

    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["AREAS", "View", "widget_of"]

#: Where a view can be shown beside its cell.
AREAS: tuple[schema.Area, ...] = ("tab", "right")


class View(Light):
    """A view of a session; subclasses name their panel and return its facts. A session has one view of each kind.

    Parameters
    ----------
    session : Session
        The session to show.
    """

    session = anywidget.WidgetTrait().tag(sync=True, to_json=reference)
    pad = anywidget.WidgetTrait().tag(sync=True, to_json=reference)
    panel = traitlets.Unicode().tag(sync=True)
    view_id = traitlets.Unicode().tag(sync=True)
    opened = traitlets.Instance(dict, allow_none=True).tag(sync=True)
    tours = traitlets.Int(0).tag(sync=True)
    presented = traitlets.Int(0).tag(sync=True)
    frame = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    PANEL: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.PANEL:
            PANELS[cls.PANEL] = None

    def __new__(cls, session: Session | SessionWidget) -> Self:
        """Return the session's view of this kind, or a new one."""
        known = view_of(widget_of(session), cls.PANEL)
        return super().__new__(cls) if known is None else cast("Self", known)

    def __init__(self, session: Session | SessionWidget) -> None:
        if getattr(self, "_is_made", False):
            return
        widget = widget_of(session)
        self._make(widget, self._pad_of(widget))

    def _pad_of(self, session: SessionWidget) -> PadWidget | None:  # noqa: ARG002 (of views that hold an editor)
        """Return the pad that the view needs as well."""
        return None

    def _make(self, session: SessionWidget | None, pad: PadWidget | None = None) -> None:
        """A view of a session, of a pad, or of both; it is remembered as the one of its kind."""
        super().__init__(
            _esm=bundle_text("stub_view.js"), session=session, pad=pad, panel=self.PANEL, view_id=uuid.uuid4().hex
        )
        self._is_made = True
        owner = session or pad
        if owner is not None:
            remember(owner, self)

    @property
    def lab_session(self) -> Session:
        """The `Session` that is shown."""
        return cast("SessionWidget", self.session).session

    @property
    def step_index(self) -> int:
        """The step under the cursor: the selected one, else the newest."""
        newest = len(self.lab_session.trace.steps) - 1
        chosen = self.lab_session.selection["step"]
        return newest if chosen is None else min(int(chosen), newest)

    @property
    def frame_asked(self) -> schema.Frame | None:
        """What the workbench is asked to show; None: the view is no workbench."""
        return cast("schema.Frame | None", self.frame)

    def data(self) -> object:
        """Return the facts behind the picture."""
        raise NotImplementedError

    def lines(self) -> list[str]:
        """Return the facts in words, a line each."""
        raise NotImplementedError

    def open(self, area: schema.Area = "tab") -> None:
        """Show the view in a tab of JupyterLab's main area, or in its right sidebar, instead of in its cell.

        The cell says where the view is. Closing the tab brings the view back into the cell, and a view that is open
        already comes to front. It needs xg2lab where JupyterLab itself runs; other hosts show the view in the cell,
        with a note.

        Parameters
        ----------
        area : "tab" or "right"
            A tab of the main area, or the right sidebar.

        Raises
        ------
        ArgumentError
            There is no such area.
        SessionError
            No notebook runs this code.

        >>> import xg2lab as xgr
        >>> from xg2lab.widgets import Tape
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> Tape(session).open("left")
        Traceback (most recent call last):
        xg2lab.errors.ArgumentError: there is no area 'left'
          hint: 'tab' or 'right'

        See also: docs/design/0052-lab-extension.md.
        """
        if area not in AREAS:
            raise ArgumentError(f"there is no area {area!r}", hint=" or ".join(map(repr, AREAS)))
        if self.comm is None:  # a widget's own `open`, which its constructor calls: it opens the channel to the page
            super().open()
            return
        bundle = self._repr_mimebundle_()
        shell = kernel_shell()
        if shell is None or bundle is None:
            raise SessionError(
                "a view is opened on the page of a notebook, and no notebook runs this code",
                hint="export_html(path) writes a page for any browser; `xg2lab open FILE` shows a saved trace",
            )
        before = cast("schema.OpenedIn | None", self.opened)
        self.opened = {"area": area, "n": 1 if before is None else before["n"] + 1}
        if saved.is_displayable():
            saved.display(self, *bundle)
        else:
            data, metadata = bundle
            shell.display_pub.publish(data=data, metadata=metadata)

    def export_html(self, path: str | os.PathLike[str], **options: Unpack[ExportOptions]) -> Path:
        """Write this view as one HTML file that replays without a kernel.

        Parameters
        ----------
        path : str or path
            The file.
        **options
            The other parameters of `xg2lab.widgets.export_html`.

        Returns
        -------
        pathlib.Path
            The path.

        Raises
        ------
        SessionError
            The view is of a pad without a session.

        >>> import tempfile
        >>> import xg2lab as xgr
        >>> from xg2lab.widgets import Tape
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Tape(session).export_html(f"{folder}/tape.html", graphviz=False).stat().st_size > 0
        True
        """
        if self.session is None:
            raise SessionError("a pad without a session has nothing to replay", hint="GrammarPad(session=session)")
        pad = None if self.pad is None else self.pad.packed()
        whole: ExportOptions = {
            "views": (self.PANEL,),
            "reports": self.session.reports(),
            "pad": pad,
            "frame": self.frame_asked,
            **options,
        }
        return export_html(self.lab_session, path, **whole)

    def to_svg(
        self, path: str | os.PathLike[str] | None = None, *, theme: Theme = "light", width: int | None = None
    ) -> str:
        """Draw the view as it is now, as SVG; text stays text. A browser without a window draws it.

        Parameters
        ----------
        path : str or path, optional
            A file to write the picture to.
        theme : "light" or "dark"
            The colours.
        width : int, optional
            The width in CSS pixels.

        Returns
        -------
        str
            The picture.

        Raises
        ------
        PictureError
            There is no Chromium on this machine, or the extra is missing: `pip install xg2lab[pictures]`.

        No example: it needs a browser.
        """
        data = picture_of(self, "svg", theme=theme, width=width, scale=1.0)
        if path is not None:
            write_file(path, data)
        return data.decode()

    def to_png(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        theme: Theme = "light",
        width: int | None = None,
        scale: float = 2.0,
    ) -> bytes:
        """Draw the view as it is now, as PNG.

        Parameters
        ----------
        path : str or path, optional
            A file to write the picture to.
        theme : "light" or "dark"
            The colours.
        width : int, optional
            The width in CSS pixels.
        scale : float
            Pixels for a CSS pixel.

        Returns
        -------
        bytes
            The picture.

        Raises
        ------
        PictureError
            There is no Chromium on this machine.

        No example: it needs a browser.
        """
        data = picture_of(self, "png", theme=theme, width=width, scale=scale)
        if path is not None:
            write_file(path, data)
        return data

    def to_graphviz(self, **options: object) -> graphviz.Source:
        """Return the view's graph as a `graphviz.Source`.

        Parameters
        ----------
        **options
            The parameters of `to_dot`.

        Returns
        -------
        graphviz.Source
            Drawing it needs Graphviz's own program.

        Raises
        ------
        PictureError
            The view is not a graph, or the package graphviz is missing: `pip install xg2lab[pictures]`.

        No example: the result is an object of a package that may be missing; `to_dot` has the same text.
        """
        to_dot = getattr(self, "to_dot", None)
        if to_dot is None:
            raise PictureError(f"a {type(self).__name__} is not a graph", hint="to_svg() and to_png() draw every view")
        return to_dot(**options).to_graphviz()

    def save(self, path: str | os.PathLike[str], **options: object) -> Path:
        """Write this view to a file. The name's ending decides the format: .svg, .png, .html, and .dot for a graph.

        Parameters
        ----------
        path : str or path
            The file.
        **options
            The parameters of `to_svg`, `to_png`, `export_html` or `to_dot`.

        Returns
        -------
        pathlib.Path
            The path.

        Raises
        ------
        ArgumentError
            The view is not written in this format.
        PictureError
            As `to_svg`.

        >>> import tempfile
        >>> import xg2lab as xgr
        >>> from xg2lab.widgets import FsmView
        >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     FsmView(session).save(f"{folder}/root.dot").read_text().startswith("digraph")
        True
        """
        path = Path(path)
        makers: dict[str, Callable[..., object]] = {".svg": self.to_svg, ".png": self.to_png, ".html": self.export_html}
        to_dot = getattr(self, "to_dot", None)
        if to_dot is not None:

            def write_dot(at: Path, **more: object) -> Path:
                return write_file(at, str(to_dot(**more)))

            makers[".dot"] = write_dot
        make = makers.get(path.suffix.lower())
        if make is None:
            raise ArgumentError(
                f"a {type(self).__name__} is not written as {path.suffix or path.name!r}", hint=", ".join(makers)
            )
        make(path, **options)
        return path

    def __repr__(self) -> str:
        if self.comm is None:
            return f"<{type(self).__name__}: closed>"
        return "\n".join([self._headline(), *self._told()])

    def _told(self) -> list[str]:
        """The facts in words; of a session that could not make its first step, that and why."""
        if self.session is None:
            return self.lines()
        with self.lab_session.held():  # outputs are renewed by a timer's thread, while others step
            if self.lab_session.trace.steps:
                return self.lines()
            error = self.lab_session.error
            return ["no step yet", *([] if error is None else str(error).splitlines())]

    def _headline(self) -> str:
        return f"{type(self).__name__} of {self.lab_session!r}"

    def _repr_mimebundle_(self, **options: dict[str, object]) -> tuple[dict[str, object], dict[str, object]] | None:
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        told = saved.facts(self)
        data["text/plain"] = "\n".join([self._headline(), *told])
        data["text/html"] = saved.facts_html(self, told, "Run the cell, or trust the notebook, for the live view.")
        return data, metadata

    def _ipython_display_(self) -> None:
        """Display the view: in a notebook together with what the notebook keeps of it."""
        bundle = self._repr_mimebundle_()
        if bundle is None or not saved.is_displayable():
            raise NotImplementedError  # IPython goes on with the MIME bundle
        saved.display(self, *bundle)


def widget_of(session: Session | SessionWidget) -> SessionWidget:
    """Return the widget of a session; a widget is its own."""
    if isinstance(session, SessionWidget):
        return session
    if not hasattr(session, "trace") or not hasattr(session, "subscribe"):
        raise SessionError(
            f"a view shows a Session, not {type(session).__name__}",
            hint="session = Session(grammar, ...); Tape(session)",
        )
    return session_widget(session)
