// Text put together from parts, and lists with separators.
//
// Tests: tests/unit/support_text.cc
//
// EXAMPLE
//   concat("line ", 3, ':', 14u)     "line 3:14"
//   join(names, ", ", quoted)        "`a`, `b`, `c`", for the names a, b and c
//   join_first(2, names, " | ")      "a | b | …"
//
// IDEA
//   A message is one call that reads from left to right. A part is text, a char or an integer;
//   other types do not compile, because their text is anyone's guess:
//     bool                true or 1?
//     uint8_t, int8_t     a number or a byte of text?
//     double              how many digits?
//     pointers, enums     (const char* is text)
//
// COST      concat: one allocation, none for short texts; a call site compiles to an array of views
//           and one call. join: as many allocations as a growing string makes.
// NOT HERE  why this is no library: docs/design/0039-text.md
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace xg2lab {

template <class T>
concept TextLike = std::convertible_to<const T&, std::string_view> && !std::is_null_pointer_v<T>;

// An integer that can't be meant as a character.
template <class T>
concept PlainInteger = std::integral<T> && sizeof(T) > 1 && !std::same_as<T, wchar_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
concept TextPart = TextLike<T> || PlainInteger<T> || std::same_as<T, char>;

// The decimal digits of an integer, and its sign.
class WrittenInteger {
 public:
  explicit WrittenInteger(long long number);
  explicit WrittenInteger(unsigned long long number);
  operator std::string_view() const { return {digits_, n_digits_}; }

 private:
  char digits_[20];  // the sign and 19 digits, or 20 digits
  size_t n_digits_;
};

// A part as something that converts to a view, which is valid as long as both live.
template <TextPart T>
auto piece_of(const T& part) {
  if constexpr (TextLike<T>) return std::string_view(part);
  else if constexpr (std::same_as<T, char>) return std::string_view(&part, 1);
  else if constexpr (std::signed_integral<T>) return WrittenInteger(static_cast<long long>(part));
  else return WrittenInteger(static_cast<unsigned long long>(part));
}

std::string concat_views(std::initializer_list<std::string_view> views);

// The parts, one after the other.
template <TextPart... Parts>
std::string concat(const Parts&... parts) {
  return concat_views({std::string_view(piece_of(parts))...});
}

// The text, or its first `n_most` bytes and "…" if it is longer; cut where a character of UTF-8
// ends.
std::string shortened(std::string_view text, size_t n_most);

// The elements with `separator` between them, each as `shown` gives it: a function of an element or
// a pointer to its member.
template <class Range, class Shown = std::identity>
std::string join(const Range& elements, std::string_view separator, Shown shown = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& element : elements) {
    if (!std::exchange(is_first, false)) text += separator;
    text += std::string_view(piece_of(std::invoke(shown, element)));
  }
  return text;
}

// The first `n_most` elements, and "…" for the others.
template <class Range, class Shown = std::identity>
std::string join_first(size_t n_most, const Range& elements, std::string_view separator,
                       Shown shown = {}) {
  if (elements.size() <= n_most) return join(elements, separator, shown);
  return concat(join(std::span(elements).first(n_most), separator, shown), separator, "…");
}

}  // namespace xg2lab
