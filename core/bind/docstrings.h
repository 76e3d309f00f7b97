// The docstrings of the public methods of GrammarMatcher, BatchGrammarMatcher and CompiledGrammar,
// in numpydoc's style, so that the bindings stay a table of names.
//
// Tests: every example runs (tests/tools/test_doctests.py); tools/check_docstrings.py compares the
// sections with the signatures.
#pragma once

namespace xg2lab::bind {

// ---- GrammarMatcher: steps ----

inline constexpr const char* kAcceptTokenDoc = R"doc(Accept one token.

If the grammar does not allow the token, after a stop token, and for an id outside the vocabulary, the answer is False
and nothing changes.

Parameters
----------
token_id : int
    The token's id.
debug_print : bool
    Whether to print why the token is allowed or blocked.

Returns
-------
bool
    Whether the token was accepted.

Raises
------
LimitError
    The history would exceed `EngineOptions.max_history_bytes`, or the step `max_mask_seconds`.
VocabularyError
    Of a strict matcher: the id is outside the vocabulary.
MatcherStateError
    Of a strict matcher: a stop token was accepted before.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.accept_token(1), matcher.accept_token(0)
(False, True)
)doc";

inline constexpr const char* kAcceptStringDoc =
    R"doc(Accept a text, as a whole or not at all. The text is one step for `rollback`.

Parameters
----------
input_str : str or bytes
    The text; a str is UTF-8.
debug_print : bool
    Whether to print why the text is allowed or blocked.

Returns
-------
bool
    Whether the text was accepted; False after a stop token.

Raises
------
LimitError, MatcherStateError
    As `accept_token`.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.accept_string("ac"), matcher.accept_string("ab"), matcher.is_completed()
(False, True, True)
)doc";

inline constexpr const char* kFillBitmaskDoc =
    R"doc(Write the mask of the next token into a row of a bitmask.

Parameters
----------
bitmask : numpy.ndarray or torch.Tensor
    int32, in CPU memory, shape (batch_size, ceil(vocab_size / 32)); least significant bit first, 1 = allowed.
index : int
    The row.
debug_print : bool
    Whether to print what may come next.

Returns
-------
bool
    Whether the mask forbids anything. If not, it need not be applied.

Raises
------
BitmaskError
    The bitmask's dtype, shape or stride does not fit, or it has no such row.
MatcherStateError
    A stop token was accepted: there is no next token.
LimitError
    The mask would exceed `EngineOptions.max_mask_seconds`, or another limit.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> bitmask = np.zeros((1, 1), np.int32)
>>> matcher.fill_next_token_bitmask(bitmask), bitmask
(True, array([[1]], dtype=int32))
)doc";

inline constexpr const char* kRollbackDoc = R"doc(Take back the last steps.

Parameters
----------
num_tokens : int
    The number of steps: accepted tokens, and accepted strings.

Raises
------
MatcherStateError
    There are fewer steps, or `max_rollback_tokens` is less.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.accept_token(0)
True
>>> matcher.rollback(1)
>>> matcher.n_steps
0
)doc";

inline constexpr const char* kResetDoc = R"doc(Return to the beginning of the text.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.accept_string("ab")
True
>>> matcher.reset()
>>> matcher.allowed_tokens()
[0]
)doc";

inline constexpr const char* kForkDoc =
    R"doc(Return an independent matcher in the same state. O(1): the history is shared until either side writes.

Returns
-------
GrammarMatcher
    The copy.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> other = matcher.fork()
>>> other.accept_token(0), other.allowed_tokens(), matcher.allowed_tokens()
(True, [1], [0])
)doc";

// ---- GrammarMatcher: the text so far ----

inline constexpr const char* kIsTerminatedDoc = R"doc(Whether generation is over.

Returns
-------
bool
    True after a stop token; with `terminate_without_stop_token=True` as soon as the text is a sentence.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.accept_string("ab"), matcher.is_terminated(), matcher.accept_token(2), matcher.is_terminated()
(True, False, True, True)
)doc";

inline constexpr const char* kIsCompletedDoc =
    R"doc(Whether the text so far is a sentence of the grammar.

Returns
-------
bool
    True if the text may end here.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"?'))
>>> matcher.is_completed(), matcher.accept_token(0), matcher.is_completed()
(False, True, True)
)doc";

inline constexpr const char* kExplainDoc =
    R"doc(Explain why a token, or some bytes, may come next or not.

Parameters
----------
token_id : int, optional
    A token's id.
