"""An author's assertion about a rule, `(= ...)`, compared with the texts that may follow the rule.

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> grammar = parse_ebnf('root ::= name "=" name ";"   name ::= [a-z]+ (= "=")')
>>> check_lookahead(grammar, "name", n_bytes=3)
Verdict(kind='broken', text=b';', is_end=False)
>>> check_lookahead(parse_ebnf('root ::= (name "=")+   name ::= [a-z]+ (= "=")'), "name", n_bytes=3)
Verdict(kind='kept', text=b'', is_end=False)

The texts that may follow a rule have a grammar of their own, made of the rule's uses: if `x -> a
name b` is a production, then after `name` comes `b` and then what follows `x`; and after the root
comes nothing::

    after(root) -> (nothing)         after(name) -> b after(x)

A text satisfies the assertion if one of its beginnings matches it. So two charts read every
possible text side by side, shortest first: one by the grammar of the following texts, the other by
the assertion. A text is finished when the assertion has matched; it violates the assertion when
the assertion can't match any more, or when the output may end here.

Shapes and units: texts are bytes, one for each class of bytes that no production distinguishes.
COST exponential in `n_bytes`, beyond which the verdict is "open"; the engine compares states
instead of texts and decides. See also: core/checks/check_lookaheads.h.
"""

from typing import NamedTuple

from xg2lab.reference.cfg import Cfg, Production, drop_unproductive, productions_of
from xg2lab.reference.earley import Chart
from xg2lab.reference.ebnf import Grammar

ASSERTION = "(="


class Verdict(NamedTuple):
    """`kind` is "kept", "broken" (by `text`, which may follow, or after which the output may end) or "open"."""

    kind: str
    text: bytes = b""
    is_end: bool = False


def check_lookahead(grammar: Grammar, rule: str, n_bytes: int) -> Verdict:
    """Compare all texts of up to `n_bytes` bytes that may follow `rule` with its assertion."""
    follow = follow_cfg(productions_of(grammar), rule)
    wanted = productions_of(Grammar(ASSERTION, {**grammar.rules, ASSERTION: grammar.lookaheads[rule]}))
    if follow.start not in follow.productions:
        return Verdict("kept")  # the rule is never used
    examples = example_bytes(follow, wanted)
    texts = [b""]
    for _ in range(n_bytes + 1):
        longer: list[bytes] = []
        for text in texts:
            following, promise = read(follow, text), read(wanted, text)
            if not following.is_alive or promise.is_complete():
                continue
            if not promise.is_alive or following.is_complete():
                return Verdict("broken", text, is_end=promise.is_alive)
            longer += [text + bytes([byte]) for byte in examples & following.expected_bytes()]
        texts = sorted(longer)
        if not texts:
            return Verdict("kept")
    return Verdict("open")


def follow_cfg(cfg: Cfg, rule: str) -> Cfg:
    """The grammar of what follows a rule. Rules that the root never needs are followed by nothing that can end."""
    productions: dict[str, list[Production]] = {**cfg.productions, after(cfg.start): [()]}
    for name, own in cfg.productions.items():
        for production in own:
            for i, symbol in enumerate(production):
                if isinstance(symbol, str):
                    productions.setdefault(after(symbol), []).append((*production[i + 1 :], after(name)))
    return drop_unproductive(Cfg(after(rule), {name: list(dict.fromkeys(own)) for name, own in productions.items()}))


def after(name: str) -> str:
    """The name of what follows a name."""
    return f"after({name})"


def example_bytes(*cfgs: Cfg) -> set[int]:
    """One byte of each class of bytes that every range of every production takes or leaves as a whole."""
    ranges = [
        symbol
        for cfg in cfgs
        for own in cfg.productions.values()
        for production in own
        for symbol in production
        if isinstance(symbol, tuple)
    ]
    cuts = {0} | {low for low, _ in ranges} | {high + 1 for _, high in ranges}
    return {cut for cut in cuts if cut < 256}


def read(cfg: Cfg, text: bytes) -> Chart:
    """The chart of a grammar after a text."""
    chart = Chart(cfg)
    for byte in text:
        chart.push(byte)
    return chart
