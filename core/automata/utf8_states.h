// UTF-8 validity as a machine of eight states: the position within a code point, and the bytes that
// may follow.
//
// Tests: tests/core/test_dispatch.py
//
// EXAMPLE   after E2 the state is 2, as two bytes must follow; after E2 82 it is 1; after E2 82 AC
//           kBetweenCodePoints again. After E0 the state is 4, as a second byte below A0 would be
//           an overlong form.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "automata/fsm.h"

namespace xg2lab {

using Utf8State = uint8_t;
constexpr Utf8State kBetweenCodePoints = 0;

// Bytes that may follow in a state, and the state after them.
struct Utf8Edge {
  ByteRange range;
  Utf8State next;
};

namespace utf8_tables {
constexpr std::array<Utf8Edge, 9> kLeads{{{{0x00, 0x7F}, kBetweenCodePoints},
                                          {{0xC2, 0xDF}, 1},
                                          {{0xE0, 0xE0}, 4},
                                          {{0xE1, 0xEC}, 2},
                                          {{0xED, 0xED}, 5},
                                          {{0xEE, 0xEF}, 2},
                                          {{0xF0, 0xF0}, 6},
                                          {{0xF1, 0xF3}, 3},
                                          {{0xF4, 0xF4}, 7}}};
constexpr std::array<Utf8Edge, 8> kContinuations{{
    {},                                  // kLeads is used instead
    {{0x80, 0xBF}, kBetweenCodePoints},  // one more byte
    {{0x80, 0xBF}, 1},                   // two more
    {{0x80, 0xBF}, 2},                   // three more
    {{0xA0, 0xBF}, 1},                   // after E0: no overlong form
    {{0x80, 0x9F}, 1},                   // after ED: no surrogate
    {{0x90, 0xBF}, 2},                   // after F0: no overlong form
    {{0x80, 0x8F}, 2},                   // after F4: nothing beyond U+10FFFF
}};
}  // namespace utf8_tables

// The valid bytes in a state, ascending.
inline std::span<const Utf8Edge> utf8_edges(Utf8State state) {
  if (state == kBetweenCodePoints) return utf8_tables::kLeads;
  return {&utf8_tables::kContinuations[state], 1};
}

// The state after `byte`; nothing if `byte` is invalid there.
inline std::optional<Utf8State> utf8_step(Utf8State state, uint8_t byte) {
  for (const Utf8Edge& edge : utf8_edges(state)) {
    if (edge.range.contains(byte)) return edge.next;
  }
  return std::nullopt;
}

}  // namespace xg2lab
