"""Tag dispatch at random: the engine answers as the definition does, and as the twin does in any surroundings.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 draws twenty times as many, XG2LAB_SHARE=0.1 a tenth.
"""

import random
from dataclasses import dataclass, field

import pytest

from tests.differential.test_engine_vs_twin import IS_FULL, OPTIONS, Engine, walk_disagreement
from tests.generators import SHARE, random_vocabulary, seeded, strings
from tests.masks import mask_disagreements
from xg2lab.reference.ebnf import parse_ebnf

N_DEFINITIONS = round(80 * SHARE) * (20 if IS_FULL else 1)
N_WALKS = round(60 * SHARE) * (20 if IS_FULL else 1)
ALPHABETS = ["ab", "ab<", "aé", "<你余"]  # the last two characters share their first byte


@dataclass
class Definition:
    """A dispatch whose tags open sets of words, and what it matches, character by character."""

    tags: dict[str, list[str]]
    stop_str: list[str]
    excludes: list[str]
    stop_eos: bool
    loop_after_dispatch: bool
    names: dict[str, str] = field(default_factory=dict[str, str])

    def ebnf(self) -> str:
        """The dispatch as the macro, each set of words as a rule."""
        rules = {f"r{i}": " | ".join(map(quoted, words)) for i, words in enumerate(self.tags.values())}
        return "\n".join(
            [f"root ::= {self.macro(list(rules))}", *(f"{name} ::= {words}" for name, words in rules.items())]
        )

    def macro(self, rules: list[str]) -> str:
        """The call of the macro, where tag i opens `rules[i]`."""
        parts = [f"({quoted(tag)}, {rule})" for tag, rule in zip(self.tags, rules, strict=True)]
        parts += [f"stop_eos={str(self.stop_eos).lower()}"]
        parts += [f"loop_after_dispatch={str(self.loop_after_dispatch).lower()}"]
        parts += [f"stop_str=({', '.join(map(quoted, self.stop_str))})"] if self.stop_str else []
        parts += [f"excludes=({', '.join(map(quoted, self.excludes))})"] if self.excludes else []
        return f"TagDispatch({', '.join(parts)})"

    def after(self, text: str) -> set[tuple[str, str]]:
        """Where a reader is after `text`: in free text, since when; in a rule, what is left of a word; at its end."""
        places = {("free", "")}
        for character in text:
            places = {other for place in places for other in self.step(*place, character)}
        return places

    def step(self, mode: str, words: str, character: str) -> set[tuple[str, str]]:
        """One character more."""
        if mode == "end":
            return set()
        if mode == "rule":
            return self.in_rule(words[1:]) if words.startswith(character) else set()
        words += character
        watched = [*self.tags, *self.stop_str, *self.excludes]
        hits = sorted((text for text in watched if words.endswith(text)), key=len)
        if not hits:
            return {("free", words)}
        if hits[-1] in self.tags:
            return {place for word in self.tags[hits[-1]] for place in self.in_rule(word)}
        return {("end", "")} if hits[-1] in self.stop_str else set()

    def in_rule(self, rest: str) -> set[tuple[str, str]]:
        """In a tag's rule, of which `rest` is left; or behind it, if nothing is."""
        if rest:
            return {("rule", rest)}
        return {("free", "")} if self.loop_after_dispatch else {("end", "")}

    def is_member(self, text: str) -> bool:
        """May the text end here?"""
        return any(mode == "end" or (mode == "free" and self.stop_eos) for mode, _ in self.after(text))


def quoted(text: str) -> str:
    """A literal of the dialect."""
    return f'"{text}"'


