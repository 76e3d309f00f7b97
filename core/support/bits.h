// Bit operations on spans of 32-bit words: the arithmetic of token masks.
//
// Tests: tests/bitmask/test_bits.py
//
// IDEA
//   A set of small integers is a row of words. Bit i lives in word i / 32 at position i % 32, least
//   significant bit first; that is also the layout of the bitmask that inference engines read. All
//   set algebra of a decode step is a loop over words here, and nowhere else.
//
//      n_bits = 40        word 0                    word 1
//                  bit 0, 1, ... 31          bit 32 ... 39 | padding, always 0
//
// INVARIANTS (of each span that stands for a set of n_bits members)
//   I1  span.size() >= n_words_for(n_bits)
//   I2  bits at n_bits and above are 0; every function here keeps that if its arguments do
//
// COST      one pass over the words; no allocation. Each loop in bits.cc is compiled for several
//           instruction sets, and the widest that the machine has is chosen when the library is
//           loaded.
// THREADS   pure functions; the caller synchronizes access to the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xg2lab {

inline constexpr size_t kBitsPerWord = 32;

constexpr size_t n_words_for(size_t n_bits) { return (n_bits + kBitsPerWord - 1) / kBitsPerWord; }

inline bool test_bit(std::span<const uint32_t> words, size_t bit) {
  return ((words[bit / kBitsPerWord] >> (bit % kBitsPerWord)) & 1u) != 0;
}
inline void set_bit(std::span<uint32_t> words, size_t bit) {
  words[bit / kBitsPerWord] |= 1u << (bit % kBitsPerWord);
}
inline void clear_bit(std::span<uint32_t> words, size_t bit) {
  words[bit / kBitsPerWord] &= ~(1u << (bit % kBitsPerWord));
}

// words := {}
void fill_zeros(std::span<uint32_t> words);
// words := {0 .. n_bits - 1}; all further words become 0.
void fill_ones(std::span<uint32_t> words, size_t n_bits);
// words := words + {begin .. end - 1}
void set_range(std::span<uint32_t> words, size_t begin, size_t end);
// words := words - {begin .. end - 1}
void clear_range(std::span<uint32_t> words, size_t begin, size_t end);
// words := words + positions; positions may be unordered and may repeat.
void set_each(std::span<uint32_t> words, std::span<const uint32_t> positions);
// words := words - positions
void clear_each(std::span<uint32_t> words, std::span<const uint32_t> positions);

// Binary operations read the first source.size() words; the target must be at least as long.
void copy_into(std::span<uint32_t> target, std::span<const uint32_t> source);
void or_into(std::span<uint32_t> target, std::span<const uint32_t> source);
void and_into(std::span<uint32_t> target, std::span<const uint32_t> source);
void and_not_into(std::span<uint32_t> target, std::span<const uint32_t> source);

size_t count_ones(std::span<const uint32_t> words);
bool any_one(std::span<const uint32_t> words);

// target := {i : source holds positions[i]}, for i < positions.size(). Every word of the target is
// written. With positions[rank] == id it turns a set of ids into a set of ranks.
void gather(std::span<uint32_t> target, std::span<const uint32_t> source,
            std::span<const uint32_t> positions);
// target := target + {positions[i] : source holds i}. With positions[rank] == id it turns a set of
// ranks into a set of ids. Costs time for each member, not for each position.
void scatter(std::span<uint32_t> target, std::span<const uint32_t> source,
             std::span<const uint32_t> positions);

// Calls visit(bit) for each member in ascending order.
template <class Visit>
void for_each_one(std::span<const uint32_t> words, Visit&& visit) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint32_t rest = words[i]; rest != 0; rest &= rest - 1) {
      visit(i * kBitsPerWord + static_cast<size_t>(__builtin_ctz(rest)));
    }
  }
}

}  // namespace xg2lab
