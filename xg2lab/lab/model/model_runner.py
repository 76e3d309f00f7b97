"""A causal language model that is fed token by token, taken back and forked: any of Hugging Face's, or the tiny one.

>>> runner = ModelRunner.tiny()
>>> prompt_ids = runner.tokenizer("What is the weather in").input_ids
>>> before = runner.prefill(prompt_ids)
>>> after = runner.forward(int(before.argmax()))
>>> runner.rollback(1)
>>> bool((runner.logits_numpy() == before).all()), runner.n_tokens == len(prompt_ids)
(True, True)

*Shapes and units.* Logits are those of the last position alone: `float32[vocab_size]`, always a copy, so a mask may
be applied in place. `vocab_size` is the width of the logits, which may exceed the tokenizer's number of tokens.
Positions and lengths count tokens. Times are nanoseconds; on a GPU they end when the logits are in host memory.

*Overlap.* `launch` is `prefill` without the wait: on a GPU (`is_asynchronous`) it returns while the pass is in the
GPU's queue, with the logits to follow into pinned memory, and `logits_numpy` waits for them. See `model_lane.py`.

*Rollback* shortens the key-value cache. The logits of the last `N_KEPT_LOGITS` positions are kept, so going back to one
of them returns the very same numbers. Going back further feeds the last token again. A cache that cannot be
shortened (some sliding windows, recurrent layers) is rebuilt from the tokens.

*Threads.* On a CPU, a model of less than 20 million parameters (the tiny one) is run on one thread, because more
make it slower; the number that torch is set to is put back after each call. Larger models run with that number. A
runner belongs to one thread.

torch and transformers are imported when a model is loaded, not before. See also `model_loading.py`.
"""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import numpy as np

from xg2lab.errors import LimitError, SessionError, VocabularyError
from xg2lab.lab.model.forward_pass import ForwardPass
from xg2lab.lab.model.model_loading import load_model
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from pathlib import Path

    import torch
    from numpy.typing import NDArray
    from transformers import DynamicCache, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    from xg2lab.lab.model.tokenizer import Tokenizer

__all__ = ["N_KEPT_LOGITS", "ModelRunner"]

#: Positions whose logits are kept for rollback. 64 rows of a 128k vocabulary in float32 are 33 MB.
N_KEPT_LOGITS = 64


