"""The code of the notebook views, built from widgets/ into xg2lab/widgets/static:  python -m tools.bundle

The build backend calls it (tools/backend.py), so a wheel, an sdist and an editable install hold the views. The bundle
has the hash of its sources beside it: a second call compares hashes, and an sdist, which holds both, needs no Node.

    is_current()      # whether there is something to do
    build()           # npm ci if the lock has changed, then npm run build

NOT HERE  what the bundle is made of (widgets/build.mjs), and who reads it (xg2lab/widgets/bundle.py).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools import node
from tools.running import ROOT, WIDGETS, SetupError, clean_environment, digest, run_logged

STATIC = ROOT / "xg2lab" / "widgets" / "static"
LOCK = WIDGETS / "package-lock.json"
#: All that the bundle is made of. The words of the views are Python's too.
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


def is_current() -> bool:
    """Return whether the bundle is there and was built from the sources that are there now."""
    return _says(built_from(), digest(SOURCES))


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
    built_from().write_text(digest(SOURCES), encoding="ascii")


def main() -> int:
    """Build from the command line; 1 with a message that says what is missing."""
    try:
        build()
    except SetupError as error:
        print(f"\nxg2lab: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
