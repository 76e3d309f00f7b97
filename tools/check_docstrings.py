"""Every public name has a complete docstring: a check compares its sections with the signature, and counts.

    python -m tools.check_docstrings          # what is missing, a line each, and the count
    python -m tools.check_docstrings --all    # the complete names as well

IDEA
  Public names are those in `__all__` of the packages in `PACKAGES`, those in `__all__` of the modules that these lists
  name, and the public methods and properties of all these classes. A complete docstring has

    - a summary;
    - each parameter, with its type ("Parameters"; for a dataclass each field), and no parameter that does not exist;
    - the result, with its type ("Returns" or "Yields"), unless it is None;
    - each error of ours that the function's own body raises ("Raises");
    - an example that runs; or a call of the method in the class's example; or a line `No example: REASON.`

  A property needs a summary and an annotated type, as it is read like an attribute. A class whose docstring says "Made
  by `...`" needs no parameters, nor does an error class that takes its base's arguments.

  Names and parameters that begin with an underscore are not public. Neither are methods that a library's class already
  has (`close` of a widget), and the answers of a widget to its page's messages, `on_...`.

  The signatures of Python functions are those of `inspect`, the signatures of the engine those of the stub
  `xg2lab/_core.pyi`. Docstrings are read by `docstring_parser`, in numpydoc's style.

EXAMPLE
  >>> def double(x: int) -> int:
  ...     "Twice a number."
  ...     return 2 * x
  >>> missing(Public("double", double))
  ['no parameter `x`', 'no Returns', 'no example']

See also `tests/tools/test_docstrings.py`, and CONTRIBUTING.md.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from docstring_parser import Docstring
from docstring_parser.numpydoc import parse

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "xg2lab" / "_core.pyi"
PACKAGES = ("xg2lab", "xg2lab.flight", "xg2lab.integrations.sweep", "xg2lab.lab", "xg2lab.widgets")
MADE_BY = re.compile(r"\bMade by `")
NO_EXAMPLE = re.compile(r"^\s*No example: \S.*", re.MULTILINE)
#: Doctest's own switch to leave a line out: an example that does not run is none.
SKIPPED = "+SKIP"


@dataclass(frozen=True)
class Signature:
    """What a docstring has to explain."""

    parameters: tuple[str, ...] = ()
    returns: bool = False
    raises: tuple[str, ...] = ()


@dataclass(frozen=True)
class Public:
    """One public object: `of` is the class that a method or property belongs to."""

    name: str
    object: Any
    of: type | None = None
    is_property: bool = False

    @property
    def function(self) -> Any:
        """The function itself, without what makes it a class method, a static method or a context manager."""
        inner = self.object.fget if isinstance(self.object, property) else self.object
        inner = getattr(inner, "__func__", inner)
        return inspect.unwrap(inner) if callable(inner) else inner

    @cached_property
    def text(self) -> str:
        """The docstring, indentation removed."""
        return own_docstring(self.object) or ""

    @cached_property
    def parsed(self) -> Docstring:
        """The docstring's sections."""
        return parse(without_examples(self.text))


def own_docstring(obj: Any) -> str | None:
    """Return an object's own docstring: of a class not its base's, of an engine's function without its signatures."""
    if isinstance(obj, property):
        text = obj.__doc__
    elif isinstance(obj, type):
        text = vars(obj).get("__doc__")
    else:
        text = getattr(getattr(obj, "__func__", obj), "__doc__", None)  # of a static method, not of all of them
    if text is None:
        return None
    if is_of_engine(obj) and not isinstance(obj, type):
        text = re.sub(r"\A\w+\(.*\) -> .*\n+", "", text)
    return inspect.cleandoc(text)


def without_examples(text: str) -> str:
    r"""Return a docstring without its `>>>` blocks, which end at an empty line: the parser finds no sections in them.

    >>> print(without_examples("A number.\n\n>>> f(1)\n1\n\nSee also: g."))
    A number.
    <BLANKLINE>
    See also: g.
    """
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        inside = line.strip() != "" and (inside or line.lstrip().startswith(">>>"))
        if not inside:
            kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept))


# ---- What is public ----


def publics(packages: Iterable[str] = PACKAGES) -> list[Public]:
    """Return all public objects, each once, in the order of the lists."""
    found: dict[int, Public] = {}
    for package in packages:
        for each in _of_module(importlib.import_module(package), package, set()):
            found.setdefault(id(each.object), each)
    return list(found.values())


