"""Sizes that are large: counted where that is linear, cut where no text is so long."""

from __future__ import annotations

import json

import xg2lab as xgr
from xg2lab.testing import _is_grammar_accept_string


def test_counting_items_of_one_kind_is_linear():
    grammar = xgr.Grammar.from_json_schema({"type": "array", "contains": {"const": 1}, "minContains": 300})
    assert len(grammar.rules) < 400
    for n_found, n_others in [(299, 0), (300, 0), (299, 5), (300, 5), (310, 1)]:
        text = json.dumps([1, 2] * n_others + [1] * (n_found - n_others))
        assert _is_grammar_accept_string(grammar, text) == (n_found >= 300), (n_found, n_others)


def test_items_are_counted_where_more_of_them_are_asked_for_than_of_a_kind():
    grammar = xgr.Grammar.from_json_schema({"type": "array", "contains": {"const": 1}, "minContains": 2, "minItems": 4})
    verdicts = [_is_grammar_accept_string(grammar, text) for text in ("[1, 1, 2]", "[1, 1, 2, 2]", "[1, 2, 2, 2]")]
    assert verdicts == [False, True, False]


def test_sizes_beyond_all_texts_can_be_printed_and_read():
    for size in ("1e4003", "4294967295", "99999999999"):
        grammar = xgr.Grammar.from_json_schema(f'{{"type": "array", "items": {{"const": 1}}, "maxItems": {size}}}')
        again = xgr.Grammar.from_ebnf(str(grammar))
        assert _is_grammar_accept_string(again, "[1, 1, 1]")
