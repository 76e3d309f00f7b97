"""The messages to a page about a pad: its state with every change, and each new good grammar.

>>> from xg2lab.lab.pad.pad import Pad
>>> pad = Pad("root ::= yes", examples=["yes"]).wait()
>>> state = wire_state(pad)
>>> state["findings"][0]["code"], state["good_revision"], state["rows"][0]["text"]
('undefined_rule', -1, 'yes')

`xg2lab.lab.schema.page` describes the records. Spans count bytes of the text; a railroad's, where `is_source` says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from xg2lab.editing.records import Completion, Edit
from xg2lab.errors import Diagnostic
from xg2lab.lab.pad.bench import BenchRow
from xg2lab.lab.pad.drafts import Draft, Good, fix_of
from xg2lab.lab.pad.help import Samples
from xg2lab.lab.pad.pad import Pad, PadState
from xg2lab.lab.pad.template_drafts import skeleton

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.schema.page import PadStatus
    from xg2lab.sources.json_schema import OnUnsupported

__all__ = ["wire_edits", "wire_good", "wire_row", "wire_samples", "wire_state", "wire_word"]

MOST_ROWS = 2000  # examples that a page is sent; the rest are counted


def wire_state(pad: Pad, error: schema.WireError | None = None) -> schema.PadState:
    """Text, findings, keywords and verdicts as JSON values; `error` is that of the last command."""
    state, rows = pad.state, pad.bench.rows
    draft = state.draft
    return {
        "text": state.text,
        "kind": cast("schema.PadKind", state.kind),
        "on_unsupported": cast("OnUnsupported", state.on_unsupported),
        "revision": state.revision,
        "status": cast("PadStatus", state.status),
        "draft_revision": state.draft_revision,
        "good_revision": state.good_revision,
        "findings": [] if draft is None else _findings(draft),
        "arguments": _arguments(state) if state.is_template else None,
        "keywords": [] if draft is None else [cast("schema.Keyword", asdict(one)) for one in draft.keywords],
        "rows": [wire_row(row) for row in rows[:MOST_ROWS]],
        "n_rows": len(rows),
        "has_session": pad.session is not None,
        "is_applied": pad.is_applied,
        "error": error,
    }


def _findings(draft: Draft) -> list[schema.Finding]:
    """What is wrong with a text. Mistakes of a template's arguments are marked; they stand where it asks for them."""
    of_text = [_finding(finding, draft.text) for finding in draft.findings]
    if draft.read is None:
        return of_text
    of_arguments: list[schema.Finding] = [
        {**_finding(finding, draft.text), "of_arguments": True} for finding in draft.read.issues
    ]
    return sorted([*of_text, *of_arguments], key=lambda finding: tuple(finding["span"]))


def _arguments(state: PadState) -> schema.PadArguments:
    """The text of the arguments, what is wrong in it, and arguments to begin with. Hints are about the template."""
    read = None if state.draft is None else state.draft.read
    places = () if read is None else read.places
    begin = "" if read is None or read.template is None else json.dumps(skeleton(read.template), indent=2)
    findings: list[schema.Finding] = [{**_finding(one, state.arguments), "fix": None} for one in places]
    return {"text": state.arguments, "findings": findings, "skeleton": begin}


def _finding(finding: Diagnostic, text: str) -> schema.Finding:
    fix = fix_of(finding, text)
    return {
        "code": finding.code,
        "severity": cast("schema.Severity", finding.severity),
        "message": finding.message,
        "hint": finding.hint,
        "span": list(finding.span),
        "line": finding.line,
        "column": finding.column,
        "pointer": finding.pointer,
        "fix": None if fix is None else {"title": fix.title, "text": fix.text},
    }


def wire_row(row: BenchRow) -> schema.BenchRow:
    """An example with its verdict."""
    check = row.check
    return {
        "row_id": row.row_id,
        "text": row.example.text,
        "should_match": row.example.should_match,
        "origin": row.example.origin,
        "verdict": None if check is None else check.verdict,
        "agrees": row.agrees,
        "died_at": None if check is None else check.died_at,
        "expected": "" if check is None else check.expected_text,
        "for_example": check.continuations[0] if check is not None and check.continuations else "",
        "rule": "" if check is None else check.rule,
        "line": None if check is None else check.line,
        "judged_by": row.judged_by,
        "us": row.us,
    }


def wire_word(word: Completion) -> schema.TextWord:
    """A word that may be inserted."""
    return {
        "label": word.label,
        "insert": word.insert,
        "kind": word.kind,
        "detail": word.detail,
        "doc": word.doc,
        "span": list(word.span),
        "is_snippet": word.is_snippet,
    }


def wire_edits(edits: Iterable[Edit]) -> list[schema.TextEdit]:
    """Changes of a text."""
    return [{"span": list(edit.span), "text": edit.text} for edit in edits]


def wire_samples(samples: Samples) -> schema.SamplesReply:
    """Members of the last good grammar, and a text that is nearly one."""
    near = samples.near
    return {
        "revision": samples.revision,
        "members": list(samples.members),
        "shortest": samples.shortest,
        "uses": samples.uses,
        "near": None if near is None else near.text,
        "near_edit": "" if near is None else near.edit,
        "near_died_at": None if near is None else near.died_at,
        "near_expected": "" if near is None else near.expected,
        "note": samples.note,
    }


def wire_good(good: Good, revision: int) -> schema.Good:
    """The last text that was a grammar, and what was made of it."""
    return {
        "revision": revision,
        "text": good.text,
        "is_source": good.grammar.source == good.text,
        "n_states": good.n_states,
        "ms": good.ms,
        "lowered": good.lowered,
        "passes": [{"name": one.name, "shown": one.shown} for one in good.passes],
        "rules": [
            {
                "name": rule.name,
                "span": list(rule.span),
                "name_span": list(rule.name_span),
                "body": rule.body,
                "n_uses": rule.n_uses,
                "track": cast("schema.Track | None", rule.track),
            }
            for rule in good.rules
        ],
    }
