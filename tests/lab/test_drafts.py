"""One text read, linted and compiled: findings with fixes that mend, keywords with their places, what passes change."""

from __future__ import annotations

import json

import pytest

from xg2lab.errors import ArgumentError
from xg2lab.lab.pad.drafts import KINDS, AbandonedError, compile_draft, fix_of, make_draft, read_draft
from xg2lab.lints.catalogue import CODES
from xg2lab.sources.readers import READERS

HOW = {"lint": "ebnf", "regex": "regex", "lark": "lark", "json_schema": "json_schema"}
SCHEMA = {
    "type": "object",
    "properties": {"é": {"type": "array", "uniqueItems": True}, "b": {"type": "string", "titel": "x"}},
}


def mended(text: str, span: tuple[int, int], new: str) -> str:
    """The text with another one at a place, in bytes."""
    data = text.encode()
    return (data[: span[0]] + new.encode() + data[span[1] :]).decode()


@pytest.mark.parametrize("code", [c for c in CODES.values() if c.how in HOW and not c.options], ids=lambda c: c.code)
def test_a_fix_makes_its_finding_go(code: object) -> None:
    kind = HOW[code.how]  # type: ignore[attr-defined]
    text = code.example  # type: ignore[attr-defined]
    if not isinstance(text, str) or "\ud800" in text:
        pytest.skip("not a text that an editor can hold")
    for finding in read_draft(text, kind).findings:
        fix = fix_of(finding, text)
        if fix is not None:
            after = read_draft(mended(text, finding.span, fix.text), kind).findings
            assert (finding.code, finding.message) not in {(f.code, f.message) for f in after}


def test_some_findings_have_fixes() -> None:
    text = "root ::= digts{5,2}\ndigits ::= [9-0] ws\nws ::= [ \\n]*"
    titles = [fix.title for f in read_draft(text, "ebnf").findings if (fix := fix_of(f, text))]
    assert titles == ["use digits", "write {2,5}", "write 0-9"]


def test_a_wrong_text_has_all_its_errors_and_no_grammar() -> None:
    draft = make_draft('root ::= a "x\nb ::= [z-a]\n')
    assert [f.code for f in draft.findings] == ["undefined_rule", "unterminated_literal", "reversed_range"]
    assert draft.n_errors == 3
    assert draft.good is None


def test_what_only_compiling_finds_is_a_finding() -> None:
    draft = make_draft('root[max_chars=2] ::= "abc"')
    assert draft.n_errors == 1
    assert draft.good is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("ebnf", 'root ::= "a"'),
        ("json_schema", '{"type": "integer"}'),
        ("regex", "[a-z]+"),
        ("structural_tag", '{"type": "structural_tag", "format": {"type": "any_text"}}'),
        ("lark", 'start: "a"+'),
    ],
)
def test_each_kind_is_compiled(kind: str, text: str) -> None:
    good = make_draft(text, kind).good
    assert good is not None
    assert good.n_states > 0
    assert good.rules
    assert good.lowered


def test_kinds_are_those_of_readers() -> None:
    assert set(KINDS) == set(READERS)
    with pytest.raises(ArgumentError, match="no kind of grammar"):
        make_draft("a", "yacc")


@pytest.mark.parametrize("indent", [None, 4])
def test_keywords_have_their_lines_however_the_text_is_laid_out(indent: int | None) -> None:
    text = json.dumps(SCHEMA, indent=indent, ensure_ascii=False)
    draft = make_draft(text, "json_schema")
    states = {keyword.pointer: keyword.state for keyword in draft.keywords}
    assert states["/type"] == "enforced"
    assert states["/properties/é/uniqueItems"] == "refused"
    assert states["/properties/b/titel"] == "annotation"
    for keyword in draft.keywords:
        at = text.encode()[: keyword.span[0]].decode()
        assert at.count("\n") + 1 == keyword.line
        assert json.dumps(keyword.keyword, ensure_ascii=False) in text.splitlines()[keyword.line - 1]
    assert draft.good is None


def test_relaxed_keywords_say_so_and_there_is_a_grammar() -> None:
    draft = make_draft(json.dumps(SCHEMA), "json_schema", on_unsupported="relax")
    assert {k.state for k in draft.keywords} == {"enforced", "relaxed", "annotation"}
    assert draft.good is not None


def test_a_track_of_very_many_ways_counts_the_rest() -> None:
    words = " | ".join(f'"w{k}"' for k in range(1500))
    good = make_draft(f"root ::= {words}").good
    assert good is not None
    track = good.rules[0].track
    assert track is not None
    *shown, rest = track["parts"]
    assert [part["text"] for part in shown] == [f"w{k}" for k in range(60)]
    assert (rest["kind"], rest["text"]) == ("other", "1,440 more")


def test_rules_have_uses_bodies_and_tracks() -> None:
    good = make_draft('root ::= "[" digit{2} digit "]"\ndigit ::= [0-9]').good
    assert good is not None
    root, digit = good.rules
    assert (root.name, root.n_uses, digit.n_uses) == ("root", 0, 2)
    assert digit.body == "[0-9]"
    assert root.track is not None
    assert [part["kind"] for part in root.track["parts"]] == ["literal", "repeat", "rule", "literal"]
    assert good.passes[0].inlined == ("digit",)


def test_nobody_waits_for_an_abandoned_draft() -> None:
    with pytest.raises(AbandonedError):
        compile_draft(read_draft('root ::= "a"', "ebnf"), go_on=lambda: False)
