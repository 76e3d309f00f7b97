// The loop of apply_bitmask.h, once for each width of a logit.
// Read: apply_word, the mixed case; then apply_all.
// The trick: a mixed word writes all 32 logits, the allowed ones unchanged, so that no branch
// depends on a single bit.
#include "support/apply_bitmask.h"

#include <algorithm>

#include "support/bits.h"
#include "support/clones.h"

namespace xg2lab {
namespace {

template <class Element>
__attribute__((always_inline)) inline void apply_word(Element* logits, size_t n, uint32_t word,
                                                      Element minus_infinity) {
  for (size_t i = 0; i < n; ++i) {
    logits[i] = ((word >> i) & 1u) != 0 ? logits[i] : minus_infinity;
  }
}

template <class Element>
__attribute__((always_inline)) inline void apply_all(std::span<Element> logits,
                                                     std::span<const uint32_t> words,
                                                     Element minus_infinity) {
  Element* at = logits.data();
  const size_t n_full = logits.size() / kBitsPerWord;
  for (size_t i = 0; i < n_full; ++i, at += kBitsPerWord) {
    const uint32_t word = words[i];
    if (word == ~uint32_t{0}) continue;
    if (word == 0) {
      std::fill_n(at, kBitsPerWord, minus_infinity);
    } else {
      apply_word(at, kBitsPerWord, word, minus_infinity);
    }
  }
  if (const size_t rest = logits.size() % kBitsPerWord) {
    apply_word(at, rest, words[n_full], minus_infinity);
  }
}

}  // namespace

XG2LAB_CLONES
void apply_bitmask(std::span<float> logits, std::span<const uint32_t> words, float minus_infinity) {
  apply_all(logits, words, minus_infinity);
}

XG2LAB_CLONES
void apply_bitmask(std::span<double> logits, std::span<const uint32_t> words,
                   double minus_infinity) {
  apply_all(logits, words, minus_infinity);
}

XG2LAB_CLONES
void apply_bitmask(std::span<uint16_t> logits, std::span<const uint32_t> words,
                   uint16_t minus_infinity) {
  apply_all(logits, words, minus_infinity);
}

}  // namespace xg2lab
