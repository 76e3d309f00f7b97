"""Grammars, vocabularies and strings to test with: a small universe complete, and the large one at random.

Grammars are made as the twin's tuples and written out as EBNF text, in one spelling or in many. Everything random
takes a `random.Random`; `seeded()` makes it from XG2LAB_SEED and says which seed it was.
"""

import itertools
import os
import random
from collections.abc import Callable, Iterator

from xg2lab.reference.cfg import Cfg, Symbol, productions_of
from xg2lab.reference.ebnf import EMPTY, Expression, Grammar
from xg2lab.reference.token_sets import TokenSet
from xg2lab.reference.utf8 import SURROGATES, complement

NAMES = ["root", "x", "y", "z", "größe", "a-b"]
QUANTIFIERS: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
#: The part of their sampled work that the tests do: less under sanitizers, where a second becomes
#: a minute.
SHARE = float(os.environ.get("XG2LAB_SHARE", "1"))
LETTERS = ["a", "b", "c", "é", "è", "你", "😀", "0"]


def seeded(salt: str = "") -> random.Random:
    """The generator of this run: the same for the same XG2LAB_SEED. Printed, so that a failure can be run again."""
    seed = os.environ.get("XG2LAB_SEED") or str(random.SystemRandom().randrange(10**6))
    os.environ["XG2LAB_SEED"] = seed
    print(f"XG2LAB_SEED={seed}")
    return random.Random(f"{seed}/{salt}")


# ---- Writing: tuples become text ----


def write_ebnf(grammar: Grammar, rng: random.Random | None = None) -> str:
    """The text of a grammar; with `rng` in any of the spellings that mean the same."""
    lines = [f"{name} ::= {write(expression, 0, rng)}" for name, expression in grammar.rules.items()]
    return (rng.choice(["\n", " ", "  # comment\n", "\n\n"]) if rng else "\n").join(lines)


def write(expression: Expression, binding: int, rng: random.Random | None) -> str:
    """An expression; in parentheses if it binds less than its surroundings (0 choice, 1 sequence, 2 atom)."""
    match expression:
        case ("literal", data):
            mark = rng.choice("\"'") if rng else '"'
            return mark + "".join(write_point(ord(point), mark, rng) for point in data.decode()) + mark
        case ("class", ranges):
            return write_class(ranges, rng)
        case ("rule", name):
            return name
        case ("tokens", tokens):
            return str(tokens)
        case ("seq", parts):
            text, level = " ".join(write(part, 2, rng) for part in parts), 1
        case ("choice", branches):
            texts = [write(branch, 1, rng) for branch in branches]
            if rng and rng.random() < 0.3:
                texts = ["" if branch == EMPTY else text for branch, text in zip(branches, texts, strict=True)]
            text, level = " | ".join(texts), 0
        case ("repeat", part, least, most):
            return write(part, 2, rng) + write_bounds(least, most, rng)
    return text if level >= binding else f"({text})"


def write_bounds(least: int, most: int | None, rng: random.Random | None) -> str:
    """`*`, `+`, `?` or braces."""
    spellings = [QUANTIFIERS[least, most]] if (least, most) in QUANTIFIERS else []
    if not spellings or rng:
        spellings.append(f"{{{least},{'' if most is None else most}}}")
        spellings += [f"{{{least}}}"] if least == most else []
        spellings += [f"{{,{most}}}"] if least == 0 and most is not None else []
    return rng.choice(spellings) if rng else spellings[0]


def write_class(ranges: tuple[tuple[int, int], ...], rng: random.Random | None) -> str:
    """`[...]`, or `[^...]` of all the others."""
    is_negated = rng is not None and rng.random() < 0.3
    if is_negated:
        ranges = tuple(complement([*ranges, SURROGATES]))
    words = ("-".join(write_point(point, "-]^[", rng) for point in sorted({low, high})) for low, high in ranges)
    return "[" + "^" * is_negated + "".join(words) + "]"


def write_point(point: int, marks: str, rng: random.Random | None) -> str:
    """A code point as itself, unless it is one of `marks` or can't be seen; or by any of its escapes."""
    spellings = [f"\\U{point:08X}"]
    if point <= 0xFFFF:
        spellings.append(f"\\u{point:04x}")
    if point <= 0xFF:
        spellings.append(f"\\x{point:02x}")
    if chr(point).isprintable() and chr(point) not in marks + "\\":
        spellings += [chr(point)] * 8
    return rng.choice(spellings) if rng else spellings[-1]


