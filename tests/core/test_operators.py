"""Trees of operators: what grammars are as trees, where a text is in one, and what is refused.

The differential test compares trees and positions with the twin's; here each behaviour stands with an example.
"""

import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
import xg2lab as xgr
from xg2lab.compiling.operators import OperatorTree
from xg2lab.errors import ArgumentError, LimitError, MatcherStateError, UnsupportedError

VOCABULARY = [b"a", b"b", b"ab", b"<tool>", b"1", b"</s>"]
INFO = xgr.TokenizerInfo(VOCABULARY, stop_token_ids=[5])
COMPILER = xgr.GrammarCompiler(INFO)


def tree_of(text: str) -> OperatorTree:
    return COMPILER.compile_grammar(text).operators()


def active_after(text: str, data: bytes) -> list[str]:
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar(text))
    assert matcher.accept_string(data)
    return [str(active) for active in matcher.active_operators()]


# ---- The tree ----


@pytest.mark.parametrize(
    ("text", "listing"),
    [
        ('root ::= "a"', '0  Write "a"'),
        ('root ::= ""', '0  Write ""'),
        ('root ::= "a" "" x   x ::= ""', '0  Write "a"'),
        ('root ::= ("a"?){2,5}', '0  DoWhile min=0, max=5\n1    DoWhile min=0, max=1\n2      Write "a"'),
        ('root ::= "a" | b   b ::= b "x"', '0  Write "a"'),
        (r'root ::= "a\n\u200b\\"', r'0  Write "a\n\u200b\"'),
        ("root ::= Token(0)", "0  Write Token(0)"),
        ("root ::= Token(0, 1)", "0  Wait allows=Token(0, 1)"),
        ("root ::= ExcludeToken(0)", "0  Wait denies=ExcludeToken(0)"),
        ('root ::= Token("<tool>")', "0  Write Token(3)"),
        ('root[lazy] ::= [ab]* "b"', "0  Wait shortest\n1    Sequence\n2      DoWhile min=0\n"
         '3        Wait allows=[a-b]\n4      Write "b"'),
        ('root ::= TagDispatch(("<", x), stop_str="#")   x ::= "a"', '0  Wait waits="<", stops="#"\n1    Write "a"'),
        ('root ::= "a" Regex("a(?!b)")', '0  Sequence\n1    Write "a"\n2    Wait matches=Regex("a(?!b)")'),
        ("root[max_chars=7] ::= [a-z]*", "0  DoWhile min=0, max=7\n1    Wait allows=[a-z]"),
    ],
)  # fmt: skip
def test_what_an_expression_is_as_a_tree(text: str, listing: str):
    assert str(tree_of(text)) == listing


def test_each_call_of_a_rule_is_a_copy_with_its_place():
    text = 'root ::= x "," x   x ::= "a"'
    tree = tree_of(text)
    assert [op.rule for op in tree.operators] == ["root", "x", "root", "x"]
    assert [op.parent for op in tree.operators] == [None, 0, 0, 0]
    assert tree.operators[0].children == (1, 2, 3)
    assert [text[slice(*op.span)] for op in tree.operators] == ['x "," x', '"a"', '","', '"a"']


def test_bounds_belong_to_do_while_alone():
    loop, leaf = tree_of("root ::= [ab]{2,}").operators
    assert (loop.kind, loop.least, loop.most) == ("DoWhile", 2, None)
    assert (leaf.kind, leaf.least, leaf.most) == ("Wait", None, None)


def test_right_recursion_is_a_repetition():
    assert str(tree_of('root ::= "a" | "a" "," root')).splitlines()[1] == "1    DoWhile min=0"


def test_a_recursive_rule_in_a_lookahead_alone_is_no_part_of_the_tree():
    assert len(tree_of('root ::= x "(" "a" ")"   x ::= "1" (= y)   y ::= "(" y ")" | "(" "a" ")"')) == 5


