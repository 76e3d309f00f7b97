r"""What went wrong with an engine as the text of an issue, with lines that show it by that project's own names alone.

>>> text = engine_issue(EngineSource("regex", "a+"), name="xgrammar", version="0.2.8", problem="refused: no",
...     before=b"", instance=b"", expected=None, others=["xg2lab 0.1.0"])
>>> text.splitlines()[0]
'[Bug] regex: refused: no'
>>> "xgr.Grammar.from_regex" in text
True

IDEA
  A maintainer runs what needs no model, no vocabulary of somebody's and no other engine: a vocabulary of the 256 bytes
  and the whole text that decides. What two projects ask for in their forms is in `_FORMS`.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xg2lab.lab.engines.protocol import EngineSource
from xg2lab.lab.trace.issue import literal

__all__ = ["engine_issue", "reproducer"]

_TITLE = 100  # characters of a problem in a title


class _Form(NamedTuple):
    """The headings that a project's form for bugs has, and what its titles begin with."""

    title: str
    problem: str
    steps: str
    expected: str
    versions: str


_FORMS = {
    "xgrammar": _Form("[Bug] ", "### Describe the bug", "### Reproduction", "### Expected behavior", "### Environment"),
    "llguidance": _Form("", "**The bug**", "**To Reproduce**", "**Expected**", "**System info**"),
}
_USUAL = _Form("", "## What happens", "## How to see it", "## What is right", "## Versions")


def engine_issue(
    source: EngineSource,
    *,
    name: str,
    version: str,
    problem: str,
    before: bytes,
    instance: bytes,
    expected: bool | None,
    others: Sequence[str],
) -> str:
    """The text of an issue, in Markdown: the title on the first line.

    `instance`: the text that decides, with `expected`, whether it is to be accepted; without one, `before` is what was
    read when the engines parted. `others`: the engines that it was compared with.
    """
    form = _FORMS.get(name, _USUAL)
    short = problem if len(problem) <= _TITLE else problem[: _TITLE - 1] + "…"
    lines = [f"{form.title}{source.kind}: {' '.join(short.split())}", "", form.problem, "", problem, "", form.steps, ""]
    lines += ["```python", reproducer(source, name, instance or before, expected), "```", ""]
    if expected is not None:
        verb = "accepted" if expected else "refused"
        lines += [form.expected, "", f"The text is {verb}. It is {'not ' if expected else ''}accepted today.", ""]
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    lines += [form.versions, "", f"- {name} {version}", f"- {system}"]
    lines += [f"- compared with {', '.join(others)}"] if others else []
    return "\n".join([*lines, ""])


def reproducer(source: EngineSource, name: str, text: bytes, expected: bool | None) -> str:
    """Lines that run with one engine installed. With `expected` they end in an assertion that fails today.

    >>> exec(reproducer(EngineSource("regex", "a+"), "xg2lab", b"aa", None))
    accepted: True
    """
    make = _MAKERS.get(name.split(" ")[0].removesuffix("-pda").removesuffix("-plain"), _by_protocol)
    lines = [*make(source, name), f"text = {text!r}", 'print("accepted:", accepted(text))']
    if expected is not None:
        lines.append(f"assert accepted(text) is {expected}")
    return "\n".join(lines)


def _options(source: EngineSource) -> str:
    return "".join(f", {name}={value!r}" for name, value in source.schema_options.items())


def _with_api_of_xgrammar(package: str) -> Callable[[EngineSource, str], list[str]]:
    """The lines of two projects that have one API."""

    def lines(source: EngineSource, name: str) -> list[str]:
        text = literal(source.text)
        calls = {
            "json_schema": f"from_json_schema({text}{_options(source)})",
            "ebnf": f"from_ebnf({text}{'' if source.root == 'root' else f', root_rule_name={source.root!r}'})",
            "lark": f"from_lark({text})",
            "regex": f"from_regex({text})",
            "structural_tag": f"from_structural_tag({text})",
        }
        switches = {"xg2lab-pda": ', options=xgr.EngineOptions(parser="pda")'}.get(name, "")
        return [
            f"import {package} as xgr",
            "",
            f"grammar = xgr.Grammar.{calls[source.kind]}",
            'info = xgr.TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])',
            f"compiled = xgr.GrammarCompiler(info{switches}).compile_grammar(grammar)",
            "",
            "def accepted(text):",
            "    matcher = xgr.GrammarMatcher(compiled)",
            "    return matcher.accept_string(text) and matcher.is_completed()",
            "",
        ]

    return lines


def _of_llguidance(source: EngineSource, name: str) -> list[str]:  # noqa: ARG001 (as the others)
    text = literal(source.text)
    calls = {
        "json_schema": f"LLMatcher.grammar_from_json_schema({text})",
        "ebnf": f'grammar_from("gbnf", {text})',
        "lark": f"LLMatcher.grammar_from_lark({text})",
        "regex": f"LLMatcher.grammar_from_regex({text})",
        "structural_tag": repr("llguidance reads no structural tags"),
    }
    return [
        "from llguidance import LLMatcher, LLTokenizer, grammar_from",
        "",
        'tokenizer = LLTokenizer("byte")',
        f"grammar = {calls[source.kind]}",
        "",
        "def accepted(text):",
        "    matcher = LLMatcher(tokenizer, grammar)",
        "    return matcher.consume_tokens(tokenizer.tokenize_bytes(text)) and matcher.is_accepting()",
        "",
    ]


def _by_protocol(source: EngineSource, name: str) -> list[str]:
    return [
        "from xg2lab import TokenizerInfo",
        "from xg2lab.lab.engines import EngineSource, Worker",
        "",
        f"source = EngineSource({source.kind!r}, {literal(source.text)}, {dict(source.options)!r}, {source.root!r})",
        'info = TokenizerInfo([*(bytes([k]) for k in range(256)), b"</s>"], stop_token_ids=[256])',
        f"engine = {name!r}  # a name of engine_names(), package.module:Class, or an object",
        "",
        "def accepted(text):",
        "    with Worker(engine, info) as worker:",
        "        worker.compile(source)",
        "        return worker.takes([*text, 256]) == len(text) + 1",
        "",
    ]


_MAKERS: dict[str, Callable[[EngineSource, str], list[str]]] = {
    "xg2lab": _with_api_of_xgrammar("xg2lab"),
    "xgrammar": _with_api_of_xgrammar("xgrammar"),
    "llguidance": _of_llguidance,
}
