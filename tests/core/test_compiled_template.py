"""Compiled templates: what instances share, what they cost, and what is said about them."""

import gc
import threading
from typing import Any

import pytest

import xg2lab as xgr
from xg2lab.errors import GrammarError, LimitError, TemplateArgumentError, UnsupportedError

TOKENS = [bytes([byte]) for byte in range(256)] + [b"<row", b'">', b"</row>", b'x">', b"abc", b"c</"]
INFO = xgr.TokenizerInfo([*TOKENS, b"</s>"], stop_token_ids=[len(TOKENS)])
ROWS = r"""
root ::= Each($rows, row, "\n")
row  ::= "<row id=\"" $id "\">" text "</row>"
text ::= [^<]+
"""


def compiler(**options: Any) -> xgr.GrammarCompiler:
    return xgr.GrammarCompiler(INFO, options=xgr.EngineOptions(**options))


def rows(*ids: str) -> list[dict[str, Any]]:
    return [{"id": each} for each in ids]


def fills(grammar: xgr.CompiledGrammar, text: bytes) -> list[dict[str, Any]]:
    """What each fill along the text says of itself, one byte a step."""
    matcher = xgr.GrammarMatcher(grammar)
    bitmask = xgr.allocate_token_bitmask(1, INFO.vocab_size)
    found: list[dict[str, Any]] = []
    for byte in text:
        matcher.fill_next_token_bitmask(bitmask)
        found.append(matcher.last_fill() | {"rules": {entry["rule"] for entry in matcher.mask_entries()}})
        assert matcher.accept_token(byte)
    return found


# ---- Sharing ----


def test_states_that_no_argument_changes_walk_no_vocabulary_after_the_first_request():
    ready = compiler().compile_template(ROWS)
    n_known = ready.n_states
    text = b'<row id="%s">hello</row>\n<row id="%s">you</row>'
    for n_requests, ids in enumerate([("a", "b"), ("something", "else"), ("a", "x")]):
        grammar = ready.instantiate(rows=rows(*ids))
        assert grammar.n_states > n_known
        known = [rule["id"] for rule in grammar.program()["rules"] if rule["states"][1] <= n_known]
        of_known = [
            fill
            for fill in fills(grammar, text % tuple(each.encode() for each in ids))
            if fill["rules"] and fill["rules"] <= set(known)
        ]
        assert len(of_known) > 40
        n_built = sum(fill["n_built"] for fill in of_known)
        assert (n_built > 0) == (n_requests == 0)


def test_masks_can_be_made_before_the_first_request():
    ready = compiler().compile_template(ROWS)
    before = ready.memory_size_bytes
    ready.make_masks()
    assert ready.memory_size_bytes > before
    grammar = ready.instantiate(rows=rows("a"))
    known = {rule["id"] for rule in grammar.program()["rules"] if rule["states"][1] <= ready.n_states}
    found = fills(grammar, b'<row id="a">hello</row>')
    assert sum(fill["n_built"] for fill in found if fill["rules"] <= known) == 0
    entries = [e for e in xgr.GrammarMatcher(grammar).mask_entries() if e["cache"] != "miss"]
    assert entries
    assert all(entry["donor_name"].startswith("root ::= Each") for entry in entries)


def test_without_the_cross_grammar_cache_each_instance_stands_alone():
    ready = compiler(cross_grammar_cache=False).compile_template(ROWS)
    for _ in range(2):
        assert sum(fill["n_built"] for fill in fills(ready.instantiate(rows=rows("a")), b'<row id="a">h')) > 5
    before = ready.memory_size_bytes
    ready.make_masks()
    assert ready.memory_size_bytes == before


def test_why_an_entry_is_not_shared():
    matcher = xgr.GrammarMatcher(compiler().compile_template("root ::= $x").instantiate(x="ab"))
    assert matcher.allowed_tokens() == [ord("a")]
    assert [entry["unshared"] for entry in matcher.mask_entries()] == ["arguments"]


def test_the_template_may_be_dropped():
    ready = compiler().compile_template(ROWS)
    grammar = ready.instantiate(rows=rows("a"))
    del ready
    gc.collect()
    assert xgr.GrammarMatcher(grammar).accept_string('<row id="a">b</row>')
    assert "row.rows.0" in str(grammar.grammar)


def test_threads_instantiate_one_template():
    ready = compiler().compile_template(ROWS)
    wrong: list[str] = []

    def work(number: int) -> None:
        for i in range(30):
            name = f"{number}-{i}"
            matcher = xgr.GrammarMatcher(ready.instantiate(rows=rows(name, "z")))
            text = f'<row id="{name}">t</row>\n<row id="z">u</row>'
            for byte in text.encode():
                if byte not in matcher.allowed_tokens() or not matcher.accept_token(byte):
                    wrong.append(text)
                    return
            if not matcher.is_completed():
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- An instance is a compiled grammar ----


