"""The layers of DESIGN: reads `#include` and `import` lines and reports every arrow that points the wrong way.

An arrow that is not in the tables below is forbidden; arrows add up (mask uses parse, parse uses program, so
mask may use program). Three rules stand beside the tables: the twins import nothing of ours, only core/lower,
core/linking and the compiler see both the grammar and the program, and no module imports another module's private
names (those that begin with an underscore; the engine's module is private as a whole).

>>> closure({"mask": {"parse"}, "parse": {"program"}, "program": set()})["mask"] == {"parse", "program"}
True
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Folder under core/ -> the folders it may include, besides itself and what those may include. A file belongs to the
# deepest folder of the table that holds it.
CORE: dict[str, set[str]] = {
    "support": set(),
    "automata": {"support"},
    "vocab": {"automata"},
    "languages/regex": {"automata"},
    "languages/numbers": {"languages/regex"},
    "languages/formats": {"languages/regex"},
    "grammar": {"automata"},
    "dispatch": {"automata"},
    "templates": {"grammar"},
    "analysis": {"grammar", "dispatch"},
    "checks": {"analysis"},
    "passes": {"checks"},
    "operators": {"passes"},
    "frontends/regex": {"grammar", "languages/regex"},
    "frontends/ebnf": {"frontends/regex", "languages/numbers", "languages/formats"},
    "frontends/json_schema": {"frontends/regex", "languages/numbers", "languages/formats"},
    "frontends/lark": {"frontends/ebnf"},
    "frontends/structural_tag": {"frontends/ebnf", "frontends/json_schema"},
    "program": {"dispatch"},
    "lower": {"grammar", "program"},
    "linking": {"templates", "program"},
    "parse": {"program"},
    "mask/sets": {"parse", "vocab"},
    "mask/plan": {"parse"},
    "mask/text": {"mask/sets", "mask/plan"},
    "mask/walk": {"mask/text"},
    "mask/pool": {"mask/walk"},
    "mask/entries": {"mask/pool"},
    "mask": {"mask/entries"},
    "runtime": {"mask"},
    "bind": {"runtime", "lower", "operators", "templates", "frontends/lark", "frontends/structural_tag"},
}
# The files of a folder that may look further: they turn a source into a program.
CORE_EXCEPTIONS: dict[str, set[str]] = {
    "runtime/compiler": {"passes", "lower", "linking"},
    "runtime/compiled_template": {"linking"},
}

# part of xg2lab/ -> the parts it may import at a module's top. "top" is xg2lab/*.py, the folders that stand beside them
# (TOP_FOLDERS), and the engine.
PYTHON: dict[str, set[str]] = {
    "reference": set(),
    "top": set(),
    "lints": {"top"},
    "cli": {"top", "lints"},
    "kernels": {"top"},
    "contrib": {"top", "kernels"},
    "tiny": {"top"},
    "lab": {"top", "contrib", "tiny", "lints"},  # a pad lints what is typed
    "widgets": {"top", "lab"},
    "training": {"top", "tiny", "lab"},  # xg2lab/tiny/training: programs, imported by nobody
}
# Inside functions of xg2lab/*.py any part may be imported: that is how a light import offers heavy things.
HEAVY_MODULES = {"torch", "transformers", "tokenizers", "ipywidgets", "anywidget", "traitlets", "IPython", "jupyterlab"}
LIGHT_PARTS = {"top", "reference"}
TOP_FOLDERS = {"support", "sources", "language", "show", "compiling", "tool_calls"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Violation:
    """One forbidden arrow: the file and line it starts at, and why it may not be."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


