r"""Where rows are kept: a journal while the sweep runs, one file when it is done.

    OUT.partial        a line of settings, then a row a line, on the disk every few rows
    OUT                .jsonl or .parquet, in the order of the input, written whole

>>> import tempfile
>>> from xg2lab.integrations.sweep.rows import empty_row
>>> out = Path(tempfile.mkdtemp()) / "out.jsonl"
>>> with Journal(out, SweepOptions()) as journal:
...     journal.add({**empty_row("b", 2, "compiled"), "settings": SweepOptions().fingerprint})
>>> with Journal(out, SweepOptions()) as journal:  # as after a kill
...     "b" in journal, journal.finish({"b": 1}).name
(True, 'out.jsonl')
>>> [(row["id"], row["line"]) for row in read_rows(out)]
[('b', 1)]

IDEA
  Rows are appended, so a killed sweep leaves at worst one torn line, which is dropped. Parquet can't be appended to:
  the journal becomes a Parquet file once all rows are there, by a stream that holds one group of rows in memory. A
  sweep that continues a finished file copies its rows to a new journal first. Rows of other settings are never mixed.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from xg2lab.errors import ArgumentError, DeserializeFormatError
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.rows import SweepRow, arrow_schema

__all__ = ["Journal", "read_rows"]

_FORMAT = "xg2lab.sweep"
_VERSION = 1
_ROWS_TO_DISK = 64
_GROUP = 500  # rows of a group of a Parquet file
_OTHER = "give another --out, or --fresh to begin anew"


class Journal:
    """The rows of a sweep, those of earlier runs among them. A context manager: leaving it closes the file.

    Parameters
    ----------
    out : Path
        The result's file, .jsonl or .parquet.
    options : SweepOptions
        Rows of other options are refused.
    fresh : bool
        Whether to drop the rows of earlier runs.

    Raises
    ------
    ArgumentError
        The extension is another, or the file holds rows of other options.
    """

    def __init__(self, out: Path, options: SweepOptions, *, fresh: bool = False) -> None:
        if out.suffix not in (".jsonl", ".parquet"):
            raise ArgumentError(f"{out} is neither .jsonl nor .parquet", hint="give --out rows.parquet")
        if out.suffix == ".parquet":
            _require_pyarrow()
        self.out, self._settings = out, options.fingerprint
        self._path = out.with_name(out.name + ".partial")
        self._offsets: dict[str, int] = {}
        self._n_waiting = 0
        try:
            self._open(options, fresh=fresh)
        except OSError as error:
            raise ArgumentError(f"{out}: {error.strerror or error}", hint="give --out a file in a folder") from error

    def _open(self, options: SweepOptions, *, fresh: bool) -> None:
        if fresh:
            self._path.unlink(missing_ok=True)
        kept = self.out.exists() and not fresh and not self._path.exists()
        self._file: IO[bytes] = self._path.open("a+b")
        try:
            self._continue(options)
            if kept:
                for row in read_rows(self.out):
                    self._check(row["settings"], self.out)
                    self.add(row)
                self._to_disk()
        except BaseException:
            self._file.close()
            if kept:
                self._path.unlink(missing_ok=True)
            raise

    def _continue(self, options: SweepOptions) -> None:
        """Read what the journal has; write its first line if it has nothing."""
        self._file.seek(0)
        end = 0
        for line in self._file:
            values = _values(line)
            if values is None:
                break  # torn by a kill
            if end == 0:
                if values.get("format") != _FORMAT or values.get("version") != _VERSION:
                    raise ArgumentError(f"{self._path} is no journal of a sweep", hint=_OTHER)
                self._check(str(values.get("settings")), self._path)
            else:
                self._offsets[str(values["id"])] = end
            end += len(line)
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)
        if end == 0:
            head = {"format": _FORMAT, "version": _VERSION, "settings": self._settings, "options": options.to_wire()}
            self._write(head)
            self._to_disk()

    def _check(self, settings: str, path: Path) -> None:
        if settings != self._settings:
            raise ArgumentError(f"{path} has rows of a sweep with other settings", hint=_OTHER)

    def __contains__(self, row_id: str) -> bool:
        return row_id in self._offsets

    def __len__(self) -> int:
        return len(self._offsets)

    def add(self, row: SweepRow) -> None:
        """Append a row."""
        self._offsets[row["id"]] = self._file.seek(0, os.SEEK_END)
        self._write(row)
        self._n_waiting += 1
        if self._n_waiting >= _ROWS_TO_DISK:
            self._to_disk()

    def _write(self, values: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(values, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        self._file.flush()

    def _to_disk(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._n_waiting = 0

    def rows(self, lines: Mapping[str, int]) -> Iterator[SweepRow]:
        """Yield the rows in the order of `lines` (id to line), then those that it lacks."""
        known = sorted((row_id for row_id in self._offsets if row_id in lines), key=lines.__getitem__)
        for row_id in [*known, *(row_id for row_id in self._offsets if row_id not in lines)]:
            self._file.seek(self._offsets[row_id])
            row = cast("SweepRow", json.loads(self._file.readline()))
            row["line"] = lines.get(row_id, 0)
            yield row

    def finish(self, lines: Mapping[str, int]) -> Path:
        """Write the result's file, and remove the journal.

        Parameters
        ----------
        lines : dict of str to int
            The number of each row's line in the input, by id. A row that is not in it gets line 0, and comes last.

        Returns
        -------
        Path
            The file.
        """
        self._to_disk()
        part = self.out.with_name(f".{self.out.name[:100]}.{secrets.token_hex(8)}.part")
        try:
            if self.out.suffix == ".parquet":
                _write_parquet(part, self.rows(lines))
            else:
                with part.open("wb") as file:
                    for row in self.rows(lines):
                        file.write(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(self.out)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        self._file.close()
        self._path.unlink()
        return self.out

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._file.closed:
            self._to_disk()
            self._file.close()


def _values(line: bytes) -> dict[str, Any] | None:
    """A line's values; None for a torn one."""
    if not line.endswith(b"\n"):
        return None
    try:
        values = json.loads(line)
    except ValueError:
        return None
    return cast("dict[str, Any]", values) if isinstance(values, dict) else None


