"""One limit on how deep texts nest, for every reader; the engine's own bounds hold besides."""

from __future__ import annotations

import pytest

import xg2lab as xgr
from xg2lab.errors import ArgumentError, Xg2LabError

DEEP = {
    "ebnf": (lambda n: xgr.Grammar.from_ebnf("root ::= " + "(" * n + '"a"' + ")" * n), 1000),
    "regex": (lambda n: xgr.Grammar.from_regex("(" * n + "a" + ")" * n), 200),
    "lark": (lambda n: xgr.Grammar.from_lark("start: " + "(" * n + '"a"' + ")" * n), 190),
    "json text": (lambda n: xgr.Grammar.from_json_schema('{"const": ' + "[" * n + "]" * n + "}"), 400),
    "json values": (lambda n: xgr.Grammar.from_json_schema({"const": nested(n)}), 400),
}


def nested(n: int) -> list[object]:
    value: list[object] = []
    for _ in range(n - 1):
        value = [value]
    return value


@pytest.mark.parametrize("name", DEEP)
def test_a_lower_limit_holds_for_every_reader(name: str):
    read, most = DEEP[name]
    read(most)
    with xgr.max_recursion_depth(120):
        read(110)
        with pytest.raises(Xg2LabError, match=r"\b120\b"):
            read(125)
    read(125)


def test_beyond_their_own_bounds_readers_go_no_further():
    with xgr.max_recursion_depth(10**9):
        assert xgr.get_max_recursion_depth() == 10**9
        with pytest.raises(Xg2LabError, match="1000"):
            DEEP["ebnf"][0](1100)
    assert xgr.get_max_recursion_depth() == 10_000


def test_too_low_a_limit_is_refused_and_changes_nothing():
    with pytest.raises(ArgumentError, match="at least 100"):
        xgr.set_max_recursion_depth(99)
    with pytest.raises(ArgumentError, match="at least 100"), xgr.max_recursion_depth(0):
        pass
    assert xgr.get_max_recursion_depth() == 10_000


def test_formats_and_built_in_grammars_are_read_at_the_lowest():
    with xgr.max_recursion_depth(100):
        for name in ("date-time", "idn-email", "uri", "ipv6", "iri", "regex", "uuid"):
            grammar = xgr.Grammar.from_json_schema({"type": "string", "format": name}, on_unsupported="relax")
            assert xgr.Grammar.from_ebnf(str(grammar)).rules
        assert xgr.check(xgr.Grammar.builtin_json_grammar(), accepts=["[" * 5000 + "]" * 5000]).ok
