"""Which value a text stands for, where a format doesn't write its type: the first reading that keeps the tool's schema.

>>> schema = {"type": "object", "properties": {"n": {"type": ["string", "integer"], "maximum": 3}}}
>>> settled({"n": Readings((5, "5"))}, schema)
{'n': '5'}
>>> settled({"n": Readings((2, "2"))}, schema)
{'n': 2}

A grammar accepts a text if one of its readings keeps the schema, so one of them does. Whether a value keeps a schema is
asked of the engine, as the grammar was: of the JSON text of the value.

See also: `types.py`, which names the readings; `styles.py`, which finds the texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING, Any, cast

from xg2lab.errors import Xg2LabError

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar

__all__ = ["Readings", "keeps", "settled"]

MOST_TRIED = 512


@dataclass(frozen=True)
class Readings:
    """The values that a text may stand for, the likeliest first; lists and dicts may have readings in them."""

    values: tuple[Any, ...]


def settled(arguments: dict[str, Any], schema: Any) -> dict[str, Any]:
    """The arguments with a value for each of their readings: such that they keep the schema, if any of 512 tried do."""
    tried = cast("Iterator[dict[str, Any]]", islice(_expansions(arguments), MOST_TRIED))
    first = next(tried)
    if not isinstance(schema, dict) or not _is_open(arguments) or keeps(first, schema):
        return first
    return next((value for value in tried if keeps(value, schema)), first)


def _is_open(value: Any) -> bool:
    if isinstance(value, Readings):
        return True
    if isinstance(value, dict):
        return any(map(_is_open, cast("dict[str, Any]", value).values()))
    return isinstance(value, list) and any(map(_is_open, cast("list[Any]", value)))


def _expansions(value: Any) -> Iterator[Any]:
    if isinstance(value, Readings):
        for one in value.values:
            yield from _expansions(one)
    elif isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        for values in product(*(list(islice(_expansions(part), MOST_TRIED)) for part in named.values())):
            yield dict(zip(named, values, strict=True))
    elif isinstance(value, list):
        for values in product(*(list(islice(_expansions(part), MOST_TRIED)) for part in cast("list[Any]", value))):
            yield list(values)
    else:
        yield value


def keeps(value: Any, schema: Any) -> bool:
    """Does the value keep the schema? What the engine can't tell doesn't count against it.

    >>> keeps({"unit": "C"}, {"properties": {"unit": {"enum": ["C", "F"]}}}), keeps("C ", {"enum": ["C"]})
    (True, False)
    """
    from xg2lab._core import GrammarMatcher

    try:
        compiled = _compiled(json.dumps(schema))
    except Xg2LabError:
        return True
    matcher = GrammarMatcher(compiled, terminate_without_stop_token=True)
    return matcher.accept_string(json.dumps(value)) and matcher.is_completed()


@lru_cache(maxsize=256)
def _compiled(schema: str) -> CompiledGrammar:
    from xg2lab.compiler import GrammarCompiler
    from xg2lab.grammar import Grammar
    from xg2lab.tokenizer_info import TokenizerInfo

    info = TokenizerInfo([bytes([byte]) for byte in range(256)], stop_token_ids=[])
    grammar = Grammar.from_json_schema(schema, strict_mode=False, on_unsupported="relax")
    return GrammarCompiler(info, cache_enabled=False).compile_grammar(grammar)
