// The macro call that stands for a set of numbers in EBNF: JsonNumber(min="1", max="10", integer=true).
//
// Tests: tests/json_schema/test_keywords.py
#pragma once

#include <span>
#include <string>

#include "frontends/json_schema/numbers.h"

namespace xg2lab::json_schema {

std::string number_words(const NumberConstraint& constraint);
std::string number_words(std::span<const Decimal> values);
// Keeps of the language what is written in digits alone, as integers of draft-04 are; `words` say so then. False: nothing is left.
bool keep_plain(NumberLanguage& language, std::string& words);

}  // namespace xg2lab::json_schema
