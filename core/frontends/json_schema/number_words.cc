#include "frontends/json_schema/number_words.h"

#include <vector>

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

}  // namespace xg2lab::json_schema
