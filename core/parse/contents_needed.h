// ContentsNeeded: the exception of a parse that would read a content which its program lacks.
//
// IDEA
//   The text of a request with hundreds of tools needs the arguments of the few that it calls. So a
//   program may lack the bodies of such rules (LoweredRule::absent_content). Any question whose
//   answer depends on one of them reads a byte from its start, in whichever layer, and ends with
//   this exception. The matcher then moves to a program that has the content, and asks again.
#pragma once

#include <cstdint>
#include <vector>

namespace xg2lab {

// Not a std::exception, so that only the matcher (and work that is done ahead) catches it.
struct ContentsNeeded {
  std::vector<uint32_t> numbers;
};

}  // namespace xg2lab
