"""What a module of scenarios prints where a server is installed: one line of JSON, for tests and `make serving`."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Sequence

Scenario = Callable[[], None]


def report(package: str, version: str, scenarios: Sequence[Scenario]) -> int:
    """Run all with the `package` of this environment and print what failed; 1 if one fails."""
    failed: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for scenario in scenarios:
        begin = time.perf_counter()
        try:
            scenario()
        except Exception:  # noqa: BLE001 (one failure is a row of the report)
            failed[scenario.__name__] = traceback.format_exc()
        seconds[scenario.__name__] = round(time.perf_counter() - begin, 2)
    print(json.dumps({"package": package, "version": version, "ran": seconds, "failed": failed}))
    return 1 if failed else 0
