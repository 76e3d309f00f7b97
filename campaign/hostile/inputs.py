"""An input of the hostile corpus: a text for one front end, made by a function of its size, and how it is compiled.

>>> @family("ebnf", 2, 4)
... def repeated(n: int) -> str:
...     return "root ::= " + '"a" ' * n
>>> [(made.name, made.make()) for made in FAMILIES.pop().inputs()]
[('ebnf/repeated/2', 'root ::= "a" "a" '), ('ebnf/repeated/4', 'root ::= "a" "a" "a" "a" ')]

Texts are made when they are needed: a thousand of them, some of a megabyte, are never in memory together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

__all__ = ["FAMILIES", "FRONT_ENDS", "MAX_BYTES", "Family", "FrontEnd", "Input", "family"]

FrontEnd = Literal["ebnf", "regex", "json_schema", "lark", "structural_tag", "tools"]
FRONT_ENDS: tuple[FrontEnd, ...] = ("ebnf", "regex", "json_schema", "lark", "structural_tag", "tools")
Keywords = Mapping[str, Any]

MAX_BYTES = 1 << 20  # of a text; beyond it nothing is promised


@dataclass(frozen=True)
class Input:
    """One text and how it is compiled.

    `options` are those of `EngineOptions`, `keywords` those of the front end. What `make` returns is what the front end
    reads: text, or for schemas, tags and tools the value that JSON text would give.
    """

    front_end: FrontEnd
    family: str
    size: int
    make: Callable[[], Any]
    options: Keywords = field(default_factory=dict[str, Any])
    keywords: Keywords = field(default_factory=dict[str, Any])
    variant: str = ""

    @property
    def name(self) -> str:
        """The front end, the family, the size, and what is unusual about the options."""
        return f"{self.front_end}/{self.family}/{self.size}" + (f"?{self.variant}" if self.variant else "")

    def varied(self, variant: str, options: Keywords, keywords: Keywords) -> Input:
        """The same text under other options."""
        return replace(
            self, variant=variant, options={**self.options, **options}, keywords={**self.keywords, **keywords}
        )


@dataclass(frozen=True)
class Family:
    """Texts of one shape in several sizes."""

    front_end: FrontEnd
    name: str
    make: Callable[[int], Any]
    sizes: tuple[int, ...]
    keywords: Keywords

    def inputs(self) -> Iterator[Input]:
        """One input a size."""
        for size in self.sizes:
            yield Input(
                self.front_end, self.name, size, lambda size=size: self.make(size), keywords=dict(self.keywords)
            )


FAMILIES: list[Family] = []


def family(front_end: FrontEnd, *sizes: int, **keywords: Any) -> Callable[[Callable[[int], Any]], Callable[[int], Any]]:
    """Declares a function of a size as a family of inputs; its name is the function's."""

    def declare(make: Callable[[int], Any]) -> Callable[[int], Any]:
        FAMILIES.append(Family(front_end, make.__name__.strip("_"), make, sizes, keywords))
        return make

    return declare
