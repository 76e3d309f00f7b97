"""An sdist of this tree makes a wheel that holds all, and in an empty environment every view of it is drawn."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.ui.conftest import write_notebook
from tests.ui.jupyter import Lab
from tools.bundle import EXTENSION, SOURCES, STATIC
from tools.running import ROOT, VENV, clean_environment

MODELS = [ROOT / "xg2lab" / "tiny" / name for name in ("tiny", "tiny_early")]
#: Compiled as fast as can be: what is tested is what gets into the wheel, not how fast it runs.
#: ccache has the set-up's units, which were compiled with the usual flags.
QUICK = [] if shutil.which("ccache") else ["cmake.build-type=Debug", "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O0"]
#: A session that some of each view's marks can be drawn of, with nothing but the engine. A cell, a
#: view.
CELLS = [
    """import xg2lab as xgr
from xg2lab import widgets
tokens = [bytes([byte]) for byte in range(256)] + [b"true", b"false", b"</s>"]
info = xgr.TokenizerInfo(tokens, stop_token_ids=[258])
session = xgr.Session('root ::= "[" value ("," value)* "]"\\nvalue ::= "true" | "false" | [0-9]{1,3}', info)
session.force("[true,12")
session.select(step=2, token=65)""",
    "widgets.Audit(session)",
    "widgets.BeamView(session)",
    "widgets.CacheView(session)",
    "widgets.ChartView(session)",
    "widgets.Compare(session)",
    "widgets.CostTable(session)",
    "widgets.DispatchView(session)",
    "widgets.DistView(session)",
    'widgets.ExampleBench(widgets.GrammarPad(session=session), [("[1]", True)])',
    "widgets.FsmView(session)",
    "widgets.GrammarPad(session=session)",
    "widgets.LockstepView(session)",
    "widgets.MaskLens(session)",
    "widgets.OperatorView(session)",
    "widgets.Sampler(session)",
    "widgets.Tape(session)",
    "widgets.TextView(session)",
    "widgets.TimelineView(session)",
    "widgets.WhyCard(session)",
    "widgets.Workbench(session)",
]

pytestmark = pytest.mark.slow


def below(folder: Path) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in folder.rglob("*") if path.is_file()}


def run(command: list[str | Path], **options: object) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    """Of what git would commit, so that the views have to be built; npm's packages are those of this checkout."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("sdist")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0"):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    (source / "widgets" / "node_modules").symlink_to(ROOT / "widgets" / "node_modules")
    program = f"from tools import backend; backend.build_sdist({str(folder)!r})"
    run([sys.executable, "-c", program], cwd=source, env={**clean_environment(), "PYTHONPATH": str(source)})
    (built,) = folder.glob("xg2lab-*.tar.gz")
    return built


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory) -> Path:
    """Made from the unpacked sdist where no Node is: the views are in it already."""
    folder = tmp_path_factory.mktemp("wheel")
    # Python 3.11.4 and later can refuse what leaves the folder, and 3.12 warns if they are not told to
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    shutil.unpack_archive(sdist, folder / "unpacked", **safely)
    (source,) = (folder / "unpacked").iterdir()
    nodeless = tmp_path_factory.mktemp("bin")
    (nodeless / "node").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (nodeless / "node").chmod(0o755)
    env = clean_environment()
    env |= {"PATH": os.pathsep.join([str(nodeless), env["PATH"]]), "XG2LAB_LTO": "OFF"}
    env |= {"CCACHE_BASEDIR": str(source), "CXX": env.get("CXX", "c++")}
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder]
    settings = [*QUICK, *as_in_a_checkout(source)]
    run([*command, *(f"--config-settings={setting}" for setting in settings), source], env=env)
    (built,) = folder.glob("xg2lab-*.whl")
    return built


