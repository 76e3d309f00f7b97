"""From any machine to the smallest one with the same language: reverse, determinize, and both once more.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> from xg2lab.reference.fsm import from_rule
>>> smallest = minimize(from_rule(parse_ebnf('root ::= ("a" | "ab") "c"')))
>>> print(smallest)
> 0  61->1
  1  62->2 63->3
  2  63->3
 (3)
>>> smallest == minimize(from_rule(parse_ebnf('root ::= "a" "b"? "c"')))
True

However an expression is written, its smallest machine is the same, number for number: so `==`
compares languages. Why it works: reading backwards, a deterministic machine reaches each of its
states by strings that no other state shares; reversed and determinized, no two states are
equivalent.

Shapes and units: as in fsm.py; results have no epsilon edge, no state without a way to accept,
states numbered as they are met from the start, edges sorted and not touching.

See also: Rabin and Scott 1959 (subsets), Brzozowski 1962 (twice reversed).
"""

from collections.abc import Iterator
from itertools import pairwise
from math import inf

from xg2lab.reference.fsm import Fsm, States


def minimize(fsm: Fsm) -> Fsm:
    """The smallest deterministic machine of the same language."""
    return determinize(reverse(determinize(reverse(fsm))))


class TooManyReadsError(Exception):
    """What `determinize` raises beyond its bound."""


def smallest_within(fsm: Fsm, most_reads: int) -> Fsm:
    """The smallest machine, if determinizing reads at most so many states; else the machine as it is.

    Behind `.*k.*l.*m` a set is in every loop that came before: n loops are n sets of up to n states. Such a machine is
    followed as it is, by all the states that it may be in (`Fsm.run`).

    >>> from xg2lab.reference.ebnf import parse_ebnf
    >>> from xg2lab.reference.fsm import from_rule
    >>> loops = from_rule(parse_ebnf("root ::= " + ' "k" '.join(["[a-z]*"] * 20)))
    >>> smallest_within(loops, 100) is loops, smallest_within(loops, 10_000) == minimize(loops)
    (True, True)
    >>> loops.accepts(b"k" * 18), loops.accepts(b"k" * 19)
    (False, True)
    """
    try:
        return minimize(determinize(fsm, most_reads))
    except TooManyReadsError:
        return fsm


def reverse(fsm: Fsm) -> Fsm:
    """The machine that reads every word backwards: arrows turned, a new start before the old ends."""
    backward = Fsm()
    for _ in fsm.edges:
        backward.new_state()
    for state, edges in enumerate(fsm.edges):
        for low, high, target in edges:
            backward.edges[target].append((low, high, state))
        for target in fsm.epsilons[state]:
            backward.epsilons[target].append(state)
    backward.start = backward.new_state()
    backward.epsilons[backward.start] = sorted(fsm.accepting)
    backward.accepting = {fsm.start}
    return backward


def determinize(fsm: Fsm, most_reads: float = inf) -> Fsm:
    """Subset construction: one new state for each set of states that the machine may be in.

    The sizes of all sets together are what it reads; `TooManyReadsError` if that is more than `most_reads`.
    States that only lead on without a byte are left out of the sets: where they lead is in them.
    """
    dfa = Fsm()
    sets = [telling(fsm, fsm.closure({fsm.start}))]
    numbers: dict[States, int] = {sets[0]: dfa.new_state()}
    for states in sets:
        most_reads -= len(states)
        if most_reads < 0:
            raise TooManyReadsError
        state = numbers[states]
        if not fsm.accepting.isdisjoint(states):
            dfa.accepting.add(state)
        for low, high, target in steps(fsm, states):
            if target not in numbers:
                numbers[target] = dfa.new_state()
                sets.append(target)
            edges = dfa.edges[state]
            if edges and edges[-1][1:] == (low - 1, numbers[target]):  # continues the edge before it
                edges[-1] = (edges[-1][0], high, numbers[target])
            else:
                edges.append((low, high, numbers[target]))
    return dfa


def telling(fsm: Fsm, states: States) -> States:
    """Those of the states that read a byte or accept."""
    return frozenset(state for state in states if fsm.edges[state] or state in fsm.accepting)


def steps(fsm: Fsm, states: States) -> Iterator[tuple[int, int, States]]:
    """The ways out of a set of states, as ranges of bytes within which all edges agree."""
    edges = [edge for state in states for edge in fsm.edges[state]]
    cuts = sorted({low for low, _, _ in edges} | {high + 1 for _, high, _ in edges})
    for low, after in pairwise(cuts):
        if target := telling(fsm, fsm.step(states, low)):
            yield low, after - 1, target
