"""What Python runs first in the processes of a program that `python -m xg2lab.compat` started.

Python looks for a module of this name once, so one that this one hides is imported here. A child that runs another
Python, in which xg2lab is not installed, stays as it is.
"""

import contextlib
import sys
from pathlib import Path

sys.path[:] = [folder for folder in sys.path if folder != str(Path(__file__).parent)]
sys.modules.pop("sitecustomize", None)
with contextlib.suppress(ImportError):
    import sitecustomize  # noqa: F401  # pyright: ignore[reportUnusedImport]
with contextlib.suppress(ImportError):
    from xg2lab.compat import install

    install()
