"""The append-only record of a session: every decision, what was known when it was taken, and what was taken back.

>>> trace = Trace(header("demo", vocab_size=3))
>>> trace.begin(Step(index=0, n_allowed=2))
>>> trace.decide(Step(index=0, kind="forced_by_user", token_id=1, text="[", bytes="5b", n_bytes=1, n_allowed=2))
>>> trace.begin(Step(index=1, byte_begin=1))
>>> trace.roll_back(0).steps[0].text, trace.pending.index, trace.n_decided
('[', 0, 0)
>>> Trace.from_wire(trace.to_wire()) == trace
True

IDEA
  Every view draws (trace, cursor), live or from a file, with no engine and no model. So a trace holds decided facts
  only: JSON values and byte arrays. Nothing leaves it: a rollback moves decisions to a branch.

INVARIANTS
  I1  steps[i].index == i, and only the last step may be pending.
  I2  steps[i+1].byte_begin == steps[i].byte_begin + steps[i].n_bytes, and steps[0] begins at byte 0.
  I3  0 <= branch.at <= the number of decided steps at the time it was made; branches stand in the order of time.
  I4  len(columns) <= 1 + the bytes of the output.
  I5  ways are of recorded items, each item's once, in the order of columns.
  I6  active operators are of the recorded tree.
  I7  the chart as written keeps I4 and I5, and its items are of its own program.
  I8  the numbers of annotations go up, and each is about a step, a token of a step, or a rule.

THREADS  One writer (the session, under its lock). Readers may come from any thread: lists only grow or are replaced.
See also `xg2lab.lab.session.session`, `docs/design/0002-trace.md`.
"""

from __future__ import annotations

import gzip
import json
import os
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from xg2lab.errors import DeserializeFormatError, DeserializeVersionError, LimitError, SessionError, UnsupportedError
from xg2lab.lab.trace.annotations import check_annotations
from xg2lab.lab.trace.as_written import AsWritten
from xg2lab.lab.trace.bulk import Bulk, BulkStore
from xg2lab.lab.trace.invariants import (
    check_active,
    check_as_written,
    check_beams,
    check_lane,
    check_operators,
    check_program,
    check_ways,
)
from xg2lab.lab.trace.lanes import LANES, Lanes
from xg2lab.lab.trace.steps import Branch, Step
from xg2lab.lab.trace.table import trace_table
from xg2lab.lab.trace.values import fail, shown
from xg2lab.support.files import MOST_BYTES, read_file, write_file

if TYPE_CHECKING:
    from xg2lab.lab import schema

__all__ = ["VERSION", "Branch", "Step", "Trace", "header"]

VERSION = 1
#: Of JSON: a value takes 16 bytes of the bound, as it takes about 64 in memory; files of few
#: values are never refused.
BYTES_A_VALUE, LEAST_VALUES = 16, 10_000
#: Of a vocabulary: as many as the engine takes.
MOST_TOKENS = 1 << 24
_NUMBERS = ("index", "byte_begin", "n_bytes", "n_allowed", "token_id", "rank", "p", "q", "z", "kl")
_COSTS = ("mask_us", "model_ms", "accept_us", "n_built", "n_adapted", "n_checked")


def header(name: str, *, vocab_size: int) -> schema.Header:
    """Return the header of a trace of which nothing else is known, every field present.

    `xg2lab.lab.schema.Header` describes the fields. `{**header("demo", vocab_size=3), "prompt": "Hi"}` says more.

    Parameters
    ----------
    name : str
        The session's name.
    vocab_size : int
        The number of token ids.
    """
    return {
        "name": name,
        "model": None,
        "vocab_size": vocab_size,
        "grammar": {"text": "", "root": "root"},
        "template": None,
        "options": {},
        "sampling": {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "seed": 0},
        "constrained": True,
        "compile_us": None,
        "prompt": "",
        "most_tokens": None,
        "messages": None,
        "overlap": None,
        "compile_lane": None,
        "compile_passes": None,
    }


