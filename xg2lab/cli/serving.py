"""`xg2lab serve [MODEL]`: an OpenAI-compatible server for a lab.

    xg2lab serve                                       the tiny model on http://127.0.0.1:8000/v1
    xg2lab serve Qwen/Qwen3-0.6B --device cuda         any causal language model of Hugging Face
    xg2lab serve --host 0.0.0.0 --api-key KEY          for other machines, which need the key
    xg2lab serve --flight refusal --flight-dir DIR     a file for each request that went wrong

See also: `xg2lab.integrations.serve`; docs/serve.md.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import fields
from typing import Any

from xg2lab.cli.terminal import say
from xg2lab.errors import ArgumentError
from xg2lab.integrations.serve.options import ServeOptions

__all__ = ["add_serve", "run_serve"]

#: Option -> its type and what it says.
_OPTIONS: dict[str, tuple[Any, str]] = {
    "device": (str, "auto, cpu, cuda or cuda:N"),
    "dtype": (str, "auto, float32, bfloat16 or float16"),
    "host": (str, "the address to listen on; other than loopback needs a key"),
    "port": (int, "the port; 0 takes a free one"),
    "served_name": (str, "the model's name in requests, instead of MODEL"),
    "tool_format": (str, "how the model writes tool calls, such as qwen_3; by the model's name if left out"),
    "max_body_bytes": (int, "the largest body of a request"),
    "max_constraint_bytes": (int, "the largest schema, grammar, pattern or list of tools"),
    "max_compile_seconds": (float, "the most seconds of processor time for one constraint"),
    "max_tokens": (int, "the most tokens of one answer"),
    "max_seconds": (float, "the most seconds for one request"),
    "max_requests": (int, "the most requests at one time; beyond it, status 429"),
    "max_batch": (int, "the most sequences in one step of the model"),
    "max_choices": (int, "the largest n, and the most prompts of one request"),
    "max_recent": (int, "how many finished requests /live keeps"),
    "flight_dir": (str, "the folder of recorded requests; else XG2LAB_FLIGHT_DIR"),
    "flight_slow_ms": (float, "milliseconds of one mask, for --flight slow"),
}
_CHOICES: dict[str, tuple[tuple[str, ...], str]] = {
    "reasoning": (("disabled", "auto", "enabled"), "whether answers have reasoning before them"),
    "flight": (("off", "refusal", "slow", "always"), "which requests are recorded as files; else XG2LAB_FLIGHT"),
    "flight_prompts": (("omit", "keep"), "whether the files hold prompts"),
    "flight_outputs": (("redact", "keep"), "whether free text in the files is replaced"),
}


def add_serve(commands: Any) -> None:
    """Add the command to the parser of the command line."""
    serve = commands.add_parser("serve", help="serve a model with OpenAI's API, constraints included")
    serve.add_argument("model", nargs="?", default="tiny", metavar="MODEL", help="tiny, a Hugging Face id, or a folder")
    defaults = {field.name: field.default for field in fields(ServeOptions)}
    for name, (kind, what) in _OPTIONS.items():
        shown = "" if defaults[name] is None else f" ({defaults[name]})"
        serve.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=kind.__name__.upper(), help=what + shown)
    for name, (choices, what) in _CHOICES.items():
        shown = "" if defaults[name] is None else f" ({defaults[name]})"
        serve.add_argument(f"--{name.replace('_', '-')}", choices=choices, help=what + shown)
    serve.add_argument("--api-key", metavar="KEY", help="the key that clients send; else XG2LAB_API_KEY, else none")
    serve.set_defaults(run=run_serve)


def run_serve(arguments: argparse.Namespace) -> int:
    """Run `xg2lab serve [MODEL]` until it is interrupted."""
    names = [field.name for field in fields(ServeOptions)]
    given = {name: value for name in names if (value := getattr(arguments, name, None)) is not None}
    given.setdefault("api_key", os.environ.get("XG2LAB_API_KEY") or None)
    options = ServeOptions(**given)
    try:
        from xg2lab.integrations.serve.hosting import serve
    except ImportError as error:
        raise ArgumentError(
            f"the server needs {error.name}, which is not installed", hint="pip install xg2lab[serve]"
        ) from error
    serve(options, say)
    return 0
