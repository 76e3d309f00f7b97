"""The guide's snippets about tokenizers, compilers, matchers and bitmasks, with our import in place of its own.

Each test is what one snippet does, made to run: a small vocabulary or the shipped model in place of a large one, and
an assertion in place of a comment.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import pytest

import xg2lab as xgr

WORDS = [bytes([byte]) for byte in range(128)] + [b"hello", b" world", b"true", b'{"', b'":', b"</s>"]
STOP = len(WORDS) - 1
GREETING = 'root ::= "hello" " " "world"'


@pytest.fixture(scope="module")
def info():
    return xgr.TokenizerInfo(WORDS, stop_token_ids=[STOP])


@pytest.fixture(scope="module")
def compiler(info):
    return xgr.GrammarCompiler(info)


@pytest.fixture(scope="module")
def tiny():
    """The shipped model's tokenizer and configuration."""
    transformers = pytest.importorskip("transformers")
    from xg2lab.tiny import tiny_model_path

    path = tiny_model_path()
    return transformers.AutoTokenizer.from_pretrained(path), transformers.AutoConfig.from_pretrained(path)


# ---- TokenizerInfo ----


def test_tokenizer_info(tiny):
    tokenizer, config = tiny
    stop = tokenizer.eos_token_id
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=config.vocab_size, stop_token_ids=[stop])
    assert info.vocab_size == config.vocab_size
    assert info.vocab_type in (xgr.VocabType.RAW, xgr.VocabType.BYTE_FALLBACK, xgr.VocabType.BYTE_LEVEL)
    assert info.stop_token_ids == [stop]
    assert isinstance(info.special_token_ids, list)
    assert len(info.decoded_vocab) == info.vocab_size
    assert all(isinstance(token, bytes) for token in info.decoded_vocab)
    assert info.add_prefix_space in (True, False)


# ---- Grammar ----


def test_grammars_from_everything():
    grammar = xgr.Grammar.from_ebnf(GREETING, root_rule_name="root")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    from_schema = xgr.Grammar.from_json_schema(
        schema, any_whitespace=True, indent=None, separators=None, strict_mode=True, max_whitespace_cnt=None
    )
    phone = xgr.Grammar.from_regex(r"\d{3}-\d{4}")
    json = xgr.Grammar.builtin_json_grammar()
    concat = xgr.Grammar.concat(grammar, phone)
    union = xgr.Grammar.union(grammar, phone)
    assert xgr.check(from_schema, accepts=['{"name": "x"}'], rejects=["{}"]).ok
    assert xgr.check(json, accepts=['{"a": [1]}'], rejects=["{a: 1}"]).ok
    assert xgr.check(concat, accepts=["hello world555-1234"], rejects=["hello world"]).ok
    assert xgr.check(union, accepts=["hello world", "555-1234"]).ok
    assert str(grammar).startswith("root ::= ")
    assert str(xgr.Grammar.deserialize_json(grammar.serialize_json())) == str(grammar)


# ---- GrammarCompiler and CompiledGrammar ----


def test_compiling(info):
    compiler = xgr.GrammarCompiler(info, max_threads=8, cache_enabled=True, cache_limit_bytes=-1)
    compiled = [
        compiler.compile_grammar(GREETING, root_rule_name="root"),
        compiler.compile_grammar(xgr.Grammar.from_ebnf(GREETING)),
        compiler.compile_json_schema({"type": "integer"}),
        compiler.compile_builtin_json_grammar(),
        compiler.compile_regex("[a-z]+"),
    ]
    assert all(isinstance(one, xgr.CompiledGrammar) for one in compiled)
    assert compiler.get_cache_size_bytes() > 0
    assert isinstance(compiler.cache_limit_bytes, int)
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() == 0


def test_the_same_text_compiles_once(compiler):
    assert compiler.compile_grammar(GREETING) is compiler.compile_grammar(GREETING)


def test_cache_limit(info):
    compiler = xgr.GrammarCompiler(info, cache_enabled=True, cache_limit_bytes=128 * 1024 * 1024)
    compiler.compile_builtin_json_grammar()
    assert 0 < compiler.get_cache_size_bytes() <= compiler.cache_limit_bytes == 128 * 1024 * 1024


def test_compiling_in_parallel(compiler):
    async def compile_two():
        first = asyncio.to_thread(compiler.compile_grammar, 'root ::= "a"')
        second = asyncio.to_thread(compiler.compile_grammar, 'root ::= "b"')
        return await asyncio.gather(first, second)

    # In a thread of its own: a browser test that ran here before may have left its event loop
    # running.
    with ThreadPoolExecutor(1) as pool:
        first, second = pool.submit(lambda: asyncio.run(compile_two())).result()
    assert str(first.grammar) != str(second.grammar)


def test_compiled_grammar(compiler, info):
    compiled = compiler.compile_grammar(GREETING)
    assert isinstance(compiled.grammar, xgr.Grammar)
    assert compiled.tokenizer_info is info
    assert compiled.memory_size_bytes > 0
    again = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), info)
    assert str(again.grammar) == str(compiled.grammar)


# ---- GrammarMatcher ----


def test_matcher(compiler, info):
    matcher = xgr.GrammarMatcher(
        compiler.compile_grammar(GREETING), override_stop_tokens=None, terminate_without_stop_token=False
    )
    bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)
    assert matcher.fill_next_token_bitmask(bitmask, index=0, debug_print=False) is True
    assert matcher.find_jump_forward_string() == "hello world"
    assert matcher.accept_token(128, debug_print=False) is True
    assert matcher.accept_string(" wor", debug_print=False) is True
    assert matcher.accept_string("x") is False
    matcher.rollback(1)
    assert matcher.accept_token(129) is True
    assert not matcher.is_terminated()
    assert matcher.accept_token(STOP)
    assert matcher.is_terminated()
    assert matcher.stop_token_ids == [STOP]
    matcher.reset()
    assert not matcher.is_terminated()


