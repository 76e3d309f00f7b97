// A regular language that is known by its machine, and the words that stand for it in EBNF.
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
