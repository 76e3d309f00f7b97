"""Sessions on hand-sized vocabularies."""

from __future__ import annotations

import fake_engine
import pytest

import xg2lab


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setattr(xg2lab, "GrammarMatcher", fake_engine.FakeMatcher, raising=False)
    monkeypatch.setattr(xg2lab, "CompiledGrammar", fake_engine.FakeCompiled, raising=False)
    monkeypatch.setattr(xg2lab, "GrammarCompiler", fake_engine.FakeCompiler, raising=False)
    monkeypatch.setattr(xg2lab, "TokenizerInfo", fake_engine.FakeInfo, raising=False)
