"""The lints: what each says, of what, where; and of what it says nothing."""

import os
import re
from pathlib import Path

import pytest

import xg2lab as xgr
from xg2lab.lints.show import shown

DATA = Path(os.environ.get("XG2LAB_DATA") or Path(__file__).parents[2].parent / "shared" / "data")


def codes(text, **options):
    return [finding.code for finding in xgr.lint(text, **options)]


def only(text, code):
    found = [finding for finding in xgr.lint(text) if finding.code == code]
    assert len(found) == 1, found
    return found[0]


def words(finding, text):
    begin, end = finding.span
    return text.encode()[begin:end].decode()


# ---- Whole findings ----


def test_the_whole_text():
    text = 'root ::= "(" sum ")"\nsum ::= sum "+" sum | number |\nnumber ::= [0-9]+\n'
    assert str(xgr.lint(text, name="sum.ebnf")) == (
        'warning[ambiguous]: "(++)" can be read in two ways: in `sum "+" sum`, the first part `sum` is "" or "+"\n'
        "  sum.ebnf:2:9\n"
        '    2 | sum ::= sum "+" sum | number |\n'
        "      |         ^^^^^^^^^^^\n"
        "  hint: masks are the same whichever way it is read, but both are followed; "
        "leave such texts to one of the two\n"
        "\n"
        "hint[empty_alternative]: rule `sum` has an empty alternative, so it matches the empty text too\n"
        "  sum.ebnf:2:31\n"
        '    2 | sum ::= sum "+" sum | number |\n'
        "      |                               ^\n"
        '  hint: if that is meant, write ""; if not, remove the bar\n'
        "\n"
        "1 warning, 1 hint"
    )


def test_findings():
    findings = xgr.lint('root ::= "a" | "b" | "a" | "<"? ws   ws ::= [ ]*')
    assert [finding.code for finding in findings] == ["duplicate_alternative", "endless_whitespace"]
    assert findings.worst == "warning"
    assert findings.summary() == "2 warnings"
    text = re.sub(r"<.*?>", "", findings._repr_html_())
    assert text == str(findings).replace('"', "&quot;").replace("<", "&lt;")
    nothing = xgr.lint('root ::= "a"')
    assert (len(nothing), nothing.worst, str(nothing)) == (0, None, "no findings")


def test_a_grammar_lints_itself():
    grammar = xgr.Grammar.from_ebnf('root ::= "a" | [a-z]')
    assert grammar.lint() == xgr.lint(grammar)
    assert [finding.code for finding in grammar.lint()] == ["ambiguous"]
    assert grammar.lint(seconds=0) == []


def test_mistakes_are_findings():
    assert codes('root ::= undefined "\\q"') == ["undefined_rule", "bad_escape"]
    assert codes(b'root ::= "\xff"') == ["invalid_utf8"]
    assert codes('start ::= "a"') == ["missing_root"]
    assert codes('start ::= "a"', root_rule_name="start") == []
    assert xgr.lint("root ::= (", name="x").worst == "error"


def test_the_engine_shows_the_same():
    for text in [
        'root ::= "é" | item   é ::= "x"',
        "root\t::=\t[z-a]",
        "root ::= " + '"a" ' * 60 + "missing" + ' "b"' * 60,
    ]:
        with pytest.raises(xgr.Xg2LabError) as raised:
            xgr.Grammar.from_ebnf(text)
        ours = "\n".join(shown(finding, text) for finding in raised.value.diagnostics)
        assert ours.replace(f"error[{raised.value.diagnostics[0].code}]: ", "", 1) == str(raised.value)


# ---- Each lint ----


@pytest.mark.parametrize(
    ("text", "place", "way"),
    [
        ('root ::= a   a ::= a | "x"', "a", "`a` → `a`"),
        ('root ::= b | "x"   b ::= (c "y"?)+   c ::= "z"* b | "v"', "b", "`b` → `c` → `b`"),
        ("root ::= root? root?", "root", "`root` → `root`"),
    ],
)  # fmt: skip
def test_cyclic_rules(text, place, way):
    finding = only(text, "cyclic_rule")
    assert words(finding, text) == place
    assert way in finding.message
    assert "ambiguous" not in codes(text)


