"""What is said of an argument that can't be taken: its name, what was given, what is wanted, and how to get that."""

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xg2lab as xgr
from xg2lab import _core
from xg2lab.errors import ArgumentError, ArgumentTypeError, BitmaskError

BIND = Path(__file__).parent.parent.parent / "core" / "bind"
INFO = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
COMPILER = xgr.GrammarCompiler(INFO)
COMPILED = COMPILER.compile_grammar('root ::= "a"')
GRAMMAR = COMPILED.grammar
MAKES_A_GRAMMAR = "Grammar.from_ebnf(text) makes one, as do from_regex, from_json_schema, from_lark"
MAKES_COMPILED = "GrammarCompiler(tokenizer_info).compile_grammar(...) makes one"


def matcher() -> xgr.GrammarMatcher:
    return xgr.GrammarMatcher(COMPILED)


def never_made(type_: Any) -> Any:
    return type_.__new__(type_)


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """A call that a type checker would refuse."""
    return function(*arguments, **keywords)


REFUSED: list[tuple[Callable[[], object], str, str]] = [
    (
        lambda: call(xgr.GrammarMatcher, None),
        "GrammarMatcher(): compiled_grammar is None; wanted a CompiledGrammar",
        MAKES_COMPILED,
    ),
    (
        lambda: call(xgr.GrammarMatcher, INFO),
        "GrammarMatcher(): compiled_grammar is a TokenizerInfo; wanted a CompiledGrammar",
        MAKES_COMPILED,
    ),
    (
        lambda: call(COMPILER.compile_grammar, None),
        "compile_grammar(): grammar is None; wanted a str or a Grammar",
        MAKES_A_GRAMMAR,
    ),
    (lambda: call(INFO.encode_greedy, 2**32 - 1), "text is an int, 4294967295; wanted a str or bytes", ""),
    (lambda: call(INFO.find, None), "text is None; wanted a str or bytes", ""),
    (lambda: call(xgr.Grammar.union, None), "union(): argument 0 is None; wanted a Grammar", ""),
    (lambda: call(xgr.Grammar.concat, GRAMMAR, None), "concat(): argument 1 is None; wanted a Grammar", ""),
    (
        lambda: call(_core.TokenSets, None),
        "TokenSets(): vocabulary is None; wanted a Vocabulary",
        "TokenizerInfo(...).vocabulary is one",
    ),
    (
        lambda: call(_core.TokenNames, None),
        "TokenNames(): vocabulary is None; wanted a Vocabulary",
        "TokenizerInfo(...).vocabulary is one",
    ),
    (
        lambda: call(_core.CompiledGrammar.compile, None, None, None),
        "compile(): grammar is None; wanted a Grammar",
        MAKES_A_GRAMMAR,
    ),
    (
        lambda: never_made(xgr.GrammarMatcher).is_completed(),
        "is_completed(): this GrammarMatcher is not initialized: its __init__ was not called",
        "GrammarMatcher(compiled_grammar) makes one",
    ),
    (
        lambda: never_made(xgr.Grammar).rules,
        "this Grammar is not initialized: its __init__ was not called",
        MAKES_A_GRAMMAR,
    ),
    (
        lambda: call(xgr.GrammarMatcher, never_made(xgr.CompiledGrammar)),
        "GrammarMatcher(): compiled_grammar is a CompiledGrammar that is not initialized: its __init__ was not called",
        MAKES_COMPILED,
    ),
    (
        lambda: call(xgr.Grammar.concat, GRAMMAR, never_made(xgr.Grammar)),
        "concat(): argument 1 is a Grammar that is not initialized: its __init__ was not called",
        MAKES_A_GRAMMAR,
    ),
    (
        lambda: call(xgr.GrammarMatcher, COMPILED, override_stop_tokens="x"),
        "GrammarMatcher(): override_stop_tokens[0] is a str; wanted an int",
        "",
    ),
    (
        lambda: call(matcher().accept_token, "5"),
        "accept_token(): token_id is a str, '5'; wanted an int",
        "accept_token(token_id, *, debug_print=False)",
    ),
    (
        lambda: call(matcher().accept_token, np.float32(1.7)),
        "accept_token(): token_id is a float32; wanted an int",
        "accept_token(token_id, *, debug_print=False)",
    ),
    (
        lambda: call(matcher().accept_token, token_id=Decimal("1.7")),
        "accept_token(): token_id is a Decimal; wanted an int",
        "accept_token(token_id, *, debug_print=False)",
    ),
    (
        lambda: call(matcher().rollback, 1 << 70),
        "rollback(): num_tokens is an int of 71 bits, more than fit here",
        "rollback(num_tokens=1)",
    ),
    (
        lambda: call(matcher().rollback, 1, 2, 3),
        "rollback(): 3 arguments by position; it takes 1",
        "rollback(num_tokens=1)",
    ),
    (
        lambda: call(matcher().rollback, 1, num_tokens=2),
        "rollback(): the argument `num_tokens` is given twice",
        "rollback(num_tokens=1)",
    ),
    (
        lambda: call(matcher().rollback, tokens=2),
        "rollback(): there is no argument `tokens`",
        "did you mean `num_tokens`?",
    ),
    (
        lambda: call(_core.Vocabulary.kind, INFO.vocabulary),
        "kind(): the argument `token_id` is missing",
        "kind(token_id)",
    ),
    (lambda: call(xgr.Grammar.lint, 5), "lint(): self is an int, 5; wanted a Grammar", ""),
    (
        lambda: call(xgr.BatchGrammarMatcher.batch_accept_token, 5, [1]),
        "batch_accept_token(): matchers is an int; wanted a list",
        "",
    ),
    (
        lambda: call(xgr.BatchGrammarMatcher.batch_accept_token, [matcher()], [1.5]),
        "batch_accept_token(): tokens[0] is a float; wanted an int",
        "",
    ),
    (
        lambda: call(xgr.GrammarCompiler, None),
        "tokenizer_info is None; wanted a TokenizerInfo",
        "TokenizerInfo(...) makes one, as do its from_huggingface, from_tiktoken, from_sentencepiece",
    ),
]