def test_deep_trees_need_no_deep_stack():
    depth = 5000
    chain = "\n".join(f'r{i} ::= r{i + 1} "a"' for i in range(depth))
    options = xgr.EngineOptions(max_compile_seconds=60, rule_inlining=False)
    with xgr.work_limits(max_seconds=60):
        text = f'root ::= r0\n{chain}\nr{depth} ::= "b"'
        compiled = xgr.GrammarCompiler(INFO, options=options).compile_grammar(text)
        tree = compiled.operators()
        assert len(tree) == 2 * depth + 1
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string(b"baa")
        assert [each.operator.rule for each in matcher.active_operators()] == [f"r{depth - 3}"]


# ---- Refusals ----


def test_recursion_names_the_cycle_and_each_call():
    text = 'root ::= "(" list? ")"   list ::= root ("," root)*'
    with pytest.raises(UnsupportedError) as error:
        tree_of(text)
    assert "root -> list -> root" in error.value.message
    calls = [finding for finding in error.value.diagnostics if finding.code == "recursion"]
    assert [text[slice(*call.span)] for call in calls] == ["list", "root"]
    assert "repetition" in calls[0].hint


def test_all_refusals_come_at_once():
    text = 'root ::= x y AnyOrder(p, q)   x[max_tokens=5] ::= "a"   y[max_chars=5] ::= "b" "a"*   p ::= "1"   q ::= "b"'
    with pytest.raises(UnsupportedError) as error:
        tree_of(text)
    found = error.value.diagnostics
    assert [text[slice(*each.span)] for each in found] == ["AnyOrder(p, q)", "max_tokens=5", "max_chars=5"]
    assert all(each.code == "no_operator" and each.hint for each in found)


def test_growth_is_limited_and_names_the_chain_of_rules():
    rules = "   ".join(f"r{i} ::= r{i + 1} r{i + 1}" for i in range(30))
    with pytest.raises(LimitError) as error:
        tree_of(f'root ::= r0   {rules}   r30 ::= "a"')
    assert "more than 100000 operators" in error.value.message
    assert "root -> r0 -> r1" in error.value.message
    assert "max_operators" in error.value.hint


def test_the_limit_is_an_argument():
    compiled = COMPILER.compile_grammar('root ::= "a" "b" "1"')
    assert len(compiled.operators(max_operators=4)) == 4
    with pytest.raises(LimitError):
        compiled.operators(max_operators=3)
    assert compiled.operators() is compiled.operators()
    with pytest.raises(ArgumentError):
        compiled.operators(max_operators=0)


# ---- Instances of templates ----

OUTLINE = 'root ::= "# " $title Each($sections, section)   section ::= "## " $id [a-z]{1,$n} OneOf($ends)'


def instance() -> xgr.CompiledGrammar:
    element = {"id": "ab", "n": 3, "ends": ["x", "y"]}
    return COMPILER.compile_template(OUTLINE).instantiate(title="t", sections=[element, element | {"id": "cd"}])


def test_operators_of_an_instance_name_slot_and_argument():
    tree = instance().operators()
    slots = {(op.label, op.slot, op.argument) for op in tree.operators if op.slot}
    assert ('Write "t"', "title", "/title") in slots
    assert ('Write "cd"', "id", "/sections/1/id") in slots
    assert ("DoWhile min=1, max=3", "n", "/sections/0/n") in slots
    assert ("IfElse", "ends", "/sections/1/ends") in slots


def test_the_text_of_a_template_has_no_slot_but_its_element():
    operators = instance().operators().operators
    of_text = [op for op in operators if op.label == 'Write "## "']
    assert [(op.slot, op.argument) for op in of_text] == [(None, "/sections/0"), (None, "/sections/1")]
    assert [OUTLINE[slice(*op.span)] for op in of_text] == ['"## "', '"## "']
    assert next((op.slot, op.argument) for op in operators if op.label == 'Write "# "') == (None, None)


def test_a_written_out_template_keeps_its_arguments():
    grammar = xgr.Template.from_ebnf('root ::= "a" $$x | $y').write_out(x="b", y="1")
    operators = COMPILER.compile_grammar(grammar).operators().operators
    assert [(op.slot, op.argument) for op in operators if op.slot] == [("x", "/x"), ("y", "/y")]


