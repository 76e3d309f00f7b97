"""Operators at random: the engine's masks and verdicts are those of sets of positions, in every kind of grammar.

XG2LAB_SEED repeats a run; XG2LAB_SHARE=0.1 does a tenth of the usual samples.
"""

import random
from typing import Any

import pytest

from tests.differential.test_engine_vs_twin import OPTIONS, Engine
from tests.generators import (
    SHARE,
    mutate,
    random_grammar,
    random_member,
    random_vocabulary,
    seeded,
    shrink,
    with_token_edges,
    write_ebnf,
)
from tests.refusals import Outcomes, refusal_mistake
from xg2lab.reference.ebnf import Grammar, parse_ebnf
from xg2lab.reference.operators import Operators, build
from xg2lab.reference.options import parse_with_options

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import dataclasses

import xg2lab as xgr
from xg2lab.errors import LimitError

ENGINES = {
    "earley": OPTIONS["all-on"],
    "earley-counted": OPTIONS["all-counted"],
    "pda": dataclasses.replace(OPTIONS["all-on"], parser="pda", repetition_threshold=2, max_stacks=5000),
    "operators": dataclasses.replace(OPTIONS["all-on"], parser="operators"),
    "operators-counted": dataclasses.replace(OPTIONS["all-on"], parser="operators", repetition_threshold=0),
    "operators-as-written": dataclasses.replace(OPTIONS["all-off"], parser="operators"),
}


class Walk:
    """An engine and the operators, after the same tokens. The last token of the vocabulary ends the text."""

    def __init__(self, text: str, vocabulary: list[bytes], special: set[int], options: Any) -> None:
        self.pieces, self.special, self.stop = [*vocabulary, b"</s>"], special, len(vocabulary)
        self.operators = Operators(build(*parse_with_options(text)))
        self.engine = Engine(text, self.pieces, self.stop, options, special)

    def n_positions_too_many(self) -> int:
        """Of repetitions that are counted, not written out: a machine's state stands for one or more of the twin's."""
        options = self.engine.matcher.compiled_grammar.options
        if options.parser != "operators" or options.repetition_threshold > 0 or not options.determinize:
            return 0
        # Frames are united in another order than positions, so some may be left that the twin
        # unites, and the reverse.
        return max(0, self.engine.matcher.stacks()["n_stacks"] - 2 * len(self.operators.active) - 2)

    def difference(self, rng: random.Random, n_steps: int = 8) -> str | None:
        """Tokens and rollbacks; the first difference in a mask or a verdict."""
        for _ in range(n_steps):
            mask = {
                token
                for token, data in enumerate(self.pieces[: self.stop])
                if data and self.operators.can_take(token, data, is_text=token not in self.special)
            }
            found = self.engine.mask()
            if found != mask | ({self.stop} if self.operators.is_complete() else set()):
                return f"the engine allows {sorted(found)}, the operators {sorted(mask)}"
            if n := self.n_positions_too_many():
                return f"the engine has {n} positions more than the operators"
            if self.engine.matcher.is_completed() != self.operators.is_complete():
                return "is_completed differs"
            if self.engine.matcher.n_steps and (not mask or rng.random() < 0.2):
                self.engine.matcher.rollback(1)
                self.operators.pop(1)
            elif mask:
                token = rng.choice(sorted(mask))
                if not self.engine.matcher.accept_token(token):
                    return f"the engine refuses token {token}"
                self.operators.push_token(token, self.pieces[token], is_text=token not in self.special)
        return None


def disagreement(grammar: Grammar, facts: tuple[Any, ...], outcomes: Outcomes) -> str | None:
    """The first difference on a walk; nothing where too many stacks live."""
    vocabulary, special, options, seed = facts
    walk = error = None
    try:
        walk = Walk(write_ebnf(grammar), vocabulary, special, options)
    except xgr.Xg2LabError as refusal:
        error = refusal
    if mistake := refusal_mistake(grammar, options, error):
        return mistake
    if walk is None:
        outcomes["empty"] += 1
        return None
    try:
        found = walk.difference(random.Random(seed))
    except LimitError:
        outcomes["too ambiguous"] += 1
        return None
    outcomes["walked"] += 1
    return found


