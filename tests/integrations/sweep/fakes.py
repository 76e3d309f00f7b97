"""Engines that go wrong on purpose, for the processes of a sweep: named "tests.integrations.sweep.fakes:Class"."""

import os
import signal
import threading
from pathlib import Path

from xg2lab.integrations.sweep.engines import WarmEngine


class Crashing(WarmEngine):
    """Ends its process where a schema says so."""

    name = "crashing"

    def compile(self, source, info):
        if "crash" in source.text:
            os.kill(os.getpid(), signal.SIGSEGV)
        super().compile(source, info)


class Hanging(WarmEngine):
    """Never returns where a schema says so."""

    name = "hanging"

    def compile(self, source, info):
        if "hang" in source.text:
            threading.Event().wait()
        super().compile(source, info)


class Lax(WarmEngine):
    """Allows everything in its masks, and refuses what it should in `accept`."""

    name = "lax"

    def fill(self, row):
        row.fill(-1)

    def fork(self):
        other = super().fork()
        other.__class__ = Lax
        return other


class Failing(WarmEngine):
    """Raises in the middle of a text, and can't fork."""

    name = "failing"

    def accept(self, token_id):
        raise ZeroDivisionError("no such luck")

    def fork(self):
        raise NotImplementedError


class Gated(WarmEngine):
    """Waits at a schema that names a file until the file is there."""

    name = "gated"

    def compile(self, source, info):
        if '"gate:' in source.text:
            gate = Path(source.text.partition("gate:")[2].partition('"')[0])
            while not gate.exists():
                threading.Event().wait(0.02)
        super().compile(source, info)


def place(cls):
    return f"{__name__}:{cls.__name__}"