# ---- The small universe: every grammar of few rules and operators, one of each kind ----


def exhaustive_grammars(max_rules: int = 2, max_operators: int = 3, alphabet: str = "ab") -> Iterator[str]:
    """All grammars up to renaming letters, the order of branches and nesting of sequences and choices."""
    for n_rules in range(1, max_rules + 1):
        names = NAMES[:n_rules]
        sizes = expressions_by_size(max_operators, alphabet, names)
        for n_operators in itertools.product(range(max_operators + 1), repeat=n_rules):
            if sum(n_operators) > max_operators:
                continue
            for expressions in itertools.product(*(sizes[n] for n in n_operators)):
                grammar = Grammar("root", dict(zip(names, expressions, strict=True)))
                if uses_all(grammar) and letters_in_order(expressions, alphabet):
                    yield write_ebnf(grammar)


def expressions_by_size(max_operators: int, alphabet: str, names: list[str]) -> list[list[Expression]]:
    """Item n: the expressions with n operators, each meaning in few of its forms."""
    atoms: list[Expression] = [EMPTY, *(("literal", letter.encode()) for letter in alphabet)]
    sizes: list[list[Expression]] = [[*atoms, *(("rule", name) for name in names)]]
    for n in range(1, max_operators + 1):
        found: list[Expression] = []
        for part in sizes[n - 1]:
            if part != EMPTY and part[0] != "repeat":
                found += [repeat(part, *bounds) for bounds in QUANTIFIERS]
        for left, right in ((le, ri) for i in range(n) for le in sizes[i] for ri in sizes[n - 1 - i]):
            if EMPTY not in (left, right) and left[0] != "seq":
                found.append(("seq", (left, *(right[1] if right[0] == "seq" else (right,)))))
            branches = right[1] if right[0] == "choice" else (right,)
            if left[0] != "choice" and repr(left) < repr(branches[0]):
                found.append(("choice", (left, *branches)))
        sizes.append(found)
    return sizes


def repeat(part: Expression, least: int, most: int | None) -> Expression:
    """A repetition."""
    return "repeat", part, least, most


def uses_all(grammar: Grammar) -> bool:
    """Is every rule reached from the root?"""
    return {grammar.root} | reached_from(grammar, grammar.root) == grammar.rules.keys()


def is_recursive(grammar: Grammar) -> bool:
    """Does a rule that the root uses refer to itself?"""
    names = {grammar.root} | reached_from(grammar, grammar.root)
    return any(name in reached_from(grammar, name) for name in names)


def reached_from(grammar: Grammar, name: str) -> set[str]:
    """The rules that a rule refers to, directly or through others."""
    reached: set[str] = set()
    agenda = [name]
    for rule in agenda:
        fresh = {part[1] for part in parts_of(grammar.rules[rule]) if part[0] == "rule"} - reached
        reached |= fresh
        agenda += fresh
    return reached


def parts_of(expression: Expression) -> Iterator[Expression]:
    """An expression and all expressions in it."""
    yield expression
    match expression:
        case ("seq" | "choice", parts):
            for part in parts:
                yield from parts_of(part)
        case ("repeat", part, _, _):
            yield from parts_of(part)
        case _:
            pass


def letters_in_order(expressions: tuple[Expression, ...], alphabet: str) -> bool:
    """Do the letters first occur in the order of the alphabet? Of two grammars that differ by renaming, one does."""
    literals = [part[1] for whole in expressions for part in parts_of(whole) if part[0] == "literal"]
    order = list(dict.fromkeys(data.decode() for data in literals if data))
    return order == list(alphabet[: len(order)])


def strings(alphabet: str, max_length: int) -> list[bytes]:
    """All strings over an alphabet, shortest first."""
    return [
        "".join(letters).encode() for n in range(max_length + 1) for letters in itertools.product(alphabet, repeat=n)
    ]


# ---- The large universe, at random ----


def random_grammar(
    rng: random.Random, max_rules: int = 6, max_depth: int = 3, letters: list[str] = LETTERS, is_regular: bool = False
) -> Grammar:
    """1 to `max_rules` rules that refer to each other freely (if regular: only to later ones)."""
    while True:
        names = NAMES[: rng.randint(1, max_rules)]
        grammar = Grammar("root")
        for i, name in enumerate(names):
            grammar.rules[name] = random_expression(rng, names[i + 1 :] if is_regular else names, max_depth, letters)
        if derivation_sizes(productions_of(grammar)).get("root", 0) < 60:  # else nested repetitions: too long to read
            return grammar


