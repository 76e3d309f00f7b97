"""Why a token may or may not come, as the text of an issue: the facts, and a few lines that show the same elsewhere.

>>> from xg2lab.lab.trace.issue import range_text
>>> range_text([(0x20, 0x21), (0x23, 0x5B), (0x0A, 0x0A)])
'0A 20-21 23-5B'

IDEA
  A pure function of what a trace has recorded, so that a saved trace can be reported without its engine or model. A
  page without a kernel finds the text in its replay (xg2lab/widgets/page_trace.py).

The snippet needs xg2lab alone: a vocabulary of the token in question and a stop token, since a verdict on one token
does not depend on which others there are. But a grammar with token edges speaks of the ids of one tokenizer, so its
snippet leaves a line for that.
See also `Session.issue_text`.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from xg2lab.lab.trace.edges import edges_from, has_token_edges
from xg2lab.options import EngineOptions

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.support.json_text import Json

__all__ = [
    "MissingEdge",
    "expected_by",
    "issue_text",
    "literal",
    "matcher_lines",
    "missing_edges",
    "range_text",
    "slot_name",
    "versions",
]

TAIL_BYTES = 60  # of the output so far, in the text; the snippet has all of it
MOST_EDGES = 6


class MissingEdge(NamedTuple):
    """A state that could have read a byte, and the bytes it has edges for."""

    state: int
    name: str
    ranges: tuple[tuple[int, int], ...]


def expected_by(why: schema.Explanation) -> list[schema.ExpectedBy]:
    """The items that something was expected by, a byte or a token, each once."""
    items: list[schema.ExpectedBy] = [*why["expected_by"], *why.get("expected_tokens", [])]
    return list({(item["state"], item["origin"]): item for item in reversed(items)}.values())[::-1]


def missing_edges(program: schema.Program, why: schema.Explanation) -> list[MissingEdge]:
    """For a byte that died: each state that stood there and reads bytes, innermost first, with those bytes."""
    if why["died_at"] is None:
        return []
    items = sorted(why["expected_by"], key=lambda item: -item["origin"])
    states = list(dict.fromkeys(item["state"] for item in items))
    return [MissingEdge(state, state_name(program, state), _merged(_bytes_from(program, state))) for state in states]


def _bytes_from(program: schema.Program, state: int) -> list[Sequence[int]]:
    return [each for edge in edges_from(program, state) if edge["kind"] == "bytes" for each in edge["ranges"]]


def _merged(ranges: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    out: list[tuple[int, int]] = []
    for lo, hi in sorted((int(lo), int(hi)) for lo, hi in ranges):
        if out and lo <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(hi, out[-1][1]))
        else:
            out.append((lo, hi))
    return tuple(out)


def range_text(ranges: Iterable[Sequence[int]]) -> str:
    """Ranges of bytes in hexadecimal, in order."""
    return " ".join(f"{lo:02X}" if lo == hi else f"{lo:02X}-{hi:02X}" for lo, hi in _merged(ranges))


def state_name(program: schema.Program, state: int) -> str:
    """A state as the views say it: its rule, and its number within the rule."""
    rule = program["rules"][program["states"][state]["rule"]]
    return f"{rule['name']}·{state - rule['states'][0]}"


def slot_name(pointer: str) -> str:
    """The slot that an argument fills, by its JSON Pointer: the last name in it, as numbers count elements.

    >>> slot_name("/sections/3/id"), slot_name("/names/0")
    ('$id', '$names')
    """
    names = [part for part in pointer.split("/")[1:] if not part.isdigit()]
    return "$" + names[-1].replace("~1", "/").replace("~0", "~") if names else "$"


def versions(header: schema.Header) -> str:
    """What this was seen with."""
    import xg2lab

    system = (
        f"xg2lab {xg2lab.__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    return f"{system}; {_model_text(header)}"


def _model_text(header: schema.Header) -> str:
    model = header["model"]
    name = f"model {model['name']} ({model['device']}, {model['dtype']})" if model else "no model"
    return f"{name}, {header['vocab_size']} tokens"


def issue_text(
    header: schema.Header,
    program: schema.Program,
    step: schema.Step,
    taken: Sequence[tuple[int, bytes]],
    why: schema.Explanation,
    seen: str,
) -> str:
    """The text, in Markdown.

    Parameters: the trace's `header` and `program`; the `step` asked about, as on the wire; `taken`, all tokens before
    it, each with its bytes in the output; `why`, what `Session.explain` says; `seen`, a line of versions.
    """
    output = b"".join(data for _, data in taken)
    token = why["token_id"]
    data = bytes.fromhex(why["bytes"])
    subject = f"token {token} {data!r}" if token is not None else f"{data!r}, typed,"
    verdict = "allowed" if why["allowed"] else "blocked"
    p = next((c[2] for c in step["top"] if c[0] == token and c[2] is not None), None)
    lines = [
        f"## Why is {subject} {verdict}?",
        "",
        why["reason"],
        "",
        f"- asked: {data.hex(' ').upper() or 'no bytes'}" + (f", p {p:.4f}" if p is not None else ""),
        f"- step: {step['index']}, at byte {step['byte_begin']} of the output",
        f"- output so far: {'… ' if len(output) > TAIL_BYTES else ''}{output[-TAIL_BYTES:]!r}",
        f"- mechanism: {why['mechanism']}"
        + (f", in {state_name(program, why['entry']['state'])}" if why["entry"] else ""),
    ]
    died = why["died_at"]
    if died is not None:
        lines.append(f"- died at: byte {step['byte_begin'] + died}, {data[died]:02X}, {died + 1} of {len(data)} asked")
    if why["expected_text"]:
        ranges = f", bytes {range_text(why['expected'])}" if why["expected"] else ""
        lines.append(f"- expected: {why['expected_text']}{ranges}")
    for item in expected_by(why)[:MOST_EDGES]:
        dotted = f"{item['rule_name']} -> {item['before']} • {item['after']}"
        lines.append(f"- expected by: `{dotted}`, from byte {item['origin']}")
        if "line" in item and "column" in item:  # what every schema has, whitespace say, has no place in its text
            lines.append(f"  line {item['line']}:{item['column']}: `{item.get('line_text', '').strip()}`")
        if "argument" in item:
            lines.append(f"  slot `{slot_name(item['argument'])}`, argument {item['argument']}")
    lines += [
        f"- {edge.name} has edges [{range_text(edge.ranges)}] and none for {data[died or 0]:02X}"
        for edge in missing_edges(program, why)[:MOST_EDGES]
    ]
    before = [token for token, _ in taken] if has_token_edges(program) else output
    shown = snippet(header, before, why)
    return "\n".join([*lines, f"- seen with: {seen}", "", "```python", shown, "```", ""])


def snippet(header: schema.Header, output: bytes | list[int], why: schema.Explanation) -> str:
    """Lines that run with xg2lab alone and check that it says the same: mechanism, verdict, the byte it died at.

    `output`: bytes, or the ids of tokens where the grammar names such; then the reader has to fill in the tokenizer.
    """
    data = bytes.fromhex(why["bytes"])
    tokens, facts, asked = {
        "stop_legal": ([data or b"</s>"], "stop_token_ids=[0]", "0"),
        "stop_not_legal": ([data or b"</s>"], "stop_token_ids=[0]", "0"),
        "special_token": ([data or b"<s>", b"</s>"], "stop_token_ids=[1], special_token_ids=[0]", "0"),
        "padding": ([b"</s>"], "stop_token_ids=[0], vocab_size=2", "1"),
    }.get(
        why["mechanism"],
        ([data, b"</s>"], "stop_token_ids=[1]", "0" if why["token_id"] is not None else f"data={data!r}"),
    )
    info, accept = f"xgr.TokenizerInfo({tokens!r}, {facts})", f"matcher.accept_string({output!r})"
    if why["mechanism"] == "terminated":
        accept += " and matcher.accept_token(1)"
    if isinstance(output, list):
        info = f"...  # that of the tokenizer: {header['vocab_size']} tokens"
        accept = f"all(matcher.accept_token(token) for token in {output!r})"
        asked = str(why["token_id"]) if why["token_id"] is not None else asked
    return "\n".join([
        "import xg2lab as xgr",
        "",
        *matcher_lines(header, info),
        f"assert {accept}",
        "",
        f"why = matcher.explain({asked})",
        'print(why["mechanism"], why["reason"])',
        f"assert why[\"mechanism\"] == {why['mechanism']!r}, why",
        f"assert (why[\"allowed\"], why[\"died_at\"]) == ({why['allowed']!r}, {why['died_at']!r}), why",
    ])  # fmt: skip


def matcher_lines(header: schema.Header, info: str) -> list[str]:
    """Lines that make `matcher` of a trace's grammar and options; `info` is the source of the vocabulary."""
    usual = _usual_options()
    changed = ", ".join(f"{k}={v!r}" for k, v in header["options"].items() if k in usual and usual[k] != v)
    root, grammar = header["grammar"]["root"], header["grammar"]
    made = [
        f"info = {info}",
        f"compiler = xgr.GrammarCompiler(info{f', options=xgr.EngineOptions({changed})' if changed else ''})",
    ]
    template = header.get("template")
    if template is not None:
        return [*template_lines(template, made), "matcher = xgr.GrammarMatcher(compiled)"]
    return [
        f"grammar = {literal(grammar.get('written_out', grammar['text']))}",
        *made,
        f"compiled = compiler.compile_grammar(grammar{'' if root == 'root' else f', root_rule_name={root!r}'})",
        "matcher = xgr.GrammarMatcher(compiled)",
    ]


