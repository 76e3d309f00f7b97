"""Regular expressions at random: the engine answers as the twin does, as Python's `re` does, and as JavaScript does.

XG2LAB_SEED repeats a run; XG2LAB_FULL=1 draws twenty times as many, XG2LAB_SHARE=0.1 a tenth.
"""

import json
import random
import re
import shutil
import subprocess
from typing import Any

import pytest

import xg2lab as xgr
from tests.differential.test_engine_vs_twin import IS_FULL, OPTIONS, Engine
from tests.generators import SHARE, seeded
from tests.masks import mask_disagreements
from tests.refusals import Outcomes
from xg2lab._core import RegularLanguage
from xg2lab.errors import Xg2LabError
from xg2lab.reference.regex import is_found, matches, matches_json

N = round(100 * SHARE) * (20 if IS_FULL else 1) + 1
CHARACTERS = 'abB_ \n1"\\é😀ſK'
SIMPLE = ["a", "b", "B", "_", " ", "1", "é", "😀", "k", "s", '"']
CLASSES = [".", "\\d", "\\w", "\\s", "\\W", "\\D", "\\S", "[ab]", "[^a]", "[a-z]", "[^\\W]", "[\\w-]", "\\n", "\\\\"]
OURS = ["\\p{L}", "\\P{Lu}", "\\u{1F600}", "[\\d\\s]", "\\p{Lu}"]
COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "*?", "{2,3}?"]
FLAGS = ["", "", "", "i", "s", "m", "is", "im", "ims"]


def pattern_of(
    rng: random.Random, depth: int, classes: list[str], *, is_behind: bool = False, looks: bool = True
) -> str:
    """A pattern whose looks, repetitions and alternatives lie in each other in any way."""

    def inner(*, behind: bool = is_behind) -> str:
        return pattern_of(rng, depth - 1, classes, is_behind=behind, looks=looks)

    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice([rng.choice(SIMPLE), rng.choice(classes)])
    if kind < 0.5:
        return "".join(inner() for _ in range(rng.randint(2, 3)))
    if kind < 0.64:
        return f"(?:{'|'.join(inner() for _ in range(rng.randint(2, 3)))})"
    if kind < 0.8 or not looks:
        return f"(?:{inner()}){rng.choice(COUNTS)}"
    if kind < 0.88:
        return "^" if is_behind else rng.choice(["^", "$", "\\b", "\\B"])
    if kind < 0.94 or is_behind:
        return f"(?<{rng.choice('=!')}{inner(behind=True)})"
    return f"(?{rng.choice('=!')}{inner()})"


def text_of(rng: random.Random, most: int) -> str:
    return "".join(rng.choices(CHARACTERS, k=rng.randint(0, most)))


def test_as_the_twin():
    rng = seeded("regex/twin")
    for _ in range(N):
        pattern, flags = pattern_of(rng, 3, CLASSES + OURS), rng.choice(FLAGS)
        whole = RegularLanguage.from_regex(pattern, flags=flags)
        found = RegularLanguage.from_regex(pattern, flags=flags, search=True)
        for _ in range(8):
            text = text_of(rng, 4)
            about = f"{pattern!r} with {flags!r} on {text!r}"
            assert whole.accepts(text) == matches(pattern, text, flags), about
            assert found.accepts(text) == is_found(pattern, text, flags), about


def python_flags(flags: str) -> int:
    return sum(getattr(re, flag.upper()) for flag in flags) | re.ASCII


def test_as_python_where_it_means_the_same():
    """Python's lookbehinds have one length, its dot and `m` know one line break, and its `$` a last one."""
    rng = seeded("regex/python")
    for _ in range(10 * N):
        pattern, flags = pattern_of(rng, 3, CLASSES, looks=False), rng.choice(["", "s"])
        theirs = re.compile(pattern, python_flags(flags))
        whole = RegularLanguage.from_regex(pattern, flags=flags)
        found = RegularLanguage.from_regex(f"^x|{pattern}|y$", flags=flags, search=True)
        anchored = re.compile(rf"\Ax|{pattern}|y\Z", python_flags(flags))
        for _ in range(10):
            text = text_of(rng, 6)
            assert whole.accepts(text) == bool(theirs.fullmatch(text)), f"{pattern!r} with {flags!r} on {text!r}"
            assert found.accepts(text) == bool(anchored.search(text)), (
                f"search for {pattern!r} with {flags!r} in {text!r}"
            )


JAVASCRIPT = """
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answer = ([pattern, flags, texts]) => {
  const whole = new RegExp("(?:" + pattern + ")(?![^])", flags + "uy");
  const found = new RegExp("[^]*(?:" + pattern + ")[^]*(?![^])", flags + "uy");
  const test = (regex, text) => { regex.lastIndex = 0; return regex.test(text); };
  return texts.map((text) => [test(whole, text), test(found, text)]);
};
console.log(JSON.stringify(jobs.map(answer)));
"""


