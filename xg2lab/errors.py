"""The exceptions of xg2lab: each points at a place, explains, and suggests a remedy.

>>> try:
...     raise GrammarError("rule `a` is not defined", hint="define it: a ::= ...")
... except Xg2LabError as error:
...     error.hint
'define it: a ::= ...'

All derive from `Xg2LabError`, and that from `RuntimeError`, because code written for the field's usual API
catches the latter. The engine raises the same classes: its error kinds bear these names.
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

#: What can't be seen, or turns the text around it: controls but for tab and line feed, format characters, fillers.
#: The same stand in core/support/visible.cc.
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

    `span` counts bytes, `line` and `column` count from 1 (column: code points). `pointer` is the JSON Pointer of what
    is meant: a value in the text, if that is JSON and `xg2lab.lint` found its place, or an argument of a template.
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
    """Anything xg2lab refuses.

    `diagnostics` lists every finding, `span` and `hint` are those of the first; `source` is the text that spans point
    into. In a notebook the traceback ends at the line of the cell that led to it: where in xg2lab it was noticed is no
    part of what the author of a grammar has to read (`traceback.print_exc()` has it all).
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
        """What IPython shows: its own traceback, up to where xg2lab was called."""
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
    """The text of a grammar can't be read."""


class GrammarError(Xg2LabError, ValueError):
    """A grammar that can be read and can't be used: an undefined rule, one that never matches."""


class VocabularyError(Xg2LabError, ValueError):
    """A vocabulary that doesn't fit the model or the call: sizes, token ids out of range."""


class ArgumentError(Xg2LabError, ValueError):
    """Arguments that don't fit together: lists of different lengths, the same matcher twice, an index of no node."""


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
    """Arguments that don't fit a template. Each of `diagnostics` has a place in the template and in the arguments.

    >>> import xg2lab as xgr
    >>> try:
    ...     xgr.Template.from_ebnf("root ::= $name").write_out(name=3)
    ... except xgr.TemplateArgumentError as error:
    ...     [(found.code, found.pointer, found.span) for found in error.diagnostics]
    [('wrong_argument', '/name', (9, 14))]
    """


class BitmaskError(Xg2LabError, ValueError):
    """A bitmask or logits of a wrong dtype, shape, stride or device."""


class MatcherStateError(Xg2LabError):
    """A call the matcher can't serve in its state: rollback past its history, accept after termination."""


class UnsupportedError(Xg2LabError):
    """A feature that is named and refused rather than weakened in silence."""


class LimitError(Xg2LabError):
    """A limit of size, time or memory was reached; the message names it and how to raise it."""


class ModelLoadError(Xg2LabError):
    """A model or tokenizer that can't be loaded."""


class DeviceError(Xg2LabError):
    """A device that is asked for and isn't there."""


class ToolCallError(Xg2LabError, ValueError):
    """An answer whose tool calls can't be read: `span` says where in it, in characters."""


class SessionError(Xg2LabError):
    """A step a session can't take."""


class PictureError(Xg2LabError):
    """A picture that can't be made here: the browser or the package that makes it is missing, or it failed."""


class DeserializeFormatError(Xg2LabError, ValueError):
    """Serialized text whose form is not ours."""


class DeserializeVersionError(Xg2LabError, ValueError):
    """Serialized text of another version."""


class InvalidJSONError(Xg2LabError, ValueError):
    """Text that is not JSON."""


class InvalidStructuralTagError(Xg2LabError, ValueError):
    """A structural tag that is not well-formed."""