@cache
def _usual_options() -> dict[str, Any]:
    return asdict(EngineOptions())


def template_lines(template: schema.TemplateFacts, compiler: list[str]) -> list[str]:
    """Lines that make `compiled`, an instance of the trace's template with its arguments."""
    named = ({"root_rule_name": template["root"]} if template["root"] != "root" else {}) | template["options"]
    values = {name: python_value(value) for name, value in named.items()}
    if "encode" in values:
        values["encode"] += ".__getitem__"  # all texts are known
    options = "".join(f", {name}={value}" for name, value in values.items())
    arguments = ", ".join(f"{python_value(n)}: {python_value(v)}" for n, v in template["arguments"].items())
    return [
        f"text = {literal(template['text'])}",
        f"template = xgr.Template.from_{template['kind']}(text{options})",
        f"arguments = {{{arguments}}}",
        *compiler,
        "compiled = compiler.compile_template(template).instantiate(**arguments)",
    ]


def python_value(value: Json) -> str:
    """An argument, as a trace holds it (`xg2lab.lab.session.instances`), as Python source.

    >>> python_value({"a": [True, {"$bytes": "ff"}, {"$value": {"$b": None}}]})
    '{"a": [True, bytes.fromhex("ff"), {"$b": None}]}'
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(python_value, value))}]"
    if not isinstance(value, dict):
        return repr(value)
    members = value
    if "$bytes" in members:
        return f"bytes.fromhex({python_value(members['$bytes'])})"
    if "$grammar" in members:
        text, root = python_value(members["$grammar"]), python_value(members["root"])
        return f"xgr.Grammar.from_ebnf({text}, root_rule_name={root})"
    inner = members.get("$value", members)
    members = inner if isinstance(inner, dict) else members
    return f"{{{', '.join(f'{python_value(name)}: {python_value(v)}' for name, v in members.items())}}}"


def literal(text: str) -> str:
    """A grammar as Python source, as it is written wherever Python allows that."""
    for quotes in ("'''", '"""'):
        if quotes not in text and not text.endswith((quotes[0], "\\")) and not any(c in text for c in "\r\0"):
            return f"r{quotes}{text}{quotes}"
    return json.dumps(text, ensure_ascii=False)
