"""Adds to widgets/package-lock.json the optional packages of other platforms, which a partial npm registry leaves out.

`npm ci` refuses a lock in which an optional dependency has no entry, on every platform. A mirror that serves one
platform makes npm write such a lock. The entries need no checksum here: they say for which system they are, and
are passed over everywhere else.

>>> platform_of("@biomejs/cli-linux-arm64-musl")
{'cpu': ['arm64'], 'os': ['linux'], 'libc': ['musl']}
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tools.progress import ROOT

LOCK = ROOT / "widgets" / "package-lock.json"
SYSTEMS = ("android", "darwin", "linux", "win32", "freebsd", "netbsd", "openbsd", "sunos", "aix", "openharmony")
PROCESSORS = ("arm64", "x64", "arm", "ia32", "ppc64", "riscv64", "s390x", "loong64", "mips64el")


def platform_of(name: str) -> dict[str, list[str]]:
    """Return the platform that a package's name states."""
    words = name.rsplit("/", maxsplit=1)[-1].split("-")
    found = {
        "cpu": [word for word in words if word in PROCESSORS],
        "os": [word for word in words if word in SYSTEMS],
        "libc": ["musl" if word == "musl" else "glibc" for word in words if word in {"musl", "glibc", "gnu"}],
    }
    return {key: value for key, value in found.items() if value}


def missing(lock: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the entries that a lock lacks: the key and what belongs there."""
    packages: dict[str, dict[str, Any]] = lock["packages"]
    present = {key.rsplit("node_modules/", maxsplit=1)[-1] for key in packages}
    lacking: dict[str, dict[str, Any]] = {}
    for package in packages.values():
        for name, version in package.get("optionalDependencies", {}).items():
            if name not in present:
                kept = {key: package[key] for key in ("dev", "license") if key in package}
                lacking[f"node_modules/{name}"] = {"version": version, **kept, "optional": True, **platform_of(name)}
    return lacking


def main() -> int:
    """Complete the lock; say what was added."""
    lock = json.loads(LOCK.read_text(encoding="utf-8"))
    added = missing(lock)
    if added:
        lock["packages"] = dict(sorted({**lock["packages"], **added}.items()))
        LOCK.write_text(json.dumps(lock, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{LOCK.relative_to(ROOT)}: {len(added)} entries added {', '.join(sorted(added))}".rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
