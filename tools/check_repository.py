"""What the repository may hold: words and names, as STYLE asks for them, in every tracked file.

No machine's own paths, no package index by name, no note that something is unfinished, no `make` target that the
Makefile lacks, nothing built or very large; notebooks without outputs; identifiers in the glossary's words; no
assertion of a test that cannot fail. What stands in tools/allowances.toml, each with its reason, is let pass.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWANCES = ROOT / "tools" / "allowances.toml"

NOTEBOOK_CELL_LINES = 25
TRACKED_BYTES = 5_000_000  # the shipped model has about 4 MB; nothing else comes near
BUILT = re.compile(
    r"(^|/)(node_modules|dist|build|__pycache__|\.venv|\.ipynb_checkpoints)/|\.(so|o|a|whl|pyc)$|^xg2lab/widgets/static/"
)
# Written in pieces, so that this file passes its own check.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|\bfor no" r"w\b(?! on)")
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|root|home|Users)/[A-Za-z]|\b[A-Z]:\\Users\\")
PACKAGE_INDEX = re.compile(
    r"https?://(registry|index|mirror|files|download|packages|artifactory|nexus)[.\-:/]"
    r"|\bpypi\.(org|python)|--(extra-)?index-url[= ]\S+://"
)
MAKE_COMMAND = re.compile(r"`make ([a-z]+)\b")  # as prose and messages name a command
MAKE_TARGET = re.compile(r"^([a-z]+):", re.MULTILINE)
# Names, by the glossary: word in an identifier -> what to say instead.
CLASS_SUFFIXES = {"Impl": "the thing itself", "Helper": "what it does", "Manager": "what it holds or does"}
FILE_NAMES = {"utils": "what is in it", "helpers": "what is in it", "misc": "what is in it", "common": "what is in it"}
VARIABLES = {
    "ch": "byte or code_point",
    "char": "byte or code_point",
    "fa": "fsm",
    "nonterminal": "rule",
    "radix": "token_trie",
}
PYTEST_FIXTURES = {"tmp_path", "tmp_path_factory"}


@dataclass(frozen=True)
class Finding:
    """One thing in a file that should not be there."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


PROGRAM_BEGINNINGS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"!<arch>")
SOURCES = (".cc", ".h", ".ts")


def tracked_files(root: Path = ROOT) -> list[str]:
    """Return what git tracks, and what it would track if it were added."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.splitlines() if (root / name).is_file()]


def check_words(name: str, text: str) -> Iterator[Finding]:
    """Report what no file of the project may say."""
    rules = [
        ("unfinished", UNFINISHED, "finish it or leave it out: {}"),
        ("machine-path", MACHINE_PATH, "a path of one machine: {}"),
        ("package-index", PACKAGE_INDEX, "names a package index: {}"),
    ]
    for number, line in enumerate(text.splitlines(), start=1):
        for rule, pattern, message in rules:
            if (found := pattern.search(line)) is not None:
                yield Finding(name, number, rule, message.format(found.group(0)))


def make_targets(root: Path = ROOT) -> frozenset[str]:
    """Return the targets of the Makefile."""
    return frozenset(MAKE_TARGET.findall((root / "Makefile").read_text(encoding="utf-8")))


def check_commands(name: str, text: str, targets: frozenset[str]) -> Iterator[Finding]:
    """Report each `make` command in backticks whose target does not exist."""
    for number, line in enumerate(text.splitlines(), start=1):
        for target in MAKE_COMMAND.findall(line):
            if target not in targets:
                yield Finding(name, number, "command", f"the Makefile has no target `{target}`")


def check_notebook(name: str, text: str) -> Iterator[Finding]:
    """Report outputs left in a notebook, and cells too long to read aloud."""
    for number, cell in enumerate(json.loads(text)["cells"], start=1):
        if cell["cell_type"] != "code":
            continue
        n_lines = "".join(cell["source"]).count("\n") + 1
        if n_lines > NOTEBOOK_CELL_LINES:
            yield Finding(
                name, number, "cell-size", f"cell {number} has {n_lines} lines; at most {NOTEBOOK_CELL_LINES}"
            )
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield Finding(name, number, "outputs", f"cell {number} keeps its output; clear all outputs before a commit")


def python_names(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield each name that a Python file gives: the name, its line, and "class", "function" or "variable"."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            yield node.name, node.lineno, "class"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, "function"
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno, "variable"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno, "variable"


def cxx_names(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield the names that a C++ file gives, as far as a regular expression can see."""
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.split("//")[0]
        for found in re.finditer(r"\b(?:class|struct)\s+([A-Z]\w*)", code):
            yield found.group(1), number, "class"
        for found in re.finditer(r"\b[\w:>*&]+[\s*&]+([a-z]\w*)\s*(?:=|;|,|\)|\{)", code):
            yield found.group(1), number, "variable"


