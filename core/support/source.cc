// The line table, and offsets turned into lines and columns.
// Read: construction, then the three look-ups, all by binary search in line_begins_.
// The trick: code points are counted once, up to every 1024th byte, so a column is a subtraction.
#include "support/source.h"

#include <algorithm>
#include <utility>

namespace xg2lab {
namespace {

// 1 for every byte of UTF-8 except continuation bytes.
uint32_t begins_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u ? 0 : 1;
}

}  // namespace

SourceText::SourceText(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)), line_begins_{0} {
  const bool has_returns = text_.find('\r') != std::string::npos;
  for (size_t i = 0; i < text_.size(); ++i) {
    if (!has_returns) i = std::min(text_.find('\n', i), text_.size());
    if (i == text_.size()) break;
    const bool lone_cr = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || lone_cr) line_begins_.push_back(static_cast<uint32_t>(i + 1));
  }
  uint32_t count = 0;
  for (size_t block = 0; block <= text_.size(); block += kStride) {
    code_points_before_.push_back(count);
    const size_t end = std::min<size_t>(block + kStride, text_.size());
    for (size_t i = block; i < end; ++i) count += begins_code_point(text_[i]);
  }
}

std::string_view SourceText::slice(SourceSpan span) const {
  const size_t begin = std::min<size_t>(span.begin, text_.size());
  const size_t end = std::clamp<size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

uint32_t SourceText::line_begin(uint32_t offset) const {
  auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return *(after - 1);
}

SourcePosition SourceText::position(uint32_t offset) const {
  const uint32_t at = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
  SourcePosition place;
  place.line = static_cast<uint32_t>(after - line_begins_.begin());
  place.column = 1 + count_code_points(at) - count_code_points(*(after - 1));
  return place;
}

uint32_t SourceText::count_code_points(uint32_t offset) const {
  uint32_t count = code_points_before_[offset / kStride];
  for (uint32_t i = offset / kStride * kStride; i < offset; ++i)
    count += begins_code_point(text_[i]);
  return count;
}

std::string_view SourceText::line_at(uint32_t offset) const {
  const uint32_t begin = line_begin(offset);
  size_t end = text_.find_first_of("\r\n", begin);
  if (end == std::string::npos) end = text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace xg2lab