def test_an_instance_is_serialized_and_read_again():
    grammar = compiler().compile_template(ROWS).instantiate(rows=rows("a", "b"))
    fills(grammar, b'<row id="a">h')
    for include_masks in (False, True):
        again = xgr.CompiledGrammar.deserialize_json(grammar.serialize_json(include_masks=include_masks), INFO)
        pair = [xgr.GrammarMatcher(grammar), xgr.GrammarMatcher(again)]
        for byte in b'<row id="a">hello</row>\n<row id="b">c</row>':
            assert pair[0].allowed_tokens() == pair[1].allowed_tokens()
            assert [matcher.accept_token(byte) for matcher in pair] == [True, True]


def test_instances_in_a_batch():
    ready = compiler().compile_template(ROWS)
    matchers = [xgr.GrammarMatcher(ready.instantiate(rows=rows(name))) for name in "abc"]
    written = [
        xgr.GrammarMatcher(compiler().compile_grammar(ready.template.write_out(rows=rows(name)))) for name in "abc"
    ]
    masks = [xgr.allocate_token_bitmask(3, INFO.vocab_size) for _ in range(2)]
    batch = xgr.BatchGrammarMatcher()
    for byte in b'<row id="':
        for of, mask in ((matchers, masks[0]), (written, masks[1])):
            batch.batch_fill_next_token_bitmask(of, mask)
            assert all(matcher.accept_token(byte) for matcher in of)
        assert (masks[0] == masks[1]).all()


def test_an_explanation_names_the_argument():
    text = 'root ::= Each($rows, row)   row ::= "<" $id OneOf($kinds) $$end ">" Each($rows, row)'
    ready = compiler().compile_template(text)
    deep = {"id": "p", "kinds": ["q", "r"], "rows": [{"id": "s", "kinds": ["t"], "rows": []}]}
    matcher = xgr.GrammarMatcher(ready.instantiate(rows=[deep], end="!"))

    def pointers(data: bytes) -> list[str | None]:
        why = matcher.explain(data=data)
        assert not why["allowed"]
        return [item.get("argument") for item in why["expected_by"]]

    assert pointers(b"<z") == ["/rows/0/id"]
    assert pointers(b"<pz") == ["/rows/0/kinds"]
    assert pointers(b"<pq?") == ["/end"]
    assert pointers(b"<pq!?") == ["/rows/0"]
    assert pointers(b"<pq!><z") == ["/rows/0/rows/0/id"]
    written = xgr.GrammarMatcher(compiler().compile_grammar(ready.template.write_out(rows=[deep], end="!")))
    assert "argument" not in written.explain(data=b"<z")["expected_by"][0]


# ---- What is linked, and what is not ----


@pytest.mark.parametrize(
    ("text", "is_linked"),
    [
        (ROWS, True),
        ('root ::= "a"', True),
        ("root ::= OneOf($xs){$n}", True),
        ('root ::= TagDispatch(("<a>", r))   r ::= $x "</a>"', True),
        ('root ::= AnyOrder(a, b, sep=",")   a ::= "a" $x   b ::= "b" $x', True),
        ("root ::= Use($g)", False),
        ("root[max_chars=3] ::= $x", False),
        ('root ::= r "."   r[lazy] ::= [a-z]* $x', False),
    ],
)
def test_obstacles(text: str, is_linked: bool):
    assert (compiler().compile_template(text).obstacles == []) == is_linked


def test_an_instance_that_nothing_matches():
    template = 'root ::= "a" | t   t ::= If($b, t "x", "y")'
    ready = compiler().compile_template(template)
    assert xgr.GrammarMatcher(ready.instantiate(b=False)).allowed_tokens() == [ord("a"), ord("y")]
    assert xgr.GrammarMatcher(ready.instantiate(b=True)).allowed_tokens() == [ord("a")]
    with pytest.raises(GrammarError, match="never"):
        compiler().compile_template("root ::= root $x")
    ready = compiler().compile_template('root ::= If($b, root "x", "y")')
    with pytest.raises(GrammarError):
        ready.instantiate(b=True)


def test_mistakes_in_arguments_are_those_of_write_out():
    ready = compiler().compile_template(ROWS)
    wrong: dict[str, Any] = {"rows": [{"id": 3}, {}], "more": 1}
    with pytest.raises(TemplateArgumentError) as of_instance:
        ready.instantiate(**wrong)
    with pytest.raises(TemplateArgumentError) as of_text:
        ready.template.write_out(**wrong)
    assert str(of_instance.value) == str(of_text.value)
    assert [found.pointer for found in of_instance.value.diagnostics] == ["/rows/0/id", "/rows/1", "/more"]
    assert len(ready.instantiate(rows=[]).program()["rules"]) > 0


