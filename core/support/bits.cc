// The loops of bits.h.
// Read: fills of a single set, then set algebra, then gather and scatter, which translate between
// numberings.
// The trick: each loop is plain, and the compiler makes one clone of it for each instruction set.
#include "support/bits.h"

#include <algorithm>

#include "support/clones.h"

namespace xg2lab {
namespace {

constexpr uint32_t kAllOnes = ~uint32_t{0};

// Ones at positions [from, to) of one word; from < 32, to in 1 .. 32.
uint32_t ones_between(size_t from, size_t to) {
  return (kAllOnes << from) & (kAllOnes >> (kBitsPerWord - to));
}

// Calls visit(word, mask) for each word that overlaps [begin, end), with the mask of the range's
// bits.
template <class Visit>
void for_each_word(std::span<uint32_t> words, size_t begin, size_t end, Visit visit) {
  if (begin >= end) return;
  const size_t first = begin / kBitsPerWord;
  const size_t last = (end - 1) / kBitsPerWord;
  for (size_t i = first; i <= last; ++i) {
    const size_t from = i == first ? begin % kBitsPerWord : 0;
    const size_t to = i == last ? (end - 1) % kBitsPerWord + 1 : kBitsPerWord;
    visit(words[i], ones_between(from, to));
  }
}

}  // namespace

void fill_zeros(std::span<uint32_t> words) { std::fill(words.begin(), words.end(), 0u); }

void fill_ones(std::span<uint32_t> words, size_t n_bits) {
  const size_t n_full = n_bits / kBitsPerWord;
  std::fill_n(words.begin(), n_full, kAllOnes);
  std::fill(words.begin() + static_cast<std::ptrdiff_t>(n_full), words.end(), 0u);
  if (n_bits % kBitsPerWord != 0) words[n_full] = ones_between(0, n_bits % kBitsPerWord);
}

void set_range(std::span<uint32_t> words, size_t begin, size_t end) {
  for_each_word(words, begin, end, [](uint32_t& word, uint32_t mask) { word |= mask; });
}

void clear_range(std::span<uint32_t> words, size_t begin, size_t end) {
  for_each_word(words, begin, end, [](uint32_t& word, uint32_t mask) { word &= ~mask; });
}

void set_each(std::span<uint32_t> words, std::span<const uint32_t> positions) {
  for (const uint32_t position : positions) set_bit(words, position);
}

void clear_each(std::span<uint32_t> words, std::span<const uint32_t> positions) {
  for (const uint32_t position : positions) clear_bit(words, position);
}

// ---- Set algebra: one pass, word by word ----

void copy_into(std::span<uint32_t> target, std::span<const uint32_t> source) {
  std::copy(source.begin(), source.end(), target.begin());
}

XG2LAB_CLONES
void or_into(std::span<uint32_t> target, std::span<const uint32_t> source) {
  uint32_t* to = target.data();
  const uint32_t* from = source.data();
  for (size_t i = 0, n = source.size(); i < n; ++i) to[i] |= from[i];
}

XG2LAB_CLONES
void and_into(std::span<uint32_t> target, std::span<const uint32_t> source) {
  uint32_t* to = target.data();
  const uint32_t* from = source.data();
  for (size_t i = 0, n = source.size(); i < n; ++i) to[i] &= from[i];
}

XG2LAB_CLONES
void and_not_into(std::span<uint32_t> target, std::span<const uint32_t> source) {
  uint32_t* to = target.data();
  const uint32_t* from = source.data();
  for (size_t i = 0, n = source.size(); i < n; ++i) to[i] &= ~from[i];
}

XG2LAB_CLONES
size_t count_ones(std::span<const uint32_t> words) {
  const uint32_t* word = words.data();
  size_t n_ones = 0;
  for (size_t i = 0, n = words.size(); i < n; ++i) {
    n_ones += static_cast<size_t>(__builtin_popcount(word[i]));
  }
  return n_ones;
}

bool any_one(std::span<const uint32_t> words) {
  return std::any_of(words.begin(), words.end(), [](uint32_t word) { return word != 0; });
}

// ---- Members translated from one numbering to another ----

void gather(std::span<uint32_t> target, std::span<const uint32_t> source,
            std::span<const uint32_t> positions) {
  const size_t n_bits = positions.size();
  const size_t n_words = n_words_for(n_bits);
  for (size_t i = 0; i < n_words; ++i) {
    const size_t begin = i * kBitsPerWord;
    const size_t end = std::min(begin + kBitsPerWord, n_bits);
    uint32_t word = 0;
    for (size_t bit = begin; bit < end; ++bit) {
      word |= static_cast<uint32_t>(test_bit(source, positions[bit])) << (bit - begin);
    }
    target[i] = word;
  }
  fill_zeros(target.subspan(n_words));
}

void scatter(std::span<uint32_t> target, std::span<const uint32_t> source,
             std::span<const uint32_t> positions) {
  for_each_one(source, [&](size_t bit) { set_bit(target, positions[bit]); });
}

}  // namespace xg2lab