data : str or bytes, optional
    A text instead of a token.

Returns
-------
dict
    `allowed`; `reason`, a sentence; `mechanism`, the part of the engine that decided; `bytes` in hexadecimal; `died_at`,
    the byte at which the text failed, or None; `expected`, ranges of bytes, and `expected_text`; `expected_by`, the
    items that expected them, with their source lines; `entry`, the mask entry that decided, or None.

Raises
------
ArgumentTypeError
    Neither a token nor a text was given, or both.
VocabularyError
    The id is outside the vocabulary.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> why = matcher.explain(1)
>>> why["allowed"], why["died_at"], why["expected_text"], why["expected_by"][0]["line"]
(False, 0, '"a"', 1)
)doc";

inline constexpr const char* kChartDoc = R"doc(Return the Earley chart.

Parameters
----------
first_byte : int
    The first column to return.

Returns
-------
dict
    `columns`: for each byte position from `first_byte` on, the items with back-pointers: (state, origin, operation,
    source column, source index, child index), -1 where there is none. `ways`: by column, the items that were made in
    several ways: (index, number of other ways, some of them: (operation, source column, source index, child index)).

Raises
------
MatcherStateError
    A bounded history has dropped the beginning of the text.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.accept_token(0), len(matcher.chart()["columns"])
(True, 2)

See also: Earley 1970; docs/design/0002-trace.md.
)doc";

inline constexpr const char* kLiveItemsDoc = R"doc(Return the items of the current column.

Returns
-------
list of dict
    For each item its `state`, its `rule` and its `origin`, as numbers; in a counted state also what is `done`.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" "b"'))
>>> matcher.live_items()
[{'state': 0, 'rule': 0, 'origin': 0}]
)doc";

inline constexpr const char* kColumnIdDoc =
    R"doc(Name the current state: matchers of one compiled grammar with equal names accept the same texts from here on.

Unequal names need not mean that the texts differ. A name is valid while some matcher with its first number is alive.

Returns
-------
tuple of int
    The number of a table of columns, and the column's number in it.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= [ab]+'))
>>> names = [matcher.column_id() for text in ('', 'a', 'b') if matcher.accept_string(text)]
>>> names[0] == names[1], names[1] == names[2]
(False, True)

See also: docs/design/0003-columns-by-content.md.
)doc";

inline constexpr const char* kStacksDoc =
    R"doc(Return the stacks of the pushdown automaton as a tree. Only for parser="pda".

Parameters
----------
max_stacks : int
    How many stacks to list.

Returns
-------
dict
    `tops`: the `state`, the `rule` and the frame `below` of each stack. `frames`: `id`, `below`, the `state` it returns
    to, and the rule that was `called`. `n_stacks`: how many stacks there are. Equal frames have one id at all times.

Raises
------
MatcherStateError
    The matcher has another parser.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(parser="pda"))
>>> xgr.GrammarMatcher(compiler.compile_grammar('root ::= "ab"')).stacks()["n_stacks"]
1

See also: XGrammar, section 3; docs/design/0010-two-parsers-one-table.md.
)doc";

inline constexpr const char* kActiveOperatorsDoc =
    R"doc(Return the active operators of `compiled_grammar.operators()` after the text so far.

Returns
-------
list of ActiveOperator
    Ordered by number; a leaf is listed once for each set of its counts. Empty if no byte may follow.

Raises
------
UnsupportedError, LimitError
    As `CompiledGrammar.operators`; LimitError also beyond `EngineOptions.max_mask_seconds`.
MatcherStateError
    A bounded history has dropped the beginning of the text.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"{2,3}')
>>> matcher = xgr.GrammarMatcher(compiled)
>>> matcher.accept_string("aba")
True
>>> [str(active) for active in matcher.active_operators()]
['1 in 2']

See also: docs/design/0041-operators.md.
)doc";

// ---- GrammarMatcher: the current mask ----

inline constexpr const char* kMaskEntriesDoc =
    R"doc(Return the mask entries of the current column's scannable states.

Returns
-------
list of dict
    For each entry its `state` and `rule`, its counts of tokens, and `cache`, how it was found: "miss" (built here),
    "perfect_hit" or "partial_hit". `donor` and `donor_name` are the `id` and `name` of the grammar whose walk it uses.
    `unshared` is None if other grammars may use it, else the reason: no_pool, token_edge, counted, large_grammar,
    long_name (a walk costs less than naming the rule), short_walk, arguments or loaded.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.fill_next_token_bitmask(np.zeros((1, 1), np.int32))
