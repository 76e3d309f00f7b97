r"""The sweep: lines in, rows out, by processes of this machine or by Ray; continued where an earlier run was killed.

>>> import json, tempfile
>>> from pathlib import Path
>>> folder = Path(tempfile.mkdtemp())
>>> schemas = [{"type": "integer"}, {"type": "array", "items": {"type": "string"}, "uniqueItems": True}]
>>> _ = (folder / "in.jsonl").write_text("\n".join(map(json.dumps, schemas)))
>>> print(sweep(folder / "in.jsonl", folder / "out.jsonl", workers=1, quiet=True).verdicts)
Counter({'compiled': 1, 'refused': 1})

The same function does a row in both runners: `xg2lab.integrations.sweep.measuring.measured`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xg2lab.errors import ArgumentError
from xg2lab.integrations.sweep.cases import Line, count_lines, read_lines
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.results import Journal
from xg2lab.integrations.sweep.rows import SweepRow
from xg2lab.integrations.sweep.summary import SweepSummary, summarize
from xg2lab.integrations.sweep.worker import ClosedError, RowWorker
from xg2lab.support.files import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["one_row", "sweep", "vocabulary_text"]

MOST_WORKERS = 1024
_WAITING = 256  # rows that may wait for the journal


def sweep(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    what: Sequence[str] = ("compile",),
    engines: Sequence[str] = ("xg2lab",),
    workers: int | None = None,
    ray: bool | str = False,
    model: str = "tiny",
    vocabulary: str | os.PathLike[str] = "",
    seconds: float = 30.0,
    max_bytes: int = 16 << 20,
    memory_bytes: int = 4 << 30,
    strict_mode: bool = False,
    max_tokens: int = 256,
    fresh: bool = False,
    quiet: bool = False,
) -> SweepSummary:
    """Do every schema of a file, and write a row for each.

    A sweep that was killed goes on when it is called again: rows that are there are not done again. A row that crashes
    or hangs an engine is a row that says so.

    Parameters
    ----------
    source : str or path
        A file with a schema a line, as it is or packed by gzip or xz; or a folder of .json files. The forms of a line
        are in docs/sweeps.md.
    out : str or path
        The result, .parquet or .jsonl. While the sweep runs, rows are in a file beside it, `OUT.partial`.
    what : sequence of str
        "compile" (always done), "audit", "compare", "generate", "unconstrained".
    engines : sequence of str
        Names of engines, the reference first: "xg2lab", "xgrammar", "llguidance", or "package.module:Class".
    workers : int, optional
        Processes, or actors of Ray; by default as many as this machine has processors.
    ray : bool or str
        True runs the sweep on a Ray of this machine, a str is the address of a cluster.
    model : str
        The model whose tokenizer is the vocabulary, and which generates.
    vocabulary : str or path
        A file with what `TokenizerInfo.serialize_json()` returned, in place of the model's tokenizer.
    seconds : float
        The time limit of one engine on one row.
    max_bytes : int
        The longest line of the input.
    memory_bytes : int
        The most memory of a worker's process.
    strict_mode : bool
        Whether undeclared properties are forbidden. The standard allows them.
    max_tokens : int
        The longest generated text, in tokens.
    fresh : bool
        Whether to drop the rows of earlier runs.
    quiet : bool
        Whether to show no progress bar.

    Returns
    -------
    SweepSummary
        The figures of all rows in the file; prints as a few lines.

    Raises
    ------
    ArgumentError
        A value is outside its bounds, the input can't be read, an engine is missing, or `out` holds rows of other
        settings.
    DeserializeFormatError
        The input is damaged; no row is done.

    >>> sweep("no_such_file.jsonl", "out.jsonl", quiet=True)
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: no_such_file.jsonl: No such file or directory
      hint: give a file with a schema a line
    """
    options = SweepOptions(
        tuple(what),
        tuple(engines),
        model=str(model),
        vocabulary=os.fspath(vocabulary),
        seconds=seconds,
        max_bytes=max_bytes,
        memory_bytes=memory_bytes,
        strict_mode=strict_mode,
        max_tokens=max_tokens,
    )
    n_workers = (os.cpu_count() or 1) if workers is None else workers
    if not 1 <= n_workers <= MOST_WORKERS:
        raise ArgumentError(f"workers={n_workers!r} is not between 1 and {MOST_WORKERS:,}")
    n_lines = count_lines(source, options.max_bytes)
    info = vocabulary_text(options)
    n_new = 0
    numbers: dict[str, int] = {}
    with Journal(Path(out), options, fresh=fresh) as journal:

        def missing() -> Iterator[Line]:
            for line in read_lines(source, options.max_bytes):
                numbers[line.id] = line.number
                if line.id not in journal:
                    yield line

        if ray:
            from xg2lab.integrations.sweep.on_ray import rows_on_ray

            address = ray if isinstance(ray, str) else None
            rows = rows_on_ray(missing, options, info, os.fspath(source), n_workers=n_workers, address=address)
        else:
            rows = _rows_in_processes(missing(), options, info, os.fspath(source), n_workers)
        with contextlib.closing(rows), _progress(n_lines, quiet=quiet) as bar:
            bar.update(len(journal))
            for row in rows:
                if row["id"] not in journal:
                    journal.add(row)
                    n_new += 1
                    bar.update(1)
        path = journal.finish(numbers)
    from xg2lab.integrations.sweep.results import read_rows

    summary = summarize(read_rows(path))
    summary.out, summary.n_new = path, n_new
    return summary


def one_row(source: str | os.PathLike[str], row_id: str, options: SweepOptions) -> SweepRow:
    """Do one row of an input, by its id. Raises ArgumentError if there is none.

    >>> one_row("no_such_file.jsonl", "c0ffee", SweepOptions())
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: no_such_file.jsonl: No such file or directory
      hint: give a file with a schema a line
    """
    for line in read_lines(source, options.max_bytes):
        if line.id == row_id:
            worker = RowWorker(options, vocabulary_text(options), os.fspath(source))
            try:
                return worker.row(line)
            finally:
                worker.close()
    raise ArgumentError(
        f"{os.fspath(source)} has no row {row_id!r}", hint="ids come from the content of a line: has the input changed?"
    )


# ---- The vocabulary ----


def vocabulary_text(options: SweepOptions) -> str:
    """Return the vocabulary of a sweep, as `TokenizerInfo.serialize_json()` writes it."""
    from xg2lab.tokenizer_info import TokenizerInfo

    if options.vocabulary:
        try:
            text = read_file(options.vocabulary).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError(f"the vocabulary {options.vocabulary} can't be read: {error}") from error
        TokenizerInfo.deserialize_json(text)
        return text
    return _of_model(options.model).serialize_json()


def _of_model(model: str) -> TokenizerInfo:
    from importlib import import_module

    from xg2lab.tiny import MODEL_NAMES, tiny_model_path
    from xg2lab.tokenizer_info import TokenizerInfo

    try:
        transformers: Any = import_module("transformers")
    except ImportError as error:
        raise ArgumentError(
            f"the tokenizer of {model!r} needs transformers, which is not installed",
            hint="pip install xg2lab[hf], or give --vocabulary a file of TokenizerInfo.serialize_json()",
        ) from error
    place = str(tiny_model_path(model)) if model in MODEL_NAMES else model
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    except (OSError, ValueError, KeyError) as error:
        said = str(error).strip().splitlines()
        raise ArgumentError(
            f"no tokenizer of {model!r} can be loaded: {said[0] if said else type(error).__name__}",
            hint="give --model tiny, a folder, or the id of a model",
        ) from error
    return TokenizerInfo.from_huggingface(tokenizer)


# ---- Processes of this machine ----


def _rows_in_processes(
    lines: Iterator[Line], options: SweepOptions, info: str, source: str, n_workers: int
) -> Generator[SweepRow]:
    """The rows as they are done. A thread for each process takes the next line when it is free."""
    done: queue.Queue[SweepRow | BaseException | None] = queue.Queue(_WAITING)
    lock = threading.Lock()
    stopped = threading.Event()

    def next_line() -> Line | None:
        with lock:
            return None if stopped.is_set() else next(lines, None)

    def serve(worker: RowWorker) -> None:
        try:
            while (line := next_line()) is not None:
                done.put(worker.row(line))
        except ClosedError:
            pass
        except BaseException as error:  # noqa: BLE001 (raised in the main thread)
            done.put(error)
        finally:
            worker.close()
            done.put(None)

    workers = [RowWorker(options, info, source) for _ in range(n_workers)]
    threads = [
        threading.Thread(target=serve, args=(worker,), name=f"xg2lab sweep {k}", daemon=True)
        for k, worker in enumerate(workers)
    ]
    for thread in threads:
        thread.start()
    n_running = n_workers
    try:
        while n_running:
            found = done.get()
            if found is None:
                n_running -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                yield found
    finally:
        stopped.set()
        for worker in workers:
            worker.close()
        while n_running:
            n_running -= done.get() is None
        for thread in threads:
            thread.join()


# ---- Progress ----


class _NoBar:
    """Shows nothing."""

    def update(self, n: int) -> None:
        """Count `n` more."""


@contextlib.contextmanager
def _progress(n_rows: int, *, quiet: bool) -> Generator[Any]:
    """A progress bar on the standard error, if tqdm is installed."""
    if not quiet:
        with contextlib.suppress(ImportError):
            from tqdm import tqdm

            with tqdm(total=n_rows, unit="schema", dynamic_ncols=True, smoothing=0.05) as bar:
                yield bar
            return
    yield _NoBar()
