"""CacheView as text and data: classes counted, donors named, the pool's figures those of the engine."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.differential.test_plan import WAYS as ALL_WAYS
from tests.differential.test_plan import all_facts
from tests.ui.scripted import scripted_session, vocabulary
from xg2lab import EngineOptions, GrammarCompiler, TokenizerInfo
from xg2lab.lab import Session
from xg2lab.reference.plan import plan
from xg2lab.widgets import CacheView
from xg2lab.widgets.bundle import bundle_path
from xg2lab.widgets.views.cache_view import NO_ENTRIES, TEMPLATE, UNSHARED, WAYS
from xg2lab.widgets.views.mask_lens import CLASS_NAMES
from xg2lab.widgets.words import WORDS

ROOT = Path(__file__).parents[2]
STRING = r"""string ::= "\"" [^"\\]* "\"" """
OPTIONS = EngineOptions(rule_inlining=False)


def run(compiler: GrammarCompiler, info: TokenizerInfo, root: str, text: str) -> Any:
    """A session without a model, forced through a text byte by byte."""
    compiled = compiler.compile_grammar(f"root ::= {root}\n{STRING}")
    session = Session(compiled, info, name=root)
    for byte in text.encode():
        session.force(byte)
    return session


def test_an_entry_of_another_grammar_is_named_with_its_donor() -> None:
    info = TokenizerInfo(vocabulary(700, seed=91), vocab_size=700, stop_token_ids=[692])
    compiler = GrammarCompiler(info, options=OPTIONS)
    first = run(compiler, info, 'string ":"', '"a')
    second = run(compiler, info, 'string ";"', '"a')
    donor = first.compiled
    facts = CacheView(second).data()
    taken = [e for s in second.trace.steps for e in s.entries if e["cache"] != "miss"]
    assert taken
    assert {e["donor"] for e in taken} == {donor.id}
    assert sum(facts["counts"].values()) == len(second.trace.steps)
    assert facts["counts"]["partial_hit"] + facts["counts"]["perfect_hit"] > 0
    assert np.nansum(facts["steps"]["n_adapted"]) == facts["counts"]["partial_hit"]
    assert f"{donor.id}: {donor.name}" in repr(CacheView(second))
    pool = compiler.pool
    assert pool is not None
    assert facts["pool"] == {name: getattr(pool, name) for name in facts["pool"]}


def test_without_a_pool_the_text_says_so() -> None:
    info = TokenizerInfo(vocabulary(700, seed=92), vocab_size=700, stop_token_ids=[692])
    options = EngineOptions(rule_inlining=False, cross_grammar_cache=False)
    session = run(GrammarCompiler(info, options=options), info, "string", '"a')
    assert {step.pool for step in session.trace.steps} == {None}
    assert "no pool" in repr(CacheView(session))


def test_an_instance_takes_over_what_its_template_keeps() -> None:
    """The pool counts none of these hits, and the text explains why; what came of the arguments is not shared."""
    info = TokenizerInfo(vocabulary(700, seed=94), vocab_size=700, stop_token_ids=[692])
    ready = GrammarCompiler(info).compile_template(f"root ::= OneOf($names) string\n{STRING}")
    for name in ("ab", "cd"):
        session = Session(ready.instantiate(names=[name]), info, name=name)
        for byte in f'{name}"x'.encode():
            session.force(byte)
    session.select(step=0)
    assert f"not shared: {UNSHARED['arguments']}" in repr(CacheView(session))
    taken = next(s.index for s in session.trace.steps if any(e["cache"] != "miss" for e in s.entries))
    session.select(step=taken)
    assert "from its template" in repr(CacheView(session))
    assert repr(CacheView(session)).endswith(TEMPLATE)


def test_a_step_that_left_the_grammar_has_no_mask() -> None:
    session = scripted_session(name="left", constrained=False)
    session.force(b"x")
    view = CacheView(session)
    assert "step 1: no mask, the output had left the grammar" in view.lines()
    assert view.data()["entries"] == []
    assert sum(view.data()["counts"].values()) == 1


@pytest.mark.parametrize("step", [0, 3])
def test_the_cursor_chooses_the_step(session: Any, step: int) -> None:
    session.select(step=step)
    recorded = session.trace.steps[step]
    text = repr(CacheView(session))
    way = f", by {WAYS[recorded.way]}" if recorded.way in WAYS else ""
    assert f"step {step}: {recorded.cache.replace('_', ' ')}{way}, in {recorded.mask_us:.1f} us" in text
    assert CacheView(session).data()["entries"] == recorded.entries


def test_a_mask_without_entries_gives_the_reason() -> None:
    """After `"a"` nothing but a stop token may follow: the mask is made of no entry, and the text explains why."""
    info = TokenizerInfo(vocabulary(700, seed=93), vocab_size=700, stop_token_ids=[692])
    session = run(GrammarCompiler(info, options=OPTIONS), info, "string", '"a"')
    session.force(692)
    last = session.trace.steps[-1]
    assert last.cache is not None
    assert last.entries == []
    session.select(step=last.index)
    assert NO_ENTRIES in repr(CacheView(session))
    session.select(step=0)
    assert NO_ENTRIES not in repr(CacheView(session))


def test_the_page_has_its_words_from_the_file_that_python_reads() -> None:
    """No word of them stands a second time in a source of the page; the built page has them all."""
    sources = {path: path.read_text(encoding="utf-8") for path in (ROOT / "widgets" / "src").rglob("*.ts*")}
    words = [*WAYS.values(), *UNSHARED.values(), NO_ENTRIES, TEMPLATE, *CLASS_NAMES[5:7], *WORDS["timeline"].values()]
    assert [(path.name, text) for path, source in sources.items() for text in words if f'"{text}"' in source] == []
    readers = [path.name for path, source in sources.items() if 'xg2lab/widgets/words.json"' in source]
    assert readers == ["words.ts"]
    page = gzip.decompress(bundle_path("runtime.js.gz").read_bytes()).decode()
    assert [text for text in words if text not in page] == []


def test_each_way_of_the_plan_has_words() -> None:
    assert set(WAYS) == {plan(facts, ways) for facts, ways in itertools.product(all_facts(), ALL_WAYS)}
