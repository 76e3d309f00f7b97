"""A session, an audit and a comparison with other engines: what masks answer, and what they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lab.engines.stubs import Forgetful, Literal, Lying, Permissive
from xg2lab import Grammar, Session, TokenizerInfo
from xg2lab.errors import SessionError
from xg2lab.lab import Trace, audit, compare
from xg2lab.lab.engines import EngineComparison, EngineError, EngineSource
from xg2lab.lab.engines.auditing_engines import audit_engine, source_of
from xg2lab.lab.session.session import BlockedTokenError
from xg2lab.lab.trace.beside_mask import held_against

BYTES = TokenizerInfo([*(bytes([k]) for k in range(128)), b"</s>"], stop_token_ids=[128])
INFO = TokenizerInfo([b"z", b"a", b"b", b"ab", b"</s>"], stop_token_ids=[4])
AB = Grammar.from_regex("abab")


def test_the_masks_are_the_other_engines() -> None:
    session = Session(AB, INFO, engine=Permissive())
    assert session.trace.pending is not None
    assert session.trace.pending.n_allowed == 5
    session.force("zz")
    session.back()
    assert session.text == "z"
    assert session.bitmask().tolist() == [0b11111]
    assert session.engine == "permissive 1.0"
    assert any("permissive 1.0, which shows no chart" in note for note in session.trace.notes)


def test_what_masks_answer_is_answered_and_the_rest_is_refused_plainly(tmp_path: Path) -> None:
    session = Session(AB, INFO, engine=Literal())
    with pytest.raises(BlockedTokenError, match="the mask of literal does not allow it; this engine gives no reason"):
        session.force("z")
    session.force("ab")
    why = session.explain("a")
    assert (why["allowed"], why["mechanism"]) == (True, "other_engine")
    assert session.provenance(1).tolist() == [0, 1, 0, 1, 6]
    with pytest.raises(SessionError, match="literal shows masks alone, and `stacks` asks for more"):
        session.matcher_at(1).stacks()
    with pytest.raises(SessionError, match="keeps its grammar"):
        session.change_grammar('root ::= "a"')
    with pytest.raises(SessionError, match="a diagnosis needs reasons"):
        session.diagnose([0, 0])
    issue = session.issue_text("z", step=0)
    assert issue.splitlines()[0] == "regex: after b'' the mask forbids 'z'"
    assert "literal 1.0" in issue
    session.record_operators()
    assert session.trace.operators == {
        "refused": "literal shows masks alone",
        "hint": "leave out engine=",
        "spans": [],
    }
    session.record_as_written()
    assert session.trace.as_written is None
    session.force("ab")
    assert session.trace.pending is not None
    assert session.trace.pending.completed
    session.force(4)
    assert session.trace.steps[-1].terminated
    session.trace.save(tmp_path / "other.json")
    assert Trace.load(tmp_path / "other.json").notes == session.trace.notes


def test_tokens_that_must_follow_come_from_masks_of_one_bit() -> None:
    info = TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    session = Session(Grammar.from_regex("ab"), info, engine=Literal())
    assert session.matcher_at(0).find_forced_tokens() == [0, 1]


def test_its_masks_lie_over_ours() -> None:
    ours, theirs = Session(AB, INFO), Session(AB, INFO, engine=Permissive(), name="theirs")
    found = held_against(ours, 0, theirs)
    assert found.mask_b.tolist() == [0b11111]


def test_ours_behind_the_protocol_steps_as_ours() -> None:
    model = {"model": "tiny", "prompt": "A list: ", "seed": 3, "max_tokens": 40}
    plain = Session('root ::= "[" [0-9]{1,3} "]"', **model)
    other = Session('root ::= "[" [0-9]{1,3} "]"', engine="xg2lab-pda", **model)
    for session in (plain, other):
        session.run()
    assert other.output_ids == plain.output_ids
    assert [step.n_allowed for step in other.trace.steps] == [step.n_allowed for step in plain.trace.steps]
    assert other.variant(seed=4).engine == other.engine


def test_an_engine_that_is_not_there_or_refuses_is_an_error() -> None:
    with pytest.raises(EngineError, match="no engine of this name"):
        Session(AB, INFO, engine="nobody")
    with pytest.raises(EngineError, match="no ebnf here"):
        Session('root ::= "a"', INFO, engine=Literal())


def test_compare_takes_engines() -> None:
    session = Session(AB, INFO)
    session.force("abab")
    report = compare(session, engines=["xg2lab-plain", Permissive()])
    assert isinstance(report, EngineComparison)
    assert [row.name for row in report.rows] == ["xg2lab", "xg2lab-plain", "permissive"]
    assert {(v.wrong, v.kind) for one in report.disagreements for v in one.verdicts} == {
        ("permissive", "allows_invalid")
    }
    with pytest.raises(SessionError, match="with the session itself"):
        compare(session, engines=["xg2lab"], parser="pda")  # type: ignore[call-overload]
    with pytest.raises(SessionError, match="engines="):
        compare(session, source=EngineSource("regex", "a"))  # type: ignore[call-overload]


def test_the_sessions_own_part_is_compiled_anew_and_so_are_its_times() -> None:
    session = Session(AB, INFO)
    session.force("ab")
    report = compare(session, engines=["xg2lab"])
    ours, again = report.rows
    assert ours.masks == again.masks
    assert min(ours.compile_us) > 0
    assert report.session is session
    assert session.text == "ab"


def test_a_comparison_shows_itself_where_a_page_can(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(AB, INFO)
    session.force("ab")
    report = compare(session, engines=["xg2lab-pda"])
    monkeypatch.setattr(EngineComparison, "display", None)
    with pytest.raises(NotImplementedError):
        report._ipython_display_()
    shown: list[object] = []
    monkeypatch.setattr(EngineComparison, "display", staticmethod(lambda *what: shown.extend(what)))
    report._ipython_display_()
    assert shown == [session, report]
    report.session = None
    with pytest.raises(NotImplementedError):
        report._ipython_display_()


def test_audit_takes_engines_and_tells_a_liar() -> None:
    session = Session(AB, INFO)
    session.force("ab")
    report = audit(session, engines=["xg2lab-pda", Lying()])
    assert report.ok  # the session's own masks are right
    honest, liar = report.engines
    assert honest.ok
    assert [(lie.step, lie.text, lie.mask, lie.accept) for lie in liar.lies] == [
        (0, "z", True, False),
        (1, "z", True, False),
    ]
    rows = {check.name: check for check in report.checks if check.name.startswith("engine ")}
    assert [check.level for check in rows.values()] == ["ok", "warning"]
    (told,) = [check for name, check in rows.items() if "lying" in name]
    assert "its accept refuses it" in told.details
    assert "lying" in told.repro.splitlines()[0]
    assert "engine lying 1.0: 2 of 2 steps, mask and accept disagree on 2 tokens" in str(report)
    assert json.dumps(report.to_wire())


def test_an_engines_audit_has_a_budget() -> None:
    found = audit_engine(Literal(), EngineSource("regex", "ab"), [1], INFO, seconds=0.0)
    assert (found.n_done, found.stopped) == (0, "the budget of 0 s")
    refused = audit_engine(Literal(), EngineSource("ebnf", "x"), [], INFO)
    assert refused.refused == "ValueError: no ebnf here"


def test_a_rollback_that_forgets_is_told_and_accept_is_not_blamed() -> None:
    found = audit_engine(Forgetful(), EngineSource("regex", "aba"), [1, 2, 1], INFO)
    assert found.lies == []
    assert found.rollback_differs == [1]
    assert not found.ok
    assert "rollback leaves another mask at step 1" in str(found)
    assert audit_engine("xg2lab", EngineSource("regex", "aba"), [1, 2, 1], INFO).rollback_differs == []


def test_a_session_over_a_liar_is_audited_as_the_liars() -> None:
    session = Session(AB, INFO, engine=Lying())
    session.force("ab")
    report = audit(session)
    assert not report.ok
    assert report.disagreements[0].repro.startswith("# lying 1.0: after the tokens")


@pytest.mark.parametrize(
    ("grammar", "kind", "options"),
    [
        (Grammar.from_json_schema({"properties": {"a": {}}}, strict_mode=True), "json_schema", (True, True)),
        (Grammar.from_json_schema({"properties": {"a": {}}}, strict_mode=False), "json_schema", (False, True)),
        (Grammar.from_json_schema({"properties": {"a": {}}}, any_whitespace=False), "json_schema", (True, False)),
        (Grammar.from_regex("a+"), "regex", None),
        (Grammar.from_lark('start: "a"'), "ebnf", None),
        (Grammar.from_structural_tag({"format": {"type": "any_text"}}), "structural_tag", None),
    ],
)
def test_a_sessions_grammar_as_others_read_it(grammar: Grammar, kind: str, options: tuple[bool, bool] | None) -> None:
    source = source_of(grammar)
    assert source.kind == kind
    if options is not None:
        assert (source.options["strict_mode"], source.options["any_whitespace"]) == options


def test_others_get_a_rule_a_line() -> None:
    text = 'root ::= "{" ws "}"   ws ::= [ ]*'
    assert source_of(Grammar.from_ebnf(text)).text.count("\n") >= 1
    assert source_of(Grammar.from_ebnf('root ::= "a"')).text == 'root ::= "a"'


@pytest.mark.parametrize("name", ["xgrammar", "llguidance"])
def test_a_peer_steps_a_session(name: str) -> None:
    {"xgrammar": lambda: pytest.importorskip("xgrammar"), "llguidance": lambda: pytest.importorskip("llguidance")}[
        name
    ]()
    session = Session(Grammar.from_regex("[ab]{2}"), BYTES, engine=name)
    session.force("ab")
    session.back(1)
    session.force("b")
    assert session.text == "ab"
    session.force(128)
    assert session.trace.steps[-1].terminated
