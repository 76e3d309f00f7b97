// The signature of a state of a deterministic machine: whether it accepts, and the classes of its
// targets. Equivalent states have equal signatures.
//
// A signature is a row of numbers: for each byte range its ends and its target's class; then
// whether the state accepts; then for each called rule its number and its target's class.
// Neighbouring ranges with the same class count as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "automata/fsm.h"

namespace xg2lab {

inline constexpr uint32_t kAccepts = UINT32_MAX;
inline constexpr uint32_t kAcceptsNot = UINT32_MAX - 1;

// A cursor over a signature.
struct SignatureReader {
  std::span<const uint32_t> rest;

  bool is_range() const { return rest.front() < kAcceptsNot; }
  uint32_t lo() const { return rest.front() >> 8; }
  uint32_t hi() const { return rest.front() & 0xFFu; }
  uint32_t to() const { return rest[1]; }
  void next() { rest = rest.subspan(2); }
};

// Appends the state's signature to `row`.
inline void append_signature(const FrozenFsm& rows, uint32_t state,
                             std::span<const uint32_t> class_of, std::vector<uint32_t>& row) {
  const size_t begin = row.size();
  for (const TerminalEdge& edge : rows.terminals(StateId(state))) {
    const uint32_t to = class_of[edge.to.index()];
    const size_t n = row.size();
    const bool joins = n > begin && row[n - 1] == to && (row[n - 2] & 0xFFu) + 1 == edge.range.lo;
    if (joins) {
      row[n - 2] += edge.range.hi - (row[n - 2] & 0xFFu);
    } else {
      row.push_back(uint32_t{edge.range.lo} << 8 | edge.range.hi);
      row.push_back(to);
    }
  }
  row.push_back(rows.is_accepting[state] ? kAccepts : kAcceptsNot);
  for (const RuleEdge& edge : rows.rules(StateId(state))) {
    row.push_back(edge.rule.value);
    row.push_back(class_of[edge.to.index()]);
  }
}

}  // namespace xg2lab
