"""The layer checks find planted arrows of each forbidden kind, and none in this tree."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tools.check_layers import CORE, ROOT, check, closure


def plant(root: Path, files: dict[str, str]) -> list[str]:
    (root / "core").mkdir()
    (root / "xg2lab").mkdir()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [str(violation) for violation in check(root)]


def test_this_tree_has_no_forbidden_arrow():
    assert [str(violation) for violation in check()] == []


def test_the_table_names_only_layers_and_no_circle():
    reached = closure(CORE)
    assert {below for may in CORE.values() for below in may} <= set(CORE)
    assert [layer for layer, may in reached.items() if layer in may] == []


def test_each_layer_of_the_table_exists():
    assert [layer for layer in CORE if not (ROOT / "core" / layer).is_dir()] == []


def test_an_include_that_looks_up_is_reported_with_its_line(tmp_path):
    files = {
        "core/parse/chart.h": '#pragma once\n\n#include "vocab/vocabulary.h"\n',
        "core/vocab/vocabulary.h": "#pragma once\n",
    }
    assert plant(tmp_path, files) == [
        'core/parse/chart.h:3: parse may not include "vocab/vocabulary.h"; '
        "it may use: automata, dispatch, program, support"
    ]


def test_arrows_add_up(tmp_path):
    files = {
        "core/mask/fill.cc": '#include "parse/chart.h"\n#include "program/program.h"\n#include "support/ids.h"\n',
        "core/parse/chart.h": "",
        "core/program/program.h": "",
        "core/support/ids.h": "",
    }
    assert plant(tmp_path, files) == []


def test_folders_within_a_folder_are_layers(tmp_path):
    files = {
        "core/frontends/ebnf/a.h": '#include "frontends/regex/b.h"\n#include "languages/formats/c.h"\n',
        "core/frontends/regex/b.h": '#include "frontends/ebnf/a.h"\n',
        "core/languages/formats/c.h": '#include "grammar/d.h"\n',
        "core/languages/e.h": "",
        "core/grammar/d.h": "",
    }
    assert plant(tmp_path, files) == [
        'core/frontends/regex/b.h:1: frontends/regex may not include "frontends/ebnf/a.h"; '
        "it may use: automata, grammar, languages/regex, support",
        "core/languages/e.h:1: core/languages is not a layer; add it to CORE in tools/check_layers.py",
        'core/languages/formats/c.h:1: languages/formats may not include "grammar/d.h"; '
        "it may use: automata, languages/regex, support",
    ]


def test_no_two_layers_may_include_each_other():
    reached = closure(CORE)
    assert [layer for layer in CORE if any(layer in reached[below] for below in CORE[layer])] == []


@pytest.mark.parametrize(("file", "n_violations"), [("runtime/compiler.cc", 0), ("runtime/matcher.cc", 1)])
def test_only_the_compiler_of_the_runtime_sees_the_passes(tmp_path, file, n_violations):
    found = plant(tmp_path, {f"core/{file}": '#include "passes/pipeline.h"\n', "core/passes/pipeline.h": ""})
    assert len(found) == n_violations


def test_an_unknown_folder_and_an_unknown_header_are_reported(tmp_path):
    found = plant(tmp_path, {"core/extras/a.h": "", "core/mask/a.h": '#include "../vocab/trie.h"\n'})
    assert found == [
        "core/extras/a.h:1: core/extras is not a layer; add it to CORE in tools/check_layers.py",
        'core/mask/a.h:1: "../vocab/trie.h" is not a file under core/; ours are included from there',
    ]


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        (
            "xg2lab/language/examples.py",
            "def f():\n    from xg2lab.testing import _row\n",
            "_row is private to xg2lab.testing",
        ),
        ("xg2lab/cli/a.py", "from .terminal import _say\n", "_say is private to .terminal"),
    ],
)
def test_a_private_name_of_another_module_is_reported(tmp_path, file, text, complaint):
    (found,) = plant(tmp_path, {file: text})
    assert complaint in found


def test_the_engine_module_is_open_to_the_package(tmp_path):
    text = "from xg2lab import _core\nfrom xg2lab._core import _row\nfrom __future__ import annotations\n"
    assert plant(tmp_path, {"xg2lab/a.py": text}) == []


# ---- The contracts of pyproject.toml, which import-linter checks ----


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the package in `root`. Without `site` no editable install finds this tree's."""
    program = "from importlinter.cli import lint_imports_command as run; run()"
    command = [sys.executable, "-S", "-c", program, "--no-cache"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.fspath(root), sysconfig.get_path("purelib")])}
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)