def random_calls(rng: random.Random, max_rules: int = 6) -> Grammar:
    """Rules that are little more than calls of each other: cycles of unit rules and of rules that may match nothing,
    recursion on the left, on the right, behind what may be empty, by one rule or through several.
    """
    names = NAMES[: rng.randint(2, max_rules)]

    def letter() -> Expression:
        return "literal", rng.choice([b"a", b"a", b"b", b"ab"])

    def call() -> Expression:
        return "rule", rng.choice(names)

    shapes: list[Callable[[], Expression]] = [
        call,
        lambda: ("seq", (call(), call())),
        lambda: ("seq", (letter(), call())),
        lambda: ("seq", (call(), letter())),
        lambda: ("seq", (letter(), call(), letter())),
        lambda: ("seq", (repeat(call(), 0, 1), call())),
        letter,
        lambda: EMPTY,
    ]
    while True:
        weights = [rng.choice([0, 1, 3]) for _ in shapes[:-2]] + [1, rng.choice([0, 1])]
        grammar = Grammar("root")
        for name in names:
            branches = tuple(make() for make in rng.choices(shapes, weights, k=rng.randint(1, 4)))
            grammar.rules[name] = branches[0] if len(branches) == 1 else ("choice", branches)
        if "root" in derivation_sizes(productions_of(grammar)):
            return grammar


def random_heads(rng: random.Random, grammar: Grammar) -> dict[str, str]:
    """Options for some of the rules, as they are written."""
    heads = dict[str, str]()
    for name in grammar.rules:
        if rng.random() < 0.45:
            continue
        some = [
            *(["lazy"] * (rng.random() < 0.25)),
            *([f"max_chars={rng.randint(0, 6)}"] * (rng.random() < 0.35)),
            *([f"temperature={rng.choice([0, 0.5, 1.25])}"] * (rng.random() < 0.3)),
            *([rng.choice(["capture", 'capture="c"', 'capture="]"'])] * (rng.random() < 0.4)),
            *([f"parts={rng.choice(list(grammar.rules))}"] * (rng.random() < 0.15)),
            *(["hidden"] * (rng.random() < 0.15)),
        ]
        if rng.random() < 0.5 and "lazy" not in some:
            some.append(f"max_tokens={rng.randint(1, 3)}")
        if some:
            rng.shuffle(some)
            heads[name] = f"[{', '.join(some)}]"
    return heads


def with_heads(grammar: Grammar, heads: dict[str, str]) -> str:
    """The grammar's text, with these options."""
    lines = write_ebnf(grammar).splitlines()
    return "\n".join(
        name + heads.get(name, "") + line[len(name) :] for name, line in zip(grammar.rules, lines, strict=True)
    )


def random_expression(rng: random.Random, names: list[str], depth: int, letters: list[str]) -> Expression:
    """One expression, at most `depth` operators deep."""
    kinds = ["literal"] * 4 + ["class"] * 2 + (["rule"] * 3 if names else [])
    kind = rng.choice(kinds + (["seq", "choice"] * 4 + ["repeat"] * 3 if depth else []))
    if kind == "literal":
        return "literal", "".join(rng.choices(letters, k=rng.choice([0, 1, 1, 1, 1, 2, 2, 3]))).encode()
    if kind == "class":
        return random_class(rng, letters)
    if kind == "rule":
        return "rule", rng.choice(names)
    if kind == "repeat":
        least = rng.choice([0, 0, 1, 2])
        bounds = rng.choice([*QUANTIFIERS, (least, None), (least, least + rng.randint(0, 2))])
        return repeat(random_expression(rng, names, depth - 1, letters), *bounds)
    parts = [random_expression(rng, names, depth - 1, letters) for _ in range(rng.choice([2, 2, 2, 3]))]
    return ("seq" if kind == "seq" else "choice"), tuple(parts)


def random_class(rng: random.Random, letters: list[str]) -> Expression:
    """A few ranges with ends among the letters; sometimes all but these; sometimes none."""
    ranges: list[tuple[int, int]] = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2])):
        low, high = sorted(ord(letter) for letter in rng.choices(letters, k=2))
        ranges.append((low, rng.choice([low, high])))
    others = complement([*ranges, SURROGATES])
    return "class", tuple(others if rng.random() < 0.2 else complement([*others, SURROGATES]))


