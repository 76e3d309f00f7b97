// Entries of the mask store as plain tables, for writing down and reading back.
//
// Tests: tests/core/test_serialization.py, tests/core/test_serialization_hostile.py
//
// IDEA
//   An entry is written in the form it is stored in: the ids that are accepted, those of the text
//   tokens that are not, or a bitmask. What was written down may come back changed: ids, ranks and
//   their order are checked, and that the form is the smallest. A sample is made again and
//   compared; all of them would be compiling again.
#pragma once

#include <vector>

#include "mask/entries/mask_store.h"

namespace xg2lab {

struct PlainMask {
  uint32_t state = 0;
  MaskStorage storage = MaskStorage::kAcceptedList;
  std::vector<uint32_t> data;       // token ids, ascending, or the words of the bitmask
  std::vector<uint32_t> uncertain;  // ranks, ascending
};

// The entries that have been made for states, in the order of these; those of counted places are
// made again.
std::vector<PlainMask> to_plain(const MaskStore& masks, size_t n_states);
// Puts them into the store. Throws DeserializeFormatError, with the place.
void from_plain(const std::vector<PlainMask>& plain, size_t n_states, MaskStore& masks);

}  // namespace xg2lab