def as_in_a_checkout(source: Path) -> list[str]:
    """pybind11 in `.venv` beside the sources, as the set-up had it: ccache then has the bindings' units as well."""
    found = Path(subprocess.check_output([sys.executable, "-m", "pybind11", "--cmakedir"], text=True).strip())
    if not found.is_relative_to(VENV):
        return []
    (source / VENV.name).symlink_to(VENV, target_is_directory=True)
    return [f"cmake.define.pybind11_DIR={source / VENV.name / found.relative_to(VENV)}"]


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def alone(wheel, tmp_path_factory) -> Path:
    """The Python of an environment with the wheel, what it asks for, and JupyterLab; from uv's cache if it has them."""
    folder = tmp_path_factory.mktemp("alone")
    run([Path(sys.executable).parent / "uv", "venv", "--quiet", "--python", sys.executable, folder / "env"])
    python = folder / "env" / "bin" / "python"
    settings = '"$0" tools/uv_settings.py constraints.txt'
    install = f'uv pip install --quiet --python {python} "$@" "xg2lab[widgets] @ {wheel.as_uri()}" jupyterlab ipykernel'
    script = (
        f'set -- ; eval "$({settings})"; {install.replace("install", "install --offline", 1)} 2>/dev/null || {install}'
    )
    run(["sh", "-c", script, sys.executable], cwd=ROOT, env=clean_environment())
    return python


def test_it_holds_one_engine_and_every_python_file(names):
    engines = [name for name in names if name.startswith("xg2lab/_core") and name.endswith(".so")]
    assert len(engines) == 1
    sources = {name for name in below(ROOT / "xg2lab") if name.endswith(".py") and "/." not in name}
    assert sources - names == set()


def test_it_holds_the_types(names):
    assert {"xg2lab/py.typed", "xg2lab/_core.pyi"} <= names


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_it_holds_the_shipped_models(names, model):
    assert below(model)
    assert below(model) - names == set()


def test_it_holds_the_views_though_git_ignores_them(names):
    assert below(STATIC) - names == set()
    assert {"xg2lab/widgets/static/runtime.js.gz", "xg2lab/widgets/static/NOTICES.txt"} <= names


def test_jupyterlab_finds_the_extension_that_the_package_holds(names):
    (version,) = {name.partition(".data/")[0] for name in names if ".data/" in name}
    home = f"{version}.data/data/share/jupyter/labextensions/xg2lab/"
    assert {name.removeprefix(home) for name in names if name.startswith(home)} == {
        path.relative_to(EXTENSION).as_posix() for path in EXTENSION.rglob("*") if path.is_file()
    }


def test_it_holds_nothing_else(names):
    strange = {name for name in names if not name.startswith(("xg2lab/", "xg2lab-"))}
    strange |= {name for name in names if "__pycache__" in name or "node_modules" in name}
    assert strange == set()


def test_the_sdist_holds_what_the_views_are_made_of(sdist):
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {path.relative_to(ROOT).as_posix() for path in SOURCES if path.is_file()}
    assert (wanted | below(ROOT / "widgets" / "src") | below(STATIC) | {"tools/backend.py"}) - inside == set()
    assert not any("node_modules" in name for name in inside)


def test_it_works_where_nothing_else_of_ours_is(alone, tmp_path):
    program = "import sys, xg2lab, xg2lab._core as core; print(core.__file__); assert 'torch' not in sys.modules"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.check_output([alone, "-c", program], cwd=tmp_path, text=True, env=env)
    assert said.startswith(str(alone.parent.parent))


@pytest.mark.browser
def test_every_view_is_drawn_in_its_jupyterlab(alone, tmp_path):
    from xg2lab import widgets
    from xg2lab.widgets.view import View

    views = [each for each in vars(widgets).values() if isinstance(each, type) and issubclass(each, View)]
    assert len(views) == len(CELLS) - 1
    with Lab(tmp_path, python=alone) as lab:
        notebook = lab.open(write_notebook(tmp_path, "views.ipynb", CELLS))
        notebook.run_all()
        assert notebook.python("import xg2lab; print(xg2lab.__file__)").startswith(str(alone.parent.parent))
        for view in views:
            frame = notebook.page.locator(f".jp-OutputArea [data-xg2lab={view.PANEL}]")
            expect(frame).to_have_count(1)
            frame.scroll_into_view_if_needed()
            expect(frame.locator(".xg")).to_be_visible()
            expect(frame.locator(".xg")).not_to_have_text("")
        notebook.settled()
        notebook.page.evaluate("() => jupyterapp.commands.execute('xg2lab:open-in-tab')")
        in_tab = notebook.page.locator(".lm-DockPanel [data-xg2lab=workbench][data-here=tab]")
        expect(in_tab.locator("[data-panel=tape]")).to_be_visible()
        assert lab.errors == []
        assert lab.external == []
