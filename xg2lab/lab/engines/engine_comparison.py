r"""What a comparison of engines has found: each engine's masks and times, where two part, and who is wrong there.

>>> from xg2lab import TokenizerInfo
>>> from xg2lab.lab.engines.comparing_engines import compare_engines
>>> info = TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> report = compare_engines(EngineSource("regex", "ab"), "ab", ["xg2lab", "xg2lab-pda"], info)
>>> report.groups, report.rows[1].n_allowed
([[0, 0], [0, 0], [0, 0]], [1, 1, 1])

IDEA
  A page draws it while it grows, so a row says how far its engine has come. At each step, engines whose masks are equal
  are in one group: any two can be told apart by that, and the masks themselves travel once, each against the first.

See also `xg2lab.lab.engines.comparing_engines`, which finds it; `xg2lab.widgets.views.compare`, which shows it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, ClassVar, Literal, cast

import numpy as np
import numpy.typing as npt

from xg2lab.errors import ArgumentError
from xg2lab.lab.engines.engine_issues import engine_issue
from xg2lab.lab.engines.protocol import EngineSource, Row
from xg2lab.lab.trace.compared_masks import ComparedMasks
from xg2lab.lab.trace.table import shown, time_text
from xg2lab.show.html import findings_html

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.session.session import Session

__all__ = ["GRAVEST", "EngineComparison", "EngineDisagreement", "EnginePhase", "EngineRow", "Verdict", "VerdictKind"]

#: Why an engine is wrong: it allows what is not valid, forbids what is, allows a valid value in fewer spellings than
#: there are, or its mask is not what its own `accept` says.
VerdictKind = Literal["allows_invalid", "forbids_valid", "narrower", "mask_is_not_accept", "undecided"]

GRAVEST: list[VerdictKind] = ["mask_is_not_accept", "allows_invalid", "forbids_valid", "narrower", "undecided"]

#: What an engine is at: it waits for its turn, its process starts, it compiles, its masks are made, then timed again.
EnginePhase = Literal["waiting", "starting", "compiling", "masks", "times", "done"]

MOST_ISSUE = 64 << 10  # characters of an issue that a page carries
MOST_IDS = 100  # ids that one mask alone has, on the wire

#: A token that one of two masks alone allows: its id, readable text, bytes, and whether it is the first that has it.
Listed = tuple[int, str, bytes, bool]


@dataclass
class EngineRow:
    """One engine's part of a comparison.

    Attributes
    ----------
    name, version : str
        The engine.
    refused : str
        Why it does not read the grammar; "" if it does.
    failed : str
        How it failed: the error's reason and message; "" if it did not.
    compile_us : list of float
        Microseconds of the first compilation, which also prepares the vocabulary, and of the second.
    cold_us, warm_us : list of float
        Microseconds of each mask: just after the second compilation, and the median of three more replays.
    taken : list of bool
        Whether each token was accepted, as far as the engine follows.
    masks : list of bytes
        The bitmask of each step.
    n_allowed : list of int
        The number of tokens that each mask allows.
    phase : str
        How far it has come: "waiting", "starting", "compiling", "masks", "times" or "done".
    """

    name: str
    version: str = ""
    refused: str = ""
    failed: str = ""
    compile_us: list[float] = field(default_factory=list[float])
    cold_us: list[float] = field(default_factory=list[float])
    warm_us: list[float] = field(default_factory=list[float])
    taken: list[bool] = field(default_factory=list[bool])
    masks: list[bytes] = field(default_factory=list[bytes])
    n_allowed: list[int] = field(default_factory=list[int])
    phase: EnginePhase = "waiting"

    @property
    def refuses(self) -> int | None:
        """The step at which the engine refuses the token; None if the engine took all that it was asked about."""
        return None if all(self.taken) else len(self.taken) - 1

    @property
    def n_followed(self) -> int:
        """The number of tokens that the engine accepted."""
        return sum(self.taken)

    def mask(self, step: int) -> Row:
        """The bitmask of a step, int32[ceil(vocab_size / 32)]."""
        return np.frombuffer(self.masks[step], np.int32)


@dataclass(frozen=True)
class Verdict:
    """Who is wrong at a disagreement.

    Attributes
    ----------
    wrong : str
        The engine; "" if undecided.
    kind : str
        "allows_invalid", "forbids_valid", "narrower" (a valid value is allowed in another spelling only: another order
        of properties, other white space), "mask_is_not_accept" or "undecided".
    why : str
        The reason, with the instance.
    instance : str
        The text that decides; "" if there is none.
    """

    wrong: str
    kind: VerdictKind
    why: str
    instance: str = ""

    def __str__(self) -> str:
        if self.kind == "undecided":
            return f"undecided: {self.why}"
        verb = "is narrower than the grammar" if self.kind == "narrower" else "is wrong"
        return f"{self.wrong} {verb}: {self.why}"


@dataclass
class EngineDisagreement:
    """A step at which two engines part.

    Attributes
    ----------
    a, b : str
        The engines; `a` is the reference.
    step, byte : int
        The step, and where in the text it begins.
    token_id : int or None
        The text's token there; None at its end.
    text : str
        That token as readers see it.
    takes_a, takes_b : bool
        Whether each accepts it (True at the end).
    only_a, only_b : int[n]
        The ids that one mask alone allows.
    data : bytes
        The bytes of the text's token; a special token has those of its name.
    listed : list of (int, str, bytes, bool)
        The first of the tokens that differ: id, text, bytes, and whether `a` is the one that allows it.
    verdicts : list of Verdict
        Who is wrong; both may be. One may say "undecided"; none: it was not asked, or not yet.
    """

    a: str
    b: str
    step: int
    byte: int
    token_id: int | None
    text: str
    takes_a: bool
    takes_b: bool
    only_a: npt.NDArray[np.int64]
    only_b: npt.NDArray[np.int64]
    data: bytes = b""
    listed: list[Listed] = field(default_factory=list[Listed])
    verdicts: list[Verdict] = field(default_factory=list[Verdict])


@dataclass
class EngineComparison:
    """What a comparison of engines has found.

    Attributes
    ----------
    source : EngineSource
        The grammar.
    ids : list of int
        The tokens of the compared text.
    texts : list of str
        Each token as readers see it.
    ends : list of int
        Where each token begins in the text, and where the text ends: len(ids) + 1 numbers.
    vocab_size : int
        Tokens of the vocabulary.
    rows : list of EngineRow
        One for each engine, the reference first.
    disagreements : list of EngineDisagreement
        For each engine but the first: the first masks that differ, and the first token of the text that one alone
        takes.
    is_over : bool
        Whether the text ends with a stop token, so that no mask comes after it.
    doing : str
        What is being done; "" when nothing is.
    n_done, n_all : int
        Parts of the work that are done, and all.
    seconds : float
        The time so far.
    stopped : str
        Why the comparison is incomplete: "cancelled"; "" if it is complete.
    is_running : bool
        Whether the comparison is still at work.
    session : Session or None
        The session whose grammar and output were compared, if any.
    """

    #: What shows the comparison of a session in a notebook; `xg2lab.widgets` sets it when it is imported.
    display: ClassVar[Callable[[Session, EngineComparison], None] | None] = None

    source: EngineSource
    ids: list[int]
    texts: list[str]
    output: bytes
    vocab_size: int
    rows: list[EngineRow]
    disagreements: list[EngineDisagreement] = field(default_factory=list[EngineDisagreement])
    ends: list[int] = field(default_factory=lambda: [0])
    is_over: bool = False
    doing: str = ""
    n_done: int = 0
    n_all: int = 0
    seconds: float = 0.0
    stopped: str = ""
    is_running: bool = True
    session: Session | None = field(default=None, repr=False, compare=False)

    @property
    def n_steps(self) -> int:
        """The number of masks of an engine that follows the whole text."""
        return len(self.ids) + (not self.is_over)

    @property
    def groups(self) -> list[list[int]]:
        """For each step and engine, a number: equal for equal masks, -1 where the engine has none."""
        found: list[list[int]] = []
        for step in range(self.n_steps):
            known: dict[bytes, int] = {}
            masks = [row.masks[step] if step < len(row.masks) else None for row in self.rows]
            found.append([-1 if mask is None else known.setdefault(mask, len(known)) for mask in masks])
        return found

    def masks(self, step: int, a: int, b: int) -> tuple[Row, Row]:
        """Return the bitmasks of two engines at a step.

        Parameters
        ----------
        step : int
            The step.
        a, b : int
            The places of the engines in `rows`.

        Returns
        -------
        tuple of int32[ceil(vocab_size / 32)]
            Both bitmasks.

        Raises
        ------
        ArgumentError
            There is no such engine, or it has no mask at this step.
        """
        for k in (a, b):
            if not 0 <= k < len(self.rows):
                raise ArgumentError(f"there is no engine {k}", hint=f"{len(self.rows)} were compared")
            if not 0 <= step < len(self.rows[k].masks):
                raise ArgumentError(
                    f"{self.rows[k].name} has no mask at step {step}", hint=f"it has {len(self.rows[k].masks)}"
                )
        return self.rows[a].mask(step), self.rows[b].mask(step)

    @property
    def ok(self) -> bool:
        """Whether no two engines disagree, and none failed. An engine that refuses the grammar does not count."""
        return not self.disagreements and not any(row.failed for row in self.rows)

    def row(self, name: str) -> EngineRow:
        """Return the part of one engine.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        EngineRow
            Its part.

        Raises
        ------
        ArgumentError
            The engine was not compared.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise ArgumentError(
            f"{name!r} was not compared", hint=f"compared were {', '.join(row.name for row in self.rows)}"
        )

    def _has_issue(self, row: EngineRow) -> bool:
        return bool(row.refused or row.failed or any(row.name in (one.a, one.b) for one in self.disagreements))

    def issue_text(self, name: str) -> str:
        """Return a disagreement, a failure or a refusal as the text of an issue, in the form of that project.

        Parameters
        ----------
        name : str
            The engine that the issue is about.

        Returns
        -------
        str
            Markdown: a title, what happened, lines that show it with that project's own names, and versions.

        Raises
        ------
        ArgumentError
            The engine was not compared, or there is nothing to report about it.
        """
        row = self.row(name)
        of_it = [one for one in self.disagreements if name in (one.a, one.b)]
        found = max(of_it, key=lambda one: _gravity(one, name), default=None)
        if not self._has_issue(row):
            raise ArgumentError(f"there is nothing to report about {name}", hint="print(report) says what was compared")
        verdict = (
            None
            if found is None
            else min((v for v in found.verdicts if v.wrong == name), key=lambda v: GRAVEST.index(v.kind), default=None)
        )
        said = str(verdict or (found.verdicts[0] if found and found.verdicts else ""))
        before = self.output if found is None else self.output[: found.byte]
        data = b""
        expected: bool | None = None
        if verdict is not None and verdict.instance:
            data, expected = verdict.instance.encode(), verdict.kind != "allows_invalid"
        others = [f"{one.name} {one.version}" for one in self.rows if one.name != name]
        return engine_issue(
            self.source,
            name=name,
            version=row.version,
            problem=row.failed or (f"refused: {row.refused}" if row.refused else said),
            before=before,
            instance=data,
            expected=expected,
            others=others,
        )

    def to_wire(self) -> schema.EngineReport:
        """Return the comparison as JSON values.

        Returns
        -------
        dict
            The engines with their times, the disagreements with their verdicts, the text for readers, and the masks of
            as many steps as find room.
        """
        wire = {
            "kind": self.source.kind,
            "vocab_size": self.vocab_size,
            "n_steps": self.n_steps,
            "n_bytes": self.ends[-1],
            "tape": [[begin, text] for begin, text in zip(self.ends, self.texts, strict=False)],
            "ok": self.ok,
            "says": str(self),
            "engines": [self._row_wire(row) for row in self.rows],
            "groups": self.groups,
            "disagreements": [_disagreement_wire(one) for one in self.disagreements],
            "masks": "" if self.is_running else base64.b64encode(self._packed()).decode(),
            **{name: getattr(self, name) for name in ("doing", "n_done", "n_all", "seconds", "stopped", "is_running")},
        }
        return cast("schema.EngineReport", wire)

    def _row_wire(self, row: EngineRow) -> dict[str, object]:
        issue = ""
        if not self.is_running and self._has_issue(row):
            issue = self.issue_text(row.name)
        names = ("name", "version", "phase", "refused", "failed", "n_allowed", "n_followed", "refuses")
        times = {"compile_us": row.compile_us, "cold_us": row.cold_us, "warm_us": row.warm_us}
        return {
            **{name: getattr(row, name) for name in names},
            **{name: [round(us, 2) for us in all_us] for name, all_us in times.items()},
            "issue": issue if len(issue) <= MOST_ISSUE else None,
        }

    def _packed(self) -> bytes:
        """The masks as a page reads them; an engine that has none at a step is given the first one's."""
        masks = ComparedMasks()
        for step in range(max((len(row.masks) for row in self.rows), default=0)):
            rows = [row.mask(step) if step < len(row.masks) else None for row in self.rows]
            base = next(row for row in rows if row is not None)
            masks.add(*(base if row is None else row for row in rows))
        return masks.packed() if len(masks) else b""

    def __str__(self) -> str:
        what = f"{self.source.kind}, {len(self.ids)} tokens of a vocabulary of {self.vocab_size:,}"
        lines = [what, *(_row_text(row, len(self.ids)) for row in self.rows)]
        for one in self.disagreements:
            lines += _disagreement_text(one)
        if self.stopped:
            lines.append(f"stopped: {self.stopped}")
        elif self.is_running:
            lines.append(f"at work: {self.doing}")
        elif not self.disagreements:
            n = sum(not row.refused and not row.failed for row in self.rows)
            lines.append(
                f"the {n} engines that read it agree on every mask" if n > 1 else "no two engines can be compared"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return findings_html(str(self))

    def _ipython_display_(self) -> None:
        """Show it on the page of `Compare`, if it is about a session and `xg2lab.widgets` is imported; else as text."""
        shows = type(self).display
        if shows is None or self.session is None:
            raise NotImplementedError  # IPython goes on with `_repr_html_`
        shows(self.session, self)


def _gravity(one: EngineDisagreement, name: str) -> int:
    """How grave a disagreement is for an engine: the greater, the graver."""
    return max((len(GRAVEST) - GRAVEST.index(v.kind) for v in one.verdicts if v.wrong == name), default=0)


def _row_text(row: EngineRow, n_tokens: int) -> str:
    name = f"  {row.name} {row.version}".rstrip().ljust(22)
    if row.refused:
        return f"{name} refused: {row.refused}"
    if row.failed:
        return f"{name} {row.failed}"
    if not row.compile_us:
        return f"{name} not reached"
    times = [f"compile {time_text(row.compile_us[0])}, again {time_text(row.compile_us[-1])}"]
    if row.cold_us:
        times.append(f"masks cold {time_text(median(row.cold_us))} (first {time_text(row.cold_us[0])})")
    if row.warm_us:
        times.append(f"warm {time_text(median(row.warm_us))}")
    return f"{name} {', '.join(times)}; takes {row.n_followed} of {n_tokens} tokens"


def _disagreement_text(one: EngineDisagreement) -> list[str]:
    where = "at the end of the text" if one.token_id is None else f"before {shown(one.text)}"
    takes = {(True, False): f": {one.a} alone takes it", (False, True): f": {one.b} alone takes it"}
    masks = f"{len(one.only_a):,} tokens in the mask of {one.a} alone, {len(one.only_b):,} in that of {one.b}"
    first = f"{one.a} and {one.b} part at step {one.step}, byte {one.byte}, {where}"
    return [first + takes.get((one.takes_a, one.takes_b), ""), f"  {masks}", *(f"  {v}" for v in one.verdicts)]


def _disagreement_wire(one: EngineDisagreement) -> dict[str, object]:
    return {
        "a": one.a,
        "b": one.b,
        "step": one.step,
        "byte": one.byte,
        "token_id": one.token_id,
        "text": one.text,
        "bytes": one.data.hex(),
        "takes_a": one.takes_a,
        "takes_b": one.takes_b,
        "n_only_a": len(one.only_a),
        "n_only_b": len(one.only_b),
        "only_a": one.only_a[:MOST_IDS].tolist(),
        "only_b": one.only_b[:MOST_IDS].tolist(),
        "listed": [[token_id, text, data.hex(), is_of_a] for token_id, text, data, is_of_a in one.listed],
        "verdicts": [
            {"wrong": v.wrong, "kind": v.kind, "why": v.why, "instance": v.instance, "says": str(v)}
            for v in one.verdicts
        ],
    }
