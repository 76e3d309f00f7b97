"""Locks of the package that a child process finds open: `os.fork` copies a lock as it stands, but not its holder.

IDEA
  The forking thread takes `shared_lock` before the fork, and both sides give it back: no thread holds it while the
  process is copied, and what it guards is whole. The turns of compilers (`_core.Turns`) are anew in the child, where
  those who had taken some don't exist. The engine's own locks stand behind a gate of the same kind
  (core/support/fork_gate.h).

INVARIANT
  The holder of `shared_lock` compiles nothing, takes no other lock of Python, and calls nothing inside the engine's
  gate. The engine's mutexes that its calls do take are held only for a moment, and their holders never wait for
  `shared_lock`. So a fork waits only a short time, and the holder of the lock never waits for a forking thread.

Tests: tests/core/test_fork.py
"""

from __future__ import annotations

import os
import threading
from functools import partial

from xg2lab import _core

shared_lock = threading.RLock()  # a finalizer may want it again


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    # Functions of C, between which no interrupt comes: one that ended the wait would leave the
    # lock to a thread that the child doesn't have.
    os.register_at_fork(
        before=partial(_core.take_before_fork, shared_lock.acquire),
        after_in_parent=partial(_core.give_back_after_fork, shared_lock.release),
        after_in_child=shared_lock.release,
    )
