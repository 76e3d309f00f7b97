"""The sequences of a step in one key-value cache: they join and leave between two steps of the model.

    batch = Batch(model)
    logits = batch.join([[1, 2, 3], [4, 5, 6]])     # prompts of one length, read in one pass
    logits = batch.step([7, 8])                     # one token for each sequence
    batch.keep([1])                                 # the first sequence has ended

IDEA
  Each prompt is read without padding. Then its keys and values get zeros in front until they are as long as those of
  the batch, and the attention mask hides the zeros. A step is then one pass of the model for all sequences, whatever
  their lengths:

      lengths 5, 3, 4     k k k k k
                          . . k k k
                          . k k k k

  Models whose cache is more than keys and values by position (sliding windows, recurrent layers), and those that
  don't take positions, have a cache for each sequence and a pass for each.

INVARIANTS
  I1  lengths[i] is the number of tokens that sequence i has read
  I2  the cache is max(lengths) long: when the longest sequence leaves, its columns go

Shapes: logits are float32[n_sequences, vocab_size] on the model's device.
THREADS  A batch belongs to the decode thread.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["Batch"]


class Batch:
    """Sequences that are read together.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A causal language model.
    n_threads : int, optional
        The number of CPU threads for a pass; torch's own setting if left out.

    >>> from xg2lab.lab.model.model_runner import ModelRunner
    >>> batch = Batch(ModelRunner.tiny().model, 1)
    >>> batch.join([[1, 2, 3], [4, 5, 6]]).shape, batch.join([[7]]).shape
    (torch.Size([2, 2048]), torch.Size([1, 2048]))
    >>> batch.step([8, 9, 10]).shape, batch.lengths
    (torch.Size([3, 2048]), [4, 4, 2])
    >>> batch.keep([2])
    >>> batch.lengths, batch.n_columns
    ([2], 2)
    """

    def __init__(self, model: Any, n_threads: int | None = None) -> None:
        self.model: Any = model
        self.n_threads = n_threads
        self.lengths: list[int] = []
        accepted = inspect.signature(model.forward).parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self.is_joint = "position_ids" in accepted and _is_plain(self._new_cache())
        self._cache: Any = None  # of all sequences, if joint
        self._caches: list[Any] = []  # of each sequence, if not

    @property
    def n_columns(self) -> int:
        """The length of the cache, in tokens."""
        if not self.is_joint:
            return max(self.lengths, default=0)
        return 0 if self._cache is None else int(self._cache.get_seq_length())

    def join(self, prompts: Sequence[Sequence[int]], copies: Sequence[int] | None = None) -> torch.Tensor:
        """Read prompts of one length, behind the sequences that are there.

        Parameters
        ----------
        prompts : sequence of sequence of int
            Token ids; at least one prompt, and each of the same length, at least 1.
        copies : sequence of int, optional
            How many sequences begin with each prompt; one if left out.

        Returns
        -------
        torch.Tensor
            The logits of the new sequences, copies of a prompt side by side.

        The class's example joins three sequences.
        """
        import torch

        counts = [1] * len(prompts) if copies is None else list(copies)
        rows = [place for place, count in enumerate(counts) for _ in range(count)]
        with self.running():
            batch = torch.tensor([list(prompt) for prompt in prompts], device=self.model.device)
            if self.is_joint:
                logits, cache = self._pass(batch, self._new_cache())
                if rows != list(range(len(prompts))):
                    cache.batch_select_indices(torch.tensor(rows, device=self.model.device))
                self._merge(cache, len(prompts[0]))
            else:
                parts: list[torch.Tensor] = []
                for place in rows:  # a cache can't be copied for sure: each copy reads the prompt
                    part, cache = self._pass(batch[place : place + 1], self._new_cache())
                    parts.append(part)
                    self._caches.append(cache)
                logits, rows = torch.cat(parts), list(range(len(parts)))
            self.lengths += [len(prompts[0])] * len(rows)
            return logits[rows]

    def step(self, token_ids: Sequence[int]) -> torch.Tensor:
        """Read one token in each sequence.

        Parameters
        ----------
        token_ids : sequence of int
            A token id for each sequence.

        Returns
        -------
        torch.Tensor
            The logits; on a GPU the pass may still be running.

        The class's example steps three sequences.
        """
        import torch

        with self.running():
            device = self.model.device
            if not self.is_joint:
                parts: list[torch.Tensor] = []
                for place, token_id in enumerate(token_ids):
                    part, self._caches[place] = self._pass(
                        torch.tensor([[token_id]], device=device), self._caches[place]
                    )
                    parts.append(part)
                logits = torch.cat(parts)
            else:
                n_columns = self.n_columns
                ids = torch.tensor([[token_id] for token_id in token_ids], device=device)
                lengths = torch.tensor(self.lengths, device=device)[:, None]
                extra: dict[str, Any] = {"position_ids": lengths}
                if min(self.lengths) < n_columns:
                    columns = torch.arange(n_columns + 1, device=device)[None, :]
                    extra["attention_mask"] = (columns >= n_columns - lengths).long()
                logits, self._cache = self._pass(ids, self._cache, **extra)
            self.lengths = [length + 1 for length in self.lengths]
            return logits

    def keep(self, places: Sequence[int]) -> None:
        """Drop all sequences but those at `places`, and the columns that only dropped ones had.

        Parameters
        ----------
        places : sequence of int
            Places of sequences, ascending.

        The class's example drops two of three.
        """
        import torch

        if len(places) == len(self.lengths):
            return
        self.lengths = [self.lengths[place] for place in places]
        if not self.is_joint:
            self._caches = [self._caches[place] for place in places]
        elif not places:
            self._cache = None
        else:
            index = torch.tensor(list(places), device=self.model.device)
            self._cache.batch_select_indices(index)
            surplus = self.n_columns - max(self.lengths)
            if surplus > 0:
                for layer in self._layers(self._cache):
                    layer.keys, layer.values = layer.keys[..., surplus:, :], layer.values[..., surplus:, :]

    def clear(self) -> None:
        """Drop all sequences.

        >>> from xg2lab.lab.model.model_runner import ModelRunner
        >>> batch = Batch(ModelRunner.tiny().model)
        >>> batch.clear()
        >>> batch.lengths
        []
        """
        self.lengths, self._cache, self._caches = [], None, []

    # ---- Inside ---------------------------------------------------------------------------------

    def _new_cache(self) -> Any:
        from transformers import DynamicCache

        return DynamicCache(config=self.model.config)

    def _pass(self, ids: torch.Tensor, cache: Any, **extra: Any) -> tuple[torch.Tensor, Any]:
        output = self.model(input_ids=ids, past_key_values=cache, use_cache=True, **self._last_only, **extra)
        return output.logits[:, -1].float(), output.past_key_values

    def _merge(self, other: Any, n_tokens: int) -> None:
        import torch
        from torch.nn.functional import pad

        if self._cache is None:
            self._cache = other
            return
        n_columns = max(self.n_columns, n_tokens)
        for layer, added in zip(self._layers(self._cache), self._layers(other), strict=True):
            for name in ("keys", "values"):
                parts = [getattr(layer, name), getattr(added, name)]
                padded = [pad(part, (0, 0, n_columns - part.shape[-2], 0)) for part in parts]
                setattr(layer, name, torch.cat(padded))

    def _layers(self, cache: Any) -> list[Any]:
        return [layer for layer in cache.layers if layer.is_initialized]

    @contextmanager
    def running(self) -> Generator[None]:
        """Set torch up for passes, and for what else is done with their logits: no gradients, and few threads.

        A small model's step is too short for a second CPU thread to help.

        Returns
        -------
        context manager
            The number of threads is put back at its end.

        >>> from xg2lab.lab.model.model_runner import ModelRunner
        >>> import torch
        >>> with Batch(ModelRunner.tiny().model, 1).running():
        ...     torch.get_num_threads(), torch.is_inference_mode_enabled()
        (1, True)
        """
        import torch

        before = torch.get_num_threads()
        is_set = self.n_threads not in (None, before) and self.model.device.type == "cpu"
        if is_set:
            torch.set_num_threads(self.n_threads or before)
        try:
            with torch.inference_mode():
                yield
        finally:
            if is_set:
                torch.set_num_threads(before)


def _is_plain(cache: Any) -> bool:
    """Whether all that a cache holds is keys and values by position."""
    from transformers.cache_utils import DynamicLayer

    # A cache without layers makes plain ones as they are needed.
    return all(type(layer) is DynamicLayer for layer in cache.layers)
