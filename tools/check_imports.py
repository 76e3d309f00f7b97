"""Every package that is imported is declared: reads import lines and compares them with pyproject.toml's extras.

An import counts wherever it stands in a file, in functions too, and so do the names given to `import_module`,
`importorskip` and `find_spec`. Three rules stand beside: no module of the package imports what only POSIX has (`fcntl`,
`resource`, ...) when it is loaded; what UNDECLARED calls deferred is imported inside functions; twins import the
standard library alone.

>>> distribution("PIL"), distribution("nbformat")
('pillow', 'nbformat')

See also `[tool.importlinter]` in pyproject.toml, which judges the imports of our own modules.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.violations import Violation, report

ROOT = Path(__file__).resolve().parent.parent
TWINS = "xg2lab/reference/"
OURS = {"xg2lab", "tools", "tests", "benchmarks", "campaign"}
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}

#: A folder or file -> the extras whose packages it may import, beside those that every
#: installation has. The longest match decides.
PLACES: dict[str, tuple[str, ...]] = {
    "xg2lab": (),
    "xg2lab/show/dot.py": ("pictures",),
    "xg2lab/integrations": ("ray", "serve"),
    "xg2lab/kernels": ("torch",),
    "xg2lab/contrib": ("hf",),
    "xg2lab/lab": ("hf",),
    "xg2lab/lsp": ("lsp",),
    "xg2lab/cli/server.py": ("lsp",),
    "xg2lab/tiny": ("hf",),
    "xg2lab/widgets": ("widgets",),
    "xg2lab/widgets/pictures.py": ("widgets", "pictures"),
    "notebooks": ("lab",),
    "tools": ("dev",),
    "tools/backend.py": (),
    "tests": ("test",),
    "conftest.py": ("test",),
    "benchmarks": ("bench",),
    "campaign": ("campaign",),
}
#: Name of an import -> its distribution, where they differ by more than hyphens.
DISTRIBUTIONS = {"PIL": "pillow", "websocket": "websocket-client", "xdist": "pytest-xdist"}
#: (place, import): why no extra names it.
UNDECLARED: dict[tuple[str, str], str] = {
    ("xg2lab/bitmask.py", "torch"): "deferred: bitmasks are tensors where torch is installed, arrays elsewhere",
    ("xg2lab/lab/schema", "pydantic_core"): "comes with pydantic, whose checks are made of it",
    ("xg2lab/lab/trace/reading.py", "pydantic_core"): "comes with pydantic, whose checks are made of it",
    ("xg2lab/lab/schema", "typing_extensions"): "comes with pydantic, which asks for its TypedDict before Python 3.12",
    ("xg2lab/errors.py", "IPython"): "deferred: IPython itself calls the method that imports it",
    ("xg2lab/widgets/views/compare.py", "IPython"): "deferred: IPython itself calls the method that imports it",
    ("xg2lab/tokenizer_readers.py", "sentencepiece"): "deferred: reads a file of a user who has it",
    ("xg2lab/integrations", "sglang"): "the server whose plug-in it is",
    ("xg2lab/integrations", "tensorrt_llm"): "the server whose plug-in it is",
    ("xg2lab/integrations", "vllm"): "the server whose plug-in it is",
    ("xg2lab/kernels", "mlx"): "deferred: exists on Apple's processors alone",
    ("xg2lab/kernels", "triton"): "comes with torch where a GPU can use it",
    ("tools/backend.py", "scikit_build_core"): "in [build-system]",
    ("tests", "IPython"): "comes with ipykernel",
    ("tests", "outlines"): "a test skips where it is missing",
    ("tests", "sglang"): "a test skips where it is missing",
    ("xg2lab/compat/children", "sitecustomize"): "that of the user's Python, if it has one",
    ("tests", "mlx"): "a test skips where it is missing",
    ("tests", "mlx_lm"): "a test skips where it is missing",
    ("tests", "llama_cpp"): "a test skips where it is missing",
    ("tests", "gguf"): "a test skips where it is missing",
    ("tools/serving_masks.py", "vllm"): "runs in the environment of vLLM, which tools/serving.py makes",
    ("tests", "triton"): "a test skips where it is missing",
    ("tests", "llguidance"): "a test skips where it is missing",
    ("tests", "ray"): "a test skips where it is missing",
    ("tests", "vllm"): "a test skips where it is missing",
    ("tests", "xgrammar"): "a test skips where it is missing",
    ("xg2lab/lab/engines", "jsonschema"): "deferred: the judge says so where it is not installed",
    ("xg2lab/lab/engines", "llguidance"): "an engine of others, looked at where it is installed",
    ("xg2lab/lab/engines", "referencing"): "comes with jsonschema, whose references it resolves",
    ("xg2lab/lab/engines", "xgrammar"): "an engine of others, looked at where it is installed",
    ("benchmarks", "outlines"): "runs in an environment of its own, which the benchmark makes",
}
_NAMING_CALLS = ("import_module", "importorskip", "find_spec")


@dataclass(frozen=True)
class Import:
    """One import: the package's name, the line, and whether it happens when the file is loaded."""

    name: str
    line: int
    at_once: bool