def random_any_order(rng: random.Random) -> str:
    """A grammar with members in any order, as text: the twin's tuples have only what it stands for."""
    names = ["m0", "m1", "m2", "m3"][: rng.randint(1, 4)]
    marks = [rng.choice(["", "?", "?", "*", "+"]) for _ in names]
    n_required = sum(mark in ("", "+") for mark in marks)
    arguments = [name + mark for name, mark in zip(names, marks, strict=True)]
    if separator := rng.choice(["", 'sep=","', 'sep=", "', "sep=s", "sep=s"]):
        arguments.append(separator)
    least = rng.randint(0, 4 if {"*", "+"} & set(marks) else len(names)) if rng.random() < 0.4 else 0
    if least:
        arguments.append(f"min={least}")
    if rng.random() < 0.4:
        arguments.append(f"max={max(n_required, least, 1) + rng.randint(0, 2)}")
    rng.shuffle(arguments)
    if rng.random() < 0.4:
        arguments.append("ordered=true")
    around = ["inner", '"<" inner ">"', 'inner | "b" inner', '(inner ";")*', "inner inner"]
    bodies = [
        '"a" [^,]*',
        "[^a-f,;]+",
        '"a"',
        '"b"',
        '"ab"',
        "[ab]",
        '"a" x',
        '"é"',
        "[0-9]+",
        '"a"+ "b"?',
        '"(" inner? ")"',
        '"a" | "b"',
        'y "a"',
        '"abb" x',
        '"aba" [0-9]',
        '"ac" inner?',
    ]
    lines = [f"root ::= {rng.choice(around)}", f"inner ::= AnyOrder({', '.join(arguments)})"]
    lines += [f"{name} ::= {rng.choice(bodies)}" for name in names]
    return "\n".join([*lines, 's ::= "," | ""', "x ::= [ab]?", 'y ::= "b"*'])


def with_token_edges(rng: random.Random, grammar: Grammar, tokens: list[int], share: float = 0.3) -> Grammar:
    """The grammar with sets of tokens in the place of some of its leaves. `tokens`: those that a set may take."""

    def token_set() -> TokenSet:
        chosen = frozenset(rng.sample(tokens, rng.randint(1, min(3, len(tokens)))))
        is_negated = len(chosen) < len(tokens) and rng.random() < 0.4
        return TokenSet(chosen, is_negated)

    def replaced(expression: Expression) -> Expression:
        match expression:
            case ("seq" | "choice" as kind, parts):
                return kind, tuple(map(replaced, parts))
            case ("repeat", part, least, most):
                return "repeat", replaced(part), least, most
            case ("rule", _):
                return expression
            case _:
                return ("tokens", token_set()) if tokens and rng.random() < share else expression

    return Grammar(grammar.root, {name: replaced(body) for name, body in grammar.rules.items()})


