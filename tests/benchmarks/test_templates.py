"""The benchmark of templates: its tasks are one language for all engines, and each request is another one."""

import csv
import doctest
import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("xg2lab._core", reason="the engine is not built")
pytest.importorskip("tiktoken")
import tiktoken

import benchmarks.__main__
from benchmarks import record, steps, templates
from benchmarks.engines import Xg2Lab
from benchmarks.templates import (
    claims,
    decoding,
    json_mode_eval,
    live,
    lookup,
    measure,
    old_peers,
    outlines,
    spelling,
    targets,
    tasks,
    transitions,
    ways,
)
from benchmarks.templates.outlines import MARKS, Form
from benchmarks.templates.tasks import Task
from benchmarks.texts import DATA, Source, Vocabulary

ROOT = Path(__file__).parents[2]

# Every byte, a few longer tokens (some cross the edges of the grammars), a stop token and the
# marks.
LONGER = [
    b"section",
    b' id="',
    b'">',
    b".<|",
    b"vision",
    b'", "',
    b"}, {",
    b'"topic": [',
    b' "',
    b'": ',
    b"<|",
    b"growth ",
]
RANKS = {data: rank for rank, data in enumerate([bytes([byte]) for byte in range(256)] + LONGER)}
STOP = len(RANKS)
SPECIAL = {mark: STOP + 1 + i for i, mark in enumerate(MARKS)}


def small_vocabulary() -> Vocabulary:
    pieces = r"section| id=\"|\">|\.<\||vision|\", \"|\}, \{|\"topic\": \[| \"|\": |<\||growth |[\s\S]"
    special = {"</s>": STOP, **SPECIAL}
    encoding = tiktoken.Encoding("small", pat_str=pieces, mergeable_ranks=RANKS, special_tokens=special)
    names = [b"</s>", *(b"\xff" + mark.encode() for mark in MARKS)]  # never valid UTF-8, so in no text
    return Vocabulary("small", [*RANKS, *names], STOP, len(RANKS), encoding)


WORDS = small_vocabulary()
FORMS = [Form("text tags"), Form("text tags, lines", text=r"[^<\n]+"), Form("special tokens", SPECIAL)]
TASKS = [
    *(outlines.outline_task(WORDS, n, form) for form in FORMS for n in (1, 10)),
    lookup.lookup_task(WORDS),
    lookup.schema_task(WORDS),
]


def by_name(task: Task) -> str:
    return f"{task.name}-{task.n}"


def masks(engine, tokens: list[int]) -> list[np.ndarray]:
    """The mask before each token, and the last one. Every token is allowed and accepted."""
    engine.start()
    found = []
    for token in tokens:
        engine.fill()
        found.append(np.unpackbits(engine.bitmask.view(np.uint8), bitorder="little")[: len(WORDS.tokens)].copy())
        assert found[-1][token], f"{engine.name} refuses token {token} at step {len(found)}"
        assert engine.accept(token)
    engine.fill()
    return [*found, np.unpackbits(engine.bitmask.view(np.uint8), bitorder="little")[: len(WORDS.tokens)].copy()]


# ---- The tasks ----


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_requests_differ_and_can_be_had_again(task: Task):
    requests = [task.request(number) for number in range(6)]
    for one, other in pairwise(requests):
        assert one.arguments != other.arguments
        assert one.grammars != other.grammars
        assert one.tokens != other.tokens
    assert task.request(3) == requests[3]


@pytest.mark.parametrize("n", [1, 10, 60, 240])
def test_an_outline_has_as_many_sections_as_asked_for(n: int):
    sections = list(outlines.in_order(outlines.tree(n, "seed")))
    assert len(sections) == n
    assert n == 1 or any(section.children for section in sections)
    assert not any("<" in section.title + section.text for section in sections)


def test_some_tokens_of_outlines_cross_the_edge_of_a_text():
    tokens = outlines.outline_task(WORDS, 10, FORMS[0]).request(1).tokens
    assert RANKS[b".<|"] in tokens


