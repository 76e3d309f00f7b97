// RFC 8259, section by section. A string contains no raw control character and no single backslash;
// a number has no leading zero. \uD800 is accepted, since the standard permits escapes of
// surrogates.
#include "frontends/ebnf/builtin_json.h"

namespace xg2lab {

std::string_view json_ebnf() {
  return R"ebnf(root ::= ws value ws
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (member ("," ws member)*)? "}"
member ::= string ws ":" ws value ws
array ::= "[" ws (element ("," ws element)*)? "]"
element ::= value ws
string ::= "\"" ([^"\\\x00-\x1f] | "\\" escape)* "\""
escape ::= ["\\/bfnrt] | "u" [0-9a-fA-F]{4}
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+\-]? [0-9]+)?
ws ::= [ \t\n\r]*
)ebnf";
}

}  // namespace xg2lab
