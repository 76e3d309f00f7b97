"""A Chromium for the browser tests: the one that CHROMIUM names, the machine's, or one that can be installed.

As root on Debian the package `chromium` is installed; elsewhere Playwright's own build is fetched into .venv. A few
tests ask Firefox too: the one that FIREFOX names, the machine's, or as root on Debian the package `firefox-esr`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import debian
from tools.running import LOG_DIR, ROOT, say

FIREFOX_NAMES = ("firefox-esr", "firefox")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DOWNLOADS = ROOT / ".venv" / "browsers"
PATIENCE_SECONDS = 300


def runs(command: str) -> bool:
    """Whether the browser starts far enough to say its version; Ubuntu's snap stand-in does not."""
    try:
        said = subprocess.run([command, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0 and said.stdout.strip() != b""


def find() -> str | None:
    """Return the path of a Chromium that is there already."""
    asked = os.environ.get("CHROMIUM")
    if asked:
        return shutil.which(asked) if runs(asked) else None
    found = [path for path in map(shutil.which, NAMES) if path]
    found += [os.fspath(path) for path in sorted(DOWNLOADS.glob("chromium-*/chrome-linux*/chrome"))]
    return next(filter(runs, found), None)


def _fetch_playwright_build() -> None:
    """Ask Playwright for its own Chromium, inside .venv; whether that worked shows in `find`."""
    LOG_DIR.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": os.fspath(DOWNLOADS)}
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    with (LOG_DIR / "chromium.log").open("wb") as log:
        try:
            subprocess.run(
                command,
                env=env,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                timeout=PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            log.write(b"gave up waiting\n")


def find_or_install() -> str | None:
    """Return the path of a Chromium, after installing one if need be and possible."""
    if (found := find()) is not None or os.environ.get("CHROMIUM"):
        return found
    say("xg2lab: no Chromium on this machine; trying to install one for the browser tests")
    if debian.install_as_root("chromium", "fonts-dejavu-core") and (found := find()) is not None:
        return found
    _fetch_playwright_build()
    return find()


def find_firefox() -> str | None:
    """Return the path of a Firefox that is there already."""
    asked = os.environ.get("FIREFOX")
    found = map(shutil.which, [asked] if asked else FIREFOX_NAMES)
    return next((path for path in found if path and runs(path)), None)


def find_or_install_firefox() -> str | None:
    """Return the path of a Firefox, after installing one if need be and possible."""
    if (found := find_firefox()) is not None or os.environ.get("FIREFOX"):
        return found
    say("xg2lab: no Firefox on this machine; trying to install one for the tests that ask it too")
    return find_firefox() if debian.install_as_root("firefox-esr") else None


def why_none() -> str:
    """Return what to tell someone on whose machine there is no Chromium."""
    asked = os.environ.get("CHROMIUM")
    if asked:
        return f"CHROMIUM={asked} is not a browser that runs"
    return "no Chromium found, none could be installed (apt-get install chromium, or CHROMIUM=/path/to/chrome)"


def has_browser_tests(root: Path = ROOT) -> bool:
    """Whether this checkout has tests that need a browser."""
    return any((root / "tests" / "ui").rglob("test_*.py"))
