// Runs a matcher's inspector within a mask's budget, so that calls end, and with Ctrl-C.
#pragma once

#include <string_view>
#include <vector>

#include "bind/interruptible.h"
#include "bind/matcher_object.h"

namespace xg2lab::bind {

// Moves the matcher to the whole grammar, whose states CompiledGrammar.program() shows.
inline void show_whole(MatcherObject& self) {
  if (self.matcher.shows_whole()) return;
  interruptible([&] { self.matcher.take_all_contents(); });
  self.inspector.reset();
}

// Runs the inspector within a mask's budget. If the work is cut short, the inspector is replaced by
// a fresh one.
template <class F>
auto inspected(MatcherObject& self, const F& work) {
  show_whole(self);
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
