"""Where a part's run is: kept in a file after each unit, so that a run that was killed goes on.

>>> import tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> path = Path(folder.name) / "state.json"
>>> state = State.load(path, {"seed": 1})
>>> state.add(Done(counts={"inputs": 2})); state.save(path)
>>> again = State.load(path, {"seed": 1})
>>> again.position, again.counts
(1, {'inputs': 2})
>>> State.load(path, {"seed": 2}).position  # another run: from the start
0
>>> folder.cleanup()
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from campaign.part import Done, Figures, Finding

__all__ = ["State"]


@dataclass
class State:
    """How many units are done, and what came of them. `identity` says of which run: seed, share, commit."""

    identity: dict[str, str | int | float]
    position: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict[str, int])
    rows: list[Figures] = field(default_factory=list[Figures])
    findings: list[Finding] = field(default_factory=list[Finding])

    @classmethod
    def load(cls, path: Path, identity: dict[str, str | int | float]) -> State:
        """What is in the file if it belongs to the same run; else a new state."""
        try:
            known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if known["identity"] != identity:
                return cls(identity)
            findings = [Finding(**finding) for finding in known.pop("findings")]
            return cls(**known, findings=findings)
        except (OSError, ValueError, TypeError, KeyError):
            return cls(identity)

    def add(self, done: Done) -> None:
        """One unit more."""
        self.position += 1
        for name, n in done.counts.items():
            self.counts[name] = self.counts.get(name, 0) + n
        self.rows += [dict(row) for row in done.rows]
        known = {finding.name for finding in self.findings}
        self.findings += [finding for finding in done.findings if finding.name not in known]

    def save(self, path: Path) -> None:
        """Written beside, then renamed: a kill leaves the old file or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(asdict(self)), encoding="utf-8")
        beside.replace(path)