@pytest.mark.parametrize(("refused", "message", "hint"), REFUSED)
def test_what_is_refused_and_with_which_words(refused: Callable[[], object], message: str, hint: str):
    with pytest.raises(ArgumentTypeError) as caught:
        refused()
    assert isinstance(caught.value, TypeError)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), Decimal("NaN"), "\ud800"])
@pytest.mark.parametrize(
    "read",
    [
        lambda value: xgr.Grammar.from_json_schema({"const": [value]}),
        lambda value: xgr.Grammar.from_structural_tag({"const": [value]}),
    ],
)
def test_a_value_that_json_has_not_is_refused_with_its_place(read: Callable[[Any], object], value: Any):
    with pytest.raises(ArgumentError, match=r'^at "/const/0": (JSON has no|half of a surrogate pair)') as raised:
        read(value)
    assert raised.value.hint


@pytest.mark.parametrize("one", [1, True, np.int64(1), np.uint8(1), np.array(1), np.array([1])[0]])
def test_integers_of_all_kinds_are_taken(one: Any):
    made = matcher()
    assert made.accept_token(0)
    made.rollback(one)
    assert made.n_steps == 0


def test_other_numbers_are_taken_where_any_number_is_wanted():
    for temperature in (np.float32(0.5), Decimal("0.5"), 0.5, 1):
        made = call(xgr.GrammarMatcher, COMPILED, default_temperature=temperature)
        assert made.temperature == float(temperature)


def test_an_item_that_is_none_or_never_made_is_refused():
    for item in (None, never_made(_core.CompiledGrammar)):
        with pytest.raises(ArgumentTypeError, match=r"structure_classes\(\)"):
            call(_core.structure_classes, [COMPILED, item])


def test_a_name_that_is_no_text_is_refused():
    with pytest.raises(ValueError, match="surrogates"):
        call(matcher().accept_token, **{"\ud800": 1})


def test_a_pool_of_other_tokens_is_refused():
    other = xgr.TokenizerInfo([b"x", b"</s>"], stop_token_ids=[1])
    pool = _core.MaskPool(_core.TokenSets(other.vocabulary), 1 << 20)
    with pytest.raises(ArgumentError, match="another TokenSets"):
        _core.CompiledGrammar.compile(GRAMMAR, _core.TokenSets(INFO.vocabulary), xgr.EngineOptions(), pool)


def test_errors_of_other_code_are_left_as_they_are():
    """A function that is called back raises what it raises."""

    def read(_: object) -> object:
        raise TypeError("mine")

    text = '{"type": ' + "1" * 5  # not read by the engine itself
    with pytest.raises(TypeError, match=r"^mine$") as caught:
        _core.SchemaInput(
            text, registry={}, any_whitespace=True, max_whitespace=None, indent=None, comma=",", colon=":", strict=True,
            any_order=False, check_formats=True, plain_numbers=False, relaxes=False, read=read,
        )  # fmt: skip
    assert type(caught.value) is TypeError


def test_bindings_see_pybind11_through_one_header_and_cast_to_no_pointer():
    """The caster that refuses None is seen wherever a shared_ptr is converted (core/bind/python.h)."""
    for path in [*BIND.glob("*.h"), *BIND.glob("*.cc")]:
        text = path.read_text(encoding="utf-8")
        assert ("<pybind11/pybind11.h>" in text) == (path.name == "python.h"), path.name
        assert not re.search(r"(?:py::|\.)cast<[^>]*\*>", text), f"{path.name}: a pointer may be null"
        if "<pybind11/" in text and path.suffix == ".cc":
            own = f'#include "bind/{path.stem}.h"'
            assert '#include "bind/bind.h"' in text or own in text, f"{path.name} doesn't include bind/bind.h"