def test_outlines_in_both_spellings():
    """Reference texts cut at the edges are taken by both; those in the tokenizer's own tokens by bytes alone."""
    task = outlines.outline_task(WORDS, 10, FORMS[0])
    cut = spelling.in_own_tokens(task, 10)
    engine = Xg2Lab(WORDS)
    for name in ("bytes", "tokens"):
        compile_it = spelling.instances(engine, spelling.template_in(task, name))
        for number in (0, 1):
            compile_it(cut.request(number))
            assert spelling.is_taken(engine.compiled, cut.request(number).tokens)
            assert spelling.is_taken(engine.compiled, task.request(number).tokens) == (name == "bytes")
    assert spelling.of_outlines(engine, WORDS, FORMS[0], 3) == {
        "texts": "outlines, text tags", "n_texts": 3, "n_crossing": 3, "n_refused": 3
    }  # fmt: skip


def test_special_tokens_are_single_tokens_of_the_reference_text():
    tokens = outlines.outline_task(WORDS, 10, FORMS[2]).request(1).tokens
    assert [token for token in tokens if token > STOP] == list(SPECIAL.values()) * 10


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_the_written_out_template_and_the_texts_have_the_same_masks(task: Task):
    """In each shape, for the stop token too: the texts that peers take mean what the template means."""
    engine = Xg2Lab(WORDS)
    compile_it = ways.written_out(engine, task)
    for number in (0, 1):
        request = task.request(number)
        found = []
        if compile_it is not None:
            compile_it(request)
            found.append(masks(engine, request.tokens))
        for shape in request.grammars:
            ways.as_text(engine, shape)(request)
            found.append(masks(engine, request.tokens))
            assert found[-1][-1][WORDS.stop_token]
        for other in found[1:]:
            np.testing.assert_array_equal(found[0], other)


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_instances_have_the_masks_of_the_written_out_template(task: Task):
    engine = Xg2Lab(WORDS)
    plain, linked = ways.written_out(engine, task), ways.instances(engine, task)
    if plain is None or linked is None:
        pytest.skip("no templates of this kind, or no instances")
    for number in (0, 1):
        request = task.request(number)
        plain(request)
        expected = masks(engine, request.tokens)
        linked(request)
        np.testing.assert_array_equal(expected, masks(engine, request.tokens))


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_peers_have_our_masks(task: Task):
    """XGrammar's masks of EBNF are ours. llguidance's may lack tokens where the text is forced: it allows one way to
    write that. Of a JSON Schema peers read white space differently, so there only the reference text is compared.
    """
    peers = ways.peers(WORDS, task.name)
    if not peers:
        pytest.skip("no peer is installed")
    ours = Xg2Lab(WORDS)
    request = task.request(1)
    for shape, grammar in request.grammars.items():
        ways.as_text(ours, shape)(request)
        expected = masks(ours, request.tokens)
        for peer in peers:
            ways.as_text(peer, shape)(request)
            found = masks(peer, request.tokens)
            if not isinstance(grammar, Source):
                continue
            for step, (own, theirs) in enumerate(zip(expected, found, strict=True)):
                own, theirs = without_marks(own, task), without_marks(theirs, task)
                extra, missing = np.flatnonzero(theirs > own), np.flatnonzero(own > theirs)
                assert not extra.size, f"{peer.name} allows {extra} more at step {step}"
                is_forced = peer.name.startswith("llguidance") and len(first_bytes(own)) == 1
                assert not missing.size or is_forced, f"{peer.name} lacks {missing} at step {step}"


def without_marks(mask: np.ndarray, task: Task) -> np.ndarray:
    """The mask of the tokens that a task is about."""
    return mask if "special" in task.name else mask[: STOP + 1]


def first_bytes(mask: np.ndarray) -> set[int]:
    """The bytes that a forced text may go on with; more than one where the text is free."""
    return {WORDS.tokens[token][0] for token in np.flatnonzero(mask)}


