"""The paper's claims, each beside what was measured here, and whether it holds.

    claim       what the paper says, and where
    paper       its factor
    measured    ours, in the same sense: above 1, templates or operators are the better
    over        which two figures the factor divides
    holds       "yes" from the paper's factor on, "in part" above 1, else "no"; or "not measured"
    why         what the factor is made of, or what is missing

The paper measures on a GPU with a model, and "overhead" is over decoding without a grammar. Here a factor compares what
the engines take, on one thread of the CPU, without a model. No figure is taken over from the paper or from an earlier
run: a row without a measurement says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import scaling
from benchmarks.record import Figures
from benchmarks.templates import targets

SECTIONS = 60  # the paper's outlines take "more than 60 rules"
MIN_CUBIC = 2.5  # an exponent from here on is taken as cubic
TASK = "outlines, text tags"  # the form that the paper's baselines can take
NOT_MEASURED = targets.NOT_MEASURED
NOT_THE_CLAIM = "not tested by this"


@dataclass(frozen=True)
class Rows:
    """The rows of a run, found by engine, way, task and size."""

    rows: Sequence[Figures]

    def find(self, engine: str, way: str = "", task: str = TASK, n: int = SECTIONS) -> Figures | None:
        """The first row of an engine whose name begins so."""
        for row in self.rows:
            fits = str(row["engine"]).startswith(engine) and way in {"", row["way"]}
            if fits and row["task"] == task and row["n"] == n:
                return row
        return None

    def value(self, figure: str, engine: str, way: str = "", task: str = TASK, n: int = SECTIONS) -> float | None:
        """A figure of that row; None where there is none."""
        row = self.find(engine, way, task, n)
        found = None if row is None else row.get(figure)
        return None if found is None else float(found)


def table(rows: Sequence[Figures]) -> list[Figures]:
    """All claims, with what the rows of a run say about them."""
    of = Rows(rows)
    return [*speed_ups(of), *transitions(of), cached_masks(of), *growths(of), *table_1(of)]


def claim(
    text: str, paper: float | str, over: str, measured: float | None, why: str, holds: str | None = None
) -> Figures:
    """One row."""
    row: dict[str, float | int | str] = {"claim": text, "paper": paper, "over": over}
    if measured is not None:
        row["measured"] = measured
    if holds is None:
        holds = NOT_MEASURED if measured is None else verdict(measured, float(paper))
    return {**row, "holds": holds, "why": why}


def verdict(measured: float, paper: float) -> str:
    """Whether a factor reaches the paper's.

    >>> verdict(260, 250), verdict(40, 250), verdict(0.9, 2)
    ('yes', 'in part', 'no')
    """
    return "yes" if measured >= paper else "in part" if measured > 1 else "no"


def ratio(theirs: float | None, ours: float | None) -> float | None:
    """Theirs over ours, where both were measured."""
    return None if theirs is None or not ours else theirs / ours


PEERS = (
    ("xgrammar 0.1.18", "older peer"),
    ("outlines 0.2.3", "older peer"),
    ("xgrammar", "rules"),
    ("llguidance", "rules"),
)


def label(of: Rows, engine: str, way: str, n: int) -> str:
    """An engine's name and version, or what was asked for where the run has no such row."""
    row = of.find(engine, way, n=n)
    return engine if row is None else str(row["engine"]).removesuffix(f", {way}")


def size_of(of: Rows, engine: str, way: str) -> int:
    """The number of sections to compare at: `SECTIONS`, or 10 for an engine that came no further."""
    return next((n for n in (SECTIONS, 10) if of.find(engine, way, n=n)), SECTIONS)


def speed_ups(of: Rows) -> Iterator[Figures]:
    """First tokens, compilation, and time a token, over the paper's baselines and over today's peers."""
    for engine, way in PEERS:
        n = size_of(of, engine, way)
        name = f"{label(of, engine, way, n)}'s text over our"
        row = claim if engine.startswith("xgrammar") else aside  # the factors are over XGrammar
        for figure, text, paper in (
            ("first_cpu_ms", "250 times less time to first token than XGrammar (abstract)", 250.0),
            ("compile_cpu_ms", "175 times less compilation than XGrammar (section 4.3)", 175.0),
        ):
            theirs = of.value(figure if way == "older peer" else f"{figure}_p50", engine, way, n=n)
            instance = ratio(theirs, of.value(f"{figure}_p50", "xg2lab", "template", n=n))
            yield row(text, paper, f"{name} instance, {n} sections", instance, "both begin at the request")
            plain = ratio(theirs, of.value(f"{figure}_p50", "xg2lab", "rules", n=n))
            yield aside(text, paper, f"{name} text, {n} sections", plain, "no template: the baseline's age alone")
    yield from time_a_token(of)


def aside(text: str, paper: float, over: str, measured: float | None, why: str) -> Figures:
    """A row that shows what a claim is measured against, and does not test it."""
    return claim(text, paper, over, measured, why, holds=NOT_MEASURED if measured is None else NOT_THE_CLAIM)


