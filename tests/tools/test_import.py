"""`import xg2lab` is light: quick, and without torch, the notebook libraries or our own upper layers."""

import subprocess
import sys

HEAVY = ["pydantic", "torch", "transformers", "tokenizers", "ipywidgets", "anywidget", "xg2lab.lab", "xg2lab.widgets"]
PROGRAM = f"""
import sys, time
began = time.process_time()
import xg2lab
seconds = time.process_time() - began
print(seconds, [name for name in {HEAVY} if name in sys.modules])
"""


def import_once() -> tuple[float, str]:
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    seconds, heavy = said.split(maxsplit=1)
    return float(seconds), heavy.strip()


def test_import_is_quick_and_pulls_nothing_heavy():
    runs = [import_once() for _ in range(5)]
    assert {heavy for _, heavy in runs} == {"[]"}
    # Time of the processor, and the best of five: a busy machine must not decide it.
    assert min(seconds for seconds, _ in runs) < 0.3