def random_definition(rng: random.Random, alphabet: str) -> Definition:
    """Texts that begin, end and overlap each other, as few letters make them do; no text twice."""

    def text(n: int) -> str:
        return "".join(rng.choices(alphabet, k=rng.randint(1, n)))

    watched = list(dict.fromkeys(text(4) for _ in range(rng.randint(1, 6))))
    n_tags = rng.randint(1, len(watched))
    n_stops = rng.randint(0, len(watched) - n_tags)
    words = [["1"], ["", "b"], ["a", "ab"], ["", "1", "aa"], [alphabet[-1] * 2]]
    stops = watched[n_tags : n_tags + n_stops]
    made = Definition(
        tags={tag: rng.choice(words) for tag in watched[:n_tags] if not any(stop in tag for stop in stops)},
        stop_str=stops,
        excludes=watched[n_tags + n_stops :],
        stop_eos=rng.random() < 0.6,
        loop_after_dispatch=rng.random() < 0.7,
    )
    can_end = made.stop_eos or any(made.is_member(stop) for stop in made.stop_str)
    made.stop_eos |= not can_end
    return made


@pytest.mark.parametrize("name", ["all-on", "all-off"])
def test_by_the_definition(name: str):
    """Members, beginnings and masks after every short text."""
    rng = seeded(f"dispatch/{name}")
    for _ in range(N_DEFINITIONS):
        alphabet = rng.choice(ALPHABETS)
        definition = random_definition(rng, alphabet)
        tokens = ["".join(rng.choices([*alphabet, "1", "z"], k=rng.randint(1, 5))) for _ in range(12)]
        tokens += [*alphabet, *definition.tags, *(f"a{tag}1" for tag in definition.tags)]
        vocabulary = [*(token.encode() for token in tokens), b"</s>"]
        engine = Engine(definition.ebnf(), vocabulary, len(tokens), OPTIONS[name])
        for data in strings(alphabet, 4 if len(alphabet) == 2 else 3):
            about = f"{definition.ebnf()}\nafter {data.decode()!r}"
            places = definition.after(data.decode())
            assert engine.matcher.accept_string(data) == bool(places), about
            if not places:
                continue
            expected = {i for i, token in enumerate(tokens) if definition.after(data.decode() + token)}
            assert engine.matcher.is_completed() == definition.is_member(data.decode()), about
            expected |= {len(tokens)} if engine.matcher.is_completed() else set()
            assert engine.mask() == expected, about
            wrong = mask_disagreements(engine.matcher)
            assert wrong == [], f"{about}, tokens {[vocabulary[token] for token in wrong]}"
            engine.matcher.rollback(1)


ROOTS = ["{0}", '"(" {0} ")"', '({0} ";")*', '"a" {0} | {0} "b"', "x {0}", "{0} {1}"]
RULES = ['"1"', "[ab]*", '"" | "b"', '"a" y | "<"', '"(" root ")"', "[^a]{1,2}", "{1}", '{1} "."']


def random_text(rng: random.Random) -> str:
    """A grammar with dispatches among other rules, and within the rules that they open."""
    alphabet = rng.choice(ALPHABETS)
    macros = [
        definition.macro(rng.choices("xyz", k=len(definition.tags)))
        for definition in (random_definition(rng, alphabet) for _ in range(2))
    ]
    rules = [f"{name} ::= {rng.choice(RULES)}" for name in "xyz"]
    return "\n".join([f"root ::= {rng.choice(ROOTS)}", *rules]).replace("{0}", macros[0]).replace("{1}", macros[1])


@pytest.mark.parametrize("name", OPTIONS)
def test_random_walks(name: str):
    """Masks, acceptance, forced text, rollback and forks in grammars of any shape, beside the twin."""
    rng = seeded(f"dispatch-walks/{name}")
    for _ in range(max(1, N_WALKS // (1 if name == "all-on" else 6))):
        text = random_text(rng)
        members = [piece.encode() for piece in text.split('"')[1::2] if piece] or [b"a"]
        joined = [b"".join(rng.choices([*members, b"1", b"z"], k=4)) for _ in range(3)]
        vocabulary = random_vocabulary(rng, [*members, *joined], n_tokens=rng.choice([8, 25, 60]))
        seed = rng.randrange(10**9)
        difference = walk_disagreement(parse_ebnf(text), vocabulary, seed, OPTIONS[name], text)
        assert difference is None, f"{difference}\n{text}\nvocabulary {vocabulary}\nwalk {seed}, options {name}"