def test_jump_forward(compiler):
    matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= "name: " [a-z]+'))
    output = ""
    jump = matcher.find_jump_forward_string()
    if jump:
        assert matcher.accept_string(jump)
        output += jump
    assert output.startswith("name:")


def test_speculative_decoding(compiler):
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(GREETING))
    n_accepted = 0
    for token in (ord("h"), ord("e"), ord("l"), ord("x")):
        if not matcher.accept_token(token):
            break
        n_accepted += 1
    assert n_accepted == 3
    matcher.rollback(2)
    assert matcher.accept_string("ello world")


def test_debug_printing(compiler, info, capsys):
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(GREETING))
    bitmask = xgr.allocate_token_bitmask(1, info.vocab_size)
    matcher.fill_next_token_bitmask(bitmask, debug_print=True)
    assert matcher.accept_token(128, debug_print=True)
    assert "hello" in capsys.readouterr().out


def test_internal_state(compiler):
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(GREETING))
    assert "expected  " in matcher._debug_print_internal_state()


# ---- Bitmasks ----


def test_bitmasks(compiler, info):
    torch = pytest.importorskip("torch")
    bitmask = xgr.allocate_token_bitmask(2, info.vocab_size)
    assert tuple(bitmask.shape) == xgr.get_bitmask_shape(2, info.vocab_size) == (2, -(-info.vocab_size // 32))
    xgr.reset_token_bitmask(bitmask)
    assert (np.asarray(bitmask) == -1).all()
    xgr.GrammarMatcher(compiler.compile_grammar(GREETING)).fill_next_token_bitmask(bitmask, 1)
    logits = torch.zeros(2, info.vocab_size)
    xgr.apply_token_bitmask_inplace(
        logits, torch.as_tensor(np.asarray(bitmask)), vocab_size=None, indices=None, backend="auto"
    )
    assert torch.isfinite(logits[0]).all()
    assert torch.isfinite(logits[1]).nonzero().flatten().tolist() == [ord("h"), 128]
    assert np.asarray(bitmask).dtype == np.int32
    assert "int32" in str(xgr.bitmask_dtype)


# ---- Batches ----


def test_batch(compiler, info):
    batch = xgr.BatchGrammarMatcher(max_threads="auto")
    matchers = [xgr.GrammarMatcher(compiler.compile_grammar(GREETING)) for _ in range(2)]
    bitmask = xgr.allocate_token_bitmask(2, info.vocab_size)
    batch.batch_fill_next_token_bitmask(matchers, bitmask, indices=None, debug_print=False)
    assert xgr.BatchGrammarMatcher.batch_accept_token(matchers, [128, ord("x")], debug_print=False) == [True, False]
    assert xgr.BatchGrammarMatcher.batch_accept_string(matchers, [" w", "hel"], debug_print=False) == [True, True]


def test_batched_inference(info):
    compiler = xgr.GrammarCompiler(info)
    schemas = [{"type": "integer"}, {"enum": ["a", "b"]}, {"type": "boolean"}]
    matchers = [xgr.GrammarMatcher(compiler.compile_json_schema(schema)) for schema in schemas]
    bitmask = xgr.allocate_token_bitmask(len(schemas), info.vocab_size)
    batch = xgr.BatchGrammarMatcher(max_threads=8)
    rng = np.random.default_rng(0)
    texts = [b"", b"", b""]
    for _ in range(200):
        if all(matcher.is_terminated() for matcher in matchers):
            break
        logits = rng.normal(size=(len(schemas), info.vocab_size)).astype(np.float32)
        logits[:, STOP] += 3
        live = [i for i, matcher in enumerate(matchers) if not matcher.is_terminated()]
        batch.batch_fill_next_token_bitmask([matchers[i] for i in live], bitmask, indices=live)
        xgr.apply_token_bitmask_inplace(logits, bitmask, indices=live)
        for i in live:
            token = int(logits[i].argmax())
            assert matchers[i].accept_token(token)
            texts[i] += b"" if token == STOP else WORDS[token]
    assert all(matcher.is_terminated() for matcher in matchers)
    assert texts[1] in (b'"a"', b'"b"')
    assert texts[2] in (b"true", b"false")


# ---- transformers ----


def test_logits_processor(tiny):
    pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM

    from xg2lab.contrib.hf import LogitsProcessor
    from xg2lab.tiny import prompt, tiny_model_path

    tokenizer, config = tiny
    model = AutoModelForCausalLM.from_pretrained(tiny_model_path())
    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=config.vocab_size)
    compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "{" [a-z]{1,8} "}"')
    inputs = tokenizer(prompt("What is the weather in Oslo?"), return_tensors="pt")
    generated = model.generate(
        **inputs, max_new_tokens=24, do_sample=False, logits_processor=[LogitsProcessor(compiled)]
    )
    text = tokenizer.decode(generated[0][inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    assert xgr.check(compiled.grammar, accepts=[text]).ok, text


# ---- Safeguards ----


def test_recursion_depth(compiler):
    before = xgr.get_max_recursion_depth()
    xgr.set_max_recursion_depth(before)
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(GREETING))
    with xgr.max_recursion_depth(5000):
        assert matcher.accept_token(128)
    assert xgr.get_max_recursion_depth() == before


def test_grammars_of_tools_may_be_cached():
    @lru_cache(maxsize=32)
    def cached(names):
        return 'root ::= "' + '" | "'.join(names) + '"'

    assert cached(("a", "b")) is cached(("a", "b"))
    assert xgr.check(cached(("a", "b")), accepts=["a", "b"]).ok
