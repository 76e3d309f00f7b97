#include "languages/numbers/number_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "automata/code_points_to_bytes.h"
#include "languages/regex/pattern.h"
#include "support/text.h"

namespace xg2lab {
namespace {

class MacroCallText {
 public:
  void add(const char* name, const std::string& value) {
    text_ += concat(text_.empty() ? "" : ", ", name, "=", value);
  }
  void add(const char* name, const Decimal& number) { add(name, "\"" + number.text() + "\""); }
  void add(const char* name, std::span<const Decimal> numbers) {
    if (numbers.empty()) return;
    std::string list = "(";
    for (const Decimal& number : numbers)
      list += (list.size() > 1 ? ", \"" : "\"") + number.text() + "\"";
    add(name, list + ")");
  }
  std::string text() const { return "JsonNumber(" + text_ + ")"; }

 private:
  std::string text_;
};

// ---- Forms -------------------------------------------------------------------------------------

struct Digits {
  int64_t before = kUsualDigits;
  int64_t behind = kUsualPlaces;
};

// Enough digits that each part of the set, however narrow, has numbers with as many.
Digits digits_of(const NumberSet& set) {
  Digits digits;
  const auto n_before = [](const Decimal& number) { return number.exponent() + 1; };
  const auto n_behind = [](const Decimal& number) { return -number.weight(); };
  const auto want = [&digits](int64_t before, int64_t behind) {
    digits.before = std::max(digits.before, before);
    digits.behind = std::max(digits.behind, behind);
  };
  for (const Side* side : {&set.positive, &set.negative}) {
    for (size_t cell = 0; cell < side->inside.size(); ++cell) {
      if (!side->inside[cell]) continue;
      const size_t above = cell / 2;  // the cut that bounds the cell from above, or is the cell
      if (cell % 2 == 1) {
        const bool is_alone = !side->inside[cell - 1] && !side->inside[cell + 1];
        want(is_alone ? n_before(side->cuts[above]) : 0, n_behind(side->cuts[above]));
        continue;
      }
      if (above > 0) want(n_before(side->cuts[above - 1]) + 1, 0);
      if (above == side->cuts.size()) continue;
      want(0, n_behind(side->cuts[above]) + 1);
      if (above > 0) want(0, n_behind(side->cuts[above - 1]) + 1);
    }
  }
  if (set.step) want(n_before(*set.step) + 1, n_behind(*set.step));
  return digits;
}

// "[0-9]{0,n}"; n may be 0.
std::string up_to(int64_t n) { return concat("[0-9]{0,", n, "}"); }

// A fraction with one digit before the point, at most 1.7976931348623157: the largest double has it
// before e+308.
std::string largest_fraction(int64_t n_behind) {
  constexpr std::string_view kLargest = "7976931348623157";
  std::string ways;
  std::string read;
  for (const char digit : kLargest) {
    const auto n_left = n_behind - static_cast<int64_t>(read.size()) - 1;
    ways += concat(read, "(?:[0-", static_cast<char>(digit - 1), "]", up_to(n_left), ")|", read,
                   digit, "|");
    read += digit;
  }
  return concat("1(?:\\.(?:", ways, read, "0{0,", n_behind - static_cast<int64_t>(read.size()),
                "}))?");
}

std::string pattern_of_form(NumberForm form, Digits digits) {
  if (!form.is_bounded) return "-?[0-9]+";
  const std::string natural = "[1-9]" + up_to(digits.before - 1);
  if (form.is_plain) return "0|-?" + natural;
  const std::string fraction = concat("(?:\\.[0-9]{1,", digits.behind, "})?");
  const std::string two_digits = "0?[0-9]|[1-9][0-9]|[12][0-9]{2}|3";
  const std::string scaled = "[1-9]" + fraction + "[eE](?:\\+?(?:" + two_digits +
                             "0[0-7])|-(?:" + two_digits + "[01][0-9]|32[0-3]))";
  const std::string smallest =
      "(?:[3-9]" + fraction + "|2\\.[5-9]" + up_to(digits.behind - 1) + ")[eE]-324";
  return "-?(?:(?:0|" + natural + ")" + fraction + "|" + scaled + "|" +
         largest_fraction(digits.behind) + "[eE]\\+?308|" + smallest + ")";
}

CodePointDfa language_of_form(NumberForm form, const NumberSet& set) {
  const auto make = [form](Digits digits) {
    return regex::language_of_regex(pattern_of_form(form, digits), {}, regex::Match::kWhole);
  };
  const Digits digits = form.is_bounded ? digits_of(set) : Digits{};
  if (digits.before != kUsualDigits || digits.behind != kUsualPlaces) return make(digits);
  static const CodePointDfa plain_alone =
      regex::language_of_regex(pattern_of_form({true, false}, {}), {}, regex::Match::kWhole);
  static const CodePointDfa bounded =
      regex::language_of_regex(pattern_of_form({false, true}, {}), {}, regex::Match::kWhole);
  static const CodePointDfa both =
      regex::language_of_regex(pattern_of_form({true, true}, {}), {}, regex::Match::kWhole);
  return form.is_plain ? (form.is_bounded ? both : plain_alone) : bounded;
}

}  // namespace

std::string number_words(const NumberConstraint& c) {
  MacroCallText call;
  if (c.min) call.add(c.exclusive_min ? "exclusive_min" : "min", *c.min);
  if (c.max) call.add(c.exclusive_max ? "exclusive_max" : "max", *c.max);
  if (c.integer != Integers::kAny)
    call.add("integer", c.integer == Integers::kOnly ? "true" : "false");
  call.add("multiple_of", c.multiples_of);
  call.add("not_multiple_of", c.not_multiples_of);
  call.add("excluded", c.excluded);
  return call.text();
}

std::string number_words(std::span<const Decimal> values) {
  MacroCallText call;
  call.add("values", values);
  return call.text();
}

std::string_view words_of_plain_numbers(bool only_integers) {
  static const std::string integers =
      concat("plain numbers: digits alone, ", kUsualDigits, " at most unless the bounds have more");
  static const std::string numbers = concat(
      "plain numbers: at most ", kUsualDigits, " digits before the point and ", kUsualPlaces,
      " after it, unless the bounds have more; an exponent after one digit, in a double's range");
  return only_integers ? integers : numbers;
}

bool keep_form(NumberLanguage& language, const NumberSet& set, NumberForm form,
               std::string& words) {
  const auto say = [&words](const char* flag) {
    words.insert(words.size() - 1, concat(words.ends_with("()") ? "" : ", ", flag, "=true"));
  };
  if (form.is_plain) say("plain");
  if (form.is_bounded) say("bounded");
  if (!form.is_plain && !form.is_bounded) return true;
  const MaybeDfa kept = intersect(code_points_of(*language.machine), language_of_form(form, set));
  if (!kept || kept->is_empty()) return false;
  auto fsm = to_bytes(*kept, Spelling::kUtf8, regex::kMostByteStates);
  if (!fsm) return false;
  language.machine = std::move(*fsm);
  return true;
}

}  // namespace xg2lab