True
>>> [entry["n_accepted"] for entry in matcher.mask_entries()]
[1]

See also: XGrammar-2, section 3.3; docs/design/0006-cross-grammar-cache.md.
)doc";

inline constexpr const char* kProvenanceDoc =
    R"doc(Return the part of the engine that decided each token.

Returns
-------
bytes
    One code for each token id below vocab_size; `xg2lab.Provenance` names the codes.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> [xgr.Provenance(code).name for code in matcher.provenance()]
['ACCEPTED', 'REJECTED', 'STOP_NOT_LEGAL']
)doc";

inline constexpr const char* kAllowedTokensDoc = R"doc(Return the tokens that may come next.

Returns
-------
list of int
    Token ids, ascending.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a" | "b"')).allowed_tokens()
[0, 1]
)doc";

inline constexpr const char* kLastFillDoc =
    R"doc(Return how the last mask was found, and how long it took.

Returns
-------
dict or None
    `cache` and `way`, how it was found; `n_built` and `n_adapted` mask entries, `n_checked` tokens; `us`, microseconds.
    None before the first mask.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"'))
>>> matcher.last_fill() is None, matcher.fill_next_token_bitmask(np.zeros((1, 1), np.int32))
(True, True)
>>> matcher.last_fill()["us"] > 0
True
)doc";

// ---- BatchGrammarMatcher ----

inline constexpr const char* kBatchFillDoc =
    R"doc(Write the mask of each matcher into a row of a bitmask, with the help of threads.

Parameters
----------
matchers : list of GrammarMatcher
    Each matcher once.
bitmask : numpy.ndarray or torch.Tensor
    As for `GrammarMatcher.fill_next_token_bitmask`.
indices : list of int, optional
    The row of each matcher; row i for matcher i if left out.
debug_print : bool
    As for `GrammarMatcher.fill_next_token_bitmask`.

Raises
------
MatcherStateError
    A matcher has ended, so it has no mask. The other rows are written, its own is as it was. Check is_terminated()
    first, as servers do.
ArgumentError, BitmaskError
    Lengths differ, a matcher or a row occurs twice, or the bitmask has another shape. Nothing is written then.

The class's example fills a batch.
)doc";

inline constexpr const char* kBatchAcceptTokenDoc = R"doc(Accept a token in each matcher.

Parameters
----------
matchers : list of GrammarMatcher
    Each matcher once.
tokens : list of int
    A token id for each matcher.
debug_print : bool
    As for `GrammarMatcher.accept_token`.

Returns
-------
list of bool
    Whether each matcher accepted its token.

Raises
------
ArgumentError
    Lengths differ, or a matcher occurs twice. Nothing is accepted then.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
>>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(2)]
>>> xgr.BatchGrammarMatcher.batch_accept_token(matchers, [0, 1])
[True, False]
)doc";

inline constexpr const char* kBatchAcceptStringDoc = R"doc(Accept a text in each matcher.

Parameters
----------
matchers : list of GrammarMatcher
    Each matcher once.
strings : list of str or bytes
    A text for each matcher.
debug_print : bool
    As for `GrammarMatcher.accept_string`.

Returns
-------
list of bool
    Whether each matcher accepted its text.

Raises
------
ArgumentError
    Lengths differ, or a matcher occurs twice. Nothing is accepted then.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
>>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(2)]
>>> xgr.BatchGrammarMatcher.batch_accept_string(matchers, ["ab", "ba"])
[True, False]
)doc";

inline constexpr const char* kBatchRollbackDoc = R"doc(Take back steps of each matcher.

Parameters
----------
matchers : list of GrammarMatcher
    Each matcher once.
num_tokens : int or list of int
    The number of steps, for all or for each matcher.

Raises
------
MatcherStateError
    A matcher has fewer steps. The others are rolled back.
ArgumentError
    Lengths differ, or a matcher occurs twice. Nothing is taken back then.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
>>> matchers = [xgr.GrammarMatcher(compiled) for _ in range(2)]
>>> xgr.BatchGrammarMatcher.batch_accept_token(matchers, [0, 0])
[True, True]
>>> xgr.BatchGrammarMatcher.batch_rollback(matchers, [1, 0])
>>> [matcher.n_steps for matcher in matchers]
[0, 1]
)doc";

inline constexpr const char* kBatchTemperatureDoc =
    R"doc(Write the temperature of each matcher into an element of a vector.

