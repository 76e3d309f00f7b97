// Drops the rules that can't be reached from the root.
//
// Tests: tests/core/test_passes.py
//
// EXAMPLE   root ::= a   a ::= "x"   b ::= a      b is dropped: no rule reachable from root refers
//           to b.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

enum class UnusedRules : uint8_t {
  kWarn,    // rules of the author: warning unused_rule for each
  kSilent,  // rules that a pass left unused
};

Grammar drop_unreachable(Grammar grammar, UnusedRules unused);

}  // namespace xg2lab::passes
