"""Find, load and place a model: the part of `ModelRunner.load` that can go wrong in many ways.

>>> load_model("tiny", progress=False).name
'tiny'

Each way to fail has its own message: the id, what went wrong, what to do. Without a network the hub's client would
retry for most of a minute, so the hub's name is looked up first and, where that fails, only local files are used.

See also `model_runner.py`, which runs what is loaded here.
"""

from __future__ import annotations

import importlib
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from xg2lab.errors import DeviceError, ModelLoadError
from xg2lab.support.interruptible import interruptible
from xg2lab.tiny import MODEL_NAMES, tiny_model_path

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

    from xg2lab.lab.model.tokenizer import Tokenizer

__all__ = ["LoadedModel", "load_model"]

#: Below this, a step is too short for a second CPU thread to help: waiting for it costs more than
#: it computes.
N_SMALL_PARAMETERS = 20_000_000

_DTYPES = {
    "float32": "float32",
    "fp32": "float32",
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "float16": "float16",
    "fp16": "float16",
}


@dataclass(frozen=True)
class LoadedModel:
    """A model in evaluation mode on its device, its tokenizer, and how many CPU threads suit it (None: torch's own)."""

    model: PreTrainedModel
    tokenizer: Tokenizer
    name: str
    n_threads: int | None


def load_model(
    id_or_path: str | Path = "tiny",
    *,
    device: str = "auto",
    dtype: str | torch.dtype = "auto",
    progress: bool = True,
    local_files_only: bool = False,
) -> LoadedModel:
    """Load a model and its tokenizer; see `ModelRunner.load` for the parameters and what is raised."""
    name = str(id_or_path)
    _require_libraries(name)
    place = _device(device)
    kind = _dtype(dtype, place)
    source = _find(name, local_files_only=local_files_only)
    # The shipped models load in a moment: a bar would only flicker.
    shows_bars = progress and not source.is_shipped
    model, tokenizer = interruptible(lambda: _read(source, kind, place, shows_bars=shows_bars))
    is_small = sum(weights.numel() for weights in model.parameters()) < N_SMALL_PARAMETERS
    return LoadedModel(model, tokenizer, name, n_threads=1 if is_small else None)


def _require_libraries(name: str) -> None:
    try:
        for library in ("torch", "transformers"):
            importlib.import_module(library)
    except ImportError as error:
        raise ModelLoadError(
            f"can't load {name!r}: {error.name or 'a library'} is not installed",
            hint="pip install xg2lab[hf]   (the engine itself needs neither torch nor transformers)",
        ) from error


# ---- Where it runs, and in which precision ------------------------------------------------------


def _device(wanted: str) -> torch.device:
    import torch

    n_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "auto":
        return torch.device("cuda" if n_gpus else "cpu")
    try:
        place = torch.device(wanted)
    except RuntimeError:
        place = None
    if place is None or place.type not in ("cpu", "cuda"):
        raise DeviceError(
            f"{wanted!r} is not a device that xg2lab runs on", hint="use 'auto', 'cpu', 'cuda' or 'cuda:0'"
        )
    if place.type == "cuda" and n_gpus == 0:
        reason = "torch finds none" if torch.version.cuda else "this torch is built for the CPU only"
        raise DeviceError(
            f"{wanted!r} names a GPU, but {reason}",
            hint="use device='auto' or 'cpu'; for a GPU, install its driver and a torch built for CUDA",
        )
    if place.type == "cuda" and (place.index or 0) >= n_gpus:
        raise DeviceError(f"{wanted!r} names a GPU that does not exist", hint=f"the last one is 'cuda:{n_gpus - 1}'")
    return place


def _dtype(wanted: object, place: torch.device) -> torch.dtype:
    import torch

    if isinstance(wanted, torch.dtype):
        return wanted
    if wanted == "auto":
        if place.type == "cpu":
            return torch.float32
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    if not isinstance(wanted, str) or wanted not in _DTYPES:
        raise ModelLoadError(
            f"{wanted!r} is not a dtype for a model", hint=f"use 'auto' or one of {', '.join(_DTYPES)}"
        )
    return getattr(torch, _DTYPES[wanted])


