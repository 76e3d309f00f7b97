"""The parts of the campaign, by name, in the order in which they run. A new part is a line here.

>>> sorted(PARTS)
['entry_points', 'fuzz', 'hostile', 'oracle_earley', 'oracle_json_schema', 'oracle_lark', 'oracle_regex', 'soak']
"""

from __future__ import annotations

from importlib import import_module

from campaign.part import Part

__all__ = ["PARTS", "part"]

#: Name, and where its class is. Modules are imported when their part runs.
PARTS = {
    "hostile": "campaign.hostile.run:Hostile",
    "fuzz": "campaign.fuzzing:Fuzzing",
    "entry_points": "campaign.entry_points:EntryPoints",
    "soak": "campaign.soak:Soak",
    "oracle_earley": "campaign.oracles.earley_part:OracleEarley",
    "oracle_regex": "campaign.oracles.regex_part:OracleRegex",
    "oracle_json_schema": "campaign.oracles.json_schema_part:OracleJsonSchema",
    "oracle_lark": "campaign.oracles.lark_part:OracleLark",
}


def part(name: str) -> Part:
    """The part of this name."""
    module, _, made = PARTS[name].partition(":")
    return getattr(import_module(module), made)()