def test_a_grammar_as_an_argument_is_of_its_slot():
    template = xgr.Template.from_ebnf('root ::= "a" Use($g)')
    compiled = COMPILER.compile_template(template).instantiate(g=xgr.Grammar.from_ebnf('root ::= x "1"  x ::= [ab]'))
    inner = [op for op in compiled.operators().operators if op.slot]
    assert {op.argument for op in inner} == {"/g"}
    assert [op.label for op in inner] == ["Sequence", "Wait allows=[a-b]", 'Write "1"']


def test_an_argument_that_selects_a_part_makes_no_operator():
    template = 'root ::= If($b, "a" $x, "b")'
    ready = COMPILER.compile_template(template)
    of_first = ready.instantiate(b=True, x="1").operators().operators
    assert [(op.label, op.slot) for op in of_first] == [("Sequence", None), ('Write "a"', None), ('Write "1"', "x")]
    assert [op.slot for op in ready.instantiate(b=False, x="1").operators().operators] == [None]


def test_slots_of_a_schema():
    schema = {"type": "array", "items": {"enum": {"$slot": "ids"}}, "minItems": {"$slot": "n"}, "maxItems": 3}
    template = xgr.Template.from_json_schema(schema)
    tree = COMPILER.compile_template(template).instantiate(ids=["a", "b"], n=2).operators()
    slots = [(op.label, op.slot, op.argument) for op in tree.operators if op.slot]
    assert ('Write "\\"b\\""', "ids", "/ids") in slots
    assert [label for label, slot, _ in slots if slot == "n"] == ["DoWhile min=1, max=2"]


@pytest.mark.parametrize(("n_sections", "n_operators"), [(10, 111), (60, 661)])
def test_the_outline_of_the_design_note(n_sections: int, n_operators: int):
    """docs/design/0041: 10 sections are 111 operators, deterministic, and at most 2 are active."""
    text = (
        "root ::= Each($sections, section)\n"
        'section ::= "<section id=\\"" $id "\\">" Token(3) text Token(4) text Token(2) Each($children, section)\n'
        "text ::= [^<]+\n"
    )
    sections = [{"id": f"sec-{i:06x}", "children": []} for i in range(n_sections)]
    tree = COMPILER.compile_template(text).instantiate(sections=sections).operators()
    assert (len(tree), tree.is_deterministic, tree.most_active) == (n_operators, True, 2)
    assert [op.argument for op in tree.operators if op.slot == "id"][-1] == f"/sections/{n_sections - 1}/id"


# ---- Active positions ----


def test_positions_say_which_repetition_is_running():
    text = 'root ::= "<" name{1,2} ">"   name ::= [a-z]+ ";"'
    assert active_after(text, b"<a;") == ["5 in 2.1", "7"]
    assert active_after(text, b"<a;b") == ["5 in 2.1", "6 in 2"]
    assert active_after('root ::= ("a" | "aa"){5,900}', b"aaa") == ["2 in 3-4", "3 in 3-4", "3 in 2-3"]


def test_a_write_says_how_much_is_written():
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar('root ::= "abc" | "abd"'))
    assert matcher.accept_string("ab")
    assert [(each.operator.label, each.n_written) for each in matcher.active_operators()] == [
        ('Write "abc"', 2),
        ('Write "abd"', 2),
    ]


def test_watched_text_says_what_has_begun():
    text = 'root ::= TagDispatch(("<tool>", x))   x ::= "1"+'
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar(text))
    assert matcher.accept_string("ab <to")
    (wait,) = matcher.active_operators()
    assert (wait.operator.kind, wait.watched) == ("Wait", b"<to")


def test_a_shortest_match_shows_what_runs_within():
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar('root ::= x "1"   x[lazy] ::= ("a"{1,3} "b"){2}'))
    assert matcher.accept_string("aab")
    (wait,) = matcher.active_operators()
    assert wait.operator.label == "Wait shortest"
    assert [(str(inner), inner.operator.label) for inner in wait.within] == [("5 in 2.1", 'Write "a"')]
    assert matcher.accept_string("ab")
    assert [each.operator.label for each in matcher.active_operators()] == ['Write "1"']


