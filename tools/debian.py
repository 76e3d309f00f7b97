"""Debian's packages for the tests: a header that is used from below build/, a browser that root can install.

`apt-get download` needs no rights: the package is unpacked below build/debian/ and changes nothing of the system.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tools.running import ROOT, say

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
