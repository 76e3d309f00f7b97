"""The code of the notebook views, built from widgets/ into xg2lab/widgets/static:  python -m tools.bundle

The build backend calls it (tools/backend.py), so a wheel, an sdist and an editable install hold the views. The bundle
has the hash of its sources beside it: a second call compares hashes, and an sdist, which holds both, needs no Node.

    is_current()      # whether there is something to do
    build()           # npm ci if the lock has changed, then npm run build
    link_extension()  # JupyterLab in .venv finds the extension; `python -m tools.bundle linked` calls it

NOT HERE  what the bundle is made of (widgets/build.mjs), and who reads it (xg2lab/widgets/bundle.py).
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from tools import node
from tools.running import ROOT, VENV, WIDGETS, SetupError, clean_environment, digest, run_logged

STATIC = ROOT / "xg2lab" / "widgets" / "static"
LOCK = WIDGETS / "package-lock.json"
#: JupyterLab's extension, and where JupyterLab looks for it. A wheel holds it as a file of data (CMakeLists.txt).
EXTENSION = STATIC / "lab"
EXTENSION_LINK = VENV / "share" / "jupyter" / "labextensions" / "xg2lab"
#: All that the bundle is made of, beside the version. The words of the views are Python's too.
SOURCES = (
    WIDGETS / "package.json",
    LOCK,
    WIDGETS / "build.mjs",
    WIDGETS / "notices.mjs",
    WIDGETS / "src",
    ROOT / "xg2lab" / "widgets" / "words.json",
)
#: The hash of what was installed.
INSTALLED_FROM = WIDGETS / "node_modules" / "lock.sha256"
NPM_OPTIONS = ("--no-fund", "--no-audit", "--no-update-notifier")


def built_from() -> Path:
    """Return the file that holds the hash of what the bundle was built from."""
    return STATIC / "sources.sha256"


def _says(note: Path, hashed: str) -> bool:
    return note.is_file() and note.read_text(encoding="ascii").strip() == hashed


def _state() -> str:
    """The hash of all that the bundle depends on: its sources, and the version, which JupyterLab lists."""
    init = (ROOT / "xg2lab" / "__init__.py").read_text(encoding="utf-8")
    return digest([*SOURCES, *re.findall(r'^__version__ = "(.+)"$', init, re.MULTILINE)])


def is_current() -> bool:
    """Return whether the bundle is there and was built from the sources that are there now."""
    return _says(built_from(), _state())


def build() -> None:
    """Build the bundle if it is not current. Raises `SetupError` with the end of npm's log."""
    if is_current():
        return
    if not (WIDGETS / "package.json").is_file():
        raise SetupError(f"the views' code can't be built: {WIDGETS} is not there")
    npm = node.npm_command(Path(sys.prefix))
    if not _says(INSTALLED_FROM, digest([LOCK])):
        run_logged("front-end packages", [*npm, "ci", *NPM_OPTIONS], cwd=WIDGETS, env=clean_environment())
        INSTALLED_FROM.write_text(digest([LOCK]), encoding="ascii")
    shutil.rmtree(STATIC, ignore_errors=True)  # files that an older build made and this one does not
    run_logged("front end (TypeScript)", [*npm, "run", "build"], cwd=WIDGETS, env=clean_environment())
    built_from().write_text(_state(), encoding="ascii")


def link_extension() -> None:
    """Link the extension into .venv, as `jupyter labextension develop` would.

    An installed wheel's own copy stays: pip owns it, and would delete the checkout's files through a link.
    """
    if EXTENSION_LINK.is_dir() and not EXTENSION_LINK.is_symlink():
        return
    EXTENSION_LINK.parent.mkdir(parents=True, exist_ok=True)
    EXTENSION_LINK.unlink(missing_ok=True)
    EXTENSION_LINK.symlink_to(os.path.relpath(EXTENSION, EXTENSION_LINK.parent), target_is_directory=True)


def main(words: list[str]) -> int:
    """Build; with `linked`, link the extension into .venv. 1 with a message that says what is missing."""
    if words == ["linked"]:
        link_extension()
        return 0
    try:
        build()
    except SetupError as error:
        print(f"\nxg2lab: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
