// The values of texts, patterns, ids and braces.
//
// Tests: tests/core/test_lark.py
//
// EXAMPLE   "a\n\"" is three characters, "\d" two (an unknown escape stands for itself, as in
//           Lark).
//           <[5-7,9]> is {5, 6, 7, 9}; <[^5]> all but 5; <[*]> all.
//
// Mistakes are reported; the result is then a harmless default.
#pragma once

#include <string>
#include <vector>

#include "frontends/lark/reading.h"
#include "frontends/lark/syntax.h"

namespace xg2lab::lark {

// `span`: from the first quotation mark to the last byte, which may be the flag i.
Node read_text(const Reading& reading, SourceSpan span);
// From the first `/` to the last flag. Resolves flag x and the escapes that only Python has.
Node read_pattern(const Reading& reading, SourceSpan span);
// The ids of <[...]>.
TokenSet read_token_ids(const Reading& reading, SourceSpan span);
// The {...} behind %regex: the chunks of a substring. `directive`: the span from % to }.
Node read_substring(const Reading& reading, SourceSpan braces, SourceSpan directive);
int read_number(std::string_view words);

}  // namespace xg2lab::lark
