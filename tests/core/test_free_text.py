"""A mask leaves out most of the trie where characters change nothing, and allows exactly what accept_token takes.

`core/mask/text/home.h` and `text_chain.h` decide which nodes a walk may leave out; what they judge wrongly shows here.
"""

import random

import pytest

import xg2lab as xgr
from tests.generators import SHARE, seeded
from tests.masks import mask_disagreements
from tests.vocabularies import read_cwv

RULES = '\nx ::= [0-9] ";"'
GRAMMARS = [
    r'root ::= "\"" ([^"\\\x00-\x1f] | "\\" [nt])* "\""',
    r'root ::= s ("," s)*   s ::= "\"" [^"]* "\""',
    r'root ::= [^é]* "é"',
    r"root ::= [^你-佰😀]+",
    r'root ::= ([^\xc0-\u07ff] | "é" "z")*',
    r'root ::= [a-z 0-9é你<]* "<" root | ""',
    r"root ::= x y   x ::= [^<]*   y ::= [^a]*",
    # Strings of bounded length, written out and counted, with and without what closes them.
    r'root ::= "\"" ([^"\\\x00-\x1f] | "\\" [nt]){0,5} "\""',
    r'root ::= "\"" [^"]{2,4} "\"" | "x" [^"]{3}',
    'root ::= s ("," s "z")*   s ::= [^",]{2,6}',
    'root ::= s ("a" | "," s)   s ::= [^",]{1,3}',
    r'root ::= ("\"" [^"]{0,40} "\"" ",")*   s ::= [^"]{33,}',
    r'root ::= s "," (s | t "\"") "\""   s ::= [^"]{33,}   t ::= [^"]{0,50}',
    r'root ::= (c | "\"" c){3,70} "\""   c ::= [^"é]',
    'root ::= TagDispatch(("<a>", x), ("</", x))' + RULES,
    'root ::= TagDispatch(("é<", x), stop_str=("z", "你"), excludes=("ab", "<a")) "!"' + RULES,
    'root ::= (TagDispatch(("<", x), stop_eos=false, stop_str=("zz")) "é")*' + RULES,
    'root ::= "(" TagDispatch(("<a", x), ("<b", x), loop_after_dispatch=false) ")"' + RULES,
    'root ::= t t   t ::= TagDispatch(("<a", x))' + RULES,
]
PIECES = ["é", "è", "你", "佰", "😀", "🙂", "<", "<a>", "</", "a", "z", '"', "\\", "\n", ";", "(", ")", "1", ","]
BROKEN = [b"\x80", b"\xc3", b"\xe4\xbd", b"\xf0\x9f\x98", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xa9", b"\xa0a"]


def text_vocabulary(rng: random.Random, n_tokens: int) -> list[bytes]:
    """Mostly words, as real vocabularies have them; the others mixed with what matters to the grammars, or broken."""
    tokens = [bytes([byte]) for byte in range(256)]
    while len(tokens) < n_tokens:
        word = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz ", k=rng.randint(2, 7)))
        kind = rng.random()
        if kind < 0.75:
            tokens.append(word.encode())
        elif kind < 0.92:
            parts = [*rng.choices(PIECES, k=rng.randint(1, 3)), word[:2]]
            rng.shuffle(parts)
            tokens.append("".join(parts).encode())
        else:
            tokens.append(rng.choice([b"", b"a", b"ab"]) + rng.choice(BROKEN) + rng.choice([b"", b"a", b"<", b"\xa9"]))
    return tokens


def walk(rng: random.Random, text: str, tokens: list[bytes], n_steps: int) -> None:
    """Check every state on a random way."""
    tokens = [*tokens, b"</s>"]
    stop_token = len(tokens) - 1
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(tokens, stop_token_ids=[stop_token]))
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(text))
    data = b""
    for _ in range(n_steps):
        assert mask_disagreements(matcher) == [], f"{text}\nafter {data!r}"
        for token in rng.sample(range(stop_token), min(stop_token, 400)):
            if matcher.accept_token(token):
                data += tokens[token]
                break


@pytest.mark.parametrize("text", GRAMMARS)
def test_the_mask_is_what_is_accepted(text: str):
    rng = seeded(f"free-text/{text}")
    for _ in range(max(1, round(4 * SHARE))):
        walk(rng, text, text_vocabulary(rng, 1500), n_steps=10)


@pytest.mark.parametrize("text", [GRAMMARS[0], GRAMMARS[1], GRAMMARS[7], GRAMMARS[8]])
def test_with_a_real_vocabulary(text: str):
    walk(seeded(f"real/{text}"), text, [token or b"?" for token in read_cwv("mistral_spm_v3-32768").tokens], n_steps=3)


@pytest.mark.parametrize("minimize", [True, False])
@pytest.mark.parametrize(
    "grammar",
    [
        'root ::= text "\\"" text "\\""\ntext ::= [^"]*',
        'root ::= "x" text "\\"" | "y" text "!"\ntext ::= [^"]*',
        'root ::= text\ntext ::= [^"]*',
    ],
    ids=["twice", "two callers", "alone"],
)
def test_callers_go_on_after_characters_of_several_bytes(grammar: str, minimize: bool):
    """Where the text may end at any character, what follows it is looked at after each, however many bytes it has."""
    letters = [chr(point) for point in range(32, 127)]
    words = [*letters, *(a + b for a in letters for b in "etaoin")]
    words += ["é", 'é"', 'é"x', 'aé"', 'éé"b', "é!", '語"', 'a"', '"a']
    vocabulary = [word.encode() for word in words]
    info = xgr.TokenizerInfo([*vocabulary, b"</s>"], stop_token_ids=[len(vocabulary)])
    options = xgr.EngineOptions(rule_inlining=False, minimize=minimize)
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, options=options).compile_grammar(grammar))
    begins = [begin for begin in ["", "x", "xab", "yé", "a"] if matcher.fork().accept_string(begin)]
    assert len(begins) >= 2
    for begin in begins:
        matcher.reset()
        assert matcher.accept_string(begin)
        assert mask_disagreements(matcher) == [], begin
