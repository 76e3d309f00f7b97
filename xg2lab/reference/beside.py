r"""The mask of one state from that of another: the trie is walked from both, and skipped below equal states.

Within a string most characters lead to one state, the *home*, from any state. Here is any text
before a `!`; the text `no` is distinguished, because a `?` may follow it:

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> from xg2lab.reference.fsm import from_rule
>>> from xg2lab.reference.trie import build_tree
>>> fsm = from_rule(parse_ebnf('root ::= ([a-z]* | "no?") "!"'))
>>> vocabulary = dict(enumerate([b"a", b"n", b"no", b"nor", b"?", b"no?", b"o?", b"o!", b"!", b"!!"]))
>>> tree = build_tree(vocabulary)
>>> home, here = fsm.run(b"x"), fsm.run(b"n")
>>> at_home = mask_from(fsm, home, tree)
>>> sorted(at_home)
[0, 1, 2, 3, 7, 8]
>>> differences = beside(fsm, home, here, tree)
>>> sorted(differences.more), sorted(differences.without), differences.n_visits
([6], [], 7)
>>> differences.applied_to(at_home) == mask_from(fsm, here, tree)
True

The walk visits seven of eleven nodes: after "n" the letter "n" leads home, and no node below it is
visited; after "o" a "!" leads to the same state as from home.

The limit: if no character leads from both states to equal states, as before and after the first
`"` of `"\"" [^"]* "\""`, the whole trie is walked.

Shapes and units: a state is a set of the machine's states (fsm.py); masks are sets of token ids.
See also: mask.py, the masks by definition.
"""

from dataclasses import dataclass, field

from xg2lab.reference.fsm import Fsm, States
from xg2lab.reference.trie import Node


def mask_from(fsm: Fsm, states: States, tree: Node) -> set[int]:
    """The tokens after which the machine can still accept. By definition."""
    live = fsm.live_states()
    allowed = set[int]()
    agenda = [(states, tree)]
    while agenda:
        at, node = agenda.pop()
        for byte, child in node.children.items():
            after = fsm.step(at, byte)
            if not live.isdisjoint(after):
                allowed.update(child.tokens)
                agenda.append((after, child))
    return allowed


@dataclass
class Differences:
    """What a mask has more than the home's, and what it lacks of it."""

    more: set[int] = field(default_factory=set[int])
    without: set[int] = field(default_factory=set[int])
    n_visits: int = 0

    def applied_to(self, home_mask: set[int]) -> set[int]:
        """The other mask."""
        return (home_mask - self.without) | self.more


def beside(fsm: Fsm, home: States, here: States, tree: Node) -> Differences:
    """Walk from both; equal states mean the same to all that is below."""
    live = fsm.live_states()
    found = Differences()
    agenda = [(home, here, tree)]
    while agenda:
        at_home, at_here, node = agenda.pop()
        for byte, child in node.children.items():
            after_home, after_here = fsm.step(at_home, byte), fsm.step(at_here, byte)
            found.n_visits += 1
            if after_home == after_here:
                continue
            was_alive, is_alive = not live.isdisjoint(after_home), not live.isdisjoint(after_here)
            if was_alive != is_alive:
                (found.more if is_alive else found.without).update(child.tokens)
            agenda.append((after_home, after_here, child))
    return found
