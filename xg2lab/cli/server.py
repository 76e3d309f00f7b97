"""The command `lsp`: from parsed arguments to a language server, which needs the extra of that name."""

from __future__ import annotations

import argparse

from xg2lab.errors import UnsupportedError

__all__ = ["run_lsp"]


def run_lsp(arguments: argparse.Namespace) -> int:
    """Run `xg2lab lsp`: serve an editor until it ends the server."""
    try:
        import pygls  # noqa: F401  # pyright: ignore[reportUnusedImport] (whether it is there)
    except ImportError as error:
        raise UnsupportedError(
            "the language server needs pygls, which is not installed", hint='pip install "xg2lab[lsp]"'
        ) from error
    from xg2lab.lsp.server import serve

    serve(arguments.answer_seconds, arguments.diagnostics_seconds)
    return 0
