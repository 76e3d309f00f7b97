r"""Rule options: the state after a text is the set of possible rests, with marks for the open rules.

>>> reader = Reader(*parse_with_options('root ::= word "."   word[max_chars=2, capture, temperature=0.5] ::= [a-z]+'))
>>> reader.accept(b"a"), sorted(map(chr, reader.expected_bytes()))[:3], reader.temperature()
(True, ['.', 'a', 'b'], 0.5)
>>> reader.accept(b"b"), sorted(map(chr, reader.expected_bytes())), reader.captures(), reader.temperature()
(True, ['.'], [('word', b'ab')], None)

Each reading is a *thread*: the next character, and a stack of the rest after it. When a rule with
options begins, its stack gets a mark, `Open`, below its body. The mark knows where the rule began,
and how many characters and tokens it has taken. When the mark comes to the top, the rule has
ended.

- max_chars: a thread is dropped if an open rule can't end in time.
- lazy: when a mark comes to the top, all other threads that still have it are dropped.
- max_tokens: when a token ends, the marks of rules that began before its end count it. Then only
  the threads with the fewest marks at their limit are kept; if the text may end here, only threads
  without such marks.
- temperature: that of the topmost mark with a temperature; the highest of all threads.
- capture: a thread stores the matches that ended in it, so the captures of a reading are dropped
  with its thread; captures.py handles `parts` and `hidden`.

Shapes and units: positions are bytes of the text; a thread is (byte ranges to come, rest, captured
spans). No rule may begin with itself: its stack would grow for ever.
See also: stacks.py and heads.py, its parts; counted.py, the same without options; in the engine
core/parse/tick.cc, core/lower/regular_rules.h, core/runtime/captures.h.
"""

from math import inf

from xg2lab.reference.captures import KEPT, captures_of
from xg2lab.reference.ebnf import Grammar
from xg2lab.reference.heads import Options, least_chars, n_least, parse_with_options
from xg2lab.reference.stacks import Open, Rest, Span, Thread, characters, marked, marks_of, simpler, stacks_of

__all__ = ["Reader", "parse_with_options"]


class Reader:
    """The threads after each step. A step is a string or a token; `pop` takes the last one back."""

    def __init__(self, grammar: Grammar, options: dict[str, Options]) -> None:
        self.rules, self.options, self.least = grammar.rules, options, least_chars(grammar)
        self.text, self.completions = b"", set[Span]()
        self.threads = self.closed([(((("rule", grammar.root), None)), frozenset())])
        self.steps: list[tuple[bytes, set[Span], set[Thread]]] = []

    def accept(self, data: bytes, *, is_token: bool = True) -> bool:
        """Read a token, or bytes that count as none; or change nothing, if it may not come next."""
        before = self.text, set(self.completions), self.threads
        for byte in data:
            self.read(byte)
        if is_token and self.threads:
            self.end_token()
        if not self.threads:
            self.text, self.completions, self.threads = before
            return False
        self.steps.append(before)
        return True

    def pop(self) -> None:
        """Take the last step back."""
        self.text, self.completions, self.threads = self.steps.pop()

    def read(self, byte: int) -> None:
        """Scan one byte."""
        self.text += bytes([byte])
        scanned = [
            (boxes[1:], rest, c) for boxes, rest, c in self.threads if boxes and boxes[0][0] <= byte <= boxes[0][1]
        ]
        if not 0x80 <= byte <= 0xBF:  # it begins a character
            scanned = [(boxes, marked(rest, n_chars=1), c) for boxes, rest, c in scanned]
        inside = {thread for thread in scanned if thread[0]}
        self.threads = self.closed([(rest, c) for boxes, rest, c in scanned if not boxes], inside)

    def end_token(self) -> None:
        """Count the token in all rules that it touched; leave those that may touch no more, if that can be."""
        here = len(self.text)
        threads = {(boxes, marked(rest, n_tokens=1, before=here), c) for boxes, rest, c in self.threads}
        n_over = {t: sum(m.n_tokens >= self.limit(m, "max_tokens") for m in marks_of(t[1])) for t in threads if t[0]}
        ended = {thread for thread in threads if not thread[0]}
        least = 0 if ended else min(n_over.values(), default=0)
        self.threads = ended | {thread for thread, n in n_over.items() if n == least}

    def closed(self, agenda: list[tuple[Rest, frozenset[Span]]], threads: "set[Thread] | None" = None) -> set[Thread]:
        """Replace each stack by simpler ones, until a character is on top or nothing is left; then drop threads."""
        found, ended = set(threads or ()), set[Rest]()
        seen, here = set(agenda), len(self.text)
        for stack, captured in agenda:
            if stack is None:
                found.add(((), None, captured))
                continue
            top, rest = stack
            if isinstance(top, Open):
                if "lazy" in self.options[top.rule]:
                    ended.add(stack)
                if not KEPT.isdisjoint(self.options[top.rule]):
                    self.completions.add((here, top.start, top.rule))
                    captured |= {(here, top.start, top.rule)}
                ways: list[Rest] = [rest]
            else:
                found |= {(boxes, rest, captured) for boxes in characters(top)}
                ways = [way for way in simpler(self.rules, self.options, top, rest, here) if self.can_end(way)]
            fresh = [way for way in ((stack, captured) for stack in ways) if way not in seen]
            agenda += fresh
            seen.update(fresh)
        return {t for t in found if ended.isdisjoint(stacks_of(t[1])) and self.is_in_time(t)}

    def can_end(self, stack: Rest) -> bool:
        """Is there a match of its top? A rule that has none may begin with itself."""
        return stack is None or isinstance(stack[0], Open) or n_least(stack[0], self.least) < inf

    def limit(self, mark: Open, option: str) -> float:
        """What an option says of an open rule."""
        return self.options[mark.rule].get(option, inf)

    def is_in_time(self, thread: Thread) -> bool:
        """Can all rules that are open end within their characters (and what is left end at all)?"""
        boxes, rest, _ = thread
        n_left: float = sum(not 0x80 <= low <= 0xBF for low, _ in boxes)
        for stack in stacks_of(rest):
            if not isinstance(stack[0], Open):
                n_left += n_least(stack[0], self.least)
            elif stack[0].n_chars + n_left > self.limit(stack[0], "max_chars"):
                return False
        return n_left < inf

    def is_complete(self) -> bool:
        """Are the bytes so far a whole match?"""
        return any(not boxes for boxes, _, _ in self.threads)

    def expected_bytes(self) -> set[int]:
        """Every byte that may come next."""
        return {byte for boxes, *_ in self.threads if boxes for byte in range(boxes[0][0], boxes[0][1] + 1)}

    def temperature(self) -> float | None:
        """The highest of the innermost ones."""
        ways = [[self.limit(m, "temperature") for m in marks_of(rest)] for boxes, rest, _ in self.threads if boxes]
        return max((next(t for t in way if t < inf) for way in ways if min(way, default=inf) < inf), default=None)

    def captures(self, *, deduplicate: bool = True) -> list[tuple[str, bytes]]:
        """Matches of rules with `capture`: of each beginning the longest that a thread still needs, or all ever."""
        found = {span for *_, c in self.threads for span in c} if deduplicate else self.completions
        return captures_of(self, found, deduplicate=deduplicate)
