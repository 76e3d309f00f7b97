"""`xg2lab serve` on the command line: its options, and the whole program as a process."""

from __future__ import annotations

import builtins
import json
import re
import signal
import subprocess
import sys
import urllib.request
from typing import Any

import pytest

from xg2lab.cli import main


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.split(".")[0] in ("uvicorn", "fastapi"):
            raise ImportError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **keywords)

    for name in list(sys.modules):
        if name.startswith("xg2lab.integrations.serve.hosting"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["serve"]) == 2
    assert "pip install xg2lab[serve]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--host", "0.0.0.0"], "--api-key"),
        (["--max-tokens", "0"], "max_tokens"),
        (["--port", "70000"], "port"),
        (["--tool-format", "morse"], "qwen_3"),
        (["no/such/model/here"], "no/such/model/here"),
    ],
)
def test_options_that_cannot_be_are_said(
    arguments: list[str], word: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XG2LAB_API_KEY", raising=False)
    assert main(["serve", "--port", "0", *arguments]) == 2
    assert word in capsys.readouterr().err


def test_the_program_serves_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XG2LAB_API_KEY", "k")
    command = [sys.executable, "-u", "-m", "xg2lab", "serve", "--port", "0", "--served-name", "mine"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:[0-9]+", process.stdout.readline())
        assert found is not None
        request = urllib.request.Request(found[0] + "/v1/models", headers={"Authorization": "Bearer k"})
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)["data"][0]["id"] == "mine"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