def test_limits_hold():
    ready = compiler(max_fsm_states=1000).compile_template("root ::= $x")
    with pytest.raises(LimitError):
        ready.instantiate(x="a" * 2000)
    assert xgr.GrammarMatcher(ready.instantiate(x="a" * 500)).accept_string("a" * 500)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('root ::= "a"{$n} "b"', {"n": 2**31 - 1}),
        ('root ::= "a"{$n,} "b"', {"n": 2**31 - 1}),
        ("root ::= $x $x $x", {"x": "a" * 5_000_000}),
        ("root ::= OneOf($xs)", {"xs": ["a" * 5_000_000, "b"]}),
    ],
)
def test_arguments_beyond_the_limits_are_refused_before_anything_is_written(text: str, arguments: dict[str, Any]):
    ready = compiler(repetition_compression=False).compile_template(text)
    with pytest.raises(LimitError):
        ready.instantiate(**arguments)


def test_a_pushdown_automaton_refuses_left_recursion_of_an_instance():
    ready = compiler(parser="pda").compile_template('root ::= $x root "b" | "a"')
    assert xgr.GrammarMatcher(ready.instantiate(x="c")).accept_string("ccabb")
    with pytest.raises(UnsupportedError, match="calls itself"):
        ready.instantiate(x="")


def test_an_instance_has_the_tokenizer_of_its_template():
    ready = compiler().compile_template("root ::= $x")
    assert ready.instantiate(x="a").tokenizer_info is INFO
    assert repr(ready) == "CompiledTemplate(<Template with slots x>, n_states=0)"


# ---- What an instance knows of itself ----

EVERY_KIND = """
root ::= $text OneOf($texts) "x"{$n} If($flag, "y", "z") Each($rows, row)
row  ::= $id Each($rows, row)
"""


def test_an_instance_keeps_its_arguments():
    ready = compiler().compile_template(EVERY_KIND)
    inner: list[dict[str, Any]] = [{"id": b"\xff|$", "rows": ()}]
    given: dict[str, Any] = {"text": 'a "b"', "texts": ("x", b"y"), "n": 3, "flag": True}
    instance = ready.instantiate(**given, rows=[{"id": "é\x00", "rows": inner}])
    inner.clear()  # the caller's lists are the caller's
    rows_kept = [{"id": "é\x00", "rows": [{"id": b"\xff|$", "rows": []}]}]
    kept = given | {"texts": ["x", "y"], "rows": rows_kept}
    assert instance.arguments == kept
    assert type(instance.arguments["flag"]) is bool
    assert instance.template is ready
    instance.arguments["rows"].clear()
    assert instance.arguments == kept
    again = ready.instantiate(**instance.arguments)
    assert again.program() == instance.program()


def test_values_of_a_schema_and_grammars_are_kept():
    values = [None, True, 1, 12345678901234567890123, 1.5, -0.25, "é", [1, {"a": None}], {}]
    schema = xgr.Template.from_json_schema({"enum": {"$slot": "values"}})
    ready = compiler().compile_template(schema)
    kept = ready.instantiate(values=values).arguments
    assert kept == {"values": values}
    assert [type(value) for value in kept["values"]] == [type(value) for value in values]
    using = compiler().compile_template("root ::= Use($g)")
    instance = using.instantiate(g=xgr.Grammar.from_ebnf('root ::= "a"'))
    assert using.obstacles
    assert str(instance.arguments["g"]) == 'root ::= "a"\n'


def test_arguments_outlive_the_template_and_end_with_a_round_trip():
    ready = compiler().compile_template(ROWS)
    instance = ready.instantiate(rows=rows("a"))
    del ready
    gc.collect()
    assert instance.arguments == {"rows": rows("a")}
    read = xgr.CompiledGrammar.deserialize_json(instance.serialize_json(), INFO)
    assert (read.template, read.arguments) == (None, None)
    plain = compiler().compile_grammar('root ::= "a"')
    assert (plain.template, plain.arguments) == (None, None)


def test_states_that_an_argument_made_say_which():
    instance = compiler().compile_template(ROWS).instantiate(rows=rows("a", "bc"))
    program = instance.program()
    of = {state["argument"] for state in program["states"] if "argument" in state}
    assert {"/rows/0/id", "/rows/1/id"} <= of
    reading = [state for state in program["states"] if state.get("argument") == "/rows/1/id" and state["scannable"]]
    assert len(reading) == 2  # a state before each byte of "bc"
    source = instance.grammar.source
    assert {source[slice(*span)] for state in reading for span in state["spans"]} == {"$id"}
    assert all("argument" not in state for state in compiler().compile_grammar('root ::= "a"').program()["states"])
