"""Static text in the tokenizer's own tokens beside static text in bytes: times of outlines, and texts that are refused.

    python -m benchmarks.templates.spelling [--sizes 10,60,240]

`spelling="tokens"` is WGrammar's way. The first table has instances of the outlines in both spellings, over the same
requests; reference texts are cut as the spelling needs it: for "tokens" each literal, id and text by itself. The time
of a request includes its calls of the encoder.

The second table counts reference texts in the tokenizer's own tokens, each text encoded as a whole. `n_crossing` of
them hold a token with text that is known beforehand and text that the model chooses, such as `."`: no way of cutting
static text saves these. `n_refused` are refused with the literals as they stand: of the outlines' template, and of
json-mode-eval's grammars written as EBNF, where neighbouring literals of one rule are joined or not.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import xg2lab as xgr
from benchmarks import record
from benchmarks.engines import Xg2Lab
from benchmarks.templates import json_mode_eval, measure, outlines, ways
from benchmarks.templates.outlines import MARKS, SIZES, Form, Section
from benchmarks.templates.tasks import Request, Task
from benchmarks.texts import Vocabulary, vocabulary

N_REQUESTS = {10: (16, 8), 60: (8, 4), 240: (6, 2)}
FORMS = (Form("text tags"), Form("text tags, lines", text=r"[^<\n]+"))
# the whitespace of json.dumps, names in the schema's order: what leaves most text in one literal
JSON_OPTIONS: dict[str, Any] = {"any_whitespace": False, "strict_mode": False, "any_order": False}


def template_in(task: Task, spelling: str) -> xgr.Template:
    """The task's template in one spelling."""
    encode = task.words.encoding.encode_ordinary if spelling == "tokens" else None
    assert isinstance(task.template, str)
    return xgr.Template.from_ebnf(task.template, spelling=spelling, encode=encode)


def in_own_tokens(task: Task, n_sections: int) -> Task:
    """The task with reference texts whose literals, ids and texts are tokenized each by itself."""

    def request(number: int) -> Request:
        made = task.request(number)
        return replace(made, tokens=spelled(task.words, outlines.tree(n_sections, f"outline {n_sections} {number}")))

    return replace(task, request=request)


def spelled(words: Vocabulary, sections: list[Section]) -> list[int]:
    """The tokens of an outline with text tags, each part by itself."""
    ids: list[int] = []
    for each in outlines.in_order(sections):
        start, pad, end = MARKS
        for part in ('<section id="', each.id, '">', start, each.title, pad, each.text, end):
            ids += words.encoding.encode_ordinary(part)
    return ids


def instances(engine: Any, template: xgr.Template) -> ways.Compile:
    """The way of instances of a template, compiled offline."""
    ready = engine.compiler.compile_template(template)

    def compile_it(request: Request) -> None:
        engine.compiled = ready.instantiate(**request.arguments)

    return compile_it


def times(words: Vocabulary, sizes: Sequence[int]) -> list[record.Figures]:
    """A row for each form, size and spelling."""
    rows: list[record.Figures] = []
    engine = Xg2Lab(words)
    for form in FORMS:
        for n in sizes:
            task = in_own_tokens(outlines.outline_task(words, n, form), n)
            for spelling in ("bytes", "tokens"):
                ways.with_own_pool(engine)
                compile_it = instances(engine, template_in(task, spelling))
                figures = measure.measure(engine, [(task, compile_it)], *N_REQUESTS.get(n, (8, 4)))
                labels = {"engine": engine.name, "task": task.name, "n": n, "spelling": spelling}
                rows.append({**labels, "vocabulary": words.name, **figures})
    return rows


# ---- Texts that are refused ----


def is_taken(compiled: xgr.CompiledGrammar, tokens: Sequence[int]) -> bool:
    """Whether a text is a match in these tokens."""
    matcher = xgr.GrammarMatcher(compiled)
    return all(matcher.accept_token(token) for token in tokens) and matcher.is_completed()


