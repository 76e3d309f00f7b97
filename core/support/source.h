// Source text and spans: which part of the user's text something came from.
//
// IDEA
//   A span is a half-open range of byte offsets into one source text. Every expression keeps its
//   span through all passes, and every FSM edge keeps the spans that it was made from, so that a
//   blocked token can be traced to a line. Lines and columns are computed only for display.
//
// UNITS     offsets are bytes; lines and columns count from 1; columns count code points.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xg2lab {

struct SourceSpan {
  uint32_t begin = 0;
  uint32_t end = 0;  // one past the last byte; begin == end is a position between two bytes

  constexpr bool empty() const { return begin == end; }
  friend constexpr auto operator<=>(const SourceSpan&, const SourceSpan&) = default;
};

struct SourcePosition {
  uint32_t line = 1;    // from 1
  uint32_t column = 1;  // from 1, in code points
};

// One text with its line table. `name` is shown in messages ("grammar", "digits.ebnf").
class SourceText {
 public:
  SourceText() : SourceText("", "grammar") {}
  SourceText(std::string text, std::string name);

  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  std::string_view slice(SourceSpan span) const;

  SourcePosition position(uint32_t offset) const;
  // The line that holds `offset`, without its line break.
  std::string_view line_at(uint32_t offset) const;
  // Byte offset at which the line that holds `offset` begins.
  uint32_t line_begin(uint32_t offset) const;

 private:
  std::string text_;
  std::string name_;
  // The number of code points that begin before this offset.
  uint32_t count_code_points(uint32_t offset) const;

  std::vector<uint32_t> line_begins_;
  // Item k: the count before byte k * kStride, so that a long line costs no more than a short one.
  std::vector<uint32_t> code_points_before_;
  static constexpr uint32_t kStride = 1024;
};

}  // namespace xg2lab
