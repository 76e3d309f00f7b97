"""DistView as text and data: the step's own figures, the lost mass by rule from the engine's explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ui.scripted import scripted_session
from xg2lab.lab.model.sampling import distribution
from xg2lab.lab.trace.lost_mass import ALLOWED, N_MOST, LostMass, lost_mass
from xg2lab.widgets import DistView
from xg2lab.widgets.views.dist_view import lowest_z


def test_the_data_are_the_step(session: Any) -> None:
    session.select(step=3)
    data, step = DistView(session).data(), session.trace.steps[3]
    assert (data.step, data.z, data.kl, data.rank) == (3, step.z, step.kl, step.rank)
    assert data.candidates == step.top
    assert data.allowed is not None
    assert int(data.allowed.sum()) == step.n_allowed
    assert data.lowest == lowest_z(session.trace.steps) == int(np.nanargmin(data.run_z))


def test_the_lost_mass_is_what_the_engine_explains(session: Any) -> None:
    """Every blocked token, asked one by one, gives the same groups: nothing is guessed, nothing left out."""
    index = session.trace.pending.index
    lost, step = session.lost_mass(), session.trace.steps[index]
    assert isinstance(lost, LostMass)
    assert lost.total == pytest.approx(1 - step.z)
    assert sum(group.mass for group in lost.groups) + lost.rest == pytest.approx(lost.total)
    provenance, p = session.provenance(), session.probabilities()
    blocked = np.flatnonzero(~np.isin(provenance, ALLOWED))
    whole = lost_mass(step, provenance, p, lambda t: session.explain(t), n_most=len(p))
    assert sum(len(g.token_ids) for g in lost.groups) + lost.n_rest == len(blocked)
    assert [g.name for g in lost.groups] == [g.name for g in whole.groups][: len(lost.groups)]
    for group in lost.groups:
        for token_id in group.token_ids[:5]:
            why = session.explain(token_id)
            assert not why["allowed"]
            if group.rule is not None:
                assert (group.rule, group.line) in {(item["rule"], item["line"]) for item in why["expected_by"]}


def test_the_lowest_step_names_the_rule_that_took_the_mass(session: Any) -> None:
    lost = session.lost_mass(lowest_z(session.trace.steps))
    worst = lost.groups[0]
    assert worst.mass > 0.9 * lost.total
    assert worst.name == "string"
    assert session.trace.header["grammar"]["text"].splitlines()[worst.line - 1].startswith("string")
    assert sum(len(group.token_ids) for group in lost.groups) <= N_MOST


def test_p_read_back_from_codes_is_scaled_to_what_is_known(session: Any) -> None:
    for index in range(4):
        lost, step = session.lost_mass(index), session.trace.steps[index]
        told = sum(group.mass for group in lost.groups)
        assert told <= lost.total + 1e-9
        assert told >= 0.99 * lost.total or sum(len(g.token_ids) for g in lost.groups) == N_MOST
        listed = {c.token_id: c.p for c in step.top if c.provenance not in ALLOWED}
        largest = max(listed, key=lambda token_id: listed[token_id])
        assert any(group.token_ids[0] == largest for group in lost.groups)


def test_a_step_knows_its_temperature() -> None:
    session = scripted_session(name="warm", temperature=0.7)
    session.step(2)
    assert {step.temperature for step in session.trace.steps} == {0.7}
    session.set_sampling(temperature=1.3)
    assert session.trace.pending.temperature == 1.3
    logits = session._recorder.decoder.runner.logits_numpy()
    allowed = np.isin(session.provenance(), ALLOWED)
    assert session.trace.pending.z == pytest.approx(distribution(logits, allowed, session.sampling).z)


def test_without_a_model_it_says_so(session: Any) -> None:
    from xg2lab.lab import Session

    alone = Session("root ::= [ab]+", session.tokenizer_info, name="alone")
    view = DistView(alone)
    assert "no probabilities without a model" in repr(view)
    assert (view.data().p, view.data().lost, view.data().lowest) == (None, None, None)


def test_the_text_says_the_figures_and_the_rules(session: Any) -> None:
    session.select(step=3)
    text = repr(DistView(session))
    assert "step 3: Z 0.00" in text
    assert "'celsius'" in text
    assert "string 6:12" in text
    assert "lowest Z of the run" in text
    assert max(map(len, text.splitlines()[1:])) <= 100


def test_the_page_is_answered(page: Any) -> None:
    reply, _ = page.ask("lost_mass", step=3)
    assert reply["lost"] == page.widget.session.lost_mass(3).to_wire()
    assert {"total", "groups", "rest", "n_rest"} == set(reply["lost"])