def test_a_token_taken_whole_crosses_its_edge():
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar('root ::= Token(2) "1" | "ab" "a"'))
    assert matcher.accept_token(2)
    assert [each.operator.label for each in matcher.active_operators()] == ['Write "1"', 'Write "a"']
    matcher.reset()
    assert matcher.accept_string("ab")  # its bytes alone are no token
    assert [each.operator.label for each in matcher.active_operators()] == ['Write "a"']


def test_rollback_reset_and_the_end():
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar('root ::= "a" "b"'))
    assert matcher.accept_token(0)
    assert matcher.accept_token(1)
    assert matcher.active_operators() == []
    matcher.rollback(1)
    assert [each.operator.number for each in matcher.active_operators()] == [2]
    matcher.reset()
    assert [each.operator.number for each in matcher.active_operators()] == [1]


def test_a_fork_has_positions_of_its_own():
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar('root ::= "a" "b" "1"'))
    assert matcher.accept_token(0)
    assert [each.operator.number for each in matcher.active_operators()] == [2]
    fork = matcher.fork()
    assert fork.accept_token(1)
    assert [each.operator.number for each in fork.active_operators()] == [3]
    assert [each.operator.number for each in matcher.active_operators()] == [2]


def test_a_bounded_history_may_have_lost_the_beginning():
    matcher = xgr.GrammarMatcher(COMPILER.compile_grammar('root ::= "a"*'), max_rollback_tokens=1)
    for _ in range(2000):
        assert matcher.accept_token(0)
    with pytest.raises(MatcherStateError):
        matcher.active_operators()


def test_marks_in_the_listing():
    compiled = COMPILER.compile_grammar('root ::= "a" [ab]')
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_token(0)
    listing = compiled.operators().listing(matcher.active_operators())
    assert listing == '   0  Sequence\n   1    Write "a"\n*  2    Wait allows=[a-b]'


# ---- Determinism ----


@pytest.mark.parametrize(
    ("text", "is_deterministic", "most"),
    [
        ('root ::= ("a" | "b")* "c" [ab]', True, 3),
        ('root ::= [ab]* "a" [ab]', False, 3),
        ('root ::= ("a"{2,3}){2,3}', False, None),
        ("root ::= Token(0) | Token(0, 1)", False, 2),
        ("root ::= Token(0) | Token(1)", True, 2),
        ("root ::= [a-b]{1,9}", True, 1),
        ("root ::= [a-b]{1,20000}", True, None),  # by the test that follows no text
        ('root ::= ([a-b]{300,20000} "c"){2,7}', True, None),
        ('root ::= [a-b]{1,20000} "b"', False, None),
        ('root ::= "a" ("b" ("a"{4,7}* "b"){2,20000})', None, None),  # no rivals, but the test is no proof
    ],
)
def test_determinism(text: str, is_deterministic: bool | None, most: int | None):
    tree = tree_of(text)
    assert tree.is_deterministic is is_deterministic
    assert most is None or tree.most_active == most
    if tree.most_active is None:
        assert "{" in text, "a grammar without bounds has few sets"


def test_rivals_are_named():
    rivals = tree_of('root ::= [ab]* "a" [ab]').rivals
    assert rivals is not None
    assert sorted(op.label for op in rivals) == ["Wait allows=[a-b]", 'Write "a"']
    assert tree_of('root ::= "a"').rivals is None


# ---- As pictures ----


def test_dot_lights_what_is_active():
    compiled = COMPILER.compile_grammar('root ::= "a" "b"')
    dot = compiled.operators().to_dot(xgr.GrammarMatcher(compiled).active_operators())
    assert "o0 -> o1;" in dot
    assert dot.count("fillcolor") == 1


def test_html_is_escaped_and_cut():
    html = tree_of('root ::= "<b>"')._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "&lt;b&gt;" in html
    many = tree_of("root ::= " + " ".join(f'"a{i}"' for i in range(1000)))._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "more operators" in many
