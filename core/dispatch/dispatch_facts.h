// The position of a state in a dispatch, for labels and messages.
//
// EXAMPLE   tags "<a>" and "<b>", after "x<": Mode::kDispatching, 1 byte of "<a>" (or "<b>") read,
//           1 byte common to both. After "x<a>": Mode::kDispatched, 3 bytes of "<a>".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xg2lab {

// kDispatching: watching for a tag. kDispatched: at the call of a tag's rule. kNone: after the
// dispatch's end.
enum class Mode : uint8_t { kNone, kDispatching, kDispatched };

struct DispatchPosition {
  Mode mode = Mode::kNone;
  uint32_t text = 0;      // a text that begins with the bytes read; index: DispatchFacts::texts
  uint32_t n_read = 0;    // of it; 0: no watched text has begun
  uint32_t n_common = 0;  // length of the common prefix of all texts that begin with the bytes read
};

struct DispatchFacts {
  std::vector<std::string> texts;  // tags, stop strings, excludes
  size_t n_tags = 0;
  size_t n_stop_texts = 0;
  std::vector<DispatchPosition> positions;  // index: state, from the rule's first
};

}  // namespace xg2lab
