// Every dispatch, and every large machine, gets a rule of its own.
//
// Tests: tests/core/test_dispatch.py, tests/core/test_regex.py
//
// IDEA
//   A dispatch is a deterministic machine already, and often a large one: a thousand tags are ten
//   thousand states. So is a regular expression with looks, or in a JSON string. Apart from the rest of its rule,
//   nothing need determinize or minimize it again.
//
// EXAMPLE   root ::= "(" TagDispatch(...) ")"   becomes   root ::= "(" root_dispatch ")"
//           root ::= TagDispatch(...)           stays
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar machines_to_rules(Grammar grammar);

}  // namespace xg2lab::passes