# ---- json-mode-eval ----


def test_only_enums_are_slots():
    schema = {"properties": {"a": {"enum": ["x", "y"]}, "b": {"enum": [1]}, "c": {"const": "z"}}}
    slots: dict[str, list[str]] = {}
    template = json_mode_eval.with_slots(schema, slots)
    assert slots == {"values_0": ["x", "y"]}
    assert json_mode_eval.filled(template, slots) == schema
    assert list(template["properties"]["a"]) == ["enum"]


def test_json_mode_eval_has_81_schemas_that_we_take():
    if not (DATA / "maskbench" / "dev.jsonl.xz").exists():
        pytest.skip(f"no MaskBench in {DATA}")
    cases = json_mode_eval.cases()
    assert len(cases) == 81
    tasks = [json_mode_eval.json_mode_eval_task(WORDS, case) for case in cases]
    engine = Xg2Lab(WORDS)
    for task in tasks:
        for number in (0, 1):
            request = task.request(number)
            ways.as_text(engine, "schema")(request)
            assert steps.takes(engine, request.tokens)
    varying = [task for task in tasks if task.request(0).arguments]
    assert len(varying) == 7
    assert all(task.request(0).arguments != task.request(1).arguments for task in varying)


# ---- What is made of the figures ----


def test_a_way_that_refuses_its_text_is_no_row():
    engine = Xg2Lab(WORDS)
    task = outlines.outline_task(WORDS, 1, FORMS[0])
    other = outlines.outline_task(WORDS, 1, FORMS[2])
    compile_it = ways.as_text(engine, "rules")
    with pytest.raises(RuntimeError, match="refuses token"):
        measure.measure(engine, [(task, lambda _: compile_it(other.request(0)))], 2, 2)


def test_figures_leave_the_first_request_out():
    engine = Xg2Lab(WORDS)
    task = outlines.outline_task(WORDS, 1, FORMS[0])
    found = measure.measure(engine, [(task, ways.as_text(engine, "rules"))], n_requests=4, n_walked=2)
    assert found["n_requests"] == 3
    assert found["n_tokens"] == len(task.request(1).tokens)


def row(engine: str, way: str, n: int = 60, task: str = "outlines, text tags", **figures: float):
    return {"engine": engine, "way": way, "task": task, "n": n, **dict.fromkeys(FIGURES, 1.0), **figures}


FIGURES = [target.figure for target in targets.OF_INSTANCES]


def test_targets_are_over_the_better_peer():
    rows = [
        row("xg2lab 1, template", "template", first_cpu_ms_p50=0.1, mask_us_p50=0.8),
        row("xg2lab 1, written out", "written out", first_cpu_ms_p50=3.0),
        row("xg2lab 1, rules", "rules", first_cpu_ms_p50=2.0),
        row("xgrammar 1, rules", "rules", first_cpu_ms_p50=30.0),
        row("llguidance 1, rules", "rules", first_cpu_ms_p50=4.0),
        row("xgrammar 0, older", "older peer", first_cpu_ms_p50=0.001),
    ]
    found = {line["target"]: line for line in targets.table(rows)}
    first = found["arguments to first mask"]
    assert (first["peer"], first["ratio"], first["at_most"], first["is_met"]) == (
        "llguidance 1, rules",
        0.025,
        0.05,
        "yes",
    )
    assert first["written_out_ratio"] == 0.75
    assert (found["masks, p50"]["ratio"], found["masks, p50"]["is_met"]) == (0.8, "no")
    assert (found["text to first mask"]["ratio"], found["text to first mask"]["is_met"]) == (0.5, "yes")


def test_targets_without_instances_are_not_measured():
    rows = [row("xg2lab 1, written out", "written out"), row("llguidance 1, rules", "rules")]
    found = targets.table(rows)
    assert {line["is_met"] for line in found} == {"not measured"}
    assert not any("ratio" in line for line in found)


