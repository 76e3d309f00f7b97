"""CacheView: how each mask was found, what that cost, and which grammar an entry was taken over from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xg2lab.lab.trace.donors import Donor
from xg2lab.lab.trace.entries import is_instance
from xg2lab.widgets.view import View
from xg2lab.widgets.words import WORDS

if TYPE_CHECKING:
    from xg2lab.lab import schema
    from xg2lab.lab.trace.steps import Step

__all__ = ["CACHE_CLASSES", "UNSHARED", "CacheView"]

#: From what costs nothing to what is paid for.
CACHE_CLASSES: tuple[str, ...] = ("context_hit", "perfect_hit", "partial_hit", "miss")
_WORDS = WORDS["cache"]
#: Why an entry that was built is not kept for other grammars: the engine's word, and ours.
UNSHARED: dict[str, str] = _WORDS["unshared"]
#: How a mask was made (docs/design/0017-cold-masks.md), for a mask that was not known.
WAYS: dict[str, str] = _WORDS["ways"]
#: Why a step with a mask has no entries.
NO_ENTRIES: str = _WORDS["no_entries"]
#: Why the pool counts nothing of an instance's hits.
TEMPLATE: str = _WORDS["template"]
_COLUMNS = ("cache", "mask_us", "n_built", "n_adapted", "n_checked")


class CacheView(View):
    """Shows how each mask was found, what it cost, and which grammar an entry was taken over from.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> view = CacheView(session)
    >>> sum(view.data()["counts"].values()), len(view.data()["entries"])
    (1, 1)
    >>> view.lines()[1].startswith("step 0: ")
    True
    >>> try:
    ...     view.donor(10**6)
    ... except xgr.Xg2LabError as error:
    ...     print(error.message)
    step 0 has no mask entry of state 1000000

    See also: docs/design/0006-cross-grammar-cache.md.
    """

    PANEL = "cache_view"

    def data(self) -> dict[str, Any]:
        """Return the masks' costs, and the entries of the step under the cursor.

        Returns
        -------
        dict
            `steps`: NumPy columns with a row a step (`mask_us` in microseconds). `counts`: masks by class. `entries`
            and `pool` of the step under the cursor; `pool` is None if grammars share nothing. `from_template`: for each
            step, how many entries an instance found in its template; None for any other grammar.
        """
        trace, step = self.lab_session.trace, self.lab_session.trace.steps[self.step_index]
        columns = trace.data()
        return {
            "steps": {name: columns[name] for name in _COLUMNS},
            "counts": {name: int((columns["cache"] == name).sum()) for name in CACHE_CLASSES},
            "entries": list(step.entries),
            "pool": step.pool,
            "from_template": [_n_taken_over(one) for one in trace.steps] if self._is_instance() else None,
        }

    def donor(self, state: int) -> Donor:
        """Find the grammar that a mask entry was taken over from, at the step under the cursor.

        Parameters
        ----------
        state : int
            The entry's state.

        Returns
        -------
        Donor
            See `xg2lab.lab.trace.donors`.

        Raises
        ------
        SessionError
            As `Session.donor`.
        """
        return self.lab_session.donor(state, self.step_index)

    def lines(self) -> list[str]:
        """Return the counts of the run, and the mask, entries and pool of the step under the cursor.

        Returns
        -------
        list of str
            A line each.
        """
        facts, step = self.data(), self.lab_session.trace.steps[self.step_index]
        out = [", ".join(f"{n} {_words(name)}" for name, n in facts["counts"].items())]
        if step.cache is None:
            return [*out, f"step {step.index}: no mask, the output had left the grammar"]
        way = f", by {WAYS[step.way]}" if step.way in WAYS else ""  # absent in older traces
        out.append(
            f"step {step.index}: {_words(step.cache)}{way}, in {step.mask_us:.1f} us; built {step.n_built}, "
            f"adapted {step.n_adapted}, tokens checked {step.n_checked}"
        )
        if facts["from_template"] is not None:
            out.append(f"from the template: {facts['from_template'][step.index]} of {len(step.entries)} entries")
        out += [f"  {self._entry_line(entry)}" for entry in facts["entries"]] or [f"  {NO_ENTRIES}"]
        out.append(_pool_line(facts["pool"]))
        return [*out, TEMPLATE] if self._is_instance() else out

    def _is_instance(self) -> bool:
        return is_instance(self.lab_session.trace)

    def _entry_line(self, entry: schema.MaskEntry) -> str:
        program = self.lab_session.trace.program
        rule = program["rules"][entry["rule"]]
        line = (
            f"{rule['name']}·{entry['state'] - rule['states'][0]}: {entry['storage'].replace('_', ' ')}, "
            f"{entry['n_accepted']:,} accepted, {entry['n_rejected']:,} rejected, {entry['n_uncertain']:,} uncertain, "
            f"{entry['hits']} hits, {entry['build_us']:.1f} us"
        )
        if (how := entry.get("cache", "miss")) != "miss":  # absent in older traces
            whose = "its template" if self._is_instance() else donor(entry)
            return f"{line}, {_words(how)} from {whose}"
        unshared = entry.get("unshared")
        return f"{line}, not shared: {UNSHARED[unshared]}" if unshared else line


def _n_taken_over(step: Step) -> int:
    return sum(entry.get("cache", "miss") != "miss" for entry in step.entries)


def donor(entry: schema.MaskEntry) -> str:
    """Return the grammar that an entry's walk was made for: its id and, if it is still known, its name."""
    # The name is the source's first line; that of a JSON text is a mere bracket, and names nothing.
    name, number = entry.get("donor_name", ""), entry.get("donor")
    return f"{number}: {name}" if any(map(str.isalnum, name)) else f"grammar {number}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _pool_line(pool: dict[str, int] | None) -> str:
    if pool is None:
        return "no pool: this grammar shares no entries with others"
    return (
        f"pool: {pool['n_entries']} entries of {pool['n_states']} states, {pool['size_bytes']:,} bytes; "
        f"{pool['n_perfect_hits']} perfect hits, {pool['n_partial_hits']} partial hits, {pool['n_misses']} misses, "
        f"{pool['n_evictions']} evictions"
    )
