"""`open_flight`: a file of a server's request as a session, with the refused token selected and diagnosed."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from dataclasses import replace

import pytest

import xg2lab as xgr
from xg2lab.errors import DeserializeFormatError, GrammarError, LimitError, VocabularyError
from xg2lab.flight import KINDS, FlightGrammar, FlightRecord, FlightRecorder, fingerprint
from xg2lab.lab import open_flight
from xg2lab.lab.session import flights
from xg2lab.lab.session.flights import of_flight

INFO = xgr.TokenizerInfo(["[", "]", "7", "0", "x", "}", "</s>", "{", '"', ":"], stop_token_ids=[6])
OTHER = xgr.TokenizerInfo(["[", "]", "7", "0", "x", "{", "</s>", "}", '"', ":"], stop_token_ids=[6])
GRAMMAR = FlightGrammar("ebnf", 'root ::= "[" number "]"\nnumber ::= [0-9]+')


def flown(folder, ids=(0, 2, 3), refused: int | None = 5, *, grammar=GRAMMAR, info=INFO, end="refused", **settings):
    """The file of a flight."""
    facts = {"prompt_ids": settings.pop("prompt_ids", None), "engine_options": settings.pop("engine_options", None)}
    with FlightRecorder(folder, "always", **settings) as recorder:
        flight = recorder.begin("request-7", grammar, info, host="vllm", model="some-model", **facts)
        for number, token_id in enumerate(ids):
            flight.masked(700_000 * (number + 1))
            flight.accepted([token_id])
        if refused is not None:
            flight.refused(refused)
        flight.end(end)
    return recorder.files()[-1]


# ---- What the session shows ----


def test_the_refused_token_is_selected_and_diagnosed(tmp_path):
    session = open_flight(flown(tmp_path))
    assert session.text == "[00"
    assert session.name == "flight request-7"
    found = session.replayed
    assert (found.kind, found.step, found.byte, found.token_id) == ("blocked", 3, 3, 5)
    assert found.to_wire()["line"]["text"] == 'root ::= "[" number "]"'
    assert session.selection == {**found.selection, "step": None}
    assert session.trace.pending.index == 3
    assert session.explain(5)["allowed"] is False


def test_the_views_have_what_they_need(tmp_path):
    pytest.importorskip("anywidget")
    from xg2lab import widgets

    session = open_flight(flown(tmp_path))
    text = widgets.export_html(session, tmp_path / "page.html", graphviz=False).read_text(encoding="utf-8")
    assert "<title>flight request-7</title>" in text
    found = re.search(r'id="xg2lab-trace">([^<]*)<', text)
    assert found is not None
    steps = json.loads(gzip.decompress(base64.b64decode(found[1])))["steps"]
    assert steps[3]["explain"]["5"]["reason"] == session.replayed.reason  # without a kernel there is no one to ask


def test_notes_have_the_facts_of_the_request_and_the_slowest_masks(tmp_path):
    session = open_flight(flown(tmp_path))
    told = "\n".join(session.trace.notes)
    assert "Request 'request-7' of vllm, model some-model, begun 20" in told
    assert "because the grammar refused a token" in told
    assert "Free text of the output was replaced" in told
    assert "3 masks took 1400.0 µs each on the server, the slowest 2100.0 µs." in told
    assert [(note["step"], note["text"]) for note in session.trace.annotations] == [
        (2, "The server's mask took 2.100 ms here."),
        (1, "The server's mask took 1.400 ms here."),
    ]


def test_a_session_goes_on_from_there(tmp_path):
    session = open_flight(flown(tmp_path))
    session.force("]")
    assert session.text == "[00]"
    session.back_to(1)
    assert session.text == "["


def test_the_prompt_is_shown_if_it_was_recorded(tmp_path):
    assert open_flight(flown(tmp_path / "a", prompt_ids=[4, 5, 99, -1], prompts="keep")).prompt == "x}"
    assert open_flight(flown(tmp_path / "b", prompt_ids=[4, 5])).prompt == ""


def test_an_output_that_was_not_refused_is_replayed_to_its_end(tmp_path):
    session = open_flight(flown(tmp_path, (0, 2, 1, 6), None, end="stop"))
    assert session.text == "[0]"
    assert session.replayed.kind == "ended"
    assert session.status == "terminated"


def test_a_flight_without_output_is_a_session_at_its_beginning(tmp_path):
    session = open_flight(flown(tmp_path, (), None, end="aborted"))
    assert (session.text, session.replayed) == ("", None)
    record = replace(FlightRecord.load(flown(tmp_path)), output_ids=None, outputs="withheld")
    session = of_flight(replace(record, refused=replace(record.refused, token_id=None)), INFO)
    assert "could not be redacted" in "\n".join(session.trace.notes)


def test_a_request_that_is_still_being_written_is_a_session():
    flight = FlightRecorder(None, "always", outputs="keep").begin("one", GRAMMAR, INFO)
    flight.accepted([0, 2])
    record = FlightRecord.from_json(flight.record().to_json())
    session = of_flight(record, INFO)
    assert session.text == "[7"
    assert "The request was still being written." in session.trace.notes


SOURCES = {
    "json_schema": '{"type": "array", "items": {"type": "integer"}}',
    "json_object": "",
    "ebnf": GRAMMAR.text,
    "lark": 'start: "[" /[0-9]+/ "]"',
    "regex": r"\[[0-9]+\]",
    "choice": '["[7]", "[0]"]',
    "structural_tag": '{"format": {"type": "const_string", "value": "[7]"}}',
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_grammar_is_opened(tmp_path, kind):
    compiled = xgr.GrammarCompiler(INFO).compile_grammar(GRAMMAR.text)
    grammar = FlightGrammar.of_compiled(compiled) if kind == "compiled" else FlightGrammar(kind, SOURCES[kind])
    session = open_flight(flown(tmp_path, (), 4, grammar=grammar))
    assert session.replayed.kind == "blocked"


def test_the_tiny_model_reads_a_flight_with_its_probabilities(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    model = xgr.ModelRunner.tiny()
    info = model.tokenizer_info
    ids = info.encode_greedy('{"name": "Ada"')
    path = flown(
        tmp_path, ids, info.find("]")[0], info=info, outputs="keep",
        grammar=FlightGrammar("json_schema", '{"type": "object"}'),
    )  # fmt: skip
    session = open_flight(path, model=model)
    assert session.text == '{"name": "Ada"'
    assert session.replayed.kind == "blocked"
    assert session.trace.pending.z is not None
    assert 0 < session.trace.pending.z <= 1


# ---- Tokenizers ----


def test_the_tokenizer_may_be_given(tmp_path):
    path = flown(tmp_path, tokenizer="fingerprint")
    assert open_flight(path, INFO).text == "[00"


def test_without_a_tokenizer_the_error_names_the_fingerprint(tmp_path):
    path = flown(tmp_path, tokenizer="fingerprint")
    with pytest.raises(VocabularyError) as caught:
        open_flight(path)
    assert fingerprint(INFO) in caught.value.message
    assert "tokenizer_info=" in caught.value.hint


def test_another_tokenizer_is_refused_with_both_fingerprints(tmp_path):
    with pytest.raises(VocabularyError) as caught:
        open_flight(flown(tmp_path), OTHER)
    assert fingerprint(INFO) in caught.value.message
    assert fingerprint(OTHER) in caught.value.message


def test_a_stored_tokenizer_that_was_exchanged_is_refused(tmp_path):
    path = flown(tmp_path / "a")
    other = next(flown(tmp_path / "b", info=OTHER).parent.glob("tokenizer-*"))
    stored = next(path.parent.glob("tokenizer-*"))
    shutil.copy(other, stored)
    with pytest.raises(VocabularyError, match=fingerprint(OTHER)):
        open_flight(path)
    stored.write_bytes(stored.read_bytes()[:40])
    with pytest.raises(DeserializeFormatError, match="is cut off"):
        open_flight(path)


def test_a_fingerprint_that_is_a_path_leads_nowhere(tmp_path):
    record = FlightRecord.load(flown(tmp_path))
    path = tmp_path / "one.xgflight"
    path.write_bytes(replace(record, tokenizer=replace(record.tokenizer, fingerprint="../" * 10 + "xx")).packed())
    with pytest.raises(VocabularyError, match="has the fingerprint"):
        open_flight(path)


# ---- Files that come from anywhere ----


def rewritten(tmp_path, **changes):
    wire = FlightRecord.load(flown(tmp_path)).to_wire()
    path = tmp_path / "one.xgflight"
    path.write_text(json.dumps({**wire, **changes}), encoding="utf-8")
    return path


def test_limits_of_a_file_are_not_raised_beyond_the_defaults(tmp_path):
    path = rewritten(tmp_path, engine_options={"max_compile_seconds": 1e8, "max_work_bytes": 1 << 61, "parser": "pda"})
    options = open_flight(path).compiled.options
    assert options == xgr.EngineOptions(parser="pda")
    assert open_flight(rewritten(tmp_path, engine_options={"max_stacks": 9})).compiled.options.max_stacks == 9
    chosen = xgr.EngineOptions(max_compile_seconds=9.0)
    assert open_flight(path, options=chosen).compiled.options == chosen


@pytest.mark.parametrize(
    "options", [{"fast": True}, {"parser": "lalr"}, {"tail_calls": 1}, {"max_stacks": 1.5}, {"__init__": "x"}]
)
def test_options_that_the_engine_does_not_know_are_refused(tmp_path, options):
    with pytest.raises(DeserializeFormatError) as caught:
        open_flight(rewritten(tmp_path, engine_options=options))
    assert "engine option" in caught.value.message.lower() or "EngineOptions" in caught.value.message
    assert "pass options=" in caught.value.hint


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("json_schema", {"indent": "x"}),
        ("json_schema", {"separators": 5}),
        ("json_schema", {"separators": [1, 2]}),
        ("json_schema", {"registry": [1]}),
        ("lark", {"named_grammars": 5}),
        ("lark", {"start": 5}),
        ("ebnf", {"root_rule_name": None}),
        ("structural_tag", {"on_unsupported": []}),
    ],
)
def test_options_of_a_grammar_with_other_types_are_typed_errors(tmp_path, kind, options):
    text = SOURCES[kind] if kind != "json_schema" else '{"type": "object"}'
    with pytest.raises(xgr.Xg2LabError):
        open_flight(rewritten(tmp_path, grammar={"kind": kind, "text": text, "options": options}))


def test_a_grammar_that_does_not_compile_says_why(tmp_path):
    with pytest.raises(GrammarError, match="`none` is not defined"):
        open_flight(rewritten(tmp_path, grammar={"kind": "ebnf", "text": "root ::= none", "options": {}}))


def test_an_output_that_is_too_long_for_a_session_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(flights, "_MOST_REPLAYED", 3)
    with pytest.raises(LimitError, match="has 4 tokens"):
        open_flight(flown(tmp_path))


def test_more_tokens_than_a_session_usually_takes_are_replayed(tmp_path):
    session = open_flight(flown(tmp_path, [0, *[2] * 2100], 4))
    assert session.replayed.step == 2101
