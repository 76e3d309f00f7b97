"""What a page is told of a pad: its state with every change, the last good grammar when there is another.

>>> from xg2lab.lab.pad import Pad
>>> pad = Pad("root ::= yes", examples=["yes"]).wait()
>>> state = wire_state(pad)
>>> state["findings"][0]["code"], state["good_revision"], state["rows"][0]["text"]
('undefined_rule', -1, 'yes')

Mirror of widgets/src/editor/pad_wire.ts. Spans count bytes of the text; a railroad's, where `is_source` says so.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from xg2lab.errors import Diagnostic
from xg2lab.lab.bench import BenchRow
from xg2lab.lab.drafts import Good, fix_of
from xg2lab.lab.pad import Pad

__all__ = ["wire_good", "wire_row", "wire_state"]

MOST_ROWS = 2000  # examples that a page is sent; the rest are counted


def wire_state(pad: Pad) -> dict[str, Any]:
    """Text, findings, keywords and verdicts as JSON values."""
    state, rows = pad.state, pad.bench.rows
    draft = state.draft
    return {
        "text": state.text,
        "kind": state.kind,
        "on_unsupported": state.on_unsupported,
        "revision": state.revision,
        "status": state.status,
        "draft_revision": state.draft_revision,
        "good_revision": state.good_revision,
        "findings": [] if draft is None else [_finding(finding, draft.text) for finding in draft.findings],
        "keywords": [] if draft is None else [asdict(keyword) for keyword in draft.keywords],
        "rows": [wire_row(row) for row in rows[:MOST_ROWS]],
        "n_rows": len(rows),
        "has_session": pad.session is not None,
        "is_applied": pad.is_applied,
    }


def _finding(finding: Diagnostic, text: str) -> dict[str, Any]:
    fix = fix_of(finding, text)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "hint": finding.hint,
        "span": list(finding.span),
        "line": finding.line,
        "column": finding.column,
        "pointer": finding.pointer,
        "fix": None if fix is None else {"title": fix.title, "text": fix.text},
    }


def wire_row(row: BenchRow) -> dict[str, Any]:
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


def wire_good(good: Good, revision: int) -> dict[str, Any]:
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
                "track": rule.track,
            }
            for rule in good.rules
        ],
    }
