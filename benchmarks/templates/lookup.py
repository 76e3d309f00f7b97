r"""Reference-Lookup (WGrammar, figure 2): objects that name one of 20 topics and some of 60 section ids, in an array.

    [{"topic": [3], "reference": ["4.2.3", "4.4.1"]}, {"topic": [7], "reference": ["2.3"]}]

Topics and ids are drawn anew for each request, from a seed. The task comes twice: as EBNF, written as above to the
blank, and as a JSON Schema, where white space is free and both lists are `enum`s.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from benchmarks.templates.tasks import Request, Task, literal
from benchmarks.texts import Source, Vocabulary, tokens_of

N_TOPICS = 20
N_IDS = 60
N_ENTRIES = 20

TEMPLATE = r"""
root ::= "[" (entry (", " entry)*)? "]"
entry ::= "{\"topic\": [" OneOf($topics) "], \"reference\": [" reference (", " reference)* "]}"
reference ::= "\"" OneOf($ids) "\""
"""


@dataclass(frozen=True)
class Document:
    """What a request asks about: numbers of topics and ids of sections."""

    topics: list[int]
    ids: list[str]


def document(number: int) -> Document:
    """The seeded document of a request."""
    rng = random.Random(f"lookup {number}")
    topics = sorted(rng.sample(range(1, 100), N_TOPICS))
    ids: dict[str, None] = {}
    while len(ids) < N_IDS:
        ids[".".join(str(rng.randint(1, 19)) for _ in range(rng.randint(1, 4)))] = None
    return Document(topics, list(ids))


def answer(of: Document, number: int) -> str:
    """A seeded answer."""
    rng = random.Random(f"answer {number}")
    entries = [
        {"topic": [rng.choice(of.topics)], "reference": rng.sample(of.ids, rng.randint(1, 4))} for _ in range(N_ENTRIES)
    ]
    return json.dumps(entries)


def lookup_task(words: Vocabulary) -> Task:
    """Reference-Lookup as EBNF."""

    def request(number: int) -> Request:
        of = document(number)
        topics = [str(topic) for topic in of.topics]
        return Request(
            {"topics": topics, "ids": of.ids},
            {"rules": source(topics, of.ids)},
            *tokens_of(words, answer(of, number)),
        )

    return Task("Reference-Lookup, EBNF", "json", N_IDS, words, TEMPLATE, request)


def source(topics: list[str], ids: list[str]) -> Source:
    """The written-out grammar, for either kind of peer."""
    topic, reference = (" | ".join(literal(text) for text in texts) for texts in (topics, ids))
    ebnf = TEMPLATE.replace("OneOf($topics)", f"({topic})").replace("OneOf($ids)", f"({reference})")
    lark = (
        'start: "[" (entry (", " entry)*)? "]"\n'
        r'entry: "{\"topic\": [" TOPIC "], \"reference\": [" reference (", " reference)* "]}"' + "\n"
        r'reference: "\"" ID "\""' + f"\nTOPIC: {topic}\nID: {reference}\n"
    )
    return Source(ebnf, lark)


def schema_task(words: Vocabulary) -> Task:
    """Reference-Lookup as a JSON Schema."""

    def request(number: int) -> Request:
        of = document(number)
        return Request(
            {"topics": of.topics, "ids": of.ids},
            {"schema": schema(of.topics, of.ids)},
            *tokens_of(words, answer(of, number)),
        )

    template = schema({"$slot": "topics"}, {"$slot": "ids"})
    return Task("Reference-Lookup, schema", "json", N_IDS, words, template, request)


def schema(topics: Any, ids: Any) -> dict[str, Any]:
    """The schema with two `enum`s, or with two slots in their places."""
    topic = {"type": "array", "items": {"enum": topics}, "minItems": 1, "maxItems": 1}
    reference = {"type": "array", "items": {"enum": ids}, "minItems": 1}
    entry = {
        "type": "object",
        "properties": {"topic": topic, "reference": reference},
        "required": ["topic", "reference"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": entry}
