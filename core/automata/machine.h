// A regular language given by its machine, with the EBNF text that denotes it.
//
// Tests: tests/core/test_regex.py.   See docs/design/0015-regex.md.
#pragma once

#include <string>

#include "automata/fsm.h"

namespace xg2lab {

struct Machine {
  std::string words;  // the macro call: Regex("a(?!b)") and the like
  FrozenFsm fsm;      // terminal edges only
};

}  // namespace xg2lab
