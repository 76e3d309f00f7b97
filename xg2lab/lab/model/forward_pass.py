"""One forward pass of a model: when it ran, and its logits on their way to host memory.

    begun = ForwardPass(device)
    logits = model(...)              # on a GPU this launches the pass and returns
    begun.launched(logits)           # the copy to host memory is launched behind it
    begun.host_logits()              # waits; float32[vocab_size]

IDEA
  On a GPU all of this is a queue: two events stand round the pass and the copy of its logits, which goes to pinned
  memory, so that neither blocks the thread that launched it. `elapsed_time` between the events, added to the reading of
  the host's clock at the first, says when the logits were there even if nobody looked. On a CPU the pass is over
  when it returns, and the clock is read then.

Units: nanoseconds of `time.perf_counter_ns`. Only `xg2lab.lab.model.model_runner` makes these.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

__all__ = ["ForwardPass"]


class ForwardPass:
    """A pass that has begun. THREADS: it belongs to the thread that reads with the runner; see `ModelLane`."""

    def __init__(self, device: torch.device) -> None:
        self._events: Any = None
        self._end_ns: int | None = None
        self.logits: torch.Tensor | None = None  # on the device
        self._host: torch.Tensor | None = None
        if device.type == "cuda":
            import torch

            self._stream = torch.cuda.current_stream(device)
            self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            self._events[0].record(self._stream)
        self.begin_ns = time.perf_counter_ns()

    def launched(self, logits: torch.Tensor) -> None:
        """The pass has been launched (on a CPU: is over), and these are its logits to be."""
        self.logits = logits
        if self._events is None:
            self._host, self._end_ns = logits, time.perf_counter_ns()
            return
        import torch

        self._host = torch.empty(logits.shape, dtype=logits.dtype, pin_memory=True)
        self._host.copy_(logits, non_blocking=True)
        self._events[1].record(self._stream)

    @property
    def end_ns(self) -> int:
        """When the logits were in host memory; waits until they are. Other threads run meanwhile."""
        if self._end_ns is None:
            self._events[1].synchronize()
            self._end_ns = self.begin_ns + int(self._events[0].elapsed_time(self._events[1]) * 1e6)
        return self._end_ns

    def host_logits(self) -> NDArray[Any]:
        """The logits, once they are there: a copy."""
        assert self._host is not None, "launched() comes first"
        _ = self.end_ns  # waits
        return self._host.numpy().copy()
