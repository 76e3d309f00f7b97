r"""WGrammar's operators as the paper has them: over sets of tokens, none of which crosses an operator's edge.

The paper's example (section 3.2), a regular expression and its operators:

>>> from xg2lab.reference.ebnf import parse_ebnf
>>> vocabulary = dict(enumerate([b"1", b"23", b".", b"1.", b"</s>"]))
>>> grammar = parse_ebnf('root ::= [0-9]+ ("." [0-9]+)*')
>>> program = translate(build(grammar), vocabulary, stop_tokens={4}, encode=lambda text: [2])
>>> print(listing(program, vocabulary))
Sequence
  Wait allows=1|23
  Wait allows=1|23 waits=.|</s>
  IfElse true_waits=. false_waits=</s>
    DoWhile true_waits=. false_waits=</s>
      Sequence
        Write .
        Wait allows=1|23
        Wait allows=1|23 waits=.|</s>
    Sequence
>>> reader, on_bytes = Reader(program, vocabulary, {4}), Operators(build(grammar))
>>> reader.accept(0), on_bytes.push_token(0, b"1"), sorted(reader.mask()), on_bytes.can_take(3, b"1.")
(True, True, [0, 1, 2, 4], True)

Token 3 is missing: its "1" belongs to one operator, its "." to the next. The bytes of the grammar
allow it, and a model that was trained on `1.` as one token has to write it as two.

Each operator is a checkpoint, or is made of checkpoints: two sets of tokens. A token that is
*allowed* is consumed; a token that is *waited for* is examined and left to the operator that the
condition leads to. The mask is the union, and depends on the checkpoint alone, so it can be kept
for all requests (section 3.3).

    Write     each of its tokens in turn
    Wait      one allowed token; with `waits`, allowed tokens until one of `waits` comes, then its body
    IfElse    examines a token: in `true_waits` it selects `if_body`, in `false_waits` `else_body`
    Sequence  its parts, in turn
    DoWhile   its body, then a condition: again by a token of `true_waits`, done by one of `false_waits`

The paper keeps no set of states, so each condition must be decided by one token: `translate`
refuses a grammar where two ways begin with the same token (`undecided`). The text of the paper
does not say whether a condition consumes its token; here it does not, which lets a body begin with
it. Bounds are written out, as the paper has no counts.

Shapes and units: a token is its id; a vocabulary maps ids to bytes. `encode` maps bytes of static
text to ids.
See also: WGrammar, sections 3.2 and 3.3; operators.py, the same on bytes, which needs none of
these restrictions.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from collections.abc import Sequence as ListOf
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xg2lab.reference.ebnf import Expression, Grammar
from xg2lab.reference.operator_tree import DoWhile as ByteDoWhile
from xg2lab.reference.operator_tree import IfElse as ByteIfElse
from xg2lab.reference.operator_tree import Operator as ByteOperator
from xg2lab.reference.operator_tree import OperatorError, Ranges, Tree, build, label
from xg2lab.reference.operator_tree import Sequence as ByteSequence
from xg2lab.reference.operator_tree import Wait as ByteWait
from xg2lab.reference.operator_tree import Write as ByteWrite
from xg2lab.reference.operators import Operators
from xg2lab.reference.token_sets import TokenSet, in_tokens

__all__ = ["OperatorError", "Operators", "Reader", "build", "listing", "spelled", "translate"]

Vocabulary = Mapping[int, bytes]
Encode = Callable[[bytes], ListOf[int]]
Tokens = frozenset[int]
NONE = TokenSet(frozenset())


@dataclass(frozen=True)
class Write:
    """These tokens."""

    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Wait:
    """One token of `allows`; with `waits`, tokens of `allows` until one of `waits` comes. A negated set is `denies`."""

    allows: TokenSet
    waits: Tokens = frozenset()
    body: "TokenOperator | None" = None


@dataclass(frozen=True)
class IfElse:
    """One of two bodies, selected by the next token."""

    true_waits: Tokens
    false_waits: Tokens
    if_body: "TokenOperator"
    else_body: "TokenOperator"


@dataclass(frozen=True)
class Sequence:
    """All parts, in turn."""

    parts: "tuple[TokenOperator, ...]" = ()


@dataclass(frozen=True)
class DoWhile:
    """The body once, and again as long as the next token is one of `true_waits`."""

    body: "TokenOperator"
    true_waits: Tokens
    false_waits: Tokens


TokenOperator: TypeAlias = Write | Wait | IfElse | Sequence | DoWhile


# ---- Running: one checkpoint after the other ----


class Checkpoint(NamedTuple):
    """What may come next: tokens that are consumed, tokens that are examined and left."""

    allows: TokenSet
    waits: Tokens = frozenset()


def run(operator: TokenOperator) -> Generator[Checkpoint, int, None]:
    """The checkpoints of an operator. Each is answered with the token that comes, one of its sets."""
    match operator:
        case Write(tokens):
            for token in tokens:
                yield Checkpoint(TokenSet(frozenset({token})))
        case Wait(allows, waits, body):
            token = yield Checkpoint(allows, waits)
            while waits and token not in waits:
                token = yield Checkpoint(allows, waits)
            if body:
                yield from run(body)
        case IfElse(true_waits, false_waits, if_body, else_body):
            token = yield Checkpoint(NONE, true_waits | false_waits)
            yield from run(if_body if token in true_waits else else_body)
        case Sequence(parts):
            for part in parts:
                yield from run(part)
        case DoWhile(body, true_waits, false_waits):
            token = None
            while token is None or token in true_waits:
                yield from run(body)
                token = yield Checkpoint(NONE, true_waits | false_waits)


def usable(vocabulary: Vocabulary, stop_tokens: Collection[int]) -> dict[int, bytes]:
    """The tokens that a set may hold: those with bytes that end no text."""
    return {token: data for token, data in vocabulary.items() if data and token not in stop_tokens}


class Reader:
    """A program after some tokens: at one checkpoint, or at its end, where a stop token may come."""

    def __init__(self, program: TokenOperator, vocabulary: Vocabulary, stop_tokens: Collection[int]) -> None:
        self.vocabulary, self.stop_tokens = usable(vocabulary, stop_tokens), frozenset(stop_tokens)
        self.is_terminated = False
        self.steps = run(program)
        self.checkpoint = next(self.steps, None)

    def mask(self) -> set[int]:
        """The tokens that may come next."""
        if self.is_terminated:
            return set()
        if self.checkpoint is None:
            return set(self.stop_tokens)
        return {token for token in self.vocabulary if self.checkpoint.allows.holds(token)} | self.checkpoint.waits

    def accept(self, token: int) -> bool:
        """Go past a token. False, and nothing changes, if it may not come next."""
        if token not in self.mask():
            return False
        is_consumed = False
        while self.checkpoint and not is_consumed:
            is_consumed = token not in self.checkpoint.waits
            assert token in self.mask(), "an examined token is allowed by the operator that it leads to"
            try:
                self.checkpoint = self.steps.send(token)
            except StopIteration:
                self.checkpoint = None
        self.is_terminated = not is_consumed
        return True


# ---- Translating: the tree on bytes becomes operators on tokens ----


def translate(
    tree: Tree, vocabulary: Vocabulary, *, stop_tokens: Collection[int], encode: Encode, special: Collection[int] = ()
) -> TokenOperator:
    """The paper's operators for a tree; raise `OperatorError` where they don't exist.

    Codes: `undecided` (a condition has a token in both sets), `unspelled` (`encode` returns other bytes),
    `not_of_tokens` (text watched for tags, lazy rules: their ends may lie within a token) and `never` (no match).
    """
    if tree.root is None:
        raise OperatorError("never", [], "nothing matches")
    translator = Translator(tree, usable(vocabulary, stop_tokens), frozenset(special), encode)
    return translator.of(tree.root, frozenset(stop_tokens))


@dataclass(frozen=True)
class Translator:
    """What the translation of an operator depends on, besides the tokens that may follow it."""

    tree: Tree
    vocabulary: Vocabulary
    special: Tokens
    encode: Encode

    def of(self, operator: ByteOperator, follow: Tokens) -> TokenOperator:
        """An operator behind which one of the tokens `follow` comes."""
        match operator:
            case ByteWrite(what=b""):
                return Sequence()
            case ByteWrite(what=bytes() as text):
                return Write(self.spelling(operator, text))
            case ByteWrite() | ByteWait():
                return Wait(self.smallest(self.first(operator)))
            case ByteSequence(children=children):
                return self.in_turn(children, follow)
            case ByteIfElse(children=children):
                *others, last = children
                chosen, false_waits = self.of(last, follow), self.begins(last, follow)
                for branch in reversed(others):
                    true_waits = self.decided(operator, self.begins(branch, follow), false_waits)
                    chosen = IfElse(true_waits, false_waits, self.of(branch, follow), chosen)
                    false_waits |= true_waits
                return chosen
            case ByteDoWhile():
                return self.repeated(operator, follow)
            case _:
                raise AssertionError(operator)

    def in_turn(self, parts: Iterable[ByteOperator], follow: Tokens) -> TokenOperator:
        """Parts in turn, translated from the last one to the first: each has to know what follows it."""
        translated: list[TokenOperator] = []
        for part in reversed(list(parts)):
            translated.insert(0, self.of(part, follow))
            follow = self.begins(part, follow)
        flat = [p for part in translated for p in (part.parts if isinstance(part, Sequence) else (part,))]
        return flat[0] if len(flat) == 1 else Sequence(tuple(flat))

    def repeated(self, loop: ByteDoWhile, follow: Tokens) -> TokenOperator:
        """A repetition: characters of a class as text, anything else as a loop; bounds are written out."""
        (body,), again = loop.children, self.first(loop)
        if loop.most != loop.least:
            self.decided(loop, again, follow)
        if self.is_text(loop):
            some = Wait(self.smallest(again), follow)
            return Sequence((Wait(some.allows), some)) if loop.least else some
        if loop.most is None:
            repeated = DoWhile(self.of(body, again | follow), again, follow)
            if loop.least == 0:
                return IfElse(again, follow, repeated, Sequence())
            return Sequence((*[self.of(body, again)] * (loop.least - 1), repeated))
        done, behind = Sequence(), follow
        for _ in range(loop.most - loop.least):
            done = Sequence((IfElse(again, follow, Sequence((self.of(body, behind), done)), Sequence()),))
            behind = again | follow
        for _ in range(loop.least):
            done, behind = Sequence((self.of(body, behind), done)), again
        return done

    def is_text(self, loop: ByteDoWhile) -> bool:
        """Is it text, any number of characters of a class, so that a token may hold several?"""
        is_class = isinstance(loop.children[0], ByteWait) and isinstance(loop.children[0].what, tuple)
        return is_class and loop.most is None and loop.least <= 1

    def begins(self, operator: ByteOperator, follow: Tokens) -> Tokens:
        """The tokens that may come where an operator begins, which may match nothing."""
        return self.first(operator) | (follow if operator.number in self.tree.nullable else frozenset())

    def first(self, operator: ByteOperator) -> Tokens:
        """The first tokens of an operator's matches."""
        match operator:
            case ByteWrite(what=b""):
                return frozenset()
            case ByteWrite(what=bytes() as text):
                return frozenset(self.spelling(operator, text)[:1])
            case ByteWrite(what=TokenSet() as tokens) | ByteWait(what=TokenSet() as tokens):
                return frozenset(token for token in self.vocabulary if tokens.holds(token))
            case ByteWait(what=tuple() as ranges):
                return self.spelled_by(ranges, 1)
            case ByteWait():
                message = f"the end of {label(operator)} may lie within a token"
                raise OperatorError("not_of_tokens", [operator.rule], message)
            case ByteDoWhile() if self.is_text(operator) and isinstance(operator.children[0], ByteWait):
                ranges = operator.children[0].what
                assert isinstance(ranges, tuple)
                return self.spelled_by(ranges, None)
            case ByteSequence(children=children):
                found: Tokens = frozenset()
                for part in reversed(children):
                    found = self.begins(part, found)
                return found
            case _:
                return frozenset(token for child in operator.children for token in self.first(child))

    def spelled_by(self, ranges: Ranges, n_characters: int | None) -> Tokens:
        """The tokens that are characters of a class: so many, or any number. Parts of characters are in no set."""

        def is_of(data: bytes) -> bool:
            text = data.decode(errors="replace")
            is_whole = text.encode() == data and n_characters in (None, len(text)) and text != ""
            return is_whole and all(any(low <= ord(c) <= high for low, high in ranges) for c in text)

        return frozenset(t for t, data in self.vocabulary.items() if t not in self.special and is_of(data))

    def spelling(self, operator: ByteOperator, text: bytes) -> tuple[int, ...]:
        """Static text as the tokenizer writes it."""
        tokens = tuple(self.encode(text))
        written = b"".join(self.vocabulary.get(token, b"") for token in tokens if token not in self.special)
        if written != text:
            raise OperatorError("unspelled", [operator.rule], f"encode({text!r}) has the bytes {written!r}")
        return tokens

    def decided(self, operator: ByteOperator, true_waits: Tokens, false_waits: Tokens) -> Tokens:
        """The first set, which no token shares with the second."""
        for token in sorted(true_waits & false_waits):
            name = repr(self.vocabulary[token]) if token in self.vocabulary else "the end of text"
            message = f"{label(operator)} has two ways on by token {token}, {name}"
            raise OperatorError("undecided", [operator.rule], message)
        return true_waits

    def smallest(self, tokens: Tokens) -> TokenSet:
        """The tokens, or those that are denied if they are fewer (section 3.3, adaptive storage)."""
        denied = frozenset(self.vocabulary) - tokens
        return TokenSet(denied, is_negated=True) if len(denied) < len(tokens) else TokenSet(tokens)