def test_growth_is_of_instances():
    rows = [
        row("xg2lab 1, " + way, way, n=n, first_cpu_ms_p50=n**power)
        for way, power in (("template", 1.0), ("written out", 2.0))
        for n in (10, 60, 240)
    ]
    found = [line for line in targets.table(rows) if line["figure"] == "slope"]
    assert [(round(line["ratio"], 6), round(line["written_out_ratio"], 6), line["is_met"]) for line in found] == [
        (1.0, 2.0, "yes")
    ]


def test_targets_over_ourselves():
    rows = [
        row("xg2lab 1, template", "template", element_cpu_ms_p50=1.0, offline_cpu_ms_p50=3.0, live_bytes=10.0),
        row("xg2lab 1, written out", "written out", live_bytes=200.0),
    ]
    found = {line["target"]: line for line in targets.table(rows)}
    assert (found["offline over one element"]["ratio"], found["offline over one element"]["is_met"]) == (3.0, "no")
    assert (found["live requests"]["ratio"], found["live requests"]["is_met"]) == (0.05, "yes")


JSON_TASKS = {"Reference-Lookup, EBNF": 60, "Reference-Lookup, schema": 60, "json-mode-eval": 1}
OUTLINES = ("outlines, special tokens", "outlines, text tags", "outlines, text tags, lines")


def rows_of_a_whole_run():
    """A row of each kind that a run has, every figure 1."""
    places = [(task, n, ("rules", "one rule")) for task in OUTLINES for n in outlines.SIZES]
    places += [(task, n, ("rules",) if "EBNF" in task else ("schema",)) for task, n in JSON_TASKS.items()]
    found = []
    for task, n, shapes in places:
        own = {"element_cpu_ms_p50": 1.0, "offline_cpu_ms_p50": 1.0} if task in OUTLINES else {}
        live = {"live_bytes": 1.0} if (task, n) == templates.LIVE else {}
        for way in ("template", "written out", "written out, no shared masks", *shapes):
            found.append(row(f"xg2lab 1, {way}", way, n, task, **(own if way == "template" else {}), **live))
        for peer in ("xgrammar 1", "llguidance 1"):
            found += [row(f"{peer}, {shape}", shape, n, task) for shape in shapes]
    return found


def test_each_line_of_the_targets_is_a_row_with_a_verdict():
    """The bounds are written here as they were set: of outlines, and of the JSON tasks."""
    found = targets.table(rows_of_a_whole_run())
    assert {line["is_met"] for line in found} == {"yes", "no"}
    bounds = {
        "arguments to first mask": (0.05, 0.1),
        "masks, p50": (0.5, 0.5),
        "masks, mean": (0.03, 0.5),
        "masks, p99": (0.03, 0.7),
        "accept, p50": (0.5, 0.5),
    }
    for target, (of_outlines, of_json) in bounds.items():
        lines = [(line["task"], line["n"], line["at_most"]) for line in found if line["target"] == target]
        expected = [(task, n, of_outlines) for task in OUTLINES for n in (10, 60, 240)]
        expected += [(task, n, of_json) for task, n in JSON_TASKS.items()]
        assert sorted(lines) == sorted(expected), target
    of_text = [(line["task"], line["n"], line["at_most"]) for line in found if line["target"] == "text to first mask"]
    shapes = ("rules", "one rule")
    assert sorted(of_text) == sorted((f"{task}, {s}", n, 0.5) for task in OUTLINES for s in shapes for n in (60, 240))
    of_ours = {
        target: [(line["task"], line["at_most"]) for line in found if line["target"] == target]
        for target in ("growth from 10 to 240 sections", "offline over one element", "live requests")
    }
    assert of_ours["growth from 10 to 240 sections"] == [(task, 1.1) for task in OUTLINES]
    assert of_ours["offline over one element"] == [(task, 2.0) for task in OUTLINES for _ in outlines.SIZES]
    assert of_ours["live requests"] == [(templates.LIVE[0], 0.1)]