Parameters
----------
matchers : list of GrammarMatcher
    The matchers.
temperatures : numpy.ndarray or torch.Tensor
    float32, shape (batch_size,). -1 is written for a matcher without a temperature.
indices : list of int, optional
    The element of each matcher; element i for matcher i if left out.

Raises
------
ArgumentError, BitmaskError
    Lengths differ, or the vector has another type or shape.

>>> import numpy as np
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root[temperature=0.5] ::= "ab"')
>>> temperatures = np.zeros(1, np.float32)
>>> xgr.BatchGrammarMatcher.batch_fill_temperature([xgr.GrammarMatcher(compiled)], temperatures)
>>> temperatures
array([0.5], dtype=float32)
)doc";

inline constexpr const char* kNWorkersDoc =
    R"doc(Return how many threads the process has made for batches.

Returns
-------
int
    0 before the first batch that used a thread.

No example: the number depends on what the process did before.
)doc";

// ---- CompiledGrammar, CompiledTemplate: their engine's part ----

inline constexpr const char* kCompileDoc = R"doc(Compile a grammar. Users call `GrammarCompiler`.

Parameters
----------
grammar : Grammar
    The grammar.
token_sets : TokenSets
    The vocabulary with its trie.
options : EngineOptions
    Switches of the engine.
pool : MaskPool, optional
    The pool that the grammars of the tokenizer share.
events : EventLog, optional
    The log that records the work.

Returns
-------
CompiledGrammar
    The engine's object.

No example: xg2lab.GrammarCompiler makes the arguments.
)doc";

inline constexpr const char* kRestoreDoc =
    R"doc(Make a compiled grammar from plain values. Users call `xg2lab.CompiledGrammar.deserialize_json`.

Parameters
----------
grammar : Grammar
    The grammar.
token_sets : TokenSets
    The vocabulary with its trie.
options : EngineOptions
    Switches of the engine.
pool : MaskPool or None
    The pool that the grammars of the tokenizer share.
events : EventLog or None
    The log that records the work.
program : dict
    The tables of the program.
masks : list
    The tables of masks.

Returns
-------
CompiledGrammar
    The engine's object.

No example: xg2lab.CompiledGrammar.deserialize_json makes the arguments.
)doc";

inline constexpr const char* kJitProgressDoc = R"doc(Return the progress of the background threads.

Returns
-------
dict or None
    `n_planned` and `n_done` mask entries, and `is_over`; None without partial JIT.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(partial_jit_k=1))
>>> sorted(compiler.compile_grammar('root ::= "ab"').jit_progress())
['is_over', 'n_done', 'n_planned']

See also: XGrammar-2, section 3.2; docs/design/0012-partial-jit.md.
)doc";

inline constexpr const char* kStateCostsDoc =
    R"doc(Return the estimated cost of each state's mask entry, and its actual cost if it was built.

Returns
-------
list of dict
    For each state with an entry of its own: `state`, `rule`, `n_visits` (the estimate), `ns` (nanoseconds, or None),
    `cache` and `in_background`.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> compiled = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"')
>>> [cost["ns"] for cost in compiled.state_costs()]
[None, None]
)doc";

inline constexpr const char* kProgramDoc = R"doc(Return the compiled grammar as plain values.

Returns
-------
dict
    `root`, `rules`, `states` and `edges`, with labels and source spans.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> program = xgr.GrammarCompiler(info).compile_grammar('root ::= "ab"').program()
>>> [edge["label"] for edge in program["edges"]]
['"a"', '"b"']
)doc";

inline constexpr const char* kCompileTemplateDoc =
    R"doc(Compile a template. Users call `GrammarCompiler.compile_template`.

Parameters
----------
template : TemplateText
    The template.
token_sets : TokenSets
    The vocabulary with its trie.
options : EngineOptions
    Switches of the engine.
pool : MaskPool, optional
    The pool that the grammars of the tokenizer share.
events : EventLog, optional
    The log that records the work.

Returns
-------
CompiledTemplate
    The engine's object.

No example: xg2lab.GrammarCompiler makes the arguments.
)doc";

inline constexpr const char* kMakeMasksDoc =
    R"doc(Make the mask entries of all states that instances share, before a request needs them.

An instance then makes entries only for the states that its arguments add. With `cross_grammar_cache=False` this does nothing.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
>>> xgr.GrammarCompiler(info).compile_template('root ::= $x "b"*').make_masks()
)doc";

}  // namespace xg2lab::bind
