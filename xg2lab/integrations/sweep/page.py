r"""The page of a sweep: distributions whose bars lead to cases, in one file that needs no network.

>>> from xg2lab.integrations.sweep.rows import empty_row
>>> text = results_page([{**empty_row("c0ffee", 1, "refused"), "schema": '{"const": "</script>"}'}])
>>> text.count("</script>"), "1 refused" in text
(2, True)

IDEA
  Every bar is a group of rows: a verdict, a keyword, a bucket of times, a kind of disagreement. The page has the counts
  of all groups and the first cases of each, within a bound; the file of rows has the rest. A row comes once, however
  many groups it is in.

  Nothing of the input is HTML: static parts are escaped here, and cases are JSON that the script (`page.js`) puts into
  the page as text. The page's own policy forbids every script but that one, and any connection.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any, Literal

from xg2lab.errors import visible
from xg2lab.integrations.sweep.rows import VERDICTS, SweepRow, bucket_of, bucket_us, quantile_of
from xg2lab.integrations.sweep.summary import EngineSummary, SweepSummary

__all__ = ["results_page"]

CASES_OF_A_GROUP = 20
MOST_SCHEMA = 20_000  # characters of a case's schema
MOST_BYTES = 24 << 20  # of all cases together; groups that come later then have none
_MOST_BARS = 25
_MOST_TEXT = 300

#: Groups that the page may open with, as a beginning and an end of their keys, the gravest first.
_FIRST_SHOWN = (
    ("mask_not_accept/", ""),
    ("wrongly_", ""),
    ("verdict/", "/crashed"),
    ("verdict/", "/timeout"),
    ("verdict/", "/failed"),
    ("verdict/", "/refused"),
)

Tone = Literal["good", "warn", "bad", ""]
_TONES: dict[str, Tone] = {"compiled": "good", "refused": "warn"}


@dataclass
class _Group:
    """The rows of one bar."""

    title: str
    n: int = 0
    cases: list[int] = field(default_factory=list[int])


@dataclass
class _Pages:
    """Groups and cases, gathered row by row."""

    groups: dict[str, _Group] = field(default_factory=dict[str, _Group])
    cases: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    n_bytes: int = 0

    def add(self, row: SweepRow) -> None:
        """Put a row into its groups, and keep it if one of them has room."""
        index: int | None = None
        for key, title in _groups_of(row):
            group = self.groups.setdefault(visible(key), _Group(visible(title)))
            group.n += 1
            if len(group.cases) >= CASES_OF_A_GROUP:
                continue
            if index is None:
                if self.n_bytes > MOST_BYTES:
                    continue
                index = len(self.cases)
                self.cases.append(_case(row))
                self.n_bytes += len(json.dumps(self.cases[-1]))
            group.cases.append(index)

    def first(self) -> str:
        """The group that the page opens with: what went wrong, if anything did."""
        keys = [*self.groups]
        found = (key for sign in _FIRST_SHOWN for key in keys if key.startswith(sign[0]) and key.endswith(sign[1]))
        return next(found, keys[0] if keys else "")

    def data(self) -> str:
        """The groups and cases as JSON that may stand in a script element."""
        groups = {key: {"title": one.title, "n": one.n, "cases": one.cases} for key, one in self.groups.items()}
        text = json.dumps({"groups": groups, "cases": self.cases, "first": self.first()})
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def results_page(rows: Iterable[SweepRow], *, title: str = "Sweep") -> str:
    """Return the page of a sweep.

    Parameters
    ----------
    rows : iterable of SweepRow
        As `read_rows` yields them; they are read once.
    title : str
        The heading.

    Returns
    -------
    str
        A whole HTML document, with its styles, script and cases.

    >>> results_page([]).startswith("<!doctype html>")
    True
    """
    summary, pages = SweepSummary(), _Pages()
    command = ""
    for row in rows:
        summary.add(row)
        pages.add(row)
        command = command or row["command"].replace(f" --only {row['id']}", "")
    for one in summary.engines.values():
        one.first_us.sort()
        one.slowest.sort()
    here = files("xg2lab.integrations.sweep")
    style, script = (here.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    shown = escape(visible(title))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{shown}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>{shown}</h1>
<p><code>{escape(visible(command))}</code></p>
</header>
{_tiles(summary)}
<main>
<div class="cards">
{_cards(summary, pages)}
</div>
<section id="cases" aria-live="polite"><noscript><p>The list of cases needs JavaScript.</p></noscript></section>
</main>
<script type="application/json" id="sweep-data">{pages.data()}</script>
<script>{script}</script>
</body>
</html>
"""