def test_targets_that_a_run_left_out_are_rows_too():
    left_out = {"offline_cpu_ms_p50", "live_bytes"}
    rows = [
        {name: value for name, value in line.items() if name not in left_out}
        for line in rows_of_a_whole_run()
        if line["n"] != 240
    ]
    left = {line["target"] for line in targets.table(rows) if line["is_met"] == "not measured"}
    assert left == {"growth from 10 to 240 sections", "offline over one element", "live requests"}


def test_claims_without_rows_have_no_figures():
    found = claims.table([])
    assert {line["holds"] for line in found if "brackets" not in line["claim"]} == {"not measured"}
    assert not any("measured" in line for line in found)


def test_claims_divide_what_was_measured():
    rows = [
        row("xg2lab 1, template", "template", first_cpu_ms_p50=0.5, compile_cpu_ms_p50=0.4),
        row("xg2lab 1, rules", "rules", first_cpu_ms_p50=2.0, compile_cpu_ms_p50=2.0),
        row("xgrammar 0.1.18", "older peer", first_cpu_ms=500.0, compile_cpu_ms=4.0),
        *(row("xgrammar 1, rules", "rules", n=n, compile_cpu_ms_p50=float(n)) for n in (10, 60, 240)),
    ]
    found = {line["over"]: line for line in claims.table(rows) if "measured" in line}
    assert found["xgrammar 0.1.18's text over our instance, 60 sections"]["holds"] == "in part"  # 175: 4.0 / 0.4
    first = next(line for line in claims.table(rows) if line["paper"] == 250.0)
    assert (first["measured"], first["holds"]) == (1000.0, "yes")
    exponent = found["exponent of compilation over sections, xgrammar 1, rules"]
    assert (round(exponent["measured"], 6), exponent["holds"]) == (1.0, "no")


def with_model(way: str, runner: str = "transformers", **figures: float):
    """A row of `decoding.py`."""
    names = {"model": "m", "device": "cpu", "task": "outlines, text tags", "runner": runner, "way": way}
    return {**names, **figures}


def overheads(ttft: float, tpot: float, error: float) -> dict[str, float]:
    """What such a row has of a way's overheads."""
    found = {"ttft": ttft, "tpot": tpot}
    return {f"over_free_{name}_ms_p50": value for name, value in found.items()} | {
        f"over_free_{name}_ms_error": error for name in found
    }


def test_overheads_are_over_the_same_model_without_a_grammar():
    rows = [
        with_model("free", ttft_ms_p50=9.0, tpot_ms_p50=9.0),
        with_model("template", **overheads(ttft=0.4, tpot=0.3, error=0.1)),
        with_model("template", "session", **overheads(ttft=99.0, tpot=99.0, error=0.1)),
        with_model("xgrammar", **overheads(ttft=50.0, tpot=1.0, error=0.2)),
    ]
    found = [line for line in claims.table([], rows) if "overhead of" in line["over"]]
    assert [(line["paper"], line["measured"], line["holds"]) for line in found] == [
        (250.0, 100.0, "in part"),
        (2.33, 2.5, "yes"),
    ]


def test_an_overhead_below_its_error_is_taken_for_as_large_as_that():
    rows = [
        with_model("template", **overheads(ttft=-0.3, tpot=-0.3, error=0.25)),
        with_model("xgrammar", **overheads(ttft=50.0, tpot=0.2, error=0.2)),
    ]
    ttft, tpot = (line for line in claims.table([], rows) if "overhead of" in line["over"])
    assert (ttft["measured"], ttft["holds"]) == (200.0, "in part")
    assert ttft["why"].startswith("at least: 50 ms (error 0.2) over -0.3 ms (error 0.25)")
    assert tpot["holds"] == "not measured"
    assert tpot["why"].startswith("the peer's overhead is below its error")