def broken(root: Path) -> list[str]:
    """The contracts that the package in `root` breaks, which has this project's."""
    ran = lint(root)
    assert "Contracts: " in ran.stdout, ran.stdout + ran.stderr
    return [line.partition(" BROKEN")[0] for line in ran.stdout.splitlines() if " BROKEN" in line]


@pytest.fixture
def copy(tmp_path) -> Path:
    """The package's modules in a folder of their own."""
    shutil.copytree(ROOT / "xg2lab", tmp_path / "xg2lab", ignore=lambda folder, names: [
        name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()
    ])  # fmt: skip
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def add(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(f"{before}\n{text}\n", encoding="utf-8")


def test_no_module_of_this_tree_breaks_a_contract(copy):
    assert broken(copy) == []


@pytest.mark.parametrize(
    ("file", "text", "contract"),
    [
        ("reference/earley.py", "from xg2lab.errors import Xg2LabError", "A module imports what stands below it"),
        (
            "reference/earley.py",
            "def f():\n    from .. import _core",
            "A twin is an oracle: it does not see the engine",
        ),
        ("cli/check.py", "from xg2lab.reference.fsm import Fsm", "A twin is an oracle: nothing of ours imports it"),
        ("matcher.py", "from .lab import session", "A module imports what stands below it"),
        ("lab/session/session.py", "def f():\n    from xg2lab import widgets", "A module imports what stands below it"),
        ("support/files.py", "from xg2lab.compiling import pool", "A module imports what stands below it"),
        (
            "cli/check.py",
            "from xg2lab.lab.session import session",
            "The command line stands on the language alone, but for four commands",
        ),
        ("lab/demo.py", "from xg2lab.tiny.training import evaluate", "Programs are imported by nobody"),
        (
            "lab/trace/steps.py",
            "from xg2lab.lab.session import session",
            "No folders and no modules of a folder import each other",
        ),
        ("widgets/views/tape.py", "import anywidget\nfrom xg2lab.lab.trace.trace import Trace", None),
    ],
)
def test_a_forbidden_import_breaks_its_contract(copy, file, text, contract):
    add(copy / "xg2lab" / file, text)
    found = broken(copy)
    assert contract in found if contract else found == []


def test_a_new_folder_has_to_be_placed(copy):
    add(copy / "xg2lab" / "extras" / "__init__.py", "")
    ran = lint(copy)
    assert ran.returncode != 0
    assert "extras" in ran.stdout


# ---- The rules of widgets/biome.json, which Biome checks ----


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("wire/chart.ts", 'import { store } from "../store";', "it imports nothing that lies outside"),
        ("store.ts", 'import { Glyph } from "./parts/glyphs";', "knows neither views nor their parts"),
        ("store.ts", 'import { views } from "./views";', "knows neither views nor their parts"),
        ("parts/small.tsx", 'import { layout } from "../views/tape/layout";', "knows no view"),
        ("views/tape/view.tsx", 'import { Pad } from "../../editor/pad_store";', "fetched later"),
        (
            "views/tape/view.tsx",
            'import { Chart } from "../../wire/chart";\nimport { Tab } from "../../parts/tabs";',
            None,
        ),
        ("bundle.ts", 'import { views } from "./views";', None),
    ],
)
def test_an_import_of_the_views_against_the_layers_is_reported(tmp_path, file, text, message):
    biome = ROOT / "widgets" / "node_modules" / ".bin" / "biome"
    if not biome.exists():
        pytest.skip("widgets/node_modules is not there: make check installs it")
    shutil.copy(ROOT / "widgets" / "biome.json", tmp_path)
    path = tmp_path / "src" / file
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    command = [biome, "lint", "--only=style/noRestrictedImports"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = " ".join((ran.stdout + ran.stderr).split())
    assert "Checked 2 files" in said
    assert message in said if message else "noRestrictedImports" not in said
