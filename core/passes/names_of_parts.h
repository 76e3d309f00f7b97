// Names for parts of a rule that become rules: the rule's name with a suffix and a number.
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
  // Takes the grammar before any rule is added, since an expression doesn't record its rule.
  explicit NamesOfParts(const Grammar& grammar);
  // `part`: an expression of that grammar. `so_far`: the grammar whose rule names are taken.
  std::string next(const Grammar& so_far, ExprId part, std::string_view suffix);

 private:
  std::vector<RuleId> owner_;    // index: ExprId; the first rule that contains it
  std::vector<size_t> n_given_;  // index: RuleId
};

}  // namespace xg2lab::passes