# ---- Groups and cases ----


def _groups_of(row: SweepRow) -> list[tuple[str, str]]:
    """The groups of a row: a key, and a title for readers."""
    found: list[tuple[str, str]] = []
    if not row["engines"]:
        found.append((f"verdict//{row['verdict']}", row["verdict"].replace("_", " ")))
    for part in row["engines"]:
        name, verdict = part["name"], part["verdict"]
        found.append((f"verdict/{name}/{verdict}", f"{name}, {verdict}"))
        if verdict != "compiled":
            found.append((f"code/{name}/{part['code']}", f"{name}, {part['code'] or verdict}"))
        if part["first_us"]:
            bucket = bucket_of(part["first_us"])
            found.append((f"first/{name}/{bucket}", f"{name}, first mask within {_time(bucket_us(bucket))}"))
        if part["n_masks"]:
            bucket = bucket_of(part["mask_max_us"])
            found.append((f"slowest/{name}/{bucket}", f"{name}, slowest mask within {_time(bucket_us(bucket))}"))
        for key, what in (("wrongly_rejected", "wrongly rejected"), ("wrongly_accepted", "wrongly accepted")):
            if part[key]:
                found.append((f"{key}/{name}", f"{name}, instances {what}"))
        if part["mask_not_accept"]:
            found.append((f"mask_not_accept/{name}", f"{name}, mask and accept differ"))
    found += [(f"keyword/{keyword}", f"refused keyword {keyword}") for keyword in row["refused_keywords"]]
    for kind, a, b in sorted({(one["kind"], one["a"], one["b"]) for one in row["disagreements"]}):
        what = "verdicts on instances differ" if kind == "instance" else "masks differ"
        found.append((f"part/{kind}/{a}/{b}", f"{a} and {b}: {what}"))
    for wrong in sorted({one["wrong"] for one in row["disagreements"] if one["wrong"]}):
        found.append((f"wrong/{wrong}", f"{wrong} is wrong about an instance"))
    for field_name, title in _WRITTEN.items():
        wrote = row["generated"] if field_name == "generated" else row["unconstrained"]
        if wrote is None:
            continue
        found.append((f"{field_name}/{wrote['end']}", f"{title}, {_ENDS.get(wrote['end'], wrote['end'])}"))
        for key, what in (("is_valid", "valid"), ("is_expected", "as expected")):
            if wrote[key]:
                said = what if wrote[key] == "yes" else f"not {what}"
                found.append((f"{field_name}/{key}/{wrote[key]}", f"{title}, {said}"))
    return found


#: The fields of a row that hold what the model wrote, and what they are called on the page.
_WRITTEN = {"generated": "generated", "unconstrained": "without the grammar"}
_ENDS = {"stop": "whole", "length": "cut at the limit"}


def _case(row: SweepRow) -> dict[str, Any]:
    """What the page keeps of a row."""
    first = row["message"].splitlines()[0] if row["message"] else ""
    slow = max((part["mask_max_us"] for part in row["engines"]), default=0.0)
    wrong = row["n_wrongly_rejected"] + row["n_wrongly_accepted"]
    said = first or ", ".join(
        [
            *([f"{wrong} of {row['n_instances']} instances wrong"] if wrong else []),
            *(f"{part['name']} first mask {_time(part['first_us'])}" for part in row["engines"] if part["first_us"]),
            *([f"slowest mask {_time(slow)}"] if slow else []),
        ]
    )
    return {
        "id": row["id"],
        "name": visible(row["name"]),
        "verdict": row["verdict"],
        "said": visible(said)[:_MOST_TEXT],
        "message": visible(row["message"]),
        "command": visible(row["command"]),
        "schema": visible(row["schema"][:MOST_SCHEMA]),
        "schema_cut": len(row["schema"]) > MOST_SCHEMA,
        "engines": [
            {
                "name": part["name"],
                "version": part["version"],
                "verdict": part["verdict"],
                "message": visible(part["message"])[:_MOST_TEXT],
                "first_us": part["first_us"],
                "n_masks": part["n_masks"],
                "p50": part["mask_p50_us"],
                "p99": part["mask_p99_us"],
                "max": part["mask_max_us"],
                "first_wrong": visible(part["first_wrong"]),
                "wrong": [
                    *(f"rejects instance {k}" for k in part["wrongly_rejected"][:10]),
                    *(f"accepts instance {k}" for k in part["wrongly_accepted"][:10]),
                    *([part["first_mask_not_accept"]] if part["first_mask_not_accept"] else []),
                ],
            }
            for part in row["engines"]
        ],
        "disagreements": [
            {
                **one,
                "text": visible(one["text"])[:_MOST_TEXT],
                "example_a": visible(one["example_a"]),
                "example_b": visible(one["example_b"]),
            }
            for one in row["disagreements"]
        ],
        "wrote": [
            {**wrote, "title": title, "text": visible(wrote["text"]), "why": visible(wrote["why"])}
            for wrote, title in (
                (row["generated"], "Generated"),
                (row["unconstrained"], "Written without the grammar"),
            )
            if wrote is not None
        ],
    }


