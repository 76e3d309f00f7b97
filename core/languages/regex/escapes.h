// Reads an escape after a backslash: one code point, or a set of code points.
//
// EXAMPLE   \u{1F600} and \uD83D\uDE00 are one code point;  \d is a set;  \1 is refused.
#pragma once

#include <optional>
#include <string_view>

#include "languages/regex/parser.h"

namespace xg2lab::regex {

struct Escape {
  bool is_set = false;
  uint32_t code_point = 0;  // may be a surrogate: then it is in no set
  CodePointSet set;
};

// Reads the escape whose backslash is at `at`, and moves `at` past it. Nothing: a mistake, which is
// reported. `\b` is a backspace in a class; the parser handles assertions.
std::optional<Escape> read_escape(std::string_view pattern, uint32_t& at, bool is_in_class,
                                  Flags flags, const Report& report);

}  // namespace xg2lab::regex
