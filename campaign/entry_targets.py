"""The Python entry points that are fuzzed, each a function of bytes, and inputs to start from.

>>> sorted(TARGETS)[:3]
['answers', 'compiled', 'compiled_templates']
>>> run("options", b'{"max_stacks": -1}')  # a refusal is no finding

What a target may raise is `REFUSALS`, and what its own docstring promises. Values are made of JSON, or of bytes by a
`Draw`, so that an input which was found can be read.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import xg2lab as xgr
from xg2lab.builtin_structural_tag import get_model_structural_tag
from xg2lab.compiling.serialization import checksum_of
from xg2lab.errors import Xg2LabError
from xg2lab.tool_calls.formats import MODEL_FORMATS

__all__ = ["REFUSALS", "TARGETS", "Draw", "has_front_end", "run", "seeds"]

REFUSALS = (Xg2LabError,)
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}, "required": ["city"]}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]


class Draw:
    """Values drawn from bytes, front to back; zeros when they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def byte(self) -> int:
        """The next byte."""
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def rest(self) -> bytes:
        """All that is left."""
        return self._data[self._at :]

    def one_of(self, values: list[Any]) -> Any:
        """One of the values."""
        return values[self.byte() % len(values)]

    def value(self, depth: int = 3) -> Any:
        """A value of any of Python's plain types, odd ones more often."""
        kind = self.byte() % 12
        if kind >= 10 and depth:
            items = [self.value(depth - 1) for _ in range(self.byte() % 4)]
            return items if kind == 10 else {self.one_of(["a", "type", "", "\x00"]): item for item in items}
        scalars = [
            None,
            True,
            False,
            self.byte() - 128,
            1.5 * self.byte(),
            float("nan"),
            -1,
            1 << 70,
            "x" * self.byte(),
            b"\xff",
        ]
        return scalars[kind % len(scalars)]


@cache
def info() -> xgr.TokenizerInfo:
    """A tokenizer of bytes."""
    return xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])


def text_of(data: bytes) -> str:
    """Text with whatever a client may send, lone surrogates too."""
    return data.decode("utf-8", "surrogateescape")


