// Drops the rules that the root never needs.
//
// Tests: tests/core/test_passes.py
//
// EXAMPLE   root ::= a   a ::= "x"   b ::= a      b goes: nothing that root refers to refers to b.
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

enum class UnusedRules : uint8_t {
  kWarn,    // the user wrote them: warning unused_rule for each
  kSilent,  // a pass left them over
};

Grammar drop_unreachable(Grammar grammar, UnusedRules unused);

}  // namespace xg2lab::passes