@pytest.mark.parametrize("name", ENGINES)
def test_random_grammars(name: str):
    rng, outcomes = seeded(f"operators/{name}"), Outcomes()
    for _ in range(round(120 * SHARE)):
        grammar = random_grammar(rng, is_regular=True)
        member = random_member(rng, grammar) or b"ab"
        vocabulary = random_vocabulary(rng, [member, mutate(rng, member)], n_tokens=rng.choice([4, 12, 35]))
        special = {token for token in range(len(vocabulary)) if rng.random() < 0.1}
        if rng.random() < 0.4:
            usable = [token for token, data in enumerate(vocabulary) if data]
            grammar = with_token_edges(rng, grammar, usable, rng.choice([0.15, 0.4]))
        facts = vocabulary, special, ENGINES[name], rng.randrange(10**9)
        if disagreement(grammar, facts, outcomes):

            def differs(candidate: Grammar, facts: tuple[Any, ...] = facts) -> bool:
                return disagreement(candidate, facts, Outcomes()) is not None

            smallest = shrink(grammar, differs)
            pytest.fail(f"\n{write_ebnf(smallest)}\n{disagreement(smallest, facts, Outcomes())}\n{facts}")
    outcomes.require("walked", 0.6)


@pytest.mark.parametrize("name", ENGINES)
def test_counted_parts(name: str):
    rng = seeded(f"operators/counted/{name}")
    parts = ['("a" | "aa")', '("aa" | "aaa")', '("a" "b"?)', "[ab]", '("a"? "b"?)', '"é"', '("a"{1,2} ";"?)']
    vocabulary = [b"a", b"b", b"aa", b"ab", b"aaa", b"ba", b"aaaaaaaa", b"a;", b";", b".", b"\xc3", b"\xa9a", b"bb."]
    for _ in range(round(60 * SHARE)):
        body = rng.choice(parts)
        for _ in range(rng.choice([1, 1, 2])):
            least = rng.randint(0, 6)
            bounds = rng.choice([f"{{{least},{least + rng.randint(0, 7)}}}", f"{{{least},}}", f"{{{least}}}"])
            after = rng.choice(["", "", ' ";"?', ' "b"'])
            body = f"({body}{bounds}{after})"
        walk = Walk(f'root ::= {body} "."?', vocabulary, set(), ENGINES[name])
        assert walk.difference(rng, n_steps=14) is None, body


@pytest.mark.parametrize("name", ENGINES)
def test_texts_with_ends(name: str):
    """Dispatches and lazy rules among other rules: a Wait in the operators, a machine in the engine."""
    rng = seeded(f"operators/ends/{name}")
    waits = [
        'TagDispatch(("<a", x), ("<b>", y))',
        'TagDispatch(("<a", x), stop_str=">", loop_after_dispatch=false)',
        'TagDispatch(("aé", y), excludes=("b"), stop_eos=false, loop_after_dispatch=false)',
        "z",
    ]
    roots = ["{0}", '"a" {0} "b"', '({0} ";"){1,3}', 'x | {0} "1"', "{0} y {0}"]
    lazies = ['[^<]* "<"', '"a"+ "b"?', 'x "<" | "a"', '[ab]{1,4} ">"']
    vocabulary = [b"a", b"b", b"<", b"<a", b"a<", b"<b>", b">", b";", b"\xc3", b"\xa9", b"ab;", b"1", b"b<"]
    for _ in range(round(60 * SHARE)):
        text = f"root ::= {rng.choice(roots)}\n".replace("{0}", rng.choice(waits))
        text += f'x ::= "a" | "b"{{2}}\ny ::= [ab]* ";"\nz[lazy] ::= {rng.choice(lazies)}'
        walk = Walk(text, vocabulary, set(), ENGINES[name])
        assert walk.difference(rng, n_steps=10) is None, text


def test_grammars_from_templates():
    """What a template is written out to is a tree: the data has ended its recursion."""
    text = 'root ::= Each($xs, item, ",")   item ::= "<" $id ">" [^<,]{0,3} Each($xs, item)'
    arguments = {"xs": [{"id": "a", "xs": [{"id": "b\\", "xs": []}]}, {"id": 'c"', "xs": []}]}
    written = str(xgr.Template.from_ebnf(text).write_out(**arguments))
    vocabulary = [b"<", b"<a>", b"b", b"\\", b">x", b"x", b'",', b",<", b"c", b'"', b">", b"xx<b", b","]
    rng = seeded("operators/templates")
    for _ in range(10):
        walk = Walk(written, vocabulary, set(), ENGINES["earley"])
        assert walk.difference(rng, n_steps=12) is None
    assert "recursion" not in str(build(parse_ebnf(written)))
