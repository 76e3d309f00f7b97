// What texts, patterns, ids and braces stand for.
//
// Tests: tests/core/test_lark.py
//
// EXAMPLE   "a\n\"" is three characters, "\d" two (an unknown escape is its own words, as in Lark).
//           <[5-7,9]> is {5, 6, 7, 9}; <[^5]> all but 5; <[*]> all.
//
// Mistakes are reported; what is returned then is a harmless stand-in.
#pragma once

#include <string>
#include <vector>

#include "frontends/lark/reading.h"
#include "frontends/lark/syntax.h"

namespace xg2lab::lark {

// `span`: from the first quotation mark to the last byte, which may be the flag i.
Node read_text(const Reading& reading, SourceSpan span);
// From the first `/` to the last flag. Flag x, and escapes that only Python knows, are gone afterwards.
Node read_pattern(const Reading& reading, SourceSpan span);
// <[...]>.
TokenSet read_token_ids(const Reading& reading, SourceSpan span);
// The {...} behind %regex: the chunks of a substring. `directive`: from % to }.
Node read_substring(const Reading& reading, SourceSpan braces, SourceSpan directive);
int read_number(std::string_view words);

}  // namespace xg2lab::lark
