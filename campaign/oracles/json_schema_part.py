"""`oracle_json_schema`: schemas of MaskBench and by lot against the package jsonschema with exact numbers.

A unit is a schema under options that its seed draws. Three kinds of texts are judged by both:

- texts that end a walk through the masks of a real vocabulary: they have to be valid;
- instances (MaskBench's, by lot, and changes of those) as `json.dumps` writes them: the valid ones are accepted;
- the values of walked texts, one thing changed, in the order in which the names stood.
"""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import Any

import xg2lab as xgr
from benchmarks.json_schema.cases import maskbench
from benchmarks.texts import DATA
from campaign.oracles.classes import FINDING, Disagreement, Tally
from campaign.oracles.earley_part import missing
from campaign.oracles.schemas import (
    DRAFTS,
    Judge,
    NoVerdictError,
    exact,
    has_duplicates,
    mutated,
    random_schema,
    random_value,
    respelled,
)
from campaign.oracles.texts import Verdicts
from campaign.oracles.vocabularies import Words, real_names, real_words
from campaign.part import Done, Run
from xg2lab.errors import GrammarError, LimitError, UnsupportedError, Xg2LabError

__all__ = ["OracleJsonSchema"]

N_RANDOM = 20_000
N_WALKS, N_VALUES = 4, 24
CLOSING = b'"}],'


@cache
def _real() -> list[Any]:
    return maskbench() if (DATA / "maskbench" / "dev.jsonl.xz").exists() else []


@cache
def n_schemas() -> int:
    """How many schemas MaskBench has here: lines, which need not be read for that."""
    path = DATA / "maskbench" / "dev.jsonl.xz"
    return lzma.decompress(path.read_bytes()).count(b"\n") if path.exists() else 0


class OracleJsonSchema:
    """Each unit is a schema."""

    title = "verdicts against the package jsonschema with exact numbers"

    def __init__(self) -> None:
        self._vocabularies: list[Words] = []

    def prepare(self, run: Run) -> str | None:
        del run
        if (why := missing("jsonschema", "regex")) is not None:
            return why
        self._vocabularies = [real_words(name) for name in real_names()]
        return None if self._vocabularies else "no real vocabulary is here: neither the data folder nor a package"

    def units(self, run: Run) -> Iterable[str]:
        """Real schemas in the order that the seed draws, one by lot after each."""
        n_real = n_schemas()
        order = random.Random(f"{run.seed}/schemas").sample(range(n_real), n_real)
        for i in range(max(N_RANDOM, n_real)):
            if i < n_real:
                yield f"real {order[i]}"
            if i < N_RANDOM:
                yield f"by lot {i}"

    def do(self, run: Run, unit: str) -> Done:
        rng = random.Random(f"{run.seed}/{unit}")
        kind, _, number = unit.rpartition(" ")
        words = rng.choice(self._vocabularies)
        if kind != "real":
            return self.hold(unit, json.dumps(random_schema(rng)), [], words, rng)
        case = _real()[int(number)]
        return self.hold(f"{unit} {case.name}", json.dumps(case.schema), list(case.texts), words, rng)

    def hold(self, unit: str, source: str, texts: list[str], words: Words, rng: random.Random) -> Done:
        """One schema, given as JSON text, and instances of it as `json.dumps` writes them."""
        options: dict[str, Any] = {
            "strict_mode": rng.random() < 0.4,
            "number_form": rng.choice(["any", "any", "plain"]),
        }
        return _Case(unit, source, words, rng, options).held(texts)


