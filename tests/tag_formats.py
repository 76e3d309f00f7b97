"""Formats of structural tags, made at random: small ones over few letters, so that texts near them often match.

See also: tests/differential/test_structural_tag.py, and the fuzz of all front ends.
"""

from __future__ import annotations

import random
from typing import Any

LETTERS = "ab<>/,1"
ENDS = ["</", ">", "a>", "//", "b"]
TEXTS = ["a", "b", "ab", "<", "/", "1,", "</", "ba"]
PATTERNS = ["a+", "[ab]*", "(?!b)[a-b]{1,2}", "1|,", "a*?b"]
GRAMMARS = ['root ::= "a" root | "b"', 'root ::= x{1,2}   x ::= "1" | ","', 'root ::= "<" [ab]* ">"']
SCHEMAS: list[Any] = [
    True, {"type": "boolean"}, {"enum": [1, 11, None]}, {"type": "array", "items": {"enum": [1]}, "maxItems": 2},
]  # fmt: skip
OBJECTS: list[Any] = [
    {"type": "object", "properties": {"a": {"type": "string"}, "b": {"enum": [1, "a b"]}}, "required": ["b"]},
    {"type": "object", "properties": {"1": {"type": "integer", "minimum": 1}, "a": {"type": "boolean"}}},
]


def texts_of(rng: random.Random, least: int = 0) -> list[str]:
    return rng.sample(TEXTS, rng.randint(least, 2))


def random_leaf(rng: random.Random) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [
        {"type": "any_text"},
        {"type": "any_text", "excludes": texts_of(rng)},
        {"type": "any_text", "max_chars": rng.randrange(4)},
        {"type": "const_string", "value": rng.choice([*TEXTS, ""])},
        {"type": "regex", "pattern": rng.choice(PATTERNS)},
        {"type": "grammar", "grammar": rng.choice(GRAMMARS)},
        {"type": "json_schema", "json_schema": rng.choice(SCHEMAS)},
        {"type": "qwen_xml_parameter", "json_schema": rng.choice(OBJECTS)},
    ]
    return rng.choice(kinds)


def random_tag(rng: random.Random, depth: int, begin: str = "") -> dict[str, Any]:
    end: Any = rng.choice([rng.choice(ENDS), rng.sample(ENDS, 2), "", [rng.choice(ENDS), ""]])
    content = random_format(rng, depth - 1)
    return {"type": "tag", "begin": begin or rng.choice(TEXTS), "content": content, "end": end}


def random_format(rng: random.Random, depth: int) -> dict[str, Any]:
    if depth == 0 or rng.random() < 0.2:
        return random_leaf(rng)

    def inner() -> dict[str, Any]:
        return random_format(rng, depth - 1)

    kind = rng.choice(
        ["sequence", "or", "optional", "plus", "star", "repeat", "tag", "tag", "triggered_tags", "tags_with_separator",
         "dispatch"]
    )  # fmt: skip
    flags = {name: rng.random() < 0.4 for name in ("at_least_one", "stop_after_first")}
    match kind:
        case "sequence" | "or":
            return {"type": kind, "elements": [inner() for _ in range(rng.randint(1, 3))]}
        case "repeat":
            least = rng.randrange(3)
            return {"type": kind, "min": least, "max": rng.choice([-1, least, least + 1]), "content": inner()}
        case "optional" | "plus" | "star":
            return {"type": kind, "content": inner()}
        case "tag":
            return random_tag(rng, depth)
        case "tags_with_separator":
            tags = [random_tag(rng, depth) for _ in range(rng.randint(1, 2))]
            return {"type": kind, "tags": tags, "separator": rng.choice([",", "", "b"]), **flags}
        case "triggered_tags":
            triggers = rng.choice([["<"], ["<", "/"], ["ab"]])
            tags = [random_tag(rng, depth, trigger + rng.choice(["", "a", "b"])) for trigger in triggers * 2]
            return {"type": kind, "triggers": triggers, "tags": tags, "excludes": texts_of(rng), **flags}
        case _:
            patterns = rng.choice([["<"], ["a", "<"], ["<b"]])
            rules = [[pattern, inner()] for pattern in patterns]
            return {"type": "dispatch", "rules": rules, "loop": rng.random() < 0.6, "excludes": texts_of(rng)}


# ---- Of tokens: seven of them ----


def random_ids(rng: random.Random, least: int = 0) -> list[int]:
    return rng.sample(range(7), rng.randint(least, 2))


def random_token_format(rng: random.Random, depth: int) -> dict[str, Any]:
    if depth == 0:
        return rng.choice([
            {"type": "token", "token": rng.randrange(7)},
            {"type": "exclude_token", "exclude_tokens": random_ids(rng)},
            {"type": "any_tokens", "exclude_tokens": random_ids(rng), "max_tokens": rng.choice([None, 2])},
            {"type": "const_string", "value": rng.choice(["a", "ab", "<"])},
            {"type": "any_text", "excludes": rng.choice([[], ["b"]])},
        ])  # fmt: skip

    def inner() -> dict[str, Any]:
        return random_token_format(rng, depth - 1)

    def tag(begin: int | None = None) -> dict[str, Any]:
        opened: Any = {"type": "token", "token": begin} if begin is not None else rng.choice(["<", "ab"])
        end: Any = rng.choice([{"type": "token", "token": rng.randrange(7)}, ">", ["b", "1"]])
        return {"type": "tag", "begin": opened, "content": inner(), "end": end}

    flags = {name: rng.random() < 0.4 for name in ("at_least_one", "stop_after_first")}
    match rng.randrange(6):
        case 0:
            return {"type": "sequence", "elements": [inner(), inner()]}
        case 1:
            return {"type": rng.choice(["star", "optional", "plus"]), "content": inner()}
        case 2:
            return tag()
        case 3:
            return tag(rng.randrange(7))
        case 4:
            triggers = random_ids(rng, 1)
            tags = [tag(trigger) for trigger in triggers]
            excluded = [i for i in random_ids(rng) if i not in triggers]
            return {"type": "token_triggered_tags", "trigger_tokens": triggers, "tags": tags,
                    "exclude_tokens": excluded, **flags}  # fmt: skip
        case _:
            patterns = random_ids(rng, 1)
            excluded = [i for i in random_ids(rng) if i not in patterns]
            return {"type": "token_dispatch", "rules": [[i, inner()] for i in patterns], "exclude_tokens": excluded,
                    "loop": rng.random() < 0.5}  # fmt: skip
