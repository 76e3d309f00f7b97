"""The protocol between a session and its model: `Runner`, for models of your own.

`ModelRunner` implements it for any causal model of Hugging Face. Other runners need neither torch nor transformers:

>>> import numpy as np
>>> import xg2lab as xgr
>>> class Even:
...     "Likes each of its 259 tokens as much as any other: the 256 bytes, two special tokens, the end."
...     name, device, dtype, n_parameters, is_asynchronous = "even", "cpu", "float32", 0, False
...     tokenizer_info = xgr.TokenizerInfo([bytes([b]) for b in range(256)] + [b"<a>", b"<b>", b"</s>"],
...                                        stop_token_ids=[258], special_token_ids=[256, 257])
...     def __init__(self): self.read = []
...     def tokenizer(self, text): return type("Encoding", (), {"input_ids": list(text.encode())})
...     def fork(self): return type(self)()
...     def reset(self): self.read = []
...     def prefill(self, token_ids): self.read += token_ids; return self.logits_numpy()
...     def forward(self, token_id): return self.prefill([token_id])
...     def rollback(self, n_tokens=1): del self.read[len(self.read) - n_tokens :]
...     def logits_numpy(self): return np.zeros(259, np.float32)
>>> session = xgr.Session('root ::= "yes" | "no"', model=Even(), prompt="Is it?", seed=1)
>>> steps = session.run()
>>> session.text in ("yes", "no")
True

The session names missing members when it is made:

>>> xgr.Session('root ::= "a"', model=object())
Traceback (most recent call last):
xg2lab.errors.ArgumentTypeError: this object can't be the model of a session: it has no device, dtype, fork, forward, \
is_asynchronous, logits_numpy, n_parameters, name, prefill, reset, rollback, tokenizer, tokenizer_info
  hint: see xg2lab.lab.Runner; for a model of transformers: ModelRunner(model, tokenizer, name="...")

*Shapes and units.* Logits are floating-point arrays `[vocab_size]`, those after the last token read; the caller may
write into them. Positions count tokens.

See also: `xg2lab.lab.model.model_lane`, which calls all of this; docs/design/0016-overlap.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from xg2lab.errors import ArgumentTypeError
from xg2lab.lab.model.tokenizer import Tokenizer
from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["AsynchronousRunner", "Logits", "Runner", "checked_runner"]

Logits = npt.NDArray[np.floating]


@runtime_checkable
class Runner(Protocol):
    """A model that reads tokens and returns the logits of the next one: the protocol that sessions use.

    `ModelRunner` implements it for Hugging Face's causal models. The module's docstring has a runner in a dozen lines.
    Only one thread at a time calls a runner.

    >>> import xg2lab as xgr
    >>> runner = xgr.ModelRunner.tiny()
    >>> isinstance(runner, Runner), isinstance("tiny", Runner)
    (True, False)
    >>> logits = runner.fork().prefill([1, 2])
    >>> runner.reset()
    >>> float(abs(logits - runner.prefill([1, 2])).max()), bool((runner.logits_numpy() == logits).all())
    (0.0, True)
    >>> logits = runner.forward(3)
    >>> runner.rollback(1)
    >>> runner.n_tokens
    2
    """

    @property
    def name(self) -> str:
        """The name that traces show."""
        ...

    @property
    def device(self) -> object:
        """Where the model runs; traces show it as text."""
        ...

    @property
    def dtype(self) -> object:
        """The precision of the weights; traces show it as text."""
        ...

    @property
    def n_parameters(self) -> int:
        """The number of weights."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """A callable: called with a text, it returns an object whose `input_ids` are the text's token ids.

        Optional attributes: `bos_token_id` or `eos_token_id`, the token that an empty prompt becomes (without either, a
        session needs a prompt); `encode(text, add_special_tokens=False)`, with which `jump_forward` spells text as the
        model does.
        """
        ...

    @property
    def tokenizer_info(self) -> TokenizerInfo | None:
        """The vocabulary of the logits; None if each session is given its vocabulary."""
        ...

    @property
    def is_asynchronous(self) -> bool:
        """Whether this is an `AsynchronousRunner`."""
        ...

    def fork(self) -> Runner:
        """Return a second runner for a session to read with.

        Returns
        -------
        Runner
            Both may share weights. Tokens that one reads do not affect the other.
        """
        ...

    def reset(self) -> None:
        """Forget every token."""
        ...

    def prefill(self, token_ids: list[int], /) -> Logits:
        """Read tokens after those read before. If this raises, the model stays where it was.

        Parameters
        ----------
        token_ids : list of int
            At least one token id.

        Returns
        -------
        numpy.ndarray of float, shape (vocab_size,)
            The logits after the last token. The caller may write into them.
        """
        ...

    def forward(self, token_id: int, /) -> Logits:
        """Read one token. If this raises, the model stays where it was.

        Parameters
        ----------
        token_id : int
            A token id.

        Returns
        -------
        numpy.ndarray of float, shape (vocab_size,)
            The logits after the token. The caller may write into them.
        """
        ...

    def rollback(self, n_tokens: int, /) -> None:
        """Take the last tokens back.

        Parameters
        ----------
        n_tokens : int
            The number of tokens, at most those read.
        """
        ...

    def logits_numpy(self) -> Logits:
        """Return the logits after the last token.

        Returns
        -------
        numpy.ndarray of float, shape (vocab_size,)
            The caller may write into them.
        """
        ...


@runtime_checkable
class AsynchronousRunner(Runner, Protocol):
    """A runner whose forward passes run beside its caller, as on a GPU. The session computes masks meanwhile."""

    def launch(self, token_ids: Sequence[int], /) -> None:
        """Read tokens as `prefill` does, without waiting for the logits; `logits_numpy` waits."""
        ...

    @property
    def last_end_ns(self) -> int:
        """When the logits that `logits_numpy` last returned were complete, by `time.perf_counter_ns`."""
        ...


def checked_runner(model: object) -> Runner:
    """Return the object itself if it has everything that a session needs from a model.

    Raises
    ------
    ArgumentTypeError
        It lacks something; the message names all of it.
    """
    wanted = _names_of(Runner)
    if not (missing := _missing(model, wanted)) and bool(getattr(model, "is_asynchronous", False)):
        missing = _missing(model, _names_of(AsynchronousRunner))
    if missing:
        what = "object" if type(model) is object else type(model).__name__
        raise ArgumentTypeError(
            f"this {what} can't be the model of a session: it has no {', '.join(missing)}",
            hint='see xg2lab.lab.Runner; for a model of transformers: ModelRunner(model, tokenizer, name="...")',
        )
    return cast("Runner", model)


def _names_of(protocol: type) -> list[str]:
    kinds = [kind for kind in protocol.__mro__ if getattr(kind, "_is_protocol", False) and kind is not Protocol]
    return sorted({name for kind in kinds for name in vars(kind) if not name.startswith("_")})


def _missing(model: object, wanted: Sequence[str]) -> list[str]:
    return [name for name in wanted if not _has(model, name)]


def _has(model: object, name: str) -> bool:
    """Whether there is such an attribute; a property is not asked: a vocabulary takes time to make."""
    try:
        inspect.getattr_static(model, name)
    except AttributeError:
        return hasattr(model, name)  # by its own `__getattr__`
    return True