def value_of(data: bytes) -> Any:
    """What JSON text says, or the text itself."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return text_of(data)


# ---- Readers of the package ----


def tokenizers(data: bytes) -> None:
    """`TokenizerInfo` of any lists, and its serialized form."""
    draw = Draw(data)
    n = draw.byte() % 12
    tokens = [draw.rest()[i : i + draw.byte() % 5] for i in range(n)]
    ids = [draw.byte() - 3 for _ in range(draw.byte() % 4)]
    try:
        made = xgr.TokenizerInfo(tokens, vocab_size=draw.one_of([None, n, 2 * n, -1]), stop_token_ids=ids)
    except (TypeError, ValueError):
        return
    xgr.TokenizerInfo.deserialize_json(made.serialize_json())


def tokenizer_records(data: bytes) -> None:
    """`TokenizerInfo.deserialize_json`."""
    xgr.TokenizerInfo.deserialize_json(text_of(data))


def grammars(data: bytes) -> None:
    """`Grammar.from_*`, with the diagnostics and lints of what was read."""
    draw = Draw(data)
    read: Callable[[Any], xgr.Grammar] = draw.one_of(
        [xgr.Grammar.from_ebnf, xgr.Grammar.from_regex, xgr.Grammar.from_lark, xgr.Grammar.from_json_schema]
    )
    text = text_of(draw.rest())
    grammar = read(text)
    str(grammar)
    repr(grammar.diagnostics)
    xgr.Grammar.deserialize_json(grammar.serialize_json())


def schemas(data: bytes) -> None:
    """`Grammar.from_json_schema` of values, with its coverage."""
    draw = Draw(data)
    keywords = {"strict_mode": bool(draw.byte() & 1), "any_order": bool(draw.byte() & 1)}
    relaxing = draw.one_of(["error", "relax"])
    grammar = xgr.Grammar.from_json_schema(value_of(draw.rest()), on_unsupported=relaxing, **keywords)
    str(grammar.coverage)
    str(grammar.relaxations)


def structural_tags(data: bytes) -> None:
    """Structural tags as JSON text, as a value, and through the classes."""
    from pydantic import ValidationError

    from xg2lab.structural_tag import StructuralTag

    value = value_of(data)
    xgr.Grammar.from_structural_tag(value)
    try:
        made = StructuralTag.model_validate(value)
    except ValidationError:  # pydantic's own, of pydantic's own method
        return
    xgr.Grammar.from_structural_tag(made)


def grammar_records(data: bytes) -> None:
    """`Grammar.deserialize_json`."""
    xgr.Grammar.deserialize_json(text_of(data))


@cache
def _compiled_text() -> str:
    compiled = xgr.GrammarCompiler(info()).compile_grammar('root ::= "[" [a-z]{1,40} ("," root)* "]" | Token(3)')
    matcher = xgr.GrammarMatcher(compiled)
    matcher.allowed_tokens()
    return compiled.serialize_json(include_masks=True)


def _changed(text: str, draw: Draw) -> bytes:
    """The text with one to four pieces changed, as is drawn."""
    changed = bytearray(text.encode())
    for _ in range(1 + draw.byte() % 4):
        at = (draw.byte() << 8 | draw.byte()) * len(changed) >> 16
        changed[at : at + draw.byte() % 3] = draw.one_of(
            [b"", b"0", b"-", b"9", b"[", b"null", b'"', bytes([draw.byte()])]
        )
    return bytes(changed)


def compiled(data: bytes) -> None:
    """`CompiledGrammar.deserialize_json` of a true record with pieces changed; what is read makes masks."""
    read = xgr.CompiledGrammar.deserialize_json(_changed(_compiled_text(), Draw(data)), info())
    matcher = xgr.GrammarMatcher(read)
    for token in matcher.allowed_tokens()[:5]:
        matcher.accept_token(token)
        matcher.rollback(1)


@cache
def _template_text() -> str:
    ready = xgr.GrammarCompiler(info()).compile_template('root ::= "[" $x word ("," $x){$n} "]"   word ::= [a-z]{1,9}')
    ready.make_masks()
    return ready.serialize_json(include_masks=True)


def compiled_templates(data: bytes) -> None:
    """`CompiledTemplate.deserialize_json` of a true record with pieces changed and a checksum that fits."""
    try:
        record = json.loads(_changed(_template_text(), Draw(data)))
        if isinstance(record, dict):
            record["checksum"] = checksum_of(record)
    except (ValueError, RecursionError):
        return
    read = xgr.CompiledTemplate.deserialize_json(json.dumps(record), info())
    matcher = xgr.GrammarMatcher(read.instantiate(x="b", n=2))
    for token in matcher.allowed_tokens()[:5]:
        matcher.accept_token(token)
        matcher.rollback(1)


def options(data: bytes) -> None:
    """`EngineOptions` of any values; what is accepted compiles and is written and read."""
    value = value_of(data)
    if not isinstance(value, dict):
        draw = Draw(data)
        names = list(xgr.EngineOptions.__dataclass_fields__)
        value = {draw.one_of(names): draw.value() for _ in range(1 + draw.byte() % 3)}
    try:
        made = xgr.EngineOptions(**{str(key): item for key, item in value.items()})
    except (TypeError, ValueError):
        return
    grammar = xgr.GrammarCompiler(info(), options=made, cache_enabled=False).compile_grammar('root ::= "a" [b-d]*')
    xgr.CompiledGrammar.deserialize_json(grammar.serialize_json(), info())


def tools(data: bytes) -> None:
    """`get_model_structural_tag` of any tools and choices."""
    draw = Draw(data)
    model, value = draw.one_of(list(MODEL_FORMATS)), value_of(draw.rest())
    asked = value if isinstance(value, list) else TOOLS
    choice = value if isinstance(value, (str, dict)) else "auto"
    xgr.Grammar.from_structural_tag(get_model_structural_tag(model, asked, choice))


def answers(data: bytes) -> None:
    """`xg2lab.tool_calls.parse` of any answer."""
    from xg2lab.tool_calls import parse

    draw = Draw(data)
    model = draw.one_of(list(MODEL_FORMATS))
    form = MODEL_FORMATS[model]
    text = text_of(draw.rest())
    parse(model, draw.one_of(["", form.opens]) + text, draw.one_of([TOOLS, None]))


def traces(data: bytes) -> None:
    """`Trace.load` of any file, and of a true one with pieces changed."""
    from xg2lab.lab.trace.trace import Trace

    draw = Draw(data)
    kind = draw.byte() % 3
    written = draw.rest()
    if kind == 1:
        written = gzip.compress(written, 1)
    elif kind == 2:
        written = gzip.compress(json.dumps({"format": "xg2lab-trace", "header": value_of(written)}).encode(), 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("t.json.gz" if kind else "t.json")
        path.write_bytes(written)
        Trace.load(path)


def matchers(data: bytes) -> None:
    """Methods of a matcher with any arguments."""
    draw = Draw(data)
    grammar = xgr.GrammarCompiler(info()).compile_grammar('root ::= "a" root "b" | [c-e]{0,3}')
    matcher = xgr.GrammarMatcher(grammar)
    bitmask = xgr.allocate_token_bitmask(2, info().vocab_size)
    for _ in range(draw.byte() % 8):
        name = draw.one_of(["accept_token", "accept_string", "rollback", "reset", "fork", "fill_next_token_bitmask"])
        arguments = [] if name in ("reset", "fork") else [draw.value()]
        if name == "fill_next_token_bitmask":
            arguments = [draw.one_of([bitmask, draw.value()]), draw.one_of([0, 1, 2, -1])]
        try:
            getattr(matcher, name)(*arguments)
        except (TypeError, ValueError, OverflowError, IndexError):
            continue
        except REFUSALS:
            continue


@cache
def _pad() -> Any:
    """A pad's widget."""
    from xg2lab.lab.pad.pad import Pad
    from xg2lab.widgets.pad_widget import PadWidget

    return PadWidget(Pad('root ::= "yes" | "no"').wait())


