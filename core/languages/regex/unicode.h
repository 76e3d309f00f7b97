// Unicode properties by name, and case variants of characters.
//
// Tests: tests/core/test_regex.py
//
// IDEA
//   The tables hold only data that can't be derived: general category, script, and small sets.
//   Other properties are derived as Unicode Standard Annex 44 defines them: Alphabetic = Lowercase
//   + Uppercase + Lt + Lm + Lo + Nl + Other_Alphabetic.
//
// EXAMPLE   \p{Lu}, \p{Letter}, \p{Script=Greek}, \p{scx=Grek}; \p{Greek} is not a property in
//           ECMA-262.
//
// Names are compared as in Annex 44 (LM3): case, spaces, hyphens and underscores are ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/code_points.h"

namespace xg2lab::regex {

// `words` is the text between the braces. Nothing if the property doesn't exist or isn't supported.
std::optional<CodePointSet> property(std::string_view words);
// The property that the author probably meant.
std::optional<std::string> property_like(std::string_view words);

// The set closed under Unicode's simple case folding.
CodePointSet with_other_cases(const CodePointSet& set);

CodePointSet digits();            // \d
CodePointSet spaces();            // \s: ECMA-262's WhiteSpace and LineTerminator
CodePointSet word_characters();   // \w
CodePointSet line_terminators();  // what a dot does not match
CodePointSet any();

// As in Python's re, and in Rust's regex except for the separators U+001C to U+001F.
const CodePointSet& python_digits();           // str.isdecimal
const CodePointSet& python_spaces();           // str.isspace
const CodePointSet& python_word_characters();  // str.isalnum, and the underscore

}  // namespace xg2lab::regex
