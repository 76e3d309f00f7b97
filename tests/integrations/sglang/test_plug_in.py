"""SGLang's plug-in: its scenarios with stand-ins for SGLang's classes, and with the classes themselves if installed."""

from __future__ import annotations

import importlib.metadata
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.integrations.elsewhere import python_with, run_there
from tests.integrations.sglang import standin
from tests.integrations.sglang.scenarios import SCENARIOS
from tests.integrations.standins import installed
from xg2lab.errors import UnsupportedError
from xg2lab.integrations.contracts import differences
from xg2lab.integrations.sglang import CONTRACT, make_backend, register

pytest.importorskip("torch")
pytest.importorskip("transformers")

ROOT = Path(__file__).parents[3]


@pytest.fixture
def sglang() -> Iterator[dict[str, ModuleType]]:
    made = standin.modules()
    with installed(made, "xg2lab.integrations.sglang."):
        yield made


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_scenario_with_stand_ins(scenario: Callable[[], None], sglang: dict[str, ModuleType]):
    assert "sglang" in sglang
    scenario()


@pytest.mark.slow
@pytest.mark.parametrize("module", ["scenarios", "manager"])
def test_scenarios_with_sglang_s_own_classes(module: str, tmp_path: Path):
    said = run_there(python_with("sglang"), f"tests.integrations.sglang.{module}", tmp_path)
    assert said.stdout.strip(), said.stderr
    assert json.loads(said.stdout.splitlines()[-1])["failed"] == {}


def test_the_name_is_known_once(sglang: dict[str, ModuleType]):
    register()
    register()
    base = sglang["sglang.srt.constrained.base_grammar_backend"]
    assert list(base.GRAMMAR_BACKEND_REGISTRY) == ["xg2lab"]
    assert sglang["sglang.srt.arg_groups.choices"].GRAMMAR_BACKEND_CHOICES == ["xgrammar", "none", "xg2lab"]


def test_another_sglang_is_refused_with_what_differs(sglang: dict[str, ModuleType]):
    assert differences(CONTRACT) == []

    def fill_vocab_mask_batched(entries: Any, vocab_mask: Any, stream: Any) -> None: ...

    base = sglang["sglang.srt.constrained.base_grammar_backend"]
    base.BaseGrammarObject.fill_vocab_mask_batched = staticmethod(fill_vocab_mask_batched)
    sglang["sglang"].__version__ = "9.9"
    with pytest.raises(UnsupportedError) as caught:
        make_backend(SimpleNamespace(model_path="tiny"), None, 10, None)
    assert "takes (entries, vocab_mask, stream), not (entries, vocab_mask)" in caught.value.message
    assert "SGLang (9.9)" in caught.value.message


def test_a_tokenizer_of_sglang_s_own(sglang: dict[str, ModuleType]):
    """Some are no tokenizers of Hugging Face, and say what their tokens are in XGrammar's words."""
    import xg2lab as xgr

    assert sglang
    theirs = xgr.TokenizerInfo([b"a", b"b", b"<end>"], stop_token_ids=[2])
    tokenizer = SimpleNamespace(init_xgrammar=lambda: (theirs, None))
    backend = make_backend(SimpleNamespace(model_path="tiny"), tokenizer, 4, {2})
    assert (backend.tokenizer_info.vocab_size, backend.tokenizer_info.stop_token_ids) == (4, [2])
    mask = backend.dispatch_regex("ab").text.matcher.allowed_tokens()
    assert mask == [0]
    with pytest.raises(UnsupportedError, match="does not say what its tokens are"):
        unknown = SimpleNamespace(init_xgrammar=lambda: (None, None))
        make_backend(SimpleNamespace(model_path="tiny"), unknown, 4, None)


def test_an_entry_point_leads_to_it():
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["sglang.srt.plugins"]
    assert importlib.metadata.EntryPoint("xg2lab", table["xg2lab"], "sglang.srt.plugins").load() is register
