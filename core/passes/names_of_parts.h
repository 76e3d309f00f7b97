// Names for parts of a rule that become rules of their own: that of the rule, with a suffix and a
// number.
//
// Tests: tests/core/test_regex.py, tests/core/test_growth_machines.py
//
// EXAMPLE   root ::= "(" TagDispatch(...) TagDispatch(...)   gives   root_dispatch, root_dispatch_2
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/grammar.h"

namespace xg2lab::passes {

class NamesOfParts {
 public:
  // Of the grammar before anything is added: a node doesn't know its rule.
  explicit NamesOfParts(const Grammar& grammar);
  // `part`: an expression of that grammar. `so_far`: what no name may be taken from.
  std::string next(const Grammar& so_far, ExprId part, std::string_view suffix);

 private:
  std::vector<RuleId> owner_;    // the first rule that an expression is part of
  std::vector<size_t> n_given_;  // index: RuleId
};

}  // namespace xg2lab::passes
