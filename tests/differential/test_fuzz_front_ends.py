"""Any bytes in: a grammar, or an error that says where. One harness for all front ends; a new one joins by a row.

A seeded walk through texts that nearly are one: mutations of texts that are, pieces of several put together, bytes at
random. What comes out is a grammar that can be printed, linted and compiled, or an error of ours with a place within
the text: no other exception and no crash. XG2LAB_FUZZ_TEXTS=100000
tries that many, XG2LAB_SEED repeats a run.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import xg2lab as xgr
from tests.cases import load_cases, load_error_cases, load_lookahead_cases
from tests.generators import SHARE, mutate, random_grammar, random_heads, seeded, with_heads, write_ebnf
from tests.tag_formats import random_format, random_token_format
from xg2lab.errors import Diagnostic, LimitError, Xg2LabError
from xg2lab.lints.catalogue import CODES

N_TEXTS = int(os.environ.get("XG2LAB_FUZZ_TEXTS") or 1500 * SHARE)
INFO = xgr.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
OPTIONS = xgr.EngineOptions(max_compile_seconds=1.0, max_fsm_states=20_000, partial_jit_k=0)


@dataclass(frozen=True)
class FrontEnd:
    """One front end: how it reads, and texts that it reads. `has_places`: its errors point into the text itself.

    Those of others do where they are linted: the engine has JSON indented its own way.
    """

    name: str
    read: Callable[[bytes], xgr.Grammar]
    seeds: Callable[[random.Random], list[bytes]]
    pieces: tuple[str, ...]  # that its texts are made of
    has_places: bool = True


def ebnf_seeds(rng: random.Random) -> list[bytes]:
    cases = [*load_cases(), *load_error_cases(), *load_lookahead_cases()]
    made = [random_grammar(rng) for _ in range(40)]
    texts = [case.grammar for case in cases] + [code.example for code in CODES.values() if len(code.example) < 500]
    texts += [write_ebnf(one, rng) for one in made] + [with_heads(one, random_heads(rng, one)) for one in made]
    return [text.encode("utf-8", "replace") for text in texts]


REGEX_SEEDS = (
    r"\d{3}-\d{4}", r"[a-zA-Z0-9._%+-]+@[a-z.-]+\.[a-z]{2,}", r"(?!if\b)[a-z]+", r"^(a|b)*?$", r"(?<year>\d{4})(?=-)",
    r"(?<!a)b\b.", r"\p{L}+[^\p{Lu}\s]{2,5}", r"(?i)straße|[à-ü]", r"\u{1F600}|\x41|\cA",
    r"(?:(?:a?){3}){2,}", "a{1,65536}",
)  # fmt: skip


def regex_seeds(rng: random.Random) -> list[bytes]:
    return [pattern.encode() for pattern in REGEX_SEEDS]


SCHEMA_SEEDS = (
    {"properties": {"a": {"type": "integer", "minimum": -3}, "b": {"enum": [1, "x", None]}}, "required": ["a"]},
    {"$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}, "maxItems": 3}}, "$ref": "#/$defs/t"},
    {"anyOf": [{"type": "string", "pattern": "^a+$", "maxLength": 5}, {"const": 1.5}, {"not": {"type": "null"}}]},
    {"type": "number", "multipleOf": 0.5, "exclusiveMaximum": 10},
    {"type": "array", "prefixItems": [{"type": "boolean"}], "items": False, "minItems": 1},
    {"if": {"properties": {"k": {"const": 1}}}, "then": {"required": ["x"]}, "else": {"maxProperties": 2}},
)  # fmt: skip


def schema_seeds(rng: random.Random) -> list[bytes]:
    return [json.dumps(schema).encode() for schema in SCHEMA_SEEDS]


def tag_seeds(rng: random.Random) -> list[bytes]:
    formats = [random_format(rng, 3) for _ in range(40)] + [random_token_format(rng, 2) for _ in range(10)]
    formats += [{"type": "json_schema", "json_schema": schema, "style": "glm_xml"} for schema in SCHEMA_SEEDS]
    return [json.dumps({"type": "structural_tag", "format": form}).encode() for form in formats]


LARK_SEEDS = (
    'start: "if" NAME\nNAME: /[a-z]+/\n%ignore " "',
    'start: sum\n?sum: product | sum "+" product\n?product: NUMBER | "(" sum ")"\n%import common.NUMBER',
    'start: pair{word, ","}\npair{a, s}: a s a\nword: /[a-zé]+/ | "x"~2..4',
    'start: value*\nvalue: "a"i -> letter | [B] C?\nB: "b".."d"\nC.2: "c"+ | /x(?=y)/',
    "start[max_tokens=5]: TEXT\nTEXT[lazy]: /[^.]*\\./s\n",
)


def lark_seeds(rng: random.Random) -> list[bytes]:
    return [text.encode() for text in LARK_SEEDS]


FRONT_ENDS = [
    FrontEnd(
        "ebnf",
        xgr.Grammar.from_ebnf,
        ebnf_seeds,
        (
            "root ::= ", "x ::= ", '"a"', "'é'", "[a-z]", "[^", "]", "(", ")", "(= ", "|", "*", "+?", "{2,5}",
            "{", "}", "\n", "# ",
            "Regex(", "TagDispatch((", "Token(3)", "[lazy] ::=", "max_chars=3", ",", "\\x", "\\u00", "\\", "😀",
            "\r", "\0", "<[5]>",
        ),
    ),
    FrontEnd(
        "regex",
        xgr.Grammar.from_regex,
        regex_seeds,
        (
            "a", "b|", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<n>", "[", "[^", "]", "-", "\\d", "\\b",
            "\\p{L}", "\\1", "\\", "{2,}",
            "{,", "*", "+", "??", "^", "$", ".", "é", "\\u{", "(?i)",
        ),
    ),
    FrontEnd(
        "json_schema",
        xgr.Grammar.from_json_schema,
        schema_seeds,
        (
            "{", "}", "[", "]", ":", ",", '"type"', '"object"', '"string"', '"$ref"', '"#"', '"#/$defs/t"',
            '"not"', '"allOf"', '"pattern"',
            '"[a-"', '"minimum"', "1e400", "-0", "0.1", "true", "null", '"items"', '"\\ud800"', '"const"',
        ),
        has_places=False,
    ),
    FrontEnd(
        "structural_tag",
        xgr.Grammar.from_structural_tag,
        tag_seeds,
        (
            "{", "}", "[", "]", ":", ",", '"format"', '"type"', '"tag"', '"any_text"', '"sequence"', '"elements"',
            '"or"', '"begin"', '"end"', '"content"', '"<"', '"json_schema"', '"dispatch"', '"token"', "7", "-1",
            "true", "null", '"regex"', '"pattern"', '"(a"', '"excludes"', '""', '"\\u0000"', '{"type": "any_text"}',
        ),
        has_places=False,
    ),
    FrontEnd(
        "lark",
        lambda text: xgr.Grammar.from_lark(text.decode("utf-8", "replace")),
        lark_seeds,
        (
            "start: ", "x: ", "X: ", '"a"', '"b"i', "/[a-z]+/", "/(/", "[", "]", "(", ")", "|", "*", "+", "?",
            "~2..5", "~", "\n",
            "// ", "%ignore ", "%import common.WS", "%declare X", "%json {", "-> y", "?x: ", "_y{a, b}: ",
            "<|x|>", "@g", "é",
            ".2", "\\", '"', "/",
        ),
    ),
]  # fmt: skip


def texts(rng: random.Random, front_end: FrontEnd, n_texts: int):
    """Texts that nearly are sources of a front end, or not at all."""
    seeds = front_end.seeds(rng)
    for _ in range(n_texts):
        kind = rng.random()
        text = rng.choice(seeds)
        if kind < 0.45:
            for _ in range(rng.choice([0, 1, 1, 2, 5])):
                text = mutate(rng, text)
        elif kind < 0.6:
            other = rng.choice(seeds)
            text = text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]
        elif kind < 0.85:
            text = " ".join(rng.choices(front_end.pieces, k=rng.randint(1, 14))).encode()
        elif kind < 0.95:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(front_end.pieces).encode() * rng.choice([1, 3, 50, 2000]) + text[at:]
        else:
            text = rng.randbytes(rng.randrange(40))
        yield text


def check_error(front_end: FrontEnd, text: bytes, error: Xg2LabError) -> None:
    """It says what, and where."""
    assert str(error)
    assert error.diagnostics or isinstance(error, LimitError), repr(error)
    findings: list[Diagnostic] = error.diagnostics
    n_bytes = max(len(text), len(text.decode("utf-8", "replace").encode()), 1)  # one front end takes str alone
    if not front_end.has_places:
        findings = xgr.lint(text, kind=front_end.name, seconds=0)
        assert {finding.code for finding in findings} >= {finding.code for finding in error.diagnostics}
        n_bytes = max(n_bytes, len(text.decode("utf-8", "surrogateescape").encode("utf-8", "surrogatepass")))
        assert findings
    for finding in findings:
        assert finding.message
        assert finding.severity == "error" or not front_end.has_places
        begin, end = finding.span
        assert 0 <= begin <= end <= n_bytes, finding
        assert isinstance(error, LimitError) or (finding.line >= 1 and finding.column >= 1), finding
        assert finding.code in CODES or isinstance(error, LimitError), finding


@pytest.mark.parametrize("front_end", FRONT_ENDS, ids=lambda front_end: front_end.name)
def test_any_bytes(front_end):
    rng = seeded(front_end.name)
    n_read = n_refused = 0
    for text in texts(rng, front_end, N_TEXTS):
        try:
            grammar = front_end.read(text)
            n_read += 1
        except Xg2LabError as error:
            n_refused += 1
            check_error(front_end, text, error)
            grammar = None
        except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
            pytest.fail(f"{type(error).__name__}: {error}\n{text!r}")
        if grammar is not None and n_read % 3 == 0:
            use(front_end, text, grammar)
    print(f"{front_end.name}: {n_read} read, {n_refused} refused")
    assert min(n_read, n_refused) > N_TEXTS / 50


def use(front_end: FrontEnd, text: bytes, grammar: xgr.Grammar) -> None:
    """What can be read can be printed and read again, linted, and compiled within its limits."""
    try:
        assert str(xgr.Grammar.from_ebnf(str(grammar), root_rule_name=grammar.root_rule_name)) == str(grammar), text
        for finding in xgr.lint(grammar, seconds=0.05):
            assert finding.severity in ("warning", "hint"), (text, finding)
            assert finding.code in CODES, finding
        xgr.GrammarCompiler(INFO, options=OPTIONS, cache_enabled=False).compile_grammar(grammar)
    except Xg2LabError as error:
        codes = {finding.code for finding in error.diagnostics}
        is_told_when_compiled = codes <= CODES.keys() and CODES[min(codes)].how == "compile"
        assert isinstance(error, LimitError) or is_told_when_compiled, (text, error)
