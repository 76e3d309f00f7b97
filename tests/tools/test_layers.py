"""The layer check finds planted arrows of each forbidden kind, and none in this tree."""

from pathlib import Path

import pytest

from tools.check_layers import CORE, PYTHON, ROOT, check, closure


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


def test_the_tables_name_only_layers_and_no_circle():
    for table in (CORE, PYTHON):
        reached = closure(table)
        assert {below for may in table.values() for below in may} <= set(table)
        assert [layer for layer, may in reached.items() if layer in may] == []


def test_each_layer_of_the_tables_exists():
    """`top` and `training` are no folders right below xg2lab/: see PYTHON."""
    assert [layer for layer in CORE if not (ROOT / "core" / layer).is_dir()] == []
    assert [part for part in {*PYTHON} - {"top", "training"} if not (ROOT / "xg2lab" / part).is_dir()] == []
    assert (ROOT / "xg2lab" / "tiny" / "training").is_dir()


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
        ("xg2lab/reference/earley.py", "from xg2lab.errors import Xg2LabError\n", "an oracle shares no code"),
        ("xg2lab/reference/earley.py", "def f():\n    from .. import _core\n", "an oracle shares no code"),
        ("xg2lab/reference/earley.py", "import numpy\n", "the standard library alone"),
        ("xg2lab/matcher.py", "from .lab import session\n", "top may not import xg2lab.lab"),
        ("xg2lab/matcher.py", "import torch\n", "must stay light"),
        (
            "xg2lab/language/examples.py",
            "def f():\n    from xg2lab.testing import _row\n",
            "_row is private to xg2lab.testing",
        ),
        ("xg2lab/cli/a.py", "from .terminal import _say\n", "_say is private to .terminal"),
        (
            "xg2lab/lab/session/session.py",
            "def f():\n    from xg2lab import widgets\n",
            "lab may not import xg2lab.widgets",
        ),
        ("xg2lab/extras/a.py", "", "is not a layer"),
    ],
)
def test_a_forbidden_import_is_reported(tmp_path, file, text, complaint):
    found = plant(tmp_path, {file: text})
    assert len(found) >= 1
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("xg2lab/reference/earley.py", "import re\nfrom .fsm import Fsm\nfrom xg2lab.reference.fsm import Fsm\n"),
        (
            "xg2lab/a.py",
            "from xg2lab import _core\nfrom xg2lab._core import _row\nfrom __future__ import annotations\n",
        ),
        ("xg2lab/__init__.py", "def f():\n    from xg2lab import widgets\n    import torch\n"),
        ("xg2lab/bitmask.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n"),
        ("xg2lab/widgets/views/tape.py", "import anywidget\nfrom xg2lab.lab.trace.trace import Trace\n"),
    ],
)
def test_an_allowed_import_is_not(tmp_path, file, text):
    assert plant(tmp_path, {file: text}) == []
