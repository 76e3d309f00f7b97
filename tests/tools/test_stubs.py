"""The committed stub is what the built engine has to say for itself."""

import pytest

from tools import check_stubs


@pytest.mark.slow
def test_the_committed_stub_is_current():
    assert check_stubs.difference() == ""


@pytest.mark.slow
def test_a_stub_that_differs_is_shown_as_a_diff(tmp_path, monkeypatch):
    stale = tmp_path / "_core.pyi"
    stale.write_text(check_stubs.STUB.read_text(encoding="utf-8") + "def gone() -> None: ...\n", encoding="utf-8")
    monkeypatch.setattr(check_stubs, "STUB", stale)
    assert "-def gone() -> None: ..." in check_stubs.difference()
