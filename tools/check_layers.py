"""The layers of the engine: reads `#include` lines and reports every arrow that points the wrong way.

An arrow that is not in the table below is forbidden; arrows add up (mask uses parse, parse uses program, so
mask may use program). Two rules stand beside the table: only core/lower, core/linking and the compiler see both the
grammar and the program, and no Python module imports another module's private names (those that begin with an
underscore; the engine's module is private as a whole). Which Python module may import which is in pyproject.toml, for
import-linter; which TypeScript module, in widgets/biome.json.

>>> closure({"mask": {"parse"}, "parse": {"program"}, "program": set()})["mask"] == {"parse", "program"}
True
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.violations import Violation, report

ROOT = Path(__file__).resolve().parent.parent

# Folder under core/ -> the folders it may include, besides itself and what those may include. A
# file belongs to the deepest folder of the table that holds it.
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

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


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


#: Names that begin with an underscore and are for all of the package.
PUBLIC = {"_core", "__version__"}


def private_imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield each private name that is imported from another Python module of ours: line, module, name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("xg2lab")):
            owner = "." * node.level + (node.module or "")
            for alias in node.names:
                if alias.name.startswith("_") and alias.name not in PUBLIC and owner != "xg2lab._core":
                    yield node.lineno, owner, alias.name


def check_python(package: Path) -> Iterator[Violation]:
    """Report the private names that modules under `package`, the folder xg2lab/, take from each other."""
    for path in sorted(package.rglob("*.py")):
        name = f"xg2lab/{path.relative_to(package).as_posix()}"
        for line, owner, private in private_imports(ast.parse(path.read_text(encoding="utf-8"), filename=name)):
            yield Violation(
                name, line, f"{private} is private to {owner}: give it a public name in a module of its own"
            )


def check(root: Path = ROOT) -> list[Violation]:
    """Return every forbidden arrow in the tree at `root`."""
    return [*check_core(root / "core"), *check_python(root / "xg2lab")]


def main() -> int:
    """Print the forbidden arrows; 1 if there are any."""
    return report(check(), "layers: every arrow points down")


if __name__ == "__main__":
    sys.exit(main())