class _Case:
    """One schema under one set of options."""

    def __init__(self, unit: str, source: str, words: Words, rng: random.Random, options: dict[str, Any]) -> None:
        self.unit, self.source, self.words, self.rng, self.options = unit, source, words, rng, options
        self.tally = Tally("oracle_json_schema")
        self._engines: dict[str, Verdicts | None] = {}
        self._judges: dict[str, Judge] = {}

    def held(self, texts: list[str]) -> Done:
        rng = self.rng
        try:
            schema = exact(self.source)
            judge = self._judges[""] = Judge(schema)
        except (NoVerdictError, ValueError, TypeError, AttributeError) as error:
            return self.tally.done({"no_verdict": 1, f"no_verdict[{type(error).__name__}]": 1})
        values = [json.loads(text) for text in texts]
        values += [mutated(rng.choice(values), rng) for _ in values]
        values += [random_value(rng) for _ in range(max(0, N_VALUES - len(values)))]
        try:
            engine = self._engine()
        except (UnsupportedError, LimitError) as refused:
            code = refused.diagnostics[0].code if refused.diagnostics else type(refused).__name__
            return self.tally.done({"refused": 1, f"refused[{code}]": 1})
        except GrammarError as refused:
            if refused.diagnostics and refused.diagnostics[0].code == "circular_reference":
                return self.tally.done({"refused": 1, "refused[circular_reference]": 1})  # by itself, it says nothing
            self._hold_empty(judge, values, refused)
            return self.tally.done({"schemas": 1, "empty": 1})
        try:
            for _ in range(N_WALKS):
                text = engine.ended(b"", rng, 400, eager=0.8, closing=CLOSING)
                if text is None:
                    continue
                self._hold(judge, text, ours=True, kind="walks")
                values += [mutated(json.loads(text), rng) for _ in range(2)]
            for value in values:
                text = _written(value)
                if text is not None:
                    self._hold(judge, text, ours=engine.accepts(text.encode()), kind="instances")
        except LimitError:
            self.tally.counts["refused[LimitError at a step]"] += 1
        return self.tally.done({"schemas": 1})

    def _engine(self, **changed: Any) -> Verdicts:
        options = self.options | changed
        key = repr(options)
        if key not in self._engines:
            self._engines[key] = None
            self._engines[key] = Verdicts(xgr.Grammar.from_json_schema(self.source, **options), self.words)
        found = self._engines[key]
        if found is None:
            raise UnsupportedError("refused before")
        return found

    def _hold_empty(self, judge: Judge, values: list[Any], refused: Xg2LabError) -> None:
        for value in values:
            text = _written(value)
            if text is not None:
                self._hold(judge, text, ours=False, kind="instances", detail=str(refused)[:100])

    def _hold(self, judge: Judge, text: str, *, ours: bool, kind: str, detail: str = "") -> None:
        try:
            right = judge.is_valid(exact(text))
        except NoVerdictError:
            self.tally.counts["no_verdict_on_a_text"] += 1
            return
        self.tally.counts[kind] += 1
        self.tally.counts["valid" if right else "invalid"] += 1
        if ours != right:
            verdict = "accepts" if ours else "refuses"
            name = self._sorted(text, ours=ours)
            about = f"{self.options} {judge.draft} {detail}"
            self.tally.disagree(Disagreement(self.unit, self.source, verdict, text.encode(), detail=about), name)

    def _sorted(self, text: str, *, ours: bool) -> str:
        """The class of a disagreement: which switch of ours, or which reading of theirs, makes both agree."""
        if ours and has_duplicates(text):
            return "duplicate_names"
        if not ours:
            switches = {
                "format_asserted": {"check_formats": False},
                "plain_numbers": {"number_form": "any"},
                "declared_order": {"any_order": True},
                "closed_objects": {"strict_mode": False},
                "several_switches": {"check_formats": False, "number_form": "any", "strict_mode": False},
            }
            for name, changed in switches.items():
                is_of_objects = name in ("declared_order", "closed_objects")
                if (not is_of_objects or "{" in text) and self._accepts(text, **changed):
                    return name
            if respelled(text) != text and self._accepts(respelled(text), **switches["several_switches"]):
                return "number_spelling"
        if not ours and self._agrees(text, "", by_value=True, ours=ours):
            return "integers_by_value"
        if "$schema" not in self.source and any(self._agrees(text, draft, ours=ours) for draft in DRAFTS[1:]):
            return "draft_by_form"
        return FINDING

    def _agrees(self, text: str, draft: str, *, ours: bool, by_value: bool = False) -> bool:
        try:
            return Judge(exact(self.source), draft, by_value=by_value).is_valid(exact(text)) == ours
        except (NoVerdictError, ValueError, TypeError, AttributeError):
            return False

    def _accepts(self, text: str, **changed: Any) -> bool:
        try:
            return self._engine(**changed).accepts(text.encode())
        except Xg2LabError:
            return False


def _written(value: Any) -> str | None:
    """As programs write it; None for what is no UTF-8 or no JSON (infinite numbers)."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_as_float)
        text.encode()
    except (ValueError, UnicodeEncodeError):
        return None
    return text


def _as_float(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError
