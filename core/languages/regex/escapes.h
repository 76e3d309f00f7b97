// What stands behind a backslash: one code point, or a set of them.
//
// EXAMPLE   \u{1F600} and \uD83D\uDE00 are one code point;  \d is a set;  \1 is refused.
#pragma once

#include <optional>
#include <string_view>

#include "languages/regex/parser.h"

namespace xg2lab::regex {

struct Escape {
  bool is_set = false;
  uint32_t code_point = 0;  // may be half of a surrogate pair: then it is in no set
  CodePointSet set;
};

// The escape that begins at `at`, the place of the backslash, which is then behind it. Nothing: a mistake, reported.
// `\b` is a backspace in a class; assertions are the parser's affair.
std::optional<Escape> read_escape(std::string_view pattern, uint32_t& at, bool is_in_class,
                                  Flags flags, const Report& report);

}  // namespace xg2lab::regex
