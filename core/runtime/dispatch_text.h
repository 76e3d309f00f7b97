// Describes a position in a tag dispatch.
//
// Tests: tests/core/test_dispatch.py
//
// EXAMPLE   tags `<function=f>` and `<function=g>`, after "x<fun": inside the trigger `<function=`,
//           4 of 10 bytes. After "<function=": behind `<function=`, with which several of its texts
//           begin.
#pragma once

#include <string>

#include "program/program.h"

namespace xg2lab {

struct DispatchText {
  std::string
      // "inside the trigger `<a>`, 1 of 3 bytes"; empty if no part of a trigger has been read
      where;
  std::string before;  // for a state's label; empty: the label of the state's edges suffices
  std::string after;
};

DispatchText dispatch_text(const Program& program, StateId state);

}  // namespace xg2lab
