"""How `import xgrammar` leads to xg2lab: a finder at the head of `sys.meta_path`.

>>> import sys
>>> install()
>>> import xgrammar.testing, xg2lab.testing
>>> xgrammar.testing is xg2lab.testing
True
>>> from importlib.metadata import version
>>> version("xgrammar")
'0.2.8'
>>> uninstall()

IDEA
  A name below `xgrammar` is answered with the module of ours that has the same name: the same object, so that a class
  is one class under both names. A module is imported when the program asks for it, so nothing heavy comes before.

INVARIANTS
  I1  a module of ours keeps its own `__spec__` and `__name__`
  I2  a name that has no counterpart is not found: no folder of ours is searched for it

THREADS  `install` may be called from any thread; the import system's own locks hold below.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from types import ModuleType

from xg2lab.compat.names import MISSING_MODULES, XGRAMMAR_VERSION, modules
from xg2lab.errors import UnsupportedError

__all__ = ["install", "is_installed", "uninstall"]

ALIAS, OURS = "xgrammar", "xg2lab"


def install() -> None:
    """Let `import xgrammar` mean xg2lab in this process. Again and again has the effect of once.

    Raises
    ------
    UnsupportedError
        XGrammar itself is imported already: what holds its objects would not change.

    >>> install()
    >>> is_installed()
    True
    >>> uninstall()
    """
    if is_installed():
        return
    there = sys.modules.get(ALIAS)
    if there is not None and there is not sys.modules.get(OURS):
        raise UnsupportedError(
            f"xgrammar is already imported, from {getattr(there, '__file__', None) or 'somewhere else'}",
            hint="call xg2lab.compat.install() before anything imports xgrammar, or start the program with "
            "python -m xg2lab.compat PROGRAM",
        )
    sys.meta_path.insert(0, _FINDER)


def uninstall() -> None:
    """Take the name away again. Modules that were imported under it stay what they are.

    >>> uninstall()
    >>> is_installed()
    False
    """
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
    for name in [name for name in sys.modules if name == ALIAS or name.startswith(ALIAS + ".")]:
        ours = sys.modules.get(OURS + name.removeprefix(ALIAS))
        if sys.modules[name] is ours:
            del sys.modules[name]


def is_installed() -> bool:
    """Whether `import xgrammar` means xg2lab in this process.

    Returns
    -------
    bool
        Whether `install` was called, and no `uninstall` after it.
    """
    return _FINDER in sys.meta_path


class _Finder(DistributionFinder):
    """Answers for `xgrammar`, its submodules, and the version of its distribution."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        _ = path, target
        head, _, rest = fullname.partition(".")
        if head != ALIAS:
            return None
        if rest not in modules():
            reason = MISSING_MODULES.get(rest.split(".")[0], "xg2lab has no such module")
            raise ModuleNotFoundError(f"{fullname} is not covered by xg2lab.compat: {reason}", name=fullname)
        return ModuleSpec(fullname, _LOADER, is_package=rest in ("", "contrib", "kernels"))

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterable[Distribution]:
        name = None if context is None else context.name
        return [_Alias()] if name is None or name.lower() == ALIAS else []

    def invalidate_caches(self) -> None:
        """There is none."""


class _Loader(Loader):
    """Hands out modules of ours. The import system sets `__spec__` of what it gets; it is set back (I1)."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(OURS + spec.name.removeprefix(ALIAS))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        own = module.__spec__.loader_state
        if isinstance(own, ModuleSpec):
            module.__spec__ = own


class _Alias(Distribution):
    """The distribution that `importlib.metadata` finds: callers compare versions before they import."""

    def read_text(self, filename: str) -> str | None:
        texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {ALIAS}\nVersion: {XGRAMMAR_VERSION}\n",
            "top_level.txt": f"{ALIAS}\n",
        }
        return texts.get(filename)

    def locate_file(self, path: object) -> Path:
        return Path(__file__).parent.parent / str(path)


_FINDER, _LOADER = _Finder(), _Loader()
