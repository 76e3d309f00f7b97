// Hints for lexemes that can't be part of an EBNF text.
#pragma once

#include <string>
#include <string_view>

namespace xg2lab::ebnf {

// A hint for an author who uses another notation or forgot quotation marks.
std::string advice_on(std::string_view unexpected);

}  // namespace xg2lab::ebnf
