"""Chat templates of real models, rendered as transformers does it; or a skip that says why.

The data folder is that of `vocabularies.py`; `chat-templates/templates.tar.xz` in it holds a file a model.
"""

from __future__ import annotations

import json
import tarfile
from functools import cache
from typing import Any

import pytest

from tests.vocabularies import DATA


@cache
def templates() -> dict[str, str]:
    path = DATA / "chat-templates" / "templates.tar.xz"
    if not path.exists():
        pytest.skip(f"no chat templates: {path} is not there (set XG2LAB_DATA to the data folder)")
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.name.endswith(".jinja")}
        return {name.rsplit("/", 1)[-1]: file.read().decode() for name, file in files.items() if file is not None}


def render(name: str, messages: list[dict[str, Any]], **words: Any) -> str:
    """A conversation by a template."""
    sandbox = pytest.importorskip("jinja2.sandbox")

    def refuse(message: str) -> None:
        raise ValueError(message)

    def tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)

    # Not the immutable one of transformers: Kimi's templates append to a list of their own.
    environment = sandbox.SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = tojson
    environment.filters["from_json"] = json.loads
    environment.globals.update(raise_exception=refuse, strftime_now=lambda form: "2026-11-21")
    text = templates()[name]
    return environment.from_string(text).render(messages=messages, bos_token="", eos_token="", **words)


def answer_part(name: str, answer: dict[str, Any], tools: list[dict[str, Any]], **words: Any) -> str:
    """What a template renders of an assistant's message behind the prompt that asks for it.

    Without reasoning some templates write the marks of it in the prompt and not in the history, or otherwise: those
    words are given as `prompt_ends`, and are taken off the prompt.
    """
    user = {"role": "user", "content": "Do it."}
    prompt_ends = words.pop("prompt_ends", "")
    prompt = render(name, [user], tools=tools, add_generation_prompt=True, **words)
    assert prompt.endswith(prompt_ends)
    prompt = prompt.removesuffix(prompt_ends)
    whole = render(name, [user, answer], tools=tools, add_generation_prompt=False, **words)
    assert whole.startswith(prompt), (
        f"{name}: the prompt is no beginning of the whole\n{prompt[-80:]!r}\n{whole[-200:]!r}"
    )
    return whole[len(prompt) :]
