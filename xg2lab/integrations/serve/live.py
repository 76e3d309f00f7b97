"""Running and recent requests: a list for programs, a page for people, a flight record of each for the workbench.

>>> live = Live(max_recent=1)
>>> for name in ("a", "b", "c"):
...     entry = live.add(Entry(name, "chat", "regex", 0.0))
>>> live.ended(live.entries["a"], "stop"); live.ended(live.entries["b"], "length")
>>> [(each["id"], each["state"]) for each in live.listed()]
[('b', 'length'), ('c', 'waiting')]

What a request asked and what the model wrote are private: the routes stand behind the server's key, or on loopback.

See also: `attaching.py`, the other end; `xg2lab.flight`, whose record is what is sent.
"""

from __future__ import annotations

import html
import time
from dataclasses import dataclass, field
from typing import Any

from xg2lab.flight import Flight

__all__ = ["Entry", "Live"]

Json = dict[str, Any]
#: Characters of a text that the list shows.
_MOST_SHOWN = 200


@dataclass(eq=False)
class Entry:
    """One sequence of a request.

    Parameters
    ----------
    id : str
        The request's id; with the number of the choice, if there are several.
    endpoint : str
        "chat", "completions" or "responses".
    constraint : str, optional
        The kind of constraint; None: any text.
    started : float
        When the request came, in seconds since 1970.
    flight : Flight, optional
        What is recorded of it.

    >>> Entry("a", "chat", None, 0.0).state
    'waiting'
    """

    id: str
    endpoint: str
    constraint: str | None
    started: float
    flight: Flight | None = None
    state: str = "waiting"
    n_prompt_tokens: int = 0
    n_tokens: int = 0
    text: str = ""
    failure: str | None = None
    ended: float | None = None

    def wrote(self, text: str) -> None:
        """Count a token.

        Parameters
        ----------
        text : str
            The text that has become certain.

        >>> entry = Entry("a", "chat", None, 0.0)
        >>> entry.wrote("Hi")
        >>> entry.state, entry.n_tokens
        ('running', 1)
        """
        self.state = "running"
        self.n_tokens += 1
        self.text = (self.text + text)[-_MOST_SHOWN:]

    def listed(self) -> Json:
        """Return the entry as the list has it.

        Returns
        -------
        dict
            JSON values; times are seconds since 1970.

        >>> Entry("a", "chat", "regex", 0.0).listed()["constraint"]
        'regex'
        """
        names = (
            "id",
            "endpoint",
            "constraint",
            "state",
            "started",
            "ended",
            "n_prompt_tokens",
            "n_tokens",
            "text",
            "failure",
        )
        return {name: getattr(self, name) for name in names}


@dataclass(eq=False)
class Live:
    """The entries of a server.

    Parameters
    ----------
    max_recent : int
        How many ended ones are kept.

    The module's example fills one.
    """

    max_recent: int
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    def add(self, entry: Entry) -> Entry:
        """Add a new entry.

        Parameters
        ----------
        entry : Entry
            The entry.

        Returns
        -------
        Entry
            The same.

        >>> Live(1).add(Entry("a", "chat", None, 0.0)).id
        'a'
        """
        self.entries[entry.id] = entry
        return entry

    def ended(self, entry: Entry, state: str, failure: str | None = None) -> None:
        """Note that an entry has ended; the oldest ended ones are dropped.

        Parameters
        ----------
        entry : Entry
            The entry.
        state : str
            How it ended: "stop", "length", "failed" or "cancelled".
        failure : str, optional
            What failed.

        The module's example ends two.
        """
        entry.state, entry.failure, entry.ended = state, failure, time.time()
        over = [each for each in self.entries.values() if each.ended is not None]
        for old in sorted(over, key=lambda each: each.ended or 0.0)[: max(0, len(over) - self.max_recent)]:
            del self.entries[old.id]

    def listed(self) -> list[Json]:
        """Return all entries, the oldest first.

        Returns
        -------
        list of dict
            As `Entry.listed`.

        The module's example lists two.
        """
        return [entry.listed() for entry in self.entries.values()]

    def page(self, model: str) -> str:
        """Return the list as a page.

        Parameters
        ----------
        model : str
            The model's name.

        Returns
        -------
        str
            HTML without scripts; it asks for itself again every two seconds.

        >>> "<title>" in Live(1).page("tiny")
        True
        """
        rows = "".join(_row(entry) for entry in reversed(self.entries.values()))
        return _PAGE.format(model=html.escape(model), rows=rows or '<tr><td colspan="7">no request yet</td></tr>')


def _row(entry: Entry) -> str:
    link = f'<a href="/live/{html.escape(entry.id)}">{html.escape(entry.id)}</a>'
    state = entry.state if entry.failure is None else f"{entry.state}: {entry.failure}"
    cells = [entry.endpoint, entry.constraint or "any text", state, str(entry.n_prompt_tokens), str(entry.n_tokens)]
    shown = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr><td>{link}</td>{shown}<td><code>{html.escape(entry.text)}</code></td></tr>"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>xg2lab serve: {model}</title>
<style>
body {{ font: 14px system-ui, sans-serif; margin: 2rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ border-bottom: 1px solid #8884; padding: .3rem .6rem; text-align: left; vertical-align: top; }}
code {{ white-space: pre-wrap; word-break: break-word; }}
</style></head><body>
<h1>{model}: running and recent requests</h1>
<p>In a notebook: <code>xgr.attach("http://...")[-1]</code> opens the last one in the workbench.</p>
<table><thead><tr><th>request</th><th>endpoint</th><th>constraint</th><th>state</th><th>prompt tokens</th>
<th>tokens</th><th>text</th></tr></thead><tbody>{rows}</tbody></table>
</body></html>
"""