class Trace:
    """The record of one session: every decision, and what was known when it was taken.

    `steps`, `branches`, `columns`, `ways`, `notes` and `annotations` are to be read, not changed: only the session
    writes.

    Parameters
    ----------
    header : dict
        Facts about the session, as `xg2lab.lab.trace.trace.header` lists them.
    program : dict, optional
        The compiled grammar as plain values, `CompiledGrammar.program()`.
    bulk_bytes : int
        How many bytes of provenance and probabilities to keep, compressed, over all steps. The oldest go first.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> steps = session.force("a")
    >>> trace = session.trace
    >>> [step.text for step in trace.steps], trace.pending.index, trace.n_decided, trace.output_bytes
    (['a', ''], 1, 1, b'a')
    >>> trace.data()["n_allowed"].tolist()
    [1.0, 1.0]
    >>> Trace.from_wire(trace.to_wire()) == trace
    True

    See also: docs/design/0002-trace.md.
    """

    def __init__(
        self, header: schema.Header, program: schema.Program | None = None, *, bulk_bytes: int = 64 << 20
    ) -> None:
        self.header = header
        self.program: schema.Program = program or {"root": 0, "rules": [], "states": [], "edges": []}
        self.steps: list[Step] = []
        self.branches: list[Branch] = []
        self.columns: list[list[list[int]]] = []
        self.ways: list[list[int]] = []
        self.operators: schema.Operators | None = None  # the tree, or why there is none; None: not recorded
        self.as_written: AsWritten | None = None  # None: not recorded
        self.beams: dict[int, schema.WireBeam] = {}  # by step, of the steps that were asked about last
        self.annotations: list[schema.Annotation] = []
        self.notes: list[str] = []
        self.broke: schema.Broke | None = None
        self.bulk = BulkStore(bulk_bytes)

    # ---- Reading --------------------------------------------------------------------------------

    @property
    def pending(self) -> Step | None:
        """The decision that is still to be taken; None if the output has ended."""
        return self.steps[-1] if self.steps and self.steps[-1].is_pending else None

    @property
    def n_decided(self) -> int:
        """How many tokens have been chosen."""
        return len(self.steps) - (self.pending is not None)

    @property
    def output_bytes(self) -> bytes:
        """The bytes of the chosen tokens."""
        return bytes.fromhex("".join([step.bytes for step in self.steps]))

    @property
    def n_bytes(self) -> int:
        """The length of the output in bytes."""
        return self.steps[-1].byte_begin + self.steps[-1].n_bytes if self.steps else 0

    def data(self) -> dict[str, npt.NDArray[Any]]:
        """Return the steps as columns.

        Returns
        -------
        dict of str to numpy.ndarray, shape (n_steps,)
            Columns by the names of `Step`'s fields: numbers as float64, with NaN for unknown values; `kind`, `text` and
            `cache` as strings. `model_begin_ns`, `model_end_ns` and the same pairs of `mask`, `apply` and `sample` are
            nanoseconds on the session's clock. `wait_ns` is the part of the mask's time that the forward pass did not
            cover.
        """
        steps = list(self.steps)
        columns: dict[str, npt.NDArray[Any]] = {
            name: np.array([np.nan if (v := getattr(s, name)) is None else v for s in steps], np.float64)
            for name in (*_NUMBERS, *_COSTS)
        }
        lanes = [step.lanes or Lanes() for step in steps]
        for name in LANES:
            ends = np.array([getattr(lane, name) or (np.nan, np.nan) for lane in lanes], np.float64).reshape(-1, 2)
            columns[f"{name}_begin_ns"], columns[f"{name}_end_ns"] = ends[:, 0].copy(), ends[:, 1].copy()
        columns["wait_ns"] = np.array([np.nan if lane.wait_ns is None else lane.wait_ns for lane in lanes], np.float64)
        for name in ("kind", "text", "cache"):
            columns[name] = np.array([getattr(s, name) or "" for s in steps], dtype=np.str_)
        return columns

    def __repr__(self) -> str:
        return trace_table(self)

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self.to_wire() == other.to_wire()

    __hash__ = None  # type: ignore[assignment]  # it grows

    def snapshot(self) -> Trace:
        """Copy the trace, without bulk. The copy stays as it is while the trace grows.

        Returns
        -------
        Trace
            It shares steps and columns with the trace.

        >>> trace = Trace(header("demo", vocab_size=3))
        >>> copy = trace.snapshot()
        >>> trace.begin(Step(index=0))
        >>> len(copy), len(trace)
        (0, 1)
        """
        made = Trace(self.header, self.program, bulk_bytes=0)
        made.steps, made.branches, made.columns = list(self.steps), list(self.branches), list(self.columns)
        made.ways, made.notes, made.annotations = list(self.ways), list(self.notes), self.annotations
        made.operators, made.broke, made.beams = self.operators, self.broke, dict(self.beams)
        written = self.as_written
        made.as_written = None if written is None else written.cut(len(written.columns))
        return made

    def drawn_as_written(self) -> Trace:
        """Return the trace with the program and the chart of the grammar as written, for derivations and drawings.

        Returns
        -------
        Trace
            A copy without bulk. The trace itself, if the grammar as written is not recorded or too large.

        >>> trace = Trace(header("demo", vocab_size=3))
        >>> trace.drawn_as_written() is trace
        True
        """
        written = self.as_written
        if written is None or written.program is None:
            return self
        made = self.snapshot()
        made.program, made.columns, made.ways = written.program, list(written.columns), list(written.ways)
        made.as_written = None
        return made

    # ---- Writing: only the session does ---------------------------------------------------------

    def begin(self, step: Step) -> None:
        """Append a pending step. Only the session calls this.

        Parameters
        ----------
        step : Step
            A step without a token, with the next index.

        Raises
        ------
        SessionError
            The step breaks invariant I1 or I2 of the trace.

        >>> trace = Trace(header("demo", vocab_size=3))
        >>> trace.begin(Step(index=0))
        >>> trace.pending.index
        0
        """
        if self.pending is not None or step.index != len(self.steps) or not step.is_pending:
            raise SessionError(f"invariant I1 of the trace: step {step.index} can't follow {len(self.steps)} steps")
        if step.byte_begin != self.n_bytes:
            raise SessionError(f"invariant I2 of the trace: step {step.index} begins at {step.byte_begin}")
        self.steps.append(step)

    def decide(self, step: Step) -> None:
        """Replace the pending step by one with a token, or by one that is pending too, with new figures.

        Parameters
        ----------
        step : Step
            A step with the index and the first byte of the pending one.

        Raises
        ------
        SessionError
            The step is not the pending one (invariant I1).

        >>> trace = Trace(header("demo", vocab_size=3))
        >>> trace.begin(Step(index=0))
        >>> trace.decide(Step(index=0, kind="sampled", token_id=1, text="[", bytes="5b", n_bytes=1))
        >>> trace.pending is None, trace.output_bytes
        (True, b'[')
        """
        pending = self.pending
        if pending is None or (step.index, step.byte_begin) != (pending.index, pending.byte_begin):
            raise SessionError(f"invariant I1 of the trace: step {step.index} is not the pending one")
        self.steps[-1] = step

    def roll_back(self, at: int) -> Branch:
        """Make step `at` pending again. The decisions from there on move to a new branch.

        Parameters
        ----------
        at : int
            The index of a decided step.

        Returns
        -------
        Branch
            The new branch, which is the last of `branches`.

        Raises
        ------
        SessionError
            There is no such decision.

        >>> trace = Trace(header("demo", vocab_size=3))
        >>> trace.begin(Step(index=0))
        >>> trace.decide(Step(index=0, kind="sampled", token_id=1, text="[", bytes="5b", n_bytes=1))
        >>> trace.roll_back(0).steps[0].text, trace.pending.index
        ('[', 0)
        """
        if not 0 <= at < self.n_decided:
            raise SessionError(f"there is no decision {at} to take back: {self.n_decided} were taken")
        branch = Branch(at, tuple(step for step in self.steps[at:] if not step.is_pending))
        self.branches.append(branch)
        self.steps = [*self.steps[:at], self.steps[at].undecided()]
        self.columns = self.columns[: self.n_bytes + 1]
        self.ways = self.ways[: bisect_left(self.ways, [len(self.columns)])]
        if self.as_written is not None:
            self.as_written = self.as_written.cut(self.n_bytes + 1)
        self.beams = {step: beam for step, beam in self.beams.items() if step <= at}
        self.bulk.drop_from(at + 1)
        return branch

    def ways_from(self, column: int) -> list[list[int]]:
        """List the items that were made in several ways, from one column on.

        Parameters
        ----------
        column : int
            The first column.

        Returns
        -------
        list of list of int
            A row an item: column, index, number of other ways, and five numbers for each way that was kept (operation,
            source column and index, child column and index).

        >>> Trace(header("demo", vocab_size=3)).ways_from(0)
        []
        """
        return self.ways[bisect_left(self.ways, [column]) :]

    def note(self, sentence: str) -> None:
        """Record once what this trace leaves out.

        Parameters
        ----------
        sentence : str
            A sentence for readers of the trace.

        >>> trace = Trace(header("demo", vocab_size=3))
        >>> trace.note("no probabilities before step 7")
        >>> trace.note("no probabilities before step 7")
        >>> trace.notes
        ['no probabilities before step 7']
        """
        if sentence not in self.notes:
            self.notes.append(sentence)

    # ---- The wire -------------------------------------------------------------------------------

    def to_wire(self, *, bulk: bool = True) -> schema.TraceFile:
        """Return the trace as JSON values.

        Parameters
        ----------
        bulk : bool
            Whether to include the two arrays of each step that have a value for every token.

        Returns
        -------
        dict
            The fields that docs/design/0002-trace.md lists.
        """
        wire: schema.TraceFile = {
            "version": VERSION,
            "header": self.header,
            "program": self.program,
            "steps": [step.to_wire() for step in list(self.steps)],
            "branches": [branch.to_wire() for branch in list(self.branches)],
            "chart": {"columns": list(self.columns)},
            "notes": list(self.notes),
            "broke": self.broke,
        }
        if self.ways:
            wire["chart"]["ways"] = list(self.ways)
        if self.operators is not None:
            wire["operators"] = self.operators
        if self.as_written is not None:
            wire["as_written"] = self.as_written.to_wire()
        if self.annotations:
            wire["annotations"] = list(self.annotations)
        if self.beams:
            wire["beams"] = {str(step): beam for step, beam in self.beams.items()}
        if bulk:
            wire["bulk"] = {str(index): entry.to_wire() for index, entry in self.bulk.items()}
        return wire

    @classmethod
    def from_wire(cls, value: object) -> Trace:
        """Read what `to_wire` returned.

        Parameters
        ----------
        value : dict
            JSON values, from this version or an earlier one.

        Returns
        -------
        Trace
            It equals the trace that was written.

        Raises
        ------
        DeserializeVersionError
            The value has another version.
        DeserializeFormatError
            The value is not a trace, or is damaged. `pointer` is the JSON Pointer of the field.
        """
        from xg2lab.lab import schema
        from xg2lab.lab.trace.reading import checked

        if not isinstance(value, dict) or "version" not in value:
            fail("", 'an object with a "version"', value)  # pyright: ignore[reportUnknownArgumentType]
        version = cast("dict[str, object]", value)["version"]
        if type(version) is not int or version != VERSION:
            named = version if isinstance(version, int) and abs(version) < MOST_TOKENS else shown(version)
            raise DeserializeVersionError(
                f"the trace is of version {named}, this xg2lab reads {VERSION}",
                pointer="/version",
                hint="read it with the xg2lab that wrote it",
            )
        return cls._of_record(checked(schema.TraceFile, value))  # pyright: ignore[reportUnknownArgumentType]

    @classmethod
    def _of_record(cls, wire: schema.TraceFile) -> Trace:
        """Return the trace of a record that was checked."""
        if wire["header"]["vocab_size"] > MOST_TOKENS:
            fail("/header/vocab_size", f"0 to {MOST_TOKENS}", wire["header"]["vocab_size"])
        check_lane(wire["header"].get("compile_lane"), "/header/compile_lane")
        check_program(wire["program"])
        blank = header("", vocab_size=0)
        trace = cls(cast("schema.Header", {**blank, **wire["header"]}), wire["program"])
        trace.steps = [Step.of_record(step, f"/steps/{i}") for i, step in enumerate(wire["steps"])]
        trace.branches = [Branch.of_record(branch, f"/branches/{i}") for i, branch in enumerate(wire["branches"])]
        trace.columns, trace.ways = wire["chart"]["columns"], wire["chart"].get("ways", [])
        trace.notes, trace.broke, trace.operators = wire["notes"], wire["broke"], wire.get("operators")
        if (written := wire.get("as_written")) is not None:
            trace.as_written = AsWritten.of_record(written)
        trace.beams = {beam["step"]: beam for beam in wire.get("beams", {}).values()}
        trace.annotations = wire.get("annotations", [])
        trace._check_invariants()
        for key, entry in wire.get("bulk", {}).items():
            trace.bulk.put(int(key), Bulk.from_wire(wire["header"]["vocab_size"], entry, f"/bulk/{key}"))
        return trace

    def save(self, path: str | os.PathLike[str], *, bulk: bool = True) -> Path:
        """Write the trace to a file. An existing file of that name is replaced as a whole.

        Parameters
        ----------
        path : str or path
            A name that ends in `.json` or `.json.gz`.
        bulk : bool
            As for `to_wire`.

        Returns
        -------
        pathlib.Path
            The path.

        Raises
        ------
        UnsupportedError
            The name ends otherwise.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Trace(header("demo", vocab_size=3)).save(f"{folder}/demo.json.gz")
        ...     Trace.load(path).header["name"]
        'demo'
        """
        path = Path(path)
        if not path.name.endswith((".json", ".json.gz")):
            raise UnsupportedError(f"a trace is not saved as {path.name!r}", hint="end the name in .json or .json.gz")
        text = json.dumps(self.to_wire(bulk=bulk), ensure_ascii=False, allow_nan=False)
        data = text.encode("utf-8", "backslashreplace")  # half of a surrogate pair becomes an escape of JSON
        return write_file(path, gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> Trace:
        """Read a file that `save` wrote.

        Parameters
        ----------
        path : str or path
            The file.
        max_bytes : int
            The largest file to read, in bytes after unpacking; 256 MiB by default. A file may also hold one JSON value
            for each 16 bytes of it.

        Returns
        -------
        Trace
            The trace that was saved.

        Raises
        ------
        LimitError
            The file holds more. Nothing beyond the bound is unpacked, however well the file is compressed.
        DeserializeFormatError, DeserializeVersionError
            As `from_wire`; the former also for a file that is not JSON.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Trace(header("demo", vocab_size=3)).save(f"{folder}/demo.json")
        ...     len(Trace.load(path))
        0
        """
        return cls.from_json(read_file(path, max_bytes), name=Path(path).name, max_bytes=max_bytes)

    @classmethod
    def from_json(cls, data: bytes, *, name: str = "the text", max_bytes: int = MOST_BYTES) -> Trace:
        """Read the bytes of a file that `save` wrote, unpacked.

        Parameters
        ----------
        data : bytes
            JSON, as UTF-8.
        name : str
            What errors call it.
        max_bytes : int
            It may hold one JSON value for each 16 bytes of this bound.

        Returns
        -------
        Trace
            The trace that was saved.

        Raises
        ------
        LimitError
            It holds more values.
        DeserializeFormatError, DeserializeVersionError
            As `from_wire`; the former also for bytes that are not JSON.

        >>> import json
        >>> text = json.dumps(Trace(header("demo", vocab_size=3)).to_wire())
        >>> len(Trace.from_json(text.encode()))
        0
        """
        if data.count(b",") + data.count(b"[") + data.count(b"{") > max(max_bytes // BYTES_A_VALUE, LEAST_VALUES):
            raise LimitError(
                f"{name} has more than {max_bytes // BYTES_A_VALUE} values",
                hint="if it is meant to have that many, raise max_bytes",
            )
        from xg2lab.lab import schema
        from xg2lab.lab.trace.reading import checked_json

        record = checked_json(schema.TraceFile, data)
        if record is not None:
            return cls._of_record(record)
        try:
            wire = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise DeserializeFormatError(
                f"{name} is not a saved trace: {error}", hint="give a .json or .json.gz that Trace.save() wrote"
            ) from error
        return cls.from_wire(wire)

    def _check_invariants(self) -> None:
        """I1 to I8, for a trace from outside."""
        position = 0
        for i, step in enumerate(self.steps):
            if step.index != i:
                fail(f"/steps/{i}/index", str(i), step.index)
            if step.is_pending and i != len(self.steps) - 1:
                fail(f"/steps/{i}/kind", "set in every step but the last", step.kind)
            if step.byte_begin != position:
                fail(f"/steps/{i}/byte_begin", str(position), step.byte_begin)
            position += step.n_bytes
        for i, branch in enumerate(self.branches):
            for k, step in enumerate(branch.steps):
                if step.index != branch.at + k:
                    fail(f"/branches/{i}/steps/{k}/index", str(branch.at + k), step.index)
        if len(self.columns) > self.n_bytes + 1:
            fail("/chart/columns", f"at most {self.n_bytes + 1} columns", len(self.columns))
        check_ways(self.columns, self.ways)
        if self.as_written is not None:
            check_as_written(self.as_written, self.n_bytes)
        check_beams(self.beams)
        check_annotations(self.annotations, self.header["vocab_size"])
        if self.operators is not None:
            check_operators(self.operators)
        check_active(self.operators, [step.operators for step in self.steps])
