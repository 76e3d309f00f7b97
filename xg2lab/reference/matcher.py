"""A matcher: the parser's chart, moved by tokens.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> grammar = parse_ebnf('root ::= "{" ("yes" | "no") "}"')
>>> matcher = Matcher(grammar, [b"{", b"y", b"n", b"o}", b"es", b"}", b"{n", b"</s>"], stop_tokens=[7])
>>> sorted(matcher.mask())
[0, 6]
>>> matcher.accept_token(6), matcher.find_jump_forward_string()
(True, 'o}')
>>> matcher.accept_token(4), matcher.accept_token(99), matcher.accept_token(3), sorted(matcher.mask())
(False, False, True, [7])
>>> matcher.accept_token(7), matcher.is_terminated
(True, True)
>>> matcher.rollback(3)
>>> sorted(matcher.mask())
[0, 6]

Its one law: `token in matcher.mask()` if and only if `matcher.accept_token(token)`, for any
integer. A refused token changes nothing.

Shapes and units: a token's number is its position in the vocabulary; rollback counts steps (a
token or a string accepted), the chart bytes.

See also: mask.py for what is allowed, by definition; trie.py for the walk that finds it; earley.py
for why.
"""

from collections.abc import Collection, Sequence

from xg2lab.reference.cfg import productions_of
from xg2lab.reference.earley import Chart
from xg2lab.reference.ebnf import Grammar
from xg2lab.reference.token_edges import expects_token, push_token, takes_whole
from xg2lab.reference.trie import build_tree, flatten, walk


class Matcher:
    """One text in the making: the chart of its bytes, and the steps by which they came."""

    def __init__(
        self,
        grammar: Grammar,
        vocabulary: Sequence[bytes],
        stop_tokens: Collection[int] = (),
        special_tokens: Collection[int] = (),
    ) -> None:
        self.chart = Chart(productions_of(grammar))
        self.vocabulary = dict(enumerate(vocabulary))
        self.stop_tokens = frozenset(stop_tokens)
        self.special_tokens = frozenset(special_tokens)
        text = {t: data for t, data in self.vocabulary.items() if t not in self.stop_tokens | self.special_tokens}
        self.whole_tokens = [t for t, data in self.vocabulary.items() if data and t not in self.stop_tokens]
        self.tree = flatten(build_tree(text))
        self.steps: list[int] = []  # how many bytes each step added
        self.is_terminated = False

    @property
    def is_completed(self) -> bool:
        """Is the text so far a whole match?"""
        return self.chart.is_complete()

    def mask(self) -> set[int]:
        """The tokens that may come next."""
        if self.is_terminated:
            return set()
        text = set(walk(self.tree, self.chart)) if self.chart.is_alive else set[int]()
        crossing = self.whole_tokens if expects_token(self.chart) else []
        whole = {token for token in crossing if takes_whole(self.chart, token)}
        return text | whole | (self.stop_tokens if self.is_completed else set())

    def accept_token(self, token: int) -> bool:
        """Commit a token, if it may come next."""
        if token in self.stop_tokens:
            if self.is_terminated or not self.is_completed:
                return False
            self.is_terminated = True
            self.steps.append(0)
            return True
        data = self.vocabulary.get(token)
        if self.is_terminated or not data:
            return False
        is_taken = push_token(self.chart, token, data, is_text=token not in self.special_tokens)
        self.steps += [len(data)] * is_taken
        return is_taken

    def accept_string(self, data: bytes) -> bool:
        """Commit bytes as one step, if they may come next."""
        if self.is_terminated or not self.chart.can_follow(data):
            return False
        for byte in data:
            self.chart.push(byte)
        self.steps.append(len(data))
        return True

    def rollback(self, n_steps: int = 1) -> None:
        """Take the last steps back."""
        if n_steps > len(self.steps):
            raise ValueError(f"cannot take back {n_steps} steps of {len(self.steps)}")
        for _ in range(n_steps):
            self.chart.pop(self.steps.pop())
            self.is_terminated = False

    def find_jump_forward_string(self) -> str:
        """The text that must come next whatever the model says: one byte expected, no token edge, the text incomplete.

        It is followed by the longest tokens, as long as they stay within it. So where the next of them would go on
        behind it, the rest is left to the model; and so are bytes that only begin a character, or end one begun.
        """
        forced = bytearray()
        while not self.is_terminated and not self.is_completed and len(expected := self.chart.expected_bytes()) == 1:
            if expects_token(self.chart):
                break
            forced += bytes(expected)
            self.chart.push(forced[-1])
        self.chart.pop(len(forced))
        if forced and 0x80 <= forced[0] <= 0xBF:
            return ""
        edges = [0]
        while (edge := edges[-1]) < len(forced):
            pushed = [self.chart.push(byte) for byte in forced[:edge]]
            n_bytes = max((len(self.vocabulary[token]) for token in self.mask()), default=0)
            self.chart.pop(len(pushed))
            if n_bytes == 0:
                return forced.decode(errors="ignore")
            if edge + n_bytes > len(forced):
                break
            edges.append(edge + n_bytes)
        return next(text for edge in reversed(edges) if (text := decoded(forced[:edge])) is not None)


def decoded(data: bytes | bytearray) -> str | None:
    """The text of whole characters; None if the last one is cut."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
