"""Tells uv what pip is told:  eval "$(python tools/uv_settings.py constraints.txt)"

uv reads no configuration of pip's. On a machine whose pip has an index of its own, wheels in a folder or a certificate,
uv has to use them too. Prints shell lines that export uv's variables; those that are set already stay as they are.
Files named on the command line are constraints, beside pip's.

>>> for name, value in translated({"find-links": "/wheels", "extra-index-url": "https://a https://b"}).items():
...     print(name, value)
UV_SYSTEM_CERTS 1
UV_FIND_LINKS /wheels
UV_INDEX https://a https://b
UV_INDEX_STRATEGY unsafe-best-match

See also uv's documentation: "Environment variables", "Compatibility with pip".
"""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable

#: pip's option, uv's variable, and what stands between several values.
NAMES = {
    "cert": ("SSL_CERT_FILE", " "),
    "constraint": ("UV_CONSTRAINT", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "no-index": ("UV_NO_INDEX", " "),
    "proxy": ("ALL_PROXY", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}


def configured(listing: Iterable[str]) -> dict[str, str]:
    """Return pip's options from the lines of `pip config list`; the environment's count before those of files.

    >>> configured(["global.cert='/ca.crt'", ":env:.find-links='/a'", "install.find-links='/b'", "freeze.all='1'"])
    {'cert': '/ca.crt', 'find-links': '/a'}
    """
    found: dict[str, str] = {}
    for line in sorted(listing, key=lambda line: (line.startswith(":env:"), line.startswith("install."))):
        name, _, value = line.strip().partition("=")
        section, _, option = name.rpartition(".")
        if section in {"global", "install", ":env:"} and option in NAMES:
            found[option] = str(ast.literal_eval(value))
    return found


def translated(options: dict[str, str]) -> dict[str, str]:
    """Return uv's variables for pip's options."""
    variables = {"UV_SYSTEM_CERTS": "1"}
    for option, value in options.items():
        name, separator = NAMES[option]
        variables[name] = separator.join(value.split())
    if "extra-index-url" in options:
        variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # pip's: the best version, wherever it is
    return variables


def main(constraints: list[str]) -> int:
    """Print the lines for a shell."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listing = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    options = configured(listing.splitlines())
    options["constraint"] = " ".join([*constraints, *options.get("constraint", "").split()])
    for name, value in translated(options).items():
        if name not in os.environ:
            print(f"export {name}={shlex.quote(value)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