# ---- Where it comes from ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Source:
    """The model to load: `place` is a folder or an id of the hub."""

    name: str
    place: str
    is_shipped: bool = False
    is_folder: bool = False
    is_local: bool = False  # the network is not asked
    is_offline: bool = False  # and that because there is none


def _find(name: str, *, local_files_only: bool) -> _Source:
    if name in MODEL_NAMES:
        return _Source(name, str(tiny_model_path(name)), is_shipped=True, is_folder=True, is_local=True)
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ModelLoadError(
                f"can't load {name!r}: the folder holds no config.json",
                hint="pass the folder that save_pretrained wrote (config.json, model.safetensors, tokenizer.json)",
            )
        return _Source(name, str(folder), is_folder=True, is_local=True)
    if name.startswith(("/", ".", "~")) or name.count("/") > 1:  # an id of the hub has one slash at most
        raise ModelLoadError(
            f"can't load {name!r}: there is no such folder",
            hint="pass a folder that holds config.json, a Hugging Face id (owner/name), or 'tiny'",
        )
    is_offline = not local_files_only and not _hub_is_known()
    return _Source(name, name, is_local=local_files_only or is_offline, is_offline=is_offline)


def _hub_is_known() -> bool:
    """Whether the hub's host name resolves. Behind a proxy the proxy resolves it, so the answer is yes."""
    if any(os.environ.get(key) for key in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return True
    host = urlsplit(os.environ.get("HF_ENDPOINT", "https://huggingface.co")).hostname
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        return False
    return True


def _read(
    source: _Source, kind: torch.dtype, place: torch.device, *, shows_bars: bool
) -> tuple[PreTrainedModel, Tokenizer]:
    from tqdm.auto import tqdm
    from transformers import AutoModelForCausalLM, AutoTokenizer

    steps = tqdm(total=3, desc=f"loading {source.name}", unit="step", delay=1.0, leave=False, disable=not shows_bars)
    with steps, _library_bars(shows=shows_bars):
        try:
            tokenizer = AutoTokenizer.from_pretrained(source.place, local_files_only=source.is_local)
            steps.update()
            model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
                source.place, dtype=kind, local_files_only=source.is_local
            )
            steps.update()
        except (
            Exception
        ) as error:  # the libraries raise OSError, ValueError, KeyError, ImportError, SafetensorError, ...
            raise _load_error(source, error) from error
        try:
            model.to(device=place)  # pyright: ignore[reportCallIssue]
        except RuntimeError as error:
            raise DeviceError(
                f"{source.name!r} does not fit on {place}: {_first_line(error)}",
                hint="use device='cpu', a smaller model, or dtype='bfloat16'",
            ) from error
        steps.update()
    return model.eval(), tokenizer


def _load_error(source: _Source, error: Exception) -> ModelLoadError:
    if source.is_offline:
        return ModelLoadError(
            f"can't load {source.name!r}: offline (the hub's name does not resolve), and it was not downloaded before",
            hint="go online, set HF_HOME to where it was downloaded, pass its folder, or use 'tiny'",
        )
    if source.is_local and not source.is_folder:
        return ModelLoadError(
            f"can't load {source.name!r}: it was not downloaded before, and local_files_only forbids the network",
            hint="set local_files_only=False, set HF_HOME to where it was downloaded, pass its folder, or use 'tiny'",
        )
    return ModelLoadError(
        f"can't load {source.name!r}: {_first_line(error)}",
        hint="pass a Hugging Face id of a causal language model (owner/name), a folder that holds one, or 'tiny'",
    )


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


@contextmanager
def _library_bars(*, shows: bool) -> Generator[None]:
    """Let transformers show its own bars (download, weights) or not, and put the setting back."""
    from transformers.utils import logging

    was_on = logging.is_progress_bar_enabled()
    if not shows:
        logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            logging.enable_progress_bar()
