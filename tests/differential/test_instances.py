"""The law of templates: an instance agrees with the compiled grammar that the template means with the same arguments.

Masks, verdicts, forced text, captures and what an explanation says of a token are compared along random walks, in both
spellings of text.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

import xg2lab as xgr
from tests.differential import test_schema_templates as schemas
from tests.differential.test_engine_vs_twin import OPTIONS
from tests.differential.test_template import RULES, random_arguments, random_body, with_grammars
from tests.generators import SHARE, seeded, write_ebnf
from xg2lab.reference import template as twin
from xg2lab.reference.ebnf import Grammar

STOP = b"</s>"
PIECES = [*"abcdklmneuvx019,", '"', "$x", "| d", "\\", "kk", "ak", "ab", "mn", 'c"', "uv", ",a", "eb"]
HEADS = ["", "", "", "[capture]", '[capture="it"]', "[max_tokens=3]", "[temperature=0.5]", "[lazy]", "[hidden]"]


def random_template(rng: random.Random) -> str:
    """Rules with holes; some have options, one may be a set of members in any order."""
    lines = [f"{rule}{rng.choice(HEADS) if rule != 'root' else ''} ::= {random_body(rng, rule, 3)}" for rule in RULES]
    if rng.random() < 0.3:
        lines[rng.randrange(1, 4)] += ' AnyOrder(m, n?, sep=",")'
        lines += [f'm ::= "m" {random_body(rng, "t", 1)}', f'n ::= "n" {random_body(rng, "t", 1)}']
    return "\n".join(lines)


def vocabulary(rng: random.Random) -> xgr.TokenizerInfo:
    tokens = [piece.encode() for piece in PIECES] + ["é".encode()[:1], "é".encode()[1:]]
    tokens += [b"".join(rng.choices(tokens, k=rng.randrange(2, 4))) for _ in range(20)]
    tokens = list(dict.fromkeys(tokens))
    return xgr.TokenizerInfo([*tokens, STOP], stop_token_ids=[len(tokens)])


def encoder(rng: random.Random, info: xgr.TokenizerInfo) -> Callable[[str], list[int]]:
    """An encoder that writes each text in one of its spellings, always in the same; one that has none as no ids."""
    tokens = [(token, data) for token, data in enumerate(info.decoded_vocab) if token not in info.stop_token_ids]
    known: dict[str, list[int]] = {}

    def encode(text: str) -> list[int]:
        if text in known:
            return known[text]
        data = text.encode()
        spellable = {len(data)}
        for at in reversed(range(len(data))):
            if any(data.startswith(piece, at) and at + len(piece) in spellable for _, piece in tokens):
                spellable.add(at)
        at, ids = 0, list[int]()
        while at < len(data) and 0 in spellable:
            ways = [(t, p) for t, p in tokens if data.startswith(p, at) and at + len(p) in spellable]
            token, piece = rng.choice(ways)
            ids.append(token)
            at += len(piece)
        return known.setdefault(text, ids)

    return encode


def facts(matcher: xgr.GrammarMatcher, *, compares_captures: bool = True) -> tuple[Any, ...]:
    """What must be equal at each step. Captures that end at one place may come in any order.

    Empty captures are left out: of the empty matches within one another, a machine shows those that it has calls for.
    Captures are compared only if `compares_captures`. Under `max_tokens`, and where small
    repetitions are counted, an item doesn't know which readings of the items around it are left, so the captures in
    use depend on where a rule's machine ends.
    """
    return (
        matcher.allowed_tokens(),
        matcher.is_completed(),
        matcher.find_jump_forward_string(),
        matcher.find_forced_tokens(),
        sorted(c for c in matcher.get_captures() if c[1]) if compares_captures else None,
        matcher.temperature,
    )


def verdict(matcher: xgr.GrammarMatcher, token: int) -> tuple[Any, ...]:
    """What an explanation says that doesn't depend on how the machines are built."""
    why = matcher.explain(token_id=token)
    expected = {byte for low, high in why["expected"] for byte in range(low, high + 1)}
    return why["allowed"], why["died_at"], expected, {edge["tokens"] for edge in why["expected_tokens"]}


def compare(instance: xgr.CompiledGrammar, written: xgr.CompiledGrammar, rng: random.Random) -> int:
    """Walk both; the number of steps."""
    pair = [xgr.GrammarMatcher(instance), xgr.GrammarMatcher(written)]
    has_budgets = any("max_tokens" in (rule.options or {}) for rule in written.grammar.rules)
    compares_captures = not has_budgets and instance.options.repetition_threshold >= 32
    stop = instance.tokenizer_info.vocab_size - 1
    for step in range(25):
        first, second = (facts(matcher, compares_captures=compares_captures) for matcher in pair)
        assert first == second
        token = rng.randrange(stop + 1)
        assert verdict(pair[0], token) == verdict(pair[1], token)
        allowed = [token for token in first[0] if token != stop]
        if not allowed:
            return step
        if step and rng.random() < 0.1:
            n_back = rng.randrange(pair[0].n_steps + 1)
            for matcher in pair:
                matcher.rollback(n_back)
            pair = [matcher.fork() for matcher in pair]
            continue
        token = rng.choice(allowed)
        assert [matcher.accept_token(token) for matcher in pair] == [True, True]
    return 25


def read(text: str, spelling: str, rng: random.Random, info: xgr.TokenizerInfo) -> xgr.Template:
    encode = encoder(rng, info) if spelling == "tokens" else None
    return xgr.Template.from_ebnf(text, spelling=spelling, encode=encode)