# ---- Static parts ----


def _tiles(summary: SweepSummary) -> str:
    first = next(iter(summary.engines.values()), None)
    tiles = [(f"{summary.n_rows:,}", "schemas")]
    tiles += [(f"{summary.verdicts[name]:,}", name.replace("_", " ")) for name in VERDICTS if summary.verdicts[name]]
    if first is not None and first.first_us:
        tiles.append((_time(quantile_of(first.first_us, 0.5)), f"median first mask, {first.name}"))
    if first is not None and first.n_masks:
        tiles.append((_time(first.mask_us(0.99)), f"99 % of {first.n_masks:,} masks within"))
        wrong = first.n_wrongly_rejected + first.n_wrongly_accepted
        tiles.append((f"{wrong:,}", f"of {summary.n_instances:,} instances wrong"))
    wrote = (summary.generated, "as expected"), (summary.unconstrained, "as expected without the grammar")
    for counts, what in wrote:
        n_compared = counts["expected"] + counts["unexpected"]
        if n_compared:
            tiles.append((f"{counts['expected'] / n_compared:.1%}", f"of {n_compared:,} answers {what}"))
    items = "".join(f"<li><b>{escape(value)}</b><span>{escape(visible(name))}</span></li>" for value, name in tiles)
    said = ", ".join(f"{summary.verdicts[name]:,} {name}" for name in VERDICTS if summary.verdicts[name])
    return f'<ul class="tiles" aria-label="{escape(said)}">{items}</ul>'


def _cards(summary: SweepSummary, pages: _Pages) -> str:
    names = list(summary.engines)
    cards: list[str] = []

    def card(title: str, *parts: str) -> None:
        shown = [part for part in parts if part]
        if shown:
            cards.append(f'<section class="card"><h2>{escape(title)}</h2>{"".join(shown)}</section>')

    def each(prefix: str, tone: Tone = "", *, is_wide: bool = False) -> list[str]:
        return [_named(n, names, _bars(pages, visible(f"{prefix}/{n}/"), tone=tone, is_wide=is_wide)) for n in names]

    card("Verdicts", *each("verdict"), _bars(pages, "verdict//"))
    card("Refused keywords", _bars(pages, "keyword/", tone="warn"))
    card("Why schemas are refused", *each("code", "warn", is_wide=True))
    card("Time to the first mask", *_times(pages, summary, "first"))
    card("All masks", *_times(pages, summary, ""))
    card("The slowest mask of each schema", *_times(pages, summary, "slowest"))
    wrong = [_bars(pages, f"{key}/", tone="bad", is_wide=True) for key in ("wrongly_rejected", "wrongly_accepted")]
    card("Instances and masks that came out wrong", *wrong, _bars(pages, "mask_not_accept/", tone="bad", is_wide=True))
    card(
        "Where engines disagree",
        _bars(pages, "part/", tone="warn", is_wide=True),
        _bars(pages, "wrong/", tone="bad", is_wide=True),
    )
    card(
        "Generated by the model",
        _bars(pages, "generated/", is_wide=True),
        _bars(pages, "unconstrained/", is_wide=True),
    )
    return "\n".join(cards)


def _named(name: str, names: Sequence[str], part: str) -> str:
    """A part below the name of its engine, if there are several."""
    return f"<h3>{escape(visible(name))}</h3>{part}" if part and len(names) > 1 else part