def has_front_end() -> bool:
    """Whether the pages' code was built, which every widget carries: without it there is no target `messages`."""
    from xg2lab.widgets.bundle import STATIC

    return (STATIC / "runtime.js.gz").is_file()


def messages(data: bytes) -> None:
    """The handlers of the editor's messages, of any content: whatever it is, the page gets an answer."""
    pad, sent = _pad(), list[Any]()

    def send(content: object, buffers: object = None) -> None:
        sent.append((content, buffers))

    pad.send = send
    draw = Draw(data)
    kinds = sorted(
        name[3:] for name in dir(pad) if name.startswith("on_") and name not in ("on_msg", "on_trait_change")
    )
    content = {"kind": draw.one_of([*kinds, "nope", None, 3]), "id": draw.value(1)}
    value = value_of(draw.rest())
    content |= value if isinstance(value, dict) else {draw.one_of(["text", "value", "kind"]): draw.value()}
    pad._dispatch(content, [])
    if not sent:
        raise AssertionError(f"no answer to {content}")


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (
        tokenizers, tokenizer_records, grammars, schemas, structural_tags, grammar_records, compiled,
        compiled_templates, options, tools, answers, traces, matchers, messages,
    )
}  # fmt: skip


def seeds(name: str) -> list[bytes]:
    """Inputs that get through: true records, answers as `render` writes them, small schemas and tags."""
    small = xgr.TokenizerInfo([b"a", b"bc", b"\xff", b"</s>"], stop_token_ids=[3])
    schema = json.dumps(SCHEMA).encode()
    tag = {"type": "tag", "begin": "<a>", "content": {"type": "any_text", "excludes": ["x"]}, "end": "</a>"}
    if name == "grammar_records":
        return [xgr.Grammar.from_ebnf('root ::= "a" x*\nx ::= [b-d]{1,3}').serialize_json().encode()]
    if name == "tokenizer_records":
        return [small.serialize_json().encode()]
    if name == "structural_tags":
        return [json.dumps({"format": made}).encode() for made in (tag, {"type": "star", "content": tag})]
    if name == "schemas":
        return [b"\0\0\0" + schema, b"\1\1\1" + json.dumps({"anyOf": [SCHEMA, {"enum": [1, "a"]}]}).encode()]
    if name == "grammars":
        texts = [b'root ::= "a" [b-d]* x\nx ::= "y" | ""', b"(?!a)[a-z]{2,5}", b'start: "a" B\nB: /[a-z]+/', schema]
        return [bytes([i]) + text for i, text in enumerate(texts)]
    if name == "answers":
        return [bytes([i, 0, 0]) + _answer(model) for i, model in enumerate(MODEL_FORMATS)]
    if name == "tools":
        return [bytes([i]) + json.dumps(TOOLS).encode() for i in range(len(MODEL_FORMATS))]
    if name == "options":
        return [b'{"parser": "pda", "max_stacks": 5}', b'{"repetition_threshold": 0, "minimize": false}']
    if name == "traces":
        return [b"\0" + _trace()]
    return [bytes(range(40))]


def _answer(model: str) -> bytes:
    from xg2lab.tool_calls import ToolCall, render

    call = ToolCall("get_weather", {"city": "Oslo", "n": 3})
    return render(model, [call], content="Yes. ", reasoning="Hm").encode()


def _trace() -> bytes:
    from xg2lab.lab.trace.trace import Trace, header

    return json.dumps(Trace(header("t", vocab_size=4)).to_wire()).encode()


def run(name: str, data: bytes) -> None:
    """Calls a target; refusals are swallowed, anything else is raised."""
    try:
        TARGETS[name](data)
    except REFUSALS:
        return
