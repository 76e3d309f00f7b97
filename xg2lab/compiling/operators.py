r"""The tree of operators that a grammar without recursion is, and where in it a text so far is.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"<", b">", b";", b"</s>"], stop_token_ids=[4])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "<" name{1,2} ">"   name ::= [a-z]+ ";"')
>>> matcher = xgr.GrammarMatcher(compiled)
>>> matcher.accept_string("<a;")
True
>>> tree, active = compiled.operators(), matcher.active_operators()
>>> print(tree.listing(active))
   0  Sequence
   1    Write "<"
   2    DoWhile min=1, max=2
   3      Sequence
   4        DoWhile min=1
*  5          Wait allows=[a-z]
   6        Write ";"
*  7    Write ">"
>>> [str(each) for each in active], tree.is_deterministic, tree.most_active
(['5 in 2.1', '7'], True, 2)

`Write`, `Wait`, `IfElse`, `Sequence` and `DoWhile` are WGrammar's operators (section 3.2). A rule is expanded at each
of its calls, so an operator has one position, which determines its continuation. The tree is made for views and
messages, whichever parser runs.

Shapes and units: operators are numbered from 0 in depth-first order; spans are bytes of the grammar's source.
See also: docs/design/0041-operators.md; `xg2lab.reference.operators`, the definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from xg2lab import _core
from xg2lab.errors import visible
from xg2lab.show.dot import Dot, Theme, digraph, ink_of, quoted

if TYPE_CHECKING:
    from xg2lab.compiler import CompiledGrammar

__all__ = ["ActiveOperator", "Operator", "OperatorTree"]

DEFAULT_MAX_OPERATORS = 100_000
MOST_INDENT = 200  # levels, so that a deep tree has no listing of gigabytes
MOST_LINES = 400  # in a notebook, which keeps what it shows
MOST_OF_A_LINE = 200  # characters


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of a tree.

    Parameters
    ----------
    number : int
        Its place in depth-first order.
    kind : str
        `"Write"`, `"Wait"`, `"IfElse"`, `"Sequence"` or `"DoWhile"`.
    label : str
        The kind, and what it writes, waits for or repeats, as in the listing.
    rule : str
        The rule in whose body it is written. In an instance of a template, the rule of one element of a list has the
        element in its name: `row.xs.0`.
    span : (int, int)
        Its place in the source; in an instance, in the template's text.
    parent : int or None
        The number of the operator that it is part of; None for the root.
    children : tuple of int
        The numbers of its parts, in order.
    least, most : int or None
        How often a DoWhile repeats; `most` is None without a limit. Both are None for other kinds.
    slot : str or None
        The template's slot whose argument it was made from.
    argument : str or None
        A JSON Pointer to that argument, or else to the element of a list that its rule was written for.
    """

    number: int
    kind: str
    label: str
    rule: str
    span: tuple[int, int]
    parent: int | None
    children: tuple[int, ...]
    least: int | None = None
    most: int | None = None
    slot: str | None = None
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class ActiveOperator:
    """A position of the text so far: a leaf that may take the next byte or token.

    Parameters
    ----------
    operator : Operator
        The leaf.
    n_written : int
        For a Write: how many of its bytes are written. 0 for others.
    counts : tuple of (int, int, int)
        For each DoWhile around the leaf, outermost first: its number, and the lowest and highest number of the
        repetition that may be running, from 1. A number that a larger or smaller one represents is left out: `*`, `+`
        and `?` always have 1.
    watched : bytes
        For a Wait for tags: the end of the text so far that begins one of them. Empty for others.
    within : tuple of ActiveOperator
        For a Wait for a shortest match: the positions within it, with the counts within it.
    """

    operator: Operator
    n_written: int = 0
    counts: tuple[tuple[int, int, int], ...] = ()
    watched: bytes = b""
    within: tuple[ActiveOperator, ...] = ()

    def __str__(self) -> str:
        counts = ".".join(f"{low}" if low == high else f"{low}-{high}" for _, low, high in self.counts)
        return f"{self.operator.number} in {counts}" if counts else f"{self.operator.number}"


