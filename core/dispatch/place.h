// Where in a dispatch a state stands, for labels and messages.
//
// EXAMPLE   tags "<a>" and "<b>", after "x<": Mode::kDispatching, 1 byte read of "<a>" (or "<b>"), and 1 byte
//           that both have in common. After "x<a>": Mode::kDispatched, 3 bytes of "<a>".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xg2lab {

// Watching for a tag, or at the call of the rule that one opened. kNone: behind the dispatch's end.
enum class Mode : uint8_t { kNone, kDispatching, kDispatched };

struct DispatchPlace {
  Mode mode = Mode::kNone;
  uint32_t text = 0;  // one of the texts that begin with what was read; index: DispatchFacts::texts
  uint32_t n_read = 0;    // bytes of it; 0: none
  uint32_t n_common = 0;  // bytes that all texts that begin so have in common
};

struct DispatchFacts {
  std::vector<std::string> texts;  // tags, stop strings, excludes
  size_t n_tags = 0;
  size_t n_stop_texts = 0;
  std::vector<DispatchPlace> places;  // index: state, from the rule's first
};

}  // namespace xg2lab