def _bars(pages: _Pages, prefix: str, *, tone: Tone = "", is_wide: bool = False) -> str:
    """The groups with a prefix as horizontal bars, the largest first."""
    found = sorted(
        ((key, one) for key, one in pages.groups.items() if key.startswith(prefix)), key=lambda pair: -pair[1].n
    )
    most = max((one.n for _, one in found), default=1)
    items: list[str] = []
    for key, one in found[:_MOST_BARS]:
        label = one.title if prefix.count("/") == 1 and is_wide else key.removeprefix(prefix).replace("_", " ")
        kind = tone or _TONES.get(key.removeprefix(prefix), "bad" if prefix.startswith("verdict") else "")
        items.append(
            f'<li class="{kind}"><button type="button" data-group="{escape(key)}" aria-pressed="false">'
            f'<span class="name" title="{escape(visible(one.title))}">{escape(visible(label))}</span>'
            f'<span class="track"><span class="fill" style="width: {100 * one.n / most:.2f}%"></span></span>'
            f'<span class="n">{one.n:,}</span></button></li>'
        )
    if not items:
        return ""
    n_more = len(found) - len(items)
    more = f'<p class="quantiles">{n_more:,} more in the file</p>' if n_more > 0 else ""
    return f'<ul class="bars{" wide" * is_wide}">{"".join(items)}</ul>{more}'


def _times(pages: _Pages, summary: SweepSummary, prefix: str) -> list[str]:
    """The distribution of each engine's times, on one axis. `prefix` is "first", "slowest" or "" for all masks."""
    counts = {name: _counts(pages, prefix, one) for name, one in summary.engines.items()}
    buckets = [bucket for each in counts.values() for bucket in each]
    if not buckets:
        return []
    axis = min(buckets), max(buckets)
    return [
        _named(
            name,
            list(counts),
            _columns(counts[name], axis, _said(prefix, one), visible(f"{prefix}/{name}/") * bool(prefix)),
        )
        for name, one in summary.engines.items()
        if counts[name]
    ]


def _counts(pages: _Pages, prefix: str, one: EngineSummary) -> dict[int, int]:
    if not prefix:
        return {bucket: count for bucket, count in enumerate(one.masks) if count}
    begin = visible(f"{prefix}/{one.name}/")
    return {int(key.removeprefix(begin)): group.n for key, group in pages.groups.items() if key.startswith(begin)}


def _said(prefix: str, one: EngineSummary) -> str:
    if prefix:
        return _quantiles(one.first_us if prefix == "first" else one.slowest)
    shares = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
    return " · ".join(f"{name} ≤ {_time(one.mask_us(share))}" for name, share in shares)


def _columns(counts: dict[int, int], axis: tuple[int, int], below: str, prefix: str) -> str:
    """Buckets of times as columns. With a prefix each leads to its cases."""
    (low, high), most = axis, max(counts.values())
    items: list[str] = []
    for bucket in range(low, high + 1):
        n = counts.get(bucket, 0)
        said = escape(f"{n:,} within {_time(bucket_us(bucket))}")
        height = f"{max(1.5, 100 * n / most):.2f}%" if n else "0"
        fill = f'<span class="fill" style="height: {height}"></span>'
        leads = f'data-group="{escape(prefix + str(bucket))}" aria-pressed="false"' if prefix and n else "disabled"
        items.append(f'<li><button type="button" {leads} title="{said}" aria-label="{said}">{fill}</button></li>')
    ticks = "".join(f"<span>{_time(bucket_us(k))}</span>" for k in sorted({low, (low + high) // 2, high}))
    columns = f'<ul class="columns">{"".join(items)}</ul>'
    return f'{columns}<div class="axis">{ticks}</div><p class="quantiles">{escape(below)}</p>'


def _quantiles(sorted_values: Sequence[float]) -> str:
    shares = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))
    return " · ".join(f"{name} {_time(quantile_of(sorted_values, share))}" for name, share in shares)


def _time(us: float) -> str:
    if us < 10:
        return f"{us:.1f} µs"
    if us < 10_000:
        return f"{us:,.0f} µs"
    return f"{us / 1000:,.0f} ms" if us < 10_000_000 else f"{us / 1e6:,.0f} s"
