"""Structural tags: the engine against the twin, on formats made at random, texts near them, and tokens."""

from __future__ import annotations

import json
import random
from typing import Any

import xg2lab as xgr
from tests.generators import SHARE, seeded
from tests.refusals import Outcomes
from tests.tag_formats import ENDS, LETTERS, TEXTS, random_format, random_token_format
from xg2lab.errors import InvalidStructuralTagError, Xg2LabError
from xg2lab.reference.structural_tag import accepts

N_FORMATS = round(500 * SHARE)


def near(rng: random.Random, member: str) -> list[str]:
    """The member, and texts a mistake away from it."""
    found = [member]
    for _ in range(4):
        at = rng.randrange(len(member) + 1)
        put = rng.choice(["", rng.choice(LETTERS), rng.choice(ENDS), rng.choice(TEXTS)])
        found.append(member[:at] + put + member[at + rng.randrange(3) :])
    return found


def test_texts():
    rng = seeded("structural_tag/texts")
    counts = {True: 0, False: 0}
    kinds: set[str] = set()
    outcomes = Outcomes()
    for _ in range(N_FORMATS):
        form = random_format(rng, 3)
        try:
            grammar = xgr.Grammar.from_structural_tag({"format": form})
            members = xgr.sample(grammar, 4, seed=rng.randrange(1 << 30), max_length=40)
        except InvalidStructuralTagError as error:
            assert {finding.code for finding in error.diagnostics} <= REFUSED, form
            outcomes["refused"] += 1
            continue
        except Xg2LabError as error:  # nothing is so short, or nothing at all
            assert "max_length" in str(error) or {f.code for f in error.diagnostics} == {"never_matches"}, (form, error)
            members, grammar = [], None
        outcomes["empty" if grammar is None else "sampled"] += 1
        kinds.update(types_in(form))
        tried = [text for member in members for text in near(rng, member) if len(text) <= 60]
        tried += ["".join(rng.choices(LETTERS, k=rng.randrange(7))) for _ in range(6)]
        matcher = None if grammar is None else matcher_of(grammar)
        for text in tried:
            is_member = accepts(form, text)
            counts[is_member] += 1
            if matcher is None:
                assert not is_member, (form, text)
                continue
            matcher.reset()
            said = matcher.accept_string(text) and matcher.is_completed()
            assert said == is_member, f"{text!r}: engine {said}, twin {is_member}\n{json.dumps(form)}"
    print(counts, outcomes)
    outcomes.require("sampled", 0.8)
    assert min(counts.values()) > N_FORMATS
    assert len(kinds) == 16 or N_FORMATS < 100


# A trigger that is excluded, or ends the tag around it, or would be read within another.
REFUSED = {"excluded_trigger", "trigger_is_end", "tag_contains_stop", "tag_without_trigger", "empty_text"}
INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def matcher_of(grammar: xgr.Grammar) -> xgr.GrammarMatcher:
    return xgr.GrammarMatcher(xgr.GrammarCompiler(INFO, cache_enabled=False).compile_grammar(grammar))


def types_in(form: Any) -> set[str]:
    if isinstance(form, list):
        return {kind for part in form for kind in types_in(part)}
    if not isinstance(form, dict):
        return set()
    own = {form["type"]} if isinstance(form.get("type"), str) and "json_schema" not in form else set()
    own |= {form["type"]} if "json_schema" in form else set()
    return own | {kind for key, part in form.items() if key != "json_schema" for kind in types_in(part)}


# ---- Tokens ----

VOCABULARY = ["a", "b", "ab", "<", "<a", ">", "1", "</s>"]
TOKENS = xgr.TokenizerInfo([word.encode() for word in VOCABULARY], stop_token_ids=[7])


def test_tokens():
    rng = seeded("structural_tag/tokens")
    compiler = xgr.GrammarCompiler(TOKENS, cache_enabled=False)
    counts = {True: 0, False: 0}
    outcomes = Outcomes()
    for _ in range(N_FORMATS):
        form = random_token_format(rng, 2)
        try:
            compiled = compiler.compile_structural_tag({"format": form})
        except Xg2LabError as error:
            assert {f.code for f in error.diagnostics} <= {"never_matches", "no_token_left"}, (form, error)
            outcomes["refused"] += 1
            continue
        outcomes["walked"] += 1
        matcher = xgr.GrammarMatcher(compiled)
        for _ in range(5):
            matcher.reset()
            path: list[int] = []
            while len(path) < 7:
                allowed = [token for token in matcher.allowed_tokens() if token != 7]
                may_end = 7 in matcher.allowed_tokens()
                said = accepts(form, path, VOCABULARY, [7])
                counts[said] += 1
                assert may_end == said, f"{path}: engine {may_end}, twin {said}\n{json.dumps(form)}"
                other = rng.randrange(7)  # what the mask forbids is no beginning of anything
                if other not in allowed:
                    assert not any_continuation(rng, form, [*path, other]), f"{path} {other}\n{json.dumps(form)}"
                if not allowed:
                    break
                path.append(rng.choice(allowed))
                assert matcher.accept_token(path[-1])
    print(counts, outcomes)
    outcomes.require("walked", 0.9)
    assert min(counts.values()) > N_FORMATS


def any_continuation(rng: random.Random, form: dict[str, Any], path: list[int]) -> bool:
    """Whether one of some texts that go on with these tokens is a match."""
    ways = [path, *([*path, *rng.choices(range(7), k=rng.randint(1, 3))] for _ in range(6))]
    return any(accepts(form, way, VOCABULARY, [7]) for way in ways)


def test_the_twin_has_every_format():
    from typing import get_args

    from xg2lab import structural_tag
    from xg2lab.reference.structural_tag import Reader

    names = {form.model_fields["type"].default for form in get_args(get_args(structural_tag.Format)[0])}
    assert len(names) == 21
    assert [name for name in names if not hasattr(Reader, f"{name}_ends")] == []
