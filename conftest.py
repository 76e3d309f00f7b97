"""What all tests share: which of them can run here, and in which order.

A worker takes a file at a time (`--dist loadfile`), so what a file's tests share is made once. The browser's files and
the notebooks take longest and are handed out first: at the end, when one worker may wait for another, files are short.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent
HAS_TORCH = importlib.util.find_spec("torch") is not None
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# What can't be imported without an extra that is not installed. All else is collected, for its
# examples: tests/tools/test_doctests.py holds each file that has some against what pytest
# collects.
# Python imports the `sitecustomize` of xg2lab.compat where it starts, and pytest must not.
collect_ignore_glob: list[str] = ["xg2lab/compat/children/*"]
if not HAS_TORCH:
    needs_torch = ["lab", "contrib", "integrations/sweep", "kernels", "tiny/training"]
    collect_ignore_glob += [f"xg2lab/{part}/*" for part in needs_torch] + ["tests/lab/*", "tests/ui/*"]
if not HAS_TORCH or importlib.util.find_spec("fastapi") is None:
    collect_ignore_glob += ["xg2lab/integrations/serve/*", "tests/integrations/serve/*", "tests/cli/test_serving.py"]
if not HAS_TORCH or importlib.util.find_spec("anywidget") is None:
    collect_ignore_glob += ["xg2lab/widgets/*"]
# In the folder of a server's plug-in, `__init__.py` alone can be imported without the server.
for server in ("vllm", "sglang", "tensorrt_llm"):
    if importlib.util.find_spec(server) is None:
        collect_ignore_glob += [f"xg2lab/integrations/{server}/[!_]*"]


# Processes that a shell starts in the background ignore Ctrl-C, and so do those that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# An example on a busy machine takes as long as it takes.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def chromium() -> str | None:
    """Return the browser for the browser tests, if there is one."""
    return next(filter(None, map(shutil.which, filter(None, [os.environ.get("CHROMIUM"), *CHROMIUM_NAMES]))), None)


def has_gpu() -> bool:
    """Whether torch sees a CUDA device; asked only when a test wants one."""
    if not HAS_TORCH:
        return False
    import torch

    return torch.cuda.is_available()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what can't run on this machine, saying why; the longest first."""
    missing: dict[str, pytest.MarkDecorator] = {}
    wanted = {name for name in ("browser", "gpu") if any(item.get_closest_marker(name) for item in items)}
    if "browser" in wanted and chromium() is None:
        if os.environ.get("XG2LAB_REQUIRE_BROWSER", "") not in {"", "0"}:
            raise pytest.UsageError("XG2LAB_REQUIRE_BROWSER is set and there is no Chromium on this machine")
        missing["browser"] = pytest.mark.skip(reason="no Chromium on this machine (set CHROMIUM to one)")
    if "gpu" in wanted and not has_gpu():
        missing["gpu"] = pytest.mark.skip(reason="no CUDA device on this machine")
    for item in items:
        for name, skip in missing.items():
            if item.get_closest_marker(name):
                item.add_marker(skip)
    items.sort(key=lambda item: (item.get_closest_marker("browser") is None, item.path.suffix != ".ipynb"))
