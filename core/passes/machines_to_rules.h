// Makes every dispatch and every large machine a rule of its own.
//
// Tests: tests/core/test_dispatch.py, tests/core/test_regex.py
//
// IDEA
//   A dispatch is a deterministic machine already, and often a large one: a thousand tags make ten
//   thousand states. The same holds for a regular expression with lookarounds or inside a JSON
//   string. In a rule of its own, such a machine isn't determinized and minimized again together
//   with the rest of its rule.
//
// EXAMPLE   root ::= "(" TagDispatch(...) ")"   becomes   root ::= "(" root_dispatch ")"
//           root ::= TagDispatch(...)           stays
#pragma once

#include "grammar/grammar.h"

namespace xg2lab::passes {

Grammar machines_to_rules(Grammar grammar);

}  // namespace xg2lab::passes