class ModelRunner:
    """A causal language model that reads one sequence of tokens. `load` and `tiny` make one.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A causal language model.
    tokenizer : transformers.PreTrainedTokenizerBase
        The model's tokenizer.
    name : str
        The name that traces show.
    n_threads : int, optional
        The number of CPU threads for a forward pass; torch's own setting if left out.

    >>> runner = ModelRunner.tiny()
    >>> logits = runner.prefill(runner.tokenizer("What is the weather in").input_ids)
    >>> logits.shape, runner.n_tokens > 0
    ((2048,), True)
    """

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | Tokenizer,
        *,
        name: str,
        n_threads: int | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = cast("Tokenizer", tokenizer)
        self.name = name
        self.n_threads = n_threads
        self._pass: ForwardPass | None = None  # the last one
        self._info: list[TokenizerInfo] = []  # once it was requested
        accepted = inspect.signature(model.forward).parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._tokens: list[int] = []
        self._kept: OrderedDict[int, torch.Tensor] = OrderedDict()  # n_tokens -> logits after that many
        #: Keys and values of the first of `_tokens`, mostly all; None after a failed pass. Mended when next needed.
        self._cache: DynamicCache | None = self._new_cache()

    # ---- Making one -----------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        id_or_path: str | Path = "tiny",
        *,
        device: str = "auto",
        dtype: str | torch.dtype = "auto",
        progress: bool = True,
        local_files_only: bool = False,
    ) -> ModelRunner:
        """Load a model and its tokenizer.

        Parameters
        ----------
        id_or_path : str or Path
            "tiny" or "tiny_early", which ship with xg2lab; a Hugging Face id; or a folder.
        device : str
            "auto" (a GPU if there is one), "cpu", "cuda" or "cuda:N".
        dtype : str or torch.dtype
            "auto" is float32 on a CPU; on a GPU bfloat16, or float16 where the GPU lacks it.
        progress : bool
            Whether to show progress bars for loads that take longer than a second.
        local_files_only : bool
            True never uses the network.

        Returns
        -------
        ModelRunner
            It has read no token yet.

        Raises
        ------
        ModelLoadError
            The model is not found, the machine is offline, the model is not a causal language model, or torch is
            missing.
        DeviceError
            There is no such device.

        >>> ModelRunner.load("tiny", device="cpu").name
        'tiny'
        """
        loaded = load_model(
            id_or_path, device=device, dtype=dtype, progress=progress, local_files_only=local_files_only
        )
        return cls(loaded.model, loaded.tokenizer, name=loaded.name, n_threads=loaded.n_threads)

    @classmethod
    def tiny(cls, *, device: str = "cpu") -> ModelRunner:
        """Load the model that ships with xg2lab.

        Parameters
        ----------
        device : str
            As for `load`. The default is the CPU, where this model is faster.

        Returns
        -------
        ModelRunner
            It has read no token yet.

        >>> ModelRunner.tiny().vocab_size
        2048
        """
        return cls.load("tiny", device=device, progress=False)

    def fork(self) -> ModelRunner:
        """Return a second sequence that begins where this one is.

        Returns
        -------
        ModelRunner
            It shares the weights and has a cache of its own.

        >>> runner = ModelRunner.tiny()
        >>> logits = runner.prefill([1, 2])
        >>> other = runner.fork()
        >>> logits = other.forward(3)
        >>> runner.n_tokens, other.n_tokens
        (2, 3)
        """
        other = ModelRunner(self.model, self.tokenizer, name=self.name, n_threads=self.n_threads)
        other._tokens = list(self._tokens)
        other._kept = OrderedDict(self._kept)
        other._cache = None if self._cache is None else _copy_cache(self._cache)
        other._pass = self._pass
        other._info = self._info
        return other

    # ---- Facts ----------------------------------------------------------------------------------

    @property
    def tokens(self) -> list[int]:
        """The token ids read so far, prompt included (a copy)."""
        return list(self._tokens)

    @property
    def n_tokens(self) -> int:
        """How many tokens have been read, prompt included."""
        return len(self._tokens)

    @property
    def vocab_size(self) -> int:
        """The width of the logits."""
        head = self.model.get_output_embeddings()
        return int(head.weight.shape[0]) if head is not None else int(self._text_config.vocab_size)

    @property
    def max_n_tokens(self) -> int | None:
        """The most tokens the model can read, or None where its configuration names no limit."""
        limit = getattr(self._text_config, "max_position_embeddings", None)
        return int(limit) if limit else None

    @property
    def tokenizer_info(self) -> TokenizerInfo:
        """The vocabulary as the engine takes it, as wide as the logits; made once, and shared by forks.

        Raises `VocabularyError` for a tokenizer that can't be read.

        >>> ModelRunner.tiny().tokenizer_info.vocab_size
        2048
        """
        if not self._info:
            self._info.append(
                TokenizerInfo.from_huggingface(
                    self.tokenizer, vocab_size=self.vocab_size, stop_token_ids=self.eos_token_ids or None
                )
            )
        return self._info[0]

    @property
    def n_parameters(self) -> int:
        """The number of weights."""
        return sum(int(parameter.numel()) for parameter in self.model.parameters())

    @property
    def eos_token_ids(self) -> list[int]:
        """Every token that ends a generation, in the order generation config, config, tokenizer."""
        found: list[int] = []
        for source in (getattr(self.model, "generation_config", None), self._text_config, self.tokenizer):
            value = getattr(source, "eos_token_id", None)
            for token_id in value if isinstance(value, (list, tuple)) else [value]:
                if token_id is not None and token_id not in found:
                    found.append(int(token_id))
        return found

    @property
    def device(self) -> torch.device:
        """Where the weights are, and the logits."""
        return self.model.device

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the weights."""
        return self.model.dtype

    @property
    def is_asynchronous(self) -> bool:
        """Whether `launch` returns before the logits are there."""
        return self.device.type == "cuda"

    @property
    def last_end_ns(self) -> int:
        """When the logits of the last pass were in host memory (`time.perf_counter_ns`); waits until they are."""
        return 0 if self._pass is None else self._pass.end_ns

    @property
    def last_forward_ns(self) -> int:
        """How long the last pass took; waits for its end. 0 before the first."""
        return 0 if self._pass is None else self._pass.end_ns - self._pass.begin_ns

    @property
    def logits(self) -> torch.Tensor:
        """The logits after the last token: a fresh `float32[vocab_size]` tensor on the model's device.

        Raises `SessionError` before the first token.
        """
        return self._last_logits().clone()

    def logits_numpy(self) -> NDArray[np.float32]:
        """Return the logits after the last token. Waits for a pass that was launched.

        Returns
        -------
        numpy.ndarray of float32, shape (vocab_size,)
            A copy, which belongs to the caller.

        Raises
        ------
        SessionError
            No token has been read yet.

        >>> runner = ModelRunner.tiny()
        >>> bool((runner.prefill([1, 2]) == runner.logits_numpy()).all())
        True
        """
        logits = self._last_logits()
        if self._pass is not None and self._pass.logits is logits:
            return self._pass.host_logits()
        return logits.cpu().numpy().copy()

    # ---- Moving ---------------------------------------------------------------------------------

    def prefill(self, token_ids: Sequence[int]) -> NDArray[np.float32]:
        """Read tokens after those read before, in one pass. If this raises, nothing was read.

        Parameters
        ----------
        token_ids : sequence of int
            At least one token id.

        Returns
        -------
        numpy.ndarray of float32, shape (vocab_size,)
            The logits after the last token; a copy, which belongs to the caller.

        Raises
        ------
        VocabularyError
            The model has no such token.
        LimitError
            There are more tokens than the model can read.
        SessionError
            There are no tokens.

        >>> ModelRunner.tiny().prefill([1, 2, 3]).dtype
        dtype('float32')
        """
        self.launch(token_ids)
        return self.logits_numpy()

    def launch(self, token_ids: Sequence[int]) -> None:
        """Read tokens as `prefill` does, without waiting for the logits if the model is on a GPU.

        Parameters
        ----------
        token_ids : sequence of int
            At least one token id.

        Raises
        ------
        VocabularyError, LimitError, SessionError
            As `prefill`.

        >>> runner = ModelRunner.tiny()
        >>> runner.launch([1, 2])
        >>> runner.n_tokens
        2
        """
        ids = [int(token_id) for token_id in token_ids]
        self._check(ids)
        self._set_cache_length(len(self._tokens))
        logits = self._run(ids)
        self._tokens.extend(ids)
        self._keep(logits)

    def forward(self, token_id: int) -> NDArray[np.float32]:
        """Read one token.

        Parameters
        ----------
        token_id : int
            A token id.

        Returns
        -------
        numpy.ndarray of float32, shape (vocab_size,)
            The logits after the token; a copy, which belongs to the caller.

        Raises
        ------
        VocabularyError, LimitError
            As `prefill`.

        >>> ModelRunner.tiny().forward(1).shape
        (2048,)
        """
        return self.prefill([token_id])

    def logits_after(self, continuations: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the logits after each of several continuations, read in one batch. The runner stays where it is.

        Parameters
        ----------
        continuations : sequence of sequence of int
            At least one, all of the same length, at least one token each.

        Returns
        -------
        numpy.ndarray of float32, shape (n_continuations, vocab_size)
            The logits after the last token of each.

        Raises
        ------
        VocabularyError, LimitError, SessionError
            As `prefill`; `SessionError` also for lengths that differ, and before the first token.

        >>> runner = ModelRunner.tiny()
        >>> logits = runner.prefill([1, 2])
        >>> runner.logits_after([[3, 4], [5, 6], [7, 8]]).shape, runner.n_tokens
        ((3, 2048), 2)
        """
        import torch

        rows = [[int(token_id) for token_id in one] for one in continuations]
        self._last_logits()
        if not rows or any(len(row) != len(rows[0]) for row in rows):
            raise SessionError("continuations must have one length", hint="pad them, or ask once for each length")
        for row in rows:
            self._check(row)
        self._set_cache_length(len(self._tokens))
        with self._threads(), torch.inference_mode():
            cache = copy.deepcopy(self._cache)
            assert cache is not None  # `_set_cache_length` made it
            cache.batch_repeat_interleave(len(rows))
            batch = torch.tensor(rows, device=self.device)
            output = self.model(input_ids=batch, past_key_values=cache, use_cache=True, **self._last_only)
            return output.logits[:, -1].float().cpu().numpy()

    def rollback(self, n_tokens: int = 1) -> None:
        """Take the last tokens back. If this raises, nothing was taken back.

        Parameters
        ----------
        n_tokens : int
            The number of tokens.

        Raises
        ------
        SessionError
            Fewer tokens have been read.

        >>> runner = ModelRunner.tiny()
        >>> logits = runner.prefill([1, 2, 3])
        >>> runner.rollback(2)
        >>> runner.tokens
        [1]
        """
        if not 0 <= n_tokens <= len(self._tokens):
            raise SessionError(
                f"can't take back {n_tokens} tokens: {len(self._tokens)} have been read",
                hint=f"pass a number from 0 to {len(self._tokens)}",
            )
        if n_tokens == 0:
            return
        keep = self._tokens[: len(self._tokens) - n_tokens]
        if not keep:
            self.reset()
            return
        # Logits still kept: the cache alone is cut. Else it is cut by one more, and that token is
        # read again.
        n_cached = len(keep) if len(keep) in self._kept else len(keep) - 1
        self._set_cache_length(n_cached)
        logits = self._run(keep[n_cached:]) if n_cached < len(keep) else self._kept[len(keep)]
        self._tokens = keep  # only now: a pass that dies leaves the sequence as it was
        while self._kept and next(reversed(self._kept)) >= len(keep):
            self._kept.popitem()
        self._keep(logits)

    def reset(self) -> None:
        """Forget every token.

        >>> runner = ModelRunner.tiny()
        >>> logits = runner.prefill([1, 2])
        >>> runner.reset()
        >>> runner.n_tokens
        0
        """
        self._tokens = []
        self._kept.clear()
        self._cache = self._new_cache()

    # ---- The parts ------------------------------------------------------------------------------

    @property
    def _text_config(self) -> PreTrainedConfig:
        return self.model.config.get_text_config()

    def _new_cache(self) -> DynamicCache:
        from transformers import DynamicCache

        return DynamicCache(config=self.model.config)

    def _check(self, ids: list[int]) -> None:
        if not ids:
            raise SessionError(
                "no tokens to read", hint="pass at least one token id; an empty prompt needs a BOS token"
            )
        width = self.vocab_size
        wrong = [token_id for token_id in ids if not 0 <= token_id < width]
        if wrong:
            raise VocabularyError(
                f"token id {wrong[0]} is not one of {self.name}'s {width} tokens (0 to {width - 1})",
                hint="use the tokenizer that belongs to the model: runner.tokenizer",
            )
        limit = self.max_n_tokens
        if limit is not None and len(self._tokens) + len(ids) > limit:
            raise LimitError(
                f"{self.name} reads at most {limit} tokens; {len(self._tokens)} are read and {len(ids)} more are given",
                hint="shorten the prompt, roll back, or reset() and start again",
            )

    def _run(self, ids: list[int]) -> torch.Tensor:
        """Feed `ids` to the model; the cache grows by them. Returns the last position's logits in float32."""
        import torch

        with self._threads(), torch.inference_mode():
            batch = torch.tensor([ids], pin_memory=self.is_asynchronous).to(self.device, non_blocking=True)
            cache, self._cache = self._cache, None  # a pass that dies half-way leaves no half-written cache behind
            begun = ForwardPass(self.device)
            output = self.model(input_ids=batch, past_key_values=cache, use_cache=True, **self._last_only)
            self._cache = output.past_key_values
            logits = output.logits[0, -1].float()
            begun.launched(logits)
            self._pass = begun
            return logits

    @contextmanager
    def _threads(self) -> Generator[None]:
        import torch

        before = torch.get_num_threads()
        if self.n_threads is None or self.device.type != "cpu" or before == self.n_threads:
            yield
            return
        torch.set_num_threads(self.n_threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    def _keep(self, logits: torch.Tensor) -> None:
        self._kept[len(self._tokens)] = logits
        while len(self._kept) > N_KEPT_LOGITS:
            self._kept.popitem(last=False)

    def _last_logits(self) -> torch.Tensor:
        if not self._tokens:
            raise SessionError("no token has been read yet", hint="call prefill(token_ids) first")
        return self._kept[len(self._tokens)]

    def _set_cache_length(self, n_tokens: int) -> None:
        """Make the cache hold the first `n_tokens` tokens: cut it or begin anew, then feed what is missing."""
        cache, self._cache = self._cache, None  # as in `_run`: a cache cut in some layers only is not kept
        if cache is None or not _cut(cache, n_tokens):
            cache = self._new_cache()
        self._cache = cache
        n_cached = cache.get_seq_length()
        if n_cached < n_tokens:
            self._run(self._tokens[n_cached:n_tokens])


def _cut(cache: DynamicCache, n_tokens: int) -> bool:
    """Shorten a cache to `n_tokens` if it is longer; False where it can't be, and may then be spoilt."""
    surplus = cache.get_seq_length() - n_tokens
    if surplus <= 0:
        return True
    try:
        cache.crop(-surplus)
    except (RuntimeError, ValueError, NotImplementedError, AttributeError):
        return False  # a sliding window that is full, a recurrent state
    return True


def _copy_cache(cache: DynamicCache) -> DynamicCache:
    """An independent copy. Plain layers replace their tensors and never write into them, so those can be shared."""
    from transformers.cache_utils import DynamicLayer

    if any(type(layer) is not DynamicLayer for layer in cache.layers):
        return copy.deepcopy(cache)
    other = copy.copy(cache)
    other.layers = [copy.copy(layer) for layer in cache.layers]
    return other