def _of_module(module: ModuleType, name: str, seen: set[str]) -> Iterator[Public]:
    seen.add(module.__name__)
    yield Public(name, module)
    for member in getattr(module, "__all__", ()):
        if member.startswith("_"):
            continue
        value = getattr(module, member)
        if isinstance(value, ModuleType):
            if value.__name__ not in seen and value.__name__ not in PACKAGES:
                yield from _of_module(value, f"{name}.{member}", seen)
        elif isinstance(value, type):
            yield Public(f"{name}.{member}", value)
            yield from _members(value, f"{name}.{member}")
        elif isinstance(value, FunctionType) or (callable(value) and hasattr(value, "__wrapped__")):
            yield Public(f"{name}.{member}", value)


def _members(owner: type, name: str) -> Iterator[Public]:
    """Yield the public methods and properties of a class, those of its bases among our classes too."""
    taken: set[str] = set()
    for kind in owner.__mro__:
        if not kind.__module__.startswith("xg2lab"):
            continue
        for member, value in vars(kind).items():
            if member in taken or not _is_public(owner, member):
                continue
            taken.add(member)
            if isinstance(value, property):
                yield Public(f"{name}.{member}", value, owner, is_property=True)
            elif is_of_engine(value) or isinstance(value, (FunctionType, classmethod, staticmethod)):
                yield Public(f"{name}.{member}", value, owner)


def _is_public(owner: type, member: str) -> bool:
    """Whether users read about this member here: see what is not public above."""
    if member.startswith(("_", "on_")):
        return False
    others = [kind for kind in owner.__mro__ if kind is not object and not kind.__module__.startswith("xg2lab")]
    return not any(member in vars(kind) for kind in others)


def is_of_engine(obj: Any) -> bool:
    """Whether a function or class comes from the C++ module."""
    inner = getattr(obj, "__func__", obj)
    if isinstance(inner, property):
        inner = inner.fget
    if isinstance(inner, type):
        return inner.__module__ == "xg2lab._core"
    return type(inner).__name__ in ("instancemethod", "builtin_function_or_method", "pybind11_static_property")


# ---- What a docstring has to explain ----


@cache
def _stub() -> dict[str, ast.FunctionDef]:
    """The functions of the stub by `Class.method`; of overloads the last, which takes the most."""
    found: dict[str, ast.FunctionDef] = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{part.name}": part for part in node.body if isinstance(part, ast.FunctionDef)}
    return found