def random_vocabulary(rng: random.Random, members: list[bytes], n_tokens: int = 40) -> list[bytes]:
    """Tokens as real vocabularies have them: pieces of `members`, letters, bytes, half code points, several of them in
    one, duplicates, bytes that are no UTF-8, an empty token, a long one.
    """
    pieces = [b"", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\x80", *(letter.encode() for letter in LETTERS)]
    for data in members:
        start = rng.randrange(len(data) + 1)
        pieces += [data[start : start + n_bytes] for n_bytes in (1, 2, rng.randrange(9))]
    vocabulary = [b"", (rng.choice(members)[:8] * 3)[:20]]
    while len(vocabulary) < n_tokens:
        kind = rng.random()
        if kind < 0.6:
            vocabulary.append(rng.choice(pieces))
        elif kind < 0.85:
            vocabulary.append(b"".join(rng.choices(pieces, k=rng.randint(2, 4))))
        elif kind < 0.93:
            vocabulary.append(rng.choice(vocabulary))
        else:
            vocabulary.append(bytes([rng.randrange(256)]))
    rng.shuffle(vocabulary)
    return vocabulary


def random_member(rng: random.Random, grammar: Grammar, n_steps: int = 12) -> bytes | None:
    """A member of the language, by a random derivation that goes the shortest way after `n_steps`; None if none."""
    cfg = productions_of(grammar)
    sizes = derivation_sizes(cfg)
    if cfg.start not in sizes:
        return None
    data, agenda = bytearray(), list[Symbol]([cfg.start])
    while agenda:
        symbol = agenda.pop()
        if isinstance(symbol, tuple):
            data.append(rng.randint(*symbol))
            continue
        if not isinstance(symbol, str):
            continue  # a token edge: the rest of the member is a text that nearly fits
        n_steps -= 1
        costs = {p: sum(sizes.get(part, 1) for part in p) for p in cfg.productions[symbol]}
        affordable = [p for p, cost in costs.items() if cost <= 30 and n_steps > 0]
        agenda += reversed(rng.choice(affordable or [min(costs, key=lambda p: costs[p])]))
    return bytes(data)


def derivation_sizes(cfg: Cfg) -> dict[Symbol, int]:
    """For each name that can end the number of nodes in its smallest derivation tree."""
    sizes: dict[Symbol, int] = {}
    while True:
        before = dict(sizes)
        for name, productions in cfg.productions.items():
            found = [
                1 + sum(sizes.get(part, 1) for part in production)
                for production in productions
                if all(part in sizes for part in production if isinstance(part, str))
            ]
            sizes |= {name: min(found)} if found else {}
        if sizes == before:
            return sizes


def is_text(data: bytes) -> bool:
    """Is it UTF-8?"""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def mutate(rng: random.Random, data: bytes) -> bytes:
    """A string that is nearly `data`: a byte lost, doubled, changed or swapped, or the end cut off."""
    if not data:
        return bytes([rng.randrange(256)])
    i = rng.randrange(len(data))
    byte = data[i : i + 1]
    other = rng.choice([bytes([rng.randrange(256)]), rng.choice(LETTERS).encode(), b"a"])
    return rng.choice(
        [
            data[:i] + data[i + 1 :],
            data[:i] + byte + data[i:],
            data[:i] + other + data[i + 1 :],
            data[:i] + data[i + 1 : i + 2] + byte + data[i + 2 :],
            data[:i],
            data + other,
        ]
    )


# ---- Shrinking: from a grammar that fails to the smallest one near it that still does ----


def shrink(grammar: Grammar, fails: Callable[[Grammar], bool]) -> Grammar:
    """Take the first smaller grammar that still fails, until none does."""
    for smaller in smaller_grammars(grammar):
        if fails(smaller):
            return shrink(smaller, fails)
    return grammar


def smaller_grammars(grammar: Grammar) -> Iterator[Grammar]:
    """Grammars with one rule less, or with one expression replaced by something smaller."""
    for name in grammar.rules:
        if name != grammar.root:
            rest = {other: expression for other, expression in grammar.rules.items() if other != name}
            yield Grammar(grammar.root, {other: replace_rule(expression, name) for other, expression in rest.items()})
    for name, expression in grammar.rules.items():
        for smaller in smaller_expressions(expression):
            yield Grammar(grammar.root, {**grammar.rules, name: smaller})


def smaller_expressions(expression: Expression) -> Iterator[Expression]:
    """One part instead of the whole; one part less; one part smaller; fewer repetitions; fewer letters."""
    match expression:
        case ("literal", data) if len(data.decode()) > 1:
            for letter in data.decode():
                yield "literal", letter.encode()
        case ("class", ranges) if ranges:
            yield "class", ranges[1:]
            yield "literal", chr(ranges[0][0]).encode()
        case ("repeat", part, least, most):
            yield part
            if least > 0:
                yield "repeat", part, least - 1, most
            if most is not None and most > least:
                yield "repeat", part, least, most - 1
            for smaller in smaller_expressions(part):
                yield "repeat", smaller, least, most
        case ("seq" | "choice" as kind, parts):
            yield from parts
            for i, part in enumerate(parts):
                if len(parts) > 2:
                    yield kind, parts[:i] + parts[i + 1 :]
                for smaller in smaller_expressions(part):
                    yield kind, (*parts[:i], smaller, *parts[i + 1 :])
        case ("rule", _):
            yield EMPTY
        case _:
            pass


def replace_rule(expression: Expression, name: str) -> Expression:
    """The expression with nothing where the rule `name` was."""
    match expression:
        case ("rule", other) if other == name:
            return EMPTY
        case ("repeat", part, least, most):
            return "repeat", replace_rule(part, name), least, most
        case ("seq" | "choice" as kind, parts):
            return kind, tuple(replace_rule(part, name) for part in parts)
        case _:
            return expression
