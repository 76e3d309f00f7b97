"""The real engine with the shipped model: every format, forced into shape, token by token."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import xg2lab as xgr
from xg2lab.errors import ModelLoadError
from xg2lab.tiny import FORMATS, example_requests, grammar_for, prompt
from xg2lab.tiny.formats import FormatError, read


@pytest.fixture(scope="module")
def model():
    try:
        return xgr.ModelRunner.tiny()
    except ModelLoadError as error:
        pytest.skip(str(error))


def session_of(model, form="qwen", **settings):
    defaults = {"prompt": prompt(example_requests(form)[0], form), "temperature": 1.0, "max_tokens": 300}
    return xgr.Session(grammar_for(form), model=model, **(defaults | settings))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("seed", [0, 1])
def test_under_its_grammar_the_model_writes_what_the_formats_reader_takes(model, form, seed):
    session = session_of(model, form, temperature=1.5, seed=seed)
    session.run()
    assert session.status == "terminated"
    assert session.trace.broke is None
    read(form, session.text)


def test_left_alone_it_breaks_its_format_somewhere_and_the_trace_says_where(model):
    compiled = None
    for seed in range(20):
        session = session_of(model, temperature=1.6, seed=seed, constrained=False)
        session.run()
        try:
            read("qwen", session.text)
        except FormatError:
            broke = session.trace.broke
            assert broke is not None or session.status != "terminated"
            if broke is None:
                continue
            compiled = session.compiled
            matcher = xgr.GrammarMatcher(compiled)
            data = session.trace.output_bytes
            assert matcher.accept_string(data[: broke["byte"]])
            assert broke["byte"] == len(data) or not matcher.accept_string(data[broke["byte"] : broke["byte"] + 1])
            return
    pytest.fail("twenty outputs at temperature 1.6, and none broke the format")


def test_going_back_and_forcing_leaves_the_model_where_reading_anew_would(model):
    session = session_of(model, seed=4)
    session.step(12)
    session.back(7)
    session.step(3)
    fresh = model.fork()
    fresh.reset()
    fresh.prefill([*fresh.tokenizer(session.prompt).input_ids, *session.output_ids])
    logits = fresh.logits_numpy().astype(np.float64)
    p = np.exp(logits - logits.max())
    assert session.probabilities() == pytest.approx(p / p.sum(), abs=2e-4)


def test_the_header_tells_the_model(model):
    known = session_of(model).trace.header["model"]
    assert known["name"]
    assert known["device"] == "cpu"
    assert known["dtype"].startswith("float")
    assert known["n_parameters"] == sum(p.numel() for p in model.model.parameters())


def test_two_sessions_of_one_runner_do_not_disturb_each_other(model):
    one, two = session_of(model, seed=1), session_of(model, seed=1)
    for _ in range(6):
        one.step()
        two.step()
    assert one.output_ids == two.output_ids
    assert model.n_tokens == 0


def test_a_model_is_found_by_name():
    session = xgr.Session('root ::= "yes" | "no"', model="tiny", prompt="?")
    session.run()
    assert session.text in ("yes", "no")


def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ModelLoadError):
        xgr.Session('root ::= "a"', model=str(tmp_path / "nothing"))
