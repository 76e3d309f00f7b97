// The macro call that stands for a set of numbers in EBNF, JsonNumber(min="1", max="10",
// integer=true), and forms that take of all spellings those that programs write.
//
// Tests: tests/json_schema/test_keywords.py, tests/json_schema/test_number_form.py
//
// FORMS
//   plain     digits alone, as integers of draft-04 are written; -0 is one of them.
//   bounded   what json.dumps and JSON.stringify write of integers and doubles, with room to spare
//             and an end to everything: 40 digits before the point, 25 behind it; with an
//             exponent, one digit before the point, and a double that is finite, and not zero.
//             More digits where the set's own bounds and steps have as many.
//   both      bounded, digits alone, and 0 without a sign.
//
// EXAMPLE   bounded: "12", "0.5", "-0.0", "1e+21", "1.5e-07"; not "1e999", "12e5", 0.1 with 30
//           zeros behind it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "languages/numbers/number_set.h"
#include "languages/numbers/numbers.h"

namespace xg2lab {

std::string number_words(const NumberConstraint& constraint);
std::string number_words(std::span<const Decimal> values);

struct NumberForm {
  bool is_plain = false;
  bool is_bounded = false;
};
constexpr int64_t kUsualDigits = 40;  // bounded: before the point; 128 bits have 39
constexpr int64_t kUsualPlaces = 25;  // behind it; 0.0000012345678901234567 has 22

// What the bounded form leaves out, for the coverage.
std::string_view words_of_plain_numbers(bool only_integers);

// Keeps of the language of a set what has the form; `words` say so then. False: nothing is left.
bool keep_form(NumberLanguage& language, const NumberSet& set, NumberForm form, std::string& words);

}  // namespace xg2lab
