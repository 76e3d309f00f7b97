// What a matcher's inspector works out, as calls that end: within a mask's budget, and by Ctrl-C.
#pragma once

#include <string_view>
#include <vector>

#include "bind/interruptible.h"
#include "bind/matcher_object.h"

namespace xg2lab::bind {

// What the inspector works out, within a mask's budget. If that ends early, the inspector begins
// anew.
template <class F>
auto inspected(MatcherObject& self, const F& work) {
  return interruptible([&] {
    try {
      const Budget budget(self.matcher.compiled().options().parse.limits, Work::kMask);
      return work(self.inspect());
    } catch (...) {
      self.inspector.reset();
      throw;
    }
  });
}

inline const Chart& chart_now(MatcherObject& self) {
  return *inspected(self, [&](Inspector& inspector) { return &inspector.chart(self.matcher); });
}

inline Explanation explain_bytes(MatcherObject& self, std::string_view bytes) {
  return inspected(
      self, [&](Inspector& inspector) { return inspector.explain_bytes(self.matcher, bytes); });
}

inline Explanation explain_token(MatcherObject& self, int64_t token) {
  return inspected(
      self, [&](Inspector& inspector) { return inspector.explain_token(self.matcher, token); });
}

inline std::vector<MaskEntryFacts> mask_entries_of(MatcherObject& self) {
  return inspected(self,
                   [&](Inspector& inspector) { return inspector.mask_entries(self.matcher); });
}

}  // namespace xg2lab::bind
