// The macro call that denotes a set of numbers in EBNF, JsonNumber(min="1", max="10",
// integer=true), and the forms, which keep only those spellings of a number that programs write.
//
// Tests: tests/json_schema/test_keywords.py, tests/json_schema/test_number_form.py
//
// FORMS
//   plain     digits alone, as draft-04 writes integers; includes -0.
//   bounded   the output of json.dumps and JSON.stringify for integers and doubles, generously but
//             with a limit on everything: 40 digits before the point, 25 after it; with an
//             exponent, one digit before the point, and a value that is a finite double other than
//             zero. The limits grow if the set's own bounds and steps have more digits.
//   both      bounded, in digits alone, and 0 without a sign: for integers.
//
// EXAMPLE   bounded: "12", "0.5", "-0.0", "1e+21", "1.5e-07"; not "1e999", "12e5", nor 0.1 followed
//           by 30 zeros.
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
constexpr int64_t kUsualPlaces = 25;  // after it; 0.0000012345678901234567 has 22

// The spellings that the bounded form excludes, for the coverage report.
std::string_view words_of_plain_numbers(bool only_integers);

// Restricts a set's language to the form and records the form in `words`. Returns false if nothing
// is left.
bool keep_form(NumberLanguage& language, const NumberSet& set, NumberForm form, std::string& words);

}  // namespace xg2lab
