"""A wheel built from this tree holds the engine, its types, the shipped model and the bundle, and works alone."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tools.bootstrap import engine_settings

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "xg2lab" / "widgets" / "static"
MODEL = ROOT / "xg2lab" / "tiny" / "tiny"

pytestmark = pytest.mark.slow


def below(folder: Path) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    settings, env = engine_settings("test")
    ran = subprocess.run([*command, *settings, str(ROOT)], capture_output=True, text=True, check=False, env=env)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (built,) = folder.glob("xg2lab-*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_it_holds_one_engine_and_every_python_file(names):
    engines = [name for name in names if name.startswith("xg2lab/_core") and name.endswith(".so")]
    assert len(engines) == 1
    sources = {name for name in below(ROOT / "xg2lab") if name.endswith(".py") and "/." not in name}
    assert sources - names == set()


def test_it_holds_the_types(names):
    assert {"xg2lab/py.typed", "xg2lab/_core.pyi"} <= names


@pytest.mark.skipif(not MODEL.is_dir(), reason="this checkout has no shipped model")
def test_it_holds_the_shipped_model(names):
    assert below(MODEL) - names == set()
    assert any(name.endswith(".safetensors") for name in names)


@pytest.mark.skipif(not BUNDLE.is_dir(), reason="the notebook bundle has not been built")
def test_it_holds_the_bundle_though_git_ignores_it(names):
    assert below(BUNDLE) - names == set()
    assert "xg2lab/widgets/static/NOTICES.txt" in names


def test_it_holds_nothing_else(names):
    strange = {name for name in names if not name.startswith(("xg2lab/", "xg2lab-"))}
    strange |= {name for name in names if "__pycache__" in name or "node_modules" in name}
    assert strange == set()


def test_it_works_in_an_environment_of_its_own_without_torch(wheel, tmp_path):
    venv.create(tmp_path / "alone", with_pip=False)
    python = tmp_path / "alone" / "bin" / "python"
    target = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target.strip())
    # numpy is the one dependency; it comes from the environment that runs the tests, torch does not.
    numpy = Path(__import__("numpy").__file__).parent
    for name in ("numpy", "numpy.libs"):
        if (numpy.parent / name).exists():
            (Path(target.strip()) / name).symlink_to(numpy.parent / name)
    program = "import sys, xg2lab, xg2lab._core as core; print(core.__file__); assert 'torch' not in sys.modules"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.check_output([python, "-c", program], cwd=tmp_path, text=True, env=env)
    assert said.startswith(str(tmp_path))