def test_a_size_that_an_older_peer_gave_up_is_said_and_not_compared():
    rows = [
        row("xg2lab 1, template", "template", n=10, first_cpu_ms_p50=0.5),
        row("outlines 0.2.3", "older peer", n=10, first_cpu_ms=500.0, compile_cpu_ms=400.0),
        {"engine": "outlines 0.2.3", "way": "older peer", "task": "outlines, text tags", "n": 60, "failed": "over 9 s"},
    ]
    found = claims.table(rows)
    exponent = next(line for line in found if line["over"].startswith("exponent") and "outlines" in line["over"])
    assert (exponent["holds"], exponent["why"]) == ("not measured", "10 sections 400 ms; 60 sections over 9 s")
    assert any(line.get("measured") == 1000.0 and "10 sections" in line["over"] for line in found)


def test_where_the_peers_time_goes():
    parts = {"read_cpu_ms_p50": 1.0, "one_token_cpu_ms_p50": 2.0}
    rows = [
        row(
            "xgrammar 1, rules",
            "rules",
            n=n,
            **{name: n * one for name, one in parts.items()},
            compile_cpu_ms_p50=8.0 * n,
        )
        for n in (10, 60, 240)
    ]
    line = next(line for line in claims.table(rows) if "where its time goes" in line["over"] and "measured" in line)
    assert line["measured"] == 0.75
    assert line["why"].startswith("10 sections reading 12 %, machines 12 %, masks 75 %; 60 sections")
    assert line["why"].endswith("exponents: reading 1, machines 1, masks 1")


def test_every_claim_says_how_it_is_measured_again():
    for line in claims.table([]):
        is_of_old_peer = "0.1.18" in line["over"] or "0.2.3" in line["over"]
        assert line["command"] == (claims.COMMAND_OF_OLD_PEERS if is_of_old_peer else claims.COMMAND)


# ---- With a model ----


@pytest.fixture(scope="module")
def tiny():
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return decoding.tiny()


def test_all_ways_with_a_model_write_the_same_text(tiny):
    """Each way checks its own text against the reference; rows say how many passes and written tokens that took."""
    task = outlines.outline_task(tiny.words, 2, FORMS[0])
    rows = decoding.measure(tiny, task, decoding.Choice(n_requests=1, n_first=1, n_tokens=24))
    found = {(line["runner"], line["way"], line["jump_forward"]): line for line in rows}
    ours = {(runner, way, jumps) for runner in ("session", "loop") for way in ("template", "text") for jumps in (0, 1)}
    free = {(runner, "free", 0) for runner in ("session", "loop", "transformers")}
    others = {("session", "unconstrained", 0), ("transformers", "template", 0), ("transformers", "text", 0)}
    assert set(found) - {("transformers", "xgrammar", 0)} == ours | free | others
    for (runner, way, jumps), line in found.items():
        assert line["device"] == "cpu"
        assert line["n_tokens"] >= 24
        assert (line["written_percent"] > 50) == bool(jumps)  # ids and tags outweigh the few tokens of a title
        assert ("over_free_tpot_ms_p50" in line) == (way != "free")
        if runner == "loop" and jumps:
            assert line["n_passes"] < line["n_tokens"] / 2
        if runner != "session" and not jumps:
            assert line["n_passes"] == line["n_tokens"]


def test_another_text_is_not_timed(tiny):
    request = outlines.outline_task(tiny.words, 2, FORMS[0]).request(1)
    wishes = decoding.Wishes(tiny.words, request, 8)
    wishes.check("it", request.tokens[:8])
    assert [wishes.next(request.tokens[:n]) for n in range(8)] == request.tokens[:8]
    with pytest.raises(RuntimeError, match=r"it wrote .* not the reference text"):
        wishes.check("it", request.tokens[1:8])


def test_a_run_keeps_rows_with_a_model_in_a_table_of_their_own():
    rows = [row("xg2lab 1, template", "template"), with_model("free")]
    found = templates.tables(rows)
    assert found["templates"] == rows[:1]
    assert found["templates_decoding"] == rows[1:]
    assert "templates_decoding" not in templates.tables(rows[:1])


# ---- The record and the notebook ----


