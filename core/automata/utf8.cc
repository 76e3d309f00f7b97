// Splitting of code point ranges. Read: split, with its three cuts.
#include "automata/utf8.h"

#include <algorithm>
#include <string>

#include "support/utf8.h"

namespace xg2lab {
namespace {

constexpr std::array<uint32_t, 3> kLastOfLength = {0x7F, 0x7FF, 0xFFFF};

void split(uint32_t lo, uint32_t hi, std::vector<Utf8Sequence>& out) {
  if (lo > hi) return;
  if (lo <= kLastSurrogate && hi >= kFirstSurrogate) {  // cut out the surrogates
    if (lo < kFirstSurrogate) split(lo, kFirstSurrogate - 1, out);
    if (hi > kLastSurrogate) split(kLastSurrogate + 1, hi, out);
    return;
  }
  for (uint32_t last : kLastOfLength) {  // cut where the length changes
    if (lo <= last && hi > last) {
      split(lo, last, out);
      split(last + 1, hi, out);
      return;
    }
  }
  if (hi > 0x7F) {  // cut where the low continuation bytes are not all of 80-BF
    for (uint32_t bits = 6; bits <= 18; bits += 6) {
      const uint32_t low = (1u << bits) - 1;
      if ((lo & ~low) == (hi & ~low)) break;
      if ((lo & low) != 0) {
        split(lo, lo | low, out);
        split((lo | low) + 1, hi, out);
        return;
      }
      if ((hi & low) != low) {
        split(lo, (hi & ~low) - 1, out);
        split(hi & ~low, hi, out);
        return;
      }
    }
  }
  std::string first;
  std::string last;
  append_utf8(first, lo);
  append_utf8(last, hi);
  Utf8Sequence sequence;
  sequence.n_bytes = static_cast<uint8_t>(first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    sequence.bytes[i] = {static_cast<uint8_t>(first[i]), static_cast<uint8_t>(last[i])};
  }
  out.push_back(sequence);
}

}  // namespace

std::vector<Utf8Sequence> utf8_sequences(uint32_t lo, uint32_t hi) {
  std::vector<Utf8Sequence> out;
  split(lo, std::min(hi, kMaxCodePoint), out);
  return out;
}

}  // namespace xg2lab
