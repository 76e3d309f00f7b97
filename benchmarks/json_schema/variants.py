"""The engines as this benchmark drives them: ours with three meanings of a schema, with a past and without; the peers.

    name                  order of properties  others allowed  what was learnt from earlier schemas
    xg2lab                any                  yes             kept: one process, the tokenizer's pool
    xg2lab no pool        any                  yes             what is the tokenizer's; no mask entries
    xg2lab cold           any                  yes             none: a process of its own for each schema
    xg2lab declared       as declared          yes             kept
    xg2lab strict         as declared          no              kept
    llguidance            as declared          yes             kept
    llguidance cold       as declared          yes             none
    xgrammar              as declared          yes             kept (its cache of whole grammars is off)

"Any order, others allowed" is what JSON Schema says (`strict_mode=False`); that, and only that, is what the instances'
verdicts are about. `strict` is the default of `compile_json_schema`: it rejects valid instances by design, so its row
is about time. A cold process is a fork of one that has read the vocabulary and compiled one schema: it pays for each
page of memory that it writes to first, so it is to be compared with a peer's that is cold as well. The peers are called
with what makes them read a schema most like the standard.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from benchmarks.engines import Engine, LlGuidance, Xg2Lab, XGrammar
from benchmarks.texts import Vocabulary


@dataclass(frozen=True)
class Variant:
    """How an engine is made and called. `is_cold`: each case is done in a process of its own."""

    name: str
    make: type[Xg2Lab | XGrammar | LlGuidance]
    options: dict[str, Any] = field(default_factory=dict)
    is_cold: bool = False
    has_pool: bool = True

    def engine(self, vocabulary: Vocabulary) -> Engine:
        engine = self.make(vocabulary)
        engine.schema_options = {**engine.schema_options, **self.options}
        return engine


VARIANTS = [
    Variant("xg2lab", Xg2Lab),
    Variant("xg2lab no pool", Xg2Lab, has_pool=False),
    Variant("xg2lab cold", Xg2Lab, is_cold=True),
    Variant("xg2lab declared", Xg2Lab, {"any_order": False}),
    Variant("xg2lab strict", Xg2Lab, {"strict_mode": True}),
    Variant("llguidance", LlGuidance),
    Variant("llguidance cold", LlGuidance, is_cold=True),
    Variant("xgrammar", XGrammar),
]


def chosen(names: list[str]) -> list[Variant]:
    """The variants of these names, or all; those whose package is missing are left out, and said so."""
    unknown = set(names) - {variant.name for variant in VARIANTS}
    if unknown:
        raise SystemExit(f"no engine {sorted(unknown)}; there are: {', '.join(v.name for v in VARIANTS)}")
    from importlib.util import find_spec

    found: list[Variant] = []
    for variant in VARIANTS:
        if names and variant.name not in names:
            continue
        if find_spec(variant.make.package) is None:
            print(f"left out: {variant.name} ({variant.make.package} is not installed)")
            continue
        found.append(variant)
    return found
