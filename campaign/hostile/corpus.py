"""All inputs of the hostile corpus: each family in each of its sizes, and a part of them under other options.

>>> len({made.name for made in corpus()}) == len(list(corpus())) > 500
True
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from campaign.hostile import ebnf, ebnf_macros, larks, regexes, schema_values, schemas, tags
from campaign.hostile.inputs import FAMILIES, Family, FrontEnd, Input

__all__ = ["PARSER", "SWITCHES", "corpus", "sample"]

#: Each module declares its families when it is imported.
MODULES = (ebnf, ebnf_macros, larks, regexes, schemas, schema_values, tags)

PARSER: Mapping[str, Mapping[str, Any]] = {"pda": {"parser": "pda"}}

#: Options of the engine that a part of the inputs is compiled under, one at a time.
SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "rule_inlining=off": {"rule_inlining": False},
    "right_recursion=off": {"right_recursion_to_repeat": False},
    "literal_fusion=off": {"literal_fusion": False},
    "determinize=off": {"determinize": False, "minimize": False},
    "minimize=off": {"minimize": False},
    "tail_calls=off": {"tail_calls": False},
    "repetition=written_out": {"repetition_compression": False},
    "repetition_threshold=0": {"repetition_threshold": 0},
    "cross_grammar_cache=off": {"cross_grammar_cache": False},
    "context_expansion=off": {"context_expansion": False},
    "token_classes=off": {"token_classes": False},
    "context_walks=never": {"context_walks": "never"},
    "context_walks=always": {"context_walks": "always"},
    "shared_walks=off": {"shared_walks": False},
    "counted_runs=off": {"counted_runs": False},
    "partial_jit": {"partial_jit_k": "auto"},
    "contents_on_demand": {"contents_on_demand": 1},
}

#: Keywords of front ends, one at a time.
KEYWORDS: Mapping[FrontEnd, Mapping[str, Mapping[str, Any]]] = {
    "json_schema": {
        "open": {"strict_mode": False},
        "strict": {"strict_mode": True},
        "any_order": {"any_order": True},
        "compact": {"any_whitespace": False},
        "indented": {"any_whitespace": False, "indent": 2},
        "relaxed": {"on_unsupported": "relax"},
        "no_formats": {"check_formats": False},
        "much_whitespace": {"max_whitespace_cnt": 5000},
    },
    "lark": {"dynamic": {"lexer": "dynamic"}, "complete": {"lexer": "dynamic_complete"}, "basic": {"lexer": "basic"}},
    "tools": {
        "required": {"tool_choice": "required"},
        "any_order": {"any_order": True},
        "one_call": {"parallel_tool_calls": False},
    },
}


def middle(family: Family) -> Input:
    """A family's input of middle size: large enough to be work, small enough to end."""
    inputs = list(family.inputs())
    return inputs[(len(inputs) - 1) // 2]


def corpus() -> Iterator[Input]:
    """Every input, always the same and in the same order.

    Each size of each family with both parsers where the second makes a difference, then the middle size of each family
    under one switch of the engine and one keyword of its front end: over all families each comes many times.
    """
    switches = list(SWITCHES.items())
    for i, family in enumerate(FAMILIES):
        yield from family.inputs()
        made = middle(family)
        yield made.varied("pda", {"parser": "pda"}, {})
        name, options = switches[i % len(switches)]
        yield made.varied(name, options, {})
        keywords = list(KEYWORDS.get(family.front_end, {}).items())
        if keywords:
            name, chosen = keywords[i % len(keywords)]
            yield made.varied(name, {}, chosen)


def sample(n: int, seed: int) -> list[Input]:
    """`n` inputs of the corpus by lot, small ones: the smallest size of a family, sometimes under other options."""
    rng = random.Random(f"hostile/{seed}")
    chosen = rng.sample(FAMILIES, min(n, len(FAMILIES)))
    made: list[Input] = []
    for family in chosen:
        smallest = next(iter(family.inputs()))
        variants = [*SWITCHES.items(), *PARSER.items()]
        name, options = rng.choice([("", {}), *variants])
        made.append(smallest.varied(name, options, {}) if name else smallest)
    return made
