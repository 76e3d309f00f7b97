"""The packages that extras or dependency groups of pyproject.toml ask for:  python -m tools.requirements lab

An extra brings the project's own dependencies and those of the extras it builds on.

>>> project = {"name": "me", "dependencies": ["numpy"], "optional-dependencies": {"a": ["x"], "b": ["me[a]"]}}
>>> tables = {"project": project, "dependency-groups": {"build": ["ninja"]}}
>>> requirements(tables, "b"), requirements(tables, "build")
(['numpy', 'x'], ['ninja'])
"""

from __future__ import annotations

import re
import sys
from typing import Any

from tools.running import pyproject


def requirements(tables: dict[str, Any], name: str) -> list[str]:
    """Return the requirements of an extra or a group, without the extras that they build on."""
    if name in tables["dependency-groups"]:
        return list(tables["dependency-groups"][name])
    project = tables["project"]
    found = list(project["dependencies"])
    for line in project["optional-dependencies"][name]:
        inner = re.fullmatch(rf"{re.escape(project['name'])}\[([\w,\s-]+)\]", line)
        names = inner[1].split(",") if inner else []
        found += [each for one in names for each in requirements(tables, one.strip())] if inner else [line]
    return list(dict.fromkeys(found))


def main(names: list[str]) -> int:
    """Print the requirements of all `names`."""
    tables = pyproject()
    for line in dict.fromkeys(line for name in names for line in requirements(tables, name)):
        print(line.replace(" ", ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
