"""Engines by name: ours, the peers, and any class as "package.module:Class".

>>> engine_names()
('xg2lab', 'xg2lab-pda', 'xg2lab-plain', 'xgrammar', 'llguidance')
>>> made("xg2lab-pda").name
'xg2lab-pda'
>>> made("xgramma")
Traceback (most recent call last):
xg2lab.lab.engines.protocol.EngineError: xgramma: there is no engine of this name
  hint: one of xg2lab, xg2lab-pda, xg2lab-plain, xgrammar, llguidance, or "package.module:Class"
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from xg2lab.lab.engines.protocol import Engine, EngineError

__all__ = ["KnownEngine", "engine_names", "is_ours", "known_engines", "made"]

_CLASSES = {
    "xg2lab": "xg2lab.lab.engines.ours:OurEngine",
    "xg2lab-pda": "xg2lab.lab.engines.ours:OurPushdownEngine",
    "xg2lab-plain": "xg2lab.lab.engines.ours:OurPlainEngine",
    "xgrammar": "xg2lab.lab.engines.peer_xgrammar:XGrammarEngine",
    "llguidance": "xg2lab.lab.engines.peer_llguidance:LlGuidanceEngine",
}


class KnownEngine(NamedTuple):
    """What a choice of engines says about one, without importing it: `version` is "" where it is not installed."""

    name: str
    what: str
    version: str
    install: str


_WHAT = {
    "xg2lab": "ours: Earley's parser",
    "xg2lab-pda": "ours: a pushdown automaton on bytes",
    "xg2lab-plain": "ours: no passes, no caches",
    "xgrammar": "mlc-ai/xgrammar",
    "llguidance": "guidance-ai/llguidance",
}


def known_engines() -> list[KnownEngine]:
    """The engines that have names, in their order. No package of a peer is imported.

    >>> [one.name for one in known_engines() if not one.install]
    ['xg2lab', 'xg2lab-pda', 'xg2lab-plain']
    """
    return [_known(name) for name in _CLASSES]


def _known(name: str) -> KnownEngine:
    if is_ours(name):
        from xg2lab import __version__

        return KnownEngine(name, _WHAT[name], __version__, "")
    try:
        installed = version(name)
    except PackageNotFoundError:
        installed = ""
    return KnownEngine(name, _WHAT[name], installed, _install(name))


def _install(name: str) -> str:
    return f"pip install {name}"


def engine_names() -> tuple[str, ...]:
    """Return the names of the engines that the lab knows, installed or not.

    Returns
    -------
    tuple of str
        Ours first.

    >>> "llguidance" in engine_names()
    True
    """
    return tuple(_CLASSES)


def is_ours(name: str) -> bool:
    """Whether an engine is our own, which needs no process of its own."""
    return name in _CLASSES and name.startswith("xg2lab")


def made(name: str) -> Engine:
    """An engine of this name. Raises `EngineError` if there is none, or its package is not installed."""
    path = _CLASSES.get(name, name if ":" in name else "")
    if not path:
        hint = f'one of {", ".join(_CLASSES)}, or "package.module:Class"'
        raise EngineError(name, "missing", "there is no engine of this name", hint=hint)
    module, _, cls = path.partition(":")
    try:
        engine: object = getattr(import_module(module), cls)()
    except (ImportError, AttributeError, ValueError) as error:
        known = name in _CLASSES
        hint = _install(name) if known else 'write "package.module:Class", importable from here'
        raise EngineError(name, "missing", f"it can't be imported: {error}", hint=hint) from error
    if not isinstance(engine, Engine):
        hint = "see xg2lab.lab.engines.Engine"
        raise EngineError(name, "missing", "the class lacks members of the protocol", hint=hint)
    return engine
