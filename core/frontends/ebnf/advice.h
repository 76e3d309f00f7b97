// What to say about lexemes that stand where nothing like them can stand.
#pragma once

#include <string>
#include <string_view>

namespace xg2lab::ebnf {

// A hint for a reader who knows another notation, or forgot quotation marks.
std::string advice_on(std::string_view unexpected);

}  // namespace xg2lab::ebnf
