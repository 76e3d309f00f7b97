"""`python -m xg2lab`: the command line."""

from __future__ import annotations

import sys


def run() -> int:
    """Run the command line with the arguments of the process."""
    from xg2lab.cli import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