@pytest.mark.filterwarnings("ignore:rules with different temperatures")
@pytest.mark.parametrize("spelling", ["bytes", "tokens"])
@pytest.mark.parametrize("name", OPTIONS)
def test_an_instance_is_what_is_written_out(name: str, spelling: str):
    rng = seeded(f"instances of {name}, {spelling}")
    n_linked = n_steps = n_any_order = n_token_edges = 0
    n_cases = int(120 * SHARE) + 10
    for _ in range(n_cases):
        text, info = random_template(rng), vocabulary(rng)
        try:
            template = read(text, spelling, rng, info)
            compiler = xgr.GrammarCompiler(info, options=OPTIONS[name])
            ready = compiler.compile_template(template)
        except xgr.Xg2LabError:
            continue
        for _ in range(3):  # later instances have entries of the first
            arguments = with_grammars(random_arguments(rng, template, {""}, 2), xgr.Grammar.from_ebnf)
            try:
                written = compiler.compile_grammar(template.write_out(**arguments))
            except xgr.Xg2LabError as error:
                with pytest.raises(type(error)):
                    ready.instantiate(**arguments)
                continue
            instance = ready.instantiate(**arguments)
            try:
                n_steps += compare(instance, written, rng)
            except AssertionError as error:
                raise AssertionError(f"{text}\n{arguments}\n{template.write_out(**arguments)}") from error
            n_linked += not ready.obstacles
            n_any_order += "AnyOrder" in text
            n_token_edges += "Token(" in str(written.grammar)
    assert n_linked > n_cases / 8
    assert (n_token_edges > n_cases / 4) == (spelling == "tokens")
    assert n_steps > n_cases
    assert n_any_order > 0


MACROS = [
    'root ::= TagDispatch(("ab", r), ("k", s), stop_str=("mn"))   r ::= "a" $x "c"   s ::= "cd" OneOf($xs)',
    'root ::= AnyOrder(r, s?, t*, sep=",k") "v"   r ::= "a" $x   s ::= "b"+   t ::= "cc" OneOf($xs)',
    'root ::= AnyOrder(r, s+, sep=t)   r ::= "ak" $x   s ::= "b" Token(3)   t ::= "," | $x "k"',
    'root ::= Each($rows, r, "k,")   r ::= TokenTagDispatch((2, s), loop_after_dispatch=false) "a"   s ::= "ab" $$x',
]


@pytest.mark.parametrize("text", MACROS)
def test_macros_are_spelled_as_the_twin_spells_them(text: str):
    """What the twin writes out has the macros as rules; the engine watches for tags and keeps members apart."""
    rng = seeded(f"macros in tokens, {text}")
    n_steps = 0
    for _ in range(int(20 * SHARE) + 5):
        info = vocabulary(rng)
        encode = encoder(rng, info)
        arguments = {"x": rng.choice(["b", "ab", "kk"]), "xs": rng.sample(["a", "ab", "c", "kak"], 2), "rows": [{}, {}]}
        template = xgr.Template.from_ebnf(text, spelling="tokens", encode=encode)
        names = {slot.name for slot in template.slots if not slot.scope}
        arguments = {name: value for name, value in arguments.items() if name in names}
        written = twin.write_out(twin.read_template(text), arguments, lambda data, encode=encode: encode(data.decode()))
        rules = {name: f"r{number}" for number, name in enumerate(written.rules)}
        renamed = Grammar(rules[written.root], {rules[n]: with_names(body, rules) for n, body in written.rules.items()})
        compiler = xgr.GrammarCompiler(info)
        other = compiler.compile_grammar(write_ebnf(renamed), root_rule_name=renamed.root)
        n_steps += compare(compiler.compile_template(template).instantiate(**arguments), other, rng)
    assert n_steps > 20


def with_names(expression: Any, names: dict[str, str]) -> Any:
    """The expression with other names of rules."""
    match expression:
        case ("rule", name):
            return "rule", names[name]
        case ("seq" | "choice" as kind, parts):
            return kind, tuple(with_names(part, names) for part in parts)
        case ("repeat", inner, least, most):
            return "repeat", with_names(inner, names), least, most
        case _:
            return expression


@pytest.mark.parametrize("name", ["all-on", "all-off", "all-counted", "by-entries", "in-context"])
def test_an_instance_of_a_schema_is_what_is_written_out(name: str):
    rng = seeded(f"instances of schemas, {name}")
    compiler = xgr.GrammarCompiler(schemas.INFO, options=OPTIONS[name])
    n_linked = n_steps = 0
    n_cases = int(120 * SHARE) + 10
    for _ in range(n_cases):
        schema, options = schemas.random_schema(rng, 3), rng.choice(schemas.OPTIONS)
        template = xgr.Template.from_json_schema(schema, **options)
        ready = compiler.compile_template(template)
        for _ in range(3):
            arguments = schemas.random_arguments(rng, template)
            try:
                written = compiler.compile_grammar(template.write_out(**arguments))
            except xgr.Xg2LabError as error:
                with pytest.raises(type(error)):
                    ready.instantiate(**arguments)
                continue
            try:
                n_steps += compare(ready.instantiate(**arguments), written, rng)
            except AssertionError as error:
                raise AssertionError(f"{schema}\n{options}\n{arguments}\n{written.grammar}") from error
            n_linked += not ready.obstacles
    assert n_linked > n_cases / 4
    assert n_steps > n_cases
