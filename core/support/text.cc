// Read: WrittenInteger, then concat_views.
// The trick: the length is known before the text is allocated.
#include "support/text.h"

#include <charconv>

namespace xg2lab {

WrittenInteger::WrittenInteger(long long number)
    : n_digits_(static_cast<size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr -
                                    digits_)) {}

WrittenInteger::WrittenInteger(unsigned long long number)
    : n_digits_(static_cast<size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr -
                                    digits_)) {}

std::string concat_views(std::initializer_list<std::string_view> views) {
  size_t n_bytes = 0;
  for (std::string_view view : views) n_bytes += view.size();
  std::string text;
  text.reserve(n_bytes);
  for (std::string_view view : views) text += view;
  return text;
}

std::string shortened(std::string_view text, size_t n_most) {
  if (text.size() <= n_most) return std::string(text);
  size_t end = n_most;
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0u) == 0x80u) --end;
  return concat(text.substr(0, end), "…");
}

}  // namespace xg2lab
