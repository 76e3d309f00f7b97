// A text in the dialect itself.
#include "frontends/lark/library.h"

namespace xg2lab::lark {

std::string_view common_terminals() {
  return R"lark(
// Digits and numbers.
DIGIT: /[0-9]/
HEXDIGIT: /[0-9A-Fa-f]/
INT: /[0-9]+/
SIGNED_INT: /[+-]?[0-9]+/
DECIMAL: /[0-9]+\.[0-9]*|\.[0-9]+/
_EXP: /[eE][+-]?[0-9]+/
FLOAT: INT _EXP | DECIMAL _EXP?
SIGNED_FLOAT: /[+-]?/ FLOAT
NUMBER: FLOAT | INT
SIGNED_NUMBER: /[+-]?/ NUMBER

// Letters and names.
LCASE_LETTER: /[a-z]/
UCASE_LETTER: /[A-Z]/
LETTER: /[A-Za-z]/
WORD: /[A-Za-z]+/
CNAME: /[A-Za-z_][A-Za-z0-9_]*/

// A string in one line; a backslash takes the next character along.
_STRING_INNER: /.*?/
_STRING_ESC_INNER: /(?:[^"\\\n]|\\.)*/
ESCAPED_STRING: /"(?:[^"\\\n]|\\.)*"/

// Spaces and line breaks.
WS_INLINE: /[ \t]+/
WS: /[ \t\f\r\n]+/
CR: /\r/
LF: /\n/
NEWLINE: /(?:\r?\n)+/

// Comments.
SH_COMMENT: /#[^\n]*/
CPP_COMMENT: /\/\/[^\n]*/
C_COMMENT: /\/\*(?:[^*]|\*+[^*\/])*\*+\//
SQL_COMMENT: /--[^\n]*/
)lark";
}

}  // namespace xg2lab::lark
