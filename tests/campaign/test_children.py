"""What becomes of a child: real ones that return, refuse, fail, crash, sleep, spin, and take all memory."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from campaign.children import Limits, Peak, Tell, run_child
from xg2lab.errors import GrammarError

LIMITS = Limits(cpu_s=60, wall_s=300)


def test_a_call_that_returns_is_ok_and_all_it_told_arrives():
    result = run_child(lambda tell: [tell({"i": i, "text": "ü\n" * 1000}) for i in range(100)], LIMITS)
    assert (result.kind, result.detail) == ("ok", "")
    assert [told["i"] for told in result.told] == list(range(100))
    assert result.told[0]["text"] == "ü\n" * 1000


def test_an_error_of_ours_is_typed_and_another_is_not():
    def refuse(tell: Tell):
        raise GrammarError("no\nsuch rule")

    def fail(tell: Tell):
        tell({"where": "compile"})
        raise KeyError("line")

    refused = run_child(refuse, LIMITS)
    assert (refused.kind, refused.detail) == ("typed", "GrammarError: no | such rule")
    failed = run_child(fail, LIMITS)
    assert (failed.kind, failed.detail, failed.told) == ("untyped", "KeyError: 'line'", [{"where": "compile"}])
    assert run_child(fail, LIMITS, typed=(KeyError,)).kind == "typed"


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_signal_is_a_crash_and_what_was_told_before_is_known(name: str):
    def die(tell: Tell):
        tell({"where": "mask"})
        signal.signal(signal.SIGABRT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.Signals[name])
        time.sleep(60)

    result = run_child(die, LIMITS)
    assert (result.kind, result.told) == ("crash", [{"where": "mask"}])
    assert result.detail.startswith(name)


def test_a_null_pointer_is_a_crash():
    assert run_child(lambda tell: ctypes.string_at(0), LIMITS).kind == "crash"


def test_what_is_said_on_stderr_goes_with_a_crash():
    def die(tell: Tell):
        os.write(2, b"assertion I7 does not hold\n")
        os.abort()

    result = run_child(die, LIMITS)
    assert result.kind == "crash"
    assert "assertion I7 does not hold" in result.detail


def test_an_exit_in_the_middle_is_a_crash():
    result = run_child(lambda tell: os._exit(3), LIMITS)
    assert (result.kind, result.detail) == ("crash", "exit status 3")


def test_sys_exit_is_an_error_that_is_not_ours():
    assert run_child(lambda tell: sys.exit(3), LIMITS).kind == "untyped"


def test_a_child_that_sleeps_is_over_by_the_clock():
    def sleep(tell: Tell):
        tell({"where": "step 3"})
        time.sleep(600)

    result = run_child(sleep, Limits(cpu_s=60, wall_s=1))
    assert (result.kind, result.told) == ("over", [{"where": "step 3"}])
    assert "by the clock" in result.detail


def test_a_child_that_spins_is_over_by_processor_time():
    def spin(tell: Tell):
        while True:
            pass

    result = run_child(spin, Limits(cpu_s=1, wall_s=600))
    assert (result.kind, result.detail) == ("over", "more than 1 s of processor time")


def test_a_child_that_takes_all_memory_says_so():
    def grow(tell: Tell):
        tell({"where": "compile"})
        bytearray(512 << 20)

    result = run_child(grow, Limits(cpu_s=60, wall_s=300, address_bytes=128 << 20))
    assert (result.kind, result.told) == ("memory", [{"where": "compile"}])


def test_the_peak_counts_what_the_child_took_and_not_its_parent():
    held = bytearray(os.urandom(1 << 20) * 64)

    def grow(tell: Tell):
        peak = Peak()
        with mmap.mmap(-1, 64 << 20) as data:  # from the system: a heap would reuse what the parent had free
            for at in range(0, len(data), mmap.PAGESIZE):
                data[at] = 1
        tell({"bytes": peak.bytes()})

    result = run_child(grow, LIMITS)
    assert 16 << 20 < result.told[0]["bytes"] < 160 << 20
    assert len(held) == 64 << 20


def children() -> set[str]:
    """The processes that this one has as children, dead ones that nobody waited for included."""
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


def test_no_child_is_left_behind():
    before = children()  # a test in the same process may have started some that still run
    run_child(lambda tell: None, LIMITS)
    run_child(lambda tell: time.sleep(600), Limits(cpu_s=60, wall_s=0.2))
    assert children() <= before