def distribution(name: str) -> str:
    """Return the normalized name of the distribution that an import comes from."""
    return normalized(DISTRIBUTIONS.get(name, name))


def normalized(name: str) -> str:
    """Return a distribution's name as package indexes compare it.

    >>> normalized("Mistral_common")
    'mistral-common'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(pyproject: dict[str, Any], extra: str | None = None) -> set[str]:
    """Return the distributions of an extra, with those of the extras it builds on; without one, the dependencies.

    >>> project = {"dependencies": ["numpy>=2"], "optional-dependencies": {"a": ["x[b]>=1"], "b": ["me[a]", "y"]}}
    >>> sorted(declared({"project": {"name": "me", **project}}, "b"))
    ['x', 'y']
    """
    project = pyproject["project"]
    lines = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    found: set[str] = set()
    for line in lines:
        name, inner = re.match(r"([\w.-]+)(?:\[([\w,\s-]*)\])?", line).groups()  # type: ignore[union-attr]
        if name == project["name"]:
            found |= {each for one in inner.split(",") for each in declared(pyproject, one.strip())}
        else:
            found.add(normalized(name))
    return found


def imports(tree: ast.AST, *, at_once: bool = True) -> Iterator[Import]:
    """Yield the packages that a file imports, our own relative imports aside; those for type checkers are left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        is_deferred = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if isinstance(node, ast.Import):
            yield from (Import(alias.name.split(".")[0], node.lineno, at_once) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield Import(node.module.split(".")[0], node.lineno, at_once)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in _NAMING_CALLS and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and not first.value.startswith("."):
                yield Import(first.value.split(".")[0], node.lineno, at_once)
        yield from imports(node, at_once=at_once and not is_deferred)


def _place_of(path: str, places: set[str]) -> str | None:
    """The longest of `places` that `path` is or lies in."""
    fitting = [place for place in places if path == place or path.startswith(place + "/")]
    return max(fitting, key=len, default=None)


def check(root: Path = ROOT, exempt: Mapping[tuple[str, str], str] = UNDECLARED) -> list[Violation]:
    """Return every import in the tree at `root` that is not declared or does not work everywhere."""
    pyproject = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    always = declared(pyproject)
    found: list[Violation] = []
    unused = set(exempt)
    for top in sorted({place.split("/")[0] for place in PLACES}):
        for path in sorted((root / top).rglob("*.py")) if (root / top).is_dir() else [root / top]:
            if not path.is_file():
                continue
            name = path.relative_to(root).as_posix()
            place = _place_of(name, set(PLACES))
            assert place is not None, name
            allowed = always.union(*(declared(pyproject, extra) for extra in PLACES[place]))
            for each in imports(ast.parse(path.read_text(encoding="utf-8"), filename=name)):
                if top == "xg2lab" and each.name in POSIX_ONLY and each.at_once:
                    reason = f"imports {each.name}, which Windows lacks, when it is loaded: import it where it is used"
                    found.append(Violation(name, each.line, reason))
                if name.startswith(TWINS) and each.name not in {*sys.stdlib_module_names, "xg2lab"}:
                    reason = f"a twin imports {each.name}; twins use the standard library alone"
                    found.append(Violation(name, each.line, reason))
                    continue
                if each.name in sys.stdlib_module_names or each.name in OURS or distribution(each.name) in allowed:
                    continue
                known = next((key for key in exempt if key[1] == each.name and _place_of(name, {key[0]})), None)
                if known is None:
                    found.append(Violation(name, each.line, _undeclared(each, place)))
                elif each.at_once and exempt[known].startswith("deferred"):
                    reason = (
                        f"imports {each.name} at its top; `import xg2lab` stays light: import it inside the function"
                    )
                    found.append(Violation(name, each.line, reason))
                unused.discard(known or ("", ""))
    return found + [
        Violation(place, 1, f"UNDECLARED in tools/check_imports.py names {name}, which nothing there imports")
        for place, name in sorted(unused)
    ]


def _undeclared(found: Import, place: str) -> str:
    extras = ", ".join(PLACES[place]) or "[project] dependencies"
    return f"imports {found.name}, and pyproject.toml does not declare {distribution(found.name)} in {extras}"


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    return report(check(), "imports: every package is declared")


if __name__ == "__main__":
    sys.exit(main())