def claims_cell() -> str:
    """The cell of the notebook that shows the claims."""
    cells = json.loads((ROOT / "notebooks" / "04_templates.ipynb").read_text(encoding="utf-8"))["cells"]
    (found,) = ["".join(cell["source"]) for cell in cells if "templates_claims.csv" in "".join(cell["source"])]
    return found


def shown_by_the_notebook(folder: Path, monkeypatch, capsys) -> str:
    """What that cell prints beside a folder's `benchmarks/record`."""
    (folder / "notebooks").mkdir(exist_ok=True)
    monkeypatch.chdir(folder / "notebooks")
    exec(compile(claims_cell(), "04_templates.ipynb", "exec"), {})
    return capsys.readouterr().out


def test_the_notebook_shows_what_the_last_run_recorded(tmp_path, monkeypatch, capsys):
    """Every row of the last run with its figure, its verdict and why: the notebook has no figures of its own."""
    assert not re.search(r"\d\.\d", claims_cell())
    folder = tmp_path / "benchmarks" / "record"
    folder.mkdir(parents=True)
    assert "python -m benchmarks templates" in shown_by_the_notebook(tmp_path, monkeypatch, capsys)
    for date, ours in (("2001-01-01 00:00", 0.777), ("2002-02-02 00:00", 0.5)):
        rows = [
            row("xg2lab 1, template", "template", first_cpu_ms_p50=ours),
            row("xgrammar 1, rules", "rules", first_cpu_ms_p50=500.0),
        ]
        path = record.append("templates_claims", claims.table(rows), folder)
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"^(?!200[12])[\d-]{10} [\d:]{5}", date, text, flags=re.MULTILINE), encoding="utf-8")
    printed = shown_by_the_notebook(tmp_path, monkeypatch, capsys)
    kept = [
        line
        for line in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        if line["date"] == "2002-02-02 00:00"
    ]
    assert [line["claim"] for line in kept] == [line["claim"] for line in claims.table([])]
    for line in kept:
        assert line["claim"] in printed
        assert f"{line['holds']:18} {line['measured']:>6}  {line['over']}\n{'':28}{line['why']}\n" in printed
    assert "644" not in printed  # 500 over 0.777, of the run before
    assert kept[0]["machine"] in printed


def test_the_record_has_each_claim_and_the_notebook_shows_it(monkeypatch, capsys):
    path = record.HERE / "record" / "templates_claims.csv"
    if not path.exists():
        pytest.skip("`python -m benchmarks templates` was not recorded")
    monkeypatch.chdir(ROOT / "notebooks")
    exec(compile(claims_cell(), "04_templates.ipynb", "exec"), {})
    printed = capsys.readouterr().out
    kept = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    last = [line for line in kept if line["date"] == kept[-1]["date"]]
    assert {line["claim"] for line in last} == {line["claim"] for line in claims.table([])}
    for line in last:
        assert line["over"] in printed
        assert line["why"] in printed
        assert line["command"]


def test_what_is_computed_from_rows_is_shown_after_them(monkeypatch, capsys):
    rows = [row("xg2lab 1, template", "template"), row("llguidance 1, rules", "rules")]
    monkeypatch.setattr(templates, "run", lambda: rows)
    monkeypatch.setattr("sys.argv", ["benchmarks", "templates", "--no-record"])
    benchmarks.__main__.main()
    printed = capsys.readouterr().out
    titles = ["templates: Templates (WGrammar)", "templates_targets", "templates_claims", "who is ahead"]
    assert sorted(titles, key=printed.index) == titles


def test_the_brackets_of_table_1_do_not_follow():
    found = next(line for line in claims.table([]) if "brackets" in line["claim"])
    assert found["holds"] == "no"
    assert found["why"] == (
        "XGrammar: 23.1, printed 25; WGrammar (online): 29.4, printed 32; WGrammar: 30.7, printed 34; all three follow "
        "from 22.3 to 22.8 ms; brackets of other rows that don't follow: none"
    )


