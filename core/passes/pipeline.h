// The passes in order: from the grammar as written to a grammar ready for lowering.
//
// Tests: tests/core/test_passes.py (each pass, and the pipeline, preserve the language)
#pragma once

#include <functional>
#include <string_view>

#include "grammar/grammar.h"
#include "passes/inline_fragments.h"

namespace xg2lab {

struct PassOptions {
  bool fuse_literals = true;
  bool right_recursion_to_repeat = true;
  bool inlining = true;
  passes::InlineBudgets inline_budgets;
};

// Called after each pass that ran, for display.
using PassTrace = std::function<void(std::string_view pass, const Grammar& result)>;

// Throws GrammarError if the root is unproductive. The root rule keeps its name.
Grammar run_passes(Grammar grammar, const PassOptions& options = {},
                   const PassTrace* trace = nullptr);

// Returns the same grammar with the warnings of the checking passes; throws their errors.
Grammar check_grammar(Grammar grammar);

}  // namespace xg2lab
