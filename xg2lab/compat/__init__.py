"""The name `xgrammar` for xg2lab, in a process: for programs that import XGrammar and can't be changed.

    python -m xg2lab.compat                               what is covered, and what is not
    python -m xg2lab.compat program.py --its arguments    run a program, with all processes that it starts
    python -m xg2lab.compat -m package.server ...         the same for a module

>>> from xg2lab import compat
>>> "xgrammar" in compat.coverage().text()
True

In a program of one's own, `install()` does it, before anything imports XGrammar:

    import xg2lab.compat
    xg2lab.compat.install()
    import xgrammar as xgr                                # this is xg2lab

See also: docs/drop_in.md; `alias.py`, how a name leads to another module; `names.py`, what XGrammar's names are.
"""

from __future__ import annotations

from xg2lab.compat.alias import install, is_installed, uninstall
from xg2lab.compat.names import XGRAMMAR_VERSION, NameCoverage, coverage

__all__ = ["XGRAMMAR_VERSION", "NameCoverage", "coverage", "install", "is_installed", "uninstall"]
