"""The parts of records: their base class, numbers with bounds, lists, rows whose members have names.

>>> from pydantic import TypeAdapter
>>> TypeAdapter(Span).validate_python([3, 9])
[3, 9]
>>> TypeAdapter(Annotated[list[Any], Row(name=str, us=float)]).validate_python(["lower", 2])
['lower', 2.0]

IDEA
  A record is a `TypedDict`, because a trace holds dicts and a reader writes `explanation["reason"]`: pydantic checks a
  dict and returns a dict. A row is a list whose members have a name and a type each. Python's types can't say that of a
  list, so the row's members are in its metadata. A member may be any type, and pydantic hands its hooks any type:
  these parameters are `Any`.

See also `docs/design/0045-one-schema.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, with_config
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

__all__ = [
    "BeforeAfter",
    "ByteRange",
    "CacheClass",
    "Hex",
    "Lane",
    "Listing",
    "Names",
    "Natural",
    "OrMinusOne",
    "Positive",
    "Row",
    "Span",
    "Status",
    "Table",
    "TokenKey",
    "Wire",
]


#: The status of a session.
Status = Literal["idle", "running", "paused", "completed", "terminated", "error"]


@with_config(ConfigDict(strict=True, extra="allow", allow_inf_nan=False))
class Wire(TypedDict):
    """The base class of all records. Unknown fields are kept; values are never converted."""


class Names:
    """The names of a list's members, where all members have one type: the metadata of an `Annotated` list."""

    def __init__(self, *names: str) -> None:
        self.names = names


class First:
    """Of a list or an object: the check ends at the first wrong member, since one error is all that is reported.

    Without it a hostile file of millions of wrong members would make millions of errors.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of `source` with `fail_fast` (pydantic's own `FailFast` can't stand in a union)."""
        schema: Any = handler(source)
        return schema | {"fail_fast": True}


class Row:
    """The members of a list by name, each with its type: the metadata of an `Annotated[list[Any], Row(...)]`.

    The last member may be absent if `optional` is true; a null there reads as absent.
    """

    def __init__(self, *, optional: bool = False, **members: Any) -> None:
        self.members, self.optional = members, optional

    def __get_pydantic_core_schema__(self, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the members as those of a tuple, and return a list."""
        items = [handler.generate_schema(member) for member in self.members.values()]
        made: Any = list
        if self.optional:
            items[-1] = core_schema.with_default_schema(core_schema.nullable_schema(items[-1]), default=None)
            made = _without_none
        return core_schema.no_info_after_validator_function(made, core_schema.tuple_schema(items, strict=False))


def _without_none(row: tuple[Any, ...]) -> list[Any]:
    """Return the row as a list, without its last member if that is None."""
    return list(row if row[-1] is not None else row[:-1])


Member = TypeVar("Member")
Key = TypeVar("Key")
#: A list of any length.
Listing = Annotated[list[Member], First()]
#: An object with any keys of one kind.
Table = Annotated[dict[Key, Member], First()]

Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
OrMinusOne = Annotated[int, Field(ge=-1)]
#: Bytes in hexadecimal.
Hex = Annotated[str, Field(pattern="^(?:[0-9a-fA-F]{2})*$", title="bytes in hexadecimal")]
#: A number as the key of an object: a token id, or the index of a step.
TokenKey = Annotated[str, Field(pattern="^[0-9]{1,10}$", title="named by a number")]

if TYPE_CHECKING:
    # The engine's own records have tuples where those that came through JSON have lists.
    Span = Sequence[int]
    ByteRange = Sequence[int]
else:
    #: A half-open range of bytes: of the grammar's text, unless another text is named.
    Span = Annotated[list[Natural], Field(min_length=2, max_length=2), First(), Names("begin", "end")]
    #: A range of byte values; both ends belong to it.
    ByteRange = Annotated[list[Natural], Field(min_length=2, max_length=2), First(), Names("lo", "hi")]
#: An interval in nanoseconds of the session's clock.
Lane = Annotated[list[Natural], Field(min_length=2, max_length=2), First(), Names("begin", "end")]
#: A count before a pass of the compiler, and after it.
BeforeAfter = Annotated[list[Natural], Field(min_length=2, max_length=2), First(), Names("before", "after")]
#: How a mask, or the entry of one state, was found.
CacheClass = Literal["context_hit", "perfect_hit", "partial_hit", "miss"]
