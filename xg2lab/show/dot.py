r"""Graphs as DOT, Graphviz's language: text that any program can keep, and that a slide or a paper can restyle.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"*')
>>> print(compiled.to_dot())                                                       # doctest: +ELLIPSIS
digraph "root" {
  ...
  s0 [label="0"];
  s1 [label="1" shape=doublecircle];
  s0 -> s1 [label="\"a\""];
  s1 -> s1 [label="\"b\""];
}

Writing DOT needs no package. `to_graphviz()` gives the same as a `graphviz.Source`, which a notebook shows as a
picture: it needs the package of that name (`pip install xg2lab[pictures]`), and Graphviz's own program to draw.

See also `xg2lab.lab.trace.graphs` (trees, charts, stacks and triggers of a session), `View.to_svg`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from xg2lab.errors import ArgumentError, PictureError
from xg2lab.support.files import write_file

__all__ = ["Dot", "Ink", "Machines", "Theme", "digraph", "ink_of", "machine_dot", "quoted"]

Theme = Literal["light", "dark"]
Edge = dict[str, Any]
SHORTEST_LITERAL = 3


class Ink(dict[str, str]):
    """Colours by meaning, those of the views."""


_INKS: dict[str, Ink] = {
    "light": Ink(
        paper="#ffffff", ink="#1a1d21", line="#646b76", live="#0067ad", wash="#e0eefa", new="#00926a", warning="#845400"
    ),
    "dark": Ink(
        paper="#15181c", ink="#e9ebee", line="#979fa9", live="#4ba6e8", wash="#15314a", new="#2fbd96", warning="#efb136"
    ),
}
_MONO = "monospace"


def ink_of(theme: str) -> Ink:
    """The colours of a theme."""
    if theme not in _INKS:
        raise ArgumentError(f"there is no theme {theme!r}", hint='"light" or "dark"')
    return _INKS[theme]


class Dot(str):
    """DOT as text, which can become a picture."""

    __slots__ = ()

    def to_graphviz(self) -> Any:
        """Return the graph as a `graphviz.Source`. Raises `PictureError` without the package."""
        try:
            import graphviz
        except ImportError as error:
            raise PictureError(
                "to_graphviz() needs the package graphviz, which is not installed",
                hint="pip install xg2lab[pictures]; to_dot() gives the same as text, and needs no package",
            ) from error
        return graphviz.Source(str(self))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the text to a file."""
        return write_file(path, self)


def quoted(text: str) -> str:
    """A string of DOT; backslashes stay backslashes, what can't be shown is escaped as in Python."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'


def digraph(name: str, lines: Iterable[str], theme: str, *, down: bool = False, node: str = "") -> Dot:
    """A whole graph: the theme's colours and our fonts, then what was given, line by line."""
    ink = ink_of(theme)
    head = [
        f'rankdir={"TB" if down else "LR"}; bgcolor="{ink["paper"]}"; nodesep=0.3; ranksep=0.35; margin=0.1;',
        f'node [fontname="{_MONO}" fontsize=12 color="{ink["line"]}" fontcolor="{ink["ink"]}"{node}];',
        f'edge [fontname="{_MONO}" fontsize=11 color="{ink["line"]}" fontcolor="{ink["ink"]}" arrowsize=0.7];',
    ]
    body = "".join(f"  {line}\n" for line in [*head, *lines])
    return Dot(f"digraph {quoted(name)} {{\n{body}}}\n")


# ---- The machine of a rule ----------------------------------------------------------------------


def rule_named(program: Mapping[str, Any], rule: int | str | None) -> dict[str, Any]:
    """A rule by name or number; None is the root."""
    rules: list[dict[str, Any]] = program["rules"]
    wanted = rules[0]["id"] if rule is None else rule
    for one in rules:
        if wanted in (one["id"], one["name"]):
            return one
    raise ArgumentError(
        f"there is no rule {rule!r} in the compiled grammar",
        hint=", ".join(one["name"] for one in rules)
        + "; small rules are written into their callers: EngineOptions(rule_inlining=False) keeps them",
    )


def machine_dot(
    program: Mapping[str, Any],
    rule: int | str | None = None,
    *,
    live: Collection[int] = (),
    theme: Theme = "light",
    fold: bool = True,
) -> Dot:
    """The machine of one rule, numbered from its first state; `live` states are lit.

    `fold`: three or more single bytes in a row are one edge with their text, as long as no state between them is live,
    accepting or entered from elsewhere.
    """
    chosen = rule_named(program, rule)
    first, end = chosen["states"]
    ink = ink_of(theme)
    edges = [e for e in program["edges"] if first <= e["from"] < end]
    inner: set[int] = _inner(program, chosen, edges, live) if fold else set()
    lines = [f'entry [shape=point width=0.05 color="{ink["line"]}"];', f"entry -> s{chosen['start'] - first};"]
    lines += [
        _state_line(state, first, ink, is_live=state["id"] in live)
        for state in program["states"][first:end]
        if state["id"] not in inner
    ]
    outgoing: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        outgoing[edge["from"]].append(edge)
    for edge in edges:
        if edge["from"] in inner:
            continue
        chain = [edge]
        while chain[-1]["to"] in inner:
            chain.append(outgoing[chain[-1]["to"]][0])
        style = f' fontcolor="{ink["live"]}" style=bold' if edge["kind"] == "rule" else ""
        lines.append(f"s{edge['from'] - first} -> s{chain[-1]['to'] - first} [label={quoted(_label(chain))}{style}];")
    return digraph(chosen["name"], lines, theme, node=" shape=circle width=0.4 margin=0.03")


