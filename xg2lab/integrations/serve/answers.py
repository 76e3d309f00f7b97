r"""The text of an answer as parts, as soon as they are certain: reasoning, content, calls of tools and their arguments.

>>> reader = AnswerReader("qwen_3", {"add": False})
>>> for text in ("Sure. <tool", '_call>\n{"name": "add", "argu', 'ments": {"a": ', "1}}\n</tool_call>"):
...     print(reader.feed(text))
[Part(kind='content', text='Sure.', index=-1, name='')]
[]
[Part(kind='call', text='', index=0, name='add'), Part(kind='arguments', text='{"a": ', index=0, name='add')]
[Part(kind='arguments', text='1}', index=0, name='add')]
>>> reader.finish()
[]

An answer that streams and one that doesn't are read by the same reader, so they say the same. Arguments that are JSON
are passed on as the model writes them. In other styles (`<parameter=a>`, `{a:1}`) a call is read when it is whole, and
so is the text of a custom tool. Formats that lay an answer out as messages or elements are read at its end.

See also: `xg2lab.tool_calls.parse`, which reads whole answers; the tests hold the two against each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from xg2lab.errors import ToolCallError
from xg2lab.integrations.serve.texts import held_back
from xg2lab.tool_calls import parse
from xg2lab.tool_calls.formats import CALL_INDEX, ModelFormat
from xg2lab.tool_calls.reading import form_of

__all__ = ["AnswerReader", "Part"]

Kind = Literal["reasoning", "content", "call", "arguments"]
_State = Literal["begin", "reasoning", "text", "section", "head", "json", "whole", "tail", "everything"]
#: Characters after a trigger in which a call's head must be complete; else the trigger is text.
_MOST_HEAD = 512
_ANY_NAME = '[^<>{}"\\n]+'


@dataclass(frozen=True)
class Part:
    """A part of an answer.

    Parameters
    ----------
    kind : "reasoning", "content", "call" or "arguments"
        "call": a call of the tool `name` begins. "arguments": more of its arguments, or of a custom tool's text.
    text : str
        The text.
    index : int
        The number of the call, from 0.
    name : str
        The tool.

    >>> Part("content", "Hi").index
    -1
    """

    kind: Kind
    text: str = ""
    index: int = -1
    name: str = ""


class AnswerReader:
    """Reads one answer.

    Parameters
    ----------
    model_format : str
        A name of `xg2lab.tool_calls.formats`.
    tools : mapping of str to bool
        The tools' names, and whether each is a custom one. Empty: triggers of calls are text.
    accepts : mapping of str to callable, optional
        For custom tools with a grammar: whether a text is a whole sentence of it.
    reasoning : "disabled", "auto" or "enabled"
        Whether reasoning comes first.
    definitions : list, optional
        The tools as `xg2lab.tool_calls.parse` takes them.

    >>> AnswerReader("qwen_3", {}).feed("Hi")
    [Part(kind='content', text='Hi', index=-1, name='')]
    """

    def __init__(
        self,
        model_format: str,
        tools: Mapping[str, bool],
        *,
        accepts: Mapping[str, Callable[[str], bool]] | None = None,
        reasoning: Literal["disabled", "auto", "enabled"] = "disabled",
        definitions: list[Any] | None = None,
    ) -> None:
        self._model_format, self._tools = model_format, dict(tools)
        self._accepts = dict(accepts or {})
        self._definitions = definitions
        self._form: ModelFormat = form_of(model_format)
        self._reasons = reasoning != "disabled" and self._form.think is not None
        self._must_reason = reasoning == "enabled"
        self._is_plain = not self._tools and not self._reasons
        self._rest = ""  # not yet read
        self._space = ""  # behind the content so far; dropped at the end, and in front
        self._has_content = False
        self._n_calls = 0
        self._name = ""
        self._json = _JsonEnd()
        self._n_searched = 0
        self._head, self._known = _head_pattern(self._form, ()), _head_pattern(self._form, tuple(self._tools))
        # A name at a head's end may go on, up to the longest.
        self._n_name = max(map(len, self._tools), default=0) + 1 if self._form.head.endswith("NAME") else 0
        self._state: _State = "begin" if self._reasons or self._form.no_think else "text"
        if self._form.layout != "usual" and not self._is_plain:
            self._state = "everything"

    def feed(self, text: str) -> list[Part]:
        """Read more of the answer.

        Parameters
        ----------
        text : str
            The next characters.

        Returns
        -------
        list of Part
            What has become certain.

        The class's example feeds a text.
        """
        if self._is_plain:
            return [Part("content", text)] if text else []
        self._rest += text
        return self._read(is_final=False)

    def finish(self) -> list[Part]:
        """Read the end of the answer, whole or cut short.

        Returns
        -------
        list of Part
            What was held back. The arguments of a call that was cut short are as the model wrote them.

        >>> reader = AnswerReader("qwen_3", {"add": False})
        >>> reader.feed("a <tool_"), reader.finish()
        ([Part(kind='content', text='a', index=-1, name='')], [Part(kind='content', text=' <tool_', index=-1, name='')])
        """
        if self._is_plain:
            return []
        parts = self._whole_answer() if self._state == "everything" else self._read(is_final=True)
        self._rest = ""
        return parts

    # ---- States ---------------------------------------------------------------------------------

    def _read(self, *, is_final: bool) -> list[Part]:
        """Go from state to state until the rest of the text decides nothing more."""
        parts: list[Part] = []
        states: dict[_State, Callable[[list[Part], bool], bool]] = {
            "begin": self._at_begin,
            "reasoning": self._in_reasoning,
            "text": self._in_text,
            "section": self._in_section,
            "head": self._in_head,
            "json": self._in_json,
            "whole": self._in_whole,
            "tail": self._in_tail,
        }
        while self._state != "everything" and states[self._state](parts, is_final):
            pass
        return [part for part in parts if part.text or part.kind == "call"]

    def _at_begin(self, _parts: list[Part], is_final: bool) -> bool:
        """Whether the answer begins with reasoning, or with the mark that there is none."""
        think = self._form.think
        begin = think[0].rstrip("\n") if self._reasons and think is not None else self._form.no_think.strip()
        rest = self._rest.lstrip()
        if rest.startswith(begin):
            self._rest, self._state = rest[len(begin) :], "reasoning" if self._reasons else "text"
            return True
        if begin.startswith(rest) and not is_final:
            return False
        self._state = "reasoning" if self._must_reason else "text"
        return True

    def _in_reasoning(self, parts: list[Part], is_final: bool) -> bool:
        assert self._form.think is not None
        end = self._form.think[1]
        inside, mark, behind = self._rest.partition(end)
        if mark:
            self._say(parts, "reasoning", inside)
            self._rest, self._state, self._space, self._has_content = behind, "text", "", False
            return True
        n_held = 0 if is_final else held_back(self._rest, [end])
        certain = len(self._rest) - n_held
        self._say(parts, "reasoning", self._rest[:certain])
        self._rest = self._rest[certain:]
        return False

    def _in_text(self, parts: list[Part], is_final: bool) -> bool:
        if not self._tools:
            self._say(parts, "content", self._rest)
            self._rest = ""
            return False
        place = self._rest.find(self._form.opens)
        if place >= 0:
            self._say(parts, "content", self._rest[:place])
            self._rest = self._rest[place:]
            self._state = "section" if self._form.section[0] else "head"
            if self._state == "section":
                self._rest = self._rest[len(self._form.section[0].rstrip("\n")) :]
            return True
        n_held = 0 if is_final else held_back(self._rest, [self._form.opens])
        certain = len(self._rest) - n_held
        self._say(parts, "content", self._rest[:certain])
        self._rest = self._rest[certain:]
        return False

    def _in_section(self, _parts: list[Part], is_final: bool) -> bool:
        """Between the calls of a section."""
        end = self._form.section[1]
        rest = self._rest.lstrip()
        if rest.startswith(end):
            self._rest, self._state = rest[len(end) :], "text"
            return True
        if not rest or (end.startswith(rest) and not is_final):
            return False
        self._rest, self._state = rest, "head"
        return True

    def _in_head(self, parts: list[Part], is_final: bool) -> bool:
        found = self._found_head(is_final=is_final)
        if found is not None:
            self._name = found["name"].strip()
            parts.append(Part("call", index=self._n_calls, name=self._name))
            self._n_calls += 1
            self._rest = self._rest[found.end() :]
            is_json = self._form.style == "json" and not self._tools.get(self._name, False)
            self._state, self._json, self._n_searched = ("json" if is_json else "whole"), _JsonEnd(), 0
            return True
        if is_final or len(self._rest) > _MOST_HEAD:  # no call: text that only begins like one
            n_text = 1 if not is_final else len(self._rest)
            self._say(parts, "content", self._rest[:n_text])
            self._rest, self._state = self._rest[n_text:], "text"
            return bool(self._rest)
        return False

    def _found_head(self, *, is_final: bool) -> re.Match[str] | None:
        """The head of a call, once its name is certain: one of the tools', or else any."""
        known = self._known.match(self._rest)
        if known is not None:
            if len(self._rest) < known.start("name") + self._n_name and not is_final:
                return None
            behind = self._rest[known.end() : known.end() + 1]
            if self._tools[known["name"]] or not self._n_name or not re.match(r"[\w.\-]", behind):
                return known
        found = self._head.match(self._rest)
        return found if found is not None and (found.end() < len(self._rest) or is_final) else None

    def _in_json(self, parts: list[Part], _is_final: bool) -> bool:
        """Arguments that are JSON: passed on as they come, up to the brace that closes them."""
        end = self._json.find(self._rest)
        said = self._rest if end is None else self._rest[:end]
        if not self._json.has_begun:
            said = ""
        parts.append(Part("arguments", said.lstrip() if self._json.is_first else said, self._n_calls - 1, self._name))
        self._json.is_first = self._json.is_first and not said.strip()
        self._rest = self._rest[len(said) :] if end is None else self._rest[end:]
        if end is None:
            return False
        self._state = "tail"
        return True

    def _in_whole(self, parts: list[Part], is_final: bool) -> bool:
        """Arguments in another style, and texts of custom tools: passed on when the call is whole."""
        tail = self._form.tail.strip("\n").lstrip()
        place = self._rest.find(tail, self._n_searched)
        while place >= 0:
            said = self._whole_call(self._rest[:place])
            if said is not None:
                parts.append(Part("arguments", said, self._n_calls - 1, self._name))
                self._rest, self._state = self._rest[place:], "tail"
                return True
            place = self._rest.find(tail, place + 1)
        self._n_searched = max(0, len(self._rest) - len(tail) + 1)  # a place that was no end will be none later
        if is_final:
            parts.append(Part("arguments", self._rest, self._n_calls - 1, self._name))
            self._rest = ""
        return False

    def _whole_call(self, inside: str) -> str | None:
        """The arguments as JSON, or the text of a custom tool; None if the call does not end here."""
        if self._tools.get(self._name, False):
            accepts = self._accepts.get(self._name)
            tail = self._form.tail  # its own line breaks are none of the text
            inside = inside.removesuffix(tail[: len(tail) - len(tail.lstrip())])
            inside = inside.removeprefix("\n") if self._form.head.endswith("\n") else inside
            return inside if accepts is None or accepts(inside) else None
        begin, end = self._form.section
        text = begin + self._form.head_of(self._name, 0) + inside + self._form.tail + end
        try:
            calls = parse(self._model_format, text, self._definitions).tool_calls
        except ToolCallError:
            return None
        return json.dumps(calls[0].arguments, ensure_ascii=False) if len(calls) == 1 else None

    def _in_tail(self, _parts: list[Part], is_final: bool) -> bool:
        tail = self._form.tail.strip("\n").lstrip()
        rest = self._rest.lstrip()
        if rest.startswith(tail):
            self._rest = rest[len(tail) :]
        elif tail.startswith(rest) and not is_final:
            return False
        self._state = "section" if self._form.section[0] else "text"
        return True

    def _say(self, parts: list[Part], kind: Kind, text: str) -> None:
        """Text without the whitespace around it; that within it stays, once more text has come."""
        text = self._space + text
        if not self._has_content:
            text = text.lstrip()
        said = text.rstrip()
        self._space = text[len(said) :]
        if said:
            self._has_content = True
            parts.append(Part(kind, said))

    def _whole_answer(self) -> list[Part]:
        """The parts of an answer in messages or elements."""
        try:
            answer = parse(self._model_format, self._rest, self._definitions)
        except ToolCallError:
            return [Part("content", self._rest)]
        parts = [Part("reasoning", answer.reasoning)] if answer.reasoning else []
        if answer.content:
            parts.append(Part("content", answer.content))
        for index, call in enumerate(answer.tool_calls if self._tools else []):
            parts.append(Part("call", index=index, name=call.name))
            parts.append(Part("arguments", json.dumps(call.arguments, ensure_ascii=False), index, call.name))
        return parts


class _JsonEnd:
    """Finds the end of an object in JSON text that comes in pieces."""

    def __init__(self) -> None:
        self.depth = 0
        self.has_begun = False
        self.is_first = True
        self._in_string = self._is_escaped = False

    def find(self, text: str) -> int | None:
        """The place behind the object's closing brace, if it is in this piece."""
        for place, character in enumerate(text):
            if self._in_string:
                if self._is_escaped:
                    self._is_escaped = False
                elif character == "\\":
                    self._is_escaped = True
                elif character == '"':
                    self._in_string = False
            elif character == '"':
                self._in_string = True
            elif character in "{[":
                self.has_begun = True
                self.depth += 1
            elif character in "}]":
                self.depth -= 1
                if self.depth <= 0 and self.has_begun:
                    return place + 1
        return None


def _head_pattern(form: ModelFormat, names: tuple[str, ...]) -> re.Pattern[str]:
    """The pattern of a call's head: of the tools with these names, the longest first, or of any tool."""
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    name = f"(?P<name>{known or _ANY_NAME})"
    pattern = re.escape(form.head).replace("NAME", name).replace("INDEX", CALL_INDEX)
    return re.compile(pattern.rstrip("\\\n") if pattern.endswith("\\\n") else pattern)
