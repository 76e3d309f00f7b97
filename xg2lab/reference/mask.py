"""The token mask: by definition, and by the split that makes it fast.

>>> from xg2lab.reference.earley import parse
>>> from xg2lab.reference.ebnf import parse_ebnf
>>> grammar = parse_ebnf('root ::= "[" digits "]"   digits ::= [0-9]+')
>>> vocabulary = dict(enumerate([b"[", b"]", b"1", b"12", b"1]", b"1[", b"x"]))
>>> chart = parse(grammar, b"[")
>>> sorted(token_mask(chart, vocabulary))
[2, 3, 4]

Which of these tokens can `digits` alone decide, before it has read a byte?

>>> parts = split(grammar, "digits", b"", vocabulary)
>>> sorted(parts.accepted), sorted(parts.rejected), sorted(parts.uncertain), parts.storage_form()
([2, 3], [0, 1, 6], [4, 5], 'bitset')

"1" and "12" stay inside the rule: accepted in every context. "1]" and "1[" end the rule and
continue: only the rule that waits for `digits` can decide them. All other tokens can't even begin.
The split depends on the rule and on what it has read, not on the rest of the text, so it is worth
storing; few tokens are left to be parsed. (Its form depends on the size: seven tokens fit in seven
bits; of 128,000 tokens with ten accepted, the ten are listed.)

>>> token_mask_by_splits(grammar, chart, vocabulary) == token_mask(chart, vocabulary)
True

Shapes and units: a vocabulary maps token ids to bytes; masks are sets of token ids. Empty tokens
are never allowed. Special tokens, whatever their bytes, never match text, but token edges may take
them; a stop token is allowed exactly where the text is complete.

See also: XGrammar 2024, section 3.1, which calls accepted and rejected tokens context-independent,
uncertain ones context-dependent; trie.py for a walk that shares beginnings.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from xg2lab.reference.cfg import owner, productions_of
from xg2lab.reference.earley import Chart, Item
from xg2lab.reference.ebnf import Grammar
from xg2lab.reference.token_edges import takes_whole

Vocabulary = Mapping[int, bytes]


def token_mask(chart: Chart, vocabulary: Vocabulary) -> set[int]:
    """The tokens of text that the grammar allows next. By definition, so slowly."""
    return {token for token, data in vocabulary.items() if data and chart.can_follow(data)}


def legal_tokens(
    chart: Chart, vocabulary: Vocabulary, stop_tokens: Collection[int] = (), special_tokens: Collection[int] = ()
) -> set[int]:
    """The mask that a model sees: tokens of text, those that edges take, stop tokens where the text is complete."""
    text = {token: data for token, data in vocabulary.items() if token not in {*stop_tokens, *special_tokens}}
    whole = {t for t, data in vocabulary.items() if data and t not in stop_tokens and takes_whole(chart, t)}
    return token_mask(chart, text) | whole | (set(stop_tokens) if chart.is_complete() else set())


@dataclass(frozen=True)
class Split:
    """What one rule alone can tell of each token; the three sets are disjoint and cover the vocabulary."""

    accepted: frozenset[int]
    rejected: frozenset[int]
    uncertain: frozenset[int]

    def storage_form(self) -> str:
        """Uncertain tokens are listed in any case; of the others list the fewer, or keep one bit for each token."""
        n_tokens = len(self.accepted) + len(self.rejected) + len(self.uncertain)
        n_bits = {"accepted": 32 * len(self.accepted), "rejected": 32 * len(self.rejected), "bitset": n_tokens}
        return min(n_bits, key=lambda form: n_bits[form])


def split(grammar: Grammar, rule: str, consumed: bytes, vocabulary: Vocabulary) -> Split:
    """Classify every token, as seen by `rule` when it has read `consumed`: the same parser, started at the rule."""
    chart = Chart(productions_of(grammar, rule))
    for byte in consumed:
        chart.push(byte)
    accepted = frozenset(token_mask(chart, vocabulary))
    uncertain = frozenset(t for t, data in vocabulary.items() if t not in accepted and ends_inside(chart, data))
    return Split(accepted, frozenset(vocabulary) - accepted - uncertain, uncertain)


def ends_inside(chart: Chart, data: bytes) -> bool:
    """Does the rule end after one or more bytes of `data`, so that the rest belongs to another rule?"""
    ends = [chart.push(byte) and chart.is_complete() for byte in data]
    chart.pop(len(data))
    return any(ends)


def token_mask_by_splits(grammar: Grammar, chart: Chart, vocabulary: Vocabulary) -> set[int]:
    """The union, over the rules that may read the next byte, of what they accept and of the uncertain tokens that fit.

    Complete, because the first byte of an allowed token is read by one of these rules, which then reads on to
    the token's end (accepted) or ends inside it (uncertain).
    """
    mask: set[int] = set()
    for rule, origin in reading_rules(chart):
        parts = split(grammar, rule, bytes(chart.data[origin:]), vocabulary)
        mask |= parts.accepted | {token for token in parts.uncertain - mask if chart.can_follow(vocabulary[token])}
    return mask


def reading_rules(chart: Chart) -> set[tuple[str, int]]:
    """The rules with a byte after the dot, and where each began; parts like `root·1` count as their rule."""
    agenda = [item for item in chart.columns[-1] if isinstance(item.after_dot, tuple)]
    rules: set[tuple[str, int]] = set()
    seen: set[Item] = set(agenda)
    for item in agenda:
        if item.name == owner(item.name):
            rules.add((item.name, item.origin))
            continue
        waiting = [other for other in chart.columns[item.origin] if other.after_dot == item.name and other not in seen]
        seen.update(waiting)
        agenda += waiting
    return rules
