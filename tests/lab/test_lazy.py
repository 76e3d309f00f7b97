"""`import xg2lab.lab` loads no model library before a model is used, and no schema before a trace is read."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import xg2lab, xg2lab.lab
from xg2lab.lab import Session, Step, Trace
info = xg2lab.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
session = Session('root ::= "a"', info)
session.force("a"), session.explain("b"), session.trace.to_wire()
heavy = {"torch", "transformers", "ipywidgets", "anywidget", "pydantic", "xg2lab.lab.schema"} & set(sys.modules)
assert not heavy, heavy
"""


def test_neither_the_package_nor_a_session_without_a_model_imports_torch_or_pydantic():
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=60)


def test_a_name_that_is_not_there_is_an_attribute_error():
    import pytest

    import xg2lab.lab

    with pytest.raises(AttributeError, match="nothing"):
        _ = xg2lab.lab.nothing
    assert set(xg2lab.lab.__all__) <= set(dir(xg2lab.lab))
