"""The logits processor inside `generate` of transformers, with a tiny random model.

A random model would break any format at once, so that whatever fits does so because of the masks.
"""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import xg2lab as xgr  # noqa: E402
from xg2lab.contrib.hf import LogitsProcessor  # noqa: E402
from xg2lab.errors import MatcherStateError, VocabularyError  # noqa: E402
from xg2lab.flight import FlightRecord, FlightRecorder  # noqa: E402
from xg2lab.lab import open_flight  # noqa: E402

TOKENS = [
    *'{}[]":,.-+ \n',
    *"abcdefglsxyz",
    *"0123456789",
    '{"',
    '":',
    '"}',
    "tr",
    "ue",
    "ab",
    "false",
    "<pad>",
    "</s>",
]
PAD, STOP = len(TOKENS) - 2, len(TOKENS) - 1
LIST = 'root ::= "[" item ("," item)* "]"\nitem ::= [0-9]{1,3} | "\\"" [a-z]{0,4} "\\""'
PAIR = 'root ::= "{\\"" [a-c]+ "\\":" ("true" | "false") "}"'
FEW = 'root ::= "ab" "x" ("y" | "z")'


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """A tiny model is faster on one."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="module")
def info():
    return xgr.TokenizerInfo(TOKENS, stop_token_ids=[STOP], special_token_ids=[PAD])


@pytest.fixture(scope="module")
def compiler(info):
    return xgr.GrammarCompiler(info)


@pytest.fixture(scope="module")
def model():
    return tiny_model(0)


def tiny_model(seed):
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(TOKENS),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=256,
        bos_token_id=None,
        eos_token_id=STOP,
        pad_token_id=PAD,
    )
    return transformers.LlamaForCausalLM(config).eval()


def generate(model, processor, prompts, **options):
    input_ids = torch.tensor(prompts)
    torch.manual_seed(3)
    output = model.generate(
        input_ids,
        attention_mask=torch.ones_like(input_ids),
        logits_processor=[processor],
        **{"max_new_tokens": 40, "do_sample": False} | options,
    )
    return output[:, input_ids.shape[1] :].tolist()


def check(compiled, generated, n_max=40):
    """The definition: every row is taken by a fresh matcher, and ends by a stop token unless it ran out of length."""
    matcher = xgr.GrammarMatcher(compiled)
    for position, token_id in enumerate(generated):
        if matcher.is_terminated():
            assert set(generated[position:]) <= {PAD}
            return
        assert matcher.accept_token(token_id), (position, token_id)
    assert matcher.is_terminated() or len(generated) == n_max


PROMPT = [[12, 13, 14, 15]]
BATCH = [[12, 13, 14], [20, 21, 22], [30, 2, 4]]


@pytest.mark.parametrize("grammar", [LIST, PAIR, FEW])
@pytest.mark.parametrize("options", [{}, {"do_sample": True}, {"do_sample": True, "temperature": 3.0}])
def test_one_sequence(model, compiler, grammar, options):
    compiled = compiler.compile_grammar(grammar)
    (generated,) = generate(model, LogitsProcessor(compiled), PROMPT, **options)
    check(compiled, generated)


def test_without_the_processor_the_format_breaks(model, compiler):
    """The test above can fail."""
    compiled = compiler.compile_grammar(LIST)
    (generated,) = generate(model, lambda input_ids, scores: scores, PROMPT)
    with pytest.raises(AssertionError):
        check(compiled, generated)


def test_a_batch_shares_a_grammar_or_has_one_each(model, compiler):
    shared = compiler.compile_grammar(LIST)
    for row in generate(model, LogitsProcessor(shared), BATCH, do_sample=True):
        check(shared, row)
    each = [compiler.compile_grammar(grammar) for grammar in (LIST, PAIR, FEW)]
    for compiled, row in zip(each, generate(model, LogitsProcessor(each), BATCH, do_sample=True), strict=True):
        check(compiled, row)


@pytest.mark.parametrize("options", [{"num_beams": 3}, {"num_beams": 4, "do_sample": True}, {"num_beams": 8}])
@pytest.mark.parametrize("grammar", [LIST, PAIR])
def test_beams(model, compiler, grammar, options):
    if options == {"num_beams": 4, "do_sample": True} and grammar == PAIR:
        pytest.skip("torch cannot draw 8 candidates where the grammar allows fewer tokens")
    compiled = compiler.compile_grammar(grammar)
    n_returned = options["num_beams"]
    processor = LogitsProcessor(compiled)
    rows = generate(model, processor, BATCH, num_return_sequences=n_returned, max_new_tokens=12, **options)
    assert len(rows) == len(BATCH) * n_returned
    for index in range(len(BATCH)):
        best = rows[index * n_returned]  # the others may be beams of probability 0
        check(compiled, best, n_max=len(best))


def test_beams_with_one_grammar_a_prompt(model, compiler):
    each = [compiler.compile_grammar(grammar) for grammar in (LIST, PAIR, LIST)]
    rows = generate(model, LogitsProcessor(each), BATCH, num_beams=3, max_new_tokens=10)
    for compiled, row in zip(each, rows, strict=True):
        check(compiled, row, n_max=len(row))


def test_beam_search_finds_what_exhaustive_search_finds(model, compiler):
    """Beams wide enough for every sentence of the grammar: the best one must come first."""
    compiled = compiler.compile_grammar(FEW)
    sentences = []
    for text in ("abxy", "abxz"):
        for begin in ([TOKENS.index("ab")], [TOKENS.index("a"), TOKENS.index("b")]):
            sentences.append([*begin, TOKENS.index("x"), TOKENS.index(text[-1]), STOP])

    def log_probability(sentence):
        with torch.no_grad():
            logits = model(torch.tensor([PROMPT[0] + sentence])).logits[0].log_softmax(-1)
        begin = len(PROMPT[0]) - 1
        return sum(logits[begin + i, token_id].item() for i, token_id in enumerate(sentence))

    (generated,) = generate(model, LogitsProcessor(compiled), PROMPT, num_beams=8, length_penalty=0.0)
    assert [t for t in generated if t != PAD] == max(sentences, key=log_probability)


def test_several_returned_sequences(model, compiler):
    compiled = compiler.compile_grammar(LIST)
    rows = generate(model, LogitsProcessor(compiled), BATCH[:2], do_sample=True, num_return_sequences=4)
    assert len(rows) == 8
    assert len({tuple(row) for row in rows}) > 1
    for row in rows:
        check(compiled, row)


def test_a_second_generate_begins_anew(model, compiler):
    """The same prompt, others, one that holds the first answer, a batch: each as if by a new processor."""
    compiled = compiler.compile_grammar(LIST)
    processor = LogitsProcessor(compiled)
    (first,) = generate(model, processor, PROMPT, max_new_tokens=9)
    continued = [PROMPT[0] + first + [12, 13]]
    truncated_answer = [PROMPT[0] + first[:3] + [20]]
    for prompts in (PROMPT, PROMPT, [[20, 21]], continued, PROMPT, truncated_answer, BATCH, PROMPT):
        fresh = generate(model, LogitsProcessor(compiled), prompts, max_new_tokens=9)
        assert generate(model, processor, prompts, max_new_tokens=9) == fresh


def test_reset(model, compiler):
    """The one case that needs it: a prompt that is the whole output of the call before."""
    compiled = compiler.compile_grammar(LIST)
    processor = LogitsProcessor(compiled)
    (first,) = generate(model, processor, PROMPT, max_new_tokens=3)
    processor.reset()
    prompts = [PROMPT[0] + first]
    assert generate(model, processor, prompts) == generate(model, LogitsProcessor(compiled), prompts)


def test_assisted_decoding(model, compiler):
    """Another model proposes tokens and takes some back; the result is that of the model alone."""
    compiled = compiler.compile_grammar(LIST)
    (alone,) = generate(model, LogitsProcessor(compiled), PROMPT)
    (assisted,) = generate(model, LogitsProcessor(compiled), PROMPT, assistant_model=tiny_model(1))
    assert assisted == alone
    check(compiled, assisted)


def test_scores_are_left_as_they_came(compiler):
    processor = LogitsProcessor(compiler.compile_grammar(PAIR))
    scores = torch.randn((1, len(TOKENS)))
    before = scores.clone()
    masked = processor(torch.tensor(PROMPT), scores)
    assert torch.equal(scores, before)
    allowed = {TOKENS.index("{"), TOKENS.index('{"')}
    for token_id, value in enumerate(masked[0].tolist()):
        assert value == (before[0, token_id].item() if token_id in allowed else float("-inf"))


def test_a_finished_row_may_only_stop(compiler):
    processor = LogitsProcessor(compiler.compile_grammar('root ::= "a"'))
    a = TOKENS.index("a")
    sequence = [1]
    for token_id in (a, STOP, PAD):
        processor(torch.tensor([sequence]), torch.zeros((1, len(TOKENS))))
        sequence.append(token_id)
    masked = processor(torch.tensor([sequence]), torch.zeros((1, len(TOKENS))))
    assert masked[0].isfinite().nonzero().flatten().tolist() == [STOP]


def refused(error_type, call, *arguments):
    with pytest.raises(error_type) as error:
        call(*arguments)
    return str(error.value)


def test_a_forbidden_token_is_an_error(compiler):
    processor = LogitsProcessor(compiler.compile_grammar(PAIR))
    scores = torch.zeros((1, len(TOKENS)))
    processor(torch.tensor([[1]]), scores)
    message = refused(MatcherStateError, processor, torch.tensor([[1, TOKENS.index("x")]]), scores)
    assert message == (
        f"row 0 generated token {TOKENS.index('x')} ('x') after 0 tokens, which the grammar does not allow there\n"
        "  hint: put this processor last in the list, and pass no second one of another grammar"
    )


def test_sizes_that_do_not_fit(info, compiler):
    compiled = compiler.compile_grammar(PAIR)
    processor = LogitsProcessor(compiled)
    n = len(TOKENS)
    assert refused(VocabularyError, processor, torch.tensor([[1]]), torch.zeros((1, n + 3))) == (
        f"the model's logits are {n + 3} wide, wider than the vocabulary of {n} tokens that the grammar was compiled "
        f"for\n  hint: make the tokenizer info with vocab_size={n + 3} (model.config.vocab_size) and compile again"
    )
    assert "narrower than the vocabulary" in refused(
        VocabularyError, processor, torch.tensor([[1]]), torch.zeros((1, n - 1))
    )
    assert refused(VocabularyError, processor, torch.tensor([[1]]), torch.zeros((2, n))).startswith(
        f"input_ids have shape (1, 1), scores (2, {n}); wanted (rows, length) and (rows, width)"
    )
    two = LogitsProcessor([compiled, compiled])
    for prompts in ([[1]], [[1], [2], [3]], [[1], [2], [3], [4]]):  # 4 rows would be 2 prompts twice, but all differ
        assert refused(VocabularyError, two, torch.tensor(prompts), torch.zeros((len(prompts), n))) == (
            f"2 grammars were given for a batch of {len(prompts)} sequences\n"
            "  hint: pass one grammar for all, or one for each prompt of the batch"
        )
    two(torch.tensor([[1], [1], [3], [3]]), torch.zeros((4, n)))
    wider = xgr.GrammarCompiler(xgr.TokenizerInfo(TOKENS, vocab_size=n + 1)).compile_grammar(PAIR)
    assert refused(VocabularyError, LogitsProcessor, [compiled, wider]) == (
        f"the grammars were compiled for vocabularies of {n} and {n + 1} tokens\n"
        "  hint: compile all of them with the tokenizer info of the model that generates"
    )
    assert refused(VocabularyError, LogitsProcessor, []).startswith("no compiled grammar was given")


def test_no_stop_token():
    info = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[])
    processor = LogitsProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a"'))
    processor(torch.tensor([[1]]), torch.zeros((1, 2)))
    assert refused(VocabularyError, processor, torch.tensor([[1, 0]]), torch.zeros((1, 2))) == (
        "the text of row 0 is complete, and the tokenizer info has no stop token to end it\n"
        "  hint: pass stop_token_ids to TokenizerInfo, for example the model's generation_config.eos_token_id"
    )


def test_text_that_the_vocabulary_cannot_spell():
    info = xgr.TokenizerInfo(["a", "b", "</s>"])
    processor = LogitsProcessor(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "c"'))
    processor(torch.tensor([[1]]), torch.zeros((1, 3)))
    assert refused(VocabularyError, processor, torch.tensor([[1, 0]]), torch.zeros((1, 3))) == (
        "the grammar requires text that no token of the vocabulary can begin (row 0, tokens taken so far: 1)\n"
        "  hint: the vocabulary can't spell the grammar's text; matcher.explain(b\"\") names the expected text"
    )


# ---- Flights ----


@pytest.fixture
def recorder(tmp_path):
    with FlightRecorder(tmp_path, "always", outputs="keep", prompts="keep") as recorder:
        yield recorder


def flights(recorder):
    recorder.flush()
    return [FlightRecord.load(path) for path in recorder.files()]


def test_each_row_of_a_call_has_a_flight(model, compiler, recorder):
    processor = LogitsProcessor(compiler.compile_grammar(LIST), recorder=recorder)
    output = generate(model, processor, [[1, 2], [3, 4]], max_new_tokens=6, do_sample=True)
    processor.reset()
    found = flights(recorder)
    assert [record.request_id for record in found] == ["generate-1-row-0", "generate-1-row-1"]
    for record, prompt, ids in zip(found, [(1, 2), (3, 4)], output, strict=True):
        n_seen = len(record.output_ids)
        assert record.prompt_ids == prompt
        assert 0 < n_seen < 6  # the token that is sampled last is not shown to a processor
        assert list(record.output_ids) == ids[:n_seen]
        assert record.times.count >= n_seen
        assert record.end in ("stop", "length")


def test_tokens_that_assisted_decoding_takes_back_are_rolled_back(model, compiler, recorder):
    processor = LogitsProcessor(compiler.compile_grammar(LIST), recorder=recorder)
    generate(model, processor, [[1, 2]], max_new_tokens=20, do_sample=False, assistant_model=tiny_model(1))
    processor.reset()
    matcher = xgr.GrammarMatcher(compiler.compile_grammar(LIST))
    (record,) = flights(recorder)
    assert record.n_rollbacks > 0
    assert all(map(matcher.accept_token, record.output_ids))


def test_a_forbidden_token_leads_to_a_file_that_the_workbench_opens(compiler, tmp_path):
    with FlightRecorder(tmp_path, "refusal") as recorder:
        processor = LogitsProcessor(compiler.compile_grammar(FEW), recorder=recorder)
        processor(torch.tensor([[7]]), torch.zeros((1, len(TOKENS))))
        processor(torch.tensor([[7, TOKENS.index("ab")]]), torch.zeros((1, len(TOKENS))))
        with pytest.raises(MatcherStateError):
            processor(torch.tensor([[7, TOKENS.index("ab"), TOKENS.index("}")]]), torch.zeros((1, len(TOKENS))))
        recorder.flush()
        (path,) = recorder.files()
    session = open_flight(path)
    assert session.text == "ab"
    assert (session.replayed.kind, session.replayed.token_id) == ("blocked", TOKENS.index("}"))
    assert session.trace.program == xgr.Session(FEW, session.tokenizer_info).trace.program


def test_beams_of_probability_0_are_no_refusals(model, compiler, tmp_path):
    with FlightRecorder(tmp_path, "refusal") as recorder:
        processor = LogitsProcessor(compiler.compile_grammar(FEW), recorder=recorder)
        generate(model, processor, [[1, 2]], num_beams=4, max_new_tokens=8)
        processor.reset()
    assert recorder.files() == []


def test_without_a_recorder_or_with_one_that_is_off_nothing_is_recorded(model, compiler, tmp_path):
    off = FlightRecorder(tmp_path)
    for recorder in (None, off):
        generate(model, LogitsProcessor(compiler.compile_grammar(FEW), recorder=recorder), [[1]], max_new_tokens=4)
    assert off.statistics().n_begun == 0
