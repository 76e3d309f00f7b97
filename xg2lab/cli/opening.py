"""`xg2lab open FILE`: a saved session in the browser, without Jupyter, a kernel or a network.

    xg2lab open run.json.gz               write a page that replays the trace, and open it in the browser
    xg2lab open run.json.gz --out a.html  write the page, and open nothing
    xg2lab open run.json.gz --print       print each step, and why tokens were blocked, with their lines of the grammar
    xg2lab open run.json.gz --vocabulary v.json    draw the masks too: what TokenizerInfo.serialize_json() returned
    xg2lab open lesson.html               open a page that `export_html` wrote; --print reads the trace in it
    xg2lab open one.xgflight              print what a server recorded of a request: the refused token, and why
    xg2lab open one.xgflight --out a.html write the page that replays the request

A FILE is a trace that `Trace.save` wrote (.json or .json.gz), a page that `export_html` wrote, or a flight that a
`FlightRecorder` wrote (.xgflight). Its contents tell.
See also: `xg2lab.widgets.export_html`, which makes the page; `xg2lab.lab.open_flight`, the same in a notebook.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import io
import re
import tempfile
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from xg2lab.cli.commands import read_data, read_text
from xg2lab.cli.terminal import is_colored, paint, say
from xg2lab.errors import ArgumentError, DeserializeFormatError, VocabularyError, Xg2LabError
from xg2lab.support.files import MOST_BYTES, read_stream, write_file

if TYPE_CHECKING:
    from xg2lab.flight import FlightRecord
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session
    from xg2lab.lab.trace.steps import Step
    from xg2lab.lab.trace.trace import Trace
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["run_open"]

_PART = re.compile(rb'<script type="text/plain" id="xg2lab-trace">([^<]*)</script>')
_HINT = "give a .json or .json.gz that Trace.save() wrote, or a page that export_html() wrote"
_HINT_OF_TRACES = "leave it out; it is for the page that is made of a trace"
#: Lines of the grammar that are printed below a reason.
_MOST_LINES = 3


class _Opened(NamedTuple):
    """A file that was read: its trace, and the page if the file is one."""

    trace: Trace
    page: bytes | None


def run_open(arguments: argparse.Namespace) -> int:
    """Run `xg2lab open FILE`: show a saved trace or an exported page in the browser, or print it; or print a flight."""
    from xg2lab.flight import is_flight

    data = read_data(arguments.file)
    if is_flight(data):
        return _run_flight(data, arguments)
    opened = _read(arguments.file, data)
    of_trace = {"--vocabulary": arguments.vocabulary, "--views": arguments.views, "--max-bytes": arguments.max_bytes}
    given = [name for name, value in of_trace.items() if value is not None]
    is_printed_only = arguments.print and arguments.out is None
    if given and (opened.page is not None or is_printed_only):
        what = "is a page already" if opened.page is not None else "is only printed"
        raise ArgumentError(f"{arguments.file} {what}: {', '.join(given)} would have no effect", hint=_HINT_OF_TRACES)
    if arguments.print:
        say("\n".join(_told(opened.trace)))
    if is_printed_only:
        return 0
    path = _write(opened, arguments)
    if arguments.out is not None:
        return 0
    say(f"the page is {path}")
    if webbrowser.open(path.as_uri()):
        return 0
    say("no browser was found on this machine: open the page in one, or write it elsewhere with --out")
    return 1


def _read(path: str, data: bytes) -> _Opened:
    from xg2lab.lab.trace.trace import Trace

    begin = data.lstrip()[:1]
    found = _PART.search(data) if begin == b"<" else None
    if begin != b"{" and found is None:
        raise DeserializeFormatError(f"{path} is neither a saved trace nor an exported page", hint=_HINT)
    try:
        text = (
            data
            if found is None
            else read_stream(io.BytesIO(base64.b64decode(found[1], validate=True)), MOST_BYTES, path)
        )
        return _Opened(Trace.from_json(text), None if found is None else data)
    except binascii.Error as error:
        raise DeserializeFormatError(f"{path} holds a damaged recording: {error}", hint=_HINT) from error
    except DeserializeFormatError as error:
        raise DeserializeFormatError(f"{path}: {error.message}", pointer=error.pointer, hint=_HINT) from error


def _write(opened: _Opened, arguments: argparse.Namespace) -> Path:
    """Write the page: to --out, or to a folder of its own among the temporary files."""
    if opened.page is not None and arguments.out is None:
        return Path(arguments.file).resolve()
    stem = re.sub(r"(\.json)?(\.gz)?$|\.html?$", "", Path(arguments.file).name) or "trace"
    out = Path(arguments.out or Path(tempfile.mkdtemp(prefix="xg2lab-")) / f"{stem}.html").resolve()
    page = opened.page
    return _written(out, lambda: _export(opened.trace, out, arguments) if page is None else write_file(out, page))


def _written(out: Path, write: Callable[[], Path]) -> Path:
    """Write a page. Raises ArgumentError for a place that can't be written."""
    try:
        return write()
    except OSError as error:
        if isinstance(error, Xg2LabError):
            raise
        raise ArgumentError(
            f"{out}: {error.strerror or error}", hint="--out names a file in a folder that exists"
        ) from error


