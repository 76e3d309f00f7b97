"""The search for ambiguous texts, held against counting: all derivations of all short texts of all small grammars."""

import itertools
import random

import pytest

import xg2lab as xgr
from tests.generators import SHARE, exhaustive_grammars, seeded
from xg2lab.errors import GrammarError
from xg2lab.language.nodes import Nodes
from xg2lab.lints.ambiguity import AmbiguitySearch

SECONDS = 120.0  # more than any search here takes: a busy machine is no reason to fail

MANY = 2  # derivations are counted up to here
LONGEST = 4


class Counter:
    """How many derivations an expression has for a part of one text: the least solution, with two standing for more.

    Iterations of a repetition beyond its minimum are not empty, as in the search.
    """

    def __init__(self, nodes: Nodes, text: str) -> None:
        self.nodes = nodes
        self.text = text
        self.spans = [(i, j) for i in range(len(text) + 1) for j in range(i, len(text) + 1)]
        self.counts = dict.fromkeys(itertools.product(range(len(nodes)), self.spans), 0)
        while sum(self.improve(index, span) for index in range(len(nodes)) for span in self.spans):
            pass

    @property
    def total(self) -> int:
        return self.counts[self.nodes.rules[self.nodes.root].body, (0, len(self.text))]

    def improve(self, index: int, span: tuple[int, int]) -> bool:
        before = self.counts[index, span]
        self.counts[index, span] = min(MANY, self.count(index, *span))
        return self.counts[index, span] != before

    def count(self, index: int, i: int, j: int) -> int:
        node = self.nodes[index]
        match node.kind:
            case "empty":
                return i == j
            case "literal":
                return self.text[i:j] == node.text
            case "class":
                return j == i + 1 and any(low <= ord(self.text[i]) <= high for low, high in node.ranges)
            case "rule":
                return self.counts[self.nodes.rules[node.rule].body, (i, j)]
            case "choice":
                return sum(self.counts[child, (i, j)] for child in node.children)
            case "sequence":
                return self.in_sequence(node.children, i, j)
            case "repeat":
                return self.iterations(index, 0, i, j)
            case _:
                return 0

    def in_sequence(self, children: tuple[int, ...], i: int, j: int) -> int:
        if not children:
            return i == j
        return sum(
            self.counts[children[0], (i, k)] * self.in_sequence(children[1:], k, j)
            for k in range(i, j + 1)
            if self.counts[children[0], (i, k)]
        )

    def iterations(self, index: int, n: int, i: int, j: int) -> int:
        node = self.nodes[index]
        child = node.children[0]
        if n < node.least:
            return sum(
                self.counts[child, (i, k)] * self.iterations(index, n + 1, k, j)
                for k in range(i, j + 1)
                if self.counts[child, (i, k)]
            )
        more = 0
        if node.most is None or n < node.most:
            more = sum(
                self.counts[child, (i, k)] * self.iterations(index, n + 1, k, j)
                for k in range(i + 1, j + 1)
                if self.counts[child, (i, k)]
            )
        return (i == j) + more


def shortest_by_counting(nodes: Nodes, alphabet: str = "ab", longest: int = LONGEST) -> int | None:
    for n in range(longest + 1):
        if any(Counter(nodes, "".join(text)).total == MANY for text in itertools.product(alphabet, repeat=n)):
            return n
    return None


def nodes_of(text: str) -> Nodes | None:
    try:
        return Nodes.of(xgr.Grammar.from_ebnf(text))
    except GrammarError:
        return None


@pytest.mark.parametrize(("max_rules", "max_operators", "share"), [(1, 3, 0.2), (2, 2, 0.08), (2, 3, 0.003)])
def test_all_small_grammars(max_rules, max_operators, share):
    rng = random.Random(seeded(f"ambiguity {max_rules} {max_operators}").random())
    n_ambiguous = n_grammars = 0
    for text in exhaustive_grammars(max_rules, max_operators):
        if rng.random() > share * SHARE:
            continue
        nodes = nodes_of(text)
        if nodes is None:
            continue
        search = AmbiguitySearch(nodes, seconds=20, max_pairs=4000)
        witnesses = search.run()
        shortest = min((len(witness.text) for witness in witnesses), default=None)
        expected = shortest_by_counting(nodes)
        n_grammars += 1
        n_ambiguous += expected is not None
        if expected is not None:
            assert shortest == expected, (text, witnesses)
        else:
            assert shortest is None or shortest > LONGEST, (text, witnesses)
        for witness in witnesses:
            if len(witness.text) <= 7:
                assert Counter(nodes, witness.text).total == MANY, (text, witness)
    assert n_grammars > 20 * SHARE
    assert 0 < n_ambiguous < n_grammars


