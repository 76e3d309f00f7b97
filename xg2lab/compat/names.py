"""The public names of XGrammar's Python package, and which of them are not here, or are otherwise.

>>> modules()[:3], "base" in modules()
(['', 'builtin_structural_tag', 'compiler'], False)
>>> MISSING["contrib.mlxlm.main"]
'the command line of an example'

The facts are in `xgrammar_names.toml`, once: `alias.py` answers imports from them, `python -m xg2lab.compat` prints
them, and tests/guide/test_drop_in_names.py compares each with ours.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = [
    "DEFAULTS",
    "DIFFERENT",
    "MISSING",
    "MISSING_MODULES",
    "XGRAMMAR_VERSION",
    "NameCoverage",
    "coverage",
    "modules",
    "names",
]

#: The version whose names these are.
XGRAMMAR_VERSION = "0.2.8"

# What we don't have, or have otherwise, and why. docs/drop_in.md tells users of those that they
# may meet.
MISSING = {
    "contrib.mlxlm.main": "the command line of an example",
    "contrib.mlxlm.parse_args": "the command line of an example",
    "kernels.apply_token_bitmask_inplace_torch.apply_token_bitmask_inplace_kernel_indices_torch": "an inner part",
    "kernels.apply_token_bitmask_inplace_torch.apply_token_bitmask_inplace_kernel_no_indices_torch": "an inner part",
    "kernels.apply_token_bitmask_inplace_torch_compile"
    ".apply_token_bitmask_inplace_kernel_indices_torch_compile": "an inner part",
    "kernels.apply_token_bitmask_inplace_torch_compile"
    ".apply_token_bitmask_inplace_kernel_no_indices_torch_compile": "an inner part",
    "kernels.apply_token_bitmask_inplace_triton.apply_token_bitmask_inplace_kernel": "an inner part",
}
#: Modules of XGrammar that have no counterpart.
MISSING_MODULES = {
    "_version": "how its version is found",
    "base": "how its binding is loaded",
    "libxgrammar_bindings": "how its binding is loaded",
    "load_binding": "how its binding is loaded",
    "tvm_ffi_binding": "how its binding is loaded",
}
DIFFERENT = {
    "**kwargs": "the families' functions swallow unknown keywords there; ours refuse them, as nothing would keep them",
}
DEFAULTS = {
    ("any_order", "False"): (
        "None",
        "None is the schema's order where `strict_mode` is on, as there, and any where not",
    ),
}


@cache
def names() -> dict[str, dict[str, str]]:
    """Read the names.

    Returns
    -------
    dict of str to dict
        By module ("" is the package itself): each name, and what it is. The file's head explains the words.

    >>> names()["exception"]["InvalidJSONError"]
    'class'
    """
    return tomllib.loads((Path(__file__).parent / "xgrammar_names.toml").read_text(encoding="utf-8"))


@cache
def modules() -> list[str]:
    """List the modules of XGrammar that have a counterpart of the same name here, packages among them.

    Returns
    -------
    list of str
        Below `xgrammar`, sorted; "" is the package itself.
    """
    found = set(names())
    for name in names():
        parts = name.split(".")
        found |= {".".join(parts[:n]) for n in range(1, len(parts))}
    return sorted(found)


@dataclass(frozen=True)
class NameCoverage:
    """How much of XGrammar's names is here.

    Parameters
    ----------
    n_modules, n_names : int
        The modules and names that are covered.
    missing : dict of str to str
        Names and modules without a counterpart, each with its reason.
    different : dict of str to str
        Parameters and defaults that differ, each with its reason.

    >>> NameCoverage(1, 2, {"base": "how its binding is loaded"}, {}).missing
    {'base': 'how its binding is loaded'}
    """

    n_modules: int
    n_names: int
    missing: dict[str, str]
    different: dict[str, str]

    def text(self) -> str:
        """Write it for a terminal.

        Returns
        -------
        str
            A line for each name that is missing or different.

        >>> print(NameCoverage(1, 2, {"base": "how its binding is loaded"}, {}).text().splitlines()[1])
        not covered  xgrammar.base: how its binding is loaded
        """
        lines = [f"covered      {self.n_names} names of xgrammar {XGRAMMAR_VERSION} in {self.n_modules} modules"]
        lines += [f"not covered  xgrammar.{name}: {reason}" for name, reason in self.missing.items()]
        lines += [f"different    {name}: {reason}" for name, reason in self.different.items()]
        return "\n".join([*lines, "behavior     docs/drop_in.md lists what differs on purpose"])


def coverage() -> NameCoverage:
    """Count what is covered, and list what is not.

    Returns
    -------
    NameCoverage
        The lists are those that the tests hold against the code.

    >>> coverage().missing["base"]
    'how its binding is loaded'
    """
    n_names = sum(len(inner) for inner in names().values()) - len(MISSING)
    different = dict(DIFFERENT)
    for (name, theirs), (ours, reason) in DEFAULTS.items():
        different[f"{name}={theirs}"] = f"here {name}={ours}: {reason}"
    return NameCoverage(len(modules()), n_names, {**MISSING, **MISSING_MODULES}, different)
