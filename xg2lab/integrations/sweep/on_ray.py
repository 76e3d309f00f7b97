"""The same rows on Ray: lines as blocks of the object store, actors that each keep one worker's process warm.

    rows = rows_on_ray(missing, options, vocabulary, "schemas.jsonl", n_workers=8, address="ray://head:10001")

IDEA
  Lines go to Ray's object store in blocks of 64, which it spills to the disk beyond its memory, and `map_batches` sends
  them to actors. An actor does not compute: it owns a `RowWorker`, so that a schema that crashes an engine costs its
  own row here too, and not the actor with its batch.

  Ray Data starts an actor again when its process dies, and sends the batch that it had again: its defaults. As a
  second net, whatever has come back is compared with what was sent: lines without a row are sent again, at most three
  times. So a row may be done twice, and is never lost; the caller keeps the first.

See also: `xg2lab.integrations.sweep.worker`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, cast

from xg2lab.errors import ArgumentError, LimitError
from xg2lab.integrations.sweep.cases import Line
from xg2lab.integrations.sweep.options import SweepOptions
from xg2lab.integrations.sweep.rows import SweepRow
from xg2lab.integrations.sweep.worker import RowWorker

__all__ = ["RowActor", "rows_on_ray"]

BLOCK = 64  # lines of a block
BATCH = 16  # lines that an actor gets at a time: as many are done again if it dies
STORE_BYTES = 256 << 20  # of a local Ray's object store
_ROUNDS = 4

_Batch = dict[str, list[Any]]


class RowActor:
    """An actor of Ray Data: a batch of lines in, their rows as JSON text out.

    Parameters
    ----------
    options : dict
        `SweepOptions.to_wire()`.
    vocabulary : list
        The reference of `TokenizerInfo.serialize_json()` in the object store. The caller keeps it: an actor that starts
        again must find it.
    source : str
        The input's name, for the commands that repeat a row.
    """

    def __init__(self, options: dict[str, Any], vocabulary: list[Any], source: str) -> None:
        ray: Any = _module("ray")
        self._worker = RowWorker(SweepOptions.from_wire(options), ray.get(vocabulary[0]), source)
        self._worker.start()

    def __call__(self, batch: _Batch) -> _Batch:
        """Do a batch of lines."""
        found: list[str] = []
        columns = (batch["number"], batch["id"], batch["data"], batch["is_cut"])
        for number, row_id, data, is_cut in zip(*columns, strict=True):
            row = self._worker.row(Line(int(number), str(row_id), bytes(data), bool(is_cut)))
            found.append(json.dumps(row))
        return {"id": [str(row_id) for row_id in batch["id"]], "row": found}


def rows_on_ray(
    lines: Callable[[], Iterator[Line]],
    options: SweepOptions,
    vocabulary: str,
    source: str,
    *,
    n_workers: int,
    address: str | None,
) -> Generator[SweepRow]:
    """Yield the rows as Ray finishes them.

    `lines` yields what has no row yet, whenever it is called. A local Ray is started and stopped here; one that is
    running already is used, and goes on. Raises ArgumentError where Ray is not installed or can't be reached.
    """
    ray: Any = _module("ray")
    data: Any = _module("ray.data")
    with _running(ray, address, n_workers):
        context = data.DataContext.get_current()
        context.enable_progress_bars = False
        # Nested, so that Ray hands on the reference itself.
        kept = [ray.put(vocabulary)]
        for _ in range(_ROUNDS):
            n_sent = 0
            n_back = 0
            blocks: list[Any] = []
            for block in _blocks(lines()):
                n_sent += len(block["id"])
                blocks.append(ray.put(_table(block)))
            if not n_sent:
                return
            dataset = data.from_arrow_refs(blocks).map_batches(
                RowActor,
                fn_constructor_args=(options.to_wire(), kept, source),
                batch_size=BATCH,
                batch_format="numpy",
                compute=data.ActorPoolStrategy(size=n_workers),
                num_cpus=1,
            )
            seen: set[str] = set()
            for one in dataset.iter_rows():
                if one["id"] not in seen:
                    seen.add(one["id"])
                    n_back += 1
                    yield cast("SweepRow", json.loads(one["row"]))
            if n_back == n_sent:
                return
        raise LimitError(
            f"Ray lost rows in each of {_ROUNDS} rounds", hint="run the sweep again: it goes on where it is"
        )


def _blocks(lines: Iterator[Line]) -> Iterator[_Batch]:
    while block := list(islice(lines, BLOCK)):
        yield {
            "number": [line.number for line in block],
            "id": [line.id for line in block],
            "data": [line.data for line in block],
            "is_cut": [line.is_cut for line in block],
        }


def _table(block: _Batch) -> Any:
    import pyarrow as pa

    types: dict[str, Any] = {"number": pa.int64(), "id": pa.string(), "data": pa.large_binary(), "is_cut": pa.bool_()}
    return pa.table(block, schema=pa.schema(list(types.items())))


@contextlib.contextmanager
def _running(ray: Any, address: str | None, n_workers: int) -> Generator[None]:
    """A Ray to work with; one that is started here is stopped here."""
    if ray.is_initialized():
        yield
        return
    _start(ray, address, n_workers)
    try:
        yield
    finally:
        ray.shutdown()


def _start(ray: Any, address: str | None, n_workers: int) -> None:
    """Start a local Ray, or join a cluster. A start that fails on a busy machine is tried once more."""
    quiet: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
    here = {"num_cpus": n_workers, "include_dashboard": False, "object_store_memory": STORE_BYTES}
    where: dict[str, Any] = here if address is None else {"address": address}
    for is_last in (address is not None, True):
        try:
            ray.init(**where, **quiet)
        except Exception as error:
            ray.shutdown()
            if not is_last:
                continue
            said = str(error).strip().splitlines()
            raise ArgumentError(
                f"no Ray at {address or 'this machine'}: {said[0] if said else type(error).__name__}",
                hint="give the address of a running cluster, or --workers for processes of this machine",
            ) from error
        return


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ArgumentError(
            f"a sweep on Ray needs the package ray: {error}",
            hint="pip install xg2lab[ray], or --workers for processes of this machine",
        ) from error
