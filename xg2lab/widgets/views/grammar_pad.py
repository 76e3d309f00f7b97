"""GrammarPad: a grammar in an editor that compiles it while it is typed.

    pad = GrammarPad('root ::= "yes" | "no"')
    pad.text = 'root ::= "yes" | "maybe"'      # as well from here
    pad.wait().data().draft.findings
    GrammarPad(session=session)                # the session's own grammar; `apply` gives it the new one

See also: `xg2lab.lab.pad.pad`, which compiles; `xg2lab.widgets.views.example_bench`, which judges examples by it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self, TypeAlias, cast

from xg2lab.compiler import CompiledTemplate
from xg2lab.errors import SessionError
from xg2lab.grammar import Grammar
from xg2lab.lab.pad.pad import GrammarSource, Pad, PadState, text_and_kind
from xg2lab.lab.trace.arguments import arguments_to_wire
from xg2lab.template import Template
from xg2lab.widgets.pad_widget import PadWidget
from xg2lab.widgets.registry import OfTemplate, pad_of_cell, pad_of_session, pad_widget, view_of
from xg2lab.widgets.session_widget import SessionWidget
from xg2lab.widgets.view import View, widget_of

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session
    from xg2lab.support.json_text import Json

__all__ = ["GrammarPad", "PadOwner", "PadView", "known_pad"]

WIDTH = 100


class PadView(View):
    """A view of a pad, with or without a session."""

    _owner: tuple[SessionWidget | None, PadWidget]

    @classmethod
    def _of(cls, session: SessionWidget | None, pad: PadWidget) -> Self:
        """Return the session's or the pad's view of this kind, or a new one; `__init__` makes it."""
        known = view_of(session or pad, cls.PANEL)
        made: Self = super(View, cls).__new__(cls) if known is None else cast("Self", known)
        made._owner = session, pad
        return made

    def __init__(self) -> None:  # pyright: ignore[reportInconsistentConstructor] (`__new__` is the subclasses')
        if not getattr(self, "_is_made", False):
            self._make(*self._owner)

    @property
    def lab_pad(self) -> Pad:
        """The `Pad` that is shown: its text, what was compiled from it, its examples."""
        return self.pad.pad

    @property
    def lab_session(self) -> Session | None:  # pyright: ignore[reportIncompatibleMethodOverride] (a pad may have none)
        """The session that the pad gives its grammar to, or None."""
        return self.lab_pad.session

    def wait(self, timeout: float | None = 30.0) -> Self:
        """Wait until the present text is compiled.

        Parameters
        ----------
        timeout : float, optional
            The most seconds to wait.

        Returns
        -------
        GrammarPad or ExampleBench
            The view itself.
        """
        self.lab_pad.wait(timeout)
        return self

    def _headline(self) -> str:
        of = "" if self.lab_session is None else f" of {self.lab_session!r}"
        return f"{type(self).__name__}{of}"


class GrammarPad(PadView):
    """An editor that compiles a grammar while it is typed, marks mistakes and suggests fixes.

    With a `session` it is the session's pad, which its `Workbench` shows too. A text that names slots is a template: a
    second editor holds its arguments as JSON, mistakes are marked in both, examples are checked against the instance,
    and `apply` gives template and arguments to the session.

    Parameters
    ----------
    text_or_grammar : str, Grammar, Template or dict, optional
        The text; a dict is a JSON Schema or a structural tag. With a `session` it replaces the text in the pad.
    kind : str, optional
        How a text is read: "ebnf", "lark", "regex", "json_schema" or "structural_tag".
    session : Session, optional
        The session to edit the grammar of.
    template : str, dict, Template or CompiledTemplate, optional
        A template instead of a grammar.
    arguments : dict or str, optional
        The template's arguments; a str is JSON.
    on_unsupported : "error" or "relax"
        As for `Grammar.from_json_schema`.

    >>> pad = GrammarPad('root ::= "yes" | "no"').wait()
    >>> pad.text = 'root ::= "yes" | maybe'
    >>> [finding.code for finding in pad.wait().data().draft.findings]
    ['undefined_rule']
    >>> pad.lines()[0].endswith("of the last text that was a grammar")
    True
    """

    PANEL = "grammar_pad"

    def __new__(
        cls,
        text_or_grammar: GrammarSource | Session | SessionWidget | None = None,
        kind: str | None = None,
        session: Session | SessionWidget | None = None,
        *,
        template: str | dict[str, Json] | Template | CompiledTemplate | None = None,
        arguments: Mapping[str, object] | str | None = None,
        on_unsupported: str = "error",
    ) -> Self:
        """Return the session's pad, the pad that the cell made when it last ran, or a new one."""
        asked = _Asked(
            text_or_grammar, kind, session, on_unsupported=on_unsupported, template=template, arguments=arguments
        )
        if asked.owner is None:
            more = asked.of_template
            return cls._of(None, pad_widget(pad_of_cell(asked.text or "", asked.read_as, asked.on_unsupported, **more)))
        widget = widget_of(asked.owner)
        return cls._of(widget, pad_of_session(widget))

    def __init__(
        self,
        text_or_grammar: GrammarSource | Session | SessionWidget | None = None,
        kind: str | None = None,
        session: Session | SessionWidget | None = None,
        *,
        template: str | dict[str, Json] | Template | CompiledTemplate | None = None,
        arguments: Mapping[str, object] | str | None = None,
        on_unsupported: str = "error",
    ) -> None:
        super().__init__()
        asked = _Asked(
            text_or_grammar, kind, session, on_unsupported=on_unsupported, template=template, arguments=arguments
        )
        state, text = self.lab_pad.state, asked.text
        is_other = text is not None and text != state.text
        if is_other or (asked.has_arguments and asked.of_template.get("arguments") != state.arguments):
            text = state.text if text is None else text
            read_as = asked.read_as if is_other else state.kind
            self.lab_pad.write(text, read_as, on_unsupported=on_unsupported, **asked.of_template)

    @property
    def text(self) -> str:
        """The text in the editor. Setting it compiles the new text."""
        return self.lab_pad.state.text

    @text.setter
    def text(self, text: str) -> None:
        self.lab_pad.write(text)

    @property
    def arguments(self) -> str:
        """The template's arguments in their editor, as JSON. A dict may be set too."""
        return self.lab_pad.state.arguments

    @arguments.setter
    def arguments(self, arguments: Mapping[str, object] | str) -> None:
        self.lab_pad.write(self.text, arguments=arguments_text(arguments))

    @property
    def grammar(self) -> Grammar | None:
        """The last text that was a grammar, as a `Grammar`; None if there was none."""
        good = self.wait().lab_pad.state.good
        return None if good is None else good.grammar

    def apply(self) -> None:
        """Give the grammar to the session, which begins again under it; `past_traces` keeps its trace.

        Raises
        ------
        SessionError
            The pad has no session, or no text that is a grammar.

        >>> import xg2lab as xgr
        >>> session = xgr.Session('root ::= "a"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
        >>> GrammarPad('root ::= "b"', session=session).wait().apply()
        >>> session.trace.header["grammar"]["text"]
        'root ::= "b"'
        """
        self.lab_pad.apply()

    def data(self) -> PadState:
        """Return what is known of the text.

        Returns
        -------
        PadState
            The text, its findings (`draft`), and the last good grammar with its rules, passes and keywords (`good`).
        """
        return self.lab_pad.state

    def lines(self) -> list[str]:
        """Return the facts of the grammar, then the findings.

        Returns
        -------
        list of str
            A line each.
        """
        state = self.lab_pad.wait(5.0).state
        good, draft = state.good, state.draft
        whose = "" if state.is_good_current else ", of the last text that was a grammar"
        out = [f"{state.kind}, {state.status}"]
        if good is not None:
            out[0] += f": {len(good.rules)} rules, {good.n_states} states, compiled in {good.ms:.1f} ms{whose}"
        if draft is not None and (draft.findings or (draft.read is not None and draft.read.issues)):
            out += draft.shown(width=WIDTH).split("\n")
        for found in () if draft is None or draft.read is None else draft.read.places:
            where = f" at {found.pointer}" if found.pointer else ""
            out.append(f"arguments {found.line}:{found.column}{where}: {found.message}")
        for keyword in () if draft is None else draft.keywords:
            out.append(f"{keyword.state:10}  {keyword.line:>3}  {keyword.pointer}  {keyword.note}".rstrip())
        return out