@dataclass(frozen=True, eq=False)
class OperatorTree:
    """All operators of a grammar; made by `CompiledGrammar.operators()`.

    Attributes: `operators` (by number), `is_deterministic`, `most_active`, `rivals`. `len(tree)` counts the operators,
    and `str(tree)` is the listing. The analysis runs when first asked for; it raises LimitError beyond the time or
    memory of `xg2lab.work_limits`.
    """

    _made: _core.OperatorTree = field(repr=False)

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """The operators, by number. The first is the root."""
        return tuple(
            Operator(number, kind, label_of(kind, reads, least, most), rule, span, parent, children, least, most, *slot)
            for number, (kind, reads, rule, span, parent, children, least, most, *slot) in enumerate(self._made.rows())
        )

    @property
    def is_deterministic(self) -> bool | None:
        """Whether no byte and no token edge is ever taken by two active positions.

        None: texts lead to too many sets of positions to find out, and no simpler test proves it.
        """
        return self._determinism[0]

    @property
    def most_active(self) -> int | None:
        """How many positions a text can make active at once; None: too many sets to find out."""
        return self._determinism[1]

    @property
    def rivals(self) -> tuple[Operator, Operator] | None:
        """Two leaves that take the same byte or token at once, or one twice, if the tree is not deterministic."""
        numbers = self._determinism[2]
        return numbers and (self.operators[numbers[0]], self.operators[numbers[1]])

    @cached_property
    def _determinism(self) -> tuple[bool | None, int | None, tuple[int, int] | None]:
        return self._made.determinism()

    def listing(self, active: Iterable[ActiveOperator | int] = ()) -> str:
        """The tree as text, an operator a line; those in `active` are marked. Lines below level 200 stay at its indent.

        Parameters
        ----------
        active : iterable of ActiveOperator or int
            Positions of `GrammarMatcher.active_operators()`, or numbers of operators.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
        >>> print(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" | "b"{2}').operators().listing([1]))
           0  IfElse
        *  1    Write "a"
           2    DoWhile min=2, max=2
           3      Write "b"
        """
        return "\n".join(self._lines(numbers_of(active)))

    def _lines(self, marked: set[int]) -> Iterator[str]:
        width = len(str(len(self.operators) - 1))
        depths: list[int] = []
        for operator in self.operators:
            depths.append(0 if operator.parent is None else depths[operator.parent] + 1)
            mark = ("*  " if operator.number in marked else "   ") if marked else ""
            yield f"{mark}{operator.number:{width}}  {'  ' * min(depths[-1], MOST_INDENT)}{operator.label}"

    def __str__(self) -> str:
        return self.listing()

    def __len__(self) -> int:
        return len(self.operators)

    def to_dot(self, active: Iterable[ActiveOperator | int] = (), *, theme: Theme = "light") -> Dot:
        r"""The tree as DOT, Graphviz's language; those in `active` are lit. `.to_graphviz()` makes it a picture.

        >>> import xg2lab as xgr
        >>> info = xgr.TokenizerInfo([b"a", b"</s>"], stop_token_ids=[1])
        >>> tree = xgr.GrammarCompiler(info).compile_grammar('root ::= "a"{2}').operators()
        >>> print(*tree.to_dot().splitlines()[-4:], sep="\n")
          o0 [label="0  DoWhile min=2, max=2"];
          o1 [label="1  Write \"a\""];
          o0 -> o1;
        }
        """
        ink, marked = ink_of(theme), numbers_of(active)
        lines: list[str] = []
        for operator in self.operators:
            lit = f' style="filled,bold" fillcolor="{ink["wash"]}" color="{ink["live"]}"'
            label = quoted(f"{operator.number}  {shortened(operator.label)}")
            lines.append(f"o{operator.number} [label={label}{lit if operator.number in marked else ''}];")
        lines += [f"o{one.number} -> o{child};" for one in self.operators for child in one.children]
        return digraph("operators", lines, theme, down=True, node=" shape=box")

    def _repr_html_(self) -> str:
        lines = [escape(visible(shortened(line)), quote=False) for line in islice(self._lines(set()), MOST_LINES)]
        n_more = len(self) - len(lines)
        more = f"\n… {n_more:,} more operator{'s' * (n_more > 1)}" if n_more else ""
        return (
            f"<details open><summary>{len(self):,} operator{'s' * (len(self) > 1)}</summary>"
            f'<pre style="margin: 0">{chr(10).join(lines)}{more}</pre></details>'
        )

    # ---- Active positions ----

    def _active(self, row: tuple[Any, ...], root: int = 0) -> ActiveOperator:
        number, state, counts, watched, within = row
        operator = self.operators[number]
        loops = self._loops(number, root)
        return ActiveOperator(
            operator,
            state if operator.kind == "Write" else 0,
            tuple((loop, low, high) for loop, (low, high) in zip(loops, counts, strict=True)),
            watched or b"",
            tuple(self._active(inner, operator.children[0]) for inner in within),
        )

    def _loops(self, number: int, root: int) -> list[int]:
        """The DoWhiles around an operator, outermost first, up to `root`."""
        found: list[int] = []
        while number != root:
            parent = self.operators[number].parent
            assert parent is not None, "every operator is within the root"
            number = parent
            if self.operators[number].kind == "DoWhile":
                found.insert(0, number)
        return found


