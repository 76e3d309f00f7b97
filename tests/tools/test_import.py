"""`import xg2lab` is light: few modules, and without torch, the notebook libraries or our own upper layers."""

import subprocess
import sys

HEAVY = ["pydantic", "torch", "transformers", "tokenizers", "ipywidgets", "anywidget", "xg2lab.lab", "xg2lab.widgets"]
PROGRAM = f"""
import sys
import numpy
before = set(sys.modules)
import xg2lab
new = set(sys.modules) - before
ours = [name for name in new if name.split(".")[0] == "xg2lab"]
print(len(ours), len(new) - len(ours), [name for name in {HEAVY} if name in sys.modules])
"""


def test_import_is_light_and_pulls_nothing_heavy():
    """Modules are counted: those of ours, and those of others beside NumPy's."""
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    n_ours, n_others, heavy = said.split(maxsplit=2)
    assert heavy.strip() == "[]"
    assert int(n_ours) < 30
    assert int(n_others) < 90