# ---- Bitmasks and logits whose rows share memory ----


def overlapping(rows: int, columns: int, dtype: Any, stride: int) -> np.ndarray[Any, Any]:
    item = np.dtype(dtype).itemsize
    base = np.zeros(rows * columns, dtype)
    return np.lib.stride_tricks.as_strided(base, (rows, columns), (stride * item, item))


@pytest.mark.parametrize("stride", [0, 1, 2, -1])
def test_rows_that_overlap_are_refused(stride: int):
    bitmask = np.zeros((2, 1), np.int32)
    logits = overlapping(2, 3, np.float32, abs(stride))
    logits = logits[::-1] if stride < 0 else logits
    with pytest.raises(BitmaskError, match="overlap"):
        xgr.apply_token_bitmask_inplace(logits, bitmask)
    with pytest.raises(BitmaskError, match="overlap"):
        _core.apply_bitmask_on_cpu(logits, bitmask, 3, [0, 1])
    wide = overlapping(2, 3, np.int32, abs(stride))
    wide = wide[::-1] if stride < 0 else wide
    with pytest.raises(BitmaskError, match="overlap"):
        matcher().fill_next_token_bitmask(wide, 1)
    with pytest.raises(BitmaskError, match="overlap"):
        xgr.BatchGrammarMatcher(1).batch_fill_next_token_bitmask([matcher(), matcher()], wide)
    with pytest.raises(BitmaskError, match="overlap"):
        xgr.reset_token_bitmask(wide)


@pytest.mark.parametrize("backend", ["auto", "cpu", "torch_native", "torch_compile", "triton", "cuda"])
def test_every_backend_refuses_overlapping_logits(backend: Any):
    torch = pytest.importorskip("torch")
    bitmask = torch.zeros((2, 1), dtype=torch.int32)
    for logits in (torch.zeros(1, 3).expand(2, 3), torch.zeros(2, 1).expand(2, 3), torch.zeros(4).unfold(0, 3, 1)):
        with pytest.raises(BitmaskError, match="overlap"):
            xgr.apply_token_bitmask_inplace(logits, bitmask, backend=backend)


def test_one_mask_may_be_applied_to_all_rows():
    """The bitmask is only read: its rows may be one."""
    bitmask = np.broadcast_to(np.array([0b101], np.int32), (2, 1))
    logits = np.zeros((2, 3), np.float32)
    xgr.apply_token_bitmask_inplace(logits, bitmask)
    assert (logits == [[0, -np.inf, 0]] * 2).all()


def test_rows_in_reverse_and_with_gaps_are_taken():
    bitmask = np.full((4, 2), -1, np.int32)
    assert matcher().fill_next_token_bitmask(bitmask[::-1], 0)
    assert bitmask[:, 0].tolist() == [-1, -1, -1, 1]
    logits = np.zeros((4, 4), np.float32)
    xgr.apply_token_bitmask_inplace(logits[::2, :3][::-1], np.array([[1], [2]], np.int32))
    assert np.isfinite(logits).tolist() == [[0, 1, 0, 1], [1] * 4, [1, 0, 0, 1], [1] * 4]


@pytest.mark.parametrize("bitmask", [np.frombuffer(bytearray(13), np.uint8)[1:].view(np.int32)])
def test_words_that_are_not_aligned_are_refused(bitmask: Any):
    with pytest.raises(BitmaskError, match="aligned"):
        matcher().fill_next_token_bitmask(bitmask)


def test_a_bitmask_beyond_a_gibibyte_is_refused():
    with pytest.raises(BitmaskError, match="more than 1 GiB"):
        xgr.allocate_token_bitmask(1 << 20, 1 << 20)
    with pytest.raises(xgr.Xg2LabError, match="at most 16777216 tokens"):
        xgr.TokenizerInfo([b"a"], vocab_size=1 << 30)


def test_the_class_below_all_others_has_no_constructor():
    base: Any = xgr.Grammar.__base__
    derived = type("Derived", (base,), {})
    for make in (base, lambda: base.__new__(base), derived, lambda: base.__new__(derived), lambda: never_made(derived)):
        with pytest.raises(TypeError, match="has no constructor"):
            make()


@pytest.mark.parametrize("value", [np.float32(1.7), 1.7, "1", None, True])
def test_ids_of_tokens_are_whole_numbers(value: Any):
    for name in ("stop_token_ids", "special_token_ids"):
        with pytest.raises(ArgumentTypeError, match=rf"^{name}\[1\] is "):
            call(xgr.TokenizerInfo, [b"a", b"b", b"c"], **{name: [1, value]})