def vacuous_assertions(text: str) -> Iterator[tuple[int, str]]:
    """Yield each assertion of a Python file that cannot fail: its line and what it says.

    Those are constants, tuples, `... or True`, and that something is at least 0: counts and sizes always are.
    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assert) and (_is_constant(node.test) or any(map(_never_fails, ast.walk(node.test)))):
            yield node.lineno, ast.unparse(node.test)


def _is_constant(test: ast.expr) -> bool:
    return (isinstance(test, ast.Constant) and bool(test.value)) or (isinstance(test, ast.Tuple) and bool(test.elts))


def _never_fails(part: ast.AST) -> bool:
    if isinstance(part, ast.BoolOp) and isinstance(part.op, ast.Or):
        return any(map(_is_constant, part.values))
    if not isinstance(part, ast.Compare) or len(part.ops) > 1:
        return False
    left, right = ast.unparse(part.left), ast.unparse(part.comparators[0])
    return (isinstance(part.ops[0], ast.GtE) and right == "0") or (isinstance(part.ops[0], ast.LtE) and left == "0")


def check_names(name: str, text: str) -> Iterator[Finding]:
    """Report names that the glossary has a better word for."""
    stem = Path(name).stem
    if stem in FILE_NAMES:
        yield Finding(name, 1, "name", f"a file called {stem}: name it after {FILE_NAMES[stem]}")
    for given, line, kind in python_names(text) if name.endswith(".py") else cxx_names(text):
        better = _better_name(given, kind)
        if better:
            yield Finding(name, line, "name", f"`{given}`: say {better}")


def _better_name(given: str, kind: str) -> str:
    if kind == "class":
        return next((better for suffix, better in CLASS_SUFFIXES.items() if given.endswith(suffix)), "")
    if given.startswith("tmp_") and given not in PYTEST_FIXTURES:
        return "what it holds"
    return VARIABLES.get(given, "") if kind == "variable" else ""


def check_file(name: str, data: bytes) -> Iterator[Finding]:
    """Report all that is wrong with one file."""
    if BUILT.search(name):
        yield Finding(name, 1, "built", "is built or fetched, so it does not belong under version control")
        return
    if len(data) > TRACKED_BYTES:
        yield Finding(name, 1, "size", f"has {len(data):,} bytes; at most {TRACKED_BYTES:,}")
    if data.startswith(PROGRAM_BEGINNINGS):
        yield Finding(name, 1, "built", "is a program or library, so it does not belong under version control")
        return
    if "/" not in name and name.endswith(SOURCES):
        yield Finding(name, 1, "place", "is a source in the repository's root; it belongs into a folder")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    yield from check_words(name, text)
    yield from check_commands(name, text, make_targets())
    if name.endswith(".ipynb"):
        yield from check_notebook(name, text)
    if name.endswith((".py", ".cc", ".h")):
        yield from check_names(name, text)
    if name.startswith("tests/") and name.endswith(".py"):
        for line, said in vacuous_assertions(text):
            yield Finding(name, line, "vacuous", f"this assertion cannot fail: {said}")


def allowed(findings: Iterable[Finding], allowances: list[dict[str, str]]) -> Iterator[Finding]:
    """Let pass what an allowance names; report an allowance without a reason, or that nothing needs."""
    unused = {(entry["file"], entry["rule"]) for entry in allowances if entry.get("reason", "").strip()}
    granted = set(unused)
    for finding in findings:
        if (finding.path, finding.rule) in granted:
            unused.discard((finding.path, finding.rule))
        else:
            yield finding
    for path, rule in sorted(unused):
        yield Finding(path, 1, rule, f"an allowance in {ALLOWANCES.name} that nothing needs; remove it")


def check(root: Path = ROOT) -> list[Finding]:
    """Return every finding in the tree at `root`."""
    path = root / "tools" / ALLOWANCES.name
    allowances = tomllib.loads(path.read_text(encoding="utf-8")).get("allow", []) if path.exists() else []
    findings = (found for name in tracked_files(root) for found in check_file(name, (root / name).read_bytes()))
    return list(allowed(findings, allowances))


def main() -> int:
    """Print the findings; 1 if there are any."""
    findings = check()
    for finding in findings:
        print(finding)
    if not findings:
        print(f"repository: {len(tracked_files())} files in the project's words")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
