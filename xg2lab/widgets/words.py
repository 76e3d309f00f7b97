"""Sentences that a page shows and that Python says, too: one file for both, which the bundle holds.

>>> WORDS["mask_classes"][2]
'uncertain → accepted'
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["WORDS"]

#: By topic: `cache`, `mask_classes` (by provenance code), `terms` (the words that have a card), `timeline`.
WORDS: dict[str, Any] = json.loads((Path(__file__).parent / "words.json").read_text(encoding="utf-8"))
