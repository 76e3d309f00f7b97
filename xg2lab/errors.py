"""The exceptions of xg2lab: each points at a place, explains, and suggests a remedy.

>>> try:
...     raise GrammarError("rule `a` is not defined", hint="define it: a ::= ...")
... except Xg2LabError as error:
...     error.hint
'define it: a ::= ...'

All derive from `Xg2LabError`, and that from `RuntimeError`, because code written for XGrammar catches the
latter. The engine raises the same classes: its error kinds bear these names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BitmaskError",
    "DeserializeFormatError",
    "DeserializeVersionError",
    "DeviceError",
    "Diagnostic",
    "GrammarError",
    "GrammarSyntaxError",
    "InvalidJSONError",
    "InvalidStructuralTagError",
    "LimitError",
    "MatcherStateError",
    "ModelLoadError",
    "PictureError",
    "SessionError",
    "TemplateArgumentError",
    "ToolCallError",
    "UnsupportedError",
    "VocabularyError",
    "Xg2LabError",
    "visible",
]


PACKAGE = Path(__file__).parent

#: What can't be seen, or turns the text around it: controls but for tab and line feed, format
#: characters, fillers. core/support/visible.cc has the same list.
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U00013430-\U0001343f\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    r"""Text fit to be shown: what is hidden in it is escaped, as the engine's messages have it.

    >>> print(visible("user\u202e, \x1b[2J"))
    user\u202E, \x1B[2J
    """
    return HIDDEN.sub(lambda found: _escaped(ord(found[0])), text)


def _escaped(code: int) -> str:
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


@dataclass(frozen=True)
class Diagnostic:
    """One finding in a source text.

    Attributes
    ----------
    code : str
        A stable name, explained in docs/diagnostics.md.
    severity : str
        "error", "warning" or "hint".
    message, hint : str
        What is wrong, and what to do about it.
    span : tuple of (int, int)
        Byte offsets into the text.
    line, column : int
        Counted from 1; columns count code points.
    pointer : str or None
        The JSON Pointer of a value in the text, if the text is JSON and `xg2lab.lint` found its place; or of a
        template's argument.
    """

    code: str
    severity: str  # "error", "warning" or "hint"
    message: str
    hint: str = ""
    span: tuple[int, int] = (0, 0)
    line: int = 0
    column: int = 0
    pointer: str | None = None


class Xg2LabError(RuntimeError):
    """The base of all errors that xg2lab raises.

    In a notebook the traceback ends at the line of the cell that led to the error: the lines inside xg2lab do not help
    the author of a grammar. `traceback.print_exc()` shows them too.

    Parameters
    ----------
    message : str
        What is wrong.
    hint : str
        What to do about it; may be empty.
    diagnostics : list of Diagnostic, optional
        Every finding, if there are several. The attribute `span` is that of the first.
    pointer : str, optional
        The JSON Pointer of the place that is meant.
    source : str, optional
        The text that spans point into.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Grammar.from_ebnf('root ::= digit | letter')
    ... except Xg2LabError as error:
    ...     print(len(error.diagnostics), error.span, error.diagnostics[1].message)
    2 (9, 14) rule `letter` is not defined
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        diagnostics: list[Diagnostic] | None = None,
        pointer: str | None = None,
        source: str | None = None,
    ) -> None:
        message, hint = visible(message), visible(hint)
        text = message if not hint or hint in message else f"{message}\n  hint: {hint}"
        super().__init__(text)
        self.message = message
        self.hint = hint
        self.diagnostics: list[Diagnostic] = list(diagnostics or [])
        self.pointer = pointer
        self.source = source
        self.index: int | None = None  # in a batch: the number of the matcher
        self.results: list[bool | None] | None = None  # in a batch: what each matcher answered
        self.span: tuple[int, int] | None = self.diagnostics[0].span if self.diagnostics else None

    def _render_traceback_(self, *_: object) -> list[str]:
        """Return the traceback for IPython: its own, up to the call of xg2lab."""
        from IPython.core.getipython import get_ipython

        frames: list[TracebackType] = []
        at = self.__traceback__
        while at is not None:
            frames.append(at)
            at = at.tb_next
        while len(frames) > 1 and Path(frames[-1].tb_frame.f_code.co_filename).is_relative_to(PACKAGE):
            frames.pop()
        shown: TracebackType | None = None
        for frame in reversed(frames):
            shown = TracebackType(shown, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
        shell: Any = get_ipython()
        writer = shell.InteractiveTB
        return writer.structured_traceback(type(self), self, shown, tb_offset=writer.tb_offset)


class GrammarSyntaxError(Xg2LabError, ValueError):
    """The text of a grammar cannot be read."""


class GrammarError(Xg2LabError, ValueError):
    """A grammar that can be read cannot be used: a rule is undefined, or never matches."""


class VocabularyError(Xg2LabError, ValueError):
    """A vocabulary does not fit the model or the call: sizes differ, token ids are out of range."""


class ArgumentError(Xg2LabError, ValueError):
    """Arguments do not fit together: lists of different lengths, the same matcher twice, an index outside a tree."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a wrong type: None where an object is wanted, an object that was never made, too few or too many.

    A TypeError too, as for any function of Python.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.GrammarMatcher(None)
    ... except TypeError as error:
    ...     print(error)
    GrammarMatcher(): compiled_grammar is None; wanted a CompiledGrammar
      hint: GrammarCompiler(tokenizer_info).compile_grammar(...) makes one
    """


class TemplateArgumentError(ArgumentError):
    """Arguments do not fit a template. Each of `diagnostics` has a place in the template and one in the arguments.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Template.from_ebnf("root ::= $name").write_out(name=3)
    ... except xgr.TemplateArgumentError as error:
    ...     [(found.code, found.pointer, found.span) for found in error.diagnostics]
    [('wrong_argument', '/name', (9, 14))]
    """


class BitmaskError(Xg2LabError, ValueError):
    """A bitmask or logits have a wrong dtype, shape, stride or device."""


class MatcherStateError(Xg2LabError):
    """The matcher's state does not allow the call: a rollback past its history, an accept after the end."""


class UnsupportedError(Xg2LabError):
    """A feature is refused by name, rather than weakened in silence."""


class LimitError(Xg2LabError):
    """A limit of size, time or memory was reached. The message names it and says how to raise it."""


class ModelLoadError(Xg2LabError):
    """A model or tokenizer cannot be loaded."""


class DeviceError(Xg2LabError):
    """A device that was requested and does not exist."""


class ToolCallError(Xg2LabError, ValueError):
    """An answer whose tool calls can't be read: `span` says where in it, in characters."""


class SessionError(Xg2LabError):
    """A step a session can't take."""


class PictureError(Xg2LabError):
    """A picture that can't be made here: the browser or the package that makes it is missing, or it failed."""


class DeserializeFormatError(Xg2LabError, ValueError):
    """A serialized text is damaged, or something else than was expected.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Grammar.deserialize_json("{}")
    ... except DeserializeFormatError as error:
    ...     print(error.message)
    this JSON is not a grammar: its "format" is None, not 'xg2lab.grammar'
    """


class DeserializeVersionError(Xg2LabError, ValueError):
    """A serialized text has another version.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Grammar.deserialize_json('{"format": "xg2lab.grammar", "__VERSION__": 1}')
    ... except DeserializeVersionError as error:
    ...     print(error.message)
    this grammar was written in version 1; only 2 can be read
    """


class InvalidJSONError(Xg2LabError, ValueError):
    """A text is not JSON.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Grammar.deserialize_json("{")
    ... except InvalidJSONError as error:
    ...     print(error.message.partition(":")[0])
    not JSON
    """


class InvalidStructuralTagError(Xg2LabError, ValueError):
    """A structural tag is not well-formed. `pointer` leads to the first mistake.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Grammar.from_structural_tag({"format": {"type": "any_txt"}})
    ... except InvalidStructuralTagError as error:
    ...     print(error.pointer, error.hint)
    /format/type did you mean `any_text`?
    """
