"""The choice of the way in which the mask of a column is made.

>>> facts = Facts(n_missing=1)
>>> plan(facts)
'entries'
>>> plan(replace(facts, words_follow=True)), plan(replace(facts, words_follow=True, may_share_walks=True))
('walk', 'shared_walks')

A column's mask is the union of its states' entries, or the result of one walk of the token trie
from the column itself. An entry is made once and serves every context of its state; but if words
follow each other, it leaves half the vocabulary uncertain, which is checked again in each context.
Then the walk costs less, and may be assembled from walks that contexts share. Each line of `plan`
is one reason, and the first that holds decides; no reason changes a mask.

Shapes and units: counts of entries, tokens and return states. See also: core/mask/plan/plan.h,
which computes the costlier facts only if they matter.
"""

from dataclasses import dataclass, replace

__all__ = ["Costs", "Facts", "State", "Ways", "decides_little", "plan", "replace"]


@dataclass(frozen=True)
class Facts:
    """What is known of a column, and of its grammar's masks so far."""

    expects_token: bool = False  # a token edge leaves one of its states
    is_in_counted_run: bool = False  # white space with a bound comes next
    n_missing: int = 0  # entries that have not been made
    n_uncertain: int = 0  # tokens of those that have
    n_counted_callers: int = 0  # return states of a counted rule whose entry is missing, the most
    words_follow: bool = False  # a word may come behind one of its rules
    may_share_walks: bool = False
    is_first_of_words: bool = True  # no mask of a column that words follow was asked for before
    walks_make_columns: bool = False  # an earlier walk made too many columns
    entry_would_decide_little: bool = False  # of one that is missing


@dataclass(frozen=True)
class Ways:
    """What is allowed. Entries or walks are."""

    entries: bool = True
    walks: bool = True
    shared_walks: bool = True
    counted_runs: bool = True


@dataclass(frozen=True)
class Costs:
    """Where one way begins to cost more than another."""

    least_missing_for_walk: int = 5
    most_uncertain: int = 8192
    most_counted_callers: int = 2500


def plan(facts: Facts, ways: Ways = Ways(), costs: Costs = Costs()) -> str:
    """The way to the mask: "entries", "entries_and_run", "walk" or "shared_walks"."""
    may_share = ways.shared_walks and facts.words_follow and facts.may_share_walks
    walk = "shared_walks" if may_share else "walk"
    entries = "entries_and_run" if ways.walks and ways.counted_runs and facts.is_in_counted_run else "entries"
    reasons = [
        (facts.expects_token or not ways.walks, entries),
        (not ways.entries, walk),
        (facts.n_missing >= costs.least_missing_for_walk and not facts.walks_make_columns, walk),
        (facts.n_counted_callers > costs.most_counted_callers, walk),
        (not facts.words_follow, entries),
        (may_share, walk),
        (facts.n_uncertain > costs.most_uncertain, walk),
        (facts.is_first_of_words, walk),
        (facts.entry_would_decide_little, walk),
    ]
    return next((way for holds, way in reasons if holds), entries)


@dataclass(frozen=True)
class State:
    """What is known of a state whose entry is missing."""

    words_follow: bool = False
    words_follow_at_once: bool = False  # without white space between
    is_left_at_once: bool = False  # most words leave its rule before their second byte
    may_share_walks: bool = False
    entries_decide_little: bool = False  # an entry of the grammar did
    is_text: bool = False


def decides_little(state: State, ways: Ways = Ways()) -> bool:
    """Whether the state's entry would leave most tokens to its contexts.

    >>> decides_little(State(words_follow=True, words_follow_at_once=True, is_text=True))
    True
    """
    if state.is_left_at_once or (ways.shared_walks and state.may_share_walks and state.words_follow):
        return True
    if state.is_text:
        return state.words_follow_at_once
    return state.entries_decide_little
