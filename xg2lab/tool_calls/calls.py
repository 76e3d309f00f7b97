"""The parts of an answer: reasoning, text, and tool calls.

>>> ParsedAnswer(content="It is sunny.").tool_calls
[]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ParsedAnswer", "ToolCall"]


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool, with its arguments as JSON values."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class ParsedAnswer:
    """A model's answer, read: `reasoning` is None where there is none; `content` is the text around the calls."""

    reasoning: str | None = None
    content: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
