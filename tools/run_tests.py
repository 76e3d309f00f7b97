"""Every test of the project, and at the end what ran and what did not.

TypeScript first (seconds), then one pytest run with all of Python, the engine, the notebooks and the
browser, so that its closing line counts them all. Words given are handed to pytest; with some, only pytest runs.
Random tests draw by the committed tree: a commit gives one answer wherever it is tested. XG2LAB_SEED=7 draws others.
XG2LAB_REQUIRE_BROWSER=1: no Chromium is an error, as in CI.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from typing import IO

from tools import browser, node
from tools.running import ROOT, VENV, WIDGETS, SetupError, clean_environment, say

NOTEBOOKS = ROOT / "notebooks"
WORKERS = int(os.environ.get("XG2LAB_TEST_WORKERS", "2"))
PARTS = ("tests", "xg2lab", "tools", "campaign", "benchmarks")
LAST_LINES_S = 10  # for pytest's last lines to be shown, once it has ended
# A file's tests stay together, and files go out in the order in which conftest.py puts them.
SHARED_OUT = ("--dist", "loadfile", "--no-loadscope-reorder")


def run_typescript() -> tuple[str, bool]:
    """Check and test the front end; what to say of it, and whether it is well."""
    if not (WIDGETS / "package.json").exists():
        return "nothing there (no widgets/package.json)", True
    npm = node.npm_command(VENV)
    began = time.monotonic()
    failed: list[str] = []
    for script in ("check", "test"):
        say(f"==== TypeScript: npm run {script} ====")
        status = subprocess.call([*npm, "run", script], cwd=WIDGETS, env=clean_environment(), stdin=subprocess.DEVNULL)
        failed += [f"npm run {script} FAILED (exit status {status})"] if status != 0 else []
    return ", ".join(failed) or f"checked and tested in {time.monotonic() - began:.0f} s", not failed


def notebook_words(*, has_browser: bool) -> list[str]:
    """Return the words that make pytest run the notebooks: none with a browser, whose tests run each in JupyterLab."""
    found = sorted(NOTEBOOKS.glob("*.ipynb"))
    if has_browser or not found:
        return []
    return ["--nbmake", "--nbmake-timeout=300", *(os.fspath(path.relative_to(ROOT)) for path in found)]


def run_pytest(words: list[str], env: dict[str, str]) -> tuple[str, int]:
    """Run pytest, showing its output as it comes; return its closing line and its exit status."""
    command = [sys.executable, "-m", "pytest", *words]
    closing = ["pytest said nothing"]

    def show(output: IO[str]) -> None:
        with output:
            for line in output:
                print(line, end="", flush=True)
                if re.search(r"\b(passed|failed|errors?|no tests ran|skipped|deselected)\b.* in [\d.]+s", line):
                    closing.append(line.strip())

    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None, "it was opened with a pipe"
    shower = threading.Thread(target=show, args=[process.stdout], daemon=True)
    shower.start()
    status = process.wait()
    shower.join(LAST_LINES_S)  # not for ever: what a test left running holds the pipe open
    return closing[-1], status


def seed_of_tree() -> str | None:
    """The seed of what is committed; None outside of a checkout."""
    found = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return str(int(found.stdout[:8], 16)) if found.returncode == 0 else None


def test_environment(chromium: str | None, firefox: str | None) -> dict[str, str]:
    """Return the environment of the tests: one thread a process, and the browsers that were found."""
    env = {**clean_environment(), "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    env["JUPYTER_PLATFORM_DIRS"] = "1"
    if "XG2LAB_SEED" not in env and (seed := seed_of_tree()):
        env["XG2LAB_SEED"] = seed
    if chromium:
        env["CHROMIUM"] = chromium
    if firefox:
        env["FIREFOX"] = firefox
    return env


def main(arguments: list[str]) -> int:
    """Run from the command line; 0 if everything that ran is well and nothing required was left out."""
    chromium = browser.find_or_install() if browser.has_browser_tests() else None
    notes: list[str] = []
    if not browser.has_browser_tests():
        notes.append("browser     nothing there (no tests/ui/test_*.py)")
    elif chromium is None:
        if os.environ.get("XG2LAB_REQUIRE_BROWSER", "") not in {"", "0"}:
            say(f"xg2lab: XG2LAB_REQUIRE_BROWSER is set, and {browser.why_none()}")
            return 1
        notes.append(f"browser     SKIPPED: {browser.why_none()}")
    firefox = browser.find_firefox() if arguments or chromium is None else browser.find_or_install_firefox()
    if chromium is not None and firefox is None:
        notes.append("Firefox     SKIPPED: none found (apt-get install firefox-esr, or FIREFOX=/path/to/firefox)")
    env = test_environment(chromium, firefox)
    if arguments:
        closing, status = run_pytest(arguments, env)
        return status
    try:
        typescript, well = run_typescript()
    except SetupError as error:
        typescript, well = f"FAILED: {error}", False
    notebooks = notebook_words(has_browser=chromium is not None)
    notes.append(f"notebooks   {'run without a browser' if notebooks else 'run in JupyterLab by the browser tests'}")
    say("==== Python, engine, notebooks, browser: pytest ====")
    words = ["-n", str(WORKERS), *SHARED_OUT, "--durations=10", *PARTS, *notebooks]
    closing, status = run_pytest(words, env)
    say("")
    say(f"TypeScript  {typescript}")
    say(f"pytest      {closing}")
    for note in notes:
        say(note)
    return status or (0 if well else 1)


if __name__ == "__main__":
    sys.exit(main([word for word in sys.argv[1:] if word]))