def closure(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return for each layer all that it may reach by following arrows."""
    reached: dict[str, set[str]] = {}

    def reach(layer: str) -> set[str]:
        if layer not in reached:
            reached[layer] = set(arrows[layer])
            for below in arrows[layer]:
                reached[layer] |= reach(below)
        return reached[layer]

    for layer in arrows:
        reach(layer)
    return reached


# ---- C++ ----


def check_core(core: Path) -> Iterator[Violation]:
    """Report the forbidden includes under `core`."""
    allowed = closure(CORE)
    for path in sorted([*core.rglob("*.h"), *core.rglob("*.cc")]):
        inside = path.relative_to(core).as_posix()
        name = f"core/{inside}"
        layer = layer_of(inside)
        if layer is None:
            folder = path.parent.relative_to(core).as_posix()
            yield Violation(name, 1, f"core/{folder} is not a layer; add it to CORE in tools/check_layers.py")
            continue
        text = path.read_text(encoding="utf-8")
        may = allowed[layer] | {layer}
        for further in CORE_EXCEPTIONS.get(inside.removesuffix(path.suffix), set()):
            may |= allowed[further] | {further}
        for found in INCLUDE.finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            yield from _check_include(name, line, layer, found.group(1), may, core)


def layer_of(path: str) -> str | None:
    """Return the folder of CORE that a file under core/ belongs to: the deepest one that holds it.

    >>> layer_of("languages/regex/ast.h"), layer_of("mask/configurations.h"), layer_of("languages/ast.h")
    ('languages/regex', 'mask', None)
    """
    parts = path.split("/")[:-1]
    for n_parts in range(len(parts), 0, -1):
        folder = "/".join(parts[:n_parts])
        if folder in CORE:
            return folder
    return None


def _check_include(name: str, line: int, layer: str, target: str, may: set[str], core: Path) -> Iterator[Violation]:
    if ".." in target.split("/") or not (core / target).exists():
        yield Violation(name, line, f'"{target}" is not a file under core/; ours are included from there')
    elif layer_of(target) not in may:
        known = ", ".join(sorted(may - {layer})) or "the standard library alone"
        yield Violation(name, line, f'{layer} may not include "{target}"; it may use: {known}')


# ---- Python ----


def part_of(module: str) -> str | None:
    """Return the part of the package that a module belongs to; nothing for what is not ours.

    >>> part_of("xg2lab.lab.session.session"), part_of("xg2lab.matcher"), part_of("xg2lab"), part_of("numpy")
    ('lab', 'top', 'top', None)
    """
    words = module.split(".")
    if words[0] != "xg2lab":
        return None
    if "training" in words:
        return "training"
    return words[1] if len(words) > 1 and words[1] in PYTHON else "top"


def imported_modules(tree: ast.Module, package: str) -> Iterator[tuple[str, int, bool]]:
    """Yield each module imported, the line, and whether that runs when the file is imported."""
    deferred: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) or _is_type_checking(node):
            deferred.update(inner for inner in ast.walk(node) if isinstance(inner, (ast.Import, ast.ImportFrom)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno, node not in deferred) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module, node.lineno, node not in deferred
            # `from xg2lab import lab` imports a module as well.
            yield from ((f"{module}.{alias.name}", node.lineno, node not in deferred) for alias in node.names)


def private_imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield each private name that is imported from another Python module of ours: line, module, name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("xg2lab")):
            owner = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name.startswith("_") and alias.name != "_core" and owner != "xg2lab._core":
                    yield node.lineno, owner, alias.name


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def check_python(package: Path) -> Iterator[Violation]:
    """Report the forbidden imports under `package`, the folder xg2lab/."""
    allowed = closure(PYTHON)
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        name = f"xg2lab/{inside.as_posix()}"
        folder = inside.parts[0] if len(inside.parts) > 1 else "top"
        part = "training" if "training" in inside.parts else "top" if folder in TOP_FOLDERS else folder
        if part not in PYTHON:
            yield Violation(name, 1, f"xg2lab/{part} is not a layer; add it to PYTHON in tools/check_layers.py")
            continue
        module = ".".join(["xg2lab", *inside.parent.parts])
        seen: set[tuple[int, str]] = set()
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=name)
        for line, owner, private in private_imports(tree):
            yield Violation(
                name, line, f"{private} is private to {owner}: give it a public name in a module of its own"
            )
        for imported, line, at_once in imported_modules(tree, module):
            reason = _why_forbidden(part, imported, allowed[part] | {part}, at_once=at_once)
            if reason and (line, reason) not in seen:
                seen.add((line, reason))
                yield Violation(name, line, reason)


def _why_forbidden(part: str, imported: str, may: set[str], *, at_once: bool) -> str:
    target = part_of(imported)
    top = imported.split(".")[0]
    if part == "reference":
        if target not in {None, "reference"} and imported not in {"xg2lab", "xg2lab.reference"}:
            return f"a twin imports {imported}; an oracle shares no code with what it judges"
        if target is None and top not in sys.stdlib_module_names:
            return f"a twin imports {top}; twins use the standard library alone"
        return ""
    if target is None:
        if at_once and part in LIGHT_PARTS and top in HEAVY_MODULES:
            return f"imports {top} at its top; `import xg2lab` must stay light: import it inside the function"
        return ""
    if target not in may and (at_once or part != "top"):
        return f"{part} may not import {imported}; it may use: {', '.join(sorted(may - {part})) or 'nothing of ours'}"
    return ""


def check(root: Path = ROOT) -> list[Violation]:
    """Return every forbidden arrow in the tree at `root`."""
    return [*check_core(root / "core"), *check_python(root / "xg2lab")]


def main() -> int:
    """Print the forbidden arrows; 1 if there are any."""
    violations = check()
    for violation in violations:
        print(violation)
    if not violations:
        print("layers: every arrow points down")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