def signature_of(public: Public) -> Signature:
    """Return what the docstring of a function, class or method has to explain."""
    if isinstance(public.object, type):
        return _signature_of_class(public.object)
    if is_of_engine(public.object):
        owner = next(
            kind.__name__
            for kind in (public.of.__mro__ if public.of else ())
            if f"{kind.__name__}.{public.name.rsplit('.', 1)[-1]}" in _stub()
        )
        return _signature_of_stub(_stub()[f"{owner}.{public.name.rsplit('.', 1)[-1]}"])
    function = public.function
    of_function = inspect.signature(function)
    named = [
        {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(each.kind, "") + each.name
        for each in of_function.parameters.values()
    ]
    is_bound = public.of is not None and not isinstance(public.object, staticmethod)
    returns = of_function.return_annotation not in (None, "None", inspect.Signature.empty, "NoReturn", "Never")
    return Signature(tuple(named[1:] if is_bound else named), returns, _raised(function))


def _signature_of_class(kind: type) -> Signature:
    if issubclass(kind, Enum) or MADE_BY.search(own_docstring(kind) or ""):
        return Signature()
    if issubclass(kind, BaseException) and "__init__" not in vars(kind):
        return Signature()
    if dataclasses.is_dataclass(kind):
        return Signature(tuple(each.name for each in dataclasses.fields(kind) if not each.name.startswith("_")))
    fields = getattr(kind, "model_fields", None)
    if isinstance(fields, dict):
        named = {field.alias or name: field for name, field in fields.items()}
        return Signature(tuple(name for name in named if name != "type"))  # its one value is the class's
    maker = next((owner for owner in kind.__mro__ if "__init__" in vars(owner)), object)
    if maker.__module__ == "xg2lab._core" and maker is kind:
        made = _stub().get(f"{kind.__name__}.__init__")
        return Signature() if made is None else dataclasses.replace(_signature_of_stub(made), returns=False)
    if not maker.__module__.startswith("xg2lab") or is_protocol(kind):
        return Signature()
    return dataclasses.replace(signature_of(Public(kind.__name__, vars(maker)["__init__"], maker)), returns=False)


def is_protocol(kind: type) -> bool:
    """Whether a class is a protocol: it has methods, and nobody makes one."""
    return bool(vars(kind).get("_is_protocol", False))


def _signature_of_stub(node: ast.FunctionDef) -> Signature:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    is_static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
    named = [each.arg for each in arguments[0 if is_static else 1 :]]
    named += [f"{star}{each.arg}" for star, each in (("*", node.args.vararg), ("**", node.args.kwarg)) if each]
    returns = node.returns is not None and ast.unparse(node.returns) != "None"
    return Signature(tuple(named), returns)


def _raised(function: Any) -> tuple[str, ...]:
    """Names of our errors that the function's own body raises, in the order of the code."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError):
        return ()
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(called, ast.Name) and _is_ours(_error(called.id, function)):
                names[called.id] = None
    return tuple(names)


def _error(name: str, function: Any = None) -> Any:
    from xg2lab import errors

    found = getattr(function, "__globals__", {}).get(name)
    return found or getattr(errors, name, None) or getattr(builtins, name, None)


def _is_ours(found: Any) -> bool:
    from xg2lab.errors import Xg2LabError

    return isinstance(found, type) and issubclass(found, Xg2LabError)


# ---- The comparison ----


def missing(public: Public, class_example: str = "") -> list[str]:
    """Return what a docstring lacks, a few words each; nothing if it is complete.

    Parameters
    ----------
    public : Public
        The object with the docstring.
    class_example : str
        For a method: the docstring of its class, whose example may call the method.

    Returns
    -------
    list of str
        In the order of a docstring's sections.
    """
    if not public.text.strip():
        return ["no docstring"]
    if isinstance(public.object, ModuleType):
        return []
    if public.is_property:
        return _missing_of_property(public)
    signature = signature_of(public)
    found = [*_parameters(public, signature)]
    if signature.returns and not any(each.type_name for each in public.parsed.many_returns):
        found.append("no Returns")
    named = {name.strip("` ") for each in public.parsed.raises for name in (each.type_name or "").split(",")}
    for name in signature.raises:
        wanted = _error(name, public.function)
        ways = {kind.__name__ for kind in wanted.__mro__ if _is_ours(kind)} - {"Xg2LabError"} | {name}
        if not named & ways:
            found.append(f"no Raises: {name}")
    if not (has_example(public) or f".{public.name.rsplit('.', 1)[-1]}" in _code(class_example)):
        found.append("no example")
    return found


def _missing_of_property(public: Public) -> list[str]:
    if is_of_engine(public.object):
        return []  # the stub has its type
    annotated = inspect.signature(public.function).return_annotation is not inspect.Signature.empty
    return [] if annotated else ["no type"]


def _parameters(public: Public, signature: Signature) -> Iterator[str]:
    """Yield which parameters the docstring leaves out, which it has without a type, and which do not exist."""
    documented: dict[str, bool] = {}
    for each in public.parsed.params:
        if each.args[0] in ("param", "attribute", "other_param"):  # "Parameters", "Attributes", "Other Parameters"
            documented |= {name.strip().lstrip("*"): bool(each.type_name) for name in each.arg_name.split(",")}
    known = {name.lstrip("*") for name in signature.parameters}
    further = [name for name in documented if name not in known]
    takes_further = any(name.startswith("**") for name in signature.parameters)
    for name in signature.parameters:
        if name.startswith("_") or (name.startswith("**") and further):  # its keywords are listed one by one
            continue
        if name.lstrip("*") not in documented:
            yield f"no parameter `{name}`"
        elif not documented[name.lstrip("*")] and not name.startswith("*"):
            yield f"parameter `{name}` has no type"
    if not isinstance(public.object, type) and not takes_further:
        yield from (f"there is no parameter `{name}`" for name in further)


def _code(text: str) -> str:
    """The lines of code in a docstring's examples."""
    lines = [line.strip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line.startswith((">>>", "...")) and SKIPPED not in line)


def has_example(public: Public) -> bool:
    """Whether a docstring has an example that runs, or says why it has none."""
    return bool(_code(public.text)) or NO_EXAMPLE.search(public.text) is not None


@dataclass
class Count:
    """How many names were looked at, and what those that are not complete lack."""

    n_names: int = 0
    incomplete: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __str__(self) -> str:
        n_complete = self.n_names - len(self.incomplete)
        return f"docstrings: {n_complete} of {self.n_names} public names are complete"


def count(found: Iterable[Public] | None = None) -> Count:
    """Compare the docstrings of all public objects, or of those given, with their signatures."""
    counted = Count()
    for public in publics() if found is None else found:
        counted.n_names += 1
        of_class = "" if public.of is None else own_docstring(public.of) or ""
        if lacks := missing(public, of_class):
            counted.incomplete[public.name] = lacks
    return counted


def main(arguments: list[str]) -> int:
    """Print what is missing and the count; 1 if anything is."""
    counted = count()
    if "--all" in arguments:
        for public in publics():
            if public.name not in counted.incomplete:
                print(f"{public.name}: complete")
    for name, lacks in counted.incomplete.items():
        print(f"{name}: {'; '.join(lacks)}")
    print(counted)
    return 1 if counted.incomplete else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
