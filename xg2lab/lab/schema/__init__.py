"""One description of everything that is recorded, saved and sent: the records of traces, reports, traits and messages.

>>> from xg2lab.lab.schema import Selection
>>> list(Selection.__annotations__)
['step', 'token', 'byte', 'rule', 'item', 'state', 'mask_entry']

Four things are made from it: the check of what comes from outside (`xg2lab.lab.trace.reading`), the TypeScript types
of the page and the tables of `docs/design/0002-trace.md` (`tools/check_schema.py --write`), and the types that type
checkers see of `Session.explain`, `Step` and `Trace`.

The module needs pydantic. Modules of `xg2lab.lab` import it for type checkers only and when a trace is read, so a
session that steps never loads it. See also `docs/design/0045-one-schema.md`.
"""

from __future__ import annotations

from xg2lab.lab.schema.engine import *  # noqa: F403 (each lists its names in __all__)
from xg2lab.lab.schema.facts import *  # noqa: F403 (each lists its names in __all__)
from xg2lab.lab.schema.messages import *  # noqa: F403 (each lists its names in __all__)
from xg2lab.lab.schema.page import *  # noqa: F403 (each lists its names in __all__)
from xg2lab.lab.schema.parts import *  # noqa: F403 (each lists its names in __all__)
from xg2lab.lab.schema.reports import *  # noqa: F403 (each lists its names in __all__)
from xg2lab.lab.schema.trace import *  # noqa: F403 (each lists its names in __all__)
