"""DispatchView: whether a tag has been triggered, how far one is read, and which byte broke it.

See also: `core/dispatch/dispatch_facts.h`, where a state's position in a dispatch is defined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from xg2lab.errors import PictureError
from xg2lab.lab.trace.graphs import trie_dot
from xg2lab.show.dot import Dot, Theme
from xg2lab.widgets.view import View

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.trace import Trace

__all__ = ["DispatchView", "readings"]


class Reading(TypedDict):
    """How far a rule has read what it watches for, see `readings`."""

    at: int
    dispatching: bool
    place: schema.DispatchPlace | None
    event: Literal["arms", "breaks", "fires"] | None


class DispatchFacts(TypedDict):
    """The texts that a dispatch watches for, and how far they were read after each byte."""

    texts: list[schema.WatchedText]
    readings: list[Reading]


class DispatchView(View):
    """Shows the output as a `TagDispatch` read it: which tag was triggered, how far it was read, which byte broke it.

    It shows the dispatch of a live item's rule, else the grammar's first.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> info = xgr.TokenizerInfo([b"a", b"<", b">", b"</s>"], stop_token_ids=[3])
    >>> session = xgr.Session('root ::= TagDispatch(("<a>", tag))   tag ::= "a"', info)
    >>> steps = session.force("a<")
    >>> view = DispatchView(session)
    >>> [text["text"] for text in view.data()["texts"]], view.data()["readings"][-1]["event"]
    (['<a>'], 'arms')
    >>> view.lines()[0]
    "rule root watches for '<a>' (trigger)"
    >>> view.to_dot().startswith("digraph")
    True

    See also: XGrammar-2; docs/design/0005-tag-dispatch.md.
    """

    PANEL = "dispatch_view"

    @property
    def rule(self) -> schema.Rule | None:
        """The rule whose dispatch is shown; None if the grammar has none."""
        rules = self.lab_session.trace.program["rules"]
        live = [rules[item["rule"]] for item in self.lab_session.trace.steps[self.step_index].live]
        dispatching = [rule for rule in live[::-1] + rules if "dispatch" in rule]
        return dispatching[0] if dispatching else None

    def data(self) -> DispatchFacts:
        """Return what the dispatch watches for, and how far it has read.

        Returns
        -------
        dict
            `texts` that are watched for, each with its `kind`; and `readings`, one for each column of the chart.
        """
        rule = self.rule
        if rule is None or "dispatch" not in rule:
            return {"texts": [], "readings": []}
        return {"texts": rule["dispatch"]["texts"], "readings": readings(self.lab_session.trace, rule)}

    def to_dot(self, *, theme: Theme = "light") -> Dot:
        """Write the automaton that watches for the texts as DOT, with the reached node highlighted.

        Parameters
        ----------
        theme : "light" or "dark"
            The colours.

        Returns
        -------
        Dot
            A str with `to_graphviz()` and `save(path)`.

        Raises
        ------
        PictureError
            The grammar has no tags.
        """
        rule, at = self.rule, self.lab_session.trace.steps[self.step_index].byte_begin
        if rule is None:
            raise PictureError("this grammar has no tags, so nothing watches for them", hint=_HOW_TO)
        facts = self.data()
        place = facts["readings"][at]["place"] if at < len(facts["readings"]) else None
        return trie_dot(facts["texts"], place, theme=theme)

    def lines(self) -> list[str]:
        """Return the watched texts, and the bytes that armed, broke or fired one.

        Returns
        -------
        list of str
            A line each.
        """
        rule = self.rule
        if rule is None:
            return ["this grammar has no tags: it constrains every byte from the first on", _HOW_TO]
        facts = self.data()
        texts = facts["texts"]
        out = [f"rule {rule['name']} watches for " + ", ".join(f"{t['text']!r} ({t['kind']})" for t in texts)]
        events = [reading for reading in facts["readings"] if reading["event"] is not None]
        out += [f"  byte {e['at'] - 1} {e['event']}{_of(e, texts)}" for e in events]
        at = self.lab_session.trace.steps[self.step_index].byte_begin
        if at >= len(facts["readings"]):
            return [*out, f"column {at} was not recorded"]
        now = facts["readings"][at]
        return [*out, f"at byte {at}: {'dispatching' if now['dispatching'] else 'not dispatching'}{_of(now, texts)}"]


_HOW_TO = 'to watch free text for a tag that opens a rule: root ::= TagDispatch(("<tool>", call))'


def readings(trace: Trace, rule: schema.Rule) -> list[Reading]:
    """How far `rule` has read what it watches for, after each byte.

    `at` bytes were read; `dispatching`: it watches free text; `place`: {`mode`, `text`, `n_read`}, or None where
    no item of the rule is; `event`: what the byte before did: "arms" (began a text), "breaks" (what was read goes on
    otherwise), "fires" (completed a trigger), or None.
    """
    out: list[Reading] = []
    n_before = 0
    for at, column in enumerate(trace.columns):
        states = [trace.program["states"][row[0]] for row in column]
        places = [s["dispatch"] for s in states if s["rule"] == rule["id"] and "dispatch" in s]
        fired = next((p for p in places if p["mode"] == "dispatched"), None)
        watching = next((p for p in reversed(places) if p["mode"] == "dispatching"), None)
        n_read = 0 if watching is None else watching["n_read"]
        event: Literal["arms", "breaks", "fires"] | None = None
        if fired is not None:
            event = "fires"
        elif n_before > 0 and n_read <= n_before:
            event = "breaks"
        elif n_read and not n_before:
            event = "arms"
        out.append({"at": at, "dispatching": watching is not None, "place": fired or watching, "event": event})
        n_before = 0 if fired is not None else n_read
    return out


def _of(reading: Reading, texts: list[schema.WatchedText]) -> str:
    place = reading["place"]
    if place is None or not place["n_read"]:
        return ""
    text = texts[place["text"]]["text"]
    return f", {place['n_read']} of {len(text.encode())} bytes of {text!r}"
