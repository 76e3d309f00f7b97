"""The smallest machine of finitely many texts, by definition: a state is the set of rests.

>>> machine = TextMachine([b"bat", b"cat", b"cot"])
>>> print(machine.fsm)
> 0  62->1 63->2
  1  61->3
  2  61->3 6f->3
  3  74->4
 (4)
>>> [sorted(machine.texts[edge]) for edge in [(0, 1), (2, 3), (3, 4)]]
[[b'bat'], [b'cat', b'cot'], [b'bat', b'cat', b'cot']]

The only rest after `ba` is `t`, and likewise after `ca` and `co`: one state. No two states have
equal sets of rests, so no machine is smaller. The engine reads the texts in their order and never
has the sets (core/automata/text_machine.h).

Shapes and units: as in fsm.py; states are numbered as they are met from the start, by byte.
`texts` has the texts that are read along the edges between two states.

See also: Myhill and Nerode (a state is a residual); Daciuk et al. 2000 (from sorted texts);
minimize.py.
"""

from collections.abc import Iterable

from xg2lab.reference.fsm import Fsm


class TextMachine:
    """The machine `fsm`, and the texts that are read along its edges."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        self.fsm = Fsm()
        self.texts: dict[tuple[int, int], set[bytes]] = {}
        all_texts = frozenset(texts)
        numbers = {all_texts: self.fsm.new_state()}
        left = [all_texts]  # by state: what may still be read
        for state, rests in enumerate(left):
            if b"" in rests:
                self.fsm.accepting.add(state)
            for byte in sorted({rest[0] for rest in rests if rest}):
                after = frozenset(rest[1:] for rest in rests if rest[:1] == bytes([byte]))
                if after not in numbers:
                    numbers[after] = self.fsm.new_state()
                    left.append(after)
                self.fsm.edges[state].append((byte, byte, numbers[after]))
        for text in all_texts:
            state = self.fsm.start
            for byte in text:
                target = next(to for low, _, to in self.fsm.edges[state] if low == byte)
                self.texts.setdefault((state, target), set()).add(text)
                state = target
