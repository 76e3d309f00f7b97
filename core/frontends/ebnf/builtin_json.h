// The grammar of JSON (RFC 8259), in our own EBNF.
#pragma once

#include <string_view>

namespace xg2lab {

// Root: `root`. Any value at the top level; whitespace wherever the standard permits it.
std::string_view json_ebnf();

}  // namespace xg2lab