def is_crossing(words: Vocabulary, parts: Sequence[tuple[str, bool]], tokens: Sequence[int]) -> bool:
    """Whether a token holds chosen and other text; `parts`: pieces of the text, and whether the model chooses them."""
    chosen = [is_chosen for text, is_chosen in parts for _ in text.encode()]
    at = 0
    for token in tokens:
        end = at + len(words.tokens[token])
        if len(set(chosen[at:end])) > 1:
            return True
        at = end
    return False


def json_parts(value: Any) -> Iterator[tuple[str, bool]]:
    """The parts of a JSON text: names and punctuation are known, contents of strings, numbers and the like are chosen.

    >>> print(*(text if is_chosen else f"({text})" for text, is_chosen in json_parts({"a": [1, "b"]})))
    ({) ("a": ) ([) 1 (, ) (") b (") (]) (})
    """
    if isinstance(value, dict | list):
        yield "{" if isinstance(value, dict) else "[", False
        for i, key in enumerate(value):
            if i:
                yield ", ", False
            if isinstance(value, dict):
                yield json.dumps(key, ensure_ascii=False) + ": ", False
            yield from json_parts(value[key] if isinstance(value, dict) else key)
        yield "}" if isinstance(value, dict) else "]", False
    elif isinstance(value, str):
        yield '"', False
        yield json.dumps(value, ensure_ascii=False)[1:-1], True
        yield '"', False
    else:
        yield json.dumps(value), True


def of_schemas(engine: Any, words: Vocabulary, *, is_joined: bool) -> record.Figures:
    """The row of json-mode-eval's texts."""
    encode = words.encoding.encode_ordinary
    n_texts = n_crossing = n_refused = 0
    for case in json_mode_eval.cases():
        text = next(text for text, is_valid in zip(case.texts, case.valid, strict=True) if is_valid)
        tokens = encode(text)
        grammar = xgr.Grammar.from_json_schema(case.schema, **JSON_OPTIONS)
        compiled = engine.compiler.compile_grammar(grammar)
        assert is_taken(compiled, tokens)
        ebnf = str(compiled.optimized_grammar if is_joined else grammar)
        template = xgr.Template.from_ebnf(ebnf, spelling="tokens", encode=encode)
        n_texts += 1
        n_crossing += is_crossing(words, list(json_parts(json.loads(text))), tokens)
        n_refused += not is_taken(engine.compiler.compile_template(template).instantiate(), tokens)
    name = "json-mode-eval" + (", literals joined" if is_joined else "")
    return {"texts": name, "n_texts": n_texts, "n_crossing": n_crossing, "n_refused": n_refused}


def of_outlines(engine: Any, words: Vocabulary, form: Form, n_texts: int = 20) -> record.Figures:
    """The row of outlines of ten sections."""
    task = outlines.outline_task(words, 10, form)
    ready = engine.compiler.compile_template(template_in(task, "tokens"))
    n_crossing = n_refused = 0
    for number in range(n_texts):
        request = task.request(number)
        sections = outlines.in_order(outlines.tree(10, f"outline 10 {number}"))
        parts = [
            (part, part in (each.title, each.text))
            for each in sections
            for part in map(str, outlines.text_of(replace(each, children=[]), form))
        ]
        n_crossing += is_crossing(words, parts, request.tokens)
        n_refused += not is_taken(ready.instantiate(**request.arguments), request.tokens)
    return {"texts": task.name, "n_texts": n_texts, "n_crossing": n_crossing, "n_refused": n_refused}


def refused(words: Vocabulary) -> list[record.Figures]:
    """A row for each set of texts."""
    engine = Xg2Lab(words)
    return [
        *(of_schemas(engine, words, is_joined=is_joined) for is_joined in (False, True)),
        *(of_outlines(engine, words, form) for form in FORMS),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.templates.spelling", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of sections of the outlines")
    given = parser.parse_args()
    words = vocabulary()
    record.show("templates_spelling", times(words, tuple(int(n) for n in given.sizes.split(","))))
    record.show("templates_spelling_refused", refused(words))


if __name__ == "__main__":
    main()