def _export(trace: Trace | Session, out: Path, arguments: argparse.Namespace) -> Path:
    """Write the page of a trace, with the vocabulary of --vocabulary, or of a session, which has its own."""
    from xg2lab.lab.trace.trace import Trace

    try:
        from xg2lab.widgets.export import MAX_BYTES, export_html
    except ImportError as error:
        hint = "pip install xg2lab[widgets]; --print needs no package"
        raise ArgumentError(f"a page needs {error.name}, which is not installed", hint=hint) from error
    return export_html(
        trace,
        out,
        views=tuple(arguments.views or ["workbench"]),
        max_bytes=MAX_BYTES if arguments.max_bytes is None else arguments.max_bytes,
        tokenizer_info=_vocabulary(arguments) if isinstance(trace, Trace) else None,
    )


def _vocabulary(arguments: argparse.Namespace) -> TokenizerInfo | None:
    """The tokenizer of --vocabulary."""
    from xg2lab.tokenizer_info import TokenizerInfo

    file = arguments.vocabulary
    return None if file is None else TokenizerInfo.deserialize_json(read_text(file))


# ---- A flight -----------------------------------------------------------------------------------


def _run_flight(data: bytes, arguments: argparse.Namespace) -> int:
    """Print a flight, and write the page of --out."""
    from xg2lab.flight import FlightRecord, tokenizer_beside
    from xg2lab.lab.session.flights import of_flight

    of_page = {"--views": arguments.views, "--max-bytes": arguments.max_bytes}
    given = [name for name, value in of_page.items() if value is not None]
    if given and arguments.out is None:
        message = f"{arguments.file} is only printed: {', '.join(given)} would have no effect"
        raise ArgumentError(message, hint="--out PAGE writes the page that replays the flight")
    record = FlightRecord.from_json(data, name=arguments.file)
    wanted = record.tokenizer.fingerprint
    info = _vocabulary(arguments) or tokenizer_beside(arguments.file, wanted)
    if info is None:
        raise VocabularyError(
            f"the flight's tokenizer has the fingerprint {wanted:.64}, and no tokenizer-{wanted:.64}.json.gz is beside"
            f" {arguments.file}",
            hint="--vocabulary FILE has what TokenizerInfo.serialize_json() of the served model's tokenizer returned",
        )
    session = of_flight(record, info)
    say("\n".join(_told_of_flight(record, session)))
    if arguments.out is not None:
        out = Path(arguments.out).resolve()
        _written(out, lambda: _export(session, out, arguments))
    return 0


def _told_of_flight(record: FlightRecord, session: Session) -> list[str]:
    """The facts of the request; the refused token with its step, byte, reason and line; the slowest masks."""
    out = [*session.trace.notes]
    found = session.replayed
    if found is not None:
        head, *lines = str(found).splitlines()
        out += ["", paint(head, "hint" if found.is_accepted else "bad", is_colored=is_colored()), *lines]
    slowest = record.times.slowest[:_MOST_LINES]
    if slowest:
        out += ["", "the slowest masks:", *(f"  step {step}: {us / 1000:.3f} ms" for step, us in slowest)]
    return out


# ---- In the terminal ----------------------------------------------------------------------------


def _told(trace: Trace) -> list[str]:
    """The table of steps, and below it each recorded reason: step, byte, token, sentence, lines of the grammar."""
    out = repr(trace).splitlines()
    reasons = [line for step in trace.steps for line in _reasons(trace, step)]
    if trace.broke is not None:
        broke = trace.broke
        head = f"step {broke['step']}, byte {broke['byte']}: {broke['text']!r} left the grammar"
        reasons += [paint(head, "bad", is_colored=is_colored()), f"  {broke['reason']}"]
        reasons += _grammar_lines(trace, broke["expected_by"])
    if not reasons:
        reasons = [
            "no reasons were recorded: a session without a model records none, and its export_html() asks for them"
        ]
    return [*out, "", *reasons]


def _reasons(trace: Trace, step: Step) -> list[str]:
    """Why the most probable of the explained candidates was blocked."""
    explained = [why for why in step.explain.values() if not why["allowed"]]
    if not explained:
        return []
    p: dict[int | None, float | None] = {candidate.token_id: candidate.p for candidate in step.top}
    why = max(explained, key=lambda one: p.get(one["token_id"]) or 0.0)
    byte = step.byte_begin + (why["died_at"] or 0)
    share = p.get(why["token_id"])
    wanted = "" if share is None else f" (p {share:.2g})"
    head = f"step {step.index}, byte {byte}: {why['text']!r}{wanted} is blocked"
    lines = _grammar_lines(trace, why["expected_by"])
    return [paint(head, "hint", is_colored=is_colored()), f"  {why['reason']}", *lines]


def _grammar_lines(trace: Trace, items: list[schema.ExpectedBy]) -> list[str]:
    """The lines of the grammar that expected something else."""
    text = trace.header["grammar"]["text"].split("\n")
    numbers = list(dict.fromkeys(item["line"] for item in items if "line" in item))
    width = len(str(max(numbers, default=0)))
    shown = [f"  {number:>{width}} | {text[number - 1]}" for number in numbers[:_MOST_LINES] if number <= len(text)]
    more = len(numbers) - len(shown)
    return shown if more <= 0 else [*shown, f"  … {more} more lines of the grammar"]
