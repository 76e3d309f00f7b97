#include "frontends/json_schema/number_words.h"

#include <utility>
#include <vector>

#include "automata/code_points_to_bytes.h"
#include "frontends/regex/regex.h"

namespace xg2lab::json_schema {
namespace {

class Call {
 public:
  void add(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + std::string(name) + "=" + value;
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

}  // namespace

std::string number_words(const NumberConstraint& c) {
  Call call;
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
  Call call;
  call.add("values", values);
  return call.text();
}

bool keep_plain(NumberLanguage& language, std::string& words) {
  static const CodePointDfa digits = regex::language_of_regex("-?[0-9]+", {}, regex::Match::kWhole);
  const MaybeDfa plain = intersect(code_points_of(*language.machine), digits);
  if (!plain || plain->is_empty()) return false;
  auto fsm = to_bytes(*plain, Spelling::kUtf8, regex::kMostByteStates);
  if (!fsm) return false;
  language.machine = std::move(*fsm);
  words.insert(words.size() - 1, words.ends_with("()") ? "plain=true" : ", plain=true");
  return true;
}

}  // namespace xg2lab::json_schema
