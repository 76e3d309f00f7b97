// Applies a bitmask to logits: sets every logit whose bit is 0 to minus infinity.
//
// Tests: tests/bitmask/test_apply.py
//
// IDEA
//   A logit of minus infinity has probability zero after softmax. Logits are IEEE floats of two,
//   four or eight bytes; the two-byte kinds are handled as integers, since a single constant is
//   written.
//
//      words 0b0110, logits [1.5, 2.5, 3.5, 4.5]   ->   [-inf, 2.5, 3.5, -inf]
//
// COST      HOT: once for each row, each step. A word of ones is skipped, a word of zeros is
//           filled, a mixed word takes 32 selects. Measured by benchmarks/tokens.py.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace xg2lab {

inline constexpr float kMinusInfinityFloat32 = -std::numeric_limits<float>::infinity();
inline constexpr double kMinusInfinityFloat64 = -std::numeric_limits<double>::infinity();
inline constexpr uint16_t kMinusInfinityFloat16 = 0xFC00;
inline constexpr uint16_t kMinusInfinityBFloat16 = 0xFF80;

// words.size() >= n_words_for(logits.size())
void apply_bitmask(std::span<float> logits, std::span<const uint32_t> words, float minus_infinity);
void apply_bitmask(std::span<double> logits, std::span<const uint32_t> words,
                   double minus_infinity);
void apply_bitmask(std::span<uint16_t> logits, std::span<const uint32_t> words,
                   uint16_t minus_infinity);

}  // namespace xg2lab