def time_a_token(of: Rows) -> Iterator[Figures]:
    """The claim on time per output token: what the engines take is measured, the model's part is not."""
    text = "2.33 times less overhead a token than XGrammar (abstract)"
    for engine, way in PEERS[::2]:
        n = size_of(of, engine, way)
        old = way == "older peer"
        theirs = sum_of(of, engine, way, n, ("mask_cpu_us_mean", "accept_cpu_us_mean" if old else "accept_us_mean"))
        for our_way in ("template", "written out"):
            ours = sum_of(of, "xg2lab", our_way, n, ("mask_cpu_us_mean", "accept_us_mean"))
            over = f"{label(of, engine, way, n)} over our {our_way}, mask and accept of a token, {n} sections"
            yield claim(text, 2.33, over, ratio(theirs, ours), "the engines alone, without a model")
    over = "overheads over decoding without a grammar, with a model on a GPU"
    yield claim(text, 2.33, over, None, "needs a model's forward passes beside the masks")


def sum_of(of: Rows, engine: str, way: str, n: int, figures: Sequence[str]) -> float | None:
    """The sum of some figures of a row; None where one is missing."""
    found = [of.value(figure, engine, way, n=n) for figure in figures]
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def transitions(of: Rows) -> Iterator[Figures]:
    """State tracking by operators."""
    text = "transitions 7 to 8 times faster without a stack (section 4.3)"
    for parser in ("earley", "pda"):
        for when, why in (
            ("warm", "a step that is known is one load, whichever parser made it"),
            ("cold", "a new set of positions is put together of known lists, as new columns and stacks are"),
        ):
            theirs, ours = (
                of.value(f"{when}_ns_per_byte", "xg2lab", f"accepted by {one}") for one in (parser, "operators")
            )
            yield claim(
                text, 7.0, f'parser="{parser}" over "operators", {when}, the same bytes', ratio(theirs, ours), why
            )
    theirs = of.value("accept_us_p50", "xgrammar", "rules")
    ours = of.value("accept_us_p50", "xg2lab", "written out")
    over = f"{label(of, 'xgrammar', 'rules', SECTIONS)}'s accept over ours, p50, {SECTIONS} sections"
    yield aside(text, 7.0, over, ratio(theirs, ours), "our default parser, which has items and origins")


def cached_masks(of: Rows) -> Figures:
    """Masks kept for all requests, against masks of each grammar's own."""
    return claim(
        "masks 2 times faster by a cache for all requests (section 4.3)",
        2.0,
        "mean mask from the second request on: each grammar's own entries over entries of all",
        ratio(
            of.value("mask_cpu_us_mean", "xg2lab", "written out, no shared masks"),
            of.value("mask_cpu_us_mean", "xg2lab", "written out"),
        ),
        "the written-out grammar, the cross-grammar cache off and on",
    )


def growths(of: Rows) -> Iterator[Figures]:
    """How compilation grows with the outline, of which the paper says O(n^3)."""
    text = "the peer compiles in O(n^3) (section 3.1)"
    for engine, way in (*PEERS, ("xgrammar", "one rule")):
        figure = "compile_cpu_ms" if way == "older peer" else "compile_cpu_ms_p50"
        points = [(n, of.value(figure, engine, way, n=n)) for n in (10, 60, 240)]
        known = [(n, value) for n, value in points if value is not None]
        exponent = scaling.slope([(float(n), value) for n, value in known]) if len(known) > 1 else None
        times = "; ".join(f"{n} sections {value:.3g} ms" for n, value in known)
        over = f"exponent of compilation over sections, {label(of, engine, way, 10)}, {way}"
        holds = NOT_MEASURED if exponent is None else "yes" if exponent >= MIN_CUBIC else "no"
        yield claim(text, 3.0, over, exponent, times, holds=holds)
    for n in (10, 60, 240):
        share = ratio(
            of.value("read_cpu_ms_p50", "xgrammar", "rules", n=n),
            of.value("compile_cpu_ms_p50", "xgrammar", "rules", n=n),
        )
        over = f"share of reading the text in compilation, {label(of, 'xgrammar', 'rules', n)}, {n} sections"
        yield aside(text, 3.0, over, share, "the rest makes its machines and its masks")


def table_1(of: Rows) -> Iterator[Figures]:
    """What Table 1 says of Reference-Lookup and of json-mode-eval."""
    text = "Reference-Lookup is slower with a template (4.70 ms) than without (4.17 ms) (Table 1)"
    for task, way in (("Reference-Lookup, EBNF", "rules"), ("Reference-Lookup, schema", "schema")):
        without = of.value("first_cpu_ms_p50", "xg2lab", way, task)
        factor = ratio(without, of.value("first_cpu_ms_p50", "xg2lab", "template", task))
        why = "above 1 the template is the quicker, as in the paper's other two tasks"
        holds = NOT_MEASURED if factor is None else "yes" if factor < 1 else "no"
        yield claim(
            text, 4.17 / 4.70, f"our text over our instance to the first mask, {task}", factor, why, holds=holds
        )
    yield brackets()


def brackets() -> Figures:
    """Table 1's reductions of the time a token in json-mode-eval, by its own overheads: Outlines' over each."""
    outlines = 20.55
    printed = {
        "XGrammar": (0.89, 25),
        "WGrammar (online)": (0.70, 32),
        "WGrammar": (0.67, 34),
    }
    follows = "; ".join(f"{name}: {outlines / own:.1f}, printed {factor}" for name, (own, factor) in printed.items())
    return claim(
        "json-mode-eval's brackets are its reductions compared with Outlines (Table 1)",
        "",
        f"the table's own figures: {outlines} ms over each overhead",
        None,
        follows,
        holds="no" if any(round(outlines / own) != factor for own, factor in printed.values()) else "yes",
    )
