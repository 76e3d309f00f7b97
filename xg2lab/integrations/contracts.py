"""What a plug-in expects of the server around it, and in what an installed server differs.

>>> contract = Contract(
...     "an example", "1.0",
...     signatures={"xg2lab.integrations.texts:ConstrainedText.rollback": "(self, n_tokens)"},
...     fields={"xg2lab.flight:FlightGrammar": ("kind", "text")},
... )
>>> differences(contract)
['xg2lab.flight:FlightGrammar has the field options, which the plug-in does not know']

Servers have no promise for their plug-ins, so versions say little. The names, the parameters and the members on which
a plug-in stands say what matters: it refuses to start where one of them is another than it knows.

A name is "module:name" or "module:Class.method". The tests make their stand-ins for servers from the same tables.
"""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from xg2lab.errors import ArgumentError, UnsupportedError

__all__ = ["Contract", "check_contract", "differences", "is_switched_on"]

_ON, _OFF = {"1", "true", "on", "yes"}, {"", "0", "false", "off", "no"}


@dataclass(frozen=True)
class Contract:
    """The names of a server that a plug-in uses.

    Parameters
    ----------
    server : str
        The server's name, for messages.
    tried : str
        The version that the plug-in was tried or read with.
    signatures : mapping of str to str
        Functions and methods, with their parameters as in "(self, tokens)". Defaults and annotations do not count.
    abstract : mapping of str to tuple of str
        Abstract classes, with all methods that a subclass has to define.
    fields : mapping of str to tuple of str
        Dataclasses and named tuples, with all fields that their constructor takes.
    members : mapping of str to tuple of str
        Enumerations, with all members.
    names : tuple of str
        What has to be there, whatever it is.
    uses : mapping of str to str
        Functions, with the name that each looks up when it runs: the one that the plug-in replaces.
    """

    server: str
    tried: str
    signatures: Mapping[str, str] = field(default_factory=dict[str, str])
    abstract: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    names: tuple[str, ...] = ()
    uses: Mapping[str, str] = field(default_factory=dict[str, str])


def differences(contract: Contract) -> list[str]:
    """Compare the installed server with a contract. Imports the server's modules.

    Parameters
    ----------
    contract : Contract
        What a plug-in expects.

    Returns
    -------
    list of str
        A sentence for each difference; empty if there is none.
    """
    found: list[str] = []
    for name, wanted in contract.signatures.items():
        there = _look_up(name, found)
        if there is not None and (parameters := _parameters(there)) != wanted:
            found.append(f"{name} takes {parameters}, not {wanted}")
    for name, wanted in contract.abstract.items():
        if (there := _look_up(name, found)) is not None:
            found += _compared(name, "abstract method", sorted(there.__abstractmethods__), wanted)
    for name, wanted in contract.fields.items():
        if (there := _look_up(name, found)) is not None:
            found += _compared(name, "field", _fields(there), wanted)
    for name, wanted in contract.members.items():
        if (there := _look_up(name, found)) is not None:
            found += _compared(name, "member", list(there.__members__), wanted)
    for name in contract.names:
        _look_up(name, found)
    for name, used in contract.uses.items():
        there = _look_up(name, found)
        if there is not None and used not in there.__code__.co_names:
            found.append(f"{name} does not look up {used}, which the plug-in replaces")
    return found


def check_contract(contract: Contract, version: str) -> None:
    """Refuse a server that differs from what a plug-in expects.

    Parameters
    ----------
    contract : Contract
        What the plug-in expects.
    version : str
        The version of the installed server, for the message.

    Raises
    ------
    UnsupportedError
        With every difference.
    """
    found = differences(contract)
    if found:
        listed = "\n".join(f"  - {each}" for each in found)
        raise UnsupportedError(
            f"this {contract.server} ({version}) is not the one that xg2lab's plug-in knows:\n{listed}",
            hint=f"the plug-in was written for {contract.server} {contract.tried}; install that, or switch the "
            "plug-in off",
        )


def is_switched_on(variable: str) -> bool:
    """Whether an environment variable switches a plug-in on.

    Parameters
    ----------
    variable : str
        The variable's name. "1", "true", "on" and "yes" switch on; unset, empty, "0", "false", "off" and "no" do not.

    Returns
    -------
    bool
        Whether the plug-in is wanted.

    Raises
    ------
    ArgumentError
        Its value is another.

    >>> is_switched_on("XG2LAB_A_VARIABLE_THAT_NOBODY_SETS")
    False
    """
    value = os.environ.get(variable, "").strip().lower()
    if value not in _ON | _OFF:
        raise ArgumentError(
            f"{variable} is {value!r:.40}", hint=f"set {variable}=1 to switch the plug-in on, 0 for off"
        )
    return value in _ON


def _look_up(name: str, found: list[str]) -> Any:
    """The thing of that name; where it is missing, None and a sentence in `found`."""
    module_name, _, path = name.partition(":")
    try:
        thing: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        found.append(f"{module_name} can't be imported: {error}")
        return None
    for part in path.split("."):
        if not hasattr(thing, part):
            found.append(f"{name} does not exist")
            return None
        thing = inspect.getattr_static(thing, part) if inspect.isclass(thing) else getattr(thing, part)
    return thing


def _parameters(thing: Any) -> str:
    """The parameters' names of a function, a static method or a property."""
    function = getattr(thing, "__func__", None) or getattr(thing, "fget", None) or thing
    signature = inspect.signature(function)
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return f"({', '.join(stars.get(each.kind, '') + each.name for each in signature.parameters.values())})"


def _fields(there: Any) -> list[str]:
    """The fields of a dataclass or a named tuple."""
    if not dataclasses.is_dataclass(there):
        return list(there._fields)
    return [each.name for each in dataclasses.fields(there) if each.init]


def _compared(name: str, what: str, there: list[str], wanted: tuple[str, ...]) -> list[str]:
    more = [f"{name} has the {what} {each}, which the plug-in does not know" for each in there if each not in wanted]
    return more + [f"{name} has no {what} {each}" for each in wanted if each not in there]
