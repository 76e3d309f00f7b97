"""`python -m campaign.entry_drive NAME ...`: one entry point under atheris; the rest of the line is libFuzzer's.

The package is imported here first, so that atheris finds every module of it while it is loaded.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def main(words: list[str]) -> None:
    """Instruments, then runs until libFuzzer's own limits end it."""
    atheris: Any = import_module("atheris")
    name = words[0]
    atheris.enabled_hooks.add("str")
    with atheris.instrument_imports(include=["xg2lab"]):
        targets = import_module("campaign.entry_targets")
        for data in targets.seeds(name):
            targets.run(name, data)  # loads what the target imports

    def run(data: bytes) -> None:
        targets.run(name, bytes(data))

    atheris.Setup([sys.argv[0], *words[1:]], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