class Machines:
    """The machines of a compiled grammar's rules as graphs."""

    def to_dot(
        self: Any,
        rule: int | str | None = None,
        *,
        live: Collection[int] = (),
        theme: Theme = "light",
        fold: bool = True,
    ) -> Dot:
        """Write the machine of a rule as DOT, Graphviz's language.

        Parameters
        ----------
        rule : int or str, optional
            A rule's number or name; the root if left out.
        live : collection of int
            States to highlight, such as `{item["state"] for item in matcher.live_items()}`.
        theme : "light" or "dark"
            The colours.
        fold : bool
            Whether three or more single bytes in a row are drawn as one edge.

        Returns
        -------
        Dot
            A str with `to_graphviz()` and `save(path)`.

        Raises
        ------
        ArgumentError
            There is no such rule or theme.
        """
        return machine_dot(self.program(), rule, live=live, theme=theme, fold=fold)

    def to_graphviz(self, rule: int | str | None = None, **options: Any) -> Any:
        """Return the machine of a rule as a `graphviz.Source`, which a notebook shows as a picture.

        Parameters
        ----------
        rule : int or str, optional
            As for `to_dot`.
        **options
            The other parameters of `to_dot`.

        Returns
        -------
        graphviz.Source
            Drawing it needs Graphviz's own program.

        Raises
        ------
        PictureError
            The package graphviz is missing: `pip install xg2lab[pictures]`.

        No example: the result is an object of a package that may be missing; `to_dot` has the same text.
        """
        return self.to_dot(rule, **options).to_graphviz()


def _state_line(state: dict[str, Any], first: int, ink: Ink, *, is_live: bool) -> str:
    more = " shape=doublecircle" if state["accepting"] else ""
    if is_live:
        more += f' style="filled,bold" fillcolor="{ink["wash"]}" color="{ink["live"]}"'
    return f'{_name(state["id"] - first)} [label="{state["id"] - first}"{more}];'


def _name(number: int) -> str:
    return f"s{number}"


def _single(edge: Edge) -> int | None:
    ranges = edge["ranges"]
    return ranges[0][0] if edge["kind"] == "bytes" and len(ranges) == 1 and ranges[0][0] == ranges[0][1] else None


def _inner(program: Mapping[str, Any], rule: dict[str, Any], edges: list[Edge], live: Collection[int]) -> set[int]:
    """States inside a literal: one byte leads in, one leads out, and nothing else happens there."""
    into: dict[int, list[Edge]] = defaultdict(list)
    out: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        into[edge["to"]].append(edge)
        out[edge["from"]].append(edge)
    first, end = rule["states"]
    inner = {
        state["id"]
        for state in program["states"][first:end]
        if not state["accepting"]
        and state["id"] != rule["start"]
        and state["id"] not in live
        and len(into[state["id"]]) == len(out[state["id"]]) == 1
        and _single(into[state["id"]][0]) is not None
        and _single(out[state["id"]][0]) is not None
    }
    for start in [edge for edge in edges if edge["from"] not in inner and edge["to"] in inner]:
        chain, edge = [], start
        while edge["to"] in inner and edge["to"] not in chain:
            chain.append(edge["to"])
            edge = out[edge["to"]][0]
        if len(chain) + 1 < SHORTEST_LITERAL:
            inner.difference_update(chain)
    # a ring that nothing enters from outside is no literal
    entered = {edge["to"] for edge in edges if edge["from"] not in inner}
    return {state for state in inner if _leads_back(state, into, inner, entered)}


def _leads_back(state: int, into: dict[int, list[Edge]], inner: set[int], entered: set[int]) -> bool:
    seen: set[int] = set()
    while state not in entered:
        if state in seen or state not in inner:
            return False
        seen.add(state)
        state = into[state][0]["from"]
    return True


def _label(chain: list[Edge]) -> str:
    if len(chain) == 1:
        return str(chain[0]["label"])
    data = bytes(edge["ranges"][0][0] for edge in chain)
    return '"' + data.decode("utf-8", "backslashreplace").replace('"', '\\"') + '"'