def _require_pyarrow() -> None:
    try:
        import pyarrow as pa  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise ArgumentError("Parquet needs pyarrow", hint="pip install xg2lab[sweep], or give --out rows.jsonl") from (
            error
        )


def _write_parquet(path: Path, rows: Iterator[SweepRow]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = arrow_schema().with_metadata({"xg2lab": _FORMAT})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        group: list[SweepRow] = []

        def write() -> None:
            writer.write_table(pa.Table.from_pylist(cast("list[Any]", group), schema=schema))
            group.clear()

        for row in rows:
            group.append(row)
            if len(group) == _GROUP:
                write()
        if group:
            write()


def read_rows(path: str | os.PathLike[str]) -> Iterator[SweepRow]:
    """Yield the rows of a finished sweep, or of one that is still running.

    Parameters
    ----------
    path : str or path
        A .parquet or .jsonl file that a sweep wrote, or its .partial.

    Yields
    ------
    SweepRow
        In the file's order; only a group of rows is in memory.

    Raises
    ------
    ArgumentError
        There is no such file.
    DeserializeFormatError
        The file is no result of a sweep.

    >>> list(read_rows("no_such_file.jsonl"))
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: no_such_file.jsonl: No such file or directory
      hint: give the --out of a sweep
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
            file.seek(0)
            if is_parquet:
                yield from _of_parquet(path)
                return
            for number, line in enumerate(file, 1):
                values = _values(line)
                if values is None and path.suffix == ".partial":
                    return  # the last line is being written
                if number == 1 and values is not None and values.get("format") == _FORMAT:
                    continue
                if values is None or not SweepRow.__annotations__.keys() <= values.keys():
                    raise _no_result(path, f"line {number} is no row")
                yield cast("SweepRow", values)
    except OSError as error:
        raise ArgumentError(f"{path}: {error.strerror or error}", hint="give the --out of a sweep") from error


def _of_parquet(path: Path) -> Iterator[SweepRow]:
    _require_pyarrow()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            if (file.schema_arrow.metadata or {}).get(b"xg2lab") != _FORMAT.encode():
                raise _no_result(path, "it has other columns")
            for batch in file.iter_batches(_GROUP):
                yield from cast("list[SweepRow]", batch.to_pylist())
    except pa.ArrowException as error:
        raise _no_result(path, str(error).splitlines()[0][:200]) from error


def _no_result(path: Path, why: str) -> DeserializeFormatError:
    return DeserializeFormatError(f"{path} is no result of a sweep: {why}", hint="give the --out of a sweep")