# ---- Static text in tokens, all else in bytes ----


def spelled(grammar: Grammar, encode: Encode) -> Grammar:
    """The grammar whose literals come as `encode` writes them, token by token, and in no other way.

    >>> grammar = spelled(Grammar("root", {"root": ("literal", b"ab")}), encode=lambda text: [7, 9])
    >>> print(*(str(tokens) for _, tokens in grammar.rules["root"][1]))
    Token(7) Token(9)
    """

    def of(expression: Expression) -> Expression:
        match expression:
            case ("literal", text):
                return in_tokens(text, encode)
            case ("seq" | "choice" as kind, parts):
                return kind, tuple(map(of, parts))
            case ("repeat", part, least, most):
                return "repeat", of(part), least, most
            case _:
                return expression

    return Grammar(grammar.root, {name: of(body) for name, body in grammar.rules.items()})


# ---- The listing ----


def listing(operator: TokenOperator, vocabulary: Vocabulary, depth: int = 0) -> str:
    """The operators as code, as in the paper: an operator a line, what is within it indented."""

    def words(name: str, tokens: Collection[int]) -> str:
        return f" {name}=" + "|".join(vocabulary[token].decode(errors="backslashreplace") for token in sorted(tokens))

    children: tuple[TokenOperator, ...] = ()
    line = type(operator).__name__
    match operator:
        case Write(tokens):
            line += " " + " ".join(vocabulary[token].decode(errors="backslashreplace") for token in tokens)
        case Wait(allows, waits, body):
            line += words("denies" if allows.is_negated else "allows", allows.ids)
            line += words("waits", waits) if waits else ""
            children = (body,) if body else ()
        case IfElse(true_waits, false_waits, if_body, else_body):
            line += words("true_waits", true_waits) + words("false_waits", false_waits)
            children = if_body, else_body
        case Sequence(parts):
            children = parts
        case DoWhile(body, true_waits, false_waits):
            line += words("true_waits", true_waits) + words("false_waits", false_waits)
            children = (body,)
    return "\n".join(["  " * depth + line, *(listing(child, vocabulary, depth + 1) for child in children)])
