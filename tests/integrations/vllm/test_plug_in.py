"""vLLM's plug-in: its scenarios with a stand-in for vLLM, and with vLLM itself where an environment has it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.integrations.elsewhere import python_with, run_there
from tests.integrations.standins import installed
from tests.integrations.vllm import standin
from tests.integrations.vllm.scenarios import SCENARIOS
from xg2lab.errors import ArgumentError, UnsupportedError
from xg2lab.integrations.contracts import differences
from xg2lab.integrations.vllm import CONTRACT, VARIABLE, register

pytest.importorskip("torch")
pytest.importorskip("transformers")

ROOT = Path(__file__).parents[3]
PLUG_IN = "xg2lab.integrations.vllm."


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """vLLM's stand-in, with the plug-in asked for."""
    monkeypatch.setenv(VARIABLE, "1")
    made = standin.modules()
    with installed(made, PLUG_IN):
        yield made


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_scenario_with_the_stand_in(scenario: Callable[[], None], vllm: dict[str, ModuleType]):
    assert "vllm" in vllm
    scenario()


@pytest.mark.slow
def test_scenarios_with_vllm_itself(tmp_path: Path):
    """All of them in one process of the environment with vLLM, since importing it takes ten seconds."""
    said = run_there(python_with("vllm"), "tests.integrations.vllm.scenarios", tmp_path)
    assert said.stdout.strip(), said.stderr
    result = json.loads(said.stdout.splitlines()[-1])
    assert result["failed"] == {}
    assert len(result["ran"]) == len(SCENARIOS)


def test_without_the_variable_nothing_happens(vllm: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch):
    module = vllm["vllm.v1.structured_output"]
    before = module.XgrammarBackend
    for value in ("", "0", "off"):
        monkeypatch.setenv(VARIABLE, value)
        register()
        assert module.XgrammarBackend is before
    monkeypatch.setenv(VARIABLE, "perhaps")
    with pytest.raises(ArgumentError, match="XG2LAB_VLLM is 'perhaps'"):
        register()


@pytest.fixture
def changes() -> dict[str, tuple[Callable[[dict[str, ModuleType]], None], str]]:
    types = "vllm.v1.structured_output.backend_types"

    def another_parameter(made: dict[str, ModuleType]) -> None:
        def accept_tokens(self: Any, tokens: Any, logprobs: Any) -> None: ...

        made[types].StructuredOutputGrammar.accept_tokens = accept_tokens

    def another_method(made: dict[str, ModuleType]) -> None:
        made[types].StructuredOutputGrammar.__abstractmethods__ |= {"fork"}

    def another_kind(made: dict[str, ModuleType]) -> None:
        from enum import Enum

        made[types].StructuredOutputOptions = Enum(
            "StructuredOutputOptions", "JSON JSON_OBJECT REGEX GRAMMAR CHOICE XML"
        )

    def no_such_name(made: dict[str, ModuleType]) -> None:
        del made["vllm.v1.structured_output"].XgrammarBackend

    def looked_up_elsewhere(made: dict[str, ModuleType]) -> None:
        def grammar_init(self: Any, request: Any) -> None: ...

        made["vllm.v1.structured_output"].StructuredOutputManager.grammar_init = grammar_init

    return {
        "parameter": (another_parameter, "takes (self, tokens, logprobs), not (self, request_id, tokens)"),
        "method": (another_method, "has the abstract method fork, which the plug-in does not know"),
        "kind": (another_kind, "has no member STRUCTURAL_TAG"),
        "name": (no_such_name, "vllm.v1.structured_output:XgrammarBackend does not exist"),
        "use": (looked_up_elsewhere, "does not look up XgrammarBackend, which the plug-in replaces"),
    }


@pytest.mark.parametrize("change", ["parameter", "method", "kind", "name", "use"])
def test_another_vllm_is_refused_with_what_differs(change: str, changes: Any, vllm: dict[str, ModuleType]):
    assert differences(CONTRACT) == []
    make, said = changes[change]
    vllm["vllm"].__version__ = "9.9"
    make(vllm)
    if change == "name":
        vllm["vllm.v1.structured_output"].XgrammarBackend_ = None
        assert said in differences(CONTRACT)
        return
    with pytest.raises(UnsupportedError) as caught:
        register()
    assert said in caught.value.message
    assert "vLLM (9.9)" in caught.value.message
    assert caught.value.hint.startswith(f"the plug-in was written for vLLM {CONTRACT.tried}")


def test_an_entry_point_leads_to_it():
    """As an installed distribution says it, which an old build may not yet."""
    import tomllib

    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["vllm.general_plugins"]
    point = importlib.metadata.EntryPoint("xg2lab", table["xg2lab"], "vllm.general_plugins")
    assert point.load() is register


def test_it_stays_light():
    program = (
        "import sys; from xg2lab.integrations.vllm import register; register()\n"
        "assert not {'torch', 'vllm', 'transformers', 'pydantic'} & set(sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