@pytest.mark.parametrize(
    "text",
    ['root ::= root "a" | "x"', 'root ::= "a" root | "x"', 'root ::= (root "a"){2} | "x"', 'root ::= root{2} | "x"'],
)
def test_rules_that_read_something_are_not_cyclic(text):
    assert "cyclic_rule" not in codes(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (r'root ::= "{" ws "}"   ws ::= [ \t\n]*', r"[ \t\n]*"),
        (r'root ::= "{" (" " | "\n")+ "}"', r'(" " | "\n")+'),
        (r'root ::= "{" (" " "\n"?){3,} "}"', r'(" " "\n"?){3,}'),
        (r'root ::= "{" ws "}"   ws ::= "" | [ \n] ws', "ws"),
        (r'root ::= "x" | "\t" root', "root"),
        (r'root ::= "x" | " "? a   a ::= "y" | " " root', "root"),
    ],
)
def test_endless_whitespace(text, place):
    finding = xgr.lint(text)[0]
    assert finding.code == "endless_whitespace"
    assert words(finding, text) == place


@pytest.mark.parametrize(
    "text",
    [
        r'root ::= "{" [ \t\n]{0,8} "}"',
        r'root ::= "\"" [^"]* "\""',
        r'root ::= ("a" " ")*',
        r'root ::= "a" " " root | "b"',
        r'root ::= ws{3} "x"   ws ::= " "?',
        'root ::= ""*  "x"',
    ],
)
def test_whitespace_that_ends(text):
    assert "endless_whitespace" not in codes(text)


def test_duplicate_alternatives():
    text = 'root ::= "a" x | ("b" | "c")* | "a" x | ("b" | "c")*   x ::= "1"'
    found = [words(finding, text) for finding in xgr.lint(text) if finding.code == "duplicate_alternative"]
    assert found == ['"a" x', '("b" | "c")*']
    assert codes('root ::= ("a" | "b") ("a" | "c")') == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('root ::= x? "b"   x ::= "a"*', "`?` changes nothing: `x` may be empty already"),
        ('root ::= ("a"*)*', "a repetition of a repetition matches no more than one of them"),
        ('root ::= ("a"+)+', "a repetition of a repetition matches no more than one of them"),
        ('root ::= "x" ("a"?){2,5}', '`("a"?){2,5}` requires at least 2, and each may be empty'),
        ('root ::= "x" "a"{0}', '`"a"{0}` matches the empty text only'),
    ],
)
def test_repetitions_without_effect(text, said):
    assert only(text, "no_effect").message == said


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ('root[max_chars=3] ::= "abc"', "max_chars=3", "no match has more than 3 characters"),
        ("root[max_tokens=12] ::= [é]{1,3}", "max_tokens=12", "no match has more than 12 bytes"),
        ('root ::= x "c"   x[lazy] ::= "ab" | "cd"', "lazy", "every match has 2 characters"),
    ],
)  # fmt: skip
def test_options_without_effect(text, place, said):
    finding = only(text, "option_no_effect")
    assert words(finding, text) == place
    assert said in finding.message


@pytest.mark.parametrize(
    "text",
    [
        'root[max_chars=2] ::= "a" "b"? "c"?',
        "root[max_chars=9000] ::= [^]*",
        "root[max_tokens=11] ::= [é]{1,3}",
        'root ::= x "."   x[lazy] ::= "ab" | "abc"',
        'root[max_chars=99] ::= x "y"   x ::= "(" x ")" | "1"',
        'root[max_chars=4] ::= TagDispatch(("a", x))   x ::= "b"',
    ],
)  # fmt: skip
def test_options_that_have_an_effect(text):
    assert "option_no_effect" not in codes(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [(r'root ::= "\"" ["^]* "\""', r'[^"]'), ("root ::= [a^b]", "[^ab]"), (r"root ::= [\]^x]", r"[^\]x]")],
)
def test_carets_within_classes(text, hint):
    finding = only(text, "class_caret")
    assert words(finding, text) == "^"
    assert hint in finding.hint


@pytest.mark.parametrize(
    "text", ["root ::= [^a]", r"root ::= [a\^b]", "root ::= [-+*/^]", "root ::= [Z-^]", "root ::= [^^]"]
)
def test_carets_that_are_meant(text):
    assert "class_caret" not in codes(text)


def test_enumerated_classes():
    assert codes(r"root ::= [A-Za-z0-9_:\-\", !?;]+") == ["enumerated_class"]
    assert codes("root ::= [A-Za-z0-9_-]+") == []
    assert codes('root ::= [^"]*') == []
    assert codes("root ::= [ -~]+") == []


def test_similar_names():
    text = 'root ::= a-b "," a_b "," AB "," ab1   a-b ::= "1"   a_b ::= "2"   AB ::= "3"   ab1 ::= "4"'
    found = [finding for finding in xgr.lint(text) if finding.code == "similar_names"]
    assert [words(finding, text) for finding in found] == ["a_b", "AB"]
    assert all("`a-b`" in finding.message for finding in found)