@pytest.mark.parametrize(
    ("grammar", "text", "part", "ways"),
    [
        ('root ::= root "+" root | "1"', "1+1+1", "1+1+1", ("1", "1+1")),
        ('root ::= "<" ("a"* "a"*) ">"', "<a>", "a", ("", "a")),
        ('root ::= s   s ::= "if" s ("else" s)? | "s"', "ififselses", "ififselses", ("ifs", "ifselses")),
        ('root ::= ("a" | "aa")+ "."', "aa.", "aa", ("a", "aa")),
        ('root ::= "x"{2,5} "x"{0,3} "é"', "xxxé", "xxxé", ("xx", "xxx")),
        ('root ::= [ \\t]* [^x]* "x"', " x", " x", ("", " ")),
    ],
)  # fmt: skip
def test_parts_that_end_at_two_places(grammar, text, part, ways):
    witness = AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(grammar)), seconds=SECONDS).run()[0]
    assert (witness.text, witness.part, witness.ways) == (text, part, ways)


def test_what_is_empty_in_two_ways_beside_something_else():
    for text in (
        'root ::= (("" | root) "a")*',
        'root ::= ("b"? ("" | "c"?) "a")+',
        'root ::= (x "a"?)+ "b"   x ::= "" | "c"*',
    ):
        witness = AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(text)), seconds=SECONDS).run()[0]
        assert (len(witness.text), witness.part, witness.branches) == (1, "", (0, 1)), text


def test_branches_that_have_a_text_in_common():
    nodes = Nodes.of(xgr.Grammar.from_ebnf('root ::= "<" ("if" | "x" | [a-z]+ | "y"{3}) ">"'))
    witness = AmbiguitySearch(nodes, seconds=SECONDS).run()[0]
    assert (witness.text, witness.part, witness.branches) == ("<x>", "x", (1, 2))


@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= "a"* "b"* | "c"+',
        'root ::= ("a"?)*',
        'root ::= ("a"? "b")*',
        'root ::= e   e ::= t ("+" t)*   t ::= [0-9]+ | "(" e ")"',
        'root ::= "if" | [a-hj-z][a-z]* | "i"',
        'root ::= "\\"" ([^"\\\\] | "\\\\" [^])* "\\""',
        "root ::= [0-9] | [1-9] [0-9]+",
    ],
)
def test_nothing_is_said_of_grammars_that_are_not(grammar):
    search = AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(grammar)), seconds=SECONDS)
    assert search.run() == []
    assert search.is_complete


def test_the_search_ends():
    json = Nodes.of(xgr.Grammar.builtin_json_grammar())
    search = AmbiguitySearch(json, max_extra=1000, max_pairs=2000, seconds=60)
    assert search.run() == []
    assert not search.is_complete
    search = AmbiguitySearch(json, max_extra=1000, max_pairs=10**9, seconds=0.05)
    search.run()
    assert not search.is_complete
    many = "root ::= " + " | ".join(f'"a{i}"' for i in range(400))
    assert not AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(many)), seconds=SECONDS).run()


def test_within_the_rules_of_a_dispatch():
    text = 'root ::= "[" TagDispatch(("<t>", x), stop_eos=false, stop_str=("</>", "!")) "]"   x ::= "a" | [a-c]'
    witness = AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(text)), seconds=SECONDS).run()[0]
    assert witness.text == "[<t>a!]"
    assert xgr.check(text, accepts=[witness.text]).ok


def test_within_members_in_any_order():
    text = 'root ::= "{" AnyOrder(a, b?, c*, sep=", ", min=2) "}"   a ::= "a"   b ::= "b" ("1" | [0-9])   c ::= "ccc"'
    witness = AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(text)), seconds=SECONDS).run()[0]
    assert witness.text in ("{b1, a}", "{a, b1}")
    assert xgr.check(text, accepts=[witness.text]).ok


def test_what_is_not_looked_into_is_not_called_ambiguous():
    for text in (
        'root ::= x | y   x[lazy] ::= [a-z]+ "."   y ::= "a."',
        'root ::= x | y   x[max_chars=2] ::= [a-z]*   y ::= "abc"',
        'root ::= Regex("a(?!b)[a-z]") | "ab"',
        'root ::= Token(0) | "a"',
        'root ::= AnyOrder(a, b?) | "a"   a ::= "a"   b ::= "a"',
    ):
        assert AmbiguitySearch(Nodes.of(xgr.Grammar.from_ebnf(text)), seconds=SECONDS).run() == []
