// support/text.h: concat, join, join_first. support/bounds.h: repetitions as text.
#include "support/text.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/bounds.h"

namespace xg2lab {
namespace {

TEST_CASE("concat: parts come one after the other") {
  const std::string name = "digits";
  const char* const pointer = " of ";
  CHECK(concat("rule ", name, pointer, std::string_view("root"), ':', 3) ==
        "rule digits of root:3");
  CHECK(concat().empty());
  CHECK(concat("", std::string(), 'x', "") == "x");
}

TEST_CASE("concat: a view's bytes count, not a zero byte in it") {
  using namespace std::string_view_literals;
  CHECK(concat("a\0b"sv, '\0', std::string("c\0", 2)) == "a\0b\0c\0"sv);
}

TEST_CASE("concat: integers are written as std::to_string writes them, up to their bounds") {
  const auto check = [](auto number) { CHECK(concat(number) == std::to_string(number)); };
  const auto check_bounds = [&](auto zero) {
    using Integer = decltype(zero);
    for (Integer number : {std::numeric_limits<Integer>::min(), zero, Integer{7}, Integer{10},
                           std::numeric_limits<Integer>::max()})
      check(number);
  };
  check_bounds(int16_t{0});
  check_bounds(uint16_t{0});
  check_bounds(0);
  check_bounds(0u);
  check_bounds(0l);
  check_bounds(0ul);
  check_bounds(0ll);
  check_bounds(0ull);
  check(-1);
  CHECK(concat(-1, -20, 300u) == "-1-20300");
}

TEST_CASE("concat: a text that is a part of itself") {
  std::string text = "a text that is too long to be kept within the string object";
  const std::string twice = text + text;
  text = concat(text, text);
  CHECK(text == twice);
}

TEST_CASE("concat: a long text is allocated once, at its length") {
  const std::string part(100, 'x');
  const std::string text = concat(part, 1234567890, part);
  CHECK(text.size() == 210);
  CHECK(text.capacity() < text.size() + 32);  // growing by parts doubles it
}

TEST_CASE("join: separators stand between elements, empty ones too") {
  using Texts = std::vector<std::string>;
  CHECK(join(Texts{}, ", ").empty());
  CHECK(join(Texts{"a"}, ", ") == "a");
  CHECK(join(Texts{"", "b", ""}, ", ") == ", b, ");
  CHECK(join(std::vector<int>{1, -2, 3}, "") == "1-23");
}

TEST_CASE("join: elements are shown by a function or by a member") {
  struct Rule {
    std::string name;
    uint32_t n_states = 0;
  };
  const std::vector<Rule> rules{{"root", 2}, {"digits", 30}};
  CHECK(join(rules, " | ", &Rule::name) == "root | digits");
  CHECK(join(rules, "+", &Rule::n_states) == "2+30");
  CHECK(join(rules, ", ", [](const Rule& rule) { return concat(rule.name, '/', rule.n_states); }) ==
        "root/2, digits/30");
}

TEST_CASE("join_first: the others are an ellipsis") {
  const std::vector<std::string> names{"a", "b", "c"};
  CHECK(join_first(2, names, " | ") == "a | b | …");
  CHECK(join_first(3, names, " | ") == "a | b | c");
  CHECK(join_first(2, std::vector<int>{1, 2, 3}, ", ", [](int n) { return 10 * n; }) ==
        "10, 20, …");
  CHECK(join_first(2, std::vector<int>{}, ", ").empty());
}

TEST_CASE("repetitions: a sign where there is one, else braces") {
  CHECK(repetition_text(0, 1) == "?");
  CHECK(repetition_text(0, kEndless) == "*");
  CHECK(repetition_text(1, kEndless) == "+");
  CHECK(repetition_text(1, 1) == "{1}");
  CHECK(repetition_text(0, 0) == "{0}");
  CHECK(repetition_text(2, kEndless) == "{2,}");
  CHECK(repetition_text(0, 5) == "{0,5}");
  CHECK(braces_text(0, 1) == "{0,1}");
  CHECK(braces_text(1, kEndless) == "{1,}");
}

enum class Kind : uint32_t { kOne };

// Whether concat compiles with a part of this type.
template <class T>
concept IsPart = requires(const T& part) { concat(part); };

static_assert(IsPart<char[4]> && IsPart<const char*> && IsPart<std::string> && IsPart<size_t>);
static_assert(!IsPart<bool> && !IsPart<uint8_t> && !IsPart<int8_t>);
static_assert(!IsPart<char8_t> && !IsPart<char32_t> && !IsPart<wchar_t>);
static_assert(!IsPart<float> && !IsPart<double> && !IsPart<Kind>);
static_assert(!IsPart<void*> && !IsPart<int*> && !IsPart<std::nullptr_t>);

}  // namespace
}  // namespace xg2lab
