// Puts the ids of a vocabulary in the place of tokens' texts.
//
// Tests: tests/core/test_token_edges.py, tests/differential/test_token_edges.py
//
// IDEA
//   A grammar is read without a vocabulary, so Token("<|end|>") keeps its text, which is printed
//   and serialized. The compiler calls this once, before all passes: they, and the machines made
//   from their result, know ids alone.
//
// EXAMPLE   root ::= Token(5, "<|end|>")   becomes   root ::= Token(5, 7), if 7 is <|end|>
//
// A text may belong to several tokens; the set gets all that an edge can consume.
#pragma once

#include "checks/check_token_sets.h"
#include "grammar/grammar.h"

namespace xg2lab::passes {

// The grammar must have passed check_token_sets with the same tokens.
Grammar resolve_token_names(Grammar grammar, const checks::KnownTokens& known);

}  // namespace xg2lab::passes
