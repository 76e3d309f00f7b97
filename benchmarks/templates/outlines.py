r"""Outlines of 10, 60 and 240 sections (WGrammar, figure 1): a tree of sections, each with its id, a title and a text.

A request asks for the sections of its document, in their order and with their ids. Trees and ids are drawn anew for
each request, from a seed. The task comes in three forms:

    special tokens     the marks around title and text are Qwen's special tokens
    text tags          the marks are the same names as plain text
    text tags, lines   so, and title and text hold no line break: `[^<\n]+` for `[^<]+`

The third form is there to show how far an engine's masks depend on the class of the text.

The text that peers take comes in two shapes of the same language. "rules" has a rule for each section, as the
written-out template has. "one rule" has the whole outline in one rule. In both, neighbouring literals are joined.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from benchmarks.templates.tasks import WORDS, Parts, Request, Special, Task, joined, literal, tokens_of
from benchmarks.texts import Source, Vocabulary

SIZES = (10, 60, 240)
START, PAD, END = MARKS = ("<|vision_start|>", "<|vision_pad|>", "<|vision_end|>")
MAX_DEPTH = 5


@dataclass
class Section:
    """A section: its id, title, text and subsections."""

    id: str
    title: str
    text: str
    children: list[Section] = field(default_factory=list["Section"])


@dataclass(frozen=True)
class Form:
    """How marks and texts are written: `special` has the ids of the marks, and is empty where they are plain text."""

    name: str
    special: dict[str, int] = field(default_factory=dict[str, int])
    text: str = "[^<]+"

    def mark(self, name: str) -> str | Special:
        """A mark within a reference text or a literal."""
        return Special(name) if self.special else name

    def ebnf(self, part: str | Special) -> str:
        """A literal or a special token, in our notation, which is XGrammar's."""
        return f"Token({self.special[part.name]})" if isinstance(part, Special) else literal(part)

    def lark(self, part: str | Special) -> str:
        """The same in llguidance's notation."""
        return f"<[{self.special[part.name]}]>" if isinstance(part, Special) else literal(part)


def tree(n_sections: int, seed: str) -> list[Section]:
    """A seeded forest of `n_sections` sections, at most `MAX_DEPTH` deep."""
    rng = random.Random(seed)
    roots: list[Section] = []
    path: list[Section] = []  # the sections that are open, from the outermost
    for _ in range(n_sections):
        section = Section(
            f"sec-{rng.randrange(16**6):06x}",
            " ".join(rng.choices(WORDS, k=rng.randint(2, 5))).capitalize(),
            " ".join(rng.choices(WORDS, k=rng.randint(10, 30))).capitalize() + ".",
        )
        del path[rng.randint(0, min(len(path), MAX_DEPTH - 1)) :]
        (path[-1].children if path else roots).append(section)
        path.append(section)
    return roots


def outline_task(words: Vocabulary, n_sections: int, form: Form) -> Task:
    """The task of outlines of one size in one form."""

    @lru_cache(maxsize=32)  # every way asks for the same requests
    def request(number: int, n: int = n_sections) -> Request:
        return request_of(words, tree(n, f"outline {n} {number}"), form)

    return Task(f"outlines, {form.name}", "outlines", n_sections, words, template(form), request, element=request(0, 1))


def template(form: Form) -> str:
    """The template of all sizes."""
    start, pad, end = (form.ebnf(form.mark(name)) for name in MARKS)
    return (
        "root ::= Each($sections, section)\n"
        f'section ::= "<section id=\\"" $id "\\">" {start} text {pad} text {end} Each($children, section)\n'
        f"text ::= {form.text}\n"
    )


def request_of(words: Vocabulary, sections: list[Section], form: Form) -> Request:
    """The request for one document's sections."""
    tokens, n_bytes = tokens_of(words, [part for section in sections for part in text_of(section, form)], form.special)
    return Request(
        {"sections": [argument(section) for section in sections]},
        {"rules": rule_for_each(sections, form), "one rule": one_rule(sections, form)},
        tokens,
        n_bytes,
    )


def argument(section: Section) -> dict[str, Any]:
    """What a section is as an argument of the template."""
    return {"id": section.id, "children": [argument(child) for child in section.children]}


def in_order(sections: list[Section]) -> Iterator[Section]:
    """Sections and those within them, as the outline has them."""
    for section in sections:
        yield section
        yield from in_order(section.children)


def text_of(section: Section, form: Form) -> Parts:
    """The reference text of a section and those within it."""
    start, pad, end = (form.mark(name) for name in MARKS)
    found: list[str | Special] = []
    for each in in_order([section]):
        found += [f'<section id="{each.id}">', start, each.title, pad, each.text, end]
    return found


# ---- The text that peers take -------------------------------------------------------------------


def body(section: Section, form: Form) -> list[str | Special | None]:
    """A section without those within it: literals, special tokens, and None for a text."""
    start, pad, end = (form.mark(name) for name in MARKS)
    return [f'<section id="{section.id}">', start, None, pad, None, end]


def written(parts: list[str | Special | None], form: Form) -> tuple[str, str]:
    """Parts in EBNF and in Lark, neighbouring literals joined."""
    runs: list[list[str | Special]] = [[]]
    for part in parts:
        if part is None:
            runs.append([])
        else:
            runs[-1].append(part)
    of_runs = [joined(run) for run in runs]
    ebnf = " text ".join(" ".join(form.ebnf(part) for part in run) for run in of_runs)
    lark = " TEXT ".join(" ".join(form.lark(part) for part in run) for run in of_runs)
    return ebnf.strip(), lark.strip()


def one_rule(sections: list[Section], form: Form) -> Source:
    """The outline as one rule."""
    ebnf, lark = written([part for section in in_order(sections) for part in body(section, form)], form)
    return Source(f"root ::= {ebnf}\ntext ::= {form.text}\n", f"start: {lark}\nTEXT: /{form.text}/\n")


def rule_for_each(sections: list[Section], form: Form) -> Source:
    """The outline with a rule for each section, which refers to those within it."""
    names = {id(section): f"s{i}" for i, section in enumerate(in_order(sections))}
    top = " ".join(names[id(section)] for section in sections)
    ebnf, lark = [f"root ::= {top}"], [f"start: {top}"]
    for section in in_order(sections):
        name, inner = names[id(section)], "".join(f" {names[id(child)]}" for child in section.children)
        own = written(body(section, form), form)
        ebnf.append(f"{name} ::= {own[0]}{inner}")
        lark.append(f"{name}: {own[1]}{inner}")
    return Source("\n".join([*ebnf, f"text ::= {form.text}\n"]), "\n".join([*lark, f"TEXT: /{form.text}/\n"]))
