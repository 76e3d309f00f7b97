// Unicode properties by name, and which characters differ in case only.
//
// Tests: tests/core/test_regex.py
//
// IDEA
//   The tables hold what can't be worked out: general category, script, and small sets. The rest is put together as Unicode
//   Standard Annex 44 defines it: Alphabetic = Lowercase + Uppercase + Lt + Lm + Lo + Nl + Other_Alphabetic.
//
// EXAMPLE   \p{Lu}, \p{Letter}, \p{Script=Greek}, \p{scx=Grek}, \p{Greek} is not a property of its own in ECMA-262.
//
// Names are compared as Annex 44 (LM3) says: case, spaces, hyphens and underscores don't count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/code_points.h"

namespace xg2lab::regex {

// `words` is what stands between the braces. Nothing: there is no such property, or we don't have it.
std::optional<CodePointSet> property(std::string_view words);
// A name that was probably meant.
std::optional<std::string> property_like(std::string_view words);

// All that is equal to one of the set if case doesn't matter (Unicode's simple case folding).
CodePointSet with_other_cases(const CodePointSet& set);

CodePointSet digits();            // \d
CodePointSet spaces();            // \s: ECMA-262's WhiteSpace and LineTerminator
CodePointSet word_characters();   // \w
CodePointSet line_terminators();  // what a dot does not match
CodePointSet any();

// The same as Python's re has it, and Rust's regex but for the separators U+001C to U+001F.
const CodePointSet& python_digits();           // str.isdecimal
const CodePointSet& python_spaces();           // str.isspace
const CodePointSet& python_word_characters();  // str.isalnum, and the underscore

}  // namespace xg2lab::regex