@pytest.mark.parametrize(
    ("text", "n_found"),
    [('root ::= | "a"', 1), ('root ::= "a" | ', 1), ('root ::= "a" ("b" | | "c")', 1), ('root ::= "a" x   x ::= ', 1),
     ('root ::= "a" | ""', 0), ('root ::= ("a"){0} | "b"', 0)],
)  # fmt: skip
def test_empty_alternatives(text, n_found):
    assert codes(text).count("empty_alternative") == n_found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('root ::= x | [a-z]   x ::= "a"', '"a" can be read in two ways: it is `x` or `[a-z]`'),
        ('root ::= "<" ("1" | [0-9]) ">"', '"<1>" can be read in two ways: within it "1" is `"1"` or `[0-9]`'),
        ('root ::= "<" ("a"? | "b"?) ">"',
         '"<>" can be read in two ways: the empty text within it is `"a"?` or `"b"?`'),
        ('root ::= ("a" | "aa")+',
         '"aa" can be read in two ways: in `("a" | "aa")+`, one time `"a" | "aa"` is "a" or "aa"'),
        ('root ::= "x"? ws ws   ws ::= "\\n"{0,3}',
         '"\\n" can be read in two ways: in `"x"? ws ws`, the second part `ws` is "" or "\\n"'),
    ],
)  # fmt: skip
def test_ambiguous(text, said):
    finding = only(text, "ambiguous")
    assert finding.message == said


def test_a_witness_is_said_only_if_the_engine_accepts_it():
    text = 'root ::= x "," ("a" | [a-z])   x[max_chars=3] ::= "a"{2,9} | "b"{2,9}'
    assert 'read in two ways: within it "a" is' in only(text, "ambiguous").message
    cut = 'root ::= x   x[max_chars=1] ::= ("aa" | [a-z]{2})* "b"?'
    assert "ambiguous" not in codes(cut)


# ---- Real grammars ----


@pytest.mark.parametrize("folder", ["gbnf-llama.cpp", "ebnf-transformers-cfg"])
def test_real_grammars(folder):
    paths = sorted((DATA / "grammars" / folder).glob("*bnf"))
    if not paths:
        pytest.skip(f"no grammars: {DATA / 'grammars' / folder} is not there (set XG2LAB_DATA to the data folder)")
    n_ambiguous = 0
    for path in paths:
        # The search for ambiguous texts ends by its number of pairs, whatever the time.
        findings = xgr.lint(path.read_text(encoding="utf-8"), seconds=1e9)
        n_ambiguous += sum(finding.code == "ambiguous" for finding in findings)
        if path.name == "json.gbnf":
            assert [f.message for f in findings if f.code == "ambiguous"] == [
                '"{\\"\\":1}" can be read in two ways: within it "1" is `[0-9]` or `[1-9] [0-9]{0,15}`'
            ]
    assert n_ambiguous > 0


# ---- Free text that swallows its end, and the empty name ----


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ('root ::= "<think>" [^]* "</think>"', '"</think>"'),
        ('root ::= free "</x>"   free ::= [^\\n]+', '"</x>"'),
        ('root ::= ([^"])* end "!"   end ::= "</a>" | "b" "c"', '"b"'),
    ],
)
def test_free_text_that_holds_its_own_end(text, marker):
    finding = only(text, "swallowed_end")
    assert f"can hold its own end marker {marker}" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "text",
    [
        'root ::= [^\\n]+ "\\n"',
        'root ::= "\\"" [^"]* "\\""',
        'root ::= [a-z]+ "ing"',
        'root ::= free "</x>"   free[lazy] ::= [^]+',
        'root ::= free "</x>"   free[max_chars=9] ::= [^]*',
        'root ::= [^]{0,9} "</x>"',
        'root ::= TagDispatch(stop_str=("</x>"))',
        "root ::= [^]*",
    ],
)
def test_free_text_that_ends(text):
    assert "swallowed_end" not in codes(text)


@pytest.mark.parametrize(
    ("schema", "is_told"),
    [
        ('{"additionalProperties": true}', True),
        ('{"properties": {"a": {"additionalProperties": {"type": "string"}}}}', True),
        ('{"additionalProperties": true, "propertyNames": {"pattern": "x*"}}', True),
        ('{"additionalProperties": false}', False),
        ('{"additionalProperties": true, "propertyNames": {"minLength": 1}}', False),
        ('{"additionalProperties": true, "propertyNames": {"pattern": "^x"}}', False),
        ('{"additionalProperties": true, "propertyNames": {"enum": ["a"]}}', False),
        ('{"additionalProperties": true, "properties": {"": {"type": "null"}}}', False),
    ],
)
def test_an_open_object_that_takes_the_empty_name(schema, is_told):
    assert ("empty_key" in codes(schema, kind="json_schema")) == is_told