def tree_of(compiled: CompiledGrammar, max_operators: int) -> OperatorTree:
    """Makes the tree of a grammar."""
    return OperatorTree(_core.OperatorTree.of(compiled, max_operators))


def written_bytes(tree: OperatorTree) -> list[bytes | None]:
    """Return the bytes that each operator of a tree writes, by number; None for all but a Write of bytes."""
    rows = tree._made.rows()  # pyright: ignore[reportPrivateUsage]
    return [reads[1] if reads and reads[0] == "bytes" and kind == "Write" else None for kind, reads, *_ in rows]


def active_operators(matcher: _core.GrammarMatcher) -> list[ActiveOperator]:
    """The result of `GrammarMatcher.active_operators()`."""
    compiled: CompiledGrammar = matcher.compiled_grammar
    known = compiled._operators  # pyright: ignore[reportPrivateUsage]
    tree = known if known is not None else compiled.operators()
    rows = matcher._active_positions(tree._made)  # pyright: ignore[reportPrivateUsage]
    return [tree._active(row) for row in rows]  # pyright: ignore[reportPrivateUsage]


def numbers_of(active: Iterable[ActiveOperator | int]) -> set[int]:
    """The numbers of operators."""
    return {each if isinstance(each, int) else each.operator.number for each in active}


# ---- Labels ----


def label_of(kind: str, reads: tuple[Any, ...], least: int | None, most: int | None) -> str:
    """The name of an operator, and what it allows."""
    if kind == "DoWhile":
        return f"DoWhile min={least}" + ("" if most is None else f", max={most}")
    match reads:
        case "bytes", data:
            words = literal(data)
        case "tokens", ids, is_negated:
            tokens = f"{'Exclude' * is_negated}Token({', '.join(map(str, ids))})"
            words = tokens if kind == "Write" else f"{'denies' if is_negated else 'allows'}={tokens}"
        case "class", ranges:
            words = "allows=" + class_text(ranges)
        case "watched", tags, stops, excludes:
            named = {"waits": tags, "stops": stops, "denies": excludes}
            words = ", ".join(f"{name}={'|'.join(map(literal, texts))}" for name, texts in named.items() if texts)
        case "machine", text:
            words = f"matches={text}"
        case ("shortest",):
            words = "shortest"
        case _:
            words = ""
    return f"{kind} {words}".rstrip()


def literal(data: bytes) -> str:
    """Bytes in quotes, those that can't be shown as escapes."""
    text = data.decode(errors="backslashreplace")
    shown = "".join(point if point.isprintable() else repr(point)[1:-1] for point in text)
    return '"' + shown.replace('"', '\\"') + '"'


def class_text(ranges: Sequence[tuple[int, int]]) -> str:
    """Ranges of code points in brackets."""
    words = ("-".join(literal(chr(point).encode())[1:-1] for point in sorted({*each})) for each in ranges)
    return f"[{''.join(words)}]"


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= MOST_OF_A_LINE else f"{text[: MOST_OF_A_LINE - 1]}…"
