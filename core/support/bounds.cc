#include "support/bounds.h"

#include "support/text.h"

namespace xg2lab {

std::string braces_text(uint32_t min, uint32_t max) {
  if (max == min) return concat("{", min, "}");
  if (max == kEndless) return concat("{", min, ",}");
  return concat("{", min, ",", max, "}");
}

std::string repetition_text(uint32_t min, uint32_t max) {
  if (min == 0 && max == 1) return "?";
  if (min == 0 && max == kEndless) return "*";
  if (min == 1 && max == kEndless) return "+";
  return braces_text(min, max);
}

}  // namespace xg2lab
