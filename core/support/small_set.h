// A set of integers below 256: of bytes, or of byte classes.
//
// Tests: tests/unit/support_arrays.cc
//
// Unlike std::bitset, it adds a range of members word by word.
//
// COST      four words; every operation is a loop over them.
// THREADS   a value.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace xg2lab {

class SmallSet {
 public:
  static SmallSet all() {
    SmallSet set;
    set.words_.fill(~uint64_t{0});
    return set;
  }
  // Adds first .. last, both below 256.
  void add_range(size_t first, size_t last) {
    const size_t begin = first / 64;
    const size_t end = last / 64;
    for (size_t i = begin; i <= end; ++i) {
      uint64_t word = ~uint64_t{0};
      if (i == begin) word <<= first % 64;
      if (i == end) word &= ~uint64_t{0} >> (63 - last % 64);
      words_[i] |= word;
    }
  }
  bool has(size_t member) const { return ((words_[member / 64] >> (member % 64)) & 1u) != 0; }
  bool has_at_most_one() const {
    size_t n = 0;
    for (uint64_t word : words_) n += static_cast<size_t>(std::popcount(word));
    return n <= 1;
  }
  void clear() { words_ = {}; }
  SmallSet& operator&=(const SmallSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  SmallSet& operator-=(const SmallSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  // f(member), in ascending order.
  template <class F>
  void for_each(F f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        f(64 * i + static_cast<size_t>(std::countr_zero(rest)));
    }
  }

 private:
  std::array<uint64_t, 4> words_{};
};

}  // namespace xg2lab
