"""Modules in the place of a server's, made from the signatures that a plug-in expects.

A function of a stand-in raises when it is called, unless a test gives it a meaning. So what a plug-in uses beyond its
contract fails here, and what the contract says is what a test runs on.
"""

from __future__ import annotations

import enum
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, make_dataclass
from types import ModuleType
from typing import Any

from xg2lab.integrations.contracts import Contract


def modules_of(contract: Contract) -> dict[str, ModuleType]:
    """The modules of a contract, with all names in it."""
    made: dict[str, ModuleType] = {}
    classes: dict[str, dict[str, Any]] = {}
    signatures = dict(contract.signatures)
    for name in contract.uses:
        signatures.setdefault(name, "(self, *arguments)")
    functions: dict[str, str] = {}
    for name, parameters in signatures.items():
        module, _, path = name.partition(":")
        owner, _, method = path.rpartition(".")
        body = f"def {method}{parameters}:\n    {contract.uses.get(name, 'pass')}\n    raise NotImplementedError\n"
        if not owner:
            functions[name] = body
            continue
        scope: dict[str, Any] = {}
        exec(body, vars(_module(made, module)), scope)
        classes.setdefault(f"{module}:{owner}", {})[method] = scope[method]
    for name, body in functions.items():
        exec(body, vars(_module(made, name.partition(":")[0])))
    for name in [*contract.abstract, *contract.fields]:
        classes.setdefault(name, {})
    for name, methods in classes.items():
        for method in contract.abstract.get(name, ()):
            methods[method] = abstractmethod(methods[method])
        module, _, owner = name.partition(":")
        bases = (ABC,) if name in contract.abstract else ()
        if name in contract.fields:
            # Only an abstract class of a contract is subclassed with fields of its own.
            fields = [(each, Any) if bases else (each, Any, field(default=None)) for each in contract.fields[name]]
            cls = make_dataclass(owner, fields, bases=bases, namespace=dict(methods))
        else:
            cls = type(ABC)(owner, bases, dict(methods))
        cls.__module__ = module
        setattr(_module(made, module), owner, cls)
    for name, members in contract.members.items():
        module, _, owner = name.partition(":")
        setattr(_module(made, module), owner, enum.Enum(owner, {each: number for number, each in enumerate(members)}))
    for name in contract.names:
        module, _, path = name.partition(":")
        there = _module(made, module)
        if not hasattr(there, path):
            setattr(there, path, type(path, (Exception,), {}) if path.endswith("Error") else type(path, (), {}))
    return made


def _module(made: dict[str, ModuleType], name: str) -> ModuleType:
    """The module of that name, and the packages above it."""
    if name not in made:
        made[name] = ModuleType(name)
        made[name].__path__ = []
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(_module(made, parent), child, made[name])
    return made[name]


@contextmanager
def installed(modules: dict[str, ModuleType], plug_in: str) -> Iterator[None]:
    """Let these modules be found by import, and the plug-in's modules be loaded anew, before and after."""
    roots = {name.split(".")[0] for name in modules}
    apart = [name for name in sys.modules if name.split(".")[0] in roots or name.startswith(plug_in)]
    kept = {name: sys.modules.pop(name) for name in apart}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] in roots or name.startswith(plug_in)]:
            del sys.modules[name]
        sys.modules.update(kept)