def test_reference_lookup_is_slower_with_a_template_in_table_1():
    found = [line for line in claims.table([]) if "slower with a template" in line["claim"]]
    (text,) = {line["claim"] for line in found}
    assert text.endswith("than without (Table 1: TTFT 4.70 and 4.17 ms, TPOT 0.50 and 0.42 ms)")
    assert all(line["paper"] < 1 for line in found)


@pytest.mark.parametrize("peer", old_peers.OLD_PEERS, ids=lambda peer: peer.name)
def test_older_peers_take_the_same_outline(peer):
    """Outlines' regular expression matches the reference text; XGrammar's EBNF is the task's own."""
    text, tokens = old_peers.request(peer, WORDS, 10, 1)
    task = outlines.outline_task(WORDS, 10, FORMS[0]).request(1)
    assert tokens == task.tokens
    if peer.package == "outlines":
        assert re.fullmatch(text, b"".join(WORDS.tokens[token] for token in tokens).decode())
        assert not re.fullmatch(text, "<section>")
    else:
        assert text == task.grammars["rules"].ebnf


def test_an_older_peer_without_an_environment_is_left_out(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("XG2LAB_OLD_PEERS", str(tmp_path))
    assert old_peers.rows(WORDS) == []
    assert capsys.readouterr().out.count("left out") == len(old_peers.OLD_PEERS)


@pytest.mark.parametrize(
    "module", [claims, decoding, json_mode_eval, spelling, tasks], ids=lambda module: module.__name__
)
def test_examples_are_right(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_live_requests_are_weighed():
    task = outlines.outline_task(WORDS, 10, FORMS[0])
    found = live.figures(Xg2Lab, ways.written_out, task, n_live=20)
    assert found["n_live"] == 20
    assert found["counted_bytes"] > 1000


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_parsers_read_a_text_in_runs_between_special_tokens(form: Form):
    task = outlines.outline_task(WORDS, 2, form)
    request = task.request(0)
    pieces = transitions.pieces_of(WORDS, request.tokens)
    assert len(pieces) == (12 if form.special else 1)  # a section: its tag, title and text, each before a mark
    texts = [piece if isinstance(piece, bytes) else WORDS.tokens[piece] for piece in pieces]
    assert b"".join(texts) == b"".join(WORDS.tokens[token] for token in request.tokens)
    rows = transitions.rows(Xg2Lab(WORDS), task)
    assert [line["way"] for line in rows] == [f"accepted by {parser}" for parser in transitions.PARSERS]
    assert all(line["warm_ns_per_byte"] > 0 for line in rows)


def test_only_ways_of_requests_are_weighed(monkeypatch):
    task = outlines.outline_task(WORDS, 2, FORMS[0])
    monkeypatch.setattr(live, "figures", lambda *_: {"live_bytes": 1.0})
    ours = Xg2Lab(WORDS).name
    rows = [
        row(f"{ours}, {way}", way, 2, task.name)
        for way in ("template", "written out", "written out, no shared masks", "rules", "accepted by earley")
    ]
    rows += [row("older 0, older peer", "older peer", 2, task.name), row(f"{ours}, rules", "rules", 3, task.name)]
    found = templates.with_memory(rows, task, links=True)
    assert [line["way"] for line in found] == [line["way"] for line in rows]
    assert [line["way"] for line in found if "live_bytes" in line] == ["template", "written out", "rules"]


def test_a_group_has_a_row_for_each_way(capsys):
    task = outlines.outline_task(WORDS, 2, FORMS[0])
    rows = templates.measure_group([task], n_requests=2, n_walked=2, links=False)
    ours = [line["way"] for line in rows if line["engine"].startswith("xg2lab")]
    assert ours == ["written out", "written out, no shared masks", "rules", "one rule"]
    assert rows[0]["element_cpu_ms_p50"] > 0
    assert all(line["n_tokens"] == len(task.request(1).tokens) for line in rows)
    capsys.readouterr()