class _Asked:
    """What a pad was asked for: whose it is, and its text if one was given."""

    def __init__(
        self,
        text_or_grammar: GrammarSource | Session | SessionWidget | None = None,
        kind: str | None = None,
        session: Session | SessionWidget | None = None,
        on_unsupported: str = "error",
        template: str | dict[str, Json] | Template | CompiledTemplate | None = None,
        arguments: Mapping[str, object] | str | None = None,
    ) -> None:
        if template is not None and text_or_grammar is not None:
            raise SessionError("a pad holds one text", hint="GrammarPad(template=..., arguments={...})")
        text_or_grammar = template if text_or_grammar is None else text_or_grammar
        self.owner = _session(text_or_grammar, session)
        self.on_unsupported = on_unsupported
        self.text: str | None = None
        known = "ebnf"
        if text_or_grammar is not None and self.owner is not text_or_grammar:
            self.text, known = text_and_kind(cast("GrammarSource", text_or_grammar))
        self.read_as = kind or known
        self.has_arguments = arguments is not None
        # what `Pad.write` takes beside the text; None leaves what is in the editor
        is_given = isinstance(text_or_grammar, Template | CompiledTemplate) or template is not None
        self.of_template: OfTemplate = {
            "arguments": None
            if self.owner and self.text is None and arguments is None
            else arguments_text(arguments or ""),
            "as_template": None if self.owner and self.text is None else is_given,
        }


def arguments_text(arguments: Mapping[str, object] | str) -> str:
    """Return the text of a template's arguments, as the pad's second editor shows it."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments_to_wire(arguments), indent=2, ensure_ascii=False)


def _session(first: object, session: Session | SessionWidget | None) -> Session | SessionWidget | None:
    """The session that was given by name, or in the place of the text."""
    is_one = isinstance(first, SessionWidget) or (hasattr(first, "trace") and hasattr(first, "subscribe"))
    return cast("Session | SessionWidget", first) if session is None and is_one else session


#: What a pad can be found by: a grammar stands for a new one.
PadOwner: TypeAlias = "GrammarSource | Pad | PadWidget | PadView | SessionWidget | Session"


def known_pad(given: object) -> PadWidget | None:
    """Return the pad of a view or a session, or the given pad; None for a grammar, which has none yet."""
    if isinstance(given, PadView):
        return given.pad
    if isinstance(given, PadWidget):
        return given
    if isinstance(given, Pad):
        return pad_widget(given)
    session = _session(given, None)
    return None if session is None else pad_of_session(widget_of(session))
