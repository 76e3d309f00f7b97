"""Parts of Python that Debian and Ubuntu keep in packages of their own, fetched without changing the system.

A desktop Ubuntu has Python and no headers, and a `venv` that can't make pip. `apt-get download` needs no rights:
the package is unpacked below build/debian/ and used from there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tools.progress import ROOT, SetupError, say

UNPACKED = ROOT / "build" / "debian"


def _quietly(command: list[str], folder: Path = ROOT) -> bool:
    """Run a command that may fail; whether it worked."""
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    ran = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return ran.returncode == 0


def unpack(package: str) -> Path | None:
    """Return the folder with the unpacked package, or nothing where that can't be had."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
    folder = UNPACKED / package
    done = folder / ".unpacked"
    if done.exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    download = ["apt-get", "download", package]
    # A fresh container has no package lists yet; only root can fetch them.
    if not _quietly(download, folder) and not (_update_as_root() and _quietly(download, folder)):
        return None
    for archive in folder.glob("*.deb"):
        if not _quietly(["dpkg-deb", "-x", str(archive), str(folder)]):
            return None
        archive.unlink()
    done.touch()
    return folder


def _update_as_root() -> bool:
    return os.geteuid() == 0 and _quietly(["apt-get", "update", "-q"])


def install_as_root(*packages: str) -> bool:
    """Install system packages when this process may; whether it worked."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    say(f"  apt-get install {' '.join(packages)}")
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
    return _quietly(install) or (_update_as_root() and _quietly(install))


def header_environment() -> tuple[dict[str, str], list[str]]:
    """Return environment and CMake definitions with which Python.h is found, empty where nothing is needed."""
    include = Path(sysconfig.get_path("include"))
    if (include / "Python.h").exists():
        return {}, []
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = unpack(f"libpython{version}-dev") if str(include).startswith("/usr/include/") else None
    if folder is None:
        raise SetupError(
            f"the C headers of Python {version} are missing ({include}/Python.h)",
            hint=f"apt-get install python{version}-dev, or name a Python that has them: make XG2LAB_PYTHON=...",
        )
    headers = folder / "usr" / "include" / f"python{version}"
    # pyconfig.h there includes <x86_64-linux-gnu/python3.x/pyconfig.h>, one folder up.
    search = os.pathsep.join([str(headers), str(headers.parent), *filter(None, [os.environ.get("CPLUS_INCLUDE_PATH")])])
    return {"CPLUS_INCLUDE_PATH": search}, [f"Python_INCLUDE_DIR={headers}"]


def pip_wheel() -> Path | None:
    """Return Debian's wheel of pip, for a Python whose `ensurepip` was left out."""
    folder = unpack("python3-pip-whl")
    return next(iter(sorted(folder.rglob("pip-*.whl"))), None) if folder else None