def javascript(jobs: list[tuple[str, str, list[str]]]) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no `node` to compare with")
    ran = subprocess.run([node, "-e", JAVASCRIPT], input=json.dumps(jobs), capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def test_as_javascript():
    rng = seeded("regex/javascript")
    jobs = [
        (pattern_of(rng, 4, [*CLASSES, *OURS, "[]", "[^]", "\\p{Script=Latin}"]), rng.choice(FLAGS),
         [text_of(rng, 6) for _ in range(20)])
        for _ in range(10 * N)
    ]  # fmt: skip
    for (pattern, flags, texts), answers in zip(jobs, javascript(jobs), strict=True):
        whole = RegularLanguage.from_regex(pattern, flags=flags)
        found = RegularLanguage.from_regex(pattern, flags=flags, search=True)
        for text, answer in zip(texts, answers, strict=True):
            assert [whole.accepts(text), found.accepts(text)] == answer, f"{pattern!r} with {flags!r} on {text!r}"


PROPERTIES = """
    L Lu Ll Lt LC Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co
    Alphabetic Lowercase Uppercase Cased Math ID_Start ID_Continue White_Space Dash Diacritic Emoji Hex_Digit
    Ideographic Extended_Pictographic Pattern_Syntax Quotation_Mark Sentence_Terminal Variation_Selector
    sc=Latn sc=Grek sc=Arab sc=Deva sc=Zyyy sc=Zinh scx=Latn scx=Grek scx=Arab scx=Deva scx=Zyyy scx=Zinh
"""


def test_properties_as_javascript_has_them():
    """Of older versions of Unicode only the characters that they know are compared."""
    names = PROPERTIES.split()
    rng = seeded("regex/properties")
    points = [*range(0x20, 0x3000, 7), *(rng.randrange(0xE000, 0x20000) for _ in range(1000))]
    texts = [chr(point) for point in points]
    jobs = [(rf"\p{{{name}}}", "", texts) for name in [*names, "Cn"]]
    *answers, unknown = javascript(jobs)
    for name, answer in zip(names, answers, strict=True):
        language = RegularLanguage.from_regex(rf"\p{{{name}}}")
        wrong = [
            text
            for text, theirs, is_unknown in zip(texts, answer, unknown, strict=True)
            if not is_unknown[0] and language.accepts(text) != theirs[0]
        ]
        assert wrong == [], name


@pytest.mark.parametrize("name", OPTIONS)
def test_masks_in_any_surroundings(name: str):
    """A pattern in a grammar: a token may come if, and only if, the text with it begins a member."""
    rng = seeded(f"regex/masks/{name}")
    outcomes = Outcomes()
    for _ in range(max(3, N // 10)):
        pattern = pattern_of(rng, 2, CLASSES)
        is_json = rng.random() < 0.5
        words = json.dumps(pattern, ensure_ascii=False)
        text = f'root ::= "<" Regex({words}{", json_string=true" if is_json else ""}) ">"'
        tokens = [
            *(character.encode() for character in CHARACTERS),
            b"ab",
            b"1 ",
            b'\\"',
            b"a>",
            b"<a",
            b"\\u00",
            b"6",
            b">",
        ]
        tokens += [b"</s>"]
        try:
            engine = Engine(text, tokens, len(tokens) - 1, OPTIONS[name])
        except Xg2LabError as error:
            assert "matches nothing" in str(error)
            outcomes["empty"] += 1
            continue
        outcomes["walked"] += 1
        for _ in range(4):
            data = b""
            engine.matcher.reset()
            for _ in range(6):
                mask = engine.mask()
                wrong = mask_disagreements(engine.matcher)
                assert wrong == [], f"{text} after {data!r}: {[tokens[token] for token in wrong]}"
                assert engine.matcher.is_completed() == is_member(pattern, data, is_json=is_json), f"{text}: {data!r}"
                choices = sorted(mask - {len(tokens) - 1})
                if not choices:
                    break
                token = rng.choice(choices)
                assert engine.matcher.accept_token(token)
                data += tokens[token]
    outcomes.require("walked", 0.8)


def is_member(pattern: str, data: bytes, *, is_json: bool) -> bool:
    """Is it `<`, something that the twin matches, and `>`?"""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    if not (len(text) > 1 and text[0] == "<" and text[-1] == ">"):
        return False
    return (matches_json if is_json else matches)(pattern, text[1:-1])


def test_what_is_no_pattern_is_an_error_and_nothing_else():
    rng = seeded("regex/noise")
    alphabet = [*"()[]{}|*+?^$\\.,-=!<>:#iPpuxk01aé", "(?", "(?<", "\\p{", "{1,", "[^", "\\u{"]
    n_well = 0
    for _ in range(20 * N):
        pattern = "".join(rng.choices(alphabet, k=rng.randint(0, 12)))
        try:
            xgr.Grammar.from_regex(pattern)
            n_well += 1
        except Xg2LabError as error:
            assert error.diagnostics, pattern
            assert all(d.column <= len(pattern) + 1 and d.message for d in error.diagnostics), pattern
    assert n_well > 0
